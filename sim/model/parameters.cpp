#include "sim/model/parameters.h"

#include <algorithm>

#include "sim/model/cube_types.h"
#include "sim/model/vector_variant.h"

namespace ptosim {
namespace {

constexpr double kHuge = 1e15;

struct Unit {
    Dimension dimension;
    std::string_view name;
    double factor;
};
constexpr Unit kUnits[] = {
    {Dimension::kCount, "", 1},
    {Dimension::kBytes, "bytes", 1},
    {Dimension::kBytes, "B", 1},
    {Dimension::kBytes, "KiB", 1024.0},
    {Dimension::kBytes, "MiB", 1024.0 * 1024},
    {Dimension::kBytes, "GiB", 1024.0 * 1024 * 1024},
    {Dimension::kHertz, "Hz", 1},
    {Dimension::kHertz, "kHz", 1e3},
    {Dimension::kHertz, "MHz", 1e6},
    {Dimension::kHertz, "GHz", 1e9},
    {Dimension::kCycles, "cycles", 1},
    {Dimension::kBytesPerCycle, "B/cycle", 1},
    {Dimension::kBytesPerSecond, "B/s", 1},
    {Dimension::kBytesPerSecond, "MB/s", 1e6},
    {Dimension::kBytesPerSecond, "GB/s", 1e9},
    {Dimension::kBytesPerSecond, "TB/s", 1e12},
    {Dimension::kBytesPerSecond, "GiB/s", 1024.0 * 1024 * 1024},
};

class Builder {
 public:
    std::vector<ParameterRow> rows;

    void count(std::string path, std::function<ChipParameter&(ChipModel&)> field, double min,
               double max, std::string text) {
        rows.push_back(
            {std::move(path), Dimension::kCount, 1, min, max, std::move(field), std::move(text)});
    }
    void bytes(std::string path, Space space, std::string text) {
        rows.push_back({std::move(path), Dimension::kBytes, 1, 0, 1u << 30,
                        [space](ChipModel& m) -> ChipParameter& {
                            return m.buffer_bytes[static_cast<size_t>(space)];
                        },
                        std::move(text)});
    }
    void cycles(std::string path, std::function<ChipParameter&(ChipModel&)> field,
                std::string text) {
        rows.push_back(
            {std::move(path), Dimension::kCycles, 1000, 0, 1e9, std::move(field), std::move(text)});
    }
    void rate(std::string path, std::function<ChipParameter&(ChipModel&)> field, std::string text) {
        rows.push_back({std::move(path), Dimension::kBytesPerCycle, 1000, 0.001, 1e6,
                        std::move(field), std::move(text)});
    }
    void move(const std::string& path, MovePath ChipModel::*member, const std::string& what) {
        rate(
            path + ".rate",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).bytes_per_cycle; },
            "rate of " + what);
        cycles(
            path + ".overhead",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).overhead; },
            "cycles per instruction of " + what + " that the pipe cannot use otherwise");
        cycles(
            path + ".latency",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).latency; },
            "cycles after the transfer until the data of " + what + " can be read");
    }
    void dma(const std::string& path, DmaPath ChipModel::*member, const std::string& what) {
        rate(
            path + ".rate",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).bytes_per_cycle; },
            "rate of " + what + " for one core, from or to L2");
        cycles(
            path + ".overhead",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).overhead; },
            "cycles of an instruction of " + what + " beside its bytes and rows");
        cycles(
            path + ".interval",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).interval; },
            "cycles between the starts of two instructions of " + what);
        cycles(
            path + ".latency",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).latency; },
            "cycles after the transfer until the data of " + what + " can be read");
        cycles(
            path + ".row_cycles",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).row_cycles; },
            "cycles per row of " + what + " beside its bytes");
        rows.push_back({path + ".row_bytes", Dimension::kBytes, 1, 0, 1e6,
                        [member](ChipModel& m) -> ChipParameter& { return (m.*member).row_bytes; },
                        "bytes that a row of " + what + " costs behind L2 besides"});
        cycles(
            path + ".row_least",
            [member](ChipModel& m) -> ChipParameter& { return (m.*member).row_least; },
            "least cycles per row of " + what + ", its bytes included");
        rows.push_back({path + ".most", Dimension::kBytesPerCycle, 1000, 0.001, 1e6,
                        [member](ChipModel& m) -> ChipParameter& { return (m.*member).most; },
                        "rate of " + what + " that no rows exceed", false});
    }
};

#define FIELD(MEMBER) [](ChipModel& m) -> ChipParameter& { return m.MEMBER; }

void add_topology(Builder& b) {
    b.rows.push_back({"clock", Dimension::kHertz, 1, 1e6, 1e11, FIELD(clock_hz), "core clock"});
    b.rows.push_back({"system_counter", Dimension::kHertz, 1, 1, 1e11, FIELD(system_counter_hz),
                      "ticks of the system counter, which kernels read"});
    b.count("clusters", FIELD(clusters), 1, 1024, "clusters on the chip");
    b.count("cluster.aivs", FIELD(aivs_per_cluster), 1, 8, "AIVs beside the AIC of a cluster");
    b.bytes("aiv.ub.bytes", Space::kUB, "unified buffer");
    b.rows.push_back({"aiv.ub.reserved", Dimension::kBytes, 1, 0, 1u << 30, FIELD(ub_reserved),
                      "bytes behind them that tools keep for themselves, and addresses reach",
                      false});
    b.bytes("aic.l1.bytes", Space::kL1, "L1 buffer");
    b.bytes("aic.l0a.bytes", Space::kL0A, "left operand buffer");
    b.bytes("aic.l0b.bytes", Space::kL0B, "right operand buffer");
    b.bytes("aic.l0c.bytes", Space::kL0C, "accumulator buffer");
    b.bytes("aic.bias.bytes", Space::kBias, "bias table");
    b.bytes("aic.fixpipe.bytes", Space::kFixpipe, "fixpipe parameter buffer");
    b.bytes("aic.scale_a.bytes", Space::kScaleA, "MX scales beside L0A");
    b.bytes("aic.scale_b.bytes", Space::kScaleB, "MX scales beside L0B");
}

void add_scalar(Builder& b) {
    b.count("queue.depth", FIELD(queue_depth), 1, 1024, "instructions that a pipe's queue holds");
    b.count("flags.ids", FIELD(flag_ids), 1, 64, "flag ids per ordered pair of pipes");
    b.count("flags.sets", FIELD(flag_sets), 1, 15,
            "sets that a flag counts until they are waited for; one more is lost");
    b.cycles("scalar.issue", FIELD(scalar_issue), "cycles to issue an instruction to a pipe");
    b.cycles("scalar.operation", FIELD(scalar_operation), "cycles of a scalar operation");
    b.cycles("scalar.load", FIELD(scalar_load), "cycles of a scalar load from global memory");
    b.cycles("launch.block_start", FIELD(block_start),
             "cycles from the launch, or the end of the previous block, to a block's first issue");
    b.cycles("launch.block_interval", FIELD(block_interval),
             "cycles between the starts of two blocks of a launch");
    b.cycles("launch.overhead", FIELD(launch_overhead),
             "cycles of a launch beside its blocks, as profilers count the duration of a task");
    b.cycles("launch.cold", FIELD(launch_cold), "further cycles of the first launch of a kernel");
    b.rows.push_back({"launch.between", Dimension::kCycles, 1000, 0, 1e9, FIELD(launch_between),
                      "cycles from the end of a launch to the begin of the next one", false});
    b.cycles("sync.cross_core_latency", FIELD(cross_core_latency),
             "cycles from a cross-core set to its arrival");
}

void add_aicpu(Builder& b) {
    b.cycles("aicpu.block", FIELD(aicpu.block), "cycles of a basic block of an AICPU's code");
    b.cycles("aicpu.loop_block", FIELD(aicpu.loop_block),
             "cycles of a basic block that follows itself: the whole body of a loop");
    b.cycles("aicpu.register_load", FIELD(aicpu.register_load),
             "cycles of an AICPU's load from a register of a core");
    b.cycles("aicpu.register_store", FIELD(aicpu.register_store),
             "cycles of an AICPU's store to a register of a core");
    b.cycles("aicpu.register_delay", FIELD(aicpu.register_delay),
             "cycles from that store until the core has seen it");
    b.cycles("aicpu.spin", FIELD(aicpu.spin),
             "cycles of a round of a waiting loop of an AICPU, beside its blocks");
    b.cycles("aicpu.cache_line", FIELD(aicpu.cache_line),
             "cycles of an AICPU to clean or invalidate a line of 64 bytes of its cache");
    b.cycles("aicpu.core_register", FIELD(aicpu.core_register),
             "cycles of a core to read or write a register that an AICPU shares");
    b.cycles("aicpu.core_cache", FIELD(aicpu.core_cache),
             "cycles of a dcci of a core between tasks");
}

void add_cube(Builder& b) {
    for (const CubeTypes& group : kCubeTypes) {
        // The rows of a group write its first type; the loader copies it to the others.
        const size_t index = static_cast<size_t>(*group.types.begin());
        b.rows.push_back({"aic.cube.k_per_cycle." + std::string(group.name), Dimension::kCount,
                          1000, 0.001, 1024,
                          [index](ChipModel& m) -> ChipParameter& { return m.cube_k[index]; },
                          "depth of the 16 x 16 products done per cycle"});
        b.rows.push_back({"aic.cube.k_granule." + std::string(group.name), Dimension::kCount, 1, 1,
                          1024,
                          [index](ChipModel& m) -> ChipParameter& { return m.cube_k0[index]; },
                          "the depth of a product is rounded up to this"});
    }
    b.cycles("aic.cube.overhead", FIELD(cube_overhead), "cycles per instruction in a stream");
    b.cycles("aic.cube.latency", FIELD(cube_latency),
             "cycles beyond the products of an instruction on which the pipe did not run on");
}

void add_vector_rates(Builder& b, const InstructionInfo& row) {
    const size_t index = static_cast<size_t>(row.opcode);
    const std::string name(row.name), path = "aiv.vector.rate." + name + ".";
    using Rate = ChipModel::VectorRate;
    const auto cycles = [&](const char* key, ChipParameter Rate::*member, double min,
                            std::string text) {
        b.rows.push_back({path + key, Dimension::kCycles, 1000, min, 1e6,
                          [index, member](ChipModel& m) -> ChipParameter& {
                              return m.vector_rate[index].*member;
                          },
                          text + " of " + name, false});
    };
    const auto count = [&](const char* key, ChipParameter Rate::*member, double min, double max,
                           std::string text) {
        b.rows.push_back({path + key, Dimension::kCount, 1, min, max,
                          [index, member](ChipModel& m) -> ChipParameter& {
                              return m.vector_rate[index].*member;
                          },
                          text + ": " + name, false});
    };
    const auto choice = [&](const char* key, ChipParameter Rate::*member, std::string text) {
        count(key, member, 0, 1, std::move(text));
    };
    const std::string unit = row.timing == TimingClass::kVectorSort     ? "32 elements"
                             : row.timing == TimingClass::kVectorGather ? "16 elements"
                                                                        : "repeat (256 bytes)";
    cycles("b16", &Rate::b16, 0.001, "cycles per " + unit + ", 16-bit elements,");
    cycles("b32", &Rate::b32, 0.001, "cycles per " + unit + ", 32-bit elements,");
    cycles("start", &Rate::start, 0, "cycles beyond the repeats");
    if (row.timing == TimingClass::kVector) {
        cycles("conflict", &Rate::conflict, 0,
               "cycles per repeat whose two sources share a bank group of UB");
        cycles("integer_start", &Rate::integer_start, 0, "cycles beyond the repeats, integers,");
        choice("integer_by_row", &Rate::integer_by_row,
               "1 if rows of integers are taken one by one, in whole repeats");
        count("steps", &Rate::steps, 1, 100,
              "vector instructions that it is made of, each waiting for the one before");
        choice("each_repeat", &Rate::each_repeat,
               "1 if its instructions take repeat by repeat, and not all repeats each");
        cycles("result", &Rate::result, 0,
               "in a vector function of several, cycles until the result can be used,");
        cycles("special", &Rate::special, 0,
               "and cycles for which the unit of special functions is held,");
    }
    if (row.timing == TimingClass::kVectorGather)
        cycles("by_pattern", &Rate::by_pattern, 0,
               "cycles per repeat (256 bytes) of a source from which a pattern chooses,");
    cycles(
        "row", &Rate::row, 0,
        "cycles for a row beside its repeats or elements, of rows by instructions of their own,");
    if (row.timing == TimingClass::kVectorCol || row.timing == TimingClass::kVectorRow)
        cycles("dependent", &Rate::dependent, 0, "cycles between dependent instructions");
    if (row.timing == TimingClass::kVectorCol)
        choice("tail_apart", &Rate::tail_apart,
               "1 if what is left of rows of more than one repeat is an instruction of its own");
}

void add_curve(Builder& b, const std::string& path, const std::string& what, bool required,
               std::function<VectorCurve&(ChipModel&)> curve) {
    const struct {
        const char* key;
        ChipParameter VectorCurve::*member;
        const char* text;
    } parts[] = {{"start", &VectorCurve::start, "cycles beyond the passes of "},
                 {"pass", &VectorCurve::pass, "cycles per pass of 256 bytes of "},
                 {"gap", &VectorCurve::gap, "cycles per further row beside one per pass of "},
                 {"nested", &VectorCurve::nested, "cycles per pass in further rows of "}};
    for (const auto& part : parts)
        b.rows.push_back({path + "." + part.key, Dimension::kCycles, 1000, 0, 1e6,
                          [curve, member = part.member](ChipModel& m) -> ChipParameter& {
                              return curve(m).*member;
                          },
                          part.text + what, required});
    b.rows.push_back(
        {path + ".short_row", Dimension::kCount, 1, 0, 1024,
         [curve](ChipModel& m) -> ChipParameter& { return curve(m).short_row; },
         "further rows of at most so many passes cost the gap alone, of more all rows cost the "
         "nested passes: " +
             what,
         false});
}

void add_function(Builder& b) {
    using Rules = ChipModel::FunctionRules;
    const struct {
        const char* key;
        ChipParameter Rules::*member;
        const char* text;
    } times[] = {
        {"start", &Rules::start, "cycles before the first instruction"},
        {"drain", &Rules::drain, "cycles after the last instruction"},
        {"store", &Rules::store, "cycles of the last store of a loop"},
        {"delay", &Rules::delay, "cycles from taking an instruction in to its start"},
        {"load", &Rules::load, "cycles until what was loaded can be used"},
        {"result", &Rules::result, "cycles until a result can be used, if nothing else is stated"},
        {"to_store", &Rules::to_store, "further cycles until a result can be stored"},
        {"release", &Rules::release, "cycles from the last use of a register to its next one"}};
    for (const auto& time : times)
        b.rows.push_back(
            {std::string("aiv.vector.function.") + time.key, Dimension::kCycles, 1000, 0, 1e6,
             [member = time.member](ChipModel& m) -> ChipParameter& { return m.function.*member; },
             std::string("vector functions of several instructions: ") + time.text, false});
    const struct {
        const char* key;
        ChipParameter Rules::*member;
        const char* text;
        double least;
    } counts[] = {
        {"registers", &Rules::registers, "vector registers; 0: there are no such functions", 0},
        {"in_flight", &Rules::in_flight, "instructions under way in each of the two units", 1},
        {"issue", &Rules::issue, "instructions taken in a cycle", 1},
        {"loads", &Rules::loads, "loads that start in a cycle", 1},
        {"stores", &Rules::stores, "stores that start in a cycle", 1}};
    for (const auto& count : counts)
        b.rows.push_back(
            {std::string("aiv.vector.function.") + count.key, Dimension::kCount, 1, count.least,
             1024,
             [member = count.member](ChipModel& m) -> ChipParameter& { return m.function.*member; },
             std::string("vector functions of several instructions: ") + count.text, false});
}

void add_vector(Builder& b) {
    add_function(b);
    for (const InstructionInfo& row : instruction_table()) {
        constexpr TimingClass kClasses[] = {TimingClass::kVector, TimingClass::kVectorRow,
                                            TimingClass::kVectorCol, TimingClass::kVectorSort,
                                            TimingClass::kVectorGather};
        if (std::find(std::begin(kClasses), std::end(kClasses), row.timing) == std::end(kClasses))
            continue;
        add_vector_rates(b, row);
        if (row.timing != TimingClass::kVector) continue;
        for (const VectorVariantInfo& variant : vector_variants(row.opcode))
            add_curve(b,
                      "aiv.vector.curve." + std::string(row.name) + "." + std::string(variant.name),
                      std::string(row.name) + ", " + std::string(variant.description), false,
                      [index = static_cast<size_t>(row.opcode),
                       slot = static_cast<size_t>(variant.variant)](ChipModel& m) -> VectorCurve& {
                          return m.vector_curve[index][slot];
                      });
    }
    add_curve(b, "aiv.vector.curve.unary", "functions of one source without a curve of their own",
              false, [](ChipModel& m) -> VectorCurve& { return m.vector_unary; });
    add_curve(b, "aiv.vector.curve.binary", "functions of two sources without a curve of their own",
              false, [](ChipModel& m) -> VectorCurve& { return m.vector_binary; });
    b.rows.push_back({"aiv.vector.ports", Dimension::kCount, 1000, 0.001, 16, FIELD(vector_ports),
                      "instructions of a vector function that are issued a cycle"});
    b.cycles("aiv.vector.overhead", FIELD(vector_overhead), "cycles per instruction in a stream");
    b.cycles("aiv.vector.latency", FIELD(vector_latency),
             "cycles beyond the repeats until the result can be read");
    b.cycles("aiv.vector.partial", FIELD(vector_partial),
             "cycles per instruction whose rows are not whole repeats");
    b.cycles("aiv.vector.read_conflict", FIELD(vector_read_conflict),
             "cycles per repeat whose two sources share a bank group of UB");
    b.cycles("aiv.vector.write_conflict", FIELD(vector_write_conflict),
             "cycles per repeat that writes a bank of UB it reads, out of step");
    b.cycles("aiv.vector.row_reduce", FIELD(vector_row),
             "cycles per row of a row reduction of at most one repeat");
    b.cycles("aiv.vector.row_fold", FIELD(vector_row_fold),
             "cycles per row and further repeat of a row reduction");
    b.cycles("aiv.vector.row_expand", FIELD(vector_row_expand),
             "cycles per row of a row broadcast");
    b.cycles("aiv.vector.column_fold", FIELD(vector_column_fold),
             "cycles per row and further repeat of a column reduction");
    b.cycles("aiv.vector.dependent", FIELD(vector_dependent),
             "cycles between dependent instructions of one repeat");
    b.cycles("aiv.vector.gather", FIELD(vector_gather),
             "cycles per 16 elements of a gather or scatter");
}

void add_transfers(Builder& b) {
    b.move("aic.l1_to_l0a", &ChipModel::l1_to_l0a, "L1 to L0A");
    b.move("aic.l1_to_l0b", &ChipModel::l1_to_l0b, "L1 to L0B");
    b.move("aic.l1_to_bias", &ChipModel::l1_to_bias, "L1 to the bias table");
    b.move("aic.l1_to_fixpipe", &ChipModel::l1_to_fixpipe, "L1 to the fixpipe buffer");
    b.move("aic.l1_to_ub", &ChipModel::l1_to_ub, "L1 to UB");
    b.move("aic.l0c_to_l1", &ChipModel::l0c_to_l1, "L0C to L1");
    b.move("aiv.ub_to_l1", &ChipModel::ub_to_l1, "UB to L1");
    b.dma("aiv.gm_to_ub", &ChipModel::gm_to_ub, "global memory to UB");
    b.dma("aic.gm_to_l1", &ChipModel::gm_to_l1, "global memory to L1");
    b.dma("aic.gm_to_l1_nd2nz", &ChipModel::gm_to_l1_nd2nz,
          "global memory to L1 with ND-to-NZ conversion");
    b.dma("aiv.ub_to_gm", &ChipModel::ub_to_gm, "UB to global memory");
    b.dma("aic.l0c_to_gm", &ChipModel::l0c_to_gm, "L0C to global memory");
    b.rows.push_back({"aic.l1.contention", Dimension::kCount, 1000, 0, 10, FIELD(l1_contention),
                      "share by which reads of L1 take longer while MTE2 writes L1"});
    const auto rate = [&b](const char* path, ChipParameter ChipModel::*member, const char* text) {
        b.rows.push_back({path, Dimension::kBytesPerSecond, 1, 1e6, kHuge,
                          [member](ChipModel& m) -> ChipParameter& { return m.*member; }, text});
    };
    const auto bytes = [&b](const char* path, ChipParameter ChipModel::*member, const char* text) {
        b.rows.push_back({path, Dimension::kBytes, 1, 0, 1e12,
                          [member](ChipModel& m) -> ChipParameter& { return m.*member; }, text});
    };
    b.rows.push_back({"memory.page", Dimension::kBytes, 1, 0, 1u << 30, FIELD(memory_page),
                      "pages in which device memory is allocated: what lies in them can be used",
                      false});
    bytes("memory.l2.bytes", &ChipModel::l2_bytes, "L2; 0 if the chip has none");
    rate("memory.l2.read", &ChipModel::l2_read, "rate at which all cores together can read");
    rate("memory.l2.write", &ChipModel::l2_write, "rate at which all cores together can write");
    b.rows.push_back({"memory.l2.both", Dimension::kBytesPerSecond, 1, 0, kHuge, FIELD(l2_both),
                      "rate at which all cores together can read and write; 0: memory.l2.read and "
                      "memory.l2.write together",
                      false});
    b.rows.push_back({"memory.l2.far_rows", Dimension::kCount, 1000, 1, 100, FIELD(l2_far_rows),
                      "how many times its bytes of memory.l2.read a read takes whose rows are a "
                      "multiple of 32 KiB apart",
                      false});
    rate("memory.hbm.rate", &ChipModel::hbm_rate,
         "rate of the memory behind L2, both ways together, as it is reached");
    b.rows.push_back({"memory.hbm.nominal", Dimension::kBytesPerSecond, 1, 0, kHuge,
                      FIELD(hbm_nominal), "its published rate, which no time rests on", false});
    b.rows.push_back({"memory.outstanding", Dimension::kBytes, 1, 128, 1e12, FIELD(outstanding),
                      "bytes that a core can have asked for and not got: it reads no more in each "
                      "latency"});
    bytes("memory.hbm.put_off", &ChipModel::hbm_deferred_write_bytes,
          "bytes of writes that may wait until reads leave some of the memory's rate");
    b.cycles("memory.hbm.latency", FIELD(hbm_latency),
             "cycles that a transfer takes longer if L2 does not hold all of it");
    bytes("memory.hbm.window", &ChipModel::hbm_window_bytes,
          "bytes that each window of 512 bytes costs that a row enters out of line");
    b.rows.push_back(
        {"memory.hbm.bypass_l2", Dimension::kCount, 1000, 0.1, 100, FIELD(hbm_bypass_l2),
         "what a window of 512 bytes read in part costs when it bypasses L2, relative to one that "
         "L2 fetches"});
    b.cycles("memory.same_window", FIELD(same_window),
             "cycles between requests of several cores that read the same windows at once");
}

#undef FIELD

void add_errors(Builder& b) {
    for (size_t grade = 0; grade < kTimeGradeCount; ++grade) {
        std::string word(kTimeGradeNames[grade]);
        std::replace(word.begin(), word.end(), ' ', '_');
        b.rows.push_back({"error." + word, Dimension::kCount, 10, 0, 1000,
                          [grade](ChipModel& m) -> ChipParameter& { return m.error[grade]; },
                          "per cent by which four of five times that rest on " +
                              std::string(kTimeGradeNames[grade]) +
                              " figures are off at most; 0: not known",
                          false});
    }
}

}  // namespace

const std::vector<ParameterRow>& parameter_rows() {
    static const auto& rows = *new std::vector<ParameterRow>([] {
        Builder builder;
        add_topology(builder);
        add_scalar(builder);
        add_aicpu(builder);
        add_cube(builder);
        add_vector(builder);
        add_transfers(builder);
        add_errors(builder);
        return std::move(builder.rows);
    }());
    return rows;
}

std::string_view base_unit(Dimension dimension) {
    for (const Unit& unit : kUnits)
        if (unit.dimension == dimension) return unit.name;
    return "";
}

std::vector<std::string_view> units_of(Dimension dimension) {
    std::vector<std::string_view> units;
    for (const Unit& unit : kUnits)
        if (unit.dimension == dimension) units.push_back(unit.name);
    return units;
}

double unit_factor(Dimension dimension, std::string_view unit) {
    for (const Unit& row : kUnits)
        if (row.dimension == dimension && row.name == unit) return row.factor;
    return 0;
}

std::string buffer_path(Space space) {
    ChipModel model;
    for (const ParameterRow& row : parameter_rows())
        if (&row.field(model) == &model.buffer_bytes[static_cast<size_t>(space)]) return row.path;
    return "";
}

}  // namespace ptosim
