"""Runs simpler's benchmark script (tools/benchmark_rounds.sh) under 'ptosim exec' in timing mode and compares the times that
it prints with the published ones.

The table (tests/program_times.csv) has a line for each published figure: platform, runtime, workload as the script names it,
metric (effective: the merged window of orchestrator and schedulers; device: the whole run on the device), the time in
microseconds and its source. The script's figure and the ratio are written into the last two columns. 'ptosim simpler-setup'
must have been run for each runtime; PATH and PYTHONPATH must find Python with simpler. --resume runs only runtimes with a
figure that has no result.
"""
import itertools
import os
import re

import suites
from api_times import Published
from suites import ROOT, one, options

ALIKE = 0.03  # published figures that differ by less have no order
SUMMARY = re.compile(r"^  (\S+ \(\S+\)) +\S+ +(.*\d.*)$", re.M)


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(place) for place in range(len(values))]


def rank_correlation(rows):
    """Spearman's coefficient of published and simulated times."""
    pairs = zip(*(ranks([float(row[key]) for row in rows]) for key in ("published_us", "simulated_us")))
    return 1 - 6 * sum((a - b) ** 2 for a, b in pairs) / (len(rows) ** 3 - len(rows))


def ordered_pairs(rows):
    """(number of pairs with a published order, pairs that have the other one here)"""
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2)
             if abs(float(a["published_us"]) / float(b["published_us"]) - 1) > ALIKE]
    return len(pairs), [(a, b) for a, b in pairs if (float(a["published_us"]) - float(b["published_us"])) *
                        (float(a["simulated_us"]) - float(b["simulated_us"])) < 0]


class Workloads(Published):
    repository = "hw-native-sys/simpler"
    options = options("ptosim resume work!", table=ROOT / "tests" / "program_times.csv", rounds=one(2), timeout=900)
    facts = ("platform", "runtime", "workload", "metric")
    figures = ("published_us", "simulated_us", "ratio")

    def prepare(self):
        self.measured = {}

    def is_done(self, name):
        return all(row["simulated_us"] for row in self.rows if self.name_of(row)[:2] == name[:2])

    def run(self, item):
        key = self.name_of(item)[:2]
        if key not in self.measured:
            self.measured[key] = self.measure(*key)
        return self.with_figure(item, self.measured[key].get((item["workload"], item["metric"])), ".1f")

    def measure(self, platform, runtime):
        """Microseconds by workload and metric."""
        status, output = suites.run(
            [self.given.ptosim, "exec", "--mode", "timing", "--", "bash", "tools/benchmark_rounds.sh", "-p", platform, "-r",
             runtime, "-n", self.given.rounds], self.given.checkout, self.given.timeout,
            dict(os.environ, PTOSIM=str(self.given.ptosim)), merged=False)
        (self.given.work / f"{platform}-{runtime}.log").write_text(output)
        table = output.partition("Performance Summary")[2]
        columns = [name.lower() for name in re.findall(r"(\w+) \(us\)", table)]
        return {(workload, metric): float(value) for workload, values in SUMMARY.findall(table)
                for metric, value in zip(columns, values.split())}

    def summary(self):
        lines, rows = [], [row for row in self.results.values() if row["simulated_us"]]
        for platform, metric in dict.fromkeys((row["platform"], row["metric"]) for row in rows):
            group = [row for row in rows if (row["platform"], row["metric"]) == (platform, metric)]
            if len(group) < 3:
                continue
            count, wrong = ordered_pairs(group)
            lines += [f"{platform}, {metric}: rank correlation {rank_correlation(group):.2f} of {len(group)} workloads; "
                      f"{count - len(wrong)} of {count} pairs in the published order",
                      *(f"  not {a['runtime']} {a['workload']} and {b['runtime']} {b['workload']}" for a, b in wrong)]
        return "\n".join(lines)
