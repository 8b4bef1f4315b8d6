"""What dtype= may be."""
import numpy as np
import pytest

import tcpc
from tcpc import _types

x = np.arange(24, dtype=np.float32).reshape(4, 6)
SAME = [("float16", "float16"), ("f32", "float32"), ("s32", "int32"), (np.float16, "float16"), (np.dtype("float64"), "float64"), (float, "float64"), ("uint8", "uint8")]


def turned(x, dtype, **more):
    return tcpc.permute(x, (1, 0), dtype=dtype, **more)


@pytest.mark.parametrize("dtype,name", SAME, ids=str)
def test_names(dtype, name):
    for backend in None, "host":
        y = turned(x, dtype, backend=backend)
        assert y.dtype == name and np.array_equal(y, x.T.astype(name))
    assert tcpc.plan(x, "a b -> b a", dtype=dtype)(x).dtype == name
    torch = pytest.importorskip("torch")
    t = torch.from_numpy(x)
    for backend in None, "host":
        y = turned(t, dtype, backend=backend)
        assert y.dtype == getattr(torch, name) and torch.equal(y, t.t().to(y.dtype))
    assert turned(t.clone().requires_grad_(), "float64").requires_grad
    assert turned(x, getattr(torch, name)).dtype == name and turned(t, "torch.half").dtype == torch.float16


def test_wrong_names():
    for dtype in "float33", "bf8", 3, [1, 2]:
        with pytest.raises(TypeError, match="dtype of a numpy array is one of numpy's types, such as numpy.float16, not"):
            turned(x, dtype)
    for word, one, other in ("u8", "uint8", "uint64"), ("f16", "float16", "longdouble"):
        with pytest.raises(TypeError, match=f"dtype '{word}' is {one} in plans, but {other} in numpy; write which one"):
            turned(x, word)
    with pytest.raises(TypeError, match="out has type int8, but dtype is float32$"):
        turned(x, np.float32, out=np.zeros((6, 4), np.int8))
    torch = pytest.importorskip("torch")
    for dtype in "float33", "f4", 3, [1, 2]:
        with pytest.raises(TypeError, match="dtype of a torch tensor is a torch.dtype, such as torch.float16, not"):
            turned(torch.zeros(2, 3), dtype)


def test_types_of_another_package(monkeypatch):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert turned(x, "bfloat16").dtype == turned(x, "bf16").dtype == ml_dtypes.bfloat16
    monkeypatch.setitem(_types.NUMBERS, "float8_e1m6", "f8e1m6")  # a type that nobody registered with numpy
    with pytest.raises(TypeError, match="not 'float8_e1m6'; ml_dtypes has it, if it is imported"):
        turned(x, "float8_e1m6")
