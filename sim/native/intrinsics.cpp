#include "sim/native/intrinsics.h"

#include <algorithm>
#include <unordered_map>

#include "isa/intrinsics/intrinsic_instruction.h"
#include "isa/numeric/convert.h"
#include "sim/native/abi_records.h"

namespace ptosim {
namespace {

const IntrinsicInfo& row_of(const Running& core, const ptosim_intrinsic& from) {
    using Table = std::unordered_map<uint32_t, const IntrinsicInfo*>;
    static const auto& by_hash = *new Table([] {
        Table table;
        for (unsigned i = 0; i < kIntrinsicOpcodeCount; ++i) {
            const IntrinsicInfo& row = info(static_cast<IntrinsicOpcode>(i));
            table.emplace(ptosim_opcode(std::string(row.name).c_str()), &row);
        }
        return table;
    }());
    const auto found = by_hash.find(from.opcode);
    if (found != by_hash.end()) return *found->second;
    fail(core, "H13", Category::kUnsupported,
         std::string(from.name) + " is not an intrinsic of this simulator", from.where);
}

// Element types of the row; if the row permits several, the types of the pointers.
std::array<DType, IntrinsicCall::kMaxTypes> types_of(const Running& core, const IntrinsicInfo& row,
                                                     const ptosim_intrinsic& from) {
    if (row.types.size() == 1) return row.types[0].of;
    std::array<DType, IntrinsicCall::kMaxTypes> types{};
    for (unsigned i = 0; i < types.size(); ++i)
        types[i] = dtype_of(core, from.types[i], from.where);
    // Missing pointers repeat the last one.
    unsigned addresses = 0;
    for (unsigned i = 0; i < row.form.argument_count(); ++i)
        addresses += row.form.argument(i).is_address();
    for (unsigned i = std::max(addresses, 1u); i < types.size(); ++i) types[i] = types[i - 1];
    // Selection bits may have any integer type.
    for (unsigned i = 0; i < row.form.argument_count(); ++i)
        if (const IntrinsicArgument a = row.form.argument(i);
            a.is_address() && a.shape == IntrinsicShape::kSelector && is_integer(types[a.operand]))
            types[a.operand] = DType::kU8;
    return types;
}

// Converts a number to a parameter's type as C++ does.
uint64_t converted(const Running& core, const ptosim_intrinsic& from, DType to, uint64_t bits) {
    const DType given = dtype_of(core, from.scalar_type, from.where);
    if (given == to) return bits;
    return convert_bits(to, given, bits, is_integer(to) ? RoundMode::kTrunc : RoundMode::kRint,
                        Saturation::kOff);
}

bool is_transposition(const IntrinsicInfo& row) { return !row.form.argument(0).is_address(); }

// dst and src are numbers of two consecutive registers, with eight addresses each.
IntrinsicCall transposition(const Running& core, const IntrinsicInfo& row,
                            const ptosim_intrinsic& from) {
    std::array<uint64_t, 16> to{}, source{};
    for (unsigned i = 0; i < 16; ++i) {
        to[i] = core.registers.va[(from.arguments[0] + i / 8) % 8][i % 8];
        source[i] = core.registers.va[(from.arguments[1] + i / 8) % 8][i % 8];
    }
    // Only calls on bytes select the half of a block that they write and read.
    const auto upper = [&](unsigned i) { return i < from.argument_count && from.arguments[i] != 0; };
    return transposition_call(row.opcode, row.types.empty() ? DType::kU16 : row.types[0].of[0], to,
                              source, from.arguments[2], from.arguments[3], from.arguments[4],
                              upper(5), upper(6));
}

void check_count(const Running& core, const IntrinsicInfo& row, const ptosim_intrinsic& from) {
    unsigned most = 0;
    for (unsigned i = 0; i < row.form.argument_count(); ++i)
        most += row.form.argument(i).kind != IntrinsicArgumentKind::kRegisterValue;
    if (from.argument_count <= most || is_transposition(row)) return;
    fail(core, "H13", Category::kUnsupported,
         std::string(row.name) + " with " + std::to_string(from.argument_count) +
             " arguments: it has " + std::to_string(most),
         from.where, "build the kernel with the headers of this simulator");
}

}  // namespace

Instruction intrinsic_of(const Running& core, const ptosim_intrinsic& from) {
    const IntrinsicInfo& row = row_of(core, from);
    check_count(core, row, from);
    const auto& registers = core.registers.value;
    IntrinsicCall call;
    if (is_transposition(row)) {
        call = transposition(core, row, from);
    } else {
        call.opcode = row.opcode;
        call.types = types_of(core, row, from);
        const bool has_source = row.form.signature.find('r') != std::string_view::npos;
        unsigned next = 0;
        for (unsigned i = 0; i < row.form.argument_count(); ++i) {
            const IntrinsicArgument a = row.form.argument(i);
            if (a.kind == IntrinsicArgumentKind::kRegisterValue) {
                call.arguments[i] = registers[a.operand];
                continue;
            }
            const uint64_t given = next < from.argument_count ? from.arguments[next] : 0;
            ++next;
            call.arguments[i] = a.kind == IntrinsicArgumentKind::kScalar
                                    ? converted(core, from, call.types[has_source ? 1 : 0], given)
                                    : given;
        }
    }
    call.registers.mask = {registers[PTOSIM_REGISTER_MASK_LOW], registers[PTOSIM_REGISTER_MASK_HIGH]};
    call.registers.ctrl = registers[PTOSIM_REGISTER_CTRL];
    call.counter_mode = registers[PTOSIM_REGISTER_COUNTER] != 0;
    return intrinsic_instruction(call, locate(core, from.where));
}

}  // namespace ptosim
