#include "traces/recorder.h"

#include <algorithm>

#include "traces/labels.h"

namespace ptosim {

uint16_t Recorder::core(CoreId id) {
    const uint16_t index = index_.of(id, recording_.cores);
    if (index >= open_.size()) open_.resize(index + size_t{1});
    return index;
}

void Recorder::on_launch(const LaunchEvent& event) {
    saw(event.time);
    for (CoreId id : event.cores) core(id);
    recording_.sources.begin_launch(event.kernel, event.sources);
    LaunchRecord launch;
    launch.kernel = event.kernel;
    launch.chip = event.chip;
    launch.clock_hz = event.clock_hz;
    launch.blocks = event.blocks;
    launch.begin = launch.end = event.time;
    launch.open = true;
    if (recording_.launches.empty()) recording_.begin = event.time;
    recording_.launches.push_back(std::move(launch));
}

void Recorder::on_launch_end(Cycle time) {
    saw(time);
    if (!recording_.launches.empty()) {
        recording_.launches.back().end = now_;
        recording_.launches.back().open = false;
    }
    close_open(now_);
    cut_ = recording_.ended_early;
    for (Open& open : open_) open = {};
    signals_ = {};
}

const Recording& Recorder::recording() {
    close_open(now_);
    return recording_;
}

void Recorder::close_open(Cycle time) {
    recording_.end = time;
    bool cut = cut_;
    if (!recording_.launches.empty() && recording_.launches.back().open) {
        recording_.launches.back().end = time;
        cut = true;
    }
    for (const Open& open : open_) {
        for (uint32_t i : open.instructions) {
            InstructionRecord& record = recording_.instructions[i];
            if (!record.has(InstructionRecord::kStarted)) record.started = time;
            record.pipe_free = record.completed = time;
        }
        for (uint32_t i : open.waits) recording_.waits[i].end = time;
        for (uint32_t i : open.runs) recording_.runs[i].end = time;
        cut |= !open.instructions.empty() || !open.waits.empty() || !open.runs.empty();
    }
    recording_.ended_early = cut;
}

void Recorder::on_block_begin(const RunEvent& event) {
    saw(event.time);
    const uint16_t at = core(event.core);
    open_[at].runs.push_back(static_cast<uint32_t>(recording_.runs.size()));
    recording_.runs.push_back({event.time, event.time, event.identity, at, true});
}

void Recorder::on_block_end(const RunEvent& event) {
    saw(event.time);
    std::vector<uint32_t>& runs = open_[core(event.core)].runs;
    if (runs.empty()) return;
    RunRecord& run = recording_.runs[runs.back()];
    run.end = event.time;
    run.open = false;
    runs.pop_back();
}

// The record of the event's instruction; a new one if it has not been met.
uint32_t Recorder::instruction(const InstructionEvent& event) {
    saw(event.time);
    const uint16_t at = core(event.core);
    for (uint32_t i : open_[at].instructions)
        if (recording_.instructions[i].sequence == static_cast<uint32_t>(event.sequence)) return i;
    InstructionRecord record;
    record.issued = event.time;
    record.sequence = static_cast<uint32_t>(event.sequence);
    record.core = at;
    record.pipe = lane_pipe(event.pipe);
    if (event.instruction != nullptr) {
        record.location = recording_.sources.placed(event.instruction->location);
        record.opcode = event.instruction->opcode;
        if (is_sync(record.opcode)) record.flags |= InstructionRecord::kSync;
        describe_operands(*event.instruction, record);
    }
    const auto index = static_cast<uint32_t>(recording_.instructions.size());
    recording_.instructions.push_back(record);
    open_[at].instructions.push_back(index);
    return index;
}

void Recorder::on_issue(const InstructionEvent& event) { instruction(event); }

void Recorder::on_start(const InstructionEvent& event) {
    InstructionRecord& record = recording_.instructions[instruction(event)];
    record.started = event.time;
    record.flags |= InstructionRecord::kStarted;
}

void Recorder::on_complete(const InstructionEvent& event) {
    causes_.on_complete(event);
    const uint32_t index = instruction(event);
    InstructionRecord& record = recording_.instructions[index];
    record.issued = event.issued;
    record.started = event.started;
    record.pipe_free = std::max(event.started, event.pipe_free);
    record.completed = event.time;
    record.flags |= InstructionRecord::kStarted | InstructionRecord::kCompleted;
    std::erase(open_[record.core].instructions, index);
}

void Recorder::on_flag_set(const FlagEvent& event) {
    saw(event.time);
    causes_.on_flag_set(event);
    FlagRecord flag;
    flag.set = event.time;
    flag.set_location = recording_.sources.placed(event.location);
    flag.set_sequence = static_cast<uint32_t>(event.sequence);
    flag.core = core(event.core);
    flag.from = event.cross_core ? core(event.from) : flag.core;
    flag.source = lane_pipe(event.source);
    flag.destination = lane_pipe(event.destination);
    flag.id = event.id;
    flag.cross_core = event.cross_core;
    const auto index = static_cast<uint32_t>(recording_.flags.size());
    recording_.flags.push_back(flag);
    if (flag.cross_core)  // a signal to one core, or (core == from) to whoever waits for it
        signals_.sent[{flag.from, flag.core, flag.id}].push_back(index);
    else
        open_[flag.core].flags.push_back(index);
}

void Recorder::on_flag_wait(const FlagEvent& event) {
    saw(event.time);
    if (event.cross_core) return take_signal(event);
    std::vector<uint32_t>& flags = open_[core(event.core)].flags;
    const auto found = std::find_if(flags.begin(), flags.end(), [&](uint32_t i) {
        const FlagRecord& flag = recording_.flags[i];
        return flag.id == event.id && flag.source == lane_pipe(event.source) &&
               flag.destination == lane_pipe(event.destination);
    });
    if (found == flags.end()) return;
    FlagRecord& flag = recording_.flags[*found];
    flag.consumed = event.time;
    flag.wait_location = recording_.sources.placed(event.location);
    flag.wait_sequence = static_cast<uint32_t>(event.sequence);
    flags.erase(found);
}

// Every member of a group signals once per delivery, so the n-th wait of a core for an id is
// released by the n-th signal of the core that was the last to send it.
void Recorder::take_signal(const FlagEvent& event) {
    const uint16_t to = core(event.core);
    const uint16_t from = core(event.from);
    const size_t n = signals_.taken[{to, event.id}]++;
    const std::vector<uint32_t>* sent = &signals_.sent[{from, to, event.id}];
    if (sent->empty()) sent = &signals_.sent[{from, from, event.id}];
    if (n >= sent->size()) return;
    const uint32_t index = (*sent)[n];
    FlagRecord flag = recording_.flags[index];
    const bool taken = flag.consumed != kNever;
    flag.core = to;
    flag.destination = lane_pipe(event.destination);
    flag.consumed = event.time;
    flag.wait_location = recording_.sources.placed(event.location);
    flag.wait_sequence = static_cast<uint32_t>(event.sequence);
    if (taken)
        recording_.flags.push_back(flag);
    else
        recording_.flags[index] = flag;
}

void Recorder::on_block(const BlockEvent& event) {
    saw(event.time);
    // A pipe waits for one thing at a time.
    const uint16_t at = core(event.core);
    for (uint32_t i : open_[at].waits)
        if (recording_.waits[i].pipe == lane_pipe(event.pipe)) {
            on_unblock(event);
            break;
        }
    WaitRecord wait;
    wait.begin = wait.end = event.time;
    wait.cause = causes_.blocked(event);
    wait.sequence = static_cast<uint32_t>(event.sequence);
    wait.core = at;
    wait.pipe = lane_pipe(event.pipe);
    wait.open = true;
    open_[at].waits.push_back(static_cast<uint32_t>(recording_.waits.size()));
    recording_.waits.push_back(wait);
}

void Recorder::on_unblock(const BlockEvent& event) {
    saw(event.time);
    std::vector<uint32_t>& waits = open_[core(event.core)].waits;
    const auto found = std::find_if(waits.begin(), waits.end(), [&](uint32_t i) {
        return recording_.waits[i].pipe == lane_pipe(event.pipe);
    });
    if (found == waits.end()) return;
    WaitRecord& wait = recording_.waits[*found];
    wait.end = event.time;
    wait.open = false;
    wait.released_by = static_cast<uint32_t>(event.released_by);
    causes_.released(wait.cause, event);
    waits.erase(found);
}

void Recorder::on_diagnostic(const Diagnostic& diagnostic) {
    // A watchdog may be the last to speak.
    if (diagnostic.has_cycle) saw(diagnostic.cycle);
    recording_.diagnostics.push_back(diagnostic);
}

}  // namespace ptosim
