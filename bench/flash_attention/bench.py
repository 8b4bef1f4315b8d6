"""FlashAttention of examples/flash_attention beside PyTorch's flash backend, on a GPU.

usage: bench.py DIR [ROUNDS]

DIR has one library NAME-D.so a variant (build.sh makes them).  Each is compared with scaled_dot_product_attention in float64 on odd
lengths, causal or not, and then timed in alternating rounds with PyTorch's flash backend: 2048 channels, 16384 rows in all.  Prints a
line of CSV for each case: variant, D, length, causal, TFLOP/s of both, and their ratio (median of the rounds).
"""

import ctypes
import math
import pathlib
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def launcher(library, causal):
    f = getattr(library, "flash_attention_causal_launch" if causal else "flash_attention_launch")
    f.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 3 + [ctypes.c_void_p]

    def launch(q, k, v, out):
        heads, m, n = q.shape[0] * q.shape[1], q.shape[2], k.shape[2]
        status = f(q.data_ptr(), k.data_ptr(), v.data_ptr(), out.data_ptr(), heads, m, n, torch.cuda.current_stream().cuda_stream)
        if status != 0:
            raise RuntimeError(f"status {status}")

    return launch


def draw(b, h, m, n, d):
    make = lambda rows: torch.randn(b, h, rows, d, device="cuda", dtype=torch.float16)
    return make(m), make(n), make(n)


def check(launch, d, causal):
    worst = 0.0
    for b, h, m, n in [(1, 1, 1, 1), (1, 3, 64, 64), (2, 2, 127, 129), (1, 2, 200, 333), (1, 2, 777, 511), (2, 1, 1025, 1025)]:
        q, k, v = draw(b, h, m, n, d)
        want = scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
        out = torch.full_like(q, float("nan"))
        launch(q, k, v, out)
        error = ((out.double() - want).norm() / want.norm()).item()
        if not error < 2e-3:
            return f"wrong: {b} {h} {m} {n}: {error}"
        worst = max(worst, error)
    return worst


def seconds(f, times=10):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        f()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1000 / times


def main(directory, rounds=5):
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}")
    print("variant,d,length,causal,error,tflops,torch,ratio")
    for path in sorted(pathlib.Path(directory).glob("*.so")):
        name, d = path.stem.rsplit("-", 1)
        d = int(d)
        library = ctypes.CDLL(str(path))
        for causal in (False, True):
            launch = launcher(library, causal)
            error = check(launch, d, causal)
            if isinstance(error, str):
                print(f"{name},{d},-,{causal},{error}")
                continue
            for length in (4096, 16384):
                b, h = 16384 // length, 2048 // d
                q, k, v = draw(b, h, length, length, d)
                out = torch.empty_like(q)
                flops = 4 * b * h * length * length * d / (2 if causal else 1)
                mine, peer = [], []
                with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                    run_peer = lambda: scaled_dot_product_attention(q, k, v, is_causal=causal)
                    run_mine = lambda: launch(q, k, v, out)
                    run_mine(), run_peer()
                    for _ in range(int(rounds)):
                        mine.append(seconds(run_mine))
                        peer.append(seconds(run_peer))
                a, b_ = flops / statistics.median(mine) / 1e12, flops / statistics.median(peer) / 1e12
                print(f"{name},{d},{length},{causal},{error:.2e},{a:.1f},{b_:.1f},{a / b_:.3f}", flush=True)


main(*sys.argv[1:])
