#!/usr/bin/python3
"""Runs the NPU tests of a checkout of hw-native-sys/pto-isa on both instruction levels, and compares.

    conformance.py levels CHECKOUT [--arch a2a3] [--only NAME,... | --sample N [--seed S]]
                   [--json FILE [--resume]] [--record SUITE] [--jobs N]

The tile level has ptosim's own headers: an instruction of a tile is one instruction of the machine. The
level of intrinsics has the headers of the checkout, compiled as they are (`ptosim build --pto-headers`):
the library divides an instruction into intrinsics. Each test compares its results with its own goldens on both
levels; the cycles of its launches are compared here. Needs the packages of pto-isa, and clang++ 19.
"""
import argparse
import concurrent.futures
import copy
import json
import os
import pathlib
import random
import re
import statistics
import sys

import pto_isa
from pto_isa import ROOT, Results, Suite
from suites import put

LEVELS = ("tile", "intrinsic")
EXPLAINED = 25  # percent: folders with a launch that differs by more need a reason
REASONS = {
    "mgather": "one by one by the scalar unit, whose reads of global memory cost no time on the level of intrinsics; the tile "
               "level has a transfer",
    "tconcat": "a second source that begins within a block is copied by the scalar unit, which the tile level does not know",
    "tcmp": "rows of 64 of 128 columns are compared by more than one instruction each",
    "tgather": "comparisons are chosen row by row, with a scalar reading the counter after each; the tile level has one pass",
    "trowexpandmul": "a column of 2048 rows of one element: the sources meet in banks of UB in each repeat, which the tile level "
                     "does not charge of an operation with a column",
}


class LevelSuite(Suite):
    """The tests on one level; notes the cycles of the launches of each program."""

    def __init__(self, options, level):
        mine = copy.copy(options)
        mine.flags = "-O1"
        if level == "intrinsic":
            mine.flags += f" --pto-headers {options.checkout.resolve() / 'include'}"
        mine.check, mine.no_build, self.launches = None, False, {}
        super().__init__(mine)
        self.shared = Suite(mine)  # inputs and goldens are made once
        self.work = self.work / level

    def make_data(self, name):
        (self.shared.work / name).mkdir(parents=True, exist_ok=True)
        self.shared.make_data(name)
        for entry in (self.shared.work / name).iterdir():
            link = self.work / name / entry.name
            if not link.exists() and not link.is_symlink():
                link.symlink_to(entry)

    def environment(self, name):
        return {**super().environment(name), "PTOSIM_JSON": str(self.work / name / "run.json")}

    def run_cases(self, name, program, wanted=None):
        report = self.work / name / "run.json"
        report.unlink(missing_ok=True)
        results = super().run_cases(name, program, wanted)
        if wanted is None and report.exists():
            launches = json.loads(report.read_text()).get("launches", [])
            self.launches[name] = [(of["kernel"], of["cycles"]) for of in launches]
        return results


def compare(suites, name):
    """Results of a folder on both levels, and the launches that both have."""
    of = {level: suites[level].folder(name) for level in LEVELS}
    result = {"folder": name, "build": of["tile"]["build"], "seconds": sum(r["seconds"] for r in of.values()),
              "status": "passed", "reason": "", "cases": of["intrinsic"]["cases"]}
    for level in LEVELS:
        result[level] = {key: of[level][key] for key in ("status", "reason")}
    for level in LEVELS:
        if of[level]["status"] != "passed" and result["status"] == "passed":
            result["status"], result["reason"] = of[level]["status"], f"{level}: {of[level]['reason']}"
    tile, below = (suites[level].launches.get(name, []) for level in LEVELS)
    if result["status"] == "passed" and len(tile) == len(below):
        result["cycles"] = [[kernel, a, b] for (kernel, a), (_, b) in zip(tile, below)]
    return result


def differences(result):
    """Percent by which the level of intrinsics is slower, launch by launch."""
    return [100 * (b - a) / a for _, a, b in result.get("cycles", []) if a > 0]


def show(result):
    percent = differences(result)
    time = f"{statistics.median(percent):+6.1f} %" if percent else ""
    print(f"{result['status']:8} {result['folder']:32} {result['seconds']:6.1f} s {time} {result['reason']}",
          flush=True)


def table(results):
    lines = ["| folder | tile level | intrinsics | median of cycles | widest | reason |", "|---|---|---|---|---|---|"]
    everything = []
    for result in results.all():
        percent = differences(result)
        everything += percent
        median = f"{statistics.median(percent):+.1f} %" if percent else ""
        widest = f"{max(percent, key=abs):+.1f} %" if percent else ""
        reason = re.sub(r"\S*/(\w+\.\w+:)", r"\1", result["reason"])[:150].replace("|", "\\|")
        if any(abs(value) > EXPLAINED for value in percent):
            reason = REASONS.get(result["folder"], "not explained")
        lines.append(f"| {result['folder']} | {result['tile']['status']} | {result['intrinsic']['status']} | {median} "
                     f"| {widest} | {reason} |")
    lines += ["", *results.summary()]
    if everything:
        wide = sum(1 for value in everything if abs(value) > EXPLAINED)
        absolute = sorted(map(abs, everything))
        lines.append(f"launches: {len(everything)}, their cycles differ by {statistics.median(absolute):.1f} % in the "
                     f"median; {wide} by more than {EXPLAINED} %")
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(prog="conformance.py levels", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--arch", choices=["a2a3"], default="a2a3")
    parser.add_argument("--only", help="folders, separated by commas")
    parser.add_argument("--sample", type=int, help="so many folders, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="write the results here, too")
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE holds")
    parser.add_argument("--record", metavar="SUITE", help="put the table into tests/evidence/SUITE.json")
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "conformance-levels")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for a program")
    parser.add_argument("--build-timeout", type=int, default=900)
    return parser.parse_args()


def main():
    options = arguments()
    options.ptosim = options.ptosim.resolve()
    pto_isa.need_packages()
    suites = {level: LevelSuite(options, level) for level in LEVELS}
    results = Results(options)
    names = suites["tile"].folders()
    if options.sample:
        names = sorted(random.Random(options.seed).sample(names, min(options.sample, len(names))))
    names = [name for name in names if not results.has(name, suites["tile"].built)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in concurrent.futures.as_completed(pool.submit(compare, suites, name) for name in names):
            show(future.result())
            results.add(future.result())
    text = table(results)
    print(text[text.index("\n\n") + 2:], end="")
    if options.record:
        put(text, options.record, "Both levels compared")
    sys.exit(0 if all(of["status"] != "failed" for of in results.all()) else 1)


if __name__ == "__main__":
    main()
