"""Layouts for the judge of the calculator (points.py): what they are as functions, how they are written, and random ones.

Written from docs/algebra.md only.  A shape is an int or a tuple of shapes, a stride has the same form.  A layout's value at an index
is outer + swizzle(offset + sum of coordinate * stride).
"""
import itertools
import math
import re


def leaves(t):
    return [t] if isinstance(t, int) else [x for k in t for x in leaves(k)]


def prod(t):
    return math.prod(leaves(t))


def text(t):
    return str(t) if isinstance(t, int) else "(" + ",".join(text(k) for k in t) + ")"


def rank(t):
    return 1 if isinstance(t, int) else len(t)


def depth(t):
    return 0 if isinstance(t, int) else 1 + max([depth(k) for k in t], default=0)


def congruent(a, b):
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int)
    return len(a) == len(b) and all(map(congruent, a, b))


def refines(fine, coarse):
    """Whether each extent of "coarse" is the size of the part of "fine" in its place."""
    if isinstance(coarse, int):
        return prod(fine) == coarse
    return not isinstance(fine, int) and len(fine) == len(coarse) and all(map(refines, fine, coarse))


def like(flat, form):
    """The numbers of the iterator "flat" in the form of "form"."""
    return next(flat) if isinstance(form, int) else tuple(like(flat, k) for k in form)


def swizzle(w, x):
    if w is None:
        return x
    b, m, s = w
    mask = ((1 << b) - 1) << (m + max(s, 0))
    return x ^ ((x & mask) >> s if s >= 0 else (x & mask) << -s)


class Layout:
    def __init__(self, shape, stride, sw=None, offset=0, outer=0):
        self.shape, self.stride, self.sw, self.offset, self.outer = shape, stride, sw, offset, outer

    def size(self):
        return prod(self.shape)

    def plain(self, i):
        """The sum of coordinate times stride; beyond the size the last mode runs on, and at -i it is the negative of that at i."""
        if i < 0:
            return -self.plain(-i)
        s, d = leaves(self.shape), leaves(self.stride)
        total = 0
        for k in range(len(s)):
            c = i if k == len(s) - 1 else i % s[k]
            total += c * d[k]
            i //= s[k]
        return total

    def at(self, i):
        return self.outer + swizzle(self.sw, self.offset + self.plain(i))

    def values(self):
        return [self.at(i) for i in range(self.size())]

    def inner(self):
        return Layout(self.shape, self.stride)

    def mode(self, k):
        return Layout(self.shape, self.stride) if isinstance(self.shape, int) else Layout(self.shape[k], self.stride[k])

    def modes(self):
        return [self.mode(k) for k in range(rank(self.shape))]

    def written(self):
        out = f"{text(self.shape)}:{text(self.stride)}"
        if self.sw is not None:
            out = f"Sw<{','.join(map(str, self.sw))}> o {self.offset} o {out}"
        return out

    def same(self, other):
        return (self.shape, self.stride) == (other.shape, other.stride)


def join(modes):
    return Layout(tuple(m.shape for m in modes), tuple(m.stride for m in modes))


def col(shape):
    strides, step = [], 1
    for n in leaves(shape):
        strides.append(0 if n == 1 else step)
        step *= n
    return Layout(shape, like(iter(strides), shape))


def index(coord, shape):
    """The index of a coordinate, in which an integer may take the place of a mode."""
    if isinstance(coord, int):
        return coord
    at, step = 0, 1
    for c, n in zip(coord, shape):
        at += index(c, n) * step
        step *= prod(n)
    return at


def coordinate(i, shape, last=True):
    """The coordinate of an index; the last mode takes what is left."""
    if isinstance(shape, int):
        return i if last else i % shape
    out = []
    for k, n in enumerate(shape):
        end = last and k == len(shape) - 1
        out.append(coordinate(i if end else i % prod(n), n, end))
        i //= prod(n)
    return tuple(out)


def layout_of(values):
    """The extents and strides of a layout with these values, the first one 0; None if there is none."""
    n = len(values)
    if n == 1:
        return []
    run = 1
    while run < n and values[run] == run * values[1]:
        run += 1
    if run == n:
        return [(n, values[1])]
    for part in range(run, 1, -1):
        if n % part == 0:
            rest = values[::part]
            if all(values[i] == rest[i // part] + values[i % part] for i in range(n)):
                more = layout_of(rest)
                if more is not None:
                    return [(part, values[1])] + more
    return None


def has_layout(shape, value):
    """Whether a layout whose shape refines "shape" has these values, from value(0) = 0 on."""
    n, step = leaves(shape), 1
    alone = []
    for extent in n:
        alone.append([value(step * c) for c in range(extent)])
        if layout_of(alone[-1]) is None:
            return False
        step *= extent
    return all(value(i) == sum(alone[k][c] for k, c in enumerate(leaves(coordinate(i, tuple(n))))) for i in range(step))


# -- reading -------------------------------------------------------------------------------------------------------------------

TUPLE = re.compile(r"[()]|,|-?\d+")


def read_tuple(s):
    stack = [[]]
    for word in TUPLE.findall(s):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = tuple(stack.pop())
            stack[-1].append(done)
        elif word != ",":
            stack[-1].append(int(word))
    return stack[0][0]


LAYOUT = re.compile(r"(?:(-?\d+)\+)?(?:Sw<(\d+),(\d+),(-?\d+)> o (-?\d+) o )?([^:]+):(.+)")


def given(s, params):
    """The text "s" with numbers for its params."""
    s = re.sub(r"[A-Za-z]\w*", lambda m: str(params[m.group()]), s)
    return re.sub(r"-?\d+(\*\d+)+", lambda m: str(math.prod(map(int, m.group().split("*")))), s)


def read(s):
    """A printed value: an int, a tuple, a Layout, a truth value, or ("Sw", b, m, s)."""
    if s in ("true", "false"):
        return s == "true"
    if ":" not in s:
        return ("Sw", *map(int, re.findall(r"-?\d+", s))) if s.startswith("Sw") else read_tuple(s)
    outer, b, m, shift, offset, shape, stride = LAYOUT.fullmatch(s).groups()
    return Layout(read_tuple(shape), read_tuple(stride), None if b is None else (int(b), int(m), int(shift)), int(offset or 0),
                  int(outer or 0))


# -- drawing -------------------------------------------------------------------------------------------------------------------

def draw_shape(r, most, deep=2, top=True):
    if deep == 0 or (not top and r.random() < 0.6):
        return min(most, r.choice([1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 16]))
    kids = []
    for _ in range(r.choice([1, 2, 2, 3])):
        kids.append(draw_shape(r, most, deep - 1, False))
        most = max(1, most // prod(kids[-1]))
    return tuple(kids)


def draw_strides(r, shape, kind=None):
    n = leaves(shape)
    kind = kind or r.choice(["compact", "compact", "gaps", "gaps", "small", "small", "signs", "signs", "zeros"])
    if kind == "small":
        signs = r.choice([[1], [1], [-1, 1]])
        return like(iter([r.choice(signs) * r.choice([0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24]) for _ in n]), shape)
    order, step, d = r.sample(range(len(n)), len(n)) if r.random() < 0.6 else list(range(len(n))), 1, [0] * len(n)
    for k in order:
        d[k] = step
        step *= n[k] * (r.choice([1, 1, 2, 3]) if kind != "compact" else 1)
        if n[k] == 1 and r.random() < 0.5:
            d[k] = r.choice([0, 0, 1, 7, -1])
    if kind == "signs":
        d = [x * r.choice([1, -1]) for x in d]
    if kind == "zeros":
        d = [x * r.choice([1, 1, 0]) for x in d]
    return like(iter(d), shape)


def draw_layout(r, most=64, deep=2, kind=None, swizzled=0.0, flat=0.25):
    shape = draw_shape(r, most, deep)
    if r.random() < flat:
        shape = min(most, r.choice([1, 2, 3, 4, 6, 8, 12, 16, 24]))
    out = Layout(shape, draw_strides(r, shape, kind))
    if r.random() < swizzled:
        b = r.choice([1, 1, 2, 2, 3])
        out.sw, out.offset = (b, r.choice([0, 0, 1, 2, 3]), r.choice([1, 1, 1, -1]) * (b + r.choice([0, 0, 1]))), r.choice([0, 0, 0, 1, 4, 5, 16])
    return out


def all_coordinates(*extents):
    return itertools.product(*map(range, extents))
