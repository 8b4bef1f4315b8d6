"""Draws whole plans: a kernel that takes tensors to tensors, tile by tile, over shared memory and registers.

What is drawn is right most of the time, and the judge says whether it is; some are changed in a place (mutate.py), and then they
are wrong most of the time.
"""
from math import prod

from mutate import mutate
from pieces import (BITS, BY_WIDTH, NUMBERS, Chance, draw_axis, draw_tile, draw_tiling, global_layout, shared_layout, tup)


class Drawn:
    """A plan: its text, the kernel's name, and for each param numbers that are worth trying."""

    def __init__(self, text, kernel, tries):
        self.text, self.kernel, self.tries = text, kernel, tries


class Driver:
    """Who counts the tiles of a mode: text "at" of the tile's number; "loops" (name, from, to) around the body."""

    def __init__(self, at, loops=(), extent=None):
        self.at, self.loops, self.extent = at, list(loops), extent


class Draw:
    """One plan under way."""

    def __init__(self, seed, index):
        self.r = Chance(f"{seed}.{index}")
        self.id = str(index)
        self.head, self.tries, self.decls, self.body, self.names = [], {}, [], [], 0
        self.grid, self.params, self.lines = [], [], []
        self.threads = 1
        self.asynchronous = False

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}_{self.id}"

    # -- what is copied ------------------------------------------------------------------------------------------------------

    def shape(self):
        r = self.r
        self.rank = r.choice([1, 2, 2, 2, 2, 3])
        self.tile = draw_tile(r, self.rank, r.choice([32, 64, 128, 256]))
        self.static = r.percent(40)
        self.axes = []
        for m in range(self.rank):
            static = self.static or r.percent(25)
            self.axes.append(draw_axis(r, self.params, self.tries, f"{'MNK'[m]}{self.id}", self.tile[m], static,
                                       narrow=self.rank == 3))
        self.whole = all(a.whole for a in self.axes)

    def types(self, hops):
        """A type for each station of a chain."""
        r = self.r
        if r.percent(65):
            t = r.choice(list(BITS)) if r.percent(50) else r.choice(["f32", "f16", "f32", "u8"])
            return [t] * (hops + 2)
        out = [r.choice(NUMBERS)]
        changes = r.sample(range(1, hops + 2), k=min(hops + 1, r.choice([1, 1, 2])))
        for i in range(1, hops + 2):
            out.append(r.choice(NUMBERS) if i in changes else out[-1])
        return out

    def counters(self):
        """Says who counts the tiles of each mode."""
        r = self.r
        self.drivers, self.pipeline = [], None
        axes = list(enumerate(self.axes))
        self.order = []
        for m, axis in axes:
            block = f"block.{'xyz'[len(self.grid)]}" if len(self.grid) < 3 else None
            n = axis.count
            loop = self.name("i")
            kind = r.random()
            if n == "1" and kind < 0.6:
                self.drivers.append(Driver("0"))
            elif block and kind < 0.45:
                self.grid.append(n)
                self.drivers.append(Driver(block))
            elif block and kind < 0.55:  # a block has several tiles that follow one another
                k = r.choice([2, 3])
                per = k * axis.tile
                self.grid.append(f"ceil_div({axis.extent},{per})")
                self.drivers.append(Driver(f"{k}*{block} + {loop}", [(loop, "0", str(k))]))
            elif block and kind < 0.62:
                k = r.choice([2, 3])
                self.grid.append(f"ceil_div({axis.extent},{k * axis.tile})")
                self.drivers.append(Driver(loop, [(loop, f"{block}*{k}", r.choice([f"{block}*{k} + {k}", f"({block} + 1)*{k}"]))]))
            elif block and kind < 0.68:  # or as far apart as there are blocks
                g = r.choice([2, 3])
                self.grid.append(str(g))
                self.drivers.append(Driver(f"{block} + {g}*{loop}", [(loop, "0", f"ceil_div({axis.extent},{g * axis.tile})")]))
            elif block and kind < 0.71 and axis.static is not None and len(self.grid) == 0:
                a = int(n)
                g = r.choice([1, 2, 3])
                self.grid.append(str(a * g) if g == 1 else str(a))
                self.drivers.append(Driver(f"{block} % {a}"))
            elif block and kind < 0.74 and not axis.static:
                portions = f"P{self.id}{m}"
                self.params.append(f"param {portions} : index in 1 .. {r.choice([4, 1000])};")
                self.tries[portions] = [1, 2, 3]
                self.grid.append(portions)
                self.drivers.append(Driver(loop, [(loop, f"{block} * ({n}) / {portions}", f"({block} + 1) * ({n}) / {portions}")]))
            elif kind < 0.88 or self.pipeline:
                end = n if r.percent(85) else f"{n} + {r.choice([1, 2])}"
                self.drivers.append(Driver(loop, [(loop, "0", end)]))
            elif kind < 0.91:
                self.drivers.append(Driver(f"{n} - 1 - {loop}", [(loop, "0", n)]))
            else:
                self.pipeline = (loop, "0", n)
                self.drivers.append(Driver(loop))
            if self.pipeline is None and self.drivers[-1].loops and r.percent(35):
                self.pipeline = self.drivers[-1].loops.pop()
        # two modes on one axis of the grid
        both = [i for i, d in enumerate(self.drivers) if d.at in ("block.x", "block.y") and self.axes[i].static is not None]
        if len(both) == 2 and len(self.grid) == 2 and r.percent(50):
            a, b = (int(self.axes[i].count) for i in both)
            self.grid = [str(a * b)]
            self.drivers[both[0]].at, self.drivers[both[1]].at = f"block.x % {a}", f"block.x / {a}"

    # -- tensors and their tiles ---------------------------------------------------------------------------------------------

    def tensor(self, stem, element, source, padded=False):
        """Declares a global tensor; returns what names its tile, and the mode of the tile that is contiguous."""
        r, name = self.r, self.name(stem)
        axes = self.axes
        if padded:
            axes = [type(a)(f"{a.tile}*ceil_div({a.extent},{a.tile})" if not a.static else str(-(-a.static // a.tile) * a.tile), a.tile,
                            a.count, True, None if a.static is None else -(-a.static // a.tile) * a.tile) for a in axes]
        order = r.order(self.rank) if r.percent(25) else list(range(self.rank))
        layout, lead = global_layout(r, [axes[m] for m in order], self.params, self.tries, f"{self.names}_{self.id}", source)
        lead = None if lead is None else order[lead]
        width = BITS[element] // 8
        align = r.choice([None, None, 16, 16, 16, 16, 32, width, max(width, 8)])
        self.decls.append(f"tensor {name} : {element} global {layout}" + (f" align {align}" if align else "") + ";")
        where = [self.drivers[m].at for m in order]
        tile = [self.tile[m] for m in order]
        text = f"local_tile({name}, {tup(tile)}, {tup(where)})"
        if r.percent(15):
            keep = r.randrange(self.rank)
            masked = [w if m != keep else "_" for m, w in enumerate(where)]
            text = f"local_tile({name}, {tup(tile)}, {tup(masked)}){tup(['_'] * self.rank + [where[keep]])}"
        if order != sorted(order):
            back = [order.index(m) for m in range(self.rank)]
            text = f"select({text}, {tup(back)})"
        return name, text, lead

    def atom(self, element, other, lead_ok, space):
        """An atom for a copy between two types."""
        r = self.r
        bits = max(BITS[element], BITS[other])
        if space == "async":
            return r.choice(["cp_async.ca(4)", "cp_async.ca(8)", "cp_async.ca(16)", "cp_async.cg(16)"])
        kind = r.random()
        if kind < 0.7 or not lead_ok and kind < 0.85:
            return f"auto({r.choice([b for b in (8, 16, 32, 64, 128, 128, 128) if b >= bits])})"
        if kind < 0.9:
            return f"universal({bits})"
        return f"universal({r.choice([b for b in (8, 16, 32, 64, 128) if b >= bits])})"

    def tiled(self, atom, lead, most=64, tile=None, dividing=True):
        """Declares a tiled copy over the tile; returns its name and the tiling."""
        r = self.r
        tiling = draw_tiling(r, tile or self.tile, most, lead, dividing and r.percent(93))
        name = self.name("t")
        self.decls.append(f"tiled_copy {name} = tile({atom}, {tiling.text});")
        self.threads = max(self.threads, tiling.threads)
        return name, tiling

    def number(self, element):
        r = self.r
        if element[0] == "u":
            return str(r.choice([0, 0, 1, 7, 100]))
        if element[0] == "s":
            return str(r.choice([0, 0, 1, 7, -1, -100]))
        if element[0] == "b" and element != "bf16":
            return "0"
        return r.choice(["0", "0", "1", "-0.5", "7", "1.5"])

    # -- a chain -------------------------------------------------------------------------------------------------------------

    def cp_async_for(self, element, lead, tiling_run):
        """The bytes that an asynchronous copy may move at once, or None."""
        width = BITS[element] // 8
        fits = [b for b in (4, 8, 16) if b % width == 0 and b // width <= tiling_run]
        return self.r.choice(fits) if fits else None

    def chain(self, inside):
        """Statements from a new source to a new destination; "inside": into a pipeline's parts (load, use)."""
        r = self.r
        hops = r.choice([1, 1, 1, 2]) if inside else r.choice([0, 1, 1, 1, 2, 2, 3])
        types = self.types(hops)
        filled = hops > 0 and r.percent(30) and not all(a.whole for a in self.axes)
        source, from_, lead = self.tensor("A", types[0], True)
        target, to, out_lead = self.tensor("B", types[-1], False, padded=filled)
        self.formals += [source, "out " + target]
        load, use, at, before = [], [], from_, []
        here = load if inside else use
        where, lead_here = "global", lead
        pad_due = filled or hops > 1 and not self.whole
        last = None
        for i in range(hops):
            element, was = types[i + 1], types[i]
            last = i == hops - 1
            shared = (i == 0 and inside) or r.percent(65)
            pad = ""
            if pad_due:
                pad = f" pad {self.number(element)}"
                pad_due = False
            if shared:
                name = self.name("s")
                layout, s_lead = shared_layout(r, self.tile)
                stages = f" stages {r.choice([1, 2, 2, 3, 4])}" if i == 0 and inside and r.percent(85) else ""
                before.append(f"shared {name} : {element} {layout}{stages};")
                if pad and r.percent(25) and not (i == 0 and inside):
                    here.append(f"fill {name} = {pad[5:]};")
                    pad = ""
                tiling_lead = lead_here if lead_here is not None else s_lead
                atom = self.atom(was, element, tiling_lead is not None, "")
                tiling = draw_tiling(r, self.tile, 64, tiling_lead, r.percent(93))
                if where == "global" and was == element and r.percent(55):
                    size = self.cp_async_for(element, lead_here, tiling.run)
                    if size and (not pad or r.percent(70)):
                        atom = f"cp_async.c{'g' if size == 16 and r.percent(50) else 'a'}({size})"
                        pad = " pad 0" if pad else ""
                        self.asynchronous = True
                tc = self.declare(atom, tiling)
                here.append(f"copy {at} -> {name} with {tc}{pad};")
                at, where, lead_here = name, "shared", s_lead
                here = use
            else:
                name = self.name("r")
                tc, tiling = self.tiled(self.atom(was, element, True, ""), lead_here)
                after_type = types[i + 2]
                before.append(f"frag {name} : {element} like {tc};")
                here.append(f"copy {at} -> {name} with {tc}{pad};")
                here = use
                # what is in registers goes on by the same threads, to memory
                if last:
                    use.append(f"copy {name} -> {to} with {self.same(tc, tiling, element, after_type)};")
                    at = None
                else:
                    nxt = self.name("s")
                    layout, s_lead = shared_layout(r, self.tile)
                    before.append(f"shared {nxt} : {element} {layout};")
                    use.append(f"copy {name} -> {nxt} with {self.same(tc, tiling, element, element)};")
                    types[i + 1] = element
                    at, where, lead_here = nxt, "shared", s_lead
        if at is not None:
            tc, _ = self.tiled(self.atom(types[hops], types[-1], True, ""), out_lead if r.percent(60) else lead_here)
            use.append(f"copy {at} -> {to} with {tc};")
        return before, load, use

    def same(self, tc, tiling, element, other):
        """A tiled copy with the owners of "tc", with its own atom or another one."""
        r = self.r
        if r.percent(60):
            return tc
        return self.declare(self.atom(element, other, True, ""), tiling)

    def declare(self, atom, tiling):
        r = self.r
        self.threads = max(self.threads, tiling.threads)
        text = f"tile({atom}, {tiling.text})"
        if r.percent(15) and "map=" not in text:
            return text
        name = self.name("t")
        self.decls.append(f"tiled_copy {name} = {text};")
        return name

    # -- the whole -----------------------------------------------------------------------------------------------------------

    def plan(self):
        r = self.r
        self.shape()
        self.counters()
        self.formals = []
        chains = 1 if r.percent(80) else 2
        before, load, use = [], [], []
        for _ in range(chains):
            b, l, u = self.chain(self.pipeline is not None)
            before, load, use = before + b, load + l, use + u
        kernel = f"k{self.id}"
        threads = r.choice(["", f" threads {self.threads}", f" threads {self.threads + r.choice([0, 1, 32])}"])
        lines = ["tcp 1;"] + self.params + self.decls
        grid = f" grid {tup(self.grid)}" if self.grid else r.choice(["", " grid (1)"])
        lines.append(f"kernel {kernel}({', '.join(self.formals)}){grid}{threads} {{")
        lines += ["  " + b for b in before]
        indent = "  "
        loops = [loop for d in self.drivers for loop in d.loops]
        for name, lo, hi in loops:
            lines.append(f"{indent}for {name} in {lo} .. {hi} {{")
            indent += "  "
        if self.pipeline:
            name, lo, hi = self.pipeline
            lines.append(f"{indent}pipeline {name} in {lo} .. {hi} {{")
            for part, body in (("load", load), ("use", use)):
                lines.append(f"{indent}  {part} {{")
                lines += [f"{indent}    {s}" for s in body]
                lines.append(f"{indent}  }}")
            lines.append(indent + "}")
        else:
            lines += [indent + s for s in use]
        while len(indent) > 2:
            indent = indent[2:]
            lines.append(indent + "}")
        lines.append("}")
        return Drawn("\n".join(lines) + "\n", kernel, self.tries)


def draw(seed, index):
    """Returns plan "index" of "seed"."""
    drawn = Draw(seed, index).plan()
    r = Chance(f"{seed}.{index}.change")
    if r.percent(35):
        drawn.text = mutate(r, drawn.text)
    return drawn
