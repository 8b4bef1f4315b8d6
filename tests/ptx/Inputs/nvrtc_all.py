"""usage: nvrtc_all.py LIBRARY TCPC RUNTIME WORK EXAMPLES [N[:SEED]]: compiles, with NVRTC, the text of each plan in the folder EXAMPLES, the
headers of those that have device functions, and the texts that are committed there, of all these one of N.  Each folder must have one.  Prints
what does not compile, and how many do."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from nvrtc import Compiler, least_arch  # noqa: E402
from sampled import drawn  # noqa: E402

compiler = Compiler(sys.argv[1])
tcpc, runtime, work, examples = sys.argv[2], *(pathlib.Path(word) for word in sys.argv[3:6])
texts = []  # a file, and the folder of its example
for plan in sorted(examples.rglob("*.tcp")):
    for kind, ending in (("cuda", ".cu"), ("header", ".cuh")):
        out = work / f"{plan.parent.name}.{plan.stem}{ending}"
        subprocess.run([tcpc, "-w", plan, f"--emit={kind}", "-o", out], check=True)
        if kind == "cuda" or "tcp_device.cuh" in out.read_text():  # a header of launchers alone is the host's
            texts.append((out, plan.parent))
texts += [(text, text.parent.parent) for text in sorted(examples.glob("*/expected/*.cu*"))]
wrong = [f"{folder}: there is nothing to compile" for folder in sorted(examples.iterdir())
         if folder.is_dir() and all(folder not in (of, *of.parents) for _, of in texts)]
# A committed text is mostly the one that was just made.
different = {text.read_text(): (text, folder) for text, folder in texts}.values()
texts, seed = drawn(list(different), sys.argv[6] if len(sys.argv) > 6 else None)
for text, folder in texts:
    ptx, said = compiler.ptx(text, [f"-arch={least_arch(text, 'sm_80')}", f"-I{runtime}", f"-I{folder}"])
    if said or ptx is None:
        wrong.append(f"{text}: {said or 'no PTX'}")
print("".join(f"{line}\n" for line in wrong) + f"{len(texts)} texts of {len({folder for _, folder in texts})} examples, {len(wrong)} wrong{seed}")
sys.exit(1 if wrong else 0)
