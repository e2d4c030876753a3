"""The steps of PTO-DSL's matmul optimisation guide: simulated against published throughput.

CHECKOUT is one of huawei-csl/pto-dsl. Its own builders (examples/aot/matmul_optimization_guide) make the kernels with the
toolkit's `mlir`; each runs on the 910B2 with 24 blocks in `--mode timing`, steps 1 to 3 with flags inserted, as the guide
assembles them. The published figures are read off the guide's plots (fig/flops_step*.png): 1 TFLOPS is 2.2 pixels there.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from suites import ROOT, Suite, launch, options

STEPS = {"step1_baseline": ["--sync", "insert"], "step2_doublebuffer": ["--sync", "insert"],
         "step3_swizzle": ["--sync", "insert"], "step4_manual_pipelining": []}
# TFLOPS by (n = k, m), of steps 1 to 4.
PUBLISHED = {(8192, 1152): (127.3, 227.3, 221.3, 266.3), (8192, 2176): (130.1, 231.9, 230.0, 272.7),
             (8192, 4224): (133.8, 237.4, 238.7, 249.8), (16384, 1152): (89.9, 130.3, 215.3, 241.5),
             (16384, 2176): (90.8, 131.2, 220.8, 233.7), (16384, 4224): (91.7, 132.1, 220.8, 233.2)}


class Steps(Suite):
    repository = "huawei-csl/pto-dsl"
    options = options("ptosim record")
    columns = ("n = k", "m", "step 1", "step 2", "step 3", "step 4", "order")
    key, state = ("n = k", "m"), "order"
    good = None
    mark = "matmul guide"

    def prepare(self):
        """The .pto file of each step."""
        self.folder = tempfile.TemporaryDirectory()
        packages = f"{ROOT / 'sim' / 'faces' / 'toolkit' / 'python'}:{self.given.checkout}"
        for step in STEPS:
            text = subprocess.run(
                [sys.executable, f"{step}.py"], text=True, check=True, stdout=subprocess.PIPE,
                cwd=self.given.checkout / "examples" / "aot" / "matmul_optimization_guide",
                env={**os.environ, "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"}).stdout
            pathlib.Path(self.folder.name, f"{step}.pto").write_text(text)

    def items(self):
        return list(PUBLISHED)

    def name_of(self, item):
        return item

    def microseconds(self, step, m, n, k):
        command = launch(self.given.ptosim, "run", f"{self.folder.name}/{step}.pto", "--chip", "ascend910b2", "--blocks", "24",
                         "--mode", "timing", *STEPS[step], "--json", "-", arguments=[
                             *(f"zeros={rows}x{columns}xf16" for rows, columns in ((m, k), (n, k), (m, n))),
                             *(f"i32={size}" for size in (m, n, k))])
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["time_us"]

    def run(self, item):
        (n, m), published = item, PUBLISHED[item]
        made = [2e-6 * m * n * n / self.microseconds(step, m, n, n) for step in STEPS]
        cells = [f"{ours:.0f} / {theirs:.0f} ({100 * (ours / theirs - 1):+.0f} %)" for ours, theirs in zip(made, published)]
        same = sorted(range(4), key=made.__getitem__) == sorted(range(4), key=published.__getitem__)
        return dict(zip(self.columns, (n, m, *cells, "same" if same else "differs")))

    def told(self, name, result):
        return " | ".join(map(str, result.values()))
