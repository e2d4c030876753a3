#!/usr/bin/python3
"""ptosim run --dry-run, on files and folders.

    dry_run_test.py --ptosim BIN
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import command_line

sys.dont_write_bytecode = True
PTOSIM = "ptosim"

TILE = "!pto.tile_buf<vec, 16x64xf32>"
VIEW = "!pto.partition_tensor_view<16x64xf32>"


def function(name, body, parameters="%x: !pto.ptr<f32>", attributes=""):
    return f"func.func @{name}({parameters}) {attributes} {{\n{body}\nreturn\n}}\n"


def module(*functions):
    return "module {\n" + "".join(functions) + "}\n"


LOAD = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c16 = arith.constant 16 : index
%c64 = arith.constant 64 : index
%at = arith.constant 8192 : i64
%xv = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
%xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> {VIEW}
%t = pto.alloc_tile addr = %at : {TILE}
pto.tload ins(%xp : {VIEW}) outs(%t : {TILE})
pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]"""
# Both tiles have their types right and their product wrong.
ILLEGAL = """%a = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
%b = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf16>
pto.tadd ins(%a, %b : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x64xf16>) outs(%a : !pto.tile_buf<vec, 16x64xf32>)"""


class DryRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def dry_run(self, files, *words, kernel=None):
        for name, text in files.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        kernel = kernel or next(iter(files))
        return subprocess.run([PTOSIM, "run", "--dry-run", kernel, *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=120)

    def test_what_a_kernel_needs(self):
        result = self.dry_run({"k.pto": module(function("k", LOAD))}, "--json", "n.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for text in ("kernel k", "AIV", "UB 12288 of 196608 bytes", "MTE2 -> V: 3",
                     "%x: pointer to f32, 1024 elements", "at most 48 blocks"):
            self.assertIn(text, result.stdout)
        with open(os.path.join(self.folder, "n.json")) as file:
            kernel = json.load(file)["kernels"][0]
        self.assertEqual(kernel["bytes"], {"UB": 8192 + 16 * 64 * 4})
        self.assertEqual(kernel["flags"], [{"from": "MTE2", "to": "V", "ids": [3]}])
        self.assertEqual(kernel["parameters"], [
            {"name": "x", "kind": "pointer", "dtype": "f32", "elements": 1024}])

    def test_all_functions_are_looked_at(self):
        text = module(function("good", LOAD), function("bad", "pto.tadd ins() outs()"),
                      function("worse", "pto.tmulz ins() outs()"))
        result = self.dry_run({"k.pto": text})
        self.assertEqual(result.returncode, 2)
        self.assertIn("kernel good", result.stdout)
        self.assertIn("[K06]", result.stderr)
        self.assertIn("did you mean 'pto.tmul'", result.stderr)
        chosen = self.dry_run({"k.pto": text}, "--entry", "good")
        self.assertEqual(chosen.returncode, 0, chosen.stderr)

    def test_a_misspelt_attribute_gets_a_suggestion(self):
        body = ILLEGAL.replace("xf16", "xf32").replace(
            "pto.tadd ins(%a, %b ", "pto.tcvt ins(%a {rmodes = #pto<round_mode RINT>} ").replace(
                ", !pto.tile_buf<vec, 16x64xf32>) outs", ") outs")
        result = self.dry_run({"k.pto": module(function("k", body))})
        self.assertEqual(result.returncode, 2)
        self.assertIn("has no attribute 'rmodes' here [K09]", result.stderr)
        self.assertIn("did you mean 'rmode'?", result.stderr)

    def test_what_is_misspelt_is_named(self):
        cases = [
            ("pto.tload", "ptoo.tload", "did you mean 'pto.tload'?"),
            ("pto.tload ins", "pto.tlaod ins", "did you mean 'pto.tload'?"),
            ("addr = %at", "adr = %at", "did you mean 'addr'?"),
            ("constant 8192", "konstant 8192", "did you mean 'arith.constant'?"),
            ("<EVENT_ID3>", "<EVENT_ID9>", "'EVENT_ID9' is not an event id"),
            ("!pto.tile_buf<vec", "!pto.tile_buff<vec", "did you mean '!pto.tile_buf'?"),
            ("ins(%xp", "(%xp", "must be in ins(...)"),
            ("ins(%xp :", "ins(%xp", "expected ':' before the types"),
            ("%c16 = arith", "%c16 arith", "expected '=' after the results"),
            ("<PIPE_MTE2>, <PIPE_V>", "<PIPE_MTE2> <PIPE_V>", "expected ',' before"),
            ("strides = [%c64, %c1]", "strides = [%c64, %c1] {layuot = #pto.layout<nd>}",
             "did you mean 'layout'?"),
            ("shape = [", "shap = [", "did you mean 'shape'?"),
            ("%c0 = ", "scf.fro %i = %c to %c step %c {\n}\n%c0 = ", "did you mean 'scf.for'?"),
            ("func.func @k(%x: !pto.ptr<f32>)", "func.func @k(%x: !pto.ptr<f32>) attributes "
             "{pto.entyr}", "did you mean 'pto.entry'?"),
            ("func.func @k(%x: !pto.ptr<f32>)", "func.func @k(%x: !pto.ptr<f32>) attributes "
             "{pto.kernel_kind = #pto.kernel_kind<vectr>}", "'vectr' is not a kernel kind"),
        ]
        for right, wrong, said in cases:
            with self.subTest(wrong=wrong):
                text = module(function("k", LOAD))
                self.assertIn(right, text)
                result = self.dry_run({"k.pto": text.replace(right, wrong)})
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(said, result.stderr)

    def test_errors_do_not_hide_others_or_repeat(self):
        text = "!t = !pto.tile_buf<vecc, 16x64xf32>\n" + module(
            function("k", "%a = pto.alloc_tile : !t\n%b = pto.alloc_tile : !t"))
        result = self.dry_run({"k.pto": text})
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
        self.assertIn("unknown tile location 'vecc'", result.stderr)
        loop = module(function("k", LOAD + "\nscf.for %i = %c0 to %c61 step %c1 {\n"
                               "pto.tads ins(%t) outs(%t)\n}\npto.tbas ins(%t) outs(%t)"))
        result = self.dry_run({"k.pto": loop})
        self.assertEqual(result.stderr.count("error:"), 3, result.stderr)

    def test_code_for_the_other_core_is_a_warning(self):
        text = module(function("k", LOAD, attributes="attributes {pto.kernel_kind = "
                               "#pto.kernel_kind<cube>}"))
        result = self.dry_run({"k.pto": text})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("TLOAD runs on an AIV, but is in code for an AIC [L01]", result.stderr)

    def test_a_file_without_anything(self):
        result = self.dry_run({"k.pto": "// nothing\n"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("contains no function [K08]", result.stderr)

    def test_scratch_tiles_and_places_are_verified(self):
        tile = "!pto.tile_buf<vec, 16x64xf32>"
        cases = {
            "S16": "%a = pto.alloc_tile : " + tile + "\n%s = pto.alloc_tile : "
                   "!pto.tile_buf<vec, 1x64xf32>\npto.trem ins(%a, %a, %s : " + tile + ", " + tile +
                   ", !pto.tile_buf<vec, 1x64xf32>) outs(%a : " + tile + ")",
            "A04": "%at = arith.constant 16 : i64\n%a = pto.alloc_tile addr = %at : " + tile,
            "L04": "%a = pto.alloc_tile : !pto.tile_buf<vec, 16x7xf32>",
            "L05": "%a = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32, fractal=16>",
            "K11": "%a = arith.constant 0 : index\nscf.for %i = %a to %a step %a {\n}",
        }
        for code, body in cases.items():
            with self.subTest(code=code):
                result = self.dry_run({"k.pto": module(function("k", body))})
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(f"[{code}]", result.stderr)

    def test_the_third_tile_of_a_gather_is_scratch(self):
        tiles = "".join(f"%{name} = pto.alloc_tile : !pto.tile_buf<vec, 8x16x{dtype}>\n"
                        for name, dtype in zip("sitd", ("f32", "i32", "i32", "f32")))
        types = ["!pto.tile_buf<vec, 8x16xf32>", "!pto.tile_buf<vec, 8x16xi32>"]
        gather = (f"pto.tgather ins(%s, %i, %t : {types[0]}, {types[1]}, {types[1]}) "
                  f"outs(%d : {types[0]})")
        for arch in ("ascend910b1", "ascend950pr"):
            result = self.dry_run({"k.pto": module(function("k", tiles + gather))}, "--chip", arch)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_an_operation_works_on_different_tiles(self):
        tile = "!pto.tile_buf<vec, 16x64xf32>"
        body = (f"%a = pto.alloc_tile : {tile}\n%b = pto.alloc_tile : {tile}\n"
                f"pto.trecip ins(%a : {tile}) outs(%b : {tile})")
        result = self.dry_run({"k.pto": module(function("k", body))})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_an_illegal_instruction_is_found_without_running_it(self):
        result = self.dry_run({"k.pto": module(function("k", ILLEGAL))})
        self.assertEqual(result.returncode, 2)
        self.assertIn("k.pto:5:", result.stderr)
        self.assertIn("[T01]", result.stderr)

    def test_what_the_assembler_takes_and_the_hardware_does_not_is_a_warning(self):
        # No chip has TADDC; the assembler takes it, only the library's simulation runs it.
        tile = "!pto.tile_buf<vec, 16x64xf32>"
        body = (f"%a = pto.alloc_tile : {tile}\n%b = pto.alloc_tile : {tile}\n"
                f"pto.taddc ins(%a, %a, %a : {tile}, {tile}, {tile}) outs(%b : {tile})")
        result = self.dry_run({"k.pto": module(function("k", body))}, "--json", "n.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: TADDC does not exist on a2a3 [P01]", result.stderr)
        with open(os.path.join(self.folder, "n.json")) as file:
            found = json.load(file)
        self.assertTrue(found["accepted"])
        self.assertEqual([w["code"] for w in found["warnings"]], ["P01"])
        ran = subprocess.run([PTOSIM, "run", "k.pto", "--arg", "zeros=1xf32"], cwd=self.folder,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(ran.returncode, 2, ran.stdout)
        self.assertIn("[P01]", ran.stderr)

    def test_what_the_assembler_asks_beyond_the_rules_of_an_instruction(self):
        def scale(rows, cols):
            return f"!pto.tile_buf<vec, {rows}x{cols}xf32>"
        f32, u8 = scale(32, 64), "!pto.tile_buf<vec, 32x64xi8>"
        exp, wide = "!pto.tile_buf<vec, 1x64xui8>", "!pto.tile_buf<vec, 1x128xf32>"

        def quantise(max_type):
            tiles = {"s": f32, "d": u8, "e": exp, "m": max_type, "c": wide}
            made = "".join(f"%{name} = pto.alloc_tile : {type_}\n" for name, type_ in tiles.items())
            return made + (f"pto.tquant.mx ins(%s : {f32}) outs(%d, %e, %m, %c : {u8}, {exp}, "
                           f"{max_type}, {wide}) {{quant_type = #pto.quant_type<MXFP8>}}")
        # 32 rows of two groups each: 64 maxima, not 32.
        wrong = self.dry_run({"k.pto": module(function("k", quantise(scale(1, 32))))},
                             "--chip", "ascend950pr")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("one element of 'max' for each group of 32", wrong.stderr)
        tile = "!pto.tile_buf<vec, 16x64xf32>"
        body = (f"%a = pto.alloc_tile : {tile}\n%b = pto.alloc_tile : {tile}\n"
                f"pto.taddrelu ins(%a, %a : {tile}, {tile}) outs(%b : {tile})")
        a5 = self.dry_run({"k.pto": module(function("k", body))}, "--chip", "ascend950pr")
        self.assertEqual(a5.returncode, 2)
        self.assertIn("exists on a2a3 only [P01]", a5.stderr)

    def test_operations_of_several_devices_are_verified_and_not_run(self):
        view = "!pto.partition_tensor_view<1x128xf32>"
        body = ("%t = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>\n"
                f"pto.comm.tbroadcast(%x, recv(%t), group(%y, %z) : {view}, "
                f"!pto.tile_buf<vec, 1x128xf32>, {view}, {view}) {{root = ROOT : i32}}")
        parameters = f"%x: {view}, %y: {view}, %z: {view}"
        good = self.dry_run({"k.pto": module(function("k", body.replace("ROOT", "1"), parameters))})
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertIn("cannot be launched alone", good.stdout)
        bad = self.dry_run({"k.pto": module(function("k", body.replace("ROOT", "2"), parameters))})
        self.assertEqual(bad.returncode, 2)
        self.assertIn("root 2 is not in the group of 2 [K09]", bad.stderr)

    def test_a_function_that_cannot_be_launched_is_looked_at(self):
        text = module(function("helper", f"pto.texp ins(%t : {TILE}) outs(%t : {TILE})",
                               f"%t: {TILE}"))
        result = self.dry_run({"k.pto": text})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("cannot be launched alone", result.stdout)
        launched = subprocess.run([PTOSIM, "run", "k.pto"], cwd=self.folder, capture_output=True,
                                  text=True)
        self.assertEqual(launched.returncode, 2)
        self.assertIn("[K07]", launched.stderr)

    def test_halves_may_differ_in_what_the_launch_fills_in(self):
        kinds = [f"attributes {{pto.kernel_kind = #pto.kernel_kind<{k}>}}"
                 for k in ("cube", "vector")]
        text = module(function("c", "", "%x: !pto.ptr<f32>", kinds[0]),
                      function("v", "", "%x: !pto.ptr<f32>, %__pypto_spmd_subblock_idx: i32",
                               kinds[1]))
        result = self.dry_run({"k.pto": text})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("kernel c+v", result.stdout)
        self.assertIn("AIC+AIV", result.stdout)
        self.assertNotIn("cannot be launched", result.stdout)

    def test_a_folder_makes_a_table(self):
        result = self.dry_run({
            "a/good.pto": module(function("k", LOAD)),
            "a/b/a5.pto": module(function("k", LOAD)).replace(
                "module {", 'module attributes {"pto.target_arch" = "a5"} {'),
            "a/bad.pto": module(function("k", ILLEGAL)), "a/other.txt": "no kernel"},
            "--json", "n.json", kernel="a")
        self.assertEqual(result.returncode, 2)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[1].startswith("b/a5.pto") and "ascend950pr" in lines[1], lines[1])
        self.assertTrue(lines[2].startswith("bad.pto") and "line 5" in lines[2], lines[2])
        self.assertIn("[T01]", lines[2])
        self.assertRegex(lines[3], r"good.pto +ascend910b1 +1 +1 +AIV +3 +12288 .*accepted")
        self.assertEqual(lines[4], "2 of 3 files accepted")
        with open(os.path.join(self.folder, "n.json")) as file:
            self.assertEqual([entry["accepted"] for entry in json.load(file)],
                             [True, False, True])

    def test_a_folder_without_kernels(self):
        os.mkdir(os.path.join(self.folder, "empty"))
        result = self.dry_run({}, kernel="empty")
        self.assertEqual(result.returncode, 2)
        self.assertIn("[I01]", result.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
