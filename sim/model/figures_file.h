// Files of figures, each with a unit, a grade and a source: what the readers of chip files and of system files share.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace ptosim {

// The unit, grade and source that a file gives to the numbers of a group.
struct Says {
    std::string unit;
    std::string grade;
    std::string source;
    std::string file;  // that says so, as messages name it; one that extends another says less than all
};
// A number in a file with what its groups say about it.
struct Leaf {
    double value = 0;
    std::string text;  // the number as written
    std::shared_ptr<const Says> says;
    bool overridden = false;
};
using Leaves = std::map<std::string, Leaf>;  // by path

// Throws DiagnosticError (I20). `file` is as messages name it.
[[noreturn]] void fail_figure(const std::string& file, const std::string& path, const std::string& what,
                              const std::string& hint = {});
// The file as a JSON object without a key twice. Throws DiagnosticError (I22, I20).
nlohmann::json read_figures(const std::string& path, const std::string& file);
// Collects the numbers below `node`. Groups hand down unit, grade and source.
void collect_figures(const std::string& path, const nlohmann::json& node,
                     const std::shared_ptr<const Says>& inherited, Leaves& leaves);
// A number has a grade that there is, and a source.
void check_grade(const std::string& file, const std::string& path, const Says& says);

}  // namespace ptosim
