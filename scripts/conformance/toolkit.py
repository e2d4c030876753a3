#!/usr/bin/python3
"""Runs programs of a checkout of hw-native-sys/pto-isa by their own scripts, unmodified, on the toolkit.

    conformance.py toolkit CHECKOUT [--st ARCH:NAME,NAME ...] [--manual PATH,PATH] [--markdown FILE]
                   [--ptosim BIN] [--work DIR] [--timeout SECONDS]

    --st a2a3:tadd,tmatmul   tests/script/run_st.py -r npu -v a3 -t tadd, ...; `a2a3:all` is every folder
    --manual a2a3/topk       kernels/manual/a2a3/topk: scripts/gen_data.py, then run.sh -r npu

The checkout is copied into the work folder, `ptosim toolkit` makes a folder beside it, and every
command runs after `source set_env.sh`, with a virtual environment for the scripts that make data
(numpy, ml_dtypes, en_dtypes). A test passes if its script ends with 0; a kernel if its script does
and says that the test succeeded. Needs libgtest-dev, python3-venv and make.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "conformance"))
import pto_isa  # noqa: E402

VERSIONS = {"a2a3": "a3", "a5": "a5"}
CHIPS = {"a2a3": "Ascend910B1", "a5": "Ascend910_9599"}
RIGHT = re.compile(r"test success|test pass|\[PASS\]|compare pass", re.I)
WRONG = re.compile(r"test failed|\[FAIL", re.I)


class Runner:
    def __init__(self, options):
        self.options = options
        self.work = options.work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.python = pto_isa.make_environment(self.work)
        self.toolkit = self.work / "toolkit"
        subprocess.run([options.ptosim, "toolkit", self.toolkit], check=True,
                       stdout=subprocess.DEVNULL)
        self.checkout = self.work / "checkout"
        if not self.checkout.exists():
            shutil.copytree(options.checkout, self.checkout, symlinks=True)
        (self.work / "logs").mkdir(exist_ok=True)

    def shell(self, name, folder, command):
        """Exit status, text and seconds of a command as a user types it."""
        activate = self.python.parent / "activate"
        script = (f"source {shlex.quote(str(self.toolkit))}/set_env.sh\n"
                  f"source {shlex.quote(str(activate))}\n{command}\n")
        begin = time.monotonic()
        status, text = pto_isa.run(["bash", "-ec", script], folder, self.options.timeout)
        (self.work / "logs" / (name.replace("/", "_") + ".log")).write_text(text)
        return status, text, time.monotonic() - begin

    def system_test(self, arch, name):
        command = f"python3 tests/script/run_st.py -r npu -v {VERSIONS[arch]} -t {name}"
        status, text, seconds = self.shell(f"{arch}-{name}", self.checkout, command)
        passed = len(re.findall(r"^\[       OK \]", text, re.M))
        begun = len(re.findall(r"^\[ RUN      \]", text, re.M))
        return command, status == 0, f"{passed} of {begun}", text, status, seconds

    def manual_kernel(self, path):
        command = f"bash run.sh -r npu -v {CHIPS[path.split('/')[0]]}"
        folder = self.checkout / "kernels" / "manual" / path
        made = "python3 scripts/gen_data.py && " if (folder / "scripts/gen_data.py").exists() else ""
        status, text, seconds = self.shell(path, folder, made + command)
        right = status == 0 and RIGHT.search(text) is not None and not WRONG.search(text)
        return f"kernels/manual/{path}: {made}{command}", right, "", text, status, seconds


def folders(checkout, arch, names):
    root = checkout / "tests" / "npu" / arch / "src" / "st" / "testcase"
    if names == "all":
        return sorted(path.name for path in root.iterdir() if (path / "CMakeLists.txt").exists())
    return names.split(",")


def main():
    parser = argparse.ArgumentParser(prog="conformance.py toolkit", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--st", action="append", default=[], metavar="ARCH:NAMES")
    parser.add_argument("--manual", default="", metavar="PATHS")
    parser.add_argument("--markdown", type=pathlib.Path, help="write a table of all programs")
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "conformance-toolkit")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for a program")
    options = parser.parse_args()
    options.ptosim = options.ptosim.resolve()
    pto_isa.need_packages()
    runner = Runner(options)
    jobs = []
    for chosen in options.st:
        arch, names = chosen.split(":", 1)
        jobs += [(runner.system_test, arch, name)
                 for name in folders(options.checkout, arch, names)]
    jobs += [(runner.manual_kernel, path) for path in options.manual.split(",") if path]
    rows, wrong = [], 0
    for run, *words in jobs:
        command, right, cases, text, status, seconds = run(*words)
        reason = ""
        if not right:
            wrong += 1
            reason = "time limit" if status < 0 else pto_isa.reason_of(text)
            reason = re.sub(r"\S*/(\w+\.\w+:)", r"\1", reason)[:150].replace("|", "\\|")
        row = f"| `{command}` | {'passed' if right else 'failed'} | {cases} | {seconds:.0f} | {reason} |"
        print(row, flush=True)
        rows.append(row)
    if options.markdown:
        head = "| command | result | cases | seconds | first reason |\n|---|---|---|---:|---|\n"
        options.markdown.write_text(head + "\n".join(rows) + "\n")
    print(f"{len(rows) - wrong} of {len(rows)} passed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
