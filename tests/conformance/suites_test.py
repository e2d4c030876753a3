#!/usr/bin/python3
"""The frame of the suites (scripts/conformance/suites.py) with a suite of letters; the options of all adapters against the
commands that the evidence names. Expected samples are Python's own random.Random(seed).sample."""
import contextlib
import csv
import io
import json
import pathlib
import random
import re
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "scripts" / "conformance"))
import conformance  # noqa: E402
import suites  # noqa: E402


class Letters(suites.Suite):
    """Items a to f. `states`: of the results; an item that it does not name passes."""
    places = {}
    options = suites.options("csv json only resume retry sample seed limit minutes", jobs=1)
    columns = ("letter", "state", "reason")
    states = {}

    def items(self):
        return list("abcdef")

    def run(self, item):
        self.ran.append(item)
        if self.states.get(item) == "crash":
            raise KeyboardInterrupt
        return {"letter": item, "state": self.states.get(item, "passed"), "reason": ""}


class Staying(Letters):
    stays = sorts = True


class Suites(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.csv, self.json = self.folder / "table.csv", self.folder / "results.json"

    def run_suite(self, kind, *words, **states):
        """Exit status of a run, and the items that it ran."""
        suite = kind()
        suite.ran, suite.states = [], states
        with contextlib.redirect_stdout(io.StringIO()) as output:
            status = suite.main([str(word) for word in words])
        self.output = output.getvalue()
        return status, "".join(suite.ran)

    def rows(self):
        with open(self.csv, newline="", encoding="utf-8") as file:
            return [(row["letter"], row["state"]) for row in csv.DictReader(file)]

    def test_items_are_chosen(self):
        self.assertEqual(self.run_suite(Letters), (0, "abcdef"))
        self.assertEqual(self.run_suite(Letters, "--only", "b,e"), (0, "be"))
        self.assertEqual(self.run_suite(Letters, "--limit", 2), (0, "ab"))
        for seed in range(3):
            expected = "".join(sorted(random.Random(seed).sample("abcdef", 3)))
            self.assertEqual(self.run_suite(Letters, "--sample", 3, "--seed", seed), (0, expected))
        with self.assertRaisesRegex(SystemExit, "no item has 'z' in its name"):
            self.run_suite(Letters, "--only", "z")

    def test_the_status_and_the_counts_are_those_of_the_states(self):
        self.assertEqual(self.run_suite(Letters, c="wrong")[0], 1)
        self.assertIn("5 passed, 1 wrong of 6\n", self.output)

    def test_a_run_resumes(self):
        with self.assertRaises(KeyboardInterrupt):
            self.run_suite(Letters, "--json", self.json, b="wrong", d="crash")
        self.assertEqual([result["letter"] for result in json.loads(self.json.read_text())], list("abc"))
        self.assertEqual(self.run_suite(Letters, "--json", self.json, "--resume"), (1, "def"))
        self.assertEqual(self.run_suite(Letters, "--json", self.json, "--resume", "--retry", "wrong,slow"), (0, "b"))
        self.assertEqual(self.run_suite(Letters, "--json", self.json), (0, "abcdef"))
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            self.run_suite(Letters, "--resume")

    def test_time_is_over(self):
        self.assertEqual(self.run_suite(Letters, "--minutes", 0), (0, ""))
        self.assertIn("6 items are left", self.output)

    def test_threads_give_the_same_table(self):
        self.run_suite(Letters, "--csv", self.csv, b="wrong")
        alone = self.csv.read_bytes()
        self.assertEqual(alone, b"letter,state,reason\na,passed,\nb,wrong,\nc,passed,\nd,passed,\ne,passed,\nf,passed,\n")
        self.run_suite(Letters, "--csv", self.csv, "--jobs", 3, b="wrong")
        self.assertEqual(self.csv.read_bytes(), alone)

    def test_rows_of_other_items_stay_if_the_suite_has_it_so(self):
        for kind, others in ((Staying, [("a", "passed"), ("c", "passed"), ("z", "slow")]), (Letters, [("c", "passed")])):
            self.csv.write_text("letter,state,reason\nz,slow,\na,passed,\nc,wrong,\n")
            self.run_suite(kind, "--csv", self.csv, "--only", "c")
            self.assertEqual(self.rows(), others)

    def test_reasons(self):
        text = "note\nmain.cpp: warning: x\n/a/b/kernel.cpp:3: error: no  such\ttile [T01]\nTraceback\n"
        self.assertEqual(suites.reason_of(text, "nothing", r"^.*error: .*$"), "kernel.cpp:3: error: no such tile [T01]")
        self.assertEqual(suites.reason_of(text, r"error: (.*)$", longest=7), "no such")
        self.assertEqual(suites.reason_of(text + "\n", "nothing"), "Traceback")
        self.assertEqual(suites.reason_of("", "nothing"), "no output")

    def test_a_program_ends_with_its_time(self):
        begun = time.monotonic()
        status, output = suites.run(["sh", "-c", "echo begun; sleep 60 & wait"], self.folder, 0.5)
        self.assertEqual((status, output), (suites.TIME_LIMIT, "begun\n"))
        self.assertLess(time.monotonic() - begun, 30)


class Commands(unittest.TestCase):
    def test_the_evidence_names_options_that_there_are(self):
        texts = [(file, file.read_text()) for file in sorted((ROOT / "tests" / "evidence").glob("*.json"))]
        with open(ROOT / "tests" / "front_ends.csv", newline="", encoding="utf-8") as file:
            texts += [(row["front end"], row["command"]) for row in csv.DictReader(file)]
        found = set()
        for place, text in texts:
            # Commands in code: after a backtick, a quote of the list of commands, a line's end, or a folder.
            for command, words in re.findall(r'(?:[`"/]|\\n)scripts/conformance\.py ([\w-]+)([^`\\#;"]*)', text):
                self.assertIn(command, conformance.SUITES, place)
                parser = suites.adapter(command.replace("-", "_"))().parser()
                with self.subTest(command=command, words=words):
                    for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", words):
                        self.assertIn(option, parser._option_string_actions)
                found.add(command)
        self.assertGreater(len(found), 20)

    def test_each_module_is_a_command(self):
        modules = {file.stem for file in (ROOT / "scripts" / "conformance").glob("*.py")} - {"suites", "cpp"}
        self.assertEqual(modules, {name.replace("-", "_") for name in conformance.SUITES})
        for name in conformance.SUITES:
            suite = suites.adapter(name.replace("-", "_"))()
            self.assertIn("usage: conformance.py " + name, suite.parser().format_help())
            self.assertTrue(sys.modules[type(suite).__module__].__doc__)


if __name__ == "__main__":
    unittest.main()
