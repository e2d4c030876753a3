#!/usr/bin/python3
"""Run the examples of the guides in docs/ and of README.md.

    examples_test.py --ptosim BIN [--page NAME]

Each page runs in one temporary folder that links to this checkout. Blocks are handled in page order:
    ```LANGUAGE file=NAME   the text is written to NAME
    ```console              each "$ command" runs in a shell; the lines below it must be printed in that order,
                            "..." matches any lines, or the rest of a line
    ```console needs=NAME   the same, if the variable of NAME in NEEDS is set; otherwise options are checked against --help
    ```pto [cube|both|a5]   a fragment of a kernel: --dry-run must accept it
    ```python               the blocks of a page run in one Python process
    ```json                 must parse
    ```cpp, ```c            only with file=NAME
    ```sh, ```text          set-up, pictures and shapes of output: not run
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import command_line  # noqa: E402

PTOSIM = "ptosim"
PAGE = None
LANGUAGES = {"console", "pto", "cpp", "c", "python", "json", "sh", "text"}
OF_EDITORS = {"lua", "lisp", "toml"}  # their configuration, which is not run
NEEDS = {"ascendc": "PTOSIM_ASCENDC", "pto-isa": "PTOSIM_PTO_ISA", "simpler": "PTOSIM_SIMPLER",
         "pypto": "PTOSIM_PYPTO", "torch": "PTOSIM_TORCH"}
START_IN = {"start.md": "try"}  # pages whose reader works in a folder of the checkout
PRELUDE = """func.func @fragment(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) attributes {pto.kernel_kind = #pto.kernel_kind<KIND>} {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c16 = arith.constant 16 : index
%c64 = arith.constant 64 : index
"""


def pages():
    """README.md and the guides, as paths."""
    docs = os.path.join(ROOT, "docs")
    names = [os.path.join(docs, name) for name in sorted(os.listdir(docs)) if name.endswith(".md")]
    return [path for path in [os.path.join(ROOT, "README.md"), *names] if PAGE in (None, os.path.basename(path))]


def blocks(page):
    """(language, words after it, text, line) of each block."""
    for found in re.finditer(r"^```(\w*)([^\n]*)\n(.*?)^```$", page, re.M | re.S):
        yield found[1], found[2].strip(), found[3], page.count("\n", 0, found.start()) + 1


def commands(block):
    """(command, the lines shown of its output); a command goes on after a backslash."""
    result, continued = [], False
    for line in block.splitlines():
        if continued:
            result[-1][0] += "\n" + line
        elif line.startswith("$ "):
            result.append([line[2:], []])
        else:
            result[-1][1].append(line)
            continue
        continued = line.endswith("\\")
    return result


def missing(shown, printed):
    """The first shown line that the output lacks after the lines before it; None if it has them all."""
    at = 0
    for line in shown:
        if line.strip() == "...":
            continue
        begin = line[:-3].rstrip() if line.endswith("...") else None
        while at < len(printed):
            same = printed[at].rstrip() == line.rstrip() if begin is None else printed[at].startswith(begin)
            at += 1
            if same:
                break
        else:
            return line
    return None


def read(path):
    with open(path) as file:
        return file.read()


class Examples(unittest.TestCase):
    def checkout(self, name):
        """The folder in which the examples of a page run, with links to this checkout."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        for entry in ("tests", "models", "scripts", "include", "docs", "sim", "isa", "traces"):
            os.symlink(os.path.join(ROOT, entry), os.path.join(temporary.name, entry))
        folder = os.path.join(temporary.name, START_IN.get(name, "."))
        os.makedirs(folder, exist_ok=True)
        return folder

    def environment(self):
        result = {name: value for name, value in os.environ.items() if not name.startswith("PTOSIM_")}
        if "PTOSIM_CACHE" in os.environ:
            result["PTOSIM_CACHE"] = os.environ["PTOSIM_CACHE"]
        result["PATH"] = os.path.dirname(PTOSIM) + ":/usr/bin:/bin:" + os.environ.get("PATH", "")
        result["PYTHONPATH"] = os.path.join(ROOT, "sim", "python")
        return result

    def run_command(self, command, shown, folder, environment, exits=(0, 1)):
        result = subprocess.run(["bash", "-c", command], cwd=folder, timeout=300, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertIn(result.returncode, exits, result.stdout)
        lost = missing(shown, result.stdout.splitlines())
        self.assertIsNone(lost, f"not printed: {lost}\n{result.stdout}")

    def check_options(self, command):
        """Options of ptosim in a command that cannot run here exist."""
        for name, rest in re.findall(r"\bptosim ([\w-]+)((?:[^|;&\n]|\\\n)*)", command):
            text = subprocess.run([PTOSIM, name, "--help"], stdout=subprocess.PIPE, text=True, timeout=60).stdout
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", rest.split(" -- ")[0]):
                self.assertIn(option, text, command)

    def check_fragment(self, text, words, folder, environment):
        if "func.func" not in text:
            kind = "cube" if "cube" in words else "vector"
            text = PRELUDE.replace("KIND", kind) + text + "return\n}\n"
            if "both" in words:
                text = text.replace(" attributes {pto.kernel_kind = #pto.kernel_kind<vector>}", "")
        with open(os.path.join(folder, "fragment.pto"), "w") as file:
            file.write(text)
        chip = ["--chip", "ascend950pr"] if "a5" in words else []
        result = subprocess.run([PTOSIM, "run", "--dry-run", "fragment.pto", *chip], cwd=folder, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def run_block(self, block, folder, environment, python):
        language, words, text, _ = block
        self.assertIn(language, LANGUAGES | OF_EDITORS)
        if words.startswith("file="):
            path = os.path.join(folder, words[5:])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        elif language == "console":
            variable = NEEDS[words[6:]] if words.startswith("needs=") else None
            for command, shown in commands(text):
                if variable is None:
                    self.run_command(command, shown, folder, environment)
                elif variable in os.environ:
                    self.run_command(command, shown, folder, {**environment, variable: os.environ[variable]})
                else:
                    self.check_options(command)
        elif language == "pto":
            self.check_fragment(text, words, folder, environment)
        elif language == "python":
            python.append(text)
        elif language == "json":
            json.loads(text)
        elif language in ("cpp", "c"):
            self.fail("code without file=NAME is not compiled")

    def test_examples(self):
        ran = 0
        for path in pages():
            name = os.path.basename(path)
            folder, environment, python = self.checkout(name), self.environment(), []
            for block in blocks(read(path)):
                with self.subTest(page=name, line=block[3]):
                    self.run_block(block, folder, environment, python)
                    ran += 1
            if python:
                with self.subTest(page=name, language="python"):
                    with open(os.path.join(folder, "page.py"), "w") as file:
                        file.write("\n".join(python))
                    self.run_command(f"{sys.executable} page.py", [], folder, environment, exits=(0,))
        self.assertGreater(ran, 30 if PAGE is None else 0)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    PTOSIM = shutil.which(PTOSIM) or PTOSIM
    PAGE = command_line.take("--page")
    unittest.main()
