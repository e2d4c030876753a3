#!/usr/bin/python3
"""Builds and runs kernels of pto-isa's kernels/manual at a size that takes about a minute.

    manual_kernels.py CHECKOUT [--only NAME,...] [--ptosim BIN] [--work DIR]

The sources are used unchanged but for the constants of the problem's size: each
folder is copied, its sizes are replaced (KERNELS below), its own gen_data.py makes inputs and the
golden, and its own main compares. A kernel is right if its main reports so for every output.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


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


KERNELS = {
    "gemm_performance": Kernel(
        "a2a3/gemm_performance", "a2a3", "aic",
        {"m": 512, "k": 512, "n": 512, "singleCoreM": 256, "singleCoreK": 512, "singleCoreN": 256,
         "blockDim": 4},
        {"6144, 6144, 6144": "512, 512, 512"}),
    "conv2d_forward": Kernel(
        "a2a3/conv2d_forward", "a2a3", "aic",
        {"m": 1536, "n": 512, "k": 1152, "singleCoreN": 256,
         "singleCoreK": 1152, "blockDim": 2, "batch": 1, "cin": 8, "fmapN": 1, "fmapC1": 8,
         "filterDim3": 72, "filterDim2": 32},
        {"(4, 32, 16, 96, 16)": "(1, 8, 16, 96, 16)", "(32, 3, 3, 6144, 16)": "(8, 3, 3, 512, 16)"}),
    "topk": Kernel("a2a3/topk", "a2a3", "aiv", {"gShape3": 192, "gWholeShape3": 192},
                   {"4800": "192"}, outputs=2),
    "matmul_mxfp8_performance": Kernel(
        "a5/matmul_mxfp8_performance", "a5", "aic",
        {"m": 512, "k": 4096, "n": 512, "singleCoreM": 256, "singleCoreK": 4096,
         "singleCoreN": 256, "blockDim": 4},
        {"6144, 6144, 6144": "512, 4096, 512"}),
    # Its own scripts take the size: head, rows of Q, rows of K and V, rows of Q per block.
    "flash_atten": Kernel(
        "a2a3/flash_atten", "a2a3", "mix", {}, {},
        scripts=(("generate_cases.py", "--qk-preload", "4", "--causal-mask", "0", "--cases",
                  "128,512,1024,128"),
                 ("gen_data.py", "--causal-mask", "0", "--cases", "128,512,1024,128")),
        place="build"),
    # All FIFOs through memory (the kernel's FIFO_MODE 0). In UB and L1 it sets a flag that is set (E07).
    "flash_atten_a5": Kernel(
        "a5/flash_atten", "a5", "mix", {}, {},
        scripts=(("generate_cases.py", "--qk-preload", "2", "--causal-mask", "0", "--cases",
                  "128,256,512,128"),
                 ("gen_data.py", "--causal-mask", "0", "--cases", "128,256,512,128")),
        place="build", sources=("main.cpp", "fa_performance_kernel.cpp"), flags=("-DFIFO_MODE=0",)),
}


def with_constants(text, constants):
    """A source whose `constexpr ... NAME = value;` have other values."""
    for name, value in constants.items():
        text = re.sub(rf"(constexpr \w+ {name} = )\d+;", rf"\g<1>{value};", text)
    return text


def resize(kernel, place):
    for source in place.glob("*.cpp"):
        source.write_text(with_constants(source.read_text(), kernel.constants))
    script = place / "scripts" / "gen_data.py"
    text = script.read_text()
    for before, after in kernel.arguments.items():
        if before not in text:
            sys.exit(f"error: {script} does not say '{before}' any more")
        text = text.replace(before, after)
    script.write_text(text)


def run(words, place, log, environment=None):
    with open(log, "w") as output:
        return subprocess.run(list(map(str, words)), cwd=place, stdout=output,
                              stderr=subprocess.STDOUT,
                              env={**os.environ, **(environment or {})}).returncode


def build(kernel, name, options):
    """The program, next to its inputs and goldens, or the failure."""
    place = options.work / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree((options.checkout / "kernels" / "manual" / kernel.folder).resolve(), place)
    resize(kernel, place)
    (place / kernel.place).mkdir()
    for script, *arguments in kernel.scripts:
        if run([options.python, f"scripts/{script}", *arguments], place, place / "data.log") != 0:
            return None, f"{script} failed: {place}/data.log"
    program = place / kernel.place / name
    sources = [source for pattern in kernel.sources for source in place.glob(pattern)]
    words = [options.ptosim, "build", *sources, "-o", program, "--arch", kernel.arch,
             "--core", kernel.core, "-I", options.checkout / "tests" / "common", "-I",
             program.parent, "-include",
             "stdint.h", "-include", "stddef.h", "-O2", "-w", *kernel.flags]
    if run(words, place, place / "build.log") != 0:
        return None, f"does not build: {place}/build.log"
    return program, None


def check(kernel, name, options):
    program, problem = build(kernel, name, options)
    if problem:
        return problem
    place = options.work / name
    run([program], program.parent, place / "run.log", {"PTOSIM_NUMERICS": kernel.arch})
    right = len(re.findall(r"^test.* success", (place / "run.log").read_text(errors="replace"),
                           re.M))
    return None if right == kernel.outputs else f"not right: {place}/run.log"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "manual-kernels")
    parser.add_argument("--python", default=sys.executable,
                        help="one that has numpy and ml_dtypes (default: this one)")
    options = parser.parse_args()
    options.checkout, options.ptosim = options.checkout.resolve(), options.ptosim.resolve()
    options.work = options.work.resolve()
    wrong = 0
    for name, kernel in KERNELS.items():
        if options.only and name not in options.only.split(","):
            continue
        begin = time.monotonic()
        problem = check(kernel, name, options)
        wrong += problem is not None
        print(f"{'right' if problem is None else 'WRONG':6} {name:26} "
              f"{time.monotonic() - begin:6.1f} s  {problem or ''}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
