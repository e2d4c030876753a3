#include "isa/assembly/verify/resource_usage.h"

#include <algorithm>
#include <optional>

#include "isa/assembly/program/step_traits.h"
#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

namespace {

// The scalar slots that keep their initial values.
std::vector<bool> constants(const Program& program) {
    std::vector<bool> constant(program.scalars.size(), true);
    const auto write = [&](Slot slot) {
        if (slot != kNoSlot) constant[slot] = false;
    };
    for (const auto& argument : program.arguments) write(argument.slot);
    for (const auto& [slot, field] : program.implicit_arguments) write(slot);
    for (const Step& step : program.steps) each_written_scalar(program, step, write);
    return constant;
}

class UsageReader {
 public:
    explicit UsageReader(const Program& program)
        : program_{program}, constant_{constants(program)} {}

    ResourceUsage read() {
        needs_.steps = program_.steps.size();
        for (const Step& step : program_.steps) {
            if (step.code == StepCode::kTile) add_tile(program_.tiles[step.index], step.a);
            if (step.code == StepCode::kTileAt) needs_.computed_addresses = true;
            if (step.code == StepCode::kIssue) issue(program_.issues[step.index]);
        }
        for (const FifoEnd& end : program_.fifo_ends) fifo(end);
        return std::move(needs_);
    }

 private:
    std::optional<uint64_t> value(Slot slot) const {
        if (!constant_[slot]) return std::nullopt;
        return program_.scalars[slot];
    }
    void take(Space space, uint64_t end) {
        uint64_t& bytes = needs_.bytes[static_cast<size_t>(space)];
        bytes = std::max(bytes, end);
    }
    void add_tile(const Tile& tile, Slot address) {
        const std::optional<uint64_t> begin =
            address == kNoSlot ? std::optional<uint64_t>(tile.address) : value(address);
        if (begin)
            take(tile.space, *begin + tile.byte_size());
        else
            needs_.computed_addresses = true;
    }
    void issue(const IssuePlan& plan) {
        ++needs_.instructions;
        const Attributes& a = plan.prototype.attributes;
        const bool computed = plan.event != kNoSlot;
        switch (plan.prototype.opcode) {
            case Opcode::kSET_FLAG:
            case Opcode::kWAIT_FLAG: {
                auto& ids = needs_.flags[{a.source_pipe, a.destination_pipe}];
                if (!computed) ids.insert(a.event_id);
                break;
            }
            case Opcode::kCROSS_SET:
            case Opcode::kCROSS_WAIT:
            case Opcode::kINTRA_SET:
            case Opcode::kINTRA_WAIT:
                if (!computed) needs_.cross_flags.insert(a.event_id);
                break;
            case Opcode::kGET_BUF:
            case Opcode::kRLS_BUF:
                if (!computed) needs_.buffer_ids.insert(a.event_id);
                break;
            default:
                break;
        }
    }
    // Both cores describe a FIFO; that of the producer counts.
    void fifo(const FifoEnd& end) {
        const bool already_listed = std::any_of(
            needs_.fifos.begin(), needs_.fifos.end(), [&](const ResourceUsage::FifoUsage& other) {
                return other.shape.producer == end.shape.producer &&
                       other.shape.flag == end.shape.flag;
            });
        if (!already_listed) needs_.fifos.push_back({end.shape, end.ring != kNoSlot});
        if (end.consumer_address == kNoSlot) return;
        const Space space = end.shape.producer == CoreType::kAIC ? Space::kUB : Space::kL1;
        if (const auto begin = value(end.consumer_address))
            take(space, *begin + uint64_t{end.shape.slot_bytes} * end.shape.local_slots);
    }

    const Program& program_;
    std::vector<bool> constant_;
    ResourceUsage needs_;
};

}  // namespace

ResourceUsage resource_usage_of(const Program& program) { return UsageReader(program).read(); }

}  // namespace ptosim::assembly
