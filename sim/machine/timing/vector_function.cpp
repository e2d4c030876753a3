#include "sim/machine/timing/vector_function.h"

#include <algorithm>

#include "sim/machine/timing/arithmetic.h"
#include "sim/machine/timing/vector_cost.h"
#include "sim/machine/timing/vector_machine.h"

namespace ptosim {
namespace {

// After this number of passes a loop continues at the rate of their second half.
constexpr uint64_t kObservedPasses = 48;

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

// The step that leaves a tile's contents in a register; adds a load if there is none yet.
uint32_t VectorFunction::in_register(const Tile& tile) {
    const uint64_t tile_key = address_key(tile);
    for (size_t i = body_.size(); i > 0; --i)
        if (body_[i - 1].tile == tile_key) return static_cast<uint32_t>(i - 1);
    Step load;
    load.load = true;
    load.result = chip_.aiv.vector.function.load;
    load.tile = tile_key;
    push(std::move(load));
    return static_cast<uint32_t>(body_.size() - 1);
}

// Returns false if it cannot share a loop with others and so forms a loop by itself.
bool VectorFunction::add(const Instruction& instruction) {
    const std::optional<Passes> passes = passes_of(instruction);
    if (!passes) return false;
    if (passes->lines != lines_ || passes->all() != passes_) close_loop();
    lines_ = passes->lines;
    passes_ = passes->all();
    const InstructionInfo& row = info(instruction.opcode);
    const VectorRate& rate = chip_.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
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
    step.result = rate.result != 0 ? rate.result : chip_.aiv.vector.function.result;
    step.special = rate.special;
    if (rate.result == 0) step.parts = static_cast<uint32_t>(std::max<Cycle>(1, slots / 1000));
    step.stored = !instruction.attributes.in_register;
    step.tile = address_key(to);
    push(std::move(step));
    return true;
}

Cycle VectorFunction::simulate(uint64_t passes) const {
    using Kind = VectorStep::Kind;
    std::vector<VectorStep> steps;
    std::vector<uint32_t> results;  // by step of the loop
    const auto add = [&steps](Kind kind, std::vector<uint32_t> sources, Milli result,
                              Milli special) {
        steps.push_back({kind, std::move(sources), whole(result), whole(special)});
        return static_cast<uint32_t>(steps.size() - 1);
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
    return time_of_passes(chip_.aiv.vector.function, steps, passes);
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
    const VectorParameters& vector = chip_.aiv.vector;
    time += whole((lines_ - 1) * vector.curve.unary.gap + vector.function.store);
    return found->second = time;
}

void VectorFunction::close_loop() {
    if (!body_.empty()) before_ += loop_time();
    body_.clear();
    shape_ = 0;
}

Cost VectorFunction::cost(const Instruction& instruction, const Cost& alone) {
    if (chip_.aiv.vector.function.registers == 0) return alone;
    const Cycle frame = whole(chip_.aiv.vector.function.start + chip_.aiv.vector.function.drain);
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
