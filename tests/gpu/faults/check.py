#!/usr/bin/env python3
"""Runs the pairs of tests/pairs/S* on a GPU and says by what each fault shows there, and whether the schedules without it are silent.

    scripts/gpu_bundle.sh                                   # where the compiler is: fills build/gpu
    python3 tests/gpu/faults/check.py build/gpu             # where the GPU is; needs neither compiler nor LLVM

Prints a line for each schedule with a fault, 'S103 no_sync: output, racecheck': what cakerun calls it (output, hang, fault, overrun), then the
tools of compute-sanitizer that object. A fault need not show: races depend on timing, and each tool sees its kind only. --only S103 S104
... takes some codes, --sanitize chooses tools. --record FILE notes what showed. Ends with status 1 if a schedule without
fault shows anything by itself, or if something could not be run; a tool may cry wolf.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

AT_ONCE = 12                  # runs that share the GPU
REPEATS = {"bad": 4, "ok": 2}  # with different seeds
HANG_SECONDS = 5
TOOL_SECONDS = 60
TOOL_FOUND = 9                # exit status of compute-sanitizer
MAY_HANG = {"S105", "S106", "S107", "S108", "S109"}  # run one by one, after all others
SYMPTOMS = {"output", "hang", "fault", "overrun"}    # kinds of cakerun's errors that tell of the kernel


class Broken(Exception):
    """A run that says nothing about the kernel."""


def run(words, timeout):
    """Exit status and both outputs; what the command started ends with it."""
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                   start_new_session=True)
    except OSError as problem:
        return 3, "", str(problem)
    with process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return 124, "", f"no end after {timeout} s"
    return process.returncode, out, err


class Job:
    """One schedule of a pair."""

    def __init__(self, bundle, code, case, kind):
        self.code, self.case, self.kind = code, case, kind
        stem = bundle / "faults" / code / case
        first = stem.with_name(f"{case}.bad.cake").read_text().split("\n")[0]
        work = stem.with_name(f"{case}.work")
        self.ptx = stem.with_name(f"{case}.{kind}.ptx")
        self.words = [str(bundle / "cakerun"), "run", str(self.ptx), "--format", "json",
                      *(f"-D{name}={value}" for name, value in re.findall(r"(\w+) = (\d+)", first)),
                      *(["--workload", str(work)] if work.exists() else [])]
        self.alone = kind == "bad" and code in MAY_HANG

    def launch(self, seed):
        """What cakerun says of one launch: a symptom or None."""
        status, out, err = run([*self.words, "--timeout", str(HANG_SECONDS), "--seed", str(seed)], 60)
        try:
            error = json.loads(out)["error"]
        except (ValueError, KeyError):
            raise Broken(f"cakerun, status {status}: {(err or out).strip()[-300:]}") from None
        if error and error["kind"] not in SYMPTOMS:
            raise Broken(f"cakerun: {error['kind']}: {error['message']}")
        return error["kind"] if error else None

    def watched(self, tool):
        """What a tool shows, or None."""
        status, out, err = run(["compute-sanitizer", "--tool", tool, "--target-processes", "all", "--error-exitcode",
                                str(TOOL_FOUND), *self.words,
                                "--timeout", str(TOOL_SECONDS // 2)], TOOL_SECONDS)
        if status == TOOL_FOUND:
            return tool
        if status == 124 or re.search(r'"kind":\s*"hang"', out):
            return f"hang under {tool}"
        if status not in (0, 1):  # 1: cakerun's, of a wrong output
            raise Broken(f"{tool}, status {status}: {(err or out).strip()[-300:]}")
        return None

    def launches(self):
        """What shows without tools. A kernel that hung or broke is not run again."""
        seen = []
        for seed in range(REPEATS[self.kind]):
            symptom = self.launch(seed)
            seen += [symptom] if symptom and symptom not in seen else []
            if symptom in ("hang", "fault"):
                break
        return seen

    def watches(self, tools):
        """What tools show, up to the first under which it hangs."""
        seen = []
        for tool in tools:
            what = self.watched(tool)
            seen += [what] if what else []
            if what and what != tool:
                break
        return seen


def jobs(bundle, only):
    """A bad and an ok one of each pair."""
    found = []
    for ptx in sorted((bundle / "faults").glob("*/*.bad.ptx")):
        code, case = ptx.parent.name, ptx.name.removesuffix(".bad.ptx")
        if (not only or code in only) and ptx.with_name(f"{case}.ok.ptx").exists():
            found += [Job(bundle, code, case, kind) for kind in ("bad", "ok")]
    return found


def observe_all(work, tools):
    """{(code, case, kind): what shows, or Broken}."""

    def launches(job):
        try:
            return job.launches()
        except Broken as problem:
            return problem

    def with_tools(job, seen):
        try:
            return seen if isinstance(seen, Broken) or "hang" in seen else seen + job.watches(tools)
        except Broken as problem:
            return problem

    together, alone = [job for job in work if not job.alone], [job for job in work if job.alone]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        seen = list(pool.map(lambda job: with_tools(job, launches(job)), together))
        seen += pool.map(with_tools, alone, [launches(job) for job in alone])
    return {(job.code, job.case, job.kind): what for job, what in zip(together + alone, seen)}


def words(what):
    return f"BROKEN {what}" if isinstance(what, Broken) else ", ".join(what) or "does not show"


def report(seen):
    """Prints the table; how much went wrong."""
    wrong = 0
    for (code, case, kind), what in sorted(seen.items()):
        by_itself = kind == "ok" and not isinstance(what, Broken) and SYMPTOMS & set(what)
        wrong += bool(by_itself) or isinstance(what, Broken)
        if kind == "bad":
            print(f"{code} {case}: {words(what)}")
        elif what or isinstance(what, Broken):
            print(f"{code} {case} WITHOUT FAULT: {words(what)}")
    results = {kind: [what for key, what in seen.items() if key[2] == kind] for kind in ("bad", "ok")}
    shown = sum(isinstance(what, list) and bool(what) for what in results["bad"])
    silent = sum(what == [] for what in results["ok"])
    print(f"{shown} of {len(results['bad'])} bad ones show it, {silent} of {len(results['ok'])} good ones are silent")
    return wrong


def record(path, seen, tools):
    """Rows of the JSON file, {'S103/no_sync': date, gpu, tools, bad, ok}, beside those that did not run."""
    status, gpu, _ = run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], 60)
    rows = json.loads(path.read_text()) if path.exists() else {}
    for (code, case, kind), what in seen.items():
        row = rows.setdefault(f"{code}/{case}", {})
        row.update(date=time.strftime("%Y-%m-%d", time.gmtime()), gpu=gpu.split("\n")[0] if status == 0 else "", tools=tools)
        row[kind] = None if isinstance(what, Broken) else what
    path.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--sanitize", nargs="*", default=["memcheck", "racecheck", "synccheck", "initcheck"])
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    work = jobs(arguments.bundle, arguments.only)
    if not work:
        sys.exit(f"no pairs in {arguments.bundle}/faults")
    tools = arguments.sanitize if shutil.which("compute-sanitizer") else []
    if arguments.sanitize and not tools:
        print("compute-sanitizer is not installed: left out")
    begin = time.monotonic()
    seen = observe_all(work, tools)
    wrong = report(seen)
    print(f"{time.monotonic() - begin:.0f} s")
    if arguments.record:
        record(arguments.record, seen, tools)
    return bool(wrong)


sys.exit(main())
