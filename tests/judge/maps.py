"""What boxes of one tensor map can copy, from the manuals of PTX and of the driver, looked at point by point.

A box lies packed in shared memory, its contiguous mode first, and begins at a multiple of 128 bytes; its rows have a multiple of
16 bytes. A swizzle moves chunks of 16 bytes by bits of the address, and the rows of a box have its 32, 64 or 128 bytes then. A tile
can be copied if boxes of one size are all of it.  Nothing here knows of strides, or of how the compiler divides a tile.
"""
from math import prod

from view import Breach, Unsupported, View

LINE, CHUNK, MOST, RANK = 128, 16, 256, 5
SPANS = (0, 32, 64, 128)  # bytes that a swizzle moves chunks within; 0: none


def moved(at, span):
    """Where the hardware puts the byte "at" of a box with a swizzle of "span" bytes; the same the other way."""
    return at ^ (at >> 3 & max(span - CHUNK, 0))


def sizes_of(flat, width, inner, span):
    """Yields boxes, a list of (mode, size) each, that may begin at the first of "flat": the (byte, coordinates) by bytes."""
    first, at = flat[0]
    box, packed, mode = [], 1, inner
    while mode is not None:
        def goes_on(n):
            step = tuple(x + n * (d == mode) for d, x in enumerate(at))
            return packed * n < len(flat) and flat[packed * n] == (first + packed * n * width, step)

        most = span // width if span and not box else MOST
        n = 1
        while n < most and goes_on(n):
            n += 1
        if span and not box and n < most:
            return
        for size in [n] if span and not box else range(n, 0, -1):
            yield box + [(mode, size)]
        box, packed, mode = box + [(mode, n)], packed * n, None
        if packed < len(flat) and flat[packed][0] == first + packed * width:
            steps = [x - y for x, y in zip(flat[packed][1], at)]
            used = [d for d, _ in box]
            mode = next((d for d, x in enumerate(steps) if x == 1 and d not in used and sum(map(abs, steps)) == 1), None)


def divides(flat, width, box):
    """Whether "flat" is boxes of this size, one after the other."""
    count = prod(n for _, n in box)
    if len(flat) % count or box[0][1] * width % CHUNK:
        return False
    inside = [(0, (0,) * len(flat[0][1]))]
    for mode, n in box:
        inside = [(at + k * len(inside) * width, tuple(x + k * (d == mode) for d, x in enumerate(xs))) for k in range(n) for at, xs in inside]
    for i in range(0, len(flat), count):
        first, origin = flat[i]
        if first % LINE:
            return False
        for (at, xs), (place, coordinates) in zip(inside, flat[i:i + count]):
            if place != first + at or any(c != o + x for c, o, x in zip(coordinates, origin, xs)):
                return False
    return True


def find_box(points, width, inner):
    """The ((mode, size) .., swizzle's bytes) of boxes that copy "points", a list of (byte of shared memory, coordinates); or None."""
    for span in SPANS:
        flat = sorted((moved(at, span), xs) for at, xs in points)
        for box in sizes_of(flat, width, inner, span):
            if divides(flat, width, box):
                return box, span
    return None


def check_map(name, width, mem, buf, cache):
    """What a tensor map and its boxes ask of a copy between "mem", of a tensor, and "buf", of shared memory."""
    source = mem.buf
    if width > 8 or source.sw or source.off * width % CHUNK:
        raise Breach("a tensor that a map cannot describe")
    if any(place is None for place in buf.places()):
        raise Breach(f"'{name}' reaches beyond its buffer")
    columns, inner = mem.columns(), rows_along(mem, buf)
    if inner is None:
        raise Breach(f"what is contiguous in '{buf.buf.name}' is not so in '{source.name}'")
    for d, column in enumerate(columns):
        n, step = source.ext[d], source.st[d]
        if n > 1 and d != inner and any(column) and (step < 0 or step * width % CHUNK):
            raise Breach(f"a stride of '{source.name}' is no multiple of 16 bytes")
        if mem.end[d].low is not None and mem.end[d].low > 0 and min(column) < mem.end[d].low:
            raise Breach(f"'{name}' fills before a part that begins inside its tensor")
    key = (buf.buf.name, tuple(slot(buf).base), shape(buf), shape(mem), inner, width)
    if key not in cache:
        cache[key] = find_box(list(zip([width * at for at in slot(buf).places()], zip(*columns))), width, inner)
    if cache[key] is None:
        raise Breach(f"no boxes of a tensor map are the tile that '{name}' copies")
    box, _ = cache[key]
    begins = {x // box[0][1] * box[0][1] for x in (c - mem.base[inner] for c in columns[inner])}
    if any((mem.base[inner] + x) * width % CHUNK for x in begins):
        raise Breach(f"a box of '{name}' begins between two multiples of 16 bytes")
    modes = {d for d, _ in box} | {d for d, column in enumerate(columns) if any(column)}
    if len(modes) > RANK:
        raise Breach("a map of more than five modes")


def shape(view):
    return tuple((leaf.n, tuple(leaf.v)) for leaf in view.leaves())


def slot(buf):
    """The same place of the first slot: each slot is where boxes can begin."""
    if not buf.buf.stages or not buf.base[-1]:
        return buf
    return View(buf.buf, tuple(buf.base[:-1]) + (0,), buf.modes, buf.names, end=buf.end)


def rows_along(mem, buf):
    """The mode of the tensor that the first bytes of "buf" go along; None if it is not contiguous."""
    order = sorted(zip(slot(buf).places(), zip(*mem.columns())))
    if len(order) < 2:
        raise Unsupported("a box of one element")
    steps = [b - a for a, b in zip(order[0][1], order[1][1])]
    along = [d for d, step in enumerate(steps) if step]
    if len(along) != 1 or steps[along[0]] != 1 or mem.buf.st[along[0]] != 1:
        return None
    return along[0]
