"""Tensors, views of them and plain layouts, for the judge: a view maps a coordinate to a coordinate of its tensor, never to an address.

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
