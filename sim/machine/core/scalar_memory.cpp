#include "sim/machine/core/scalar_memory.h"

#include <array>
#include <cstring>

#include "sim/machine/core/scalar_atomic.h"

namespace ptosim {
namespace {

GlobalView bytes_from(uint64_t address, uint64_t size) {
    GlobalView view;
    view.address = address;
    view.dtype = DType::kU8;
    view.shape[4] = static_cast<int32_t>(size);
    return view;
}

}  // namespace

uint64_t ScalarMemory::load_global(uint64_t address, DType type, ScalarPath path,
                                   SourceLocation where) {
    scalar_.catch_up();
    const Access access = global_access(address, type, "load", true, false, where);
    charge_load(address, path);
    if (is_remote(address)) fetch(address, access.end - access.begin);
    settle(access, path, where);
    uint64_t bits = 0;
    std::memcpy(&bits, core_.global_bytes(address), access.end - access.begin);
    if (core_.environment.remote() != nullptr) note_look(address, bits, where);
    return bits;
}

void ScalarMemory::note_look(uint64_t address, uint64_t bits, SourceLocation where) {
    last_look_ = address / sizeof(uint32_t) % looks_.size();
    Look& look = looks_[last_look_];
    if (look.address == address && look.bits == bits) return;
    look = {address, bits, where, core_.now()};
    note_progress();
}

void ScalarMemory::store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                                SourceLocation where) {
    scalar_.catch_up();
    const Access access = global_access(address, type, "store", false, true, where);
    scalar_.charge_operations(1);
    scalar_.spend();
    settle(access, path, where, &bits);
    note_progress();
    const std::span stored(reinterpret_cast<const std::byte*>(&bits), access.end - access.begin);
    if (is_remote(address)) core_.environment.remote()->write(address, stored);
    std::memcpy(core_.global_bytes(address), stored.data(), stored.size());
}

// Observers receive a store of the element only, because the kernel does not mean to write the rest of the line.
void ScalarMemory::store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) {
    scalar_.catch_up();
    const Access access = global_access(address, type, "store", false, true, where);
    Access line = access;
    line.begin = address & ~(CacheUse::kLineBytes - 1);
    line.end = line.begin + CacheUse::kLineBytes;
    if (!core_.environment.global().contains(line.begin, CacheUse::kLineBytes)) line = access;
    std::array<std::byte, CacheUse::kLineBytes> fetched;
    const size_t size = line.end - line.begin;
    note_progress();
    if (is_remote(address)) fetch(line.begin, size);
    core_.environment.data().wait_for(line);
    std::memcpy(fetched.data(), core_.global_bytes(line.begin), size);
    charge_load();
    settle(access, ScalarPath::kPastCache, where, &bits, line.begin != access.begin || line.end != access.end);
    core_.environment.data().wait_for(line);
    std::memcpy(fetched.data() + (address - line.begin), &bits, access.end - access.begin);
    if (is_remote(address)) core_.environment.remote()->write(line.begin, std::span(fetched).first(size));
    std::memcpy(core_.global_bytes(line.begin), fetched.data(), size);
}

uint64_t ScalarMemory::atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                                     SourceLocation where) {
    scalar_.catch_up();
    const Access access = global_access(address, type, "atomic operation", true, true, where);
    charge_load();
    settle(access, ScalarPath::kPastCache, where);
    uint64_t before = 0;
    note_progress();
    if (is_remote(address)) {
        core_.environment.remote()->combine(address, type, mode, bits, before, arrived());
        scalar_.wait_for(arrived());
        return before;
    }
    const size_t size = access.end - access.begin;
    std::memcpy(&before, core_.global_bytes(address), size);
    const uint64_t after = combine(type, mode, before, bits);
    std::memcpy(core_.global_bytes(address), &after, size);
    return before;
}

CachedLines ScalarMemory::cached_lines() const {
    const GlobalMemory& global = core_.environment.global();
    return {cached_.slots(), cached_.size(), global.base(), global.capacity()};
}

void ScalarMemory::load_line(uint64_t address) {
    scalar_.catch_up();
    if (!cached_.load(address)) charge_load();
}

void ScalarMemory::follow_pointer(const CacheUse& use) {
    scalar_.catch_up();
    Access access;
    access.global = true;
    access.writes = use.kind == CacheUse::Kind::kStore;
    access.reads = !access.writes;
    access.begin = use.address;
    access.end = use.address + use.size;
    ScalarAccessEvent event{core_.id, access, scalar_.next_sequence(), use.where, core_.now()};
    event.by_pointer = true;
    core_.observers.tell(&Observer::on_scalar_access, event);
}

void ScalarMemory::follow_local(uint64_t address, uint64_t size, bool writes, SourceLocation where) {
    scalar_.catch_up();
    const uint64_t has = pipes_.data().size(Space::kUB);
    if (address + size > has)
        core_.environment.fail({core_.diagnostic(
            "A03", Category::kIllegal,
            "scalar " + std::string(writes ? "store" : "load") + " of " + std::to_string(size) + " bytes at byte " +
                std::to_string(address) + " is outside UB (" + std::to_string(has) + " bytes)",
            where)});
    Access access;
    access.space = Space::kUB;
    access.writes = writes;
    access.reads = !writes;
    access.begin = address;
    access.end = address + size;
    ScalarAccessEvent event{core_.id, access, scalar_.next_sequence(), where, core_.now()};
    event.by_pointer = true;
    core_.observers.tell(&Observer::on_scalar_access, event);
}

void ScalarMemory::require_data(const char* what, SourceLocation where) const {
    if (core_.computes_data()) return;
    Diagnostic d = core_.diagnostic(
        "U02", Category::kUnsupported,
        std::string("the kernel reads ") + what + ", but --mode timing computes no data", where);
    d.hint = "run it with --mode full";
    core_.environment.fail({std::move(d)});
}

uint64_t ScalarMemory::result_register(unsigned which, SourceLocation where) {
    scalar_.catch_up();
    require_data("a register that pipe V writes", where);
    scalar_.charge_operations(1);
    scalar_.spend();
    core_.environment.data().wait_for(core_.cluster);
    const IntrinsicState& state = pipes_.data().registers();
    const std::array<uint64_t, 7> values{state.cmpmask[0], state.cmpmask[1], state.vms4_sr,
                                         state.rsvd_cnt,   state.acc_val,    state.max_min_cnt,
                                         state.ar};
    return values.at(which);
}

uint64_t ScalarMemory::load_local(const Tile& tile, int64_t offset, SourceLocation where) {
    scalar_.catch_up();
    require_data("an element of a tile", where);
    scalar_.charge_operations(1);
    scalar_.spend();
    uint64_t bits = 0;
    std::memcpy(&bits, local_element(tile, offset, false, where), bytes(tile.dtype, 1));
    return bits;
}

void ScalarMemory::store_local(const Tile& tile, int64_t offset, uint64_t bits,
                               SourceLocation where) {
    scalar_.charge_operations(1);
    scalar_.spend();
    std::memcpy(local_element(tile, offset, true, where), &bits, bytes(tile.dtype, 1));
}

Access ScalarMemory::global_access(uint64_t address, DType type, const char* what, bool reads,
                                   bool writes, SourceLocation where) const {
    const uint64_t size = bytes(type, 1);
    GlobalMemory& global = core_.environment.global();
    if (!global.contains(address, size)) {
        Diagnostic d = core_.diagnostic(
            "G01", Category::kIllegal,
            "scalar " + std::string(what) + " of " + std::to_string(size) + " bytes at " +
                global.describe(address) + " is outside every allocation",
            where);
        if (!global.open_pages(address, size)) core_.environment.fail({std::move(d)});
        core_.warn_beyond_allocation(std::move(d));
    }
    if (core_.environment.remote() != nullptr)
        core_.check_window(std::string("a scalar ") + what, bytes_from(address, size), where);
    Access access;
    access.global = true;
    access.reads = reads;
    access.writes = writes;
    access.begin = address;
    access.end = address + size;
    return access;
}

std::byte* ScalarMemory::local_element(const Tile& tile, int64_t offset, bool write,
                                       SourceLocation where) {
    const uint64_t size = bytes(tile.dtype, 1);
    const uint64_t has = pipes_.data().size(tile.space);
    const uint64_t room = tile.address < has ? (has - tile.address) / size : 0;
    if (offset < 0 || static_cast<uint64_t>(offset) >= room)
        core_.environment.fail(
            {core_.diagnostic("A03", Category::kIllegal,
                              "scalar access to element " + std::to_string(offset) + " of " +
                                  to_text(tile) + " is outside " + std::string(name(tile.space)) +
                                  " (" + std::to_string(has) + " bytes)",
                              where)});
    const uint64_t begin = tile.address + static_cast<uint64_t>(offset) * size;
    Access access;
    access.space = tile.space;
    access.reads = !write;
    access.writes = write;
    access.begin = begin;
    access.end = begin + size;
    begin_access(access, ScalarPath::kThroughCache, where);
    core_.environment.data().wait_for(core_.cluster);
    return pipes_.data().local(tile.space, begin);
}

void ScalarMemory::settle(const Access& access, ScalarPath path, SourceLocation where,
                          const uint64_t* stored, bool rewrites_line) {
    begin_access(access, path, where, stored, rewrites_line);
    core_.environment.data().wait_for(access);
}

void ScalarMemory::begin_access(const Access& access, ScalarPath path, SourceLocation where,
                                const uint64_t* stored, bool rewrites_line) {
    if (core_.auto_sync)
        scalar_.wait_for_pipes(pipes_.conflicts(access), BlockReason::kData, nullptr,
                               scalar_.next_sequence());
    if (core_.observers.empty() || path == ScalarPath::kUnseen) return;
    ScalarAccessEvent event{core_.id, access, scalar_.next_sequence(), where, core_.now()};
    event.past_cache = path == ScalarPath::kPastCache;
    // A store of compiled code becomes visible when its line is cleaned, as one by a pointer.
    event.by_pointer = access.global && access.writes && !event.past_cache &&
                       core_.environment.kernel(core_.id).follows_pointers();
    event.rewrites_line = rewrites_line;
    if (event.past_cache && stored != nullptr) {
        core_.environment.data().wait_for(access);
        event.stored = *stored;
        event.repeats = std::memcmp(core_.global_bytes(access.begin), stored,
                                    access.end - access.begin) == 0;
    }
    core_.observers.tell(&Observer::on_scalar_access, event);
}

bool ScalarMemory::is_remote(uint64_t address) const {
    const RemoteMemory* const remote = core_.environment.remote();
    return remote != nullptr && remote->holds(address);
}

// Waits until these bytes of another chip have arrived in the local copy.
void ScalarMemory::fetch(uint64_t address, uint64_t size) {
    core_.environment.remote()->fetch(address, size, arrived());
    scalar_.wait_for(arrived());
}

Event& ScalarMemory::arrived() {
    if (!arrived_) arrived_ = std::make_unique<Event>(core_.lane);
    return *arrived_;
}

void ScalarMemory::charge_load(uint64_t address, ScalarPath path) {
    if (path != ScalarPath::kThroughCache || !cached_.load(address)) return charge_load();
    scalar_.charge(core_.read(core_.model.scalar.hit));
    scalar_.spend();
}

void ScalarMemory::charge_load() {
    scalar_.charge(core_.read(core_.model.scalar.load));
    scalar_.spend();
}

}  // namespace ptosim
