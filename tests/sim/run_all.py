#!/usr/bin/env python3
"""Runs schedules on the simulator, with every shape of their workloads that is small (else with the smallest): nothing
may be observed, and the outputs must be right.

Usage: run_all.py CAKEC [--schedules N] [--limit SECONDS] FILE...
Prints a line for each shape and what failed; exit status 1 if anything did.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

MOST_ELEMENTS = 1 << 20  # of a shape's tensors together
FUNCTIONS = {"cdiv": lambda a, b: -(-a // b), "min": min, "max": max, "__builtins__": {}}


def value(text, dimensions):
    """An expression over dimensions as workloads write it; '/' rounds down."""
    return eval(text.replace("/", "//"), FUNCTIONS, dimensions)  # pylint: disable=eval-used


def shapes(text):
    """{name: {dimension: value}}; a value may use those before it."""
    found = {}
    for name, entries in re.findall(r"^shape (\w+)\((.*)\)", text, re.M):
        found[name] = {}
        for dimension, expression in re.findall(r"(\w+) = ((?:[^,()]|\([^()]*\))+)", entries):
            found[name][dimension] = value(expression, found[name])
    return found


def elements(text, dimensions):
    total = 0
    for extents in re.findall(r"^(?:input|inout|output) \w+(?:\[[^\]]*\])?: \w+\[([^\]]*)\]", text, re.M):
        count = 1
        for extent in re.findall(r"(?:[^,()]|\([^()]*\))+", extents):
            count *= value(extent.strip(), dimensions)
        total += count
    return total


def small_shapes(schedule):
    """Names of the small shapes, or of the smallest one."""
    text = schedule.with_suffix(".work").read_text()
    sizes = {name: elements(text, dimensions) for name, dimensions in shapes(text).items()}
    return [name for name, size in sizes.items() if size <= max(MOST_ELEMENTS, min(sizes.values()))]


def first_place(diagnostic):
    span = diagnostic["span"] or {"line": 0, "col": 0}
    return f"{span['line']}:{span['col']}: {diagnostic['code']}: {diagnostic['message']} {diagnostic['counterexample']}"


def problems(options, schedule, shape):
    """What is wrong, as lines."""
    command = [options.cakec, "run", str(schedule), "--device", "sim", "--shape", shape, "--format", "json"]
    command += ["--timeout", str(options.limit), "--schedules", str(options.schedules)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return [f"exit status {done.returncode} and no JSON", *done.stderr.splitlines()]
    found = [first_place(one) for one in document["diagnostics"] if one["severity"] == "error"]
    if document["error"]:
        found.append(f"{document['error']['kind']}: {document['error']['message']}")
    found += [f"output {one['name']}: {one['mismatches']} of {one['count']} wrong, {one['unwritten']} not written, "
              f"first {one['first']}" for one in document.get("outputs", []) if one["mismatches"]]
    if not found and (done.returncode or not document["ok"]):
        found.append(f"exit status {done.returncode}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cakec")
    parser.add_argument("--schedules", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    ran, failed = 0, 0
    for schedule in options.files:
        for shape in small_shapes(schedule):
            begin = time.monotonic()
            found = problems(options, schedule, shape)
            ran, failed = ran + 1, failed + bool(found)
            print(f"{schedule} {shape}: {'WRONG' if found else 'right'}, {time.monotonic() - begin:.1f} s")
            print("".join(f"    {line}\n" for line in found), end="", flush=True)
    print(f"{failed} of {ran} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
