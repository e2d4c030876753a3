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
FRAME = """#include "kernel_operator.h"
#include "acl/acl.h"

constexpr int kCores = 8, kElements = 2048, kTiles = 16, kTile = kElements / kTiles;

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
        LocalTensor<float> a = first.AllocTensor<float>(), b = a;
        if (Sources == 2) b = second.AllocTensor<float>();
        DataCopy(a, from_x[tile * kTile], kTile);
        if (Sources == 2) DataCopy(b, from_y[tile * kTile], kTile);
        first.EnQue(a);
        if (Sources == 2) second.EnQue(b);
        a = first.DeQue<float>();
        if (Sources == 2) b = second.DeQue<float>();
        LocalTensor<float> to = result.AllocTensor<float>();
        compute(to, a, b);
        result.EnQue(to);
        first.FreeTensor(a);
        if (Sources == 2) second.FreeTensor(b);
        to = result.DeQue<float>();
        DataCopy(to_z[tile * kTile], to, kTile);
        result.FreeTensor(to);
    }
}
"""
KERNEL = """__global__ __vector__ void {api}_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
    stream<{sources}>(x, y, z, [](auto& to, auto& a, [[maybe_unused]] auto& b) {{ AscendC::{call}; }});
}}
"""
HOST = """int main() {
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
    launches = "\n    ".join(f"{row['api']}_kernel<<<kCores, nullptr, stream>>>(x, y, z);" for row in rows)
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
    subprocess.run(["./calls"], cwd=work, check=True,
                   env=dict(os.environ, PTOSIM_CHIP="ascend950pr", PTOSIM_JSON="calls.json"))
    times = {launch["kernel"]: launch["time_us"] for launch in json.loads((work / "calls.json").read_text())["launches"]}
    for row in rows:
        time = 1000 * times[f"{row['api']}_kernel"]
        row["simulated_ns"] = f"{time:.1f}"
        row["ratio"] = f"{time / float(row['published_ns']):.3f}"
    write_table(settings.table, rows)
    ratios = [float(row["ratio"]) for row in rows]
    print(f"{len(ratios)} calls: ratio {min(ratios)} to {max(ratios)}, median {statistics.median(ratios)}, "
          f"{sum(abs(ratio - 1) <= 0.1 for ratio in ratios)} within 10 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
