"""Tiled copies and index maps, for the judge: which thread has which element of a tile as which of its values."""
from itertools import product

from view import Breach, Leaf, Tup, Unsupported, View, as_layout, extent, items_of, number, table_of


class Atom:
    """An instruction; all that counts here is whether it is asynchronous, its bits and element type for "atoms=", and what its hints
    are about: "hints" has those of the keys "ld", "st" and "l2" that it was given, each with its words."""

    def __init__(self, name, bits, element=None, hints=None):
        self.name, self.bits, self.element, self.hints = name, bits, element, hints or {}


class TiledCopy:
    """"coords[t][v]" is the coordinate in the tile, a number for each mode, of value v of thread t."""

    def __init__(self, atom, tile, coords):
        self.atom, self.tile, self.coords = atom, tuple(tile), coords
        if not coords or not coords[0]:
            raise Breach("a tiled copy without an element")
        self.threads, self.values = len(coords), len(coords[0])
        count = {}
        for row in coords:
            for c in row:
                if any(x >= n or x < 0 for x, n in zip(c, self.tile)):
                    raise Breach(f"element {c} is not in the tile {self.tile}")
                count[c] = count.get(c, 0) + 1
        every = 1
        for n in self.tile:
            every *= n
        if len(count) < every:
            raise Breach(f"an element of the tile {self.tile} belongs to no thread")
        self.owners = max(count.values())
        if self.owners != min(count.values()):
            raise Breach("an element of the tile belongs to more threads than another one")
        self.shares = {}

    def share(self, extents):
        """For each thread the (number of its element, number of the element of a view) in a view of "extents"; with the tile
        laid over it in rounds, the first mode fastest."""
        if extents in self.shares:
            return self.shares[extents]
        if len(extents) != len(self.tile):
            raise Unsupported("a tile of another rank than the view")
        rounds = [range(-(-e // n)) for e, n in zip(extents, self.tile)]
        steps, out = [1], []
        for e in extents:
            steps.append(steps[-1] * e)
        for row in self.coords:
            mine = []
            for r, where in enumerate(product(*reversed(rounds))):
                for v, c in enumerate(row):
                    at = [x + n * k for x, n, k in zip(c, self.tile, reversed(where))]
                    if all(x < e for x, e in zip(at, extents)):
                        mine.append((v + r * self.values, sum(x * s for x, s in zip(at, steps))))
            out.append(mine)
        self.shares[extents] = out
        return out


def digits(index, extents):
    """The coordinate in "extents" that the number "index" stands for."""
    out = []
    for n in extents[:-1]:
        out.append(index % n)
        index //= n
    return tuple(out + [index])


def places_by_number(layout):
    """Turns a layout from coordinates to numbers round: the coordinate, a number for each mode, of each number."""
    values, extents = table_of(layout), layout.extents()
    out = {}
    for i, value in enumerate(values):
        if value in out:
            raise Breach(f"number {value} is given twice")
        out[value] = digits(i, extents)
    if sorted(out) != list(range(len(out))):
        raise Unsupported("threads or values that are not numbered from 0 on")
    return [out[i] for i in range(len(out))]


def from_threads(atom, thr, val):
    """tile(ATOM, thr=, val=): the threads times the values, a thread's own elements innermost."""
    rank = max(len(thr.modes), len(val.modes))

    def whole(layout):
        one = [Leaf(1, (0,))] * (rank - len(layout.modes))
        return View(None, layout.base, layout.modes + tuple(one))

    thr, val = whole(thr), whole(val)
    inner = val.extents()
    threads, values = places_by_number(thr), places_by_number(val)
    coords = [[tuple(t * n + v for t, n, v in zip(at, inner, w)) for w in values] for at in threads]
    return TiledCopy(atom, [a * b for a, b in zip(thr.extents(), inner)], coords)


def from_atoms(atom, thr, atoms, along, bits_of):
    """tile(ATOM, thr=, atoms=, along=): the same, in accesses instead of elements."""
    if not atom.element:
        raise Breach("'atoms' needs an atom that knows its type")
    each = atom.bits // bits_of[atom.element]
    rank = max(len(thr.modes), len(atoms.modes), along + 1)
    counts = list(atoms.extents()) + [1] * (rank - len(atoms.modes))
    if each == 1:
        return from_threads(atom, thr, atoms)
    # An access's elements come first, then the accesses as they are numbered.
    shape = [n * each if m == along else n for m, n in enumerate(counts)]
    padded = View(None, (0,), atoms.modes + tuple([Leaf(1, (0,))] * (rank - len(atoms.modes))))
    values = []
    for where in places_by_number(padded):
        for i in range(each):
            values.append(tuple(c * each + i if m == along else c for m, c in enumerate(where)))
    grid = View(None, (0,), thr.modes + tuple([Leaf(1, (0,))] * (rank - len(thr.modes))))
    coords = [[tuple(t * n + v for t, n, v in zip(at, shape, w)) for w in values] for at in places_by_number(grid)]
    return TiledCopy(atom, [a * b for a, b in zip(grid.extents(), shape)], coords)


def from_tv(atom, tv, tile):
    """tile(ATOM, tv=, tile=): a layout of (thread, value) in the tile, counted with the first mode fastest."""
    tv = as_layout(tv)
    if len(tv.modes) != 2:
        raise Breach("a layout of (thread, value) has two modes")
    extents = tuple(extent_of(item) for item in items_of(tile))
    if not all(extents):
        raise Breach("a tile without an element")
    table, threads = table_of(tv), extent(tv.modes[0])
    coords = [[digits(table[t + threads * v], extents) for v in range(extent(tv.modes[1]))] for t in range(threads)]
    return TiledCopy(atom, extents, coords)


def extent_of(item):
    if isinstance(item, Tup):
        out = 1
        for part in item.items:
            out *= extent_of(part)
        return out
    return number(item)


def names_of(side):
    """The (name, range) of each name left of an index map's arrow, for threads or for values."""
    kind = side[0]
    if kind == "layout":
        if side[1][0] != "name" or side[2][0] != "int":
            raise Unsupported("an index map of this form")
        return [(side[1][1], side[2][1])]
    if kind == "tuple":
        return [pair for _, part in side[1] for pair in names_of(part)]
    raise Unsupported("an index map of this form")


def from_map(atom, left, right, tile, evaluate):
    """tile(ATOM, map=(t:T, v:V) -> (..)); "evaluate(expression, names)" works out a coordinate."""
    sides = [part for _, part in left[1]]
    if len(sides) != 2:
        raise Unsupported("an index map of this form")
    threads, values = names_of(sides[0]), names_of(sides[1])
    parts = [part for _, part in right[1]] if right[0] == "tuple" else [right]

    def count(names):
        return [dict(zip((n for n, _ in names), reversed(c)))
                for c in product(*(range(size) for _, size in reversed(names)))]

    coords = []
    nested = [part[0] == "tuple" for part in parts]
    if any(nested):
        raise Unsupported("an index map to a nested tile")
    for t in count(threads):
        coords.append([tuple(number(evaluate(part, {**t, **v})) for part in parts) for v in count(values)])
    if tile is None:
        extents = [max(c[m] for row in coords for c in row) + 1 for m in range(len(parts))]
    else:
        extents = [extent_of(item) for item in items_of(tile)]
    return TiledCopy(atom, extents, coords)
