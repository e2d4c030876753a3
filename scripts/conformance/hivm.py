"""Kernels in AscendNPU-IR's HIVM dialect (Triton-Ascend): three of ours, and the project's tests of synchronisation.

CHECKOUT is AscendNPU-IR, whose operation library is compiled where it is. Our kernels (tests/hivm) are compared with NumPy
under all checks. Kernels of its tests take their flags from the CHECK lines and random arguments: they pass if they end
without a finding of synchronisation; their buffers may be undefined, because the tests do not load them all. Kernels that
the translation does not cover are counted by reason. --library also compiles each source of the operation library alone.
Rows of earlier runs stay. The result is tests/hivm.csv.
"""
import collections
import os
import re
import sys

import numpy as np

import suites
from suites import ROOT, Suite, flag, options, place

sys.path.insert(0, str(ROOT / "scripts" / "hivm"))

import translate  # noqa: E402
from mlir_text import MemRef  # noqa: E402

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


def array(text, generator):
    *shape, kind = text.split("x")
    return generator.standard_normal([int(one) for one in shape]).astype(TYPES[kind])


def first_error(status, output):
    lines = [line.split("error: ", 1)[1] for line in output.splitlines() if "error: " in line]
    return re.sub(r"/\S*/", "", lines[0])[:150] if lines else f"ended with {status}"


class Kernels(Suite):
    repository = "AscendNPU-IR"
    options = options("ptosim commit only sample work!", seed=0, pto_headers=place("pto-isa/include", required=True),
                      library=flag("compile the sources of the operation library"))
    table = ROOT / "tests" / "hivm.csv"
    columns = ("kernel", "commit", "outcome", "reason")
    state = "outcome"
    good = None
    stays = sorts = True

    def prepare(self):
        self.templates = self.given.checkout / "bishengir" / "lib" / "Template"
        if not self.templates.is_dir():
            self.error(f"{self.given.checkout} has no bishengir/lib/Template: it is no checkout of AscendNPU-IR")

    def items(self):
        """(name, function, its arguments)"""
        yield from ((f"ours: {name}", self.ours, (name,)) for name in OURS)
        if self.given.library:
            for source in sorted((self.templates / "lib").rglob("*.cpp")):
                part = str(source.relative_to(self.templates / "lib"))
                if part.split("/")[0] not in ("RegBase", "Host", "Shmem", "Debug"):
                    yield f"library: {part}", self.library, (source, part)
        self.refused = collections.Counter()
        for path in sorted((self.given.checkout / "bishengir" / "test" / "Dialect" / "HIVM").rglob("*.mlir")):
            if "hivm.hir.pointer_cast" not in path.read_text():
                continue
            for name, function in translate.functions(str(path), with_checks=True):
                if isinstance(function, translate.Refused):
                    self.refused[re.sub(r"line \d+: ", "", str(function)).split("(")[0].strip()] += 1
                else:
                    yield f"{path.name}: {name}", self.theirs, (function,)

    def choose(self, items):
        """All kernels of ours and of the library, and a sample of the tests."""
        items = [item for item in items if self.wanted(item[0])]
        tests = [item for item in items if item[1] == self.theirs]
        if self.given.sample is not None:
            tests = suites.sample(tests, self.given.sample, self.given.seed)
        return [item for item in items if item[1] != self.theirs] + tests

    def run(self, item):
        name, how, words = item
        outcome, reason = how(*words)
        return dict(zip(self.columns, (name, self.commit()[:12], outcome, reason)))

    def simulate(self, function, arguments, *words):
        (self.given.work / "kernel.cpp").write_text(function.text(self.templates))
        return suites.run(suites.launch(self.given.ptosim, "check", "kernel.cpp", "--core", "aic" if function.cube else "aiv",
                                        "-I", self.templates / "include", *words, arguments=arguments), self.given.work, 300,
                          {"CXX": "clang++-19", **os.environ, "PTOSIM_PTO_HEADERS": str(self.given.pto_headers)}, merged=False)

    def ours(self, name):
        inputs, output, blocks, function, bound = OURS[name]
        (_, translated), = translate.functions(str(ROOT / "tests" / "hivm" / f"{name}.mlir"))
        generator = np.random.default_rng(3)
        values = [array(text, generator) for text in inputs]
        for number, value in enumerate(values):
            np.save(self.given.work / f"in{number}.npy", value)
        status, text = self.simulate(translated, [f"in=in{number}.npy" for number in range(len(values))]
                                     + [f"out={output}:out.npy"], "--blocks", blocks)
        if status:
            return "fails", first_error(status, text)
        expected = function(*values)
        made = np.load(self.given.work / "out.npy").reshape(expected.shape)
        error = np.max(np.abs(made - expected)) / np.abs(expected).max()
        return ("passes", "") if error <= bound else ("fails", f"relative error {error:.1e}")

    def theirs(self, function):
        arguments = []
        for value, kind in function.parameters:
            if isinstance(kind, MemRef):
                if kind.element not in TYPES or None in kind.shape:
                    return "not run", f"no argument is made for {value}"
                arguments.append("rand=" + "x".join(map(str, kind.shape)) + f"x{kind.element}")
            else:
                arguments.append(f"{'i32' if kind in ('i1', 'index', 'i64') else kind}=1")
        status, text = self.simulate(function, arguments, "--check", "sync,race")
        return ("passes", "") if status == 0 else ("finding" if status == 1 else "fails", first_error(status, text))

    def library(self, source, part):
        """Compiles a source of the library for a2a3 alone."""
        core = "aic" if re.match("Cube|Fixpipe|DMA/Cbuf", part) else "aiv"
        (self.given.work / "library.cpp").write_text(f'#include "{source}"\nextern "C" __global__ [aicore] void k() {{}}\n')
        status, text = suites.run(
            [self.given.ptosim, "build", "library.cpp", "-o", "library.so", "--core", core, "--cxx",
             os.environ.get("CXX", "clang++-19"), "--pto-headers", self.given.pto_headers, f"-I{self.templates / 'include'}"],
            self.given.work, 300, merged=False)
        return ("passes", "") if status == 0 else ("fails", first_error(status, text))

    def summary(self):
        return "\n".join([super().summary(), *(f"{count:5} not translated: {reason}"
                                              for reason, count in self.refused.most_common(10))])
