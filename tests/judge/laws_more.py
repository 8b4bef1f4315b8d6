"""The same for widths, coordinates, slices, swizzles, shapes, and what only rearranges modes."""
import math

from laws import equals, must, op, same_values, under
from layouts import (Layout, col, congruent, coordinate, depth, draw_layout, draw_shape, draw_strides, index, join, layout_of, leaves, like,
                     prod, rank, refines, swizzle, text)


# -- widths --------------------------------------------------------------------------------------------------------------------

def widths(r):
    a = draw_layout(r, 32, kind=r.choice([None, "compact", "gaps"]), swizzled=0.2)
    n = r.choice([1, 2, 2, 4, 4, 8, 3])
    return a, n


@op
def downcast(r):
    a, n = widths(r)

    def judge(got):
        s, mine = leaves(a.shape), leaves(got.shape)
        must(congruent(got.shape, a.shape), "another form")
        grown = [k for k in range(len(s)) if mine[k] != s[k]]
        must(len(grown) == (n > 1) and all(mine[k] == n * s[k] for k in grown), "not one mode that is longer")
        for i in range(got.size()):
            c = list(leaves(coordinate(i, tuple(mine))))
            part = 0
            for k in grown:
                c[k], part = divmod(c[k], n)
            at = index(tuple(c), tuple(s))
            must(got.at(i) == n * a.at(at) + part, f"at {i} it is {got.at(i)}, not {n * a.at(at) + part}")

    def exists():
        return False if a.sw is None and 1 not in leaves(a.stride) and -1 not in leaves(a.stride) else None
    return width_text(r, "down", a, n), judge, exists


@op
def upcast(r):
    a, n = widths(r)

    def judge(got):
        s, mine = leaves(a.shape), leaves(got.shape)
        must(congruent(got.shape, a.shape), "another form")
        by = []
        for k in range(len(s)):
            d = abs(leaves(a.stride)[k])
            by.append(n // d if d and n % d == 0 else 1)
            must(mine[k] == -(-s[k] // by[k]), "another extent")
        for i in range(a.size()):
            c = leaves(coordinate(i, tuple(s)))
            x = got.at(index(tuple(k // b for k, b in zip(c, by)), tuple(mine)))
            must(x == a.at(i) // n, f"element {i} is in {a.at(i) // n}, not {x}")
    return width_text(r, "up", a, n), judge, None


def width_text(r, way, a, n):
    if r.random() < 0.5:
        return f"{way}cast({a.written()}, {n})"
    two = (8, 8 * n) if way == "up" else (8 * n, 8)
    return f"recast({a.written()}, {two[0]}b, {two[1]}b)"


@op
def max_common_vector(r):
    a, b = draw_layout(r, 32), draw_layout(r, 32)
    if r.random() < 0.5:
        b = Layout(a.shape, draw_strides(r, a.shape))

    def judge(n):
        both = {x for x, y in zip(a.values(), b.values()) if x == y}
        must(n >= 1 and (n == 1 or set(range(n)) <= both), "an element that is not in the same place in both")
    return f"max_common_vector({a.written()}, {b.written()})", judge, lambda: True


@op
def max_common_layout(r):
    a, b = draw_layout(r, 32), draw_layout(r, 32)
    if r.random() < 0.5:
        b = Layout(a.shape, draw_strides(r, a.shape))

    def judge(got):
        same_values([a.at(x) for x in got.values()], list(range(got.size())), "A(R(i))")
        same_values([b.at(x) for x in got.values()], list(range(got.size())), "B(R(i))")
    return f"max_common_layout({a.written()}, {b.written()})", judge, None


@op
def max_alignment(r):
    a = draw_layout(r, 32, kind=r.choice([None, "compact", "gaps"]), swizzled=0.2)

    def judge(n):
        values = set(a.values())
        must(n >= 1 and all(x // n * n + k in values for x in values for k in range(n)), "a run that is not aligned")
    return f"max_alignment({a.written()})", judge, lambda: True


@op
def cosize(r):
    a, at = draw_layout(r, 64, swizzled=0.3), ""
    if r.random() < 0.2 and not isinstance(a.shape, int):
        at = r.randrange(len(a.shape))
        a_mode = a.mode(at)
        a_mode.sw, a_mode.offset = a.sw, a.offset
        return f"cosize({a.written()}, {at})", equals(1 + max(a_mode.values())), lambda: True
    plus = r.choice([0, 0, 3, 17])
    return f"cosize({f'{plus}+' if plus and a.sw is None else ''}{a.written()})", equals(
        1 + max(a.values()) + (plus if a.sw is None else 0)), lambda: True


# -- coordinates ---------------------------------------------------------------------------------------------------------------

def draw_coordinate(r, shape):
    if isinstance(shape, int) or r.random() < 0.2:
        return r.randrange(prod(shape))
    return tuple(draw_coordinate(r, k) for k in shape)


@op
def crd2idx(r):
    a = draw_layout(r, 64, swizzled=0.2)
    c = draw_coordinate(r, a.shape)
    return f"crd2idx({text(c)}, {a.written()})", equals(a.at(index(c, a.shape))), lambda: True


@op
def idx2crd(r):
    shape = draw_shape(r, 64)
    i = r.randrange(prod(shape))
    return f"idx2crd({i}, {text(shape)})", equals(coordinate(i, shape)), lambda: True


@op
def crd2crd(r):
    s, i = draw_shape(r, 64), r.randrange(1000)
    t = r.choice([tuple([prod(s)]), prod(s), (prod(s), 1), (1, prod(s))])
    i %= prod(s)
    return f"crd2crd({i}, {text(s)}, {text(t)})", equals(coordinate(i, t)), lambda: True


@op
def get_coord(r):
    a = draw_layout(r, 48, kind=r.choice(["compact", "gaps", "gaps", None]), swizzled=0.1)
    i, form = r.randrange(a.size()), r.choice(["hier", "flat", "1d"])
    x = a.at(i)

    def judge(got):
        must(form != "hier" or congruent(got, a.shape), "another form")
        must(form != "flat" or depth(got) <= 1, "not flat")
        must(form != "1d" or isinstance(got, int), "not a number")
        c = got if form != "flat" or isinstance(a.shape, int) or isinstance(got, tuple) else (got,)
        must(a.at(index(c, a.shape)) == x, "another value")
    return f"get_{form}_coord({a.written()}, {x})", judge, lambda: True


def draw_hole(r, shape):
    if isinstance(shape, int) or r.random() < 0.3:
        return "_" if r.random() < 0.5 else r.randrange(prod(shape))
    return tuple(draw_hole(r, k) for k in shape)


def holes_text(c):
    return str(c) if not isinstance(c, tuple) else "(" + ",".join(map(holes_text, c)) + ")"


def cut(c, a, at):
    """The modes of "a" where the coordinate has "_", and the others; "at" gets what the others add."""
    if c == "_":
        return [a], []
    if not isinstance(c, tuple):
        at.append(a.plain(c))
        return [], [a]
    both = [cut(k, m, at) for k, m in zip(c, a.modes())]
    return [x for k, _ in both for x in k], [x for _, k in both for x in k]


@op
def slice_(r):
    a = draw_layout(r, 64, swizzled=0.35, flat=0)
    c = tuple(draw_hole(r, k) for k in a.shape)
    at = []
    kept, _ = cut(c, a.inner(), at)
    whole = join(kept)
    plus = sum(at)

    def judge(got):
        must(refines(got.shape, whole.shape), "other modes")
        same_values(got.values(), [swizzle(a.sw, a.offset + plus + whole.plain(i)) for i in range(whole.size())])
    inner = f"slice({holes_text(c)}, {a.written()})"
    if r.random() < 0.2 and kept:
        top = max(swizzle(a.sw, a.offset + plus + whole.plain(i)) for i in range(whole.size()))
        return f"cosize({inner})", equals(1 + top), lambda: True
    return inner, judge, lambda: True


@op
def dice(r):
    a = draw_layout(r, 64, flat=0)
    c = tuple(draw_hole(r, k) for k in a.shape)
    return f"dice({holes_text(c)}, {a.written()})", equals(join(cut(c, a, [])[1])), lambda: True


@op
def local_tile(r):
    a = draw_layout(r, 64, deep=1, flat=0)
    sizes = [r.choice([k for k in range(1, n + 1) if n % k == 0] + [n]) if r.random() < 0.8 else r.randrange(1, n + 2) for n in a.shape]
    whole = [r.random() < 0.2 for _ in sizes]
    sizes = [n if w else k for k, n, w in zip(sizes, a.shape, whole)]
    count = [-(-n // k) for n, k in zip(a.shape, sizes)]
    at = ["_" if r.random() < 0.15 else r.randrange(n) for n in count]
    kept = [k for k in range(len(at)) if at[k] == "_"]
    tiler = ["_" if w else str(k) for k, w in zip(sizes, whole)]

    def judge(got):
        shape = tuple(sizes) + tuple(count[k] for k in kept)
        must(refines(got.shape, shape), "another shape")
        for i in range(prod(shape)):
            c = coordinate(i, shape)
            place = [0 if x == "_" else x for x in at]
            for x, k in zip(c[len(sizes):], kept):
                place[k] = x
            full = [t * p + x for t, p, x in zip(sizes, place, c)]
            if all(x < n for x, n in zip(full, a.shape)):
                must(got.at(i) == a.at(index(tuple(full), a.shape)), f"at {i} it is {got.at(i)}")
    return f"local_tile({a.written()}, <{','.join(tiler)}>, {holes_text(tuple(at))})", judge, lambda: True


@op
def local_partition(r):
    a = draw_layout(r, 64, deep=1, flat=0)
    thr = [r.choice([k for k in range(1, n + 1) if n % k == 0]) for n in a.shape]
    t = Layout(tuple(thr), draw_strides(r, tuple(thr), "compact"))
    t.stride = like(iter([0 if n == 1 else d for n, d in zip(t.shape, leaves(t.stride))]), t.shape)
    i = r.randrange(t.size())
    c = coordinate(t.values().index(i), t.shape)
    rest = tuple(n // k for n, k in zip(a.shape, thr))

    def judge(got):
        must(refines(got.shape, rest), "another shape")
        for j in range(prod(rest)):
            full = tuple(x + k * y for x, k, y in zip(c, thr, coordinate(j, rest)))
            must(got.at(j) == a.at(index(full, a.shape)), f"at {j} it is {got.at(j)}")
    return f"local_partition({a.written()}, {t.written()}, {i})", judge, lambda: True


# -- the same function ---------------------------------------------------------------------------------------------------------

@op
def coalesce(r):
    a = draw_layout(r, 64, swizzled=0.1)

    def judge(got):
        inner = under(a, got)
        same_values(inner.values(), a.inner().values())
        s, d = leaves(inner.shape), leaves(inner.stride)
        must(depth(inner.shape) <= 1 and (1 not in s or len(s) == 1), "not as few modes as there can be")
        must(all(d[k + 1] != s[k] * d[k] for k in range(len(s) - 1)), "two modes that are one")
    return f"coalesce({a.written()})", judge, lambda: True


@op
def coalesce_by(r):
    a = draw_layout(r, 64, flat=0)

    def judge(got):
        must(rank(got.shape) == rank(a.shape), "another rank")
        for k, m in enumerate(a.modes()):
            same_values(got.mode(k).values(), m.values())
            must(depth(got.mode(k).shape) <= 1, "not coalesced")
    return f"coalesce({a.written()}, {text(tuple(1 for _ in a.shape))})", judge, lambda: True


@op
def with_shape(r):
    a = draw_layout(r, 64)
    n = a.size()
    k = r.choice([k for k in range(1, n + 1) if n % k == 0])
    shape = r.choice([(k, n // k), n, (n // k, k), (1, n), a.shape])

    def judge(got):
        must(refines(got.shape, shape), "another shape")
        same_values(got.values(), a.values())

    def exists():
        parts = [[a.at(i * (1 if j == 0 else leaves(shape)[0])) for i in range(m)] for j, m in enumerate(leaves(shape))]
        return None if len(leaves(shape)) > 2 else all(layout_of(p) is not None for p in parts) and a.values() == [
            parts[0][i % len(parts[0])] + (parts[1][i // len(parts[0])] if len(parts) > 1 else 0) for i in range(n)]
    return f"with_shape({a.written()}, {text(shape)})", judge, exists


@op
def filters(r):
    a = draw_layout(r, 64, kind=r.choice(["zeros", "zeros", None]))
    one = like(iter([1 if d == 0 else n for n, d in zip(leaves(a.shape), leaves(a.stride))]), a.shape)
    which = r.choice(["filter", "filter_zeros", "nullspace"])
    if which == "filter_zeros":
        return f"filter_zeros({a.written()})", equals(Layout(one, a.stride)), lambda: True

    def judge(got):
        if which == "filter":
            same_values(got.values(), Layout(one, a.stride).values())
        else:
            must(got.size() == math.prod(n for n, d in zip(leaves(a.shape), leaves(a.stride)) if d == 0), "another size")
            must({a.at(x) for x in got.values()} == {a.at(0)} and len(set(got.values())) == got.size(), "not where the value stays")
    return f"{which}({a.written()})", judge, lambda: True


# -- modes ---------------------------------------------------------------------------------------------------------------------

def modes(r):
    a = draw_layout(r, 64, flat=0)
    return a, len(a.shape), a.modes()


@op
def rearranged(r):
    a, n, m = modes(r)
    b, e = sorted([r.randrange(n + 1), r.randrange(n + 1)])
    order = r.sample(range(n), r.randrange(1, n + 1))
    other, k = draw_layout(r, 8), r.randrange(n)
    group = join(m[:b] + [join(m[b:e])] + m[e:]) if e > b else None
    choices = [(f"flatten({a.written()})", Layout(tuple(leaves(a.shape)), tuple(leaves(a.stride)))),
               (f"select({a.written()}, {text(tuple(order))})", join([m[i] for i in order])),
               (f"replace({a.written()}, {k}, {other.written()})", join(m[:k] + [other] + m[k + 1:])),
               (f"append({a.written()}, {other.written()})", join(m + [other])),
               (f"prepend({a.written()}, {other.written()})", join([other] + m)),
               (f"append_to_rank({a.written()}, {n + 2})", join(m + [Layout(1, 0)] * 2)),
               (f"prepend_to_rank({a.written()}, {n + 2})", join([Layout(1, 0)] * 2 + m)),
               (f"make_layout({a.written()}, {other.written()})", join([a, other])),
               (f"get({a.written()}, {k})", m[k]),
               (f"zip({join([m[0]] * n).written()}, {a.written()})", join([join([m[0], x]) for x in m]))]
    if group:
        choices += [(f"take({a.written()}, {b}, {e})", join(m[b:e])), (f"group_modes({a.written()}, {b}, {e})", group)]
    words, want = r.choice(choices)
    return words, equals(want), lambda: True


@op
def measured(r):
    a, n, m = modes(r)
    words, want = r.choice([("size", a.size()), ("rank", n), ("depth", depth(a.shape)), ("shape", a.shape), ("stride", a.stride),
                            ("product_each", tuple(x.size() for x in m))])
    return f"{words}({a.written() if words != 'product_each' else text(a.shape)})", equals(want), lambda: True


def compatible(s, t):
    return prod(t) == s if isinstance(s, int) else not isinstance(t, int) and len(s) == len(t) and all(map(compatible, s, t))


def weakly(s, t):
    return isinstance(s, int) or not isinstance(t, int) and len(s) == len(t) and all(map(weakly, s, t))


@op
def shapes(r):
    s = draw_shape(r, 64)
    t = r.choice([draw_shape(r, 64), s, tuple(prod(k) for k in s) if not isinstance(s, int) else s])
    name, f = r.choice([("compatible", compatible), ("congruent", congruent), ("weakly_congruent", weakly)])
    return f"{name}({text(s)}, {text(t)})", equals(f(s, t)), lambda: True


@op
def divisions(r):
    s = tuple(r.randrange(1, 40) for _ in range(r.randrange(2, 4)))
    t = tuple(r.randrange(1, 9) for _ in s)
    words, want = r.choice([("ceil_div", tuple(-(-x // y) for x, y in zip(s, t))), ("round_up", tuple(-(-x // y) * y for x, y in zip(s, t)))])
    return f"{words}({text(s)}, {text(t)})", equals(want), lambda: True


@op
def compact(r):
    s = draw_shape(r, 64)
    a, back = col(s), draw_layout(r, 64, kind="compact")
    choices = [(f"make_layout({text(s)})", equals(a)), (f"col({text(s)})", equals(a if not isinstance(s, int) else col((s,)))),
               (f"compact_col_major({text(s)})", equals(a.stride))]

    def judge(got):
        must(got.shape == back.shape, "another shape")
        same_values(sorted(got.values()), list(range(back.size())), "sorted values")
        two = [(d, e) for n, d, e in zip(leaves(got.shape), leaves(back.stride), leaves(got.stride)) if n > 1]
        must(all((x[0] < y[0]) == (x[1] < y[1]) for x in two for y in two), "another order")
    choices.append((f"make_layout_like({back.written()})", judge))

    def judge_row(got):
        d, step = [], 1
        for n in reversed(leaves(s)):
            d.append(0 if n == 1 else step)
            step *= n
        must(got.shape == (s if not isinstance(s, int) else (s,)) and leaves(got.stride) == d[::-1], "not compact, last mode first")
    choices.append((f"row({text(s)})", judge_row))
    return *r.choice(choices), lambda: True


@op
def swizzles(r):
    b = r.choice([0, 1, 2, 3])
    w = (b, r.randrange(4), r.choice([1, -1]) * (b + r.randrange(3)))
    i, a = r.randrange(1 << 10), draw_layout(r, 32, kind=r.choice(["compact", "gaps"]), swizzled=0.5)
    if r.random() < 0.5:
        return f"swizzle_apply(Sw<{w[0]},{w[1]},{w[2]}>, {i})", equals(swizzle(w, i)), lambda: True

    def judge(got):
        same_values(got.values(), [swizzle(w, x) for x in a.values()])
    return f"Sw<{w[0]},{w[1]},{w[2]}> o ({a.written()})", judge, None
