// Files of figures with unit, grade and source: common part of the readers of chip files and system files.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace ptosim {

// The unit, grade and source of the numbers of a group.
struct Says {
    std::string unit;
    std::string grade;
    std::string source;
    std::string file;  // the file that defines these, for messages; in an extending file some may be missing
};
// A number in a file, with the properties of its groups.
struct Leaf {
    double value = 0;
    std::string text;  // the number as written
    std::shared_ptr<const Says> says;
    bool overridden = false;
};
using Leaves = std::map<std::string, Leaf>;  // by path

// Throws DiagnosticError (I20). `file` is the name for messages.
[[noreturn]] void fail_figure(const std::string& file, const std::string& path, const std::string& what,
                              const std::string& hint = {});
// Reads the file as a JSON object without duplicate keys. Throws DiagnosticError (I22, I20).
nlohmann::json read_figures(const std::string& path, const std::string& file);
// Collects the numbers below `node`. They inherit unit, grade and source from groups.
void collect_figures(const std::string& path, const nlohmann::json& node,
                     const std::shared_ptr<const Says>& inherited, Leaves& leaves);
// Requires that a number has an existing grade and a source.
void check_grade(const std::string& file, const std::string& path, const Says& says);

}  // namespace ptosim
