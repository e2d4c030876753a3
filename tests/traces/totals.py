#!/usr/bin/python3
"""The totals of recorded runs, computed anew from the raw records of recording.bin.

    totals.py DIR...      DIR: ptosim run ... --trace DIR --trace-formats all

Reads the records as docs/formats.md has them, adds up what each pipe did by intervals of its own,
and compares with every file that contains totals. Prints what does not agree; exit code 1 then.
"""
import bisect
import collections
import csv
import glob
import json
import os
import re
import struct
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import page  # noqa: E402

PIPES = ["S", "MTE2", "MTE1", "M", "V", "FIX", "MTE3", "all"]
SPACES = ["UB", "L1", "L0A", "L0B", "L0C", "BIAS", "FIXPIPE", "SCALEA", "SCALEB"]
GLOBAL = 0x40
# Bits of the formats, in the order of their numbers in the file.
BITS = [32, 16, 16, 32, 32, 8, 8, 8, 8, 4, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64]
REASONS = ["flag", "barrier", "queue full", "data", "cross-core", "in flight", "drain"]
STARTED, COMPLETED, SYNC = 1, 2, 4
INSIGHT = {"S": "SCALAR", "MTE1": "MTE1", "M": "CUBE", "FIX": "FIXP", "MTE2": "MTE2",
           "V": "VECTOR", "MTE3": "MTE3"}

Instruction = collections.namedtuple(
    "Instruction", "core sequence opcode pipe flags operands issued started free completed line hit "
    "miss")
Wait = collections.namedtuple("Wait", "core pipe sequence begin end open reason line")
Run = collections.namedtuple("Run", "core begin end open block")
Item = collections.namedtuple("Item", "place dtype roles rows cols address bytes")


class Fields:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while self.at < len(self.data):
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return value

    def text(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size:self.at].decode("utf-8", "replace")

    def line(self):
        line = self.number()
        if line == 0:
            return None
        file = self.number()
        self.number()
        return file, line


class Recording:
    def __init__(self, path):
        self.cores, self.operands = [], []
        self.instructions, self.waits, self.runs = [], [], []
        self.begin = self.end = None
        self.forms, self.causes = [], []
        self.known = {}  # by lane, if it was broken off
        self.begun = {}  # by core: blocks that have not ended
        self.clock = self.latest = 0
        with open(path, "rb") as file:
            data = file.read()
        assert data[:16] == b"ptosim recording"
        at = 20
        while at < len(data):
            size, records, crc = struct.unpack_from("<III", data, at)
            payload = data[at + 12:at + 12 + size]
            at += 12 + size
            if len(payload) < size:
                break  # cut off
            assert zlib.crc32(payload) == crc
            here = 0
            for _ in range(records):
                kind, length = struct.unpack_from("<BI", payload, here)
                self.record(kind, Fields(payload[here + 5:here + 5 + length]))
                here += 5 + length
            assert here == size
        if self.end is None:  # it was broken off: up to the last thing known
            self.end = max(self.latest, self.begin or 0)
            self.runs += [run._replace(end=self.end, open=True) for run in self.begun.values()]
            # The work of their scalar units after the last known time is not recorded.
            for lane in self.cores:
                self.known[lane] = max(
                    [i.issued for i in self.instructions if i.core == lane]
                    + [w.end for w in self.waits if (w.core, w.pipe) == (lane, "S")], default=0)

    def record(self, kind, f):
        if kind == 2:
            self.cores.append(f"{('AIC', 'AIV')[f.number()]}{f.number():02}")
        elif kind == 4:
            self.operands.append([Item(*(f.number() for _ in range(7))) for _ in range(6)])
        elif kind == 5:
            f.text(), f.text()
            self.clock = f.number()
            f.number()
            time = f.number()
            self.begin = time if self.begin is None else self.begin
            self.saw(time)
        elif kind == 6:
            self.saw(f.number())
        elif kind == 15:  # what instructions have in common
            self.forms.append((f.text(), PIPES[f.number()], f.number(), f.number(), f.line()))
        elif kind == 16:
            core, sequence, form, issued = (f.number() for _ in range(4))
            opcode, pipe, flags, operands, line = self.forms[form]
            started = issued + f.number()
            self.instructions.append(Instruction(
                self.cores[core], sequence, opcode, pipe, flags, operands, issued, started,
                started + f.number(), started + f.number(), line, f.number(), f.number()))
            self.saw(self.instructions[-1].completed)
        elif kind == 17:  # what waits have in common
            reason, _, _, _ = (f.number() for _ in range(4))
            f.text(), f.number(), f.number()
            self.causes.append((REASONS[reason], f.line()))
        elif kind == 18:
            core, pipe, sequence, begin, length, still, _, cause = (f.number() for _ in range(8))
            self.waits.append(Wait(self.cores[core], PIPES[pipe], sequence, begin, begin + length,
                                   bool(still), *self.causes[cause]))
            self.saw(begin + length)
        elif kind == 20:
            self.saw([f.number() for _ in range(6)][5])
        elif kind in (10, 21):
            core, begin, length, still, _, block = (f.number() for _ in range(6))
            run = Run(self.cores[core], begin, begin + length, bool(still), block)
            self.begun.pop(core, None)
            if kind == 10:
                self.runs.append(run)
            else:
                self.begun[core] = run
            self.saw(begin + length)
        elif kind == 13:
            self.end = f.number()

    def saw(self, time):
        self.latest = max(self.latest, time)


def union(intervals):
    """Disjoint intervals in order."""
    result = []
    for begin, end in sorted(intervals):
        if begin >= end:
            continue
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return result


def length(intervals):
    return sum(end - begin for begin, end in intervals)


def without(intervals, others):
    """The parts of disjoint intervals that are in none of the other disjoint ones."""
    result, k = [], 0
    for begin, end in intervals:
        while k < len(others) and others[k][1] <= begin:
            k += 1
        j = k
        while j < len(others) and others[j][0] < end:
            if others[j][0] > begin:
                result.append([begin, others[j][0]])
            begin = max(begin, others[j][1])
            j += 1
        if begin < end:
            result.append([begin, end])
    return result


def peak(changes):
    """The highest sum of (time, change) and its begin; changes of one time count together."""
    value = highest = 0
    by_time = collections.Counter()
    for time, change in changes:
        by_time[time] += change
    for time in sorted(by_time):
        value += by_time[time]
        highest = max(highest, value)
    return highest


class Totals:
    """Totals of a recording, by (lane, pipe)."""

    def __init__(self, r):
        self.r, self.whole = r, r.end - r.begin
        work, waits = collections.defaultdict(list), collections.defaultdict(list)
        self.instructions = collections.Counter()
        for i in r.instructions:
            if i.flags & STARTED:
                work[i.core, i.pipe].append((i.started, i.free))
            self.instructions[i.core, i.pipe] += bool(i.flags & COMPLETED)
        for w in r.waits:
            waits[w.core, w.pipe].append((w.begin, w.end))
        for run in r.runs:
            known = r.known.get(run.core, run.end) if run.open else run.end
            work[run.core, "S"].append((run.begin, min(run.end, known)))
        clip = lambda list: [(max(b, r.begin), min(e, r.end)) for b, e in list]
        self.busy, self.wait, self.busy_at = (collections.Counter() for _ in range(3))
        for key in set(work) | set(waits):
            works, stands = union(clip(work[key])), union(clip(waits[key]))
            if key[1] == "S":  # it works where it does not wait
                works = without(works, stands)
            else:
                stands = without(stands, works)
            self.busy_at[key] = works
            self.busy[key], self.wait[key] = length(works), length(stands)

    def active(self, lane):
        return length(union([tuple(i) for key, works in self.busy_at.items()
                             if key[0] == lane and key[1] != "S" for i in works]))

    def moved(self):
        """Bytes by path: bytes that cross the boundary of global memory, or else written bytes."""
        paths = collections.Counter()
        for i in self.r.instructions:
            if not i.flags & COMPLETED or i.flags & SYNC or not moves(i):
                continue
            items = [x for x in self.r.operands[i.operands] if x.place]
            if not items:
                continue
            (which,) = [x for x in items if x.place == GLOBAL][:1] or items[:1]
            to = next((x for x in items if x.roles & 2), None)
            source = next((x for x in items if x is not to), None)
            if to is None or source is None:
                continue
            paths[f"{place(source)}->{place(to)}"] += (
                which.rows * which.cols * BITS[which.dtype] + 7) // 8
        return paths

    def depths(self):
        """The most instructions that were issued and not started, by lane and pipe."""
        changes = collections.defaultdict(list)
        for i in self.r.instructions:
            if i.issued < i.started:
                changes[i.core, i.pipe] += [(i.issued, 1), (i.started, -1)]
        return {key: peak(list) for key, list in changes.items()}

    def live(self):
        """The most bytes between first write and last read, by lane and memory; bytes that two
        tiles share count once."""
        tiles, lives = {}, collections.defaultdict(list)
        for i in sorted(self.r.instructions, key=lambda i: (i.issued, i.core, i.sequence)):
            if i.flags & SYNC or not i.flags & STARTED:
                continue
            items = [x for x in self.r.operands[i.operands] if x.place and x.place != GLOBAL]
            read = {(x.place, x.address) for x in items if x.roles & 1}
            for x in items:
                key = i.core, SPACES[x.place - 1], x.address
                reads = (x.place, x.address) in read
                if key not in tiles or (tiles[key][3] and not reads):
                    if key in tiles:
                        lives[key[:2]].append((key[2], *tiles[key][:3]))
                    tiles[key] = [i.started, i.started, 0, False]
                t = tiles[key]
                t[0], t[1] = min(t[0], i.started), max(t[1], i.completed)
                t[2], t[3] = max(t[2], x.bytes), t[3] or reads
        for key, t in tiles.items():
            lives[key[:2]].append((key[2], *t[:3]))
        return {key: most_covered(list) for key, list in lives.items()}

    def tops(self):
        result = collections.Counter()
        for i in self.r.instructions:
            if i.flags & SYNC or not i.flags & STARTED:
                continue
            for x in self.r.operands[i.operands]:
                if x.place and x.place != GLOBAL and x.bytes:
                    space = SPACES[x.place - 1]
                    result[space] = max(result[space], x.address + x.bytes)
        return result


def most_covered(tiles):
    """Of (address, begin, end, bytes): the most addresses that are covered at one time."""
    cuts = sorted({a for t in tiles for a in (t[0], t[0] + t[3])})
    changes, value, highest = collections.defaultdict(list), 0, 0
    for address, begin, end, size in tiles:
        if begin < end:
            changes[begin].append((1, address, size))
            changes[end].append((-1, address, size))
    cover = [0] * len(cuts)
    for time in sorted(changes):
        for sign, address, size in changes[time]:
            for k in range(bisect.bisect_left(cuts, address), bisect.bisect_left(cuts, address + size)):
                before = cover[k] > 0
                cover[k] += sign
                value += (cuts[k + 1] - cuts[k]) * ((cover[k] > 0) - before)
        highest = max(highest, value)
    return highest


def place(item):
    return "GM" if item.place == GLOBAL else SPACES[item.place - 1]


MOVES = re.compile("TLOAD|TSTORE|TMOV|TEXTRACT|TINSERT|TPREFETCH|MGATHER|MSCATTER")


def moves(instruction):
    return MOVES.match(instruction.opcode) is not None


def load(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


class Comparison:
    def __init__(self, folder):
        self.folder, self.problems = folder, []
        self.t = Totals(Recording(os.path.join(folder, "recording.bin")))
        self.report = load(folder, "report.json")

    def same(self, what, told, expected):
        if told != expected:
            self.problems.append(f"{what}: {told}, computed {expected}")

    def all(self):
        for check in (self.cores, self.lanes, self.page, self.pmu, self.insight, self.chrome,
                      self.traffic, self.buffers, self.path, self.lines):
            check()
        return self.problems

    def cores(self, cores=None, where="report.json"):
        t = self.t
        cores = self.report["cores"] if cores is None else cores
        self.same(f"{where} cycles", self.report["cycles"], t.whole)
        self.same(f"{where} lanes", sorted(c["lane"] for c in cores), sorted(set(t.r.cores)))
        for core in cores:
            lane = core["lane"]
            self.same(f"{where} {lane} active", core["active"], t.active(lane))
            self.same(f"{where} {lane} util", core["util"],
                      (t.active(lane) * 20000 + t.whole) // (2 * t.whole) / 10000 if t.whole else 0)
            self.same(f"{where} {lane} instructions", core["instructions"],
                      sum(n for key, n in t.instructions.items() if key[0] == lane))
            for pipe in PIPES[:-1]:
                told = core["pipes"].get(pipe)
                key = lane, pipe
                if told is None:
                    self.same(f"{where} {key} shown", t.busy[key] + t.wait[key], 0)
                    continue
                self.same(f"{where} {key} busy", told["busy"], t.busy[key])
                self.same(f"{where} {key} wait", told["wait"], t.wait[key])
                self.same(f"{where} {key} sum", told["busy"] + told["wait"] + told["idle"], t.whole)
                self.same(f"{where} {key} reasons", sum(told["waits"].values()), told["wait"])
                self.same(f"{where} {key} instructions", told["instructions"], t.instructions[key])

    def lanes(self):
        lanes = page.load_lanes(os.path.join(self.folder, "lanes.json"))
        tasks, waits = collections.Counter(), collections.Counter()
        for lane in lanes:
            lane.pop("blocks")
            lane.pop("format", None), lane.pop("files", None)
            for task in lane.pop("tasks"):
                tasks[lane["lane"], task["pipe"], task["name"], task["start"], task["end"]] += 1
            for wait in lane.pop("waits"):
                waits[lane["lane"], wait["pipe"]] += wait["end"] - wait["start"]
        self.cores(lanes, "lanes.json")
        self.same("lanes.json tasks", tasks, collections.Counter(
            (i.core, i.pipe, i.opcode, i.started, i.free) for i in self.t.r.instructions
            if i.flags & STARTED and (i.started < i.free or not i.flags & COMPLETED)))
        for key, cycles in waits.items():  # some are hidden by work of the same pipe
            if cycles < self.t.wait[key]:
                self.problems.append(f"lanes.json waits {key}: {cycles} of {self.t.wait[key]}")

    def page(self):
        data = page.load(os.path.join(self.folder, "report.html"))
        busy, wait = collections.Counter(), collections.Counter()
        for lane in data["lanes"]:
            for what, cycles in zip(lane["what"], lane["length"]):
                kind = data["what"][what]["kind"]
                (wait if kind == 1 else busy)[lane["core"], lane["pipe"]] += cycles
        self.same("report.html busy", +busy, +self.t.busy)
        self.same("report.html wait", +wait, +self.t.wait)
        self.same("report.html report", data["report"], self.report)

    def pmu(self):
        with open(os.path.join(self.folder, "pmu.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        a5 = rows and "cube_instr_busy" in rows[0]
        names = {"V": "pmu_idc_aic_vec_busy_o", "M": "cube_instr_busy", "S": "scalar_instr_busy",
                 "MTE1": "mte1_instr_busy", "MTE2": "mte2_instr_busy", "MTE3": "mte3_instr_busy",
                 "FIX": "pmu_fix_instr_busy"} if a5 else {
                     "V": "vec_busy_cycles", "M": "cube_busy_cycles", "S": "scalar_busy_cycles",
                     "MTE1": "mte1_busy_cycles", "MTE2": "mte2_busy_cycles",
                     "MTE3": "mte3_busy_cycles"}
        self.same("pmu.csv tasks", len(rows), len(self.t.r.runs))
        for pipe, column in names.items():
            self.same(f"pmu.csv {pipe}", sum(int(row[column]) for row in rows),
                      sum(n for key, n in self.t.busy.items() if key[1] == pipe))

    def insight(self):
        names, sync = collections.Counter(), collections.Counter()
        for i in self.t.r.instructions:
            if i.flags & COMPLETED:
                names[i.core] += 1
        told = collections.Counter()
        cycles = collections.Counter()
        for core in self.report["cores"]:
            lane = core["lane"]
            number = int(lane[3:])
            name = (f"core{number}.cubecore0" if lane.startswith("AIC")
                    else f"core{number // 2}.veccore{number % 2}")
            (table,) = glob.glob(os.path.join(self.folder, "simulator", name, "*_instr_exe_*.csv"))
            with open(table, newline="") as file:
                for row in csv.DictReader(file):
                    told[lane] += int(row["call_count"])
                    if not re.match("BAR|CROSS|SET|WAIT", row["instr"]):
                        cycles[lane, row["pipe"]] += int(row["cycles"])
        self.same("insight instructions", +told, +names)
        busy = collections.Counter()
        for (lane, pipe), n in self.t.busy.items():
            if pipe != "S":
                busy[lane, INSIGHT[pipe]] += n
        self.same("insight busy", +cycles, +busy)

    def chrome(self):
        trace = load(self.folder, "trace.json")
        names = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"]
                 if e["name"] == "process_name"}
        busy, wait = collections.Counter(), collections.Counter()
        counters = collections.defaultdict(list)
        for e in trace["traceEvents"]:
            lane = names[e["pid"]]
            if e["ph"] == "C":
                counters[lane, e["name"]].append((e["ts"], *e["args"].values()))
            if e["ph"] != "X" or e["cat"] in ("block", "launch", "loop"):
                continue
            a = e["args"]
            if e["cat"] == "sampled":
                busy[lane] += a["work_cycles"]
                wait[lane] += a["wait_cycles"]
            else:
                (wait if e["cat"] == "wait" else busy)[lane] += a["cycles"]
                busy[lane] += a.get("work_cycles", 0)
        by_lane = lambda counter: +collections.Counter(
            {lane: sum(n for key, n in counter.items() if key[0] == lane)
             for lane in set(self.t.r.cores)})
        self.same("trace.json busy", +busy, by_lane(self.t.busy))
        self.same("trace.json wait", +wait, by_lane(self.t.wait))
        self.rates({name: points for (lane, name), points in counters.items()
                    if "->" in name or name.startswith("L2")})
        for (lane, pipe), most in self.t.depths().items():
            self.same(f"trace.json {lane} {pipe} queue",
                      max((v for _, v in counters[lane, f"{pipe} queue"]), default=0), most)
        for (lane, space), most in self.t.live().items():
            self.same(f"trace.json {lane} {space}",
                      max((v for _, v in counters[lane, space]), default=0), most)

    def rates(self, counters):
        """Compares bytes with the instructions' bytes, but for the rest below whole megabytes a second."""
        expected = self.t.moved()
        done = [i for i in self.t.r.instructions if i.flags & COMPLETED]
        expected["L2 hits"], expected["L2 misses"] = sum(i.hit for i in done), sum(i.miss for i in done)
        for name in set(counters) | set(+expected):
            least = most = 0
            points = counters.get(name, [])
            for (begin, rate), (end, _) in zip(points, points[1:]):
                cycles = round((end - begin) * 1e-6 * self.t.r.clock)
                micros = cycles * 1e6 / self.t.r.clock
                least += rate * micros
                most += (rate + 1) * micros
            if not least - 1 <= expected[name] <= most + 1:
                self.problems.append(f"trace.json {name}: {least:.0f} to {most:.0f} bytes, computed "
                                     f"{expected[name]}")

    def traffic(self):
        moved = self.t.moved()
        self.same("traffic", collections.Counter(self.report["traffic"]), moved)
        self.same("traffic read", self.report["roofline"]["read_bytes"],
                  sum(n for path, n in moved.items() if path.startswith("GM->")))
        self.same("traffic written", self.report["roofline"]["written_bytes"],
                  sum(n for path, n in moved.items() if path.endswith("->GM")))

    def buffers(self):
        live, tops = self.t.live(), self.t.tops()
        for buffer in self.report["buffers"]:
            space = buffer["memory"]
            self.same(f"live {space}", buffer["live"],
                      max((n for key, n in live.items() if key[1] == space), default=0))
            self.same(f"high-water mark {space}", buffer["high_water"], tops[space])
            if buffer["capacity"] and buffer["live"] > buffer["high_water"]:
                self.problems.append(f"live {space} is above its high-water mark")
        self.same("buffers", {b["memory"] for b in self.report["buffers"]}, set(tops))

    def path(self):
        path, at = self.report["critical_path"], self.t.r.begin
        for step in path["steps"]:
            self.same("critical path step", step["begin"], at)
            at = step["end"]
        self.same("critical path end", at, self.t.r.end)
        self.same("critical path spent", sum(path["spent"].values()), self.t.whole)
        self.same("critical path lanes", sum(path["lanes"].values()), self.t.whole)
        self.same("critical path lines",
                  sum(line["critical"] for line in self.report["lines"]) <= self.t.whole, True)
        for saving in self.report["savings"]:
            self.same(saving["change"], saving["cycles"] <= self.t.whole, True)

    def lines(self):
        for list in ("lines", "by_instruction"):
            self.same(f"{list} busy", sum(x["busy"] for x in self.report[list]), sum(
                i.free - i.started for i in self.t.r.instructions if i.flags & STARTED))
            self.same(f"{list} instructions", sum(x["instructions"] for x in self.report[list]),
                      sum(self.t.instructions.values()))
        waits = sum(w.end - w.begin for w in self.t.r.waits if w.line is not None)
        self.same("lines wait", sum(x["wait"] for x in self.report["lines"]), waits)
        self.same("by_instruction wait", sum(x["wait"] for x in self.report["by_instruction"]),
                  waits)


def check(folder):
    return Comparison(folder).all()


if __name__ == "__main__":
    bad = 0
    for folder in sys.argv[1:]:
        problems = check(folder)
        bad += bool(problems)
        print(f"{'FAILED' if problems else 'ok':7}{folder}", *problems[:20], sep="\n    ")
    sys.exit(bad > 0)
