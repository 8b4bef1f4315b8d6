"""A relayout that is made once, and then called: it takes arrays like the first one, and never compiles again."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from . import _api, _warm
from ._arrays import Array, describe, tell_written
from ._engine import OUT, Kernel, alignment, check_apart, check_own, engine, launch, prepared


class Plan:
    """What `tcpc.plan` makes.

    Attributes:
        text: the plan that was compiled, "" where the framework itself makes the copy.
        how: what was chosen, in words.
        shape: of the result.
    """

    def __init__(self, x: Any, pattern: str, axes: Dict[str, int], out: Any, dtype: Any, backend: Optional[str]):
        source = describe(x, True)
        dtype = _api.asked_type(source, dtype)
        self._call = pattern, axes, dtype, backend
        bound = _api._bound(pattern, source.shape, axes)
        destination = _api._result(source, bound.shape, out, dtype)
        _api._check_pair(destination, source)
        self.shape, self._like, self._needs_out = bound.shape, (source._replace(of=None), destination._replace(of=None)), out is not None
        self._where = _api._backend(backend, source)
        self._modes = _api._by_axes(source, destination, bound)
        if self._where is None:
            check_own(destination, source, self._modes)
        self._made = prepared(destination, source, self._modes) if self._where is not None and 0 not in self._modes[0] else None
        self._kernel: Optional[Kernel] = engine.kernel(self._where, self._made.request, copies=False) if self._made else None
        self.text: str = self._kernel.compiled.plan if self._kernel else ""
        self.how: str = self._kernel.compiled.how if self._kernel else "the framework's own copy"

    def __repr__(self) -> str:
        source, destination = self._like
        return f"<tcpc plan {source.name} {source.shape}:{source.strides} -> {destination.name} {destination.shape}:{destination.strides}, strides in bytes>"

    def __call__(self, x: Any, /, *, out: Any = None, stream: Any = None) -> Any:
        """The relayout of "x", an array of the shape, strides, type and device that the plan was made for, in a new array or in "out".

        Raises:
            ValueError: an array is not like that of the plan, or memory is shared.
        """
        if stream is None and not _api._is_traced():
            y = _warm.early(x, self, None, out, None)
            if y is not None:
                return y
        pattern, axes, dtype, backend = self._call
        if (out is None) == self._needs_out:
            raise ValueError("the plan was made with out=; give one that is like it" if self._needs_out else "the plan was made for a new array; make another one with out=")
        asked = _api._is_traced() or _api._is_asked(x, out)
        if asked and backend is not None:
            raise ValueError("the plan was made with backend=, but PyTorch traces, transforms or records this call: make the plan without, then PyTorch makes the copy on the CPU")
        if asked or self._made is None or self._kernel is None:
            return _api._copied(x, pattern, axes, out, dtype, backend, stream)
        source = self._checked("the array", describe(x, True), 0)
        destination = self._checked("out", _api._result(source, self.shape, out, dtype), 1)
        _api._check_pair(destination, source)
        _api.check_stream(stream, source)
        if out is not None:
            check_apart(self._made, destination, source, self._modes, OUT)
            tell_written(destination)
        first = source.address + self._made.behind[0], destination.address + self._made.behind[1]
        launch(self._kernel, self._made, first, destination, source, stream)
        engine.count(self._kernel)
        if stream is None:
            _api._learn((self, None, out is None), destination, source, self._where, (self._made, self._kernel))
        return destination.of

    def _checked(self, what: str, array: Array, side: int) -> Array:
        like = self._like[side]
        for name, found, planned in (("device", array.device, like.device), ("type", array.dtype, like.dtype), ("shape", array.shape, like.shape), ("strides in bytes", array.strides, like.strides)):
            if found != planned and not (name.startswith("strides") and self._is_alike(array, like)):
                raise ValueError(f"{what} is not like that of the plan: {name} {found}, but {planned} in the plan")
        assert self._made is not None
        aligned, needed = alignment(array.address + self._made.behind[side]), self._made.request.align[side]
        if aligned < needed:
            raise ValueError(f"{what} is not like that of the plan: it is aligned to {aligned} bytes, but to {needed} in the plan")
        return array

    @staticmethod
    def _is_alike(array: Array, like: Array) -> bool:
        """Strides of one element do not matter."""
        return all(n == 1 or a == b for n, a, b in zip(array.shape, array.strides, like.strides))


def plan(x: Any, pattern: str, /, *, out: Any = None, dtype: Any = None, backend: Optional[str] = None, **axes: int) -> Plan:
    """Makes what `tcpc.relayout(x, pattern, ..)` needs, and copies nothing: a function of arrays like "x", for repeated use.

        turn = tcpc.plan(x, "b s (h d) -> b h s d", h=8)
        y = turn(x)

    A call never compiles. It is refused where an array has another shape, other strides, another type, or a lesser alignment. So it can be captured:

        turn = tcpc.plan(x, "b s d -> s b d", out=y)          # of PyTorch, on a GPU
        tcpc.prepare((z, y))                                  # for a copy_(z, y) of the same graph
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            turn(x, out=y), tcpc.copy_(z, y)
        graph.replay()                                        # reads "x" again, as it is now

    Args:
        x: an array like those that come, of numpy, PyTorch or CuPy.
        pattern, dtype, backend, axes: as for relayout.
        out: an array like those for the result, if calls have out=.

    Raises:
        ValueError, TypeError: as relayout.
    """
    return Plan(x, pattern, axes, out, dtype, backend)
