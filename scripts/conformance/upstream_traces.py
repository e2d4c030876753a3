#!/usr/bin/python3
"""Runs upstream tools on our recordings and prints their output.

    scripts/conformance/upstream_traces.py --simpler CHECKOUT --pypto CHECKOUT [--ptosim BIN] [--data DIR]

simpler: swimlane_converter, critical_path (its tiling must be exact) and deps_viewer on the
inter-core swimlane; pypto: clean_sim_trace on visualize_data.bin. The checkouts are clones of
github.com/hw-native-sys/{simpler,pypto}; nothing of them is kept. Exit code 1 if a tool fails or
its output is not the expected one.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "..", "tests", "kernels")
CASES = {
    "attention_f16 (8 blocks on cube and vector cores)": [
        "attention_f16.pto", "--blocks", "8", "--arg", "in=attention_f16/q.npy", "--arg",
        "in=attention_f16/k.npy", "--arg", "in=attention_f16/v.npy", "--arg",
        "zeros=8x2x128x128xf32", "--arg", "zeros=8x2x128x128xf16", "--arg",
        "zeros=8x2x128x64xf32", "--arg", "out=1024x64xf32", "--arg", "i32=4", "--arg", "i32=256",
        "--arg", "i32=512"],
    "gemm_f16 (40 blocks in two waves)": [
        "gemm_f16.pto", "--blocks", "40", "--arg", "rand=512x512xf16", "--arg",
        "rand=512x512xf16", "--arg", "out=512x512xf32", *["--arg", "i32=512"] * 3],
    "softmax_rows_f32 (16 blocks on vector cores of ascend950pr)": [
        "softmax_rows_f32.pto", "--chip", "ascend950pr", "--blocks", "16", "--arg",
        "rand=1024x512xf32", "--arg", "out=1024x512xf32", "--arg", "i32=1024"],
}


def run(words, cwd, **more):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, **more)


def tool(simpler, name, *words):
    """One of simpler's tools without the compiled parts that its package asks for."""
    start = ("import runpy, sys, types; package = types.ModuleType('simpler_setup'); "
             f"package.__path__ = [{os.path.join(simpler, 'simpler_setup')!r}]; "
             "sys.modules['simpler_setup'] = package; "
             f"sys.argv = [{name!r}, *{list(words)!r}]; "
             f"runpy.run_module('simpler_setup.tools.{name}', run_name='__main__')")
    return run([sys.executable, "-c", start], simpler)


def commit(checkout):
    found = run(["git", "rev-parse", "--short", "HEAD"], checkout)
    return found.stdout.strip() or "unknown"


class Checks:
    def __init__(self):
        self.wrong = 0

    def row(self, tool, case, good, said):
        self.wrong += not good
        print(f"| {tool} | {case} | {'yes' if good else '**no**'} | {said} |")


def converter(simpler, folder, checks, case):
    (names,) = glob.glob(os.path.join(folder, "name_map_*.json"))
    out = tool(simpler, "swimlane_converter", os.path.join(folder, "chip_swimlane_records.json"),
               "--func-names", names, "-o", os.path.join(folder, "merged_swimlane.json"))
    path = os.path.join(folder, "merged_swimlane.json")
    good = out.returncode == 0 and os.path.exists(path)
    said = (out.stderr.strip().splitlines() or ["?"])[-1]
    if good:
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        tasks = [e for e in events if e.get("ph") == "X" and "taskId" in e.get("args", {})]
        with open(os.path.join(folder, "chip_swimlane_records.json")) as file:
            rows = len(json.load(file)["aicore_tasks"])
        good = len(tasks) == rows
        names = sorted({task["name"].split("(t")[0] for task in tasks})
        said = f"{len(tasks)} tasks (of {rows}), {' and '.join(names)}"
    checks.row("simpler swimlane_converter", case, good, said)


def critical_path(simpler, folder, checks, case):
    out = tool(simpler, "critical_path", folder)
    path = os.path.join(folder, "critical_path_report.md")
    text = open(path).read() if os.path.exists(path) else out.stderr
    tiled = re.search(r"tiling check: (.*)", text)
    checks.row("simpler critical_path", case, bool(tiled) and "(exact)" in tiled.group(1),
               tiled.group(1) if tiled else text.strip()[-200:])


def deps_viewer(simpler, folder, checks, case):
    path = os.path.join(folder, "deps_viewer.txt")
    out = tool(simpler, "deps_viewer", os.path.join(folder, "deps.json"), "--format", "text", "-o",
               path)
    good = out.returncode == 0 and os.path.exists(path)
    text = open(path).read() if good else out.stderr
    said = ", ".join(re.findall(r"(?im)^\W*(?:total )?((?:tasks|nodes|edges)\b.*)$", text)[:2])
    checks.row("simpler deps_viewer", case, good, re.sub(" +", " ", said) or text.strip()[-200:])


def clean_sim_trace(pypto, folder, report, checks, case):
    target = os.path.join(folder, "clean")
    cleaner = os.path.join(pypto, "python", "pypto", "tools", "clean_sim_trace.py")
    out = run([sys.executable, cleaner, os.path.join(folder, "simulator"), "-o", target], pypto)
    good = out.returncode == 0 and "skipped" not in out.stdout
    said = out.stdout.strip().splitlines()[-1] if out.stdout else out.stderr.strip()[-200:]
    if out.returncode == 0:
        with open(os.path.join(target, "trace.clean.json")) as file:
            events = json.load(file)["traceEvents"]
        busy = sum(e["dur"] for e in events if e["ph"] == "X"
                   and not e["name"].startswith("CROSS"))
        expected = sum(p["busy"] for core in report["cores"] for pipe, p in core["pipes"].items()
                       if pipe != "S") / report["clock_hz"] * 1e6
        arrows = sum(e["ph"] == "s" for e in events)
        notes = re.findall(r"note: (.*)", out.stdout)
        good = abs(busy - expected) < 1e-3 * expected
        said = (f"{sum(e['ph'] == 'X' for e in events)} slices of {busy:.1f} us in sum (ours: "
                f"{expected:.1f}), {arrows} arrows" + "".join(f"; {n}" for n in notes))
    checks.row("pypto clean_sim_trace", case, good, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simpler", required=True)
    parser.add_argument("--pypto", required=True)
    parser.add_argument("--ptosim", default=os.path.join(HERE, "..", "..", "build", "ptosim"))
    parser.add_argument("--data", help="what tests/kernels/goldens.py made (made anew)")
    options = parser.parse_args()
    simpler, pypto = os.path.abspath(options.simpler), os.path.abspath(options.pypto)
    ptosim = os.path.abspath(options.ptosim)
    checks = Checks()
    print(f"simpler {commit(simpler)}, pypto {commit(pypto)}\n")
    print("| tool | recording | as it should | it said |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as root:
        data = options.data
        if data is None:
            data = os.path.join(root, "data")
            subprocess.run([sys.executable, os.path.join(KERNELS, "goldens.py"), data,
                            "attention_f16"], check=True, stdout=subprocess.DEVNULL)
        for number, (case, words) in enumerate(CASES.items()):
            folder = os.path.join(root, str(number))
            out = run([ptosim, "run", os.path.join(KERNELS, words[0]), *words[1:], "--trace",
                       folder, "--trace-formats", "swimlane,insight,json"], data)
            if out.returncode != 0:
                sys.exit(out.stderr)
            with open(os.path.join(folder, "report.json")) as file:
                report = json.load(file)
            converter(simpler, folder, checks, case)
            critical_path(simpler, folder, checks, case)
            deps_viewer(simpler, folder, checks, case)
            clean_sim_trace(pypto, folder, report, checks, case)
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
