#!/usr/bin/python3
"""The debugger's console, by scripted sessions. Expected values are computed by numpy or by hand from the kernel's text.

debug_test.py --ptosim BIN
"""
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zlib

import command_line
import numpy

PTOSIM = "ptosim"
KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")
VADD = os.path.join(KERNELS, "vadd_f32.pto")
ROWS = 64  # two blocks of 32 rows: one round each of ping (the first 16 rows) and pong


def line_of(path, text, which=0):
    """The number of the line that contains a text."""
    with open(path) as file:
        return [number for number, line in enumerate(file, 1) if text in line][which]


class Session(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def debug(self, kernel, words, *commands):
        done = subprocess.run([PTOSIM, "debug", kernel, "--console", *words], cwd=self.folder, timeout=120,
                              input="\n".join(commands) + "\n", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def vadd(self, *commands, kernel=VADD, golden=None, blocks=2, check=None):
        random = numpy.random.default_rng(1)
        self.x, self.y = (random.integers(-99, 99, (ROWS, 256)).astype("f4") for _ in range(2))
        self.z = self.x + self.y
        for name in "xyz":
            numpy.save(self.path(name + ".npy"), getattr(self, name))
        words = ["--blocks", str(blocks), "--arg", "in=x.npy", "--arg", "in=y.npy", "--arg", f"out={ROWS}x256xf32",
                 "--arg", f"i32={ROWS}"]
        words += ["--golden", "2=" + golden] if golden else []
        words += ["--check", check] if check else []
        return self.debug(kernel, words, *commands)

    def changed(self, old, new, which=0):
        """A copy of the kernel in which one line differs."""
        with open(VADD) as file:
            lines = file.read().split("\n")
        at = line_of(VADD, old, which) - 1
        lines[at] = lines[at].replace(old, new)
        path = self.path("changed.pto")
        with open(path, "w") as file:
            file.write("\n".join(lines))
        return path

    def moments(self, output):
        return [int(number) for number in re.findall(r"moment (\d+):", output)]

    def rows(self, output):
        """The rows of printed matrices."""
        return [[float(word) for word in words.split()] for words in re.findall(r"^\d+:(( +\S+)+)$", output, re.M)
                for words in words[:1]]


class Forward(Session):
    def test_a_line_with_conditions(self):
        line = line_of(VADD, "pto.tadd")
        out = self.vadd(f"break {line} block 1", "continue", "print %begin", "names", "continue")
        self.assertIn(f"breakpoint 2: line {line} block 1", out)
        self.assertRegex(out, rf"AIV01 \(block 1\) at .*vadd_f32.pto:{line}\n    pto.tadd ins")
        self.assertIn("\n32\n", out)  # the second band of 64 rows begins at row 32
        self.assertIn("%rows = 64\n", out)
        self.assertIn("%x_ping = UB f32 16x256 ND @0x0", out)
        self.assertIn("the run is over", out)
        out = self.vadd(f"break {line} if %row == 32", "continue", "print block")
        self.assertIn("AIV01 (block 1)", out)
        out = self.vadd(f"break {line} if %rows == 63", "continue")
        self.assertIn("the run is over", out)
        out = self.vadd(f"break {line} iteration 2", "continue", blocks=1)
        self.assertRegex(out, rf"block 0\) at .*:{line}")
        out = self.vadd(f"break {line} if nothing > 1", "continue")
        self.assertIn("the condition cannot be evaluated: ", out)

    def test_a_line_of_another_source(self):
        """A location of the text names the line of the Python source that it was made from."""
        end = "outs(%z_ping : !tile)"
        kernel = self.changed(end, end + ' loc("net.py":7:3)')
        out = self.vadd("break net.py:7 block 1", "continue", "break net.py:8", "continue", kernel=kernel)
        self.assertRegex(out, r"AIV01 \(block 1\) at net.py:7\n")
        self.assertIn("the run is over", out)

    def test_tiles_as_matrices(self):
        line = line_of(VADD, "pto.wait_flag[<PIPE_V>, <PIPE_MTE3>")
        out = self.vadd(f"break {line} block 1", "continue", "pipe V", "to V->MTE3 #0", "print %z_ping[2:4, 8:12]",
                        "save %z_ping saved.npy", "print x[33, 5]", "print UB[0:4]")
        found = self.rows(out)
        numpy.testing.assert_array_equal(found[:2], self.z[34:36, 8:12])
        numpy.testing.assert_array_equal(found[2], self.x[33, 5:6])
        numpy.testing.assert_array_equal(found[3], numpy.frombuffer(self.x[32, :1].tobytes(), "u1"))
        numpy.testing.assert_array_equal(numpy.load(self.path("saved.npy")), self.z[32:48])

    def test_a_tile_as_a_picture(self):
        """The picture's header, and its pixels by the rule of colors: a square of a tile is blue at least, red at most."""
        line = line_of(VADD, "pto.wait_flag[<PIPE_V>, <PIPE_MTE3>")
        out = self.vadd(f"break {line} block 1", "continue", "pipe V", "to V->MTE3 #0", "picture %z_ping[0:2, 0:4] p.png",
                        "picture x", "picture %q q.png")
        self.assertIn("2x4 elements in p.png", out)
        self.assertEqual(out.count("error: "), 2)
        with open(self.path("p.png"), "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        chunks, at = {}, 8
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            chunks[kind] = data[at + 8:at + 8 + size]
            self.assertEqual(struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], zlib.crc32(data[at + 4:at + 8 + size]))
            at += 12 + size
        width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
        self.assertEqual((width, height), (512, 256))
        pixels = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1").reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)
        shown = pixels[64::128, 64::128].astype(int)
        part = self.z[32:34, 0:4]
        self.assertEqual(list(shown[part == part.min()][0]), [0, 0, 255])
        self.assertEqual(list(shown[part == part.max()][0]), [255, 0, 0])
        middle = (part.min() + part.max()) / 2
        numpy.testing.assert_array_equal(shown[..., 0] == 255, part >= middle)

    def test_bandwidth_of_a_moment(self):
        """The only transfer moves 16 rows of 256 elements of 4 bytes from the start of its TLOAD to that of the next."""
        out = self.vadd("bandwidth", "pipe MTE2", "cycle", "pipe MTE2", "cycle", "bandwidth", "pipe MTE2", blocks=1)
        found = re.findall(r"(\d+) transfers, (\d+\.\d) bytes per cycle\nL2 reads: (\d+\.\d) % used", out)
        self.assertEqual(found[0], ("0", "0.0", "0.0"))
        cycles = [int(number) for number in re.findall(r"^cycle (\d+),", out, re.M)]
        self.assertEqual(found[1][0], "1")
        self.assertAlmostEqual(float(found[1][1]), 16 * 256 * 4 / (cycles[5] - cycles[3]), delta=1)

    def test_steps(self):
        first = line_of(VADD, "pto.set_flag")
        out = self.vadd(f"break {first} block 0", "continue", "step", "step", "stepi", "cycle", "chip", "pipe MTE2")
        lines = [int(number) for number in re.findall(r"vadd_f32.pto:(\d+)", out)]
        self.assertEqual(lines[1:3], [first + 1, first + 2])
        moments = self.moments(out)
        self.assertEqual(moments, sorted(set(moments)))
        cycles = [int(number) for number in re.findall(r"^cycle (\d+),", out, re.M)]
        self.assertGreater(cycles[5], cycles[4])

    def test_queues_flags_and_waits(self):
        line = line_of(VADD, "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>")
        out = self.vadd(f"break {line + 1} block 0", "continue", "cycle", "core AIV00", "why V", "queues", "flags", "why S")
        self.assertRegex(out, rf"AIV00/V waits for flag MTE2->V #0; .*\(.*vadd_f32.pto:{line}\)")
        self.assertRegex(out, r"MTE2: \d+ completed\n  working  .*TLOAD")
        self.assertIn("MTE3->V #0 is set at ", out)
        self.assertIn("AIV00/S runs", out)

    def test_bad_commands(self):
        out = self.vadd("brek 3", "break", "break x", "print %q", "print t[9", "delete 9", "core AIV47", "why M", "back up",
                        "watch x[99,0]", "watch x[0,0] often", "pipe Q", "goto x", "save %x_ping")
        self.assertEqual(out.count("error: "), 14)
        self.assertIn("did you mean 'break'?", out)
        done = subprocess.run([PTOSIM, "debug", VADD, "--console", "--mode", "timing"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2)


class Backward(Session):
    def test_steps_and_breakpoints(self):
        line = line_of(VADD, "pto.tadd")
        out = self.vadd(f"break {line} block 0", f"break {line + 18} block 0", "continue", "continue", "step", "back step",
                        "back continue", "back continue", "step")
        lines = [int(number) for number in re.findall(r"vadd_f32.pto:(\d+)\n", out)]
        first = line_of(VADD, "func.func")
        self.assertEqual(lines, [line, line + 18, line + 19, line + 18, line, first])
        self.assertIn("the begin of the run", out)
        moments = self.moments(out)
        self.assertEqual(moments[4], moments[2])  # a step and the step back
        self.assertEqual(moments[5], moments[1])
        self.assertEqual(moments[6], moments[0])

    def test_the_same_moment_has_the_same_state(self):
        line = line_of(VADD, "pto.tstore", 1)
        show = ["names", "queues", "flags", "why", "print %z_ping[0:2, 0:8]", "where"]
        out = self.vadd(f"break {line} block 1", "continue", *show, "pipe MTE3", "back continue", *show)
        parts = re.split("(?m)^(?:breakpoint 2: .*\n)?cycle ", out)
        self.assertEqual(parts[2], parts[5])
        self.assertEqual(parts[3], parts[6])
        self.assertIn("%z_ping = ", parts[2])

    def test_the_writer_of_a_byte(self):
        # z[40, 7] belongs to block 1, whose ping has rows 32 to 47.
        out = self.vadd("continue", "writer z[40,7]", "back chip", "print z[40,7]", "chip", "print z[40,7]")
        store = line_of(VADD, "pto.tstore")
        self.assertRegex(out, rf"AIV01/MTE3 \(block 1\) complete at .*:{store}  TSTORE")
        self.assertEqual([row[0] for row in self.rows(out)], [0, self.z[40, 7]])
        # pong's tile of block 0, row 3: rows 16 to 31 of z.
        out = self.vadd(f"break {line_of(VADD, 'pto.tstore', 1) + 1} block 0", "continue", "to V->MTE3 #1",
                        "writer %z_pong[3,9]", "print %z_pong[3,9]")
        self.assertRegex(out, rf"AIV00/V \(block 0\) complete at .*:{line_of(VADD, 'pto.tadd', 1)}  TADD")
        self.assertEqual(self.rows(out)[-1], [self.z[19, 9]])
        out = self.vadd("writer z[1,1]")
        self.assertIn("nothing has written z[1,1] before", out)


class Finds(Session):
    def test_a_value_that_differs_from_the_golden(self):
        kernel = self.changed("pto.tadd", "pto.tsub", 1)  # pong subtracts: rows 16 to 31 of each band are wrong
        out = self.vadd("watch z differs", "continue", kernel=kernel, golden="z.npy")
        store = line_of(VADD, "pto.tstore", 1)
        self.assertRegex(out, rf"a value in z that differs from the golden\n.* complete at .*:{store}  TSTORE")
        row = 32 * int(re.search(r"\(block (\d+)\) complete", out)[1]) + 16  # of the block whose store ends first
        out = self.vadd("watch z differs", "continue", f"print z[{row}, 0:4]", kernel=kernel, golden="z.npy")
        numpy.testing.assert_array_equal(self.rows(out)[-1], (self.x - self.y)[row, 0:4])
        self.assertIn(f"[{row},0] differs: the golden is {self.z[row, 0]:g}", out)
        out = self.vadd("watch z differs", "continue", golden="z.npy")
        self.assertIn("the run is over", out)

    def test_a_watched_element(self):
        out = self.vadd("watch z[20,3]", "continue", "continue", "back continue")
        store = line_of(VADD, "pto.tstore", 1)
        self.assertEqual(len(re.findall(rf"a write of z\[20,3\]\n.*block 0\) complete at .*:{store}  TSTORE", out)), 2)

    def test_the_first_nan(self):
        kernel = self.changed("pto.tadd ins(%x_pong, %y_pong : !tile, !tile) outs(%z_pong : !tile)",
                              "pto.tlog ins(%x_pong : !tile) outs(%z_pong : !tile)")
        out = self.vadd("stop nan", "continue", "back continue", kernel=kernel, blocks=1)
        row, column = [(int(r), int(c)) for r, c in re.findall(r"NaN at \[(\d+), (\d+)\] of dst", out)][0]
        negative = numpy.argwhere(self.x[16:32] < 0)[0]
        self.assertEqual([row, column], list(negative))
        self.assertRegex(out, rf"AIV00/V \(block 0\) complete at .*:{line_of(VADD, 'pto.tadd', 1)}  TLOG")
        self.assertIn("the begin of the run", out)

    def test_a_race(self):
        kernel = self.changed("pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]", "")
        out = self.vadd("continue", "where", kernel=kernel, blocks=1)
        self.assertIn("breakpoint 1: a finding", out)
        self.assertRegex(out, r"changed.pto:63:.*error: RAW race in UB between pipes MTE2 and V: .*\[E01\]")

    def test_a_deadlock(self):
        kernel = self.changed("pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]", "")
        out = self.vadd("stop flag V->MTE3 #0 set", "continue", "delete 2", "continue", "continue", "why V", "queues", "flags",
                        "back pipe MTE2", kernel=kernel, blocks=1, check="none")
        self.assertNotIn("a finding", out)
        out = self.vadd("continue", "why V", "flags", "back pipe V", kernel=kernel, blocks=1, check="sync")
        wait = line_of(VADD, "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]")
        self.assertRegex(out, rf"deadlock: AIV00/V waits for flag MTE2->V #1 \(line {wait}\)")
        self.assertRegex(out, rf"AIV00/V waits for flag MTE2->V #1; .*since cycle \d+ \(.*:{wait}\)")
        self.assertRegex(out, r"AIV00/V \(block 0\) (complete|start)")


class Compiled(Session):
    def test_a_kernel_of_tiles(self):
        """relu(A B) in C++: the writer of an element of the result, and of the tile that was stored."""
        kernel = os.path.join(os.path.dirname(KERNELS), "..", "docs", "examples", "matmul_relu.cpp")
        random = numpy.random.default_rng(3)
        a, b = (random.integers(-3, 4, (64, 64)).astype("f2") for _ in range(2))
        for name, array in (("a", a), ("b", b)):
            numpy.save(self.path(name + ".npy"), array)
        product = a.astype("f4") @ b.astype("f4")
        words = ["--blocks", "1", "--arg", "in=a.npy", "--arg", "in=b.npy", "--arg", "zeros=64x64xf32", "--arg", "out=64x64xf32"]
        relu, store = line_of(kernel, "TRELU"), line_of(kernel, "TSTORE(to, tile)")
        out = self.debug(kernel, words, f"break {relu} core AIV01", "continue", "stepi", "names", "delete 2", "continue", "writer c[5,0:8]",
                         "print src[5, 0:8]", "print dst[5, 0:8]", "writer src[5,0]", "print dst[5, 0:8]", "back step", "step")
        self.assertRegex(out, rf"AIV01/V \(block 0\) issue at .*:{relu}  TRELU")
        self.assertIn("dst = UB f32 32x64", out)
        self.assertRegex(out, rf"AIV00/MTE3 \(block 0\) complete at .*:{store}  TSTORE")
        self.assertRegex(out, rf"AIV00/V \(block 0\) complete at .*:{relu}  TRELU")
        rows = self.rows(out)
        self.assertEqual(len(rows), 3)
        for row in rows:
            numpy.testing.assert_array_equal(row, numpy.maximum(product, 0)[5, 0:8])


SCALE = """#include <pto/pto-inst.hpp>
using namespace pto;

AICORE inline int offset_of(int step, int rows) {
    int first = step * rows;
    return first;
}

__global__ AICORE void scale(__gm__ float* in, __gm__ float* out, int n) {
    constexpr int kRows = 8, kCols = 64;
    using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, kRows, kCols> tile;
    TASSIGN(tile, 512);
    float factor = 1.0f;
    for (int step = 0; step < n; ++step) {
        int first = offset_of(step, kRows);
        View from(in + first * kCols), to(out + first * kCols);
        factor = factor + 0.5f;
        TLOAD(tile, from);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TMULS(tile, tile, factor);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
}
"""
WITH_GDB = unittest.skipUnless(shutil.which("gdb"), "needs gdb")


@unittest.skipUnless(platform.machine() == "x86_64", "lines of compiled code need x86-64")
class CompiledLines(Session):
    """The text above: iteration k multiplies rows 8k to 8k+7 by 1.5 + k/2."""
    N = 4

    def setUp(self):
        super().setUp()
        self.kernel = self.path("scale.cpp")
        with open(self.kernel, "w") as file:
            file.write(SCALE)
        self.x = numpy.random.default_rng(7).integers(-99, 99, (8 * self.N, 64)).astype("f4")
        numpy.save(self.path("x.npy"), self.x)

    def scale(self, *commands, kernel=None):
        words = ["--arg", "in=x.npy", "--arg", f"out={8 * self.N}x64xf32", "--arg", f"i32={self.N}"]
        return self.debug(kernel or self.kernel, words, *commands)

    def line(self, text):
        return line_of(self.kernel, text)

    def stops(self, output):
        return [int(line) for line in re.findall(r"AIV00 \(block 0\) at .*scale.cpp:(\d+)\n", output)]

    def test_steps_into_over_and_out_of_functions(self):
        call, inside, view, add = map(self.line, ("offset_of(step", "int first = step *", "View from(", "factor + 0.5f"))
        out = self.scale(f"break {call}", "continue", "step", "step", "out", "next", "back next", "back continue")
        self.assertEqual(self.stops(out), [call, inside, inside + 1, view, add, view, call])
        out = self.scale(f"break {call}", "continue", "next", "back step")
        self.assertEqual(self.stops(out), [call, view, inside + 2])

    def test_a_breakpoint_in_both_directions(self):
        store = self.line("TSTORE")
        out = self.scale(f"break {store}", *["continue"] * self.N, *["back continue"] * (self.N - 1), "back continue", "continue")
        self.assertEqual(self.stops(out), [store] * (2 * self.N))
        moments = self.moments(out)[1:]
        self.assertEqual(moments[self.N:2 * self.N - 1], moments[self.N - 2::-1])
        self.assertEqual(moments[-1], moments[0])
        self.assertIn("the begin of the run", out)
        out = self.scale(f"break {store} iteration 3", "continue", "print block")
        self.assertEqual(self.moments(out)[1], moments[2])

    @WITH_GDB
    def test_variables_frames_and_tiles_in_one_session(self):
        inside, view = self.line("return first"), self.line("View from(")
        out = self.scale(f"break {view}", "continue", "print step", "print in[9, 0:4]", "print n * 100", "queues")
        numpy.testing.assert_array_equal(self.rows(out)[0], self.x[9, 0:4])
        self.assertIn("\n0\n", out)
        self.assertIn("\n400\n", out)
        self.assertRegex(out, r"MTE2: \d+ completed")
        out = self.scale(f"break {inside} if step == 2", "continue", "frames", "print first", "frame 1", "print factor", "names",
                         "frame 0", "print tile[3, 0:8]")
        self.assertRegex(out, r"UB f32 8x64 ND @0x200\n3: ")  # of the caller
        self.assertRegex(out, rf"\* 0 offset_of at .*scale.cpp:{inside}\n  1 scale at .*scale.cpp:{self.line('offset_of(step')}\n16\n2\n")
        self.assertIn("n = 4 (int)\n", out)
        self.assertRegex(out, r"tile = UB f32 8x64 ND @0x200 \(pto::Tile<")

    @WITH_GDB
    def test_tiles_by_the_names_of_variables(self):
        out = self.scale(f"break {self.line('View from(')}", "continue", "delete 2", "watch tile[3,0]", *["continue"] * 4,
                         "print tile[3, 0:8]", "writer tile[3,9]", "print tile[3,9]")
        self.assertIn("UB f32 8x64 ND @0x200\n", out)
        lines = re.findall(r"complete at .*scale.cpp:(\d+)", out)
        load, scale = self.line("TLOAD"), self.line("TMULS")
        self.assertEqual([int(line) for line in lines], [load, scale, load, scale, load])
        numpy.testing.assert_array_equal(self.rows(out)[0], 2 * self.x[11, 0:8])
        self.assertEqual(self.rows(out)[1], [self.x[11, 9]])

    @WITH_GDB
    def test_values_follow_the_time_backwards(self):
        store = self.line("TSTORE")
        out = self.scale(f"break {store} if factor == 2.5f", f"break {store} if step == 0", "continue", "continue", "print factor",
                         "back continue", "print factor")
        self.assertEqual(re.findall(r"^\d\.\d$", out, re.M), ["2.5", "1.5"])
        self.assertEqual(self.stops(out), [store] * 3)

    @WITH_GDB
    def test_a_built_kernel(self):
        inside = self.line("return first")
        for flags, message in (([], "error: the kernel was compiled without its variables"), (["-g", "-O0"], "\n0\n")):
            subprocess.run([PTOSIM, "build", self.kernel, *flags, "-o", self.path("scale.so")], check=True, capture_output=True)
            out = self.scale(f"break {inside + (0 if flags else 16)}", "continue", "print first", kernel=self.path("scale.so"))
            self.assertIn(message, out)

    def test_debugging_information_takes_no_time(self):
        times = []
        for flags in ([], ["-g"]):
            subprocess.run([PTOSIM, "build", os.path.join(KERNELS, "..", "..", "docs", "examples", "matmul_relu.cpp"), *flags, "-o",
                            self.path("k.so")], check=True, capture_output=True)
            done = subprocess.run([PTOSIM, "run", self.path("k.so"), "--blocks", "1", "--arg", "zeros=64x64xf16", "--arg", "zeros=64x64xf16",
                                   "--arg", "zeros=64x64xf32", "--arg", "out=64x64xf32"], check=True, capture_output=True, text=True)
            times.append(re.search(r"(\d+) cycles =", done.stdout)[1])
        self.assertEqual(times[0], times[1])

    def test_without_gdb(self):
        folder = self.path("programs")
        os.mkdir(folder)
        for name in ("objdump", "addr2line", "c++", "as", "ld", "cc1plus"):
            if shutil.which(name):
                os.symlink(shutil.which(name), os.path.join(folder, name))
        with unittest.mock.patch.dict(os.environ, PATH=folder):
            out = self.scale(f"break {self.line('TSTORE')}", "continue", "print step", "print block", "frames")
        self.assertEqual(self.stops(out), [self.line("TSTORE")])
        self.assertEqual(out.count("need gdb, which is not installed"), 2)


class FromPython(Session):
    def python(self, text, stdin=""):
        path = self.path("test_case.py")
        with open(path, "w") as file:
            file.write(text)
        package = os.path.join(os.path.dirname(KERNELS), "..", "sim", "python")
        return lambda *words: subprocess.run([sys.executable, *words, path], cwd=self.folder, input=stdin, capture_output=True,
                                             text=True, timeout=300, env={**os.environ, "PTOSIM_PROGRAM": PTOSIM, "PYTHONPATH": package})

    def test_a_session(self):
        done = self.python(f"""
import numpy as np, ptosim
x = np.arange(32 * 256, dtype="f4").reshape(32, 256)
print(ptosim.debug({VADD!r}, blocks=1, goldens={{2: 3 * x}}, commands=["continue", "print z[20,3]"])(
    x, 2 * x, ptosim.out((32, 256), "f32"), 32))
""")()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"20: {3 * (20 * 256 + 3)}\n", done.stdout)
        self.assertIn("all 8192 elements equal", done.stdout)

    @WITH_GDB
    def test_a_compiled_kernel(self):
        kernel = self.path("scale.cpp")
        with open(kernel, "w") as file:
            file.write(SCALE)
        call = f"""
import numpy as np
x = np.arange(32 * 64, dtype="f4").reshape(32, 64)
COMMANDS = ["break {line_of(kernel, 'TSTORE')} if step == 2", "continue", "print factor", "print in[31, 63]"]
"""
        done = self.python(call + f"""
import ptosim
print(ptosim.debug({kernel!r}, commands=COMMANDS)(x, ptosim.out((32, 64), "f32"), 4))
""")()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"TSTORE\(to, tile\);\n2.5\nglobal f32 32x64\n31: 2047\n")
        racy = self.path("racy.cpp")
        with open(racy, "w") as file:
            file.write(SCALE.replace("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);", ";"))
        done = self.python(call + f"""
def test_one(ptosim):
    ptosim({racy!r})(x, np.zeros_like(x), 4)
""", f"delete 1\nbreak {line_of(kernel, 'TSTORE')} if step == 1\ncontinue\nprint factor\nquit\n")("-m", "pytest", "-q", "-p", "ptosim.pytest_plugin",
                                                                                              "--ptosim-debug")
        self.assertRegex(done.stdout, r"TSTORE\(to, tile\);\n2\n", done.stderr)

    def test_pytest_opens_the_console(self):
        kernel = self.changed("pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]", "")
        done = self.python(f"""
import numpy as np
def test_one(ptosim):
    x = np.ones((32, 256), "f4")
    ptosim({kernel!r}, blocks=1)(x, x, np.zeros_like(x), 32)
""", "continue\nprint x[0,0]\nquit\n")("-m", "pytest", "-q", "-p", "ptosim.pytest_plugin", "--ptosim-debug")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("breakpoint 1: a finding", done.stdout)
        self.assertIn("\n0: 1\n", done.stdout)
        self.assertIn("1 failed", done.stdout)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
