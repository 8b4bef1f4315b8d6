"""What tcpc.cache_info() tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Mapping, NamedTuple, Optional, Tuple

if TYPE_CHECKING:
    from .algebra import Explanation

_TENSOR = re.compile(r"tensor (?:src|dst) : (\S+ global \S+)")


class KernelInfo(NamedTuple):
    """A kernel that was compiled.

    Attributes:
        plan: the text that was compiled.
        backend: "host", or "cuda:0" for GPU 0.
        divisor: 0 for a kernel of numbers; else one extent is a param N, which is a multiple of it.
        hits: the copies that it made, also the one that compiled it, and those of a plan.
        plan_ms, build_ms: milliseconds to plan and prove it, and to compile and load it.
        how: what the planner chose, in one line.
    """

    plan: str
    backend: str
    divisor: int
    hits: int
    plan_ms: float
    build_ms: float
    how: str

    def explain(self, *, params: Optional[Mapping[str, int]] = None) -> "Explanation":
        """What the compiler chose for it, and why: tcpc.explain(plan, params=params)."""
        from .algebra import explain

        return explain(self.plan, params=params)


class LoadedInfo(NamedTuple):
    """A kernel of a plan that was loaded. It stays as long as somebody has the plan, and counts in no other figure.

    Attributes:
        path: of the plan.
        name: of the kernel.
        backend: "host", or "cuda:0" for GPU 0.
        hits: the launches that it made.
        plan_ms, build_ms: milliseconds to compile the plan, and to compile and load its code, which all its kernels share.
    """

    path: str
    name: str
    backend: str
    hits: int
    plan_ms: float
    build_ms: float


class CacheInfo(NamedTuple):
    """The kernels of this process.

    Attributes:
        hits, misses: copies whose kernel was there, also by a call of a plan; and kernels that were compiled, by a copy, plan() or prepare().
        most: kernels of numbers that are kept; the one that was used the longest ago goes.
        kernels: a KernelInfo for each.
        loaded: a LoadedInfo for each kernel of a plan that tcpc.load() made and that somebody has, on each GPU, or the CPU, that it was built for.
    """

    hits: int
    misses: int
    most: int
    kernels: Tuple[KernelInfo, ...]
    loaded: Tuple[LoadedInfo, ...] = ()

    def __str__(self) -> str:
        """A table."""
        rows = [("kernel", "backend", "% d", "hits", "plan ms", "build ms")]
        for kernel in self.kernels:
            rows.append((" -> ".join(_TENSOR.findall(kernel.plan)), kernel.backend, str(kernel.divisor or ""), str(kernel.hits), f"{kernel.plan_ms:.1f}", f"{kernel.build_ms:.1f}"))
        for loaded in self.loaded:
            rows.append((f"{loaded.name} of {loaded.path}", loaded.backend, "", str(loaded.hits), f"{loaded.plan_ms:.1f}", f"{loaded.build_ms:.1f}"))
        wide = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(x.rjust(n) if i > 1 else x.ljust(n) for i, (x, n) in enumerate(zip(row, wide))).rstrip() for row in rows]
        return "\n".join([f"{self.hits} hits, {self.misses} misses; at most {self.most} kernels of numbers are kept", *(lines if len(rows) > 1 else [])])
