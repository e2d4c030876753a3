// Order between chips with one clock, and the messages by which their checkers exchange it.
//
// A release at a word of a window (a signal) reaches the checker of the chip that owns it, with the clock of the core
// that made it; a load of the word acquires it there. Cores that load or add to a word of another chip get an answer.
// Accesses to windows go to their owner, too, where they are compared (sim/check/checkers/chips.cpp).
#pragma once

#include <functional>
#include <string>

#include "sim/check/timelines.h"
#include "sim/machine/observe/peers.h"

namespace ptosim::check {

// An access to a window, as its owner sees it.
struct WindowAccess {
    // Texts for reports.
    struct Names {
        std::string core, pipe, instruction, what, file;  // what: "TSTORE 'dst'"
        uint32_t line = 0;
        friend auto operator<=>(const Names&, const Names&) = default;
    };
    uint64_t begin = 0, width = 0, pitch = 0, lines = 1;  // offsets in the window
    uint64_t window = 0;                                  // address of its first byte on the owner
    uint32_t timeline = 0;                                // core * kLanes + lane
    uint32_t tick = 0, launch = 0;
    uint64_t time = 0;
    uint64_t stored = 0;  // by a signal
    bool reads = false, writes = false, atomic = false, signal = false, rewrites_line = false;
    bool repeats = false;  // a signal: when it arrives, its word has the value already
    Names names;
};

class ChipOrder {
 public:
    using Accessed = std::function<void(unsigned from, const WindowAccess& access, const OtherChips& clock)>;

    explicit ChipOrder(Timelines& timelines) : timelines_{timelines} {}
    // `accessed` receives accesses of other chips to this chip's windows.
    void join(Peers* peers, Accessed accessed);
    bool joined() const { return peers_ != nullptr; }
    unsigned chip() const { return peers_->chip(); }
    uint32_t launch_number() const { return launch_; }
    std::optional<Peers::Place> place_of(uint64_t address) const {
        return peers_ == nullptr ? std::nullopt : peers_->place_of(address);
    }
    // True for a word of another chip.
    bool is_remote(uint64_t address) const {
        const std::optional<Peers::Place> place = place_of(address);
        return place && place->chip != peers_->chip();
    }

    void launch();
    // An access of the host to this chip's windows; empty if hosts are not followed.
    struct HostAccess {
        uint32_t launch = 0;
        uint64_t time = 0;
        OtherChips clock;
    };
    std::optional<HostAccess> host_access();
    void launch_end() { in_launch_ = false; }
    // Accesses that others have made while this chip ran no launch.
    void take_accesses();
    // A load, or an atomic operation, of a word of another chip; a release there, after timelines have noted it.
    void acquire(CoreId core, uint64_t address);
    void release(uint64_t address, bool atomic);
    void tell_access(unsigned owner, const WindowAccess& access, const OtherChips& clock);

 private:
    enum class Kind : uint8_t { kRelease, kAcquire, kAnswer, kAccess };
    OtherChips ended_before(const Peers::Launch& launch) const;
    OtherChips clock_of(const RemoteTicks& ticks) const;
    void hear(unsigned from, std::span<const std::byte> message);

    Timelines& timelines_;
    Peers* peers_ = nullptr;
    Accessed accessed_;
    uint32_t launch_ = 0;
    // Between launches another thread may serve the links, so accesses wait.
    bool in_launch_ = false;
    struct Waiting {
        unsigned from = 0;
        WindowAccess access;
        OtherChips clock;
    };
    std::vector<Waiting> waiting_;
};

}  // namespace ptosim::check
