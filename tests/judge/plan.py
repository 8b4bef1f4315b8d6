"""A plan's declarations and the values of its expressions, with a number for each param."""
from parse import parse
from tiled import Atom, TiledCopy, from_atoms, from_map, from_threads, from_tv
from view import (WILD, Breach, Buffer, Leaf, Tup, Unsupported, View, as_layout, composed, extent, factored, items_of, leaves,
                  number, plain, shape_of, sliced, split, tiles)

BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f16": 16, "bf16": 16, "f32": 32,
        "f64": 64, "f8e4m3": 8, "f8e5m2": 8, "b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128}
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

    def on_name(self, e):
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
                part = composed(View(a.buf, a.base, (mode,)), as_layout(entry))
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
            return Atom("cp_async", 8 * self.integer(args[0][1]))
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


def as_view(value):
    return value if isinstance(value, View) else as_layout(value)


def positional(values, args):
    if any(key for key, _ in args):
        raise Unsupported("an argument by name")
    return [values.value(part) for _, part in args]


def call_local_tile(values, args):
    view, tiler, at = positional(values, args)
    cut, rest = tiles(view, values.tile_extents(tiler, view))
    where = values.by_mode(at, view)
    if len(where) != len(rest):
        raise Breach("a tile coordinate of another rank")
    kept = sliced(view.like(rest, view.names), where)
    return kept.like(tuple(cut) + kept.modes, view.names + kept.names)


def call_local_partition(values, args):
    view, threads, index = positional(values, args)
    threads, index = as_layout(threads), number(index)
    cut, rest = tiles(view, list(threads.extents()))
    places = {v: i for i, v in enumerate(_table(threads))}
    if index not in places:
        raise Unsupported("a thread that the partition does not have")
    index, base = places[index], view.base
    for mode in cut:
        n = extent(mode)
        base = View(view.buf, base, (mode,)).at(index % n)
        index //= n
    return view.like(rest, view.names, base)


def _table(layout):
    return layout.columns()[0]


def divide(form):
    def call(values, args):
        view, tiler = positional(values, args)
        view = as_view(view)
        whole = isinstance(tiler, int) or isinstance(tiler, View)
        if whole:
            n = number(tiler) if isinstance(tiler, int) else tiler.size()
            if isinstance(tiler, View) and [leaf.v for leaf in tiler.leaves()] != [(1,)]:
                raise Unsupported("a tiler with strides")
            return view.like(split(view.modes if len(view.modes) > 1 else view.modes[0], n))
        cut, rest = tiles(view, values.tile_extents(tiler, view))
        if form == "logical":
            return view.like(list(zip(cut, rest)), view.names)
        if form == "zipped":
            return view.like((tuple(cut), tuple(rest)))
        if form == "tiled":
            return view.like([tuple(cut)] + rest, (None, *view.names))
        return view.like(cut + rest, view.names + (None,) * len(rest))
    return call


def call_select(values, args):
    view, which = positional(values, args)
    view, which = as_view(view), [number(i) for i in items_of(which)]
    if any(i < 0 or i >= len(view.modes) for i in which):
        raise Breach("a mode that is not there")
    if len(set(which)) < len(which):
        raise Unsupported("a mode that is selected twice")
    return view.like([view.modes[i] for i in which], [view.names[i] for i in which])


def call_take(values, args):
    view, first, end = positional(values, args)
    view, first, end = as_view(view), number(first), number(end)
    return view.like(view.modes[first:end], view.names[first:end])


def call_group(values, args):
    view, first, end = positional(values, args)
    view, first, end = as_view(view), number(first), number(end)
    return view.like(view.modes[:first] + (view.modes[first:end],) + view.modes[end:])


def call_flatten(values, args):
    view = as_view(positional(values, args)[0])
    modes, names = [], []
    for mode, name in zip(view.modes, view.names):
        flat = leaves(mode)
        modes += flat
        names += [name] if len(flat) == 1 else [None] * len(flat)
    return view.like(modes, names)


def call_append(values, args):
    view, extra = positional(values, args)
    view, extra = as_view(view), as_layout(extra)
    if len(extra.modes) != 1 or any(leaf.v[0] for leaf in extra.leaves()):
        raise Unsupported("'append' of this")
    zero = Leaf(extra.size(), (0,) * len(view.base))
    return view.like(view.modes + (zero,), view.names + (None,))


def call_with_shape(values, args):
    view, shape = positional(values, args)[0], Tup([values.value(part) for _, part in args[1:]])
    shape = shape.items[0] if len(shape) == 1 else shape
    view = as_view(view)
    if as_layout(shape).size() != view.size():
        raise Breach("'with_shape' of another size")
    return composed(view, plain(shape))


def shape_of_args(values, args):
    """The shape that "row" and its like are given, as a tuple or as arguments."""
    shape = Tup([values.value(part) for _, part in args], [key for key, _ in args])
    return shape.items[0] if len(shape) == 1 and isinstance(shape.items[0], Tup) else shape


def call_make_layout(values, args):
    given = positional(values, args)
    if len(given) == 2 and given[1] in ("LayoutLeft", "LayoutRight"):
        return plain(given[0], row=given[1] == "LayoutRight")
    if any(isinstance(g, View) for g in given):
        parts = [as_layout(g) for g in given]
        return View(None, (sum(p.base[0] for p in parts),), [p.modes if len(p.modes) > 1 else p.modes[0] for p in parts])
    return plain(*given)


def call_tile_to_shape(values, args):
    given = positional(values, args)
    block, shape = as_layout(given[0]), given[1]
    if len(given) > 2:
        raise Unsupported("an order of tiles")
    want = [number(n) for n in items_of(shape)]
    have, step = block.extents(), block.size()
    if max(_table(block)) - block.base[0] + 1 != step:
        raise Unsupported("'tile_to_shape' of a layout with gaps")
    modes = []
    for mode, n, whole in zip(block.modes, have, want):
        if whole % n:
            raise Breach("a shape that the layout does not divide")
        modes.append((mode, Leaf(whole // n, (step,))))
        step *= whole // n
    return View(None, block.base, modes, shape.names if isinstance(shape, Tup) else None, block.sw)


def call_ceil_div(values, args):
    a, b = positional(values, args)
    b = number(b)
    if b <= 0:
        raise Unsupported("a division by what is not positive")
    return -(-number(a) // b)


def call_size(values, args):
    of = as_view(values.value(args[0][1]))
    return of.size() if len(args) == 1 else extent(of.modes[values.integer(args[1][1])])


def atom(kind):
    def call(values, args):
        given = [part for key, part in args if key is None]
        bits = values.integer(given[0])
        element = given[1][1] if len(given) > 1 else None
        return Atom(kind, bits, element)
    return call


def call_tile(values, args):
    keys = dict((key, part) for key, part in args if key)
    made = values.value(next(part for key, part in args if key is None))
    tile = values.value(keys["tile"]) if "tile" in keys else None
    if "map" in keys:
        return from_map(made, keys["map"][1], keys["map"][2], tile, in_map(values))
    if "tv" in keys:
        return from_tv(made, values.value(keys["tv"]), tile)
    thr = as_layout(values.value(keys["thr"]))
    if "atoms" in keys:
        along = values.integer(keys["along"])
        return from_atoms(made, thr, as_layout(values.value(keys["atoms"])), along, BITS)
    val = as_layout(values.value(keys["val"])) if "val" in keys else plain(1)
    return from_threads(made, thr, val)


def in_map(values):
    def evaluate(expr, names):
        values.scopes.append(names)
        try:
            return values.value(expr)
        finally:
            values.scopes.pop()
    return evaluate


def partition(values, args):
    """A thread's part: its values, then what counts the tiles of each mode."""
    tiled, view = positional(values, args)
    if not isinstance(tiled, TiledCopy):
        raise Breach("a partition by what is no tiled copy")
    if len(tiled.tile) != len(view.modes):
        raise Unsupported("a tile of another rank than the view")
    cut, rest = tiles(view, list(tiled.tile))
    thread = values.lookup("tid")
    if thread >= tiled.threads:
        return None
    tile, points = view.like(cut), []
    scale = [1]
    for n in tiled.tile:
        scale.append(scale[-1] * n)
    cols = list(zip(*tile.columns()))
    for c in tiled.coords[thread]:
        points.append(cols[sum(x * s for x, s in zip(c, scale))])
    mine = factored(points)
    return View(view.buf, points[0], [mine] + rest, (None, *view.names))


CALLS = {
    "local_tile": call_local_tile, "local_partition": call_local_partition, "logical_divide": divide("logical"),
    "zipped_divide": divide("zipped"), "tiled_divide": divide("tiled"), "flat_divide": divide("flat"), "select": call_select,
    "take": call_take, "group_modes": call_group, "flatten": call_flatten, "append": call_append, "with_shape": call_with_shape,
    "composition": lambda values, args: values.compose(*positional(values, args)),
    "make_layout": call_make_layout, "tile_to_shape": call_tile_to_shape, "ceil_div": call_ceil_div, "size": call_size,
    "row": lambda values, args: plain(shape_of_args(values, args), row=True),
    "col": lambda values, args: plain(shape_of_args(values, args)),
    "universal": atom("universal"), "auto": atom("auto"), "tile": call_tile,
    "partition_src": partition, "partition_dst": partition,
}
