"""Builds the tuning studies among asc-devkit's best practices by their own CMake, runs them in timing mode, and compares
their times with the published ones.

A table (tests/tuning_studies.csv) has a line for each published figure: the study, its CMake options and the metric. The
figures of the last two columns are written there; lines that have them are left out with --resume. Metrics: task_us, the
time of the launch with its overhead; V_us, pipe V busy, the mean of all vector cores; ticks, the difference of the two system
counters that the kernel prints.
"""
import itertools
import json
import re
import shutil
import statistics

import suites
from api_times import Published
from suites import ROOT, options

FOLDER = "examples/01_simd_cpp_api/05_best_practices"
CHIPS = {"dav-2201": "ascend910b1", "dav-3510": "ascend950pr"}
COUNTERS = re.compile(r"systemCycle(?:Before|After): (\d+)")
FEW = 0.10  # how far a figure may be off
ALIKE = 0.02  # figures that differ by less have no order


def same_order(a, b):
    published, simulated = (float(a[key]) - float(b[key]) for key in ("published", "simulated"))
    return published * simulated > 0


class Studies(Published):
    repository = "asc-devkit"
    options = options("ptosim only resume work!", table=ROOT / "tests" / "tuning_studies.csv", timeout=300)
    facts = ("study", "options", "arch", "metric")
    figures = ("published", "simulated", "ratio")

    def prepare(self):
        suites.make_toolkit(self.given.ptosim, self.given.work, self.given.checkout)
        self.measured = {}

    def wanted(self, name):
        return super().wanted(name[:3])

    def is_done(self, name):
        return bool(self.results[name]["simulated"])

    def run(self, item):
        key = self.name_of(item)[:3]
        if key not in self.measured:
            self.measured[key] = self.measure(*key)
        basis = self.measured[key].get("basis") if item["metric"] == "task_us" else None
        return self.with_figure(item, self.measured[key].get(item["metric"]), ".6g", basis)

    def told(self, name, result):
        return f"{super().told(name, result)} {self.measured[name[:3]].get('reason', '')}"

    def measure(self, study, options, arch):
        """All metrics of a study with CMake options."""
        work, values = self.given.work, dict(option.split("=") for option in options.split())
        place = work / "run" / "-".join([study.replace("/", "_"), arch, *options.replace("=", "").split()])
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.given.checkout / FOLDER / study, place)
        data = "-scenarioNum {SCENARIO_NUM} -copyDst {COPY_DST} -arch {arch}" if "COPY_DST" in values else \
            "--scenario {SCENARIO_NUM}" if study.endswith("bank_conflict_ub") else ""
        defines = " ".join("-D" + option for option in options.split())
        status, output = suites.run(suites.on_toolkit(
            work / "toolkit", "mkdir build && cd build", f"cmake {defines} -DCMAKE_ASC_ARCHITECTURES={arch} ..", "make",
            f"python3 ../scripts/gen_data.py {data.format(arch=arch, **values)} >/dev/null", "./demo"), place,
            self.given.timeout, suites.with_path(work / "bin", PTOSIM_MODE="timing", PTOSIM_CHIP=CHIPS[arch],
                                                 PTOSIM_JSON=str(place / "result.json")), merged=False)
        (work / f"{place.name}.log").write_text(output)
        result = json.loads((place / "result.json").read_text()) if (place / "result.json").exists() else {}
        shutil.rmtree(place)
        if not result.get("launches"):
            return {"reason": "; ".join(re.findall(r"error: .*", output)[:1]) or f"ended with {status}"}
        busy = [core["pipes"]["V"]["busy"] for core in result["cores"] if "V" in core["pipes"]]
        counters = [int(value) for value in COUNTERS.findall(output)]
        return {"task_us": result["task_us"], "basis": result.get("task_basis"),
                "V_us": statistics.mean(busy) * result["time_us"] / result["cycles"] if busy else None,
                "ticks": counters[1] - counters[0] if len(counters) > 1 else None}

    def summary(self):
        """Figures within 10 %, and pairs of a study's figures in the published order, of all that differ by more than 2 %."""
        rows = [row for row in self.results.values() if row["ratio"]]
        pairs = [(a, b) for a, b in itertools.combinations(rows, 2)
                 if all(a[key] == b[key] for key in ("study", "arch", "metric"))
                 and a["options"].split()[1:] == b["options"].split()[1:]  # all but the scenario
                 and abs(float(a["published"]) / float(b["published"]) - 1) > ALIKE]
        others = [(a, b) for a, b in pairs if not same_order(a, b)]
        return (f"{sum(abs(float(row['ratio']) - 1) <= FEW for row in rows)} of {len(rows)} within {FEW:.0%}, "
                f"{self.within(rows)}\n"
                f"{len(pairs) - len(others)} of {len(pairs)} pairs of a study in the published order; the others: "
                + "; ".join(f"{a['study']} {a['options']} and {b['options']}" for a, b in others))
