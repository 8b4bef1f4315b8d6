"""Times of the package on a GPU, for gpu.py: of calls on tensors of 1 KB, and of copies."""
import statistics
import time
import types

import torch

import tcpc
from tcpc import _core, _native, _torch, _warm


def on_device(work, n):
    work()
    torch.cuda.synchronize()
    found = []
    for _ in range(3):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        for _ in range(n):
            work()
        b.record()
        b.synchronize()
        found.append(a.elapsed_time(b) / n * 1e3)
    return min(found)


def in_turn(ways, rounds, n=100):
    """Microseconds a call of each: the median of rounds in which they take turns, each of n calls behind an idle GPU."""
    names, found = list(ways), {name: [] for name in ways}
    for turn in range(rounds):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            work = ways[name]
            work(), work()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(n):
                work()
            found[name].append((time.perf_counter() - begin) / n * 1e6)
    torch.cuda.synchronize()
    return {name: statistics.median(us) for name, us in found.items()}


def without_libraries(x, y, key):
    """The warm path as it is where PyTorch's libraries lack what it asks them: with functions of Python, and the exchange API's allocation."""
    device = tcpc._cuda.device(x.device.index)
    driver = tuple(_core._address(getattr(device.cuda, name)) for name in ("cuCtxGetCurrent", "cuLaunchKernel", "cuStreamIsCapturing"))
    warm = _core.Warm(_native.by_python(torch, _core.exchange_of(torch)), driver)
    source, destination = (tcpc._arrays.describe(t) for t in (x.permute(0, 2, 1, 3), y))
    made, kernel = tcpc._engine.copy(destination, source, (source.shape, source.strides, destination.strides), device, None)
    warm.learn(key, x, y, made, kernel, ())
    return warm


def without_doors(function):
    """The function as Python executes it before it asks in C, as in versions without doors."""
    other = types.FunctionType(function.__code__, {**vars(tcpc._api), "_warm": types.SimpleNamespace(early=_warm.call)}, function.__name__, function.__defaults__)
    other.__kwdefaults__ = function.__kwdefaults__
    return other


def calls(rounds=100):
    """Calls on a tensor of 1 KB: the time of the CPU."""
    order, pattern = (0, 2, 1, 3), "b s h d -> b h s d"
    x, y = torch.randn(1, 4, 8, 8, device="cuda"), torch.empty(1, 8, 4, 8, device="cuda")
    turn, permuted = tcpc.plan(x, pattern), x.permute(order)
    tcpc.permute(x, order)  # which opens the doors
    other, executed = without_libraries(x, y, (order, None, True)), without_doors(tcpc.permute)
    print("doors:", _warm.early is not _warm.call)
    ways = {
        "x.permute(..).contiguous()": lambda: x.permute(0, 2, 1, 3).contiguous(), "tcpc.permute": lambda: tcpc.permute(x, (0, 2, 1, 3)), "tcpc.relayout": lambda: tcpc.relayout(x, "b s h d -> b h s d"),
        "the function permute": lambda permute=tcpc.permute: permute(x, (0, 2, 1, 3)), "permute without doors": lambda: executed(x, (0, 2, 1, 3)),
        "a plan": lambda: turn(x), "tcpc.permute(.., out=)": lambda: tcpc.permute(x, (0, 2, 1, 3), out=y), "tcpc.copy_": lambda: tcpc.copy_(y, permuted), "out.copy_": lambda: y.copy_(permuted),
        "all in C": lambda: _warm.call(x, order, None, None, None), "in C, nothing asked": lambda: _warm.below(x, order, None, None, None),
        "in C, without its libraries": lambda: other.call(x, order, None, None, None), "likewise, nothing asked": lambda: other.below(x, order, None, None, None),
        "the operator": lambda: _torch.relayout(x, pattern, [], []), "into C and back": lambda: _warm.call(5, None, None, None, None), "x.permute": lambda: x.permute(0, 2, 1, 3),
        "torch.empty": lambda: torch.empty(1, 8, 4, 8, device="cuda"), "an empty function": lambda: None}
    right = all(torch.equal(way(), permuted.contiguous()) for name, way in ways.items() if name.startswith(("tcpc", "the f", "permute", "a plan", "all in", "in C", "likewise", "the op")))
    hits = tcpc.cache_info().hits
    found = in_turn(ways, rounds)
    print("1 KB, us a call:", ", ".join(f"{name} {us:.2f}" for name, us in found.items()))
    theirs = found["x.permute(..).contiguous()"]
    print("of PyTorch's:", ", ".join(f"{name} {found[name] / theirs:.3f}" for name in ("tcpc.permute", "tcpc.relayout", "the function permute", "a plan", "permute without doors")), f"; results right: {right}; {tcpc.cache_info().hits - hits} hits")
    assert right


def times():
    for shape in (1, 128, 32, 64), (4, 1024, 32, 64), (16, 2048, 32, 128), (32, 4096, 32, 128):
        x = torch.randn(*shape, device="cuda", dtype=torch.float16)
        size, n = x.numel() * 2, 20
        y = torch.empty_like(x)
        ours, theirs, copy = (on_device(w, n) for w in (lambda: tcpc.permute(x, (0, 2, 1, 3)), lambda: x.permute(0, 2, 1, 3).contiguous(), lambda: y.copy_(x)))
        t, o, c = (on_device(w, n) for w in (lambda: tcpc.permute(x, (3, 1, 0, 2)), lambda: x.permute(3, 1, 0, 2).contiguous(), lambda: y.copy_(x)))
        print(f"f16 {shape}, {size / 1e6:.1f} MB: (0,2,1,3) ours {ours:.1f} us, PyTorch {theirs:.1f}; (3,1,0,2) ours {t:.1f}, PyTorch {o:.1f}; copy {min(c, copy):.1f}")
    tcpc.cache_clear()
    for extent in 1001, 1003, 1005:
        x = torch.randn(17, extent, device="cuda")
        begin = time.perf_counter()
        tcpc.permute(x, (1, 0))
        torch.cuda.synchronize()
        k = tcpc.cache_info().kernels[-1]
        print(f"cold: {1e3 * (time.perf_counter() - begin):.1f} ms, of which plan {k.plan_ms:.1f}, build {k.build_ms:.1f}, divisor {k.divisor}")
