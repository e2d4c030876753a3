#!/usr/bin/python3
"""Accesses of C++ kernels by plain pointers: the data cache of their core serves them, and only flags order them with
transfers. Expected are the findings of `.pto` kernels for load_scalar and store_scalar (check_test.py)."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
KERNEL = """#include <pto/pto-inst.hpp>
#include <cstring>
using namespace pto;
extern "C" __global__ __aicore__ void kernel(__gm__ float* y) {
#ifdef __DAV_VEC__
    Tile<TileType::Vec, float, 1, 16> t;
    TASSIGN(t, 0);
    GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>> all(y);
    volatile float seen = 0;
BODY
    if (seen == 7) t.GetValidRow();
#endif
}
"""
STORE = "    y[0] = 2;\n"
CLEAN = "    dcci(y, SINGLE_CACHE_LINE);\n"
CLEAN_ALL = "    dcci(y, ENTIRE_DATA_CACHE, CACHELINE_OUT);\n"
LOAD = "    seen = y[1];\n"
TLOAD = "    TLOAD(t, all);\n"


def order(first, second):
    flag = f"PIPE_{first}, PIPE_{second}, EVENT_ID0"
    return f"    set_flag({flag});\n    wait_flag({flag});\n"


TSTORE = TLOAD + order("MTE2", "MTE3") + "    TSTORE(all, t);\n"


class PlainPointers(unittest.TestCase):
    def check(self, body, *options, blocks=1):
        """The findings of `ptosim check` of a kernel with this body."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "k.cpp"
            source.write_text(KERNEL.replace("BODY\n", body))
            report = pathlib.Path(folder) / "report.json"
            result = subprocess.run(
                [OPTIONS.ptosim.resolve(), "check", source, "--core", "aiv", "--arg", "zeros=16384xf32", "--blocks",
                 str(blocks), "--json", report, *options], capture_output=True, text=True, check=False)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            return json.loads(report.read_text())["diagnostics"]

    def codes(self, body, *options, blocks=1):
        return [finding["code"] for finding in self.check(body, *options, blocks=blocks)]

    def one(self, code, body, **options):
        found = self.check(body, **options)
        self.assertEqual([finding["code"] for finding in found], [code])
        return found[0]

    def line_of(self, body, text):
        return KERNEL.replace("BODY\n", body).split(text)[0].count("\n") + 1

    def test_a_store_that_stays_in_the_cache(self):
        body = STORE + order("S", "MTE2") + TLOAD
        found = self.one("E17", body)
        self.assertEqual(found["location"]["line"], self.line_of(body, "TLOAD(t"))
        self.assertEqual(found["related"][0]["location"]["line"], self.line_of(body, "y[0] = 2"))
        self.assertEqual(found["related"][0]["instruction"], "scalar store")
        for clean in (CLEAN, CLEAN_ALL):
            self.assertEqual(self.codes(STORE + clean + order("S", "MTE2") + TLOAD), [])
        self.assertEqual(self.codes(STORE + CLEAN.replace("(y", "(y + 64") + order("S", "MTE2") + TLOAD), ["E17"])
        self.assertEqual(self.codes(body, "--check", "sync"), [])

    def test_a_store_that_no_flag_orders(self):
        self.assertEqual(self.codes(STORE + CLEAN + TLOAD), ["E01"])
        self.assertEqual(self.codes(STORE + CLEAN + "    dsb(DSB_ALL);\n" + TLOAD), [])
        self.assertEqual(self.codes("    dsb(DSB_ALL);\n" + STORE + CLEAN + TLOAD), ["E01"])
        self.assertEqual(self.codes(TSTORE + LOAD), ["E01"])
        self.assertEqual(self.codes(TSTORE + order("MTE3", "S") + LOAD), [])

    def test_all_that_stores(self):
        """Code that the compiler makes of it: a load and a store of one address, a call of the C library, an atomic."""
        for store in ("y[0] += 2;", "y[0] = y[0] * 2 + 1;", "for (int i = 0; i < 4; ++i) y[i] += 2;",
                      "memset(y, 0, 4 * 16 * get_block_num());", "memcpy(y, y + 64, 64);",
                      "memmove(y, y + 1, 4 * 16 * get_block_num());",
                      "__atomic_fetch_add(reinterpret_cast<__gm__ int*>(y), 1, __ATOMIC_SEQ_CST);",
                      "struct Two { float a[2]; }; *reinterpret_cast<__gm__ Two*>(y) = Two{{seen, 2}};"):
            with self.subTest(store):
                self.assertEqual(self.codes(f"    {store}\n" + order("S", "MTE2") + TLOAD), ["E17"])

    def test_a_load_of_what_a_transfer_has_written_since(self):
        body = LOAD + TSTORE + order("MTE3", "S") + LOAD
        found = self.one("E19", body)
        self.assertEqual(found["location"]["line"], self.line_of(LOAD + TSTORE + order("MTE3", "S"), "    if (seen"))
        self.assertEqual(self.codes(LOAD + TSTORE + order("MTE3", "S") + CLEAN + LOAD), [])
        self.assertEqual(self.codes(LOAD.replace("1", "32") + TSTORE + order("MTE3", "S") + LOAD), [])

    def test_a_line_that_two_cores_write(self):
        self.assertEqual(self.codes("    y[get_block_idx()] = 2;\n", blocks=2), ["E18"])
        self.assertEqual(self.codes("    y[16 * get_block_idx()] = 2;\n", blocks=2), [])

    def test_cores_that_agree_by_polling(self):
        """The storing core cleans, the waiting core invalidates: nothing else orders them, and there is no finding."""
        polls = "    if (get_block_idx() == 0) {\n    y[0] = 2;\n    dcci(y, SINGLE_CACHE_LINE);\n    } else {\n" \
                "    while (*(volatile __gm__ float*)y != 2) dcci(y, SINGLE_CACHE_LINE);\n    }\n"
        self.assertEqual(self.codes(polls, blocks=2), [])

    def test_sources_without_reports_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            source, built = pathlib.Path(folder) / "k.cpp", pathlib.Path(folder) / "k.so"
            source.write_text(KERNEL.replace("BODY\n", STORE + order("S", "MTE2") + TLOAD))
            for options, sources, codes in (([], [str(source)], []), (["--report-accesses"], [], ["E17"])):
                subprocess.run([OPTIONS.ptosim.resolve(), "build", source, "-o", built, "--core", "aiv", *options],
                               capture_output=True, check=True)
                report = pathlib.Path(folder) / "r.json"
                ran = subprocess.run([OPTIONS.ptosim.resolve(), "check", built, "--arg", "zeros=16384xf32", "--blocks", "1",
                                      "--json", report], capture_output=True, text=True, check=False)
                result = json.loads(report.read_text())
                self.assertEqual([finding["code"] for finding in result["diagnostics"]], codes, ran.stderr)
                self.assertEqual(result.get("unrecorded", []), sources)

    def test_time_and_results_are_those_of_a_run_without_checkers(self):
        body = "    for (int i = 0; i < 40; ++i) y[i] = y[i + 1] + 1;\n" + CLEAN_ALL + order("S", "MTE2") + TSTORE
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "k.cpp"
            source.write_text(KERNEL.replace("BODY\n", body))
            outcomes = []
            # Instrumented code is other code, so its instructions take no time here.
            for words in (["run"], ["check", "--schedules", "1"]):
                report, output = pathlib.Path(folder) / "r.json", pathlib.Path(folder) / "y.npy"
                subprocess.run([OPTIONS.ptosim.resolve(), *words, source, "--core", "aiv", "--arg",
                                f"out=128xf32:{output}", "--set", "scalar.code=0", "--json", report],
                               capture_output=True, check=True)
                outcomes.append((json.loads(report.read_text())["cycles"], output.read_bytes()))
            self.assertEqual(outcomes[0], outcomes[1])


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
