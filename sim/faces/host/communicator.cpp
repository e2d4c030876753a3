#include "sim/faces/host/communicator.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "acl/acl.h"
#include "hccl/hccl_types.h"
#include "sim/faces/host/host_error.h"
#include "sim/machine/model/platform_figures.h"

namespace ptosim {
namespace {

constexpr char kMark[] = "ptosim ranks 1";

HostError disagreement(int code, std::string what, std::string hint = {}) {
    return host_error(code, std::move(what), std::move(hint), "H27");
}

// The layout that kernels read (hw-native-sys/pto-isa, CommDeviceContext).
struct DeviceContext {
    uint64_t workspace, workspace_bytes;
    uint32_t rank, ranks;
    uint64_t window_bytes;
    uint64_t in[MeetingPages::kMostRanks];
    uint64_t out[MeetingPages::kMostRanks];
    uint64_t ccu[4];  // addresses of an engine that does not exist here
};
static_assert(sizeof(DeviceContext) == 1088);

// The layout that kernels of operators read on chips of the kind of 910_93 (HcclOpResParam of
// ops-transformer's moe_distribute_base.h).
struct OperatorContext {
    uint64_t workspace, workspace_bytes;
    uint32_t rank, ranks;
    uint64_t window_bytes, in, out;
    char name[128];
    uint64_t flag_bytes, flags;
};
// Its table has two addresses for each rank, for the host and for the device, of such a record.
struct RankRecord {
    uint32_t rank, world_rank;
    uint64_t in, out, flags, next[4];
};
static_assert(sizeof(OperatorContext) == 192 && sizeof(RankRecord) == 64);
// The table is here in one release, there in another; public kernels are written for either. With
// at most 21 ranks both have room.
constexpr size_t kTables[] = {2984, 3320};
constexpr size_t kTableEntry = 16;
constexpr size_t kMostOperatorRanks = (kTables[1] - kTables[0]) / kTableEntry;
constexpr uint64_t kFlagBytes = 1 << 20;
// Kernels for other chips of a2a3 look for the second list of windows here (HcclCombineOpParam of
// asc-devkit).
constexpr size_t kShortList = 32;

// A whole number from 1 to `most`, or `otherwise` if the variable is not set.
uint64_t number_of(const char* variable, uint64_t otherwise, uint64_t most, const char* unit) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return otherwise;
    const char* const end = text + std::strlen(text);
    uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text, end, number);
    if (error != std::errc() || rest != end || number == 0 || number > most)
        throw disagreement(HCCL_E_PARA, std::string(variable) + "=" + text + " is not a number of " + unit,
                           "1 to " + std::to_string(most));
    return number;
}

uint64_t window_bytes_of_environment() { return number_of("HCCL_BUFFSIZE", 200, 16 << 10, "MiB") << 20; }
std::chrono::seconds patience_of_environment() {
    return std::chrono::seconds(number_of("HCCL_CONNECT_TIMEOUT", 120, 7200, "seconds"));
}

std::string window_name(unsigned rank) { return "the window of rank " + std::to_string(rank); }

SharedPages meeting_of(const RootInfo& root, unsigned rank, unsigned ranks) {
    if (ranks == 0 || ranks > MeetingPages::kMostRanks || rank >= ranks)
        throw disagreement(HCCL_E_PARA, "rank " + std::to_string(rank) + " of " + std::to_string(ranks),
                           "1 to " + std::to_string(MeetingPages::kMostRanks) + " ranks, numbered from 0");
    if (std::memcmp(root.mark, kMark, sizeof kMark) != 0)
        throw disagreement(HCCL_E_PARA, "the root info was not made by HcclGetRootInfo",
                           "pass the root's info to all ranks unchanged");
    SharedPages pages = SharedPages::open(root.meeting, sizeof(MeetingPages));
    if (pages.data() == nullptr)
        throw disagreement(HCCL_E_UNAVAIL, "the root's process has exited, or runs as another user or on another "
                                           "machine",
                           "all ranks run on one machine, and the root until all have joined");
    return pages;
}

}  // namespace

Communicator::Communicator(const RootInfo& root, unsigned rank, unsigned ranks)
    : pages_{meeting_of(root, rank, ranks)},
      meeting_{*reinterpret_cast<MeetingPages*>(pages_.data()), rank, ranks, patience_of_environment()},
      name_{"hccl" + std::to_string(std::hash<std::string>()(root.meeting) % 1000000)} {
    exchange(ranks, [&](unsigned other, unsigned count) {
        if (count != ranks)
            throw disagreement(HCCL_E_PARA,
                               "rank " + std::to_string(other) + " says that there are " + std::to_string(count) +
                                   " ranks, and this one " + std::to_string(ranks));
    }, "HcclCommInitRootInfo");
}

// `take` receives each rank's record. For chips with one clock it is a meeting, at one time for all.
template <class Record, class Take>
void Communicator::exchange(const Record& record, const Take& take, const char* what) {
    struct Timed {
        Cycle time = 0;
        Record record;
    };
    static_assert(sizeof(Timed) <= MeetingPages::kRecordBytes);
    Timed mine{0, record};
    if (links_) {
        links_->park();
        mine.time = links_->now();
    }
    Cycle last = 0;
    std::vector<Timed> all(ranks());
    const auto read = [&](unsigned rank, std::span<const std::byte> bytes) {
        if (bytes.size() != sizeof(Timed))
            throw disagreement(HCCL_E_PARA,
                               std::string(what) + ": rank " + std::to_string(rank) + " is in another call");
        std::memcpy(static_cast<void*>(&all[rank]), bytes.data(), sizeof(Timed));
        last = std::max(last, all[rank].time);
    };
    const auto meanwhile = [&](const auto& waiting) {
        if (links_) links_->serve(waiting);
    };
    if (const auto missing = meeting_.exchange(std::as_bytes(std::span(&mine, 1)), read, meanwhile)) {
        const std::string rank = std::string(what) + ": rank " + std::to_string(*missing);
        if (meeting_.has_ever_come(*missing))
            throw disagreement(HCCL_E_REMOTE, rank + " has ended", "check its last output");
        throw disagreement(HCCL_E_TIMEOUT, rank + " has not come",
                           "start all ranks, or wait longer: HCCL_CONNECT_TIMEOUT, in seconds");
    }
    if (links_) links_->leave(last);
    for (unsigned rank = 0; rank < ranks(); ++rank) take(rank, all[rank].record);
}

void Communicator::barrier() {
    exchange('b', [](unsigned, char) {}, "HcclBarrier");
}

namespace {

constexpr const char* kMakingWindows = "HcclAllocComResourceByTiling";

// A rank's window, offered to the others.
struct Offer {
    uint64_t bytes = 0;
    char path[64] = {};       // of its pages, without a common clock
    uint64_t address = 0;     // on its chip, with one
    uint64_t clock = 0;       // Hz
    Cycle now = 0;
    uint32_t launches = 0;    // of its chip, with one
    char clocks[64] = {};     // the path of the pages for all clocks: the first rank's
};

}  // namespace

// All windows must have the same size.
template <class Offer>
std::vector<Offer> Communicator::offers_of_all(const Offer& mine) {
    std::vector<Offer> offers(ranks());
    exchange(mine, [&](unsigned rank, const Offer& theirs) { offers[rank] = theirs; }, kMakingWindows);
    for (unsigned rank = 0; rank < ranks(); ++rank)
        if (offers[rank].bytes != mine.bytes)
            throw disagreement(HCCL_E_PARA,
                               std::string(kMakingWindows) + ": the window of rank " + std::to_string(rank) + " has " +
                                   std::to_string(offers[rank].bytes) + " bytes, and this one's " +
                                   std::to_string(mine.bytes),
                               "use the same HCCL_BUFFSIZE in all ranks");
    return offers;
}

uint64_t Communicator::windows(SimulatedDevice& device, DeviceMemory& memory, Windows& mapped) {
    if (context_ != 0) return context_;
    const uint64_t bytes = window_bytes_of_environment() + flag_bytes_;
    const SharedPages mine = SharedPages::make(bytes);
    Offer offer{.bytes = bytes};
    mine.path().copy(offer.path, sizeof offer.path - 1);
    const std::vector<Offer> offers = offers_of_all(offer);
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const SharedPages pages = SharedPages::open(offers[rank].path, bytes);
        void* const window =
            pages.data() == nullptr ? nullptr : mapped.map(device.memory(), bytes, pages.file());
        if (window == nullptr)
            throw disagreement(HCCL_E_MEMORY, std::string(kMakingWindows) + ": no room for the window of rank " +
                                                  std::to_string(rank));
        windows_.push_back(window);
        memory.lend(window, bytes, window_name(rank));
    }
    window_bytes_ = bytes - flag_bytes_;
    context_ = write_context(device, memory);
    exchange('w', [](unsigned, char) {}, kMakingWindows);  // all have opened this rank's pages
    return context_;
}

// The windows of others are copies here. Numbers of launches grow from one communicator to the next, because checkers
// keep the accesses of earlier ones, in which the chips may have had other ranks.
uint64_t Communicator::windows(SimulatedDevice& device, DeviceMemory& memory, const SystemModel& system,
                               uint32_t launches) {
    if (context_ != 0) return context_;
    if (ranks() > system.devices())
        throw disagreement(HCCL_E_PARA, std::to_string(ranks()) + " ranks, and " + system.name + " has " +
                                            std::to_string(system.devices()) + " devices",
                           "choose another system, or set system.chips");
    const uint64_t bytes = window_bytes_of_environment() + flag_bytes_;
    Links::Setup setup;
    setup.rank = rank();
    setup.links = link_times(system, device.model().clock, rank(), ranks());
    for (unsigned each = 0; each < ranks(); ++each) {
        setup.windows.push_back({.rank = each, .here = device.memory().allocate(bytes, window_name(each)), .bytes = bytes});
        windows_.push_back(reinterpret_cast<void*>(setup.windows[each].here));
        memory.lend(windows_[each], bytes, window_name(each), each != rank());
    }
    SharedPages pages = rank() == 0 ? SharedPages::make(Links::bytes_of_pages(ranks())) : SharedPages();
    Offer offer{.bytes = bytes,
                .address = setup.windows[rank()].here,
                .clock = device.model().clock,
                .now = device.session().chip().now(),
                .launches = launches};
    if (pages.data() != nullptr) pages.path().copy(offer.clocks, sizeof offer.clocks - 1);
    const std::vector<Offer> offers = offers_of_all(offer);
    Cycle last = 0;
    for (unsigned each = 0; each < ranks(); ++each) {
        setup.windows[each].there = offers[each].address;
        last = std::max(last, offers[each].now);
        setup.launches = std::max(setup.launches, offers[each].launches);
        if (offers[each].clock != offer.clock)
            throw disagreement(HCCL_E_NOT_SUPPORT, "the chip of rank " + std::to_string(each) + " has another clock",
                               "give all ranks the same chip");
    }
    if (rank() != 0) pages = SharedPages::open(offers[0].clocks, Links::bytes_of_pages(ranks()));
    if (pages.data() == nullptr)
        throw disagreement(HCCL_E_MEMORY, "the system has no memory that processes share");
    window_bytes_ = bytes - flag_bytes_;
    context_ = write_context(device, memory);
    links_ = std::make_unique<Links>(device.session().chip(), std::move(pages), std::move(setup));
    device.session().join(links_.get());
    links_->park();
    links_->leave(last);
    exchange('w', [](unsigned, char) {}, kMakingWindows);  // all clocks are there
    return context_;
}

uint64_t Communicator::write_context(SimulatedDevice& device, DeviceMemory& memory) {
    DeviceContext context{};
    context.rank = rank();
    context.ranks = ranks();
    context.window_bytes = window_bytes_;
    for (size_t i = 0; i < windows_.size(); ++i)
        context.in[i] = context.out[i] = reinterpret_cast<uint64_t>(windows_[i]);
    if (flag_bytes_ != 0 && ranks() <= kShortList)
        std::copy_n(context.in, ranks(), context.in + kShortList);
    return write(device, memory, std::as_bytes(std::span(&context, 1)));
}

uint64_t Communicator::write(SimulatedDevice& device, DeviceMemory& memory,
                             std::span<const std::byte> context) {
    const uint64_t address = device.allocate(context.size(), "communicator");
    void* const there = reinterpret_cast<void*>(address);
    memory.lend(there, context.size(), "the context of a communicator");
    const Opened opened(device.memory(), {there});
    std::memcpy(there, context.data(), context.size());
    device.host_wrote(there, context.size());
    return address;
}

void Communicator::reserve_flags() {
    if (ranks() > kMostOperatorRanks)
        throw disagreement(HCCL_E_NOT_SUPPORT,
                           "operators between " + std::to_string(ranks()) + " ranks",
                           "at most " + std::to_string(kMostOperatorRanks));
    if (context_ != 0 && flag_bytes_ == 0)
        throw disagreement(
            HCCL_E_NOT_SUPPORT,
            "an operator of a communicator whose windows HcclAllocComResourceByTiling has made",
            "use another communicator for operators");
    flag_bytes_ = kFlagBytes;
}

uint64_t Communicator::operator_context(SimulatedDevice& device, DeviceMemory& memory) {
    if (platform_figures(device.model())["version"]["Short_SoC_version"] != "Ascend910_93")
        return context_;
    if (operator_context_ != 0) return operator_context_;
    const size_t records = (kTables[1] + ranks() * kTableEntry + 63) / 64 * 64;
    std::vector<std::byte> bytes(records + ranks() * sizeof(RankRecord));
    const auto window = [&](unsigned each) { return reinterpret_cast<uint64_t>(windows_[each]); };
    OperatorContext context{};
    context.rank = rank();
    context.ranks = ranks();
    context.window_bytes = window_bytes_;
    context.in = context.out = window(rank());
    name_.copy(context.name, sizeof context.name - 1);
    context.flag_bytes = flag_bytes_;
    context.flags = window(rank()) + window_bytes_;
    std::memcpy(bytes.data(), &context, sizeof context);
    operator_context_ = write(device, memory, bytes);
    for (unsigned each = 0; each < ranks(); ++each) {
        const size_t place = records + each * sizeof(RankRecord);
        const RankRecord record{
            each, each, window(each), window(each), window(each) + window_bytes_, {}};
        std::memcpy(&bytes[place], &record, sizeof record);
        const uint64_t there = operator_context_ + place;
        for (const size_t table : kTables)
            std::memcpy(&bytes[table + each * kTableEntry + sizeof there], &there, sizeof there);
    }
    void* const there = reinterpret_cast<void*>(operator_context_);
    const Opened opened(device.memory(), {there});
    std::memcpy(there, bytes.data(), bytes.size());
    device.host_wrote(there, bytes.size());
    return operator_context_;
}

void Communicator::end(SimulatedDevice& device, DeviceMemory& memory, Windows& mapped) {
    meeting_.leave();
    const bool copies = links_ != nullptr;
    if (copies) device.session().join(nullptr);
    links_.reset();
    for (void* const window : windows_) {
        memory.take_back(window);
        if (copies)
            device.memory().release(reinterpret_cast<uint64_t>(window));
        else
            mapped.unmap(device.memory(), window);
    }
    windows_.clear();
    for (const uint64_t context : {context_, operator_context_}) {
        if (context == 0) continue;
        memory.take_back(reinterpret_cast<void*>(context));
        device.release(context);
    }
}

// ---- all of them --------------------------------------------------------------------------

RootInfo Communicators::make_root() {
    SharedPages& pages = roots_.emplace_back(SharedPages::make(sizeof(MeetingPages)));
    if (pages.data() == nullptr)
        throw disagreement(HCCL_E_MEMORY, "HcclGetRootInfo: the system has no memory that processes share");
    RootInfo root{};
    std::memcpy(root.mark, kMark, sizeof kMark);
    pages.path().copy(root.meeting, sizeof root.meeting - 1);
    return root;
}

Communicator* Communicators::join(const RootInfo& root, unsigned rank, unsigned ranks) {
    return &joined_.emplace_back(root, rank, ranks);
}

Communicator& Communicators::find(void* handle) {
    for (Communicator& each : joined_)
        if (&each == handle) return each;
    throw disagreement(HCCL_E_PARA, hexadecimal(handle) + " is not a communicator, or has been destroyed");
}

Communicator& Communicators::find(const std::string& name) {
    for (Communicator& each : joined_)
        if (each.name() == name) return each;
    throw disagreement(HCCL_E_NOT_FOUND, "unknown communicator '" + name + "'");
}

uint64_t Communicators::windows(void* handle) {
    Communicator& target = find(handle);
    if (!system_) return target.windows(device_, memory_, mapped_);
    if (links() != nullptr && links() != target.links())
        throw disagreement(HCCL_E_NOT_SUPPORT, "two communicators with windows under one clock",
                           "destroy the other one before");
    const uint64_t context = target.windows(device_, memory_, *system_, launches_);
    if (!device_.session().options().trace.empty()) target.links()->note_traffic();
    return context;
}

uint64_t Communicators::operator_context(const std::string& name) {
    Communicator& target = find(name);
    target.reserve_flags();
    windows(&target);
    return target.operator_context(device_, memory_);
}

Links* Communicators::links() const {
    for (const Communicator& each : joined_)
        if (each.links() != nullptr) return each.links();
    return nullptr;
}

void Communicators::host_wrote(const void* to, uint64_t bytes) {
    Links* const chip = links();
    if (chip == nullptr) return;
    const Opened opened(device_.memory(), {const_cast<void*>(to)});
    chip->publish(reinterpret_cast<uint64_t>(to), bytes);
}

void Communicators::keep_records(const Communicator& communicator) {
    const Links* const chip = communicator.links();
    if (chip == nullptr) return;
    traffic_.insert(traffic_.end(), chip->traffic().begin(), chip->traffic().end());
    launches_ = chip->launches();
}

void Communicators::end_links() {
    for (Communicator& each : joined_) {
        keep_records(each);
        if (each.links() != nullptr) device_.session().join(nullptr);
        each.end_links();
    }
}

void Communicators::destroy(void* handle) {
    const Communicator* const target = &find(handle);
    keep_records(*target);
    find(handle).end(device_, memory_, mapped_);
    joined_.remove_if([&](const Communicator& each) { return &each == target; });
}

}  // namespace ptosim
