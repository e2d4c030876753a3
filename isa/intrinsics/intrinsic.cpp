#include "isa/intrinsics/intrinsic.h"

#include <algorithm>
#include <unordered_map>

#include "isa/intrinsics/intrinsic_row.h"

namespace ptosim {
namespace {

constexpr std::array<const IntrinsicInfo*, kIntrinsicOpcodeCount> kIntrinsicRows{
#define PTO_INTRINSIC_OPCODE(NAME) &intrinsic_rows::NAME,
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE
};

IntrinsicArgumentKind kind_of(char letter) {
    using enum IntrinsicArgumentKind;
    switch (letter) {
        case 'w':
            return kWritten;
        case 'r':
            return kRead;
        case 'u':
            return kUpdated;
        case 'x':
            return kScalar;
        case 'n':
            return kRepeat;
        case 'b':
            return kBlockStride;
        case 's':
            return kRepeatStride;
        case 'R':
            return kRegisterValue;
        default:
            return kInteger;
    }
}

unsigned register_number(std::string_view code) {
#define CORE_REGISTER(NAME, NUMBER, CODE, INITIAL, MODE, TEXT) \
    if (code == CODE) return NUMBER;
#include "include/ptosim/core_registers.def"
    return 0;
}

IntrinsicShape shape_of(char letter) {
    constexpr std::string_view kLetters = "lLUepghmcRESqv";  // in the order of IntrinsicShape
    const size_t at = kLetters.find(letter);
    return at == kLetters.npos ? IntrinsicShape::kOther : static_cast<IntrinsicShape>(at);
}

}  // namespace

IntrinsicArgument IntrinsicForm::argument(unsigned i) const {
    const std::string_view text = signature.substr(3 * i, 3);
    if (text[0] == 'R')
        return {IntrinsicArgumentKind::kRegisterValue, register_number(text.substr(1)), {}};
    return {kind_of(text[0]), text[1] == '-' ? 0u : static_cast<unsigned>(text[1] - '0'),
            shape_of(text[2])};
}

uint64_t IntrinsicForm::value(const IntrinsicCall& call, IntrinsicArgumentKind kind,
                              unsigned operand, uint64_t otherwise) const {
    for (unsigned i = 0; i < argument_count(); ++i) {
        const IntrinsicArgument a = argument(i);
        if (a.kind == kind && a.operand == operand) return call.arguments[i];
    }
    return otherwise;
}

const IntrinsicInfo& info(IntrinsicOpcode opcode) {
    return *kIntrinsicRows[static_cast<size_t>(opcode)];
}

const IntrinsicInfo* find_intrinsic(std::string_view name) {
    using Table = std::unordered_map<std::string_view, const IntrinsicInfo*>;
    static const auto& by_name = *new Table([] {
        Table table;
        for (const IntrinsicInfo* row : kIntrinsicRows) table.emplace(row->name, row);
        return table;
    }());
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

unsigned lanes_of(const IntrinsicCall& call) {
    const IntrinsicForm& form = info(call.opcode).form;
    unsigned widest = 0;
    for (unsigned i = 0; i < form.argument_count(); ++i) {
        const IntrinsicArgument a = form.argument(i);
        if (!a.is_address()) continue;
        if (a.shape <= IntrinsicShape::kUpperHalves)
            widest = std::max(widest, bits(call.types[a.operand]));
        else if (a.shape == IntrinsicShape::kRecords)
            return 32;
        else if (a.shape == IntrinsicShape::kSpread)
            return 8;
    }
    return 8 * kVectorBytes / (widest != 0 ? widest : std::max(bits(call.types[0]), 16u));
}

IntrinsicRepeats repeats_of(const IntrinsicCall& call) {
    const IntrinsicForm& form = info(call.opcode).form;
    const unsigned lanes = lanes_of(call);
    const auto count =
        static_cast<uint32_t>(form.value(call, IntrinsicArgumentKind::kRepeat, 0, 1));
    const std::array<uint64_t, 2>& mask = call.registers.mask;
    if (form.masking == IntrinsicMasking::kUnmasked || !call.counter_mode) {
        if (form.masking != IntrinsicMasking::kMasked &&
            form.masking != IntrinsicMasking::kMaskedRepeats)
            return {count, 0, first_lanes(lanes)};
        const LaneMask all = first_lanes(lanes);
        return {count, 0, {mask[0] & all[0], mask[1] & all[1]}};
    }
    // Without an argument that counts repeats there is one at most.
    const bool once = form.signature.find('n') == std::string_view::npos;
    const uint64_t elements = once ? std::min<uint64_t>(mask[0], lanes) : mask[0];
    auto whole = static_cast<uint32_t>(elements / lanes);
    auto tail = static_cast<uint32_t>(elements % lanes);
    if (form.masking == IntrinsicMasking::kWhole && tail != 0) {
        ++whole;
        tail = 0;
    }
    return {whole, tail, first_lanes(lanes)};
}

std::vector<IntrinsicCall> parts_of(const IntrinsicCall& call) {
    const IntrinsicForm& form = info(call.opcode).form;
    if (form.masking != IntrinsicMasking::kMaskedRepeats || !call.counter_mode) return {};
    const unsigned lanes = lanes_of(call);
    std::vector<IntrinsicCall> parts;
    for (uint64_t first = 0; first < call.registers.mask[0]; first += lanes) {
        IntrinsicCall& part = parts.emplace_back(call);
        part.counter_mode = false;
        part.registers.mask = first_lanes(
            static_cast<unsigned>(std::min<uint64_t>(lanes, call.registers.mask[0] - first)));
        for (unsigned i = 0; i < form.argument_count(); ++i) {
            const IntrinsicArgument a = form.argument(i);
            if (!a.is_address()) continue;
            const uint64_t stride =
                form.value(call, IntrinsicArgumentKind::kBlockStride, a.operand, 1);
            part.arguments[i] += first / lanes * (kVectorBytes / kBlockBytes) * stride * kBlockBytes;
        }
    }
    return parts;
}

uint64_t compute(const IntrinsicCall& call, IntrinsicState& state, std::byte* ub,
                 uint64_t ub_bytes, Numerics numerics) {
    if (const std::vector<IntrinsicCall> parts = parts_of(call); !parts.empty()) {
        uint64_t outside = 0;
        for (const IntrinsicCall& part : parts)
            outside += compute(part, state, ub, ub_bytes, numerics);
        return outside;
    }
    IntrinsicRun run(call, state, ub, ub_bytes, numerics);
    run.row.compute.on_vectors(run);
    return run.outside;
}

}  // namespace ptosim
