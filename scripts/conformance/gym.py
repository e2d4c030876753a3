"""Runs the A5 tile-operation suites of PTO-Gym on ptosim, with their own data and comparisons.

CHECKOUT is a copy of github.com/PTO-ISA/PTO-Gym; nothing in it is changed, and nothing of it belongs in this repository. For
each suite of examples/tileop its gen_data.py makes inputs and goldens, its host program (main.cpp and launch.cpp, with an
acl.h of ours, gym_acl.h, and `<<< >>>` as a call) allocates, reads and launches, ptosim runs each launch, and its compare.py
judges the output of the host program. Needs g++ and numpy; makes a virtual environment (--venv) with numpy and ml_dtypes if
they are missing.

A case is
    passed   every launch ran without a finding, and compare.py is content
    failed   compare.py is not, or ptosim found something wrong with the kernel, or crashed
    refused  ptosim cannot use the kernel (exit code 2): not supported, illegal, or no room
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import traceback

import suites
from suites import ROOT, Suite, flag, many, one, options, place

# Element types of `.pto` text as .npy types; what numpy lacks as unsigned integers.
NPY_TYPES = {
    "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i8": "|i1", "si8": "|i1", "ui8": "|u1", "u8": "|u1",
    "i16": "<i2", "si16": "<i2", "ui16": "<u2", "i32": "<i4", "si32": "<i4", "ui32": "<u4",
    "i64": "<i8", "si64": "<i8", "ui64": "<u8",}
SCALARS = {"f32": ("<f", b""), "f16": ("<e", b""), "bf16": ("<f", b"\0\0")}
ACL = ROOT / "scripts" / "conformance" / "gym_acl.h"
COUNTED = ("cases", "passed", "failed", "refused")


def reexecute_with_numpy(venv):
    """Starts again under a Python that has numpy and ml_dtypes, and with a fixed hash seed (the suites seed their generators
    from hash())."""
    try:
        import ml_dtypes  # noqa: F401
        import numpy  # noqa: F401
        python = sys.executable
    except ImportError:
        python = str(venv / "bin" / "python3")
        if os.environ.get("PTOSIM_GYM_VENV") == "1":
            sys.exit(f"error: {venv} has no numpy or ml_dtypes")
        if not os.path.exists(python):
            print("making a virtual environment in", venv, file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "numpy", "ml_dtypes"], check=True)
    if python != sys.executable or os.environ.get("PYTHONHASHSEED") != "0":
        os.environ.update(PYTHONHASHSEED="0", PTOSIM_GYM_VENV="1", PYTHONDONTWRITEBYTECODE="1")
        os.execv(python, [python, *sys.argv])


def run_python(folder, program, *arguments):
    """Output of one of the suite's programs, run in a forked copy of this process, which has numpy loaded; and whether it
    succeeded."""
    with tempfile.TemporaryFile() as output:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                os.chdir(folder)
                sys.path.insert(0, str(folder))
                sys.argv = [program, *arguments]
                import runpy
                runpy.run_path(program, run_name="__main__")
                code = 0
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code & 0xFF)
        status = os.waitpid(child, 0)[1]
        output.seek(0)
        return output.read().decode(errors="replace").strip(), status == 0


def npy_header(npy_type, count):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (npy_type, count)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def scalar_text(pto_type, data):
    if pto_type in SCALARS:
        form, before = SCALARS[pto_type]
        return repr(struct.unpack(form, before + data)[0])
    return str(int.from_bytes(data, "little", signed=not pto_type.startswith("u")))


def signatures(pto_file):
    """The types of the parameters of each function."""
    text = re.sub(r"//[^\n]*", "", pto_file.read_text())
    return {name: [kind.strip() for kind in re.findall(r":\s*(!pto\.ptr<[^>]*>|\w+)", parameters)]
            for name, parameters in re.findall(r"func\.func\s+@(\w+)\s*\((.*?)\)\s*(?:attributes|\{)", text, re.S)}


class Operation:
    """A suite of examples/tileop: the cases of one tile operation."""

    def __init__(self, source, work, given):
        self.source, self.given, self.folder, self.pto = source, given, work / source.name, source / (source.name + ".pto")
        self.findings, self.command = "", []

    def prepare(self):
        """Copies of the programs, data, and the host program. Returns the names of the cases."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in [self.source.parent / "st_common.py", *self.source.glob("*.py")]:
            (self.folder / file.name).write_bytes(file.read_bytes())
        (self.folder / "list_cases.py").write_text(
            "import json\nfrom cases import CASES\n"
            "print(json.dumps([[c['name'], c.get('eps')] for c in CASES], default=float))\n")
        for program in ("gen_data.py", "list_cases.py"):
            output, fine = run_python(self.folder, program)
            if not fine:
                raise RuntimeError(f"{program}: " + output.splitlines()[-1])
        self.build_host()
        self.parameters = signatures(self.pto)
        return json.loads(output.splitlines()[-1])

    def build_host(self):
        host, main = self.folder / "host", self.source / "main.cpp"
        text = re.sub(r"(\w+)\s*<<<\s*([^,]+?)\s*,[^>]*>>>", r'ptosim_launch<decltype(\1)>("\1", \2)',
                      (self.source / "launch.cpp").read_text())
        (self.folder / "acl").mkdir(exist_ok=True)
        (self.folder / "acl" / "acl.h").write_text(ACL.read_text())
        (self.folder / "launch_host.cpp").write_text('#include "acl/acl.h"\n' + text)
        if host.exists() and host.stat().st_mtime > max(file.stat().st_mtime for file in [main, ACL, pathlib.Path(__file__)]):
            return
        status, output = suites.run(["g++", "-std=c++17", "-O0", "-w", "-I", self.folder, "-I", self.source.parent.parent / "common",
                                     main, self.folder / "launch_host.cpp", "-o", host], None, None)
        if status:
            raise RuntimeError("the host program does not compile: " + output.splitlines()[0])

    def launch(self, line):
        """One launch: 'NAME BLOCKS p:file s:file ...'. Returns ptosim's exit code."""
        name, blocks, *files = line.split()
        types = self.parameters.get(name)
        if types is None:
            raise RuntimeError(f"the .pto file has no function {name}")
        if len(types) != len(files):
            raise RuntimeError(f"{name} has {len(types)} parameters, the launch {len(files)}")
        arguments, pointers = [], []
        for pto_type, file in zip(types, files):
            kind, path = file.split(":")
            path = self.folder / path
            data = path.read_bytes()
            if kind == "s":
                arguments.append(f"{pto_type}={scalar_text(pto_type, data)}")
                continue
            npy_type = NPY_TYPES.get(re.fullmatch(r"!pto\.ptr<\s*([\w]+)[^>]*>", pto_type).group(1), "|u1")
            before, after = path.with_suffix(".in.npy"), path.with_suffix(".out.npy")
            before.write_bytes(npy_header(npy_type, len(data) // int(npy_type[2:])) + data)
            after.unlink(missing_ok=True)
            arguments.append(f"inout={before}:{after}")
            pointers.append((path, after, len(data)))
        self.command = suites.launch(str(self.given.ptosim), "run", str(self.pto), "--chip", self.given.chip, "--numerics",
                                     self.given.numerics, "--sync", "auto", "--entry", name, "--blocks", blocks,
                                     arguments=arguments)
        done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        self.findings = done.stderr + done.stdout
        if done.returncode in (0, 1):
            for path, after, size in pointers:
                if after.exists():
                    path.write_bytes(after.read_bytes()[-size:])
        return done.returncode

    def run_case(self, case):
        """Returns (outcome, reason)."""
        for file in (self.folder / case).glob("output*.bin"):
            file.unlink()
        host = subprocess.Popen([self.folder / "host", case], cwd=self.folder, text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        launches = 0
        for line in host.stdout:
            if not line.startswith("@launch "):
                continue
            launches += 1
            try:
                code = self.launch(line[len("@launch "):])
            except RuntimeError as error:
                code, self.findings = 2, "error: " + str(error)
            if code:
                host.stdin.close()
                host.kill()
                host.wait()
                return {1: "failed", 2: "refused"}.get(code, "crashed"), first_finding(self.findings)
            host.stdin.write("done\n")
            host.stdin.flush()
        if host.wait() or not launches:
            return "failed", "the host program does not know the case" if not launches else \
                f"the host program ended with {host.returncode}"
        output, fine = run_python(self.folder, "compare.py", case)
        if fine:
            return "passed", ""
        lines = [line for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if "rror" in line or "ERROR" in line]
        return "failed", (errors or lines or ["compare.py failed"])[0].strip()


def first_finding(text):
    """'message [code]' of the first diagnostic."""
    return suites.reason_of(text, r"\b(?:error|fatal|finding)\b[^:\n]*:\s*(.*)", longest=None, folders=r"(?!)")


class Operations(Suite):
    repository = "PTO-ISA/PTO-Gym"
    options = options("ptosim commit json record work", chip=one("ascend950pr"), only=many("SUITE[/CASE]"),
                      numerics=one("a5-templates", "numeric profile (default: %(default)s)"),
                      venv=place("virtual environment", default=pathlib.Path.home() / ".cache" / "ptosim" / "gym-venv"),
                      verbose=flag("one line for each case that fails"))
    columns = ("suite", *COUNTED, "reason")
    mark = "suites that do not pass whole"

    def prepare(self):
        reexecute_with_numpy(self.given.venv)
        self.temporary = None if self.given.work else tempfile.TemporaryDirectory()
        self.work = suites.path(self.given.work or self.temporary.name)
        self.wanted_cases = {}  # of each suite; none given means all
        for word in self.given.only:
            name, _, case = word.partition("/")
            self.wanted_cases.setdefault(name, []).append(case)

    def items(self):
        return [file.parent for file in sorted((self.given.checkout / "examples/tileop/src/testcase").glob("*/cases.py"))]

    def name_of(self, item):
        return item.name

    def wanted(self, name):
        return not self.wanted_cases or name in self.wanted_cases

    def run(self, item):
        operation = Operation(item, self.work, self.given)
        row = {"suite": item.name, **dict.fromkeys(COUNTED, 0), "reason": "", "results": []}
        try:
            cases = operation.prepare()
        except RuntimeError as error:
            return {**row, "reason": str(error), "failed": 1, "cases": 1}
        wanted = set(self.wanted_cases.get(item.name, [""]))
        for case, eps in cases:
            if not wanted & {case, ""}:
                continue
            outcome, reason = operation.run_case(case)
            row["cases"] += 1
            row[outcome if outcome in row else "failed"] += 1
            row["reason"] = row["reason"] or reason
            row["results"].append({"case": case, "eps": eps, "outcome": outcome, "reason": reason,
                                   "command": [] if outcome == "passed" else operation.command})
            if self.given.verbose and reason:
                print(f"  {item.name}/{case}: {outcome}: {reason}")
        return row

    def state_of(self, result):
        return "passed" if result["passed"] == result["cases"] else "failed"

    def told(self, name, row):
        return f"{name:20} " + " ".join(f"{row[key]:4} {key}" for key in COUNTED) + f"  {row['reason']}"

    def totals(self):
        return {key: sum(row[key] for row in self.reported()) for key in COUNTED}

    def summary(self):
        whole = sum(map("passed".__eq__, map(self.state_of, self.reported())))
        return (", ".join(f"{count} {key}" for key, count in self.totals().items())
                + f"; {whole} of {len(self.reported())} suites pass whole")

    def document(self):
        return {"commit": self.commit(), "chip": pathlib.Path(self.given.chip).stem, "numerics": self.given.numerics,
                **self.totals(), "suites": self.reported(),
                "suites_passed": sum(self.state_of(row) == "passed" for row in self.reported())}

    def page(self):
        """The suites that do not pass whole; all of them are in a table of tests/."""
        suites.write_table(ROOT / "tests" / "conformance_gym.csv", self.columns, map(self.row_of, self.reported()))
        return suites.markdown((*self.columns[:-1], "first reason"), [
            self.row_of(row) for row in self.reported() if self.state_of(row) != "passed"])
