#include "isa/assembly/program/block_use.h"

#include <algorithm>

namespace ptosim::assembly {

bool asks_for_block(const Program& program) {
    const auto of_block = [](IdentityField field) {
        return field == IdentityField::kBlock || field == IdentityField::kBlocks;
    };
    return std::any_of(program.steps.begin(), program.steps.end(),
                       [&](const Step& step) {
                           return step.code == StepCode::kIdentity &&
                                  of_block(static_cast<IdentityField>(step.index));
                       }) ||
           std::any_of(program.implicit_arguments.begin(), program.implicit_arguments.end(),
                       [&](const auto& argument) { return of_block(argument.second); });
}

}  // namespace ptosim::assembly
