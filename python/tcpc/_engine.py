"""From two strided arrays to a kernel: what is asked for in its simplest form, the kernels that there are, and params where extents vary."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _choices, _warm
from ._arrays import NUMBERS, Array
from ._base import CompileError, keep_lock, log

if TYPE_CHECKING:
    from ._info import CacheInfo
    from ._library import Compiled, Number

MOST_ALIGN = 16
MOST_KERNELS = 1024  # that are kept
MOST_SEEN = 8  # values of one extent that are remembered
MOST_DIVISOR = 64
OPEN_AT = 3  # distinct values, at which an extent becomes a param

Sides = Tuple[str, str, str]  # what a call names its destination and its source, and who may get a copy of it
OUT: Sides = ("out", "x", "")
DST: Sides = ("dst", "src", "copy_ ")

Modes = Tuple[Sequence[int], Sequence[int], Sequence[int]]  # extents, and strides of source and destination in bytes


class Request(NamedTuple):
    """A copy by numbers, as the compiler is asked for it. Strides and offset are in elements; the destination's strides are positive, the largest first."""

    element: Tuple[str, str]
    extents: Tuple[int, ...]
    source: Tuple[int, ...]
    destination: Tuple[int, ...]
    offset: int  # of the source, whose pointer is its lowest address
    align: Tuple[int, int]


class Copy(NamedTuple):
    """A request, and where its pointers lie behind the addresses of element (0,0,..), in bytes; the bytes of each side behind these."""

    request: Request
    behind: Tuple[int, int]
    bytes: Tuple[int, int]


def _copy_of(of: Any, name: str) -> str:
    """How to make one."""
    return f"{name}.clone()" if hasattr(of, "clone") else f"{name}.copy()"


def shared(sides: Sides, source: Any) -> ValueError:
    """The error of a destination that has an element of "source"."""
    return ValueError(f"{sides[0]} and {sides[1]} share elements; give {sides[2]}a copy of {sides[1]}: {_copy_of(source, sides[1])}")


def _twice(sides: Sides, destination: Any) -> ValueError:
    return ValueError(f"two elements of {sides[0]} share memory, as those of a view with a stride of 0 do; write to a copy of it: {_copy_of(destination, sides[0])}")


def alignment(address: int) -> int:
    return min(address & -address or MOST_ALIGN, MOST_ALIGN)


def elements_of(destination: Array, source: Array) -> Optional[Tuple[str, str]]:
    """The types by which elements are converted; None: they are the same and move as bits."""
    if destination.dtype == source.dtype or (destination.kind != source.kind and destination.name == source.name):
        return None
    name = "uint8" if source.name == "bool" else source.name
    how = "; take x.real or abs(x) of it" if name.startswith("complex") and not destination.name.startswith("complex") else ""
    for array, known in (source, name), (destination, destination.name):
        if known not in NUMBERS:
            raise TypeError(f"elements cannot be converted from {source.dtype} to {destination.dtype}: {array.dtype} is no type that kernels convert {'to' if array is destination else 'from'}{how}")
    return NUMBERS[name], NUMBERS[destination.name]


def simplify(extents: Sequence[int], source: Sequence[int], destination: Sequence[int], sizes: Tuple[int, int], elements: Optional[Tuple[str, str]],
             addresses: Tuple[int, int]) -> Copy:
    """The copy of these modes, none of them empty, with strides in bytes."""
    behind = [0, 0]
    modes: List[Tuple[int, int, int]] = []
    for extent, s, d in zip(extents, source, destination):
        if extent == 1:
            continue
        if d < 0:  # walked from its other end
            behind = [behind[0] + s * (extent - 1), behind[1] + d * (extent - 1)]
            s, d = -s, -d
        if s < 0:
            behind[0] += s * (extent - 1)
        modes.append((d, s, extent))
    units = sizes
    lowest = addresses[0] + behind[0], addresses[1] + behind[1]
    if elements is None:  # bits, in words that all addresses are multiples of
        bits = sizes[0] | lowest[0] | lowest[1] | MOST_ALIGN
        for d, s, _ in modes:
            bits |= d | s
        unit = bits & -bits
        if unit != sizes[0]:
            modes.append((unit, unit, sizes[0] // unit))
        units, elements = (unit, unit), (f"b{unit * 8}", f"b{unit * 8}")
    elif any(address % size for address, size in zip(lowest, sizes)) or any(s % sizes[0] or d % sizes[1] for d, s, _ in modes):
        raise ValueError("elements that are converted must be aligned to their size; one of the arrays has an address or a stride that is no multiple of it")
    modes.sort(key=lambda m: (-m[0], -abs(m[1])))
    merged: List[Tuple[int, int, int]] = []
    for d, s, extent in modes:
        if merged and merged[-1][0] == d * extent and merged[-1][1] == s * extent:
            extent *= merged.pop()[2]
        merged.append((d, s, extent))
    if len(merged) > 32:
        raise ValueError(f"a copy has at most 32 modes that cannot be merged; this one has {len(merged)}")
    offset = sum(-s * (extent - 1) for _, s, extent in merged if s < 0)
    request = Request(elements, tuple([m[2] for m in merged]), tuple([m[1] // units[0] for m in merged]), tuple([m[0] // units[1] for m in merged]),
                      offset // units[0], (alignment(lowest[0]), alignment(lowest[1])))
    size = [sum(abs(m[1 - k]) * (m[2] - 1) for m in merged) + units[k] for k in range(2)]
    return Copy(request, (behind[0], behind[1]), (size[0], size[1]))


def check_apart(copy: Copy, destination: Array, source: Array, modes: Modes, sides: Sides) -> None:
    """Raises ValueError where an element of the destination is written twice, or is one of the source."""
    first = source.address + copy.behind[0], destination.address + copy.behind[1]
    _check_apart(destination, source, modes, sides, first[0] < first[1] + copy.bytes[1] and first[1] < first[0] + copy.bytes[0])


def _check_apart(destination: Array, source: Array, modes: Modes, sides: Sides, together: bool) -> None:
    """"together": the ranges of addresses overlap."""
    extents, from_, to = modes
    itself = _overlaps_itself(tuple(extents), tuple(to), destination.itemsize)
    if itself:
        raise _twice(sides, destination.of)
    found: Optional[bool] = False
    if together:
        from . import _apart

        found = _apart.overlap(tuple(zip(extents, from_)), source.itemsize, tuple(zip(extents, to)), destination.itemsize, destination.address - source.address)
    if found:
        raise shared(sides, source.of)
    if itself is None or found is None:
        raise ValueError(f"it could not be decided in time whether two elements share memory; give a copy of one of the arrays: {_copy_of(source.of, sides[1])}")


@functools.lru_cache(maxsize=4096)
def _overlaps_itself(extents: Tuple[int, ...], strides: Tuple[int, ...], size: int) -> Optional[bool]:
    """Whether two elements share a byte; None: it cannot be decided in time."""
    from . import _apart

    return _apart.overlaps_itself(tuple(zip(extents, strides)), size)


def check_own(destination: Array, source: Array, modes: Modes, sides: Sides = OUT) -> None:
    """What a kernel would refuse, of a copy that the framework itself makes."""
    elements = elements_of(destination, source)
    extents, from_, to = map(tuple, modes)
    if 0 in extents:
        return
    sizes, addresses = (source.itemsize, destination.itemsize), (source.address, destination.address)
    (first, end), (low, high) = _range(extents, from_, sizes[0]), _range(extents, to, sizes[1])
    together = addresses[0] + first < addresses[1] + high and addresses[1] + low < addresses[0] + end
    if not together or elements is not None or not _is_itself(sizes[1], (extents, from_, to), addresses):
        _check_apart(destination, source, (extents, from_, to), sides, together)


@functools.lru_cache(maxsize=4096)
def _range(extents: Tuple[int, ...], strides: Tuple[int, ...], size: int) -> Tuple[int, int]:
    """From element (0,0,..): the first byte, and the one behind the last."""
    steps = [(n - 1) * stride for n, stride in zip(extents, strides)]
    return sum([s for s in steps if s < 0]), sum([s for s in steps if s > 0]) + size


def _is_itself(size: int, modes: Modes, addresses: Tuple[int, int]) -> bool:
    """Whether each element is where it has to be."""
    extents, from_, to = modes
    return addresses[0] == addresses[1] and tuple(from_) == tuple(to) and not _overlaps_itself(tuple(extents), tuple(to), size)


class Affine(NamedTuple):
    """factor * N + more"""

    factor: int
    more: int

    def number(self) -> Number:
        if self.factor == 0:
            return self.more
        return f"{self.factor}*N" + (f" + {self.more}" if self.more > 0 else f" - {-self.more}" if self.more < 0 else "")


def _name(*what: Any) -> str:
    """That of the kernel that does it, in any process: its code is found on the disk by its text, which has the name in it."""
    import hashlib

    return f"relayout_{hashlib.sha256(repr(what).encode()).hexdigest()[:10]}"


class Kernel:
    """A compiled copy, by the planner's choice of number "candidate". "divisor" is 0 for one of numbers; else extent "mode" is a param, and all of "values" are expressions of it."""

    def __init__(self, backend: Any, request: Request, mode: int = 0, divisor: int = 0, values: Tuple[Affine, ...] = (), candidate: int = 0):
        self.backend, self.request, self.mode, self.divisor, self.values = backend, request, mode, divisor, values
        self.hits, self.built = 0, 0.0
        self.warm: Dict[Any, Any] = {}  # entries of the warm path, which count their own hits
        self.ready: Any = None  # what the backend built
        from . import _library

        extents: List[Number] = list(request.extents)
        numbers: List[Number] = [*request.source, *request.destination, request.offset]
        params = []
        if divisor:
            extents[mode], numbers, params = "N", [v.number() for v in values], [_library.Param("N", divisor)]
        n, begin = len(extents), time.perf_counter()
        source = _library.Sides(request.element[0], tuple(numbers[:n]), numbers[2 * n], request.align[0])
        destination = _library.Sides(request.element[1], tuple(numbers[n:2 * n]), 0, request.align[1])
        self.name = _name(extents, source, destination, params, candidate)
        self.compiled: Compiled = _library.compile_relayout(self.name, extents, source, destination, params, backend.emit, backend.arch, candidate)
        self.planned = time.perf_counter() - begin  # seconds, as "built"

    def all_hits(self) -> int:
        return self.hits + sum(int(entry.hits) for entry in self.warm.copy().values())

    def serves(self, request: Request) -> bool:
        n = request.extents[self.mode]
        numbers = (*request.source, *request.destination, request.offset)
        return n % self.divisor == 0 and all(v.factor * n + v.more == x for v, x in zip(self.values, numbers))

    def params(self, request: Request) -> Tuple[int, ...]:
        return (request.extents[self.mode],) if self.divisor else ()


class Family:
    """Requests that are equal but for one extent, and for what may depend on it."""

    def __init__(self) -> None:
        self.seen: "OrderedDict[int, Request]" = OrderedDict()
        self.kernels: List[Kernel] = []

    def fit(self, mode: int, request: Request) -> Optional[Tuple[int, Tuple[Affine, ...]]]:
        """The divisor and the expressions for all that was seen; None: they are not expressions of one extent."""
        def numbers(r: Request) -> Tuple[int, ...]:
            return (*r.source, *r.destination, r.offset)

        some = list(self.seen.values())[-OPEN_AT:]
        a, b = some[0], some[1]
        n, m = a.extents[mode], b.extents[mode]
        found = []
        for x, y in zip(numbers(a), numbers(b)):
            factor, rest = divmod(y - x, m - n)
            if rest:
                return None
            found.append(Affine(factor, x - factor * n))
        if any(v.factor * r.extents[mode] + v.more != x for r in some for v, x in zip(found, numbers(r))):
            return None
        divisor = min(MOST_DIVISOR, *(e & -e for e in self.seen))
        if len(self.kernels) >= 4:
            divisor = 1
        return divisor, tuple(found)


class Engine:
    def __init__(self) -> None:
        self.lock: Any
        keep_lock(self, "lock", threading.RLock)
        self.clear()

    def clear(self) -> None:
        with self.lock:
            self.exact: "OrderedDict[Any, Kernel]" = OrderedDict()
            self.families: "OrderedDict[Any, Family]" = OrderedDict()
            self.hits = self.misses = 0
            _choices.forget()
        _warm.forget()

    def find(self, backend: Any, request: Request) -> Optional[Kernel]:
        """A kernel that serves the request; of the params, that of the largest divisor."""
        kernel = self.exact.get((backend, request))
        if kernel is not None:
            self.exact.move_to_end((backend, request))
            return kernel
        if _choices.of(backend, request):
            return None  # make() has a better one than those of params
        served = [k for key in family_keys(backend, request) if key in self.families for k in self.families[key].kernels if k.serves(request)]
        return max(served, key=lambda k: k.divisor) if served else None

    def make(self, backend: Any, request: Request) -> Kernel:
        """A new kernel, not yet built: what tcpc.tune() chose, or with a param at the third value of an extent, else of the numbers."""
        choice = _choices.of(backend, request)
        tuned = self._tuned(backend, request, choice) if choice else None
        if tuned is not None:
            return self._keep(tuned)
        for mode, key in enumerate(family_keys(backend, request)):
            family = self.families.setdefault(key, Family())
            self.families.move_to_end(key)
            family.seen.pop(request.extents[mode], None)
            family.seen[request.extents[mode]] = request
            while len(family.seen) > MOST_SEEN:
                family.seen.popitem(last=False)
            fitted = family.fit(mode, request) if len(family.seen) >= OPEN_AT else None
            if fitted:
                try:
                    kernel = Kernel(backend, request, mode, *fitted)
                except CompileError:
                    continue  # by numbers, then
                family.kernels.append(kernel)
                return kernel
        while len(self.families) > MOST_KERNELS:
            self.families.popitem(last=False)
        return self._keep(Kernel(backend, request))

    def _keep(self, kernel: Kernel) -> Kernel:
        self.exact[kernel.backend, kernel.request] = kernel
        while len(self.exact) > MOST_KERNELS:
            self.exact.popitem(last=False)
        return kernel

    def _tuned(self, backend: Any, request: Request, choice: _choices.Choice) -> Optional[Kernel]:
        """None: this compiler has no such candidate any more."""
        try:
            kernel = Kernel(backend, request, candidate=choice.number)
        except CompileError:
            kernel = None
        if kernel is not None and kernel.compiled.how == choice.how:
            return kernel
        _choices.keep(backend, request, None)
        return None

    def choose(self, backend: Any, request: Request, kernel: Kernel, choice: Optional[_choices.Choice]) -> None:
        """Takes this kernel, which is built, from now on, also in later processes."""
        with self.lock:
            _choices.keep(backend, request, choice)
            self._keep(kernel)
            _warm.forget()

    def build(self, backend: Any, kernels: Sequence[Kernel]) -> None:
        begin = time.perf_counter()
        backend.build(kernels)
        took = (time.perf_counter() - begin) / max(1, len(kernels))
        for kernel in kernels:
            kernel.built = took
            r = kernel.request
            extent = f", N % {kernel.divisor} for extent {kernel.mode}" if kernel.divisor else ""
            log(f"{backend.name}: {r.element[0]} -> {r.element[1]} {r.extents}:{r.source} -> {r.destination}{extent}: "
                         f"planned in {kernel.planned * 1e3:.1f} ms, built in {took * 1e3:.1f} ms")

    def kernel(self, backend: Any, request: Request, copies: bool = True) -> Kernel:
        """The kernel for it, which is built; "copies": it makes a copy now."""
        with self.lock:
            kernel = self.find(backend, request)
            if kernel is not None and kernel.ready is not None:
                self.hits += copies
            else:
                self.misses += 1
                kernel = kernel or self.make(backend, request)
                self.build(backend, [kernel])
            kernel.hits += copies
            return kernel

    def count(self, kernel: Kernel) -> None:
        """A copy by a kernel that somebody kept."""
        with self.lock:
            self.hits += 1
            kernel.hits += 1

    def prepare(self, backend: Any, requests: Sequence[Request]) -> None:
        """Builds what none of the kernels serves, all together."""
        with self.lock:
            new = []
            for request in requests:
                kernel = self.find(backend, request)
                if kernel is None:
                    new.append(self.make(backend, request))
                    self.misses += 1
            self.build(backend, new)

    def all_kernels(self) -> List[Kernel]:
        return [*self.exact.values(), *(k for family in self.families.values() for k in family.kernels)]

    def info(self) -> CacheInfo:
        from ._info import CacheInfo, KernelInfo

        load = sys.modules.get(f"{__package__}._load")
        with self.lock:
            kernels = tuple(KernelInfo(k.compiled.plan, k.backend.name, k.divisor, k.all_hits(), k.planned * 1e3, k.built * 1e3, k.compiled.how)
                            for k in self.all_kernels() if k.ready is not None)
            warm = sum(k.all_hits() - k.hits for k in self.all_kernels())
            return CacheInfo(self.hits + warm, self.misses, MOST_KERNELS, kernels, load.infos() if load is not None else ())


def family_keys(backend: Any, request: Request) -> List[Any]:
    """For each mode a key that does not have its extent, but the order of the strides."""
    e, s = request.extents, request.source
    order = tuple(sorted(range(len(s)), key=lambda i: (abs(s[i]), i))), tuple([(x > 0) - (x < 0) for x in s])
    return [(backend, request.element, request.align, order, i, e[:i], e[i + 1:]) for i in range(len(e))]


engine = Engine()


def copy(destination: Array, source: Array, modes: Modes, backend: Any, stream: Any = None, sides: Sides = OUT) -> Optional[Tuple[Copy, Kernel]]:
    """Copies the modes (extents, strides of source and destination in bytes) by a kernel, and tells which one; None: there is nothing to do."""
    if 0 in modes[0]:
        elements_of(destination, source)
        return None
    made = prepared(destination, source, modes, sides)
    if made is None:
        return None
    first = source.address + made.behind[0], destination.address + made.behind[1]
    kernel = engine.kernel(backend, made.request)
    launch(kernel, made, first, destination, source, stream)
    return made, kernel


def launch(kernel: Kernel, made: Copy, first: Tuple[int, int], destination: Array, source: Array, stream: Any) -> None:
    """Behind all that is done to the arrays on their streams."""
    backend = kernel.backend
    if stream is None:
        stream = backend.stream(destination)
    for array in source, destination:
        backend.follow(array, stream)
    backend.launch(kernel, kernel.params(made.request), first, made.bytes, stream)


def prepared(destination: Array, source: Array, modes: Modes, sides: Sides = OUT) -> Optional[Copy]:
    """The copy, checked; None: each element is where it has to be."""
    extents, from_, to = modes
    sizes, addresses = (source.itemsize, destination.itemsize), (source.address, destination.address)
    elements = elements_of(destination, source)
    made = simplify(extents, from_, to, sizes, elements, addresses)
    if elements is None and _is_itself(sizes[1], modes, addresses):
        return None
    check_apart(made, destination, source, modes, sides)
    return made
