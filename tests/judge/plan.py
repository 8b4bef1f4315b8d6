"""A plan's declarations and the values of its expressions, with a number for each param."""
from blocks import Block
from calls import BITS, CALLS, all_hints, words_of
from mma import Matrices
from parse import parse
from parts import composed, sliced
from tiled import Atom
from view import WILD, Breach, Buffer, Range, Tup, Unsupported, View, as_layout, items_of, number, plain, shape_of

OPERATORS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b,
             "%": lambda a, b: a % b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<=": lambda a, b: a <= b,
             ">=": lambda a, b: a >= b, "<": lambda a, b: a < b, ">": lambda a, b: a > b}
MOST = 1 << 40  # of a param without a range


class CpAsync:
    """What "cp_async.ca" and "cp_async.cg" are before their argument."""


class Let:
    """A name for an expression where it stands: worked out anew wherever the name is used, for who runs then."""

    def __init__(self, expr, scopes):
        self.expr, self.scopes = expr, scopes


class Param:
    def __init__(self, name, multiple, low, high):
        self.name, self.multiple, self.low, self.high = name, multiple, low, high


class Plan:
    """The declarations of one plan."""

    def __init__(self, text):
        self.text, self.decls = text, parse(text)
        self.params, self.where, self.functions = {}, [], {}
        none = Values(self, {})
        for d in self.decls:
            if d["kind"] == "param":
                low, high = (none.integer(d["range"][0]), none.integer(d["range"][1])) if d["range"] else (1, MOST)
                if d["multiple"] < 1:
                    raise Breach("a promise of a multiple of nothing")
                for name in d["names"]:
                    self.params[name] = Param(name, d["multiple"], low, high)
                if d["where"]:
                    self.where.append(d["where"])
            elif d["kind"] == "function":
                self.functions[d["name"]] = d
            elif d["kind"] == "value" and d["value"][0] == "int":
                none.scopes[0][d["name"]] = d["value"][1]

    def keeps(self, params):
        """Whether "params" keep all that the plan promises."""
        for name, value in params.items():
            p = self.params[name]
            if not p.low <= value <= p.high or value % p.multiple:
                return False
        values = Values(self, params)
        return all(values.value(w) for w in self.where)


class Values:
    """The meaning of expressions, for one choice of the params."""

    def __init__(self, plan, params):
        self.plan, self.scopes = plan, [dict(params)]
        self.tensors = {}
        self.thread = {}  # tid, lane and warp of who runs

    def declare(self):
        """Works out all declarations, in the order in which they stand."""
        for d in self.plan.decls:
            if d["kind"] == "value":
                self.scopes[0][d["name"]] = self.value(d["value"])
            elif d["kind"] == "tensor":
                self.tensor(d["name"], d["type"])

    def tensor(self, name, kind):
        """Declares the tensor "name"; the view of the whole of it is its value."""
        layout = self.layout_of(kind)
        if kind["type"] not in BITS:
            raise Unsupported(f"the type {kind['type']}")
        if kind["align"] is not None and (kind["align"] & kind["align"] - 1 or 8 * kind["align"] < BITS[kind["type"]]):
            raise Breach("an alignment that is no power of two, or less than an element's")
        buf = Buffer(name, kind["type"], kind["space"], layout, kind["align"])
        self.tensors[name] = buf
        self.scopes[0][name] = buf.view(layout)
        return buf

    def layout_of(self, kind):
        if kind["like"] is None:
            return as_layout(self.value(kind["shape"]))
        like = self.value(kind["like"])
        if isinstance(like, View):
            return plain(Tup([shape_of(mode) for mode in like.modes]))
        raise Unsupported("'like' of this")

    # -- expressions ---------------------------------------------------------------------------------------------------------

    def integer(self, expr):
        return number(self.value(expr))

    def lookup(self, name, scopes=None):
        for scope in reversed(self.scopes if scopes is None else scopes):
            if name in scope:
                return scope[name]
        if name in self.thread:
            return self.thread[name]
        raise Unsupported(f"the name {name!r}")

    def value(self, e):
        return getattr(self, "on_" + e[0])(e)

    def on_int(self, e):
        return e[1]

    on_float = on_int

    def on_wild(self, _):
        return WILD

    def on_range(self, e):
        return Range(self.integer(e[1]), self.integer(e[2]))

    def on_name(self, e):
        if e[1] in Block.NAMES and not any(e[1] in scope for scope in self.scopes):
            return Block(e[1])
        found = self.lookup(e[1])
        if not isinstance(found, Let):
            return found
        mine, self.scopes = self.scopes, found.scopes
        try:
            return self.value(found.expr)
        finally:
            self.scopes = mine

    def on_tuple(self, e):
        return Tup([self.value(part) for _, part in e[1]], [key for key, _ in e[1]])

    def on_neg(self, e):
        value = self.value(e[1])
        return -value if isinstance(value, (int, float)) else -number(value)

    def on_member(self, e):
        if e[1] == ("name", "cp_async"):
            return CpAsync
        if ".".join(words_of(e)) in Block.NAMES:
            return Block(".".join(words_of(e)))
        if e[1] in (("name", "ldmatrix"), ("name", "stmatrix")):
            return Matrices(e[1][1], int(e[2][1:]), False)
        if e[2] == "trans" and isinstance(self.value(e[1]), Matrices):
            atom = self.value(e[1])
            return Matrices(atom.name, atom.count, True)
        if e[1] == ("name", "block"):
            return self.lookup("block." + e[2])
        raise Unsupported(f"'.{e[2]}'")

    def on_layout(self, e):
        shape, stride = self.value(e[1]), self.value(e[2])
        return plain(shape, stride)

    def on_tiler(self, e):
        return ("tiler", [self.value(part) for part in e[1]])

    def on_swizzle(self, e):
        return ("swizzle", tuple(self.integer(part) for part in e[1:]))

    def on_bin(self, e):
        op = e[1]
        a, b = self.value(e[2]), self.value(e[3])
        if op == "o":
            return self.compose(a, b)
        a, b = number(a), number(b)
        if op in "/%" and b <= 0:
            raise Unsupported("a division by what is not positive")
        return OPERATORS[op](a, b)

    def compose(self, a, b):
        if isinstance(a, tuple) and a[0] == "swizzle":
            if isinstance(b, int):
                return ("shifted", a[1], b)
            b = as_layout(b)
            return View(None, b.base, b.modes, b.names, b.sw + (a[1],))
        if isinstance(a, tuple) and a[0] == "shifted":
            b = as_layout(b)
            return View(None, (b.base[0] + a[2],), b.modes, b.names, b.sw + (a[1],))
        a = as_layout(a)
        if isinstance(b, tuple) and b[0] == "tiler" or isinstance(b, Tup):
            entries = b[1] if isinstance(b, tuple) else b.items
            if len(entries) > len(a.modes):
                raise Breach("a tiler of more modes than the view")
            entries = entries + [WILD] * (len(a.modes) - len(entries))
            base, modes = a.base, []
            for mode, entry in zip(a.modes, entries):
                if entry is WILD:
                    modes.append(mode)
                    continue
                part = composed(View(a.buf, a.base, (mode,), end=a.end), as_layout(entry))
                base = tuple(x + y - z for x, y, z in zip(base, part.base, a.base))
                modes.append(part.modes if len(part.modes) > 1 else part.modes[0])
            return a.like(modes, a.names, base)
        return composed(a, as_layout(b))

    # -- calls ---------------------------------------------------------------------------------------------------------------

    def on_call(self, e):
        f, args = e[1], e[2]
        if f[0] == "name" and f[1] in CALLS and not any(f[1] in scope for scope in self.scopes):
            return CALLS[f[1]](self, args)
        of = self.value(f)
        while isinstance(of, Tup) and len(of) == 1:
            of = of.items[0]
        if of is CpAsync:
            return Atom("cp_async", 8 * self.integer(args[0][1]), None, all_hints(self, args, True))
        if isinstance(of, Matrices):
            return Matrices(of.name, of.count, of.trans, args[0][1][1])
        if of is None:  # the part of a thread that has none
            return None
        if not isinstance(of, View):
            raise Unsupported("a call of this")
        return sliced(of, self.coordinates(args, of))

    def coordinates(self, args, view):
        """The coordinate of each mode: by position, or by name, where what is left out stays."""
        if args and all(key for key, _ in args):
            given = {key: self.value(part) for key, part in args}
            if set(given) - set(view.names):
                raise Breach("a coordinate of a mode that is not there")
            return [given.get(name, WILD) for name in view.names]
        return [self.value(part) for _, part in args]

    def by_mode(self, value, view):
        """The items of a tiler or a coordinate for the modes of "view"."""
        if isinstance(value, tuple) and value[0] == "tiler":
            items = value[1]
        elif isinstance(value, Tup) and value.names and all(value.names):
            given = dict(zip(value.names, value.items))
            if set(given) - set(view.names):
                raise Breach("a mode that is not there")
            items = [given.get(name, WILD) for name in view.names]
        else:
            items = items_of(value)
        return list(items) + [WILD] * (len(view.modes) - len(items))

    def tile_extents(self, value, view):
        out = []
        for item in self.by_mode(value, view):
            if item is WILD:
                out.append(None)
            elif isinstance(item, View):
                if item.buf or [leaf.v for leaf in item.leaves()] != [(1,)]:
                    raise Unsupported("a tiler with strides")
                out.append(item.size())
            else:
                out.append(number(item))
        return out
