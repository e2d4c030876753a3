// Flag ids, which flags share if they are never pending together. Part of flag insertion (insertion.h).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "isa/assembly/sync/walk.h"

namespace ptosim::assembly::sync {

class Ids {
 public:
    Ids(const SyncOptions& options, const Outline& outline, const std::vector<Bits>& conflicts,
        std::vector<Flag>& flags)
        : options_{options}, outline_{outline}, conflicts_{conflicts}, flags_{flags} {}

    // Gives each flag an id. A flag for which none is free takes turns with
    // more ids, gets an answer, is merged with another flag, is pending for
    // a shorter time or shortens the time of others, or is given up: a
    // barrier has to replace it. False: the flags have to be computed again.
    bool give();

    // Keys of flags that have been given up.
    const std::set<Flag::Key>& given_up() const { return given_up_; }
    // The periodic loop whose iterations must not be distinguished for ids to suffice; kNone: none.
    size_t failed_loop() const { return failed_loop_; }

 private:
    bool free_for(const Flag& flag, unsigned id) const;
    std::optional<unsigned> ids_for(size_t f, const std::vector<size_t>& given,
                                    const Bits& interference) const;
    bool answer(size_t f, std::vector<Flag>& answers);
    bool take_turns(Flag& flag) const;
    bool help(size_t f, const std::vector<size_t>& given, const Bits& interference,
              std::vector<Flag>& answers);
    bool give_up(size_t f);
    static bool groups(const Flag& flag);
    bool beside(const Flag& flag, const Flag& member) const;
    bool share(size_t f, const std::vector<size_t>& given);
    void dissolve(size_t group);
    bool make_room(size_t f, const Bits& interference);
    size_t loops_around(size_t position) const;
    size_t loop_in_the_way(const Flag& flag) const;

    const SyncOptions& options_;
    const Outline& outline_;
    const std::vector<Bits>& conflicts_;
    std::vector<Flag>& flags_;
    std::set<Flag::Key> given_up_;
    size_t failed_loop_ = kNone;
    size_t answers_given_ = 0;
};

}  // namespace ptosim::assembly::sync
