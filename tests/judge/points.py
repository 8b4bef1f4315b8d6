#!/usr/bin/env python3
"""Judges random results of the calculator by points: points.py TCPC [--count N] [--seed S].

Draws expressions of each operation in laws.py and laws_more.py, asks `tcpc eval -` for their values, and compares each value with
what docs/algebra.md says of the operation: at each coordinate, and in form.  It shares no code with the compiler.  Fails if a result
is wrong, or a refusal is where the laws know a right result.  Refusals are counted; --refused prints those of an operation.
"""
import argparse
import collections
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tools")]

import laws_more  # noqa: E402, F401
from laws import OPS, Wrong  # noqa: E402
from layouts import read  # noqa: E402
from seeds import new_seed  # noqa: E402

BATCH = 5000


def main():
    a = argparse.ArgumentParser()
    a.add_argument("tcpc")
    a.add_argument("--count", type=int, default=20000)
    a.add_argument("--seed", type=int, default=None)
    a.add_argument("--only", default="", help="an operation")
    a.add_argument("--refused", action="store_true", help="print a few refusals of each operation")
    a.add_argument("--most", type=int, default=6, help="findings to print of each operation")
    o = a.parse_args()
    seed = new_seed() if o.seed is None else o.seed
    r, counts, shown = random.Random(seed), collections.Counter(), collections.Counter()
    names = sorted(n for n in OPS if n.startswith(o.only))

    def say(kind, name, line, why):
        counts[kind] += 1
        shown[kind, name] += 1
        if shown[kind, name] <= o.most:
            print(f"{kind}: {line}\n  {why}")

    for begin in range(0, o.count, BATCH):
        asked = [(name, *OPS[name](r)) for name in (names[i % len(names)] for i in range(begin, min(begin + BATCH, o.count)))]
        told = subprocess.run([o.tcpc, "eval", "-"], input="".join(x[1] + "\n" for x in asked), capture_output=True, text=True, timeout=600)
        lines = told.stdout.splitlines()
        if len(lines) != len(asked):
            sys.exit(f"{len(asked)} questions, {len(lines)} answers, status {told.returncode}\n{told.stderr[:400]}")
        for (name, line, judge, exists), value in zip(asked, lines):
            if value.startswith("error: "):
                known = exists() if exists else None
                counts["refused" if known is None else "refused, and there is no right result"] += known is not True
                if known:
                    say("refused though right", name, line, value)
                elif o.refused:
                    shown[name] += 1
                    print(f"{line}\n  {value}" if shown[name] <= o.most else "", end="\n" if shown[name] <= o.most else "")
                continue
            try:
                judge(value if name == "symbols" else read(value))
                counts["right"] += 1
            except Wrong as why:
                say("WRONG", name, line, f"{value}: {why}")
    print(f"seed {seed}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 1 if counts["WRONG"] or counts["refused though right"] else 0


if __name__ == "__main__":
    sys.exit(main())
