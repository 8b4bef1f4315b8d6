"""Plans of two device functions, one that fills shared memory and one that empties it, and a kernel by hand that calls both."""
import re
from math import prod

from ends import Ends
from far import Far
from generate import Draw, Drawn, Driver
from halos import Halos
from judge import Breach, Kernel, TooLarge, Unsupported, Verdict
from matrices import Matrices
from mutate import mutate
from parse import Parser
from pieces import Axis, Chance
from plan import Values

FUNCTION = re.compile(r"TCP_DEVICE void (\w+)\((.*?)\)\s*\{", re.S)


class Devices(Draw):
    """Draws such a plan; each of the indices counts the tiles of a mode."""

    def plan(self):
        r = self.r
        self.shape()
        self.warps, self.named, self.all_named, self.pipeline = 0, False, False, None
        self.whole_tile = self.tile
        for m, axis in enumerate(self.axes):
            if axis.tile != self.tile[m]:  # drawn for several warps
                self.axes[m] = Axis(str(self.tile[m]), self.tile[m], "1", True, self.tile[m])
        self.drivers = [Driver("ijk"[m]) for m in range(self.rank)]
        types = self.types(1)
        source, source_at = self.tensor("A", types[0], True)
        padded = r.percent(30) and not self.whole
        target, target_at = self.tensor("B", types[2], False, padded=padded)
        place = self.shared(types[1])(False)
        layout = self.before.pop().split(" : ", 1)[1].rstrip(";").split(" ", 1)
        formal = f"{place.text} : {layout[0]} shared {layout[1]}"
        indices = ["ijk"[m] for m in range(self.rank)]
        listed = ", ".join(f"{i} : index" for i in indices)
        load, store = [], []
        fill = padded or not self.whole and r.percent(60)
        self.copy(load, source_at(False), place, False, f" pad {self.number(types[1])}" if fill else "")
        out = "out" if fill or self.whole else "inout"  # what has no source stays
        self.copy(store, place, target_at(False), False)
        words = "async device" if "cp_async" in "".join(self.decls + load) and r.percent(50) else "device"
        names = [f"load{self.id}", f"store{self.id}"]
        text = "\n".join(["tcp 1;"] + self.params + self.decls + [
            f"{words} {names[0]}({source}, {out} {formal}, {listed}) threads {self.threads} {{"] + ["  " + s for s in load] + [
            "}", f"device {names[1]}({formal}, out {target}, {listed}) threads {self.threads} {{"] + ["  " + s for s in store] + ["}"])
        drawn = Drawn(text + "\n", f"k{self.id}", self.tries)
        drawn.device = {"functions": names, "indices": indices, "counts": [a.count for a in self.axes], "shared": place.text,
                        "source": source, "target": target, "waits": words != "device", "threads": self.threads}
        return drawn


def judge_devices(plan, drawn, params):
    """The Verdict over both functions, called one after the other for each tile.

    What one of them leaves to its caller is no rule that the plan breaks.
    """
    device = drawn.device
    values = Values(plan, params)
    counts = [values.integer(Parser(text).expr()) for text in device["counts"]]
    if prod(counts) > 256:
        raise TooLarge()
    outputs, moved, tensors, sizes = {}, 0, {}, {}
    for number in range(prod(counts)):
        indices, left = {}, number
        for name, n in zip(device["indices"], counts):
            indices[name] = left % n
            left //= n
        try:
            load = Kernel(plan, device["functions"][0], params, indices).run()
            store = Kernel(plan, device["functions"][1], params, indices).run()
        except Breach:
            if number == 0:
                raise
            raise Unsupported("indices that the functions leave to their caller") from None
        if number and not (load.moved and store.moved):  # a tile that is not there
            raise Unsupported("indices that the functions leave to their caller")
        moved += load.moved + store.moved
        there = load.outputs[device["shared"]]
        for at, (_, place, types) in store.outputs[device["target"]].items():
            if place not in there:
                raise Unsupported("the two functions do not fit: shared memory is read where nothing was written")
            if at in outputs:
                raise Unsupported("the two functions do not fit: an element is written twice")
            where, what, before = there[place]
            outputs[at] = (None if where is None else 0, what, before + types)
        for name, verdict in ((device["source"], load), (device["target"], store)):
            tensors[name], sizes[name] = verdict.tensors[name], verdict.sizes[name]
    if not tensors:
        raise TooLarge()
    tensors[device["source"]].index, tensors[device["target"]].index = 0, 1
    if len(outputs) != prod(tensors[device["target"]].ext):
        raise Unsupported("the two functions do not fit: an element is never written")
    return Verdict({device["target"]: outputs}, tensors, sizes, device["threads"], counts, moved)


def owed(text):
    """What the caller owes by the functions' comments: the alignment of each tensor, the multiple of each param."""
    words = re.sub(r"\n//\s+(?=[^\s-])", " ", text)
    aligns, multiples = {}, {}
    for name, bytes_ in re.findall(r"- (\w+) is in global memory, [^\n]*aligned to (\d+) bytes", words):
        aligns[name] = max(int(bytes_), aligns.get(name, 1))
    for name, n in re.findall(r"- (\w+) is a multiple of (\d+)", words):
        multiples.setdefault(name, []).append(int(n))
    return aligns, multiples


def formals(text, name):
    """The (C type, name) of each formal of a device function in an emitted header."""
    for found, args in FUNCTION.findall(text):
        if found == name:
            pairs = [re.match(r"(.*?)(\w+)$", " ".join(a.split())).groups() for a in args.split(",")]
            return [(kind.replace("__restrict__", "").strip(), n) for kind, n in pairs]
    raise ValueError(f"no function {name}")


def caller(drawn, text):
    """The kernel by hand, and its launcher, behind the header "text"."""
    device, kernel = drawn.device, drawn.kernel
    both = [formals(text, name) for name in device["functions"]]
    pointers, params = {}, []
    for kind, name in both[0] + both[1]:
        if "*" in kind and name != device["shared"]:
            pointers[name] = kind
        elif "*" not in kind and name != "tid" and name not in device["indices"] and name not in params:
            params.append(name)
    for text_of_count in device["counts"]:
        params += [p for p in re.findall(r"[A-Za-z]\w*", text_of_count) if p != "ceil_div" and p not in params]
    block = dict(zip(device["indices"], ("blockIdx.x", "blockIdx.y", "blockIdx.z")))

    def call(which):
        args = []
        for kind, name in both[which]:
            args.append(f"({kind})smem" if name == device["shared"] else block.get(name, name))
        name = device["functions"][which]
        return f"if (tid < {name}_THREADS) {name}({', '.join(args)});"  # a spoilt one may be of fewer

    listed = [f"{kind}{name}" for name, kind in pointers.items()] + [f"int64_t {p}" for p in params]
    names = list(pointers) + params
    grid = [re.sub(r"ceil_div\((\w+),(\d+)\)", r"((\1 + \2 - 1) / \2)", c) for c in device["counts"]]
    grid += ["1"] * (3 - len(grid))

    def more(of):
        first, second = (f"{n}_{of}" for n in device["functions"])
        return f"({first} > {second} ? {first} : {second})"

    wait = "tcp_cp_async_wait<0>(); " if device["waits"] else ""
    return text + f"""
#include "tcp_launch.h"
static __global__ void {kernel}_kernel({', '.join(listed)}) {{
    TCP_SHARED_BUFFER(smem);
    const int tid = (int)threadIdx.x;
    {call(0)}
    {wait}tcp_sync();
    {call(1)}
}}
TCP_EXTERN_C tcp_status {kernel}_launch({', '.join(listed + ['tcp_stream stream'])}) {{
    return TCP_LAUNCH({kernel}_kernel, tcp_blocks({', '.join(grid)}), {more('THREADS')}, {more('SMEM_BYTES')}, stream, {', '.join(names)});
}}
"""


def draw(seed, index, only=None):
    """Returns plan "index" of "seed", of kind "only" if there is one."""
    r = Chance(f"{seed}.{index}.change")
    kind = Devices if r.percent(8) else Draw
    if Chance(f"{seed}.{index}.matrices").percent(12):  # a chance of its own: the other plans are as they are without
        kind = Matrices
    if Chance(f"{seed}.{index}.halos").percent(12):
        kind = Halos
    if Chance(f"{seed}.{index}.ends").percent(12):
        kind = Ends
    if Chance(f"{seed}.{index}.far").percent(8):
        kind = Far
    if only:
        kind = only
    drawn = kind(seed, index).plan()
    if r.percent(30) and not drawn.meant:
        drawn.text = mutate(r, drawn.text)
    return drawn
