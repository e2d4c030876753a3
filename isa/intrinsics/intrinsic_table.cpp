#include <cstring>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Names and arguments: hw-native-sys/pto-isa include/pto/npu/a2a3/TMov.hpp. Units: cann/asc-devkit
// docs/zh/api/SIMD-API, DataCopy from L1 to the bias table and to the fix pipe's buffer.

namespace ptosim::intrinsics {
namespace {

struct Parameters {
    uint64_t count = 0, length = 0;  // bytes in L1
    uint64_t to_length = 0, to_pitch = 0, from_pitch = 0;
    bool widens = false, bf16 = false;
};

// copy_cbuf_to_bt(dst, src, to f32, count, length, gap in L1, gap); Unit_: bytes of lengths, and of gaps in the
// table.
template <uint64_t Unit_>
Parameters of_bias(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Parameters p{.count = a[3], .length = a[4] * Unit_};
    p.bf16 = call.types[1] == DType::kBF16;
    p.widens = a[2] != 0 || (Unit_ == 32 && p.bf16);
    p.to_length = p.widens ? 2 * p.length : p.length;
    p.from_pitch = p.length + a[5] * 32;
    p.to_pitch = p.to_length + a[6] * Unit_;
    return p;
}

// copy_cbuf_to_fbuf(dst, src, count, length, distance in L1, distance): from begin to begin.
Parameters of_fixpipe(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Parameters p{.count = a[2], .length = a[3] * 128};
    p.to_length = p.length;
    p.from_pitch = a[4] * 32;
    p.to_pitch = a[5] * 128;
    return p;
}

// The parameters on C310: lengths are counted in 64 bytes, from end to begin.
Parameters of_fixpipe_c310(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Parameters p{.count = a[2], .length = a[3] * 64};
    p.to_length = p.length;
    p.from_pitch = p.length + a[4] * 32;
    p.to_pitch = p.length + a[5] * 64;
    return p;
}

bool check_bias(const IntrinsicCall& call, Problem& problem) {
    static constexpr std::array<ArgumentRange, 3> kRanges{{{2, 0, 1}, {3, 0, 4095}, {4, 0, 65535}}};
    return check_ranges(call, kRanges, problem) && check_address(call, 0, 64, problem) &&
           check_address(call, 1, 32, problem);
}
bool check_parameters(const IntrinsicCall& call, Problem& problem) {
    static constexpr std::array<ArgumentRange, 2> kRanges{{{2, 0, 4095}, {3, 0, 65535}}};
    return check_ranges(call, kRanges, problem) && check_address(call, 0, 128, problem) &&
           check_address(call, 1, 32, problem);
}

template <Space To, Parameters (*Of)(const IntrinsicCall&)>
void add_parameters(const IntrinsicCall& call, Instruction& instruction) {
    const Parameters p = Of(call);
    instruction.add(byte_rows(To, call.arguments[0], p.count, p.to_length, p.to_pitch));
    instruction.add(byte_rows(Space::kL1, call.arguments[1], p.count, p.length, p.from_pitch));
}

void move_parameters(const Parameters& p, const Execution& e) {
    for (uint64_t i = 0; i < p.count; ++i) {
        std::byte* const to = e.bytes[0] + i * p.to_pitch;
        const std::byte* const from = e.bytes[1] + i * p.from_pitch;
        if (!p.widens) {
            std::memmove(to, from, p.length);
            continue;
        }
        for (uint64_t at = 0; at < p.length; at += 2)
            semantics::store(to + 2 * at, p.bf16 ? to_float(semantics::load<BFloat16>(from + at))
                                                 : to_float(semantics::load<Half>(from + at)));
    }
}
template <Parameters (*Of)(const IntrinsicCall&)>
void parameters_in(const IntrinsicCall& call, const Execution& e) {
    move_parameters(Of(call), e);
}

constexpr IntrinsicForm parameter_form(std::string_view signature, bool (*check)(const IntrinsicCall&, Problem&),
                                       void (*operands)(const IntrinsicCall&, Instruction&), IntrinsicArchs archs) {
    return {.signature = signature,
            .masking = kUnmasked,
            .check = check,
            .unit = IntrinsicUnit::kMove,
            .operands = operands,
            .archs = archs};
}
constexpr std::string_view kBiasWords = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--";
constexpr std::string_view kParameterWords = "w0x" "r1x" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kIntoBias = parameter_form(
    kBiasWords, &check_bias, &add_parameters<Space::kBias, of_bias<64>>, IntrinsicArchs::kMemory);
constexpr IntrinsicForm kIntoBiasOfC310 = parameter_form(
    kBiasWords, &check_bias, &add_parameters<Space::kBias, of_bias<32>>, IntrinsicArchs::kRegisters);
constexpr IntrinsicForm kIntoFixpipe = parameter_form(
    kParameterWords, &check_parameters, &add_parameters<Space::kFixpipe, of_fixpipe>, IntrinsicArchs::kMemory);
constexpr IntrinsicForm kIntoFixpipeOfC310 = parameter_form(
    kParameterWords, &check_parameters, &add_parameters<Space::kFixpipe, of_fixpipe_c310>, IntrinsicArchs::kRegisters);

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_table.def"
}
