"""Runs the NPU tests of a checkout of hw-native-sys/pto-isa on both instruction levels, and compares.

The tile level has ptosim's own headers: an instruction of a tile is one instruction of the machine. The level of intrinsics
has the headers of the checkout, compiled as they are (`ptosim build --pto-headers`): the library divides an instruction into
intrinsics. Each test compares its results with its own goldens on both levels; the cycles of its launches are compared here.
Needs the packages of pto-isa, and clang++ 19.
"""
import json
import statistics

import pto_isa
import suites
from suites import ROOT, one, options

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


class OnLevel(pto_isa.Folders):
    """The tests on one level, with the cycles of the launches of each program."""
    def __init__(self, level, other):
        super().__init__()
        self.given, self.level, self.launches, self.shared = other.given, level, {}, other
        self.prepare()
        self.flags = ["-O1"] + (["--pto-headers", self.given.checkout / "include"] if level == "intrinsic" else [])
        self.work = self.work / level

    def make_data(self, name):
        """Inputs and goldens are made once."""
        (self.shared.work / name).mkdir(parents=True, exist_ok=True)
        self.shared.make_data(name)
        for entry in (self.shared.work / name).iterdir():
            link = self.work / name / entry.name
            if not link.exists() and not link.is_symlink():
                link.symlink_to(entry)

    def environment(self, name):
        return {**super().environment(name), "PTOSIM_JSON": str(self.work / name / "run.json")}

    def run_cases(self, name, program, findings, wanted=None):
        report = self.work / name / "run.json"
        report.unlink(missing_ok=True)
        results = super().run_cases(name, program, findings, wanted)
        if wanted is None and report.exists():
            launches = json.loads(report.read_text()).get("launches", [])
            self.launches[name] = [(launch["kernel"], launch["cycles"]) for launch in launches]
        return results


def differences(result):
    """Percent by which the level of intrinsics is slower, launch by launch."""
    return [100 * (b - a) / a for _, a, b in result.get("cycles", []) if a > 0]


class Levels(pto_isa.Folders):
    options = {**pto_isa.Folders.common, **options("sample seed", work=ROOT / "build" / "conformance-levels", arch=one("a2a3", choices=["a2a3"]))}
    columns = ("folder", "tile level", "intrinsics", "median of cycles", "widest", "reason")

    def prepare(self):
        super().prepare()
        self.mark = "Both levels compared"
        self.on = {level: OnLevel(level, self) for level in LEVELS}

    def run(self, item):
        """Results of a folder on both levels, and the launches that both have."""
        of = {level: self.on[level].run(item) for level in LEVELS}
        result = {"folder": item, "build": self.built, "seconds": round(sum(each["seconds"] for each in of.values()), 1),
                  "status": "passed", "reason": "", "cases": of["intrinsic"]["cases"]}
        for level in LEVELS:
            result[level] = {key: of[level][key] for key in ("status", "reason")}
            if of[level]["status"] != "passed" and result["status"] == "passed":
                result["status"], result["reason"] = of[level]["status"], f"{level}: {of[level]['reason']}"
        tile, below = (self.on[level].launches.get(item, []) for level in LEVELS)
        if result["status"] == "passed" and len(tile) == len(below):
            result["cycles"] = [[kernel, a, b] for (kernel, a), (_, b) in zip(tile, below)]
        return result

    def told(self, name, result):
        percent = differences(result)
        return super().told(name, result) + (f" {statistics.median(percent):+.1f} %" if percent else "")

    def row_of(self, result):
        percent = differences(result)
        reason = pto_isa.Folders.row_of(self, result)[-1]
        if any(abs(value) > EXPLAINED for value in percent):
            reason = REASONS.get(result["folder"], "not explained")
        return (result["folder"], *(result[level]["status"] for level in LEVELS),
                f"{statistics.median(percent):+.1f} %" if percent else "",
                f"{max(percent, key=abs):+.1f} %" if percent else "", reason)

    def page(self):
        return suites.markdown(self.columns, map(self.row_of, self.reported()))

    def summary(self):
        absolute = sorted(abs(value) for result in self.reported() for value in differences(result))
        return super().summary() + (
            f"; launches: {len(absolute)}, their cycles differ by {statistics.median(absolute):.1f} % in the median; "
            f"{sum(value > EXPLAINED for value in absolute)} by more than {EXPLAINED} %" if absolute else "")
