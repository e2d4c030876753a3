#!/usr/bin/python3
"""Files that recorded runs leave, tested from outside.

    traces_test.py --ptosim BIN --data DIR

Every file is checked against a schema (schemas.py), and the same totals are looked for in all of
them. DIR holds the inputs that tests/kernels/goldens.py made.
"""
import collections
import csv
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import jsonschema

import page
import schemas
import totals

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import fifo_test  # noqa: E402  its kernel

PTOSIM = DATA = ""
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels")
MICRO = 1e-6
LANES = {"S": "SCALAR", "MTE1": "MTE1", "M": "CUBE", "FIX": "FIXP", "MTE2": "MTE2", "V": "VECTOR",
         "MTE3": "MTE3"}
PMU = {"V": ("vec_busy_cycles", "pmu_idc_aic_vec_busy_o"),
       "M": ("cube_busy_cycles", "cube_instr_busy"),
       "S": ("scalar_busy_cycles", "scalar_instr_busy"),
       "MTE1": ("mte1_busy_cycles", "mte1_instr_busy"),
       "MTE2": ("mte2_busy_cycles", "mte2_instr_busy"),
       "MTE3": ("mte3_busy_cycles", "mte3_instr_busy"), "FIX": (None, "pmu_fix_instr_busy")}
HEADINGS = ["What to change", "Totals", "Cores and pipes", "Waits", "Time by source line", "Time by instruction",
            "Traffic", "Roofline", "Buffers", "Critical path", "What would save time", "Findings", "Data",
            "Assumed"]


def run(words, expect=0):
    result = subprocess.run([PTOSIM, *words], cwd=DATA, capture_output=True, text=True)
    assert result.returncode == expect, (words, result.returncode, result.stderr, result.stdout)
    return result


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lanes_of(text):
    """"AIC00 to AIC02, AIC05"."""
    lanes = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        lanes += [f"{first[:3]}{i:02}" for i in range(int(first[3:]), int((last or first)[3:]) + 1)]
    return lanes


def validate(value, schema):
    jsonschema.Draft7Validator(schema).validate(value)


GEMM = ["run", f"{KERNELS}/gemm_f16.pto", "--blocks", "4", "--arg", "rand=256x256xf16", "--arg",
        "rand=256x256xf16", "--arg", "out=256x256xf32", *["--arg", "i32=256"] * 3]


def gemm(folder, *more):
    """Cube cores only."""
    return run([*GEMM, "--trace", folder, *more])


def attention(folder, *more):
    """Cube and vector cores with signals between them."""
    run(["run", f"{KERNELS}/attention_f16.pto", "--blocks", "2", "--arg", "in=attention_f16/q.npy",
         "--arg", "in=attention_f16/k.npy", "--arg", "in=attention_f16/v.npy", "--arg",
         "zeros=8x2x128x128xf32", "--arg", "zeros=8x2x128x128xf16", "--arg",
         "zeros=8x2x128x64xf32", "--arg", "out=1024x64xf32", "--arg", "i32=4", "--arg", "i32=256",
         "--arg", "i32=512", "--trace", folder, *more])


def vectors(folder, *more):
    """Vector cores of the other architecture."""
    run(["run", f"{KERNELS}/softmax_rows_f32.pto", "--blocks", "3", "--arg",
         "rand=96x512xf32", "--arg", "out=96x512xf32", "--arg", "i32=96", "--chip",
         "ascend950pr", "--trace", folder, *more])


def core_of(lane):
    number = int(lane[3:])
    if lane.startswith("AIC"):
        return f"core{number}.cubecore0"
    return f"core{number // 2}.veccore{number % 2}"


def blocks_of(path):
    """The blocks of visualize_data.bin: type, version, payload."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        size, kind, padding, version, mark = struct.unpack_from("<QBBBB", data, at)
        assert mark == 0x5A and size % 4 == 0 and padding < 4
        payload = data[at + 12:at + 12 + size]
        assert len(payload) == size and payload[size - padding:] == b"\0" * padding
        yield kind, version, payload[:size - padding]
        at += 12 + size


class Recorded(unittest.TestCase):
    """One run, in every format."""
    make = None

    @classmethod
    def setUpClass(cls):
        if cls.make is None:
            raise unittest.SkipTest("the shared part")
        cls.folder = tempfile.mkdtemp()
        cls.make(cls.folder, "--trace-formats", "chrome,lanes,summary,report,json,agent,insight,swimlane,"
                                                "html,svg")
        cls.report = load(os.path.join(cls.folder, "report.json"))
        cls.clock = cls.report["clock_hz"]
        cls.busy = {(core["lane"], pipe): p["busy"] for core in cls.report["cores"]
                    for pipe, p in core["pipes"].items()}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def cycles(self, micros):
        return round(micros * MICRO * self.clock)

    def assert_busy(self, sums, pipes=None):
        for (lane, pipe), busy in self.busy.items():
            if pipes is None or pipe in pipes:
                self.assertEqual(sums[lane, pipe], busy, (lane, pipe))

    def test_all_totals_are_those_of_the_raw_records(self):
        self.assertEqual(totals.check(self.folder), [])

    def test_busy_waiting_and_idle_add_up_to_the_run(self):
        for core in self.report["cores"]:
            self.assertEqual(core["cycles"], self.report["cycles"])
            for pipe in core["pipes"].values():
                self.assertEqual(pipe["busy"] + pipe["wait"] + pipe["idle"],
                                 self.report["cycles"])
                self.assertEqual(sum(pipe["waits"].values()), pipe["wait"])

    def test_agent_json_is_short_and_says_what_the_report_says(self):
        with open(self.path("agent.json"), "rb") as file:
            text = file.read()
        self.assertLessEqual(len(text), 4096)
        agent = json.loads(text)
        self.assertEqual(agent["cycles"], self.report["cycles"])
        self.assertEqual(agent["verdict"], "ran")
        for mine, full in zip(agent["advice"], self.report["advice"]):
            self.assertEqual({k: mine.get(k) for k in ("kind", "line", "saves_cycles")},
                             {k: full.get(k) for k in ("kind", "line", "saves_cycles")})
        for kind, cores in agent["cores"].items():
            ran = [c for c in self.report["cores"] if c["lane"].startswith(kind)]
            for pipe, share in cores["busy_percent"].items():
                busy = sum(c["pipes"][pipe]["busy"] for c in ran)
                self.assertAlmostEqual(share, 100 * busy / len(ran) / agent["cycles"], delta=0.06)
        waited = collections.Counter()
        for wait in agent["waits"]:
            kind, pipe = wait["pipe"].split("/")
            waited[kind, pipe] += wait["cycles_per_core"] * agent["cores"][kind]["used"]
        for (kind, pipe), cycles in waited.items():
            self.assertLessEqual(cycles, sum(c["pipes"].get(pipe, {"wait": 0})["wait"]
                                             for c in self.report["cores"]
                                             if c["lane"].startswith(kind)))

    def test_the_bottleneck_is_one_everywhere(self):
        first = self.report["advice"][0]
        self.assertTrue(self.report["bottleneck"].startswith(first["what"]))
        for name in ("summary.txt", "report.md", "report.html"):
            with open(self.path(name)) as file:
                self.assertIn(self.report["bottleneck"], file.read(), name)

    def test_lanes_json_has_the_same_totals(self):
        sums = collections.Counter()
        for core, same in zip(page.load_lanes(self.path("lanes.json")), self.report["cores"]):
            tasks = core.pop("tasks")
            self.assertEqual({key: core[key] for key in same}, same)
            for task in tasks:
                sums[core["lane"], task["pipe"]] += task["end"] - task["start"]
        self.assert_busy(sums, {"MTE1", "MTE2", "MTE3", "M", "V", "FIX"})

    def test_trace_json_has_the_same_totals(self):
        trace = load(self.path("trace.json"))
        names, sums, waits = {}, collections.Counter(), collections.Counter()
        for event in trace["traceEvents"]:
            if event["name"] == "process_name":
                names[event["pid"]] = event["args"]["name"]
            if event["ph"] != "X":
                continue
            lane = names[event["pid"]]
            if event["cat"] == "wait":
                waits[lane, event["args"]["reason"]] += event["args"]["cycles"]
                sums[lane, "S"] += event["args"].get("work_cycles", 0)
            else:
                sums[lane, event["cat"]] += event["args"].get("cycles", 0)
        self.assertNotIn("sampled", trace["otherData"])
        self.assert_busy(sums)
        expected = collections.Counter()
        for core in self.report["cores"]:
            for pipe in core["pipes"].values():
                for reason, cycles in pipe["waits"].items():
                    expected[core["lane"], reason] += cycles
        self.assertEqual(waits, expected)

    def test_insight_has_the_same_totals_and_fits_its_schema(self):
        trace = load(self.path("simulator", "trace.json"))
        validate(trace, schemas.INSIGHT_ALL)
        sums, open_at, waits = collections.Counter(), {}, collections.Counter()
        for event in trace["traceEvents"]:
            if event["ph"] == "X" and not re.match("BAR|CROSS|SET|WAIT", event["name"]):
                sums[event["pid"], event["tid"]] += self.cycles(event["dur"])
            if event["ph"] == "B":
                open_at[event["id"], event["name"]] = event["ts"]
            if event["ph"] == "E" and event["name"] == "WAIT_FLAG":
                waits[event["pid"], event["tid"]] += self.cycles(
                    event["ts"] - open_at[event["id"], "WAIT_FLAG"])
        for core in self.report["cores"]:
            for pipe, p in core["pipes"].items():
                where = core_of(core["lane"]), LANES[pipe]
                self.assertEqual(sums[where], p["busy"], where)
                self.assertEqual(waits[where], p["waits"].get("flag", 0), where)

    def test_insight_folders_of_cores(self):
        for core in self.report["cores"]:
            name = core_of(core["lane"])
            trace = load(self.path("simulator", name, "trace.json"))
            validate(trace, schemas.INSIGHT_CORE)
            lanes = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"]
                     if event["name"] == "process_name"}
            sums = collections.Counter()
            for event in trace["traceEvents"]:
                if event["ph"] == "X" and not re.match("BAR|CROSS|SET|WAIT", event["name"]):
                    sums[lanes[event["pid"]]] += self.cycles(event["dur"])
            for pipe, p in core["pipes"].items():
                self.assertEqual(sums[LANES[pipe]], p["busy"])
            (table,) = glob.glob(self.path("simulator", name, f"{name}_instr_exe_*.csv"))
            self.assertRegex(table, r"_[0-9]{17}\.csv$")
            with open(table, newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(list(rows[0]), ["instr", "addr", "pipe", "call_count", "cycles",
                                             "running_time(us)", "detail"])
            cycles = [int(row["cycles"]) for row in rows]
            self.assertEqual(cycles, sorted(cycles, reverse=True))
            self.assertEqual(sum(int(row["call_count"]) for row in rows), core["instructions"])
            (table,) = glob.glob(self.path("simulator", name, f"{name}_code_exe_*.csv"))
            with open(table, newline="") as file:
                lines = list(csv.DictReader(file))
            self.assertEqual(sum(int(row["cycles"]) for row in lines), sum(cycles))

    def test_visualize_data_holds_the_trace_and_both_tables(self):
        blocks = {kind: (version, json.loads(payload)) for kind, version, payload in
                  blocks_of(self.path("simulator", "visualize_data.bin"))}
        self.assertEqual(set(blocks), {2, 3, 4})
        self.assertEqual([blocks[kind][0] for kind in (2, 3, 4)], [0x5A, 0x5A, 0])
        self.assertEqual(blocks[2][1], load(self.path("simulator", "trace.json")))
        validate(blocks[3][1], schemas.FILES)
        validate(blocks[4][1], schemas.INSTRUCTIONS)
        table = blocks[4][1]
        self.assertEqual(table["Cores"], [core_of(c["lane"]) for c in self.report["cores"]])
        for column in ("Cycles", "Instructions Executed"):
            lines = [sum(line[column]) for file in blocks[3][1]["Files"] for line in file["Lines"]]
            self.assertEqual(sum(sum(row[column]) for row in table["Instructions"]), sum(lines))

    def test_inter_core_swimlane(self):
        records = load(self.path("chip_swimlane_records.json"))
        deps = load(self.path("deps.json"))
        (names,) = glob.glob(self.path("name_map_*.json"))
        validate(records, schemas.SWIMLANE)
        validate(deps, schemas.DEPS)
        validate(load(names), schemas.NAME_MAP)
        tasks = records["aicore_tasks"]
        self.assertEqual(len(tasks), len(self.report["cores"]))
        self.assertEqual(max(row[4] for row in tasks) - min(row[3] for row in tasks),
                         self.span(tasks))
        for row in tasks:
            self.assertGreater(row[3], 0)
            self.assertGreater(row[4], row[3])
        self.assertEqual({str(row[1]) for row in tasks}, {t["task_id"] for t in deps["tasks"]})
        kinds = records["metadata"]["core_types"]
        self.assertEqual(collections.Counter(kinds[row[0]] for row in tasks),
                         collections.Counter(c["lane"][:3].lower() for c in self.report["cores"]))

    def span(self, tasks):
        """From the begin of the first block to the end of the last, as trace.json has it."""
        blocks = [e["args"] for e in load(self.path("trace.json"))["traceEvents"]
                  if e.get("cat") == "block"]
        self.assertEqual(len(blocks), len(tasks))
        return (max(b["start"] + b["cycles"] for b in blocks) - min(b["start"] for b in blocks))

    def test_pmu_csv_has_the_same_totals(self):
        arch = "a5" if "950" in self.report["chip"] else "a2a3"
        with open(self.path("pmu.csv"), newline="") as file:
            self.assertEqual(file.readline().rstrip("\n"), schemas.PMU_COLUMNS[arch])
            file.seek(0)
            rows = list(csv.DictReader(file))
        cores = load(self.path("chip_swimlane_records.json"))["metadata"]["core_types"]
        aics = cores.count("aic")
        sums = collections.Counter()
        for row in rows:
            number = int(row["core_id"])
            lane = f"AIC{number:02}" if number < aics else f"AIV{number - aics:02}"
            self.assertEqual(row["core_type"], "0" if number < aics else "1")
            self.assertRegex(row["task_id"], "^0x[0-9a-f]{16}$")
            for pipe, columns in PMU.items():
                column = columns[arch == "a5"]
                if column is not None:
                    sums[lane, pipe] += int(row[column])
        self.assert_busy(sums, {"V", "M", "S", "MTE1", "MTE2", "MTE3"})

    def test_report_has_its_headings_and_the_path_tiles_the_run(self):
        with open(self.path("report.md")) as file:
            text = file.read()
        self.assertEqual(re.findall("^## (.*)$", text, re.M), HEADINGS)
        self.assertIn("**Bottleneck:**", text.splitlines()[2])
        assumed = re.findall("^- `(.*)`$", text[text.index("## Assumed"):], re.M)
        self.assertIn("scalar.operation", assumed)
        self.assertEqual(assumed, self.report["assumed"])
        steps = self.report["critical_path"]["steps"]
        at = self.report["begin"]
        for step in steps:
            self.assertEqual(step["begin"], at)
            at = step["end"]
        self.assertEqual(at - self.report["begin"], self.report["cycles"])
        self.assertEqual(sum(self.report["critical_path"]["spent"].values()),
                         self.report["cycles"])
        # A row is of some cores that did the same, or of the mean of all of a type.
        section = text[text.index("## Cores and pipes"):text.index("## Waits")]
        rows = re.findall(r"^\| ([^|]*AI[CV][^|]*) \| (\w+) \|([\d |]*)\|", section, re.M)
        self.assertLessEqual(len(rows), len(self.busy))
        seen = collections.Counter()
        for who, pipe, columns in rows:
            parts = [int(c) for c in columns.replace(" ", "").split("|")[:6]]
            self.assertEqual(sum(parts), self.report["cycles"], (who, pipe))
            mean = re.fullmatch(r"mean of (\d+) (AI[CV])s", who)
            cores = [lane for lane, of in self.busy if of == pipe and lane.startswith(mean.group(2))] \
                if mean else lanes_of(who)
            if mean:
                self.assertEqual(int(mean.group(1)), len(cores))
                seen.update((core, pipe) for core in cores)
                self.assertEqual(parts[0], sum(self.busy[c, pipe] for c in cores) // len(cores))
                continue
            for core in cores:
                self.assertEqual(parts[0], self.busy[core, pipe])
                seen[core, pipe] += 1
        self.assertEqual(set(seen), set(self.busy))
        self.assertLess(text.count("\n"), 400)

    def test_lines_and_instructions_add_up(self):
        sums = sum(busy for (lane, pipe), busy in self.busy.items() if pipe != "S")
        self.assertEqual(sum(line["busy"] for line in self.report["lines"]), sums)
        self.assertEqual(sum(c["busy"] for c in self.report["by_instruction"]), sums)
        roofline = self.report["roofline"]
        traffic = self.report["traffic"]
        self.assertEqual(sum(b for p, b in traffic.items() if p.startswith("GM->")),
                         roofline["read_bytes"])
        self.assertEqual(sum(b for p, b in traffic.items() if p.endswith("->GM")),
                         roofline["written_bytes"])

    def test_the_page_holds_the_report_and_needs_no_network(self):
        with open(self.path("report.html"), encoding="utf-8") as file:
            body = re.sub(r"<!--.*?-->", "", file.read(), flags=re.S)
        self.assertIsNone(re.search(r"<(script|link|img)[^>]*\b(src|href)=", body))
        data = page.load(self.path("report.html"))
        self.assertEqual(data["report"], self.report)
        sums = collections.Counter()
        for lane in data["lanes"]:
            for what, length in zip(lane["what"], lane["length"]):
                if data["what"][what]["kind"] in (0, 3):  # work, scalar
                    sums[lane["core"], lane["pipe"]] += length
        self.assert_busy(sums)
        # A flag joins two instructions of its lanes, by their sequence numbers, and none is taken
        # before it was set.
        for flags in data["flags"]:
            for end, numbers in (("from", "set_sequence"), ("to", "wait_sequence")):
                self.assertLessEqual(set(flags[numbers]),
                                     set(data["lanes"][flags[end]]["sequence"]))
            self.assertGreaterEqual(min(flags["taken"]), 0)

    def test_the_page_of_two_runs_has_both(self):
        both = os.path.join(self.folder, "..", "both.html")
        run(["diff", self.folder, self.folder, "--html", both])
        data = page.load(both)
        half = len(data["lanes"]) // 2
        for now, before in zip(data["lanes"][:half], data["lanes"][half:]):
            self.assertEqual(before["core"], "A " + now["core"])
            for name in page.NAMES:
                if name != "what":  # lines of A say so
                    self.assertEqual(before[name], now[name])
        self.assertEqual(data["comparison"]["cycles"], {"a": self.report["cycles"],
                                                         "b": self.report["cycles"]})


class Gemm(Recorded):
    make = staticmethod(gemm)

    def test_loops_and_counters(self):
        events = load(self.path("trace.json"))["traceEvents"]
        loops = [e for e in events if e.get("cat") == "loop"]
        self.assertGreater(max(e["args"]["iteration"] for e in loops), 0)
        names = {e["name"] for e in events if e["ph"] == "C"}
        for name in ("GM->L1", "L0C->GM", "L2 hits", "L2 misses", "MTE2 queue", "L1", "L0C"):
            self.assertIn(name, names)
        missed = [e for e in events if e.get("cat") == "MTE2" and "l2_miss_bytes" in e["args"]]
        self.assertGreater(sum(e["args"]["l2_miss_bytes"] for e in missed), 2 * 256 * 256)


class Sizes(unittest.TestCase):
    def test_trace_json_takes_at_most_250_bytes_an_instruction(self):
        with tempfile.TemporaryDirectory() as folder:
            said = run(["run", f"{KERNELS}/gemm_f16.pto", "--blocks", "24", "--mode", "timing",
                        *["--arg", "zeros=2048x2048xf16"] * 2, "--arg", "out=2048x2048xf32",
                        *["--arg", "i32=2048"] * 3, "--trace", folder, "--trace-formats",
                        "chrome,agent"]).stdout
            instructions = int(re.search(r"^instructions +(\d+)$", said, re.M).group(1))
            size = os.path.getsize(os.path.join(folder, "trace.json"))
            self.assertLessEqual(size / instructions, 250)
            self.assertLessEqual(os.path.getsize(os.path.join(folder, "agent.json")), 4096)


class Attention(Recorded):
    make = staticmethod(attention)


class Vectors(Recorded):
    make = staticmethod(vectors)


class Fifos(unittest.TestCase):
    def test_flags_of_pushes_and_pops_are_arrows_of_their_own(self):
        rows, cols, down, right = fifo_test.SPLITS[1]
        kernel = (fifo_test.KERNEL.replace("SPLIT", "1").replace("ROWS", str(rows))
                  .replace("COLS", str(cols)).replace("DOWN", down).replace("RIGHT", right))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.pto")
            with open(path, "w") as file:
                file.write(kernel)
            run(["run", path, "--blocks", "1", "--sync", "auto", "--entry", "cube+vector", "--arg",
                 "rand=32x32xf16", "--arg", "rand=160x32xf16", "--arg", "out=160x32xf32", "--arg",
                 "zeros=8x1024xf32", "--arg", "i32=5", "--trace", folder])
            events = load(os.path.join(folder, "trace.json"))["traceEvents"]
        kinds = collections.Counter(e["cat"] for e in events if e["ph"] == "s")
        self.assertGreaterEqual(kinds["fifo"], 2 * 5)  # to two vector cores
        self.assertEqual(kinds["signal"], 0)


class Summaries(unittest.TestCase):
    def test_a_run_says_the_same_recorded_or_not_read_back_or_not(self):
        plain = run(GEMM).stdout
        for formats in ("none", "summary"):
            with tempfile.TemporaryDirectory() as folder:
                lines = gemm(folder, "--trace-formats", formats).stdout.splitlines(True)
            self.assertEqual("".join(line for line in lines if not line.startswith(("trace:", "open "))),
                             plain)


class Sampled(unittest.TestCase):
    def test_a_small_limit_is_kept_and_what_is_drawn_together_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            gemm(folder, "--trace-formats", "json")
            said = run(["report", folder, "--write", "chrome", "--most-slices", "60"]).stdout
            trace = load(os.path.join(folder, "trace.json"))
            report = load(os.path.join(folder, "report.json"))
        told = trace["otherData"]["sampled"]
        self.assertIn(f"note: trace.json draws {told['instructions_together']} of ", said)
        self.assertIn(f"leaves out {told['arrows_left_out']} arrows", said)
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        drawn = [e for e in slices if e["cat"] not in ("block", "launch", "loop")]
        self.assertLessEqual(len(drawn), 60)
        together = [e["args"] for e in drawn if e["cat"] == "sampled"]
        self.assertTrue(all(a["start"] >= told["alone_to"] for a in together))
        self.assertEqual(sum(a["instructions"] for a in together), told["instructions_together"])
        self.assertEqual(sum(a["waits"] for a in together), told["waits_together"])
        self.assertGreater(told["arrows_left_out"], 0)
        self.assertEqual(len([e for e in trace["traceEvents"] if e.get("cat") == "sampled"
                              and e["ph"] == "i"]), 1)
        # Nothing is lost from the totals.
        work = sum(e["args"]["cycles"] for e in drawn if e["cat"] not in ("wait", "sampled"))
        work += sum(a["work_cycles"] for a in together)
        self.assertEqual(work, sum(p["busy"] for c in report["cores"]
                                   for p in c["pipes"].values()))
        wait = sum(e["args"]["cycles"] for e in drawn if e["cat"] == "wait")
        wait += sum(a["wait_cycles"] for a in together)
        self.assertEqual(wait, sum(p["wait"] for c in report["cores"]
                                   for p in c["pipes"].values()))


    def test_the_begin_of_a_run_that_repeats_itself_is_drawn_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            run(["run", f"{KERNELS}/vadd_f32.pto", "--mode", "timing", "--blocks", "1", "--arg",
                 "zeros=6400x256xf32", "--arg", "zeros=6400x256xf32", "--arg", "out=6400x256xf32",
                 "--arg", "i32=6400", "--trace", folder, "--trace-formats", "none"])
            run(["report", folder, "--write", "chrome", "--most-slices", "2000"])
            trace = load(os.path.join(folder, "trace.json"))
        told = trace["otherData"]["sampled"]
        drawn = [e for e in trace["traceEvents"]
                 if e["ph"] == "X" and e["cat"] not in ("block", "launch", "loop")]
        self.assertLessEqual(len(drawn), 2000)
        self.assertGreater(len(drawn), 1500)  # the limit is used
        cycles = trace["otherData"]["clock_hz"] * MICRO
        early = [e for e in drawn if e["ts"] * cycles < told["alone_to"] - 0.5]
        self.assertGreater(len(early), 300)
        self.assertNotIn("sampled", {e["cat"] for e in early})


class Diff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp()
        cls.a, cls.b, cls.c = (os.path.join(cls.root, name) for name in "abc")
        for folder, more in ((cls.a, []), (cls.b, []), (cls.c, ["--set", "aic.cube.latency=300"])):
            gemm(folder, "--trace-formats", "none", *more)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def test_equal_runs_do_not_differ(self):
        self.assertIn("within the tolerance", run(["diff", self.a, self.b]).stdout)

    def test_slower_runs_are_beyond_a_tolerance_and_within_a_larger_one(self):
        result = run(["diff", self.a, self.c, "--json", "-"], expect=1)
        difference = json.loads(result.stdout)
        change = difference["cycles"]
        self.assertGreater(change["b"], change["a"])
        percent = 100 * (change["b"] - change["a"]) / change["a"]
        run(["diff", self.a, self.c, "--tolerance", str(percent + 0.2)])
        run(["diff", self.a, self.c, "--tolerance", str(percent - 0.2)], expect=1)

    def test_the_text_gives_means_by_type_of_core_and_both_bottlenecks(self):
        difference = json.loads(run(["diff", self.a, self.c, "--json", "-"], expect=1).stdout)
        text = run(["diff", self.a, self.c], expect=1).stdout
        by_type = {}
        for pipe in difference["pipes"]:
            core, what = pipe["what"].split(" ", 1)
            by_type.setdefault(core[:3] + " " + what, []).append(pipe)
        for what, cores in by_type.items():
            if all(core["a"] == core["b"] for core in cores):
                self.assertNotIn(f"  {what}: ", text)
                continue
            before, after = (sum(core[run] for core in cores) // len(cores) for run in "ab")
            self.assertIn(f"  {what}: {before} -> {after} (", text)
        for which, folder in (("a", self.a), ("b", self.c)):
            report = run(["report", folder, "--format", "json"]).stdout
            bottleneck = json.loads(report)["bottleneck"]
            self.assertEqual(difference["bottleneck"][which], bottleneck)
            self.assertIn(f"  {which.upper()}: {bottleneck}\n", text)

    def test_other_outputs_are_beyond_any_tolerance(self):
        other = os.path.join(self.root, "other")
        gemm(other, "--trace-formats", "none", "--seed", "7")
        result = run(["diff", self.a, other, "--tolerance", "1000", "--json", "-"], expect=1)
        difference = json.loads(result.stdout)
        self.assertEqual(difference["cycles"]["a"], difference["cycles"]["b"])
        self.assertEqual(len(difference["outputs"]), 1)

    def test_the_picture_has_both_runs(self):
        path = os.path.join(self.root, "pair.svg")
        run(["diff", self.a, self.c, "--svg", path], expect=1)
        with open(path) as file:
            self.assertIn("<svg", file.read())


class Broken(unittest.TestCase):
    """Recordings that are cut off, and runs that failed: every format up to where they go."""

    def formats(self, folder):
        return run(["report", folder, "--write",
                    "chrome,lanes,summary,report,json,agent,insight,swimlane,html,svg"])

    def test_a_recording_that_is_cut_off(self):
        with tempfile.TemporaryDirectory() as folder:
            gemm(folder, "--trace-formats", "none")
            path = os.path.join(folder, "recording.bin")
            whole = os.path.getsize(path)
            with open(path, "r+b") as file:
                file.truncate(whole * 2 // 3)
            said = self.formats(folder).stderr
            self.assertIn("cut off", said)
            with open(path, "r+b") as file:
                head = file.read(1000)
            with tempfile.TemporaryDirectory() as short:
                with open(os.path.join(short, "recording.bin"), "wb") as file:
                    file.write(head)
                for words in (["report", short], ["report", short, "--write", "all"], ["diff", short, folder]):
                    result = run(words, expect=2)
                    self.assertIn("the recording is cut off; it goes up to cycle 0, before the first "
                                  "instruction, and there is nothing to report [I41]", result.stderr)
                    self.assertEqual((result.stdout, os.listdir(short)), ("", ["recording.bin"]))
            report = load(os.path.join(folder, "report.json"))
            self.assertIn("cut off", report["gaps"][0])
            self.assertTrue(report["ended_early"])
            self.assertIn("cut off", load(os.path.join(folder, "trace.json"))["otherData"]["gaps"][0])
            with open(os.path.join(folder, "report.md")) as file:
                self.assertIn("**Incomplete:**", file.read())
            for core in report["cores"]:
                for pipe in core["pipes"].values():
                    self.assertEqual(pipe["busy"] + pipe["wait"] + pipe["idle"], report["cycles"])
            validate(load(os.path.join(folder, "simulator", "trace.json")), schemas.INSIGHT_ALL)
            validate(load(os.path.join(folder, "chip_swimlane_records.json")), schemas.SWIMLANE)

    def test_a_deadlock(self):
        with open(f"{KERNELS}/gemm_f16.pto") as file:
            text = file.read()
        sets = [m for m in re.finditer(r"^.*set_flag.*PIPE_MTE1>, <PIPE_M>.*\n", text, re.M)]
        self.assertTrue(sets)
        with tempfile.TemporaryDirectory() as folder:
            kernel = os.path.join(folder, "broken.pto")
            with open(kernel, "w") as file:
                file.write(text[:sets[0].start()] + text[sets[0].end():])
            trace = os.path.join(folder, "trace")
            run(["run", kernel, "--blocks", "4", "--arg", "rand=256x256xf16", "--arg",
                 "rand=256x256xf16", "--arg", "out=256x256xf32", *["--arg", "i32=256"] * 3,
                 "--trace", trace], expect=1)
            self.formats(trace)
            report = load(os.path.join(trace, "report.json"))
            self.assertTrue(report["ended_early"])
            self.assertIn("waits for flag MTE1->M #0", report["bottleneck"])
            events = load(os.path.join(trace, "trace.json"))["traceEvents"]
            self.assertTrue([e for e in events if e.get("cat") == "diagnostic"])
            self.assertTrue([e for e in events if e.get("args", {}).get("unfinished")])
            validate(load(os.path.join(trace, "simulator", "trace.json")), schemas.INSIGHT_ALL)

    def test_what_is_no_recording_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "recording.bin"), "w") as file:
                file.write("something else")
            self.assertIn("I41", run(["report", folder], expect=2).stderr)
            self.assertIn("I41", run(["diff", folder, folder], expect=2).stderr)
            self.assertIn("I01", run(["report", os.path.join(folder, "x")], expect=2).stderr)


if __name__ == "__main__":
    words = sys.argv[1:]
    PTOSIM = os.path.abspath(words[words.index("--ptosim") + 1])
    DATA = os.path.abspath(words[words.index("--data") + 1])
    rest = [w for i, w in enumerate(words)
            if not w.startswith("--ptosim") and not w.startswith("--data")
            and (i == 0 or words[i - 1] not in ("--ptosim", "--data"))]
    unittest.main(argv=sys.argv[:1] + rest)
