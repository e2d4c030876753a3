// What the assembler asks of an operation beyond the rules of its instruction: forms and shapes
// that its lowering relies on (the verifiers of hw-native-sys/PTOAS v0.60, lib/PTO/IR/PTO.cpp).
#pragma once

#include "isa/assembly/bind/binder_part.h"
#include "isa/instruction_table.h"

namespace ptosim::assembly {

class Contracts : public BinderPart {
 public:
    using BinderPart::BinderPart;

    void verify(const Operation& op, const InstructionInfo& row, const Instruction& instruction,
                std::span<const Item* const> chosen);

 private:
    struct Contract;  // an operation's tiles by name
    void quant_mx(const Contract& contract);
    void quant_mx_rows(const Contract& contract, int64_t groups);
    void quant(const Contract& contract);
    void move(const Contract& contract);
    void transfer(const Contract& contract);
    void product_mx(const Contract& contract);
    void gather(const Contract& contract);
    void expand_scratch(const Contract& contract);
    void fill(const Contract& contract);
    void others(const Contract& contract);
};

}  // namespace ptosim::assembly
