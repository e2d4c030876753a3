#include "isa/intrinsics/intrinsic_row.h"
#include "isa/semantics/records.h"

namespace ptosim::intrinsics {
namespace {

using namespace ptosim::semantics;

void sorted(IntrinsicRun& run) {
    const DType type = run.type(0);
    run.for_repeats([&] {
        run.load(1, 1);
        run.load(2, 2);
        std::array<SortEntry, 32> entries;
        for (unsigned i = 0; i < entries.size(); ++i)
            entries[i] = sort_entry(type, run.register_bytes(1) + i * bytes(type, 1),
                                    semantics::load<uint32_t>(run.register_bytes(2) + 4 * i), i);
        write_sorted(entries.data(), 32, run.register_bytes(IntrinsicRun::kResult));
        run.store(IntrinsicRun::kResult, 0);
    });
}

// vmrgsort4(dst, four addresses, lengths, configuration).
struct Merge {
    unsigned lists;
    uint64_t repeats;
    bool exhausted;
    std::array<uint64_t, 4> lengths;  // records
    uint64_t total;
};
Merge merge_of(const IntrinsicCall& call) {
    const uint64_t lengths = call.arguments[5], configuration = call.arguments[6];
    Merge merge{0, configuration & 0xFF, (configuration >> 12 & 1) != 0, {}, 0};
    for (uint64_t valid = configuration >> 8 & 0xF; (valid & 1) != 0; valid >>= 1) {
        merge.lengths[merge.lists] = lengths >> (16 * merge.lists) & 0xFFFF;
        merge.total += merge.lengths[merge.lists++];
    }
    return merge;
}

void merged(IntrinsicRun& run) {
    const Merge merge = merge_of(run.call);
    const auto room = static_cast<int64_t>(merge.total);
    if (merge.repeats != 0) run.state.vms4_sr = 0;
    if (merge.total == 0) return;
    std::vector<std::byte> target(merge.total * kRecordBytes);
    for (uint64_t repeat = 0; repeat < merge.repeats; ++repeat) {
        std::array<RecordList, 4> lists{};
        std::array<const std::byte*, 4> begin{};
        for (unsigned i = 0; i < merge.lists; ++i) {
            const uint64_t size = merge.lengths[i] * kRecordBytes;
            begin[i] = run.at(run.argument(1 + i) + repeat * target.size(), size);
            lists[i] = {begin[i], begin[i] + size};
        }
        merge_records(run.type(0), lists.data(), static_cast<int>(merge.lists),
                                      merge.exhausted, room, target.data());
        uint64_t taken = 0;
        run.state.vms4_sr = 0;
        for (unsigned i = 0; i < merge.lists; ++i) {
            const auto records =
                static_cast<uint64_t>(lists[i].next - begin[i]) / kRecordBytes;
            run.state.vms4_sr |= records << (16 * i);
            taken += records;
        }
        std::memcpy(run.at(run.argument(0) + repeat * target.size(), taken * kRecordBytes),
                    target.data(), taken * kRecordBytes);
    }
}

void add_merged(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    const Merge merge = merge_of(call);
    const uint64_t size = merge.total * kRecordBytes;
    if (merge.repeats == 0 || size == 0) return;
    all.push_back({0, true, false, merge.exhausted,
                   {{call.arguments[0], size * merge.repeats, 0, 1}}});
    for (unsigned i = 0; i < merge.lists; ++i) {
        if (merge.lengths[i] == 0) continue;
        const bool once = merge.repeats == 1;
        all.push_back({1 + i, false, false, merge.exhausted,
                       {{call.arguments[1 + i], merge.lengths[i] * kRecordBytes, once ? 0 : size,
                         merge.repeats}}});
    }
}

bool check_merge(const IntrinsicCall& call, Problem& problem) {
    const Merge merge = merge_of(call);
    constexpr uint64_t kMostRecords = 4095;
    const uint64_t valid = call.arguments[6] >> 8 & 0xF;
    problem = {.code = "P01", .message = {}, .hint = {}, .operand = 6};
    if (valid != 3 && valid != 7 && valid != 15)
        problem.message = "vmrgsort4 merges the first two to four lists, not those of mask " +
                          std::to_string(valid);
    for (const uint64_t length : merge.lengths) {
        if (length > kMostRecords)
            problem = {.code = "S01",
                       .message = "a list of vmrgsort4 has " + std::to_string(length) +
                                  " records, 4095 are the most",
                       .hint = {},
                       .operand = 5};
        else if (merge.repeats > 1 &&
                 (valid != 15 || merge.exhausted || length != merge.lengths[0]))
            problem.message =
                "with several repeats vmrgsort4 merges four lists of one length to their end";
    }
    if (problem.message.empty() && merge.repeats > 1)
        for (unsigned i = 1; i < 4; ++i)
            if (call.arguments[1 + i] !=
                call.arguments[i] + merge.lengths[0] * static_cast<uint64_t>(kRecordBytes))
                problem.message =
                    "with several repeats the lists of vmrgsort4 are one after the other";
    return problem.message.empty();
}

constexpr IntrinsicForm kSortBlocks{.signature = "w0R" "r1c" "r2c" "n--",
                                    .masking = kUnmasked,
                                    .archs = IntrinsicArchs::kAll};
constexpr IntrinsicForm kMerge{"w0x" "r1x" "r2x" "r3x" "r4x" "i--" "i--",
                               kUnmasked, IntrinsicWork::kRecords, &check_merge,
                               &add_merged, IntrinsicUnit::kVector, nullptr, IntrinsicArchs::kAll};
constexpr std::array<IntrinsicTypes, 2> kSortTypes{{{{DType::kF16, DType::kF16, DType::kU32}},
                                                    {{DType::kF32, DType::kF32, DType::kU32}}}};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_sort.def"
}
