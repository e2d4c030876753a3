#!/usr/bin/python3
"""Findings of `ptosim check` in kernels with one bug each, and their texts.

check_test.py --ptosim BIN
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import code_scanning  # noqa: E402

PTOSIM = "ptosim"

# A vector kernel: tiles %t0 to %t3 of 16 x 64 f32 at 0, 4096, ..., %p0 (the first 32 columns of
# %t0), views %x and %y of this block's rows, %y0 of block 0's, %left and %right of its halves.
HEAD = """!ptr = !pto.ptr<f32>
!view = !pto.tensor_view<?x?xf32>
!part = !pto.partition_tensor_view<16x64xf32>
!narrow = !pto.partition_tensor_view<16x32xf32>
!tile = !pto.tile_buf<vec, 16x64xf32>
!partial = !pto.tile_buf<vec, 16x64xf32, valid=16x32>
module {
  func.func @k(%xp: !ptr, %yp: !ptr) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %a0 = arith.constant 0 : i64
    %a1 = arith.constant 4096 : i64
    %a2 = arith.constant 8192 : i64
    %a3 = arith.constant 12288 : i64
    %two = arith.constant 2.0 : f32
    %t0 = pto.alloc_tile addr = %a0 : !tile
    %t1 = pto.alloc_tile addr = %a1 : !tile
    %t2 = pto.alloc_tile addr = %a2 : !tile
    %t3 = pto.alloc_tile addr = %a3 : !tile
    %p0 = pto.alloc_tile addr = %a0 : !partial
    %block_i64 = pto.get_block_idx
    %blocks_i64 = pto.get_block_num
    %block = arith.index_cast %block_i64 : i64 to index
    %blocks = arith.index_cast %blocks_i64 : i64 to index
    %rows = arith.muli %blocks, %c16 : index
    %row = arith.muli %block, %c16 : index
    %xv = pto.make_tensor_view %xp, shape = [%rows, %c64], strides = [%c64, %c1] : !view
    %yv = pto.make_tensor_view %yp, shape = [%rows, %c64], strides = [%c64, %c1] : !view
    %x = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c16, %c64] : !view -> !part
    %y = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%c16, %c64] : !view -> !part
    %y0 = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !view -> !part
    %left = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c16, %c32] : !view -> !narrow
    %right = pto.partition_view %yv, offsets = [%c0, %c32], sizes = [%c16, %c32] : !view -> !narrow
    %xleft = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c16, %c32] : !view -> !narrow
"""
TAIL = "    return\n  }\n}\n"
FIRST = HEAD.count("\n") + 1  # the line number of a body's first line

LOAD = "pto.tload ins(%x : !part) outs(%t0 : !tile)\n"
DOUBLE = "pto.tmuls ins(%t0, %two : !tile, f32) outs(%t1 : !tile)\n"
AGAIN = "pto.tmuls ins(%t1, %two : !tile, f32) outs(%t2 : !tile)\n"
STORE = "pto.tstore ins(%t1 : !tile) outs(%y : !part)\n"


def flag(kind, source, destination, number=0):
    return f"pto.{kind}_flag[<PIPE_{source}>, <PIPE_{destination}>, <EVENT_ID{number}>]\n"


def both(source, destination, number=0):
    return flag("set", source, destination, number) + flag("wait", source, destination, number)


GOOD = LOAD + both("MTE2", "V") + DOUBLE + both("V", "MTE3") + STORE


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def run_ptosim(self, body, *extra, blocks=1, command="check", types=""):
        self.write("k.pto", types + HEAD + body + TAIL)
        words = [PTOSIM, command, "k.pto", "--sync", "explicit", "--blocks", str(blocks), "--arg",
                 f"rand={16 * blocks}x64xf32", "--arg", f"out={16 * blocks}x64xf32"]
        return subprocess.run([*words, *extra], cwd=self.folder.name, capture_output=True, text=True,
                              timeout=120)

    def findings(self, body, *extra, blocks=1, types=""):
        process = self.run_ptosim(body, "--json", "r.json", *extra, blocks=blocks, types=types)
        with open(self.path("r.json")) as file:
            found = json.load(file)["diagnostics"]
        self.assertEqual(process.returncode, 1 if found else 0, process.stderr)
        return found

    def codes(self, body, *extra, blocks=1, types=""):
        return sorted({one["code"] for d in self.findings(body, *extra, blocks=blocks, types=types)
                       for one in [d, *d.get("explains", [])]})

    def one(self, code, body, *extra, blocks=1, types=""):
        found = self.findings(body, *extra, blocks=blocks, types=types)
        self.assertEqual([d["code"] for d in found], [code], found)
        return found[0]

    # ---- races
    def test_nothing_is_found_where_nothing_is_wrong(self):
        process = self.run_ptosim(GOOD, blocks=4)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("no findings", process.stdout)

    def test_a_write_that_races_hides_no_other_race(self):
        over = "pto.tmuls ins(%t1, %two : !tile, f32) outs(%t0 : !tile)\n"
        read = "pto.tmuls ins(%t0, %two : !tile, f32) outs(%t2 : !tile)\n"
        found = self.findings(LOAD + over + "pto.barrier <PIPE_V>\n" + read, "--check", "race")
        self.assertEqual([(d["code"], d["location"]["line"]) for d in found],
                         [("E03", FIRST + 1), ("E01", FIRST + 3)])

    def test_read_after_write_names_both_sides_and_the_remedy(self):
        found = self.findings(LOAD + DOUBLE + both("V", "MTE3") + STORE)
        self.assertEqual(found[0]["code"], "E01")
        self.assertEqual(found[0]["category"], "race")
        self.assertEqual(found[0]["location"]["line"], FIRST + 1)
        self.assertEqual((found[0]["pipe"], found[0]["instruction"], found[0]["operand"]),
                         ("V", "TMULS", "src"))
        self.assertEqual(found[0]["bytes"], [0, 4096])
        self.assertIn("RAW race in UB between pipes MTE2 and V", found[0]["message"])
        (other,) = found[0]["related"]
        self.assertIn("first: TLOAD 'dst'", other["text"])
        self.assertEqual((other["location"]["line"], other["pipe"], other["instruction"],
                          other["operand"], other["bytes"]), (FIRST, "MTE2", "TLOAD", "dst", [0, 4096]))
        self.assertLess(other["cycle"], found[0]["cycle"])
        self.assertIn("'pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]' after k.pto:" + str(FIRST), found[0]["hint"])

    def test_a_flag_that_is_there_and_orders_nothing_is_named(self):
        wait = both("V", "MTE3") + STORE
        early = self.findings(flag("set", "MTE2", "V", 3) + LOAD + flag("wait", "MTE2", "V", 3) + DOUBLE + wait)[0]
        self.assertEqual(early["code"], "E01")
        self.assertIn(f"set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>] at k.pto:{FIRST} is executed before "
                      f"k.pto:{FIRST + 1}: it does not order later work", early["notes"])
        busy = "pto.texpands ins(%two : f32) outs(%t3 : !tile)\npto.barrier <PIPE_V>\n"
        busy += 100 * "pto.tmuls ins(%t3, %two : !tile, f32) outs(%t3 : !tile)\npto.barrier <PIPE_V>\n"
        late = self.findings(LOAD + flag("set", "MTE2", "V") + busy + DOUBLE + flag("wait", "MTE2", "V") + wait)[0]
        self.assertEqual(late["code"], "E01")
        self.assertIn(f"set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>] at k.pto:{FIRST + 1} is executed after "
                      f"k.pto:{FIRST}, but nothing before k.pto:{FIRST + 204} waits for it", late["notes"])
        self.assertFalse(any("set_flag" in note for note in self.findings(LOAD + DOUBLE + wait)[0]["notes"]))

    def test_a_race_that_did_not_bite_is_found(self):
        """The load is long over when V reads its tile: by the order of this run all is well."""
        wait = "".join("pto.tmuls ins(%t3, %two : !tile, f32) outs(%t3 : !tile)\npto.barrier <PIPE_V>\n"
                       for _ in range(100))
        body = "pto.texpands ins(%two : f32) outs(%t3 : !tile)\npto.barrier <PIPE_V>\n"
        self.assertEqual(self.one("E01", LOAD + body + wait + DOUBLE + both("V", "MTE3") + STORE)["code"],
                         "E01")

    def test_write_after_read(self):
        self.assertIn("WAR", self.one("E02", GOOD + LOAD)["message"])

    def test_write_after_write(self):
        fill = "pto.texpands ins(%two : f32) outs(%t0 : !tile)\n"
        self.assertIn("WAW", self.one("E03", LOAD + fill)["message"])

    def test_dependent_vector_instructions_need_a_barrier_on_a2a3(self):
        body = LOAD + both("MTE2", "V") + DOUBLE
        found = self.one("E04", body + AGAIN)
        self.assertIn("pto.barrier <PIPE_V>", found["hint"])
        self.assertEqual(self.codes(body + "pto.barrier <PIPE_V>\n" + AGAIN), [])
        self.assertEqual(self.codes(body + "pto.barrier <PIPE_ALL>\n" + AGAIN), [])
        self.assertEqual(self.codes(body + both("V", "MTE3") + both("MTE3", "V") + AGAIN), [])

    def test_barriers_that_the_assembler_leaves_out_are_named(self):
        # PTOAS pull request 674: 16 repeats of 256 bytes are as many as 16 x 64 f32; 15 rows are fewer, and half a tile
        # is not the written part.
        def noted(valid, then=None):
            tile = f"!pto.tile_buf<vec, 16x64xf32, valid={valid}>"
            tiles = "".join(f"%u{i} = pto.alloc_tile addr = %a{i} : {tile}\n" for i in range(3))
            first, second = (f"pto.tmuls ins(%u{i}, %two : {tile}, f32) outs(%u{i + 1} : {tile})\n" for i in (0, 1))
            found = self.one("E04", tiles + LOAD + both("MTE2", "V") + first + (then or second))
            return any("PTOAS omits this barrier" in note for note in found["notes"])

        self.assertTrue(noted("16x64"))
        self.assertFalse(noted("15x64"))
        half = "!pto.tile_buf<vec, 16x64xf32, valid=16x32>"
        self.assertFalse(noted("16x64", f"%h = pto.alloc_tile addr = %a1 : {half}\n%g = pto.alloc_tile addr = %a2 : {half}\n"
                               f"pto.tmuls ins(%h, %two : {half}, f32) outs(%g : {half})\n"))

    def test_a_barrier_of_all_pipes_orders_everything(self):
        everything = "pto.barrier <PIPE_ALL>\n"
        self.assertEqual(self.codes(LOAD + everything + DOUBLE + everything + STORE + everything + LOAD), [])

    def test_an_order_may_lead_over_a_third_pipe(self):
        through = both("MTE2", "MTE3") + both("MTE3", "V")
        self.assertEqual(self.codes(LOAD + through + DOUBLE + both("V", "MTE3") + STORE), [])

    def test_a_load_of_what_was_stored(self):
        body = GOOD + "pto.tload ins(%y : !part) outs(%t3 : !tile)\n"
        self.assertIn("argument 1", self.one("E01", body)["message"])
        body = GOOD + both("MTE3", "MTE2") + "pto.tload ins(%y : !part) outs(%t3 : !tile)\n"
        self.assertEqual(self.codes(body), [])

    def test_neighbouring_columns_are_not_a_race(self):
        """%left and %right interleave in global memory row by row."""
        body = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%p0 : !partial) outs(%left : !narrow)\n"
        body += both("MTE3", "MTE2") + "pto.tload ins(%right : !narrow) outs(%p0 : !partial)\n"
        self.assertEqual(self.codes(body), [])
        body = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%p0 : !partial) outs(%left : !narrow)\n"
        body += "pto.tload ins(%left : !narrow) outs(%t3w : !partial)\n"
        body = "%t3w = pto.alloc_tile addr = %a3 : !partial\n" + body
        self.assertEqual(self.codes(body), ["E01"])

    def test_two_blocks_store_to_the_same_bytes(self):
        body = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%t0 : !tile) outs(%y0 : !part)\n"
        found = self.one("G04", body, blocks=2)
        self.assertRegex(found["message"], "between cores AIV0[01] and AIV0[01]")
        self.assertEqual(self.codes(body, blocks=1), [])

    def test_a_line_that_is_shorter_than_its_view_touches_its_own_bytes(self):
        """Each block moves 7 elements, by views of 32 that reach over the elements of the next block."""
        line = "!pto.tile_buf<vec, 1x32xf32, valid=?x?>"
        view, part = "!pto.tensor_view<?xf32>", "!pto.partition_tensor_view<32xf32>"
        body = ("%c7 = arith.constant 7 : index\n%begin = arith.muli %block, %c7 : index\n"
                f"%line = pto.alloc_tile addr = %a0 valid_row = %c1 valid_col = %c7 : {line}\n")
        for name in "xy":
            body += (f"%{name}1 = pto.make_tensor_view %{name}p, shape = [%c64], strides = [%c1] : {view}\n"
                     f"%{name}l = pto.partition_view %{name}1, offsets = [%begin], sizes = [%c32] : "
                     f"{view} -> {part}\n")
        body += f"pto.tload ins(%xl : {part}) outs(%line : {line})\n" + both("MTE2", "MTE3")
        body += f"pto.tstore ins(%line : {line}) outs(%yl : {part})\n"
        found = self.findings(body, blocks=4)
        self.assertEqual([(d["code"], d["category"]) for d in found], [("S04", "undefined")] * 2, found)

    def test_two_blocks_on_one_core_are_not_ordered_by_chance(self):
        body = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%t0 : !tile) outs(%y0 : !part)\n"
        found = self.findings(body, "--set", "clusters=1", "--set", "cluster.aivs=1", blocks=2)
        self.assertEqual([d["code"] for d in found], ["G04"])
        self.assertIn("between blocks 0 and 1", found[0]["message"])

    def test_a_signal_between_cores_orders(self):
        body = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%t0 : !tile) outs(%y : !part)\n"
        signal = "pto.sync.set <PIPE_MTE3>, 3 {ffts_mode = 0 : i32}\n"
        wait = "pto.sync.wait <PIPE_MTE2>, 3\n"
        read = "pto.tload ins(%y0 : !part) outs(%t3 : !tile)\n"
        self.assertEqual(self.codes(body + signal + wait + read, blocks=4), [])
        self.assertEqual(self.codes(body + read, blocks=4), ["E01", "G04"])

    def test_a_flag_that_may_be_set_again_too_early(self):
        """Nothing but luck lets V take the first flag before MTE2 sets it again."""
        body = LOAD + flag("set", "MTE2", "V") + flag("wait", "MTE2", "V")
        # Bytes that L2 does not hold come later than those before them.
        slow = "pto.tload ins(%y : !part) outs(%t3 : !tile)\n" * 4
        self.assertEqual(self.codes(body + slow + flag("set", "MTE2", "V") + flag("wait", "MTE2", "V")),
                         ["E07"])

    def test_flags_that_count(self):
        """Two sets, then two waits: a bit loses one, a counter hands both over in their order."""
        other = "pto.tload ins(%y : !part) outs(%t3 : !tile)\n"
        sets = LOAD + flag("set", "MTE2", "V") + other + flag("set", "MTE2", "V")
        wait = flag("wait", "MTE2", "V")
        use = "pto.tmuls ins(%t3, %two : !tile, f32) outs(%t2 : !tile)\n"
        counted = ("--set", "flags.sets=2")
        self.assertIn("E07", self.codes(sets + wait + DOUBLE + wait + use, "--set", "flags.sets=1"))
        # The documents forbid it all the same; nothing else is wrong.
        found = self.one("E07", sets + wait + DOUBLE + wait + use, *counted)
        self.assertIn("may be set again before the previous set is consumed", found["message"])
        self.assertIn("lets a flag count 2 sets (flags.sets, assumed); a documented flag is one bit", found["notes"][0])
        # V is held up: the second set is really there before the first wait.
        at_once = LOAD + flag("set", "MTE2", "V") * 2 + both("MTE2", "V", 1) + wait * 2 + DOUBLE
        found = self.one("E07", at_once, *counted)
        self.assertIn("is set again while the set before has not been waited for", found["message"])
        self.assertIn(f"k.pto:{FIRST + 1}", json.dumps(found["related"]))
        # The first wait knows of the first load only.
        self.assertEqual(self.codes(sets + wait + use + wait, *counted), ["E01", "E07"])
        third = sets + other + flag("set", "MTE2", "V") + wait + DOUBLE + wait + wait + use
        self.assertEqual(self.codes(third, "--set", "flags.sets=3"), ["E07"])
        late = sets + flag("set", "MTE2", "V") + both("MTE2", "V", 1) + wait * 3  # V is held up
        lost = [d for d in self.findings(late, *counted) if d["code"] == "E07" and "again" in d["message"]]
        self.assertTrue(any("while the 2 sets before have not been waited for" in d["message"] for d in lost), lost)
        self.assertTrue(any("a flag holds 2 sets" in d["hint"] for d in lost), lost)
        left = self.findings(sets + DOUBLE, *counted)
        self.assertIn("no wait_flag has taken this set and 1 before it",
                      [d for d in left if d["code"] == "E10"][0]["message"])
        # Nothing orders the third set after the first wait, though it comes late enough.
        slow = sets + wait + DOUBLE + wait + other * 4 + flag("set", "MTE2", "V") + wait
        found = [d for d in self.findings(slow, *counted) if "while it holds 2 sets" in d["message"]][0]
        self.assertIn("a flag holds 2 sets: let MTE2 wait for a flag that V sets", found["hint"])
        # With room for it, it is one that does not come after the wait for the set before, like the second.
        found = self.findings(slow, "--set", "flags.sets=3")
        self.assertEqual([d["code"] for d in found], ["E07", "E07"])
        self.assertFalse(any("holds 2 sets" in d["message"] for d in found), found)
        self.assertEqual(self.codes(sets + wait + DOUBLE, *counted), ["E07", "E10"])

    def test_one_id_announces_tiles_in_turn(self):
        """Two slots, each with a flag that frees it, and one id for their loads: at most two sets, in any timing."""
        tiles = ("%t0", "%t3")

        def turns(free):
            return "".join(free("wait", slot) + f"pto.tload ins(%x : !part) outs({tiles[slot]} : !tile)\n"
                           + flag("set", "MTE2", "V", 7) + flag("wait", "MTE2", "V", 7)
                           + f"pto.tmuls ins({tiles[slot]}, %two : !tile, f32) outs(%t2 : !tile)\npto.barrier <PIPE_V>\n"
                           + free("set", slot) for slot in (0, 1) * 3)
        both_slots = "".join(flag("{0}", "V", "MTE2", slot) for slot in (0, 1))
        right = both_slots.format("set") + turns(lambda what, slot: flag(what, "V", "MTE2", slot)) + both_slots.format("wait")
        self.assertEqual(self.codes(right), [])
        self.assertIn("E07", self.codes(right, "--set", "flags.sets=1"))
        self.assertIn("E07", self.codes(turns(lambda what, slot: "")))  # nothing bounds the sets

    def test_a_plain_run_goes_on_where_a_flag_is_set_twice(self):
        """The chip files allow 15 sets; the sixteenth is lost, and every run reports it."""
        wait = flag("wait", "MTE2", "V")
        for count, code in ((15, 0), (16, 1)):
            # V takes none of them before all are set.
            body = LOAD + flag("set", "MTE2", "V") * count + both("MTE2", "V", 1) + wait * count
            process = self.run_ptosim(body, command="run")
            self.assertEqual(process.returncode, code, process.stderr)
            self.assertEqual("while the 15 sets before have not been waited for" in process.stderr, code == 1)

    def test_a_set_that_an_earlier_launch_has_left(self):
        """The wait takes it and comes too early for the load: both are reported."""
        body = LOAD + both("MTE2", "V") + DOUBLE + flag("set", "MTE2", "V")
        self.assertEqual([c for c in self.codes(body) if c != "E07"], ["E10"])
        found = self.findings(body, "--warm", "1")
        codes = [d["code"] for d in found]
        self.assertIn("E20", codes)
        self.assertIn("E01", codes)
        wait = [d for d in found if d["code"] == "E20"][0]
        self.assertIn("the wait for flag MTE2->V #0 consumes a set that an earlier launch left", wait["message"])
        self.assertIn(f"k.pto:{FIRST + 2}:", self.run_ptosim(body, "--warm", "1").stderr)
        process = self.run_ptosim(body, "--warm", "1", command="run")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("a launch started with flags that earlier launches had left set (--check sync names them)",
                      process.stdout)

    def test_a_chip_that_clears_flags(self):
        """The set that is left is told, and the next launch does not take it."""
        body = LOAD + both("MTE2", "V") + DOUBLE + flag("set", "MTE2", "V")
        for words in (("--chip", "ascend950pr"), ("--set", "flags.cleared=1")):
            codes = self.codes(body, "--warm", "1", *words)
            self.assertIn("E10", codes)
            self.assertNotIn("E20", codes)
            self.assertNotIn("E01", codes)

    # ---- bytes that nobody has written
    def test_bytes_that_were_never_written(self):
        found = self.one("D01", "pto.tstore ins(%t1 : !tile) outs(%y : !part)\n")
        self.assertIn("byte 4096 of UB", found["message"])

    def test_bytes_outside_the_valid_region(self):
        body = "pto.tload ins(%xleft : !narrow) outs(%p0 : !partial)\n" + both("MTE2", "V") + DOUBLE
        found = self.one("D02", body)
        self.assertIn("byte 128 of UB", found["message"])
        self.assertIn(f"k.pto:{FIRST}", found["message"])

    def test_the_block_before_leaves_nothing_to_read(self):
        body = "%first = arith.cmpi eq, %block, %c0 : index\nscf.if %first {\n" + LOAD + "}\n"
        body += both("MTE2", "V") + DOUBLE
        one_core = ("--set", "clusters=1", "--set", "cluster.aivs=1")
        self.assertEqual(self.codes(body, *one_core, blocks=2), ["D01"])

    def test_what_a_larger_load_has_left_in_the_tile(self):
        """The same instruction loads 16 rows, then 8: the other 8 belong to the turn before."""
        loop = """scf.for %i = %c0 to %c2 step %c1 {{
          %n = arith.muli %i, %c8 : index
          %count = arith.subi %c16, %n : index
          %t = pto.alloc_tile addr = %a0 valid_row = %count : !ragged
          %v = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%count, %c64] : !view -> !some
          pto.barrier <PIPE_ALL>
          {fill}pto.tload ins(%v : !some) outs(%t : !ragged)
        """
        loop += both("MTE2", "V") + DOUBLE + "pto.barrier <PIPE_ALL>\n}}\n"
        types = "!some = !pto.partition_tensor_view<?x64xf32>\n" \
                "!ragged = !pto.tile_buf<vec, 16x64xf32, valid=?x64>\n"
        fill = "pto.texpands ins(%two : f32) outs(%t0 : !tile)\npto.barrier <PIPE_ALL>\n"
        c8 = "%c8 = arith.constant 8 : index\n"
        found = self.one("D02", c8 + loop.format(fill=""), types=types)
        self.assertIn("byte 2048 of UB", found["message"])
        self.assertEqual(self.codes(c8 + loop.format(fill=fill), types=types), [])

    def test_a_tail_that_is_left_over_on_purpose(self):
        """The load of 8 rows leaves the others: who reads only those means them."""
        body = """%c8 = arith.constant 8 : index
        scf.for %i = %c0 to %c2 step %c1 {{
          %n = arith.muli %i, %c8 : index
          %count = arith.subi %c16, %n : index
          %t = pto.alloc_tile addr = %a0 valid_row = %count : !ragged
          %v = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%count, %c64] : !view -> !some
          pto.barrier <PIPE_ALL>
          pto.tload ins(%v : !some) outs(%t : !ragged)
        }}
        pto.barrier <PIPE_ALL>
        %a = arith.constant {address} : i64
        %tail = pto.alloc_tile addr = %a : !eight
        %done = pto.alloc_tile addr = %a1 : !eight
        pto.tmuls ins(%tail, %two : !eight, f32) outs(%done : !eight)
        """
        types = "!some = !pto.partition_tensor_view<?x64xf32>\n" \
                "!ragged = !pto.tile_buf<vec, 16x64xf32, valid=?x64>\n" \
                "!eight = !pto.tile_buf<vec, 8x64xf32>\n"
        self.assertEqual(self.codes(body.format(address=2048), types=types), [])
        self.assertEqual(self.codes(body.format(address=1024), types=types), ["D02"])

    def padded(self, cols, pad):
        """The tile is loaded in part, and read whole."""
        types = f"!ragged = !pto.tile_buf<vec, 16x64xf32, valid=16x{cols}, pad={pad}>\n" \
                f"!some = !pto.partition_tensor_view<16x{cols}xf32>\n"
        body = f"%n = arith.constant {cols} : index\n" \
               "%t = pto.alloc_tile addr = %a0 : !ragged\n" \
               "%v = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c16, %n] : !view -> !some\n" \
               "pto.tload ins(%v : !some) outs(%t : !ragged)\n"
        return body + both("MTE2", "V") + DOUBLE, types

    def test_a_load_with_a_pad_value_fills_its_last_block(self):
        body, types = self.padded(60, 1)
        self.assertEqual(self.codes(body, types=types), [])
        body, types = self.padded(52, 1)  # up to column 56
        self.assertIn("byte 224 of UB", self.one("D02", body, types=types)["message"])
        body, types = self.padded(60, 0)  # nothing to fill with
        self.assertIn("byte 240 of UB", self.one("D02", body, types=types)["message"])

    def test_a_fill_in_place_writes_around_what_is_loaded_later(self):
        types = "!raw = !pto.tile_buf<vec, 16x64xf32, valid=12x40>\n" \
                "!full = !pto.tile_buf<vec, 16x64xf32, pad=1>\n" \
                "!some = !pto.partition_tensor_view<12x40xf32>\n"
        tiles = "%c12 = arith.constant 12 : index\n%c40 = arith.constant 40 : index\n" \
                "%t = pto.alloc_tile addr = %a0 : !raw\n%f = pto.alloc_tile addr = %a0 : !full\n" \
                "%o = pto.alloc_tile addr = %a1 : !full\n" \
                "%v = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c12, %c40] : !view -> !some\n"
        fill = "pto.tfillpad_inplace ins(%t : !raw) outs(%f : !full)\n"
        load = "pto.tload ins(%v : !some) outs(%t : !raw)\n"
        use = both("MTE2", "V", 1) + DOUBLE
        apart = both("V", "MTE2")
        barrier = "pto.barrier <PIPE_V>\n"
        self.assertEqual(self.codes(tiles + fill + load + barrier + use, types=types), [])
        found = self.one("D01", tiles + fill + barrier + DOUBLE, types=types)  # never loaded
        self.assertIn("reads byte 0 of UB", found["message"])
        elsewhere = "pto.tfillpad ins(%t : !raw) outs(%o : !full)\n"  # copies what is not there
        self.assertEqual(self.one("D01", tiles + elsewhere + apart + load, types=types)["instruction"],
                         "TFILLPAD")
        whole = LOAD.replace("%t0", "%f").replace("!tile", "!full")  # into what is being filled
        self.assertEqual(self.codes(tiles + fill + whole + both("MTE2", "V", 1) + DOUBLE, types=types),
                         ["E03", "E04"])  # nor does a barrier stand between the fill and its reader

    def test_a_range_is_the_scalar_units_whatever_came_before(self):
        types = "!range = !pto.tile_buf<vec, 1x64xi32>\n!floats = !pto.tile_buf<vec, 1x64xf32>\n"
        body = "%i = pto.alloc_tile addr = %a3 : !range\n%f = pto.alloc_tile addr = %a3 : !floats\n" \
               "%zero = arith.constant 0 : i32\n" \
               "pto.texpands ins(%two : f32) outs(%t0 : !tile)\npto.barrier <PIPE_V>\n" \
               "pto.tadd ins(%t0, %t0 : !tile, !tile) outs(%t1 : !tile)\n" \
               "pto.tci ins(%zero : i32) outs(%i : !range) {descending = false}\n" + both("S", "V") + \
               "pto.tcvt ins(%i : !range) outs(%f : !floats)\n"
        self.assertEqual(self.codes(body, "--check", "race", types=types), [])

    # ---- instructions that order themselves
    def test_a_gather_waits_for_the_other_pipes_by_itself_on_a2a3(self):
        types = "!rows = !pto.tile_buf<vec, 1x16xi32>\n!iview = !pto.tensor_view<?x?xi32>\n" \
                "!ipart = !pto.partition_tensor_view<1x16xi32>\n"
        body = "%i = pto.alloc_tile addr = %a3 : !rows\n%zero = arith.constant 0 : i32\n" \
               "pto.texpands ins(%zero : i32) outs(%i : !rows)\n" \
               "pto.mgather ins(%x, %i : !part, !rows) outs(%t0 : !tile) {coalesce = #pto<coalesce row>}\n"
        self.assertEqual(self.codes(body + DOUBLE + both("V", "MTE3") + STORE, types=types), [])

    def test_indices_of_a_gather_of_rows_are_read_by_the_scalar_unit_on_a2a3(self):
        """The gather goes over MTE2, as the load does; its indices are read before that begins."""
        types = "!rows = !pto.tile_buf<vec, 1x16xi32>\n!iview = !pto.tensor_view<?x?xi32>\n" \
                "!ipart = !pto.partition_tensor_view<1x16xi32>\n"
        body = "%i = pto.alloc_tile addr = %a3 : !rows\n" \
               "%yi = pto.castptr %yp : !ptr -> !pto.ptr<i32>\n" \
               "%iv = pto.make_tensor_view %yi, shape = [%c1, %c16], strides = [%c16, %c1] : !iview\n" \
               "%ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%c1, %c16] : !iview -> !ipart\n" \
               "pto.tload ins(%ip : !ipart) outs(%i : !rows)\n"
        gather = "pto.mgather ins(%x, %i : !part, !rows) outs(%t0 : !tile) {coalesce = #pto<coalesce row>}\n"
        found = self.one("E01", body + gather, types=types)
        self.assertIn("between pipes MTE2 and S: MGATHER 'idx' reads", found["message"])
        for pipe in ("S", "V"):  # the gather waits for V itself
            self.assertEqual(self.codes(body + both("MTE2", pipe) + gather, types=types), [])
        reuse = "pto.tload ins(%ip : !ipart) outs(%i : !rows)\n"  # the gather is over by then
        self.assertEqual(self.codes(body + both("MTE2", "S") + gather + reuse, types=types), [])

    # ---- tiles that overlap
    def overlap(self, address, middle=AGAIN, tile="!tile"):
        """%t1 is written, then a tile at `address`, then %t1 is read."""
        body = f"%b = arith.constant {address} : i64\n%o = pto.alloc_tile addr = %b : {tile}\n"
        body += LOAD + both("MTE2", "V") + DOUBLE + "pto.barrier <PIPE_V>\n"
        body += f"pto.texpands ins(%two : f32) outs(%o : {tile})\n" + "pto.barrier <PIPE_V>\n"
        return body + middle

    def test_tiles_that_overlap_while_both_are_in_use(self):
        found = self.one("A06", self.overlap(6144))
        self.assertIn("overwritten bytes [6144, 8192)", found["message"])
        self.assertEqual((found["instruction"], found["operand"]), ("TMULS", "src"))
        self.assertIn("[4096, 8192) of UB", found["message"])
        for address in (0, 12288):  # beside it
            self.assertEqual(self.codes(self.overlap(address)), [])
        self.assertEqual(self.codes(self.overlap(4096)), [])  # the same tile
        again = DOUBLE + "pto.barrier <PIPE_V>\n" + AGAIN  # written anew before it is read
        self.assertEqual(self.codes(self.overlap(6144, again)), [])
        self.assertEqual(self.codes(self.overlap(6144, "pto.texp ins(%o : !tile) outs(%t3 : !tile)\n")), [])

    def test_a_race_between_tiles_that_overlap_is_their_doing(self):
        """Without the barrier between the two tiles' instructions: a flag is not the remedy."""
        body = self.overlap(6144).replace(DOUBLE + "pto.barrier <PIPE_V>\n", DOUBLE)
        overlap, *races = self.findings(body)
        self.assertEqual(overlap["code"], "A06")
        self.assertTrue(races)
        for race in races:
            self.assertTrue(race["code"].startswith("E0"))
            self.assertEqual(race["hint"], "first give the overlapping tiles separate bytes (A06 at k.pto:"
                             f"{overlap['location']['line']})")

    def test_a_tile_that_is_written_anew_under_another_name(self):
        """%t1 is torn, written whole as one row, and read as rows again."""
        types = "!flat = !pto.tile_buf<vec, 1x1024xf32>\n!row = !pto.tile_buf<vec, 1x512xf32>\n"
        flat = "%f = pto.alloc_tile addr = %a1 : {0}\n" \
               "pto.texpands ins(%two : f32) outs(%f : {0})\npto.barrier <PIPE_V>\n"
        self.assertEqual(self.codes(self.overlap(6144, flat.format("!flat") + AGAIN), types=types), [])
        # Half of it is not enough: the other half is still another tile's.
        found = self.one("A06", self.overlap(6144, flat.format("!row") + AGAIN), types=types)
        self.assertIn("overwritten bytes [4096, 6144)", found["message"])

    def row(self, number, tile="%t1", columns=64, write=True):
        """Row `number` of a tile as a window, written or read."""
        window = f"!pto.tile_buf<vec, 1x{columns}xf32>"
        ins, outs = ("%two : f32", f"%w{number} : !window") if write else \
            (f"%w{number}, %two : !window, f32", "%line : !window")
        return f"%i{number} = arith.constant {number} : index\n" \
               f"%w{number} = pto.subview {tile}[%i{number}, %c0] sizes [1, {columns}] : !tile -> {window}\n" \
               f"pto.{'texpands' if write else 'tmuls'} ins({ins}) outs({outs})\npto.barrier <PIPE_V>\n" \
               .replace("!window", window)

    def test_a_tile_that_is_written_anew_row_by_row(self):
        """Rows 8 to 15 of %t1 are torn, and then written through windows, all of them or not."""
        rows = [self.row(number) for number in range(8, 16)]
        self.assertEqual(self.codes(self.overlap(6144, "".join(rows) + AGAIN)), [])
        found = self.one("A06", self.overlap(6144, "".join(rows[:5] + rows[6:]) + AGAIN))
        self.assertIn("overwritten bytes [7424, 7680)", found["message"])
    def test_a_row_of_a_torn_tile(self):
        """Rows 8 to 15 of %t1 are torn: read alone, a row is whole, torn, written anew, or the other tile's."""
        types = "!other = !pto.tile_buf<vec, 16x32xf32>\n"
        line = "%line = pto.alloc_tile addr = %a3 : !pto.tile_buf<vec, 1x64xf32>\n"
        anew = self.row(9).replace("w9", "w99").replace("i9", "i99")
        for tile, written, number, codes in (("!other", "", 7, []), ("!other", "", 9, ["A06"]),
                                             ("!other", anew, 9, []), ("!tile", "", 9, [])):
            body = line + written + self.row(number, write=False)
            self.assertEqual(self.codes(self.overlap(6144, body, tile), types=types), codes)

    def test_the_beginning_of_another_tile_in_another_shape(self):
        """A line that could be row 8 of %t1, torn by !other, or the first bytes of !other; and a later one."""
        types = "!other = !pto.tile_buf<vec, 16x32xf32>\n!line = !pto.tile_buf<vec, 1x64xf32>\n"
        for address, codes in ((6144, []), (6400, ["A06"])):
            body = f"%n = arith.constant {address} : i64\n%line = pto.alloc_tile addr = %n : !line\n" \
                   "%d = pto.alloc_tile addr = %a3 : !line\n" \
                   "pto.tmuls ins(%line, %two : !line, f32) outs(%d : !line)\n"
            self.assertEqual(self.codes(self.overlap(6144, body, "!other"), types=types), codes)

    def test_a_tile_that_is_torn_twice(self):
        """Two tiles overwrite parts of %t1; the second part is written anew, the first is not."""
        types = "!small = !pto.tile_buf<vec, 2x32xf32>\n"
        tear = "%s = pto.alloc_tile addr = %n : !small\n" \
               "pto.texpands ins(%two : f32) outs(%s : !small)\npto.barrier <PIPE_V>\n"
        for address, rows in ((4096, (0,)), (4352, (1,))):
            body = f"%n = arith.constant {address} : i64\n" + tear
            body += "".join(self.row(row) for row in rows)
            found = self.one("A06", self.overlap(6144, body + AGAIN), types=types)
            self.assertIn("overwritten bytes [6144, 8192)", found["message"])

    def test_a_tile_that_windows_have_written_is_torn(self):
        """Read once so that it is known, %t1 is written row by row, and torn, and read."""
        rows = "".join(self.row(number) for number in range(16))
        again = "pto.tmuls ins(%t1, %two : !tile, f32) outs(%t3 : !tile)\npto.barrier <PIPE_V>\n"
        tear = "%b = arith.constant 6144 : i64\n%o = pto.alloc_tile addr = %b : !tile\n" \
               "pto.texpands ins(%two : f32) outs(%o : !tile)\npto.barrier <PIPE_V>\n"
        types = "!whole = !pto.tile_buf<vec, 64x64xf32>\n"
        begin = "%all = pto.alloc_tile addr = %a0 : !whole\n" \
                "pto.texpands ins(%two : f32) outs(%all : !whole)\npto.barrier <PIPE_V>\n" + again
        found = self.one("A06", begin + rows + tear + again.replace("%t3", "%t0"), types=types)
        self.assertIn("overwritten bytes [6144, 8192)", found["message"])
        self.assertEqual(self.codes(begin + tear + rows + again.replace("%t3", "%t0"), types=types), [])

    def test_a_piece_of_one_line_is_a_window(self):
        """A long row is written, a piece of it by itself, and then the row is read."""
        types = "!bulk = !pto.tile_buf<vec, 1x1024xf32>\n!piece = !pto.tile_buf<vec, 1x64xf32>\n"
        for address, codes in ((4096, []), (4352, []), (8064, ["A06"])):
            body = f"%n = arith.constant {address} : i64\n%b = pto.alloc_tile addr = %a1 : !bulk\n" \
                   "%p = pto.alloc_tile addr = %n : !piece\n%d = pto.alloc_tile addr = %a3 : !bulk\n" \
                   "pto.texpands ins(%two : f32) outs(%b : !bulk)\npto.barrier <PIPE_V>\n" \
                   "pto.texpands ins(%two : f32) outs(%p : !piece)\npto.barrier <PIPE_V>\n" \
                   "pto.tmuls ins(%b, %two : !bulk, f32) outs(%d : !bulk)\n"
            self.assertEqual(self.codes(body, types=types), codes)

    def test_a_window_of_a_tile_with_two_names(self):
        """%t1 is written, then a row of it, and then read as integers of the same bytes."""
        types = "!ints = !pto.tile_buf<vec, 16x64xi32>\n"
        read = "%i = pto.alloc_tile addr = %a1 : !ints\n%j = pto.alloc_tile addr = %a3 : !ints\n" \
               "pto.tadds ins(%i, %one : !ints, i32) outs(%j : !ints)\npto.barrier <PIPE_V>\n"
        body = "%one = arith.constant 1 : i32\n" + LOAD + both("MTE2", "V") + DOUBLE
        body += "pto.barrier <PIPE_V>\n" + read
        self.assertEqual(self.codes(body + self.row(3) + read.replace("%i ", "%k ").replace("%j ", "%l "),
                                    types=types), [])

    def test_a_window_that_is_written_anew_under_another_name(self):
        """The upper half of %t1 is torn, written whole as one row, and read as separate rows."""
        types = "!upper = !pto.tile_buf<vec, 8x64xf32>\n!flat = !pto.tile_buf<vec, 1x512xf32>\n" \
                "!column = !pto.tile_buf<vec, 256x1xf32, blayout=col_major>\n"
        read = "%u = pto.alloc_tile addr = %a1 : !upper\n%v = pto.alloc_tile addr = %a3 : !upper\n" \
               "pto.tmuls ins(%u, %two : !upper, f32) outs(%v : !upper)\n"
        flat = "%f = pto.alloc_tile addr = %a1 : !flat\n" \
               "pto.texpands ins(%two : f32) outs(%f : !flat)\npto.barrier <PIPE_V>\n"
        torn = self.overlap(4096, "", tile="!column")
        self.assertEqual(self.codes(torn + flat + read, types=types), [])
        self.assertEqual(self.codes(torn + read, types=types), ["A06"])

    def test_a_smaller_tile_inside_another(self):
        types = "!small = !pto.tile_buf<vec, 8x32xf32>\n!rows = !pto.tile_buf<vec, 8x64xf32>\n"
        found = self.one("A06", self.overlap(6144, tile="!small"), types=types)
        self.assertIn("bytes [6144, 7168)", found["message"])
        # Whole rows of the tile are a window of it.
        self.assertEqual(self.codes(self.overlap(6144, tile="!rows"), types=types), [])

    # ---- caches of the scalar unit
    KEEP = "pto.store_scalar %two, %yp[%c0] : !ptr, f32\n"
    CLEAN = "pto.cmo.cacheinvalid %yp single_cache_line : !ptr\n"
    CLEAN_ALL = "pto.cmo.cacheinvalid all #pto.address_space<gm>\n"
    READ = "pto.tload ins(%y0 : !part) outs(%t0 : !tile)\n"

    def test_a_store_that_stays_in_the_cache(self):
        flag_to_load = both("S", "MTE2")
        found = self.one("E17", self.KEEP + flag_to_load + self.READ)
        self.assertIn("reads bytes [0, 4) of argument 1, which scalar store at k.pto:", found["message"])
        self.assertIn("cmo.cacheinvalid", found["hint"])
        self.assertEqual(found["related"][0]["instruction"], "scalar store")
        words = ('"SINGLE_CACHE_LINE"', '"ENTIRE_DATA_CACHE"', '"ENTIRE_DATA_CACHE", "CACHELINE_OUT"')
        for clean in (self.CLEAN, self.CLEAN_ALL, *(f"pto.dcci %yp {word} : !ptr\n" for word in words)):
            self.assertEqual(self.codes(self.KEEP + clean + flag_to_load + self.READ), [])
        # Nothing orders the load after this cleaning, and this one is of another line.
        self.assertEqual(self.codes(self.KEEP + flag_to_load + self.CLEAN + self.READ), ["E17"])
        other = self.CLEAN.replace("%yp", "%xp")
        self.assertEqual(self.codes(self.KEEP + other + flag_to_load + self.READ), ["E17"])
        # A race is reported as such, and other columns do not matter.
        self.assertEqual(self.codes(self.KEEP + self.READ), ["E01"])
        right = "%n0 = pto.alloc_tile addr = %a0 : !pto.tile_buf<vec, 16x32xf32>\n" \
                "pto.tload ins(%right : !narrow) outs(%n0 : !pto.tile_buf<vec, 16x32xf32>)\n"
        self.assertEqual(self.codes(self.KEEP + flag_to_load + right), [])
        self.assertEqual(self.codes(self.KEEP + flag_to_load + self.READ, "--check", "race"), [])

    def test_a_load_from_the_cache_that_others_have_written_since(self):
        load = "%v{0} = pto.load_scalar %yp[%c1] : !ptr -> f32\n"
        store = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%t0 : !tile) outs(%y : !part)\n" + \
            both("MTE3", "S")
        found = self.one("E19", load.format(0) + store + load.format(1))
        self.assertIn("scalar load reads bytes [4, 8) of argument 1 from the data cache of AIV00", found["message"])
        self.assertIn("before TSTORE 'dst' at", found["message"])
        self.assertEqual(self.codes(load.format(0) + store + self.CLEAN + load.format(1)), [])
        self.assertEqual(self.codes(load.format(0) + self.CLEAN + store + load.format(1)), [])
        self.assertEqual(self.codes(store + load.format(0) + load.format(1)), [])
        # Another element of the line brings it in as well.
        near = load.format(0).replace("%c1", "%c2")
        self.assertEqual(self.codes(near + store + load.format(1)), ["E19"])
        far = load.format(0).replace("%c1", "%c16")
        self.assertEqual(self.codes(far + store + load.format(1)), [])

    def test_a_cache_line_that_two_cores_write(self):
        """4 bytes apart, and 64: a core writes back the whole line."""
        near = "pto.store_scalar %two, %yp[%block] : !ptr, f32\n"
        far = "pto.store_scalar %two, %yp[%row] : !ptr, f32\n"
        found = self.one("E18", near, blocks=2)
        self.assertIn("a line of 64 bytes is written by scalar store and by scalar store", found["message"])
        self.assertEqual(self.codes(far, blocks=2), [])

    def test_a_cache_line_that_a_transfer_writes(self):
        load = "%v = pto.load_scalar %yp[%c1] : !ptr -> f32\n"
        store = LOAD + both("MTE2", "MTE3") + "pto.tstore ins(%t0 : !tile) outs(%y : !part)\n"
        self.assertEqual(self.codes(self.KEEP + both("S", "MTE3") + store), ["E18"])
        self.assertEqual(self.codes(self.KEEP + self.CLEAN + both("S", "MTE3") + store), [])
        # The line is there before the transfer, and written back after it.
        order = both("MTE3", "S")
        self.assertEqual(self.codes(load + store + order + self.KEEP), ["E18"])
        self.assertEqual(self.codes(load + store + order + self.CLEAN + self.KEEP), [])

    def test_a_store_for_another_core(self):
        """Block 0 stores, both signal, block 1 loads."""
        first = "%first = arith.cmpi eq, %block, %c0 : index\n"
        body = "scf.if %first {\n" + self.KEEP + "CLEAN" + both("S", "MTE3") + "}\n" \
               "pto.sync.set <PIPE_MTE3>, 3 {ffts_mode = 0 : i32}\npto.sync.wait <PIPE_MTE2>, 3\n" \
               "scf.if %first {\n} else {\n%v = pto.load_scalar %yp[%c0] : !ptr -> f32\n}\n"
        self.assertEqual(self.codes(first + body.replace("CLEAN", ""), blocks=2), ["E17"])
        self.assertEqual(self.codes(first + body.replace("CLEAN", self.CLEAN), blocks=2), [])

    def test_windows_of_one_tile_that_overlap(self):
        """Rows 0 to 7 and rows 4 to 11 of %t1 are written, and rows 2 to 5 are read."""
        window = "!pto.tile_buf<vec, {1}x64xf32>"
        take = "%at{0} = arith.constant {0} : index\n%w{0} = pto.subview %t1[%at{0}, %c0] sizes " \
               f"[{{1}}, 64] : !tile -> {window}\n"
        fill = take + f"pto.texpands ins(%two : f32) outs(%w{{0}} : {window})\npto.barrier <PIPE_V>\n"
        read = take + f"%d = pto.alloc_tile addr = %a3 : {window}\n" \
            f"pto.tmuls ins(%w{{0}}, %two : {window}, f32) outs(%d : {window})\n"
        start = LOAD + both("MTE2", "V") + DOUBLE + "pto.barrier <PIPE_V>\n"
        self.assertEqual(self.codes(start + fill.format(0, 8) + fill.format(4, 8) + read.format(2, 4)), [])

    def pieces(self, address, columns=16, rows=16):
        """%t1 is written, then a piece of it that is declared as large as %t1, then %t1 is read."""
        types = f"!piece = !pto.tile_buf<vec, 16x64xf32, valid={rows}x{columns}>\n"
        return self.codes(self.overlap(address, tile="!piece"), types=types)

    def test_pieces_that_are_declared_larger_than_they_are(self):
        for address in (4096 + 64, 4096 + 192):  # columns 16 to 31, and the last ones
            self.assertEqual(self.pieces(address), [])
        self.assertEqual(self.pieces(4096 + 2048, 64, 8), [])  # the last rows
        # Its last column is the next row's; its last row is after the tile.
        self.assertEqual(self.pieces(4096 + 224), ["A06"])
        self.assertEqual(self.pieces(4096 + 256), ["A06"])

    def test_a_piece_that_grows_out_of_its_tile(self):
        """The last rows of %t1 are written as its piece, and then as much as is declared."""
        types = "!piece = !pto.tile_buf<vec, 16x64xf32, valid=8x64>\n"
        fill = "%q = pto.alloc_tile addr = %b : !tile\n" \
               "pto.texpands ins(%two : f32) outs(%q : !tile)\npto.barrier <PIPE_V>\n"
        found = self.one("A06", self.overlap(6144, fill + AGAIN, "!piece"), types=types)
        self.assertIn("overwritten bytes [6144, 8192)", found["message"])
        self.assertEqual(self.codes(self.overlap(6144, DOUBLE + "pto.barrier <PIPE_V>\n" + AGAIN, "!piece"),
                                    types=types), [])

    def test_a_tile_of_windows_is_torn_before_it_is_read_for_the_first_time(self):
        """The other tile overwrites half of row 8, and the rows after it whole."""
        types = "!other = !pto.tile_buf<vec, 16x32xf32>\n"
        rows = "".join(self.row(number) for number in range(16))
        tear = "%b = arith.constant 6272 : i64\n%o = pto.alloc_tile addr = %b : !other\n" \
               "pto.texpands ins(%two : f32) outs(%o : !other)\npto.barrier <PIPE_V>\n"
        self.assertEqual(self.codes(tear + rows + AGAIN, types=types), [])
        found = self.one("A06", rows + tear + AGAIN, types=types)
        self.assertIn("overwritten bytes [6272, 6400)", found["message"])

    # ---- flags
    def test_a_flag_that_a_composite_instruction_uses_inside(self):
        """TROWSUM of a2a3 may set and wait for V->S #0 itself; the a5's does not."""
        for number, expected in ((0, ["E11"]), (1, [])):
            body = "%sum = pto.alloc_tile addr = %a2 : !column\n" + LOAD + both("MTE2", "V")
            body += flag("set", "V", "S", number)
            body += "pto.trowsum ins(%t0, %t3 : !tile, !tile) outs(%sum : !column)\n"
            body += flag("wait", "V", "S", number)
            types = "!column = !pto.tile_buf<vec, 16x1xf32, blayout=col_major>\n"
            self.assertEqual(self.codes(body, types=types), expected)
        self.assertEqual(self.codes(body.replace("EVENT_ID1", "EVENT_ID0"), "--chip", "ascend950pr",
                                    types=types), [])

    def test_scratch_that_the_architecture_does_without(self):
        """TROWSUM of a2a3 computes in its scratch, which is in use here; the a5's does not."""
        types = "!column = !pto.tile_buf<vec, 16x1xf32, blayout=col_major>\n" \
                "!scratch = !pto.tile_buf<vec, 8x64xf32>\n"
        body = "%sum = pto.alloc_tile addr = %a2 : !column\n%b = arith.constant 3072 : i64\n" \
               "%s = pto.alloc_tile addr = %b : !scratch\n" + LOAD + both("MTE2", "V") + DOUBLE
        body += "pto.barrier <PIPE_V>\n"
        body += "pto.trowsum ins(%t1, %s : !tile, !scratch) outs(%sum : !column)\n"
        body += "pto.barrier <PIPE_V>\n" + AGAIN
        self.assertEqual(self.codes(body, types=types), ["A06"])
        self.assertEqual(self.codes(body, "--chip", "ascend950pr", types=types), [])

    def test_a_counter_that_may_overflow(self):
        """Twenty signals in a row fit only if the receiver keeps up."""
        send = "pto.sync.set <PIPE_MTE3>, 3 {ffts_mode = 0 : i32}\n"
        wait = "pto.sync.wait <PIPE_MTE2>, 3\n"
        self.assertEqual(self.codes((send + wait) * 20, blocks=2), [])
        self.assertEqual(self.codes(send * 15 + wait * 15, blocks=2), [])
        self.assertIn("C02", self.codes(send * 20 + wait * 20, blocks=2))

    def test_flags_that_do_not_exist(self):
        for code, line in (("E08", "pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %c16]\n"),
                           ("E09", flag("set", "M", "V")), ("E09", flag("wait", "V", "MTE1")),
                           ("E09", flag("set", "V", "V")), ("E09", "pto.barrier <PIPE_FIX>\n")):
            process = self.run_ptosim(LOAD + line)
            self.assertEqual(process.returncode, 2, line)
            self.assertIn(f"[{code}]", process.stderr, line)
            self.assertIn(f"k.pto:{FIRST + 1}:", process.stderr, line)

    def test_a_flag_left_set(self):
        found = self.one("E10", GOOD + flag("set", "MTE3", "V", 5))
        self.assertIn("MTE3->V #5", found["message"])
        self.assertIn("insert 'pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID5>]' before", found["hint"])
        self.assertEqual(found["location"]["line"], FIRST + GOOD.count("\n"))

    def test_signals_left_over_and_signals_that_never_arrive(self):
        signal = "pto.sync.set <PIPE_MTE3>, 3 {ffts_mode = 0 : i32}\n"
        self.assertEqual(self.codes(GOOD + signal, blocks=2), ["C06"])
        body = GOOD + "%first = arith.cmpi eq, %block, %c0 : index\nscf.if %first {\n" + signal + "}\n"
        self.assertEqual(self.codes(body, blocks=2), ["C07"])

    # ---- what compilers have been reported to do (public reports on hw-native-sys/PTOAS)
    def test_one_id_for_both_slots_of_a_double_buffer(self):
        """The pass had computed an id per slot, and then emitted the same one for both."""
        loop = """scf.for %i = %c0 to %c4 step %c1 {{
          %s = arith.remui %i, %c2 : index
          %z = arith.select {chosen}, %s, %c0 : index
          %odd = arith.index_cast %s : index to i64
          %at = arith.muli %odd, %a1 : i64
          %t = pto.alloc_tile addr = %at : !tile
          pto.wait_flag_dyn[<PIPE_V>, <PIPE_MTE2>, %z]
          pto.tload ins(%x : !part) outs(%t : !tile)
          pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %z]
          pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %z]
          pto.tmuls ins(%t, %two : !tile, f32) outs(%t2 : !tile)
          pto.barrier <PIPE_V>
          pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE2>, %z]
        }}
        """
        drain = flag("wait", "V", "MTE2", 0) + flag("wait", "V", "MTE2", 1)
        right = "%yes = arith.constant true\n" + flag("set", "V", "MTE2", 0) + flag("set", "V", "MTE2", 1)
        self.assertEqual(self.codes(right + loop.format(chosen="%yes") + drain), [])
        wrong = "%no = arith.constant false\n" + flag("set", "V", "MTE2", 0) * 2
        self.assertIn("E07", self.codes(wrong + loop.format(chosen="%no") + flag("wait", "V", "MTE2") * 2))

    def test_one_id_for_two_fences_that_overlap(self):
        """A long fence and one inside it share pipes and id: one token is lost."""
        inside = both("MTE2", "V") + "pto.texpands ins(%two : f32) outs(%t3 : !tile)\n"
        body = LOAD + flag("set", "MTE2", "V") + inside + flag("wait", "MTE2", "V") + DOUBLE
        self.assertIn("E07", self.codes(body))  # whether the kernel hangs (E05) depends on the timing

    def test_a_composite_instruction_that_reads_global_memory_on_another_pipe(self):
        """Its hidden load was not seen, and no flag is between the store and it."""
        hidden = "pto.tload ins(%y : !part) outs(%t3 : !tile)\n"
        hidden += both("MTE2", "MTE3", 1) + "pto.tstore ins(%t3 : !tile) outs(%x : !part)\n"
        self.assertEqual(self.codes(GOOD + hidden), ["E01"])
        self.assertEqual(self.codes(GOOD + both("MTE3", "MTE2") + hidden), [])

    def test_a_wait_that_is_emitted_twice(self):
        body = GOOD.replace(flag("wait", "MTE2", "V"), flag("wait", "MTE2", "V") * 2)
        self.assertEqual(self.codes(body), ["E05"])

    def branch(self, condition, body):
        return f"%taken = arith.cmpi {condition}, %blocks, %c1 : index\nscf.if %taken {{\n{body}}}\n"

    def test_flags_hoisted_out_of_a_branch(self):
        """The set has left the branch and its wait has not."""
        load = LOAD + flag("set", "MTE2", "V")
        self.assertEqual(self.codes(load + self.branch("ne", flag("wait", "MTE2", "V") + DOUBLE)), ["E10"])
        self.assertEqual(self.codes(load + self.branch("eq", flag("wait", "MTE2", "V") + DOUBLE)), ["E31"])
        self.assertEqual(self.codes(self.branch("ne", load) + flag("wait", "MTE2", "V")), ["E05"])

    # ---- texts and formats of findings
    def many(self):
        return LOAD + "pto.tmuls ins(%t0, %two : !tile, f32) outs(%t1 : !tile)\n" * 30

    def test_ten_thousand_races(self):
        """Each pair races with the pairs around it: as many sites as lines and more."""
        process = self.run_ptosim((LOAD + DOUBLE) * 4000)
        self.assertEqual(process.stderr.count(": error: "), 20)
        count = int(re.search(r"(\d+) findings", process.stdout).group(1))
        self.assertGreaterEqual(count, 10000)
        self.assertIn(f"and {count - 20} more findings", process.stderr)

    def test_sarif_paths_are_relative_and_fingerprints_outlive_new_lines(self):
        bad = GOOD.replace(both("V", "MTE3"), "")
        prints = []
        for body in (bad, "// a new line\n" + bad):
            self.write("k.pto", HEAD + body + TAIL)
            process = subprocess.run(
                [PTOSIM, "check", self.path("k.pto"), "--blocks", "1", "--format", "sarif", "--arg",
                 "rand=16x64xf32", "--arg", "out=16x64xf32"], cwd=self.folder.name,
                capture_output=True, text=True, timeout=120)
            (result,) = json.loads(process.stdout)["runs"][0]["results"]
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"]["uri"], "k.pto")
            prints.append((result["partialFingerprints"], place["region"]["startLine"]))
        self.assertEqual(prints[0][0], prints[1][0])
        self.assertEqual(prints[0][1] + 1, prints[1][1])

    def test_the_first_twenty_and_the_count(self):
        process = self.run_ptosim(self.many())
        self.assertEqual(process.stderr.count(": error: "), 20)
        self.assertRegex(process.stderr, r"and \d+ more findings")
        self.assertRegex(process.stdout, r"\d+ findings that explain \d+ more: \d+ race\n")

    def test_a_site_is_told_once_and_counted(self):
        body = "scf.for %i = %c0 to %c4 step %c1 {\n" + GOOD + "pto.barrier <PIPE_ALL>\n}\n"
        self.assertEqual(self.codes(body), [])
        body = "scf.for %i = %c0 to %c4 step %c1 {\n" + GOOD.replace(both("V", "MTE3"), "")
        found = self.one("E01", body + "pto.barrier <PIPE_ALL>\n}\n")
        self.assertEqual(found["count"], 4)

    def test_what_has_to_be_asked_for(self):
        stored = FIRST + GOOD.count("\n") - 1
        found = self.one("E12", GOOD, "--check", "all,drain")
        self.assertEqual((found["location"]["line"], found["pipe"]), (stored, "MTE3"))
        self.assertEqual(self.codes(GOOD + "pto.barrier <PIPE_ALL>\n", "--check", "drain"), [])
        self.assertEqual(self.codes(GOOD + both("MTE3", "S"), "--check", "drain"), [])
        self.assertEqual(self.codes(GOOD + both("MTE3", "V", 1), "--check", "drain"), ["E12"])
        twice = flag("set", "MTE2", "V") + flag("set", "MTE2", "MTE3")
        taken = flag("wait", "MTE2", "V") + flag("wait", "MTE2", "MTE3")
        self.assertEqual(self.codes(twice + taken, "--check", "ids"), ["E13"])
        self.assertEqual(self.codes(twice + taken), [])

    def test_run_checks_what_it_is_told_to(self):
        bad = GOOD.replace(both("V", "MTE3"), "")
        self.assertEqual(self.run_ptosim(bad, command="run").returncode, 0)
        self.assertEqual(self.run_ptosim(bad, "--check", "race", command="run").returncode, 1)
        self.assertEqual(self.run_ptosim(bad, "--check", "bounds,init,sync").returncode, 0)
        self.assertEqual(self.run_ptosim(bad, "--check", "none").returncode, 0)
        refused = self.run_ptosim(bad, "--check", "races")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("[I16]", refused.stderr)

    def test_suppressions(self):
        bad = GOOD.replace(both("V", "MTE3"), "")
        line = FIRST + bad.splitlines().index(STORE.strip())
        for rule, code in ((f"E01 k.pto:{line}  # known", 0), ("E0? *.pto", 0), ("* k.pto", 0),
                           (f"E01 k.pto:{line + 1}", 1), ("E02 k.pto", 1), ("E01 other.pto", 1)):
            self.write("known.txt", "# what we know\n\n" + rule + "\n")
            process = self.run_ptosim(bad, "--suppress", "known.txt")
            self.assertEqual(process.returncode, code, rule)
            self.assertEqual("nothing was suppressed by" in process.stdout, code == 1, rule)
        for rule in ("E01", "E01 k.pto:x", "E01 k.pto 3"):
            self.write("known.txt", rule + "\n")
            process = self.run_ptosim(bad, "--suppress", "known.txt")
            self.assertEqual(process.returncode, 2)
            self.assertIn("known.txt:1: ", process.stderr)

    def test_cores_that_wait_alike_are_told_once(self):
        found = self.one("E05", LOAD + flag("wait", "MTE2", "V", 2), blocks=20)
        self.assertIn("insert 'pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID2>]' after", found["hint"])
        self.assertEqual(found["notes"][0], "20 cores are blocked:")
        self.assertEqual(sum("AIV00/V waits for flag MTE2->V #2" in note for note in found["notes"]), 1)
        self.assertEqual(found["notes"][-1], "and the same on AIV01, AIV02, AIV03, AIV04 and 15 more cores")
        # Blocks that wait for something else are reported separately.
        body = LOAD + "%other = arith.cmpi eq, %block, %c2 : index\nscf.if %other {\n" + \
            flag("wait", "MTE2", "V", 3) + "} else {\n" + flag("wait", "MTE2", "V", 2) + "}\n"
        notes = self.one("E05", body, blocks=4)["notes"]
        self.assertIn("and the same on AIV01, AIV03", notes)
        self.assertTrue(any(note.startswith("AIV02/V waits for flag MTE2->V #3") for note in notes))

    def test_a_deadlock_cannot_be_suppressed(self):
        self.write("known.txt", "* *\n")
        process = self.run_ptosim(LOAD + flag("wait", "MTE2", "V"), "--suppress", "known.txt")
        self.assertEqual(process.returncode, 1)
        self.assertIn("[E05]", process.stderr)

    def test_sarif(self):
        """The properties that the 2.1.0 schema requires, and what code scanning reads."""
        process = self.run_ptosim(self.many() + flag("set", "MTE3", "V"), "--format", "sarif")
        log = json.loads(process.stdout)
        self.assertEqual(log["version"], "2.1.0")
        self.assertIn("sarif-2.1.0", log["$schema"])
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "ptosim")
        self.assertGreater(len(run["results"]), 20)
        for result in run["results"]:
            rule = driver["rules"][result["ruleIndex"]]
            self.assertEqual(rule["id"], result["ruleId"])
            self.assertTrue(rule["shortDescription"]["text"])
            self.assertIn(result["level"], ("none", "note", "warning", "error"))
            self.assertTrue(result["message"]["text"])
            self.assertGreaterEqual(result["occurrenceCount"], 1)
            self.assertTrue(rule["help"]["text"])
            self.assertRegex(rule["name"], "^([A-Z][a-z]*)+$")
            self.assertRegex(result["partialFingerprints"]["ptosimFinding/v1"], "^[0-9a-f]{16}$")
            self.assertRegex(result["partialFingerprints"]["primaryLocationLineHash"],
                             "^[0-9a-f]+:[0-9]+$")
            for location in result["locations"]:
                place = location["physicalLocation"]
                self.assertEqual(place["artifactLocation"]["uri"], "k.pto")
                self.assertGreaterEqual(place["region"]["startLine"], 1)
                self.assertGreaterEqual(place["region"]["startColumn"], 1)
        self.assertEqual(len({rule["id"] for rule in driver["rules"]}), len(driver["rules"]))

    def test_what_code_scanning_asks_of_a_document(self):
        """All documents of these kernels; rules with one text in each; lines known by their text."""
        bad = GOOD.replace(both("V", "MTE3"), "")
        rules = {}
        for body in (GOOD, bad, self.many() + flag("set", "MTE3", "V"), self.overlap(6144), LOAD * 2,
                     LOAD + flag("wait", "MTE2", "V"), "%x0 = pto.nonsense\n", bad + STORE,
                     flag("set", "MTE2", "V") * 2 + LOAD, "pto.tabs ins(%t0 : !tile) outs(%t0 : !tile)\n" * 2,
                     "pto.tstore ins(%t3 : !tile) outs(%y : !part)\n"):
            process = self.run_ptosim(body, "--format", "sarif", "--check", "all,drain,ids")
            self.assertEqual(list(code_scanning.problems(process.stdout)), [], body[:300])
            (run,) = json.loads(process.stdout)["runs"]
            for rule in run["tool"]["driver"]["rules"]:
                self.assertEqual(rules.setdefault(rule["id"], rule), rule)
            with open(self.path("k.pto")) as file:
                text = file.read()
            for result in run["results"]:
                line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
                self.assertEqual(result["partialFingerprints"]["primaryLocationLineHash"],
                                 code_scanning.line_hash(text, line))
        self.assertGreaterEqual(len(rules), 6)

    def test_both_sides_of_a_race_are_linked(self):
        process = self.run_ptosim(LOAD + DOUBLE + both("V", "MTE3") + STORE, "--format", "sarif")
        (result,) = json.loads(process.stdout)["runs"][0]["results"]
        (other,) = result["relatedLocations"]
        self.assertEqual(other["physicalLocation"]["region"]["startLine"], FIRST)
        self.assertIn(f"([line {FIRST}](1))", result["message"]["text"])
        text = self.run_ptosim(LOAD + DOUBLE + both("V", "MTE3") + STORE).stderr.splitlines()
        note = next(i for i, line in enumerate(text) if line.startswith("  note: first: TLOAD"))
        self.assertEqual(text[note + 1].strip(), LOAD.strip())
        self.assertEqual(text[note + 2].strip(), "^")

    def test_a_document_holds_what_code_scanning_takes(self):
        process = self.run_ptosim((LOAD + DOUBLE) * 9000, "--format", "sarif")
        (run,) = json.loads(process.stdout)["runs"]
        found = int(re.search(r"(\d+) findings", process.stderr).group(1))
        self.assertGreater(found, 25000)
        self.assertEqual(len(run["results"]), 25000)
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn(f"{found - 25000} more findings", note["message"]["text"])
        self.assertEqual(list(code_scanning.problems(process.stdout)), [])

    def test_sarif_of_a_kernel_without_findings_and_of_one_that_cannot_be_read(self):
        process = self.run_ptosim(GOOD, "--format", "sarif", "--report", "out.sarif")
        self.assertEqual(process.returncode, 0)
        with open(self.path("out.sarif")) as file:
            self.assertEqual(json.load(file)["runs"][0]["results"], [])
        process = self.run_ptosim("pto.nonsense\n", "--format", "sarif")
        self.assertEqual(process.returncode, 2)
        (result,) = json.loads(process.stdout)["runs"][0]["results"]
        self.assertEqual(result["ruleId"], "K02")

    def test_junit(self):
        process = self.run_ptosim(self.many(), "--format", "junit")
        root = xml.etree.ElementTree.fromstring(process.stdout)
        suite = root.find("testsuite")
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertGreater(int(suite.get("failures")), 20)
        clean = xml.etree.ElementTree.fromstring(self.run_ptosim(GOOD, "--format", "junit").stdout)
        self.assertEqual((clean.find("testsuite").get("tests"), clean.find("testsuite").get("failures")),
                         ("1", "0"))

    def test_json(self):
        process = self.run_ptosim(GOOD.replace(both("V", "MTE3"), ""), "--format", "json")
        self.assertEqual([d["code"] for d in json.loads(process.stdout)], ["E01"])

    def test_the_memory_of_the_checkers_is_bounded(self):
        body = "\n".join(f"%v{i} = arith.constant {i} : index\npto.store_scalar %two, %yp[%v{i}] : !ptr, f32"
                         for i in range(0, 64, 2)) + "\n"
        self.assertEqual(self.codes(body), [])
        body = ("scf.for %i = %c0 to %c1 step %c1 {\n" + body + "}\n")
        loop = "%many = arith.constant 16384 : index\n" \
               "scf.for %i = %c0 to %many step %c2 {\npto.store_scalar %two, %yp[%i] : !ptr, f32\n}\n"
        process = self.run_ptosim(loop, "--check-memory", "1", blocks=16)
        self.assertEqual(process.returncode, 2)
        self.assertIn("[I31]", process.stderr)
        self.assertIn("--check-memory 2", process.stderr)

    def test_a_deadlock_is_a_graph_in_the_trace_and_the_report(self):
        """V waits for MTE3, whose set comes after a wait for V."""
        body = LOAD + both("MTE2", "V") + flag("wait", "MTE3", "V") + DOUBLE + flag("set", "V", "MTE3")
        body += flag("wait", "V", "MTE3") + STORE + flag("set", "MTE3", "V")
        process = self.run_ptosim(body, "--trace", "t")
        self.assertEqual(process.returncode, 1)
        v, mte3 = FIRST + 3, FIRST + 6
        self.assertRegex(process.stderr, rf"a cycle: AIV00/(V|MTE3) \(k.pto:({v}|{mte3})\) -> AIV00/"
                                         rf"(V|MTE3) \(k.pto:({v}|{mte3})\) -> AIV00/(V|MTE3)\n")
        with open(self.path("t/trace.json")) as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "deadlock"]
        marks = [e for e in events if e["ph"] == "i" and e["name"] == "deadlock, in the cycle"]
        self.assertEqual(sorted(e["args"]["holder"] for e in marks), ["AIV00/MTE3", "AIV00/V"])
        self.assertEqual({e["args"]["line"] for e in marks}, {f"k.pto:{v}", f"k.pto:{mte3}"})
        arrows = {e["id"] for e in events if e["ph"] == "s"}
        self.assertEqual(arrows, {e["id"] for e in events if e["ph"] == "f"})
        self.assertGreaterEqual(len(arrows), 2)
        report = subprocess.run([PTOSIM, "report", "t", "--format", "json"], cwd=self.folder.name,
                                capture_output=True, text=True, timeout=120)
        edges = json.loads(report.stdout)["deadlock"]
        cycle = {(e["waiter"], e["holder"], e["line"]) for e in edges if e["in_cycle"]}
        self.assertEqual(cycle, {("AIV00/V", "AIV00/MTE3", v), ("AIV00/MTE3", "AIV00/V", mte3)})

    def test_findings_are_in_the_trace(self):
        self.run_ptosim(GOOD.replace(both("V", "MTE3"), ""), "--trace", "t")
        with open(self.path("t/trace.json")) as file:
            self.assertIn("E01", file.read())

    def test_wasted_synchronisation_is_listed_and_no_finding(self):
        body = GOOD + both("V", "MTE3", 1) + "pto.barrier <PIPE_V>\n"
        process = self.run_ptosim(body, "--wasted")
        self.assertEqual(process.returncode, 0)
        wasted = [line for line in process.stdout.splitlines() if line.startswith("wasted: ")]
        self.assertEqual(len(wasted), 2, wasted)
        again = FIRST + body.count(chr(10)) - 2  # the same flag pair as before, and nothing between
        self.assertIn(f"k.pto:{again}: wait_flag", wasted[0])
        self.assertIn(f"k.pto:{again + 1}: barrier", wasted[1])
        bad = body.replace(both("MTE2", "V"), "")
        self.assertEqual(self.run_ptosim(bad, "--wasted", command="run").returncode, 0)


if __name__ == "__main__":
    PTOSIM = os.path.abspath(sys.argv[sys.argv.index("--ptosim") + 1])
    unittest.main(argv=[sys.argv[0]])
