"""Parts of views, for the judge: slices, ranges, tiles and compositions."""
from math import prod

from view import WILD, Breach, End, Leaf, Range, Tup, Unsupported, View, extent, leaves, number, plus


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


def split(tree, n, end=True):
    """Divides a mode by a tile of "n" elements: returns the tile and what counts the tiles.

    What is beyond the last tile is beyond the end of the part if "end"; otherwise it may not be asked for.
    """
    flat, tile, rest = leaves(tree), [], []
    if n < 1:
        raise Breach("a tile of no element")
    for i, leaf in enumerate(flat):
        if i == len(flat) - 1:
            tile.append(Leaf(n, leaf.v, leaf.rest))
            rest.append(Leaf(-(-leaf.n // n), tuple(n * x for x in leaf.v), end))
        elif leaf.n and n % leaf.n == 0:
            tile.append(leaf)
            n //= leaf.n
        elif leaf.n % n == 0:
            tile.append(Leaf(n, leaf.v, leaf.rest))
            rest.append(Leaf(leaf.n // n, tuple(n * x for x in leaf.v), end))
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
        end = view.buf is None or goes_to_end(view, last)
        pairs.append((mode, Leaf(1, tuple(last.n * x for x in last.v), end)) if n is None else split(mode, n, end))
    return [a for a, _ in pairs], [b for _, b in pairs]


def goes_to_end(view, leaf):
    """Whether "leaf" goes in single steps to where the part "view" ends."""
    return all(step in (0, 1) and (step == 0 or view.base[d] + leaf.n == view.end[d].at) for d, step in enumerate(leaf.v))


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
