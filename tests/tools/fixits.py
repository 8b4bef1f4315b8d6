# fixits.py [--one-of=N[:SEED]] TCPC PLAN..: applies each fix-it that the compiler shows for a PLAN to the file, by itself, and compiles what comes
# out: the message must be gone, and where the fix-it says how wide a copy is then, it must be that wide.  Prints how many there were.
# With --one-of: of one in N of the plans, others for each commit; the seed is told.
import json
import os
import re
import subprocess
import sys
import tempfile

from sampled import drawn

MOVES = re.compile(r"an access moves (\d+) bits")


def compile_plan(tcpc, path, options):
    p = subprocess.run([tcpc, "--diagnostics=json", *options, path, "-o", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return json.loads(p.stderr) if p.stderr.startswith("[") else None


def options_of(text):
    """What the test that PLAN is compiles it with."""
    run = next((line for line in text.splitlines() if "RUN:" in line and "%s" in line), "")
    return re.findall(r"(?<= )(-(?:D ?|arch=|emit=|Wno-)[\w=-]+|--emit=\w+)(?= )", run)


def offset(text, line, column):
    at = 0
    for _ in range(line - 1):
        at = text.index(b"\n", at) + 1
    return at + column - 1


def apply(text, fixits):
    places = [(offset(text, f["line"], f["column"]), offset(text, f["end_line"], f["end_column"]), f["text"]) for f in fixits]
    for begin, end, new in sorted(places, reverse=True):
        text = text[:begin] + new.encode() + text[end:]
    return text


def wide(tcpc, path, options, line, bits):
    p = subprocess.run([tcpc, "explain", "-w", "--json", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if p.returncode:
        return None  # another error stands in the plan
    copies = [c for k in json.loads(p.stdout)["kernels"] for c in k["copies"]]
    return all(c["width"]["bits"] == bits for c in copies if c["line"] == line)


def main():
    words = sys.argv[1:]
    of = words.pop(0).partition("=")[2] if words[0].startswith("--one-of=") else None
    tcpc, paths = words[0], words[1:]
    paths, told = drawn(paths, of)
    tried = failed = 0
    for path in paths:
        text = open(path, "rb").read()
        options = options_of(text.decode(errors="replace"))
        before = compile_plan(tcpc, path, options)
        for d in before or []:
            for n in [d, *d.get("notes", [])]:
                fixits = n.get("fixits", [])
                if not fixits or any(f["file"] != path for f in fixits):
                    continue
                tried += 1
                with tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", prefix=".tried-", suffix=".plan") as to:
                    to.write(apply(text, fixits))
                    to.flush()
                    after = compile_plan(tcpc, to.name, options)
                    moved = MOVES.search(n["message"])
                    narrow = moved and wide(tcpc, to.name, options, d["line"], int(moved.group(1))) is False
                gone = after is not None and not any(all(x[k] == d[k] for k in ("message", "line", "column")) for x in after)
                if not gone or narrow:
                    failed += 1
                    print(f"{path}:{d['line']}: {d['message']}\n  {n['message']}: {[f['text'] for f in fixits]} " + ("does not mend it" if not gone else "does not make it that wide"))
    print(f"{tried} fix-its applied, {failed} do not hold{told}")
    return failed > 0 or not tried


if __name__ == "__main__":
    sys.exit(main())
