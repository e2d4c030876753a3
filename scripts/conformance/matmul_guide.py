#!/usr/bin/python3
"""The steps of PTO-DSL's matmul optimisation guide: simulated against published throughput.

    conformance.py matmul-guide CHECKOUT [--ptosim BIN] [--record SUITE]

CHECKOUT is one of huawei-csl/pto-dsl. Its own builders (examples/aot/matmul_optimization_guide) make
the kernels with the toolkit's `mlir`; each runs on the 910B2 with 24 blocks in `--mode timing`, steps 1
to 3 with flags inserted, as the guide assembles them. The published figures are read off the guide's
plots (fig/flops_step*.png): 1 TFLOPS is 2.2 pixels there.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import suites

STEPS = {"step1_baseline": ["--sync", "insert"], "step2_doublebuffer": ["--sync", "insert"],
         "step3_swizzle": ["--sync", "insert"], "step4_manual_pipelining": []}
# TFLOPS by (n = k, m), of steps 1 to 4.
PUBLISHED = {(8192, 1152): (127.3, 227.3, 221.3, 266.3), (8192, 2176): (130.1, 231.9, 230.0, 272.7),
             (8192, 4224): (133.8, 237.4, 238.7, 249.8), (16384, 1152): (89.9, 130.3, 215.3, 241.5),
             (16384, 2176): (90.8, 131.2, 220.8, 233.7), (16384, 4224): (91.7, 132.1, 220.8, 233.2)}


def kernel(checkout, step, folder):
    """The step's .pto file."""
    packages = suites.ROOT / "sim" / "faces" / "toolkit" / "python"
    done = subprocess.run(
        [sys.executable, f"{step}.py"], text=True, check=True, stdout=subprocess.PIPE,
        cwd=pathlib.Path(checkout) / "examples" / "aot" / "matmul_optimization_guide",
        env={**os.environ, "PYTHONPATH": f"{packages}:{checkout}", "PYTHONDONTWRITEBYTECODE": "1"})
    path = os.path.join(folder, f"{step}.pto")
    pathlib.Path(path).write_text(done.stdout)
    return path


def microseconds(ptosim, path, words, m, n, k):
    arrays = [f"zeros={m}x{k}xf16", f"zeros={n}x{k}xf16", f"zeros={m}x{n}xf16"]
    numbers = [f"i32={m}", f"i32={n}", f"i32={k}"]
    command = [ptosim, "run", path, "--chip", "ascend910b2", "--blocks", "24", "--mode", "timing",
               *words, "--json", "-"]
    for argument in arrays + numbers:
        command += ["--arg", argument]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["time_us"]


def main():
    parser = suites.parser_of(__doc__, "ptosim", "record")
    parser.add_argument("checkout")
    options = parser.parse_args()
    ptosim = suites.program(options.ptosim)
    checkout = os.path.abspath(options.checkout)
    rows = ["| n = k | m | step 1 | step 2 | step 3 | step 4 | order |", "|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        kernels = [(kernel(checkout, step, folder), words) for step, words in STEPS.items()]
        for (n, m), published in PUBLISHED.items():
            made = [2e-6 * m * n * n / microseconds(ptosim, path, words, m, n, n)
                    for path, words in kernels]
            cells = [f"{ours:.0f} / {theirs:.0f} ({100 * (ours / theirs - 1):+.0f} %)"
                     for ours, theirs in zip(made, published)]
            same = sorted(range(4), key=made.__getitem__) == sorted(range(4), key=published.__getitem__)
            rows.append(f"| {n} | {m} | {' | '.join(cells)} | {'same' if same else 'differs'} |")
            print(rows[-1], flush=True)
    if options.record:
        suites.put("\n".join(rows) + "\n", options.record, "matmul guide")


if __name__ == "__main__":
    main()
