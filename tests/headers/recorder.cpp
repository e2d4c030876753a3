#include "recorder.h"

#include "isa/table/instruction_table.h"

namespace {

std::vector<Recorded> recorded;

uint64_t next_load() {
    if (loads().empty()) return 0;
    const uint64_t value = loads().front();
    loads().erase(loads().begin());
    return value;
}

uint8_t kind_bit(uint8_t kind) {
    switch (kind) {
        case PTOSIM_TILE_OPERAND:
            return ptosim::kTileOperand;
        case PTOSIM_GLOBAL_OPERAND:
            return ptosim::kGlobalOperand;
        default:
            return ptosim::kScalarOperand;
    }
}

}  // namespace

int Recorded::attribute(ptosim_attribute_key key) const {
    for (const ptosim_attribute& a : attributes)
        if (a.key == key) return a.value;
    return -1;
}

std::vector<Recorded> take_recorded() {
    std::vector<Recorded> result;
    result.swap(recorded);
    return result;
}

ptosim_identity& identity() {
    static ptosim_identity value{};
    return value;
}

std::vector<uint64_t>& loads() {
    static std::vector<uint64_t> values;
    return values;
}
std::vector<uint64_t>& loaded() {
    static std::vector<uint64_t> addresses;
    return addresses;
}

std::string misfit(const Recorded& instruction) {
    const ptosim::InstructionInfo* row = ptosim::find_instruction(instruction.name);
    if (row == nullptr) return "no row " + instruction.name;
    if (row->name != instruction.name)
        return instruction.name + " is another name of " + std::string(row->name);
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
        const uint8_t kind = instruction.operands[i].kind;
        const std::string position = instruction.name + " operand " + std::to_string(i);
        if (i >= row->operands.size()) return position + " is not in the table";
        const ptosim::OperandInfo& info = row->operands[i];
        const bool may_lack = info.optional || info.role == ptosim::OperandRole::kTmp;
        if (kind == PTOSIM_NO_OPERAND ? !may_lack : (info.kinds & kind_bit(kind)) == 0)
            return position + " is of another kind than " + std::string(info.name);
    }
    for (size_t i = instruction.operands.size(); i < row->operands.size(); ++i) {
        const ptosim::OperandInfo& info = row->operands[i];
        if (!info.optional && info.role != ptosim::OperandRole::kTmp)
            return instruction.name + " lacks " + std::string(info.name);
    }
    return "";
}

void ptosim_issue(const ptosim_instruction* i) {
    recorded.push_back({i->name,
                        {i->operands, i->operands + i->operand_count},
                        {i->attributes, i->attributes + i->attribute_count},
                        i->where.file == nullptr ? "" : i->where.file,
                        i->where.line});
    if (i->opcode != ptosim_opcode(i->name)) recorded.back().name += " (another opcode)";
}
void ptosim_scalar_work(uint32_t) {}
ptosim_watch ptosim_watched{};
void ptosim_note_register(uint32_t) {}
void ptosim_read_signals(const ptosim_global*, ptosim_location) { loaded().push_back(0); }
void ptosim_await_signal(uint64_t, int32_t, uint8_t, int32_t, ptosim_location) {}
void ptosim_end_wait() {}
uint64_t ptosim_load_global(uint64_t address, uint8_t, ptosim_location) {
    loaded().push_back(address);
    return next_load();
}
void ptosim_store_global(uint64_t, uint8_t, uint64_t, ptosim_location) {}
void ptosim_store_line(uint64_t, uint8_t, uint64_t, ptosim_location) {}
uint64_t ptosim_atomic_global(uint64_t, uint8_t, uint8_t, uint64_t, ptosim_location) {
    return next_load();
}
uint64_t ptosim_load_local(const ptosim_tile* tile, int64_t offset, ptosim_location where) {
    ptosim_operand operands[2]{};
    operands[0].kind = PTOSIM_TILE_OPERAND;
    operands[0].tile = *tile;
    operands[1].kind = PTOSIM_SCALAR_OPERAND;
    operands[1].scalar.bits = static_cast<uint64_t>(offset);
    recorded.push_back({"load_local", {operands[0], operands[1]}, {}, where.file, where.line});
    return next_load();
}
void ptosim_store_local(const ptosim_tile* tile, int64_t offset, uint64_t bits,
                        ptosim_location where) {
    ptosim_operand operands[3]{};
    operands[0].kind = PTOSIM_TILE_OPERAND;
    operands[0].tile = *tile;
    operands[1].kind = operands[2].kind = PTOSIM_SCALAR_OPERAND;
    operands[1].scalar.bits = static_cast<uint64_t>(offset);
    operands[2].scalar.bits = bits;
    recorded.push_back(
        {"store_local", {operands[0], operands[1], operands[2]}, {}, where.file, where.line});
}
const ptosim_identity* ptosim_self() { return &identity(); }
void ptosim_vector_function(const ptosim_vector_operation*, uint64_t, ptosim_location) {}
void ptosim_issue_intrinsic(const ptosim_intrinsic*) {}
ptosim_registers* ptosim_core_registers() {
    static ptosim_registers registers{};
    return &registers;
}
uint64_t ptosim_result(uint32_t, ptosim_location) { return 0; }
uint64_t ptosim_system_counter() { return 0; }
void ptosim_print(const char*, uint64_t) {}
void ptosim_trap(const char* message, ptosim_location) { throw std::string(message); }
void ptosim_at(ptosim_location) {}
