"""Runs C++ kernels on ptosim and compares their results with numpy: common part of their suites (pto_kernels.py,
tilelang.py).

Every case is a kernel function with inputs of ours (numpy's default generator, seeded by the case's name) and the mathematics
of its name as expected result. A case is passed; found (the simulator reports an error of the kernel, such as a flag that is
set twice); refused (it cannot be run); wrong (it computes something else) or crashed.
"""
import json
import pathlib
import re
import tempfile
import zlib

import numpy as np

import suites
from suites import ROOT, Suite, flag, many, one, options

F16, F32, I32 = np.float16, np.float32, np.int32
ORDERING = {"E01", "E02", "E03", "E04", "E07"}


class Case:
    """Launch of a kernel, and its results: `expected` by the number of its parameter. A number is an i32."""

    def __init__(self, core, blocks, arguments, expected, tolerance=None, defines=()):
        self.core, self.blocks, self.arguments = core, blocks, arguments
        self.expected, self.tolerance, self.defines = expected, tolerance, defines


def whole(rng, shape, dtype, least=-3, most=4):
    return rng.integers(least, most, shape).astype(dtype)


def bf16(values):
    """The bits of whole numbers that bfloat16 holds."""
    return (values.astype(F32).view(np.uint32) >> 16).astype(np.uint16)


def silu(x):
    return x / (1 + np.exp(-x))


def words_of(case, folder):
    """The words of a launch, with its arrays as files."""
    words = []
    for i, argument in enumerate(case.arguments):
        if argument is None:
            words += ["--arg", "null"]
        elif isinstance(argument, (tuple, int)):
            words += ["--arg", "{}={}".format(*(argument if isinstance(argument, tuple) else ("i32", argument)))]
        else:
            np.save(folder / f"{i}.npy", argument)
            words += ["--arg", f"{'inout' if i in case.expected else 'in'}={folder}/{i}.npy"]
    for i, golden in case.expected.items():
        np.save(folder / f"golden{i}.npy", golden)
        tolerance = "" if case.tolerance is None else ":{},{}".format(*case.tolerance)
        words += ["--golden", f"{i}={folder}/golden{i}.npy{tolerance}"]
    return words + [word for define in case.defines for word in ("--define", define)]


class Kernels(Suite):
    """A suite of `cases`, (source, kernel, label, chip, function from a generator to the Case), whose headers are in the
    folders `includes` of the checkout."""
    options = options("ptosim commit json record", only=one("", "cases whose source or kernel contains this"),
                      set=many("PATH=VALUE", "another value of a chip parameter (flags.sets=15)"))
    options["check"] = flag("with every checker")
    columns = ("source", "kernel", "case", "compared", "result")
    reason = "error"
    good = ("passed", "found", "refused")
    mark = "cases"
    cases = includes = ()

    def items(self):
        return self.cases

    def name_of(self, item):
        source, entry, label, *_ = item
        return f"{source} {entry} {label}".strip().replace(f"{ROOT}/", "")

    def run(self, item):
        """The state, the first error, and the codes of the findings. A wrong case is run once more under the checkers: a
        race or a flag set twice would explain it."""
        source, entry, label, _, make = item
        case = make(np.random.default_rng(zlib.crc32(self.name_of(item).encode())))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            words = words_of(case, folder)
            state, error, codes = self.run_once(item, case, words, self.given.check, folder)
            if state == "wrong" and not self.given.check:
                codes = self.run_once(item, case, words, True, folder)[2]
        if state == "wrong" and codes & ORDERING:
            state = "found"
        return {"source": source.replace(f"{ROOT}/", ""), "kernel": entry, "case": label, "state": state,
                "error": re.sub(r"/tmp\S*/", "", error), "exact": case.tolerance is None, "codes": sorted(codes - {"R01"}),
                "tolerance": case.tolerance and "{:.2g} relative, {:.2g} absolute".format(*case.tolerance)}

    def run_once(self, item, case, words, check, folder):
        source, entry, _, chip, _ = item
        report = folder / "findings.json"
        status, text = suites.run(
            [self.given.ptosim, *(["check"] if check else ["run"]), self.given.checkout / source, "--entry", entry, "--chip",
             chip, "--core", case.core, "--blocks", case.blocks, *(["--format", "json", "--report", report] if check else []),
             *(word for include in self.includes for word in ("-I", self.given.checkout / include)),
             *(word for override in self.given.set for word in ("--set", override)), *words], None, None)
        if check and report.exists():
            text += "".join(f"error: {of['message']} [{of['code']}]\n" for of in json.loads(report.read_text()))
        errors = [line for line in text.splitlines() if "error: " in line]
        codes = {code[1] for code in (re.search(r"\[([A-Z]\d\d)\]$", line) for line in errors) if code}
        if status == 0:
            return "passed", "", codes
        if not errors:
            return "crashed", f"exit code {status}", codes
        wrong = [line for line in errors if "[R01]" in line]
        state = "wrong" if wrong else "found" if status == 1 else "refused"
        return state, (wrong or errors)[0].replace(f"{self.given.checkout}/", ""), codes

    def told(self, name, result):
        return f"{super().told(name, result)} {' '.join(result['codes'])}".rstrip()

    def row_of(self, result):
        text = result["state"] if result["state"] == "passed" else f"{result['state']}: {result['error']}"
        if result["codes"]:
            text += "; the checkers say " + " ".join(result["codes"])
        return (result["source"], result["kernel"], result["case"], "bit for bit" if result["exact"] else result["tolerance"],
                text)
