"""The modes of a tensor in tiles, and the digits of which the number of a tile consists; for cover_gen.py."""

from dataclasses import dataclass, field

from expr import E, cdiv, is_num, num, var
from plan import Param

TILES = (1, 1, 2, 3, 4, 4, 8, 16, 32)


@dataclass(eq=False)
class Digit:
    range: E
    weight: E
    outer: object = None  # the next digit of the same mode, if any
    loop_only: bool = False
    balanced: E = None  # of this many parts: loop from y*Q/P on
    value: E = None  # where it is known outside of loops
    turn: object = None  # a function of (its value, the values of all) or None

    def static(self):
        return self.range.a if is_num(self.range) else None


@dataclass
class Mode:
    extent: E
    tile: int
    digits: list
    exact: bool  # the digits name no tile beyond the last one
    whole: bool = False  # taken as a whole by slices
    divides: bool = False  # the tile divides the extent
    cover: E = None  # a param that is no less than the extent, by which the last digit goes


@dataclass
class Gen:
    rng: object
    params: list = field(default_factory=list)
    hints: list = field(default_factory=list)
    loops: int = 0
    splits: int = 0
    tags: set = field(default_factory=set)

    # -- params ------------------------------------------------------------------------------------

    def param(self, lo=None, mod=1, hi=None):
        rng, name = self.rng, "NMKLPQRSTUVW"[len(self.params)]
        if lo is None:
            lo = rng.choice((1, 1, 1, 0, 2, 5, 9))
        if mod > 1:
            lo = rng.choice((lo, mod, 0, 1))
        if hi is None:
            hi = rng.choice((1000, 1000, 65536, 1000000, lo + 7 * mod, 100))
        self.params.append(Param(name, lo, max(hi, lo + 2 * mod), mod))
        return self.params[-1]

    def positive(self, p):
        """Makes the param at least 1."""
        p.lo = max(p.lo, 1)
        p.hi = max(p.hi, p.lo + p.mod)

    def positives(self, e):
        """Whether 'e' is at least 1, which is seen to by raising the least values of the params in it."""
        if is_num(e):
            return e.a >= 1
        if e.op == "var":
            for p in self.params:
                if p.name == e.a:
                    self.positive(p)
            return True
        if e.op == "/":  # N/16 of a promised multiple
            self.positives(e.a)
            return True
        return self.positives(e.a) and (e.op != "*" or self.positives(e.b))

    # -- modes -------------------------------------------------------------------------------------

    def mode(self, room, exact):
        """A mode with a tile of at most 'room' elements."""
        rng = self.rng
        tile = rng.choice([t for t in TILES if t <= room])
        kind = rng.choice(("static", "param", "param", "param", "multiple", "product", "again"))
        if kind == "again":
            kind = "param" if not self.params else kind
        if kind == "static":
            tiles = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 12))
            cut = 0 if exact else rng.choice((0, 0, rng.randrange(tile)))
            self.tags.add("static")
            return self.of_count(num(tiles * tile - cut), tile, lambda c: num(-(-tiles // c)), exact, tiles, cut == 0)
        if kind == "multiple":
            times = rng.choice((2, 3, 4, 6, 8, tile, 2 * tile))
            n = var(self.param(hi=rng.choice((1000, 10000, 30))).name)
            self.hints.append(tile // times + 1)

            def count(c):
                return num(times // (tile * c)) * n if times % (tile * c) == 0 else cdiv(num(times) * n, tile * c)

            if exact and times % tile:
                tile = 1
            return self.of_count(num(times) * n, tile, count, exact, times // tile, times % tile == 0)
        if kind == "product":
            p, q = self.param(hi=100), self.param(hi=rng.choice((100, 1000, 20)))
            n, m = var(p.name), var(q.name)
            if exact or tile == 1 or rng.random() < 0.4:
                self.tags.add("product")
                self.positive(p)
                inner = Digit(n, num(1))
                inner.outer = Digit(m, n)
                return Mode(n * m, 1, [inner, inner.outer], True, divides=True)
            self.hints.append(tile)
            return self.of_count(n * m, tile, lambda c: cdiv(n * m, tile * c), exact, 0, False)
        if kind == "again":
            p = rng.choice(self.params)
            mod = p.mod
        else:
            mod = rng.choice((1, 1, tile, 2 * tile, 4, 3 * tile)) if not exact or rng.random() < 0.7 else tile
            p = self.param(mod=mod)
        if exact and mod % tile:
            tile = 1
        self.hints += [tile, 2 * tile]
        n = var(p.name)

        def count(c):
            return n // (tile * c) if mod % (tile * c) == 0 else cdiv(n, tile * c)

        return self.of_count(n, tile, count, exact, mod // tile if mod % tile == 0 else 0, mod % tile == 0)

    def of_count(self, extent, tile, count, exact, divisor, divides):
        """The mode with 'count(c)' groups of c tiles; the number of tiles is a multiple of 'divisor', or is it for a number."""
        rng, total = self.rng, count(1)
        ways = ["one"] * 2 + ["split"] * 3 + ["three", "balanced", "promised", "strided", "more"]
        way = rng.choice(ways)
        one = Digit(total, num(1))
        if is_num(total, 1) and rng.random() < 0.8:
            return Mode(extent, tile, [], True, divides=divides)
        if way == "balanced":
            parts = num(rng.choice((2, 3, 4, 7))) if rng.random() < 0.4 else var(self.param(lo=1, hi=rng.choice((20, 100))).name)
            one.balanced, one.loop_only = parts, True
            one.outer = Digit(parts, num(0))
            self.tags.add("balanced")
            return Mode(extent, tile, [one, one.outer], True, divides=divides)
        if way == "promised" and not exact:
            p, q = self.param(lo=1, hi=100), self.param(lo=1, hi=1000)
            q.relation = (var(p.name) * var(q.name), ">=", rng.choice((total, extent)))
            one = Digit(var(p.name), num(1))
            one.outer = Digit(var(q.name), var(p.name))
            self.tags.add("promised")
            self.tags |= {"beyond"} if divides else set()
            return Mode(extent, tile, [one, one.outer], False, divides=divides)
        if way == "strided" and not exact and not is_num(total):
            p = var(self.param(lo=1, hi=rng.choice((20, 100))).name)
            one = Digit(p, num(1))
            one.outer = Digit((total + p - 1) // p, p, loop_only=True)
            self.tags |= {"strided", "beyond"} if divides else {"strided"}
            return Mode(extent, tile, [one, one.outer], False, divides=divides)
        if way == "more" and not exact and extent.op == "var":
            p = self.param(lo=rng.choice((0, 1)), hi=rng.choice((1000, 1000000)))
            p.relation = rng.choice(((var(p.name), ">=", extent), (extent, "<=", var(p.name))))
            self.hints.append(tile)
            self.tags |= {"chain", "beyond"} if divides else {"chain"}
            return Mode(extent, tile, [Digit(cdiv(var(p.name), tile), num(1))], False, divides=divides, cover=var(p.name))
        if way in ("one", "promised", "strided", "more"):
            return Mode(extent, tile, [one], True, divides=divides)
        cs = [c for c in (2, 3, 4, 5, 8) if not exact or (divisor and divisor % c == 0)]
        if not cs:
            return Mode(extent, tile, [one], True, divides=divides)
        c = rng.choice(cs)
        rest = count(c)
        is_exact = bool(divisor and divisor % c == 0)
        digits = [Digit(num(c), num(1)), Digit(rest, num(c))]
        self.hints.append(c * tile)
        if way == "three" and not exact and not is_num(rest):
            d = rng.choice((2, 3))
            digits[1:] = [Digit(num(d), num(c)), Digit(count(c * d), num(c * d))]
            is_exact = bool(divisor and divisor % (c * d) == 0)
            self.hints.append(c * d * tile)
        for a, b in zip(digits, digits[1:]):
            a.outer = b
        if divides and not is_exact:
            self.tags.add("beyond")
        return Mode(extent, tile, digits, is_exact, divides=divides)
