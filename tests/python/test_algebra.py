"""Layouts and their operations, against the command and brute force."""
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import tcpc
from conftest import SEED
from tcpc import Layout, _library, algebra

PROGRAM = pathlib.Path(os.environ["TCPC_PROGRAM"]) if "TCPC_PROGRAM" in os.environ else pathlib.Path(__file__).resolve().parents[2] / "build" / "bin" / "tcpc"
PLAN = """tcp 1;
tensor A : f32 global (16,8) align 16;
tensor B : f32 global (16,8) align 16;
tiled_copy tc = tile(universal(128), thr=(4,8), val=(4,1));
kernel k(A, out B) grid (1) threads 32 { copy A -> B with tc; }
"""


def command(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def test_layout():
    a = Layout((4, (2, 4)), (8, (1, 2)))
    assert (a.shape, a.stride, a.size, str(a)) == ((4, (2, 4)), (8, (1, 2)), 32, "(4,(2,4)):(8,(1,2))")
    assert a == Layout("(4,(2,4)):(8,(1,2))") != Layout((4, 8)) and len({a, Layout(str(a))}) == 1 and repr(a) == "Layout('(4,(2,4)):(8,(1,2))')"
    assert Layout((4, 8)).stride == (1, 4) and Layout(6, 2).shape in (6, (6,))
    assert [a(i) for i in range(32)] == [8 * (i % 4) + i // 4 % 2 + 2 * (i // 8) for i in range(32)] and a(1, (1, 2)) == 13
    swizzled = Layout("Sw<2,0,3> o (8,8):(8,1)")
    assert Layout(a.pycute()) == a == Layout(a.cute()) and Layout(swizzled.pycute()) == swizzled
    with pytest.raises(ValueError, match="'size.*' is no layout"):
        Layout("size((4,8):(8,1))")
    with pytest.raises(tcpc.CompileError, match="nothing is called 'nonsense' here"):
        Layout("nonsense(1)")


def drawn(rng, depth=0):
    """Shape and strides of a random layout, nested alike."""
    if depth == 2 or rng.random() < .4:
        return int(rng.integers(1, 9)), int(rng.integers(0, 40))
    parts = [drawn(rng, depth + 1) for _ in range(rng.integers(1, 4))]
    return tuple(shape for shape, _ in parts), tuple(stride for _, stride in parts)


class Foreign:
    """As pycute.Layout and NVIDIA's PyCuTe have it: a shape, a stride, and their texts."""

    def __init__(self, shape, stride):
        self.shape, self.stride = shape, stride

    def __str__(self):
        return f"{self.shape}:{self.stride}".replace(" ", "").replace(",)", ")")

    def __repr__(self):
        return f"Layout({self.shape},{self.stride})"


def test_round_trips():
    """Each notation gives the layout back; so do the layouts of other packages, as objects and as texts."""
    rng = np.random.default_rng(SEED)
    for _ in range(40):
        shape, stride = drawn(rng)
        a = Layout(shape, stride)
        assert Layout(a.pycute()) == Layout(a.cute()) == Layout(str(a)) == Layout(a.shape, a.stride) == eval(repr(a)) == a
        there = Foreign(shape, stride)
        assert Layout(there) == Layout(repr(there)) == a and eval(a.pycute(), {"Layout": Layout}) == a
        back = Foreign(a.shape, a.stride)
        assert Layout(back) == a and (isinstance(shape, int) or str(back) == str(there))


def test_operations():
    a, b = Layout((6, 4), (4, 1)), Layout(8, 3)
    c = algebra.composition(a, b)
    assert [c(i) for i in range(8)] == [a(3 * i) for i in range(8)]
    assert algebra.logical_divide(Layout((16, 32), (32, 1)), [4, 8]) == Layout("((4,4),(8,4)):((32,128),(1,8))")
    assert algebra.size(a) == 24 and algebra.shape(a) == (6, 4) and algebra.compatible(24, (6, 4)) is True
    assert "composition" in dir(algebra) and algebra.composition.__doc__.startswith("composition(")
    listed = {line.split("(")[0] for line in command("eval", "--list").splitlines() if "(" in line and "plans only" not in line}
    assert {name for name, _, _ in algebra.operations()} <= listed | {"Sw"} and len(algebra.operations()) > 60
    with pytest.raises(AttributeError, match="there is no operation 'nonsense'"):
        algebra.nonsense
    with pytest.raises(TypeError, match="expected a layout, an integer, a text, a tuple or a list, not float"):
        algebra.size(1.5)
    assert "bench" in dir(tcpc) and all(hasattr(tcpc, name) for name in dir(tcpc))
    with pytest.raises(AttributeError, match="module 'tcpc' has no attribute 'nonsense'"):
        tcpc.nonsense


def test_draw_and_explain(tmp_path):
    file = tmp_path / "plan"
    file.write_text(PLAN)
    a = Layout((4, 8), (8, 1))
    assert a.draw() == command("draw", str(a)) and a._repr_svg_().startswith("<svg")
    drawing = tcpc.draw(PLAN, "tc")
    assert drawing == command("draw", file, "tc") and drawing._repr_svg_().startswith("<svg")
    found = tcpc.explain(PLAN, "k")
    assert str(found) == command("explain", file, "k").replace(str(file), "plan") and "<pre>" in found._repr_html_()
    assert found["kernels"][0]["name"] == found.kernels[0].name == "k" and found.kernels[0].copies[0].threads == 32 and "kernels" in dir(found) and repr(found) == str(found)
    with pytest.raises(AttributeError, match="there is no 'nonsense' here; there is schema, plan,"):
        found.nonsense
    with pytest.raises(tcpc.CompileError, match="zz") as error:
        tcpc.explain(PLAN.replace("out B", "out zz"))
    assert error.value.line == 5 and error.value.column > 0
    turn = "tcp 1;\nparam M, N : index;\ntensor A : f16 global (M,N):(N,1) align 16;\ntensor B : f16 global (M,N):(1,M) align 16;\nkernel turn(A, out B) { copy A -> B; }\n"
    found = tcpc.explain(turn, params={"M": 64, "N": 31})
    assert str(found).startswith("kernel turn has 3 cases;") and [case.taken for case in found.kernels[0].cases] == [0, 0, 1]
    assert found.kernels[0].cases[0].holds_if == "N % 8 == 0, M % 8 == 0"


def test_explain_what_was_compiled():
    tcpc.permute(np.zeros((6, 8), np.float32), (1, 0), backend="host")
    kernel = tcpc.cache_info().kernels[0]
    name = re.search(r"kernel (relayout_\w+)", kernel.plan)[1]
    assert name in str(tcpc.explain(kernel.plan)) and kernel.explain() == tcpc.explain(kernel.plan) == tcpc.explain(kernel)
    assert tcpc.draw(kernel, name)._repr_svg_().startswith("<svg") and tcpc.draw(kernel) == tcpc.draw(kernel, name)
    assert re.search(r"^0 hits, 1 misses.*\nkernel +backend .*\nb32 global [(]8,6[)]:[(]1,8[)] -> b32 global [(]8,6[)]:[(]6,1[)] +host +1 ", str(tcpc.cache_info()))
    assert tcpc.__version__ == tcpc.version()


def test_the_words_of_this_package():
    """What the commands call options, and values of params."""
    a = Layout((8, 8), (8, 1))
    for type in np.float32, "float32", "f32", np.dtype("f4"):
        assert a.draw(view="banks", type=type) == command("draw", "--view=banks", "--type=f32", str(a))
    for call, text in ((lambda: a.draw(view="banks"), "a layout alone has no element type; say type='f16'"), (lambda: a.draw(type="f32"), "'type=' is for view 'banks' of a layout"),
                       (lambda: a.draw(view="banks", type="f99"), "'type=' takes an element type, not 'f99'"), (lambda: tcpc.draw(PLAN, "A", "layout", thread=3), "'thread=' is for view 'path'"),
                       (lambda: tcpc.explain(OPEN, params={"M": 3}), "no param 'M'")):
        with pytest.raises(tcpc.CompileError, match=re.escape(text)) as error:
            call()
        assert "--" not in str(error.value) and "tcpc explain" not in str(error.value)
    for call, text in ((lambda: a.draw(view="banks", type=np.complex64), "type= is a type of numpy or PyTorch, such as numpy.float16, or a plan's word, such as 'f16', not"),
                       (lambda: tcpc.draw(PLAN + "kernel more(A, out B) { copy A -> B; }"), "the plan has several kernels; say which one is drawn: 'k', 'more'"), (lambda: tcpc.draw(PLAN, a), "what is drawn is named by a text, such as 'src' or the name of a kernel, not"),
                       (lambda: tcpc.explain(OPEN, params={"N": 1.5}), "param 'N' is an integer, not 1.5")):
        with pytest.raises(TypeError, match=re.escape(text)):
            call()


OPEN = """tcp 1;
param N : index % 64;
tensor src : b32 global (24,N):(1,24) align 16;
tensor dst : b32 global (24,N):(1*N,1) align 16;
kernel turn(src, out dst) { copy src -> dst; }
"""


def test_explain_with_params(tmp_path):
    file = tmp_path / "plan"
    file.write_text(OPEN)
    told = tcpc.explain(OPEN, params={"N": np.int64(640)})
    assert told != tcpc.explain(OPEN) and str(told) == _library.in_python(command("explain", "--param=N=640", file).replace(str(file), "plan"))
    assert "sectors of 32 bytes" in str(told) and "--" not in str(told) and "'source' of the explanation has it" in str(told)
    assert told.source == command("explain", "--plan", file).replace(str(file), "plan") and "copy local_tile(src" in told.source
    assert [t.declared for t in told.kernels[0].tensors[:2]] == ["(24,N):(1,24)", "(24,N):(N,1)"] and "in the plan 'src' is (24,N):(1,24)" in " ".join(str(told).split())


def test_a_fixit_is_data():
    with pytest.raises(tcpc.CompileError) as error:
        tcpc.explain(PLAN.replace("val=(4,1)", "val=(4,1"))
    assert error.value.file == "plan" and error.value.line == 4
    with pytest.raises(tcpc.CompileError) as error:
        tcpc.explain(PLAN.replace("copy A -> B", "copy AA -> B"))
    assert error.value.notes or error.value.fixits


def test_a_tile_is_called():
    whole = tcpc.Layout((64, 32), (32, 1))
    tile = tcpc.algebra.local_tile(whole, [8, 4], (1, 1))
    assert tile.text == "260+(8,4):(32,1)" and tile(1, 1) == whole(9, 5) == 293 and tile(9) == tile(1, 1) and tile((1, 1)) == 293


def test_integers_and_tensors_of_others():
    assert tcpc.Layout((np.int64(4), 8), (np.int32(8), 1)) == tcpc.Layout((4, 8), (8, 1)) and tcpc.Layout((4, 8))(np.int64(5)) == 5
    with pytest.raises(TypeError, match="expected a layout, an integer, a text, a tuple or a list, not"):
        tcpc.Layout(np.zeros((4, 8)))

    class Tensor:
        shape = (4, 8)

        def stride(self):
            return 8, 1

    with pytest.raises(TypeError, match=r"a tensor is no layout; give Layout\(tuple\(x.shape\), x.stride\(\)\)"):
        tcpc.Layout(Tensor())
