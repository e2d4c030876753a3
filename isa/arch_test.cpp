// That architectures are told apart by their traits and nowhere else.
#include "isa/arch.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "isa/instruction_traits.h"

using namespace ptosim;

namespace {

namespace fs = std::filesystem;

// What may name architectures: the table of traits, and the row of element types per architecture.
bool may_compare(const std::string& path) {
    return path.starts_with("isa/arch") || path.ends_with("_test.cpp");
}

std::string text_of(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("no code but the table of traits compares architectures") {
    const std::regex comparison(
        R"re([=!]= *(ptosim::)?Arch::k|\bArch::k\w+ *[=!]=|case +(ptosim::)?Arch::k|is_a5\(arch)re");
    const fs::path root = fs::path(PTOSIM_ISA_DIR).parent_path();
    unsigned files = 0;
    for (const char* folder : {"isa", "sim", "traces", "include"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string path = fs::relative(entry.path(), root).generic_string();
            const std::string end = entry.path().extension().string();
            if ((end != ".cpp" && end != ".h" && end != ".hpp" && end != ".def") ||
                may_compare(path))
                continue;
            ++files;
            INFO(path << ": ask for a trait of isa/arch.def instead");
            CHECK_FALSE(std::regex_search(text_of(entry.path()), comparison));
        }
    CHECK(files > 300);
}

TEST_CASE("every value of a trait has a source, and what is assumed is told from what is known") {
    CHECK(trait_rows().size() > 40);
    for (const TraitRow& row : trait_rows()) {
        INFO(row.name);
        CHECK(row.text.ends_with("."));
        for (const TraitValue& value : row.values) CHECK(!value.source.empty());
    }
}

// hw-native-sys/pto-isa include/pto/npu/kirin9030/header.hpp: vector instructions are those of a5.
TEST_CASE("a kirin's tile instructions are implemented as those of a5") {
    const PerArch<int> value{.a2a3 = 2, .a5 = 5};
    CHECK(value[Arch::kA2A3] == 2);
    CHECK(value[Arch::kA5] == 5);
    CHECK(value[Arch::kKirin] == 5);
}
