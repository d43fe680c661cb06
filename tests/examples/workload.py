"""What tests and scripts need to know of an example without cakec: its shapes, and the statics it is compiled for.

    python3 tests/examples/workload.py examples/rmsnorm    # lines 'rmsnorm__N1000 -D N=1000', one for each compilation

A schedule may be given instead of an example's folder; its workload stands beside it.
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


def variants(path):
    """{variant: {static: value}} for all shapes of an example; one without a workload has no statics."""
    path = pathlib.Path(path)
    schedule = path / f"{path.name}.cake" if path.is_dir() else path
    names, work = statics(schedule), schedule.with_suffix(".work")
    found = {}
    for dimensions in shapes(work).values() if work.exists() else [{}]:
        values = {name: dimensions[name] for name in names}
        found[variant(schedule.stem, values)] = values
    return found


if __name__ == "__main__":
    for name, values in variants(sys.argv[1]).items():
        print(name, *(f"-D {key}={value}" for key, value in values.items()))
