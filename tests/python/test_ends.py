"""The ends of a mesh on a driver that this file plays: memory of the host, and handles that are its addresses. A thread for each process."""
import ctypes
import threading

import pytest

from tcpc import _ends
from tcpc._ends import ALIGN, Arguments, Call, End, Kernel, OFFSET_BITS


class Driver:
    """What _ends.py calls of libcuda."""

    def __init__(self):
        self.kept, self.cuIpcOpenMemHandle_v2, self.refuses = [], lambda: None, False

    def cuMemAlloc_v2(self, out, size):
        self.kept.append(ctypes.create_string_buffer(size.value))
        out._obj.value = ctypes.addressof(self.kept[-1])

    def cuMemHostAlloc(self, out, size, flags):
        self.kept.append(ctypes.create_string_buffer(size.value))
        out._obj.value = ctypes.addressof(self.kept[-1])

    def cuCtxSynchronize(self):
        pass

    def cuMemcpyHtoD_v2(self, to, source, size):
        ctypes.memmove(to.value, source, size.value)

    def cuMemsetD8_v2(self, to, byte, size):
        ctypes.memset(to.value, byte.value, size.value)

    def cuIpcGetMemHandle(self, handle, address):
        ctypes.memmove(handle._obj.bytes, ctypes.byref(address), 8)

    def open_handle(self, out, handle, flags):
        if self.refuses:
            raise RuntimeError("cuIpcOpenMemHandle_v2 failed: invalid device context")
        out._obj.value = ctypes.c_uint64.from_buffer_copy(bytes(handle.bytes)).value


class Device:
    def __init__(self):
        self.cuda, self.arch, self.index = Driver(), "sm_90", 0

    def _within(self, work):
        work()

    def _call(self, name, *arguments):
        (self.cuda.open_handle if name == "cuIpcOpenMemHandle_v2" else getattr(self.cuda, name))(*arguments)


class Processes:
    """A thread for each; "all" runs one function in each and returns what it gave or raised."""

    def __init__(self, count):
        self.count, self.told, self.barrier = count, [None] * count, threading.Barrier(count)

    def gather(self, rank):
        def all_of(mine):
            self.told[rank] = mine
            self.barrier.wait(10)
            found = list(self.told)
            self.barrier.wait(10)
            return found

        return all_of

    def all(self, work):
        found = [None] * self.count

        def run(rank):
            try:
                found[rank] = work(rank)
            except Exception as error:
                found[rank] = error

        threads = [threading.Thread(target=run, args=(rank,)) for rank in range(self.count)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(20)
        return found


@pytest.fixture
def three():
    processes = Processes(3)
    ends = processes.all(lambda rank: End(Device(), rank, 3, processes.gather(rank), 0.5))
    assert all(isinstance(e, End) for e in ends), ends
    return processes, ends


def words(address, count):
    return list((ctypes.c_uint64 * count).from_address(address))


def test_tables(three):
    processes, ends = three
    processes.all(lambda rank: ends[rank].grow(1000 * (rank + 1)))
    processes.all(lambda rank: ends[rank].grow(4096))
    for e in ends:
        assert words(e.peers, 3) == [other.flags for other in ends]
        assert words(e.bases, 6) == [other.windows[w][0] for w in range(2) for other in ends]
        state = words(e.state, _ends.STATE)
        assert state[_ends.DECISION] == 1 and sum(state) == 1 and not any(words(e.flags, 3 * _ends.ROWS))


def test_pool(three):
    processes, ends = three
    processes.all(lambda rank: ends[rank].grow(4 * ALIGN))
    e = ends[0]
    begin = e.windows[0][0]
    one, two = e.allocate(1), e.allocate(ALIGN + 1)
    assert [one.address - begin, two.address - begin] == [0, ALIGN]
    with pytest.raises(MemoryError, match=r"the pool of device 0 has no 300 bytes: 768 of its 1024 are in use; all devices call tcpc.prepare_mesh\(mesh, bytes\) for more"):
        e.allocate(300)
    del one
    again = e.allocate(10)
    assert again.address == begin
    processes.all(lambda rank: ends[rank].grow(ALIGN * 2))
    far = e.allocate(300)
    assert far.address == e.windows[1][0]
    made = e.call(7, far.address)
    assert (made.rank, made.size, made.hash, made.tensors, made.timeout, made.place[0]) == (0, 3, 7, 1, 500000000, 1 << OFFSET_BITS)
    assert e.call(7, two.address).place[0] == ALIGN and e.call(0xffffffff, two.address).hash == 0
    with pytest.raises(ValueError, match="is not in the pool of device 0"):
        e.call(7, begin - 1)


def test_struct():
    """As a C compiler lays out tcp_mesh_call."""
    assert ctypes.sizeof(Call) == 96 and (Call.timeout.offset, Call.state.offset, Call.base.offset, Call.place.offset, Call.error.offset) == (16, 24, 48, 56, 88)


@pytest.mark.parametrize("kind, words", enumerate(["has no error", "did not come within 0.5 s", "did not come to the end within 0.5 s", "makes another call", "is at another launch", "gave up before"]))
def test_errors(three, kind, words):
    processes, ends = three
    ctypes.c_uint64.from_address(ends[1].error.value).value = kind << 48 | 2 << 32 | 9
    with pytest.raises(RuntimeError, match=rf"the mesh is dead for device 1: in launch 9 device 2 {words}.*all devices call tcpc.reset_mesh\(mesh\)"):
        ends[1].check()
    assert processes.all(lambda rank: ends[rank].reset()) == [None] * 3
    assert ends[1].check() is None


def test_not_mapped(three, monkeypatch):
    processes, ends = three
    ends[2].device.cuda.refuses = True
    for error in processes.all(lambda rank: ends[rank].grow(512)):
        assert str(error) == "device 2 cannot map the pool of device 0: cuIpcOpenMemHandle_v2 failed: invalid device context; path='packed' needs no such memory"
    ends[2].device.cuda.refuses = False
    monkeypatch.setattr(_ends.socket, "gethostname", lambda: threading.current_thread().name)
    assert all("of device" in str(error) and ": it is on host Thread-" in str(error) for error in processes.all(lambda rank: ends[rank].grow(512)))
    monkeypatch.undo()
    for _ in range(_ends.WINDOWS):
        assert processes.all(lambda rank: ends[rank].grow(1)) == [None] * 3
    assert all("the pool of a mesh grows 16 times at most; prepare more at a time" in str(error) for error in processes.all(lambda rank: ends[rank].grow(1)))


def test_launch(three):
    """Arguments are kept for memory that comes again; the source, the time-out and a dead mesh are those of each launch."""
    processes, ends = three
    processes.all(lambda rank: ends[rank].grow(8 * ALIGN))
    e, seen = ends[1], []

    def launch(function, x, y, z, threads, one, other, shared, stream, params, extra):
        size = ctypes.c_size_t.from_address(extra[3]).value
        seen.append((function, x, y, threads, shared, stream, size, ctypes.string_at(extra[1], size)))
        return 0

    e.device.cuda.cuLaunchKernel = launch
    kernel = Kernel.__new__(Kernel)
    kernel.device, kernel.meets, kernel.chosen = e.device, True, {0: ("f", 7, 2, 128, 4096), 16: ("g", 8, 2, 128, 0)}
    kernel.code = type("Code", (), {"note": lambda self, stream: None})()
    at = e.windows[0][0]
    for source, target in (1024, at), (2048 + 16, at), (1024, at + ALIGN), (4096, at):
        kernel(e, 5, (source, target), 3)
    got = [Arguments.from_buffer_copy(s[-1]) for s in seen]
    assert [(a.source, a.target, a.mesh.place[0], a.mesh.hash, a.mesh.rank, a.mesh.timeout) for a in got] == [
        (1024, at, 0, 5, 1, 500000000), (2064, at, 0, 5, 1, 500000000), (1024, at + ALIGN, ALIGN, 5, 1, 500000000), (4096, at, 0, 5, 1, 500000000)]
    assert [s[:7] for s in seen] == [(f, n, 2, 128, shared, 3, ctypes.sizeof(Arguments)) for f, n, shared in (("f", 7, 4096), ("g", 8, 0), ("f", 7, 4096), ("f", 7, 4096))]
    assert len(e.kept) == 2
    e.timeout = 2
    processes.all(lambda rank: ends[rank].grow(ALIGN))
    kernel(e, 5, (1024, at), 3)
    assert Arguments.from_buffer_copy(seen[-1][-1]).mesh.timeout == 2000000000
    e.word.value = 1 << 48 | 2 << 32 | 9
    with pytest.raises(RuntimeError, match="the mesh is dead for device 1"):
        kernel(e, 5, (1024, at), 3)
    assert len(seen) == 5
