"""Runs the code blocks of the documents, so that none of them becomes outdated.

usage: doc_examples.py TCPC FILE.md...

The first line of a fenced block says how it is tested:

  ```tcp                 compiles without a warning. `tcp 1;` is added before a block without it, except in README.md
  ```tcp error: TEXT     does not compile, and TEXT is in the messages
  ```tcp warning: TEXT   compiles, and TEXT is in the messages
  ```tcp parse           parses without an error; for syntax that the compiler does not support yet
  ```tcp run             `tcpc run` succeeds
  ```tcp before          declarations. They compile, and are added before every later `tcp` block up to the next `## ` heading
  ```eval                one layout expression per line, and on the next line `= ` and its value, or `= error: TEXT`
  ```console             lines `$ COMMAND`, each followed by its output. A line `...` matches any lines
  ```c FILE              has the same text as FILE, which the build compiles and a test runs
  ```LANGUAGE file NAME  is written to the file NAME, in the folder where the commands run. A plan must compile

The warning -Wunused is off for `tcp` blocks. Blocks of other languages are not tested. Commands run in an empty folder with links to
examples/, runtime/ and the build folder. tcpc is in their PATH. What is built with the sources of the host's runtime is linked with the
library that the build has made of them, which takes a fifth of the time; but the first such command of docs/embedding.md is as it stands.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 120
HOST = "runtime/host/*.cpp"


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
        self.whole = False  # the next command with the sources of the host's runtime builds them
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
        """A `tcp` block: 'how' is the rest of its first line, after `tcp`."""
        text = prelude + body + "\n"
        if not re.search(r"^tcp 1;", text, re.M):
            if where.startswith("README"):
                return self.fail(where, "a plan in README.md is complete: it must begin with 'tcp 1;'")
            text = "tcp 1;\n" + text
        (self.scratch / "block.tcp").write_text(text)
        kind, _, wanted = how.partition(":")
        kind, wanted = kind.strip(), wanted.strip()
        commands = {"": ["block.tcp", "-o", "-"], "before": ["block.tcp", "-o", "-"], "error": ["block.tcp", "-o", "-"], "warning": ["block.tcp", "-o", "-"],
                    "parse": ["--emit=ast", "block.tcp", "-o", "-"], "run": ["run", "block.tcp"]}
        if kind not in commands:
            return self.fail(where, f"unknown kind of block 'tcp {how}'")
        ran = self.run([self.tcpc, *commands[kind], "-Wno-unused"])
        if (kind == "error") != (ran.returncode == 1) or ran.returncode not in (0, 1):
            return self.fail(where, f"exit status {ran.returncode}\n{ran.stderr}")
        if wanted and wanted not in ran.stderr:
            return self.fail(where, f"'{wanted}' is not in the messages:\n{ran.stderr}")
        if kind in ("", "before", "run") and "warning:" in ran.stderr:
            return self.fail(where, f"a warning that the document does not mention:\n{ran.stderr}")
        return None

    def calculator(self, where, body):
        """An `eval` block."""
        lines = [line for line in body.split("\n") if line.strip() and not line.startswith("//")]
        expressions, wanted = lines[0::2], lines[1::2]
        if len(expressions) != len(wanted) or not all(line.startswith("= ") for line in wanted):
            return self.fail(where, "expressions and values do not alternate")
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
            library = self.tcpc.parents[1] / "runtime/libtcp_host.a"
            if HOST in command and not self.whole and library.exists():
                command = command.replace(HOST, f"-x none {library}")
            self.whole &= HOST not in command
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
                self.fail(where, f"differs from {rest}")
        else:
            self.count -= 1


def main(tcpc, *files):
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(pathlib.Path(tcpc).resolve(), scratch)
        for name in files:
            runner.whole = pathlib.Path(name).resolve() == ROOT / "docs/embedding.md"
            for line, info, body, prelude in blocks(pathlib.Path(name).read_text()):
                runner.block(f"{os.path.relpath(name, ROOT)}:{line}", info, body, prelude)
    for problem in runner.problems:
        print(problem)
    print(f"{runner.count} blocks run, {len(runner.problems)} problems")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
