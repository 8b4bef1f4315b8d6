"""Draws accesses of one warp for probe.cu: structured ones, as plans have them, and disorderly ones.

usage: patterns.py COUNT SEED >FILE

The lines go through the classes in turn, so that the first N lines hold all of them.
"""
import random
import sys

SHARED = 48 << 10
CLASSES = [
    ("ld.global", 8, 1), ("ld.global", 16, 1), ("ld.global", 32, 2), ("ld.global", 64, 2), ("ld.global", 128, 3),
    ("st.global", 8, 1), ("st.global", 16, 1), ("st.global", 32, 2), ("st.global", 64, 2), ("st.global", 128, 3),
    ("ld.shared", 8, 1), ("ld.shared", 16, 1), ("ld.shared", 32, 2), ("ld.shared", 64, 4), ("ld.shared", 128, 4),
    ("st.shared", 8, 1), ("st.shared", 16, 1), ("st.shared", 32, 2), ("st.shared", 64, 4), ("st.shared", 128, 4),
    ("cp.async", 32, 3), ("cp.async", 64, 3), ("cp.async", 128, 8), ("cp.async.ca", 128, 4),
    ("ldmatrix", 1, 1), ("ldmatrix", 2, 2), ("ldmatrix", 4, 3),
    ("ldmatrix.trans", 1, 1), ("ldmatrix.trans", 2, 1), ("ldmatrix.trans", 4, 2),
    ("stmatrix", 1, 1), ("stmatrix", 2, 2), ("stmatrix", 4, 3),
]  # the last number: how often, against the others


def swizzle(offset, b, m, s):
    """Sw<b,m,s> of a byte's offset, counted in bytes."""
    return offset ^ ((offset >> (m + s) & ((1 << b) - 1)) << m)


def lanes(r, width):
    """32 offsets in bytes, multiples of the width."""
    kind = r.randrange(12)
    if kind < 6:  # threads (rows, columns) over rows of a pitch
        rows = 1 << r.randrange(6)
        columns = 32 // rows
        pitch = r.choice([columns, 64 // width, 128 // width, 256 // width, 512 // width, (128 + 16) // width, r.randrange(1, 64), r.randrange(1, 300)]) or 1
        by_row = r.random() < 0.7
        a = [(i // columns * pitch + i % columns) if by_row else (i % rows * pitch + i // rows) for i in range(32)]
        a = [x * width for x in a]
        if r.random() < 0.35:
            b, m, s = r.choice([(3, 4, 3), (2, 4, 3), (1, 4, 3), (3, 3, 4), (3, 2, 5), (2, 5, 2), (5, 2, 5), (3, 4, 4)])
            if 1 << m >= width:
                a = [swizzle(x, b, m, s) for x in a]
    elif kind == 6:
        step = r.randrange(0, 65)
        a = [i * step * width for i in range(32)]
    elif kind == 7:  # the same place for several lanes
        groups = 1 << r.randrange(6)
        step = r.choice([1, 2, 4, 8, 16, 32, r.randrange(1, 40)])
        a = [(i % groups if r.random() < 0.0 else i * groups // 32) * step * width for i in range(32)]
    elif kind == 8:
        groups = 1 << r.randrange(6)
        step = r.choice([1, 2, 4, 8, 16, 32, r.randrange(1, 40)])
        a = [i % groups * step * width for i in range(32)]
    elif kind == 9:  # in another order
        a = [i * width for i in range(32)]
        n = 1 << r.randrange(1, 6)
        for at in range(0, 32, n):
            part = a[at:at + n]
            r.shuffle(part)
            a[at:at + n] = part
    elif kind == 10:
        within = r.choice([128, 256, 512, 1024, 4096, 16384]) // width
        a = [r.randrange(max(within, 1)) * width for _ in range(32)]
    else:  # one lane elsewhere
        a = [i * width for i in range(32)]
        a[r.randrange(32)] = r.randrange(4096 // width) * width
    if r.random() < 0.4:
        shift = r.choice([1, 2, 3, r.randrange(64)]) * width
        a = [x + shift for x in a]
    return a


def mask(r):
    kind = r.randrange(10)
    if kind < 8:
        return 0xffffffff
    if kind == 8:
        n = r.randrange(1, 32)
        return (1 << n) - 1
    return r.getrandbits(32) or 1


def line(r, name, bits):
    matrix = "matrix" in name
    width = 16 if matrix else bits // 8
    shared = lanes(r, width)
    if name.startswith("cp.async"):
        how = r.randrange(4)
        if how == 0:  # a plain copy
            shared = [i * width for i in range(32)]
        if how == 1 and r.random() < 0.5:
            b, m, s = 3, 4, 3
            shared = [swizzle(i * width, b, m, s) for i in range(32)]
    out = lanes(r, width)
    if name.startswith("cp.async") and r.random() < 0.5:
        out = [i * width for i in range(32)]
        if r.random() < 0.4:
            shift = r.randrange(64) * width
            out = [x + shift for x in out]
    while max(shared) > SHARED - 16:
        shared = [x // 2 // width * width for x in shared]
    m = 0xffffffff if matrix else mask(r)
    return f"{name} {bits} {m:08x} " + " ".join(map(str, shared + out))


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    r = random.Random(seed)
    turn = [(n, b) for n, b, often in CLASSES for _ in range(often)]
    r.shuffle(turn)
    for i in range(count):
        print(line(r, *turn[i % len(turn)]))


main()
