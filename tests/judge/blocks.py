"""The rules of copies by "bulk", "tma.load", "bulk.store", "tma.store" and their reductions.

All move whole pieces of 16 bytes for the block, not for a thread. The rules are those of docs/errors/bulk.md, tma.md and
tma-store.md, looked at for one choice of the params and one copy at a time, on offsets and coordinates alone.
"""
from maps import check_map
from view import Breach

PIECE = 16  # bytes
JOINED = {"add": ("u32", "s32", "u64", "f16", "bf16", "f32", "f64"), "min": ("u32", "s32", "u64", "s64", "f16", "bf16"),
          "max": ("u32", "s32", "u64", "s64", "f16", "bf16")}


class Block:
    """A way to copy that no thread shares. "joins": how a reduction joins what it brings with what is there, or None."""

    NAMES = ("bulk", "tma.load", "bulk.store", "tma.store", *(f"{kind}.reduce.{how}" for kind in ("bulk", "tma") for how in JOINED))

    def __init__(self, name):
        self.name = name
        self.joins = name.rsplit(".", 1)[1] if "reduce" in name else None
        self.stores = "store" in name or self.joins is not None
        self.boxes = name.startswith("tma")


def check_block(how, width, src, dst, judged, places, pad):
    """The rules for a copy whose elements of "width" bytes come from and go to "places", None where they are outside."""
    name = how.name
    mem, buf = (dst, src) if how.stores else (src, dst)
    if mem.buf.space != "global" or buf.buf.space != "shared":
        raise Breach(f"'{name}' goes between global and shared memory, the one way")
    if src.buf.element != dst.buf.element:
        raise Breach(f"'{name}' converts nothing")
    if not how.stores and mem.buf in judged.writable:
        raise Breach(f"'{name}' reads what the kernel writes")
    if (mem.buf.align or width) % PIECE:
        raise Breach(f"'{name}' and a tensor that is not aligned to 16 bytes")
    if how.joins and (mem.buf.element not in JOINED[how.joins] or mem.buf not in judged.readable):
        raise Breach(f"'{name}' joins what it has no type for, or what is not 'inout'")
    outside = any(a is None for a, b in places if b is not None)
    if how.boxes and pad not in (None, 0) or how.boxes and not how.stores and outside and pad is None:
        raise Breach("beyond a tensor 'tma.load' writes zeros")
    if not how.boxes and pad is not None and outside:
        raise Breach("'bulk' fills nothing")
    if how.boxes:
        check_map(name, width, mem, buf, judged.boxes)
        if how.stores:
            check_tails(name, width, places)
    else:
        check_pieces(name, width, places, how.stores)


def check_tails(name, width, places):
    """A store writes each 16 bytes of a box wholly or not at all: what is beyond a row's end is overwritten."""
    each, pieces = PIECE // width, {}
    for a, b in places:
        pieces.setdefault(a // each, set()).add(b is None)
    if any(len(kinds) == 2 for kinds in pieces.values()):
        raise Breach(f"'{name}' writes beyond the end of a row")


def check_pieces(name, width, places, stores):
    """Whether what is written to each 16 bytes comes from 16 bytes."""
    each, pieces = PIECE // width, {}
    for a, b in places:
        if b is not None and a is not None:
            pieces.setdefault(b // each, {})[b % each] = a
    for at in pieces.values():
        if len(at) != each:
            raise Breach(f"'{name}' writes less than 16 bytes")
        first = {a - i for i, a in at.items()}
        if len(first) > 1 or first.pop() * width % PIECE:
            raise Breach(f"16 bytes of '{name}' are not together, or begin between two multiples of 16 bytes")
