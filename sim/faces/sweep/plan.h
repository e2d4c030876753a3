// The plan of a sweep: the product of chips, chip parameters, kernels and kernel parameters, read from a JSON file
// (docs/running.md shows the format).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/faces/sweep/hardware.h"
#include "sim/files/json.h"
#include "sim/session/expression.h"
#include "sim/session/kernel_parameters.h"

namespace ptosim::sweep {

// One factor: its name and its values, in the form of `--set` and `--param`.
struct Axis {
    std::string name;
    std::vector<std::string> values;
};

// A change of the chip: compared with the chip as it is, alone and together with all others.
struct Change {
    std::string name;                                         // empty: made of its figures
    std::vector<std::pair<std::string, std::string>> figures;  // path, and a value or a factor such as "x1.5"
};
inline constexpr const char* kBase = "base";
inline constexpr const char* kAllChanges = "all";

struct PlanKernel {
    std::string name;
    std::string file;                    // as in the plan: relative to the plan's folder
    std::vector<std::string> program;    // a program of kernels in place of a file: its words, with ${EXPRESSION}
    std::string system;                  // of several chips; may be empty
    std::string entry;                   // may be empty
    std::string blocks;                  // an expression; empty: as many as run at once
    std::vector<std::string> arguments;  // with ${EXPRESSION}
    std::vector<Axis> parameters;
    std::vector<std::string> where;
    std::vector<Axis> search;  // parameters that are chosen at each point; "blocks" has expressions
    GivenParameters brief;     // of a shorter problem, for the first selection
    std::string text;          // of the file
    bool compiled = false;  // C++: parameters become --define
};

struct RunSettings {
    std::string mode = "timing";
    bool sample = false;  // skips periods of long regular runs
    std::string sync;  // empty: the default of the kernel
    std::string numerics = "ieee";
    std::string check = "none";
    uint64_t seed = 0;
    double timeout = 600;  // seconds of one point
};

// One combination. Runnable ones have a key: equal keys have equal results.
struct Point {
    size_t index = 0;
    const PlanKernel* kernel = nullptr;
    std::string chip;
    std::vector<std::pair<std::string, std::string>> sets;
    std::string change;        // its name; empty if the plan has no changes
    std::vector<size_t> chosen;  // the index of the value of each searched parameter; empty: the kernel's own choice
    GivenParameters parameters;
    std::vector<std::string> arguments;  // words of a program
    std::optional<int64_t> blocks;
    std::string skipped;      // the reason why it is not run; empty if it is
    std::string key;          // 64 hexadecimal digits
    uint64_t chip_bytes = 0;  // all on-chip buffers
    // For the report: "paths" that the change sets, "chosen" parameters, "program" (of equal text if the change does
    // not reach the kernel), "cost".
    Json facts = Json::object();

    // The values of every axis, in the plan's order: {"kernel", "chip", PATH..., NAME...}.
    Json coordinates() const;
};

class Plan {
 public:
    // Throws DiagnosticError (I51), with the path in the file, for unknown keys, parameters that the chip or the kernel
    // lacks, values that do not fit, and an empty product.
    static Plan load(const std::string& file);
    // The plan of one kernel, whose lines describe its arguments and its search.
    struct Question {
        std::string kernel;
        std::vector<std::string> chips, changes, parameters, arguments;  // words of the command line
        std::string blocks;
        bool search = true, sample = false;
    };
    static Plan of(const Question& question);

    const std::string& file() const { return file_; }
    const std::string& folder() const { return folder_; }
    const std::string& title() const { return title_; }
    const std::string& text() const { return text_; }
    const RunSettings& settings() const { return settings_; }
    size_t size() const;
    // Visits all points in a fixed order. `program` is a fingerprint of the program that runs them. Kernels with a
    // search have one point for each choice; `with_choice` is one of them.
    void for_each(const std::string& program, const std::function<void(const Point&)>& visit) const;
    bool searches() const;
    // The point with another choice of the searched parameters, or of the shorter problem. Its key is empty if it is
    // skipped.
    Point with_choice(const Point& point, const std::vector<size_t>& chosen, bool brief, const std::string& program) const;

 private:
    void read(const Json& root);
    void read_kernels(const Json& node);
    void read_run(const Json& node);
    void read_changes(const Json& node);
    // The base, each change, and all of them unless two give one parameter different values.
    size_t rows_of_changes() const;
    void check_changes() const;
    void check_chips() const;
    Hardware hardware_of(const Point& point) const;
    bool fill(Point& point, const std::string& program) const;
    void apply_change(Point& point, size_t number) const;
    struct ChipFacts {
        Values values;
        std::string fingerprint;
        Json cost;
    };
    const ChipFacts& chip_of(const Point& point) const;

    std::string file_, folder_, title_, text_;
    std::vector<std::string> chips_;
    std::vector<Axis> sets_;
    std::vector<Change> changes_;
    std::vector<PlanKernel> kernels_;
    std::vector<std::string> where_;
    RunSettings settings_;
    mutable std::map<std::string, ChipFacts> chip_cache_;
    mutable std::map<std::string, std::pair<std::string, std::string>> figure_cache_;
};

}  // namespace ptosim::sweep
