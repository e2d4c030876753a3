// Time of a fragment: operations on tiles, without a kernel around them. It is meant for compilers that need thousands
// of costs. The machine itself runs the fragment, without data, on one core of an otherwise idle chip.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/chip/chip.h"
#include "sim/session/options.h"

namespace ptosim {

struct Fragment {
    std::string text;  // operations of .pto, one per line
    // Names in the text without %, in order: tiles ("vec, 16x64xf32", as in tile_buf; they get addresses), arrays of
    // global memory ("64x1024xf32" with contiguous rows), constants ("index=5").
    std::vector<std::pair<std::string, std::string>> tiles, arrays, values;
    std::string core = "vector";  // or "cube"
    uint32_t repeat = 1;          // in a loop
    bool from_l2 = true;          // arrays are already in L2; else they come from HBM
};

struct FragmentCost {
    Cycle cycles = 0;           // from the issue of its first instruction to the end of the last one
    uint64_t instructions = 0;  // issued, including repetitions of its loop
};

// Runs fragments in this process. After a run that has not ended (a deadlock, an error) the machine is broken.
class FragmentMachine {
 public:
    // Uses the one chip that a process can have. Throws DiagnosticError.
    explicit FragmentMachine(const SessionOptions& options);

    const ChipModel& model() const { return chip_->model(); }
    bool broken() const { return broken_; }
    // The same fragment has the same cost, independent of earlier calls. Throws DiagnosticError for errors in the text,
    // with lines of the fragment.
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
