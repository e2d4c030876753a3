// A step of a program of many chips, for estimates: work of each chip, whose time a run or a measurement gives, and
// collectives between the chips. All chips do the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/model/system_model.h"
#include "sim/system/collectives.h"

namespace ptosim {

struct StepNode {
    struct Tensor {
        std::vector<uint64_t> shape;
        std::string type, format;
    };
    // The name under which other tools look up the time of this work.
    struct Kernel {
        std::string type;       // as profilers name it
        std::string operation;  // of PyTorch
        std::vector<Tensor> inputs, outputs;
    };

    std::string name;
    std::vector<size_t> after;  // indices of nodes
    double us = 0;              // of work
    std::optional<Kernel> kernel;
    std::optional<Collective> collective;  // empty: work
    uint64_t bytes = 0;
    uint64_t ranks = 0, apart = 1;  // of each group
};

struct SystemStep {
    std::string name;
    uint64_t repeat = 1;  // repetitions do not overlap
    std::vector<StepNode> nodes;
};

struct StepTime {
    struct Node {
        double begin = 0, end = 0;
        double alone = 0;             // duration without other collectives on the same links
        std::optional<size_t> cause;  // the node whose end was the last that it waited for
    };
    double us = 0;       // of all repetitions
    double work_us = 0;  // of one
    // Time in which only collectives run, of one repetition.
    double exposed_us = 0;
    std::vector<Node> nodes;       // of one repetition
    std::vector<size_t> critical;  // the path of causes to the end, first to last
};

// A chip does one work at a time, in the order in which it becomes possible. Collectives at the same time share the
// links of a level equally. Throws DiagnosticError (I21) as collective_time().
StepTime time_of_step(const SystemModel& system, const SystemStep& step);

}  // namespace ptosim
