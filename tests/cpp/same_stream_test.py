#!/usr/bin/python3
"""A kernel in C++ and in assembly is the same stream of instructions.

    same_stream_test.py --ptosim BIN --data DIR

Each kernel of tests/cpp/kernels does the work of the .pto of its name. Both must give the golden of
that case, and on every pipe of every core the same instructions with the same operands in the same
order, each as long on the pipes that compute. The whole time may differ by the cost of the assembler's
scalar arithmetic: the C++ kernel runs with scalar code that takes no time. Where the C++ API takes
a tile for something else than it is declared as, so does the assembly.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(HERE), "kernels")
sys.path.insert(0, KERNELS)
sys.dont_write_bytecode = True

from run_cases import command_line  # noqa: E402

PTOSIM = DATA = ""
COMPUTING = ("M", "V")
SCALAR_COST = 0.01  # of the time


# Each vector core clears its half of a tile of L1, 64x32 in columns of blocks, and puts a window of
# 16x16 into it; the cube core multiplies it by the identity. The vector cores declare the tile with
# rows of blocks and its sides exchanged, which TINSERT of the a5 takes for the same.
INSERT_PTO = """
!view = !pto.tensor_view<?x?xf16>
!own = !pto.partition_tensor_view<16x16xf16>
!whole = !pto.partition_tensor_view<32x32xf16>
!out_view = !pto.tensor_view<?x?xf32>
!out = !pto.partition_tensor_view<64x32xf32>
!lines = !pto.tile_buf<vec, 16x16xf16>
!zeros = !pto.tile_buf<vec, 32x32xf16>
!boxes = !pto.tile_buf<vec, 16x16xf16, blayout=col_major, slayout=row_major>
!clear = !pto.tile_buf<vec, 32x32xf16, blayout=col_major, slayout=row_major>
!turned = !pto.tile_buf<mat, 32x64xf16, blayout=row_major, slayout=row_major>
!l1_a = !pto.tile_buf<mat, 64x32xf16, blayout=col_major, slayout=row_major>
!l1_b = !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
!left = !pto.tile_buf<left, 64x32xf16, blayout=col_major, slayout=row_major>
!right = !pto.tile_buf<right, 32x32xf16, slayout=col_major>
!sums = !pto.tile_buf<acc, 64x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
module attributes {pto.target_arch = "a5"} {
  func.func @insert(%x: !pto.ptr<f16>, %one: !pto.ptr<f16>, %y: !pto.ptr<f32>) attributes {pto.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %a0 = arith.constant 0 : i64
    %a1 = arith.constant 4096 : i64
    %a2 = arith.constant 8192 : i64
    %a3 = arith.constant 12288 : i64
    pto.section.vector {
      %t = pto.alloc_tile addr = %a0 : !lines
      %b = pto.alloc_tile addr = %a1 : !boxes
      %z = pto.alloc_tile addr = %a2 : !zeros
      %c = pto.alloc_tile addr = %a3 : !clear
      %m = pto.alloc_tile addr = %a0 : !turned
      %which_i64 = pto.get_subblock_idx
      %which = arith.index_cast %which_i64 : i64 to index
      %from = arith.muli %which, %c16 : index
      %half = arith.muli %which, %c32 : index
      %at = arith.addi %half, %c16 : index
      %xv = pto.make_tensor_view %x, shape = [%c32, %c16], strides = [%c16, %c1] : !view
      %own = pto.partition_view %xv, offsets = [%from, %c0], sizes = [%c16, %c16] : !view -> !own
      pto.tload ins(%own : !own) outs(%t : !lines)
      pto.texpands ins(%zero : f16) outs(%z : !zeros)
      pto.tmov ins(%z : !zeros) outs(%c : !clear)
      pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      pto.tmov ins(%t : !lines) outs(%b : !boxes)
      pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      pto.tinsert ins(%c, %half, %c0 : !clear, index, index) outs(%m : !turned)
      pto.barrier <PIPE_MTE3>
      pto.tinsert ins(%b, %at, %c16 : !boxes, index, index) outs(%m : !turned)
      pto.set_intra_block <PIPE_MTE3>, 3
    }
    pto.section.cube {
      %la = pto.alloc_tile addr = %a0 : !l1_a
      %lb = pto.alloc_tile addr = %a1 : !l1_b
      %l = pto.alloc_tile addr = %a0 : !left
      %r = pto.alloc_tile addr = %a0 : !right
      %s = pto.alloc_tile addr = %a0 : !sums
      %ov = pto.make_tensor_view %one, shape = [%c32, %c32], strides = [%c32, %c1] : !view
      %identity = pto.partition_view %ov, offsets = [%c0, %c0], sizes = [%c32, %c32] : !view -> !whole
      %yv = pto.make_tensor_view %y, shape = [%c64, %c32], strides = [%c32, %c1] : !out_view
      %to = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c64, %c32] : !out_view -> !out
      pto.tload ins(%identity : !whole) outs(%lb : !l1_b)
      pto.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      pto.tmov ins(%lb : !l1_b) outs(%r : !right)
      pto.wait_intra_block <PIPE_MTE1>, 3
      pto.wait_intra_block <PIPE_MTE1>, 19
      pto.tmov ins(%la : !l1_a) outs(%l : !left)
      pto.set_flag[<PIPE_MTE1>, <PIPE_M>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE1>, <PIPE_M>, <EVENT_ID0>]
      pto.tmatmul ins(%l, %r : !left, !right) outs(%s : !sums)
      pto.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
      pto.tstore ins(%s : !sums) outs(%to : !out)
    }
    return
  }
}
"""
INSERT_CPP = """#include <pto/pto-inst.hpp>
using namespace pto;
template <typename T, int R, int C>
using View = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, C, 1>>;
template <TileType L, int R, int C>
using Boxes = Tile<L, half, R, C, BLayout::ColMajor, R, C, SLayout::RowMajor>;
__global__ AICORE void insert(__gm__ half* x, __gm__ half* one, __gm__ float* y) {
#if defined(__DAV_VEC__)
    Tile<TileType::Vec, half, 16, 16> t;
    Tile<TileType::Vec, half, 32, 32> z;
    Boxes<TileType::Vec, 16, 16> b;
    Boxes<TileType::Vec, 32, 32> c;
    Tile<TileType::Mat, half, 32, 64, BLayout::RowMajor, 32, 64, SLayout::RowMajor> m;
    TASSIGN(t, 0);
    TASSIGN(b, 4096);
    TASSIGN(z, 8192);
    TASSIGN(c, 12288);
    TASSIGN(m, 0);
    const int which = get_subblockid();
    View<half, 16, 16> own(x + which * 256);
    TLOAD(t, own);
    TEXPANDS(z, half(0));
    TMOV(c, z);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMOV(b, t);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TINSERT(m, c, which * 32, 0);
    pipe_barrier(PIPE_MTE3);
    TINSERT(m, b, which * 32 + 16, 16);
    set_intra_block(PIPE_MTE3, 3);
#endif
#if defined(__DAV_CUBE__)
    Boxes<TileType::Mat, 64, 32> la;
    Boxes<TileType::Mat, 32, 32> lb;
    TileLeft<half, 64, 32> l;
    TileRight<half, 32, 32> r;
    TileAcc<float, 64, 32> s;
    TASSIGN(la, 0);
    TASSIGN(lb, 4096);
    TASSIGN(l, 0);
    TASSIGN(r, 0);
    TASSIGN(s, 0);
    View<half, 32, 32> identity(one);
    View<float, 64, 32> to(y);
    TLOAD(lb, identity);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(r, lb);
    wait_intra_block(PIPE_MTE1, 3);
    wait_intra_block(PIPE_MTE1, 19);
    TMOV(l, la);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(s, l, r);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(to, s);
#endif
}
"""


class SameStream(unittest.TestCase):
    def check(self, name):
        with open(os.path.join(DATA, "cases.json")) as file:
            case = next(c for c in json.load(file)["cases"] if c["name"] == name)
        streams, cycles = self.run_both(
            [command_line(case, kernel)
             + more for kernel, more in ((os.path.join(KERNELS, case["kernel"]), []),
                                         (os.path.join(HERE, "kernels", case["entry"] + ".cpp"),
                                          ["--set", "scalar.code=0"]))], DATA)
        self.assertGreater(sum(map(len, streams[0].values())), 100)
        self.assertLessEqual(abs(cycles[1] - cycles[0]), SCALAR_COST * cycles[0])

    def run_both(self, commands, folder):
        """Both forms run without a finding and issue the same."""
        streams, cycles = [], []
        for words in commands:
            with tempfile.TemporaryDirectory() as out:
                result = subprocess.run(
                    [PTOSIM, "run", *words, "--trace", out, "--trace-formats", "chrome", "--check",
                     "bounds,init,race,sync", "--json", os.path.join(out, "run.json")],
                    cwd=folder, capture_output=True, text=True, timeout=300,
                    env={**os.environ, "XDG_CACHE_HOME": out})
                self.assertEqual(result.returncode, 0, result.stderr)
                streams.append(self.stream(os.path.join(out, "trace.json")))
                with open(os.path.join(out, "run.json")) as file:
                    cycles.append(json.load(file)["cycles"])
        assembly, cpp = streams
        self.assertEqual(assembly.keys(), cpp.keys())
        for lane, instructions in assembly.items():
            self.assertEqual(instructions, cpp[lane], lane)
        return streams, cycles

    @staticmethod
    def stream(path):
        """lane: [(sequence, instruction, operands, cycles where it computes)]"""
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in events
                 if e["ph"] == "M" and e["name"] in ("thread_name", "process_name")}
        lanes = {}
        for event in events:
            if event["ph"] != "X" or "sequence" not in event.get("args", {}):
                continue
            args = event["args"]
            lanes.setdefault((event["pid"], names[event["pid"], event["tid"]]), []).append(
                (args["sequence"], event["name"], args.get("operands"),
                 args["cycles"] if event["cat"] in COMPUTING else None))
        return {lane: sorted(stream) for lane, stream in lanes.items()}

    def test_vector_kernel(self):
        self.check("softmax_rows_f32")

    def test_cube_kernel(self):
        self.check("gemm_f16")

    def test_blocks_that_get_different_shares(self):
        self.check("gemm_f16_uneven")

    def test_mixed_kernel(self):
        self.check("attention_f16")

    def test_insertion_into_a_tile_that_is_declared_with_rows_of_blocks(self):
        x = np.random.default_rng(7).standard_normal((32, 16)).astype(np.float16)
        expected = np.zeros((64, 32), np.float32)
        expected[16:32, 16:], expected[48:, 16:] = x[:16], x[16:]
        with tempfile.TemporaryDirectory() as folder:
            for name, array in (("x", x), ("one", np.eye(32, dtype=np.float16)),
                                ("y", expected)):
                np.save(os.path.join(folder, name + ".npy"), array)
            for name, text in (("insert.pto", INSERT_PTO), ("insert.cpp", INSERT_CPP)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            words = ["--chip", "ascend950pr", "--blocks", "1", "--arg", "in=x.npy", "--arg",
                     "in=one.npy", "--arg", "out=64x32xf32", "--golden", "2=y.npy"]
            self.run_both([["insert.pto", *words], ["insert.cpp", *words]], folder)


if __name__ == "__main__":
    words = sys.argv[1:]
    PTOSIM = os.path.abspath(words[words.index("--ptosim") + 1])
    DATA = os.path.abspath(words[words.index("--data") + 1])
    unittest.main(argv=sys.argv[:1])
