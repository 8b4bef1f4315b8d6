"""PyTorch's own machinery: operators that it records for gradients, transforms and traces. Eager calls on plain tensors go past them."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Tuple

import torch

from . import _api, _pattern, _types

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"tcpc needs PyTorch 2.5 or later, not {torch.__version__}")
_library = torch.library.Library("tcpc", "DEF")
_TAGS = (torch.Tag.flexible_layout, torch.Tag.pt2_compliant_tag)  # any strides of the inputs will do: the compiler need not copy them
_library.define("relayout(Tensor x, str pattern, str[] names, SymInt[] extents, *, ScalarType? dtype=None) -> Tensor", tags=_TAGS)
_library.define("relayout_(Tensor(a!) out, Tensor x, str pattern, str[] names, SymInt[] extents) -> ()", tags=_TAGS)


def _bind(x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> _pattern.Bound:
    return _pattern.bind(_pattern.parse(pattern), x.shape, dict(zip(names, extents)))


def _relayout(x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], *, dtype: Optional[Any] = None) -> Any:
    return _api.below(x, pattern, dict(zip(names, extents)), None, dtype)


def _relayout_(out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> None:
    _api.below(x, pattern, dict(zip(names, extents)), out, None)


_library.impl("relayout", _relayout, "CompositeExplicitAutograd")
_library.impl("relayout_", _relayout_, "CompositeExplicitAutograd")


@torch.library.register_fake("tcpc::relayout", lib=_library)
def _fake(x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], *, dtype: Optional[Any] = None) -> Any:
    return x.new_empty(_bind(x, pattern, names, extents).shape, dtype=x.dtype if dtype is None else dtype)


@torch.library.register_fake("tcpc::relayout_", lib=_library)
def _fake_(out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> None:
    _api.check_shape(tuple(out.shape), _bind(x, pattern, names, extents).shape)


def _back(bound: _pattern.Bound) -> Tuple[str, List[str], List[Any]]:
    """The pattern that undoes another one, with all its extents."""
    name = {axis: f"a{i}" for i, axis in enumerate(bound.extent)}
    sides = [" ".join(f"({' '.join(name[axis] for axis in group)})" for group in groups) for groups in (bound.right, bound.left)]
    return " -> ".join(sides), list(name.values()), list(bound.extent.values())


relayout, relayout_ = torch.ops.tcpc.relayout.default, torch.ops.tcpc.relayout_.default


def _in_front(pattern: str) -> str:
    """The pattern with one more dimension in front, on both sides."""
    name = "batch"
    while name in pattern:
        name += "_"
    left, right = pattern.split("->")
    return f"{name} {left} -> {name} {right}"


def _batched(in_dims: Any, x: Any, pattern: str) -> Tuple[Any, str]:
    return x.movedim(in_dims[0], 0), _in_front(pattern)


def _batched_(info: Any, in_dims: Any, out: Any, x: Any, pattern: str) -> Tuple[Any, Any, str]:
    if in_dims[0] is None:
        raise RuntimeError("vmap: the elements of a batch cannot all be written to one tensor; give one that is in the batch too, or none")
    x = x.movedim(in_dims[1], 0) if in_dims[1] is not None else x.expand(info.batch_size, *x.shape)
    return out.movedim(in_dims[0], 0), x, _in_front(pattern)


def _undone(ctx: Any, gradient: Any) -> Any:
    pattern, names, extents = ctx.back
    return _made(gradient, pattern, names, extents, ctx.dtype if gradient.dtype != ctx.dtype else None)


class _New(torch.autograd.Function):
    """The operator that makes a tensor, as it is recorded and transformed."""

    @staticmethod
    def forward(x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], dtype: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return relayout(x, pattern, names, extents, dtype=dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.forth, x = inputs[1:], inputs[0]
        ctx.back, ctx.dtype = _back(_bind(x, *inputs[1:4])), x.dtype

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return _undone(ctx, gradient), None, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Any, *_: Any) -> Any:
        return _made(tangent, *ctx.forth)

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], dtype: Any) -> Any:
        return _made(*_batched(in_dims, x, pattern), names, extents, dtype), 0


class _Written(torch.autograd.Function):
    """The operator that writes to "out"."""

    @staticmethod
    def forward(out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            relayout_(out, x, pattern, names, extents)
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x = inputs[1]
        ctx.back, ctx.dtype = _back(_bind(x, *inputs[2:])), x.dtype
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        of_out, of_x = ctx.needs_input_grad[:2]
        return torch.zeros_like(gradient) if of_out else None, _undone(ctx, gradient) if of_x else None, None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: Any, out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> Any:
        _write(*_batched_(info, in_dims, out, x, pattern), names, extents)
        return out, in_dims[0]


def _is_recorded(*tensors: Any) -> bool:
    return torch.autograd.forward_ad._current_level >= 0 or (torch.is_grad_enabled() and any(x.requires_grad for x in tensors))


def _is_transformed() -> bool:
    return torch._C._functorch.peek_interpreter_stack() is not None


_dispatch_modes, _has_function_mode, _transforms = torch._C._len_torch_dispatch_stack, torch._C._is_torch_function_mode_enabled, torch._C._functorch.peek_interpreter_stack


def is_asked(*tensors: Any) -> bool:
    """Whether PyTorch has to see the call: it traces, transforms or records, or one of the tensors is more than its memory."""
    if _dispatch_modes() or _has_function_mode() or _transforms() is not None or torch.autograd.forward_ad._current_level >= 0:
        return True
    grad = torch.is_grad_enabled()
    for x in tensors:
        if type(x) in (torch.Tensor, torch.nn.Parameter):
            if grad and x.requires_grad:
                return True
        elif isinstance(x, torch.Tensor):
            return True
    return False


def why_asked(*tensors: Any) -> str:
    if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in tensors):
        return "; a tensor requires a gradient: give detach() of it, or call under torch.no_grad()"
    more = [type(x).__name__ for x in tensors if isinstance(x, torch.Tensor) and type(x) not in (torch.Tensor, torch.nn.Parameter)]
    return f"; {more[0]} is a subclass of torch.Tensor" if more else "; a mode or a transform is active, as of torch.func"


def _is_nothing_below(*tensors: Any) -> bool:
    """Whether the dispatcher would come to the kernel at once, as in code that torch.compile wrote."""
    return not is_asked(*tensors) and not any(x.is_conj() or x.is_neg() for x in tensors)


def _made(x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], dtype: Any) -> Any:
    """By the operator, or by the function that knows how it is transformed."""
    return _New.apply(x, pattern, names, extents, dtype) if _is_transformed() else relayout(x, pattern, names, extents, dtype=dtype)


def _write(out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> None:
    if _is_transformed():
        _Written.apply(out, x, pattern, names, extents)
    else:
        relayout_(out, x, pattern, names, extents)


def _recorded(x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], *, dtype: Optional[Any] = None) -> Any:
    if _is_nothing_below(x):
        return _relayout(x, pattern, names, extents, dtype=dtype)
    return _New.apply(x, pattern, names, extents, dtype) if _is_recorded(x) else _New.forward(x, pattern, names, extents, dtype)


def _recorded_(out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> None:
    if _is_nothing_below(out, x):
        return _relayout_(out, x, pattern, names, extents)
    if out.is_leaf and out.requires_grad and torch.is_grad_enabled():  # said before anything is written
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    (_Written.apply if _is_recorded(out, x) else _Written.forward)(out, x, pattern, names, extents)


_library.impl("relayout", _recorded, "Autograd")
_library.impl("relayout_", _recorded_, "Autograd")


@torch.library.register_vmap("tcpc::relayout", lib=_library)
def _vmap(info: Any, in_dims: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int], *, dtype: Optional[Any] = None) -> Any:
    return relayout(*_batched(in_dims, x, pattern), names, extents, dtype=dtype), 0


@torch.library.register_vmap("tcpc::relayout_", lib=_library)
def _vmap_(info: Any, in_dims: Any, out: Any, x: Any, pattern: str, names: Sequence[str], extents: Sequence[int]) -> Any:
    relayout_(*_batched_(info, in_dims, out, x, pattern), names, extents)
    return None, None


def by_operator(x: Any, pattern: str, axes: Mapping[str, Any], out: Any, dtype: Any, traced: bool) -> Any:
    """The relayout as PyTorch sees it."""
    names, extents = list(axes), list(axes.values())
    if dtype is not None and not isinstance(dtype, torch.dtype):
        dtype = _types.of_torch(dtype)
    if out is None:
        return relayout(x, pattern, names, extents, dtype=dtype) if traced else _made(x, pattern, names, extents, dtype)
    if dtype is not None and out.dtype != dtype:
        raise TypeError(f"out has type {out.dtype}, but dtype is {dtype}")
    (relayout_ if traced else _write)(out, x, pattern, names, extents)
    return out
