#!/usr/bin/env python3
"""House rules that a compiler does not check: the dependency law, file sizes, phrases that do not belong here.

Usage: lint.py ROOT. Prints 'file:line: what' per finding; exit status 1 if there is any.
"""
import os
import re
import sys

# Module folder -> module folders whose headers it may include (docs/contributing.md).
CORE = {"support", "ir"}
MAY_USE = {
    "support": set(),
    "ir": {"support"},
    "frontend": CORE,
    "plan": CORE,
    "manifest": {"support"},
    "verifier": CORE | {"plan", "manifest"},
    "costmodel": CORE | {"plan"},
    "codegen": CORE | {"plan", "manifest"},
    "simulator": CORE | {"plan"},
    "oracle": CORE | {"frontend"},
    "runtime": {"support", "manifest"},
    "compiler": CORE | {"frontend", "plan", "manifest", "verifier", "costmodel", "codegen", "simulator"},
}
# Single headers that are facts for everybody above support/.
FOR_ALL = {"ir/type.h", "ir/dtypes.def"}
MODULES = set(MAY_USE) | {"tuner", "evidence", "dispatch", "driver", "tests"}  # those not above may use all

# Foreign headers that one folder alone may include, beside tests.
FOREIGN = [(re.compile(r"llvm"), "codegen"), (re.compile(r"cuda|nvrtc|nvml"), "runtime"), (re.compile(r"z3"), "verifier")]

MAX_LINES = 800
SOURCE = (".c", ".h", ".def", ".py", ".sh")
SKIPPED_FOLDERS = {".git", "build", "out", "__pycache__"}

# Brackets keep this file from finding itself.
PHRASES = [
    (re.compile(r"(?<![\w.-])/wor[k]/"), "a path of one machine"),
    (re.compile(r"\.\./shar[e]d"), "a path outside the project"),
    (re.compile(r"debian\.or[g]|ubuntu\.co[m]|npmjs\.or[g]"), "a package host: say which suite or package is meant"),
]
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and name != ".peers")
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def include_problem(path, quote, included):
    module, target = path.split(os.sep)[0], included.split("/")[0]
    if quote == "<":
        for pattern, owner in FOREIGN:
            if pattern.match(included) and module not in (owner, "tests"):
                return f"<{included}> belongs to {owner}/ alone"
        return None
    if "/" not in included or target not in MODULES:
        return f'"{included}": includes are written from the root of the repository'
    allowed = MAY_USE.get(module, MODULES) | {module}
    if target not in allowed and not (included in FOR_ALL and module != "support"):
        return f'{module}/ must not use {target}/ ("{included}")'
    return None


def check(root, path):
    """Yields (line number, finding)."""
    with open(os.path.join(root, path), "rb") as file:
        content = file.read()
    if b"\0" in content:
        return
    lines = content.decode("utf-8", "replace").split("\n")
    if path.endswith(SOURCE) and len(lines) > MAX_LINES + 1:
        yield MAX_LINES, f"{len(lines) - 1} lines: files stay under {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line) if path.endswith((".c", ".h", ".def")) else None
        problem = include and include_problem(path, *include.groups())
        if problem:
            yield number, problem
        for pattern, what in PHRASES:
            if pattern.search(line):
                yield number, f"{what}: {line.strip()[:80]}"


def main():
    root = os.path.abspath(sys.argv[1])
    findings = 0
    for path in files(root):
        if path.startswith(os.path.join("tests", "fuzz", "corpus")) or os.path.islink(os.path.join(root, path)):
            continue
        for number, finding in check(root, path):
            print(f"{path}:{number}: {finding}")
            findings += 1
    print(f"{findings} findings" if findings else "nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
