"""usage: check_json.py [--one-of=N[:SEED]] TCPC DOCUMENT PLAN...: `explain --json` of each plan has the fields that DOCUMENT lists, of their
types, and says of widths, bytes and instructions what the emitted code and the numbers beside them say."""

import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from sampled import drawn  # noqa: E402

WARP = 32
BULK_ALIGN = 128  # bits, of rows and boxes of any size
TYPES = {
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "text": lambda x: isinstance(x, str),
    "text or null": lambda x: x is None or isinstance(x, str),
    "integer or null": lambda x: x is None or isinstance(x, int),
    "amount": lambda x: isinstance(x, (int, str)),
    "amount or null": lambda x: x is None or isinstance(x, (int, str)),
    "list or null": lambda x: x is None or isinstance(x, list),
    "list": lambda x: isinstance(x, list),
    "object": lambda x: isinstance(x, dict),
}


def run(*arguments):
    done = subprocess.run([options.tcpc, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tcpc {' '.join(arguments)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def schema(document):
    """{"kernels[].copies[]": {"label": "text or null", ...}} from the tables of the document."""
    tables, at = {}, None
    for line in open(document, encoding="utf-8"):
        head = re.match(r"#+ `(.*)`$", line.strip())
        row = re.match(r"\| `(\w+)` \| ([^|]+) \|", line)
        if head:
            at = head[1]
            tables[at] = {}
        elif row and at is not None:
            tables[at][row[1]] = row[2].strip()
    return tables


def check(value, path, tables, plan):
    table = tables.get(path)
    if table is None:
        sys.exit(f"{plan}: the document has no table for '{path}'")
    optional = {name for name, kind in table.items() if kind.endswith("(local)")}
    missing, more = set(table) - set(value) - optional, set(value) - set(table)
    if missing or more:
        sys.exit(f"{plan}: '{path}' lacks {sorted(missing)}, has {sorted(more)} beside")
    for name, x in value.items():
        kind = table[name].replace(" (local)", "")
        if not TYPES[kind](x):
            sys.exit(f"{plan}: '{path}.{name}' is {x!r}, not {kind}")
        inner = name if path == "(top)" else f"{path}.{name}"
        if isinstance(x, dict):
            check(x, inner, tables, plan)
        for one in x if isinstance(x, list) else []:
            if isinstance(one, dict):
                check(one, inner + "[]", tables, plan)


def size(text):
    """The product of the extents of a shape, or of a layout's shape."""
    product = 1
    for n in re.findall(r"\d+", text.split(":")[0]):
        product *= int(n)
    return product


def offsets(layout):
    """The offsets of a layout "((8,16),(8,8)):((64,0),(8,1))", each once."""
    shape, stride = layout.split(":")
    reached = {0}
    for n, d in zip(re.findall(r"\d+", shape), re.findall(r"\d+", stride), strict=True):
        reached = {at + i * int(d) for at in reached for i in range(int(n))}
    return reached


def bits_of(elem):
    return 8 if elem.startswith("f8") else int(re.search(r"\d+", elem)[0])


def box_bytes(c):
    """Of one box of a tensor map: "2 of 16x64 along mode 0, mode 1 of B"."""
    bits = bits_of(c["elem"])
    for n in re.search(r"^\d+ of ([\dx]+) ", c["boxes"])[1].split("x"):
        bits *= int(n)
    return bits // 8


def elements(c, bound):
    """How many elements of the side that a bound is about it allows."""
    both = [bits_of(c[side]["elem"]) for side in ("source", "destination")]
    name = bound["name"]
    of = both["destination" in name] if "source" in name or "destination" in name else max(both)
    return (bound["bits"] & -bound["bits"]) // (min(both) if name == "atom" else of)


def check_copy(c, code, plan):
    where = f"{plan}:{c['line']}"
    width = c["width"]
    limit = [b for b in width["bounds"] if b["name"] == width["limited_by"]]
    if len(limit) != 1 or elements(c, limit[0]) != width["elements"]:
        sys.exit(f"{where}: {width['bits']} bits are not those of what limits them")
    for b in width["bounds"]:
        if b["bits"] is not None and elements(c, b) < width["elements"]:
            sys.exit(f"{where}: '{b['name']}' allows less than the width")
    # of what the lanes of a warp move together a lane holds so much, and addresses more
    matrix = c["atom"].split(".")[0] in ("ldmatrix", "stmatrix")
    if width["bits"] != (min if matrix else max)(c[side]["bits"] for side in ("source", "destination")):
        sys.exit(f"{where}: {width['bits']} bits are not those of the {'narrower' if matrix else 'wider'} side")
    lanes = c["lanes"] or WARP
    takes_part = c["threads"] // WARP * lanes + min(c["threads"] % WARP, lanes)
    moved = c["source"]["instructions"] * width["elements"] * bits_of(c["elem"]) // 8 * takes_part
    rows = c["atom"].startswith("bulk")
    whole = rows or c["atom"].startswith("tma.")  # one thread's instruction moves a row or a box, and its bytes are in its name
    if whole:
        each = int(re.search(r"<(\d+)", c["source"]["instruction"])[1])
        moved = c["source"]["instructions"] * each
        if c["threads"] != 1 or (each * 8 != width["bits"] if rows else each != box_bytes(c) or moved != c["bytes"]["block_once"]):
            sys.exit(f"{where}: '{c['source']['instruction']}' by {c['threads']} threads is not {c['boxes'] or width}")
    elif c["tv"]:  # what several threads have at once is told once
        moved = moved // size(c["tv"]) * len(offsets(c["tv"]))
    covered = size(c["tiler"]) * c["rounds_total"] if c["tiler"] else size(c["shape"])
    if covered > size(c["shape"]):  # some threads stand beside the tile, and move nothing
        moved = moved * size(c["shape"]) // covered
    if c["bytes"]["block_once"] != moved:
        sys.exit(f"{where}: {c['bytes']['block_once']} bytes, but the instructions move {moved}")
    if covered < size(c["shape"]):
        sys.exit(f"{where}: the rounds do not make up the tile")
    for side in ("source", "destination"):
        part = c[side]["thread"]
        each = c["values"] if c["map"] and not c["tv"] else 1  # the values are then in the offset
        of_access = c[side]["bits"] // bits_of(c[side]["elem"])
        if size(part["layout"]) * each != (c["values"] * c["rounds_total"] if whole else c["source"]["instructions"] * of_access):
            sys.exit(f"{where}: a thread's part is not what its instructions move")
        if not any(c[side]["instruction"] + after in code for after in "(<"):
            sys.exit(f"{where}: {c[side]['instruction']} is not in the emitted code")
        if not matrix and of_access != width["elements"]:
            sys.exit(f"{where}: {width['elements']} x {c[side]['elem']} are not {c[side]['bits']} bits")
        a = c[side]["alignment"]
        if c[side]["space"] == "frag":
            continue  # registers are not addressed
        terms = [a[name] for name in ("base", "offset", "run", "stride") if a[name]]
        if any(term * 8 % (BULK_ALIGN if whole else c[side]["bits"]) for term in terms):
            sys.exit(f"{where}: an alignment does not allow {c[side]['bits']} bits: {a}")


def check_pipeline(p, plan):
    """The counts of a pipeline are those of its schedule, run for some steps."""
    where = f"{plan}:{p['line']}"
    under_way, most = 0, 0
    for event in p["prologue"] * (p["stages"] - 1) + p["step"] * (p["stages"] + 2):
        if event == "commit":
            under_way += 1
        elif re.match(r"wait \d", event):  # "wait 0 written"
            under_way = min(under_way, int(event.split()[1]))
        most = max(most, under_way)
    if most != p["groups_under_way"]:
        sys.exit(f"{where}: {p['groups_under_way']} groups in flight are told, and {most} are")
    for name, event in ("groups", "commit"), ("waits", "wait"), ("barriers", "barrier"):
        if p[name] != sum(e.removeprefix("fence, ").split()[0] == event for e in p["step"]):
            sys.exit(f"{where}: a step has other than {p[name]} {name}")
    for buffer in p["buffers"]:
        if buffer["bytes"] > p["stages"] * buffer["stage_bytes"]:
            sys.exit(f"{where}: {p['stages']} stages of '{buffer['name']}' are not its bytes")


parser = argparse.ArgumentParser()
parser.add_argument("--one-of")
parser.add_argument("tcpc")
parser.add_argument("document")
parser.add_argument("plans", nargs="+")
options = parser.parse_args()
tables = schema(options.document)
plans, seed = drawn(options.plans, options.one_of)
for plan in plans:
    told = json.loads(run("explain", "-w", "--json", plan))
    code = re.sub(r"\btcp_ring\d+\b", "tcp_ring", run("-w", plan, "-o", "-"))  # each pipeline with roles has one
    check(told, "(top)", tables, plan)
    # each variant of a kernel has them
    syncs = [sync for kernel in told["kernels"] for sync in kernel["syncs"] * max(1, len(kernel["variants"]))]
    for kernel in told["kernels"]:
        for copy in kernel["copies"]:
            check_copy(copy, code, plan)
        for pipeline in kernel["pipelines"]:
            check_pipeline(pipeline, plan)
    barriers = sum(sync["barriers"] * sync["stands"] for sync in syncs)
    # a role's own barrier has a number, and one that a manual kernel writes has the number or the slot of its name; those of a pipeline, which
    # hand over, have 'slot', or stand together at the end
    inner = re.sub(r"if \(tid >= \d+\) \{\s*(tcp_named_sync\(\d+, \d+\);\s*)+\}", "", code)
    emitted = len(re.findall(r"tcp_sync\(\);|tcp_named_(?:sync|meet)\((?:\w+_slot \+ )?\d+, \d+\);", inner))
    if barriers != emitted:
        sys.exit(f"{plan}: {barriers} barriers are told, {emitted} emitted")
    waits = [sync["pending"] for sync in syncs for _ in range(sync["stands"]) if sync["pending"] >= 0]
    # a loading role's waits are in its steps alone
    waits += [int(does.split()[1]) for kernel in told["kernels"] for p in kernel["pipelines"] if "roles" in p for does in p["step"] if re.match(r"wait \d", does)]
    waits.sort()
    # one wait may be for groups of the threads and for those of the thread that copies in bulk
    emitted = sorted(map(int, re.findall(r"(?:tcp_cp_async_wait|tcp_ring\.wait|tcp_bulk_wait|tcp_bulk_wait_read)<(\d+)>\(\);(?!\s*tcp_ring\.wait<)", code)))
    if waits != emitted:
        sys.exit(f"{plan}: waits {waits} are told, {emitted} emitted")
print(f"{len(plans)} plans are told right{seed}")
