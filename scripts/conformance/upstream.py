"""Compiles the newest commit of a clone of hw-native-sys/simpler against the simulated chip, and finds the commit since which
something that the platform needs is missing.

`ptosim simpler-setup` reports the missing parts (H32). If it fails for the newest commit, the commits since --works (by default
that of the record) are bisected. Exit codes: 0 it compiles, 1 something is missing, 2 wrong input.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import suites
from suites import ROOT, Suite, options, place

SECONDS = 580  # of one setup


class Upstream(Suite):
    """One item: the newest commit. The result is the record, which the command keeps in a file."""
    places = {"clone": {"type": suites.path, "help": "of hw-native-sys/simpler"}}
    options = options("ptosim", works={"metavar": "COMMIT", "help": "a commit that is known to work"},
                      record=place("the record", default=ROOT / "tests" / "mpmd" / "upstream.json"))

    def git(self, *words):
        result = subprocess.run(["git", "-C", self.given.clone, *words], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"error: git {' '.join(words)}: {result.stderr.strip()}")
        return result.stdout.strip()

    def facts(self, commit):
        return dict(zip(("commit", "date", "title"), self.git("log", "-1", "--format=%h%x00%cs%x00%s", commit).split("\0")))

    def failure_of(self, commit):
        """Why the platform cannot be compiled against this commit; empty: it can."""
        with tempfile.TemporaryDirectory() as folder:
            checkout = pathlib.Path(folder) / "simpler"
            checkout.mkdir()
            archive = subprocess.Popen(["git", "-C", self.given.clone, "archive", commit], stdout=subprocess.PIPE)
            subprocess.run(["tar", "x", "-C", checkout], stdin=archive.stdout, check=True)
            if archive.wait() != 0:
                sys.exit(f"error: git archive {commit} failed")
            status, output = suites.run([self.given.ptosim, "simpler-setup", "--simpler", checkout], None, SECONDS)
        if status == suites.TIME_LIMIT:
            return f"it has not been compiled after {SECONDS} s"
        errors = [line for line in output.splitlines() if "error" in line] or ["it fails without an error"]
        return "" if status == 0 else errors[0].replace(f"{checkout}/", "")

    def first_that_fails(self, works, fails):
        """The first commit after `works`, and why it fails; each commit in between either works or fails like `fails`."""
        commits = self.git("rev-list", "--first-parent", "--reverse", f"{works}..{fails}").split()
        low, high, reason = 0, len(commits) - 1, None
        while low < high:
            middle = (low + high) // 2
            why = self.failure_of(commits[middle])
            if why:
                high, reason = middle, why
            else:
                low = middle + 1
        return commits[high], reason

    def items(self):
        return [self.git("rev-parse", "HEAD")]

    def run(self, item):
        record = json.loads(self.given.record.read_text()) if self.given.record.exists() else {}
        why, record["newest"] = self.failure_of(item), self.facts(item)
        if why:
            works = self.given.works or record.get("works", {}).get("commit")
            if works is None:
                sys.exit("error: no commit is known to work: --works COMMIT")
            first, reason = self.first_that_fails(works, item)
            record["fails"] = {**self.facts(first), "why": reason or why}
        else:
            record["works"] = record["newest"]
            record.pop("fails", None)
        self.given.record.write_text(json.dumps(record, indent=2) + "\n")
        return record

    def told(self, name, record):
        if "fails" in record:
            return "missing since {commit} ({date}, {title}): {why}".format(**record["fails"])
        return "works: {commit} ({date}, {title})".format(**record["works"])

    def finish(self):
        return int(any("fails" in record for record in self.results.values()))
