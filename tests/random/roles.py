"""usage: roles.py TCPC [--count N] [--each K] [--seed S] [--least L] [--memory] [--write FOLDER] [--plans FOLDER]: random pipelines with
roles do on the host what they mean, in every order of the roles, and compile whenever they are right. K kernels are a plan. A pipeline has
at least L steps. With --memory most loads are bulk copies and boxes, also beside others. With --write, the program of each plan is written
to a folder FOLDER/roles_SEED, or memory_SEED, for a GPU instead, with --plans the plan alone."""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

BITS = {"f16": 16, "f32": 32, "u8": 8}


def tiled(rng, name, threads, shape, bits, asynchronous):
    """A tiled copy of at most so many threads for tiles of this shape."""
    rows, columns = shape
    widths = [w for w in (32, 64, 128) if w >= bits and columns % (w // bits) == 0]
    width = rng.choice(widths)
    value = width // bits
    b = columns // value
    while b > threads or rng.random() < 0.2:
        b //= 2 if b % 2 == 0 else b
        if b == 1:
            break
    a = min(rows, threads // b)
    while rows % a:
        a -= 1
    cache = "cg" if width == 128 and rng.random() < 0.5 else "ca"
    atom = f"cp_async.{cache}({width // 8})" if asynchronous else f"universal({width})"
    order = f"({a},{b}):({b},1)" if rng.random() < 0.7 else f"({a},{b}):(1,{a})"
    return f"tiled_copy {name} = tile({atom}, thr={order}, val=(1,{value}));\n"


class Pipe:
    """Pipeline p of kernel i: its declarations, its buffers, and its text."""

    def __init__(self, rng, i, p, load, use, stages, outer, grid, count, steps, tail, memory):
        name = f"{i}{'xyz'[p]}"
        rows, columns = rng.choice([8, 16, 32]), rng.choice([16, 32, 64] if p == 0 else [16, 32])
        elem = rng.choice(["f32", "f32", "f16", "u8"])
        to = rng.choice(["f16", "f32"]) if elem == "f32" and rng.random() < 0.3 else elem
        bits = BITS[elem]
        begin = rng.choice([0, 0, 0, 2])
        unit = 128 // min(bits, BITS[to])  # of elements, so that no access is at an edge
        rest = unit * rng.randrange(1, columns // unit) if tail and columns > unit else 0
        way = rng.choice(["direct", "frag", "shared", "fill"])
        if to != elem and way in ("shared", "fill"):
            way = "direct"
        height = rows * outer * grid
        width = f"{columns}*{count}" if not rest else f"{columns}*{count} - {rest}"
        self.names = [name, name + "b"] if rng.random() < 0.25 else [name]
        self.text = self.shared = ""
        for n in self.names:  # rows are as far apart whatever the number of steps
            self.text += f"tensor A{n} : {elem} global ({height},{width}):({13 * 64},1) align 16;\n"
            self.text += f"tensor B{n} : {to} global ({height},{width}):({13 * 64},1) align 16;\n"
            self.shared += f"  shared s{n} : {elem} row({rows},{columns}) stages {stages};\n"
        if way in ("shared", "fill"):
            self.shared += f"  shared t{name} : {elem} row({rows},{columns});\n"
        self.text += tiled(rng, f"l{name}", 32 * load, (rows, columns), bits, rng.random() < 0.6)
        self.text += tiled(rng, f"u{name}", 32 * use, (rows, columns), max(bits, BITS[to]), False)
        self.text += tiled(rng, f"v{name}", 32 * use, (rows, columns), bits, False)
        table = rng.random() < 0.2  # the loads read shared memory, which all threads fill before
        if table:
            self.text += f"tensor Q{name} : {elem} global row({height},{columns}) align 16;\n"
            self.text += tiled(rng, f"w{name}", 32 * load, (rows, columns), bits, False)
            self.shared += f"  shared q{name} : {elem} row({rows},{columns});\n"
        self.inputs = [f"Q{name}"] if table else []
        row = "block.x" if outer == 1 else f"m + {outer}*block.x"
        step = "n" if begin == 0 else f"n - {begin}"
        end = count if begin == 0 else f"{count} + {begin}"
        self.body = [f"frag r{name} : {elem} like u{name};"] if way == "frag" else []
        if table:
            self.body.append(f"copy local_tile(Q{name}, ({rows},{columns}), ({row},0)) -> q{name} with {rng.choice('lw')}{name};")
        self.body.append(f"pipeline n in {begin} .. {end} warps (load = {load}, use = {use}) {{")
        for n in self.names:
            side = f"local_tile(A{n}, ({rows},{columns}), ({row},{step}))"
            pad = " pad 0" if tail and (way != "direct" or rng.random() < 0.5) else ""
            some = int(count) > 0 if count.isdigit() else steps > 0  # a tensor map has elements
            how = rng.choice(["bulk", "bulk", "tma.load" if some else "bulk", f"l{name}"]) if memory else f"l{name}"
            if how == "bulk" and pad:  # which it cannot
                load = f"fill s{n} = 0; copy {side} -> s{n} with bulk;"
            else:
                load = f"copy {side} -> s{n} with {how}{' pad 0' if tail and how == 'tma.load' else pad};"
            if table and n == name:
                load = f"copy q{name} -> s{n} with w{name};"
            self.body.append(f"  load {{ {load} }}")
        for n in self.names:
            side = f"local_tile(B{n}, ({rows},{columns}), ({row},{step}))"
            if way == "direct" or n != name:
                use = f"copy s{n} -> {side} with u{name};"
            elif way == "frag":
                use = f"copy s{n} -> r{name} with u{name}; copy r{name} -> {side} with u{name};"
            elif way == "shared":
                use = f"copy s{n} -> t{name} with u{name}; copy t{name} -> {side} with v{name};"
            else:
                use = f"fill t{name} = 0; copy s{n} -> t{name} with v{name}; copy t{name} -> {side} with u{name};"
            self.body.append(f"  use {{ {use} }}")
        self.body.append("}")


def kernel(rng, i, least, memory):
    """The declarations and the text of kernel i: one to three pipelines, perhaps in a loop, with the same roles or others."""
    warps = rng.randint(2, 6)
    load, stages = rng.randint(1, min(3, warps - 1)), rng.randint(1, 4)
    outer, grid = rng.choice([1, 1, 1, 2, 3]), rng.choice([1, 1, 2])
    steps = rng.randint(least, 13)
    param = rng.random() < 0.4  # the number of steps
    tail = rng.random() < 0.3 and steps > 0
    text = f"param T{i} : index in {max(least, int(tail))} .. 13;\n" if param else ""
    pipes, rings = [], {(stages, load)}
    for p in range(rng.choice([1, 1, 2, 3])):
        if p > 0 and rng.random() < 0.3:
            other = (rng.randint(1, 4), rng.randint(1, min(3, warps - 1)))
            if sum(2 * s + 1 for s, _ in rings | {other}) <= 15:
                rings.add(other)
        s, w = (stages, load) if p == 0 else rng.choice(sorted(rings))
        count = f"T{i}" if param else str(steps)
        if p > 0 and not param:
            count = str(rng.randint(max(least, int(tail)), 13))
        pipes.append(Pipe(rng, i, p, w, warps - w, s, outer, grid, count, steps, tail, memory))
    formals = ", ".join([f"A{n}, out B{n}" for p in pipes for n in p.names] + [n for p in pipes for n in p.inputs])
    threads = f" threads {32 * warps}" if rng.random() < 0.3 else ""
    text += "".join(p.text for p in pipes) + f"kernel k{i}({formals}) grid ({grid}){threads} {{\n"
    text += "".join(p.shared for p in pipes)
    indent = "  "
    if outer > 1:
        text += f"  for m in 0 .. {outer} {{\n"
        indent = "    "
    text += "".join(f"{indent}{line}\n" for p in pipes for line in p.body)
    if outer > 1:
        text += "  }\n"
    return text + "}\n", f"T{i}={steps}" if param else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--plans", type=pathlib.Path)
    options = parser.parse_args()
    bad = 0
    for first in range(0, options.count, options.each):
        rng = random.Random(options.seed * 1000003 + first)
        made = [kernel(rng, i, options.least, options.memory) for i in range(options.each)]
        text = f"tcp 1;\narch sm_{90 if options.memory else 80};\n" + "".join(k for k, _ in made)
        params = [f"--param={p}" for _, p in made if p]
        if options.plans:
            (options.plans / f"roles_{options.seed}_{first}.tcp").write_text(text)
            (options.plans / f"roles_{options.seed}_{first}.params").write_text("\n".join(params))
            continue
        with tempfile.TemporaryDirectory() as folder:
            plan = pathlib.Path(folder) / "roles.tcp"
            plan.write_text(text)
            write = [f"--write={options.write}/{'memory' if options.memory else 'roles'}_{options.seed}_{first}"] if options.write else []
            run = subprocess.run([options.tcpc, "run", "-w", *write, *params, str(plan)], capture_output=True, text=True)
        if run.returncode:
            bad += 1
            print(f"--- seed {options.seed}, kernels from {first}: {' '.join(params)}\n{text}{run.stdout}{run.stderr}")
    print(f"{options.count} pipelines with roles, {bad} plans wrong")
    sys.exit(bad > 0)


main()
