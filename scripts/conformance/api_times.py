#!/usr/bin/python3
"""Compares the time of calls of Ascend C on an Ascend 950PR with that of the vendor's simulator.

A table (tests/api_times.csv) has a line for each call, with the time that Cryspia/cann-api-explorer has recorded
(reports/INDEX.md at 1b6ae870): 2048 floats on each of 8 vector cores, in 16 tiles with two buffers a queue, or one tile
on one core ("once"). One program of ours has a kernel of that kind for each call; none of the figures has been used
to fit the chip's file."""
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
# The calls of one tile: number of sources, elements, types of sources and result, call. `t` is scratch of a tile.
ONCE = {
    "Duplicate": (0, 64, "float", "float", "Duplicate<float>(to, 3.0f, 64)"),
    "CreateVecIndex": (0, 64, "float", "float", "CreateVecIndex<float>(to, 0.0f, 64)"),
    "Axpy": (1, 64, "float", "float", "Duplicate<float>(to, 1.0f, 64); AscendC::PipeBarrier<PIPE_V>(); "
             "AscendC::Axpy<float, float>(to, a, 2.0f, 64)"),
    "Truncate": (1, 64, "float", "float", "Truncate<float, AscendC::RoundMode::CAST_TRUNC>(to, a, 64)"),
    "LeakyRelu": (1, 64, "float", "float", "LeakyRelu(to, a, 0.1f, 64)"),
    "ClampMax": (1, 64, "float", "float", "ClampMax<float>(to, a, 3.0f, 64)"),
    "ClampMin": (1, 64, "float", "float", "ClampMin<float>(to, a, 3.0f, 64)"),
    "CastF2H": (1, 256, "float", "half", "Cast(to, a, AscendC::RoundMode::CAST_NONE, 256)"),
    "ReduceMax": (1, 256, "float", "float", "ReduceMax(to, a, t, 256)"),
    "ReduceMin": (1, 256, "float", "float", "ReduceMin(to, a, t, 256)"),
    "ReduceSum": (1, 256, "float", "float", "ReduceSum(to, a, t, 256)"),
    "AddRelu": (2, 256, "float", "float", "AddRelu<float>(to, a, b, 256)"),
    "SubRelu": (2, 256, "float", "float", "SubRelu<float>(to, a, b, 256)"),
    "AbsSub": (2, 256, "float", "float", "AbsSub<float>(to, a, b, 256)"),
    "MulAddDst": (2, 256, "float", "float", "Duplicate<float>(to, 1.0f, 256); AscendC::PipeBarrier<PIPE_V>(); "
                  "AscendC::MulAddDst<float>(to, a, b, 256)"),
    "AddHalf": (2, 256, "half", "half", "Add(to, a, b, 256)"),
    "AddReluCast": (2, 256, "float", "half", "AddReluCast<half, float>(to, a, b, 256)"),
    "SubReluCast": (2, 256, "float", "half", "SubReluCast<half, float>(to, a, b, 256)"),
    "ShiftLeft": (2, 64, "int32_t", "int32_t", "ShiftLeft<int32_t, int32_t>(to, a, b, 64)"),
    "ShiftRight": (2, 64, "int32_t", "int32_t", "ShiftRight<int32_t, int32_t>(to, a, b, 64)"),
}
FRAME = """#include <cstdlib>
#include "kernel_operator.h"
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
        // Both loads are issued before a queue receives its tensor: EnQue waits for what MTE2 has begun.
        LocalTensor<float> a = first.AllocTensor<float>();
        if constexpr (Sources == 2) {
            LocalTensor<float> b = second.AllocTensor<float>();
            DataCopy(a, from_x[tile * kTile], kTile);
            DataCopy(b, from_y[tile * kTile], kTile);
            first.EnQue(a);
            second.EnQue(b);
        } else {
            DataCopy(a, from_x[tile * kTile], kTile);
            first.EnQue(a);
        }
        a = first.DeQue<float>();
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
// `compute` fills a tile from `Sources` tiles, once.
template <int Sources, int kSize, class From, class To, bool Scratch, class Compute>
__aicore__ inline void once(GM_ADDR x, GM_ADDR y, GM_ADDR z, Compute compute) {
    using namespace AscendC;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> first, second;
    TQue<TPosition::VECOUT, 1> result;
    TBuf<TPosition::VECCALC> scratch;
    GlobalTensor<From> from_x, from_y;
    GlobalTensor<To> to_z;
    LocalTensor<From> a, b, t;
    if constexpr (Sources > 0) from_x.SetGlobalBuffer((__gm__ From*)x, kSize);
    if constexpr (Sources > 1) from_y.SetGlobalBuffer((__gm__ From*)y, kSize);
    to_z.SetGlobalBuffer((__gm__ To*)z, kSize);
    if constexpr (Sources > 0) pipe.InitBuffer(first, 1, kSize * sizeof(From));
    if constexpr (Sources > 1) pipe.InitBuffer(second, 1, kSize * sizeof(From));
    pipe.InitBuffer(result, 1, kSize * sizeof(To));
    if constexpr (Scratch) pipe.InitBuffer(scratch, kSize * sizeof(From));
    if constexpr (Sources > 0) a = first.AllocTensor<From>();
    if constexpr (Sources > 1) b = second.AllocTensor<From>();
    if constexpr (Sources > 0) DataCopy(a, from_x, kSize);
    if constexpr (Sources > 1) DataCopy(b, from_y, kSize);
    if constexpr (Sources > 0) first.EnQue(a);
    if constexpr (Sources > 1) second.EnQue(b);
    if constexpr (Sources > 0) a = first.DeQue<From>();
    if constexpr (Sources > 1) b = second.DeQue<From>();
    LocalTensor<To> to = result.AllocTensor<To>();
    if constexpr (Scratch) t = scratch.Get<From>();
    compute(to, a, b, t);
    result.EnQue(to);
    if constexpr (Sources > 0) first.FreeTensor(a);
    if constexpr (Sources > 1) second.FreeTensor(b);
    to = result.DeQue<To>();
    DataCopy(to_z, to, kSize);
    result.FreeTensor(to);
}
"""
KERNEL_ONCE = """__global__ __vector__ void {api}_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
    once<{sources}, {size}, {types}, {scratch}>(x, y, z, []([[maybe_unused]] auto& to, [[maybe_unused]] auto& a,
        [[maybe_unused]] auto& b, [[maybe_unused]] auto& t) {{ AscendC::{call}; }});
}}
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
    words = {row["api"].lower() for row in rows} | {"log", "gelu", "clamp"}
    return "".join(f'#include "adv_api/{folder}/{word}.h"\n' for folder in ("math", "activation")
                   for word in sorted(words) if (checkout / "include/adv_api" / folder / f"{word}.h").exists())


def kernel_of(row):
    if row["operands"] == "once":
        sources, size, source, result, call = ONCE[row["api"]]
        return KERNEL_ONCE.format(api=row["api"], sources=sources, size=size, types=f"{source}, {result}",
                                  scratch=str(", t," in call).lower(), call=call)
    return KERNEL.format(api=row["api"], sources=2 if row["operands"] == "2" else 1,
                         call=CALLS[row["operands"]].format(api=row["api"]))


def source_of(rows, headers):
    kernels = "".join(map(kernel_of, rows))
    launches = "\n    ".join(
        f"if (chosen == {number}) {row['api']}_kernel<<<{1 if row['operands'] == 'once' else 'kCores'}, nullptr, stream>>>(x, y, z);"
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
    for kind, chosen in (("streams", [row for row in rows if row["operands"] != "once"]),
                         ("one tile", [row for row in rows if row["operands"] == "once"])):
        ratios = [float(row["ratio"]) for row in chosen]
        print(f"{kind}: {len(ratios)} calls, ratio {min(ratios)} to {max(ratios)}, median {statistics.median(ratios)}, "
              f"mean error {100 * statistics.mean(abs(ratio - 1) for ratio in ratios):.1f} %, "
              f"{sum(abs(ratio - 1) <= 0.1 for ratio in ratios)} within 10 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
