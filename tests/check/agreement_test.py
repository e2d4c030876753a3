#!/usr/bin/python3
"""Cores that agree through memory: signals, ld_dev, st_dev, atomic operations and lines that are cleaned order
everything before the one's store and after the other's load, and do not race with each other."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
KERNEL = """#include <pto/pto-inst.hpp>
#include <pto/comm/pto_comm_inst.hpp>
#include <cstring>
using namespace pto;
extern "C" __global__ __aicore__ void kernel(__gm__ int32_t* flags, __gm__ float* x, __gm__ float* y, int which) {
    using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>>;
    using Line = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;
    const int me = get_block_idx(), all = get_block_num();
    Tile<TileType::Vec, float, 1, 64> t;
    TASSIGN(t, 0);
    Line line(flags), second_line(flags + 16);
    comm::Signal signal(flags);
    __gm__ int32_t* const next_flags = flags + 16;
    Row first(y), own(y + 64 * me), next(y + 64 * ((me + 1) % all)), result(x + 64 * me);
BODY
}
"""


def order(first, second):
    flag = f"PIPE_{first}, PIPE_{second}, EVENT_ID0"
    return f"    set_flag({flag});\n    wait_flag({flag});\n"


LOAD = "    TLOAD(t, result);\n" + order("MTE2", "MTE3")
STORE = order("MTE3", "S")
SEE = "    TLOAD(t, first);\n"
TELL = {"st_dev": "    st_dev(1, flags);\n",
        "notify set": "    comm::TNOTIFY(signal, 1, comm::NotifyOp::Set);\n",
        "notify add": "    comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);\n",
        "atomic": "    set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM);\n    st_atomic(1, flags);\n"}
HEAR = {"ld_dev": "    while (ld_dev(flags) == 0) {}\n",
        "wait": "    comm::TWAIT(signal, 1, comm::WaitCmp::GE);\n"}


def of_blocks(*parts):
    return "".join(f"    if (me == {block}) {{\n{part}    }}\n" for block, part in enumerate(parts))


PRODUCE = LOAD + "    TSTORE(first, t);\n"
PUBLISH = "    flags[0] = 1;\n    dcci(flags, SINGLE_CACHE_LINE, CACHELINE_OUT);\n"
POLL = "    while (*static_cast<volatile __gm__ int32_t*>(flags) == 0) dcci(flags, SINGLE_CACHE_LINE);\n"
PUBLISH_NEXT, POLL_NEXT = PUBLISH.replace("flags", "next_flags"), POLL.replace("flags", "next_flags")
RELAY = "    while (ld_dev(flags) == 0) {}\n    st_dev(1, flags + 16);\n"
SEE_RELAYED = "    while (ld_dev(flags + 16) == 0) {}\n" + SEE
BARRIER = "    SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(line);\n"
TO_OWN = "    TSTORE(own, t);\n"
SEE_NEXT = "    TLOAD(t, next);\n"
AGAIN = LOAD + TO_OWN + BARRIER + SEE_NEXT + order("MTE2", "MTE3")
# Two of four, by a line for each pair: who reads the other pair's is not ordered.
PAIRS = "    SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(me < 2 ? line : second_line, 2);\n"
ADD = ("    set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM);\n"
       "    for (int i = 0; i < 100; ++i) st_atomic(1, flags);\n")
READ = ("    pipe_barrier(PIPE_ALL);\n    Tile<TileType::Vec, int32_t, 1, 16> counts;\n"
        "    TASSIGN(counts, 1024);\n    TLOAD(counts, line);\n")
# The text of each case, its number of blocks, and its findings.
CASES = {
    **{f"{tells} and {hears}": (of_blocks(PRODUCE + STORE + TELL[tells], HEAR[hears] + SEE), 2, [])
       for tells in TELL for hears in HEAR},
    **{f"{tells}, before the transfer is done": (of_blocks(PRODUCE + TELL[tells], HEAR["ld_dev"] + SEE), 2, ["G04"])
       for tells in TELL},
    **{f"{tells}, and nobody listens": (of_blocks(PRODUCE + STORE + TELL[tells], SEE), 2, ["G04"]) for tells in TELL},
    "a line": (of_blocks(PRODUCE + STORE + PUBLISH, POLL + SEE), 2, []),
    "a line, cleaned with all others": (of_blocks(
        PRODUCE + STORE + PUBLISH.replace("SINGLE_CACHE_LINE", "ENTIRE_DATA_CACHE"), POLL + SEE), 2, []),
    "a line, before the transfer is done": (of_blocks(PRODUCE + PUBLISH, POLL + SEE), 2, ["G04"]),
    "a line, and nobody loads it": (of_blocks(PRODUCE + STORE + PUBLISH, SEE), 2, ["G04"]),
    "another line": (of_blocks(PRODUCE + STORE + PUBLISH + PUBLISH_NEXT, POLL_NEXT + SEE), 2, []),
    "the second line of a store": (of_blocks(
        PRODUCE + STORE + "    memset(flags, 1, 4 * 16 * all);\n    dcci(next_flags, SINGLE_CACHE_LINE);\n",
        POLL_NEXT + SEE), 2, []),
    "another line, cleaned before": (of_blocks(PUBLISH_NEXT + PRODUCE + STORE + PUBLISH, POLL_NEXT + SEE), 2, ["G04"]),
    "told on": (of_blocks(PRODUCE + STORE + TELL["st_dev"], RELAY, SEE_RELAYED), 3, []),
    "told on, and told before": (of_blocks(TELL["st_dev"] + PRODUCE + STORE, RELAY, SEE_RELAYED), 3, ["G04"]),
    "a soft barrier of two": (LOAD + TO_OWN + BARRIER + SEE_NEXT, 2, []),
    "a soft barrier of four": (LOAD + TO_OWN + BARRIER + SEE_NEXT, 4, []),
    "soft barriers": (AGAIN + BARRIER + TO_OWN + BARRIER + SEE_NEXT, 4, []),
    "a store over what the neighbour still reads": (AGAIN + TO_OWN + BARRIER + SEE_NEXT, 4, ["G04"]),
    "soft barriers of pairs": (LOAD + TO_OWN + PAIRS + SEE_NEXT, 4, ["G04"]),
    "a count that all add to": (ADD, 4, []),
    "a count that a transfer reads": (ADD + READ, 4, ["G04"]),
}


class Agreement(unittest.TestCase):
    def test_what_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source, report = pathlib.Path(folder) / "k.cpp", pathlib.Path(folder) / "report.json"
            source.write_text(KERNEL.replace("BODY\n", "".join(
                f"    if (which == {which}) {{\n{body}    }}\n" for which, (body, _, _) in enumerate(CASES.values()))))
            for which, (name, (_, blocks, codes)) in enumerate(CASES.items()):
                with self.subTest(name):
                    result = subprocess.run(
                        [OPTIONS.ptosim.resolve(), "check", source, "--core", "aiv", "--arg", "zeros=32xi32", "--arg",
                         "rand=4x64xf32", "--arg", "zeros=4x64xf32", "--arg", f"i32={which}", "--blocks", str(blocks),
                         "--json", report], capture_output=True, text=True, check=False)
                    self.assertIn(result.returncode, (0, 1), result.stderr)
                    found = [finding["code"] for finding in json.loads(report.read_text())["diagnostics"]]
                    self.assertEqual(found, codes, result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others])
