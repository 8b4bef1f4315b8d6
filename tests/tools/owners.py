#!/usr/bin/env python3
"""owners.py TCPC [--every N] [-v]: asks `tcpc draw` for the ownership maps of the tiles in tests/golden/tiled_copy.tsv and compares them
with the owners that the real CuTe gives."""
import pathlib
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
REFUSED = ("tile-not-covered", "unsound")


ATOMS = {f"SM75_{kind}x{n * (1 if kind == 'U32' else 2)}_LDSM_{letter}": f"ldmatrix.x{n}{turned}"
         for kind, letter, turned in (("U32", "N", ""), ("U16", "T", ".trans")) for n in (1, 2, 4)}
ATOMS |= {name.replace("SM75", "SM90").replace("LDSM", "STSM"): atom.replace("ld", "st") for name, atom in ATOMS.items()}


def tiles():
    """The tiles of the rows that are accepted here and have a shape of two modes: the tile as an argument list, its
    rows, columns and owners by element, row by row: the first thread, with a + if there are more. Where the sides differ,
    the owners are the destination's."""
    seen = {}
    listed = (GOLDEN / "DIFFERENCES.md").read_text()
    for line in (GOLDEN / "tiled_copy.tsv").read_text().splitlines()[1:]:
        row = line.split("\t")
        shape = re.fullmatch(r"\((\d+),(\d+)\)", row[7])
        written = row[19] if row[20] == "=" else row[20]
        if not shape or written == "-" or any(flag in row[22] for flag in REFUSED) or f"- tiled `{' '.join(row[:4])} |" in listed:
            continue
        owners = [f"{int(owner.split(':')[0])}{'+' if '/' in owner else ''}" for owner in written.split(",")]
        atom = f"{ATOMS[row[1]]}({row[2]})" if row[1] in ATOMS else "auto(128)"
        arguments = f"{atom}, tv={row[8]}, tile={row[7]}"
        if row[0] == "make_tiled_copy":
            thr, val = row[3].split(" ; ")
            arguments = f"{atom}, thr={thr}, val={val}"
        seen[arguments] = (int(shape[1]), int(shape[2]), owners)
    return seen


def drawn(tcpc, path, name):
    """The map that `tcpc draw` prints, as a list of rows of owners."""
    text = subprocess.run([tcpc, "draw", path, name], capture_output=True, text=True, check=True, timeout=60).stdout
    rows = [line.split() for line in text.splitlines() if re.match(r"r\d+\s", line)]
    return text, [[re.sub(r"^T0*(?=\d)", "", cell) for cell in row[1:]] for row in rows]


def main():
    tcpc, verbose = sys.argv[1], "-v" in sys.argv[2:]
    every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    wrong = 0
    cases = dict(list(tiles().items())[::every])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "owners.tcp"
        for case, (rows, columns, owners) in cases.items():
            path.write_text(f"tcp 1;\narch sm_90;\ntiled_copy t = tile({case});\n")
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
