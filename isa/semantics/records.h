// Records of 8 bytes that sorts make and merges take: the value, then (f16) two zero bytes, then a
// 32-bit index (hw-native-sys/pto-isa docs/isa/TSORT32.md). NaN ranks below every number
// (PTO-ISA/pto-spec asl/tile/model/ordering/sorting.asl: last in both directions).
#pragma once

#include <algorithm>
#include <cstring>

#include "isa/semantics/ordering.h"

namespace ptosim::semantics {

inline constexpr int64_t kRecordBytes = 8;

template <typename T>
struct SortEntry {
    T value;
    uint32_t index;
    uint32_t rank;  // decides between equal values: the lower one comes first
};

// Writes `count` entries as records, in descending order.
template <typename T>
void write_sorted(SortEntry<T>* entries, int count, std::byte* record) {
    std::sort(entries, entries + count, [](const SortEntry<T>& a, const SortEntry<T>& b) {
        if (greater(a.value, b.value)) return true;
        return !greater(b.value, a.value) && a.rank < b.rank;
    });
    for (int i = 0; i < count; ++i, record += kRecordBytes) {
        store(record, uint64_t{0});
        store(record, entries[i].value);
        store(record + 4, entries[i].index);
    }
}

struct RecordList {
    const std::byte* next;
    const std::byte* end;
};

// Takes the largest head until all lists (or, `exhausted`, any one of them) are empty or `room`
// records are written; the earliest list wins a tie.
template <typename T>
void merge_records(RecordList* lists, int count, bool exhausted, int64_t room, std::byte* target) {
    while (room-- > 0) {
        RecordList* best = nullptr;
        for (int i = 0; i < count; ++i) {
            RecordList& list = lists[i];
            if (list.next == list.end) continue;
            if (best == nullptr || greater(load<T>(list.next), load<T>(best->next))) best = &list;
        }
        if (best == nullptr) return;
        std::memcpy(target, best->next, kRecordBytes);
        target += kRecordBytes;
        best->next += kRecordBytes;
        if (exhausted && best->next == best->end) return;
    }
}

}  // namespace ptosim::semantics
