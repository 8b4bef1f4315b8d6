"""What kernels of ours write on the CPU, against numpy."""
import ctypes
import importlib
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import SEED
from copies import TYPES, Copy, convert
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import tcpc

KERNELS = int(os.environ.get("TCPC_PYTHON_KERNELS", "300"))
BATCH = 50  # kernels in one compilation
COPIES = 7  # by each


def check(copies):
    tcpc.prepare(*((c.destination, c.source) for c in copies), backend="host")
    before = tcpc.cache_info()
    for c in copies:
        expected = c.expected()
        assert tcpc.copy_(c.destination, c.source, backend="host") is c.destination
        assert np.array_equal(c.buffer, expected), c
    after = tcpc.cache_info()
    ran = sum(k.hits for k in after.kernels) - sum(k.hits for k in before.kernels)
    assert ran == sum(c.source.size > 0 for c in copies)  # by kernels of ours, each
    assert after.misses == before.misses  # which prepare() made


@seed(SEED)
@settings(max_examples=max(1, KERNELS // BATCH), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 2**40), min_size=BATCH, max_size=BATCH, unique=True))
def test_copies(seeds):
    tcpc.cache_clear()
    check([Copy(np.random.default_rng(s), contents=np.random.default_rng([s, i])) for i in range(COPIES) for s in seeds])
    assert len(tcpc.cache_info().kernels) <= BATCH  # so each of them made several copies


def test_conversions():
    """Each pair of types, with all the bits that the source may have."""
    rng = np.random.default_rng(SEED)
    check([Copy(rng, (97,), a, b) for a in TYPES.values() for b in TYPES.values() if a != b][SEED % 4::4])


def test_the_judge_fails_on_a_wrong_copy():
    c = Copy(np.random.default_rng(3), (5, 7), np.float32, np.float32)
    expected = c.expected()
    wrong = Copy(np.random.default_rng(3), (5, 7), np.float32, np.float32)
    tcpc.copy_(wrong.destination, wrong.source[::-1], backend="host")
    assert not np.array_equal(wrong.buffer, expected)


def test_numbers_of_the_table():
    f4 = np.float32
    rows = [(np.nan, f4, np.int32, 0), (-1e20, f4, np.int16, -32768), (300, f4, np.uint8, 255), (1e9, f4, TYPES["float8_e4m3fn"], 448),
            (np.inf, f4, TYPES["float8_e5m2"], 57344), (70000, f4, np.float16, np.inf), (True, np.bool_, f4, 1)]
    pairs = [(np.zeros(1, b), np.array([x], a)) for x, a, b, _ in rows]
    tcpc.prepare(*pairs, backend="host")
    for (dst, src), (_, _, _, expected) in zip(pairs, rows):
        assert tcpc.copy_(dst, src, backend="host")[0] == expected
    out = np.zeros(1, np.uint32)
    tcpc.copy_(out.view(np.float32), np.array([0xfff8000000000001], np.uint64).view(np.float64), backend="host")
    assert out[0] == 0x7fffffff  # each NaN becomes this one
    bits = np.array([0xffc00001], np.uint32)
    tcpc.copy_(out.view(np.float32), bits.view(np.float32), backend="host")
    assert out[0] == bits[0]  # without a conversion the bits stay


PATTERNS = [
    ("b s (h d) -> b h s d", (2, 5, 12), {"h": 3}, lambda x: x.reshape(2, 5, 3, 4).transpose(0, 2, 1, 3)),
    ("b s (h d) -> (b h) s d", (2, 5, 12), {"d": 4}, lambda x: x.reshape(2, 5, 3, 4).transpose(0, 2, 1, 3).reshape(6, 5, 4)),
    ("(a b) c 1 -> 1 c b a", (6, 4, 1), {"a": 2}, lambda x: x.reshape(2, 3, 4).transpose(2, 1, 0)[None]),
    ("a ... -> ... a", (2, 3, 4), {}, lambda x: x.transpose(1, 2, 0)),
    ("a ... b -> a (... b)", (2, 3, 4, 5), {}, lambda x: x.reshape(2, 60)),
    ("... -> (...)", (2, 3), {}, lambda x: x.reshape(6)),
    (" -> 1 ()", (), {}, lambda x: x.reshape(1, 1)),
    ("a (b) -> b a", (3, 4), {"b": 4}, lambda x: x.T),
    ("(a b) -> b a", (0,), {"a": 3}, lambda x: x.reshape(3, 0).T),
]


@pytest.mark.parametrize("pattern,shape,axes,meaning", PATTERNS)
@pytest.mark.parametrize("backend", ["host", None])
def test_patterns(pattern, shape, axes, meaning, backend):
    wide = np.arange(2 * int(np.prod(shape)), dtype=np.float32)[::2].reshape(shape)
    for x in (wide, wide.T.copy().T):
        y = tcpc.relayout(x, pattern, backend=backend, **axes)
        assert np.array_equal(y, meaning(x)) and y.flags.c_contiguous and y.dtype == x.dtype
        assert not np.shares_memory(x, y)


def test_out_and_dtype():
    x = np.arange(24, dtype=np.int16).reshape(4, 6)
    out = np.zeros((6, 8), np.float32)[:, ::2]
    assert tcpc.relayout(x, "a b -> b a", out=out, backend="host") is out and np.array_equal(out, x.T)
    assert np.array_equal(tcpc.permute(x, (1, -2), dtype=np.float64, backend="host"), x.T)
    same = tcpc.contiguous(x, backend="host")
    assert same is not x and np.array_equal(same, x)
    kept = np.zeros((12, 4), np.int16)[:, 1:3]
    tcpc.relayout(x, "a (b c) -> (c a) b", c=3, out=kept, backend="host")
    assert np.array_equal(kept, x.reshape(4, 2, 3).transpose(2, 0, 1).reshape(12, 2)) and not kept.base[:, [0, 3]].any()
    split = np.zeros((24, 2), np.int16)[:, 1]
    tcpc.relayout(x, "a b -> (b a)", out=split, backend="host")
    assert np.array_equal(split, x.T.reshape(-1))


def test_memory_that_interleaves():
    """Judged by the set of all addresses."""
    rng, right = np.random.default_rng(SEED), []
    for _ in range(40):
        buffer = rng.integers(0, 255, 60, dtype=np.uint8)
        m, n = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        dst, src = [np.lib.stride_tricks.as_strided(buffer[int(rng.integers(0, 12)):], (m, n), (int(rng.integers(1, 9)), int(rng.integers(1, 9)))) for _ in "ab"]
        starts = [v.__array_interface__["data"][0] - buffer.ctypes.data for v in (dst, src)]
        places = [{at + i * v.strides[0] + j * v.strides[1] for i in range(m) for j in range(n)} for at, v in zip(starts, (dst, src))]
        alone = len(places[0]) == m * n
        if alone and not places[0] & places[1]:
            right.append((dst, src, buffer, places[0]))
        elif not (alone and src.strides == dst.strides and places[0] == places[1]):
            with pytest.raises(ValueError, match="share elements|share memory"):
                tcpc.copy_(dst, src, backend="host")
    assert right
    tcpc.prepare(*((dst, src) for dst, src, _, _ in right), backend="host")
    for dst, src, buffer, written in right:
        before, moved = buffer.copy(), src.copy()
        tcpc.copy_(dst, src, backend="host")
        untouched = [i for i in range(60) if i not in written]
        assert np.array_equal(dst, moved) and np.array_equal(buffer[untouched], before[untouched])
    x = np.arange(4)
    assert tcpc.copy_(x, x, backend="host") is x  # each element is there


def test_param_at_the_third_value():
    """Lengths that vary compile for numbers twice, then for what divides them."""
    rng = np.random.default_rng(SEED)
    lengths = [256, 64, 192, 128, 40, 7, *map(int, rng.integers(2, 300, 60))]
    for n in lengths:
        x = rng.integers(0, 255, (2, n, 24), dtype=np.uint8)
        y = tcpc.relayout(x, "b s (h d) -> b h s d", h=3, backend="host")
        assert np.array_equal(y, x.reshape(2, n, 3, 8).transpose(0, 2, 1, 3)), n
    info = tcpc.cache_info()
    assert len(info.kernels) <= 8 and info.misses == len(info.kernels) and info.hits == len(lengths) - info.misses
    assert [k.divisor for k in info.kernels][:3] == [0, 0, 64]
    assert "param N : index % 64;" in info.kernels[2].plan


def test_params_keep_what_does_not_vary_with_them():
    """A pitch that follows no extent, and two orders with equal extents, are not taken for one family."""
    buffer = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    for n, pitch in (8, 8), (16, 4), (24, 2), (32, 1), (40, 1):
        x = buffer[::pitch][:8 if pitch > 4 else 16, :n]
        assert np.array_equal(tcpc.permute(x, (1, 0), backend="host"), x.T)
        assert np.array_equal(tcpc.permute(x.T, (1, 0), backend="host"), x)


def test_log_and_cache(monkeypatch, capfd):
    monkeypatch.setenv("TCPC_LOG", "1")
    x = np.ones((3, 5), np.float32)
    tcpc.permute(x, (1, 0), backend="host")
    tcpc.permute(x, (1, 0), backend="host")
    assert capfd.readouterr().err.count("tcpc: host: b32 -> b32 (5, 3)") == 1
    assert tcpc.cache_info().hits == 1 and tcpc.cache_info().kernels[0].hits == 2
    tcpc.cache_clear()
    assert tcpc.cache_info().kernels == ()


def test_numpy_without_a_backend_runs_no_kernel():
    x = np.arange(6.).reshape(2, 3)
    assert np.array_equal(tcpc.permute(x, (1, 0)), x.T)
    assert tcpc.copy_(np.zeros((2, 3), np.int8), x)[1, 2] == 5
    tcpc.prepare((np.zeros_like(x), x))
    assert tcpc.cache_info().misses == 0


def test_the_page_runs(capsys):
    """The blocks of docs/python.md, one after the other; the one that prints prints what the page says."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text()
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
        exec(block, names)
    assert capsys.readouterr().out.strip() == re.search(r"^```text\n(.*?)^```", page, re.M | re.S)[1].strip()
    out, x, both = names["out"], names["x"], names["both"]
    assert np.array_equal(out, x[0, :, ::8].T.astype(np.float16)) and np.array_equal(both[:, 4:], both[:, :4])
    assert np.array_equal(names["mirrored"], x[:, ::-1]) and names["ones"].shape == (5, 3) and names["ones"].all()


def test_threads():
    """Of two shapes each is compiled once, and each thread gets its own result."""
    arrays = [np.random.default_rng(i).random((20 + i % 2, 30)) for i in range(6)]
    found = [None] * len(arrays)

    def work(i):
        found[i] = [tcpc.permute(arrays[i], (1, 0), backend="host") for _ in range(3)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(arrays))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(y, x.T) for x, ys in zip(arrays, found) for y in ys)
    assert tcpc.cache_info().misses == 2 and tcpc.cache_info().hits == 16


def test_after_fork():
    tcpc.permute(np.ones((4, 3)), (1, 0), backend="host")
    importlib.import_module("tcpc._load")
    with tcpc._engine.engine.lock, tcpc._host.HOST.lock, tcpc._library._lock, tcpc._load._lock:
        child = os.fork()  # while this thread holds the lock
        if child == 0:
            free = [module._lock.acquire(False) for module in (tcpc._library, tcpc._load)]
            for module in tcpc._library, tcpc._load:
                module._lock.release()
            os._exit(0 if all(free) and tcpc.permute(np.ones((4, 3)), (1, 0), backend="host").shape == (3, 4) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_import_alone():
    """Neither numpy nor the compiler is loaded before it is needed."""
    text = "import sys; before = set(sys.modules); import tcpc; sys.exit(any(name in sys.modules and name not in before for name in ('numpy', 'torch', 'subprocess', 'pathlib', 'tempfile', 'json', 'hashlib', 'ctypes', 'tcpc._library', 'tcpc._core', 'tcpc.algebra')))"
    assert subprocess.run([sys.executable, "-c", text], env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))).returncode == 0


def test_scope():
    """What a host run loads is not found by other extension modules: ml_dtypes once met the runtime's C++ library, and crashed."""
    tcpc.permute(np.zeros((3, 4), "f4"), (1, 0), backend="host")
    everything = ctypes.CDLL(None)
    for name in ("tcp_alloc", "tcp_free"):
        assert not hasattr(everything, name)
