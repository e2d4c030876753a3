#include <algorithm>
#include <cstring>

#include "isa/core/core_registers.h"
#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"
#include "isa/intrinsics/register_use.h"

// Names and arguments: hw-native-sys/pto-isa include/pto/npu/a5/TLoad.hpp, TStore.hpp, TInsert.hpp;
// cann/asc-devkit impl/c_api/instr_impl/npu_arch_3510. Meaning and units: docs/zh/api/SIMD-API/C-API,
// asc_copy_gm2ub_align_arch_3510, asc_set_gm2ub_loop_size, asc_set_gm2ub_loop1_stride, asc_copy_ub2gm_align,
// asc_copy_ub2l1, asc_copy_l12ub.

namespace ptosim::intrinsics {
namespace {

// One dimension of a nest of loops: how often, and how many bytes apart.
struct Loop {
    uint64_t count = 1, local_step = 0, global_step = 0;
};

// The outer loop first; the last one is that of bursts.
struct Nest {
    std::array<Loop, 3> loops;
    uint64_t length = 0, before = 0, after = 0;  // bytes; what is around a burst is padding

    uint64_t local_length() const { return before + length + after; }
    bool empty() const {
        return length == 0 || std::ranges::any_of(loops, [](const Loop& loop) { return loop.count == 0; });
    }
};

// Bits 0 to 20 of a register of sizes are the inner loop's count, 21 to 41 the outer one's; each is 1 until it is
// written. A register of steps has the steps in global memory in bits 0 to 39, then the steps in UB.
void set_loops(Nest& nest, uint64_t sizes, uint64_t inner, uint64_t outer) {
    const auto loop = [](uint64_t count, uint64_t steps) {
        return Loop{count, bits_of(steps, 40, 21), bits_of(steps, 0, 40)};
    };
    nest.loops[0] = loop(sizes == 0 ? 1 : bits_of(sizes, 21, 21), outer);
    nest.loops[1] = loop(sizes == 0 ? 1 : bits_of(sizes, 0, 21), inner);
}

// copy_gm_to_*_align_v2(dst, src, bursts, length, step of src, step of dst): bursts in bits 0 to 31, elements
// before and after each in 32 to 39 and 40 to 47, bit 48: they get the padding value.
constexpr unsigned kPadding = 9;
uint64_t padded_element(const IntrinsicCall& call) { return std::min<uint64_t>(bytes(call.types[0], 1), 4); }
Nest loaded_nest(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Nest nest;
    nest.length = a[3];
    nest.before = bits_of(a[2], 32, 8) * padded_element(call);
    nest.after = bits_of(a[2], 40, 8) * padded_element(call);
    nest.loops[2] = {bits_of(a[2], 0, 32), a[5], a[4]};
    set_loops(nest, a[6], a[7], a[8]);
    // A burst that does not follow the one before at once fills its last block up.
    const bool compact = nest.loops[2].count > 1 && a[5] == nest.length;
    if (bits_of(a[2], 48, 1) != 0 && !compact)
        nest.after = whole(nest.local_length(), kBlockBytes) - nest.before - nest.length;
    return nest;
}

// copy_ubuf_to_gm_align_v2(dst, src, bursts, length, step of dst, step of src).
Nest stored_nest(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Nest nest;
    nest.length = a[3];
    nest.loops[2] = {a[2], a[5], a[4]};
    set_loops(nest, a[6], a[7], a[8]);
    return nest;
}

bool check_loops(const IntrinsicCall& call, unsigned local, const Nest& nest, Problem& problem) {
    if (!check_address(call, local, kBlockBytes, problem)) return false;
    static constexpr std::array<ArgumentRange, 1> kLength{{{3, 0, 2097151}}};
    if (nest.loops[2].count > 4095 * uint64_t{512})
        return refuse_argument(call, 2, "S01", std::to_string(nest.loops[2].count) + " bursts",
                               "there are at most 2096640", problem);
    return check_ranges(call, kLength, problem);
}
bool check_loaded(const IntrinsicCall& call, Problem& problem) {
    const uint64_t most = std::max(bits_of(call.arguments[2], 32, 8), bits_of(call.arguments[2], 40, 8));
    if (most * padded_element(call) > kBlockBytes)
        return refuse_argument(call, 2, "S01", std::to_string(most * padded_element(call)) + " bytes of padding",
                               "a burst has at most 32 on each side", problem);
    return check_loops(call, 0, loaded_nest(call), problem);
}
bool check_stored(const IntrinsicCall& call, Problem& problem) {
    return check_loops(call, 1, stored_nest(call), problem);
}

// ---- operands -------------------------------------------------------------------------------------

// Rows of bytes, if the loops are one; otherwise all from the first byte to the last.
Tile nested_rows(Space space, uint64_t address, const Nest& nest) {
    Loop rows = nest.loops[2];
    if (rows.count == 1) rows.local_step = nest.local_length();
    uint64_t extent = (rows.count - 1) * rows.local_step + nest.local_length();
    bool regular = true;
    for (const Loop& loop : {nest.loops[1], nest.loops[0]}) {
        extent += (loop.count - 1) * loop.local_step;
        if (loop.count == 1) continue;
        if (rows.count == 1)
            rows = loop;
        else
            regular = regular && loop.local_step == rows.count * rows.local_step, rows.count *= loop.count;
    }
    if (!regular || rows.local_step < nest.local_length()) return byte_rows(space, address, 1, extent, extent);
    return byte_rows(space, address, rows.count, nest.local_length(), rows.local_step);
}

GlobalView nested_view(uint64_t address, const Nest& nest, DType type) {
    const uint64_t size = bytes(type, 1);
    GlobalView view;
    view.address = address;
    view.dtype = type;
    view.shape[0] = 1;
    for (unsigned i = 0; i < 3; ++i) {
        view.shape[i + 1] = static_cast<int32_t>(nest.loops[i].count);
        view.stride[i + 1] = static_cast<int64_t>(nest.loops[i].global_step / size);
    }
    view.shape[4] = static_cast<int32_t>(nest.length / size);
    view.stride[4] = 1;
    view.stride[0] = view.stride[1] * view.shape[1];
    return view;
}

template <Space To>
void add_loaded(const IntrinsicCall& call, Instruction& instruction) {
    const Nest nest = loaded_nest(call);
    if (nest.empty()) return;
    instruction.add(nested_rows(To, call.arguments[0], nest));
    instruction.add(nested_view(call.arguments[1], nest, DType::kU8));
}

uint64_t atomic_register(const IntrinsicCall& call) {
    return call.arguments[info(call.opcode).form.argument_count() - 1];
}

void add_stored(const IntrinsicCall& call, Instruction& instruction) {
    const Nest nest = stored_nest(call);
    if (nest.empty()) return;
    const AtomicMode atomic = atomic_mode(atomic_register(call));
    instruction.attributes.atomic = atomic;
    instruction.add(nested_view(call.arguments[0], nest,
                                atomic == AtomicMode::kNone ? DType::kU8 : atomic_type(atomic_register(call))));
    instruction.add(nested_rows(Space::kUB, call.arguments[1], nest));
}

// ---- data -----------------------------------------------------------------------------------------

// Calls f with the offsets of each burst, on chip and in global memory.
template <typename F>
void for_bursts(const Nest& nest, F&& f) {
    const auto& [outer, inner, burst] = nest.loops;
    for (uint64_t i = 0; i < outer.count; ++i)
        for (uint64_t j = 0; j < inner.count; ++j)
            for (uint64_t k = 0; k < burst.count; ++k)
                f(i * outer.local_step + j * inner.local_step + k * burst.local_step,
                  i * outer.global_step + j * inner.global_step + k * burst.global_step);
}

void loops_in(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Nest nest = loaded_nest(call);
    const uint64_t element = padded_element(call);
    const bool constant = bits_of(call.arguments[2], 48, 1) != 0;
    for_bursts(nest, [&](uint64_t local, uint64_t global) {
        const std::byte* const from = e.bytes[1] + global;
        std::byte* const to = e.bytes[0] + local;
        uint64_t padding = call.arguments[kPadding];
        if (!constant) std::memcpy(&padding, from, std::min(element, nest.length));
        const auto fill = [&](std::byte* at, uint64_t count) {
            for (uint64_t i = 0; i < count; i += element) std::memcpy(at + i, &padding, element);
        };
        fill(to, nest.before);
        std::memcpy(to + nest.before, from, nest.length);
        fill(to + nest.before + nest.length, nest.after);
    });
}

void loops_out(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Nest nest = stored_nest(call);
    const AtomicMode atomic = e.instruction.attributes.atomic;
    for_bursts(nest, [&](uint64_t local, uint64_t global) {
        combine_bytes(atomic, atomic_type(atomic_register(call)), e.bytes[0] + global, e.bytes[1] + local,
                      nest.length);
    });
}

// ---- between UB and L1 ------------------------------------------------------------------------------

// copy_*(dst, src, vector core, bursts, length, gap of src, gap of dst), in blocks.
constexpr std::array<ArgumentRange, 5> kBlockRanges{
    {{2, 0, 1}, {3, 0, 4095}, {4, 0, 65535}, {5, 0, 65535}, {6, 0, 65535}}};
bool check_blocks(const IntrinsicCall& call, Problem& problem) {
    return check_address(call, 0, kBlockBytes, problem) && check_address(call, 1, kBlockBytes, problem) &&
           check_ranges(call, kBlockRanges, problem);
}

template <Space To, Space From>
void add_blocks(const IntrinsicCall& call, Instruction& instruction) {
    const auto& a = call.arguments;
    const uint64_t length = a[4] * kBlockBytes;
    if (To == Space::kUB && a[2] == 1) instruction.attributes.acc_to_vec = AccToVec::kSingle1;
    instruction.add(byte_rows(To, a[0], a[3], length, length + a[6] * kBlockBytes));
    instruction.add(byte_rows(From, a[1], a[3], length, length + a[5] * kBlockBytes));
}

void blocks_moved(const IntrinsicCall& call, const Execution& e) {
    const auto& a = call.arguments;
    for (uint64_t i = 0; i < a[3]; ++i)
        std::memcpy(e.bytes[0] + i * (a[4] + a[6]) * kBlockBytes, e.bytes[1] + i * (a[4] + a[5]) * kBlockBytes,
                    a[4] * kBlockBytes);
}

// ---- forms ----------------------------------------------------------------------------------------

constexpr IntrinsicForm loop_form(std::string_view signature, IntrinsicUnit unit,
                                  bool (*check)(const IntrinsicCall&, Problem&),
                                  void (*operands)(const IntrinsicCall&, Instruction&)) {
    return {.signature = signature,
            .masking = kUnmasked,
            .check = check,
            .unit = unit,
            .operands = operands,
            .archs = IntrinsicArchs::kRegisters};
}
constexpr IntrinsicForm kLoopsIntoUb =
    loop_form("w0x" "r1x" "i--" "i--" "i--" "i--" "Ru0" "Ru1" "Ru2" "Rmp", IntrinsicUnit::kLoad, &check_loaded,
              &add_loaded<Space::kUB>);
constexpr IntrinsicForm kLoopsIntoL1 =
    loop_form("w0x" "r1x" "i--" "i--" "i--" "i--" "Rl0" "Rl1" "Rl2" "Rpl", IntrinsicUnit::kLoad, &check_loaded,
              &add_loaded<Space::kL1>);
constexpr IntrinsicForm kLoopsOut =
    loop_form("w0x" "r1x" "i--" "i--" "i--" "i--" "Ro0" "Ro1" "Ro2" "Rat", IntrinsicUnit::kStore, &check_stored,
              &add_stored);
constexpr std::string_view kBlockWords = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kFromUbToL1 =
    loop_form(kBlockWords, IntrinsicUnit::kMove, &check_blocks, &add_blocks<Space::kL1, Space::kUB>);
constexpr IntrinsicForm kFromL1ToUb =
    loop_form(kBlockWords, IntrinsicUnit::kMove, &check_blocks, &add_blocks<Space::kUB, Space::kL1>);

}  // namespace

bool loops_use(const IntrinsicCall& call, unsigned number) {
    constexpr unsigned kSizes = 6;
    const uint64_t sizes = call.arguments[kSizes];
    const bool inner = sizes != 0 && bits_of(sizes, 0, 21) != 1, outer = sizes != 0 && bits_of(sizes, 21, 21) != 1;
    switch (number) {
        case core_register::LOOP_SIZE_OUTTOUB:
        case core_register::LOOP_SIZE_UBTOOUT:
        case core_register::LOOP_SIZE_OUTTOL1:
            return inner || outer;
        case core_register::LOOP1_OUTTOUB:
        case core_register::LOOP1_UBTOOUT:
        case core_register::LOOP1_OUTTOL1:
            return inner;
        case core_register::LOOP2_OUTTOUB:
        case core_register::LOOP2_UBTOOUT:
        case core_register::LOOP2_OUTTOL1:
            return outer;
        case core_register::MOV_PAD:
        case core_register::PAD_OUTTOL1:
            return bits_of(call.arguments[2], 48, 1) != 0;
        default:
            return true;
    }
}

}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_c310_transfer.def"
}
