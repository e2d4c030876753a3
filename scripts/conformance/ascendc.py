#!/usr/bin/python3
"""Builds and runs the examples of a checkout of asc-devkit on the toolkit, by the commands of their
READMEs, unmodified.

    conformance.py ascendc CHECKOUT --work DIR [--arch dav-2201] [--only TEXT] [--sample N --seed S]
                           [--resume] [--jobs N] [--csv FILE] [--record SUITE] [--run-mode npu|cpu|sim]

An example passes if each command ends with 0, none of them prints an error, and the last one reports
right results. States: passed; wrong (its own comparison failed); build (it does not compile);
run (a kernel or host ended with an error); slow (it took longer than --timeout seconds); none (its README
has no commands, or not for this architecture).
"""
import importlib.util
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from suites import commit_of, parser_of, prepare_toolkit, run_examples, write_examples

GROUPS = ("examples/01_simd_cpp_api", "examples/02_simd_c_api")
# Output of examples with right results.
# Hello World: an example that only prints. OK: a unit test of Python.
RIGHT = re.compile(r"pass|success|correct|精度|equal|Hello World|^OK$", re.I | re.M)
WRONG = re.compile(r"test failed|verify failed|precision error|result error|mismatch|\bfail(ed)?\b", re.I)
ENDED = "ptosim-ended"  # last line of a script whose commands have ended with 0
# A line that gives the reason of an end.
REASON = re.compile(r"error[: ]|\[[A-Z]\d\d\]|No such file|undefined reference|Traceback|Error\b|not found")


def examples(checkout):
    for group in GROUPS:
        for file in sorted((checkout / group).rglob("CMakeLists.txt")):
            if (file.parent / "README.md").exists():
                yield file.parent.relative_to(checkout)


def without_notes(line):
    line = re.sub(r"\s#.*", "", " " + line).strip()
    return "" if line.startswith("#") else line


def commands(folder, arch, mode):
    """The lines of the README's block that builds and runs; None without one."""
    text = (folder / "README.md").read_text(encoding="utf-8", errors="ignore")
    cmake = (folder / "CMakeLists.txt").read_text(encoding="utf-8", errors="ignore")
    # The architectures of an example are the values of its CMake variable that the README lists, else all.
    listed = re.findall(r"CMAKE_ASC_ARCHITECTURES`\s*\|([^\n]*)", text)
    given = re.findall(r"dav-\d{4}", listed[0].split("|")[0] if listed else text + cmake)
    if arch not in given:
        return None
    for block in re.findall(r"```[^\n]*\n(.*?)```", text, re.S):
        lines = [line for line in map(without_notes, block.splitlines()) if line]
        runs = [line for line in lines if re.match(r"(\./|python3? |SCENARIO)", line)]
        if not any("cmake" in line for line in lines) or not runs:
            continue
        lines = [re.sub(r"dav-\d{4}", arch, line) for line in lines if "install_path" not in line]
        if mode != "npu":
            lines = [re.sub(r"\bcmake ", f"cmake -DCMAKE_ASC_RUN_MODE={mode} ", line) for line in lines]
        return [line.replace("make -j;", "make;").rstrip(";") for line in lines]
    return None


def reason_of(output):
    for line in output.splitlines():
        if REASON.search(line) and "[ERROR]  failed to get file" not in line:
            return re.sub(r"\S*/(?=[\w.]+:\d+)", "", line).strip()[:200]
    return output.strip().splitlines()[-1][:200] if output.strip() else ""


def state_of(status, output, built):
    if status == 124:
        return "slow"
    if not built:
        return "build"
    # H24: the example has not freed all of its memory; results are right nevertheless.
    errors = re.findall(r"^error: .*|.*\[[GHRSEADFIN]\d\d\]$", output, re.M)
    if any("[H24]" not in line for line in errors):
        return "run"
    if status != 0:
        return "wrong" if WRONG.search(output) else "run"
    if WRONG.search(output) and not re.search(r"0 fail", output):
        return "wrong"
    return "passed" if RIGHT.search(output) else "run"


def folder_of(name, options):
    return options.work / "run" / str(name).replace("/", "__")


def copy_example(name, options):
    """Copies an example, with the files of its neighbours that it includes, into a new folder; returns its place there."""
    source, folder = options.checkout / name, folder_of(name, options)
    shutil.rmtree(folder, ignore_errors=True)
    # Examples include files of their neighbours: the group's folders keep their places.
    folder.parent.mkdir(parents=True, exist_ok=True)
    place = folder / name
    place.parent.mkdir(parents=True)
    shutil.copytree(source, place)
    for extra in ("../utils", "../common", "../include", "../data_utils.h"):
        if (source / extra).exists():
            (place / extra).resolve().parent.mkdir(parents=True, exist_ok=True)
            target = place.parent / pathlib.Path(extra).name
            if not target.exists():
                target.symlink_to((source / extra).resolve())
    return place


def run(name, options):
    if commands(options.checkout / name, options.arch, options.run_mode) is None:
        return {"example": str(name), "state": "none", "reason": "no commands for this architecture"}
    result = run_copy(name, copy_example(name, options), options)
    if result["state"] == "passed" and not options.keep:
        shutil.rmtree(folder_of(name, options))
    return result


def run_copy(name, place, options, built=False):
    """Builds and runs a copy; if it is built, only runs it."""
    marked = []
    for line in commands(options.checkout / name, options.arch, options.run_mode):
        builds = "make" in line and "mkdir" not in line
        if not (built and builds):
            marked.append(line)
        if builds and "cmake -S" not in line:
            marked.append("echo ptosim-built")
    script = "\n".join(["set -e", f". {options.toolkit / 'set_env.sh'}", "set -x", *marked, f"echo {ENDED}", ""])
    environment = dict(os.environ, PATH=f"{options.work / 'bin'}:{os.environ['PATH']}")
    if importlib.util.find_spec("tensorflow") is None:
        environment["PYTHONPATH"] = str(pathlib.Path(__file__).resolve().parent / "stand_ins")
    done = subprocess.run(["timeout", str(options.timeout), "bash", "-c", script], cwd=place,
                          capture_output=True, text=True, errors="replace", env=environment)
    output = done.stdout + done.stderr
    (folder_of(name, options) / "log.txt").write_text(output)
    clean = "\n".join(line for line in output.splitlines() if not line.startswith("+ ") and line != ENDED)
    state = state_of(done.returncode, clean, "ptosim-built" in done.stdout)
    reason = "" if state == "passed" else reason_of(clean)
    return {"example": str(name), "state": state, "reason": reason}


def chosen(options):
    names = [name for name in examples(options.checkout) if not options.only or options.only in str(name)]
    if options.sample:
        names = random.Random(options.seed).sample(names, min(options.sample, len(names)))
    return sorted(names)


def table(results, options):
    states = ("passed", "wrong", "run", "build", "slow", "none")
    groups = {}
    for result in results:
        parts = result["example"].split("/")
        groups.setdefault("/".join(parts[1:3]), []).append(result["state"])
    text = "| group | " + " | ".join(states) + " |\n|---|" + "---|" * len(states) + "\n"
    for group, found in sorted(groups.items()):
        text += f"| {group} | " + " | ".join(str(found.count(state)) for state in states) + " |\n"
    found = [result["state"] for result in results]
    text += "| all | " + " | ".join(str(found.count(state)) for state in states) + " |\n"
    return f"asc-devkit {commit_of(options.checkout, options.commit)[:12]}, {options.arch}\n\n" + text


def options_of():
    parser = parser_of(__doc__, "ptosim", "only", "commit", "json", "record")
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for copies and builds")
    parser.add_argument("--arch", default="dav-2201")
    parser.add_argument("--run-mode", default="npu", choices=("npu", "cpu", "sim"))
    parser.add_argument("--sample", type=int, help="so many examples, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="only those without a result in --work")
    parser.add_argument("--retry", help="with --resume: states that are run again, as wrong,run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--keep", action="store_true", help="keep the folders of examples that pass")
    parser.add_argument("--csv", help="write one line per example")
    return parser.parse_args()


def main():
    options = options_of()
    options.checkout = options.checkout.resolve()
    options.work = options.work.resolve()
    options.toolkit = options.work / "toolkit"
    prepare_toolkit(options.ptosim, options.work, options.checkout)
    names = [str(name) for name in chosen(options)]
    record = options.work / f"results-{options.arch}-{options.run_mode}.json"
    results = run_examples(names, run, options, record)
    return write_examples(results, table(results, options), options, options.arch)


if __name__ == "__main__":
    sys.exit(main())
