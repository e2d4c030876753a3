#include "sim/native/scalar_accesses.h"

#include <cstring>
#include <utility>

#include "sim/native/image_data.h"
#include "sim/native/kernel_call.h"
#include "sim/native/thread_block.h"

uint64_t ptosim_ub_accesses = 0;
uint64_t ptosim_scalar_instructions = 0;
ptosim_watch ptosim_watched{};
ptosim_tensors* ptosim_recent_tensors = nullptr;

namespace ptosim {
namespace {

constexpr uint64_t kNotAnnounced = UINT64_MAX;

// For an access of UB by a pointer: its address, and the access.
constexpr unsigned kOperationsOfAccess = 2;

bool is_watched(uint64_t address) {
    return address - ptosim_watched.global_begin < ptosim_watched.global_size;
}

// True if the address is in a line that the kernel has not accessed recently.
bool moves_on(Running& core, uint64_t address) {
    const uint64_t line = address / CacheUse::kLineBytes + 1;
    uint64_t& last = core.recent[(line * 0x9E3779B97F4A7C15) >> 58];
    return std::exchange(last, line) != line;
}

// Reports an access that the kernel's code makes after the call: its time, and the event for checkers. A write leaves
// the present value.
void touch_by_scalar(Running& core, const Access& access, SourceLocation where) {
    const uint64_t size = access.end - access.begin;
    const DType type = size == 8   ? DType::kU64
                       : size == 4 ? DType::kU32
                       : size == 2 ? DType::kU16
                                   : DType::kU8;
    if (access.global) {
        if (!access.writes) {
            core.port.load_global(global_address(core, access.begin), type,
                                  ScalarPath::kThroughCache, where);
            return;
        }
        uint64_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const void*>(access.begin), size);
        core.port.store_global(access.begin, type, bits, ScalarPath::kThroughCache, where);
        return;
    }
    Tile tile = make_tile(Space::kUB, type, 1, 1);
    tile.valid_rows = tile.valid_cols = 1;
    tile.address = static_cast<uint32_t>(access.begin);
    if (!access.writes) {
        core.port.load_local(tile, 0, where);
        return;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, core.port.local_bytes(Space::kUB) + access.begin, size);
    core.port.store_local(tile, 0, bits, where);
}

CacheUse::Kind kind_of(bool writes) { return writes ? CacheUse::Kind::kStore : CacheUse::Kind::kLoad; }

std::string_view access_name(bool writes) { return writes ? "scalar store" : "scalar load"; }

// Reports an access of global memory by code at `code`, from the function whose frame is `frame`.
void report_global(const void* frame, CacheUse use, const void* code) {
    // A polling kernel repeats accesses to the same few lines. Accesses to further lines are computation, for which the
    // watchdog allows more time because each access is checked.
    if (moves_on(*running, use.address)) note_computation();
    call_from(frame, access_name(use.kind == CacheUse::Kind::kStore), [&](Running& core) {
        use.where = core.code.end != 0 ? core.called_from
                                       : core.kernel.locate_code(core.port.identity().core, code);
        core.port.follow_pointer(use);
    });
}

}  // namespace

ptosim_watch watch_of(const KernelPort& port) {
    const WatchedMemory watched = port.watched();
    const CachedLines cached = port.cached_lines();
    ptosim_watch watch{};
    watch.announced = kNotAnnounced;
    watch.local_end = watched.local ? uint64_t{PTOSIM_UB_END} : 0;
    watch.global_begin = watched.global_begin;
    watch.global_size = watched.global_size;
    watch.registers = watched.local ? 1U : 0U;
    watch.cached_begin = cached.global_begin;
    watch.cached_size = cached.count == 0 ? 0 : cached.global_size;
    watch.line_mask = cached.count == 0 ? 0 : cached.count - 1;
    watch.lines = cached.lines;
    return watch;
}

bool counts_scalar_code() {
#if defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

void charge_code(KernelPort& port) {
    const uint64_t accesses = std::exchange(ptosim_ub_accesses, 0);
    const uint64_t instructions = std::exchange(ptosim_scalar_instructions, 0);
    if (instructions != 0) port.scalar_code(instructions);
    if (accesses != 0 && !counts_scalar_code())
        port.scalar_work(kOperationsOfAccess * static_cast<unsigned>(accesses));
}

bool note_kernel_access(const PlainAccess& access) {
    if (running == nullptr) return false;
    const auto begin = reinterpret_cast<uint64_t>(access.address);
    if (running_block != nullptr) {
        if (running_block->is_on_stack(access.address)) return true;
        running_block->note_access(begin, access.size, access.writes, access.code);
        if (!access.writes) running_block->note_load(access.address);
        return true;
    }
    if (access.size != 0 && is_watched(begin))
        report_global(access.frame, {kind_of(access.writes), begin, access.size, {}}, access.code);
    return true;
}

}  // namespace ptosim

// ---- the calls ----------------------------------------------------------------------------

using ptosim::call_from;
using ptosim::locate;
using ptosim::Running;

void ptosim_scalar_access(uint64_t address, uint8_t local, uint8_t bytes, uint8_t kind,
                          ptosim_location where) {
    const bool writes = kind != PTOSIM_SCALAR_LOAD;
    call_from(__builtin_frame_address(0), ptosim::access_name(writes), [&](Running& core) {
        ptosim::SourceLocation location = locate(core, where);
        ptosim::Access access;
        access.global = local == 0;
        access.reads = true;
        access.writes = writes;
        access.begin = address;
        access.end = address + bytes;
        if (core.entry.auto_sync != 0)
            core.auto_sync.before_scalar(access, location, [&](const ptosim::Instruction& i) {
                core.port.issue(i);
            });
        if (kind != PTOSIM_SCALAR_REFERENCE) ptosim::touch_by_scalar(core, access, location);
    });
    if (kind != PTOSIM_SCALAR_REFERENCE) ptosim_watched.announced = address;
}

void ptosim_load_line(const void* address) {
    if (ptosim::running == nullptr) return;
    const auto at = reinterpret_cast<uint64_t>(address);
    if (ptosim::moves_on(*ptosim::running, at)) ptosim::note_computation();
    ptosim::call([at](Running& core) { core.port.load_line(at); });
}

void ptosim_report_access(const void* address, uint32_t size, uint8_t writes) {
    if (ptosim::running == nullptr) return;
    const void* const frame = __builtin_frame_address(0);
    const auto begin = reinterpret_cast<uint64_t>(address);
    if (begin >= PTOSIM_UB_END)
        return ptosim::report_global(frame, {ptosim::kind_of(writes != 0), begin, size, {}}, nullptr);
    call_from(frame, ptosim::access_name(writes != 0), [&](Running& core) {
        core.port.follow_local(begin, size, writes != 0, locate(core, {}));
    });
}
