#!/usr/bin/env python3
"""What cakec makes of one example: check.py CAKEC FOLDER, or of a schedule with its workload beside it.

The file is in the one format; printing it as IR and reading that again changes nothing; it passes 'check'; and for its
default tunables and every static of its workload it has a plan and PTX, the same PTX twice, which ptxas (where it is
installed) assembles without spills and without a warning. Where cakec has no code generator, PTX is left out.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import workload

CAKEC, GIVEN = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEDULE = GIVEN / f"{GIVEN.name}.cake" if GIVEN.is_dir() else GIVEN
NO_GENERATOR = "no code generator"
failures = []


def run(*words, text=None):
    return subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, timeout=60)


def expect(good, what, detail=""):
    if not good:
        failures.append(what)
        print(f"WRONG: {what}\n{detail.strip()[:2000]}")


def cakec(*words, text=None):
    """Standard output of a command that must succeed, or None."""
    done = run(CAKEC, *words, text=text)
    expect(done.returncode == 0, f"cakec {' '.join(map(str, words))} ends with {done.returncode}", done.stderr)
    return done.stdout if done.returncode == 0 else None


def check_text():
    expect(cakec("fmt", SCHEDULE) == SCHEDULE.read_text(), f"{SCHEDULE.name} is as 'cakec fmt' writes it")
    printed = cakec(SCHEDULE, "--emit", "ir")
    if printed:
        expect(cakec("-", "--emit", "ir", text=printed) == printed, "IR that is read again prints the same", printed)
    cakec("check", SCHEDULE)


def assemble(ptx, folder):
    target = re.search(r"^\.target (\w+)", ptx, re.M).group(1)
    path = folder / "code.ptx"
    path.write_text(ptx)
    done = run("ptxas", "-v", f"-arch={target}", path, "-o", folder / "code.cubin")
    log = done.stdout + done.stderr
    expect(done.returncode == 0, "ptxas takes the code", log)
    expect("warning" not in log.lower() and not re.search(r"\bC75\d\d\b", log), "ptxas warns of nothing", log)
    stores = re.findall(r"(\d+) bytes spill", log)
    expect(stores and not any(map(int, stores)), "nothing is spilled", log)
    return re.search(r"Used (\d+) registers", log).group(0) if done.returncode == 0 else "not assembled"


def check_variant(name, statics, folder):
    chosen = [word for key, value in statics.items() for word in ("-D", f"{key}={value}")]
    expect(cakec(SCHEDULE, "--emit", "plan", *chosen), f"{name} has a plan")
    first = run(CAKEC, SCHEDULE, *chosen)
    if first.returncode == 3 and NO_GENERATOR in first.stderr:
        print(f"{name}: no code generator, so no PTX")
        return
    expect(first.returncode == 0, f"{name} compiles", first.stderr)
    if first.returncode:
        return
    expect(run(CAKEC, SCHEDULE, *chosen).stdout == first.stdout, f"{name} compiles to the same bytes twice")
    print(f"{name}: {assemble(first.stdout, folder) if shutil.which('ptxas') else 'no ptxas'}")


check_text()
with tempfile.TemporaryDirectory() as folder:
    for variant, values in workload.variants(SCHEDULE).items():
        check_variant(variant, values, pathlib.Path(folder))
print(f"{len(failures)} wrong" if failures else "all right")
sys.exit(1 if failures else 0)
