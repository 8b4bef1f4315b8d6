"""The plan of a change of placement, for a kernel that writes to the memory of the other devices."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence

from ._pattern import Group, product
from ._pieces import Exchange, Placement


def _over(groups: Sequence[Group], exchange: Exchange, placements: Sequence[Placement], name: Dict[str, str]) -> Optional[str]:
    """How the axes of the mesh cut a side; None: not into equal parts of one axis."""
    parts: List[str] = []
    counts: Dict[str, int] = {}  # of parts, by axis
    for i, (n, dim) in enumerate(zip(exchange.mesh, placements)):
        if n == 1:
            continue
        if dim is None:
            parts.append(f"g{i}: _")
            continue
        axes = [a for a in groups[dim] if exchange.bound.extent[a] != 1]
        if not axes:
            return None
        counts[axes[0]] = counts.get(axes[0], 1) * n
        parts.append(f"g{i}: {name[axes[0]]}")
    equal = all(exchange.bound.extent[axis] % n == 0 for axis, n in counts.items())
    return ", ".join(parts) if equal else None


def text_of(exchange: Exchange, source: str, target: str) -> Optional[str]:
    """The plan for these types of elements; None: it has to be packed."""
    bound = exchange.bound
    axes = [i for i, n in enumerate(exchange.mesh) if n != 1]
    if not axes or product(bound.extent.values()) == 0:
        return None
    name = {axis: f"m{i}" for i, axis in enumerate(a for g in bound.left for a in g)}
    sides = []
    for groups, placements, kind in (bound.left, exchange.source, source), (bound.right, exchange.target, target):
        over = _over(groups, exchange, placements, name)
        modes = ", ".join(f"{name[a]}={bound.extent[a]}" for g in groups for a in g)
        if over is None or not modes:
            return None
        sides.append(f"{kind} global row({modes}) over ({over});")
    mesh = ", ".join(f"g{i}" for i in axes), ", ".join(str(exchange.mesh[i]) for i in axes)
    axis = f"mesh ({mesh[0]}) ({mesh[1]});" if len(axes) > 1 else f"mesh {mesh[0]} ({mesh[1]});"
    return f"tcp 1;\n{axis}\ntensor A : {sides[0]}\ntensor B : {sides[1]}\nkernel reshard(A, out B) {{ copy A -> B; }}\n"
