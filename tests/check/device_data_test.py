#!/usr/bin/python3
"""Kernels that a device computes wrongly: the values that it would store.

    device_data_test.py --ptosim BIN

Models in Python keep memories as arrays and follow the formulas of hw-native-sys/pto-isa. Products:
the cube packs boxes by m, k and n, and takes whole ones along k; moves and stores take Rows of a tile, or, if it is compact, its
valid rows. Transfers move lines whose elements follow one another. Row maxima keep a vector for each
row in scratch, as far apart as the rows of the scratch are. Steps of an instruction find operands that earlier ones
have overwritten. An element that rests on bytes that nothing has written may be any.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

ROWS, K, COLS = 32, 32, 64
KERNEL = """
#include <pto/pto-inst.hpp>
using namespace pto;
template <class T, int R, int C, int V>
using Boxes = Tile<TileType::Mat, T, R, C, BLayout::ColMajor, V, C, SLayout::RowMajor, 512>;
extern "C" __global__ AICORE void k(__gm__ half* a, __gm__ half* b, __gm__ float* c, int m) {
  constexpr int R = 32, K = 32, N = 64;
  using GA = GlobalTensor<half, Shape<1,1,1,-1,K>, Stride<R*K,R*K,R*K,K,1>>;
  using GB = GlobalTensor<half, Shape<1,1,1,K,N>, Stride<K*N,K*N,K*N,N,1>>;
  using GC = GlobalTensor<float, Shape<1,1,1,-1,N>, Stride<R*N,R*N,R*N,N,1>>;
  GA ga(a, Shape<1,1,1,-1,K>(m)); GB gb(b); GC gc(c, Shape<1,1,1,-1,N>(m));
  Boxes<half, R, K, -1> l1a(m); Boxes<half, K, N, K> l1b;
  LEFT<half, R, K, -1, K> left(m); TileRight<half, K, N, K, N> right;
  ACC<float, R, N, -1, N> acc(m);
  TASSIGN(l1a, 0); TASSIGN(l1b, 0x4000); TASSIGN(left, 0); TASSIGN(right, 0); TASSIGN(acc, 0);
  TLOAD(l1a, ga); TLOAD(l1b, gb);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left, l1a); TMOV(right, l1b);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(acc, left, right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(gc, acc);
}
"""
A = [[float((3 * i + 5 * j) % 7 - 3) for j in range(K)] for i in range(ROWS)]
B = [[float((2 * i + 3 * j) % 5 - 2) for j in range(COLS)] for i in range(K)]


def save(path, rows, code, kind):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            file.write(struct.pack(f"<{len(row)}{code}", *row))


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    values = struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])
    return [values[i:i + COLS] for i in range(0, len(values), COLS)]


def whole(rows):
    return (rows + 15) // 16 * 16


def boxed(row, col, pitch):  # NZ in boxes of 16 columns: halves in L0A, floats in L0C
    return col // 16 * 16 * pitch + row * 16 + col % 16


def device(m, by_columns, compact_left, compact_acc):
    """Stored values; None if they rest on bytes that nothing has written."""
    left = {boxed(i, j, whole(m) if compact_left else ROWS): A[i][j] for i in range(m) for j in range(K)}
    if by_columns:  # a5; the boxes of a2a3 follow one another by rows, and K is whole
        factor = [[left.get(boxed(i, j, whole(m))) for j in range(K)] for i in range(m)]
    else:
        factor = A[:m]
    acc = {}
    for i in range(m):
        for j in range(COLS):
            known = None not in factor[i]
            acc[boxed(i, j, whole(m))] = (
                sum(factor[i][k] * B[k][j] for k in range(K)) if known else None)
    return [[acc.get(boxed(i, j, whole(m) if compact_acc else ROWS)) for j in range(COLS)]
            for i in range(m)]


class Pitches(unittest.TestCase):
    def stored(self, chip, m, left, acc):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "k.cpp"), "w") as file:
                file.write(KERNEL)
            save(os.path.join(folder, "a.npy"), A, "e", "<f2")
            save(os.path.join(folder, "b.npy"), B, "e", "<f2")
            save(os.path.join(folder, "c.npy"), [[-99.0] * COLS] * ROWS, "f", "<f4")
            run = subprocess.run(
                [OPTIONS.ptosim, "run", "k.cpp", "--chip", chip, "--define", f"LEFT={left}", "--define",
                 f"ACC={acc}", "--arg", "in=a.npy", "--arg", "in=b.npy", "--arg", "inout=c.npy:o.npy",
                 "--arg", f"i32={m}"],
                cwd=folder, capture_output=True, text=True, timeout=300)
            self.assertEqual(run.returncode, 0, run.stderr)
            return load(os.path.join(folder, "o.npy")), re.findall(r"\[A08\]", run.stderr)

    def check(self, chip, m, left, acc):
        by_columns = chip == "ascend950pr"
        found, told = self.stored(chip, m, left, acc)
        want = device(m, by_columns, left.endswith("Compact"), acc.endswith("Compact"))
        right = True
        for i in range(m):
            for j in range(COLS):
                exact = sum(A[i][k] * B[k][j] for k in range(K))
                right = right and found[i][j] == exact
                if want[i][j] is not None:
                    self.assertEqual(found[i][j], want[i][j], (chip, m, left, acc, i, j))
        self.assertEqual(not told, right, (chip, m, left, acc))
        return len(told)

    def test_accumulators_of_a2a3(self):
        self.assertEqual(self.check("ascend910b1", 5, "TileLeft", "TileAcc"), 1)
        self.assertEqual(self.check("ascend910b1", 16, "TileLeft", "TileAcc"), 1)
        self.assertEqual(self.check("ascend910b1", 17, "TileLeft", "TileAcc"), 0)  # two boxes: all rows
        self.assertEqual(self.check("ascend910b1", 32, "TileLeft", "TileAcc"), 0)
        self.assertEqual(self.check("ascend910b1", 5, "TileLeft", "TileAccCompact"), 0)

    def test_accumulators_and_left_factors_of_a5(self):
        self.assertEqual(self.check("ascend950pr", 5, "TileLeftCompact", "TileAccCompact"), 0)
        self.assertEqual(self.check("ascend950pr", 5, "TileLeftCompact", "TileAcc"), 1)
        self.assertEqual(self.check("ascend950pr", 5, "TileLeft", "TileAcc"), 2)
        self.assertEqual(self.check("ascend950pr", 32, "TileLeft", "TileAcc"), 0)


LINES = """
#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y) {
  Tile<TileType::Vec, float, 4, 64> a; TASSIGN(a, 0);
  GlobalTensor<float, Shape<1,1,1,4,64>, Stride<1,1,1,128,2>> gx(x);
  GlobalTensor<float, Shape<1,1,1,4,64>, Stride<1,1,1,64,1>> gy(y);
  TLOAD(a, gx);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  TSTORE(gy, a);
}
"""
MAXIMA = """
#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y) {
  Tile<TileType::Vec, float, 16, COLS> a; Tile<TileType::Vec, float, 16, SCRATCH> tmp;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 1> m; Tile<TileType::Vec, float, 16, 64> all;
  TASSIGN(a, 0); TASSIGN(m, 65536); TASSIGN(all, 65536); TASSIGN(tmp, 131072);
  GlobalTensor<float, Shape<1,1,1,16,COLS>, Stride<1,1,1,COLS,1>> gx(x);
  GlobalTensor<float, Shape<1,1,1,16,64>, Stride<1,1,1,64,1>> gy(y);
  TLOAD(a, gx); TLOAD(all, gy);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TROWMAX(m, a, tmp);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gy, all);
}
"""


def stored(kernel, x, y, defines=(), chip="ascend910b1"):
    """Content of y after a kernel of (x, y), and the codes of its warnings."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "k.cpp"), "w") as file:
            file.write(kernel)
        save(os.path.join(folder, "x.npy"), x, "f", "<f4")
        save(os.path.join(folder, "y.npy"), y, "f", "<f4")
        words = [word for define in defines for word in ("--define", define)]
        run = subprocess.run(
            [OPTIONS.ptosim, "run", "k.cpp", "--chip", chip, "--arg", "in=x.npy", "--arg", "inout=y.npy:o.npy", *words],
            cwd=folder, capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        return load(os.path.join(folder, "o.npy")), re.findall(r"\[([A-Z]\d\d)\]", run.stderr)


SHARED = """
#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y) {
  Tile<TileType::Vec, float, SIZE, SIZE> a, b, c; Tile<TileType::Vec, float, SIZE, SIZE> tmp;
  TASSIGN(a, 0); TASSIGN(b, 0x8000); TASSIGN(c, TO); TASSIGN(tmp, 0x10000);
  GlobalTensor<float, Shape<1,1,1,SIZE,SIZE>, Stride<1,1,1,64,1>> gx(x), gy(y);
  TLOAD(a, gx); TLOAD(b, gy);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  OPERATION;
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gy, c);
}
"""
RAMP = """
#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y) {
  Tile<TileType::Vec, int, 1, 64> a; Tile<TileType::Vec, float, 1, 192> tmp;
  TASSIGN(a, 0); TASSIGN(tmp, 0x1000);
  GlobalTensor<int, Shape<1,1,1,1,64>, Stride<1,1,1,64,1>> gy((__gm__ int*)y);
  RAMP;
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gy, a);
}
"""


DEPTH = """
#include <pto/pto-inst.hpp>
using namespace pto;
template <int R, int C, int V>
using Boxes = Tile<TileType::Mat, float, R, C, BLayout::ColMajor, R, V, SLayout::RowMajor, 512>;
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y) {
  GlobalTensor<float, Shape<1,1,1,16,MOVED>, Stride<1,1,1,64,1>> ga(x);
  GlobalTensor<float, Shape<1,1,1,32,64>, Stride<1,1,1,64,1>> gb(x);
  GlobalTensor<float, Shape<1,1,1,16,64>, Stride<1,1,1,64,1>> gc(y);
  Boxes<16, 32, MOVED> l1a; Boxes<32, 64, 64> l1b; TASSIGN(l1a, 0); TASSIGN(l1b, 0x4000);
  TileLeft<float, 16, 32, 16, MOVED> moved; TileLeft<float, 16, 32, 16, 20> left;
  TileRight<float, 32, 64, 32, 64> all; TileRight<float, 32, 64, 20, 64> right;
  TileAcc<float, 16, 64> acc;
  TASSIGN(moved, 0); TASSIGN(left, 0); TASSIGN(all, 0); TASSIGN(right, 0); TASSIGN(acc, 0);
  TLOAD(l1a, ga); TLOAD(l1b, gb);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(moved, l1a); TMOV(all, l1b);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(acc, left, right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(gc, acc);
}
"""


# A compact factor of 16 rows is packed after one of 32 rows was moved to the same address: its last box is where the first
# one had its second. The load of its matrix has cleared the rest of the box.
PACKED_DEPTH = """
#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y) {
  GlobalTensor<float, Shape<1,1,1,32,32>, Stride<1,1,1,64,1>> ga(x);
  GlobalTensor<float, Shape<1,1,1,16,20>, Stride<1,1,1,64,1>> gs(x);
  GlobalTensor<float, Shape<1,1,1,32,64>, Stride<1,1,1,64,1>> gb(x);
  GlobalTensor<float, Shape<1,1,1,16,64>, Stride<1,1,1,64,1>> gc(y);
  Tile<TileType::Mat, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 512> l1a;
  Tile<TileType::Mat, float, 16, 32, BLayout::ColMajor, 16, 20, SLayout::RowMajor, 512> l1s;
  Tile<TileType::Mat, float, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor, 512> l1b;
  TASSIGN(l1a, 0); TASSIGN(l1b, 0x4000); TASSIGN(l1s, 0x8000);
  TileLeft<float, 32, 32> before; TileLeftCompact<float, 32, 32, -1, -1> left(16, 20);
  TileRight<float, 32, 64> all; TileRight<float, 32, 64, 20, 64> right;
  TileAcc<float, 16, 64> acc;
  TASSIGN(before, 0); TASSIGN(left, 0); TASSIGN(all, 0); TASSIGN(right, 0); TASSIGN(acc, 0);
  TLOAD(l1a, ga); TLOAD(l1s, gs); TLOAD(l1b, gb);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(before, l1a); TMOV(left, l1s); TMOV(all, l1b);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(acc, left, right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(gc, acc);
}
"""


class Depth(unittest.TestCase):
    """Boxes of floats have 8 columns: of 20 that are valid, the last 4 share one with 4 more."""

    def product(self, moved):
        x = [[float((7 * i + 3 * j) % 5 - 2) for j in range(64)] for i in range(64)]
        found, told = stored(DEPTH, x, [[0.0] * 64] * 16, (f"MOVED={moved}",))
        depth = min(moved, 24)
        want = [[sum(x[i][k] * x[k][j] for k in range(depth)) for j in range(64)] for i in range(16)]
        self.assertEqual([list(row) for row in found], want)
        return told

    def test_columns_in_the_last_box_count(self):
        self.assertEqual(self.product(20), [])
        self.assertEqual(self.product(22), ["A11"])
        self.assertEqual(self.product(32), ["A11"])

    def test_a_compact_factor_has_the_boxes_of_its_own_move(self):
        x = [[float((7 * i + 3 * j) % 5 - 2) for j in range(64)] for i in range(64)]
        found, told = stored(PACKED_DEPTH, x, [[0.0] * 64] * 16, chip="ascend950pr")
        want = [[sum(x[i][k] * x[k][j] for k in range(20)) for j in range(64)] for i in range(16)]
        self.assertEqual([list(row) for row in found], want)
        self.assertEqual(told, [])


class SharedBytes(unittest.TestCase):
    """Steps of an instruction that find what earlier steps have written (TFmod.hpp, TTrans.hpp)."""

    def run_over(self, operation, size, to):
        x = [[float((7 * i + 3 * j) % 23 - 11) for j in range(64)] for i in range(64)]
        y = [[float((5 * i + j) % 7 + 1) for j in range(64)] for i in range(64)]
        found, told = stored(SHARED, x, y, (f"OPERATION={operation}", f"SIZE={size}", f"TO={to}"))
        return x, y, [list(row[:size]) for row in found[:size]], told

    def remainder(self, to):
        """The four steps, over whole rows, of memories in which dst may be the one or the other."""
        x, y, found, told = self.run_over("TFMOD(c,a,b)", 64, to)
        for row in range(64):
            a, b = list(x[row]), list(y[row])
            dst = {"0": a, "0x8000": b}.get(to, [0.0] * 64)
            dst[:] = [p / q for p, q in zip(a, b)]
            dst[:] = [float(int(q)) for q in dst]
            dst[:] = [p * q for p, q in zip(dst, b)]
            dst[:] = [p - q for p, q in zip(a, dst)]
            self.assertEqual(found[row], dst)
        return told

    def test_a_remainder_over_its_sources(self):
        self.assertEqual(self.remainder("0"), ["A07"])
        self.assertEqual(self.remainder("0x8000"), ["A07"])
        self.assertEqual(self.remainder("0x18000"), [])

    def test_a_transposition_that_is_copied_element_by_element(self):
        x, _, found, told = self.run_over("TTRANS(c,a,tmp)", 8, "0")
        memory = [x[i][j] for i in range(8) for j in range(8)]
        for i in range(8):
            for j in range(8):
                memory[j * 8 + i] = memory[i * 8 + j]
        self.assertEqual(sum(found, []), memory)
        self.assertEqual(told, ["A07"])
        x, _, found, told = self.run_over("TTRANS(c,a,tmp)", 8, "0x18000")
        self.assertEqual((found, told), ([[x[j][i] for j in range(8)] for i in range(8)], []))

    def test_what_no_header_orders_is_not_a_number(self):
        _, _, found, told = self.run_over("TFMOD(c,a,b)", 64, "256")
        self.assertTrue(all(value != value for row in found for value in row))
        self.assertEqual(told, ["A07"])

    def test_a_sum_may_replace_its_sources_and_not_others(self):
        for to, replaced in (("32", False), ("0x80", False), ("0", True), ("0x8000", True)):
            x, y, found, told = self.run_over("TADD(c,a,b)", 64, to)
            sums = [[p + q for p, q in zip(a, b)] for a, b in zip(x, y)]
            self.assertEqual((found == sums, told), (replaced, [] if replaced else ["A07"]))


class Ramps(unittest.TestCase):
    def ramp(self, call):
        found, _ = stored(RAMP, [[0.0] * 64], [[0.0] * 64], (f"RAMP={call}",))
        return list(struct.unpack("<64i", struct.pack("<64f", *found[0])))

    def test_with_scratch_all_that_has_been_counted_up_is_negated(self):
        self.assertEqual(self.ramp("(TCI<decltype(a),int,1>(a,5))"), [5 - i for i in range(64)])
        scratch = "(TCI<decltype(a),decltype(tmp),int,1>(a,5,tmp))"
        self.assertEqual(self.ramp(scratch), [-(5 + i) for i in range(64)])
        self.assertEqual(self.ramp(scratch.replace("int,1", "int,0")), [5 + i for i in range(64)])


class Lines(unittest.TestCase):
    def test_a_stride_along_a_line_is_not_read(self):
        x = [[float(128 * i + j) for j in range(128)] for i in range(4)]
        found, told = stored(LINES, x, [[0.0] * 64] * 4)
        self.assertEqual([list(row) for row in found], [row[:64] for row in x])
        self.assertEqual(told, ["L06"])


class Scratch(unittest.TestCase):
    def maxima(self, cols, scratch):
        x = [[float((37 * i + 11 * j) % 1009) for j in range(cols)] for i in range(16)]
        found, told = stored(MAXIMA, x, [[-1.0] * 64] * 16, (f"COLS={cols}", f"SCRATCH={scratch}"))
        tmp = [0.0] * (16 * scratch + 64)
        for step in range(1, cols // 64):  # each over all rows, one after the other
            for row in range(16):
                for i in range(64):
                    one = x[row][i] if step == 1 else tmp[row * scratch + i]
                    tmp[row * scratch + i] = max(one, x[row][64 * step + i])
        want = [max(tmp[row * scratch:row * scratch + 64]) for row in range(16)]
        return [row[0] for row in found], want, [max(row) for row in x], told

    def test_rows_of_scratch_overlap(self):
        for cols in (128, 256):
            found, want, right, told = self.maxima(cols, 8)
            self.assertEqual(found, want)
            self.assertNotEqual(found, right)
            self.assertEqual(told, ["S16"])
            found, want, right, told = self.maxima(cols, 64)
            self.assertEqual((found, want, told), (right, right, []))

    def test_rows_of_less_than_two_vectors_are_not_reduced(self):
        found, _, _, told = self.maxima(96, 8)
        self.assertEqual((found, told), ([-1.0] * 16, ["S16"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.ptosim = os.path.abspath(OPTIONS.ptosim)
    unittest.main(argv=[sys.argv[0], *rest])
