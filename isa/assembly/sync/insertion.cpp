#include "isa/assembly/sync/insertion.h"

#include "isa/assembly/sync/ids.h"
#include "isa/assembly/sync/missing.h"

namespace ptosim::assembly {

namespace {

using namespace sync;

// Flags as they stand in the text.
class Listing {
 public:
    Listing(const Outline& outline, const std::vector<Bits>& conflicts,
            const std::vector<Flag>& flags)
        : outline_{outline}, flags_{flags}, walk_{outline, conflicts, flags} {
        walk_.prepare();
    }

    std::vector<SyncInsertion> list() {
        for (size_t place = 0; place < outline_.places().size(); ++place) {
            const Walk::Here& here = walk_.here(place);
            list_before(place, here);
            list_behind(place, here);
        }
        return std::move(list_);
    }

 private:
    using Kind = SyncInsertion::Kind;

    void list_before(size_t place, const Walk::Here& here) {
        for (const size_t f : here.before)
            put(flags_[f].barrier() ? Kind::kBarrier : Kind::kWait, f, place, false,
                rounds_before(f), false);
        for (const size_t f : here.answering_sets) put(Kind::kSet, f, place, false, 0, false);
        for (const size_t f : here.first)
            for (size_t i = 0; i < flags_[f].outstanding(); ++i)
                put(Kind::kSet, f, place, false, rounds_before(f) + i, true);
    }

    void list_behind(size_t place, const Walk::Here& here) {
        for (const size_t f : here.last)
            for (size_t i = 0; i < flags_[f].outstanding(); ++i)
                put(Kind::kWait, f, place, true, rounds_before(f) + i, ends_where_it_began(f));
        for (const size_t f : here.answering_waits) put(Kind::kWait, f, place, true, 0, false);
        for (const size_t f : here.behind) put(Kind::kSet, f, place, true, 0, false);
    }

    // The id is that of the round `round`, which is counted from the first one (`fixed`), or from
    // the one that the wheel is in.
    void put(Kind kind, size_t f, size_t place, bool behind, size_t round, bool fixed) {
        const Flag& flag = flags_[f];
        SyncInsertion insertion{
            kind,   outline_.places()[place].node->operation, behind, flag.source, flag.destination,
            flag.id};
        if (flag.ids > 1 && fixed) insertion.id = static_cast<uint8_t>(flag.id + round % flag.ids);
        if (flag.ids > 1 && !fixed) {
            insertion.ids = static_cast<uint8_t>(flag.ids);
            insertion.offset = static_cast<uint8_t>(round % flag.ids);
            insertion.loop = outline_.places()[outline_.wheels()[flag.wheel].place].node->operation;
        }
        list_.push_back(insertion);
    }

    // Whether behind the loop the ids are where they were before it.
    bool ends_where_it_began(size_t f) const {
        const Flag& flag = flags_[f];
        return flag.ids == flag.age ||
               (flag.wheel != kNone && outline_.wheels()[flag.wheel].endless);
    }
    // The round that is `age` rounds before, as one that is not negative.
    size_t rounds_before(size_t f) const {
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
    std::set<size_t> without;  // loops whose rounds have been told apart in vain
    for (;;) {
        outline.find_wheels(without);
        const std::vector<Bits> conflicts = find_conflicts(outline, options.arch);
        std::vector<Flag> flags;
        Ids ids(options, outline, conflicts, flags);
        do {
            add_missing(outline, conflicts, ids.given_up(), flags);
            take_superfluous(outline, conflicts, flags);
        } while (!ids.give() && ids.failed_wheel() == kNone);
        if (ids.failed_wheel() == kNone) return Listing(outline, conflicts, flags).list();
        without.insert(outline.wheels()[ids.failed_wheel()].place);
    }
}

}  // namespace ptosim::assembly
