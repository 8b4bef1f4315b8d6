"""Which of the planner's candidates is the fastest for a relayout, measured on the GPU that has the array."""

from __future__ import annotations

import ctypes
import functools
import os
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int, c_uint, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import _api, _bench, _choices, _types
from ._arrays import describe, empty
from ._base import CompileError, log
from ._cuda import NON_BLOCKING, RELAXED, compile_cubin
from ._engine import Copy, Kernel, engine, prepared

USUAL, MOST = 13, 64  # candidates
ROTATED = 512 << 20  # bytes of the pairs that take turns, so that no launch finds its data in the L2 cache
MOST_PAIRS = 64
STEP = 256  # bytes, of which memory is a multiple
BETTER = 0.995  # of the time of the planner's choice, which stays otherwise


class Candidate(NamedTuple):
    """A choice of the planner, which ranks them from 0 on: microseconds a launch, gigabytes a second, read plus written, and what it is, in one line."""

    number: int
    us: float
    gb_s: float
    how: str


class Tuned(NamedTuple):
    """"rows" has the candidates that were timed; "chosen" is the number of the one that is used from now on."""

    what: str
    rows: Tuple[Candidate, ...]
    chosen: int

    def __str__(self) -> str:
        lines = [f"{'*' if row.number == self.chosen else ' '} {row.number:2}  {row.us:10.1f} us  {row.gb_s:8.0f} GB/s  {row.how}" for row in self.rows]
        return "\n".join([self.what, *lines])


def _candidates(device: Any, made: Copy, most: int) -> List[Tuple[int, Kernel]]:
    """Those that compile, each once, by their numbers."""
    def one(number: int) -> Optional[Kernel]:
        try:
            kernel = Kernel(device, made.request, candidate=number)
        except CompileError:
            if number == 0:
                raise
            return None  # it is refused, or there are not so many
        compile_cubin(kernel.compiled.output, device.number)  # which goes to the disk
        return kernel

    with ThreadPoolExecutor(min(most, os.cpu_count() or 1)) as pool:
        kernels = list(pool.map(one, range(most)))
    found: Dict[str, Tuple[int, Kernel]] = {}
    for number, kernel in enumerate(kernels):
        if kernel is not None:  # the first may stand for a later one, if it was refused itself
            found.setdefault(kernel.compiled.how, (number, kernel))
    with engine.lock:
        engine.build(device, [kernel for _, kernel in found.values()])
    return list(found.values())


class _Pairs:
    """Memory that is like that of both sides, several times."""

    def __init__(self, source: Any, made: Copy, first: Tuple[int, int]):
        self.count = max(1, min(MOST_PAIRS, -(-ROTATED // sum(made.bytes))))
        steps = [-(-(size + STEP) // STEP) * STEP for size in made.bytes]
        self.rooms = [empty(source, (self.count * step,), _types.of(source, "uint8")) for step in steps]
        begins = [-(-describe(room).address // STEP) * STEP + at % STEP for room, at in zip(self.rooms, first)]
        self.addresses = [(begins[0] + i * steps[0], begins[1] + i * steps[1]) for i in range(self.count)]


class _Graph:
    """A launch for each pair, in one."""

    def __init__(self, device: Any, kernel: Kernel, pairs: _Pairs, stream: c_void_p):
        self.device, self.stream, self.exec = device, stream, c_void_p()
        graph, call = c_void_p(), device._call
        call("cuStreamBeginCapture_v2", stream, c_int(RELAXED))
        try:
            for addresses in pairs.addresses:
                kernel.ready((), addresses, stream.value)
        finally:
            call("cuStreamEndCapture", stream, ctypes.byref(graph))
        try:
            call("cuGraphInstantiateWithFlags", ctypes.byref(self.exec), graph, c_uint64(0))
        finally:
            call("cuGraphDestroy", graph)

    def __call__(self) -> None:
        self.device._call("cuGraphLaunch", self.exec, self.stream)

    def end(self) -> None:
        self.device._call("cuGraphExecDestroy", self.exec)


def _times(device: Any, kernels: List[Kernel], pairs: _Pairs) -> List[float]:
    """Microseconds a launch."""
    device._call("cuCtxSynchronize")
    stream = c_void_p()
    graphs: List[_Graph] = []
    device._call("cuStreamCreate", ctypes.byref(stream), c_uint(NON_BLOCKING))
    try:
        for kernel in kernels:
            graphs.append(_Graph(device, kernel, pairs, stream))
        works: List[Callable[[], Any]] = [*graphs]
        return [ms * 1e3 / pairs.count for ms in _bench._measured(works, _bench.Clock(device, stream.value or 0))]
    finally:
        for graph in graphs:
            graph.end()
        device._call("cuStreamDestroy_v2", stream)
        for kernel in kernels:
            kernel.ready.code.captured = False  # the graphs are gone


def chosen(rows: List[Candidate]) -> Candidate:
    """The fastest, if it gains more than the spread of a measurement; else the first."""
    best = min(rows, key=lambda row: row.us)
    return best if best.us < BETTER * rows[0].us else rows[0]


def tune(x: Any, pattern: Any, /, *, out: Any = None, dtype: Any = None, candidates: int = USUAL, **axes: int) -> Tuned:
    """Times the planner's first candidates for `relayout(x, pattern, ..)` on the GPU that has "x", and takes the fastest from now on.

        print(tcpc.tune(x, "b s (h d) -> b h s d", h=16))
        y = tcpc.relayout(x, "b s (h d) -> b h s d", h=16)      # and all like it

    The choice holds for copies of these extents, strides, types and alignments, on GPUs of this model: in this process, and in those that begin later, as
    it is kept in the folder of the compiled code. The planner's own choice stays unless another one is over 0.5 % faster. A launch never tunes: this call does,
    waits for the GPU meanwhile, and needs a second or two. It has memory of its own, as much as both sides and at least 512 MB. "x" and "out" stay as they are.

    Args:
        x: an array of PyTorch or CuPy on a GPU.
        pattern: as for relayout; or the order of the dimensions, as for permute.
        out, dtype, axes: as for relayout.
        candidates: how many are timed, 1 to 64. With 1 nothing is: the planner's choice holds again.

    Returns:
        The table, as text and as "rows", and the number that was "chosen".

    Raises:
        ValueError: "x" is on the CPU, or has no elements, or nothing is to be copied, or the pattern does not fit.
        TypeError: the type cannot be converted, or "x" is no such array.
        RuntimeError: the stream is captured.
    """
    if not hasattr(candidates, "__index__") or isinstance(candidates, bool) or not 1 <= candidates <= MOST:
        raise ValueError(f"candidates is an integer in 1 .. {MOST}, not {candidates!r}")
    source = describe(x.detach() if hasattr(x, "detach") else x)
    if source.device < 0:
        raise ValueError(f"tune() is for arrays on a GPU; on the CPU tcpc.relayout is the framework's own copy{_api.to_a_gpu(source)}")
    if 0 in source.shape:
        raise ValueError(f"the array has no elements: {source.shape}")
    bound = _api._bound(pattern if isinstance(pattern, str) else tuple(pattern), source.shape, axes)
    destination = _api._result(source, bound.shape, out, _api.asked_type(source, dtype))
    _api._check_pair(destination, source)
    made = prepared(destination, source, _api._by_axes(source, destination, bound))
    if made is None:
        raise ValueError("nothing is copied: each element is where it has to be")
    device = _api._backend(None, source)
    if out is None:
        destination = destination._replace(of=None)  # its address was what is needed
    state = c_int()
    device._within(lambda: device._call("cuStreamIsCapturing", c_void_p(device.stream(source)), ctypes.byref(state)))
    if state.value:
        raise RuntimeError("tune() waits for the GPU, so its stream cannot be captured; call it before")
    first = source.address + made.behind[0], destination.address + made.behind[1]
    found = _candidates(device, made, candidates.__index__())
    if len(found) == 1:
        times: List[float] = [0.0]
    else:
        pairs = _Pairs(source, made, first)
        times = []
        device._within(lambda: times.extend(_times(device, [kernel for _, kernel in found], pairs)))
    moved = sum(size * functools.reduce(lambda a, b: a * b, source.shape, 1) for size in (source.itemsize, destination.itemsize))
    rows = [Candidate(number, us, moved / us / 1e3 if us else 0.0, kernel.compiled.how) for (number, kernel), us in zip(found, times)]
    best = chosen(rows)
    engine.choose(device, made.request, dict(found)[best.number], _choices.Choice(best.number, best.how) if best.number else None)
    tuned = Tuned(f"{pattern}, {source.name} {source.shape} -> {destination.name} {bound.shape}", tuple(rows), best.number)
    log(f"tuned {tuned}")
    return tuned
