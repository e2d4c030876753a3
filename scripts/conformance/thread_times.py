"""Compares the durations of asc-devkit's examples of threads on an Ascend 950PR with the ones that their READMEs state.

A table (tests/thread_times.csv) has a line for each figure: the source, its scenario, the arguments of the program, whether
the chip's figures for threads were fitted to it, and the published microseconds. Profilers warm a kernel up, so the first
fetch of its code (launch.cold_lines) is left out.
"""
import itertools
import json
import subprocess

import suites
from api_times import Published
from suites import ROOT, options
from tuning_studies import ALIKE, same_order

FEW = 0.20  # how far a figure may be off
HYBRID = "examples/05_"


class Threads(Published):
    repository = "asc-devkit"
    options = options("ptosim only resume work!", table=ROOT / "tests" / "thread_times.csv", timeout=300)
    facts = ("source", "options", "arguments", "fitted")
    figures = ("published", "simulated", "ratio")

    def is_done(self, name):
        return bool(self.results[name]["simulated"])

    def run(self, item):
        place = self.given.work / "-".join((item["source"].replace("/", "_"), item["options"], item["arguments"]))
        place.mkdir(parents=True, exist_ok=True)
        source = self.given.checkout / item["source"]
        kind = [] if item["source"].startswith(HYBRID) else ["--enable-simt"]
        status, output = suites.run(
            [self.given.ptosim, "build", "--arch", "a5", *kind, "--ascendc", self.given.checkout, *item["options"].split(),
             "-I", source.parent, "-I", source.parent / "scripts", source, "-o", place / "app"], place, self.given.timeout)
        if status == 0:
            data = source.parent / "scripts" / "gen_data.py"
            if data.exists():
                subprocess.run(["python3", data], cwd=place, check=False, stdout=subprocess.DEVNULL)
            status, output = suites.run(
                [place / "app", *item["arguments"].split()], place, self.given.timeout,
                suites.with_path("/usr/bin", PTOSIM_CHIP="ascend950pr", PTOSIM_JSON=str(place / "result.json"),
                                 PTOSIM_SET="launch.cold_lines=0"))
        (place / "log.txt").write_text(output)
        if status != 0:
            return self.with_figure(item, None, ".6g")
        result = json.loads((place / "result.json").read_text())
        return self.with_figure(item, result["task_us"], ".6g", result.get("task_basis"))

    def summary(self):
        """Figures within 20 %, and pairs of a source's figures in the published order, of all that differ by more than 2 %."""
        rows = [row for row in self.results.values() if row["ratio"]]
        pairs = [(a, b) for a, b in itertools.combinations(rows, 2) if a["source"] == b["source"]
                 and abs(float(a["published"]) / float(b["published"]) - 1) > ALIKE]
        others = [(a, b) for a, b in pairs if not same_order(a, b)]
        unseen = [row for row in rows if row["fitted"] == "no"]

        def near(some):
            return f"{sum(abs(float(row['ratio']) - 1) <= FEW for row in some)} of {len(some)}"

        return (f"{near(rows)} within {FEW:.0%}, of those that nothing was fitted to {near(unseen)}\n"
                f"{len(pairs) - len(others)} of {len(pairs)} pairs of a source in the published order; the others: "
                + "; ".join(f"{a['source'].rsplit('/', 1)[-1]} {a['options']}{a['arguments']} and {b['options']}{b['arguments']}"
                            for a, b in others))
