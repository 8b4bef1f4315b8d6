"""tcpc: a change of layout is one call, by a kernel that is planned and proven for the shapes at hand.

    import tcpc
    y = tcpc.relayout(x, "b s (h d) -> b h s d", h=8)

relayout, permute, contiguous and copy_ take arrays of numpy, PyTorch and CuPy. cache_info() says what was compiled; explain() and draw() say more about a
plan. Layout and algebra are CuTe's layouts.
"""

from typing import TYPE_CHECKING, Any

from ._api import cache_clear, cache_info, contiguous, copy_, permute, prepare, relayout
from ._engine import CacheInfo, KernelInfo
from ._library import CompileError, Fix, PlanWarning, version
from ._pattern import PatternError

if TYPE_CHECKING:
    from . import algebra
    from ._load import load
    from .algebra import Drawing, Explanation, Layout, draw, evaluate, explain

_IN_ALGEBRA = ("Drawing", "Explanation", "Layout", "draw", "evaluate", "explain")


def __getattr__(name: str) -> Any:
    """What not every program needs is imported when it is first used."""
    if name == "algebra" or name == "load" or name in _IN_ALGEBRA:
        import importlib

        module = importlib.import_module("._load" if name == "load" else ".algebra", __name__)
        return module if name == "algebra" else getattr(module, name)
    raise AttributeError(f"module 'tcpc' has no attribute '{name}'")


__all__ = ["Drawing", "Explanation", "Layout", "algebra", "draw", "evaluate", "explain", "load",
           "CacheInfo", "CompileError", "Fix", "KernelInfo", "PatternError", "PlanWarning", "cache_clear", "cache_info", "contiguous", "copy_", "permute", "prepare",
           "relayout", "version"]
