#!/usr/bin/python3
"""scripts/changed_tests.py: each test has a row, and a change reaches the tests of its room."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import changed_tests  # noqa: E402

# Kinds of tests that CMake makes by loops and other names.
NAMED = re.compile(r"add_test\(NAME (\w+)")
LISTED = re.compile(r"foreach\(what ([\w ]+)\)")


def all_tests():
    names = {name for name, _ in changed_tests.script_tests()}
    for build in sorted(ROOT.glob("*/CMakeLists.txt")) + sorted((ROOT / "tests").glob("*/CMakeLists.txt")):
        names.update(NAMED.findall(build.read_text()))
        names.update(word for words in LISTED.findall(build.read_text()) for word in words.split())
    return names - {"isa_", "isa_semantics_", "headers_"}


class Table(unittest.TestCase):
    def test_each_test_has_a_row(self):
        patterns = [p for row, _ in changed_tests.tests_of_rooms() for p in row]
        self.assertGreater(len(all_tests()), 90)
        for name in all_tests():
            with self.subTest(name):
                self.assertTrue(any(re.fullmatch(p, name) for p in patterns))

    def test_each_pattern_and_room_exists(self):
        made = {"isa_table", "isa_semantics", "isa_numeric", "isa_intrinsics", "isa_threads", "isa_assembly", "headers_a5"}
        names = all_tests() | made
        for patterns, places in changed_tests.tests_of_rooms():
            for pattern in patterns:
                self.assertTrue(any(re.fullmatch(pattern, name) for name in names), pattern)
            for place in places:
                self.assertTrue((ROOT / place).exists(), place)


class Changes(unittest.TestCase):
    def reached(self, *changed):
        patterns = changed_tests.reached_tests(changed)
        return patterns and {name for name in all_tests() if any(re.fullmatch(p, name) for p in patterns)}

    def test_a_face_reaches_its_tests(self):
        self.assertEqual(self.reached("sim/faces/sweep/plan.cpp") - set(changed_tests.ALWAYS),
                         {"sweep", "changes", "design_questions", "parametric_kernels", "sim"})

    def test_a_room_reaches_those_that_name_it(self):
        found = self.reached("traces/write/html.cpp")
        self.assertLessEqual({"traces", "trace_files", "kept_data"}, found)
        self.assertFalse({"toolkit", "mpmd", "sweep", "ascendc"} & found)
        self.assertIn("kernels", self.reached("sim/machine/core/core.cpp"))

    def test_a_test_reaches_itself(self):
        self.assertEqual(self.reached("tests/cli/fifo_test.py") - set(changed_tests.ALWAYS), {"fifo"})
        self.assertIn("toolkit", self.reached("tests/toolkit/fill_main.cpp"))

    def test_documents_and_builds(self):
        self.assertIn("tutorial", self.reached("docs/start.md"))
        self.assertIsNone(self.reached("CMakeLists.txt"))


if __name__ == "__main__":
    unittest.main()
