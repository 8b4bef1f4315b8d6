"""Runs each kernel of a plan on the host with one barrier or wait left out, or waiting for one group less: each must fail.

usage: mutate_sync.py [--main FILE] [--library FILE] [--flags FLAGS] [--each N] TCPC RUNTIME FOLDER PLAN [OPTION..]

TCPC writes the program of `tcpc run` into FOLDER; every barrier and wait in its text is made one that a variable of the environment
leaves out, so that one build serves all mutants.  OPTIONs go to tcpc.  With --main the emitted file is linked with that program
instead, which has a main of its own, and is run under each of the host's schedules.  --library is the host's runtime, else it is built
of RUNTIME; FLAGS go to the C++ compiler.  With --each N of each kind at most are run.
What is never executed is not tried.
"""

import argparse
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import schedules

# Whether it is mutant "k" that is run; prints "k" to the file TCP_REACHED when this is asked first.
HEAD = """#include <stdio.h>
#include <stdlib.h>
static const int tcp_mutant = getenv("TCP_MUTANT") ? atoi(getenv("TCP_MUTANT")) : -1;
static bool tcp_is(int k) {
    static FILE *const out = getenv("TCP_REACHED") ? fopen(getenv("TCP_REACHED"), "w") : nullptr;
    static bool reached[%d];
    if (out && !reached[k]) fprintf(out, "%%d\\n", k);
    reached[k] = true;
    return tcp_mutant == k;
}
"""


def kernel_text(lines, at):
    """The lines of the kernel around line "at"."""
    begin = max(i for i in range(at) if re.match(r"// kernel ", lines[i]))
    return lines[begin : next(i for i in range(at, len(lines)) if lines[i] == "}")]


def role_text(lines, at):
    """The lines of the kernel around line "at"; of those in a role, the lines of the role."""
    text = kernel_text(lines, at)
    parts = [i for i, line in enumerate(text) if re.match(r"    (if \(tid < \d+\) \{|\} else \{|\}$)", line)]
    at -= lines.index(text[0], max(i for i in range(at) if re.match(r"// kernel ", lines[i])))
    begin, end = max([0, *(i for i in parts if i < at)]), min([len(text), *(i for i in parts if i >= at)])
    return text if text[begin].endswith("}") or begin == 0 else text[begin:end]


STORES = re.compile("tcp_(?:store|reduce|add_box|min_box|max_box)")


def stored(lines):
    """The buffers to which threads store themselves."""
    return set(re.findall(r"tcp_(?:st_shared_\d+|fill\w*)\(&?(\w+)", "\n".join(lines)))


def filled(lines):
    """The buffers that bulk copies fill."""
    return set(re.findall(r"tcp_ring\d*\.load(?:_box)?<\d+>\(&?(\w+)", "\n".join(lines)))


def put_early(lines, waits, k, call, condition="", accesses="_(ld|st)_shared|_together", barrier="$^"):
    """Says mutant k of "call" behind the first wait of its loop; returns whether there is one, with such accesses and no such barrier between."""
    for i, w in waits:
        between = [x.strip() for x in lines[i + 1 :] if not x.strip().startswith(("//", "#"))]
        depth = [len(x) - len(x.lstrip()) for x in lines[i:] if x.strip() and not x.lstrip().startswith(("//", "#"))]
        if min(depth) < w or not any(re.search(accesses, x) for x in between) or any(re.search(barrier, x) for x in between):
            continue
        lines[i] += f" if ({condition}tcp_mutant == {k}) {call}"
        return True
    return False


def number(text):
    """The text with its barriers and waits under numbers, and (kernel, line, what) of each number."""
    kernel, mutants, lines, waits = None, [], [], []
    given = text.split("\n")
    for at, line in enumerate(given, 1):
        if found := re.match(r"// kernel (\w+),", line):
            kernel = found[1]
        sync = re.fullmatch(r"(\s*)tcp_sync\(\);", line)
        wait = re.fullmatch(r"(\s*)(tcp_cp_async_wait|tcp_ring\.wait(?:_all)?|tcp_bulk_wait(?:_read)?)<(\d+)>\(\);", line)
        commit = re.fullmatch(r"(\s*)(tcp_ring\.commit(?:_all)?\(\);)", line)
        # the barrier behind the init of barriers in memory, where no other one comes before roles begin
        early = sync and "tcp_ring" in given[at - 2] and sum(x.strip() == "tcp_sync();" for x in kernel_text(given, at)) > 1
        if sync and not early:
            line = f"{sync[1]}if (tcp_mutant != {len(mutants)}) tcp_sync();"
            mutants.append((kernel, at, "without its barrier"))
            # of two barriers in a step, one may order what stands between this one and the wait
            alone = kernel_text(given, at).count(given[at - 1]) == 1
            if alone and put_early(lines, [w for w in waits if w[1] == len(sync[1])], len(mutants), "tcp_sync();"):
                line = line.replace(")", f" && tcp_mutant != {len(mutants)})", 1)
                mutants.append((kernel, at, "with its barrier early"))
        stores = wait and wait[2].startswith("tcp_bulk_wait")
        if wait and (stores or given[at] != "}"):  # at the end no loads are in flight any more
            # where two kinds of groups are waited for, one of the two may have nothing to wait for
            second = wait[2] != "tcp_cp_async_wait" and bool(re.search(r"tcp_cp_async_wait|tcp_ring\.wait", given[at - 2]))
            call, n, k = wait[2], int(wait[3]), len(mutants) - 2 * second
            line = (
                f"{wait[1]}if (tcp_mutant == {k + 1}) {call}<{n + 1}>(); "
                f"else if (tcp_mutant != {k}) {call}<{n}>();"
            )
            if call == "tcp_bulk_wait":
                line = f"{wait[1]}if (tcp_mutant == {k + 2}) tcp_bulk_wait_read<{n}>(); else {line.strip()}"
            # before the first loads it keeps threads in the same phases, which only many pipelines without steps need
            kernel_of = None if wait[2].endswith("_all") and "// prologue" in given[at - 2] else kernel
            # a ring has eight barriers: the thread that issues waits in commit() until seven groups are pending
            full = 7 if wait[2] == "tcp_ring.wait" else 64
            if not second:
                mutants.append((kernel_of if n < full else None, at, f"without its wait<{n}>"))
                mutants.append((kernel_of if n < full else None, at, f"with wait<{n + 1}> for wait<{n}>"))
            if call == "tcp_bulk_wait":
                mutants.append((kernel_of, at, "until it was read alone"))
        fence = re.match(r"\s*tcp_fence_async(_all)?\(\);", line)
        fills = re.search("// a copy fills '(\\w+)' next", line)
        only_read = fills and fills[1] not in stored(role_text(given, at))
        # that of the thread that issues the store after it, which has one of its own
        if fence and any(STORES.search(x) for x in given[at : at + 2]):
            pass
        elif fence and not re.search("fills the slot|others have read", line) and any(STORES.search(x) for x in role_text(given, at)):
            line = line.replace("tcp_f", f"if (tcp_mutant == {len(mutants)} ? tid == 0 : tcp_mutant != {len(mutants) + 1}) tcp_f")
            mutants.append((kernel, at, "with a fence of its first thread alone"))
            mutants.append((kernel, at, "without its fence"))
        elif fence and not only_read and "others have read" not in line and stored(role_text(given, at)) & filled(kernel_text(given, at)):
            k = len(mutants)
            line = line.replace("tcp_f", f"if (tcp_mutant == {k + 1} ? threadIdx.x % 32 == 0 : tcp_mutant != {k}) tcp_f")
            mutants.append((kernel, at, "without its fence"))
            mutants.append((kernel, at, "with a fence of the first thread of each warp alone"))
        # a group without a store only keeps the count that loads have
        if line.strip() == "tcp_bulk_commit();" and any(STORES.search(x) for x in given[max(at - 6, 0) : at]):
            line = line.replace("tcp_b", f"if (tcp_mutant != {len(mutants)}) tcp_b")
            mutants.append((kernel, at, "without its commit"))
        if commit and given[at + 1] != "}" and not any(STORES.search(x) for x in given[max(at - 6, 0) : at]):
            k = len(mutants)
            line = (
                f"{commit[1]}if (tcp_mutant == {k + 1} && tcp_ring.leader) tcp_ring.bytes += 16; "
                f"if (tcp_mutant == {k + 2} && tcp_ring.leader) ++tcp_ring.groups; "
                f"if (tcp_mutant != {k}) {commit[2]}"
            )
            mutants.append((kernel, at, "without its commit"))
            mutants.append((kernel, at, "with 16 bytes more in its group"))
            mutants.append((kernel, at, "with another step of its group"))
        # a barrier in memory between roles: the arrivals of a phase, the bytes, the step of either side, the count of init
        if memory := re.fullmatch(r"(\s*)(tcp_ring\d*)\.(take|full|arrive|arrive_cp_async)\(\);", line):
            k, (indent, ring, call) = len(mutants), memory.groups()
            step = "waited" if call == "take" else "groups"
            line = f"{indent}if (tcp_mutant == {k + 1}) ++{ring}.{step}; if (tcp_mutant != {k}) {ring}.{call}();"
            one = call != "take" and any(f"tcp_bulk_ring_of<1> {ring}(" in x for x in kernel_text(given, at))
            mutants.append((kernel, at, f"without its {call}"))
            mutants.append((None if one else kernel, at, f"with another step of its {call}"))
            if call == "full":
                line = f"{indent}if (tcp_mutant == {k + 2} && {ring}.leader) {ring}.bytes += 16; {line.strip()}"
                mutants.append((kernel, at, "with 16 bytes more in its group"))
                line += f" if (tcp_mutant == {k + 3} && {ring}.leader) tcp_mbarrier_expect({ring}.barrier + ({ring}.groups - 1) % {ring}.BARRIERS, 0);"
                # where the threads have met before, the one that issues speaks for all of them
                met = any(re.fullmatch(r"\s*tcp_named_sync\(\d+, \d+\);", x) for x in role_text(given, at))
                mutants.append((None if met else kernel, at, "with another arrival in its phase"))
            # before what its threads store, or the copies that it is for; behind a barrier of the role who issues copies speaks for all
            what = {"arrive": "_st_shared|tcp_fill", "arrive_cp_async": "tcp_cp_async_c"}.get(call, "$^")
            early = [w for w in waits if w[1] == len(indent)]
            if put_early(lines, early, len(mutants), f"{ring}.{call}();", "", what, r"tcp_named_sync\(\d"):
                line = line.replace(f"tcp_mutant != {k})", f"tcp_mutant != {k} && tcp_mutant != {len(mutants)})", 1)
                mutants.append((kernel, at, "with its arrival early"))
        # what comes before the copies
        if announce := re.fullmatch(r"(\s*)(tcp_ring\d*)\.announce\((\d+)\);", line):
            k, (indent, ring, bytes_) = len(mutants), announce.groups()
            call = f"{ring}.announce({bytes_} + 16 * (tcp_mutant == {k + 1}) - 16 * (tcp_mutant == {k + 2}))"
            line = f"{indent}if (tcp_mutant != {k}) {call}; if (tcp_mutant == {k + 3}) {ring}.announce(0);"
            mutants.append((kernel, at, "without its announcement"))
            mutants.append((kernel, at, "with 16 bytes more announced"))
            mutants.append((kernel, at, "with 16 bytes less announced"))
            mutants.append((kernel, at, "with another arrival in its phase"))
        # what a manual kernel says itself
        if expect := re.fullmatch(r"(\s*)(tcp_ring\d+)\.expect\((.*)\);", line):
            k, (indent, ring, bytes_) = len(mutants), expect.groups()
            call = f"{ring}.expect({bytes_} + 16 * (tcp_mutant == {k + 1}) - 16 * (tcp_mutant == {k + 2}))"
            line = f"{indent}if (tcp_mutant != {k}) {call}; if (tcp_mutant == {k + 3}) {ring}.expect(0);"
            mutants.append((kernel, at, "without its expect"))
            mutants.append((kernel, at, "with 16 bytes more in its expect"))
            mutants.append((kernel, at, "with 16 bytes less in its expect"))
            mutants.append((kernel, at, "with another arrival in its phase"))
        turn = re.fullmatch(r"(\s*)(tcp_ring\d*)\.(next|next_all)\(\);", line)
        if turn and given[at + 1] != "}":
            line = f"{turn[1]}if (tcp_mutant != {len(mutants)}) {turn[2]}.{turn[3]}(); if (tcp_mutant == {len(mutants) + 1}) ++{turn[2]}.groups;"
            # of one barrier, each step has the same
            some = not any(f"tcp_bulk_ring_of<1> {turn[2]}(" in x for x in kernel_text(given, at))
            mutants.append((kernel if some else None, at, "without its next step"))
            mutants.append((kernel if some else None, at, "with another step of its arrival"))
        if init := re.fullmatch(r"(\s*tcp_bulk_ring(?:_of<\d>)? tcp_ring\d+\(.*, threadIdx.x == \d+)(?:, (\d+))?\);", line):
            k, count = len(mutants), init[2] or "1"
            line = f"{init[1]} + 32 * (tcp_mutant == {k + 1}), {count} + (tcp_mutant == {k}));"
            ring = init[1].split()[1].split("(")[0]
            # where bytes are announced, the copies stand beside that, no matter what made the barriers
            issues = any(re.search(rf"{ring}\.(full|expect)\(", x) for x in kernel_text(given, at))
            mutants.append((kernel, at, "with another count of its init"))
            mutants.append((kernel if issues else None, at, "with another thread that issues copies"))
        if box := re.fullmatch(r"(\s*)((?:tcp_ring\.load|tcp_store|tcp_add|tcp_min|tcp_max)_box<\d+>\(.*)\);", line):
            k = len(mutants)
            line = f"{box[1]}if (tcp_mutant != {k}) {box[2]} + (tcp_mutant == {k + 1}));"
            mutants.append((kernel, at, "without its box"))
            mutants.append((kernel, at, "with its box one further along the last mode"))
        if named := re.fullmatch(r"(\s*)tcp_named_(sync|meet|arrive)\((.*), (\d+)\);", line):
            k = len(mutants)
            line = (
                f"{named[1]}if (tcp_mutant != {k}) tcp_named_{named[2]}({named[3]} + (tcp_mutant == {k + 1}), "
                f"{named[4]} + 32 * (tcp_mutant == {k + 2}));"
            )
            # a role of one warp meets in take(), too
            met = named[4] == "32" and given[at - 2].strip().endswith(".take();")
            mutants.append((None if met else kernel, at, f"without its {named[2]}"))
            own = named[3].isdigit()  # the number of a role's own barrier may be any that is free
            mutants.append((None if own else kernel, at, f"with another number of its {named[2]}"))
            mutants.append((kernel, at, f"with another count of its {named[2]}"))
            # a release before the use, under the same condition
            cond = re.fullmatch(r"\s*if \((n\w* .*)\) \{", next((x for x in reversed(given[: at - 1]) if "tcp_fence" not in x), ""))
            call, condition = f"tcp_named_arrive({named[3]}, {named[4]});", f"{cond[1]} && " if cond else ""
            inside = [w for w in waits if w[1] == len(named[1]) - (4 if cond else 0)]
            if named[2] == "arrive" and put_early(lines, inside, len(mutants), call, condition):
                line = line.replace(f"tcp_mutant != {k})", f"tcp_mutant != {k} && tcp_mutant != {len(mutants)})", 1)
                mutants.append((kernel, at, "with its release early"))
        # where both roles begin, "first_slot", may be any slot: they only have to agree
        if slot := re.fullmatch(r"(\s*)int (slot|(?!first_)\w+_slot) = (\d+);", line):
            other = int(slot[3] == "0")
            line = f"{slot[1]}int {slot[2]} = tcp_mutant == {len(mutants)} ? {other} : {slot[3]};"
            # of one slot, the number of the first step may be any where nothing is waited for then
            one = any(x.strip() == f"{slot[2]} = {slot[2]} < 0 ? {slot[2]} + 1 : 0;" for x in role_text(given, at))
            mutants.append((None if one else kernel, at, f"with another {slot[2]}"))
        if slot := re.fullmatch(r"(\s*)int (slot|full_slot) = (.*first_slot.*);", line):
            turned = re.fullmatch(r"\((\w+) \+ (\d+)\)( % \d+)", slot[3])
            other = f"({turned[1]} + {int(turned[2]) + 1}){turned[3]}" if turned else f"{slot[3]} == 0"
            line = f"{slot[1]}int {slot[2]} = tcp_mutant == {len(mutants)} ? {other} : {slot[3]};"
            mutants.append((kernel, at, f"with another {slot[2]}"))
        if re.search(r"(tcp_ring\d*\.(take|wait_all<\d+>)|tcp_named_(sync|meet)\(.*|tcp_cp_async_wait<\d+>)\(?\)?;", given[at - 1]):
            waits.append((len(lines), len(given[at - 1]) - len(given[at - 1].lstrip())))
        if given[at - 1] == "}":
            waits = []
        lines.append(line)
    changed = re.sub(r"tcp_mutant == (\d+)", r"tcp_is(\1)", "\n".join(lines))
    changed = re.sub(r"tcp_mutant != (\d+)", r"!tcp_is(\1)", changed)
    return HEAD % len(mutants) + changed, mutants


def emit(given, folder):
    """Has tcpc write the emitted file; returns it, and what else the program is built of."""
    source = folder / "plan.cu"
    if given.main:
        subprocess.run([given.tcpc, "-w", "-o", source, given.plan, *given.options], check=True)
        return source, ["-I", given.main.parent, "-x", "c++", given.main, "-x", "none"]
    command = [given.tcpc, "run", "--host", "-w", "--write", folder, given.plan, *given.options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return source, ["-I", given.plan.parent, folder / "main.cpp"]


def build(given, program, source, rest):
    host = [given.library] if given.library else [given.runtime / "tcp_harness.cpp", *sorted(given.runtime.glob("host/*.cpp"))]
    subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-w", *given.flags, f"-I{given.runtime}", "-o", program, "-x", "c++", source,
         "-x", "none", *rest, *host, "-pthread"],
        check=True,
    )  # fmt: skip


def drawn(mutants, executed, given):
    """The numbers of the mutants to run."""
    rng, kinds = random.Random(given.plan.name), {}
    for k, (kernel, _, what) in enumerate(mutants):
        if kernel is not None and k in executed:
            kinds.setdefault(re.sub(r"\d+", "N", what), []).append(k)
    return {k for ks in kinds.values() for k in (rng.sample(ks, min(given.each, len(ks))) if given.each else ks)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--main", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--flags", type=shlex.split, default=[])
    parser.add_argument("--each", type=int, default=0)
    for name in ("tcpc", "runtime", "folder", "plan"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("options", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    folder, program = given.folder, given.folder / "run"
    folder.mkdir(exist_ok=True)
    source, rest = emit(given, folder)
    text, mutants = number(source.read_text())
    missed = tried = 0
    if mutants:
        source.write_text(text)
        build(given, program, source, rest)
        runs = schedules.SCHEDULES if given.main else [""]

        def run(mutant, *more, **variables):
            """The first run that does not end well, else the last."""
            for schedule in runs:
                done = schedules.run([program, *more], schedule, TCP_MUTANT=str(mutant), **variables)
                if done.returncode != 0:
                    break
            return done

        data = [] if given.main else ["--data", folder]
        reached = given.folder / "reached"
        right = run(-1, *data, TCP_REACHED=reached)
        if right.returncode != 0:
            print(right.stdout + right.stderr)
            return 1
        executed = {int(k) for k in reached.read_text().split()}
        chosen = drawn(mutants, executed, given)
        for k, (kernel, line, what) in enumerate(mutants):
            if k not in chosen:
                continue
            tried += 1
            done = run(k, *data, *([] if given.main else ["--until-failed", "--kernel", kernel]))
            if done.returncode == 0:
                print(f"{kernel}, line {line} {what}: nothing is wrong")
                missed += 1
            elif done.returncode != 1:
                print(f"{kernel}, line {line} {what}: ends with {done.returncode}: {done.stderr}")
                missed += 1
    never = len(mutants) - len(executed) if mutants else 0
    if never:
        print(f"{never} of them are never executed")
    print(f"{given.plan.name}: {tried if given.each else len(mutants)} mutants, {missed} of them unnoticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
