#!/usr/bin/python3
"""totals.py over many runs: every kernel of tests/kernels and tests/cpp, FIFOs, hosts that launch
several times, other chips, both modes, --sync auto, and runs that fail or are cut off.

    totals_sweep.py --ptosim BIN --data DIR [WORD...]

DIR is where tests/kernels/goldens.py wrote. With words, only runs whose names have one of them.
Exit code 1 if anything does not agree.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path[1:1] = [os.path.join(TESTS, name) for name in ("cli", "kernels")]
import fifo_test  # noqa: E402  its kernel
import mutate  # noqa: E402
import totals  # noqa: E402

KERNELS = os.path.join(TESTS, "kernels")


def pto_runs(cases):
    for case in cases:
        words = [os.path.join(KERNELS, case["kernel"]), "--entry", case["entry"], "--blocks",
                 str(case["blocks"])]
        for arg in case["args"]:
            words += ["--arg", arg]
        yield case["name"], words, {0}
        compiled = os.path.join(TESTS, "cpp", "kernels", case["entry"] + ".cpp")
        if os.path.exists(compiled):
            yield case["name"] + " C++", [compiled, *words[1:]], {0}
        yield case["name"] + " timing", [*words, "--mode", "timing"], {0}
        yield case["name"] + " auto", [*words, "--sync", "auto"], {0, 1}
        yield case["name"] + " a5", [*words, "--chip", "ascend950pr"], {0, 1, 2}
        yield case["name"] + " inserted", [*words, "--sync", "insert", "--mode", "timing"], {0, 1}


def broken_runs(cases, folder):
    with open(os.path.join(KERNELS, "broken.json")) as file:
        broken = json.load(file)
    for entry in broken["broken"]:
        case = next(c for c in cases if c["name"] == entry["case"])
        with open(os.path.join(KERNELS, case["kernel"])) as file:
            text = mutate.remove(file.read(), entry["remove"])
        path = os.path.join(folder, entry["name"] + ".pto")
        with open(path, "w") as file:
            file.write(text)
        words = [path, "--entry", case["entry"], "--blocks", str(case["blocks"])]
        for arg in case["args"]:
            words += ["--arg", arg]
        yield "broken " + entry["name"], words, {0, 1}


def fifo_runs(folder):
    for split, (rows, cols, down, right) in fifo_test.SPLITS.items():
        path = os.path.join(folder, f"fifo{split}.pto")
        with open(path, "w") as file:
            file.write(fifo_test.KERNEL.replace("SPLIT", str(split)).replace("ROWS", str(rows))
                       .replace("COLS", str(cols)).replace("DOWN", down).replace("RIGHT", right))
        yield f"fifo {split}", [
            path, "--blocks", "1", "--sync", "auto", "--entry", "cube+vector", "--arg",
            "rand=32x32xf16", "--arg", "rand=160x32xf16", "--arg", "out=160x32xf32", "--arg",
            "zeros=8x1024xf32", "--arg", "i32=5"], {0, 1}


class Sweep:
    def __init__(self, options, folder):
        self.o, self.folder = options, folder
        self.done = self.bad = 0

    def wanted(self, name):
        return not self.o.words or any(word in name for word in self.o.words)

    def told(self, name, problems, more=""):
        self.done += 1
        self.bad += bool(problems)
        print(f"{'FAILED' if problems else 'ok':7}{name}{more}", *problems[:8], sep="\n    ",
              flush=True)

    def check(self, name, trace, result=None):
        subprocess.run([self.o.ptosim, "report", trace, "--write", "all"], check=True,
                       capture_output=True)
        compared = totals.Comparison(trace)
        problems = compared.all()
        if result is not None:
            compared.problems = []
            compared.cores(result["cores"], "--json")
            problems += compared.problems
            if result["cycles"] != compared.t.whole:
                problems.append(f"--json: {result['cycles']} cycles")
        self.told(name, problems, f" ({compared.t.whole} cycles)")

    def run(self, name, words, codes):
        if not self.wanted(name):
            return
        trace = os.path.join(self.folder, "trace")
        shutil.rmtree(trace, ignore_errors=True)
        out = os.path.join(self.folder, "result.json")
        # Once without a recording: the same totals, added up while it runs.
        done = [subprocess.run([self.o.ptosim, "run", *words, *more], cwd=self.o.data,
                               capture_output=True, text=True)
                for more in (["--json", out], ["--trace", trace, "--trace-formats", "none"])]
        if {d.returncode for d in done} - codes - {2}:
            return self.told(name, [f"exit codes {[d.returncode for d in done]}",
                                    *done[1].stderr.splitlines()[:1]])
        path = os.path.join(trace, "recording.bin")
        if done[1].returncode == 2 or not os.path.exists(path):
            return print(f"-      {name}: {done[1].stderr.splitlines()[:1]}")
        with open(out) as file:
            self.check(name, trace, json.load(file))
        if "timing" in name:
            self.cut_off(name + " cut off", trace, path)

    def cut_off(self, name, trace, path):
        whole = os.path.join(self.folder, "whole")
        os.replace(path, whole)
        with open(whole, "rb") as file:
            data = file.read()
        at, ends = 20, []  # of blocks
        while at < len(data):
            at += 12 + int.from_bytes(data[at:at + 4], "little")
            ends.append(at)
        if len(ends) < 2:
            return
        with open(path, "wb") as file:
            file.write(data[:ends[(len(ends) - 1) * 2 // 3]])
        self.check(name, trace)

    def host(self, name, sources, words, codes=(0,)):
        if not self.wanted(name):
            return
        app = os.path.join(self.folder, "app")
        trace = os.path.join(self.folder, "trace")
        shutil.rmtree(trace, ignore_errors=True)
        built = subprocess.run([self.o.ptosim, "build", *sources, "-o", app], capture_output=True,
                               text=True)
        assert built.returncode == 0, built.stderr
        done = subprocess.run([app, *words], cwd=self.o.data, capture_output=True, text=True,
                              env={**os.environ, "PTOSIM_TRACE": trace})
        if done.returncode not in codes:
            return self.told(name, [f"exit code {done.returncode}", done.stderr])
        self.check(name, trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True, type=os.path.abspath)
    parser.add_argument("--data", required=True, type=os.path.abspath)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    with open(os.path.join(options.data, "cases.json")) as file:
        cases = json.load(file)["cases"]
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(options, folder)
        for make in (pto_runs(cases), fifo_runs(folder), broken_runs(cases, folder)):
            for name, words, codes in make:
                sweep.run(name, words, codes)
        cpp = os.path.join(TESTS, "cpp")
        scale = [os.path.join(cpp, name) for name in ("scale_kernel.cpp", "scale_main.cpp")]
        for words in (["run", "2"], ["run", "50"], ["again", "8"]):
            sweep.host("host scale " + " ".join(words), scale, words)
    print(f"{sweep.done} runs, {sweep.bad} do not agree")
    sys.exit(sweep.bad > 0)


if __name__ == "__main__":
    main()
