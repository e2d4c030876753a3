#!/usr/bin/env python3
"""Runs the A5 tile-operation suites of PTO-Gym on ptosim, with their own data and comparisons.

    scripts/conformance/gym.py CHECKOUT [--ptosim BIN] [--chip NAME|FILE] [--numerics PROFILE]
                               [--only SUITE[/CASE]] [--json FILE] [--record SUITE] [--work DIR]

CHECKOUT is a copy of github.com/PTO-ISA/PTO-Gym; nothing in it is changed, and nothing of it
belongs in this repository. For each suite of examples/tileop its gen_data.py makes inputs and
goldens, its host program (main.cpp and launch.cpp, with an acl.h of ours and `<<< >>>` as a call)
allocates, reads and launches, ptosim runs each launch, and its compare.py judges the output of the
host program.

Needs g++ and numpy; makes a virtual environment (--venv) with numpy and ml_dtypes if they are
missing.

A case is
    passed   every launch ran without a finding, and compare.py is content
    failed   compare.py is not, or ptosim found something wrong with the kernel, or crashed
    refused  ptosim cannot use the kernel (exit code 2): not supported, illegal, or no room
Exit code: 0 if every case passed, 1 if not, 2 if nothing could be run.
"""

import argparse
import csv
import datetime
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from suites import commit_of, put

ROOT = Path(__file__).resolve().parents[2]
SUITES = Path("examples/tileop/src/testcase")

# Functions of the Ascend runtime that the host programs use, on host memory. A launch writes the bytes after each
# pointer to a file, asks this script (standard output and input) to run the kernel, and reads the files back.
ACL_HEADER = r"""
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#define __global__
#define __gm__
#define AICORE

typedef int aclError;
typedef void *aclrtStream;
typedef unsigned short aclFloat16;
typedef unsigned short half;
typedef unsigned short bfloat16_t;
enum { ACL_SUCCESS = 0, ACL_ERROR_NONE = 0 };
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE
};

inline std::map<char *, size_t> &ptosim_blocks() {
    static std::map<char *, size_t> blocks;
    return blocks;
}
inline aclError aclInit(const char *) { return ACL_SUCCESS; }
inline aclError aclFinalize() { return ACL_SUCCESS; }
inline aclError aclrtSetDevice(int) { return ACL_SUCCESS; }
inline aclError aclrtResetDevice(int) { return ACL_SUCCESS; }
inline aclError aclrtCreateStream(aclrtStream *s) { *s = s; return ACL_SUCCESS; }
inline aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
inline aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
inline const char *aclGetRecentErrMsg() { return ""; }
// Device memory comes with a pattern, so that what a kernel does not write is seen.
inline aclError ptosim_malloc(void **p, size_t size, int fill) {
    *p = std::malloc(size ? size : 1);
    std::memset(*p, fill, size);
    return ACL_SUCCESS;
}
template <typename T> aclError aclrtMallocHost(T **p, size_t size) {
    return ptosim_malloc(reinterpret_cast<void **>(p), size, 0);
}
template <typename T> aclError aclrtFreeHost(T *p) { std::free(p); return ACL_SUCCESS; }
template <typename T> aclError aclrtMalloc(T **p, size_t size, aclrtMemMallocPolicy) {
    ptosim_malloc(reinterpret_cast<void **>(p), size, 0x5A);
    ptosim_blocks()[reinterpret_cast<char *>(*p)] = size;
    return ACL_SUCCESS;
}
template <typename T> aclError aclrtFree(T *p) {
    ptosim_blocks().erase(reinterpret_cast<char *>(p));
    std::free(p);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpy(void *to, size_t, const void *from, size_t size, aclrtMemcpyKind) {
    std::memcpy(to, from, size);
    return ACL_SUCCESS;
}
inline aclError aclrtMemset(void *p, size_t, int value, size_t count) {
    std::memset(p, value, count);
    return ACL_SUCCESS;
}

struct PtosimLaunch {
    std::string line;
    std::vector<std::pair<char *, std::pair<size_t, std::string>>> pointers;

    template <typename T> void add(T value) {
        const std::string file = "ptosim_arg" + std::to_string(count++) + ".bin";
        if constexpr (std::is_pointer_v<T>) {
            char *p = reinterpret_cast<char *>(const_cast<std::remove_const_t<
                std::remove_pointer_t<T>> *>(value));
            auto block = ptosim_blocks().upper_bound(p);
            if (block == ptosim_blocks().begin()) std::abort();
            --block;
            const size_t size = static_cast<size_t>(block->first + block->second - p);
            pointers.push_back({p, {size, file}});
            write(file, p, size);
            line += " p:" + file;
        } else {
            write(file, reinterpret_cast<const char *>(&value), sizeof(value));
            line += " s:" + file;
        }
    }
    static void write(const std::string &file, const char *data, size_t size) {
        std::FILE *out = std::fopen(file.c_str(), "wb");
        if (!out || std::fwrite(data, 1, size, out) != size) std::abort();
        std::fclose(out);
    }
    void finish() {
        std::cout << line << std::endl;
        std::string answer;
        if (!std::getline(std::cin, answer) || answer != "done") std::exit(9);
        for (auto &[p, rest] : pointers) {
            std::FILE *in = std::fopen(rest.second.c_str(), "rb");
            if (!in || std::fread(p, 1, rest.first, in) != rest.first) std::abort();
            std::fclose(in);
        }
    }
    int count = 0;
};
// The kernel's declaration decides the types of the arguments.
template <typename Kernel> struct PtosimKernel;
template <typename... Parameters> struct PtosimKernel<void(Parameters...)> {
    std::string line;
    void operator()(Parameters... arguments) const {
        PtosimLaunch launch;
        launch.line = line;
        (launch.add(arguments), ...);
        launch.finish();
    }
};
template <typename Kernel> PtosimKernel<Kernel> ptosim_launch(const char *name, long blocks) {
    return {std::string("@launch ") + name + " " + std::to_string(blocks)};
}
"""

# Element types of `.pto` text as .npy types; what numpy lacks as unsigned integers.
NPY_TYPES = {
    "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i8": "|i1", "si8": "|i1", "ui8": "|u1", "u8": "|u1",
    "i16": "<i2", "si16": "<i2", "ui16": "<u2", "i32": "<i4", "si32": "<i4", "ui32": "<u4",
    "i64": "<i8", "si64": "<i8", "ui64": "<u8",
}


def reexecute_with_numpy(venv):
    """Starts again under a Python that has numpy and ml_dtypes, and with a fixed hash seed (the
    suites seed their generators from hash())."""
    try:
        import ml_dtypes  # noqa: F401
        import numpy  # noqa: F401
        python = sys.executable
    except ImportError:
        python = str(venv / "bin" / "python3")
        if os.environ.get("PTOSIM_GYM_VENV") == "1":
            print(f"gym: {venv} has no numpy or ml_dtypes", file=sys.stderr)
            sys.exit(2)
        if not Path(python).exists():
            print("making a virtual environment in", venv, file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "numpy", "ml_dtypes"], check=True)
    if python != sys.executable or os.environ.get("PYTHONHASHSEED") != "0":
        os.environ.update(PYTHONHASHSEED="0", PTOSIM_GYM_VENV="1", PYTHONDONTWRITEBYTECODE="1")
        os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


def run_python(folder, program, *arguments):
    """Runs one of the suite's programs in a forked copy of this process, which has numpy loaded. Returns (succeeded,
    its output)."""
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
        return status == 0, output.read().decode(errors="replace")


def npy_header(npy_type, count):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (npy_type, count)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def scalar_text(pto_type, data):
    if pto_type == "f32":
        return repr(struct.unpack("<f", data)[0])
    if pto_type == "f16":
        return repr(struct.unpack("<e", data)[0])
    if pto_type == "bf16":
        return repr(struct.unpack("<f", b"\0\0" + data)[0])
    return str(int.from_bytes(data, "little", signed=not pto_type.startswith("u")))


def signatures(pto_file):
    """The types of the parameters of each function."""
    text = re.sub(r"//[^\n]*", "", pto_file.read_text())
    found = {}
    for name, parameters in re.findall(r"func\.func\s+@(\w+)\s*\((.*?)\)\s*(?:attributes|\{)", text,
                                       re.S):
        found[name] = [t.strip() for t in re.findall(r":\s*(!pto\.ptr<[^>]*>|\w+)", parameters)]
    return found


class Suite:
    def __init__(self, source, work, options):
        self.source, self.name, self.options = source, source.name, options
        self.folder = work / self.name
        self.pto = source / (self.name + ".pto")
        self.findings = ""

    def prepare(self):
        """Copies of the programs, data, and the host program. Returns the names of the cases."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in [self.source.parent / "st_common.py", *self.source.glob("*.py")]:
            (self.folder / file.name).write_bytes(file.read_bytes())
        fine, output = run_python(self.folder, "gen_data.py")
        if not fine:
            raise RuntimeError("gen_data.py: " + output.strip().splitlines()[-1])
        (self.folder / "list_cases.py").write_text(
            "import json\nfrom cases import CASES\n"
            "print(json.dumps([[c['name'], c.get('eps')] for c in CASES], default=float))\n")
        fine, output = run_python(self.folder, "list_cases.py")
        if not fine:
            raise RuntimeError("cases.py: " + output.strip().splitlines()[-1])
        self.build_host()
        self.parameters = signatures(self.pto)
        return json.loads(output.strip().splitlines()[-1])

    def build_host(self):
        host = self.folder / "host"
        launch = (self.source / "launch.cpp").read_text()
        launch = re.sub(r"(\w+)\s*<<<\s*([^,]+?)\s*,[^>]*>>>",
                        r'ptosim_launch<decltype(\1)>("\1", \2)', launch)
        (self.folder / "acl").mkdir(exist_ok=True)
        (self.folder / "acl" / "acl.h").write_text(ACL_HEADER)
        (self.folder / "launch_host.cpp").write_text('#include "acl/acl.h"\n' + launch)
        sources = [self.source / "main.cpp", self.folder / "launch_host.cpp"]
        if host.exists() and host.stat().st_mtime > max(
                f.stat().st_mtime for f in [self.source / "main.cpp", Path(__file__)]):
            return
        done = subprocess.run(
            ["g++", "-std=c++17", "-O0", "-w", "-I", str(self.folder), "-I",
             str(self.source.parent.parent / "common"), *map(str, sources), "-o", str(host)],
            capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError("the host program does not compile: " + done.stderr.splitlines()[0])

    def launch(self, line):
        """One launch: 'NAME BLOCKS p:file s:file ...'. Returns ptosim's exit code."""
        name, blocks, *files = line.split()
        types = self.parameters.get(name)
        if types is None:
            raise RuntimeError(f"the .pto file has no function {name}")
        if len(types) != len(files):
            raise RuntimeError(f"{name} has {len(types)} parameters, the launch {len(files)}")
        command = [self.options.ptosim, "run", str(self.pto), "--chip", self.options.chip,
                   "--numerics", self.options.numerics, "--sync", "auto", "--entry", name,
                   "--blocks", blocks]
        pointers = []
        for pto_type, file in zip(types, files):
            kind, path = file.split(":")
            path = self.folder / path
            data = path.read_bytes()
            if kind == "s":
                command += ["--arg", f"{pto_type}={scalar_text(pto_type, data)}"]
                continue
            element = re.fullmatch(r"!pto\.ptr<\s*([\w]+)[^>]*>", pto_type).group(1)
            npy_type = NPY_TYPES.get(element, "|u1")
            count = len(data) // int(npy_type[2:])
            before, after = path.with_suffix(".in.npy"), path.with_suffix(".out.npy")
            before.write_bytes(npy_header(npy_type, count) + data)
            after.unlink(missing_ok=True)
            command += ["--arg", f"inout={before}:{after}"]
            pointers.append((path, after, len(data)))
        self.command = command
        done = subprocess.run(command, capture_output=True, text=True)
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
        host = subprocess.Popen([str(self.folder / "host"), case], cwd=self.folder, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        outcome, launches = None, 0
        for line in host.stdout:
            if not line.startswith("@launch "):
                continue
            launches += 1
            try:
                code = self.launch(line[len("@launch "):])
            except RuntimeError as error:
                code, self.findings = 2, "error: " + str(error)
            if code:
                outcome = ({1: "failed", 2: "refused"}.get(code, "crashed"),
                           first_finding(self.findings))
                host.stdin.close()
                break
            host.stdin.write("done\n")
            host.stdin.flush()
        host.kill() if outcome else None
        host.wait()
        if outcome:
            return outcome
        if host.returncode or not launches:
            return "failed", "the host program does not know the case" if not launches else \
                f"the host program ended with {host.returncode}"
        fine, output = run_python(self.folder, "compare.py", case)
        if fine:
            return "passed", ""
        lines = [line for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if "rror" in line or "ERROR" in line]
        return "failed", (errors or lines or ["compare.py failed"])[0].strip()


def first_finding(text):
    """'message [code]' of the first diagnostic."""
    for line in text.splitlines():
        found = re.search(r"\b(?:error|fatal|finding)\b[^:]*:\s*(.*)", line)
        if found:
            return found.group(1)
    return (text.strip().splitlines() or ["no output"])[-1]


def markdown(report):
    cell = lambda text: text.replace("|", "\\|")  # noqa: E731
    commit = report["commit"]
    lines = [f"{datetime.date.today()}; PTO-ISA/PTO-Gym at {commit}; chip {report['chip']}, "
             f"profile {report['numerics']}.", "",
             f"{report['cases']} cases: {report['passed']} passed, {report['failed']} failed, "
             f"{report['refused']} refused; {report['suites_passed']} of {len(report['suites'])} "
             "suites pass whole. Those that do not; all of them: tests/conformance_gym.csv.", "",
             "| suite | cases | passed | failed | refused | first reason |",
             "|---|--:|--:|--:|--:|---|"]
    for s in report["suites"]:
        if s["passed"] == s["cases"]:
            continue
        lines.append(f"| {s['suite']} | {s['cases']} | {s['passed']} | {s['failed']} "
                     f"| {s['refused']} | {cell(s['reason'])} |")
    return "\n".join(lines) + "\n"


def write_csv(path, report):
    columns = ["suite", "cases", "passed", "failed", "refused", "reason"]
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows([s[column] for column in columns] for s in report["suites"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path, help="a copy of github.com/PTO-ISA/PTO-Gym")
    parser.add_argument("--ptosim", default=str(ROOT / "build" / "ptosim"))
    parser.add_argument("--chip", default="ascend950pr")
    parser.add_argument("--numerics", default="a5-templates", help="numeric profile (default: %(default)s)")
    parser.add_argument("--only", metavar="SUITE[/CASE]", action="append", default=[])
    parser.add_argument("--commit", default="", help="for a checkout without .git")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--record", metavar="SUITE")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep data and host programs here")
    parser.add_argument("--venv", type=Path, metavar="DIR",
                        default=Path.home() / ".cache" / "ptosim" / "gym-venv")
    parser.add_argument("--verbose", action="store_true", help="one line for each case that fails")
    options = parser.parse_args()

    reexecute_with_numpy(options.venv)
    import ml_dtypes  # noqa: F401
    import numpy  # noqa: F401

    root = (options.checkout / SUITES).resolve()
    wanted = {}  # suite: its cases; none given means all
    for word in options.only:
        name, _, case = word.partition("/")
        wanted.setdefault(name, []).append(case)
    sources = [f.parent for f in sorted(root.glob("*/cases.py"))
               if not wanted or f.parent.name in wanted]
    if not sources:
        print(f"gym: no suites in {root}", file=sys.stderr)
        return 2
    if not Path(options.ptosim).exists():
        print(f"gym: {options.ptosim} is not there (scripts/build.sh)", file=sys.stderr)
        return 2
    options.ptosim = str(Path(options.ptosim).resolve())
    temporary = None if options.work else tempfile.TemporaryDirectory()
    work = (options.work or Path(temporary.name)).resolve()

    report = {"commit": commit_of(options.checkout, options.commit),
              "chip": Path(options.chip).stem, "numerics": options.numerics,
              "cases": 0, "passed": 0, "failed": 0, "refused": 0, "suites": []}
    for source in sources:
        suite = Suite(source, work, options)
        row = {"suite": suite.name, "cases": 0, "passed": 0, "failed": 0, "refused": 0,
               "reason": "", "results": []}
        try:
            cases = suite.prepare()
        except RuntimeError as error:
            cases, row["reason"], row["failed"], row["cases"] = [], str(error), 1, 1
        for case, eps in cases:
            if suite.name in wanted and not {case, ""} & set(wanted[suite.name]):
                continue
            outcome, reason = suite.run_case(case)
            row["cases"] += 1
            row[outcome if outcome in row else "failed"] += 1
            row["reason"] = row["reason"] or reason
            row["results"].append({"case": case, "eps": eps, "outcome": outcome, "reason": reason,
                                   "command": [] if outcome == "passed" else
                                   getattr(suite, "command", [])})
            if options.verbose and reason:
                print(f"  {suite.name}/{case}: {outcome}: {reason}")
        for key in ("cases", "passed", "failed", "refused"):
            report[key] += row[key]
        report["suites"].append(row)
        print(f"{suite.name:20} {row['cases']:4} cases {row['passed']:4} passed "
              f"{row['failed']:4} failed {row['refused']:4} refused  {row['reason']}", flush=True)
    report["suites_passed"] = sum(s["passed"] == s["cases"] for s in report["suites"])
    print(f"{report['cases']} cases: {report['passed']} passed, {report['failed']} failed, "
          f"{report['refused']} refused; {report['suites_passed']} of {len(report['suites'])} "
          "suites pass whole")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    if options.record:
        put(markdown(report), options.record, "suites that do not pass whole")
        write_csv(ROOT / "tests" / "conformance_gym.csv", report)
    return 0 if report["passed"] == report["cases"] else 1


if __name__ == "__main__":
    sys.exit(main())
