"""The operands of mma.sync and what ldmatrix and stmatrix move, for the judge: from the tables of the PTX ISA, not from the compiler.

Of what fills 32 bits in a row of A or B there are e = 32 / bits elements, of 64 bits one.  With g = lane / 4 and t = lane % 4, PTX ISA, "Matrix
Fragments for mma.m16n8k..": register r of A has rows g + 8 * (r % 2) and the columns from e * t + 4 * e * (r / 2) on, with m8 rows g alone; of B, whose
columns are g, rows from e * t + 4 * e * r on; C has rows g + 8 * (r / 2) and columns 2 * t + r % 2.
"""
import re
from itertools import product
from math import prod

from tiled import Atom, TiledCopy
from view import Breach, Unsupported

SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
WIDTH = {"f64": 64, "f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "f8e4m3": 8, "f8e5m2": 8}


class Mma:
    """tiled_mma: an instruction, how many warps along M, N and K, and the tile."""

    def __init__(self, words, warps, tile):
        shape = SHAPE.fullmatch(words[0])
        self.size = tuple(int(n) for n in shape.groups())
        if words[2] not in WIDTH:
            raise Unsupported("this instruction")
        self.bits, self.warps = WIDTH[words[2]], warps
        self.tile = tile or tuple(n * w for n, w in zip(self.size, warps))
        if any(n % (size * w) for n, size, w in zip(self.tile, self.size, warps)):
            raise Unsupported("a tile that the warps do not divide")


class Operand:
    """A, B or C of a tiled_mma: "coords" as a TiledCopy has them, the values of one instruction innermost."""

    def __init__(self, mma, which):
        self.mma, self.which = mma, which
        modes = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}[which]
        size, warps = [[of[m] for m in modes] for of in (mma.size, mma.warps)]
        self.tile = tuple(mma.tile[m] for m in modes)
        one = [self.lane(lane) for lane in range(32)]
        self.values = len(one[0])
        steps = [[size[m] * warps[m] * i for i in range(self.tile[m] // (size[m] * warps[m]))] for m in (0, 1)]
        self.coords = []
        for thread in range(32 * prod(mma.warps)):
            warp = thread // 32
            of_warp = (warp % mma.warps[0], warp // mma.warps[0] % mma.warps[1], warp // (mma.warps[0] * mma.warps[1]))
            first = [size[i] * of_warp[m] for i, m in enumerate(modes)]
            self.coords.append([(first[0] + x + a, first[1] + y + b) for b in steps[1] for a in steps[0] for x, y in one[thread % 32]])

    def lane(self, lane):
        g, t, e, out = lane // 4, lane % 4, max(32 // self.mma.bits, 1), []
        if self.which == "C":
            return [(g + 8 * (i // 2), 2 * t + i % 2) for i in range(self.mma.size[0] // 4)]
        rows = self.mma.size[0] // 8 if self.which == "A" else 1
        for r in range(rows * self.mma.size[2] // (4 * e)):
            out += [(g + 8 * (r % rows), e * t + 4 * e * (r // rows) + i) for i in range(e)]
        return out


class Matrices(Atom):
    """ldmatrix or stmatrix of "count" matrices."""

    def __init__(self, name, count, trans, element=None):
        super().__init__(name, 128, element)
        if count not in (1, 2, 4):
            raise Breach(f"{name} of {count} matrices")
        self.count, self.trans = count, trans

    def check(self, tiled, src, dst, bits):
        """Breaks a rule of docs/errors/matrix.md, or not; "tiled" lays out the fragment's side."""
        frag, shared = (dst, src) if self.name == "ldmatrix" else (src, dst)
        if (frag.buf.space, shared.buf.space) != ("frag", "shared"):
            raise Breach(f"{self.name} between other memories")
        if src.buf.element != dst.buf.element:
            raise Breach(f"{self.name} that converts")
        if bits not in ((8, 16) if self.trans else (8, 16, 32)):
            raise Breach(f"{self.name} of elements of {bits} bits")
        each = 32 // bits
        if tiled.threads % 32 or tiled.values % (each * self.count):
            raise Breach(f"{self.name} by less than a warp, or of less than it moves")
        if any(e % n for e, n in zip(shared.extents(), tiled.tile)):
            raise Breach(f"a tile ends within an access of {self.name}")
        extents, where = shared.extents(), shared.places()
        steps = [prod(extents[:m]) for m in range(len(extents))]
        rounds = product(*(range(0, e, n) for e, n in zip(extents, tiled.tile)))
        for begin, warp, first in product(rounds, range(0, tiled.threads, 32), range(0, tiled.values, each)):
            held = [tiled.coords[warp + lane][first:first + each] for lane in range(32)]
            self.check_matrix([[where[sum((x + b) * s for x, b, s in zip(c, begin, steps))] for c in lane] for lane in held], bits)

    def check_matrix(self, held, bits):
        """Where the elements lie that the lanes hold of one matrix: rows of 16 bytes from a multiple of 16 on."""
        each = 32 // bits
        rows = [[] for _ in range(8)]
        for lane, places in enumerate(held):
            g, t = lane // 4, lane % 4
            if not self.trans:
                rows[g] += places
            else:  # of each pair of bytes one is of row 2 * t, the other one of row 2 * t + 1
                half = 16 // bits
                for i in (0, 1):
                    rows[2 * t + i] += places[half * i:half * (i + 1)]
        count = 128 // bits
        for row in rows:
            if row[0] * bits % 128 or row != list(range(row[0], row[0] + count)):
                raise Breach(f"{self.name} of a row that is not contiguous or not aligned")


def tiled_like(atom, operand):
    """tile(ATOM, like=operand_X(M))."""
    return TiledCopy(atom, operand.tile, operand.coords)
