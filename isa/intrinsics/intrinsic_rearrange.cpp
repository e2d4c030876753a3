#include <algorithm>

#include "isa/intrinsics/intrinsic_row.h"

namespace ptosim::intrinsics {
namespace {

using namespace ptosim::semantics;

void gathered(IntrinsicRun& run) {
    visit_bits(run.type(0), [&](auto type) {
        using T = decltype(type);
        const uint64_t offsets = run.argument(1);
        run.for_repeats([&] {
            for (unsigned i = 0; i < run.lanes(); ++i) {
                if (!is_active(run.mask, i)) continue;
                const uint64_t lane = uint64_t{run.repeat} * run.lanes() + i;
                const auto offset = run.read<uint32_t>(offsets + 4 * lane);
                store(run.register_bytes(IntrinsicRun::kResult) + i * sizeof(T),
                      run.read<T>(run.argument(kGatherBase) + offset));
            }
            run.store(IntrinsicRun::kResult, 0);
        });
    });
}

void gathered_blocks(IntrinsicRun& run) {
    using Block = std::array<std::byte, kBlockBytes>;
    run.for_repeats([&] {
        run.load(1, 1);
        for (unsigned b = 0; b < run.lanes(); ++b) {
            const auto offset = load<uint32_t>(run.register_bytes(1) + 4 * b);
            store(run.register_bytes(IntrinsicRun::kResult) + b * kBlockBytes,
                  run.read<Block>(run.argument(kGatherBase) + offset));
        }
        run.store(IntrinsicRun::kResult, 0);
    });
}

}  // namespace

GatheredBeyond gathered_beyond(IntrinsicRun& run) {
    const bool blocks = run.call.opcode == IntrinsicOpcode::kvgatherb;
    const uint64_t width = blocks ? kBlockBytes : bytes(run.type(0), 1);
    const uint64_t end = run.argument(kGatherEnd);
    GatheredBeyond beyond;
    run.for_repeats([&] {
        if (blocks) run.load(1, 1);
        for (unsigned i = 0; i < run.lanes(); ++i) {
            if (!blocks && !is_active(run.mask, i)) continue;
            const uint64_t lane = uint64_t{run.repeat} * run.lanes() + i;
            const auto offset = blocks ? load<uint32_t>(run.register_bytes(1) + 4 * i)
                                       : run.read<uint32_t>(run.argument(1) + 4 * lane);
            const uint64_t reached = run.argument(kGatherBase) + offset + width;
            if (reached <= end) continue;
            ++beyond.lanes;
            beyond.reached = std::max(beyond.reached, reached);
        }
    });
    return beyond;
}

namespace {

// The place depends on data: as many bytes as a register has, from the base on.
void add_gathered(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    if (all.empty()) return;
    all.push_back({kGatherBase, false, true, false, {{call.arguments[kGatherBase], kVectorBytes, 0, 1}}});
}

// vreducev2(dst, src0, src1, repeat, block stride, pattern, repeat stride of src0, of src1).
struct Keep {
    uint64_t repeats, elements, width, block_stride, pattern, repeat_stride, bits_stride;

    uint64_t offset(uint64_t repeat, uint64_t i) const {
        const uint64_t each = kBlockBytes / width;
        return repeat * repeat_stride + i / each * block_stride + i % each * width;
    }
    // True if the fixed pattern (1 to 7) keeps element i.
    bool keeps(uint64_t i) const {
        if (pattern == 7) return true;
        return pattern <= 2 ? i % 2 == pattern - 1 : i % 4 == pattern - 3;
    }
};
Keep keep_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    const uint64_t width = bytes(call.types[0], 1);
    const uint64_t elements = call.counter_mode ? call.registers.mask[0] : kVectorBytes / width;
    return {a[3], elements, width,
            a[4] * kBlockBytes, a[5], a[6] * kBlockBytes,
            a[7] * kBlockBytes};
}

void kept(IntrinsicRun& run) {
    const Keep keep = keep_of(run.call);
    visit_bits(run.type(0), [&](auto type) {
        using T = decltype(type);
        uint64_t count = 0;
        for (uint64_t repeat = 0; repeat < keep.repeats; ++repeat)
            for (uint64_t i = 0; i < keep.elements; ++i) {
                const uint64_t byte = run.argument(2) + repeat * keep.bits_stride + i / 8;
                const bool keeps = keep.pattern == 0 ? (run.read<uint8_t>(byte) >> (i % 8) & 1) != 0
                                                     : keep.keeps(i);
                if (!keeps) continue;
                run.write(run.argument(0) + count * sizeof(T),
                          run.read<T>(run.argument(1) + keep.offset(repeat, i)));
                ++count;
            }
        run.state.rsvd_cnt = count;
    });
}

void add_kept(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    const Keep keep = keep_of(call);
    if (keep.repeats == 0 || keep.elements == 0) return;
    const bool custom = keep.pattern == 0;
    uint64_t count = 0;
    for (uint64_t i = 0; i < keep.elements; ++i) count += custom || keep.keeps(i) ? 1 : 0;
    if (count != 0)
        all.push_back({0, true, false, custom,
                       {{call.arguments[0], count * keep.repeats * keep.width, 0, 1}}});
    const uint64_t length = keep.offset(0, keep.elements - 1) + keep.width;
    all.push_back({1, false, false, keep.block_stride != kBlockBytes,
                   {{call.arguments[1], length, keep.repeat_stride, keep.repeats}}});
    const uint64_t bit_bytes = (keep.elements + 7) / 8;
    if (custom)
        all.push_back({2, false, false, false,
                       {{call.arguments[2], bit_bytes, keep.bits_stride, keep.repeats}}});
}

bool check_pattern(const IntrinsicCall& call, Problem& problem) {
    if (call.arguments[5] <= 7) return true;
    problem = {.code = "P01",
               .message = "vreducev2 has no pattern " + std::to_string(call.arguments[5]),
               .hint = "patterns are 0 to 7",
               .operand = 5};
    return false;
}

constexpr uint64_t kSide = 16;  // rows and columns of a transposition

void transposed(IntrinsicRun& run) {
    std::array<uint16_t, kSide * kSide> out;
    for (uint64_t i = 0; i < out.size(); ++i)
        out[i % kSide * kSide + i / kSide] = run.read<uint16_t>(run.argument(1) + 2 * i);
    for (uint64_t i = 0; i < out.size(); ++i) run.write(run.argument(0) + 2 * i, out[i]);
}

void add_transposed(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    constexpr uint64_t kBytes = 2 * kSide * kSide;
    all.push_back({0, true, false, false, {{call.arguments[0], kBytes, 0, 1}}});
    all.push_back({1, false, false, false, {{call.arguments[1], kBytes, 0, 1}}});
}

// Arguments of scatter_vnchwconv_*: four with block numbers of dst, 16 bits each, four with block numbers of src, and
// one with repeat, strides and halves.
constexpr unsigned kFromBlocks = 4, kRest = 8;

struct Scattered {
    uint64_t repeats, to_stride, from_stride;
    bool to_upper, from_upper;
};
Scattered scattered_of(const IntrinsicCall& call) {
    const uint64_t rest = call.arguments[kRest];
    return {rest & 0xFFFF, rest >> 16 & 0xFFFF, rest >> 32 & 0xFFFF, (rest >> 48 & 1) != 0,
            (rest >> 49 & 1) != 0};
}
// Byte address of block i in a repeat. A single repeat is one stride further on.
uint64_t block_at(const IntrinsicCall& call, unsigned first, unsigned i, uint64_t repeat) {
    const Scattered s = scattered_of(call);
    const uint64_t block = call.arguments[first + i / 4] >> (16 * (i % 4)) & 0xFFFF;
    const uint64_t steps = s.repeats == 1 ? 1 : repeat;
    const bool upper = first == 0 ? s.to_upper : s.from_upper;
    return (block + steps * (first == 0 ? s.to_stride : s.from_stride)) * kBlockBytes +
           (upper ? kBlockBytes / 2 : 0);
}

template <typename T>
void scattered(IntrinsicRun& run) {
    constexpr unsigned kWidth = std::min<unsigned>(kSide, kBlockBytes / sizeof(T));  // of a block
    for (uint64_t repeat = 0; repeat < scattered_of(run.call).repeats; ++repeat) {
        std::array<T, kSide * kWidth> out;  // columns of src, one after the other
        for (unsigned i = 0; i < kSide; ++i)
            for (unsigned j = 0; j < kWidth; ++j)
                out[j * kSide + i] =
                    run.read<T>(block_at(run.call, kFromBlocks, i, repeat) + j * sizeof(T));
        for (unsigned at = 0; at < out.size(); ++at)
            run.write(block_at(run.call, 0, at / kWidth, repeat) + at % kWidth * sizeof(T),
                      out[at]);
    }
}

void add_scattered(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    const Scattered s = scattered_of(call);
    if (s.repeats == 0) return;
    const uint64_t length = bits(call.types[0]) == 8 ? kBlockBytes / 2 : kBlockBytes;
    for (const unsigned first : {0u, kFromBlocks}) {
        const uint64_t pitch = (first == 0 ? s.to_stride : s.from_stride) * kBlockBytes;
        const bool once = s.repeats == 1 || pitch == 0;
        IntrinsicFootprint footprint{first, first == 0, false, false, {}};
        for (unsigned i = 0; i < kSide; ++i)
            footprint.rows.push_back({block_at(call, first, i, 0), length, once ? 0 : pitch,
                                      once ? 1 : s.repeats});
        all.push_back(std::move(footprint));
    }
}

bool check_scattered(const IntrinsicCall& call, Problem& problem) {
    if (scattered_of(call).repeats <= 255) return true;
    problem = {.code = "S01",
               .message = std::string(info(call.opcode).name) + " has " +
                          std::to_string(scattered_of(call).repeats) + " repeats, 255 are the most",
               .hint = {},
               .operand = static_cast<int>(kRest)};
    return false;
}

constexpr IntrinsicForm kGather{"w0l" "r1c" "i--" "s0-" "n--", kMasked, kRepeats,
                                nullptr, &add_gathered};
constexpr IntrinsicForm kGatherBlocks{"w0S" "r1E" "i--" "s0-" "b0-" "n--", kUnmasked, kRepeats,
                                      nullptr, &add_gathered};
constexpr IntrinsicForm kKeep{"w0x" "r1x" "r2x" "n--" "b1-" "i--" "s1-" "s2-", kUnmasked, kRepeats,
                              &check_pattern, &add_kept};
constexpr IntrinsicForm kTransposed{"w0x" "r1x", kUnmasked, kRepeats, nullptr, &add_transposed};
constexpr IntrinsicForm kScattered{"i--" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "i--", kUnmasked,
                                   IntrinsicWork::kBlocks, &check_scattered, &add_scattered};
constexpr std::array<IntrinsicTypes, 2> kGatherTypes{{{{DType::kU16, DType::kU32, DType::kU32}},
                                                      {{DType::kU32, DType::kU32, DType::kU32}}}};
constexpr auto kTypes8 = intrinsic_rows::all_of(DType::kU8);
constexpr auto kTypes16 = intrinsic_rows::all_of(DType::kU16);
constexpr auto kTypes32 = intrinsic_rows::all_of(DType::kU32);

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim {

IntrinsicCall transposition_call(IntrinsicOpcode opcode, DType type,
                                 std::span<const uint64_t, 16> to,
                                 std::span<const uint64_t, 16> from, uint64_t repeat,
                                 uint64_t to_stride, uint64_t from_stride, bool to_upper,
                                 bool from_upper) {
    IntrinsicCall call;
    call.opcode = opcode;
    call.types = {type, type, type};
    for (unsigned i = 0; i < 16; ++i) {
        call.arguments[i / 4] |= (to[i] / kBlockBytes & 0xFFFF) << (16 * (i % 4));
        call.arguments[intrinsics::kFromBlocks + i / 4] |= (from[i] / kBlockBytes & 0xFFFF)
                                                           << (16 * (i % 4));
    }
    call.arguments[intrinsics::kRest] = (repeat & 0xFFFF) | (to_stride & 0xFFFF) << 16 |
                                        (from_stride & 0xFFFF) << 32 | uint64_t{to_upper} << 48 |
                                        uint64_t{from_upper} << 49;
    return call;
}

}  // namespace ptosim

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_rearrange.def"
}
