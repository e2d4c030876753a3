#include <algorithm>
#include <cstring>

#include "isa/core/core_registers.h"
#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"
#include "isa/intrinsics/register_use.h"

// Names, arguments and units: hw-native-sys/pto-isa include/pto/npu/a2a3/TLoad.hpp, TStore.hpp;
// cann/asc-devkit docs/zh/api/SIMD-API/C-API/vector_datamove.

namespace ptosim::intrinsics {
namespace {

// Bytes, and how they lie on chip: `before` and `after` are padding, `dummy` fills the last block of a load.
struct Transfer {
    uint64_t count = 0, length = 0, before = 0, after = 0, dummy = 0;
    uint64_t local_pitch = 0, global_pitch = 0;
    uint64_t local_length() const { return before + length + after + dummy; }
};

// copy_*(dst, src, sid, count, length, source gap, destination gap), in blocks.
Transfer block_bursts(const IntrinsicCall& call, bool load) {
    const auto& a = call.arguments;
    Transfer bursts;
    bursts.count = a[3];
    bursts.length = a[4] * kBlockBytes;
    const uint64_t from = bursts.length + a[5] * kBlockBytes, to = bursts.length + a[6] * kBlockBytes;
    bursts.local_pitch = load ? to : from;
    bursts.global_pitch = load ? from : to;
    return bursts;
}

uint64_t padding_element(IntrinsicOpcode opcode) {
    switch (opcode) {
        case IntrinsicOpcode::kcopy_gm_to_ubuf_align_b16:
            return 2;
        case IntrinsicOpcode::kcopy_gm_to_ubuf_align_b32:
            return 4;
        default:
            return 1;
    }
}

// copy_*_align(dst, src, sid, count, length, left, right, source gap, destination gap): bytes, but gaps
// in UB are blocks, and padding is counted in elements.
Transfer aligned_bursts(const IntrinsicCall& call, bool load) {
    const auto& a = call.arguments;
    Transfer bursts;
    bursts.count = a[3];
    bursts.length = a[4];
    if (load) {
        bursts.before = a[5] * padding_element(call.opcode);
        bursts.after = a[6] * padding_element(call.opcode);
        bursts.dummy = whole(bursts.local_length(), kBlockBytes) - bursts.local_length();
    }
    const uint64_t local_gap = (load ? a[8] : a[7]) * kBlockBytes;
    bursts.local_pitch = whole(bursts.local_length(), kBlockBytes) + local_gap;
    bursts.global_pitch = bursts.length + (load ? a[7] : a[8]);
    return bursts;
}

bool is_aligned(const IntrinsicCall& call) {
    return info(call.opcode).name.find("_align_") != std::string_view::npos;
}
Transfer transfer_of(const IntrinsicCall& call, bool load) {
    return is_aligned(call) ? aligned_bursts(call, load) : block_bursts(call, load);
}

bool check_transfer(const IntrinsicCall& call, bool load, Problem& problem) {
    if (!check_address(call, load ? 0 : 1, kBlockBytes, problem)) return false;
    const uint64_t longest = is_aligned(call) ? 2097151 : 65535;
    return check_ranges(call, std::array<ArgumentRange, 2>{{{3, 0, 4095}, {4, 0, longest}}}, problem);
}
bool check_load(const IntrinsicCall& call, Problem& problem) {
    return check_transfer(call, true, problem);
}
bool check_store(const IntrinsicCall& call, Problem& problem) {
    return check_transfer(call, false, problem);
}

// ---- operands ---------------------------------------------------------------------------------

Tile local_tile(Space space, uint64_t address, const Transfer& bursts) {
    Tile tile;
    tile.space = space;
    tile.dtype = DType::kU8;
    tile.address = static_cast<uint32_t>(address);
    tile.rows = tile.valid_rows = static_cast<int32_t>(bursts.count);
    tile.cols = tile.valid_cols = static_cast<int32_t>(bursts.local_length());
    tile.pitch = static_cast<int32_t>(std::max(bursts.local_pitch, bursts.local_length()));
    return tile;
}

GlobalView global_view(uint64_t address, const Transfer& bursts, DType type) {
    const uint64_t size = bytes(type, 1);
    return global_rows(address, bursts.count, bursts.length / size, bursts.global_pitch / size, type);
}

template <Space To>
void add_load(const IntrinsicCall& call, Instruction& instruction) {
    const Transfer bursts = transfer_of(call, true);
    if (bursts.count == 0 || bursts.length == 0) return;
    instruction.add(local_tile(To, call.arguments[0], bursts));
    instruction.add(global_view(call.arguments[1], bursts, DType::kU8));
}

uint64_t atomic_register(const IntrinsicCall& call) {
    const IntrinsicForm& form = info(call.opcode).form;
    return call.arguments[form.argument_count() - 1];
}

template <Space From>
void add_store(const IntrinsicCall& call, Instruction& instruction) {
    const Transfer bursts = transfer_of(call, false);
    if (bursts.count == 0 || bursts.length == 0) return;
    const AtomicMode atomic = atomic_mode(atomic_register(call));
    instruction.attributes.atomic = atomic;
    instruction.add(global_view(
        call.arguments[0], bursts,
        atomic == AtomicMode::kNone ? DType::kU8 : atomic_type(atomic_register(call))));
    instruction.add(local_tile(From, call.arguments[1], bursts));
}

// ---- data -------------------------------------------------------------------------------------

void copied_in(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Transfer bursts = transfer_of(call, true);
    const uint64_t element = padding_element(call.opcode);
    const uint64_t padding = is_aligned(call) ? call.arguments[9] : 0;
    const auto fill = [element](std::byte* at, uint64_t count, const void* value) {
        for (uint64_t i = 0; i < count; i += element) std::memcpy(at + i, value, std::min(element, count - i));
    };
    // Without padding, the dummy repeats the burst's first element (DataCopyPad).
    const bool padded = bursts.before != 0 || bursts.after != 0;
    for (uint64_t i = 0; i < bursts.count; ++i) {
        std::byte* const to = e.bytes[0] + i * bursts.local_pitch;
        const std::byte* const from = e.bytes[1] + i * bursts.global_pitch;
        fill(to, bursts.before, &padding);
        std::memcpy(to + bursts.before, from, bursts.length);
        fill(to + bursts.before + bursts.length, bursts.after, &padding);
        fill(to + bursts.local_length() - bursts.dummy, bursts.dummy, padded ? static_cast<const void*>(&padding) : to);
    }
}

void copied_out(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Transfer bursts = transfer_of(call, false);
    const AtomicMode atomic = e.instruction.attributes.atomic;
    for (uint64_t i = 0; i < bursts.count; ++i) {
        std::byte* const to = e.bytes[0] + i * bursts.global_pitch;
        const std::byte* const from = e.bytes[1] + i * bursts.local_pitch;
        combine_bytes(atomic, atomic_type(atomic_register(call)), to, from, bursts.length);
    }
}

// ---- forms ------------------------------------------------------------------------------------

constexpr IntrinsicForm transfer_form(std::string_view signature, IntrinsicUnit unit,
                                      void (*operands)(const IntrinsicCall&, Instruction&)) {
    return {.signature = signature,
            .masking = kUnmasked,
            .check = unit == IntrinsicUnit::kLoad ? &check_load : &check_store,
            .unit = unit,
            .operands = operands};
}
constexpr std::string_view kBlocks = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kIntoBlocks =
    transfer_form(kBlocks, IntrinsicUnit::kLoad, &add_load<Space::kUB>);
constexpr IntrinsicForm kIntoL1 =
    transfer_form("w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--", IntrinsicUnit::kLoad, &add_load<Space::kL1>);
constexpr IntrinsicForm kIntoAligned =
    transfer_form("w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "Rmp", IntrinsicUnit::kLoad,
                  &add_load<Space::kUB>);
constexpr std::string_view kAtomicBlocks = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "Rat";
constexpr IntrinsicForm kOutOfBlocks =
    transfer_form(kAtomicBlocks, IntrinsicUnit::kStore, &add_store<Space::kUB>);
constexpr IntrinsicForm kOutOfL1 =
    transfer_form(kAtomicBlocks, IntrinsicUnit::kStore, &add_store<Space::kL1>);
constexpr IntrinsicForm kOutOfAligned =
    transfer_form("w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "Rat", IntrinsicUnit::kStore,
                  &add_store<Space::kUB>);

}  // namespace

bool bursts_use(const IntrinsicCall& call, unsigned number) {
    if (number != core_register::MOV_PAD) return true;
    const Transfer bursts = transfer_of(call, true);
    return bursts.before != 0 || bursts.after != 0;
}

}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_transfer.def"
}
