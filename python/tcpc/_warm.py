"""Calls on PyTorch's CUDA tensors that are like an earlier one: one function in C reads the tensor, allocates the result, and launches."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections import OrderedDict
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any, List, Optional, Tuple

from . import _library

MOST_ENTRIES, MOST_SITES = 8, 1024


def _structure(name: str, fields: Any) -> Any:
    return type(name, (ctypes.Structure,), {"_fields_": fields})


DataType = _structure("DataType", [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)])
DlTensor = _structure("DlTensor", [
    ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("dtype", DataType), ("shape", POINTER(c_int64)),
    ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)])
Exchange = _structure("Exchange", [
    ("major", c_uint32), ("minor", c_uint32), ("before", c_void_p), ("allocate", c_void_p), ("managed_of", c_void_p), ("object_of", c_void_p),
    ("tensor_of", c_void_p), ("current_stream", c_void_p)])
Calls = _structure("Calls", [(name, c_void_p) for name in ("exchange", "evaluate", "get_context", "launch", "forget_error", "own", "none")])
Like = _structure("Like", [
    ("dtype", DataType), ("rank", c_int32), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("shift", c_uint64), ("behind", c_int64), ("bytes", c_int64)])
Entry = _structure("Entry", [
    ("side", Like * 2), ("device", c_int32), ("nfunctions", c_int32), ("launch", c_void_p), ("param", POINTER(c_int64)), ("function", POINTER(c_void_p)),
    ("context", c_void_p), ("hits", c_int64)])
Site = _structure("Site", [("n", c_int64), ("entry", POINTER(Entry) * MOST_ENTRIES)])


def _integers(values: Any, n: int) -> Any:
    return (c_int64 * max(1, n))(*values[:n])


class Warm:
    """"types" are those whose tensors are nothing but their memory: a subclass may be more. "checks" tell whether gradients are recorded, and what transforms functions."""

    def __init__(self, types: Tuple[type, ...], exchange: int, get_context: int, launch: int, checks: Any):
        self.types, self.lock = types, threading.Lock()
        self.grad_enabled, self.transformed = checks
        self.sites: "OrderedDict[Any, Tuple[int, Any, List[Any]]]" = OrderedDict()
        table = Exchange.from_address(exchange)
        self.tensor_of = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, POINTER(DlTensor))(table.tensor_of)
        core = ctypes.PyDLL(str(_library.find("libtcpc_core.so", "TCPC_CORE")))
        address = lambda f: ctypes.cast(f, c_void_p).value  # noqa: E731
        self.calls = Calls(exchange, address(_library.library().tcpc_launch_evaluate), get_context, launch, address(ctypes.pythonapi.PyErr_Clear),
                           address(ctypes.pythonapi.Py_IncRef), id(None))
        # Of a prototype, which is called faster than a function of the library.
        self.relayout = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_void_p, ctypes.py_object)(address(core.tcpc_core_relayout))
        self.copy = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_void_p, ctypes.py_object, ctypes.py_object)(address(core.tcpc_core_copy))
        self.at = ctypes.addressof(self.calls)

    def learn(self, key: Any, x: Any, y: Any, made: Any, kernel: Any, params: Tuple[int, ...]) -> None:
        """That this kernel makes "y" of "x"."""
        seen = DlTensor(), DlTensor()
        if self.tensor_of(x, ctypes.byref(seen[0])) or self.tensor_of(y, ctypes.byref(seen[1])):
            return
        sides = [Like(t.dtype, t.ndim, _integers(t.shape, t.ndim), _integers(t.strides, t.ndim), ((t.data or 0) + t.byte_offset) % 16, made.behind[i], made.bytes[i])
                 for i, t in enumerate(seen)]
        launcher = kernel.ready
        functions = (c_void_p * len(launcher.symbols))(*[f.value for f, _ in launcher.symbols.values()])
        entry = Entry((Like * 2)(*sides), seen[0].device_id, len(functions), ctypes.cast(kernel.compiled.launch, c_void_p), _integers(params, len(params)), functions,
                      launcher.device.context, 0)
        with self.lock:
            _, site, entries = self.sites.get(key) or (0, None, [])
            entries = [*entries, (entry, sides, kernel)][-MOST_ENTRIES:]
            site = Site(len(entries))  # a new one, as a call may be reading the other
            for i, each in enumerate(entries):
                site.entry[i] = ctypes.pointer(each[0])
            kernel.warm.append(entry)
            self.sites[key] = ctypes.addressof(site), site, entries
            while len(self.sites) > MOST_SITES:
                self.sites.popitem(last=False)


_warm: Optional[Warm] = None
_tried = False


def start(cuda: Any) -> Optional[Warm]:
    """With the exchange API of PyTorch; None where its version has none."""
    global _warm, _tried
    torch = sys.modules.get("torch")
    if _tried or torch is None:
        return _warm
    _tried = True
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.py_object, ctypes.c_char_p], c_void_p
    exchange = pointer(capsule, b"dlpack_exchange_api")
    if Exchange.from_address(exchange).major == 1 and Exchange.from_address(exchange).tensor_of:
        _warm = Warm((torch.Tensor, torch.nn.Parameter), exchange, ctypes.cast(cuda.cuCtxGetCurrent, c_void_p).value or 0, ctypes.cast(cuda.cuLaunchKernel, c_void_p).value or 0,
                     (torch.is_grad_enabled, torch._C._functorch.peek_interpreter_stack))
    return _warm


def forget() -> None:
    if _warm is not None:
        with _warm.lock:
            _warm.sites.clear()


def _is_plain(warm: Warm, x: Any) -> bool:
    """The exchange API refuses nothing: what is recorded for gradients, transformed, or not resolved goes the other way."""
    return type(x) in warm.types and not (x.requires_grad and warm.grad_enabled()) and not x.is_conj() and not x.is_neg() and warm.transformed() is None


def relayout(key: Any, x: Any) -> Any:
    """The relayout of "x"; None: it is none that was made before."""
    warm = _warm
    if warm is None:
        return None
    site = warm.sites.get(key)
    return warm.relayout(warm.at, site[0], x) if site is not None and _is_plain(warm, x) else None


def copy(key: Any, dst: Any, src: Any) -> bool:
    """Copies "src" to "dst" as it was done before, if it was."""
    warm = _warm
    if warm is None:
        return False
    site = warm.sites.get(key)
    return site is not None and _is_plain(warm, src) and _is_plain(warm, dst) and bool(warm.copy(warm.at, site[0], dst, src))
