#!/usr/bin/python3
"""scripts/pypto_env.sh reports missing parts before it makes anything. (Its result needs PyPTO: by hand.)

pypto_env_test.py --ptosim BIN
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "pypto_env.sh"
OPTIONS = None


class Environment(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.checkout = pathlib.Path(temporary.name) / "pypto"

    def add(self, *files):
        for file in files:
            path = self.checkout / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def refused(self, text, *words):
        result = subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertRegex(result.stderr, f"^error: .*{text}")
        self.assertFalse((self.checkout / ".ptosim").exists())

    def test_words(self):
        self.refused("there is no checkout")
        self.refused("unknown option '--jobs'", "--jobs", "2")
        self.checkout.mkdir()
        self.refused("is no checkout of hw-native-sys/pypto", self.checkout)

    def test_what_is_missing(self):
        self.add("python/pypto/__init__.py")
        self.refused("ptosim is not there", self.checkout, "--ptosim", self.checkout / "ptosim")
        self.refused("3rdparty/libbacktrace is empty", self.checkout, "--ptosim", OPTIONS.ptosim)
        self.add("3rdparty/libbacktrace/configure", "3rdparty/msgpack-c/include/msgpack.hpp")
        self.refused("runtime is empty", self.checkout, "--ptosim", OPTIONS.ptosim)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
