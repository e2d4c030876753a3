#!/usr/bin/python3
"""ptosim capture: the kit that it writes, and its refusals; the parts of the import. tests/capture tests the results of
an import."""
import argparse
import contextlib
import io
import json
import math
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
import fit  # noqa: E402

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
                for measure in (*measures, *capture.FLAG):
                    self.assertRegex(text, rf'MEASURE\({measure},|"{measure}"', path)

    def test_every_figure_is_one_of_a_chip(self):
        known = set()
        for chip in ("ascend910b1", "ascend950pr"):
            said = subprocess.run([PTOSIM, "chips", chip, "--json", "-"], check=True, capture_output=True, text=True)
            known |= set(json.loads(said.stdout)["parameters"])
        self.assertLessEqual(set(capture.FIGURES) - {"launch.between"}, known)  # of the 950DT alone

    def test_results_that_are_not_there_are_an_error(self):
        with tempfile.TemporaryDirectory() as made:
            result = run("--import", made)
            self.assertEqual(result.returncode, 2)
            self.assertIn("results.csv does not exist", result.stderr)
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


def off_by(found):
    """Residuals of a load that takes its latency, or its bytes over the rate if that is more: 100 cycles and 80 B a
    cycle are looked for."""
    waited, stream = found["latency"] + 4, max(found["hidden"], 6400 / found["rate"]) + found["conflict"]
    return [math.log(waited / 104), math.log(stream / 80)]


START = {"latency": 80.0, "rate": 100.0, "conflict": 0.0, "hidden": 5.0}


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
        # A 950PR has curves of passes in place of rates and starts.
        out, err = self.refused(HEADER + COUNTER, "--chip", "ascend950pr")
        for path in ("TADD.start", "TEXP.b32", "TSQRT.b32", "TCMPS.row"):
            self.assertIn("aiv.vector.rate." + path, out)
        self.assertNotIn("latency", out)
        self.assertIn("log_f32_32_d", err)  # of a figure that it has
        self.assertNotIn("cmps_row", err)
        self.assertIn("cmps_row", self.refused(HEADER + COUNTER)[1])

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

    @unittest.skipUnless(fit.numpy, "needs numpy")
    def test_only_figures_that_are_told_are_found(self):
        found = fit.fit(off_by, START, {"latency", "hidden"}, lambda _: None)
        self.assertEqual(list(found), ["latency", "rate"])
        self.assertAlmostEqual(found["latency"], 100, delta=0.5)  # 104 - 4
        self.assertAlmostEqual(found["rate"], 80, delta=0.5)      # 6400 / 80

    @unittest.skipUnless(fit.numpy, "needs numpy")
    def test_what_whole_cycles_hide_is_found_from_several_sizes(self):
        # A move of n bytes takes n / rate + overhead, in whole cycles: 173.7 B a cycle and 23 are looked for. Two
        # sizes leave 24 and 175.2 as good; the third does not.
        def cycles(rate, overhead, size):
            return math.ceil(size / rate + overhead)

        def off(found):
            return [math.log(cycles(found["rate"], found["overhead"], size) / cycles(173.7, 23, size))
                    for size in (512, 8192, 32768)]

        found = fit.fit(off, {"rate": 128.0, "overhead": 24.0}, {"overhead"}, lambda _: None)
        self.assertEqual(found["overhead"], 23)
        self.assertAlmostEqual(found["rate"], 173.7, delta=1.5)

    def test_figures_that_share_no_measure_are_changed_in_one_run(self):
        moved = {"a": {0, 1}, "b": {1}, "c": {2}, "d": {2, 3}}
        self.assertEqual(fit.groups(lambda path: moved[path], list(moved)), [["a", "c"], ["b", "d"]])

    def test_a_flag_is_a_counter_if_the_second_wait_does_not_wait(self):
        for waited, says in ((20.0, "counter"), (12900.0, "bit")):
            medians = {"flag_second_wait": (waited, "ticks"), "flag_work": (13000.0, "ticks")}
            self.assertIn(says, capture.flag_sets(medians))

    def test_a_wait_may_be_shorter_than_a_tick_of_the_counter(self):
        for waited, is_read in (("0.000000", True), ("-1.000000", False)):
            with tempfile.TemporaryDirectory() as made:
                with open(os.path.join(made, "results.csv"), "w") as file:
                    file.write("measure,repetition,value,unit\n"
                               f"flag_second_wait,0,{waited},ticks\nflag_work,0,350.000000,ticks\n")
                if is_read:
                    self.assertIn("counter", capture.flag_sets(capture.read(made, capture.FLAG)))
                else:
                    with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                        capture.read(made, capture.FLAG)
                    self.assertIn("line 2: flag_second_wait is -1.000000, where only 0 or more can be", said.getvalue())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    options, rest = parser.parse_known_args()
    PTOSIM = os.path.abspath(options.ptosim)
    unittest.main(argv=[sys.argv[0], *rest])
