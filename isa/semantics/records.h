// Records of 8 bytes that sorts make and merges take: the value, then (f16) two zero bytes, then a
// 32-bit index (hw-native-sys/pto-isa docs/isa/TSORT32.md). NaN ranks below every number
// (PTO-ISA/pto-spec asl/tile/model/ordering/sorting.asl: last in both directions).
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numeric/dtype.h"

namespace ptosim::semantics {

inline constexpr int64_t kRecordBytes = 8;

// An element, f32 or a 16-bit float.
struct SortEntry {
    float value;
    uint32_t bits;  // of the element
    uint32_t index;
    uint32_t rank;  // decides between equal values: the lower one comes first
};
SortEntry sort_entry(DType type, const std::byte* element, uint32_t index, uint32_t rank);

// Writes `count` entries as records, in descending order.
void write_sorted(SortEntry* entries, int count, std::byte* record);

struct RecordList {
    const std::byte* next;
    const std::byte* end;
};

// Takes the largest head until all lists (or, `exhausted`, any one of them) are empty or `room`
// records are written; the earliest list wins a tie.
void merge_records(DType type, RecordList* lists, int count, bool exhausted, int64_t room, std::byte* target);

}  // namespace ptosim::semantics
