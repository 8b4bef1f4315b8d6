"""usage: wide.py TCPC [--count N] [--seed S] [--keep FOLDER]: what a kernel computes and may not fit 64 bits is refused.

Small plans with random indices of params, blocks and loops, with large constants, in guards, bounds of loops and below '%' and '/'.
This script evaluates them with integers of any size: where a value that counts is more than 64 bits have, for some block and
iteration, with what is left out below a quotient or a remainder by a number, either the plan is refused or its launcher's check "index" is, for these params.  Where all sums of greatest values are
far below, and the offsets of the rows that they name too, nothing is refused.  Of the compiler only the text of its checks is used.
"""

import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys

MOST = 2**63 - 1
ROWS = 1000003
WIDTH = 16
MODULI = [7, 11, 13, 1009, 65537, 1000003, 2147483647]
CHECK = re.compile(r'tcp_check_exact\( ?"k", "index", ([^;]*)\)\);')


class Const:
    def __init__(self, value):
        self.value = value

    def text(self):
        return str(self.value)

    def at(self, env):
        return self.value

    def most(self, ends):
        return self.value

    def parts(self):
        return []


class Var(Const):
    def __init__(self, name):
        self.name = name

    def text(self):
        return self.name

    def at(self, env):
        return env[self.name]

    def most(self, ends):
        return ends[self.name]


class Sum(Const):
    def __init__(self, terms):
        self.terms = terms

    def text(self):
        return " + ".join(t.text() for t in self.terms)

    def at(self, env):
        return sum(t.at(env) for t in self.terms)

    def most(self, ends):
        return sum(t.most(ends) for t in self.terms)

    def parts(self):
        return self.terms


class Product(Sum):
    def text(self):
        return "*".join(f"({t.text()})" if isinstance(t, (Sum, Rest)) else t.text() for t in self.terms)

    def at(self, env):
        r = 1
        for t in self.terms:
            r *= t.at(env)
        return r

    def most(self, ends):
        return self.at_most([t.most(ends) for t in self.terms])

    @staticmethod
    def at_most(values):
        r = 1
        for v in values:
            r *= v
        return r


class Rest(Const):
    """of % by, or of / by"""

    def __init__(self, of, op, by):
        self.of, self.op, self.by = of, op, by

    def text(self):
        return f"({self.of.text()}) {self.op} {self.by}"

    def at(self, env):
        v = self.of.at(env)
        return v % self.by if self.op == "%" else v // self.by

    def most(self, ends):
        # of a remainder what is known for all params is known for these
        return min(self.of.most(ends.get("all", ends)), self.by - 1) if self.op == "%" else self.of.most(ends) // self.by

    def parts(self):
        return [self.of]


def reduced(e, ends, by=0):
    """What is computed at least: below '%' and '/' by a number multiples of it may be left out, and quotients that are always 0."""
    if isinstance(e, Rest):
        return Const(0) if e.op == "/" and e.of.most(ends) < e.by else Rest(reduced(e.of, ends, e.by), e.op, e.by)
    if isinstance(e, Product):
        return Product([reduced(t, ends) for t in e.terms])
    if not isinstance(e, Sum):
        return e
    terms = {}
    for t in e.terms:
        factors = t.terms if isinstance(t, Product) else [t]
        others = sorted((f for f in factors if type(f) is not Const), key=lambda f: f.text())
        times = Product.at_most([f.value for f in factors if type(f) is Const])
        key = "*".join(f.text() for f in others)
        terms[key] = (terms.get(key, (0,))[0] + times, others)
    kept = []
    for times, others in terms.values():
        times = times % by if by else times
        others = [reduced(f, ends) for f in others]
        if times and all(type(f) is not Const for f in others):
            kept.append(Product([Const(times)] + others))
    return Sum(kept)


def operands(e):
    """What stands below '%' and '/' in e: values that count, whatever e is for."""
    found = [e.of] if isinstance(e, Rest) else []
    return found + [x for p in e.parts() for x in operands(p)]


class Case:
    """A plan with one index that counts, or whose operands do."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.params = {n: rnd.choice([1000, 2**20, 2**31, 2**40, 2**50, 2**62]) for n in "NM"}
        self.block = rnd.choice([2, 77, 65536, 2000000])
        self.trips = rnd.choice([2, 100, 2**31 - 1])
        self.place = rnd.choice(["guard", "bound", "rest"])
        names = ["N", "M", "block.x"] + (["i"] if self.place != "bound" else [])
        self.index = self.sum(names, 2)
        self.whole = Rest(self.index, "%", ROWS) if self.place == "rest" else self.index
        self.rows = rnd.choice([1, 4])

    def number(self):
        return self.rnd.randrange(1, 2 ** self.rnd.choice([3, 10, 31, 45, 60])) | 1

    def term(self, names, depth):
        rnd = self.rnd
        factors = [Const(self.number())] if rnd.random() < 0.6 else []
        if rnd.random() < 0.4:
            factors.append(Var(rnd.choice(names[:2])))
        if depth and rnd.random() < 0.4:
            factors.append(Rest(self.sum(names, depth - 1), rnd.choice("%%/"), rnd.choice(MODULI)))
        else:
            factors.append(Var(rnd.choice(names)))
        return Product(factors)

    def sum(self, names, depth):
        terms = [self.term(names, depth) for _ in range(self.rnd.randrange(1, 4))]
        return Sum(terms + ([Const(self.number())] if self.rnd.random() < 0.5 else []))

    def text(self):
        e = self.whole.text()
        rows = self.rows
        tile, at, trips = f"({rows},{WIDTH})", e, self.trips
        if self.place == "bound":
            at, trips = "i", e
        return "\n".join([
            "tcp 1;",
            *(f"param {n} : index in 1 .. {m};" for n, m in self.params.items()),
            f"tensor A : u8 global row({ROWS},{WIDTH});",
            f"tiled_copy line = tile(universal(8), thr=(1,{WIDTH}), val=({rows},1));",
            f"kernel k(A) grid ({self.block}) {{",
            "  frag r : u8 like line;",
            f"  for i in 0 .. {trips} {{ copy local_tile(A,{tile},({at},0)) -> r with line pad 0; }}",
            "}",
        ]) + "\n"

    def counts(self, index):
        """(value that counts, what it is multiplied by at least)"""
        if self.place == "rest":
            return [(x, 1) for x in operands(index)]
        return [(x, 1) for x in operands(index)] + [(index, self.rows if self.place == "guard" else 1)]

    def envs(self, params):
        """Blocks and iterations: the last ones, the first ones and some others."""
        rnd = self.rnd
        last = {"block.x": self.block - 1, "i": self.trips - 1}
        yield {**params, **last}
        for _ in range(40):
            yield {**params, **{n: rnd.choice([0, v, rnd.randrange(v + 1)]) for n, v in last.items()}}

    def too_wide(self, params):
        least = self.counts(reduced(self.whole, {**self.params, "block.x": self.block - 1, "i": self.trips - 1}))
        return any(e.at(env) * by > MOST for env in self.envs(params) for e, by in least)

    def far_below(self, params):
        last = {"block.x": self.block - 1, "i": self.trips - 1}
        ends = {**params, **last, "all": {**self.params, **last}}
        return all((e.most(ends) + 1) * self.rows * WIDTH * 2 < MOST for e, by in self.counts(self.whole))

    def values(self):
        yield dict(self.params)
        yield {n: 1 for n in self.params}
        for _ in range(12):
            yield {n: self.rnd.randrange(1, 2 ** self.rnd.randrange(1, m.bit_length())) for n, m in self.params.items()}


def cut(value):
    return (value + 2**63) % 2**64 - 2**63


def judge(tcpc, seed):
    """What is wrong or None, what came out, and the plan."""
    case = Case(random.Random(seed))
    plan = case.text()
    r = subprocess.run([tcpc, "-w", "-", "-o", "-"], input=plan, capture_output=True, text=True)
    values = list(case.values())
    if r.returncode:
        if "may not fit 64 bits" not in r.stderr:
            return (None if r.returncode == 1 else f"exit {r.returncode}"), "not judged", plan + r.stderr
        if case.far_below(case.params):
            return "refused though all is far below", "refused", plan + r.stderr
        return None, "refused", plan
    checks = [re.sub(r"\( ?int64_t\)", "cut", c.replace("tcp_exact", "").replace("/", "//")) for c in CHECK.findall(re.sub(r"\s+", " ", r.stdout))]
    outcome = "fits"
    for params in values:
        refused = any(eval(c, {"__builtins__": {}, "cut": cut}, dict(params)) > MOST for c in checks)
        if case.too_wide(params) and not refused:
            return f"a value of more than 64 bits with {params}, and checks {checks}", "wide", plan
        if case.far_below(params) and refused:
            return f"all is far below with {params}, and checks {checks}", "wide", plan
        outcome = "wide" if refused else outcome
    return None, outcome, plan


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    args = parser.parse_args()
    seeds = [args.seed * 1000003 + i for i in range(args.count)]
    tally, bad = {}, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for seed, (wrong, outcome, plan) in zip(seeds, pool.map(lambda s: judge(args.tcpc, s), seeds)):
            tally[outcome] = tally.get(outcome, 0) + 1
            if not wrong:
                continue
            bad += 1
            print(f"seed {seed}: {wrong}\n{plan}")
            if args.keep:
                os.makedirs(args.keep, exist_ok=True)
                with open(f"{args.keep}/wide-{seed}.tcp", "w") as f:
                    f.write(plan)
    print(f"{args.count} plans from seed {args.seed}: " + ", ".join(f"{n} {k}" for k, n in sorted(tally.items())) + f"; {bad} failures")
    # a run that judges nothing shows nothing
    few = [k for k in ("fits", "refused", "wide") if tally.get(k, 0) * 20 < args.count]
    if few:
        print(f"too few of: {', '.join(few)}")
    sys.exit(1 if bad or few else 0)


main()
