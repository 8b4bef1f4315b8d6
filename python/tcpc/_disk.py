"""Files of ~/.cache/tcpc, or of the folder that TCPC_CACHE names. Any number of processes may write and read them."""

from __future__ import annotations

import hashlib
import os
import pathlib
import tempfile
from typing import Iterable, List, Optional, Tuple

DIGEST = hashlib.sha256().digest_size
MOST_BYTES = 256 << 20  # of the code that is kept


def cache_folder() -> pathlib.Path:
    named = os.environ.get("TCPC_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    return pathlib.Path(named) if named else (pathlib.Path(base) if base else pathlib.Path.home() / ".cache") / "tcpc"


def use(kept: pathlib.Path) -> None:
    """Of those that are too many, what is used stays the longest."""
    try:
        os.utime(kept)
    except OSError:
        pass  # the folder may only be read, or another process removed it


def read(kept: pathlib.Path) -> Optional[bytes]:
    """The code in a file, which ends in its digest; None: there is none, or a part of it, as after a power failure."""
    try:
        data = kept.read_bytes()
    except OSError:
        return None
    use(kept)
    return data[:-DIGEST] if len(data) > DIGEST and hashlib.sha256(data[:-DIGEST]).digest() == data[-DIGEST:] else None


def write(kept: pathlib.Path, cubin: bytes) -> None:
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
            try:
                file.write(cubin + hashlib.sha256(cubin).digest())
                file.close()
                os.replace(file.name, kept)  # other processes see all of it, or nothing
            except OSError:
                os.unlink(file.name)
                raise
        trim(kept.parent)
    except OSError:
        pass  # the disk is full, or may not be written: the next process compiles again


def trim(folder: pathlib.Path) -> None:
    """Removes the files that were used the longest ago, if all together are too large: down to three quarters, so that it is not done at each call."""
    files: List[Tuple[int, int, str]] = []
    for entry in os.scandir(folder):
        try:
            told = entry.stat()
            files.append((told.st_mtime_ns, told.st_size, entry.path))
        except OSError:
            pass  # another process removed it
    size = sum(bytes_ for _, bytes_, _ in files)
    if size <= MOST_BYTES:
        return
    for _, bytes_, path in sorted(files):
        if size <= MOST_BYTES // 4 * 3:
            break
        size -= bytes_
        try:
            os.unlink(path)
        except OSError:
            pass


def keep_newest(files: Iterable[pathlib.Path], most: int) -> None:
    """Removes the others."""
    dated = []
    for path in files:
        try:
            dated.append((path.stat().st_mtime_ns, path))
        except OSError:
            pass
    for _, path in sorted(dated)[:-most]:
        try:
            path.unlink()
        except OSError:
            pass
