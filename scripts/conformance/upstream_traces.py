"""Runs upstream tools on our recordings and prints their output.

simpler: swimlane_converter, critical_path (its tiling must be exact) and deps_viewer on the inter-core swimlane; pypto:
clean_sim_trace on visualize_data.bin. The checkouts are clones of github.com/hw-native-sys/{simpler,pypto}; nothing of them is
kept. Exit code 1 if a tool fails or its output is not the expected one.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import suites
from suites import ROOT, Suite, options, place

KERNELS = ROOT / "tests" / "kernels"
# Recording: kernel, words, arguments.
CASES = {
    "attention_f16 (8 blocks on cube and vector cores)": (
        "attention_f16.pto", ["--blocks", "8"], [
            "in=attention_f16/q.npy", "in=attention_f16/k.npy", "in=attention_f16/v.npy", "zeros=8x2x128x128xf32",
            "zeros=8x2x128x128xf16", "zeros=8x2x128x64xf32", "out=1024x64xf32", "i32=4", "i32=256", "i32=512"]),
    "gemm_f16 (40 blocks in two waves)": (
        "gemm_f16.pto", ["--blocks", "40"], ["rand=512x512xf16"] * 2 + ["out=512x512xf32"] + ["i32=512"] * 3),
    "softmax_rows_f32 (16 blocks on vector cores of ascend950pr)": (
        "softmax_rows_f32.pto", ["--chip", "ascend950pr", "--blocks", "16"], ["rand=1024x512xf32", "out=1024x512xf32", "i32=1024"]),
}


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def events_of(file):
    return json.loads(file.read_text())["traceEvents"]


def end_of(text):
    return text.strip()[-200:]


class Tools(Suite):
    """An item is a tool on a recording; it returns whether the output is the expected one, and the output in one line."""
    places = {}
    options = options("ptosim", simpler=place("its checkout", required=True), pypto=place("its checkout", required=True),
                      data=place("folder that tests/kernels/goldens.py made (made anew)"))
    columns = ("tool", "recording", "as it should", "it said")
    key, state, reason = ("tool", "recording"), "as it should", "it said"
    good = ("yes",)

    def prepare(self):
        self.temporary = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.temporary.name)
        data = self.given.data or root / "data"
        if not self.given.data:
            subprocess.run([sys.executable, KERNELS / "goldens.py", data, "attention_f16"], check=True, stdout=subprocess.DEVNULL)
        self.folders = {}
        for case, (kernel, words, arguments) in CASES.items():
            folder = self.folders[case] = root / str(len(self.folders))
            out = run(suites.launch(self.given.ptosim, "run", KERNELS / kernel, *words, "--trace", folder, "--trace-formats",
                                    "swimlane,insight,json", arguments=arguments), data)
            if out.returncode != 0:
                sys.exit(out.stderr)
        commits = (run(["git", "rev-parse", "--short", "HEAD"], place).stdout.strip() or "unknown"
                   for place in (self.given.simpler, self.given.pypto))
        print("simpler {}, pypto {}\n\n| tool | recording | as it should | it said |\n|---|---|---|---|".format(*commits))

    def items(self):
        return [(tool, case) for case in CASES for tool in (self.converter, self.critical_path, self.deps_viewer,
                                                            self.clean_sim_trace)]

    def name_of(self, item):
        tool, case = item
        owner = "pypto" if tool == self.clean_sim_trace else "simpler"
        return f"{owner} {'swimlane_converter' if tool == self.converter else tool.__name__}", case

    def run(self, item):
        good, said = item[0](self.folders[item[1]])
        return dict(zip(self.columns, (*self.name_of(item), "yes" if good else "**no**", said)))

    def told(self, name, result):
        return "| " + " | ".join(result.values()) + " |"

    def tool(self, name, *words):
        """One of simpler's tools without the compiled parts that its package asks for."""
        start = ("import runpy, sys, types; package = types.ModuleType('simpler_setup'); "
                 f"package.__path__ = [{str(self.given.simpler / 'simpler_setup')!r}]; "
                 "sys.modules['simpler_setup'] = package; "
                 f"sys.argv = [{name!r}, *{list(map(str, words))!r}]; "
                 f"runpy.run_module('simpler_setup.tools.{name}', run_name='__main__')")
        return run([sys.executable, "-c", start], self.given.simpler)

    def converter(self, folder):
        (names,), made = folder.glob("name_map_*.json"), folder / "merged_swimlane.json"
        records = folder / "chip_swimlane_records.json"
        out = self.tool("swimlane_converter", records, "--func-names", names, "-o", made)
        if out.returncode != 0 or not made.exists():
            return False, (out.stderr.strip().splitlines() or ["?"])[-1]
        tasks = [event for event in events_of(made) if event.get("ph") == "X" and "taskId" in event.get("args", {})]
        rows = len(json.loads(records.read_text())["aicore_tasks"])
        names = sorted({task["name"].split("(t")[0] for task in tasks})
        return len(tasks) == rows, f"{len(tasks)} tasks (of {rows}), {' and '.join(names)}"

    def critical_path(self, folder):
        out, report = self.tool("critical_path", folder), folder / "critical_path_report.md"
        text = report.read_text() if report.exists() else out.stderr
        tiled = re.search(r"tiling check: (.*)", text)
        return bool(tiled) and "(exact)" in tiled.group(1), tiled.group(1) if tiled else end_of(text)

    def deps_viewer(self, folder):
        path = folder / "deps_viewer.txt"
        out = self.tool("deps_viewer", folder / "deps.json", "--format", "text", "-o", path)
        good = out.returncode == 0 and path.exists()
        text = path.read_text() if good else out.stderr
        said = ", ".join(re.findall(r"(?im)^\W*(?:total )?((?:tasks|nodes|edges)\b.*)$", text)[:2])
        return good, re.sub(" +", " ", said) or end_of(text)

    def clean_sim_trace(self, folder):
        cleaner = self.given.pypto / "python" / "pypto" / "tools" / "clean_sim_trace.py"
        out = run([sys.executable, cleaner, folder / "simulator", "-o", folder / "clean"], self.given.pypto)
        if out.returncode != 0:
            return False, out.stdout.strip().splitlines()[-1] if out.stdout else end_of(out.stderr)
        events, report = events_of(folder / "clean" / "trace.clean.json"), json.loads((folder / "report.json").read_text())
        busy = sum(event["dur"] for event in events if event["ph"] == "X" and not event["name"].startswith("CROSS"))
        expected = sum(of["busy"] for core in report["cores"] for pipe, of in core["pipes"].items()
                       if pipe != "S") / report["clock_hz"] * 1e6
        return abs(busy - expected) < 1e-3 * expected, "; ".join([
            f"{sum(event['ph'] == 'X' for event in events)} slices of {busy:.1f} us in sum (ours: {expected:.1f}), "
            f"{sum(event['ph'] == 's' for event in events)} arrows", *re.findall(r"note: (.*)", out.stdout)])
