#include "sim/machine/core/data_path.h"

#include <algorithm>
#include <cstring>

#include "isa/composite/print_text.h"
#include "isa/core/behaviour.h"
#include "isa/table/instruction_table.h"
#include "isa/table/instruction_traits.h"
#include "isa/table/remote_operands.h"
#include "sim/machine/observe/data_observer.h"

namespace ptosim {

DataPath::DataPath(CoreContext& core) : core_{core} {
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        const bool on_aiv = static_cast<Space>(s) == Space::kUB;
        if (on_aiv == (core.id.type == CoreType::kAIV))
            memories_[s] = core.environment.on_chip().take(core.model.reach(static_cast<Space>(s)));
    }
}

void DataPath::send(const Instruction& instruction, uint32_t number, Cycle after, Event& answered) {
    RemoteMemory& remote = *core_.environment.remote();
    if (!core_.computes_data()) return remote.store(number, nullptr, after, answered);
    core_.environment.data().wait_for(core_.cluster);
    const Execution execution = execution_of(instruction);
    remote.store(number, &execution, after, answered);
}

void DataPath::compute(const Instruction& instruction, uint64_t sequence) {
    if (info(instruction.opcode).semantics == nullptr) return;
    if (is_dual_move(instruction)) {
        for (const Instruction& half : split_dual_destination(instruction)) compute(half, sequence);
        return;
    }
    if (core_.environment.data_observers().empty() || !compute_followed(instruction, sequence))
        take_effect(instruction);
}

bool DataPath::compute_followed(const Instruction& instruction, uint64_t sequence) {
    std::vector<DataObserver*> followers;
    for (DataObserver* observer : core_.environment.data_observers())
        if (observer->follows_data(core_.id, sequence)) followers.push_back(observer);
    if (followers.empty()) return false;
    const Execution execution = execution_of(instruction);
    const DataEvent event{core_.id, sequence, execution};
    DataEngine& engine = core_.environment.data();
    engine.run_now(core_.cluster, instruction, [&] {
        for (DataObserver* observer : followers) observer->on_data_begin(event);
    });
    take_effect(instruction);
    engine.run_now(core_.cluster, instruction, [&] {
        for (DataObserver* observer : followers) observer->on_data_end(event);
    });
    return true;
}

void DataPath::take_effect(const Instruction& instruction) {
    compute_results(instruction);
    if (const Tile* scratch = fixed_scratch(instruction, core_.arch))
        core_.environment.data().run_now(core_.cluster, instruction, [&] {
            std::memset(local(Space::kUB, scratch->address), 0xFF, scratch->byte_size());
        });
}

void DataPath::compute_results(const Instruction& instruction) {
    const Semantics semantics = info(instruction.opcode).semantics;
    const Execution execution = execution_of(instruction);
    DataEngine& engine = core_.environment.data();
    if (const auto shortage = scratch_shortage(instruction, core_.arch))
        return take_effect_with(*shortage, execution);
    if (const EarlyWrite* write = early_write(instruction, core_.arch))
        return take_effect_with(*write, execution);
    const bool choices =
        core_.environment.reports_choices() && may_be_implementation_defined(instruction);
    if (!choices && !may_be_undefined(instruction)) {
        engine.submit(core_.cluster, execution);
        return;
    }
    executing_ = &instruction;
    engine.run_now(core_.cluster, instruction, [&] {  // reports findings at the time they occur
        if (choices) check_implementation_defined(execution, *this);
        check_undefined(execution, *this);
        semantics(execution);
    });
}

// If scratch is too small, the bytes that an implementation overwrites after it are set to all ones (NaN or -1),
// because no document specifies the order.
void DataPath::take_effect_with(const ScratchShortage& shortage, const Execution& execution) {
    const Instruction& instruction = execution.instruction;
    const InstructionInfo& row = info(instruction.opcode);
    const LocalBuffer& ub = memories_[static_cast<size_t>(Space::kUB)];
    const Tile& tmp = instruction.tile(shortage.operand);
    core_.environment.data().run_now(core_.cluster, instruction, [&] {
        if (row.traits->with_less_scratch != nullptr)
            return row.traits->with_less_scratch(execution);
        row.semantics(execution);
        const uint64_t begin = std::min<uint64_t>(tmp.address + tmp.byte_size(), ub.size);
        const uint64_t end = std::min<uint64_t>(tmp.address + shortage.reach, ub.size);
        if (begin < end)
            std::memset(execution.bytes[shortage.operand] + (begin - tmp.address), 0xFF, end - begin);
    });
}

namespace {

// Sets all bits of the valid region of a tile.
void fill_with_ones(const Tile& tile, std::byte* at) {
    const unsigned width = bits(tile.dtype);
    for (int row = 0; row < tile.valid_rows; ++row)
        for (int col = 0; col < tile.valid_cols; ++col) {
            const auto first = static_cast<uint64_t>(tile.index(row, col)) * width;
            if (width >= 8)
                std::memset(at + first / 8, 0xFF, width / 8);
            else
                at[first / 8] |= static_cast<std::byte>(((1U << width) - 1) << first % 8);
        }
}

}  // namespace

// If no header specifies the order of reads and writes of shared bytes, the results are set to NaN or -1.
void DataPath::take_effect_with(const EarlyWrite& write, const Execution& execution) {
    const Instruction& instruction = execution.instruction;
    const InstructionInfo& row = info(instruction.opcode);
    core_.environment.data().run_now(core_.cluster, instruction, [&] {
        const auto compute = row.traits->with_shared_bytes;
        if (compute != nullptr && compute(execution, write)) return;
        for (unsigned i = 0; i < instruction.operand_count; ++i)
            if (instruction.operands[i].is_tile() && row.operands[i].role == OperandRole::kOut)
                fill_with_ones(instruction.tile(i), execution.bytes[i]);
    });
}

void DataPath::print(const Instruction& instruction) {
    if (!core_.computes_data()) return;
    core_.environment.data().run_now(core_.cluster, instruction, [&] {
        core_.environment.print(core_.id, print_text(execution_of(instruction)));
    });
}

Execution DataPath::execution_of(const Instruction& instruction) {
    Execution execution{instruction,
                        {},
                        core_.environment.numerics(),
                        memories_[static_cast<size_t>(Space::kUB)].size,
                        &registers_};
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile())
            execution.bytes[i] = bytes_of_tile(instruction, i);
        else if (operand.is_global())
            execution.bytes[i] = core_.global_bytes(operand.global.address);
    }
    return execution;
}

// The tile may lie in another core of the cluster.
std::byte* DataPath::bytes_of_tile(const Instruction& instruction, unsigned operand) const {
    const Tile& tile = instruction.tile(operand);
    const uint8_t peers = remote_cores_of(instruction, operand);
    if (peers == kOwnCore) return local(tile.space, tile.address);
    return core_.environment.local(peer_core(core_.id, peers), tile.space, tile.address);
}

// Each location is shown once because the chip counts repeated reports.
void DataPath::report(const DataFinding& finding) {
    const Instruction& instruction = *executing_;
    const InstructionInfo& row = info(instruction.opcode);
    Diagnostic d = core_.diagnostic(std::string(finding.code), Category::kUndefined,
                                    finding.message, instruction.location);
    d.hint = finding.hint;
    d.instruction = row.name;
    d.pipe = name(pipe_of(instruction, core_.arch));
    d.operand = row.operands[finding.operand].name;
    if (finding.warns)
        core_.environment.warn(std::move(d));
    else
        core_.environment.report(std::move(d));
}

}  // namespace ptosim
