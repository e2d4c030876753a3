#include "sim/machine/model/parameters.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "sim/machine/model/cube_types.h"
#include "sim/machine/model/vector_variant.h"

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
    {Dimension::kArea, "um2", 1},
    {Dimension::kArea, "mm2", 1e6},
    {Dimension::kEnergy, "pJ", 1},
    {Dimension::kEnergy, "nJ", 1e3},
    {Dimension::kPower, "mW", 1},
    {Dimension::kPower, "W", 1e3},
};

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
    const size_t at = text.find(mark);
    return at == std::string::npos ? text : text.replace(at, mark.size(), by);
}

// Builds the rows from the members of a chip without values.
class Builder {
 public:
    explicit Builder(ChipModel& model) : model_{model} {}
    std::vector<ParameterRow> rows;

    // The thing that the members of a group belong to, for their descriptions.
    struct Thing {
        std::string_view name, variant, per;
    };

    void add(std::string path, ParameterUnit unit, double least, double most, double by_default, Faster faster,
             std::string_view text, const ChipParameter& field, const Thing& thing = {}) {
        const auto offset = reinterpret_cast<const std::byte*>(&field) - reinterpret_cast<const std::byte*>(&model_);
        rows.push_back({std::move(path), unit.dimension, unit.scale, least, most, by_default == kRequired, faster,
                        static_cast<uint32_t>(offset), text, thing.name, thing.variant, thing.per});
    }

// Rows of a group.
#define MEMBER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)                                                  \
    add(path + "." #NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, TEXT, group.NAME, thing);

    void add_move(const std::string& path, const MovePath& group, const Thing& thing) {
#define MOVE_PARAMETER(...) MEMBER(__VA_ARGS__)
#include "sim/machine/model/parameters.def"
    }
    void add_dma(const std::string& path, const DmaPath& group, const Thing& thing) {
#define DMA_PARAMETER(...) MEMBER(__VA_ARGS__)
#include "sim/machine/model/parameters.def"
    }
    void add_curve(const std::string& path, const VectorCurve& group, const Thing& thing) {
#define CURVE_PARAMETER(...) MEMBER(__VA_ARGS__)
#include "sim/machine/model/parameters.def"
    }

    void add_cost(const std::string& path, const PartCost& group, std::string_view area_of, std::string_view energy_of) {
        struct {
            Thing area, energy;
        } const of{{area_of, {}, {}}, {energy_of, {}, {}}};
#define COST_PARAMETER(OF, NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT) \
    add(path + "." #NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, TEXT, group.NAME, of.OF);
#include "sim/machine/model/parameters.def"
    }

    void add_rates(const InstructionInfo& row) {
        const std::string path = "aiv.vector.rate." + std::string(row.name);
        const VectorRate& group = model_.aiv.vector.rate[static_cast<size_t>(row.opcode)];
        const bool any = true, plain = row.timing == TimingClass::kVector,
                   gather = row.timing == TimingClass::kVectorGather,
                   column = row.timing == TimingClass::kVectorCol,
                   reduction = column || row.timing == TimingClass::kVectorRow;
        const Thing thing{row.name, {},
                          row.timing == TimingClass::kVectorSort ? "32 elements"
                          : gather                               ? "16 elements"
                                                                 : "repeat (256 bytes)"};
#define RATE_PARAMETER(CLASSES, ...) \
    if (CLASSES) MEMBER(__VA_ARGS__)
#include "sim/machine/model/parameters.def"
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
            const auto& curves = model_.aiv.vector.curve.of[static_cast<size_t>(row.opcode)];
            for (const VectorVariantInfo& variant : vector_variants(row.opcode))
                add_curve("aiv.vector.curve." + std::string(row.name) + "." + std::string(variant.name),
                          curves[static_cast<size_t>(variant.variant)], {row.name, variant.description, {}});
        }
    }

    // The rows of a group store its first type; the loader copies it to the others.
    void add_cube_types() {
        for (const CubeTypes& group : kCubeTypes) {
            const auto type = static_cast<size_t>(*group.types.begin());
#define CUBE_PARAMETER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)                                            \
    add("aic.cube." #NAME "." + std::string(group.name), parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, \
        TEXT, model_.aic.cube.NAME[type]);
#include "sim/machine/model/parameters.def"
        }
    }

    void add_grades() {
        for (size_t grade = 0; grade < kTimeGradeCount; ++grade)
            add("error." + replaced(std::string(kTimeGradeNames[grade]), " ", "_"), parameter_unit::kTenths, 0, 1000, 0,
                Faster::kNeither, "per cent by which four of five times that rest on {} figures are off at most; 0: not known",
                model_.error[grade], {kTimeGradeNames[grade], {}, {}});
    }

    void add_all() {
#define PARAMETER(GROUP, NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT)                                 \
    add(#GROUP "." #NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, TEXT, model_.GROUP.NAME);
#define CHIP_PARAMETER(NAME, UNIT, LEAST, MOST, DEFAULT, FASTER, TEXT) \
    add(#NAME, parameter_unit::UNIT, LEAST, MOST, DEFAULT, Faster::FASTER, TEXT, model_.NAME);
#define BUFFER(SPACE, GROUP, TEXT)                                                                       \
    add(#GROUP ".bytes", parameter_unit::kBytes, 0, 1u << 30, kRequired, Faster::kNeither, TEXT,         \
        model_.buffer_bytes[static_cast<size_t>(Space::SPACE)]);
#define MOVE(GROUP, NAME, THING) add_move(#GROUP "." #NAME, model_.GROUP.NAME, {THING, {}, {}});
#define DMA(GROUP, NAME, THING) add_dma(#GROUP "." #NAME, model_.GROUP.NAME, {THING, {}, {}});
#define CURVE(GROUP, NAME, THING) add_curve(#GROUP "." #NAME, model_.GROUP.NAME, {THING, {}, {}});
#define COST(NAME, AREA, ENERGY) add_cost("cost." #NAME, model_.cost.NAME, AREA, ENERGY);
#define TABLE(NAME) add_##NAME();
#include "sim/machine/model/parameters.def"
    }

 private:
    ChipModel& model_;
};

}  // namespace

std::string ParameterRow::description() const {
    const std::string whole = variant.empty() ? std::string(thing) : std::string(thing) + ", " + std::string(variant);
    return replaced(replaced(std::string(text), "{}", whole), "{per}", per);
}

const std::vector<ParameterRow>& parameter_rows() {
    static const auto& rows = *new std::vector<ParameterRow>([] {
        const auto model = std::make_unique<ChipModel>();
        Builder builder(*model);
        builder.rows.reserve(ParametersRead::kMost);
        builder.add_all();
        return std::move(builder.rows);
    }());
    return rows;
}

const ParameterRow* parameter_row(std::string_view path) {
    static const auto& by_path = *new std::unordered_map<std::string_view, const ParameterRow*>([] {
        std::unordered_map<std::string_view, const ParameterRow*> map;
        for (const ParameterRow& row : parameter_rows()) map.emplace(row.path, &row);
        return map;
    }());
    const auto found = by_path.find(path);
    return found == by_path.end() ? nullptr : found->second;
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
