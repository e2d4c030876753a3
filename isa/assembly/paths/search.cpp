#include "isa/assembly/paths/search.h"

#include <algorithm>

namespace ptosim::assembly {
namespace {

constexpr unsigned kMostTries = 600;  // runs of the control flow for a target
constexpr uint64_t kMostOperations = 2'000'000;        // of all of them
constexpr uint64_t kMostOperationsOfAll = 30'000'000;  // for all targets: some 0.4 s
constexpr unsigned kMostPairs = 24;   // values of one variable that are tried with those of another
constexpr int64_t kLargest = int64_t{1} << 20;
constexpr uint32_t kFewBlocks = 4;
// A run with more than this multiple of the given run's work is dropped if another one reaches the same place.
constexpr uint64_t kTimesMore = 4;

void add_once(std::vector<uint64_t>& values, int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    if (std::find(values.begin(), values.end(), bits) == values.end()) values.push_back(bits);
}

}  // namespace

// Variable of a search: an argument, the number of blocks, or the results of some loads.
struct PathSearch::Variable {
    enum class Kind : uint8_t { kArgument, kBlocks, kLoads };
    Kind kind = Kind::kArgument;
    uint32_t argument = 0;
    std::vector<uint32_t> loads{};  // steps
    std::vector<uint64_t> values;

    void apply(PathChoice& choice, uint64_t value) const {
        switch (kind) {
            case Kind::kArgument:
                choice.arguments[argument] = value;
                break;
            case Kind::kBlocks:
                choice.blocks = static_cast<uint32_t>(value);
                break;
            case Kind::kLoads:
                for (const uint32_t load : loads) choice.forced.push_back({load, value});
                break;
        }
    }
};

PathSearch::PathSearch(const AssemblyKernel& kernel, PathChoice base, DryLaunch launch,
                       uint32_t most_blocks)
    : kernel_{kernel},
      base_{std::move(base)},
      launch_{std::move(launch)},
      most_blocks_{most_blocks},
      origins_{kernel.program()},
      conditions_{kernel.program()},
      addresses_{origins_.of_addresses()} {
    launch_.blocks = base_.blocks;
    dear_ = kTimesMore * dry_run(kernel_, base_.arguments, launch_).operations;
}

// Candidate values, the simplest first: 0, halves and doubles of the given value, small numbers, then neighbours of the
// numbers in the text.
std::vector<uint64_t> PathSearch::suggestions(const Origins& origins, uint64_t given) const {
    std::vector<uint64_t> values;
    const auto base = static_cast<int64_t>(given);
    add_once(values, 0);
    for (int64_t half = base / 2; half > 0; half /= 2) add_once(values, half);
    for (int64_t twice = base; twice > 0 && twice < kLargest / 2 && values.size() < 24;) {
        twice *= 2;
        add_once(values, twice);
    }
    for (int64_t small = 1; small <= 4; ++small) add_once(values, small);
    for (const int64_t step : {1, -1}) add_once(values, base + step);
    std::vector<int64_t> numbers;
    for (const uint64_t constant : origins.constants) {
        const auto number = static_cast<int64_t>(constant);
        if (number > -kLargest && number < kLargest) numbers.push_back(number);
    }
    for (const int64_t number : numbers)
        for (const int64_t step : {0, 1, -1}) add_once(values, number + step);
    for (const int64_t a : numbers)
        for (const int64_t b : numbers) {
            const int64_t product = a * b;
            if (product <= -kLargest || product >= kLargest) continue;
            for (const int64_t step : {0, 1, -1}) add_once(values, product + step);
            add_once(values, a + b);
            add_once(values, a - b);
            if (b != 0 && a % b == 0) add_once(values, a / b);
        }
    for (const int64_t number : numbers)
        for (const int64_t step : {1, -1}) add_once(values, base + step * number);
    for (const int64_t a : numbers)
        for (const int64_t b : numbers) {
            add_once(values, -a - b);
            if (a * b < kLargest && a * b > -kLargest) add_once(values, -a * b);
        }
    for (int64_t power = 8; power < kLargest; power *= 2) add_once(values, power);
    add_once(values, -1);
    for (int64_t small = 5; small <= 64; ++small) add_once(values, small);
    return values;
}

std::vector<PathSearch::Variable> PathSearch::variables_of(const Origins& origins) const {
    std::vector<Variable> variables;
    const std::span<const Parameter> parameters = kernel_.parameters();
    for (const uint32_t argument : origins.arguments) {
        if (argument >= parameters.size() ||
            parameters[argument].kind != Parameter::Kind::kScalar ||
            !is_integer(parameters[argument].dtype))
            continue;
        const unsigned width = kernel_.program().arguments[argument].width;
        const uint64_t given = base_.arguments[argument];
        variables.push_back({Variable::Kind::kArgument, argument, {},
                             suggestions(origins, width == 0 ? given : wrap(given, width))});
    }
    if (origins.block && most_blocks_ > 1) {
        Variable blocks{Variable::Kind::kBlocks, 0, {}, {}};
        for (uint32_t few = 1; few <= kFewBlocks && few < most_blocks_; ++few)
            add_once(blocks.values, few);
        add_once(blocks.values, most_blocks_);
        variables.push_back(std::move(blocks));
    }
    return variables;
}

// The loads that decide something, by array (`whole`) or by element; of tiles one by one.
std::vector<PathSearch::Variable> PathSearch::loads_of(const Origins& origins, bool whole) const {
    const Program& program = kernel_.program();
    std::vector<Variable> variables;
    const auto array_of = [&](uint32_t load) {
        return origins_.of(program.steps[load].a).arguments;
    };
    for (const uint32_t load : origins.loads) {
        if (program.steps[load].r == kNoSlot) continue;
        const auto has = [&](const Variable& variable) {
            return std::find(variable.loads.begin(), variable.loads.end(), load) !=
                   variable.loads.end();
        };
        if (std::any_of(variables.begin(), variables.end(), has)) continue;
        Variable variable{Variable::Kind::kLoads, 0, {}, suggestions(origins, 0)};
        if (program.steps[load].code != StepCode::kLoadGlobal)
            variable.loads = {load};
        else if (!whole)
            variable.loads = conditions_.loads_like(load);
        else
            for (uint32_t i = 0; i < program.steps.size(); ++i)
                if (program.steps[i].code == StepCode::kLoadGlobal && array_of(i) == array_of(load))
                    variable.loads.push_back(i);
        variables.push_back(std::move(variable));
    }
    return variables;
}

bool PathSearch::used_up() const { return all_operations_ >= kMostOperationsOfAll; }

bool PathSearch::leads_to(const PathTarget& target, const PathChoice& choice) {
    if (tries_ == 0 || operations_ == 0 || used_up()) return false;
    --tries_;
    launch_.blocks = choice.blocks;
    std::optional<AssemblyKernel> forced;
    if (!choice.forced.empty())
        forced.emplace(kernel_.with_program(with_forced(kernel_.program(), choice.forced)));
    const DryRun run = dry_run(forced ? *forced : kernel_, choice.arguments, launch_);
    operations_ -= std::min(operations_, run.operations);
    all_operations_ += run.operations;
    if (run.failed || !(run.ended || choice.forced.empty()) || !has_done(run.counts, target))
        return false;
    if (run.operations <= dear_) return true;
    if (!dear_choice_) dear_choice_ = choice;
    return false;
}

// Each variable alone, then pairs of them.
void PathSearch::try_values(const PathTarget& target, const std::vector<Variable>& variables,
                            size_t most, std::vector<PathChoice>& found) {
    tries_ = kMostTries;
    operations_ = kMostOperations;
    const auto attempt = [&](PathChoice choice) {
        if (leads_to(target, choice)) found.push_back(std::move(choice));
        return found.size() >= most;
    };
    for (const Variable& one : variables)
        for (const uint64_t value : one.values) {
            PathChoice choice = base_;
            one.apply(choice, value);
            if (attempt(std::move(choice))) return;
        }
    if (!found.empty()) return;
    for (size_t a = 0; a < variables.size(); ++a)
        for (size_t b = a + 1; b < variables.size(); ++b)
            for (size_t i = 0; i < std::min<size_t>(kMostPairs, variables[a].values.size()); ++i)
                for (size_t j = 0; j < std::min<size_t>(kMostPairs, variables[b].values.size());
                     ++j) {
                    PathChoice choice = base_;
                    variables[a].apply(choice, variables[a].values[i]);
                    variables[b].apply(choice, variables[b].values[j]);
                    if (attempt(std::move(choice))) return;
                }
}

// Each branch on the way that nothing given decides is forced.
std::optional<PathChoice> PathSearch::force(const PathTarget& target) {
    const Program& program = kernel_.program();
    std::vector<Guard> guards = guards_of(program, target.step);
    if (!target.is_loop()) guards.push_back({target.step, target.jumps()});
    PathChoice choice = base_;
    for (const Guard& guard : guards) {
        if (program.steps[guard.step].code != StepCode::kJumpIfZero ||
            origins_.of_condition(guard.step).is_given())
            continue;
        for (const ForcedStep& one : conditions_.force(guard.step, guard.jumps)) {
            const auto same = std::find_if(
                choice.forced.begin(), choice.forced.end(),
                [&](const ForcedStep& other) { return other.step == one.step; });
            if (same != choice.forced.end() && same->value != one.value) return std::nullopt;
            if (same == choice.forced.end()) choice.forced.push_back(one);
        }
    }
    if (choice.forced.empty() || !leads_to(target, choice)) return std::nullopt;
    return choice;
}

std::vector<PathChoice> PathSearch::find(const PathTarget& target, size_t most) {
    Origins origins = origins_.of_condition(target.step);
    std::vector<PathChoice> found;
    dear_choice_.reset();
    std::vector<Variable> variables = variables_of(origins);
    try_values(target, variables, most, found);
    if (found.empty()) {
        for (const Guard& guard : guards_of(kernel_.program(), target.step))
            origins.add(origins_.of_condition(guard.step));
        variables = variables_of(origins);
        try_values(target, variables, most, found);
    }
    // Arrays whose elements are all equal, then elements.
    for (const bool whole : {true, false}) {
        if (!found.empty()) break;
        std::vector<Variable> with_loads = loads_of(origins, whole);
        if (with_loads.empty()) continue;
        with_loads.insert(with_loads.end(), variables.begin(), variables.end());
        try_values(target, with_loads, 1, found);
    }
    if (found.empty() && dear_choice_) found.push_back(std::move(*dear_choice_));
    if (found.empty() && !origins.is_given()) {
        tries_ = 1;
        operations_ = kMostOperations;
        if (auto forced = force(target)) found.push_back(std::move(*forced));
    }
    for (PathChoice& choice : found) {
        choice.moves_addresses = choice.blocks != base_.blocks && addresses_.block;
        for (const uint32_t argument : addresses_.arguments)
            choice.moves_addresses |= choice.arguments[argument] != base_.arguments[argument];
    }
    return found;
}

}  // namespace ptosim::assembly
