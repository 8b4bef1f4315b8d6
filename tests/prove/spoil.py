"""Changes one thing of a plan: a digit, a bound, a modulus, the grid, an offset, a promise.  What comes of it the judge decides."""

from expr import E, binary, cdiv, is_num, names_in, nodes, num, replaced, var
from plan import AXES, Copy, Loop, expressions, statements


def late(rng, plan, names):
    """Something that is 0 at first, and 1 in a late block, iteration or param."""
    names = names + [p.name for p in plan.params]
    if not names:
        return num(1)
    x, k = var(rng.choice(names)), rng.choice((2, 3, 4, 5, 7, 8, 20, 20, 100, 300))
    plan.hints += [k, 2 * k] if k <= 20 else []
    return x // num(k)


def other(rng, plan, e, names):
    """A node that may stand instead of 'e'."""
    roll = rng.random()
    if e.op == "num":
        return num(max(0, rng.choice((e.a + 1, e.a - 1, e.a * 2, e.a + 2, e.a // 2))))
    if e.op == "var":
        pool = [n for n in names if n != e.a] if e.a in names or "." in e.a else [p.name for p in plan.params if p.name != e.a]
        if pool and roll < 0.5:
            return var(rng.choice(pool))
        return e + num(1) if roll < 0.75 else e * num(2)
    if e.op == "cdiv":
        return binary("/", e.a, e.b) if roll < 0.5 else cdiv(e.a, e.b + num(1))
    if e.op in "/%" and roll < 0.4:
        return binary("%" if e.op == "/" else "/", e.a, e.b)
    if e.op == "%" and roll < 0.7:
        return e.a
    return rng.choice((e.a, e.b)) if roll < 0.6 else binary({"+": "-", "-": "+"}.get(e.op, "+"), e.a, e.b)


def spoil_expression(rng, plan):
    """Changes a node of one expression; of a coordinate half of the time on both sides of the copy."""
    spots = [s for s in expressions(plan) if s[0] != "src" or rng.random() < 0.3]
    weight = {"grid": 3, "begin": 1, "end": 3, "dst": 2, "src": 1, "extent": 1}
    what, e, put, loops, copy = rng.choices(spots, [weight[s[0]] for s in spots])[0]
    names = [a for a, n in zip(AXES, plan.grid) if not is_num(n, 1)] + loops
    if what in ("grid", "extent"):
        names = []
    if what in ("end", "dst") and rng.random() < 0.35:
        x = late(rng, plan, names)
        new = E("-", e, x) if what == "end" and rng.random() < 0.7 else e + x
    elif what in ("grid", "extent") and any(n.op != "num" for n in nodes(e)) and rng.random() < 0.5:
        ns = [n for n in nodes(e) if n.op in ("num", "*")] or [e]
        n = rng.choice(ns)
        new = replaced(e, n, rng.choice((n.a, n.b)) if n.op == "*" else num(n.a + 1 if n.op == "num" else 1))
    elif what == "grid" and rng.random() < 0.2:
        new = E("-", e, num(rng.choice((1, 2, 5)))) if rng.random() < 0.6 else e * num(2) // num(3)
    else:
        node = rng.choice(list(nodes(e)))
        new = replaced(e, node, other(rng, plan, node, names))
    if copy and what == "dst" and rng.random() < 0.6:  # the same in the source
        at = next(i for i, y in enumerate(copy.dst.at) if y is e)
        for i, y in enumerate(copy.src.at):
            if y is e or (y is not None and i == at and not copy.src.turned and repr(y) == repr(e)):
                copy.src.at[i] = new
    put(new)


def spoil_promise(rng, plan):
    p = rng.choice(plan.params)
    roll = rng.random()
    if p.relation and roll < 0.5:
        a, op, b = p.relation
        turned = (a, {">=": "<=", "<=": ">="}.get(op, ">="), b)
        p.relation = rng.choice((None, turned, (a + num(1), op, b) if op == "<=" else (a, op, b // num(2))))
    elif p.mod > 1:
        p.mod = rng.choice((1, p.mod // 2, p.mod - 1)) or 1
    elif p.lo > 0:
        p.lo -= 1
    else:
        p.hi += 1


def spoil_copies(rng, plan):
    """Leaves out one of several statements, or does it twice."""
    bodies = [plan.body] + [x.body for x in statements(plan.body) if isinstance(x, Loop)]
    body = rng.choice([b for b in bodies if b])
    if len(body) > 1 and rng.random() < 0.8:
        body.pop(rng.randrange(len(body)))
    else:
        spoil_expression(rng, plan)


def spoil_diagonal(rng, plan):
    """Gives one mode the coordinate of another one, as on a diagonal."""
    views = [v for c in statements(plan.body) if isinstance(c, Copy) for v in (c.src, c.dst) if v.tensor.space == "global"]
    rank = len(views[0].at)
    if rank < 2 or any(e is None for v in views for e in v.at) or any(v.turned for v in views):
        return spoil_expression(rng, plan)
    a, b = rng.sample(range(rank), 2)
    for v in views:
        v.at[a] = v.at[b]
    used = {n for v in views for e in v.at for n in names_in(e)}
    for axis, i in (("block.x", 0), ("block.y", 1), ("block.z", 2)):
        if i < len(plan.grid) and axis not in used:
            plan.grid[i] = num(1)
    if rng.random() < 0.5:  # loops that nothing depends on go once
        for x in statements(plan.body):
            if isinstance(x, Loop) and x.name not in used:
                x.end = x.begin + num(1)
    return None


def spoil(rng, plan):
    ways = [spoil_expression] * 8 + [spoil_diagonal] + [spoil_promise] * (2 if plan.params else 0) + [spoil_copies]
    rng.choice(ways)(rng, plan)
    plan.family = "spoilt " + plan.family
    return plan
