"""What the package has to know of an array of any framework: where it lies, its shape, strides and type."""

from __future__ import annotations

import sys
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

# The types that can be converted, by the name that frameworks give them. All others move as bits.
NUMBERS = {
    "uint8": "u8", "int8": "s8", "uint16": "u16", "int16": "s16", "uint32": "u32", "int32": "s32", "uint64": "u64", "int64": "s64", "float16": "f16",
    "bfloat16": "bf16", "float32": "f32", "float64": "f64", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2"}

MOST_NAMES = 1024  # that are remembered: a structure is a type of its own


class Array(NamedTuple):
    """"strides" are in bytes. "device" is -1 for the CPU, or the number of a GPU. Types are equal when "dtype" is."""

    of: Any
    kind: str  # "numpy", "torch", "cuda", "dlpack"
    address: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    itemsize: int
    dtype: Any
    name: str  # of the type, as in NUMBERS
    writable: bool
    device: int


_numpy_names: Dict[Any, str] = {}  # which numpy makes anew each time


def _numpy_name(dtype: Any) -> str:
    if dtype.hasobject:
        raise TypeError(f"arrays of Python objects cannot be copied by a kernel: {dtype}")
    if len(_numpy_names) >= MOST_NAMES:
        _numpy_names.clear()
    name = _numpy_names[dtype] = dtype.name if dtype.isnative else str(dtype)
    return name


def _numpy(x: Any) -> Array:
    dtype = x.dtype
    name = _numpy_names.get(dtype) or _numpy_name(dtype)
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise TypeError("arrays with a mask cannot be copied; filled() makes one without")
    return Array(x, "numpy", x.__array_interface__["data"][0], x.shape, x.strides, x.itemsize, dtype, name, x.flags.writeable, -1)


_torch_names: Dict[Any, str] = {}


def _torch(x: Any, known: bool) -> Array:
    torch = sys.modules["torch"]
    if not known and type(x) not in (torch.Tensor, torch.nn.Parameter):
        raise TypeError(f"{type(x).__name__} is a subclass of torch.Tensor, which may be more than its memory; as_subclass(torch.Tensor) makes a plain one")
    if x.layout is not torch.strided:
        raise TypeError(f"a tensor of layout {x.layout} has no strides; call to_dense() first")
    if x.is_conj() or x.is_neg():
        raise ValueError("the tensor's conjugation or negation is not resolved; call resolve_conj() and resolve_neg() first")
    if not known and x.requires_grad and torch.is_grad_enabled():
        raise RuntimeError("the copy is not recorded for gradients; call it under torch.no_grad(), or on x.detach()")
    device = x.device
    if device.type not in ("cpu", "cuda"):
        raise TypeError(f"tensors on '{device.type}' cannot be copied; only those on 'cpu' and 'cuda'")
    name = _torch_names.get(x.dtype)
    if name is None:
        name = _torch_names[x.dtype] = str(x.dtype).split(".")[-1]
    size = x.element_size()
    strides = tuple([s * size for s in x.stride()])
    return Array(x, "torch", x.data_ptr(), tuple(x.shape), strides, size, x.dtype, name, True, device.index if device.type == "cuda" else -1)


def _cuda(x: Any) -> Array:
    """By __cuda_array_interface__, as CuPy and Numba have it."""
    told = x.__cuda_array_interface__
    address, read_only = told["data"]
    shape, typestr = tuple(told["shape"]), told["typestr"]
    size = int(typestr[2:])
    strides = told.get("strides")
    if told.get("mask") is not None:
        raise TypeError("arrays with a mask cannot be copied; copy its data and its mask")
    kind = {"u": "uint", "i": "int", "f": "float", "c": "complex"}.get(typestr[1]) if typestr[0] != ">" else None
    own: Any = getattr(x, "dtype", None)
    dtype = own if getattr(own, "str", None) == typestr else typestr  # numpy's knows of bfloat16, which is <V2 here
    name = "bool" if typestr[1] == "b" else f"{kind}{size * 8}" if kind else typestr if dtype is typestr else dtype.name
    device = getattr(getattr(x, "device", None), "id", None)
    if device is None:
        from ._cuda import device_of

        device = device_of(address)
    return Array(x, "cuda", address, shape, tuple(strides) if strides is not None else compact(shape, size), size, dtype, name, not read_only, device)


def describe(x: Any, known: bool = False) -> Array:
    """Of an array of numpy or PyTorch, or one with __cuda_array_interface__; raises TypeError for all else. "known": PyTorch records and transforms the call."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(x, torch.Tensor):
        return _torch(x, known)
    if numpy is not None and isinstance(x, numpy.ndarray):
        return _numpy(x)
    if type(x).__module__ == f"{__package__}._foreign":
        return x.array  # type: ignore[no-any-return]
    if hasattr(x, "__cuda_array_interface__"):
        return _cuda(x)
    raise TypeError(f"expected an array of numpy, PyTorch, CuPy or JAX, not {type(x).__name__}" + ("; np.stack() or torch.stack() makes one of several" if isinstance(x, (list, tuple)) else ""))


def compact(shape: Sequence[int], size: int) -> Tuple[int, ...]:
    """Strides in bytes, row-major."""
    strides = []
    for extent in reversed(shape):
        strides.append(size)
        size *= max(1, extent)
    return tuple(reversed(strides))


def empty(like: Array, shape: Tuple[int, ...], dtype: Optional[Any]) -> Any:
    """A new array of the framework of "like"."""
    dtype = like.dtype if dtype is None else dtype
    if like.kind == "torch":
        return sys.modules["torch"].empty(shape, dtype=dtype, device=like.of.device)
    if like.kind == "dlpack":
        from ._cuda import device
        from ._foreign import Result

        return Result(device(like.device), shape, dtype)
    module = sys.modules["numpy" if like.kind == "numpy" else type(like.of).__module__.split(".")[0]]
    if not hasattr(module, "empty"):
        raise TypeError(f"a new array like {type(like.of).__name__} cannot be made; give out=")
    place: Any = getattr(like.of, "device", None)
    if not hasattr(place, "__enter__"):
        return module.empty(shape, dtype=dtype)
    with place:  # of CuPy, which makes arrays on the current one
        return module.empty(shape, dtype=dtype)


def tell_written(x: Array) -> None:
    """Tells PyTorch, which may have kept the tensor for a gradient."""
    if x.kind == "torch":
        sys.modules["torch"].autograd.graph.increment_version(x.of)


def own_copy(destination: Any, source: Any) -> None:
    """The framework's own copy, where no kernel of ours is asked for: arrays on the CPU."""
    if hasattr(destination, "copy_") == hasattr(source, "copy_"):
        if hasattr(destination, "copy_"):
            destination.copy_(source)
        else:
            destination[...] = source
    else:
        _copy_between(destination, source)


def _copy_between(destination: Any, source: Any) -> None:
    """From numpy to PyTorch or back. Each has types that the other one lacks."""
    torch, numpy = sys.modules["torch"], sys.modules["numpy"]
    to, from_ = describe(destination, True), describe(source, True)
    bits = f"int{8 * to.itemsize}"
    if to.name == from_.name and to.itemsize <= 8:  # they move as bits
        destination, source = (x.detach().view(getattr(torch, bits)) if isinstance(x, torch.Tensor) else x.view(bits) for x in (destination, source))
    elif from_.name == "bfloat16" or from_.name.startswith("float8"):  # each is a float
        source = source.detach().float() if from_.kind == "torch" else source.astype(numpy.float32)
    if to.kind == "numpy":
        destination[...] = source.detach().numpy()
    else:
        destination.copy_(torch.from_numpy(numpy.array(source)))  # a copy, as PyTorch takes no negative strides and nothing that may only be read


def split(x: Any, expanded: Tuple[int, ...], order: Optional[Sequence[int]]) -> Any:
    """A view with the modes "expanded", in this order."""
    if type(x).__module__.startswith("torch"):
        x = x.view(expanded)
        return x if order is None else x.permute(tuple(order))
    x = x.reshape(expanded)
    return x if order is None else x.transpose(order)
