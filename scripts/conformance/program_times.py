#!/usr/bin/python3
"""Runs simpler's benchmark script (tools/benchmark_rounds.sh) under 'ptosim exec' in timing mode and compares the times
that it prints with the published ones.

The table (tests/program_times.csv) has a line for each published figure: platform, runtime, workload as the script
names it, metric (effective: the merged window of orchestrator and schedulers; device: the whole run on the device),
the time in microseconds and its source. The script's figure and the ratio are written into the last two columns.
'ptosim simpler-setup' must have been run for each runtime; PATH and PYTHONPATH must find Python with simpler."""
import argparse
import csv
import itertools
import os
import pathlib
import re
import subprocess
import sys

from suites import write_table

ALIKE = 0.03  # published figures that differ by less have no order
SUMMARY = re.compile(r"^  (\S+ \(\S+\)) +\S+ +(.*\d.*)$", re.M)


def run_benchmarks(platform, runtime, settings):
    """Microseconds by workload and metric."""
    environment = dict(os.environ, PTOSIM=str(settings.ptosim))
    done = subprocess.run([settings.ptosim, "exec", "--mode", "timing", "--", "bash", "tools/benchmark_rounds.sh", "-p",
                           platform, "-r", runtime, "-n", str(settings.rounds)], cwd=settings.checkout,
                          capture_output=True, text=True, errors="replace", env=environment,
                          timeout=settings.timeout, check=False)
    (settings.work / f"{platform}-{runtime}.log").write_text(done.stdout + done.stderr)
    table = done.stdout.partition("Performance Summary")[2]
    columns = [name.lower() for name in re.findall(r"(\w+) \(us\)", table)]
    return {(workload, metric): float(value) for workload, values in SUMMARY.findall(table)
            for metric, value in zip(columns, values.split())}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(place) for place in range(len(values))]


def rank_correlation(rows):
    """Spearman's coefficient of published and simulated times."""
    pairs = zip(ranks([float(row["published_us"]) for row in rows]),
                ranks([float(row["simulated_us"]) for row in rows]))
    return 1 - 6 * sum((a - b) ** 2 for a, b in pairs) / (len(rows) ** 3 - len(rows))


def wrong_pairs(rows):
    """(number of pairs with a published order, pairs that have the other one here)"""
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2)
             if abs(float(a["published_us"]) / float(b["published_us"]) - 1) > ALIKE]
    return len(pairs), [(a, b) for a, b in pairs if (float(a["published_us"]) - float(b["published_us"])) *
                        (float(a["simulated_us"]) - float(b["simulated_us"])) < 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path, help="of hw-native-sys/simpler")
    parser.add_argument("--ptosim", type=pathlib.Path, default=pathlib.Path("build/ptosim"), help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for logs")
    parser.add_argument("--table", type=pathlib.Path, default=pathlib.Path("tests/program_times.csv"))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--resume", action="store_true", help="only runtimes with a figure that has no result")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for a runtime's workloads")
    settings = parser.parse_args()
    settings.ptosim = settings.ptosim.resolve()
    settings.work.mkdir(parents=True, exist_ok=True)
    rows = list(csv.DictReader(settings.table.open()))
    for key in dict.fromkeys((row["platform"], row["runtime"]) for row in rows):
        ours = [row for row in rows if (row["platform"], row["runtime"]) == key]
        if settings.resume and all(row["simulated_us"] for row in ours):
            continue
        measured = run_benchmarks(*key, settings)
        for row in ours:
            found = measured.get((row["workload"], row["metric"]))
            row["simulated_us"] = "" if found is None else f"{found:.1f}"
            row["ratio"] = "" if found is None else f"{found / float(row['published_us']):.3f}"
            print(*row.values(), flush=True)
        write_table(settings.table, rows)
    for platform, metric in dict.fromkeys((row["platform"], row["metric"]) for row in rows):
        group = [row for row in rows if (row["platform"], row["metric"]) == (platform, metric) and row["simulated_us"]]
        if len(group) < 3:
            continue
        count, wrong = wrong_pairs(group)
        print(f"{platform}, {metric}: rank correlation {rank_correlation(group):.2f} of {len(group)} workloads; "
              f"{count - len(wrong)} of {count} pairs in the published order")
        for a, b in wrong:
            print(f"  not {a['runtime']} {a['workload']} and {b['runtime']} {b['workload']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
