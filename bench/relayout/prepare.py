#!/usr/bin/env python3
"""Plans the cases where tcpc is built: the emitted kernels, their plans (all of them in relayout_plans.txt too), and cases.json, into one folder.

usage: prepare.py TCPC DIR [LIST..]       default: cases.txt, tests/relayout/permutations.txt and hptt57.txt

A line of a list: name, bytes an element, permutation, extents; then what is not so: src=STRIDES and dst=STRIDES of the modes of the source, in
elements, and skip=N where the memory of the source begins N elements after an aligned address; and goal=SHARE of memcpy. Strides of the source may
be negative: its memory then begins with the last elements of these modes. Mode k of the destination is mode PERM[k]
of the source; both are row-major. cases.json has what a plan is predicted to reach of memcpy, if it is.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TYPES = {1: "u8", 2: "f16", 4: "f32", 8: "f64", 16: "b128"}
NAMES = "abcdefghijkl"


def numbers(text):
    return [int(x) for x in text.split(",")]


def row_major(extents, order):
    strides, n = [0] * len(extents), 1
    for m in reversed(order):
        strides[m], n = n, n * extents[m]
    return strides


def layout(extents, strides):
    """As `tcpc relayout` takes it: the first mode is the fastest."""
    return "({}):({})".format(*(",".join(str(x) for x in reversed(values)) for values in (extents, strides)))


def case_of(line):
    name, size, perm, extents, *others = line.split()
    size, perm, extents = int(size), numbers(perm), numbers(extents)
    others = dict(x.split("=") for x in others)
    src, dst = row_major(extents, range(len(extents))), row_major(extents, perm)
    words = [" ".join(f"{n}={e}" for n, e in zip(NAMES, extents)), " ".join(NAMES[m] for m in perm)]
    if "src" in others or "dst" in others:
        src, dst = numbers(others.get("src", ",".join(map(str, src)))), numbers(others.get("dst", ",".join(map(str, dst))))
        words = [layout(extents, src), layout(extents, dst)]
    shift = int(others.get("skip", 0))
    skip = shift + sum((1 - e) * s for e, s in zip(extents, src) if s < 0)
    row = {"name": name, "size": size, "extent": extents, "src": src, "dst": dst, "skip": skip, "align": math.gcd(16, shift * size)}
    if skip != shift:
        row["shift"] = shift
    if "goal" in others:
        row["goal"] = float(others["goal"])
    return row, [TYPES[size], *words, f"--name={name}", f"--align={row['align']},16"]


def plan(tcpc, out, row, words):
    """Files that are as they were keep their time, so that only what changed is built again."""
    for ending, kind in ((".cu", "cuda"), (".tcp", "plan-text")):
        path = out / (row["name"] + ending)
        command = [tcpc, "relayout", "-arch=sm_90", *words, f"--emit={kind}", "-o", "-"]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    predicted = re.search(r"^// Predicted .*: (\d+)% of memcpy", text, re.M)
    return {**row, "predicted": int(predicted[1]) / 100} if predicted else row


def main():
    tcpc, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    lists = sys.argv[3:] or [HERE / "cases.txt", ROOT / "tests/relayout/permutations.txt", HERE / "hptt57.txt"]
    plans = out / "plans"
    plans.mkdir(parents=True, exist_ok=True)
    cases = [case_of(line) for path in lists for line in open(path) if line.strip()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda case: plan(tcpc, plans, *case), cases))
    names = {row["name"] for row in rows}
    for path in plans.iterdir():
        if path.stem not in names:
            path.unlink()
    (out / "relayout_plans.txt").write_text("\n".join(f"// {name}\n" + (plans / f"{name}.tcp").read_text() for name in (row["name"] for row in rows)))
    (out / "cases.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
