"""One process of a mesh, which test_reshard.py starts, or torchrun: random changes of placement, compared with the whole tensor.

usage: reshard_ranks.py [--seed N] [--cases N] [--device cpu|cuda] [--limit SECONDS] [--init FILE RANK SIZE]

After --limit seconds each process prints where it stands, and ends.
"""
import argparse
import faulthandler
import os
import pathlib
import random
import re
import sys
import time
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import numpy
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

import tcpc
from tcpc import _pattern, _reshard
from tcpc._pieces import extents, part

import exchanges

MOST = {torch.float32: 1 << 20, torch.float16: 2001, torch.bfloat16: 251, torch.int8: 101, torch.int64: 1 << 40, torch.float64: 1 << 40}  # different numbers that a type has
GUARD = 256


def of(placement):
    return Replicate() if placement is None else Shard(placement)


def strided(rng, x):
    """The same elements, sometimes with other strides."""
    if x.dim() < 2 or rng.random() < .6:
        return x
    order = rng.sample(range(x.dim()), x.dim())
    return x.permute(order).contiguous().permute([order.index(i) for i in range(x.dim())])


class Window:
    """Memory of the pool as PyTorch sees it."""

    def __init__(self, first, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (first, False), "version": 3, "strides": None}


def pool(mesh):
    """All of it: nothing is in use between two cases."""
    end = _reshard._ends.get(tuple(mesh.mesh.flatten().tolist()))
    return [torch.as_tensor(Window(*w), device="cuda") for w in end.windows] if end else []


def is_untouched(windows, y):
    """Whether the pool has its poison outside of "y"."""
    for w in windows:
        first = y.data_ptr() - w.data_ptr()
        inside = 0 <= first < w.numel()
        parts = [w[:first], w[first + y.numel() * y.itemsize:]] if inside else [w]
        if not all((p == 0xA5).all() for p in parts):
            return False
    return True


class Rooms:
    """The memory of the packed path, between bytes that nobody writes."""

    def __init__(self):
        self.made = []

    def __call__(self, x, shape, dtype):
        n = _pattern.product(shape if isinstance(shape, tuple) else (shape,)) * dtype.itemsize
        whole = torch.full((n + 2 * GUARD,), 0xA5, dtype=torch.uint8, device=x.device)
        self.made.append(whole)
        return whole[GUARD:GUARD + n].view(dtype).view(shape)

    def hold(self):
        made, self.made = self.made, []
        return all((w[:GUARD] == 0xA5).all() and (w[-GUARD:] == 0xA5).all() for w in made)


class Swaps:
    """The all-to-all of tensors that NCCL has and the process group of the CPU has not."""

    calls = 0

    def __call__(self, got, sent, group, async_op):
        Swaps.calls += 1
        ranks, me = dist.get_process_group_ranks(group), dist.get_rank(group)
        work = [dist.irecv(t, ranks[i], group) for i, t in enumerate(got) if i != me and t.numel()]
        return Together(work + [dist.isend(t, ranks[i], group) for i, t in enumerate(sent) if i != me and t.numel()])

    @staticmethod
    def agree():
        """Whether all processes have made the same number of calls."""
        all_calls = [None] * dist.get_world_size()
        dist.all_gather_object(all_calls, Swaps.calls)
        return len(set(all_calls)) == 1


class Together(list):
    def wait(self):
        for w in self:
            w.wait()


class Case(typing.NamedTuple):
    bound: typing.Any
    pattern: str
    plain: bool  # DTensor can state it
    two: bool  # axes of the mesh
    source: tuple
    target: tuple
    dtype: typing.Any
    into: typing.Any
    as_dtensor: bool
    by_group: bool
    packed: bool
    stridden: float  # chooses strides, below .5 the same on all devices

    def numbers(self):
        """The whole on both sides, by numpy."""
        bound, axes = self.bound, [a for g in self.bound.left for a in g]
        n = _pattern.product(bound.extent.values())
        whole = numpy.arange(n) * 7919 % min(MOST[self.dtype], MOST[self.into]) - 50
        order = [axes.index(a) for g in bound.right for a in g]
        left = whole.reshape([_pattern.product(bound.extent[a] for a in g) for g in bound.left])
        return left, whole.reshape([bound.extent[a] for a in axes]).transpose(order).reshape(bound.shape)


def draw(rng, size):
    drawn = exchanges.drawn(rng, rng.choice([(1, 2, 3, 4, 5, 7), (1, 4, 8, 16), (4, 8)]))
    bound, plain = drawn.bound, rng.random() < .25
    pattern = f"{exchanges.text(bound.left)} -> {exchanges.text(bound.right)}"
    if plain:
        names = "abcde"[:len(bound.left)]
        shape = [_pattern.product(bound.extent[a] for a in g) for g in bound.left]
        pattern = f"{' '.join(names)} -> {' '.join(names)}"
        bound = _pattern.bind(_pattern.parse(pattern), shape, {})
    two = size % 2 == 0 and size > 2 and rng.random() < .35
    shape = (2, size // 2) if two else (size,)
    dtype = rng.choice(list(MOST))
    into = rng.choice([dtype, dtype, torch.float32, torch.float16]) if dtype in (torch.float32, torch.float16) else dtype
    return Case(bound, pattern, plain and into == dtype, two, exchanges.placements(rng, shape, len(bound.left)), exchanges.placements(rng, shape, len(bound.right)), dtype, into,
                rng.random() < .3, rng.random() < .5, rng.random() < .5, rng.random())


def cut(x, mesh, placements):
    """This device's part of an array of numpy, as torch.chunk cuts it."""
    for axis, dim in enumerate(placements):
        if dim is not None:
            n, at = mesh.size(axis), mesh.get_local_rank(axis)
            step = -(-x.shape[dim] // n)
            x = x.take(numpy.arange(min(at * step, x.shape[dim]), min(at * step + step, x.shape[dim])), axis=dim)
    return numpy.ascontiguousarray(x)


def classes(c, mine, uneven):
    """The kinds of cases that this one belongs to."""
    sharded = [p for p in c.target if p is not None]
    left, right = ([a for g in side for a in g] for side in (c.bound.left, c.bound.right))
    return {"two axes": c.two, "one axis": not c.two, "replicated source": None in c.source, "replicated target": None in c.target, "nothing replicated": None not in c.source + c.target,
            "a dimension twice": len(set(sharded)) < len(sharded), "permuted": left != right, "not permuted": left == right, "uneven": uneven, "even": not uneven,
            "strides": not mine.is_contiguous(), "conversion": c.into != c.dtype, "DTensor": c.as_dtensor, **{f"rank {n}": len(left) == n for n in range(1, 6)}}


def run(c, meshes, device, rooms, counts):
    """Whether a case is right on this device: packed, and on GPUs direct too."""
    mesh = meshes[c.two]
    shape = tuple(mesh.shape)
    left, right = c.numbers()
    strides = random.Random(c.stridden + (c.stridden > .5) * dist.get_rank())
    mine = strided(strides, torch.from_numpy(cut(left, mesh, c.source)).to(c.dtype).to(device))
    want = torch.from_numpy(cut(right, mesh, c.target)).to(c.dtype).to(c.into)
    source, target = [of(p) for p in c.source], [of(p) for p in c.target]
    uneven = any(len({extents(part(x.shape, shape, p, d)) for d in range(mesh.size())}) > 1 for x, p in ((left, c.source), (right, c.target)))
    for name, holds in classes(c, mine, uneven).items():
        counts[name] = counts.get(name, 0) + holds
    whole = torch.empty(left.shape, device="meta")
    given, where, more = mine, mesh, {"shape": left.shape}
    if c.as_dtensor:
        given, where, more = DTensor.from_local(mine, mesh, source, run_check=False, shape=whole.shape, stride=whole.stride()), None, {}
    elif not c.two and c.by_group:
        where = mesh.get_group()
        counts["group"] += 1
    windows, right = pool(mesh), True
    for path in (None, "packed") if device == "cuda" else ("packed" if c.packed else None,):
        for w in windows:
            w.fill_(0xA5)
        y = tcpc.reshard(given, where, None if c.as_dtensor else source, target, c.pattern, dtype=c.into, path=path, **more, **c.bound.extent)
        if c.as_dtensor:
            right = right and tuple(y.shape) == c.bound.shape and list(y.placements) == target
            y = y.to_local()
        direct = in_pool(y, mesh)
        counts["direct" if direct else "packed"] += 1
        right = right and (direct or path or device == "cpu" or uneven or not planned(c, shape)) and is_untouched(windows, y) and rooms.hold() and y.is_contiguous()
        right = right and y.dtype == want.dtype and torch.equal(y.cpu(), want)
        right = right and (device == "cuda" or Swaps.agree())
        del y
    if c.plain:
        beside = DTensor.from_local(mine.contiguous(), mesh, source, run_check=False, shape=whole.shape, stride=whole.stride()).redistribute(mesh, target).to_local()
        counts["beside DTensor"] += 1
        right = right and torch.equal(beside.cpu(), want)
    if not right:
        print(f"rank {dist.get_rank()}: wrong: {c.pattern} {c.bound.extent} mesh {shape} {c.source} -> {c.target} {c.dtype} {c.into}", flush=True)
    return right


def counted(work, name, counts):
    counts[name] = 0

    def call(*arguments):
        counts[name] += 1
        return work(*arguments)

    return call


def planned(c, shape):
    """The plan of the direct path."""
    return _reshard._text(_reshard._Hashed(c.bound, shape, c.source, c.target), c.dtype, c.into)


def compile_ahead(cases, meshes):
    """The direct kernels, which the processes share by the disk."""
    from tcpc import _cuda, _library

    size, device = dist.get_world_size(), _cuda.device(torch.cuda.current_device())
    texts = sorted({t for t in (planned(c, tuple(meshes[c.two].shape)) for c in cases) if t})
    for text in texts[dist.get_rank()::size]:
        try:
            made = _library.compile_plan(text.encode(), _library.Source("reshard", None, (), device.arch), _library.DEVICE)
        except tcpc.CompileError:
            continue
        _cuda.compile_cubin(made.output, device.number)


def in_pool(y, mesh):
    end = _reshard._ends.get(tuple(mesh.mesh.flatten().tolist()))
    return end is not None and any(first <= y.data_ptr() < first + n for first, n in end.windows)


def test_like_dtensor(mesh, device):
    """The same as PyTorch's own change of placement, where it can state the case."""
    x = torch.arange(10 * 6.).reshape(10, 6).to(device)
    one = distribute_tensor(x, mesh, [Shard(0)])
    for target in Shard(1), Replicate():
        assert torch.equal(tcpc.reshard(one, None, None, [target]).to_local(), one.redistribute(mesh, [target]).to_local())


def test_gradients(mesh, device):
    size, me = mesh.size(), mesh.get_local_rank()
    x = torch.arange(size * 2 * size * 3.).reshape(size * 2, size * 3)
    mine = x.chunk(size)[me].to(device).requires_grad_()
    y = tcpc.reshard(mine, mesh, [Shard(0)], [Shard(0)], "a b -> b a")
    (y * torch.arange(y.numel()).reshape(y.shape).to(device)).sum().backward()
    rows = torch.cat([torch.arange(y.numel()).reshape(y.shape)] * size)
    assert torch.equal(mine.grad.cpu(), rows.t().chunk(size)[me].float())


def test_strides(mesh, device):
    """One device repeats its row by a stride of 0, and another has its memory turned: all make the same call of the process group."""
    size, me = mesh.size(), mesh.get_local_rank()
    rows = torch.arange(size * 6.).reshape(size, 6).repeat_interleave(4, 0)
    mine = rows.chunk(size)[me].to(device)
    mine = mine[:1].expand(4, 6) if me == 0 else mine.t().contiguous().t() if me == 1 else mine
    for pattern, shard, want in ("(a b) c -> (b a) c", 0, rows.reshape(size, 4, 6).transpose(0, 1).reshape(size * 4, 6)), ("a b -> b a", 1, rows.t()):
        assert torch.equal(tcpc.reshard(mine, mesh, [Shard(0)], [Shard(shard)], pattern, path="packed", **({"b": 4} if "(" in pattern else {})).cpu(), want.chunk(size, shard)[me])
    whole = torch.arange(size * 2 * size * 2.).reshape(size * 2, size, 2)
    mine = whole.chunk(size)[me].to(device)
    mine = mine.permute(2, 1, 0).contiguous().permute(2, 1, 0) if me % 2 else mine
    assert torch.equal(tcpc.reshard(mine, mesh, [Shard(0)], [Shard(0)], "a b c -> (c b) a", path="packed").cpu(), whole.permute(2, 1, 0).reshape(size * 2, size * 2).chunk(size)[me])


def refused(error, words, call):
    try:
        call()
    except error as e:
        assert re.search(words, str(e)), str(e)
        return
    raise AssertionError(f"not refused: {words}")


def test_messages(mesh, device):
    x, s = torch.zeros(4, 6, device=device), [Shard(0)]
    one = distribute_tensor(torch.zeros(8, 6, device=device), mesh, s)
    refused(TypeError, "a mesh is a DeviceMesh or a process group, not int", lambda: tcpc.reshard(x, 4, s, s))
    refused(TypeError, r"the source placements are a list, one for each axis of the mesh, such as \[Shard", lambda: tcpc.reshard(x, mesh, Shard(0), s))
    refused(ValueError, "the mesh has 1 axes, but there are 2 target placements", lambda: tcpc.reshard(x, mesh, s, s * 2))
    refused(ValueError, "would need sums; reduce first, as by x.redistribute", lambda: tcpc.reshard(x, mesh, [Partial()], s))
    refused(ValueError, "shards a dimension that a tensor of 2 does not have", lambda: tcpc.reshard(x, mesh, [Shard(2)], s))
    refused(TypeError, r"a placement is Shard\(dim\) or Replicate\(\), not", lambda: tcpc.reshard(x, mesh, ["x"], s))
    refused(ValueError, "shape has 1 dimensions, but x has 2", lambda: tcpc.reshard(x, mesh, s, s, shape=(16,)))
    refused(ValueError, "of the mesh has .* of a tensor of shape .* with shape= the last shards may be smaller", lambda: tcpc.reshard(x, mesh, s, s, shape=(100, 6)))
    refused(TypeError, "reshard takes tensors of PyTorch, not list", lambda: tcpc.reshard([1], mesh, s, s))
    refused(ValueError, "a DTensor knows its shape; shape= is for a tensor", lambda: tcpc.reshard(one, None, None, s, shape=(8, 6)))
    refused(ValueError, "x is a DTensor with placements .* give None for its own", lambda: tcpc.reshard(one, mesh, [Shard(1)], s))
    refused(ValueError, "gradients of copies on several devices would have to be summed", lambda: tcpc.reshard(x.requires_grad_(), mesh, s, [Replicate()]))
    refused(_pattern.PatternError, "needs 3 dimensions, but the array has 2", lambda: tcpc.reshard(x, mesh, s, s, "a b c -> c b a"))
    refused(ValueError, "path is 'direct', 'packed' or None, not 'x'", lambda: tcpc.reshard(x, mesh, s, s, path="x"))
    refused(ValueError, r"no kernel writes this to the memory of the other devices: all devices call tcpc.prepare_mesh\(mesh, bytes\) first", lambda: tcpc.reshard(x, mesh, s, s, path="direct"))
    refused(ValueError, r"the mesh has no memory that its devices share; all devices call tcpc.prepare_mesh\(mesh, bytes\)", lambda: tcpc.mesh_status(mesh) if device == "cuda" else tcpc.reset_mesh(mesh))
    part_of = dist.new_group([0])
    if dist.get_rank():
        refused((ValueError, TypeError), "is not in the mesh|a mesh is a DeviceMesh", lambda: tcpc.reshard(x, part_of, s, s))
    if mesh.size() % 2 == 0:
        other = init_device_mesh(device, (2, mesh.size() // 2))
        refused(ValueError, "x is a DTensor of another mesh; give its own, or None", lambda: tcpc.reshard(one, other, None, s * 2))
    if mesh.size() == 4:
        small = init_device_mesh(device, (2, 2), mesh_dim_names=("a", "b"))
        half = torch.distributed.device_mesh.DeviceMesh(device, [[0, 1]]) if dist.get_rank() < 2 else None
        if half is not None:
            refused(ValueError, "a mesh with several axes needs all processes; give one of its axes", lambda: tcpc.prepare_mesh(half, 64))
        assert small.size() == 4


def test_direct(mesh):
    """On GPUs: the kernel that writes to the others, what it refuses, and what happens if one makes another call, or does not come."""
    size, me, s = mesh.size(), mesh.get_local_rank(), [Shard(0)]
    whole = torch.arange(64 * size * 32 * size, dtype=torch.int32).reshape(64 * size, 32 * size)
    x, want = whole.chunk(size)[me].cuda(), whole.t().chunk(size)[me]
    for _ in range(3):
        y = tcpc.reshard(x, mesh, s, s, "a b -> b a", path="direct")
        assert in_pool(y, mesh) and torch.equal(y.cpu(), want)
    refused(ValueError, "no kernel writes this to the memory of the other devices: parts are not equal", lambda: tcpc.reshard(torch.zeros(1, 2 * size + 1, device="cuda"), mesh, s, [Shard(1)], path="direct"))
    refused(MemoryError, "all devices call tcpc.prepare_mesh", lambda: tcpc.reshard(torch.zeros(1, device="cuda").expand(1 << 22, size), mesh, s, [Shard(1)], path="direct"))
    graph, static = torch.cuda.CUDAGraph(), x.clone()
    tcpc.reshard(static, mesh, s, s, "a b -> b a")
    torch.cuda.synchronize()
    dist.barrier()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        y = tcpc.reshard(static, mesh, s, s, "a b -> b a", path="direct")
    for i in range(100):
        static.copy_(x + i)
        graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y.cpu(), want + 99)
    tcpc.mesh_status(mesh)
    dist.barrier()
    tcpc.reshard(x, mesh, s, s if me else [Shard(1)], "a b -> b a" if me else "a b -> a b", path="direct")
    refused(RuntimeError, "the mesh is dead for device", lambda: tcpc.mesh_status(mesh))
    refused(RuntimeError, "makes another call: .*all devices call tcpc.reset_mesh", lambda: tcpc.reshard(x, mesh, s, s, path="direct"))
    tcpc.reset_mesh(mesh)
    tcpc.prepare_mesh(mesh, 1 << 20, timeout=1)
    if me:
        tcpc.reshard(x, mesh, s, s, "a b -> b a", path="direct")
        refused(RuntimeError, "device 0 did not come within 1 s", lambda: tcpc.mesh_status(mesh))
    tcpc.reset_mesh(mesh)
    assert torch.equal(tcpc.reshard(x, mesh, s, s, "a b -> b a").cpu(), want)
    tcpc.prepare_mesh(mesh, 1 << 20)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--cases", type=int, default=60)
    args.add_argument("--device", default="cpu")
    args.add_argument("--limit", type=float, default=280)
    args.add_argument("--init", nargs=3)
    args = args.parse_args()
    faulthandler.dump_traceback_later(args.limit, exit=True)
    if args.init:
        os.environ["RANK"], os.environ["WORLD_SIZE"] = args.init[1:]
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if args.device == "cuda":
        torch.cuda.set_device(rank)
    where = {"init_method": f"file://{args.init[0]}", "rank": rank, "world_size": size} if args.init else {}
    dist.init_process_group("nccl" if args.device == "cuda" else "gloo", **where)
    mesh = init_device_mesh(args.device, (size,))
    meshes = [mesh, init_device_mesh(args.device, (2, size // 2)) if size % 2 == 0 and size > 2 else None]
    if args.device == "cpu":
        _reshard._swaps, dist.all_to_all = lambda group: True, Swaps()
    test_messages(mesh, args.device)
    test_like_dtensor(mesh, args.device)
    test_gradients(mesh, args.device)
    test_strides(mesh, args.device)
    if args.device == "cuda":
        tcpc.prepare_mesh(mesh, 1 << 24)
        test_direct(mesh)
    rng, wrong, times, counts = random.Random(args.seed), 0, [], dict.fromkeys(["group", "packed", "beside DTensor"] + ["direct"] * (args.device == "cuda"), 0)
    cases = [draw(rng, size) for _ in range(args.cases)]
    if args.device == "cuda":
        begin = time.time()
        compile_ahead(cases, meshes)
        dist.barrier()
        print(f"rank {rank}: compiled in {time.time() - begin:.1f} s", flush=True)
    _reshard._room = rooms = Rooms()
    for name, way in ("one all-to-all", "_swapped"), ("pieces", "_packed"):
        setattr(_reshard, way, counted(getattr(_reshard, way), name, counts))
    for i, c in enumerate(cases):
        begin = time.time()
        wrong += not run(c, meshes, args.device, rooms, counts)
        times.append(time.time() - begin)
        if rank == 0 and (times[-1] > 5 or i % 50 == 49):
            print(f"case {i}: {times[-1]:.2f} s, {sum(times):.1f} s in all", flush=True)
    rare = ["strides", "a dimension twice", "one all-to-all"] if args.cases < 200 else []
    rare += ["two axes", "a dimension twice"] if meshes[1] is None else []
    assert args.device == "cuda" or Swaps.calls
    assert all(n or name in rare for name, n in counts.items()), counts
    print(f"rank {rank}: {args.cases} cases, {counts}, {wrong} wrong", flush=True)
    dist.barrier()
    dist.destroy_process_group()
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
