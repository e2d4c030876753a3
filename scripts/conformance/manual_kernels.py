"""Builds and runs kernels of pto-isa's kernels/manual at a size that takes about a minute.

The sources are used unchanged but for the constants of the problem's size: each folder is copied, its sizes are replaced
(KERNELS below), its own gen_data.py makes inputs and the golden, and its own main compares. A kernel is right if its main
reports so for every output. --python has numpy and ml_dtypes.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import sys

import suites
from suites import ROOT, Suite, options


@dataclasses.dataclass
class Kernel:
    folder: str
    arch: str
    core: str
    constants: dict  # `constexpr ... NAME = value;` in main.cpp and the kernel
    arguments: dict  # text of gen_data.py -> other text
    outputs: int = 1
    # Scripts that make sources, inputs and goldens, with their arguments.
    scripts: tuple = (("gen_data.py",),)
    place: str = "bin"  # where it is built and runs
    sources: tuple = ("*.cpp",)
    flags: tuple = ()


def attention(folder, arch, preload, sizes, **more):
    """Its own scripts take the size: head, rows of Q, rows of K and V, rows of Q per block."""
    return Kernel(folder, arch, "mix", {}, {}, place="build", scripts=(
        ("generate_cases.py", "--qk-preload", preload, "--causal-mask", "0", "--cases", sizes),
        ("gen_data.py", "--causal-mask", "0", "--cases", sizes)), **more)


KERNELS = {
    "gemm_performance": Kernel(
        "a2a3/gemm_performance", "a2a3", "aic",
        {"m": 512, "k": 512, "n": 512, "singleCoreM": 256, "singleCoreK": 512, "singleCoreN": 256, "blockDim": 4},
        {"6144, 6144, 6144": "512, 512, 512"}),
    "conv2d_forward": Kernel(
        "a2a3/conv2d_forward", "a2a3", "aic",
        {"m": 1536, "n": 512, "k": 1152, "singleCoreN": 256, "singleCoreK": 1152, "blockDim": 2, "batch": 1, "cin": 8,
         "fmapN": 1, "fmapC1": 8, "filterDim3": 72, "filterDim2": 32},
        {"(4, 32, 16, 96, 16)": "(1, 8, 16, 96, 16)", "(32, 3, 3, 6144, 16)": "(8, 3, 3, 512, 16)"}),
    "topk": Kernel("a2a3/topk", "a2a3", "aiv", {"gShape3": 192, "gWholeShape3": 192}, {"4800": "192"}, outputs=2),
    "matmul_mxfp8_performance": Kernel(
        "a5/matmul_mxfp8_performance", "a5", "aic",
        {"m": 512, "k": 4096, "n": 512, "singleCoreM": 256, "singleCoreK": 4096, "singleCoreN": 256, "blockDim": 4},
        {"6144, 6144, 6144": "512, 4096, 512"}),
    "flash_atten": attention("a2a3/flash_atten", "a2a3", "4", "128,512,1024,128"),
    # All FIFOs through memory (the kernel's FIFO_MODE 0). In UB and L1 it sets a flag that is set (E07).
    "flash_atten_a5": attention("a5/flash_atten", "a5", "2", "128,256,512,128",
                                sources=("main.cpp", "fa_performance_kernel.cpp"), flags=("-DFIFO_MODE=0",)),
}


def set_constants(place, constants):
    """Gives other values to `constexpr ... NAME = value;` of the sources in a folder."""
    for source in place.glob("*.cpp"):
        text = source.read_text()
        for name, value in constants.items():
            text = re.sub(rf"(constexpr \w+ {name} = )\d+;", rf"\g<1>{value};", text)
        source.write_text(text)


def build_words(given, sources, made, kernel, *more):
    return [given.ptosim, "build", *sources, "-o", made, "--arch", kernel.arch, "--core", kernel.core, "-I",
            given.checkout / "tests" / "common", *more, "-include", "stdint.h", "-include", "stddef.h", "-O2", "-w"]


def copy(given, kernel, place):
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree((given.checkout / "kernels" / "manual" / kernel.folder).resolve(), place)


def resize(kernel, place):
    set_constants(place, kernel.constants)
    script = place / "scripts" / "gen_data.py"
    text = script.read_text()
    for before, after in kernel.arguments.items():
        if before not in text:
            sys.exit(f"error: {script} does not say '{before}' any more")
        text = text.replace(before, after)
    script.write_text(text)


def run(words, place, log, environment=None):
    status, output = suites.run(words, place, None, {**os.environ, **(environment or {})})
    pathlib.Path(log).write_text(output)
    return status


def build(kernel, name, given):
    """The program, next to its inputs and goldens, or the failure."""
    place = given.work / name
    copy(given, kernel, place)
    resize(kernel, place)
    (place / kernel.place).mkdir()
    for script, *arguments in kernel.scripts:
        if run([given.python, f"scripts/{script}", *arguments], place, place / "data.log") != 0:
            return None, f"{script} failed: {place}/data.log"
    program = place / kernel.place / name
    sources = [source for pattern in kernel.sources for source in place.glob(pattern)]
    if run([*build_words(given, sources, program, kernel, "-I", program.parent), *kernel.flags], place, place / "build.log") != 0:
        return None, f"does not build: {place}/build.log"
    return program, None


class Kernels(Suite):
    repository = "hw-native-sys/pto-isa"
    options = options("ptosim python", only={"help": "names, separated by commas"}, work=ROOT / "build" / "manual-kernels")
    columns = ("kernel", "state", "reason")
    good = ("right",)

    def items(self):
        return list(KERNELS)

    def run(self, item):
        kernel, log = KERNELS[item], self.given.work / item / "run.log"
        program, problem = build(kernel, item, self.given)
        if not problem:
            run([program], program.parent, log, {"PTOSIM_NUMERICS": kernel.arch})
            right = len(re.findall(r"^test.* success", log.read_text(errors="replace"), re.M))
            problem = None if right == kernel.outputs else f"not right: {log}"
        return {"kernel": item, "state": "WRONG" if problem else "right", "reason": problem or ""}
