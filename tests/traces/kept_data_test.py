#!/usr/bin/python3
"""Data kept by --keep-data: the tiles of instructions in the text, the page and the recording, and the
writers of elements that differ from a golden.

    kept_data_test.py --ptosim BIN [--into FOLDER]      FOLDER keeps its files (for scripts/test_viewer.sh)

Expected values are computed by numpy from the inputs.
"""
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page  # noqa: E402

PTOSIM = INTO = ""

# Two blocks with 16 rows each: z = sqrt(x) * y, in place.
KERNEL = """\
!ptr  = !pto.ptr<f32>
!view = !pto.tensor_view<32x64xf32>
!part = !pto.partition_tensor_view<16x64xf32>
!tile = !pto.tile_buf<vec, 16x64xf32>
module attributes {pto.target_arch = "a3"} {
  func.func @roots(%x: !ptr, %y: !ptr, %z: !ptr)
      attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %block_i64 = pto.get_block_idx
    %block = arith.index_cast %block_i64 : i64 to index
    %row = arith.muli %block, %c16 : index
    %xs = pto.make_tensor_view %x, shape = [%c32, %c64], strides = [%c64, %c1] : !view
    %ys = pto.make_tensor_view %y, shape = [%c32, %c64], strides = [%c64, %c1] : !view
    %zs = pto.make_tensor_view %z, shape = [%c32, %c64], strides = [%c64, %c1] : !view
    %x0 = pto.partition_view %xs, offsets = [%row, %c0], sizes = [%c16, %c64] : !view -> !part
    %y0 = pto.partition_view %ys, offsets = [%row, %c0], sizes = [%c16, %c64] : !view -> !part
    %z0 = pto.partition_view %zs, offsets = [%row, %c0], sizes = [%c16, %c64] : !view -> !part
    %a = pto.alloc_tile : !tile
    %b = pto.alloc_tile : !tile
    pto.tload ins(%x0 : !part) outs(%a : !tile) loc("roots.py":3:5)
    pto.tload ins(%y0 : !part) outs(%b : !tile) loc("roots.py":4:5)
    pto.tsqrt ins(%a : !tile) outs(%a : !tile) loc(#loc1)
    pto.tmul ins(%a, %b : !tile, !tile) outs(%a : !tile) loc(#loc1)
    pto.tstore ins(%a : !tile) outs(%z0 : !part) loc("roots.py":6:5)
    return
  }
}
#loc = loc("roots.py":5:9)
#loc1 = loc("multiply"(#loc))
"""
PROGRAM = "import dsl\n\na = dsl.load(x)\nb = dsl.load(y)\nc = dsl.sqrt(a) * b\ndsl.store(c, z)\n"
LINE = {op: 1 + [f"pto.{op} " in line for line in KERNEL.splitlines()].index(True)
        for op in ("tload", "tsqrt", "tmul", "tstore")}


class Kept(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = None if INTO else tempfile.TemporaryDirectory()
        cls.folder = INTO or cls.temporary.name
        os.makedirs(cls.folder, exist_ok=True)
        with open(cls.path("roots.pto"), "w") as file:
            file.write(KERNEL)
        numbers = numpy.random.default_rng(3)
        cls.x = numbers.uniform(1, 4, (32, 64)).astype(numpy.float32)
        cls.y = numbers.uniform(-1, 1, (32, 64)).astype(numpy.float32)
        cls.x[20, 7] = -1  # its root is no number
        cls.y[21, 8] = numpy.inf
        with numpy.errstate(invalid="ignore"):
            cls.root = numpy.sqrt(cls.x)
        cls.z = cls.root * cls.y
        cls.golden = cls.z.copy()
        cls.golden[18, 5] = 5
        cls.golden[30, 1] = 7
        for name in ("x", "y", "golden"):
            numpy.save(cls.path(name + ".npy"), getattr(cls, name))
        done = cls.record("trace", "--keep-data", "4")
        assert done.returncode == 1, done.stderr
        cls.data = page.load(cls.path("trace/report.html"))

    @classmethod
    def tearDownClass(cls):
        if cls.temporary:
            cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def ptosim(cls, *words):
        return subprocess.run([PTOSIM, *words], cwd=cls.folder, capture_output=True, text=True)

    @classmethod
    def record(cls, folder, *more):
        return cls.ptosim("run", "roots.pto", "--blocks", "2", "--arg", "in=x.npy", "--arg",
                          "in=y.npy", "--arg", "out=32x64xf32", "--golden", "2=golden.npy:1e-6,0",
                          "--trace", folder, *more)

    def tiles(self):
        """By core, opcode and role: the values that the page has."""
        with open(self.path("trace/report.html"), encoding="utf-8") as file:
            text = re.search('id="values">(.*?)</script>', file.read(), re.S).group(1)
        data = zlib.decompress(base64.b64decode(text))
        kept, at, tiles = self.data["kept"], 0, []
        for dtype, rows, columns, there in kept["tiles"]:
            self.assertEqual((dtype, there), ("f32", True))
            tiles.append(numpy.frombuffer(data, numpy.float32, rows * columns, at)
                         .reshape(rows, columns))
            at += 4 * rows * columns
        self.assertEqual(at, len(data))
        opcodes = {}
        for lane in self.data["lanes"]:
            for what, sequence in zip(lane["what"], lane["sequence"]):
                if self.data["what"][what]["kind"] == 0:
                    opcodes[lane["core"], sequence] = self.data["what"][what]["name"]
        result = {}
        for core, sequence, operand, role, space, _, tile, nans, infinite, *_ in kept["operands"]:
            core = kept["cores"][core]
            self.assertEqual(kept["spaces"][space], "UB")
            self.assertEqual(nans, numpy.isnan(tiles[tile]).sum())
            self.assertEqual(infinite, numpy.isinf(tiles[tile]).sum())
            result[core, opcodes[core, sequence], ("", "read", "written")[role], operand] = tiles[tile]
        return result

    def test_each_instruction_has_what_it_read_and_what_it_wrote(self):
        tiles = self.tiles()
        self.assertEqual(len(tiles), 2 * (1 + 2 + 3 + 1))  # one name for both loads
        for core, rows in (("AIV00", slice(0, 16)), ("AIV01", slice(16, 32))):
            for key, expected in ((("TSQRT", "read", 1), self.x), (("TSQRT", "written", 0), self.root),
                                  (("TMUL", "read", 1), self.root), (("TMUL", "read", 2), self.y),
                                  (("TMUL", "written", 0), self.z), (("TSTORE", "read", 0), self.z)):
                opcode, role, operand = key
                found = [t for (c, o, r, _), t in tiles.items() if (c, o, r) == (core, opcode, role)]
                self.assertTrue(any(numpy.array_equal(t, expected[rows], equal_nan=True)
                                    for t in found), (core, opcode, role))
                del operand

    def test_equal_tiles_are_kept_once(self):
        # x, y, root and z of each block
        self.assertEqual(len(self.data["kept"]["tiles"]), 8)

    def test_what_differs_is_traced_to_the_store_and_its_element(self):
        (found,) = self.data["report"]["mismatches"]
        self.assertEqual((found["parameter"], found["differ"], found["first"]), (2, 2, "[18, 5]"))
        self.assertEqual((found["lane"], found["row"], found["column"]), ("AIV01", 2, 5))
        self.assertIn(f"TSTORE at roots.pto:{LINE['tstore']} on AIV01", found["text"])
        with open(self.path("trace/agent.json")) as file:
            agent = json.load(file)
        self.assertEqual(agent["verdict"], "differs from its golden")
        self.assertIn("TSTORE at roots.pto", agent["mismatches"][0])

    def test_the_report_names_who_made_the_first_nan_and_infinity(self):
        said = self.ptosim("report", "trace").stdout
        self.assertRegex(said, rf"first NaN .*: TSQRT at roots\.pto:{LINE['tsqrt']} on AIV01 .*1 NaN")
        self.assertRegex(said, r"first infinity .*: TLOAD at roots\.pto:\d+ on AIV01 .*1 infinite")

    def test_tiles_are_printed(self):
        said = self.ptosim("report", "trace", "--data", str(LINE["tmul"])).stdout
        self.assertIn("TMUL at roots.pto", said)
        for core in ("AIV00", "AIV01"):
            self.assertIn(f"on {core}", said)
        self.assertIn(f"{self.x[0, 0] ** 0.5:.6f}"[:7], said)
        there = self.ptosim("report", "trace", "--data", f"roots.pto:{LINE['tmul']}", "--data-from",
                            "4,6").stdout
        self.assertIn("NAN", there)
        self.assertRegex(there, r"\[5\].*-?INF")
        one = re.search(r"on AIV01 \(instruction (\d+)\)", said).group(1)
        self.assertNotIn("AIV00", self.ptosim("report", "trace", "--data", f"AIV01:{one}").stdout)

    def test_values_without_room_are_counted_and_their_facts_kept(self):
        """Four blocks with four different tiles of 64 KiB each; three quarters of a MiB are for
        tiles."""
        with open(self.path("many.pto"), "w") as file:
            file.write(KERNEL.replace("16x64", "16x1024").replace("32x64", "64x1024")
                       .replace("constant 64 ", "constant 1024 ").replace("constant 32 ", "constant 64 "))
        numbers = numpy.random.default_rng(5)
        for name in ("u", "v"):
            numpy.save(self.path(name + ".npy"), numbers.uniform(1, 2, (64, 1024)).astype("f4"))
        done = self.ptosim("run", "many.pto", "--blocks", "4", "--arg", "in=u.npy", "--arg",
                           "in=v.npy", "--arg", "out=64x1024xf32", "--trace", "many",
                           "--keep-data", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = page.load(self.path("many/report.html"))["kept"]
        self.assertEqual(len(kept["tiles"]), 12)
        without = [operand for operand in kept["operands"] if operand[6] < 0]
        self.assertIn(f"values of {len(without)} tiles had no room in the 1 MiB", done.stdout)
        self.assertEqual(len(kept["operands"]), 4 * 8)
        for operand in without:
            self.assertTrue(1 <= operand[9] < operand[10] <= 4, operand)

    def test_what_cannot_be_is_refused(self):
        for words, said in (
                (["run", "roots.pto", "--keep-data", "4"], "--trace"),
                (["run", "roots.pto", "--keep-data", "0", "--trace", "t"], "keep-data"),
                (["run", "roots.pto", "--keep-data", "4", "--mode", "timing", "--trace", "t"],
                 "computes no data"),
                (["report", "trace", "--data", "1"], "no data of '1' was kept"),
                (["report", "trace", "--data", "1", "--data-from", "1"], "ROW,COL"),
                (["report", "trace", "--data-from", "1,1"], "--data"),
                (["report", "trace", "--sources", "nowhere"], "nowhere")):
            done = self.ptosim(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr, words)
        self.record("without", "--trace-formats", "none")
        done = self.ptosim("report", "without", "--data", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[I44]", done.stderr)

    def test_without_it_the_recording_is_as_before_but_for_the_mismatch(self):
        self.record("plain")
        self.assertNotIn("kept", page.load(self.path("plain/report.html")))
        said = self.ptosim("report", "plain").stdout
        self.assertIn("2 of 2048 elements differ", said)
        self.assertNotIn("wrote it", said)

    def test_results_and_times_are_the_same_with_any_number_of_threads(self):
        files = []
        for threads in ("1", "2"):
            self.record("threads" + threads, "--keep-data", "4", "--threads", threads)
            with open(self.path(f"threads{threads}/recording.bin"), "rb") as file:
                files.append(file.read())
        self.assertEqual(*files)

    def test_lines_of_the_program_that_the_kernel_was_made_from(self):
        lines = {line["name"]: line for line in self.data["report"]["lines"]}
        tsqrt, tmul = (lines[f"roots.pto:{LINE[op]}"] for op in ("tsqrt", "tmul"))
        self.assertEqual(tsqrt["origin"], "roots.py:5")
        self.assertEqual(tmul["origin"], "roots.py:5")
        said = self.ptosim("report", "trace").stdout
        row = re.search(r"^\| roots\.py:5 \| (.*?) \| (\d+) \| (\d+) \|", said, re.M)
        self.assertEqual(int(row.group(2)), tsqrt["instructions"] + tmul["instructions"])
        self.assertEqual(int(row.group(3)), tsqrt["busy"] + tmul["busy"])

    def test_their_text_comes_from_the_folder_that_is_given_and_from_nowhere_else(self):
        os.makedirs(self.path("program"), exist_ok=True)
        with open(self.path("program/roots.py"), "w") as file:
            file.write(PROGRAM)
        self.assertEqual(self.ptosim("report", "trace", "--html", "with.html", "--sources",
                                     "program").returncode, 0)
        with open(self.path("with.html"), encoding="utf-8") as file:
            self.assertIn("dsl.sqrt(a) * b", file.read())
        with open(self.path("trace/report.html"), encoding="utf-8") as file:
            self.assertNotIn("dsl.sqrt(a) * b", file.read())

    def test_findings_are_at_its_lines(self):
        with open(self.path("endless.pto"), "w") as file:
            file.write(KERNEL.replace('pto.tload ins(%y0',
                                      'pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>] '
                                      'loc("roots.py":4:1)\n    pto.tload ins(%y0'))
        done = self.ptosim("run", "endless.pto", "--blocks", "2", *["--arg", "zeros=32x64xf32"] * 3)
        self.assertEqual(done.returncode, 1)
        self.assertIn("roots.py:4", done.stderr.splitlines()[0])


if __name__ == "__main__":
    words = sys.argv[1:]
    for option in ("--ptosim", "--into"):
        if option not in words:
            continue
        at = words.index(option)
        globals()[option[2:].upper()] = os.path.abspath(words[at + 1])
        del words[at:at + 2]
    unittest.main(argv=sys.argv[:1] + words)
