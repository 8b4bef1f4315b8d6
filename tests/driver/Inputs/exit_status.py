"""usage: exit_status.py TCPC WORK: each way out of each command has the status that the man page tells."""

import os
import pathlib
import shutil
import subprocess
import sys

tcpc, work = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
PLAN = """tcp 1;
param N : index in 1 .. 100;
tensor src : f32 global (32) align 16;
tensor dst : f32 global (32) align 16;
tensor more : f32 global (N,32);
layout l = (4,8):(8,1);
tiled_copy tc = tile(universal(32), thr=(32), val=(1));
tiled_copy other = tile(universal(32), thr=(32), val=(2));
kernel move(src, out dst) grid (1) threads 32 {
  c: copy src -> dst with tc;
}
kernel rows(more, out dst) grid (1) threads 32 {
  copy more(0,_) -> dst with tc;
}
"""
(work / "good.tcp").write_text(PLAN)
(work / "narrow.tcp").write_text(PLAN.replace("f32", "f16").replace("universal(32)", "universal(16)"))
(work / "wrong.tcp").write_text(PLAN.replace("copy src", "copy sorce"))
(work / "syntax.tcp").write_text("tcp 1\n")
(work / "empty.tcp").write_text("tcp 1;\n")
(work / "loose.tcp").write_text("tcp   1;\n")
(work / "imports.tcp").write_text('tcp 1;\nimport "none.tcp";\n')
(work / "extern.tcp").write_text("""tcp 1;
extern device f(a : f32 shared (32)) from "f.h";
tensor src : f32 global (32) align 16;
tensor dst : f32 global (32) align 16;
kernel move(src, out dst) grid (1) threads 32 {
  tensor s : f32 shared (32);
  copy src -> s with tile(universal(32), thr=(32), val=(1));
  call f(s);
  copy s -> dst with tile(universal(32), thr=(32), val=(1));
}
""")
(work / "f.h").write_text("#error none\n")
(work / "file").write_text("")
DONE, WRONG, USAGE = 0, 1, 2
RUNS = (
    # every command: usage, input, output, the plan
    *(([*command, "--help"], DONE) for command in ([], ["run"], ["explain"], ["draw"], ["eval"], ["fmt"])),
    *(([*command, "--no-such"], USAGE) for command in ([], ["run"], ["explain"], ["draw"], ["eval"], ["fmt"])),
    *((command, USAGE) for command in ([], ["run"], ["explain"], ["draw"], ["eval"], ["fmt"])),
    *(([*command, "none.tcp", *name], USAGE) for command, name in (([], []), (["run"], []), (["explain"], []), (["draw"], ["tc"]), (["fmt"], []))),
    *(([*command, "syntax.tcp", *name], WRONG) for command, name in (([], []), (["run"], []), (["explain"], []), (["draw"], ["tc"]), (["fmt"], []))),
    *(([*command, "wrong.tcp", *name], WRONG) for command, name in (([], []), (["run"], []), (["explain"], []), (["draw"], ["tc"]))),
    *(([*command, "imports.tcp", *name], WRONG) for command, name in (([], []), (["run"], []), (["explain"], []), (["draw"], ["tc"]))),
    *(([*command, "-", *name], USAGE) for command, name in (([], []), (["run"], []), (["explain"], []), (["draw"], ["tc"]), (["fmt"], []), (["eval"], []))),
    (["@none"], USAGE), (["--explain=none"], USAGE), (["--version"], DONE),
    (["good.tcp", "-o", "-"], DONE), (["good.tcp", "-o", "none/x.cu"], USAGE), (["good.tcp", "-MD", "-MF", "none/x.d"], USAGE),
    (["good.tcp", "--proof-limit=0"], USAGE), (["good.tcp", "--proof-limit=1"], WRONG), (["-D", "X=1", "good.tcp"], WRONG),
    # names that the plan does not have, and what they are not
    (["run", "--kernel", "none", "good.tcp"], USAGE), (["run", "--param", "K=1", "good.tcp"], USAGE),
    (["run", "--param", "N=1000", "good.tcp"], USAGE), (["run", "--print", "none", "good.tcp"], USAGE),
    (["run", "--thread", "0", "--print", "dst", "good.tcp"], USAGE), (["run", "empty.tcp"], USAGE),
    (["explain", "good.tcp", "none"], USAGE), (["explain", "good.tcp", "move.none"], USAGE), (["explain", "good.tcp", "move:99"], USAGE),
    (["explain", "good.tcp", "move"], DONE), (["explain", "good.tcp", "-o", "none/x"], USAGE),
    (["explain", "--equivalent", "good.tcp", "move", "none"], USAGE), (["explain", "--equivalent", "good.tcp", "move", "move"], DONE),
    (["explain", "--equivalent", "good.tcp", "move", "rows"], WRONG),
    (["explain", "--json", "good.tcp", "-o", "old.json"], DONE), (["explain", "--json", "narrow.tcp", "-o", "new.json"], DONE),
    (["explain", "--diff", "old.json", "old.json"], DONE), (["explain", "--diff", "old.json", "new.json"], WRONG),
    (["explain", "--diff", "good.tcp", "old.json"], USAGE),
    (["explain", "--diff", "old.json", "none"], USAGE), (["explain", "--diff", "old.json"], USAGE),
    (["draw", "good.tcp", "none"], USAGE), (["draw", "good.tcp", "move.none"], USAGE), (["draw", "good.tcp", "move:99"], USAGE), (["draw", "good.tcp", "99"], USAGE),
    (["draw", "good.tcp", "10"], DONE), (["draw", "good.tcp", "good.tcp:10"], DONE),
    (["draw", "good.tcp", "c", "--thread", "99"], USAGE), (["draw", "good.tcp", "other", "--view=path"], USAGE),
    (["draw", "good.tcp", "l", "--view=flow"], USAGE), (["draw", "good.tcp", "l", "--view=none"], USAGE),
    (["draw", "good.tcp", "l", "--view=banks"], USAGE), (["draw", "good.tcp", "l", "--param", "K=1"], USAGE),
    (["draw", "good.tcp", "more", "--param", "N=1000"], USAGE), (["draw", "good.tcp", "tc"], DONE),
    (["draw", "good.tcp", "tc", "-o", "none/x.svg"], USAGE), (["draw", "good.tcp", "tc", "-o", "x.gif"], USAGE),
    # the rest
    (["run", "--write", "file", "good.tcp"], USAGE), (["run", "--write", "none/none", "good.tcp"], USAGE),
    (["run", "--write", "made", "good.tcp"], DONE), (["run", "--host", "--cxx", "none", "good.tcp"], USAGE),
    (["run", "--host", "--cxx", "false", "good.tcp"], WRONG), (["run", "--host", "--cxx", "./file", "good.tcp"], USAGE),
    (["run", "--host", "extern.tcp"], WRONG),
    (["eval", "(4,8):(8,1)"], DONE), (["eval", "none((4))"], WRONG), (["eval", "a", "b"], USAGE), (["eval", "--as=none", "4:1"], USAGE),
    (["fmt", "--check", "loose.tcp"], WRONG), (["fmt", "--check", "empty.tcp"], DONE), (["fmt", "loose.tcp", "none.tcp"], USAGE),
)
wrong = []
for words, want in RUNS:
    # a standard input that cannot be read
    stdin = os.open(work if "-" in words[:2] else os.devnull, os.O_RDONLY)
    done = subprocess.run([tcpc, *words], cwd=work, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    os.close(stdin)
    if done.returncode != want:
        wrong.append(f"{words}: {done.returncode}, want {want}: {done.stderr[:300]}")
    if want and not done.stderr and not {"--equivalent", "--diff"} & set(words):
        wrong.append(f"{words}: {want} without a word")
sys.exit("\n".join(wrong) if wrong else 0)
