#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"
#include "isa/semantics/matmul_product.h"

// Names and arguments: hw-native-sys/pto-isa include/pto/npu/a2a3/TMatmul.hpp; cann/asc-devkit
// docs/zh/api/SIMD-API/C-API/cube_compute/asc_mmad.md, the pages of Mmad (alignment of k);
// impl/basic_api/kernel_macros.h: HF32_MODE_BIT, HF32_TRANS_MODE_BIT.

namespace ptosim::intrinsics {
namespace {

constexpr unsigned kHf32 = 46, kHf32AwayFromEven = 47;  // bits of CTRL

bool is_c310(const IntrinsicCall& call) { return info(call.opcode).form.archs == IntrinsicArchs::kRegisters; }

// mad(c, a, b, m, k, n, unit flag, k aligned to 16, start from the bias table, start from 0). On C310 the flag after
// the unit flag marks that a factor of one row is in fractals, too.
struct Product {
    explicit Product(const IntrinsicCall& call)
        : c310{is_c310(call)},
          m{call.arguments[3]},
          k{call.arguments[4]},
          n{call.arguments[5]},
          aligned{!c310 && call.arguments[7] != 0},
          row{m == 1 && (!c310 || call.arguments[7] == 0)},
          from_bias{call.arguments[9] == 0 && call.arguments[8] != 0},
          from_c{call.arguments[9] == 0 && call.arguments[8] == 0},
          c{call.arguments[0] & 0xFFFFFFFF},
          bias{call.arguments[0] >> 32} {}
    bool c310;
    uint64_t m, k, n;
    bool aligned, row, from_bias, from_c;
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
    const bool by_rows = !product.c310 || product.row;
    Tile a = factor(Space::kL0A, call.arguments[1], type, by_rows ? product.m : whole(product.m, 16), product.k,
                    by_rows ? OuterLayout::kRowMajor : OuterLayout::kColMajor, InnerLayout::kRowMajor, 512);
    a.cols = static_cast<int32_t>(whole(product.k, k_multiple));
    if (by_rows) a.pitch = a.cols;
    a.valid_rows = static_cast<int32_t>(product.m);
    Tile b = factor(Space::kL0B, call.arguments[2], nibbles ? type : call.types[2], product.k, whole(product.n, 16), OuterLayout::kRowMajor,
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
    if (type == DType::kF32 && (call.registers.ctrl >> kHf32 & 1) != 0) {
        const bool away = (call.registers.ctrl >> kHf32AwayFromEven & 1) != 0;
        instruction.attributes.factor_rounding =
            product.c310 ? (away ? FactorRounding::kTf32Away : FactorRounding::kTf32Even)
                         : (away ? FactorRounding::kHf32Away : FactorRounding::kHf32Even);
    }
}

// Scales are at a sixteenth of their factor's address: one for 32 elements along k.
void add_scaled_product(const IntrinsicCall& call, Instruction& instruction) {
    const Product product(call);
    add_product(call, instruction);
    if (product.empty()) return;
    if (!product.from_bias) instruction.add(Operand());
    const uint64_t groups = whole(product.k, 64) / 32;
    Tile a = factor(Space::kScaleA, call.arguments[1] / 16, DType::kE8M0, product.row ? 1 : whole(product.m, 16),
                    groups, OuterLayout::kRowMajor, InnerLayout::kRowMajor, 32);
    a.valid_rows = static_cast<int32_t>(product.m);
    Tile b = factor(Space::kScaleB, call.arguments[2] / 16, DType::kE8M0, groups, whole(product.n, 16),
                    OuterLayout::kColMajor, InnerLayout::kColMajor, 32);
    b.valid_cols = static_cast<int32_t>(product.n);
    instruction.add(a);
    instruction.add(b);
}

void multiplied(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Product product(call);
    const bool scaled = call.opcode == IntrinsicOpcode::kmad_mx;
    semantics::product(e, {product.from_c ? 1 : -1, 2, 3, product.from_bias ? 4 : -1, scaled ? 5 : -1, scaled ? 6 : -1});
}

// ---- forms --------------------------------------------------------------------------------------

constexpr std::array<IntrinsicTypes, 4> kFactors{
    IntrinsicTypes{{DType::kF32, DType::kF16, DType::kF16}}, IntrinsicTypes{{DType::kF32, DType::kBF16, DType::kBF16}},
    IntrinsicTypes{{DType::kF32, DType::kF32, DType::kF32}}, IntrinsicTypes{{DType::kI32, DType::kI8, DType::kI8}}};
constexpr IntrinsicForm kMad{.signature = "w0x" "r1x" "r2x" "i--" "i--" "i--" "i--" "i--" "i--" "i--",
                             .masking = kUnmasked,
                             .check = &check_product,
                             .unit = IntrinsicUnit::kCube,
                             .operands = &add_product,
                             .archs = IntrinsicArchs::kMemory};
constexpr std::array<IntrinsicTypes, 9> kFactorsOfC310{
    IntrinsicTypes{{DType::kF32, DType::kF16, DType::kF16}},   IntrinsicTypes{{DType::kF32, DType::kBF16, DType::kBF16}},
    IntrinsicTypes{{DType::kF32, DType::kF32, DType::kF32}},   IntrinsicTypes{{DType::kI32, DType::kI8, DType::kI8}},
    IntrinsicTypes{{DType::kF32, DType::kE4M3, DType::kE4M3}}, IntrinsicTypes{{DType::kF32, DType::kE4M3, DType::kE5M2}},
    IntrinsicTypes{{DType::kF32, DType::kE5M2, DType::kE4M3}}, IntrinsicTypes{{DType::kF32, DType::kE5M2, DType::kE5M2}},
    IntrinsicTypes{{DType::kF32, DType::kHIF8, DType::kHIF8}}};
constexpr std::array<IntrinsicTypes, 8> kScaledFactors{
    IntrinsicTypes{{DType::kF32, DType::kE4M3, DType::kE4M3}}, IntrinsicTypes{{DType::kF32, DType::kE4M3, DType::kE5M2}},
    IntrinsicTypes{{DType::kF32, DType::kE5M2, DType::kE4M3}}, IntrinsicTypes{{DType::kF32, DType::kE5M2, DType::kE5M2}},
    IntrinsicTypes{{DType::kF32, DType::kE2M1, DType::kE2M1}}, IntrinsicTypes{{DType::kF32, DType::kE2M1, DType::kE1M2}},
    IntrinsicTypes{{DType::kF32, DType::kE1M2, DType::kE2M1}}, IntrinsicTypes{{DType::kF32, DType::kE1M2, DType::kE1M2}}};
constexpr IntrinsicForm kMadOfC310{.signature = kMad.signature,
                                   .masking = kUnmasked,
                                   .check = &check_product,
                                   .unit = IntrinsicUnit::kCube,
                                   .operands = &add_product,
                                   .archs = IntrinsicArchs::kRegisters};
constexpr IntrinsicForm kScaledMad{.signature = kMad.signature,
                                   .masking = kUnmasked,
                                   .check = &check_product,
                                   .unit = IntrinsicUnit::kCube,
                                   .operands = &add_scaled_product,
                                   .archs = IntrinsicArchs::kRegisters};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_cube.def"
}
