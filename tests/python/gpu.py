"""The package on a GPU, with PyTorch: random copies against torch.Tensor.copy_, streams, threads, graphs, and times.

usage: gpu.py [--seconds S] [--copies N] [--seed N] [--parts NAME,..]

--seconds, --copies: of the random copies, at most (default: 60, 5000)    --parts: of lengths, memory, warm, plans, maps, benches, tuning, order, unloading, processes, forks, two, times, calls, copies
`PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer python3 gpu.py --parts copies` finds accesses beyond a buffer that hit no other one.

It needs PyTorch and a GPU, and nothing else that a pip environment would lack. Prints a line for each part; the last one counts what failed.
"""
import argparse
import gc
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import warnings

HERE = pathlib.Path(__file__).resolve()
if (HERE.parents[2] / "python" / "tcpc").is_dir():
    sys.path.insert(0, str(HERE.parents[2] / "python"))

import torch

import gpu_times
import tcpc

TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool, torch.complex64,
         torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz]
SAFE = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]  # small numbers convert alike
failed = 0


def part(name, right, more=""):
    global failed
    failed += not right
    print(f"{name}: {'ok' if right else 'WRONG'} {more}", flush=True)


def strided(rng, shape, dtype, numbers, may_stand):
    """A view of these extents with any strides, and the buffer that it lies in."""
    rank, size = len(shape), dtype.itemsize
    order, strides, span = rng.sample(range(rank), rank), [0] * rank, 1
    for m in order:
        if may_stand and rng.random() < .05:
            continue
        strides[m] = span
        span *= shape[m]
        if rng.random() < .2:
            span += rng.randint(0, 5)
    first = rng.choice([0, 0, 0, rng.randint(1, 9)])
    count = first + 1 + sum(s * (n - 1) for s, n in zip(strides, shape) if n) + 5
    if numbers:
        buffer = torch.randint(0, 100, (count,), device="cuda").to(dtype)
    elif dtype == torch.bool:
        buffer = torch.randint(0, 2, (count,), device="cuda", dtype=torch.uint8).view(dtype)
    else:
        buffer = torch.randint(0, 256, (count * size,), device="cuda", dtype=torch.uint8).view(dtype)
    return buffer.as_strided(shape, strides, first), buffer


def bytes_of(buffer):
    return buffer.view(torch.uint8) if buffer.dtype != torch.bool else buffer.view(torch.uint8)


def random_copies(rng, seconds, copies):
    tcpc.cache_clear()
    begin, count, wrong = time.time(), 0, 0
    while time.time() - begin < seconds and count < copies:
        rank = rng.randint(0, 5)
        most = [1, 5000, 300, 60, 20, 9][rank]
        shape = [rng.randint(0 if rng.random() < .03 else 1, most) for _ in range(rank)]
        a = rng.choice(TYPES)
        b = a if a not in SAFE or rng.random() < .7 else rng.choice(SAFE)
        for _ in range(10):  # the same plan again, with other contents
            state = rng.getstate()
            src, _ = strided(rng, shape, a, a != b, True)
            dst, buffer = strided(rng, shape, b, a != b, False)
            expected = buffer.clone()
            expected.as_strided(dst.shape, dst.stride(), dst.storage_offset()).copy_(src)
            with torch.no_grad():
                tcpc.copy_(dst, src)
            count += 1
            if not torch.equal(bytes_of(buffer), bytes_of(expected)):
                wrong += 1
                print("WRONG", a, src.shape, src.stride(), b, dst.stride())
            rng.setstate(state)
    info = tcpc.cache_info()
    part("random copies", wrong == 0 and info.misses > 0 and (count >= copies or time.time() - begin >= seconds), f"{count} copies, {len(info.kernels)} plans, {wrong} wrong; plan {sum(k.plan_ms for k in info.kernels) / len(info.kernels):.1f} ms, "
         f"build {sum(k.build_ms for k in info.kernels) / len(info.kernels):.1f} ms on average")


def lengths():
    tcpc.cache_clear()
    right = True
    for n in [256, 64, 192, *random.Random(5).sample(range(2, 3000), 1000)]:
        x = torch.randint(0, 99, (2, n, 256), device="cuda", dtype=torch.int16)
        right &= torch.equal(tcpc.relayout(x, "b s (h d) -> b h s d", h=4), x.view(2, n, 4, 64).permute(0, 2, 1, 3))
    info = tcpc.cache_info()
    part("1000 lengths", right and len(info.kernels) <= 8, f"{len(info.kernels)} kernels; build ms {[round(k.build_ms) for k in info.kernels]}, divisors {[k.divisor for k in info.kernels]}")


def memory():
    x = torch.arange(64 * 64, device="cuda", dtype=torch.float32).view(64, 64)
    kept = x.clone()
    tcpc.copy_(x[:, 32:], x[:, :32])
    right = torch.equal(x[:, 32:], kept[:, :32]) and torch.equal(x[:, :32], kept[:, :32])
    try:
        tcpc.copy_(x[:, 20:52], x[:, :32])
        right = False
    except ValueError as error:
        right &= "dst and src share elements; give copy_ a copy of src: src.clone()" in str(error)
    zeros = torch.zeros(3, device="cuda")
    for wrong, kind, text in (
            (lambda: tcpc.prepare((torch.ones_like(zeros), zeros.clone().requires_grad_())), RuntimeError, "the copy is not recorded for gradients"),
            (lambda: tcpc.contiguous(zeros.to(torch.complex64).conj()), ValueError, "the tensor's conjugation or negation is not resolved"),
            (lambda: tcpc.copy_(torch.zeros(3), zeros), ValueError, "expected both arrays on one device"),
            (lambda: tcpc.contiguous(zeros.to_sparse()), TypeError, "has no strides; call to_dense() first"),
            (lambda: tcpc.prepare((torch.ones_like(zeros), zeros.as_subclass(Sub))), TypeError, "is a subclass of torch.Tensor, which may be more than its memory"),
            (lambda: tcpc.contiguous(torch.zeros(3, device="meta")), TypeError, "tensors on 'meta' cannot be copied; only those on 'cpu' and 'cuda'")):
        try:
            wrong()
            right = False
        except kind as error:
            right &= text in str(error)
    large = torch.zeros(2**31 + 4096, 1, dtype=torch.uint8, device="cuda")
    large[-3:] = 7
    out = torch.zeros(2**31 + 4096, dtype=torch.uint8, device="cuda")
    tcpc.copy_(out, large[:, 0])
    right &= torch.equal(out, large[:, 0])
    turned = large.view(-1, 4096)
    right &= torch.equal(tcpc.permute(turned, (1, 0)), turned.t())
    part("memory, and wrong calls", right)


def warm():
    """The second call like an earlier one takes the way through C, unless it must not."""
    tcpc.cache_clear()
    x = torch.randn(8, 64, 12, device="cuda")
    first = tcpc.relayout(x, "a b (c d) -> c a b d", c=3)
    again = tcpc.relayout(x * 2, "a b (c d) -> c a b d", c=3)
    info = tcpc.cache_info()
    right = torch.equal(again, first * 2) and info.misses == 1 and info.hits == 1 and sum(len(k.warm) for k in tcpc._engine.engine.all_kernels()) == 1
    right &= tcpc._engine.engine.hits == 0  # so it was not Python's way
    half = tcpc.permute(x, (2, 0, 1), dtype=torch.float16)
    right &= torch.equal(tcpc.permute(x, (2, 0, 1), dtype=torch.float16), x.permute(2, 0, 1).half()) and half.dtype == torch.float16
    right &= torch.equal(tcpc.relayout(torch.nn.Parameter(x, requires_grad=False), "a b (c d) -> c a b d", c=3), first)
    for other in x.clone().requires_grad_(), x.as_subclass(Sub):
        y = tcpc.relayout(other, "a b (c d) -> c a b d", c=3)
        right &= torch.equal(y.detach().as_subclass(torch.Tensor), first) and y.requires_grad == other.requires_grad and type(y) is type(other)
    right &= torch.equal(torch.vmap(lambda y: tcpc.relayout(y, "b c d -> c b d"))(x.view(1, 8, 64, 12)), x.permute(1, 0, 2)[None])
    z = torch.randn(40, 30, dtype=torch.complex64, device="cuda")
    tcpc.permute(z, (1, 0)), tcpc.permute(z.conj().resolve_conj(), (1, 0))
    for bit in (z.conj(), z.real._neg_view()):
        try:
            tcpc.permute(bit, (1, 0))
            right = False
            print("a tensor with a bit is taken")
        except ValueError:
            pass
    with torch.no_grad():
        right &= torch.equal(tcpc.relayout(x.clone().requires_grad_(), "a b (c d) -> c a b d", c=3), first)
    right &= torch.equal(tcpc.relayout(torch.randn(0, 4, 12, device="cuda"), "a b (c d) -> c a b d", c=3), torch.empty(3, 0, 4, 4, device="cuda"))
    hits, y = tcpc._engine.engine.hits, torch.zeros(12, 8, 64, device="cuda")
    tcpc.copy_(y, x.permute(2, 0, 1))
    for i in range(3):
        tcpc.copy_(y, (x + i).permute(2, 0, 1))
        right &= torch.equal(y, (x + i).permute(2, 0, 1))
    right &= tcpc._engine.engine.hits <= hits + 1
    before = torch.cuda.memory_allocated()
    for _ in range(1000):
        tcpc.permute(x, (2, 0, 1))
    right &= torch.cuda.memory_allocated() == before
    part("warm calls", right)


class Sub(torch.Tensor):
    pass


PLAN = """tcp 1;
param N : index in 1 .. 1000;
tensor A : f32 global (2*N, 24):(24, 1) align 4;
tensor B : f32 global (24, 2*N):(2*N, 1) align 4;
kernel turned(A, out B) grid (ceil_div(2*N, 32)) threads 32 {
  copy local_tile(A, (32,24), (block.x,0)) -> local_tile(select(B, (1,0)), (32,24), (block.x,0)) with tile(universal(32), thr=(32,1), val=(1,1));
}
kernel planned(A, out B) { copy A -> select(B, (1,0)); }
"""


def plans():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "plan.tcp"
        file.write_text(PLAN)
        plan, right = tcpc.load(file), True
        for n in 3, 80, 500:
            a, b = torch.randn(2 * n, 24, device="cuda"), torch.zeros(24, 2 * n, device="cuda")
            plan.turned(a, b)
            right &= torch.equal(b, a.t())
            b.zero_()
            plan.planned(A=a, B=b, N=n)
            right &= torch.equal(b, a.t())
        for wrong, text in (lambda: plan.turned(a, b.t()), "24 in the plan"), (lambda: plan.turned(torch.randn(2002, 24, device="cuda"), torch.zeros(24, 2002, device="cuda")), "N"), (lambda: plan.turned(a, a.view(24, 1000)), "overlap"):
            try:
                wrong()
                right = False
            except (ValueError, RuntimeError) as error:
                right &= text in str(error)
                if text not in str(error):
                    print(error)
        part("kernels of a plan", right)


MAPS = """tcp 1;
param M : index in 0 .. 5000;
param N : index in 0 .. 4096;
param ld : index % 8 in 0 .. 100000;
tensor A : f16 global (M,N):(ld,1) align 16;
tensor B : f16 global row(64*ceil_div(M+1,64), 64*ceil_div(N+1,64)) align 16;
kernel tiles(A, out B) grid (ceil_div(M+1,64)) threads 128 {
  shared s : f16 Sw<3,3,3> o 0 o row(64,64) stages 3;
  pipeline n in 0 .. ceil_div(N+1,64) {
    load { copy local_tile(A, (64,64), (block.x, n)) -> s with tma.load(ld=L2.evict_first, l2=256) pad 0; }
    use { copy s -> local_tile(B, (64,64), (block.x, n)) with tile(universal(128), thr=(16,8):(8,1), val=(1,8)); }
  }
}
"""


def maps():
    """Kernels with tensor maps: views, no elements, threads, a graph, wrong calls; times of a launch."""
    if torch.cuda.get_device_capability()[0] < 9:
        part("maps", True, "not on this GPU")
        return
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", tcpc.PlanWarning)
        file = pathlib.Path(folder) / "plan.tcp"
        file.write_text(MAPS)
        plan, right, rng = tcpc.load(file, arch="sm_90"), True, random.Random(1)

        def result(m, n):
            return torch.full((64 * ((m + 64) // 64), 64 * ((n + 64) // 64)), 7, device="cuda", dtype=torch.float16)

        def is_right(a, b):
            expected = torch.zeros_like(b)
            expected[:a.shape[0], :a.shape[1]] = a
            return torch.equal(b, expected)

        whole = torch.randn(3000, 1024, device="cuda", dtype=torch.float16)
        for k in range(200):
            m, n = (rng.choice([0, 1, rng.randint(1, most)]) for most in (3000, 900))
            a = whole[rng.randint(0, 3000 - m):][:m, 8 * rng.randint(0, 15):][:, :n]
            b = result(m, n)
            plan.tiles(a, b, ld=1024)
            right &= is_right(a, b)
        part("maps: views, and no elements", right)
        found = []

        def work(i):
            with torch.cuda.stream(torch.cuda.Stream()):
                for k in range(50):
                    a, b = whole[i + k:, 8 * (k % 5):][:100, :200], result(100, 200)
                    plan.tiles(a, b)
                    found.append(is_right(a, b))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        part("maps: threads and streams", len(found) == 200 and all(found))
        graph, a, b = torch.cuda.CUDAGraph(), whole[5:100, 40:300], result(95, 260)
        other, none, c = tcpc.load(file, arch="sm_90", defines={}), whole[:0, :64], result(0, 64)
        other.tiles.prepare(a, b)
        plain = bool((b == 7).all())
        with torch.cuda.graph(graph):
            other.tiles(a, b)
            plan.tiles(none, c, ld=1024)
        whole.mul_(2)
        b.fill_(7), c.fill_(7)
        graph.replay()
        torch.cuda.synchronize()
        part("maps: prepare, and a graph", plain and is_right(a, b) and is_right(none, c))
        right = True
        for wrong, text in ((lambda: plan.tiles(whole[:, 1:][:9, :64], result(9, 64)), "'A' must be aligned to 16 bytes"), (lambda: plan.tiles(whole.view(-1)[:900].view(9, 100), result(9, 100)), "must be a multiple of 8")):
            try:
                wrong()
                right = False
            except (ValueError, RuntimeError) as error:
                right &= text in str(error)
        part("maps: wrong calls", right)
        a, b = whole[:128, :64], result(127, 63)
        a = a[:127, :63]
        took = {}
        for name, again in ("known map", lambda k: a), ("new map", lambda k: whole[k % 2000:][:127, :63]):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for k in range(1000):
                plan.tiles(again(k), b)
            took[name] = (time.perf_counter() - begin) * 1e3
            torch.cuda.synchronize()
        part("maps: a call", True, ", ".join(f"{name}: {us:.1f} us" for name, us in took.items()))


def benches():
    x = torch.randn(2, 1024, 2048, device="cuda", dtype=torch.float16)
    ours, theirs, plain = tcpc.bench(x, "b s (h d) -> b h s d", h=16).rows
    right = [row.name for row in (ours, theirs, plain)] == ["tcpc", "PyTorch", "a plain copy"] and 50 < ours.gb_s < 9000 and 50 < plain.gb_s < 9000
    expected = 2 * 2 * x.numel() / ours.us / 1e3
    part("bench", right and abs(ours.gb_s / expected - 1) < 1e-6 and len(tcpc.bench(x, "a b c -> c b a", dtype=torch.float32).rows) == 3)


def tuning():
    """The result is the same with each choice; what was chosen is taken by calls that come, captured ones too, and by later processes."""
    x = torch.randint(0, 255, (66, 236, 1143), device="cuda", dtype=torch.int16)
    expected, said = x.permute(2, 1, 0), []
    before = torch.equal(tcpc.permute(x, (2, 1, 0)), expected)
    tuned = tcpc.tune(x, (2, 1, 0), candidates=8)
    print(tuned)
    how = {row.number: row.how for row in tuned.rows}[tuned.chosen]
    part("tune", before and torch.equal(tcpc.permute(x, (2, 1, 0)), expected) and tcpc.cache_info().kernels[-1].how == how and all(row.us > 10 for row in tuned.rows))
    again = "import torch, tcpc; x = torch.ones(66, 236, 1143, device='cuda', dtype=torch.int16); tcpc.permute(x, (2, 1, 0)); print(tcpc.cache_info().kernels[-1].how)"
    done = subprocess.run([sys.executable, "-c", again], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    part("tune: another process", done.stdout.strip() == how, done.stderr[-300:])
    engine, right = tcpc._engine.engine, True
    kernel = engine.exact[next(reversed(engine.exact))]
    for number in [row.number for row in tuned.rows]:
        other = tcpc._engine.Kernel(kernel.backend, kernel.request, candidate=number)
        engine.build(kernel.backend, [other])
        engine.choose(kernel.backend, kernel.request, other, tcpc._choices.Choice(number, other.compiled.how))
        graph, y = torch.cuda.CUDAGraph(), None
        tcpc.permute(x, (2, 1, 0))
        with torch.cuda.graph(graph):
            y = tcpc.permute(x, (2, 1, 0))
            try:
                tcpc.tune(x, (2, 1, 0))
            except RuntimeError as error:
                said.append("so its stream cannot be captured" in str(error))
        graph.replay()
        right &= torch.equal(y, expected) and tcpc.cache_info().kernels[-1].how == other.compiled.how
    part("tune: each candidate", right and said == [True] * len(tuned.rows))
    part("tune: taken back", tcpc.tune(x, (2, 1, 0), candidates=1).chosen == 0 and tcpc.tune(x[:3, :4, :5], "a b c -> c a b", dtype=torch.int32, candidates=3).rows[0].us > 0)


def order():
    """Kernels run on the current stream, in any thread, and are captured."""
    right, x = True, torch.randn(512, 768, device="cuda")
    sides = torch.cuda.Stream(), torch.cuda.Stream()
    for stream in sides * 2:  # cold, then by the warm path
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            y = x * 2
            z = tcpc.permute(y, (1, 0))
        stream.synchronize()
        right &= torch.equal(z, (x * 2).t())
    found = [None] * 8

    def work(i):
        with torch.cuda.stream(sides[i % 2]):
            mine = x[:, : 64 + 8 * (i % 4)]
            found[i] = all(torch.equal(tcpc.permute(mine, (1, 0)), mine.t()) for _ in range(50))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    part("two streams, 8 threads", right and all(found))
    for name, extent in ("a graph", 768), ("a graph whose kernel is new", 760):
        try:
            graph, mine = torch.cuda.CUDAGraph(), x[:, :extent]
            out = torch.zeros(extent, 512, device="cuda")
            if name == "a graph":
                tcpc.permute(mine, (1, 0), out=out)
            with torch.cuda.graph(graph):
                tcpc.permute(mine, (1, 0), out=out)
            out.zero_()
            x.mul_(2)
            graph.replay()
            torch.cuda.synchronize()
            part(name, torch.equal(out, mine.t()))
        except Exception as error:
            part(name, False, repr(error)[:300])


def unloading():
    """Code that nobody has is unloaded, but neither what still has to be executed, nor what a graph has."""
    device, x = tcpc._cuda.device(0), torch.randn(300, 200, device="cuda")
    before, tcpc._cuda.MOST_RETIRED = tcpc._cuda.MOST_RETIRED, 0
    try:
        tcpc.cache_clear()
        gc.collect()
        tcpc.permute(x[:99], (1, 0))
        graph, out = torch.cuda.CUDAGraph(), torch.empty(200, 300, device="cuda")
        with torch.cuda.graph(graph):
            tcpc.permute(x, (1, 0), out=out)
        torch.cuda._sleep(2_000_000_000)
        late = [tcpc.permute(x[:n, n:], (1, 0)) for n in (101, 104, 107)]  # behind what sleeps
        tcpc.cache_clear()
        gc.collect()
        retired = len(device.retired)
        begin = time.time()
        other = tcpc.permute(x[:, :77], (1, 0))
        took = time.time() - begin
        left = len(device.retired)
        right = all(torch.equal(y, x[:n, n:].t()) for y, n in zip(late, (101, 104, 107))) and torch.equal(other, x[:, :77].t())
        x.add_(1)
        graph.replay()
        torch.cuda.synchronize()
        part("unloading", right and torch.equal(out, x.t()) and retired >= 4 and left == 0, f"{retired} retired, {left} left; the call that unloaded them took {took * 1e3:.0f} ms")
    finally:
        tcpc._cuda.MOST_RETIRED = before


def processes():
    """Eight on one empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        text = ("import sys; sys.path[:0] = %r; import torch, tcpc; x = torch.randn(100, 70, device='cuda'); assert torch.equal(tcpc.permute(x, (1, 0)), x.t())" % sys.path[:2])
        all_of = [subprocess.Popen([sys.executable, "-c", text], env=dict(os.environ, TCPC_CACHE=cache)) for _ in range(8)]
        part("eight processes on one empty cache", all(p.wait() == 0 for p in all_of), f"{len(list(pathlib.Path(cache).rglob('*.cubin')))} cubin")


def forks():
    """A child is told what is wrong, in words, and the parent goes on."""
    x = torch.randn(64, 32, device="cuda")
    out, y = torch.empty(32, 64, device="cuda"), tcpc.permute(x, (1, 0))
    parts = out[1:], x.t()[1:]  # PyTorch itself cannot make a view of them in the child
    turn = tcpc.plan(x, "a b -> b a", out=out)
    tcpc.copy_(out, x.t())
    torch.cuda.synchronize()
    child = os.fork()
    if child == 0:
        told = []
        for work in lambda: tcpc.copy_(out, x.t()), lambda: tcpc.permute(x, (1, 0), out=out), lambda: turn(x, out=out), lambda: tcpc.copy_(*parts), lambda: tcpc.permute(x, (1, 0)):
            try:
                work()
                told.append("nothing")
            except RuntimeError as error:
                told.append(str(error))
        wrong = [text for text in told if "process that was forked" not in text and "forked subprocess" not in text]
        print(*wrong, flush=True)
        os._exit(len(wrong))
    right = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    part("fork", right and torch.equal(tcpc.permute(x, (1, 0)), y))


def two():
    """Tensors on the second GPU, whichever is current, and none between them."""
    if torch.cuda.device_count() < 2:
        print("two GPUs: there is one")
        return
    right = True
    for current in 0, 1:
        with torch.cuda.device(current):
            for at in 0, 1:
                for k in range(3):  # the second call is warm
                    x = torch.randn(96, 160 + 8 * current, device=f"cuda:{at}")
                    y = tcpc.permute(x, (1, 0))
                    right &= y.device == x.device and torch.equal(y, x.t()) and torch.cuda.current_device() == current
                    out = torch.zeros_like(y)
                    right &= torch.equal(tcpc.copy_(out, x.t()), x.t())
                    side = torch.cuda.Stream(device=at)
                    with torch.cuda.stream(side):
                        torch.cuda._sleep(20_000_000)
                        x += 1
                        z = tcpc.permute(x, (1, 0))
                    side.synchronize()
                    right &= torch.equal(z, x.t()) and torch.cuda.current_device() == current
    part("two GPUs", right)
    a, b = torch.zeros(8, 9, device="cuda:0"), torch.zeros(9, 8, device="cuda:1")
    try:
        tcpc.copy_(b, a.t())
        part("between two GPUs", False)
    except ValueError as error:
        part("between two GPUs", "expected both arrays on one device, but found cuda:0 and cuda:1" in str(error), str(error))
    found = [None, None]

    def work(at):
        x = torch.randn(300, 200, device=f"cuda:{at}")
        found[at] = all(torch.equal(tcpc.permute(x + k, (1, 0)), (x + k).t()) for k in range(200))

    threads = [threading.Thread(target=work, args=(at,)) for at in (0, 1)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    part("two GPUs, two threads", all(found))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--copies", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parts = {work.__name__: work for work in (lengths, memory, warm, plans, maps, benches, tuning, order, unloading, processes, forks, two, gpu_times.times, gpu_times.calls)}
    parser.add_argument("--parts", default=",".join([*parts, "copies"]))
    given = parser.parse_args()
    print(torch.cuda.get_device_name(), torch.__version__, "tcpc", tcpc.version())
    torch.manual_seed(given.seed)
    parts["copies"] = lambda: random_copies(random.Random(given.seed), given.seconds, given.copies)
    for name in given.parts.split(","):
        begin = time.time()
        try:
            parts[name]()
        except Exception as error:
            part(name, False, repr(error)[:600])
        print(f"  {time.time() - begin:.1f} s", flush=True)
    print(f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
