"""Who sends what: random changes of placement on 1 to 16 devices, carried out with numpy as each device is told, and compared with the whole tensor cut by numpy."""
import random

import numpy

from conftest import SEED
from exchanges import cut, drawn
from tcpc import _pattern
from tcpc._pieces import Exchange, extents, part, runs


def view(memory, v):
    flat = memory.reshape(-1)
    return numpy.lib.stride_tricks.as_strided(flat[v.offset:], v.sizes, [s * flat.itemsize for s in v.strides])


def carried_out(exchange, whole):
    """The result on each device, and how many elements were sent to another one, and how often an element of a result was written."""
    count = _pattern.product(exchange.mesh)
    has = [numpy.ascontiguousarray(cut(whole, exchange.source_part(d))) for d in range(count)]
    gets = [numpy.full(extents(exchange.target_part(d)), -1) for d in range(count)]
    written = [numpy.zeros(g.shape, int) for g in gets]
    plans = [exchange.schedule(d) for d in range(count)]
    wire = {(d, m.peer): [] for d in range(count) for m in plans[d].sends}
    for d in range(count):
        for m in plans[d].sends:
            wire[d, m.peer].append(view(has[d], m.source).copy())
        for m in plans[d].local:
            view(gets[d], m.target)[...] = view(has[d], m.source)
            view(written[d], m.target)[...] += 1
    sent = sum(a.size for pieces in wire.values() for a in pieces)
    for d in range(count):
        for m in plans[d].receives:
            view(gets[d], m.target)[...] = wire[m.peer, d].pop(0)
            view(written[d], m.target)[...] += 1
    assert not any(wire.values())
    return gets, written, sent


def test_random():
    rng = random.Random(SEED)
    seen = {"uneven": 0, "replicated source": 0, "replicated target": 0, "two axes": 0, "a dimension twice": 0, "several axes": 0, "an empty part": 0, "permuted": 0}
    for _ in range(200):
        exchange = drawn(rng)
        bound = exchange.bound
        whole = numpy.arange(_pattern.product(bound.extent.values())).reshape([bound.extent[a] for g in bound.left for a in g])
        order = [a for g in bound.left for a in g]
        result = whole.transpose([order.index(a) for g in bound.right for a in g]).reshape(bound.shape)
        source = whole.reshape([_pattern.product(bound.extent[a] for a in g) for g in bound.left])
        gets, written, sent = carried_out(exchange, source)
        for d, got in enumerate(gets):
            assert (got == cut(result, exchange.target_part(d))).all() and (written[d] == 1).all(), (exchange, d)
        count = _pattern.product(exchange.mesh)
        least = sum(g.size - len(set(g.flat) & set(cut(source, exchange.source_part(d)).flat)) for d, g in enumerate(gets))
        assert sent == least, (exchange, sent, least)
        parts = [extents(exchange.target_part(d)) for d in range(count)]
        sharded = [p for p in exchange.target if p is not None]
        seen["uneven"] += len(set(parts)) > 1
        seen["replicated source"] += None in exchange.source and count > 1
        seen["replicated target"] += None in exchange.target and count > 1
        seen["two axes"] += len(exchange.mesh) > 1
        seen["a dimension twice"] += len(set(sharded)) < len(sharded)
        seen["several axes"] += any(len(g) > 1 for g in bound.left)
        seen["an empty part"] += any(0 in p for p in parts)
        seen["permuted"] += [a for g in bound.right for a in g] != order
    assert all(n >= 2 for n in seen.values()), seen


def test_part():
    assert [part((10,), (4,), (0,), d) for d in range(4)] == [((0, 3),), ((3, 6),), ((6, 9),), ((9, 10),)]
    assert part((2, 5), (4,), (0,), 3) == ((2, 2), (0, 5))
    assert [part((8,), (2, 2), (0, 0), d) for d in range(4)] == [((0, 2),), ((2, 4),), ((4, 6),), ((6, 8),)]


def test_contiguous_pieces():
    """From rows to columns nothing is unpacked; each piece is packed once, all of them by one or two copies."""
    exchange = Exchange(_pattern.bind(_pattern.parse("a b -> a b"), (32, 64), {}), (4,), (0,), (1,))
    for d in range(4):
        plan = exchange.schedule(d)
        assert len(plan.sends) == len(plan.receives) == 3 and len(plan.local) == 1
        assert all(not m.source.is_contiguous() for m in plan.sends)
        assert len(runs([m.source for m in plan.sends])) == (1 if d in (0, 3) else 2)
    exchange = Exchange(_pattern.bind(_pattern.parse("a b -> a b"), (32, 64), {}), (4,), (1,), (0,))
    assert all(m.source.is_contiguous() for d in range(4) for m in exchange.schedule(d).sends)
