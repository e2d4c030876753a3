#!/usr/bin/python3
"""Runs one program of each front end by the command that its users type, and records the outcome with the commit.

    conformance.py front-ends --checkout NAME=FOLDER[@COMMIT] ... [--python PYTHON] --work DIR [--only TEXT]

NAME is a front end of the table below; front ends without a checkout keep their last recorded outcome. A program passes
if its command ends with 0: each compares with its own golden. The result is tests/front_ends.csv. 'ptosim
simpler-setup' must have been run for simpler and PyPTO, and PYTHON must have their packages."""
import argparse
import csv
import datetime
import os
import pathlib
import re
import subprocess
import sys
import time

from suites import ROOT, commit_of, prepare_toolkit, program, write_table

TABLE = ROOT / "tests" / "front_ends.csv"
# Front end: (its output, upstream, command in the checkout). {ptosim}, {toolkit}, {python}, {work} are replaced.
FRONT_ENDS = {
    "ptoas": (".pto text", "hw-native-sys/PTOAS",
              "{ptosim} check test/samples/Abs/abs-pto-ir.pto --dry-run"),
    "pto-isa": ("C++, tile instructions", "hw-native-sys/pto-isa",
                "cd tests && {python} script/run_st.py -r npu -v a3 -t tadd -g TADDTest.case_float_64x64_64x64_64x64"),
    "simpler": ("C++ kernels and tasks", "hw-native-sys/simpler",
                "{ptosim} exec -- {python} examples/a2a3/tensormap_and_ringbuffer/vector_example/test_vector_example.py"
                " -p a2a3"),
    "pypto": ("Python, .pto and tasks", "hw-native-sys/pypto",
              "PYTHONPATH=python:runtime/python:runtime:. {ptosim} exec -- {python} examples/beginner/01_hello_world.py"),
    "pypto-lib": ("Python, .pto and tasks", "hw-native-sys/pypto-lib",
                  "{ptosim} exec -- {python} examples/intermediate/softmax.py -p a2a3sim"),
    "asc-devkit": ("C++, Ascend C", "mirror-cann/asc-devkit",
                   "rm -rf {work}/add && cp -r examples/01_simd_cpp_api/00_introduction/01_add/add"
                   " {work}/add && cd {work}/add && mkdir build && cd build && cmake -DCMAKE_ASC_ARCHITECTURES=dav-2201 .."
                   " && make && ./demo"),
    "catlass": ("C++, Ascend C templates", "hicann/catlass",
                "{python} {root}/scripts/conformance.py catlass . --ascendc {asc-devkit} --work {work}/catlass --ptosim"
                " {ptosim} --only 00_basic_matmul"),
    "pto-kernels": ("Python and C++, torch_npu", "huawei-csl/pto-kernels",
                    "{python} {root}/scripts/conformance.py pto-kernels . --ptosim {ptosim} --only abs"),
    "tilelang-ascend": ("C++ by target pto, device library only", "tile-ai/tilelang-ascend",
                        "{python} {root}/scripts/conformance.py tilelang . --ptosim {ptosim}"),
    "cann-pypto-pro": ("Python, C++ tile instructions", "hicann/pypto",
                       "{python} {root}/scripts/conformance.py pypto-pro . --ptosim {ptosim} --work {work}/pro --only"
                       " element_wise/test_add"),
}


def run(name, folder, settings):
    words = {"ptosim": settings.ptosim, "python": settings.python, "work": settings.work, "root": ROOT,
             "toolkit": settings.work / "toolkit", "asc-devkit": settings.checkouts.get("asc-devkit", "")}
    command = re.sub(r"\{([\w-]+)\}", lambda found: str(words[found[1]]), FRONT_ENDS[name][2])
    script = f". {settings.work / 'toolkit' / 'set_env.sh'}\n{command}"
    began = time.monotonic()
    done = subprocess.run(["timeout", "-s", "KILL", str(settings.timeout), "bash", "-c", script], cwd=folder,
                          capture_output=True, text=True, errors="replace", env=dict(os.environ), check=False)
    output = done.stdout + done.stderr
    (settings.work / f"{name}.log").write_text(output)
    reason = "" if done.returncode == 0 else next(
        iter(re.findall(r"error: .*|\w*Error: .*", output)), f"ended with {done.returncode}")
    return {"outcome": "passes" if done.returncode == 0 else "fails", "reason": reason[:150],
            "seconds": f"{time.monotonic() - began:.1f}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--checkout", action="append", default=[], metavar="NAME=FOLDER[@COMMIT]", help="repeatable; COMMIT: of a folder without .git; NAME: "
                        + ", ".join(FRONT_ENDS))
    parser.add_argument("--ptosim", default=str(ROOT / "build" / "ptosim"), help="the program")
    parser.add_argument("--python", default=sys.executable, help="Python with the packages of the front ends")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for builds and logs")
    parser.add_argument("--only", default="", help="front ends whose name contains this")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for a front end")
    settings = parser.parse_args()
    settings.ptosim, settings.work = program(settings.ptosim), settings.work.resolve()
    settings.checkouts, settings.commits = {}, {}
    for word in settings.checkout:
        name, _, rest = word.partition("=")
        folder, _, commit = rest.partition("@")
        if name not in FRONT_ENDS or not pathlib.Path(folder).is_dir():
            parser.error(f"--checkout {word}: NAME is one of {', '.join(FRONT_ENDS)}, FOLDER must exist")
        settings.checkouts[name] = str(pathlib.Path(folder).resolve())
        settings.commits[name] = commit
    settings.work.mkdir(parents=True, exist_ok=True)
    if "asc-devkit" in settings.checkouts:
        prepare_toolkit(settings.ptosim, settings.work, pathlib.Path(settings.checkouts["asc-devkit"]))
    else:
        subprocess.run([settings.ptosim, "toolkit", str(settings.work / "toolkit")], check=True, capture_output=True)
    recorded = {row["front end"]: row for row in csv.DictReader(TABLE.open())} if TABLE.exists() else {}
    for name, (output, upstream, command) in FRONT_ENDS.items():
        row = recorded.setdefault(name, {"front end": name, "output": output, "command": command, "upstream": upstream,
                                         "commit": "", "date": "", "outcome": "not tried", "reason": "", "seconds": ""})
        row.update({"output": output, "command": command, "upstream": upstream})
        if name in settings.checkouts and settings.only in name:
            folder = settings.checkouts[name]
            row.update({"commit": commit_of(folder, settings.commits[name])[:12], "date": datetime.date.today().isoformat(),
                        **run(name, folder, settings)})
            print(f"{row['outcome']:7} {name} {row['reason']}", flush=True)
    write_table(TABLE, [recorded[name] for name in FRONT_ENDS])
    return 0


if __name__ == "__main__":
    sys.exit(main())
