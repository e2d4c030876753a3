#!/usr/bin/python3
"""Chips with one clock: times that do not depend on the host, and published times of transfers.

    clock_test.py --ptosim BIN
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import chakra  # noqa: E402
import programs  # noqa: E402

TOLERANCE = 0.15
# hw-native-sys/pto-isa, kernels/manual/a2a3/tget_bandwidth/README: ticks of 20 ns of a TGET on two 910B1.
TGET_TICKS = {4096: 36.28, 16384: 149.98, 65536: 579.62, 262144: 2409.72, 1048576: 9317.93, 4194304: 37924.12}
# hw-native-sys/pypto issue 2521, all_to_all_v on 910B2, us: by ranks and bytes for each.
ALL_TO_ALL = {(2, 8192): 29, (2, 65536): 210, (8, 65536): 1160}


class Clock(programs.Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add_ranks(8, PTOSIM_SYSTEM="host910b")
        for name in ("ring", "transfers"):
            cls.compile(f"{name}.cpp", "-ldl", "-lhccl")
        cls.compile("product.cpp", "-fPIC", "-shared", core="cube", output="libproduct.so")
        cls.compile("allreduce.cpp", f"-L{cls.folder}", "-lproduct", "-Wl,-rpath,$ORIGIN", "-ldl", "-lhccl")

    def run_it(self, ranks, *words, code=0, **environment):
        ran = subprocess.run(["mpirun", "-n", str(ranks), *words], capture_output=True, text=True, timeout=200,
                             cwd=self.folder, env={**self.environment, **environment}, check=False)
        if code == 0:
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        else:
            self.assertNotEqual(ran.returncode, 0)
        return ran

    def cycles(self, ranks, **environment):
        """Cycles of each launch of each rank of a ring."""
        self.run_it(ranks, "./ring", PTOSIM_JSON="result.json", **environment)
        return self.cycles_of_files(ranks)

    def cycles_of_files(self, ranks):
        results = [json.loads((self.folder / f"result.chip{rank}.json").read_text()) for rank in range(ranks)]
        return [[launch["cycles"] for launch in result["launches"]] for result in results]

    def time_of(self, ranks, what, size=4, **environment):
        return float(self.run_it(ranks, "./transfers", what, str(size), **environment).stdout)

    def test_times_do_not_depend_on_the_host(self):
        for ranks in (2, 4):
            first = self.cycles(ranks)
            busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
            try:
                self.assertEqual(self.cycles(ranks), first)
                self.assertEqual(self.cycles(ranks), first)
            finally:
                for process in busy:
                    process.kill()
                    process.wait()

    def both_times(self, what, times, *before, **environment):
        """Rank 0's times for the part that rank 1 has not loaded and for the other, and rank 1's time."""
        ran = self.run_it(2, *before, "./transfers", what, str(1 << 20), str(times), **environment)
        told = {line.split()[0]: [float(word) for word in line.split()[1:]] for line in ran.stdout.splitlines()}
        return told["0"][0], told["0"][1], told["1"][1]

    def test_accesses_of_a_peer_share_its_memory_with_its_cores(self):
        """Of 40 GB/s, a transfer of the link (28 GB/s) and one of the owner's core get half each. Rank 1 moves 4 MiB,
        and rank 0 meanwhile 2 MiB; rank 1 uses all that is left."""
        size, link, half, whole = 1 << 20, 28e3, 20e3, 40e3
        for what, direction in (("loads", "read"), ("stores", "write")):
            with self.subTest(what):
                narrow = {"PTOSIM_SET": f"memory.l2.{direction}=40GB/s"}
                _, alone, _ = self.both_times(what, 0, **narrow)
                first, second, owner = self.both_times(what, 4, **narrow)
                self.assertLess(abs(second - alone - size * (1 / half - 1 / link)), 0.15)
                self.assertLess(abs(owner - (4 + 2) * size / whole), 0.3)
                for cores in ("0", f"0-{os.cpu_count() - 1}"):  # as many threads
                    self.assertEqual(self.both_times(what, 4, "taskset", "-c", cores, **narrow), (first, second, owner))
        # With the bandwidth of a 910B1 the link is the limit.
        self.assertEqual(self.both_times("loads", 4)[:2], self.both_times("loads", 0)[:2])

    def test_loads_of_what_the_owners_l2_does_not_hold(self):
        """Each of 16 tiles that L2 does not hold arrives later by the latency of HBM. A store does not wait for HBM."""
        cold, warm, _ = self.both_times("loads", 0)
        self.assertLess(abs(cold - warm - 16 * 343 / 1850), 0.04)
        cold, warm, _ = self.both_times("loads", 0, PTOSIM_SET="memory.hbm.latency=1343")
        self.assertLess(abs(cold - warm - 16 * 1343 / 1850), 0.04)
        cold, warm, _ = self.both_times("stores", 0)
        self.assertLess(abs(cold - warm), 0.05)

    def test_a_rank_that_comes_late_costs_no_simulated_time(self):
        first = self.cycles(2)
        self.run_it(2, "sh", "-c", "[ $PMI_RANK = 0 ] || sleep 1; ./ring", PTOSIM_JSON="result.json")
        self.assertEqual(self.cycles_of_files(2), first)

    def test_mpirun_chooses_a_system(self):
        self.cycles(2)
        known = self.cycles_of_files(2)
        environment = {name: value for name, value in self.environment.items() if name != "PTOSIM_SYSTEM"}
        for system, same in (("host910b", True), ("host910c", False)):
            subprocess.run(["mpirun", "--system", system, "-n", "2", "./ring"], check=True, capture_output=True,
                           timeout=200, cwd=self.folder, env={**environment, "PTOSIM_JSON": "result.json",
                                                              "PTOSIM_CHIP": "ascend910b1"})
            self.assertEqual(self.cycles_of_files(2) == known, same, system)

    def test_each_rank_has_a_recording(self):
        for folder in ("first", "second"):
            self.run_it(4, "./ring", PTOSIM_TRACE=folder, PTOSIM_CHECK="all")
        for rank in range(4):
            first, second = (self.folder / folder / f"chip{rank}" for folder in ("first", "second"))
            self.assertEqual(json.loads((first / "agent.json").read_text())["launches"], 3)
            for file in ("recording.bin", "trace.json", "agent.json"):
                self.assertEqual((first / file).read_bytes(), (second / file).read_bytes(), file)
        whole = (self.folder / "first" / "trace.json").read_bytes()
        self.assertEqual(whole, (self.folder / "second" / "trace.json").read_bytes())
        for rank in range(4):
            first, second = ((self.folder / folder / f"chakra.{rank}.et").read_bytes() for folder in ("first", "second"))
            self.assertEqual(first, second, rank)
        events = json.loads(whole)["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertLessEqual({f"chip {rank} {what}" for rank in range(4) for what in ("AIV00", "links")}, names)
        ends = {}
        for event in events:
            if event.get("cat") == "message" and event["ph"] in "sf":
                self.assertNotIn(event["ph"], ends.setdefault(event["id"], {}))
                ends[event["id"]][event["ph"]] = event
        self.assertGreaterEqual(len(ends), 3 * 4 * (4 + 1))  # launches of ranks: tiles of a row, and a notification
        for arrow in ends.values():
            self.assertGreater(arrow["f"]["ts"] - arrow["s"]["ts"], 0.169)  # the link's latency
            self.assertNotEqual(arrow["f"]["pid"] // 1000, arrow["s"]["pid"] // 1000)

    def test_execution_traces(self):
        """Each message is sent once and received once; a replay takes the simulated time, on slower links longer."""
        for ranks, words in ((4, ["./ring"]), (2, ["./transfers", "get", "262144"]), (3, ["./transfers", "crowd", "65536"])):
            with self.subTest(words):
                self.run_it(ranks, *words, PTOSIM_TRACE="et", PTOSIM_JSON="result.json")
                traces = [chakra.read(self.folder / "et" / f"chakra.{rank}.et")[1] for rank in range(ranks)]
                sent, received = ([tuple(node["attributes"][name] for name in
                                         ("comm_src", "comm_dst", "comm_tag", "comm_size"))
                                   for nodes in traces for node in nodes if node["type"] == kind]
                                  for kind in ("send", "receive"))
                self.assertGreater(len(sent), ranks)
                self.assertEqual(len(set(sent)), len(sent))
                self.assertEqual(sorted(sent), sorted(received))
                ends = []
                for rank, nodes in enumerate(traces):
                    result = json.loads((self.folder / f"result.chip{rank}.json").read_text())
                    ends.append(max(launch["begin"] + launch["cycles"] for launch in result["launches"]) / 1850)
                    work = [node for node in nodes if node["type"] == "work"]
                    self.assertEqual(sum(node["duration_micros"] for node in work), int(ends[-1]))
                    self.assertLessEqual({launch["kernel"] for launch in result["launches"] if launch["time_us"] > 3},
                                         {node["name"] for node in work})
                usual = max(chakra.replay(traces, 0.17, 28e3))
                self.assertLess(abs(usual - max(ends)), 2.5)
                self.assertGreater(max(chakra.replay(traces, 10, 28e3)), usual + 5)

    def test_published_times_of_gets(self):
        for size, ticks in TGET_TICKS.items():
            published = 0.02 * ticks
            self.assertLess(abs(self.time_of(2, "get", size) / published - 1), TOLERANCE, size)

    def test_published_times_of_an_exchange(self):
        for (ranks, size), published in ALL_TO_ALL.items():
            measured = self.time_of(ranks, "exchange", size, PTOSIM_CHIP="ascend910b2")
            self.assertLess(abs(measured / published - 1), TOLERANCE, (ranks, size))

    def test_links_take_what_the_system_says(self):
        """A signal there and back takes two latencies, and the answer to the notifier another one."""
        usual, far = self.time_of(2, "ping"), self.time_of(2, "ping", PTOSIM_SET="system.link.latency=1.17us")
        self.assertLess(abs(far - usual - 2.0), 0.3)
        # 4 MiB are 1024 tiles, each of them 4096 bytes later by 1/14 - 1/28 us a KB.
        usual, slow = (self.time_of(2, "get", 4194304, PTOSIM_SET=f"system.link.rate={rate}GB/s") for rate in (28, 14))
        self.assertLess(abs(slow - usual - 4194304 / 28e3), 3)

    def test_cores_share_a_link(self):
        """8 cores and 256 KiB each: 2 MiB at 28 GB/s in each direction, which do not disturb each other."""
        size = 256 << 10
        least = 8 * size / 28e3
        times = {self.time_of(ranks, "crowd", size) for ranks in (2, 2, 3)}
        for measured in times:
            self.assertGreater(measured, least)
            self.assertLess(measured, least + 3)
        self.assertLess(max(times) - min(times), 0.5)

    def test_the_links_of_a_chip_share_its_port(self):
        size, usual, slow = 256 << 10, 28e3, 14e3
        measured = self.time_of(2, "crowd", size, PTOSIM_SET="system.port.rate=14GB/s")
        self.assertGreater(measured, 8 * size / slow)
        self.assertLess(measured, 8 * size / slow + 3)
        self.assertLess(self.time_of(2, "crowd", size), 8 * size / usual + 3)

    def test_a_sum_over_all_ranks_while_cube_cores_work(self):
        """Each rank sends 2 (P - 1) / P of the bytes over one link, in steps that each wait for the one before."""
        ranks, kib = 4, 1024
        steps = 2 * (ranks - 1)
        least = steps / ranks * kib * 1024 / 28e3
        seen = set()
        for cores in ("0", f"0-{os.cpu_count() - 1}"):
            ran = self.run_it(ranks, "taskset", "-c", cores, "./allreduce", str(kib), "16", "300",
                              PTOSIM_JSON="result.json")
            self.assertEqual(ran.stdout, ranks * "0\n")
            seen.add(str(self.cycles_of_files(ranks)))
            launches = json.loads((self.folder / "result.chip0.json").read_text())["launches"]
            self.assertEqual([launch["kernel"] for launch in launches], ["reduce", "multiply"])
            self.assertEqual(launches[0]["begin"], launches[1]["begin"])
            self.assertGreater(launches[0]["time_us"], least)
            self.assertLess(launches[0]["time_us"], least + steps * 1.0)
        estimated = json.loads(subprocess.run(
            [self.ptosim, "chips", "--system", "host910b", "--collective", "all_reduce", "--ranks", str(ranks), "--kib",
             str(kib)], check=True, capture_output=True, text=True).stdout)["time_us"]
        self.assertLess(abs(estimated / launches[0]["time_us"] - 1), 0.05)
        self.assertEqual(len(seen), 1)

    def test_a_sweep_over_a_system(self):
        """The sum over all ranks sends 3/2 of its bytes over one link of 28 GB/s. Twice the rate halves the time; tiles
        are chosen from those of which UB holds two; HBM and UB change nothing."""
        ranks, kib = 4, 1024
        plan = {"chips": ["ascend910b1"], "run": {"mode": "full"},
                "changes": [{"system.link.rate": "x2"}, {"memory.hbm.rate": "x2"}, {"aiv.ub.bytes": "x2"}],
                "kernels": [{"name": "all_reduce", "system": "host910b",
                             "program": ["mpirun", "-n", str(ranks), "./allreduce", "${KIB}", "16", "0", "${TILE}"],
                             "params": {"KIB": kib}, "search": {"TILE": [1024, 4096, 8192, 16384]},
                             "where": ["2 * 4 * TILE <= chip.aiv.ub.bytes", "KIB * 16 % TILE == 0"]}]}
        (self.folder / "sum.json").write_text(json.dumps(plan))
        for words in (["sum.json"], ["report", "sum.sweep", "--json", "sum.report.json"]):
            done = subprocess.run([self.ptosim, "sweep", *words], cwd=self.folder, env=self.environment, timeout=300,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = json.loads((self.folder / "sum.report.json").read_text())["changes"][0]["rows"]
        base, link, hbm, ub, _ = rows
        least = 2 * (ranks - 1) / ranks * kib * 1024 / 28e3
        self.assertGreater(base["time_us"], least)
        self.assertLess(base["time_us"], least + 8)
        self.assertIn("links bounds the time", base["reason"])
        self.assertEqual(link["change"], "system.link.rate=56GB/s")
        self.assertAlmostEqual(base["time_us"] - link["time_us"], least / 2, delta=least / 20)
        self.assertIn("links was busy", link["reason"])
        for row, what in ((hbm, "links bounds the time"), (ub, "the search keeps TILE")):
            self.assertLess(row["speed_up"], 1.01)
            self.assertIn(what, row["reason"])
        for tile in (1024, 16384):
            self.assertEqual(self.run_it(ranks, "./allreduce", "4096", "16", "0", str(tile), PTOSIM_SYSTEM="host910c").stdout,
                             ranks * "0\n")

    def test_a_plan_without_the_system_that_it_changes(self):
        kernel = {"program": ["./allreduce"]}
        for change, system, wanted in (({"system.link.rate": "x2"}, None, "system.link.rate is of a system of several chips"),
                                       ({"system.link.speed": "1GB/s"}, "host910b", "unknown parameter of systems"),
                                       ({"system.link.rate": "x2"}, "host911", "host911")):
            plan = {"chips": ["ascend910b1"], "changes": [change],
                    "kernels": [{**kernel, **({"system": system} if system else {})}]}
            (self.folder / "wrong.json").write_text(json.dumps(plan))
            done = subprocess.run([self.ptosim, "sweep", "wrong.json"], cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(wanted, done.stderr)

    def test_what_a_system_is(self):
        listed = subprocess.run([self.ptosim, "chips", "--systems"], capture_output=True, text=True, check=True).stdout
        names = sorted(path.stem for path in (HERE.parents[1] / "models" / "systems").glob("*.json"))
        self.assertEqual([line.split()[0] for line in listed.splitlines()], names)
        for name in names:
            shown = json.loads(subprocess.run([self.ptosim, "chips", "--system", name, "--set", "system.link.rate=1GB/s",
                                               "--json", "-"], capture_output=True, text=True, check=True).stdout)
            self.assertEqual(shown["parameters"]["link.rate"],
                             {"value": "1 GB/s", "grade": "assumed", "source": "--set"})

    def test_what_a_system_cannot_be(self):
        for environment, told in (({"PTOSIM_SYSTEM": "host9"}, "unknown system 'host9'"),
                                  ({"PTOSIM_MODE": "functional"}, "a common clock needs time"),
                                  ({"PTOSIM_SET": "system.link.rate=0GB/s"}, "out of range"),
                                  ({"PTOSIM_SET": "system.chips=1"}, "2 ranks, and host910b has 1 devices")):
            self.assertIn(told, self.run_it(2, "./ring", code=1, **environment).stderr)

    def test_a_deadlock_over_chips(self):
        """The second launch of each rank waits for what no rank sends."""
        reports = set()
        for _ in range(2):
            ran = self.run_it(3, "./ring", "silent", code=1)
            found = [line for line in ran.stderr.splitlines() if " looks at " in line]
            for rank in range(3):
                self.assertIn(f"rank {rank}: AIV00 looks at the window of rank {rank} + 32768, which is 1 since cycle",
                              ran.stderr)
            self.assertRegex(ran.stderr, r"for 20 ms all cores have only polled for signals "
                                         r"\[E05\]\n  at: cycle \d+\n")
            reports.add(tuple(sorted(set(found))))
        self.assertEqual(len(reports), 1)
        self.assertRegex(found[0], r", at .*ring.cpp:\d+$")

    def test_a_kernel_that_waits_for_a_rank_that_launches_none(self):
        ran = self.run_it(2, "./ring", "absent", code=1)
        self.assertIn("rank 0: AIV00 looks at the window of rank 0 + 32768, which is 0 since cycle", ran.stderr)
        self.assertIn("note: rank 1: its host waits for the others", ran.stderr)

    def test_signals_in_one_line_are_lost(self):
        """hw-native-sys/pto-isa issue 322: of int32 slots side by side that several ranks set, some stay 0; slots in
        separate lines of 64 bytes do not."""
        for ranks in (3, 4):  # one of them sets its own memory, before what the others have fetched has left
            lost = self.run_it(ranks, "./ring", "slots", "1").stdout
            self.assertIn("lost", lost)
            self.assertEqual(self.run_it(ranks, "./ring", "slots", "1").stdout, lost)
            self.assertEqual(self.run_it(ranks, "./ring", "slots", "16").stdout, "")

    def test_an_instruction_that_stays_on_its_chip(self):
        ran = self.run_it(2, "./ring", "choose", code=1)
        self.assertRegex(ran.stderr, r"ring.cpp:\d+: error: MGATHER accesses the memory of another chip")
        self.assertIn("U03", re.findall(r"\[(U03)\]", ran.stderr))

    def test_pointers_into_windows_see_what_their_hosts_have_written(self):
        for ranks in (2, 3):
            self.assertEqual(self.run_it(ranks, "./ring", "peek").stdout, 2 * ranks * "0\n")

    def test_hosts_reach_their_own_device_only(self):
        self.assertIn("on another chip [H22]", self.run_it(2, "./ring", "copy", code=1).stderr)

    def test_what_goes_wrong_has_an_end(self):
        """A failed run reports the error, leaves no process and no shared memory, and recordings that can be read."""
        shared = set(os.listdir("/dev/shm"))
        for case, ranks, words, environment, told, recorded in (
                ("a killed rank", 2, ["killed"], {}, "rank 1 has ended", [0]),
                ("a missing peer", 2, ["missing"], {"HCCL_CONNECT_TIMEOUT": "2"},
                 "HcclCommInitRootInfo: rank 1 has not come [H27]", []),
                ("windows of two sizes", 2, ["sizes"], {}, "and this one's 3145728 [H27]", []),
                ("a link of rate 0", 2, [], {"PTOSIM_SET": "system.link.rate=0GB/s"}, "out of range", []),
                ("a cycle of waits", 3, ["silent"], {}, "for 20 ms all cores have only polled", [0, 1, 2])):
            with self.subTest(case):
                begin = time.monotonic()
                trace = self.folder / case
                ran = self.run_it(ranks, "./ring", *words, code=1, PTOSIM_TRACE=str(trace), **environment)
                self.assertIn(told, ran.stderr)
                self.assertLess(time.monotonic() - begin, 60)
                self.assertEqual(self.left(), [])
                self.assertEqual(set(os.listdir("/dev/shm")), shared)
                for rank in recorded:
                    report = subprocess.run([self.ptosim, "report", trace / f"chip{rank}"], capture_output=True, text=True,
                                            check=True)
                    self.assertIn("ring", report.stdout)

    def left(self):
        """Processes that run the programs of this test."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(self.folder) == os.readlink(process / "cwd"):
                    found.append((process / "cmdline").read_bytes())
            except OSError:
                continue
        return found


if __name__ == "__main__":
    programs.main()
