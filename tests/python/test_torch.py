"""With PyTorch, if it is installed: what it records, transforms and traces. On the GPU if there is one, else by the host run."""
import importlib
import math
import random

import pytest

torch = pytest.importorskip("torch")

import torch._dynamo.testing

import tcpc
from tcpc import _api, _torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FORWARD_AD = torch.autograd.forward_ad


@pytest.fixture(autouse=True)
def kernels(monkeypatch):
    """Tensors on the CPU are copied by kernels too."""
    own = _api._backend
    monkeypatch.setattr(_api, "_backend", lambda name, array: own("host" if DEVICE == "cpu" and name is None else name, array))
    torch.manual_seed(1)


def numbers(*shape, dtype=torch.float64, grad=False):
    return torch.randn(shape, dtype=dtype, device=DEVICE, requires_grad=grad)


PAIRS = [
    ((2, 5, 12), lambda x: tcpc.relayout(x, "b s (h d) -> b h s d", h=3), lambda x: x.view(2, 5, 3, 4).permute(0, 2, 1, 3).contiguous()),
    ((2, 5, 12), lambda x: tcpc.relayout(x, "b s (h d) -> (b h) d s", d=4), lambda x: x.view(2, 5, 3, 4).permute(0, 2, 3, 1).reshape(6, 4, 5)),
    ((3, 4, 2), lambda x: tcpc.relayout(x, "a ... -> (...) 1 a"), lambda x: x.permute(1, 2, 0).reshape(8, 1, 3)),
    ((3, 4), lambda x: tcpc.permute(x, (-1, 0)), lambda x: x.t().contiguous()),
    ((3, 4), lambda x: tcpc.contiguous(x.t()), lambda x: x.t().clone(memory_format=torch.contiguous_format)),
    ((3, 4), lambda x: tcpc.permute(x, (1, 0), dtype=torch.float32), lambda x: x.t().float().contiguous()),
    ((), lambda x: tcpc.relayout(x, " -> 1 1"), lambda x: x.view(1, 1)),
    ((0, 4), lambda x: tcpc.permute(x, (1, 0)), lambda x: x.t().contiguous()),
]
SHOWN = pytest.mark.parametrize("shape,ours,theirs", PAIRS)


@SHOWN
def test_gradients(shape, ours, theirs):
    x = numbers(*shape, grad=True)
    y, z = ours(x), theirs(x)
    assert torch.equal(y, z) and y.is_contiguous() and y.requires_grad
    g = torch.randn_like(y)
    assert torch.equal(torch.autograd.grad(y, x, g)[0], torch.autograd.grad(z, x, g)[0])
    if y.dtype == torch.float64 and x.numel():
        assert torch.autograd.gradcheck(ours, (x,)) and torch.autograd.gradgradcheck(ours, (x,))
    with torch.no_grad():
        assert not ours(x).requires_grad
    with FORWARD_AD.dual_level():
        dual = FORWARD_AD.make_dual(x.detach(), torch.ones_like(x) * 3)
        tangent = FORWARD_AD.unpack_dual(ours(dual)).tangent
        assert torch.equal(tangent, torch.full_like(y, 3)) and tangent.shape == y.shape


@SHOWN
def test_transforms(shape, ours, theirs):
    x, batch = numbers(*shape), numbers(2, *shape, 3)
    for transform in torch.func.jacrev, torch.func.jacfwd:
        assert torch.equal(transform(lambda t: ours(t).pow(2))(x), transform(lambda t: theirs(t).pow(2))(x))
    twice = lambda f: torch.vmap(torch.vmap(f, in_dims=-1, out_dims=1))(batch)
    assert torch.equal(twice(ours), twice(theirs))
    each = lambda f: torch.vmap(torch.func.grad(lambda t: f(t).pow(3).sum()))(batch[..., 0])
    assert torch.equal(each(ours), each(theirs))


def test_copies_are_recorded():
    x, d = numbers(2, 5, 12, grad=True), numbers(5, 2, 12, grad=True)
    e = d * 2
    assert tcpc.copy_(e, x.permute(1, 0, 2)) is e
    e.pow(2).sum().backward()
    assert torch.equal(x.grad, 2 * x) and not d.grad.any()
    wide = d * 1
    tcpc.permute(x, (1, 2, 0), out=wide.view(5, 12, 2))  # of a view, to its base
    wide.sum().backward()
    assert torch.equal(x.grad, 2 * x + 1)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        tcpc.copy_(d, x.permute(1, 0, 2))
    assert torch.autograd.gradcheck(lambda a, b: tcpc.copy_(a * 1, b.t()), (numbers(4, 3, grad=True), numbers(3, 4, grad=True)))


def test_what_was_kept_for_a_gradient_is_not_overwritten_in_silence(tmp_path):
    w, x, v = numbers(4, 3, grad=True), numbers(4, 3), numbers(3, 4)
    (tmp_path / "plan.tcp").write_text("tcp 1; tensor A : f64 global row(3,4) align 8; tensor B : f64 global row(4,3) align 8; kernel turn(A, out B) { copy A -> select(B, (1,0)); }")
    turn, plan = tcpc.load(tmp_path / "plan.tcp").turn, tcpc.plan(v, "a b -> b a", out=x)
    for write in (lambda: tcpc.copy_(x, numbers(4, 3)), lambda: tcpc.permute(v, (1, 0), out=x), lambda: turn(v, x), lambda: plan(v, out=x)):
        y = (w * x).sum()
        write()
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            y.backward()


def test_copies_in_batches():
    def write(out, x):
        out = out.clone()
        return tcpc.copy_(out, x.t())

    out, x = numbers(5, 4, 3), numbers(3, 5, 4)
    assert torch.equal(torch.vmap(write, (0, 1))(out, x), x.permute(1, 2, 0))
    assert torch.equal(torch.vmap(write, (0, None))(out, x[:, 0]), x[:, 0].t().expand(5, 4, 3))
    with pytest.raises(RuntimeError, match="vmap: the elements of a batch cannot all be written to one tensor"):
        torch.vmap(lambda x: tcpc.copy_(out[0], x.t()), 1)(x)
    assert torch.equal(torch.func.grad(lambda x: write(out[0], x).pow(2).sum())(x[:, 0]), 2 * x[:, 0])


@pytest.mark.parametrize("dtype", [None, torch.float32])
def test_opcheck(dtype):
    for x in numbers(2, 5, 12), numbers(2, 5, 12, grad=True), numbers(12, 5, 2).permute(2, 1, 0):
        torch.library.opcheck(_torch.relayout, (x, "b s (h d) -> b h s d", ["h"], [3]), {"dtype": dtype})
        torch.library.opcheck(_torch.relayout_, (numbers(5, 2, 12, dtype=dtype or x.dtype), x, "a b c -> b a c", [], []))


def compiled(f, **more):
    torch._dynamo.reset()
    return torch.compile(f, fullgraph=True, **more)


def test_compile():
    """The view is read as it lies: all code that is generated is that of the function behind."""
    from torch._inductor.utils import run_and_get_code

    def f(x):
        y = x.view(2, 6, 3, 4).transpose(1, 2)
        return tcpc.relayout(y, "b h s d -> (b s) h d") + 1

    x = numbers(2, 6, 12)
    y, (code,) = run_and_get_code(compiled(f), x)
    assert torch.equal(y, f(x))
    call = code[code.index("def call("):]
    assert "tcpc.relayout.default(reinterpret_tensor(" in call
    assert (code.count("cpp_pybinding(") or code.count("async_compile.triton(")) == 1 and "clone" not in call


def test_compile_writes():
    def f(x, out):
        tcpc.copy_(out, x.t())
        z = tcpc.permute(x * 2, (1, 0), dtype=torch.float32)
        tcpc.relayout(x, "(a b) c -> b a c", a=2, out=out.view(2, 2, 3))
        return z, tcpc.contiguous(x[:, ::2]), out + 1

    x, out = numbers(4, 3), [torch.zeros(3, 4, dtype=torch.float64, device=DEVICE) for _ in "ab"]
    for y, z in zip(f(x, out[0]), compiled(f)(x, out[1])):
        assert torch.equal(y, z)
    assert torch.equal(*out)


def test_compile_of_a_loaded_kernel(tmp_path):
    (tmp_path / "plan.tcp").write_text("tcp 1; tensor A : f64 global row(3,4) align 8; tensor B : f64 global row(4,3) align 8; kernel turn(A, out B) { copy A -> select(B, (1,0)); }")
    turn, x, y = tcpc.load(tmp_path / "plan.tcp").turn, numbers(3, 4), numbers(4, 3)
    with pytest.raises(Exception, match="torch.compile cannot trace kernel"):
        compiled(turn)(x, y)
    assert not torch.equal(y, x.t())


def test_compile_any_size():
    f = compiled(lambda x: tcpc.relayout(x, "b s (h d) -> b h s d", h=3), dynamic=True)
    for n in 4, 5, 7:
        x = numbers(2, n, 12, grad=True)
        y = f(x)
        assert torch.equal(y, x.view(2, n, 3, 4).transpose(1, 2))
        y.pow(2).sum().backward()
        assert torch.equal(x.grad, 2 * x)
    heads, counter = lambda x: tcpc.relayout(x, "b s (h d) -> b h s d", h=x.shape[-1] // 4), torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    f = compiled(heads, dynamic=True, backend=counter)
    for shape in (2, 5, 12), (3, 7, 20), (4, 9, 28):
        x = numbers(*shape)
        assert torch.equal(f(x), heads(x))
    assert counter.frame_count == 1
    batch = numbers(2, 3, 4)
    assert torch.equal(compiled(torch.vmap(lambda y: tcpc.permute(y, (1, 0))))(batch), batch.permute(0, 2, 1))


def test_export():
    class Turn(torch.nn.Module):
        def forward(self, x):
            return tcpc.permute(x, (1, 0))

    program = torch.export.export(Turn(), (numbers(3, 4),))
    assert _torch.relayout in [node.target for node in program.graph.nodes]
    assert program.module()(x := numbers(3, 4)).equal(x.t())


class Sub(torch.Tensor):
    pass


class Seen(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen = [*getattr(self, "seen", []), func]
        return func(*args, **(kwargs or {}))


class SeenFunction(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen = [*getattr(self, "seen", []), func]
        return func(*args, **(kwargs or {}))


def test_who_asks_for_the_operator(monkeypatch):
    x = numbers(3, 4)
    for mode in Seen(), SeenFunction():
        with mode:
            tcpc.permute(x, (1, 0)), tcpc.copy_(x, x.clone())
        assert {_torch.relayout, _torch.relayout_} <= set(mode.seen)
    y = tcpc.permute(x.as_subclass(Sub), (1, 0))
    assert type(y) is Sub and torch.equal(y.as_subclass(torch.Tensor), x.t())
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        y = tcpc.permute(mode.from_tensor(x), (1, 0), dtype=torch.float16)
        assert (y.shape, y.stride(), y.dtype) == ((4, 3), (3, 1), torch.float16)
        with pytest.raises(ValueError, match=r"out has shape \(3, 4\), but the result has \(4, 3\)"):
            tcpc.permute(mode.from_tensor(x), (1, 0), out=numbers(3, 4))
    monkeypatch.setattr(_torch, "by_operator", None)
    for _ in range(2):  # plain ones go past it
        assert torch.equal(tcpc.permute(torch.nn.Parameter(x, requires_grad=False), (1, 0)), x.t())
        with torch.no_grad():
            assert torch.equal(tcpc.permute(x.clone().requires_grad_(), (1, 0)), x.t())
    with pytest.raises(TypeError):
        tcpc.permute(x.clone().requires_grad_(), (1, 0))


def test_an_old_version(monkeypatch):
    monkeypatch.delattr(torch.library, "register_vmap")
    with pytest.raises(ImportError, match="tcpc needs PyTorch 2.5 or later, not"):
        importlib.reload(_torch)


def test_wrong_calls():
    x = numbers(3, 4, grad=True)
    y = torch.ones(3, 4, requires_grad=True)  # on the CPU
    for wrong, kind, text in (
        (lambda: tcpc.permute(x, (1, 0), backend="host"), ValueError, "leave backend out: PyTorch then makes the copy on the CPU; .* takes no backend= and no stream=; a tensor requires a gradient: give detach[(][)] of it"),
        (lambda: torch.vmap(lambda t: tcpc.permute(t, (1, 0), backend="host"))(numbers(2, 3, 4)), ValueError, "takes no backend= .*; a mode or a transform is active, as of torch.func"),
        (lambda: tcpc.plan(y.detach(), "a b -> b a", backend="host")(y), ValueError, "the plan was made with backend=, but PyTorch traces, .*: make the plan without"),
        (lambda: tcpc.copy_(numbers(3, 4), x[:1].detach()), ValueError, r"dst has shape \(3, 4\), but src has \(1, 4\); nothing is expanded, so give src.expand\(3, 4\)"),
        (lambda: tcpc.permute(x, (1, 0), out=numbers(4, 3), dtype=torch.float32), TypeError, "out has type torch.float64, but dtype is torch.float32"),
        (lambda: tcpc.permute(x, (0,)), ValueError, r"input.dim\(\) = 2 is not equal to len\(dims\) = 1"),
        (lambda: tcpc.relayout(x, "a (b c) -> a b c", b=3), tcpc.PatternError, "4 is no multiple of 3"),
        (lambda: tcpc.copy_(numbers(3, 5), x), ValueError, r"dst has shape \(3, 5\), but src has \(3, 4\)$"),
        (lambda: tcpc.contiguous(torch.zeros(3, dtype=torch.complex64).conj()), ValueError, "conjugation or negation is not resolved"),
        (lambda: tcpc.contiguous(torch.zeros(3, dtype=torch.complex64).conj().imag), ValueError, "conjugation or negation is not resolved"),
        (lambda: tcpc.contiguous(torch.zeros(3, 3).to_sparse()), TypeError, "has no strides; call to_dense"),
        (lambda: tcpc.contiguous(torch.zeros(3, device="meta")), TypeError, "tensors on 'meta' cannot be copied"),
    ):
        with pytest.raises(kind, match=text):
            wrong()


CONVERTED = [torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32, torch.uint64, torch.int64, torch.float16, torch.bfloat16, torch.float32,
             torch.float64, torch.float8_e4m3fn, torch.float8_e5m2]


def expected(x, to):
    """The bytes of what PyTorch converts to on the CPU, but for the rows of the table in docs/python.md."""
    raw, wide = x.to(to).view(torch.uint8).view(-1, to.itemsize), x.double()
    rows = []
    if x.dtype.is_floating_point and not to.is_floating_point:
        least, most = torch.iinfo(to).min, torch.iinfo(to).max
        rows = [(wide <= float(least), least), (wide >= float(most), most), (wide.isnan(), 0)]
    elif to in (torch.float8_e4m3fn, torch.float8_e5m2):
        most = torch.finfo(to).max
        rows = [(wide < -most, -most), (wide > most, most)]
    for where, value in rows:
        raw = torch.where(where[:, None], torch.tensor([value], dtype=to).view(torch.uint8), raw)
    if to.is_floating_point:
        raw = torch.where(wide.isnan()[:, None], torch.tensor([255] * (to.itemsize - 1) + [127], dtype=torch.uint8), raw)
    return raw.reshape(-1)


def test_conversions_and_the_table():
    pairs, count = [], 997
    for a in CONVERTED:
        raw = torch.randint(0, 256, (count * a.itemsize,), dtype=torch.uint8).view(a)
        if a.is_floating_point and a.itemsize >= 4:
            raw[::2] = (torch.randn(count, dtype=torch.float64) * torch.logspace(-9, 9, count, dtype=torch.float64)).to(a)[::2]
        pairs += [(torch.zeros(count, dtype=b, device=DEVICE), raw.to(DEVICE)) for b in CONVERTED if a is not b]
    for k in range(0, len(pairs), 60):
        tcpc.prepare(*pairs[k:k + 60], backend="host" if DEVICE == "cpu" else None)
    for y, x in pairs:
        tcpc.copy_(y, x)
        assert torch.equal(y.cpu().view(torch.uint8), expected(x.cpu(), y.dtype)), (x.dtype, y.dtype)
    bools = torch.tensor([True, False], device=DEVICE)
    assert tcpc.contiguous(bools, dtype=torch.float16).tolist() == [1, 0]
    with pytest.raises(TypeError, match="bool is no type that kernels convert to"):
        tcpc.contiguous(bools.half(), dtype=torch.bool)


def test_others_move_as_bits():
    same = torch.arange(256, dtype=torch.uint8, device=DEVICE)
    for b in torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu, torch.float4_e2m1fn_x2, torch.bool, torch.complex64, torch.complex128:
        assert torch.equal(tcpc.contiguous(same.view(b)).view(torch.uint8), same)
        if b != torch.bool:
            with pytest.raises(TypeError, match="is no type that kernels convert"):
                tcpc.contiguous(same.view(b), dtype=torch.float32)


def test_plan():
    x = numbers(2, 5, 12)
    turn = tcpc.plan(x, "b s (h d) -> b h s d", h=3)
    for _ in range(3):
        assert torch.equal(turn(x), x.view(2, 5, 3, 4).transpose(1, 2))
    y = x.clone().requires_grad_()
    turn(y).pow(2).sum().backward()
    assert torch.equal(y.grad, 2 * x)
    assert torch.equal(compiled(lambda x: turn(x) + 1)(x), turn(x) + 1)
    if DEVICE == "cuda":
        assert tcpc._engine.engine.all_kernels()[0].all_hits() > 1 and tcpc.cache_info().misses == 2  # and the gradient's


def drawn(rng):
    """(shape, pattern, given extents, shape by axes, order of the axes, shape of the result)"""
    axes = [f"x{i}" for i in range(rng.randint(0, 5))]
    extent = {axis: rng.randint(0 if rng.random() < .05 else 1, 4) for axis in axes}

    def grouped(axes):
        groups, rest = [], list(axes)
        while rest:
            n = rng.choice([1, 1, 2, 3])
            groups.append(rest[:n])
            rest = rest[n:]
        for _ in range(rng.choice([0, 0, 1])):
            groups.insert(rng.randint(0, len(groups)), [])
        return groups

    def text(groups):
        return " ".join(g[0] if len(g) == 1 else rng.choice(["1", "()"]) if not g else f"({' '.join(g)})" for g in groups)

    def shape(groups):
        return [math.prod(extent[axis] for axis in g) for g in groups]

    left, right = grouped(axes), grouped(rng.sample(axes, len(axes)))
    given = {axis: extent[axis] for g in left for axis in (g if 0 in shape([g]) else g[1:])}
    order = [axes.index(axis) for g in right for axis in g]
    sides = text(left), text(right)
    if rng.random() < .3 and left and len(left[0]) == 1 and [left[0][0]] in right:  # one axis, or more, without a name
        sides = tuple(side.replace(left[0][0], "...") for side in sides)
        given.pop(left[0][0], None)
    return shape(left), " -> ".join(sides), given, [extent[axis] for axis in axes], order, shape(right)


def test_patterns_that_nobody_wrote_down(monkeypatch):
    """Results, gradients, batches and forward mode, by PyTorch's own copy."""
    monkeypatch.undo()
    rng = random.Random(1)
    for _ in range(300):
        shape, pattern, given, apart, order, result = drawn(rng)
        ours = lambda x: tcpc.relayout(x, pattern, **given)
        theirs = lambda x: x.reshape(apart).permute(order).reshape(result)
        x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
        y, z = ours(x), theirs(x)
        assert torch.equal(y, z) and y.is_contiguous(), (shape, pattern, given)
        g = torch.randn(result, dtype=torch.float64)
        assert torch.equal(*(torch.autograd.grad(f, x, g)[0] for f in (y, z))), (shape, pattern, given)
        batch = torch.randn([2, *shape], dtype=torch.float64).movedim(0, at := rng.randint(0, len(shape)))
        assert torch.equal(*(torch.vmap(f, in_dims=at)(batch) for f in (ours, theirs))), (shape, pattern, given)
        assert torch.equal(*(torch.func.jvp(f, (x.detach(),), (x.detach() + 1,))[1] for f in (ours, theirs))), (shape, pattern, given)
        out = torch.zeros(result, dtype=torch.float64)
        assert tcpc.relayout(x.detach(), pattern, out=out, **given) is out and torch.equal(out, z)
