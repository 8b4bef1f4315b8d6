"""Compares the accesses in PTX, and in SASS, with those that `tcpc explain --json` promises, kernel by kernel.

usage: promised.py TCPC NVCC RUNTIME WORK [--sass CUOBJDUMP] [--nvrtc LIBRARY] [--one-of=N[:SEED]] PLAN...

An access is its direction, its space and its bits.  Each one that is found must have been promised, and none may go through local
memory; each one to global memory that was promised must be found.  Of shared memory, whose alignment nvcc knows, it may make one
access of neighbouring ones, and may keep in registers what a thread reads back; what is narrower than promised is wrong there
too.  Of SASS two things are ptxas's own: loads that are never executed, before asynchronous ones, and up to SPILLS registers
that it keeps in local memory where the PTX has none, for the sake of more blocks side by side (sm_90 does so with two of
padded_kernel's).  Kernels between devices are left out: their barriers access flags, and nvcc does not know that a peer's address is
of global memory.  Prints what was wrong, and a line of sums.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from sampled import drawn  # noqa: E402
from nvrtc import Compiler, least_arch  # noqa: E402

ACCESS = re.compile(r"^\s*(?:@!?%\w+\s+)?(ld|st)((?:\.\w+)*?)\.(global|shared|local)((?:[.:]+\w+)*)\s")
ASYNC = re.compile(r"^\s*(?:@!?%\w+\s+)?cp\.async\.(ca|cg)\.shared\.global(?:\.\S+)?\s+\[[^\]]*\],\s*\[[^\]]*\],\s*(\d+)")
SASS = re.compile(r"\b(LDGSTS|LDG|STG|LDS|STS|LDL|STL)((?:\.\w+)*)\s")
NEVER = re.compile(r"@!U?PT\s")
SPILLS = 4  # registers
INSTRUCTION = re.compile(r"tcp_(ld|st)_(global|shared|frag)(?:_nc)?_(\d+)(?:<.*>)?$")
INSTRUCTION_ASYNC = re.compile(r"tcp_cp_async_(ca|cg)_(\d+)")


def promised(plan, tcpc):
    """By kernel: the accesses that its copies make."""
    shown = subprocess.run([tcpc, "explain", "--json", plan], capture_output=True, text=True, check=True).stdout
    kernels = {}
    for kernel in json.loads(shown)["kernels"]:
        if kernel["kind"] != "kernel":
            continue
        variants = [v["bits"] for v in kernel["variants"]]
        for i, bits in enumerate(variants or [0]):
            # What somebody else's function does to shared memory is not ours to promise.
            calls = {(op, "shared", b) for op in ("ld", "st") for b in (8, 16, 32, 64, 128) if kernel["calls"]}
            found = kernels.setdefault(kernel["name"] + "_kernel" + (f"_{bits}" if variants else ""), calls)
            for copy in kernel["copies"]:
                for side in ("source", "destination"):
                    found |= promised_by(side, copy, i)
    return kernels


def bits_of(elem):
    return 8 if elem.startswith("f8") else int(re.search(r"\d+", elem)[0])


def promised_by(side, copy, variant):
    """The accesses of one side: of whole tiles, and of the edge, which are no wider."""
    instruction = copy[side]["instruction"] or ""
    # where the copy converts, widths are told of the side with the wider elements
    elem = bits_of(copy[side]["elem"])
    wider = max(bits_of(copy[s]["elem"]) for s in ("source", "destination"))
    match, asynchronous = INSTRUCTION.match(instruction), INSTRUCTION_ASYNC.match(instruction)
    if match and match[2] != "frag":
        width, edge = copy["width"], (copy.get("edge") or {}).get("bits")
        bits = width["variants"][variant] if width["variants"] else width["bits"]
        return {(match[1], match[2], b // wider * elem) for b in (bits, edge and min(edge, bits)) if b}
    if asynchronous:
        return {("cp." + asynchronous[1], "async", 8 * int(asynchronous[2]))}
    return set()


def in_ptx(text):
    """By kernel: the accesses of its PTX."""
    kernels, now = {}, None
    for line in text.splitlines():
        entry = re.search(r"\.entry\s+(\w+)", line)
        if entry:
            now = kernels.setdefault(stem(entry[1]), set())
        access, asynchronous = ACCESS.match(line), ASYNC.match(line)
        if now is None:
            continue
        if access:
            parts = re.findall(r"\w+", access[2] + " " + access[4])
            bits = [int(p[1:]) for p in parts if re.fullmatch(r"[usbf]\d+", p)]
            many = [int(p[1:]) for p in parts if re.fullmatch(r"v\d", p)]
            now.add((access[1], access[3], bits[-1] * (many[0] if many else 1)))
        elif asynchronous:
            now.add(("cp." + asynchronous[1], "async", 8 * int(asynchronous[2])))
    return kernels


def in_sass(text, ptx):
    """By kernel: the accesses of its SASS, but for what is ptxas's own, when "ptx" has the accesses of the PTX."""
    kernels, now, spilled = {}, None, {}
    spaces = {"G": "global", "S": "shared", "L": "local"}
    for line in text.splitlines():
        function = re.search(r"Function : (\w+)", line)
        if function:
            name = stem(function[1])
            now = kernels.setdefault(name, set())
        access = SASS.search(line)
        if not access or now is None or NEVER.search(line):
            continue
        suffixes = access[2].split(".")
        bits = next((int(s.lstrip("US")) for s in suffixes if re.fullmatch(r"[US]?(8|16|64|128)", s)), 32)
        if access[1] == "LDGSTS":
            now.add(("cp.cg" if "BYPASS" in suffixes else "cp.ca", "async", bits))
            continue
        now.add(("ld" if access[1][0] == "L" else "st", spaces[access[1][2]], bits))
        if access[1] == "STL":
            spilled[name] = spilled.get(name, 0) + (bits + 31) // 32
    for name, registers in spilled.items():
        if registers <= SPILLS and not any(space == "local" for _, space, _ in ptx.get(name, ())):
            kernels[name] = {a for a in kernels[name] if a[1] != "local"}
    return kernels


def stem(symbol):
    """The function's name: "_Z12move3_kernelPK.." is move3_kernel."""
    mangled = re.match(r"_Z(?:L)?(\d+)", symbol)
    return symbol[mangled.end():mangled.end() + int(mangled[1])] if mangled else symbol


def wrong(wanted, found):
    """What is found and was not promised, and what was promised to global memory and is not found."""
    joined = {(op, "shared", bits * times) for op, space, bits in wanted if space == "shared" for times in (2, 4, 8, 16)}
    extra = found - wanted - joined
    missing = {a for a in wanted if a[1] in ("global", "async")} - found
    return [f"{show(a)} was not promised" for a in sorted(extra)] + [f"{show(a)} is missing" for a in sorted(missing)]


def show(access):
    return f"{access[0]}.{access[1]} of {access[2]} bits"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("tcpc", "nvcc", "runtime", "work"):
        parser.add_argument(name)
    parser.add_argument("--sass", default=None)
    parser.add_argument("--arch", default="sm_80")
    parser.add_argument("--nvrtc", default=None, help="this library of NVRTC makes the PTX, and NVCC nothing")
    parser.add_argument("--one-of", help="N[:SEED]: one in N of the plans, drawn from this seed or from a new one, which is told")
    parser.add_argument("--spoil", type=int, default=1, help="reads each width divided by this, to test the test")
    parser.add_argument("plans", nargs="+")
    options = parser.parse_args()
    work = pathlib.Path(options.work)
    kernels = accesses = 0
    problems = []
    nvrtc = options.nvrtc and Compiler(options.nvrtc)
    plans, told = drawn(options.plans, options.one_of)
    for i, plan in enumerate(plans):
        wanted = promised(plan, options.tcpc)
        if not wanted:
            continue
        source, ptx = work / f"{i}.cu", work / f"{i}.ptx"
        subprocess.run([options.tcpc, "-w", plan, "-o", str(source)], check=True)
        if "tcp_mesh_begin" in source.read_text():
            continue
        flags = [f"-arch={least_arch(source, options.arch)}", f"-I{options.runtime}", f"-I{pathlib.Path(plan).parent}"]
        if nvrtc:
            text, said = nvrtc.ptx(source, flags)
            if said or text is None:
                sys.exit(f"{plan}: {said or 'no PTX'}")
        else:
            flags += ["-std=c++17", "-Werror", "all-warnings"]
            subprocess.run([options.nvcc, *flags, "-ptx", str(source), "-o", str(ptx)], check=True)
            text = ptx.read_text()
        listings = [("PTX", in_ptx(text))]
        if options.sass:
            cubin = work / f"{i}.cubin"
            subprocess.run([options.nvcc, *flags, "-cubin", str(source), "-o", str(cubin)], check=True)
            text = subprocess.run([options.sass, "-sass", str(cubin)], check=True, capture_output=True, text=True).stdout
            listings.append(("SASS", in_sass(text, listings[0][1])))
        for kernel, access in sorted(wanted.items()):
            kernels += 1
            for name, listing in listings:
                found = listing.get(kernel)
                if found is None:
                    problems.append(f"{plan}: {kernel} is not in the {name}")
                    continue
                accesses += len(found)
                found = {(op, space, bits // options.spoil) for op, space, bits in found}
                problems += [f"{plan}: {name} of {kernel}: {what}" for what in wrong(access, found)]
    for problem in problems:
        print(problem)
    print(f"{kernels} kernels with {accesses} kinds of accesses, {len(problems)} that differ{told}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
