#!/usr/bin/env python3
"""Writes docs/constructs.md: each construct of the language, the examples and GPU schedules that use it, and when one of
them last ran right.

    python3 tests/constructs/page.py build/bin/constructs           # after a change of schedules or of results
    python3 tests/constructs/page.py build/bin/constructs --check   # status 1 if the page says something else

What a schedule uses comes from its typed module (tests/constructs/main.c), when it ran from tests/gpu/results.json, which
tests/gpu/examples/check.py --record writes.
"""
import argparse
import difflib
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "constructs.md"
RESULTS = ROOT / "tests" / "gpu" / "results.json"
MOST_NAMES = 4  # schedules named in one row

# Constructs that no schedule can run, and why: docs/status.md has the whole of it.
TENSOR_MEMORY = "tensor memory is sm_100a's own, and the GPU at hand is an sm_90"
HINT = "ptxas 13.0.88 makes an illegal instruction of some: refused for now (docs/status.md)"
NOT_RUN = {
    "`async.load .. cache evict_first`": HINT,
    "`async.load .. cache evict_last`": HINT,
    "`tmem`": TENSOR_MEMORY,
    "`tcgen05.mma`": TENSOR_MEMORY,
    "`tcgen05.mma .. pair`": TENSOR_MEMORY,
    "`target sm_100a`": "its code runs on sm_100 alone, and the GPU at hand is an sm_90",
    "`target sm_120a`": "its code runs on sm_120 alone, and the GPU at hand is an sm_90",
}


def schedules():
    """{name: path}; a bundle puts all in one folder, so names differ."""
    paths = [folder / f"{folder.name}.cake" for folder in (ROOT / "examples").iterdir()]
    paths += (ROOT / "tests" / "gpu" / "schedules").glob("*.cake")
    return {path.stem: path for path in sorted(paths) if path.exists()}


def digest(path):
    """Of a schedule and its workload: a result belongs to both."""
    return hashlib.sha256(b"".join(path.with_suffix(suffix).read_bytes() for suffix in (".cake", ".work"))).hexdigest()


def constructs(tool, paths):
    """[(section, construct, [names])] in the tool's order."""
    done = subprocess.run([tool, *paths.values()], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip() or f"{tool}: status {done.returncode}")
    names, rows = list(paths), []
    for line in done.stdout.splitlines():
        section, construct, users = line.split("\t")
        rows.append((section, construct, [names[int(user)] for user in users.split()]))
    return rows


def last_right(names, results, paths):
    """The latest day on which one of the schedules ran right as it stands; else as it stood."""
    now = [results[name]["right"] for name in names
           if results.get(name, {}).get("right") and results[name]["source"] == digest(paths[name])]
    before = [results[name]["right"] for name in names if results.get(name, {}).get("right")]
    return max(now) if now else f"{max(before)}, changed since" if before else "not yet"


def table(head, rows):
    lines = [head, [" --- "] * len(head), *rows]
    return ["|" + "|".join(f" {cell.strip()} ".replace("|", "\\|") for cell in line) + "|" for line in lines]


def users(names):
    shown = ", ".join(names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def schedule_row(name, results, paths):
    result = results.get(name)
    wrong = f"; WRONG on {result['date']}" if result and not result["ok"] else ""
    folder = paths[name].parent.relative_to(ROOT).as_posix()
    return [f"[{name}](../{folder}/{paths[name].name})", last_right([name], results, paths) + wrong, result["gpu"] if result else ""]


def listed(rows):
    return [f"* {section}: " + ", ".join(row[1] for row in rows if row[0] == section)
            for section in dict.fromkeys(row[0] for row in rows)]


def page(rows, results, paths):
    used = [row for row in rows if row[2]]
    missing = [row for row in rows if not row[2] and row[1] not in NOT_RUN]
    lines = ["# Constructs and where they are exercised", "",
             "Written by tests/constructs/page.py; a test sees that it is up to date. A construct counts as exercised by a schedule whose typed module has it;",
             "the date is the last one on which tests/gpu/examples/check.py ran such a schedule on every shape of its workload and all outputs were right.", "",
             f"{len(rows)} constructs: {len(used)} exercised, {len(missing)} not, {len(NOT_RUN)} that cannot be run.", ""]
    lines += ["## Not exercised", "", *(listed(missing) or ["None."]), ""]
    lines += ["## Cannot be run", "", *table(["construct", "why"], NOT_RUN.items()), ""]
    for section in dict.fromkeys(row[0] for row in rows):
        body = [[construct, users(names), last_right(names, results, paths)] for of, construct, names in used if of == section]
        lines += [f"## {section.capitalize()}", "", *table(["construct", "exercised by", "last ran right"], body), ""] if body else []
    lines += ["## Schedules", "", *table(["schedule", "last ran right", "GPU"], [schedule_row(name, results, paths) for name in paths])]
    return "\n".join(lines) + "\n"


def check_not_run(rows):
    unknown = set(NOT_RUN) - {row[1] for row in rows}
    runs = [row[1] for row in rows if row[2] and row[1] in NOT_RUN]
    if unknown or runs:
        sys.exit(f"NOT_RUN names what is no construct: {sorted(unknown)}, what is exercised: {runs}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    paths = {name: path for name, path in schedules().items() if path.with_suffix(".work").exists()}
    rows = constructs(arguments.tool, paths)
    check_not_run(rows)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    text = page(rows, results, paths)
    if not arguments.check:
        PAGE.write_text(text)
        return 0
    old = PAGE.read_text() if PAGE.exists() else ""
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), "docs/constructs.md", "as it should be"))
    if old != text:
        print("write it again: python3 tests/constructs/page.py build/bin/constructs")
    return old != text


sys.exit(main())
