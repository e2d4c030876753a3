"""Runs examples of asc-devkit and Catlass that pass under all checkers, and lists every finding.

Examples are public code that gives right results, so each finding is either true of that code or an error of a checker.
Runs continue where the last one in the folder has stopped, until the minutes are over. The table has one row for each
finding: example, code, line, message, and the verdict that --verdicts FILE (lines of EXAMPLE CODE LINE VERDICT) gives.
"""
import json
import os
import pathlib
import re
import shutil

import ascendc
import catlass
from suites import Suite, one, options, place

SUITES = {"ascendc": ascendc.Examples, "catlass": catlass.Examples}


def without_folders(text):
    return re.sub(r"[\w./-]*/(?=[\w.-]+:\d+)", "", text)


def findings_of(folder):
    """(code, line, first line of its text) of the findings that programs have left in a folder."""
    found = []
    for file in sorted(folder.rglob("*.json")):
        for finding in json.loads(file.read_text())["findings"]:
            place, message = re.fullmatch(r"(?:(\S+?:\d+): )?(.*?)(?: \[\w+\])?", finding["line"]).groups()
            found.append((finding["code"], without_folders(place or "-"), without_folders(message)))
    return list(dict.fromkeys(found))


def audit(name, run, work):
    """The result of an example under all checkers, with its findings."""
    folder = work / "findings" / name.replace("/", "__")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ.update(PTOSIM_CHECK="all", PTOSIM_FINDINGS=str(folder))
    result = run(name)
    found = findings_of(folder)
    shutil.rmtree(folder)
    return {**result, "findings": found}


def codes_of(findings):
    return " ".join(sorted({code for code, _, _ in findings}))


def verdicts_of(file):
    """{(example, code, line): verdict} of a file."""
    lines = [line.split(maxsplit=3) for line in pathlib.Path(file).read_text().splitlines() if line.strip()] if file else []
    return {tuple(line[:3]): line[3] for line in lines}


class Audit(Suite):
    places = {"suite": {"choices": SUITES, "help": "whose examples"}, **Suite.places}
    repository = "asc-devkit or Catlass"
    options = options("ptosim only sample seed table work!", arch=one("dav-2201"), minutes=15.0, timeout=300,
                      ascendc=place("catlass: a checkout of asc-devkit"), verdicts=place("file with a verdict for each finding"))
    columns = ("suite", "example", "state", "code", "line", "message", "verdict")
    good = None
    key = "example"
    resumes = whole = sorts = True

    def prepare(self):
        self.examples = SUITES[self.given.suite]()
        self.examples.given = self.given
        self.examples.prepare()
        self.verdicts = verdicts_of(self.given.verdicts)
        self.store = self.given.work / f"audit-{self.given.suite}-{self.given.arch}.json"

    def items(self):
        if self.given.suite == "catlass":
            return self.examples.items()
        return sorted(str(name) for name in self.examples.items() if self.examples.commands(name) is not None)

    def run(self, item):
        return audit(item, self.examples.run, self.given.work)

    def told(self, name, result):
        return "\n        ".join([f"{result['state']:7} {name} {len(result['findings'])} findings",
                                  *map(" ".join, result["findings"])])

    def rows_of(self, result):
        suite, name = self.given.suite if self.given.suite == "catlass" else self.given.arch, result["example"]
        if not result["findings"]:
            yield [suite, name, result["state"], "", "", "no findings", ""]
        for code, line, message in result["findings"]:
            yield [suite, name, result["state"], code, line, message, self.verdicts.get((name, code, line), "not judged")]
