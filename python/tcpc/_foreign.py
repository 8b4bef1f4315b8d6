"""Arrays of JAX, and others that tell of their memory only by DLPack. On the CPU they are numpy's; on a GPU the memory is handed over and back, in the order of the streams."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p, c_size_t, c_uint, c_void_p
from typing import Any, Dict, List, Tuple

from ._arrays import Array, compact, describe
from ._cuda import LEGACY
from ._base import keep_lock
from ._core import DataType, DlTensor

CPU, CUDA, CUDA_MANAGED = 1, 2, 13  # of DLPack
TYPES = {**{f"{kind}{bits}": (code, bits) for code, kind in ((0, "int"), (1, "uint")) for bits in (8, 16, 32, 64)}, "float16": (2, 16), "float32": (2, 32), "float64": (2, 64),
         "bfloat16": (4, 16), "complex64": (5, 64), "complex128": (5, 128), "bool": (6, 8), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8)}  # code and bits
NAMES = {of: name for name, of in TYPES.items()}

Managed: Any = type("Managed", (ctypes.Structure,), {"_fields_": [("tensor", DlTensor), ("context", c_void_p), ("deleter", c_void_p)]})
Deleter = ctypes.CFUNCTYPE(None, c_void_p)


def is_foreign(x: Any) -> bool:
    """Neither numpy's nor PyTorch's, nor one with __cuda_array_interface__; arrays of JAX have that too, but say nothing of streams there."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.Array):
        return True
    return hasattr(x, "__dlpack__") and not any(hasattr(x, name) for name in ("__cuda_array_interface__", "__array_interface__", "requires_grad"))


def check_outside(x: Any) -> None:
    """Raises TypeError within a function that JAX transforms, where arrays have no memory."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.core.Tracer):
        raise TypeError("within jax.jit, grad or vmap an array has no memory yet; call tcpc outside of them")


def is_on_cpu(x: Any) -> bool:
    kind = int(x.__dlpack_device__()[0])
    if kind not in (CPU, CUDA, CUDA_MANAGED):
        raise TypeError(f"arrays on DLPack's device {kind} cannot be copied; only those on the CPU and on CUDA GPUs")
    return kind == CPU


def namespace(x: Any) -> Any:
    """The functions of its framework, by the array API."""
    if not hasattr(x, "__array_namespace__"):
        raise TypeError(f"a new array like {type(x).__name__} cannot be made, as it has no __array_namespace__; give out=")
    return x.__array_namespace__()


def read(capsule: Any) -> Any:
    """The tensor in a capsule of __dlpack__()."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.py_object, c_char_p], c_void_p
    return Managed.from_address(pointer(capsule, b"dltensor")).tensor


def described(x: Any, tensor: Any) -> Array:
    shape, dtype = tuple(tensor.shape[:tensor.ndim]), (tensor.dtype.code, tensor.dtype.bits * tensor.dtype.lanes)
    size = dtype[1] // 8
    if dtype[1] % 8:
        raise TypeError(f"elements of {dtype[1]} bits cannot be copied")
    strides = tuple(s * size for s in tensor.strides[:tensor.ndim]) if tensor.strides else compact(shape, size)
    return Array(x, "dlpack", (tensor.data or 0) + tensor.byte_offset, shape, strides, size, dtype, NAMES.get(dtype, str(dtype)), False, tensor.device_id)


class Source:
    """An array on a GPU, whose memory is held until the kernel has read it."""

    def __init__(self, x: Any, stream: int):
        self.capsule = x.__dlpack__(stream=stream or LEGACY)
        self.array = described(x, read(self.capsule))


class Result:
    """New memory on a GPU, which a framework takes over by DLPack."""

    def __init__(self, device: Any, shape: Tuple[int, ...], dtype: Tuple[int, int]):
        self.device, self.address, self.stream, bytes_ = device, c_void_p(), 0, dtype[1] // 8
        self.numbers = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        for extent in shape:
            bytes_ *= extent
        device._within(lambda: device._call("cuMemAllocAsync", byref(self.address), c_size_t(max(1, bytes_)), c_void_p(0)))
        size = dtype[1] // 8
        self.array = Array(self, "dlpack", self.address.value or 0, shape, compact(shape, size), size, dtype, NAMES.get(dtype, str(dtype)), True, device.index)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return CUDA, self.device.index

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        """The consumer's stream waits for what was launched."""
        if stream != -1:
            event = self.device.record(self.stream)
            self.device._within(lambda: self.device._call("cuStreamWaitEvent", c_void_p(LEGACY if stream is None else stream), event, c_uint(0)))
            self.device._call("cuEventDestroy_v2", event)
        code, bits = self.array.dtype
        managed = Managed(DlTensor(self.address, CUDA, self.device.index, len(self.array.shape), DataType(code, bits, 1), self.numbers, None, 0), None, ctypes.cast(_deleter, c_void_p).value)
        at = ctypes.addressof(managed)
        _given[at] = managed, self  # until the deleter is called
        make = ctypes.pythonapi.PyCapsule_New
        make.argtypes, make.restype = [c_void_p, c_char_p, c_void_p], ctypes.py_object
        return make(at, b"dltensor", None)

    def __del__(self) -> None:
        if self.address.value:
            try:
                self.device._within(lambda: self.device._call("cuMemFreeAsync", self.address, None))
            except RuntimeError:
                pass  # the driver has ended, or this is a child after fork: the memory is gone, or another's


_given: Dict[int, Any] = {}
_deleter = Deleter(lambda at: _given.pop(at, None) and None)
_held: List[Tuple[Any, Any, Source]] = []  # with the event after which the memory may go


_lock: Any  # of this list
keep_lock(sys.modules[__name__])


def hold(device: Any, source: Source, stream: int) -> None:
    """Keeps it until the kernel that was launched last has ended."""
    event = device.record(stream)
    with _lock:
        past = [entry for entry in _held if entry[0].is_past(entry[1])]
        _held[:] = [*(entry for entry in _held if entry not in past), (device, event, source)]
    for entry in past:  # without the lock, as a framework may have a deleter that calls
        entry[0]._call("cuEventDestroy_v2", entry[1])


def relayout(x: Any, plain: Any, out: Any, dtype: Any, backend: Any, stream: Any) -> Any:
    """The copy of a foreign array, by "plain", a function of (x, out, dtype, backend, stream): to an array like it, or to "out"."""
    check_outside(x)
    if out is not None and is_foreign(out):
        raise TypeError(f"arrays of {type(out).__module__.split('.')[0]} cannot be written")
    if is_on_cpu(x):
        import numpy

        y = plain(numpy.asarray(x), out, dtype, backend, stream)
        return y if out is not None else namespace(x).asarray(y)
    if backend == "host":
        raise ValueError("backend='host' needs arrays on the CPU")
    from ._cuda import device

    where = device(int(x.__dlpack_device__()[1]))
    if stream is None:
        stream = 0 if out is None else where.stream(describe(out))
    source = Source(x, stream)
    if out is None:
        name = None if dtype is None else getattr(dtype, "__name__", str(dtype))
        if name is not None and name not in TYPES:
            raise TypeError(f"dtype= is one of {', '.join(TYPES)}, not {dtype!r}")
        y = plain(source, None, None if name is None else TYPES[name], None, stream)
        y.stream = stream
        y = namespace(x).from_dlpack(y)
    elif dtype is not None:
        raise TypeError("the type of out= is that of the result; give no dtype=")
    else:
        y = plain(source, out, None, None, stream)
    hold(where, source, stream)
    return y
