"""The rules of copies by "bulk" and "tma.load".

Both move whole pieces of 16 bytes for the block, not for a thread. The rules are those of docs/errors/bulk.md and tma.md, looked at for
one choice of the params and one copy at a time, on the offsets alone: nothing here knows of boxes, maps or phases.
"""
from view import Breach, Unsupported

PIECE = 16  # bytes


class Block:
    """What "bulk" and "tma.load" are: a way to copy that no thread shares."""

    def __init__(self, name):
        self.name = name


def check_block(name, width, src, dst, writable, places, pad, checked):
    """The rules for a copy whose elements of "width" bytes come from and go to "places", None where they are outside. With "checked"
    the launcher looks at what a map needs of strides that are params."""
    source = src.buf
    if source.space != "global" or dst.buf.space != "shared":
        raise Breach(f"'{name}' goes from global to shared memory")
    if source.element != dst.buf.element:
        raise Breach(f"'{name}' converts nothing")
    if source in writable:
        raise Breach(f"'{name}' reads what the kernel writes")
    if (source.align or width) % PIECE:
        raise Breach(f"'{name}' from a tensor that is not aligned to 16 bytes")
    outside = any(a is None for a, b in places if b is not None)
    if name == "tma.load" and outside and pad != 0:
        raise Breach("beyond a tensor 'tma.load' writes zeros")
    if name == "tma.load" and (width > 8 or source.sw or source.off):
        raise Breach("a tensor that a map cannot describe")
    if name == "bulk" and pad is not None and outside:
        raise Breach("'bulk' fills nothing")
    check_pieces(name, width, source, places, checked)


def check_pieces(name, width, source, places, checked):
    """Whether what is written to each 16 bytes comes from 16 bytes, as far as it is there."""
    each, pieces = PIECE // width, {}
    for a, b in places:
        if b is not None and (a is not None or name == "tma.load"):
            pieces.setdefault(b // each, {})[b % each] = a
    for at in pieces.values():
        if len(at) != each:
            raise Breach(f"'{name}' writes less than 16 bytes")
        first = {a - i for i, a in at.items() if a is not None}
        if len(first) > 1:
            raise Breach(f"16 bytes of '{name}' are not together in '{source.name}'")
        if first and first.pop() * width % PIECE:
            if name == "tma.load" and checked:
                raise Unsupported("what the launcher may have to say")
            raise Breach(f"'{name}' begins between two multiples of 16 bytes")
