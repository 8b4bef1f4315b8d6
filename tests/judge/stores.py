"""Plans that are full of "tma.store", "bulk.store", "tma.reduce" and "bulk.reduce": a tile goes to shared memory and from there to a tensor.

The tensors that are stored to have pitches, padding, columns of which a part is stored, extents that end inside chunks of 16 bytes,
now and then overlapping strides and strides of 0, and other copies beside. Some are wrong on purpose.
"""
from math import prod

from blocks import PIECE
from boxes import TYPES, count_tiles
from generate import Draw, Drawn
from pieces import tup

INTEGERS = ("u32", "s32", "u64", "s64")
WIDTHS = {**TYPES, "u64": 8}


class Stores(Draw):
    """Draws a kernel with one or two tensors that get tiles by the block's copies."""

    def plan(self):
        while not self.try_plan():
            self.__init__(f"{self.r.random()}", self.id)
        return self.drawn

    def extent(self, m):
        """The extent along mode "m": even along rows, unless it is to be wrong; by a number or a param."""
        r, n, c = self.r, self.tile[m], self.count[m]
        step = self.each if m == self.inner else 1
        least = max(1, n * (c - 1) + 1)
        e = r.choice([n * c, n * c, r.randint(least, n * c)])
        e = -(-e // step) * step if r.percent(88) else e
        if e > step and r.percent(35):
            name = f"E{m}_{self.id}"
            by = n if e % n == 0 and r.percent(40) else step if r.percent(96) else 1
            if by < e and e % by == 0:
                self.params.append(f"param {name} : index" + (f" % {by}" if by > 1 else "") + f" in {by} .. {e};")
                self.tries[name] = [e, e, e - by, max(by, e // 2), by]
                return name, f"ceil_div({name},{n})"
        return str(e), str(-(-e // n))

    def strides(self, texts, most):
        """Strides of a tensor, rows first and the others in any order; "most": the extents they are made for."""
        r, each = self.r, self.each
        order = [m for m in range(len(most)) if m != self.inner]
        r.shuffle(order)
        strides, step = ["1"] * len(most), most[self.inner]
        for m in order:
            step = -(-step // each) * each + r.choice([0, 0, each, 3 * each])
            kind = r.random()
            if kind < 0.03:
                step += r.choice([1, each // 2])
            strides[m] = "0" if 0.03 < kind < 0.05 else str(max(each, step // 2)) if 0.05 < kind < 0.07 else str(step)
            step *= most[m]
        return (strides, step) if step < 60_000 else (None, 0)

    def target(self, i, element, texts, most):
        """Declares a tensor to store to; returns its name, the part that tiles are taken from, and the columns behind that part."""
        r, inner = self.r, self.inner
        texts, most, before, behind = list(texts), list(most), 0, 0
        if r.percent(30) and texts[inner].isdigit():  # a part of the columns
            before = self.each * r.choice([0, 1, 2]) + (r.randint(1, self.each - 1) if r.percent(5) else 0)
            behind = r.randint(0, 2 * self.each)
        cut = f"{before} .. {before + most[inner]}"
        most[inner] += before + behind
        if before + behind:
            texts[inner] = str(most[inner])
        strides, _ = self.strides(texts, most)
        if not strides:
            return None
        align = r.choice([16] * 15 + [32, 128, 8])
        name = f"C{i}_{self.id}"
        if not before + behind and r.percent(12):  # the tensor owns the padding of its rows
            e = texts[inner]
            texts[inner] = f"{self.each}*ceil_div({e},{self.each})" if not e.isdigit() else str(-(-int(e) // self.each) * self.each)
        self.decls.append(f"tensor {name} : {element} global {tup(texts)}:{tup(strides)} align {align};")
        if not before + behind:
            return name, name, None
        return name, self.columns(name, cut), (most[inner] - behind, most[inner])

    def columns(self, name, cut):
        return name + tup([cut if m == self.inner else "_" for m in range(len(self.tile))])

    def buffer(self, i, element, stages):
        """Declares a buffer: rows, then the other modes in any order, swizzled at times, with gaps at times."""
        r, inner = self.r, self.inner
        others = [m for m in range(len(self.tile)) if m != inner]
        r.shuffle(others)
        strides, step = [0] * len(self.tile), self.row
        for m in others:
            if r.percent(6) and not self.swizzle:
                step += r.choice([PIECE, 128]) // self.width
            strides[m] = step
            step *= self.tile[m]
        pieces = self.tile[inner] // self.row
        shape = tup(f"({self.row},{pieces})" if m == inner and pieces > 1 else self.tile[m] for m in range(len(self.tile)))
        places = tup((f"(1,{step})" if pieces > 1 else 1) if m == inner else strides[m] for m in range(len(self.tile)))
        swizzle = f"Sw<{self.swizzle},{self.each.bit_length() - 1},3> o " if self.swizzle else ""
        self.before.append(f"shared s{i}_{self.id} : {element} {swizzle}{shape}:{places}{stages};")
        return step * pieces * self.width

    def try_plan(self):
        r = self.r
        how = r.choice(["tma.store"] * 6 + ["bulk.store"] * 3 + [r.choice(["bulk", "tma"]) + ".reduce." + r.choice(["add", "min", "max"])] * 2)
        joins = "reduce" in how
        element = r.choice(INTEGERS if joins and r.percent(97) else list(TYPES))
        if element not in INTEGERS and joins and element[0] not in "us":
            return False  # the order of sums counts
        self.width, self.each = WIDTHS[element], PIECE // WIDTHS[element]
        rank = r.choice([1, 2, 2, 2, 3, 3, 4, 5])
        self.inner = r.randrange(rank)
        self.swizzle = r.choice([0, 0, 0, 1, 2, 3])
        self.row = self.each << self.swizzle if self.swizzle else self.each * r.choice([1, 1, 2, 4, 3])
        self.tile = [r.choice([1, 1, 2, 3, 4, 8]) for _ in range(rank)]
        self.tile[self.inner] = self.row * (r.choice([1, 1, 2]) if self.swizzle else 1)
        if not 2 <= prod(self.tile) <= 512:
            return False
        self.count = [r.choice([1, 1, 2, 2, 3]) for _ in self.tile]
        if prod(n * c for n, c in zip(self.tile, self.count)) > 4000:
            return False
        texts, counts = zip(*[self.extent(m) for m in range(rank)])
        most = [int(t) if t.isdigit() else max(self.tries[t]) for t in texts]
        piped = r.percent(40)
        at, loops, pipe = count_tiles(self, counts, piped)
        if joins and r.percent(40) and len(self.grid) < 3:  # blocks that join the same elements
            self.grid.append(str(r.choice([2, 3])))
        stages = f" stages {r.choice([1, 2, 3, 4])}" if piped else ""
        threads = r.choice([32, 64, 128, 48])
        source = f"A_{self.id}"
        strides, _ = self.strides(texts, most)
        if not strides:
            return False
        load = r.choice(["t", "t", "t", "tma.load"])
        self.decls.append(f"tensor {source} : {element} global {tup(texts)}:{tup(strides)} align 16;")
        thr, left = [1] * rank, threads
        for m in r.order(rank):
            thr[m] = max(d for d in range(1, self.tile[m] + 1) if self.tile[m] % d == 0 and d <= left)
            left //= thr[m]
        self.decls.append(f"tiled_copy t_{self.id} = tile(universal({8 * self.width}), thr={tup(thr)});")
        if load == "t":
            load = f"t_{self.id}"
        tiles = f"{tup(self.tile)}, {tup(at)}"
        if self.buffer(0, element, stages) * (int(stages.split()[-1]) if stages else 1) > 160_000:
            return False
        own = piped and r.percent(40)  # what is used is stored from another buffer, which a pipeline with roles needs
        roles = own and threads % 32 == 0 and r.percent(60)
        if own:
            self.buffer(1, element, "")
            self.use.append(f"copy s0_{self.id} -> s1_{self.id} with t_{self.id};")
        self.load.append(f"copy local_tile({source}, {tiles}) -> s0_{self.id} with {load} pad 0;")
        self.formals.append(source)
        for i in range(r.choice([1, 1, 1, 2])):
            made = self.target(i, element, texts, most)
            if not made:
                return False
            name, part, behind = made
            self.use.append(f"copy s{int(own)}_{self.id} -> local_tile({part}, {tiles}) with {how};")
            direction = "inout" if joins or behind or r.percent(20) else "out"
            if r.percent(2):
                direction = "out" if direction == "inout" else "inout"
            self.formals.append(f"{direction} {name}")
            if behind and not joins and r.percent(30):  # other columns by threads
                self.others(name, *behind, at)
            if r.percent(2):  # read, too, or stored again
                self.use.append(r.choice([f"copy s0_{self.id} -> local_tile({part}, {tiles}) with t_{self.id};",
                                          f"copy local_tile({part}, {tiles}) -> s0_{self.id} with t_{self.id} pad 0;"]))
        if r.percent(4):
            self.use.append(f"fill s0_{self.id} = 0;")
        warps = f" warps (load = {r.choice([1, 2, threads // 32])}, use = {threads // 32})" if roles else ""
        self.write(loops, counts, pipe, threads, warps)
        return True

    def others(self, name, low, high, at):
        """The columns behind the part, by accesses of threads, once for each tile of the other modes."""
        n = high - low
        if not 0 < n <= self.tile[self.inner] or self.count[self.inner] > 1:
            return
        tile = tup([n if m == self.inner else size for m, size in enumerate(self.tile)])
        first = tup(["0" if m == self.inner else a for m, a in enumerate(at)])
        thr = tup([1] * len(self.tile))
        self.use.append(f"copy {self.columns(f's0_{self.id}', f'0 .. {n}')} -> local_tile({self.columns(name, f'{low} .. {high}')}, {tile}, {first}) "
                        f"with tile(universal({8 * self.width}), thr={thr});")

    def write(self, loops, counts, pipe, threads, warps):
        lines = ["tcp 1;", "arch sm_90;"] + self.params + self.decls
        grid = f" grid {tup(self.grid)}" if self.grid else ""
        lines.append(f"kernel k{self.id}({', '.join(self.formals)}){grid}" + ("" if warps else f" threads {threads}") + " {")
        lines += ["  " + b for b in self.before]
        indent = "  "
        for name, n in loops:
            lines.append(f"{indent}for {name} in 0 .. {n} {{")
            indent += "  "
        if pipe is not None:
            lines += [f"{indent}pipeline n in 0 .. {counts[pipe]}{warps} {{", f"{indent}  load {{ {' '.join(self.load)} }}",
                      f"{indent}  use {{ {' '.join(self.use)} }}", indent + "}"]
        else:
            lines += [indent + s for s in self.load + self.use]
        lines += [f"{'  ' * i}}}" for i in range(len(loops), -1, -1)]
        self.drawn = Drawn("\n".join(lines) + "\n", f"k{self.id}", self.tries)
