"""reshard, for tensors of PyTorch on several devices."""

from __future__ import annotations

from typing import Any, Optional, Sequence


def reshard(x: Any, mesh: Any, source: Any, target: Any, pattern: str = "... -> ...", /, *, shape: Optional[Sequence[int]] = None, dtype: Any = None, **axes: int) -> Any:
    """A tensor that is distributed over several devices, with another placement and its axes in another order. All devices of the mesh make the call.

        y = tcpc.reshard(x, mesh, [Shard(0)], [Shard(1)], "b s h d -> b h s d")

    Pieces are packed by planned kernels, unless they are contiguous, sent by the process group, and unpacked. With NCCL no call waits on the host.

    Args:
        x: the part of this device, a tensor of PyTorch with any strides; or a DTensor.
        mesh: a DeviceMesh or a process group; None for a DTensor, which has one.
        source: the placements of x, one for each axis of the mesh: Shard(dim) or Replicate(). None for a DTensor. Shards are cut as by torch.chunk.
        target: the placements of the result. Their dimensions are those on the right side of the pattern.
        pattern: for the whole tensor, as for relayout.
        shape: the shape of the whole tensor, if its last shards are smaller than the others. Without it, all are like x.
        dtype: converts each element. The narrower type is sent.
        axes: extents of axes within brackets, elements.

    Returns:
        The part of this device, contiguous; a DTensor if x is one. Gradients go back in the same way, if nothing is replicated.

    Raises:
        ValueError: the placements do not fit the mesh, or the shapes the placements; a placement is Partial.
        TypeError: x is no tensor of PyTorch, mesh is no mesh, or a placement is none.
    """
    from . import _reshard

    return _reshard.reshard(x, mesh, source, target, pattern, shape=shape, dtype=dtype, axes=axes)
