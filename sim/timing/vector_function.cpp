#include "sim/timing/vector_function.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

#include "sim/timing/arithmetic.h"
#include "sim/timing/vector_cost.h"

namespace ptosim {
namespace {

// Passes after which a loop goes on as it went between the half of them and all.
constexpr uint64_t kObservedPasses = 48;

// So many of a kind may fall on a cycle.
class Calendar {
 public:
    explicit Calendar(uint64_t most) : most_{most} {}
    Cycle first(Cycle from) const {
        while (taken(from) >= most_) ++from;
        return from;
    }
    bool free(Cycle from, Cycle count) const {
        for (Cycle at = from; at < from + count; ++at)
            if (taken(at) >= most_) return false;
        return true;
    }
    void take(Cycle from, Cycle count) {
        if (taken_.size() < from + count) taken_.resize(2 * (from + count));
        for (Cycle at = from; at < from + count; ++at) ++taken_[at];
    }

 private:
    uint64_t taken(Cycle at) const { return at < taken_.size() ? taken_[at] : 0; }

    uint64_t most_;
    std::vector<uint16_t> taken_;
};

// One of the two units that compute.
struct Unit {
    explicit Unit(uint64_t in_flight) : flights{in_flight} {}

    Cycle first(Cycle from, Cycle special) const {
        for (;; ++from)
            if (starts.free(from, 1) && flights.free(from, 1) && specials.free(from, special))
                return from;
    }
    void take(Cycle at, Cycle flight, Cycle special) {
        starts.take(at, 1);
        flights.take(at, flight);
        specials.take(at, special);
    }

    Calendar starts{1}, flights, specials{1};
};

enum class Kind : uint8_t { kLoad, kCompute, kStore };

// An instruction of the machine, in each pass.
struct Micro {
    Kind kind = Kind::kCompute;
    std::vector<uint32_t> sources;
    Cycle result = 0, special = 0;
    uint32_t readers = 0;
};

class Machine {
 public:
    Machine(const ChipModel::FunctionRules& rules, const std::vector<Micro>& body)
        : rules_{rules},
          body_{body},
          units_{Unit{rules.in_flight}, Unit{rules.in_flight}},
          loads_{rules.loads},
          stores_{rules.stores},
          starts_(body.size()),
          unread_(body.size()),
          last_read_(body.size()) {}

    // Cycles until the last instruction of so many passes has started.
    Cycle run(uint64_t passes) {
        for (uint64_t pass = 0; pass < passes; ++pass)
            for (uint32_t i = 0; i < body_.size(); ++i) step(i);
        return last_;
    }

 private:
    void step(uint32_t i) {
        const Micro& micro = body_[i];
        take_in(micro);
        Cycle from = now_ + whole(rules_.delay);
        for (uint32_t source : micro.sources)
            from = std::max(from, starts_[source] + body_[source].result +
                                      (micro.kind == Kind::kStore ? whole(rules_.to_store) : 0));
        const Cycle start = starts_[i] = schedule(micro, from);
        last_ = std::max(last_, start);
        unread_[i] = micro.readers;
        last_read_[i] = 0;
        if (micro.kind != Kind::kStore && micro.readers == 0) released_.push(start + micro.result);
        for (uint32_t source : micro.sources) {
            last_read_[source] = std::max(last_read_[source], start);
            if (--unread_[source] == 0)
                released_.push(std::max(now_, last_read_[source] + whole(rules_.release)));
        }
    }

    // In order, so many a cycle, and with a register for the result.
    void take_in(const Micro& micro) {
        if (taken_in_ >= rules_.issue) next(now_ + 1);
        if (micro.kind != Kind::kStore) {
            release();
            if (held_ >= rules_.registers && !released_.empty()) {
                next(std::max(now_, released_.top()));
                release();
            }
            ++held_;
        }
        ++taken_in_;
    }
    void next(Cycle cycle) {
        if (cycle == now_) return;
        now_ = cycle;
        taken_in_ = 0;
    }
    void release() {
        for (; !released_.empty() && released_.top() <= now_; released_.pop()) --held_;
    }

    Cycle schedule(const Micro& micro, Cycle from) {
        if (micro.kind != Kind::kCompute) {
            Calendar& port = micro.kind == Kind::kLoad ? loads_ : stores_;
            const Cycle at = port.first(from);
            port.take(at, 1);
            return at;
        }
        const Cycle first = units_[0].first(from, micro.special);
        const Cycle second = units_[1].first(from, micro.special);
        Unit& unit = units_[second < first ? 1 : 0];
        const Cycle at = std::min(first, second);
        unit.take(at, micro.result + whole(rules_.release), micro.special);
        return at;
    }

    const ChipModel::FunctionRules& rules_;
    const std::vector<Micro>& body_;
    std::array<Unit, 2> units_;
    Calendar loads_, stores_;
    std::vector<Cycle> starts_;     // of this pass
    std::vector<uint32_t> unread_;  // readers of this pass that have not been placed
    std::vector<Cycle> last_read_;
    std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> released_;  // registers
    uint64_t held_ = 0, taken_in_ = 0;
    Cycle now_ = 0, last_ = 0;
};

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t address_key(const Tile& tile) {
    return uint64_t{tile.address} << 8 | static_cast<uint64_t>(tile.space);
}

}  // namespace

void VectorFunction::begin() {
    open_ = true;
    body_.clear();
    shape_ = 0;
    before_ = charged_ = 0;
}

void VectorFunction::push(Step step) {
    const uint64_t flags = static_cast<uint64_t>(step.load) | static_cast<uint64_t>(step.stored)
                                                                  << 1;
    shape_ = mix(mix(shape_, flags << 32 | step.parts), step.result << 32 ^ step.special);
    for (uint32_t source : step.sources) shape_ = mix(shape_, source + 1);
    body_.push_back(std::move(step));
}

// The step that leaves a tile's contents in a register, which is a load if there is none yet.
uint32_t VectorFunction::in_register(const Tile& tile) {
    const uint64_t tile_key = address_key(tile);
    for (size_t i = body_.size(); i > 0; --i)
        if (body_[i - 1].tile == tile_key) return static_cast<uint32_t>(i - 1);
    Step load;
    load.load = true;
    load.result = chip_.function.load;
    load.tile = tile_key;
    push(std::move(load));
    return static_cast<uint32_t>(body_.size() - 1);
}

// False if it cannot be in a loop with others: it is one by itself.
bool VectorFunction::add(const Instruction& instruction) {
    const std::optional<Passes> passes = passes_of(instruction);
    if (!passes) return false;
    if (passes->lines != lines_ || passes->all() != passes_) close_loop();
    lines_ = passes->lines;
    passes_ = passes->all();
    const InstructionInfo& row = info(instruction.opcode);
    const ChipModel::VectorRate& rate = chip_.vector_rate[static_cast<size_t>(instruction.opcode)];
    const Tile& to = instruction.operands[0].tile;
    Step step;
    for (unsigned i = 1; i < instruction.operand_count && i < row.operands.size(); ++i) {
        if (!instruction.operands[i].is_tile() || row.operands[i].role == OperandRole::kTmp)
            continue;
        const uint32_t source = in_register(instruction.tile(i));
        if (std::find(step.sources.begin(), step.sources.end(), source) == step.sources.end())
            step.sources.push_back(source);
    }
    const Milli slots = bits(to.dtype) >= 32 ? rate.b32 : rate.b16;
    step.result = rate.result != 0 ? rate.result : chip_.function.result;
    step.special = rate.special;
    if (rate.result == 0) step.parts = static_cast<uint32_t>(std::max<Cycle>(1, slots / 1000));
    step.stored = !instruction.attributes.in_register;
    step.tile = address_key(to);
    push(std::move(step));
    return true;
}

Cycle VectorFunction::simulate(uint64_t passes) const {
    std::vector<Micro> micros;
    std::vector<uint32_t> results;  // by step
    const auto add = [&micros](Kind kind, std::vector<uint32_t> sources, Milli result,
                               Milli special) {
        micros.push_back({kind, std::move(sources), whole(result), whole(special), 0});
        return static_cast<uint32_t>(micros.size() - 1);
    };
    for (const Step& step : body_) {
        if (step.load) {
            results.push_back(add(Kind::kLoad, {}, step.result, 0));
            continue;
        }
        std::vector<uint32_t> sources;
        for (uint32_t source : step.sources) sources.push_back(results[source]);
        for (uint32_t part = 0; part < step.parts; ++part)
            sources = {add(Kind::kCompute, std::move(sources), step.result, step.special)};
        results.push_back(sources.front());
        if (step.stored) add(Kind::kStore, std::move(sources), 0, 0);
    }
    for (const Micro& micro : micros)
        for (uint32_t source : micro.sources) ++micros[source].readers;
    return Machine{chip_.function, micros}.run(passes);
}

Cycle VectorFunction::loop_time() {
    const uint64_t key = mix(mix(shape_, passes_), lines_);
    const auto [found, is_new] = known_.try_emplace(key, 0);
    if (!is_new) return found->second;
    Cycle time = simulate(std::min(passes_, kObservedPasses));
    if (passes_ > kObservedPasses) {
        const uint64_t half = kObservedPasses / 2;
        const Cycle more = time - simulate(half);
        time += ceil_div((passes_ - kObservedPasses) * more, half);
    }
    time += whole((lines_ - 1) * chip_.vector_unary.gap + chip_.function.store);
    return found->second = time;
}

void VectorFunction::close_loop() {
    if (!body_.empty()) before_ += loop_time();
    body_.clear();
    shape_ = 0;
}

Cost VectorFunction::cost(const Instruction& instruction, const Cost& alone) {
    if (chip_.function.registers == 0) return alone;
    const Cycle frame = whole(chip_.function.start + chip_.function.drain);
    const bool first = instruction.attributes.function == InFunction::kFirst || !open_;
    if (first) begin();
    if (!add(instruction)) {
        close_loop();
        before_ += alone.occupancy - std::min(alone.occupancy, frame);
    }
    if (first) {
        charged_ = alone.occupancy;
        return alone;
    }
    const Cycle now = frame + before_ + (body_.empty() ? 0 : loop_time());
    Cost cost = alone;
    cost.occupancy = cost.latency = now > charged_ ? now - charged_ : 1;
    charged_ += cost.occupancy;
    return cost;
}

}  // namespace ptosim
