"""Tuning without a GPU: which candidates are compiled, which one is taken, and what later processes find on the disk."""
import ctypes

import numpy as np
import pytest

import tcpc
from tcpc import _api, _choices, _cuda, _disk, _engine, _tune
from test_cuda import REQUEST, Interface


class Backend:
    emit, arch, number = _cuda.DEVICE, "sm_90", 90

    def __init__(self, model="one GPU", captured=0):
        self.model = self.name = model
        self.captured = captured

    def build(self, kernels):
        for kernel in kernels:
            kernel.ready = object()

    def stream(self, array):
        return 0

    def _within(self, work):
        work()

    def _call(self, name, stream, state):
        assert name == "cuStreamIsCapturing"
        ctypes.cast(state, ctypes.POINTER(ctypes.c_int))[0] = self.captured


@pytest.fixture
def made(monkeypatch, tmp_path):
    """The engine with an empty disk, and what was compiled to code."""
    monkeypatch.setenv("TCPC_CACHE", str(tmp_path))
    texts = []
    monkeypatch.setattr(_tune, "compile_cubin", lambda text, number: texts.append(text))
    _engine.engine.clear()
    yield texts
    _engine.engine.clear()


def test_what_is_kept(made, tmp_path):
    """For one model of a GPU and one request, until it is taken back; a damaged file is as good as none."""
    one, choice = Backend(), _choices.Choice(3, "tile 8x8")
    other = REQUEST._replace(extents=(96, 161))
    assert _choices.of(one, REQUEST) is None
    _choices.keep(one, REQUEST, choice)
    _choices.forget()
    assert [_choices.of(b, r) for b, r in ((one, REQUEST), (Backend(), REQUEST), (Backend("another"), REQUEST), (one, other))] == [choice, choice, None, None]
    assert _choices.of(_api._backend("host", _tune.describe(np.zeros(3))), REQUEST) is None
    file, = tmp_path.rglob("*.json")
    for wrong in b"", b"nonsense", b"[3]", b'{"number": "x", "how": 1}', b'{"how": "tile 8x8"}':
        _disk.write(file, wrong)
        _choices.forget()
        assert _choices.of(one, REQUEST) is None, wrong
    _choices.keep(one, REQUEST, None)
    assert not list(tmp_path.rglob("*.json"))
    _choices.keep(one, REQUEST, None)  # there is none any more


def test_the_known_are_bounded(made, monkeypatch):
    monkeypatch.setattr(_choices, "MOST_KNOWN", 3)
    for i in range(2, 12):
        _choices.of(Backend(), REQUEST._replace(extents=(i, 160)))
        assert len(_choices._known) <= 3


def test_a_new_process_takes_the_choice(made):
    """Over kernels of params too; and not a candidate of this number that is another one."""
    engine, one = _engine.engine, Backend()
    hows = [_engine.Kernel(one, REQUEST, candidate=i).compiled.how for i in range(3)]
    assert len(set(hows)) == 3
    for extent in 96, 98, 100:  # the third is a param
        params = engine.make(one, _engine.Request(("b16", "b16"), (extent, 160), (1, extent), (160, 1), 0, (16, 16)))
    assert params.divisor and engine.find(one, REQUEST._replace(extents=(102, 160), source=(1, 102))) is params
    engine.exact.clear()
    assert engine.find(one, REQUEST) is params
    _choices.keep(one, REQUEST, _choices.Choice(2, hows[2]))
    kernel = engine.kernel(one, REQUEST)
    assert kernel.compiled.how == hows[2] and not kernel.divisor and engine.kernel(one, REQUEST) is kernel
    engine.clear()
    for wrong in _choices.Choice(2, hows[1]), _choices.Choice(63, hows[2]):
        _choices.keep(one, REQUEST, wrong)
        assert engine.make(one, REQUEST).compiled.how == hows[0] and _choices.of(one, REQUEST) is None


def test_the_candidates(made, monkeypatch):
    """Each once, whatever number stands for another one; those that are refused are left out."""
    copy = _engine.Copy(REQUEST, (0, 0), (96 * 160 * 2,) * 2)
    found = _tune._candidates(Backend(), copy, 4)
    assert [number for number, _ in found] == [0, 1, 2, 3] and len({k.compiled.how for _, k in found}) == 4 and all(k.ready for _, k in found)
    assert sorted(made) == sorted(k.compiled.output for _, k in found)
    real = _engine.Kernel

    def some(backend, request, candidate=0):
        if candidate == 2:
            raise tcpc.CompileError("refused")
        return real(backend, request, candidate=max(candidate, 1))

    monkeypatch.setattr(_tune, "Kernel", some)
    assert [number for number, _ in _tune._candidates(Backend(), copy, 4)] == [0, 3]
    monkeypatch.setattr(_tune, "Kernel", lambda *given, **named: some(*given, candidate=2))
    with pytest.raises(tcpc.CompileError, match="refused"):
        _tune._candidates(Backend(), copy, 1)


def test_which_is_the_fastest():
    """The planner's stays unless another one is over 0.5 % faster."""
    for times, best in ([10, 9.96, 11], 0), ([10, 9.94, 11], 1), ([10, 9.85, 9.8, 9.9], 2), ([10], 0), ([10, 12], 0):
        assert _tune.chosen([_tune.Candidate(i, us, 1.0, "") for i, us in enumerate(times)]).number == best


def test_pairs(monkeypatch):
    """At least 512 MB take turns, at the alignments of the arrays, and no two of them meet."""
    monkeypatch.setattr(_tune, "empty", lambda like, shape, dtype: Interface(shape=shape, typestr="|u1", data=(0x7f0000000100 + 48, False)))
    monkeypatch.setattr(_tune._types, "of", lambda like, dtype: None)
    for sizes, count in ((3000, 5000), 64), ((100 << 20, 100 << 20), 3), ((1 << 30, 1 << 30), 1):
        pairs = _tune._Pairs(None, _engine.Copy(REQUEST, (0, 0), sizes), (0x1002, 0x2010))
        assert pairs.count == count == len(pairs.addresses)
        for side, (size, shift) in enumerate(zip(sizes, (2, 16))):
            begins = [pair[side] for pair in pairs.addresses]
            room = tcpc._arrays.describe(pairs.rooms[side])
            assert all(b % 256 == shift for b in begins) and all(b - a >= size for a, b in zip(begins, begins[1:]))
            assert room.address <= begins[0] and begins[-1] + size <= room.address + room.shape[0]


def test_a_call(made, monkeypatch, tmp_path):
    """The kernel that was the fastest makes the copies that come, and with one candidate the planner's does again."""
    one, x = Backend(), Interface(shape=(96, 160), typestr="<f4")
    monkeypatch.setattr(_api, "_backend", lambda name, array: one)
    monkeypatch.setattr(_tune, "_Pairs", lambda source, made, first: None)
    monkeypatch.setattr(_tune, "_times", lambda device, kernels, pairs: [50.0 - 5 * i for i in range(len(kernels))])
    out = Interface(shape=(160, 96), typestr="<f4", data=(0x100000, False))
    tuned = tcpc.tune(x, "a b -> b a", out=out, candidates=4)
    assert tuned.chosen == 3 and [row.us for row in tuned.rows] == [50, 45, 40, 35] and tuned.rows[3].gb_s == pytest.approx(8 * 96 * 160 / 35e3)
    assert str(tuned).splitlines()[4].startswith("*  3        35.0 us         4 GB/s  ") and "*" not in str(tuned).splitlines()[1]
    kernel, = _engine.engine.exact.values()
    assert kernel.compiled.how == tuned.rows[3].how and _choices.of(one, kernel.request).number == 3
    again = tcpc.tune(x, (1, 0), out=out, candidates=1)
    kernel, = _engine.engine.exact.values()
    assert again.chosen == 0 and kernel.compiled.how == tuned.rows[0].how and not list(tmp_path.rglob("*.json"))
    monkeypatch.setattr(_api, "_backend", lambda name, array: Backend(captured=1))
    with pytest.raises(RuntimeError, match="tune[(][)] waits for the GPU, so its stream cannot be captured"):
        tcpc.tune(x, "a b -> b a", out=out)


WRONG = [
    (lambda: tcpc.tune(np.zeros((2, 3)), "a b -> b a"), "tune[(][)] is for arrays on a GPU; on the CPU tcpc.relayout is the framework's own copy"),
    (lambda: tcpc.tune(Interface(shape=(0, 6)), "a b -> b a"), r"the array has no elements: \(0, 6\)"),
    (lambda: tcpc.tune(Interface(), "a b -> a b", out=Interface()), "nothing is copied: each element is where it has to be"),
    *[(lambda n=n: tcpc.tune(Interface(), "a b -> b a", candidates=n), r"candidates is an integer in 1 \.\. 64, not") for n in (0, 65, True, 2.5)]]


def test_what_is_refused():
    for call, text in WRONG:
        with pytest.raises(ValueError, match=text):
            call()
