#include "traces/chrome_trace.h"

#include <algorithm>

#include "isa/instruction_table.h"
#include "traces/core_index.h"
#include "traces/labels.h"
#include "traces/lane_layout.h"
#include "traces/output_file.h"

namespace ptosim {

namespace {

constexpr uint32_t kChipProcess = 1;
uint32_t process_of(CoreId core) { return kChipProcess + 1 + lane_key(core); }
// Threads are numbered apart from processes and from each other: Perfetto takes a thread whose id
// is that of its process for the main thread, and one id for one thread.
uint32_t block_thread(uint32_t process) { return 1000 * process; }
uint32_t pipe_thread(uint32_t process, Pipe pipe) {
    return 1000 * process + 1 + static_cast<uint32_t>(pipe);
}

class ChromeTrace {
 public:
    ChromeTrace(const Recording& recording, const std::filesystem::path& path)
        : recording_{recording},
          file_{path},
          locations_{recording.sources},
          lanes_{lane_layout(recording)} {}

    void write() {
        head();
        names();
        for (const LaunchRecord& launch : recording_.launches) launch_slice(launch);
        for (const RunRecord& run : recording_.runs) block_slice(run);
        for (uint16_t core : lane_order(recording_.cores))
            for (unsigned pipe = 0; pipe < kPipeCount; ++pipe)
                for (const Slice& slice : lanes_[core][pipe])
                    lane_slice(core, static_cast<Pipe>(pipe), slice);
        arrows();
        for (const Diagnostic& diagnostic : recording_.diagnostics) instant(diagnostic);
        for (const Diagnostic& diagnostic : recording_.diagnostics) waits(diagnostic);
        file_.write("\n]}\n");
        file_.commit();
    }

 private:
    void emit(const std::string& event) {
        file_.write(first_ ? "\n" : ",\n");
        first_ = false;
        file_.write(event);
    }
    uint64_t time(Cycle cycle) const { return picoseconds(cycle, recording_.clock_hz()); }
    std::string at(uint32_t process, uint32_t thread, Cycle cycle) const {
        return ",\"ts\":" + micros_text(time(cycle)) + ",\"pid\":" + std::to_string(process) +
               ",\"tid\":" + std::to_string(thread);
    }

    void head() {
        const LaunchRecord* launch =
            recording_.launches.empty() ? nullptr : &recording_.launches.front();
        file_.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"ptosim trace 1\"");
        file_.write(",\"chip\":" + json_quoted(launch == nullptr ? "" : launch->chip));
        file_.write(",\"kernel\":" + json_quoted(launch == nullptr ? "" : launch->kernel));
        file_.write(",\"clock_hz\":" + std::to_string(recording_.clock_hz()));
        file_.write(",\"begin\":" + std::to_string(recording_.begin));
        file_.write(",\"end\":" + std::to_string(recording_.end));
        file_.write(std::string(",\"ended_early\":") + (recording_.ended_early ? "true" : "false") +
                    "},\n\"traceEvents\":[");
    }

    void name_event(const char* what, uint32_t process, uint32_t thread, const std::string& args) {
        emit("{\"name\":\"" + std::string(what) +
             "\",\"ph\":\"M\",\"pid\":" + std::to_string(process) +
             ",\"tid\":" + std::to_string(thread) + ",\"args\":{" + args + "}}");
    }
    void name_process(uint32_t process, std::string_view name) {
        name_event("process_name", process, 0, "\"name\":" + json_quoted(name));
        name_event("process_sort_index", process, 0, "\"sort_index\":" + std::to_string(process));
    }
    void name_thread(uint32_t process, uint32_t thread, std::string_view name) {
        name_event("thread_name", process, thread, "\"name\":" + json_quoted(name));
        name_event("thread_sort_index", process, thread,
                   "\"sort_index\":" + std::to_string(thread - 1000 * process));
    }
    void names() {
        const std::string chip =
            recording_.launches.empty() ? "chip" : recording_.launches.front().chip;
        name_process(kChipProcess, chip);
        name_thread(kChipProcess, block_thread(kChipProcess), "launches");
        for (uint16_t core : lane_order(recording_.cores)) {
            const CoreId id = recording_.cores[core];
            const uint32_t process = process_of(id);
            name_process(process, name(id));
            name_thread(process, block_thread(process), "block");
            for (unsigned i = 0; i < kPipeCount; ++i) {
                const Pipe pipe = static_cast<Pipe>(i);
                if (has_pipe(id.type, pipe) || !lanes_[core][i].empty())
                    name_thread(process, pipe_thread(process, pipe), name(pipe));
            }
        }
    }

    // One picosecond is left out at the end: whatever a reader's floating point makes of two
    // neighbours, they do not overlap, and Perfetto would drop the second one if they did.
    void slice(const std::string& name, std::string_view category, uint32_t process,
               uint32_t thread, Cycle begin, Cycle end, const std::string& args) {
        const uint64_t length = time(end) - time(begin);
        emit("{\"name\":" + name + ",\"cat\":\"" + std::string(category) + "\",\"ph\":\"X\"" +
             at(process, thread, begin) + ",\"dur\":" + micros_text(length > 0 ? length - 1 : 0) +
             ",\"args\":{" + args + "}}");
    }

    void launch_slice(const LaunchRecord& launch) {
        slice(json_quoted(launch.kernel), "launch", kChipProcess, block_thread(kChipProcess),
              launch.begin, launch.end,
              "\"blocks\":" + std::to_string(launch.blocks) +
                  ",\"cycles\":" + std::to_string(launch.end - launch.begin) + mark(launch.open));
    }

    void block_slice(const RunRecord& run) {
        const uint32_t process = process_of(recording_.cores[run.core]);
        slice("\"block " + std::to_string(run.identity.block) + "\"", "block", process,
              block_thread(process), run.begin, run.end,
              "\"block\":" + std::to_string(run.identity.block) +
                  ",\"blocks\":" + std::to_string(run.identity.blocks) +
                  ",\"subblock\":" + std::to_string(run.identity.subblock) +
                  ",\"start\":" + std::to_string(run.begin) +
                  ",\"cycles\":" + std::to_string(run.end - run.begin) + mark(run.open));
    }

    static const char* mark(bool open) { return open ? ",\"unfinished\":true" : ""; }

    void lane_slice(uint16_t core, Pipe pipe, const Slice& s) {
        const uint32_t process = process_of(recording_.cores[core]);
        const uint32_t thread = pipe_thread(process, pipe);
        const std::string cycles = ",\"cycles\":" + std::to_string(s.end - s.begin);
        const std::string start = ",\"start\":" + std::to_string(s.begin);
        if (s.activity == Activity::kRun) {
            slice("\"scalar\"", name(pipe), process, thread, s.begin, s.end,
                  start.substr(1) + cycles);
            return;
        }
        if (s.activity == Activity::kWait) {
            const WaitRecord& wait = recording_.waits[s.index];
            slice(json_quoted("wait " + short_text(wait.cause)), "wait", process, thread, s.begin,
                  s.end, wait_args(wait) + start + cycles + mark(wait.open));
            return;
        }
        const InstructionRecord& record = recording_.instructions[s.index];
        std::string args = "\"line\":" + locations_.quoted(record.location) +
                           ",\"operands\":" + json_quoted(operands_text(recording_, record));
        if (const uint64_t bytes = moved_bytes(recording_, record))
            args += ",\"bytes\":" + std::to_string(bytes);
        args += ",\"sequence\":" + std::to_string(record.sequence) +
                ",\"issue\":" + std::to_string(record.issued) + start + cycles +
                ",\"complete\":" + std::to_string(record.completed) +
                mark(!record.has(InstructionRecord::kCompleted));
        slice('"' + std::string(info(record.opcode).name) + '"', name(pipe), process, thread,
              s.begin, s.end, args);
    }

    std::string wait_args(const WaitRecord& wait) {
        std::string args = "\"reason\":\"" + std::string(name(wait.cause.reason)) + '"';
        if (wait.cause.opcode != Opcode::kCount)
            args += ",\"line\":" + locations_.quoted(wait.cause.waiter) + ",\"instruction\":\"" +
                    std::string(info(wait.cause.opcode).name) + '"';
        if (wait.cause.release.line != 0)
            args += ",\"released_at\":" + locations_.quoted(wait.cause.release);
        if (wait.cause.released_core != kNoCore)
            args += ",\"released_by\":\"" + name(wait.cause.released_core) + '"';
        return args;
    }

    void arrows() {
        // Perfetto rounds to whole nanoseconds: two of them away from an end is inside.
        const Cycle margin =
            std::max<Cycle>(1, (2 * recording_.clock_hz() + 999'999'999) / 1'000'000'000);
        for (const FlagRecord& flag : recording_.flags) {
            const Arrow arrow = find_arrow(recording_, lanes_, flag, margin);
            if (!arrow.drawn) continue;
            const uint32_t from = process_of(recording_.cores[flag.from]);
            const uint32_t to = process_of(recording_.cores[flag.core]);
            const std::string head = "{\"name\":\"" + std::string(name(flag.source)) + "->" +
                                     std::string(name(flag.destination)) + " #" +
                                     std::to_string(flag.id) + "\",\"cat\":\"" +
                                     (flag.cross_core ? "signal" : "flag") +
                                     "\",\"id\":" + std::to_string(++flow_);
            emit(head + ",\"ph\":\"s\"" + at(from, pipe_thread(from, flag.source), arrow.from) +
                 ",\"args\":{\"set\":" + std::to_string(flag.set) +
                 ",\"line\":" + locations_.quoted(flag.set_location) + "}}");
            emit(head + ",\"ph\":\"f\",\"bp\":\"e\"" +
                 at(to, pipe_thread(to, flag.destination), arrow.to) +
                 ",\"args\":{\"consumed\":" + std::to_string(flag.consumed) +
                 ",\"line\":" + locations_.quoted(flag.wait_location) + "}}");
        }
    }

    void instant(const Diagnostic& d) {
        uint32_t process = kChipProcess;
        uint32_t thread = block_thread(kChipProcess);
        for (CoreId core : recording_.cores)
            if (name(core) == d.core) {
                process = process_of(core);
                thread = block_thread(process);
                if (const auto pipe = parse_pipe(d.pipe); pipe && *pipe != Pipe::kAll)
                    thread = pipe_thread(process, *pipe);
            }
        const std::string line =
            d.file.empty() ? "" : d.file + ":" + std::to_string(d.location.line);
        emit("{\"name\":" + json_quoted(d.code + " " + std::string(name(d.category))) +
             ",\"cat\":\"diagnostic\",\"ph\":\"i\",\"s\":\"t\"" +
             at(process, thread, d.has_cycle ? d.cycle : recording_.end) +
             ",\"args\":{\"message\":" + json_quoted(d.message) + ",\"line\":" + json_quoted(line) +
             ",\"hint\":" + json_quoted(d.hint) + ",\"count\":" + std::to_string(d.count) + "}}");
    }

    // The lane "AIC00/MTE2", as process and thread.
    std::optional<std::pair<uint32_t, uint32_t>> lane(const std::string& text) const {
        const size_t slash = text.find('/');
        for (CoreId core : recording_.cores) {
            if (slash == text.npos || name(core) != text.substr(0, slash)) continue;
            const auto pipe = parse_pipe(text.substr(slash + 1));
            if (!pipe || *pipe == Pipe::kAll) return std::nullopt;
            return std::pair{process_of(core), pipe_thread(process_of(core), *pipe)};
        }
        return std::nullopt;
    }

    // A deadlock: a mark on each lane that waits, and an arrow to the one that it waits for. Waits
    // that never end reach to the end of the run: arrows lie in them.
    void waits(const Diagnostic& d) {
        const Cycle when = std::max<Cycle>(2, d.has_cycle ? d.cycle : recording_.end);
        for (const WaitEdge& edge : d.waits) {
            const auto from = lane(edge.waiter);
            if (!from) continue;
            const std::string what = edge.in_cycle ? "deadlock, in the cycle" : "deadlock";
            emit("{\"name\":" + json_quoted(what) +
                 ",\"cat\":\"deadlock\",\"ph\":\"i\",\"s\":\"t\"" +
                 at(from->first, from->second, when) +
                 ",\"args\":{\"what\":" + json_quoted(edge.waiter + " " + edge.what) +
                 ",\"holder\":" + json_quoted(edge.holder) + ",\"line\":" +
                 json_quoted(edge.file.empty() ? "" : edge.file + ":" + std::to_string(edge.line)) +
                 "}}");
            const auto to = lane(edge.holder);
            if (!to) continue;
            const std::string head = "{\"name\":" + json_quoted(what) +
                                     ",\"cat\":\"deadlock\",\"id\":" + std::to_string(++flow_);
            emit(head + ",\"ph\":\"s\"" + at(from->first, from->second, when - 2) +
                 ",\"args\":{}}");
            emit(head + ",\"ph\":\"f\",\"bp\":\"e\"" + at(to->first, to->second, when - 1) +
                 ",\"args\":{}}");
        }
    }

    const Recording& recording_;
    OutputFile file_;
    LocationTexts locations_;
    std::vector<CoreLanes> lanes_;
    bool first_ = true;
    uint64_t flow_ = 0;
};

}  // namespace

void write_chrome_trace(const Recording& recording, const std::filesystem::path& path) {
    ChromeTrace(recording, path).write();
}

}  // namespace ptosim
