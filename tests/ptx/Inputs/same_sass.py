"""Compares the machine code that NVRTC and nvcc make of one text, for the relayouts of the benchmark and for plans.

usage: same_sass.py [--one-of=N] [--arch sm_NN] [--without OPTION] [--accesses CUOBJDUMP] [-j JOBS] NVRTC NVCC RUNTIME TCPC WORK LIST|PLAN..

A LIST has lines as bench/relayout/prepare.py describes them; a PLAN ends in .tcp. The two differ in one thing: a pointer to shared
memory has 64 bits for NVRTC, which no option of NVRTC changes, and 32 bits for nvcc. So nvcc is told to take 64 bits too: the machine
code has to be the same, byte for byte. With --accesses it is compared with that of nvcc as users call it: for each kernel the accesses
of global memory must be equal, by opcode with its width ("LDG.E.128.CONSTANT"), and so must be the bytes of local memory, the spills.
Other instructions are counted: they differ a little in one kernel of six.
NVRTC has the options that the library's page names. Both must be of one version. Prints what differs, and a line of sums.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "bench/relayout"), str(ROOT / "tests/tools")]
from prepare import case_of  # noqa: E402
from sampled import drawn  # noqa: E402

INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
FUNCTION = re.compile(r"^\s*Function : (\S+)")
# cicc's own option: nvcc has none.
POINTERS_OF_64_BITS = ("-Xcicc", "--sharedmem32=0")
USED = re.compile(r"Function (\S+?):\n.*?STACK:(\d+).*?LOCAL:(\d+)")


class Nvrtc:
    def __init__(self, library, options):
        self.library, self.options = ctypes.CDLL(library), [o.encode() for o in options]
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def got(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        data = ctypes.create_string_buffer(size.value + 1)
        getattr(self.library, f"nvrtcGet{what}")(program, data)
        return data.raw[: size.value]

    def compile(self, path):
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), path.name.encode(), 0, None, None)
        options = (ctypes.c_char_p * len(self.options))(*self.options)
        if self.library.nvrtcCompileProgram(program, len(self.options), options) != 0:
            sys.exit(f"{path}: {self.got(program, 'ProgramLog').decode()}")
        path.with_suffix(".nvrtc").write_bytes(self.got(program, "CUBIN"))
        self.library.nvrtcDestroyProgram(ctypes.byref(program))


def output(*words):
    made = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{' '.join(map(str, words))}:\n{made.stderr}")
    return made.stdout


def read(cuobjdump, cubin):
    """Of each kernel: its instructions by opcode, and its bytes of stack and local memory."""
    counts, name = {}, None
    for line in output(cuobjdump, "-sass", cubin).splitlines():
        if found := FUNCTION.match(line):
            name = found[1]
            counts[name] = collections.Counter()
        elif (found := INSTRUCTION.match(line)) and name:
            counts[name][found[1]] += 1
    used = {found[1]: (int(found[2]), int(found[3])) for found in USED.finditer(output(cuobjdump, "-res-usage", cubin))}
    return {name: (counts[name], used[name]) for name in counts}


def far(counts):
    """Of these instructions, what moves data of global or local memory."""
    return {name: n for name, n in counts.items() if name.startswith(("LDG", "STG", "LDL", "STL"))}


def codes(cubin):
    """Of each kernel in an ELF file: its machine code, the section ".text.NAME"."""
    data = cubin.read_bytes()
    offset, (size, n, names) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<3H", data, 58)
    sections = [struct.unpack_from("<2I4Q", data, offset + i * size) for i in range(n)]
    texts = sections[names][4]
    found = {data[texts + s[0] : data.index(0, texts + s[0])].decode(): data[s[4] : s[4] + s[5]] for s in sections}
    return {name[6:]: code for name, code in found.items() if name.startswith(".text.")}


def difference(a, b):
    more, less = a[0] - b[0], b[0] - a[0]
    return f"+{dict(more)} -{dict(less)} stack and local {a[1]}, {b[1]}"


def emit(a, work, what):
    """Writes the text of a line of a list, or of a plan. Returns its path."""
    if isinstance(what, pathlib.Path):
        name, words = what.stem, [what]
    else:
        row, words = case_of(what)
        name, words = row["name"], ["relayout", *words]
    path = work / f"{name}.cu"
    path.write_text(output(a.tcpc, *words, f"-arch={a.arch}", "-w", "--no-line", "-o", "-"))
    return path


def compare(a, nvrtc, path):
    """The numbers of kernels, of those that are wrong, and of others that differ, and what is said of these."""
    nvrtc.compile(path)
    options = () if a.accesses else POINTERS_OF_64_BITS
    output(a.nvcc, "-std=c++17", *options, "-cubin", f"-arch={a.arch}", f"-I{a.runtime}", path, "-o", path.with_suffix(".nvcc"))
    made = [path.with_suffix(end) for end in (".nvrtc", ".nvcc")]
    one, other = (read(a.accesses, cubin) if a.accesses else codes(cubin) for cubin in made)
    if not one or one.keys() != other.keys():
        return 0, 1, 0, [f"{path.name}: kernels {sorted(one)}, {sorted(other)}"]
    differ = [name for name in one if one[name] != other[name]]
    if not a.accesses:
        return len(one), len(differ), 0, [f"{path.name}: {name}: {len(one[name])}, {len(other[name])} bytes" for name in differ]
    worse = sum(far(one[name][0]) != far(other[name][0]) or one[name][1] != other[name][1] for name in differ)
    return len(one), worse, len(differ) - worse, [f"{path.name}: {name}: {difference(one[name], other[name])}" for name in differ]


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("--one-of")
    arguments.add_argument("--arch", default="sm_90")
    arguments.add_argument("--without")
    arguments.add_argument("--accesses")
    arguments.add_argument("-j", type=int, default=1)
    for name in ("nvrtc", "nvcc", "runtime", "tcpc", "work"):
        arguments.add_argument(name)
    arguments.add_argument("lists", type=pathlib.Path, nargs="+")
    a = arguments.parse_args()
    options = [f"-arch={a.arch}", f"-I{a.runtime}", "-std=c++17", "-device-int128"]
    nvrtc = Nvrtc(a.nvrtc, [o for o in options if o != a.without])
    version = re.search(r"release ([\d.]+)", output(a.nvcc, "--version"))[1]
    if version != nvrtc.version:
        sys.exit(f"NVRTC is {nvrtc.version}, nvcc {version}")
    every = []
    for path in a.lists:
        every += [path] if path.suffix == ".tcp" else [line for line in path.read_text().splitlines() if line.strip()]
    chosen, told = drawn(every, a.one_of)
    work = pathlib.Path(a.work)
    with concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        paths = pool.map(lambda what: emit(a, work, what), chosen)
        found = list(pool.map(lambda path: compare(a, nvrtc, path), paths))
    for text in (text for *_, texts in found for text in texts):
        print(text)
    n, worse, other = (sum(of[i] for of in found) for i in range(3))
    wrong = f"{worse} differ in accesses or spills, {other} in other instructions" if a.accesses else f"{worse} have other machine code"
    print(f"{n} kernels of {len(found)} texts, {wrong} (NVRTC {nvrtc.version}, {a.arch}){told}")


if __name__ == "__main__":
    main()
