"""Kernels on the CPU: the emitted code, compiled by a C++ compiler and executed access by access, for tests and for learning."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from typing import Any, List, Sequence, Tuple

from . import _library
from ._library import CUDA

OVERLAP_ALIGN = 16


def cache_folder() -> pathlib.Path:
    named = os.environ.get("TCPC_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    return pathlib.Path(named) if named else (pathlib.Path(base) if base else pathlib.Path.home() / ".cache") / "tcpc"


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


@functools.lru_cache(maxsize=None)
def _runtime() -> Any:
    """The host runtime as a library: what TCPC_HOST_LIBRARY names, or one that is built once and kept."""
    named = os.environ.get("TCPC_HOST_LIBRARY")
    if named:
        return ctypes.CDLL(named, mode=ctypes.RTLD_GLOBAL)
    folder, cxx = _library.find_runtime(), _compiler()
    sources = sorted((folder / "host").glob("*.cpp"))
    digest = hashlib.sha256(cxx.encode())
    for path in sorted([*folder.glob("*.h"), *folder.glob("*.cuh"), *(folder / "host").iterdir()]):
        digest.update(path.read_bytes())
    library = cache_folder() / f"host-{digest.hexdigest()[:20]}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent) as scratch:
            made = pathlib.Path(scratch) / "host.so"
            _run([cxx, "-std=c++17", "-O1", "-w", "-fPIC", "-shared", f"-I{folder}", *map(str, sources), "-o", str(made)])
            os.replace(made, library)  # other processes see all of it, or nothing
    return ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


class Host:
    name, emit, arch = "host", CUDA, "sm_80"

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def stream(self, array: Any) -> None:
        return None

    def build(self, kernels: Sequence[Any]) -> None:
        if not kernels:
            return
        _runtime()
        with tempfile.TemporaryDirectory() as scratch:
            text, library = pathlib.Path(scratch) / "plan.cu", pathlib.Path(scratch) / "plan.so"
            text.write_text("".join(k.compiled.output for k in kernels))
            _run([_compiler(), "-std=c++17", "-O0", "-w", "-fPIC", "-shared", "-fno-gnu-unique", f"-I{_library.find_runtime()}", "-x", "c++", str(text), "-o", str(library)])
            loaded = ctypes.CDLL(str(library))  # the file may go when it is loaded
        loaded.tcp_last_error.restype = ctypes.c_char_p
        for kernel in kernels:
            kernel.ready = loaded, loaded[kernel.name + "_launch"]

    def launch(self, kernel: Any, params: Tuple[int, ...], addresses: Tuple[int, int], sizes: Tuple[int, int], stream: Any) -> None:
        """Kernels may touch only memory that the runtime gave them: copies to it and back."""
        runtime, (loaded, call) = _runtime(), kernel.ready
        blocks: List[Any] = []
        with self.lock:
            try:
                for address, size in zip(addresses, sizes):
                    block = ctypes.c_void_p()
                    shift = address % OVERLAP_ALIGN  # aligned like the array
                    if runtime.tcp_alloc(ctypes.byref(block), ctypes.c_size_t(size + shift)):
                        raise MemoryError(f"{size} bytes")
                    blocks.append((block, block.value + shift))
                    ctypes.memmove(block.value + shift, address, size)
                (_, source), (_, destination) = blocks
                status = call(ctypes.c_void_p(source), ctypes.c_void_p(destination), *map(ctypes.c_int64, params), None)
                if status:
                    runtime.tcp_host_report.restype = ctypes.c_char_p
                    raise RuntimeError(f"the launch failed: {loaded.tcp_last_error().decode()}")
                ctypes.memmove(addresses[1], destination, sizes[1])
            finally:
                for block, _ in blocks:
                    runtime.tcp_free(block)
