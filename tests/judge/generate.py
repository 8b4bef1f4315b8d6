"""Draws whole plans: a kernel that takes tensors to tensors, tile by tile, over shared memory and registers.

What is drawn is right most of the time, and the judge says whether it is; some are changed in a place (mutate.py), and then they
are wrong most of the time.
"""
from math import prod

from pieces import (BITS, NUMBERS, Axis, Chance, draw_axis, draw_tile, draw_tiling, global_layout, named, shared_layout, times, tup)


class Drawn:
    """A plan: its text, the kernel's name, and for each param numbers that are worth trying."""

    def __init__(self, text, kernel, tries):
        self.text, self.kernel, self.tries = text, kernel, tries
        self.device = None  # what devices.py adds
        self.meant = None   # the text for the judge, if it does not read this one
        self.far = False    # a launcher may say that something does not fit 64 bits (far.py)


class Driver:
    """Who counts the tiles of a mode: the text "at" of the tile's number, and the (name, from, to) of loops around the body."""

    def __init__(self, at, loops=()):
        self.at, self.loops = at, list(loops)


class Place:
    """Where a tile is on its way: the text of a view of it, its space and element type, and the mode that is contiguous."""

    def __init__(self, text, space, element, lead, whole=None):
        self.text, self.space, self.element, self.lead, self.whole = text, space, element, lead, whole


class Draw:
    """One plan under way."""

    def __init__(self, seed, index):
        self.r = Chance(f"{seed}.{index}")
        self.id = str(index)
        self.tries, self.decls, self.grid, self.params, self.formals = {}, [], [], [], []
        self.count, self.threads, self.exact = 0, 1, 0
        self.before, self.load, self.use = [], [], []
        self.ranged = False  # tensors are parts of larger ones, and tiles are cut by ranges

    def name(self, stem):
        self.count += 1
        return f"{stem}{self.count}_{self.id}"

    # -- what is copied, and who counts its tiles ----------------------------------------------------------------------------

    def shape(self):
        """Draws the tile, the extents, and how many warps share a block's tile (0: nobody asks for warps)."""
        r = self.r
        self.rank = r.choice([1, 2, 2, 2, 2, 3])
        self.tile = draw_tile(r, self.rank, r.choice([32, 64, 128, 256]))
        self.warps = r.choice([1, 2, 3]) if r.percent(12) and prod(self.tile) <= 128 else 0
        self.named = r.percent(12)
        self.ranged = r.percent(15)
        static = r.percent(40)
        self.whole_tile = [n * (self.warps if m == 0 and self.warps else 1) for m, n in enumerate(self.tile)]
        self.axes = [draw_axis(r, self.params, self.tries, f"{'MNK'[m]}{self.id}", self.whole_tile[m], static or r.percent(25),
                               narrow=self.rank == 3) for m in range(self.rank)]
        self.whole = all(a.whole for a in self.axes)

    def counter(self, m, axis):
        """Says who counts the tiles of mode "m"."""
        r, n, loop = self.r, axis.count, self.name("i")
        block = f"block.{'xyz'[len(self.grid)]}" if len(self.grid) < 3 else None
        kind = r.random()
        if n == "1" and kind < 0.6:
            return Driver("0")
        if block and kind < 0.45:
            self.grid.append(n if r.percent(93) else f"2*{n}" if n.isdigit() is False and "(" not in n else str(int(n) + 1)
                             if n.isdigit() else n)
            return Driver(block)
        k = r.choice([2, 3])
        several = f"ceil_div({axis.extent},{k * axis.tile})"
        if block and kind < 0.55:  # a block has several tiles that follow one another
            self.grid.append(several)
            return Driver(f"{k}*{block} + {loop}", [(loop, "0", str(k))])
        if block and kind < 0.62:
            self.grid.append(several)
            return Driver(loop, [(loop, f"{block}*{k}", r.choice([f"{block}*{k} + {k}", f"({block} + 1)*{k}"]))])
        if block and kind < 0.68:  # or as far apart as there are blocks
            self.grid.append(str(k))
            return Driver(f"{block} + {k}*{loop}", [(loop, "0", several)])
        if block and kind < 0.71 and n.isdigit() and not self.grid:
            self.grid.append(n)
            return Driver(f"{block} % {n}")
        if block and kind < 0.715 and axis.static is None:
            portions = f"P{self.id}{m}"
            self.params.append(f"param {portions} : index in 1 .. {r.choice([4, 1000])};")
            self.tries[portions] = [1, 2, 3]
            self.grid.append(portions)
            return Driver(loop, [(loop, f"{block} * ({n}) / {portions}", f"({block} + 1) * ({n}) / {portions}")])
        if kind < 0.88 or self.pipeline:
            return Driver(loop, [(loop, "0", n if r.percent(85) else f"{n} + {r.choice([1, 2])}")])
        if kind < 0.91:
            return Driver(f"{n} - 1 - {loop}", [(loop, "0", n)])
        self.pipeline = (loop, "0", n)
        return Driver(loop)

    def counters(self):
        r = self.r
        self.drivers, self.pipeline = [], None
        for m, axis in enumerate(self.axes):
            driver = self.counter(m, axis)
            if self.pipeline is None and driver.loops and r.percent(35):
                self.pipeline = driver.loops.pop()
            self.drivers.append(driver)
        # two modes on one axis of the grid
        both = [i for i, d in enumerate(self.drivers) if d.at in ("block.x", "block.y") and self.axes[i].count.isdigit()]
        if len(both) == 2 and len(self.grid) == 2 and r.percent(50):
            a, b = (int(self.axes[i].count) for i in both)
            self.grid = [str(a * b)]
            self.drivers[both[0]].at, self.drivers[both[1]].at = f"block.x % {a}", f"block.x / {a}"
        self.stages = f" stages {r.choice([1, 2, 2, 3, 4])}" if r.percent(85) else ""

    # -- places --------------------------------------------------------------------------------------------------------------

    def tensor(self, stem, element, source, padded=False):
        """Declares a global tensor; returns its name and a function from (whether warps share) to the place of its tile."""
        r, name = self.r, self.name(stem)
        axes = self.axes
        if padded:
            axes = [Axis(f"{a.tile}*ceil_div({a.extent},{a.tile})" if a.static is None else str(-(-a.static // a.tile) * a.tile),
                         a.tile, a.count, True, None if a.static is None else -(-a.static // a.tile) * a.tile) for a in axes]
        before = [0] * self.rank
        inner = axes
        if self.ranged and r.percent(70):  # a part of what is larger
            before, axes = zip(*[self.margins(a) for a in axes])
        order = r.order(self.rank) if r.percent(25) else list(range(self.rank))
        letters = ["abc"[m] for m in order] if self.named else None
        layout, lead = global_layout(r, [axes[m] for m in order], self.params, self.tries, f"{self.count}_{self.id}", source, letters)
        lead = None if lead is None else order[lead]
        width = BITS[element] // 8
        align = r.choice([None, None, 16, 16, 16, 16, 32, width, max(width, 8)])
        self.decls.append(f"tensor {name} : {element} global {layout}" + (f" align {align}" if align else "") + ";")
        declared = name
        if axes is not inner:
            cuts = [f"{before[m]} .. {self.sum(before[m], inner[m].extent)}" if axes[m] is not inner[m] or r.percent(30) else "_"
                    for m in order]
            name = f"{name}{named(cuts, letters)}"
        by_ranges = self.ranged and r.percent(30 if self.whole else 3)
        masked = r.randrange(self.rank) if r.percent(15) and not self.named else None
        divided = r.choice(["flat_divide", "tiled_divide", "zipped_divide"]) if r.percent(6) and not self.named else None

        def place(warp):
            tiles, at = [], []
            for m in order:
                all_of_it = not by_ranges and not letters and not warp and inner[m].static == self.whole_tile[m] and r.percent(60)
                tiles.append("_" if all_of_it else self.tile[m] if warp else self.whole_tile[m])
                mine = self.drivers[m].at
                if warp and m == 0:
                    mine = "warp" if mine == "0" else f"{self.warps}*({mine}) + warp" if not mine.isalnum() else f"{self.warps}*{mine} + warp"
                at.append(mine)
            if by_ranges:
                text = f"{name}{named([f'{n} * ({i}) .. {n} * ({i}) + {n}' for n, i in zip(tiles, at)], letters)}"
            elif divided and not warp:
                blank = ["_"] * self.rank
                text = {"flat_divide": f"flat_divide({name}, {tup(tiles)}){tup(blank + at)}",
                        "tiled_divide": f"tiled_divide({name}, {tup(tiles)}){tup([tup(blank)] + at)}",
                        "zipped_divide": f"zipped_divide({name}, {tup(tiles)}){tup([tup(blank), tup(at)])}"}[divided]
            elif masked is None and not letters and r.percent(15):  # a mode of another operand's, projected away
                p = r.randrange(self.rank + 1)
                text = (f"local_tile({name}, {tup(tiles[:p] + ['7'] + tiles[p:])}, {tup(at[:p] + ['0'] + at[p:])}, "
                        f"{tup(['1'] * p + ['_'] + ['1'] * (self.rank - p))})")
            elif masked is None:
                text = f"local_tile({name}, {named(tiles, letters)}, {named(at, letters)})"
            else:
                text = (f"local_tile({name}, {tup(tiles)}, {tup('_' if i == masked else w for i, w in enumerate(at))})"
                        f"{tup(['_'] * self.rank + [at[masked]])}")
            if order != sorted(order):
                back = [order.index(m) for m in range(self.rank)]
                if not (self.named and r.percent(50) and self.all_named):
                    text = f"select({text}, {tup(back)})"
            return Place(text, "global", element, lead)

        return declared, place

    def margins(self, axis):
        """What lies before the part of a larger axis that is "axis", and the larger one; beside a param it is as long as that."""
        r = self.r
        if axis.static is None:
            low, high = r.choice([(0, 1), (1, 0), (1, 1), (0, 0)])
            if low == high == 0:
                return 0, axis
            return (axis.extent if low else 0), Axis(times(1 + low + high, axis.extent), axis.tile, axis.count, False, None)
        low, high = r.choice([0, 1, 2, 4, 8, 16]), r.choice([0, 1, 4, 7, 8])
        if low == high == 0:
            return 0, axis
        n = low + axis.static + high
        return low, Axis(str(n), axis.tile, axis.count, False, n)

    @staticmethod
    def sum(a, b):
        """The text of a sum, of the same text twice as a product."""
        if str(a).isdigit() and str(b).isdigit():
            return str(int(a) + int(b))
        return str(b) if str(a) == "0" else times(2, a)

    def shared(self, element, stages=""):
        """Declares a shared buffer; returns a function to its place."""
        r, name = self.r, self.name("s")
        letters = "abc"[:self.rank] if self.named else None
        layout, lead = shared_layout(r, self.whole_tile, letters)
        self.before.append(f"shared {name} : {element} {layout}{stages};")

        def place(warp):
            if not warp:
                return Place(name, "shared", element, lead, name)
            return Place(f"local_tile({name}, {named(self.tile, letters)}, {named(['warp'] + [0] * (self.rank - 1), letters)})", "shared",
                         element, lead, name)
        return place

    # -- copies --------------------------------------------------------------------------------------------------------------

    def atom(self, element, other, tiling):
        """An atom for a copy between two types."""
        r, bits = self.r, max(BITS[element], BITS[other])
        kind = r.random()
        if kind < 0.8:
            return f"auto({r.choice([b for b in (8, 16, 32, 64, 128, 128, 128) if b >= bits])})"
        if kind < 0.92:
            return f"universal({bits})"
        run = tiling.run if tiling else 1
        return f"universal({r.choice([b for b in (8, 16, 32, 64, 128) if b == bits or b > bits and run % (b // bits) == 0])})"

    def tiling(self, lead, warp, across=None):
        r = self.r
        tiling = draw_tiling(r, self.tile if warp else self.whole_tile, 32 if warp else self.exact or 64, lead, r.percent(93), across)
        self.threads = max(self.threads, 32 * self.warps if warp else tiling.threads)
        return tiling

    def hinted(self, atom, src, dst):
        """The atom of a copy, with cache hints at times."""
        r, hints = self.r, []
        if not atom.endswith(")") or r.percent(75):
            return atom
        asynchronous = atom.startswith("cp_async")
        one = ["cg", "cs", "L1.no_allocate", "L1.evict_first", "L1.evict_last", "L1.evict_unchanged"]
        two = ["L2.evict_first", "L2.evict_last"]
        for key, place in (("ld", src), ("st", dst)):
            if (place.space != "global" or asynchronous and key == "st") and not r.percent(3):
                continue
            kinds = [two] if asynchronous else [one, two] + [["nc"]] * (key == "ld" and r.percent(70))
            words = [r.choice(kind) for kind in kinds if r.percent(50)]
            r.shuffle(words)
            hints += [f"{key}={'.'.join(words)}"] if words else []
            hints += [f"l2={r.choice([64, 128, 256])}"] if key == "ld" and r.percent(30) else []
        r.shuffle(hints)
        return "".join([atom[:-1]] + [", " + hint for hint in hints] + [")"])

    def declare(self, atom, tiling):
        text = f"tile({atom}, {tiling.text})"
        if self.r.percent(15) and "map=" not in text:
            return text
        name = self.name("t")
        self.decls.append(f"tiled_copy {name} = {text};")
        return name

    def number(self, element):
        r = self.r
        if element[0] in "us":
            return str(r.choice([0, 0, 1, 7, 100] + ([-1, -100] if element[0] == "s" else [])))
        return "0" if element not in NUMBERS else r.choice(["0", "0", "1", "-0.5", "7", "1.5"])

    def copy(self, into, src, dst, warp, pad=""):
        """Adds a copy between memories; one in some by each thread for itself."""
        r = self.r
        lead = dst.lead if src.lead is None or dst.space == "global" and r.percent(60) else src.lead
        tiling = self.tiling(lead, warp)
        atom = self.atom(src.element, dst.element, tiling if src.lead == dst.lead == lead else None)
        width = BITS[src.element] // 8
        if src.space == "global" and dst.space == "shared" and src.element == dst.element and r.percent(55):
            fits = [b for b in (4, 8, 16) if b % width == 0 and tiling.run % (b // width) == 0]
            if src.lead != dst.lead or src.lead != lead or r.percent(50):  # several elements at once want both sides to run alike
                fits = [b for b in fits if b == max(width, 4)] if width >= 4 or src.lead == dst.lead == lead else []
            if fits and (not pad or r.percent(70)):
                size = r.choice(fits[:1] + fits)
                atom = f"cp_async.c{'g' if size == 16 and r.percent(50) else 'a'}({size})"
                pad = " pad 0" if pad else ""
        atom = self.hinted(atom, src, dst)
        if not warp and r.percent(10) and not self.exact and tiling.threads >= self.threads and tiling.fits(self.whole_tile):
            self.threads = self.exact = tiling.threads
            all_of_it = tiling.tile == self.whole_tile
            if all_of_it and r.percent(40):  # owners of the whole, for the block or composed for each thread
                owners = self.name("o")
                self.decls.append(f"layout {owners} = {tiling.layout()};")
                if r.percent(50):
                    into.append(f"copy {src.text} -> {dst.text} by {owners}{pad};")
                else:
                    own = f"auto({r.choice([64, 128])})"
                    into.append(f"copy ({src.text} o {owners})(tid,_) -> ({dst.text} o {owners})(tid,_) with {own}{pad};")
                return
            if self.rank > 1 and self.whole_tile[0] == tiling.threads and r.percent(60):  # a row for each thread
                row = tup(["tid"] + ["_"] * (self.rank - 1))
                into.append(f"copy {src.text}{row} -> {dst.text}{row} with auto({r.choice([64, 128])}){pad};")
                return
            if r.percent(50):
                thr = tup(tiling.thr)
                own = f"auto({r.choice([64, 128])})"
                into.append(f"copy local_partition({src.text}, {thr}, tid) -> local_partition({dst.text}, {thr}, tid) with {own}{pad};")
                return
            name = self.declare(atom, tiling)
            if "tile(" not in name:
                loop, m = self.name("q"), r.randrange(self.rank)
                rounds = -(-self.whole_tile[m] // tiling.tile[m])
                part = tup(["_"] + [loop if i == m else "_" for i in range(self.rank)])
                from_, to = self.name("from"), self.name("to")
                into += [f"let {from_} = partition_src({name}, {src.text});", f"let {to} = partition_dst({name}, {dst.text});",
                         f"for {loop} in 0 .. {rounds} {{", f"  copy {from_}{part} -> {to}{part} with {name}{pad};", "}"]
                return
        into.append(f"copy {src.text} -> {dst.text} with {self.declare(atom, tiling)}{pad};")

    def through_registers(self, into, src, dst, element, warp, pad):
        """Adds a copy to a fragment and one from there on, by threads with the same elements."""
        r, name = self.r, self.name("r")
        leads = [src.lead, dst.lead] if r.percent(60) else [dst.lead, src.lead]
        # a block that is turned in registers, where the two sides run along different modes
        turned = src.lead != dst.lead and None not in leads and r.percent(80)
        tiling = self.tiling(leads[0], warp, leads[1] if turned else None)
        first = self.declare(self.atom(src.element, element, tiling), tiling)
        second = first if turned or r.percent(60) else self.declare(self.atom(element, dst.element, tiling), tiling)
        self.before.append(f"frag {name} : {element} like {first};" if "tile(" not in first or r.percent(30) else
                           f"frag {name} : {element} {tup([tiling.values * tiling.rounds(self.tile if warp else self.whole_tile)])};")
        if pad and r.percent(20):
            into.append(f"fill {name} = {self.number(element)};")
            pad = ""
        into += [f"copy {src.text} -> {name} with {first}{pad};", f"copy {name} -> {dst.text} with {second};"]

    def types(self, hops):
        """A type for each station of a chain."""
        r = self.r
        if r.percent(65):
            return [r.choice(list(BITS)) if r.percent(50) else r.choice(["f32", "f16", "f32", "u8"])] * (hops + 2)
        out = [r.choice(NUMBERS)]
        changes = r.sample(range(1, hops + 2), k=min(hops + 1, r.choice([1, 1, 2])))
        for i in range(1, hops + 2):
            out.append(r.choice(NUMBERS) if i in changes else out[-1])
        return out

    def chain(self):
        """Statements from a source to a destination, over "hops" stations; with a pipeline the first one is what is loaded."""
        r, inside = self.r, self.pipeline is not None
        hops = r.choice([1, 1, 1, 2]) if inside else r.choice([0, 1, 1, 1, 2, 2, 3])
        registers = [not (i == 0 and inside) and r.percent(35) for i in range(hops)]
        registers = [x and not any(registers[:i][-1:]) for i, x in enumerate(registers)]
        self.all_named = not any(registers)
        types = self.types(hops)
        in_place = hops > 0 and not any(registers) and not inside and r.percent(6)
        filled = hops > 0 and r.percent(30) and not self.whole and not in_place
        source, source_at = self.tensor("A", types[0], True)
        if in_place:
            target_at, types[-1] = source_at, types[0]
            self.formals.append("inout " + source)
        else:
            target, target_at = self.tensor("B", types[-1], False, padded=filled)
            wholly = r.percent(95) and not self.ranged
            self.formals += [source, ("out " if wholly else "inout ") + target]
        at, into = source_at, self.load if inside else self.use
        pad_due = filled or hops > 1 and not self.whole
        warp = bool(self.warps)
        i = 0
        while i < hops:
            mine = warp and r.percent(80)
            pad = f" pad {self.number(types[i + 1])}" if pad_due else ""
            if registers[i]:
                # what is in registers goes on by the same threads: to the next station, or to the end
                last = i + 1 == hops
                to = target_at if last else self.shared(types[i + 2])
                self.through_registers(into, at(mine), to(mine), types[i + 1], mine, pad)
                at = None if last else to
                i += 2
            else:
                to = self.shared(types[i + 1], self.stages if i == 0 and inside else "")
                if pad and r.percent(25) and not (i == 0 and inside):
                    into.append(f"fill {to(False).text} = {self.number(types[i + 1])};")
                    pad = ""
                self.copy(into, at(mine), to(mine), mine, pad)
                at = to
                i += 1
            pad_due, into = False, self.use
        if at is not None:
            mine = warp and r.percent(70)
            self.copy(self.use, at(mine), target_at(mine), mine)

    # -- the whole -----------------------------------------------------------------------------------------------------------

    def in_order(self, statements):
        """The statements of a manual kernel: after each copy a wait and a barrier."""
        out = []
        for s in statements:
            out.append(s)
            if s.startswith("copy") or s.startswith("fill") or s == "}":
                out += ["commit;", "wait 0;"] if self.commits(s) else []
                out.append("sync;")
        return out

    def commits(self, s):
        name = s.rsplit(" with ", 1)[-1].split(" pad")[0].rstrip(";")
        return "cp_async" in s or any(f" {name} = tile(cp_async" in d for d in self.decls)

    def plan(self):
        r = self.r
        self.shape()
        self.counters()
        for _ in range(1 if r.percent(80) else 2):
            self.chain()
        return self.text()

    def text(self):
        """The plan of what was drawn."""
        r = self.r
        manual = self.pipeline is None and r.percent(10) and not any(s.startswith("for") for s in self.use)
        if manual:
            self.use = self.in_order(self.use)
        kernel = f"k{self.id}"
        threads = f" threads {self.threads}"
        if not self.exact and not self.warps:
            threads = r.choice(["", threads, f" threads {self.threads + r.choice([0, 1, 32])}"])
        lines = ["tcp 1;"] + self.params + self.decls
        grid = f" grid {tup(self.grid)}" if self.grid else r.choice(["", " grid (1)"])
        lines.append(f"{'manual ' if manual else ''}kernel {kernel}({', '.join(self.formals)}){grid}{threads} {{")
        lines += ["  " + b for b in self.before]
        indent = "  "
        for name, lo, hi in [loop for d in self.drivers for loop in d.loops]:
            lines.append(f"{indent}for {name} in {lo} .. {hi} {{")
            indent += "  "
        if self.pipeline:
            name, lo, hi = self.pipeline
            lines.append(f"{indent}pipeline {name} in {lo} .. {hi} {{")
            for part, body in (("load", self.load), ("use", self.use)):
                lines += [f"{indent}  {part} {{"] + [f"{indent}    {s}" for s in body] + [indent + "  }"]
            lines.append(indent + "}")
        else:
            lines += [indent + s for s in self.use]
        while indent:
            indent = indent[2:]
            lines.append(indent + "}")
        return Drawn("\n".join(lines) + "\n", kernel, self.tries)
