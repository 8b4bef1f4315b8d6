"""Plans with halos: ranges that begin before a tensor or end beyond it.

A block's tile and what is around it go to shared memory, over registers at times, and a part of it that lies elsewhere goes to the
tile's place in another tensor.  Or a tile is shifted, so that its first one begins before both tensors.
"""
from generate import Draw, Place
from pieces import Axis, global_layout, times, tup


class Halos(Draw):
    """Draws such a plan."""

    def plan(self):
        r = self.r
        self.shape()
        self.warps, self.named, self.ranged = 0, False, False
        for m, axis in enumerate(self.axes):
            if axis.tile != self.tile[m]:  # drawn for several warps
                self.axes[m] = Axis(str(self.tile[m]), self.tile[m], "1", True, self.tile[m])
        self.whole_tile = self.tile
        shifted = r.percent(25)
        if shifted:  # the last tile begins where the tensor ends
            self.axes = [Axis(a.extent, a.tile, self.once_more(a.count), a.whole, a.static) for a in self.axes]
        self.counters()
        types = self.types(1)
        if shifted:
            self.pipeline = None if self.pipeline is None else self.drop_pipeline()
            self.shift(types)
        else:
            self.stencil(types)
        return self.text()

    @staticmethod
    def once_more(count):
        return str(int(count) + 1) if count.isdigit() else times(2, count)

    def drop_pipeline(self):
        self.drivers[0].loops.append(self.pipeline)

    def declare_tensor(self, stem, element, source):
        """A tensor of all elements, or of more: returns its name, that of the part, and the mode that is contiguous."""
        r, name = self.r, self.name(stem)
        before, axes = [0] * self.rank, self.axes
        if r.percent(20):
            before, axes = zip(*[self.margins(a) for a in self.axes])
        layout, lead = global_layout(r, axes, self.params, self.tries, f"{self.count}_{self.id}", source)
        align = r.choice([None, 16, 16, 32])
        self.decls.append(f"tensor {name} : {element} global {layout}" + (f" align {align}" if align else "") + ";")
        cuts = [f"{b} .. {self.sum(b, a.extent)}" if whole is not a else "_" for b, a, whole in zip(before, self.axes, axes)]
        return name, name if set(cuts) == {"_"} else name + tup(cuts), lead

    def around(self, name, before, sizes):
        """The text of the part of "name" that begins "before" elements before a tile and has "sizes" elements along each mode."""
        cuts = []
        for m, (b, n) in enumerate(zip(before, sizes)):
            at = f"{self.tile[m]}*({self.drivers[m].at})"
            cuts.append(f"{at} - {b} .. {at} + {n - b}" if b else f"{at} .. {at} + {n}")
        return name + tup(cuts)

    def stencil(self, types):
        r = self.r
        into = self.use if self.pipeline is None else self.load
        source, part, lead = self.declare_tensor("A", types[0], True)
        target, target_at = self.tensor("B", types[2], False)
        self.formals += [source, "out " + target]
        reach = [r.choice([1, n, max(1, n // 2), 2, 4, 8]) for n in self.tile]
        before = [r.choice([0, 1, k, 2 * k]) if r.percent(80) else 0 for k in reach]
        sizes = [b + n + r.choice([0, 1, k, b]) for b, n, k in zip(before, self.tile, reach)]
        self.whole_tile = sizes
        stages = self.stages if self.pipeline else ""
        shared = self.shared(types[1], stages)(False)
        view = Place(self.around(part, before, sizes), "global", types[0], lead)
        if r.percent(20):  # a part of it is copied
            cuts = [r.choice([0, 0, b]) for b in before]
            sizes_in = [n - c for n, c in zip(sizes, cuts)]
            halo = self.name("h")
            into.append(f"let {halo} = {view.text};")
            view.text = halo + tup(f"{c} .. {n}" for c, n in zip(cuts, sizes))
            to = Place(shared.text + tup(f"0 .. {n}" for n in sizes_in), "shared", types[1], shared.lead)
            into.append(f"fill {shared.text} = {self.number(types[1])};")
            self.whole_tile = sizes_in
        else:
            to = shared
        pad = f" pad {self.number(types[1])}"
        if r.percent(15) and not self.pipeline and all(before):
            into.append(f"fill {shared.text} = {self.number(types[1])};")
            pad = ""
        if r.percent(25) and not self.pipeline:
            self.through_registers(into, view, to, types[1], False, pad or " pad 0")
        else:
            self.copy(into, view, to, False, pad)
        self.whole_tile = self.tile
        k = [r.randint(0, n - t) for n, t in zip(sizes, self.tile)]
        out = Place(shared.text + tup(f"{i} .. {i + t}" for i, t in zip(k, self.tile)), "shared", types[1], shared.lead)
        self.copy(self.use, out, target_at(False), False)

    def shift(self, types):
        r = self.r
        source, part, lead = self.declare_tensor("A", types[0], True)
        target, to_part, to_lead = self.declare_tensor("B", types[2], False)
        self.formals += [source, ("out " if to_part == target else "inout ") + target]
        before = [r.randint(1, n) for n in self.tile]
        src = Place(self.around(part, before, self.tile), "global", types[0], lead)
        dst = Place(self.around(to_part, before, self.tile), "global", types[2], to_lead)
        if r.percent(40):
            self.copy(self.use, src, dst, False)
        elif r.percent(50):
            self.through_registers(self.use, src, dst, types[1], False, r.choice(["", " pad 0"]))
        else:
            mid = self.shared(types[1])(False)
            self.copy(self.use, src, mid, False, f" pad {self.number(types[1])}")
            self.copy(self.use, mid, dst, False)
