"""examples/gemm beside CuTe's tutorial of the same structure and cuBLAS, on a GPU.

usage: bench.py DIR [ROUNDS]

DIR has gemm.so and the peers, peer_0.so (the tutorial's epilogue) and peer_1.so (an epilogue like that of examples/gemm), as run.sh builds
them.  First values: the example on odd sizes, and the peers on sizes of whole tiles, on fresh random data into a poisoned output, beside
float64.  Then times, for M = N = K of 4096 and 8192, in alternating rounds.  Prints a line of CSV for each check, then one for each
size: TFLOP/s (medians of the rounds) and ratios (medians of the rounds' own).  The exit status is 1 when a value is wrong.
"""

import ctypes
import pathlib
import statistics
import sys

import torch

GUARD = 4096  # elements before and behind C that must stay as they are
ODD = [(1, 1, 8), (1, 130, 64), (127, 129, 72), (128, 128, 64), (128, 128, 128), (129, 8, 200), (257, 136, 136), (300, 515, 1000), (640, 384, 512)]
ODD += [(1000, 1001, 1016), (777, 1234, 4096), (2049, 2047, 2056)]
WHOLE = [(128, 128, 128), (384, 256, 512), (1024, 640, 2048)]


def launcher(path, name):
    f = getattr(ctypes.CDLL(str(path)), name)
    f.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 3 + [ctypes.c_void_p]

    def launch(a, b, c):
        status = f(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], b.shape[0], a.shape[1], torch.cuda.current_stream().cuda_stream)
        if status != 0:
            raise RuntimeError(f"{path}: status {status}")

    return launch


def draw(rows, columns):
    return torch.randn(rows, columns, device="cuda", dtype=torch.float16)


def draw_integers(rows, columns):
    return torch.randint(-8, 9, (rows, columns), device="cuda").to(torch.float16)


def product(launch, a, b):
    """What a launch writes into a poisoned C; None when it writes elsewhere too."""
    m, n = a.shape[0], b.shape[0]
    memory = torch.full((GUARD + m * n + GUARD,), float("nan"), device="cuda", dtype=torch.float16)
    bits = memory.view(torch.int16)
    before = bits[:GUARD].clone()
    c = memory[GUARD : GUARD + m * n].view(m, n)
    launch(a, b, c)
    torch.cuda.synchronize()
    return c if torch.equal(bits[:GUARD], before) and torch.equal(bits[-GUARD:], before) else None


def check(launch, m, n, k):
    """Integers, whose sums f32 holds, must come out exactly, rounded to f16.  For other numbers, the largest error in parts of what is
    allowed: half a digit of f16, and one digit of f32 for each instruction along K, of sums below 8 * sqrt(k).  None when wrong."""
    a, b = draw_integers(m, k), draw_integers(n, k)
    c = product(launch, a, b)
    if c is None or not torch.equal(c, (a.double() @ b.double().T).to(torch.float16)):
        return None
    a, b = draw(m, k), draw(n, k)
    c = product(launch, a, b)
    if c is None:
        return None
    want = a.double() @ b.double().T
    worst = ((c.double() - want).abs() / (2.0**-11 * want.abs() + (k / 16 + 1) * 2.0**-23 * 8 * k**0.5)).max().item()
    return worst if worst <= 1 else None


def seconds(f, times):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        f()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1000 / times


def main(directory, rounds=15):
    directory = pathlib.Path(directory)
    torch.manual_seed(torch.seed())
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}")
    ours = launcher(directory / "gemm.so", "gemm_launch")
    peers = [launcher(directory / f"peer_{i}.so", "peer_launch") for i in (0, 1)]
    wrong = False
    print("check,m,n,k,error")
    for name, launch, sizes in [("gemm", ours, ODD + WHOLE), ("peer_0", peers[0], WHOLE), ("peer_1", peers[1], WHOLE)]:
        for m, n, k in sizes:
            worst = check(launch, m, n, k)
            wrong = wrong or worst is None
            print(f"{name},{m},{n},{k},{'wrong' if worst is None else f'{worst:.3f}'}", flush=True)
    if wrong:
        return 1
    print("size,gemm,peer_0,peer_1,cublas,gemm/peer_0,gemm/peer_1,gemm/cublas")
    for size in (4096, 8192):
        a, b = draw(size, size), draw(size, size)
        c = torch.empty(size, size, device="cuda", dtype=torch.float16)
        runs = [lambda f=f: f(a, b, c) for f in (ours, *peers)] + [lambda: torch.matmul(a, b.T, out=c)]
        times = [[] for _ in runs]
        for f in runs:
            seconds(f, 20)
        for i in range(int(rounds)):
            for j in [(i + j) % len(runs) for j in range(len(runs))]:  # each goes first in turn
                times[j].append(seconds(runs[j], 10))
        speed = [2 * size**3 / statistics.median(t) / 1e12 for t in times]
        ratio = [statistics.median(p / o for o, p in zip(times[0], t)) for t in times[1:]]
        print(",".join([str(size)] + [f"{x:.1f}" for x in speed] + [f"{x:.4f}" for x in ratio]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
