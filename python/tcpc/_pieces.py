"""Who sends what to whom when a tensor on a mesh of devices gets another placement and another order of its axes. Integers alone: no framework, no memory."""

from __future__ import annotations

import itertools
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._pattern import Bound, Group, product, strides_of

Interval = Tuple[int, int]  # first, and end
Placement = Optional[int]  # the dimension that an axis of the mesh shards; None: it has copies
Box = Tuple[Interval, ...]


class View(NamedTuple):
    """A piece within the memory of one device, in elements."""

    offset: int
    sizes: Tuple[int, ...]
    strides: Tuple[int, ...]

    def is_contiguous(self) -> bool:
        """Whether its elements are one row, in this order."""
        step = 1
        for n, stride in zip(reversed(self.sizes), reversed(self.strides)):
            if n != 1:
                if stride != step:
                    return False
                step *= n
        return True


class Move(NamedTuple):
    """A piece, on the device that has it and on the one that gets it; both have their axes in the order in which they are sent."""

    peer: int
    source: View
    target: View


class Schedule(NamedTuple):
    """What one device does; the moves between two devices have the same order on both."""

    local: Tuple[Move, ...]
    sends: Tuple[Move, ...]
    receives: Tuple[Move, ...]
    swap: bool  # some devices have a piece for another one, and none has more than one; the same on all


def part(shape: Sequence[int], mesh: Sequence[int], placements: Sequence[Placement], device: int) -> Box:
    """The part of "shape" that a device has, as torch.chunk cuts it: of n elements on g devices, the first ones have ceil(n/g), the last ones fewer or none."""
    box = [(0, n) for n in shape]
    rest, coordinate = device, []
    for n in reversed(mesh):
        coordinate.append(rest % n)
        rest //= n
    for n, c, dim in zip(mesh, reversed(coordinate), placements):
        if dim is not None:
            first, end = box[dim]
            step = -(-(end - first) // n)
            box[dim] = (min(first + c * step, end), min(first + (c + 1) * step, end))
    return tuple(box)


def extents(box: Box) -> Tuple[int, ...]:
    return tuple(end - first for first, end in box)


def _cuts(sizes: Sequence[int], first: int, end: int) -> Iterator[Box]:
    """The indices first .. end of a mode, as boxes of the axes that it consists of, the last one the fastest."""
    if first >= end:
        return
    if not sizes:
        yield ()
        return
    inner = product(sizes[1:])
    low, high = -(-first // inner), end // inner
    if low > high:  # within one index of the first axis
        for rest in _cuts(sizes[1:], first - high * inner, end - high * inner):
            yield ((high, high + 1), *rest)
        return
    for rest in _cuts(sizes[1:], first - (low - 1) * inner, inner) if first < low * inner else ():
        yield ((low - 1, low), *rest)
    if low < high:
        yield ((low, high), *((0, n) for n in sizes[1:]))
    for rest in _cuts(sizes[1:], 0, end - high * inner) if end > high * inner else ():
        yield ((high, high + 1), *rest)


def _boxes(groups: Sequence[Group], extent: Mapping[str, int], dims: Box) -> List[Dict[str, Interval]]:
    """A device's part in axes: several boxes if a shard cuts an axis that is not the first of its dimension."""
    sides = [[dict(zip(group, box)) for box in _cuts([extent[a] for a in group], *dim)] for group, dim in zip(groups, dims)]
    return [{a: i for side in choice for a, i in side.items()} for choice in itertools.product(*sides)]


def _common(one: Mapping[str, Interval], other: Mapping[str, Interval]) -> Optional[Dict[str, Interval]]:
    found = {a: (max(one[a][0], other[a][0]), min(one[a][1], other[a][1])) for a in one}
    return found if all(first < end for first, end in found.values()) else None


def _view(groups: Sequence[Group], extent: Mapping[str, int], dims: Box, strides: Sequence[int], box: Mapping[str, Interval], order: Sequence[str]) -> View:
    of = strides_of(groups, extent, strides)
    offset = sum(box[a][0] * of[a] for a in order) - sum(dim[0] * stride for dim, stride in zip(dims, strides))
    return View(offset, tuple(box[a][1] - box[a][0] for a in order), tuple(of[a] for a in order))


def contiguous_strides(shape: Sequence[int]) -> Tuple[int, ...]:
    found: List[int] = []
    step = 1
    for n in reversed(shape):
        found.insert(0, step)
        step *= n
    return tuple(found)


class Exchange(NamedTuple):
    """A change of placement: the pattern for the whole tensor, the mesh, and the placements of both sides on its axes."""

    bound: Bound
    mesh: Tuple[int, ...]
    source: Tuple[Placement, ...]
    target: Tuple[Placement, ...]

    def source_part(self, device: int) -> Box:
        shape = [product(self.bound.extent[a] for a in group) for group in self.bound.left]
        return part(shape, self.mesh, self.source, device)

    def target_part(self, device: int) -> Box:
        return part(self.bound.shape, self.mesh, self.target, device)

    def giver(self, holders: Sequence[int], receiver: int) -> int:
        """Of those that have a copy: the device itself, or one of them, so that they share the work."""
        return receiver if receiver in holders else holders[receiver % len(holders)]

    def _moves(self, source: int, target: int, strides: Optional[Sequence[int]]) -> Iterator[Tuple[View, View]]:
        """The pieces from one device to another; "strides" are those of the source's memory, if they are known."""
        bound = self.bound
        has, gets = self.source_part(source), self.target_part(target)
        there = contiguous_strides(extents(has)), contiguous_strides(extents(gets))
        left, right = [a for g in bound.left for a in g], [a for g in bound.right for a in g]
        for one in _boxes(bound.left, bound.extent, has):
            for other in _boxes(bound.right, bound.extent, gets):
                box = _common(one, other)
                if box is None:
                    continue
                # both sides know contiguous memory alone, and choose the order that leaves less to copy
                best = min((right, left), key=lambda order: sum(not v.is_contiguous() for v in self._sides(has, gets, there, box, order)))
                yield self._sides(has, gets, (strides or there[0], there[1]), box, best)

    def _sides(self, has: Box, gets: Box, strides: Tuple[Sequence[int], Sequence[int]], box: Mapping[str, Interval], order: Sequence[str]) -> Tuple[View, View]:
        bound = self.bound
        return _view(bound.left, bound.extent, has, strides[0], box, order), _view(bound.right, bound.extent, gets, strides[1], box, order)

    def schedule(self, device: int, strides: Optional[Sequence[int]] = None) -> Schedule:
        """What "device" does, whose memory has these strides."""
        count = product(self.mesh)
        holders: Dict[Box, List[int]] = {}
        for d in range(count):
            holders.setdefault(self.source_part(d), []).append(d)
        local: List[Move] = []
        sends: List[Move] = []
        receives: List[Move] = []
        for peer in range(count):
            if self.giver(holders[self.source_part(device)], peer) == device:
                moves = [Move(peer, *sides) for sides in self._moves(device, peer, strides)]
                (local if peer == device else sends).extend(moves)
        for devices in holders.values():
            giver = self.giver(devices, device)
            if giver != device:
                receives.extend(Move(giver, *sides) for sides in self._moves(giver, device, None))
        single = all(len(_boxes(side, self.bound.extent, part_of(d))) < 2 for d in range(count)
                     for side, part_of in ((self.bound.left, self.source_part), (self.bound.right, self.target_part)))
        sent = sends or receives or any(True for devices in holders.values() for to in range(count) if self.giver(devices, to) != to for _ in self._moves(self.giver(devices, to), to, None))
        return Schedule(tuple(local), tuple(sends), tuple(receives), single and bool(sent))

    def stacks(self, device: int, strides: Optional[Sequence[int]] = None) -> Optional[Tuple[View, View]]:
        """The pieces of a device as one view on each side, by peer, if it has one for each device and gets one of each, itself too, all alike. Memory with other strides
        may have no such view though contiguous memory has."""
        made = self.schedule(device, strides)
        found = []
        for moves, side in (made.sends, "source"), (made.receives, "target"):
            all_moves = sorted([*moves, *made.local], key=lambda m: m.peer)
            views = [getattr(m, side) for m in all_moves]
            step = runs(views)[0][2] if len(runs(views)) == 1 else 0  # also if all get the same: that is sent without copies of it
            if [m.peer for m in all_moves] != list(range(product(self.mesh))) or not step:
                return None
            found.append(View(views[0].offset, (len(views), *views[0].sizes), (step, *views[0].strides)))
        return found[0], found[1]

    def alike(self) -> bool:
        """Whether all devices have such views if their memory is contiguous, of pieces of one size: then one all-to-all of one buffer moves everything. All devices find the same."""
        others = [self.stacks(d) for d in range(product(self.mesh))]
        return len({product(v.sizes) for both in others if both for v in both}) == 1 and None not in others


def runs(views: Sequence[View]) -> List[Tuple[int, int, int]]:
    """(first, end, step) of views that differ only in their offsets, which grow by the same step: one copy moves them all."""
    found: List[Tuple[int, int, int]] = []
    i = 0
    while i < len(views):
        end, step = i + 1, 0
        while end < len(views) and views[end][1:] == views[i][1:]:
            more = views[end].offset - views[end - 1].offset
            if more < 0 or (end > i + 1 and more != step):
                break
            end, step = end + 1, more
        found.append((i, end, step))
        i = end
    return found
