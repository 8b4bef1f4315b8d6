#!/usr/bin/env python3
"""owners.py TCPC [-v]: asks `tcpc draw` for the ownership maps of the tiles in tests/golden/tiled_copy.tsv and compares them
with the owners that the real CuTe gives."""
import pathlib
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
REFUSED = ("tile-not-covered", "unsound")


def tiles():
    """The tiles of the rows that are accepted here and have a shape of two modes: the tile as an argument list, its
    rows, columns and owners by element, row by row: the first thread, with a + if there are more."""
    seen = {}
    listed = (GOLDEN / "DIFFERENCES.md").read_text()
    for line in (GOLDEN / "tiled_copy.tsv").read_text().splitlines()[1:]:
        row = line.split("\t")
        shape = re.fullmatch(r"\((\d+),(\d+)\)", row[6])
        if not shape or any(flag in row[15] for flag in REFUSED) or f"- tiled `{' '.join(row[:4])} |" in listed:
            continue
        owners = [f"{int(owner.split(':')[0])}{'+' if '/' in owner else ''}" for owner in row[16].split(",")]
        arguments = f"tv={row[7]}, tile={row[6]}"
        if row[0] == "make_tiled_copy":
            thr, val = row[3].split(" ; ")
            arguments = f"thr={thr}, val={val}"
        seen[arguments] = (int(shape[1]), int(shape[2]), owners)
    return seen


def drawn(tcpc, path, name):
    """The map that `tcpc draw` prints, as a list of rows of owners."""
    text = subprocess.run([tcpc, "draw", path, name], capture_output=True, text=True, check=True, timeout=60).stdout
    rows = [line.split() for line in text.splitlines() if re.match(r"r\d+\s", line)]
    return text, [[re.sub(r"^T0*(?=\d)", "", cell) for cell in row[1:]] for row in rows]


def main():
    tcpc, verbose = sys.argv[1], "-v" in sys.argv[2:]
    wrong = 0
    cases = tiles()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "owners.tcp"
        for case, (rows, columns, owners) in cases.items():
            path.write_text(f"tcp 1;\ntiled_copy t = tile(auto(128), {case});\n")
            text, have = drawn(tcpc, path, "t")
            want = [owners[r * columns:(r + 1) * columns] for r in range(rows)]
            if have != want or verbose:
                print(case, "differs" if have != want else "agrees")
            if have != want:
                wrong += 1
                print(text)
    print(f"{len(cases)} tiles, {wrong} drawn otherwise than CuTe owns them")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
