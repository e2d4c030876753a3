#include "sim/system/remote_windows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/core/view_span.h"
#include "isa/table/instruction_table.h"
#include "sim/machine/core/scalar_atomic.h"
#include "sim/system/view_bytes.h"

namespace ptosim {
namespace {

std::vector<std::byte> gathered(const GlobalView& view) {
    std::vector<std::byte> bytes(bytes_of(view));
    std::byte* at = bytes.data();
    for_rows_of(view, [&](uint64_t address, uint64_t size) {
        std::memcpy(at, GlobalMemory::host(address), size);
        at += size;
    });
    return bytes;
}

void scatter(const GlobalView& view, std::span<const std::byte> bytes) {
    const std::byte* at = bytes.data();
    for_rows_of(view, [&](uint64_t address, uint64_t size) {
        std::memcpy(GlobalMemory::host(address), at, size);
        at += size;
    });
}

// On the chip that the window belongs to.
uint64_t there(const RemoteWindows::Window& window, uint64_t address) { return address - window.here + window.there; }

}  // namespace

RemoteWindows::RemoteWindows(Chip& chip, unsigned rank, std::vector<LinkTimes> links)
    : chip_{chip},
      rank_{rank},
      links_{std::move(links)},
      queues_(2 * links_.size()),
      stores_(links_.size()),
      port_free_(links_.size()),
      sent_(links_.size()) {}

// ---- this chip's accesses -----------------------------------------------------------------

const RemoteWindows::Window* RemoteWindows::any_window_at(uint64_t address) const {
    const auto next = windows_.upper_bound(address);
    if (next == windows_.begin()) return nullptr;
    const Window& window = std::prev(next)->second;
    return address - window.here < window.bytes ? &window : nullptr;
}

const RemoteWindows::Window* RemoteWindows::window_at(uint64_t address) const {
    const Window* const window = any_window_at(address);
    return window != nullptr && window->rank != rank_ ? window : nullptr;
}

std::optional<RemoteMemory::Overrun> RemoteWindows::overrun(const GlobalView& view) const {
    const Window* const window = any_window_at(view.address);
    const std::optional<ViewSpan> span = window == nullptr ? std::nullopt : span_of(view);
    if (!span || span->begin == span->end) return {};
    const auto offset = static_cast<int64_t>(view.address - window->here);
    const Overrun found{rank_, window->rank, window->bytes, offset + span->begin, offset + span->end};
    if (found.outside() == 0) return {};
    const auto is_remote = [&](int64_t at) { return window_at(window->here + static_cast<uint64_t>(at)) != nullptr; };
    if (window->rank == rank_ && !is_remote(found.begin) && !is_remote(found.end - 1)) return {};
    return found;
}

const RemoteWindows::Window& RemoteWindows::window_of(unsigned rank) const {
    return std::find_if(windows_.begin(), windows_.end(),
                        [&](const auto& window) { return window.second.rank == rank; })
        ->second;
}

const RemoteWindows::Window& RemoteWindows::own_window() const { return window_of(rank_); }

uint64_t RemoteWindows::copy_of(uint64_t address) const {
    const Window* const window = window_at(address);
    return window == nullptr || window->copy == 0 ? address : window->copy + (address - window->here);
}

void RemoteWindows::note(const Message& message, unsigned peer, bool sent, uint64_t bytes) {
    constexpr const char* kWhat[] = {"load", "loaded", "store", "write", "atomic", "published", "load"};
    if (!notes_traffic_ || message.kind >= Kind::kTold || traffic_.size() == kMostTraffic) return;
    Traffic one{sent, kWhat[static_cast<size_t>(message.kind)], peer, message.number, message.arrival, 0, bytes};
    if (sent) {
        const LinkTimes& link = links_[peer];
        const Cycle left = std::max(chip_.now(), message.arrival - link.latency);
        one.begin = left - std::min(left, bytes * 1000 / link.rate);
        one.end = left;
    }
    one.end = std::max(one.end, one.begin + 1);
    traffic_.push_back(one);
}

void RemoteWindows::send(unsigned to, Message message, std::span<const std::byte> bytes) {
    message.number = message.kind >= Kind::kTold ? 0 : sent_[to]++;
    note(message, to, true, bytes.size());
    const auto head = std::as_bytes(std::span(&message, 1));
    std::vector<std::byte> whole(head.begin(), head.end());
    whole.insert(whole.end(), bytes.begin(), bytes.end());
    carry(to, std::move(whole));
}

void RemoteWindows::receive(unsigned from, std::vector<std::byte> message) {
    Cycle arrival = 0;
    std::memcpy(&arrival, message.data(), sizeof arrival);
    pending_.emplace(Key{arrival, from, received_++}, std::move(message));
}

// Returns the time at which the last of these bytes has left.
Cycle RemoteWindows::leave_port(unsigned to, uint64_t bytes, Cycle now) {
    const LinkTimes& link = links_[to];
    LinkCounts& counts = chip_.link_counts();
    counts.sent_bytes += bytes;
    counts.ports.resize(std::max(counts.ports.size(), links_.size()));
    const auto after = [&](Milli& free, Milli rate, Milli& busy) {
        const Milli taken = (bytes * 1000 * 1000 + rate - 1) / rate;
        busy += taken;
        free = std::max<Milli>(free, now * 1000) + taken;
        return (free + 999) / 1000;
    };
    const Cycle left = after(port_free_[link.port], link.rate, counts.ports[link.port]);
    return link.together == 0 ? left : std::max(left, after(all_free_, link.together, counts.together));
}

// The answer arrives after a round trip at the earliest. Returns the request's number.
uint32_t RemoteWindows::ask(Message& message, const Request& request) {
    const Cycle latency = links_[request.rank].latency;
    message.arrival = std::max(message.arrival, chip_.now() + latency);
    message.request = ++last_request_;
    requests_[message.request] = request;
    expect_answer(chip_.now() + 2 * latency);
    send(request.rank, message, {});
    return message.request;
}

void RemoteWindows::load(const GlobalView& view, const Cost& cost, Cycle least, Event& done) {
    const Window& window = *window_at(view.address);
    Message message;
    message.kind = Kind::kLoad;
    message.view = view;
    message.view.address = there(window, view.address);
    message.cost = cost;
    GlobalView copy = view;
    copy.address = copy_of(view.address);
    ask(message, {window.rank, copy, chip_.now() + least, &done, nullptr});
}

void RemoteWindows::fetch(uint64_t address, uint64_t size, Event& done) {
    const Window& window = *window_at(address);
    GlobalView view;
    view.address = copy_of(address);
    view.dtype = DType::kU8;
    view.shape[4] = static_cast<int32_t>(size);
    Message message;
    message.kind = Kind::kFetch;
    message.view = view;
    message.view.address = there(window, address);
    ask(message, {window.rank, view, 0, &done, nullptr});
}

uint32_t RemoteWindows::begin_store(const GlobalView& view, const Cost& cost, Cycle least, Event& done) {
    const Cycle now = chip_.now();
    const Window& window = *window_at(view.address);
    const LinkTimes& link = links_[window.rank];
    const Cycle left = leave_port(window.rank, cost.bytes, now);
    done.notify(std::max(least, left - now));
    Message message;
    message.kind = Kind::kStoreBegins;
    message.view = view;
    message.view.address = there(window, view.address);
    message.cost = cost;
    const Cycle on_link = (cost.bytes * 1000 + link.rate - 1) / link.rate;
    message.arrival = left - std::min(left, on_link) + link.latency;
    return ask(message, {window.rank, {}, 0, nullptr, nullptr});
}

// The message contains the instruction and the bytes of its tiles.
void RemoteWindows::store(uint32_t number, const Execution* execution, Cycle after, Event& done) {
    Request& request = requests_.at(number);
    request.done = &done;
    Message message;
    message.kind = Kind::kStore;
    message.request = number;
    message.arrival = chip_.now() + links_[request.rank].latency + after;
    if (execution == nullptr) return send(request.rank, message, {});
    Instruction instruction;
    instruction.assign(execution->instruction);
    std::vector<std::byte> bytes(sizeof instruction);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        Operand& operand = instruction.operands[i];
        if (operand.is_global())
            operand.global.address = there(*window_at(operand.global.address), operand.global.address);
        else if (operand.is_tile())
            bytes.insert(bytes.end(), execution->bytes[i], execution->bytes[i] + operand.tile.byte_size());
    }
    std::memcpy(bytes.data(), &instruction, sizeof instruction);
    message.numerics = execution->numerics;
    message.bits = execution->ub_bytes;
    send(request.rank, message, bytes);
}

void RemoteWindows::write(uint64_t address, std::span<const std::byte> bytes) {
    const Window& window = *window_at(address);
    const unsigned rank = window.rank;
    Message message;
    message.arrival = chip_.now() + links_[rank].latency;
    message.kind = Kind::kWrite;
    message.view.address = there(window, address);
    send(rank, message, bytes);
}

void RemoteWindows::combine(uint64_t address, DType type, AtomicMode mode, uint64_t bits, uint64_t& before, Event& done) {
    const Window& window = *window_at(address);
    Message message;
    message.kind = Kind::kCombine;
    message.type = type;
    message.mode = mode;
    message.bits = bits;
    message.view.address = there(window, address);
    ask(message, {window.rank, {}, 0, &done, &before});
}

// ---- accesses of this chip's memory -------------------------------------------------------

void RemoteWindows::apply(unsigned from, Message message, std::span<const std::byte> bytes) {
    if (message.kind != Kind::kTold) chip_.finish_data();
    switch (message.kind) {
        case Kind::kLoad: {
            const std::vector<std::byte> loaded = gathered(message.view);
            const Cycle leaves = leave_port(from, loaded.size(), message.arrival);
            return add_transfer({from, leaves, 0, false, message, loaded});
        }
        case Kind::kFetch: {
            const std::vector<std::byte> loaded = gathered(message.view);
            return answer(from, message.request, Kind::kLoaded, leave_port(from, loaded.size(), message.arrival),
                          loaded);
        }
        case Kind::kStoreBegins:
            return add_transfer({from, 0, 0, false, message, {}});
        case Kind::kStore: {
            const auto store = std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& one) {
                return one.second.from == from && one.second.message.request == message.request;
            });
            store->second.message.numerics = message.numerics;
            store->second.message.bits = message.bits;
            store->second.bytes.assign(bytes.begin(), bytes.end());
            stores_[from].push_back(store->first);
            return apply_arrived_stores(from, message.arrival);
        }
        case Kind::kWrite:
            std::memcpy(GlobalMemory::host(message.view.address), bytes.data(), bytes.size());
            return;
        case Kind::kCombine: {
            std::byte* const there = GlobalMemory::host(message.view.address);
            const size_t size = ptosim::bytes(message.type, 1);
            uint64_t before = 0;
            std::memcpy(&before, there, size);
            const uint64_t after = ptosim::combine(message.type, message.mode, before, message.bits);
            std::memcpy(there, &after, size);
            return answer(from, message.request, Kind::kLoaded, message.arrival, {}, before);
        }
        case Kind::kTold:
            if (listener_) listener_(from, bytes);
            return;
        case Kind::kPublished:
            return apply_published(from, message, bytes);
        case Kind::kLoaded:
        case Kind::kStored: {
            const auto found = requests_.extract(message.request);
            if (found.empty()) return;  // of a launch that has failed
            const Request& request = found.mapped();
            if (request.before != nullptr)
                *request.before = message.bits;
            else if (message.kind == Kind::kLoaded)
                scatter(request.view, bytes);
            const Cycle now = chip_.now();
            return request.done->notify(request.least > now ? request.least - now : 0);
        }
    }
}

void RemoteWindows::answer(unsigned to, uint32_t request, Kind kind, Cycle leaves, std::span<const std::byte> bytes,
                   uint64_t bits) {
    Message message;
    message.kind = kind;
    message.request = request;
    message.bits = bits;
    message.arrival = leaves + links_[to].latency;
    send(to, message, bytes);
}

// A link carries one transfer at a time in each direction.
std::deque<uint32_t>& RemoteWindows::queue_of(const PeerTransfer& transfer) {
    return queues_[2 * transfer.from + (transfer.message.kind == Kind::kLoad ? 0 : 1)];
}

void RemoteWindows::add_transfer(PeerTransfer transfer) {
    std::deque<uint32_t>& queue = queue_of(transfer);
    const Cycle now = transfer.message.arrival;
    const uint32_t number = ++last_transfer_;
    transfers_[number] = std::move(transfer);
    queue.push_back(number);
    if (queue.size() == 1) begin_transfer(number, now);
}

// The bytes pass this chip's memory at most as fast as they pass the link, of which the fraction of a cycle counts.
void RemoteWindows::begin_transfer(uint32_t number, Cycle now) {
    PeerTransfer& transfer = transfers_.at(number);
    Cost& cost = transfer.message.cost;
    const Milli micro = cost.bytes * 1000;
    const Cycle least = std::max<Cycle>(1, micro / links_[transfer.from].rate);
    cost.rate = std::max<Milli>(1, (micro + least - 1) / least);
    transfer.behind = chip_.memory().start_for_peer(now, number, cost, transfer.message.view);
}

void RemoteWindows::end_transfers(Cycle now) {
    std::vector<uint32_t> ended;
    chip_.memory().end_for_peers(now, ended);
    for (const uint32_t number : ended) {
        const auto at = transfers_.find(number);
        PeerTransfer& transfer = at->second;
        std::deque<uint32_t>& queue = queue_of(transfer);
        queue.pop_front();
        if (!queue.empty()) begin_transfer(queue.front(), now);
        if (transfer.message.kind == Kind::kLoad) {
            answer(transfer.from, transfer.message.request, Kind::kLoaded,
                   std::max(transfer.leaves, now) + transfer.behind, transfer.bytes);
            transfers_.erase(at);
        } else {
            transfer.ended = true;
            apply_arrived_stores(transfer.from, now);
        }
    }
}

// Stores of a chip take effect in the order of their arrival.
void RemoteWindows::apply_arrived_stores(unsigned from, Cycle now) {
    std::deque<uint32_t>& stores = stores_[from];
    while (!stores.empty()) {
        const auto at = transfers_.find(stores.front());
        const PeerTransfer& store = at->second;
        if (!store.ended) return;
        chip_.finish_data();
        if (!store.bytes.empty()) apply_store(store.message, store.bytes);
        answer(from, store.message.request, Kind::kStored, now, {});
        transfers_.erase(at);
        stores.pop_front();
    }
}

void RemoteWindows::apply_store(const Message& message, std::span<const std::byte> bytes) {
    Instruction instruction;
    std::memcpy(&instruction, bytes.data(), sizeof instruction);
    std::vector<std::byte> tiles(bytes.begin() + sizeof instruction, bytes.end());
    Execution execution{instruction, {}, message.numerics, message.bits, nullptr};
    std::byte* at = tiles.data();
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_global()) execution.bytes[i] = GlobalMemory::host(operand.global.address);
        if (!operand.is_tile()) continue;
        execution.bytes[i] = at;
        at += operand.tile.byte_size();
    }
    info(instruction.opcode).semantics(execution);
}

// ---- messages -----------------------------------------------------------------------------

void RemoteWindows::apply_arrived(Cycle now) {
    while (earliest() <= now) {
        if (chip_.memory().next_end_for_peers() <= now) end_transfers(now);
        if (pending_.empty() || std::get<0>(pending_.begin()->first) > now) continue;
        const auto first = pending_.extract(pending_.begin());
        const std::span<const std::byte> bytes = first.mapped();
        Message message;
        std::memcpy(&message, bytes.data(), sizeof message);
        note(message, std::get<1>(first.key()), false, bytes.size() - sizeof message);
        apply(std::get<1>(first.key()), message, bytes.subspan(sizeof message));
    }
}

// ---- what checkers exchange ---------------------------------------------------------------

std::optional<Peers::Place> RemoteWindows::place_of(uint64_t address) const {
    const Window* const window = any_window_at(address);
    if (window == nullptr) return {};
    return Place{window->rank, there(*window, address), address - window->here};
}

void RemoteWindows::tell(unsigned rank, std::span<const std::byte> told) {
    Message message;
    message.kind = Kind::kTold;
    message.arrival = chip_.now() + links_[rank].latency;
    send(rank, message, told);
}

}  // namespace ptosim
