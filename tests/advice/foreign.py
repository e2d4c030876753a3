#!/usr/bin/python3
"""Kernels of other people whose next version is public: does the advice on the one name what the next one did?

    foreign.py --ptosim BIN --kernels FOLDER

FOLDER holds what the builders of huawei-csl/pto-dsl print (examples/aot): `python step1_baseline.py >
step1_baseline.pto`, and so on, under the names below. What the next version did is from its text and from that
project's documents, not from here. Prints a row of README.md for each: advice is read from agent.json alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass


@dataclass
class Step:
    before: str
    after: str  # empty: it cannot be compared (other types)
    arguments: list
    blocks: int
    did: str  # what the next version did
    kinds: tuple  # advice that says so
    by_hand: bool = False  # the next version has flags of its own


def matmul(m, n, k):
    return [f"zeros={m}x{k}xf16", f"zeros={n}x{k}xf16", f"zeros={m}x{n}xf16", f"i32={m}", f"i32={n}", f"i32={k}"]


ADD = 3 * ["zeros=4194304xf32"] + ["i32=4194304"]
BATCH = ["zeros=8192x128xf32", "zeros=8192x128xf32", "zeros=128x128xf32", "zeros=1x128xf32", "i1=0", "i32=64"]
SCHEDULE = ("buffer", "flag", "barrier")

STEPS = [
    Step("step1_baseline", "step2_doublebuffer", matmul(1152, 4096, 4096), 24, "double buffers", ("buffer",)),
    Step("step2_doublebuffer", "step3_swizzle", matmul(4096, 8192, 4096), 24, "an order of tiles that L2 holds",
         ("cache",)),
    Step("step3_swizzle", "step4", matmul(1152, 4096, 4096), 24, "flags by hand: loads run ahead of products",
         SCHEDULE, True),
    Step("add_dyn", "add_dbl", ADD, 48, "double buffers", ("buffer",)),
    Step("matmul_dynbatch_multicore", "matmul_dynbatch_multicore_opt", BATCH, 24,
         "loads B once, and whole tiles of A", ("work", "bursts", "cache")),
    Step("matmul_dynbatch_multicore_opt", "", BATCH, 24, "two buffers (and f16)", ("buffer",)),
]


def run(options, name, step, insert, folder):
    line = [options.ptosim, "run", os.path.join(options.kernels, name + ".pto"), "--blocks", str(step.blocks),
            "--mode", "timing", "--trace", os.path.join(folder, name), "--trace-formats", "agent"]
    if insert:
        line += ["--sync", "insert"]
    for argument in step.arguments:
        line += ["--arg", argument]
    process = subprocess.run(line, capture_output=True, text=True, timeout=600)
    if process.returncode:
        raise SystemExit(f"{' '.join(line)}\n{process.stderr[:2000]}")
    with open(os.path.join(folder, name, "agent.json")) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--only", default="", help="those whose name contains this")
    options = parser.parse_args()
    print("| kernel | cycles | the next version did | its cycles | first advice | second | place of what was done |\n"
          "|---|--:|---|--:|---|---|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for step in STEPS:
            if options.only not in step.before:
                continue
            agent = run(options, step.before, step, True, folder)
            after = run(options, step.after, step, not step.by_hand, folder) if step.after else {}
            advice = agent["advice"]
            places = [i for i, a in enumerate(advice, 1) if a["kind"] in step.kinds]
            texts = [f"{a['kind']}: {a['what']}, {a.get('saves_percent', 0)} %" for a in advice[:2]] + 2 * [""]
            print(f"| {step.before} | {agent['cycles']} | {step.did} | {after.get('cycles', '')} | {texts[0]} | "
                  f"{texts[1]} | {places[0] if places else 'none'} of {agent.get('advice_in_all', len(advice))} |",
                  flush=True)


if __name__ == "__main__":
    sys.exit(main())
