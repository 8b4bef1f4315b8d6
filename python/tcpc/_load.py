"""Kernels of a plan as functions: arrays are checked by name against the modes of its tensors, and params are found in their extents."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import sys
import time
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library
from ._base import PlanWarning, keep_lock, log
from ._api import _backend, _is_traced, check_stream
from ._arrays import Array, NUMBERS, describe, tell_written
from ._host import Part
from ._info import LoadedInfo
from ._library import CUDA, DEVICE, value_at

if TYPE_CHECKING:
    from .algebra import Drawing, Explanation

MOST_KNOWN = 256  # calls of a kernel that are remembered
EXTENT = re.compile(r"(?:(\d+) ?\* ?)?([A-Za-z_]\w*)$|([A-Za-z_]\w*) ?\* ?(\d+)$")  # N, 8*N or N*8


class Kernel:
    """One kernel of a plan: `k(A, B, N=100)`, with its tensors in their order or by name, and its params by name where no array gives them; the others are "=found" in its repr.

    On arrays of numpy the emitted code is executed on the CPU, access by access; tensors of PyTorch and arrays of CuPy are for the GPU. What the
    kernel writes is written to the arrays; nothing is returned.
    """

    def __init__(self, plan: "LoadedPlan", number: int, launch: Any):
        self._plan, self._number = plan, number
        self.name: str = launch.name.decode()
        self.hits: Dict[int, int] = {}  # launches, by the GPU, or -1
        self._known: Dict[Any, Tuple[Any, List[int], List[int]]] = {}
        tensors = [_declared(t) for t in _tensors(launch)]
        self.tensors: Tuple[str, ...] = tuple(t.name.decode() for t in tensors)
        self.params: Tuple[str, ...] = tuple(launch.param[i].contents.name.decode() for i in range(launch.nparams))
        found = {name for t in tensors for name in _given_by(t)}
        self.__doc__ = f"{self.name}({', '.join([*map(_signature, tensors), *(f'{p}=' if p not in found else f'{p}=found' for p in self.params)])})"

    def __repr__(self) -> str:
        return f"<kernel {self.__doc__}>"

    def __call__(self, *arrays: Any, stream: Any = None, **named: Any) -> None:
        self._work(arrays, stream, named, True)

    def prepare(self, *arrays: Any, **named: Any) -> None:
        """Does all that comes before the launch of `k(A, B, N=100)`: checks the call, builds the kernel if it is the first one, and makes its tensor maps."""
        self._work(arrays, None, named, False)

    def _work(self, arrays: Sequence[Any], stream: Any, named: Mapping[str, Any], launches: bool) -> None:
        if _is_traced():
            raise RuntimeError(f"torch.compile cannot trace kernel '{self.name}' of a loaded plan; call it outside, or in a function that has @torch.compiler.disable")
        if self._plan._compiled.launches[self._number].contents.devices:
            raise NotImplementedError(f"kernel '{self.name}' is launched by all devices of a mesh; tcpc.reshard makes such a copy, and so does its launcher in C, with an end of the mesh")
        given = self._bind(arrays, named)
        first = given[self.tensors[0]] if self.tensors else None
        for name, array in given.items():
            if first is not None and array.device != first.device:
                raise ValueError(f"kernel '{self.name}': '{self.tensors[0]}' and '{name}' are on two devices")
        if first is not None:
            check_stream(stream, first)
        launch = self._plan._compiled.launches[self._number]
        tensors = _tensors(launch.contents)
        params, numbers, behind = self._checked(launch.contents, tensors, given, named)
        pointers = [given[name].address + bytes_ for name, bytes_ in zip(self.tensors, behind)]
        _library.check_launch(launch, params, pointers)
        for t, name in zip(tensors, self.tensors):
            if t.direction and launches:
                tell_written(given[name])
        backend, loaded = self._plan._build(first)
        device = -1 if first is None else first.device
        if first is None or first.device < 0:
            if not launches:
                return
            parts = [_part(t, given[name], at, params) for t, name, at in zip(tensors, self.tensors, pointers)]
            backend.call((loaded, loaded[launch.contents.launcher.decode()]), numbers, parts)
        else:
            from ._cuda import Launcher

            launcher = Launcher(backend, launch, loaded, False)
            if not launches:
                backend._within(lambda: launcher.evaluated(numbers, pointers))
                return
            work = stream if stream is not None else backend.stream(first)
            for array in given.values():
                backend.follow(array, work)
            backend._within(lambda: launcher(numbers, pointers, work))
        with _counting:
            self.hits[device] = self.hits.get(device, 0) + 1

    def _checked(self, launch: Any, tensors: Sequence[Any], given: Mapping[str, Array], named: Mapping[str, Any]) -> Tuple[Any, List[int], List[int]]:
        """All params, also as a list, and how far behind the arrays' addresses the kernel's pointers are. What was right is remembered: it depends on no address."""
        arrays, values = [given[name] for name in self.tensors], [(name, named[name]) for name in self.params if name in named]
        like = (*[(a.dtype, a.name, a.shape, a.strides, a.writable) for a in arrays], *values) if all(type(value) is int for _, value in values) else None
        known = self._known.get(like)
        if known is None:
            origins: Dict[str, str] = {}  # of the params that were found
            params = _params(self, launch, given, named, origins)
            known = params, list(params)[:len(self.params)], [_check(self, t, a, params, origins) - a.address for t, a in zip(tensors, arrays)]
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            if like is not None:
                self._known[like] = known
        return known

    def explain(self, *, params: Optional[Mapping[str, int]] = None) -> "Explanation":
        """What the compiler chose for each copy, as tcpc.explain()."""
        return self._plan.explain(self.name, params=params)

    def _repr_svg_(self) -> str:
        return self._plan.draw(self.name).svg

    def _bind(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> Dict[str, Array]:
        if len(arrays) > len(self.tensors):
            raise TypeError(f"kernel '{self.name}' has {len(self.tensors)} tensors, but {len(arrays)} arrays are given")
        given = dict(zip(self.tensors, arrays))
        for name, value in named.items():
            if name in self.tensors and name in given:
                raise TypeError(f"kernel '{self.name}': '{name}' is given twice")
            if name in self.tensors:
                given[name] = value
            elif name not in self.params:
                raise TypeError(f"kernel '{self.name}' has no tensor or param '{name}'; it has {', '.join([*self.tensors, *self.params])}")
        missing = [name for name in self.tensors if name not in given]
        if missing:
            raise TypeError(f"kernel '{self.name}' needs an array for '{missing[0]}'")
        return {name: describe(given[name]) for name in self.tensors}


def _tensors(launch: Any) -> List[Any]:
    return [launch.tensor[i].contents for i in range(launch.ntensors)]


def _declared(t: Any) -> Any:
    """The tensor as the plan declares it; the planner merges and sorts its modes."""
    return t.declared.contents if t.declared else t


def _signature(t: Any) -> str:
    return f"{('', 'out ', 'inout ')[t.direction]}{t.name.decode()} : {t.element.decode()} {t.layout.decode()}"


def _given_by(t: Any) -> List[str]:
    """The params that an array for this tensor gives, by an extent or by a stride."""
    modes = [t.mode[j].contents for j in range(t.nmodes)]
    extents = [match[2] or match[3] for match in (EXTENT.match(mode.extent.text.decode()) for mode in modes) if match]
    return [*extents, *(mode.stride.text.decode() for mode in modes)]


def _params(k: Kernel, launch: Any, given: Mapping[str, Array], named: Mapping[str, Any], origins: Dict[str, str]) -> Any:
    """All params: those that are given, those that an extent of an array gives, and those that are the stride of a mode of several elements."""
    found: Dict[str, int] = {}
    for name in k.params:
        if name in named:
            if isinstance(named[name], bool) or not hasattr(named[name], "__index__"):
                raise TypeError(f"kernel '{k.name}': param '{name}' is an integer, not {named[name]!r}")
            found[name] = named[name].__index__()
            if not -(1 << 63) <= found[name] < 1 << 63:
                raise OverflowError(f"kernel '{k.name}': param '{name}' does not fit 64 bits: {found[name]}")
    for t, of in zip(map(_declared, _tensors(launch)), k.tensors):
        array = given[of]
        for j in range(min(t.nmodes, len(array.shape))):
            match = EXTENT.match(t.mode[j].contents.extent.text.decode())
            if not match or len(array.shape) != t.nmodes:
                continue
            name, factor = match[2] or match[3], int(match[1] or match[4] or 1)
            if name in k.params and name not in found and factor:
                if array.shape[j] % factor:
                    raise ValueError(f"kernel '{k.name}': '{t.name.decode()}' has {array.shape[j]} elements in dimension {j}, which is no multiple of {factor}: the plan has {factor}*{name}")
                found[name], origins[name] = array.shape[j] // factor, of
    for t, of in zip(map(_declared, _tensors(launch)), k.tensors):
        array = given[of]
        if len(array.shape) != t.nmodes or 0 in array.shape:
            continue
        for j, step in enumerate(array.strides):
            name = t.mode[j].contents.stride.text.decode()
            if name in k.params and name not in found and array.shape[j] > 1 and step % array.itemsize == 0:
                found[name], origins[name] = step // array.itemsize, of
    missing = [name for name in k.params if name not in found]
    if missing:
        raise TypeError(f"kernel '{k.name}' needs {missing[0]}=, which no extent and no stride gives")
    return (ctypes.c_int64 * max(1, len(k.params)))(*[found[name] for name in k.params])


def _check(k: Kernel, tensor: Any, array: Array, params: Any, origins: Mapping[str, str]) -> int:
    """That the array is what the plan declares; returns the kernel's pointer."""
    t = _declared(tensor)
    name, element = t.name.decode(), t.element.decode()
    begin = f"kernel '{k.name}': '{name}'"
    if NUMBERS.get(array.name) != element and not (element == f"b{array.itemsize * 8}"):
        raise TypeError(f"{begin} is of type {element} in the plan, but the array has {array.dtype}{_converted(name, element, array)}")
    if t.direction != 0 and not array.writable:
        raise ValueError(f"{begin} is written by the kernel, but the array is read-only")
    if 0 not in array.shape and any(step % array.itemsize for step, n in zip(array.strides, array.shape) if n > 1):
        raise ValueError(f"{begin} has elements of {array.itemsize} bytes in the array, but a stride that is no multiple of it")
    if len(array.shape) != t.nmodes:
        raise ValueError(f"{begin} has {t.nmodes} modes in the plan, {t.layout.decode()}, but the array has {len(array.shape)} dimensions")
    modes = [t.mode[i].contents for i in range(t.nmodes)]
    places = [f"dimension {i} ({mode.name.decode()})" if mode.name else f"dimension {i}" for i, mode in enumerate(modes)]
    for n, mode, place in zip(array.shape, modes, places):
        extent = value_at(mode.extent, params)
        if n != extent:
            text = mode.extent.text.decode()
            raise ValueError(f"{begin} has {extent} elements in {place}, {text} in the plan, but the array has {n}{_origin(text, k, params, origins)}")
    below = 0
    for n, step, mode, place in zip(array.shape, array.strides, modes, places):
        if n == 1 or 0 in array.shape:  # the stride has no meaning
            continue
        stride = value_at(mode.stride, params)
        below += min(0, stride * (n - 1))
        if step != stride * array.itemsize:
            raise ValueError(f"{begin} has stride {stride} in {place}, {mode.stride.text.decode()} in the plan, but the array has {step // array.itemsize}{_origin(mode.stride.text.decode(), k, params, origins)}")
    pointer = _lowest(array) - (value_at(t.offset, params) + below) * array.itemsize
    behind = pointer + value_at(tensor.bytes, params) - _end(array)
    if t.swizzled and behind > 0:
        raise ValueError(f"{begin} has a swizzle, which reaches {behind} bytes behind the array's last element")
    return pointer


def _converted(name: str, element: str, array: Array) -> str:
    """How an array of another type can be given, for a message."""
    wanted, declared = {ours: theirs for theirs, ours in NUMBERS.items()}.get(element), NUMBERS.get(array.name)
    if wanted is None or declared is None:
        return ""
    call = f".to(torch.{wanted})" if array.kind == "torch" else f".astype(np.{wanted})" if wanted.rstrip("0123456789") in ("int", "uint", "float") else f".astype('{wanted}')"
    return f"; convert with {call}, or declare {name} : {declared}, which then converts in the copy"


def _origin(text: str, k: Kernel, params: Any, origins: Mapping[str, str]) -> str:
    """Where the values of the params in an expression are from."""
    used = [(i, p) for i, p in enumerate(k.params) if re.search(rf"\b{p}\b", text)]
    return "".join(f"; {p} = {params[i]}" + (f", from '{origins[p]}'" if p in origins else " is from the call") for i, p in used)


def _lowest(array: Array) -> int:
    return array.address + sum(min(0, step * (n - 1)) for step, n in zip(array.strides, array.shape) if 0 not in array.shape)


def _end(array: Array) -> int:
    """Behind its last byte."""
    return _lowest(array) + sum(abs(step) * (n - 1) for step, n in zip(array.strides, array.shape)) + array.itemsize


def _part(t: Any, array: Array, pointer: int, params: Any) -> Part:
    """The bytes of the array that the host run copies."""
    if 0 in array.shape:
        return Part(pointer, 0, 0, 0, False)
    low = _lowest(array)
    return Part(pointer, value_at(t.bytes, params), low - pointer, _end(array) - low, t.direction != 0)


_lock: Any  # while one is built
_counting: Any  # never held for long
keep_lock(sys.modules[__name__])
keep_lock(sys.modules[__name__], "_counting")


class LoadedPlan:
    """What `tcpc.load` makes: the kernels of a plan, as attributes: `plan.copy_all(A, B)`. "kernels" has them by name."""

    def __init__(self, path: pathlib.Path, defines: Mapping[str, Any], arch: Optional[str]):
        self.path = path
        self._source = _library.Source(path.name, str(path.parent), tuple((key, str(value)) for key, value in defines.items()), arch)
        self._text = path.read_bytes()
        self._built: Dict[int, Tuple[Any, Any]] = {}
        self._took: Dict[int, float] = {}  # seconds, as "planned"
        begin = time.perf_counter()
        self._compiled = self._compile(DEVICE)
        self._planned = time.perf_counter() - begin
        for told in self._compiled.warnings:
            warnings.warn(told, PlanWarning, stacklevel=3)
        self.kernels: Dict[str, Kernel] = {}
        for i, launch in enumerate(self._compiled.launches):
            kernel = Kernel(self, i, launch.contents)
            self.kernels[kernel.name] = kernel
        with _lock:
            _plans.add(self)

    def _compile(self, emit: int) -> Any:
        return _library.compile_plan(self._text, self._source, emit)

    def _build(self, like: Optional[Array]) -> Tuple[Any, Any]:
        """The backend for this array, and what it loaded."""
        device = -1 if like is None else like.device
        with _lock:
            if device not in self._built:
                folder, backend = str(self.path.parent), _backend("host" if device < 0 else "cuda", like or _NOWHERE)
                compiled, begin = self._compiled, time.perf_counter()
                self._built[device] = backend, backend.load(self._compile(CUDA).output, folder) if device < 0 else backend.load(compiled.output, compiled.launches, folder)
                self._took[device] = time.perf_counter() - begin
                log(f"{'host' if device < 0 else f'cuda:{device}'}: {self.path.name}: {', '.join(self.kernels)}: built in {self._took[device] * 1e3:.1f} ms")
            return self._built[device]

    def explain(self, kernel: Optional[str] = None, *, params: Optional[Mapping[str, int]] = None) -> "Explanation":
        """What the compiler chose for each copy, as tcpc.explain()."""
        from .algebra import explain

        return explain(self._text.decode(), kernel, params=params, source=self._source)

    def draw(self, name: Optional[str] = None, view: Optional[str] = None, thread: int = 0, *, params: Optional[Mapping[str, int]] = None) -> "Drawing":
        """A drawing of what is called "name", as tcpc.draw()."""
        from .algebra import draw

        return draw(self._text.decode(), name, view, thread, params=params, source=self._source)

    def __getattr__(self, name: str) -> Kernel:
        kernels: Dict[str, Kernel] = self.__dict__.get("kernels", {})
        if name in kernels:
            return kernels[name]
        raise AttributeError(f"the plan has no kernel '{name}'; it has {', '.join(kernels) or 'none'}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.kernels]

    def __repr__(self) -> str:
        return f"<plan {self.path.name}: {', '.join(self.kernels)}>"


_plans: "weakref.WeakSet[LoadedPlan]" = weakref.WeakSet()


def infos() -> Tuple[LoadedInfo, ...]:
    """Of all kernels that were built and that somebody has."""
    with _lock:
        return tuple(LoadedInfo(str(plan.path), kernel.name, backend.name, kernel.hits.get(device, 0), plan._planned * 1e3, plan._took[device] * 1e3)
                     for plan in sorted(_plans, key=lambda plan: str(plan.path)) for device, (backend, _) in plan._built.items() for kernel in plan.kernels.values())


_NOWHERE = Array(None, "numpy", 0, (), (), 1, None, "uint8", True, -1)


def load(path: Union[str, "os.PathLike[str]"], *, defines: Optional[Mapping[str, Any]] = None, arch: Optional[str] = None) -> LoadedPlan:
    """The kernels of the plan in a file, as functions.

        plan = tcpc.load("transpose.tcp", defines={"TILE": 64})
        plan.transpose(A, B)          # tensors in the order of the kernel, or by name
        plan.transpose(A=a, B=b, N=100)

    Such a plan, where N is found in the shape of "A" and ld in the stride of the rows of "B", that may be longer than N:

        tcp 1;
        param N : index in 1 .. 4096;
        param ld : index where ld >= N;
        tensor A : f32 global row(N, 64) align 4;
        tensor B : f32 global (64, N):(ld, 1) align 4;
        kernel transpose(A, out B) { copy A -> select(B, (1, 0)); }

    Args:
        path: the file. What it imports, and headers of extern functions, are looked for in its folder.
        defines: values of its constants, instead of its own.
        arch: the architecture, "sm_90", instead of its own.

    Raises:
        TypeError: "arch" is no text.
        CompileError: the plan is wrong; the exception has the place, the notes and the fix-its.
        OSError: the file cannot be read.
    """
    if arch is not None and not isinstance(arch, str):
        raise TypeError(f"arch is a text, such as 'sm_90', not {arch!r}")
    return LoadedPlan(pathlib.Path(path), defines or {}, arch)
