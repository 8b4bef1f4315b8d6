"""Brute force for reads of what nobody wrote: every block, step, thread and element of shared memory and fragments.

The rules: a copy into shared memory leaves what lies beyond its source as it was, unless it pads; a copy from shared memory reads the
elements that its destination has; a pipeline's step begins with slots that hold nothing.
"""

from itertools import product

from cover_judge import Fault
from expr import Dubious, names_in, value, wrap
from plan import Copy, Fill, Loop, Pipeline, statements

MOST_ELEMENTS = 40000


def by_thread(copy):
    names = set()
    for e in copy.src.at + copy.dst.at:
        if e is not None:
            names_in(e, names)
    return "tid" in names or not copy.tiled


class Run:
    """One block after the other at given params."""

    def __init__(self, plan, values):
        self.plan, self.names, self.left = plan, dict(values), MOST_ELEMENTS
        self.extents = {}
        for t in plan.tensors + plan.local:
            self.extents[t.name] = [value(wrap(e), values) for e in t.extents]

    def block(self, at):
        self.names.update(bx=at[0], by=at[1], bz=at[2])
        self.written = set()
        self.body(self.plan.body)

    def body(self, body):
        for x in body:
            if isinstance(x, Pipeline):
                self.pipeline(x)
            elif isinstance(x, Loop):
                for i in range(value(wrap(x.begin), self.names), value(wrap(x.end), self.names)):
                    self.names[x.name] = i
                    self.body(x.body)
            elif isinstance(x, Fill):
                for at in self.box(x.view)[1]:
                    self.written.add((x.view.tensor.name, None, at))
            elif isinstance(x, Copy):
                for tid in range(self.plan.threads) if by_thread(x) else [None]:
                    self.names["tid"] = tid
                    self.copy(x, tid)

    def pipeline(self, x):
        slots = {c.dst.tensor.name for c in statements(x.load) if isinstance(c, Copy)}
        for i in range(value(wrap(x.begin), self.names), value(wrap(x.end), self.names)):
            self.names[x.name] = i
            self.written = {e for e in self.written if e[0] not in slots}
            self.body(x.body)

    def box(self, view):
        """(origins and lengths by mode of the tensor, the coordinates of all elements that are there, with their place in the view)."""
        extents, origin, length = self.extents[view.tensor.name], [], []
        for m, e in enumerate(view.at):
            at = 0 if e is None else value(e, self.names) * (view.tile[m] if view.tile else 1)
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
                raise Fault("unwritten", src.name, place)
            if not there and x.pad is None:
                if dst.space == "global":
                    raise Fault("nosource", dst.name, at)
                continue
            if dst.space != "global":
                self.written.add((dst.name, tid if dst.space == "frag" else None, at))


class Judge:
    def __init__(self, plan):
        self.plan = plan

    def fault(self, values, only=None):
        """The first fault of any block, or of the block 'only'."""
        try:
            run = Run(self.plan, values)
            grid = [value(wrap(e), values) for e in self.plan.grid] + [1] * (3 - len(self.plan.grid))
            for at in product(range(grid[0]), range(grid[1]), range(grid[2])):
                if not only or at == only:
                    run.block(at)
        except Fault as f:
            return f
        except ZeroDivisionError:
            raise Dubious("a divisor of 0") from None
        return None

    def first_fault(self, choices):
        done = 0
        for values in choices:
            try:
                fault = self.fault(values)
            except Dubious:
                continue
            done += 1
            if fault:
                return values, fault, done
        return None, None, done
