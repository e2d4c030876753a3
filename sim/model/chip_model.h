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

#include "isa/table/instruction_table.h"
#include "sim/model/chip_parameter.h"
#include "sim/observe/time_grades.h"

namespace ptosim {

// Numbers that are not whole are kept in thousandths, so that time stays integer.
using Milli = uint64_t;

// A move between on-chip memories: bytes / rate, plus what the pipe loses per instruction; its
// result is there `latency` after the last byte was asked for.
struct MovePath {
    ChipParameter bytes_per_cycle;
    ChipParameter overhead;  // cycles per instruction that the pipe cannot use otherwise
    ChipParameter latency;   // cycles
};

// A DMA path between global memory and an on-chip memory. An instruction holds its pipe for
// overhead + rows * max(row_least, row_cycles + bytes of a row / rate, bytes of a row / most), and
// at least for the interval.
struct DmaPath {
    ChipParameter bytes_per_cycle;  // what one core can take or give, from or to L2
    ChipParameter interval;         // cycles between the starts of two instructions
    ChipParameter overhead;         // cycles of an instruction before its first byte
    ChipParameter latency;          // cycles from the last byte to its effect
    ChipParameter row_bytes;        // what a row costs behind L2 beside its bytes
    ChipParameter row_cycles;       // cycles per row (burst) beside its bytes
    ChipParameter row_least;        // least cycles per row, its bytes included
    ChipParameter most;             // bytes per cycle, whatever the rows; 0: no such bound
};

// A vector function of a5: passes of 256 bytes in one loop, or in two nested ones where rows do
// not run together. start + pass * n + (rows - 1) * max(gap + n, nested * n), n passes a row; rows
// of one pass are one loop. Where short_row is not 0: further rows of at most so many passes cost
// the gap alone, and of longer ones each costs nested * n, the first one too.
struct VectorCurve {
    ChipParameter start;
    ChipParameter pass;  // 0: the chip has no curve for this instruction
    ChipParameter gap;
    ChipParameter nested;
    ChipParameter short_row;
};

struct ChipModel {
    std::string name;  // "ascend910b1"
    std::string description;
    Arch arch = Arch::kA2A3;

    // Topology.
    ChipParameter clock_hz;
    ChipParameter system_counter_hz;  // of the counter that kernels read
    ChipParameter clusters;
    ChipParameter aivs_per_cluster;
    std::array<ChipParameter, kSpaceCount> buffer_bytes{};  // 0: the chip has no such memory
    ChipParameter ub_reserved;  // bytes after those of UB that tools keep; addresses reach them

    // Scalar unit and queues.
    ChipParameter queue_depth;       // instructions waiting in a pipe's queue
    ChipParameter flag_ids;          // ids per ordered pair of pipes
    ChipParameter flag_sets;         // sets that a flag holds
    ChipParameter scalar_issue;      // cycles to issue an instruction
    ChipParameter scalar_operation;  // cycles per scalar operation
    ChipParameter scalar_load;       // cycles of a scalar load from global memory
    ChipParameter block_start;      // cycles from launch (or the end of a block) to the first issue
    ChipParameter block_interval;   // cycles between the starts of two blocks of a launch
    ChipParameter launch_overhead;  // cycles of a launch beside its blocks, as profilers count it
    ChipParameter launch_cold;      // and further ones of the first launch
    ChipParameter launch_between;   // cycles from the end of a launch to the begin of the next one
    ChipParameter cross_core_latency;  // cycles until a cross-core flag is seen

    // The AICPU, whose processors run orchestration and schedulers, in cycles of the core clock.
    struct Aicpu {
        ChipParameter block;           // a basic block of compiled code
        ChipParameter loop_block;      // one that has just been executed: the whole body of a loop
        ChipParameter register_load;   // a load from a core's register
        ChipParameter register_store;  // a store to one
        ChipParameter register_delay;  // from the store until the core that waits has seen it
        ChipParameter spin;            // a round of a loop that waits, beside what it executes
        ChipParameter cache_line;      // cleaning or invalidating a line of the processor's cache
        ChipParameter core_register;   // an access of a register of its own by a core
        ChipParameter core_cache;      // a core's dcci of a line or of all
    };
    Aicpu aicpu;

    // Cube.
    std::array<ChipParameter, static_cast<size_t>(DType::kCount)>
        cube_k{};  // depth multiplied per cycle
    std::array<ChipParameter, static_cast<size_t>(DType::kCount)>
        cube_k0{};                // depth is rounded to this
    ChipParameter cube_overhead;  // cycles per instruction in a stream
    ChipParameter cube_latency;   // cycles beyond the products until the result can be read

    // Vector of a2a3. Cycles per repeat of 256 bytes by instruction and element width (sorts: per
    // 32 elements; gathers: per 16). Zeros stand for what all instructions have in common.
    struct VectorRate {
        ChipParameter b16{1000};
        ChipParameter b32{1000};
        ChipParameter start;           // cycles beyond the repeats until the result is there
        ChipParameter conflict;        // per repeat whose sources share a bank group
        ChipParameter dependent;       // between the steps of a reduction
        ChipParameter integer_start;   // start, elements of integers
        ChipParameter integer_by_row;  // 1: rows of integers are taken one by one, in whole repeats
        ChipParameter tail_apart;   // 1: a reduction takes what is left of its rows by themselves
        ChipParameter steps{1};     // vector instructions, each of which waits for the one before
        ChipParameter each_repeat;  // 1: all of them for a repeat before the next repeat
        ChipParameter by_pattern;   // of a gather: per repeat of a source chosen from by a pattern
        ChipParameter row;          // cycles for a row beside its repeats or elements
        ChipParameter
            result;  // in a vector function of several: cycles until its result can be used
        ChipParameter special;  // and for which it holds the unit of special functions
    };
    std::array<VectorRate, kOpcodeCount> vector_rate{};
    ChipParameter vector_ports{1000};     // instructions of a vector function issued a cycle
    ChipParameter vector_overhead;        // cycles per instruction in a stream
    ChipParameter vector_latency;         // cycles beyond the repeats until the result can be read
    ChipParameter vector_partial;         // for rows that are not whole repeats
    ChipParameter vector_read_conflict;   // per repeat whose sources share a bank group
    ChipParameter vector_write_conflict;  // per repeat that reads the bank it writes, out of step
    ChipParameter vector_row;             // cycles per row of a row reduction of one repeat
    ChipParameter vector_row_fold;     // and per further repeat of the row, folded into the first
    ChipParameter vector_row_expand;   // cycles per row of a row broadcast
    ChipParameter vector_column_fold;  // cycles per row and further repeat of a column reduction
    ChipParameter vector_dependent;    // cycles between dependent one-repeat instructions
    ChipParameter vector_gather;       // cycles per 16 elements gathered or scattered
    // Vector of a5. Which of them applies: VectorVariant in sim/model/vector_variant.h.
    static constexpr unsigned kVectorVariants = 11;
    std::array<std::array<VectorCurve, kVectorVariants>, kOpcodeCount> vector_curve{};
    VectorCurve vector_unary, vector_binary;  // instructions that have no curve of their own
    // Vector functions of several instructions; without registers the chip has none.
    struct FunctionRules {
        ChipParameter start, drain;  // cycles before its first and after its last instruction
        ChipParameter store;         // cycles of the last store of a loop
        ChipParameter delay;         // cycles from taking an instruction in to its start
        ChipParameter load;          // cycles until what was loaded can be used
        ChipParameter result;    // likewise, what an instruction without a value of its own makes
        ChipParameter to_store;  // and further cycles until it can be stored
        ChipParameter release;   // cycles from the last use of a register to its next one
        ChipParameter registers;
        ChipParameter in_flight{1};         // instructions under way in each of the two units
        ChipParameter issue{1};             // instructions taken in a cycle
        ChipParameter loads{1}, stores{1};  // that start in a cycle
    };
    FunctionRules function;

    // Transfers.
    MovePath l1_to_l0a, l1_to_l0b, l1_to_bias, l1_to_fixpipe, l1_to_ub, l0c_to_l1, ub_to_l1;
    DmaPath gm_to_ub, gm_to_l1, gm_to_l1_nd2nz, ub_to_gm, l0c_to_gm;
    ChipParameter l1_contention;  // L1 reads take longer by this share while MTE2 writes L1

    // Memory that cores share.
    ChipParameter memory_page;  // bytes; 0: memory ends where allocations do
    ChipParameter l2_bytes;     // 0: the chip has no L2
    ChipParameter l2_read;      // bytes per second that all cores together can read
    ChipParameter l2_write;     // bytes per second that all cores together can write
    ChipParameter l2_both;      // and both ways together; 0: as many as the two
    // How many times its bytes of l2_read a read takes whose rows are far apart, in thousandths.
    ChipParameter l2_far_rows{1000};
    ChipParameter hbm_rate;        // bytes per second, reads and writes together: what was reached
    ChipParameter hbm_nominal;     // and what is published of the memory; nothing rests on it
    ChipParameter outstanding{1};  // bytes that a core can have asked for and not got
    // Bytes of writes that may wait until reads leave some of HBM.
    ChipParameter hbm_deferred_write_bytes;
    ChipParameter hbm_latency;       // cycles that a transfer takes longer if L2 does not hold it
    ChipParameter hbm_window_bytes;  // what a row costs for each window of 512 bytes it crosses
    // What a window read in part costs that bypasses L2, in thousandths.
    ChipParameter hbm_bypass_l2;
    ChipParameter same_window;  // cycles between requests of several cores for one window

    // How far off times are that rest on figures of a grade, in tenths of per cent: four of five
    // are no further. 0: not known.
    std::array<ChipParameter, kTimeGradeCount> error{};

    // Each value as it was written, for `ptosim chips NAME`.
    struct Provenance {
        std::string value;  // "192 KiB"
        std::string grade;  // one of kTimeGradeNames
        std::string source;
        bool overridden = false;
    };
    std::map<std::string, Provenance> provenance;  // by path

    // Bytes of a memory that an address can reach; 0: the chip has no such memory.
    uint64_t reach(Space space) const {
        const uint64_t bytes = buffer_bytes[static_cast<size_t>(space)];
        return space == Space::kUB && bytes != 0 ? bytes + ub_reserved : bytes;
    }
    // "ascend910b1 with memory.hbm.rate=3.2 TB/s": what a result was simulated on, in words.
    std::string name_with_overrides() const;
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
