"""usage: roles.py TCPC [--count N] [--each K] [--seed S] [--write FOLDER]: random pipelines with roles do on the host what they mean,
in every order of the roles, and compile whenever they are right. K kernels are a plan. With --write, the program of each plan is
written to a folder FOLDER/roles_SEED for a GPU instead."""

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


def kernel(rng, i):
    """The declarations and the text of kernel i."""
    stages, load, use = rng.randint(1, 4), rng.randint(1, 3), rng.choice([1, 1, 2, 3, 4])
    rows, columns = rng.choice([8, 16, 32]), rng.choice([16, 32, 64])
    steps, outer = rng.randint(0, 13), rng.choice([1, 1, 1, 2, 3])
    elem = rng.choice(["f32", "f32", "f16", "u8"])
    to = rng.choice(["f16", "f32"]) if elem == "f32" and rng.random() < 0.3 else elem
    bits, grid = BITS[elem], rng.choice([1, 1, 2])
    begin = rng.choice([0, 0, 0, 2])
    param = rng.random() < 0.4  # the number of steps
    tail = rng.random() < 0.3 and steps > 0
    unit = 128 // min(bits, BITS[to])  # of elements, so that no access is at an edge
    rest = unit * rng.randrange(1, columns // unit) if tail and columns > unit else 0
    asynchronous = rng.random() < 0.6
    two = rng.random() < 0.25
    way = rng.choice(["direct", "frag", "shared", "fill"])
    if to != elem and way == "shared":
        way = "direct"
    if way == "fill" and to != elem:
        way = "direct"
    count = f"T{i}" if param else str(steps)
    height = rows * outer * grid
    width = f"{columns}*{count}" if not rest else f"{columns}*{count} - {rest}"
    text = ""
    if param:
        text += f"param T{i} : index in {1 if tail else 0} .. 13;\n"
    names = ["", "b"] if two else [""]
    for n in names:  # rows are as far apart whatever the number of steps
        text += f"tensor A{i}{n} : {elem} global ({height},{width}):({13 * 64},1) align 16;\n"
        text += f"tensor B{i}{n} : {to} global ({height},{width}):({13 * 64},1) align 16;\n"
    text += tiled(rng, f"l{i}", 32 * load, (rows, columns), bits, asynchronous)
    text += tiled(rng, f"u{i}", 32 * use, (rows, columns), max(bits, BITS[to]), False)
    text += tiled(rng, f"v{i}", 32 * use, (rows, columns), bits, False)
    formals = ", ".join(f"A{i}{n}, out B{i}{n}" for n in names)
    threads = f" threads {32 * (load + use)}" if rng.random() < 0.3 else ""
    text += f"kernel k{i}({formals}) grid ({grid}){threads} {{\n"
    for n in names:
        text += f"  shared s{n} : {elem} row({rows},{columns}) stages {stages};\n"
    if way in ("shared", "fill"):
        text += f"  shared t : {elem} row({rows},{columns});\n"
    row = "block.x" if outer == 1 else f"m + {outer}*block.x"
    step = "n" if begin == 0 else f"n - {begin}"
    indent = "  "
    if outer > 1:
        text += f"  for m in 0 .. {outer} {{\n"
        indent = "    "
    if way == "frag":
        text += f"{indent}frag r : {elem} like u{i};\n"
    end = count if begin == 0 else f"{count} + {begin}"
    text += f"{indent}pipeline n in {begin} .. {end} warps (load = {load}, use = {use}) {{\n"
    order = []
    for n in names:
        side = f"local_tile(A{i}{n}, ({rows},{columns}), ({row},{step}))"
        pad = " pad 0" if tail and (way != "direct" or rng.random() < 0.5) else ""
        order.append(f"load {{ copy {side} -> s{n} with l{i}{pad}; }}")
    for n in names:
        side = f"local_tile(B{i}{n}, ({rows},{columns}), ({row},{step}))"
        if way == "direct" or n:
            body = f"copy s{n} -> {side} with u{i};"
        elif way == "frag":
            body = f"copy s{n} -> r with u{i}; copy r -> {side} with u{i};"
        elif way == "shared":
            body = f"copy s{n} -> t with u{i}; copy t -> {side} with v{i};"
        else:
            body = f"fill t = 0; copy s{n} -> t with v{i}; copy t -> {side} with u{i};"
        order.append(f"use {{ {body} }}")
    for part in order:
        text += f"{indent}  {part}\n"
    text += f"{indent}}}\n"
    if outer > 1:
        text += "  }\n"
    return text + "}\n", f"T{i}={steps}" if param else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write")
    options = parser.parse_args()
    bad = 0
    for first in range(0, options.count, options.each):
        rng = random.Random(options.seed * 1000003 + first)
        made = [kernel(rng, i) for i in range(options.each)]
        text = "tcp 1;\narch sm_80;\n" + "".join(k for k, _ in made)
        params = [f"--param={p}" for _, p in made if p]
        with tempfile.TemporaryDirectory() as folder:
            plan = pathlib.Path(folder) / "roles.tcp"
            plan.write_text(text)
            write = [f"--write={options.write}/roles_{options.seed}_{first}"] if options.write else []
            run = subprocess.run([options.tcpc, "run", "-w", *write, *params, str(plan)], capture_output=True, text=True)
        if run.returncode:
            bad += 1
            print(f"--- seed {options.seed}, kernels from {first}: {' '.join(params)}\n{text}{run.stdout}{run.stderr}")
    print(f"{options.count} pipelines with roles, {bad} plans wrong")
    sys.exit(bad > 0)


main()
