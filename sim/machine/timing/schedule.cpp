#include "sim/machine/timing/schedule.h"

#include <algorithm>

namespace ptosim {
namespace {

constexpr unsigned kSlowBits = 14;    // a slow instruction: up to 16384 cycles
constexpr unsigned kLateBits = 17;    // a late core: up to 131072 cycles
constexpr unsigned kIssueBits = 7;    // a slow scalar unit: up to 128 cycles an instruction
constexpr unsigned kSignalBits = 11;  // a slow signal: up to 2048 cycles

// The schedules that target certain mistakes.
enum Made : unsigned { kModel, kLoadsEarly, kLoadsLate, kStoresLate, kCoresInTurn, kDrawn };

bool loads(Pipe pipe) { return pipe == Pipe::kMTE2; }
bool stores(Pipe pipe) { return pipe == Pipe::kMTE3 || pipe == Pipe::kFIX; }

}  // namespace

Schedule::Schedule(uint64_t seed, unsigned number)
    : number_{number}, state_{seed * 0x9e3779b97f4a7c15 + number} {}

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t Schedule::random() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

Schedule::CorePaces& Schedule::paces(CoreId core) {
    std::vector<CorePaces>& list = cores_[static_cast<size_t>(core.type)];
    if (list.size() <= core.index) list.resize(core.index + size_t{1});
    CorePaces& paces = list[core.index];
    if (!paces.drawn) draw(paces, core.type);
    return paces;
}

void Schedule::draw(CorePaces& paces, CoreType) {
    paces.drawn = true;
    const bool in_turn = number_ == kCoresInTurn || (number_ >= kDrawn && below(2) == 0);
    paces.late = in_turn ? some_cycles(kLateBits) : 0;
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const Pipe pipe = static_cast<Pipe>(p);
        Pace& pace = paces.pipes[p];
        switch (number_) {
            case kModel:
                break;
            case kLoadsLate:
                pace = loads(pipe) ? Pace::kSlow : Pace::kQuick;
                break;
            case kLoadsEarly:
                pace = loads(pipe) ? Pace::kQuick : Pace::kSlow;
                break;
            case kStoresLate:
                pace = stores(pipe) ? Pace::kSlow : Pace::kQuick;
                break;
            case kCoresInTurn:
                pace = Pace::kQuick;
                break;
            default:
                pace = static_cast<Pace>(1 + below(3));
        }
    }
    if (number_ >= kDrawn) paces.scalar = below(3) == 0 ? Pace::kSlow : Pace::kModel;
}

Cost Schedule::cost(CoreId core, Pipe pipe, const Cost& by_model) {
    Pace pace = paces(core).pipes[static_cast<size_t>(pipe)];
    if (pace == Pace::kMixed) pace = static_cast<Pace>(below(3));
    if (pace == Pace::kModel) return by_model;
    // Without the part in the memory that cores share: a transfer takes the drawn time.
    Cost cost;
    cost.occupancy = 1;
    if (pace == Pace::kSlow) {
        // The result comes late; in half of the cases the pipe is held as long.
        const Cycle more = some_cycles(kSlowBits);
        cost.latency = by_model.occupancy + by_model.latency + more;
        if (below(2) == 0) cost.occupancy = cost.latency;
    }
    // In flight long enough for the next ones to overtake it, if they may.
    if (pipe == Pipe::kV) cost.latency += some_cycles(6);
    return cost;
}

Cycle Schedule::issue_delay(CoreId core) {
    return paces(core).scalar == Pace::kSlow ? some_cycles(kIssueBits) : 0;
}

Cycle Schedule::block_delay(CoreId core) { return paces(core).late; }

Cycle Schedule::signal_delay() { return number_ >= kDrawn ? some_cycles(kSignalBits) : 0; }

bool Schedule::overtakes() { return number_ != kModel && below(2) == 0; }

std::vector<uint32_t> Schedule::block_order(uint32_t blocks, uint32_t at_once) {
    std::vector<uint32_t> order(blocks);
    for (uint32_t i = 0; i < blocks; ++i) order[i] = i;
    if (number_ < kStoresLate) return order;
    for (uint32_t begin = 0; begin < blocks; begin += at_once) {
        const uint32_t end = std::min(blocks, begin + at_once);
        for (uint32_t i = end; i > begin + 1; --i)
            std::swap(order[i - 1], order[begin + below(i - begin)]);
    }
    return order;
}

std::vector<uint32_t> Schedule::warp_order(uint32_t warps) {
    std::vector<uint32_t> order(warps);
    for (uint32_t i = 0; i < warps; ++i) order[i] = number_ == 1 ? warps - 1 - i : i;
    if (number_ > 1)
        for (uint32_t i = warps; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
}

}  // namespace ptosim
