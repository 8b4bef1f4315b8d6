"""reshard: a tensor of PyTorch on several devices gets another placement."""

from __future__ import annotations

import functools
import hashlib
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
import torch.distributed as dist

from . import _api, _pattern
from ._arrays import NUMBERS
from ._pieces import Exchange, Move, Placement, Schedule, View, contiguous_strides, extents, runs


class _Mesh(NamedTuple):
    """What is needed of a mesh of PyTorch, or of a process group."""

    shape: Tuple[int, ...]
    ranks: Tuple[int, ...]  # in the group of all processes, by device of the mesh
    device: int  # this one
    group: Any
    swaps: bool  # whether the group has an all-to-all of tensors of any size


def _mesh(mesh: Any) -> _Mesh:
    if isinstance(mesh, dist.ProcessGroup):
        ranks = tuple(dist.get_process_group_ranks(mesh))
        return _Mesh((len(ranks),), ranks, _own(ranks), mesh, _swaps(mesh))
    if not hasattr(mesh, "get_coordinate"):
        raise TypeError(f"a mesh is a DeviceMesh or a process group, not {type(mesh).__name__}")
    ranks = tuple(mesh.mesh.flatten().tolist())
    group = mesh.get_group() if mesh.ndim == 1 else None
    return _Mesh(tuple(mesh.shape), ranks, _own(ranks), group, group is not None and _swaps(group))


def _swaps(group: Any) -> bool:
    return "nccl" in dist.get_backend(group)


def _own(ranks: Sequence[int]) -> int:
    if dist.get_rank() not in ranks:
        raise ValueError(f"process {dist.get_rank()} is not in the mesh")
    return ranks.index(dist.get_rank())


def _placements(placements: Any, mesh: _Mesh, rank: int, what: str) -> Tuple[Placement, ...]:
    if hasattr(placements, "is_shard") or not hasattr(placements, "__len__"):
        raise TypeError(f"the {what} placements are a list, one for each axis of the mesh, such as [Shard(0)], not {placements!r}")
    if len(placements) != len(mesh.shape):
        raise ValueError(f"the mesh has {len(mesh.shape)} axes, but there are {len(placements)} {what} placements")
    found: List[Placement] = []
    for p in placements:
        if getattr(p, "is_partial", lambda: False)():
            raise ValueError(f"{p} of the {what} placements would need sums; reduce first, as by x.redistribute(..)")
        if getattr(p, "is_replicate", lambda: False)():
            found.append(None)
        elif type(p).__name__ == "Shard":
            dim = p.dim + rank if p.dim < 0 else p.dim
            if not 0 <= dim < rank:
                raise ValueError(f"{p} of the {what} placements shards a dimension that a tensor of {rank} does not have")
            found.append(dim)
        else:
            raise TypeError(f"a placement is Shard(dim) or Replicate(), not {p!r}")
    return tuple(found)


def _whole(x: Any, mesh: _Mesh, source: Sequence[Placement], shape: Optional[Sequence[int]]) -> Tuple[int, ...]:
    if shape is not None:
        if len(shape) != x.dim():
            raise ValueError(f"shape has {len(shape)} dimensions, but x has {x.dim()}")
        return tuple(shape)
    found = list(x.shape)
    for n, dim in zip(mesh.shape, source):
        if dim is not None:
            found[dim] *= n
    return tuple(found)


@functools.lru_cache(maxsize=1024)
def _exchange(pattern: str, shape: Tuple[int, ...], axes: Tuple[Tuple[str, int], ...], mesh: Tuple[int, ...], source: Tuple[Placement, ...], target: Tuple[Placement, ...]) -> "_Hashed":
    bound = _pattern.bind(_pattern.parse(pattern), shape, dict(axes))
    return _Hashed(bound, mesh, source, target)


class _Hashed(Exchange):
    """An exchange that is the key of its schedules."""

    def __hash__(self) -> int:
        return hash((tuple(self.bound.extent.items()), self.bound.left, self.bound.right, *self[1:]))


def _of(memory: Any, view: View) -> Any:
    return memory.as_strided(view.sizes, view.strides, memory.storage_offset() + view.offset)


def _together(memory: Any, first: View, count: int, step: int) -> Any:
    """Views whose offsets differ by "step", as one with a dimension in front."""
    return memory.as_strided((count, *first.sizes), (step, *first.strides), memory.storage_offset() + first.offset)


def _room(x: Any, shape: Any, dtype: Any) -> Any:
    """New memory; tests put theirs between bytes that nobody writes."""
    return x.new_empty(shape, dtype=dtype)


def _pack(x: Any, moves: Sequence[Move], dtype: Any) -> List[Any]:
    """The pieces as they are sent: rows of x where they are contiguous, or copies in one buffer. What goes to several devices is copied once."""
    views = list(dict.fromkeys(m.source for m in moves if not _is_sent(m.source, x, dtype)))
    buffer = _room(x, sum(map(_count, views)), dtype)
    packed: Dict[View, Any] = {}
    at = 0
    for first, end, step in runs(views):
        size = _count(views[first])
        rows = buffer[at:at + size * (end - first)].view(end - first, *views[first].sizes)
        _api.copy_(rows, _together(x, views[first], end - first, step))
        packed.update(zip(views[first:end], rows))
        at += size * (end - first)
    return [packed[m.source] if m.source in packed else _of(x, m.source) for m in moves]


def _count(view: View) -> int:
    return _pattern.product(view.sizes)


def _is_sent(view: View, memory: Any, dtype: Any) -> bool:
    """Whether a piece travels from its place, or to it, without a buffer."""
    return memory.dtype == dtype and view.is_contiguous()


class _Arrivals:
    """The pieces that come: at their place in "out", or in a buffer from which they are unpacked."""

    def __init__(self, out: Any, moves: Sequence[Move], dtype: Any) -> None:
        self.out = out
        self.views = [m.target for m in moves if not _is_sent(m.target, out, dtype)]
        self.buffer = _room(out, sum(map(_count, self.views)), dtype)
        rows = iter(self.buffer.split([_count(v) for v in self.views]))
        self.pieces = [_of(out, m.target) if _is_sent(m.target, out, dtype) else next(rows) for m in moves]

    def pairs(self) -> List[Tuple[Any, Any]]:
        """What is unpacked: destination and source."""
        found, at = [], 0
        for first, end, step in runs(self.views):
            view, count = self.views[first], end - first
            rows = self.buffer[at:at + count * _count(view)].view(count, *view.sizes)
            found.append((_together(self.out, view, count, step), rows))
            at += count * _count(view)
        return found


def _narrower(x: Any, out: Any) -> Any:
    return x.dtype if x.dtype.itemsize <= out.dtype.itemsize else out.dtype


class _Swap(NamedTuple):
    """One all-to-all of one buffer, for memory of some strides."""

    copied: bool  # the strides give no view of all pieces, so the tensor is made contiguous first
    source: View
    target: View
    packs: bool
    unpacks: bool


def _swapped(x: Any, out: Any, way: _Swap, mesh: _Mesh, first: bool) -> None:
    """All pieces are packed by one copy, sent by one all-to-all, and unpacked by one copy; none where they lie in one row already."""
    wire = _narrower(x, out)
    sent, got = _of(x.contiguous() if way.copied else x, way.source), _of(out, way.target)
    to = got
    if way.unpacks:
        got = _room(out, way.target.sizes, wire)
        if first:
            _api.prepare((to, got))
    if way.packs:
        sent = _api.copy_(_room(x, way.source.sizes, wire), sent)
    dist.all_to_all_single(_bytes(got), _bytes(sent), group=mesh.group)
    if way.unpacks:
        _api.copy_(to, got)


def _packed(x: Any, out: Any, schedule: Schedule, mesh: _Mesh, first: bool) -> None:
    """Pieces are packed, sent and unpacked; the narrower of the two types travels."""
    wire = _narrower(x, out)
    arrivals = _Arrivals(out, schedule.receives, wire)
    unpacked = arrivals.pairs()
    for move in schedule.local:
        _api.copy_(_of(out, move.target), _of(x, move.source))
    if first and unpacked:  # a kernel that is loaded while others wait for a peer may wait for them
        _api.prepare(*unpacked)
    work = _send(out, schedule, [_bytes(t) for t in _pack(x, schedule.sends, wire)], [_bytes(t) for t in arrivals.pieces], mesh)
    for w in work:
        w.wait()
    for pair in unpacked:
        _api.copy_(*pair)


def _send(out: Any, schedule: Schedule, sent: List[Any], got: List[Any], mesh: _Mesh) -> List[Any]:
    """One call of the process group, if each device has at most one piece for another one and the group can. All devices make it, also one without pieces: NCCL counts empty messages, and stands
    still at a later one if a device has not."""
    if schedule.swap and mesh.swaps:
        none = out.new_empty(0, dtype=torch.uint8)
        sides = []
        for pieces, moves in (got, schedule.receives), (sent, schedule.sends):
            of = {m.peer: t for m, t in zip(moves, pieces)}
            sides.append([of.get(p, none) for p in range(len(mesh.ranks))])
        return [dist.all_to_all(*sides, group=mesh.group, async_op=True)]
    pairs = [(dist.isend, t, m.peer) for t, m in zip(sent, schedule.sends)] + [(dist.irecv, t, m.peer) for t, m in zip(got, schedule.receives)]
    return dist.batch_isend_irecv([dist.P2POp(op, t, mesh.ranks[peer], mesh.group) for op, t, peer in pairs]) if pairs else []


def _bytes(t: Any) -> Any:
    return t.as_strided((t.numel(),), (1,)).view(torch.uint8)


_ends: Dict[Tuple[int, ...], Any] = {}  # by the ranks of the mesh


def _gather(mesh: _Mesh) -> Any:
    def all_of(mine: Any) -> List[Any]:
        found: List[Any] = [None] * len(mesh.ranks)
        dist.all_gather_object(found, mine, group=mesh.group)
        return found

    return all_of


def prepare(mesh: Any, size: int, timeout: float) -> None:
    from ._cuda import device
    from ._ends import End

    of = _mesh(mesh)
    if len(of.shape) > 1 and len(of.ranks) != dist.get_world_size():
        raise ValueError("a mesh with several axes needs all processes; give one of its axes, or a process group")
    if of.ranks not in _ends:
        _ends[of.ranks] = End(device(torch.cuda.current_device()), of.device, len(of.ranks), _gather(of), timeout)
    _ends[of.ranks].timeout = timeout
    _ends[of.ranks].grow(size)


def _prepared(mesh: Any) -> Any:
    end = _ends.get(_mesh(mesh).ranks)
    if end is None:
        raise ValueError("the mesh has no memory that its devices share; all devices call tcpc.prepare_mesh(mesh, bytes)")
    return end


def status(mesh: Any) -> None:
    torch.cuda.synchronize()
    _prepared(mesh).check()


def reset(mesh: Any) -> None:
    _prepared(mesh).reset()


@functools.lru_cache(maxsize=1024)
def _text(exchange: Exchange, source: Any, target: Any) -> Optional[str]:
    from ._reshard_text import text_of

    if source == target:
        return text_of(exchange, f"b{source.itemsize * 8}", f"b{source.itemsize * 8}")
    from_, to = (NUMBERS.get(str(t).split(".")[-1]) for t in (source, target))
    return text_of(exchange, from_, to) if from_ is not None and to is not None else None


class _Ready:
    """A change of placement that was checked: of parts of one shape and type, on one mesh."""

    def __init__(self, mesh: _Mesh, exchange: Exchange, source: Any, target: Any):
        self.mesh, self.exchange, self.source, self.target = mesh, exchange, source, target
        self.shape = extents(exchange.target_part(mesh.device))
        self.size = _pattern.product(self.shape) * target.itemsize
        self.kernel: Any = None  # or why there is none
        self.key = 0
        self.ways: Dict[Tuple[int, ...], Any] = {}  # by strides of the source

    def why_not(self, end: Any) -> str:
        """Why no kernel does this; "" if one does."""
        if self.kernel is None:
            text = _text(self.exchange, self.source, self.target)
            if text is None:
                self.kernel = "parts are not equal, or empty, or cut an axis within a dimension"
            else:
                from ._ends import kernel

                made = kernel(end.device, text)
                self.kernel = str(made) if isinstance(made, Exception) else made
                self.key = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        return self.kernel if isinstance(self.kernel, str) else ""

    def direct(self, x: Any) -> Tuple[Any, str]:
        """The result, by one kernel that writes to the memory of the other devices; or None, and why not, which is the same on all devices."""
        end = _ends.get(self.mesh.ranks)
        if end is None or not x.is_cuda:
            return None, "all devices call tcpc.prepare_mesh(mesh, bytes) first, on GPUs of one host"
        why = self.why_not(end)
        if why:
            return None, why
        address = x.data_ptr()
        if address % 16 or not x.is_contiguous():
            x = x.clone(memory_format=torch.contiguous_format)
            address = x.data_ptr()
        block = end.allocate(self.size)
        self.kernel(end, self.key, (address, block.address), torch._C._cuda_getCurrentRawStream(x.device.index))
        return torch.as_tensor(block, device=x.device).view(self.target).view(self.shape), ""

    def run(self, x: Any, path: Optional[str]) -> Any:
        if path != "packed":
            out, why = self.direct(x)
            if out is not None:
                return out
            if path == "direct":
                raise ValueError(f"no kernel writes this to the memory of the other devices: {why}")
        out = _room(x, self.shape, self.target)
        strides = tuple(x.stride())
        first = strides not in self.ways
        way = self._way(x, out, strides) if first else self.ways[strides]
        (_swapped if isinstance(way, _Swap) else _packed)(x, out, way, self.mesh, first)
        self.ways[strides] = way  # its copies are compiled
        return out

    def _way(self, x: Any, out: Any, strides: Tuple[int, ...]) -> Any:
        """A _Swap or a Schedule. Which of them does not depend on the strides, as all devices have to make the same call of the process group."""
        device = self.mesh.device
        if not (self.mesh.swaps and self.exchange.alike()):
            return self.exchange.schedule(device, strides)
        stacks, wire = self.exchange.stacks(device, strides), _narrower(x, out)
        if stacks:
            return _Swap(False, *stacks, not _is_sent(stacks[0], x, wire), not _is_sent(stacks[1], out, wire))
        return self._way(x, out, contiguous_strides(x.shape))._replace(copied=True)

    def back(self) -> "_Ready":
        bound, mesh, source, target = self.exchange
        return _Ready(self.mesh, _Hashed(_pattern.Bound(bound.extent, bound.right, bound.left), mesh, target, source), self.target, self.source)


class _Recorded(torch.autograd.Function):
    """For gradients, which go back the way that the elements came."""

    @staticmethod
    def forward(ctx: Any, x: Any, ready: _Ready, path: Optional[str]) -> Any:
        ctx.ready, ctx.path = ready, path
        return ready.run(x, path)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return ctx.ready.back().run(gradients[0], ctx.path), None, None


def _local(x: Any, mesh: Any, source: Any) -> Tuple[Any, Any, Any, Optional[Sequence[int]]]:
    """The local tensor of a DTensor, with its mesh, placements and shape."""
    if mesh is not None and mesh != x.device_mesh:
        raise ValueError("x is a DTensor of another mesh; give its own, or None")
    if source is not None and tuple(source) != tuple(x.placements):
        raise ValueError(f"x is a DTensor with placements {tuple(x.placements)}, not {tuple(source)}; give None for its own")
    return x.to_local(), x.device_mesh, x.placements, tuple(x.shape)


def _checked(x: Any, mesh: Any, source: Any, target: Any, pattern: str, more: Tuple[Any, Any, Any]) -> _Ready:
    shape, dtype, axes = more
    of = _mesh(mesh)
    source_dims = _placements(source, of, x.dim(), "source")
    shape = _whole(x, of, source_dims, shape)
    rank = len(_pattern.bind(_pattern.parse(pattern), shape, axes).right)
    exchange = _exchange(pattern, shape, tuple(sorted(axes.items())), of.shape, source_dims, _placements(target, of, rank, "target"))
    expected = extents(exchange.source_part(of.device))
    if tuple(x.shape) != expected:
        raise ValueError(f"x has shape {tuple(x.shape)}, but device {of.device} of the mesh has {expected} of a tensor of shape {shape}; with shape= the last shards may be smaller")
    return _Ready(of, exchange, x.dtype, dtype or x.dtype)


_known: Dict[Any, _Ready] = {}
MOST_KNOWN = 1024


def _ready(x: Any, mesh: Any, source: Any, target: Any, pattern: str, more: Tuple[Any, Any, Any]) -> _Ready:
    """From the second call on, nothing is checked again."""
    shape, dtype, axes = more
    try:
        key = x.shape, x.dtype, mesh, tuple(source), tuple(target), pattern, shape and tuple(shape), dtype, tuple(axes.items())
        found = _known.get(key)
    except TypeError:  # not even a list of placements
        return _checked(x, mesh, source, target, pattern, more)
    if found is None:
        found = _checked(x, mesh, source, target, pattern, more)
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = found
    return found


def reshard(x: Any, mesh: Any, source: Any, target: Any, pattern: str, *, shape: Optional[Sequence[int]], dtype: Any, path: Optional[str], axes: Any) -> Any:
    if path not in (None, "direct", "packed"):
        raise ValueError(f"path is 'direct', 'packed' or None, not {path!r}")
    tensor: Any = sys.modules.get("torch.distributed.tensor")
    distributed = tensor is not None and isinstance(x, tensor.DTensor)
    whole = x
    if distributed:
        if shape is not None:
            raise ValueError("a DTensor knows its shape; shape= is for a tensor that is one device's part")
        x, mesh, source, shape = _local(x, mesh, source)
    elif not isinstance(x, torch.Tensor):
        raise TypeError(f"reshard takes tensors of PyTorch, not {type(x).__name__}")
    ready = _ready(x, mesh, source, target, pattern, (shape, dtype, axes))
    if x.requires_grad and torch.is_grad_enabled():
        if None in ready.exchange.source + ready.exchange.target:
            raise ValueError("gradients of copies on several devices would have to be summed; use Shard alone, or detach x")
        out = _Recorded.apply(x, ready, path)
    else:
        out = ready.run(x, path)
    if not distributed:
        return out
    shape = ready.exchange.bound.shape
    return tensor.DTensor.from_local(out, whole.device_mesh, target, run_check=False, shape=torch.Size(shape), stride=contiguous_strides(shape))
