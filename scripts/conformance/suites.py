"""Shared by the scripts that run public suites: their options, and recording of tables as evidence."""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import evidence  # noqa: E402

OPTIONS = {
    "ptosim": {"default": str(ROOT / "build" / "ptosim"), "help": "the program"},
    "only": {"help": "files whose path contains this"},
    "commit": {"default": "", "help": "for a checkout without .git"},
    "json": {"help": "write the results"},
    "record": {"metavar": "SUITE", "help": "put the table into tests/evidence/SUITE.json and docs/evidence.md"},
}


def add_options(parser, *names, **other):
    """Adds options of the table above; `other`: values that replace the table's for one of them."""
    for name in names:
        parser.add_argument("--" + name, **{**OPTIONS[name], **other.get(name, {})})


def parser_of(text, *names, **other):
    """A parser that a module's text describes."""
    parser = argparse.ArgumentParser(description=text.split("\n\n", maxsplit=1)[0])
    add_options(parser, *names, **other)
    return parser


def program(name):
    """The path of a program, or the end with an error."""
    found = shutil.which(name)
    if not found:
        sys.exit(f"error: no program {name}; scripts/build.sh makes it")
    return str(pathlib.Path(found).resolve())


def commit_of(checkout, given=""):
    if given or not (pathlib.Path(checkout) / ".git").exists():
        return given or "unknown commit"
    done = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True,
                          text=True)
    return done.stdout.strip() or "unknown commit"


def prepare_toolkit(ptosim, work, ascendc):
    """A toolkit in work/toolkit that compiles Ascend C, and this Python as work/bin/python3."""
    (work / "bin").mkdir(parents=True, exist_ok=True)
    python = work / "bin" / "python3"
    # No link: a virtual environment is found by the path of its program.
    python.unlink(missing_ok=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    subprocess.run([program(ptosim), "toolkit", str(work / "toolkit"), "--ascendc", str(ascendc.resolve())],
                   check=True, stdout=subprocess.DEVNULL)


def run_examples(names, run, options, record):
    """Runs examples in parallel and keeps their results in the file `record`; the results of all names.

    With --resume only names without a result are run, and those whose state is in --retry.
    """
    known = json.loads(record.read_text()) if record.exists() else {}
    again = set((options.retry or "").split(","))
    todo = [name for name in names
            if not options.resume or name not in known or known[name]["state"] in again]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda name: run(name, options), todo):
            known[result["example"]] = result
            record.write_text(json.dumps(known, indent=1))
            print(f"{result['state']:7} {result['example']} {result['reason']}", flush=True)
    return [known[name] for name in names if name in known]


def toolkit_environment(toolkit, paths, **other):
    """Environment that set_env.sh of a toolkit makes, with folders of Python packages before its own, and other variables."""
    text = subprocess.run(["bash", "-c", f"source '{toolkit}/set_env.sh' && env -0"], check=True, capture_output=True,
                          text=True).stdout
    made = dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
    python = os.pathsep.join([*(str(path) for path in paths), made.get("PYTHONPATH", "")])
    return {**made, "PYTHONPATH": python, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **other}


def processor_seconds(process):
    """Time of processors that a process and its ended children have used: a machine's other work does not count."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def run_limited(words, folder, variables, log, seconds):
    """Runs a program that may use `seconds` of processors: its exit code, or None if it was ended, and what it has used."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(words, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True)
        begun, used = time.monotonic(), 0.0
        while process.poll() is None:
            used = processor_seconds(process.pid) or used
            if used > seconds or time.monotonic() - begun > 10 * seconds:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return None, used
            time.sleep(0.5)
    return process.returncode, used


def write_table(path, rows):
    """Writes rows, dictionaries with the same keys, as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_examples(results, text, options, mark):
    """Prints the table `text` and writes what --csv, --json and --record name; the exit status."""
    print(text)
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["example", "state", "reason"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(results)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    if options.record:
        put(text, options.record, mark)
    return 0 if all(result["state"] in ("passed", "none") for result in results) else 1


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def put(text, suite, title):
    """Records the table of a text as evidence of a suite."""
    evidence.record(suite, text, title)
