#!/usr/bin/python3
"""Times kernels whose clusters are simulated apart, on one thread and on several. Writes clusters_apart.csv.

    clusters_apart.py --ptosim BIN [--before BIN] [--threads N] [--runs N] [--out FILE]

`--before` is an earlier program, for the same kernels on one thread. Times are of the whole program, on a host
without other work: the best of the runs, which alternate.
"""
import argparse
import csv
import json
import os
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")


def gemm(size, blocks):
    square = f"{size}x{size}"
    return ["gemm_f16.pto", blocks, f"zeros={square}xf16", f"zeros={square}xf16", f"out={square}xf32",
            *3 * [f"i32={size}"]]


def attention(keys):
    return ["attention_f16.pto", 24, "zeros=12288x64xf16", f"zeros={12 * keys}x64xf16", f"zeros={12 * keys}x64xf16",
            "zeros=24x2x128x128xf32", "zeros=24x2x128x128xf16", "zeros=24x2x128x64xf32", "out=12288x64xf32", "i32=12",
            "i32=1024", f"i32={keys}"]


PROGRAMS = {
    "GEMM 9216^3, 24 cube cores": gemm(9216, 24),
    "the same, cores that begin 37 cycles after one another": gemm(9216, 24) + ["--set launch.block_interval=37cycles"],
    "linear and ReLU, 24 clusters": [
        "linear_relu_mixed_f16.pto", 24, "zeros=49152x256xf16", "zeros=256x2048xf16", "zeros=1x2048xf32",
        "zeros=24x2x128x128xf32", "out=49152x2048xf16", "i32=49152", "i32=2048"],
    "attention of 65536 keys, 24 clusters": attention(65536),
    "vector sums of 983040 x 256, 48 vector cores": [
        "vadd_f32.pto", 48, "zeros=983040x256xf32", "zeros=983040x256xf32", "out=983040x256xf32", "i32=983040"],
    "small tiles that stay in UB, 48 vector cores": [
        "../bench/many_small_f32.pto", 48, "zeros=16x16xf32", "out=16x16xf32", "i32=20000"],
}


def run(ptosim, program, threads):
    kernel, blocks, *arguments = program
    words = []
    for argument in arguments:
        words += argument.split(" ", 1) if argument.startswith("--") else ["--arg", argument]
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        begin = time.perf_counter()
        subprocess.run([ptosim, "run", os.path.join(KERNELS, kernel), "--blocks", str(blocks), *words, "--mode", "timing",
                        "--no-advice", "--threads", str(threads), "--json", result], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - begin
        with open(result) as file:
            content = json.load(file)
    return seconds, content["cycles"], content["instructions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--before")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", default=os.path.join(HERE, "clusters_apart.csv"))
    options = parser.parse_args()
    ways = {"before": (options.before, 1)} if options.before else {}
    ways |= {"one_thread": (options.ptosim, 1), f"{options.threads}_threads": (options.ptosim, options.threads)}
    rows = []
    for name, program in PROGRAMS.items():
        best, cycles, instructions = {}, set(), 0
        for _ in range(options.runs):
            for way, (ptosim, threads) in ways.items():
                seconds, of_run, instructions = run(ptosim, program, threads)
                best[way] = min(best.get(way, seconds), seconds)
                if way != "before":
                    cycles.add(of_run)
        assert len(cycles) == 1, (name, cycles)
        last = best[f"{options.threads}_threads"]
        rows.append({"program": name, "cycles": cycles.pop(), "instructions": instructions,
                     **{f"seconds_{way}": f"{seconds:.3f}" for way, seconds in best.items()},
                     "speed_up": f"{best['one_thread'] / last:.2f}",
                     **({"speed_up_over_before": f"{best['before'] / last:.2f}"} if options.before else {})})
        print(*rows[-1].values(), sep="\t", flush=True)
    with open(options.out, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
