#include "sim/check/chip_order.h"

#include <cstring>
#include <utility>
#include <vector>

#include "sim/machine/memory/global_memory.h"

namespace ptosim::check {
namespace {

// Messages are between processes of one machine.
class Writer {
 public:
    template <class T>
    Writer& put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
        return *this;
    }
    Writer& put(const std::string& text) {
        put(static_cast<uint32_t>(text.size()));
        const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
        bytes_.insert(bytes_.end(), bytes, bytes + text.size());
        return *this;
    }
    Writer& put(const OtherChips& clock) {
        put(static_cast<uint32_t>(clock.chips.size()));
        for (const auto& [chip, its] : clock.chips) {
            put(chip).put(its.launch).put(static_cast<uint32_t>(its.ticks.size()));
            for (const auto& [timeline, tick] : its.ticks) put(timeline).put(tick);
        }
        return *this;
    }
    std::span<const std::byte> bytes() const { return bytes_; }

 private:
    std::vector<std::byte> bytes_;
};

class Reader {
 public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_{bytes} {}
    template <class T>
    T get() {
        T value{};
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_ = bytes_.subspan(sizeof value);
        return value;
    }
    std::string text() {
        const auto size = get<uint32_t>();
        std::string text(reinterpret_cast<const char*>(bytes_.data()), size);
        bytes_ = bytes_.subspan(size);
        return text;
    }
    OtherChips clock() {
        OtherChips clock;
        for (auto chips = get<uint32_t>(); chips > 0; --chips) {
            ChipTicks& its = clock.chips[get<uint16_t>()];
            its.launch = get<uint32_t>();
            for (auto ticks = get<uint32_t>(); ticks > 0; --ticks) {
                const auto timeline = get<uint32_t>();
                its.ticks.emplace_hint(its.ticks.end(), timeline, get<uint32_t>());
            }
        }
        return clock;
    }

 private:
    std::span<const std::byte> bytes_;
};

void put_access(Writer& writer, const WindowAccess& a) {
    writer.put(a.begin).put(a.width).put(a.pitch).put(a.lines).put(a.window).put(a.timeline).put(a.tick).put(a.launch);
    writer.put(a.time).put(a.stored).put(a.reads).put(a.writes).put(a.atomic).put(a.signal).put(a.rewrites_line);
    const WindowAccess::Names& names = a.names;
    writer.put(names.core).put(names.pipe).put(names.instruction).put(names.what).put(names.file).put(names.line);
}

WindowAccess get_access(Reader& reader) {
    WindowAccess a;
    for (uint64_t* const number : {&a.begin, &a.width, &a.pitch, &a.lines, &a.window}) *number = reader.get<uint64_t>();
    for (uint32_t* const number : {&a.timeline, &a.tick, &a.launch}) *number = reader.get<uint32_t>();
    for (uint64_t* const number : {&a.time, &a.stored}) *number = reader.get<uint64_t>();
    for (bool* const flag : {&a.reads, &a.writes, &a.atomic, &a.signal, &a.rewrites_line}) *flag = reader.get<bool>();
    WindowAccess::Names& names = a.names;
    for (std::string* const text : {&names.core, &names.pipe, &names.instruction, &names.what, &names.file})
        *text = reader.text();
    names.line = reader.get<uint32_t>();
    return a;
}

}  // namespace

void ChipOrder::join(Peers* peers, Accessed accessed) {
    peers_ = peers;
    accessed_ = std::move(accessed);
    if (peers_ == nullptr) return;
    peers_->listen([this](unsigned from, std::span<const std::byte> message) { hear(from, message); });
}

void ChipOrder::launch() {
    if (peers_ == nullptr) return;
    take_accesses();
    in_launch_ = true;
    const Peers::Launch begun = peers_->begin_launch();
    launch_ = begun.number;
    timelines_.begin_after(ended_before(begun));
}

OtherChips ChipOrder::ended_before(const Peers::Launch& launch) const {
    OtherChips ended;
    for (size_t chip = 0; chip < launch.ended.size(); ++chip)
        if (chip != peers_->chip()) ended.chips[static_cast<uint16_t>(chip)] = {launch.ended[chip] + 1, {}};
    return ended;
}

std::optional<ChipOrder::HostAccess> ChipOrder::host_access() {
    if (peers_ == nullptr) return {};
    const std::optional<Peers::HostAccess> access = peers_->begin_host_access();
    if (!access) return {};
    if (!in_launch_) take_accesses();
    OtherChips clock = timelines_.chips_before_host();
    clock.add(ended_before(access->launch));
    return HostAccess{access->launch.number, access->time, std::move(clock)};
}

void ChipOrder::take_accesses() {
    std::vector<Waiting> waiting;
    waiting.swap(waiting_);
    for (const Waiting& one : waiting) accessed_(one.from, one.access, one.clock);
}

OtherChips ChipOrder::clock_of(const RemoteTicks& ticks) const {
    OtherChips clock = timelines_.ended_chips();
    if (ticks.chips) clock.add(*ticks.chips);
    ChipTicks& own = clock.chips[static_cast<uint16_t>(peers_->chip())];
    own = {launch_, {}};
    for (size_t i = 0; i < ticks.ticks.size(); ++i)
        if (ticks.ticks[i] != 0) own.ticks.emplace_hint(own.ticks.end(), static_cast<uint32_t>(i), ticks.ticks[i]);
    return clock;
}

void ChipOrder::acquire(CoreId core, uint64_t address) {
    const Peers::Place place = *peers_->place_of(address);
    Writer message;
    message.put(Kind::kAcquire).put(core).put(launch_).put(place.address);
    peers_->tell(place.chip, message.bytes());
}

void ChipOrder::release(uint64_t address, bool atomic) {
    const RemoteTicks* const released = timelines_.released_at(address);
    if (released == nullptr) return;
    const Peers::Place place = *peers_->place_of(address);
    Writer message;
    message.put(Kind::kRelease).put(place.address).put(atomic).put(clock_of(*released));
    peers_->tell(place.chip, message.bytes());
}

void ChipOrder::tell_access(unsigned owner, const WindowAccess& access, const OtherChips& clock) {
    Writer message;
    message.put(Kind::kAccess);
    put_access(message, access);
    message.put(clock);
    peers_->tell(owner, message.bytes());
}

void ChipOrder::hear(unsigned from, std::span<const std::byte> bytes) {
    Reader reader(bytes);
    switch (reader.get<Kind>()) {
        case Kind::kRelease: {
            const auto address = reader.get<uint64_t>();
            const auto atomic = reader.get<bool>();
            return timelines_.release_from(address, reader.clock(), atomic);
        }
        case Kind::kAcquire: {
            const auto core = reader.get<CoreId>();
            const auto launch = reader.get<uint32_t>();
            const RemoteTicks* const released = timelines_.released_at(reader.get<uint64_t>());
            if (released == nullptr) return;
            Writer answer;
            answer.put(Kind::kAnswer).put(core).put(launch).put(clock_of(*released));
            return peers_->tell(from, answer.bytes());
        }
        case Kind::kAnswer: {
            const auto core = reader.get<CoreId>();
            if (reader.get<uint32_t>() != launch_) return;
            return timelines_.acquire_from(core, reader.clock());
        }
        case Kind::kAccess: {
            WindowAccess access = get_access(reader);
            if (access.signal && access.writes && !access.atomic && access.width <= sizeof access.stored)
                access.repeats = std::memcmp(GlobalMemory::host(access.window + access.begin), &access.stored,
                                             access.width) == 0;
            OtherChips clock = reader.clock();
            if (in_launch_) return accessed_(from, access, clock);
            waiting_.push_back({from, std::move(access), std::move(clock)});
        }
    }
}

}  // namespace ptosim::check
