#!/usr/bin/python3
"""Runs programs of a checkout of hw-native-sys/pto-isa by their own scripts, unmodified, on the toolkit.

    conformance.py toolkit CHECKOUT [--st ARCH:NAME,NAME ...] [--manual PATH,PATH] [--timed PATH,PATH]
                   [--json FILE] [--csv FILE] [--resume] [--ptosim BIN] [--work DIR] [--timeout SECONDS]

    --st a2a3:tadd,tmatmul   tests/script/run_st.py -r npu -v a3 -t tadd, ...; `a2a3:all` is every folder
    --manual a2a3/topk       kernels/manual/a2a3/topk: scripts/gen_data.py, then run.sh -r npu; `all`
    --timed a2a3/topk        the same run.sh with PTOSIM_MODE=timing: its last launch's time; `all`

The checkout is copied into the work folder, `ptosim toolkit` makes a folder next to it, and every
command runs after `source set_env.sh`, with a virtual environment for the scripts that make data
(numpy, ml_dtypes, en_dtypes). A test passes if its script ends with 0; a kernel if its script does
and reports that the test succeeded; in time only, if its launch has a time. The files are written after
every program; with --resume, programs of which one of them holds a result are not run again. Seconds
are processor time, including the compiler and the scripts that make data. Needs
libgtest-dev, python3-venv and make.
"""
import argparse
import csv
import json
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "conformance"))
import pto_isa  # noqa: E402

VERSIONS = {"a2a3": "a3", "a5": "a5"}
CHIPS = {"a2a3": "Ascend910B1", "a5": "Ascend910_9599"}
RIGHT = re.compile(r"test success|test pass|\[PASS\]|compare pass|All tests passed", re.I)
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
        begin = processor_time()
        status, text = pto_isa.run(["bash", "-ec", script], folder, self.options.timeout)
        (self.work / "logs" / (re.sub(r"\W+", "_", name) + ".log")).write_text(text)
        return status, text, processor_time() - begin

    def system_test(self, arch, name):
        command = f"python3 tests/script/run_st.py -r npu -v {VERSIONS[arch]} -t {name}"
        status, text, seconds = self.shell(f"{arch} {name}", self.checkout, command)
        passed = len(re.findall(r"^\[       OK \]", text, re.M))
        begun = len(re.findall(r"^\[ RUN      \]", text, re.M))
        return answer(command, status == 0, status, text, seconds, passed=passed, cases=begun)

    def manual_kernel(self, path):
        command = f"bash run.sh -r npu -v {CHIPS[path.split('/')[0]]}"
        folder = self.checkout / "kernels" / "manual" / path
        if (folder / "scripts/gen_data.py").exists() and "gen_data.py" not in (folder / "run.sh").read_text():
            command = "python3 scripts/gen_data.py && " + command
        status, text, seconds = self.shell(path, folder, command)
        right = status == 0 and RIGHT.search(text) is not None and not WRONG.search(text)
        return answer(command, right, status, text, seconds)

    def timed_kernel(self, path):
        """Like the method above, in time only: its comparison fails, and does not count."""
        shown = f"PTOSIM_MODE=timing bash run.sh -r npu -v {CHIPS[path.split('/')[0]]}"
        folder = self.checkout / "kernels" / "manual" / path
        made = self.work / "timed.json"
        made.unlink(missing_ok=True)
        status, text, seconds = self.shell(path + " timed", folder, f"PTOSIM_JSON={shlex.quote(str(made))} {shown}")
        launches = json.loads(made.read_text())["launches"] if made.exists() else []
        if not launches:
            return answer(shown, False, status, text, seconds)
        return answer(shown, True, status, text, seconds, us=launches[-1]["time_us"])


def processor_time():
    """Processor time of all commands that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answer(command, right, status, text, seconds, **more):
    reason = ""
    if not right:
        reason = "time limit" if status < 0 else pto_isa.reason_of(text)
        reason = re.sub(r"\S*/([\w.-]+:)", r"\1", reason)[:150]
    return {"command": command, "result": "passed" if right else "failed", "seconds": round(seconds, 1),
            "reason": reason, **more}


def folders(checkout, arch, names):
    root = checkout / "tests" / "npu" / arch / "src" / "st" / "testcase"
    if names == "all":
        return sorted(path.name for path in root.iterdir() if (path / "CMakeLists.txt").exists())
    return names.split(",")


def manual(checkout, paths):
    root = checkout / "kernels" / "manual"
    if paths == "all":
        return sorted(str(path.parent.relative_to(root)) for arch in CHIPS for path in (root / arch).glob("*/run.sh"))
    return [path for path in paths.split(",") if path]


def show(name, of):
    cases = f"{of['passed']} of {of['cases']}" if "cases" in of else f"{of['us']:.1f} us" if "us" in of else ""
    print(f"{of['result']:7} {name:34} {cases:12} {of['seconds']:6.1f} s  {of['reason']}", flush=True)


def write_csv(path, results):
    part = path.with_suffix(".part")
    with open(part, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["program", "result", "passed", "cases", "us", "seconds", "first_reason"])
        for name, of in sorted(results.items()):
            us = f"{of['us']:.1f}" if "us" in of else ""
            table.writerow([name, of["result"], of.get("passed", ""), of.get("cases", ""), us, of["seconds"], of["reason"]])
    part.replace(path)


def read_csv(path):
    results = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            more = {"us": float(row["us"])} if row["us"] else {}
            if row["cases"]:
                more |= {"passed": int(row["passed"]), "cases": int(row["cases"])}
            results[row["program"]] = {"result": row["result"], "seconds": float(row["seconds"]),
                                       "reason": row["first_reason"], **more}
    return results


def main():
    parser = argparse.ArgumentParser(prog="conformance.py toolkit", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--st", action="append", default=[], metavar="ARCH:NAMES")
    parser.add_argument("--manual", default="", metavar="PATHS")
    parser.add_argument("--timed", default="", metavar="PATHS")
    parser.add_argument("--json", type=pathlib.Path, help="write the results here, too")
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE or --csv FILE holds")
    parser.add_argument("--csv", type=pathlib.Path, help="write a table of all programs, with the rows already in the files")
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "conformance-toolkit")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for a program")
    options = parser.parse_args()
    options.ptosim = options.ptosim.resolve()
    if options.resume and not options.json and not options.csv:
        parser.error("--resume needs --json FILE or --csv FILE")
    pto_isa.need_packages()
    runner, jobs = Runner(options), {}
    for chosen in options.st:
        arch, names = chosen.split(":", 1)
        jobs.update({f"{arch} {name}": (runner.system_test, arch, name)
                     for name in folders(options.checkout, arch, names)})
    jobs.update({path: (runner.manual_kernel, path) for path in manual(options.checkout, options.manual)})
    jobs.update({path + " timed": (runner.timed_kernel, path) for path in manual(options.checkout, options.timed)})
    results = read_csv(options.csv) if options.csv and options.csv.exists() else {}
    if options.json and options.json.exists():
        results |= json.loads(options.json.read_text())
    for name, (run, *words) in jobs.items():
        if options.resume and name in results:
            continue
        results[name] = run(*words)
        show(name, results[name])
        if options.json:
            part = options.json.with_suffix(".part")
            part.write_text(json.dumps(results, indent=1) + "\n")
            part.replace(options.json)
        if options.csv:
            write_csv(options.csv, results)
    mine = [results[name]["result"] for name in jobs]
    print(f"{mine.count('passed')} of {len(mine)} passed")
    sys.exit(0 if mine.count("passed") == len(mine) else 1)


if __name__ == "__main__":
    main()
