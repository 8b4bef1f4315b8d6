"""Plans for repeated use."""
import numpy as np
import pytest

import tcpc

x = np.arange(4 * 6 * 10, dtype=np.float32).reshape(4, 6, 10)


def test_it_is_made_once():
    turn = tcpc.plan(x, "a b (c d) -> c b a d", c=2, backend="host")
    assert "kernel relayout_" in str(tcpc.explain(turn)) and turn.shape == (2, 6, 4, 5) and "tensor src : b32 global" in turn.text and turn.how
    misses = tcpc.cache_info().misses
    tcpc.cache_clear()  # it keeps what it needs
    for k in range(3):
        y = turn(x + k)
        assert tcpc.cache_info().hits == k + 1
        assert np.array_equal(y, (x + k).reshape(4, 6, 2, 5).transpose(2, 1, 0, 3)) and y.flags.c_contiguous
    assert misses == 1 and tcpc.cache_info().misses == 0
    assert repr(turn) == "<tcpc plan float32 (4, 6, 10):(240, 40, 4) -> float32 (2, 6, 4, 5):(480, 80, 20, 4), strides in bytes>"


def test_out():
    out = np.zeros((10, 8, 6), np.float64)[:, ::2]
    turn = tcpc.plan(x, "a b c -> c a b", out=out, backend="host")
    assert not out.any() and turn(x, out=out) is out and np.array_equal(out, x.transpose(2, 0, 1))
    both = np.zeros((6, 8))
    halves = tcpc.plan(both[:, :4], "a b -> a b", out=both[:, 4:], backend="host")
    both[:, :4] = 5
    halves(both[:, :4], out=both[:, 4:])
    assert (both == 5).all()
    with pytest.raises(ValueError, match=r"out and x share elements; give a copy of x: x.copy\(\)"):
        halves(both[:, :4], out=both[:, 2:6])


def test_the_framework_makes_it():
    turn = tcpc.plan(x, "a b c -> c b a", dtype=np.int16)
    with pytest.raises(ValueError, match="the framework itself makes this copy: there is no plan"):
        tcpc.explain(turn)
    assert turn.text == "" and turn(x).dtype == np.int16 and np.array_equal(turn(x), x.T)
    none = tcpc.plan(x[:0], "a b c -> c b a", backend="host")
    assert none(x[:0]).shape == (10, 6, 0)


shifted = np.frombuffer(bytearray(4 * 240 + 16), np.float32)
shifted = shifted[(4 - shifted.ctypes.data // 4) % 4 + 1:][:240].reshape(4, 6, 10)  # 4 bytes behind a multiple of 16
aligned = np.frombuffer(bytearray(4 * 240 + 16), np.float32)
aligned = aligned[-(aligned.ctypes.data // 4) % 4:][:240].reshape(4, 6, 10)


@pytest.mark.parametrize("wrong,text", [
    (lambda turn: turn(x[:3]), r"the array is not like that of the plan: shape \(3, 6, 10\), but \(4, 6, 10\) in the plan"),
    (lambda turn: turn(x.repeat(2, 2)[..., ::2]), r"strides in bytes \(480, 80, 8\), but \(240, 40, 4\) in the plan"),
    (lambda turn: turn(x.astype(np.int32)), "type int32, but float32 in the plan"),
    (lambda turn: turn(shifted), "it is aligned to 4 bytes, but to 16 in the plan"),
    (lambda turn: turn(x, out=x.T.copy()), "the plan was made for a new array; make another one with out="),
    (lambda turn: tcpc.plan(x, "a b c -> c b a", out=x.T.copy(), backend="host")(x), "the plan was made with out=; give one that is like it"),
    (lambda turn: tcpc.plan(x, "a b -> b a"), "needs 2 dimensions"),
])
def test_wrong(wrong, text):
    turn = tcpc.plan(aligned, "a b c -> c b a", backend="host")
    with pytest.raises(ValueError, match=text):
        wrong(turn)


def test_one_element():
    turn = tcpc.plan(np.zeros((3, 1), np.int16), "a b -> b a", backend="host")
    other = np.lib.stride_tricks.as_strided(np.arange(3, dtype=np.int16), (3, 1), (2, 64))
    assert turn(other).tolist() == [[0, 1, 2]]
