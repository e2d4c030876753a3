// Intrinsics as instructions of the machine: the call is the payload of the instruction's attributes,
// its operands are the bytes that the call touches.
#pragma once

#include "isa/core/attributes.h"
#include "isa/intrinsics/intrinsic.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

constexpr Opcode opcode_of(IntrinsicOpcode opcode) {
    return static_cast<Opcode>(kFirstIntrinsic + static_cast<unsigned>(opcode));
}

// The instruction of a call whose form's checks pass.
Instruction intrinsic_instruction(const IntrinsicCall& call, SourceLocation where);
// The call of an instruction whose opcode is an intrinsic's.
IntrinsicCall intrinsic_call(const Instruction& instruction);

// The row of an intrinsic in the instruction table.
namespace intrinsics {

// Operands of an instruction of pipe V.
inline constexpr unsigned kMostWrites = 3, kMostReads = 5;

bool is_legal(const Instruction& instruction, const InstructionInfo& row, Arch arch,
              Problem& problem);
void execute(const Execution& execution);

struct UnitRow {
    PipeRule pipe;
    TimingClass timing;
    std::span<const OperandInfo> operands;
};
constexpr OperandInfo bytes_of(std::string_view name, OperandRole role, uint8_t kinds) {
    return {name, role, kinds, true, kAnySpace, false};
}
inline constexpr std::array kVectorOperands{
    bytes_of("dst0", OperandRole::kOut, kTileOperand), bytes_of("dst1", OperandRole::kOut, kTileOperand),
    bytes_of("dst2", OperandRole::kOut, kTileOperand), bytes_of("src0", OperandRole::kIn, kTileOperand),
    bytes_of("src1", OperandRole::kIn, kTileOperand),  bytes_of("src2", OperandRole::kIn, kTileOperand),
    bytes_of("src3", OperandRole::kIn, kTileOperand),  bytes_of("src4", OperandRole::kIn, kTileOperand)};
inline constexpr std::array kTransferOperands{
    bytes_of("dst", OperandRole::kOut, kTileOperand | kGlobalOperand),
    bytes_of("src", OperandRole::kIn, kTileOperand | kGlobalOperand),
    bytes_of("parameters", OperandRole::kIn, kTileOperand)};
inline constexpr std::array kCubeOperands{bytes_of("c", OperandRole::kOut, kTileOperand),
                                          bytes_of("c_in", OperandRole::kIn, kTileOperand),
                                          bytes_of("a", OperandRole::kIn, kTileOperand),
                                          bytes_of("b", OperandRole::kIn, kTileOperand),
                                          bytes_of("bias", OperandRole::kIn, kTileOperand),
                                          bytes_of("a_scale", OperandRole::kIn, kTileOperand),
                                          bytes_of("b_scale", OperandRole::kIn, kTileOperand)};
constexpr UnitRow unit_row(IntrinsicUnit unit) {
    switch (unit) {
        case IntrinsicUnit::kVector:
            return {PipeRule::kVector, TimingClass::kIntrinsic, kVectorOperands};
        case IntrinsicUnit::kLoad:
            return {PipeRule::kLoad, TimingClass::kLoad, kTransferOperands};
        case IntrinsicUnit::kFill:
            return {PipeRule::kFill, TimingClass::kLoad, kTransferOperands};
        case IntrinsicUnit::kStore:
            return {PipeRule::kStore, TimingClass::kStore, kTransferOperands};
        case IntrinsicUnit::kMove:
            return {PipeRule::kMove, TimingClass::kLocalMove, kTransferOperands};
        case IntrinsicUnit::kCube:
            return {PipeRule::kCube, TimingClass::kCube, kCubeOperands};
    }
    return {};
}

constexpr DTypeSet all_types() {
    DTypeSet all;
    for (unsigned type = 0; type < static_cast<unsigned>(DType::kCount); ++type)
        all = all | DTypeSet{static_cast<DType>(type)};
    return all;
}

inline constexpr LegalityRule kCallRule{"intrinsic", "T03 S01 A04",
                                        "the call's types, counts, strides and alignment", &is_legal};
extern const InstructionTraits kTraits;

constexpr InstructionInfo instruction_row(IntrinsicOpcode opcode, std::string_view name,
                                          const IntrinsicForm& form, std::string_view summary) {
    const UnitRow row = unit_row(form.unit);
    // The call's own types are checked by its rule.
    std::array<DTypeSet, kArchCount> types{};
    for (unsigned arch = 0; arch < kArchCount; ++arch)
        if (form.is_on(kArchTraits[arch].vector_operands)) types[arch] = all_types();
    return {opcode_of(opcode), name,     {},         {},    row.operands,
            kNoAttributes,     row.pipe, row.timing, types, {&kCallRule},
            &execute,          summary,  &kTraits};
}

}  // namespace intrinsics

}  // namespace ptosim
