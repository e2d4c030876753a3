#include "sim/machine/timing/cost_grades.h"

#include <algorithm>
#include <numeric>

#include "sim/machine/model/parameters.h"

namespace ptosim {
namespace {

// Time of an instruction by itself, in thousandths of cycles: the mean of the wait of the next one on its pipe and the
// wait of one that needs its result.
uint64_t transfer(const Cost& cost) {
    const uint64_t moves = cost.fixed + cost.bytes * 1'000'000 / std::max<Milli>(1, cost.rate);
    return std::max<uint64_t>(moves, 1000 * cost.occupancy);
}
uint64_t alone(const Cost& cost) {
    if (cost.shared == Cost::Shared::kNone) return 500 * (cost.occupancy + cost.latency);
    return transfer(cost) + 1000 * cost.latency;
}

}  // namespace

CostGrades::CostGrades(const ChipModel& chip) : changed_{chip}, cost_{changed_} {
    const std::vector<ParameterRow>& rows = parameter_rows();
    fields_.resize(rows.size());
    const auto add = [this](ChipParameter& field) {
        if (field.row() != 0) fields_[field.row() - size_t{1}].push_back(&field);
    };
    for (const ParameterRow& row : rows) {
        add(row.field(changed_));
        const ChipModel::Provenance& stated = chip.provenance[static_cast<size_t>(&row - rows.data())];
        grades_.push_back(stated.value.empty() ? TimeGrade::kAssumed : stated.grade);
        stated_.push_back(!stated.value.empty());
        counts_.push_back(row.dimension == Dimension::kCount && row.scale == 1);
    }
    for (ChipParameter& depth : changed_.aic.cube.k_per_cycle) add(depth);
}

std::vector<CostPart> CostGrades::parts(const Instruction& instruction) {
    ParametersRead read;
    {
        const ReadScope scope(read);
        cost_.cost(instruction);
    }
    const uint64_t now = alone(cost_.cost(instruction));
    // The number of instructions of which it consists: all of its time depends on that.
    TimeGrade best = TimeGrade::kSilicon;
    std::vector<CostPart> result;
    std::vector<uint64_t> moves;
    for (size_t row = 0; row < fields_.size(); ++row) {
        if (!read.contains(static_cast<uint16_t>(row + 1))) continue;
        const uint64_t value = fields_[row].front()->value();
        const auto with = [&](uint64_t changed) {
            for (ChipParameter* field : fields_[row]) *field = std::max<uint64_t>(1, changed);
            const uint64_t cycles = alone(cost_.cost(instruction));
            for (ChipParameter* field : fields_[row]) *field = value;
            return cycles;
        };
        if (counts_[row]) {
            if (stated_[row] && with(value + 1) != now) best = weaker(best, grades_[row]);
            continue;
        }
        const uint64_t more = with(value + value / 4), less = with(value - value / 4);
        if (more == less) continue;
        result.push_back({static_cast<uint16_t>(row + 1), grades_[row], 0});
        moves.push_back(more > less ? more - less : less - more);
    }
    for (CostPart& part : result) part.grade = weaker(part.grade, best);
    const uint64_t all = std::accumulate(moves.begin(), moves.end(), uint64_t{0});
    for (size_t i = 0; i < result.size(); ++i)
        result[i].share = static_cast<uint16_t>((1000 * moves[i] + all / 2) / all);
    std::stable_sort(result.begin(), result.end(),
                     [](const CostPart& a, const CostPart& b) { return a.share > b.share; });
    if (result.empty()) return result;
    int rest = 1000;
    for (const CostPart& part : result) rest -= part.share;
    result.front().share = static_cast<uint16_t>(result.front().share + rest);
    return result;
}

GradeParts sum_of(const std::vector<CostPart>& parts) {
    GradeParts sum{};
    for (const CostPart& part : parts)
        sum[static_cast<size_t>(part.grade)] =
            static_cast<uint16_t>(sum[static_cast<size_t>(part.grade)] + part.share);
    return sum;
}

CostBasis CostGrades::of(const Instruction& instruction) {
    CostBasis basis{sum_of(parts(instruction)), 0};
    const Cost cost = cost_.cost(instruction);
    if (cost.shared != Cost::Shared::kNone)
        basis.transfer_cycles = static_cast<uint32_t>(transfer(cost) / 1000);
    return basis;
}

TimeGrade weaker(TimeGrade a, TimeGrade b) {
    const auto both = [&](TimeGrade grade) { return grade == a || grade == b; };
    return *std::find_if(kBestFirst.rbegin(), kBestFirst.rend(), both);
}

TimeGrade weakest(const GradeParts& parts) {
    constexpr uint16_t kTenth = 100;
    for (size_t i = kBestFirst.size(); i-- > 0;)
        if (parts[static_cast<size_t>(kBestFirst[i])] >= kTenth) return kBestFirst[i];
    return TimeGrade::kAssumed;
}

}  // namespace ptosim
