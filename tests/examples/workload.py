"""What tests and scripts need to know of an example without cakec: its shapes, and the statics it is compiled for.

    python3 tests/examples/workload.py examples/rmsnorm    # lines 'rmsnorm__N1000 -D N=1000', one for each compilation
"""
import pathlib
import re
import sys


def shapes(work):
    """The named shapes of a .work file, in its order: {name: {dimension: value}}."""
    found = {}
    for name, entries in re.findall(r"^shape (\w+)\((.*?)\)", pathlib.Path(work).read_text(), re.M):
        found[name] = {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", entries)}
    return found


def statics(schedule):
    return re.findall(r"\bstatic (\w+)", pathlib.Path(schedule).read_text())


def variant(name, values):
    """The name of the code for these statics: NAME, or NAME__N4096."""
    return name + "".join(f"__{key}{value}" for key, value in values.items())


def variants(folder):
    """{variant: {static: value}} for all shapes of an example; one without a workload has no statics."""
    folder = pathlib.Path(folder)
    names, work = statics(folder / f"{folder.name}.cake"), folder / f"{folder.name}.work"
    found = {}
    for dimensions in shapes(work).values() if work.exists() else [{}]:
        values = {name: dimensions[name] for name in names}
        found[variant(folder.name, values)] = values
    return found


if __name__ == "__main__":
    for name, values in variants(sys.argv[1]).items():
        print(name, *(f"-D {key}={value}" for key, value in values.items()))
