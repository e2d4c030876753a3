#!/usr/bin/python3
"""The tutorial (README.md beside this) and its page of Ascend C (ASCENDC.md) do what they say.

    tutorial_test.py --ptosim BIN

Blocks with `file=NAME` are written, `console` blocks are run, in the order of the page, in one folder.
What a command prints must hold the lines that the page shows, in their order; `...` stands for any
lines, or for the rest of a line. Each command has a shell of its own.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import command_line  # noqa: E402

PTOSIM = "ptosim"


def blocks(page):
    """(words behind the language, text) of each block, and where it stands."""
    for found in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", page, re.M | re.S):
        yield found[1], found[2].strip(), found[3], page.count("\n", 0, found.start()) + 1


def commands(block):
    """(command, the lines that are shown of its output)"""
    result = []
    for line in block.splitlines():
        if line.startswith("$ "):
            result.append((line[2:], []))
        else:
            result[-1][1].append(line)
    return result


def missing(shown, printed):
    """The first shown line that is not printed behind the ones before it; None if all are."""
    at = 0
    for line in shown:
        if line.strip() == "...":
            continue
        begin = line[:-3].rstrip() if line.endswith("...") else None
        while at < len(printed):
            same = printed[at].rstrip() == line.rstrip() if begin is None else \
                printed[at].startswith(begin)
            at += 1
            if same:
                break
        else:
            return line
    return None


def read(name):
    with open(os.path.join(HERE, name)) as file:
        return file.read()


class Page(unittest.TestCase):
    def run_page(self, name, least_commands, ascendc=None):
        environment = dict(os.environ, PATH=os.path.dirname(PTOSIM) + ":/usr/bin:/bin:" +
                           os.environ.get("PATH", ""))
        environment.pop("PTOSIM_ASCENDC", None)  # with it all C++ is Ascend C
        if ascendc is not None:
            environment["PTOSIM_ASCENDC"] = ascendc
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            for language, words, text, line in blocks(read(name)):
                if words.startswith("file="):
                    with open(os.path.join(folder, words[5:]), "w") as file:
                        file.write(text)
                if language != "console":
                    continue
                for command, shown in commands(text):
                    with self.subTest(line=line, command=command):
                        result = subprocess.run(["bash", "-c", command], cwd=folder, timeout=300,
                                                env=environment, stdout=subprocess.PIPE,
                                                stderr=subprocess.STDOUT, text=True)
                        self.assertIn(result.returncode, (0, 1), result.stdout)
                        lost = missing(shown, result.stdout.splitlines())
                        self.assertIsNone(lost, f"not printed: {lost}\n{result.stdout}")
                        ran += 1
        self.assertGreater(ran, least_commands)


class Tutorial(Page):
    def test_everything_on_the_page_happens(self):
        self.run_page("README.md", 15)

    @unittest.skipUnless("PTOSIM_ASCENDC" in os.environ, "needs a checkout of asc-devkit in PTOSIM_ASCENDC")
    @unittest.skipUnless(any(shutil.which(f"clang++-{n}") for n in (19, 20, 21, 22)), "needs clang++ 19 or newer")
    def test_everything_on_the_page_of_ascend_c_happens(self):
        self.run_page("ASCENDC.md", 15, os.environ["PTOSIM_ASCENDC"])

    def test_every_file_that_is_shown_is_one_that_is_written(self):
        for name in ("README.md", "ASCENDC.md"):
            for language, words, text, line in blocks(read(name)):
                if language in ("pto", "cpp", "python"):
                    self.assertTrue(words.startswith("file="), f"{name}, line {line}")


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
