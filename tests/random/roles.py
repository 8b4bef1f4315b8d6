"""usage: roles.py TCPC [--count N] [--each K] [--seed S] [--least L] [--memory] [--several] [--flat] [--sync RANDOM_SYNC] [--write FOLDER] [--plans FOLDER]: random
pipelines with roles do on the host what they mean, in every order of the roles, and compile whenever they are right. K kernels are a plan.
A pipeline has at least L steps, with --several at least two consumers. With --memory most loads are bulk copies and boxes, also beside others. With --flat half of the kernels have no roles. With --sync
each wait, barrier and fence is left out by that program (random_sync), which must notice it, or a judge says that it is needless. With --write, the program of each plan is written
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

    def __init__(self, rng, i, p, load, uses, stages, outer, grid, count, steps, tail, memory, roles, least):
        use = uses[0]  # warps; without roles all parts have all of them
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
        self.outputs = []
        # the loads go through a fragment, or through shared memory, which needs plain copies
        by = rng.choice(["", "", "", "frag", "shared"]) if not tail and not memory else ""
        if by:
            self.text += tiled(rng, f"h{name}", 32 * load, (rows, columns), bits, False)
            self.text += tiled(rng, f"g{name}", 32 * load, (rows, columns), bits, False)
            self.shared += f"  shared hb{name} : {elem} row({rows},{columns});\n" if by == "shared" else ""
        row = "block.x" if outer == 1 else f"m + {outer}*block.x"
        step = "n" if begin == 0 else f"n - {begin}"
        end = count if begin == 0 else f"{count} + {begin}"
        self.body = [f"frag r{name} : {elem} like u{name};"] if way == "frag" else []
        if table:
            self.body.append(f"copy local_tile(Q{name}, ({rows},{columns}), ({row},0)) -> q{name} with {rng.choice('lw')}{name};")
        if by == "frag":
            self.body.append(f"frag i{name} : {elem} like h{name};")
        several = ", ".join(f"use = {u}" for u in uses)
        warps = f" warps (load = {load}, {several})" if roles else ""
        self.body.append(f"pipeline n in {begin} .. {end}{warps} {{")
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
            elif by == "frag":
                load = f"copy {side} -> i{name} with h{name}; copy i{name} -> s{n} with h{name};"
            elif by == "shared":
                load = f"copy {side} -> hb{name} with h{name}; copy hb{name} -> s{n} with g{name};"
            self.body.append(f"  load {{ {load} }}")
        parts = []
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
            parts.append(use)
        # more consumers: each copies a buffer to a tensor of its own, one by views of threads
        parts = parts if len(uses) == 1 else [" ".join(parts)]
        for u, warps in enumerate(uses[1:]):
            n, to = rng.choice(self.names), f"C{name}{u}"
            self.text += f"tensor {to} : {elem} global ({height},{width}):({13 * 64},1) align 16;\n"
            self.outputs.append(to)
            side = f"local_tile({to}, ({rows},{columns}), ({row},{step}))"
            threads = 32 * warps
            if not tail and rows <= threads and rng.random() < 0.4:  # rows of threads, or tiles of warps
                if rows == 32 * warps:
                    parts.append(f"copy s{n}(tid,_) -> {side}(tid,_) with universal({bits});")
                else:
                    each = rows // warps if rows % warps == 0 else 0
                    if not each:
                        self.text += tiled(rng, f"c{name}{u}", threads, (rows, columns), bits, False)
                        parts.append(f"copy s{n} -> {side} with c{name}{u};")
                        continue
                    self.text += tiled(rng, f"c{name}{u}", 32, (each, columns), bits, False)
                    tile = f"({each},{columns}), (warp,0)"
                    parts.append(f"copy local_tile(s{n}, {tile}) -> local_tile({side}, {tile}) with c{name}{u};")
                continue
            self.text += tiled(rng, f"c{name}{u}", threads, (rows, columns), bits, False)
            parts.append(f"copy s{n} -> {side} with c{name}{u};")
        # one of them has a pipeline of its own
        if rng.random() < 0.3:
            at = rng.randrange(len(parts))
            warps, inner, many = uses[at] if len(uses) > 1 else uses[0], rng.randint(1, 3), rng.randint(least > 0, 5)
            self.text += f"tensor E{name} : f32 global row({8 * outer * grid},{16 * 13 * many + 16}) align 16;\n"
            self.text += f"tensor G{name} : f32 global row({8 * outer * grid},{16 * 13 * many + 16}) align 16;\n"
            self.text += tiled(rng, f"d{name}", 32 * warps, (8, 16), 32, not memory and rng.random() < 0.6)
            self.text += tiled(rng, f"e{name}", 32 * warps, (8, 16), 32, False)
            self.shared += f"  shared db{name} : f32 row(8,16) stages {inner};\n"
            self.inputs.append(f"E{name}")
            self.inout = [f"G{name}"]
            tile = f"(8,16), ({row}, {many}*({step}) + k)"
            parts[at] += (f" pipeline k in 0 .. {many} {{ load {{ copy local_tile(E{name}, {tile}) -> db{name} with d{name}; }}"
                          f" use {{ copy db{name} -> local_tile(G{name}, {tile}) with e{name}; }} }}")
        else:
            self.inout = []
        for use in parts:
            self.body.append(f"  use {{ {use} }}")
        self.body.append("}")


def kernel(rng, i, least, memory, several, flat):
    """The declarations and the text of kernel i: one to three pipelines, perhaps in a loop, with the same roles, others, or none."""
    roles = not flat or rng.random() < 0.5
    warps = rng.randint(2 + several, 6)
    load, stages = rng.randint(1, min(3, warps - 1 - several)), rng.randint(1, 4)
    outer, grid = rng.choice([1, 1, 1, 2, 3]), rng.choice([1, 1, 2])
    steps = rng.randint(least, 13)
    param = rng.random() < 0.4  # the number of steps
    tail = rng.random() < 0.3 and steps > 0
    text = f"param T{i} : index in {max(least, int(tail))} .. 13;\n" if param else ""
    # one to three consumers share the warps that do not load
    def consumers(left):
        uses = []
        for _ in range(rng.choice([1, 2] if several else [0, 0, 0, 1, 2])):
            if left > 1:
                uses.append(rng.randint(1, left - 1))
                left -= uses[-1]
        return (left, *uses)

    pipes, rings = [], {(stages, load, consumers(warps - load))}
    for p in range(rng.choice([1, 1, 2, 3])):
        if p > 0 and rng.random() < 0.3:
            l = rng.randint(1, min(3, warps - 1 - several))
            other = (rng.randint(1, 4), l, consumers(warps - l))
            if sum(2 * s + 1 + len(u) for s, _, u in rings | {other}) <= 15:
                rings.add(other)
        s, w, u = rng.choice(sorted(rings))
        if not roles:  # each part is for all threads
            s, w, u = rng.randint(1, 8), warps, (warps,) * len(u)
        count = f"T{i}" if param else str(steps)
        if p > 0 and not param:
            count = str(rng.randint(max(least, int(tail)), 13))
        pipes.append(Pipe(rng, i, p, w, u, s, outer, grid, count, steps, tail, memory, roles, least))
    formals = ", ".join([f"A{n}, out B{n}" for p in pipes for n in p.names] + [n for p in pipes for n in p.inputs]
                        + [f"out {n}" for p in pipes for n in p.outputs] + [f"inout {n}" for p in pipes for n in p.inout])
    threads = f" threads {32 * warps}" if rng.random() < 0.3 or not roles else ""
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
    parser.add_argument("--several", action="store_true")
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--sync")
    parser.add_argument("--write")
    parser.add_argument("--plans", type=pathlib.Path)
    options = parser.parse_args()
    bad = 0
    for first in range(0, options.count, options.each):
        rng = random.Random(options.seed * 1000003 + first)
        made = [kernel(rng, i, options.least, options.memory, options.several, options.flat) for i in range(options.each)]
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
            if options.sync and not run.returncode:
                run = subprocess.run([options.sync, plan], capture_output=True, text=True)
        if run.returncode:
            bad += 1
            print(f"--- seed {options.seed}, kernels from {first}: {' '.join(params)}\n{text}{run.stdout}{run.stderr}")
    print(f"{options.count} pipelines with roles, {bad} plans wrong")
    sys.exit(bad > 0)


main()
