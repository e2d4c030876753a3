#!/usr/bin/python3
"""Compares the time of calls of Ascend C on an Ascend 950PR with that of the vendor's simulator.

A table (tests/api_times.csv) has a line for each call, with the time that Cryspia/cann-api-explorer has recorded
(reports/INDEX.md at 1b6ae870): 2048 floats on each of 8 vector cores, in 16 tiles with two buffers a queue. One
program of ours has a kernel of that kind for each call; none of the figures has been used to fit the chip's file."""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys

from suites import prepare_toolkit, program, write_table

# The call in a tile, by its operands: one source, a scalar, two sources, a factor of the library's own kind.
CALLS = {"1": "{api}(to, a, kTile)", "s": "{api}(to, a, 2.0f, kTile)", "2": "{api}(to, a, b, kTile)",
         "w": "{api}(to, a, kTile, 1.0f)"}
FRAME = """#include <cstdlib>
#include "kernel_operator.h"
#include "acl/acl.h"

constexpr int kCores = 8, kElements = 2048, kTiles = 16, kTile = kElements / kTiles;

template <class Queue>
__aicore__ inline void load(Queue& queue, const AscendC::GlobalTensor<float>& from, int tile) {
    AscendC::LocalTensor<float> tensor = queue.template AllocTensor<float>();
    AscendC::DataCopy(tensor, from[tile * kTile], kTile);
    queue.EnQue(tensor);
}
// `compute` fills a tile from tiles of `Sources` arrays.
template <int Sources, class Compute>
__aicore__ inline void stream(GM_ADDR x, GM_ADDR y, GM_ADDR z, Compute compute) {
    using namespace AscendC;
    TPipe pipe;
    TQue<TPosition::VECIN, 2> first, second;
    TQue<TPosition::VECOUT, 2> result;
    GlobalTensor<float> from_x, from_y, to_z;
    const int start = kElements * GetBlockIdx();
    from_x.SetGlobalBuffer((__gm__ float*)x + start, kElements);
    from_y.SetGlobalBuffer((__gm__ float*)y + start, kElements);
    to_z.SetGlobalBuffer((__gm__ float*)z + start, kElements);
    pipe.InitBuffer(first, 2, kTile * sizeof(float));
    if (Sources == 2) pipe.InitBuffer(second, 2, kTile * sizeof(float));
    pipe.InitBuffer(result, 2, kTile * sizeof(float));
    for (int tile = 0; tile < kTiles; ++tile) {
        load(first, from_x, tile);
        if constexpr (Sources == 2) load(second, from_y, tile);
        LocalTensor<float> a = first.DeQue<float>();
        if constexpr (Sources == 2) {
            LocalTensor<float> b = second.DeQue<float>();
            LocalTensor<float> to = result.AllocTensor<float>();
            compute(to, a, b);
            result.EnQue(to);
            second.FreeTensor(b);
        } else {
            LocalTensor<float> to = result.AllocTensor<float>();
            compute(to, a, a);
            result.EnQue(to);
        }
        first.FreeTensor(a);
        LocalTensor<float> done = result.DeQue<float>();
        DataCopy(to_z[tile * kTile], done, kTile);
        result.FreeTensor(done);
    }
}
"""
KERNEL = """__global__ __vector__ void {api}_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
    stream<{sources}>(x, y, z, [](auto& to, auto& a, [[maybe_unused]] auto& b) {{ AscendC::{call}; }});
}}
"""
HOST = """int main(int, char** arguments) {
    const int chosen = std::atoi(arguments[1]);
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    constexpr size_t kBytes = sizeof(float) * kCores * kElements;
    void* arrays[3];
    for (void*& array : arrays) {
        aclrtMalloc(&array, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemset(array, kBytes, 0, kBytes);
    }
    auto* const x = (uint8_t*)arrays[0];
    auto* const y = (uint8_t*)arrays[1];
    auto* const z = (uint8_t*)arrays[2];
    LAUNCHES
    aclrtSynchronizeStream(stream);
    for (void* array : arrays) aclrtFree(array);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
"""


def headers_of(rows, checkout):
    """Lines that include the headers of the advanced API that are called as one of these calls."""
    words = {row["api"].lower() for row in rows} | {"log", "gelu"}
    return "".join(f'#include "adv_api/{folder}/{word}.h"\n' for folder in ("math", "activation")
                   for word in sorted(words) if (checkout / "include/adv_api" / folder / f"{word}.h").exists())


def source_of(rows, headers):
    kernels = "".join(KERNEL.format(api=row["api"], sources=2 if row["operands"] == "2" else 1,
                                    call=CALLS[row["operands"]].format(api=row["api"])) for row in rows)
    launches = "\n    ".join(f"if (chosen == {number}) {row['api']}_kernel<<<kCores, nullptr, stream>>>(x, y, z);"
                             for number, row in enumerate(rows))
    return FRAME.replace('#include "acl/acl.h"\n', headers + '#include "acl/acl.h"\n') + kernels + HOST.replace("LAUNCHES", launches)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path, help="of asc-devkit")
    parser.add_argument("--ptosim", type=pathlib.Path, default=pathlib.Path("build/ptosim"), help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for the program")
    parser.add_argument("--table", type=pathlib.Path, default=pathlib.Path("tests/api_times.csv"))
    settings = parser.parse_args()
    work = settings.work.resolve()
    prepare_toolkit(settings.ptosim, work, settings.checkout)
    rows = list(csv.DictReader(settings.table.open()))
    (work / "calls.asc").write_text(source_of(rows, headers_of(rows, settings.checkout)))
    subprocess.run([program(settings.ptosim), "build", "--ascendc", settings.checkout.resolve(), "--arch", "a5",
                    "calls.asc", "-o", "calls"], cwd=work, check=True)
    for number, row in enumerate(rows):
        # A process for each call, as each published one is a program: nothing is in L2.
        subprocess.run(["./calls", str(number)], cwd=work, check=True,
                       env=dict(os.environ, PTOSIM_CHIP="ascend950pr", PTOSIM_JSON="calls.json"))
        time = 1000 * json.loads((work / "calls.json").read_text())["launches"][0]["time_us"]
        row["simulated_ns"] = f"{time:.1f}"
        row["ratio"] = f"{time / float(row['published_ns']):.3f}"
    write_table(settings.table, rows)
    ratios = [float(row["ratio"]) for row in rows]
    print(f"{len(ratios)} calls: ratio {min(ratios)} to {max(ratios)}, median {statistics.median(ratios)}, "
          f"{sum(abs(ratio - 1) <= 0.1 for ratio in ratios)} within 10 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
