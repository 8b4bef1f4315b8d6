# watch.py TCPC FOLDER: `run --watch` and `draw --watch` do it again when the plan or what it imports changes, and end by a signal.
import os
import pathlib
import subprocess
import sys
import time

tcpc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
plan, shapes, picture = folder / "plan.tcp", folder / "shapes.tcp", folder / "picture.txt"
PLAN = """tcp 1;
import "shapes.tcp";
tensor A : f32 global (16,8) align 16;
tensor B : f32 global (16,8) align 16;
kernel k(A, out B) { copy A -> B with tc; }
"""


def shape(thr):
    shapes.write_text(f"tcp 1;\ntiled_copy tc = tile(universal(32), thr={thr}, val=(1,1));\n")


def wait_for(what, holds):
    end = time.time() + 30
    while not holds():
        if time.time() > end:
            draw.kill()
            sys.exit(f"{what}: nothing happened")
        time.sleep(0.05)


def picture_has(text):
    return lambda: picture.is_file() and text in picture.read_text()


shape("(16,8)")
plan.write_text(PLAN)
with subprocess.Popen([tcpc, "draw", "--watch", str(plan), "tc", "-o", str(picture)], stderr=subprocess.DEVNULL) as draw:
    wait_for("the first drawing", picture_has("128 threads"))
    time.sleep(0.3)
    shape("(8,8)")
    wait_for("another import", picture_has("64 threads"))
    time.sleep(0.3)
    # an editor that puts another file in the place
    (folder / "new").write_text(PLAN.replace("kernel", "tiled_copy other = tc;\nkernel") + "wrong")
    os.replace(folder / "new", plan)
    time.sleep(0.5)
    plan.write_text(PLAN)
    shape("(4,8)")
    wait_for("mended again", picture_has("32 threads"))
    draw.terminate()
print("draw: ended by", -draw.wait())

with subprocess.Popen([tcpc, "run", "--host", "--watch", str(plan)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
    print(run.stdout.readline().strip())
    time.sleep(0.5)
    shape("(16,8)")
    print(run.stdout.readline().strip())
    run.terminate()
