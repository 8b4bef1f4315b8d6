"""Attention's heads on a GPU, with PyTorch: the values, the time, a CUDA graph.

    python torch_heads.py

It needs a GPU and PyTorch; without them it says so.
"""
import sys

try:
    import torch
except ImportError:
    sys.exit("this example needs PyTorch")
if not torch.cuda.is_available():
    sys.exit("this example needs a GPU")

import tcpc

x = torch.randn(4, 2048, 4096, device="cuda", dtype=torch.bfloat16)
y = tcpc.relayout(x, "b s (h d) -> b h s d", h=32)
assert torch.equal(y, x.view(4, 2048, 32, 128).transpose(1, 2).contiguous())

# Beside PyTorch's own copy, and one that moves as many bytes without a change of layout.
tcpc.bench(x, "b s (h d) -> b h s d", h=32)
tcpc.bench(x, "b s (h d) -> d h s b", h=32)

# The launch is captured like any other.
graph, out = torch.cuda.CUDAGraph(), torch.empty_like(y)
with torch.cuda.graph(graph):
    tcpc.relayout(x, "b s (h d) -> b h s d", h=32, out=out)
x.mul_(2)
graph.replay()
assert torch.equal(out, x.view(4, 2048, 32, 128).transpose(1, 2))

# Many lengths are few kernels: from the third on, the length is a param.
for length in 512, 768, 1024, 640, 896, 1152:
    tcpc.relayout(x[:, :length], "b s (h d) -> b h s d", h=32)
print(len(tcpc.cache_info().kernels), "kernels")
