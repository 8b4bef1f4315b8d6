"""Random copies between devices: on the host each element of each device, compared with index arithmetic.

usage: reshards.py [--seed N] [--count N] [--cxx "COMMAND"] [--library FILE] [--schedules N] [--broken] TCPC RUNTIME FOLDER

A case has a mesh of 1 or 2 axes and 1 to 16 devices, a tensor of rank 1 to 5 with names, a permutation of them, an axis for some of the
modes on each side (the others are copies), types, and perhaps a param. The numbers of elements are computed here, from coordinates; nothing
of the compiler is used for that. Prints how many cases there were of each class, and how many are wrong. With --broken, the emitted text is
changed in each way of BROKEN, and the runtime in each of BROKEN_RUNTIME; each change has to be noticed in each case between several devices.
"""
import argparse, os, pathlib, random, re, subprocess, sys

TYPES = {"u8": ("uint8_t", 199), "u16": ("uint16_t", 4001), "s32": ("int32_t", 4001), "f32": ("float", 4001)}
PAIRS = [("u8", "u8"), ("u16", "u16"), ("s32", "s32"), ("f32", "f32"), ("u8", "f32"), ("s32", "f32"), ("u16", "s32")]
MESHES = [(1,), (2,), (2,), (3,), (4,), (4,), (5,), (6,), (7,), (8,), (16,), (2, 2), (2, 3), (2, 4), (3, 2), (4, 2), (4, 4), (1, 4), (8, 2)]
MOST = 6000  # elements
BROKEN = {
    "no barrier at the begin": (r"\n    if \(!tcp_mesh_begin\(mesh\)\) return;", ""),
    "no barrier at the end": (r"\n    tcp_mesh_end\(mesh\);", ""),
    "all to one device": (r"(= tcp_mesh_at\(mesh, 0,\s*)([^;]*?)(,\s*\w+_own\);)", r"\g<1>0\3"),
    "a piece less": (r"tcp_blocks\((.*?), (\d+), 1\)", r"tcp_blocks((\1) > 1 ? (\1) - 1 : (\1), \2, 1)"),
}
# .. and the runtime's barriers
BROKEN_RUNTIME = {
    "the device's scope for the system's": (r"\btcp_mesh_store_release_sys\(", "tcp_mesh_store_release_gpu("),
    "relaxed for release": (r"\btcp_mesh_store_release_sys\(", "tcp_mesh_store_relaxed_sys("),
    "relaxed for acquire": (r"\btcp_mesh_load_acquire_sys\(", "tcp_mesh_load_relaxed_sys("),
    "an epoch not advanced": (r"tcp_mesh_store_relaxed_sys\(g.state \+ TCP_MESH_EPOCH, epoch\);", ""),
}
REFUSED = re.compile("do not divide each other|tiles along more than two extents")


class Case:
    def __init__(self, rng, number):
        self.number, self.mesh = number, rng.choice(MESHES)
        self.names = "abcde"[:rng.randint(1, 5)]
        axes = range(len(self.mesh))
        self.over = [[rng.choice([None, *self.names, *self.names]) for _ in axes] for _ in range(2)]
        self.order = [rng.sample(self.names, len(self.names)), rng.sample(self.names, len(self.names))]
        self.layout = [rng.choice(["row", "row", "col"]) for _ in range(2)]
        self.types = rng.choice(PAIRS)
        unit = {n: 1 for n in self.names}
        for n in self.names:
            for side in self.over:
                size = 1
                for axis in axes:
                    size *= self.mesh[axis] if side[axis] == n else 1
                unit[n] = unit[n] * size // __import__("math").gcd(unit[n], size)
        self.unit, self.times = unit, {n: 1 for n in self.names}
        for _ in range(12):
            n = rng.choice(self.names)
            more = rng.choice([2, 2, 3, 4, 5])
            if self.size() * more <= MOST:
                self.times[n] *= more
        self.param = rng.choice([None, None, rng.choice(self.names)])
        # .. whose small value gives a block with most threads idle to each element of the other modes
        if self.param and self.devices() * self.size() // self.extent(self.param) > 8000:
            self.param = None
        self.classes = {f"{len(self.mesh)} axes", f"rank {len(self.names)}"}
        self.classes |= {"copies read"} if None in self.over[0] else set()
        self.classes |= {"copies written"} if None in self.over[1] else set()
        self.classes |= {"permuted"} if self.order[0] != self.order[1] else set()
        self.classes |= {"converted"} if self.types[0] != self.types[1] else set()
        self.classes |= {"params"} if self.param else set()
        self.classes |= {"one mode on two axes"} if any(len(s) == 2 and s[0] and s[0] == s[1] for s in self.over) else set()

    def extent(self, n):
        return self.unit[n] * self.times[n]

    def devices(self):
        n = 1
        for size in self.mesh:
            n *= size
        return n

    def size(self):
        size = 1
        for n in self.names:
            size *= self.extent(n)
        return size

    def tensor(self, side):
        i, name = self.number, "AB"[side] + str(self.number)
        extents = [f"{n}={self.unit[n]}*P{i}" if n == self.param else f"{n}={self.extent(n)}" for n in self.order[side]]
        over = ", ".join(f"x{i}_{axis}: {self.over[side][axis] or '_'}" for axis in range(len(self.mesh)))
        return f"tensor {name} : {self.types[side]} global {self.layout[side]}({', '.join(extents)}) over ({over});\n"

    def plan(self):
        i = self.number
        axes = ", ".join(f"x{i}_{axis}" for axis in range(len(self.mesh)))
        text = f"mesh ({axes}) ({', '.join(map(str, self.mesh))});\n" if len(self.mesh) > 1 else f"mesh {axes} ({self.mesh[0]});\n"
        text += f"param P{i} : index in 1 .. 100000;\n" if self.param else ""
        text += self.tensor(0) + self.tensor(1)
        # copies of one case are not its fault
        return text + f"kernel k{i}(A{i}, out B{i}) {{ copy A{i} -> B{i}; }}\n"

    def side(self, side):
        """{mesh coordinates by axis -> mode}, modes from the slowest one on: (extent of a part, weight of the name)."""
        weight, weights = 1, {}
        for n in self.names:
            weights[n] = weight
            weight *= self.extent(n)
        order = self.order[side] if self.layout[side] == "row" else self.order[side][::-1]
        parts = []
        for n in order:
            cuts = [axis for axis in range(len(self.mesh)) if self.over[side][axis] == n]
            size = 1
            for axis in cuts:
                size *= self.mesh[axis]
            cut = "".join(f"{axis}, " for axis in cuts) + "-1, -1"
            parts.append(f"{{{self.extent(n) // size}, {weights[n]}, {{{cut}}}}}")
        return "{" + ", ".join(parts) + "}"

    def row(self):
        sizes = [*self.mesh, 1][:2]
        t, u = (TYPES[x][0] for x in self.types)
        digit = min(TYPES[x][1] for x in self.types)
        more = f", {self.times[self.param]}" if self.param else ""
        call = f"[](void *a, void *b, tcp_mesh *m) {{ return k{self.number}_launch((const {t} *)a, ({u} *)b{more}, m, nullptr); }}"
        return (f"    {{{self.number}, {{{sizes[0]}, {sizes[1]}}}, {len(self.names)}, {{{self.side(0)}, {self.side(1)}}}, {digit}, "
                f"set<{t}>, get<{u}>, {{sizeof({t}), sizeof({u})}}, {call}}},\n")

    def declaration(self):
        t, u = (TYPES[x][0] for x in self.types)
        return f"TCP_EXTERN_C tcp_status k{self.number}_launch(const {t} *, {u} *{', int64_t' if self.param else ''}, tcp_mesh *, tcp_stream);\n"


MAIN = r"""
#include <stdio.h>
#include <string.h>
#include <vector>
#include "tcp_launch.h"
#include "tcp_mesh.h"
struct mode { int extent, weight, cut[4]; };
template <typename T> void set(void *p, size_t i, int v) { ((T *)p)[i] = (T)v; }
template <typename T> int get(void *p, size_t i) { return (int)((T *)p)[i]; }
struct test {
    int number, size[2], rank;
    mode side[2][5];
    int digit;
    void (*set)(void *, size_t, int);
    int (*get)(void *, size_t);
    size_t bytes[2];
    tcp_status (*launch)(void *, void *, tcp_mesh *);
};
// the number of element "i" of the part of a device
static int element(const test &t, int side, int device, size_t i) {
    int number = 0;
    const int at[2] = {device / t.size[1], device % t.size[1]};
    for (int m = t.rank - 1; m >= 0; --m) {
        const mode &x = t.side[side][m];
        int part = 0;
        for (int k = 0; x.cut[k] >= 0; ++k) part = part * t.size[x.cut[k]] + at[x.cut[k]];
        number += (part * x.extent + (int)(i % (size_t)x.extent)) * x.weight;
        i /= (size_t)x.extent;
    }
    return number;
}
static size_t part_size(const test &t, int side) {
    size_t n = 1;
    for (int m = 0; m < t.rank; ++m) n *= (size_t)t.side[side][m].extent;
    return n;
}
static int value(const test &t, int number, int round) { return (round ? number / t.digit : number) % t.digit; }
enum { GUARD = 256 };
static const char *run(const test &t, long long *compared) {
    const int devices = t.size[0] * t.size[1];
    const size_t n[2] = {part_size(t, 0), part_size(t, 1)};
    static char why[600];
    std::vector<tcp_mesh *> end((size_t)devices);
    std::vector<void *> a((size_t)devices);
    std::vector<unsigned char *> b((size_t)devices);
    const size_t room = n[1] * t.bytes[1] + 2 * GUARD;
    const char *wrong = nullptr;
    if (tcp_mesh_local(end.data(), devices, nullptr) || tcp_mesh_prepare(end.data(), devices, room + 1024)) return tcp_last_error();
    for (int d = 0; d < devices; ++d) {
        b[(size_t)d] = (unsigned char *)tcp_mesh_alloc(end[(size_t)d], room);
        if (!b[(size_t)d] || tcp_alloc(&a[(size_t)d], n[0] * t.bytes[0])) return tcp_last_error();
    }
    for (int round = 0; round < 2 && !wrong; ++round) {
    for (int d = 0; d < devices; ++d) {
        memset(b[(size_t)d], 0xa5, room);
        for (size_t i = 0; i < n[0]; ++i) t.set(a[(size_t)d], i, value(t, element(t, 0, d, i), round));
    }
    for (int d = 0; d < devices && !wrong; ++d)
        if (t.launch(a[(size_t)d], b[(size_t)d] + GUARD, end[(size_t)d])) wrong = tcp_last_error();
    for (int d = 0; d < devices && !wrong; ++d)
        if (tcp_mesh_status(end[(size_t)d], nullptr)) wrong = tcp_last_error();
    for (int d = 0; d < devices && !wrong; ++d) {
        for (size_t i = 0; i < n[1] && !wrong; ++i, ++*compared)
            if (t.get(b[(size_t)d] + GUARD, i) != value(t, element(t, 1, d, i), round)) {
                snprintf(why, sizeof why, "element %zu of device %d is %d, not %d", i, d, t.get(b[(size_t)d] + GUARD, i), value(t, element(t, 1, d, i), round));
                wrong = why;
            }
        for (size_t i = 0; i < GUARD && !wrong; ++i)
            if (b[(size_t)d][i] != 0xa5 || b[(size_t)d][room - 1 - i] != 0xa5) wrong = "the memory around a part was written";
    }
    }
    for (int d = 0; d < devices; ++d) tcp_free(a[(size_t)d]);
    if (wrong) { snprintf(why, sizeof why, "%s", wrong); wrong = why; }
    tcp_mesh_destroy(end.data(), devices);
    return wrong;
}
int main() {
    int bad = 0;
    long long compared = 0;
    for (const test &t : tests) {
        const char *why = run(t, &compared);
        if (why) printf("k%d: %s\n", t.number, why);
        bad += why != nullptr;
    }
    printf("%d wrong, %lld elements compared\n", bad, compared);
    return bad > 0;
}
"""


def built(o, text, name, *more):
    """The program of the emitted text "text"; "more" is for the C++ compiler."""
    (o.folder / f"{name}.cu").write_text(text)
    objects = [o.library] if o.library else [str(x) for x in sorted(pathlib.Path(o.runtime, "host").glob("*.cpp"))]
    subprocess.run([*o.cxx.split(), "-O1", "-w", *more, "-I", o.runtime, "-x", "c++", o.folder / f"{name}.cu", o.folder / "main.cpp",
                    "-x", "none" if o.library else "c++", *objects, "-o", o.folder / name], check=True)
    return o.folder / name


def broken(o, text):
    """Whether each change of the text is noticed in all kernels that write to other devices."""
    good = True
    kernel = {int(n): body for n, body in re.findall(r"^k(\d+)_kernel\((.*?)^}", text, re.M | re.S)}
    across = {n for n, body in kernel.items() if "tcp_mesh_at(" in body}
    header, changed = pathlib.Path(o.runtime, "tcp_mesh.cuh").read_text(), o.folder / "broken_runtime"
    changed.mkdir(exist_ok=True)
    for what, (old, new) in {**BROKEN, **BROKEN_RUNTIME}.items():
        runtime = what in BROKEN_RUNTIME
        found = re.subn(old, new, header if runtime else text)
        (changed / "tcp_mesh.cuh").write_text(found[0] if runtime else header)
        if not found[1]:
            print(f"{what}: nothing to change")
            return False
        r = subprocess.run([built(o, text if runtime else found[0], "broken", "-I", changed)], capture_output=True, text=True)
        noticed = {int(n) for n in re.findall(r"^k(\d+):", r.stdout, re.M)}
        # a block may have nothing to do where several devices have the same copy, and a grid of one block has none to lose
        lose = {int(n) for n in re.findall(r"TCP_MESH_LAUNCH\(k(\d+)_kernel\w*,\s*tcp_blocks\((?!1,)[^;]*?, \d+, 1\)", text)}
        expected = {n for n in across if "piece" not in what or (n in lose and " on" not in kernel[n])}
        print(f"{what}: noticed in {'all' if noticed >= expected else sorted(noticed)} of {len(expected)} kernels")
        good &= noticed >= expected
    return good


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--cxx", default="c++ -std=c++17")
    p.add_argument("--library")
    p.add_argument("--schedules", type=int, default=2)
    p.add_argument("--broken", action="store_true")
    p.add_argument("tcpc")
    p.add_argument("runtime")
    p.add_argument("folder", type=pathlib.Path)
    o = p.parse_args()
    rng = random.Random(o.seed)
    o.folder.mkdir(parents=True, exist_ok=True)
    plan = o.folder / "reshards.tcp"
    cases, refused, classes = [], 0, {}
    while len(cases) < o.count:
        case = Case(rng, len(cases) + refused)
        plan.write_text("tcp 1;\n" + case.plan())
        r = subprocess.run([o.tcpc, "-w", plan, "-o", "-"], capture_output=True, text=True)
        if r.returncode and REFUSED.search(r.stderr):
            refused += 1
            continue
        if r.returncode:
            print(case.plan(), r.stderr, sep="\n")
            return 1
        cases.append(case)
        for name in case.classes:
            classes[name] = classes.get(name, 0) + 1
    plan.write_text("tcp 1;\n" + "".join(c.plan() for c in cases))
    subprocess.run([o.tcpc, "-w", plan, "-o", o.folder / "plan.cu"], check=True)
    (o.folder / "main.cpp").write_text(MAIN.replace("static const char *run(", "".join(c.declaration() for c in cases) +
                                                   "static const test tests[] = {\n" + "".join(c.row() for c in cases) + "};\nstatic const char *run("))
    text = (o.folder / "plan.cu").read_text()
    if o.broken:
        return 0 if broken(o, text) else 1
    program = built(o, text, "plan")
    for threads in ["forward", "backward"][:o.schedules]:
        r = subprocess.run([program], env={**os.environ, "TCP_HOST_SCHEDULE": threads}, capture_output=True, text=True)
        print(f"{threads}: {r.stdout.strip()} {r.stderr.strip()}")
        if r.returncode:
            return 1
    print(f"{len(cases)} cases, {refused} refused: " + ", ".join(f"{n} {k}" for k, n in sorted(classes.items())))
    return 0


sys.exit(main())
