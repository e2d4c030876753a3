#!/usr/bin/python3
"""Collectives of pto::comm on one chip, whose memory holds the arrays of all ranks: results and findings.

    collectives_test.py --ptosim BIN
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PTOSIM = None
RANKS, ROWS, COLS = 3, 10, 48
# `all`: the ranks' matrices one after the other; `whole`: an array of the root's.
KERNEL = f"""#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int kRanks = {RANKS}, kRows = {ROWS}, kCols = {COLS};
template <int Rows> using View = GlobalTensor<float, Shape<1, 1, 1, Rows, kCols>, Stride<1, 1, 1, kCols, 1>>;
// Four rows and 32 columns: the last piece of a row and of a column is not a whole tile.
using Staging = Tile<TileType::Vec, float, 4, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC>;

__global__ AICORE void k(__gm__ float* all, __gm__ float* whole, int root) {{
    View<kRows> ranks[kRanks] = {{View<kRows>(all), View<kRows>(all + kRows * kCols),
                                  View<kRows>(all + 2 * kRows * kCols)}};
    comm::ParallelGroup<View<kRows>> group(ranks, kRanks, root);
    View<kRanks * kRows> joined(whole);
    View<kRows> one(whole);
    Staging a(4, 32), b(4, 32), c(4, 32);
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x1000);
    TASSIGN(c, 0x2000);
    CALL
}}
"""


class Collectives(unittest.TestCase):
    def run_it(self, call, everyone, whole, root=1):
        """The arrays after the call, which must leave no finding."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "k.cpp").write_text(KERNEL.replace("CALL", call))
            np.save(path / "all.npy", everyone)
            np.save(path / "whole.npy", whole)
            ran = subprocess.run(
                [PTOSIM, "check", "k.cpp", "--core", "aiv", "--chip", "ascend910b1", "--blocks", "1", "--arg",
                 "inout=all.npy:all_out.npy", "--arg", "inout=whole.npy:whole_out.npy", "--arg", f"i32={root}",
                 "--json", "result.json"], cwd=path, capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            self.assertEqual(json.loads((path / "result.json").read_text())["diagnostics"], [])
            return np.load(path / "all_out.npy"), np.load(path / "whole_out.npy")

    def setUp(self):
        draw = np.random.default_rng(11)
        self.everyone = draw.integers(-50, 50, (RANKS, ROWS, COLS)).astype(np.float32)
        self.whole = draw.integers(-50, 50, (RANKS * ROWS, COLS)).astype(np.float32)

    def test_gather_puts_the_ranks_rows_one_after_the_other(self):
        for tiles in ("a", "a, b"):
            everyone, whole = self.run_it(f"comm::TGATHER(group, joined, {tiles});", self.everyone, self.whole)
            np.testing.assert_array_equal(whole, self.everyone.reshape(-1, COLS))
            np.testing.assert_array_equal(everyone, self.everyone)

    def test_scatter_gives_each_rank_its_rows(self):
        for tiles in ("a", "a, b"):
            everyone, whole = self.run_it(f"comm::TSCATTER(group, joined, {tiles});", self.everyone, self.whole)
            np.testing.assert_array_equal(everyone, self.whole.reshape(RANKS, ROWS, COLS))
            np.testing.assert_array_equal(whole, self.whole)

    def test_broadcast_gives_all_ranks_the_same(self):
        for tiles in ("a", "a, b"):
            everyone, _ = self.run_it(f"comm::TBROADCAST(group, one, {tiles});", self.everyone, self.whole)
            np.testing.assert_array_equal(everyone, np.broadcast_to(self.whole[:ROWS], (RANKS, ROWS, COLS)))

    def test_reduction_combines_all_ranks(self):
        for operation, combined in (("Sum", np.sum), ("Max", np.max), ("Min", np.min)):
            for tiles in ("a, b", "a, b, c"):
                call = f"comm::TREDUCE(group, one, {tiles}, comm::ReduceOp::{operation});"
                everyone, whole = self.run_it(call, self.everyone, self.whole, root=2)
                np.testing.assert_array_equal(whole[:ROWS], combined(self.everyone, axis=0))
                np.testing.assert_array_equal(whole[ROWS:], self.whole[ROWS:])
                np.testing.assert_array_equal(everyone, self.everyone)

    def test_asynchronous_transfers_are_of_flat_views(self):
        """2000 bytes from byte 400 on of both views, and nothing of a view of two dimensions."""
        call = """
    Tile<TileType::Vec, uint8_t, 1, comm::sdma::UB_ALIGN_SIZE> scratch;
    TASSIGN(scratch, 0x0);
    using Flat = GlobalTensor<float, Shape<1, 1, 1, 1, 500>, Stride<1, 1, 1, 500, 1>>;
    Flat from(all), to(whole);
    comm::AsyncSession session;
    if (comm::BuildAsyncSession(scratch, nullptr, session)) trap();
    if (comm::TPUT_ASYNC(to, from, session).valid()) trap();
    if (!comm::BuildAsyncSession(scratch, (__gm__ uint8_t*)whole, session, 0, {1 << 20, 400, 2})) trap();
    if (comm::TPUT_ASYNC(one, ranks[0], session).valid()) trap();
    comm::AsyncEvent event = root == 1 ? comm::TPUT_ASYNC(to, from, session) : comm::TGET_ASYNC(to, from, session);
    if (!event.valid() || !event.Wait(session)) trap();
"""
        for root in (1, 2):
            _, whole = self.run_it(call, self.everyone, self.whole, root=root)
            expected = self.whole.reshape(-1).copy()
            expected[100:600] = self.everyone.reshape(-1)[100:600]
            np.testing.assert_array_equal(whole.reshape(-1), expected)


if __name__ == "__main__":
    PTOSIM = pathlib.Path(sys.argv[sys.argv.index("--ptosim") + 1]).resolve()
    del sys.argv[1:]
    unittest.main()
