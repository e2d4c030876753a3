#!/usr/bin/python3
"""Programs that embed the simulator: built against the build tree and against an installed prefix.

    embedding_test.py --ptosim BIN --build FOLDER --cmake PROGRAM --cc COMPILER
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import result_schema  # noqa: E402
KERNEL = os.path.join(ROOT, "tests", "kernels", "vadd_f32.pto")
OPTIONS = {}


def call(words, cwd, **environment):
    own = {k: v for k, v in os.environ.items() if not k.startswith("PTOSIM")}
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300,
                          env={**own, **environment})


class Embedding(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def compile(self, name):
        """Against the build tree, by a standard older than ours."""
        build = OPTIONS["build"]
        done = call([OPTIONS["cc"], "-std=c++17", "-Wall", "-Wextra", "-Werror",
                     "-I", os.path.join(ROOT, "include"), os.path.join(HERE, name + ".cpp"),
                     "-o", name, "-L", build, "-lptosim", "-Wl,-rpath," + build], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_vadd(self, program):
        done = call([program, KERNEL, "result.json"], self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^ascend910b1: 2 launches, \d+ cycles, 0 findings, 0 wrong$")
        with open(os.path.join(self.folder, "result.json")) as file:
            result = json.load(file)
        result_schema.check_result(self, result)
        return result

    def test_the_build_tree(self):
        self.compile("vadd")
        result = self.check_vadd("./vadd")
        self.assertEqual([launch["kernel"] for launch in result["launches"]], ["vadd_f32"] * 2)
        # The same kernel on the same chip by the command line: its first launch takes as long.
        done = call([OPTIONS["ptosim"], "run", KERNEL, "--set", "aiv.ub.bytes=128KiB", "--blocks",
                     "8", *["--arg", "zeros=1024x256xf32"] * 2, "--arg", "out=1024x256xf32",
                     "--arg", "i32=1024", "--json", "run.json"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "run.json")) as file:
            run = json.load(file)
        self.assertEqual(result["launches"][0]["cycles"], run["cycles"])
        # Advice is made by the command line, for people.
        self.assertEqual(set(result), set(run) - {"advice"} | {"launches"})

    def test_an_installed_prefix(self):
        first = os.path.join(self.folder, "first")
        done = call([OPTIONS["cmake"], "--install", OPTIONS["build"], "--prefix", first],
                    self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        prefix = os.path.join(self.folder, "moved")
        os.rename(first, prefix)
        done = call([OPTIONS["cmake"], "-S", os.path.join(HERE, "project"), "-B", "by-cmake",
                     "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_CXX_COMPILER=" + OPTIONS["cc"]],
                    self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = call([OPTIONS["cmake"], "--build", "by-cmake"], self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.check_vadd("by-cmake/vadd")
        config = call(["pkg-config", "--cflags", "--libs", "ptosim"], self.folder,
                      PKG_CONFIG_PATH=os.path.join(prefix, "lib", "pkgconfig"))
        self.assertEqual(config.returncode, 0, config.stderr)
        done = call([OPTIONS["cc"], "-std=c++17", os.path.join(HERE, "vadd.cpp"), "-o", "vadd",
                     *config.stdout.split()], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_vadd("./vadd")

    def test_errors(self):
        self.compile("errors")
        done = call(["./errors", KERNEL], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "chip: I22", "parameter: I21", "mode: I00", "check: I16", "second: I60", "file: I01",
            "text: K01", "count: I61", "number: I61", "array: I61", "wide: I61", "real: I61",
            "overrun: I61", "empty: I61",
            "1 block, 3",
            "beyond: G01, finished 0",
            "again: I61",
            "released: I61",
            "exit code 2, JSON 1",
            "finished: I61"])


if __name__ == "__main__":
    OPTIONS = dict(zip((word[2:] for word in sys.argv[1::2]), sys.argv[2::2]))
    unittest.main(argv=sys.argv[:1])
