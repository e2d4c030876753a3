#include "isa/assembly/verify/reached.h"

#include <map>
#include <tuple>

#include "isa/assembly/program/constants.h"
#include "isa/assembly/program/loop_head.h"
#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {
namespace {

using Kind = ReachPoint::Kind;

bool is_synchronisation(Opcode opcode) {
    switch (opcode) {
        case Opcode::kSET_FLAG:
        case Opcode::kWAIT_FLAG:
        case Opcode::kCROSS_SET:
        case Opcode::kCROSS_WAIT:
        case Opcode::kINTRA_SET:
        case Opcode::kINTRA_WAIT:
        case Opcode::kGET_BUF:
        case Opcode::kRLS_BUF:
            return true;
        default:
            return false;
    }
}

class ReachedReader {
 public:
    ReachedReader(const Program& program, const StepCounts& counts)
        : program_{program}, counts_{counts}, constants_{program} {}

    std::vector<ReachPoint> read() {
        for (uint32_t i = 0; i < program_.steps.size(); ++i) read(i);
        std::vector<ReachPoint> points;
        for (auto& [key, point] : points_) points.push_back(point);
        return points;
    }

 private:
    void read(uint32_t i) {
        const Step& step = program_.steps[i];
        const StepEffect effect = effect_of(step);
        if (is_visible(effect))
            add(Kind::kLine, line_of(step.where), "", executed(i));
        if (effect == StepEffect::kIssues &&
            is_synchronisation(program_.issues[step.index].prototype.opcode))
            add(Kind::kFlag, step.where, "", executed(i));
        if (effect == StepEffect::kBranches && !constants_.value(step.a)) {
            add(Kind::kBranch, step.where, "then", executed(i) - jumped(i));
            add(Kind::kBranch, step.where, "else", jumped(i));
        }
        if (effect == StepEffect::kRepeats) loop(LoopHead(program_, i), step);
    }

    // True if a run made exactly one iteration is not known if other runs made more.
    void loop(const LoopHead& loop, const Step& step) {
        if (constants_.turns(loop.end)) return;
        const uint64_t entered = executed(loop.head) - jumped(loop.head);
        const uint64_t turns = executed(loop.end);
        add(Kind::kLoop, step.where, "no iteration", jumped(loop.head));
        add(Kind::kLoop, step.where, "one iteration", entered);
        add(Kind::kLoop, step.where, "several iterations", turns > entered ? turns - entered : 0);
    }

    static SourceLocation line_of(SourceLocation where) {
        where.column = 0;
        return where;
    }
    uint64_t executed(uint32_t i) const { return counts_.executed[i]; }
    uint64_t jumped(uint32_t i) const { return counts_.jumped[i]; }
    void add(Kind kind, SourceLocation where, std::string_view what, uint64_t count) {
        ReachPoint& point = points_[{where.file, where.line, where.column, kind, order_of(what)}];
        point.kind = kind;
        point.where = where;
        point.what = what;
        point.count += count;
    }
    static unsigned order_of(std::string_view what) {
        return what == "else" || what == "one iteration" ? 1 : what == "several iterations" ? 2 : 0;
    }

    const Program& program_;
    const StepCounts& counts_;
    Constants constants_;
    std::map<std::tuple<uint16_t, uint32_t, uint16_t, Kind, unsigned>, ReachPoint> points_;
};

}  // namespace

std::vector<ReachPoint> reach_points(const Program& program, const StepCounts& counts) {
    return ReachedReader(program, counts).read();
}

}  // namespace ptosim::assembly
