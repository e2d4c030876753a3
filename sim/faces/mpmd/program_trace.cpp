#include <algorithm>
#include <map>
#include <set>

#include "sim/faces/mpmd/program_files.h"
#include "sim/files/json.h"
#include "traces/write/chrome_trace.h"

namespace ptosim::mpmd {
namespace {

constexpr uint32_t kOrchestrator = 100, kSchedulers = 101;  // threads, after the processors

struct Lane {
    uint32_t process = 0, thread = 0;
};

// Places of events: in a file of the program alone, or together with the instructions of its kernels.
class Layout {
 public:
    Layout(const Program& program, bool with_instructions)
        : aivs_{program.aivs_per_cluster}, with_instructions_{with_instructions} {}

    bool with_instructions() const { return with_instructions_; }
    // The lowest processes of the other file are the chip and its cores.
    uint32_t processors() const { return with_instructions_ ? 100'001 : 1; }
    uint32_t cores() const { return 2; }
    uint32_t counters() const { return with_instructions_ ? 100'002 : 3; }
    // AIC n comes before the AIVs of its cluster.
    Lane of(CoreId core) const {
        if (with_instructions_) {
            const ChromeLane lane = chrome_task_lane(core);
            return {lane.process, lane.thread};
        }
        if (core.type == CoreType::kAIC) return {cores(), core.index * (1 + aivs_)};
        return {cores(), core.index / aivs_ * (1 + aivs_) + 1 + core.index % aivs_};
    }

 private:
    unsigned aivs_;
    bool with_instructions_;
};

std::string quoted(const std::string& text) { return dump_json(Json(text)); }

class Writer {
 public:
    explicit Writer(uint64_t clock_hz) : clock_hz_{clock_hz} {}

    void name(const char* what, Lane lane, const std::string& name) {
        add("{\"ph\": \"M\", \"name\": \"" + std::string(what) + "\", " + ids(lane) +
            ", \"args\": {\"name\": " + quoted(name) + "}}");
    }
    void slice(Lane lane, const std::string& name, Cycle begin, Cycle end,
               const std::string& facts) {
        add("{\"ph\": \"X\", \"name\": " + quoted(name) + ", " + ids(lane) +
            ", \"ts\": " + microseconds_text(begin, clock_hz_) + ", \"dur\": " +
            microseconds_text(end - begin, clock_hz_) + ", \"args\": {" + facts + "}}");
    }
    void counter(uint32_t process, const std::string& name, Cycle time, const std::string& values) {
        add("{\"ph\": \"C\", \"name\": " + quoted(name) + ", \"pid\": " + std::to_string(process) +
            ", \"ts\": " + microseconds_text(time, clock_hz_) + ", \"args\": {" + values + "}}");
    }
    // An arrow from a slice of a core, at a time within it, to the begin of another slice.
    void arrow(Lane from, Cycle time, Lane to, Cycle begin) {
        ++arrows_;
        add(end_of_arrow("s", from, time) + "}");
        add(end_of_arrow("f", to, begin) + ", \"bp\": \"e\"}");
    }
    const std::string& events() const { return events_; }

 private:
    static std::string ids(Lane lane) {
        return "\"pid\": " + std::to_string(lane.process) +
               ", \"tid\": " + std::to_string(lane.thread);
    }
    std::string end_of_arrow(const char* phase, Lane lane, Cycle time) const {
        return "{\"ph\": \"" + std::string(phase) +
               "\", \"name\": \"dependency\", \"cat\": \"dependency\", \"id\": \"task" +
               std::to_string(arrows_) + "\", " + ids(lane) +
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

void write_lanes(Writer& writer, const Layout& layout, const Program& program) {
    writer.name("process_name", {layout.processors(), 0}, "AICPU");
    if (!layout.with_instructions()) writer.name("process_name", {layout.cores(), 0}, "cores");
    std::map<std::pair<uint32_t, uint32_t>, std::string> lanes;
    for (const Task& task : program.tasks) {
        const Lane lane = layout.of(task.core);
        lanes[{lane.process, lane.thread}] =
            layout.with_instructions() ? "tasks" : ptosim::name(task.core);
    }
    for (const auto& [lane, name] : lanes)
        writer.name("thread_name", {lane.first, lane.second}, name);
    std::map<unsigned, bool> processors;
    for (const Work& work : program.work) processors[work.processor] = true;
    for (const auto& [processor, works] : processors)
        writer.name("thread_name", {layout.processors(), processor},
                    "processor " + std::to_string(processor));
    uint32_t schedulers = 0;
    bool submits = false;
    for (const Run& run : program.runs) {
        schedulers = std::max(schedulers, static_cast<uint32_t>(run.schedulers.size()));
        submits |= !run.submits.empty();
    }
    if (submits) writer.name("thread_name", {layout.processors(), kOrchestrator}, "orchestrator");
    for (uint32_t i = 0; i < schedulers; ++i)
        writer.name("thread_name", {layout.processors(), kSchedulers + i},
                    "scheduler " + std::to_string(i));
    if (submits || schedulers != 0) writer.name("process_name", {layout.counters(), 0}, "queues");
}

void write_phases(Writer& writer, const Layout& layout, const Run& run) {
    for (const Submit& submit : run.submits)
        writer.slice({layout.processors(), kOrchestrator}, "submit " + task_name(submit.task),
                     submit.begin, submit.end, "");
    for (uint32_t i = 0; i < run.schedulers.size(); ++i)
        for (const Phase& phase : run.schedulers[i])
            writer.slice({layout.processors(), kSchedulers + i}, phase.kind, phase.begin, phase.end,
                         fact("tasks", phase.tasks));
}

// A counter of resources held for some time.
class Levels {
 public:
    void hold(Cycle begin, Cycle end, int64_t amount) {
        changes_[begin] += amount;
        changes_[end] -= amount;
    }
    void write(Writer& writer, uint32_t process, const char* name, const char* unit) const {
        int64_t held = 0;
        for (const auto& [time, change] : changes_) {
            held += change;
            writer.counter(process, name, time,
                           fact(unit, static_cast<uint64_t>(std::max<int64_t>(held, 0))));
        }
    }

 private:
    std::map<Cycle, int64_t> changes_;
};

// Tensors allocated for a task: the bytes passed to any other task.
struct Tensors {
    uint64_t bytes = 0;
    std::set<uint64_t> users;
};
std::map<uint64_t, Tensors> tensors_of(const Run& run) {
    std::map<uint64_t, Tensors> tensors;
    std::map<uint64_t, std::map<uint64_t, uint64_t>> ranges;  // by maker: ends by begins
    for (const TensorUse& use : run.uses) {
        tensors[use.maker].users.insert(use.user);
        uint64_t& end = ranges[use.maker][use.begin];
        end = std::max(end, use.end);
    }
    for (const auto& [maker, of] : ranges) {
        uint64_t covered = 0;  // end of the covered part
        for (const auto& [begin, end] : of) {
            if (end > covered) tensors[maker].bytes += end - std::max(begin, covered);
            covered = std::max(covered, end);
        }
    }
    return tensors;
}

// Tasks in the shared queues as seen by schedulers, tasks between submit and end, and bytes of tensors from the submit
// of their task to the end of their last user.
void write_counters(Writer& writer, const Layout& layout, const Program& program, const Run& run) {
    std::map<Cycle, const unsigned*> ready;
    for (const std::vector<Phase>& phases : run.schedulers)
        for (const Phase& phase : phases) {
            ready[phase.begin] = phase.ready_begin;
            ready[phase.end] = phase.ready_end;
        }
    for (const auto& [time, counts] : ready)
        writer.counter(layout.counters(), "ready tasks", time,
                       fact("AIC", counts[0]) + ", " + fact("AIV", counts[1]) + ", " +
                           fact("both", counts[2]));
    if (run.submits.empty()) return;
    std::map<uint64_t, Cycle> ends;
    for (size_t i = run.first_task; i < run.tasks_end; ++i) {
        const Task& task = program.tasks[i];
        Cycle& end = ends[task.id];
        end = std::max({end, task.end, task.seen});
    }
    std::map<uint64_t, Cycle> submits;
    Levels window, heap;
    for (const Submit& submit : run.submits) {
        submits[submit.task] = submit.end;
        const auto end = ends.find(submit.task);
        if (end != ends.end()) window.hold(submit.end, end->second, 1);  // otherwise it has no kernel
    }
    for (const auto& [maker, tensor] : tensors_of(run)) {
        const auto begin = submits.find(maker);
        if (begin == submits.end()) continue;
        Cycle end = begin->second;
        for (const uint64_t user : tensor.users)
            if (const auto used = ends.find(user); used != ends.end())
                end = std::max(end, used->second);
        heap.hold(begin->second, end, static_cast<int64_t>(tensor.bytes));
    }
    window.write(writer, layout.counters(), "tasks in flight", "tasks");
    heap.write(writer, layout.counters(), "tensors that tasks have had made", "bytes");
}

void write_arrows(Writer& writer, const Layout& layout, const Program& program, const Run& run) {
    for (const Arrow& arrow : arrows(program, run)) {
        const Task &from = program.tasks[arrow.from], &to = program.tasks[arrow.to];
        const Cycle inside = from.begin + (from.end - from.begin) * 9 / 10;
        writer.arrow(layout.of(from.core), inside, layout.of(to.core), to.begin);
    }
}

std::string events(const Program& program, const Layout& layout, uint64_t clock_hz) {
    Writer writer(clock_hz);
    write_lanes(writer, layout, program);
    for (const Work& work : program.work)
        writer.slice({layout.processors(), work.processor}, "run", work.begin, work.end,
                     fact("blocks", work.blocks) + ", " + fact("register_loads", work.loads) +
                         ", " + fact("register_stores", work.stores) + ", " +
                         fact("spins", work.spins));
    for (const Task& task : program.tasks)
        writer.slice(layout.of(task.core), task.kernel, task.begin, task.end,
                     task_facts(task, clock_hz));
    for (const Run& run : program.runs) {
        write_phases(writer, layout, run);
        write_counters(writer, layout, program, run);
        write_arrows(writer, layout, program, run);
    }
    return writer.events();
}

}  // namespace

std::string program_trace(const Program& program, uint64_t clock_hz) {
    return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" +
           events(program, Layout(program, false), clock_hz) + "\n]}\n";
}

std::string program_events(const Program& program, uint64_t clock_hz) {
    return events(program, Layout(program, true), clock_hz);
}

}  // namespace ptosim::mpmd
