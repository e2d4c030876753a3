#!/usr/bin/python3
"""Laws that hold on every chip and for every kernel: no peak is exceeded, and a faster part makes no run slower.

    laws.py [--ptosim build/ptosim] peaks      all test kernels on all chips
    laws.py [--ptosim build/ptosim] random     the same on chips whose rates, latencies and costs are random
    laws.py [--ptosim build/ptosim] monotone   each rate and cost at half and twice its value
        --chips A,B   --kernels A,B   --seed N   --count N   --csv FILE

`peaks` and `random`: a run takes no fewer cycles than its products at the peak of all cubes, its bytes at
the rates of L2, the bytes of any core at the rate of its path, and its busiest pipe; no pipe is busy, waits
and idles for other than the whole run; the busiest cube is busy for its share of all products. `monotone`:
a list of runs that got slower though something got faster, by how much. The exit code is 1 if a peak is
exceeded, or a run gets more than ALLOWED slower. Kernels that a chip refuses are listed
with the code of the error.
"""
import argparse
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import figures as fig  # noqa: E402
import validation_kernels as kernels  # noqa: E402

KERNELS = os.path.join(fig.ROOT, "tests", "kernels")
# Slow-down of a run, in per cent, that is allowed if something gets faster: pipes that come in another order.
ALLOWED = 3.0
# The paths by which a core reads and writes global memory.
READS = {"AIC": ("aic.gm_to_l1.rate", "aic.gm_to_l1_nd2nz.rate"), "AIV": ("aiv.gm_to_ub.rate",)}
WRITES = {"AIC": ("aic.l0c_to_gm.rate", "FIX"), "AIV": ("aiv.ub_to_gm.rate", "MTE3")}


class Kernel:
    """A kernel with its arguments, in time only."""

    def __init__(self, name, words, folder=None, warm=0):
        self.name, self.words, self.folder, self.warm = name, words, folder, warm

    def run(self, ptosim, chip, sets=()):
        """The result, or None and the code of the error if the chip refuses the kernel."""
        words = [ptosim, "run", *self.words, "--chip", chip, "--mode", "timing", "--warm", str(self.warm), "--json", "-"]
        for path, value in sets:
            words += ["--set", f"{path}={value}"]
        process = subprocess.run(words, capture_output=True, text=True, cwd=self.folder)
        if process.returncode in (1, 2):
            return None, re.search(r"error: .*\[([A-Z]\d\d)\]", process.stderr)[1]
        if process.returncode:
            raise RuntimeError(f"{' '.join(words)}\n{process.stderr}")
        return json.loads(process.stdout[process.stdout.index("{"):]), ""


def test_kernels(data, made):
    """Kernels of tests/kernels with their data, kernels whose tiles follow from the chip, and kernels of the validation
    that take little time; `made` is a folder for the latter's text."""
    with open(os.path.join(data, "cases.json")) as file:
        cases = json.load(file)["cases"]
    found = []
    for case in cases:
        words = [os.path.join(KERNELS, case["kernel"]), "--entry", case["entry"], "--blocks", str(case["blocks"])]
        found.append(Kernel(case["name"], words + [w for a in case["args"] for w in ("--arg", a)], data))
    for arch, chip in (("a2a3", fig.A2A3), ("a5", fig.A5)):
        texts = {"attention": (kernels.attention(arch, 1024, 1024), 1),
                 "sums": (fig.add_kernel(arch, chip, ["add", "16384" if arch == "a2a3" else "21760", "2"]), 1),
                 "reads": (fig.read_kernel(arch, chip, ["read", "vec", "64x1024"]), 0),
                 "reads into L1": (fig.read_kernel(arch, chip, ["read", "mat", "64x256"]), 0),
                 "shared reads": (fig.shared_kernel(arch, chip, ["shared", "mat", "same"]), 0),
                 "copies": (fig.stream_kernel(arch, chip, ["copy", "8", "2"]), 1),
                 "product": (fig.matmul_kernel(arch, chip, ["gemm", "1536"] if arch == "a2a3" else ["mxfp8", "2048"]), 0)}
        for name, ((text, arguments, blocks), warm) in texts.items():
            path = os.path.join(made, f"{name.replace(' ', '_')}_{arch}.pto")
            with open(path, "w") as out:
                out.write(text)
            words = [path, "--sync", "explicit", "--blocks", str(blocks)] + [w for a in arguments for w in ("--arg", a)]
            found.append(Kernel(f"{name} {arch}", words, None, warm))
    return found


def chip_numbers(ptosim, chip):
    """path -> number in its unit, and path -> unit, of all rates and times."""
    shown = json.loads(subprocess.run([ptosim, "chips", chip, "--json", "-"], check=True, capture_output=True, text=True).stdout)
    numbers, units = {}, {}
    for path, parameter in shown["parameters"].items():
        value, _, unit = str(parameter["value"]).partition(" ")
        numbers[path], units[path] = float(value), unit
    return numbers, units


def directions(ptosim):
    """path -> 1 if more of it is faster, -1 if less of it is; others are sizes or rules (sim/machine/model/parameters.def)."""
    def walk(group, path):
        for key, node in group["properties"].items():
            if "x-faster" in node:
                yield path + key, 1 if node["x-faster"] == "more" else -1
            elif "properties" in node:
                yield from walk(node, f"{path}{key}.")

    schema = subprocess.run([ptosim, "chips", "--schema"], check=True, capture_output=True, text=True).stdout
    return dict(walk(json.loads(schema)["properties"]["parameters"], ""))


def broken(answer, numbers):
    """Impossible results of a run; numbers: of its chip, as it ran."""
    work, cycles, lines = answer["work"], answer["cycles"], []
    for bound in ("compute_cycles", "bandwidth_cycles", "occupancy_cycles"):
        if work[bound] > cycles:
            lines.append(f"{cycles} cycles are less than {bound} {work[bound]}")
    cubes = [core["pipes"]["M"]["busy"] for core in answer["cores"] if core["lane"].startswith("AIC")]
    if work["compute_cycles"] > max(cubes, default=0):
        lines.append(f"no cube is busy for the {work['compute_cycles']} cycles of its share of the products")
    can_read = can_write = 0
    for core in answer["cores"]:
        kind = core["lane"][:3]
        can_read += core["pipes"]["MTE2"]["busy"] * max(numbers[path] for path in READS[kind])
        path, pipe = WRITES[kind]
        can_write += core["pipes"].get(pipe, {}).get("busy", 0) * numbers[path]
        for name, pipe in core["pipes"].items():
            if pipe["busy"] + pipe["wait"] + pipe["idle"] != cycles:
                lines.append(f"{core['lane']}/{name}: busy, waiting and idle are not {cycles} cycles together")
    # Transfers of no whole cycle round up; so does nothing else.
    if work["global_read_bytes"] > can_read:
        lines.append(f"{work['global_read_bytes']} bytes read, where the paths of all cores take {can_read:.0f}")
    if work["global_write_bytes"] > can_write:
        lines.append(f"{work['global_write_bytes']} bytes written, where the paths of all cores take {can_write:.0f}")
    return lines


def changed(numbers, units, factors):
    """(path, value) of --set for numbers times factors, and all numbers as they are then."""
    sets, now = [], dict(numbers)
    for path, factor in factors.items():
        value = numbers[path] * factor
        if units[path] in ("", "B") and numbers[path] == int(numbers[path]):  # counts
            value = max(1, round(value))
        now[path] = round(value, 3)
        sets.append((path, f"{now[path]:g}" + units[path].replace(" ", "") if units[path] else f"{now[path]:g}"))
    return sets, now


def check(ptosim, jobs):
    """Runs (kernel, chip, sets, numbers); returns the number of runs, (chip, code) -> refused kernels, and the
    violations."""
    ran, refused, wrong = 0, {}, []
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        answers = workers.map(lambda job: job[0].run(ptosim, job[1], job[2]), jobs)
        for (kernel, chip, sets, numbers), (answer, code) in zip(jobs, answers):
            if answer is None:
                refused.setdefault((chip, code), set()).add(kernel.name)
                continue
            ran += 1
            wrong += [f"{chip}, {kernel.name}{', ' if sets else ''}{' '.join('='.join(s) for s in sets)}: {line}"
                      for line in broken(answer, numbers)]
    return ran, refused, wrong


def random_jobs(ptosim, all_kernels, chips, count, seed):
    """`count` runs of a kernel on a chip, each with every rate and cost at a quarter to four times its value."""
    chance = random.Random(seed)
    known = {chip: chip_numbers(ptosim, chip) for chip in chips}
    faster = directions(ptosim)
    jobs = []
    for _ in range(count):
        chip, kernel = chance.choice(chips), chance.choice(all_kernels)
        numbers, units = known[chip]
        factors = {path: 4 ** chance.uniform(-1, 1) for path in sorted(numbers)
                   if path in faster and numbers[path] > 0 and units[path] != ""}
        sets, now = changed(numbers, units, factors)
        jobs.append((kernel, chip, sets, now))
    return jobs


def monotone(ptosim, all_kernels, chip):
    """(kernel, path, factor by which it is worse, cycles as it is, cycles then) for each number of the chip
    that changes a kernel's cycles."""
    numbers, units = chip_numbers(ptosim, chip)
    faster = directions(ptosim)
    found = []
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        jobs = []
        for kernel in all_kernels:
            base, _ = kernel.run(ptosim, chip)
            if base is None:
                continue
            for path in sorted(numbers):
                if path in faster and numbers[path] > 0:
                    for factor in (0.5, 2):
                        sets, _ = changed(numbers, units, {path: factor})
                        worse = factor < 1 if faster[path] > 0 else factor > 1
                        jobs.append((kernel, path, factor, worse, base["cycles"],
                                     workers.submit(kernel.run, ptosim, chip, sets)))
        for kernel, path, factor, worse, before, job in jobs:
            answer, _ = job.result()
            if answer is not None and answer["cycles"] != before:
                found.append((kernel.name, path, factor, worse, before, answer["cycles"]))
    return found


def against(found):
    """Results of monotone() that go the wrong way: (per cent, line)."""
    lines = []
    for kernel, path, factor, worse, before, then in found:
        if (then < before) if worse else (then > before):
            slower = 100 * abs(then - before) / min(then, before)
            lines.append((slower, f"{kernel}: {path} x {factor:g}: {before} -> {then} cycles ({slower:.2f} %)"))
    return sorted(lines, reverse=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", default=os.path.join(fig.ROOT, "build", "ptosim"))
    parser.add_argument("--data", help="where tests/kernels/goldens.py has written")
    parser.add_argument("--chips", help="default: all, and for monotone ascend910b1,ascend950pr")
    parser.add_argument("--kernels", help="names or their beginnings")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--csv", help="monotone: all that changed")
    parser.add_argument("law", choices=("peaks", "random", "monotone"))
    options = parser.parse_args()
    ptosim = os.path.abspath(options.ptosim)
    chips = options.chips.split(",") if options.chips else [c[:-5] for c in sorted(os.listdir(os.path.join(fig.ROOT, "models")))
                                                            if c.endswith(".json")]
    with tempfile.TemporaryDirectory() as made:
        data = options.data or os.path.join(made, "data")
        if not os.path.exists(os.path.join(data, "cases.json")):
            subprocess.run(["/usr/bin/python3", os.path.join(KERNELS, "goldens.py"), data], check=True, stdout=subprocess.DEVNULL)
        mine = [k for k in test_kernels(data, made)
                if not options.kernels or k.name.startswith(tuple(options.kernels.split(",")))]
        if options.law != "monotone":
            known = {chip: chip_numbers(ptosim, chip)[0] for chip in chips}
            jobs = random_jobs(ptosim, mine, chips, options.count, options.seed) if options.law == "random" else \
                [(kernel, chip, (), known[chip]) for chip in chips for kernel in mine]
            ran, refused, wrong = check(ptosim, jobs)
            print("\n".join(wrong + [f"{chip} refuses ({code}): {', '.join(sorted(names))}"
                                     for (chip, code), names in sorted(refused.items())]))
            print(f"{ran} runs, {len(wrong)} laws broken")
            return 1 if wrong else 0
        worst = 0.0
        for chip in chips if options.chips else (fig.A2A3, fig.A5):
            found = monotone(ptosim, mine, chip)
            lines = against(found)
            worst = max([worst] + [slower for slower, _ in lines])
            print(f"{chip}: {len(found)} changes of {len({f[1] for f in found})} numbers change the cycles of "
                  f"{len({f[0] for f in found})} kernels; {len(lines)} of them the wrong way")
            print("\n".join("  " + line for _, line in lines), flush=True)
            if options.csv:
                with open(options.csv, "a", newline="") as out:
                    csv.writer(out).writerows((chip, *f) for f in found)
        return 1 if worst > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
