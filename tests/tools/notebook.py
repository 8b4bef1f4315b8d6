"""Executes notebooks, and compares what their cells give with the outputs in the files, or writes those anew.

usage: notebook.py [--write] FILE.ipynb...

No Jupyter is needed: cells are Python alone. The value of a cell's last line is shown as a notebook shows it, by _repr_svg_ and _repr_html_.
"""
import argparse
import ast
import contextlib
import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))


def lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """The value in each form that it has."""
    forms = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}
    found = {kind: lines(getattr(value, name)()) for kind, name in forms.items() if hasattr(value, name)}
    return {**found, "text/plain": lines(repr(value))}


def outputs(source, names, count):
    """What executing a cell gives."""
    tree, printed, found = ast.parse(source), io.StringIO(), []
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        found.append({"data": shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def executed(notebook):
    """The notebook with the outputs that its cells give."""
    names, count = {"__name__": "__main__"}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"], cell["outputs"] = count, outputs("".join(cell["source"]), names, count)
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given, differ = parser.parse_args(), 0
    for file in given.files:
        before = file.read_text()
        after = executed(json.loads(before))
        if given.write:
            file.write_text(after)
        elif before != after:
            differ += 1
            print(f"{file}: its cells give other outputs; notebook.py --write writes them")
    return differ != 0


if __name__ == "__main__":
    sys.exit(main())
