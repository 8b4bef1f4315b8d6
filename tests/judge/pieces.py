"""What random plans are made of: types, layouts, tiled copies, and how tiles are counted."""
import random
from math import prod

from plan import BITS

NUMBERS = [t for t in BITS if t[0] != "b" or t == "bf16"]
RAW = [t for t in BITS if t[0] == "b" and t != "bf16"]
BY_WIDTH = {w: [t for t in BITS if BITS[t] == w] for w in (8, 16, 32, 64, 128)}


def tup(items):
    return "(" + ",".join(str(i) for i in items) + ")"


def named(items, letters):
    """A tuple, by names where there are "letters"."""
    return tup(items if letters is None else [f"{a}={i}" for a, i in zip(letters, items)])


class Chance(random.Random):
    """Random choices by the names that the generator uses."""

    def percent(self, n):
        return self.random() * 100 < n

    def divisor(self, n, most=None):
        return self.choice([d for d in range(1, n + 1) if n % d == 0 and (most is None or d <= most)])

    def order(self, n):
        out = list(range(n))
        self.shuffle(out)
        return out


def compact_strides(extents, order):
    """Strides of a compact layout in which mode order[0] is fastest; extents may be texts."""
    out, step = [None] * len(extents), "1"
    for m in order:
        out[m] = step
        step = times(step, extents[m])
    return out


def times(a, b):
    """The text of a product."""
    if str(a).isdigit() and str(b).isdigit():
        return str(int(a) * int(b))
    if str(a) == "1":
        return str(b)
    return f"{wrap(a)}*{wrap(b)}"


def wrap(a):
    text = str(a)
    return text if text.replace("_", "a").isalnum() or text.endswith(")") and text.startswith("ceil_div(") else f"({text})"


class Axis:
    """A mode of what is copied: its extent (a text), the tile, and how many tiles there are (a text).

    "whole" says that the tile divides the extent; "static" is the extent as a number, or None.
    """

    def __init__(self, extent, tile, count, whole, static):
        self.extent, self.tile, self.count, self.whole, self.static = extent, tile, count, whole, static


def draw_tile(r, rank, most):
    """The extents of a tile of at most "most" elements."""
    while True:
        sizes = [1, 2, 3, 4, 4, 5, 6, 8, 8, 8, 12, 16, 16, 16, 24, 32, 32, 64]
        tile = [r.choice(sizes) for _ in range(rank)]
        if 2 <= prod(tile) <= most:
            return tile


def draw_axis(r, params, tries, name, tile, static, narrow=False):
    """An extent for the tile: a number, or a param with its promises, which go to "params" and "tries"."""
    few = [1, 1, 2] if narrow else [1, 1, 2, 2, 3]
    if static:
        tail = 0 if r.percent(50) or tile == 1 else r.randint(1, tile - 1)
        n = max(1, tile * r.choice(few) - tail)
        return Axis(str(n), tile, str(-(-n // tile)), n % tile == 0, n)
    multiple = r.choice([1, 1, 1, tile, tile, r.divisor(tile), r.divisor(tile), 2])
    text = f"param {name} : index" + (f" % {multiple}" if multiple > 1 else "")
    if r.percent(40):
        text += f" in {r.choice([0, 0, 1, multiple])} .. {r.choice([100, 1000, 65536, 100000])}"
    params.append(text + ";")
    tries[name] = sorted({0, 1, multiple, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 2 * tile - 1, 2 * tile - 2, 3, tile // 2,
                          2 * tile + tile // 2, 3 * tile - 1})
    whole = multiple % tile == 0
    count = f"{name}/{tile}" if whole and r.percent(70) else f"ceil_div({name},{tile})"
    if tile == 1:
        count = name
    return Axis(name, tile, count, whole, None)


def global_layout(r, axes, params, tries, suffix, source, letters=None):
    """A layout of a global tensor over the extents of "axes": its text, and the mode that is contiguous, or None."""
    extents, rank = [a.extent for a in axes], len(axes)
    order = r.choice([list(range(rank)), list(reversed(range(rank))), list(reversed(range(rank))), r.order(rank)])
    static = all(a.static is not None for a in axes)
    shape = named(extents, letters)
    kind = r.random()
    if kind < 0.35 or rank == 1 and kind < 0.8:
        if order == list(range(rank)):
            return shape, 0
        if order == list(reversed(range(rank))):
            return "row" + shape, rank - 1
        return f"{shape}:{tup(compact_strides(extents, order))}", order[0]
    if static:
        strides, step, contiguous = [0] * rank, 1, order[0]
        if r.percent(12):
            step, contiguous = r.choice([2, 3]), None
        for m in order:
            strides[m] = step
            step *= axes[m].static
            step += r.choice([0, 0, 1, 3, 4, 8, -step % 8, -step % 16])
        if source and r.percent(5):
            strides[r.randrange(rank)] = 0
            contiguous = None
        text = f"{shape}:{tup(strides)}"
        if kind > 0.85 and all(strides):
            bits = r.choice([1, 2, 3])
            text = f"Sw<{bits},{r.choice([0, 1, 2, 3])},{r.choice([bits, bits, 3, 4])}> o {r.choice([0, 0, 0, 8])} o {text}"
        return text, contiguous
    # a run-time stride for the slowest mode, or for the second
    if rank == 1:
        return shape, 0
    lead = order[0]
    leading = f"ld{suffix}"
    multiple = r.choice([1, 1, 2, 4, 8, 8, 16])
    params.append(f"param {leading} : index" + (f" % {multiple}" if multiple > 1 else "") + f" where {leading} >= {extents[lead]};")
    tries[leading] = [1, 5, 8, 16, 17, 24, 32, 33, 40, 64]
    strides = [None] * rank
    strides[lead], step = "1", leading
    for m in order[1:]:
        strides[m] = step
        step = times(step, extents[m])
    return f"{shape}:{tup(strides)}", lead


def shared_layout(r, tile, letters=None):
    """A layout of a shared buffer over a tile of numbers: its text, and the mode that is contiguous."""
    rank = len(tile)
    order = r.choice([list(range(rank)), list(reversed(range(rank))), list(reversed(range(rank))), r.order(rank)])
    kind = r.random()
    if letters is None and r.percent(8):  # a block, over and over
        block = [r.divisor(n) for n in tile]
        text = f"{tup(block)}:{tup(compact_strides(block, order))}"
        if prod(block) >= 16 and prod(block) & (prod(block) - 1) == 0 and r.percent(60):
            text = f"Sw<{r.choice([1, 2])},0,{r.choice([2, prod(block).bit_length() - 3])}> o 0 o {text}"
        return f"tile_to_shape({text}, {tup(tile)})", order[0]
    if kind < 0.3:
        if order == list(range(rank)):
            return named(tile, letters), 0
        if order == list(reversed(range(rank))):
            return "row" + named(tile, letters), rank - 1
    strides, step = [0] * rank, 1
    for m in order:
        strides[m] = step
        step *= tile[m]
        if kind > 0.5:
            step += r.choice([0, 1, 1, 2, 4, 8])
    text = f"{named(tile, letters)}:{tup(strides)}"
    if kind < 0.5 and step & (step - 1) == 0 and step >= 4:
        top = step.bit_length() - 1
        bits = r.randint(1, min(3, top // 2))
        base = r.randint(0, min(3, top - 2 * bits))
        return f"Sw<{bits},{base},{r.randint(bits, max(bits, top - base - bits))}> o 0 o {text}", order[0]
    return text, order[0]


class Tiling:
    """A tiled copy: its text without the atom, "thr" and "val" along each mode, and how many values follow one another."""

    def __init__(self, text, thr, val, run):
        self.text, self.thr, self.val, self.run = text, thr, val, run
        self.threads, self.values = prod(thr), prod(val)
        self.tile = [a * b for a, b in zip(thr, val)]

    def layout(self):
        """The layout of (thread, value) in the tile, threads and values counted with the first mode fastest."""
        column = compact_strides(self.tile, range(len(self.tile)))
        strides = [int(v) * int(c) for v, c in zip(self.val, column)]
        return f"({tup(self.thr)},{tup(self.val)}):({tup(strides)},{tup(column)})"

    def fits(self, tile):
        return all(n % t == 0 for n, t in zip(tile, self.tile))

    def rounds(self, tile):
        return prod(-(-n // t) for n, t in zip(tile, self.tile))


def draw_tiling(r, tile, most_threads, along=None, dividing=True, across=None):
    """Shares a tile out: thr times val, in rounds; along modes "along" and "across" a thread has several elements where it can."""
    rank = len(tile)
    thr, val = [1] * rank, [1] * rank
    left = most_threads
    for m in r.order(rank) if along is None or r.percent(20) else [along] + [m for m in r.order(rank) if m != along]:
        n = tile[m]
        if not dividing and r.percent(30):
            n = r.choice([n + 1, n + 2, 2 * n, max(1, n - 1)])
        val[m] = r.divisor(n, 8) if m == along and r.percent(80) else r.divisor(n, 2) if r.percent(25) else 1
        if m == along and r.percent(60) or m == across:
            val[m] = max(d for d in (1, 2, 4, 8, 16) if n % d == 0 and (d <= 8 or across is not None))
        options = [d for d in range(1, n // val[m] + 1) if (n // val[m]) % d == 0 and d <= left]
        thr[m] = options[-1] if r.percent(60) else r.choice(options)
        left //= thr[m]
    torder, vorder = r.order(rank), [along] + [m for m in r.order(rank) if m != along] if along is not None else r.order(rank)
    fills = [a * b for a, b in zip(thr, val)]
    run = val[along] if along is not None and vorder[0] == along else 1
    threads, values = prod(thr), prod(val)
    form = r.random()
    if form < 0.7:
        ts, vs = compact_strides(thr, torder), compact_strides(val, vorder)
        text = f"thr={tup(thr)}" + ("" if torder == sorted(torder) else f":{tup(ts)}")
        if values > 1 or r.percent(70):
            text += f", val={tup(val)}" + ("" if vorder == sorted(vorder) else f":{tup(vs)}")
        return Tiling(text, thr, val, run)
    if form < 0.85:
        column = compact_strides(fills, range(rank))
        t = [(thr[m], val[m] * int(column[m])) for m in torder]
        v = [(val[m], int(column[m])) for m in vorder]
        text = (f"tv=({tup(n for n, _ in t)},{tup(n for n, _ in v)}):({tup(s for _, s in t)},{tup(s for _, s in v)}), "
                f"tile={tup(fills)}")
        return Tiling(text, thr, val, run)
    parts = [None] * rank
    for m in range(rank):
        parts[m] = []
    step = 1
    for m in torder:
        if thr[m] > 1:
            digit = "t" if step == 1 else f"t / {step}"
            digit = f"{digit} % {thr[m]}" if step * thr[m] < threads else digit
            parts[m].append(digit if val[m] == 1 else f"({digit}) * {val[m]}")
        step *= thr[m]
    step = 1
    for m in vorder:
        if val[m] > 1:
            digit = "v" if step == 1 else f"v / {step}"
            parts[m].append(f"{digit} % {val[m]}" if step * val[m] < values else digit)
        step *= val[m]
    where = [" + ".join(p) if p else "0" for p in parts]
    return Tiling(f"map=(t:{threads}, v:{values}) -> {tup(where)}, tile={tup(fills)}", thr, val, run)
