#include "sim/machine/memory/shared_memory.h"

#include <algorithm>
#include <limits>

#include "isa/core/view_rows.h"

namespace ptosim {
namespace {

// Calls rows(address, size, stride, count), in bytes, for the contiguous parts of a view.
template <class Rows>
void for_rows(const GlobalView& view, const Rows& rows) {
    const auto [together, loops, count] = rows_of(view);
    const auto in_bytes = [&](int64_t elements) {
        return bytes(view.dtype, static_cast<size_t>(elements));
    };
    const uint64_t size = in_bytes(together);
    if (count == 0) return rows(view.address, size, 0, 1);
    // If its rows begin at whole bytes, the callee iterates over the innermost loop.
    const int64_t inner = view.stride[loops[0]] * static_cast<int64_t>(bits(view.dtype));
    const bool whole = inner % 8 == 0;
    std::array<int32_t, GlobalView::kRank> index{};
    for (;;) {
        int64_t offset = 0;
        for (size_t i = 0; i < count; ++i) offset += index[i] * view.stride[loops[i]];
        rows(view.address + in_bytes(offset), size, inner / 8,
             whole ? static_cast<uint64_t>(view.shape[loops[0]]) : 1);
        size_t i = whole ? 1 : 0;
        while (i < count && ++index[i] == view.shape[loops[i]]) index[i++] = 0;
        if (i == count) return;
    }
}

// True if a view consists of short rows whose distance is a multiple of 32 KiB: they use few of the parts of L2 that
// answer in parallel.
bool has_far_rows(const GlobalView& view) {
    constexpr uint64_t kFar = 32 * 1024, kShort = 2048;  // bytes
    const ViewRows rows = rows_of(view);
    if (rows.depth == 0) return false;
    const auto in_bits = [&](int64_t elements) {
        return static_cast<uint64_t>(elements) * bits(view.dtype);
    };
    return in_bits(rows.length) <= 8 * kShort &&
           in_bits(view.stride[rows.loops[0]]) % (8 * kFar) == 0;
}

std::array<Milli, FluidMemory::kResources> capacities(const MemoryDomain& domain, uint64_t clock) {
    const Milli read = per_cycle(domain.l2.read, clock), write = per_cycle(domain.l2.write, clock);
    return {read, write, domain.l2.both > 0 ? per_cycle(domain.l2.both, clock) : read + write,
            per_cycle(domain.hbm.rate, clock)};
}

}  // namespace

SharedMemory::SharedMemory(EventQueue& event_queue, const MemoryDomain& domain, uint64_t clock,
                           ParametersRead& read)
    : event_queue_{event_queue},
      domain_{domain},
      read_{read},
      l2_{domain.l2.bytes},
      memory_{capacities(domain, clock)},
      wake_{event_queue, updater_} {}

L2Cache::Access SharedMemory::access(const GlobalView& view, bool write) const {
    using Access = L2Cache::Access;
    const auto holds = [&](const Range& range) { return view.address - range.address < range.size; };
    if (view.past_l2 || std::ranges::any_of(bypass_l2_, holds))
        return write ? Access::kWriteBypass : Access::kReadBypass;
    return write ? Access::kWrite : Access::kRead;
}

L2Cache::Traffic SharedMemory::touch(const GlobalView& view, L2Cache::Access access) {
    if (view.elements() > 0)
        for_rows(view, [&](uint64_t address, uint64_t size, int64_t stride, uint64_t count) {
            l2_.rows(address, size, stride, count, access);
        });
    return l2_.take();
}

// The rate that the core itself can sustain: requests of whole sectors, and its fixed cycles. For reads, the bytes
// beyond the ones that it may request at once come at the rate of returns in a latency.
Milli SharedMemory::limit(const Cost& cost, uint64_t touched,
                          const Outstanding* outstanding) const {
    const uint64_t micro = 1000 * 1000;  // bytes over thousandths of bytes a cycle, in thousandths
    Milli time = cost.fixed + touched * micro / cost.rate;
    if (outstanding != nullptr) {
        const uint64_t most = read_(domain_.outstanding);
        const uint64_t at_once = most - outstanding->before;
        if (touched > at_once)
            time = std::max(time, (touched - at_once) * outstanding->latency / most);
    }
    return std::max<Milli>(1, cost.bytes * micro / std::max<Milli>(1, time));
}

// The part of `bytes` in flight that is still in flight some cycles later.
uint64_t SharedMemory::left(uint64_t bytes, Cycle later, Milli latency) {
    const Milli gone = std::min<Milli>(later * 1000, latency);
    return latency == 0 ? 0 : bytes * (latency - gone) / latency;
}

SharedMemory::Request& SharedMemory::request_of(const Requester& requester) {
    const CoreId core = requester.core;
    Request& request = requests_[uint32_t{core.index} << 16 | static_cast<uint32_t>(core.type) << 8 |
                                 static_cast<uint32_t>(requester.pipe)];
    request.cluster = requester.cluster;
    return request;
}

// Records a read of `bytes` bytes, `far` of them from after L2.
void SharedMemory::note_read(Request& request, const Cost& cost, uint64_t bytes,
                             uint64_t far) const {
    request.has_read = true;
    Outstanding& outstanding = request.outstanding;
    outstanding.before =
        left(outstanding.in_flight, event_queue_.now() - outstanding.ended, outstanding.latency);
    outstanding.began = event_queue_.now();
    outstanding.bytes = bytes;
    outstanding.latency =
        cost.latency * 1000 + (bytes == 0 ? 0 : far * read_(domain_.hbm.latency) / bytes);
}

void SharedMemory::Outstanding::end(Cycle now, uint64_t most) {
    const Cycle took = now - began;
    const uint64_t of_it = took * 1000 <= latency ? bytes : bytes * latency / (took * 1000);
    in_flight = std::min(most, of_it + left(before, took, latency));
    ended = now;
}

// Bytes of a transfer in the memory after L2. If it bypasses L2, a partly read window has another cost than one that L2
// fetches for itself.
uint64_t SharedMemory::behind_l2(const Cost& cost, const L2Cache::Traffic& traffic,
                                 bool bypasses) const {
    if (traffic.miss_bytes == 0) return 0;
    const uint64_t touched = traffic.hit_bytes + traffic.miss_bytes;
    const uint64_t rows =
        (traffic.rows * cost.row_bytes +
         traffic.windows_entered * read_(domain_.hbm.window)) *
        traffic.miss_bytes / touched;
    if (!bypasses || traffic.part_bytes == 0) return traffic.miss_bytes + rows;
    const uint64_t in_part = traffic.part_bytes + rows * traffic.part_bytes / traffic.miss_bytes;
    return traffic.miss_bytes + rows - in_part +
           in_part * read_(domain_.hbm.bypass_l2) / 1000;
}

// A read of data that another core is reading queues for the same windows. It waits for the memory after L2 as long as
// the read that fetches the data.
SharedMemory::Read& SharedMemory::join(uint64_t address, uint64_t misses,
                                       const Request& request) {
    Read* free = nullptr;
    for (Read& read : reads_) {
        if (read.readers.empty()) {
            free = &read;
        } else if (read.address == address) {
            read.misses = std::max(read.misses, misses);
            read.readers.push_back(&request);
            return read;
        }
    }
    if (free == nullptr) free = &reads_.emplace_back();
    free->address = address;
    free->misses = misses;
    free->readers.push_back(&request);
    return *free;
}

Transfer SharedMemory::start(const Requester& requester, const Cost& cost, const GlobalView& view,
                             Event& done) {
    advance(event_queue_.now());  // what ends now must not take from the new transfer
    if (cost.bytes == 0) {
        done.notify();
        schedule();
        return {};
    }
    Request& request = request_of(requester);
    request.done = &done;
    const Transfer transfer = begin(event_queue_.now(), request, cost, view);
    schedule();
    return transfer;
}

void SharedMemory::find_least_ends(Cycle now, std::vector<Cycle>& ends) const {
    memory_.for_least_ends(now, [&](const void* owner, Cycle end) {
        const auto* request = static_cast<const Request*>(owner);
        if (request->done != nullptr) ends[request->cluster] = std::min(ends[request->cluster], end);
    });
}

void SharedMemory::start_lines(const Requester& requester, const ThreadWork& work, Event& done) {
    advance(event_queue_.now());
    const uint64_t bytes = work.read + work.written;
    if (bytes == 0) {
        done.notify();
        return schedule();
    }
    Request& request = request_of(requester);
    request.done = &done;
    request.met = false;
    bytes_behind_l2_ += work.behind_l2;
    read_.note(domain_.l2.bytes);
    read_.note(domain_.l2.read);
    read_.note(domain_.l2.write);
    if (work.behind_l2 > 0) read_.note(domain_.hbm.rate);
    counts_.hbm_use += work.behind_l2;
    counts_.l2_read_use += work.read;
    counts_.l2_write_use += work.written;
    const auto share = [&](uint64_t part) { return static_cast<uint32_t>(part * 1000 / bytes); };
    const FluidMemory::Use use{share(work.read), share(work.written), 1000, share(work.behind_l2)};
    // The threads' own time is that of the instruction; here is the memory's.
    const Milli rate = bytes * 1000;
    request.alone_end = event_queue_.now() + 1;
    memory_.add(event_queue_.now(), bytes, rate, use, &request, FluidMemory::Window{}, FluidMemory::Owner::kCores);
    schedule();
}

Cycle SharedMemory::start_for_peer(Cycle now, uint32_t number, const Cost& cost, const GlobalView& view) {
    advance(now);
    Cycle behind = 0;
    if (cost.bytes == 0) {
        ended_for_peers_.push_back(number);
        ended_at_ = now;
    } else {
        Request& request = of_peers_[number];
        request.number = number;
        behind = begin(now, request, cost, view).behind;
    }
    schedule();
    return behind;
}

void SharedMemory::end_for_peers(Cycle now, std::vector<uint32_t>& ended) {
    advance(now);
    schedule();
    ended.insert(ended.end(), ended_for_peers_.begin(), ended_for_peers_.end());
    ended_for_peers_.clear();
}

Transfer SharedMemory::begin(Cycle now, Request& request, const Cost& cost, const GlobalView& view) {
    const bool of_peer = request.done == nullptr;
    const bool write = cost.shared == Cost::Shared::kWrite;
    const L2Cache::Access how = access(view, write);
    const L2Cache::Traffic traffic = touch(view, how);
    bytes_behind_l2_ += traffic.miss_bytes + traffic.written_back;
    read_.note(domain_.l2.bytes);
    read_.note(write ? domain_.l2.write : domain_.l2.read);
    if (domain_.l2.both > 0) read_.note(domain_.l2.both);
    if (traffic.miss_bytes + traffic.written_back > 0) read_.note(domain_.hbm.rate);
    const uint64_t touched = traffic.hit_bytes + traffic.miss_bytes;
    FluidMemory::Window window;
    uint64_t far = 0;  // bytes that L2 lacks
    request.met = false;
    const Outstanding* outstanding = nullptr;
    if (!write) {
        const Read& read = join(view.address, traffic.miss_bytes, request);
        far = read.misses;
        ++counts_.reads;
        request.met = read.readers.size() > 1;
        counts_.met += request.met ? 1 : 0;
        if (!of_peer) {
            note_read(request, cost, touched, std::min(touched, read.misses));
            outstanding = &request.outstanding;
        }
        window.number = request.read = static_cast<uint32_t>(&read - reads_.data());
        // One request for each row, or for each window of a long row.
        const uint64_t requests = std::max<uint64_t>(cost.rows, touched / L2Cache::kWindow);
        window.occupied = requests * read_(domain_.same_window) * 1000 / cost.bytes;
    }
    uint64_t behind = behind_l2(cost, traffic, how > L2Cache::Access::kWrite);
    // Windows evicted from L2 go to HBM when reads leave room; if too much is waiting, at once.
    if (traffic.written_back > 0) {
        if (memory_.deferred_writes() + traffic.written_back <=
            read_(domain_.hbm.put_off))
            memory_.defer_write(traffic.written_back);
        else
            behind += traffic.written_back;
    }
    counts_.hbm_use += std::max(behind, traffic.miss_bytes + traffic.written_back);
    FluidMemory::Use use{};
    const uint64_t times = !write && has_far_rows(view) ? read_(domain_.l2.far_rows) : 1000;
    use[write ? FluidMemory::kL2Write : FluidMemory::kL2Read] =
        static_cast<uint32_t>(touched * times / cost.bytes);
    (write ? counts_.l2_write_use : counts_.l2_read_use) += touched * times / 1000;
    use[FluidMemory::kL2Both] = static_cast<uint32_t>(touched * 1000 / cost.bytes);
    use[FluidMemory::kHbm] = static_cast<uint32_t>(behind * 1000 / cost.bytes);
    const Milli rate = of_peer ? cost.rate : limit(cost, touched, outstanding);
    request.alone_end = now + (cost.bytes * 1000 + rate - 1) / rate;
    memory_.add(now, cost.bytes, rate, use, &request, window,
                of_peer ? FluidMemory::Owner::kPeers : FluidMemory::Owner::kCores);
    return {far > 0 ? (read_(domain_.hbm.latency) + 999) / 1000 : 0,
            cost.far_rate == 0 ? 0 : far * 1000 / cost.far_rate,
            static_cast<uint32_t>(traffic.hit_bytes), static_cast<uint32_t>(traffic.miss_bytes),
            static_cast<uint32_t>(traffic.again_bytes)};
}

void SharedMemory::collect(Cycle now) {
    for (void* owner : ended_) {
        auto* request = static_cast<Request*>(owner);
        if (request->read < reads_.size()) std::erase(reads_[request->read].readers, request);
        if (request->done == nullptr) {
            ended_for_peers_.push_back(request->number);
            ended_at_ = now;
            of_peers_.erase(request->number);
            continue;
        }
        (request->met ? counts_.met_cycles : counts_.shared_cycles) += now - std::min(now, request->alone_end);
        request->done->notify();
        if (request->has_read)
            request->outstanding.end(now, read_(domain_.outstanding));
    }
    ended_.clear();
}

void SharedMemory::advance(Cycle now) {
    memory_.advance(now, ended_);
    collect(now);
}

void SharedMemory::update() {
    advance(event_queue_.now());
    schedule();
}

void SharedMemory::schedule() {
    const Cycle next = memory_.next_end();
    wake_.cancel();
    if (next == std::numeric_limits<Cycle>::max()) return;
    wake_.notify(next - event_queue_.now());
}

}  // namespace ptosim
