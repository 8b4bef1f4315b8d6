"""The candidates that tcpc.tune() found to be the fastest, also for later processes: files beside the kernels' code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple

if TYPE_CHECKING:
    import pathlib

    from ._engine import Request

MOST_KNOWN = 4096  # requests that are remembered, most of them without a choice


class Choice(NamedTuple):
    """A candidate's number, and the line that no other candidate of this request has: with another compiler, the number may be that of another one."""

    number: int
    how: str


_known: Dict[Tuple[Any, "Request"], Optional[Choice]] = {}


def _file(backend: Any, request: Request) -> pathlib.Path:
    import hashlib

    from . import _disk  # only where there is a GPU

    key = repr((backend.model, tuple(request)))
    return _disk.cache_folder() / "tuned" / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.json"


def _read(backend: Any, request: Request) -> Optional[Choice]:
    import json

    from . import _disk

    try:
        told = json.loads(_disk.read(_file(backend, request)) or b"null")
        return Choice(int(told["number"]), str(told["how"])) if told else None
    except (ValueError, KeyError, TypeError):
        return None


def of(backend: Any, request: Request) -> Optional[Choice]:
    """What was chosen for this GPU, by this process or before it began."""
    if not hasattr(backend, "model"):  # the CPU, where nothing is timed
        return None
    key = backend, request
    if key not in _known:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = _read(backend, request)
    return _known[key]


def keep(backend: Any, request: Request, choice: Optional[Choice]) -> None:
    """None: the planner's choice, from now on."""
    _known[backend, request] = choice
    kept = _file(backend, request)
    if choice is not None:
        import json

        from . import _disk

        _disk.write(kept, json.dumps(choice._asdict()).encode())
        return
    try:
        os.unlink(kept)
    except OSError:
        pass  # there was none, or the folder may only be read


def forget() -> None:
    """What is in memory; the files are read again."""
    _known.clear()
