// The layout of recording.bin, for its writers and readers (docs/formats.md).
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>

namespace ptosim {

inline constexpr char kMagic[] = "ptosim recording";  // and the version, 4 bytes
inline constexpr size_t kMagicBytes = sizeof kMagic - 1;
inline constexpr size_t kBlockBytes = size_t{1} << 16;
inline constexpr uint32_t kMostBlockBytes = 1u << 30;
inline constexpr size_t kLeastRecordBytes = 12;
// Cycles: 39 hours at 2 GHz. Later times are damage; analyses multiply times.
inline constexpr uint64_t kLatestTime = uint64_t{1} << 48;

// Head of a block: payload bytes, records, CRC-32 of the payload; little-endian.
struct BlockHead {
    uint32_t bytes = 0, records = 0, crc = 0;
};
inline constexpr size_t kBlockHeadBytes = 12;

inline void put32(uint8_t* to, uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}
inline uint32_t get32(const uint8_t* from) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= uint32_t{from[i]} << (8 * i);
    return value;
}

inline uint32_t checksum(const uint8_t* data, size_t bytes) {
    return static_cast<uint32_t>(crc32(0, data, static_cast<uInt>(bytes)));
}

// Values of the file format: never renumber.
enum class RecordKind : uint8_t {
    kFacts = 1,
    kCore = 2,
    kSource = 3,
    kOperands = 4,
    kLaunchBegin = 5,
    kLaunchEnd = 6,
    kRun = 10,  // 7, 8 and 9 were instructions, waits and flags of version 1
    kDiagnostic = 11,
    kOutput = 12,
    kEnd = 13,
    kAssumption = 14,
    kForm = 15,
    kInstruction = 16,
    kCause = 17,
    kWait = 18,
    kWay = 19,
    kFlag = 20,
    kRunBegin = 21,
    kCost = 22,
    kTile = 23,
    kValues = 24,
    kMismatch = 25,
    kProgram = 26,
    kRerun = 27,
    kCall = 28,
    kThreads = 29,
    kWarp = 30,
};

}  // namespace ptosim
