#!/usr/bin/env python3
"""Compares the diagnostics of schedules with the marks in them; README.md has the form of the marks.

Usage: expect.py CAKEC FILE...
"""
import collections
import json
import re
import shlex
import subprocess
import sys

MARK = re.compile(r"//~(\^*)\s*([A-Z]\d{3}(?:\s+[A-Z]\d{3})*)\s*$")
ARGUMENTS = re.compile(r"//~ args (.*)")
TIMEOUT_SECONDS = 30


def read_marks(path):
    """The expected (line, code) with their numbers, and the further arguments."""
    expected, arguments = collections.Counter(), []
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for number, line in enumerate(file, 1):
            mark, extra = MARK.search(line), ARGUMENTS.search(line)
            if mark:
                expected.update((number - len(mark[1]), code) for code in mark[2].split())
            elif extra:
                arguments += shlex.split(extra[1])
            elif "//~" in line:
                raise ValueError(f"{path}:{number}: not a mark: {line.strip()}")
    return expected, arguments


def reported(document):
    """The diagnostics of the files, and those of the document that belong to none."""
    listed = [d for file in document.get("files", []) for d in file.get("diagnostics", [])]
    return listed + [d for d in document.get("diagnostics", []) if d not in listed]


def problems(cakec, path):
    expected, arguments = read_marks(path)
    run = subprocess.run([cakec, "check", "--format", "json", *arguments, path], capture_output=True,
                         timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL)
    try:
        diagnostics = reported(json.loads(run.stdout))
    except ValueError as error:
        return [f"{path}: no JSON from cakec (status {run.returncode}): {error}\n{run.stderr.decode(errors='replace')}"]
    got = collections.Counter(((d["span"] or {}).get("line", 0), d["code"]) for d in diagnostics)
    messages = {((d["span"] or {}).get("line", 0), d["code"]): d["message"] for d in diagnostics}
    found = [f"{path}:{line}: {code} is expected, but not reported" for line, code in (expected - got).elements()]
    for line, code in (got - expected).elements():
        found.append(f"{path}:{line}: {code} is reported, but not expected: {messages[line, code]}")
    status = 1 if any(d["severity"] == "error" for d in diagnostics) else 0
    if run.returncode != status:
        found.append(f"{path}: exit status {run.returncode} instead of {status}")
    return sorted(found)


def main():
    cakec, paths = sys.argv[1], sys.argv[2:]
    failed = 0
    for path in paths:
        try:
            found = problems(cakec, path)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            found = [f"{path}: {error}"]
        failed += bool(found)
        print("\n".join(found) if found else f"{path}: as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
