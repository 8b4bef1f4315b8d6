"""Patterns and what the profiler counted of them, as lines of tests/cost/probes.tsv.

usage: table.py --metrics | table.py PATTERNS NCU_CSV >TSV
"""
import csv
import sys

METRICS = {
    "requests ld": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "requests st": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "sectors ld": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "sectors st": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared ld": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",  # holds ldmatrix
    "shared st": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",  # holds stmatrix
    "shared ldgsts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",  # cp.async
}


def counters(path):
    """One dictionary a launch, in order."""
    lines = open(path).read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    table = list(csv.reader(lines[start:]))
    column = {k: table[0].index(m) for k, m in METRICS.items()}
    for row in table[2:]:
        if len(row) == len(table[0]):
            yield {k: int(float(row[i].replace(",", ""))) for k, i in column.items()}


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(",".join(METRICS.values()))
        return
    for line, count in zip(open(sys.argv[1]), counters(sys.argv[2])):
        field = line.split()
        name, bits, mask, address = field[0], field[1], field[2].lstrip("0") or "0", [f"{int(x):x}" for x in field[3:]]
        copies, store = name.startswith("cp.async"), name.startswith("st")
        if name == "cp.async":
            name = "cp.async.cg" if bits == "128" else "cp.async.ca"
        of_global, of_shared = copies or "global" in name, "global" not in name
        way = "st" if store else "ld"
        waves = count["shared ldgsts" if copies else f"shared {way}"]
        print("\t".join([
            name, bits, mask, " ".join(address[:32]) if of_shared else "-", " ".join(address[32:]) if of_global else "-",
            str(count[f"requests {way}"]) if of_global else "-", str(count[f"sectors {way}"]) if of_global else "-",
            str(waves) if of_shared else "-"]))


main()
