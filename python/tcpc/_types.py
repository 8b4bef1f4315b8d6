"""What `dtype=` may be: a type of the array's framework, or a name that says the same in all of them."""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional

from ._arrays import NUMBERS, Array

PLAN_WORDS: Dict[str, str] = {word: name for name, word in NUMBERS.items()}
OF_NUMPY = {"u8": "uint64", "f16": "longdouble"}  # words of plans that are other types in numpy


def _name(dtype: Any) -> Optional[str]:
    """The name that frameworks have for it, "float16"; None: it is of another kind."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(dtype, torch.dtype):
        return str(dtype).split(".")[-1]
    if isinstance(dtype, str):
        if dtype in OF_NUMPY:
            raise TypeError(f"dtype {dtype!r} is {PLAN_WORDS[dtype]} in plans, but {OF_NUMPY[dtype]} in numpy; write which one")
        return PLAN_WORDS.get(dtype, dtype)
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return {float: "float64", int: "int64", bool: "bool"}.get(dtype)
    try:
        return str(numpy.dtype(dtype).name)
    except TypeError:
        return None


def of_torch(dtype: Any) -> Any:
    """The torch.dtype."""
    torch = sys.modules["torch"]
    if isinstance(dtype, torch.dtype):
        return dtype
    found = getattr(torch, (_name(dtype) or "").split(".")[-1], None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"dtype of a torch tensor is a torch.dtype, such as torch.float16, not {dtype!r}")
    return found


def _of_numpy(dtype: Any) -> Any:
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is None:
        return dtype
    name = _name(dtype) if isinstance(dtype, str) or (torch is not None and isinstance(dtype, torch.dtype)) else dtype
    try:
        return numpy.dtype(name)
    except TypeError:
        hint = "; ml_dtypes has it, if it is imported" if isinstance(name, str) and name in NUMBERS else ""
        raise TypeError(f"dtype of a numpy array is one of numpy's types, such as numpy.float16, not {dtype!r}{hint}") from None


def of(like: Array, dtype: Any) -> Any:
    """The type for an array like this one."""
    return of_torch(dtype) if like.kind == "torch" else dtype if like.kind == "dlpack" else _of_numpy(dtype)


def word(dtype: Any) -> str:
    """The plan's word for a type of any framework, or for its name; what is no type's name is returned as it is."""
    if isinstance(dtype, str):
        return NUMBERS.get(dtype, dtype)
    name = _name(dtype)
    if name not in NUMBERS:
        raise TypeError(f"type= is a type of numpy or PyTorch, such as numpy.float16, or a plan's word, such as 'f16', not {dtype!r}")
    return NUMBERS[name]
