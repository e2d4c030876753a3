#include "sim/native/intrinsics.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <unordered_map>

#include "isa/intrinsics/intrinsic_instruction.h"
#include "isa/intrinsics/register_use.h"
#include "isa/numeric/convert.h"
#include "sim/native/abi_records.h"
#include "sim/native/image_data.h"
#include "sim/native/kernel_registers.h"

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

namespace {

void use_left_registers(Running& core, const IntrinsicInfo& row, const IntrinsicCall& call, SourceLocation where) {
    const auto use = [&](unsigned number) { use_register(core, number, row.name, where); };
    for (unsigned i = 0; i < row.form.argument_count(); ++i)
        if (const IntrinsicArgument a = row.form.argument(i); a.kind == IntrinsicArgumentKind::kRegisterValue && uses_register(call, a.operand))
            use(a.operand);
    if (row.form.unit == IntrinsicUnit::kCube || row.name.starts_with("vconv")) use(PTOSIM_REGISTER_CTRL);
    if (row.form.unit != IntrinsicUnit::kVector || row.form.masking == IntrinsicMasking::kUnmasked) return;
    use(PTOSIM_REGISTER_COUNTER);
    if (row.form.masking == IntrinsicMasking::kWhole) return;
    use(PTOSIM_REGISTER_MASK_LOW);
    use(PTOSIM_REGISTER_MASK_HIGH);
}

// The bytes that the first address operand of a call covers.
std::pair<uint64_t, uint64_t> written_by(const IntrinsicCall& call) {
    std::pair<uint64_t, uint64_t> range{UINT64_MAX, 0};
    for (const IntrinsicFootprint& footprint : footprints(call)) {
        if (!footprint.write || footprint.by_data) continue;
        for (const IntrinsicRows& rows : footprint.rows) {
            range.first = std::min(range.first, rows.begin);
            range.second = std::max(range.second, rows.begin + (rows.count - 1) * rows.pitch + rows.length);
        }
    }
    return range;
}

// Reports a call whose lanes are masked by a mask that an earlier line has set.
void note_mask(Running& core, const IntrinsicInfo& row, const IntrinsicCall& call, SourceLocation where) {
    const bool masked = row.form.unit == IntrinsicUnit::kVector && row.form.masking == IntrinsicMasking::kMasked;
    if (!masked || call.counter_mode) return;
    const CoreRegisters* const registers = core.port.registers();
    if (registers == nullptr || !registers->is_written[PTOSIM_REGISTER_MASK_LOW]) return;
    const SourceLocation set = registers->written[PTOSIM_REGISTER_MASK_LOW];
    if (set == where || set.line == 0) return;
    const unsigned lanes = lanes_of(call);
    const auto active = [&](uint64_t mask, unsigned from) {
        const unsigned count = lanes > from ? std::min(lanes - from, 64U) : 0;
        return static_cast<unsigned>(std::popcount(count == 64 ? mask : mask & ((uint64_t{1} << count) - 1)));
    };
    const unsigned chosen = active(call.registers.mask[0], 0) + active(call.registers.mask[1], 64);
    if (chosen >= lanes) return;
    IntrinsicCall whole = call;
    whole.registers.mask = {~uint64_t{0}, ~uint64_t{0}};
    const auto [begin, end] = written_by(whole);
    if (begin < end) core.port.note_masked_write({begin, end, chosen, set, where, row.name});
}

}  // namespace

Instruction intrinsic_of(Running& core, const ptosim_intrinsic& from) {
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
                                : a.kind == IntrinsicArgumentKind::kRead
                                    ? global_address(core, given)
                                    : given;
        }
    }
    call.registers.mask = {registers[PTOSIM_REGISTER_MASK_LOW], registers[PTOSIM_REGISTER_MASK_HIGH]};
    call.registers.ctrl = registers[PTOSIM_REGISTER_CTRL];
    call.counter_mode = registers[PTOSIM_REGISTER_COUNTER] != 0;
    if (is_gather(call.opcode)) call.arguments[kGatherEnd] = core.bounds.end_at(Space::kUB, call.arguments[kGatherBase]);
    const SourceLocation where = locate(core, from.where);
    if (core.left_registers != 0) use_left_registers(core, row, call, where);
    if (core.watch.registers != 0) note_mask(core, row, call, where);
    return intrinsic_instruction(call, where);
}

}  // namespace ptosim
