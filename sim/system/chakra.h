// Execution traces of Chakra, which ASTRA-sim reads: a file for each rank, by mlcommons/chakra
// schema/protobuf/et_def.proto (1.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/system/links.h"
#include "sim/system/step.h"

namespace ptosim {

// A launch of a kernel.
struct ChipWork {
    std::string name;
    Cycle begin = 0, end = 0;
};

// The trace of a simulated chip. Messages become nodes that send or receive; a message follows all that have arrived
// before it, except requests to load, which the chip answers by itself. The chip's time becomes work of whole
// microseconds, named after the launch; it includes the time in which cores wait, so no replay is faster than the run.
std::string chakra_of_chip(std::span<const Links::Traffic> traffic, std::span<const ChipWork> launches, unsigned rank,
                           uint64_t clock_hz);

// The trace of a rank of a step. Groups are numbered from 1 (chakra_groups()); the group of all ranks has no number.
std::string chakra_of_step(const SystemStep& step, const StepTime& time, uint64_t rank, uint64_t ranks);
// ASTRA-sim's file of groups: the ranks of each number, as JSON.
std::string chakra_groups(const SystemStep& step, uint64_t ranks);

}  // namespace ptosim
