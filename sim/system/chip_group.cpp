#include "sim/system/chip_group.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "sim/machine/model/system_model.h"
#include "sim/system/polling.h"

namespace ptosim {

class ChipGroup::Member : public RemoteWindows {
 public:
    Member(ChipGroup& group, Chip& chip, unsigned number, std::vector<LinkTimes> links)
        : RemoteWindows{chip, number, std::move(links)}, group_{group}, copies_(ranks()) {}
    ~Member() override {
        for (unsigned peer = 0; peer < ranks(); ++peer) remove_copies(peer);
    }

    const Diagnostic* failure() const override { return group_.failure_ ? &*group_.failure_ : nullptr; }
    Launch begin_launch() override {
        Launch launch{++launches_, {}};
        for (const std::unique_ptr<Member>& other : group_.members_) launch.ended.push_back(other->waited_);
        return launch;
    }
    void note_wait() { waited_ = launches_; }
    // While a launch runs, its own checkers compare it with the host's accesses.
    std::optional<HostAccess> begin_host_access() override {
        if (waited_ != launches_) return {};
        HostAccess access{begin_launch(), owner().now()};
        waited_ = launches_;
        return access;
    }

    using RemoteWindows::apply_arrived;
    using RemoteWindows::awaits_answers;
    using RemoteWindows::earliest;
    using RemoteWindows::owner;

    bool uses(unsigned peer) const { return copies_[peer] != nullptr; }
    GlobalMemory& memory() const { return owner().global(); }
    // Reserves as many bytes as the peer's memory, which cost memory only when touched.
    void add_copies(unsigned peer) {
        const uint64_t bytes = group_.members_[peer]->memory().capacity();
        void* const made =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED)
            fail_input("I30", "no address space for copies of the memory of device " + std::to_string(peer),
                       "raise the limit on virtual memory (ulimit -v)");
        copies_[peer] = static_cast<std::byte*>(made);
    }
    void remove_copies(unsigned peer) {
        if (uses(peer)) munmap(copies_[peer], group_.members_[peer]->memory().capacity());
        copies_[peer] = nullptr;
    }
    uint64_t copy_for(unsigned peer, uint64_t address) const {
        return reinterpret_cast<uint64_t>(copies_[peer]) + (address - group_.members_[peer]->memory().base());
    }

    std::map<uint64_t, uint64_t> allocations;  // bytes by address

 private:
    void carry(unsigned to, std::vector<std::byte> message) override {
        group_.members_[to]->receive(chip(), std::move(message));
    }

    ChipGroup& group_;
    std::vector<std::byte*> copies_;        // of other chips' memory, by chip; null: without access
    uint32_t launches_ = 0, waited_ = 0;    // begun; begun before the host's last wait for this chip
};

ChipGroup::ChipGroup(EventQueue& queue, std::span<Chip* const> chips, const SystemModel& system) : queue_{queue} {
    const auto count = static_cast<unsigned>(chips.size());
    for (unsigned number = 0; number < count; ++number) {
        std::vector<LinkTimes> links = link_times(system, chips[number]->model().clock, number, count);
        for (const LinkTimes& link : links) latency_ = std::max(latency_, link.latency);
        members_.push_back(std::make_unique<Member>(*this, *chips[number], number, std::move(links)));
        chips[number]->join(members_.back().get());
    }
    for (const auto& one : members_)
        for (const auto& other : members_)
            if (one != other) one->memory().set_peer(other->memory(), false);
    queue_.attend(this);
}

ChipGroup::~ChipGroup() {
    queue_.attend(nullptr);
    for (const auto& member : members_) member->owner().join(nullptr);
}

RemoteWindows& ChipGroup::windows(unsigned chip) const { return *members_[chip]; }

// ---- memory -------------------------------------------------------------------------------

void ChipGroup::add_window(unsigned to, unsigned owner, uint64_t address, uint64_t bytes) {
    members_[to]->add_window({.rank = owner,
                              .here = address,
                              .there = address,
                              .bytes = bytes,
                              .copy = to == owner ? 0 : members_[to]->copy_for(owner, address)});
}

// Without a user of the memory, the owner's checkers have nothing to compare its accesses with.
void ChipGroup::add_allocation(unsigned chip, uint64_t address, uint64_t bytes) {
    members_[chip]->allocations[address] = bytes;
    bool used = false;
    for (unsigned user = 0; user < members_.size(); ++user) {
        if (!members_[user]->uses(chip)) continue;
        add_window(user, chip, address, bytes);
        used = true;
    }
    if (used) add_window(chip, chip, address, bytes);
}

void ChipGroup::remove_allocation(unsigned chip, uint64_t address) {
    members_[chip]->allocations.erase(address);
    for (const auto& member : members_) member->remove_windows(address, address + 1);
}

void ChipGroup::set_access(unsigned chip, unsigned peer, bool usable) {
    Member& user = *members_[chip];
    Member& owner = *members_[peer];
    if (user.uses(peer) == usable) return;
    if (usable) user.add_copies(peer);
    user.memory().set_peer(owner.memory(), usable);
    for (const auto& [address, bytes] : owner.allocations) {
        if (!usable) {
            user.remove_windows(address, address + 1);
            continue;
        }
        add_window(chip, peer, address, bytes);
        add_window(peer, peer, address, bytes);
    }
    if (!usable) user.remove_copies(peer);
}

bool ChipGroup::has_access(unsigned chip, unsigned peer) const { return chip == peer || members_[chip]->uses(peer); }

// ---- runs ---------------------------------------------------------------------------------

bool ChipGroup::launch_ended() const {
    return std::ranges::any_of(members_, [](const auto& member) {
        return member->owner().under_way() && member->owner().ended();
    });
}

// The queue may also stop because of a core of a launch that has failed before.
bool ChipGroup::run() {
    polls_ = idle_ = false;
    while (!launch_ended() && !idle_) queue_.run();
    return launch_ended();
}

bool ChipGroup::settle() {
    limit_ = queue_.now() + latency_ + 1;
    const bool ended = run();
    limit_ = kNever;
    return ended;
}

bool ChipGroup::all_poll(Cycle now) const {
    return std::ranges::all_of(members_, [&](const auto& member) {
        const Chip& chip = member->owner();
        return member->earliest() == kNever && !member->awaits_answers() &&
               (!chip.under_way() || chip.quiet_since() + PollLimit::most(chip.model()) <= now);
    });
}

void ChipGroup::fail() {
    if (!polls_) return;  // each chip explains which of its cores are blocked
    failure_ = PollLimit::deadlock(queue_.now());
    for (const auto& member : members_)
        if (member->owner().under_way())
            for (const std::string& look : member->owner().looks())
                failure_->notes.push_back("device " + std::to_string(member->chip()) + ": " + look);
}

void ChipGroup::note_wait(unsigned chip) { members_[chip]->note_wait(); }

Cycle ChipGroup::await(Cycle next) {
    Cycle to = next;
    for (const auto& member : members_) to = std::min(to, member->earliest());
    if (to >= next_check_ && to != kNever) {
        next_check_ = PollLimit::next_check(to);
        polls_ = all_poll(to);
    }
    idle_ = to == kNever || to >= limit_ || polls_;
    return idle_ ? kNever : to;
}

void ChipGroup::act(Cycle now) {
    for (const auto& member : members_) member->apply_arrived(now);
}

}  // namespace ptosim
