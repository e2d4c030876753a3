// What the assembler requires of gathers and scatters (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

void gather_form(const WrittenOperation& op) {
    if (op.for_a5()) return;
    const Tile *from = op.tile("src"), *indices = op.tile("indices"), *tmp = op.tile("tmp");
    op.require(from == nullptr || bits(from->dtype) >= 16, "T03",
               "gathers elements of 16 and 32 bits on a2a3");
    if (op.given("kValue")) {
        op.require(from == nullptr || from->dtype == DType::kF16 || from->dtype == DType::kF32 ||
                       (from->dtype == DType::kI32 &&
                        op.instruction.attributes.compare == CompareMode::kEq),
                   "T03", "compares f16 and f32 on a2a3, and i32 with eq");
        return;
    }
    if (indices == nullptr) return;
    op.require(tmp != nullptr, "S16", "by indices needs a scratch tile on a2a3");
    op.require(indices->dtype == DType::kI32 || indices->dtype == DType::kU32, "T08",
               "takes indices of i32 on a2a3, not " + std::string(name(indices->dtype)));
    op.require(
        !op.is_static("indices") || !op.is_static("tmp") ||
            (tmp->valid_rows == indices->valid_rows && tmp->valid_cols == indices->valid_cols),
        "S16", "needs a scratch tile with the valid region of the indices");
}

void scatter_form(const WrittenOperation& op) {
    op.require(!op.given("indexes") || !op.has_attribute("maskPattern"), "T00",
               "has indices or a maskPattern, one of them");
}

void memory_gather_form(const WrittenOperation& op) {
    op.require(op.has_attribute("coalesce"), "K09", "needs the attribute 'coalesce'");
}

void memory_scatter_form(const WrittenOperation& op) {
    const bool others = op.has_attribute("scatterAtomicOp") || op.has_attribute("scatterOob") ||
                        op.has_attribute("scatterConflict");
    op.require(op.has_attribute("coalesce") || !others, "K09",
               "needs 'coalesce' beside its other attributes");
}

void histogram_form(const WrittenOperation& op) {
    op.require(!op.has_attribute("byte") || !op.has_attribute("isMSB"), "K09",
               "has 'byte' or the older 'isMSB', not both");
}

}  // namespace ptosim::rows
