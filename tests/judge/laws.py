"""What each operation of the calculator means, point by point, for points.py: tilers, products, composition, complements, inverses.

Written from docs/algebra.md only.  Each function draws arguments.  It returns the expression, a function that judges its value, and
a function that says whether there is a right value, or None if that is not known.
"""
import collections
import math

from layouts import Layout, draw_layout, depth, given, has_layout, join, layout_of, leaves, like, prod, rank, read, refines, text

OPS = {}


class Wrong(Exception):
    """The result is not what the operation means."""


def must(holds, why):
    if not holds:
        raise Wrong(why)


def op(f):
    OPS[f.__name__] = f
    return f


def same_values(got, want, what="values"):
    must(got == want, f"{what}: {got[:24]} instead of {want[:24]}")


def equals(want):
    """The value is exactly this one."""
    def judge(got):
        if isinstance(want, Layout):
            must(isinstance(got, Layout) and got.same(want) and (got.sw, got.offset, got.outer) == (want.sw, want.offset, want.outer),
                 f"not {want.written()}")
        else:
            must(got == want, f"not {want}")
    return judge


def under(a, got):
    """A result that has the swizzle and offset of "a"; returns what is under them."""
    must(isinstance(got, Layout) and (got.sw, got.offset, got.outer) == (a.sw, a.offset, a.outer), "another swizzle or offset")
    return got.inner()


# -- tilers --------------------------------------------------------------------------------------------------------------------

class Tiler:
    """"kids" of a tuple, a "layout", or neither: "_"."""

    def __init__(self, layout=None, kids=None, bare=False):
        self.layout, self.kids, self.bare = layout, kids, bare

    def written(self, top=True):
        if self.kids is not None:
            inner = [k.written(False) for k in self.kids]
            return f"({','.join(inner)})" if self.bare else f"<{','.join(inner)}>"
        return "_" if self.layout is None else text(self.layout.shape) if self.bare else self.layout.written()


def draw_tiler(r, shape, by_mode=None, grow=False):
    """A tiler for a mode of this shape; "grow": for a product."""
    if by_mode is None:
        by_mode = not isinstance(shape, int) and r.random() < 0.7
    if by_mode:
        n = len(shape) if r.random() < 0.85 else r.randrange(1, len(shape) + 1)
        kids = [draw_tiler(r, shape[k], not isinstance(shape[k], int) and r.random() < 0.15, grow) for k in range(n)]
        return Tiler(kids=kids, bare=all(k.kids is None and (k.layout is None or k.bare and isinstance(k.layout.shape, int)) for k in kids))
    if r.random() < 0.25:
        return Tiler()
    n = prod(shape)
    if grow:
        return Tiler(draw_layout(r, 6, 1)) if r.random() < 0.5 else Tiler(Layout(r.choice([1, 2, 3, 4]), 1), bare=True)
    size = r.choice([k for k in range(1, n + 1) if n % k == 0]) if r.random() < 0.8 else r.randrange(1, n + 3)
    kind = r.random()
    if kind < 0.55:
        return Tiler(Layout(size, 1), bare=True)
    if kind < 0.8:
        return Tiler(Layout(size, r.choice([1, 1, 1, -1]) * r.choice([k for k in range(1, n + 1) if n % (k * size) == 0 or k == 1 or r.random() < 0.05])))
    return Tiler(draw_layout(r, size, 1))


def halves(t, a, first, second):
    """The (tiler, mode, tile, rest) of each leaf of "t", from a result in the zipped form of the modes "a"."""
    if t.kids is None:
        return [(t, a, first, second)]
    n, modes = len(t.kids), a.modes()
    must(rank(first.shape) == n and not isinstance(first.shape, int), "the tile has not the tiler's modes")
    must(rank(second.shape) == len(modes) and not isinstance(second.shape, int), "the rest has not the layout's modes")
    for k in range(n, len(modes)):
        must(second.mode(k).same(modes[k]), f"mode {k}, which is not in the tiler, has changed")
    return [x for k in range(n) for x in halves(t.kids[k], modes[k], first.mode(k), second.mode(k))]


def pairs(form, t, a, got):
    if form == "logical":
        if t.kids is None:
            if t.layout is None:
                must(got.same(a), "a kept mode has changed")
                return []
            must(rank(got.shape) == 2, "not (tile, rest)")
            return [(t, a, got.mode(0), got.mode(1))]
        must(rank(got.shape) == rank(a.shape), "another rank")
        for k in range(len(t.kids), rank(a.shape)):
            must(got.mode(k).same(a.mode(k)), f"mode {k}, which is not in the tiler, has changed")
        return [x for k, kid in enumerate(t.kids) for x in pairs(form, kid, a.mode(k), got.mode(k))]
    modes, first = got.modes(), 1
    if form == "flat":
        first = len(t.kids) if t.kids is not None else rank((t.layout or a).shape)
    x = modes[0] if first == 1 else join(modes[:first])
    y = modes[first] if len(modes) == first + 1 else join(modes[first:])
    must(form != "zipped" or len(modes) == 2, "not ((tile),(rest))")
    return halves(t, a, x, y)


def translates(values, n):
    """Where copies of "values" begin that fill 0 .. n, each as low as it can be; None if they overlap."""
    covered, found, x = set(), [], 0
    if min(values) < 0:
        return None
    values = set(values)
    while x < n:
        if x not in covered:
            copy = {x + v for v in values}
            if copy & covered:
                return None
            covered |= copy
            found.append(x)
        x += 1
    return found


def judge_divide(form, t, a):
    def judge(got):
        for tiler, mode, tile, rest in pairs(form, t, a.inner(), under(a, got)):
            if tiler.layout is None:
                must(tile.same(mode), "the tile has not all of a kept mode")
                must(rest.same(Layout(1, 0)), "a kept mode has a rest")
                continue
            must(refines(tile.shape, tiler.layout.shape), "the tile has not the tiler's shape")
            n = mode.size()
            starts = translates(tiler.layout.values(), n)
            must(starts is not None, "the tiler leaves no complement")
            must(rest.size() >= len(starts), "elements are missing")
            for i in range(tile.size()):
                for j, start in enumerate(starts):
                    at = tiler.layout.at(i) + start
                    must(at >= n or tile.at(i) + rest.at(j) == mode.at(at), f"({i},{j}) is not element {at} of {mode.written()}")
    return judge


def divides_exactly(t, a):
    """Whether there is a result without padding."""
    if t.kids is not None:
        return all(divides_exactly(k, m) for k, m in zip(t.kids, a.modes()))
    if t.layout is None:
        return True
    starts = translates(t.layout.values(), a.size())
    tile = t.layout.size()
    if starts is None or len(set(t.layout.values())) * len(starts) != a.size() or layout_of(starts) is None or not injective(t.layout):
        return False
    if not all(even(a, n, d) for n, d in zip(leaves(t.layout.shape) + [x for x, _ in layout_of(starts)],
                                             leaves(t.layout.stride) + [x for _, x in layout_of(starts)])):
        return False
    whole = (t.layout.shape, len(starts))
    return has_layout(whole, lambda i: a.at(t.layout.at(i % tile) + starts[i // tile]))


def injective(a):
    """Whether it has a value twice only along modes of stride 0."""
    return len(set(a.values())) == math.prod(n for n, d in zip(leaves(a.shape), leaves(a.stride)) if d)


def even(a, n, d):
    """Whether n steps of d meet the modes of "a" at whole steps: only then does the composition promise a result."""
    extents = [x for x, _ in layout_of(a.inner().values()) or []]
    for extent in extents if leaves(a.shape)[-1] == 1 else extents[:-1]:
        if n == 1 or d == 0:
            return True
        if d % extent == 0:
            d //= extent
        elif extent % d:
            return False
        elif n <= extent // d:
            return True
        elif n % (extent // d):
            return False
        else:
            n, d = n // (extent // d), 1
    return True


def divide(form):
    def draw(r):
        a = draw_layout(r, 64, swizzled=0.1)
        t = draw_tiler(r, a.shape)
        if form == "flat" and t.layout is not None and isinstance(t.layout.shape, int):
            t = Tiler()  # the modes of the tile would not be known
        return f"{form}_divide({a.written()}, {t.written()})", judge_divide(form, t, a), lambda: divides_exactly(t, a.inner())
    draw.__name__ = f"{form}_divide"
    return op(draw)


def judge_copies(a, b, y):
    """Whether "y" places copies of "a" as "b" says."""
    must(refines(y.shape, b.shape), "the copies have not the tiler's shape")
    places = collections.defaultdict(set)
    for i, v in enumerate(b.values()):
        places[v].add(y.at(i))
    must(all(len(p) == 1 for p in places.values()), "one copy at two places")
    begins = {v: p.pop() for v, p in places.items()}
    mine = set(a.values())
    must(len({x + p for x in mine for p in begins.values()}) == len(mine) * len(begins), "copies overlap")
    order = [begins[v] for v in sorted(begins)]
    must(order == sorted(order) and begins.get(0, 0) == 0, "copies in another order")
    if min(begins) >= 0:
        starts = translates(mine, 1 + max(begins.values()))
        must(starts is None or all(p in starts and starts.index(p) == v for v, p in begins.items()), "copies not where the first room is")


def judge_product(form, t, a):
    def judge(got):
        for tiler, mode, block, copies in pairs(form, t, a.inner(), under(a, got)):
            must(block.same(mode), "the block is another one")
            if tiler.layout is None:
                must(copies.same(Layout(1, 0)), "a kept mode is repeated")
            else:
                judge_copies(mode, tiler.layout, copies)
    return judge


def product(form):
    def draw(r):
        a = draw_layout(r, 16, swizzled=0.1)
        t = draw_tiler(r, a.shape, grow=True)
        if form == "flat" and t.layout is not None:
            t = Tiler(kids=[t]) if not isinstance(a.shape, int) else Tiler()
        return f"{form}_product({a.written()}, {t.written()})", judge_product(form, t, a), None
    draw.__name__ = f"{form}_product"
    return op(draw)


for _form in ("logical", "zipped", "tiled", "flat"):
    divide(_form)
    product(_form)


def ranked(name, raked):
    def draw(r):
        a, b = draw_layout(r, 16, swizzled=0.1), draw_layout(r, 8)
        n = max(rank(a.shape), rank(b.shape))
        pad = [join(x.modes() + [Layout(1, 0)] * (n - rank(x.shape))) if rank(x.shape) < n else x.inner() for x in (a, b)]

        def judge(got):
            got = under(a, got)
            must(rank(got.shape) == n, "another rank")
            two = [got.mode(k).modes() for k in range(n)]
            must(all(len(m) == 2 for m in two), "not pairs")
            x, y = [m[1 if raked else 0] for m in two], [m[0 if raked else 1] for m in two]
            whole = isinstance(pad[0].shape, int) or isinstance(pad[1].shape, int)  # ((block, copies))
            x, y = (x[0], y[0]) if whole else (join(x), join(y))
            must(x.same(pad[0]), "the block is another one")
            judge_copies(pad[0], pad[1], y)
        return f"{name}({a.written()}, {b.written()})", judge, None
    draw.__name__ = name
    return op(draw)


ranked("blocked_product", False)
ranked("raked_product", True)


@op
def tile_to_shape(r):
    a = draw_layout(r, 16, swizzled=0.2, flat=0)
    times = [r.choice([1, 1, 2, 3, 4]) for _ in a.shape]
    shape = tuple(prod(n) * k for n, k in zip(a.shape, times))
    order = r.sample(range(len(shape)), len(shape)) if r.random() < 0.6 else None

    def judge(got):
        got, steps, step = under(a, got), [0] * len(times), 1
        must(refines(got.shape, shape), "another shape")
        for k in (order and sorted(range(len(times)), key=order.__getitem__)) or range(len(times)):
            steps[k], step = step, step * times[k]
        must(all(rank(got.mode(k).shape) == 2 for k in range(len(shape))), "not pairs")
        must(all(got.mode(k).mode(0).same(a.mode(k)) for k in range(len(shape))), "the block is another one")
        judge_copies(a.inner(), Layout(tuple(times), tuple(steps)), join([got.mode(k).mode(1) for k in range(len(shape))]))
    return f"tile_to_shape({a.written()}, {text(shape)}{', ' + text(tuple(order)) if order else ''})", judge, None


# -- composition, complement, inverses -------------------------------------------------------------------------------------------

@op
def composition(r):
    a = draw_layout(r, 64, swizzled=0.15)
    if r.random() < 0.4 and not isinstance(a.shape, int):
        return by_mode(r, a)
    b = draw_layout(r, 16, swizzled=0.1)
    if r.random() < 0.8:
        signs = r.choice([[1], [1], [-1, 1], [-1]])
        b.stride = like(iter([abs(x) * r.choice(signs) * r.choice([1, 1, 2, 4]) for x in leaves(b.stride)]), b.shape)
    infix = b.sw is None and r.random() < 0.5

    def judge(got):
        must(refines(got.shape, b.shape), "another shape")
        for i, x in enumerate(b.values()):
            must(got.at(i) == a.at(x), f"at {i} it is {got.at(i)}, not {a.at(x)}")

    def exists():
        return a.sw is None and b.sw is None and min(leaves(b.stride)) >= 0 and all(map(
            lambda n, d: even(a, n, d), leaves(b.shape), leaves(b.stride))) and has_layout(b.shape, lambda i: a.at(b.at(i)))
    return (f"{a.written()} o {b.written()}" if infix else f"composition({a.written()}, {b.written()})"), judge, exists


def by_mode(r, a):
    t = draw_tiler(r, a.shape, True)
    sizes = [m.size() if k.layout is None else k.layout.size() for k, m in zip(t.kids, a.modes()) if k.kids is None]
    if len(sizes) < len(t.kids):
        t, sizes = Tiler(kids=[Tiler() for _ in t.kids], bare=True), [m.size() for m in a.modes()[:len(t.kids)]]

    def judge(got):
        inner = under(a, got)
        must(rank(inner.shape) == len(t.kids), "another rank")
        for k, (tiler, mode) in enumerate(zip(t.kids, a.modes())):
            part = inner.mode(k)
            if tiler.layout is None:
                must(part.same(mode), "a kept mode has changed")
            else:
                must(refines(part.shape, tiler.layout.shape), "another shape")
                for i, x in enumerate(tiler.layout.values()):
                    must(part.at(i) == mode.at(x), f"mode {k} at {i} is {part.at(i)}, not {mode.at(x)}")
    return f"composition({a.written()}, {t.written()})", judge, None


@op
def symbols(r):
    """A composition with params, which has to be right for all their values."""
    def draw(extents, strides):
        n = r.choice([1, 2, 2, 3])
        d = [r.choice(["", "", "-"]) + r.choice(strides) for _ in range(n)]
        return f"({','.join(r.choice(extents) for _ in range(n))}):({','.join(d)})"
    a = draw(["2", "6", "8", "M", "4*M", "8*M", "K"], ["0", "1", "4", "8", "M", "8*M", "K", "lda", "K*M"])
    b = draw(["2", "4", "8", "M", "2*M"], ["1", "2", "8", "M", "4*M", "8*M", "16*M", "K*M"])

    def judge(got):
        for _ in range(4):
            params = {"M": r.choice([1, 2, 3, 5]), "K": r.choice([1, 2, 4, 7]), "lda": r.choice([1, 9, 100])}
            x, y, z = (read(given(t, params)) for t in (a, b, got))
            must(z.values() == [x.at(i) for i in y.values()], f"at {params} it is {z.written()}")
    return f"{a} o {b}", judge, None


@op
def complement(r):
    a = draw_layout(r, 32, swizzled=0.1)
    n = r.choice([None, a.size(), a.size() * r.choice([2, 3, 4]), r.randrange(1, 100)])
    room = n or 1 + max(a.values())

    def judge(got):
        must(isinstance(got, Layout) and got.sw is None and depth(got.shape) <= 1, "not a flat layout")
        must(leaves(got.stride) == sorted(leaves(got.stride)), "the strides do not ascend")
        mine, sums = sorted(set(a.values())), set()
        for c in got.values():
            sums |= {c + x for x in mine}
        must(len(sums) == len(mine) * got.size(), "not disjoint")
        must(set(range(room)) <= sums, "it does not fill the range")
        must(got.size() == 1 or translates(mine, room) == got.values()[:len(translates(mine, room) or [])], "not the first room")

    def exists():
        pairs, span = sorted((d, n) for n, d in zip(leaves(a.shape), leaves(a.stride)) if d and n > 1), 1
        for d, n in pairs:  # only modes that do not interleave are promised one
            if d < span:
                return None
            span = d * n
        starts = translates(a.values(), room) if a.sw is None and injective(a) else None
        return starts is not None and layout_of(starts) is not None
    return f"complement({a.written()}{f', {n}' if n else ''})", judge, exists


@op
def right_inverse(r):
    a = draw_layout(r, 32, kind=r.choice([None, "compact"]), swizzled=0.15)

    def judge(got):
        same_values([a.at(x) for x in got.values()], list(range(got.size())), "L(R(i))")
        must(sorted(a.values()) != list(range(a.size())) or got.size() == a.size() or a.sw is not None, "the inverse is not whole")
    return f"right_inverse({a.written()})", judge, None


@op
def left_inverse(r):
    a = draw_layout(r, 32, kind=r.choice([None, "compact", "gaps"]), swizzled=0.15)

    def judge(got):
        same_values([got.at(x) for x in a.values()], list(range(a.size())), "R(L(i))")

    def exists():
        return False if len(set(a.values())) < a.size() or min(a.values()) < 0 else None
    return f"left_inverse({a.written()})", judge, exists
