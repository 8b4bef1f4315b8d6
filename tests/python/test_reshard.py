"""reshard, with PyTorch and four processes on the CPU: random cases, DTensors, gradients, and what a wrong call is told. On GPUs: torchrun --nproc-per-node 4 reshard_ranks.py --device cuda."""
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import SEED

pytest.importorskip("torch.distributed.tensor")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = 4


def test_processes(tmp_path):
    script = pathlib.Path(__file__).with_name("reshard_ranks.py")
    running = [subprocess.Popen([sys.executable, script, "--seed", str(SEED), "--init", str(tmp_path / "store"), str(rank), str(SIZE)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for rank in range(SIZE)]
    outputs = [p.communicate(timeout=300)[0] for p in running]
    assert all(p.returncode == 0 and " 0 wrong" in out for p, out in zip(running, outputs)), "\n".join(outputs)


def test_example():
    """It needs torchrun."""
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", ROOT / "examples" / "python" / "reshard.py"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert "(2, 64, 4, 16) -> (2, 2, 128, 16) -> (2, 64, 4, 16) on each of 2 devices\n" in done.stdout, done.stdout + done.stderr
