"""Runs a sample of public suites, chosen by a seed, and compares each result with its row in the suite's table.

CHECKOUTS has a folder of each repository: pto-isa, asc-devkit, catlass, at the commits of docs/evidence.md. The Python that
runs this has numpy. The suites take turns, one item each (a folder of tests, an example, a kernel), until the minutes are
over: only items that passed when the table was made, those first that the fewest samples have had.
tests/conformance_samples.csv gets a row of each item, so a later run goes on where this one ends. The exit status is 1 if
a result differs from its table. An item that a busy machine does not finish in its time is "slow": it is not a
difference, and gets no row.
"""
import collections
import csv
import datetime
import importlib.util
import itertools
import os
import random
import subprocess
import sys

import suites
from suites import ROOT, Suite, many, one, options

RECORD = ROOT / "tests" / "conformance_samples.csv"
OF_FOLDERS, OF_EXAMPLES = ("folder", "result", "passed", "cases"), ("example", "state")
# Name: table below tests/, its columns of the item and of its result, command, checkout, further words.
SUITES = {
    "pto-isa a2a3": ("conformance_pto_isa_a2a3.csv", OF_FOLDERS, "pto-isa", "pto-isa", "--arch a2a3"),
    "pto-isa a5": ("conformance_pto_isa_a5.csv", OF_FOLDERS, "pto-isa", "pto-isa", "--arch a5"),
    "levels a2a3": ("conformance_levels_a2a3.csv", OF_FOLDERS, "pto-isa", "pto-isa", "--arch a2a3 --flags={pto_headers}"),
    "levels a5": ("conformance_levels_a5.csv", OF_FOLDERS, "pto-isa", "pto-isa", "--arch a5 --flags={pto_headers}"),
    "ascendc": ("conformance_ascendc.csv", OF_EXAMPLES, "ascendc", "asc-devkit", ""),
    "ascendc a5": ("conformance_ascendc_a5.csv", OF_EXAMPLES, "ascendc", "asc-devkit", "--arch dav-3510"),
    "simt": ("conformance_simt.csv", OF_EXAMPLES, "simt", "asc-devkit", ""),
    "catlass": ("conformance_catlass.csv", OF_EXAMPLES, "catlass", "catlass", "--ascendc {asc_devkit}"),
    "manual": ("conformance_manual.csv", ("program", "result", "us"), "toolkit", "pto-isa", ""),
}


def result_of(row, columns):
    return " ".join(row[column] for column in columns[1:] if row[column])


class Samples(Suite):
    places = {"checkouts": {"type": suites.path, "help": "folder of the checkouts"}}
    options = options("ptosim", seed=one("1"), minutes=10.0, work=ROOT / "build" / "conformance-sample",
                      suite=many(None, "default: all", choices=SUITES, default=None))
    columns = ("date", "commit", "suite", "item", "recorded", "now")
    state = "now"
    good = ("same", "slow")

    def prepare(self):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        for name in self.given.suite or SUITES:
            place = self.given.checkouts / SUITES[name][3]
            if not place.is_dir():
                self.error(f"{place} is not there: a checkout for the suite '{name}'")
        if importlib.util.find_spec("numpy") is None:
            self.error(f"{sys.executable} has no numpy, which scripts of asc-devkit and Catlass need for their data")

    def items(self):
        """(suite, item, recorded result): the suites take turns."""
        times = collections.Counter((row["suite"], row["item"]) for row in suites.read_table(RECORD))
        turns = []
        for name in self.given.suite or SUITES:
            file, columns = SUITES[name][:2]
            recorded = {row[columns[0]]: result_of(row, columns) for row in suites.read_table(ROOT / "tests" / file)}
            items = [item for item, result in recorded.items() if result.startswith("passed")]
            random.Random(f"{self.given.seed} {name}").shuffle(items)
            turns.append([(name, item, recorded[item]) for item in sorted(items, key=lambda item: times[name, item])])
        return [item for turn in itertools.zip_longest(*turns) for item in turn if item]

    def name_of(self, item):
        return item[:2]

    def run(self, item):
        """The item's result, in the words of its table."""
        name, item, recorded = item
        _, columns, command, checkout, words = SUITES[name]
        work = self.given.work / name.replace(" ", "-")
        work.mkdir(parents=True, exist_ok=True)
        made, program, timed = work / "sample.csv", *item.partition(" ")[::2]
        made.unlink(missing_ok=True)
        choice = ["--only", item] if command != "toolkit" else ["--timed" if timed else "--manual", program]
        headers = f"-O1 --pto-headers {self.given.checkouts / 'pto-isa' / 'include'}"
        with open(work / "sample.log", "w", encoding="utf-8") as log:
            subprocess.run([sys.executable, ROOT / "scripts" / "conformance.py", command, self.given.checkouts / checkout,
                            "--ptosim", self.given.ptosim, "--work", work, "--csv", made, *choice,
                            *(word.format(pto_headers=headers, asc_devkit=self.given.checkouts / "asc-devkit")
                              for word in words.split())],
                           stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False)
        found = [row for row in suites.read_table(made) if row[columns[0]] == item]
        now = result_of(found[0], columns) if found else f"no result: {work / 'sample.log'}"
        row = dict(zip(self.columns, (datetime.date.today().isoformat(), suites.commit_of(ROOT)[:8], name, item, recorded,
                                      "same" if now == recorded else now)))
        if now != "slow":
            self.append({**row, "now": row["now"].split(": ")[0]})
        return row

    def append(self, row):
        new = not RECORD.exists()
        with open(RECORD, "a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([self.columns] * new + [row.values()])

    def told(self, name, row):
        kind = row["now"] if row["now"] in self.good else "DIFFERS"
        return f"{kind:8} {name[0]:13} {name[1]}: {row['recorded']}" + ("" if kind == "same" else f"; now {row['now']}")
