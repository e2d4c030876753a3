#!/usr/bin/python3
"""Runs kernels as .pto and as the C++ that ptoas makes of them, and compares all outputs.

    scripts/conformance.py emitc CHECKOUT... --ptoas BIN [--ptosim BIN] [--only TEXT] [--limit N]
                                             [--json FILE] [--record SUITE]

CHECKOUT is a checkout of PTOAS, of which test/samples and test/basic are read, or any folder with
.pto files, such as tests/kernels (but for files with parameters of `ptosim sweep`). For each file
with one kernel that can be launched:

  * `ptoas FILE -o FILE.cpp`, with --pto-level=level3 where tiles have addresses, --pto-arch as the
    file or its RUN line says, and --enable-insert-sync where it has no flags;
  * `ptosim build FILE.cpp -o FILE.so`;
  * `ptosim run` of the .pto (a scoreboard orders its pipes if it has no flags) and of the .so, one
    block each, with the same arguments, made as in scripts/conformance/models.py.

    same       all outputs of both are the same, bit for bit
    race       they are not, and `ptosim check` finds in the C++ two accesses that nothing orders:
               ptoas has left a flag out
    differ     they are not, for another reason
    alike      neither comes to its end, both for one reason (the code of the diagnostic)
    emit, build, pto, c++   this step of the four refuses, which ends it
    nothing    the kernel stores nothing

The ptoas is that of the checkout, built with LLVM 19 of the distribution:

    apt-get install libmlir-19-dev mlir-19-tools llvm-19-dev libzstd-dev libedit-dev libcurl4-openssl-dev
    cmake -G Ninja -S PTOAS -B BUILD -DMLIR_DIR=/usr/lib/llvm-19/lib/cmake/mlir \\
          -DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm -DPTO_ENABLE_PYTHON_BINDING=OFF
    ninja -C BUILD ptoas                                             # BUILD/tools/ptoas/ptoas
"""

import collections
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from models import CHIPS, Pool, Text, arguments, first_line, tries
from suites import cell, parser_of, program, put

TIME_LIMIT = 300  # seconds of one step
FOLDERS = ["test/samples", "test/basic"]
ATTEMPTS = [1, 0, 2, 8, 16, 32, 64, 128]
ARCHS = {"a5": "a5", "a3": "a2a3"}
IMPLICIT = {"%__pypto_spmd_block_idx": 0, "%__pypto_spmd_block_num": 1,
            "%__pypto_spmd_subblock_idx": 0}  # the last parameters; values with one block
CORES = {"AIC": "aic", "AIV": "aiv", "AIC+AIV": "mix"}


def call(command):
    """Exit code and output; 124 after TIME_LIMIT."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True,
                              text=True, errors="replace", timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {TIME_LIMIT} s"
    return done.returncode, done.stdout, done.stderr


def error_line(said):
    errors = [line for line in said.splitlines() if "error:" in line]
    line = errors[0] if errors else first_line(said)
    return re.sub(r"^.*?error: ", "", line)[:300]


def emit(ptoas, path, text, arch, unordered, target):
    command = [ptoas, path, f"--pto-arch={arch}", "-o", target]
    if re.search(r"alloc_tile\s+addr|alloc_multi_tile\s+addr", text):
        command.append("--pto-level=level3")
    if unordered:
        command.append("--enable-insert-sync")
    code, _, said = call(command)
    return "" if code == 0 and target.exists() else error_line(said)


def run(ptosim, path, chip, words, entry=None):
    command = [ptosim, "run", path, "--chip", chip, "--blocks", "1", "--threads", "1", "--json", "-"]
    if entry:
        command += ["--entry", entry]
    for word in words:
        command += ["--arg", word]
    code, out, said = call(command)
    if code != 0:
        return None, first_line(said)
    return [output["sha256"] for output in json.loads(out)["outputs"]], ""


def races(ptosim, path, chip, words):
    """The first race that the checkers find, or nothing."""
    command = [ptosim, "check", path, "--chip", chip, "--blocks", "1", "--threads", "1",
               "--check", "race"]
    for word in words:
        command += ["--arg", word]
    code, _, said = call(command)
    return error_line(said) if code == 1 else ""


def of_library(text, read, parameters, words):
    """The C++ function takes an index as int32_t, and also the parameters that a launch of the .pto
    fills in by itself."""
    result = []
    for parameter, word in zip(parameters, words):
        if re.search(rf"%{re.escape(parameter['name'])}: index\b", text):
            word = word.replace("i64=", "i32=")
        result.append(re.sub(r"^i1=.*", "u8=1", word))
    return result + [f"i32={IMPLICIT[name]}" for name in read.names if name in IMPLICIT]


def code_of(message):
    found = re.findall(r"\[([A-Z]\d\d)\]", message)
    return found[-1] if found else message


def judge(path, ptoas, ptosim, pool, folder):
    text = path.read_text(errors="replace")
    asked = re.search(r"RUN: ptoas .*--pto-arch[ =](a\d)", text)
    chip = ["--chip", CHIPS[asked[1]]] if asked else []
    code, out, said = call([ptosim, "run", "--dry-run", path, "--json", "-", *chip])
    if code != 0:
        return "pto", first_line(said)
    found = json.loads(out)
    kernels = [kernel for kernel in found["kernels"] if kernel["launchable"]]
    if len(kernels) != 1:
        return "pto", f"{len(kernels)} kernels that can be launched"
    parameters = kernels[0]["parameters"]
    arch = "a5" if found["chip"] == CHIPS["a5"] else "a3"
    source, library = folder / (path.stem + ".cpp"), folder / (path.stem + ".so")
    message = emit(ptoas, path, text, arch, kernels[0]["sync"] == "auto", source)
    if message:
        return "emit", message
    code, _, said = call([ptosim, "build", source, "-o", library, "--arch", ARCHS[arch],
                          "--core", CORES[kernels[0]["cores"]], "--jobs", "1", "-O0",
                          "--work", folder / "work"])
    if code != 0:
        return "build", error_line(said)
    read = Text(text)
    decided = any(p["kind"] == "scalar" or p["dtype"] in ("i32", "i64") for p in parameters)
    messages = []
    for group in tries(read, ATTEMPTS if decided else ATTEMPTS[:1]):
        for some, value, table in group:
            words, outputs = arguments(read, parameters, value, pool, some, table)
            if not outputs:
                return "nothing", ""
            left, why_left = run(ptosim, path, found["chip"], words)
            right, why_right = run(ptosim, library, found["chip"],
                                   of_library(text, read, parameters, words))
            if left is not None and right is not None:
                if left == right:
                    return "same", ""
                found = races(ptosim, library, found["chip"],
                              of_library(text, read, parameters, words))
                return ("race", found) if found else ("differ", f"with {value}")
            if left is not None:
                return "c++", why_right
            messages.append((why_left, why_right))
        if not any("[G01]" in left for left, _ in messages):
            break
    if all(right and code_of(left) == code_of(right) for left, right in messages):
        return "alike", messages[0][0]
    return "pto", messages[0][0]


def markdown(results, names):
    counts = collections.Counter(result["state"] for result in results)
    lines = [f"{', '.join(names)}, {datetime.date.today()}: of {len(results)} files, " +
             ", ".join(f"{count} {state}" for state, count in counts.most_common()) + ".", "",
             "| file | state | why |", "|---|---|---|"]
    lines += [f"| {result['file']} | {result['state']} | {cell(result['why'])} |"
              for result in results if result["state"] != "same"]
    return "\n".join(lines) + "\n"


def files_of(checkout):
    """With the names under which they are listed."""
    folders = [checkout / name for name in FOLDERS if (checkout / name).is_dir()]
    root = checkout if folders else checkout.parent
    return [(path, str(path.relative_to(root))) for folder in folders or [checkout]
            for path in sorted(folder.rglob("*.pto")) if "${" not in path.read_text(errors="replace")]


def main():
    parser = parser_of(__doc__, "ptosim", "only", "json", "record", json={
        "help": "write the results as they come; what is in it is not run again"})
    parser.add_argument("checkouts", nargs="+")
    parser.add_argument("--ptoas", required=True, help="the assembler")
    parser.add_argument("--limit", type=int, default=1 << 30, help="at most so many files")
    options = parser.parse_args()
    ptosim, ptoas = program(options.ptosim), program(options.ptoas)
    saved = pathlib.Path(options.json) if options.json else None
    results = json.loads(saved.read_text()) if saved and saved.exists() else []
    done = {result["file"] for result in results}
    with tempfile.TemporaryDirectory(prefix="emitc-") as name:
        pool = Pool(name)
        for checkout in map(pathlib.Path, options.checkouts):
            for path, file in files_of(checkout.resolve()):
                if file in done or options.only and options.only not in str(path):
                    continue
                if len(results) >= options.limit:
                    break
                state, why = judge(path.resolve(), ptoas, ptosim, pool, pathlib.Path(name))
                results.append({"file": file, "state": state, "why": why})
                print(f"{state:8} {file} {why}", flush=True)
                if saved:
                    saved.write_text(json.dumps(results, indent=1) + "\n")
    print(collections.Counter(result["state"] for result in results))
    if options.record:
        put(markdown(results, [pathlib.Path(c).name for c in options.checkouts]),
            options.record, "emitc")
    sys.exit(1 if any(result["state"] == "differ" for result in results) else 0)


if __name__ == "__main__":
    main()
