#include "traces/write/chrome_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "isa/table/instruction_table.h"
#include "sim/files/output_file.h"
#include "traces/analyse/calls.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/lane_slices.h"
#include "traces/analyse/loops.h"
#include "traces/analyse/sampling.h"
#include "traces/analyse/series.h"
#include "traces/record/core_index.h"
#include "traces/write/file_end.h"
#include "traces/write/json_text.h"
#include "traces/write/text.h"

namespace ptosim {

namespace {

constexpr uint32_t kChipProcess = 1;
uint32_t process_of(CoreId core) { return kChipProcess + 1 + lane_key(core); }
// Threads are numbered apart from processes and from each other: Perfetto takes a thread whose id
// is that of its process for the main thread, and one id for one thread.
constexpr uint32_t kThreads = 100;  // of a process, more than it has
uint32_t block_thread(uint32_t process) { return kThreads * process; }
uint32_t pipe_thread(uint32_t process, Pipe pipe) {
    return kThreads * process + 1 + static_cast<uint32_t>(pipe);
}

// The warps of a core are another process, which viewers fold.
uint32_t warps_process(CoreId core) { return 100'000 + process_of(core); }

uint32_t task_thread(uint32_t process) { return 1000 * process + 500; }

constexpr std::string_view kEndOfFile = "\n]}\n";

// Counts of elements left out because there were too many.
struct LeftOut {
    uint64_t arrows = 0;
    uint64_t iterations = 0;
};

class ChromeTrace {
 public:
    ChromeTrace(const Recording& recording, const std::filesystem::path& path, size_t most)
        : recording_{recording},
          file_{path},
          most_{most},
          megahertz_{recording.clock_hz() % 1'000'000 == 0 ? recording.clock_hz() / 1'000'000 : 0},
          locations_{recording.sources, true},
          lanes_{lane_slices(recording)},
          sampling_{sample(recording, lanes_, most)},
          calls_{recording},
          operands_(recording.operands.size()) {}

    void write() {
        choose_arrows();
        choose_iterations();
        head();
        names();
        for (const LaunchRecord& launch : recording_.launches) launch_slice(launch);
        for (const RunRecord& run : recording_.runs) block_slice(run);
        warps();
        for (CoreId core : recording_.cores)
            loop_lanes_.push_back(lane_texts({}, process_of(core), block_thread(process_of(core))));
        for (const Iteration& iteration : iterations_) loop_slice(iteration);
        for (uint16_t core : lane_order(recording_.cores))
            for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
                const uint32_t process = process_of(recording_.cores[core]);
                const Pipe of = static_cast<Pipe>(pipe);
                const LaneTexts lane = lane_texts(name(of), process, pipe_thread(process, of));
                if (sampling_.up_to == 0)
                    lane_slices_of(lane, lanes_[core][pipe]);
                else
                    drawn_slices_of(lane, sampling_.lanes[core][pipe]);
            }
        uint64_t id = 0;
        for (const FoundArrow& found : arrows_) arrow(found, ++id);
        counters();
        for (const Diagnostic& diagnostic : recording_.diagnostics) instant(diagnostic);
        for (const Diagnostic& diagnostic : recording_.diagnostics) waits(diagnostic, id);
        if (sampled()) sampled_instant();
        text_ << kEndOfFile;
        flush();
        file_.commit();
    }
    std::string left_out_text() const {
        if (!sampled()) return {};
        return "trace.json draws " + std::to_string(sampling_.instructions) + " of " +
               std::to_string(recording_.instructions.size()) + " instructions and " +
               std::to_string(sampling_.waits) + " of " + std::to_string(recording_.waits.size()) +
               " waits together with their neighbours (none before cycle " +
               std::to_string(sampling_.alone_to) + "), and leaves out " +
               std::to_string(left_out_.arrows) + " arrows and " +
               std::to_string(left_out_.iterations) +
               " iterations of loops; totals stay exact ('ptosim report DIR --write chrome "
               "--most-slices 0' draws all)";
    }

 private:
    // Begins an event; its members follow.
    Text& event() {
        if (text_.view().size() > kFlushBytes) flush();
        text_ << (first_ ? "\n{" : ",\n{");
        first_ = false;
        return text_;
    }
    void flush() {
        file_.write(text_.view());
        text_.clear();
    }
    uint64_t time(Cycle cycle) const {
        return megahertz_ > 0 && cycle < UINT64_MAX / 1'000'000
                   ? cycle * 1'000'000 / megahertz_
                   : picoseconds(cycle, recording_.clock_hz());
    }
    Text& at(uint32_t process, uint32_t thread, Cycle cycle) {
        text_ << ",\"ts\":";
        return text_.micros(time(cycle)) << ",\"pid\":" << process << ",\"tid\":" << thread;
    }
    bool sampled() const {
        return sampling_.up_to > 0 || left_out_.arrows + left_out_.iterations > 0;
    }

    void head() {
        const LaunchRecord* launch =
            recording_.launches.empty() ? nullptr : &recording_.launches.front();
        text_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"ptosim trace 1\""
              << ",\"chip\":" << json_quoted(launch == nullptr ? "" : launch->chip)
              << ",\"kernel\":" << json_quoted(launch == nullptr ? "" : launch->kernel)
              << ",\"clock_hz\":" << recording_.clock_hz() << ",\"begin\":" << recording_.begin
              << ",\"end\":" << recording_.end
              << ",\"ended_early\":" << (recording_.ended_early ? "true" : "false");
        if (locations_.brief()) files();
        if (!recording_.gaps.empty()) {
            text_ << ",\"gaps\":[";
            for (size_t i = 0; i < recording_.gaps.size(); ++i)
                text_ << (i > 0 ? "," : "") << json_quoted(recording_.gaps[i]);
            text_ << "]";
        }
        if (sampled()) {
            text_ << ",\"sampled\":{";
            sampled_members();
            text_ << "}";
        }
        text_ << "},\n\"traceEvents\":[";
    }
    // Full names of the files that lines name.
    void files() {
        std::set<std::string> names;
        for (size_t i = 0; i < recording_.sources.size(); ++i)
            names.insert(recording_.sources.file(i).name);
        text_ << ",\"files\":{";
        for (const std::string& name : names)
            text_ << (name == *names.begin() ? "" : ",")
                  << json_quoted(LocationTexts::last_part(name)) << ":" << json_quoted(name);
        text_ << "}";
    }
    void sampled_members() {
        text_ << "\"most_slices\":" << uint64_t{most_} << ",\"up_to_cycles\":" << sampling_.up_to
              << ",\"alone_to\":" << sampling_.alone_to
              << ",\"instructions_together\":" << sampling_.instructions
              << ",\"waits_together\":" << sampling_.waits
              << ",\"arrows_left_out\":" << left_out_.arrows
              << ",\"iterations_left_out\":" << left_out_.iterations;
    }
    void sampled_instant() {
        event() << "\"name\":\"sampled\",\"cat\":\"sampled\",\"ph\":\"i\",\"s\":\"g\"";
        at(kChipProcess, block_thread(kChipProcess), recording_.begin) << ",\"args\":{";
        sampled_members();
        text_ << "}}";
    }

    void name_event(const char* what, uint32_t process, uint32_t thread, const std::string& args) {
        event() << "\"name\":\"" << what << "\",\"ph\":\"M\",\"pid\":" << process
                << ",\"tid\":" << thread << ",\"args\":{" << args << "}}";
    }
    void name_process(uint32_t process, std::string_view name) {
        name_event("process_name", process, 0, "\"name\":" + json_quoted(name));
        name_event("process_sort_index", process, 0, "\"sort_index\":" + std::to_string(process));
    }
    void name_thread(uint32_t process, uint32_t thread, std::string_view name) {
        name_event("thread_name", process, thread, "\"name\":" + json_quoted(name));
        name_event("thread_sort_index", process, thread,
                   "\"sort_index\":" + std::to_string(thread - kThreads * process));
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

    // The members up to args, which the caller adds and closes. One picosecond is left out at the
    // end: whatever a reader's floating point makes of two neighbours, they do not overlap, and
    // Perfetto would drop the second one if they did.
    Text& slice(std::string_view quoted_name, std::string_view category, uint32_t process,
                uint32_t thread, Cycle begin, Cycle end) {
        const uint64_t length = time(end) - time(begin);
        event() << "\"name\":" << quoted_name << ",\"cat\":\"" << category << "\",\"ph\":\"X\"";
        at(process, thread, begin) << ",\"dur\":";
        return text_.micros(length > 0 ? length - 1 : 0) << ",\"args\":{";
    }
    void close(bool unfinished = false) { text_ << (unfinished ? ",\"unfinished\":true}}" : "}}"); }

    void launch_slice(const LaunchRecord& launch) {
        slice(json_quoted(launch.kernel), "launch", kChipProcess, block_thread(kChipProcess),
              launch.begin, launch.end)
            << "\"blocks\":" << launch.blocks << ",\"cycles\":" << launch.end - launch.begin;
        close(launch.open);
    }

    void block_slice(const RunRecord& run) {
        const uint32_t process = process_of(recording_.cores[run.core]);
        slice("\"block " + std::to_string(run.identity.block) + "\"", "block", process,
              block_thread(process), run.begin, run.end)
            << "\"block\":" << run.identity.block << ",\"blocks\":" << run.identity.blocks
            << ",\"subblock\":" << run.identity.subblock << ",\"start\":" << run.begin
            << ",\"cycles\":" << run.end - run.begin;
        close(run.open);
    }

    void warps() {
        std::set<std::pair<uint16_t, uint16_t>> named;  // cores and warps
        for (const WarpRecord& warp : recording_.warps) {
            const uint32_t process = warps_process(recording_.cores[warp.core]);
            const uint32_t thread = kThreads * process + warp.warp;
            if (named.emplace(warp.core, UINT16_MAX).second)
                name_process(process, std::string(name(recording_.cores[warp.core])) + " warps");
            if (named.emplace(warp.core, warp.warp).second)
                name_thread(process, thread, "warp " + std::to_string(warp.warp));
            slice(json_quoted(name(warp.state)), "warp", process, thread, warp.begin, warp.end)
                << "\"cycles\":" << warp.end - warp.begin;
            close();
        }
    }

    // Nested in the block's slice, in the order in which the scalar unit issues.
    void choose_iterations() {
        for (const std::vector<Iteration>& core : loop_iterations(recording_))
            for (const Iteration& iteration : core)
                if (iteration.begin < iteration.end) iterations_.push_back(iteration);
        const size_t most = most_ / 3;
        if (most_ == 0 || iterations_.size() <= most) return;
        // The outermost ones, as many levels as there is room for.
        std::map<uint16_t, size_t> of_depth;
        for (const Iteration& iteration : iterations_) ++of_depth[iteration.depth];
        size_t kept = 0;
        uint16_t depth = 0;
        while (kept + of_depth[depth] <= most) kept += of_depth[depth++];
        left_out_.iterations = iterations_.size() - kept;
        std::erase_if(iterations_, [depth](const Iteration& i) { return i.depth >= depth; });
    }
    void loop_slice(const Iteration& iteration) {
        constexpr size_t kArgs = 150;
        Slice s;
        s.begin = iteration.begin;
        s.end = iteration.end;
        Cursor out =
            slice(locations_.quoted(iteration.loop), "loop", loop_lanes_[iteration.core], s, kArgs);
        out << "\"iteration\":" << iteration.number << ',';
        close(times(out, s));
    }

    // Texts that all slices of a lane share.
    struct LaneTexts {
        std::string_view pipe;
        std::string head_of_lane;  // process and thread, and the name of what follows them
    };
    static LaneTexts lane_texts(std::string_view pipe, uint32_t process, uint32_t thread) {
        return {pipe, ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
                          ",\"dur\":"};
    }
    // Begins a slice with room for `args` characters of args.
    Cursor slice(std::string_view quoted_name, std::string_view category, const LaneTexts& lane,
                 const Slice& s, size_t args) {
        constexpr size_t kHead = 150;
        if (text_.view().size() > kFlushBytes) flush();
        const uint64_t begin = time(s.begin), length = time(s.end) - begin;
        Cursor out = text_.begin(kHead + quoted_name.size() + lane.head_of_lane.size() + args);
        out << (first_ ? std::string_view("\n{\"name\":") : std::string_view(",\n{\"name\":"));
        first_ = false;
        out << quoted_name << ",\"cat\":\"" << category << "\",\"ph\":\"X\",\"ts\":";
        out.micros(begin) << lane.head_of_lane;
        return out.micros(length > 0 ? length - 1 : 0) << ",\"args\":{";
    }
    void close(Cursor out, bool unfinished = false) {
        text_.put(out << (unfinished ? std::string_view(",\"unfinished\":true}}")
                                     : std::string_view("}}")));
    }
    static Cursor times(Cursor out, const Slice& s) {
        return out << "\"cycles\":" << s.end - s.begin;
    }

    // While a queue is full the scalar unit waits, issues one instruction and waits again: one
    // slice for all such waits with little work between them.
    void lane_slices_of(const LaneTexts& lane, const Lane& slices) {
        const std::vector<CallSlice> calls = calls_.on_lane(slices);
        auto call = calls.begin();
        for (size_t i = 0; i < slices.size();) {
            if (call != calls.end() && call->first == i) call_slice(lane, *call++);
            const size_t last = last_of_queue_waits(slices, i);
            if (last == i)
                lane_slice(lane, drawn(slices[i]));
            else
                queue_waits_slice(lane, std::span(slices).subspan(i, last - i + 1));
            i = last + 1;
        }
    }
    void drawn_slices_of(const LaneTexts& lane, const std::vector<Drawn>& some) {
        Lane slices;  // what is drawn together is of no call
        for (const Drawn& drawn : some) {
            slices.push_back(drawn.slice);
            if (drawn.several()) slices.back().activity = Activity::kRun;
        }
        const std::vector<CallSlice> calls = calls_.on_lane(slices);
        auto call = calls.begin();
        for (size_t i = 0; i < some.size(); ++i) {
            if (call != calls.end() && call->first == i) call_slice(lane, *call++);
            lane_slice(lane, some[i]);
        }
    }
    // Its instructions and waits are nested in it.
    void call_slice(const LaneTexts& lane, const CallSlice& call) {
        constexpr size_t kArgs = 100;
        const std::string& line = locations_.quoted(call.at);
        const std::string names = json_quoted(call.names);
        Cursor out = slice(json_quoted(call.call->function), "call", lane, call.slice,
                           kArgs + line.size() + names.size());
        out << "\"line\":" << line << ",\"of\":" << names
            << ",\"instructions\":" << uint64_t{call.instructions} << ',';
        close(times(out, call.slice), call.open);
    }
    // `from`, if it is not the first of several.
    size_t last_of_queue_waits(const Lane& slices, size_t from) const {
        constexpr Cycle kLittle = 16;
        const WaitCause* const first = queue_wait(slices[from]);
        if (first == nullptr) return from;
        size_t last = from;
        while (last + 2 < slices.size() && slices[last + 1].activity == Activity::kRun &&
               slices[last + 1].end - slices[last + 1].begin <= kLittle) {
            const WaitCause* const next = queue_wait(slices[last + 2]);
            if (next == nullptr || next->destination != first->destination) break;
            last += 2;
        }
        return last;
    }
    const WaitCause* queue_wait(const Slice& slice) const {
        if (slice.activity != Activity::kWait) return nullptr;
        const WaitRecord& wait = recording_.waits[slice.index];
        return wait.cause.reason == BlockReason::kQueueFull && !wait.open ? &wait.cause : nullptr;
    }
    void queue_waits_slice(const LaneTexts& lane, std::span<const Slice> slices) {
        constexpr size_t kArgs = 150;
        Slice all = slices.front();
        all.end = slices.back().end;
        Cycle waiting = 0;
        for (size_t i = 0; i < slices.size(); i += 2) waiting += slices[i].end - slices[i].begin;
        const WaitCause& cause = recording_.waits[all.index].cause;
        Cursor out = slice(wait_name(cause), "wait", lane, all, kArgs);
        close(out << "\"reason\":\"" << name(cause.reason)
                  << "\",\"waits\":" << uint64_t{slices.size() / 2 + 1} << ",\"work_cycles\":"
                  << all.end - all.begin - waiting << ",\"cycles\":" << waiting);
    }

    void lane_slice(const LaneTexts& lane, const Drawn& drawn) {
        constexpr size_t kArgs = 300;
        const Slice& s = drawn.slice;
        if (drawn.several()) {
            Cursor out =
                slice("\"" + std::to_string(drawn.slices) + " short\"", "sampled", lane, s, kArgs);
            out << "\"start\":" << s.begin << ",\"instructions\":" << drawn.instructions
                << ",\"waits\":" << drawn.waits << ",\"work_cycles\":" << drawn.work
                << ",\"wait_cycles\":" << drawn.wait << ',';
            close(times(out, s));
        } else if (s.activity == Activity::kRun) {
            close(times(slice("\"scalar\"", lane.pipe, lane, s, kArgs), s));
        } else if (s.activity == Activity::kWait) {
            const WaitRecord& wait = recording_.waits[s.index];
            const auto [entry, added] = wait_names_.try_emplace(wait.cause);
            if (added) entry->second = {wait_name(wait.cause), wait_members(wait.cause)};
            const auto& [title, members] = entry->second;
            Cursor out = slice(title, "wait", lane, s, kArgs + members.size());
            close(times(out << members << ',', s), wait.open);
        } else {
            const InstructionRecord& record = recording_.instructions[s.index];
            // Flag operations take no time; their arrows and waits show them.
            if (s.begin < s.end || !record.has(InstructionRecord::kCompleted))
                instruction_slice(record, s, lane);
        }
    }
    void instruction_slice(const InstructionRecord& record, const Slice& s, const LaneTexts& lane) {
        constexpr size_t kArgs = 300;
        const OperandTexts& texts = operand_texts(record);
        const std::string& line = locations_.quoted(record.location);
        const SourceMap::Call* const call = recording_.sources.call(record.location, record.opcode);
        const std::string header = call == nullptr ? "" : ",\"header\":" + json_quoted(call->header);
        Cursor out = slice(texts.name, lane.pipe, lane, s,
                           kArgs + line.size() + header.size() + texts.members.size());
        out << "\"line\":" << line << header << texts.members << ",\"sequence\":" << record.sequence
            << ",\"issue\":" << record.issued << ',';
        out = times(out, s) << ",\"complete\":" << record.completed;
        if (record.l2_hit_bytes + record.l2_miss_bytes > 0)
            out << ",\"l2_hit_bytes\":" << record.l2_hit_bytes
                << ",\"l2_miss_bytes\":" << record.l2_miss_bytes;
        close(out, !record.has(InstructionRecord::kCompleted));
    }
    // Texts of all instructions with one opcode and these operands.
    struct OperandTexts {
        Opcode opcode = Opcode::kCount;
        std::string name;
        std::string members;
    };
    const OperandTexts& operand_texts(const InstructionRecord& record) {
        std::vector<OperandTexts>& cached = operands_[record.operands];
        for (const OperandTexts& texts : cached)
            if (texts.opcode == record.opcode) return texts;
        OperandTexts& texts = cached.emplace_back();
        texts.opcode = record.opcode;
        texts.name = '"' + std::string(info(record.opcode).name) + '"';
        texts.members = ",\"operands\":" + json_quoted(operands_text(recording_, record));
        if (const uint64_t bytes = moved_bytes(recording_, record))
            texts.members += ",\"bytes\":" + std::to_string(bytes);
        return texts;
    }

    static std::string wait_name(const WaitCause& cause) {
        return json_quoted("wait " + short_text(cause));
    }
    std::string wait_members(const WaitCause& cause) {
        std::string args = "\"reason\":\"" + std::string(name(cause.reason)) + '"';
        if (cause.opcode != Opcode::kCount) args += ",\"line\":" + locations_.quoted(cause.waiter);
        if (cause.release.line != 0) args += ",\"released_at\":" + locations_.quoted(cause.release);
        if (cause.released_core != kNoCore)
            args += ",\"released_by\":\"" + name(cause.released_core) + '"';
        return args;
    }

    struct FoundArrow {
        uint32_t flag = 0;
        Arrow arrow;
    };
    // Chooses the arrows between slices that are drawn alone, if there is no room for all.
    void choose_arrows() {
        // Perfetto rounds to whole nanoseconds: two of them away from an end is inside.
        const Cycle margin =
            std::max<Cycle>(1, (2 * recording_.clock_hz() + 999'999'999) / 1'000'000'000);
        for (uint32_t i = 0; i < recording_.flags.size(); ++i) {
            const Arrow arrow = find_arrow(recording_, lanes_, recording_.flags[i], margin);
            if (arrow.drawn) arrows_.push_back({i, arrow});
        }
        const size_t most = most_ / 2;
        if (most_ == 0 || arrows_.size() <= most) return;
        const size_t found = arrows_.size();
        std::erase_if(arrows_, [this](const FoundArrow& a) {
            const FlagRecord& flag = recording_.flags[a.flag];
            return in_group(flag.from, flag.source, a.arrow.from) ||
                   in_group(flag.core, flag.destination, a.arrow.to);
        });
        if (arrows_.size() > most) {  // evenly over the run
            std::vector<FoundArrow> some;
            for (size_t i = 0; i < most; ++i) some.push_back(arrows_[i * arrows_.size() / most]);
            arrows_ = std::move(some);
        }
        left_out_.arrows = found - arrows_.size();
    }
    bool in_group(uint16_t core, Pipe pipe, Cycle cycle) const {
        if (sampling_.up_to == 0) return false;
        const std::vector<Drawn>& lane = sampling_.lanes[core][static_cast<size_t>(pipe)];
        const auto after =
            std::upper_bound(lane.begin(), lane.end(), cycle,
                             [](Cycle c, const Drawn& drawn) { return c < drawn.slice.begin; });
        return after != lane.begin() && std::prev(after)->several();
    }
    void arrow(const FoundArrow& found, uint64_t id) {
        const FlagRecord& flag = recording_.flags[found.flag];
        const std::string& head = arrow_head(flag);
        arrow_end(head, id, ",\"ph\":\"s\",\"ts\":", found.arrow.from, flag.from, flag.source);
        arrow_end(head, id, ",\"ph\":\"f\",\"bp\":\"e\",\"ts\":", found.arrow.to, flag.core,
                  flag.destination);
    }
    // Viewers show the slices that it joins, and nothing else of it.
    void arrow_end(const std::string& head, uint64_t id, std::string_view kind, Cycle at,
                   uint16_t core, Pipe pipe) {
        constexpr size_t kMost = 250;
        if (text_.view().size() > kFlushBytes) flush();
        const uint32_t process = process_of(recording_.cores[core]);
        Cursor out = text_.begin(kMost + head.size());
        out << (first_ ? std::string_view("\n{\"name\":") : std::string_view(",\n{\"name\":"))
            << head << id << kind;
        first_ = false;
        text_.put(out.micros(time(at))
                  << ",\"pid\":" << process << ",\"tid\":" << pipe_thread(process, pipe) << '}');
    }
    // Its name and category, which all arrows of a flag share.
    const std::string& arrow_head(const FlagRecord& flag) {
        const char* const kind = category(flag);
        const auto [entry, added] =
            arrow_heads_.try_emplace({flag.source, flag.destination, flag.id, kind});
        if (added)
            entry->second = "\"" + std::string(name(flag.source)) + "->" +
                            std::string(name(flag.destination)) + " #" + std::to_string(flag.id) +
                            "\",\"cat\":\"" + kind + "\",\"id\":";
        return entry->second;
    }
    const char* category(const FlagRecord& flag) {
        if (!flag.cross_core) return "flag";
        const auto [entry, added] =
            fifo_.try_emplace({flag.set_location.file, flag.set_location.line});
        if (added) entry->second = is_fifo(recording_, flag.set_location);
        return entry->second ? "fifo" : "signal";
    }

    // A counter track per series: of the chip, or of a core.
    void counters() {
        size_t count = 2;
        for (CoreId core : recording_.cores)
            for (unsigned pipe = 0; pipe < kPipeCount; ++pipe)
                count += 2 * has_pipe(core.type, static_cast<Pipe>(pipe));
        const size_t points =
            most_ == 0 ? kSeriesPoints : std::clamp<size_t>(most_ / 3 / count, 16, kChromePoints);
        for (const Series& s : bandwidth_series(recording_, points)) counter(s, s.name);
        for (const Series& s : l2_series(recording_, points)) counter(s, s.name);
        for (const Series& s : queue_series(recording_, points)) counter(s, s.name);
        for (const Series& s : tensor_series(recording_, points)) counter(s, s.name);
        for (const Series& s : occupancy_series(recording_, points)) counter(s, s.name);
    }
    void counter(const Series& series, const std::string& title) {
        const uint32_t process =
            series.core < 0 ? kChipProcess
                            : process_of(recording_.cores[static_cast<size_t>(series.core)]);
        const std::string name = json_quoted(title);
        const std::string unit = json_quoted(series.unit);
        const std::string head = "{\"name\":" + name + ",\"cat\":\"counter\",\"ph\":\"C\",\"ts\":";
        const std::string ids = ",\"pid\":" + std::to_string(process) +
                                ",\"tid\":" + std::to_string(block_thread(process)) +
                                ",\"args\":{" + unit + ":";
        for (const auto& [cycle, value] : series.points) {
            if (text_.view().size() > kFlushBytes) flush();
            Cursor out = text_.begin(100 + head.size() + ids.size());
            out << (first_ ? std::string_view("\n") : std::string_view(",\n")) << head;
            first_ = false;
            text_.put(out.micros(time(cycle)) << ids << value << "}}");
        }
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
    void waits(const Diagnostic& d, uint64_t& id) {
        const Cycle when = std::max<Cycle>(2, d.has_cycle ? d.cycle : recording_.end);
        for (const WaitEdge& edge : d.waits) {
            const auto from = lane(edge.waiter), to = lane(edge.holder);
            if (!from) continue;
            const std::string what = edge.in_cycle ? "deadlock, in the cycle" : "deadlock";
            const std::string line =
                edge.file.empty() ? "" : edge.file + ":" + std::to_string(edge.line);
            const auto head = [&]() -> Text& {
                return event() << "\"name\":" << json_quoted(what) << ",\"cat\":\"deadlock\"";
            };
            head() << ",\"ph\":\"i\",\"s\":\"t\"";
            at(from->first, from->second, when)
                << ",\"args\":{\"what\":" << json_quoted(edge.waiter + " " + edge.what)
                << ",\"holder\":" << json_quoted(edge.holder) << ",\"line\":" << json_quoted(line)
                << "}}";
            if (!to) continue;
            head() << ",\"id\":" << ++id << ",\"ph\":\"s\"";
            at(from->first, from->second, when - 2) << "}";
            head() << ",\"id\":" << id << ",\"ph\":\"f\",\"bp\":\"e\"";
            at(to->first, to->second, when - 1) << "}";
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
        event() << "\"name\":" << json_quoted(d.code + " " + std::string(name(d.category)))
                << ",\"cat\":\"diagnostic\",\"ph\":\"i\",\"s\":\"t\"";
        at(process, thread, d.has_cycle ? d.cycle : recording_.end)
            << ",\"args\":{\"message\":" << json_quoted(d.message)
            << ",\"line\":" << json_quoted(line) << ",\"hint\":" << json_quoted(d.hint)
            << ",\"count\":" << d.count << "}}";
    }

    static constexpr size_t kChromePoints = 100;  // of a counter
    static constexpr size_t kFlushBytes = size_t{1} << 16;

    const Recording& recording_;
    OutputFile file_;
    const size_t most_;
    const uint64_t megahertz_;  // of the clock; 0: not a whole number of them
    LocationTexts locations_;
    std::vector<CoreLanes> lanes_;
    Sampling sampling_;
    Calls calls_;
    std::vector<FoundArrow> arrows_;
    std::vector<Iteration> iterations_;
    std::vector<LaneTexts> loop_lanes_;  // by core
    LeftOut left_out_;
    std::vector<std::vector<OperandTexts>> operands_;  // by operand set
    std::unordered_map<WaitCause, std::pair<std::string, std::string>, WaitCauseHash>
        wait_names_;                                      // and their args
    std::map<std::pair<uint16_t, uint32_t>, bool> fifo_;  // by file and line
    std::map<std::tuple<Pipe, Pipe, uint8_t, std::string_view>, std::string> arrow_heads_;
    Text text_{kFlushBytes + 2048};
    bool first_ = true;
};

}  // namespace

std::string write_chrome_trace(const Recording& recording, const std::filesystem::path& path,
                               size_t most) {
    ChromeTrace trace(recording, path, most);
    trace.write();
    return trace.left_out_text();
}

ChromeLane chrome_task_lane(CoreId core) {
    return {process_of(core), task_thread(process_of(core))};
}

void add_chrome_events(const std::filesystem::path& path, std::string_view events) {
    if (!events.empty()) add_before_end(path, ",\n" + std::string(events), kEndOfFile);
}

}  // namespace ptosim
