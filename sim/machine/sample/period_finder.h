// Finds the period of a core's instructions: the distance after which they repeat.
//
// A loop passes the same places of its program again and again. For each place, the finder compares
// the instructions between its last passes by a hash. If whole rounds of them were equal, the place
// has a period. The longest period wins, because it belongs to the outermost loop.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"

namespace ptosim {

// A number for everything of an instruction that its time can depend on: all but addresses of
// global memory, of which the remainder modulo 512 counts.
uint64_t signature(const Instruction& instruction);

// Addresses of global memory are greater than other words.
constexpr uint64_t kLeastGlobal = uint64_t{1} << 44;

// Calls `use` with a reference to each address of global memory in an instruction: of its views,
// and of the registers of an intrinsic.
template <class Use>
void for_addresses(Instruction& instruction, const Use& use) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_global()) use(instruction.operands[i].global.address);
    if (instruction.attributes.payload_kind != PayloadKind::kIntrinsic) return;
    for (uint64_t& word : instruction.attributes.payload.intrinsic)
        if (word >= kLeastGlobal) use(word);
}

class PeriodFinder {
 public:
    // Adds the next instruction. Returns true if a period begins with it.
    bool add(uint64_t signature, SourceLocation where);
    // Number of instructions of the period; 0: none is known.
    uint64_t length() const { return length_; }
    // Changes with each new period.
    unsigned number() const { return number_; }
    // True if the next instruction is that of `distance` instructions ago, at most kRecent.
    bool repeats(uint64_t signature, uint64_t distance) const {
        return distance <= added_ &&
               recent_[(added_ - distance) % kRecent] == static_cast<uint32_t>(signature);
    }
    uint64_t added() const { return added_; }

 private:
    static constexpr uint64_t kRecent = 1 << 16;  // longest period
    static constexpr size_t kPlaces =
        512;  // of a program, a power of two; further ones have no period
    static constexpr size_t kPasses = 16;  // remembered for a place
    static constexpr std::array<uint8_t, 6> kTurns{
        1, 2, 3, 4, 6, 8};  // passes of a place in a period: slots take turns

    struct Place {
        uint64_t where = 0;
        uint64_t passes = 0;
        uint64_t hash = 0, unpower = 0;  // at the last pass
        std::array<uint64_t, kPasses> at{},
            segment{};  // of the last passes: positions, and the hash of what followed
        std::array<uint32_t, kTurns.size()>
            same{};  // successive segments equal to that of some turns before
    };

    Place* place(SourceLocation where);
    void note_pass(Place& place);
    bool choose(const Place& place);

    uint64_t added_ = 0;
    uint64_t hash_ = 0, power_ = 1,
             unpower_ = 1;  // of all instructions so far; the power of its base, and its inverse
    std::vector<uint32_t> recent_ = std::vector<uint32_t>(kRecent);
    std::vector<Place> places_ = std::vector<Place>(kPlaces);
    const Place* chosen_ = nullptr;
    size_t turn_ = 0;     // index in kTurns
    uint64_t begun_ = 0;  // pass of the chosen place with which the last period began
    uint64_t length_ = 0;
    unsigned number_ = 0;
};

}  // namespace ptosim
