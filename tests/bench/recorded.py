#!/usr/bin/env python3
"""Cost of the files that --trace makes by default: a product with data, without and with --trace, in turns.

    tests/bench/recorded.py --ptosim BIN [--pairs 11] [--size 2048] [--blocks 16]

Processor time (user and system) of whole runs, and the median, least and greatest ratio of the pairs.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile

KERNEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels", "gemm_f16.pto")


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--blocks", type=int, default=16)
    options = parser.parse_args()
    square = f"{options.size}x{options.size}"
    plain = [options.ptosim, "run", KERNEL, "--blocks", str(options.blocks)]
    for argument in (f"rand={square}xf16:1", f"rand={square}xf16:2", f"out={square}xf32", *3 * [f"i32={options.size}"]):
        plain += ["--arg", argument]
    times = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        for pair in range(options.pairs):
            for recorded in (False, True) if pair % 2 == 0 else (True, False):
                shutil.rmtree(trace, ignore_errors=True)
                times[recorded].append(seconds(plain + (["--trace", trace] if recorded else [])))
    ratios = sorted(with_trace / without for without, with_trace in zip(times[False], times[True]))
    print(f"{statistics.median(times[False]):.2f} s, with --trace {statistics.median(times[True]):.2f} s: "
          f"{statistics.median(ratios):.2f} times ({ratios[0]:.2f} to {ratios[-1]:.2f}, {options.pairs} pairs)")


if __name__ == "__main__":
    main()
