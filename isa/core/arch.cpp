#include "isa/core/arch.h"

#include <utility>

namespace ptosim {
namespace {

struct ArchName {
    Arch arch;
    std::string_view name;
    std::string_view chips;  // what it is, for readers
};
constexpr ArchName kArchNames[] = {
    {Arch::kA2A3, "a2a3", "Ascend 910B and 910C"},
    {Arch::kA5, "a5", "Ascend 950"},
    {Arch::kKirin, "kirin", "Kirin 9030 and X90"},
};
static_assert(std::size(kArchNames) == kArchCount);

std::string text(bool value) { return value ? "yes" : "no"; }
std::string text(std::string_view value) {
    return value.empty() ? "-" : "`" + std::string(value) + "`";
}
template <typename Enum>
requires std::is_enum_v<Enum> std::string text(Enum value) { return std::string(name(value)); }

}  // namespace

std::string_view name(Arch arch) {
    for (const ArchName& row : kArchNames)
        if (row.arch == arch) return row.name;
    return "?";
}

std::optional<Arch> parse_arch(std::string_view word) {
    for (const ArchName& row : kArchNames)
        if (row.name == word) return row.arch;
    // The names that compilers and users give the generations.
    if (word == "a2" || word == "a3") return Arch::kA2A3;
    return std::nullopt;
}

std::string_view name(VectorOperands value) {
    return value == VectorOperands::kMemory ? "memory" : "registers";
}
std::string_view name(VectorTiming value) {
    return value == VectorTiming::kRepeats ? "repeats" : "functions";
}
std::string_view name(WaitHolds value) { return value == WaitHolds::kCore ? "core" : "pipe"; }
std::string_view name(RoundedFactors value) {
    return value == RoundedFactors::kTf32 ? "tf32" : "hf32";
}
std::string_view name(AssemblerBackend value) {
    return value == AssemblerBackend::kA3 ? "a3" : "a5";
}
std::string_view name(TraitGrade grade) {
    return grade == TraitGrade::kCaptured  ? "captured"
           : grade == TraitGrade::kDerived ? "derived"
                                           : "assumed";
}

const std::vector<TraitRow>& trait_rows() {
    using enum TraitGrade;
    static const auto& rows = *new std::vector<TraitRow>{
#define PTO_ARCH_GRADE(VALUE, GRADE, SOURCE) GRADE, SOURCE
#define PTO_ARCH_TRAIT(NAME, TYPE, TEXT, A2A3, A5, KIRIN)        \
    {#NAME,                                                      \
     TEXT,                                                       \
     {{{text(traits_of(Arch::kA2A3).NAME), PTO_ARCH_GRADE A2A3}, \
       {text(traits_of(Arch::kA5).NAME), PTO_ARCH_GRADE A5},     \
       {text(traits_of(Arch::kKirin).NAME), PTO_ARCH_GRADE KIRIN}}}},
#include "isa/core/arch.def"
#undef PTO_ARCH_TRAIT
#undef PTO_ARCH_GRADE
    };
    return rows;
}

std::string architectures_page() {
    std::string page =
        "# Architectures\n\n"
        "The properties of architectures, from isa/core/arch.def; figures of chips are in models/. Made by "
        "`ptosim isa --architectures`.\n\n"
        "Grades: *captured*, the vendor's headers or documents for this architecture have it so; "
        "*derived*, it follows from them; *assumed*, there is no source, it is a choice. Sources "
        "are in hw-native-sys/pto-isa, below `include/pto`, unless they name another "
        "repository.\n\n"
        "| architecture | chips |\n|---|---|\n";
    for (const ArchName& row : kArchNames)
        page += "| " + std::string(row.name) + " | " + std::string(row.chips) + " |\n";
    page += "\n| trait |";
    for (const ArchName& row : kArchNames) page += " " + std::string(row.name) + " |";
    page += "\n|---|---|---|---|\n";
    for (const TraitRow& row : trait_rows()) {
        page += "| [" + std::string(row.name) + "](#" + std::string(row.name) + ") |";
        for (const TraitValue& value : row.values)
            page += " " + value.text + (value.grade == TraitGrade::kAssumed ? ", assumed |" : " |");
        page += "\n";
    }
    for (const TraitRow& row : trait_rows()) {
        page += "\n### " + std::string(row.name) + "\n\n" + std::string(row.text) + "\n\n";
        for (size_t a = 0; a < kArchCount; ++a)
            page += "- " + std::string(kArchNames[a].name) + ": " + row.values[a].text + ", " +
                    std::string(name(row.values[a].grade)) + ": " +
                    std::string(row.values[a].source) + "\n";
    }
    return page;
}

}  // namespace ptosim
