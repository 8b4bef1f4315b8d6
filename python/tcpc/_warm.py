"""Calls on PyTorch's CUDA tensors that are like an earlier one: functions in C, as soon as there was one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._core import Warm


def _none(*_: Any) -> Any:
    return None


_warm: Optional[Warm] = None
_tried = False
# A call like an earlier one: (x, what, dtype, out, axes) gives the result, and (dst, src) whether it was copied; None: there was none. Functions in C, when there was one.
call: Any = _none
# The same, asked by functions that no door in C looks at first.
early: Any = _none
early_copy: Any = _none
below: Any = _none  # for operators of PyTorch, which asked before
copy: Any = _none


def start(cuda: Any) -> Optional[Warm]:
    """With the exchange API of PyTorch; None where its version has none."""
    global _tried
    torch = sys.modules.get("torch")
    if _tried or torch is None:
        return _warm
    _tried = True
    from . import _core

    made = _core.of_torch(torch, cuda)
    if made is not None:
        use(made)
    return _warm


def use(warm: Warm) -> None:
    global _warm, call, below, copy, early, early_copy
    from . import _api, _core

    _warm, call, below, copy = warm, warm.call, warm.below, warm.copy
    early, early_copy = (_none, _none) if _core.open_doors(_api.openings(), warm.calls) else (call, copy)


def forget() -> None:
    if _warm is not None:
        _warm.forget()
