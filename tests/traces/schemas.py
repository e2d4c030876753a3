"""JSON schemas of the files of foreign tools, written from the descriptions of their formats.

simpler: docs/dfx/{chip-swimlane-profiling,dep-gen,profiling-name-map,pmu-profiling}.md; msopprof:
csrc/op_profiling/common/visualize.h and parse/data_visualizer (field names and block types).
"""

UINT64_TEXT = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,19})$"}


def record(required, optional=None, extra=False):
    optional = optional or {}
    return {"type": "object", "required": list(required), "additionalProperties": extra,
            "properties": {**required, **optional}}


def array(items, **more):
    return {"type": "array", "items": items, **more}


UINT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}

SWIMLANE = record({
    "chip_swimlane_level": {"enum": [1, 2, 3, 4]},
    "metadata": record({
        "clock_freq_hz": {"type": "integer", "minimum": 1},
        "num_cores": {"type": "integer", "minimum": 1},
        "core_types": array({"enum": ["aic", "aiv"]}, minItems=1)}),
    # core, task token, number on its core, start, end, receive to start
    "aicore_tasks": array(array(UINT, minItems=6, maxItems=6)),
    "aicpu_tasks": array(array(UINT, minItems=4, maxItems=4)),
    "aicpu_scheduler_phases": array(array({"type": "object"})),
    "aicpu_orchestrator_phases": array(array({"type": "object"}))})

KERNEL_IDS = array({"type": "integer", "minimum": -1}, minItems=3, maxItems=3)
DEPS = record({
    "tasks": array(record({
        "task_id": UINT64_TEXT, "scope": {"enum": ["auto", "manual"]}, "kernel_ids": KERNEL_IDS,
        "block_num": {"type": "integer", "minimum": 1}, "args": array({"type": "object"})})),
    "tensors": array({"type": "object"}),
    "edges": array(record({
        "pred": UINT64_TEXT, "succ": UINT64_TEXT, "arg": {"const": -1},
        "source": {"const": "explicit"},
        "flags": array({"enum": ["wait", "retain"]}, uniqueItems=True)}))})

NAME_MAP = record({
    "level": {"const": 2}, "orchestrator_name": TEXT,
    "callable_id_to_name": {"type": "object", "additionalProperties": False,
                            "patternProperties": {"^[0-9]+$": TEXT}}})

PMU_COLUMNS = {
    "a2a3": "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,vec_busy_cycles,"
            "cube_busy_cycles,scalar_busy_cycles,mte1_busy_cycles,mte2_busy_cycles,"
            "mte3_busy_cycles,icache_miss,icache_req,event_type",
    "a5": "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,pmu_idc_aic_vec_busy_o,"
          "cube_instr_busy,scalar_instr_busy,mte1_instr_busy,mte2_instr_busy,mte3_instr_busy,"
          "icache_req,icache_miss,pmu_fix_instr_busy,event_type"}

CORE = {"type": "string", "pattern": r"^core[0-9]+\.(cubecore0|veccore[01])$"}
LANE = {"enum": ["SCALAR", "FLOWCTRL", "MTE1", "CUBE", "FIXP", "MTE2", "VECTOR", "MTE3"]}
TIME = {"type": "number", "minimum": 0}
ARGS = record({"pc_addr": TEXT, "code": TEXT, "detail": TEXT},
              {"process_bytes": {"type": "string", "pattern": "^[0-9]+$"}})


def insight_event(process, thread):
    where = {"pid": process, "tid": thread}

    def meta(name, args, at=None):
        return record({"name": {"const": name}, "ph": {"const": "M"}, **(at or where),
                       "args": record(args)})

    flow = record({"name": {"const": "flow"}, "id": TEXT, "ph": {"enum": ["s", "t"]}, "ts": TIME,
                   **where, "cat": {"type": "string", "pattern": "^[A-Z0-9]+To[A-Z0-9]+$"}})
    named = {"name": TEXT, "cname": TEXT, "ts": TIME, **where}
    complete = record({**named, "ph": {"const": "X"}, "dur": TIME, "args": ARGS})
    begin = record({**named, "ph": {"const": "B"}, "dur": TIME, "args": ARGS, "id": TEXT})
    end = record({**named, "ph": {"const": "E"}, "dur": TIME, "args": record({}), "id": TEXT})
    counter = record({"name": {"enum": ["GM_TO_UB", "GM_TO_L1", "GM_TO_TOTAL", "UB_TO_GM",
                                        "L1_TO_GM", "TOTAL_TO_GM"]},
                      "ph": {"const": "C"}, "ts": TIME, "pid": {"const": "MTE Throughput"},
                      "tid": {"const": 0}, "args": record({"throughput(MB/s)": TIME})})
    if process == CORE:
        sort = meta("process_sort_index", {"sort_index": UINT},
                    {"pid": CORE, "tid": {"const": "NA"}})
        return {"oneOf": [sort, meta("thread_sort_index", {"sort_index": UINT}), flow, complete,
                          begin, end, counter]}
    return {"oneOf": [meta("process_name", {"name": LANE}),
                      meta("process_sort_index", {"sort_index": UINT}), flow, complete]}


def insight_trace(version, process, thread):
    return record({"schemaVersion": {"const": version}, "displayTimeUnit": {"const": "ns"},
                   "profilingType": {"const": "op"},
                   "traceEvents": array(insight_event(process, thread))})


INSIGHT_ALL = insight_trace(2, CORE, LANE)
INSIGHT_CORE = insight_trace(1, UINT, UINT)

PER_CORE = array({"type": "number", "minimum": -1})
INSTRUCTIONS = record({
    "Cores": array(CORE),
    "Instructions Dtype": record({"Instructions": {"type": "object", "additionalProperties":
                                                   {"enum": [0, 1, 2, 3, 4, 5]}}}),
    "Instructions": array(record({
        "Address": {"type": "string", "pattern": "^0x[0-9a-f]+$"}, "AscendC Inner Code": TEXT,
        "Source": TEXT, "Pipe": LANE, "Cycles": PER_CORE, "Instructions Executed": PER_CORE,
        "GPR Count": PER_CORE, "Process Bytes": PER_CORE,
        "Vector Utilization Percentage": PER_CORE, "UB Read Conflict": PER_CORE,
        "UB Write Conflict": PER_CORE}))})
FILES = record({
    "Cores": array(CORE),
    "Files Dtype": record({"Lines": {"type": "object"}}),
    "Files": array(record({"Source": TEXT, "Lines": array(record({
        "Line": {"type": "integer", "minimum": 1}, "Cycles": PER_CORE,
        "Instructions Executed": PER_CORE, "Address Range": array(array(TEXT, minItems=2,
                                                                        maxItems=2)),
        "GPR Count": PER_CORE, "Process Bytes": PER_CORE}))}))})
