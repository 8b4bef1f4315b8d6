"""What the libraries of PyTorch answer in less time than its functions in Python. Each is used where it is there and answers the same; else the function is asked."""

from __future__ import annotations

import ctypes
import pathlib
from ctypes import c_bool, c_uint64, c_void_p
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from ._core import ABOUT_TENSOR, Ask

# By the names of Python: the name in C++, and whether it is a method of what the tensor's object refers to. The others take the reference, or nothing.
FUNCTIONS = {
    "requires_grad": ("_ZNK3c1010TensorImpl13requires_gradEv", True),
    "is_conj": ("_ZN2at6native7is_conjERKNS_6TensorE", False),
    "is_neg": ("_ZN2at6native6is_negERKNS_6TensorE", False),
    "_len_torch_dispatch_stack": ("_ZN3c104impl21dispatch_mode_enabledEv", False),
    "_is_torch_function_mode_enabled": ("_ZN2at4impl27torch_function_mode_enabledEv", False)}


def functions(torch: Any) -> Dict[str, int]:
    """The addresses of those that there are."""
    found: Dict[str, int] = {}
    for library in "libc10.so", "libtorch_cpu.so":
        path = pathlib.Path(torch.__file__).parent / "lib" / library
        if path.exists():
            loaded = ctypes.CDLL(str(path))
            found.update({name: ctypes.cast(loaded[symbol], c_void_p).value or 0 for name, (symbol, _) in FUNCTIONS.items() if hasattr(loaded, symbol)})
    return found


def samples(torch: Any) -> List[Any]:
    """Tensors for which each question has both answers."""
    with torch.inference_mode(False):
        plain, complex_ = (torch.zeros(1, dtype=dtype, device="cpu") for dtype in (torch.float32, torch.complex64))
        return [plain, plain.clone().requires_grad_(), torch.nn.Parameter(plain), complex_, complex_.conj(), complex_.conj().imag]


def place(torch: Any, tensors: Sequence[Any]) -> int:
    """How far behind the begin of a tensor's object its reference to the C++ object lies; 0: it was not found."""
    offsets = range(16, torch.Tensor.__basicsize__ - 7, 8)
    found = [offset for offset in offsets if all(c_uint64.from_address(id(x) + offset).value == x._cdata for x in tensors)]
    return found[0] if len(found) == 1 else 0


def _answers(ask: Ask, tensor: Any, within: int) -> bool:
    reference = id(tensor) + within
    answer: bool = ctypes.CFUNCTYPE(c_bool, c_void_p)(ask.native)(c_uint64.from_address(reference).value if ask.is_behind else reference)
    return answer


def _asked(ask: Ask, tensor: Any) -> Any:
    assert ask.name is not None
    found = getattr(tensor, ask.name)
    return found() if ask.is_method else found


def about_tensor(torch: Any, there: Dict[str, int]) -> Tuple[Sequence[Ask], int]:
    """The questions of a tensor, and the place of its reference."""
    tensors = samples(torch)
    within = place(torch, tensors)
    if not within:
        return ABOUT_TENSOR, 0
    asks = []
    for ask in ABOUT_TENSOR:
        native = ask._replace(native=there.get(ask.name or "", 0), is_behind=FUNCTIONS[ask.name or ""][1])
        asks.append(native if native.native and all(_answers(native, x, within) == _asked(ask, x) for x in tensors) else ask)
    return asks, within


def about_state(torch: Any) -> Sequence[Ask]:
    """Whether PyTorch traces, transforms, or records in forward mode."""
    c = torch._C
    return (Ask(0, None, c._len_torch_dispatch_stack), Ask(False, None, c._is_torch_function_mode_enabled), Ask(None, None, c._functorch.peek_interpreter_stack),
            Ask(-1, "_current_level", torch.autograd.forward_ad))


def is_quiet(asks: Sequence[Ask]) -> bool:
    return all((ask.object() if ask.name is None else getattr(ask.object, ask.name)) == ask.answer for ask in asks)


class Questions(NamedTuple):
    """What `Warm` asks, in the order of its arguments."""

    about_state: Sequence[Ask]
    about_tensor: Sequence[Ask] = ABOUT_TENSOR
    within: int = 0


def questions(torch: Any) -> Questions:
    by_python = about_state(torch)
    if not is_quiet(by_python):  # who looks on would see the samples
        return Questions(by_python)
    there = functions(torch)
    return Questions([ask._replace(native=there.get(getattr(ask.object, "__name__", ""), 0)) for ask in by_python], *about_tensor(torch, there))


def empty(torch: Any, device: str) -> Any:
    """What code of torch.compile calls for a new tensor of shape, strides and type, on the current device; None: there is none."""
    return getattr(getattr(torch._C._dynamo, "guards", None), f"_empty_strided_{device}", None)
