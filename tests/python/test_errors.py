"""Each message of a wrong call."""
import importlib
import pathlib
import sys
import time
import types

import numpy as np
import pytest

import tcpc
from test_cuda import Interface

x = np.zeros((4, 6), np.float32)
locked = np.zeros((4, 6), np.float32)
locked.flags.writeable = False

WRONG = [
    (lambda: tcpc.relayout(x, "a b"), tcpc.PatternError, "'a b' is not of the form 'axes -> axes'"),
    (lambda: tcpc.relayout(x, "a b -> b a -> a b"), tcpc.PatternError, "is not of the form"),
    (lambda: tcpc.relayout(x, "a ((b c)) -> a b c"), tcpc.PatternError, "brackets do not match"),
    (lambda: tcpc.relayout(x, "a b) -> a b"), tcpc.PatternError, "brackets do not match"),
    (lambda: tcpc.relayout(x, "a (b c -> a b c"), tcpc.PatternError, "a bracket is not closed"),
    (lambda: tcpc.relayout(x, "a 2 -> 2 a"), tcpc.PatternError, "'2' in 'a 2 -> 2 a' has no name; only 1 needs none"),
    (lambda: tcpc.relayout(x, "a +b -> a b"), tcpc.PatternError, "'[+]' in .* is no name of an axis"),
    (lambda: tcpc.relayout(x, "a a -> a"), tcpc.PatternError, "'a' is twice on one side"),
    (lambda: tcpc.relayout(x, "a, b -> b a"), tcpc.PatternError, "',' in .* is no name of an axis; blanks are between axes"),
    (lambda: tcpc.relayout(x, "ab -> ba"), tcpc.PatternError, "'ab' is not on the right side of 'ab -> ba'; blanks are between axes: 'a b -> b a'"),
    (lambda: tcpc.relayout(x, "a b -> a"), tcpc.PatternError, "'b' is not on the right side .*; each axis is on both sides, as elements are moved, not summed or repeated"),
    (lambda: tcpc.rearrange(x, "a b -> b a"), AttributeError, "module 'tcpc' has no attribute 'rearrange'; 'relayout' is what does it here"),
    *[(lambda give=give: tcpc.explain(give), TypeError, r"'a/x.tcp' is a path; give tcpc.load\('a/x.tcp'\)") for give in ("a/x.tcp", pathlib.Path("a/x.tcp"))],
    (lambda: tcpc.explain(3), TypeError, "expected the text of a plan, or a kernel of cache_info[(][)], not int"),
    (lambda: tcpc.relayout(x, "a b -> a b c"), tcpc.PatternError, "'c' is not on the left side"),
    (lambda: tcpc.relayout(x, "(...) -> ..."), tcpc.PatternError, "'...' is in brackets on the left side"),
    (lambda: tcpc.relayout(x, "a b c ... -> ... a b c"), tcpc.PatternError, r"needs at least 3 dimensions, but the array has 2: \(4, 6\)"),
    (lambda: tcpc.relayout(x, "a -> a"), tcpc.PatternError, "needs 1 dimensions, but the array has 2"),
    (lambda: tcpc.relayout(x, "a b -> b a", c=2), tcpc.PatternError, "'c' is no axis of 'a b -> b a'; it has a, b"),
    (lambda: tcpc.relayout(x, "a (b c) -> a b c", b=-1), tcpc.PatternError, "the extent of 'b' is not an integer of 0 or more: -1"),
    (lambda: tcpc.relayout(x, "a (b c) -> a b c", b=True), tcpc.PatternError, "the extent of 'b' is not an integer"),
    (lambda: tcpc.relayout(x, "a (b c) -> a b c", b=1.5), tcpc.PatternError, "the extent of 'b' is not an integer"),
    (lambda: tcpc.relayout(x, "a (b c) -> a b c"), tcpc.PatternError, "the extents of 'b' and 'c' in .* are not known; give all but one as b=.."),
    (lambda: tcpc.relayout(x, "a (b c) -> a b c", b=4), tcpc.PatternError, r"dimension 1 of 6 elements does not fit '\(b c\)' .*: 6 is no multiple of 4"),
    (lambda: tcpc.relayout(x, "a b -> b a", a=3), tcpc.PatternError, "dimension 0 of 4 elements does not fit 'a' of .*, which has 3"),
    (lambda: tcpc.relayout(x, "a 1 -> a"), tcpc.PatternError, r"dimension 1 of 6 elements does not fit '\(\)' .*, which has 1"),
    (lambda: tcpc.permute(x, (0,)), ValueError, r"number of dimensions in the tensor input does not match .* input.dim\(\) = 2 is not equal to len\(dims\) = 1"),
    (lambda: tcpc.permute(x, (0, 2)), IndexError, r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"),
    (lambda: tcpc.permute(x, (0, -2)), ValueError, "duplicate dims are not allowed"),
    (lambda: tcpc.permute(x, (1, 0), out=np.zeros((4, 6), np.float32)), ValueError, r"out has shape \(4, 6\), but the result has \(6, 4\)"),
    (lambda: tcpc.permute(x, (1, 0), out=np.zeros((6, 4), np.int8), dtype=np.int16), TypeError, "out has type int8, but dtype is"),
    (lambda: tcpc.contiguous(x, out=locked), ValueError, "the destination is read-only"),
    (lambda: tcpc.copy_(locked, x, backend="host"), ValueError, "the destination is read-only"),
    (lambda: tcpc.copy_(x, x[0], backend="host"), ValueError, r"dst has shape \(4, 6\), but src has \(6,\); nothing is expanded, so give broadcast_to\(src, \(4, 6\)\)"),
    (lambda: tcpc.copy_(x, x[:, :5], backend="host"), ValueError, r"dst has shape \(4, 6\), but src has \(4, 5\)$"),
    (lambda: tcpc.prepare((x, x.T), backend="host"), ValueError, r"dst has shape \(4, 6\), but src has \(6, 4\)$"),
    (lambda: tcpc.copy_(x, x[::-1], backend="host"), ValueError, r"dst and src share elements; give copy_ a copy of src: src.copy\(\)"),
    (lambda: tcpc.relayout(np.zeros((4, 6, 2)), "b s d -> b d"), tcpc.PatternError, r"; reduce or index it first, x.sum\(1\) or x\[:, 0\]; an axis of 1 is written '1'"),
    (lambda: tcpc.relayout(x, "... b d -> ... d"), tcpc.PatternError, r"; reduce or index it first, x.sum\(-2\) or x\[..., 0, :\]; an axis of 1"),
    (lambda: tcpc.relayout(x, "a (b c) -> a b"), tcpc.PatternError, "; reduce or index it first; an axis of 1"),
    (lambda: tcpc.copy_(np.broadcast_to(np.zeros(6), (4, 6)), x), ValueError, "the destination is read-only"),
    (lambda: tcpc.copy_(np.lib.stride_tricks.as_strided(np.zeros(9, np.float32), (4, 6), (4, 4)), x, backend="host"), ValueError,
     "two elements of dst share memory, as those"),
    (lambda: tcpc.copy_(np.zeros((4, 6), bool), x, backend="host"), TypeError, "cannot be converted from float32 to bool: bool is no type that kernels convert to"),
    (lambda: tcpc.copy_(x, x.astype(np.complex64), backend="host"), TypeError, "complex64 is no type that kernels convert from; take x.real or abs[(]x[)] of it"),
    (lambda: tcpc.contiguous(np.array([{}, 1]), backend="host"), TypeError, "arrays of Python objects cannot be copied by a kernel"),
    (lambda: tcpc.contiguous(np.zeros(41, np.uint8)[1:].view(np.float64), dtype=np.float32, backend="host"), ValueError, "must be aligned to their size"),
    (lambda: tcpc.contiguous([1, 2]), TypeError, "expected an array of numpy, PyTorch, CuPy or JAX, not list; np.stack[(][)] or torch.stack[(][)] makes one of several"),
    (lambda: tcpc.reduce(x, "a b -> a"), AttributeError, "module 'tcpc' has no attribute 'reduce': elements are moved, not summed"),
    (lambda: tcpc.explain(tcpc.plan(x, "a b -> b a")), ValueError, "there is no plan; backend='host' compiles one"),
    (lambda: tcpc.prepare(x, "a b -> b a"), TypeError, "prepare takes pairs: .*, not ndarray; plan[(]x, pattern[)] compiles what a relayout needs"),
    (lambda: tcpc.contiguous(x, backend="gpu"), ValueError, "backend is 'host', 'cuda' or None, not 'gpu'"),
    (lambda: tcpc.contiguous(x, backend="cuda"), ValueError, "backend='cuda' needs arrays on a GPU; give a tensor of PyTorch, or an array of CuPy or JAX, that is on one"),
    *[(call, ValueError, "stream= is for arrays on a GPU") for call in (lambda: tcpc.contiguous(x, stream=3), lambda: tcpc.copy_(x.copy(), x, stream=3), lambda: tcpc.contiguous(x, backend="host", stream=3))],
    *[(call, TypeError, "arrays with a mask cannot be copied; filled[(][)] makes one without") for call in (
        lambda: tcpc.contiguous(np.ma.array(x, mask=True)), lambda: tcpc.copy_(np.ma.array(x), x), lambda: tcpc.permute(x, (1, 0), out=np.ma.array(x.T)))],
    (lambda: tcpc.relayout(x, (1, 0)), TypeError, "a pattern is a text, such as 'a b -> b a', not [(]1, 0[)]; permute[(][)] takes the order"),
    (lambda: tcpc.permute(x, 1), TypeError, "dims is a sequence of integers, such as [(]1, 0[)], not 1"),
    (lambda: tcpc.permute(x, "1 0"), TypeError, "dims is a sequence of integers, such as [(]1, 0[)], not '1 0'; relayout[(][)] takes a pattern"),
    (lambda: tcpc.permute(x, None), TypeError, "dims is a sequence of integers, such as [(]1, 0[)], not None"),
    (lambda: tcpc.permute(x, 2, 0, 1), TypeError, r"dims is one sequence of integers: permute\(x, \(2, 0, 1\)\), not permute\(x, 2, 0, 1\)"),
    (lambda: tcpc.permute(x, (True, False)), TypeError, "dims has integers, such as [(]1, 0[)], not True"),
    (lambda: tcpc.relayout(x, "a (b c) -> a b c", {"b": 2}), TypeError, r"extents are given by name, relayout\(x, 'a \(b c\) -> a b c', b=2\); of a dict as \*\*extents"),
    (lambda: tcpc.relayout("a b -> b a", x), TypeError, "a pattern is a text, .*, not ndarray; the array comes first"),
    (lambda: tcpc.relayout(x, "a (out d) -> a out d", out=2), tcpc.PatternError, "give all but one as d=..; 'out' is an argument of its own, so no extent can be given for an axis of this name"),
    (lambda: tcpc.relayout(x, "a (out dtype) -> a out dtype", out=2), tcpc.PatternError, "'out' and 'dtype' in .* are not known; give all but one; 'out' is an argument"),
    (lambda: tcpc.permute(x, (1.0, 0)), TypeError, "dims has integers, such as [(]1, 0[)], not 1.0"),
    (lambda: tcpc.bench(x, "a b -> b a"), ValueError, "bench[(][)] is for arrays on a GPU; on the CPU tcpc.relayout is the framework's own copy; give a tensor of PyTorch"),
    (lambda: tcpc.bench(Interface(shape=(0, 6)), "a b -> b a"), ValueError, r"the array has no elements: \(0, 6\)"),
]


def test_dims_by_name():
    assert np.array_equal(tcpc.permute(x, dims=(1, 0)), x.T) and np.array_equal(tcpc.permute(x, dims=np.array([1, 0])), x.T)


@pytest.mark.parametrize("call,kind,text", WRONG, ids=[text[:40] for _, _, text in WRONG])
def test_wrong(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_too_many_modes():
    """Of views whose elements nobody looks at."""
    strided = np.lib.stride_tricks.as_strided
    dst, src = strided(np.zeros(1, np.uint8), (2,) * 33, [1 << i for i in range(33)]), strided(np.zeros(1, np.uint8), (2,) * 33, [3 * i + 1 for i in range(33)])
    with pytest.raises(ValueError, match="a copy has at most 32 modes that cannot be merged; this one has 33"):
        tcpc.copy_(dst, src, backend="host")


def test_what_cannot_be_decided(monkeypatch):
    both = np.zeros((7, 8))  # which no test before asked about
    monkeypatch.setattr(importlib.import_module("tcpc._apart"), "BUDGET", 0)
    with pytest.raises(ValueError, match="it could not be decided in time whether two elements share memory; give a copy of one of the arrays: src.copy[(][)]"):
        tcpc.copy_(both[:, 4:], both[:, :4], backend="host")


def test_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setenv("TCPC_LIBRARY", "/nowhere/libtcpc.so")
    with pytest.raises(ImportError, match="libtcpc.so is not at /nowhere/libtcpc.so; TCPC_LIBRARY can name it"):
        tcpc._library.find("libtcpc.so", "TCPC_LIBRARY")


def test_a_search_that_takes_too_long_is_refused():
    """The distances of 14 strides without a common pattern are too many to try."""
    strides = [3 * 1009 ** 3 + 7 ** i for i in range(14)]
    from tcpc import _apart

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_apart, "BUDGET", 50)
        assert _apart.overlap(tuple((9, s) for s in strides), 1, tuple((9, s + 1) for s in strides), 1, 12345) is None


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(RuntimeError, match="backend='host' needs a C[+][+] compiler: install g[+][+], or name one in CXX"):
        tcpc.permute(x, (1, 0), backend="host")


def test_a_compiler_that_fails(monkeypatch):
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(RuntimeError, match="the C[+][+] compiler failed: false"):
        tcpc.permute(x, (1, 0), backend="host")
    monkeypatch.undo()
    assert np.array_equal(tcpc.permute(x, (1, 0), backend="host"), x.T)  # the kernel is built again


def test_the_first_build_is_told_at_its_begin(monkeypatch, tmp_path, capsys):
    from tcpc import _host

    monkeypatch.delenv("TCPC_HOST_LIBRARY", raising=False)
    monkeypatch.setenv("TCPC_CACHE", str(tmp_path))
    monkeypatch.setenv("CXX", "false")  # and so it fails
    for value, told in ("1", "tcpc: host: builds the runtime, once, which takes some seconds"), ("0", ""):
        monkeypatch.setenv("TCPC_LOG", value)
        with pytest.raises(RuntimeError, match="the C[+][+] compiler failed"):
            _host._runtime_path.__wrapped__()
        assert capsys.readouterr().err.strip() == told


@pytest.mark.parametrize("slow,told", [(.01, "tcpc: builds the support code of backend='host', once; it may take half a minute"), (60, "")])
def test_a_build_that_takes_long_is_told_of(slow, told, monkeypatch, capsys):
    from tcpc import _host

    monkeypatch.setattr(_host, "SLOW", slow)
    with _host._told_if_slow():
        time.sleep(.1)
    assert capsys.readouterr().err.strip() == told


def test_how_a_tensor_gets_to_a_gpu(monkeypatch):
    """Without PyTorch: by what it would tell."""
    array = tcpc._arrays.describe(x)._replace(kind="torch")
    for is_there, told in (True, "give x.cuda()"), (False, "this PyTorch sees no GPU (torch.cuda.is_available() is False)"):
        monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda is_there=is_there: is_there)))
        assert tcpc._api.to_a_gpu(array) == f"; {told}"


def test_what_torch_compile_reads(monkeypatch, tmp_path):
    """The flag alone, as without PyTorch nothing is traced."""
    from tcpc import _api, _load

    (tmp_path / "plan.tcp").write_text("tcp 1; tensor A : f32 global row(4,6) align 4; tensor B : f32 global row(4,6) align 4; kernel same(A, out B) { copy A -> B; }")
    same, turn, y = tcpc.load(tmp_path / "plan.tcp").same, tcpc.plan(x, "a b -> b a", backend="host"), np.zeros_like(x)
    same(x, y), turn(x)
    for module in _api, _load:
        monkeypatch.setattr(module, "_is_traced", lambda: True)
    for call, kind, text in ((lambda: same(x, y), RuntimeError, "torch.compile cannot trace kernel 'same' of a loaded plan; call it outside, or in a function that has @torch.compiler.disable"),
                             (lambda: turn(x), ValueError, "the plan was made with backend=, but PyTorch traces, transforms or records this call: make the plan without"),
                             (lambda: tcpc.permute(x, (1, 0), backend="host"), ValueError, "leave backend out: PyTorch then makes the copy on the CPU; a call that PyTorch traces"),
                             (lambda: tcpc.permute(x, (1, 0), stream=3), ValueError, "leave stream out; a call that PyTorch traces")):
        with pytest.raises(kind, match=text):
            call()
