#include "isa/assembly/sync/outline.h"

#include "isa/arch.h"

namespace ptosim::assembly::sync {

namespace {

bool any_meet(const std::vector<Reach>& earlier, const std::vector<Reach>& later,
              bool apart_in_memory = false) {
    for (const Reach& a : earlier)
        for (const Reach& b : later)
            if (!(apart_in_memory && a.global && b.global) && meet(a, b)) return true;
    return false;
}

class Conflicts {
 public:
    Conflicts(const Outline& outline, Arch arch) : outline_{outline}, arch_{arch} {}

    std::vector<Bits> find() {
        const size_t n = outline_.works();
        std::vector<Bits> conflicts(n, Bits(outline_.work_bits()));
        for (size_t later = 0; later < n; ++later)
            for (size_t earlier = 0; earlier < n; ++earlier)
                if (depends(outline_.work(earlier), outline_.work(later)))
                    add(conflicts[later], earlier, later);
        return conflicts;
    }

 private:
    // A vector pipe that works in order has no barrier.
    bool interlocked(Pipe pipe) const {
        return pipe == Pipe::kV && traits_of(arch_).vector_in_order;
    }

    // Whether `later` must find `earlier` complete.
    bool depends(const SyncNode& earlier, const SyncNode& later) const {
        if (earlier.pipe == later.pipe && (earlier.pipe == Pipe::kS || earlier.in_order ||
                                           later.in_order || interlocked(later.pipe)))
            return false;
        // Parts of one operation have their own order.
        if (&earlier != &later && earlier.operation == later.operation) return false;
        if (later.releases) return !earlier.reach.empty();
        if (earlier.acquires) return !later.reach.empty();
        return any_meet(earlier.reach, later.reach);
    }

    void add(Bits& conflicts, size_t earlier, size_t later) const {
        const Span& span = outline_.span_of(earlier);
        for (size_t b = span.first; b < span.first + span.size; ++b) {
            const Ages ages = outline_.ages_of(span, b);
            bool meets = true;
            for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i)
                meets =
                    meets && meet_after(outline_.wheels()[span.wheels[i]], earlier, later, ages[i]);
            if (meets) conflicts.set(b);
        }
    }

    // Whether they may meet in rounds that lie so far apart.
    bool meet_after(const Wheel& wheel, size_t earlier, size_t later, unsigned age) const {
        if (age >= wheel.period || !outline_.inside(later, wheel)) return true;
        const SyncNode &a = outline_.work(earlier), &b = outline_.work(later);
        if (b.releases || a.acquires) return true;
        const SyncRounds* const a_rounds = rounds(a, wheel);
        const SyncRounds* const b_rounds = rounds(b, wheel);
        const size_t count = a_rounds != nullptr   ? a_rounds->reach.size()
                             : b_rounds != nullptr ? b_rounds->reach.size()
                                                   : 0;
        if (count == 0) return true;
        const bool apart_in_memory = a_rounds != nullptr && b_rounds != nullptr && a_rounds->box &&
                                     b_rounds->box &&
                                     apart_after(wheel, *a_rounds->box, *b_rounds->box, age);
        for (size_t i = 0; i < count; ++i) {
            const size_t round = i % wheel.period, start = i - round;
            const size_t then = start + (round + age) % wheel.period;
            if (any_meet(a_rounds != nullptr ? a_rounds->reach[i] : a.reach,
                         b_rounds != nullptr ? b_rounds->reach[then] : b.reach, apart_in_memory))
                return true;
        }
        return false;
    }

    // Rounds of a wheel without an end may be those of two runs.
    static bool apart_after(const Wheel& wheel, const GlobalBox& a, const GlobalBox& b,
                            unsigned age) {
        const auto rounds = static_cast<int64_t>(age);
        if (!apart(a, b, rounds)) return false;
        return !wheel.endless || age == 0 ||
               (a.steady && b.steady && apart(a, b, rounds - static_cast<int64_t>(wheel.trips)));
    }

    const SyncRounds* rounds(const SyncNode& node, const Wheel& wheel) const {
        for (const SyncRounds& known : node.rounds)
            if (known.loop == outline_.places()[wheel.place].node->operation) return &known;
        return nullptr;
    }

    const Outline& outline_;
    const Arch arch_;
};

}  // namespace

std::vector<Bits> find_conflicts(const Outline& outline, Arch arch) {
    return Conflicts(outline, arch).find();
}

}  // namespace ptosim::assembly::sync
