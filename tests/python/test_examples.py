"""The examples run, and give what their files show."""
import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"


@pytest.mark.parametrize("name", ["relayout", "plan"])
def test_script(name, capsys):
    """It says what examples/python/README.md shows."""
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    shown = re.search(rf"\$ python {name}\.py\n(.*?)^```", (EXAMPLES / "README.md").read_text(), re.M | re.S)
    assert capsys.readouterr().out == shown[1]


def test_without_a_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match="this example needs PyTorch"):
        runpy.run_path(str(EXAMPLES / "torch_heads.py"), run_name="__main__")


def test_notebook(tmp_path):
    """The check also fails where an output is another one."""
    tool, notebook = ROOT / "tests" / "tools" / "notebook.py", EXAMPLES / "layouts.ipynb"
    spoilt = tmp_path / "spoilt.ipynb"
    spoilt.write_text(notebook.read_text().replace("10 32 32\\n", "10 32 33\\n"))
    done = subprocess.run([sys.executable, tool, notebook, spoilt], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 1 and done.stdout == f"{spoilt}: its cells give other outputs; notebook.py --write writes them\n", done.stdout + done.stderr


def test_the_first_block_of_the_readme():
    """What a reader pastes."""
    section = (ROOT / "README.md").read_text().split("\n## Python\n")[1].split("\n## ")[0]
    block = re.search(r"^```python\n(.*?)^```", section, re.M | re.S)[1]
    names = {}
    exec(block, names)
    assert names["y"].shape == (2, 8, 100, 64)


def test_the_page_for_pytorch():
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "pytorch.md").read_text(), re.M | re.S):
        exec(block, names)
    assert names["picture"]._repr_svg_().startswith("<svg")
