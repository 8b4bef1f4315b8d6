"""Runs the examples in the documents, so that none of them goes stale.

usage: doc_examples.py TCPC FILE.md...

What a fenced block is tells its first line:

  ```tcp                 compiles; `tcp 1;` is put before a block without it, but in a README
  ```tcp error: TEXT     does not compile, and TEXT is in what tcpc says
  ```tcp warning: TEXT   compiles, and TEXT is in what tcpc says
  ```tcp parse           is read without an error (what the syntax has and the compiler does not take yet)
  ```tcp run             `tcpc run` is content with it
  ```eval                a layout expression a line, its result after `= ` on the next one; `= error: TEXT` for what is refused
  ```tcp before          declarations, which compile, and stand before every later `tcp` block up to the next heading `## `
  ```console             lines `$ COMMAND`, each followed by what it prints; a line `...` stands for any lines
  ```c FILE              is that file, word for word, which the build compiles and a test runs
  ```LANGUAGE file NAME  is written to NAME, where the commands run; a plan has to compile

Commands run in an empty folder with links to examples/, runtime/ and the build folder in it, and with tcpc in the path.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 120


def blocks(text):
    """Yields (line, info, body, prelude) of each fenced block of the document 'text'."""
    prelude, lines, at = "", text.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("## "):
            prelude = ""
        elif line.startswith("```"):
            end = lines.index("```", at)
            info, body = line[3:].strip(), "\n".join(lines[at:end])
            yield at, info, body, prelude
            if info == "tcp before":
                prelude = body + "\n"
            at = end + 1


class Runner:
    """Runs blocks with the compiler 'tcpc' in the folder 'scratch'; 'problems' collects what was wrong, a text each."""

    def __init__(self, tcpc, scratch):
        self.tcpc, self.scratch, self.problems, self.count = tcpc, pathlib.Path(scratch), [], 0
        self.environment = dict(os.environ, NO_COLOR="1", PATH=f"{tcpc.parent}{os.pathsep}{os.environ['PATH']}")
        for name in ("examples", "runtime"):
            (self.scratch / name).symlink_to(ROOT / name)
        (self.scratch / "build").symlink_to(tcpc.parents[1])

    def run(self, command, **more):
        return subprocess.run(command, cwd=self.scratch, env=self.environment, capture_output=True, text=True, timeout=TIMEOUT,
                              **more)

    def fail(self, where, what):
        self.problems.append(f"{where}: {what}")

    def plan(self, where, how, body, prelude):
        """A `tcp` block: 'how' is what stands after `tcp` in its first line."""
        text = prelude + body + "\n"
        if not re.search(r"^tcp 1;", text, re.M):
            if where.startswith("README"):
                return self.fail(where, "a plan of a README is whole: it begins with 'tcp 1;'")
            text = "tcp 1;\n" + text
        (self.scratch / "block.tcp").write_text(text)
        kind, _, wanted = how.partition(":")
        kind, wanted = kind.strip(), wanted.strip()
        # what stands before is what one block or another uses
        commands = {"": ["block.tcp", "-o", "-"], "before": ["block.tcp", "-o", "-"], "error": ["block.tcp", "-o", "-"], "warning": ["block.tcp", "-o", "-"],
                    "parse": ["--emit=ast", "block.tcp", "-o", "-"], "run": ["run", "block.tcp"]}
        if kind not in commands:
            return self.fail(where, f"unknown kind of block 'tcp {how}'")
        ran = self.run([self.tcpc, *commands[kind], "-Wno-unused"])
        if (kind == "error") != (ran.returncode == 1) or ran.returncode not in (0, 1):
            return self.fail(where, f"exit status {ran.returncode}\n{ran.stderr}")
        if wanted and wanted not in ran.stderr:
            return self.fail(where, f"'{wanted}' is not in what tcpc said:\n{ran.stderr}")
        if kind in ("", "before", "run") and "warning:" in ran.stderr:
            return self.fail(where, f"a warning that the document does not mention:\n{ran.stderr}")
        return None

    def calculator(self, where, body):
        """An `eval` block."""
        lines = [line for line in body.split("\n") if line.strip() and not line.startswith("//")]
        expressions, wanted = lines[0::2], lines[1::2]
        if len(expressions) != len(wanted) or not all(line.startswith("= ") for line in wanted):
            return self.fail(where, "lines and their results do not alternate")
        got = self.run([self.tcpc, "eval", "-"], input="\n".join(expressions) + "\n").stdout.split("\n")
        for expression, want, have in zip(expressions, wanted, got):
            want = want[2:].strip()
            if want.startswith("error:"):
                good = have.startswith("error:") and want[6:].strip() in have
            else:
                good = have.strip() == want
            if not good:
                self.fail(where, f"{expression}\n  gives {have}\n  not   {want}")
        return None

    def console(self, where, body):
        """A `console` block."""
        steps = re.split(r"^\$ ", body, flags=re.M)[1:]
        for step in steps:
            command, _, wanted = step.partition("\n")
            ran = self.run(["bash", "-c", command])
            got = ran.stdout + ran.stderr
            parts = [re.escape(part.strip("\n")) for part in re.split(r"^\.\.\.$", wanted, flags=re.M)]
            if ran.returncode not in (0, 1) or not re.fullmatch(r"(.*\n)?".join(f"{part}\n?" if part else "" for part in parts),
                                                                got, re.S):
                self.fail(where, f"$ {command}\nexit status {ran.returncode}, printed\n{got}instead of\n{wanted}")

    def file(self, where, kind, name, body):
        """A block that is a file."""
        (self.scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (self.scratch / name).write_text(body + "\n")
        ran = self.run([self.tcpc, "-w", name, "-o", "-"]) if kind == "tcp" else None
        if ran and ran.returncode != 0:
            self.fail(where, f"exit status {ran.returncode}\n{ran.stderr}")

    def block(self, where, info, body, prelude):
        kind, _, rest = info.partition(" ")
        self.count += 1
        if rest.startswith("file "):
            self.file(where, kind, rest[5:], body)
        elif kind == "tcp":
            self.plan(where, rest, body, prelude)
        elif kind == "eval":
            self.calculator(where, body)
        elif kind == "console":
            self.console(where, body)
        elif kind == "c" and rest:
            if (ROOT / rest).read_text() != body + "\n":
                self.fail(where, f"is not {rest}, word for word")
        else:
            self.count -= 1


def main(tcpc, *files):
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(pathlib.Path(tcpc).resolve(), scratch)
        for name in files:
            for line, info, body, prelude in blocks(pathlib.Path(name).read_text()):
                runner.block(f"{os.path.relpath(name, ROOT)}:{line}", info, body, prelude)
    for problem in runner.problems:
        print(problem)
    print(f"{runner.count} blocks run, {len(runner.problems)} problems")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
