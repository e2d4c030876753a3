// Windows: memory that a chip shares with others. This chip's accesses to their windows become messages, and their
// messages become accesses to its own. Derived classes carry the messages.
//
// Messages are applied in the order of their arrival; messages of one cycle, in the order of senders.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/machine/chip/chip.h"
#include "sim/machine/event/neighbours.h"
#include "sim/machine/observe/peers.h"
#include "sim/system/link_times.h"

namespace ptosim {

class RemoteWindows : public RemoteMemory, public Peers {
 public:
    struct Window {
        unsigned rank = 0;   // its owner
        uint64_t here = 0;   // address in kernels on this chip
        uint64_t there = 0;  // address on the chip that owns it
        uint64_t bytes = 0;
        uint64_t copy = 0;   // of another chip: where loaded bytes lie here; 0: at `here`
    };
    // A message for recordings: the time when its bytes were on the link, or when it arrived.
    struct Traffic {
        bool sent = false;
        const char* what = "";
        unsigned peer = 0;    // the rank
        uint64_t number = 0;  // number among the messages from the sender to the receiver
        Cycle begin = 0, end = 0;
        uint64_t bytes = 0;
    };
    static constexpr size_t kMostTraffic = 1'000'000;

    // `links`: by rank.
    RemoteWindows(Chip& chip, unsigned rank, std::vector<LinkTimes> links);
    RemoteWindows(const RemoteWindows&) = delete;
    RemoteWindows& operator=(const RemoteWindows&) = delete;

    // Records messages from now on, up to kMostTraffic.
    void note_traffic() { notes_traffic_ = true; }
    const std::vector<Traffic>& traffic() const { return traffic_; }

    void add_window(const Window& window) { windows_[window.here] = window; }
    void remove_windows(uint64_t begin, uint64_t end) {
        windows_.erase(windows_.lower_bound(begin), windows_.lower_bound(end));
    }

    // ---- RemoteMemory
    bool holds(uint64_t address) const override { return window_at(address) != nullptr; }
    uint64_t copy_of(uint64_t address) const override;
    std::optional<Overrun> overrun(const GlobalView& view) const override;
    void load(const GlobalView& view, const Cost& cost, Cycle least, Event& done) override;
    uint32_t begin_store(const GlobalView& view, const Cost& cost, Cycle least, Event& done) override;
    void store(uint32_t number, const Execution* execution, Cycle after, Event& done) override;
    bool under_way(uint32_t number) const override { return requests_.count(number) != 0; }
    void forget_requests() override { requests_.clear(); }
    void fetch(uint64_t address, uint64_t size, Event& done) override;
    void write(uint64_t address, std::span<const std::byte> bytes) override;
    void combine(uint64_t address, DType type, AtomicMode mode, uint64_t bits, uint64_t& before, Event& done) override;

    // ---- Peers
    unsigned chip() const override { return rank_; }
    std::optional<Place> place_of(uint64_t address) const override;
    void tell(unsigned chip, std::span<const std::byte> message) override;
    void listen(Listener listener) override { listener_ = std::move(listener); }

 protected:
    // A store has three messages: of its first byte, of its last byte with the instruction, and the answer.
    enum class Kind : uint8_t {
        kLoad, kLoaded, kStore, kWrite, kCombine, kPublished, kFetch, kTold, kStoreBegins, kStored
    };
    struct Message {
        Cycle arrival = 0;
        Kind kind = Kind::kLoad;
        DType type{};
        AtomicMode mode{};
        Numerics numerics{};
        uint32_t request = 0;
        uint64_t number = 0;
        uint64_t bits = 0;
        GlobalView view;  // with addresses of the chip that owns the memory
        Cost cost;        // of a transfer
    };

    // Brings a message to another chip, which calls receive() with it before the cycle of its arrival ends.
    virtual void carry(unsigned to, std::vector<std::byte> message) = 0;
    // An answer to a request may arrive from then on.
    virtual void expect_answer(Cycle) {}
    // Bytes that the owner's host has written.
    virtual void apply_published(unsigned, const Message&, std::span<const std::byte>) {}

    unsigned ranks() const { return static_cast<unsigned>(links_.size()); }
    Cycle latency_to(unsigned rank) const { return links_[rank].latency; }
    Chip& owner() const { return chip_; }
    bool awaits_answers() const { return !requests_.empty(); }
    const Window& own_window() const;
    const Window& window_of(unsigned rank) const;

    void send(unsigned to, Message message, std::span<const std::byte> bytes);
    void receive(unsigned from, std::vector<std::byte> message);
    bool has_received() const { return !pending_.empty(); }
    // Time of the next arrival, or of the next end of a transfer by another chip.
    Cycle earliest() const {
        const Cycle ends = chip_.memory().next_end_for_peers();
        return pending_.empty() ? ends : std::min(ends, std::get<0>(pending_.begin()->first));
    }
    // Everything that arrives up to this time takes effect.
    void apply_arrived(Cycle now);

 private:
    struct Request {
        unsigned rank = 0;
        GlobalView view;  // of the local copy
        Cycle least = 0;  // the earliest time
        Event* done = nullptr;
        uint64_t* before = nullptr;
    };
    // A transfer of another chip through this chip's memory.
    struct PeerTransfer {
        unsigned from = 0;
        Cycle leaves = 0;    // of a load: the last byte, at the earliest
        Cycle behind = 0;    // delay of the data of a load
        bool ended = false;  // of a store, which takes effect after its last byte has arrived, too
        Message message;     // the request, or the begin of a store
        std::vector<std::byte> bytes;  // of the answer, or of a store
    };
    using Key = std::tuple<Cycle, unsigned, uint64_t>;  // arrival, sender, number

    const Window* any_window_at(uint64_t address) const;
    // The window of another chip; null: none.
    const Window* window_at(uint64_t address) const;
    uint32_t ask(Message& message, const Request& request);
    void note(const Message& message, unsigned peer, bool sent, uint64_t bytes);
    Cycle leave_port(unsigned to, uint64_t bytes, Cycle now);
    void apply(unsigned from, Message message, std::span<const std::byte> bytes);
    std::deque<uint32_t>& queue_of(const PeerTransfer& transfer);
    void add_transfer(PeerTransfer transfer);
    void begin_transfer(uint32_t number, Cycle now);
    void end_transfers(Cycle now);
    void answer(unsigned to, uint32_t request, Kind kind, Cycle leaves, std::span<const std::byte> bytes,
                uint64_t bits = 0);
    void apply_arrived_stores(unsigned from, Cycle now);
    void apply_store(const Message& message, std::span<const std::byte> bytes);

    Chip& chip_;
    const unsigned rank_;
    const std::vector<LinkTimes> links_;
    std::map<uint64_t, Window> windows_;  // by their begin here
    std::map<Key, std::vector<std::byte>> pending_;
    uint64_t received_ = 0;
    std::map<uint32_t, Request> requests_;
    uint32_t last_request_ = 0;
    std::map<uint32_t, PeerTransfer> transfers_;  // of other chips, by number
    uint32_t last_transfer_ = 0;
    std::vector<std::deque<uint32_t>> queues_;  // loads and stores of each rank, of which the first is under way
    std::vector<std::deque<uint32_t>> stores_;  // of them, those whose last byte has arrived, by rank
    std::vector<Milli> port_free_;
    Milli all_free_ = 0;  // when the links together can carry more
    std::vector<uint64_t> sent_;  // messages, by rank
    Listener listener_;
    bool notes_traffic_ = false;
    std::vector<Traffic> traffic_;
};

}  // namespace ptosim
