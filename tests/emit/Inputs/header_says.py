"""usage: header_says.py FILE...: compares the comment above each device function of emitted files with what its text takes
for granted, in both directions, and prints how many functions there were.

What a text takes for granted is read off it, without the compiler's help: pointers that are __restrict__, loads by
tcp_ld_global_nc_*, which may miss writes; how wide the accesses through a pointer are; what is written; whether groups of
cp.async are committed or waited for, and barriers."""

import collections
import pathlib
import re
import sys

FUNCTION = re.compile(r"^// device (\w+),[^\n]*\n((?://[^\n]*\n)+)enum : int \{\n(.*?)^\};\n"
                      r"TCP_DEVICE void (\w+)\((.*?)\) \{\n(.*?)^\}\n", re.M | re.S)
WRITES = re.compile(r"tcp_(?:st_(?:global|shared|frag)_(\d+)|cp_async_c[ag](?:_zfill)?_(\d+)(?:<\d+>)?)\(&?(\w+)")
READS = re.compile(r"tcp_ld_(?:global|global_nc|shared|frag)_(\d+)\(&?(\w+)")
BOTH = re.compile(r"tcp_cp_async_c[ag](?:_zfill)?_(\d+)(?:<\d+>)?\(&?\w+(?:\[[^\]]*\])?,\s*&?(\w+)")


def check(name, comment, constants, parameters, body):
    said = [re.sub(r"\s+", " ", part.replace("//", "")).strip() for part in re.split(r"\n(?=//     - |//   (?! ))", comment)]
    text = "\n".join(said)
    wrong = []

    def want(holds, what):
        if not holds:
            wrong.append(f"{name}: {what}\n{comment}")

    pointers = {argument: bool(restrict) for restrict, argument in re.findall(r"\*(__restrict__ )?(\w+)\s*(?=,|$)", parameters)}
    spaces = {p: "global" if re.search(rf"- {p} is in global memory", text) else
              "shared" if re.search(rf"- {p} is in shared memory", text) else
              "frag" if re.search(rf"- {p} is an array of each thread", text) else None for p in pointers}
    want(all(spaces.values()), f"not every pointer is described: {spaces}")
    cached = {p for _, p in re.findall(r"tcp_ld_global_nc_(\d+)\(&?(\w+)", body)}
    plain = {p for _, p in re.findall(r"tcp_ld_global_(\d+)\(&?(\w+)", body)}
    constant = set(re.findall(r"- no other code writes (\w+) while the kernel runs", text))
    restricted = {p for p, restrict in pointers.items() if restrict}
    want(restricted == constant, f"__restrict__ {sorted(restricted)}, nobody writes {sorted(constant)}")
    want(cached <= constant, f"loads that may miss writes of {sorted(cached - constant)}")
    want(not plain & constant, f"plain loads of {sorted(plain & constant)}, which is readonly")
    width = collections.Counter()
    written = set()
    for a, b, p in WRITES.findall(body):
        written.add(p)
        width[p] = max(width[p], int(a or 0) // 8, int(b or 0))
    for bits, p in READS.findall(body):
        width[p] = max(width[p], int(bits) // 8)
    for size, p in BOTH.findall(body):
        width[p] = max(width[p], int(size))
    for p in pointers:
        aligned = re.search(rf"- {p} is .*aligned to (\d+) bytes", text)
        want(aligned and int(aligned.group(1)) % max(width[p], 1) == 0, f"accesses of {width[p]} bytes through {p}")
    written &= set(pointers)
    apart = set(re.findall(r"- (\w+), which the function writes, overlaps no other argument", text))
    beside = {p for p in written if any(q != p and spaces[q] == spaces[p] for q in pointers)}
    want(apart == beside, f"{sorted(beside)} may overlap others, {sorted(apart)} are said not to")
    shared = any(space == "shared" or space == "global" and p not in constant for p, space in spaces.items())
    want(shared == ("- a barrier separates this call from what other threads" in text), "a barrier between this and others")
    groups = "tcp_cp_async_commit" in body or "tcp_cp_async_wait" in body
    want(groups == ("Each thread counts its groups of cp.async" in text), "groups of cp.async")
    want(("GROUPS" in constants) == ("is committed and in flight" in text), "a group that is left")
    want(("tcp_sync()" in body) == ("contains a barrier" in text or "contains barriers" in text), "barriers inside")
    for index in re.findall(r"int64_t (\w+)", parameters):
        want(re.search(rf"\b{index} (>=|<=|is)", text) or re.search(rf"[<>]= {index}\b", text), f"nothing is said of {index}")
    return wrong


def main():
    wrong, n = [], 0
    for path in sys.argv[1:]:
        text = pathlib.Path(path).read_text()
        found = FUNCTION.findall(text)
        if len(found) != text.count("TCP_DEVICE void "):
            sys.exit(f"{path}: {len(found)} functions are read, {text.count('TCP_DEVICE void ')} are there")
        for _, comment, constants, name, parameters, body in found:
            n += 1
            wrong += check(name, comment, constants, parameters, body)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{n} device functions say what they take for granted")


main()
