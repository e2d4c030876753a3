// A chip as parameters: read from models/*.json, changed by --set, checked, and handed to the
// machine as plain numbers.
//
// Every parameter has a path ("aiv.ub.bytes"), a unit, a grade (how far to trust it) and a source.
// The list of parameters is the table in parameters.cpp and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction_table.h"

namespace ptosim {

// Numbers that are not whole are kept in thousandths, so that time stays integer.
using Milli = uint64_t;

// A move between on-chip memories: bytes / rate, plus what the pipe loses per instruction; its
// result is there `latency` after the last byte was asked for.
struct MovePath {
    Milli bytes_per_cycle = 0;
    Milli overhead = 0;  // cycles per instruction that the pipe cannot use otherwise
    Milli latency = 0;   // cycles
};

// A DMA path between global memory and an on-chip memory. An instruction holds its pipe for
// overhead + rows * max(row_least, row_cycles + bytes of a row / rate), and at least for the
// interval.
struct DmaPath {
    Milli bytes_per_cycle = 0;  // what one core can take or give, from or to L2
    Milli interval = 0;         // cycles between the starts of two instructions
    Milli overhead = 0;         // cycles of an instruction before its first byte
    Milli latency = 0;          // cycles from the last byte to its effect
    uint64_t row_bytes = 0;     // what a row costs behind L2 beside its bytes
    Milli row_cycles = 0;       // cycles per row (burst) beside its bytes
    Milli row_least = 0;        // least cycles per row, its bytes included
};

// A vector function of a5: passes of 256 bytes in one loop, or in two nested ones where rows do
// not run together. start + pass * n + (rows - 1) * max(gap + n, nested * n), n passes a row; rows
// of one pass are one loop. Where short_row is not 0: further rows of at most so many passes cost
// the gap alone, and of longer ones each costs nested * n, the first one too.
struct VectorCurve {
    Milli start = 0;
    Milli pass = 0;  // 0: the chip has no curve for this instruction
    Milli gap = 0;
    Milli nested = 0;
    uint64_t short_row = 0;
};

struct ChipModel {
    std::string name;  // "ascend910b1"
    std::string description;
    Arch arch = Arch::kA2A3;

    // Topology.
    uint64_t clock_hz = 0;
    uint64_t clusters = 0;
    uint64_t aivs_per_cluster = 0;
    std::array<uint64_t, kSpaceCount> buffer_bytes{};  // 0: the chip has no such memory
    uint64_t ub_reserved = 0;  // bytes behind those of UB that tools keep; addresses reach them

    // Scalar unit and queues.
    uint64_t queue_depth = 0;      // instructions waiting in a pipe's queue
    uint64_t flag_ids = 0;         // ids per ordered pair of pipes
    uint64_t flag_sets = 0;        // sets that a flag holds
    Milli scalar_issue = 0;        // cycles to issue an instruction
    Milli scalar_operation = 0;    // cycles per scalar operation
    Milli scalar_load = 0;         // cycles of a scalar load from global memory
    Milli block_start = 0;         // cycles from launch (or the end of a block) to the first issue
    Milli block_interval = 0;      // cycles between the starts of two blocks of a launch
    Milli launch_overhead = 0;     // cycles of a launch beside its blocks, as profilers count it
    Milli launch_cold = 0;         // and further ones of the first launch
    Milli cross_core_latency = 0;  // cycles until a cross-core flag is seen

    // Cube.
    std::array<Milli, static_cast<size_t>(DType::kCount)> cube_k{};  // depth multiplied per cycle
    std::array<uint64_t, static_cast<size_t>(DType::kCount)> cube_k0{};  // depth is rounded to this
    Milli cube_overhead = 0;  // cycles per instruction in a stream
    Milli cube_latency = 0;   // cycles beyond the products until the result can be read

    // Vector of a2a3. Cycles per repeat of 256 bytes by instruction and element width (sorts: per
    // 32 elements; gathers: per 16). Zeros stand for what all instructions have in common.
    struct VectorRate {
        Milli b16 = 1000;
        Milli b32 = 1000;
        Milli start = 0;              // cycles beyond the repeats until the result is there
        Milli conflict = 0;           // per repeat whose sources share a bank group
        Milli dependent = 0;          // between the steps of a reduction
        Milli integer_start = 0;      // start, elements of integers
        uint64_t integer_by_row = 0;  // 1: rows of integers are taken one by one, in whole repeats
        uint64_t tail_apart = 0;      // 1: a reduction takes what is left of its rows by themselves
        uint64_t steps = 1;           // vector instructions, each of which waits for the one before
        uint64_t each_repeat = 0;     // 1: all of them for a repeat before the next repeat
        Milli result = 0;   // in a vector function of several: cycles until its result can be used
        Milli special = 0;  // and for which it holds the unit of special functions
    };
    std::array<VectorRate, kOpcodeCount> vector_rate{};
    Milli vector_ports = 1000;        // instructions of a vector function issued a cycle
    Milli vector_overhead = 0;        // cycles per instruction in a stream
    Milli vector_latency = 0;         // cycles beyond the repeats until the result can be read
    Milli vector_partial = 0;         // for rows that are not whole repeats
    Milli vector_read_conflict = 0;   // per repeat whose sources share a bank group
    Milli vector_write_conflict = 0;  // per repeat that reads the bank it writes, out of step
    Milli vector_row = 0;             // cycles per row of a row reduction of one repeat
    Milli vector_row_fold = 0;        // and per further repeat of the row, folded into the first
    Milli vector_row_expand = 0;      // cycles per row of a row broadcast
    Milli vector_column_fold = 0;     // cycles per row and further repeat of a column reduction
    Milli vector_dependent = 0;       // cycles between dependent one-repeat instructions
    Milli vector_gather = 0;          // cycles per 16 elements gathered or scattered
    // Vector of a5. Which of them applies: VectorVariant in sim/model/vector_variant.h.
    static constexpr unsigned kVectorVariants = 11;
    std::array<std::array<VectorCurve, kVectorVariants>, kOpcodeCount> vector_curve{};
    VectorCurve vector_unary, vector_binary;  // instructions that have no curve of their own
    // Vector functions of several instructions; without registers the chip has none.
    struct FunctionRules {
        Milli start = 0, drain = 0;  // cycles before its first and after its last instruction
        Milli store = 0;             // cycles of the last store of a loop
        Milli delay = 0;             // cycles from taking an instruction in to its start
        Milli load = 0;              // cycles until what was loaded can be used
        Milli result = 0;    // likewise, what an instruction without a value of its own makes
        Milli to_store = 0;  // and further cycles until it can be stored
        Milli release = 0;   // cycles from the last use of a register to its next one
        uint64_t registers = 0;
        uint64_t in_flight = 1;          // instructions under way in each of the two units
        uint64_t issue = 1;              // instructions taken in a cycle
        uint64_t loads = 1, stores = 1;  // that start in a cycle
    };
    FunctionRules function;

    // Transfers.
    MovePath l1_to_l0a, l1_to_l0b, l1_to_bias, l1_to_fixpipe, l1_to_ub, l0c_to_l1, ub_to_l1;
    DmaPath gm_to_ub, gm_to_l1, gm_to_l1_nd2nz, ub_to_gm, l0c_to_gm;
    Milli l1_contention = 0;  // L1 reads take longer by this share while MTE2 writes L1

    // Memory that cores share.
    uint64_t l2_bytes = 0;                  // 0: the chip has no L2
    uint64_t l2_read = 0;                   // bytes per second that all cores together can read
    uint64_t l2_write = 0;                  // bytes per second that all cores together can write
    uint64_t hbm_rate = 0;                  // bytes per second, reads and writes together
    uint64_t outstanding = 1;               // bytes that a core can have asked for and not got
    uint64_t hbm_deferred_write_bytes = 0;  // of writes that may wait until reads leave some of HBM
    Milli hbm_latency = 0;          // cycles that a transfer takes longer if L2 does not hold it
    uint64_t hbm_window_bytes = 0;  // what a row costs for each window of 512 bytes it crosses
    Milli hbm_bypass_l2 = 0;  // what a window read in part costs that bypasses L2, in thousandths
    Milli same_window = 0;    // cycles between requests of several cores for one window

    // Each value as it was written, for `ptosim chips NAME`.
    struct Provenance {
        std::string value;  // "192 KiB"
        std::string grade;  // silicon, official, vendor simulator, derived, assumed
        std::string source;
        bool overridden = false;
    };
    std::map<std::string, Provenance> provenance;  // by path

    // Bytes of a memory that an address can reach; 0: the chip has no such memory.
    uint64_t reach(Space space) const {
        const uint64_t bytes = buffer_bytes[static_cast<size_t>(space)];
        return space == Space::kUB && bytes != 0 ? bytes + ub_reserved : bytes;
    }
    // Bytes per cycle, in thousandths, of a rate in bytes per second.
    Milli per_cycle(uint64_t bytes_per_second) const;
};

// Names of the chips in the models folder, sorted.
std::vector<std::string> chip_names();
// `name_or_file` is a chip's name or a path to a chip file; `overrides` are "path=value" words.
// Throws DiagnosticError (input) with the path in the file for anything missing, misspelt,
// negative, of the wrong unit or contradictory.
ChipModel load_chip(const std::string& name_or_file, std::span<const std::string> overrides);

// One row of the parameter table, for listings and the JSON schema.
struct ParameterInfo {
    std::string path;
    std::string unit;  // base unit: "bytes", "Hz", "cycles", "B/cycle", "cycles/repeat", "B/s", ""
    std::string description;
};
std::vector<ParameterInfo> parameter_list();

}  // namespace ptosim
