"""Random manual kernels: rings, prefetching and straight code with barriers and waits, of which some lack one, often only in a late
block, step or param value.

The patterns below are right as they stand; what a change makes of one the judge says.
"""

from expr import E, is_num, num, var
from plan import AXES, Copy, Fill, Loop, Order, Param, Pipeline, Plan, Tensor, Tiled, View, expressions, statements


class Kernel:
    """What a pattern is written with."""

    def __init__(self, rng):
        self.rng, self.params, self.hints, self.loops = rng, [], [], 0
        self.size = rng.choice((4, 4, 8, 8, 16))
        self.slots = rng.choice((2, 3, 4, 5, 8))
        self.asynchronous = rng.random() < 0.55
        atom = "cp_async.ca(4)" if self.asynchronous else "auto(32)"
        self.t = Tiled("t", (self.size,), (1,), atom)
        v = rng.choice((1, 2, 4, 4)) if self.asynchronous or rng.random() < 0.5 else rng.choice((2, 4))
        self.u = Tiled("u", (self.size // v,), (v,))
        self.s = Tensor("s", [num(self.size), num(self.slots)], space="shared")
        self.local = [self.s]
        self.a = Tensor("A", [num(self.size)])
        self.z = Tensor("Z", [num(self.size)])
        self.grid = []

    def param(self, lo, hi):
        self.params.append(Param("NPQR"[len(self.params)], lo, hi))
        return var(self.params[-1].name)

    def index(self):
        self.loops += 1
        return "ijkl"[(self.loops - 1) % 4] + ("" if self.loops <= 4 else str(self.loops))

    def columns(self, n):
        """How many columns the global tensors have."""
        self.a.extents = [num(self.size), n]
        self.z.extents = [num(self.size), n]

    def load(self, column, slot, into=None):
        return Copy(View(self.a, [None, column]), View(into or self.s, [None, slot]), self.t)

    def use(self, slot, column, of=None):
        return Copy(View(of or self.s, [None, slot]), View(self.z, [None, column]), self.u)

    def arrive(self, pending=0):
        """What stands between a load and the first use."""
        return [Order("commit"), Order("wait", pending), Order("sync")] if self.asynchronous else [Order("sync")]

    def plan(self, body, family):
        head = [x for t in self.local for x in [Fill(View(t, [None] * 2))]] + [Order("sync", fixed=True)]
        tail = [Order("wait", 0, True)] if self.asynchronous else []
        tiled, formals = [self.t, self.u], [("in", self.a), ("out", self.z)]
        body = head + body + tail
        plan = Plan(self.params, [self.a, self.z], formals, tiled, self.grid, body, self.local, self.size, True, hints=self.hints)
        plan.family = family + (" async" if self.asynchronous else "")
        return plan


def slot_of(k, i):
    """A slot that moves on from step to step."""
    rng, s = k.rng, num(k.slots)
    late = rng.choice((7, 10, 20))
    ways = [i % s] * 4 + [(i + 1) % s, (k.slots - 1 - i % s)]
    if k.slots > 2:
        ways += [(i + i // num(late)) % s]
        k.hints.append(late)
    if k.slots % 2:
        ways += [(i * 2) % s]
    return rng.choice(ways)


def ring(rng):
    """Each step loads a slot and uses it."""
    k = Kernel(rng)
    n = k.param(1, rng.choice((100, 1000, 1000000))) if rng.random() < 0.8 else num(rng.choice((3, 9, 40)))
    k.columns(n)
    name = k.index()
    i = var(name)
    slot = slot_of(k, i)
    body = [k.load(i, slot), *k.arrive(), k.use(slot, i)]
    if rng.random() < 0.4:
        body.append(Order("sync"))
    return k.plan([Loop(name, num(0), n, body)], "ring")


def prefetch(rng):
    """Loads run ahead by some steps."""
    k = Kernel(rng)
    k.slots = max(k.slots, 2)
    ahead = rng.randrange(1, k.slots)
    n = k.param(rng.choice((1, ahead)), rng.choice((100, 1000))) if rng.random() < 0.8 else num(rng.choice((3, 9, 40)))
    k.columns(n)
    first, step = k.index(), k.index()
    j, i, s = var(first), var(step), num(k.slots)
    one = [k.load(j % n, j % s)] + ([Order("commit")] if k.asynchronous else [])
    before = [Loop(first, num(0), num(ahead), one)]
    if rng.random() < 0.5:
        before = [k.load(num(x) % n, num(x)) if not is_num(n) else k.load(num(x % n.a), num(x)) for x in range(ahead)]
        if k.asynchronous:
            before = [y for x in before for y in (x, Order("commit"))]
    load = k.load((i + ahead) % n, (i + ahead) % s)
    use = k.use(i % s, i)
    if rng.random() < 0.5:  # one barrier per step, the load behind it
        arrive = [Order("wait", ahead - 1), Order("sync")] if k.asynchronous else [Order("sync")]
        body = arrive + [load] + ([Order("commit")] if k.asynchronous else []) + [use]
        if rng.random() < 0.5:
            body = arrive + [use, load] + ([Order("commit")] if k.asynchronous else [])
    else:
        body = [load] + k.arrive(ahead) + [use, Order("sync")]
    return k.plan(before + [Loop(step, num(0), n, body)], "prefetch")


def straight(rng):
    """One load and one use, of slots that blocks and params choose."""
    k = Kernel(rng)
    if rng.random() < 0.5:
        x = var("block.x")
        n = num(rng.choice((8, 12, 40))) if rng.random() < 0.5 else k.param(1, rng.choice((30, 1000)))
        k.grid = [n]
    else:
        n, x = num(rng.choice((2, 5))), num(0)
    k.columns(n)
    if is_num(x):
        k.z.extents = [num(k.size), num(1)]
    chosen = [num(rng.randrange(k.slots)), x % num(k.slots), x // num(5) % num(k.slots), (x + 1) % num(k.slots)]
    if len(k.params) < 2 and rng.random() < 0.6:
        chosen += [k.param(0, k.slots - 1)] * 3
    k.hints += [5, 5 * k.slots]
    a, b = rng.choice(chosen), rng.choice(chosen)
    body = [k.load(x, a)] + ([Order("commit"), Order("wait", 0)] if k.asynchronous else [])
    if rng.random() < 0.5:
        body += [Order("sync")]
    if rng.random() < 0.3:
        body += [k.load(x, rng.choice(chosen))] + ([Order("commit"), Order("wait", rng.choice((0, 1)))] if k.asynchronous else [])
        body += [Order("sync")] if rng.random() < 0.5 else []
    return k.plan(body + [k.use(b, x)], "straight")


def nested(rng):
    """A loop in a loop, of two buffers."""
    k = Kernel(rng)
    n, m = k.param(1, 100), k.param(1, 30) if rng.random() < 0.5 else num(rng.choice((1, 2, 3)))
    k.columns(n * m)
    q = Tensor("q", [num(k.size), num(1)], space="shared")
    outer, inner = k.index(), k.index()
    i, j = var(outer), var(inner)
    deep = [k.use(i % num(k.slots), i * m + j)]
    if rng.random() < 0.5:
        k.local = [k.s, q]
        deep = [Copy(View(k.a, [None, i * m + j]), View(q, [None, num(0)]), k.t), *k.arrive(), k.use(num(0), i * m + j, q), Order("sync")]
    body = [k.load(i, i % num(k.slots)), *k.arrive(), Loop(inner, num(0), m, deep)]
    if rng.random() < 0.7:
        body.append(Order("sync"))
    return k.plan([Loop(outer, num(0), n, body)], "nested")


PATTERNS = (ring, ring, prefetch, prefetch, straight, nested)


# -- changes -------------------------------------------------------------------------------------------------------------------


def bodies(plan):
    """Each list of statements with the loops around it."""

    def walk(body, loops):
        yield body, loops
        for x in body:
            if isinstance(x, Loop):
                yield from walk(x.body, loops + [x.name])
            elif isinstance(x, Pipeline):
                yield from walk(x.load, loops + [x.name])
                yield from walk(x.use, loops + [x.name])

    return list(walk(plan.body, []))


def names_at(plan, loops):
    return [a for a, n in zip(AXES, plan.grid) if not is_num(n, 1)] + loops + [p.name for p in plan.params]


def once_until(rng, plan, names, seldom):
    """A number of turns that is 1 until something is late, and 0 from there on; with 'seldom' the other way round."""
    late = rng.choice((2, 3, 5, 7, 10, 20))
    plan.hints += [late, late + 1, 2 * late]
    if not names:
        return num(0)
    x = var(rng.choice(names))
    if seldom:
        return x // num(late)
    ways = [num(1) - x // num(late)]
    if x.a in [p.name for p in plan.params if p.lo > 0]:
        ways += [E("/", num(late), x)] * 2
    return rng.choice(ways)


def change(rng, plan):
    """Leaves out, loosens or hides one barrier, wait or commit, or moves a slot, some of it late only."""
    spots = [(b, i, loops) for b, loops in bodies(plan) for i, x in enumerate(b) if isinstance(x, Order) and not x.fixed]
    roll = rng.random()
    if not spots or roll < 0.3:
        return move_slot(rng, plan)
    body, i, loops = rng.choice(spots)
    x = body[i]
    if x.what == "wait" and roll < 0.5:
        x.pending += 1
    elif roll < 0.55:
        body.pop(i)
    elif roll < 0.62 and i > 0:
        body[i - 1], body[i] = body[i], body[i - 1]
    else:
        turns = once_until(rng, plan, names_at(plan, loops), rng.random() < 0.3)
        body[i] = Loop("turn", num(0), turns, [x])
    return plan


def move_slot(rng, plan):
    spots = []
    for what, e, put, loops, copy in expressions(plan):
        view = copy and (copy.src if what == "src" else copy.dst)
        if copy and view.tensor.space == "shared":
            spots.append((e, put, loops, view))
    e, put, loops, view = rng.choice(spots)
    names, slots = names_at(plan, loops), view.tensor.extents[1]
    by = num(1)
    if names and rng.random() < 0.7:
        late = rng.choice((2, 3, 5, 7, 10, 20))
        plan.hints += [late, late + 1, 2 * late, late * slots.a]
        by = var(rng.choice(names)) // num(late)
    put((e + by) % slots)
    return plan


def generate(rng):
    """(plan, whether it was changed)."""
    plan = rng.choice(PATTERNS)(rng)
    changed = rng.random() < 0.55
    if changed:
        change(rng, plan)
        plan.family = "changed " + plan.family
    loops = [x.name for x in statements(plan.body) if isinstance(x, Loop)]
    assert len(loops) == len(set(loops))
    return plan, changed
