"""Tensors and their parts, for the judge: a part maps a coordinate to a coordinate of its tensor, never to an address.

A mode is a tree of leaves; a leaf is an extent and, for each dimension of the tensor, how far one step goes in it.  So what lies
outside is seen by coordinates, and strides and swizzles matter in one place alone, where a coordinate becomes an offset.  A plain
layout is the same with one dimension and no tensor.
"""
from math import prod


class Breach(Exception):
    """The plan breaks a rule of the language."""


class Unsupported(Exception):
    """The plan may be right, but this judge does not read it."""


class Leaf:
    """An extent "n", the step "v" in each dimension, and whether it counts tiles, which may be outside ("rest")."""
    __slots__ = ("n", "v", "rest")

    def __init__(self, n, v, rest=False):
        self.n, self.v, self.rest = n, v, rest


class Tup:
    """A tuple of the language: items, and a name or None for each."""

    def __init__(self, items, names=None):
        self.items = list(items)
        self.names = list(names) if names else [None] * len(self.items)

    def __len__(self):
        return len(self.items)


class Range:
    """What lies from "low" to before "high" in a mode."""

    def __init__(self, low, high):
        self.low, self.high = low, high


class End:
    """Where a part ends along a dimension of its tensor: what lies from "at" on is not touched.

    "first" is where the range begins that the part is, or 0.  A range that may be partly outside of what it is taken from has the
    begin and the end of that too; otherwise "low" is None.
    """
    __slots__ = ("at", "first", "low", "high")

    def __init__(self, at, first=0, low=None, high=None):
        self.at, self.first, self.low, self.high = at, first, low, high

    def holds(self, x):
        return x < self.at and (self.low is None or self.low <= x < self.high)


WILD = object()


def items_of(value):
    return value.items if isinstance(value, Tup) else [value]


def number(value):
    """Returns the integer "value", which may be a tuple of one."""
    while isinstance(value, Tup) and len(value) == 1:
        value = value.items[0]
    if isinstance(value, View) and value.buf is None and len(value.modes) == 1 and isinstance(value.modes[0], Leaf):
        raise Unsupported("a layout where a number is expected")
    if not isinstance(value, int):
        raise Unsupported(f"{type(value).__name__} where a number is expected")
    return value


def leaves(tree):
    if isinstance(tree, Leaf):
        return [tree]
    return [leaf for part in tree for leaf in leaves(part)]


def extent(tree):
    return tree.n if isinstance(tree, Leaf) else prod(extent(part) for part in tree)


def shape_of(tree):
    return tree.n if isinstance(tree, Leaf) else Tup([shape_of(part) for part in tree])


def plus(a, b, times=1):
    return tuple(x + times * y for x, y in zip(a, b))


class Buffer:
    """A tensor: extents and strides of its dimensions, what is added to an offset, and the swizzles on top of all."""

    def __init__(self, name, element, space, layout, align=None):
        flat = [leaf for mode in layout.modes for leaf in leaves(mode)]
        self.name, self.element, self.space, self.align = name, element, space, align
        self.ext = [leaf.n for leaf in flat]
        self.st = [leaf.v[0] for leaf in flat]
        self.off, self.sw, self.memory = layout.base[0], layout.sw, {}
        self.loose = False
        self.index = None
        if any(n < 0 for n in self.ext):
            raise Breach(f"'{name}' has a negative extent")

    def copy(self):
        """The same tensor with memory of its own."""
        new = Buffer.__new__(Buffer)
        new.__dict__.update(self.__dict__)
        new.memory = {}
        return new

    def view(self, layout):
        """The whole of it, in the modes of "layout", of which it was made."""
        count = iter(range(len(self.ext)))

        def unit(tree):
            if isinstance(tree, Leaf):
                at = next(count)
                return Leaf(tree.n, tuple(int(d == at) for d in range(len(self.ext))))
            return tuple(unit(part) for part in tree)

        return View(self, (0,) * len(self.ext), tuple(unit(mode) for mode in layout.modes), layout.names)


def swizzled(x, sw):
    for bits, base, shift in sw:
        mask = ((1 << bits) - 1) << (base + max(shift, 0))
        x ^= (x & mask) >> shift if shift >= 0 else (x & mask) << -shift
    return x


class View:
    """Part of a tensor "buf", or a plain layout where that is None.  "sw" belongs to plain layouts: (bits, base, shift) each.
    "whole" is what partition_src and partition_dst have divided, of their parts.

    "end" is the End along each dimension of the tensor.
    """
    __slots__ = ("buf", "base", "modes", "names", "sw", "end", "whole")

    def __init__(self, buf, base, modes, names=None, sw=(), end=None):
        self.buf, self.base, self.modes, self.sw = buf, base, tuple(modes), sw
        self.end = end or (tuple(End(n) for n in buf.ext) if buf else None)
        self.names = tuple(names) if names else (None,) * len(self.modes)
        if len(self.names) != len(self.modes):
            self.names = (None,) * len(self.modes)
        self.whole = None

    def leaves(self):
        return [leaf for mode in self.modes for leaf in leaves(mode)]

    def size(self):
        return extent(self.modes)

    def extents(self):
        return tuple(extent(mode) for mode in self.modes)

    def like(self, modes, names=None, base=None):
        part = View(self.buf, self.base if base is None else base, modes, names, self.sw, self.end)
        part.whole = self.whole
        return part

    def columns(self):
        """For each dimension the coordinates of all points, the first mode fastest."""
        cols = [[b] for b in self.base]
        for leaf in self.leaves():
            for d, step in enumerate(leaf.v):
                if leaf.n == 1:
                    continue
                cols[d] = cols[d] * leaf.n if step == 0 else [x + k * step for k in range(leaf.n) for x in cols[d]]
        return cols

    def at(self, index):
        """The tensor's coordinate at a coordinate of one number; the last leaf goes on beyond its extent."""
        flat, base = self.leaves(), self.base
        for i, leaf in enumerate(flat):
            digit = index if i == len(flat) - 1 else index % leaf.n
            index = 0 if i == len(flat) - 1 else index // leaf.n
            base = plus(base, leaf.v, digit)
        return base

    def places(self):
        """The offset of each point in memory, None where it lies outside the part's tensor, or beyond the part."""
        buf, cols, n = self.buf, self.columns(), self.size()
        if n == 0:
            return []
        inside = None
        for col, end in zip(cols, self.end):
            if min(col) < 0 and end.low is None:
                raise Breach(f"outside: a coordinate of '{buf.name}' is negative")
            if not end.holds(max(col)) or not end.holds(min(col)):
                good = [end.holds(x) for x in col]
                inside = good if inside is None else [a and b for a, b in zip(inside, good)]
        out = [buf.off] * n
        for col, step in zip(cols, buf.st):
            if step == 1:
                out = [a + x for a, x in zip(out, col)]
            elif step:
                out = [a + step * x for a, x in zip(out, col)]
        if buf.sw:
            out = [swizzled(x, buf.sw) if x >= 0 else x for x in out]
        return out if inside is None else [x if good else None for x, good in zip(out, inside)]


# -- making plain layouts --------------------------------------------------------------------------------------------------------


def plain(shape, stride=None, row=False):
    """Returns the layout "shape":"stride"; without strides it is compact, the first or the last mode fastest."""
    def spread(s, t):
        if isinstance(s, Tup):
            inner = items_of(t)
            if isinstance(t, Tup) and len(inner) != len(s):
                if len(s) != 1:
                    raise Breach("a shape and a stride of different form")
                inner = [t]
            return tuple(spread(a, b) for a, b in zip(s.items, inner))
        return Leaf(s, (number(t),))

    if stride is None:
        stride = compact(shape, row)
    modes = spread(shape, stride)
    names = shape.names if isinstance(shape, Tup) else None
    return View(None, (0,), modes if isinstance(shape, Tup) else (modes,), names)


def compact(shape, row=False):
    step = [1]

    def walk(s):
        if isinstance(s, Tup):
            parts = [walk(part) for part in (reversed(s.items) if row else s.items)]
            return Tup(reversed(parts) if row else parts)
        mine = step[0]
        step[0] *= number(s)
        return mine

    return walk(shape)


def as_layout(value):
    """A layout is one; a shape is the compact layout of it."""
    if isinstance(value, View):
        return value
    if isinstance(value, (int, Tup)):
        return plain(value)
    raise Unsupported(f"{type(value).__name__} where a layout is expected")


def table_of(layout):
    """The values of a plain layout, the first mode fastest."""
    return [swizzled(x, layout.sw) for x in layout.columns()[0]]


# -- parts -----------------------------------------------------------------------------------------------------------------------


def step_in(tree, coordinate):
    """Returns how far "coordinate" goes in "tree" as a list of (leaf, digit), and the list of what of the tree stays."""
    if coordinate is WILD:
        return [], [tree]
    if isinstance(coordinate, Tup) and len(coordinate) == 1 and isinstance(tree, Leaf):
        coordinate = coordinate.items[0]
    if isinstance(coordinate, Tup):
        if isinstance(tree, Leaf) or len(tree) != len(coordinate):
            raise Breach("a coordinate of another form than the mode")
        moves, stays = [], []
        for part, c in zip(tree, coordinate.items):
            more, left = step_in(part, c)
            moves += more
            stays += left
        return moves, stays
    index, flat, moves = number(coordinate), leaves(tree), []
    for i, leaf in enumerate(flat):
        last = i == len(flat) - 1
        moves.append((leaf, index if last or leaf.n == 0 else index % leaf.n))
        index = 0 if last else index // max(leaf.n, 1)
    return moves, []


def whole_in(view, flat):
    """The dimension of which the last of "flat" has all that the part has, so that a range may be partly outside; None if there is
    none, or it is a part of such a range already."""
    last = next((leaf for leaf in reversed(flat) if leaf.n != 1), flat[-1])
    steps = [d for d, step in enumerate(last.v) if step]
    if view.end is None or len(steps) != 1 or last.v[steps[0]] != 1 or view.end[steps[0]].low is not None:
        return None
    d, end = steps[0], view.end[steps[0]]
    return d if view.base[d] == end.first and view.base[d] + last.n == end.at else None


def cut(view, flat, low, high):
    """Cuts the leaves "flat", of which the first counts fastest, to the elements from "low" to before "high".

    Returns the leaves that are left, and the view with its first element and its end moved.
    """
    if low > high:
        raise Breach("a range that ends before it begins")
    if (low < 0 or high > prod(leaf.n for leaf in flat)) and whole_in(view, flat) is None:
        raise Breach("outside: a range reaches beyond a mode" + (f" of '{view.buf.name}'" if view.buf else ""))
    out = []
    for i, leaf in enumerate(flat):
        if leaf.n == 1 and any(other.n != 1 for other in flat[i + 1:]) or i and leaf.n == 1:
            out.append(leaf)
            continue
        if any(other.n != 1 for other in flat[i + 1:]):
            if low % leaf.n == 0 and high % leaf.n == 0:
                out.append(leaf)
                low, high = low // leaf.n, high // leaf.n
                continue
            if low // leaf.n != (high - 1) // leaf.n:
                raise Unsupported("a range of a nested mode that is no range of its parts")
            group = low // leaf.n
            first, past = low - group * leaf.n, high - group * leaf.n
            low, high = group, group + 1
        else:
            first, past = low, high
        end, d = view.end, whole_in(view, [leaf])
        if d is not None and (first < 0 or past > leaf.n):
            new = End(view.base[d] + past, view.base[d] + first, view.base[d], end[d].at)
            end = (*end[:d], new, *end[d + 1:])
        else:
            for d, step in enumerate(leaf.v):
                if end and step == 1 and view.base[d] + leaf.n == end[d].at:  # the part ended where this mode does
                    end = (*end[:d], End(view.base[d] + past, view.base[d] + first, end[d].low, end[d].high), *end[d + 1:])
        out.append(Leaf(past - first, leaf.v))
        view = View(view.buf, plus(view.base, leaf.v, first), view.modes, view.names, view.sw, end)
    return out, view


def regrown(tree, flat):
    """The tree with the leaves "flat", an iterator, in place of its own."""
    return next(flat) if isinstance(tree, Leaf) else tuple(regrown(part, flat) for part in tree)


def cut_ranges(view, tree, coordinate):
    """Returns "view" cut to the ranges in "coordinate" of "tree", what is left of the tree, and the coordinate with WILD for them."""
    if isinstance(coordinate, Range):
        left, view = cut(view, leaves(tree), coordinate.low, coordinate.high)
        return view, regrown(tree, iter(left)), WILD
    if not isinstance(coordinate, Tup) or not isinstance(tree, tuple) or len(tree) != len(coordinate):
        if isinstance(coordinate, Tup) and len(coordinate) == 1 and isinstance(tree, Leaf):
            return cut_ranges(view, tree, coordinate.items[0])
        return view, tree, coordinate
    parts, items = [], []
    for part, c in zip(tree, coordinate.items):
        view, part, c = cut_ranges(view, part, c)
        parts.append(part)
        items.append(c)
    return view, tuple(parts), Tup(items)


def sliced(view, coordinates):
    """Returns what stays of "view" where "coordinates" (one for each mode) are given; outside is a breach, but for tiles."""
    whole = [c is WILD or isinstance(c, Range) for c in coordinates]
    if len(coordinates) == len(view.modes):
        view, modes, coordinates = cut_ranges(view, view.modes, Tup(coordinates))
        view, coordinates = view.like(modes, view.names), coordinates.items
    if len(coordinates) == 1 and len(view.modes) > 1:
        moves, kept = step_in(view.modes, coordinates[0])
        names = [None] * len(kept)
    else:
        if len(coordinates) != len(view.modes):
            raise Breach("a coordinate of another rank than the view")
        moves, kept, names = [], [], []
        for mode, name, c, keeps in zip(view.modes, view.names, coordinates, whole):
            more, left = step_in(mode, c)
            moves += more
            kept += left
            names += [name if keeps else None] * len(left)
    base = view.base
    for leaf, digit in moves:
        if digit < 0 or (digit >= leaf.n and not leaf.rest):
            raise Breach(f"outside: coordinate {digit} of a mode of extent {leaf.n}"
                         + (f" of '{view.buf.name}'" if view.buf else ""))
        base = plus(base, leaf.v, digit)
    return view.like(kept, names, base)


def split(tree, n):
    """Divides a mode by a tile of "n" elements: returns the tile and what counts the tiles."""
    flat, tile, rest = leaves(tree), [], []
    if n < 1:
        raise Breach("a tile of no element")
    for i, leaf in enumerate(flat):
        if i == len(flat) - 1:
            tile.append(Leaf(n, leaf.v, leaf.rest))
            rest.append(Leaf(-(-leaf.n // n), tuple(n * x for x in leaf.v), True))
        elif leaf.n and n % leaf.n == 0:
            tile.append(leaf)
            n //= leaf.n
        elif leaf.n % n == 0:
            tile.append(Leaf(n, leaf.v, leaf.rest))
            rest.append(Leaf(leaf.n // n, tuple(n * x for x in leaf.v), True))
            n = 1
        else:
            raise Unsupported("a tile that does not divide a part of a mode")
    return tile[0] if len(tile) == 1 else tuple(tile), rest[0] if len(rest) == 1 else tuple(rest)


def tiles(view, tiler):
    """Divides mode by mode; "tiler" has an extent for each mode, or None: one tile has all of it.  Returns the tiles and the rests."""
    if len(tiler) != len(view.modes):
        raise Unsupported("a tiler of another rank than the view")
    pairs = []
    for mode, n in zip(view.modes, tiler):
        if view.buf is not None and n is not None:
            check_divides(view, mode, n)
        last = leaves(mode)[-1]
        pairs.append((mode, Leaf(1, tuple(last.n * x for x in last.v), True)) if n is None else split(mode, n))
    return [a for a, _ in pairs], [b for _, b in pairs]


def check_divides(view, mode, n):
    """A tile that does not divide a part of a tensor, where the part is not all of the tensor along it, is not taken yet."""
    last = leaves(mode)[-1]
    whole = extent(mode)
    if n < 1:
        raise Breach("a tile of no element")
    if whole % n == 0 or last.rest:
        return
    for d, step in enumerate(last.v):
        if step and (abs(step) != 1 or view.base[d] + last.n != view.end[d].at):
            raise Unsupported("a tile that does not divide a part of a tensor")


def factored(values):
    """Returns a mode that steps through "values", vectors counted from the first one."""
    n = len(values)
    if n <= 1:
        return Leaf(n, (0,) * len(values[0]) if n else (0,))
    step, run = plus(values[1], values[0], -1), 2
    while run < n and values[run] == plus(values[0], step, run):
        run += 1
    for m in range(run, 1, -1):
        if n % m == 0 and all(plus(values[q * m + r], values[q * m], -1) == plus(values[r], values[0], -1)
                              for q in range(n // m) for r in range(m)):
            head = Leaf(m, step)
            return head if m == n else (head, *as_parts(factored(values[::m])))
    raise Unsupported("a composition that is no layout")


def as_parts(tree):
    return (tree,) if isinstance(tree, Leaf) else tree


def composed(view, by):
    """Returns "view" seen through the plain layout "by", whose values are coordinates of one number."""
    if by.sw:
        raise Unsupported("a composition with a swizzle")
    start = by.base[0]
    if view.buf and by.size() and max(by.columns()[0]) >= view.size():
        raise Breach(f"outside: a composition goes beyond a view of '{view.buf.name}'")
    origin = view.at(start)

    def through(tree):
        if isinstance(tree, Leaf):
            return factored([plus(view.at(start + k * tree.v[0]), origin, -1) for k in range(tree.n)])
        return tuple(through(part) for part in tree)

    new = View(view.buf, origin, tuple(through(mode) for mode in by.modes), by.names, view.sw, view.end)
    if new.size() <= 65536:
        want = [view.at(i) for i in by.columns()[0]]
        if list(zip(*new.columns())) != want and new.size():
            raise Unsupported("a composition that is no layout")
    return new
