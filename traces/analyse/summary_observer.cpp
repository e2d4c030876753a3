#include "traces/analyse/summary_observer.h"

#include <algorithm>

namespace ptosim {

CoreMeter& Summary::new_meter(CoreId core) {
    auto& meters_of_type = known_[static_cast<size_t>(core.type)];
    if (core.index >= meters_of_type.size()) meters_of_type.resize(core.index + size_t{1});
    cores_.push_back(core);
    return *(meters_of_type[core.index] = &meters_.emplace_back(core, total_.begin));
}

Cycle Summary::last() const {
    Cycle last = now_;
    for (const CoreMeter& meter : meters_) last = std::max(last, meter.last());
    return last;
}

bool Summary::anything_open() const {
    return launched_ || std::any_of(meters_.begin(), meters_.end(),
                                    [](const CoreMeter& meter) { return meter.anything_open(); });
}

Accounting Summary::accounting() const {
    Accounting result = total_;
    result.end = last();
    result.ended_early = total_.ended_early || anything_open();
    for (uint16_t at : lane_order(cores_))
        result.cores.push_back(meters_[at].finish(result.begin, result.end, sources_));
    return result;
}

void Summary::on_launch(const LaunchEvent& event) {
    saw(event.time);
    if (total_.launches++ == 0) {
        total_.chip = event.chip;
        total_.kernel = event.kernel;
        total_.clock_hz = event.clock_hz;
        total_.blocks = event.blocks;
        total_.begin = event.time;
    }
    launched_ = true;
    sources_.begin_launch(event.kernel, event.sources);
    for (CoreId core : event.cores) {  // before their clusters run apart
        meter(core);
        causes_.expect(core);
    }
}

void Summary::on_launch_end(Cycle time) {
    saw(time);
    sources_.end_launch();
    launched_ = false;
    total_.ended_early = total_.ended_early || anything_open();
    const Cycle end = last();
    for (CoreMeter& meter : meters_) meter.cut(end);
}

void Summary::on_block_begin(const RunEvent& event) {
    meter_at(event.core, event.time).open_run(event.time);
}

void Summary::on_block_end(const RunEvent& event) {
    meter_at(event.core, event.time).close_run(event.time);
}

void Summary::on_issue(const InstructionEvent& event) {
    meter_at(event.core, event.time).count_issue();
}

void Summary::on_start(const InstructionEvent& event) {
    meter_at(event.core, event.time)
        .open_work(event.pipe, event.sequence, event.time,
                   event.instruction != nullptr ? event.instruction->opcode : Opcode::kCount);
}

void Summary::on_complete(const InstructionEvent& event) {
    causes_.on_complete(event);
    const bool busy = event.pipe_free > event.started;
    meter_at(event.core, event.time)
        .close_work(
            event.pipe, event.sequence, event.started, busy ? event.pipe_free : event.started,
            busy && event.instruction != nullptr && is_sync(event.instruction->opcode), event.time);
}

void Summary::on_flag_set(const FlagEvent& event) {
    meter_at(event.cross_core ? event.from : event.core, event.time);
    causes_.on_flag_set(event);
}

void Summary::on_block(const BlockEvent& event) {
    CoreMeter& meter = meter_at(event.core, event.time);
    if (WaitCause* cause = meter.waiting(event.pipe)) causes_.released(*cause, event);
    causes_.blocked(event, meter.open_wait(event.pipe, event.time));
}

void Summary::on_unblock(const BlockEvent& event) {
    CoreMeter& meter = meter_at(event.core, event.time);
    if (WaitCause* cause = meter.waiting(event.pipe)) causes_.released(*cause, event);
    meter.close_wait(event.pipe, event.time);
}

void Summary::on_diagnostic(const Diagnostic& diagnostic) {
    if (diagnostic.has_cycle) saw(diagnostic.cycle);
    ++total_.diagnostics;
}

}  // namespace ptosim
