"""Calls that C looks at before Python executes the function: which it answers, and what becomes of all others."""
import ctypes
from ctypes import c_void_p

import pytest
from test_warm import Tensor, world  # noqa: F401

import tcpc
from tcpc import _api, _core, _engine, _warm


class Door:
    """A function of the package as a caller sees it when its door is open: the interpreter asks in C first. Where it knows no doors, this does what it would do."""

    def __init__(self, function, entry):
        self.function, self.entry = function, entry

    def __call__(self, *args, **names):
        if hasattr(ctypes.pythonapi, "PyFunction_SetVectorcall"):
            return self.function(*args, **names)
        values = (ctypes.py_object * (len(args) + len(names) + 1))(*args, *names.values())
        call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, c_void_p, ctypes.c_size_t, ctypes.py_object)(self.entry)
        return call(self.function, ctypes.addressof(values), len(args), tuple(names))


@pytest.fixture
def doors(world, monkeypatch):
    """Those of this test's world; no function of Python asks it."""
    openings = {(o.function.__qualname__): o for o in _api.openings()}
    for name in "call", "copy", "early", "early_copy":
        monkeypatch.setattr(_warm, name, lambda *_: None)
    _core.open_doors(openings.values(), world.warm.calls)
    entry = _core.entry(openings.values(), world.warm.calls)
    if not entry:
        pytest.skip("this Python does not tell how it executes functions")
    yield {name: Door(o.function, entry) for name, o in openings.items()}
    _core.entry(openings.values(), None)


def test_doors(world, doors):
    """A call like an earlier one is answered in C; all others are executed, and say what they say without doors."""
    relayout, permute, contiguous, copy_ = map(doors.get, ("relayout", "permute", "contiguous", "copy_"))
    x, turned, out = world.x, world.y, Tensor((160, 96), (96, 1), 0x400000)
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000))
    for key in ("a b -> b a", None, True), ("(a b) c -> c (a b)", None, True, "a", 2), ("(a b) c -> c (a b)", 5, True, "a", 2), ((1, 0), None, True), ("... -> ...", None, True), ((1, 0), None, False):
        world.warm.learn(key, x, turned, made, world.kernel, ())
    right = [lambda: relayout(x, "a b -> b a"), lambda: relayout(x, "a b -> b a", backend=None, stream=None, out=None, dtype=None), lambda: relayout(x, "(a b) c -> c (a b)", a=2),
             lambda: relayout(x, "(a b) c -> c (a b)", dtype=5, a=2), lambda: permute(x, (1, 0)), lambda: permute(x, (1, 0), out=None), lambda: contiguous(x), lambda: contiguous(x, stream=None)]
    for n, call in enumerate(right, 1):
        assert call() is world.made[-1][0] and len(world.launches) == n
    assert permute(x, (1, 0), out=out) is out and world.told.pop() is out and world.launches[-1][4][:2] == [0x100004, 0x400000]
    assert copy_(world.x_turned, x) is world.x_turned and world.told.pop() is world.x_turned
    n = len(world.launches)
    for wrong in [lambda: relayout(x, "a b -> b a ", out=None), lambda: relayout(x, "a b -> b a", dtype=5), lambda: relayout(x, "a b -> b a", backend="host"), lambda: relayout(x, "a b -> b a", stream=3),
                  lambda: relayout(x, "(a b) c -> c (a b)", a=4), lambda: relayout(x, "(a b) c -> c (a b)", a=2.0), lambda: relayout(x, "(a b) c -> c (a b)", a=True), lambda: relayout(x, (1, 0)),
                  lambda: relayout(x, "a b -> b a", **{f"n{i}": i for i in range(40)}), lambda: relayout(x), lambda: relayout(x, "a b -> b a", 2), lambda: relayout("x", "a b -> b a"),
                  lambda: permute(x, (0, 1)), lambda: permute(x, 1, 0), lambda: permute(x, (1, 0), a=2), lambda: permute(x, (1, 0), dtype=5), lambda: permute(x, (True, False)), lambda: permute(x, "a b -> b a"),
                  lambda: permute(), lambda: contiguous(x, out=out), lambda: contiguous(x, a=2), lambda: copy_(out, x), lambda: copy_(world.x_turned, x, stream=3), lambda: copy_(5, x)]:
        with pytest.raises((TypeError, ValueError, AttributeError)):
            wrong()
    for name in "stream", "out", "backend", "dtype":  # not those that are known by their addresses, but equal to them
        with pytest.raises((TypeError, ValueError)):
            relayout(x, "a b -> b a", **{"".join(list(name)): 3})
    world.context += 1
    with pytest.raises(TypeError, match="not Tensor"):
        permute(x, (1, 0))
    assert len(world.launches) == n


def test_doors_that_are_closed(world, doors):
    assert doors["copy_"](world.x_turned, world.x) is world.x_turned
    _core.entry([_core.Opening(tcpc.copy_, (), 2, copies=True)], None)
    for name in "copy_", "contiguous":
        with pytest.raises(TypeError, match="not Tensor"):
            doors[name](*[world.x_turned, world.x][:2 if name == "copy_" else 1])
    assert len(world.launches) == 1


def test_what_is_no_function_of_python_has_no_door(world):
    assert not _core.open_doors([_core.Opening(len, (), 1)], world.warm.calls)


def test_a_core_of_another_version_is_not_called(monkeypatch):
    assert _core.library() is not None
    monkeypatch.setattr(_core, "Entry", ctypes.c_int64)
    _core.library.cache_clear()
    assert _core.library() is None
    _core.library.cache_clear()
