"""Runs C++ kernels on ptosim and compares their results with numpy: common part of their suites
(pto_kernels.py, tilelang.py).

Every case is a kernel function with inputs of ours (numpy's default generator, seeded by the case's
name) and the mathematics of its name as expected result. A case is passed; found (the simulator reports
an error of the kernel, such as a flag that is set twice); refused (it cannot be run); wrong (it
computes something else) or crashed.
"""
import collections
import json
import pathlib
import re
import subprocess
import tempfile
import zlib

import numpy as np

from suites import ROOT, commit_of, parser_of, program, put

F16, F32, I32 = np.float16, np.float32, np.int32


class Case:
    """Launch of a kernel, and its results: `expected` by the number of its parameter."""

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


def run(options, source, entry, chip, made, folder):
    """The state, the first error, and the codes of the findings. A wrong case is run once more under the checkers: a
    race or a flag set twice would explain it."""
    state, error, codes = run_once(options, options.check, source, entry, chip, made, folder)
    if state == "wrong" and not options.check:
        _, _, codes = run_once(options, True, source, entry, chip, made, folder)
    if state == "wrong" and set(codes) & {"E01", "E02", "E03", "E04", "E07"}:
        state = "found"
    return state, error, sorted(set(codes) - {"R01"})


def run_once(options, check, source, entry, chip, made, folder):
    words = [options.ptosim, "check" if check else "run", str(options.checkout / source),
             "--entry", entry, "--chip", chip, "--core",
             made.core, "--blocks", str(made.blocks)]
    if check:
        words += ["--format", "json", "--report", str(folder / "findings.json")]
    for include in options.includes:
        words += ["-I", str(options.checkout / include)]
    for override in options.set:
        words += ["--set", override]
    for define in made.defines:
        words += ["--define", define]
    for i, argument in enumerate(made.arguments):
        if argument is None:
            words += ["--arg", "null"]
            continue
        if isinstance(argument, tuple):
            words += ["--arg", f"{argument[0]}={argument[1]}"]
            continue
        np.save(folder / f"{i}.npy", argument)
        words += ["--arg", f"{'inout' if i in made.expected else 'in'}={folder / str(i)}.npy"]
    for i, golden in made.expected.items():
        np.save(folder / f"golden{i}.npy", golden)
        tolerance = "" if made.tolerance is None else ":{},{}".format(*made.tolerance)
        words += ["--golden", f"{i}={folder}/golden{i}.npy{tolerance}"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    text = result.stderr + result.stdout
    if check and (folder / "findings.json").exists():
        text += to_lines(json.loads((folder / "findings.json").read_text()))
    errors = [line for line in text.splitlines() if "error: " in line]
    codes = sorted({code[1] for code in (re.search(r"\[([A-Z]\d\d)\]$", line) for line in errors)
                    if code})
    if result.returncode == 0:
        return "passed", "", codes
    if not errors:
        return "crashed", f"exit code {result.returncode}", codes
    wrong = [line for line in errors if "[R01]" in line]
    first = (wrong or errors)[0].replace(str(options.checkout) + "/", "")
    finding = not wrong and result.returncode == 1
    return ("found" if finding else "wrong" if wrong else "refused"), first, codes


def to_lines(findings):
    return "".join(f"error: {finding['message']} [{finding['code']}]\n" for finding in findings)


def markdown(rows, what):
    lines = [f"{what}: {summary(rows)}.", "",
             "| source | kernel | case | compared | result |", "|---|---|---|---|---|"]
    for row in rows:
        result = row["state"] if row["state"] == "passed" else f"{row['state']}: {row['error']}"
        if row["codes"]:
            result += "; the checkers say " + " ".join(row["codes"])
        lines.append(f"| {row['source']} | {row['kernel']} | {row['case']} | "
                     f"{'bit for bit' if row['exact'] else row['tolerance']} | {result} |")
    return "\n".join(lines) + "\n"


def summary(rows):
    counts = collections.Counter(row["state"] for row in rows)
    return ", ".join(f"{count} {state}" for state, count in counts.most_common())


def suite(cases, project, text, includes, mark="cases"):
    """The command line of a suite whose headers are in folders of the checkout."""
    parser = parser_of(text, "ptosim", "only", "commit", "json", "record",
                       only={"default": "", "help": "cases whose source or kernel contains this"})
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="with every checker")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE",
                        help="another value of a chip parameter (flags.sets=15)")
    options = parser.parse_args()
    options.ptosim = program(options.ptosim)
    options.checkout, options.includes = options.checkout.resolve(), includes
    rows = []
    for source, entry, label, chip, make in cases:
        name = f"{source} {entry} {label}".strip().replace(str(ROOT) + "/", "")
        if options.only not in name:
            continue
        made = make(np.random.default_rng(zlib.crc32(name.encode())))
        with tempfile.TemporaryDirectory() as folder:
            state, error, codes = run(options, source, entry, chip, made, pathlib.Path(folder))
        error = re.sub(r"/tmp\S*/", "", error)
        rows.append({"source": source.replace(str(ROOT) + "/", ""), "kernel": entry, "case": label,
                     "state": state, "error": error, "exact": made.tolerance is None,
                     "codes": codes,
                     "tolerance": made.tolerance and "{:.2g} relative, {:.2g} absolute".format(
                         *made.tolerance)})
        print(f"{state:8}{name}{': ' + error if error else ''} {' '.join(codes)}", flush=True)
    print(summary(rows))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    if options.record:
        commit = commit_of(options.checkout, options.commit)
        put(markdown(rows, f"{project} at `{commit}`"), options.record, mark)
    return any(row["state"] in ("wrong", "crashed") for row in rows)
