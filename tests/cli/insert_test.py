#!/usr/bin/python3
"""Files that leave addresses and flags to the assembler, seen from the command line.

    insert_test.py --ptosim BIN
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import command_line  # noqa: E402
import fifo_test  # noqa: E402

PTOSIM = "ptosim"
TILE = "!pto.tile_buf<vec, 8x64xf32>"

HEAD = """module {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: i32, %flag: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %count = arith.index_cast %n : i32 to index
"""

# y = |x| where flag, else -x, row block by row block: %n blocks, with the block before kept for the
# sum; loop-carried tiles, a branch, a loop that may not run, a scalar of a tile.
KERNEL = HEAD + """    %rows = arith.muli %count, %c8 : index
    %xv = pto.make_tensor_view %x, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %one = pto.alloc_tile : TILE
    %two = pto.alloc_tile : TILE
    %sum = pto.alloc_tile : TILE
    %out = pto.alloc_tile : TILE
    %minus = arith.constant -1.0 : f32
    pto.texpands ins(%minus : f32) outs(%sum : TILE)
    %last:2 = scf.for %i = %c0 to %count step %c1 iter_args(%now = %one, %then = %two) -> (TILE, TILE) {
      %row = arith.muli %i, %c8 : index
      %xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x64xf32>
      %yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x64xf32>
      pto.tload ins(%xp : !pto.partition_tensor_view<8x64xf32>) outs(%now : TILE)
      scf.if %flag {
        pto.tabs ins(%now : TILE) outs(%out : TILE)
      } else {
        pto.tmuls ins(%now, %minus : TILE, f32) outs(%out : TILE)
      }
      pto.tadd ins(%out, %sum : TILE, TILE) outs(%sum : TILE)
      pto.tstore ins(%sum : TILE) outs(%yp : !pto.partition_tensor_view<8x64xf32>)
      scf.yield %then, %now : TILE, TILE
    }
    return
  }
}
""".replace("TILE", TILE)

# y = exp(x) by row blocks, the turns of a block in two slots: the slot is SLOT.
SLOTS = """!view = !pto.tensor_view<?x?xf32>
!part = !pto.partition_tensor_view<8x512xf32>
!tile = !pto.tile_buf<vec, 8x512xf32>
!tiles = !pto.multi_tile_buf<!tile, count=2>
module {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: i32) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c512 = arith.constant 512 : index
    %count = arith.index_cast %n : i32 to index
    %rows = arith.muli %count, %c8 : index
    %xv = pto.make_tensor_view %x, shape = [%rows, %c512], strides = [%c512, %c1] : !view
    %yv = pto.make_tensor_view %y, shape = [%rows, %c512], strides = [%c512, %c1] : !view
    %block64 = pto.get_block_idx
    %blocks64 = pto.get_block_num
    %block = arith.index_cast %block64 : i64 to index
    %blocks = arith.index_cast %blocks64 : i64 to index
    %slots = pto.alloc_multi_tile : !tiles
    scf.for %t = %block to %count step %blocks {
      %row = arith.muli %t, %c8 : index
      %xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c8, %c512] : !view -> !part
      %yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%c8, %c512] : !view -> !part
      %done = arith.SLOT %t, %block : index
      %turn = arith.divsi %done, %blocks : index
      %slot = arith.remsi %turn, %c2 : index
      %a = pto.multi_tile_get %slots[%slot] : !tiles -> !tile
      pto.tload ins(%xp : !part) outs(%a : !tile)
      pto.texp ins(%a : !tile) outs(%a : !tile)
      pto.tstore ins(%a : !tile) outs(%yp : !part)
    }
    return
  }
}
"""

# The scalar unit of a2a3 reads the indices before the transfer is in MTE2.
ROWS = """module attributes {pto.target_arch = "a3"} {
  func.func @k(%x: !pto.ptr<f32>, %i: !pto.ptr<i32>, %y: !pto.ptr<f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %xv = pto.make_tensor_view %x, shape = [%c8, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %iv = pto.make_tensor_view %i, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xi32>
    %yv = pto.make_tensor_view %y, shape = [%c8, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x64xf32>
    %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xi32> -> !pto.partition_tensor_view<1x8xi32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x64xf32>
    %index = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
    %rows = pto.alloc_tile : TILE
    pto.tload ins(%ip : !pto.partition_tensor_view<1x8xi32>) outs(%index : !pto.tile_buf<vec, 1x8xi32>)
    pto.mgather ins(%xp, %index {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob undefined>} : !pto.partition_tensor_view<8x64xf32>, !pto.tile_buf<vec, 1x8xi32>) outs(%rows : TILE)
    pto.tstore ins(%rows : TILE) outs(%yp : !pto.partition_tensor_view<8x64xf32>)
    return
  }
}
""".replace("TILE", TILE)


def ptosim(*words, cwd=None):
    return subprocess.run([PTOSIM, *words], capture_output=True, text=True, cwd=cwd, timeout=120)


class Insert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def run_kernel(self, command, kernel, x, flag, *options):
        np.save(self.path("x.npy"), x)
        result = ptosim(command, kernel, "--arg", f"in={self.path('x.npy')}", "--arg",
                        f"out={len(x)}x64xf32:{self.path('y.npy')}", "--arg", f"i32={len(x) // 8}",
                        "--arg", f"i1={flag}", "--blocks", "1", *options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return np.load(self.path("y.npy")), result.stdout

    def test_carried_tiles_and_branches(self):
        kernel = self.path("k.pto", KERNEL)
        random = np.random.default_rng(11)
        for blocks in (1, 2, 5):
            for flag in ("true", "false"):
                # Whole numbers: sums are exact in any order.
                x = random.integers(-99, 99, (8 * blocks, 64)).astype(np.float32)
                part = (np.abs(x) if flag == "true" else -x).reshape(blocks, 8, 64)
                expected = (np.cumsum(part, axis=0) - 1).reshape(-1, 64)
                auto, _ = self.run_kernel("run", kernel, x, flag, "--sync", "auto")
                made, text = self.run_kernel("check", kernel, x, flag, "--sync", "insert", "--emit",
                                             self.path("made.pto"))
                again, _ = self.run_kernel("check", self.path("made.pto"), x, flag)
                for y in (auto, made, again):
                    np.testing.assert_array_equal(y, expected)
                self.assertRegex(text, r"inserted: \d+ set_flag, \d+ wait_flag, \d+ barriers")

    def test_advice_names_the_load_behind_an_inserted_flag(self):
        """The wait for the buffer comes before the branch; the kernel's author knows the load in it."""
        text = KERNEL.replace("      pto.tload ins", """      %even = arith.remui %i, %c8 : index
      %is_first = arith.cmpi eq, %even, %c0 : index
      scf.if %is_first {
        pto.tabs ins(%sum : TILE) outs(%out : TILE)
        pto.tload ins(%xp : !pto.partition_tensor_view<8x64xf32>) outs(%one : TILE)
      } else {
        pto.tload ins(%xp : !pto.partition_tensor_view<8x64xf32>) outs(%one : TILE)
      }
      pto.tload ins""".replace("TILE", TILE), 1).replace("ins(%now", "ins(%one")
        kernel = self.path("k.pto", text)
        made = ptosim("run", kernel, "--dry-run", "--sync", "insert", "--emit", self.path("made.pto"))
        self.assertEqual(made.returncode, 0, made.stderr)
        lines = self.read("made.pto").split("\n")
        branch = next(n for n, line in enumerate(lines) if "scf.if %is_first" in line)
        self.assertRegex(" ".join(lines[branch - 4:branch]), r"wait_flag\[<PIPE_V>, <PIPE_MTE2>")
        trace = self.path("trace")
        run = ptosim("run", kernel, "--arg", "zeros=128x64xf32", "--arg", "zeros=128x64xf32", "--arg", "i32=16",
                     "--arg", "i1=true", "--blocks", "1", "--sync", "insert", "--trace", trace, "--trace-formats",
                     "json,lanes")
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(os.path.join(trace, "report.json")) as file:
            report = json.load(file)
        of = {"V->MTE2": "tload", "MTE2->V": "tabs|tmuls|tadd", "MTE3->V": "tabs|tmuls|tadd", "V->MTE3": "tstore"}
        source = text.split("\n")
        seen = set()
        for wait in report["waits"]:
            flag = wait["for"].split(" ")[0]
            if wait["reason"] != "flag":
                continue
            seen.add(flag)
            self.assertRegex(source[int(wait["at"].rsplit(":", 1)[1]) - 1], of[flag], wait)
        self.assertIn("V->MTE2", seen)
        buffers = [advice for advice in report["advice"] if advice["kind"] == "buffer"]
        self.assertTrue(any("pto.tload" in advice["source"] for advice in buffers), report["advice"])
        for advice in report["advice"]:
            self.assertNotIn("scf.if", advice.get("source", ""), advice)
        inserted = [advice for advice in report["advice"] if advice["kind"] in ("flag", "barrier")]
        self.assertTrue(inserted, report["advice"])
        for advice in inserted:
            self.assertIn("ptosim inserted it: --emit FILE", advice["why"])
        # In the text that was written with them they are the kernel's own.
        run = ptosim("run", self.path("made.pto"), "--arg", "zeros=128x64xf32", "--arg", "zeros=128x64xf32", "--arg",
                     "i32=16", "--arg", "i1=true", "--blocks", "1", "--json", "-")
        for advice in json.loads(run.stdout)["advice"]:
            self.assertNotIn("ptosim inserted it", advice["why"])

    def test_indices_that_the_scalar_unit_reads(self):
        with open(self.path("rows.pto"), "w") as file:
            file.write(ROWS)
        x = np.arange(512, dtype=np.float32).reshape(8, 64)
        index = np.array([[3, 1, 7, 0, 0, 2, 6, 5]], np.int32)
        np.save(self.path("x.npy"), x)
        np.save(self.path("i.npy"), index)
        run = ptosim("check", "rows.pto", "--chip", "ascend910b1", "--sync", "insert", "--emit", "flags.pto", "--arg",
                     "in=x.npy", "--arg", "in=i.npy", "--arg", "out=8x64xf32:y.npy", cwd=self.folder.name)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        np.testing.assert_array_equal(np.load(self.path("y.npy")), x[index[0]])
        with open(self.path("flags.pto")) as file:
            self.assertIn("set_flag[<PIPE_MTE2>, <PIPE_S>", file.read())

    def test_a_loop_that_does_not_run(self):
        kernel = self.path("k.pto", KERNEL)
        result = ptosim("check", kernel, "--arg", "zeros=8x64xf32", "--arg", "zeros=8x64xf32",
                        "--arg", "i32=0", "--arg", "i1=true", "--blocks", "1", "--sync", "insert")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_emitted_text_has_addresses_and_keeps_the_rest(self):
        kernel = self.path("k.pto", KERNEL)
        result = ptosim("run", kernel, "--dry-run", "--sync", "insert", "--emit", self.path("m.pto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        made = self.read("m.pto")
        self.assertEqual(made.count("alloc_tile addr = %"), 4)
        addresses = [int(a) for a in re.findall(r"ptosim_addr\d+ = arith.constant (\d+)", made)]
        # Four tiles of 2 KiB, one after the other in the order in which they are touched: %sum before the loop, then
        # the tile that it carries, then %out.
        self.assertEqual(addresses, [2048, 4096, 0, 6144])
        kept = re.sub(r"^.*(%ptosim_\w+ = |pto\.(set_flag|wait_flag|barrier)).*\n", "", made,
                      flags=re.MULTILINE)
        self.assertEqual(re.sub(r" addr = %ptosim_addr\d+", "", kept), KERNEL)
        self.assertIn("    pto.barrier <PIPE_ALL>\n    return\n", made)

    def test_emitted_text_gives_itself(self):
        """With flags, and where no more than the barrier at the end is needed."""
        quiet = KERNEL[: KERNEL.index("    %last:2")] + "    return\n  }\n}\n"
        for name, text in (("flags", KERNEL), ("barrier", quiet)):
            kernel = self.path("k.pto", text)
            for source, made in ((kernel, "one.pto"), (self.path("one.pto"), "two.pto")):
                result = ptosim("run", source, "--dry-run", "--sync", "insert", "--emit",
                                self.path(made))
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("set_flag" in self.read("one.pto"), name == "flags")
            self.assertEqual(self.read("one.pto").count("pto.barrier <PIPE_ALL>"), 1)
            self.assertEqual(self.read("one.pto"), self.read("two.pto"))

    def test_emit_alone_gives_addresses_only(self):
        kernel = self.path("k.pto", KERNEL)
        result = ptosim("run", kernel, "--dry-run", "--emit", self.path("m.pto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("set_flag", self.read("m.pto"))
        self.assertIn("alloc_tile addr = %", self.read("m.pto"))

    def planned(self, text, *options):
        """The addresses of the tiles in the order of the text."""
        kernel = self.path("p.pto", text)
        result = ptosim("run", kernel, "--dry-run", "--emit", self.path("planned.pto"), *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = self.read("planned.pto")
        values = dict(re.findall(r"(%\S+) = arith.constant (\d+) : i64", text))
        return [int(values[name]) for name in re.findall(r"alloc_tile addr = (%\S+)", text)]

    def test_tiles_of_two_arms_share_a_place(self):
        """The arms of the branch yield a tile each; the result is used once more after it."""
        body = HEAD + """    %xv = pto.make_tensor_view %x, shape = [%c8, %c64], strides = [%c64, %c1] : !pto.tensor_view<8x64xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c8, %c64] : !pto.tensor_view<8x64xf32> -> !pto.partition_tensor_view<8x64xf32>
    %yv = pto.make_tensor_view %y, shape = [%c8, %c64], strides = [%c64, %c1] : !pto.tensor_view<8x64xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c64] : !pto.tensor_view<8x64xf32> -> !pto.partition_tensor_view<8x64xf32>
    %five = arith.constant 5.0 : f32
    %in = pto.alloc_tile : TILE
    pto.tload ins(%xp : !pto.partition_tensor_view<8x64xf32>) outs(%in : TILE)
BRANCH
    pto.tstore ins(%r : TILE) outs(%yp : !pto.partition_tensor_view<8x64xf32>)
    return
  }
}
"""
        branch = """%RESULT = scf.if %flag -> (TILE) {
      %a = pto.alloc_tile : TILE
      pto.tmuls ins(%in, %five : TILE, f32) outs(%a : TILE)
      scf.yield %a : TILE
    } else {
      %b = pto.alloc_tile : TILE
      pto.tadds ins(%in, %five : TILE, f32) outs(%b : TILE)
      scf.yield %b : TILE
    }
"""
        plain = (body.replace("BRANCH", branch.replace("RESULT", "chosen") + "%out = pto.alloc_tile : TILE\n"
                              "pto.tadd ins(%chosen, %in : TILE, TILE) outs(%out : TILE)")
                 .replace("%r :", "%out :").replace("TILE", TILE))
        _, a, b, _ = self.planned(plain, "--plan", "modern")
        self.assertEqual(a, b)
        _, a, b, _ = self.planned(plain, "--plan", "legacy")
        self.assertNotEqual(a, b)
        x = np.random.default_rng(5).integers(-9, 9, (8, 64)).astype(np.float32)
        for flag, expected in (("true", 6 * x), ("false", 2 * x + 5)):
            out, _ = self.run_kernel("check", self.path("plain.pto", plain), x, flag, "--plan",
                                     "modern", "--sync", "insert")
            np.testing.assert_array_equal(out, expected)
        # The tile that a round hands to the next is still read while the next one's is made.
        carried = (body.replace("BRANCH", "%first = pto.alloc_tile : TILE\n"
                                "pto.texpands ins(%five : f32) outs(%first : TILE)\n"
                                "%r = scf.for %i = %c0 to %count step %c1 iter_args(%last = %first) -> (TILE) {\n" +
                                branch.replace("RESULT", "now") +
                                "pto.tadd ins(%now, %last : TILE, TILE) outs(%now : TILE)\n"
                                "scf.yield %now : TILE\n}").replace("TILE", TILE))
        _, _, a, b = self.planned(carried, "--plan", "modern")
        self.assertNotEqual(a, b)

    def test_flags_of_the_kernel_stay_alone(self):
        text = KERNEL.replace("    return\n", "    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n"
                              "    pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n    return\n")
        result = ptosim("run", self.path("k.pto", text), "--dry-run", "--sync", "insert", "--emit",
                        self.path("m.pto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read("m.pto").count("set_flag"), 1)

    def test_messages_speak_of_the_lines_that_were_written(self):
        text = KERNEL.replace("%rows = arith.muli %count, %c8", "%rows = arith.muli %count, %c64")
        kernel = self.path("k.pto", text)
        line = 1 + text[: text.index("pto.tstore")].count("\n")
        result = ptosim("check", kernel, "--arg", "zeros=8x64xf32", "--arg", "zeros=8x64xf32",
                        "--arg", "i32=3", "--arg", "i1=true", "--blocks", "1", "--sync", "insert")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"k.pto:{line - 7}:", result.stderr + result.stdout)

    def test_only_text_can_be_rewritten(self):
        kernel = self.path("k.cpp", "// nothing\n")
        for option in (["--sync", "insert"], ["--emit", self.path("m.pto")]):
            result = ptosim("run", kernel, *option)
            self.assertEqual(result.returncode, 2)
            self.assertIn("[I18]", result.stderr)

    def test_fifos(self):
        """Both architectures: the slots are buffers that the planner places."""
        random = np.random.default_rng(7)
        count = 11
        a = random.integers(-4, 4, (32, 32)).astype(np.float16)
        b = random.integers(-4, 4, (count, 32, 32)).astype(np.float16)
        golden = (a.astype(np.float32) @ b.astype(np.float32) + 1).reshape(-1, 32)
        for name, value in (("a", a), ("b", b.reshape(-1, 32)), ("y", golden.astype(np.float32))):
            np.save(self.path(name + ".npy"), value)
        text = fifo_test.Fifo.kernel(None, 1)
        for chip in ("ascend910b1", "ascend950pr"):
            for kernel, options in ((self.path("k.pto", text), ["--sync", "insert", "--emit",
                                                                self.path("m.pto")]),
                                    (self.path("m.pto"), ["--sync", "explicit"])):
                result = ptosim("check", kernel, "--chip", chip, "--blocks", "1", "--entry",
                                "cube+vector", "--arg", "in=a.npy", "--arg", "in=b.npy", "--arg",
                                f"out={32 * count}x32xf32", "--arg", "zeros=8x1024xf32", "--arg",
                                f"i32={count}", "--golden", "2=y.npy", *options,
                                cwd=self.folder.name)
                self.assertEqual(result.returncode, 0, f"{chip} {kernel} {result.stdout}"
                                 f"{result.stderr}")
            self.assertNotIn("auto = true", self.read("m.pto"))

    def slots(self, operation, sync, command="run"):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "k.pto"), "w") as file:
                file.write(SLOTS.replace("SLOT", operation))
            done = subprocess.run([PTOSIM, command, "k.pto", "--sync", sync, "--blocks", "4", "--arg", "rand=256x512xf32",
                                   "--arg", "out=256x512xf32", "--arg", "i32=32", "--json", "r.json"], cwd=folder,
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "r.json")) as file:
                return json.load(file)["cycles"], done.stderr

    def test_slots_by_turns_of_a_block_overlap(self):
        """(t - first) / step modulo 2, in a loop from the block's index in steps of the number of blocks."""
        bytes_order, _ = self.slots("subi", "auto")
        flags, errors = self.slots("subi", "insert")
        self.assertEqual(errors, "")
        self.assertLess(flags, 1.05 * bytes_order)
        self.slots("subi", "insert", "check")

    def test_slots_that_cannot_be_told_apart_are_named(self):
        _, errors = self.slots("xori", "insert")
        self.assertIn("[E35]", errors)
        self.assertIn("(%t - %first) / %s", errors)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
