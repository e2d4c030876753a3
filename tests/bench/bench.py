#!/usr/bin/python3
"""Speed of the simulator on this host: tests/bench/results.json, and the tables of tests/evidence/bench.json.

    bench.py --build DIR [--out DIR] [--quick] [--pto-isa CHECKOUT [--clang clang++-19]]

CHECKOUT is one of hw-native-sys/pto-isa: its CPU simulator computes the same tiles in the same run.
DIR holds ptosim and tests/bench/bench_instructions. Times of whole runs are processor time of the
process and its children (other programs on the host do not count) and, where threads are compared,
time on the clock; of several runs the fastest counts. Figures of a launch leave out reading the kernel,
filling the arguments and hashing the outputs.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import evidence  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")


class Runner:
    def __init__(self, build, quick):
        self.ptosim = os.path.join(build, "ptosim")
        self.instructions = os.path.join(build, "tests", "bench", "bench_instructions")
        self.repeat = 1 if quick else 3
        self.folder = tempfile.TemporaryDirectory()
        # Option that leaves the advice out, if the program has one.
        usage = subprocess.run([self.ptosim, "run", "--help"], capture_output=True, text=True)
        self.no_advice = ("--no-advice",) if "--no-advice" in usage.stdout else ()

    def once(self, words):
        result = os.path.join(self.folder.name, "result.json")
        begin = time.monotonic()
        process = subprocess.Popen([self.ptosim, *words, "--json", result],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        if status != 0:
            sys.exit(f"error: {' '.join(words)}: {process.stderr.read().decode()}")
        process.returncode = 0
        with open(result) as file:
            data = json.load(file)
        return {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall,
                "launch": data["host"]["seconds"],
                "launch_cpu": data["host"]["processor_seconds"], "megabytes": usage.ru_maxrss / 1024,
                "instructions": data["instructions"], "cycles": data["cycles"]}

    def best(self, words):
        runs = [self.once(words) for _ in range(self.repeat)]
        return {key: min(run[key] for run in runs) for key in runs[0]}

    def gemm(self, size, blocks, *extra):
        square = f"{size}x{size}"
        kind = "zeros" if "timing" in extra else "rand"
        return self.best(["run", os.path.join(KERNELS, "gemm_f16.pto"), "--blocks", str(blocks),
                          "--arg", f"{kind}={square}xf16", "--arg", f"{kind}={square}xf16",
                          "--arg", f"out={square}xf32", *["--arg", f"i32={size}"] * 3, *extra])

    def small(self, rounds, blocks, *extra):
        return self.best(["run", os.path.join(HERE, "many_small_f32.pto"), "--blocks", str(blocks),
                          "--arg", "rand=16x16xf32", "--arg", "out=16x16xf32",
                          "--arg", f"i32={rounds}", "--threads", "1", *extra])

    def mixed(self, blocks, *extra):
        """64 tiles of 128 x 128 on each cluster of a cube core and two vector cores."""
        rows, cols = 128 * blocks, 8192
        return self.best(["run", os.path.join(KERNELS, "linear_relu_mixed_f16.pto"), "--blocks",
                          str(blocks), "--arg", f"rand={rows}x256xf16", "--arg",
                          f"rand=256x{cols}xf16", "--arg", f"rand=1x{cols}xf32", "--arg",
                          f"zeros={blocks}x2x128x128xf32", "--arg", f"out={rows}x{cols}xf16",
                          "--arg", f"i32={rows}", "--arg", f"i32={cols}", *extra])

    def trace_folder(self):
        return os.path.join(self.folder.name, "trace")


def measure_pto_isa(checkout, clang, folder):
    """Single instructions on the CPU simulator of a pto-isa checkout, built with `clang`."""
    program = os.path.join(folder, "pto_isa")
    includes = [os.path.join(checkout, *path) for path in
                (("include",), ("include", "common"), ("tests", "cpu", "stubs"),
                 ("tests", "common"))]
    subprocess.run([clang, "-std=c++23", "-O2", "-march=native", "-D__CPU_SIM", "-Wno-everything",
                    "-include", "stdint.h", "-include", "stddef.h",
                    *(f"-I{path}" for path in includes), os.path.join(HERE, "pto_isa_main.cpp"),
                    "-o", program, "-pthread", "-ldl"], check=True)
    return json.loads(subprocess.run([program], check=True, capture_output=True).stdout)


def measure(run, quick):
    words = [run.instructions] + (["--quick"] if quick else [])
    result = {"host": {"machine": platform.machine(), "processor": processor(),
                       "cores": os.cpu_count(),
                       "load": [os.getloadavg()[0]]}}
    result["single"] = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    peak = result["single"]["peak_gflops"]

    large = 1024 if quick else 2048
    full = {}
    for name, extra in (("full, 1 thread", ("--threads", "1")),
                        ("full, 2 threads", ("--threads", "2")),
                        ("functional, 1 thread", ("--threads", "1", "--mode", "functional")),
                        ("timing", ("--mode", "timing")),
                        ("full, recorded", ("--threads", "1", "--trace", run.trace_folder(),
                                            "--trace-formats", "none")),
                        ("full, recorded, the default files made",
                         ("--threads", "1", "--trace", run.trace_folder())),
                        ("full, all checks", ("--threads", "1", "--check",
                                              "bounds,init,race,sync"))):
        full[name] = run.gemm(large, 24, *extra)
        if not name.startswith("timing"):
            full[name]["of_peak"] = (2.0 * large ** 3 / full[name]["launch_cpu"] * 1e-9 /
                                     peak)
    recording = os.path.getsize(os.path.join(run.trace_folder(), "recording.bin"))
    result["gemm"] = {"size": large, "runs": full, "recording_bytes": recording}
    result["timing_gemm"] = {"size": 1536 if quick else 6144,
                             **run.gemm(1536 if quick else 6144, 24, "--mode", "timing")}
    rounds = 50000
    result["small"] = {mode: run.small(rounds, 1, "--mode", mode) for mode in ("full", "timing")}
    result["by_cores"] = {str(blocks): run.small(10000, blocks, "--mode", "timing")
                          for blocks in (1, 6, 12, 24, 48)}
    result["gemm_by_cores"] = {str(blocks): run.gemm(1536, blocks, "--mode", "timing")
                               for blocks in (1, 6, 12, 24)}
    result["mixed_by_cores"] = {str(3 * blocks): run.mixed(blocks, "--mode", "timing")
                                for blocks in (1, 4, 12, 24)}
    result["by_length"] = {str(2 * rounds): run.small(rounds, 1, "--mode", "timing")
                           for rounds in (5000, 50000, 500000) + (() if quick else (5000000,))}
    result["start_up"] = run.small(1, 1)
    result["host"]["load"].append(os.getloadavg()[0])
    return result


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def per_instruction(run):
    return run["launch_cpu"] / run["instructions"] * 1e6


def rows(result):
    """(what, measured, wanted, whether it is reached) of everything that has a target."""
    table = []
    for item in result["single"]["instructions"]:
        if not item["target"]:
            continue
        value = item["rate"] if item["absolute"] else item["ratio"]
        table.append((item["name"],
                      f"{item['rate']:.3g} {item['unit']}" +
                      ("" if item["absolute"] else f" = {100 * item['ratio']:.0f} % of " +
                       item["reference"]),
                      f"{item['target']:g} {item['unit']}" if item["absolute"] else
                      f"{100 * item['target']:.0f} %", value >= item["target"]))
    gemm = result["gemm"]["runs"]
    size = result["gemm"]["size"]
    one, two = gemm["full, 1 thread"], gemm["full, 2 threads"]
    table.append((f"GEMM {size}^3 f16, 24 cores, data and time, 1 thread",
                  f"{one['launch_cpu']:.3f} s = {100 * one['of_peak']:.0f} % of peak", "35 %",
                  one["of_peak"] >= 0.35))
    table.append(("the same on 2 threads, on the clock",
                  f"{one['launch'] / two['launch']:.2f} times as fast",
                  "1.7 times", one["launch"] / two["launch"] >= 1.7))
    timing = result["timing_gemm"]
    rate = timing["instructions"] / timing["launch_cpu"] / 1e6
    table.append((f"GEMM {timing['size']}^3, 24 cores, --mode timing",
                  f"{timing['cpu']:.2f} s, {timing['megabytes']:.0f} MB", "5 s, 300 MB",
                  timing["cpu"] < 5 and timing["megabytes"] < 300))
    table.append(("the same, instructions per second",
                  f"{rate:.2f} million", "3 million", rate >= 3))
    recorded = gemm["full, recorded"]
    more = recorded["cpu"] / one["cpu"] - 1
    table.append((f"recording the GEMM of {size}^3, of its run's time", f"{100 * more:.0f} %",
                  "25 %", more <= 0.25))
    each = result["gemm"]["recording_bytes"] / recorded["instructions"]
    table.append(("the recording, which leaves memory as it comes",
                  f"{each:.0f} bytes an instruction", "100 bytes", each <= 100))
    full = per_instruction(result["small"]["full"])
    table.append(("an instruction on a 16x16 tile, data and time", f"{full:.2f} us", "1 us",
                  full < 1))
    table.append(("start-up, from the command to its end",
                  f"{result['start_up']['wall'] * 1e3:.0f} ms",
                  "100 ms", result["start_up"]["wall"] < 0.1))
    return table


def document(result):
    host, single = result["host"], result["single"]
    lines = ["# How fast the simulator is", "",
             "Written by `scripts/bench.sh`; run it again to see your host. Everything was measured",
             "in one run, and what is compared took turns. Single instructions are medians of",
             "processor time, whole runs the fastest of three.", "",
             f"Host: {host['processor']}, {host['cores']} cores ({host['machine']}). Its peak, "
             f"measured with chains of f32 fused multiply-adds on one thread: "
             f"**{single['peak_gflops']:.0f} GFLOP/s**; Eigen's 512x512 f32 product: "
             f"{single['eigen_gemm_gflops']:.0f} GFLOP/s; memcpy: "
             f"{single['memcpy_64k_gbs']:.0f} GB/s of 64 KiB, {single['memcpy_gbs']:.0f} GB/s of "
             "64 MiB.", "",
             f"Load of the host before and after: {host['load'][0]:.1f} and {host['load'][1]:.1f} "
             "programs that want to run. With more than there are cores, caches are shared, and",
             "times on the clock (threads, start-up) say little.", "",
             "## Targets", "",
             "| what | measured | wanted | |", "|---|---|---|---|"]
    lines += [f"| {what} | {value} | {wanted} | {'reached' if ok else '**missed**'} |"
              for what, value, wanted, ok in rows(result)]
    lines += ["", "## Single instructions", "",
              "`of` is what the ratio is to: the measured peak; a plain loop that adds f32 over as",
              "many bytes, compiled for this host's widest vectors; a memcpy of as many bytes.", "",
              "| instruction | rate | ratio | of |", "|---|---|---|---|"]
    lines += [f"| {item['name']} | {item['rate']:.3g} {item['unit']} | {item['ratio']:.2f} | "
              f"{item['reference']} |" for item in single["instructions"]]
    lines += ["", f"## A GEMM of {result['gemm']['size']}^3 on 24 cores", "",
              "The launch is a run without reading the kernel, filling the arguments and hashing the",
              "outputs; the share of the peak is that of its processor time, over all threads.", "",
              "| run | whole run, processor time | launch, processor time | on the clock | of peak |",
              "|---|---|---|---|---|"]
    for name, run in result["gemm"]["runs"].items():
        share = f"{100 * run['of_peak']:.0f} %" if "of_peak" in run else "no data"
        lines.append(f"| {name} | {run['cpu']:.3f} s | {run['launch_cpu']:.3f} s | "
                     f"{run['launch']:.3f} s | {share} |")
    lines += ["", "## Cost per instruction in `--mode timing`", "",
              "| cores or instructions | instructions | processor time | each |", "|---|---|---|---|"]
    for title, runs in (("vector cores", "by_cores"), ("cube cores, GEMM 1536^3", "gemm_by_cores"),
                        ("cores, cube and vector, 64 tiles a cluster", "mixed_by_cores")):
        lines += [f"| {count} {title} | {run['instructions']} | {run['cpu']:.3f} s | "
                  f"{per_instruction(run):.2f} us |" for count, run in result[runs].items()]
    lines += [f"| {count} instructions on one vector core | {run['instructions']} | "
              f"{run['launch_cpu']:.3f} s | {per_instruction(run):.2f} us |"
              for count, run in result["by_length"].items()]
    if "pto_isa" in result:
        own = {item["name"]: item["rate"] for item in single["instructions"]}
        lines += ["", "## Against pto-isa's CPU simulator", "",
                  "The same tiles in the same run, on one thread; it is built with clang 19, -O2 and",
                  "for this host, and rounds as its compiler does.", "",
                  "| instruction | pto-isa | ptosim | times as fast |", "|---|---|---|---|"]
        lines += [f"| {item['name']} | {item['rate']:.3g} {item['unit']} | "
                  f"{own[item['name']]:.3g} {item['unit']} | "
                  f"{own[item['name']] / item['rate']:.2g} |"
                  for item in result["pto_isa"] if item["name"] in own]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", default=HERE)
    parser.add_argument("--quick", action="store_true", help="small sizes, once each")
    parser.add_argument("--pto-isa", help="a checkout, to run its CPU simulator side by side")
    parser.add_argument("--clang", default="clang++-19", help="what compiles it")
    options = parser.parse_args()
    runner = Runner(options.build, options.quick)
    result = measure(runner, options.quick)
    if options.pto_isa:
        result["pto_isa"] = measure_pto_isa(options.pto_isa, options.clang, runner.folder.name)
    with open(os.path.join(options.out, "results.json"), "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    text = document(result)
    if options.out == HERE:
        evidence.record("bench", text)
    print(text)


if __name__ == "__main__":
    main()
