#!/usr/bin/python3
"""Published questions about the design of accelerators, asked with ptosim sweep: sign and order of the answers.

    design_questions_test.py --ptosim BIN

The chips of the papers differ from ours, so no number is compared but those that a paper gives as a bound.

 * Jouppi and others, ISCA 2017 (TPU v1): GDDR5 in place of DDR3, 180 in place of 34 GB/s, gives 3 times the achieved
   operations; a larger matrix unit gives nothing, because four of six applications wait for weights.
 * Atmer and others, arXiv 2512.22066: a higher frequency shortens the prefill of a prompt, but the memory's rate caps
   its effect on decoding; it can lower the energy, because leakage lasts shorter.
 * The same: larger local buffers raise the energy by their leakage, without a latency that makes up for it.

Not asked: SCALE-Sim v3 (arXiv 2504.15377) finds that an array of 128 x 128 takes 2.86 times the energy of 32 x 32,
because idle multipliers take energy in it; here only done multiply-adds and leakage do.
"""
import json
import math
import os
import subprocess
import tempfile
import unittest

import command_line

PTOSIM = "ptosim"
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(os.path.dirname(HERE), "kernels", "parametric")
# A prompt of 1024 tokens, and 32 sequences that generate one token each, through a layer of weights.
PREFILL = ["gemm.pto", {"M": 1024, "N": 1024, "K": 1024, "TM": 128, "TN": 128, "TK": 256, "C_SLOTS": 1}]
DECODE = ["gemm.pto", {"M": 32, "N": 4096, "K": 4096, "TM": 32, "TN": 256, "TK": 256, "C_SLOTS": 1}]
VECTORS = ["dequantise_gemv.pto", {"ROWS": 4096, "K": 4096, "CHUNK": 32, "TK": 256}]


class Questions(unittest.TestCase):
    def ask(self, kernel, changes):
        """Speed-ups and ratios of energy by change."""
        file, parameters = kernel
        plan = {"chips": ["ascend910b1"], "changes": changes,
                "kernels": [{"file": os.path.join(LIBRARY, file), "params": parameters}]}
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plan.json"), "w") as out:
                json.dump(plan, out)
            for words in (["plan.json"], ["report", "plan.sweep", "--json", "report.json"]):
                done = subprocess.run([PTOSIM, "sweep", *words], cwd=folder, capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "report.json")) as report:
                rows = json.load(report)["changes"][0]["rows"]
        return {row["change"]: (row["speed_up"], row["energy_ratio"]) for row in rows}

    def test_faster_memory_of_the_tpu(self):
        # A memory as slow for its multiply-adds as the TPU's: 92 TOPS and 34 GB/s are 1350 multiply-adds a byte.
        rate = 24 * 4096 * 1.85e9 / 1350 / 1e12
        changes = [{"name": "slow", "memory.hbm.rate": f"{rate:.4f}TB/s"},
                   {"name": "memory", "memory.hbm.rate": f"{rate * 180 / 34:.4f}TB/s"},
                   {"name": "matrix", "memory.hbm.rate": f"{rate:.4f}TB/s", "aic.cube.k_per_cycle.f16": "x4"}]
        answers = [self.ask(kernel, changes) for kernel in (PREFILL, DECODE)]
        gains = {name: [answer[name][0] / answer["slow"][0] for answer in answers] for name in ("memory", "matrix")}
        memory = math.prod(gains["memory"]) ** 0.5
        self.assertGreater(memory, 2)
        self.assertLess(memory, 180 / 34)
        self.assertLess(max(gains["matrix"]), 1.1)

    def test_frequency_in_prefill_and_decode(self):
        changes = [{"name": "faster", "clock": "x1.5"}]
        prefill, decode = self.ask(PREFILL, changes)["faster"], self.ask(DECODE, changes)["faster"]
        self.assertGreater(prefill[0], 1.4)
        self.assertLess(decode[0], 1.15)
        # At both ends of the figures' ranges.
        self.assertLess(prefill[1][2], 1)

    def test_larger_local_buffers(self):
        small = [{"name": "double", "aiv.ub.bytes": "x2"}]
        speed_up, energy = self.ask(VECTORS, small)["double"]
        self.assertLess(speed_up, 1.01)
        self.assertGreater(energy[0], 1)
        speed_up, energy = self.ask(PREFILL, [{"name": "double", "aic.l1.bytes": "x2"}])["double"]
        self.assertLess(speed_up, 1.01)
        self.assertGreater(energy[0], 1)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
