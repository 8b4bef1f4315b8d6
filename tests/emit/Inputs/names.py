"""usage: names.py TCPC RUNTIME WORK [--cxx CXX] [--cc CC] [--nvcc NVCC] [--turns=N | --turn=K] [--one-of=N[:SEED]]: gives names to all that a plan can name, and compiles
what is emitted.  A name is either refused in words or the text compiles: no name is accepted whose text does not.

The names are those which the compilers themselves know: macros, as they dump them after the headers that an emitted text includes; every
word of these headers, of which one of N is drawn; keywords; every word of an emitted text; and names that are made from a plan's own
names.  Each name is used in each role, or with --turns in N of them."""

import argparse
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from sampled import drawn  # noqa: E402

# Keywords of C up to C23, C++ up to C++26 and GNU's, and the alternative tokens: no compiler lists its own.
KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept const
    const_cast consteval constexpr constinit continue contract_assert co_await co_return co_yield decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union
    unsigned using virtual void volatile wchar_t while xor xor_eq final override import module _Bool _Complex _Imaginary _Atomic _Generic
    _Noreturn _Static_assert _Thread_local _Alignas _Alignof __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__
    __launch_bounds__ __forceinline__ __noinline__ __asm__ __typeof__ __attribute__ __int128 _Float16 __func__ __FUNCTION__ __LINE__""".split()

# One kernel, one device function and one extern function, with a name for each role.  What is named stands at the end of a line.
UNIT = """param
@param@ : index % 16;
tensor
@tensor@ : f32 global row(
@mode@ = 8, columns = @param@);
tensor out_U : f32 global row(8, @param@) align 16;
layout
@layout@ = (8,4):(4,1);
tiled_copy
@tiled_copy@ = tile(widest, thr=@layout@, val=(1,4));
extern device
@extern@(inout values : f32 frag ((4,1),1,1):((1,0),0,0), step : index) from "names.cuh";
kernel
@kernel@(@tensor@, out out_U) grid (1) threads 32 {
  shared
@shared@ : f32 row(8,16) stages 2;
  frag
@frag@ : f32 like @tiled_copy@;
  pipeline
@pipeline@ in 0 .. @param@/16 {
    load {
      let
@let@ = local_tile(@tensor@, (8,16), (0, @pipeline@));
      copy @let@ -> @shared@ with four;
    }
    use {
@label@ : copy @shared@ -> @frag@ with @tiled_copy@;
      call @extern@(@frag@, @pipeline@);
      copy @frag@ -> local_tile(out_U, (8,16), (0, @pipeline@)) with @tiled_copy@;
      expect vector_bits(@label@.src) == 128;
    }
  }
}
kernel loop_U(@tensor@, out out_U) grid (1) threads 32 {
  for
@loop@ in 0 .. @param@/16 {
    copy local_tile(@tensor@, (8,16), (0, @loop@)) -> local_tile(out_U, (8,16), (0, @loop@)) with @tiled_copy@;
  }
}
device
@device@(
@formal@ : f32 global row(8, @param@) align 16, out
@result@ : f32 shared row(8,16),
@index@ : index) threads 32 {
  copy local_tile(@formal@, (8,16), (0, @index@)) -> @result@ with @tiled_copy@;
}
"""
ROLES = list(dict.fromkeys(re.findall(r"@(\w+)@", UNIT)))
DEVICE = UNIT.index("device\n@device@")
HEAD = "tcp 1;\natom widest = auto(128);\ntiled_copy four = tile(cp_async.ca(4), thr=(8,4):(4,1), val=(1,1));\n"
TEXT = '#include "tcp_device.cuh"\n#include "tcp_launch.h"\n'
WORD = re.compile(r"[A-Za-z_]\w*")
INTERFACE = {"kernel", "device", "extern"}  # the name is what others call it by, and cannot be another


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def must(command, **more):
    done = run(command, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr[:2000]}")
    return done.stdout


class Plan:
    """Units, and the names in them; a name that a role refuses becomes a plain one."""

    def __init__(self, units):
        self.names = units  # for each unit: a name for each role
        self.refused = []   # (role, name, message)

    def text(self, unit=UNIT):
        lines, self.at = HEAD.splitlines(), {}
        for number, name in enumerate(self.names):
            for line in unit.replace("_U", f"_{number}").splitlines():
                role = re.match(r"@(\w+)@", line)
                lines.append(re.sub(r"@(\w+)@", lambda found: name[found[1]], line))
                if role:
                    self.at[len(lines)] = (number, role[1])
        return "\n".join(lines) + "\n"

    def header(self):
        return "".join(f"TCP_DEVICE void {name['extern']}(int, float *, int64_t) {{\n}}\n" for name in self.names)

    def accepted(self, tcpc, path):
        """Writes the plan, with plain names for those that are refused."""
        for _ in range(9):
            path.write_text(self.text())
            done = run([tcpc, "-w", "--no-line", "--error-limit=0", path, "-o", path.with_suffix(".cu")])
            if done.returncode == 0:
                kernels = path.with_suffix(".kernels.tcp")  # of these alone, the header is C
                kernels.write_text(self.text(UNIT[:DEVICE]))
                for plan, header in ((path, ".cuh"), (kernels, ".h")):
                    must([tcpc, "-w", "--no-line", plan, "--emit=header", "-o", path.with_suffix(header)])
                return
            bad = {}
            for line, message in re.findall(r"^\S+?:(\d+):\d+: error: (.*)", done.stderr, re.M):
                place = self.at.get(int(line))
                if place and self.names[place[0]][place[1]] in message:
                    bad.setdefault(place, message)
            if not bad:
                break
            for (number, role), message in bad.items():
                self.refused.append((role, self.names[number][role], message))
                self.names[number][role] = f"plain_{role}_{number}"
        sys.exit(f"{path}: tcpc refuses more than names:\n{done.stderr[:2000]}")


def units_of(names, turn):
    """Each name once, in the role that comes 'turn' behind."""
    fill = iter(range(len(ROLES)))
    names = names + [f"filling_{next(fill)}" for _ in range(-len(names) % len(ROLES))]
    return [{role: names[at + (place + turn) % len(ROLES)] for place, role in enumerate(ROLES)} for at in range(0, len(names), len(ROLES))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tcpc")
    parser.add_argument("runtime", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--cxx")
    parser.add_argument("--cc")
    parser.add_argument("--nvcc")
    parser.add_argument("--turns", type=int, default=len(ROLES))
    parser.add_argument("--turn", type=int, choices=range(len(ROLES)), help="this one alone")
    parser.add_argument("--one-of", default="1")
    asked = parser.parse_args()
    if asked.cxx:  # with GNU's names, linux and unix
        asked.cxx = asked.cxx.split()[0]
    if asked.cc:
        asked.cc = asked.cc.split()[0]
    work, tcpc, include = asked.work, asked.tcpc, f"-I{asked.runtime}"
    work.mkdir(parents=True, exist_ok=True)
    (work / "text.cu").write_text(TEXT)

    # the compilers' own names
    macros, words = set(), set()
    for compiler, dump in (([asked.cxx, "-x", "c++"], "-dM"), ([asked.nvcc, "-x", "cu"], "-Xcompiler=-dM")):
        if compiler[0]:
            macros |= set(re.findall(r"^#define (\w+)", must([*compiler, "-E", dump, include, work / "text.cu"]), re.M))
            words |= set(WORD.findall(re.sub(r'"(\\.|[^"\n])*"|^#.*', "", must([*compiler, "-E", include, work / "text.cu"]), flags=re.M)))
    plain = Plan([{role: f"{role}_n" for role in ROLES}])
    plain.accepted(tcpc, work / "plain.tcp")
    own = set(WORD.findall(re.sub(r"//.*", "", (work / "plain.cu").read_text())))
    made = {f"{name}_{end}" for name in ("kernel_n", "device_n", "loop_0") for end in
            "kernel launch variant kernel_128 kernel_32 THREADS ALIGN SMEM_BYTES GROUPS _v1 end".split()}
    made |= {f"{head}{name}{tail}" for name in sorted(own)[::7] for head, tail in (("_", ""), ("__", ""), ("", "_"), ("x_", ""), ("tcp_", ""))}
    language = set(re.findall(r"`(\w+)`", re.search(r"words are reserved:\n\n(.*?)\n\n", (pathlib.Path(__file__).resolve().parents[3] / "docs/language.md").read_text(), re.S)[1]))
    language |= {"tid", "block", "warp", "lane"}  # the coordinates of a kernel hide them
    language |= set(WORD.findall(HEAD + re.sub(r"@\w+@", "", UNIT)))  # what the plans use themselves
    always = (set(KEYWORDS) | own | made | {name for name in macros if not name.startswith("_")}) - language - {"loop_0", "out_0"}
    rest = sorted((macros | words) - always - language)
    random.Random(1).shuffle(rest)
    rest, seed = drawn(rest, asked.one_of)
    names = sorted(always) + rest
    wrong, refused = [], []
    turns = sorted(random.Random(seed or 1).sample(range(len(ROLES)), asked.turns)) if asked.turn is None else [asked.turn]
    for turn in turns:
        plan = Plan(units_of(names, turn))
        path = work / f"turn{turn}.tcp"
        plan.accepted(tcpc, path)
        refused += plan.refused
        (work / "names.cuh").write_text(plan.header())
        text, header, launchers = (path.with_suffix(ending) for ending in (".cu", ".cuh", ".h"))
        commands = []
        if asked.cxx:
            commands += [[asked.cxx, "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", include, "-x", "c++", *of]
                         for of in ([text], ["-include", header, "/dev/null"])]
        if asked.cc:
            commands += [[asked.cc, f"-std={std}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", include, "-x", "c", "-include", launchers, "/dev/null"]
                         for std in ("c99", "gnu2x")]
        if asked.nvcc:
            commands.append([asked.nvcc, "-Werror", "all-warnings", "-arch=sm_80", "-Xcicc=-O0", "-Xptxas=-O0", include, "-c", text, "-o", work / "text.o"])
        for command in commands:
            done = run(command)
            if done.returncode:
                wrong.append(f"{' '.join(map(str, command))}:\n" + "\n".join((done.stderr + done.stdout).splitlines()[:60]))
    wrong += [f"{role} '{name}' can be called otherwise, but: {message}" for role, name, message in refused if role not in INTERFACE]
    wrong += [f"{role} '{name}': {message}" for role, name, message in refused if "choose another name" not in message]
    print("".join(f"{line}\n" for line in wrong))
    for role in sorted(INTERFACE):
        print(f"{len({name for at, name, _ in refused if at == role})} refused as {role}")
    print(f"{len(names)} names in {len(ROLES)} roles, {len(wrong)} wrong{seed}")
    sys.exit(1 if wrong else 0)


main()
