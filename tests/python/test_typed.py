"""The hints: mypy accepts the package, and a program that uses it as it is meant, and refuses one that does not."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIGHT = """import tcpc
info: tcpc.CacheInfo = tcpc.cache_info()
layout: tcpc.Layout = tcpc.Layout((4, 8), (8, 1))
names = [k.plan for k in info.kernels] + [k.name for k in info.loaded]
plan: tcpc.LoadedPlan = tcpc.load("a.tcp", defines={"TILE": 64})
tcpc.relayout(None, "a (b c) -> c a b", c=4, out=None)
timed: tcpc.Bench = tcpc.bench(None, "a -> a")
told: str = tcpc.explain("", params={"N": 3}).text
"""
WRONG = {"tcpc.relayout(None)": "Too few arguments", "tcpc.relayout(None, 'a -> a', b='x')": "incompatible type", "tcpc.cache_info().kernel": "has no attribute",
         "tcpc.Layout(3).strides": "has no attribute"}


def mypy(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "mypy", "--no-site-packages", *arguments], cwd=cwd, capture_output=True, text=True)


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text("import tcpc\n" + "\n".join(WRONG) + "\n")
    done = mypy("--cache-dir", tmp_path / "cache", "python/tcpc", tmp_path / "right.py", tmp_path / "wrong.py", cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(lines) == len(WRONG), done.stdout + done.stderr
    for i, (line, text) in enumerate(zip(lines, WRONG.values())):
        assert f"wrong.py:{i + 2}: error:" in line and text in line, line
