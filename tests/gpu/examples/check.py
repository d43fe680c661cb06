#!/usr/bin/env python3
"""Runs every example on every shape of its workload on a GPU, as PTX and as a cubin where the bundle has one for that GPU, and
compares with the references: one line each.

    scripts/gpu_bundle.sh                                   # where the compiler is: fills build/gpu
    python3 tests/gpu/examples/check.py build/gpu           # where the GPU is; needs neither compiler nor LLVM

--only NAME ... takes some examples. compute-sanitizer, where it is installed, then watches the small shapes;
--sanitize memcheck racecheck ... chooses its tools. --record FILE notes in FILE, beside what it holds, the day, the GPU and
whether all went well of each example that ran: docs/constructs.md is made of tests/gpu/results.json. Ends with status 1 if
anything is wrong.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import workload  # noqa: E402

AT_ONCE = 4                 # runs that share the GPU
SANITIZED_ELEMENTS = 500000  # product of the dimensions of shapes that are run under compute-sanitizer


def command(bundle, example, code, shape, *more):
    return [str(bundle / "cakerun"), "run", str(code), "--workload", str(bundle / "examples" / f"{example}.work"),
            "--shape", shape, "--format", "json", *more]


def run(words, timeout):
    """Exit status, standard output and standard error."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {timeout} s"
    except OSError as problem:
        return 3, "", str(problem)


def outcome(one):
    """One output in words. JSON numbers that are not finite come as text."""
    words = f"{one['name']} max_rel {float(one['max_rel']):.2e} rel_norm {float(one['rel_norm']):.2e}, " \
            f"mismatches {one['mismatches']}, compared {one['checked']} of {one['count']}"
    return words + (f", first wrong: {one['first']}" if one["first"] else "")


def judged(words):
    """Whether a run went well, and its line."""
    begin = time.monotonic()
    status, out, err = run(words, 120)
    seconds = time.monotonic() - begin
    try:
        result = json.loads(out)
    except ValueError:
        return False, f"status {status}: {(err or out).strip()[-500:]}"
    outputs = result.get("outputs", [])
    properties = result.get("properties", [])
    judgements = outputs + properties
    good = status == 0 and result["ok"] and judgements and \
        all(one["checked"] and not one["mismatches"] for one in judgements)
    line = "; ".join([outcome(one) for one in outputs] +
                     [f"{one['name']} fails at {one['mismatches']} of {one['checked']}" for one in properties])
    if result.get("error"):
        line += f" {result['error']['message']}"
    return bool(good), f"{line} ({seconds:.1f} s)"


def of_gpu(property):
    """What nvidia-smi says of the first GPU, or ''."""
    status, output, _ = run(["nvidia-smi", f"--query-gpu={property}", "--format=csv,noheader"], 60)
    return output.split("\n")[0].strip() if status == 0 else ""


def architecture():
    """Of the first GPU: 'sm_90'. PTX for older ones runs on it, a cubin only if it was made for it."""
    capability = of_gpu("compute_cap")
    return "sm_" + capability.replace(".", "") if capability else ""


def fits(cubin, gpu):
    target = json.loads(cubin.with_name(cubin.name + ".json").read_text())["target"]
    return target.rstrip("a") == gpu


def jobs(bundle, only):
    """(label, example, code or None, shape, dimensions) for all examples of the bundle."""
    gpu = architecture()
    for work in sorted((bundle / "examples").glob("*.work")):
        example = work.stem
        if only and example not in only:
            continue
        names = workload.statics(work.with_suffix(".cake"))
        for shape, dimensions in workload.shapes(work).items():
            stem = bundle / "examples" / workload.variant(example, {name: dimensions[name] for name in names})
            for form in (".ptx", ".cubin"):  # cubins where there are any
                code = stem.with_name(stem.name + form)
                if form == ".ptx" or (code.exists() and fits(code, gpu)):
                    yield f"{example} {shape} {form[1:]}", example, code, shape, dimensions


def run_all(bundle, work):
    """The examples that went wrong, one entry for each run."""
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = [pool.submit(judged, command(bundle, example, code, shape)) for _, example, code, shape, _ in work]
        for (label, example, *_), result in zip(work, results):
            good, line = result.result()
            wrong += [] if good else [example]
            print(f"{'ok   ' if good else 'WRONG'} {label}: {line}", flush=True)
    return wrong


def elements(dimensions):
    product = 1
    for value in dimensions.values():
        product *= value
    return product


def sanitize(bundle, work, tool):
    """The first two shapes of each example that are small enough; what went wrong as run_all gives it."""
    wrong, seen = [], {}
    for label, example, code, shape, dimensions in work:
        if code.suffix != ".ptx" or seen.get(example, 0) == 2 or elements(dimensions) > SANITIZED_ELEMENTS:
            continue
        seen[example] = seen.get(example, 0) + 1
        status, out, err = run(["compute-sanitizer", "--tool", tool, "--target-processes", "all", "--error-exitcode", "9",
                                *command(bundle, example, code, shape, "--timeout", "100")], 120)
        wrong += [example] if status else []
        print(f"{'ok   ' if status == 0 else 'WRONG'} {tool} {label}", flush=True)
        if status:
            lines = [line for line in (out + err).splitlines() if line.startswith("=========")]
            print("    " + "\n    ".join(lines[:20] or [f"status {status}", (err or out)[-500:]]), flush=True)
    return wrong


def record(path, bundle, work, wrong):
    """Rows of the JSON file: {example: date, gpu, ok, right, source}. The latter two are of the last run that went well, whatever
    happened since: its day, and the hash of the schedule and workload that it ran."""
    rows = json.loads(path.read_text()) if path.exists() else {}
    today, gpu = time.strftime("%Y-%m-%d", time.gmtime()), of_gpu("name")
    for example in {example for _, example, *_ in work}:
        schedule = bundle / "examples" / f"{example}.cake"
        text = schedule.read_bytes() + schedule.with_suffix(".work").read_bytes()
        row = rows.setdefault(example, {"right": None, "source": None})
        row.update(date=today, gpu=gpu, ok=example not in wrong)
        if row["ok"]:
            row.update(right=today, source=hashlib.sha256(text).hexdigest())
    path.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--sanitize", nargs="*", default=["memcheck"])
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    work = list(jobs(arguments.bundle, arguments.only))
    if not work:
        sys.exit(f"no examples in {arguments.bundle}/examples")
    wrong = run_all(arguments.bundle, work)
    if shutil.which("compute-sanitizer"):
        for tool in arguments.sanitize:
            wrong += sanitize(arguments.bundle, work, tool)
    elif arguments.sanitize:
        print("compute-sanitizer is not installed: left out")
    if arguments.record:
        record(arguments.record, arguments.bundle, work, wrong)
    print(f"{len(wrong)} wrong" if wrong else f"all right: {len(work)} runs")
    return bool(wrong)


sys.exit(main())
