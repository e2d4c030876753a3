#include "sim/check/access_log.h"

#include <cstring>
#include <type_traits>

#include "sim/machine/memory/global_memory.h"

namespace ptosim::check {
namespace {

// FNV-1a, on 64 bits.
constexpr uint64_t kHashBegin = 0xcbf29ce484222325, kHashPrime = 0x100000001b3;

uint64_t hashed(uint64_t hash, const void* data, size_t size) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * kHashPrime;
    return hash;
}

uint64_t hashed(uint64_t hash, uint64_t value) { return hashed(hash, &value, sizeof(value)); }

template <class T>
void put(std::string& bytes, const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    const uint64_t count = list.size();
    bytes.append(reinterpret_cast<const char*>(&count), sizeof(count));
    if (count > 0) bytes.append(reinterpret_cast<const char*>(list.data()), count * sizeof(T));
}

template <class T>
void take(std::string_view& bytes, std::vector<T>& list) {
    uint64_t count = 0;
    if (bytes.size() < sizeof(count)) return;
    std::memcpy(&count, bytes.data(), sizeof(count));
    bytes.remove_prefix(sizeof(count));
    if (count == 0 || count > bytes.size() / sizeof(T)) return;
    list.resize(count);
    std::memcpy(static_cast<void*>(list.data()), bytes.data(), count * sizeof(T));
    bytes.remove_prefix(count * sizeof(T));
}

}  // namespace

std::string AccessRecord::pack() const {
    std::string bytes;
    put(bytes, accesses);
    put(bytes, pieces);
    put(bytes, cores);
    return bytes;
}

AccessRecord AccessRecord::unpack(std::string_view bytes) {
    AccessRecord record;
    take(bytes, record.accesses);
    take(bytes, record.pieces);
    take(bytes, record.cores);
    return record;
}

void AccessLog::on_launch(const LaunchEvent& event) {
    timelines_.launch(event);
    footprints_.launch(event.cores.size() * kPipeCount, event.arch);
    running_.assign(event.cores.size(), {});
    record_ = {};
    record_.cores.assign(event.cores.begin(), event.cores.end());
}

void AccessLog::on_block_begin(const RunEvent& event) {
    Running& running = running_[timelines_.index(event.core)];
    running = {};
    running.block = event.identity.block;
    running.core = event.core.type == CoreType::kAIC
                       ? uint16_t{0}
                       : static_cast<uint16_t>(1 + event.identity.subblock);
}

void AccessLog::on_issue(const InstructionEvent& event) {
    Running& running = running_[timelines_.index(event.core)];
    if (!running.begun) running.first = event.sequence;
    running.begun = true;
}

bool AccessLog::room() {
    complete_ = complete_ && record_.accesses.size() < most_;
    return complete_;
}

uint64_t AccessLog::hash_of(const Piece& piece, uint64_t hash) const {
    const Region& region = piece.region;
    for (uint64_t line = 0; line < region.lines; ++line) {
        const uint64_t at = region.begin + line * region.pitch;
        const std::byte* const bytes = piece.global
                                           ? GlobalMemory::host(at)
                                           : local_(record_.cores[piece.memory], piece.space, at);
        hash = hashed(hash, bytes, region.width);
    }
    return hash;
}

void AccessLog::add(LoggedAccess access, const Footprint& footprint, bool hash_reads) {
    access.hash = hashed(kHashBegin, static_cast<uint64_t>(access.opcode));
    access.first = record_.pieces.size();
    access.count = footprint.size();
    for (const Piece& piece : footprint) {
        access.hash = hashed(access.hash, piece.region.begin);
        access.hash = hashed(access.hash, piece.region.width);
        if (piece.writes || hash_reads) access.hash = hash_of(piece, access.hash);
        record_.pieces.push_back(piece);
    }
    record_.accesses.push_back(access);
}

void AccessLog::on_complete(const InstructionEvent& event) {
    const uint16_t core = timelines_.index(event.core);
    const size_t lane = core * size_t{kPipeCount} + static_cast<size_t>(event.pipe);
    footprints_.issue(lane, event.core, *event.instruction);
    const Footprint& footprint = footprints_.start(lane);
    if (footprint.empty() || !room()) return;
    const Running& running = running_[core];
    LoggedAccess access;
    access.key = {running.block, running.core, false, event.sequence - running.first};
    access.memory = core;
    access.pipe = event.pipe;
    access.opcode = event.instruction->opcode;
    access.location = event.instruction->location;
    access.time = event.time;
    add(access, footprint, false);
}

// The access is reported before it happens, so the bytes of a store are not in memory yet.
void AccessLog::on_scalar_access(const ScalarAccessEvent& event) {
    // The number of times that code polls data of another core differs between schedules.
    if (event.by_pointer || !room()) return;
    const uint16_t core = timelines_.index(event.core);
    Running& running = running_[core];
    Piece piece;
    piece.region = range_of(event.access);
    piece.global = event.access.global;
    piece.space = event.access.space;
    piece.memory = core;
    piece.reads = event.access.reads;
    piece.writes = event.access.writes;
    piece.atomic = event.access.reads && event.access.writes;
    LoggedAccess access;
    access.key = {running.block, running.core, true, running.scalar_accesses++};
    access.memory = core;
    access.location = event.location;
    access.time = event.time;
    Footprint footprint{piece};
    // Its hash is the hash of the bytes that it reads.
    footprint.front().writes = false;
    add(access, footprint, piece.reads && !piece.writes);
    record_.pieces.back().writes = piece.writes;
}

}  // namespace ptosim::check
