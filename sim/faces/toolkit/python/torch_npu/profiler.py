"""torch_npu.profiler: the kernels that a program launches, with their simulated times, in the files of the vendor's
profiler. Operators of PyTorch, which run on the CPU, are not kernels and have no rows. Times count from the begin of the
simulated chip."""
import csv
import datetime
import enum
import json
import os
import pathlib
import socket

from torch.profiler import ProfilerAction, schedule  # noqa: F401

from . import _acl

OUTPUT = "ASCEND_PROFILER_OUTPUT"


class ProfilerActivity(enum.Enum):
    CPU = "CPU"
    NPU = "NPU"


class ProfilerLevel(enum.Enum):
    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(enum.Enum):
    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    ResourceConflictRatio = "ResourceConflictRatio"
    MemoryUB = "MemoryUB"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "AiCoreNone"


class ExportType(enum.Enum):
    Text = "text"
    Db = "db"


class _ExperimentalConfig:
    """Taken, and without effect: counters of pipes are in the simulator's own recordings."""

    def __init__(self, **options):
        self.options = options


def supported_activities():
    return set(ProfilerActivity)


def _write_table(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _kernel_details(launches):
    ends = {}
    for number, launch in enumerate(launches):
        begin, time, stream = launch["begin_us"], launch["time_us"], launch["stream"]
        wait = max(begin - ends.get(stream, begin), 0)
        ends[stream] = begin + time
        yield [launch["step"], 0, number, stream, launch["name"], launch["type"], "N/A", launch["cores"], f"{begin:.3f}",
               f"{time:.3f}", f"{wait:.3f}", launch["blocks"]]


def _op_statistic(launches):
    times = {}
    for launch in launches:
        times.setdefault((launch["type"], launch["cores"]), []).append(launch["time_us"])
    total = sum(map(sum, times.values())) or 1
    for (kind, cores), each in sorted(times.items(), key=lambda entry: -sum(entry[1])):
        yield [0, kind, cores, len(each), f"{sum(each):.3f}", f"{min(each):.3f}", f"{sum(each) / len(each):.3f}",
               f"{max(each):.3f}", f"{100 * sum(each) / total:.3f}"]


def _trace(launches):
    process = {"ph": "M", "pid": 0, "tid": 0}
    events = [{**process, "name": "process_name", "args": {"name": "Ascend Hardware"}}]
    for stream in sorted({launch["stream"] for launch in launches}):
        events.append({**process, "tid": stream, "name": "thread_name", "args": {"name": f"Stream {stream}"}})
    for launch in launches:
        events.append({"ph": "X", "name": launch["name"], "pid": 0, "tid": launch["stream"], "ts": launch["begin_us"],
                       "dur": launch["time_us"], "args": {"Task Type": launch["cores"], "Block Dim": launch["blocks"],
                                                          "Step Id": launch["step"]}})
    return events


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """Writes DIR/WORKER_TIME_ascend_pt/ASCEND_PROFILER_OUTPUT; DIR: this folder, unless it is named."""
    def handler(profiler):
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        stamp = datetime.datetime.now().strftime("%Y%m%d%H%M%S%f")[:-3]
        profiler._write(pathlib.Path(dir_name or ".") / f"{worker}_{stamp}_ascend_pt")
    return handler


class profile:
    """`with torch_npu.profiler.profile(...) as prof:`; `prof.step()` ends a step of the schedule."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None, **_):
        self._schedule = schedule or (lambda _: ProfilerAction.RECORD)
        self._on_trace_ready = on_trace_ready
        self._launches, self._step, self._action = [], 0, ProfilerAction.NONE

    def start(self):
        self._begin(self._schedule(self._step))

    def stop(self):
        if self._recording(self._action):
            self._end()
        self._action = ProfilerAction.NONE

    def step(self):
        self._collect()
        before, self._step = self._action, self._step + 1
        after = self._schedule(self._step)
        if before == ProfilerAction.RECORD_AND_SAVE:
            self._end()
            before = ProfilerAction.NONE
        elif self._recording(before) and not self._recording(after):
            self._end()
        if self._recording(before) and self._recording(after):
            self._action = after
        else:
            self._begin(after)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.stop()
        return False

    def add_metadata(self, key, value):
        """Nothing to do."""

    add_metadata_json = add_metadata

    def export_chrome_trace(self, output_path):
        pathlib.Path(output_path).write_text(json.dumps(_trace(self._launches)), encoding="utf-8")

    @staticmethod
    def _recording(action):
        return action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)

    def _begin(self, action):
        self._action = action
        if self._recording(action):
            self._launches = []
            _acl.library.ptosim_profile(1)

    def _collect(self):
        if self._recording(self._action):
            found = json.loads(_acl.library.ptosim_profiled_launches().decode())
            self._launches += [{**launch, "step": self._step} for launch in found]

    def _end(self):
        self._collect()
        _acl.library.ptosim_profile(0)
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)

    def _write(self, folder):
        output = folder / OUTPUT
        output.mkdir(parents=True, exist_ok=True)
        (folder / "profiler_info.json").write_text(json.dumps({"rank_id": -1, "chip": _acl.get_soc_name()}), encoding="utf-8")
        _write_table(output / "kernel_details.csv",
                     ["Step Id", "Device_id", "Task ID", "Stream ID", "Name", "Type", "OP State", "Accelerator Core",
                      "Start Time(us)", "Duration(us)", "Wait Time(us)", "Block Dim"], _kernel_details(self._launches))
        _write_table(output / "op_statistic.csv",
                     ["Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)",
                      "Max Time(us)", "Ratio(%)"], _op_statistic(self._launches))
        self.export_chrome_trace(output / "trace_view.json")
