#!/usr/bin/env python3
"""What cakec may take: prints time and peak memory of each task beside its limit.

Usage: limits.py [--slack FACTOR] CAKEC EXAMPLES. Each task is run a few times and the best counts; with the slack, for
machines that have other work, only more than FACTOR times the limit is a failure.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

RUNS = 3
MEGABYTES = 300


def measure(command):
    """Seconds and megabytes of one run."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slack", type=float, default=1)
    parser.add_argument("cakec")
    parser.add_argument("examples")
    arguments = parser.parse_args()
    gemm = os.path.join(arguments.examples, "gemm_sm90a", "gemm_sm90a.cake")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        tasks = [
            ("check", 0.1, [arguments.cakec, "check", gemm]),
            ("compile", 0.5, [arguments.cakec, gemm, "-o", os.path.join(folder, "k.ptx")]),
        ]
        for name, limit, command in tasks:
            runs = [measure(command) for _ in range(RUNS)]
            seconds, megabytes = min(run[0] for run in runs), max(run[1] for run in runs)
            too_much = seconds > limit * arguments.slack or megabytes > MEGABYTES
            failures += too_much
            print(f"{name:8} {seconds:6.3f} s of {limit} s, {megabytes:6.1f} MB of {MEGABYTES} MB"
                  f"{'  TOO MUCH' if too_much else ''}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
