#!/usr/bin/python3
"""scripts/progress.py, by builds that print what CMake's makefiles print."""
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import progress  # noqa: E402


class ProgressLine(unittest.TestCase):
    def test_what_remains(self):
        # A quarter after 30 s: 90 s for the rest.
        self.assertEqual(progress.progress_line(0.25, 30), "building: 25 %, 30 s, about 1 min 30 s left")
        self.assertEqual(progress.progress_line(0.01, 3), "building: 1 %, 3 s")
        self.assertEqual(progress.progress_line(1.0, 125), "building: 100 %, 2 min 05 s")

    def test_steps_of_make_and_ninja(self):
        self.assertEqual(progress.share_done("[  7%] Building CXX object a.o\n"), 0.07)
        self.assertEqual(progress.share_done("[3/12] Linking a\n"), 0.25)
        self.assertIsNone(progress.share_done("make: done\n"))
        self.assertIsNone(progress.share_done("[2/2] Re-running CMake...\n"))

    def test_a_terminal_has_one_line(self):
        out = io.StringIO()
        line = progress.Progress(out, in_place=True)
        for share in (0.1, 0.2, 1.0):
            line.show(share, 10)
        line.end(20)
        self.assertEqual(out.getvalue().count("\n"), 1)
        self.assertTrue(out.getvalue().rsplit("\r", 1)[1].startswith("built in 20 s"))


class Builds(unittest.TestCase):
    def build(self, text):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            done = subprocess.run([ROOT / "scripts/progress.py", log, "bash", "-c", text], capture_output=True, text=True,
                                  check=False)
            return done, log.read_text()

    def test_a_log_has_a_line_for_each_tenth(self):
        done, log = self.build("for p in 1 5 10 11 19 20 55 100; do echo \"[ $p%] Building\"; done")
        lines = done.stdout.splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[:-1]], ["building: 10 %", "building: 20 %", "building: 55 %",
                                                                       "building: 99 %"])
        self.assertIn("built in", lines[-1])
        self.assertEqual(len(log.splitlines()), 8)

    def test_a_failure_shows_its_end_and_keeps_its_code(self):
        done, _ = self.build("seq 100; echo 'x.cpp:1: error: no'; exit 3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("x.cpp:1: error: no", done.stderr)
        self.assertEqual(done.stderr.splitlines()[0], "42")  # of 101 lines the last 60
        self.assertIn("the build failed", done.stderr)


if __name__ == "__main__":
    unittest.main()
