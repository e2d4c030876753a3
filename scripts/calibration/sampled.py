#!/usr/bin/python3
"""Sampled time against whole runs, on the kernels of the validation and on longer ones.

    sampled.py [--ptosim build/ptosim] [--minutes N] [--write]

runs each kernel with and without --sample, and prints the cycles, the share that was simulated, and the processor
time of both. --write records the table in tests/evidence/sampled.json. The exit code is 1 if a time differs by more than
3 %, or the mean by more than half a per cent.
"""
import argparse
import os
import resource
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import evidence  # noqa: E402
import figures as fig  # noqa: E402

KERNELS = os.path.join(fig.ROOT, "tests", "kernels")
LEAST = 100_000  # cycles of a kernel of the validation
MOST = 3.0       # per cent
MEAN = 0.5


def gemm(m, n, k):
    return "gemm_f16.pto", 24, [f"zeros={m}x{k}xf16", f"zeros={k}x{n}xf16", f"out={m}x{n}xf32", f"i32={m}", f"i32={k}", f"i32={n}"]


def attention(blocks, heads, queries, keys):
    return "attention_f16.pto", blocks, [
        f"zeros={heads * queries}x64xf16", *[f"zeros={heads * keys}x64xf16"] * 2, f"zeros={blocks}x2x128x128xf32",
        f"zeros={blocks}x2x128x128xf16", f"zeros={blocks}x2x128x64xf32", f"out={heads * queries}x64xf32",
        f"i32={heads}", f"i32={queries}", f"i32={keys}"]


def softmax(rows):
    return "softmax_rows_f32.pto", 48, [f"zeros={rows}x512xf32", f"out={rows}x512xf32", f"i32={rows}"]


LONG = {
    "gemm 4096 x 4096 x 4096": gemm(4096, 4096, 4096), "gemm 6144 x 6144 x 6144": gemm(6144, 6144, 6144),
    "gemm 8192 x 8192 x 8192": gemm(8192, 8192, 8192), "gemm 12288 x 12288 x 12288": gemm(12288, 12288, 12288),
    "attention, 8192 keys": attention(24, 8, 1024, 8192), "attention, 16384 keys": attention(20, 4, 1024, 16384),
    "attention, 65536 keys": attention(24, 1, 3072, 65536), "softmax, 65536 rows": softmax(65536),
    "softmax, 262144 rows": softmax(262144),
}


def timed(run):
    """The answer of a run, and its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    answer = run()
    return answer, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


class Compared:
    """The rows of the table, and their deviations in per cent."""

    def __init__(self):
        self.rows, self.deviations = [], []

    def add(self, name, run):
        whole, whole_seconds = timed(lambda: run(()))
        if whole["cycles"] < LEAST:
            return
        part, part_seconds = timed(lambda: run(("--sample",)))
        deviation = 100 * (part["cycles"] / whole["cycles"] - 1)
        self.deviations.append(abs(deviation))
        share = 100 * part["sampled"]["simulated_cycles"] / part["cycles"]
        row = [name, str(whole["cycles"]), str(part["cycles"]), f"{deviation:+.2f}", f"{share:.0f}", f"{whole_seconds:.2f}",
               f"{part_seconds:.2f}"]
        self.rows.append(row)
        print(" ".join(row), flush=True)


def of_file(ptosim, name, blocks, arguments, options):
    with open(os.path.join(KERNELS, name)) as file:
        return fig.run(ptosim, "ascend910b1", file.read(), arguments, blocks, options=options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", default=os.path.join(fig.ROOT, "build", "ptosim"))
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    compared, plain = Compared(), fig.run
    for name, kernel in LONG.items():
        compared.add(name, lambda options, kernel=kernel: of_file(arguments.ptosim, *kernel, options))
    kernels = sorted({(f.row["chip"], f.row["kernel"]) for f in fig.all_figures()
                      if "kernel" in f.row and f.row["kernel"].split("_")[0] not in fig.STEPS})  # those need recordings
    left_out = 0
    for chip, kernel in kernels:
        if time.monotonic() > end:
            left_out += 1
            continue

        def simulate(options, chip=chip, kernel=kernel):
            answers = []

            def keep(*words, **named):
                answers.append(plain(*words, **named, options=options))
                return answers[-1]
            fig.run = keep
            try:
                fig.simulate_kernel(arguments.ptosim, chip, kernel)
            finally:
                fig.run = plain
            return {key: sum(a[key] for a in answers) for key in ("cycles",)} | {
                "sampled": {"simulated_cycles": sum(a.get("sampled", {}).get("simulated_cycles", 0) for a in answers)}}
        compared.add(f"{chip} {kernel}", simulate)
    mean, worst = sum(compared.deviations) / len(compared.deviations), max(compared.deviations)
    text = "\n".join(["# Sampled time", "",
                      "| kernel | cycles | with --sample | deviation % | simulated % | processor s | with --sample |",
                      "|---|--:|--:|--:|--:|--:|--:|", *["| " + " | ".join(row) + " |" for row in compared.rows], "",
                      f"{len(compared.rows)} kernels of at least {LEAST} cycles; mean deviation {mean:.2f} %, at most {worst:.2f} %"
                      + (f"; {left_out} left out for time." if left_out else "."), ""])
    print(text.rsplit("|", 1)[1].strip())
    if arguments.write:
        evidence.record("sampled", text)
    return 1 if worst > MOST or mean > MEAN else 0


if __name__ == "__main__":
    sys.exit(main())
