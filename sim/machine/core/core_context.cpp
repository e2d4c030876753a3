#include "sim/machine/core/core_context.h"

#include <algorithm>

#include "isa/table/instruction_table.h"

namespace ptosim {

CoreContext::CoreContext(CoreId core, CoreEnvironment& chip)
    : id{core},
      cluster{core.type == CoreType::kAIC
                  ? core.index
                  : core.index / static_cast<unsigned>(chip.model().cluster.aivs)},
      environment{chip},
      lane{chip.lane(cluster)},
      model{chip.model()},
      arch{chip.model().arch},
      observers{chip.observers()},
      read{chip.parameters_read()} {}

Diagnostic CoreContext::diagnostic(std::string code, Category category, std::string message,
                                   SourceLocation where) const {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    d.core = name(id);
    d.cycle = now();
    d.has_cycle = true;
    environment.sources().locate(d, where);
    return d;
}

void CoreContext::check_window(const std::string& what, const GlobalView& view, SourceLocation where) const {
    const auto overrun = environment.remote()->overrun(view);
    if (!overrun) return;
    Diagnostic d = diagnostic("G16", Category::kIllegal,
                              what + " of chip " + std::to_string(overrun->chip) + " begins in the window of chip " +
                                  std::to_string(overrun->owner) + ", which has " + std::to_string(overrun->bytes) +
                                  " bytes, and reaches " + std::to_string(overrun->outside()) + " bytes beyond it",
                              where);
    d.hint = "check the shape, strides and offsets of the view against the size of the window";
    d.byte_begin = static_cast<uint64_t>(std::max<int64_t>(0, overrun->begin));
    d.byte_end = static_cast<uint64_t>(overrun->end);
    environment.fail({std::move(d)});
}

void CoreContext::warn_beyond_allocation(Diagnostic told) const {
    told.category = Category::kUndefined;
    told.notes.push_back("the run continues: the bytes are in the pages of " +
                         std::to_string(environment.global().page_bytes()) +
                         " bytes that contain allocations, as on a device (memory.page); with --memory exact or "
                         "PTOSIM_MEMORY=exact this is an error");
    environment.warn(std::move(told));
}

FlagEvent CoreContext::flag_event(const Instruction& instruction, uint64_t sequence) const {
    const Attributes& a = instruction.attributes;
    FlagEvent event;
    event.core = event.from = id;
    event.source = a.source_pipe;
    event.destination = a.destination_pipe;
    event.id = a.event_id;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = now();
    return event;
}

void CoreContext::tell_block(Pipe pipe, BlockReason reason, const Instruction* instruction,
                             uint64_t sequence) const {
    if (observers.nobody_needs(Observer::kStall)) return;
    BlockEvent event;
    event.core = id;
    event.pipe = pipe;
    event.reason = reason;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = now();
    if (reason == BlockReason::kQueueFull) event.queue = pipe_of(*instruction, arch);
    observers.block(event);
}

void CoreContext::tell_unblock(Pipe pipe, const BlockEvent& released,
                               const Instruction* instruction, uint64_t sequence) const {
    if (observers.nobody_needs(Observer::kStall)) return;
    BlockEvent event = released;
    event.core = id;
    event.pipe = pipe;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = now();
    observers.unblock(event);
}

}  // namespace ptosim
