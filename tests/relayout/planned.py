#!/usr/bin/env python3
"""Random planned copies, `kernel k(A, out B) { copy A -> B; }`: each compiles in time, and moves what its layouts say.

usage: planned.py TCPC N [--seed S] [--run N] [--hang] [--untimed] [--keep DIR] [--one SEED]

Ranks 1 to 6, all element types and conversions, params with ranges, multiples and relations, pitches, sources that stand still,
extents that may be 0 or are 1, and strides of up to 2^40 (with --hang: of up to 2^62, and only the time counts).  Half of the sides are
parts: ranges, slices, tiles, other orders of modes, offsets, negative strides.  A tenth of the copies count the same elements in two
shapes, and a tenth of the kernels have several copies.  Strides are built
such that no two elements of the destination are one, so each copy has to compile; of a few the destination is broken afterwards, and
where index arithmetic then finds two elements at one place for some params, the copy has to be refused.

Of those that compile, --run N are run on the host at random params with guard bytes around both tensors.  Every byte is compared with
index arithmetic on the strides as drawn and with the numbers of tests/judge/numeric.py: nothing of the compiler is shared.
"""
import argparse, collections, itertools, math, os, pathlib, random, re, resource, shutil, struct, subprocess, sys, tempfile, types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "judge"))
sys.path.append(str(HERE.parent / "tools"))
import numeric
import run as judge
from seeds import new_seed

BITS = {"b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128} | {t: w for t, (_, w) in numeric.INTEGERS.items()} | {
    t: 1 + sum(parts) for t, parts in numeric.FLOATS.items()}
NUMBERS = [*numeric.INTEGERS, *numeric.FLOATS]
MOST = 1 << 40        # of a param, and of a constant
SECONDS, SECONDS_PARAMS, SECONDS_HANG = 0.2, 0.5, 2.0
FELL_BACK = re.compile(r"warning: .*\[-Wfallback\]")
SMALL, ROOM = 3000, 1 << 18  # elements of a copy that is run, and of its memory


# -- drawing ---------------------------------------------------------------------------------------------------------------------


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


class Number:
    """A product of a constant and of params."""

    def __init__(self, of, params=()):
        self.of, self.params = of, tuple(params)

    def __str__(self):
        if self.of == 1 and len(self.params) == 1:
            return self.params[0].alone
        words = [*([str(self.of)] if self.of != 1 or not self.params else []), *(p.name for p in self.params)]
        return "*".join(words)

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
        return (f"({' + '.join(begin)})+" if begin else "") + f"({shape}):({step})"

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
        return self.begin + sum(i * s for i, s in zip(at, strides))

    def room(self, strides, given):
        wide = [e.value(given) for e in self.wide]
        return self.begin + 1 + sum((e - 1) * s.value(given) for e, s in zip(wide, strides)) if all(wide) else 0


class Copy:
    def __init__(self, rng, hang=False):
        self.rng, self.hang, self.params = rng, hang, []
        self.most = 1 << 62 if hang else MOST
        rank = rng.choice([1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        self.src_type = rng.choice(list(BITS))
        self.dst_type = self.src_type
        if self.src_type in NUMBERS and rng.random() < 0.25:
            self.dst_type = rng.choice(NUMBERS)
        said = rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4, 5])
        of_params = set(rng.sample(range(rank), min(said, rank)))
        pool = []
        self.extents = [self.extent_of_params(pool) if m in of_params else Number(self.extent()) for m in range(rank)]
        while math.prod(e.of for e in self.extents) > 1 << 40:
            m = max(range(rank), key=lambda m: self.extents[m].of)
            self.extents[m] = Number(max(1, self.extents[m].of // 1000), self.extents[m].params)
        if not hang and rng.random() < 0.03:
            self.extents[rng.randrange(rank)] = Number(0)
        tile = None
        if not hang and rng.random() < 0.1 and not any(e.params or not e.of for e in self.extents):
            tile = [e.of + rng.choice([0, 0, 0, 3, 8]) for e in self.extents]
        self.parts = [Part(rng, self.extents, hang, tile) for _ in range(2)]
        likely = rng.sample(range(len(self.parts[0].wide)), len(self.parts[0].wide))
        self.src = self.side("a", likely, True)
        n = len(self.parts[1].wide)
        same = len(likely) == n and rng.random() < 0.2
        self.dst = self.side("b", likely if same else rng.sample(range(n), n), False)
        self.broken = not hang and rng.random() < 0.05 and self.break_it()
        self.aligns = [rng.choice([0, 16, 16, 16, 16, 8, 4, 2, 1, 32, 128]) for _ in range(2)]
        self.aligns = [a and max(a, BITS[t] // 8) for a, t in zip(self.aligns, (self.src_type, self.dst_type))]
        self.arch = rng.choice(["", "", "", "", "sm_75", "sm_75", "sm_80", "sm_90a"])

    def extent(self):
        rng = self.rng
        return rng.choice([lambda: rng.randint(1, 7), lambda: rng.choice([8, 16, 32, 64, 128, 256, 1024, 4096]), lambda: rng.randint(1, 130),
                           lambda: max(1, (1 << rng.randint(2, 11)) + rng.choice([-1, 1])), lambda: rng.choice([1, 10, 100, 1000, 3000, 12345]),
                           lambda: 1 if rng.random() < 0.5 else 1 << rng.randint(0, 20)])()

    def param(self, name):
        rng = self.rng
        by = rng.choice([1, 1, 1, 1, 2, 4, 8, 16, 32, 3, 64])
        low = rng.choice([1, 1, 1, 0, 0, 16, 100])
        high = rng.choice([MOST, MOST, MOST, 100, 1000, 100000, 1 << 31, 32, 64, rng.randint(1, 300)])
        low = -(-low // by) * by
        if high < max(low, by):
            high = max(low, by)
        p = Param(name, by, low, high)
        self.params.append(p)
        return p

    def extent_of_params(self, pool):
        rng = self.rng
        if pool and rng.random() < 0.15:
            p = rng.choice(pool)
        else:
            p = self.param("MNKLPQ"[len(pool)])
            pool.append(p)
            if len(pool) > 1 and rng.random() < 0.1 and pool[0].low <= p.high:
                p.over.append(Number(1, [pool[0]]))
        if rng.random() < 0.2 and not any(p.sums for p in pool):  # one: a product of two sums is written by 'row', not multiplied out
            p.sums = True
            p = Sum(p, rng.choice([1, 1, 2, 7, 8, 64, *pool]))
        return Number(rng.choice([1, 1, 1, 1, 1, 1, 2, 8, 5]), [p])

    def pitch(self, side, number, n):
        """A number that is "n" or more, for all params; at times "n" itself."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.6:
            return n
        if kind < 0.8 and len(self.params) < 9:  # a param
            by = rng.choice([1, 1, 2, 4, 8, 16])
            p = Param(f"l{side}{number}", by, by, MOST if rng.random() < 0.7 else 1 << 31)
            if rng.random() < 0.2 and not n.params:
                p.low = -(-n.of // by) * by  # by its range alone
                p.high = max(p.high, p.low)
            else:
                p.over.append(n)
                p.high = max(p.high, by)
            self.params.append(p)
            return Number(1, [p])
        if kind < 0.9 and n.most() < 1 << 30:  # a constant, which no params exceed
            most = n.most()
            return Number(max(1, rng.choice([most, most + 1, most + 3, -(-most // 8) * 8, -(-most // 32) * 32, 1 << max(1, most).bit_length()])))
        if kind < 0.95:
            return Number(n.of * rng.choice([2, 2, 3, 4]), n.params)
        low = max(1, n.of)  # a large constant
        far = rng.choice([1 << 31, (1 << 31) + 1, (1 << 31) - 1, 1 << 33, 3 * (1 << 30), rng.randint(1, self.most), self.most, self.most - 1])
        times = max(1, far // low)
        return Number(n.of * times if n.params else max(n.of, far), n.params)

    def side(self, side, likely, source):
        """Strides such that each mode steps over all faster ones; of a source, some are 0."""
        extents = self.parts[not source].wide
        rng, rank = self.rng, len(extents)
        order = likely if source or rng.random() < 0.3 else rng.sample(range(rank), rank)
        strides, n = [Number(0)] * rank, Number(rng.choice([1] * 12 + [2, 3]))
        self.steps = []
        for i, m in enumerate(order):
            if source and rng.random() < 0.06:
                continue
            strides[m] = n
            if i + 1 == rank:
                break
            whole = n.times(extents[m])
            if str(extents[m]) == "1" or str(extents[order[i + 1]]) == "1":
                n = whole  # a param that only modes of one element have is none of the kernel's
                continue
            n = self.pitch(side, i, whole)
            if not source:
                self.steps.append((order[i + 1], whole, n))
        return strides

    def break_it(self):
        """Lets two elements of the destination be one, if that is easily done."""
        rng = self.rng
        m, whole, n = rng.choice(self.steps) if self.steps else (0, Number(1), None)
        if n is None:
            return False
        if n.params and n.params[0].name.startswith("lb") and n.params[0].over:
            n.params[0].over = []
            return True
        if whole.params or whole.of < 2:
            return False
        self.dst[m] = Number(rng.choice([0, 1, whole.of - 1, whole.of // 2]))
        return True

    def text(self):
        align = [f" align {a}" if a else "" for a in self.aligns]
        a, b = self.parts
        return ("tcp 1;\n" + (f"arch {self.arch};\n" if self.arch else "") + "".join(p.text() for p in self.params) +
                f"tensor A : {self.src_type} global {a.layout(self.src)}{align[0]};\n"
                f"tensor B : {self.dst_type} global {b.layout(self.dst)}{align[1]};\n"
                f"kernel k(A, {'out' if b.whole() else 'inout'} B) {{ copy {a.text('A')} -> {b.text('B')}; }}\n")

    # -- sizes -------------------------------------------------------------------------------------------------------------------

    def used(self):
        """The params that the kernel depends on, which the launcher takes."""
        return {x.name for n in [*self.extents, *self.src, *self.dst] for p in n.params for x in p.parts()}

    def values(self, rng, small):
        """Params that keep the promises, with at most SMALL elements; None: none were found."""
        for _ in range(60):
            given = {}
            for p in self.params:
                low = max([p.low, *(n.value(given) for n in p.over)])
                near = rng.choice([0, 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 64, 100])
                value = -(-(low + near) // p.by) * p.by
                if value > p.high:
                    value = -(-low // p.by) * p.by
                given[p.name] = value
            if any(not p.low <= given[p.name] <= p.high or given[p.name] < n.value(given) for p in self.params for n in [Number(0), *p.over]):
                continue
            if self.size(given) <= small:
                return given
        return None

    def meant(self):
        """Whether some params keep all promises, and memory could be so large."""
        numbers = [*self.extents, *self.parts[0].wide, *self.parts[1].wide, *self.src, *self.dst]
        if any(n.of > 1 << 62 for n in numbers):
            return False
        if any(e.of == 0 for e in self.extents):  # nothing is copied
            return self.values(random.Random(0), SMALL) is not None
        rng = random.Random(0)
        given = next((v for v in (self.values(rng, 1 << 36) for _ in range(8)) if v and self.size(v)), None)
        if given is None:
            return False
        return max(self.room(given)) < 1 << 58

    def room(self, given):
        """The elements from the first to the last one on each side."""
        return [part.room(side, given) for part, side in zip(self.parts, (self.src, self.dst))]

    def runs(self):
        rng = random.Random(0)
        return any(given and max(self.room(given)) <= ROOM for given in (self.values(rng, SMALL) for _ in range(4)))

    def size(self, given):
        return math.prod(e.value(given) for e in self.extents)

    def places(self, given):
        extents = [e.value(given) for e in self.extents]
        src, dst = ([s.value(given) for s in side] for side in (self.src, self.dst))
        for x in itertools.product(*map(range, extents)):
            yield self.parts[0].place(x, src, given), self.parts[1].place(x, dst, given)

    def witness(self):
        """Params with which two elements of the destination are one."""
        rng = random.Random(0)
        for _ in range(40):
            given = self.values(rng, SMALL)
            if given is None:
                return None
            if max(collections.Counter(d for _, d in self.places(given)).values(), default=0) > 1:
                return given
        return None


class Reshape(Copy):
    """Element i of one layout to element i of another one, of other extents; with gaps, offsets and negative strides."""

    def __init__(self, rng):
        self.rng, self.params, self.broken, self.sides = rng, [], False, []
        self.src_type = self.dst_type = rng.choice(list(BITS))
        if self.src_type in NUMBERS and rng.random() < 0.25:
            self.dst_type = rng.choice(NUMBERS)
        self.aligns = [rng.choice([0, 16, 4, 1]) for _ in range(2)]
        self.aligns = [a and max(a, BITS[t] // 8) for a, t in zip(self.aligns, (self.src_type, self.dst_type))]
        self.n = math.prod(rng.choice([2, 2, 2, 3, 3, 4, 5, 7]) for _ in range(rng.randint(1, 6)))
        for _ in range(2):
            extents, left = [], self.n
            while left > 1 and len(extents) < 5:
                e = rng.choice([d for d in range(2, left + 1) if left % d == 0])
                extents.append(e)
                left //= e
            extents.append(left)
            rng.shuffle(extents)
            step, strides = rng.choice([1, 1, 1, 2]), [0] * len(extents)
            for m in rng.choice([range(len(extents)), rng.sample(range(len(extents)), len(extents))]):
                strides[m] = step
                step = step * extents[m] + rng.choice([0, 0, 0, 1, 8])
            back = rng.random() < 0.3
            strides = [-s if back and rng.random() < 0.5 else s for s in strides]
            begin = rng.choice([0, 0, 0, 1, 4, 16]) + sum((e - 1) * -s for e, s in zip(extents, strides) if s < 0)
            self.sides.append((extents, strides, begin))

    def runs(self):
        return self.n <= SMALL

    def meant(self):
        return True

    def text(self):
        tensors = "".join(f"tensor {name} : {t} global {f'{begin}+' * (begin > 0)}({','.join(map(str, extents))}):({','.join(map(str, strides))})"
                          f"{f' align {align}' * (align > 0)};\n" for name, t, (extents, strides, begin), align
                          in zip("AB", (self.src_type, self.dst_type), self.sides, self.aligns))
        a, b = (f"group_modes({name}, 0, {len(extents)})" for name, (extents, _, _) in zip("AB", self.sides))
        return f"tcp 1;\n{tensors}kernel k(A, out B) {{ copy {a} -> {b}; }}\n"

    def values(self, rng, small):
        return {}

    def size(self, given):
        return self.n

    def room(self, given):
        return [begin + 1 + sum((e - 1) * s for e, s in zip(extents, strides) if s > 0) for extents, strides, begin in self.sides]

    def places(self, given):
        for i in range(self.n):
            at = []
            for extents, strides, begin in self.sides:
                left = i
                for e, s in zip(extents, strides):
                    begin += left % e * s
                    left //= e
                at.append(begin)
            yield tuple(at)


class Pack(Copy):
    """Several copies in one kernel: parts P0, P1 .. of a tensor W, put together or taken apart along a mode."""

    def __init__(self, rng):
        self.rng, self.broken, self.params = rng, False, []
        self.src_type = self.dst_type = rng.choice(list(BITS))
        self.joins, self.open, rank = rng.random() < 0.5, rng.random() < 0.3, rng.randint(1, 3)
        n = 2 if self.open else rng.randint(2, 4)
        self.along = rng.randrange(rank)
        self.common = [rng.choice([1, 3, 8, 16, 33]) for _ in range(rank)]
        if self.open:
            self.params = [Param(name, rng.choice([1, 1, 4]), 4, 100) for name in "NK"]
            self.sizes = [p.name for p in self.params]
        else:
            self.sizes = [rng.choice([1, 4, 7, 16, 32, 50]) for _ in range(n)]
        self.orders = [rng.sample(range(rank), rank) for _ in range(n + 1)]  # the last mode is the fastest one
        self.align = rng.choice([0, 16])
        self.align = self.align and max(self.align, BITS[self.src_type] // 8)

    def runs(self):
        return True

    meant = runs

    def modes(self, size):
        return [size if m == self.along else e for m, e in enumerate(self.common)]

    def text(self):
        def tensor(name, size, order):
            return f"tensor {name} : {self.src_type} global row({','.join(f'm{m}={self.modes(size)[m]}' for m in order)}){f' align {self.align}' * (self.align > 0)};\n"
        names = [f"P{i}" for i in range(len(self.sizes))]
        begins = [" + ".join(map(str, self.sizes[:i])) or "0" for i in range(len(self.sizes) + 1)]
        parts = [f"W(m{self.along}={a} .. {b})" for a, b in zip(begins, begins[1:])]
        copies = [f"copy {p} -> {w};" if self.joins else f"copy {w} -> {p};" for p, w in zip(names, parts)]
        formals = [*names, "out W"] if self.joins else ["W", *(f"out {p}" for p in names)]
        return ("tcp 1;\n" + "".join(p.text() for p in self.params) + "".join(map(tensor, names, self.sizes, self.orders[1:])) +
                tensor("W", begins[-1], self.orders[0]) + f"kernel k({', '.join(formals)}) {{ {' '.join(copies)} }}\n")

    def values(self, rng, small):
        return {p.name: rng.choice([p.by * k for k in range(-(-p.low // p.by), 60 // p.by)]) for p in self.params}

    def size(self, given):
        return 1

    def case(self, number, signature, given, rng, wrong):
        sizes = [given.get(s, s) for s in self.sizes]

        def at(x, size, order):
            place = 0
            for m in order:
                place = place * self.modes(size)[m] + x[m]
            return place
        raw = {name: [rng.getrandbits(BITS[self.src_type]) for _ in range(math.prod(self.modes(n)))]
               for name, n in [("W", sum(sizes)), *((f"P{i}", n) for i, n in enumerate(sizes))]}
        after = {name: list(of) for name, of in raw.items()}
        for i, n in enumerate(sizes):
            for x in itertools.product(*map(range, self.modes(n))):
                far = [e + sum(sizes[:i]) * (m == self.along) for m, e in enumerate(x)]
                p, w = at(x, n, self.orders[1 + i]), at(far, sum(sizes), self.orders[0])
                if self.joins:
                    after["W"][w] = raw[f"P{i}"][p]
                else:
                    after[f"P{i}"][p] = raw["W"][w]
        if wrong:
            after["W" if self.joins else "P0"][0] ^= 1
        bits = BITS[self.src_type]
        out = [struct.pack("<3q", number, rng.randrange(4), len(signature[1])), struct.pack(f"<{len(signature[1])}q", *(given[n] for n in signature[1])),
               struct.pack("<q", len(raw))]
        for _, name in signature[0]:
            before = bytes_of(raw[name], bits)
            written = (name == "W") == self.joins
            out += [struct.pack("<4q", self.align or bits // 8, bits // 8, len(before), len(name)), name.encode(), before,
                    bytes_of(after[name], bits) if written else before]
        return b"".join(out)


def drawn(number, hang, small):
    """The copy of a seed; with "small" one that can be run."""
    rng = random.Random(number)
    while True:
        kind = 1 if hang else rng.random()
        copy = Reshape(rng) if kind < 0.1 else Pack(rng) if kind < 0.2 else Copy(rng, hang)
        if hang or (copy.meant() and (not small or copy.runs())):
            return copy


# -- compiling -------------------------------------------------------------------------------------------------------------------


def compiled(tcpc, plan, out, seconds):
    """What the compiler says, its status, and the seconds of its own that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run([tcpc, "--no-line", plan, "-o", out], capture_output=True, text=True, timeout=seconds)
        said, status = run.stderr, run.returncode
    except subprocess.TimeoutExpired:
        said, status = "error: it does not end", -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, status, after.ru_utime - before.ru_utime


def refused_for(said):
    first = next((line for line in said.splitlines() if "error: " in line), said[:200])
    return ("<plan> " if first.startswith("<plan") else "") + judge.message_class(first.split("error: ", 1)[-1])


# -- running ---------------------------------------------------------------------------------------------------------------------


def bytes_of(values, bits):
    return b"".join(v.to_bytes(bits // 8, "little") for v in values)


def case_of(copy, number, signature, given, rng, wrong=False):
    """One case as tests/judge/host.cpp reads it: both tensors with the bytes before and after; "wrong": with a wrong bit among these."""
    if isinstance(copy, Pack):
        return copy.case(number, signature, given, rng, wrong)
    pairs, room = list(copy.places(given)), copy.room(given)
    if max(room) > ROOM:
        return None
    raw = [[rng.getrandbits(BITS[t]) for _ in range(n)] for t, n in zip((copy.src_type, copy.dst_type), room)]
    after = list(raw[1])
    for s, d in pairs:
        after[d] = raw[0][s] if copy.src_type == copy.dst_type else numeric.convert(copy.src_type, copy.dst_type, raw[0][s])
    if wrong:
        after[pairs[-1][1]] ^= 1
    out = [struct.pack("<3q", number, rng.randrange(4), len(signature[1])), struct.pack(f"<{len(signature[1])}q", *(given[n] for n in signature[1])),
           struct.pack("<q", 2)]
    for _, name in signature[0]:
        side = "AB".index(name)
        t = (copy.src_type, copy.dst_type)[side]
        before = bytes_of(raw[side], BITS[t])
        align = copy.aligns[side] or rng.choice([a for a in (1, 2, 4, 8, 16, 32) if a >= BITS[t] // 8])
        out += [struct.pack("<4q", align, BITS[t] // 8, len(before), 1), name.encode(), before, before if side == 0 else bytes_of(after, BITS[t])]
    return b"".join(out)


def run_batch(options, folder, batch, rng):
    """Runs copies (number, copy) whose texts are in "folder"; returns what went wrong, and how many cases were run."""
    jobs = []
    for number, copy in batch:
        text = pathlib.Path(folder, f"p{number}.cu").read_text()
        jobs.append(types.SimpleNamespace(index=number, copy=copy, signature=judge.signature_of(text, f"k{number}"), drawn=types.SimpleNamespace(kernel=f"k{number}")))
    program, said = judge.build(options, folder, jobs, "all")
    if not program:
        return [f"does not build: {said[:2000]}"], 0
    cases, told = [], []
    for i, job in enumerate(jobs):
        for _ in range(3):
            given = job.copy.values(rng, SMALL)
            case = given is not None and case_of(job.copy, i, job.signature, given, rng)
            if case:
                cases.append(case)
                told.append((job, given))
    seen = next(((job, given) for job, given in told if job.copy.size(given)), None)
    if not seen:
        return [], 0
    job, given = seen
    cases.append(case_of(job.copy, jobs.index(job), job.signature, given, rng, wrong=True))
    path = os.path.join(folder, "cases")
    pathlib.Path(path).write_bytes(struct.pack("<q", len(cases)) + b"".join(cases))
    wrong = judge.run_program(program, path, len(cases))
    if not wrong or wrong.pop()[0] != len(told):
        return ["a wrong bit is not seen"], 0
    return [f"seed {told[at][0].index} with {told[at][1]}: {what}\n{told[at][0].copy.text()}" for at, what in wrong], len(told)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("n", type=int)
    p.add_argument("--seed", type=int, default=new_seed())
    p.add_argument("--run", type=int, default=0, help="draw small ones, and run so many")
    p.add_argument("--hang", action="store_true")
    p.add_argument("--one", type=int, help="print the copy of this seed")
    p.add_argument("--keep", help="a folder for the copies that fail")
    p.add_argument("--untimed", action="store_true", help="the machine is busy: times do not count")
    p.add_argument("--cxx", default=os.environ.get("CXX") or shutil.which("clang++") or "g++")
    p.add_argument("--runtime", default=str(HERE.parents[1] / "runtime"))
    p.add_argument("--library", help="libtcp_host.a (beside tcpc by default)")
    p.add_argument("--level", default="0", help="the C++ compiler's optimization")
    p.set_defaults(sanitize=False)
    a = p.parse_args()
    a.library = a.library or os.path.join(os.path.dirname(a.tcpc), "..", "runtime", "libtcp_host.a")
    if a.one is not None:
        print(drawn(a.one, a.hang, a.run).text(), end="")
        return 0
    stats, failures, batch, ran, cases, slowest = collections.Counter(), [], [], 0, 0, 0
    rng = random.Random(a.seed)

    def fail(number, copy, why):
        stats["failed: " + why] += 1
        failures.append(f"{why} (--one {number})")
        if a.keep:
            os.makedirs(a.keep, exist_ok=True)
            pathlib.Path(a.keep, f"{number}.tcp").write_text(f"// {why}\n" + copy.text())

    with tempfile.TemporaryDirectory() as folder:
        for number in range(a.seed, a.seed + a.n):
            copy = drawn(number, a.hang, a.run)
            plan, out = os.path.join(folder, "k.tcp"), os.path.join(folder, f"p{number}.cu")
            pathlib.Path(plan).write_text(copy.text().replace("kernel k(", f"kernel k{number}("))
            said, status, took = compiled(a.tcpc, plan, out, 20)
            slowest = max(slowest, took)
            most = SECONDS_HANG if a.hang else SECONDS_PARAMS if copy.params else SECONDS
            if took > most and not a.untimed:
                fail(number, copy, f"takes over {most} s")
            if status not in (0, 1):
                fail(number, copy, f"status {status}")
            elif a.hang:
                stats["compiled" if status == 0 else "refused: " + refused_for(said)] += 1
            elif copy.broken and copy.witness():
                stats["wrong, and refused" if status else "wrong"] += 1
                stats["wrong: " + refused_for(said)] += status
                if status == 0:
                    fail(number, copy, "a wrong copy compiles")
                elif refused_for(said).startswith("<plan>"):
                    fail(number, copy, "a wrong copy is refused in the planner's words: " + refused_for(said))
            elif copy.broken:
                stats["not known to be wrong"] += 1
            elif status:
                fail(number, copy, "refused: " + refused_for(said))
            else:
                stats["compiled"] += 1
                if FELL_BACK.search(said):
                    stats["fell back"] += 1
                    stats["fell back: " + judge.message_class(said[said.index("warning"):])] += 1
                if ran + len(batch) < a.run:
                    batch.append((number, copy))
            if len(batch) == 25 or (batch and number == a.seed + a.n - 1):
                wrong, n = run_batch(a, folder, batch, rng)
                ran, cases, batch = ran + len(batch), cases + n, []
                failures += wrong
    for what, n in sorted(stats.items(), key=lambda x: -x[1]):
        print(f"{n:7} {what}")
    print(f"{a.n} planned copies, {ran} of them run at {cases} sizes, {len(failures)} failures, {slowest:.3f} s at most (--seed {a.seed}{' --hang' * a.hang})")
    for failure in failures[:8]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
