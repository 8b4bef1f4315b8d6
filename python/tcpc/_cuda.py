"""Kernels on NVIDIA GPUs: NVRTC compiles the emitted code, and the driver launches it. Both are found when they are first needed."""

from __future__ import annotations

import ctypes
import functools
import glob
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _disk, _library
from ._base import keep_lock
from ._library import DEVICE

COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR, MOST_SHARED = 75, 76, 8  # of the driver's attributes
MAP_BYTES, MAP_ALIGN, MAP_ZEROS = 128, 64, 16  # of a tensor map, and TCPC_MAP_ZEROS
MAP_ARCH = 90  # the first GPUs that have them
MAP_DRIVER = 13010  # drivers up to this one are wrong for small tensors: BIT of the second 8 bytes
MAP_BIT = 21
NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
LEGACY = 1  # stream 0, in __cuda_array_interface__ and DLPack
NO_TIMING = 2  # of an event's flags
OVERLAP = 4  # TCPC_LAUNCH_OVERLAP
RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
MOST_RETIRED = 64  # that are not unloaded yet
FAR = 1 << 52  # bytes that no two arrays are apart
OLDEST = 80  # sm_80
NOT_INITIALIZED = 3  # CUDA_ERROR_NOT_INITIALIZED
ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


@functools.lru_cache(maxsize=None)
def _nvrtc() -> Any:
    """What TCPC_NVRTC names, that of NVIDIA's packages, as PyTorch brings them, or that of the system; None."""
    named = os.environ.get("TCPC_NVRTC")
    places = [named] if named else []
    if not named:
        spec = importlib.util.find_spec("nvidia")
        for folder in (spec.submodule_search_locations or []) if spec else []:
            places += sorted((p for p in glob.glob(f"{folder}/*/lib/libnvrtc.so.*") if "builtins" not in p and ".alt." not in p), reverse=True)
        places += ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"]
    for place in places:
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    return None


@functools.lru_cache(maxsize=None)
def _headers() -> str:
    """A digest of what emitted code includes."""
    folder, digest = _library.find_runtime(), hashlib.sha256()
    for path in sorted([*folder.glob("*.h"), *folder.glob("*.cuh")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _nvcc() -> str:
    for name in ("nvcc", "/usr/local/cuda/bin/nvcc"):
        found = shutil.which(name)
        if found:
            return found
    raise RuntimeError("neither NVRTC nor nvcc, which compile kernels, was found; install NVRTC with 'pip install nvidia-cuda-nvrtc', or name its library in TCPC_NVRTC")


def _of_nvcc(option: str) -> str:
    return subprocess.run([_nvcc(), option], capture_output=True, text=True).stdout


@functools.lru_cache(maxsize=None)
def _compiler() -> Tuple[str, Tuple[int, ...]]:
    """The name of what compiles kernels, with its version, and the architectures that it knows."""
    nvrtc = _nvrtc()
    if nvrtc is None:
        return "nvcc " + _of_nvcc("--version"), tuple(int(found) for found in re.findall(r"sm_(\d+)\b", _of_nvcc("--list-gpu-code")))
    major, minor, count = c_int(), c_int(), c_int()
    nvrtc.nvrtcVersion(byref(major), byref(minor))
    nvrtc.nvrtcGetNumSupportedArchs(byref(count))
    known = (c_int * count.value)()
    nvrtc.nvrtcGetSupportedArchs(known)
    return f"NVRTC {major.value}.{minor.value}", tuple(known)


def code_arch(number: int, compiler: str, known: Sequence[int]) -> str:
    """The architecture to compile for, so that a GPU of this one can execute it: itself, or the newest before it of its family."""
    fit = [n for n in known if n // 10 == number // 10 and n <= number]
    if not fit:
        raise RuntimeError(f"{compiler.splitlines()[0]} knows no architecture that a GPU of sm_{number} executes; install a newer one")
    return f"sm_{max(fit)}"


def compile_cubin(text: str, number: int, folder: Optional[str] = None) -> bytes:
    """The code for a GPU, from the disk if it was compiled before. "folder" has headers of its own, so that what they hold is not known."""
    nvrtc, (compiler, known) = _nvrtc(), _compiler()
    options = [f"-arch={code_arch(number, compiler, known)}", "-std=c++17", *(["-device-int128"] if nvrtc is not None else [])]
    key = "\0".join([text, *options, compiler, _headers()])
    kept = _disk.cache_folder() / "cubin" / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.cubin"
    cubin = None if folder else _disk.read(kept)
    if cubin is None:
        options += [f"-I{_library.find_runtime()}", *([f"-I{folder}"] if folder else [])]
        cubin = _compile(nvrtc, text, options) if nvrtc is not None else _compile_by_nvcc(text, options)
        if not folder:
            _disk.write(kept, cubin)
    return cubin


def _compile(nvrtc: Any, text: str, options: Sequence[str]) -> bytes:
    program, size = c_void_p(), c_size_t()
    if nvrtc.nvrtcCreateProgram(byref(program), c_char_p(text.encode()), b"relayout.cu", 0, None, None):
        raise RuntimeError("NVRTC could not begin")
    try:
        if nvrtc.nvrtcCompileProgram(program, len(options), (c_char_p * len(options))(*[o.encode() for o in options])):
            nvrtc.nvrtcGetProgramLogSize(program, byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(f"NVRTC failed: {log.value.decode(errors='replace')[:4000]}")
        nvrtc.nvrtcGetCUBINSize(program, byref(size))
        cubin = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetCUBIN(program, cubin)
        return cubin.raw
    finally:
        nvrtc.nvrtcDestroyProgram(byref(program))


def _compile_by_nvcc(text: str, options: Sequence[str]) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        source, made = pathlib.Path(scratch) / "relayout.cu", pathlib.Path(scratch) / "relayout.cubin"
        source.write_text(text)
        done = subprocess.run([_nvcc(), "-cubin", *options, str(source), "-o", str(made)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"nvcc failed: {done.stderr[:4000]}")
        return made.read_bytes()


@functools.lru_cache(maxsize=None)
def _driver() -> Any:
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise RuntimeError("the driver's library libcuda.so.1 was not found") from None
    cuda.cuLaunchKernel.argtypes = [c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p]
    cuda.cuCtxGetCurrent.argtypes = [c_void_p]
    cuda.cuCtxSetCurrent.argtypes = [c_void_p]
    _check(cuda, cuda.cuInit(0), "cuInit")
    return cuda


def _check(cuda: Any, error: int, what: str) -> None:
    if error == NOT_INITIALIZED:  # cuInit was called, so this is a child without a context
        raise RuntimeError("CUDA does not work in a process that was forked from one that used it; start it by multiprocessing's 'spawn' or 'forkserver'")
    if error:
        text = c_char_p()
        cuda.cuGetErrorString(error, byref(text))
        raise RuntimeError(f"{what} failed: {text.value.decode() if text.value else error}")


@functools.lru_cache(maxsize=256)
def tensor_map(what: bytes) -> bytes:
    """The map that the driver makes of a MapCall. It depends on nothing else, so that any thread and any GPU may take it."""
    cuda, call = _driver(), _library.MapCall.from_buffer_copy(what)
    if not hasattr(cuda, "cuTensorMapEncodeTiled"):
        raise RuntimeError("the driver has no cuTensorMapEncodeTiled, which makes tensor maps; install a driver of CUDA 12 or later")
    room = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGN)
    at = -ctypes.addressof(room) % MAP_ALIGN
    place = ctypes.addressof(room) + at
    _check(cuda, cuda.cuTensorMapEncodeTiled(c_void_p(place), call.type, c_uint(call.rank), c_void_p(call.address), call.extent, call.stride, call.box, call.step,
                                             0, call.swizzle, call.promotion, 0), "cuTensorMapEncodeTiled")
    version = c_int()
    if call.clear and cuda.cuDriverGetVersion(byref(version)) == 0 and version.value <= MAP_DRIVER:
        c_uint64.from_address(place + 8).value &= ~(1 << MAP_BIT)
    return room.raw[at:at + MAP_BYTES]


def device_of(address: int) -> int:
    """The number of the GPU that has this memory."""
    found = c_int()
    return found.value if _driver().cuPointerGetAttribute(byref(found), ORDINAL, c_void_p(address)) == 0 else 0


def known_arch(number: int) -> str:
    """The newest architecture that the compiler knows and that is not newer than the GPU's."""
    arch = _library.ArchRow(size=ctypes.sizeof(_library.ArchRow))
    if number < OLDEST:
        raise RuntimeError(f"kernels need a GPU of sm_{OLDEST} or later, and this one is sm_{number}; copy by its framework instead")
    best, i = OLDEST, 0
    while _library.library().tcpc_arch_at(c_size_t(i), byref(arch)):
        if best < arch.number <= number:
            best = arch.number
        i += 1
        arch.size = ctypes.sizeof(arch)
    return f"sm_{best}"


class Device:
    emit = DEVICE

    def __init__(self, index: int):
        self.cuda, self.index, self.name = _driver(), index, f"cuda:{index}"
        self.retired: Deque[Any] = deque()
        self.device, self.context = c_int(), c_void_p()
        self._call("cuDeviceGet", byref(self.device), index)
        major, minor = c_int(), c_int()
        self._call("cuDeviceGetAttribute", byref(major), COMPUTE_CAPABILITY_MAJOR, self.device)
        self._call("cuDeviceGetAttribute", byref(minor), COMPUTE_CAPABILITY_MINOR, self.device)
        self.number = major.value * 10 + minor.value
        self.arch = known_arch(self.number)
        self._call("cuDevicePrimaryCtxRetain", byref(self.context), self.device)
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, c_int(len(name)), self.device)
        self.model = name.value.decode(errors="replace")
        self._zeros = c_void_p()
        self.lock: Any
        keep_lock(self, "lock")

    def _call(self, name: str, *arguments: Any) -> None:
        error = getattr(self.cuda, name)(*arguments)
        if error:
            _check(self.cuda, error, name)

    def stream(self, array: Any) -> int:
        """The current one of the array's framework."""
        if array.kind == "torch":
            return int(sys.modules["torch"]._C._cuda_getCurrentRawStream(array.device))
        cupy = sys.modules.get("cupy")
        return int(cupy.cuda.get_current_stream(array.device).ptr) if cupy is not None and isinstance(array.of, cupy.ndarray) else 0

    def follow(self, array: Any, stream: int) -> None:
        """Makes the stream wait for the one that __cuda_array_interface__ names, on which the array may still be written or read."""
        if array.kind != "cuda":
            return
        told = array.of.__cuda_array_interface__.get("stream") or 0
        if told and (told if told != LEGACY else 0) != stream:
            event = self.record(told)
            self._within(lambda: self._call("cuStreamWaitEvent", c_void_p(stream), event, c_uint(0)))
            self._call("cuEventDestroy_v2", event)

    def _within(self, work: Callable[[], Any]) -> None:
        """Does it in the device's context."""
        current = c_void_p()
        self._call("cuCtxGetCurrent", byref(current))
        inside = current.value == self.context.value
        if not inside:
            self._call("cuCtxSetCurrent", self.context)
        try:
            work()
        finally:
            if not inside:
                self._call("cuCtxSetCurrent", current)

    def record(self, stream: int) -> Any:
        """A new event behind all that was launched on this stream."""
        event = c_void_p()

        def work() -> None:
            self._call("cuEventCreate", byref(event), c_uint(NO_TIMING))
            self._call("cuEventRecord", event, c_void_p(stream))

        self._within(work)
        return event

    def is_past(self, event: Any) -> bool:
        return bool(self.cuda.cuEventQuery(event) == 0)

    def build(self, kernels: Sequence[Any]) -> None:
        for kernel in kernels:
            compiled = kernel.compiled
            kernel.ready = Launcher(self, compiled.launch, self.load(compiled.output, [compiled.launch]), True)

    def load(self, text: str, launches: Sequence[Any], folder: Optional[str] = None) -> "Code":
        if self.number < MAP_ARCH and any(_library.has_maps(launch.contents) for launch in launches):
            raise RuntimeError(f"kernels with tma.load need a GPU of sm_{MAP_ARCH} or later, and this one is sm_{self.number}")
        cubin = compile_cubin(text, self.number, folder)
        code = Code(self)
        self._within(lambda: self._load(code, cubin, launches))
        return code

    def _load(self, code: "Code", cubin: bytes, launches: Sequence[Any]) -> None:
        self._call("cuLibraryLoadData", byref(code.library), cubin, None, None, 0, None, None, 0)
        for launch in launches:
            code.functions.update(self._variants(code.library, launch.contents))
        self._unload()

    def _unload(self) -> None:
        """What nobody has any more, but the last ones, which may still be executed."""
        mode = c_int(RELAXED)
        self._call("cuThreadExchangeStreamCaptureMode", byref(mode))  # others may capture meanwhile
        try:
            while len(self.retired) > MOST_RETIRED:
                self._call("cuLibraryUnload", self.retired.popleft())
        finally:
            self._call("cuThreadExchangeStreamCaptureMode", byref(mode))

    def zeros(self) -> int:
        """Of MAP_ZEROS bytes that are 0, in the current context: what is read of a tensor without elements. Behind them are as many for stores.
        They are never freed."""
        with self.lock:
            if not self._zeros:
                mode, stream, made = c_int(RELAXED), c_void_p(), c_void_p()
                self._call("cuThreadExchangeStreamCaptureMode", byref(mode))
                try:
                    self._call("cuStreamCreate", byref(stream), c_uint(NON_BLOCKING))
                    self._call("cuMemAlloc_v2", byref(made), c_size_t(2 * MAP_ZEROS))
                    self._call("cuMemsetD8Async", made, ctypes.c_ubyte(0), c_size_t(MAP_ZEROS), stream)
                    self._call("cuStreamSynchronize", stream)
                    self._zeros = made
                finally:
                    if stream:
                        self._call("cuStreamDestroy_v2", stream)
                    self._call("cuThreadExchangeStreamCaptureMode", byref(mode))
            return int(self._zeros.value or 0)

    def _variants(self, library: Any, launch: Any) -> Dict[int, Function]:
        symbols = {}
        for i in range(launch.nvariants):
            variant, found, function = launch.variant[i].contents, c_void_p(), c_void_p()
            self._call("cuLibraryGetKernel", byref(found), library, variant.symbol)
            if variant.shared_to_set:
                self._call("cuKernelSetAttribute", MOST_SHARED, c_int(variant.shared_to_set), found, self.device)
            self._call("cuKernelGetFunction", byref(function), found)
            symbols[ctypes.addressof(variant)] = function_of(function, variant)
        return symbols

    def launch(self, kernel: Any, params: Tuple[int, ...], addresses: Sequence[int], sizes: Sequence[int], stream: Any) -> None:
        self._within(lambda: kernel.ready(params, addresses, stream))


class Function(NamedTuple):
    """A variant that was loaded: where its arguments have the addresses of a relayout's source and destination, -1 if they do not, its tensor maps, and
    the offset of each argument."""

    handle: Any
    places: Tuple[int, int]
    maps: Sequence[Any]
    offsets: List[int]


def function_of(handle: Any, variant: Any) -> Function:
    arguments = [variant.argument[i].contents for i in range(variant.narguments)]
    places = {a.tensor.contents.name: int(a.offset) for a in arguments if a.tensor}
    return Function(handle, (places.get(b"src", -1), places.get(b"dst", -1)), _library.maps_of(variant), [int(a.offset) for a in arguments])


class Evaluated(NamedTuple):
    """What a launch takes: its grid, the variant and its function, and the address of the arguments, which lie in "room"."""

    call: Any
    variant: Any
    function: Function
    room: Any
    arguments: int


class Code:
    """What was loaded from one file: the functions of all variants, by the variants' addresses. It is unloaded
    some time after nobody has it any more, unless a graph may have it."""

    def __init__(self, device: Device):
        self.device, self.library, self.captured = device, c_void_p(), False
        self.functions: Dict[int, Function] = {}
        self.entries: List[Any] = []  # of the warm path, which knows of its own captures

    def note(self, stream: Any) -> None:
        """That a launch on this stream comes."""
        state = c_int()
        if stream and not self.captured and (self.device.cuda.cuStreamIsCapturing(c_void_p(stream), byref(state)) or state.value):
            self.captured = True

    def __del__(self) -> None:
        if self.library and not self.captured and not any(entry.captured for entry in self.entries):
            self.device.retired.append(self.library)


class Launcher:
    """"apart": that no element is shared was decided before."""

    def __init__(self, device: Device, launch: Any, code: Code, apart: bool):
        self.device, self.launch, self.code, self.symbols, self.apart = device, launch, code, code.functions, apart
        self.align = max(16, launch.contents.argument_align)
        self.room = launch.contents.argument_bytes + self.align

    def evaluated(self, params: Sequence[int], addresses: Sequence[int]) -> Optional[Evaluated]:
        """What a launch takes, with its tensor maps; None: there is nothing to launch."""
        call, lib = _library.Call(), _library.library()
        call.size = ctypes.sizeof(call)
        room = (c_uint64 * (self.room // 8))()
        shift = -ctypes.addressof(room) % self.align
        arguments = ctypes.addressof(room) + shift
        numbers = (c_int64 * max(1, len(params)))(*params)
        pointers = (c_uint64 * len(addresses))(*addresses)
        status = lib.tcpc_launch_evaluate(self.launch, numbers, pointers, arguments, byref(call))
        apart = status == OVERLAP and self.apart
        if apart:  # it compares ranges
            status = lib.tcpc_launch_evaluate(self.launch, numbers, (c_uint64 * 2)(addresses[0], addresses[1] + FAR), arguments, byref(call))
        if status:
            raise RuntimeError(call.message.decode())
        if not call.variant:
            return None
        variant = call.variant.contents
        function = self.symbols[ctypes.addressof(variant)]
        if apart:
            c_uint64.from_buffer(room, shift + function.places[1]).value = addresses[1]
        for each, offset in function.maps:
            made = _library.map_call(self.launch, each, numbers, pointers)
            if not made.address:
                made.address = self.device.zeros() + (MAP_ZEROS if each.contents.tensor.contents.direction else 0)
            ctypes.memmove(arguments + offset, tensor_map(bytes(made)), MAP_BYTES)
        return Evaluated(call, variant, function, room, arguments)

    def __call__(self, params: Sequence[int], addresses: Sequence[int], stream: Any) -> None:
        made = self.evaluated(params, addresses)
        if made is None:
            return
        (handle, _, maps, offsets), variant, grid, arguments = made.function, made.variant, made.call.grid, made.arguments
        size = c_size_t(variant.argument_bytes)
        extra = (c_void_p * 5)(1, arguments, 2, ctypes.addressof(size), None)
        # the compiler aligns a map where it puts it, which is at another offset
        each = (c_void_p * len(offsets))(*[arguments + offset for offset in offsets]) if maps else None
        self.code.note(stream)
        error = self.device.cuda.cuLaunchKernel(handle, grid[0], grid[1], grid[2], variant.threads, 1, 1, variant.shared_bytes, stream, each, None if maps else extra)
        if error:
            _check(self.device.cuda, error, f"the launch of {variant.symbol.decode()}")


_devices: List[Optional[Device]] = []
_lock: Any
keep_lock(sys.modules[__name__])


def device(index: int) -> Device:
    while index >= len(_devices) or _devices[index] is None:
        with _lock:
            _devices.extend([None] * (index + 1 - len(_devices)))
            if _devices[index] is None:
                _devices[index] = Device(index)
    return _devices[index]  # type: ignore[return-value]
