// Sorts and merges of records (isa/semantics/records.h).
#include <vector>

#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/convert.h"
#include "isa/numeric/round_up.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/records.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

namespace {

constexpr int kSortedAtOnce = 32;

// A block in which src ends is filled up with NaN (pto-isa's TSort32.hpp), as far as dst is valid: merges of whole
// blocks then take these records last.
void write_padding(const Execution& e, int row, int col, int count) {
    const Tile& to = e.tile(0);
    const Tile& indices = e.tile(2);
    const int index_row = indices.valid_rows == 1 ? 0 : row;
    const auto width = static_cast<int64_t>(bytes(e.tile(1).dtype, 1));
    const int64_t valid = to.valid_cols * width / kRecordBytes;
    const uint64_t nan = scalar_bits({kCanonicalNanF32, DType::kF32}, e.tile(1).dtype);
    std::byte* record = e.bytes[0] + to.index(row, 0) * width + (col + count) * kRecordBytes;
    for (int at = col + count; at < std::min<int64_t>(valid, col + kSortedAtOnce); ++at, record += kRecordBytes) {
        store(record, nan);
        if (at < indices.valid_cols) store(record + 4, read_lane<uint32_t>(indices, e.bytes[2], index_row, at));
    }
}

}  // namespace

// Each block of 32 columns of a row becomes 32 records in descending order; equal values keep the
// order of their indices. A single row of indices serves all rows.
void TSORT32(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Tile& indices = e.tile(2);
    const size_t width = bytes(from.dtype, 1);
    for (int row = 0; row < from.valid_rows; ++row) {
        const int index_row = indices.valid_rows == 1 ? 0 : row;
        for (int col = 0; col < from.valid_cols; col += kSortedAtOnce) {
            const int count = std::min(kSortedAtOnce, from.valid_cols - col);
            std::array<SortEntry, kSortedAtOnce> entries;
            std::array<std::byte, kSortedAtOnce * sizeof(float)> lanes;
            read_line(from, e.bytes[1], row, col, count, width, lanes.data());
            for (int i = 0; i < count; ++i) {
                const auto at = static_cast<size_t>(i);
                const auto index = read_lane<uint32_t>(indices, e.bytes[2], index_row, col + i);
                entries[at] = sort_entry(from.dtype, lanes.data() + at * width, index, index);
            }
            write_sorted(entries.data(), count,
                         e.bytes[0] + to.index(row, 0) * static_cast<int64_t>(width) + col * kRecordBytes);
            write_padding(e, row, col, count);
        }
    }
}

// Operands (dst, tmp, src0, [src1, src2, src3], [blockLen], [executed]). With several sources:
// merges them; `executed` and VMS4_SR take how many records of each were used, as four 16-bit numbers.
// With one: merges groups of four neighbouring blocks of blockLen elements each; a group that is
// incomplete in src is left alone. Sources must be sorted in descending order; with one, dst must not overlap
// it.
void TMRGSORT(const Execution& e) {
    const Tile& to = e.tile(0);
    const auto& operands = e.instruction.operands;
    const auto size = static_cast<int64_t>(bytes(to.dtype, 1));
    const int64_t room = to.valid_cols * size / kRecordBytes;
    std::array<RecordList, 4> lists{};
    if (operands[3].is_tile()) {
        int count = 0;
        for (unsigned i = 2; i < 6; ++i) {
            if (!operands[i].is_tile()) continue;
            const int64_t length =
                operands[i].tile.valid_cols * size / kRecordBytes * kRecordBytes;
            lists[static_cast<size_t>(count++)] = {e.bytes[i], e.bytes[i] + length};
        }
        const std::array<RecordList, 4> whole = lists;
        // Through the scratch tile: dst may be one of the sources.
        std::vector<std::byte> merged(static_cast<size_t>(room * kRecordBytes));
        merge_records(to.dtype, lists.data(), count, e.instruction.attributes.exhausted, room,
                         merged.data());
        int64_t taken = 0;
        uint64_t executed = 0;
        for (size_t i = 0; i < 4; ++i) {
            const int64_t of_list = lists[i].next - whole[i].next;
            taken += of_list;
            executed |= static_cast<uint64_t>(of_list / kRecordBytes) << (16 * i);
        }
        std::memcpy(e.bytes[0], merged.data(), static_cast<size_t>(taken));
        if (operands[7].is_tile()) store(e.bytes[7], executed);
        if (e.registers != nullptr) e.registers->vms4_sr = executed;
        return;
    }
    const int64_t block = integer_of(e.scalar(6)) * size;
    const int64_t end = std::min(e.tile(2).valid_cols, to.valid_cols) * size;
    for (int64_t at = 0; at + 4 * block <= end; at += 4 * block) {
        for (int64_t i = 0; i < 4; ++i) {
            const std::byte* begin = e.bytes[2] + at + i * block;
            lists[static_cast<size_t>(i)] = {begin, begin + block};
        }
        merge_records(to.dtype, lists.data(), 4, false, 4 * block / kRecordBytes, e.bytes[0] + at);
    }
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// Rows of whole groups are sorted where they are.
bool sorts_whole_groups(const Instruction& instruction, Arch) {
    return instruction.operand_count > 1 && instruction.tile(1).valid_cols % kSortedAtOnce == 0;
}

// A row that ends within a group, filled up to whole groups; of a longer row than one copy takes, its
// last group. a2a3 compares the row's elements with the limit, a5 its bytes (hw-native-sys/pto-isa docs/isa/TSORT32.md,
// "tmp size equation"; include/pto/npu/{a2a3,a5}/TSort32.hpp).
template <bool limit_in_bytes>
uint64_t scratch_of_sort(const Instruction& instruction) {
    constexpr int kMostCopied = 255 * kSortedAtOnce;
    const Tile& src = instruction.tile(1);
    if (src.valid_cols % kSortedAtOnce == 0) return 0;
    const int size = limit_in_bytes ? static_cast<int>(bytes(src.dtype, 1)) : 1;
    const bool is_long = src.valid_cols * size > kMostCopied;
    const int lanes = is_long ? kSortedAtOnce : round_up(src.valid_cols, kSortedAtOnce);
    return bytes(src.dtype, static_cast<size_t>(lanes));
}

// Lists that are merged to their ends go there one after the other; a merge that ends with one of them writes as many
// records as the shortest holds, or more (docs/isa/TMRGSORT.md, "Temporary Space").
uint64_t scratch_of_merge(const Instruction& instruction) {
    uint64_t total = 0, shortest = UINT64_MAX;
    for (unsigned i = 2; i < 6 && i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& list = instruction.tile(i);
        const uint64_t length = bytes(list.dtype, static_cast<size_t>(list.valid_cols));
        total += length;
        shortest = std::min(shortest, length);
    }
    return instruction.attributes.exhausted ? std::min(total, shortest) : total;
}

void check_spare_bytes(ImplementationDefinedCheck& check) {
    if (check.execution().tile(0).dtype == DType::kF16)
        check.always("P03", 0, " has records with bytes that no document fixes", "sort-padding");
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TMrgSort.hpp: several lists go through scratch, one does not.
bool merges_one_list(const Instruction& instruction) { return !instruction.operands[1].is_tile(); }
constexpr std::array kMergeWrites{
    EarlyWrite{0, 2, EarlyWrite::Unless::kNever, merges_one_list},
    EarlyWrite{1, 2}, EarlyWrite{1, 3}, EarlyWrite{1, 4}, EarlyWrite{1, 5}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rules {

using enum DType;

namespace {

bool check_sort_records(const Instruction& instruction, const InstructionInfo& row, Arch,
                        Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const Tile& idx = instruction.tile(2);
    if (dst.dtype != src.dtype) return wrong_type(problem, row, "T09", 0, dst.dtype, {src.dtype});
    if (idx.dtype != kU32) return wrong_type(problem, row, "T08", 2, idx.dtype, {kU32});
    if (!same_lanes(idx, src) && !((idx.valid_rows >= src.valid_rows || idx.valid_rows == 1) &&
                                   idx.valid_cols >= src.valid_cols))
        return wrong_valid(problem, row, "S04", 2, idx, valid_text(src));
    const int per_record = static_cast<int>(64 / bits(src.dtype));
    if (dst.valid_rows >= src.valid_rows && dst.cols >= src.valid_cols * per_record) return true;
    return wrong_valid(problem, row, "S04", 0, dst,
                       shape_text(src.valid_rows, src.valid_cols * per_record));
}

constexpr LegalityRule sort_records{"sort_records", "T08 T09 S04",
                                    "idx is u32 and covers src; dst has room for the records",
                                    &check_sort_records};

bool check_merge_lists(const Instruction& instruction, const InstructionInfo& row, Arch,
                       Problem& problem) {
    for (unsigned i : {0u, 2u, 3u, 4u, 5u}) {
        if (!given(instruction, i)) continue;
        const Tile& tile = instruction.tile(i);
        if (tile.rows != 1) return wrong_valid(problem, row, "S13", i, tile, "a single row");
        if (tile.dtype != instruction.tile(0).dtype)
            return wrong_type(problem, row, "T09", i, tile.dtype, {instruction.tile(0).dtype});
    }
    const bool several = given(instruction, 3);
    if (given(instruction, 7)) {
        const Tile& executed = instruction.tile(7);
        if (!several) return fail(problem, "T00", 7, "only a merge of several sources has counts");
        if (bits(executed.dtype) != 16 || !is_integer(executed.dtype))
            return wrong_type(problem, row, "T08", 7, executed.dtype, {kI16, kU16});
        if (executed.valid_cols < 4 || executed.valid_rows < 1)
            return wrong_valid(problem, row, "S04", 7, executed, "1x4");
    }
    if (several == given(instruction, 6))
        return fail(problem, "T00", 6,
                    "TMRGSORT takes either several sources or one source and a block length");
    if (several) return true;
    const Scalar& given_length = instruction.operands[6].scalar;
    if (!is_integer(given_length.dtype))
        return wrong_type(problem, row, "T02", 6, given_length.dtype, {kI32, kI64});
    const auto length = static_cast<int64_t>(convert_bits(
        kI64, given_length.dtype, given_length.bits, RoundMode::kTrunc, Saturation::kOff));
    if (length > 0 && length % 64 == 0) return true;
    return fail(problem, "G11", 6,
                "the block length is " + std::to_string(length) +
                    " elements; a positive multiple of 64 is needed");
}

constexpr LegalityRule merge_lists{
    "merge_lists", "T00 T09 S13 G11 T02 T08 S04",
    "tiles have one row and one type; several sources, or one and a block length of n * "
    "64",
    &check_merge_lists};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

constexpr AssemblerScratch kSortScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    const Tile& src = i.tile(1);
    if (src.valid_cols < 0) return full_scratch_tile(src.rows, src.cols, src.dtype);
    if (src.valid_cols % 32 == 0) return std::nullopt;
    return scratch_tile_like(src, src.dtype);
}};

constexpr AssemblerScratch kMergeScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        constexpr unsigned kFirstList = 2, kMostLists = 4;
        int64_t cols = 0, lists = 0;
        for (unsigned at = kFirstList; at < i.operand_count && at < kFirstList + kMostLists; ++at)
            if (i.operands[at].is_tile()) {
                cols += i.tile(at).cols;
                ++lists;
            }
        if (lists < 2) return std::nullopt;
        return full_scratch_tile(1, std::max<int64_t>(cols, i.tile(0).cols),
                                 i.tile(kFirstList).dtype);
    },
    .lacks =
        [](const ScratchUse& use) {
            return needs_at_least(use.tmp->cols < use.dst->cols, use.dst->cols, "columns");
        },
    .behind_lists = true};

// For one list in blocks.
void merge_form(const WrittenOperation& op) {
    const Tile *list = op.tile("src0"), *dst = op.tile("dst");
    if (list == nullptr || dst == nullptr || op.given("src1")) return;
    op.require(list->cols == dst->cols, "S05",
               "merges a list of " + std::to_string(list->cols) + " columns into as many, not " +
                   std::to_string(dst->cols));
}

}  // namespace

#include "isa/instructions/sort.def"
}  // namespace ptosim::rows
