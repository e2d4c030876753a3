#!/usr/bin/python3
"""Intrinsics of C++ kernels for a2a3: results, registers, checks, errors, traces. What single intrinsics compute is
compared in isa/intrinsics/intrinsic_golden_test.cpp."""
import json

import numpy as np

import bodies

KERNEL = """#include <pto/pto-inst.hpp>
extern "C" __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
    __ubuf__ float* source = (__ubuf__ float*)0;
    __ubuf__ float* target = (__ubuf__ float*)0x2000;
    set_mask_norm();
    set_vector_mask(-1, -1);
    copy_gm_to_ubuf_align_b32(source, x, 0, 1, 4000, 0, 0, 0, 0);
    LOADED
BODY
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm_align_b32(y, target, 0, 1, STORED, 0, 0, 0, 0);
}
"""
LOADED = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
# 15 repeats of 64 elements, and 40 elements under a mask.
TWICE_PLUS_ONE = """    vmuls(target, source, 2.0f, 15, 1, 1, 8, 8);
    set_vector_mask(0, 0xFFFFFFFFFF);
    vmuls(target + 960, source + 960, 2.0f, 1, 1, 1, 8, 8);
    pipe_barrier(PIPE_V);
    set_mask_count();
    set_vector_mask(0, 1000);
    vadds(target, target, 1.0f, 0, 1, 1, 8, 8);
    set_mask_norm();
"""


class Intrinsics(bodies.Bodies):
    def run_it(self, body, *options, command="run", loaded=LOADED, count=1000):
        source = KERNEL.replace("BODY\n", body).replace("LOADED", loaded).replace("STORED", str(4 * count))
        return self.run_source(source, *options, command=command, chip="ascend910b1", count=count)

    def results(self, body, **options):
        result = self.run_it(body, **options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return np.load(self.path / "y.npy")

    def test_masks_and_counter_mode(self):
        np.testing.assert_array_equal(self.results(TWICE_PLUS_ONE), self.x * np.float32(2) + np.float32(1))

    def test_it_is_clean_under_every_checker(self):
        self.assertEqual(self.findings(TWICE_PLUS_ONE), [])

    def test_lanes_without_a_mask_bit_keep_their_values(self):
        body = ("    vector_dup(target, 5.0f, 1, 1, 1, 8, 0);\n    pipe_barrier(PIPE_V);\n"
                "    set_vector_mask(0, 0x5);\n    vadd(target, source, source, 1, 1, 1, 1, 8, 8, 8);\n")
        expected = np.full(64, 5, np.float32)
        expected[[0, 2]] = self.x[[0, 2]] * 2
        np.testing.assert_array_equal(self.results(body, count=64), expected)

    def test_the_first_lanes(self):
        """Ten lanes of each of two repeats."""
        body = ("    vector_dup(target, 5.0f, 2, 1, 1, 8, 0);\n    pipe_barrier(PIPE_V);\n"
                "    pto::SetContinuousMask(10);\n    vadd(target, source, source, 2, 1, 1, 1, 8, 8, 8);\n")
        expected = np.full(128, 5, np.float32)
        for lane in (*range(10), *range(64, 74)):
            expected[lane] = self.x[lane] * 2
        np.testing.assert_array_equal(self.results(body, count=128), expected)

    def test_a_scalar_has_the_type_of_the_elements(self):
        """A double, as literals are, becomes an f32 before it multiplies."""
        body = "    vmuls(target, source, 0.1, 1, 1, 1, 8, 8);\n"
        np.testing.assert_array_equal(self.results(body, count=64), self.x[:64] * np.float32(0.1))

    def test_a_register_that_the_vector_unit_writes(self):
        """vreducev2 keeps the elements of even indices, and their number is in a register."""
        body = ("    vreducev2((__ubuf__ uint32_t*)target, (__ubuf__ uint32_t*)source, (__ubuf__ uint32_t*)source, "
                "2, 1, 1, 8, 0);\n"
                "    set_flag(PIPE_V, PIPE_S, EVENT_ID1);\n    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);\n"
                "    const int64_t kept = get_rsvd_cnt();\n    if (kept != 64) trap();\n")
        np.testing.assert_array_equal(self.results(body, count=64), self.x[:128:2])

    def test_padding_of_an_aligned_copy(self):
        """Three elements, one before and two after them get the padding value."""
        body = ("    set_mov_pad_val(0x40400000);\n"
                "    copy_gm_to_ubuf_align_b32(target, x, 0, 1, 12, 1, 2, 0, 0);\n"
                "    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);\n    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);\n")
        np.testing.assert_array_equal(self.results(body, count=6), [3, *self.x[:3], 3, 3])

    def test_a_burst_fills_its_last_block(self):
        """DataCopyPad without padding: the bytes up to 32 repeat the burst's first element, and may be read."""
        body = ("    copy_gm_to_ubuf_align_b32(target, x, 0, 2, 12, 0, 0, 4, 0);\n"
                "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n"
                "    pto::SetContinuousMask(16);\n    vmuls(target, target, 1.0f, 1, 1, 1, 8, 8);\n")
        expected = [*self.x[:3], *[self.x[0]] * 5, *self.x[4:7], *[self.x[4]] * 5]
        np.testing.assert_array_equal(self.results(body, count=16), expected)
        self.assertNotIn("vmuls", [finding["instruction"] for finding in self.findings(body)])

    def test_gaps_of_bursts(self):
        """Two bursts of 8 elements, 16 elements apart in global memory and 8 in UB."""
        body = ("    copy_gm_to_ubuf(target, x, 0, 2, 1, 1, 0);\n"
                "    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);\n    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);\n")
        np.testing.assert_array_equal(self.results(body, count=16), [*self.x[:8], *self.x[16:24]])

    def test_atomic_stores_add(self):
        body = ("    vector_dup(target, 1.0f, 1, 1, 1, 8, 0);\n"
                "    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);\n    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);\n"
                "    copy_ubuf_to_gm_align_b32(y, target, 0, 1, 256, 0, 0, 0, 0);\n    pipe_barrier(PIPE_MTE3);\n"
                "    set_atomic_f32();\n    set_atomic_add();\n")
        np.testing.assert_array_equal(self.results(body, count=64), np.full(64, 2, np.float32))

    def test_a_flag_that_is_missing(self):
        found = self.findings(TWICE_PLUS_ONE, loaded="")
        self.assertEqual({finding["code"] for finding in found}, {"E01"})
        self.assertEqual(found[0]["location"]["line"], self.line_of("vmuls(target, source"))
        self.assertIn("vmuls", found[0]["message"])

    def test_what_no_core_executes(self):
        for body, code in (("    vadd(target, source, source, 256, 1, 1, 1, 8, 8, 8);\n", "S01"),
                           ("    vadd((__ubuf__ float*)8196, source, source, 1, 1, 1, 1, 8, 8, 8);\n", "A04"),
                           ("    vadd((__ubuf__ float*)0x30000, source, source, 1, 1, 1, 1, 8, 8, 8);\n", "A03"),
                           ("    vand((__ubuf__ float*)target, source, source, 1, 1, 1, 1, 8, 8, 8);\n", "T03")):
            with self.subTest(body):
                result = self.run_it(body)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn(f"k.cpp:{self.line_of(body.strip())}", result.stderr)

    def test_traces_have_their_names(self):
        result = self.run_it(TWICE_PLUS_ONE, "--trace", "traces", "--trace-formats", "chrome")
        self.assertEqual(result.returncode, 0, result.stderr)
        events = json.loads(next((self.path / "traces").glob("*.json")).read_text())
        names = {event.get("name") for event in events.get("traceEvents", events)}
        self.assertLessEqual({"copy_gm_to_ubuf_align_b32", "vmuls", "vadds", "copy_ubuf_to_gm_align_b32"}, names)

    def test_timing_alone_takes_the_same_cycles(self):
        cycles = []
        for mode in ("full", "timing"):
            self.assertEqual(self.run_it(TWICE_PLUS_ONE, "--mode", mode).returncode, 0)
            cycles.append(json.loads((self.path / "result.json").read_text())["cycles"])
        self.assertEqual(cycles[0], cycles[1])


if __name__ == "__main__":
    bodies.main()
