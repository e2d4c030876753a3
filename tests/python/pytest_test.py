#!/usr/bin/python3
"""The pytest plugin, from outside: passes, findings, goldens, traces kept, baselines, JUnit.

    pytest_test.py --ptosim BIN
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import frame

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VADD = os.path.abspath(os.path.join(ROOT, "tests", "kernels", "vadd_f32.pto"))
TESTS = f"""
import numpy as np
import pytest

VADD = {VADD!r}
TEXT = open(VADD).read()
X = np.arange(32 * 256, dtype=np.float32).reshape(32, 256)


def run(ptosim, text=TEXT, **options):
    return ptosim(text, blocks=1, **options)(X, X, ptosim.out(X.shape), 32)


def test_right(ptosim):
    ptosim.expect(run(ptosim), 2 * X)


def test_wrong(ptosim):
    ptosim.expect(run(ptosim), 2 * X + 1)


@pytest.mark.ptosim(atol=1)
def test_tolerance(ptosim):
    ptosim.expect(run(ptosim), 2 * X + 1)


BROKEN = TEXT.replace("pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]", "", 1)


def test_race(ptosim):
    run(ptosim, BROKEN)


@pytest.mark.ptosim(findings=True)
def test_allowed_race(ptosim):
    assert run(ptosim, BROKEN).findings


@pytest.mark.ptosim_chips("ascend910b1", "ascend910b4")
def test_chips(ptosim):
    ptosim.expect(run(ptosim), 2 * X)
"""


@unittest.skipIf(subprocess.run([sys.executable, "-c", "import pytest"],
                                capture_output=True).returncode != 0,
                 "this Python has no pytest (Debian: python3-pytest)")
class Plugin(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "test_kernels.py"), "w") as file:
            file.write(TESTS)

    def pytest(self, *words):
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python"))
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "ptosim.pytest_plugin",
             "-p", "no:cacheprovider", *words],
            cwd=self.folder.name, capture_output=True, text=True, env=environment, timeout=300)

    def test_a_session(self):
        done = self.pytest("--junitxml=junit.xml", "--ptosim-trace=traces")
        self.assertIn("2 failed, 5 passed", done.stdout)
        self.assertIn("8192 of 8192 elements differ; first at [0, 0]: 0.0 instead of 1.0",
                      done.stdout)
        self.assertIn("written by TSTORE", done.stdout)
        # A finding with its source line.
        self.assertIn("kernel.pto:", done.stdout)
        self.assertIn("pto.tadd ins(%x_ping", done.stdout)
        kept = {os.path.basename(path) for path in glob.glob(self.folder.name + "/traces/*")}
        self.assertEqual(kept, {"test_kernels.py_test_wrong", "test_kernels.py_test_race"})
        self.assertTrue(os.path.exists(os.path.join(
            self.folder.name, "traces", "test_kernels.py_test_race", "recording.bin")))
        cases = xml.parse(os.path.join(self.folder.name, "junit.xml")).iter("testcase")
        properties = {case.get("name"): {p.get("name"): p.get("value")
                                         for p in case.iter("property")} for case in cases}
        self.assertGreater(int(properties["test_right"]["ptosim_cycles"]), 0)
        self.assertEqual(properties["test_chips[ascend910b4]"]["ptosim_chip"], "ascend910b4")

    def test_baseline(self):
        words = ["--ptosim-baseline=base.json", "-k", "right"]
        self.pytest(*words, "--ptosim-write-baseline")
        path = os.path.join(self.folder.name, "base.json")
        with open(path) as file:
            base = json.load(file)
        self.assertIn("1 passed", self.pytest(*words).stdout)
        base["cycles"]["test_kernels.py::test_right"] -= 1
        with open(path, "w") as file:
            json.dump(base, file)
        done = self.pytest(*words)
        self.assertIn("over the baseline's", done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 passed", self.pytest(*words, "--ptosim-tolerance=1").stdout)

    def test_baselines_that_cannot_be_used(self):
        path = os.path.join(self.folder.name, "broken.json")
        for text in ("{", "[]", '{"cycles": 5}', '{"cycles": {"test": "many"}}', "{}"):
            with open(path, "w") as file:
                file.write(text)
            for words in ((), ("--ptosim-write-baseline",)):
                self.assert_usage("--ptosim-baseline broken.json is not a file of",
                                  "--ptosim-baseline=broken.json", *words)
            with open(path) as file:
                self.assertEqual(file.read(), text)
        self.assert_usage("--ptosim-baseline missing.json: No such file or directory",
                          "--ptosim-baseline=missing.json")
        self.assert_usage("--ptosim-baseline no/base.json: no folder",
                          "--ptosim-baseline=no/base.json", "--ptosim-write-baseline")
        self.assert_usage("--ptosim-write-baseline needs --ptosim-baseline FILE",
                          "--ptosim-write-baseline")

    def assert_usage(self, text, *words):
        done = self.pytest("-k", "right", *words)
        self.assertEqual(done.returncode, 4, done.stdout)  # pytest's own code for wrong usage
        self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stdout + done.stderr)


if __name__ == "__main__":
    frame.program(cache=False)
    unittest.main()
