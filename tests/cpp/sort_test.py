#!/usr/bin/python3
"""TSORT32 and TMRGSORT in C++ kernels, where tiles share memory or are valid in part."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

OPTIONS = None
COUNT = 256  # values; a record takes two floats
KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
template <int Columns>
using Row = Tile<TileType::Vec, float, 1, Columns, BLayout::RowMajor, -1, -1>;
using Values = Row<256>;
using Records = Row<512>;
using Indices = Tile<TileType::Vec, uint32_t, 1, 256>;
using View = GlobalTensor<float, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, 1, 1>>;
#ifdef __DAV_C220_VEC__
#define AFTER_V pipe_barrier(PIPE_V)
#else
#define AFTER_V  // pipe V of a C310 executes in order, and its compiler refuses the barrier
#endif
extern "C" __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
    Values values(1, 256);
    Records blocks(1, 512), target(1, 512);
    Indices indices;
    TASSIGN(values, 0);
    TASSIGN(indices, 0x400);
    TASSIGN(blocks, 0x800);
    TASSIGN(target, 0x1000);
    View source(x, Shape<1, 1, 1, 1, -1>(256));
    TLOAD(values, source);
    TCI<Indices, uint32_t, 0>(indices, 0);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    TEXPANDS(target, -1.0f);
    TSORT32(blocks, values, indices);
    AFTER_V;
BODY
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    View results(y, Shape<1, 1, 1, 1, -1>(512));
    TSTORE(results, target);
}
"""
# Two lists of 32 records; dst is the scratch tile, too.
TWO_LISTS = """    Row<64> first(1, 64), second(1, 64);
    Row<512> merged(1, 128);
    TASSIGN(first, 0x800);
    TASSIGN(second, 0x900);
    TASSIGN(merged, 0x1000);
    MrgSortExecutedNumList executed{7, 7, 7, 7};
    TMRGSORT<Row<512>, Row<512>, Row<64>, Row<64>, EXHAUSTED>(merged, executed, merged, first, second);
"""
COUNTS = """    if (executed.mrgSortList0 != %d || executed.mrgSortList1 != %d || executed.mrgSortList2 != %d ||
        executed.mrgSortList3 != %d)
        trap();
"""


def merged(values, taken):
    """Records of `values`, whose indices `taken` has, in descending order."""
    taken = np.asarray(taken)
    order = taken[np.argsort(-values[taken], kind="stable")]
    records = np.empty((order.size, 2), np.float32)
    records[:, 0] = values[order]
    records[:, 1] = order.astype(np.uint32).view(np.float32)
    return records.ravel().view(np.uint32)


class Sort(unittest.TestCase):
    chip = "ascend910b1"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.x = np.random.default_rng(11).permutation(COUNT).astype(np.float32)
        np.save(self.path / "x.npy", self.x)

    def results(self, body):
        (self.path / "k.cpp").write_text(KERNEL.replace("BODY\n", body))
        result = subprocess.run(
            [OPTIONS.ptosim.resolve(), "check", "k.cpp", "--core", "aiv", "--chip", self.chip, "--arg", "in=x.npy",
             "--arg", f"out={2 * COUNT}xf32:y.npy"], cwd=self.path, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return np.load(self.path / "y.npy").view(np.uint32)

    def test_a_merge_into_its_scratch_tile(self):
        """The counts stay as they are, because the merge goes to the ends of the lists."""
        y = self.results(TWO_LISTS.replace("EXHAUSTED", "false") + COUNTS % (7, 7, 7, 7))
        np.testing.assert_array_equal(y[:128], merged(self.x, range(64)))
        np.testing.assert_array_equal(y[128:].view(np.float32), -1)

    def test_a_merge_up_to_the_first_end_into_its_scratch_tile(self):
        blocks = [np.sort(self.x[:32])[::-1], np.sort(self.x[32:64])[::-1]]
        last = max(blocks[0][-1], blocks[1][-1])  # of the list that ends first
        taken = [int((block >= last).sum()) for block in blocks]
        self.assertNotEqual(*taken)
        y = self.results(TWO_LISTS.replace("EXHAUSTED", "true") + COUNTS % (*taken, 0, 0))
        np.testing.assert_array_equal(y[:2 * sum(taken)],
                                      merged(self.x, [i for i in range(64) if self.x[i] >= last]))

    def test_blocks_beyond_the_valid_ones_are_not_merged(self):
        """Of four blocks each, the first group is valid in the source, both are in the target."""
        y = self.results("    Records valid(1, 256);\n    TASSIGN(valid, 0x800);\n    TMRGSORT(target, valid, 64);\n")
        np.testing.assert_array_equal(y[:256], merged(self.x, range(128)))
        np.testing.assert_array_equal(y[256:].view(np.float32), -1)

    def test_a_block_that_ends_early_merges_as_a_whole_one(self):
        """Its last records are NaN, which merges take last."""
        y = self.results("    values.SetValidCol(104);\n    Values scratch(1, 128);\n    TASSIGN(scratch, 0x2000);\n"
                         "    AFTER_V;\n    TEXPANDS(blocks, 1000.0f);\n    AFTER_V;\n"
                         "    TSORT32(blocks, values, indices, scratch);\n    AFTER_V;\n"
                         "    Records valid(1, 256);\n    TASSIGN(valid, 0x800);\n    TMRGSORT(target, valid, 64);\n")
        np.testing.assert_array_equal(y[:208], merged(self.x, range(104)))
        self.assertTrue(np.isnan(y[208:256:2].view(np.float32)).all())


class SortOnA5(Sort):
    chip = "ascend950pr"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
