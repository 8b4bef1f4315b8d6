"""Plans as data, the text of one, and the values of its params that the judges try.

One kernel, its params, tensors and tiled copies.  The generators make such plans, the judges evaluate them as they stand here, and
neither reads .tcp.
"""

import itertools
from dataclasses import dataclass, field

from expr import Dubious, names_in, tcp, value, wrap

AXES = ("block.x", "block.y", "block.z")


@dataclass
class Param:
    name: str
    lo: int = 1
    hi: int = 1000
    mod: int = 1
    relation: tuple = None  # (expression, ">=", expression)

    def text(self):
        mod = f" % {self.mod}" if self.mod > 1 else ""
        where = f" where {tcp(self.relation[0])} {self.relation[1]} {tcp(self.relation[2])}" if self.relation else ""
        return f"param {self.name} : index{mod} in {self.lo} .. {self.hi}{where};"


@dataclass
class Tensor:
    name: str
    extents: list  # of expressions
    space: str = "global"
    row: bool = False
    stages: int = 0

    def text(self):
        shape = ("row" if self.row else "") + "(" + ",".join(tcp(wrap(e)) for e in self.extents) + ")"
        if self.space == "global":
            return f"tensor {self.name} : f32 global {shape} align 16;"
        return f"{self.space} {self.name} : f32 {shape}{f' stages {self.stages}' if self.stages else ''};"


@dataclass
class View:
    """A tile of all modes at tile coordinates, or with 'tile' None a slice, where None among 'at' keeps a mode whole."""

    tensor: Tensor
    at: list
    tile: tuple = None
    turned: bool = False  # select(.., (1,0))

    def text(self):
        name = self.tensor.name
        at = [("_" if e is None else tcp(e)) for e in self.at]
        if self.tile is None:
            text = name if all(e is None for e in self.at) else f"{name}({','.join(at)})"
        else:
            text = f"local_tile({name}, ({','.join(map(str, self.tile))}), ({','.join(at)}))"
        return f"select({text}, (1,0))" if self.turned else text

    def kept(self):
        """The modes of the tensor that are the view's, in the view's order."""
        modes = [m for m in range(len(self.at)) if self.tile is not None or self.at[m] is None]
        return modes[::-1] if self.turned else modes


@dataclass
class Tiled:
    """A tiled copy: 'thr' threads times 'val' values, both with the first mode fastest."""

    name: str
    thr: tuple
    val: tuple
    atom: str = "auto(32)"

    def text(self):
        def shape(s):
            return "(" + ",".join(map(str, s)) + ")"

        return f"tiled_copy {self.name} = tile({self.atom}, thr={shape(self.thr)}, val={shape(self.val)});"

    def owner(self, at):
        """(thread, value) of the element at 'at' of the tile."""
        thread = value_ = 0
        by_thread = by_value = 1
        for x, t, v in zip(at, self.thr, self.val):
            thread += x // v % t * by_thread
            value_ += x % v * by_value
            by_thread *= t
            by_value *= v
        return thread, value_


@dataclass
class Copy:
    src: View
    dst: View
    tiled: Tiled = None  # None: an atom, one thread's
    pad: int = None

    def lines(self, indent):
        how = self.tiled.name if self.tiled else "auto(32)"
        pad = f" pad {self.pad}" if self.pad is not None else ""
        yield f"{indent}copy {self.src.text()} -> {self.dst.text()} with {how}{pad};"


@dataclass
class Fill:
    view: View
    number: int = 0

    def lines(self, indent):
        yield f"{indent}fill {self.view.text()} = {self.number};"


@dataclass
class Order:
    """sync, commit, or wait with 'pending'."""

    what: str
    pending: int = 0
    fixed: bool = False  # is not spoilt

    def lines(self, indent):
        yield f"{indent}{self.what}{f' {self.pending}' if self.what == 'wait' else ''};"


@dataclass
class Loop:
    name: str
    begin: object
    end: object
    body: list

    def lines(self, indent):
        yield f"{indent}for {self.name} in {tcp(wrap(self.begin))} .. {tcp(wrap(self.end))} {{"
        for x in self.body:
            yield from x.lines(indent + "  ")
        yield indent + "}"


@dataclass
class Pipeline:
    """A loop whose 'load' is ahead of its 'use'."""

    name: str
    begin: object
    end: object
    load: list
    use: list

    def lines(self, indent):
        yield f"{indent}pipeline {self.name} in {tcp(wrap(self.begin))} .. {tcp(wrap(self.end))} {{"
        for what, body in (("load", self.load), ("use", self.use)):
            yield f"{indent}  {what} {{"
            for x in body:
                yield from x.lines(indent + "    ")
            yield indent + "  }"
        yield indent + "}"

    @property
    def body(self):
        return self.load + self.use


@dataclass
class Plan:
    params: list
    tensors: list  # of global memory
    formals: list  # (direction, tensor)
    tiled: list
    grid: list
    body: list
    local: list = field(default_factory=list)  # tensors of the kernel
    threads: int = None
    manual: bool = False
    family: str = ""  # what kind of plan it is
    hints: list = field(default_factory=list)  # numbers near which params are worth trying
    frozen: dict = None  # params that are written as constants
    large: bool = False  # its tensors have more elements than the judge usually goes through

    def text(self):
        out = ["tcp 1;"]
        for p in self.params:
            out.append(f"const {p.name} = {self.frozen[p.name]};" if self.frozen and p.name in self.frozen else p.text())
        out += [x.text() for x in self.tensors + self.tiled]
        grid = f" grid ({', '.join(tcp(wrap(e)) for e in self.grid)})" if self.grid else ""
        threads = f" threads {self.threads}" if self.threads else ""
        formals = ", ".join((d + " " if d != "in" else "") + t.name for d, t in self.formals)
        out.append(f"{'manual ' if self.manual else ''}kernel k({formals}){grid}{threads} {{")
        out += ["  " + t.text() for t in self.local]
        for x in self.body:
            out += list(x.lines("  "))
        return "\n".join(out + ["}", ""])


def statements(body):
    """All statements of 'body', those of loops behind their loop."""
    for x in body:
        yield x
        if isinstance(x, (Loop, Pipeline)):
            yield from statements(x.body)


def expressions(plan):
    """Of each expression: (what it is, it, a function that replaces it, the loops around it, its copy or None)."""

    def of_list(what, values, loops, copy=None):
        for i in range(len(values)):
            if values[i] is not None:
                yield what, values[i], lambda e, i=i, values=values: values.__setitem__(i, e), loops, copy

    def of_body(body, loops):
        for x in body:
            if isinstance(x, (Loop, Pipeline)):
                yield "begin", x.begin, lambda e, x=x: setattr(x, "begin", e), loops, None
                yield "end", x.end, lambda e, x=x: setattr(x, "end", e), loops, None
                yield from of_body(x.body, loops + [x.name])
            elif isinstance(x, Copy):
                yield from of_list("src", x.src.at, loops, x)
                yield from of_list("dst", x.dst.at, loops, x)
            elif isinstance(x, Fill):
                yield from of_list("dst", x.view.at, loops)

    yield from of_list("grid", plan.grid, [])
    for t in plan.tensors:
        yield from of_list("extent", t.extents, [])
    yield from of_body(plan.body, [])


def taken(plan):
    """The names of the params that the kernel takes: those that its expressions name."""
    names = set()
    for _, e, *_ in expressions(plan):
        names_in(wrap(e), names)
    return names


def promised(plan, values, has=None):
    """Whether 'values' keep the promises that count: ranges, divisors, and relations of which the kernel takes all params, 'has'."""
    has = taken(plan) if has is None else has
    for p in plan.params:
        n = values[p.name]
        if n < p.lo or n > p.hi or n % p.mod:
            return False
        if not p.relation:
            continue
        a, op, b = p.relation
        if not (names_in(a) | names_in(b)) <= has:
            continue
        x, y = value(a, values), value(b, values)
        if not {">=": x >= y, "<=": x <= y, "==": x == y, "<": x < y, ">": x > y}[op]:
            return False
    return True


def candidates(plan, p, rng, most):
    """Values of the param 'p' that are worth trying, small ones first, at most 'most' above its least."""
    first = -(-p.lo // p.mod) * p.mod
    near = {first, first + p.mod, first + 2 * p.mod}
    for h in plan.hints:
        near.update(h + d for d in (-1, 0, 1))
    near.update(first + p.mod * rng.randrange(max(1, most // p.mod)) for _ in range(3))
    top = min(p.hi, first + most)
    near.update((top, top - 1) if top == p.hi else (top,))
    return sorted(n for n in {x - x % p.mod for x in near} if first <= n <= top)


def solve(plan, values, p):
    """Sets 'p' from an equation with another side that is known; false when there is none."""
    if p.relation and p.relation[1] == "==":
        for left, right in (p.relation[::2], p.relation[::-2]):
            if left.op == "var" and left.a == p.name:
                values[p.name] = value(right, values)
                return True
    return False


def choices(plan, rng, count=10, most=48, tries=160):
    """(list of dicts of params' values that keep the promises, whether these are all that there are)."""
    if plan.frozen or not plan.params:
        return [plan.frozen or {}], True
    sizes, has = 1, taken(plan)
    for p in plan.params:
        sizes *= max(0, p.hi // p.mod - (p.lo - 1) // p.mod)
    if sizes <= 4 * count:
        ranges = [range(-(-p.lo // p.mod) * p.mod, p.hi + 1, p.mod) for p in plan.params]
        every = [dict(zip((p.name for p in plan.params), v)) for v in itertools.product(*ranges)]
        return [v for v in every if promised(plan, v, has)], True
    near = [candidates(plan, p, rng, most) for p in plan.params]
    if not all(near):
        return [], False
    found, seen = [], set()
    for n in range(tries):
        values = {}
        for p, c in zip(plan.params, near):
            if not solve(plan, values, p):
                values[p.name] = c[min(len(c) - 1, n)] if n < 2 else rng.choice(c)
        key = tuple(values.values())
        if key in seen:
            continue
        seen.add(key)
        try:
            if promised(plan, values, has):
                found.append(values)
        except (Dubious, ZeroDivisionError):
            continue
        if len(found) == count:
            break
    found.sort(key=lambda v: sum(v.values()))
    return found, False
