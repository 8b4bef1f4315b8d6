"""Random changes of placement, for test_pieces.py and for the processes of reshard_ranks.py."""
from tcpc import _pattern
from tcpc._pieces import Exchange

AXES = "abcde"


def cut(whole, box):
    return whole[tuple(slice(*i) for i in box)]


def grouped(rng, axes):
    """The axes in dimensions, some of several axes."""
    groups, i = [], 0
    while i < len(axes):
        n = rng.choice([1, 1, 2])
        groups.append(axes[i:i + n])
        i += n
    return groups


def text(groups):
    return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in groups)


def placements(rng, mesh, rank):
    return tuple(rng.choice([None, *range(rank), *range(rank)]) for _ in mesh)


def drawn(rng, sizes=(1, 2, 3, 4, 5, 7)):
    axes = list(AXES[:rng.randint(1, 5)])
    extent = {a: rng.choice(sizes) for a in axes}
    left, right = grouped(rng, axes), grouped(rng, rng.sample(axes, len(axes)))
    mesh = rng.choice([(n,) for n in range(1, 17)] + [(2, 2), (2, 3), (4, 2), (1, 3), (4, 4), (2, 2, 2)])
    shape = [_pattern.product(extent[a] for a in g) for g in left]
    bound = _pattern.bind(_pattern.parse(f"{text(left)} -> {text(right)}"), shape, extent)
    return Exchange(bound, mesh, placements(rng, mesh, len(left)), placements(rng, mesh, len(right)))
