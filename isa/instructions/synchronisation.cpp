// Flags, barriers and signals: the machine itself implements them.
#include "isa/instructions/row.h"

namespace ptosim::rules {

namespace {

bool check_intra_block(const Instruction&, const InstructionInfo& row, Arch arch,
                       Problem& problem) {
    if (traits_of(arch).flags_between_cores) return true;
    return fail(problem, "P01", -1,
                std::string(row.name) + " does not exist on " + std::string(name(arch)),
                "use cross-core flags of mode 2 (CROSS_SET, CROSS_WAIT)");
}

constexpr LegalityRule intra_block{
    "intra_block", "P01", "signals from core to core of a cluster exist on a5", &check_intra_block};

bool check_buffer_tokens(const Instruction&, const InstructionInfo& row, Arch arch,
                         Problem& problem) {
    if (traits_of(arch).buffer_tokens) return true;
    return fail(problem, "P01", -1,
                std::string(row.name) + " does not exist on " + std::string(name(arch)),
                "use flags (SET_FLAG, WAIT_FLAG)");
}

constexpr LegalityRule buffer_tokens{"buffer_tokens", "P01", "buffer ids exist on a5",
                                     &check_buffer_tokens};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {
#include "isa/instructions/synchronisation.def"
}  // namespace ptosim::rows
