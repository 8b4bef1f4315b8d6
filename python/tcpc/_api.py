"""relayout, permute, contiguous and copy_."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from . import _pattern, _warm
from ._arrays import Array, describe, empty, own_copy, split
from ._engine import Copy, CacheInfo, copy, engine, prepared

Modes = Tuple[Sequence[int], Sequence[int], Sequence[int]]


def _backend(name: Optional[str], array: Array) -> Any:
    """Where the copy is made; None: by the framework itself, on the CPU."""
    if name not in (None, "host", "cuda"):
        raise ValueError(f"backend is 'host', 'cuda' or None, not {name!r}")
    if name == "host":
        if array.device >= 0:
            raise ValueError("backend='host' needs arrays on the CPU")
        from ._host import HOST

        return HOST
    if array.device >= 0:
        from ._cuda import device

        return device(array.device)
    if name == "cuda":
        raise ValueError("backend='cuda' needs arrays on a GPU")
    return None


def _check_pair(destination: Array, source: Array) -> None:
    if destination.device != source.device:
        raise ValueError(f"expected both arrays on one device, but found {_where(source)} and {_where(destination)}")
    if not destination.writable:
        raise ValueError("the destination is read-only")


def _where(array: Array) -> str:
    return "cpu" if array.device < 0 else f"cuda:{array.device}"


def _result(source: Array, shape: Tuple[int, ...], out: Any, dtype: Any) -> Array:
    if out is None:
        return describe(empty(source, shape, dtype))
    destination = describe(out)
    if destination.shape != shape:
        raise ValueError(f"out has shape {destination.shape}, but the result has {shape}")
    if dtype is not None and destination.dtype != describe(empty(source, (0,), dtype)).dtype:
        raise TypeError(f"out has type {destination.dtype}, but dtype is {dtype}")
    return destination


def _by_axes(source: Array, destination: Array, bound: _pattern.Bound) -> Modes:
    names = [axis for group in bound.right for axis in group]
    from_ = _pattern.strides_of(bound.left, bound.extent, source.strides)
    to = _pattern.strides_of(bound.right, bound.extent, destination.strides)
    return [bound.extent[n] for n in names], [from_[n] for n in names], [to[n] for n in names]


def _run(source: Array, destination: Array, bound: _pattern.Bound, backend: Optional[str], stream: Any, key: Any) -> Any:
    """"key": of a call that may come again."""
    _check_pair(destination, source)
    where = _backend(backend, source)
    if where is None:
        left, right = ([axis for group in groups for axis in group] for groups in (bound.left, bound.right))
        expanded = [tuple(bound.extent[axis] for axis in axes) for axes in (left, right)]
        own_copy(split(destination.of, expanded[1], None), split(source.of, expanded[0], [left.index(axis) for axis in right]))
    else:
        done = copy(destination, source, _by_axes(source, destination, bound), where, stream)
        _learn(key, destination, source, where, done)
    return destination.of


def _learn(key: Any, destination: Array, source: Array, where: Any, done: Optional[Tuple[Copy, Any]]) -> None:
    """For the next call with this key."""
    if done and key is not None and source.kind == destination.kind == "torch" and source.device >= 0:
        warm = _warm.start(where.cuda)
        if warm is not None:
            warm.learn(key, source.of, destination.of, done[0], done[1], done[1].params(done[0].request))


def _again(key: Any, x: Any, out: Any) -> Any:
    """The result of a call like an earlier one with this key; None: there was none."""
    if key is None:
        return None
    if out is None:
        return _warm.relayout(key, x)
    return out if _warm.copy(key, out, x) else None


def relayout(x: Any, pattern: str, /, *, out: Any = None, dtype: Any = None, backend: Optional[str] = None, stream: Any = None, **axes: int) -> Any:
    """The elements of "x" in another order, in a new array that is contiguous.

    The pattern has einops' notation: a name for each dimension, brackets around axes that are one dimension, "..." for all others, and "1".

        tcpc.relayout(x, "b s (h d) -> b h s d", h=8)     # (2, 100, 512) -> (2, 8, 100, 64)

    Args:
        x: an array of numpy, PyTorch or CuPy, with any strides.
        pattern: both sides have the same axes.
        out: an array for the result, with any strides, instead of a new one. It may not share an element with "x".
        dtype: converts each element, to a type of the array's framework.
        backend: for arrays on the CPU "host" executes the emitted code, access by access, for tests; None is the framework's own copy.
        stream: for arrays on a GPU, the address of a CUDA stream; None: the framework's current one.
        axes: extents of axes within brackets, elements.

    Raises:
        ValueError: the pattern does not fit the shape, "out" has another shape, or memory is shared.
        TypeError: the type cannot be converted, or "x" is no such array.
    """
    key = (pattern, dtype, out is None, *axes.items()) if backend is None and stream is None else None
    y = _again(key, x, out)
    if y is not None:
        return y
    source = describe(x)
    bound = _pattern.bind(_pattern.parse(pattern), source.shape, axes)
    return _run(source, _result(source, bound.shape, out, dtype), bound, backend, stream, key)


def _axes(source: Array, order: Sequence[int]) -> _pattern.Bound:
    names = [f"d{i}" for i in range(len(source.shape))]
    return _pattern.Bound(dict(zip(names, source.shape)), tuple((n,) for n in names), tuple((names[i],) for i in order))


def permute(x: Any, dims: Sequence[int], /, *, out: Any = None, dtype: Any = None, backend: Optional[str] = None, stream: Any = None) -> Any:
    """`x.permute(dims).contiguous()` of PyTorch, `x.transpose(dims).copy()` of numpy: always a new array.

    Args:
        x: an array of numpy, PyTorch or CuPy, with any strides.
        dims: the dimension of "x" that becomes dimension 0, 1, ..; negative ones count from the end.
        out, dtype, backend, stream: as for relayout.

    Raises:
        ValueError: "dims" has another length, or a dimension twice.
        IndexError: there is no such dimension.
    """
    dims = tuple(dims)
    key = (dims, dtype, out is None) if backend is None and stream is None else None
    y = _again(key, x, out)
    if y is not None:
        return y
    source = describe(x)
    rank = len(source.shape)
    if len(dims) != rank:
        raise ValueError(f"permute: number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(dims)}")
    order: List[int] = []
    for d in dims:
        if not -rank <= d < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {d})")
        order.append(d % rank)
    if len(set(order)) != rank:
        raise ValueError("permute(): duplicate dims are not allowed.")
    bound = _axes(source, order)
    return _run(source, _result(source, bound.shape, out, dtype), bound, backend, stream, key)


def contiguous(x: Any, /, *, out: Any = None, dtype: Any = None, backend: Optional[str] = None, stream: Any = None) -> Any:
    """A new array with the elements of "x", row-major. Unlike PyTorch's, never "x" itself.

    Args:
        x: an array of numpy, PyTorch or CuPy, with any strides.
        out, dtype, backend, stream: as for relayout.
    """
    key = ("contiguous", dtype, out is None) if backend is None and stream is None else None
    y = _again(key, x, out)
    if y is not None:
        return y
    source = describe(x)
    bound = _axes(source, range(len(source.shape)))
    return _run(source, _result(source, bound.shape, out, dtype), bound, backend, stream, key)


def _modes(destination: Array, source: Array) -> Modes:
    """Of two arrays of one shape."""
    a, b = destination.shape, source.shape
    if len(a) != len(b):
        raise ValueError(f"copy_: the destination has {len(a)} dimensions, but the source has {len(b)}")
    for i, (n, m) in enumerate(zip(a, b)):
        if n != m:
            raise ValueError(f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension {i}")
    return a, source.strides, destination.strides


def copy_(dst: Any, src: Any, /, *, backend: Optional[str] = None, stream: Any = None) -> Any:
    """Writes the elements of "src" to "dst", an array of the same shape, and returns "dst". Either has any strides; types are converted.

    Args:
        dst: an array of numpy, PyTorch or CuPy. No two of its elements may share memory.
        src: an array on the same device. It may interleave with "dst", but share no element.
        backend, stream: as for relayout.

    Raises:
        ValueError: the shapes differ, "dst" cannot be written, or memory is shared.
        TypeError: the types cannot be converted.
    """
    key = getattr(dst, "shape", None) if backend is None and stream is None else None
    if key is not None and _warm.copy(key, dst, src):
        return dst
    destination, source = describe(dst), describe(src)
    modes = _modes(destination, source)
    _check_pair(destination, source)
    where = _backend(backend, source)
    if where is None:
        own_copy(dst, src)
    else:
        _learn(key, destination, source, where, copy(destination, source, modes, where, stream))
    return dst


def prepare(*pairs: Tuple[Any, Any], backend: Optional[str] = None) -> None:
    """Compiles what `copy_(dst, src)` needs for each pair, and copies nothing. On the CPU all are one compilation, which takes less time."""
    wanted: List[Tuple[Any, Copy]] = []
    for dst, src in pairs:
        destination, source = describe(dst), describe(src)
        modes = _modes(destination, source)
        _check_pair(destination, source)
        where = _backend(backend, source)
        made = prepared(destination, source, modes) if where is not None and 0 not in modes[0] else None
        if made is not None:
            wanted.append((where, made))
    for where in {w for w, _ in wanted}:
        engine.prepare(where, [made.request for w, made in wanted if w is where])


def cache_info() -> CacheInfo:
    """The kernels that were compiled in this process: for each its plan, its divisor if an extent is a param, its hits, and the times that it took."""
    return engine.info()


def cache_clear() -> None:
    """Forgets all kernels."""
    engine.clear()
