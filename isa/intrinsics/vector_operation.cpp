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

VectorFootprint footprint_of_mode(VectorMode mode) {
    using enum VectorMode;
    switch (mode) {
        case kBrcB8:
        case kBrcB16:
        case kBrcB32:
        case k1ptB8:
        case k1ptB16:
        case k1ptB32:
            return {element_bytes(mode), element_bytes(mode)};
        case kUsB8:
        case kUsB16:
        case kUnpkB8:
        case kUnpkB16:
        case kUnpkB32:
        case kPkB16:
        case kPkB32:
        case kPkB64:
            return {kVectorBytes / 2, kBlockBytes};
        case kUnpk4B8:
        case kPk4B32:
            return {kVectorBytes / 4, kBlockBytes};
        case kDsB8:
        case kDsB16:
        case kBdintlv:
        case kDintlvB8:
        case kDintlvB16:
        case kDintlvB32:
        case kIntlvB8:
        case kIntlvB16:
        case kIntlvB32:
            return {2 * kVectorBytes, kBlockBytes};
        case kBrcBlk:
            return {kBlockBytes, kBlockBytes};
        case kE2bB16:
        case kE2bB32:
            return {8 * element_bytes(mode), 8 * element_bytes(mode)};
        case kPredicate:
            return {kVectorBytes / 8, kBlockBytes};
        case kPredicateUs:
        case kPredicatePk:
            return {kVectorBytes / 16, 8};
        case kPredicateDs:
            return {kVectorBytes / 4, kBlockBytes};
        default:
            return {kVectorBytes, kBlockBytes};
    }
}

}  // namespace

unsigned element_bytes(VectorMode mode) {
    using enum VectorMode;
    switch (mode) {
        case kBrcB8:
        case kUsB8:
        case kDsB8:
        case kUnpkB8:
        case kUnpk4B8:
        case kDintlvB8:
        case kNormB8:
        case k1ptB8:
        case kIntlvB8:
            return 1;
        case kBrcB16:
        case kUsB16:
        case kDsB16:
        case kUnpkB16:
        case kE2bB16:
        case kDintlvB16:
        case kNormB16:
        case k1ptB16:
        case kPkB16:
        case kIntlvB16:
            return 2;
        default:
            return 4;
    }
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
            return footprint_of_mode(operation.mode);
        default:
            return {0, 1};
    }
}

}  // namespace ptosim
