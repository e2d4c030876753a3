#!/usr/bin/env python3
"""Estimates of steps of many chips against published times: expert parallelism on 910C.

    tests/bench/published_steps.py --ptosim BIN [--record]

Collectives are `ptosim chips --collective all_to_all` on host910c with 64 chips, which are one switched network in a
supernode. Work is the longer of two bounds: operations at the peak of the
cube cores, and weights through HBM. No figure is fitted. --record writes the table into tests/evidence/system.json.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import evidence  # noqa: E402

TITLE = "Estimates against published times of steps, 910C"
HIDDEN, TOP = 7168, 8

# DeepEP of an A3 SuperPOD (sgl-kernel-npu, csrc/deepep README), by ranks.
TOKENS = 4096
NORMAL = {8: (146, 125), 16: (107, 103), 32: (102, 95), 64: (81, 91), 128: (57, 81)}  # dispatch, combine: GB/s
FEW_TOKENS = 128
LOW_LATENCY = {8: (132, 126), 16: (139, 135), 32: (153, 151)}  # us
# dispatch_mega_combine (pto-isa, its overview_v1.md, optimised): us by tokens of a rank; 8 ranks.
MEGA = {16: 573.08, 32: 588.30, 64: 627.77, 128: 696.04, 512: 1234.03, 1024: 2016.18, 2048: 3756.88}
WIDTH, EXPERTS = 4096, 16  # columns of the first product; experts of a rank


class Estimates:
    def __init__(self, ptosim):
        self.ptosim = ptosim
        chip = json.loads(self.run("ascend910c", "--json", "-"))
        def figure(name):
            number, *unit = chip["parameters"][name]["value"].split()
            return float(number) * {"MHz": 1e6, "TB/s": 1e12}.get("".join(unit), 1)
        macs = 16 * 16 * figure("aic.cube.k_per_cycle.i8") * figure("clusters") * figure("clock")
        self.operations_per_us = 2 * macs / 1e6
        self.bytes_per_us = figure("memory.hbm.rate") / 1e6

    def run(self, *words):
        return subprocess.run([self.ptosim, "chips", *words], check=True, capture_output=True, text=True).stdout

    def all_to_all(self, size, ranks):
        """us, if each rank has this number of bytes for all ranks, itself included."""
        found = self.run("--system", "host910c", "--set", "system.chips=64", "--collective", "all_to_all", "--ranks",
                         str(ranks), "--kib", str(round(size / 1024)), "--json", "-")
        return json.loads(found)["time_us"]

    def work(self, rows):
        """us of both products of the experts of a rank, with weights of 8 bits."""
        weights = HIDDEN * WIDTH + WIDTH // 2 * HIDDEN
        return max(2 * rows * weights / self.operations_per_us, EXPERTS * weights / self.bytes_per_us)


def row(name, published, found, unit):
    return [f"{name}: {published:g}", f"{found:.0f} {unit}", f"{100 * (found / published - 1):+.0f} %"]


def table(estimates):
    rows = []
    for ranks, published in NORMAL.items():
        # The ranks that a token goes to, if each of its experts is on any rank alike.
        copies = TOKENS * ranks * (1 - (1 - 1 / ranks) ** TOP)
        for what, size, rate in zip(("dispatch", "combine"), (1, 2), published):
            sent = copies * HIDDEN * size
            rows.append(row(f"DeepEP, normal, {ranks} ranks, {what}", rate,
                            sent / estimates.all_to_all(sent, ranks) / 1e3, "GB/s"))
    for ranks, published in LOW_LATENCY.items():
        for what, size, time in zip(("dispatch", "combine"), (1, 2), published):
            sent = FEW_TOKENS * TOP * HIDDEN * size
            rows.append(row(f"DeepEP, low latency, {ranks} ranks, {what}", time, estimates.all_to_all(sent, ranks), "us"))
    for tokens, published in MEGA.items():
        sent = tokens * TOP * HIDDEN
        found = estimates.work(tokens * TOP) + estimates.all_to_all(sent, 8) + estimates.all_to_all(2 * sent, 8)
        rows.append(row(f"dispatch_mega_combine, 8 ranks, {tokens} tokens", published, found, "us"))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptosim", default="ptosim")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    rows = table(Estimates(options.ptosim))
    for name, found, difference in rows:
        print(f"{name:58} {found:>10} {difference:>8}")
    if not options.record:
        return
    suite = evidence.load("system")
    tables = [each for each in suite["tables"] if each["title"] != TITLE]
    tables.append({"title": TITLE, "columns": ["published, GB/s or us", "estimate", "difference"], "rows": rows})
    suite["tables"] = tables
    evidence.save("system", suite)


if __name__ == "__main__":
    main()
