#include "sim/machine/model/chip_model.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "isa/core/diagnostic.h"
#include "sim/machine/model/chip_figures.h"
#include "sim/machine/model/compiled_chips.h"
#include "sim/machine/model/cube_types.h"
#include "sim/machine/model/figures_file.h"
#include "sim/machine/model/installation.h"
#include "sim/machine/model/parameters.h"
#include "sim/machine/model/system_model.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

ChipModel model_of(ChipFigures figures) {
    ChipModel model;
    model.name = std::move(figures.name);
    model.description = std::move(figures.description);
    model.arch = figures.arch;
    model.files = std::move(figures.files);
    model.texts = std::move(figures.texts);
    const std::vector<ParameterRow>& rows = parameter_rows();
    uint16_t number = 0;
    for (const ParameterRow& row : rows) row.field(model).set_row(++number);
    model.provenance.resize(rows.size());
    for (const ChipFigures::Figure& figure : figures.figures) {
        rows[figure.row].field(model) = figure.stored;
        model.provenance[figure.row] = {figure.value, figure.source, figure.grade, figure.file, false};
    }
    return model;
}

// Applies a word such as "path=256KiB".
void apply_override(const std::string& word, ChipModel& model) {
    const auto fail = [&](const std::string& what, const std::string& hint) { fail_input("I21", "--set " + word + ": " + what, hint); };
    constexpr const char* kExample = "for example --set aiv.ub.bytes=256KiB";
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) fail("expected PATH=VALUE", kExample);
    const std::string path = word.substr(0, equals);
    const std::string text = word.substr(equals + 1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) fail("'" + text + "' is not a number", kExample);
    const ParameterRow* const row = parameter_row(path);
    if (row == nullptr) fail_unknown_path("", path, word);
    ChipModel::Provenance& stated = model.provenance[static_cast<size_t>(row - parameter_rows().data())];
    if (stated.overridden) fail("'" + path + "' is set twice", "the other value is " + std::string(stated.value));
    std::string unit(end, text.data() + text.size());
    if (unit.empty()) unit = base_unit(row->dimension);
    if (unit_factor(row->dimension, unit) == 0)
        fail("unit '" + unit + "' does not fit " + path, units_text(row->dimension));
    const std::string digits = text.substr(0, static_cast<size_t>(end - text.data()));
    const StoredNumber stored = stored_number(*row, number, digits, unit);
    if (!stored.problem.empty())
        fail_input("I21", "--set " + path + ": " + stored.problem,
                   stored.help.empty() ? "" : stored.help + "; " + units_text(row->dimension));
    row->field(model) = stored.stored;
    if (!model.texts) model.texts = std::make_shared<std::deque<std::string>>();
    stated = {model.texts->emplace_back(digits + (unit.empty() ? "" : " " + unit)), "--set", TimeGrade::kAssumed,
              stated.file, true};
}

void require_all(ChipModel& model) {
    const std::vector<ParameterRow>& rows = parameter_rows();
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].required && model.provenance[i].value.empty())
            fail_figure(model.files.front(), rows[i].path, "is missing", rows[i].description());
}

// Parameters that an instruction lacks get the values common to all instructions.
void fill_defaults(ChipModel& model) {
    for (VectorRate& rate : model.aiv.vector.rate) {
        if (rate.start == 0) rate.start = model.aiv.vector.latency;
        if (rate.integer_start == 0) rate.integer_start = rate.start;
        if (rate.conflict == 0) rate.conflict = model.aiv.vector.read_conflict;
        if (rate.dependent == 0) rate.dependent = model.aiv.vector.dependent;
    }
    for (const InstructionInfo& row : instruction_table()) {
        if (row.timing != TimingClass::kVectorGather) continue;
        VectorRate& rate = model.aiv.vector.rate[static_cast<size_t>(row.opcode)];
        if (model.stated(rate.b16) == nullptr) rate.b16 = model.aiv.vector.gather;
        if (model.stated(rate.b32) == nullptr) rate.b32 = model.aiv.vector.gather;
    }
    for (const CubeTypes& group : kCubeTypes)
        for (const DType type : group.types) {
            const auto to = static_cast<size_t>(type), from = static_cast<size_t>(*group.types.begin());
            model.aic.cube.k_per_cycle[to] = model.aic.cube.k_per_cycle[from];
            model.aic.cube.k_granule[to] = model.aic.cube.k_granule[from];
        }
}

[[noreturn]] void refuse(const ChipModel& model, const ParameterRow& row, const ChipModel::Provenance& stated,
                         const std::string& what, const std::string& hint) {
    std::string value(stated.value);
    if (!stated.overridden) fail_figure(model.files[stated.file], row.path, value + " " + what, hint);
    std::erase(value, ' ');
    fail_input("I21", "--set " + row.path + "=" + value + ": " + what, hint);
}

// Rejects numbers that are possible individually, but not together.
void check_consistency(ChipModel& model) {
    const std::vector<ParameterRow>& rows = parameter_rows();
    for (size_t i = 0; i < rows.size(); ++i) {
        const ParameterRow& row = rows[i];
        const ChipModel::Provenance& stated = model.provenance[i];
        if (stated.value.empty()) continue;
        const uint64_t value = row.field(model).value();
        if (row.dimension == Dimension::kBytes && row.path.ends_with(".bytes") && value % kTileAlignment != 0)
            refuse(model, row, stated, "is not a multiple of 32 bytes", "on-chip memory comes in blocks of 32 bytes");
    }
}

ChipModel read_chip(const std::string& name_or_file, std::span<const std::string> overrides) {
    const fs::path path = chip_file(name_or_file, "");
    std::optional<ChipFigures> compiled = compiled_figures(path);
    ChipModel model = model_of(compiled ? std::move(*compiled) : read_chip_figures(path));
    for (const std::string& word : overrides)
        if (!word.starts_with(kSystemPrefix)) apply_override(word, model);
    require_all(model);
    fill_defaults(model);
    check_consistency(model);
    return model;
}

}  // namespace

const ChipModel::Provenance* ChipModel::stated(const ChipParameter& parameter) const {
    if (parameter.row() == 0 || parameter.row() > provenance.size()) return nullptr;
    const Provenance& found = provenance[parameter.row() - size_t{1}];
    return found.value.empty() ? nullptr : &found;
}

const ChipModel::Provenance* ChipModel::stated(std::string_view path) const {
    const ParameterRow* const row = parameter_row(path);
    if (row == nullptr || provenance.empty()) return nullptr;
    const Provenance& found = provenance[static_cast<size_t>(row - parameter_rows().data())];
    return found.value.empty() ? nullptr : &found;
}

std::string ChipModel::name_with_overrides() const {
    std::vector<std::string> set;
    for (size_t i = 0; i < provenance.size(); ++i)
        if (provenance[i].overridden)
            set.push_back(parameter_rows()[i].path + "=" + std::string(provenance[i].value));
    std::sort(set.begin(), set.end());
    std::string text = name;
    for (const std::string& one : set) text += (text == name ? " with " : ", ") + one;
    return text;
}

std::vector<std::string> chip_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(models_folder(), error)) {
        const fs::path& path = entry.path();
        if (path.extension() == ".json" && path.stem().string().find('.') == std::string::npos)
            names.push_back(path.stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

ChipModel load_chip(const std::string& name_or_file, std::span<const std::string> overrides) {
    const std::string alone = stands_alone();
    if (alone.empty()) return read_chip(name_or_file, overrides);
    try {
        return read_chip(name_or_file, overrides);
    } catch (const DiagnosticError& error) {
        std::vector<Diagnostic> diagnostics = error.diagnostics();
        diagnostics.front().notes.push_back(alone);
        throw DiagnosticError(std::move(diagnostics));
    }
}

std::vector<ParameterInfo> parameter_list() {
    std::vector<ParameterInfo> list;
    for (const ParameterRow& row : parameter_rows())
        list.push_back({row.path, std::string(base_unit(row.dimension)), row.description()});
    return list;
}

}  // namespace ptosim
