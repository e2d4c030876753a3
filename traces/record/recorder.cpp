#include "traces/record/recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/core/thread_effects.h"
#include "isa/core/thread_work.h"

namespace ptosim {

size_t Recorder::SetHash::operator()(const OperandSet& set) const {
    std::array<uint64_t, sizeof(OperandSet) / sizeof(uint64_t)> words;
    static_assert(sizeof words == sizeof set);
    std::memcpy(words.data(), &set, sizeof set);
    uint64_t hash = 0;
    for (uint64_t word : words) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

uint16_t Recorder::add_core(const CoreId& id) {
    const size_t at = id.index * 2u + static_cast<size_t>(id.type);
    if (at >= numbers_.size()) numbers_.resize(at + 1, -1);
    numbers_[at] = static_cast<int32_t>(open_.size());
    open_.emplace_back();
    sink_.core(id);
    return static_cast<uint16_t>(numbers_[at]);
}

void Recorder::on_launch(const LaunchEvent& event) {
    saw(event.time);
    for (CoreId id : event.cores) core(id);
    sources_.begin_launch(event.kernel, event.sources);
    while (sources_sent_ < sources_.size()) sink_.source(sources_.file(sources_sent_++));
    LaunchRecord launch;
    launch.kernel = event.kernel;
    launch.chip = event.chip;
    launch.arch = event.arch;
    launch.clock_hz = event.clock_hz;
    launch.blocks = event.blocks;
    launch.begin = launch.end = event.time;
    sink_.launch_begin(launch);
    launched_ = true;
}

void Recorder::on_launch_end(Cycle time) {
    saw(time);
    cut_ |= anything_open();
    send_open(sink_, now_);
    for (const CallRecord& record : sources_.end_launch()) sink_.call(record);
    sink_.launch_end(now_);
    for (Open& open : open_) open = {};
    signals_ = {};
    launched_ = false;
    end_ = now_;
}

const Recording& Recorder::recording() {
    RecordingBuilder builder = memory_;
    send_end(builder);
    snapshot_ = builder.take();
    return snapshot_;
}

bool Recorder::anything_open() const {
    return std::any_of(open_.begin(), open_.end(), [](const Open& open) {
        return !open.instructions.empty() || !open.waits.empty() || !open.runs.empty();
    });
}

void Recorder::send_open(RecordSink& to, Cycle time) const {
    for (const Open& open : open_) {
        open.instructions.for_open([&](InstructionRecord record) {
            if (!record.has(InstructionRecord::kStarted)) record.started = time;
            record.pipe_free = record.completed = time;
            to.instruction(record);
        });
        for (WaitRecord wait : open.waits) {
            wait.end = time;
            wait.open = true;
            to.wait(wait);
        }
        for (RunRecord run : open.runs) {
            run.end = time;
            run.open = true;
            to.run(run);
        }
        for (const FlagRecord& flag : open.flags) to.flag(flag);
    }
    for (const auto& [key, flags] : signals_.sent)
        for (const FlagRecord& flag : flags)
            if (flag.consumed == kNever) to.flag(flag);
}

void Recorder::send_end(RecordSink& to) const {
    send_open(to, now_);
    for (const ThreadRecord& record : threads_) to.threads(record);
    to.end(launched_ || anything_open() ? now_ : end_, cut_ || launched_ || anything_open());
}

void Recorder::record_block_begin(const RunEvent& event) {
    saw(event.time);
    const uint16_t at = core(event.core);
    open_[at].runs.push_back({event.time, event.time, event.identity, at, false});
    sink_.run_begin(open_[at].runs.back());
}

void Recorder::record_block_end(const RunEvent& event) {
    saw(event.time);
    std::vector<RunRecord>& runs = open_[core(event.core)].runs;
    if (runs.empty()) return;
    runs.back().end = event.time;
    sink_.run(runs.back());
    runs.pop_back();
}

InstructionRecord* Recorder::Window::find(uint32_t sequence) {
    if (count_ == 0) return nullptr;
    const size_t mask = ring_.size() - 1;
    // Numbers mostly follow one another.
    const size_t guess = sequence - at(0).sequence;
    if (guess < count_ && at(guess).sequence == sequence) return &ring_[(first_ + guess) & mask];
    size_t low = 0, high = count_;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at(middle).sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < count_ && at(low).sequence == sequence;
    return found ? &ring_[(first_ + low) & mask] : nullptr;
}

InstructionRecord& Recorder::Window::add(const InstructionRecord& record) {
    if (count_ == ring_.size()) make_room();
    const size_t mask = ring_.size() - 1;
    size_t i = count_++;
    for (; i > 0 && at(i - 1).sequence > record.sequence; --i)  // numbered in order of issue
        ring_[(first_ + i) & mask] = at(i - 1);
    return ring_[(first_ + i) & mask] = record;
}

// Many may have completed after one that takes long.
void Recorder::Window::make_room() {
    std::vector<InstructionRecord> kept;
    for_open([&](const InstructionRecord& record) { kept.push_back(record); });
    count_ = kept.size();
    first_ = 0;
    kept.resize(std::max({size_t{64}, ring_.size(), std::bit_ceil(2 * count_)}));
    ring_.swap(kept);
}

void Recorder::Window::shrink() {
    while (count_ > 0 && at(0).has(InstructionRecord::kCompleted)) {
        first_ = (first_ + 1) & (ring_.size() - 1);
        --count_;
    }
}

uint32_t Recorder::operand_set(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    const Attributes& a = instruction.attributes;
    if (instruction.opcode == Opcode::kSET_FLAG || instruction.opcode == Opcode::kWAIT_FLAG) {
        constexpr size_t kPipes = 8, kIds = 256;
        constexpr uint32_t kUnknown = UINT32_MAX;
        flag_sets_.resize(kPipes * kPipes);
        std::vector<uint32_t>& sets = flag_sets_[static_cast<size_t>(a.source_pipe) * kPipes +
                                                 static_cast<size_t>(a.destination_pipe)];
        if (sets.empty()) sets.resize(kIds, kUnknown);
        uint32_t& set = sets[a.event_id];
        if (set == kUnknown) set = add_operand_set(instruction);
        return set;
    }
    if (event.validation_id == 0) {
        const uint32_t set = add_operand_set(instruction);
        add_cost(instruction, set);
        return set;
    }
    constexpr size_t kValidated = 1024;
    if (validated_sets_.empty()) validated_sets_.resize(kValidated);
    ValidatedSet& kept = validated_sets_[event.validation_id % kValidated];
    if (kept.validation_id != event.validation_id) {
        kept = {event.validation_id, add_operand_set(instruction)};
        add_cost(instruction, kept.set);
    }
    return kept.set;
}

void Recorder::add_cost(const Instruction& instruction, uint32_t set) {
    if (!basis_ || is_sync(instruction.opcode)) return;
    const uint64_t key = static_cast<uint64_t>(instruction.opcode) << 32 | set;
    if (costs_.insert(key).second) sink_.cost({instruction.opcode, set, basis_(instruction)});
}

uint32_t Recorder::add_operand_set(const Instruction& instruction) {
    const OperandSet set = describe_operands(instruction);
    const auto [entry, added] = sets_.try_emplace(set, static_cast<uint32_t>(sets_.size()));
    if (added) sink_.operands(set);
    return entry->second;
}

// The record of the event's instruction; a new one if it has not been met.
InstructionRecord& Recorder::instruction(const InstructionEvent& event) {
    saw(event.time);
    const uint16_t at = core(event.core);
    Window& open = open_[at].instructions;
    InstructionRecord* const found = open.find(static_cast<uint32_t>(event.sequence));
    return found != nullptr ? *found : add_instruction(event, at);
}

InstructionRecord& Recorder::add_instruction(const InstructionEvent& event, uint16_t at) {
    InstructionRecord record;
    record.issued = event.time;
    record.sequence = static_cast<uint32_t>(event.sequence);
    record.core = at;
    record.pipe = lane_pipe(event.pipe);
    if (event.instruction != nullptr) {
        record.location = sources_.run_location(event.instruction->location);
        record.opcode = event.instruction->opcode;
        if (is_sync(record.opcode)) record.flags |= InstructionRecord::kSync;
        record.operands = operand_set(event);
    }
    return open_[at].instructions.add(record);
}

void Recorder::record_issue(const InstructionEvent& event) {
    saw(event.time);
    add_instruction(event, core(event.core));
}

void Recorder::record_start(const InstructionEvent& event) {
    InstructionRecord& record = instruction(event);
    record.started = event.time;
    record.flags |= InstructionRecord::kStarted;
}

void Recorder::record_complete(const InstructionEvent& event) {
    causes_.on_complete(event);
    InstructionRecord& record = instruction(event);
    record.issued = event.issued;
    record.started = event.started;
    record.pipe_free = std::max(event.started, event.pipe_free);
    record.completed = event.time;
    record.l2_hit_bytes = event.l2_hit_bytes;
    record.l2_miss_bytes = event.l2_miss_bytes;
    record.set_l2_again(event.l2_again_bytes);
    record.flags |= InstructionRecord::kStarted | InstructionRecord::kCompleted;
    sink_.instruction(record);
    if (record.opcode == Opcode::kTHREADS && event.instruction != nullptr)
        add_threads(*event.instruction, record);
    open_[record.core].instructions.shrink();
}

// The spans are as if the threads had run while the kernel's code executed them. The last one ends
// with the cycles that the instruction takes.
void Recorder::add_threads(const Instruction& instruction, const InstructionRecord& record) {
    const std::vector<WarpSpan>& spans = thread_effects(instruction).spans;
    Cycle last = 0;
    for (const WarpSpan& span : spans) last = std::max(last, span.end);
    const Cycle end = record.started + thread_work(instruction).cycles;
    const Cycle later = end - std::min(end, last);
    for (const WarpSpan& span : spans)
        sink_.warp({span.begin + later, span.end + later, record.core, span.warp, span.state});
    if (!thread_effects(instruction).report) return;
    ThreadReport report = *thread_effects(instruction).report;
    for (ThreadSite* const site : {&report.uncoalesced, &report.conflicting})
        if (site->at.line != 0) site->at = sources_.run_location(site->at);
    const SourceLocation at = sources_.run_location(instruction.location);
    const auto found = std::ranges::find(threads_, at, &ThreadRecord::at);
    if (found == threads_.end())
        threads_.push_back({at, report});
    else
        found->report.add(report);
}

void Recorder::record_flag_set(const FlagEvent& event) {
    saw(event.time);
    causes_.on_flag_set(event);
    FlagRecord flag;
    flag.set = event.time;
    flag.set_location = sources_.run_location(event.location);
    flag.set_sequence = static_cast<uint32_t>(event.sequence);
    flag.core = core(event.core);
    flag.from = event.cross_core ? core(event.from) : flag.core;
    flag.source = lane_pipe(event.source);
    flag.destination = lane_pipe(event.destination);
    flag.id = event.id;
    flag.cross_core = event.cross_core;
    if (flag.cross_core)  // a signal to one core, or (core == from) to whoever waits for it
        signals_.sent[{flag.from, flag.core, flag.id}].push_back(flag);
    else
        open_[flag.core].flags.push_back(flag);
}

void Recorder::record_flag_wait(const FlagEvent& event) {
    saw(event.time);
    if (event.cross_core) return take_signal(event);
    if (event.carried) return;  // its set is a part of another launch
    std::vector<FlagRecord>& flags = open_[core(event.core)].flags;
    const auto found = std::find_if(flags.begin(), flags.end(), [&](const FlagRecord& flag) {
        return flag.id == event.id && flag.source == lane_pipe(event.source) &&
               flag.destination == lane_pipe(event.destination);
    });
    if (found == flags.end()) return;
    found->consumed = event.time;
    found->wait_location = sources_.run_location(event.location);
    found->wait_sequence = static_cast<uint32_t>(event.sequence);
    sink_.flag(*found);
    flags.erase(found);
}

// Every member of a group signals once per delivery, so the n-th wait of a core for an id is
// released by the n-th signal of the core that was the last to send it.
void Recorder::take_signal(const FlagEvent& event) {
    const uint16_t to = core(event.core);
    const uint16_t from = core(event.from);
    const size_t n = signals_.taken[{to, event.id}]++;
    std::vector<FlagRecord>* sent = &signals_.sent[{from, to, event.id}];
    if (sent->empty()) sent = &signals_.sent[{from, from, event.id}];
    if (n >= sent->size()) return;
    (*sent)[n].consumed = event.time;  // by one of them
    FlagRecord flag = (*sent)[n];
    flag.core = to;
    flag.destination = lane_pipe(event.destination);
    flag.wait_location = sources_.run_location(event.location);
    flag.wait_sequence = static_cast<uint32_t>(event.sequence);
    sink_.flag(flag);
}

void Recorder::record_block(const BlockEvent& event) {
    saw(event.time);
    // A pipe waits for one thing at a time.
    const uint16_t at = core(event.core);
    for (const WaitRecord& wait : open_[at].waits)
        if (wait.pipe == lane_pipe(event.pipe)) {
            on_unblock(event);
            break;
        }
    WaitRecord wait;
    wait.begin = wait.end = event.time;
    causes_.blocked(event, wait.cause);
    wait.sequence = static_cast<uint32_t>(event.sequence);
    wait.core = at;
    wait.pipe = lane_pipe(event.pipe);
    open_[at].waits.push_back(wait);
}

void Recorder::record_unblock(const BlockEvent& event) {
    saw(event.time);
    std::vector<WaitRecord>& waits = open_[core(event.core)].waits;
    const auto found = std::find_if(waits.begin(), waits.end(), [&](const WaitRecord& wait) {
        return wait.pipe == lane_pipe(event.pipe);
    });
    if (found == waits.end()) return;
    found->end = event.time;
    found->released_by = static_cast<uint32_t>(event.released_by);
    causes_.released(found->cause, event);
    sink_.wait(*found);
    waits.erase(found);
}

void Recorder::on_diagnostic(const Diagnostic& diagnostic) {
    // A watchdog may be the last to speak.
    if (diagnostic.has_cycle) saw(diagnostic.cycle);
    sink_.diagnostic(diagnostic);
}

}  // namespace ptosim
