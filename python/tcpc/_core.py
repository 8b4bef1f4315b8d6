"""The warm path: one function in C reads the tensor, allocates the result, and launches. Here are its structures, and what it learns."""

from __future__ import annotations

import ctypes
import functools
import sys
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
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
    *[(name, c_void_p) for name in ("exchange", "evaluate", "get_context", "launch", "is_capturing", "none", "yes", "no", "integer", "tuple", "shape", "type", "about_tensor", "about_state", "grad_enabled", "written", "empty")],
    *[(name, c_int32) for name in ("ntypes", "nabout_tensor", "nabout_state", "below")], ("within", c_int64), ("sites", c_void_p),
    ("sites_of_what", c_void_p)])
Question = _structure("Question", [
    ("object", c_void_p), ("name", c_void_p), ("answer", c_void_p), ("is_method", c_int32), ("of_grad", c_int32), ("native", c_void_p), ("is_behind", c_int64)])
Method = _structure("Method", [("name", ctypes.c_char_p), ("function", c_void_p), ("flags", c_int32), ("doc", ctypes.c_char_p)])  # PyMethodDef
METH_FASTCALL = 0x80
Like = _structure("Like", [
    ("dtype", DataType), ("rank", c_int32), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("shift", c_uint64), ("behind", c_int64), ("bytes", c_int64)])
Entry = _structure("Entry", [
    ("side", Like * 2), ("kind", c_int32), ("device", c_int32), ("nfunctions", c_int32), ("launch", c_void_p), ("param", POINTER(c_int64)), ("function", POINTER(c_void_p)),
    ("context", c_void_p), ("result", c_void_p), ("hits", c_int64), ("captured", c_int64)])
Site = _structure("Site", [("n", c_int64), ("entry", c_void_p * MOST_ENTRIES)])


def _address(function: Any) -> int:
    return ctypes.cast(function, c_void_p).value or 0


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """The library; None where it is that of another version."""
    core = ctypes.PyDLL(str(_library.find("libtcpc_core.so", "TCPC_CORE")))
    sizes = [ctypes.c_size_t(ctypes.sizeof(structure)) for structure in (Calls, Question, Entry, Site)]
    return core if hasattr(core, "tcpc_core_fits") and core.tcpc_core_fits(*sizes) else None


def _integers(values: Any, n: int) -> Any:
    return (c_int64 * max(1, n))(*values[:n])


class Ask(NamedTuple):
    """What is asked before each call: an attribute of "object", or of the tensor; without a name a function. Another answer than "answer" goes the other way.
    "native" is a function of the framework's that answers the same; "is_behind": it takes what a tensor's object has a reference to."""

    answer: Any
    name: Optional[str] = None
    object: Any = None
    is_method: bool = False
    of_grad: bool = False
    native: int = 0
    is_behind: bool = False


ABOUT_TENSOR = Ask(False, "requires_grad", of_grad=True), Ask(False, "is_conj", is_method=True), Ask(False, "is_neg", is_method=True)


class Warm:
    """"types" are those whose tensors are nothing but their memory: a subclass may be more. "driver" are addresses of three of its functions. "about_state" are questions of the framework's state.
    "empty" makes a tensor of shape, strides and type on the current device; without it the exchange API does, which takes longer."""

    def __init__(self, types: Tuple[type, ...], exchange: int, driver: Tuple[int, int, int], grad_enabled: Any, written: Any, about_state: Sequence[Ask],
                 about_tensor: Sequence[Ask] = ABOUT_TENSOR, within: int = 0, empty: Any = None):
        self.lock: Any
        keep_lock(self, "lock")
        self.sites: Dict[Any, Tuple[int, Any, List[Any]]] = {}
        self.sites_of_what: Dict[Any, Tuple[int, Any, List[Any]]] = {}
        table = Exchange.from_address(exchange)
        self.tensor_of = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, POINTER(DlTensor))(table.tensor_of)
        core = library()
        shape, type_ids = sys.intern("shape"), (c_void_p * len(types))(*map(id, types))
        asks = self._questions(about_tensor), self._questions(about_state)
        self.empty = empty
        self.calls = Calls(exchange, _address(_library.library().tcpc_launch_evaluate), *driver, id(None), id(True), id(False), id(int), id(tuple), id(shape),
                           *[ctypes.addressof(x) for x in (type_ids, *asks)], id(grad_enabled), id(written), None if empty is None else id(empty),
                           len(types), len(about_tensor), len(about_state), 0, within, id(self.sites), id(self.sites_of_what))
        self.calls_below = Calls.from_buffer_copy(self.calls)
        self.calls_below.below = 1
        self._held = types, shape, type_ids, asks, grad_enabled, written, about_state, about_tensor
        self._methods: List[Any] = []
        self.call = self._builtin("call", core.tcpc_core_relayout, self.calls)
        self.below = self._builtin("below", core.tcpc_core_relayout, self.calls_below)
        self.copy = self._builtin("copy", core.tcpc_core_copy, self.calls)

    def _questions(self, asks: Sequence[Ask]) -> Any:
        return (Question * max(1, len(asks)))(*[Question(None if a.object is None else id(a.object), a.name and id(sys.intern(a.name)), id(a.answer), a.is_method, a.of_grad, a.native, a.is_behind)
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
        alike = *likes, made.behind, made.bytes, params, self.empty is None
        with self.lock:
            if alike not in kernel.warm:  # else the one that went, or that of another key
                kernel.warm[alike] = self._entry(seen, made, kernel, params, (tuple(y.shape), tuple(y.stride()), y.dtype) if self.empty else None)
                kernel.ready.code.entries.append(kernel.warm[alike])
            _, site, entries = self.sites.get(key) or (0, None, [])
            entries = [*(e for e in entries if e[0] is not kernel.warm[alike]), (kernel.warm[alike], kernel)][-MOST_ENTRIES:]
            site = Site(len(entries))  # a new one, as a call may be reading the other
            site.entry[:len(entries)] = [ctypes.addressof(entry) for entry, _ in entries]
            self.sites.pop(key, None)
            self.sites[key] = ctypes.addressof(site), site, entries
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
        launcher = kernel.ready
        functions = (c_void_p * len(launcher.symbols))(*[f.handle.value for f in launcher.symbols.values()])
        entry = Entry((Like * 2)(*sides), seen[0].device_type, seen[0].device_id, len(functions), ctypes.cast(kernel.compiled.launch, c_void_p), _integers(params, len(params)), functions,
                      launcher.device.context, id(result), 0, 0)
        entry.held = sides, result  # what it points to
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
    return Warm((torch.Tensor, torch.nn.Parameter), exchange, driver, torch.is_grad_enabled, torch._C._increment_version, *_native.questions(torch), _native.empty(torch, "cuda"))
