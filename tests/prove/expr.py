"""Expressions of a plan as small trees: written as .tcp, and as Python for the judges.

Numbers are Python's; '/' is only meant for what is not negative, which the Python text checks where it is not plain to see.
"""


class Dubious(Exception):
    """The plan has no plain meaning for these params: a negative dividend, a divisor of 0, too much to go through."""


class E:
    """A node: 'op' is num, var, cdiv or one of + - * / %."""

    __slots__ = ("op", "a", "b")

    def __init__(self, op, a, b=None):
        self.op, self.a, self.b = op, a, b

    def __add__(self, other):
        return binary("+", self, other)

    def __radd__(self, other):
        return binary("+", other, self)

    def __sub__(self, other):
        return binary("-", self, other)

    def __rsub__(self, other):
        return binary("-", other, self)

    def __mul__(self, other):
        return binary("*", self, other)

    def __rmul__(self, other):
        return binary("*", other, self)

    def __floordiv__(self, other):
        return binary("/", self, other)

    def __mod__(self, other):
        return binary("%", self, other)

    def __repr__(self):
        return tcp(self)


def num(n):
    return E("num", n)


def var(name):
    return E("var", name)


def wrap(x):
    return x if isinstance(x, E) else num(x)


def is_num(e, n=None):
    return e.op == "num" and (n is None or e.a == n)


def binary(op, a, b):
    """'a op b', without what plainly changes nothing."""
    a, b = wrap(a), wrap(b)
    if is_num(a) and is_num(b) and (op in "+-*" or b.a > 0):
        x, y = a.a, b.a
        n = {"+": x + y, "-": x - y, "*": x * y}[op] if op in "+-*" else x // y if op == "/" else x % y
        if n >= 0 and x >= 0:
            return num(n)
    if (op in "+-" and is_num(b, 0)) or (op in "*/" and is_num(b, 1)):
        return a
    if (op == "+" and is_num(a, 0)) or (op == "*" and is_num(a, 1)):
        return b
    if op == "*" and (is_num(a, 0) or is_num(b, 0)) or op == "%" and is_num(b, 1):
        return num(0)
    return E(op, a, b)


def cdiv(a, b):
    a, b = wrap(a), wrap(b)
    if is_num(b, 1):
        return a
    if is_num(a) and is_num(b):
        return num(-(-a.a // b.a))
    return E("cdiv", a, b)


RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}


def tcp(e):
    """The text in a plan."""
    if e.op in ("num", "var"):
        return str(e.a)
    if e.op == "cdiv":
        return f"ceil_div({tcp(e.a)},{tcp(e.b)})"
    left, right = tcp(e.a), tcp(e.b)
    if RANK.get(e.a.op, 3) < RANK[e.op]:
        left = f"({left})"
    if RANK.get(e.b.op, 3) <= RANK[e.op] and not (e.op == "+" and e.b.op in "+-"):
        right = f"({right})"
    return f"{left} {e.op} {right}" if e.op in "+-" else f"{left}{e.op}{right}"


def plain(e):
    """Whether 'e' is plainly not negative when its names are not."""
    if e.op == "num":
        return e.a >= 0
    return e.op == "var" or (e.op != "-" and plain(e.a) and plain(e.b))


PYTHON_NAMES = {"block.x": "bx", "block.y": "by", "block.z": "bz"}


def python(e):
    """The text for Python; names of params and loops are as they are, of blocks 'bx', 'by', 'bz'."""
    if e.op == "num":
        return str(e.a)
    if e.op == "var":
        return PYTHON_NAMES.get(e.a, e.a)
    a, b = python(e.a), python(e.b)
    if e.op == "cdiv":
        return f"(-(-{a}//{b}))" if plain(e.a) and plain(e.b) else f"_cdiv({a},{b})"
    if e.op in "/%":
        if plain(e.a) and plain(e.b):
            return f"({a}{'//' if e.op == '/' else '%'}{b})"
        return f"_{'div' if e.op == '/' else 'mod'}({a},{b})"
    return f"({a}{e.op}{b})"


def _check(a, b):
    if a < 0 or b <= 0:
        raise Dubious("a negative dividend, or a divisor that is not positive")


def _div(a, b):
    _check(a, b)
    return a // b


def _mod(a, b):
    _check(a, b)
    return a % b


def _cdiv(a, b):
    _check(a, b)
    return -(-a // b)


HELPERS = {"_div": _div, "_mod": _mod, "_cdiv": _cdiv}


def value(e, names):
    """The value with 'names' a dict by the Python names."""
    if e.op == "num":
        return e.a
    if e.op == "var":
        return names[PYTHON_NAMES.get(e.a, e.a)]
    a, b = value(e.a, names), value(e.b, names)
    if e.op == "+":
        return a + b
    if e.op == "-":
        return a - b
    if e.op == "*":
        return a * b
    return {"/": _div, "%": _mod, "cdiv": _cdiv}[e.op](a, b)


def names_in(e, into=None):
    """The set of names that occur in 'e'."""
    into = set() if into is None else into
    if e.op == "var":
        into.add(e.a)
    elif e.op != "num":
        names_in(e.a, into)
        names_in(e.b, into)
    return into


def nodes(e):
    """All nodes of 'e', itself first."""
    yield e
    if e.op not in ("num", "var"):
        yield from nodes(e.a)
        yield from nodes(e.b)


def replaced(e, old, new):
    """'e' with the node 'old', this very object, replaced by 'new'."""
    if e is old:
        return new
    if e.op in ("num", "var"):
        return e
    a, b = replaced(e.a, old, new), replaced(e.b, old, new)
    if a is e.a and b is e.b:
        return e
    return cdiv(a, b) if e.op == "cdiv" else binary(e.op, a, b)


def substituted(e, name, new):
    """'e' with the variable 'name' replaced by the expression 'new'."""
    if e.op == "var":
        return new if e.a == name else e
    if e.op == "num":
        return e
    a, b = substituted(e.a, name, new), substituted(e.b, name, new)
    if a is e.a and b is e.b:
        return e
    return cdiv(a, b) if e.op == "cdiv" else binary(e.op, a, b)
