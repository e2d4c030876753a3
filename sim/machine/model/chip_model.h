// Parameters of a chip: read from models/*.json, changed by --set, checked, and passed to the machine as plain numbers.
//
// Every parameter has a path ("aiv.ub.bytes"), a unit, a grade (how well it is founded) and a source. parameters.def is
// the only list of parameters.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/table/instruction_table.h"
#include "sim/machine/model/chip_parameter.h"
#include "sim/machine/observe/time_grades.h"

namespace ptosim {

// Fractional numbers are stored in thousandths, so that time stays integer.
using Milli = uint64_t;

// Converts a rate in bytes per second (at most 1e15) to thousandths of bytes per cycle.
constexpr Milli per_cycle(uint64_t bytes_per_second, uint64_t clock) {
    return bytes_per_second * 1000 / clock;
}

// The groups of parameters of parameters.def.
namespace parameter_groups {
#define GROUP(TYPE) struct TYPE {
#define END_GROUP(TYPE) \
    }                   \
    ;
#define MEMBER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT) \
    ChipParameter NAME{parameter_unit::UNIT, DEFAULT};
#define PARAMETER(GROUP, ...) MEMBER(__VA_ARGS__)
#define CHIP_PARAMETER(...) MEMBER(__VA_ARGS__)
#define MOVE_PARAMETER(...) MEMBER(__VA_ARGS__)
#define DMA_PARAMETER(...) MEMBER(__VA_ARGS__)
#define CURVE_PARAMETER(...) MEMBER(__VA_ARGS__)
#define RATE_PARAMETER(CLASSES, ...) MEMBER(__VA_ARGS__)
#define COST_PARAMETER(OF, ...) MEMBER(__VA_ARGS__)
#define CUBE_PARAMETER(NAME, ...) \
    std::array<ChipParameter, static_cast<size_t>(DType::kCount)> NAME{};
#include "sim/machine/model/parameters.def"
#undef MEMBER
}  // namespace parameter_groups
using parameter_groups::PartCost;
using parameter_groups::DmaPath;
using parameter_groups::MovePath;
using parameter_groups::VectorCurve;
using parameter_groups::VectorFunctions;
using parameter_groups::VectorIntrinsics;
using parameter_groups::VectorRate;

struct AicParameters {
    parameter_groups::L1 l1;
    parameter_groups::Cube cube;  // k_per_cycle and k_granule by DType
    MovePath l1_to_l0a, l1_to_l0b, l1_to_bias, l1_to_fixpipe, l1_to_ub, l0c_to_l1;
    DmaPath gm_to_l1, gm_to_l1_nd2nz, l0c_to_gm;
};

struct VectorParameters : parameter_groups::VectorCommon {
    static constexpr unsigned kVariants = 11;  // VectorVariant in sim/machine/model/vector_variant.h
    VectorFunctions function;
    VectorIntrinsics intrinsic;
    std::array<VectorRate, kOpcodeCount> rate{};  // by Opcode
    struct Curves {
        std::array<std::array<VectorCurve, kVariants>, kOpcodeCount> of{};  // by Opcode, variant
        VectorCurve unary, binary;  // of instructions without a separate curve
    };
    Curves curve;
};

struct AivParameters {
    parameter_groups::UnifiedBuffer ub;
    parameter_groups::Threads threads;
    VectorParameters vector;
    MovePath ub_to_l1;
    DmaPath gm_to_ub, ub_to_gm;
};

// L2 and the memory after it, which cores share. A chip has one domain, on its only die.
struct MemoryDomain : parameter_groups::Requests {
    parameter_groups::L2 l2;
    parameter_groups::Hbm hbm;
};
struct MemoryParameters : parameter_groups::Allocations, MemoryDomain {};

// Area and energy of the parts of a chip; no time rests on them.
struct CostParameters : parameter_groups::WholeCost {
    PartCost sram, l2, hbm, mac, lane, core;
};

// A member's name is its path in chip files: memory.hbm.rate.
struct ChipModel : parameter_groups::WholeChip {
    std::string name;  // "ascend910b1"
    std::string description;
    Arch arch = Arch::kA2A3;

    std::array<ChipParameter, kSpaceCount> buffer_bytes{};  // 0: the chip lacks this memory
    parameter_groups::Cluster cluster;
    parameter_groups::Queue queue;
    parameter_groups::Flags flags;
    parameter_groups::Scalar scalar;
    parameter_groups::Launches launch;
    parameter_groups::Signals sync;
    parameter_groups::Aicpu aicpu;
    AicParameters aic;
    AivParameters aiv;
    MemoryParameters memory;
    CostParameters cost;

    // Error of times that depend on figures of a grade, in tenths of per cent: the bound for four of five times. 0:
    // unknown.
    std::array<ChipParameter, kTimeGradeCount> error{};

    // A figure as its file states it, for `ptosim chips NAME`.
    struct Provenance {
        std::string_view value;  // "192 KiB"; empty: the chip's files do not have it
        std::string_view source;
        TimeGrade grade = TimeGrade::kAssumed;
        uint8_t file = 0;  // index in `files`
        bool overridden = false;
    };
    std::vector<Provenance> provenance;  // by row of the parameter table
    std::vector<std::string> files;      // for messages: the chip's own file, then the ones that it extends
    std::shared_ptr<std::deque<std::string>> texts;  // storage of values and sources that are not part of the program
    // Null if the chip's files do not have the figure.
    const Provenance* stated(const ChipParameter& parameter) const;
    const Provenance* stated(std::string_view path) const;

    // Bytes of a memory that addresses can reach; 0: the chip lacks this memory.
    uint64_t reach(Space space) const {
        const uint64_t bytes = buffer_bytes[static_cast<size_t>(space)];
        return space == Space::kUB && bytes != 0 ? bytes + aiv.ub.reserved : bytes;
    }
    // The chip of a result in words: "ascend910b1 with memory.hbm.rate=3.2 TB/s".
    std::string name_with_overrides() const;
    Milli per_cycle(uint64_t bytes_per_second) const {
        return ptosim::per_cycle(bytes_per_second, clock);
    }
};

// Names of the chips in the models folder, sorted.
std::vector<std::string> chip_names();
// `name_or_file` is a chip's name or a path to a chip file; `overrides` are "path=value" words. Throws DiagnosticError
// (input), with the path in the file, for parameters that are missing, misspelt, negative, contradictory or in the
// wrong unit.
ChipModel load_chip(const std::string& name_or_file, std::span<const std::string> overrides);

// One row of the parameter table, for listings and the JSON schema.
struct ParameterInfo {
    std::string path;
    std::string unit;  // base unit: "bytes", "Hz", "cycles", "B/cycle", "cycles/repeat", "B/s", ""
    std::string description;
};
std::vector<ParameterInfo> parameter_list();

}  // namespace ptosim
