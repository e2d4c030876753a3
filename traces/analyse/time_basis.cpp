#include "traces/analyse/time_basis.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace ptosim {
namespace {

uint64_t key(Opcode opcode, uint32_t operands) {
    return static_cast<uint64_t>(opcode) << 32 | operands;
}

// Adds up the steps of a path.
class PathBasis {
 public:
    explicit PathBasis(const Recording& recording)
        : recording_{recording}, chip_{recording.facts.grades} {
        for (const CostRecord& cost : recording.costs)
            costs_[key(cost.opcode, cost.operands)] = &cost.basis;
    }
    void add(const Dependencies::Step& step) {
        const Cycle cycles = step.end - step.begin;
        switch (step.spent) {
            case Spent::kWork:
            case Spent::kLatency:
                return add_work(step, cycles);
            case Spent::kSignal:
                return basis_.add(chip_.signal, cycles);
            case Spent::kBlock:
                return basis_.add(chip_.block, cycles);
            default:
                return basis_.add(chip_.scalar, cycles);
        }
    }
    const TimeBasis& result() {
        basis_.set_range(chip_);
        return basis_;
    }

 private:
    void add_work(const Dependencies::Step& step, Cycle cycles) {
        const InstructionRecord& record =
            recording_.instructions[static_cast<size_t>(step.instruction)];
        const auto found = costs_.find(key(record.opcode, record.operands));
        if (found == costs_.end()) return basis_.add(chip_.scalar, cycles);
        const CostBasis& cost = *found->second;
        const Cycle held = record.pipe_free - record.started;
        Cycle shared = 0;
        if (step.spent == Spent::kWork && record.l2_hit_bytes + record.l2_miss_bytes > 0 &&
            held > cost.transfer_cycles)
            shared = std::min(cycles, held - cost.transfer_cycles);
        const bool misses = record.l2_miss_bytes > record.l2_hit_bytes;
        basis_.add(misses ? chip_.hbm : chip_.l2, shared);
        basis_.add(cost.parts, cycles - shared);
    }

    const Recording& recording_;
    const TimeGrades& chip_;
    std::unordered_map<uint64_t, const CostBasis*> costs_;
    TimeBasis basis_;
};

std::string tenths(uint64_t value) {
    return std::to_string(value / 10) + "." + std::to_string(value % 10);
}

}  // namespace

uint64_t TimeBasis::all() const { return std::accumulate(parts.begin(), parts.end(), uint64_t{0}); }

uint64_t TimeBasis::share(TimeGrade grade) const {
    // Cycles: the products stay far from 2^64.
    const uint64_t whole = std::max<uint64_t>(1, all() / 1000);
    return (parts[static_cast<size_t>(grade)] + whole / 2) / whole;
}

void TimeBasis::set_range(const TimeGrades& chip) {
    const uint64_t whole = all();
    uint64_t off = 0;
    for (size_t grade = 0; grade < parts.size(); ++grade) {
        if (parts[grade] > 0 && chip.error[grade] == 0) return;  // nobody knows
        off += parts[grade] / 1000 * chip.error[grade];
    }
    const uint64_t unit = whole / 1000;
    if (unit > 0) range = std::max<uint64_t>(1, (off + unit / 2) / unit);
}

TimeBasis time_basis(const Recording& recording, const std::vector<Dependencies::Step>& path) {
    PathBasis basis(recording);
    if (recording.costs.empty()) return {};  // a recording of before they were kept
    for (const Dependencies::Step& step : path) basis.add(step);
    return basis.result();
}

std::string range_text(const TimeBasis& basis) {
    if (basis.range == 0) return {};
    return "+-" + tenths(basis.range) + " %" +
           (basis.guessed() ? " (never measured: all of it is assumed)" : "");
}

std::string basis_text(const TimeBasis& basis) {
    if (basis.all() == 0) return {};
    std::vector<std::pair<uint64_t, TimeGrade>> shares;
    for (size_t grade = 0; grade < kTimeGradeCount; ++grade)
        shares.emplace_back(basis.share(static_cast<TimeGrade>(grade)),
                            static_cast<TimeGrade>(grade));
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [share, grade] : shares)
        if (share > 0)
            text += (text.empty() ? "" : ", ") + tenths(share) + " % " + std::string(name(grade));
    return text + (basis.of_path ? " of the critical path" : " of the work of all pipes");
}

}  // namespace ptosim
