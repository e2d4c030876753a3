#!/usr/bin/python3
"""Scripts that make environments report missing parts before they make anything. (Their results need PyPTO or TileLang.)

pypto_env_test.py --ptosim BIN
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
# Script, and a file by which it recognises a checkout.
ENVIRONMENTS = {"pypto_env.sh": "python/pypto/__init__.py", "pypto_pro_env.sh": "python/pypto_pro/__init__.py",
                "tilelang_env.sh": "src/target/codegen_ascend_pto.cc"}
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

    def refused(self, text, *words, script="pypto_env.sh"):
        result = subprocess.run([SCRIPTS / script, *words], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertRegex(result.stderr, f"^error: .*{text}")
        self.assertFalse((self.checkout / ".ptosim").exists())

    def test_words(self):
        self.checkout.mkdir()
        for script, file in ENVIRONMENTS.items():
            with self.subTest(script):
                self.refused("there is no checkout", script=script)
                self.refused("unknown option '--word'", "--word", "2", script=script)
                self.refused(f"pypto has no {file}", self.checkout, "--jobs", "2", script=script)

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
