"""Compares the time of calls of Ascend C on an Ascend 950PR with that of the vendor's simulator.

A table (tests/api_times.csv) has a line for each call, with the time that Cryspia/cann-api-explorer has recorded
(reports/INDEX.md at 1b6ae870): 2048 floats on each of 8 vector cores, in 16 tiles with two buffers a queue, or one tile
on one core ("once"). One program of ours (api_times.asc.in) has a kernel of that kind for each call; none of the figures has
been used to fit the chip's file.
"""
import json
import os
import statistics
import subprocess
import sys

import suites
from suites import ROOT, Suite, options

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
KERNEL_ONCE = """__global__ __vector__ void {api}_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
    once<{sources}, {size}, {types}, {scratch}>(x, y, z, []([[maybe_unused]] auto& to, [[maybe_unused]] auto& a,
        [[maybe_unused]] auto& b, [[maybe_unused]] auto& t) {{ AscendC::{call}; }});
}}
"""
KERNEL = """__global__ __vector__ void {api}_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
    stream<{sources}>(x, y, z, [](auto& to, auto& a, [[maybe_unused]] auto& b) {{ AscendC::{call}; }});
}}
"""


class Published(Suite):
    """Base of the suites that write our figure and its ratio next to each published figure of a table. `facts`: its columns
    that name a row; `figures`: columns of the published figure, of ours, and of the ratio."""
    stays = True
    facts = figures = ()
    good = None

    def items(self):
        self.rows = suites.read_table(self.given.table)
        if not self.rows:
            sys.exit(f"error: --table {self.given.table}: it has no published figures; give a copy of the table in tests/")
        self.columns, self.key = tuple(self.rows[0]), self.facts
        return self.rows

    def name_of(self, item):
        return tuple(item[fact] for fact in self.facts)

    def wanted(self, name):
        return super().wanted(" ".join(name))

    def with_figure(self, row, found, form, basis=None):
        """The row with our figure, or without one. `basis`: of the figure, as in the result."""
        published, ours, ratio = self.figures
        made = ("", "") if found is None else (format(found, form), f"{found / float(row[published]):.3f}")
        shares = (basis or {}).get("shares", {})
        return {**row, ours: made[0], ratio: made[1], "range_percent": (basis or {}).get("range_percent", ""),
                "rests_on": " ".join(f"{grade.replace(' ', '_')}:{share:g}" for grade, share in shares.items())}

    def within(self, rows):
        """Number of figures within the range that the result states, as text."""
        told = [row for row in rows if row["range_percent"]]
        inside = sum(100 * abs(float(row["ratio"]) - 1) <= float(row["range_percent"]) for row in told)
        return f"{inside} of {len(told)} within the range of the result"

    def told(self, name, result):
        return " ".join(map(str, result.values()))


def kernel_of(row):
    if row["operands"] == "once":
        sources, size, source, result, call = ONCE[row["api"]]
        return KERNEL_ONCE.format(api=row["api"], sources=sources, size=size, types=f"{source}, {result}",
                                  scratch=str(", t," in call).lower(), call=call)
    return KERNEL.format(api=row["api"], sources=2 if row["operands"] == "2" else 1,
                         call=CALLS[row["operands"]].format(api=row["api"]))


class Calls(Published):
    repository = "asc-devkit"
    options = options("ptosim work!", table=ROOT / "tests" / "api_times.csv")
    facts = ("api", "operands")
    figures = ("published_ns", "simulated_ns", "ratio")

    def items(self):
        rows, work = super().items(), self.given.work
        suites.make_toolkit(self.given.ptosim, work, self.given.checkout)
        words = {row["api"].lower() for row in rows} | {"log", "gelu", "clamp"}
        headers = [f"adv_api/{folder}/{word}.h" for folder in ("math", "activation") for word in sorted(words)]
        launches = [f"if (chosen == {number}) {row['api']}_kernel<<<{1 if row['operands'] == 'once' else 'kCores'}, nullptr, "
                    "stream>>>(x, y, z);" for number, row in enumerate(rows)]
        text = (ROOT / "scripts" / "conformance" / "api_times.asc.in").read_text()
        for mark, lines in (("HEADERS", [f'#include "{header}"' for header in headers
                                         if (self.given.checkout / "include" / header).exists()]),
                            ("KERNELS", map(kernel_of, rows)), ("LAUNCHES", launches)):
            text = text.replace(mark, "\n".join(lines))
        (work / "calls.asc").write_text(text)
        subprocess.run([self.given.ptosim, "build", "--ascendc", self.given.checkout, "--arch", "a5", "calls.asc", "-o",
                        "calls"], cwd=work, check=True)
        return rows

    def run(self, item):
        # A process for each call, as each published one is a program: nothing is in L2.
        subprocess.run(["./calls", str(self.rows.index(item))], cwd=self.given.work, check=True,
                       env=dict(os.environ, PTOSIM_CHIP="ascend950pr", PTOSIM_JSON="calls.json"))
        result = json.loads((self.given.work / "calls.json").read_text())
        return self.with_figure(item, 1000 * result["launches"][0]["time_us"], ".1f", result["time_basis"])

    def summary(self):
        lines = []
        for kind, once in (("streams", False), ("one tile", True)):
            rows = [row for row in self.reported() if (row["operands"] == "once") == once]
            ratios = [float(row["ratio"]) for row in rows]
            lines.append(f"{kind}: {len(ratios)} calls, ratio {min(ratios)} to {max(ratios)}, median {statistics.median(ratios)}, "
                         f"mean error {100 * statistics.mean(abs(ratio - 1) for ratio in ratios):.1f} %, "
                         f"{sum(abs(ratio - 1) <= 0.1 for ratio in ratios)} within 10 %, {self.within(rows)}")
        return "\n".join(lines)
