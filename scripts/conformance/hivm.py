#!/usr/bin/python3
"""Kernels in AscendNPU-IR's HIVM dialect (Triton-Ascend): three of ours, and the project's tests of synchronisation.

    conformance.py hivm CHECKOUT --pto-headers PTO_ISA/include --work DIR [--only TEXT] [--sample N [--seed S]]
                        [--library]

CHECKOUT is AscendNPU-IR, whose operation library is compiled where it is. Our kernels (tests/hivm) are compared with NumPy
under all checks. Kernels of its tests take their flags from the CHECK lines and random arguments: they pass if they end
without a finding of synchronisation; their buffers may be undefined, because the tests do not load them all. Kernels that
the translation does not cover are counted by reason. --library also compiles each source of the operation library alone. Rows of earlier runs stay. The result is tests/hivm.csv."""
import argparse
import csv
import os
import pathlib
import random
import re
import subprocess
import sys

import numpy as np

from suites import ROOT, commit_of, program, write_table

sys.path.insert(0, str(ROOT / "scripts" / "hivm"))

import translate  # noqa: E402
from mlir_text import MemRef  # noqa: E402

TABLE = ROOT / "tests" / "hivm.csv"
TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32}


def softmax(x):
    shifted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return shifted / shifted.sum(1, keepdims=True)


# Kernel: (shapes and types of inputs, the output's, blocks, its function, the largest relative error).
OURS = {
    "vector_add": (("8192xf32", "8192xf32"), "8192xf32", 2, lambda x, y: x + y, 0),
    "softmax": (("16x64xf32",), "16x64xf32", 1, softmax, 1e-6),
    "matmul": (("64x128xf16", "128x64xf16"), "64x64xf32", 1,
               lambda a, b: a.astype(np.float64) @ b.astype(np.float64), 1e-4),
}


def simulate(settings, function, arguments, *options):
    settings.work.mkdir(parents=True, exist_ok=True)
    source = settings.work / "kernel.cpp"
    source.write_text(function.text(settings.templates))
    command = [settings.ptosim, "check", source, "--core", "aic" if function.cube else "aiv",
               "-I", settings.templates / "include", *options]
    for argument in arguments:
        command += ["--arg", argument]
    environment = dict(os.environ, PTOSIM_PTO_HEADERS=str(settings.pto_headers))
    environment.setdefault("CXX", "clang++-19")
    return subprocess.run(["timeout", "-s", "KILL", "300", *command], cwd=settings.work, env=environment,
                          capture_output=True, text=True, errors="replace", check=False)


def array(text, generator):
    *shape, kind = text.split("x")
    return generator.standard_normal([int(one) for one in shape]).astype(TYPES[kind])


def first_error(done):
    lines = [line.split("error: ", 1)[1] for line in (done.stdout + done.stderr).splitlines() if "error: " in line]
    return re.sub(r"/\S*/", "", lines[0])[:150] if lines else f"ended with {done.returncode}"


def ours(settings, name):
    inputs, output, blocks, function, bound = OURS[name]
    (_, translated), = translate.functions(str(ROOT / "tests" / "hivm" / f"{name}.mlir"))
    generator = np.random.default_rng(3)
    settings.work.mkdir(parents=True, exist_ok=True)
    values = [array(text, generator) for text in inputs]
    for number, value in enumerate(values):
        np.save(settings.work / f"in{number}.npy", value)
    done = simulate(settings, translated, [f"in=in{number}.npy" for number in range(len(values))] +
                    [f"out={output}:out.npy"], "--blocks", str(blocks))
    if done.returncode:
        return "fails", first_error(done)
    expected = function(*values)
    error = np.max(np.abs(np.load(settings.work / "out.npy").reshape(expected.shape) - expected)) / np.abs(expected).max()
    return ("passes", "") if error <= bound else ("fails", f"relative error {error:.1e}")


def theirs(settings, function):
    arguments = []
    for value, kind in function.parameters:
        if isinstance(kind, MemRef):
            if kind.element not in TYPES or None in kind.shape:
                return "not run", f"no argument is made for {value}"
            arguments.append("rand=" + "x".join(map(str, kind.shape)) + f"x{kind.element}")
        else:
            arguments.append(f"{'i32' if kind in ('i1', 'index', 'i64') else kind}=1")
    done = simulate(settings, function, arguments, "--check", "sync,race")
    if done.returncode == 0:
        return "passes", ""
    return "finding" if done.returncode == 1 else "fails", first_error(done)


def library(settings):
    """Sources of the library for a2a3, each compiled alone: (name, outcome, reason)."""
    settings.work.mkdir(parents=True, exist_ok=True)
    for source in sorted((settings.templates / "lib").rglob("*.cpp")):
        part = str(source.relative_to(settings.templates / "lib"))
        if part.split("/")[0] in ("RegBase", "Host", "Shmem", "Debug") or settings.only not in part:
            continue
        core = "aic" if re.match("Cube|Fixpipe|DMA/Cbuf", part) else "aiv"
        (settings.work / "library.cpp").write_text(f'#include "{source}"\nextern "C" __global__ [aicore] void k() {{}}\n')
        done = subprocess.run(["timeout", "-s", "KILL", "300", settings.ptosim, "build", "library.cpp", "-o", "library.so",
                               "--core", core, "--cxx", os.environ.get("CXX", "clang++-19"), "--pto-headers",
                               settings.pto_headers, f"-I{settings.templates / 'include'}"], cwd=settings.work,
                              capture_output=True, text=True, errors="replace", check=False)
        yield f"library: {part}", *(("passes", "") if done.returncode == 0 else ("fails", first_error(done)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path, help="AscendNPU-IR")
    parser.add_argument("--commit", default="", help="its commit, if the folder has no .git")
    parser.add_argument("--pto-headers", type=pathlib.Path, required=True, help="pto-isa/include")
    parser.add_argument("--ptosim", default=str(ROOT / "build" / "ptosim"), help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for sources and results")
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument("--sample", type=int, help="so many kernels of the tests")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--library", action="store_true", help="compile the sources of the operation library")
    settings = parser.parse_args()
    settings.ptosim, settings.work = program(settings.ptosim), settings.work.resolve()
    settings.templates = settings.checkout.resolve() / "bishengir" / "lib" / "Template"
    settings.pto_headers = settings.pto_headers.resolve()
    if not settings.templates.is_dir():
        parser.error(f"{settings.checkout} has no bishengir/lib/Template: it is no checkout of AscendNPU-IR")
    rows = {row["kernel"]: row for row in csv.DictReader(TABLE.open())} if TABLE.exists() else {}
    commit = commit_of(settings.checkout, settings.commit)[:12]

    def record(name, outcome, reason):
        rows[name] = {"kernel": name, "commit": commit, "outcome": outcome, "reason": reason}
        print(f"{outcome:8} {name} {reason}", flush=True)
        write_table(TABLE, [rows[one] for one in sorted(rows)])

    for name in OURS:
        if settings.only in name:
            record(f"ours: {name}", *ours(settings, name))
    if settings.library:
        for row in library(settings):
            record(*row)
    tests, reasons = [], {}
    for path in sorted((settings.checkout / "bishengir" / "test" / "Dialect" / "HIVM").rglob("*.mlir")):
        if "hivm.hir.pointer_cast" not in path.read_text():
            continue
        for name, function in translate.functions(str(path.resolve()), with_checks=True):
            if isinstance(function, translate.Refused):
                reason = re.sub(r"line \d+: ", "", str(function)).split("(")[0].strip()
                reasons[reason] = reasons.get(reason, 0) + 1
            elif settings.only in f"{path.name}: {name}":
                tests.append((f"{path.name}: {name}", function))
    if settings.sample is not None:
        tests = random.Random(settings.seed).sample(tests, min(settings.sample, len(tests)))
    for name, function in tests:
        record(name, *theirs(settings, function))
    for reason, count in sorted(reasons.items(), key=lambda pair: -pair[1])[:10]:
        print(f"{count:5} not translated: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
