#!/usr/bin/python3
"""Runs public kernels and test suites unchanged on ptosim, and compares the results.

    scripts/conformance.py SUITE CHECKOUT ...    (--help after a suite lists its options)
"""
import argparse
import importlib
import pathlib
import sys

SUITES = {
    "ptoas": "the samples of hw-native-sys/PTOAS v0.27",
    "dialect": "every tile-level .pto file of PTOAS, --dry-run",
    "models": "kernels of models in PTOAS v0.60",
    "emitc": "kernels as .pto and as the C++ that ptoas makes of them",
    "gym": "the A5 suites of PTO-ISA/PTO-Gym",
    "micro-ops": "PTO-Gym's cases below the level of tiles, on the toolkit",
    "pto-isa": "the NPU tests of hw-native-sys/pto-isa",
    "ascendc": "the examples of asc-devkit, by their READMEs, on the toolkit",
    "simt": "the examples of asc-devkit with threads, by their READMEs, on the toolkit",
    "api-times": "calls of Ascend C against the vendor's simulator of a 950PR",
    "tuning-studies": "the tuning studies of asc-devkit against their published times",
    "thread-times": "the examples of asc-devkit with threads against their published times",
    "thread-mutants": "the examples of asc-devkit with threads without one of their calls that synchronise, under all checkers",
    "catlass": "the examples of Catlass, by their READMEs, on the toolkit",
    "catlass-times": "products of Catlass against the times of its documents",
    "audit": "examples of asc-devkit and Catlass under all checkers, finding by finding",
    "mutants": "the same examples with one synchronisation, size or mode changed, under all checkers",
    "levels": "the NPU tests of hw-native-sys/pto-isa on both instruction levels, compared",
    "toolkit": "programs of pto-isa by their own scripts, on the toolkit",
    "comm": "the communication tests of pto-isa at 2, 4 and 8 ranks, on the toolkit",
    "python-kernels": "examples and tests of PTO-DSL and pto-kernels, on the toolkit",
    "matmul-guide": "PTO-DSL's matmul optimisation guide against its plots",
    "manual-kernels": "kernels of pto-isa/kernels/manual at small sizes",
    "whole-kernels": "kernels of pto-isa/kernels/manual at published sizes, beside our .pto",
    "pto-kernels": "the C++ kernels of huawei-csl/pto-kernels",
    "tilelang": "the device library of tilelang-ascend",
    "tilelang-examples": "examples of tilelang-ascend, compiled by its code generator, on the toolkit",
    "simpler": "the kernel sources of hw-native-sys/simpler, compiled",
    "simpler-programs": "the scene tests of hw-native-sys/simpler, run",
    "program-times": "the benchmark script of hw-native-sys/simpler against published times",
    "pypto-pro": "the system tests of PyPTO Pro (cann/pypto), on the toolkit",
    "hivm": "kernels in the HIVM dialect of AscendNPU-IR (Triton-Ascend)",
    "operators": "operators of ops-math, ops-nn, ops-transformer and vllm-ascend, from their folders",
    "operator-tests": "unit tests of these operators, in the frames of their repositories",
    "cann-pypto": "examples, system tests and models of PyPTO (cann/pypto), on the toolkit",
    "front-ends": "one program of each front end, by the command that its users type",
    "sample": "items of the suites above by a seed, compared with their tables",
    "upstream": "the newest commit of hw-native-sys/simpler: its platform compiled, or since when not",
    "upstream-traces": "tools of simpler and pypto on our recordings",
    "pypto": "examples, tests and models of hw-native-sys/pypto and pypto-lib, run",
    "wheel-programs": "programs of ours, built with the bindings of PyPI's wheel ptoas",
}
FOLDER = pathlib.Path(__file__).resolve().parent / "conformance"


def main():
    parser = argparse.ArgumentParser(
        usage="conformance.py SUITE CHECKOUT ...", description=__doc__.split("\n", maxsplit=1)[0], add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="suites:\n" + "\n".join(f"  {name:17} {text} ({name.replace('-', '_')}.py)" for name, text in SUITES.items()))
    parser.add_argument("suite", choices=SUITES, metavar="SUITE")
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        parser.print_help()
        return 0 if len(sys.argv) > 1 else 2
    name = parser.parse_args(sys.argv[1:2]).suite
    sys.path.insert(0, str(FOLDER))
    return importlib.import_module("suites").adapter(name.replace("-", "_"))().main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
