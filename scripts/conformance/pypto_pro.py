"""Runs the system tests of PyPTO Pro (cann/pypto, python/tests/st/pypto_pro) unmodified on the toolkit.

--python has torch and pytest; the folders of --path have pypto with its native part, and pypto_pro. Each file is a process
with a separate folder below --results; files that have a result there are not run again. The chip is an ascend950pr. Files
that --only does not choose keep their row in the table.
"""
import pathlib
import re
import xml.etree.ElementTree as xml

import suites
from suites import ROOT, Suite, flag, many, one, options, place

TESTS = pathlib.Path("python/tests/st/pypto_pro")
SLOW = "not done within the limit of time"
# Reasons by the output of the first failing test of a file; the first that fits.
REASONS = (
    (r"\[H02\]|bisheng compilation failed", "does not compile: "),
    (r"Timeout|timed out", SLOW),
)


def reason_of(text):
    """One line for a failure's text."""
    for pattern, reason in REASONS:
        if re.search(pattern, text):
            if not reason.endswith(": "):
                return reason
            error = re.search(r"error: (static assertion failed: )?([^\n]+)", text)
            return reason + (error.group(2).strip()[:110] if error else "no message")
    return suites.reason_of(text, r"^E (.*)", longest=140, folders=r"(?!)", nothing="no message")


class Files(Suite):
    repository = "cann/pypto"
    options = options("toolkit! python!", path=many("FOLDER", type=suites.path), jobs=2,
                      results=place("folder of the files' results", default="pypto_pro_results"),
                      csv=ROOT / "tests" / "conformance_pypto_pro.csv", seconds=one(300, "of processors, for one file"),
                      only=many("WORD", "files whose path has one of the words"),
                      only_read=flag("make the table of the results that there are"))
    columns = ("file", "passed", "failed", "reason")
    good = None
    stays = whole = True

    def prepare(self):
        self.variables = suites.toolkit_environment(self.given.toolkit, self.given.path, PTOSIM_CHIP="ascend950pr")

    def items(self):
        tests = self.given.checkout / TESTS
        return [str(path.relative_to(tests)) for path in sorted(tests.rglob("test_*.py"))]

    def choose(self, items):
        for item in items:
            self.results[item] = {"file": item, "passed": 0, "failed": 0, "reason": "not tried"}
        return super().choose(items)

    def read(self):
        listed = set(self.results)
        super().read()
        self.results = {name: row for name, row in self.results.items() if name in listed}
        for name in self.results:
            if self.is_over(name):
                self.results[name] = self.row(name)

    def outcomes(self, items):
        return [] if self.given.only_read else super().outcomes([item for item in items if not self.is_over(item)])

    def folder_of(self, name):
        return self.given.results / name.replace("/", "_")

    def is_over(self, name):
        """True if its process has come to an end; one that was interrupted is run again."""
        return any((self.folder_of(name) / mark).exists() for mark in ("ended", "timeout"))

    def run(self, item):
        folder = self.folder_of(item)
        folder.mkdir(parents=True, exist_ok=True)
        words = [self.given.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={folder}/j.xml",
                 self.given.checkout / TESTS / item]
        code, used = suites.run_limited(words, folder, self.variables, folder / "log", self.given.seconds)
        (folder / ("timeout" if code is None else "ended")).write_text(f"{used:.1f}\n", encoding="utf-8")
        return self.row(item)

    def row(self, name):
        folder = self.folder_of(name)
        log = (folder / "log").read_text(errors="replace") if (folder / "log").exists() else ""
        if not (folder / "j.xml").exists():
            fatal = re.search(r"Fatal Python error: (.*)", log)
            reason = (f"the process ended: {fatal.group(1)}" if fatal else SLOW if (folder / "timeout").exists()
                      else "the process ended without a result")
            return {"file": name, "passed": 0, "failed": 0, "reason": reason}
        cases = list(xml.parse(folder / "j.xml").getroot().iter("testcase"))
        bad = [problem for case in cases for problem in (*case.iter("failure"), *case.iter("error"))]
        skipped = sum(1 for case in cases if case.find("skipped") is not None)
        # An error of the compiler is in the log that pytest has captured.
        captured = "".join(output.text or "" for case in cases for output in case.iter("system-err"))
        reason = reason_of((bad[0].text or "") + captured + log) if bad else (
            "no test for this chip" if not cases or skipped == len(cases) else "")
        return {"file": name, "passed": len(cases) - len(bad) - skipped, "failed": len(bad), "reason": reason}

    def state_of(self, row):
        return ("not tried" if row["reason"] == "not tried" else
                "passed" if int(row["passed"]) and not int(row["failed"]) and not row["reason"] else "failed")

    def summary(self):
        passed, failed = (sum(int(row[name]) for row in self.reported()) for name in ("passed", "failed"))
        return f"{super().summary()} files, {passed} tests of {passed + failed}"
