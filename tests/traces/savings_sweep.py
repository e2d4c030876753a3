#!/usr/bin/python3
"""Savings that reports promise, against chips with these changes.

    savings_sweep.py --ptosim BIN --data DIR [KERNEL...]

DIR is where tests/kernels/goldens.py wrote. Of each kernel of tests/kernels (ascend910b1) the savings
of whole pipes are tried with --set. Where more is saved than was promised, another pipe must have gained
too (the report leaves that out): its busy cycles have become fewer, or the figures of the memory that
were set are also those of its transfers. It is named. Exit code 1 if more was saved although no other
pipe can have gained.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels")
# Figures of global memory apply to all cores: pipes that have them in common.
SHARE = [{("AIC", "MTE2"), ("AIV", "MTE2")}, {("AIC", "FIX"), ("AIV", "MTE3")}]
READ = ["memory.l2.read=1000000000000000", "memory.hbm.latency=0", "memory.same_window=0"]
WRITE = ["memory.l2.write=1000000000000000"]


def changes(names):
    zero = lambda *paths: [f"{n}={'1000000' if n.endswith('.rate') else '0'}" for n in names
                           if any(n.startswith(path + ".") for path in paths)]
    vector = [n + ("=0.001" if re.search(r"\.(b8|b16|b32|b64)$", n) else "=0") for n in names
              if n.startswith("aiv.vector") and not re.search("ports|steps|by_row|gather", n)]
    return {
        "M of all AIC": ("AIC", "M", ["aic.cube.overhead=0", "aic.cube.latency=0",
                                      "aic.cube.k_per_cycle.f16=512"]),
        "MTE1 of all AIC": ("AIC", "MTE1", zero("aic.l1_to_l0a", "aic.l1_to_l0b")),
        "FIX of all AIC": ("AIC", "FIX", zero("aic.l0c_to_gm") + WRITE),
        "MTE2 of all AIC": ("AIC", "MTE2", zero("aic.gm_to_l1", "aic.gm_to_l1_nd2nz") + READ),
        "MTE2 of all AIV": ("AIV", "MTE2", zero("aiv.gm_to_ub") + READ),
        "MTE3 of all AIV": ("AIV", "MTE3", zero("aiv.ub_to_gm") + WRITE),
        "V of all AIV": ("AIV", "V", vector),
    }


class Sweep:
    def __init__(self, options, folder):
        self.o, self.folder = options, folder
        chip = subprocess.run([options.ptosim, "chips", "ascend910b1"], check=True,
                              capture_output=True, text=True).stdout
        self.changes = changes([line.split()[0] for line in chip.splitlines()
                                if re.match(r"(aic|aiv|memory|scalar)\.", line)])
        self.tried = self.more = self.bad = 0

    def run(self, words, *more):
        out = os.path.join(self.folder, "result.json")
        done = subprocess.run([self.o.ptosim, "run", *words, "--mode", "timing", "--json", out, *more],
                              cwd=self.o.data, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.splitlines()[0]
        with open(out) as file:
            return json.load(file)

    def kernel(self, case):
        words = [os.path.join(KERNELS, case["kernel"]), "--entry", case["entry"], "--blocks",
                 str(case["blocks"])]
        for arg in case["args"]:
            words += ["--arg", arg]
        trace = os.path.join(self.folder, "trace")
        before = self.run(words, "--trace", trace, "--trace-formats", "json")
        if isinstance(before, str):
            return print(f"-  {case['name']}: {before}")
        with open(os.path.join(trace, "report.json")) as file:
            said = {s["change"]: s["cycles"] for s in json.load(file)["savings"]}
        for unit, (core, pipe, sets) in self.changes.items():
            cycles = said.get(f"if {unit} took no time")
            if cycles is None:
                continue
            after = self.run(words, *[word for s in sets for word in ("--set", s)])
            if isinstance(after, str):
                print(f"-  {case['name']} {unit}: {after}")
                continue
            self.told(case["name"], unit, cycles, before, after, (core, pipe))

    def told(self, name, unit, said, before, after, changed):
        saved = before["cycles"] - after["cycles"]
        self.tried += 1
        text = f"{name:22} {unit:16} said {said:6}  saved {saved:6}  of {before['cycles']:6}"
        if saved > said:
            faster = self.faster(before, after, changed)
            self.more += 1
            self.bad += not faster
            text += "  " + (", ".join(faster) if faster else "MORE, and no other pipe can have gained")
        print(text, flush=True)

    def faster(self, before, after, changed):
        """Other pipes whose busy cycles, summed over the cores, have become fewer, or that were
        given the same memory."""
        def busy(result):
            sums = {}
            for core in result["cores"]:
                for pipe, account in core["pipes"].items():
                    key = core["lane"][:3], pipe
                    sums[key] = sums.get(key, 0) + account["busy"]
            return sums
        was, now = busy(before), busy(after)
        fewer = [f"{core} {pipe} {was[core, pipe]} -> {now[core, pipe]}" for core, pipe in was
                 if (core, pipe) != changed and now[core, pipe] < was[core, pipe]]
        return fewer or [f"{core} {pipe} has the same memory" for share in SHARE
                         for core, pipe in share - {changed}
                         if changed in share and was.get((core, pipe), 0) > 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True, type=os.path.abspath)
    parser.add_argument("--data", required=True, type=os.path.abspath)
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    with open(os.path.join(options.data, "cases.json")) as file:
        cases = [c for c in json.load(file)["cases"]
                 if not options.kernels or c["name"] in options.kernels]
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(options, folder)
        for case in cases:
            sweep.kernel(case)
    print(f"{sweep.tried} changes tried, {sweep.more} save more than said, {sweep.bad} where "
          "no other pipe can have gained")
    sys.exit(sweep.bad > 0)


if __name__ == "__main__":
    main()
