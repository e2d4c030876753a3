#!/usr/bin/python3
"""`conformance.py upstream` finds the commit since which a file is missing, in a repository of the test's own. A
stand-in for `ptosim simpler-setup` asks for that file."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "conformance.py"
SETUP = """#!/bin/sh
[ -f "$3/needed.h" ] && exit 0
echo "error: $3/needed.h is missing [H32]" >&2
exit 2
"""


class Upstream(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.clone = self.folder / "clone"
        self.clone.mkdir()
        self.git("init", "-q")
        (self.folder / "ptosim").write_text(SETUP)
        (self.folder / "ptosim").chmod(0o755)
        (self.clone / "needed.h").write_text("")
        self.commits = [self.commit(f"change {number}") for number in range(3)]

    def git(self, *words):
        who = {f"GIT_{role}_{what}": "test@example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return subprocess.run(["git", "-C", self.clone, *words], check=True, capture_output=True, text=True,
                              env={**os.environ, **who}).stdout.strip()

    def commit(self, title):
        (self.clone / "other.txt").write_text(title)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", title)
        return self.git("rev-parse", "--short", "HEAD")

    def follow(self, *words):
        record = self.folder / "record.json"
        result = subprocess.run([SCRIPT, "upstream", self.clone, "--ptosim", self.folder / "ptosim", "--record", record, *words],
                                capture_output=True, text=True, check=False, timeout=120)
        return result, json.loads(record.read_text()) if record.exists() else None

    def test_it_works(self):
        result, record = self.follow()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(record["works"]["commit"], self.commits[-1])
        self.assertNotIn("fails", record)

    def test_since_which_commit(self):
        self.follow()
        works = self.commits[-1]
        later = [self.commit(f"later {number}") for number in range(2)]
        (self.clone / "needed.h").rename(self.clone / "moved.h")
        moved = self.commit("move a header")
        self.commit("the newest")
        for words in ((), ("--works", later[0])):
            result, record = self.follow(*words)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertEqual(record["fails"]["commit"], moved)
            self.assertEqual(record["fails"]["why"], "error: needed.h is missing [H32]")
            self.assertEqual(record["works"]["commit"], works)
            self.assertIn(f"missing since {moved}", result.stdout)
        (self.clone / "moved.h").rename(self.clone / "needed.h")
        self.commit("move it back")
        self.assertNotIn("fails", self.follow()[1])

    def test_nothing_is_known_to_work(self):
        (self.clone / "needed.h").unlink()
        self.commit("remove a header")
        result, record = self.follow()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("--works COMMIT", result.stderr)
        self.assertIsNone(record)


if __name__ == "__main__":
    unittest.main()
