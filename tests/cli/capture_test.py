#!/usr/bin/python3
"""ptosim capture from outside: the kit that it writes, and what it refuses. What the import finds: tests/capture."""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest

PTOSIM = "ptosim"


def run(*words):
    return subprocess.run([PTOSIM, "capture", *words], capture_output=True, text=True)


class Capture(unittest.TestCase):
    def test_the_kit_is_whole_and_can_be_written_again(self):
        with tempfile.TemporaryDirectory() as made:
            folder = os.path.join(made, "a kit")
            for _ in range(2):
                result = run("--out", folder)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("run.sh", result.stdout)
            names = set(os.listdir(folder))
            self.assertLessEqual({"kernels.cpp", "host.cpp", "measures.def", "numbers.def", "run.sh", "README.md"}, names)
            self.assertTrue(os.access(os.path.join(folder, "run.sh"), os.X_OK))

    def test_every_figure_has_measures_that_the_kit_takes(self):
        with tempfile.TemporaryDirectory() as made:
            run("--out", made)
            with open(os.path.join(made, "measures.def")) as file:
                text = file.read()
            with open(os.path.join(made, "host.cpp")) as file:
                text += file.read()
            told = {}
            with open(os.path.join(made, "capture.py")) as file:
                part = file.read().split("FIGURES = {")[1].split("\n}\n")[0]
            exec("FIGURES = {" + part + "\n}", {"VECTOR": "aiv.vector."}, told)
            for path, measures in told["FIGURES"].items():
                for measure in measures:
                    self.assertIn(measure, text, path)

    def test_results_that_are_not_there_are_an_error(self):
        with tempfile.TemporaryDirectory() as made:
            result = run("--import", made)
            self.assertEqual(result.returncode, 2)
            self.assertIn("results.csv is not there", result.stderr)
            self.assertIn("[I01]", result.stderr)

    def test_one_of_out_and_import_is_needed(self):
        for words in ((), ("--out", "x", "--import", "y")):
            result = run(*words)
            self.assertEqual(result.returncode, 2)
            self.assertIn("either --out or --import", result.stderr)

    def test_a_folder_that_cannot_be_written_is_an_error(self):
        result = run("--out", "/proc/kit")
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot be written", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    options, rest = parser.parse_known_args()
    PTOSIM = os.path.abspath(options.ptosim)
    unittest.main(argv=[sys.argv[0], *rest])
