#!/usr/bin/env python3
"""Divisors of params that follow from relations, against brute force.

usage: multiples.py TCPC [--count N] [--seed S]

Each plan declares params with relations.  `--emit=plan` prints the divisor that tcpc takes from them for each.  It must divide every value
of the param in every assignment that keeps all promises.  Where a param is defined as a sum of products of others, it must be what the
divisors of these terms have in common.
"""

import argparse
import itertools
import math
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import seeds

NAMES = "abcde"


def draw(r):
    """(params as (name, mul, lo, hi), relations as text, for each param the divisor that it must have or None)"""
    n = r.randint(2, 4)
    params, relations, must = [], {}, {}
    known = {}
    for i, name in enumerate(NAMES[:n]):
        mul = r.choice([1, 1, 1, 2, 3, 4])
        lo = r.choice([0, 1, 1, 8])
        hi = max(lo + mul, r.choice([9, 12, 24] if n > 3 else [16, 32, 48]))
        earlier = NAMES[:i]
        kind = r.choice(["none", "sum", "sum", "sum", "turned", "remainder", "remainder", "rounded", "scaled", "other"])
        if not earlier and kind not in ("none", "remainder"):
            kind = "none"
        known[name] = mul
        q = r.choice(earlier) if earlier else None
        if kind in ("sum", "turned"):
            terms, common = [], 0
            for _ in range(r.choice([1, 1, 2])):
                factors = [r.choice(earlier) for _ in range(r.choice([1, 1, 1, 2]))]
                by = r.choice([1, 2, 4, 6, 8])
                terms.append("*".join([str(by), *factors]))
                common = math.gcd(common, by * math.prod(known[f] for f in factors))
            if r.random() < 0.5:
                terms.append(str(by := r.choice([2, 4, 8, 16])))
                common = math.gcd(common, by)
            text = " + ".join(terms)
            relations[name] = f"{name} == {text}" if kind == "sum" else f"{text} == {name}"
            known[name] = math.lcm(mul, common)
            must[name] = known[name]
        elif kind == "remainder":
            by = r.choice([2, 3, 4, 8])
            rest = r.choice([0, 0, 0, 1, by // 2])
            relations[name] = f"{name} % {by} == {rest}" if r.random() < 0.6 else f"({name} + {by - rest}) % {by} == 0"
            if rest == 0:
                known[name] = must[name] = math.lcm(mul, by)
        elif kind == "rounded":
            by = r.choice([2, 4])
            relations[name] = f"{r.choice([q, name])} == {by}*ceil_div({name}, {r.choice([by, 3])})"
        elif kind == "scaled":
            relations[name] = f"{r.choice([2, 3])}*{name} == {r.choice([4, 6, 12])}*{q}"
        elif kind == "other":
            relations[name] = f"{name} {r.choice(['>=', '<=', '!='])} {r.choice([1, 2])}*{q}"
        params.append((name, mul, lo, hi))
    return params, relations, must


def holds(relation, values):
    return eval(relation, {"ceil_div": lambda a, b: -(-a // b)}, values)


def assignments(params, relations):
    """All that keep the promises."""
    ranges = [[v for v in range(lo, hi + 1) if v % mul == 0] for _, mul, lo, hi in params]
    names = [p[0] for p in params]
    for values in itertools.product(*ranges):
        found = dict(zip(names, values))
        if all(holds(r, found) for r in relations.values()):
            yield found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("tcpc")
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--seed", type=int, default=None)
    o = p.parse_args()
    seed = seeds.new_seed() if o.seed is None else o.seed
    print(f"seed {seed}")
    bad = larger = tried = 0
    for n in range(o.count):
        params, relations, must = draw(random.Random(f"{seed} {n}"))
        lines = ["tcp 1;"]
        for name, mul, lo, hi in params:
            where = f" where {relations[name]}" if name in relations else ""
            lines.append(f"param {name} : index{f' % {mul}' if mul > 1 else ''} in {lo} .. {hi}{where};")
        lines += ["tensor A : f32 global row(4);", "tensor B : f32 global row(4);", "kernel k(A, out B) threads 4 {", "  copy A(tid) -> B(tid) with universal(32);", "}"]
        text = "\n".join(lines) + "\n"
        done = subprocess.run([o.tcpc, "-w", "--emit=plan", "-", "-o", "-"], input=text, capture_output=True, text=True, timeout=20)
        found = list(assignments(params, relations))
        faults = []
        if done.returncode == 1 and "multiple of" in done.stderr and "is in" in done.stderr:
            continue  # the range declares no value
        if done.returncode != 0:
            faults.append(done.stderr)
        for name, mul, lo, hi in params:
            m = re.search(rf"param {name}\b[^\n]*?% (\d+)", done.stdout)
            said = int(m[1]) if m else 1
            wrong = [f for f in found if f[name] % said]
            if wrong or said % mul:
                faults.append(f"'{name}' is said to be a multiple of {said}, but {wrong[:1]}")
            # a range without such a multiple keeps what was declared
            if found and name in must and said % must[name]:
                faults.append(f"'{name}' is a multiple of {must[name]}, but {said} is said")
            tried += bool(found)
            larger += said > mul
        if faults:
            bad += 1
            print(text, *faults, sep="\n")
    print(f"{tried} params tried, {larger} have divisors by relations, {bad} plans bad")
    sys.exit(bad > 0 or larger < o.count // 10)


if __name__ == "__main__":
    main()
