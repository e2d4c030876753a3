#include "sim/machine/core/cross_core_flags.h"

#include "sim/machine/core/control.h"

namespace ptosim {

void CrossCoreFlags::receive(unsigned id, const CrossCoreSignal& signal) {
    Flag& flag = flags_[id];
    if (flag.count == kLimit) {
        Diagnostic d =
            core_.diagnostic("C02", Category::kSync,
                             cross_flag_text(id) + " of " + name(core_.id) +
                                 " overflows: " + std::to_string(kLimit) + " signals are pending",
                             {});
        d.hint = "wait for earlier signals before sending more";
        core_.environment.report(std::move(d));
        return;
    }
    ++flag.count;
    flag.last = signal;
    arrived_.notify();
}

void CrossCoreFlags::take(const Instruction& wait, uint64_t sequence) {
    Flag& flag = flags_[index(wait)];
    --flag.count;
    flag.waited_for = true;
    if (core_.observers.nobody_needs(Observer::kFlagWait)) return;
    FlagEvent event = core_.flag_event(wait, sequence);
    event.from = flag.last.from;
    event.source = flag.last.pipe;
    const Pipe pipe = pipe_of(wait, core_.arch);
    event.destination = stops_scalar_unit(pipe, core_.arch, core_.auto_sync) ? Pipe::kS : pipe;
    event.id = static_cast<uint8_t>(index(wait));
    event.cross_core = true;
    core_.observers.take_flag(event);
}

}  // namespace ptosim
