"""The warm path in C, with a framework and a driver of this test's own: what it launches, and when it declines."""
import ctypes
import sys
import threading
from ctypes import POINTER, c_int, c_int32, c_uint, c_uint64, c_void_p

import numpy as np
import pytest

import tcpc
from tcpc import _core, _cuda, _engine, _library, _native, _warm
from tcpc._core import DataType, DlTensor, Exchange

CONTEXT, STREAM, FUNCTION = 0x1234, 0x77, 0x4242
KEY = ("k", None, True)
Managed = type("Managed", (ctypes.Structure,), {"_fields_": [
    ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64), ("tensor", DlTensor)]})
Deleter = ctypes.PYFUNCTYPE(None, POINTER(Managed))


class Tensor:
    requires_grad = conj = neg = read_only = False

    def is_conj(self):
        return self.conj

    def is_neg(self):
        return self.neg

    def __init__(self, shape, strides, address, code=2, bits=32, device=0, kind=2):
        self.shape, self.numbers = tuple(shape), [(ctypes.c_int64 * len(shape))(*x) for x in (shape, strides)]
        self.dl = DlTensor(address, kind, device, len(shape), DataType(code, bits, 1), *self.numbers, 0)


class World:
    """Counts what is made and freed, and keeps the launches."""

    def __init__(self):
        self.recording, self.transform, self.level = True, None, -1
        self.launches, self.freed, self.context, self.refuses, self.address, self.made = [], 0, CONTEXT, 0, 0x200000, []
        self.captures, self.capture_fails = 0, 0
        self.told = []  # of what was written
        self.tensor_of = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, POINTER(DlTensor))(self._tensor_of)
        self.allocate = ctypes.PYFUNCTYPE(c_int, POINTER(DlTensor), POINTER(POINTER(Managed)), c_void_p, c_void_p)(self._allocate)
        self.object_of = ctypes.PYFUNCTYPE(c_int, POINTER(Managed), POINTER(c_void_p))(self._object_of)
        self.stream = ctypes.PYFUNCTYPE(c_int, c_int, c_int32, POINTER(c_void_p))(self._stream)
        self.get_context = ctypes.PYFUNCTYPE(c_int, POINTER(c_void_p))(self._context)
        self.launch = ctypes.PYFUNCTYPE(c_int, c_void_p, *[c_uint] * 7, c_void_p, c_void_p, POINTER(c_void_p))(self._launch)
        self.is_capturing = ctypes.PYFUNCTYPE(c_int, c_void_p, POINTER(c_int))(self._is_capturing)
        self.deleter = Deleter(self._delete)
        at = lambda f: ctypes.cast(f, c_void_p).value
        self.managed_of = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, POINTER(POINTER(Managed)))(self._managed_of)
        self.exchange = Exchange(1, 3, None, at(self.allocate), at(self.managed_of), at(self.object_of), at(self.tensor_of), at(self.stream))
        state = _core.Ask(None, _core.FUNCTION, object=lambda: self.transform), _core.Ask(-1, _core.ITEM, "level", vars(self))
        self.warm = _core.Warm(_core.Framework((Tensor,), ctypes.addressof(self.exchange), lambda: self.recording, self.told.extend, state), self.driver())

    def driver(self):
        return tuple(ctypes.cast(f, c_void_p).value for f in (self.get_context, self.launch, self.is_capturing))

    def _tensor_of(self, x, out):
        if not hasattr(x, "dl"):
            return 1
        out[0] = x.dl
        return 0

    def _allocate(self, prototype, out, context, error):
        p = prototype[0]
        shape = tuple(p.shape[i] for i in range(p.ndim))
        result = Tensor(shape, [0] * len(shape), self.address, p.dtype.code, p.dtype.bits, p.device_id)
        managed = Managed(1, 3, None, ctypes.cast(self.deleter, c_void_p).value, 0, result.dl)
        self.made.append((result, managed))
        out[0] = ctypes.pointer(managed)
        return 0

    def _managed_of(self, x, out):
        if not hasattr(x, "dl"):
            return 1
        self.made.append((x, Managed(1, 3, None, ctypes.cast(self.deleter, c_void_p).value, int(x.read_only), x.dl)))
        out[0] = ctypes.pointer(self.made[-1][1])
        return 0

    def _object_of(self, managed, out):
        at = ctypes.addressof(managed.contents)
        result = next(t for t, m in reversed(self.made) if ctypes.addressof(m) == at)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(result))
        out[0] = id(result)
        return 0

    def _stream(self, kind, device, out):
        out[0] = STREAM + device
        return 0

    def _context(self, out):
        out[0] = self.context
        return 0

    def _launch(self, function, gx, gy, gz, bx, by, bz, shared, stream, params, extra):
        size = ctypes.cast(extra[3], POINTER(ctypes.c_size_t))[0]
        self.launches.append((function, (gx, gy, gz), (bx, by, bz), stream, (c_uint64 * (size // 8)).from_address(extra[1])[:]))
        return self.refuses

    def _is_capturing(self, stream, out):
        assert stream == STREAM
        out[0] = self.captures
        return self.capture_fails

    def _delete(self, managed):
        self.freed += 1


class Backend:
    name, emit, arch = "test", _library.DEVICE, "sm_90"

    def build(self, kernels):
        pass


def loaded(kernel):
    """As a device loads it: the functions of its variants are FUNCTION and the numbers behind it."""
    device, launch = type("Device", (), {"retired": [], "context": c_void_p(CONTEXT)}), kernel.compiled.launch.contents
    code, variants = _cuda.Code(device), [launch.variant[i].contents for i in range(launch.nvariants)]
    code.functions.update({ctypes.addressof(variant): _cuda.function_of(c_void_p(FUNCTION + i), variant) for i, variant in enumerate(variants)})
    return _cuda.Launcher(device, kernel.compiled.launch, code, True)


def used(monkeypatch, warm):
    """As _warm.use does it, where Python has no doors."""
    for name in "_warm", "call", "below", "copy", "early", "early_copy":
        monkeypatch.setattr(_warm, name, warm if name == "_warm" else getattr(warm, name.replace("early_", "").replace("early", "call")))


@pytest.fixture
def world(monkeypatch):
    """With the relayout "a b -> b a" of f32 (96, 160) as it was seen once, from an address 4 bytes past a multiple of 16."""
    w = World()
    w.x, w.y = Tensor((96, 160), (160, 1), 0x100004), Tensor((160, 96), (96, 1), 0x200000)
    w.x_turned = Tensor((96, 160), (1, 96), 0x200000)
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000))
    w.kernel = _engine.Kernel(Backend(), made.request)
    w.kernel.ready = loaded(w.kernel)
    for key in KEY, w.x.shape:
        w.warm.learn(key, w.x, w.y if key == KEY else w.x_turned, made, w.kernel, ())
    used(monkeypatch, w.warm)
    return w


def relayout(x, what="k"):
    """By the key of the relayout that was seen."""
    return _warm.call(x, what, None, None, None)


def test_launch(world):
    y = relayout(world.x)
    assert y is world.made[0][0] and y.shape == (160, 96) and world.freed == 0
    (function, grid, block, stream, arguments), = world.launches
    call, launch = _library.Call(size=ctypes.sizeof(_library.Call)), world.kernel.compiled.launch
    assert _library.library().tcpc_launch_evaluate(launch, (ctypes.c_int64 * 1)(), (c_uint64 * 2)(0x100004, 0x200000), None, ctypes.byref(call)) == 0
    assert function == FUNCTION + launch.contents.nvariants - 1 and grid == tuple(call.grid) and stream == STREAM
    assert block == (call.variant.contents.threads, 1, 1) and arguments[:2] == [0x100004, 0x200000]
    assert relayout(Tensor((96, 160), (160, 1), 0x300014)) is world.made[1][0]  # as far behind a multiple of 16
    assert world.launches[1][4][0] == 0x300014
    assert world.kernel.all_hits() == 2


def test_params(world):
    """Those of a kernel for several extents are among the arguments."""
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100000, 0x200000))
    assert (made.request.extents, made.request.source) == ((160, 96), (1, 160))
    values = [_engine.Affine(*pair) for pair in ((0, 1), (1, 0), (0, 96), (0, 1), (0, 0))]
    kernel = _engine.Kernel(Backend(), made.request, 0, 32, tuple(values))
    kernel.ready = loaded(kernel)
    x = Tensor((96, 160), (160, 1), 0x100000)
    world.warm.learn(("N", None, True), x, world.y, made, kernel, kernel.params(made.request))
    assert relayout(x, "N") is world.made[-1][0]
    assert world.launches[-1][4][:2] == [0x100000, 0x200000] and [n & 0xffffffff for n in world.launches[-1][4][2:]] == [160]


def test_captured(world):
    """The code of a kernel that a graph may have stays loaded; that of others goes with the last who has it."""
    (entry, *_), code = world.kernel.warm.values(), world.kernel.ready.code
    code.library = c_void_p(1)
    relayout(world.x)
    assert not entry.captured
    code.__del__()
    assert [library.value for library in code.device.retired] == [1]
    for captures, fails in (1, 0), (0, 1), (2, 900):  # a capture, what nobody knows, and one that became invalid
        entry.captured, world.captures, world.capture_fails = 0, captures, fails
        relayout(world.x)
        assert entry.captured
        world.captures, world.capture_fails = 0, 0
        relayout(world.x)
        assert entry.captured
    code.__del__()
    assert len(code.device.retired) == 1


OTHERS = {"another key": ("other", (96, 160), (160, 1), 0x100004, {}), "shape": ("k", (96, 161), (160, 1), 0x100004, {}), "strides": ("k", (96, 160), (161, 1), 0x100004, {}),
          "rank": ("k", (96, 160, 1), (160, 1, 1), 0x100004, {}), "address": ("k", (96, 160), (160, 1), 0x100008, {}), "bits": ("k", (96, 160), (160, 1), 0x100004, {"bits": 16}),
          "type": ("k", (96, 160), (160, 1), 0x100004, {"code": 1}), "device": ("k", (96, 160), (160, 1), 0x100004, {"device": 1}), "cpu": ("k", (96, 160), (160, 1), 0x100004, {"kind": 1})}


@pytest.mark.parametrize("what", OTHERS)
def test_what_is_unlike(world, what):
    key, shape, strides, address, more = OTHERS[what]
    assert relayout(Tensor(shape, strides, address, **more), key) is None
    assert not world.launches and not world.made


def test_what_goes_wrong_is_left_to_the_other_way(world):
    assert relayout(5) is None  # no tensor
    world.context = CONTEXT + 1
    assert relayout(world.x) is None and not world.made and not world.launches
    assert not _warm.copy(world.x_turned, world.x) and world.freed == 1 and not world.launches
    world.context, world.address = CONTEXT, 0x200008
    assert relayout(world.x) is None and world.freed == 2 and not world.launches
    world.address, world.refuses = 0x200000, 700
    assert relayout(world.x) is None and world.freed == 3 and len(world.launches) == 1
    assert world.kernel.all_hits() == 0


def test_what_is_learned_again_takes_no_memory(world):
    """As where more shapes alternate than a site has entries."""
    made, others = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000)), [Tensor((96, 160), (160 + i, 1), 0x100004) for i in range(_core.MOST_ENTRIES + 5)]
    for x in others * 3:
        world.warm.learn(KEY, x, world.y, made, world.kernel, ())
        assert relayout(x) is not None
    assert len(world.kernel.warm) == len(world.kernel.ready.code.entries) == len(others) + 1 and world.kernel.all_hits() == 3 * len(others)


def test_the_oldest_entry_goes(world):
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000))
    others = [Tensor((96, 160), (160 + i, 1), 0x100004) for i in range(1, _core.MOST_ENTRIES + 1)]
    for x in others:
        world.warm.learn(KEY, x, world.y, made, world.kernel, ())
    assert relayout(world.x) is None
    assert all(relayout(x) is not None for x in others)


def test_the_oldest_site_goes(world, monkeypatch):
    monkeypatch.setattr(_core, "MOST_SITES", 3)
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000))
    keys = [("a", None, True), ("b", 5, True), ("c", None, True), ("d", None, True), ("e", None, True, "h", 2)]
    for key in keys:
        world.warm.learn(key, world.x, world.y, made, world.kernel, ())
    assert [_warm.call(world.x, key[0], key[1], None, {"h": 2} if key[3:] else None) is not None for key in keys] == [False, False, True, True, True]
    _warm.forget()
    assert [_warm.call(world.x, key[0], key[1], None, {"h": 2} if key[3:] else {}) for key in keys] == [None] * 5


@pytest.mark.parametrize("what", ["requires_grad", "conj", "neg", "transform", "level", "subclass"])
def test_what_is_more_than_its_memory(world, what):
    x, y = Tensor((96, 160), (160, 1), 0x100004), Tensor((96, 160), (1, 96), 0x200000)
    for i in range(2):
        assert (relayout(x) is None) == bool(i)
        assert all((_warm.copy(*pair) is None) == bool(i) for pair in ((world.x_turned, x), (y, world.x)))
        if what == "subclass":
            x, y = (type("Sub", (Tensor,), {})(t.shape, s, t.dl.data) for t, s in ((x, (160, 1)), (y, (1, 96))))
        elif what == "transform":
            world.transform = 1
        elif what == "level":
            world.level = 0
        else:
            setattr(x, what, True), setattr(y, what, True)
    if what == "requires_grad":
        world.recording = False  # as under torch.no_grad()
        assert relayout(x) is not None


def test_copy(world):
    y = Tensor((96, 160), (1, 96), 0x400010)
    assert _warm.copy(y, world.x) and world.told == [y] and world.launches[0][4][:2] == [0x100004, 0x400010] and world.freed == 1
    near = 0x100004 + 96 * 160 * 4  # the first byte behind the source
    for address, right in (near + 12, True), (near - 4, False), (0x100004 - 96 * 160 * 4 - 4, True), (0x100004 - 96 * 160 * 4 + 12, False):
        assert _warm.copy(Tensor((96, 160), (1, 96), address), world.x) is (True if right else None)
    for unlike in (Tensor((96, 160), (160, 1), 0x400010), Tensor((96, 160), (1, 96), 0x400014), Tensor((96, 160), (1, 96), 0x400010, bits=16), Tensor((96, 160), (1, 96), 0x400010, device=1), 5):
        assert not _warm.copy(unlike, world.x) and not _warm.copy(y, unlike)
    y.read_only = True
    assert not _warm.copy(y, world.x)
    assert len(world.launches) == 3 and world.freed == len(world.made)


def test_keys(world):
    """What a call's key has in it: all that the result depends on, but for the tensors."""
    x, turned, out = world.x, world.y, Tensor((160, 96), (96, 1), 0x400000)
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000))
    calls = {("(a b) c -> c (a b)", None, True, "a", 2): lambda **more: tcpc.relayout(x, "(a b) c -> c (a b)", a=2, **more), ((1, 0), None, True): lambda **more: tcpc.permute(x, [1, 0], **more),
             ("... -> ...", None, True): lambda **more: tcpc.contiguous(x, **more)}
    for key, call in calls.items():
        for more in {}, {"out": out}:
            with pytest.raises(TypeError, match="not Tensor"):  # which Python's way does not know
                call(**more)
        world.warm.learn(key, x, turned, made, world.kernel, ())
        assert call() is world.made[-1][0]
        world.warm.learn((*key[:2], False, *key[3:]), x, turned, made, world.kernel, ())
        assert call(out=out) is out and world.told.pop() is out and world.launches[-1][4][:2] == [0x100004, 0x400000]
        with pytest.raises(ValueError, match="out and x share elements"):
            call(out=x)
        for more in {"dtype": 5}, {"backend": "host"}, {"stream": 3}:
            with pytest.raises((TypeError, ValueError)):
                call(**more)
    assert tcpc.copy_(world.x_turned, x) is world.x_turned
    world.warm.learn(((1, 0), None, True), x, turned, made, world.kernel, ())
    for dims in [1, 0], np.array([1, 0]), range(1, -1, -1):
        assert tcpc.permute(x, dims) is world.made[-1][0]
    for dims in np.array([True, False]), np.array([1.0, 0.0]), (True, False), (1.0, 0.0), (1, False):  # equal to (1, 0), but no dimensions
        with pytest.raises(TypeError, match="not Tensor"):
            tcpc.permute(x, dims)
    with pytest.raises(TypeError):
        tcpc.relayout(x, "(a b) c -> c (a b)", a=4)


def test_threads(world):
    """Six call, while one learns and forgets: each result is a tensor of its own, made of the caller's."""
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0x100004, 0x200000))
    results, end = [[] for _ in range(6)], threading.Event()

    def call(i):
        mine = Tensor((96, 160), (160, 1), 0x300004 + 0x100000 * i)
        for _ in range(40):
            y = relayout(mine)
            while y is None and not end.wait(1e-4):
                y = relayout(mine)
            results[i].append(y)

    def learn():
        for k in range(3000):
            if end.wait(1e-4):
                return
            if k % 4 == 0:
                _warm.forget()
            else:
                world.warm.learn(KEY, world.x, world.y, made, world.kernel, ())
        end.set()  # so that nobody waits for ever

    threads = [threading.Thread(target=call, args=(i,)) for i in range(6)]
    learner = threading.Thread(target=learn)
    [t.start() for t in [*threads, learner]]
    [t.join() for t in threads]
    end.set()
    learner.join()
    assert len({id(y) for each in results for y in each}) == 240 and all(y.shape == (160, 96) for each in results for y in each)
    assert world.kernel.all_hits() == len(world.launches) == 240 and world.freed == 0
    assert sorted(arguments[0] for *_, arguments in world.launches) == sorted(0x300004 + 0x100000 * i for i in range(6) for _ in range(40))


def test_structures():
    """They have the sizes that dlpack.h gives them."""
    assert (ctypes.sizeof(DlTensor), ctypes.sizeof(Managed), ctypes.sizeof(Exchange)) == (48, 80, 56)
    assert tcpc.version()


@pytest.fixture(params=["its libraries", "its functions in Python"])
def pytorch(monkeypatch, world, request):
    """PyTorch's own exchange API, with tensors on the CPU, and this test's driver; the relayout "k" is that of (96, 160) to (160, 96).
    What is asked of PyTorch is asked of its libraries, and the result is made by what torch.compile calls, or neither."""
    torch = pytest.importorskip("torch")
    exchange = _core.exchange_of(torch)
    if not exchange:
        pytest.skip("this PyTorch has no exchange API")
    framework = _native.by_python(torch, exchange)
    if request.param == "its libraries":
        framework = _native.framework(torch, exchange, "cpu")
        assert framework.within and framework.empty and framework.reader
        assert {ask.way for ask in (*framework.about_tensor, *framework.about_state)} == {_core.NATIVE, _core.BEHIND, _core.LIST, _core.ITEM}
    warm = _core.Warm(framework, world.driver())
    made = _engine.simplify((160, 96), (4, 640), (384, 4), (4, 4), None, (0, 0))
    kernel = _engine.Kernel(Backend(), made.request)
    kernel.ready = loaded(kernel)
    x, y = torch.randn(96, 160), torch.zeros(160, 96)
    for key in KEY, x.shape:
        warm.learn(key, x, y if key == KEY else y.t(), made, kernel, ())
    used(monkeypatch, warm)
    return torch, x, y, world.launches


def test_tensors_of_pytorch(pytorch):
    torch, x, y, launches = pytorch
    for n in range(1, 4):
        z = relayout(x)
        assert type(z) is torch.Tensor and (z.shape, z.stride(), z.dtype) == ((160, 96), (96, 1), torch.float32)
        assert launches[-1][4][:2] == [x.data_ptr(), z.data_ptr()] and len(launches) == n
    before = y._version
    assert _warm.copy(y.t(), x) is True and launches[-1][4][:2] == [x.data_ptr(), y.data_ptr()] and y._version > before
    assert relayout(torch.nn.Parameter(x, requires_grad=False)) is not None
    with torch.no_grad():
        assert relayout(x.clone().requires_grad_()) is not None
    assert relayout(x.half()) is None and relayout(x.t()) is None and relayout(x[:95]) is None
    before = sys.getrefcount(y.dtype), len(launches)
    for _ in range(50):
        relayout(x)
    assert (sys.getrefcount(y.dtype), len(launches)) == (before[0], before[1] + 50)


def test_tensors_of_pytorch_that_are_more(pytorch):
    torch, x, y, launches = pytorch
    seen = []

    def ask(x):
        seen.append((relayout(x), _warm.copy(y.t(), x), _warm.copy(x, y.t())))
        return x.sum()

    ask(x.clone().requires_grad_())
    ask(torch.complex(x, x).conj().imag)
    ask(x.as_subclass(type("Sub", (torch.Tensor,), {})))
    ask(x.to_sparse())
    torch.vmap(ask)(x[None])
    torch.func.grad(ask)(x)
    torch.func.functionalize(ask)(x)
    torch.func.jvp(ask, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        ask(torch.autograd.forward_ad.make_dual(x, x))
    with torch.utils._python_dispatch.TorchDispatchMode():
        seen.append((relayout(x),))
    with torch.overrides.TorchFunctionMode():
        seen.append((relayout(x),))
    assert len(seen) == 11 and all(z is None for asked in seen for z in asked) and not launches
    assert relayout(x) is not None


def test_versions_that_were_not_tried():
    """Functions of C++ are looked up only in versions of PyTorch in which they were tried."""
    tried = {"2.11.0+cu130": True, "2.15.0a0": True, "2.10.1": False, "2.16.0": False, "3.0": False, "main": False}
    assert {version: _native.is_tried(version) for version in tried} == tried

    class Torch:
        __version__ = "2.16.0"

    assert _native.functions(Torch) == {}


def test_answers_that_differ_are_not_taken(pytorch, monkeypatch):
    """What a library answers is compared, before it is asked for each call."""
    torch = pytorch[0]
    there, tensors = _native.functions(torch), _native.samples(torch)
    within = _native.place(torch, tensors)
    for name, other in ("is_conj", "is_neg"), ("is_neg", "is_conj"):
        asks = _native.about_tensor(tensors, within, {**there, name: there[other]})
        assert [ask.name for ask in asks if not ask.native] == [name]
    exchange = _core.exchange_of(torch)
    assert _native.reader(torch, tensors, within, there, exchange) is not None
    wrong = [{k: v for k, v in there.items() if k != "dtype"}, *[{**there, one: there[other]} for one, other in (("data", "shape"), ("shape", "strides"), ("strides", "shape"), ("rank", "dtype"), ("dtype", "rank"), ("device_type", "dtype"))]]
    assert [_native.reader(torch, tensors, within, w, exchange) for w in wrong] == [None] * 7
    with torch.overrides.TorchFunctionMode():
        assert _native.framework(torch, exchange, "cpu").about_tensor == _core.ABOUT_TENSOR
    monkeypatch.setattr(_native, "place", lambda torch, tensors: 0)
    assert _native.framework(torch, exchange, "cpu").about_tensor == _core.ABOUT_TENSOR
