#include "sim/faces/sweep/search.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ptosim::sweep {
namespace {

constexpr size_t kAllBelow = 4;     // of fewer values the coarse grid has all
constexpr size_t kKeepOneOf = 3;    // of the choices that ran on the shorter problem
constexpr size_t kKeepAtLeast = 3;

uint64_t product_of(const std::vector<size_t>& at) {
    uint64_t sum = 0;
    for (const size_t index : at) sum += index;
    return sum;
}

}  // namespace

Search::Search(const Plan& plan, Point point, std::string program)
    : plan_{plan}, program_{std::move(program)}, best_{std::move(point)} {
    for (const Axis& axis : best_.kernel->search) sizes_.push_back(axis.values.size());
}

// Null if the chip cannot hold it, or the kernel excludes it.
Search::Choice* Search::choice(const std::vector<size_t>& at) {
    for (const auto& known : choices_)
        if (known->at == at) return known->whole.skipped.empty() ? known.get() : nullptr;
    auto made = std::make_unique<Choice>(Choice{at, plan_.with_choice(best_, at, false, program_)});
    choices_.push_back(std::move(made));
    return choices_.back()->whole.skipped.empty() ? choices_.back().get() : nullptr;
}

// Every second value of each parameter, and the last one.
std::vector<std::vector<size_t>> Search::coarse_grid() const {
    std::vector<std::vector<size_t>> grid{{}};
    for (const size_t size : sizes_) {
        std::vector<std::vector<size_t>> longer;
        for (const auto& at : grid)
            for (size_t i = 0; i < size; ++i) {
                if (size >= kAllBelow && i % 2 == 1 && i + 1 != size) continue;
                longer.push_back(at);
                longer.back().push_back(i);
            }
        grid = std::move(longer);
    }
    return grid;
}

std::vector<std::vector<size_t>> Search::neighbours(const std::vector<size_t>& at) const {
    std::vector<std::vector<size_t>> result;
    for (size_t axis = 0; axis < at.size(); ++axis)
        for (const int step : {-1, 1}) {
            std::vector<size_t> other = at;
            if ((step < 0 && at[axis] == 0) || (step > 0 && at[axis] + 1 == sizes_[axis])) continue;
            other[axis] += static_cast<size_t>(step);
            result.push_back(std::move(other));
        }
    return result;
}

// The choices of the coarse grid that run on the whole problem.
std::vector<const Search::Choice*> Search::selected(const CyclesOf& cycles_of, std::vector<Point>& missing) {
    std::vector<const Choice*> legal;
    std::map<std::string, bool> seen;  // choices can make the same kernel
    const auto add = [&](const std::vector<size_t>& at) {
        const Choice* const one = choice(at);
        if (one != nullptr && !seen[one->whole.key]) {
            seen[one->whole.key] = true;
            legal.push_back(one);
        }
    };
    add({});
    for (const auto& at : coarse_grid()) add(at);
    if (best_.kernel->brief.empty() || legal.size() <= kKeepAtLeast) return legal;
    std::vector<std::pair<uint64_t, const Choice*>> order;
    for (const Choice* one : legal) {
        const Point brief = plan_.with_choice(best_, one->at, true, program_);
        if (!brief.skipped.empty()) {  // the shorter problem does not suit it: it stays in
            order.emplace_back(0, one);
            continue;
        }
        const auto cycles = cycles_of(brief.key);
        if (!cycles) missing.push_back(brief);
        order.emplace_back(cycles.value_or(0) == 0 ? std::numeric_limits<uint64_t>::max() : *cycles, one);
    }
    if (!missing.empty()) return {};
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    order.resize(std::min(order.size(), std::max(kKeepAtLeast, (order.size() + kKeepOneOf - 1) / kKeepOneOf)));
    std::vector<const Choice*> kept;
    for (const auto& [cycles, one] : order) kept.push_back(one);
    if (std::find(kept.begin(), kept.end(), legal.front()) == kept.end()) kept.push_back(legal.front());
    return kept;
}

// The place of a choice in the grid; of the kernel's own choice, the largest values that do not exceed its own.
std::vector<size_t> Search::place_of(const Choice& one) const {
    if (!one.at.empty()) return one.at;
    std::vector<size_t> at;
    for (const Axis& axis : best_.kernel->search) {
        size_t place = 0;
        const Json& facts = one.whole.facts;
        if (axis.name != "blocks" && facts.contains("chosen") && facts["chosen"].contains(axis.name))
            for (size_t value = 0; value < axis.values.size(); ++value)
                if (std::stoll(axis.values[value]) <= facts["chosen"][axis.name].get<int64_t>()) place = value;
        at.push_back(place);
    }
    return at;
}

std::vector<Point> Search::next(const CyclesOf& cycles_of) {
    std::vector<Point> missing;
    if (ended_) return missing;
    std::vector<const Choice*> running = selected(cycles_of, missing);
    if (!missing.empty()) return missing;
    if (running.empty()) {
        // Nothing is legal in the coarse grid: look at every choice, and report the smallest.
        std::vector<std::vector<size_t>> all{{}};
        for (const size_t size : sizes_) {
            std::vector<std::vector<size_t>> longer;
            for (const auto& at : all)
                for (size_t i = 0; i < size; ++i) {
                    longer.push_back(at);
                    longer.back().push_back(i);
                }
            all = std::move(longer);
        }
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return product_of(a) < product_of(b); });
        for (const auto& at : all)
            if (const Choice* const one = choice(at)) {
                running.push_back(one);
                break;
            }
        if (running.empty()) {
            const Point smallest = plan_.with_choice(best_, all.front(), false, program_);
            std::string values;
            for (size_t i = 0; i < sizes_.size(); ++i)
                values += (i == 0 ? "" : ", ") + best_.kernel->search[i].name + " = " +
                          best_.kernel->search[i].values[all.front()[i]];
            best_.skipped = "no choice of the search is legal on this chip; the smallest, " + values + ": " + smallest.skipped;
            best_.key.clear();
            ended_ = true;
            return missing;
        }
    }
    const Choice* best = nullptr;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    const auto judge = [&](const Choice* one) {
        const auto cycles = cycles_of(one->whole.key);
        if (!cycles) missing.push_back(one->whole);
        const uint64_t time = cycles.value_or(0) == 0 ? std::numeric_limits<uint64_t>::max() : *cycles;
        const bool better = best == nullptr || time < least;
        if (better) {
            least = time;
            best = one;
        }
        return better;
    };
    for (const Choice* one : running) judge(one);
    if (!missing.empty()) return missing;
    for (bool moved = true; moved;) {
        moved = false;
        const std::vector<size_t> at = place_of(*best);
        for (const auto& other : neighbours(at)) {
            const Choice* const one = choice(other);
            if (one != nullptr && judge(one)) moved = true;
        }
        if (!missing.empty()) return missing;
    }
    const std::vector<size_t> chosen = place_of(*best);
    best_ = best->whole;
    note_excluded(chosen);
    ended_ = true;
    return missing;
}

// The next larger value of each parameter that is not legal, with the requirement that excludes it.
void Search::note_excluded(const std::vector<size_t>& at) {
    for (size_t axis = 0; axis < at.size(); ++axis) {
        std::vector<size_t> larger = at;
        if (++larger[axis] == sizes_[axis]) continue;
        const Point other = plan_.with_choice(best_, larger, false, program_);
        if (other.skipped.empty()) continue;
        const std::string& message = other.skipped;  // FILE:LINE: reason: CONDITION does not hold
        const size_t place = message.find(": "), condition = message.rfind(": ");
        const std::string why = place == std::string::npos || condition <= place ? message : message.substr(place + 2, condition - place - 2);
        best_.facts["excluded"][best_.kernel->search[axis].name + " = " + best_.kernel->search[axis].values[larger[axis]]] = why;
    }
}

}  // namespace ptosim::sweep
