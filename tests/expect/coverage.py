#!/usr/bin/env python3
"""Every code of support/diagnostics.def must be expected by some test: a mark in tests/diagnostics/, a line of a lit
test or a unit test. What only shows when a schedule runs is left to tests/pairs/.

Usage: coverage.py ROOT
"""
import os
import re
import sys

OF_RUNS = "S"  # family
CODE = re.compile(r"\b(?:CAKE_)?([A-Z]\d{3})\b")


def codes_in_tests(folder):
    found = set()
    for directory, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".cake", ".work", ".test", "_test.c")):
                with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
                    found.update(CODE.findall(file.read()))
    return found


def main():
    root = sys.argv[1]
    with open(os.path.join(root, "support", "diagnostics.def"), encoding="utf-8") as file:
        codes = re.findall(r"^CAKE_DIAGNOSTIC\((\w+)", file.read(), re.MULTILINE)
    expected = codes_in_tests(os.path.join(root, "tests"))
    missing = [code for code in codes if code not in expected and code[0] != OF_RUNS]
    for code in missing:
        print(f"support/diagnostics.def: no test expects {code}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
