// Known findings that are not reported: --suppress FILE.
#pragma once

#include <string>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim::check {

// Each line is CODE FILE[:LINE]. * matches any code, or any characters of the file's name, whose folders may be
// omitted; # begins a comment. Only races, undefined values and flags can be suppressed, because after any other
// finding the results of the run are not those of the kernel.
class Suppressions {
 public:
    // Reads the file unless the name is empty. Throws DiagnosticError.
    explicit Suppressions(const std::string& file);
    bool match(const Diagnostic& finding);
    // Removes suppressed findings and returns their number.
    size_t apply(std::vector<Diagnostic>& findings);
    // Lines that have matched nothing.
    std::vector<std::string> unused() const;

 private:
    struct Rule {
        std::string text, code, file;
        uint32_t line = 0;  // 0: any
        bool used = false;
    };
    std::vector<Rule> rules_;
};

}  // namespace ptosim::check
