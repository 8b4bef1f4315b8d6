"""usage: tma.py TCPC RUNTIME FOLDER [--count N] [--each K] [--seed S] [--library FILE] [--refused PERCENT] [--write]

Random kernels that copy tiles by tma.load, and some by bulk, with and without roles, do what the index arithmetic of this file says: each element of the output is that of the
tensor at its coordinates, or 0 beyond the tensor, and nothing else is written.  K kernels are a plan, and a program that knows nothing of
tcpc's own meaning of a plan.  They run on the host under each of its schedules, where each tensor has its exact size.  With --write the
programs stay in FOLDER for a GPU (`program guard` puts bytes around each output and compares them; `program` gives exact sizes).

Ranks 1 to 5, elements of 1 to 8 bytes, the contiguous mode and the order of the others anywhere, pitches, strides of 0, offsets, odd extents by
numbers and params, cache hints, tiles of several boxes, swizzles, buffers with another order or gaps, halos on both sides, grids, loops, pipelines of 1 to 8 stages.
"""

import argparse
import math
import os
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import schedules

TYPES = {"u8": 1, "s8": 1, "f8e4m3": 1, "f8e5m2": 1, "u16": 2, "f16": 2, "bf16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8, "s64": 8, "u64": 8}
MOST_TILE, MOST_OUT = 16 * 1024, 128 * 1024  # bytes

MAIN = """// Made by tests/random/tma.py.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tcp_runtime.h"

enum { GUARD = 4096 };
static int guard = 0, failed = 0;

struct memory {
    unsigned char *at, *host;
    size_t bytes;
};

static void must(tcp_status s, const char *what) {
    if (s == TCP_OK) return;
    printf("%s: %s\\n", what, tcp_last_error());
    exit(1);
}

static memory take(size_t bytes, unsigned seed) {
    memory m = {nullptr, (unsigned char *)malloc(bytes + 2 * (size_t)guard), bytes};
    void *at;
    must(tcp_alloc(&at, bytes + 2 * (size_t)guard), "alloc");
    m.at = (unsigned char *)at + guard;
    for (size_t i = 0; i < bytes + 2 * (size_t)guard; ++i) {
        seed = seed * 1664525u + 1013904223u;
        m.host[i] = (unsigned char)(1 + (seed >> 24) % 255);
    }
    must(tcp_upload(at, m.host, bytes + 2 * (size_t)guard, nullptr), "upload");
    return m;
}

static void leave(memory m) {
    tcp_free(m.at - guard);
    free(m.host);
}
"""

COMPARE = """
// An output of RANK modes from "origin" on, row by row; "extent" is that of the source.
template <int Rank>
static void compare(const char *name, const memory &src, const memory &out, int bytes, const int64_t (&size)[Rank],
                    const int64_t (&origin)[Rank], const int64_t (&extent)[Rank], const int64_t (&stride)[Rank], int64_t offset) {
    const size_t all = out.bytes + 2 * (size_t)guard;
    unsigned char *got = (unsigned char *)malloc(all);
    size_t wrong = 0, beyond = 0;
    must(tcp_wait(nullptr), name);
    must(tcp_download(got, out.at - guard, all, nullptr), "download");
    for (size_t i = 0; i < out.bytes / (size_t)bytes; ++i) {
        static const unsigned char none[8] = {0};
        int64_t rest = (int64_t)i, from = offset;
        bool inside = true;
        for (int k = Rank - 1; k >= 0; --k) {
            const int64_t x = rest % size[k] + origin[k];
            rest /= size[k];
            inside = inside && x >= 0 && x < extent[k];
            from += x * stride[k];
        }
        const unsigned char *want = inside ? src.host + guard + from * bytes : none;
        wrong += memcmp(got + guard + i * (size_t)bytes, want, (size_t)bytes) != 0;
    }
    for (int i = 0; i < guard; ++i)
        beyond += (got[i] != out.host[i]) + (got[all - 1 - (size_t)i] != out.host[all - 1 - (size_t)i]);
    if (wrong || beyond) {
        printf("%s: %zu of %zu elements wrong, %zu bytes around them\\n", name, wrong, out.bytes / (size_t)bytes, beyond);
        ++failed;
    }
    free(got);
}

"""


class Kernel:
    def __init__(self, rng, i):
        self.rng, self.name = rng, f"k{i}"
        while not self.draw(i):
            pass

    def draw_tile(self):
        """Draws the type and a tile; returns its extents, the contiguous mode, the swizzle, and rows and boxes along that mode."""
        rng = self.rng
        self.elem = rng.choice(list(TYPES))
        self.bytes = TYPES[self.elem]
        chunk = 16 // self.bytes
        rank = rng.choice([1, 2, 2, 2, 3, 3, 4, 5])
        inner = rng.randrange(rank)
        swizzle = rng.choice([0, 0, 1, 2, 3])
        row = chunk << swizzle if swizzle else chunk * rng.choice([1, 2, 2, 4, 8])
        pieces = rng.choice([1, 1, 2, 3]) if swizzle else 1
        tile = [rng.choice([1, 1, 2, 3, 4, 8, 8, 16]) for _ in range(rank)]
        tile[inner] = row * pieces
        return tile, inner, swizzle, row, pieces

    def draw(self, i):
        rng = self.rng
        tile, inner, swizzle, row, pieces = self.draw_tile()
        b, rank, chunk = self.bytes, len(tile), 16 // self.bytes
        if math.prod(tile) * b > MOST_TILE or tile[inner] > 2048:
            return False
        extent = [rng.randrange(1, 3 * t + 3) for t in tile]
        if rng.random() < 0.3:
            extent = [t * rng.randrange(1, 4) for t in tile]  # nothing is beyond
        halo = [rng.choice([0, 0, 0, 1, t - 1]) if t > 1 else 0 for t in tile]
        halo[inner] = rng.choice([0, 0, 0, chunk]) if tile[inner] > chunk else 0
        count = [-(-e // t) for e, t in zip(extent, tile)]
        size = [c * t for c, t in zip(count, tile)]
        if math.prod(size) * b > MOST_OUT:
            return False
        # memory of the source: the contiguous mode, then the others in any order
        order = [k for k in range(rank) if k != inner]
        rng.shuffle(order)
        stride, at = [0] * rank, extent[inner]
        stride[inner] = 1
        for k in order:
            at = -(-at // chunk) * chunk + chunk * rng.choice([0, 0, 1, 3])
            stride[k] = at if rng.random() < 0.93 else 0
            at *= extent[k] if stride[k] else 1
        if at * b > 4 * MOST_OUT:
            return False
        # the buffer: rows, then the other modes in any order, perhaps with room between them
        others = [k for k in range(rank) if k != inner]
        rng.shuffle(others)
        place, unit, stages = [0] * rank, row, rng.choice([0, 0, 1, 2, 3, 4, 8])
        apart = stages < 2 and not swizzle and rng.random() < 0.2
        for k in others:
            room = 128 // math.gcd(unit * b, 128) if apart and rng.random() < 0.5 else 1
            place[k] = unit * room + (128 // b if room > 1 else 0)
            place[k] = -(-place[k] * b // 128) * 128 // b if room > 1 else place[k]
            unit = place[k] * tile[k]
        period = 128 << swizzle
        if pieces > 1 and unit * b % max(period, 128):
            return False
        whole = unit * pieces
        if stages > 1 and whole * b % period:
            return False
        if max(stages, 1) * whole * b > 160 * 1024:
            return False
        shape = ",".join(f"({row},{pieces})" if k == inner and pieces > 1 else str(tile[k]) for k in range(rank))
        strides = ",".join((f"(1,{unit})" if pieces > 1 else "1") if k == inner else str(place[k]) for k in range(rank))
        sw = f"Sw<{swizzle},{4 - b.bit_length() + 1},3> o " if swizzle else ""
        # loops around the copy: axes of the grid, loops, a pipeline
        axes = list(range(rank))
        rng.shuffle(axes)
        coordinate, body, end, indent, grid = [""] * rank, "", "", "  ", []
        piped = axes.pop() if stages else None
        for n, k in enumerate(axes):
            if n < 3 and rng.random() < 0.7 and len(grid) < 3:
                coordinate[k] = f"block.{'xyz'[len(grid)]}"
                grid.append(k)
            else:
                coordinate[k] = f"i{k}"
        # params for some extents; the launcher's arguments come in the order of their declaration
        self.params, self.extents, text = [], [], ""
        for k in range(rank):
            if extent[k] > 1 and rng.random() < 0.4:  # one of a single value is no argument
                name = f"E{k}_{i}"
                text += f"param {name} : index in 1 .. {extent[k]};\n"
                least = 1 if stride[k] == 0 or rng.random() < 0.5 else extent[k]
                self.params.append(rng.randrange(least, extent[k] + 1))
                self.extents.append(name)
            else:
                self.extents.append(str(extent[k]))
        values = iter(self.params)
        self.extent = [extent[k] if self.extents[k].isdigit() else next(values) for k in range(rank)]
        self.count = [-(-e // t) for e, t in zip(self.extent, tile)]
        counts = [str(c) if e.isdigit() else f"ceil_div({e},{t})" for c, e, t in zip(self.count, self.extents, tile)]
        self.size = [c * t for c, t in zip(self.count, tile)]
        self.tile, self.stride, self.origin = tile, stride, [-h for h in halo]
        out = [str(s) if e.isdigit() else f"{t}*{c}" for s, e, t, c in zip(self.size, self.extents, tile, counts)]
        # a tensor that begins behind its address, at a multiple of 16 bytes
        self.offset = chunk * rng.choice([1, 3, 8]) if rng.random() < 0.2 else 0
        begin = f"{self.offset}+" if self.offset else ""
        text += f"tensor A{i} : {self.elem} global {begin}({','.join(self.extents)}):({','.join(map(str, stride))}) align 16;\n"
        text += f"tensor O{i} : {self.elem} global row({','.join(out)});\n"
        threads = rng.choice([32, 64, 128])
        thr = ["1"] * rank
        thr[inner] = str(chunk)
        for k in axes:  # more threads where they divide the tile
            if k != inner and tile[k] > 1 and chunk * tile[k] <= threads:
                thr[k] = str(tile[k])
                break
        text += f"tiled_copy t{i} = tile(universal({8 * b}), thr=row({','.join(thr)}));\n"
        roles = stages > 0 and rng.random() < 0.35
        # whole rows of 16 bytes: what lies beyond in other modes is filled before
        bulk = self.extents[inner].isdigit() and extent[inner] % chunk == 0 and not any(halo) and rng.random() < 0.3
        head = f" grid ({', '.join(counts[k] for k in grid)})" if grid else ""
        body += f"  shared s : {self.elem} {sw}({shape}):({strides})" + (f" stages {stages};\n" if stages else ";\n")
        for k in axes:
            if k not in grid:
                body += f"{indent}for i{k} in 0 .. {counts[k]} {{\n"
                end = f"{indent}}}\n" + end
                indent += "  "
        if stages:
            coordinate[piped] = "n"
        if rank == 1 and tile == [1]:
            return False
        if any(halo):
            parts = []
            for k in range(rank):
                c = coordinate[k]
                at = (c if tile[k] == 1 else f"{tile[k]}*{c}") + (f" - {halo[k]}" if halo[k] else "")
                upto = tile[k] - halo[k]
                parts.append(f"{at} .. {tile[k]}*{c} + {upto}" if upto else f"{at} .. {tile[k]}*{c}")
            source = f"A{i}({', '.join(parts)})"
        else:
            source = f"local_tile(A{i}, ({','.join(map(str, tile))}), ({','.join(coordinate)}))"
        target = f"local_tile(O{i}, ({','.join(map(str, tile))}), ({','.join(coordinate)}))"
        hints = [f"ld=L2.evict_{rng.choice(['first', 'last'])}"] if rng.random() < 0.2 else []
        if not bulk and rng.random() < 0.2:
            hints.append(f"l2={rng.choice([64, 128, 256])}")
        hints = f"({', '.join(hints)})" if hints else ""
        load = f"fill s = 0; copy {source} -> s with bulk{hints};" if bulk else f"copy {source} -> s with tma.load{hints} pad 0;"
        use = f"copy s -> {target} with t{i};"
        warps = f" warps (load = 1, use = {threads // 32})" if roles else ""
        if stages:
            body += f"{indent}pipeline n in 0 .. {counts[piped]}{warps} {{\n{indent}  load {{ {load} }}\n{indent}  use {{ {use} }}\n{indent}}}\n"
        else:
            body += f"{indent}{load}\n{indent}{use}\n"
        self.text = text + f"kernel {self.name}(A{i}, out O{i}){head}{'' if roles else f' threads {threads}'} {{\n{body}{end}}}\n"
        return True

    def call(self, seed):
        """The text that launches the kernel and compares."""
        c_type = "tcp_any"
        src = 1 + self.offset + sum((e - 1) * s for e, s in zip(self.extent, self.stride))
        lists = [", ".join(map(str, x)) for x in (self.size, self.origin, self.extent, self.stride)]
        params = "".join(f"{p}, " for p in self.params)
        return (
            f"    {{\n        memory a = take({src * self.bytes}, {seed}u), o = take({math.prod(self.size) * self.bytes}, {seed + 1}u);\n"
            f'        must({self.name}_launch((const {c_type} *)a.at, ({c_type} *)o.at, {params}nullptr), "{self.name}");\n'
            f'        compare<{len(self.size)}>("{self.name}", a, o, {self.bytes}, {{{lists[0]}}}, {{{lists[1]}}}, {{{lists[2]}}}, {{{lists[3]}}}, {self.offset});\n'
            "        leave(a);\n        leave(o);\n    }\n"
        )

    def declaration(self):
        return f"TCP_EXTERN_C tcp_status {self.name}_launch(const tcp_any *, tcp_any *, {'int64_t, ' * len(self.params)}tcp_stream);\n"


def compile_plan(tcpc, folder, kernels):
    plan = folder / "plan.tcp"
    plan.write_text("tcp 1;\narch sm_90;\n" + "".join(k.text for k in kernels))
    return subprocess.run([tcpc, "-w", plan, "-o", folder / "plan.cu"], capture_output=True, text=True)


def write(tcpc, folder, kernels, seed, compare):
    """Writes plan.cu and main.cpp; returns the kernels that were refused, with what tcpc says."""
    folder.mkdir(parents=True, exist_ok=True)
    refused = []
    while (done := compile_plan(tcpc, folder, kernels)).returncode:
        if done.returncode != 1 or "internal error" in done.stderr:
            sys.exit(f"{folder}/plan.tcp: tcpc ends with {done.returncode}\n{done.stderr}")
        alone = [k for k in kernels if compile_plan(tcpc, folder, [k]).returncode]
        if not alone:
            sys.exit(f"{folder}/plan.tcp: refused, but none of its kernels is\n{done.stderr}")
        refused += [(k, compile_plan(tcpc, folder, [k]).stderr.strip().split("\n")[0]) for k in alone]
        kernels = [k for k in kernels if k not in alone]
    text = MAIN + compare + "typedef void tcp_any;\n" + "".join(k.declaration() for k in kernels)
    text += "\nint main(int n, char **word) {\n    guard = n > 1 && strcmp(word[1], \"guard\") == 0 ? GUARD : 0;\n"
    text += "".join(k.call(seed + 7 * i) for i, k in enumerate(kernels))
    text += f'    printf("%d kernels, %d failed\\n", {len(kernels)}, failed);\n    return failed != 0;\n}}\n'
    (folder / "main.cpp").write_text(text)
    return len(kernels), refused


def build(given, folder):
    host = [given.library] if given.library else [given.runtime / "tcp_harness.cpp", *sorted(given.runtime.glob("host/*.cpp"))]
    subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-w", "-Wno-psabi", f"-I{given.runtime}", "-o", folder / "run", "-x", "c++", folder / "plan.cu",
         folder / "main.cpp", "-x", "none", *host, "-pthread"],
        check=True,
    )  # fmt: skip


def main(kind=Kernel, compare=COMPARE, usage=__doc__):
    """Draws, writes and runs kernels of this kind, whose main compares by this text."""
    parser = argparse.ArgumentParser(usage=usage)
    for name in ("tcpc", "runtime", "folder"):
        parser.add_argument(name, type=pathlib.Path)
    for name, value in (("count", 40), ("each", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--sizes", type=int, default=1, help="launches of a kernel with params, each with other values (stores)")
    parser.add_argument("--refused", type=float, default=2, help="the most kernels that may be refused, in percent")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    kind.sizes = given.sizes
    rng, ran, refused, failed = random.Random(given.seed), 0, [], 0
    for first in range(0, given.count, given.each):
        folder = given.folder / f"tma_{given.seed}_{first}"
        kernels = [kind(rng, i) for i in range(first, min(first + given.each, given.count))]
        n, no = write(given.tcpc, folder, kernels, 1000 * given.seed + first, compare)
        ran += n
        refused += no
        if given.write:
            continue
        build(given, folder)
        for schedule in schedules.SCHEDULES:
            done = schedules.run([folder / "run"], schedule)
            if done.returncode:
                print(f"{folder}: {schedule}: {done.returncode}\n{done.stdout}{done.stderr}", end="")
                failed += 1
    for k, why in refused[:10]:
        print(f"refused: {why}\n{k.text}")
    print(f"{given.count} kernels, {len(refused)} refused, {ran} {'written' if given.write else 'run'}, {failed} runs failed")
    return 1 if failed or 100 * len(refused) > given.refused * given.count else 0


if __name__ == "__main__":
    sys.exit(main())
