#!/usr/bin/python3
"""Runs a sample of public suites, chosen by a seed, and compares each result with its row in the suite's table.

    conformance.py sample CHECKOUTS [--seed N] [--minutes M] [--suite NAME ...] [--ptosim BIN] [--work DIR]

CHECKOUTS has a folder of each repository: pto-isa, asc-devkit, catlass, at the commits of docs/evidence.md. The Python that
runs this has numpy. The suites take turns, one item each (a folder of tests, an example, a kernel), until the minutes are
over: only items that passed when the table was made, those first that the fewest samples have had.
tests/conformance_samples.csv gets a row of each item, so a later run goes on where this one ends. The exit status is 1 if
a result differs from its table. An item that a busy machine does not finish in its time is "slow": it is not a
difference, and gets no row.
"""
import argparse
import collections
import csv
import datetime
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suites  # noqa: E402

TESTS = suites.ROOT / "tests"
RECORD = TESTS / "conformance_samples.csv"
FIELDS = ["date", "commit", "suite", "item", "recorded", "now"]
OF_FOLDERS, OF_EXAMPLES = ("folder", "result", "passed", "cases"), ("example", "state")
# Name: table below tests/, its columns of the item and of its result, script, checkout, further words.
SUITES = {
    "pto-isa a2a3": ("conformance_pto_isa_a2a3.csv", OF_FOLDERS, "pto_isa.py", "pto-isa", "--arch a2a3"),
    "pto-isa a5": ("conformance_pto_isa_a5.csv", OF_FOLDERS, "pto_isa.py", "pto-isa", "--arch a5"),
    "levels a2a3": ("conformance_levels_a2a3.csv", OF_FOLDERS, "pto_isa.py", "pto-isa",
                    "--arch a2a3 --flags={pto_headers}"),
    "levels a5": ("conformance_levels_a5.csv", OF_FOLDERS, "pto_isa.py", "pto-isa",
                  "--arch a5 --flags={pto_headers}"),
    "ascendc": ("conformance_ascendc.csv", OF_EXAMPLES, "ascendc.py", "asc-devkit", ""),
    "ascendc a5": ("conformance_ascendc_a5.csv", OF_EXAMPLES, "ascendc.py", "asc-devkit", "--arch dav-3510"),
    "catlass": ("conformance_catlass.csv", OF_EXAMPLES, "catlass.py", "catlass", "--ascendc {asc_devkit}"),
    "manual": ("conformance_manual.csv", ("program", "result", "us"), "toolkit.py", "pto-isa", ""),
}


def read(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def result_of(row, columns):
    return " ".join(row[column] for column in columns[1:] if row[column])


class Suite:
    def __init__(self, name, options, done):
        self.name, self.options = name, options
        table, self.columns, self.script, checkout, self.words = SUITES[name]
        self.checkout = options.checkouts / checkout
        self.recorded = {row[self.columns[0]]: result_of(row, self.columns) for row in read(TESTS / table)}
        self.items = [item for item, result in self.recorded.items() if result.startswith("passed")]
        random.Random(f"{options.seed} {name}").shuffle(self.items)
        times = collections.Counter(row["item"] for row in done if row["suite"] == name)
        self.items.sort(key=times.__getitem__)

    def choice(self, item):
        if self.script != "toolkit.py":
            return ["--only", item]
        program, _, timed = item.partition(" ")
        return ["--timed" if timed else "--manual", program]

    def run(self, item):
        """The item's result, in the words of its table."""
        work = self.options.work / self.name.replace(" ", "-")
        work.mkdir(parents=True, exist_ok=True)
        made = work / "sample.csv"
        made.unlink(missing_ok=True)
        headers = f"-O1 --pto-headers {self.options.checkouts / 'pto-isa' / 'include'}"
        words = [word.format(pto_headers=headers, asc_devkit=self.options.checkouts / "asc-devkit")
                 for word in self.words.split()]
        command = [sys.executable, str(suites.ROOT / "scripts" / "conformance" / self.script), str(self.checkout),
                   "--ptosim", str(self.options.ptosim), "--work", str(work), "--csv", str(made), *self.choice(item), *words]
        with open(work / "sample.log", "w", encoding="utf-8") as log:
            subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False)
        found = [row for row in read(made) if row[self.columns[0]] == item]
        return result_of(found[0], self.columns) if found else f"no result: {work / 'sample.log'}"


def options_of():
    parser = suites.parser_of(__doc__, "ptosim")
    parser.add_argument("checkouts", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", default="1")
    parser.add_argument("--minutes", type=float, default=10, help="no item begins after them (default 10)")
    parser.add_argument("--suite", action="append", choices=SUITES, help="default: all")
    parser.add_argument("--work", type=lambda text: pathlib.Path(text).resolve(),
                        default=suites.ROOT / "build" / "conformance-sample")
    options = parser.parse_args()
    options.ptosim = pathlib.Path(suites.program(options.ptosim))
    for name in options.suite or SUITES:
        if not (options.checkouts / SUITES[name][3]).is_dir():
            parser.error(f"{options.checkouts / SUITES[name][3]} is not there: a checkout for the suite '{name}'")
    if importlib.util.find_spec("numpy") is None:
        parser.error(f"{sys.executable} has no numpy, which scripts of asc-devkit and Catlass need for their data")
    return options


def append(row):
    new = not RECORD.exists()
    with open(RECORD, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def main():
    options, done, differ = options_of(), read(RECORD), 0
    end = time.monotonic() + 60 * options.minutes
    commit = suites.commit_of(suites.ROOT)[:8]
    chosen = [Suite(name, options, done) for name in options.suite or SUITES]
    turns = collections.deque((suite, collections.deque(suite.items)) for suite in chosen if suite.items)
    while turns and time.monotonic() < end:
        suite, items = turns.popleft()
        item = items.popleft()
        if items:
            turns.append((suite, items))
        now, recorded = suite.run(item), suite.recorded[item]
        slow = now == "slow"
        differ += now != recorded and not slow
        print(f"{'same' if now == recorded else 'slow' if slow else 'DIFFERS':8} {suite.name:13} {item}: {recorded}"
              + ("" if now == recorded else f"; now {now}"), flush=True)
        if not slow:
            append(dict(zip(FIELDS, (datetime.date.today().isoformat(), commit, suite.name, item, recorded,
                                     "same" if now == recorded else now.split(": ")[0]))))
    return 1 if differ else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
