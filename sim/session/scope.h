// Code that the runs of a kernel have reached, and code that they have not, which a check does not cover.
//
// For a .pto kernel the scope is complete: lines, arms of branches, iterations of loops, flags. For a compiled kernel
// it has only the lines that have issued instructions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/assembly/program/step_counts.h"
#include "sim/machine/observe/observer.h"

namespace ptosim {

class Json;

struct Scope {
    struct Point {
        std::string kind;  // line, branch, loop, flag
        std::string file;
        uint32_t line = 0, column = 0;
        std::string what;    // arm of a branch, number of iterations of a loop
        uint64_t count = 0;  // number of times; 0: not reached
        bool explored = false;  // by a run of another path (other_paths.h)
    };
    std::string kernel;
    std::string sha256;     // of its text: runs of another text do not count
    bool complete = false;  // it also has the points that were not reached
    uint64_t runs = 0;
    std::vector<Point> points;

    // Adds the runs of another scope of the same kernel.
    void add(const Scope& other);
    Json summary() const;
    // A line of numbers, and one for each of the first places that were not reached.
    std::string text() const;
};

// Collects a scope during launches.
class ScopeMeter : public Observer {
 public:
    // Called before and after a launch of a kernel.
    void begin(const Kernel& kernel);
    void end();
    // True if a step of the last launch had this outcome: see assembly::BranchEdge.
    bool taken(uint32_t step, bool jumps) const;
    const assembly::StepCounts& steps() const { return steps_; }
    // Adds runs of other paths of the kernel.
    void add_explored(assembly::StepCounts counts) { explored_ = std::move(counts); }
    // The scope of the kernel that was launched first.
    Scope scope() const;

    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;

 private:
    const Kernel* kernel_ = nullptr;
    const assembly::Program* program_ = nullptr;  // of the kernel, if the interpreter runs it
    assembly::StepCounts steps_, explored_;
    uint64_t runs_ = 0;
    std::map<std::pair<uint16_t, uint32_t>, uint64_t> lines_;  // of a compiled kernel
};

// Adds a scope to a file, which is made if missing, and returns the file's scope of the kernel after that. Several
// processes may add to one file. Throws DiagnosticError (I67) for another kind of file.
Scope add_to_file(const std::string& path, const Scope& scope);

// Throws the errors of add_to_file(), before a run that may take long.
void check_scope_file(const std::string& path);

}  // namespace ptosim
