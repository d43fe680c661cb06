"""Tests of what the tools print: each file's RUN lines are executed, FileCheck compares the lines that matter.

Substitutions: %cakec, %cakerun, %examples (the folder examples/), FileCheck, %fake_cuda (a folder for LD_LIBRARY_PATH
with a CUDA driver that only writes down what it is asked for).
Features for REQUIRES: cakec, cakerun (the tool is built), llvm (cakec lowers to PTX), ptxas.
"""
import os
import shutil
import sys

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build = lit_config.params.get("build", os.path.join(root, "build"))
tools = {name: os.path.join(build, "bin", name) for name in ("cakec", "cakerun")}

config.name = "cake"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cake", ".work", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(build, "tests", "lit")
# A cache of its own: tests neither profit from nor disturb what the user has proved.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")

for name, path in tools.items():
    config.substitutions.append((rf"%{name}\b", path))
    if os.path.exists(path):
        config.available_features.add(name)
config.substitutions.append((r"%examples\b", os.path.join(root, "examples")))
config.substitutions.append((r"%python\b", sys.executable))
config.substitutions.append((r"%fake_cuda\b", os.path.join(build, "tests", "fake_cuda")))
config.substitutions.append((r"\bFileCheck\b(?!-)", lit_config.params.get("filecheck", "FileCheck-22")))

if lit_config.params.get("llvm", "1") == "1":
    config.available_features.add("llvm")
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
