#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/mpmd/program_files.h"

namespace ptosim::mpmd {
namespace {

constexpr int kProcessors = 1, kCores = 2, kCounters = 3;  // pid of their lanes
constexpr int kOrchestrator = 100, kSchedulers = 101;      // tid, behind the processors

// AIC n before the AIVs of its cluster.
int lane_of(const Program& program, CoreId core) {
    if (core.type == CoreType::kAIC)
        return static_cast<int>(core.index * (1 + program.aivs_per_cluster));
    const unsigned aivs = program.aivs_per_cluster;
    return static_cast<int>(core.index / aivs * (1 + aivs) + 1 + core.index % aivs);
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

class Writer {
 public:
    explicit Writer(uint64_t clock_hz) : clock_hz_{clock_hz} {}

    void name(const char* what, int process, int lane, const std::string& name) {
        add("{\"ph\": \"M\", \"name\": \"" + std::string(what) +
            "\", \"pid\": " + std::to_string(process) + ", \"tid\": " + std::to_string(lane) +
            ", \"args\": {\"name\": " + quoted(name) + "}}");
    }
    void slice(int process, int lane, const std::string& name, Cycle begin, Cycle end,
               const std::string& facts) {
        add("{\"ph\": \"X\", \"name\": " + quoted(name) + ", \"pid\": " + std::to_string(process) +
            ", \"tid\": " + std::to_string(lane) +
            ", \"ts\": " + microseconds_text(begin, clock_hz_) + ", \"dur\": " +
            microseconds_text(end - begin, clock_hz_) + ", \"args\": {" + facts + "}}");
    }
    void counter(const std::string& name, Cycle time, const std::string& values) {
        add("{\"ph\": \"C\", \"name\": " + quoted(name) +
            ", \"pid\": " + std::to_string(kCounters) +
            ", \"ts\": " + microseconds_text(time, clock_hz_) + ", \"args\": {" + values + "}}");
    }
    // From a slice of a core, at a time within it, to the begin of another.
    void arrow(int from, Cycle time, int to, Cycle begin) {
        ++arrows_;
        add(end_of_arrow("s", from, time) + "}");
        add(end_of_arrow("f", to, begin) + ", \"bp\": \"e\"}");
    }
    std::string text() const {
        return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + events_ + "\n]}\n";
    }

 private:
    std::string end_of_arrow(const char* phase, int lane, Cycle time) const {
        return "{\"ph\": \"" + std::string(phase) +
               "\", \"name\": \"dependency\", \"cat\": \"dependency\", \"id\": " +
               std::to_string(arrows_) + ", \"pid\": " + std::to_string(kCores) +
               ", \"tid\": " + std::to_string(lane) +
               ", \"ts\": " + microseconds_text(time, clock_hz_);
    }
    void add(const std::string& event) {
        if (!events_.empty()) events_ += ",\n";
        events_ += event;
    }

    uint64_t clock_hz_;
    uint64_t arrows_ = 0;
    std::string events_;
};

std::string fact(const char* name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
}

std::string task_facts(const Task& task, uint64_t clock_hz) {
    std::string facts = fact("cycles", task.end - task.begin) + ", " +
                        fact("compute_cycles", task.compute) + ", " +
                        fact("memory_cycles", task.memory);
    if (task.id != kNoTask) facts += ", \"task\": " + quoted(task_name(task.id));
    if (task.dispatched != 0 && task.dispatched <= task.begin)
        facts += ", \"head_us\": " + microseconds_text(task.begin - task.dispatched, clock_hz);
    if (task.seen >= task.end)
        facts += ", \"tail_us\": " + microseconds_text(task.seen - task.end, clock_hz);
    return facts;
}

void write_lanes(Writer& writer, const Program& program) {
    writer.name("process_name", kProcessors, 0, "AICPU");
    writer.name("process_name", kCores, 0, "cores");
    std::map<int, std::string> lanes;
    for (const Task& task : program.tasks)
        lanes[lane_of(program, task.core)] = ptosim::name(task.core);
    for (const auto& [lane, name] : lanes) writer.name("thread_name", kCores, lane, name);
    std::map<unsigned, bool> processors;
    for (const Work& work : program.work) processors[work.processor] = true;
    for (const auto& [processor, works] : processors)
        writer.name("thread_name", kProcessors, static_cast<int>(processor),
                    "processor " + std::to_string(processor));
    size_t schedulers = 0;
    bool submits = false;
    for (const Run& run : program.runs) {
        schedulers = std::max(schedulers, run.schedulers.size());
        submits |= !run.submits.empty();
    }
    if (submits) writer.name("thread_name", kProcessors, kOrchestrator, "orchestrator");
    for (size_t i = 0; i < schedulers; ++i)
        writer.name("thread_name", kProcessors, kSchedulers + static_cast<int>(i),
                    "scheduler " + std::to_string(i));
    if (submits || schedulers != 0) writer.name("process_name", kCounters, 0, "queues");
}

void write_phases(Writer& writer, const Run& run) {
    for (const Submit& submit : run.submits)
        writer.slice(kProcessors, kOrchestrator, "submit " + task_name(submit.task), submit.begin,
                     submit.end, "");
    for (size_t i = 0; i < run.schedulers.size(); ++i)
        for (const Phase& phase : run.schedulers[i])
            writer.slice(kProcessors, kSchedulers + static_cast<int>(i), phase.kind, phase.begin,
                         phase.end, fact("tasks", phase.tasks));
}

// Tasks in the shared queues as schedulers have seen them, and tasks between submit and end.
void write_counters(Writer& writer, const Program& program, const Run& run) {
    std::map<Cycle, const unsigned*> ready;
    for (const std::vector<Phase>& phases : run.schedulers)
        for (const Phase& phase : phases) {
            ready[phase.begin] = phase.ready_begin;
            ready[phase.end] = phase.ready_end;
        }
    for (const auto& [time, counts] : ready)
        writer.counter("ready tasks", time,
                       fact("AIC", counts[0]) + ", " + fact("AIV", counts[1]) + ", " +
                           fact("both", counts[2]));
    if (run.submits.empty()) return;
    std::map<Cycle, int64_t> changes;
    std::map<uint64_t, Cycle> ends;
    for (size_t i = run.first_task; i < run.tasks_end; ++i) {
        const Task& task = program.tasks[i];
        Cycle& end = ends[task.id];
        end = std::max({end, task.end, task.seen});
    }
    for (const Submit& submit : run.submits) {
        const auto end = ends.find(submit.task);
        if (end == ends.end()) continue;  // has no kernel
        ++changes[submit.end];
        --changes[end->second];
    }
    int64_t tasks = 0;
    for (const auto& [time, change] : changes) {
        tasks += change;
        writer.counter("tasks in flight", time,
                       fact("tasks", static_cast<uint64_t>(std::max<int64_t>(tasks, 0))));
    }
}

// From the part of a task that ended last to each part of those that depend on it.
void write_arrows(Writer& writer, const Program& program, const Run& run) {
    std::map<uint64_t, std::vector<const Task*>> parts;
    for (size_t i = run.first_task; i < run.tasks_end; ++i)
        parts[program.tasks[i].id].push_back(&program.tasks[i]);
    for (const Dependency& dependency : run.dependencies) {
        const auto before = parts.find(dependency.before), after = parts.find(dependency.after);
        if (before == parts.end() || after == parts.end()) continue;
        const Task& last = *before->second.back();
        const Cycle inside = last.begin + (last.end - last.begin) * 9 / 10;
        for (const Task* task : after->second)
            writer.arrow(lane_of(program, last.core), inside, lane_of(program, task->core),
                         task->begin);
    }
}

}  // namespace

std::string program_trace(const Program& program, uint64_t clock_hz) {
    Writer writer(clock_hz);
    write_lanes(writer, program);
    for (const Work& work : program.work)
        writer.slice(kProcessors, static_cast<int>(work.processor), "run", work.begin, work.end,
                     fact("blocks", work.blocks) + ", " + fact("register_loads", work.loads) +
                         ", " + fact("register_stores", work.stores) + ", " +
                         fact("spins", work.spins));
    for (const Task& task : program.tasks)
        writer.slice(kCores, lane_of(program, task.core), task.kernel, task.begin, task.end,
                     task_facts(task, clock_hz));
    for (const Run& run : program.runs) {
        write_phases(writer, run);
        write_counters(writer, program, run);
        write_arrows(writer, program, run);
    }
    return writer.text();
}

}  // namespace ptosim::mpmd
