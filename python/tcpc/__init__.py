"""tcpc: a change of layout is one call, by a kernel that is planned and proven for the shapes at hand.

    import tcpc
    y = tcpc.relayout(x, "b s (h d) -> b h s d", h=8)

relayout, permute, contiguous and copy_ take arrays of numpy, PyTorch and CuPy. cache_info() says what was compiled.
"""

from ._api import cache_clear, cache_info, contiguous, copy_, permute, prepare, relayout
from ._engine import CacheInfo, KernelInfo
from ._library import CompileError, Fix, version
from ._pattern import PatternError

__all__ = ["CacheInfo", "CompileError", "Fix", "KernelInfo", "PatternError", "cache_clear", "cache_info", "contiguous", "copy_", "permute", "prepare",
           "relayout", "version"]
