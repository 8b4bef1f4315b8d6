"""Arrays of numpy in another layout, on the CPU.

    python relayout.py

backend="host" compiles the kernel with your C++ compiler and executes it access by access: slow, but each access is checked. On a GPU the same
calls take tensors of PyTorch or arrays of CuPy, without "backend".
"""
import numpy as np

import tcpc

# Attention has the heads as a dimension of their own; a linear layer gives them side by side.
x = np.arange(2 * 60 * 96, dtype=np.float16).reshape(2, 60, 96)
heads = tcpc.relayout(x, "batch seq (head dim) -> batch head seq dim", head=4, backend="host")
assert np.array_equal(heads, x.reshape(2, 60, 4, 24).transpose(0, 2, 1, 3))
print(f"{x.shape} -> {heads.shape}")

# And back, into an array that is there already.
back = np.empty_like(x)
tcpc.relayout(heads, "batch head seq dim -> batch seq (head dim)", out=back, backend="host")
assert np.array_equal(back, x)

# An image with the channels last becomes one with the channels first, and floats.
image = np.random.default_rng(1).integers(0, 256, (48, 64, 3), dtype=np.uint8)
planes = tcpc.permute(image, (2, 0, 1), dtype=np.float32, backend="host")
assert np.array_equal(planes, image.transpose(2, 0, 1).astype(np.float32))
print(f"{image.dtype} {image.shape} -> {planes.dtype} {planes.shape}")

# Any strides: every second column, from the last one on, into columns of a larger array.
table = np.zeros((60, 200), np.float16)
tcpc.copy_(table[:, 10:58], x[0, :, ::-2], backend="host")
assert np.array_equal(table[:, 10:58], x[0, :, ::-2]) and not table[:, :10].any() and not table[:, 58:].any()

# What was compiled: each kernel is a plan, which the compiler has proven.
for kernel in tcpc.cache_info().kernels:
    print(kernel.plan.splitlines()[-1], "-", kernel.how)
