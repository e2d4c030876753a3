#include "sim/machine/model/compiled_chips.h"

#include <algorithm>

#include "isa/core/input_file.h"

namespace ptosim {
namespace fs = std::filesystem;

std::optional<ChipFigures> compiled_figures(const fs::path& path) {
    const std::string text = read_text(path.string(), "I22");
    const auto chips = compiled_chips();
    const auto chip = std::find_if(chips.begin(), chips.end(),
                                   [&](const CompiledChip& c) { return c.files.front().text == text; });
    if (chip == chips.end()) return std::nullopt;
    ChipFigures result;
    fs::path at = path;
    for (const CompiledChip::File& file : chip->files) {
        result.files.push_back("chip file " + at.string());
        if (&file != &chip->files.front() && read_text(at.string(), "I22") != file.text) return std::nullopt;
        if (!file.extends.empty()) at = chip_file(std::string(file.extends), at.parent_path());
    }
    result.name = chip->name;
    result.description = chip->description;
    result.arch = chip->arch;
    const std::string_view texts = compiled_texts();
    result.figures.reserve(chip->figures.size());
    for (const CompiledChip::Figure& figure : chip->figures)
        result.figures.push_back({figure.row, figure.stored, texts.substr(figure.value_at, figure.value_size),
                                  texts.substr(figure.source_at, figure.source_size),
                                  static_cast<TimeGrade>(figure.grade), figure.file});
    return result;
}

}  // namespace ptosim
