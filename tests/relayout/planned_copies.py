"""The random planned copies of planned.py: of one tensor, between two shapes, several in one kernel."""
import collections, itertools, math, random

from planned_sides import BITS, MOST, NUMBERS, ROOM, SMALL, Number, Param, Part, Sum, Swizzle, numeric, side_text


class Copy:
    def __init__(self, rng, hang=False, tag="", of_several=False):
        self.rng, self.hang, self.params, self.tag = rng, hang, [], tag
        self.most = 1 << 62 if hang else MOST
        rank = rng.choice([1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        self.src_type = rng.choice(list(BITS))
        self.dst_type = self.src_type
        if self.src_type in NUMBERS and rng.random() < 0.25:
            self.dst_type = rng.choice(NUMBERS)
        said = rng.choice([0, 0, 1, 1, 1, 2, 2, 3, *([] if of_several else [4, 5])])
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
        self.group = sorted(rng.sample(range(rank + 1), 2)) if rank > 1 and not hang and rng.random() < 0.08 else None

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
            p = self.param("MNKLPQ"[len(pool)] + self.tag)
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
            p = Param(f"l{side}{number}{self.tag}", by, by, MOST if rng.random() < 0.7 else 1 << 31)
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

    def head(self):
        return "tcp 1;\n" + (f"arch {self.arch};\n" if self.arch else "") + "".join(p.text() for p in self.params)

    def tensors(self):
        align = [f" align {a}" if a else "" for a in self.aligns]
        a, b = self.parts
        return (f"tensor A{self.tag} : {self.src_type} global {a.layout(self.src)}{align[0]};\n"
                f"tensor B{self.tag} : {self.dst_type} global {b.layout(self.dst)}{align[1]};\n")

    def formals(self):
        return f"A{self.tag}, {'out' if self.parts[1].whole() else 'inout'} B{self.tag}"

    def copy(self):
        sides = [part.text(name + self.tag) for part, name in zip(self.parts, "AB")]
        if self.group:
            sides = [f"group_modes({side}, {self.group[0]}, {self.group[1]})" for side in sides]
        return f"copy {sides[0]} -> {sides[1]};"

    def text(self):
        return self.head() + self.tensors() + f"kernel k({self.formals()}) {{ {self.copy()} }}\n"

    def memory(self, given, rng):
        """By name of a tensor: its type, its alignment, and its bits before and after; None: it is too large."""
        pairs, room, types = list(self.places(given)), self.room(given), (self.src_type, self.dst_type)
        if max(room) > ROOM:
            return None
        raw = [[0x5a] * n for n in room]
        for s, _ in pairs:
            raw[0][s] = rng.getrandbits(BITS[self.src_type])
        after = list(raw[1])
        for s, d in pairs:
            after[d] = raw[0][s] if self.src_type == self.dst_type else numeric.convert(self.src_type, self.dst_type, raw[0][s])
        return {f"{name}{self.tag}": (t, align, before, now) for name, t, align, before, now in zip("AB", types, self.aligns, raw, (raw[0], after))}

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
            given = self.values(random.Random(0), SMALL)
            return given is not None and all(sum(max(0, w.value(given) - 1) * s.value(given) for w, s in zip(part.wide, side)) < 1 << 56
                                             for part, side in zip(self.parts, (self.src, self.dst)))
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

    def blocks(self, given):
        """As many blocks may run, also where there are no elements."""
        return math.prod(max(1, e.value(given)) for e in self.extents)

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
        self.rng, self.params, self.tag, self.broken, self.sides = rng, [], "", False, []
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
            self.sides.append((extents, strides, begin, Swizzle(rng) if rng.random() < 0.15 else None))

    def runs(self):
        return self.n <= SMALL

    def meant(self):
        return True

    def text(self):
        def layout(extents, strides, begin, swizzle):
            return side_text(swizzle, begin, f"({','.join(map(str, extents))}):({','.join(map(str, strides))})")
        tensors = "".join(f"tensor {name} : {t} global {layout(*side)}{f' align {align}' * (align > 0)};\n"
                          for name, t, side, align in zip("AB", (self.src_type, self.dst_type), self.sides, self.aligns))
        a, b = (f"group_modes({name}, 0, {len(side[0])})" for name, side in zip("AB", self.sides))
        return f"tcp 1;\n{tensors}kernel k(A, out B) {{ copy {a} -> {b}; }}\n"

    def values(self, rng, small):
        return {}

    def size(self, given):
        return self.n

    def room(self, given):
        rooms = [(w, begin + 1 + sum((e - 1) * s for e, s in zip(extents, strides) if s > 0)) for extents, strides, begin, w in self.sides]
        return [w.room(n) if w else n for w, n in rooms]

    def places(self, given):
        for i in range(self.n):
            at = []
            for extents, strides, begin, swizzle in self.sides:
                left = i
                for e, s in zip(extents, strides):
                    begin += left % e * s
                    left //= e
                at.append(swizzle.of(begin) if swizzle else begin)
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

    def memory(self, given, rng):
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
        return {name: (self.src_type, self.align, raw[name], after[name]) for name in raw}


class Several(Copy):
    """Copies of all kinds in one kernel, each with tensors and params of its own."""

    def __init__(self, rng):
        self.rng, self.broken, self.copies = rng, False, []
        while len(self.copies) < 2 or (len(self.copies) < 4 and rng.random() < 0.4):
            one = Copy(rng, tag=str(len(self.copies)), of_several=True)
            if not one.broken and one.meant() and one.runs():
                self.copies.append(one)
        self.params = [p for one in self.copies for p in one.params]
        self.arch = self.copies[0].arch

    def runs(self):
        return True

    meant = runs

    def text(self):
        formals, copies = ", ".join(one.formals() for one in self.copies), " ".join(one.copy() for one in self.copies)
        return self.head() + "".join(one.tensors() for one in self.copies) + f"kernel k({formals}) {{ {copies} }}\n"

    def values(self, rng, small):
        given = {}
        for one in self.copies:
            # the grid is as long as all copies together along each axis
            some = next((v for v in (one.values(rng, small // 8) for _ in range(40)) if v and one.blocks(v) <= small // 8), None)
            if some is None:
                return None
            given |= some
        return given

    def size(self, given):
        return sum(one.size(given) for one in self.copies)

    def memory(self, given, rng):
        memory = [one.memory(given, rng) for one in self.copies]
        return None if None in memory else {name: of for one in memory for name, of in one.items()}


def has_rows(copy):
    """Whether rows of any length may be turned: both sides have a fast mode of their own whose extent is a large param."""
    fast = [side.index(Number(1)) if Number(1) in side else -1 for side in (copy.src, copy.dst)]
    return (len(copy.extents) == len(copy.src) == len(copy.dst) and fast[0] != fast[1] and min(fast) >= 0 and copy.src_type == copy.dst_type and
            BITS[copy.src_type] <= 32 and min(copy.aligns) >= 16 and
            all(copy.extents[m].params and copy.extents[m].most() > 10000 for m in fast))


def drawn(number, hang, small, rows=False):
    """The copy of a seed; with "small" one that can be run; with "rows" one with rows of any length."""
    rng = random.Random(number)
    while rows:
        copy = Copy(rng)
        if has_rows(copy) and copy.meant() and (not small or copy.runs()):
            return copy
    while True:
        kind = 1 if hang else rng.random()
        copy = Reshape(rng) if kind < 0.1 else Pack(rng) if kind < 0.16 else Several(rng) if kind < 0.25 else Copy(rng, hang)
        if hang or (copy.meant() and (not small or copy.runs())):
            return copy
