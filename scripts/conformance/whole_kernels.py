"""Whole public kernels in C++, our `.pto` that does the same work, and the published times, side by side.

CHECKOUT is one of hw-native-sys/pto-isa. Each folder of its kernels/manual is copied, the constants of the problem's size are
set to a row of its README's table (flash attention has a script for that), `ptosim build` makes the program, and its own main
runs it in time only (`PTOSIM_MODE=timing`) on inputs of zeros. The `.pto` next to it is the one that
scripts/calibration/validate.py compares with the same figure. The errors of both shall differ by 3 points at most.
"""
import dataclasses
import json
import re
import shutil
import subprocess
import sys

import manual_kernels
import suites
from suites import ROOT, Suite, options

sys.path.insert(0, str(ROOT / "scripts" / "calibration"))
import figures  # noqa: E402
import validation_kernels  # noqa: E402

APART = 3.0  # points between the errors of the two


@dataclasses.dataclass
class Kernel:
    folder: str
    arch: str
    core: str
    chip: str
    files: dict  # that its main reads: name -> bytes, as a function of the constants
    sizes: list  # (name, constants, published us, our kernel or None)
    case: str = ""  # of its generate_cases.py and its main, of the constants
    repeated: bool = False  # published times are of repeated launches, though its main launches once


def product(n, us):
    return (f"{n}^3", {"m": n, "k": n, "n": n, "singleCoreM": n // 4, "singleCoreK": n, "singleCoreN": n // 6}, us,
            f"gemm_{n}")


def convolution(channels, height, width, us):
    m, k = 4 * height * width, 144 * channels
    return (f"[4, {channels}, {height}, {width}, 16]",
            {"m": m, "k": k, "n": m, "singleCoreM": m // 4, "singleCoreK": k, "singleCoreN": m // 6, "cin": channels,
             "hin": height, "win": width, "fmapC1": channels, "fmapH": height, "fmapW": width,
             "filterDim3": 9 * channels, "filterDim2": m // 16}, us, f"conv_{channels}")


def mx_product(n, us):
    return (f"{n}^3", {"m": n, "k": n, "n": n, "singleCoreM": n // 4, "singleCoreK": n, "singleCoreN": n // 8}, us,
            f"mxfp8_{n}")


def mx4_product(m, k, n, single_m, single_n, us):
    ours = f"mx4_{m}_{k}_{n}_{single_m}_{single_n}" if m % 256 == 0 and n % 256 == 0 else None  # it has whole tiles only
    return (f"{m} x {k} x {n}", {"m": m, "k": k, "n": n, "singleCoreM": single_m, "singleCoreK": k,
                                 "singleCoreN": single_n}, us, ours)


def top_k(rows, us):
    return (f"{rows} rows of 1024", {"gShape3": rows, "gWholeShape3": rows}, us, f"topk_{rows}")


def attention(rows, tile, us):
    return (f"{rows} x {rows}", {"rows": rows, "tile": tile}, us, f"fa_{rows}_{rows}")


def matrices(bits, out_bytes):
    return {"input/x1_gm.bin": lambda c: c["m"] * c["k"] * bits // 8, "input/x2_gm.bin": lambda c: c["k"] * c["n"] * bits // 8,
            "output/golden.bin": lambda c: c["m"] * c["n"] * out_bytes}


SCALES = {"input/x1_scale_gm.bin": lambda c: c["m"] * c["k"] // 32, "input/x2_scale_gm.bin": lambda c: c["k"] * c["n"] // 32}
KERNELS = {
    "gemm_performance": Kernel("a2a3/gemm_performance", "a2a3", "aic", "ascend910b1", matrices(16, 4), [
        product(1536, 38.8), product(3072, 206.7), product(6144, 1506), product(7680, 3168)]),
    "conv2d_forward": Kernel("a2a3/conv2d_forward", "a2a3", "aic", "ascend910b1", matrices(16, 2), [
        convolution(8, 8, 48, 32.2), convolution(16, 12, 64, 147.3), convolution(24, 12, 96, 470.9),
        convolution(32, 16, 96, 1097.9), convolution(40, 15, 128, 2131.2)]),
    "matmul_mxfp8_performance": Kernel("a5/matmul_mxfp8_performance", "a5", "aic", "ascend950pr", matrices(8, 2) | SCALES, [
        mx_product(2048, 38.3), mx_product(4096, 187.9), mx_product(6144, 602.0), mx_product(8192, 1474.9)]),
    # The table does not give the division of the others: one piece for each of 32 cores, like the one in the source.
    "matmul_mxfp4_performance": Kernel("a5/matmul_mxfp4_performance", "a5", "aic", "ascend950pr", matrices(4, 2) | SCALES, [
        mx4_product(2048, 2048, 2048, 512, 256, 42.5), mx4_product(2048, 4096, 4096, 512, 512, 100.3),
        mx4_product(4096, 1024, 8192, 1024, 1024, 122.6), mx4_product(1024, 12288, 4096, 256, 512, 137.7),
        mx4_product(2048, 8192, 8192, 512, 1024, 348.9), mx4_product(2040, 8192, 8100, 512, 1024, 377.3)]),
    "topk": Kernel("a2a3/topk", "a2a3", "aiv", "ascend910b1", {
        "input/x1_gm.bin": lambda c: c["gWholeShape3"] * 1280 * 4, "input/x1_idx.bin": lambda _: 1280 * 4,
        "output/golden_d.bin": lambda c: c["gShape3"] * 1000 * 4, "output/golden_i.bin": lambda c: c["gShape3"] * 1000 * 4},
        [top_k(4800, 324.106), top_k(3456, 238.819), top_k(2304, 161.375)]),
    # The table does not give the tiles: they are taken from the guide next to it, for short and for long sequences.
    "flash_atten": Kernel("common/flash_atten", "a2a3", "mix", "ascend910b2", {}, [
        attention(1024, 256, 20.96), attention(2048, 256, 32.461), attention(4096, 512, 88.902),
        attention(8192, 512, 292.626)], "128,{rows},{rows},128,{tile}", repeated=True),}


def signed(value):
    return "–" if value is None else f"{value:+.1f}"


class Kernels(Suite):
    repository = "hw-native-sys/pto-isa"
    options = options("ptosim record", only={"help": "kernels or sizes that contain one of these"},
                      work=ROOT / "build" / "whole-kernels")
    columns = ("kernel", "published, us", "C++, us", "error %", "`.pto`, us", "error %", "apart", "processor time, s")
    good = None
    mark = "whole kernels"

    def items(self):
        return [(name, kernel, size) for name, kernel in KERNELS.items() for size in kernel.sizes]

    def name_of(self, item):
        return f"{item[0]} {item[2][0]}"

    def program(self, kernel, folder, constants):
        """Builds the kernel in a separate folder, with files of zeros; returns the program."""
        manual_kernels.copy(self.given, kernel, folder)
        manual_kernels.set_constants(folder, constants)
        for name, size in kernel.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            with open(folder / name, "wb") as file:
                file.truncate(size(constants))
        (folder / "bin").mkdir()
        if kernel.case:  # it makes a header below build, of whatever its name
            (folder / "build").mkdir()
            subprocess.run([sys.executable, "scripts/generate_cases.py", "--cases", kernel.case.format(**constants)],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
        made, log = folder / "bin" / "kernel", folder / "build.log"
        words = manual_kernels.build_words(self.given, folder.glob("*.cpp"), made, kernel, "-I", folder / "build")
        if manual_kernels.run(words, folder, log):
            sys.exit(f"error: does not build: {log}")
        return made

    def launching(self, kernel, warm):
        """Time that launching adds to a kernel's own time in a profiler's, in us."""
        nothing = figures.run(str(self.given.ptosim), kernel.chip, validation_kernels.nothing(kernel.arch), ["zeros=16xf16"], 1,
                              warm)
        return nothing["task_us"] - nothing["time_us"]

    def simulated(self, kernel, made, constants):
        """Time of the last launch of a program, as a profiler reports it, in us."""
        result, log = made.parent / "result.json", made.parent / "run.log"
        words = [made] + (["--npu=0", "--case=" + kernel.case.format(**constants)] if kernel.case else [])
        environment = {"PATH": "/usr/bin:/bin", "PTOSIM_CHIP": kernel.chip, "PTOSIM_MODE": "timing", "PTOSIM_JSON": str(result)}
        log.write_text(suites.run(words, made.parent, None, environment)[1])
        if not result.exists():
            sys.exit(f"error: no result: {log}")
        answer = json.loads(result.read_text())
        if answer["diagnostics"]:
            sys.exit(f"error: {answer['diagnostics'][0]['message']}: {log}")
        launches = answer["launches"]
        return launches[-1]["time_us"] + self.launching(kernel, int(kernel.repeated or len(launches) > 1))

    def run(self, item):
        """A line of the table, and by how many points the two differ."""
        name, kernel, (what, constants, published, ours) = item
        folder, before = self.given.work / re.sub(r"\W+", "_", f"{name} {what}"), suites.processor_time()
        cpp = self.simulated(kernel, self.program(kernel, folder, constants), constants)
        for made in ("input", "output"):
            shutil.rmtree(folder / made, ignore_errors=True)
        error, pto = 100 * (cpp / published - 1), None
        if ours:
            pto = figures.simulate_kernel(str(self.given.ptosim), kernel.chip, ours)["task"]
        pto_error = pto and 100 * (pto / published - 1)
        apart = None if pto is None else error - pto_error
        row = (f"`{name}` {what}", f"{published:g}", f"{cpp:.1f}", signed(error), f"{pto:.1f}" if pto else "–", signed(pto_error),
               signed(apart), f"{suites.processor_time() - before:.0f}")
        return {"row": row, "apart": apart}

    def row_of(self, result):
        return result["row"]

    def told(self, name, result):
        return " | ".join(result["row"])

    def summary(self):
        wide = sum(result["apart"] is not None and abs(result["apart"]) > APART for result in self.reported())
        return f"{wide} of {len(self.reported())} are more than {APART:g} points apart"
