// Conditions that a call must meet before it is executed.
#include <algorithm>
#include <string>

#include "isa/intrinsics/intrinsic_run.h"

namespace ptosim {
namespace {

using enum IntrinsicArgumentKind;

bool refuse(Problem& problem, std::string_view code, const IntrinsicCall& call, unsigned argument,
            const std::string& what, std::string hint = {}) {
    problem = {.code = std::string(code),
               .message = std::string(info(call.opcode).name) + ": argument " +
                          std::to_string(argument) + " " + what,
               .hint = std::move(hint),
               .operand = static_cast<int>(argument)};
    return false;
}

std::string names(std::span<const DType> types) {
    std::string text;
    for (const DType type : types) text += (text.empty() ? "" : ", ") + std::string(name(type));
    return text;
}

unsigned typed_operands(const IntrinsicForm& form) {
    unsigned count = 0;
    for (unsigned i = 0; i < form.argument_count(); ++i)
        if (form.argument(i).is_address())
            count = std::max(count, form.argument(i).operand + 1);
    return std::clamp(count, 1u, IntrinsicCall::kMaxTypes);
}

bool check_types(const IntrinsicCall& call, const IntrinsicInfo& row, Problem& problem) {
    if (row.types.empty()) return true;
    const unsigned count = typed_operands(row.form);
    const auto first = [count](const std::array<DType, IntrinsicCall::kMaxTypes>& types) {
        return std::span<const DType>(types).first(count);
    };
    std::string possible;
    for (const IntrinsicTypes& types : row.types) {
        if (std::ranges::equal(first(types.of), first(call.types))) return true;
        possible += (possible.empty() ? "" : "; ") + names(first(types.of));
    }
    problem = {.code = "T03",
               .message = std::string(row.name) + " does not take " + names(first(call.types)),
               .hint = "it takes " + possible,
               .operand = 0};
    return false;
}

// Strides of rows with two sources are bytes; strides of others have 16 bits.
uint64_t most_of(const IntrinsicCall& call, const IntrinsicForm& form, IntrinsicArgument a) {
    constexpr uint64_t kByte = 255, kWord = 65535;
    const bool keeps = call.opcode == IntrinsicOpcode::kvreducev2;
    if (a.kind == kRepeat) return keeps ? kWord : kByte;
    if (keeps) return a.kind == kRepeatStride && a.operand == 1 ? kWord : kByte;
    const bool two_sources = form.signature.find("b2") != std::string_view::npos;
    return two_sources ? kByte : kWord;
}

bool check_ranges(const IntrinsicCall& call, const IntrinsicForm& form, Problem& problem) {
    for (unsigned i = 0; i < form.argument_count(); ++i) {
        const IntrinsicArgument a = form.argument(i);
        if (a.kind != kRepeat && a.kind != kBlockStride && a.kind != kRepeatStride) continue;
        const uint64_t most = most_of(call, form, a);
        if (call.arguments[i] <= most) continue;
        return refuse(problem, "S01", call, i,
                      std::string("is ") + (a.kind == kRepeat ? "a repeat" : "a stride") + " of " +
                          std::to_string(call.arguments[i]) + ", at most " + std::to_string(most) +
                          " is possible");
    }
    return true;
}

// Required alignment of an address in bytes: that of a repeat's element, or that of a block.
uint64_t alignment_of(const IntrinsicCall& call, unsigned argument, IntrinsicShape shape) {
    switch (shape) {
        case IntrinsicShape::kElement:
        case IntrinsicShape::kPair:
        case IntrinsicShape::kBlocks:
        case IntrinsicShape::kCompareMask:
            return layout_of(call, argument).block_bytes();
        default:
            // Lists of vmrgsort4 begin at any record.
            return call.opcode == IntrinsicOpcode::kvmrgsort4 && argument > 0 ? 8 : kBlockBytes;
    }
}

using Footprints = std::vector<IntrinsicFootprint>;

bool check_addresses(const IntrinsicCall& call, const IntrinsicForm& form, const Footprints& touched,
                     Problem& problem) {
    for (const IntrinsicFootprint& footprint : touched) {
        const unsigned i = footprint.argument;
        const IntrinsicArgument a = form.argument(i);
        if (!a.is_address()) continue;
        const uint64_t alignment = alignment_of(call, i, a.shape);
        if (call.arguments[i] % alignment == 0) continue;
        return refuse(problem, "A04", call, i,
                      "is the address " + std::to_string(call.arguments[i]),
                      "it must be a multiple of " + std::to_string(alignment));
    }
    return true;
}

bool check_bounds(const IntrinsicCall& call, uint64_t ub_bytes, const Footprints& touched,
                  Problem& problem) {
    for (const IntrinsicFootprint& footprint : touched) {
        if (footprint.by_data) continue;
        for (const IntrinsicRows& rows : footprint.rows) {
            const uint64_t end = rows.begin + (rows.count - 1) * rows.pitch + rows.length;
            if (rows.begin <= ub_bytes && end <= ub_bytes) continue;
            return refuse(problem, "A10", call, footprint.argument,
                          std::string(footprint.write ? "writes" : "reads") + " bytes " +
                              std::to_string(rows.begin) + " to " + std::to_string(end - 1) +
                              " of UB, which has " + std::to_string(ub_bytes));
        }
    }
    return true;
}

}  // namespace

bool check_intrinsic(const IntrinsicCall& call, uint64_t ub_bytes, Problem& problem) {
    const IntrinsicInfo& row = info(call.opcode);
    if (!check_types(call, row, problem) || !check_ranges(call, row.form, problem)) return false;
    if (row.form.check != nullptr && !row.form.check(call, problem)) return false;
    const Footprints& touched = footprints(call);
    return check_addresses(call, row.form, touched, problem) &&
           check_bounds(call, ub_bytes, touched, problem);
}

}  // namespace ptosim
