#include "isa/intrinsics/intrinsic_row.h"

namespace ptosim::intrinsics {
namespace {

using namespace ptosim::semantics;

constexpr unsigned kScalar = 2, kMode = 10;  // arguments of vcmpvs_*, vsel

// Without a dst, operands of lanes come first.
template <VectorMode kRelation>
void compared_to_register(IntrinsicRun& run) {
    const DType type = run.type(0);
    run.for_repeats([&] {
        run.load(0, 0);
        run.load(1, 1);
        run.apply({.opcode = VectorOpcode::kVCMP,
                   .type = type,
                   .sources = {0, 1},
                   .mode = kRelation});
        const std::byte* holds = run.register_bytes(IntrinsicRun::kResult);
        for (unsigned i = 0; i < run.lanes(); ++i) {
            if (!is_active(run.mask, i)) continue;
            const uint64_t bit = uint64_t{1} << (i % 64);
            uint64_t& word = run.state.cmpmask[i / 64];
            word = holds[i * bytes(type, 1)] != std::byte{0} ? word | bit : word & ~bit;
        }
    });
}

template <VectorOpcode kOp, VectorMode kRelation>
void compared(IntrinsicRun& run) {
    const DType type = run.type(1);
    constexpr bool kTwo = kOp == VectorOpcode::kVCMP;
    run.for_repeats([&] {
        run.load(1, 1);
        if (kTwo) run.load(2, 2);
        run.apply({.opcode = kOp,
                   .type = type,
                   .sources = {1, 2},
                   .scalar = run.argument(kScalar),
                   .mode = kRelation});
        const std::byte* holds = run.register_bytes(IntrinsicRun::kResult);
        std::byte* bits_of = run.register_bytes(IntrinsicRun::kScratch);
        std::memset(bits_of, 0, kVectorBytes);
        for (unsigned i = 0; i < run.lanes(); ++i)
            if (holds[i * bytes(type, 1)] != std::byte{0})
                bits_of[i / 8] |= std::byte{1} << (i % 8);
        run.store(IntrinsicRun::kScratch, kDst);
    });
}

// Registers of vsel: sources 1 and 2, the predicate in kMask.
void selected(IntrinsicRun& run) {
    const uint64_t mode = run.argument(kMode);
    const DType type = run.type(kDst);
    const unsigned width = static_cast<unsigned>(bytes(type, 1)), lanes = run.lanes();
    const uint64_t bits_at = mode == 1 ? run.argument(2) : run.state.cmpmask[0] & 0xFFFFFFFF;
    if (mode == 1)
        for (unsigned i = 0; i < lanes; ++i)
            std::memcpy(run.register_bytes(2) + i * width, run.state.cmpmask.data(), width);
    run.for_repeats([&] {
        run.load(1, 1);
        if (mode != 1) run.load(2, 2);
        std::byte* predicate = run.register_bytes(IntrinsicRun::kMask);
        std::memset(predicate, 0, kVectorBytes);
        for (unsigned i = 0; i < lanes; ++i) {
            if (!is_active(run.mask, i)) continue;
            const uint64_t byte = bits_at + uint64_t{run.repeat} * lanes / 8 + i / 8;
            const bool bit = mode == 0 ? is_active(run.state.cmpmask, i)
                                       : (run.read<uint8_t>(byte) >> (i % 8) & 1) != 0;
            predicate[i * width] = bit ? std::byte{1} : std::byte{0};
        }
        run.apply({.opcode = VectorOpcode::kVSEL,
                   .type = type,
                   .sources = {1, 2, IntrinsicRun::kMask}});
        run.store(IntrinsicRun::kResult, kDst);
    });
}

void set_register(IntrinsicRun& run) {
    const uint64_t address = run.argument(0);
    run.state.cmpmask = {run.read<uint64_t>(address), run.read<uint64_t>(address + 8)};
}
void get_register(IntrinsicRun& run) {
    for (unsigned i = 0; i < 2; ++i) run.write(run.argument(0) + 8 * i, run.state.cmpmask[i]);
}

bool check_mode(const IntrinsicCall& call, Problem& problem) {
    const bool by_address = call.arguments[kMode] == 1;
    if (by_address != (call.types[2] == DType::kU8)) {
        problem = {.code = "T03",
                   .message = "src1 of vsel has type " + std::string(name(call.types[2])),
                   .hint = "with mode 1 it is the address of bits, u8; else it has the type of dst",
                   .operand = 2};
        return false;
    }
    if (call.arguments[kMode] <= 2) return true;
    problem = {.code = "P01",
               .message = "vsel has no mode " + std::to_string(call.arguments[kMode]),
               .hint = "modes are 0 to 2",
               .operand = static_cast<int>(kMode)};
    return false;
}

constexpr IntrinsicForm kCompareToRegister{
    "r0l" "r1l" "i--" "i--" "b0-" "b1-" "i--" "s0-" "s1-"};
constexpr IntrinsicForm kCompare{
    "w0m" "r1l" "r2l" "n--" "i--" "b1-" "b2-" "i--" "s1-" "s2-", kWhole};
constexpr IntrinsicForm kCompareScalar{"w0m" "r1l" "x--" "n--" "i--" "b1-" "i--" "s1-", kWhole};
constexpr IntrinsicForm kSelect{"w0l" "r1l" "r2v" "n--" "b0-" "b1-" "b2-" "s0-" "s1-" "s2-" "i--",
                                kMasked, kRepeats, &check_mode};
constexpr IntrinsicForm kSetRegister{"r0q", kUnmasked};
constexpr IntrinsicForm kGetRegister{"w0q", kUnmasked};
constexpr std::array<IntrinsicTypes, 2> kCompareTypes{{{{DType::kU8, DType::kF16, DType::kF16}},
                                                       {{DType::kU8, DType::kF32, DType::kF32}}}};
constexpr std::array<IntrinsicTypes, 4> kSelectTypes{{{{DType::kF16, DType::kF16, DType::kF16}},
                                                      {{DType::kF32, DType::kF32, DType::kF32}},
                                                      {{DType::kF16, DType::kF16, DType::kU8}},
                                                      {{DType::kF32, DType::kF32, DType::kU8}}}};
constexpr std::array<IntrinsicTypes, 3> kEqualTypes{{{{DType::kU8, DType::kF16, DType::kF16}},
                                                     {{DType::kU8, DType::kF32, DType::kF32}},
                                                     {{DType::kU8, DType::kI32, DType::kI32}}}};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_compare.def"
}
