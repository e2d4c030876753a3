#include "sim/system/windows.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <iterator>
#include <thread>

#include "isa/numeric/round_up.h"

namespace ptosim {
namespace {

// Time between two polls of a signal that has not come. A task counts as stuck after some hundred thousand polls, half
// a minute of the host.
constexpr std::chrono::microseconds kBetweenLooks{100};

uint64_t page() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void* Windows::map(GlobalMemory& memory, uint64_t size, int file) {
    const uint64_t allocation = memory.allocate(round_up(size, page()) + page(), "window");
    const uint64_t begin = round_up(allocation, page());
    if (mmap(GlobalMemory::host(begin), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             0) == MAP_FAILED) {
        memory.release(allocation);
        return nullptr;
    }
    struct stat status {};
    fstat(file, &status);
    windows_[begin] = {begin + size, allocation, status.st_ino};
    return GlobalMemory::host(begin);
}

bool Windows::unmap(GlobalMemory& memory, void* window) {
    const auto found = windows_.find(reinterpret_cast<uint64_t>(window));
    if (found == windows_.end()) return false;
    // Reserves the addresses.
    mmap(window, found->second.end - found->first, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    memory.release(found->second.allocation);
    windows_.erase(found);
    return true;
}

uint64_t Windows::keep(uint64_t begin, uint64_t size) {
    if (!hold(begin) || begin % page() != 0) return 0;
    if (mmap(GlobalMemory::host(begin), round_up(size, page()), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return 0;
    have_clock_ = true;
    return word_at(begin).file;
}

std::optional<std::pair<uint64_t, uint64_t>> Windows::range(const void* window) const {
    const auto found = windows_.find(reinterpret_cast<uint64_t>(window));
    if (found == windows_.end()) return {};
    return std::pair(found->first, found->second.end);
}

bool Windows::hold(uint64_t address) const {
    const auto next = windows_.upper_bound(address);
    return next != windows_.begin() && address < std::prev(next)->second.end;
}

SharedWord Windows::word_at(uint64_t address) const {
    const auto& [begin, window] = *std::prev(windows_.upper_bound(address));
    return {window.file, address - begin};
}

uint64_t WindowPort::load_global(uint64_t address, DType type, ScalarPath path,
                                 SourceLocation where) {
    const uint64_t bits = RelayedPort::load_global(address, type, path, where);
    if (!windows_.hold(address)) return bits;
    if (address == polled_ && bits == seen_) {
        if (!windows_.have_clock()) std::this_thread::sleep_for(kBetweenLooks);
        note_unchanged({address, static_cast<int32_t>(bits), {}, where});
    } else {
        note_changed();
    }
    polled_ = address;
    seen_ = bits;
    return bits;
}

// On a device a signal travels to another chip for about as long as the preceding instructions need to complete, and
// TNOTIFY ends with a barrier of all pipes; here the barrier comes first. Other chips read memory, so results of
// complete instructions must have been computed.
void WindowPort::complete_what_was_issued(SourceLocation where) {
    RelayedPort::issue(Instruction(Opcode::kPIPE_BARRIER, where));
    RelayedPort::cycle();
    chip_.finish_data();
}

void WindowPort::store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                              SourceLocation where) {
    if (windows_.hold(address)) {
        if (!windows_.have_clock()) complete_what_was_issued(where);
        note_signal(windows_.word_at(address), where);
    }
    RelayedPort::store_global(address, type, bits, path, where);
}

// Chips have no common clock: if whole lines were written back, the lost words would depend on the host.
void WindowPort::store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) {
    if (windows_.hold(address)) {
        if (!windows_.have_clock()) return store_global(address, type, bits, ScalarPath::kPastCache, where);
        note_signal(windows_.word_at(address), where);
    }
    RelayedPort::store_line(address, type, bits, where);
}

uint64_t WindowPort::atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                                   SourceLocation where) {
    const bool adds = mode == AtomicMode::kAdd && (type == DType::kI32 || type == DType::kU32);
    if (!windows_.hold(address) || !adds)
        return RelayedPort::atomic_global(address, type, mode, bits, where);
    if (windows_.have_clock()) {
        note_signal(windows_.word_at(address), where);
        return RelayedPort::atomic_global(address, type, mode, bits, where);
    }
    complete_what_was_issued(where);
    note_signal(windows_.word_at(address), where);
    RelayedPort::load_global(address, type, ScalarPath::kPastCache, where);  // takes the same time
    return __atomic_fetch_add(reinterpret_cast<uint32_t*>(GlobalMemory::host(address)),
                              static_cast<uint32_t>(bits), __ATOMIC_SEQ_CST);
}

}  // namespace ptosim
