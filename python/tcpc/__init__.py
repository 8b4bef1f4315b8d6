"""tcpc: a change of layout is one call, by a kernel that is planned and proven for the shapes at hand.

    import tcpc
    y = tcpc.relayout(x, "b s (h d) -> b h s d", h=8)

relayout, permute, contiguous and copy_ take arrays of numpy, PyTorch and CuPy; plan() is a relayout for repeated use. cache_info() says what was compiled; explain() and draw() say more about a
plan, and bench() how fast it is; tune() times the planner's candidates, and takes the fastest. reshard() changes the placement of a tensor on several devices. load() makes functions of the kernels of a plan. Layout and algebra are CuTe's layouts.
"""

from typing import TYPE_CHECKING, Any, List

from ._api import cache_clear, cache_info, contiguous, copy_, permute, prepare, relayout
from ._base import CompileError, Fix, PlanWarning
from ._pattern import PatternError

if TYPE_CHECKING:
    from . import algebra
    from ._bench import Bench, bench
    from ._info import CacheInfo, KernelInfo, LoadedInfo
    from ._library import version
    from ._load import LoadedPlan, load
    from ._mesh import mesh_status, prepare_mesh, reset_mesh, reshard
    from ._plan import Plan, plan
    from ._tune import tune
    from .algebra import Drawing, Explanation, Layout, draw, evaluate, explain

_LATER = {"Bench": "._bench", "bench": "._bench", "LoadedPlan": "._load", "load": "._load", "version": "._library", **{name: "._info" for name in ("CacheInfo", "KernelInfo", "LoadedInfo")}, **{name: "._mesh" for name in ("mesh_status", "prepare_mesh", "reset_mesh", "reshard")}, "Plan": "._plan", "plan": "._plan", "tune": "._tune", **{name: ".algebra" for name in ("Drawing", "Explanation", "Layout", "algebra", "draw", "evaluate", "explain")}}

_NOT_HERE = {"reduce": "elements are moved, not summed", "einsum": "elements are moved, not summed", "repeat": "contiguous(x.expand(..)) repeats elements"}


def __getattr__(name: str) -> Any:
    """What not every program needs is imported when it is first used."""
    where = _LATER.get(name)
    if where:
        import importlib

        module = importlib.import_module(where, __name__)
        found = globals()[name] = module if name == "algebra" else getattr(module, name)
        return found
    if name == "__version__":
        from ._library import version

        return version()
    if name in _NOT_HERE:
        raise AttributeError(f"module 'tcpc' has no attribute '{name}': {_NOT_HERE[name]}")
    meant = {"rearrange": "relayout", "transpose": "permute", "copy": "copy_", "clone": "contiguous", "compile": "load", "redistribute": "reshard"}.get(name)
    raise AttributeError(f"module 'tcpc' has no attribute '{name}'" + (f"; '{meant}' is what does it here" if meant else ""))


__all__ = ["Bench", "Drawing", "Explanation", "Layout", "algebra", "bench", "draw", "evaluate", "explain", "load",
           "CacheInfo", "CompileError", "Fix", "KernelInfo", "LoadedInfo", "LoadedPlan", "PatternError", "Plan", "PlanWarning", "cache_clear", "cache_info", "contiguous", "copy_", "mesh_status", "permute", "plan", "prepare",
           "prepare_mesh", "relayout", "reset_mesh", "reshard", "tune", "version"]


def __dir__() -> List[str]:
    return __all__
