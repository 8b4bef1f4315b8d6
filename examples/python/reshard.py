"""Ulysses attention's exchange on several devices: torchrun --nproc-per-node 4 reshard.py

Before attention each device has a part of the sequence, and all heads; for attention it needs the whole sequence, and a part of the heads. One call makes that change and puts the
heads before the sequence; another one goes back. Without a GPU the processes exchange by gloo.
"""
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard

import tcpc

kind = "cuda" if torch.cuda.is_available() else "cpu"
if kind == "cuda":
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl" if kind == "cuda" else "gloo")
mesh = init_device_mesh(kind, (dist.get_world_size(),))
size, me = mesh.size(), mesh.get_local_rank()

b, s, h, d = 2, 64 * size, 2 * size, 16
whole = torch.arange(b * s * h * d, dtype=torch.float32).reshape(b, s, h, d).to(kind)
x = whole.chunk(size, 1)[me]  # this device's part of the sequence

heads = tcpc.reshard(x, mesh, [Shard(1)], [Shard(1)], "b s h d -> b h s d")
assert torch.equal(heads, whole.permute(0, 2, 1, 3).chunk(size, 1)[me])

back = tcpc.reshard(heads, mesh, [Shard(1)], [Shard(1)], "b h s d -> b s h d")
assert torch.equal(back, x)

if me == 0:
    print(f"{tuple(x.shape)} -> {tuple(heads.shape)} -> {tuple(back.shape)} on each of {size} devices")
dist.destroy_process_group()
