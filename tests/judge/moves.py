"""What a copy moves: each element of the destination with the source's at the same coordinate, or with a thread's part of it."""
from math import prod

from blocks import Block, check_block
from calls import BITS
from mma import Matrices
from tiled import Atom, TiledCopy, from_map, from_tv
from view import Breach, Tup, Unsupported, View


class Joined:
    """An element that reductions join with the one that was there: "parts" are what they bring, in any order."""

    def __init__(self, joins, tensor, at, parts=()):
        self.joins, self.tensor, self.at, self.parts = joins, tensor, at, parts

    def more(self, element):
        return Joined(self.joins, self.tensor, self.at, self.parts + (element,))


class Copies:
    """The part of a judgement (judge.py) that copies."""

    def do_copy(self, s):
        hangs = self.uses(s["src"]) | self.uses(s["dst"])
        how = None
        if s["how"] == "with":
            how = self.values.value(s["by"])
            if not isinstance(how, (Atom, Block, TiledCopy)):
                raise Breach("a copy with what is neither an atom nor a tiled copy")
        pad = None if s["pad"] is None else self.values.value(s["pad"])
        if isinstance(how, Block):
            if hangs:
                raise Unsupported(f"'{how.name}' of a part of the block's threads")
            groups = [(0, how)]
        elif isinstance(how, Atom) or hangs & {"tid", "lane"}:
            if s["how"] == "by":
                raise Unsupported("'by' for one thread")
            groups = [(t, None) for t in range(self.threads)]
        elif "warp" in hangs:
            groups = [(w, how) for w in range(0, self.threads, 32)]
        else:
            groups = [(0, how)]
        moves = []
        for first, tiled in groups:
            src, dst = self.view_for(first, s["src"]), self.view_for(first, s["dst"])
            if src is None or dst is None:
                continue
            if s["how"] == "by":
                tiled = self.by(s["by"], dst if src.buf.space == "frag" else src)
            self.check_types(src, dst, pad)
            self.check_hints(how.atom if isinstance(how, TiledCopy) else how, src.buf, dst.buf)
            if isinstance(tiled, Block):
                moves.append(self.pair_block(tiled, src, dst, pad))
            elif tiled is None:
                if isinstance(how, TiledCopy) and isinstance(how.atom, Matrices) and first == 0:
                    how.atom.check(how, src.whole or src, dst.whole or dst, BITS[src.buf.element])
                moves.append(self.pair_thread(first, src, dst))
                self.check_width(how, src, dst, {True: moves[-1][2], False: moves[-1][5]})
            else:
                moves += self.pair_group(first, tiled, src, dst, (self.width or self.threads) if "warp" not in hangs else 32)
        there = any(a is not None and b is not None for move in moves for a, b in zip(move[2], move[5]))
        self.moves_some[id(s)] = self.moves_some.get(id(s), False) or there
        self.move(moves, pad, how.joins if isinstance(how, Block) else None)

    def by(self, expr, view):
        if expr[0] == "map":
            tiled = from_map(None, expr[1], expr[2], Tup(view.extents()), self.in_map)
        else:
            tiled = from_tv(None, self.values.value(expr), Tup(view.extents()))
        return tiled

    def check_types(self, src, dst, pad):
        a, b = src.buf.element, dst.buf.element
        bits = [x[0] == "b" and x != "bf16" for x in (a, b)]
        if a != b and any(bits):
            raise Breach("bits convert to nothing")
        if pad is not None:
            if dst.buf.space == "global":
                raise Breach("'pad' of global memory")
            self.check_number(pad, b)
        if dst.buf.space == "global" or dst.buf in self.given:
            if dst.buf not in self.writable:
                raise Breach(f"'{dst.buf.name}' is written and not 'out'")
        if (src.buf.space == "global" or src.buf in self.given) and src.buf not in self.readable:
            raise Breach(f"'{src.buf.name}' is read and is 'out' or not in the list")

    def check_hints(self, atom, src, dst):
        """Hints are about accesses to global memory, and "nc" is for what nobody writes: no tensor of a device function is known
        to be that without "readonly", which no plan that is judged has."""
        hints = atom.hints if isinstance(atom, Atom) else {}
        if {"ld", "l2"} & set(hints) and src.space != "global" or "st" in hints and dst.space != "global":
            raise Breach("a hint of what is no access to global memory")
        if "nc" in hints.get("ld", ()) and (src in self.writable or self.device):
            raise Breach("'nc' of what may be written")

    def cells(self, buf, thread):
        return buf.memory[thread] if buf.space == "frag" else buf.memory

    def pair_thread(self, thread, src, dst):
        """One thread copies: returns (source, its thread, offsets, destination, its thread, offsets)."""
        sizes = [[n for n in v.extents() if n != 1] for v in (src, dst)]
        flat = [[leaf.n for leaf in v.leaves() if leaf.n != 1] for v in (src, dst)]
        if sizes[0] != sizes[1] and flat[0] != flat[1]:
            raise Breach("the sides of a copy have different shapes")
        return (src, thread, self.offsets(src), dst, thread, self.offsets(dst))

    def pair_block(self, how, src, dst, pad):
        """The block copies, whoever issues it."""
        src, dst = self.by_names(src, dst)
        if src.extents() != dst.extents():
            raise Breach("the sides of a copy have different shapes")
        from_, to = self.offsets(src), self.offsets(dst)
        if how.joins:
            self.joined.add(dst.buf)
            if dst.buf in self.was_read:
                raise Breach(f"'{dst.buf.name}' is read, and joined")
        check_block(how, BITS[src.buf.element] // 8, src, dst, self, list(zip(from_, to)), pad)
        return (src, 0, from_, dst, 0, to)

    def check_width(self, how, src, dst, places, whole=True):
        """An exact atom's accesses are elements that follow one another from a multiple of its bytes on, by what is promised.
        Of a tile that is not "whole" an access may have its first elements alone."""
        atom = how.atom if isinstance(how, TiledCopy) else how
        if isinstance(atom, Atom) and atom.name == "universal" and atom.bits < max(BITS[src.buf.element], BITS[dst.buf.element]):
            raise Breach("an access that is narrower than an element")
        if not isinstance(atom, Atom) or atom.name not in ("universal", "cp_async") or BITS[src.buf.element] != BITS[dst.buf.element]:
            return
        bits = BITS[src.buf.element]
        for buf, at in ((src.buf, places[True]), (dst.buf, places[False])):
            if buf.space == "frag" or not at or None in at or atom.bits <= bits:
                continue
            if buf.space == "global" and 8 * (buf.align or bits // 8) < atom.bits:
                raise Breach("an access that is wider than its tensor is aligned")
            n, there = atom.bits // bits, set(at)
            if any(first - first % n + i not in there for first in there for i in range(n if whole else 1)):
                raise Breach("an access of elements that are not together or not aligned")

    def offsets(self, view):
        self.spend(view.size())
        return view.places()

    def pair_group(self, first, tiled, src, dst, width):
        """The threads from "first" on share a copy."""
        if tiled.threads > width:
            raise Breach("a tiled copy of more threads than there are")
        frags = [v.buf.space == "frag" for v in (src, dst)]
        if tiled.owners > 1 and not frags[1]:
            raise Breach("an element of a tile belongs to several threads")
        if isinstance(tiled.atom, Matrices):
            tiled.atom.check(tiled, src, dst, BITS[src.buf.element])
        if all(frags):
            raise Breach("a tiled copy between fragments")
        if not any(frags):
            src, dst = self.by_names(src, dst)
            if src.extents() != dst.extents():
                raise Breach("the sides of a copy have different shapes")
            if len(tiled.tile) != len(src.modes):
                raise Breach("a tile of another rank than the view")
            whole = [(src, 0, self.offsets(src), dst, 0, self.offsets(dst))]
            for share in tiled.share(src.extents()):
                sides = {side: [whole[0][2 if side else 5][e] for _, e in share] for side in (True, False)}
                full = len(share) == tiled.values * prod(-(-e // n) for e, n in zip(src.extents(), tiled.tile))
                both = [i for i, pair in enumerate(zip(sides[True], sides[False])) if None not in pair]
                sides = {side: [at[i] for i in both] for side, at in sides.items()}
                self.check_width(tiled, src, dst, sides, full and len(both) == len(share))
            return whole
        part, whole = (src, dst) if frags[0] else (dst, src)
        if len(tiled.tile) != len(whole.modes):
            raise Breach("a tile of another rank than the view")
        rounds = prod(-(-e // n) for e, n in zip(whole.extents(), tiled.tile))
        count = tiled.values * rounds
        if not part.buf.loose and part.size() != count:
            raise Breach("a fragment of another size than a thread's elements")
        where, mine = self.offsets(whole), None if part.buf.loose else part.places()
        out = []
        for t, share in enumerate(tiled.share(whole.extents())):
            if first + t >= self.threads:
                break
            self.spend(len(share))
            at = [where[e] for _, e in share]
            frag = [v if mine is None else mine[v] for v, _ in share]
            there = [place for place in at if place is not None]
            self.check_width(tiled, src, dst, {not frags[0]: there, frags[0]: []}, len(there) == count)
            pair = (src, first + t, frag, dst, first + t, at) if frags[0] else (src, first + t, at, dst, first + t, frag)
            out.append(pair)
        return out

    def by_names(self, src, dst):
        """Where all modes of both sides have names, the copy goes by them."""
        if not all(src.names) or not all(dst.names) or src.names == dst.names:
            return src, dst
        if sorted(src.names) != sorted(dst.names):
            raise Breach("the sides of a copy have modes of different names")
        order = [dst.names.index(name) for name in src.names]
        return src, View(dst.buf, dst.base, [dst.modes[i] for i in order], src.names, end=dst.end)

    def move(self, moves, pad, joins=None):
        """Reads all that a copy reads, then writes, or joins it with what is there."""
        todo, own = [], set()
        for src, st, from_, dst, dt, to in moves:
            cells, source, target = self.cells(src.buf, st), src.buf, dst.buf
            external = source in self.given
            seen = self.read_by.get(source)
            for a, b in zip(from_, to):
                if b is None:
                    continue
                if a is None:
                    if pad is not None:
                        todo.append((dst, dt, b, (None, pad, (target.element,))))
                    elif target.space == "global" or target in self.writable and target not in self.readable:
                        raise Breach(f"an element of '{target.name}' has no source")
                    continue
                if external:
                    element = self.from_outside(source, a, seen)
                elif a in cells:
                    element = cells[a]
                else:
                    raise Breach(f"'{source.name}' is read where nothing was written")
                if source.element != target.element:
                    element = self.convert(element, target.element)
                todo.append((dst, dt, b, element))
        for dst, thread, at, element in todo:
            key = (dst.buf, thread if dst.buf.space == "frag" else 0, at)
            if key in own:
                raise Breach(f"an element of '{dst.buf.name}' is written twice by one copy")
            own.add(key)
            if dst.buf in self.writable:
                cells = self.written[dst.buf]
                if at in cells and (dst.buf.space == "global") and not (joins and getattr(cells[at][0], "joins", None) == joins):
                    raise Breach(f"an element of '{dst.buf.name}' is written twice")
                if joins:
                    before = cells[at][0] if at in cells else Joined(joins, dst.buf.index, at)
                    element = before.more(element)
                cells[at] = (element, self.block)
            else:
                self.cells(dst.buf, thread)[at] = element
        self.moved += len(todo)

    def from_outside(self, buf, at, seen):
        if buf in self.joined:
            raise Breach(f"'{buf.name}' is joined, and read")
        self.was_read.add(buf)
        if seen is not None:
            if at in self.written[buf]:
                element, block = self.written[buf][at]
                if block != self.block:
                    raise Breach(f"an element of '{buf.name}' is written by a block and read by another one")
                return element
            if seen.setdefault(at, self.block) != self.block:
                seen[at] = None
        return (buf.index, at, ())

    def convert(self, element, to):
        new = self.converted.get((element, to))
        if new is None:
            new = self.converted[element, to] = (element[0], element[1], element[2] + (to,))
        return new
