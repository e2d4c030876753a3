#include "isa/intrinsics/vector_operation.h"

#include <string>
#include <unordered_map>

#include "isa/intrinsics/vector_row.h"

namespace ptosim {
namespace {

constexpr std::array<const VectorOperationInfo*, kVectorOpcodeCount> kRows{
#define PTO_VECTOR_OPCODE(NAME) &vector_rows::NAME,
#include "isa/vector_opcodes.def"
#undef PTO_VECTOR_OPCODE
};

VectorValue value_of(char letter) {
    return letter == 'r' ? VectorValue::kRegister : VectorValue::kPredicate;
}

// The user of a mode among operations that access UB by a mode; 0: others.
constexpr uint8_t user(VectorOpcode opcode) {
    using enum VectorOpcode;
    constexpr std::array kUsers{kVLDS, kVLDSX2, kVLDUS, kVSTS, kVSTSX2, kPLDS, kPSTS};
    for (size_t i = 0; i < kUsers.size(); ++i)
        if (kUsers[i] == opcode) return static_cast<uint8_t>(1u << i);
    return 0;
}

// A row of include/ptosim/vector_modes.def; a number that no row has is like NORM.
struct ModeRow {
    uint8_t users = 0;
    unsigned element = 4;
    VectorFootprint footprint{kVectorBytes, kBlockBytes};
};
using ModeRows = std::array<ModeRow, 256>;

constexpr ModeRows kModeRows = [] {
    ModeRows rows{};
    const auto row = [&rows](VectorMode mode) -> ModeRow& {
        return rows[static_cast<size_t>(mode)];
    };
#define PTO_VECTOR_USER(NAME, OPERATION) \
    row(VectorMode::k##NAME).users |= user(VectorOpcode::k##OPERATION);
#define PTO_VECTOR_BYTES(NAME, ELEMENT, BYTES, ALIGNMENT) \
    row(VectorMode::k##NAME).element = ELEMENT;           \
    row(VectorMode::k##NAME).footprint = {BYTES, ALIGNMENT};
#include "include/ptosim/vector_modes.def"
    return rows;
}();

const ModeRow& row_of(VectorMode mode) { return kModeRows[static_cast<size_t>(mode)]; }

}  // namespace

unsigned element_bytes(VectorMode mode) { return row_of(mode).element; }

bool has_mode(VectorOpcode opcode, VectorMode mode) {
    return user(opcode) == 0 || (row_of(mode).users & user(opcode)) != 0;
}

std::optional<VectorMode> find_vector_mode(std::string_view word, VectorOpcode opcode) {
    using enum VectorMode;
    if (opcode == VectorOpcode::kPLDS || opcode == VectorOpcode::kPSTS) {
        if (word == "NORM") return kPredicate;
        if (word == "US") return kPredicateUs;
        if (word == "DS") return kPredicateDs;
        if (word == "PK") return kPredicatePk;
        if (word == "PK4") return kPredicatePk4;
    }
#define PTO_VECTOR_WORD(NAME, WORD) \
    if (word == WORD) return k##NAME;
#include "include/ptosim/vector_modes.def"
    return std::nullopt;
}

unsigned VectorOperationInfo::sources() const {
    return static_cast<unsigned>(signature.size() - signature.find('=') - 1 - (masked() ? 1 : 0));
}
VectorValue VectorOperationInfo::result(unsigned i) const {
    return i < results() ? value_of(signature[i]) : VectorValue::kNone;
}
VectorValue VectorOperationInfo::source(unsigned i) const {
    return i < sources() ? value_of(signature[results() + 1 + i]) : VectorValue::kNone;
}

const VectorOperationInfo& info(VectorOpcode opcode) { return *kRows[static_cast<size_t>(opcode)]; }

const VectorOperationInfo* find_vector_operation(std::string_view name) {
    using Table = std::unordered_map<std::string_view, const VectorOperationInfo*>;
    static const auto& by_name = *new Table([] {
        Table table;
        for (const VectorOperationInfo* row : kRows) table.emplace(row->name, row);
        return table;
    }());
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

VectorFootprint footprint_of(const VectorOperation& operation) {
    using enum VectorOpcode;
    const auto width = static_cast<uint32_t>(bytes(operation.type, 1));
    switch (operation.opcode) {
        case kVLDUS:
            return {kVectorBytes, 1};
        case kVSTUS:
            return {static_cast<uint32_t>(operation.scalar), 1};
        case kVSTUR:
            return {kVectorBytes, 1};
        case kVSLDB:
        case kVSSTB:
            return {kBlockBytes, kBlockBytes};  // of each block
        case kVGATHER2:
        case kVSCATTER:
            return {kVectorBytes, width};
        case kVGATHERB:
            return {kVectorBytes, kBlockBytes};
        case kVLDS:
        case kVLDSX2:
        case kVSTS:
        case kVSTSX2:
        case kPLDS:
        case kPSTS:
            return row_of(operation.mode).footprint;
        default:
            return {0, 1};
    }
}

}  // namespace ptosim
