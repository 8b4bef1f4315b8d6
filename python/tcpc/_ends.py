"""The end of a mesh that this process has: memory that the other devices map, the words of the barriers, and launches of kernels over the mesh. As runtime/tcp_mesh.cu, for Python."""

from __future__ import annotations

import bisect
import ctypes
import socket
from ctypes import byref, c_int, c_size_t, c_ubyte, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import _library
from ._base import CompileError
from ._cuda import Device, _check

TENSORS, WINDOWS, ROWS, STATE = 4, 16, 6, 32  # as runtime/tcp_mesh_call.h has them
DECISION, OFFSET_BITS, ALIGN = 2, 40, 256
GAVE_UP = 0xffffffff
MOST_KEPT = 4096
MAPPED = 3  # CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP
LAZY = 1  # CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
FAULTS = ("has no error", "did not come within {:g} s", "did not come to the end within {:g} s", "makes another call: another plan, or other sizes or types",
          "is at another launch: it made more or fewer of them", "gave up before")


class Call(ctypes.Structure):
    """tcp_mesh_call, which a kernel gets by value."""

    _fields_ = [("rank", c_uint32), ("size", c_uint32), ("hash", c_uint32), ("tensors", c_uint32), ("timeout", c_uint64), ("state", c_uint64), ("flags", c_uint64), ("peers", c_uint64),
                ("base", c_uint64), ("place", c_uint64 * TENSORS), ("error", c_uint64)]


class Arguments(ctypes.Structure):
    """What a kernel between devices gets."""

    _fields_ = [("source", c_uint64), ("target", c_uint64), ("mesh", Call)]


class _Handle(ctypes.Structure):
    _fields_ = [("bytes", c_ubyte * 64)]


class Block:
    """Memory of the pool, until nobody has it any more. PyTorch makes a tensor of it by the interface."""

    def __init__(self, end: "End", address: int, size: int):
        self._end, self.address = end, address
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3, "strides": None}

    def __del__(self) -> None:
        self._end.free(self.address)


Gather = Callable[[Any], List[Any]]  # what all processes give, by device of the mesh


class End:
    def __init__(self, device: Device, rank: int, size: int, gather: Gather, timeout: float):
        self.device, self.rank, self.size, self.gather, self.timeout = device, rank, size, gather, timeout
        self.windows: List[Tuple[int, int]] = []
        self.used: List[Tuple[int, int]] = []  # address and bytes, sorted
        self.base = (c_uint64 * (WINDOWS * size))()
        self.kept: Dict[Tuple[int, int], Launched] = {}  # by what is called and the address of what peers write, as memory of the pool comes again
        device.cuda.cuIpcOpenMemHandle_v2.argtypes = [c_void_p, _Handle, c_uint]
        self.error = c_void_p()
        self.device._within(self._make)
        peers = (c_uint64 * size)(*self._share(self.flags, "the words of the barriers"))
        self._within("cuMemcpyHtoD_v2", c_uint64(self.peers), peers, c_size_t(8 * size))

    def _make(self) -> None:
        self.device._call("cuMemHostAlloc", byref(self.error), c_size_t(8), c_uint(MAPPED))
        self.state, self.peers, self.bases = (self._new(8 * n) for n in (STATE, self.size, WINDOWS * self.size))
        self.flags = self._new(8 * ROWS * self.size)
        self.word = c_uint64.from_address(self.error.value or 0)
        self._clear()

    def _within(self, name: str, *arguments: Any) -> None:
        self.device._within(lambda: self.device._call(name, *arguments))

    def _new(self, size: int) -> int:
        """Memory of the device. It stays mapped by others, so it is never freed."""
        found = c_uint64()
        self._within("cuMemAlloc_v2", byref(found), c_size_t(size))
        return found.value

    def _clear(self) -> None:
        state = (c_uint64 * STATE)()
        state[DECISION] = 1  # launch 0 is over
        self._within("cuCtxSynchronize")
        self._within("cuMemcpyHtoD_v2", c_uint64(self.state), state, c_size_t(8 * STATE))
        self._within("cuMemsetD8_v2", c_uint64(self.flags), c_ubyte(0), c_size_t(8 * ROWS * self.size))
        self._within("cuCtxSynchronize")
        self.word.value = 0

    def _share(self, address: int, what: str) -> List[int]:
        """Where this device sees such memory of each device. All processes take part to the end, and all raise if one cannot."""
        handle = _Handle()
        self._within("cuIpcGetMemHandle", byref(handle), c_uint64(address))
        told = self.gather((socket.gethostname(), bytes(handle.bytes)))
        seen, wrong = [address] * self.size, ""
        for peer, (host, content) in enumerate(told):
            if peer == self.rank:
                continue
            if host != socket.gethostname():
                wrong = f"it is on host {host}"
            else:
                mapped = c_uint64()
                try:
                    self._within("cuIpcOpenMemHandle_v2", byref(mapped), _Handle((c_ubyte * 64)(*content)), c_uint(LAZY))
                except RuntimeError as error:
                    wrong = str(error)
                seen[peer] = mapped.value
            if wrong:
                wrong = f"device {self.rank} cannot map {what} of device {peer}: {wrong}"
                break
        wrong = next(filter(None, self.gather(wrong)), "")
        if wrong:
            raise RuntimeError(f"{wrong}; path='packed' needs no such memory")
        return seen

    def grow(self, size: int) -> None:
        """Collective."""
        self.kept.clear()  # the time-out may be another one
        at = len(self.windows)
        full = any(self.gather(at == WINDOWS))
        if full:
            raise RuntimeError(f"the pool of a mesh grows {WINDOWS} times at most; prepare more at a time")
        address = self._new(max(size, ALIGN))
        for peer, seen in enumerate(self._share(address, "the pool")):
            self.base[at * self.size + peer] = seen
        self._within("cuMemcpyHtoD_v2", c_uint64(self.bases), self.base, c_size_t(ctypes.sizeof(self.base)))
        self.windows.append((address, max(size, ALIGN)))

    def allocate(self, size: int) -> Block:
        """From the first gap that is large enough."""
        whole = max(1, -(-size // ALIGN)) * ALIGN
        for begin, count in self.windows:
            at = begin
            for address, taken in self.used[bisect.bisect_left(self.used, (begin, 0)):]:
                if address >= begin + count or address - at >= whole:
                    break
                at = address + taken
            if begin + count - at >= whole:
                bisect.insort(self.used, (at, whole))
                return Block(self, at, size)
        raise MemoryError(f"the pool of device {self.rank} has no {size} bytes: {sum(n for _, n in self.used)} of its {sum(n for _, n in self.windows)} are in use; all devices call "
                          "tcpc.prepare_mesh(mesh, bytes) for more")

    def free(self, address: int) -> None:
        i = bisect.bisect_left(self.used, (address, 0))
        if i < len(self.used) and self.used[i][0] == address:
            del self.used[i]

    def check(self) -> None:
        """Raises what went wrong in a launch."""
        error = self.word.value
        if error:
            fault = FAULTS[min(error >> 48, len(FAULTS) - 1)].format(self.timeout)
            raise RuntimeError(f"the mesh is dead for device {self.rank}: in launch {error & 0xffffffff} device {error >> 32 & 0xffff} {fault}; all devices call tcpc.reset_mesh(mesh)")

    def reset(self) -> None:
        """Collective."""
        self._within("cuCtxSynchronize")
        self.gather(None)  # nobody writes any more
        self._clear()
        self.gather(None)

    def call(self, key: int, address: int) -> Call:
        """For a kernel whose peers access the memory at "address"; "key" is the same on all devices."""
        for i, (begin, count) in enumerate(self.windows):
            if begin <= address < begin + count:
                mixed = (key ^ key >> 32) & 0xffffffff
                made = Call(self.rank, self.size, 0 if mixed == GAVE_UP else mixed, 1, int(self.timeout * 1e9), self.state, self.flags, self.peers, self.bases)
                made.place[0], made.error = i << OFFSET_BITS | (address - begin), self.error.value or 0
                return made
        raise ValueError(f"{address:#x} is not in the pool of device {self.rank}")


class Launched:
    """The arguments of a launch as cuLaunchKernel takes them."""

    def __init__(self, call: Call, address: int, meets: bool):
        self.arguments = Arguments(0, address, call)
        self.size = c_size_t(ctypes.sizeof(Arguments) if meets else 16)
        self.extra = (c_void_p * 5)(1, ctypes.addressof(self.arguments), 2, ctypes.addressof(self.size), None)


class Kernel:
    """A kernel between devices, compiled from a plan: its tensors are the source and what peers write."""

    def __init__(self, device: Device, text: str):
        self.device = device
        self.plan = _library.compile_plan(text.encode(), _library.Source("reshard", None, (), device.arch), _library.DEVICE)
        self.launch = self.plan.launches[0]
        self.meets = "const tcp_mesh_call mesh" in self.plan.output  # not if no device needs anything of another one
        self.code = device.load(self.plan.output, [self.launch])

        self.chosen: Dict[int, Any] = {}  # what is launched, by the place of the source within 256 bytes; what peers write is aligned

    def _choose(self, addresses: Sequence[int]) -> Any:
        made = _library.Call(size=ctypes.sizeof(_library.Call))
        if _library.library().tcpc_launch_evaluate(self.launch, (ctypes.c_int64 * 1)(), (c_uint64 * 2)(*addresses), None, byref(made)):
            raise RuntimeError(made.message.decode())
        variant = made.variant.contents
        # the third coordinate of the grid is the device
        return self.code.functions[ctypes.addressof(variant)].handle, made.grid[0], made.grid[1], variant.threads, variant.shared_bytes

    def __call__(self, end: End, key: int, addresses: Sequence[int], stream: int) -> None:
        end.check()
        launched = end.kept.get((key, addresses[1]))
        if launched is None:
            if len(end.kept) == MOST_KEPT:
                end.kept.clear()
            launched = end.kept[key, addresses[1]] = Launched(end.call(key, addresses[1]), addresses[1], self.meets)
        launched.arguments.source = addresses[0]
        chosen = self.chosen.get(addresses[0] % ALIGN)
        if chosen is None:
            chosen = self.chosen[addresses[0] % ALIGN] = self._choose(addresses)
        function, x, y, threads, shared = chosen
        self.code.note(stream)
        self.device._within(lambda: _check(self.device.cuda, self.device.cuda.cuLaunchKernel(function, x, y, 1, threads, 1, 1, shared, stream, None, launched.extra), "the launch of a reshard"))


_kernels: Dict[Tuple[int, str], Any] = {}


def kernel(device: Device, text: str) -> Any:
    """The kernel of this plan; or the CompileError, if the compiler does not plan such a change."""
    key = device.index, text
    if key not in _kernels:
        try:
            _kernels[key] = Kernel(device, text)
        except CompileError as error:
            _kernels[key] = error
    return _kernels[key]
