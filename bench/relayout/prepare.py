#!/usr/bin/env python3
"""Writes all that run.sh needs on a machine with a GPU into one folder, where tcpc is built: the planned kernels of all cases, their plans,
a table of the cases, the program and the headers of the runtime.

usage: prepare.py TCPC DIR [LIST..]       default: cases.txt, tests/relayout/permutations.txt and hptt57.txt

A line of a list: name, bytes an element, permutation, extents. Mode k of the destination is mode PERM[k] of the source; both are row-major.
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TYPES = {1: "u8", 2: "f16", 4: "f32", 8: "f64", 16: "b128"}
NAMES = "abcdefghijkl"


def row_major(extents, order):
    strides, n = [0] * len(extents), 1
    for m in reversed(order):
        strides[m], n = n, n * extents[m]
    return strides


def main():
    tcpc, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    lists = sys.argv[3:] or [HERE / "cases.txt", ROOT / "tests/relayout/permutations.txt", HERE / "hptt57.txt"]
    shutil.rmtree(out, ignore_errors=True)
    (out / "include").mkdir(parents=True)
    for header in [*(ROOT / "runtime").glob("tcp_*.h"), *(ROOT / "runtime").glob("tcp_*.cuh")]:
        shutil.copy(header, out / "include")
    for name in ["main.cu", "run.sh"]:
        shutil.copy(HERE / name, out)
    rows, launchers = [], []
    for line in (line for path in lists for line in open(path) if line.strip()):
        name, size, perm, extents = line.split()
        size, perm, extents = int(size), [int(x) for x in perm.split(",")], [int(x) for x in extents.split(",")]
        words = [" ".join(f"{n}={e}" for n, e in zip(NAMES, extents)), " ".join(NAMES[m] for m in perm)]
        command = [tcpc, "relayout", "-arch=sm_90", TYPES[size], *words, f"--name={name}"]
        subprocess.run([*command, "-o", out / f"{name}.cu"], check=True)
        subprocess.run([*command, "--emit=plan-text", "-o", out / f"{name}.tcp"], check=True)
        launchers.append(f'extern "C" int {name}_launch(const void *, void *, void *);')
        both = (row_major(extents, range(len(extents))), row_major(extents, perm))
        numbers = ", ".join("{" + ", ".join(map(str, x)) + "}" for x in (extents, *both))
        rows.append(f'    {{"{name}", {size}, {len(extents)}, {numbers}, {name}_launch}},')
    table = "\n".join([*launchers, "", "static const relayout_case cases[] = {", *rows, "};", ""])
    (out / "cases.h").write_text(table)
    print(f"{out}: {len(rows)} cases; there: bash run.sh", file=sys.stderr)


main()
