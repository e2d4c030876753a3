#include "sim/model/parameters.h"

#include <algorithm>

#include "sim/model/cube_types.h"
#include "sim/model/vector_variant.h"

namespace ptosim {
namespace {

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

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
    const size_t at = text.find(mark);
    return at == std::string::npos ? text : text.replace(at, mark.size(), by);
}

class Builder {
 public:
    std::vector<ParameterRow> rows;

    void add(std::string path, ParameterUnit unit, double least, double most, double by_default,
             Faster faster, std::string text, std::function<ChipParameter&(ChipModel&)> field) {
        rows.push_back({std::move(path), unit.dimension, unit.scale, least, most, std::move(field),
                        std::move(text), by_default == kRequired, faster});
    }

// Rows of a group: `of` finds it in a chip, `thing` is its name in the text.
#define MEMBER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)               \
    add(path + "." #NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, \
        replaced(TEXT, "{}", thing),                                         \
        [of](ChipModel& m) -> ChipParameter& { return of(m).NAME; });

    void add_move(const std::string& path, MovePath& (*of)(ChipModel&), const char* thing) {
#define MOVE_PARAMETER(...) MEMBER(__VA_ARGS__)
#include "sim/model/parameters.def"
    }
    void add_dma(const std::string& path, DmaPath& (*of)(ChipModel&), const char* thing) {
#define DMA_PARAMETER(...) MEMBER(__VA_ARGS__)
#include "sim/model/parameters.def"
    }
    void add_curve(const std::string& path, const std::function<VectorCurve&(ChipModel&)>& of,
                   const std::string& thing) {
#define CURVE_PARAMETER(...) MEMBER(__VA_ARGS__)
#include "sim/model/parameters.def"
    }

    void add_rates(const InstructionInfo& row) {
        const std::string thing(row.name), path = "aiv.vector.rate." + thing;
        const auto of = [index = static_cast<size_t>(row.opcode)](ChipModel& m) -> VectorRate& {
            return m.aiv.vector.rate[index];
        };
        const bool any = true, plain = row.timing == TimingClass::kVector,
                   gather = row.timing == TimingClass::kVectorGather,
                   column = row.timing == TimingClass::kVectorCol,
                   reduction = column || row.timing == TimingClass::kVectorRow;
        const std::string_view per = row.timing == TimingClass::kVectorSort ? "32 elements"
                                     : gather                               ? "16 elements"
                                                                            : "repeat (256 bytes)";
#define RATE_PARAMETER(CLASSES, NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT) \
    if (CLASSES) MEMBER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, replaced(TEXT, "{per}", per))
#include "sim/model/parameters.def"
    }
#undef MEMBER

    void add_vector_instructions() {
        constexpr TimingClass kClasses[] = {TimingClass::kVector, TimingClass::kVectorRow,
                                            TimingClass::kVectorCol, TimingClass::kVectorSort,
                                            TimingClass::kVectorGather};
        for (const InstructionInfo& row : instruction_table()) {
            if (std::ranges::find(kClasses, row.timing) == std::end(kClasses)) continue;
            add_rates(row);
            if (row.timing != TimingClass::kVector) continue;
            const std::string name(row.name);
            for (const VectorVariantInfo& variant : vector_variants(row.opcode))
                add_curve("aiv.vector.curve." + name + "." + std::string(variant.name),
                          [index = static_cast<size_t>(row.opcode),
                           slot = static_cast<size_t>(variant.variant)](
                              ChipModel& m) -> VectorCurve& {
                              return m.aiv.vector.curve.of[index][slot];
                          },
                          name + ", " + std::string(variant.description));
        }
    }

    // The rows of a group store its first type; the loader copies it to the others.
    void add_cube_types() {
        for (const CubeTypes& group : kCubeTypes) {
            const auto type = static_cast<size_t>(*group.types.begin());
#define CUBE_PARAMETER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)                    \
    add("aic.cube." #NAME "." + std::string(group.name), parameter_unit::UNIT, LEAST, MOST, \
        DEFAULT, Faster::FASTER, TEXT,                                                    \
        [type](ChipModel& m) -> ChipParameter& { return m.aic.cube.NAME[type]; });
#include "sim/model/parameters.def"
        }
    }

    void add_grades() {
        for (size_t grade = 0; grade < kTimeGradeCount; ++grade) {
            const std::string name(kTimeGradeNames[grade]);
            add("error." + replaced(name, " ", "_"), parameter_unit::kTenths, 0, 1000, 0,
                Faster::kNeither,
                "per cent by which four of five times that rest on " + name +
                    " figures are off at most; 0: not known",
                [grade](ChipModel& m) -> ChipParameter& { return m.error[grade]; });
        }
    }

    void add_all() {
#define PARAMETER(GROUP, NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)                        \
    add(#GROUP "." #NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, TEXT, \
        [](ChipModel& m) -> ChipParameter& { return m.GROUP.NAME; });
#define CHIP_PARAMETER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)               \
    add(#NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, TEXT, \
        [](ChipModel& m) -> ChipParameter& { return m.NAME; });
#define BUFFER(SPACE, GROUP, TEXT)                                                             \
    add(#GROUP ".bytes", parameter_unit::kBytes, 0, 1u << 30, kRequired, Faster::kNeither, TEXT, \
        [](ChipModel& m) -> ChipParameter& {                                                   \
            return m.buffer_bytes[static_cast<size_t>(Space::SPACE)];                          \
        });
#define MOVE(GROUP, NAME, THING) \
    add_move(#GROUP "." #NAME, [](ChipModel& m) -> MovePath& { return m.GROUP.NAME; }, THING);
#define DMA(GROUP, NAME, THING) \
    add_dma(#GROUP "." #NAME, [](ChipModel& m) -> DmaPath& { return m.GROUP.NAME; }, THING);
#define CURVE(GROUP, NAME, THING) \
    add_curve(#GROUP "." #NAME, [](ChipModel& m) -> VectorCurve& { return m.GROUP.NAME; }, THING);
#define TABLE(NAME) add_##NAME();
#include "sim/model/parameters.def"
    }
};

}  // namespace

const std::vector<ParameterRow>& parameter_rows() {
    static const auto& rows = *new std::vector<ParameterRow>([] {
        Builder builder;
        builder.add_all();
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
