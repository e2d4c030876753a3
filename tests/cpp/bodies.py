"""Frame of tests that put a body into a kernel whose arguments are 1000 floats, x.npy, and a result, y.npy."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import command_line  # noqa: E402


class Bodies(unittest.TestCase):
    ptosim = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.x = np.random.default_rng(7).standard_normal(1000).astype(np.float32)
        np.save(self.path / "x.npy", self.x)

    def run_source(self, source, *options, command, chip, count=1000):
        self.source = source
        (self.path / "k.cpp").write_text(source)
        return subprocess.run([self.ptosim, command, "k.cpp", "--core", "aiv", "--chip", chip, "--arg", "in=x.npy", "--arg",
                               f"out={count}xf32:y.npy", "--json", "result.json", *options], cwd=self.path,
                              capture_output=True, text=True, check=False)

    def findings(self, body, **options):
        result = self.run_it(body, command="check", **options)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads((self.path / "result.json").read_text())["diagnostics"]

    def line_of(self, text):
        return self.source.split(text)[0].count("\n") + 1


def main():
    Bodies.ptosim = command_line.program()
    unittest.main(module="__main__")
