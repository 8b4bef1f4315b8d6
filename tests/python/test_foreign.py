"""Arrays of JAX, if it is installed, and others that have only DLPack: on the CPU, and on a GPU if there is one."""
import ctypes
import sys

import numpy as np
import pytest

import tcpc
from tcpc import _foreign


class Only:
    """Tells of its memory by DLPack, and of its framework by the array API."""

    def __init__(self, of, writable=False):
        self.of, self.shape = of, of.shape

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()

    def __dlpack__(self, **more):
        self.asked = more
        return self.of.__dlpack__(**more)

    def __array__(self, *more, **named):
        return np.asarray(self.of)

    def __array_namespace__(self):
        return sys.modules[type(self.of).__module__.split(".")[0]]


def test_capsules():
    rng = np.random.default_rng(1)
    for dtype in np.uint8, np.int64, np.float16, np.complex64, np.bool_:
        x = rng.integers(0, 2, (4, 6, 5)).astype(dtype)[:, 1::2].transpose(2, 0, 1)
        capsule = x.__dlpack__()  # which holds what is read
        array = _foreign.described(x, _foreign.read(capsule))
        assert (array.address, array.shape, array.strides, array.itemsize, array.name) == (x.__array_interface__["data"][0], x.shape, x.strides, x.itemsize, x.dtype.name)
        assert not array.writable and _foreign.TYPES[array.name] == array.dtype


def test_on_the_cpu():
    x = Only(np.arange(24.).reshape(4, 6))
    y = tcpc.relayout(x, "a b -> b a", backend="host")
    assert type(y) is np.ndarray and np.array_equal(y, x.of.T) and tcpc.cache_info().misses == 1
    out = np.zeros((6, 4), np.float32)
    assert tcpc.permute(x, (1, 0), out=out) is out and np.array_equal(out, x.of.T)
    assert tcpc.copy_(out.T, x, backend="host") is not None and np.array_equal(out, x.of.T)


class Elsewhere(Only):
    def __dlpack_device__(self):
        return 10, 0


@pytest.mark.parametrize("wrong,text", [
    (lambda x: tcpc.copy_(x, np.zeros((4, 6))), "arrays of test_foreign cannot be written"),
    (lambda x: tcpc.permute(x, (1, 0), out=Only(np.zeros((6, 4)))), "arrays of test_foreign cannot be written"),
    (lambda x: tcpc.contiguous(Elsewhere(x.of)), "arrays on DLPack's device 10 cannot be copied; only those on the CPU and on CUDA GPUs"),
    (lambda x: tcpc.contiguous(type("Bare", (Only,), {"__array_namespace__": property(lambda self: getattr(self, "no"))})(x.of)), "cannot be made, as it has no __array_namespace__; give out="),
])
def test_wrong(wrong, text):
    with pytest.raises(TypeError, match=text):
        wrong(Only(np.zeros((4, 6))))


def test_odd_types():
    tensor = _foreign.DlTensor(0x1000, 2, 0, 1, _foreign.DataType(17, 4, 1), (ctypes.c_int64 * 1)(4), None, 0)
    with pytest.raises(TypeError, match="elements of 4 bits cannot be copied"):
        _foreign.described(None, tensor)
    tensor.dtype.lanes = 2
    array = _foreign.described(None, tensor)
    assert (array.itemsize, array.strides, array.dtype, array.name) == (1, (1,), (17, 8), "(17, 8)")


def test_jax():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    backend = "host" if jax.devices()[0].platform == "cpu" else None
    for dtype in jnp.bfloat16, jnp.float32, jnp.bool_, jnp.complex64:
        x = jnp.arange(120).reshape(2, 5, 12).astype(dtype)
        y = tcpc.relayout(x, "b s (h d) -> b h s d", h=3, backend=backend)
        assert isinstance(y, jax.Array) and y.dtype == dtype and (y == x.reshape(2, 5, 3, 4).transpose(0, 2, 1, 3)).all()
    y = tcpc.permute(x.real, (2, 0, 1), dtype=jnp.bfloat16)
    assert isinstance(y, jax.Array) and y.dtype == jnp.bfloat16 and y.shape == (12, 2, 5)
    with pytest.raises(TypeError, match="arrays of jaxlib cannot be written"):
        tcpc.copy_(x, np.zeros((2, 5, 12), np.complex64))
    for transform in jax.jit, jax.vmap, jax.grad:
        with pytest.raises(TypeError, match="within jax.jit, grad or vmap an array has no memory yet; call tcpc outside of them"):
            transform(lambda x: tcpc.contiguous(x).sum())(jnp.zeros(6) if transform is not jax.vmap else jnp.zeros((6, 2)))


def test_on_a_gpu():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    for dtype, to in (torch.float32, None), (torch.bfloat16, "float32"), (torch.complex64, None), (torch.bool, None), (torch.uint8, None):
        x = torch.randint(0, 2, (64, 96), device="cuda").to(dtype).t()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):  # what it has to wait for
            torch.cuda._sleep(20_000_000)
            x += x
        only = Only(x)
        with torch.cuda.stream(side):
            y = tcpc.permute(only, (1, 0), dtype=to)
        assert only.asked == {"stream": 1} and torch.equal(y, x.t().to(getattr(torch, to) if to else dtype)), dtype
        out = torch.zeros(64, 96, dtype=dtype, device="cuda")
        with torch.cuda.stream(side):
            tcpc.permute(only, (1, 0), out=out)
        assert only.asked == {"stream": side.cuda_stream}
        side.synchronize()
        assert torch.equal(out, x.t())
    assert len(_foreign._held) < 10
    del y
    for wrong, kind, text in (
            (lambda: tcpc.permute(only, (1, 0), dtype="float31"), TypeError, "dtype= is one of int8, .*, not 'float31'"),
            (lambda: tcpc.permute(only, (1, 0), out=out, dtype=torch.uint8), TypeError, "the type of out= is that of the result; give no dtype="),
            (lambda: tcpc.permute(only, (1, 0), backend="host"), ValueError, "backend='host' needs arrays on the CPU")):
        with pytest.raises(kind, match=text):
            wrong()
    torch.cuda.synchronize()
    tcpc.permute(only, (1, 0))
    assert len(_foreign._held) == 1 and not _foreign._given


def cupy_with_a_gpu():
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("there is no GPU")
    return cupy


def test_cupy():
    cupy, rng = cupy_with_a_gpu(), np.random.default_rng(1)
    for dtype in np.uint8, np.int16, np.float16, np.float32, np.float64, np.complex64, np.bool_:
        for _ in range(8):
            held = rng.integers(0, 2, rng.integers(1, 40, 3)).astype(dtype)
            x, held = ((a[::-1, 1:] if a.shape[1] > 2 else a)[..., ::2].transpose(2, 0, 1) for a in (cupy.asarray(held), held))
            y = tcpc.relayout(x, "a b c -> c (a b)")
            assert type(y) is cupy.ndarray and y.dtype == dtype and y.flags.c_contiguous and np.array_equal(y.get(), held.transpose(2, 0, 1).reshape(held.shape[2], -1))
            assert np.array_equal(tcpc.contiguous(x).get(), held)
            out = cupy.zeros((*held.shape[1:], 2 * held.shape[0]), dtype)
            assert tcpc.copy_(out[..., 1::2], x.transpose(1, 2, 0)) is not None
            assert np.array_equal(out.get()[..., 1::2], held.transpose(1, 2, 0)) and not out.get()[..., ::2].any()
    z = tcpc.permute(cupy.asarray(np.arange(60, dtype=np.int32).reshape(5, 12)), (1, 0), dtype=np.float16)
    assert z.dtype == np.float16 and np.array_equal(z.get(), np.arange(60).reshape(5, 12).T)
    with pytest.raises(ValueError, match="share elements"):
        tcpc.copy_(z[1:], z[:-1])
    side, x, out = cupy.cuda.Stream(non_blocking=True), cupy.zeros((2048, 2048), np.float32), cupy.empty((2048, 2048), np.float32)
    for k in range(20):  # on CuPy's stream, in its order
        with side:
            x += 1
            tcpc.permute(x, (1, 0), out=out)
            y = tcpc.contiguous(out)
            out.fill(0)
        side.synchronize()
        assert (y.get() == k + 1).all()
    assert tcpc.cache_info().hits >= 38


class Interface:
    """A tensor of PyTorch by __cuda_array_interface__, with its stream."""

    def __init__(self, of, stream):
        self.__cuda_array_interface__ = {**of.__cuda_array_interface__, "stream": stream}


def test_the_stream_of_an_array_is_waited_for():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x, out, side = torch.ones(512, 512, device="cuda"), torch.zeros(512, 512, device="cuda"), torch.cuda.Stream()
    tcpc.copy_(out, Interface(x, 1))
    side.wait_stream(torch.cuda.current_stream())
    for k in range(2, 5):
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            x.fill_(k)
        tcpc.copy_(out, Interface(x, side.cuda_stream))
        assert (out == k).all()


class Order:
    """A device that only notes what waits for what."""

    def __init__(self):
        self.calls = []

    def record(self, stream):
        self.calls.append(("record", stream))
        return "event"

    def _within(self, work):
        work()

    def _call(self, name, *more):
        self.calls.append((name, *[getattr(m, "value", m) for m in more]))


def test_who_waits():
    from tcpc import _cuda
    from tcpc._arrays import describe

    told = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3}
    for stream, at, waits in (None, 0, False), (1, 0, False), (7, 7, False), (7, 0, True), (1, 7, True), (2, 0, True):
        x, order = type("X", (), {"device": type("Device", (), {"id": 0}), "__cuda_array_interface__": {**told, "stream": stream}})(), Order()
        _cuda.Device.follow(order, describe(x), at)
        assert order.calls == ([("record", stream), ("cuStreamWaitEvent", at or None, "event", 0), ("cuEventDestroy_v2", "event")] if waits else [])
