// Sorts and merges of records.
//
// A record of the sorts is 8 bytes: the value, then (f16) two zero bytes, then a 32-bit index
// (hw-native-sys/pto-isa docs/isa/TSORT32.md). NaN ranks below every number
// (PTO-ISA/pto-spec asl/tile/model/ordering/sorting.asl: last in both directions).
#include <vector>

#include "isa/instructions/row.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/ordering.h"

namespace ptosim::semantics {

namespace {

constexpr int64_t kRecord = 8;  // bytes

template <typename T>
T record_value(const std::byte* record) {
    return load<T>(record);
}

}  // namespace

// Each block of 32 columns of a row becomes 32 records in descending order; equal values keep the
// order of their indices. A single row of indices serves all rows.
void TSORT32(const Execution& e) {
    constexpr int kBlock = 32;
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Tile& indices = e.tile(2);
    visit_float(from.dtype, [&](auto type) {
        using T = decltype(type);
        struct Entry {
            T value;
            uint32_t index;
        };
        for (int row = 0; row < from.valid_rows; ++row) {
            const int index_row = indices.valid_rows == 1 ? 0 : row;
            for (int col = 0; col < from.valid_cols; col += kBlock) {
                const int count = std::min(kBlock, from.valid_cols - col);
                std::array<Entry, kBlock> entries;
                for (int i = 0; i < count; ++i)
                    entries[static_cast<size_t>(i)] = {
                        read_lane<T>(from, e.bytes[1], row, col + i),
                        read_lane<uint32_t>(indices, e.bytes[2], index_row, col + i)};
                std::sort(entries.begin(), entries.begin() + count,
                          [](const Entry& a, const Entry& b) {
                              if (greater(a.value, b.value)) return true;
                              return !greater(b.value, a.value) && a.index < b.index;
                          });
                std::byte* record =
                    e.bytes[0] + to.index(row, 0) * static_cast<int64_t>(sizeof(T)) + col * kRecord;
                for (int i = 0; i < count; ++i, record += kRecord) {
                    store(record, uint64_t{0});
                    store(record, entries[static_cast<size_t>(i)].value);
                    store(record + 4, entries[static_cast<size_t>(i)].index);
                }
            }
        }
    });
}

namespace {

struct List {
    const std::byte* next;
    const std::byte* end;
};

// Takes the largest head until all lists (or, `exhausted`, any one of them) are empty or `room`
// records are written; the earliest list wins a tie.
template <typename T>
void merge(List* lists, int count, bool exhausted, int64_t room, std::byte* target) {
    while (room-- > 0) {
        List* best = nullptr;
        for (int i = 0; i < count; ++i) {
            List& list = lists[i];
            if (list.next == list.end) continue;
            if (best == nullptr || greater(record_value<T>(list.next), record_value<T>(best->next)))
                best = &list;
        }
        if (best == nullptr) return;
        std::memcpy(target, best->next, kRecord);
        target += kRecord;
        best->next += kRecord;
        if (exhausted && best->next == best->end) return;
    }
}

}  // namespace

// Operands (dst, tmp, src0, [src1, src2, src3], [blockLen], [executed]). With several sources:
// merges them; `executed` takes how many records of each were used, as four 16-bit numbers.
// With one: merges groups of four neighbouring blocks of blockLen elements each; an incomplete
// group is left alone. Sources must be sorted in descending order; with one, dst must not overlap
// it.
void TMRGSORT(const Execution& e) {
    const Tile& to = e.tile(0);
    const auto& operands = e.instruction.operands;
    visit_float(to.dtype, [&](auto type) {
        using T = decltype(type);
        const auto size = static_cast<int64_t>(sizeof(T));
        const int64_t room = to.valid_cols * size / kRecord;
        std::array<List, 4> lists{};
        if (operands[3].is_tile()) {
            int count = 0;
            for (unsigned i = 2; i < 6; ++i) {
                if (!operands[i].is_tile()) continue;
                const int64_t length = operands[i].tile.valid_cols * size / kRecord * kRecord;
                lists[static_cast<size_t>(count++)] = {e.bytes[i], e.bytes[i] + length};
            }
            const std::array<List, 4> whole = lists;
            // Through the scratch tile: dst may be one of the sources.
            std::vector<std::byte> merged(static_cast<size_t>(room * kRecord));
            merge<T>(lists.data(), count, e.instruction.attributes.exhausted, room, merged.data());
            int64_t taken = 0;
            for (size_t i = 0; i < 4; ++i) taken += lists[i].next - whole[i].next;
            std::memcpy(e.bytes[0], merged.data(), static_cast<size_t>(taken));
            if (operands[7].is_tile())
                for (size_t i = 0; i < 4; ++i)
                    store(e.bytes[7] + 2 * i,
                          static_cast<uint16_t>((lists[i].next - whole[i].next) / kRecord));
            return;
        }
        const int64_t block = integer_of(e.scalar(6)) * size;
        for (int64_t at = 0; at + 4 * block <= to.valid_cols * size; at += 4 * block) {
            for (int64_t i = 0; i < 4; ++i) {
                const std::byte* begin = e.bytes[2] + at + i * block;
                lists[static_cast<size_t>(i)] = {begin, begin + block};
            }
            merge<T>(lists.data(), 4, false, 4 * block / kRecord, e.bytes[0] + at);
        }
    });
}

// ---- what its rows name ----------------------------------------------------------------------

namespace {

void check_spare_bytes(ImplementationDefinedCheck& check) {
    if (check.execution().tile(0).dtype == DType::kF16)
        check.always("P03", 0, " has records with bytes that no document fixes", "sort-padding");
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/sort.def"
}  // namespace ptosim::rows
