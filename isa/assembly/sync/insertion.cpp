#include "isa/assembly/sync/insertion.h"

#include "isa/assembly/sync/ids.h"
#include "isa/assembly/sync/missing.h"

namespace ptosim::assembly {

namespace {

using namespace sync;

// Flags in the order of the text.
class Listing {
 public:
    Listing(const Outline& outline, const std::vector<Bits>& conflicts,
            const std::vector<Flag>& flags)
        : outline_{outline}, flags_{flags}, walk_{outline, conflicts, flags} {
        walk_.prepare();
    }

    std::vector<SyncInsertion> list() {
        for (size_t position = 0; position < outline_.positions().size(); ++position) {
            const Walk::Here& here = walk_.here(position);
            list_before(position, here);
            list_behind(position, here);
        }
        return std::move(list_);
    }

 private:
    using Kind = SyncInsertion::Kind;

    void list_before(size_t position, const Walk::Here& here) {
        for (const size_t f : here.before)
            put(flags_[f].barrier() ? Kind::kBarrier : Kind::kWait, f, position, false,
                iterations_before(f), false);
        for (const size_t f : here.answering_sets) put(Kind::kSet, f, position, false, 0, false);
        for (const size_t f : here.first)
            for (size_t i = 0; i < flags_[f].outstanding(); ++i)
                put(Kind::kSet, f, position, false, iterations_before(f) + i, true);
    }

    void list_behind(size_t position, const Walk::Here& here) {
        for (const size_t f : here.last)
            for (size_t i = 0; i < flags_[f].outstanding(); ++i)
                put(Kind::kWait, f, position, true, iterations_before(f) + i,
                    ends_where_it_began(f));
        for (const size_t f : here.answering_waits) put(Kind::kWait, f, position, true, 0, false);
        for (const size_t f : here.behind) put(Kind::kSet, f, position, true, 0, false);
    }

    // The id is that of the iteration `iteration`, which is counted from the first one (`fixed`),
    // or from the one that the periodic loop is in.
    void put(Kind kind, size_t f, size_t position, bool behind, size_t iteration, bool fixed) {
        const Flag& flag = flags_[f];
        SyncInsertion insertion{kind,
                                outline_.positions()[position].node->operation,
                                behind,
                                flag.source,
                                flag.destination,
                                flag.id};
        if (flag.ids > 1 && fixed)
            insertion.id = static_cast<uint8_t>(flag.id + iteration % flag.ids);
        if (flag.ids > 1 && !fixed) {
            insertion.ids = static_cast<uint8_t>(flag.ids);
            insertion.offset = static_cast<uint8_t>(iteration % flag.ids);
            insertion.loop = outline_.positions()[outline_.periodic_loops()[flag.periodic].position]
                                 .node->operation;
        }
        insertion.of = served(kind, flag, position);
        list_.push_back(insertion);
    }

    // The first work of the waiting pipe, or the last one of the setting pipe, at a position.
    const Operation* served(Kind kind, const Flag& flag, size_t position) const {
        const Position& at = outline_.positions()[position];
        const Pipe pipe = kind == Kind::kSet ? flag.source : flag.destination;
        const Operation* found = nullptr;
        for (size_t work = at.first; work < at.last; ++work) {
            const SyncNode& node = outline_.work(work);
            if (node.pipe != pipe) continue;
            found = node.operation;
            if (kind != Kind::kSet) break;
        }
        return found;
    }

    // True if after the loop the ids are the same as before it.
    bool ends_where_it_began(size_t f) const {
        const Flag& flag = flags_[f];
        return flag.ids == flag.age ||
               (flag.periodic != kNone && outline_.periodic_loops()[flag.periodic].continues);
    }
    // The iteration that is `age` iterations before, as one that is not negative.
    size_t iterations_before(size_t f) const {
        const Flag& flag = flags_[f];
        return (flag.ids - flag.age % flag.ids) % flag.ids;
    }

    const Outline& outline_;
    const std::vector<Flag>& flags_;
    Walk walk_;
    std::vector<SyncInsertion> list_;
};

}  // namespace

bool has_pipe_work(const SyncBlock& body) {
    for (const SyncNode& node : body) {
        if (node.kind == SyncNode::Kind::kWork && node.pipe != Pipe::kS) return true;
        for (const SyncBlock& block : node.blocks)
            if (has_pipe_work(block)) return true;
    }
    return false;
}

std::vector<SyncInsertion> insert_sync(const SyncBlock& body, const SyncOptions& options) {
    Outline outline(body);
    std::set<size_t> without;  // loops whose iterations were distinguished to no effect
    for (;;) {
        outline.find_periodic_loops(without);
        const std::vector<Bits> conflicts = find_conflicts(outline, options.arch);
        std::vector<Flag> flags;
        Ids ids(options, outline, conflicts, flags);
        do {
            add_missing(outline, conflicts, ids.given_up(), flags);
            take_superfluous(outline, conflicts, flags);
        } while (!ids.give() && ids.failed_loop() == kNone);
        if (ids.failed_loop() == kNone) return Listing(outline, conflicts, flags).list();
        without.insert(outline.periodic_loops()[ids.failed_loop()].position);
    }
}

}  // namespace ptosim::assembly
