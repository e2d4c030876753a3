#!/usr/bin/env python3
"""Compares two builds of the simulator, in turns: the lines of the benchmark, each as a ratio.

    tests/bench/against.py --before build-of-A --after build-of-B [--rounds 5] [--only TEXT]

Both builds need the targets `ptosim` and `bench_instructions`, made with the same compiler and
options. Whole runs are compared by processor time, the least of the rounds, which alternate
between the two builds; single instructions by the best rate of the rounds. Prints a Markdown table;
a ratio above 1 means that B is slower. Exit code 1 where a line is slower by more than --bound.
Lines with "no advice" are run without advice if a build has it: they compare the machine.
"""
import argparse
import json
import os
import subprocess
import sys

import bench


def whole_runs():
    """Names of whole runs, and how a bench.Runner makes one of them."""
    one = ("--threads", "1")
    timing = ("--mode", "timing")
    recorded = lambda run, *extra: run.gemm(2048, 24, *one, "--trace", run.trace_folder(), *extra)
    return {
        "GEMM 2048^3, data and time": lambda run: run.gemm(2048, 24, *one),
        "GEMM 2048^3, data alone": lambda run: run.gemm(2048, 24, *one, "--mode", "functional"),
        "GEMM 2048^3, recorded": lambda run: recorded(run, "--trace-formats", "none"),
        "GEMM 2048^3, recorded, no advice": lambda run: recorded(run, "--trace-formats", "none",
                                                                 *run.no_advice),
        "GEMM 2048^3, all checks": lambda run: run.gemm(2048, 24, *one, "--check",
                                                        "bounds,init,race,sync"),
        "GEMM 1536^3, time alone": lambda run: run.gemm(1536, 24, *timing),
        "GEMM 1536^3, time alone, no advice": lambda run: run.gemm(1536, 24, *timing,
                                                                   *run.no_advice),
        "GEMM 6144^3, time alone": lambda run: run.gemm(6144, 24, *timing),
        "mixed, 24 clusters, time alone": lambda run: run.mixed(24, *timing),
        "50,000 small tiles, data and time": lambda run: run.small(50000, 1),
        "50,000 small tiles, time alone": lambda run: run.small(50000, 1, *timing),
        "50,000 small tiles, time alone, no advice": lambda run: run.small(50000, 1, *timing,
                                                                           *run.no_advice),
        "10,000 small tiles on 48 cores, time": lambda run: run.small(10000, 48, *timing),
        "start-up": lambda run: run.small(1, 1),
    }


def compare_runs(runners, rounds, only):
    for name, run in whole_runs().items():
        if only not in name:
            continue
        best = [None, None]
        for _ in range(rounds):
            for side, runner in enumerate(runners):
                seconds = run(runner)["cpu"]
                best[side] = seconds if best[side] is None else min(best[side], seconds)
        yield name, f"{best[0]:.3f} s", f"{best[1]:.3f} s", best[1] / best[0]


def compare_instructions(runners, rounds, only):
    rates = [{}, {}]
    for _ in range(rounds):
        for side, runner in enumerate(runners):
            result = json.loads(subprocess.run([runner.instructions, "--quick"], check=True,
                                               capture_output=True).stdout)
            for row in result["instructions"]:
                seen = rates[side].get(row["name"], 0.0)
                rates[side][row["name"]] = max(seen, row["rate"])
    for name, before in rates[0].items():
        if only in name and name in rates[1]:
            after = rates[1][name]
            yield name, f"{before:.3g}", f"{after:.3g}", before / after


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", required=True, help="a build folder")
    parser.add_argument("--after", required=True, help="a build folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="lines whose name contains this text")
    parser.add_argument("--bound", type=float, default=1.03)
    options = parser.parse_args()
    runners = [bench.Runner(os.path.abspath(folder), True)
               for folder in (options.before, options.after)]
    print("| what | before | after | after/before |\n|---|---|---|---|")
    worst = 0.0
    for compare in (compare_runs, compare_instructions):
        for name, before, after, ratio in compare(runners, options.rounds, options.only):
            worst = max(worst, ratio)
            print(f"| {name} | {before} | {after} | {ratio:.3f} |", flush=True)
    return 1 if worst > options.bound else 0


if __name__ == "__main__":
    sys.exit(main())
