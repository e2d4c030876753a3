#!/usr/bin/python3
"""Compile times of kernels with these headers, and with the headers of pto-isa's CPU simulator.

    compile_time.py CHECKOUT [--folders N] [--repeat N] [--cxx COMPILER] [--flags FLAGS] [--json FILE]

Takes folders of CHECKOUT/tests/cpu/st/testcase whose kernel compiles with both, evenly spaced in
the alphabet, and compiles each kernel with the same compiler and flags, side by side: once against
the checkout's include/ with __CPU_SIM, once against ours as AIV. A figure is the processor time
(user and system) of the fastest of the repetitions, so that a busy host does not count.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def seconds(words):
    """Processor seconds of a command; None if it fails."""
    child = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env={**os.environ, "CCACHE_DISABLE": "1"})
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    return used.ru_utime + used.ru_stime if status == 0 else None


def commands(options, source, output):
    tests = options.checkout / "tests"
    common = [options.cxx, *options.flags.split(), "-include", "cstdint", "-include", "cstddef",
              "-w", "-c", source, "-o", output]
    theirs = [*common, "-D__CPU_SIM", "-I", options.checkout / "include", "-I",
              tests / "cpu" / "stubs", "-I", tests / "common"]
    ours = [*common, "-D__NPU_ARCH__=2201", "-DMEMORY_BASE", "-D__DAV_VEC__", "-fPIC", "-I",
            ROOT / "include", "-include", "acl/acl.h", "-include",
            "pto/common/device_language.hpp"]
    return theirs, ours


def measure(options, source, output):
    """Seconds with their headers and with ours; None if one of them does not compile."""
    theirs, ours = commands(options, source, output)
    best = [seconds(theirs), seconds(ours)]
    if None in best:
        return None
    for _ in range(options.repeat - 1):
        best = [min(best[0], seconds(theirs)), min(best[1], seconds(ours))]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--folders", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--flags", default="-std=c++20 -O2")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    folder = options.checkout / "tests" / "cpu" / "st" / "testcase"
    sources = sorted(folder.glob("*/*_kernel.cpp"))
    if not sources:
        sys.exit(f"error: there is no kernel in {folder}")
    # Evenly spaced ones first, then what lies between them.
    step = max(1, len(sources) // options.folders)
    order = [source for first in range(step) for source in sources[first::step]]
    rows = []
    print(f"{'kernel':24} {'theirs':>8} {'ours':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as place:
        for source in order:
            if len(rows) == options.folders:
                break
            times = measure(options, source, pathlib.Path(place) / "kernel.o")
            if times is None:
                continue
            rows.append({"kernel": source.parent.name, "theirs": times[0], "ours": times[1]})
            print(f"{source.parent.name:24} {times[0]:8.2f} {times[1]:8.2f} "
                  f"{times[1] / times[0]:6.2f}", flush=True)
    ratio = statistics.median(row["ours"] / row["theirs"] for row in rows)
    print(f"median ratio over {len(rows)} folders: {ratio:.2f} "
          f"({options.cxx} {options.flags}, median seconds "
          f"{statistics.median(row['theirs'] for row in rows):.2f} and "
          f"{statistics.median(row['ours'] for row in rows):.2f})")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
