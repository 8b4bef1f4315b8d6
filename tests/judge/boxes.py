"""Plans that are full of "bulk" and "tma.load": one to three tensors go to shared memory by them, and from there on."""
from math import prod

from blocks import PIECE
from generate import Draw, Drawn
from pieces import tup

TYPES = {"u8": 1, "s8": 1, "u16": 2, "f16": 2, "bf16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8, "s64": 8}


def count_tiles(draw, counts, piped):
    """Draws who counts the tiles along each mode: returns the names, the loops, and the mode of the pipeline."""
    r, at, loops = draw.r, [None] * len(counts), []
    modes = r.order(len(counts))
    pipe = modes.pop() if piped else None
    for m in modes:
        if len(draw.grid) < 3 and r.percent(65):
            at[m] = f"block.{'xyz'[len(draw.grid)]}"
            draw.grid.append(counts[m])
        else:
            at[m] = f"i{m}"
            loops.append((f"i{m}", counts[m]))
    if piped:
        at[pipe] = "n"
    return at, loops, pipe


class Boxes(Draw):
    """Draws a kernel with one to three tensors that go to shared memory by "bulk" or "tma.load", and from there on."""

    def plan(self):
        r = self.r
        while not self.try_plan():
            self.__init__(f"{r.random()}", self.id)
            r = self.r
        return self.drawn

    def source(self, i, element, tile, count, extents, texts):
        """Declares a tensor to copy from: any order of modes, pitches, strides of 0; a wrong one at times."""
        r, each = self.r, PIECE // TYPES[element]
        inner, rank = self.inner, len(tile)
        order = [m for m in range(rank) if m != inner]
        r.shuffle(order)
        strides, step = ["1"] * rank, extents[inner]
        for m in order:
            step = -(-step // each) * each + r.choice([0, 0, each, 3 * each])
            if r.percent(4):
                step += r.choice([1, each // 2])
            strides[m] = str(step) if r.percent(93) else "0"
            step *= extents[m] if strides[m] != "0" else 1
        if step > 60_000:
            return None
        align = r.choice([16] * 19 + [8, 32, 128])
        if r.percent(15) and not texts[inner].isdigit() and rank == 2:  # a pitch that is a param
            multiple = r.choice([each, each, each, 2 * each])
            ld = f"ld{i}_{self.id}"
            self.params.append(f"param {ld} : index" + (f" % {multiple}" if multiple > 1 else "")
                               + f" in {multiple} .. 100000 where {ld} >= {texts[inner]};")
            self.tries[ld] = [n * each for n in (1, 2, 3, 4, 6, 8, 12)] + [3 * each + 1] * 3
            strides[1 - inner] = ld
        self.decls.append(f"tensor A{i}_{self.id} : {element} global {tup(texts)}:{tup(strides)} align {align};")
        return f"A{i}_{self.id}"

    def buffer(self, i, element, tile, stages):
        """Declares a buffer: rows of the contiguous mode, then the others in any order, swizzled at times."""
        r, each = self.r, PIECE // TYPES[element]
        inner, rank, row = self.inner, len(tile), self.row
        others = [m for m in range(rank) if m != inner]
        r.shuffle(others)
        strides, step = [0] * rank, row
        for m in others:
            strides[m] = step
            step *= tile[m]
        pieces = tile[inner] // row
        shape = tup(f"({row},{pieces})" if m == inner and pieces > 1 else tile[m] for m in range(rank))
        places = tup((f"(1,{step})" if pieces > 1 else 1) if m == inner else strides[m] for m in range(rank))
        swizzle = ""
        if self.swizzle:
            base = each.bit_length() - 1
            swizzle = f"Sw<{self.swizzle},{base if r.percent(97) else base + 1},3> o "
        self.before.append(f"shared s{i}_{self.id} : {element} {swizzle}{shape}:{places}{stages};")
        return step * pieces * TYPES[element]

    def try_plan(self):
        r = self.r
        element = r.choice(list(TYPES))
        width, each = TYPES[element], PIECE // TYPES[element]
        rank = r.choice([1, 2, 2, 2, 3, 3, 4, 5])
        self.inner = r.randrange(rank)
        self.swizzle = r.choice([0, 0, 0, 1, 2, 3])
        self.row = each << self.swizzle if self.swizzle else each * r.choice([1, 1, 2, 4, 1, 1, 2, 4, 3, 8, 24])
        tile = [r.choice([1, 1, 2, 3, 4, 8]) for _ in range(rank)]
        tile[self.inner] = self.row * (r.choice([1, 1, 2]) if self.swizzle else 1)
        if rank > 1 and r.percent(2):  # more than a box has
            tile[r.choice([m for m in range(rank) if m != self.inner])] = 264
        if not 2 <= prod(tile) <= (512 if max(tile) < 264 else 640):
            return False
        count = [r.choice([1, 1, 2, 2, 3]) for _ in tile]
        even = r.percent(40)
        extents = [max(1, n * c - (0 if even or n == 1 or r.percent(30) else r.randint(1, n - 1))) for n, c in zip(tile, count)]
        if prod(n * c for n, c in zip(tile, count)) > 6000:
            return False
        texts, counts = [], []
        for m, (e, n, c) in enumerate(zip(extents, tile, count)):
            if e > 1 and r.percent(35):
                name = f"E{m}_{self.id}"
                multiple = n if e % n == 0 and r.percent(60) else 1
                self.params.append(f"param {name} : index" + (f" % {multiple}" if multiple > 1 else "") + f" in {multiple} .. {e};")
                self.tries[name] = [e, e, max(multiple, e - 1), max(multiple, e // 2), 1]
                texts.append(name)
                counts.append(f"ceil_div({name},{n})")
            else:
                texts.append(str(e))
                counts.append(str(-(-e // n)))
        piped = r.percent(65)
        at, loops, pipe = count_tiles(self, counts, piped)
        roles = piped and r.percent(35)
        stages = f" stages {r.choice([1, 2, 2, 3, 4, 8])}" if piped and (roles or r.percent(92)) else ""
        # a box begins at 128 bytes or, with a swizzle, at the swizzle's period
        if tile[self.inner] > self.row and prod(tile) * width // 2 % (128 << self.swizzle) != 0 and r.percent(90):
            return False
        halo = [0] * rank
        if r.percent(20):
            halo = [r.choice([0, 0, 1, n - 1]) if n > 1 else 0 for n in tile]
            halo[self.inner] = r.choice([0, 0, each, 1 if r.percent(10) else 0])
        load, use, bytes_ = [], [], 0
        whole = all(t.isdigit() and int(t) % n == 0 for t, n in zip(texts, tile)) and not any(halo)
        threads = r.choice([32, 64, 96, 128]) if roles else r.choice([32, 64, 128, 48])
        for i in range(r.choice([1, 1, 1, 2, 3])):
            source = self.source(i, element, tile, count, extents, texts)
            if not source:
                return False
            bytes_ += self.buffer(i, element, tile, stages) * (int(stages.split()[-1]) if stages else 1)
            how = r.choice(["tma.load", "tma.load", "bulk"])
            even_rows = texts[self.inner].isdigit() and extents[self.inner] * width % PIECE == 0 or "% " in "".join(self.params)
            if how == "bulk" and not even_rows and r.percent(85):
                how = "tma.load"
            pad = "" if whole and r.percent(60) else " pad 0"
            if r.percent(2):
                pad = r.choice(["", " pad 1" if element[0] in "us" else ""])
            if any(halo):
                cuts = []
                for a, n, h in zip(at, tile, halo):
                    cuts.append(f"{n}*{a} - {h} .. {n}*{a} + {n - h}" if h else f"{n}*{a} .. {n}*{a} + {n}")
                part = source + tup(cuts)
            else:
                part = f"local_tile({source}, {tup(tile)}, {tup(at)})"
            if how == "bulk":
                if not whole and not any(halo):
                    load.append(f"fill s{i}_{self.id} = 0;")
                pad = "" if r.percent(98) else " pad 0"
            load.append(f"copy {part} -> s{i}_{self.id} with {how}{pad};")
            target = f"B{i}_{self.id}"
            sizes = [c if n == 1 else str(n * int(c)) if c.isdigit() else f"{n}*{c}" for n, c in zip(tile, counts)]
            self.decls.append(f"tensor {target} : {element} global row{tup(sizes)};")
            thr = [1] * rank
            left = threads
            for m in r.order(rank):
                thr[m] = max(d for d in range(1, tile[m] + 1) if tile[m] % d == 0 and d <= left)
                left //= thr[m]
            tiled = f"t{i}_{self.id}"
            self.decls.append(f"tiled_copy {tiled} = tile(universal({8 * width}), thr={tup(thr)});")
            use.append(f"copy s{i}_{self.id} -> local_tile({target}, {tup(tile)}, {tup(at)}) with {tiled};")
            self.formals += [source, f"out {target}"]
        if bytes_ > 160_000:
            return False
        lines = ["tcp 1;", "arch sm_90;"] + self.params + self.decls
        grid = f" grid {tup(self.grid)}" if self.grid else ""
        lines.append(f"kernel k{self.id}({', '.join(self.formals)}){grid}" + ("" if roles else f" threads {threads}") + " {")
        lines += ["  " + b for b in self.before]
        indent = "  "
        for name, n in loops:
            lines.append(f"{indent}for {name} in 0 .. {n} {{")
            indent += "  "
        if piped:
            warps = f" warps (load = {r.choice([1, 1, 2])}, use = {threads // 32})" if roles else ""
            lines.append(f"{indent}pipeline n in 0 .. {counts[pipe]}{warps} {{")
            lines += [f"{indent}  load {{ {' '.join(load)} }}", f"{indent}  use {{ {' '.join(use)} }}", indent + "}"]
        else:
            lines += [indent + s for s in load + use]
        lines += [f"{'  ' * i}}}" for i in range(len(loops), -1, -1)]
        self.drawn = Drawn("\n".join(lines) + "\n", f"k{self.id}", self.tries)
        return True
