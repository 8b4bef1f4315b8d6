#!/usr/bin/env python3
"""Times the planner's first candidates of each case of some lists, beside a copy of the same bytes, on a GPU. Needs PyTorch, NVRTC and libtcpc.

usage: candidates.py [-n N] [--seconds S] [--first LIST:M] LIST.. > TABLE

-n: candidates of a case, 16 by default    --first: M instead of N for the cases of this list    --seconds: for planning and compiling; what is not ready
by then is left out, the last candidates first

All processors plan and compile. Then the candidates of a case take turns for ROUNDS rounds, each with a clean L2 cache, as bench.py does. Every element
of each is compared, and GUARD bytes behind the destination. A line of the table is a case: its name, GB/s of the copy, then NUMBER:SHARE:REGISTERS:BLOCKS
of each candidate, where BLOCKS are those on an SM; the share is that of the copy, or "wrong". Planning is the same everywhere, so that `tcpc relayout
--candidate=NUMBER` tells what a candidate is.
"""
import argparse
import ctypes
import math
import multiprocessing
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

from prepare import TYPES, case_of  # noqa: E402

ROUNDS, LAUNCHES, GUARD, CLEAN, BUSY, ARCH = 7, 2, 65536, 256 << 20, 200_000, "sm_90"
FROM, TO = 1 << 40, 1 << 41  # addresses of nothing, for the launch as data
REGISTERS, MOST_SHARED = 4, 8  # of the driver's attributes of a function


def made(task):
    """A candidate as code, and the launch; None: there is none, or it comes too late."""
    case, number, end = task
    if time.time() > end:
        return None
    from tcpc import _cuda, _library as library

    element = TYPES[case["size"]]
    source = library.Sides(element, tuple(case["src"]), 0, case["align"])
    destination = library.Sides(element, tuple(case["dst"]), 0, 16)
    try:
        made = library.compile_relayout("k", case["extent"], source, destination, (), library.DEVICE, ARCH, number)
        code = _cuda.compile_cubin(made.output, 90)
    except Exception as failure:
        return case["name"], number, str(failure)[:100]
    launch, call, room = made.launch, library.Call(size=ctypes.sizeof(library.Call)), (ctypes.c_uint64 * 64)()
    pointers, none = (ctypes.c_uint64 * 2)(FROM, TO), (ctypes.c_int64 * 1)()
    at = -ctypes.addressof(room) % 16
    if library.library().tcpc_launch_evaluate(launch, none, pointers, ctypes.addressof(room) + at, ctypes.byref(call)):
        return case["name"], number, call.message.decode()
    variant = call.variant.contents
    arguments = bytes(room)[at:at + variant.argument_bytes]
    return case["name"], number, (code, variant.symbol, tuple(call.grid), variant.threads, variant.shared_bytes, variant.shared_to_set, arguments, made.how, made.cost)


class Loaded:
    def __init__(self, gpu, what):
        code, symbol, self.grid, self.threads, self.shared, to_set, self.arguments, self.how, self.cost = what
        self.gpu, self.library, kernel, self.function = gpu, ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        gpu("cuLibraryLoadData", ctypes.byref(self.library), code, None, None, 0, None, None, 0)
        gpu("cuLibraryGetKernel", ctypes.byref(kernel), self.library, symbol)
        gpu("cuKernelGetFunction", ctypes.byref(self.function), kernel)
        if to_set:
            gpu("cuFuncSetAttribute", self.function, MOST_SHARED, ctypes.c_int(to_set))
        blocks, registers = ctypes.c_int(), ctypes.c_int()
        gpu("cuFuncGetAttribute", ctypes.byref(registers), REGISTERS, self.function)
        gpu("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(blocks), self.function, ctypes.c_int(self.threads), ctypes.c_size_t(self.shared))
        self.registers, self.blocks, self.shares, self.calls = registers.value, blocks.value, [], []

    def prepare(self, pairs):
        for source, destination in pairs:
            words = (ctypes.c_uint64 * (len(self.arguments) // 8))()
            ctypes.memmove(words, self.arguments, len(self.arguments))
            for i, word in enumerate(words):
                for base, real in (FROM, source), (TO, destination):
                    if base <= word < base + (1 << 39):
                        words[i] = word - base + real
            size = ctypes.c_size_t(len(self.arguments))
            self.calls.append(((ctypes.c_void_p * 5)(1, ctypes.addressof(words), 2, ctypes.addressof(size), None), words, size))

    def __call__(self, pair):
        self.gpu("cuLaunchKernel", self.function, *self.grid, self.threads, 1, 1, self.shared, None, None, self.calls[pair][0])


class Gpu:
    def __init__(self, torch):
        from tcpc import _cuda

        self.torch, self.cuda = torch, _cuda._driver()
        torch.zeros(1, device="cuda")
        self.room = torch.zeros(CLEAN // 4, dtype=torch.int32, device="cuda")
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def __call__(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {status}")

    def clean(self):
        """Fills the L2 cache with other lines, and keeps the GPU busy, so that the first launch is not waited for."""
        self("cuCtxResetPersistingL2Cache")
        for _ in range(2):
            self.room.max()
        self.torch.cuda._sleep(BUSY)

    def milliseconds(self, work):
        self.clean()
        self.events[0].record()
        for i in range(LAUNCHES):
            work(i % 2)
        self.events[1].record()
        self.events[1].synchronize()
        return self.events[0].elapsed_time(self.events[1]) / LAUNCHES


def measure(gpu, case, found, out):
    torch, size, shift = gpu.torch, case["size"], case["skip"]
    word = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}[size]
    reach = [sum((e - 1) * s for e, s in zip(case["extent"], case[side])) + 1 for side in ("src", "dst")]
    sources = [torch.randint(-128, 128, ((reach[0] + shift) * size + 16,), dtype=torch.int8, device="cuda") for _ in range(2)]
    targets = [torch.empty(reach[1] * size + GUARD, dtype=torch.int8, device="cuda") for _ in range(2)]
    pairs = [(s.data_ptr() + shift * size, t.data_ptr()) for s, t in zip(sources, targets)]
    whole = sources[0][:(reach[0] + shift) * size].view(word)
    both = torch.as_strided(whole, case["extent"], case["src"], shift), torch.as_strided(targets[0][:reach[1] * size].view(word), case["extent"], case["dst"])
    if size == 16:
        both = [torch.view_as_real(x).view(torch.int64) for x in both]
    bytes_ = math.prod(case["extent"]) * size
    plain = [torch.empty(bytes_, dtype=torch.int8, device="cuda") for _ in range(2)], [torch.empty(bytes_, dtype=torch.int8, device="cuda") for _ in range(2)]
    ready, wrong = {}, []
    for number, what in sorted(found.items()):
        if isinstance(what, str):
            wrong.append(f"{number}:refused")
            print(f"{case['name']} {number}: {what}", file=sys.stderr)
            continue
        each = Loaded(gpu, what)
        each.prepare(pairs)
        targets[0].fill_(77)
        each(0)
        if torch.equal(*both) and bool((targets[0][-GUARD:] == 77).all()):
            ready[number] = each
        else:
            wrong.append(f"{number}:wrong")
    times = {number: [] for number in ready}
    copies = []
    works = [(copies, lambda i: plain[1][i].copy_(plain[0][i]))] + [(times[n], ready[n]) for n in ready]
    for _, work in works:
        work(0)
    for turn in range(ROUNDS):
        for into, work in works[turn % len(works):] + works[:turn % len(works)]:
            into.append(gpu.milliseconds(work))
    copy = statistics.median(copies)
    row = [f"{n}:{copy / statistics.median(times[n]):.3f}:{ready[n].registers}:{ready[n].blocks}" for n in ready]
    out(" ".join([case["name"], f"{2 * bytes_ / copy / 1e6:.0f}", *row, *wrong]))
    for each in ready.values():
        gpu("cuLibraryUnload", each.library)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("lists", nargs="+")
    p.add_argument("-n", type=int, default=16)
    p.add_argument("--first", action="append", default=[])
    p.add_argument("--seconds", type=float, default=90)
    p.add_argument("--total", type=float, default=1e9)
    args = p.parse_args()
    begin, more = time.time(), {x.rpartition(":")[0]: int(x.rpartition(":")[2]) for x in args.first}
    cases = {}
    for path in args.lists:
        for line in open(path):
            if line.strip():
                case = case_of(line)[0]
                cases[case["name"]] = {**case, "most": more.get(pathlib.Path(path).name, args.n)}
    tasks = [(case, k, begin + args.seconds) for k in range(max(c["most"] for c in cases.values())) for case in cases.values() if k < case["most"]]
    found = {name: {} for name in cases}
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for one in pool.imap_unordered(made, tasks, chunksize=2):
            if one is not None:
                found[one[0]][one[1]] = one[2]
    print(f"# {sum(map(len, found.values()))} of {len(tasks)} in {time.time() - begin:.0f} s", flush=True)
    import torch

    gpu = Gpu(torch)
    print(f"# {torch.cuda.get_device_name()}; PyTorch {torch.__version__}; {ROUNDS} rounds of {LAUNCHES} launches", flush=True)
    for name, case in cases.items():
        if time.time() - begin > args.total:
            print(f"# out of time before {name}")
            break
        try:
            measure(gpu, case, found[name], lambda line: print(line, flush=True))
        except Exception as failure:
            print(f"# {name}: {type(failure).__name__}: {failure}", flush=True)
    print(f"# {time.time() - begin:.0f} s")


if __name__ == "__main__":
    main()
