"""What all modules need, and no library: errors of the compiler, locks, and the log. An import of the package loads nothing more of the compiler's."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Callable, NamedTuple, Optional, Sequence


class Fix(NamedTuple):
    """An edit of "file": the text from line and column (from 1 on, columns in bytes) up to end_line and end_column becomes "text"."""

    file: Optional[str]
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class CompileError(RuntimeError):
    """The compiler refused a plan. "file", "line" and "column" say where, "notes" are sentences, and "fixits" are edits that mend it."""

    def __init__(self, text: str, file: Optional[str] = None, line: int = 0, column: int = 0, notes: Sequence[str] = (), fixits: Sequence[Fix] = ()):
        place = f"{file}:{line}:{column}: " if file else ""
        super().__init__(place + text + "".join(f"\n  note: {note}" for note in notes))
        self.text, self.file, self.line, self.column, self.notes, self.fixits = text, file, line, column, list(notes), list(fixits)

    def retold(self, words: Callable[[str], str]) -> "CompileError":
        """The same, in other words."""
        return CompileError(words(self.text), self.file, self.line, self.column, [words(note) for note in self.notes], self.fixits)


class PlanWarning(UserWarning):
    """What the compiler warns of in a plan that it compiled: the text with the place, and the notes."""


def keep_lock(holder: Any, name: str = "_lock", kind: Any = threading.Lock) -> None:
    """Gives an object or a module a lock, and a new one to that of a process that was forked: nobody there would release it."""
    def renew() -> None:
        setattr(holder, name, kind())

    renew()
    os.register_at_fork(after_in_child=renew)


def log(text: str) -> None:
    """A line on the standard error stream, if TCPC_LOG asks for it."""
    if os.environ.get("TCPC_LOG", "0") not in ("", "0"):
        print(f"tcpc: {text}", file=sys.stderr)
