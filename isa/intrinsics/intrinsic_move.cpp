#include "isa/intrinsics/intrinsic_row.h"

namespace ptosim::intrinsics {
namespace {

void filled_with_scalar(IntrinsicRun& run) {
    run.apply({.opcode = VectorOpcode::kVDUPS, .type = run.type(0), .scalar = run.argument(1)});
    run.for_repeats([&] { run.store(IntrinsicRun::kResult, 0); });
}

void copied(IntrinsicRun& run) {
    run.for_repeats([&] {
        run.load(1, 1);
        run.store(1, 0);
    });
}

// copy_ubuf_to_ubuf(dst, src, sid, bursts, length, gap of src, gap of dst).
struct Bursts {
    uint64_t count, length, from_pitch, to_pitch;  // bytes but for the count
};
Bursts bursts_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    return {a[3], a[4] * kBlockBytes, (a[4] + a[5]) * kBlockBytes, (a[4] + a[6]) * kBlockBytes};
}

void copied_by_bursts(IntrinsicRun& run) {
    const Bursts bursts = bursts_of(run.call);
    if (bursts.length == 0) return;
    for (uint64_t i = 0; i < bursts.count; ++i)
        std::memmove(run.at(run.argument(0) + i * bursts.to_pitch, bursts.length),
                     run.at(run.argument(1) + i * bursts.from_pitch, bursts.length), bursts.length);
}

IntrinsicRows burst_rows(uint64_t begin, const Bursts& bursts, uint64_t pitch) {
    if (pitch == bursts.length || bursts.count == 1)
        return {begin, bursts.length * bursts.count, 0, 1};
    return {begin, bursts.length, pitch, bursts.count};
}
void add_bursts(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    const Bursts bursts = bursts_of(call);
    if (bursts.count == 0 || bursts.length == 0) return;
    const auto& a = call.arguments;
    all.push_back({0, true, false, false, {burst_rows(a[0], bursts, bursts.to_pitch)}});
    all.push_back({1, false, false, false, {burst_rows(a[1], bursts, bursts.from_pitch)}});
}

bool check_bursts(const IntrinsicCall& call, Problem& problem) {
    constexpr uint64_t kMost[] = {4095, 65535, 65535, 65535};
    for (unsigned i = 0; i < 4; ++i) {
        if (call.arguments[3 + i] <= kMost[i]) continue;
        problem = {.code = "S01",
                   .message = "argument " + std::to_string(3 + i) + " of copy_ubuf_to_ubuf is " +
                              std::to_string(call.arguments[3 + i]) + ", at most " +
                              std::to_string(kMost[i]) + " is possible",
                   .hint = {},
                   .operand = static_cast<int>(3 + i)};
        return false;
    }
    return true;
}

void spread(IntrinsicRun& run) {
    const size_t width = bytes(run.type(0), 1);
    run.for_repeats([&] {
        run.load(1, 1);
        for (unsigned i = 0; i < kVectorBytes / width; ++i)
            std::memcpy(run.register_bytes(IntrinsicRun::kResult) + i * width,
                        run.register_bytes(1) + i * width / kBlockBytes * width, width);
        run.store(IntrinsicRun::kResult, 0);
    });
}

bool check_spread(const IntrinsicCall& call, Problem& problem) {
    if (call.arguments[2] != 0) return true;
    problem = {.code = "S01",
               .message = "vbrcb has a block stride of 0",
               .hint = "it must be 1 or more (cann/asc-devkit docs: Brcb)",
               .operand = 2};
    return false;
}

constexpr IntrinsicForm kFill{"w0l" "x--" "n--" "b0-" "i--" "s0-" "i--"};
constexpr IntrinsicForm kCopy{"w0l" "r1l" "n--" "b0-" "b1-" "s0-" "s1-", kMaskedRepeats};
constexpr IntrinsicForm kBursts{"w0x" "r1x" "i--" "i--" "i--" "i--" "i--",
                                kUnmasked, IntrinsicWork::kBlocks, &check_bursts,
                                &add_bursts, IntrinsicUnit::kVector, nullptr, IntrinsicArchs::kAll};
constexpr IntrinsicForm kSpreadElements{"w0S" "r1E" "b0-" "s0-" "n--", kUnmasked,
                                        kRepeats, &check_spread};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_move.def"
}
