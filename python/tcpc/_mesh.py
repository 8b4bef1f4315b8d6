"""reshard, for tensors of PyTorch on several devices, and the memory that these share."""

from __future__ import annotations

from typing import Any, Optional, Sequence


def reshard(x: Any, mesh: Any, source: Any, target: Any, pattern: str = "... -> ...", /, *, shape: Optional[Sequence[int]] = None, dtype: Any = None, path: Optional[str] = None, **axes: int) -> Any:
    """A tensor that is distributed over several devices, with another placement and its axes in another order. All devices of the mesh make the call.

        y = tcpc.reshard(x, mesh, [Shard(0)], [Shard(1)], "b s h d -> b h s d")

    After prepare_mesh, one kernel writes all pieces to the memory of the other devices, permuted and converted on the way. Otherwise, or with parts that are not equal, pieces are packed
    by planned kernels, unless they are contiguous, sent by the process group, and unpacked. With NCCL no call waits on the host.

    Args:
        x: the part of this device, a tensor of PyTorch with any strides; or a DTensor.
        mesh: a DeviceMesh or a process group; None for a DTensor, which has one.
        source: the placements of x, one for each axis of the mesh: Shard(dim) or Replicate(). None for a DTensor. Shards are cut as by torch.chunk.
        target: the placements of the result. Their dimensions are those on the right side of the pattern.
        pattern: for the whole tensor, as for relayout.
        shape: the shape of the whole tensor, if its last shards are smaller than the others. Without it, all are like x.
        dtype: converts each element. The narrower type is sent.
        path: "packed" sends by the process group in any case; "direct" refuses what one kernel cannot do; None chooses.
        axes: extents of axes within brackets, elements.

    Returns:
        The part of this device, contiguous, in memory of the pool after prepare_mesh; a DTensor if x is one. Gradients go back in the same way, if nothing is replicated.

    Raises:
        ValueError: the placements do not fit the mesh, or the shapes the placements; a placement is Partial.
        TypeError: x is no tensor of PyTorch, mesh is no mesh, or a placement is none.
        MemoryError: the pool is full.
        RuntimeError: an earlier launch failed: a device did not come in time, or made another call.
    """
    from . import _reshard

    return _reshard.reshard(x, mesh, source, target, pattern, shape=shape, dtype=dtype, path=path, axes=axes)


def prepare_mesh(mesh: Any, size: int, /, *, timeout: float = 10.0) -> None:
    """Gives each device of a mesh memory that the others can write, for the results of reshard. Collective; waits; may be called again for more.

        tcpc.prepare_mesh(mesh, 1 << 30)

    Args:
        mesh: a DeviceMesh or a process group, with a GPU of one host for each process.
        size: bytes, on each device.
        timeout: seconds for which a kernel waits for the other devices.

    Raises:
        RuntimeError: a device cannot map the memory of another one, as on another host.
        ValueError: the mesh has several axes and not all processes.
        TypeError: mesh is no mesh.
    """
    from . import _reshard

    _reshard.prepare(mesh, size, timeout)


def mesh_status(mesh: Any, /) -> None:
    """Waits for the GPU, and raises what went wrong in a kernel over the mesh, with the device that did not come or disagreed. reshard raises it too, without waiting.

    Args:
        mesh: as for prepare_mesh, which was called.

    Raises:
        RuntimeError: what went wrong.
        ValueError: prepare_mesh was not called.
    """
    from . import _reshard

    _reshard.status(mesh)


def reset_mesh(mesh: Any, /) -> None:
    """Lets a mesh work again after an error. Collective; waits.

    Args:
        mesh: as for prepare_mesh, which was called.

    Raises:
        ValueError: prepare_mesh was not called.
    """
    from . import _reshard

    _reshard.reset(mesh)
