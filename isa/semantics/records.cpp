#include "isa/semantics/records.h"

#include <algorithm>
#include <cstring>

#include "isa/semantics/ordering.h"

namespace ptosim::semantics {

namespace {

template <typename T>
void merge(RecordList* lists, int count, bool exhausted, int64_t room, std::byte* target) {
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

}  // namespace

SortEntry sort_entry(DType type, const std::byte* element, uint32_t index, uint32_t rank) {
    SortEntry entry{0, 0, index, rank};
    visit_float(type, [&](auto lane) {
        using T = decltype(lane);
        entry.value = to_float(load<T>(element));
        std::memcpy(&entry.bits, element, sizeof(T));
    });
    return entry;
}

void write_sorted(SortEntry* entries, int count, std::byte* record) {
    std::sort(entries, entries + count, [](const SortEntry& a, const SortEntry& b) {
        if (greater(a.value, b.value)) return true;
        return !greater(b.value, a.value) && a.rank < b.rank;
    });
    for (int i = 0; i < count; ++i, record += kRecordBytes) {
        store(record, entries[i].bits);
        store(record + 4, entries[i].index);
    }
}

void merge_records(DType type, RecordList* lists, int count, bool exhausted, int64_t room, std::byte* target) {
    const auto run = type == DType::kF32 ? merge<float> : type == DType::kF16 ? merge<Half> : merge<BFloat16>;
    run(lists, count, exhausted, room, target);
}

}  // namespace ptosim::semantics
