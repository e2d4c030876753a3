// Which parameters of a chip the time of a run rests on that are only assumed.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "isa/instruction_table.h"
#include "sim/model/chip_model.h"
#include "sim/observe/observer.h"

namespace ptosim {

class Assumptions : public Observer {
 public:
    explicit Assumptions(const ChipModel& chip) : chip_{chip} {}
    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent&) override { scalar_loads_ = true; }

    // Paths of the parameters of grade "assumed" that what ran takes its time from.
    std::vector<std::string> paths() const;
    // "rests on 3 assumed figures: ..."; empty if it rests on none.
    std::string text() const { return text(paths()); }
    static std::string text(const std::vector<std::string>& paths);

 private:
    bool matters(const std::string& path) const;
    bool vector_matters(const std::string& name) const;

    const ChipModel& chip_;
    std::bitset<kOpcodeCount> ran_;
    std::bitset<kOpcodeCount> shared_;  // ran in a vector function with others
    std::bitset<static_cast<size_t>(DType::kCount)> products_;
    // Moves and transfers, by source and destination; global memory is the place after the last.
    static constexpr size_t kPlaces = kSpaceCount + 1;
    std::bitset<kPlaces * kPlaces> moves_;
    bool converts_ = false;  // loads into L1 that do, and that do not
    bool loads_as_it_is_ = false;
    bool scalar_loads_ = false;
};

}  // namespace ptosim
