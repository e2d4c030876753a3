#!/usr/bin/python3
"""Findings of --schedules, their texts, and kernels without findings.

schedules_test.py --ptosim BIN
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_test  # noqa: E402
from check_test import DOUBLE, FIRST, HEAD, LOAD, STORE, TAIL, both, flag  # noqa: E402

CLEAN = LOAD + both("MTE2", "V") + DOUBLE + both("V", "MTE3") + STORE


class Schedules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def ptosim(self, body, *extra, command="run", blocks=1, sync="explicit"):
        """Exit code, the result, standard output and error."""
        kernel = os.path.join(self.folder.name, "k.pto")
        with open(kernel, "w") as file:
            file.write(HEAD + body + TAIL)
        rows = 16 * blocks
        words = [check_test.PTOSIM, command, "k.pto", "--blocks", str(blocks), "--sync", sync,
                 "--json", "r.json", *extra]
        for word in ("rand", "out"):
            words += ["--arg", f"{word}={rows}x64xf32"]
        done = subprocess.run(words, cwd=self.folder.name, capture_output=True, text=True, timeout=300)
        path = os.path.join(self.folder.name, "r.json")
        result = {}
        if os.path.exists(path):
            with open(path) as file:
                result = json.load(file)
            os.remove(path)
        return done.returncode, result, done.stdout, done.stderr

    def only_race(self, body, *extra, **options):
        code, result, _, errors = self.ptosim(body, "--schedules", "20", *extra, **options)
        self.assertEqual(code, 1, errors)
        races = [d for d in result["diagnostics"] if d["code"] == "E30"]
        self.assertEqual(len(races), 1, [d["message"] for d in races])
        self.assertGreater(result["schedules"]["differ"], 0)
        return races[0]

    def lines(self, finding):
        return [finding["location"]["line"] - FIRST, finding["related"][0]["location"]["line"] - FIRST]

    def test_an_ordered_kernel_gives_the_same_bits(self):
        code, result, text, _ = self.ptosim(CLEAN, "--schedules", "20", blocks=4)
        self.assertEqual(code, 0)
        self.assertEqual(result["schedules"], {"run": 20, "differ": 0})
        self.assertIn("20 other schedules: the same bits and findings", text)

    def test_a_load_that_nobody_waits_for(self):
        # The V instruction waits for a flag that was set before the load.
        body = (flag("set", "MTE2", "V") + LOAD + flag("wait", "MTE2", "V") + DOUBLE
                + both("V", "MTE3") + STORE)
        race = self.only_race(body)
        self.assertIn("RAW race in UB", race["message"])
        self.assertEqual(self.lines(race), [3, 1])
        self.assertIn("set_flag[<PIPE_MTE2>, <PIPE_V>]", race["hint"])
        self.assertTrue(any(note.startswith("the first byte that differs at the end is argument 1")
                            for note in race["notes"]), race["notes"])

    def test_a_tile_that_is_loaded_anew_too_early(self):
        # Harmless by the chip's own timing: the second load takes longer than the addition.
        again = "pto.tload ins(%y : !part) outs(%t0 : !tile)\n"
        body = LOAD + both("MTE2", "V") + DOUBLE + again + both("V", "MTE3") + STORE
        self.assertEqual(self.ptosim(body)[0], 0)
        race = self.only_race(body)
        self.assertIn("WAR race in UB", race["message"])
        self.assertEqual(self.lines(race), [4, 3])

    def test_dependent_vector_instructions_without_a_barrier(self):
        body = (LOAD + both("MTE2", "V") + DOUBLE + "pto.tadds ins(%t1, %two : !tile, f32) outs(%t1 : !tile)\n"
                + both("V", "MTE3") + STORE)
        race = self.only_race(body)
        self.assertIn("barrier", race["hint"])
        self.assertEqual(self.lines(race), [4, 3])
        # The vector unit of the a5 works in order.
        code, result, _, _ = self.ptosim(body, "--schedules", "20", "--chip", "ascend950pr")
        self.assertEqual((code, result["schedules"]["differ"]), (0, 0))

    def test_blocks_that_store_to_the_same_bytes(self):
        store = STORE.replace("%y ", "%y0 ")
        race = self.only_race(CLEAN.replace(STORE, store), blocks=3)
        self.assertIn("WAW race in argument 1", race["message"])
        self.assertIn("another", race["message"])

    def test_atomic_operations_come_in_any_order(self):
        body = ("pto.comm.tput(%y0, %x, buf(%t3) : !part, !part, !tile) "
                "{atomicType = #pto<atomic_type atomic_add>}\n")
        code, result, text, errors = self.ptosim(body, "--schedules", "20", blocks=8)
        self.assertEqual(code, 0, errors)
        self.assertGreater(result["schedules"]["differ"], 0)
        self.assertIn("the result depends on the order of atomic operations", text)

    def test_a_finding_of_another_timing_only(self):
        # A flag is set again: whether it has been waited for by then is chance.
        body = (LOAD + both("MTE2", "V") + DOUBLE + both("V", "MTE3") + STORE
                + flag("set", "MTE3", "V") + flag("wait", "MTE3", "V")
                + flag("set", "V", "MTE3", 1) + DOUBLE * 3 + flag("set", "V", "MTE3", 1)
                + flag("wait", "V", "MTE3", 1) + STORE + flag("wait", "V", "MTE3", 1))
        code, result, _, _ = self.ptosim(body, "--schedules", "20", "--set", "flags.sets=1")
        self.assertEqual(code, 1)
        self.assertIn("E07", {d["code"] for d in result["diagnostics"]})

    def test_the_same_seed_gives_the_same_words(self):
        body = CLEAN.replace(both("V", "MTE3"), "")
        texts = {self.ptosim(body, "--schedules", "6", "--seed", seed)[3] for seed in ("3", "3", "3")}
        self.assertEqual(len(texts), 1)
        for threads in ("1", "4"):
            texts.add(self.ptosim(body, "--schedules", "6", "--seed", "3", "--threads", threads)[3])
        self.assertEqual(len(texts), 1)

    def test_check_tells_a_race_once(self):
        body = CLEAN.replace(both("V", "MTE3"), "")
        code, result, _, _ = self.ptosim(body, "--schedules", "20", command="check")
        self.assertEqual(code, 1)
        self.assertEqual([d["code"] for d in result["diagnostics"]], ["E01"])
        self.assertGreater(result["schedules"]["differ"], 0)

    def test_check_runs_one_where_it_is_cheap(self):
        _, result, text, _ = self.ptosim(CLEAN, command="check")
        self.assertEqual(result["schedules"], {"run": 1, "differ": 0})
        self.assertIn("1 other schedule: the same bits and findings", text)
        for extra in (["--schedules", "0"], ["--mode", "timing"]):
            self.assertNotIn("schedules", self.ptosim(CLEAN, *extra, command="check")[1])
        self.assertNotIn("schedules", self.ptosim(CLEAN)[1])

    def test_what_it_needs(self):
        code, _, _, errors = self.ptosim(CLEAN, "--schedules", "3", "--mode", "timing")
        self.assertEqual(code, 2)
        self.assertIn("--schedules compares the results of different timings, and --mode timing has no results", errors)

    def test_a_scoreboard_orders_what_flags_do_not(self):
        code, result, _, errors = self.ptosim(LOAD + DOUBLE + STORE, "--schedules", "20", sync="auto")
        self.assertEqual(code, 0, errors)
        self.assertEqual(result["schedules"]["differ"], 0)


class Program(unittest.TestCase):
    """A host program: each of its launches."""

    def test_launches_of_a_host(self):
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cpp")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([check_test.PTOSIM, "build", os.path.join(here, "scale_kernel.cpp"),
                            os.path.join(here, "scale_main.cpp"), "-o", "app"], cwd=folder, check=True,
                           capture_output=True, timeout=300)
            done = subprocess.run(["./app"], cwd=folder, capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "PTOSIM_SCHEDULES": "3", "PTOSIM_JSON": "r.json"})
            with open(os.path.join(folder, "r.json")) as file:
                result = json.load(file)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(result["schedules"], {"run": 3 * len(result["launches"]), "differ": 0})
            done = subprocess.run(["./app"], cwd=folder, capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "PTOSIM_SCHEDULES": "many"})
            self.assertIn("PTOSIM_SCHEDULES=many is not a number of schedules", done.stderr)


if __name__ == "__main__":
    at = sys.argv.index("--ptosim")
    check_test.PTOSIM = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
