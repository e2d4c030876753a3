// Chip files of the models folder as they were when the program was built: a run need not parse them. The build makes
// the table (compile_chips_main.cpp).
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "sim/machine/model/chip_figures.h"

namespace ptosim {

struct CompiledChip {
    struct File {
        std::string_view text;
        std::string_view extends;  // as the file writes it; empty: nothing
    };
    // Offsets and sizes are those of texts in compiled_texts(): the table has no pointers, which would be relocated
    // when the program starts.
    struct Figure {
        uint64_t stored;
        uint32_t value_at, source_at;
        uint16_t value_size, source_size;
        uint16_t row;
        uint8_t grade, file;
    };
    std::string_view name, description;
    Arch arch;
    std::span<const File> files;  // the chip's own file, then the ones that it extends
    std::span<const Figure> figures;
};
std::span<const CompiledChip> compiled_chips();
std::string_view compiled_texts();

// The figures of a chip file if it and the files that it extends have not changed since the build.
std::optional<ChipFigures> compiled_figures(const std::filesystem::path& path);

}  // namespace ptosim
