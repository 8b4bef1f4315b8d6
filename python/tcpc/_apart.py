"""Whether two sets of addresses share a byte. Each is a sum of strides, so this is a question of integers, which is decided exactly."""

from __future__ import annotations

import functools
import math
from typing import List, Optional, Sequence, Tuple

BUDGET = 200_000  # steps of one search

Mode = Tuple[int, int]  # extent and stride


def _ends(modes: Sequence[Tuple[int, int, int]]) -> Tuple[int, int]:
    """The least and the greatest sum of c * x with x in first .. last, for (c, first, last)."""
    return (sum(min(c * first, c * last) for c, first, last in modes), sum(max(c * first, c * last) for c, first, last in modes))


def _joined(modes: Sequence[Tuple[int, int, int]]) -> List[Tuple[int, int, int]]:
    """The same sums by fewer modes: c * x + k * c * y is c * (x + k * y), which is each multiple of c in a range if x has k values or more."""
    found = sorted((c, first, last) if c > 0 else (-c, -last, -first) for c, first, last in modes if c and (first or last))
    for i, (c, first, last) in enumerate(found):
        for j, (d, low, high) in enumerate(found[i + 1:], i + 1):
            if d % c == 0 and last - first + 1 >= d // c:
                k = d // c
                return _joined([*found[:i], (c, first + k * low, last + k * high), *found[i + 1:j], *found[j + 1:]])
    return found


class _Search:
    def __init__(self, modes: Sequence[Tuple[int, int, int]]):
        self.modes = _joined(modes)[::-1]
        self.ends = [_ends(self.modes[i:]) for i in range(len(self.modes) + 1)]
        self.divisor = [math.gcd(*(c for c, _, _ in self.modes[i:])) for i in range(len(self.modes) + 1)]
        self.left = BUDGET

    def reaches(self, low: int, high: int, at: int = 0) -> bool:
        """Whether a sum of the modes from "at" on lies in low .. high."""
        least, most = self.ends[at]
        low, high = max(low, least), min(high, most)
        divisor = self.divisor[at]
        if low > high or (divisor and -(-low // divisor) * divisor > high):
            return False
        if at == len(self.modes):
            return True
        self.left -= 1
        if self.left < 0:
            raise TimeoutError
        c, first, last = self.modes[at]
        rest = self.ends[at + 1]
        begin, end = max(first, -((rest[1] - low) // c)), min(last, (high - rest[0]) // c)  # c * x lies in low - rest .. high - rest
        return any(self.reaches(low - c * x, high - c * x, at + 1) for x in range(begin, end + 1))


# What is decided is kept: a call that comes again asks the same. TimeoutError is not.


@functools.lru_cache(maxsize=4096)
def _overlap(one: Tuple[Mode, ...], size: int, other: Tuple[Mode, ...], other_size: int, distance: int) -> bool:
    modes = [(stride, 0, extent - 1) for extent, stride in one] + [(-stride, 0, extent - 1) for extent, stride in other]
    return _Search(modes).reaches(distance - size + 1, distance + other_size - 1)


@functools.lru_cache(maxsize=4096)
def _overlaps_itself(modes: Tuple[Mode, ...], size: int) -> bool:
    around = sorted((abs(stride), extent) for extent, stride in modes if extent > 1)
    span = size
    for stride, extent in around:
        if stride < span:
            break
        span += stride * (extent - 1)
    else:
        return False  # each mode steps over all of those that are finer
    differences: List[Tuple[int, int, int]] = [(stride, 1 - extent, extent - 1) for stride, extent in around]
    return any(_Search([(stride, 1, last), *differences[i + 1:]]).reaches(1 - size, size - 1)  # the first coordinate that differs: by 1 or more
               for i, (stride, first, last) in enumerate(differences))


def overlap(one: Tuple[Mode, ...], size: int, other: Tuple[Mode, ...], other_size: int, distance: int) -> Optional[bool]:
    """Whether an element of "one", of "size" bytes, shares a byte with one of "other", whose address (0,0,..) is "distance" bytes behind that of "one". Strides are in bytes; None: it cannot be decided within the budget."""
    try:
        return _overlap(one, size, other, other_size, distance)
    except TimeoutError:
        return None


def overlaps_itself(modes: Tuple[Mode, ...], size: int) -> Optional[bool]:
    """Whether two elements share a byte."""
    try:
        return _overlaps_itself(modes, size)
    except TimeoutError:
        return None
