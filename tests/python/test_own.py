"""Copies that the framework itself makes, on the CPU without a backend: what a kernel refuses is refused here, too."""
import numpy as np
import pytest

import tcpc

SHARED = r"(dst and src share elements; give copy_ a copy of src: src|out and x share elements; give a copy of x: x)[.]"
BACKENDS = pytest.mark.parametrize("backend", [None, "host"])


def numbers():
    return np.arange(16, dtype=np.float32).reshape(4, 4)


def arrays():
    yield numbers()
    try:
        import torch
    except ImportError:
        return
    yield torch.arange(16.0).view(4, 4)


@BACKENDS
def test_elements_that_are_shared(backend):
    for x in arrays():
        for wrong in (lambda: tcpc.copy_(x[:, 1:], x[:, :-1], backend=backend), lambda: tcpc.permute(x, (1, 0), out=x, backend=backend), lambda: tcpc.contiguous(x[:3], out=x[1:], backend=backend),
                      lambda: tcpc.contiguous(x, out=x, backend=backend), lambda: tcpc.relayout(x, "a b -> a b", out=x, backend=backend),
                      lambda: tcpc.prepare((x[1:], x[:-1]), backend=backend), lambda: tcpc.plan(x, "a b -> b a", out=x, backend=backend)):
            with pytest.raises(ValueError, match=SHARED + (r"copy\(\)" if isinstance(x, np.ndarray) else r"clone\(\)")):
                wrong()
        assert x.tolist() == numbers().tolist()


@BACKENDS
def test_elements_that_are_written_twice(backend):
    twice = np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), (4, 4), (4, 4))
    for wrong in lambda: tcpc.copy_(twice, numbers(), backend=backend), lambda: tcpc.contiguous(twice, out=twice[:], backend=backend):
        with pytest.raises(ValueError, match=r"two elements of (dst|out) share memory, as those of a view with a stride of 0 do; write to a copy of it: (dst|out).copy\(\)"):
            wrong()


@BACKENDS
def test_one_buffer_without_a_shared_element(backend):
    for x in arrays():
        assert tcpc.copy_(x, x, backend=backend) is x and x.tolist() == numbers().tolist()
        tcpc.copy_(x[:0], x[:0], backend=backend)
        tcpc.copy_(x[:, 1::2], x[:, ::2], backend=backend)
        assert x[:, 1].tolist() == x[:, 0].tolist() == [0, 4, 8, 12]
    x = numbers()
    tcpc.copy_(x[::-1, 2:], x[:, :2], backend=backend)  # strides of both signs
    assert np.array_equal(x[::-1, 2:], numbers()[:, :2])


@BACKENDS
def test_types_that_no_kernel_converts(backend):
    x = numbers()
    for dtype in "U5", "M8[s]", bool, complex:
        with pytest.raises(TypeError, match="is no type that kernels convert to"):
            tcpc.permute(x, (1, 0), dtype=dtype, backend=backend)
    for source in x.astype("U5"), x.astype("M8[s]"), x.astype(complex):
        with pytest.raises(TypeError, match="is no type that kernels convert from" + ("; take x.real or abs[(]x[)] of it" if source.dtype == complex else "$")):
            tcpc.copy_(x, source, backend=backend)
        assert (tcpc.permute(source, (1, 0), backend=backend) == source.T).all()  # as bits


@BACKENDS
def test_pairs(backend):
    x, two = numbers(), np.zeros((2, 8))
    for wrong, what in ((two, two.copy()), "ndarray"), (((x,),), "tuple of 1"), (([(x, x)],), "list of 1"), (([(x, x), (x, x)],), "list of 2"), ((x, x.T), "ndarray"):
        with pytest.raises(TypeError, match=r"prepare takes pairs: prepare\(\(dst, src\), ..\), not " + what):
            tcpc.prepare(*wrong, backend=backend)
    tcpc.prepare((two, two.copy()), [x, x.copy()], backend=backend)


def test_between_numpy_and_pytorch():
    """One array of each, of all types that both have, or only one; strides of both signs, and arrays that may only be read."""
    torch = pytest.importorskip("torch")
    import ml_dtypes

    x = np.arange(1, 13).reshape(3, 4)
    types = [(getattr(np, name, None) or getattr(ml_dtypes, name), getattr(torch, name)) for name in
             ("uint8", "int16", "int64", "float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "complex64", "complex128") + (("bool",) if hasattr(np, "bool") else ())]
    for of_numpy, of_torch in types:
        a = x.astype(of_numpy)
        a.flags.writeable = False
        b = torch.zeros(4, 3, dtype=of_torch)
        assert tcpc.permute(a[::-1], (1, 0), out=b) is b
        assert np.array_equal(b.to(torch.complex128).numpy(), a[::-1].T.astype(complex))
        c = np.zeros((3, 4), of_numpy)
        assert tcpc.copy_(c[::-1], b.t()).base is c and np.array_equal(c, a)
    for of_numpy, _ in types[:8]:
        for _, of_torch in types[:8]:
            b, c = torch.zeros(4, 3, dtype=of_torch), np.zeros((3, 4), of_numpy)
            tcpc.permute(x.astype(of_numpy), (1, 0), out=b)
            tcpc.copy_(c, b.t())
            assert np.array_equal(b.double().numpy(), x.T) and np.array_equal(c.astype(int), x)
