#include "isa/assembly/sync/outline.h"

#include "isa/core/arch.h"

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
    // A vector pipe that works in order needs no barrier.
    bool interlocked(Pipe pipe) const {
        return pipe == Pipe::kV && traits_of(arch_).vector_in_order;
    }

    // True if `later` must find `earlier` complete.
    bool depends(const SyncNode& earlier, const SyncNode& later) const {
        if (earlier.pipe == later.pipe && (earlier.pipe == Pipe::kS || earlier.in_order ||
                                           later.in_order || interlocked(later.pipe)))
            return false;
        // The parts of one operation order themselves.
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
            for (size_t i = 0; i < kMostPeriodicLoops && span.periodic_loops[i] != kNone; ++i)
                meets = meets && meet_after(outline_.periodic_loops()[span.periodic_loops[i]],
                                            earlier, later, ages[i]);
            if (meets) conflicts.set(b);
        }
    }

    // True if they may conflict in iterations that are so far apart.
    bool meet_after(const PeriodicLoop& periodic, size_t earlier, size_t later,
                    unsigned age) const {
        if (age >= periodic.period || !outline_.inside(later, periodic)) return true;
        const SyncNode &a = outline_.work(earlier), &b = outline_.work(later);
        if (b.releases || a.acquires) return true;
        const SyncIterations* const a_iterations = iterations(a, periodic);
        const SyncIterations* const b_iterations = iterations(b, periodic);
        const size_t count = a_iterations != nullptr   ? a_iterations->reach.size()
                             : b_iterations != nullptr ? b_iterations->reach.size()
                                                       : 0;
        if (count == 0) return true;
        const bool apart_in_memory =
            a_iterations != nullptr && b_iterations != nullptr && a_iterations->box &&
            b_iterations->box && apart_after(periodic, *a_iterations->box, *b_iterations->box, age);
        for (size_t i = 0; i < count; ++i) {
            const size_t iteration = i % periodic.period, start = i - iteration;
            const size_t then = start + (iteration + age) % periodic.period;
            if (any_meet(a_iterations != nullptr ? a_iterations->reach[i] : a.reach,
                         b_iterations != nullptr ? b_iterations->reach[then] : b.reach,
                         apart_in_memory))
                return true;
        }
        return false;
    }

    // Iterations of a periodic loop that continues may belong to two runs of it.
    static bool apart_after(const PeriodicLoop& periodic, const GlobalBox& a, const GlobalBox& b,
                            unsigned age) {
        const auto iterations = static_cast<int64_t>(age);
        if (!apart(a, b, iterations)) return false;
        return !periodic.continues || age == 0 ||
               (a.steady && b.steady &&
                apart(a, b, iterations - static_cast<int64_t>(periodic.trips)));
    }

    const SyncIterations* iterations(const SyncNode& node, const PeriodicLoop& periodic) const {
        for (const SyncIterations& iterations : node.iterations)
            if (iterations.loop == outline_.positions()[periodic.position].node->operation)
                return &iterations;
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
