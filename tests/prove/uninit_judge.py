"""Brute force for reads of what nobody wrote: every block, step, thread and element of shared memory and fragments.

The rules: a copy into shared memory leaves what lies beyond its source as it was, unless it pads; a copy from shared memory reads the
elements that its destination has; a pipeline's step begins with slots that hold nothing.
"""

from itertools import product

import brute
from brute import Fault, executor
from expr import Dubious
from plan import Copy, Fill, Pipeline, statements

MOST_ELEMENTS = 40000


class Run(brute.Run):
    def __init__(self, plan, values, watch=None):
        super().__init__(plan, values, watch)
        self.left = MOST_ELEMENTS
        self.extents = {t.name: [self.value(e) for e in t.extents] for t in plan.tensors + plan.local}

    def begin(self):
        self.written = set()

    def statement(self, x):
        if isinstance(x, Pipeline):
            self.pipeline(x)
        elif isinstance(x, Fill):
            for at in self.box(x.view)[1]:
                self.written.add((x.view.tensor.name, None, at))
        elif isinstance(x, Copy):
            for tid in range(self.plan.threads) if executor(x) == "tid" else [None]:
                self.names["tid"] = tid
                self.copy(x, tid)

    def pipeline(self, x):
        slots = {c.dst.tensor.name for c in statements(x.load) if isinstance(c, Copy)}
        for _ in self.steps(x):
            self.written = {e for e in self.written if e[0] not in slots}
            self.body(x.body)

    def box(self, view):
        """(origins and lengths by mode of the tensor, the coordinates of all elements that are there, with their place in the view)."""
        extents, origin, length = self.extents[view.tensor.name], [], []
        for m, e in enumerate(view.at):
            at = 0 if e is None else self.value(e) * (view.tile[m] if view.tile else 1)
            n = view.tile[m] if view.tile else extents[m] if e is None else 1
            if at < 0 or (view.tile is None and at + n > extents[m]):
                raise Fault("outside", view.tensor.name, (at,))
            origin.append(at)
            length.append(n)
        ranges = [range(o, min(o + n, end)) for o, n, end in zip(origin, length, extents)]
        return origin, product(*ranges)

    def copy(self, x, tid):
        src_origin, inside = self.box(x.src)
        here = set(inside)
        dst_origin, wanted = self.box(x.dst)
        pairs = list(zip(x.src.kept(), x.dst.kept()))
        src, dst = x.src.tensor, x.dst.tensor
        for at in wanted:
            self.left -= 1
            if self.left < 0:
                raise Dubious("too many elements")
            place = src_origin[:]
            for s, d in pairs:
                place[s] = src_origin[s] + at[d] - dst_origin[d]
            place = tuple(place)
            there = place in here
            if there and src.space != "global" and (src.name, tid if src.space == "frag" else None, place) not in self.written:
                self.fail("unwritten", src.name, place)
            if not there and x.pad is None:
                if dst.space == "global":
                    raise Fault("nosource", dst.name, at)
                continue
            if dst.space != "global":
                self.written.add((dst.name, tid if dst.space == "frag" else None, at))


class Judge(brute.Judge):
    run = Run
