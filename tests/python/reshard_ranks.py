"""One process of a mesh, which test_reshard.py starts, or torchrun: random changes of placement, compared with the whole tensor.

usage: reshard_ranks.py [--seed N] [--cases N] [--device cpu|cuda] [--init FILE RANK SIZE]
"""
import argparse
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

import tcpc
from tcpc import _pattern, _reshard
from tcpc._pieces import extents, part

import exchanges

KINDS = [torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.float64]


def of(placement):
    return Replicate() if placement is None else Shard(placement)


def conversion(rng, dtype):
    """A type that holds the numbers of a case as well, or None."""
    return rng.choice([None, None, torch.float32, torch.float16]) if dtype in (torch.float32, torch.float16) else None


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


def classes(mesh, source, target, order, mine, shape):
    """The kinds of cases that this one belongs to."""
    sharded = [p for p in target if p is not None]
    return {"two axes": mesh.ndim > 1, "replicated source": None in source, "replicated target": None in target, "nothing replicated": None not in source + target,
            "a dimension twice": len(set(sharded)) < len(sharded), "permuted": order != sorted(order), "not permuted": order == sorted(order), "uneven": len({extents(part(shape, mesh.shape, target, d)) for d in range(mesh.size())}) > 1,
            "strides": not mine.is_contiguous(), f"rank {min(5, len(order))}": True}


def case(rng, meshes, device, counts):
    """A random one. Returns whether it is right on this device."""
    drawn = exchanges.drawn(rng, rng.choice([(1, 2, 3, 4, 5, 7), (1, 4, 8, 16)]))
    mesh = rng.choice(meshes)
    bound, shape = drawn.bound, mesh.shape
    source = exchanges.placements(rng, shape, len(bound.left))
    target = exchanges.placements(rng, shape, len(bound.right))
    dtype = rng.choice(KINDS)
    into = conversion(rng, dtype)
    n = _pattern.product(bound.extent.values())
    axes = [a for g in bound.left for a in g]
    whole = (torch.arange(n) % 101 - 50).to(dtype)
    order = [axes.index(a) for g in bound.right for a in g]
    result = whole.reshape([bound.extent[a] for a in axes]).permute(order).reshape(bound.shape).to(into or dtype)
    whole = whole.reshape([_pattern.product(bound.extent[a] for a in g) for g in bound.left])
    me = mesh.mesh.flatten().tolist().index(dist.get_rank())
    mine = strided(rng, exchanges.cut(whole, part(whole.shape, shape, source, me)).contiguous().to(device))
    pattern = f"{exchanges.text(bound.left)} -> {exchanges.text(bound.right)}"
    as_dtensor = rng.random() < .3
    given, where = mine, mesh
    if as_dtensor:
        given = DTensor.from_local(mine, mesh, [of(p) for p in source], run_check=False, shape=whole.shape, stride=whole.stride())
        counts["DTensor"] += 1
    elif len(shape) == 1 and rng.random() < .5:
        where = mesh.get_group()
        counts["group"] += 1
    counts["conversion"] += into is not None
    windows = pool(mesh)
    for w in windows:
        w.fill_(0xA5)
    path = rng.choice([None, "packed"])
    y = tcpc.reshard(given, None if as_dtensor else where, None if as_dtensor else [of(p) for p in source], [of(p) for p in target], pattern,
                     **({} if as_dtensor else {"shape": whole.shape}), dtype=into, path=path, **bound.extent)
    local = y.to_local() if as_dtensor else y
    if as_dtensor:
        if tuple(y.shape) != tuple(result.shape) or list(y.placements) != [of(p) for p in target]:
            return False
        y = local
    counts["packed" if path or not in_pool(local, mesh) else "direct"] += 1
    want = exchanges.cut(result, part(result.shape, shape, target, me))
    for name, holds in classes(mesh, source, target, order, mine, result.shape).items():
        counts[name] = counts.get(name, 0) + holds
    right = is_untouched(windows, y) and y.is_contiguous() and y.dtype == want.dtype and torch.equal(y.cpu(), want)
    if not right:
        print(f"device {me}: {pattern} {bound.extent} mesh {shape} {source} -> {target} {dtype} {into}", flush=True)
    return right


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
    args.add_argument("--init", nargs=3)
    args = args.parse_args()
    if args.init:
        os.environ["RANK"], os.environ["WORLD_SIZE"] = args.init[1:]
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if args.device == "cuda":
        torch.cuda.set_device(rank)
    where = {"init_method": f"file://{args.init[0]}", "rank": rank, "world_size": size} if args.init else {}
    dist.init_process_group("nccl" if args.device == "cuda" else "gloo", **where)
    mesh = init_device_mesh(args.device, (size,))
    meshes = [mesh, mesh] + ([init_device_mesh(args.device, (2, size // 2))] if size % 2 == 0 and size > 2 else [])
    test_messages(mesh, args.device)
    test_like_dtensor(mesh, args.device)
    test_gradients(mesh, args.device)
    if args.device == "cuda":
        tcpc.prepare_mesh(mesh, 1 << 24)
        test_direct(mesh)
    rng, wrong, counts = random.Random(args.seed), 0, dict.fromkeys(["DTensor", "group", "conversion", "packed"] + ["direct"] * (args.device == "cuda"), 0)
    for _ in range(args.cases):
        wrong += not case(rng, meshes, args.device, counts)
    assert all(counts.values()), counts
    print(f"rank {rank}: {args.cases} cases, {counts}, {wrong} wrong", flush=True)
    dist.barrier()
    dist.destroy_process_group()
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
