// What the runs of a kernel have reached, and what they have not, which a check does not cover.
//
// Of a .pto kernel it knows everything: lines, arms of branches, iterations of loops, flags. Of
// a compiled kernel only the lines that have issued instructions, not which others there are.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "isa/assembly/program/step_counts.h"
#include "sim/observe/observer.h"

namespace ptosim {

struct Scope {
    struct Point {
        std::string kind;  // line, branch, loop, flag
        std::string file;
        uint32_t line = 0, column = 0;
        std::string what;    // which arm of a branch, how many iterations of a loop
        uint64_t count = 0;  // how often; 0: not reached
        bool explored = false;  // by a run of another path (other_paths.h)
    };
    std::string kernel;
    std::string sha256;     // of its text: runs of another text do not count
    bool complete = false;  // what was not reached is known
    uint64_t runs = 0;
    std::vector<Point> points;

    // Adds the runs of another scope of the same kernel.
    void add(const Scope& other);
    nlohmann::ordered_json summary() const;
    // A line of numbers, and one for each of the first places that were not reached.
    std::string text() const;
};

// Collects it during launches.
class ScopeMeter : public Observer {
 public:
    // Before and after a launch of a kernel.
    void begin(const Kernel& kernel);
    void end();
    // Whether a step of the last launch had this outcome: see assembly::BranchEdge.
    bool taken(uint32_t step, bool jumps) const;
    const assembly::StepCounts& steps() const { return steps_; }
    // Runs of other paths of the kernel.
    void add_explored(assembly::StepCounts counts) { explored_ = std::move(counts); }
    // Of the kernel that was launched first.
    Scope scope() const;

    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;

 private:
    const Kernel* kernel_ = nullptr;
    const assembly::Program* program_ = nullptr;  // of the kernel, if an interpreter runs it
    assembly::StepCounts steps_, explored_;
    uint64_t runs_ = 0;
    std::map<std::pair<uint16_t, uint32_t>, uint64_t> lines_;  // of a compiled kernel
};

// Adds a scope to those of a file, which is made if there is none, and returns what the file says
// of its kernel now. Runs of several processes may add to one file. Throws DiagnosticError (I67) if
// it is not such a file.
Scope add_to_file(const std::string& path, const Scope& scope);

// Throws what add_to_file() would, before a run that may take long.
void check_scope_file(const std::string& path);

}  // namespace ptosim
