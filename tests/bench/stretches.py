#!/usr/bin/python3
"""Cycles that clusters advance alone: the gain of a parallel timing model. Writes tests/bench/stretches.csv.

    stretches.py --ptosim BIN [--out FILE] [--trace TRACE.JSON:NAME...]

Clusters share L2 and HBM: a transfer that starts or ends changes the rates of all others in that very cycle. So the
longest that they can advance alone without a changed bit is from one such cycle (or a signal between clusters) to the
next: a stretch. Each program is recorded with --mode timing, and each of its stretches is given to threads: the time
of a stretch is that of the busiest cluster, or of all work evenly, whichever is longer; then all threads meet, and the
shared memory works alone. Work is counted in simulated instructions, half when one starts and half when it completes.

  windows   the same with windows of 300 cycles (about the latency of L2) in place of stretches: a model in which the
            sharing acts that much later. Its cycles would differ.
"""
import argparse
import bisect
import collections
import csv
import json
import math
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")
THREADS = 8
MEMORY = 0.33  # work of the shared memory for a start or an end, in instructions (callgrind, GEMM 3072^3)
MEETING = 1.0  # that all threads meet costs about as much as an instruction (0.3 us)
WINDOW = 300  # cycles
PIPES = {"MTE1", "MTE2", "MTE3", "M", "V", "FIX"}


def gemm(size, blocks):
    square = f"{size}x{size}"
    return ["gemm_f16.pto", blocks, f"zeros={square}xf16", f"zeros={square}xf16", f"out={square}xf32",
            *3 * [f"i32={size}"]]


PROGRAMS = {
    "GEMM 1536^3, 24 cube cores": gemm(1536, 24),
    "the same, cores that begin 37 cycles after one another": gemm(1536, 24) + ["--set launch.block_interval=37cycles"],
    "linear and ReLU, 24 clusters": [
        "linear_relu_mixed_f16.pto", 24, "zeros=3072x256xf16", "zeros=256x2048xf16", "zeros=1x2048xf32",
        "zeros=24x2x128x128xf32", "out=3072x2048xf16", "i32=3072", "i32=2048"],
    "attention, 24 clusters": [
        "attention_f16.pto", 24, "zeros=12288x64xf16", "zeros=12288x64xf16", "zeros=12288x64xf16",
        "zeros=24x2x128x128xf32", "zeros=24x2x128x128xf16", "zeros=24x2x128x64xf32", "out=12288x64xf32", "i32=12",
        "i32=1024", "i32=1024"],
    "vector sums of 15360 x 256, 48 vector cores": [
        "vadd_f32.pto", 48, "zeros=15360x256xf32", "zeros=15360x256xf32", "out=15360x256xf32", "i32=15360"],
    "small tiles that stay in UB, 48 vector cores": [
        "../bench/many_small_f32.pto", 48, "zeros=16x16xf32", "out=16x16xf32", "i32=500"],
}


class Run:
    """Work by cluster, as (cycle, instructions) in order, and the cycles in which clusters interact."""

    def __init__(self, path):
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        cycle = next(e["args"]["cycles"] / e["dur"] for e in events if e.get("cat") == "launch")
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.work = collections.defaultdict(list)
        interactions = collections.Counter()
        sent = {}
        for event in events:
            cluster = cluster_of(names[event["pid"]])
            if event["ph"] == "X" and event.get("cat") in PIPES:
                begin = round(event["ts"] * cycle)
                self.work[cluster] += [(begin, 0.5), (event["args"].get("complete", begin), 0.5)]
                if "l2_hit_bytes" in event["args"]:
                    interactions[begin] += 1
                    interactions[begin + event["args"]["cycles"]] += 1
            elif event["ph"] in "sf" and event.get("cat") in ("flag", "signal"):
                at = round(event["ts"] * cycle)
                self.work[cluster].append((at, 1))
                if event["ph"] == "s":
                    sent[event["cat"], event["id"]] = cluster
                elif sent.get((event["cat"], event["id"]), cluster) != cluster:
                    interactions[at] += 1
        self.interactions = sorted(interactions.items())
        for items in self.work.values():
            items.sort()
        self.end = max(items[-1][0] for items in self.work.values())
        self.total = sum(amount for items in self.work.values() for _, amount in items)

    def speed_up(self, bounds, meeting):
        stretches = collections.defaultdict(lambda: collections.defaultdict(float))
        for cluster, items in self.work.items():
            for at, amount in items:
                stretches[bisect.bisect_left(bounds, at)][cluster] += amount
        memory = MEMORY * sum(count for _, count in self.interactions)
        time = memory + sum(max(*parts.values(), sum(parts.values()) / THREADS) + meeting if len(parts) > 1
                            else sum(parts.values()) for parts in stretches.values())
        return (self.total + memory) / time


def cluster_of(name):
    core = re.match(r"(AIC|AIV)(\d+)", name)
    if core is None:
        return "host"
    return int(core[2]) // (1 if core[1] == "AIC" else 2)


def measure(name, path):
    run = Run(path)
    bounds = [at for at, _ in run.interactions]
    lengths = sorted(b - a for a, b in zip(bounds, bounds[1:])) or [run.end]
    windows = [WINDOW * i for i in range(1, math.ceil(run.end / WINDOW))]
    return {"program": name, "clusters": len(run.work), "cycles": run.end, "instructions": round(run.total),
            "stretches": len(bounds) + 1, "cycles_median": lengths[len(lengths) // 2],
            "cycles_90_percent": lengths[len(lengths) * 9 // 10],
            "instructions_each": round(run.total / (len(bounds) + 1), 2),
            "speed_up": round(run.speed_up(bounds, 0), 2), "speed_up_meeting": round(run.speed_up(bounds, MEETING), 2),
            "windows_speed_up_meeting": round(run.speed_up(windows, MEETING), 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--out", default=os.path.join(HERE, "stretches.csv"))
    parser.add_argument("--trace", action="append", default=[], help="a trace.json that there is, and its name")
    options = parser.parse_args()
    rows = []
    for name, (kernel, blocks, *arguments) in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            words = []
            for argument in arguments:
                words += argument.split(" ", 1) if argument.startswith("--") else ["--arg", argument]
            subprocess.run([options.ptosim, "run", os.path.join(KERNELS, kernel), "--blocks", str(blocks), *words,
                            "--mode", "timing", "--no-advice", "--trace", folder, "--trace-formats", "chrome"],
                           check=True, stdout=subprocess.DEVNULL)
            rows.append(measure(name, os.path.join(folder, "trace.json")))
    for trace in options.trace:
        path, name = trace.rsplit(":", 1)
        rows.append(measure(name, path))
    with open(options.out, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    with open(options.out) as file:
        print(file.read(), end="")


if __name__ == "__main__":
    main()
