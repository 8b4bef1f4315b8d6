"""Brute force for coverage: every block, iteration and tile of a plan at given params, and what is wrong with the writes.

A plan becomes one Python function of its params, which counts in a bytearray how often each element of a tensor that is written is
written.  The rules: an element outside a tensor is not touched where a tile reaches beyond, but a slice lies inside; tile coordinates
are not negative; what is written has a source; no element of global memory is written twice; an 'out' tensor is written completely; no
block reads what another one writes.
"""

import brute
from brute import Fault, executor
from expr import HELPERS, Dubious, python, value, wrap
from plan import Copy, Loop, statements

USUAL = (2500, 16000)  # tiles of one run, and of all runs of a plan; elements of a tensor
LARGE = (50000, 4000000)


class Writer:
    """Writes the function, line by line."""

    def __init__(self, plan, trace):
        self.plan, self.trace = plan, trace
        self.lines, self.n = [], 0
        self.loops = []
        written = {c.dst.tensor.name for c in statements(plan.body) if isinstance(c, Copy)}
        read = {c.src.tensor.name for c in statements(plan.body) if isinstance(c, Copy)}
        self.both = {t.name for d, t in plan.formals} & written & read

    def put(self, depth, line):
        self.lines.append("    " * depth + line)

    def body(self, statements_, depth):
        for x in statements_:
            if isinstance(x, Loop):
                self.put(depth, f"for {x.name} in range({python(wrap(x.begin))}, {python(wrap(x.end))}):")
                self.put(depth + 1, "n += 1")
                self.put(depth + 1, "if n > most: raise Dubious('too many iterations')")
                self.loops.append(x.name)
                self.body(x.body, depth + 1)
                self.loops.pop()
            elif isinstance(x, Copy):
                self.copy(x, depth)

    def origin(self, view, side, depth):
        """Lines that set the origins s0, s1, .. and the room sr0, .. from there to the tensor's end."""
        for m, e in enumerate(view.at):
            limit = f"X_{view.tensor.name}_{m}" if view.tensor.space == "global" else str(wrap(view.tensor.extents[m]).a)
            if e is None:
                self.put(depth, f"{side}{m} = 0; {side}r{m} = {limit}")
                continue
            at = python(e) if view.tile is None or view.tile[m] == 1 else f"{python(e)}*{view.tile[m]}"
            self.put(depth, f"{side}{m} = {at}; {side}r{m} = {limit} - {side}{m}")
            bad = f"{side}{m} < 0" + (f" or {side}r{m} <= 0" if view.tile is None else "")
            self.put(depth, f"if {bad}: raise Fault('outside', {view.tensor.name!r}, ({side}{m},))")

    def length(self, view, side, m):
        """How many coordinates the view has along mode m of its tensor."""
        if view.tile is not None:
            return str(view.tile[m])
        return f"{side}r{m}" if view.at[m] is None else "1"

    def copy(self, c, depth):
        self.n += 1
        by = executor(c)
        if by == "tid":
            self.put(depth, f"for tid in range({self.plan.threads}):")
            self.put(depth + 1, "lane = tid % 32; warp = tid // 32")
            depth += 1
        elif by == "warp":
            self.put(depth, f"for warp in range({self.plan.threads // 32}):")
            depth += 1
        self.put(depth, "n += 1")
        self.put(depth, "if n > most: raise Dubious('too many tiles')")
        self.origin(c.src, "s", depth)
        self.origin(c.dst, "d", depth)
        rank = len(c.dst.at)
        inside = []
        for m in range(rank):
            want = self.length(c.dst, "d", m)
            self.put(depth, f"c{m} = {want} if {want} < dr{m} else dr{m}")
            inside.append(f"c{m} > 0")
        pairs = list(zip(c.src.kept(), c.dst.kept()))
        for s, d in pairs:
            if c.src.tile is None and c.dst.tile is None:
                self.put(depth, f"if sr{s} != dr{d}: raise Fault('shapes', {c.dst.tensor.name!r})")
        if c.dst.tensor.space == "shared":
            self.shared(c, pairs, depth)
            return
        self.put(depth, f"if {' and '.join(inside)}:")
        depth += 1
        name = c.dst.tensor.name
        if c.src.tensor.space == "shared":
            for s, d in pairs:
                self.put(depth, f"if c{d} > v_{c.src.tensor.name}[{s}]:")
                self.put(depth + 1, f"if c{d} <= h_{c.src.tensor.name}[{s}]: raise Dubious('stale elements')")
                self.put(depth + 1, f"raise Fault('unwritten', {c.src.tensor.name!r})")
        elif c.pad is None:
            for s, d in pairs:
                self.put(depth, f"if c{d} > sr{s}: raise Fault('nosource', {name!r}, ({', '.join(f'd{m}' for m in range(rank))},))")
        if self.trace:
            self.found(c, rank, depth, name)
        else:
            self.mark(c, pairs, rank, depth, name)

    def shared(self, c, pairs, depth):
        """What is written of a shared tensor that is a tile: as far as the source goes, or with 'pad' all."""
        s_name, lengths = c.dst.tensor.name, []
        for s, d in pairs:
            lengths.append(f"c{d}" if c.pad is not None else f"max(0, min(c{d}, sr{s}))")
        self.put(depth, f"v_{s_name} = ({', '.join(lengths)},)")
        self.put(depth, f"if 0 in v_{s_name}: v_{s_name} = (0,) * {len(lengths)}")
        self.put(depth, f"h_{s_name} = tuple(map(max, v_{s_name}, h_{s_name}))")

    def mark(self, c, pairs, rank, depth, name):
        both = self.both & {name, c.src.tensor.name}
        if both:
            boxes = [
                f"({side!r}, {v.tensor.name!r}, tuple(range(a, b) for a, b in ({', '.join(f'({x}, {x} + {y})' for x, y in box)},)))"
                for side, v, box in (
                    ("r", c.src, self.source_box(c, pairs)),
                    ("w", c.dst, [(f"d{m}", f"c{m}") for m in range(rank)]),
                )
            ]
            self.put(depth, f"touched.append(((bx, by, bz), {', '.join(boxes)}))")
        at = "d0"
        for m in range(rank - 1):
            self.put(depth, f"for e{m} in range(d{m}, d{m} + c{m}):" if m else f"for e0 in range(d0, d0 + c0):")
            at = f"(({at if m else 'e0'})*X_{name}_{m + 1} + " + (f"e{m + 1}" if m + 1 < rank - 1 else f"d{m + 1}") + ")"
            depth += 1
        last = f"c{rank - 1}"
        self.put(depth, f"a = {at}; b = a + {last}")
        self.put(depth, f"if 1 in w_{name}[a:b]: raise Fault('twice', {name!r}, w_{name}.index(1, a, b))")
        self.put(depth, f"w_{name}[a:b] = ones[:{last}] if {last} <= 4096 else b'\\1' * {last}")

    def source_box(self, c, pairs):
        box = [(f"s{m}", "1") for m in range(len(c.src.at))]
        for s, d in pairs:
            box[s] = (f"s{s}", f"c{d}")
        return box

    def found(self, c, rank, depth, name):
        inside = " and ".join(f"d{m} <= watch[{m}] < d{m} + c{m}" for m in range(rank))
        self.put(depth, f"if {name!r} == which and {inside}:")
        at = "".join(f"watch[{m}] - d{m}, " for m in c.dst.kept())
        names = "{" + ", ".join(f"{x!r}: {x}" for x in self.loops) + "}"
        tid = "tid" if executor(c) == "tid" else "None"
        warp = "warp" if executor(c) == "warp" else "None"
        self.put(depth + 1, f"found.append(({self.n - 1}, (bx, by, bz), {names}, ({at}), {tid}, {warp}))")

    def function(self):
        params = "".join(f"{p.name}, " for p in self.plan.params)
        tensors = self.plan.tensors
        self.put(0, f"def go({params}which, watch, found, touched, most):")
        self.put(1, "n = 0")
        written = {c.dst.tensor.name for c in statements(self.plan.body) if isinstance(c, Copy)}
        for t in tensors:
            for m, e in enumerate(t.extents):
                self.put(1, f"X_{t.name}_{m} = {python(wrap(e))}")
            if t.name not in written:
                continue
            size = "*".join(f"X_{t.name}_{m}" for m in range(len(t.extents)))
            self.put(1, f"if {size} > most_elements: raise Dubious('too many elements')")
            if not self.trace:
                self.put(1, f"w_{t.name} = bytearray({size})")
        depth = 1
        for a, e in reversed(list(zip("xyz", brute.grid(self.plan)))):
            self.put(depth, f"for b{a} in range({python(e)}):")
            depth += 1
        self.put(depth, "pass")
        for t in self.plan.local:
            if t.space == "shared":
                self.put(depth, f"v_{t.name} = h_{t.name} = (0,) * {len(t.extents)}")
        self.body(self.plan.body, depth)
        if not self.trace:
            counts = ", ".join(f"{t.name!r}: w_{t.name}" for t in tensors if t.name in written)
            self.put(1, f"return n, {{{counts}}}")
        return "\n".join(self.lines)


def compiled(plan, trace, most_elements):
    names = dict(HELPERS, Fault=Fault, Dubious=Dubious, ones=b"\1" * 4096, most_elements=most_elements)
    exec(compile(Writer(plan, trace).function(), "<plan>", "exec"), names)
    return names["go"]


def coordinate(plan, tensor, at, values):
    """The coordinate of the element with number 'at', the last mode fastest."""
    extents = [value(wrap(e), values) for e in next(t for t in plan.tensors if t.name == tensor).extents]
    out = []
    for e in reversed(extents):
        out.append(at % e)
        at //= e
    return tuple(reversed(out))


def touched_twice(touched):
    """A fault where a block reads what another one writes, or one copy's sides meet."""
    writer = {}
    for block, _, (_, name, box) in touched:
        for e in points(box):
            writer[name, e] = block
    for block, (_, name, box), (_, to, to_box) in touched:
        for e in points(box):
            if writer.get((name, e), block) != block:
                return Fault("race", name, e)
        if name == to and all(max(a.start, b.start) < min(a.stop, b.stop) for a, b in zip(box, to_box)):
            return Fault("sides", name)
    return None


def points(box):
    if not box:
        return [()]
    return [(x, *rest) for x in box[0] for rest in points(box[1:])]


class Judge(brute.Judge):
    def __init__(self, plan, limits=USUAL):
        super().__init__(plan)
        self.limits = limits
        self.go = compiled(plan, False, limits[1])
        self.trace = None
        self.tiles = 0
        self.outs = [t.name for d, t in plan.formals if d == "out"]

    def fault(self, values):
        touched = []
        try:
            n, counts = self.go(*(values[p.name] for p in self.plan.params), None, None, None, touched, self.limits[0])
        except Fault as f:
            if f.kind == "twice":
                f.element = coordinate(self.plan, f.tensor, f.element, values)
            return f
        except ZeroDivisionError:
            raise Dubious("a divisor of 0") from None
        self.tiles += n
        for name in self.outs:
            if name not in counts:
                return Fault("never", name)
            at = counts[name].find(0)
            if at >= 0:
                return Fault("never", name, coordinate(self.plan, name, at, values))
        return touched_twice(touched) if touched else None

    def enough(self, done):
        return self.tiles > self.limits[0] and done > 2

    def writers(self, values, tensor, element):
        """Who writes the element: (copy, block, loops, place in the tile, tid, warp) of each; and whether these are all."""
        self.trace = self.trace or compiled(self.plan, True, LARGE[1])
        found = []
        try:
            self.trace(*(values[p.name] for p in self.plan.params), tensor, element, found, [], 3 * LARGE[0])
        except Fault:
            return found, False  # what else is wrong ends it
        return found, True
