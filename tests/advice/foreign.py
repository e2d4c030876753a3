#!/usr/bin/python3
"""Kernels of other people whose next version is public: does the advice name the change of that version?

    foreign.py --ptosim BIN --kernels FOLDER [--manual CHECKOUT]

FOLDER holds the output of the builders of huawei-csl/pto-dsl (examples/aot):
`python step1_baseline.py > step1_baseline.pto`, and so on, under the names below. CHECKOUT is one
of pto-isa, two of whose kernels/manual are built as `conformance.py manual-kernels` does,
without and with what their documents advise. The change of the next version is from its text and from
that project's documents, not from here. Prints a row of tests/evidence/advice.json for each: advice is read from
agent.json alone.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "conformance"))
import manual_kernels  # noqa: E402


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
HADAMARD = ["zeros=256x16384xf16", "i32=256", "i32=16384", "i32=14"]
QUANT = ["zeros=256x16384xf16", "out=256x16384xi8", "zeros=128xf16", "zeros=128xf16", "i32=0",
         "i32=0", "i32=256", "i32=16384", "i32=14", "f32=1", "i32=16384", "f32=0", "i32=0", "i32=0"]
SCHEDULE = ("buffer", "flag", "barrier")

STEPS = [
    Step("step1_baseline", "step2_doublebuffer", matmul(1152, 4096, 4096), 24, "double buffers", ("buffer",)),
    Step("step2_doublebuffer", "step3_swizzle", matmul(1152, 16384, 16384), 24, "an order of tiles that L2 holds",
         ("cache",)),
    Step("step3_swizzle", "step4", matmul(1152, 4096, 4096), 24, "flags by hand: loads run ahead of products",
         SCHEDULE, True),
    Step("add_dyn", "add_dbl", ADD, 48, "double buffers", ("buffer",)),
    Step("matmul_dynbatch_multicore", "matmul_dynbatch_multicore_opt", BATCH, 24,
         "loads B once, and whole tiles of A", ("work", "bursts", "first-reads")),
    Step("matmul_dynbatch_multicore_opt", "", BATCH, 24, "two buffers (and f16)", ("buffer",)),
    Step("hadamard_auto", "hadamard_manual", HADAMARD, 24, "flags by hand, two buffers in turn",
         SCHEDULE),
    Step("hadamard_quant_auto", "hadamard_quant_manual", QUANT, 24,
         "flags by hand, two buffers in turn", SCHEDULE),
]


@dataclass
class Manual:
    """A kernel of kernels/manual at two values of the size that its document tunes."""
    name: str
    before: manual_kernels.Kernel
    after: manual_kernels.Kernel
    did: str
    kinds: tuple


def gemm(**constants):
    kernel = manual_kernels.KERNELS["gemm_performance"]
    sizes = {"m": 1536, "k": 1536, "n": 1536, "singleCoreM": 384, "singleCoreK": 1536,
             "singleCoreN": 256, "blockDim": 24}
    return replace(kernel, constants={**sizes, **constants},
                   arguments={"6144, 6144, 6144": "1536, 1536, 1536"})


def attention(preload):
    kernel = manual_kernels.KERNELS["flash_atten"]
    cases = ("--causal-mask", "0", "--cases", "128,3072,2048,128")
    return replace(kernel, scripts=(("generate_cases.py", "--qk-preload", str(preload), *cases),
                                    ("gen_data.py", *cases)))


MANUAL = [
    Manual("gemm_performance", gemm(stepKa=1, stepKb=1), gemm(),
           "four slices of K in L1 with each load", ("bursts", "work")),
    Manual("flash_atten", attention(2), attention(4), "QK of four tiles ahead", ("hand-over",)),
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


def run_manual(options, kernel, name, folder):
    """agent.json of its first launch."""
    program, problem = manual_kernels.build(kernel, name, options)
    if problem:
        raise SystemExit(problem)
    trace = os.path.join(folder, name)
    # Its main compares outputs, which nothing has computed.
    manual_kernels.run([program], program.parent, os.path.join(folder, "log"), {
        "PTOSIM_MODE": "timing", "PTOSIM_TRACE": trace, "PTOSIM_TRACE_FORMATS": "agent"})
    for found in sorted(pathlib.Path(trace).rglob("agent.json")):
        return json.loads(found.read_text())
    log = pathlib.Path(folder, "log").read_text()
    raise SystemExit(f"{name} left no agent.json:\n{log[:2000]}")


def row(name, agent, did, after, kinds):
    advice = agent["advice"]
    places = [i for i, a in enumerate(advice, 1) if a["kind"] in kinds]
    texts = [f"{a['kind']}: {a['what']}, {a.get('saves_percent', 0)} %" for a in advice[:2]]
    texts += 2 * [""]
    line = ""
    if advice and advice[0].get("file"):
        line = f"{os.path.basename(advice[0]['file'])}:{advice[0]['line']}"
    print(f"| {name} | {agent['cycles']} | {did} | {after.get('cycles', '')} | {texts[0]} | "
          f"{line} | {texts[1]} | {places[0] if places else 'none'} of "
          f"{agent.get('advice_in_all', len(advice))} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--manual", type=pathlib.Path, help="a checkout of pto-isa")
    parser.add_argument("--python", default=sys.executable,
                        help="for the scripts of pto-isa: one with numpy")
    parser.add_argument("--only", default="", help="those whose name contains this")
    options = parser.parse_args()
    print("| kernel | cycles | the next version did | its cycles | first advice | its line | "
          "second | place of what was done |\n"
          "|---|--:|---|--:|---|---|---|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for step in STEPS:
            if options.only not in step.before:
                continue
            agent = run(options, step.before, step, True, folder)
            after = run(options, step.after, step, not step.by_hand, folder) if step.after else {}
            row(step.before, agent, step.did, after, step.kinds)
        for kernel in MANUAL if options.manual else []:
            if options.only not in kernel.name:
                continue
            options.checkout = options.manual.resolve()
            options.work = pathlib.Path(folder, "manual")
            agent = run_manual(options, kernel.before, kernel.name, folder)
            after = run_manual(options, kernel.after, kernel.name + "_after", folder)
            row(kernel.name, agent, kernel.did, after, kernel.kinds)


if __name__ == "__main__":
    sys.exit(main())
