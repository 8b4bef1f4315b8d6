"""Random kernels that write shared memory or fragments and read them again, of which some read what nobody wrote, often only in a late
block, step or param value.

As in order_gen.py the patterns are right as they stand, and the judge says what a change makes of one.
"""

from expr import E, cdiv, is_num, nodes, num, replaced, var
from order_gen import bodies, names_at, once_until
from plan import Copy, Fill, Loop, Param, Pipeline, Plan, Tensor, Tiled, View, expressions, statements


class Kernel:
    """What a pattern is written with."""

    def __init__(self, rng):
        self.rng, self.params, self.hints, self.loops = rng, [], [], 0
        self.size = rng.choice((4, 4, 8))
        self.t = Tiled("t", (self.size,), (1,))
        self.u = Tiled("u", (self.size // 2,), (2,))
        self.grid, self.local = [], []
        self.a, self.b = Tensor("A", []), Tensor("B", [])

    def param(self, lo, hi, mod=1):
        self.params.append(Param("NPQR"[len(self.params)], lo, hi, mod))
        return var(self.params[-1].name)

    def index(self):
        self.loops += 1
        return "ijkl"[(self.loops - 1) % 4] + ("" if self.loops <= 4 else str(self.loops))

    def blocks(self):
        """(a coordinate of the block, its extent)"""
        n = num(self.rng.choice((3, 8, 24))) if self.rng.random() < 0.5 else self.param(1, self.rng.choice((20, 1000)))
        self.grid = [n]
        return var("block.x"), n

    def count(self, static=(4, 8, 12)):
        """How many columns, as a number."""
        return self.rng.choice(static)

    def plan(self, body, family, threads=None):
        tiled = [x for x in (self.t, self.u) if any(isinstance(c, Copy) and c.tiled is x for c in statements(body))]
        formals = [("in", self.a), ("out", self.b)]
        plan = Plan(self.params, [self.a, self.b], formals, tiled, self.grid, body, self.local, threads, hints=self.hints)
        plan.family = family
        return plan


def load(k, into, column, slot):
    return Copy(View(k.a, [None, column]), View(into, [None, slot]), k.t)


def read_slot(rng, k, n, x):
    """A column that is one of the first 'n'."""
    ways = [num(n - 1), num(rng.randrange(n))]
    if x is not None:
        ways += [x % num(n), num(n - 1) - x % num(n), (x * 3) % num(n), x // num(2) % num(n)]
    if len(k.params) < 3:
        ways += [k.param(0, n - 1)] * 2
    return rng.choice(ways)


def columns(rng):
    """All columns of a shared tensor are written by loops, one is read."""
    k = Kernel(rng)
    n = k.count()
    s = Tensor("s", [num(k.size), num(n)], space="shared")
    k.local = [s]
    x, many = k.blocks() if rng.random() < 0.6 else (None, num(1))
    k.a.extents, k.b.extents = [num(k.size), num(n)], [num(k.size), many]
    cut = rng.randrange(1, n)
    middle = rng.choice([num(cut), x % num(n)] if x is not None else [num(cut)])
    if len(k.params) < 2 and rng.random() < 0.3:
        middle = k.param(0, n)
    i, j = k.index(), k.index()
    body = [
        Loop(i, num(0), middle, [load(k, s, var(i), var(i))]),
        Loop(j, middle, num(n), [load(k, s, var(j), var(j))]),
    ]
    if rng.random() < 0.3:
        body = [Loop(i, num(0), num(n), [load(k, s, num(n - 1) - var(i), var(i))])]
    slot = read_slot(rng, k, n, x)
    at = x if x is not None else num(0)
    return k.plan(body + [Copy(View(s, [None, slot]), View(k.b, [None, at]), k.u)], "columns")


def steps(rng):
    """A loop writes a slot a step and reads one that an earlier step wrote."""
    k = Kernel(rng)
    slots = rng.choice((2, 3, 4, 5, 8))
    back = rng.randrange(slots)
    s = Tensor("s", [num(k.size), num(slots)], space="shared")
    k.local = [s]
    n = k.param(rng.choice((1, slots)), rng.choice((60, 1000, 100000)))
    k.a.extents = k.b.extents = [num(k.size), n]
    k.a.extents = k.a.extents[:]
    i, j = k.index(), k.index()
    first = [Loop(j, num(0), num(slots), [load(k, s, var(j) % n, var(j))])]
    if rng.random() < 0.3:
        first = [Fill(View(s, [None, None]))]
    elif back == 0:
        first = []
    elif rng.random() < 0.5:  # just what is read before it is written
        first = [Loop(j, num(slots - back), num(slots), [load(k, s, var(j) % n, var(j))])]
    body = [load(k, s, var(i), var(i) % num(slots))]
    body.append(Copy(View(s, [None, (var(i) + (slots - back)) % num(slots)]), View(k.b, [None, var(i)]), k.u))
    k.hints += [slots]
    return k.plan(first + [Loop(i, num(0), n, body)], "steps")


def fragment(rng):
    """Registers of a thread, written by loops; one of them is read, or all."""
    k = Kernel(rng)
    n = k.count((3, 4, 8, 16))
    r = Tensor("r", [num(n)], space="frag")
    k.local = [r]
    x, many = k.blocks() if rng.random() < 0.5 else (None, num(1))
    k.a.extents, k.b.extents = [num(k.size), num(n)], [num(k.size), many]
    tid, i, j = var("tid"), k.index(), k.index()
    cut = num(rng.randrange(1, n))
    middle = rng.choice((cut, x % num(n))) if x is not None else cut
    body = [
        Loop(i, num(0), middle, [Copy(View(k.a, [tid, var(i)]), View(r, [var(i)]))]),
        Loop(j, middle, num(n), [Copy(View(k.a, [tid, var(j)]), View(r, [var(j)]))]),
    ]
    if rng.random() < 0.4:
        body = [Loop(i, num(0), num(n), [Copy(View(k.a, [tid, var(i)]), View(r, [var(i)]))])]
    slot = read_slot(rng, k, n, x)
    at = x if x is not None else num(0)
    return k.plan(body + [Copy(View(r, [slot]), View(k.b, [tid, at]))], "fragment", k.size)


def tails(rng):
    """A shared tile is written as far as one tensor goes and read as far as another one does."""
    k = Kernel(rng)
    t = k.size
    s = Tensor("s", [num(t)], space="shared")
    k.local = [s]
    mod = rng.choice((1, 1, 1, 2, t))
    n = k.param(rng.choice((0, 1, t)), rng.choice((40, 1000, 1000000)), mod)
    way = rng.choice(("same", "same", "more", "relation", "pad", "pad"))
    m = n
    if way == "more":
        m = num(2) * n
    elif way in ("relation", "pad"):
        m = k.param(1, rng.choice((1000, 100000)))
        k.params[-1].relation = (m, ">=", n) if way == "relation" else None
    k.a.extents, k.b.extents = [m], [n]
    k.hints += [t, 2 * t]
    count = n // num(t) if mod % t == 0 else cdiv(n, t)
    x = var("block.x")
    src, pad = View(k.a, [x], (t,)), rng.choice((0, 7)) if way == "pad" else None
    whole = View(s, [None]) if rng.random() < 0.5 else View(s, [num(0)], (t,))
    write = Copy(src, whole, k.t, pad)
    if way == "pad" and rng.random() < 0.4:
        write.pad = None
    first = [Fill(View(s, [None]))] if way == "pad" and write.pad is None else []
    read = Copy(View(s, [None]), View(k.b, [x], (t,)), k.u)
    if rng.random() < 0.4:
        i = k.index()
        src.at[0] = var(i)
        read.dst.at[0] = var(i)
        return k.plan(first + [Loop(i, num(0), count, [write, read])], "tails")
    k.grid = [count]
    return k.plan(first + [write, read], "tails")


def tiles(rng):
    """Tiles of a shared tensor, each written by a copy of its own or by loops, read as a whole."""
    k = Kernel(rng)
    p, q = rng.choice((1, 2, 3)), rng.choice((2, 3, 4))
    t = (2, 2)
    s = Tensor("s", [num(2 * p), num(2 * q)], space="shared")
    k.local = [s]
    x, many = k.blocks()
    k.a.extents = [num(2 * p), num(2 * q)]
    k.b.extents = [num(2 * p), many * num(2 * q)]
    k.t = Tiled("t", (2, 2), (1, 1))
    k.u = Tiled("u", (2, q), (1, 2))
    i, j = k.index(), k.index()

    def one(a, b):
        return Copy(View(k.a, [a, b], t), View(s, [a, b], t), k.t)

    if rng.random() < 0.5:
        body = [Loop(i, num(0), num(p), [Loop(j, num(0), num(q), [one(var(i), var(j))])])]
    elif rng.random() < 0.5:
        body = [Loop(i, num(0), num(p * q), [one(var(i) % num(p), var(i) // num(p))])]
    else:
        body = [Loop(i, num(0), num(p), [one(var(i), num(b)) for b in range(q)])]
    read = Copy(View(s, [None, None]), View(k.b, [num(0), x], (2 * p, 2 * q)), k.u)
    return k.plan(body + [read], "tiles")


def pipeline(rng):
    """Each step fills its slot by one copy or a loop, and reads it."""
    k = Kernel(rng)
    n, c = k.param(1, rng.choice((50, 1000))), rng.choice((2, 4))
    s = Tensor("s", [num(k.size), num(c)], space="shared", stages=rng.choice((1, 2, 3, 4)))
    k.local = [s]
    k.a.extents = k.b.extents = [num(k.size), num(c) * n]
    i, j, m = k.index(), k.index(), k.index()
    if rng.random() < 0.6:
        fill = [Loop(j, num(0), num(c), [load(k, s, var(i) * num(c) + var(j), var(j))])]
    else:
        fill = [load(k, s, var(i) * num(c) + num(x), num(x)) for x in range(c)]
    use = [Loop(m, num(0), num(c), [Copy(View(s, [None, var(m)]), View(k.b, [None, var(i) * num(c) + var(m)]), k.u)])]
    return k.plan([Pipeline(i, num(0), n, fill, use)], "pipeline")


PATTERNS = (columns, columns, steps, steps, fragment, fragment, tails, tails, tiles, pipeline)


# -- changes -------------------------------------------------------------------------------------------------------------------


def writes_global(x):
    return any(isinstance(c, Copy) and c.dst.tensor.space == "global" for c in statements([x]))


def change(rng, plan):
    """Leaves out or shortens what writes, all the time or late only, or reads something else."""
    spots = [(b, i, loops) for b, loops in bodies(plan) for i, x in enumerate(b) if not writes_global(x)]
    roll = rng.random()
    if spots and roll < 0.45:
        body, i, loops = rng.choice(spots)
        if roll < 0.08 and (len(body) > 1 or not loops):
            body.pop(i)
        else:
            body[i] = Loop("turn", num(0), once_until(rng, plan, names_at(plan, loops), rng.random() < 0.15), [body[i]])
        return
    places = []
    for what, e, put, loops, copy in expressions(plan):
        local = copy and (copy.src if what == "src" else copy.dst).tensor.space != "global"
        if local:
            places.append((e, put, loops, False))
    for x in statements(plan.body):
        if isinstance(x, Loop) and not writes_global(x):
            places.append((x.begin, lambda e, x=x: setattr(x, "begin", e), [], True))
            places.append((x.end, lambda e, x=x: setattr(x, "end", e), [], True))
    if places and roll < 0.85:
        shift(rng, plan, *rng.choice(places))
        return
    with_relation = [p for p in plan.params if p.relation]
    if with_relation:
        with_relation[0].relation = None
    else:
        for x in statements(plan.body):
            if isinstance(x, Copy) and x.pad is not None:
                x.pad = None


def shift(rng, plan, e, put, loops, bound):
    """Moves a place or a bound by one, or by something that is 0 at first."""
    names = ["block.x"] * (bool(plan.grid) and not is_num(plan.grid[0], 1)) + loops + [p.name for p in plan.params]
    by = num(1)
    if names and rng.random() < 0.65:
        late = rng.choice((2, 3, 5, 7, 10))
        plan.hints += [late, late + 1, 2 * late]
        by = var(rng.choice(names)) // num(late)
    nodes_ = [n for n in nodes(e) if n.op in "%/" and is_num(n.b)]
    if nodes_ and rng.random() < 0.4:
        n = rng.choice(nodes_)
        put(replaced(e, n, E(n.op, n.a, num(max(1, n.b.a + rng.choice((-1, 1)))))))
    else:
        put(E("-", e, by) if rng.random() < (0.7 if bound else 0.4) and not (is_num(e, 0)) else e + by)


def generate(rng):
    """(plan, whether it was changed)."""
    plan = rng.choice(PATTERNS)(rng)
    changed = rng.random() < 0.55
    if changed:
        change(rng, plan)
        plan.family = "changed " + plan.family
    return plan, changed
