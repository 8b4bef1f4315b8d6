"""Peers of PyTorch: its own copy, torch.compile, kernels in Triton, and tcpc's Python package. They see the same memory as the others."""
import sys

import torch
import torch._inductor.config
import triton

import triton_peers

NAMES = {1: "|u1", 2: "<f2", 4: "<f4", 8: "<f8", 16: "<c16"}

# What was found fastest by another process was measured beside others: measure again.
torch._inductor.config.autotune_local_cache = False


def versions():
    return [("PyTorch", torch.__version__), ("Triton", triton.__version__)]


class Memory:
    """What tells PyTorch of memory that is not its own."""

    def __init__(self, address, count, size):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": NAMES[size], "data": (address, False), "version": 3}


def tensor(pointer, bytes, size):
    return torch.as_tensor(Memory(pointer.value, bytes // size, size), device="cuda")


def order(case):
    """Modes of the source, as the destination has them from the slowest to the fastest."""
    return sorted(range(case.rank), key=lambda m: -case.written[m])


def dense(case):
    n = 1
    for extent, stride in zip(reversed(case.extents), reversed(case.strides)):
        if stride != n:
            return False
        n *= extent
    return True


def sides(case, source, to):
    """The tensors that hold all of the source, and the destinations, of each pair."""
    perm = order(case)
    wholes = [tensor(p, case.from_bytes, case.size) for p in source]
    return wholes, [torch.as_strided(tensor(p, case.to_bytes, case.size), case.extents, case.written).permute(perm) for p in to]


def picked_of(case, x):
    """The source as a view of its memory; where strides are negative, as a copy: PyTorch has none."""
    view = torch.as_strided(x, case.extents, [abs(s) for s in case.strides], case.shift)
    back = [m for m, s in enumerate(case.strides) if s < 0]
    return view.flip(back) if back else view


def function_of(case):
    """The case as a function of all of the source and the destination, compiled when it is first called."""
    perm, extents = order(case), tuple(case.extents)

    def permuted(x, out):
        out.copy_(x.view(extents).permute(perm))

    def picked(x, out):
        out.copy_(picked_of(case, x).permute(perm))

    torch._dynamo.reset()
    return torch.compile(permuted if dense(case) else picked, mode="max-autotune-no-cudagraphs", dynamic=False)


class TorchPeers:
    """Each method makes a list of peers of a case, of one kind; only: the names of the cases that are compiled, or None for all."""

    def __init__(self, bench, peer, only):
        self.bench, self.peer, self.only = bench, peer, only

    def compiles(self, case, wanted):
        return "compile" in wanted and case.size < 16 and (self.only is None or case.name in self.only)

    def warm(self, cases, wanted, log):
        """Compiles all that the cases need, and writes the names of those that are ready."""
        for case in cases:
            source, to = self.bench.memory(case.from_bytes + 4), self.bench.memory(case.to_bytes)
            try:
                for launch in self.of_triton(case, [source], [to]) if "triton" in wanted else []:
                    launch(0)
                if self.compiles(case, wanted):
                    (x,), (out,) = sides(case, [source], [to])
                    function_of(case)(x, out)
                torch.cuda.synchronize()
                print(case.name, file=log, flush=True)
            except Exception as failure:  # whatever a compiler of Python throws
                print(f"{case.name}: {type(failure).__name__}: {failure}", file=sys.stderr)
            self.bench.lib.bench_free(source)
            self.bench.lib.bench_free(to)

    def eager(self, case, source, to, wanted):
        if "torch" not in wanted:
            return []
        wholes, outs = sides(case, source, to)
        if min(case.strides) < 0:  # the copy that turns it counts
            return [self.peer("torch", lambda pair: outs[pair].copy_(picked_of(case, wholes[pair]).permute(order(case))))]
        views = [picked_of(case, x).permute(order(case)) for x in wholes]
        return [self.peer("torch", lambda pair: outs[pair].copy_(views[pair]))]

    def python(self, case, source, to, wanted):
        """The Python package, which plans and compiles for what it is given, as a call from a program does."""
        if "python" not in wanted or min(case.strides) < 0:
            return []
        import tcpc

        wholes, outs = sides(case, source, to)
        views = [picked_of(case, x).permute(order(case)) for x in wholes]
        return [self.peer("python", lambda pair: tcpc.copy_(outs[pair], views[pair]))]

    def of_triton(self, case, source, to):
        flat = ([tensor(p, bytes, case.size) for p in pointers] for pointers, bytes in ((source, case.from_bytes), (to, case.to_bytes)))
        return triton_peers.launches(case, *flat)

    def triton(self, case, source, to, wanted):
        return self.bench.fastest("triton", self.of_triton(case, source, to)) if "triton" in wanted else []

    def compiled(self, case, source, to, wanted):
        if not self.compiles(case, wanted):
            return []
        (wholes, outs), function = sides(case, source, to), function_of(case)
        function(wholes[0], outs[0])
        return [self.peer("compile", lambda pair: function(wholes[pair], outs[pair]))]
