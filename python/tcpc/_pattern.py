"""Patterns such as "b s (h d) -> b h s d", in einops' notation: which axes an array has, and where they go."""

from __future__ import annotations

import functools
import re
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

Group = Tuple[str, ...]  # the axes that one mode consists of, the last one the fastest
ELLIPSIS = "..."
ARGUMENTS = "out", "dtype", "backend", "stream"  # of relayout
WITHIN = "(...)"  # the ellipsis in brackets: one mode of all these axes


class PatternError(ValueError):
    """A pattern that cannot be read, or that does not fit the array."""


class Pattern(NamedTuple):
    text: str
    left: Tuple[Group, ...]
    right: Tuple[Group, ...]


TOKEN = r"\s*(->|\.\.\.|[A-Za-z_]\w*|\d+|[()]|\S)"


def _groups(tokens: Sequence[str], text: str) -> Tuple[Group, ...]:
    groups: List[Group] = []
    inside: List[str] = []
    within = False
    for token in tokens:
        if token == "(" and not within:
            within, inside = True, []
        elif token == ")" and within:
            groups.append(tuple(inside))
            within = False
        elif token in "()":
            raise PatternError(f"brackets do not match in '{text}'; they cannot be nested")
        elif token == "1" or token == ELLIPSIS or token.isidentifier():
            if token == "1":
                axes: Group = ()
            else:
                axes = (WITHIN if within and token == ELLIPSIS else token,)
            if within:
                inside.extend(axes)
            else:
                groups.append(axes)
        elif token.isdigit():
            raise PatternError(f"'{token}' in '{text}' has no name; only 1 needs none")
        else:
            raise PatternError(f"'{token}' in '{text}' is no name of an axis" + ("; blanks are between axes" if token in ",;*" else ""))
    if within:
        raise PatternError(f"a bracket is not closed in '{text}'")
    return tuple(groups)


def _mended(axis: str, left: Sequence[Group]) -> str:
    """What to do with an axis that only the left side has; it is counted from the end that has no ellipsis before it."""
    if (axis,) not in left or axis == ELLIPSIS:
        return "reduce or index it first; " if any(axis in group for group in left) else ""
    at = left.index((axis,))
    if (ELLIPSIS,) in left[:at]:
        at -= len(left)
        return f"reduce or index it first, x.sum({at}) or x[..., 0{', :' * (-at - 1)}]; "
    return f"reduce or index it first, x.sum({at}) or x[{':, ' * at}0]; "


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Pattern:
    tokens = re.findall(TOKEN, text)
    if tokens.count("->") != 1:
        raise PatternError(f"'{text}' is not of the form 'axes -> axes'")
    at = tokens.index("->")
    left, right = _groups(tokens[:at], text), _groups(tokens[at + 1:], text)
    if any(WITHIN in group for group in left):
        raise PatternError(f"'...' is in brackets on the left side of '{text}'")
    flat = [[ELLIPSIS if axis == WITHIN else axis for group in side for axis in group] for side in (left, right)]
    for axes in flat:
        for axis in axes:
            if axes.count(axis) > 1:
                raise PatternError(f"'{axis}' is twice on one side of '{text}'")
    for one, other, side in (flat[0], flat[1], "right"), (flat[1], flat[0], "left"):
        for axis in one:
            if axis not in other:
                letters = len(one) == len(other) == 1 and sorted(one[0]) == sorted(other[0])
                how = f"; blanks are between axes: '{' '.join(flat[0][0])} -> {' '.join(flat[1][0])}'" if letters else f"; each axis is on both sides, as elements are moved, not summed or repeated; {_mended(axis, left)}an axis of 1 is written '1'"
                raise PatternError(f"'{axis}' is not on the {side} side of '{text}'{how}")
    return Pattern(text, left, right)


def _spread(groups: Sequence[Group], names: Group) -> Tuple[Group, ...]:
    """With names instead of the ellipsis: each is a mode outside of brackets."""
    found: List[Group] = []
    for group in groups:
        if group == (ELLIPSIS,):
            found.extend((name,) for name in names)
        else:
            found.append(tuple(axis for part in group for axis in (names if part == WITHIN else (part,))))
    return tuple(found)


class Bound(NamedTuple):
    """A pattern for one shape: the extent of each axis, and the axes of each mode on both sides."""

    extent: Dict[str, int]
    left: Tuple[Group, ...]
    right: Tuple[Group, ...]

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of the result."""
        return tuple(product(self.extent[axis] for axis in group) for group in self.right)


def product(values: object) -> int:
    n = 1
    for value in values:  # type: ignore[attr-defined]
        n *= value
    return n


def bind(pattern: Pattern, shape: Sequence[int], given: Mapping[str, int]) -> Bound:
    text, rank, left = pattern.text, len(shape), pattern.left
    if (ELLIPSIS,) in left:
        more = rank - (len(left) - 1)
        if more < 0:
            raise PatternError(f"'{text}' needs at least {len(left) - 1} dimensions, but the array has {rank}: {tuple(shape)}")
        names = tuple(f"...{i}" for i in range(more))
    elif rank != len(left):
        raise PatternError(f"'{text}' needs {len(left)} dimensions, but the array has {rank}: {tuple(shape)}")
    else:
        names = ()
    left, right = _spread(left, names), _spread(pattern.right, names)
    extent: Dict[str, int] = {}
    axes = {axis for group in left for axis in group}
    for name, value in given.items():
        if name not in axes or name.startswith("."):
            raise PatternError(f"'{name}' is no axis of '{text}'; it has {', '.join(a for side in pattern.left for a in side if a.isidentifier()) or 'none'}")
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
            raise PatternError(f"the extent of '{name}' is not an integer of 0 or more: {value!r}")
        extent[name] = value if type(value).__name__ == "SymInt" else value.__index__()  # which torch.compile leaves open
    for i, (group, n) in enumerate(zip(left, shape)):
        open_axes = [axis for axis in group if axis not in extent]
        known = product(extent[axis] for axis in group if axis in extent)
        if len(open_axes) > 1:
            free, taken = [a for a in open_axes if a not in ARGUMENTS], [a for a in open_axes if a in ARGUMENTS]
            rename = f"; '{taken[0]}' is an argument of its own, so no extent can be given for an axis of this name" if taken else ""
            raise PatternError(f"the extents of {' and '.join(map(repr, open_axes))} in '{text}' are not known; give all but one" + (f" as {free[0]}=.." if free else "") + rename)
        if open_axes and known and n % known == 0:
            extent[open_axes[0]] = n // known
        elif open_axes or known != n:
            what = f"'({' '.join(group)})'" if len(group) != 1 else f"'{group[0]}'"
            raise PatternError(f"dimension {i} of {n} elements does not fit {what} of '{text}'" + (f": {n} is no multiple of {known}" if open_axes else f", which has {known}"))
    return Bound(extent, left, right)


def strides_of(groups: Sequence[Group], extent: Mapping[str, int], strides: Sequence[int]) -> Dict[str, int]:
    """The stride of each axis, where each mode has the stride of "strides"."""
    found: Dict[str, int] = {}
    for group, stride in zip(groups, strides):
        for axis in reversed(group):
            found[axis] = stride
            stride *= extent[axis]
    return found
