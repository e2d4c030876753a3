#!/usr/bin/env python3
"""Speed of chips with one clock on this host: a sum over all ranks while cube cores multiply.

    tests/bench/chips.py --ptosim BIN [--ranks 8] [--kib 65536] [--rounds 3] [--record]

The program is tests/system/allreduce.cpp, a process for each chip. The processes run on one core of this host, on two
and on four, in turns; the median time on the clock counts. The processor time tells how much of a difference other
programs on the host have made: it hardly depends on the number of cores. Bytes and cycles must be the same each time.
--record writes the row of this host's number of cores into tests/evidence/system.json.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "tests" / "toolkit"))
import evidence  # noqa: E402
import toolkit_folder  # noqa: E402

TITLE = "Time on the clock of a ring all-reduce, in s"
PRODUCTS = 300  # of each cube core


class Program:
    def __init__(self, ptosim, folder, options):
        home = folder / "toolkit"
        subprocess.run([ptosim, "toolkit", home], check=True, capture_output=True)
        self.environment = toolkit_folder.environment(str(home), str(folder / "cache"))
        self.environment |= {"MPI_LIB": str(home / "lib" / "libmpi.so"), "PTOSIM_SYSTEM": "host910b",
                             "PTOSIM_JSON": "result.json", "HCCL_BUFFSIZE": str(options.kib // 1024 + 8)}
        self.folder, self.ranks = folder, options.ranks
        self.words = ["./allreduce", str(options.kib), "32", str(PRODUCTS)]
        source = ROOT / "tests" / "system"
        compiler = ["bisheng", "-xcce", "-O2", "-std=c++17"]
        for command in ([*compiler, "--cce-aicore-arch=dav-c220-cube", "-fPIC", "-shared", source / "product.cpp", "-o",
                         folder / "libproduct.so"],
                        [*compiler, "--cce-aicore-arch=dav-c220-vec", source / "allreduce.cpp", "-o",
                         folder / "allreduce", f"-L{folder}", "-lproduct", "-Wl,-rpath,$ORIGIN", "-ldl", "-lhccl"]):
            subprocess.run(command, check=True, env=self.environment)

    def run(self, cores):
        """Seconds on these cores, seconds of processors, and the cycles of each launch of each rank. The program itself checks the sums."""
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["mpirun", "-n", str(self.ranks), "taskset", "-c", cores, *self.words], check=True,
                       cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL)
        seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        results = [json.loads((self.folder / f"result.chip{rank}.json").read_text()) for rank in range(self.ranks)]
        return seconds, used, [[launch["cycles"] for launch in result["launches"]] for result in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ptosim", required=True, type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--kib", type=int, default=65536)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    numbers = [number for number in (1, 2, 4) if number <= os.cpu_count()]
    times, processor = ({number: [] for number in numbers} for _ in range(2))
    with tempfile.TemporaryDirectory(prefix="chips ") as name:
        program = Program(options.ptosim.resolve(), pathlib.Path(name), options)
        *_, cycles = program.run(f"0-{numbers[-1] - 1}")  # the first time compiles
        for _ in range(options.rounds):
            for number in numbers:
                seconds, used, these = program.run(f"0-{number - 1}")
                times[number].append(seconds)
                processor[number].append(used)
                if these != cycles:
                    sys.exit(f"error: on {number} cores of the host the launches take other cycles")
    median = {number: statistics.median(times[number]) for number in numbers}
    for number in numbers:
        print(f"{number} cores: {median[number]:.1f} s ({median[1] / median[number]:.2f} times as fast), of "
              f"{', '.join(f'{seconds:.1f}' for seconds in times[number])}; processors "
              f"{statistics.median(processor[number]):.1f} s")
    if options.record:
        columns = ["chips, MiB", "1 core", "2 cores", "4 cores", "1 core / 2"]
        evidence.record_row("system", TITLE, columns, [
            f"{options.ranks}, {options.kib // 1024}",
            *(f"{median[number]:.1f}" if number in median else "" for number in (1, 2, 4)),
            f"{median[1] / median[2]:.2f}" if 2 in median else ""])


if __name__ == "__main__":
    main()
