// The figures of a chip as its files state them: reads models/*.json.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/arch.h"
#include "sim/machine/model/parameters.h"
#include "sim/machine/observe/time_grades.h"

namespace ptosim {

struct ChipFigures {
    struct Figure {
        uint16_t row = 0;         // index in the parameter table
        uint64_t stored = 0;      // in the base unit, times the scale of the row
        std::string_view value;   // as written, with its unit
        std::string_view source;
        TimeGrade grade = TimeGrade::kAssumed;
        uint8_t file = 0;         // index in `files`
    };
    std::string name, description;
    Arch arch = Arch::kA2A3;
    std::vector<std::string> files;           // for messages: the chip's own file, then the ones that it extends
    std::vector<Figure> figures;              // by row
    std::shared_ptr<std::deque<std::string>> texts;  // storage of values and sources
};

// The path of a chip file. A name without '/' and ".json" denotes a file of the models folder; a path is relative to
// `folder`. Throws DiagnosticError (I22) for an unknown name.
std::filesystem::path chip_file(const std::string& name_or_file, const std::filesystem::path& folder);
// Reads a chip file and the files that it extends. Throws DiagnosticError (I20, I22) for anything that is misspelt,
// ungraded, out of range or in the wrong unit.
ChipFigures read_chip_figures(const std::filesystem::path& path);
// The chip that a chip file extends, as the file writes it; empty: none.
std::string extended_chip(const std::filesystem::path& path);

// A number as a parameter stores it.
struct StoredNumber {
    uint64_t stored = 0;
    std::string problem, help;  // the reason for which the parameter cannot have it
};
StoredNumber stored_number(const ParameterRow& row, double number, const std::string& text, const std::string& unit);
// Text such as "units are B, KiB, MiB; without one it is in B".
std::string units_text(Dimension dimension);
// Throws DiagnosticError: I21 if the path is one of `--set of`, else I20.
[[noreturn]] void fail_unknown_path(const std::string& file, const std::string& path, const std::string& of);

}  // namespace ptosim
