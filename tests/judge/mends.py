#!/usr/bin/env python3
"""Follows each fix-it that tcpc shows for a random plan that was changed in one place: no fix-it may make a wrong plan of it.

usage: mends.py TCPC N [--seed S] [--show N] [--one INDEX]

The plan before the change says what is meant.  Each set of fix-its, of an error, of a warning or of one of its notes, is applied by
itself.  What compiles then without a warning has to do what the first plan does, for all params that are tried; the judge knows both
from the description of the language alone.  What the changed plan does itself,
where it breaks no rule, is right as well.  A plan that the judge finds wrong and that compiles is a failure always; what does something
else is one if there is more of it than one in 100, as the change may have meant that.
"""
import argparse, collections, json, os, random, subprocess, sys, tempfile

from devices import draw
from ends import Ends
from generate import Draw
from halos import Halos
from judge import Breach, Kernel, TooLarge, Unsupported
from matrices import Matrices
from mutate import mutate
from parse import ParseError
from pieces import Chance
from plan import Plan
from run import choices, message_class

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "tools"))
from fixits import apply  # noqa: E402

NONE = ("skip",)


def compiled(tcpc, text, folder):
    path = os.path.join(folder, "p.tcp")
    with open(path, "w") as f:
        f.write(text)
    p = subprocess.run([tcpc, "-Wno-versioned", "--diagnostics=json", path, "-o", "/dev/null"], capture_output=True, text=True, timeout=60)
    return p.returncode, json.loads(p.stderr) if p.stderr.startswith("[") else []


def does(text, kernel, params):
    """What the plan does at "params": each output's elements; None where the judge does not say it."""
    try:
        plan = Plan(text)
        if set(plan.params) - set(params) or not plan.keeps({n: params[n] for n in plan.params}):
            return None
        return Kernel(plan, kernel, {n: params[n] for n in plan.params}).run().outputs
    except Breach as e:
        return f"breach: {e}"
    except (TooLarge, Unsupported, ParseError):
        return None


def sets_of(said):
    """(level, message, fix-its) of each advice."""
    for d in said:
        for n in [d, *d.get("notes", [])]:
            if n.get("fixits"):
                yield d["severity"] if "severity" in d else d.get("level"), d["message"], n["message"], n["fixits"]


def one(tcpc, seed, index, folder, stats, tell):
    r = Chance(f"{seed}.{index}.mends")
    drawn = r.choice([Draw, Draw, Draw, Halos, Ends, Matrices])(seed, index).plan()
    changed = mutate(r, drawn.text)
    if changed == drawn.text or drawn.device:
        return
    try:
        plan = Plan(drawn.text)
    except (Breach, Unsupported, ParseError):
        return
    meant = []
    for params in choices(plan, drawn.tries, random.Random(f"{seed}.{index}")):
        what = does(drawn.text, drawn.kernel, params)
        if isinstance(what, str):
            return
        if what is not None:
            meant.append((params, what))
        if len(meant) == 3:
            break
    if not meant:
        return
    stats["changed plans"] += 1
    before = {message_class(d["message"]) for d in compiled(tcpc, drawn.text, folder)[1]}
    _, said = compiled(tcpc, changed, folder)
    for _, message, note, fixits in sets_of(said):
        if "allow " in fixits[0]["text"]:
            continue  # it silences a warning
        text = apply(changed.encode(), fixits).decode()
        stats["fix-its followed"] += 1
        rc, after = compiled(tcpc, text, folder)
        if sum(d["message"] == message for d in after) >= sum(d["message"] == message for d in said):
            stats["the same message again"] += 1
            tell.append((index, "the same message again", "", message, note, changed, text))
            continue
        if rc or any(message_class(d["message"]) not in before for d in after):
            stats["another error" if rc else "another warning"] += 1
            continue
        for params, want in meant:
            got = does(text, drawn.kernel, params)
            if got is None:
                stats["not judged"] += 1
                break
            if isinstance(got, str):
                stats["a wrong plan compiles"] += 1
                tell.append((index, "a wrong plan compiles", got, message, note, changed, text))
                break
            if got != want and got != does(changed, drawn.kernel, params):
                stats["does something else"] += 1
                stats["else: " + message_class(message) + " / " + message_class(note)[:60]] += 1
                tell.append((index, "does something else", str(params), message, note, changed, text))
                break
        else:
            stats["does what was meant"] += 1


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("tcpc")
    a.add_argument("count", type=int)
    a.add_argument("--seed", default="1")
    a.add_argument("--show", type=int, default=3)
    a.add_argument("--one", type=int)
    options = a.parse_args()
    stats, tell = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for index in range(options.count) if options.one is None else [options.one]:
            one(options.tcpc, options.seed, index, folder, stats, tell)
    for key in sorted(stats):
        print(f"{stats[key]:7d} {key}")
    for index, kind, detail, message, note, changed, text in tell[:options.show]:
        import difflib
        print(f"== plan {index}: {kind}: {detail}\n-- {message}\n-- {note}\n{changed}")
        print("\n".join(difflib.unified_diff(changed.splitlines(), text.splitlines(), lineterm="", n=0)))
    bad = stats["a wrong plan compiles"] or 100 * stats["does something else"] > max(stats["fix-its followed"], 100)
    return 1 if bad or not stats["does what was meant"] else 0


if __name__ == "__main__":
    sys.exit(main())
