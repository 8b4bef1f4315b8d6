"""Random plans that write an 'out' tensor wholly and once, by construction.

Each mode of a tensor is cut into tiles, the number of a tile into digits of a mixed radix, and each digit comes from somewhere: a part
of a block coordinate, a loop, a thread, a warp, or a copy of its own.  What a digit is turned into on the way (counted backwards,
rotated by other digits) keeps the map one to one.
"""

from cover_digits import Gen, Mode
from expr import is_num, names_in, num, var
from plan import AXES, Copy, Loop, Plan, Tensor, Tiled, View, statements

# -- where digits come from ----------------------------------------------------------------------------------------------------


def unpack(axis, digits, gen):
    """Gives each of 'digits' its part of the coordinate 'axis'; returns the extent of that."""
    below = num(1)
    for i, d in enumerate(digits):
        e = axis // below if not is_num(below, 1) else axis
        last = i == len(digits) - 1
        if not last:
            gen.positives(d.range)
            e = e % d.range
        d.value = e
        below = d.range if is_num(below, 1) else below * d.range
    return below


def grow(gen, digits):
    """Deals the digits out to block coordinates, threads, loops and copies; returns (grid, threads, [inner digits in order], tid)."""
    rng = gen.rng
    blocks, inner, threads, tid = [[], [], []], [], None, False
    order = digits[:]
    rng.shuffle(order)
    parts = [d.outer for d in order if d.balanced is not None]
    by_thread = [d for d in order if d.static() and 2 <= d.static() <= 32 and not d.loop_only and d not in parts]
    if by_thread and rng.random() < 0.12:
        d = by_thread[:2] if len(by_thread) > 1 and rng.random() < 0.5 else by_thread[:1]
        total = d[0].static() * (d[1].static() if len(d) > 1 else 1)
        if total <= 256:
            unpack(var("tid"), d, gen)
            threads, tid = total, True
            order = [x for x in order if x not in d]
            if d[0].static() == 32 and len(d) > 1:
                d[0].value, d[1].value = var("lane"), var("warp")
    elif by_thread and by_thread[0].static() <= 8 and rng.random() < 0.1:
        d = by_thread[0]
        d.value, threads = var("warp"), 32 * d.static()
        order.remove(d)
        gen.tags.add("warps")
    for d in order:
        if d.loop_only or rng.random() < 0.4:
            inner.append(d)
        else:
            blocks[rng.choice((0, 0, 0, 1, 1, 2))].append(d)
    blocks = [b for b in blocks if b]
    grid = []
    for axis, packed in zip(("block.x", "block.y", "block.z"), blocks):
        if len(packed) > 1:
            gen.tags.add("packed")
        grid.append(unpack(var(axis), packed, gen))
    # what a loop's bounds name stands around it
    rng.shuffle(inner)
    inner.sort(key=lambda d: d.balanced is not None)
    return grid, threads, inner, tid


def turns(gen, digits):
    """Counts digits backwards or rotates them by those before them."""
    rng, before = gen.rng, []
    order = digits[:]
    rng.shuffle(order)
    for d in order:
        roll = rng.random()
        if d.loop_only or (d.outer and d.outer.weight is not None and is_num(d.outer.weight, 0)):
            pass
        elif roll < 0.12:
            d.turn = lambda v, of, d=d: d.range - 1 - v
            gen.tags.add("reversed")
        elif roll < 0.24 and (before or rng.random() < 0.3):
            gen.positives(d.range)
            by = rng.choice(before) if before else None
            times = rng.choice((1, 1, 2, 3))
            d.turn = lambda v, of, d=d, by=by, times=times: (v + (of(by) * times if by else num(times))) % d.range
            gen.tags.add("rotated")
        if not is_num(d.weight, 0):
            before.append(d)


def uniform(e):
    """Whether all threads of a block agree about 'e', as a loop's bounds want it."""
    return not names_in(e) & {"tid", "lane", "warp"}


class Body:
    """Writes the loops and copies."""

    def __init__(self, gen, modes, leaf):
        self.gen, self.modes, self.leaf = gen, modes, leaf

    def name(self):
        at = self.gen.loops
        self.gen.loops += 1
        return "ijkl"[at % 4] + (str(at // 4 + 1) if at >= 4 else "")

    def may_split(self):
        self.gen.splits += self.gen.splits < 3
        return self.gen.splits < 3

    def build(self, inner, env):
        rng, gen = self.gen.rng, self.gen
        if not inner:
            return self.leaf([self.coordinate(m, env) for m in self.modes])
        d, rest = inner[0], inner[1:]
        n = d.static()
        if n and n <= 3 and not d.loop_only and rng.random() < 0.35 and self.may_split():
            gen.tags.add("copies")
            return [x for k in range(n) for x in self.build(rest, {**env, d: num(k)})]
        name = self.name()
        i = var(name)
        if d.balanced is not None:
            y, q = env[d.outer], d.range
            return [Loop(name, y * q // d.balanced, (y + 1) * q // d.balanced, self.build(rest, {**env, d: i}))]
        combined = {x for key in env if isinstance(key, tuple) for x in (key[1], key[1].outer)}
        apart = d.outer in env and not {d, d.outer} & combined and not d.turn and not d.outer.turn
        if apart and uniform(env[d.outer]) and rng.random() < 0.4:
            base = env[d.outer] * d.range
            gen.tags.add("bounds")
            end = (env[d.outer] + 1) * d.range if rng.random() < 0.5 else base + d.range
            return [Loop(name, base, end, self.build(rest, {**env, d: i - base, ("with outer", d): i}))]
        if rng.random() < 0.12:
            shift = num(rng.choice((1, 2, 7)))
            return [Loop(name, shift, d.range + shift, self.build(rest, {**env, d: i - shift}))]
        if rng.random() < 0.2 and self.may_split():
            middle = self.middle(d, env)
            if middle is not None:
                gen.tags.add("halves")
                second = self.name()
                j = var(second)
                if rng.random() < 0.5:
                    late = Loop(second, middle, d.range, self.build(rest, {**env, d: j}))
                else:
                    late = Loop(second, num(0), d.range - middle, self.build(rest, {**env, d: j + middle}))
                return [Loop(name, num(0), middle, self.build(rest, {**env, d: i})), late]
        return [Loop(name, num(0), d.range, self.build(rest, {**env, d: i}))]

    def middle(self, d, env):
        """Something between 0 and the range of 'd'."""
        rng, ways = self.gen.rng, []
        for other, v in env.items():
            if isinstance(other, tuple):
                continue
            if other is not d and repr(other.range) == repr(d.range):
                ways.append(v)
            elif d.static() and other.static() and other.static() <= d.static():
                ways.append(v)
        ways = [v for v in ways if uniform(v)]
        if d.static():
            ways.append(num(rng.randrange(d.static() + 1)))
        ways += [d.range // 2, d.range // 3, d.range - d.range // 4]
        return rng.choice(ways)

    def coordinate(self, mode, env):
        """The tile's number along 'mode'."""

        def of(d):
            return env[d]

        e, with_outer = num(0), {d.outer for d in mode.digits if ("with outer", d) in env}
        for d in reversed(mode.digits):
            if is_num(d.weight, 0) or d in with_outer:
                continue
            v = env[("with outer", d)] if ("with outer", d) in env else d.turn(env[d], of) if d.turn else env[d]
            e = e + v * d.weight if self.gen.rng.random() < 0.8 else e + d.weight * v
        return e


# -- plans ---------------------------------------------------------------------------------------------------------------------


def tiled_for(gen, name, tile):
    """A tiled copy with that very tile."""
    rng, thr, val = gen.rng, [], []
    left = 32 if "warps" in gen.tags else 1024
    for t in tile:
        v = rng.choice([v for v in (1, 1, 2, 4) if t % v == 0 and t // v <= left] or [t])
        left //= t // v
        thr.append(t // v)
        val.append(v)
    return Tiled(name, tuple(thr), tuple(val))


def bigger(gen, mode):
    """An extent that is no less than that of 'mode'."""
    rng, extent = gen.rng, mode.cover or mode.extent
    if is_num(extent):
        return num(extent.a + rng.randrange(5))
    if rng.random() < 0.3:
        return num(2) * extent
    if len(gen.params) > 8:
        return extent
    p = gen.param(lo=1, hi=rng.choice((1000, 1000000)))
    at_least, no_more = (var(p.name), ">=", extent), (extent, "<=", var(p.name))
    p.relation = rng.choice((at_least, at_least, no_more, (var(p.name), "==", extent)))
    if p.relation[1] == "==":
        p.lo, p.hi = 0, 1000000
    gen.tags.add("relation")
    return var(p.name)


def generate(rng):
    """A plan that is right."""
    while True:
        plan = attempt(rng)
        if not any(names_nothing(c.dst) or names_nothing(c.src) for c in statements(plan.body) if isinstance(c, Copy)):
            return plan


def names_nothing(view):
    """Whether a tile's coordinate is a number beyond the extent, which is a mistake whatever is promised."""
    tiles = zip(view.at, view.tile or (), view.tensor.extents)
    return any(is_num(e) and is_num(n) and e.a * t >= n.a for e, t, n in tiles)


def begin_later(rng, plan):
    """Has a loop leave out its first steps, as a triangle does: what is left of an 'inout' tensor keeps what it held."""
    loops = [x for x in statements(plan.body) if isinstance(x, Loop)]
    if not loops or rng.random() < 0.4:
        return
    loop = rng.choice(loops)
    names = [a for a, n in zip(AXES, plan.grid) if not is_num(n)] + [p.name for p in plan.params]
    if names and rng.random() < 0.7:
        loop.begin = loop.begin + var(rng.choice(names))
    else:
        loop.begin = loop.begin + num(rng.choice((1, 2)))


def attempt(rng):
    gen = Gen(rng)
    rank = rng.choice((1, 1, 1, 2, 2, 2, 3))
    sliced = rng.random() < 0.2
    room, modes = 64, []
    for _ in range(rank):
        modes.append(gen.mode(1 if sliced else room, sliced))
        room = max(1, room // modes[-1].tile)
    exact = all(m.exact for m in modes)
    if sliced and exact:
        whole = Mode(num(rng.choice((4, 8, 12))), 1, [], True, whole=True)
        modes.insert(rng.choice((0, len(modes))), whole)
    else:
        sliced = False
    digits = [d for m in modes for d in m.digits]
    grid, threads, inner, tid = grow(gen, digits)
    turns(gen, digits)
    tile = tuple(m.tile for m in modes)
    out = Tensor("B", [m.extent for m in modes], row=rng.random() < 0.5)
    source = Tensor("A", [bigger(gen, m) if not m.whole and rng.random() < 0.12 else m.extent for m in modes], row=rng.random() < 0.5)
    turned = len(modes) == 2 and not tid and not sliced and rng.random() < 0.12
    if turned:
        source.extents.reverse()
    formals = [("in", source), ("out", out)]
    local, tiled = [], []
    if not tid:
        shape = tuple(m.extent.a for m in modes if m.whole) if sliced else tile
        tiled = [tiled_for(gen, "t", shape)]
    through = not tid and not sliced and not threads and rng.random() < 0.12
    if through:
        local = [Tensor("s", [num(t) for t in tile], space="shared")]
        tiled.append(tiled_for(gen, "u", tile))
        turned = False
        source.extents = [m.extent for m in modes]
        gen.tags.add("through")

    pad = None
    if through and rng.random() < 0.4:
        pad = rng.choice((0, 7))
        for m in range(len(modes)):
            few = rng.random() < 0.5 or len(gen.params) > 8
            source.extents[m] = num(rng.choice((1, 3, 8, 40))) if few else var(gen.param(lo=1).name)
        gen.tags.add("pad")

    def leaf(at):
        how = tiled[0] if tiled else None
        if sliced or (tid and exact and tile == (1,) * len(tile) and rng.random() < 0.5):
            at = [None if m.whole else e for m, e in zip(modes, at)]
            return [Copy(View(source, at[:]), View(out, at[:]), how)]
        src = View(source, at[::-1] if turned else at[:], tile[::-1] if turned else tile, turned)
        if through:
            s = View(local[0], [None] * len(tile))
            return [Copy(src, s, how, pad), Copy(View(local[0], [None] * len(tile)), View(out, at[:], tile), tiled[1])]
        return [Copy(src, View(out, at[:], tile), how, pad)]

    env = {d: d.value for d in digits if d.value is not None}
    body = Body(gen, modes, leaf).build(inner, env)
    if turned:
        gen.tags.add("turned")
    plan = Plan(gen.params, [source, out], formals, tiled, grid, body, local, threads, hints=gen.hints)
    if rng.random() < 0.12:
        formals[1] = ("inout", out)
        gen.tags.add("inout")
        begin_later(rng, plan)
    plan.family = " ".join(sorted(gen.tags)) or "plain"
    return plan
