#!/usr/bin/python3
"""Speed of the package and of `ptosim serve`: the figures of tests/evidence/python.json.

    figures.py --ptosim BIN [call] [serve] [npusim] [memory --requests N]

Elapsed and processor time; the latter is that of this process, of the worker and of all devices.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from frame import ARGS, VADD

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KERNELS = os.path.join(ROOT, "tests", "kernels")
sys.path.insert(0, os.path.join(ROOT, "sim", "python"))


def children(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has ended
    return found


def descendants(pid):
    return [found for child in children(pid) for found in (child, *descendants(child))]


def private_kib(pid):
    """Memory of a process that no other process shares; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("Private"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def open_files(pid):
    """Number of files that a process has open, and of arrays in memory among them."""
    names = []
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                names.append(os.readlink(f"/proc/{pid}/fd/{name}"))
            except OSError:
                pass
    except OSError:
        pass
    return len(names), sum("ptosim-arrays" in name for name in names)


class Group:
    """Counts the processor time of the processes started in it: a control group, which needs root."""

    def __init__(self):
        folder = next((f for f in ("/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup")
                       if os.path.exists(f + "/cgroup.procs") and os.access(f, os.W_OK)), None)
        self.folder = folder and tempfile.mkdtemp(prefix="ptosim-", dir=folder)

    def enter(self):
        if self.folder:
            with open(self.folder + "/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))

    def seconds(self):
        if self.folder is None:
            return float("nan")
        if os.path.exists(self.folder + "/cpuacct.usage"):
            with open(self.folder + "/cpuacct.usage") as file:
                return int(file.read()) * 1e-9
        with open(self.folder + "/cpu.stat") as file:
            return int(dict(line.split() for line in file)["usage_usec"]) * 1e-6

    def remove(self):
        for _ in range(100 if self.folder else 0):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.05)


def measured(group, work, times):
    """Runs work() so often; the last result, and rows in milliseconds: elapsed, processor time of
    all processes, both of the simulation itself (the launch)."""
    work()
    rows = []
    for _ in range(times):
        begin, used = time.perf_counter(), group.seconds()
        r = work()
        elapsed, processor = time.perf_counter() - begin, group.seconds() - used
        host = r.json["host"]
        rows.append([1e3 * s for s in (elapsed, processor, host["seconds"],
                                       host["processor_seconds"])])
    return r, np.array(rows)


def texts(rows):
    return " ".join(f"{name} {np.median(column):.1f} ms (least {column.min():.1f})"
                    for name, column in rows)


def call(ptosim, group):
    """Cost of simulate() on the demo's softmax, warm, beyond the simulation itself."""
    x = np.random.default_rng(0).standard_normal((1024, 512), dtype=np.float32)
    y = np.empty_like(x)
    for advice in (False, True):
        run = ptosim.simulate(os.path.join(KERNELS, "softmax_rows_f32.pto"), blocks=16, threads=1,
                              advice=advice)
        _, rows = measured(group, lambda: run(x, ptosim.out(y), 1024), 60)
        print(f"softmax 1024 x 512, advice {advice}: " + texts((
            ("simulation: processor", rows[:, 3]),
            ("beyond it: processor", rows[:, 1] - rows[:, 3]),
            ("elapsed", rows[:, 0] - rows[:, 2]))))


def npusim(ptosim, group):
    """The kernels that the vendor's simulator takes seconds for, with data and every check."""
    x = np.random.default_rng(0).standard_normal((128, 1024), dtype=np.float32)
    y = np.empty_like(x)
    with open(os.path.join(os.path.dirname(__file__), "silu_f32.pto")) as file:
        silu = file.read()
    with open(os.path.join(KERNELS, "softmax_rows_f32.pto")) as file:
        softmax = file.read().replace("c512", "c1024").replace("constant 512", "constant 1024")
    softmax = softmax.replace("16x512", "8x1024").replace("16x1x", "8x1x")
    softmax = softmax.replace("constant 16 :", "constant 8 :")
    for name, text, given, blocks in (
            ("SiLU of 8192 elements", silu, (x[:8].reshape(32, 256), ptosim.out((32, 256)), 32), 2),
            ("softmax 128 x 1024", softmax, (x, ptosim.out(y), 128), 8)):
        run = ptosim.simulate(text, blocks=blocks, check="all", threads=1)
        r, rows = measured(group, lambda: run(*given), 40)
        wide = given[0].astype(np.float64)
        if name.startswith("SiLU"):
            golden = wide / (1 + np.exp(-wide))
        else:
            golden = np.exp(wide - wide.max(1, keepdims=True))
            golden /= golden.sum(1, keepdims=True)
        error = np.abs(r.outputs[0] - golden).max()
        assert r.ok and error < 1e-5, (r.findings, error)
        print(f"{name}: " + texts((("processor", rows[:, 1]), ("elapsed", rows[:, 0]))) +
              f", {r.cycles} cycles, largest error {error:.1e}, no findings")


def request(text, i, seeds):
    return {"id": i, "kernel": text, "blocks": 1, "seeds": [seeds * i + n for n in range(seeds)],
            "reference": "add",
            "args": ARGS}


def ask(count, watch, before=None, seeds=2):
    """`count` requests, some sent ahead; calls watch(server, answered) after each."""
    with tempfile.TemporaryDirectory() as folder:
        references = os.path.join(folder, "references.py")
        with open(references, "w") as file:
            file.write("def add(x, y, rows):\n    return x + y\n")
        server = subprocess.Popen([sys.executable, "-m", "ptosim", "serve", "--references",
                                   references, "--jobs", "2",
                                   "--timeout", "600"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, preexec_fn=before, env=dict(
                                      os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python")))
        sent = 0
        for answered in range(count + 1):
            while sent < min(count, answered + 32):
                server.stdin.write(json.dumps(request(VADD, sent, seeds)).encode() + b"\n")
                sent += 1
            server.stdin.flush()
            if answered == count:
                break
            verdict = json.loads(server.stdout.readline())
            assert (verdict["id"], verdict["verdict"]) == (answered, "pass"), verdict
            watch(server, answered + 1)
        server.stdin.close()
        server.wait()
        server.stdout.close()


def serve(count):
    """`count` requests with data, all checks and two seeds, after a first one."""
    group, begin = Group(), []

    def watch(server, answered):
        if answered == 1:
            begin.extend((time.perf_counter(), group.seconds()))
        if answered == count + 1:
            begin.extend((time.perf_counter(), group.seconds()))

    ask(count + 1, watch, group.enter)
    group.remove()
    elapsed, processor = begin[2] - begin[0], begin[3] - begin[1]
    print(f"{count} requests: {elapsed:.2f} s elapsed, {processor:.2f} s of processor time of the "
          f"server and all devices")


def memory(count):
    """Private memory, open files and processes of the server while it answers, a row a sample: of
    the server itself, of the worker, of its template, and of the devices that are there then."""
    print("requests  seconds  private MiB: server worker template devices  "
          "open files: server worker template  arrays in memory  processes", flush=True)
    begin = time.perf_counter()

    def watch(server, answered):
        if answered not in (1, 10, 100, 200, 500) and answered % 1000:
            return
        (worker,) = children(server.pid)
        (template,) = children(worker)
        devices = descendants(template)
        private = [private_kib(pid) / 1024 for pid in (server.pid, worker, template)]
        private.append(sum(private_kib(pid) for pid in devices) / 1024)
        files = [open_files(pid) for pid in (server.pid, worker, template)]
        print(f"{answered} {time.perf_counter() - begin:.0f}  "
              + " ".join(f"{mib:.2f}" for mib in private) + "  "
              + " ".join(str(number) for number, _ in files)
              + f"  {sum(arrays for _, arrays in files)}  {3 + len(devices)}", flush=True)

    ask(count, watch, seeds=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("what", nargs="*", default=["call", "serve", "npusim"])
    choice = parser.parse_args()
    os.environ["PTOSIM_PROGRAM"] = os.path.abspath(choice.ptosim)
    import ptosim
    group = Group()
    group.enter()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for what in choice.what:
        {"call": lambda: call(ptosim, group), "npusim": lambda: npusim(ptosim, group),
         "serve": lambda: serve(choice.requests),
         "memory": lambda: memory(choice.requests)}[what]()


if __name__ == "__main__":
    main()
