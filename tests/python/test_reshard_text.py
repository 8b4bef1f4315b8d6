"""The plans of changes of placement: their text, which changes have none, and that the compiler plans random ones."""
import random

import pytest

from conftest import SEED
from exchanges import drawn
from tcpc import _library, _pattern
from tcpc._pieces import Exchange
from tcpc._reshard_text import text_of


def exchange(pattern, shape, mesh, source, target, **axes):
    return Exchange(_pattern.bind(_pattern.parse(pattern), shape, axes), mesh, source, target)


def test_text():
    heads = exchange("b s (h d) -> (b h) s d", (2, 64, 96), (4,), (1,), (0,), h=8)
    assert text_of(heads, "f32", "f16") is None  # 4 parts of b, h cut b, and then h
    heads = exchange("b s (h d) -> h (b s) d", (2, 64, 96), (4,), (1,), (0,), h=8)
    assert text_of(heads, "f32", "f16") == """tcp 1;
mesh g0 (4);
tensor A : f32 global row(m0=2, m1=64, m2=8, m3=12) over (g0: m1);
tensor B : f16 global row(m2=8, m0=2, m1=64, m3=12) over (g0: m2);
kernel reshard(A, out B) { copy A -> B; }
"""
    several = exchange("a b -> b a", (64, 96), (2, 1, 4), (0, 0, None), (None, 1, 1))
    assert text_of(several, "b16", "b16").splitlines()[1:4] == [
        "mesh (g0, g2) (2, 4);", "tensor A : b16 global row(m0=64, m1=96) over (g0: m0, g2: _);", "tensor B : b16 global row(m1=96, m0=64) over (g0: _, g2: m0);"]


@pytest.mark.parametrize("change", [
    exchange("a b -> b a", (10, 8), (4,), (0,), (0,)),  # 10 in 4 parts
    exchange("a b -> b a", (8, 8), (1,), (0,), (0,)),  # one device
    exchange("a b -> b a", (0, 8), (4,), (0,), (0,)),
    exchange("a b -> b a", (1, 8), (4,), (0,), (0,)),
    exchange("->", (), (4,), (None,), (None,)),
    exchange("(a b) c -> a b c", (16, 8), (4,), (0,), (2,), a=2)])  # parts begin within a
def test_none(change):
    assert text_of(change, "b32", "b32") is None


def test_random():
    """What has a text is planned, and the kernel is the one that reshard launches: two addresses, and what it gets of the mesh."""
    rng, found = random.Random(SEED), 0
    while found < 6:
        change = drawn(rng, (1, 2, 4, 8, 16))
        text = text_of(change, "b16", "b16")
        if text is None:
            continue
        found += 1
        plan = _library.compile_plan(text.encode(), _library.Source("reshard", None, (), "sm_90"), _library.DEVICE)
        launch = plan.launches[0].contents
        assert (launch.ntensors, launch.nparams, launch.tensor[0].contents.direction, launch.tensor[1].contents.direction) == (2, 0, 0, 1)
        for i in range(launch.nvariants):
            variant = launch.variant[i].contents
            assert [variant.argument[k].contents.offset for k in range(variant.narguments)] == [0, 8] and variant.argument_bytes == 16
        assert plan.output.count("const tcp_mesh_call mesh)") in (0, launch.nvariants)
