"""How long a relayout takes on a GPU, beside the framework's own and a plain copy."""

from __future__ import annotations

import ctypes
import functools
import statistics
from ctypes import c_float, c_void_p
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from . import _api, _pattern
from ._arrays import describe, empty, own_copy, split

ROUNDS, MINIMUM_MS = 7, 2.0


class Row(NamedTuple):
    """One way to copy: microseconds a call on the device, and gigabytes a second, read plus written."""

    name: str
    us: float
    gb_s: float


class Bench(NamedTuple):
    """What tcpc.bench() measured. "what" says of which copy; "rows" has tcpc first, then the framework's own copy, then a plain copy of the same bytes."""

    what: str
    rows: Tuple[Row, ...]

    def __str__(self) -> str:
        widest, plain = max(len(row.name) for row in self.rows), self.rows[-1]
        lines = [f"{row.name:{widest}}  {row.us:10.1f} us  {row.gb_s:8.0f} GB/s  {row.gb_s / plain.gb_s:5.2f} of a plain copy" for row in self.rows]
        return "\n".join([self.what, *lines])


def _measured(works: List[Callable[[], Any]], elapsed: Callable[[Callable[[], Any], int], float]) -> List[float]:
    """Milliseconds a call of each: the median of rounds in which they take turns. "elapsed" tells those of n calls."""
    counts = []
    for work in works:
        elapsed(work, 2)  # compiles, and fills caches
        counts.append(max(2, round(MINIMUM_MS / max(1e-3, elapsed(work, 4) / 4))))
    found: List[List[float]] = [[] for _ in works]
    for turn in range(ROUNDS):
        for i in [*range(turn % len(works), len(works)), *range(turn % len(works))]:
            found[i].append(elapsed(works[i], counts[i]) / counts[i])
    return [statistics.median(each) for each in found]


class Clock:
    """Events of the driver, on one stream."""

    def __init__(self, device: Any, stream: int):
        self.device, self.stream = device, c_void_p(stream)
        self.events = c_void_p(), c_void_p()
        for event in self.events:
            device._call("cuEventCreate", ctypes.byref(event), 0)

    def __call__(self, work: Callable[[], Any], n: int) -> float:
        """Milliseconds of n calls."""
        (begin, end), ms, call = self.events, c_float(), self.device._call
        call("cuEventRecord", begin, self.stream)
        for _ in range(n):
            work()
        call("cuEventRecord", end, self.stream)
        call("cuEventSynchronize", end)
        call("cuEventElapsedTime", ctypes.byref(ms), begin, end)
        return ms.value

    def __del__(self) -> None:
        for event in self.events:
            if event:
                self.device.cuda.cuEventDestroy_v2(event)


def bench(x: Any, pattern: str, /, *, dtype: Any = None, **axes: int) -> Bench:
    """Times `relayout(x, pattern, ..)` on a GPU, beside the framework's own copy and a plain copy of as many bytes; prints a table.

        tcpc.bench(torch.randn(4, 1024, 2048, device="cuda"), "b s (h d) -> b h s d", h=16)

    Each writes to memory that is there already, so no allocation is measured. The three take turns; the figure is the median of 7 rounds. Caches are
    warm: what fits the L2 cache is faster than the memory.

    Args:
        x: an array of PyTorch or CuPy on a GPU.
        pattern, dtype, axes: as for relayout.

    Returns:
        The table, as text and as "rows" of name, microseconds a call, and gigabytes a second, read plus written.

    Raises:
        ValueError: "x" is on the CPU, or has no elements, or the pattern does not fit.
        TypeError: the type cannot be converted, or "x" is no such array.
    """
    if hasattr(x, "detach"):
        x = x.detach()
    source = describe(x)
    bound = _pattern.bind(_pattern.parse(pattern), source.shape, axes)
    if source.device < 0:
        raise ValueError(f"bench() is for arrays on a GPU; on the CPU tcpc.relayout is the framework's own copy{_api.to_a_gpu(source)}")
    if 0 in source.shape:
        raise ValueError(f"the array has no elements: {source.shape}")
    out = empty(source, bound.shape, dtype)
    left, right = ([axis for group in groups for axis in group] for groups in (bound.left, bound.right))
    shapes = [tuple(bound.extent[axis] for axis in side) for side in (left, right)]
    to, from_ = split(out, shapes[1], None), split(x, shapes[0], [left.index(axis) for axis in right])
    flat, count = empty(source, bound.shape, dtype), _pattern.product(bound.shape)
    device = _api._backend(None, source)
    named: Any = axes
    works: List[Callable[[], Any]] = [functools.partial(_api.relayout, x, pattern, out=out, dtype=dtype, **named), lambda: own_copy(to, from_), lambda: own_copy(flat, out)]
    sizes = source.itemsize, describe(out).itemsize
    moved = [count * (sizes[0] + sizes[1])] * 2 + [2 * count * sizes[1]]
    times: List[float] = []
    device._within(lambda: times.extend(_measured(works, Clock(device, device.stream(source)))))
    names = ["tcpc", "PyTorch" if source.kind == "torch" else type(x).__module__.split(".")[0], "a plain copy"]
    made = Bench(f"{pattern}, {describe(out).name} {source.shape} -> {bound.shape}, {moved[0] / 1e6:.1f} MB read and written",
                 tuple(Row(name, ms * 1e3, bytes_ / ms / 1e6) for name, ms, bytes_ in zip(names, times, moved)))
    print(made)
    return made
