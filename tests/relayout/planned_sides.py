"""What the random planned copies of planned.py are drawn from: params, sums of them, and parts of tensors."""
import math, pathlib, sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "judge"))
import numeric

BITS = {"b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128} | {t: w for t, (_, w) in numeric.INTEGERS.items()} | {
    t: 1 + sum(parts) for t, parts in numeric.FLOATS.items()}
NUMBERS = [*numeric.INTEGERS, *numeric.FLOATS]
MOST = 1 << 40        # of a param, and of a constant
SMALL, ROOM = 3000, 1 << 18  # elements of a copy that is run, and of its memory


class Param:
    """An index in low .. high, a multiple of "by", and at least each of the numbers in "over"."""

    def __init__(self, name, by, low, high):
        self.name, self.by, self.low, self.high, self.over = name, by, low, high, []
        self.alone, self.sums = name, False

    def parts(self):
        return [self]

    def value(self, given):
        return given[self.name]

    def text(self):
        said = f"param {self.name} : index"
        said += f" % {self.by}" * (self.by > 1)
        said += f" in {self.low} .. {self.high}" * ((self.low, self.high) != (1, MOST))
        return said + "".join(f" where {self.name} >= {number}" for number in self.over) + ";\n"


class Sum:
    """A sum of a param and of another one or a number, as a factor of a number: an extent of it is N + K."""

    def __init__(self, param, more):
        self.param, self.more, self.over = param, more, []
        self.by, self.low = 1, max(0, param.low + (more if isinstance(more, int) else more.low))
        self.high = param.high + (more if isinstance(more, int) else more.high)
        text = f"{param.name} + {more.name if isinstance(more, Param) else more}"
        self.name, self.alone = f"({text})", text

    def parts(self):
        return [self.param, *([self.more] if isinstance(self.more, Param) else [])]

    def value(self, given):
        return self.param.value(given) + (self.more if isinstance(self.more, int) else self.more.value(given))


class Swizzle:
    """Offsets x of a side are x ^ ((x >> s) & (2^b - 1) << m), for s < 0 x ^ ((x << -s) & ..)."""

    def __init__(self, rng):
        self.b, self.m = rng.randint(1, 4), rng.randint(0, 5)
        self.s = rng.choice([1, 1, 1, -1]) * (self.b + rng.choice([0, 0, 1, 2]))

    def __str__(self):
        return f"Sw<{self.b},{self.m},{self.s}>"

    def of(self, x):
        bits = (1 << self.b) - 1
        return x ^ ((x >> self.s) & bits << self.m) if self.s > 0 else x ^ ((x & bits << self.m) << -self.s)

    def room(self, n):
        """A number of elements that is enough for all images of those below "n"."""
        period = 1 << (self.b + self.m + abs(self.s))
        return -(-n // period) * period


class Number:
    """A product of a constant and of params."""

    def __init__(self, of, params=()):
        self.of, self.params = of, tuple(params)

    def __str__(self):
        if self.of == 1 and len(self.params) == 1:
            return self.params[0].alone
        words = [*([str(self.of)] if self.of != 1 or not self.params else []), *(p.name for p in self.params)]
        return "*".join(words)

    def __eq__(self, other):
        return (self.of, self.params) == (other.of, other.params)

    def times(self, other):
        return Number(self.of * other.of, (*self.params, *other.params))

    def value(self, given):
        return self.of * math.prod(p.value(given) for p in self.params)

    def most(self):
        return self.of * math.prod(p.high for p in self.params)


class Part:
    """A side: a range of each mode of a tensor with the extents "wide", in an order of its own, behind slices of other modes, and from
    an element of its memory on.  Most are whole tensors."""

    def __init__(self, rng, extents, hang, tile):
        self.extents, rank = extents, len(extents)
        self.before, self.wide, self.slices, self.order, self.begin, self.tile = [0] * rank, list(extents), [], list(range(rank)), 0, tile
        for m, t in enumerate(tile or []):  # a tile of the tensor, cut where it ends
            self.before[m] = rng.randint(0, 2) * t
            self.wide[m] = Number(self.before[m] + extents[m].of)
        self.swizzle = Swizzle(rng) if rng.random() < 0.15 and not hang else None
        self.back = set()  # modes with a negative stride
        if rng.random() < 0.25 and not hang and all(e.of and all(q.low for p in e.params for q in p.parts()) for e in extents):
            self.back = {m for m in range(rank) if rng.random() < 0.4}
        if tile:
            return
        if hang or rng.random() < 0.5:
            return
        sums = any(isinstance(p, Sum) for e in extents for p in e.params)
        for m, e in enumerate(extents):
            before, after = rng.choice([(0, 0), (0, 0), (rng.randint(0, 9), rng.randint(0, 9)), (rng.choice([4, 8, 16, 32]), 0), (0, rng.choice([1, 8]))])
            if not e.params and e.of:
                self.before[m], self.wide[m] = before, Number(before + e.of + after)
            elif not sums and len(e.params) == 1 and e.of == 1 and before + after:
                sums = True  # one: a product of two sums is not multiplied out
                self.before[m], self.wide[m] = before, Number(1, [Sum(e.params[0], before + after)])
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            n = rng.randint(1, 5)
            self.wide.append(Number(n))
            self.slices.append(rng.randrange(n))
        if rng.random() < 0.3:
            self.order = rng.sample(range(rank), rank)
        if rng.random() < 0.3:
            self.begin = rng.choice([1, 2, 3, 4, 8, 16, 100])

    def whole(self):
        return not self.slices and all(str(w) == str(e) for w, e in zip(self.wide, self.extents))

    def layout(self, strides):
        modes = [*self.order, *range(len(self.order), len(self.wide))]
        shape = ",".join(str(self.wide[m]) for m in modes)
        step = ",".join(f"-({strides[m]})" if self.goes_back(m, strides) else str(strides[m]) for m in modes)
        begin = [str(self.begin)] * (self.begin > 0) + [f"({self.wide[m]} - 1)*({strides[m]})" for m in modes if self.goes_back(m, strides)]
        return side_text(self.swizzle, f"({' + '.join(begin)})" if begin else "", f"({shape}):({step})")

    def goes_back(self, m, strides):
        return m in self.back and str(strides[m]) != "0"

    def text(self, name):
        def end(m):
            e = self.extents[m]
            return str(self.before[m] + e.of) if not e.params else f"{e} + {self.before[m]}" if self.before[m] else str(e)
        at = ["_" if str(self.wide[m]) == str(self.extents[m]) else f"{self.before[m]} .. {end(m)}" for m in self.order]
        part = f"{name}({','.join([*at, *map(str, self.slices)])})" if not self.whole() else name
        if self.tile:
            tile, at = (",".join(str(of[m]) for m in self.order) for of in (self.tile, [b // t for b, t in zip(self.before, self.tile)]))
            part = f"local_tile({name}, ({tile}), ({at}))"
        if self.order == sorted(self.order):
            return part
        return f"select({part}, ({','.join(str(self.order.index(m)) for m in range(len(self.order)))}))"

    def place(self, x, strides, given):
        at = [b + i for b, i in zip([*self.before, *[0] * len(self.slices)], [*x, *self.slices])]
        at = [self.wide[m].value(given) - 1 - i if m in self.back else i for m, i in enumerate(at)]
        offset = self.begin + sum(i * s for i, s in zip(at, strides))
        return self.swizzle.of(offset) if self.swizzle else offset

    def room(self, strides, given):
        wide = [e.value(given) for e in self.wide]
        n = self.begin + 1 + sum((e - 1) * s.value(given) for e, s in zip(wide, strides)) if all(wide) else 0
        return self.swizzle.room(n) if self.swizzle else n


def side_text(swizzle, begin, layout):
    if swizzle:
        return f"{swizzle} o {begin or 0} o {layout}"
    return f"{begin}+{layout}" if begin else layout


def bytes_of(values, bits):
    return b"".join(v.to_bytes(bits // 8, "little") for v in values)
