"""usage: random_strides.py SEED KERNELS: prints a random plan whose strides, extents and bounds are params: matrices and
stacks of them with leading dimensions of their own, each side's params apart, walked by blocks, loops and pipelines, some in
one another, through shared memory, fragments or straight, by plain and by asynchronous copies.  What a kernel needs then
stands in few places of its text, and not in all kinds of them."""

import random
import sys

ELEMS = [("u8", 1), ("s16", 2), ("f16", 2), ("f32", 4), ("s32", 4), ("f64", 8)]


class Kernel:
    def __init__(self, chance, number):
        self.chance, self.number, self.lines, self.taken = chance, number, [], 0

    def name(self, stem):
        return f"{stem}{self.number}"

    def declare(self, line):
        self.lines.append(line)

    def range(self, lo):
        """What is promised of a param: from 'lo' on, some so few that an int holds all products."""
        return f"in {lo} .. {self.chance.choice([1000, 1000, 100000, 10000000, 1 << 40])}"

    def extent(self, stem, multiple, lo):
        name = self.name(stem)
        by = f"% {multiple} " if multiple > 1 else ""
        self.declare(f"param {name} : index {by}{self.range(lo)};")
        return name

    def stride(self, stem, multiple, relation):
        name = self.name(stem)
        by = f" % {multiple}" if multiple > 1 else ""
        self.declare(f"param {name} : index{by} {self.range(1)}{relation.format(name)};")
        return name

    def tensor(self, stem, elem, shape, rows, access):
        """A tensor of 'shape', its params compact or with a leading dimension; access: elements that must be contiguous."""
        chance, name, rank = self.chance, self.name(stem), len(shape)
        order = list(range(rank))[::-1] if rows else list(range(rank))
        kind = chance.randrange(4 if stem == "A" else 3)  # of what is written, one pitch: products of two are proven of none
        if kind == 0:
            layout = ("row" if rows else "") + "(" + ",".join(shape) + ")"
        else:
            step, stride = "1", {}
            for i, mode in enumerate(order):
                stride[mode] = step
                pitch = shape[mode] if step == "1" else f"{step}*{shape[mode]}"
                if i == 0 and kind >= 2 or i == 1 and kind == 3 and rank == 3:
                    pitch = self.stride(f"ld{stem}{i}_", access, " where {} >= " + pitch)
                step = pitch
            layout = "(" + ",".join(shape) + "):(" + ",".join(stride[m] for m in range(rank)) + ")"
        align = chance.choice(["", " align 16", " align 16"]) if access == 1 else " align 16"
        self.declare(f"tensor {name} : {elem} global {layout}{align};")
        return name


def tiled(chance, tile, size, rows, access, threads):
    """A tiled copy of 'threads' threads of the 'tile', and the width that its accesses can have."""
    val = [1, 1]
    along = 1 if rows else 0
    val[along] = access
    left = [tile[0] // val[0], tile[1] // val[1]]
    thr = [1, 1]
    while thr[0] * thr[1] < threads:
        free = [m for m in range(2) if thr[m] < left[m]]
        if not free:
            break
        thr[chance.choice(free)] *= 2
    order = "" if chance.random() < 0.5 else f":({thr[1]},1)"
    return f"thr=({thr[0]},{thr[1]}){order}, val=({val[0]},{val[1]})", access * size * 8


def kernel(chance, number):
    k = Kernel(chance, number)
    elem, size = chance.choice(ELEMS)
    tile = [chance.choice([4, 8, 16]), chance.choice([8, 16])]
    rows = chance.random() < 0.6
    along = tile[1 if rows else 0]
    exact = chance.random() < 0.5
    access = 1
    if exact:
        access = chance.choice([n for n in (1, 2, 4, 8, 16) if n <= along and n * size <= 16 and n * size >= 1])
    threads = chance.choice([8, 16, 32])
    whole = [chance.random() < 0.5, chance.random() < 0.5]
    stack = chance.random() < 0.4
    multiple = [tile[m] if whole[m] else access if (m == 1) == rows else 1 for m in range(2)]
    extent = [k.extent("M", multiple[0], chance.choice([0, 1])), k.extent("N", multiple[1], 0)]
    if chance.random() < 0.25:
        extent[chance.randrange(2)] = str(64)
    depth = k.extent("S", 1, 0) if stack else None
    shape = (extent + [depth] if not rows else [depth] + extent) if stack else extent
    if stack and chance.random() < 0.3:
        shape = [s if s != depth else "3" for s in shape]
        depth = "3"
    source = k.tensor("A", elem, shape, rows, access)
    result = k.tensor("B", elem, shape, rows, access)
    args, bits = tiled(chance, tile, size, rows, access, threads)
    atom = f"universal({bits})" if exact and bits >= 8 else f"auto({chance.choice([32, 64, 128]) if size <= 4 else 128})"
    tc, second = k.name("tc"), k.name("td")
    k.declare(f"tiled_copy {tc} = tile({atom}, {args});")
    k.declare(f"tiled_copy {second} = tile({atom}, {tiled(chance, tile, size, rows, access, threads)[0]});")
    asynchronous = exact and bits in (32, 64, 128) and chance.random() < 0.6
    if asynchronous:
        way = "cp_async.cg(16)" if bits == 128 and chance.random() < 0.7 else f"cp_async.ca({bits // 8})"
        k.declare(f"tiled_copy {k.name('ta')} = tile({way}, {args});")
    divides = [multiple[m] == tile[m] and not extent[m].isdigit() for m in range(2)]
    count = [f"{extent[m]}/{tile[m]}" if divides[m] else f"ceil_div({extent[m]},{tile[m]})" for m in range(2)]
    # who counts the tiles along each mode, and the stack
    axes = [("t0", count[0]), ("t1", count[1])] + ([("t2", depth)] if stack else [])
    chance.shuffle(axes)
    pipelined = chance.random() < 0.7
    grid, loops, coord = [], [], {}
    for i, (axis, n) in enumerate(axes):
        if pipelined and i == len(axes) - 1:
            coord[axis] = "n"
            step = n
        elif len(grid) < 3 and chance.random() < 0.5:
            coord[axis] = f"block.{'xyz'[len(grid)]}"
            grid.append(n)
        else:
            coord[axis] = f"i{i}"
            loops.append((f"i{i}", n))
    tile_at = f"({coord['t0']}, {coord['t1']})"

    def part(tensor):
        if not stack:
            return f"local_tile({tensor}, ({tile[0]},{tile[1]}), {tile_at})"
        at = f"({coord['t2']},_,_)" if rows else f"(_,_,{coord['t2']})"
        return f"local_tile({tensor}{at}, ({tile[0]},{tile[1]}), {tile_at})"

    k.declare(f"kernel {k.name('move')}({source}, out {result}) grid ({', '.join(grid) or '1'}) threads {threads} {{")
    stages = chance.choice([1, 1, 2, 3])
    inner = ("row" if rows else "") + f"({tile[0]},{tile[1]})"
    load = k.name("ta") if asynchronous else tc
    flow = chance.choice(["shared", "shared", "frag", "direct"]) if not pipelined else "shared"
    pad = " pad 0" if chance.random() < 0.3 and flow == "shared" else ""
    if flow == "shared":
        k.declare(f"  shared s : {elem} {inner}" + (f" stages {stages};" if pipelined and stages > 1 else ";"))
    indent = "  "
    for name, n in loops:
        k.declare(f"{indent}for {name} in 0 .. {n} {{")
        indent += "  "
    if pipelined:
        k.declare(f"{indent}pipeline n in 0 .. {step} {{")
        k.declare(f"{indent}  load {{ copy {part(source)} -> s with {load}{pad}; }}")
        k.declare(f"{indent}  use {{ copy s -> {part(result)} with {second}; }}")
        k.declare(f"{indent}}}")
    elif flow == "shared":
        k.declare(f"{indent}copy {part(source)} -> s with {load}{pad};")
        k.declare(f"{indent}copy s -> {part(result)} with {second};")
    elif flow == "frag":
        k.declare(f"{indent}frag r : {elem} like {tc};")
        k.declare(f"{indent}copy {part(source)} -> r with {tc};")
        k.declare(f"{indent}copy r -> {part(result)} with {tc};")
    else:
        k.declare(f"{indent}copy {part(source)} -> {part(result)} with {tc};")
    while len(indent) > 2:
        indent = indent[2:]
        k.declare(indent + "}")
    k.declare("}")
    return "\n".join(k.lines)


def main():
    seed, kernels = int(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(seed)
    print(f"// seed {seed}\ntcp 1;\n")
    for number in range(kernels):
        print(kernel(chance, number) + "\n")


main()
