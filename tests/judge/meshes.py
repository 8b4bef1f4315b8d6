#!/usr/bin/env python3
"""Compares tcpc with a second reading of plans between devices: meshes.py --tcpc TCPC --library LIBRARY --plans N --seed S.

Plans are drawn as text, many of them spoilt, and read here from docs/mesh.md alone: which element of the whole each device has at which place.
A plan that breaks a rule for some of its params has to be refused. One that does not is compiled and run for all devices on a mesh of this
judge (mesh/), on which nobody sees what others write before all have ended, and every byte of every device is compared. Right plans that tcpc
refuses are counted by message; it may refuse what docs/mesh.md lists as not supported.
"""
import argparse
import collections
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import numeric
from mesh_plans import Drawn
from plan import BITS
from run import message_class

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMITS = ("do not divide each other", "tiles along more than two extents that are params")


class Breach(Exception):
    """A rule that the plan breaks."""


# -- reading -----------------------------------------------------------------------------------------------------------------------


def split(text):
    """The parts between commas that are in no bracket."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def number(text, params):
    """The value of an expression."""
    words = re.sub(r"\bceil_div\(([^,()]*),([^,()]*)\)", r"(-(-(\1) // (\2)))", text).replace("/ (", "// (")
    return eval(re.sub(r"(?<!/)/(?!/)", "//", words), {"__builtins__": {}}, dict(params))


class Side:
    """A tensor over devices: "names" or None, "extent" and "stride" of the parts, by mode, and which axes cut which mode."""

    def __init__(self, text, meshes, params):
        found = re.fullmatch(r"(\w+) global (.*?)(?: over \((.*?)\))?(?: align (\d+))?", text)
        self.type, layout, over, align = found.groups()
        self.align = max(int(align or 1), 16)  # parts are aligned to 16 bytes in any case
        self.mesh, self.cuts = None, {}
        form = re.match(r"(row|col)\((.*)\)$", layout)
        modes = split(form[2] if form else layout[1:layout.index(")")])
        self.names = [m.split("=")[0].strip() for m in modes] if all("=" in m for m in modes) else None
        self.extent = [number(m.split("=")[-1], params) for m in modes]
        if not form:
            strides = [number(x, params) for x in split(layout[layout.index(":") + 2:-1])]
            order = sorted(range(len(modes)), key=lambda i: (strides[i], self.extent[i]))
            step = 1
            for i in order:
                if strides[i] != step and self.extent[i] != 1:
                    raise Breach("a tensor over devices that is not compact")
                step *= self.extent[i]
            self.order = order
        else:
            self.order = list(range(len(modes)))[::-1 if form[1] == "row" else 1]
        if over is None:
            return
        for part in split(over):
            axis, mode = (x.strip() for x in part.split(":"))
            mesh = next((m for m in meshes if axis in m[0]), None)
            if mesh is None or (self.mesh and mesh is not self.mesh):
                raise Breach("an axis of no mesh, or of another")
            self.mesh = mesh
            if axis in self.cuts:
                raise Breach("an axis twice")
            if mode == "_":
                at = None
            elif mode.isdigit():
                at = int(mode)
            else:
                at = self.names.index(mode) if self.names and mode in self.names else -1
            if at is not None and not 0 <= at < len(modes):
                raise Breach("a mode that the tensor has not")
            self.cuts[axis] = at
        if self.mesh is None:
            raise Breach("over nothing")
        self.part, self.uneven, self.hard = list(self.extent), False, False  # hard: what tcpc may refuse
        for axis, size in zip(*self.mesh):
            at = self.cuts.get(axis)
            if at is not None:
                self.hard |= self.part[at] % size != 0 and sum(m == at for m in self.cuts.values()) > 1
                self.uneven |= self.part[at] % size != 0
                self.part[at] = -(-self.part[at] // size)

    def places(self, device):
        """The coordinate in the whole of each element of a device's part, in the order of its memory; None beyond the end of a shorter part."""
        axes, sizes = self.mesh
        digit, rest = {}, device
        for axis, size in reversed(list(zip(axes, sizes))):
            digit[axis] = rest % size
            rest //= size
        first = [0] * len(self.part)
        for axis, size in zip(axes, sizes):  # the first axis counts the large parts
            at = self.cuts.get(axis)
            if at is not None:
                first[at] = first[at] * size + digit[axis]
        first = [f * p for f, p in zip(first, self.part)]
        coordinate = [0] * len(self.part)
        for _ in range(math.prod(self.part)):
            at = tuple(f + c for f, c in zip(first, coordinate))
            yield at if all(c < n for c, n in zip(at, self.extent)) else None
            for m in self.order:
                coordinate[m] += 1
                if coordinate[m] < self.part[m]:
                    break
                coordinate[m] = 0


class Reading:
    """What a plan says for some params, or a Breach."""

    def __init__(self, text, params):
        meshes = []
        for names, sizes in re.findall(r"^mesh (.*?) \((.*?)\);$", text, re.M):
            axes, sizes = split(names.strip("()")), [number(s, params) for s in split(sizes)]
            if len(axes) != len(sizes) or not 1 <= math.prod(sizes) <= 16 or min(sizes) < 1:
                raise Breach("no such mesh")
            meshes.append((axes, sizes))
        tensors = {name: of for name, of in re.findall(r"^tensor (\w+) : (.*);$", text, re.M)}
        kernel = re.search(r"^kernel \w+\((.*?)\) \{ copy (.*?) -> (.*?); \}$", text, re.M)
        formals, source, target = split(kernel[1]), kernel[2], kernel[3]
        if not (re.fullmatch(r"\w+", source) and re.fullmatch(r"\w+", target)):
            raise Breach("a part of a tensor over devices")
        if f"out {target}" not in formals or source not in formals:
            raise Breach("what is written is not out, or what is read is")
        self.a, self.b = (Side(tensors[name], meshes, params) for name in (source, target))
        if self.a.mesh is None or self.a.mesh is not self.b.mesh:
            raise Breach("sides that are not over one mesh")
        self.devices = math.prod(self.a.mesh[1])
        if len(self.a.extent) != len(self.b.extent):
            raise Breach("sides of different rank")
        modes = list(range(len(self.a.extent)))  # the mode of the source for each mode of the target
        if self.a.names and self.b.names:
            if sorted(self.a.names) != sorted(self.b.names):
                raise Breach("sides with other names")
            modes = [self.a.names.index(n) for n in self.b.names]
        if [self.a.extent[m] for m in modes] != self.b.extent:
            raise Breach("sides with other extents")
        if self.a.type != self.b.type and any(re.fullmatch(r"b\d+", t) for t in (self.a.type, self.b.type)):
            raise Breach("bits that would be converted")
        self.modes = modes

    def data(self, r):
        """(what a device has, what it gets, which elements it gets) by device, as bytes."""
        a, b = self.a, self.b
        bits = [BITS[a.type], BITS[b.type]]
        whole = {}

        def value(at):
            if at not in whole:
                whole[at] = r.getrandbits(bits[0])
            return whole[at]

        def after(at):
            source = [0] * len(at)
            for mode, m in enumerate(self.modes):
                source[m] = at[mode]
            x = value(tuple(source))
            return x if a.type == b.type else numeric.convert(a.type, b.type, x)

        for d in range(self.devices):
            has = [r.getrandbits(bits[0]) if at is None else value(at) for at in a.places(d)]
            gets = [0 if at is None else after(at) for at in b.places(d)]
            yield (b"".join(x.to_bytes(bits[0] // 8, "little") for x in has), b"".join(x.to_bytes(bits[1] // 8, "little") for x in gets),
                   bytes(at is not None for at in b.places(d)))


# -- running -----------------------------------------------------------------------------------------------------------------------


def compiled(o, folder, drawn):
    """The emitted text, or None and the message."""
    path = os.path.join(folder, f"p{drawn.number}.tcp")
    with open(path, "w") as f:
        f.write(drawn.text)
    p = subprocess.run([o.tcpc, "-w", path, "-o", "-"], capture_output=True, text=True, timeout=120)
    if p.returncode:
        first = next((line for line in p.stderr.splitlines() if "error:" in line), p.stderr[:200] or f"status {p.returncode}")
        return None, (f"status {p.returncode}: " if p.returncode != 1 else "") + first.split("error: ", 1)[-1]
    return p.stdout, ""


def changed(text, how):
    """The emitted text with a mistake, for --broken."""
    old, new = {"the first barrier": (r"    if \(!tcp_mesh_begin\(mesh\)\) return;\n", ""), "the last barrier": (r"    tcp_mesh_end\(mesh\);\n", ""),
                "the device": (r"(= tcp_mesh_at\(mesh, 0,\s*)([^;]*?)(,\s*\w+_own\);)", r"\g<1>0\3"),
                "the place": (r"(    TCP_CHECK\(tcp_mesh_tensor\()", r"    if (0) \1"),
                "the rank": (r"\(int\)mesh\.rank", "0")}[how]
    return re.sub(old, new, text)


def stores_late(text):
    """Whether a kernel stores after its last barrier."""
    return any("tcp_st_global" in body.rpartition("tcp_mesh_end(")[2] for body in re.findall(r"_kernel\w*\(.*?^}", text, re.M | re.S) if "tcp_mesh_end(" in body)


def run(o, folder, good, r):
    """The (drawn, what) that went wrong; "good" are (drawn, emitted text, [(params, reading)])."""
    calls, blobs, told = [], [], []
    for k, (drawn, text, cases) in enumerate(good):
        with open(os.path.join(folder, f"p{drawn.number}.cu"), "w") as f:
            f.write(text)
        args = [" ".join(a.split()) for a in re.search(rf"k{drawn.number}_launch\((.*?)\)\s*\{{", text, re.S)[1].split(",")]
        words = [f"({a.rpartition('*')[0]}*)t[{0 if a.startswith('const') else 1}]" for a in args if "*" in a and "tcp_mesh" not in a]
        words += [f"v[{n}]" for n in range(len(args) - 4)] + ["mesh", "nullptr"]
        calls.append(f"static tcp_status call_{k}(void **t, const int64_t *v, tcp_mesh *mesh) {{ (void)v; return k{drawn.number}_launch({', '.join(words)}); }}")
        for params, reading in cases:
            given = list(params.values())[:len(args) - 4]
            blob = [struct.pack(f"<{6 + len(given)}q", k, BITS[reading.b.type] // 8, reading.a.align, reading.b.align, len(given), *given, reading.devices)]
            for parts in reading.data(r):
                for part in parts:
                    blob += [struct.pack("<q", len(part)), part]
            blobs.append(b"".join(blob))
            told.append((drawn, params))
    source, program, data = (os.path.join(folder, name) for name in ("all.cpp", "all", "cases"))
    with open(source, "w") as f:
        f.write("".join(f'#include "p{drawn.number}.cu"\n' for drawn, _, _ in good) + "\n".join(calls) +
                "\ntypedef tcp_status mesh_launcher(void **, const int64_t *, tcp_mesh *);\nextern mesh_launcher *const mesh_launch[];\n"
                f"mesh_launcher *const mesh_launch[] = {{{', '.join(f'call_{k}' for k in range(len(good)))}}};\n#include \"{HERE}/meshes.cpp\"\n")
    with open(data, "wb") as f:
        f.write(struct.pack("<q", len(blobs)) + b"".join(blobs))
    built = subprocess.run([*o.cxx.split(), "-std=c++17", "-O0", "-w", f"-I{HERE}/mesh", f"-I{o.runtime}", source, o.library, "-pthread", "-o", program], capture_output=True, text=True)
    if built.returncode:
        return [(good[0][0], {}, "does not compile: " + built.stderr[:1500])]
    p = subprocess.run([program, data], capture_output=True, text=True, timeout=280, errors="replace")
    wrong = [(*told[int(n)], what) for n, what in re.findall(r"^case (\d+): (.*)$", p.stdout, re.M)]
    if f"done {len(blobs)}\n" not in p.stdout:
        wrong.append((good[0][0], {}, f"the program ended with {p.returncode} {p.stderr[:300]}"))
    return wrong


def judged(drawn):
    """[(params, reading)], or the Breach."""
    try:
        return [(params, Reading(drawn.text, params)) for params in drawn.values], None
    except Breach as e:
        return [], str(e)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--tcpc", default=os.path.join(ROOT, "build", "bin", "tcpc"))
    a.add_argument("--runtime", default=os.path.join(ROOT, "runtime"))
    a.add_argument("--library", default=None, help="libtcp_host.a (beside tcpc by default)")
    a.add_argument("--cxx", default=os.environ.get("CXX") or shutil.which("clang++") or "g++")
    a.add_argument("--plans", type=int, default=100)
    a.add_argument("--seed", default="1")
    a.add_argument("--batch", type=int, default=50, help="plans of one program")
    a.add_argument("--broken", action="store_true", help="spoil the emitted texts in each way of changed(); each has to be noticed")
    a.add_argument("--print", type=int, default=None, metavar="INDEX", help="print one plan and end")
    o = a.parse_args()
    o.library = o.library or os.path.join(os.path.dirname(o.tcpc), "..", "runtime", "libtcp_host.a")
    if o.print is not None:
        print(Drawn(o.seed, o.print).text, end="")
        return 0
    stats, bad, folder, good = collections.Counter(), 0, tempfile.mkdtemp(prefix="tcp-judge-"), []

    def tell(drawn, params, what):
        print(f"== plan {drawn.number} of seed {o.seed} with {params}: {what}\n{drawn.text}", flush=True)

    try:
        for index in range(o.plans):
            drawn = Drawn(o.seed, index)
            cases, breach = judged(drawn)
            if o.broken and breach:
                continue
            text, said = compiled(o, folder, drawn)
            if said.startswith("status"):
                bad += 1
                tell(drawn, {}, said)
            if breach:
                stats["wrong plans"] += 1
                stats["rule: " + breach] += 1
                if text is not None:
                    bad += 1
                    tell(drawn, {}, f"a wrong plan compiles: {breach}")
            elif text is None:
                stats["right plans refused"] += 1
                stats["refused: " + message_class(said)] += 1
                hard = any(side.hard for _, reading in cases for side in (reading.a, reading.b))
                if not any(limit in said for limit in LIMITS) and not (hard and "parts that are not equal" in said):
                    bad += 1
                    tell(drawn, {}, f"a right plan is refused: {said}")
            else:
                stats["right plans run"] += 1
                stats[f"{cases[0][1].devices:2d} devices"] += 1
                stats["with shorter parts"] += any(side.uneven for _, reading in cases for side in (reading.a, reading.b))
                stats["for several numbers of devices"] += len({reading.devices for _, reading in cases}) > 1
                stats["they write to each other"] += "tcp_mesh_at(" in text
                good.append((drawn, text, cases))
                if stores_late(text):
                    bad += 1
                    tell(drawn, {}, "a store after the last barrier")
            if good and (len(good) == o.batch or index == o.plans - 1):
                if o.broken:
                    bad += broken(o, folder, good)
                else:
                    for drawn, params, what in run(o, folder, good, drawn.r):
                        bad += 1
                        tell(drawn, params, what)
                good = []
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for key in sorted(stats):
        print(f"{stats[key]:8d} {key}")
    print(f"FAILED: {bad}" if bad else "all as the judge says")
    return 1 if bad or not stats["right plans run"] else 0


def broken(o, folder, good):
    """How many kernels between devices run with a mistake that nobody notices."""
    left = 0
    for how in ("the first barrier", "the last barrier", "the device", "the place", "the rank"):
        spoilt = [(drawn, changed(text, how), cases) for drawn, text, cases in good if "tcp_mesh_at(" in text]
        noticed = {drawn.number for drawn, _, _ in run(o, folder, spoilt, random.Random(1))}
        missed = [drawn.number for drawn, _, _ in spoilt if drawn.number not in noticed]
        print(f"{how} left out: noticed in {len(spoilt) - len(missed)} of {len(spoilt)} kernels {missed or ''}")
        left += len(missed)
    return left


if __name__ == "__main__":
    sys.exit(main())
