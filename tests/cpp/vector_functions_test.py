#!/usr/bin/python3
"""Vector functions of C++ kernels for a5 (`__VEC_SCOPE__`): results, checks, errors, time. What single operations
compute is compared in isa/intrinsics/vector_golden_test.cpp."""
import json
import resource
import subprocess

import numpy as np

import bodies

KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int kCount = 1000;
using Row = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, kCount>;
using Global = GlobalTensor<float, Shape<1, 1, 1, 1, kCount>, Stride<kCount, kCount, kCount, kCount, 1>>;
BEFORE
extern "C" __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
    Row in, out;
    TASSIGN(in, 0);
    TASSIGN(out, 8192);
    Global from(x), to(y);
    __ubuf__ float* source = (__ubuf__ float*)0;
    __ubuf__ float* target = (__ubuf__ float*)8192;
    TLOAD(in, from);
    LOADED
BODY
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, out);
}
"""
LOADED = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
TWICE_PLUS_ONE = """    __VEC_SCOPE__ {
        uint32_t left = kCount;
        for (uint16_t i = 0; i < (kCount + 63) / 64; ++i) {
            MaskReg mask = CreatePredicate<float>(left);
            vector_f32 value;
            vlds(value, source, i * 64, NORM);
            vmuls(value, value, 2, mask);
            vadds(value, value, 1.0f, mask);
            vsts(value, target, i * 64, NORM_B32, mask);
        }
    }
"""
MAGNITUDES = """    __VEC_SCOPE__ {
        uint32_t left = kCount;
        MaskReg all = pset_b32(PAT_ALL);
        for (uint16_t i = 0; i < (kCount + 63) / 64; ++i) {
            MaskReg mask = CreatePredicate<float>(left), below;
            vector_f32 value, other;
            vlds(value, source, i * 64, NORM);
            vcmps_lt(below, value, 0.0f, all);
            vmuls(other, value, -1.0f, all, MODE_ZEROING);
            vsel(value, other, value, below);
            vsts(value, target, i * 64, NORM_B32, STORED);
        }
    }
"""
READER = """    Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, COLUMNS> part, twice;
    TASSIGN(part, 8192);
    TASSIGN(twice, 16384);
    TADD(twice, part, part);
"""
ASSEMBLY = """
module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @kernel(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>) attributes {pto.entry} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %behind = arith.constant 8192 : i64
    %bytes = arith.constant 4000 : i64
    %from = arith.constant 0 : index
    %step = arith.constant 64 : index
    %to = arith.constant 1000 : index
    %count = arith.constant 1000 : i32
    %two = arith.constant 2.0 : f32
    %unit = arith.constant 1.0 : f32
    %source = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    %target = pto.castptr %behind : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %x, %source, %zero, %bytes nburst(%one, %bytes, %bytes)
      : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    LOADED
    pto.vecscope {
      %left = scf.for %i = %from to %to step %step iter_args(%n = %count) -> (i32) {
        %mask, %next = pto.plt_b32 %n : i32 -> !pto.mask<b32>, i32
        %a = pto.vlds %source[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %b = pto.vmuls %a, %two, %mask : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
        %c = pto.vadds %b, %unit, %mask : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %c, %target[%i], %mask {dist = "NORM_B32"} : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
        scf.yield %next : i32
      }
    }
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %target, %y, %bytes nburst(%one, %bytes, %bytes)
      : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
    return
  }
}
"""
ASSEMBLY_LOADED = '''pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'''


class VectorFunctions(bodies.Bodies):
    def run_it(self, body, *options, command="run", loaded=LOADED, before="", chip="ascend950pr"):
        source = KERNEL.replace("BODY\n", body).replace("LOADED", loaded).replace("BEFORE", before)
        return self.run_source(source, *options, command=command, chip=chip)

    def error(self, body, code, **options):
        """The message of a kernel that is refused, and its line."""
        result = self.run_it(body, **options)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn(f"[{code}]", result.stderr)
        return result.stderr

    def test_results_with_a_tail(self):
        result = self.run_it(TWICE_PLUS_ONE)
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2) + np.float32(1))

    def test_magnitudes_of_differences(self):
        body = TWICE_PLUS_ONE.replace("            vmuls(value, value, 2, mask);\n            vadds(value, value, 1.0f, mask);\n",
                                      "            vector_f32 other;\n            vadds(other, value, -0.3f, mask);\n"
                                      "            vabsdif(value, other, value, mask, MODE_ZEROING);\n")
        result = self.run_it(body)
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), np.abs((self.x + np.float32(-0.3)) - self.x))

    def test_it_is_clean_under_every_checker(self):
        """Lanes after the tail are loaded and not used: they need not have been written."""
        self.assertEqual(self.findings(TWICE_PLUS_ONE), [])

    def test_lanes_that_depend_on_bytes_that_nothing_has_written(self):
        """They are compared and stored without a finding, as long as nothing reads what was stored."""
        for stored, columns, codes in (("mask", 1000, []), ("all", 1000, []), ("all", 1001, ["D02"])):
            with self.subTest(stored=stored, columns=columns):
                body = MAGNITUDES.replace("STORED", stored) + READER.replace("COLUMNS", str(columns))
                found = self.findings(body)
                np.testing.assert_array_equal(np.load(self.path / "y.npy"), np.abs(self.x))
                self.assertEqual([finding["code"] for finding in found], codes)
                for finding in found:
                    self.assertEqual(finding["location"]["line"], self.line_of("__VEC_SCOPE__"))
                    self.assertIn("reads byte 4000 of UB, which lies outside the valid region", finding["message"])
                    self.assertIn(f"; TADD at k.cpp:{self.line_of('TADD(')} reads byte 12192, which depends on it", finding["message"])

    def test_a_flag_that_is_missing(self):
        found = self.findings(TWICE_PLUS_ONE, loaded="")
        self.assertEqual([finding["code"] for finding in found], ["E01"])
        self.assertEqual(found[0]["location"]["line"], self.line_of("__VEC_SCOPE__"))

    def test_a_load_behind_a_store_needs_a_barrier(self):
        body = TWICE_PLUS_ONE.replace("        }\n    }\n", "        }\n        BARRIER\n        vector_f32 again;\n"
                                      "        MaskReg all = pset_b32(PAT_ALL);\n"
                                      "        vlds(again, target, 0, NORM);\n"
                                      "        vsts(again, target, 0, NORM_B32, all);\n    }\n")
        for barrier, codes in (("", ["N12"]), ("mem_bar(VLD_VST);", ["N12"]), ("mem_bar(VST_VLD);", []),
                               ("mem_bar(VV_ALL);", [])):
            with self.subTest(barrier):
                found = self.findings(body.replace("BARRIER", barrier))
                self.assertEqual([finding["code"] for finding in found], codes)
                for finding in found:
                    self.assertIn(f"VLDS (line {self.line_of('vlds(again')})", finding["message"])
                    self.assertIn(f"VSTS (line {self.line_of('vsts(value')})", finding["message"])

    def test_a_function_without_accesses(self):
        self.assertEqual(self.findings(TWICE_PLUS_ONE + """    __VEC_SCOPE__ {
        MaskReg all = pset_b32(PAT_ALL);
        vector_f32 value;
        vdup(value, 1.0f, all, MODE_ZEROING);
        for (uint16_t i = 0; i < (kCount - 1000); ++i) vsts(value, target, i * 64, NORM_B32, all);
    }
"""), [])
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2) + np.float32(1))

    def test_a_load_after_a_store_of_as_many_lanes_as_were_kept(self):
        body = TWICE_PLUS_ONE + """    __VEC_SCOPE__ {
        sprclr(SPR_AR);
        UnalignReg rest;
        MaskReg all = pset_b32(PAT_ALL);
        for (uint16_t i = 0; i < 2; ++i) {
            MaskReg above, below;
            vector_f32 value, first, second;
            vlds(value, source, READ, NORM);
            vcmps_gt(above, value, 0.0f, all);
            vcmps_le(below, value, 0.0f, all);
            vsqz(first, value, above, MODE_STORED);
            vstur(rest, first, source, POST_UPDATE);
            vsqz(second, value, below, MODE_STORED);
            vstur(rest, second, source, POST_UPDATE);
        }
        vstar(rest, source);
    }
"""
        # Both stores together have the 64 elements of an iteration.
        self.assertEqual(self.findings(body.replace("READ", "i * 64")), [])
        found = self.findings(body.replace("READ", "0"))
        self.assertEqual([finding["code"] for finding in found], ["N12"])
        self.assertIn(f"reads byte 0 of UB, which VSTUR (line {self.line_of('vstur(rest, first')})", found[0]["message"])

    def test_checkers_follow_loaded_words_through_many_operations(self):
        """Operations whose results are their sources: what they depend on is kept once."""
        body = "    for (int i = 0; i < 25; ++i) {\n        TADD(in, in, in);\n        pipe_barrier(PIPE_V);\n    }\n    TADD(out, in, in);\n"
        self.assertEqual(self.findings(body, chip="ascend910b1"), [])
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2 ** 26))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 800 << 10)

    def test_a_kernel_reads_how_many_bytes_a_function_has_appended(self):
        """The register keeps its value from one function to the next; the positive elements are counted by NumPy."""
        append = """    __VEC_SCOPE__ {
        CLEAR UnalignReg rest;
        MaskReg all = pset_b32(PAT_ALL), above;
        vector_f32 value, kept;
        vlds(value, source, 0, NORM);
        vcmps_gt(above, value, 0.0f, all);
        vsqz(kept, value, above, MODE_STORED);
        vstur(rest, kept, target, POST_UPDATE);
        vstar(rest, target);
    }
    set_flag(PIPE_V, PIPE_S, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);
    NAME = get_ar();
"""
        body = "    int64_t once, twice;\n" + append.replace("CLEAR", "sprclr(SPR_AR); ").replace("NAME", "once") \
            + append.replace("CLEAR", "").replace("NAME", "twice") \
            + '    cce::printf("appended %d and %d\\n", (int)once, (int)twice);\n'
        result = self.run_it(body)
        self.assertEqual(result.returncode, 0, result.stderr)
        positive = int((self.x.reshape(-1)[:64] > 0).sum())
        self.assertIn(f"appended {4 * positive} and {8 * positive}", result.stdout + result.stderr)

    def test_an_address_that_is_not_aligned(self):
        text = self.error(TWICE_PLUS_ONE.replace("vlds(value, source, i * 64", "vlds(value, source, i * 64 + 1"), "V03")
        self.assertIn(f"k.cpp:{self.line_of('vlds(value')}: error: VLDS is at byte 4 of UB", text)
        unaligned = TWICE_PLUS_ONE.replace("vlds(value, source, i * 64, NORM);",
                                           "UnalignReg bytes; vldas(bytes, source + i * 64); "
                                           "vldus(value, bytes, source + i * 64);")
        self.assertEqual(self.run_it(unaligned).returncode, 0)
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2) + np.float32(1))

    def test_an_access_beyond_ub(self):
        self.error(TWICE_PLUS_ONE.replace("vsts(value, target, i * 64", "vsts(value, target, i * 64 + 64000"), "A03")

    def test_a_register_without_a_value(self):
        text = self.error(TWICE_PLUS_ONE.replace("vlds(value, source, i * 64, NORM);", ""), "V01")
        self.assertIn(f"k.cpp:{self.line_of('vmuls(')}: error: VMULS uses a register that nothing has set", text)

    def test_outside_of_a_function(self):
        result = self.run_it("    vector_f32 value;\n    vlds(value, source, 0, NORM);\n")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("a vector register is used outside of __VEC_SCOPE__", result.stderr)

    def test_a_loop_that_does_not_end(self):
        result = self.run_it("    __VEC_SCOPE__ {\n        vector_f32 value;\n"
                             "        for (uint16_t i = 0; i < 70000; ++i) vlds(value, source, 0, NORM);\n    }\n")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("one of its loops does not end", result.stderr)

    def test_a2a3_has_none(self):
        result = self.run_it(TWICE_PLUS_ONE, chip="ascend910b1")
        self.assertEqual(result.returncode, 2)
        self.assertIn("__VEC_SCOPE__", result.stderr)

    def test_an_index_beyond_ub(self):
        body = TWICE_PLUS_ONE.replace("vlds(value, source, i * 64, NORM);",
                                      "vector_u32 index; vci((vector_s32&)index, (int32_t)(i * 64 - 64 * SHIFT), "
                                      "INC_ORDER); vgather2(value, source, index, mask);")
        self.assertEqual(self.findings(body.replace("SHIFT", "0")), [])
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2) + np.float32(1))
        found = self.findings(body.replace("SHIFT", "1"))
        self.assertIn("G07", [finding["code"] for finding in found])
        self.assertIn("accesses bytes beyond UB, 64 times",
                      next(finding["message"] for finding in found if finding["code"] == "G07"))

    def run_assembly(self, *options, command="run", text=ASSEMBLY, loaded=ASSEMBLY_LOADED):
        (self.path / "k.pto").write_text(text.replace("LOADED", loaded))
        return subprocess.run(
            [self.ptosim, command, "k.pto", "--chip", "ascend950pr", "--arg", "in=x.npy", "--arg",
             "out=1000xf32:y.npy", "--json", "result.json", *options], cwd=self.path, capture_output=True, text=True,
            check=False)

    def test_the_same_as_pto_text(self):
        result = self.run_assembly("--sync", "explicit")
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2) + np.float32(1))
        self.assertEqual(self.run_assembly(command="check").returncode, 0)
        result = self.run_assembly(command="check", loaded="")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("[E01]", result.stderr + result.stdout)

    def test_flags_are_inserted_around_a_function(self):
        without = "\n".join(line for line in ASSEMBLY.split("\n") if "_flag[" not in line)
        result = self.run_assembly("--sync", "insert", text=without, loaded="")
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), self.x * np.float32(2) + np.float32(1))

    def test_pto_text_that_is_wrong(self):
        for old, new, code, says in (
                ("pto.vadds %b, %unit, %mask :", "pto.vadds %mask, %unit, %mask :", "K07", "must be a register"),
                ("NORM_B32", "NORM_B64", "K09", "has no mode"),
                ("pto.vecscope {", "scf.execute_region {", "K11", "only allowed in a vector function")):
            with self.subTest(new):
                result = self.run_assembly(text=ASSEMBLY.replace(old, new))
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(says, result.stderr)
                self.assertIn(f"[{code}]", result.stderr)

    def test_time_grows_with_what_is_done(self):
        def cycles(body):
            self.assertEqual(self.run_it(body, "--mode", "timing").returncode, 0)
            return json.loads((self.path / "result.json").read_text())["cycles"]

        once = cycles(TWICE_PLUS_ONE)
        more = cycles(TWICE_PLUS_ONE.replace("vadds(value, value, 1.0f, mask);", "vexp(value, value, mask);" * 8))
        self.assertGreater(more, once + 16 * 8)
        self.assertEqual(once, cycles(TWICE_PLUS_ONE))


if __name__ == "__main__":
    bodies.main()
