"""relayout, permute, contiguous and copy_."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _pattern, _warm
from ._arrays import Array, describe, empty, own_copy, split, tell_written
from ._engine import DST, OUT, Copy, Modes, check_own, copy, elements_of, engine, prepared, shared

if TYPE_CHECKING:
    from ._core import Opening
    from ._info import CacheInfo

What = Union[str, Tuple[int, ...]]  # a pattern, or the order of the dimensions
SAME = "... -> ..."


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
        raise ValueError(f"backend='cuda' needs arrays on a GPU{to_a_gpu(array)}")
    return None


def to_a_gpu(array: Array) -> str:
    """How an array of the CPU gets there, for a message."""
    torch = sys.modules.get("torch")
    if array.kind != "torch" or torch is None:
        return "; give a tensor of PyTorch, or an array of CuPy or JAX, that is on one"
    return "; give x.cuda()" if torch.cuda.is_available() else "; this PyTorch sees no GPU (torch.cuda.is_available() is False)"


def _check_pair(destination: Array, source: Array) -> None:
    if destination.device != source.device:
        raise ValueError(f"expected both arrays on one device, but found {_where(source)} and {_where(destination)}")
    if not destination.writable:
        raise ValueError("the destination is read-only")


def check_stream(stream: Any, array: Array) -> None:
    if stream is not None and array.device < 0:
        raise ValueError("stream= is for arrays on a GPU")


def _where(array: Array) -> str:
    return "cpu" if array.device < 0 else f"cuda:{array.device}"


def check_shape(out: Sequence[int], shape: Sequence[int]) -> None:
    if tuple(out) != tuple(shape):
        raise ValueError(f"out has shape {tuple(out)}, but the result has {tuple(shape)}")


def asked_type(source: Array, dtype: Any) -> Any:
    """The type of the framework of "source" that dtype= names."""
    if dtype is None:
        return None
    from . import _types

    return _types.of(source, dtype)


def _result(source: Array, shape: Tuple[int, ...], out: Any, dtype: Any) -> Array:
    if out is None:
        return describe(empty(source, shape, dtype))
    destination = describe(out, True)
    check_shape(destination.shape, shape)
    if dtype is not None and destination.dtype != describe(empty(source, (0,), dtype)).dtype:
        raise TypeError(f"out has type {destination.dtype}, but dtype is {dtype}")
    return destination


def _by_axes(source: Array, destination: Array, bound: _pattern.Bound) -> Modes:
    names = [axis for group in bound.right for axis in group]
    from_ = _pattern.strides_of(bound.left, bound.extent, source.strides)
    to = _pattern.strides_of(bound.right, bound.extent, destination.strides)
    return [bound.extent[n] for n in names], [from_[n] for n in names], [to[n] for n in names]


def _bound(what: What, shape: Sequence[int], axes: Mapping[str, int]) -> _pattern.Bound:
    if isinstance(what, str):
        return _pattern.bind(_pattern.parse(what), shape, axes)
    names = [f"d{i}" for i in range(len(shape))]
    return _pattern.Bound(dict(zip(names, shape)), tuple((n,) for n in names), tuple((names[i],) for i in _order(what, len(shape))))


def _order(dims: Sequence[int], rank: int) -> List[int]:
    if len(dims) != rank:
        raise ValueError(f"permute: number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(dims)}")
    order: List[int] = []
    for d in dims:
        if not hasattr(d, "__index__") or isinstance(d, bool):
            raise TypeError(f"dims has integers, such as (1, 0), not {d!r}")
        if not -rank <= d < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {d})")
        order.append(d % rank)
    if len(set(order)) != rank:
        raise ValueError("permute(): duplicate dims are not allowed.")
    return order


def plain(x: Any, what: What, axes: Mapping[str, int], out: Any, dtype: Any, backend: Optional[str] = None, stream: Any = None) -> Any:
    """The copy, to a new array or to "out"."""
    source = describe(x, True)
    given, dtype = dtype, asked_type(source, dtype)
    bound = _bound(what, source.shape, axes)
    destination = _result(source, bound.shape, out, dtype)
    _check_pair(destination, source)
    check_stream(stream, source)
    where = _backend(backend, source)
    if where is None:
        if out is None:
            elements_of(destination, source)  # new memory shares nothing
        else:
            check_own(destination, source, _by_axes(source, destination, bound))
        left, right = ([axis for group in groups for axis in group] for groups in (bound.left, bound.right))
        expanded = [tuple(bound.extent[axis] for axis in axes) for axes in (left, right)]
        own_copy(split(destination.of, expanded[1], None), split(source.of, expanded[0], [left.index(axis) for axis in right]))
    else:
        if out is not None:
            tell_written(destination)
        done = copy(destination, source, _by_axes(source, destination, bound), where, stream)
        if backend is None and stream is None:
            _learn((what, given, out is None, *[part for item in axes.items() for part in item]), destination, source, where, done)
    return destination.of


def below(x: Any, pattern: str, axes: Mapping[str, int], out: Any, dtype: Any) -> Any:
    """What an operator of PyTorch does, when all that concerns PyTorch is done."""
    y = _warm.below(x, pattern, dtype, out, axes)
    return plain(x, pattern, axes, out, dtype) if y is None else y


def _learn(key: Any, destination: Array, source: Array, where: Any, done: Optional[Tuple[Copy, Any]]) -> None:
    """For the next call with this key."""
    global _is_traced
    if done and source.kind == destination.kind == "torch" and source.device >= 0:
        warm = _warm.start(where.cuda)
        if warm is not None:
            _is_traced = sys.modules["torch"].compiler.is_dynamo_compiling  # the same, at once
            warm.learn(key, source.of, destination.of, done[0], done[1], done[1].params(done[0].request))


def _is_traced() -> bool:
    """Whether torch.compile reads this code instead of executing it."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_dynamo_compiling()


def _operators() -> Any:
    from . import _torch

    return _torch


def _is_asked(x: Any, out: Any) -> bool:
    """Whether the call has to be an operator of PyTorch, which it can trace, transform and record."""
    torch = sys.modules.get("torch")
    return torch is not None and (isinstance(x, torch.Tensor) or isinstance(out, torch.Tensor)) and _operators().is_asked(x, out)


def _copied(x: Any, what: What, axes: Mapping[str, int], out: Any, dtype: Any, backend: Optional[str], stream: Any) -> Any:
    """What no call before was like."""
    traced = _is_traced()
    foreign = None if traced else _foreign_for(x, out)
    if foreign is not None:
        return foreign.relayout(x, lambda x, out, dtype, *where: plain(x, what, axes, out, dtype, *where), out, dtype, backend, stream)
    if not traced and not _is_asked(x, out):
        return plain(x, what, axes, out, dtype, backend, stream)
    if backend is not None or stream is not None:
        first = "leave stream out" if backend is None else "leave backend out: PyTorch then makes the copy on the CPU" if backend == "host" else "leave backend out"
        raise ValueError(f"{first}; a call that PyTorch traces, transforms or records for gradients takes no backend= and no stream={'' if traced else _operators().why_asked(x, out)}")
    return _operators().by_operator(x, what if isinstance(what, str) else _as_pattern(_order(what, x.dim())), axes, out, dtype, traced)


def _foreign_for(*arrays: Any) -> Any:
    """What copies arrays that tell of their memory only by DLPack; None: these are none."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    for x in arrays:
        if hasattr(x, "__dlpack__") and not (torch is not None and isinstance(x, torch.Tensor)) and not (numpy is not None and isinstance(x, numpy.ndarray)):
            from . import _foreign

            if _foreign.is_foreign(x):
                return _foreign
    return None


def _as_pattern(order: Sequence[int]) -> str:
    return f"{' '.join(f'd{i}' for i in range(len(order)))} -> {' '.join(f'd{i}' for i in order)}"


def relayout(x: Any, pattern: str, /, *more: Any, out: Any = None, dtype: Any = None, backend: Optional[str] = None, stream: Any = None, **axes: int) -> Any:
    """The elements of "x" in another order, in a new array that is contiguous.

    The pattern has einops' notation: a name for each dimension, brackets around axes that are one dimension, "..." for all others, and "1".

        tcpc.relayout(x, "b s (h d) -> b h s d", h=8)     # (2, 100, 512) -> (2, 8, 100, 64)

    Calls on tensors of PyTorch are recorded for gradients, and work within torch.compile, torch.vmap and torch.func, without backend= and stream=.

    Args:
        x: an array of numpy, PyTorch, CuPy or JAX, with any strides.
        pattern: both sides have the same axes.
        out: an array for the result, with any strides, instead of a new one. It may not share an element with "x". If it has another type than "x", the
            elements are converted to it, also without dtype=.
        dtype: converts each element, to a type of the array's framework, or of another one that has a type of this name; or the name, "float16", or a plan's word, "f32".
        backend: for arrays on the CPU "host" executes the emitted code, access by access, for tests; None is the framework's own copy.
        stream: for arrays on a GPU, the address of a CUDA stream; None: the framework's current one.
        axes: extents of axes within brackets, elements, each by its name.
        more: nothing; a dict of extents is given as **extents.

    Raises:
        ValueError: the pattern does not fit the shape, "out" has another shape, or memory is shared.
        TypeError: the type cannot be converted, or "x" is no such array.
    """
    if backend is None and stream is None and not more and type(pattern) is str and not _is_traced():
        y = _warm.early(x, pattern, dtype, out, axes)
        if y is not None:
            return y
    if more:
        raise TypeError("extents are given by name, relayout(x, 'a (b c) -> a b c', b=2); of a dict as **extents")
    if out is not None and out is x:
        raise shared(OUT, x)
    if not isinstance(pattern, str):
        hint = "permute() takes the order of dimensions" if isinstance(pattern, (tuple, list)) else "the array comes first"
        raise TypeError(f"a pattern is a text, such as 'a b -> b a', not {pattern if isinstance(pattern, (tuple, list)) else type(pattern).__name__}; {hint}")
    return _copied(x, pattern, axes, out, dtype, backend, stream)


def _as_tuple(dims: Any) -> Tuple[int, ...]:
    """Integers of Python, which the warm path knows."""
    if not hasattr(dims, "__iter__") or isinstance(dims, str):
        raise TypeError(f"dims is a sequence of integers, such as (1, 0), not {dims!r}" + ("; relayout() takes a pattern" if isinstance(dims, str) else ""))
    return tuple(dims.tolist() if hasattr(dims, "tolist") else dims)


def permute(x: Any, /, dims: Sequence[int], *more: Any, out: Any = None, dtype: Any = None, backend: Optional[str] = None, stream: Any = None) -> Any:
    """`x.permute(dims).contiguous()` of PyTorch, `x.transpose(dims).copy()` of numpy: always a new array.

    Args:
        x: an array of numpy, PyTorch, CuPy or JAX, with any strides.
        dims: the dimension of "x" that becomes dimension 0, 1, ..; negative ones count from the end. One tuple; "more" is nothing.
        out, dtype, backend, stream: as for relayout.

    Raises:
        ValueError: "dims" has another length, or a dimension twice.
        IndexError: there is no such dimension.
    """
    if more:
        numbers = ", ".join(map(repr, (dims, *more)))
        raise TypeError(f"dims is one sequence of integers: permute(x, ({numbers})), not permute(x, {numbers})")
    order = dims if type(dims) is tuple else _as_tuple(dims)
    if backend is None and stream is None and not _is_traced():
        y = _warm.early(x, order, dtype, out, None)
        if y is not None:
            return y
    if out is not None and out is x:
        raise shared(OUT, x)
    return _copied(x, order, {}, out, dtype, backend, stream)


def contiguous(x: Any, /, *, out: Any = None, dtype: Any = None, backend: Optional[str] = None, stream: Any = None) -> Any:
    """A new array with the elements of "x", row-major. Unlike PyTorch's, never "x" itself.

    Args:
        x: an array of numpy, PyTorch, CuPy or JAX, with any strides.
        out, dtype, backend, stream: as for relayout.
    """
    if backend is None and stream is None and not _is_traced():
        y = _warm.early(x, SAME, dtype, out, None)
        if y is not None:
            return y
    if out is not None and out is x:
        raise shared(OUT, x)
    return _copied(x, SAME, {}, out, dtype, backend, stream)


def _check_shapes(of_dst: Sequence[int], of_src: Sequence[int], src: Any) -> None:
    a, b = tuple(of_dst), tuple(of_src)
    if len(a) == len(b) and all(n == m for n, m in zip(a, b)):
        return
    fits = len(b) <= len(a) and all(m in (1, n) for n, m in zip(a[len(a) - len(b):], b))
    wide = f"src.expand{a}" if hasattr(src, "expand") else f"broadcast_to(src, {a})"
    raise ValueError(f"dst has shape {a}, but src has {b}" + (f"; nothing is expanded, so give {wide}" if fits else ""))


def copy_(dst: Any, src: Any, /, *, backend: Optional[str] = None, stream: Any = None) -> Any:
    """Writes the elements of "src" to "dst", an array of the same shape, and returns "dst". Either has any strides; types are converted.

    Args:
        dst: an array of numpy, PyTorch or CuPy. No two of its elements may share memory.
        src: an array on the same device. It may interleave with "dst", but share no element; or it is "dst", then nothing is done.
        backend, stream: as for relayout.

    Raises:
        ValueError: the shapes differ, "dst" cannot be written, or memory is shared.
        TypeError: the types cannot be converted.
    """
    if backend is None and stream is None and not _is_traced() and _warm.early_copy(dst, src):
        return dst
    if _is_traced() or _is_asked(src, dst) or _foreign_for(src, dst):
        _check_shapes(dst.shape, src.shape, src)
        return _copied(src, SAME, {}, dst, None, backend, stream)
    destination, source = describe(dst, True), describe(src, True)
    _check_shapes(destination.shape, source.shape, src)
    _check_pair(destination, source)
    check_stream(stream, source)
    where = _backend(backend, source)
    if where is None:
        check_own(destination, source, (source.shape, source.strides, destination.strides), DST)
        own_copy(dst, src)
    else:
        tell_written(destination)
        done = copy(destination, source, (source.shape, source.strides, destination.strides), where, stream, DST)
        if backend is None and stream is None:
            _learn(dst.shape, destination, source, where, done)
    return dst


def openings() -> List[Opening]:
    """The functions whose calls are looked at in C first."""
    from ._core import Opening
    from ._plan import Plan

    where = "backend", "stream"
    return [Opening(relayout, ("dtype", "out", *where), 2, str, axes=True), Opening(permute, ("dtype", "out", *where), 2, tuple), Opening(contiguous, ("dtype", "out", *where), 1, what=SAME),
            Opening(Plan.__call__, ("out", "stream"), 2, Plan, at=(1, 0)), Opening(copy_, (), 2, copies=True)]


def _kind(x: Any) -> str:
    return f"{type(x).__name__} of {len(x)}" if isinstance(x, (tuple, list)) else type(x).__name__


def prepare(*pairs: Tuple[Any, Any], backend: Optional[str] = None) -> None:
    """Compiles what `copy_(dst, src)` needs for each pair, and copies nothing. On the CPU all are one compilation, which takes less time.

        tcpc.prepare((y, x.permute(0, 2, 1, 3)))      # then tcpc.permute(x, (0, 2, 1, 3)) compiles nothing

    Args:
        pairs: destination and source, of any contents; for a call that makes its result, an array like that one.
        backend: as for relayout.

    Raises:
        TypeError: what is given are no pairs.
        ValueError, TypeError: as `copy_(dst, src)` would.
    """
    wanted: List[Tuple[Any, Copy]] = []
    for pair in pairs:
        if type(pair) not in (tuple, list) or len(pair) != 2 or any(type(x) in (tuple, list) for x in pair):
            raise TypeError(f"prepare takes pairs: prepare((dst, src), ..), not {_kind(pair)}; plan(x, pattern) compiles what a relayout needs")
        destination, source = map(describe, pair)
        _check_shapes(destination.shape, source.shape, source.of)
        modes = source.shape, source.strides, destination.strides
        _check_pair(destination, source)
        where = _backend(backend, source)
        if where is None:
            check_own(destination, source, modes, DST)
        made = prepared(destination, source, modes, DST) if where is not None and 0 not in modes[0] else None
        if made is not None:
            wanted.append((where, made))
    for where in {w for w, _ in wanted}:
        engine.prepare(where, [made.request for w, made in wanted if w is where])


def cache_info() -> CacheInfo:
    """The kernels that were compiled in this process: for each its plan, its divisor if an extent is a param, its hits, and the times that it took.

    Hits are copies by a kernel that was there, also those of plan() and of operators of PyTorch. What the framework itself copies, on the CPU without backend=, is
    not counted, nor what a CUDA graph replays. Neither plan() nor prepare() copies, so they count only what they compile.
    """
    return engine.info()


def cache_clear() -> None:
    """Forgets all kernels."""
    engine.clear()
