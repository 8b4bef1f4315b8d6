"""What is ready for a GPU without one: compiling, the cache on the disk, and descriptions of arrays."""
import ctypes
import multiprocessing
import os
import random
import re
import time
from collections import deque

import ml_dtypes
import numpy as np
import pytest

import tcpc
from tcpc import _arrays, _bench, _cuda, _disk, _engine, _foreign

REQUEST = _engine.Request(("b16", "b16"), (96, 160), (1, 96), (160, 1), 0, (16, 16))


class Backend:
    name, emit, arch = "test", _cuda.DEVICE, "sm_90"


@pytest.fixture
def text(monkeypatch, tmp_path):
    monkeypatch.setenv("TCPC_CACHE", str(tmp_path))
    monkeypatch.delenv("TCPC_NVRTC", raising=False)
    yield _engine.Kernel(Backend(), REQUEST).compiled.output
    forget()


def forget():
    _cuda._nvrtc.cache_clear()
    _cuda._compiler.cache_clear()


def has_nvcc():
    try:
        return bool(_cuda._nvcc())
    except RuntimeError:
        return False


def test_the_order_of_calls_changes_no_file():
    """A kernel's text, so also its file on the disk, depends on the copy alone: a process that makes its copies in another order finds them all."""
    def texts(requests):
        engine, backend = _engine.Engine(), Backend()
        kernels = [engine.make(backend, request) for request in requests]
        assert [kernel.divisor for kernel in kernels].count(32) == 1
        return {kernel.name: kernel.compiled.output for kernel in kernels}

    lengths = [REQUEST._replace(extents=(n, 160), source=(1, n)) for n in (96, 160, 64)]
    others = [REQUEST._replace(align=(4, 2)), REQUEST._replace(element=("b32", "b32")), REQUEST._replace(source=(1, 128))]
    found = texts([*lengths, *others])
    assert len(found) == len(set(found.values())) == 6 and all(name in text for name, text in found.items())
    assert texts([*others[::-1], lengths[1], lengths[0], lengths[2]]) == found


@pytest.mark.skipif(_cuda._nvrtc() is None, reason="there is no NVRTC")
def test_nvrtc_and_its_cache(text, tmp_path, monkeypatch):
    cubin = _cuda.compile_cubin(text, 90)
    assert cubin[:4] == b"\x7fELF" and re.search(rb"relayout_[0-9a-f]{10}_kernel", cubin)
    file, = tmp_path.rglob("*.cubin")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [file]
    monkeypatch.setattr(_cuda, "_compile", None)  # no more
    assert _cuda.compile_cubin(text, 90) == cubin
    with pytest.raises(TypeError):
        _cuda.compile_cubin(text + " ", 90)
    monkeypatch.undo()
    monkeypatch.setenv("TCPC_CACHE", "/dev/null/nowhere")  # cannot be written
    assert _cuda.compile_cubin(text, 90)[:4] == b"\x7fELF"
    with pytest.raises(RuntimeError, match="NVRTC failed: .*error"):
        _cuda.compile_cubin("wrong", 90)


@pytest.mark.skipif(not has_nvcc(), reason="there is no nvcc")
def test_nvcc_without_nvrtc(text, monkeypatch):
    monkeypatch.setenv("TCPC_NVRTC", "/nowhere/libnvrtc.so")
    forget()
    with pytest.raises(RuntimeError, match="nvcc failed: .*error"):
        _cuda.compile_cubin("wrong", 90)
    monkeypatch.setattr(_cuda, "_compile_by_nvcc", lambda text, options: b"made")
    assert _cuda.compile_cubin(text, 90) == b"made"


def test_without_both(text, monkeypatch):
    monkeypatch.setenv("TCPC_NVRTC", "/nowhere/libnvrtc.so")
    monkeypatch.setattr(_cuda.shutil, "which", lambda name: None)
    forget()
    with pytest.raises(RuntimeError, match="install NVRTC with 'pip install nvidia-cuda-nvrtc'"):
        _cuda.compile_cubin(text, 90)


def test_a_file_in_the_cache_that_is_not_whole(tmp_path):
    """It is compiled again: a power failure leaves files that are shorter, or full of zeros."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("TCPC_CACHE", str(tmp_path))
        monkeypatch.setattr(_cuda, "_compiler", lambda: ("test", (90,)))
        monkeypatch.setattr(_cuda, "_compile", lambda *_: b"made")
        monkeypatch.setattr(_cuda, "_compile_by_nvcc", lambda *_: b"made")
        _cuda.compile_cubin("text", 90)
        file, = tmp_path.rglob("*.cubin")
        whole = file.read_bytes()
        for wrong in b"", whole[:-1], whole[:-32], bytes(len(whole)), b"n" + whole[1:]:
            file.write_bytes(wrong)
            assert _cuda.compile_cubin("text", 90) == b"made" and file.read_bytes() == whole
        monkeypatch.setattr(_cuda.os, "replace", no_space)
        file.unlink()
        assert _cuda.compile_cubin("text", 90) == b"made"
        assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_the_disk_is_bounded(tmp_path, monkeypatch):
    """What was used the longest ago goes; what another process removes meanwhile is no error."""
    monkeypatch.setattr(_disk, "MOST_BYTES", 1000)
    files = [tmp_path / f"{i}.cubin" for i in range(20)]
    for i, file in enumerate(files):
        _disk.write(file, b"x" * 68)  # 100 with its digest
        os.utime(file, (i, i))
        if i == 5:
            assert _disk.read(files[0]) == b"x" * 68  # which makes it the newest
        assert sum(f.stat().st_size for f in tmp_path.iterdir()) <= 1000
    left = {f.name for f in tmp_path.iterdir()}
    assert "0.cubin" in left and "1.cubin" not in left and "19.cubin" in left and 5 < len(left) < 11
    monkeypatch.setattr(_disk, "MOST_BYTES", 0)
    monkeypatch.setattr(_disk.os, "unlink", no_space)
    _disk.write(tmp_path / "more.cubin", b"x")
    assert _disk.read(tmp_path / "more.cubin") == b"x"
    monkeypatch.undo()
    _disk.keep_newest(tmp_path.glob("*.cubin"), 3)
    assert len(list(tmp_path.iterdir())) == 3 and _disk.read(tmp_path / "more.cubin") == b"x"
    tmp_path.chmod(0o500)
    _disk.use(tmp_path / "nothing")


def no_space(*_):
    raise OSError("no space left")


def of_one_process(wanted, seen):
    """Compiles each text in its own order, slowly, and tells what it got."""
    _cuda._compiler = lambda: ("test", (90,))
    _cuda._compile = _cuda._compile_by_nvcc = lambda *given: [time.sleep(.001), next(str(g) for g in given if str(g).startswith("text")).encode() * 9999][1]
    seen.put([_cuda.compile_cubin(t, 90) == t.encode() * 9999 for t in wanted])


def test_eight_processes(tmp_path, monkeypatch):
    """On one empty cache: each gets its code whole, and each file is written."""
    monkeypatch.setenv("TCPC_CACHE", str(tmp_path))
    _cuda._headers()
    fork, texts = multiprocessing.get_context("fork"), [f"text {i}" for i in range(12)]
    seen = fork.SimpleQueue()
    processes = [fork.Process(target=of_one_process, args=(random.Random(i).sample(texts, 12), seen)) for i in range(8)]
    [p.start() for p in processes]
    assert all(all(seen.get()) for _ in processes)
    [p.join() for p in processes]
    assert len([p for p in tmp_path.rglob("*") if p.is_file()]) == len(texts)


def test_arch():
    assert _cuda.known_arch(80) == "sm_80" and _cuda.known_arch(90) == "sm_90" and _cuda.known_arch(91) == "sm_90"
    known = (75, 80, 86, 89, 90, 100, 103, 110, 120)
    assert [_cuda.code_arch(n, "NVRTC 13.0", known) for n in (80, 87, 90, 91, 104, 110, 121)] == ["sm_80", "sm_86", "sm_90", "sm_90", "sm_103", "sm_110", "sm_120"]
    with pytest.raises(RuntimeError, match="NVRTC 13.0 knows no architecture that a GPU of sm_130 executes; install a newer one"):
        _cuda.code_arch(130, "NVRTC 13.0", known)
    with pytest.raises(RuntimeError, match="kernels need a GPU of sm_80 or later, and this one is sm_75"):
        _cuda.known_arch(75)


@pytest.mark.skipif(_cuda._nvrtc() is None and not has_nvcc(), reason="there is neither NVRTC nor nvcc")
def test_a_newer_gpu(text):
    """Its code is that of the newest one of its family: no PTX, which the driver would compile at each start."""
    assert _cuda.compile_cubin(text, 94)[:4] == b"\x7fELF"


def test_launch_data():
    """Where the addresses are among the arguments, for each variant."""
    kernel = _engine.Kernel(Backend(), REQUEST._replace(align=(2, 2)))
    launch = kernel.compiled.launch.contents
    for i in range(launch.nvariants):
        variant = launch.variant[i].contents
        assert variant.argument[1].contents.tensor.contents.name == b"dst" and _cuda.function_of(None, variant).places == (0, variant.argument[1].contents.offset)


class Driver:
    """Counts what is loaded; "captures" is of each stream but the default one."""

    def __init__(self):
        self.loaded, self.unloaded, self.captures, self.modes = 0, [], 0, []

    def cuLibraryLoadData(self, library, *_):
        self.loaded += 1
        library._obj.value = self.loaded
        return 0

    def cuLibraryUnload(self, library):
        self.unloaded.append(library.value)
        return 0

    def cuStreamIsCapturing(self, stream, state):
        assert stream.value
        state._obj.value = self.captures
        return 0

    def cuThreadExchangeStreamCaptureMode(self, mode):
        self.modes.append(mode._obj.value)
        mode._obj.value = 0
        return 0


def test_unloading(monkeypatch):
    """Code is unloaded some time after nobody has it any more, but not what a graph may have."""
    monkeypatch.setattr(_cuda, "compile_cubin", lambda *_: b"")
    device = _cuda.Device.__new__(_cuda.Device)
    device.cuda, device.number, device.retired, device._within = Driver(), 90, deque(), lambda work: work()
    kept = device.load("", [])
    for i in range(100):
        code = device.load("", [])
        if i % 3 == 0:
            device.cuda.captures = i % 2
            code.note(0 if i % 4 == 0 else 7)
    captured = [2 + i for i in range(100) if i % 3 == 0 and i % 2 and i % 4]
    del code
    expected = [n for n in range(2, 102) if n not in captured]
    assert device.cuda.unloaded == expected[:-_cuda.MOST_RETIRED - 1] and len(captured) > 9 and len(device.cuda.unloaded) > 9
    assert set(device.cuda.modes) == {2, 0} and device.cuda.modes[0::2] == [2] * 101  # what is captured by others stays valid
    assert kept.library.value == 1


def test_bench():
    """Of works that take a known time, in rounds in which another one is the first each time."""
    taken, order = {"ours": 2.0, "theirs": 4.0, "plain": 1.0}, []
    works = [lambda name=name: order.append(name) for name in taken]

    def elapsed(work, n):
        work()
        return n * taken[order[-1]]

    assert _bench._measured(works, elapsed) == [2.0, 4.0, 1.0] and order[6:12] == ["ours", "theirs", "plain", "theirs", "plain", "ours"]
    rows = tuple(_bench.Row(name, ms * 1e3, 8.0 / ms) for name, ms in taken.items())
    assert str(_bench.Bench("a b -> b a", rows)).splitlines()[2] == "theirs      4000.0 us         2 GB/s   0.25 of a plain copy"


def test_in_a_child_after_fork(monkeypatch):
    """The driver says that it is not initialized, which it was."""
    class Forked:
        def __getattr__(self, name):
            return lambda *_: 3

    device = _cuda.Device.__new__(_cuda.Device)
    device.cuda, device.context = Forked(), ctypes.c_void_p(1)
    with pytest.raises(RuntimeError, match="CUDA does not work in a process that was forked from one that used it; start it by multiprocessing's 'spawn'"):
        device._within(lambda: None)
    result = _foreign.Result.__new__(_foreign.Result)
    result.device, result.address = device, ctypes.c_void_p(8)
    result.__del__()  # says nothing


class Interface:
    device = type("Device", (), {"id": 0})

    def __init__(self, **more):
        self.__cuda_array_interface__ = {"shape": (4, 6), "typestr": "<f4", "data": (0x1000, False), "version": 3, **more}


def test_cuda_array_interface():
    a = _arrays.describe(Interface())
    assert (a.shape, a.strides, a.itemsize, a.name, a.writable, a.device, a.address) == ((4, 6), (24, 4), 4, "float32", True, 0, 0x1000)
    b = _arrays.describe(Interface(strides=(4, 16), data=(0x1000, True), typestr="|b1"))
    assert (b.strides, b.name, b.writable) == ((4, 16), "bool", False)
    assert [_arrays.describe(Interface(typestr=t)).name for t in ("<c8", ">f4", "<i2")] == ["complex64", ">f4", "int16"]
    for dtype, name in (np.dtype(ml_dtypes.bfloat16), "bfloat16"), (np.dtype("f4"), "<V2"):
        told = Interface(typestr="<V2")
        told.dtype = dtype
        assert (_arrays.describe(told).dtype, _arrays.describe(told).name) == (dtype if name == "bfloat16" else "<V2", name)
    with pytest.raises(TypeError, match="arrays with a mask cannot be copied"):
        _arrays.describe(Interface(mask=Interface()))
    with pytest.raises(ValueError, match="expected both arrays on one device, but found cpu and cuda:0"):
        tcpc.copy_(Interface(), np.zeros((4, 6), np.float32))
    with pytest.raises(TypeError, match="a new array like Interface cannot be made; give out="):
        tcpc.contiguous(Interface())
    with pytest.raises(ValueError, match="backend='host' needs arrays on the CPU"):
        tcpc.copy_(Interface(), Interface(), backend="host")


def test_whose_memory_it_is(monkeypatch):
    """Numba's arrays do not say on which GPU they are; the driver does."""
    def ask(found, attribute, address):
        found._obj.value = 3
        return attribute != 9 or address.value != 0x1000

    monkeypatch.setattr(_cuda, "_driver", lambda: type("Driver", (), {"cuPointerGetAttribute": staticmethod(ask)}))
    elsewhere = Interface()
    elsewhere.device = None
    assert _arrays.describe(elsewhere).device == 3


def test_without_a_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        with pytest.raises(RuntimeError, match="the driver's library libcuda.so.1 was not found"):
            tcpc.copy_(Interface(), Interface(data=(0x2000, False)))
