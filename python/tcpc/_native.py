"""What the warm path asks PyTorch: of its libraries in C++ what they answer in less time than functions of Python. Each is used where it is there and
answers the same; else the function is asked."""

from __future__ import annotations

import ctypes
import pathlib
import re
from ctypes import c_bool, c_int32, c_int64, c_uint64, c_void_p
from typing import Any, Dict, List, Sequence

from ._arrays import NUMBERS
from ._core import ABOUT_TENSOR, BEHIND, FUNCTION, ITEM, LIST, METHOD, NATIVE, READS, Ask, DataType, DlTensor, Framework, Reader, tensor_of

# By the names of Python: the names in C++, and how it is asked. A list is that of torch._C._functorch.peek_interpreter_stack, which has its last one.
FUNCTIONS = {
    "requires_grad": ("_ZNK3c1010TensorImpl13requires_gradEv", BEHIND),
    "is_conj": ("_ZN2at6native7is_conjERKNS_6TensorE", NATIVE),
    "is_neg": ("_ZN2at6native6is_negERKNS_6TensorE", NATIVE),
    "_len_torch_dispatch_stack": ("_ZN3c104impl21dispatch_mode_enabledEv", NATIVE),
    "_is_torch_function_mode_enabled": ("_ZN2at4impl27torch_function_mode_enabledEv", NATIVE),
    "peek_interpreter_stack": ("_ZN2at9functorch20getDynamicLayerStackEv", LIST)}
READERS = {name: f"aoti_torch_get_{theirs}" for name, theirs in zip(READS, ("data_ptr", "sizes", "strides", "dim", "layout", "dtype", "device_type", "device_index"))}
KINDS = 1, 2  # of DLPack: for the device types 0 and 1, CPU and CUDA
# The versions of PyTorch whose C++ functions were tried. A name does not say what a function returns, so those of others are not called.
TRIED = (2, 11), (2, 15)
MOST_TYPES = 64  # whose numbers are known
TYPES = *NUMBERS, "bool", "complex64", "complex128", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"


def is_tried(version: str) -> bool:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and TRIED[0] <= (int(numbers[1]), int(numbers[2])) <= TRIED[1]


def functions(torch: Any) -> Dict[str, int]:
    """The addresses of those that there are."""
    found: Dict[str, int] = {}
    if not is_tried(str(torch.__version__)):
        return found
    for library in "libc10.so", "libtorch_cpu.so":
        path = pathlib.Path(torch.__file__).parent / "lib" / library
        if path.exists():
            loaded = ctypes.CDLL(str(path))
            symbols = {**{name: symbol for name, (symbol, _) in FUNCTIONS.items()}, **READERS}
            found.update({name: ctypes.cast(loaded[symbol], c_void_p).value or 0 for name, symbol in symbols.items() if hasattr(loaded, symbol)})
    return found


def samples(torch: Any) -> List[Any]:
    """Tensors for which each question has both answers."""
    with torch.inference_mode(False):
        plain, complex_ = (torch.zeros(3, dtype=dtype, device="cpu") for dtype in (torch.float32, torch.complex64))
        return [plain[1:], plain.clone().requires_grad_(), torch.nn.Parameter(plain), complex_, complex_.conj(), complex_.conj().imag]


def place(torch: Any, tensors: Sequence[Any]) -> int:
    """How far behind the begin of a tensor's object its reference to the C++ object lies; 0: it was not found."""
    offsets = range(16, torch.Tensor.__basicsize__ - 7, 8)
    found = [offset for offset in offsets if all(c_uint64.from_address(id(x) + offset).value == x._cdata for x in tensors)]
    return found[0] if len(found) == 1 else 0


def _answers(ask: Ask, reference: int) -> bool:
    answer: bool = ctypes.CFUNCTYPE(c_bool, c_void_p)(ask.native)(c_uint64.from_address(reference).value if ask.way == BEHIND else reference)
    return answer


def _asked(ask: Ask, tensor: Any) -> Any:
    assert ask.name is not None
    found = getattr(tensor, ask.name)
    return found() if ask.way == METHOD else found


def _by_library(ask: Ask, name: str, there: Dict[str, int]) -> Ask:
    return ask._replace(native=there[name], way=FUNCTIONS[name][1]) if name in there else ask


def about_tensor(tensors: Sequence[Any], within: int, there: Dict[str, int]) -> Sequence[Ask]:
    asks = []
    for ask in ABOUT_TENSOR:
        native = _by_library(ask, ask.name or "", there)
        asks.append(native if native.native and all(_answers(native, id(x) + within) == _asked(ask, x) for x in tensors) else ask)
    return asks


def _told(there: Dict[str, int], what: str, within: int, x: Any, kind: Any) -> Any:
    """What a reader says of a tensor."""
    out = kind()
    status = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)(there[what])(id(x) + within, ctypes.addressof(out))
    return None if status else out.value


def reader(torch: Any, tensors: Sequence[Any], within: int, there: Dict[str, int], exchange: int) -> Any:
    """What tells the same of a tensor as the exchange API does, with the numbers of all types; None where something is missing or differs."""
    if not all(name in there for name in READS):
        return None
    read, dl, types = tensor_of(exchange), DlTensor(), (DataType * MOST_TYPES)()
    for dtype in [getattr(torch, name) for name in TYPES if hasattr(torch, name)]:
        x = torch.empty(0, dtype=dtype, device="cpu")
        number = _told(there, "dtype", within, x, c_int32)
        if read(x, ctypes.byref(dl)) == 0 and number is not None and 0 <= number < MOST_TYPES:
            types[number] = dl.dtype
    for x in tensors:
        if read(x, ctypes.byref(dl)) or (_told(there, "data", within, x, c_uint64), _told(there, "rank", within, x, c_int64)) != (dl.data, dl.ndim):
            return None
        number = _told(there, "dtype", within, x, c_int32)
        if number is None or not 0 <= number < MOST_TYPES or bytes(types[number]) != bytes(dl.dtype):
            return None
        for what, right in ("shape", dl.shape), ("strides", dl.strides):
            at = _told(there, what, within, x, c_uint64)
            if not at or (c_int64 * dl.ndim).from_address(at)[:] != right[:dl.ndim]:
                return None
        if _told(there, "device_type", within, x, c_int32) != 0:
            return None
    return Reader(*[there[name] for name in READS], _told(there, "layout", within, tensors[0], c_int32), MOST_TYPES, len(KINDS), types, (c_int32 * len(KINDS))(*KINDS))


def about_state(torch: Any) -> Sequence[Ask]:
    """Whether PyTorch traces, transforms, or records in forward mode."""
    c = torch._C
    return (Ask(0, FUNCTION, object=c._len_torch_dispatch_stack), Ask(False, FUNCTION, object=c._is_torch_function_mode_enabled),
            Ask(None, FUNCTION, object=c._functorch.peek_interpreter_stack), Ask(-1, ITEM, "_current_level", vars(torch.autograd.forward_ad)))


def is_quiet(asks: Sequence[Ask]) -> bool:
    return all((ask.object() if ask.way == FUNCTION else ask.object[ask.name]) == ask.answer for ask in asks)


def by_python(torch: Any, exchange: int) -> Framework:
    """With what everybody may call, and DLPack."""
    return Framework((torch.Tensor, torch.nn.Parameter), exchange, torch.is_grad_enabled, torch._C._increment_version, about_state(torch))


def framework(torch: Any, exchange: int, device: str) -> Framework:
    plain = by_python(torch, exchange)
    # what code of torch.compile calls for a new tensor
    plain = plain._replace(empty=getattr(getattr(torch._C._dynamo, "guards", None), f"_empty_strided_{device}", None))
    if not is_quiet(plain.about_state):  # who looks on would see the samples
        return plain
    there, tensors = functions(torch), samples(torch)
    within = place(torch, tensors)
    state = [_by_library(ask, getattr(ask.object, "__name__", ""), there) for ask in plain.about_state]
    plain = plain._replace(about_state=state)
    return plain._replace(about_tensor=about_tensor(tensors, within, there), within=within, reader=reader(torch, tensors, within, there, exchange)) if within else plain
