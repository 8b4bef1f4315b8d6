#!/usr/bin/env python3
"""Measures all peers of the relayouts in cases.json, beside cudaMemcpyAsync of the same bytes: CSV, a line for each case and peer.

Each peer gets fresh random elements and a poisoned destination, in each pair of buffers. Every element is compared with where its coordinate says
that it comes from, and the poison behind the destination is looked at. Then the peers take turns for ROUNDS rounds, each time for MINIMUM_MS or
longer. The figure is the median of the rounds: bytes read plus written a second.

usage: bench.py [--cases PART,..] [--peers NAME,.. | --python] [--seconds N] [--compiled FILE] [--dirty] [-o FILE]

--cases: those whose name contains one of the parts    --peers: only these, beside memcpy
--python: tcpc's Python package beside tcpc, PyTorch, torch.compile and cuTENSOR
--seconds: begin no case later    --compiled: torch.compile for the cases alone that are named in FILE    -o: default: standard output
--dirty: do not clean the L2 cache before each peer, which then finds the lines that the one before it left
--warm I/N: measure nothing, but compile what PyTorch and Triton need for case I of each N, so that it is in their caches; the names of the cases
come to FILE
"""
import argparse
import ctypes
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROUNDS, MINIMUM_MS, PAIRS, GUARD, BUSY_US, TRIES, NO_KERNEL, CLEAN = 5, 6, 2, 65536, 400, 2, 1, 256 << 20
TYPES = {1: "u8", 2: "f16", 4: "f32", 8: "f64", 16: "b128"}
HERE = pathlib.Path(__file__).resolve().parent


class Case(ctypes.Structure):
    MODES = 12
    Modes = ctypes.c_longlong * MODES
    _fields_ = [("size", ctypes.c_int), ("rank", ctypes.c_int), ("extent", Modes), ("src", Modes), ("dst", Modes), ("skip", ctypes.c_longlong)]

    def __init__(self, row):
        super().__init__(row["size"], len(row["extent"]), *(self.Modes(*row[x]) for x in ("extent", "src", "dst")), row["skip"])
        self.name, self.align, self.shift = row["name"], row["align"], row.get("shift", row["skip"])  # "shift": where its memory begins
        self.extents, self.strides, self.written = row["extent"], row["src"], row["dst"]
        self.elements, self.from_bytes, self.to_bytes = 1, row["skip"] + 1, 1
        for extent, src, dst in zip(row["extent"], row["src"], row["dst"]):
            self.elements *= extent
            self.from_bytes += (extent - 1) * max(src, 0)
            self.to_bytes += (extent - 1) * dst
        self.from_bytes *= self.size
        self.to_bytes *= self.size
        self.bytes = self.elements * self.size


class Wrong(Exception):
    pass


class Peer:
    """What runs a case: launch(pair) enqueues one run; finite: it computes, so that NaN may change."""

    finite = False

    def __init__(self, name, launch):
        self.name, self.launch, self.rounds = name, launch, []


def checked(status):
    if status != 0:
        raise Wrong("a launch fails")


class Bench:
    def __init__(self, folder, clean=True):
        self.lib = lib = ctypes.CDLL(str(folder / "librelayout.so"))
        lib.bench_wrong.restype, lib.bench_end.restype = ctypes.c_longlong, ctypes.c_double
        self.tcpc = ctypes.CDLL(str(folder / "libtcpc.so"))
        library = folder / "libcutensor.so.2"
        self.cutensor = lib.cutensor_open(str(library).encode()) if hasattr(lib, "cutensor_open") and library.exists() else 0
        self.begin, self.end = ctypes.c_void_p(), ctypes.c_void_p()
        checked(lib.bench_event(ctypes.byref(self.begin)) | lib.bench_event(ctypes.byref(self.end)))
        self.seed, self.clean = 0, clean
        self.room = self.memory(CLEAN) if clean else None
        if clean:
            checked(self.lib.bench_poison(self.room, ctypes.c_longlong(CLEAN)))

    def versions(self):
        name, driver, runtime = ctypes.create_string_buffer(128), ctypes.c_int(), ctypes.c_int()
        checked(self.lib.bench_device(name, 128, ctypes.byref(driver), ctypes.byref(runtime)))
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        yield "date", time.strftime("%Y-%m-%d", time.gmtime())
        yield "device", name.value.decode()
        if shutil.which(query[0]):
            yield "driver", subprocess.run(query, stdout=subprocess.PIPE, text=True).stdout.split("\n")[0]
        for what, n in (("CUDA of the driver", driver.value), ("CUDA", runtime.value)):
            yield what, f"{n // 1000}.{n % 1000 // 10}"
        if self.cutensor:
            yield "cuTENSOR", f"{self.cutensor // 10000}.{self.cutensor // 100 % 100}.{self.cutensor % 100}"

    def memory(self, bytes):
        p = ctypes.c_void_p()
        checked(self.lib.bench_memory(ctypes.byref(p), ctypes.c_longlong(bytes)))
        return p

    def milliseconds(self, peer, n):
        """Of one launch, in n of them. What was there before is in no cache."""
        if self.clean:
            checked(self.lib.bench_clean(self.room, ctypes.c_longlong(CLEAN)))
        checked(self.lib.bench_begin(self.begin, BUSY_US))
        for i in range(n):
            peer.launch(i % PAIRS)
        ms = self.lib.bench_end(self.begin, self.end)
        if ms < 0:
            raise Wrong("a launch fails")
        return ms / n

    def fastest(self, name, launches):
        """A list of the peer that is the fastest here of those with these functions; empty without any."""
        found, least = [], float("inf")
        for launch in launches:
            peer = Peer(name, launch)
            self.milliseconds(peer, 2)
            ms = min(self.milliseconds(peer, 3) for _ in range(TRIES))
            if ms < least:
                found, least = [peer], ms
        return found

    def variants(self, function, case, source, to):
        """The functions of a peer of the library, for each of its variants that can be launched."""
        ref, variant = ctypes.byref(case), 0
        while (status := function(ref, source[0], to[0], variant)) != NO_KERNEL:
            if status == 0:
                yield lambda pair, variant=variant: checked(function(ref, source[pair], to[pair], variant))
            variant += 1

    def peers(self, case, source, to, wanted, others):
        lib, ref = self.lib, ctypes.byref(case)
        begin = [ctypes.c_void_p(p.value + case.shift * case.size) for p in source]
        found = [Peer("memcpy", lambda pair: checked(lib.memcpy_launch(source[pair], to[pair], ctypes.c_longlong(case.bytes))))]
        if "tcpc" in wanted:
            planned = getattr(self.tcpc, case.name + "_launch")
            found.append(Peer("tcpc", lambda pair: checked(planned(begin[pair], to[pair], None))))
        if "cutensor" in wanted and self.cutensor and lib.cutensor_plan(ref, case.align) == 0:
            found.append(Peer("cutensor", lambda pair: checked(lib.cutensor_launch(ref, source[pair], to[pair]))))
            found[-1].finite = True
        for name in ("memcpy2d", "cute", "hand", "tma"):
            if name in wanted and hasattr(lib, name + "_launch"):
                found += self.fastest(name, self.variants(getattr(lib, name + "_launch"), case, source, to))
        for make in others:
            try:
                found += make(case, source, to, wanted)
            except Exception as failure:  # whatever a compiler of Python throws
                print(f"{case.name}: {type(failure).__name__}: {failure}", file=sys.stderr)
        return found

    def verify(self, case, peer, source, to):
        """Whether each element is right, in each pair of buffers."""
        if peer.name == "memcpy":
            return True
        for pair in range(PAIRS):
            self.seed += 1
            real = case.size if peer.finite and case.size in (2, 4, 8) else 8 if peer.finite and case.size == 16 else 0
            size = (case.from_bytes + 3) // 4 * 4
            checked(self.lib.bench_fill(source[pair], ctypes.c_longlong(size), ctypes.c_ulonglong(self.seed), real))
            checked(self.lib.bench_poison(to[pair], ctypes.c_longlong(case.to_bytes + GUARD)))
            peer.launch(pair)
            checked(self.lib.bench_wait())
            wrong = self.lib.bench_wrong(ctypes.byref(case), source[pair], to[pair], ctypes.c_longlong(case.to_bytes),
                                         ctypes.c_longlong(GUARD))
            if wrong:
                print(f"{case.name}: {peer.name}: {wrong} bytes are wrong", file=sys.stderr)
                return False
        return True

    def measure(self, case, wanted, others, out):
        source = [self.memory(case.from_bytes + 4) for _ in range(PAIRS)]
        to = [self.memory(case.to_bytes + GUARD) for _ in range(PAIRS)]
        peers = self.peers(case, source, to, wanted, others)
        for peer in peers:
            try:
                peer.right = self.verify(case, peer, source, to)
            except Exception as failure:
                print(f"{case.name}: {peer.name}: {failure}", file=sys.stderr)
                peer.right = False
        timed = [peer for peer in peers if peer.right]
        for peer in timed:
            self.milliseconds(peer, PAIRS)
            peer.n = max(2, round(MINIMUM_MS / self.milliseconds(peer, PAIRS)))
        for r in range(ROUNDS):
            for peer in timed[r % len(timed):] + timed[:r % len(timed)]:
                peer.rounds.append(2e-6 * case.bytes / self.milliseconds(peer, peer.n))
        for peer in peers:
            peer.speed = statistics.median(peer.rounds or [0])
            values = [case.name, TYPES[case.size], case.bytes, peer.name, round(peer.speed), f"{peer.speed / peers[0].speed:.3f}"]
            print(*values, "yes" if peer.right else "NO", sep=",", file=out, flush=True)
        for p in source + to:
            checked(self.lib.bench_free(p))
        return all(peer.right for peer in peers)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cases", default="")
    p.add_argument("--peers", default="tcpc,memcpy2d,cutensor,cute,hand,triton,torch,compile")
    p.add_argument("--python", action="store_const", const="tcpc,python,torch,compile,cutensor", dest="peers")
    p.add_argument("--seconds", type=float, default=1e9)
    p.add_argument("--compiled", type=pathlib.Path)
    p.add_argument("--warm")
    p.add_argument("--dirty", action="store_true")
    p.add_argument("-o", default="/dev/stdout")
    args = p.parse_args()
    began = time.time()
    rows = json.loads((HERE / "cases.json").read_text())
    cases = [Case(row) for row in rows if any(part in row["name"] for part in args.cases.split(","))]
    bench, wanted, others, versions = Bench(HERE, not args.dirty), args.peers.split(","), [], []
    if {"triton", "torch", "compile", "python"} & set(wanted):
        try:
            import torch_peers as peers
            only = set(args.compiled.read_text().split()) if args.compiled and not args.warm else None
            of_torch = peers.TorchPeers(bench, Peer, only)
            others, versions = [of_torch.eager, of_torch.python, of_torch.triton, of_torch.compiled], peers.versions()
        except ImportError as missing:
            print(f"without PyTorch's peers: {missing}", file=sys.stderr)
    if args.warm:
        part, parts = (int(x) for x in args.warm.split("/"))
        with open(args.compiled or "/dev/null", "a") as log:
            of_torch.warm(cases[part::parts], wanted, log)
        return 0
    right, left = True, 0
    with open(args.o, "w") as out:
        print("#", "; ".join(f"{what} {version}" for what, version in [*bench.versions(), *versions]), file=out)
        print("case,type,bytes,peer,GB/s,share of memcpy,verified", file=out)
        for i, case in enumerate(cases):
            if time.time() - began > args.seconds:
                left = len(cases) - i
                break
            right = bench.measure(case, wanted, others, out) and right
        print(f"# {time.time() - began:.0f} s", file=out)
        if left:
            print(f"# the last {left} cases were left out: no time was left", file=out)
    return not right


if __name__ == "__main__":
    sys.exit(main())
