"""Kernels with tensor maps: what the driver is asked for, and what the host run gives."""
import ctypes
import threading

import numpy as np
import pytest

import tcpc
from tcpc import _base, _cuda
from test_cuda import Interface
from test_load import Gpu

PLAN = """tcp 1;
param M : index in 0 .. 5000;
param N : index in 0 .. 4096;
param ld : index % 8 in 0 .. 1000000000000;
tensor A : f16 global (M,N):(ld,1) align 16;
tensor B : f16 global row(16*ceil_div(M+1,16), 64*ceil_div(N+1,64)) align 16;
kernel tiles(A, out B) grid (ceil_div(M+1,16), ceil_div(N+1,64)) threads 128 {
  shared s : f16 Sw<3,3,3> o 0 o row(16,64);
  copy local_tile(A, (16,64), (block.x, block.y)) -> s with tma.load pad 0;
  copy s -> local_tile(B, (16,64), (block.x, block.y)) with tile(universal(128), thr=(16,8):(8,1), val=(1,8));
}
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    file = tmp_path_factory.mktemp("maps") / "plan.tcp"
    file.write_text(PLAN)
    with pytest.raises(tcpc.CompileError, match="'tma.load' needs sm_90"):
        tcpc.load(file)
    with pytest.warns(tcpc.PlanWarning, match="rows of .A. have N elements"):
        return tcpc.load(file, arch="sm_90")


def result(m, n):
    return np.full((16 * ((m + 16) // 16), 64 * ((n + 64) // 64)), 7, np.float16)


def expected(a):
    b = result(*a.shape) * 0
    b[:a.shape[0], :a.shape[1]] = a
    return b


def test_host(plan):
    """Views of a larger array, one row of any length, of which no stride counts, and tensors without elements: what is beyond them is 0."""
    whole = np.arange(50 * 208).reshape(50, 208).astype(np.float16)
    for a in whole[:20, :100], whole[3:4, 8:75], whole[5:40, 160:], np.ones((1, 33), np.float16), np.zeros((0, 24), np.float16), np.zeros((5, 0), np.float16):
        b = result(*a.shape)
        plan.tiles(a, b, ld=a.strides[0] // 2 if a.strides[0] % 16 == 0 else 40)
        assert np.array_equal(b, expected(a)), a.shape
    plan.tiles.prepare(whole[:20, :100], result(20, 100))  # launches nothing


WRONG = [
    ((0x10000, (20, 100), (220, 2)), "tiles: 'ld' = 110 must be a multiple of 8"),
    ((0x10000, (20, 100), (3 << 39, 2)), r"tiles: 'A': mode 1 has a stride of \d+ bytes; a tensor map takes 0 .. 2\^40 - 16"),
    ((0x10008, (20, 100), (256, 2)), "tiles: 'A' must be aligned to 16 bytes"),
    ((0x10000, (20, 100), (-256, 2)), "tiles: 'ld' = -128 must be in 0 .. "),
]


@pytest.mark.parametrize("given,text", WRONG, ids=[text[:40] for _, text in WRONG])
def test_wrong(plan, given, text):
    address, shape, strides = given
    with pytest.raises(ValueError, match=text):
        plan.tiles(Interface(shape=shape, strides=strides, data=(address, True), typestr="<f2"), destination(*shape))


def destination(m, n):
    return Interface(shape=result(m, n).shape, data=(0x40000000, False), typestr="<f2")


class Driver:
    """Makes maps of what it is given, and takes what a device calls to get zeros."""

    def __init__(self, version=13000, error=0):
        self.version, self.error, self.made = version, error, []
        self.zeros, self.calls = 0x7000, []

    def cuTensorMapEncodeTiled(self, to, type_, rank, address, extent, stride, box, step, interleave, swizzle, promotion, fill):
        assert to.value % 64 == 0 and (type_, interleave, swizzle, promotion, fill) == (1, 0, 3, 2, 0) and list(step)[:2] == [1, 1]
        self.made.append((address.value, list(extent)[:2], stride[0], list(box)[:rank.value]))
        ctypes.memset(to.value, 0xff, 128)
        return self.error

    def cuDriverGetVersion(self, version):
        version._obj.value = self.version
        return 0

    def cuGetErrorString(self, error, text):
        text._obj.value = b"invalid argument"

    def cuMemAlloc_v2(self, made, size):
        made._obj.value = self.zeros
        return 0

    def __getattr__(self, name):
        if not name.startswith("cu") or name == "cuTensorMapEncodeTiled":
            raise AttributeError(name)
        return lambda *given: [self.calls.append(name), 0][1]


@pytest.fixture
def gpu(plan, monkeypatch):
    made, driver = Gpu(), Driver()
    made.driver = driver
    device = object.__new__(_cuda.Device)
    device.cuda, device._zeros = driver, ctypes.c_void_p()
    _base.keep_lock(device, "lock")
    made.zeros = device.zeros
    monkeypatch.setattr("tcpc._load._backend", lambda *_: made)
    monkeypatch.setattr(plan, "_built", {})
    monkeypatch.setattr(_cuda, "_driver", lambda: driver)
    _cuda.tensor_map.cache_clear()
    yield made
    _cuda.tensor_map.cache_clear()


def source(m=20, n=100, ld=104, at=0x10000):
    return Interface(shape=(m, n), strides=(2 * ld, 2), data=(at, True), typestr="<f2")


def test_what_is_launched(plan, gpu):
    """The map is made once for an address, extents and strides, and lies aligned among the arguments."""
    plan.tiles.prepare(source(), destination(20, 100))
    assert gpu.driver.made == [(0x10000, [100, 20], 208, [64, 16])] and not gpu.cuda.launches
    for _ in range(3):
        plan.tiles(source(), destination(20, 100))
    assert len(gpu.driver.made) == 1 and len(gpu.cuda.launches) == 3
    (_, grid, threads, _, arguments), = {tuple(map(str, launch)): launch for launch in gpu.cuda.launches}.values()
    assert grid == (2, 2, 1) and threads == 128 and arguments[:2] == [0x10000, 0x40000000]
    every, one_bit = (1 << 64) - 1, 1 << 21
    assert arguments[-16:] == [every, every - one_bit, *[every] * 14] and len(arguments) % 16 == 0
    plan.tiles(source(at=0x20000), destination(20, 100))
    plan.tiles(source(ld=112), destination(20, 100))
    assert [made[0] for made in gpu.driver.made] == [0x10000, 0x20000, 0x10000]
    plan.tiles(source(), destination(20, 100))
    assert len(gpu.driver.made) == 3


@pytest.mark.parametrize("version,m,clears", [(13000, 20, True), (13010, 20, True), (13020, 20, False), (13000, 5000, False)])
def test_the_bit_of_small_tensors(plan, gpu, version, m, clears):
    """Under 128 KiB, for drivers up to 13.1."""
    gpu.driver.version = version
    plan.tiles(source(m), destination(m, 100))
    assert (gpu.cuda.launches[0][4][-15] >> 21 & 1 == 0) == clears


def test_no_elements(plan, gpu):
    """The map has one element then, which is 0; the array may be nowhere."""
    for _ in range(2):
        plan.tiles(source(0, 100, at=0), destination(0, 100), ld=104)
    assert gpu.driver.made == [(0x7000, [1, 1], 16, [64, 16])] and gpu.driver.calls.count("cuMemsetD8Async") == 1 and len(gpu.cuda.launches) == 2


def test_one_row(plan, gpu):
    """Its stride may be beyond all maps."""
    plan.tiles(source(1, 33, 33), destination(1, 33), ld=1 << 39)
    assert gpu.driver.made == [(0x10000, [33, 1], 16, [64, 16])]


def test_drivers(plan, gpu, monkeypatch):
    gpu.driver.error = 1
    with pytest.raises(RuntimeError, match="cuTensorMapEncodeTiled failed: invalid argument"):
        plan.tiles(source(), destination(20, 100))
    monkeypatch.delattr(Driver, "cuTensorMapEncodeTiled")
    with pytest.raises(RuntimeError, match="the driver has no cuTensorMapEncodeTiled, which makes tensor maps; install a driver of CUDA 12"):
        plan.tiles(source(), destination(20, 100))


def test_an_old_gpu(plan):
    device = object.__new__(_cuda.Device)
    device.number = 89
    with pytest.raises(RuntimeError, match="kernels with tma.load need a GPU of sm_90 or later, and this one is sm_89"):
        device.load(plan._compiled.output, plan._compiled.launches)


def test_threads(plan, gpu):
    """Each gets the map of its own array."""
    def work(i):
        for n in range(40):
            plan.tiles(source(at=0x10000 + 0x100 * ((i * 7 + n) % 13)), destination(20, 100))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(gpu.cuda.launches) == 160 and len({made[0] for made in gpu.driver.made}) == 13


@pytest.mark.skipif(_cuda._nvrtc() is None, reason="there is no NVRTC")
def test_nvrtc(plan):
    assert _cuda.compile_cubin(plan._compiled.output, 90)[:4] == b"\x7fELF"
