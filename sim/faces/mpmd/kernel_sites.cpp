#include "sim/faces/mpmd/kernel_sites.h"

#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "isa/core/source_origin.h"
#include "sim/compile/tokens.h"

namespace ptosim::mpmd {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

// Kernels come from the user's own program, and so do the names of its files, which are read to show lines.
std::vector<std::string> lines_of_file(const std::string& name) {
    std::error_code error;
    if (!fs::is_regular_file(name, error)) return {};
    std::vector<std::string> lines;
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::string trimmed(const std::string& line) {
    const size_t begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : line.substr(begin);
}

// Finds the innermost Python `for` around a line: goes up to the nearest line with less indentation, repeatedly.
void find_loop(KernelSite& site, const std::vector<std::string>& lines) {
    if (site.line == 0 || site.line > lines.size()) return;
    if (trimmed(lines[site.line - 1]).starts_with("for ")) return;  // its region itself is a loop
    size_t indent = lines[site.line - 1].find_first_not_of(" \t");
    for (uint32_t line = site.line - 1; line > 0; --line) {
        const std::string& text = lines[line - 1];
        const size_t own = text.find_first_not_of(" \t#");
        if (own == std::string::npos || own >= indent) continue;
        indent = own;
        const std::string words = trimmed(text);
        if (words.starts_with("def ")) return;
        if (!words.starts_with("for ")) continue;
        site.loop = line;
        site.loop_text = words;
        return;
    }
}

// "%y__iter_v1_view = pto.make_tensor_view %arg1": the name is PyPTO's without its assignment numbers.
void find_arguments(KernelSite& site, const std::vector<std::string>& lines) {
    constexpr std::string_view kMakes = " = pto.make_tensor_view %arg";
    for (const std::string_view line : lines) {
        const size_t makes = line.find(kMakes);
        if (makes == line.npos) continue;
        size_t begin = makes;
        while (begin > 0 && is_part_of_word(line[begin - 1])) --begin;
        if (begin == 0 || line[begin - 1] != '%' ||
            std::isalpha(static_cast<unsigned char>(line[begin])) == 0)
            continue;
        const std::string_view value = line.substr(begin, makes - begin);
        size_t name = 1;  // its length
        const auto ends_at = [&](size_t at) {
            const std::string_view rest = value.substr(at);
            return rest.starts_with("_view") ||
                   (rest.starts_with("__") && rest.find("_view", 2) != rest.npos);
        };
        while (name < value.size() && !ends_at(name)) ++name;
        unsigned argument = 0;
        const char* const digits = line.data() + makes + kMakes.size();
        const auto [end, error] = std::from_chars(digits, line.data() + line.size(), argument);
        const bool ends = end == line.data() + line.size() || !is_part_of_word(*end);
        if (name < value.size() && error == std::errc{} && ends)
            site.arguments.try_emplace(argument, std::string(value.substr(0, name)));
    }
}

// The lines of one function in a file with several, from its head on.
std::vector<std::string> function_of(const std::vector<std::string>& lines, const std::string& kernel) {
    const std::string head = "func.func @" + kernel + "(";
    for (size_t i = 0; i < lines.size(); ++i) {
        if (!trimmed(lines[i]).starts_with(head)) continue;  // also matches C++ that contains such a text
        size_t end = i + 1;
        while (end < lines.size() && lines[end].find("func.func @") == std::string::npos) ++end;
        return {lines.begin() + static_cast<ptrdiff_t>(i), lines.begin() + static_cast<ptrdiff_t>(end)};
    }
    return {};
}

}  // namespace

KernelSite KernelSites::find(const std::string& kernel) {
    for (uint16_t file = 0; file < sources_.size(); ++file) {
        const std::string text(sources_.text(file));
        const std::vector<std::string> function = function_of(lines_of(text), kernel);
        KernelSite site;
        for (const std::string& line : function) {
            const auto origin = origin_of(text, line);
            if (!origin || origin->file.empty()) continue;
            site.file = origin->file;
            site.line = origin->line;
            break;
        }
        if (site.line == 0) continue;
        find_arguments(site, function);
        const std::vector<std::string> lines = lines_of_file(site.file);
        if (site.line <= lines.size()) site.text = trimmed(lines[site.line - 1]);
        find_loop(site, lines);
        return site;
    }
    return {};
}

const KernelSite& KernelSites::of(const std::string& kernel) {
    const auto [at, first] = found_.try_emplace(kernel);
    if (first) at->second = find(kernel);
    return at->second;
}

std::string KernelSites::argument(const std::string& kernel, unsigned index) {
    const auto& names = of(kernel).arguments;
    const auto name = names.find(index);
    return name == names.end() ? "argument " + std::to_string(index) : "`" + name->second + "`";
}

std::string KernelSites::text(const std::string& kernel) {
    const KernelSite& site = of(kernel);
    if (site.line == 0) return kernel;
    return fs::path(site.file).filename().string() + ":" + std::to_string(site.line);
}

std::string line_of_file(const std::string& file, uint32_t line) {
    const std::vector<std::string> lines = lines_of_file(file);
    return line == 0 || line > lines.size() ? "" : trimmed(lines[line - 1]);
}

}  // namespace ptosim::mpmd
