// An implementation of the kernel ABI that writes down what kernels hand over.
#pragma once

#include <string>
#include <vector>

#include "ptosim/kernel_abi.h"
#include "ptosim/scalar_access.h"

struct Recorded {
    std::string name;
    std::vector<ptosim_operand> operands;
    std::vector<ptosim_attribute> attributes;
    std::string file;
    uint32_t line = 0;
    // The value of an attribute; -1 if it is not given.
    int attribute(ptosim_attribute_key key) const;
};

// Instructions issued since the last call.
std::vector<Recorded> take_recorded();
// The core that calls seem to come from.
ptosim_identity& identity();
// Results of loads of elements and of global memory, in turn.
std::vector<uint64_t>& loads();
// Addresses of loads of global memory so far; 0 for the announcement of reads of signals.
std::vector<uint64_t>& loaded();
// Why the instruction does not fit its row of the instruction table; empty if it does.
std::string misfit(const Recorded& instruction);
