#!/usr/bin/python3
"""Builds the tuning studies among asc-devkit's best practices by their own CMake, runs them in timing mode, and
compares their times with the published ones.

A table (tests/tuning_studies.csv) has a line for each published figure: the study, its CMake options and the metric.
The figures of the last two columns are written there; lines that have them are left out with --resume. Metrics: task_us, the time of the launch with its overhead; V_us,
pipe V busy, the mean of all vector cores; ticks, the difference of the two system counters that the kernel prints."""
import argparse
import csv
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

from suites import prepare_toolkit, write_table

FOLDER = "examples/01_simd_cpp_api/05_best_practices"
CHIPS = {"dav-2201": "ascend910b1", "dav-3510": "ascend950pr"}
COUNTERS = re.compile(r"systemCycle(?:Before|After): (\d+)")
FEW = 0.10  # how far a figure may be off
ALIKE = 0.02  # figures that differ by less have no order


def measure(study, options, arch, settings):
    """All metrics of a study with CMake options."""
    place = settings.work / "run" / "-".join([study.replace("/", "_"), arch, *options.replace("=", "").split()])
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(settings.checkout / FOLDER / study, place)
    values = dict(option.split("=") for option in options.split())
    data = "-scenarioNum {SCENARIO_NUM} -copyDst {COPY_DST} -arch {arch}" if "COPY_DST" in values else \
        "--scenario {SCENARIO_NUM}" if study.endswith("bank_conflict_ub") else ""
    script = f"""set -e
. {settings.work / "toolkit/set_env.sh"}
mkdir build && cd build
cmake {" ".join("-D" + option for option in options.split())} -DCMAKE_ASC_ARCHITECTURES={arch} ..
make
python3 ../scripts/gen_data.py {data.format(arch=arch, **values)} >/dev/null
echo ptosim-runs
./demo
"""
    environment = dict(os.environ, PATH=f"{settings.work / 'bin'}:{os.environ['PATH']}", PTOSIM_MODE="timing",
                       PTOSIM_CHIP=CHIPS[arch], PTOSIM_JSON=str(place / "result.json"))
    done = subprocess.run(["timeout", "-s", "KILL", str(settings.timeout), "bash", "-c", script], cwd=place,
                          capture_output=True, text=True, errors="replace", env=environment)
    output = done.stdout + done.stderr
    (settings.work / f"{place.name}.log").write_text(output)
    result = json.loads((place / "result.json").read_text()) if (place / "result.json").exists() else {}
    shutil.rmtree(place)
    if not result.get("launches"):
        return {"reason": "; ".join(re.findall(r"error: .*", output)[:1]) or f"ended with {done.returncode}"}
    busy = [core["pipes"]["V"]["busy"] for core in result["cores"] if "V" in core["pipes"]]
    counters = [int(value) for value in COUNTERS.findall(output)]
    return {"task_us": result["task_us"],
            "V_us": statistics.mean(busy) * result["time_us"] / result["cycles"] if busy else None,
            "ticks": counters[1] - counters[0] if len(counters) > 1 else None}


def same_order(a, b):
    published, simulated = (float(a[key]) - float(b[key]) for key in ("published", "simulated"))
    return published * simulated > 0


def ordered(rows):
    """Number of pairs of a study's figures in the published order, and of all pairs that differ by more than 2 %."""
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2)
             if all(a[key] == b[key] for key in ("study", "arch", "metric"))
             and a["options"].split()[1:] == b["options"].split()[1:]  # all but the scenario
             and abs(float(a["published"]) / float(b["published"]) - 1) > ALIKE]
    return sum(same_order(a, b) for a, b in pairs), pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path, help="of asc-devkit")
    parser.add_argument("--ptosim", type=pathlib.Path, default=pathlib.Path("build/ptosim"), help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for copies, builds and logs")
    parser.add_argument("--table", type=pathlib.Path, default=pathlib.Path("tests/tuning_studies.csv"))
    parser.add_argument("--only", default="", help="studies and options that contain this")
    parser.add_argument("--resume", action="store_true", help="only figures without a result in the table")
    parser.add_argument("--timeout", type=int, default=300)
    settings = parser.parse_args()
    settings.work = settings.work.resolve()
    prepare_toolkit(settings.ptosim, settings.work, settings.checkout)
    rows = list(csv.DictReader(settings.table.open()))
    measured = {}
    for row in rows:
        key = (row["study"], row["options"], row["arch"])
        if settings.only not in " ".join(key) or settings.resume and row["simulated"]:
            continue
        if key not in measured:
            measured[key] = measure(*key, settings)
        found = measured[key].get(row["metric"])
        row["simulated"] = f"{found:.6g}" if found is not None else ""
        row["ratio"] = f"{found / float(row['published']):.3f}" if found is not None else ""
        print(*row.values(), measured[key].get("reason", ""), flush=True)
        write_table(settings.table, rows)
    rows = [row for row in rows if row["ratio"]]
    print(f"{sum(abs(float(row['ratio']) - 1) <= FEW for row in rows)} of {len(rows)} within {FEW:.0%}")
    right, pairs = ordered(rows)
    print(f"{right} of {len(pairs)} pairs of a study in the published order; the others: "
          + "; ".join(f"{a['study']} {a['options']} and {b['options']}" for a, b in pairs if not same_order(a, b)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
