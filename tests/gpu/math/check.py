#!/usr/bin/env python3
"""Runs the kernels that 'generate' wrote on a GPU and measures their error against binary64.

Usage: check.py DIRECTORY [NAME ...]: every kernel, or those whose name (exp.approx.ftz.f32, ..) starts with a NAME. All 2^32
binary32 and all 2^16 16-bit inputs are tried. Prints for each kernel the largest error in ulp of its type and where it
is; exit status 1 if a form without '.approx' exceeds what the language promises. Needs torch and cuda-bindings.
"""
import ctypes
import math
import pathlib
import sys

import torch
from cuda.bindings import driver

CHUNK = 1 << 26
# dtype -> (torch type, integer type of the same size, mantissa bits, least normal exponent, greatest exponent)
FORMATS = {
    "f32": (torch.float32, torch.int32, 23, -126, 127),
    "f16": (torch.float16, torch.int16, 10, -14, 15),
    "bf16": (torch.bfloat16, torch.int16, 7, -126, 127),
    "f64": (torch.float64, torch.int64, 52, -960, 1023),  # smaller results are measured in larger units
}
REFERENCES = {
    "exp": torch.exp, "exp2": torch.exp2, "log": torch.log, "log2": torch.log2, "tanh": torch.tanh, "erf": torch.erf,
    "sin": torch.sin, "cos": torch.cos, "sqrt": torch.sqrt, "rsqrt": lambda x: 1 / torch.sqrt(x),
    "rcp": lambda x: 1 / x, "abs": torch.abs, "floor": torch.floor, "ceil": torch.ceil, "round": torch.round,
}  # fmt: skip
EXACT = {"abs", "floor", "ceil", "round"}
CIRCULAR_LIMIT = 2.0**17  # what the language promises for sin and cos
APPROX_LIMIT = 2 * math.pi  # what the PTX ISA states for sin.approx and cos.approx


def call(result):
    if result[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(result[0])
    return result[1] if len(result) == 2 else result[1:]


class Kernel:
    def __init__(self, path):
        self.module = call(driver.cuModuleLoadData(path.read_bytes() + b"\0"))
        self.function = call(driver.cuModuleGetFunction(self.module, b"map"))

    def __call__(self, x):
        y = torch.empty_like(x)
        arguments = ((y.data_ptr(), x.data_ptr(), x.numel()), (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32))
        stream = torch.cuda.current_stream().cuda_stream
        blocks = (x.numel() + 255) // 256
        call(driver.cuLaunchKernel(self.function, blocks, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
        return y


def inputs(dtype):
    """Tensors of all values of dtype; for binary64 some with random bits."""
    kind, integer, _, _, _ = FORMATS[dtype]
    if dtype == "f64":
        generator = torch.Generator("cuda").manual_seed(1)
        low, high = torch.randint(0, 1 << 32, (2, CHUNK), dtype=integer, device="cuda", generator=generator)
        yield (low | high << 32).view(kind)
    elif dtype == "f32":
        for first in range(-(1 << 31), 1 << 31, CHUNK):
            yield torch.arange(first, first + CHUNK, dtype=torch.int64, device="cuda").to(integer).view(kind)
    else:
        yield torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32, device="cuda").to(integer).view(kind)


def errors(y, wanted, dtype):
    """|y - wanted| in ulp of wanted, infinite where NaN or the sign of a zero differs."""
    _, _, bits, least, most = FORMATS[dtype]
    y = y.double()
    top = 2.0 ** (most + 1) if most < 1023 else math.inf
    exponent = (torch.frexp(wanted).exponent - 1).clamp(least, most)
    units = (bits - exponent + 1023).long().bitwise_left_shift(52).view(torch.float64)  # 2^(bits - exponent)
    error = (y.clamp(-top, top) - wanted.clamp(-top, top)).abs() * units
    error = torch.where(y == wanted, 0.0, error)
    error = torch.where(y.isnan() & wanted.isnan(), 0.0, error)
    error = torch.where(y.isnan() != wanted.isnan(), math.inf, error)
    wrong_sign = (y == 0) & (y.signbit() != wanted.signbit())
    return torch.where(wrong_sign | error.isnan(), math.inf, error)


def measure(kernel, function, modifiers, dtype):
    """The largest error and its input."""
    worst, place = 0.0, 0.0
    for x in inputs(dtype):
        seen = x.double()
        if "ftz" in modifiers:
            seen = torch.where(seen.abs() < 2.0**-126, torch.copysign(torch.zeros_like(seen), seen), seen)
        wanted = REFERENCES[function](seen)
        y = kernel(x)
        error = errors(y, wanted, dtype)
        if "ftz" in modifiers:
            error = torch.where((wanted.abs() < 2.0**-126 * (1 + 2.0**-22)) & (y == 0), 0.0, error)
        if function in ("sin", "cos"):
            limit = APPROX_LIMIT if "approx" in modifiers else CIRCULAR_LIMIT
            error = torch.where(seen.abs() > limit, 0.0, error)
        at = int(error.argmax())
        if float(error[at]) > worst:
            worst, place = float(error[at]), float(x[at])
    return worst, place


def bound(function, modifiers, dtype):
    if "approx" in modifiers:
        return math.inf
    if function in EXACT:
        return 0
    return 0.5 if function == "sqrt" and dtype != "f64" else 2  # binary64 has only itself to compare with


def check_integers(kernel, function):
    x = torch.arange(-(1 << 31), 1 << 31, 4095, dtype=torch.int64, device="cuda")
    unsigned = x & 0xFFFFFFFF
    wanted = {
        "abs": x.abs(),
        "popc": sum((unsigned >> bit) & 1 for bit in range(32)),
        "clz": 32 - torch.where(unsigned == 0, 0, torch.frexp(unsigned.double()).exponent),
    }[function]
    return bool((kernel(x.to(torch.int32)) == wanted.to(torch.int32)).all())


def main():
    torch.zeros(1, device="cuda")  # creates the context that the kernels are loaded into
    failed = 0
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ptx")):
        *words, dtype = path.name[: -len(".ptx")].split(".")
        function, modifiers = words[0], words[1:]
        if function == "copy" or (sys.argv[2:] and not any(path.name.startswith(name) for name in sys.argv[2:])):
            continue
        kernel = Kernel(path)
        if dtype == "i32":
            good = check_integers(kernel, function)
            print(f"{path.stem:24} {'equal' if good else 'WRONG'}", flush=True)
        else:
            worst, place = measure(kernel, function, modifiers, dtype)
            good = worst <= bound(function, modifiers, dtype)
            print(f"{path.stem:24} {worst:12.4g} ulp at {place.hex():24} {'' if good else 'TOO MUCH'}", flush=True)
        failed += not good
    print(f"{failed} kernels above their bound" if failed else "all within their bounds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
