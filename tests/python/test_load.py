"""Kernels of plans as functions, on the host, and each message of a wrong call."""
import ctypes
import gc
import inspect
import pathlib
import re
import threading
import warnings

import numpy as np
import pytest

import tcpc
from conftest import SEED
from tcpc import _cuda, _library, _load
from test_cuda import Interface

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PLAN = """tcp 1;
import "sizes.tcp";
param N : index in 1 .. 1000;
param K : index in 1 .. 1000;
tensor A : f32 global (2*N, W):(W, 1) align 4;
tensor B : f32 global (W, 2*N):(2*N, 1) align 4;
tensor R : f32 global (W - 1)+(4, W):(W, -1) align 4;
tensor S : f32 global (4, W) align 4;
tensor P : b16 global (K*2):(1) align 2;
tensor Q : b16 global (K*2):(1) align 2;
tensor O : f32 global (K*N):(1) align 4;
tensor V : f32 global (K*N):(1) align 4;
kernel turned(A, out B) threads 32 {
  for i in 0 .. ceil_div(2*N, 32) { copy local_tile(A, (32,W), (i,0)) -> local_tile(select(B, (1,0)), (32,W), (i,0)) with tile(universal(32), thr=(32,1), val=(1,1)); }
}
kernel mirrored(R, out S) threads 32 { copy R -> S with tile(universal(32), thr=(4,W), val=(1,1)); }
kernel bits(P, out Q) threads 32 {
  for i in 0 .. ceil_div(K*2, 32) { copy local_tile(P, (32), (i)) -> local_tile(Q, (32), (i)) with tile(universal(16), thr=(32), val=(1)); }
}
kernel product(O, out V) threads 32 {
  for i in 0 .. ceil_div(K*N, 32) { copy local_tile(O, (32), (i)) -> local_tile(V, (32), (i)) with tile(universal(32), thr=(32), val=(1)); }
}
tensor Y : f32 global (60) align 4;
tensor X : f32 global Sw<2,2,3> o 0 o (60) align 4;
kernel swizzled(Y, out X) threads 32 { for i in 0 .. 2 { copy local_tile(Y, (32), (i)) -> local_tile(X, (32), (i)) with tile(universal(32), thr=(32), val=(1)); } }
kernel planned(A, out B) { copy A -> select(B, (1,0)); }
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plans")
    (folder / "sizes.tcp").write_text("tcp 1;\nconst W = 6;\n")
    (folder / "plan.tcp").write_text(PLAN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tcpc.PlanWarning)
        return tcpc.load(folder / "plan.tcp")


def test_cache_info_has_what_was_loaded(tmp_path):
    gc.collect()  # plans of other tests
    (tmp_path / "one.tcp").write_text("tcp 1; tensor A : f64 global row(3,4) align 8; tensor B : f64 global row(4,3) align 8; kernel turn(A, out B) { copy A -> select(B, (1,0)); }")
    plan, before = tcpc.load(tmp_path / "one.tcp"), len(tcpc.cache_info().loaded)
    for _ in range(3):
        plan.turn(np.ones((3, 4)), np.ones((4, 3)))
    assert str(tcpc.explain(plan)) == str(tcpc.explain(plan.turn)) == str(plan.explain()) and tcpc.draw(plan) == tcpc.draw(plan.turn) == plan.draw("turn")
    for wrong, kind, text in ((lambda: tcpc.load(tmp_path / "one.tcp", arch=90), TypeError, "arch is a text, such as 'sm_90', not 90"),
                              (lambda: tcpc.load(tmp_path / "one.tcp", defines={"T": 1}), tcpc.CompileError, "'T' in defines=: the plan has no constant of this name")):
        with pytest.raises(kind, match=text):
            wrong()
    mine, = (k for k in tcpc.cache_info().loaded if k.path.endswith("one.tcp"))
    assert (mine.name, mine.backend, mine.hits) == ("turn", "host", 3) and mine.plan_ms > 0 and mine.build_ms > 0 and len(tcpc.cache_info().loaded) == before + 1
    tcpc.cache_clear()
    assert len(tcpc.cache_info().loaded) == before + 1 and tcpc.cache_info().kernels == ()  # somebody has it
    del plan
    gc.collect()
    assert len(tcpc.cache_info().loaded) == before


def numbers(*shape, dtype=np.float32):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def test_kernels(plan):
    assert list(plan.kernels) == ["turned", "mirrored", "bits", "product", "swizzled", "planned"] and "turned" in dir(plan) and "turned" in repr(plan)
    assert plan.turned.tensors == ("A", "B") and "N" in plan.turned.params and "out B : f32" in plan.turned.__doc__ and "turned(" in repr(plan.turned)
    for n in 5, 8:
        a, b = numbers(2 * n, 6), np.zeros((6, 2 * n), np.float32)
        assert plan.turned(a, b) is None and np.array_equal(b, a.T)
        b[:] = 0
        plan.turned(B=b, A=a)
        assert np.array_equal(b, a.T)
        b[:] = 0
        plan.planned(a, b)
        assert np.array_equal(b, a.T)
    r, s = numbers(4, 6)[:, ::-1], np.zeros((6, 4), np.float32).T
    plan.mirrored(r, s)
    assert np.array_equal(r, s)
    for dtype in np.uint16, np.float16:
        p, q = numbers(10, dtype=dtype), np.zeros(10, dtype)
        p.flags.writeable = False  # an input only
        plan.bits(p, q)
        assert np.array_equal(p, q)
    o, v = numbers(12), np.zeros(12, np.float32)
    plan.product(o, v, N=3, K=4)
    assert np.array_equal(o, v)


def test_a_wrong_call_compiles_nothing(plan, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tcpc.PlanWarning)
        other = tcpc.load(plan.path, defines={"W": 5})
    monkeypatch.setattr(tcpc._host.HOST, "load", None)
    with pytest.raises(ValueError, match="'A' has 5 elements in dimension 1"):
        other.turned(a, b)


def test_a_launcher_that_fails(plan):
    """Nothing that load() passes on, but it is told."""
    plan.turned(a, b)
    backend, loaded = plan._built[-1]
    parts = [tcpc._host.Part(x.ctypes.data, x.nbytes, 0, x.nbytes, False) for x in (a, b)]
    with pytest.raises(RuntimeError, match="the launch failed: turned: 'N' = 1001"):
        backend.call((loaded, loaded["turned_launch"]), [1001], parts)


def test_threads(plan):
    """One plan, its first calls at the same time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tcpc.PlanWarning)
        other, found = tcpc.load(plan.path, defines={"W": 4}), []

    def work(n):
        x, y = numbers(2 * n, 4), np.zeros((4, 2 * n), np.float32)
        (other.turned if n % 2 else other.planned)(x, y)
        found.append(np.array_equal(y, x.T))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert found == [True] * 8


def test_what_a_loaded_plan_tells(plan):
    told = plan.explain("turned")
    assert told.kernels[0].name == "turned" and "plan.tcp" in str(told) and len(plan.explain().kernels) == len(plan.kernels)
    assert plan.draw("turned")._repr_svg_().startswith("<svg") and plan.turned.explain() == told and plan.turned._repr_svg_() == plan.draw("turned").svg
    with pytest.raises(tcpc.CompileError, match="nonsense"):
        plan.draw("nonsense")


def side(rng, extents):
    """Extents and strides of a tensor in any order of memory, some with gaps; one extent is "N"."""
    strides, span = [""] * len(extents), "1"
    for m in rng.permutation(len(extents)):
        strides[m] = span
        span += f"*{extents[m]}" + (f"*{rng.integers(2, 4)}" if rng.random() < .2 else "")
    return extents, strides


def array_of(rng, extents, strides, n):
    shape, steps = [eval(e, {"N": n}) for e in extents], [eval(s, {"N": n}) for s in strides]
    room = 1 + sum(step * (extent - 1) for extent, step in zip(shape, steps))
    return np.lib.stride_tricks.as_strided(rng.integers(0, 2**16, room).astype(np.uint16), shape, [2 * step for step in steps])


def unlike(rng, x):
    """Another type, extent, stride, rank or order than that of "x", in memory of its own."""
    shape, strides, wide = list(x.shape), list(x.strides), [m for m, n in enumerate(x.shape) if n > 1]
    kind, m = int(rng.integers(5)), int(rng.integers(x.ndim))
    if kind == 0:
        return x.astype(np.uint32)
    if kind == 1 and wide:
        strides[rng.choice(wide)] += 2
    elif kind == 2 and len(wide) > 1 and len({(shape[w], strides[w]) for w in wide[:2]}) > 1:
        shape[wide[0]], shape[wide[1]], strides[wide[0]], strides[wide[1]] = shape[wide[1]], shape[wide[0]], strides[wide[1]], strides[wide[0]]
    elif kind == 3:
        shape, strides = [*shape, 1], [*strides, 2]
    else:
        shape[m] += 1
    room = 1 + sum(step * (n - 1) for step, n in zip(strides, shape)) // 2
    return np.lib.stride_tricks.as_strided(np.zeros(room, np.uint16), shape, strides)


def test_planned_kernels(tmp_path):
    """Of random planned copies, the modes are those of the plan, whatever the planner makes of them, and the param is found."""
    rng, text, cases = np.random.default_rng(SEED), "tcp 1;\nparam N : index in 1 .. 100;\n", []
    for i in range(12):
        rank = int(rng.integers(1, 5))
        order = [int(m) for m in rng.permutation(rank)]
        extents = [str(rng.integers(1, [0, 60, 12, 7, 5][rank])) for _ in order]
        extents[rng.integers(rank)] = "N"
        sides = side(rng, extents), side(rng, [extents[m] for m in order])
        for name, (shape, strides) in zip("AB", sides):
            text += f"tensor {name}{i} : b16 global ({','.join(shape)}):({','.join(strides)});\n"
        back = ",".join(str(order.index(m)) for m in range(rank))
        part, whole = ("", "out ") if i % 3 else (f", ({'0 .. 1,' * rank})".replace(",)", ")"), "inout ")
        heads = [f"A{i}", f"{whole}B{i}"][::1 if i % 2 else -1]
        text += f"kernel k{i}({', '.join(heads)}) {{ copy A{i}{part[2:]} -> select(B{i}, ({back})){part[2:]}; }}\n"
        cases.append((sides, order, bool(part)))
    (tmp_path / "plan.tcp").write_text(text)
    plan = tcpc.load(tmp_path / "plan.tcp")
    for i, (sides, order, part) in enumerate(cases):
        for n in 1, int(rng.integers(2, 9)):
            a, b = (array_of(rng, *each, n) for each in sides)
            expected = a.transpose(order) if not part else b.copy()
            if part:
                expected[(0,) * b.ndim] = a[(0,) * a.ndim]
            plan.kernels[f"k{i}"](**{f"A{i}": a, f"B{i}": b})
            assert np.array_equal(b, expected), (i, n, text)
            for _ in range(4):  # what the plan does not declare is refused, and nothing is written
                k = int(rng.integers(2))
                other = unlike(rng, (a, b)[k])
                with pytest.raises((TypeError, ValueError), match=f"'[AB]{i}' "):
                    plan.kernels[f"k{i}"](*((a, other) if k else (other, b))[::1 if i % 2 else -1], **({"N": n} if rng.random() < .5 else {}))
            assert np.array_equal(b, expected)


def test_defines_and_another_folder(plan, tmp_path, monkeypatch):
    wide = tcpc.load(plan.path, defines={"W": 3}, arch="sm_90")
    a, b = numbers(4, 3), np.zeros((3, 4), np.float32)
    wide.turned(a, b)
    assert np.array_equal(b, a.T)
    monkeypatch.chdir(EXAMPLES)
    loaded = tcpc.load("parallel_copy/parallel_copy.tcp")
    src, result = numbers(8, 16).T, np.zeros((8, 16), np.float32).T
    loaded.parallel_copy(src, result)
    assert np.array_equal(src, result)


a, b = numbers(8, 6), np.zeros((6, 8), np.float32)
locked = b.copy()
locked.flags.writeable = False
WRONG = [
    (lambda p: p.nonsense, AttributeError, "the plan has no kernel 'nonsense'; it has turned, mirrored"),
    (lambda p: p.turned(a), TypeError, "kernel 'turned' needs an array for 'B'"),
    (lambda p: p.turned(a, b, a), TypeError, "kernel 'turned' has 2 tensors, but 3 arrays are given"),
    (lambda p: p.turned(a, b, A=a), TypeError, "'A' is given twice"),
    (lambda p: p.turned(a, b, X=1), TypeError, "kernel 'turned' has no tensor or param 'X'; it has A, B"),
    (lambda p: p.turned(a, b, N=1.5), TypeError, "param 'N' is an integer, not 1.5"),
    (lambda p: p.turned(a, b, N=5), ValueError, r"'A' has 10 elements in dimension 0, 2\*N in the plan, but the array has 8; N = 5 is from the call"),
    (lambda p: p.turned(numbers(7, 6), b), ValueError, r"'A' has 7 elements in dimension 0, which is no multiple of 2: the plan has 2\*N"),
    (lambda p: p.turned(a[:, :5], b), ValueError, "'A' has 6 elements in dimension 1, 6 in the plan, but the array has 5"),
    (lambda p: p.turned(a.T.copy().T, b), ValueError, "'A' has stride 6 in dimension 0, 6 in the plan, but the array has 1"),
    (lambda p: p.turned(np.zeros((8, 50), np.uint8)[:, :48].reshape(8, 48)[:, :24].view(np.float32), b), ValueError, "has elements of 4 bytes in the array, but a stride that is no multiple of it"),
    (lambda p: p.turned(a[0], b), ValueError, "'A' has 2 modes in the plan, .*, but the array has 1 dimensions"),
    (lambda p: p.turned(a.astype(np.int32), b), TypeError, "'A' is of type f32 in the plan, but the array has int32; convert with .astype[(]np.float32[)], or declare A : s32, which then converts in the copy"),
    (lambda p: p.bits(np.zeros(4, np.int8), np.zeros(4, np.int16)), TypeError, "'P' is of type b16 in the plan, but the array has int8$"),
    (lambda p: p.turned(a, locked), ValueError, "'B' is written by the kernel, but the array is read-only"),
    (lambda p: p.product(numbers(12), numbers(12), N=3), TypeError, "kernel 'product' needs K=, which no extent and no stride gives"),
    (lambda p: p.turned(numbers(2002, 6), np.zeros((6, 2002), np.float32)), ValueError, "turned: 'N' = 1001 must be in 1 .. 1000"),
    (lambda p: p.turned(a, np.ndarray((6, 8), np.float32, np.zeros(50, np.float32), 2)), ValueError, "turned: .*'B'.* 4"),
    (lambda p: p.turned(a, a.reshape(6, 8)), ValueError, "turned: the address ranges of 'A' and 'B' overlap"),
    (lambda p: p.planned(a, b, N=1 << 62), OverflowError, r"2\*N does not fit 64 bits"),
    (lambda p: p.planned(a, b, N=1 << 63), OverflowError, "kernel 'planned': param 'N' does not fit 64 bits: 9223372036854775808"),
    (lambda p: p.swizzled(numbers(60), np.zeros(60, np.float32)), ValueError, "kernel 'swizzled': 'X' has a swizzle, which reaches 16 bytes behind the array's last element"),
    (lambda p: p.planned(a, b, N=3), ValueError, r"'A' has 6 elements in dimension 0, 2\*N in the plan, but the array has 8"),
    (lambda p: p.planned(a, np.zeros((6, 9), np.float32)[:, :8]), ValueError, r"'B' has stride 8 in dimension 0, 2\*N in the plan, but the array has 9"),
    (lambda p: p.planned(b, a), ValueError, "'A' has 6 elements in dimension 1, 6 in the plan, but the array has 8"),
    (lambda p: tcpc.load(p.path.parent / "none.tcp"), OSError, "none.tcp"),
    (lambda p: tcpc.load(p.path, defines={"NONE": 3}), tcpc.CompileError, "NONE"),
    (lambda p: tcpc.load(p.path, arch="sm_1"), tcpc.CompileError, "sm_1"),
]


@pytest.mark.parametrize("call,kind,text", WRONG, ids=[text[:40] for _, _, text in WRONG])
def test_wrong(plan, call, kind, text):
    with pytest.raises(kind, match=text):
        call(plan)


def test_calls_like_one_before(plan, monkeypatch):
    """What was checked once is not checked again, but for the addresses; what differs is."""
    gpu = Gpu()
    monkeypatch.setattr("tcpc._load._backend", lambda *_: gpu)
    monkeypatch.setattr(plan, "_built", {})
    monkeypatch.setattr("tcpc._load.MOST_KNOWN", 2)
    checked = []
    monkeypatch.setattr("tcpc._load._check", lambda *args, check=_load._check: checked.append(args) or check(*args))

    def call(x, y, n=0, **more):
        before = len(checked)
        plan.mirrored(Interface(shape=(4, 6), strides=(24, -4), data=(x, False)), Interface(shape=(4, 6), strides=(4, 16), data=(y, False)), **more)
        assert gpu.cuda.launches[-1][4][:2] == [x - 20, y] and len(checked) == before + n

    call(0x1014, 0x2000, 2)
    call(0x3014, 0x4000)
    with pytest.raises(ValueError, match="overlap"):
        call(0x1014, 0x1000)
    x, y = Interface(shape=(10, 6), data=(0x1000, False)), Interface(shape=(6, 10), data=(0x2000, False))
    plan.turned(x, y, N=5)
    for wrong, kind in (True, TypeError), (5.0, TypeError), (4, ValueError):
        with pytest.raises(kind):
            plan.turned(x, y, N=wrong)
    with pytest.raises(ValueError, match="read-only"):
        plan.turned(x, Interface(shape=(6, 10), data=(0x2000, True)), N=5)
    plan.turned(x, y)
    plan.turned(x, Interface(shape=(6, 10), data=(0x8000, False)))
    assert len(plan.turned._known) == 2
    plan.turned(Interface(shape=(12, 6), data=(0x1000, False)), Interface(shape=(6, 12), data=(0x2000, False)))
    assert len(plan.turned._known) == 1  # what is remembered is bounded
    with pytest.raises(TypeError, match="type"):
        plan.turned(x, Interface(shape=(6, 10), typestr="<i4", data=(0x2000, False)))


def test_between_devices(tmp_path):
    """A loaded plan launches on one device."""
    plan = tmp_path / "mesh.tcp"
    plan.write_text("tcp 1;\nmesh g (4);\ntensor A : f32 global row(m=8, n=8) over (g: m);\ntensor B : f32 global row(m=8, n=8) over (g: n);\nkernel k(A, out B) { copy A -> B; }\n")
    with pytest.raises(NotImplementedError, match="kernel 'k' is launched by all devices of a mesh; tcpc.reshard makes such a copy, and so does its launcher in C"):
        tcpc.load(plan).k(np.zeros((2, 8), np.float32), np.zeros((8, 2), np.float32))


class Driver:
    """Takes launches, and keeps what they were given."""

    def __init__(self):
        self.launches = []

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream, each, extra):
        assert (each is None) != (extra is None)
        if each is None:
            at, size = extra[1], ctypes.cast(extra[3], ctypes.POINTER(ctypes.c_size_t))[0]
        else:  # the last one is a map
            at, size = each[0], each[len(each) - 1] - each[0] + 128
        self.launches.append((function.value, (gx, gy, gz), bx, stream, (ctypes.c_uint64 * (-(-size // 8))).from_address(at)[:]))
        return 0


class Gpu:
    """A GPU without one: its code is numbers from 100 on."""

    def __init__(self):
        self.cuda, self.loads, self.followed = Driver(), [], []

    def load(self, text, launches, folder):
        self.loads.append((text, folder))
        code = _cuda.Code(self)
        for launch in launches:
            for variant in [launch.contents.variant[i].contents for i in range(launch.contents.nvariants)]:
                code.functions[ctypes.addressof(variant)] = _cuda.function_of(ctypes.c_void_p(100 + len(code.functions)), variant)
        code.note = lambda stream: None
        return code

    def stream(self, array):
        return 7

    def follow(self, array, stream):
        self.followed.append((array.address, stream))

    def _within(self, work):
        work()


def test_on_a_gpu(plan, monkeypatch):
    """What is launched, and where: the pointers are the arrays' lowest addresses, then come the params."""
    gpu = Gpu()
    monkeypatch.setattr("tcpc._load._backend", lambda *_: gpu)
    monkeypatch.setattr(plan, "_built", {})
    x, y = Interface(shape=(10, 6), data=(0x1000, True)), Interface(shape=(6, 10), data=(0x2000, False))
    plan.turned(x, y)
    plan.turned(B=y, A=x, N=5, stream=9)
    mirrored = Interface(shape=(4, 6), strides=(24, -4), data=(0x1014, False))
    plan.mirrored(mirrored, y := Interface(shape=(4, 6), strides=(4, 16), data=(0x2000, False)))
    assert len(gpu.loads) == 1 and 'extern "C" __global__' in gpu.loads[0][0] and gpu.loads[0][1] == str(plan.path.parent)
    (function, grid, threads, stream, arguments), again, third = gpu.cuda.launches
    assert (function, grid, threads, stream, arguments[:2]) == (100, (1, 1, 1), 32, 7, [0x1000, 0x2000]) and arguments[2] & 0xffffffff == 5
    assert gpu.followed[:4] == [(0x1000, 7), (0x2000, 7), (0x1000, 9), (0x2000, 9)]
    assert again[3] == 9 and again[4] == arguments and third[0] == 101 and third[4][:2] == [0x1000, 0x2000]
    with pytest.raises(ValueError, match="'B' is written by the kernel, but the array is read-only"):
        plan.turned(x, Interface(shape=(6, 10), data=(0x2000, True)))
    with pytest.raises(ValueError, match="overlap"):
        plan.turned(x, Interface(shape=(6, 10), data=(0x1008, False)))
    assert len(gpu.cuda.launches) == 3


def test_two_devices(plan):
    with pytest.raises(ValueError, match="kernel 'turned': 'A' and 'B' are on two devices"):
        plan.turned(a, Interface())


def test_a_wrong_plan(tmp_path):
    (tmp_path / "plan.tcp").write_text(PLAN.replace('import "sizes.tcp";', "const W = 6;").replace("copy R -> S", "copy RR -> S"))
    with pytest.raises(tcpc.CompileError) as error:
        tcpc.load(tmp_path / "plan.tcp")
    assert error.value.file == "plan.tcp" and error.value.line == 16 and "plan.tcp:16:" in str(error.value)


def test_a_warning_of_the_plan(tmp_path):
    text = "tcp 1;\ntensor A : f32 global (64):(1) align 4;\ntensor B : f32 global (64):(1) align 4;\nconst N = 64;\nkernel copied(A, out B) { copy A -> B; }\n"
    (tmp_path / "plan.tcp").write_text(text)
    with pytest.warns(tcpc.PlanWarning, match="plan.tcp:4:7: .*'N'"):
        tcpc.load(tmp_path / "plan.tcp")
    (tmp_path / "plan.tcp").write_text(text.replace("const N = 64;", ""))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tcpc.load(tmp_path / "plan.tcp")


def test_the_page(tmp_path):
    """The plan in docs/python.md."""
    page = (EXAMPLES.parent / "docs" / "python.md").read_text()
    (tmp_path / "scale.tcp").write_text(re.search(r"^```tcp file scale.tcp\n(.*?)^```", page, re.M | re.S)[1])
    x, y = numbers(48, 8), np.zeros((48, 8), np.float16)
    tcpc.load(tmp_path / "scale.tcp").narrow(x, y)
    assert np.array_equal(y, x.astype(np.float16))


def test_the_help(tmp_path):
    """The plan in the help, and explain() of a kernel with params."""
    text = re.search(r"tcp 1;.*?}", tcpc.load.__doc__, re.S)[0]
    (tmp_path / "transpose.tcp").write_text(text)
    plan = tcpc.load(tmp_path / "transpose.tcp")
    assert type(plan) is tcpc.LoadedPlan and "LoadedPlan" in str(inspect.signature(tcpc.load))
    a, b = numbers(5, 64), np.zeros((64, 9), np.float32)
    plan.transpose(a, b[:, :5])
    assert np.array_equal(b[:, :5], a.T) and not b[:, 5:].any()
    params = {"N": 640, "ld": 704}
    assert plan.transpose.explain(params=params).text == plan.explain("transpose", params=params).text != plan.transpose.explain().text


def test_a_param_that_is_a_stride(tmp_path, monkeypatch, capsys):
    (tmp_path / "pad.tcp").write_text("tcp 1; param N : index in 1 .. 64; param ld : index in 8 .. 64; tensor A : f32 global row(N,8) align 4; "
                                      "tensor B : f32 global (N,8):(ld,1) align 4; kernel pad(A, out B) { copy A -> B; }")
    pad = tcpc.load(tmp_path / "pad.tcp").pad
    assert "N=found, ld=found" in repr(pad)
    monkeypatch.setenv("TCPC_LOG", "1")
    padded = np.zeros((4, 11), np.float32)
    source = np.arange(32, dtype=np.float32).reshape(4, 8)
    pad(source, padded[:, :8])
    assert np.array_equal(padded[:, :8], source) and not padded[:, 8:].any()
    assert "tcpc: host: pad.tcp: pad: built in" in capsys.readouterr().err  # and not a second time
    pad(source, padded[:, :8])
    assert capsys.readouterr().err == ""
    with pytest.raises(ValueError, match="'B' has 4 elements in dimension 0, N in the plan, but the array has 3; N = 4, from 'A'"):
        pad(source, padded[:3, :8])
    with pytest.raises(ValueError, match="'B' has stride 9 in dimension 0, ld in the plan, but the array has 11; ld = 9 is from the call"):
        pad(source, padded[:, :8], ld=9)
    with pytest.raises(TypeError, match="needs ld=, which no extent and no stride gives"):  # one row has no stride
        pad(source[:1], padded[:1, :8])
    pad(source[:1], padded[1:2, :8], ld=11)
    assert np.array_equal(padded[1, :8], source[0])
