#!/usr/bin/env python3
"""Every header alone, and all together for each architecture and core, by each compiler."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
FLAGS = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", "c++"]


def compile_text(compiler, text, defines):
    command = [compiler, *FLAGS, f"-I{INCLUDE}", *(f"-D{d}" for d in defines), "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True)


def main():
    compilers = [c for c in ("g++", "clang++") if shutil.which(c)]
    headers = sorted(p.relative_to(INCLUDE) for p in (INCLUDE / "pto").rglob("*.h*"))
    failures = 0

    def expect(compiler, text, defines, error=None):
        nonlocal failures
        result = compile_text(compiler, text, defines)
        wrong = result.returncode != 0 if error is None else error not in result.stderr
        if wrong:
            failures += 1
            print(f"{compiler} {defines}: {text}\n{result.stderr[:2000]}", file=sys.stderr)

    for compiler in compilers:
        for arch in (2201, 3510):
            for core in ("__DAV_CUBE__", "__DAV_VEC__"):
                expect(compiler, "#include <pto/pto-inst.hpp>\n", [f"__NPU_ARCH__={arch}", core])
        # Words that kernels define as macros.
        words = "A B C D E F K L M N P R S T ROWS COLS PAD TILE INNER OUTER FRACTAL MODE LAYOUT"
        macros = [f"{w}=1" for w in (words + " TYPE MASK COUNT DIM SPLIT SCALE PHASE NAME").split()]
        expect(compiler, "#include <pto/pto-inst.hpp>\n", ["__NPU_ARCH__=3510", *macros])
    for header in headers:
        other = f"npu/{'a5' if 'a2a3' in header.parts else 'a2a3'}"
        arch = 3510 if "a5" in header.parts else 2201
        assert other not in str(header)
        expect(compilers[0], f"#include <{header}>\n", [f"__NPU_ARCH__={arch}", "__DAV_VEC__"])

    kernel = "#include <pto/pto-inst.hpp>\nusing namespace pto;\nvoid k() {{ {} }}\n"
    tile = "Tile<TileType::Vec, float, 8, 16> t; "
    for text, error in (
        ("mad_mx(1, 2);", "mad_mx"),
        ("vadd(1, 2);", "Address"),
        (tile + "TASSIGN<0x30000>(t);", "beyond the end of its memory"),
        (tile + "TASSIGN<0x11>(t);", "not a multiple of 32"),
        (tile + "TileAcc<float, 16, 16> c; TADD(t, t, c);", "tiles of UB"),
        (tile + "TMATMUL(t, t, t);", "TileAcc"),
        ("Tile<TileType::Vec, float, 8, 7> t;", "multiple of 32 bytes"),
        ("TPipe<15, DIR_V2C, 64, 2> p(nullptr, 0, 0);", "below 16"),
    ):
        for compiler in compilers:
            expect(compiler, kernel.format(text), ["__NPU_ARCH__=2201", "__DAV_VEC__"], error)
    for compiler in compilers:
        expect(compiler, "#include <pto/pto-inst.hpp>\n", ["__NPU_ARCH__=9999"],
               "no other architecture is supported")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
