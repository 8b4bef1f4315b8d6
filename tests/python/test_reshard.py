"""reshard, with PyTorch and four processes on the CPU: random cases, DTensors, gradients, and what a wrong call is told. On GPUs: torchrun --nproc-per-node 4 reshard_ranks.py --device cuda."""
import pathlib
import subprocess
import sys

import pytest

from conftest import SEED

pytest.importorskip("torch.distributed.tensor")
SIZE = 4


def test_processes(tmp_path):
    script = pathlib.Path(__file__).with_name("reshard_ranks.py")
    running = [subprocess.Popen([sys.executable, script, "--seed", str(SEED), "--init", str(tmp_path / "store"), str(rank), str(SIZE)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for rank in range(SIZE)]
    outputs = [p.communicate(timeout=300)[0] for p in running]
    assert all(p.returncode == 0 and " 0 wrong" in out for p, out in zip(running, outputs)), "\n".join(outputs)
