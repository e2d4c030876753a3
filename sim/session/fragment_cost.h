// The time of a fragment: operations on tiles, without a kernel around them. For compilers that ask thousands of times:
// the machine itself runs it, without data, on one core of a chip that is otherwise idle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/chip/chip.h"
#include "sim/session/options.h"

namespace ptosim {

struct Fragment {
    std::string text;  // operations of .pto, one a line
    // Names in the text, without %, in order: tiles ("vec, 16x64xf32": as in tile_buf, they get addresses),
    // arrays of global memory ("64x1024xf32", rows that follow each other), constants ("index=5").
    std::vector<std::pair<std::string, std::string>> tiles, arrays, values;
    std::string core = "vector";  // or "cube"
    uint32_t repeat = 1;          // in a loop
    bool from_l2 = true;          // arrays are in L2 already; else they come from HBM
};

struct FragmentCost {
    Cycle cycles = 0;           // from the issue of its first instruction until the last one has ended
    uint64_t instructions = 0;  // that it issued, with the rounds of its loop
};

// Runs fragments in this process. After a run that has not ended (a deadlock, an error) it is broken.
class FragmentMachine {
 public:
    // Takes the one chip that a process has. Throws DiagnosticError.
    explicit FragmentMachine(const SessionOptions& options);

    const ChipModel& model() const { return chip_->model(); }
    bool broken() const { return broken_; }
    // The same fragment has the same cost, whatever was asked before. Throws DiagnosticError: what is wrong with the
    // text, with lines of the fragment.
    FragmentCost cost(const Fragment& fragment);

 private:
    struct Region {
        uint64_t address = 0, bytes = 0;
    };
    LaunchResult run(const std::string& text, const std::vector<uint64_t>& addresses, bool warm);
    Cycle cycles_of_nothing(const std::string& core);
    std::vector<uint64_t> place_arrays(const Fragment& fragment) const;

    std::unique_ptr<Chip> chip_;
    Region l2_, hbm_;
    std::map<std::string, Cycle> nothing_;  // by core
    bool broken_ = false;
};

}  // namespace ptosim
