"""Kernels on the CPU: the emitted code, compiled by a C++ compiler and executed access by access, for tests and for learning."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import _disk, _library
from ._base import keep_lock, log
from ._library import CUDA

ALIGN = 256  # of memory from the runtime
SLOW = 2  # seconds, from which on a wait is told of
MOST_RUNTIMES = 8  # of other versions and compilers, that are kept on the disk


def _compiler() -> str:
    named = os.environ.get("CXX")
    for name in [named] if named else ["g++", "clang++", "c++"]:
        if name and shutil.which(name):
            return name
    raise RuntimeError("backend='host' needs a C++ compiler: install g++, or name one in CXX")


def _run(words: Sequence[str]) -> None:
    made = subprocess.run(words, capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(f"the C++ compiler failed: {' '.join(words)}\n{made.stderr[:4000]}")


@contextlib.contextmanager
def _told_if_slow() -> Iterator[None]:
    """Says once what the call waits for."""
    timer = threading.Timer(SLOW, lambda: print("tcpc: builds the support code of backend='host', once; it may take half a minute", file=sys.stderr))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@functools.lru_cache(maxsize=None)
def _runtime() -> Any:
    """The host runtime as a library: what TCPC_HOST_LIBRARY names, or one that is built once and kept.  Its names, and those of the C++
    library below it, stay its own: other extension modules must not find them."""
    return ctypes.CDLL(_runtime_path())


@functools.lru_cache(maxsize=None)
def _runtime_path() -> str:
    named = os.environ.get("TCPC_HOST_LIBRARY")
    if named:
        return os.path.abspath(named)
    folder, cxx = _library.find_runtime(), _compiler()
    sources = sorted((folder / "host").glob("*.cpp"))
    digest = hashlib.sha256(cxx.encode())
    for path in sorted([*folder.glob("*.h"), *folder.glob("*.cuh"), *(folder / "host").iterdir()]):
        digest.update(path.read_bytes())
    library = _disk.cache_folder() / f"host-{digest.hexdigest()[:20]}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent) as scratch:
            made = pathlib.Path(scratch) / "host.so"
            log("host: builds the runtime, once, which takes some seconds")
            with _told_if_slow():
                _run([cxx, "-std=c++17", "-O1", "-w", "-fPIC", "-shared", f"-I{folder}", *map(str, sources), "-o", str(made)])
            os.replace(made, library)  # other processes see all of it, or nothing
        _disk.keep_newest(library.parent.glob("host-*.so"), MOST_RUNTIMES)
    _disk.use(library)
    return str(library.resolve())


class Part(NamedTuple):
    """What a kernel may touch: "size" bytes from its pointer on, of which an array holds "held" from "first" on."""

    address: int
    size: int
    first: int
    held: int
    written: bool


class Host:
    name, emit, arch = "host", CUDA, "sm_80"

    def __init__(self) -> None:
        self.lock: Any
        keep_lock(self, "lock")

    def stream(self, array: Any) -> None:
        return None

    def follow(self, array: Any, stream: Any) -> None:
        pass

    def build(self, kernels: Sequence[Any]) -> None:
        if not kernels:
            return
        loaded = self.load("".join(k.compiled.output for k in kernels))
        for kernel in kernels:
            kernel.ready = loaded, loaded[kernel.name + "_launch"]

    def load(self, text: str, folder: Optional[str] = None) -> Any:
        """A library with the launchers in emitted code, which may include headers of "folder"."""
        _runtime()
        with tempfile.TemporaryDirectory() as scratch:
            source, library = pathlib.Path(scratch) / "plan.cu", pathlib.Path(scratch) / "plan.so"
            source.write_text(text)
            _run([_compiler(), "-std=c++17", "-O0", "-w", "-fPIC", "-shared", "-fno-gnu-unique", f"-I{_library.find_runtime()}", *([f"-I{folder}"] if folder else []),
                  "-x", "c++", str(source), "-x", "none", _runtime_path(), "-o", str(library)])
            loaded = ctypes.CDLL(str(library))  # the file may go when it is loaded
        loaded.tcp_last_error.restype = ctypes.c_char_p
        return loaded

    def launch(self, kernel: Any, params: Tuple[int, ...], addresses: Sequence[int], sizes: Sequence[int], stream: Any) -> None:
        self.call(kernel.ready, params, [Part(address, size, 0, size, i > 0) for i, (address, size) in enumerate(zip(addresses, sizes))])

    def call(self, ready: Any, params: Sequence[int], parts: Sequence[Part]) -> None:
        """Kernels may touch only memory that the runtime gave them: copies to it and back."""
        runtime, (loaded, call) = _runtime(), ready
        blocks: List[Any] = []
        with self.lock:
            try:
                for part in parts:
                    block = ctypes.c_void_p()
                    shift = part.address % ALIGN  # aligned like the array
                    if runtime.tcp_alloc(ctypes.byref(block), ctypes.c_size_t(max(part.size, part.first + part.held) + shift)):
                        raise MemoryError(f"{part.size} bytes")
                    blocks.append((block, (block.value or 0) + shift))
                    ctypes.memmove(blocks[-1][1] + part.first, part.address + part.first, part.held)
                if call(*[ctypes.c_void_p(at) for _, at in blocks], *map(ctypes.c_int64, params), None):
                    raise RuntimeError(f"the launch failed: {loaded.tcp_last_error().decode()}")
                for part, (_, at) in zip(parts, blocks):
                    if part.written:
                        ctypes.memmove(part.address + part.first, at + part.first, part.held)
            finally:
                for block, _ in blocks:
                    runtime.tcp_free(block)


HOST = Host()
