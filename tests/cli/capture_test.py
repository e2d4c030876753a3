#!/usr/bin/python3
"""ptosim capture: the kit that it writes, and what it refuses; the parts of the import. What an import finds:
tests/capture."""
import argparse
import contextlib
import io
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "models", "capture"))
import capture  # noqa: E402

PTOSIM = "ptosim"
HEADER = "measure,repetition,value,unit\n"
COUNTER = "ticks_per_us_AIV,0,50.0,1/us\n"


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
            for path, measures in capture.FIGURES.items():
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

    def test_options_of_the_import_are_refused_with_out(self):
        with tempfile.TemporaryDirectory() as made:
            for option, value in (("--chip", "ascend910b1"), ("--clock", "1e9"), ("--write", "x.json")):
                result = run("--out", os.path.join(made, "kit"), option, value)
                self.assertEqual(result.returncode, 2, option)
                self.assertIn(option, result.stderr)
                self.assertIn("[I00]", result.stderr)
            self.assertEqual(os.listdir(made), [])

    def test_the_commands_that_it_prints_can_be_pasted(self):
        with tempfile.TemporaryDirectory() as made:
            for name in ("kit", "it's a kit"):
                folder = os.path.join(made, name)
                here, there = run("--out", folder).stdout.split("VECTOR_CORES=48 ")[1].splitlines()
                self.assertEqual(shlex.split(here), [folder + "/run.sh"])
                self.assertEqual(shlex.split(there.split("then here: ")[1]), ["ptosim", "capture", "--import", folder])

    def test_a_folder_that_cannot_be_written_is_an_error(self):
        result = run("--out", "/proc/kit")
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot be written", result.stderr)


class Chip:
    """In place of capture.Model: a load that takes its latency, or its bytes over the rate if that is more."""
    figures = {"latency": {"value": "80 cycles", "grade": "assumed"},
               "rate": {"value": "100 B/cycle", "grade": "official"},
               "conflict": {"value": "0 cycles", "grade": "assumed"},
               "hidden": {"value": "5 cycles", "grade": "assumed"}}
    paths = list(figures)

    def run(self, changes, **_):
        value = {path: changes.get(path, capture.number(figure)) for path, figure in self.figures.items()}
        return {"waited": value["latency"] + 4, "stream": max(value["hidden"], 6400 / value["rate"]) + value["conflict"]}, {}


class Import(unittest.TestCase):
    def refused(self, results, *words):
        with tempfile.TemporaryDirectory() as made:
            with open(os.path.join(made, "results.csv"), "w") as file:
                file.write(results)
            result = run("--import", made, *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertNotIn("Traceback", result.stderr)
            return result.stdout, result.stderr.replace(made, "FOLDER")

    def test_figures_that_the_chip_does_not_have_are_left_out_and_named(self):
        # A 950PR has the four in a form of its own: curves of passes.
        out, err = self.refused(HEADER + COUNTER, "--chip", "ascend950pr")
        for path in ("TADD.start", "TEXP.b32", "TSQRT.b32", "TCOLMAX.dependent"):
            self.assertIn("aiv.vector.rate." + path, out)
        self.assertNotIn("latency", out)
        self.assertIn("log_f32_32_d", err)  # of a figure that it has
        self.assertNotIn("sqrt_f32_32_d", err)
        self.assertIn("sqrt_f32_32_d", self.refused(HEADER + COUNTER)[1])

    def test_a_chip_that_is_not_there(self):
        self.assertIn("no-such-chip", self.refused(HEADER + COUNTER, "--chip", "no-such-chip")[1])

    def test_results_that_cannot_be_are_named_by_file_line_and_measure(self):
        good = HEADER + COUNTER + "load_256_s,0,1.5,ticks\n"
        for row, measure in (("load_8k_s,0,-0.25,ticks", "load_8k_s"), ("load_8k_s,0,0.000000,ticks", "load_8k_s"),
                             ("load_8k_s,0,nan,ticks", "load_8k_s"), ("load_8k_s,0,x,ticks", "load_8k_s"),
                             ("load_8k_s,0,12.", "load_8k_s"), ("load_8k_s,0,1.5,tic", "load_8k_s"),
                             ("ticks_per_us_AIV,1,0,1/us", "ticks_per_us_AIV")):
            err = self.refused(good + row)[1]
            self.assertIn("FOLDER/results.csv, line 4: " + measure, err, row)
        self.assertIn("results.csv, line 1: no column 'measure'", self.refused("")[1])
        self.assertIn("ticks_per_us_AIV", self.refused(HEADER)[1])
        with tempfile.TemporaryDirectory() as made:  # what no figure needs may be anything
            with open(os.path.join(made, "results.csv"), "w") as file:
                file.write(good + "flag_v_mte3,0,-0.25,ticks\n")
            self.assertEqual(capture.read(made, ["load_256_s"])["load_256_s"], (1.5, "ticks"))

    def test_numbers_that_are_cut_off(self):
        with tempfile.TemporaryDirectory() as made:
            with open(os.path.join(made, "numbers.csv"), "w") as file:
                file.write("rule,index,bits\nexp,0,3f800000\nexp,1")
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as err:
                capture.numbers(made)
            self.assertIn("numbers.csv, line 3: exp", err.getvalue())

    def test_a_clock_is_above_0(self):
        for clock in ("0", "-1e9", "nan"):
            self.assertIn("--clock", self.refused(HEADER + COUNTER, "--clock", clock)[1])

    def test_figures_without_a_slope_are_not_told(self):
        chip, measured = Chip(), {"waited": 104.0, "stream": 80.0}
        start = {path: capture.number(figure) for path, figure in chip.figures.items()}
        self.assertEqual(capture.with_slope(chip, measured, start), ["latency", "rate"])

    @unittest.skipUnless(capture.numpy, "needs numpy")
    def test_only_figures_that_are_told_are_found(self):
        with contextlib.redirect_stdout(io.StringIO()):
            found = capture.fit(Chip(), {"waited": 104.0, "stream": 80.0})
        self.assertEqual(list(found), ["latency", "rate"])
        self.assertAlmostEqual(found["latency"], 100, delta=0.5)  # 104 - 4
        self.assertAlmostEqual(found["rate"], 80, delta=0.5)      # 6400 / 80


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    options, rest = parser.parse_known_args()
    PTOSIM = os.path.abspath(options.ptosim)
    unittest.main(argv=[sys.argv[0], *rest])
