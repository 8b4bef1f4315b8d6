"""tcpc.reshard beside what users of PyTorch write, on the GPUs of one host.

usage: torchrun --nproc-per-node DEVICES reshard.py [--rounds N] [--largest N]

For each case: the all-to-all alone, PyTorch's own way by hand (copy, all-to-all, copy), DTensor's redistribute, and tcpc.reshard: packed, and by the kernel that writes to the other devices. Medians of alternating
rounds; the time is that of the slowest device. Every result is compared with PyTorch's.
"""
import argparse
import os
import statistics

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard

import tcpc


def by_hand(x, size, dims, order):
    """x sharded in dims[0] to sharded in dims[1] of the same order, then the axes in "order"."""
    source, target = dims
    n = x.shape[target]
    packed = x.unflatten(target, (size, n // size)).movedim(target, 0).contiguous()
    got = torch.empty_like(packed)
    dist.all_to_all_single(got, packed)
    return got.movedim(0, source).flatten(source, source + 1).permute(order).contiguous()


def cases(size, largest):
    """(name, shape of the whole, source dim, pattern, target dim before the permutation, order)"""
    for n in (largest, largest // 4, 1024):
        yield f"{n}x{n}", (n, n), (0, 1), "a b -> a b", (0, 1)
        yield f"{n}x{n} transposed", (n, n), (0, 1), "a b -> b a", (1, 0)
    yield "heads against sequence, 8x32768x32x128", (8, largest, 32, 128), (1, 2), "b s h d -> b h s d", (0, 2, 1, 3)


def timed(work, times):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    work()
    dist.barrier()
    start.record()
    for _ in range(times):
        work()
    stop.record()
    torch.cuda.synchronize()
    took = torch.tensor([start.elapsed_time(stop) / times], device="cuda")
    dist.all_reduce(took, dist.ReduceOp.MAX)
    return took.item() * 1e3


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--largest", type=int, default=32768)
    args = args.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", device_id=torch.device("cuda", int(os.environ["LOCAL_RANK"])))
    size, rank = dist.get_world_size(), dist.get_rank()
    mesh = init_device_mesh("cuda", (size,))
    tcpc.prepare_mesh(mesh, max(args.largest ** 2, args.largest * 8 * 32 * 128) * 2 // size * 3 + (1 << 20))
    if rank == 0:
        print(f"{size} x {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}")
        print("| case, f16 | GB a device | all-to-all alone, us | PyTorch by hand | DTensor | tcpc, packed | tcpc, direct | direct, in a graph | by hand / packed | by hand / direct | alone / direct | DTensor / direct |\n| " + "--- | " * 12)
    for name, shape, dims, pattern, order in cases(size, args.largest):
        local = list(shape)
        local[dims[0]] //= size
        x = torch.randn(local, device="cuda", dtype=torch.float16)
        flat, got = x.flatten(), torch.empty_like(x.flatten())
        one = DTensor.from_local(x, mesh, [Shard(dims[0])], run_check=False)
        target = [Shard(order.index(dims[1]))]
        ways = {"alone": lambda: dist.all_to_all_single(got, flat), "hand": lambda: by_hand(x, size, dims, order),
                "dtensor": lambda: one.redistribute(mesh, [Shard(dims[1])]).to_local().permute(order).contiguous(),
                "packed": lambda: tcpc.reshard(x, mesh, [Shard(dims[0])], target, pattern, path="packed"),
                "direct": lambda: tcpc.reshard(x, mesh, [Shard(dims[0])], target, pattern, path="direct")}
        ways["direct"]()
        torch.cuda.synchronize()
        dist.barrier()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            held = ways["direct"]()
        ways["graph"] = graph.replay
        want = ways["hand"]()
        right = all(torch.equal(ways[way](), want) for way in ("dtensor", "packed", "direct"))
        graph.replay()
        right = right and torch.equal(held, want)
        del want
        times = 20
        us = {way: [] for way in ways}
        for _ in range(args.rounds):
            for way, work in ways.items():
                us[way].append(timed(work, times))
        m = {way: statistics.median(t) for way, t in us.items()}
        del graph, held, ways
        if rank == 0:
            print(f"| {name}{'' if right else ' WRONG'} | {x.numel() * 2 / 1e9:.3f} | {m['alone']:.1f} | {m['hand']:.1f} | {m['dtensor']:.1f} | {m['packed']:.1f} | {m['direct']:.1f} | {m['graph']:.1f} | {m['hand'] / m['packed']:.2f} | {m['hand'] / m['direct']:.2f} | {m['alone'] / m['direct']:.2f} | {m['dtensor'] / m['direct']:.2f} |", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
