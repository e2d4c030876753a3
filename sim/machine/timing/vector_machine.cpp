#include "sim/machine/timing/vector_machine.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

#include "sim/machine/timing/arithmetic.h"

namespace ptosim {
namespace {

// Limits the number of events of a kind in a cycle.
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

// One of the two computing units.
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

using StepKind = VectorStep::Kind;

class Machine {
 public:
    Machine(const VectorFunctions& rules, const std::vector<VectorStep>& body)
        : rules_{rules},
          body_{body},
          units_{Unit{rules.in_flight}, Unit{rules.in_flight}},
          loads_{rules.loads},
          stores_{rules.stores},
          starts_(body.size()),
          unread_(body.size()),
          last_read_(body.size()),
          readers_(body.size()) {
        for (const VectorStep& step : body)
            for (uint32_t source : step.sources) ++readers_[source];
    }

    // Cycles until the last instruction of `passes` passes has started.
    Cycle run(uint64_t passes) {
        for (uint64_t pass = 0; pass < passes; ++pass)
            for (uint32_t i = 0; i < body_.size(); ++i) step(i);
        return last_;
    }

 private:
    void step(uint32_t i) {
        const VectorStep& micro = body_[i];
        if (micro.kind == StepKind::kBarrier) return next(std::max(now_, done_));
        take_in(micro);
        Cycle from = now_ + whole(rules_.delay);
        for (uint32_t source : micro.sources)
            from = std::max(from, starts_[source] + body_[source].result +
                                      (micro.kind == StepKind::kStore ? whole(rules_.to_store) : 0));
        const Cycle start = starts_[i] = schedule(micro, from);
        last_ = std::max(last_, start);
        done_ = std::max(done_,
                         start + (micro.kind == StepKind::kStore ? whole(rules_.store) : micro.result));
        unread_[i] = readers_[i];
        last_read_[i] = 0;
        if (micro.kind != StepKind::kStore && readers_[i] == 0) released_.push(start + micro.result);
        for (uint32_t source : micro.sources) {
            last_read_[source] = std::max(last_read_[source], start);
            if (--unread_[source] == 0)
                released_.push(std::max(now_, last_read_[source] + whole(rules_.release)));
        }
    }

    // Accepts instructions in order, a limited number per cycle, while a register is free for each result.
    void take_in(const VectorStep& micro) {
        if (taken_in_ >= rules_.issue) next(now_ + 1);
        if (micro.kind != StepKind::kStore) {
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

    Cycle schedule(const VectorStep& micro, Cycle from) {
        if (micro.kind != StepKind::kCompute) {
            Calendar& port = micro.kind == StepKind::kLoad ? loads_ : stores_;
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

    const VectorFunctions& rules_;
    const std::vector<VectorStep>& body_;
    std::array<Unit, 2> units_;
    Calendar loads_, stores_;
    std::vector<Cycle> starts_;     // of this pass
    std::vector<uint32_t> unread_;  // readers in this pass that have not been placed
    std::vector<Cycle> last_read_;
    std::vector<uint32_t> readers_;
    std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> released_;  // registers
    uint64_t held_ = 0, taken_in_ = 0;
    Cycle now_ = 0, last_ = 0, done_ = 0;
};

}  // namespace

Cycle time_of_passes(const VectorFunctions& rules, const std::vector<VectorStep>& body,
                     uint64_t passes) {
    return Machine{rules, body}.run(passes);
}

}  // namespace ptosim
