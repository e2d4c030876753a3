#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"
#include "isa/semantics/matmul_product.h"

// Names and arguments: hw-native-sys/pto-isa include/pto/npu/a2a3/TMatmul.hpp; cann/asc-devkit
// docs/zh/api/SIMD-API/C-API/cube_compute/asc_mmad.md, the pages of Mmad (alignment of k);
// impl/basic_api/kernel_macros.h: HF32_MODE_BIT, HF32_TRANS_MODE_BIT.

namespace ptosim::intrinsics {
namespace {

constexpr unsigned kHf32 = 46, kHf32AwayFromEven = 47;  // bits of CTRL

// mad(c, a, b, m, k, n, unit flag, k aligned to 16, start from the bias table, start from 0).
struct Product {
    explicit Product(const IntrinsicCall& call)
        : m{call.arguments[3]},
          k{call.arguments[4]},
          n{call.arguments[5]},
          aligned{call.arguments[7] != 0},
          from_bias{call.arguments[9] == 0 && call.arguments[8] != 0},
          from_c{call.arguments[9] == 0 && call.arguments[8] == 0},
          c{call.arguments[0] & 0xFFFFFFFF},
          bias{call.arguments[0] >> 32} {}
    uint64_t m, k, n;
    bool aligned, from_bias, from_c;
    uint64_t c, bias;  // addresses
    bool empty() const { return m == 0 || k == 0 || n == 0; }
};

bool check_product(const IntrinsicCall& call, Problem& problem) {
    static constexpr std::array<ArgumentRange, 4> kRanges{{{3, 0, 4095}, {4, 0, 4095}, {5, 0, 4095}, {6, 0, 3}}};
    if (!check_ranges(call, kRanges, problem)) return false;
    const Product product(call);
    if (product.c % 64 != 0 || (product.from_bias && product.bias % 64 != 0))
        return refuse_argument(call, 0, "A04", "the address " + std::to_string(call.arguments[0]),
                               "accumulators and bias are at multiples of 64", problem);
    return check_address(call, 1, kFractalBytes, problem) && check_address(call, 2, kFractalBytes, problem);
}

Tile factor(Space space, uint64_t address, DType type, uint64_t rows, uint64_t cols, OuterLayout outer,
            InnerLayout inner, uint16_t fractal) {
    Tile tile = make_tile(space, type, static_cast<int32_t>(rows), static_cast<int32_t>(cols), outer, inner,
                          fractal);
    tile.address = static_cast<uint32_t>(address);
    return tile;
}

// The factors have the shapes that the cube takes, in whole fractals: ZZ and ZN, the sum NZ.
void add_product(const IntrinsicCall& call, Instruction& instruction) {
    const Product product(call);
    if (product.empty()) return;
    const bool nibbles = call.opcode == IntrinsicOpcode::kmad_s4;
    const DType type = nibbles ? DType::kI4 : call.types[1];
    const uint64_t line = 8 * kC0Bytes / bits(type);
    const uint64_t k_multiple = product.aligned ? std::max<uint64_t>(line, 16) : line;
    Tile a = factor(Space::kL0A, call.arguments[1], type, product.m, product.k, OuterLayout::kRowMajor,
                    InnerLayout::kRowMajor, 512);
    a.pitch = a.cols = static_cast<int32_t>(whole(product.k, k_multiple));
    Tile b = factor(Space::kL0B, call.arguments[2], type, product.k, whole(product.n, 16), OuterLayout::kRowMajor,
                    InnerLayout::kColMajor, 512);
    b.valid_cols = static_cast<int32_t>(product.n);
    Tile c = factor(Space::kL0C, product.c, nibbles ? DType::kI32 : call.types[0], whole(product.m, 16), product.n,
                    OuterLayout::kColMajor, InnerLayout::kRowMajor, 1024);
    c.valid_rows = static_cast<int32_t>(product.m);
    instruction.add(c);
    instruction.add(product.from_c ? Operand(c) : Operand());
    instruction.add(a);
    instruction.add(b);
    if (product.from_bias)
        instruction.add(factor(Space::kBias, product.bias, c.dtype, 1, product.n, OuterLayout::kRowMajor,
                               InnerLayout::kNone, 512));
    instruction.attributes.phase = unit_flag(call.arguments[6]);
    if (type == DType::kF32 && (call.registers.ctrl >> kHf32 & 1) != 0)
        instruction.attributes.factor_rounding = (call.registers.ctrl >> kHf32AwayFromEven & 1) != 0
                                                     ? FactorRounding::kHf32Away
                                                     : FactorRounding::kHf32Even;
}

void multiplied(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Product product(call);
    semantics::product(e, {product.from_c ? 1 : -1, 2, 3, product.from_bias ? 4 : -1});
}

// ---- forms --------------------------------------------------------------------------------------

constexpr std::array<IntrinsicTypes, 4> kFactors{
    IntrinsicTypes{{DType::kF32, DType::kF16, DType::kF16}}, IntrinsicTypes{{DType::kF32, DType::kBF16, DType::kBF16}},
    IntrinsicTypes{{DType::kF32, DType::kF32, DType::kF32}}, IntrinsicTypes{{DType::kI32, DType::kI8, DType::kI8}}};
constexpr IntrinsicForm kMad{.signature = "w0x" "r1x" "r2x" "i--" "i--" "i--" "i--" "i--" "i--" "i--",
                             .masking = kUnmasked,
                             .check = &check_product,
                             .unit = IntrinsicUnit::kCube,
                             .operands = &add_product};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_cube.def"
}
