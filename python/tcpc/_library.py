"""libtcpc, by ctypes: its structures as tcpc.h has them, and the calls that the package needs."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_ulong, c_void_p
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from ._base import CompileError, Fix, keep_lock

if TYPE_CHECKING:
    import pathlib

HERE = os.path.dirname(os.path.realpath(__file__))
CHECKOUT = os.path.dirname(os.path.dirname(HERE))
CUDA, DEVICE = 0, 5  # of enum tcpc_emit


def _structure(name: str, fields: Sequence[Tuple[str, Any]]) -> Any:
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


def _list_of(what: Any) -> Any:
    return POINTER(POINTER(what))


Text = _structure("Text", [("bytes", c_void_p), ("size", c_size_t)])
Define = _structure("Define", [("name", c_char_p), ("value", c_char_p)])
Options = _structure("Options", [
    ("size", c_size_t), ("emit", c_int), ("arch", c_char_p), ("define", POINTER(Define)), ("ndefines", c_size_t), ("warning", POINTER(c_char_p)),
    ("nwarnings", c_size_t), ("proof_limit", c_ulong), ("error_limit", c_int), ("no_line", c_int), ("emitted", c_char_p), ("read", c_void_p),
    ("user", c_void_p), ("folder", POINTER(c_char_p)), ("nfolders", c_size_t)])
Place = _structure("Place", [("file", c_char_p), ("line", c_int), ("column", c_int), ("end_line", c_int), ("end_column", c_int)])
Fixit = _structure("Fixit", [("size", c_size_t), ("at", Place), ("text", c_char_p)])


class Message(ctypes.Structure):
    pass


Message._fields_ = [
    ("size", c_size_t), ("severity", c_int), ("at", Place), ("text", c_char_p), ("warning", c_char_p), ("page", c_char_p), ("note", _list_of(Message)),
    ("nnotes", c_size_t), ("fixit", _list_of(Fixit)), ("nfixits", c_size_t)]
Planned = _structure("Planned", [
    ("size", c_size_t), ("kernel", c_char_p), ("number", c_int), ("candidate", c_int), ("how", c_char_p), ("why", c_char_p), ("refused", c_char_p),
    ("cost", c_int64), ("text", c_char_p)])
Value = _structure("Value", [("number", c_int64), ("text", c_char_p), ("expression", c_void_p)])
Mode = _structure("Mode", [("size", c_size_t), ("name", c_char_p), ("extent", Value), ("stride", Value)])


class Tensor(ctypes.Structure):
    pass


Tensor._fields_ = [
    ("size", c_size_t), ("name", c_char_p), ("element", c_char_p), ("element_bits", c_int), ("direction", c_int), ("align", c_int64), ("layout", c_char_p),
    ("swizzled", c_int), ("offset", Value), ("mode", _list_of(Mode)), ("nmodes", c_size_t), ("bytes", Value), ("declared", POINTER(Tensor))]
ParamRow = _structure("ParamRow", [("size", c_size_t), ("name", c_char_p), ("least", c_int64), ("most", c_int64), ("multiple", c_int64), ("value", Value)])
Map = _structure("Map", [
    ("size", c_size_t), ("tensor", POINTER(Tensor)), ("rank", c_int), ("element_bytes", c_int), ("swizzle_bytes", c_int), ("extent", POINTER(Value)),
    ("stride", POINTER(Value)), ("box", POINTER(c_int64)), ("l2_bytes", c_int), ("offset", Value), ("type", c_int)])
Argument = _structure("Argument", [
    ("size", c_size_t), ("tensor", POINTER(Tensor)), ("param", c_void_p), ("offset", c_size_t), ("bytes", c_size_t), ("map", POINTER(Map))])
Variant = _structure("Variant", [
    ("size", c_size_t), ("symbol", c_char_p), ("bits", c_int), ("number", c_int), ("when", c_char_p), ("condition", c_void_p), ("nconditions", c_size_t),
    ("argument", _list_of(Argument)), ("narguments", c_size_t), ("argument_bytes", c_size_t), ("grid", POINTER(Value) * 3), ("threads", c_int64),
    ("shared_bytes", c_int64), ("shared_to_set", c_int64)])
Launch = _structure("Launch", [
    ("size", c_size_t), ("name", c_char_p), ("launcher", c_char_p), ("tensor", _list_of(Tensor)), ("ntensors", c_size_t), ("param", _list_of(ParamRow)),
    ("nparams", c_size_t), ("ncomputed", c_size_t), ("check", c_void_p), ("nchecks", c_size_t), ("variant", _list_of(Variant)), ("nvariants", c_size_t),
    ("argument_bytes", c_size_t), ("argument_align", c_size_t), ("devices", c_int64)])
Call = _structure("Call", [
    ("size", c_size_t), ("status", c_int), ("variant", POINTER(Variant)), ("grid", c_uint32 * 3), ("message", c_char * 512)])
MapCall = _structure("MapCall", [
    ("size", c_size_t), ("type", c_int), ("rank", c_uint32), ("address", c_uint64), ("extent", c_uint64 * 5), ("stride", c_uint64 * 4), ("box", c_uint32 * 5),
    ("step", c_uint32 * 5), ("swizzle", c_int), ("promotion", c_int), ("clear", c_int)])
Result = _structure("Result", [
    ("size", c_size_t), ("status", c_int), ("output", Text), ("message", _list_of(Message)), ("nmessages", c_size_t), ("nerrors", c_size_t),
    ("nwarnings", c_size_t), ("launch", _list_of(Launch)), ("nlaunches", c_size_t), ("file", POINTER(c_char_p)), ("nfiles", c_size_t),
    ("planned", _list_of(Planned)), ("nplanned", c_size_t), ("plan", Text)])
Integer = _structure("Integer", [("number", c_int64), ("text", c_char_p)])
Open = _structure("Open", [
    ("size", c_size_t), ("name", c_char_p), ("multiple", c_int64), ("least", c_int64), ("most", c_int64), ("where", c_char_p)])
Side = _structure("Side", [("size", c_size_t), ("element", c_char_p), ("stride", POINTER(Integer)), ("offset", Integer), ("align", c_int64)])
Relayout = _structure("Relayout", [
    ("size", c_size_t), ("name", c_char_p), ("rank", c_size_t), ("extent", POINTER(Integer)), ("from_", POINTER(Side)), ("to", POINTER(Side)),
    ("open", _list_of(Open)), ("nopen", c_size_t), ("candidate", c_int)])
Setting = _structure("Setting", [("name", c_char_p), ("value", c_int64)])
Question = _structure("Question", [
    ("size", c_size_t), ("about", c_int), ("form", c_int), ("name", c_char_p), ("other", c_char_p), ("setting", POINTER(Setting)), ("nsettings", c_size_t),
    ("view", c_char_p), ("type", c_char_p), ("thread", c_int64), ("values", c_int), ("steps", c_int), ("table", c_int)])

ArchRow = _structure("ArchRow", [("size", c_size_t), ("name", c_char_p), ("number", c_int), ("shared_bytes", c_int64), ("calibrated", c_int)])

Operation = _structure("Operation", [("size", c_size_t), ("name", c_char_p), ("arguments", c_char_p), ("help", c_char_p), ("in_eval", c_int), ("in_plans", c_int)])

Number = Union[int, str]  # a number, or an expression of params


class Sides(NamedTuple):
    """One side of a relayout: the type, the strides in elements, the elements from the pointer to element (0,0,..), and the alignment in bytes."""

    element: str
    strides: Tuple[Number, ...]
    offset: Number
    align: int


class Param(NamedTuple):
    name: str
    multiple: int


def find(name: str, variable: str) -> str:
    """A shared library: that which the environment names, that of the package, or that of a build in a checkout."""
    named, build = os.environ.get(variable), os.path.join(CHECKOUT, "build")
    places = [named] if named else [os.path.join(folder, name) for folder in (os.path.join(HERE, "lib"), os.path.join(build, "compiler"), os.path.join(build, "python"))]
    for place in places:
        if os.path.exists(place):
            return place
    raise ImportError(f"{name} is not at {' or '.join(places)}; {variable} can name it")


def find_runtime() -> "pathlib.Path":
    """The folder of the headers that emitted code includes."""
    import pathlib  # which takes a while

    for place in (pathlib.Path(HERE) / "include" / "tcpc", pathlib.Path(CHECKOUT) / "runtime"):
        if (place / "tcp_device.cuh").exists():
            return place
    raise ImportError("the runtime's headers are not in the package")


_loaded: Any = None
_lock: Any


keep_lock(sys.modules[__name__])


def library() -> Any:
    global _loaded
    with _lock:
        if _loaded is None:
            lib = ctypes.CDLL(find("libtcpc.so", "TCPC_LIBRARY"))
            result = POINTER(POINTER(Result))
            lib.tcpc_compile_relayout.argtypes = [POINTER(Relayout), POINTER(Options), result]
            lib.tcpc_ask.argtypes = [c_char_p, c_char_p, c_size_t, POINTER(Options), POINTER(Question), result]
            lib.tcpc_free.argtypes = [POINTER(Result)]
            lib.tcpc_free.restype = None
            lib.tcpc_launch_keep.argtypes = [POINTER(Launch)]
            lib.tcpc_launch_keep.restype = POINTER(Launch)
            lib.tcpc_launch_free.argtypes = [POINTER(Launch)]
            lib.tcpc_launch_free.restype = None
            lib.tcpc_compile.argtypes = [c_char_p, c_char_p, c_size_t, POINTER(Options), result]
            lib.tcpc_value_at.argtypes = [POINTER(Value), POINTER(c_int64), POINTER(c_int64)]
            lib.tcpc_launch_evaluate.argtypes = [POINTER(Launch), POINTER(c_int64), POINTER(c_uint64), c_void_p, POINTER(Call)]
            lib.tcpc_launch_map.argtypes = [POINTER(Launch), POINTER(Map), POINTER(c_int64), POINTER(c_uint64), POINTER(MapCall), POINTER(Call)]
            lib.tcpc_version.restype = c_char_p
            _loaded = lib
    return _loaded


def version() -> str:
    """Of the compiler."""
    return str(library().tcpc_version().decode())


def _text(t: Any) -> str:
    return ctypes.string_at(t.bytes, t.size).decode()


def _told(message: Any) -> CompileError:
    """A message with its notes and fix-its."""
    notes, fixits = [], []
    for each in [message] + [message.note[i].contents for i in range(message.nnotes)]:
        if each is not message:
            notes.append(each.text.decode())
        for i in range(each.nfixits):
            fix, at = each.fixit[i].contents, each.fixit[i].contents.at
            fixits.append(Fix(at.file and at.file.decode(), at.line, at.column, at.end_line, at.end_column, fix.text.decode()))
    return CompileError(message.text.decode(), message.at.file and message.at.file.decode(), message.at.line, message.at.column, notes, fixits)


def _messages(result: Any, severity: int) -> List[CompileError]:
    found = [result.message[i].contents for i in range(result.nmessages)]
    return [_told(message) for message in found if message.severity == severity]


def _error(result: Any) -> CompileError:
    return (_messages(result, 0) or [CompileError("the compiler gave no output")])[0]


class Compiled:
    """What the compiler made of a relayout. "launch" is for tcpc_launch_evaluate; it is freed with this object."""

    def __init__(self, result: Any):
        planned = result.planned[0].contents
        self.output, self.plan = _text(result.output), _text(result.plan)
        self.how, self.why, self.cost = planned.how.decode(), planned.why.decode(), int(planned.cost)
        self.cases = int(result.nplanned)
        self.launch = library().tcpc_launch_keep(result.launch[0])

    def __del__(self) -> None:
        if _loaded is not None and getattr(self, "launch", None):
            _loaded.tcpc_launch_free(self.launch)


Made = TypeVar("Made")


def _done(call: Callable[[Any], int], made: Callable[[Any], Made]) -> Made:
    """What "made" makes of the result of "call"."""
    result = POINTER(Result)()
    status = call(ctypes.byref(result))
    if not result:
        raise MemoryError("libtcpc has no memory")
    try:
        if status != 0:
            raise _error(result.contents)
        return made(result.contents)
    finally:
        library().tcpc_free(result)


def _integer(x: Number) -> Any:
    return Integer(x, None) if isinstance(x, int) else Integer(0, x.encode())


def _integers(values: Sequence[Number]) -> Any:
    return (Integer * max(1, len(values)))(*[_integer(x) for x in values])


def _side(side: Sides) -> Any:
    return Side(ctypes.sizeof(Side), side.element.encode(), _integers(side.strides), _integer(side.offset), side.align)


def compile_relayout(name: str, extents: Sequence[Number], source: Sides, destination: Sides, params: Sequence[Param], emit: int, arch: str, candidate: int = 0) -> Compiled:
    """Plans and compiles the copy of each element, by the planner's choice of that number; raises CompileError."""
    lib = library()
    opened = [Open(ctypes.sizeof(Open), p.name.encode(), p.multiple, 0, 0, None) for p in params]
    pointers = (POINTER(Open) * max(1, len(opened)))(*[ctypes.pointer(o) for o in opened])
    sides = _side(source), _side(destination)
    request = Relayout(ctypes.sizeof(Relayout), name.encode(), len(extents), _integers(extents), ctypes.pointer(sides[0]), ctypes.pointer(sides[1]),
                       ctypes.cast(pointers, _list_of(Open)), len(opened), candidate)
    options = Options(size=ctypes.sizeof(Options), emit=emit, arch=arch.encode(), no_line=1)
    warnings = (c_char_p * 1)(b"-w")
    options.warning, options.nwarnings = warnings, 1
    return _done(lambda result: lib.tcpc_compile_relayout(ctypes.byref(request), ctypes.byref(options), result), Compiled)


class Plan:
    """What the compiler made of a plan. The launches, one for each kernel, are freed with this object."""

    def __init__(self, result: Any):
        self.output, self.warnings = _text(result.output), [str(told) for told in _messages(result, 1)]
        self.launches = [library().tcpc_launch_keep(result.launch[i]) for i in range(result.nlaunches)]

    def __del__(self) -> None:
        for launch in getattr(self, "launches", []) if _loaded is not None else []:
            _loaded.tcpc_launch_free(launch)


class Source(NamedTuple):
    """Where a plan is from: the name of its file, the folder of its imports, values of its constants, and its architecture."""

    name: str = "plan"
    folder: Optional[str] = None
    defines: Tuple[Tuple[str, str], ...] = ()
    arch: Optional[str] = None


def _options(source: Source, emit: int) -> Any:
    options = Options(size=ctypes.sizeof(Options), emit=emit, arch=source.arch.encode() if source.arch else None, no_line=1)
    options.define = (Define * max(1, len(source.defines)))(*[Define(key.encode(), value.encode()) for key, value in source.defines])
    options.ndefines = len(source.defines)
    if source.folder:
        options.folder, options.nfolders = (c_char_p * 1)(source.folder.encode()), 1
    return options


def compile_plan(text: bytes, source: Source, emit: int) -> Plan:
    """Compiles a plan; raises CompileError."""
    lib, options = library(), _options(source, emit)
    try:
        return _done(lambda result: lib.tcpc_compile(source.name.encode(), text, len(text), ctypes.byref(options), result), Plan)
    except CompileError as error:
        raise error.retold(in_python) from None


def value_at(value: Any, params: Any) -> int:
    """The value for an array of params."""
    out = c_int64()
    if not library().tcpc_value_at(ctypes.byref(value), params, ctypes.byref(out)):
        raise OverflowError(f"{value.text.decode()} does not fit 64 bits")
    return out.value


def check_launch(launch: Any, params: Any, addresses: Sequence[int]) -> None:
    """Raises ValueError with what the launcher would say to an array of params and these addresses."""
    call, pointers = Call(size=ctypes.sizeof(Call)), (c_uint64 * len(addresses))(*addresses)
    if library().tcpc_launch_evaluate(launch, params, pointers, None, ctypes.byref(call)):
        raise ValueError(call.message.decode())
    for each, _ in maps_of(call.variant.contents) if call.variant else []:
        map_call(launch, each, params, pointers)


def maps_of(variant: Any) -> List[Tuple[Any, int]]:
    """The tensor maps among the arguments of a kernel, and where they are there."""
    arguments = [variant.argument[i].contents for i in range(variant.narguments)]
    return [(each.map, each.offset) for each in arguments if each.map]


def has_maps(launch: Any) -> bool:
    return any(maps_of(launch.variant[i].contents) for i in range(launch.nvariants))


def map_call(launch: Any, each: Any, params: Any, pointers: Any) -> Any:
    """What the driver takes for a tensor map; raises ValueError if it would take none."""
    call, made = Call(size=ctypes.sizeof(Call)), MapCall(size=ctypes.sizeof(MapCall))
    if library().tcpc_launch_map(launch, each, params, pointers, ctypes.byref(made), ctypes.byref(call)):
        raise ValueError(call.message.decode())
    return made


# What messages and texts call an option of the commands, and how it is given here.
IN_PYTHON = (r"'tcpc explain --plan' prints it", "'source' of the explanation has it"), (r"--param NAME=N", 'params={"NAME": N}'), (r"'--param (\w+)'", r"'\1' in params="), (r"with --param\b", "with params="), \
    (r"'-D (\w+)=(\w+)'", r"defines={'\1': \2}"), (r"^-D (\w+):", r"'\1' in defines=:"), (r"--(type|view)=([\w-]+)", r"\1='\2'"), (r"'--(type|thread|values|view)'", r"'\1='")


def in_python(text: str) -> str:
    """The text of a command, with the words of this package."""
    if "--" in text or "-D " in text:
        for words, ours in IN_PYTHON:
            text = re.sub(words, ours, text)
    return text


def ask(about: int, form: int, text: str, source: Optional[Source] = None, params: Optional[Mapping[str, int]] = None, **more: Any) -> str:
    """What the commands explain, count, draw, eval and fmt print. Values of params are others than small ones."""
    lib, data, source = library(), text.encode(), source or Source()
    options, question = _options(source, CUDA), Question(size=ctypes.sizeof(Question), about=about, form=form)
    if params:
        question.setting, question.nsettings = (Setting * len(params))(*[Setting(name.encode(), _number(name, value)) for name, value in params.items()]), len(params)
    for key, value in more.items():
        if value is not None:
            setattr(question, key, value.encode() if isinstance(value, str) else value)
    try:
        return in_python(_done(lambda result: lib.tcpc_ask(source.name.encode(), data, len(data), ctypes.byref(options), ctypes.byref(question), result), lambda made: _text(made.output)))
    except CompileError as error:
        raise error.retold(in_python) from None


def _number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"param '{name}' is an integer, not {value!r}")
    return int(value.__index__())
