"""The functions of expressions, each by its name: "call(values, args)" with the Values of plan.py and the arguments unread."""
from mma import Mma, Operand, tiled_like
from parts import composed, factored, sliced, split, tiles
from tiled import Atom, TiledCopy, from_atoms, from_map, from_threads, from_tv
from view import WILD, Breach, Leaf, Tup, Unsupported, View, as_layout, extent, items_of, leaves, number, plain

BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f16": 16, "bf16": 16, "f32": 32,
        "f64": 64, "f8e4m3": 8, "f8e5m2": 8, "b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128}


def as_view(value):
    return value if isinstance(value, View) else as_layout(value)


def positional(values, args):
    if any(key for key, _ in args):
        raise Unsupported("an argument by name")
    return [values.value(part) for _, part in args]


def call_local_tile(values, args):
    view, tiler, at, *projection = positional(values, args)
    if projection:  # the modes of the tiler and of the coordinate that it keeps
        kept = [part is not WILD for part in items_of(projection[0])]
        parts = tiler[1] if isinstance(tiler, tuple) else items_of(tiler)
        tiler, at = (Tup([part for part, keep in zip(of, kept) if keep]) for of in (parts, items_of(at)))
    cut, rest = tiles(view, values.tile_extents(tiler, view))
    where = values.by_mode(at, view)
    if len(where) != len(rest):
        raise Breach("a tile coordinate of another rank")
    kept = sliced(view.like(rest, view.names), where)
    return kept.like(tuple(cut) + kept.modes, view.names + kept.names)


def call_local_partition(values, args):
    view, threads, index, *projection = positional(values, args)
    threads, index = as_layout(threads), number(index)
    extents = list(threads.extents())
    kept = [part is not WILD for part in items_of(projection[0])] if projection else [True] * len(extents)
    cut, rest = tiles(view, [n for n, keep in zip(extents, kept) if keep])
    places = {v: i for i, v in enumerate(_table(threads))}
    if index not in places:
        raise Unsupported("a thread that the partition does not have")
    index, base = places[index], view.base
    cut = iter(cut)
    for n, keep in zip(extents, kept):
        if keep:
            base = View(view.buf, base, (next(cut),)).at(index % n)
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
            kept = [n is None for n in values.tile_extents(tiler, view)]
            return view.like([a if keep else (a, b) for a, b, keep in zip(cut, rest, kept)], view.names)
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
    if not step or len(want) != len(have):
        raise Breach("'tile_to_shape' of no element, or to another rank")
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


# By kind, of which an access has one word at most.
HINTS = (("nc",), ("cg", "cs", "L1.no_allocate", "L1.evict_first", "L1.evict_last", "L1.evict_unchanged"), ("L2.evict_first", "L2.evict_last"))


def hints_of(key, part, asynchronous):
    """The words behind "ld=" or "st=", in PTX's order."""
    text, words = ".".join(words_of(part)), []
    while text:
        word = next((w for kind in HINTS for w in kind if (text + ".").startswith(w + ".")), None)
        if word is None or key == "st" and word == "nc" or asynchronous and (key == "st" or not word.startswith("L2")):
            raise Breach(f"no hint {text}")
        words, text = words + [word], text[len(word) + 1:]
    if any(sum(w in kind for w in words) > 1 for kind in HINTS):
        raise Breach("two hints of a kind")
    return words


def all_hints(values, args, asynchronous):
    """The hints among the arguments of an atom, by key."""
    hints = {key: hints_of(key, part, asynchronous) for key, part in args if key in ("ld", "st")}
    for key, part in args:
        if key == "l2":
            hints[key] = values.integer(part)
            if hints[key] not in (64, 128, 256):
                raise Breach("no such bytes of the L2 cache")
    return hints


def atom(kind):
    def call(values, args):
        given = [part for key, part in args if key is None]
        bits = values.integer(given[0])
        element = given[1][1] if len(given) > 1 else None
        if bits not in (8, 16, 32, 64, 128):
            raise Breach("an access of so many bits")
        return Atom(kind, bits, element, all_hints(values, args, False))
    return call


def call_tile(values, args):
    keys = dict((key, part) for key, part in args if key)
    made = values.value(next(part for key, part in args if key is None))
    tile = values.value(keys["tile"]) if "tile" in keys else None
    if "like" in keys:
        return tiled_like(made, values.value(keys["like"]))
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


def words_of(e):
    """The words of a name with dots."""
    return words_of(e[1]) + [e[2]] if e[0] == "member" else [e[1]]


def call_mma(values, args):
    keys = dict((key, part) for key, part in args if key)
    three = {key: tuple(number(n) for n in items_of(values.value(keys[key]))) if key in keys else None for key in ("warps", "tile")}
    return Mma(words_of(args[0][1]), three["warps"] or (1, 1, 1), three["tile"])


def operand(which):
    return lambda values, args: Operand(values.value(args[0][1]), which)


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
    part = View(view.buf, points[0], [mine] + rest, (None, *view.names), end=view.end)
    part.whole = view
    return part


CALLS = {
    "local_tile": call_local_tile, "local_partition": call_local_partition, "logical_divide": divide("logical"),
    "zipped_divide": divide("zipped"), "tiled_divide": divide("tiled"), "flat_divide": divide("flat"), "select": call_select,
    "take": call_take, "group_modes": call_group, "flatten": call_flatten, "append": call_append, "with_shape": call_with_shape,
    "composition": lambda values, args: values.compose(*positional(values, args)),
    "make_layout": call_make_layout, "tile_to_shape": call_tile_to_shape, "ceil_div": call_ceil_div, "size": call_size,
    "row": lambda values, args: plain(shape_of_args(values, args), row=True),
    "col": lambda values, args: plain(shape_of_args(values, args)),
    "universal": atom("universal"), "auto": atom("auto"), "tile": call_tile,
    "mma": call_mma, "operand_A": operand("A"), "operand_B": operand("B"), "operand_C": operand("C"),
    "partition_src": partition, "partition_dst": partition,
}
