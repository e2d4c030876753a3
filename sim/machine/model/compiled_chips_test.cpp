#include "sim/machine/model/compiled_chips.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "isa/core/input_file.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    const fs::path path = fs::temp_directory_path() / ("ptosim_compiled_chips_" + std::to_string(getpid()));
};

// Expected values: the reader of the files themselves.
TEST_CASE("the table of compiled chips equals the chip files") {
    REQUIRE(compiled_chips().size() == chip_names().size());
    for (const std::string& chip : chip_names()) {
        INFO(chip);
        const fs::path path = chip_file(chip, "");
        const std::optional<ChipFigures> compiled = compiled_figures(path);
        REQUIRE(compiled);
        const ChipFigures read = read_chip_figures(path);
        CHECK(compiled->name == read.name);
        CHECK(compiled->description == read.description);
        CHECK(compiled->arch == read.arch);
        CHECK(compiled->files == read.files);
        REQUIRE(compiled->figures.size() == read.figures.size());
        for (size_t i = 0; i < read.figures.size(); ++i) {
            const ChipFigures::Figure &a = compiled->figures[i], &b = read.figures[i];
            INFO(parameter_rows()[b.row].path);
            CHECK(a.row == b.row);
            CHECK(a.stored == b.stored);
            CHECK(a.value == b.value);
            CHECK(a.source == b.source);
            CHECK(a.grade == b.grade);
            CHECK(a.file == b.file);
        }
    }
}

TEST_CASE("a chip file that differs from the compiled one is read") {
    const Folder folder;
    const auto copy = [&](const std::string& name, const std::string& from, const std::string& to) {
        std::string text = read_text(chip_file(name, "").string(), "I22");
        const size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        std::ofstream(folder.path / (name + ".json")) << text.replace(at, from.size(), to);
        return folder.path / (name + ".json");
    };
    const fs::path base = copy("ascend910b1", R"("clock": {"value": 1850,)", R"("clock": {"value": 1750,)");
    CHECK_FALSE(compiled_figures(base));
    CHECK(load_chip(base.string(), {}).clock == 1'750'000'000u);
    const fs::path above = copy("ascend910b2", R"("ascend910b1")", R"("./ascend910b1.json")");
    CHECK_FALSE(compiled_figures(above));
    CHECK(load_chip(above.string(), {}).clock == load_chip("ascend910b2", {}).clock);
}

// Both files have the compiled content, except that the one that is extended has changed.
TEST_CASE("a change of the file that a chip file extends counts") {
    const Folder folder;
    const fs::path models = chip_file("ascend910b1", "").parent_path();
    for (const auto& entry : fs::directory_iterator(models))
        if (entry.path().extension() == ".json") fs::copy(entry.path(), folder.path);
    setenv("PTOSIM_MODELS", folder.path.c_str(), 1);
    CHECK(compiled_figures(chip_file("ascend910b2", "")));
    std::ofstream(folder.path / "ascend910b1.json", std::ios::app) << "\n";
    CHECK_FALSE(compiled_figures(chip_file("ascend910b2", "")));
    CHECK(load_chip("ascend910b2", {}).provenance.size() == parameter_rows().size());
    unsetenv("PTOSIM_MODELS");
}

}  // namespace
}  // namespace ptosim
