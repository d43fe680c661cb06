#!/usr/bin/env python3
"""Derives the polynomial coefficients of codegen/math_f32.c and prints them with their error bounds.

Each polynomial is a weighted minimax fit in 40 digits, so that the largest *relative* error of the whole
function is minimal. The coefficients are then rounded to binary32 one after the other from the lowest power up, and the
remaining ones are fitted again, which keeps the rounding from costing accuracy. The bound printed is that of the rounded
coefficients in exact arithmetic; what binary32 arithmetic adds is measured by the unit test. Needs mpmath.

Usage: scripts/math_coefficients.py
"""
import struct

from mpmath import cos, erf, erfc, exp, expm1, fdot, log, log1p, lu_solve, matrix, mp, mpf, pi, polyval, sin, sqrt, tanh

mp.dps = 40


def to_f32(value):
    """The binary32 number next to value."""
    return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def hexadecimal(value):
    """value, a binary32 number, as a C literal."""
    mantissa, exponent = float(value).hex().split("p")
    whole, fraction = (mantissa.split(".") + ["0"])[:2]
    return f"{whole}.{fraction.rstrip('0') or '0'}p{int(exponent)}f"


class Fit:
    """sum of c[k] x^k approximates target(x) on [low, high]; weight(x) turns its error into the function's relative error."""

    points, rounds = 160, 60

    def __init__(self, target, weight, low, high, degree):
        self.degree = degree
        middle, half = (mpf(high) + low) / 2, (mpf(high) - low) / 2
        grid = [middle - half * cos(pi * (i + mpf("0.5")) / self.points) for i in range(self.points)]
        self.known = [(x, target(x), abs(weight(x))) for x in [mpf(low)] + grid + [mpf(high)]]
        self.fixed = []

    def errors(self, coefficients):
        return [(polyval(coefficients[::-1], x) - wanted) * weight for x, wanted, weight in self.known]

    def solve(self):
        """The coefficients that are not fixed yet, by Lawson's method: least squares, reweighted by the errors left."""
        first = len(self.fixed)
        rows = [[x**k * weight for k in range(first, self.degree + 1)] for x, _, weight in self.known]
        right = [-error for error in self.errors(self.fixed or [mpf(0)])]
        share = [mpf(1)] * len(rows)
        best, least = None, None
        for _ in range(self.rounds):
            columns = list(zip(*rows))
            scaled = [[a * s for a, s in zip(column, share)] for column in columns]
            normal = matrix([[fdot(a, b) for b in columns] for a in scaled])
            answer = list(lu_solve(normal, matrix([fdot(a, right) for a in scaled])))
            errors = [abs(error) for error in self.errors(self.fixed + answer)]
            if least is None or max(errors) < least:
                best, least = answer, max(errors)
            share = [s * e for s, e in zip(share, errors)]
            total = sum(share) / len(share)
            share = [s / total for s in share]
        return best

    def rounded(self):
        while len(self.fixed) <= self.degree:
            self.fixed.append(to_f32(self.solve()[0]))
        return self.fixed

    def bound(self):
        return max(abs(error) for error in self.errors(self.fixed))


def report(name, comment, fit):
    coefficients = fit.rounded()
    print(f"/* {comment}: off by less than 2^{float(log(fit.bound(), 2)):.1f} */")
    print(f"static const float {name}[] = {{{', '.join(hexadecimal(c) for c in coefficients)}}};")


def split(name, value, parts, down=False):
    """value as a sum of binary32 numbers, each rounded down or to nearest."""
    rest, out = mpf(value), []
    for _ in range(parts):
        part = to_f32(rest)
        if down and part > rest:
            part = to_f32(part * (1 - mpf(2) ** -24))
        out.append(part)
        rest -= part
    print(f"/* {name}: {' + '.join(hexadecimal(p) for p in out)}, rest {float(rest):.1e} */")


def near_zero(function, limit):
    """function, but limit next to 0, where it is a quotient of small numbers."""
    return lambda x: function(x) if abs(x) > mpf(10) ** -10 else mpf(limit)


def of_square(function, limit):
    """As near_zero, for a function of x that is even, in terms of x^2."""
    return near_zero(lambda square: function(sqrt(square)), limit)


def logarithms():
    low, high = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
    tail = near_zero(lambda f: (log1p(f) - f) / f**2, -0.5)
    report("log_tail", "ln from (ln(1 + f) - f) / f^2", Fit(tail, near_zero(lambda f: f**2 / log1p(f), 0), low, high, 7))
    ratio = near_zero(lambda f: log1p(f) / f / log(2), 1 / log(2))
    report("log2_ratio", "log2 from log2(1 + f) / f", Fit(ratio, lambda f: 1 / ratio(f), low, high, 8))


def exponentials():
    """Both on a little more than +-1 step / 2, which is where rounding x / step may lead; the constant term is 1."""
    for name, comment, rate in (("exp_whole", "exp(r), |r| <= ln(2)", mpf(1)), ("exp2_whole", "2^r, |r| <= 1", log(2))):
        edge = log(2) / rate + mpf(2) ** -14
        ratio = near_zero(lambda r: expm1(rate * r) / r, rate)
        report(name, f"{comment}, without its first coefficient", Fit(ratio, lambda r: r / exp(rate * r), -edge, edge, 6))


def sigmoids():
    edge = mpf("0.875")
    tail = of_square(lambda x: (tanh(x) / x - 1) / x**2, -mpf(1) / 3)
    weight = of_square(lambda x: x**3 / tanh(x), 0)
    report("tanh_tail", f"tanh from (tanh(x) / x - 1) / x^2 in x^2, |x| <= {edge}", Fit(tail, weight, 0, edge**2, 5))
    edge = mpf("0.9375")
    ratio = of_square(lambda x: erf(x) / x, 2 / sqrt(pi))
    fit = Fit(lambda t: ratio(t) - 1, lambda t: 1 / ratio(t), 0, edge**2, 5)
    report("erf_tail", f"erf from erf(x) / x - 1 in x^2, |x| <= {edge}", fit)
    fit = Fit(lambda x: log(erfc(x), 2), lambda x: log(2) * erfc(x) / erf(x), edge, 4, 5)
    report("erfc_exponent", f"erf from log2(1 - erf(x)), {edge} <= x <= 4", fit)


def circular():
    edge = pi / 4 + mpf("0.008")  # 2 / pi rounded chooses the multiple of pi / 2 a little late for large arguments
    tail = of_square(lambda r: (sin(r) / r - 1) / r**2, -mpf(1) / 6)
    weight = of_square(lambda r: r**3 / sin(r), 0)
    report("sin_tail", "sin from (sin(r) / r - 1) / r^2 in r^2", Fit(tail, weight, 0, edge**2, 3))
    report("cos_whole", "cos in r^2", Fit(of_square(cos, 1), of_square(lambda r: 1 / cos(r), 1), 0, edge**2, 4))


def main():
    split("log2(e)", 1 / log(2), 1)
    split("ln(2)", log(2), 2)
    split("pi / 2", pi / 2, 3, down=True)
    split("2 / pi", 2 / pi, 1)
    exponentials()
    logarithms()
    sigmoids()
    circular()


main()
