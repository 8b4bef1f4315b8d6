"""The warm path: one function in C reads the tensor, allocates the result, and launches. Here are its structures, and what it learns."""

from __future__ import annotations

import ctypes
import functools
import sys
from ctypes import POINTER, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _library
from ._base import keep_lock

MOST_ENTRIES, MOST_SITES = 64, 1024  # permute(x, (1, 0)) is one site for all shapes of a program


def _structure(name: str, fields: Any) -> Any:
    return type(name, (ctypes.Structure,), {"_fields_": fields})


DataType = _structure("DataType", [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)])
DlTensor = _structure("DlTensor", [
    ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("dtype", DataType), ("shape", POINTER(c_int64)),
    ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)])
Exchange = _structure("Exchange", [
    ("major", c_uint32), ("minor", c_uint32), ("before", c_void_p), ("allocate", c_void_p), ("managed_of", c_void_p), ("object_of", c_void_p),
    ("tensor_of", c_void_p), ("current_stream", c_void_p)])
Calls = _structure("Calls", [
    *[(name, c_void_p) for name in ("exchange", "get_context", "launch", "is_capturing", "none", "yes", "no", "integer", "tuple", "shape", "type", "about_tensor", "about_state", "grad_enabled", "written", "empty", "reader")],
    *[(name, c_int32) for name in ("ntypes", "nabout_tensor", "nabout_state", "below")], ("within", c_int64), ("sites", c_void_p),
    ("sites_of_what", c_void_p)])
Question = _structure("Question", [
    ("object", c_void_p), ("name", c_void_p), ("answer", c_void_p), ("way", c_int32), ("of_grad", c_int32), ("native", c_void_p)])
READS = "data", "shape", "strides", "rank", "layout", "dtype", "device_type", "device"
Reader = _structure("Reader", [*[(name, c_void_p) for name in READS], *[(name, c_int32) for name in ("strided", "ntypes", "nkinds")], ("type", POINTER(DataType)), ("kind", POINTER(c_int32))])
FUNCTION, ATTRIBUTE, METHOD, ITEM, NATIVE, BEHIND, LIST = range(7)  # the ways to ask
Method = _structure("Method", [("name", ctypes.c_char_p), ("function", c_void_p), ("flags", c_int32), ("doc", ctypes.c_char_p)])  # PyMethodDef
METH_FASTCALL = 0x80
Like = _structure("Like", [
    ("dtype", DataType), ("rank", c_int32), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("shift", c_uint64), ("behind", c_int64), ("bytes", c_int64)])
Entry = _structure("Entry", [
    ("side", Like * 2), ("kind", c_int32), ("device", c_int32), ("context", c_void_p), ("function", c_void_p), ("grid", c_uint32 * 3), ("threads", c_uint32), ("shared_bytes", c_uint32),
    ("place", c_int32 * 2), ("arguments", c_void_p), ("argument_bytes", c_size_t), ("result", c_void_p), ("hits", c_int64), ("captured", c_int64)])
Door = _structure("Door", [*[(name, c_void_p) for name in ("function", "what", "type", "dtype", "out", "backend", "stream")], *[(name, c_int32) for name in ("nargs", "x", "at", "axes", "copies")]])
MOST_DOORS = 5
Doors = _structure("Doors", [("calls", c_void_p), ("python", c_void_p), ("door", Door * MOST_DOORS)])
Site = _structure("Site", [("n", c_int64), ("what", c_void_p), ("entry", c_void_p * MOST_ENTRIES)])


def _address(function: Any) -> int:
    return ctypes.cast(function, c_void_p).value or 0


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """The library; None where it is that of another version."""
    core = ctypes.PyDLL(str(_library.find("libtcpc_core.so", "TCPC_CORE")))
    sizes = [ctypes.c_size_t(ctypes.sizeof(structure)) for structure in (Calls, Question, Reader, Entry, Site, Doors)]
    return core if hasattr(core, "tcpc_core_fits") and core.tcpc_core_fits(*sizes) else None


def _integers(values: Any, n: int) -> Any:
    return (c_int64 * max(1, n))(*values[:n])


def tensor_of(exchange: int) -> Any:
    """The function of an exchange API that reads a tensor."""
    return ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, POINTER(DlTensor))(Exchange.from_address(exchange).tensor_of)


class Ask(NamedTuple):
    """What is asked before each call: a function, "object"; an attribute or a method of the tensor; an item of a dict, "object". Another answer than "answer"
    goes the other way. Or it is asked of a library, by the address of a function: of the reference to the tensor, or of what is behind that; or for a vector."""

    answer: Any
    way: int
    name: Optional[str] = None
    object: Any = None
    of_grad: bool = False
    native: int = 0


class Opening(NamedTuple):
    """A function of Python whose calls are looked at in C first: relayout(x, what, ..) where "type" is that of what, or "what" where that is no argument.
    "names" are its arguments that have one, and "at" the places of x and what; "axes": other names are extents."""

    function: Any
    names: Tuple[str, ...]
    nargs: int
    type: Any = None
    what: Any = None
    at: Tuple[int, int] = (0, 1)
    axes: bool = False
    copies: bool = False  # it is (dst, src)


_doors: List[Any] = []  # all that there were: a call may be reading one


def entry(openings: Sequence[Opening], calls: Any) -> int:
    """The address of what the interpreter shall call for each of these functions: it executes a call that is not like an earlier one; with None as "calls", each.
    0: this Python does not tell how it executes functions."""
    if not hasattr(ctypes.pythonapi, "PyVectorcall_Function") or any(type(o.function) is not type(_untouched) for o in openings):
        return 0
    of = ctypes.pythonapi.PyVectorcall_Function
    of.argtypes, of.restype = [ctypes.py_object], c_void_p
    made = Doors(calls and ctypes.addressof(calls), of(_untouched))
    for i, o in enumerate(openings):
        names = [id(sys.intern(name)) if name in o.names else None for name in ("dtype", "out", "backend", "stream")]
        made.door[i] = Door(id(o.function), *[None if x is None else id(x) for x in (o.what, o.type)], *names, o.nargs, *o.at, o.axes, o.copies)
    _doors.append((made, openings, calls))
    core = library()
    core.tcpc_core_open.restype = c_void_p
    address: int = core.tcpc_core_open(ctypes.byref(made)) if made.python else 0
    return address


def open_doors(openings: Sequence[Opening], calls: Any) -> bool:
    """From now on these functions are called by `entry`; False: this Python is one without PyFunction_SetVectorcall, which 3.12 has."""
    call = entry(openings, calls) if hasattr(ctypes.pythonapi, "PyFunction_SetVectorcall") else 0
    if call:
        set_call = ctypes.pythonapi.PyFunction_SetVectorcall
        set_call.argtypes, set_call.restype = [ctypes.py_object, c_void_p], None
        for o in openings:
            set_call(o.function, call)
    return call != 0


def _untouched() -> None:
    """A function of which we know how it is executed."""


ABOUT_TENSOR = Ask(False, ATTRIBUTE, "requires_grad", of_grad=True), Ask(False, METHOD, "is_conj"), Ask(False, METHOD, "is_neg")


class Framework(NamedTuple):
    """What `Warm` needs of one. "types" are those whose tensors are nothing but their memory: a subclass may be more. "exchange" is the address of its exchange API.
    "within": where a tensor's object has the reference that libraries are asked of. "empty" makes a tensor of shape, strides and type on the current
    device, and "reader" tells what tensors are; without them the exchange API does both, which takes longer."""

    types: Tuple[type, ...]
    exchange: int
    grad_enabled: Any
    written: Any
    about_state: Sequence[Ask]
    about_tensor: Sequence[Ask] = ABOUT_TENSOR
    within: int = 0
    empty: Any = None
    reader: Any = None


class Warm:
    """"driver" are addresses of three of its functions."""

    def __init__(self, framework: Framework, driver: Tuple[int, int, int]):
        self.lock: Any
        keep_lock(self, "lock")
        self.sites: Dict[Any, Tuple[int, Any, List[Any], Any]] = {}
        self.sites_of_what: Dict[Any, Tuple[int, Any, List[Any], Any]] = {}
        f, core = framework, library()
        self.tensor_of = tensor_of(f.exchange)
        shape, types, about_tensor, about_state = sys.intern("shape"), (c_void_p * len(f.types))(*map(id, f.types)), self._questions(f.about_tensor), self._questions(f.about_state)
        self.framework, self._held = f, (shape, types, about_tensor, about_state)
        self.calls = Calls(f.exchange, *driver, id(None), id(True), id(False), id(int), id(tuple), id(shape),
                           *map(ctypes.addressof, self._held[1:]), id(f.grad_enabled), id(f.written),
                           None if f.empty is None else id(f.empty), f.reader and ctypes.addressof(f.reader), len(f.types), len(f.about_tensor), len(f.about_state), 0, f.within, id(self.sites), id(self.sites_of_what))
        self.calls_below = Calls.from_buffer_copy(self.calls)
        self.calls_below.below, self.calls_below.reader = 1, None  # its tensors may be of other types
        self._methods: List[Any] = []
        self.call = self._builtin("call", core.tcpc_core_relayout, self.calls)
        self.below = self._builtin("below", core.tcpc_core_relayout, self.calls_below)
        self.copy = self._builtin("copy", core.tcpc_core_copy, self.calls)

    def _questions(self, asks: Sequence[Ask]) -> Any:
        return (Question * max(1, len(asks)))(*[Question(*[None if x is None else id(x) for x in (a.object, a.name and sys.intern(a.name))], id(a.answer), a.way, a.of_grad, a.native)
                                              for a in asks])

    def _builtin(self, name: str, function: Any, calls: Any) -> Any:
        """A builtin function that is given the structure's address."""
        method, at = Method(name.encode(), _address(function), METH_FASTCALL, None), ctypes.addressof(calls)
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.argtypes, make.restype = [c_void_p, ctypes.py_object, c_void_p], ctypes.py_object
        self._methods.append(method)
        return make(ctypes.addressof(method), at, None)

    def learn(self, key: Any, x: Any, y: Any, made: Any, kernel: Any, params: Tuple[int, ...]) -> None:
        """That this kernel makes "y" of "x"."""
        seen = DlTensor(), DlTensor()
        if self.tensor_of(x, ctypes.byref(seen[0])) or self.tensor_of(y, ctypes.byref(seen[1])):
            return
        likes = tuple((bytes(t.dtype), *t.shape[:t.ndim], *t.strides[:t.ndim], ((t.data or 0) + t.byte_offset) % 16) for t in seen)
        alike = *likes, made.behind, made.bytes, params, self.framework.empty is None
        with self.lock:
            if alike not in kernel.warm:  # else the one that went, or that of another key
                kernel.warm[alike] = self._entry(seen, made, kernel, params, (tuple(y.shape), tuple(y.stride()), y.dtype) if self.framework.empty else None)
                kernel.ready.code.entries.append(kernel.warm[alike])
            entries = self.sites[key][2] if key in self.sites else []
            entries = [*(e for e in entries if e[0] is not kernel.warm[alike]), (kernel.warm[alike], kernel)][-MOST_ENTRIES:]
            site = Site(len(entries), id(key[0]) if self._has_only_what(key) else None)  # a new one, as a call may be reading the other
            site.entry[:len(entries)] = [ctypes.addressof(entry) for entry, _ in entries]
            self.sites.pop(key, None)
            self.sites[key] = ctypes.addressof(site), site, entries, key
            if self._has_only_what(key):
                self.sites_of_what[key[0]] = self.sites[key]
            while len(self.sites) > MOST_SITES:
                oldest = next(iter(self.sites))
                if self._has_only_what(oldest):
                    del self.sites_of_what[oldest[0]]
                del self.sites[oldest]

    @staticmethod
    def _has_only_what(key: Tuple[Any, ...]) -> bool:
        return key[1:] == (None, True)

    def forget(self) -> None:
        with self.lock:
            self.sites.clear()
            self.sites_of_what.clear()

    def _entry(self, seen: Any, made: Any, kernel: Any, params: Tuple[int, ...], result: Any) -> Any:
        sides = [Like(t.dtype, t.ndim, _integers(t.shape, t.ndim), _integers(t.strides, t.ndim), ((t.data or 0) + t.byte_offset) % 16, made.behind[i], made.bytes[i])
                 for i, t in enumerate(seen)]
        launch = kernel.ready.evaluated(params, [(t.data or 0) + t.byte_offset + behind for t, behind in zip(seen, made.behind)])
        entry = Entry((Like * 2)(*sides), seen[0].device_type, seen[0].device_id, kernel.ready.device.context, launch.function.handle, launch.call.grid,
                      launch.variant.threads, launch.variant.shared_bytes, (c_int32 * 2)(*launch.function.places), launch.arguments, launch.variant.argument_bytes, id(result), 0, 0)
        entry.held = sides, result, launch  # what it points to
        return entry


def exchange_of(torch: Any) -> int:
    """The address of PyTorch's exchange API; 0 where its version has none."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return 0
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.py_object, ctypes.c_char_p], c_void_p
    exchange: int = pointer(capsule, b"dlpack_exchange_api")
    table = Exchange.from_address(exchange)
    return exchange if table.major == 1 and table.tensor_of else 0


def of_torch(torch: Any, cuda: Any) -> Optional[Warm]:
    """With the exchange API of PyTorch; None where its version has none."""
    exchange = exchange_of(torch)
    if not exchange or library() is None:
        return None
    from . import _native

    driver = _address(cuda.cuCtxGetCurrent), _address(cuda.cuLaunchKernel), _address(cuda.cuStreamIsCapturing)
    return Warm(_native.framework(torch, exchange, "cuda"), driver)
