// A chip's links to the others of its system: the clock that it shares with them, and their memory.
//
// This is a conservative simulation: an action of a chip reaches another one a latency later at the earliest. A chip
// may act at a time after all others have promised to send nothing that arrives by then. Messages are applied in the
// order of their arrival, those of a cycle by sender, so no result depends on the scheduling of processes.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/chip/chip.h"
#include "sim/observe/peers.h"
#include "sim/system/chip_clocks.h"
#include "sim/system/job.h"
#include "sim/system/message_queue.h"
#include "sim/system/shared_pages.h"

namespace ptosim {

// A link from one chip to another, in cycles of the cores and thousandths of bytes per cycle.
struct LinkTimes {
    Cycle latency = 1;
    Milli rate = 1000;
    unsigned port = 0;  // transfers of one port are serialised
    Milli together = 0;  // limit of this link and the device's others together; 0: none
};

struct SystemModel;
// Links from one device to all, including itself, on chips with this clock.
std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device, unsigned devices);
// The same if the devices belong to hosts of a network: `places` has the host of each, and its number there.
struct DevicePlace {
    unsigned host = 0, number = 0;
};
std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device,
                                  std::span<const DevicePlace> places);

class Links : public Neighbours, public RemoteMemory, public Peers {
 public:
    struct Window {
        unsigned rank = 0;   // its owner
        uint64_t here = 0;   // address on this chip: of its own window, or of the copy of another's
        uint64_t there = 0;  // address on the chip that owns it
        uint64_t bytes = 0;
    };
    struct Setup {
        unsigned rank = 0;
        std::vector<Window> windows;
        std::vector<LinkTimes> links;  // by rank
        uint32_t launches = 0;  // numbers of launches up to this one belong to earlier groups of chips
        // Of chips whose runs a host begins: the job, and since when this chip has done nothing but wait.
        std::optional<Job> job;
        std::function<Cycle()> quiet_since;
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

    // Size of the pages shared by this number of chips.
    static uint64_t bytes_of_pages(unsigned chips);
    Links(Chip& chip, SharedPages pages, Setup setup);
    // The others no longer wait for this chip.
    ~Links() override;
    Links(const Links&) = delete;
    Links& operator=(const Links&) = delete;

    // Records messages from now on, up to kMostTraffic.
    void note_traffic() { notes_traffic_ = true; }
    // The number of this chip's last launch.
    uint32_t launches() const { return launches_; }
    const std::vector<Traffic>& traffic() const { return traffic_; }

    // ---- meetings of hosts, between launches

    Cycle now() const { return chip_.now(); }
    void park();
    // Serves the others while `waiting`.
    void serve(const std::function<bool()>& waiting);
    // All have met, the last of them at that time.
    void leave(Cycle last_came);
    // The host has written to this chip's window. The others' copies get the bytes if they are few, because code that
    // follows a pointer into a window reads a copy.
    void publish(uint64_t address, uint64_t bytes);

    // ---- windows that appear between launches: a rank's window is at `there` on its chip

    void add_window(const Window& window) { windows_[window.here] = window; }
    void remove_windows(uint64_t begin, uint64_t end) {
        windows_.erase(windows_.lower_bound(begin), windows_.lower_bound(end));
    }

    // ---- runs of a job

    // Moves the clock to the begin of this chip's next run. False, with a failure, if it cannot come to that.
    bool begin_run();
    void end_run();
    // None of the others has been killed.
    bool processes_run() const;
    // Between runs: serves the others until `wanted`.
    void serve_between_runs(const std::function<bool()>& wanted);

    // ---- Neighbours
    Cycle await(Cycle next) override;
    void act(Cycle now) override;

    // ---- RemoteMemory
    const Diagnostic* failure() const override { return failure_ ? &*failure_ : nullptr; }
    bool holds(uint64_t address) const override { return window_at(address) != nullptr; }
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
    unsigned chip() const override { return setup_.rank; }
    std::optional<Place> place_of(uint64_t address) const override;
    void tell(unsigned chip, std::span<const std::byte> message) override;
    void listen(Listener listener) override { listener_ = std::move(listener); }
    Launch begin_launch() override;

 private:
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
    struct Request {
        unsigned rank = 0;
        GlobalView view;
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
    class Patience;
    using Clock = std::chrono::steady_clock;
    using Key = std::tuple<Cycle, unsigned, uint64_t>;  // arrival, sender, number

    unsigned ranks() const { return static_cast<unsigned>(setup_.links.size()); }
    ChipClocks::Clock& clock(unsigned rank) const { return clocks_->clocks[rank]; }
    const Window* any_window_at(uint64_t address) const;
    // The window of another chip; null: none.
    const Window* window_at(uint64_t address) const;
    const Window& own_window() const;
    Cycle bound(bool asks);
    Cycle next_run_of(unsigned rank, const Promise& its) const;
    void drain();
    // Time of the next arrival, or of the next end of a transfer by another chip.
    Cycle earliest() const {
        const Cycle ends = chip_.memory().next_end_for_peers();
        return pending_.empty() ? ends : std::min(ends, std::get<0>(pending_.begin()->first));
    }
    void promise(Cycle time, bool parked);
    bool all_wait(Cycle now);
    void fail_deadlock(Cycle now);
    bool peers_live();
    bool peers_move(const Patience& patience);
    void fail(std::string what, std::string hint);
    Cycle least_latency() const;
    uint32_t ask(Message& message, const Request& request);
    void send(unsigned to, Message message, std::span<const std::byte> bytes);
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
    void apply_published(unsigned from, const Message& message, std::span<const std::byte> bytes);
    void apply_store(const Message& message, std::span<const std::byte> bytes);
    void open(bool opened);

    Chip& chip_;
    SharedPages pages_;
    Setup setup_;
    ChipClocks* clocks_;
    std::vector<MessageQueue> to_, from_;  // by rank
    std::map<uint64_t, Window> windows_;    // by their begin here
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
    const Cycle step_;  // between two promises
    Cycle next_check_ = 0;  // for a deadlock
    Cycle bound_ = 0;  // no message that is not yet received arrives before it
    ChipClocks::Clock* slowest_ = nullptr;  // the clock with that promise
    Promise slowest_promise_;
    Cycle promised_ = 0;
    uint16_t meetings_ = 0;  // left by this chip's host, or runs of a job that have begun
    bool idle_ = true;       // for a job: no run is active
    bool opened_ = false;    // the chip's own window, while its host waits
    std::optional<Diagnostic> failure_;
    std::vector<uint64_t> sent_;  // messages, by rank
    Listener listener_;
    uint32_t launches_ = 0;         // of this chip, begun
    std::vector<uint32_t> ended_;   // launches that precede the next one of this chip, by rank
    bool notes_traffic_ = false;
    std::vector<Traffic> traffic_;
};

}  // namespace ptosim
