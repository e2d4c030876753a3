"""Runs a test that is a script, and prints a line for each of its tests that is skipped, with the reason.

    run_script.py SCRIPT ARGUMENTS...

scripts/test.sh counts these lines.
"""
import runpy
import sys
import unittest
from pathlib import Path


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        name = test.id().removeprefix("__main__.")
        print(f"\nskipped: {Path(sys.argv[0]).stem}.{name}: {reason}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    unittest.TextTestRunner.resultclass = Result
    runpy.run_path(sys.argv[0], run_name="__main__")
