#!/usr/bin/python3
"""Causes of findings, and repairs: `ptosim check` names the broken place first, and --fix makes a right kernel.

fix_test.py --ptosim BIN

Outputs of repaired kernels are compared with numpy.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
sys.path.insert(0, HERE)
import command_line  # noqa: E402
import first_finding  # noqa: E402

PTOSIM = "ptosim"
SET, WAIT = (f"pto.{what}_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]" for what in ("set", "wait"))
AXPY = """
__global__ AICORE void axpy(__gm__ float* x, __gm__ float* z) {
    using Data = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1, 1, 1, 64, 1>>;
    Tile<TileType::Vec, float, 16, 64> a;
    TASSIGN(a, 0x0);
    Data from(x), to(z);
    TLOAD(a, from);
    TMULS(a, a, 2.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, a);
    pipe_barrier(PIPE_ALL);
}
"""


def lines_with(text, pattern):
    return [number for number, line in enumerate(text.splitlines(), 1) if re.search(pattern, line)]


class Fix(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = np.random.default_rng(3)
        self.x, self.y = (random.standard_normal((256, 256)).astype(np.float32) for _ in range(2))
        for name in ("x", "y"):
            np.save(os.path.join(self.folder, f"{name}.npy"), getattr(self, name))
        np.save(os.path.join(self.folder, "sum.npy"), self.x + self.y)
        with open(os.path.join(KERNELS, "vadd_f32.pto")) as file:
            self.text = file.read()
        self.words = ["--blocks", "1", "--arg", "in=x.npy", "--arg", "in=y.npy", "--arg", "out=256x256xf32",
                      "--arg", "i32=256"]

    def check(self, text, *more, name="k.pto", words=None):
        """Exit code, findings, standard output, standard error."""
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)
        done = subprocess.run([PTOSIM, "check", name, *(self.words if words is None else words), "--json", "r.json",
                               *more], cwd=self.folder, capture_output=True, text=True, timeout=300)
        with open(os.path.join(self.folder, "r.json")) as file:
            return done.returncode, json.load(file)["diagnostics"], done.stdout, done.stderr

    def repaired(self, text, name="k.fixed.pto"):
        code, findings, _, errors = self.check(text, "--fix")
        self.assertEqual(code, 1, errors)
        self.assertTrue(findings[0]["mend"]["checked"], findings)
        self.assertIn("(checked: no finding with it)", errors)
        with open(os.path.join(self.folder, name)) as file:
            fixed = file.read()
        code, findings, _, errors = self.check(fixed, "--golden", "2=sum.npy")
        self.assertEqual((code, findings), (0, []), errors)
        return fixed

    def without(self, which, nth=0):
        lines = self.text.splitlines()
        number = [i for i, line in enumerate(lines) if which in line][nth]
        return "\n".join(lines[:number] + [""] + lines[number + 1:]) + "\n", number + 1

    def test_a_lost_set_is_one_finding_and_is_put_back(self):
        text, number = self.without(SET)
        _, findings, _, _ = self.check(text)
        self.assertEqual(findings[0]["code"], "E05")
        self.assertTrue(first_finding.is_at(findings[0], self.text.splitlines(), text.splitlines(), number))
        self.repaired(text)

    def test_a_lost_wait_is_one_finding_and_is_put_back(self):
        text, number = self.without(WAIT)
        _, findings, _, _ = self.check(text)
        self.assertEqual(len(findings), 1, findings)
        self.assertGreaterEqual(len(findings[0]["explains"]), 1)
        self.assertTrue(first_finding.is_at(findings[0], self.text.splitlines(), text.splitlines(), number))
        self.repaired(text)

    def test_a_lost_first_set_is_put_before_the_loop(self):
        text, number = self.without("pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]")
        fixed = self.repaired(text)
        put = lines_with(fixed, r"set_flag\[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>\]")[0]
        self.assertLess(put, lines_with(fixed, "scf.for")[0])

    def test_a_lost_pair_of_flags_explains_all_races(self):
        """The kernel of a newcomer: the store does not wait for the vector unit."""
        with open(os.path.join(KERNELS, "rmsnorm_f32.pto")) as file:
            text = file.read()
        lost = "\n".join("" if "_flag[<PIPE_V>, <PIPE_MTE3>" in line else line for line in text.splitlines()) + "\n"
        words = ["--blocks", "4", "--arg", "rand=128x512xf32", "--arg", "rand=1x512xf32", "--arg", "out=128x512xf32",
                 "--arg", "i32=128"]
        code, findings, _, errors = self.check(lost, words=words)
        self.assertEqual((code, len(findings)), (1, 1), errors)
        first = findings[0]
        self.assertEqual((first["code"], first["pipe"], first["related"][0]["pipe"]), ("E01", "MTE3", "V"))
        self.assertGreater(len(first["explains"]), 1)
        self.assertTrue(first["mend"]["checked"])
        self.assertEqual([line["text"][:13] for line in first["mend"]["lines"]], ["pto.set_flag[", "pto.wait_flag"])

    def test_nothing_is_overwritten_without_in_place(self):
        text, _ = self.without(WAIT)
        self.check(text, "--fix")
        with open(os.path.join(self.folder, "k.pto")) as file:
            self.assertEqual(file.read(), text)
        _, _, patch, _ = self.check(text, "--diff")
        with open(os.path.join(self.folder, "k.pto")) as file:
            self.assertEqual(file.read(), text)
        self.assertIn("--- a/k.pto\n+++ b/k.pto\n@@", patch)
        patch = patch[patch.index("--- a/"):]
        done = subprocess.run(["patch", "-p1", "--output=patched.pto"], cwd=self.folder, input=patch,
                              capture_output=True, text=True) if shutil.which("patch") else None
        self.check(text, "--in-place")
        with open(os.path.join(self.folder, "k.pto")) as file:
            mended = file.read()
        self.assertNotEqual(mended, text)
        if done is not None:
            with open(os.path.join(self.folder, "patched.pto")) as file:
                self.assertEqual(file.read(), mended)
        code, findings, _, _ = self.check(mended)
        self.assertEqual((code, findings), (0, []))

    def test_sarif_has_the_cause_first_with_its_change(self):
        text, _ = self.without(WAIT)
        _, _, output, _ = self.check(text, "--format", "sarif")
        results = json.loads(output[output.index("{"):output.rindex("}") + 1])["runs"][0]["results"]
        self.assertEqual(len(results), 1)
        replaced = results[0]["fixes"][0]["artifactChanges"][0]["replacements"]
        self.assertIn("wait_flag", replaced[0]["insertedContent"]["text"])

    def test_a_patch_of_cpp(self):
        source = "#include <pto/pto-inst.hpp>\nusing namespace pto;\n" + AXPY
        words = ["--blocks", "1", "--core", "aiv", "--arg", "rand=16x64xf32", "--arg", "out=16x64xf32"]
        code, findings, patch, errors = self.check(source, "--diff", name="k.cpp", words=words)
        self.assertEqual(code, 1, errors)
        self.assertTrue(findings[0]["mend"]["checked"])
        self.assertIn("+    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);", patch)
        self.assertIn("+    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);", patch)
        self.assertIn("checked: no finding with it", errors)

    def test_python_and_the_server_name_the_cause(self):
        text, _ = self.without(WAIT)
        request = {"kernel": text, "name": "k.pto", "blocks": 1,
                   "arguments": [{"kind": "rand", "shape": [256, 256]}] * 2 + [{"kind": "out", "shape": [256, 256]}, 256]}
        environment = dict(os.environ, PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
        done = subprocess.run([PTOSIM, "serve"], input=json.dumps(request) + "\n", capture_output=True, text=True,
                              timeout=120, env=environment)
        verdict = json.loads(done.stdout)
        self.assertEqual(verdict["findings_in_all"], 1, verdict)
        self.assertIn("checked: no finding with it", verdict["findings"][0]["hint"])


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
