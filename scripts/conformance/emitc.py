"""Runs kernels as .pto and as the C++ that ptoas makes of them, and compares all outputs.

CHECKOUT is a checkout of PTOAS, of which test/samples and test/basic are read, or any folder with .pto files, such as
tests/kernels (but for files with parameters of `ptosim sweep`). For each file with one kernel that can be launched:

  * `ptoas FILE -o FILE.cpp`, with --pto-level=level3 where tiles have addresses, --pto-arch of the file or its RUN line, and
    --enable-insert-sync where it has no flags;
  * `ptosim build FILE.cpp -o FILE.so`;
  * `ptosim run` of the .pto (a scoreboard orders its pipes if it has no flags) and of the .so, one block each, with the same
    arguments, made as in scripts/conformance/models.py.

    same       all outputs of both are the same, bit for bit
    race       they are not, and `ptosim check` finds in the C++ two accesses that nothing orders: ptoas has left a flag out
    differ     they are not, for another reason
    alike      neither comes to its end, both for one reason (the code of the diagnostic)
    emit, build, pto, c++   this step of the four refuses, which ends it
    nothing    the kernel stores nothing

Files in the results of --json are not run again. The ptoas is that of the checkout, built with LLVM 19 of the distribution:

    apt-get install libmlir-19-dev mlir-19-tools llvm-19-dev libzstd-dev libedit-dev libcurl4-openssl-dev
    cmake -G Ninja -S PTOAS -B BUILD -DMLIR_DIR=/usr/lib/llvm-19/lib/cmake/mlir \\
          -DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm -DPTO_ENABLE_PYTHON_BINDING=OFF
    ninja -C BUILD ptoas                                             # BUILD/tools/ptoas/ptoas
"""

import json
import pathlib
import re
import subprocess
import tempfile

import suites
from models import CHIPS, Pool, Text, arguments, decided_by, first_line, tries
from suites import Suite, launch, options

TIME_LIMIT = 300  # seconds of one step
FOLDERS = ["test/samples", "test/basic"]
ATTEMPTS = [1, 0, 2, 8, 16, 32, 64, 128]
ARCHS = {"a5": "a5", "a3": "a2a3"}
IMPLICIT = {"%__pypto_spmd_block_idx": 0, "%__pypto_spmd_block_num": 1,
            "%__pypto_spmd_subblock_idx": 0}  # the last parameters; values with one block
CORES = {"AIC": "aic", "AIV": "aiv", "AIC+AIV": "mix"}


def call(command):
    """Exit code, output and errors; 124 after TIME_LIMIT."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT,
                              check=False)
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {TIME_LIMIT} s"
    return done.returncode, done.stdout, done.stderr


def error_line(said):
    line = next((line for line in said.splitlines() if "error:" in line), first_line(said))
    return re.sub(r"^.*?error: ", "", line)[:300]


def of_library(text, read, parameters, words):
    """The C++ function takes an index as int32_t, and also the parameters that a launch of the .pto fills in by itself."""
    result = []
    for parameter, word in zip(parameters, words):
        if re.search(rf"%{re.escape(parameter['name'])}: index\b", text):
            word = word.replace("i64=", "i32=")
        result.append(re.sub(r"^i1=.*", "u8=1", word))
    return result + [f"i32={IMPLICIT[name]}" for name in read.names if name in IMPLICIT]


def code_of(message):
    found = re.findall(r"\[([A-Z]\d\d)\]", message)
    return found[-1] if found else message


class Files(Suite):
    places = {"checkouts": {"nargs": "+", "type": suites.path, "help": "PTOAS, or folders with .pto files"}}
    options = options("ptosim only json record limit", ptoas={"type": suites.program, "required": True,
                                                                    "help": "the assembler"})
    columns = ("file", "state", "why")
    reason = "why"
    mark = "emitc"
    resumes = whole = True

    def prepare(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="emitc-")
        self.folder, self.pool = pathlib.Path(self.temporary.name), Pool(self.temporary.name)

    def items(self):
        """(path, name under which it is listed)"""
        for checkout in self.given.checkouts:
            folders = [checkout / name for name in FOLDERS if (checkout / name).is_dir()]
            root = checkout if folders else checkout.parent
            yield from ((path, str(path.relative_to(root))) for folder in folders or [checkout]
                        for path in sorted(folder.rglob("*.pto")) if "${" not in path.read_text(errors="replace"))

    def name_of(self, item):
        return item[1]

    def run(self, item):
        state, why = self.judge(item[0])
        return {"file": item[1], "state": state, "why": why}

    def emit(self, path, text, arch, unordered, target):
        """The error of the assembler, or nothing."""
        words = [self.given.ptoas, path, f"--pto-arch={arch}", "-o", target]
        if re.search(r"alloc_tile\s+addr|alloc_multi_tile\s+addr", text):
            words.append("--pto-level=level3")
        code, _, said = call(words + ["--enable-insert-sync"] * unordered)
        return "" if code == 0 and target.exists() else error_line(said)

    def launch(self, command, path, chip, words, *more):
        return call(launch(self.given.ptosim, command, path, "--chip", chip, "--blocks", "1", "--threads", "1", *more,
                           arguments=words))

    def outputs(self, path, chip, words):
        """Digests of all outputs, or the error."""
        code, out, said = self.launch("run", path, chip, words, "--json", "-")
        return ([output["sha256"] for output in json.loads(out)["outputs"]], "") if code == 0 else (None, first_line(said))

    def judge(self, path):
        text = path.read_text(errors="replace")
        asked = re.search(r"RUN: ptoas .*--pto-arch[ =](a\d)", text)
        code, out, said = call([self.given.ptosim, "run", "--dry-run", path, "--json", "-",
                                *(["--chip", CHIPS[asked[1]]] if asked else [])])
        if code != 0:
            return "pto", first_line(said)
        found = json.loads(out)
        kernels = [kernel for kernel in found["kernels"] if kernel["launchable"]]
        if len(kernels) != 1:
            return "pto", f"{len(kernels)} kernels that can be launched"
        chip, parameters = found["chip"], kernels[0]["parameters"]
        arch = "a5" if chip == CHIPS["a5"] else "a3"
        source, library = self.folder / (path.stem + ".cpp"), self.folder / (path.stem + ".so")
        message = self.emit(path, text, arch, kernels[0]["sync"] == "auto", source)
        if message:
            return "emit", message
        code, _, said = call([self.given.ptosim, "build", source, "-o", library, "--arch", ARCHS[arch], "--core",
                              CORES[kernels[0]["cores"]], "--jobs", "1", "-O0", "--work", self.folder / "work"])
        if code != 0:
            return "build", error_line(said)
        read, messages = Text(text), []
        for group in tries(read, ATTEMPTS if decided_by(parameters) else ATTEMPTS[:1]):
            for some, value, table in group:
                words, outputs = arguments(read, parameters, value, self.pool, some, table)
                if not outputs:
                    return "nothing", ""
                others = of_library(text, read, parameters, words)
                left, why_left = self.outputs(path, chip, words)
                right, why_right = self.outputs(library, chip, others)
                if left is not None and right is not None:
                    if left == right:
                        return "same", ""
                    code, _, said = self.launch("check", library, chip, others, "--check", "race")
                    return ("race", error_line(said)) if code == 1 else ("differ", f"with {value}")
                if left is not None:
                    return "c++", why_right
                messages.append((why_left, why_right))
            if not any("[G01]" in left for left, _ in messages):
                break
        if all(right and code_of(left) == code_of(right) for left, right in messages):
            return "alike", messages[0][0]
        return "pto", messages[0][0]

    def page(self):
        return suites.markdown(self.columns, [self.row_of(result) for result in self.reported() if result["state"] != "same"])

    def fails(self, result):
        return result["state"] == "differ"
