#!/usr/bin/python3
"""Each command of the package's SKILL.md and AGENTS.md, executed in a folder as they assume it.

    skill_test.py --ptosim BIN
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import frame
from frame import VADD

PTOSIM = ""
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PACKAGE = os.path.join(ROOT, "sim", "python", "ptosim")
RUN = "// run: --blocks 1 --arg rand=32x256xf32 --arg rand=32x256xf32 --arg out=32x256xf32 --arg i32=32\n"
WAIT = "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"


def commands(page):
    with open(os.path.join(PACKAGE, page)) as file:
        return [line for block in re.findall(r"^```\n(.*?)^```$", file.read(), re.M | re.S)
                for line in block.splitlines()]


class Skill(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        for name in ("kernel.pto", "faster.pto", "kernels/one.pto", "new/one.pto"):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(RUN + VADD)
        rng = np.random.default_rng(1)
        x, y = (rng.standard_normal((32, 256)).astype(np.float32) for _ in range(2))
        for name, array in (("x", x), ("y", y), ("z", x + y)):
            np.save(os.path.join(self.folder, name + ".npy"), array)
        os.makedirs(os.path.join(self.folder, "bin"))
        os.symlink(PTOSIM, os.path.join(self.folder, "bin", "ptosim"))

    def shell(self, command):
        path = f"{self.folder}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        return subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": path})

    def test_every_command(self):
        for page, least in (("SKILL.md", 11), ("AGENTS.md", 3)):
            listed = commands(page)
            self.assertGreaterEqual(len(listed), least)
            for command in listed:
                done = self.shell(command)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
                self.assertTrue(done.stdout, command)

    def test_the_walk_from_wrong_to_right(self):
        """A kernel without a wait: the check fails, names a code that isa explains, and passes once it is mended."""
        check = next(one for one in commands("SKILL.md") if one.startswith("ptosim check kernel.pto"))
        path = os.path.join(self.folder, "kernel.pto")
        with open(path, "w") as file:
            file.write(VADD.replace(WAIT, "", 1))
        broken = self.shell(check)
        self.assertEqual(broken.returncode, 1)
        code = re.search(r"\[(E\d\d)\]", broken.stderr)[1]
        self.assertTrue(self.shell(f"ptosim isa {code}").stdout.startswith(code))
        with open(path, "w") as file:
            file.write(VADD)
        self.assertEqual(self.shell(check).returncode, 0)

    def test_what_the_pages_promise(self):
        for command in commands("SKILL.md"):
            if "--trace before" in command:
                self.shell(command)
        with open(os.path.join(self.folder, "before", "agent.json")) as file:
            told = file.read()
        self.assertLessEqual(len(told), 4096)
        self.assertTrue(json.loads(told)["advice"])
        with open(os.path.join(PACKAGE, "SKILL.md")) as file:
            head = re.match(r"---\nname: (.*)\ndescription: (.*)\n---\n", file.read())
        self.assertRegex(head[1], r"^[a-z-]{1,64}$")
        self.assertLessEqual(len(head[2]), 1024)


if __name__ == "__main__":
    PTOSIM = frame.program(cache=False)
    unittest.main()
