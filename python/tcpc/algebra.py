"""CuTe's layouts and their algebra: each operation that `tcpc eval --list` names is a function here.

    from tcpc import Layout, algebra
    algebra.logical_divide(Layout((16, 32), (32, 1)), [4, 8])
    algebra.cosize(Layout("Sw<2,0,3> o (8,8):(8,1)"))

A list is a tiler with a part for each mode, "<4,8>". What is no layout comes as an integer, a bool, or nested tuples.
"""

from __future__ import annotations

import ctypes
import html
import json
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from . import _library

if TYPE_CHECKING:
    from . import _load, _plan
    from ._info import KernelInfo

    Planned = Union[str, KernelInfo, _plan.Plan, _load.LoadedPlan, _load.Kernel]

EXPLAIN, COUNT, DRAW, DRAW_LAYOUT, EVAL = range(5)  # of enum tcpc_about
TEXT, JSON, SOURCE, SVG, _, CUTE, PYCUTE = range(7)  # of enum tcpc_form


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _notation(value: Any) -> str:
    if isinstance(value, Layout):
        return f"({value})"
    if not isinstance(value, (bool, int)) and hasattr(value, "__index__") and getattr(value, "shape", ()) == ():
        value = value.__index__()  # an integer of numpy
    if isinstance(value, bool) or not isinstance(value, (int, str, tuple, list)):
        raise TypeError(f"expected a layout, an integer, a text, a tuple or a list, not {type(value).__name__}")
    if isinstance(value, tuple):
        return "(" + ",".join(map(_notation, value)) + ")"
    return "<" + ",".join(map(_notation, value)) + ">" if isinstance(value, list) else str(value)


def evaluate(expression: str) -> Any:
    """The value of an expression, as `tcpc eval` has it: a Layout, an integer, a bool, nested tuples, or a text for what is none of these.

    Raises:
        CompileError: it has no value; the message says why.
    """
    found = json.loads(_library.ask(EVAL, JSON, expression))
    if "shape" in found:
        return Layout(found["text"])
    return _tuples(found["value"]) if "value" in found else found["text"]


class Drawing(str):
    """A text; notebooks show "svg". `pathlib.Path("a.svg").write_text(drawing.svg)` saves the picture, and `write_text(drawing)` the text."""

    svg: str

    def __repr__(self) -> str:
        return str(self)

    def _repr_svg_(self) -> str:
        return self.svg


class Layout:
    """A function from coordinates to offsets: a shape and strides, nested alike, perhaps with a swizzle.

    Args:
        shape: an integer or nested tuples, elements; or the layout in the notation of CuTe, of its Python siblings, or of plans, "(4,8):(8,1)"; or a
            layout of another package, as pycute's, which has a shape and a stride.
        stride: like "shape", elements; without it the layout is compact, mode 0 first.

    Attributes:
        shape, stride: as nested tuples. pycute.Layout(a.shape, a.stride) is the same layout there, if it has no swizzle.
        size: the number of coordinates.
        text: the layout in the notation of plans.

    Raises:
        CompileError: the text cannot be read.
        ValueError: it is no layout.
    """

    def __init__(self, shape: Any, stride: Any = None):
        if hasattr(shape, "shape") and hasattr(shape, "stride") and stride is None:
            if callable(shape.stride):
                raise TypeError("a tensor is no layout; give Layout(tuple(x.shape), x.stride())")
            shape, stride = shape.shape, shape.stride
        if isinstance(shape, str):
            text = shape
        else:
            text = f"make_layout({_notation(shape)}" + (f",{_notation(stride)})" if stride is not None else ")")
        found = json.loads(_library.ask(EVAL, JSON, text))
        if "shape" not in found:
            raise ValueError(f"'{text}' is no layout")
        self.text: str = found["text"]
        self.shape, self.stride, self.size = _tuples(found["shape"]), _tuples(found["stride"]), found["size"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Layout({self.text!r})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Layout) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __call__(self, *coordinate: Any) -> Any:
        """The offset in elements at a coordinate, or at an index that counts mode 0 fastest. Of a tile, local_tile(..), from where the whole begins."""
        at = ",".join(map(_notation, coordinate))
        if re.match(r"-?\d+\+", self.text):  # a tile, which lies behind an offset
            return evaluate(f"crd2idx({at if len(coordinate) == 1 else f'({at})'},{self})")
        return evaluate(f"({self})({at})")

    def cute(self) -> str:
        """In CuTe's notation, in C++."""
        return _library.ask(EVAL, CUTE, self.text).strip()

    def pycute(self) -> str:
        """In the notation of CuTe's Python siblings."""
        return _library.ask(EVAL, PYCUTE, self.text).strip()

    def draw(self, view: Optional[str] = None, type: Any = None) -> Drawing:
        """A drawing, as `tcpc draw` makes it.

        Args:
            view: "layout", "banks", .., as docs/drawings.md lists them; None: the usual one.
            type: of the elements, for view "banks": a type of numpy or PyTorch, or a plan's word, "f16".

        Raises:
            CompileError: there is no such view of a layout.
            TypeError: there is no such type.
        """
        if type is not None:
            from ._types import word

            type = word(type)
        return _drawing(DRAW_LAYOUT, self.text, view=view, type=type)

    def _repr_svg_(self) -> str:
        return self.draw().svg


def _drawing(about: int, text: str, source: Optional[_library.Source] = None, **more: Any) -> Drawing:
    made = Drawing(_library.ask(about, TEXT, text, source, **more))
    made.svg = _library.ask(about, SVG, text, source, **more)
    return made


def _loaded(plan: Any) -> Any:
    """The plan that was loaded, and the kernel if it is one; None: it is neither."""
    if type(plan).__module__ != f"{__package__}._load":
        return None
    return (plan._plan, plan.name) if hasattr(plan, "_plan") else (plan, None)


def _text(plan: Any) -> str:
    """Of a plan, of what tcpc.plan() made, or of a kernel of cache_info()."""
    text = plan.text if type(plan).__name__ == "Plan" and hasattr(plan, "how") else getattr(plan, "plan", plan)
    if text == "":
        raise ValueError("the framework itself makes this copy: there is no plan; backend='host' compiles one")
    if isinstance(text, os.PathLike) or (isinstance(text, str) and re.search(r"\S\.tcp\s*$", text)):
        raise TypeError(f"{str(text)!r} is a path; give tcpc.load({str(text)!r})")
    if not isinstance(text, str):
        raise TypeError(f"expected the text of a plan, or a kernel of cache_info(), not {type(plan).__name__}")
    return text


def _name(name: Any, text: str) -> str:
    kernels = re.findall(r"\bkernel\s+(\w+)\s*\(", text) if name is None else []
    if len(kernels) == 1:
        return str(kernels[0])
    if kernels:
        raise TypeError(f"the plan has several kernels; say which one is drawn: {', '.join(map(repr, kernels))}")
    if not isinstance(name, str):
        raise TypeError(f"what is drawn is named by a text, such as 'src' or the name of a kernel, not {name!r}")
    return name


def draw(plan: Planned, name: Optional[str] = None, view: Optional[str] = None, thread: int = 0, *, params: Optional[Mapping[str, int]] = None, source: Optional[_library.Source] = None) -> Drawing:
    """A drawing of what is called "name" in the text of a plan, as `tcpc draw` makes it.

    Args:
        plan: the text, a kernel of cache_info(), or what tcpc.load() made.
        name: of a kernel, a tiled copy, a layout or a tensor; or the label of a copy. None: the kernel, where there is one.
        view: "owners", "banks", .., as docs/drawings.md lists them; None: the usual one.
        thread: whose accesses are shown, where a view shows those of one.
        params: values of the plan's params, instead of small ones.
        source: where the text is from; a loaded plan sets it.

    Raises:
        CompileError: the plan is wrong, or has no such name, or the view does not fit.
    """
    loaded = _loaded(plan)
    if loaded:
        return loaded[0].draw(name if name is not None else loaded[1], view, thread, params=params)  # type: ignore[no-any-return]
    text = _text(plan)
    return _drawing(DRAW, text, source, name=_name(name, text), view=view, thread=thread, params=params)


class Record(Dict[str, Any]):
    """A dict whose entries are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"there is no '{name}' here; there is {', '.join(self)}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]


class Explanation(Record):
    """What `tcpc explain --json` says, `e.kernels[0].copies[0].threads`; as a text, what `tcpc explain` says."""

    text: str

    @property
    def source(self) -> str:
        """The plan, with every choice written out: also the kernels that the compiler planned."""
        return self._source()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def explain(plan: Planned, kernel: Optional[str] = None, *, params: Optional[Mapping[str, int]] = None, source: Optional[_library.Source] = None) -> Explanation:
    """What the compiler chose for each copy of a plan, and why.

        e = tcpc.explain(tcpc.cache_info().kernels[0].plan)
        print(e)                                       # as a text
        e.kernels[0].threads, e.kernels[0].copies      # as data

    Args:
        plan: the text, a kernel of cache_info(), or what tcpc.load() made.
        kernel: only this one.
        params: values of the plan's params, instead of small ones: costs are counted for them.
        source: where the text is from; a loaded plan sets it.

    Raises:
        CompileError: the plan is wrong, or has no such kernel.
    """
    loaded = _loaded(plan)
    if loaded:
        return loaded[0].explain(kernel if kernel is not None else loaded[1], params=params)  # type: ignore[no-any-return]
    text = _text(plan)
    found = json.loads(_library.ask(EXPLAIN, JSON, text, source, params, name=kernel), object_hook=Record)
    made = Explanation(found)
    made.text = _library.ask(EXPLAIN, TEXT, text, source, params, name=kernel)
    made.__dict__["_source"] = lambda: _library.ask(EXPLAIN, SOURCE, text, source)
    return made


def operations() -> List[Tuple[str, str, str]]:
    """Name, arguments and meaning of each operation."""
    row = _library.Operation(size=ctypes.sizeof(_library.Operation))
    found: List[Tuple[str, str, str]] = []
    while _library.library().tcpc_operation_at(ctypes.c_size_t(len(found)), ctypes.byref(row)):
        found.append((row.name.decode(), (row.arguments or b"").decode(), row.help.decode() if row.in_eval else ""))
        row.size = ctypes.sizeof(row)
    return [each for each in found if each[2]]


def _operation(name: str, arguments: str, meaning: str) -> Callable[..., Any]:
    def apply(*given: Any) -> Any:
        return evaluate(f"{name}({','.join(map(_notation, given))})")

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"{name}({arguments}): {meaning}"
    return apply


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for row in operations():
            if row[0] == name:
                return globals().setdefault(name, _operation(*row))
    raise AttributeError(f"there is no operation '{name}'; operations() lists them")


def __dir__() -> List[str]:
    return sorted([*globals(), *(row[0] for row in operations())])
