// Makes the table of compiled_chips.h from chip files: compile_chips OUT.cpp FILE.json...
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <unordered_map>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/machine/model/compiled_chips.h"

// This program has no table.
std::span<const ptosim::CompiledChip> ptosim::compiled_chips() { return {}; }
std::string_view ptosim::compiled_texts() { return {}; }

namespace {

namespace fs = std::filesystem;

// A string literal. Bytes outside ASCII are octal escapes, which end after three digits.
std::string literal(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (byte >= 0x20 && byte < 0x7f)
            result += c;
        else
            result += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                       static_cast<char>('0' + (byte & 7))};
    }
    return result + "\"";
}

class Table {
 public:
    void add(const fs::path& path) {
        const ptosim::ChipFigures chip = ptosim::read_chip_figures(path);
        const std::string number = std::to_string(count_++);
        files_ << "constexpr CompiledChip::File kFiles" << number << "[] = {\n";
        for (fs::path at = path; !at.empty();) at = add_file(at);
        files_ << "};\n";
        figures_ << "constexpr CompiledChip::Figure kFigures" << number << "[] = {\n";
        for (const auto& figure : chip.figures)
            figures_ << "{" << figure.stored << "u, " << at_of(figure.value) << ", " << at_of(figure.source) << ", "
                     << figure.value.size() << ", " << figure.source.size() << ", " << figure.row << ", "
                     << static_cast<unsigned>(figure.grade) << ", " << unsigned{figure.file} << "},\n";
        figures_ << "};\n";
        chips_ << "{" << literal(chip.name) << ", " << literal(chip.description) << ", static_cast<Arch>("
               << static_cast<unsigned>(chip.arch) << "), kFiles" << number << ", kFigures" << number << "},\n";
    }
    void write(std::ostream& out) const {
        out << "// Made from models/*.json by sim/machine/model/compile_chips_main.cpp.\n"
               "#include \"sim/machine/model/compiled_chips.h\"\n\nnamespace ptosim {\nnamespace {\n\n"
               "constexpr std::string_view kTexts =\n";
        constexpr size_t kPerLine = 100;
        for (size_t i = 0; i < texts_.size(); i += kPerLine) out << literal(texts_.substr(i, kPerLine)) << "\n";
        out << "\"\";\n"
            << constants_.str() << files_.str() << figures_.str() << "constexpr CompiledChip kChips[] = {\n"
            << chips_.str()
            << "};\n\n}  // namespace\n\n"
               "std::span<const CompiledChip> compiled_chips() { return kChips; }\n"
               "std::string_view compiled_texts() { return kTexts; }\n\n}  // namespace ptosim\n";
    }

 private:
    // Adds a file, and returns the path of the file that it extends; empty: none.
    fs::path add_file(const fs::path& path) {
        const std::string text = ptosim::read_text(path.string(), "I22");
        const std::string extends = ptosim::extended_chip(path);
        const auto [known, added] = texts_of_files_.try_emplace(text, "kFile" + std::to_string(texts_of_files_.size()));
        if (added) constants_ << "constexpr std::string_view " << known->second << " = " << literal(text) << ";\n";
        files_ << "{" << known->second << ", " << literal(extends) << "},\n";
        return extends.empty() ? fs::path() : ptosim::chip_file(extends, path.parent_path());
    }
    size_t at_of(std::string_view text) {
        const auto [at, added] = places_.try_emplace(std::string(text), texts_.size());
        if (added) texts_ += text;
        return at->second;
    }

    unsigned count_ = 0;
    std::string texts_;
    std::unordered_map<std::string, size_t> places_;
    std::map<std::string, std::string> texts_of_files_;  // names of constants
    std::ostringstream constants_, files_, figures_, chips_;
};

}  // namespace

int main(int argc, char* argv[]) {
    try {
        Table table;
        for (int i = 2; i < argc; ++i) table.add(argv[i]);
        std::ofstream out(argv[1]);
        table.write(out);
        return out.flush() ? 0 : 2;
    } catch (const ptosim::DiagnosticError& error) {
        for (const ptosim::Diagnostic& diagnostic : error.diagnostics()) std::cerr << to_text(diagnostic);
        return 2;
    }
}
