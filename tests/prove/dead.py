#!/usr/bin/env python3
"""Random kernels of copies, fills, calls and loops over whole buffers: -Wdead-copy against executing them.

usage: dead.py TCPC [--count N] [--seed S] [--least N]

The judge executes the statements of a kernel and keeps for each write which writes it was made of: a function makes its results of all
that it reads.  A write counts if it is part of an output at the end.  A statement that is reported, but for its last step, must never
count, for any number of steps from 1 on; one reported for its last step must not count there.  And if some call never counts, there must be a warning.
"""

import argparse
import copy
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HEAD = """tcp 1;
param M, K : index in 1 .. 1000;
tensor A : f32 global row(M,K) align 16;
tiled_copy w = tile(universal(32), thr=(4,32):(32,1));
"""
VIEW = {"f": "f32 frag (8,1):(1,8)", "s": "f32 shared row(32,32)"}
DIRS = ("in", "out", "inout")
TILE = "local_tile({}, (32,32), (block.x,{}))"


ADD = ["inout", "in"]
RIGHT = (  # each is spoilt in one place or two, or not
    [("fill", "f0"), ("for", [("load", "s1"), ("call", ["f0", "s1"], ADD)]), ("store", "f0")],
    [("fill", "f0"), ("for", [("load", "f1"), ("call", ["f0", "f1"], ADD)]), ("for", [("load", "f1"), ("call", ["f1", "f0"], ADD), ("store", "f1")])],
    [("fill", "f0"), ("load", "f2"), ("for", [("copy", "f2", "s1"), ("load", "f2"), ("call", ["f0", "s1"], ADD)]), ("copy", "f2", "s1"), ("call", ["f0", "s1"], ADD), ("store", "f0")],
    [("fill", "f3"), ("for", [("load", "s0"), ("fill", "f1"), ("call", ["f1", "s0"], ADD), ("call", ["f2", "s0", "f1"], ["out", "in", "in"]), ("store", "f2"), ("call", ["f3", "f2"], ADD)]), ("store", "f3")],
    [("fill", "f0"), ("for", [("for", [("load", "s1"), ("call", ["f0", "s1"], ADD)]), ("store", "f0"), ("fill", "f0")])],
    [("fill", "s0"), ("for", [("load", "s1"), ("call", ["s1", "s0"], ["inout", "inout"]), ("store", "s1")])],
)


def lists(block):
    yield block
    for st in block:
        if st[0] == "for":
            yield from lists(st[1])


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions = {}
        if self.rng.random() < 0.8:
            self.body = copy.deepcopy(self.rng.choice(RIGHT))
            self.buffers = sorted(set(re.findall(r"\b[fs]\d\b", str(self.body))))
            for _ in range(self.rng.choice((0, 1, 1, 1, 2))):
                self.spoil()
            return
        kinds = [self.rng.choice("fs") for _ in range(self.rng.choice((2, 3, 3)))]
        self.buffers = [f"{k}{i}" for i, k in enumerate(kinds)]
        self.body = [("fill", b) for b in self.buffers] + self.block(0) + [("store", self.rng.choice(self.buffers))]

    def spoil(self):
        """Moves, repeats or leaves out a statement, or adds one."""
        source = self.rng.choice([x for x in lists(self.body) if x])
        at = self.rng.randrange(len(source))
        roll = self.rng.random()
        new = self.block(2)[0] if roll < 0.3 else copy.deepcopy(source[at]) if roll < 0.5 else source.pop(at)
        to = self.rng.choice(list(lists(self.body)))
        if roll < 0.9:
            to.insert(self.rng.randint(0, len(to)), new)

    def block(self, depth):
        out = []
        for _ in range(self.rng.randint(1, 4)):
            roll, b = self.rng.random(), self.rng.choice(self.buffers)
            if roll < 0.3 and depth < 2:
                out.append(("for", self.block(depth + 1)))
            elif roll < 0.4:
                out.append(("fill", b))
            elif roll < 0.55:
                out.append(("load", b))
            elif roll < 0.7:
                out.append(("store", b))
            elif roll < 0.8:
                out.append(("copy", b, self.rng.choice([x for x in self.buffers if x != b])))
            else:
                args = self.rng.sample(self.buffers, self.rng.choice((1, 2, 2)))
                dirs = [self.rng.choice(DIRS) for _ in args]
                dirs[0] = "inout" if dirs[0] == "in" else dirs[0]
                out.append(("call", args, dirs))
        return out

    def lines(self, block, depth, at):
        pad = "  " * (depth + 1)
        for n, st in enumerate(block):
            key = at + (n,)
            if st[0] == "for":
                yield f"{pad}for i{depth + 1} in 0 .. ceil_div(K,32) {{", key
                yield from self.lines(st[1], depth + 1, key)
                yield f"{pad}}}", None
            elif st[0] == "fill":
                yield f"{pad}fill {st[1]} = 0;", key
            elif st[0] in ("load", "store"):
                tile = TILE.format("A" if st[0] == "load" else "B", f"i{depth}" if depth else "0")
                yield (f"{pad}copy {tile} -> {st[1]} with w pad 0;" if st[0] == "load" else f"{pad}copy {st[1]} -> {tile} with w;"), key
            elif st[0] == "copy":
                yield f"{pad}copy {st[1]} -> {st[2]} with w;", key
            else:
                name = "f_" + "_".join(f"{d}{b[0]}" for b, d in zip(st[1], st[2]))
                formals = ", ".join(f"{d + ' ' if d != 'in' else ''}x{i} : {VIEW[b[0]]}" for i, (b, d) in enumerate(zip(st[1], st[2])))
                self.functions[name] = f'extern device {name}({formals}) from "w.cuh";'
                yield f"{pad}call {name}({', '.join(st[1])});", key

    def text(self):
        body = list(self.lines(self.body, 0, ()))
        head = HEAD.splitlines() + list(self.functions.values()) + ["kernel k(A, inout B : f32 global row(M,K) align 16) grid (ceil_div(M,32)) {"]
        head += [f"  {'frag' if b[0] == 'f' else 'shared'} {b} : f32 {'(8,1)' if b[0] == 'f' else 'row(32,32)'};" for b in self.buffers]
        keys = {len(head) + i + 1: key for i, (_, key) in enumerate(body) if key}
        return "\n".join(head + [line for line, _ in body] + ["}", ""]), keys


def execute(body, steps, apart=False):
    """The writes that count, (statement, whether it was the last step of its loop), and all writes.

    With "apart", a function makes what it changes of that and of what it only reads.
    """
    value, output, every = {}, set(), set()

    def run(block, at, last):
        for n, st in enumerate(block):
            key = at + (n,)
            if st[0] == "for":
                for i in range(steps):
                    run(st[1], key, i == steps - 1)
                continue
            if st[0] == "store":
                output.update(value.get(st[1], ()))
                continue
            to = [st[2 if st[0] == "copy" else 1]] if st[0] != "call" else [b for b, d in zip(st[1], st[2]) if d != "in"]
            mine = {(key, last, b) for b in to}
            every.update(mine)
            if st[0] in ("fill", "load"):
                value[st[1]] = mine
            elif st[0] == "copy":
                value[st[2]] = mine | value.get(st[1], set())
            else:
                made = set().union(*(value.get(b, ()) for b, d in zip(st[1], st[2]) if d == "in" or (d == "inout" and not apart)))
                kept = {b: value.get(b, set()) if d == "inout" else set() for b, d in zip(st[1], st[2])}
                value.update({b: made | kept[b] | {(key, last, b)} for b in to})

    run(body, (), False)
    return output, every


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("tcpc")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--least", type=int, default=1)
    args = p.parse_args()
    warned = missed = compiled = silent = 0
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "plan.tcp"
        for n in range(args.count):
            maker = Maker(f"{args.seed}/{n}")
            text, keys = maker.text()
            plan.write_text(text)
            ran = subprocess.run([args.tcpc, "-o", "-", str(plan)], capture_output=True, text=True, timeout=60, check=False)
            if ran.returncode:
                if "[--explain=unwritten]" in ran.stderr or "in loop order" in ran.stderr:
                    continue
                if "error" not in ran.stderr:
                    sys.exit(f"{text}\n{ran.stderr}")
                continue
            compiled += 1
            counts, every, apart = set(), set(), set()
            for steps in (1, 2, 3, 4):
                some, all_of = execute(maker.body, steps)
                counts |= some
                every |= all_of
                apart |= execute(maker.body, steps, True)[0]
            lines = re.findall(r"plan\.tcp:(\d+):\d+: warning: (.*) \[-Wdead-copy\]", ran.stderr)
            for line, message in lines:
                key = keys[int(line)]
                if any(x in message for x in ("only the last step", "each step of", "once more", "an earlier loop")):
                    continue
                one = re.search(r"writes (?:all of )?to '(\w+)'|writes all of '(\w+)'", message)
                b = one and (one[1] or one[2])
                end = "in the last step" in message
                if any(c[0] == key and (c[1] or not end) and b in (None, c[2]) for c in (apart if "itself reads" in message else counts)):
                    sys.exit(f"{text}\nline {line} counts, and tcpc says: {message}")
                warned += 1
            dead = {k for k, _, _ in every} - {k for k, _, _ in counts}
            silent += "warning:" not in ran.stderr
            if dead and "warning:" not in ran.stderr:
                missed += 1
                print(f"{text}\nno warning, and these never count: {sorted(n for n, k in keys.items() if k in dead)}")
    print(f"{compiled} of {args.count} kernels compiled; {warned} warnings are right, {missed} missed, {silent} kernels without")
    sys.exit(missed > 0 or warned < args.least)


if __name__ == "__main__":
    main()
