#!/usr/bin/env python3
"""Schedules with one fault beside the same schedules without it; README.md says what lies where and what holds.

Usage: pairs.py ROOT CAKEC [CODE...]
"""
import difflib
import json
import os
import re
import subprocess
import sys

TIMEOUT_SECONDS = 300
SCHEDULES = 50  # seeds of the simulator
WRONG_OUTPUT = "output"  # the kind of error under which a bad schedule may end, besides giving its code
SHAPE = re.compile(r"// shape: \w+ = \d+(, \w+ = \d+)*$")
# Families of which every code has a pair, and the codes that have none nevertheless.
COMPLETE = "LHUS"
WITHOUT_PAIR = {
    "U001": "what is not lowered yet changes: tests/diagnostics/unbuilt*.cake",
    "S109": "a condition is one value for the whole team, unless a load that races fetched it: S103 comes with it",
}


def check(cakec, paths):
    """What 'cakec check' finds, by path: all its diagnostics, as (code, line, message)."""
    run = subprocess.run([cakec, "check", "--format", "json", *paths], capture_output=True, timeout=TIMEOUT_SECONDS,
                         stdin=subprocess.DEVNULL)
    try:
        files = json.loads(run.stdout)["files"]
    except (ValueError, KeyError):
        sys.exit(f"no JSON from cakec (status {run.returncode}): {run.stderr.decode(errors='replace')}")
    found = {}
    for path, file in zip(paths, files, strict=True):
        if file["error"] and not file["diagnostics"]:
            sys.exit(f"{path}: {file['error']['message']}")
        found[path] = [(d["code"], (d["span"] or {}).get("line", 0), d["message"]) for d in file["diagnostics"]]
    return found


def simulation(path):
    """The command line behind 'run' that shows what is wrong with a bad schedule; its good sibling gets the same."""
    case = re.sub(r"\.(ok|bad)\.cake$", "", path)
    with open(f"{case}.bad.cake", encoding="utf-8") as file:
        first = file.readline().rstrip("\n")
    words = ["--device", "sim", "--schedules", str(SCHEDULES), "--timeout", str(TIMEOUT_SECONDS), "--format", "json"]
    if SHAPE.match(first):
        words += [f"-D{name}={value}" for name, value in re.findall(r"(\w+) = (\d+)", first)]
    if os.path.exists(f"{case}.work"):
        words += ["--workload", f"{case}.work"]
    return words


def simulate(cakec, paths):
    """What 'cakec run' on the simulator observes, and what else ends the run, under its kind."""
    found = {}
    for path in paths:
        run = subprocess.run([cakec, "run", path, *simulation(path)], capture_output=True, stdin=subprocess.DEVNULL)
        try:
            document = json.loads(run.stdout)
        except ValueError:
            sys.exit(f"{path}: no JSON from cakec (status {run.returncode}): {run.stderr.decode(errors='replace')}")
        found[path] = [(d["code"], (d["span"] or {}).get("line", 0), d["message"]) for d in document["diagnostics"]]
        if document["error"] and document["error"]["kind"] != "finding":
            found[path].append((document["error"]["kind"], 0, document["error"]["message"]))
    return found


# How the codes of a family come to light.
FINDERS = {"L": check, "H": check, "U": check, "S": simulate}


def schedule(path):
    """The lines of a schedule, without the one that says what to run."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return lines[1:] if SHAPE.match(lines[0]) else lines


def differing_lines(ok, bad):
    changes = [c for c in difflib.SequenceMatcher(None, ok, bad, autojunk=False).get_opcodes() if c[0] != "equal"]
    return sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in changes)


def problems_of_pair(code, ok, bad, found):
    if found[ok]:
        yield f"{ok}:{found[ok][0][1]}: {found[ok][0][0]} is reported, nothing is expected: {found[ok][0][2]}"
    if code not in [what for what, *_ in found[bad]]:
        yield f"{bad}: {code} is expected, and not reported"
    for other, line, message in found[bad]:
        if other not in (code, WRONG_OUTPUT):
            yield f"{bad}:{line}: {other} is reported where {code} is expected: {message}"
    count = differing_lines(schedule(ok), schedule(bad))
    if count != 1:
        yield f"{bad}: {count} lines differ from the schedule without fault; one is expected"


def pairs_of(folder):
    """(ok, bad) of each case, and the names of files that make no pair."""
    names = sorted(name for name in os.listdir(folder) if not name.endswith(".work"))
    cases = {re.sub(r"\.(ok|bad)\.cake$", "", name) for name in names}
    pairs, wrong = [], []
    for case in sorted(cases):
        both = [f"{case}.ok.cake", f"{case}.bad.cake"]
        if all(name in names for name in both):
            pairs.append(tuple(os.path.join(folder, name) for name in both))
        else:
            wrong.append(os.path.join(folder, case))
    return pairs, wrong


def coverage(codes, present):
    for code in codes:
        if code[0] in COMPLETE and code not in present and code not in WITHOUT_PAIR:
            yield f"{code}: no pair shows it"
    for code in WITHOUT_PAIR:
        if code in present:
            yield f"{code}: has a pair, and is listed as a code without one"
    for code in present:
        if code not in codes:
            yield f"{code}: is no code of support/diagnostics.def"


def main():
    root, cakec, chosen = sys.argv[1], sys.argv[2], sys.argv[3:]
    folder = os.path.join(root, "tests", "pairs")
    with open(os.path.join(root, "support", "diagnostics.def"), encoding="utf-8") as file:
        codes = re.findall(r"^CAKE_DIAGNOSTIC\((\w+)", file.read(), re.MULTILINE)
    present = sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
    problems, pairs = [], []
    for code in chosen or present:
        if code[0] not in FINDERS:
            problems.append(f"{code}: FINDERS does not say how this family is found")
            continue
        found, wrong = pairs_of(os.path.join(folder, code))
        pairs += [(code, ok, bad) for ok, bad in found]
        problems += [f"{name}: no pair of .ok.cake and .bad.cake" for name in wrong]
    by_finder = {}
    for code, ok, bad in pairs:
        by_finder.setdefault(FINDERS[code[0]], []).extend((ok, bad))
    reported = {path: what for finder, paths in by_finder.items() for path, what in finder(cakec, paths).items()}
    for code, ok, bad in pairs:
        problems += problems_of_pair(code, ok, bad, reported)
    if not chosen:
        problems += coverage(codes, present)
    print("\n".join(problems) if problems else f"{len(pairs)} pairs of {len(chosen or present)} codes: as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
