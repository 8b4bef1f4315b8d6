#!/usr/bin/env python3
"""What tcpc.tune gains for the cases of some lists, on a GPU: a line for each case, with GB/s of a copy, and the shares of it that the planner's choice and the
tuned one reach. Needs PyTorch, NVRTC and libtcpc.

usage: tuned.py [-n N] [--seconds S] [--rounds R] LIST.. > TABLE

-n: candidates, 13 by default    --seconds: begin no case later    --rounds: in which the three take turns, 9 by default

All processors compile first, so that the calls find the code on the disk. The choice is then measured anew, each time with a clean L2 cache, and each element
of the result is compared. The last number is how many seconds the call took.
"""
import argparse
import math
import multiprocessing
import os
import statistics
import sys
import time

from candidates import GUARD, Gpu, case_of  # which finds the package

MILLISECONDS = 4  # of launches at a time


class Backend:
    name, emit, arch = "sm_90", 5, "sm_90"


def compile_one(task):
    """With the names that the calls below give: first the planner's own choice, then all candidates."""
    case, number = task
    from tcpc import _cuda, _engine

    size = case["size"]
    sides = [[stride * size for stride in case[side]] for side in ("src", "dst")]
    made = _engine.simplify(case["extent"], *sides, (size, size), None, ((1 << 40) + case["skip"] * size, 1 << 41))
    try:
        kernel = _engine.Kernel(f"relayout_{number + 1}", Backend, made.request, candidate=max(0, number - 1))
        _cuda.compile_cubin(kernel.compiled.output, 90)
    except Exception:
        return  # there are not so many


def milliseconds(gpu, work, launches):
    gpu.clean()
    gpu.events[0].record()
    for _ in range(launches):
        work()
    gpu.events[1].record()
    gpu.events[1].synchronize()
    return gpu.events[0].elapsed_time(gpu.events[1]) / launches


def measure(gpu, case, args):
    import tcpc

    torch, size, shift = gpu.torch, case["size"], case["skip"]
    word = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[size]
    reach = [sum((e - 1) * s for e, s in zip(case["extent"], case[side])) + 1 for side in ("src", "dst")]
    source = torch.randint(-128, 128, ((reach[0] + shift) * size,), dtype=torch.int8, device="cuda").view(word)
    memory = torch.full((reach[1] * size + GUARD,), 77, dtype=torch.int8, device="cuda")
    view = torch.as_strided(source, case["extent"], case["src"], shift)
    target = torch.as_strided(memory[:reach[1] * size].view(word), case["extent"], case["dst"])
    plain = [torch.empty(math.prod(case["extent"]) * size, dtype=torch.int8, device="cuda") for _ in range(2)]
    tcpc.cache_clear()
    before = tcpc.plan(view, "... -> ...", out=target)
    begin = time.perf_counter()
    tuned = tcpc.tune(view, "... -> ...", out=target, candidates=args.n)
    took = time.perf_counter() - begin
    after = tcpc.plan(view, "... -> ...", out=target)
    works = [lambda: plain[1].copy_(plain[0]), lambda: before(view, out=target), lambda: after(view, out=target)]
    right = []
    for work in works[1:]:
        memory.fill_(77)
        work()
        right.append(torch.equal(view, target) and bool((memory[-GUARD:] == 77).all()))
    launches = [max(2, round(MILLISECONDS / milliseconds(gpu, work, 2))) for work in works]
    times = [[], [], []]
    for turn in range(args.rounds):
        for i in [(turn + k) % 3 for k in range(3)]:
            times[i].append(milliseconds(gpu, works[i], launches[i]))
    copy, first, last = map(statistics.median, times)
    wrong = "" if all(right) else " WRONG"
    print(f"{case['name']} {2 * plain[0].numel() / copy / 1e6:.0f} {copy / first:.3f} {copy / last:.3f} {tuned.chosen} {took:.2f}{wrong}", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("lists", nargs="+")
    p.add_argument("-n", type=int, default=13)
    p.add_argument("--seconds", type=float, default=1e9)
    p.add_argument("--rounds", type=int, default=9)
    args = p.parse_args()
    begin = time.time()
    cases = [case_of(line)[0] for path in args.lists for line in open(path) if line.strip()]
    cases = [case for case in cases if case["size"] <= 8 and min(case["src"]) >= 0]
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        pool.map(compile_one, [(case, number) for case in cases for number in range(args.n + 1)], chunksize=2)
    import torch

    gpu = Gpu(torch)
    print(f"# {torch.cuda.get_device_name()}; PyTorch {torch.__version__}; {args.n} candidates, compiled in {time.time() - begin:.0f} s")
    print("# case, GB/s of a copy, share of the planner's choice, share of the tuned one, its number, seconds of the call", flush=True)
    for case in cases:
        if time.time() - begin > args.seconds:
            print(f"# no time was left for {case['name']} and what follows")
            break
        try:
            measure(gpu, case, args)
        except Exception as failure:
            print(f"# {case['name']}: {type(failure).__name__}: {failure}", flush=True)
    print(f"# {time.time() - begin:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
