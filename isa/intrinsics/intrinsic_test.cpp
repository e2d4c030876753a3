// Vector intrinsics: their footprints, refused calls, and single results by hand.
#include "isa/intrinsics/intrinsic.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "isa/core/core_registers.h"
#include "isa/intrinsics/register_use.h"

namespace ptosim {
namespace {

constexpr uint64_t kUb = 192 * 1024;
constexpr uint64_t kAllLanes = ~uint64_t{0};

IntrinsicCall call_of(std::string_view name, std::array<DType, 3> types,
                      std::initializer_list<uint64_t> arguments) {
    const IntrinsicInfo* row = find_intrinsic(name);
    REQUIRE(row != nullptr);
    IntrinsicCall call;
    call.opcode = row->opcode;
    call.types = types;
    call.registers.mask = {kAllLanes, kAllLanes};
    std::copy(arguments.begin(), arguments.end(), call.arguments.begin());
    return call;
}
IntrinsicCall add_of(DType type, std::initializer_list<uint64_t> arguments) {
    return call_of("vadd", {type, type, type}, arguments);
}

using Rows = std::vector<IntrinsicRows>;
Rows rows_of(const IntrinsicCall& call, unsigned argument, bool write) {
    for (const IntrinsicFootprint& footprint : footprints(call))
        if (footprint.argument == argument && footprint.write == write) return footprint.rows;
    return {};
}

std::string code_of(const IntrinsicCall& call) {
    Problem problem;
    return check_intrinsic(call, kUb, problem) ? "" : problem.code;
}

}  // namespace

TEST_CASE("rows of intrinsics are whole", "[intrinsic]") {
    std::set<std::string_view> names;
    for (unsigned i = 0; i < kIntrinsicOpcodeCount; ++i) {
        const IntrinsicInfo& row = info(static_cast<IntrinsicOpcode>(i));
        INFO(row.name);
        CHECK(static_cast<unsigned>(row.opcode) == i);
        CHECK(names.insert(row.name).second);
        CHECK(find_intrinsic(row.name) == &row);
        CHECK(row.form.signature.size() % 3 == 0);
        CHECK(row.form.argument_count() <= IntrinsicCall::kMaxArguments);
        CHECK((row.compute.on_vectors == nullptr) != (row.compute.on_operands == nullptr));
        CHECK(!row.summary.empty());
    }
    CHECK(find_intrinsic("vadd ") == nullptr);
}

TEST_CASE("footprints follow strides, masks and counter mode", "[intrinsic]") {
    // dst at 0, sources at 4096 and 8192, two repeats without gaps: one run of 512 bytes each.
    IntrinsicCall call = add_of(DType::kF32, {0, 4096, 8192, 2, 1, 1, 1, 8, 8, 8});
    CHECK(rows_of(call, 0, true) == Rows{{0, 512, 0, 1}});
    CHECK(rows_of(call, 2, false) == Rows{{8192, 512, 0, 1}});
    CHECK(rows_of(call, 0, false).empty());

    // The first three lanes of f32: 12 bytes of each repeat.
    call.registers.mask = {7, 0};
    CHECK(rows_of(call, 1, false) == Rows{{4096, 12, 256, 2}});

    // Lanes 1 and 9 with a block stride of 2: the second block is 64 bytes further.
    call.registers.mask = {1 << 1 | 1 << 9, 0};
    call.arguments[5] = 2;
    CHECK(rows_of(call, 1, false) == Rows{{4100, 4, 256, 2}, {4164, 4, 256, 2}});

    // Counter mode: 70 elements are one repeat of 64 and one of 6, whatever the repeat argument.
    call = add_of(DType::kF32, {0, 4096, 8192, 0, 1, 1, 1, 8, 16, 0});
    call.counter_mode = true;
    call.registers.mask = {70, 0};
    CHECK(rows_of(call, 0, true) == Rows{{0, 256, 0, 1}, {256, 24, 0, 1}});
    CHECK(rows_of(call, 1, false) == Rows{{4096, 256, 0, 1}, {4608, 24, 0, 1}});
    CHECK(rows_of(call, 2, false) == Rows{{8192, 256, 0, 1}, {8192, 24, 0, 1}});
    CHECK(work_of(call) == 2);

    call.registers.mask = {0, 0};
    CHECK(footprints(call).empty());
    call.counter_mode = false;
    call.arguments[3] = 0;
    call.registers.mask = {kAllLanes, 0};
    CHECK(footprints(call).empty());
}

TEST_CASE("a mask of many runs is covered block by block", "[intrinsic]") {
    IntrinsicCall call = add_of(DType::kF16, {0, 4096, 8192, 1, 1, 1, 1, 8, 8, 8});
    call.registers.mask = {0x5555555555555555, 0};  // even lanes of the first four blocks
    const std::vector<IntrinsicFootprint> all = footprints(call);
    REQUIRE(all.size() == 3);
    CHECK(all[0].covers);
    CHECK(all[0].rows == Rows{{0, 30, 0, 1}, {32, 30, 0, 1}, {64, 30, 0, 1}, {96, 30, 0, 1}});
}

TEST_CASE("footprints of results have the width of what a repeat makes", "[intrinsic]") {
    const std::array<DType, 3> half{DType::kF16, DType::kF16, DType::kF16};
    // One f16 of each repeat, three elements apart.
    CHECK(rows_of(call_of("vcadd", half, {0, 4096, 4, 3, 1, 8, 0}), 0, true) == Rows{{0, 2, 6, 4}});
    CHECK(rows_of(call_of("vcadd", half, {0, 4096, 4, 3, 1, 8, 1}), 0, true).empty());
    // A value and its index: 4 bytes of f16; an index alone has 32 bits.
    const auto maxima = [&half](uint64_t order) {
        return rows_of(call_of("vcmax", half, {0, 4096, 4, 1, 1, 8, order}), 0, true);
    };
    CHECK(maxima(0) == Rows{{0, 16, 0, 1}});
    CHECK(maxima(2) == Rows{{0, 8, 0, 1}});
    CHECK(maxima(3) == Rows{{0, 16, 0, 1}});
    // Eight f16 for eight blocks; 64 sums of pairs.
    CHECK(rows_of(call_of("vcgadd", half, {0, 4096, 2, 2, 1, 8}), 0, true) == Rows{{0, 16, 32, 2}});
    CHECK(rows_of(call_of("vcpadd", half, {0, 4096, 1, 1, 1, 8}), 0, true) == Rows{{0, 128, 0, 1}});
    // 128 bits for each repeat of f16.
    CHECK(rows_of(call_of("vcmpvs_lt", {DType::kU8, DType::kF16, DType::kF16},
                          {0, 4096, 0, 3, 1, 1, 8, 8}),
                  0, true) == Rows{{0, 48, 0, 1}});
    // f32 to f16: 64 lanes are four blocks of the result.
    CHECK(rows_of(call_of("vconv_f322f16", {DType::kF16, DType::kF32, DType::kF32},
                          {0, 4096, 2, 1, 1, 4, 8}),
                  0, true) == Rows{{0, 256, 0, 1}});
    // The upper halves of blocks.
    CHECK(rows_of(call_of("vconv_deqs162b8h", {DType::kI8, DType::kI16, DType::kI16},
                          {0, 4096, 1, 1, 1, 8, 8, uint64_t{1} << 46}),
                  0, true)
              .front() == IntrinsicRows{16, 16, 0, 1});
    // Two bursts of three blocks, one block apart in the source.
    const IntrinsicCall copy = call_of("copy_ubuf_to_ubuf", {}, {0, 4096, 0, 2, 3, 1, 0});
    CHECK(rows_of(copy, 0, true) == Rows{{0, 192, 0, 1}});
    CHECK(rows_of(copy, 1, false) == Rows{{4096, 96, 128, 2}});
    CHECK(work_of(copy) == 6);
}

TEST_CASE("calls that no core executes are refused", "[intrinsic]") {
    const IntrinsicCall good = add_of(DType::kF32, {0, 4096, 8192, 2, 1, 1, 1, 8, 8, 8});
    CHECK(code_of(good) == "");
    const auto with = [&good](unsigned argument, uint64_t value) {
        IntrinsicCall call = good;
        call.arguments[argument] = value;
        return code_of(call);
    };
    CHECK(with(3, 256) == "S01");   // repeat
    CHECK(with(4, 256) == "S01");   // strides of calls with two sources are bytes
    CHECK(with(9, 256) == "S01");
    CHECK(with(0, 16) == "A04");
    CHECK(with(2, kUb - 256) == "A10");
    CHECK(with(2, kUb - 512) == "");
    CHECK(with(1, ~uint64_t{31}) == "A10");
    CHECK(code_of(add_of(DType::kBF16, {0, 4096, 8192, 2, 1, 1, 1, 8, 8, 8})) == "T03");
    CHECK(code_of(add_of(DType::kU32, {0, 4096, 8192, 2, 1, 1, 1, 8, 8, 8})) == "T03");
    const std::array<DType, 3> half{DType::kF16, DType::kF16, DType::kF16};
    CHECK(code_of(call_of("vabs", half, {0, 4096, 1, 1, 1, 256, 8})) == "");  // 16 bits
    CHECK(code_of(call_of("vabs", half, {0, 4096, 1, 1, 1, 65536, 8})) == "S01");
    CHECK(code_of(call_of("vcmax", half, {0, 4096, 1, 1, 1, 8, 4})) == "P01");
    CHECK(code_of(call_of("vcmax", half, {2, 4096, 1, 1, 1, 8, 2})) == "");
    CHECK(code_of(call_of("vcmax", half, {2, 4096, 1, 1, 1, 8, 0})) == "A04");
    CHECK(code_of(call_of("vsel", half, {0, 4096, 8192, 1, 1, 1, 1, 8, 8, 8, 3})) == "P01");
    CHECK(code_of(call_of("vaddreluconv_f322f16", {DType::kF16, DType::kF32, DType::kF32},
                          {0, 4096, 8192, 1, 1, 1, 1, 8, 8, 8, 1})) == "P01");
    CHECK(code_of(call_of("vconv_deqs162b8h", {DType::kI8, DType::kI16, DType::kI16},
                          {0, 4096, 1, 1, 1, 8, 8, 0})) == "T03");
    const std::array<DType, 3> words{DType::kU16, DType::kU16, DType::kU16};
    CHECK(code_of(call_of("vreducev2", words, {0, 4096, 8192, 300, 1, 8, 8, 1})) == "P01");
    CHECK(code_of(call_of("vreducev2", words, {0, 4096, 8192, 300, 1, 7, 8, 1})) == "");
    CHECK(code_of(call_of("vbrcb", words, {0, 8192, 0, 8, 1})) == "S01");
    CHECK(code_of(call_of("copy_ubuf_to_ubuf", {}, {0, 4096, 0, 4096, 1, 0, 0})) == "S01");
    // Four lists of two records, one after the other; lists elsewhere with two repeats.
    CHECK(code_of(call_of("vmrgsort4", half,
                          {0, 4096, 4112, 4128, 4144, 0x0002000200020002, 0xF02})) == "");
    CHECK(code_of(call_of("vmrgsort4", half,
                          {0, 4096, 4112, 4128, 4152, 0x0002000200020002, 0xF02})) == "P01");
    CHECK(code_of(call_of("vmrgsort4", half, {0, 4096, 4112, 0, 0, 0x00020002, 0x501})) == "P01");
    CHECK(code_of(call_of("vmrgsort4", half, {0, 4096, 4112, 1, 1, 0x00020002, 0x301})) == "");
}

TEST_CASE("calls of the cube core that no core executes are refused", "[intrinsic]") {
    const std::array<DType, 3> half{DType::kF16, DType::kF16, DType::kF16};
    const std::array<DType, 3> byte{DType::kI8, DType::kI8, DType::kI8};
    const std::array<DType, 3> product{DType::kF32, DType::kF16, DType::kF16};
    CHECK(code_of(call_of("mad", product, {64, 512, 512, 16, 4095, 16, 3, 0, 0, 1})) == "");
    CHECK(code_of(call_of("mad", product, {64, 512, 512, 16, 4096, 16, 3, 0, 0, 1})) == "S01");
    CHECK(code_of(call_of("mad", product, {64, 256, 512, 16, 16, 16, 0, 0, 0, 1})) == "A04");
    CHECK(code_of(call_of("mad", product, {uint64_t{32} << 32, 0, 0, 16, 16, 16, 0, 0, 1, 0})) == "A04");
    CHECK(code_of(call_of("mad", half, {64, 512, 512, 16, 16, 16, 0, 0, 0, 1})) == "T03");
    CHECK(code_of(call_of("load_cbuf_to_ca", half, {0, 32, 0, 255, 1, 0, 0, 1, 0})) == "");
    CHECK(code_of(call_of("load_cbuf_to_ca", half, {0, 32, 0, 256, 1, 0, 0, 1, 0})) == "S01");
    CHECK(code_of(call_of("load_cbuf_to_ca", byte, {0, 32, 0, 1, 1, 0, 0, 1, 0})) == "T03");
    CHECK(code_of(call_of("load_cbuf_to_ca", half, {0, 32, 3, 4, 1, 0, 0, 0, 1})) == "");
    CHECK(code_of(call_of("load_cbuf_to_ca", half, {0, 32, 2, 4, 1, 0, 0, 0, 1})) == "S01");  // below 0
    const uint64_t config1 = 1 | 1 << 6 | 1 << 12 | 1 << 20 | 1 << 28 | uint64_t{1} << 36 | uint64_t{16} << 48;
    CHECK(code_of(call_of("img2colv2_cbuf_to_ca", half, {0, 0, 16 | 16 << 16, config1, 16 | 1 << 16})) == "");
    CHECK(code_of(call_of("img2colv2_cbuf_to_ca", half, {0, 0, 16 | 16 << 16, config1, 0})) == "S01");  // no map
    const std::array<DType, 3> f32_to_f16{DType::kF16, DType::kF32, DType::kF32};
    const uint64_t size = 16 << 4 | 16 << 16 | uint64_t{16} << 32, rows = uint64_t{1} << 43 | 16;
    CHECK(code_of(call_of("copy_matrix_cc_to_gm", f32_to_f16, {2, 64, size, rows | uint64_t{1} << 34})) == "");
    CHECK(code_of(call_of("copy_matrix_cc_to_gm", f32_to_f16, {2, 64, size, rows})) == "T03");
    CHECK(code_of(call_of("copy_matrix_cc_to_gm", f32_to_f16, {2, 64, size, rows | uint64_t{25} << 34})) == "S01");
    CHECK(code_of(call_of("copy_matrix_cc_to_gm", f32_to_f16,
                          {2, 64, size, rows | uint64_t{1} << 34 | uint64_t{3} << 39})) == "S01");  // leaky relu
    CHECK(code_of(call_of("copy_matrix_cc_to_gm", f32_to_f16, {2, 64, size, 16 | uint64_t{1} << 34})) == "A04");
}

// By hand from the sources of the rows: bit 47 of an image load's configuration selects the map; mode 24 has a scale of the
// tensor and mode 23 one for each column; bit 43 of a store is NZ to ND; a loop of one turn has no steps.
TEST_CASE("registers that a call's modes leave without effect", "[intrinsic]") {
    const std::array<DType, 3> byte{DType::kI8, DType::kI8, DType::kI8};
    const std::array<DType, 3> f32_to_i8{DType::kI8, DType::kF32, DType::kF32};
    const auto image = [&](uint64_t configuration, uint64_t map) {
        return call_of("img2colv2_cbuf_to_ca", byte, {0, 0, 16 | 16 << 16, configuration, map, map});
    };
    const uint64_t by_b = uint64_t{1} << 47, padded = uint64_t{1} << 40;
    CHECK(uses_register(image(0, 16), core_register::FMATRIX));
    CHECK_FALSE(uses_register(image(0, 16), core_register::FMATRIX_B));
    CHECK_FALSE(uses_register(image(by_b, 16), core_register::FMATRIX));
    CHECK(uses_register(image(by_b, 16), core_register::FMATRIX_B));
    CHECK_FALSE(uses_register(image(0, 16), core_register::PADDING));
    CHECK(uses_register(image(0, 16 | padded), core_register::PADDING));
    const auto drain = [&](uint64_t modes) {
        return call_of("copy_matrix_cc_to_gm", f32_to_i8, {0, 0, 16 << 4 | 16 << 16, modes});
    };
    CHECK_FALSE(uses_register(drain(0), core_register::QUANT_PRE));
    CHECK(uses_register(drain(uint64_t{24} << 34), core_register::QUANT_PRE));
    CHECK_FALSE(uses_register(drain(uint64_t{24} << 34), core_register::FPC));
    CHECK(uses_register(drain(uint64_t{23} << 34), core_register::FPC));
    CHECK_FALSE(uses_register(drain(0), core_register::ND_PARA));
    CHECK(uses_register(drain(uint64_t{1} << 43), core_register::ND_PARA));
    const auto bursts = [&](uint64_t after) {
        return call_of("copy_gm_to_ubuf_align_b32", byte, {0, 0, 0, 1, 20, 0, after, 0, 0});
    };
    CHECK_FALSE(uses_register(bursts(0), core_register::MOV_PAD));
    CHECK(uses_register(bursts(3), core_register::MOV_PAD));
    const auto loops = [&](uint64_t pads, uint64_t inner, uint64_t outer) {
        return call_of("copy_gm_to_ubuf_align_v2", byte, {0, 0, pads | 1, 32, 0, 0, inner | outer << 21});
    };
    CHECK_FALSE(uses_register(loops(0, 1, 1), core_register::LOOP_SIZE_OUTTOUB));
    CHECK_FALSE(uses_register(loops(0, 1, 2), core_register::LOOP1_OUTTOUB));
    CHECK(uses_register(loops(0, 1, 2), core_register::LOOP_SIZE_OUTTOUB));
    CHECK(uses_register(loops(0, 1, 2), core_register::LOOP2_OUTTOUB));
    CHECK(uses_register(loops(0, 2, 1), core_register::LOOP1_OUTTOUB));
    CHECK_FALSE(uses_register(loops(0, 1, 1), core_register::MOV_PAD));
    CHECK(uses_register(loops(uint64_t{1} << 48, 1, 1), core_register::MOV_PAD));
}

TEST_CASE("products become bytes, and CMPMASK becomes bytes of UB", "[intrinsic]") {
    std::vector<std::byte> ub(1024);
    IntrinsicState state;
    const auto put = [&ub](size_t at, uint16_t value) { std::memcpy(&ub[at], &value, 2); };
    put(256, 0x4200);  // 3.0
    put(512, 0x4100);  // 2.5
    put(258, 0x5640);  // 100.0
    put(514, 0xC400);  // -4.0
    IntrinsicCall call = call_of("vmulconv_f162s8", {DType::kI8, DType::kF16, DType::kF16},
                                 {0, 256, 512, 1, 1, 1, 1, 4, 8, 8});
    call.registers.mask = {3, 0};
    CHECK(compute(call, state, ub.data(), ub.size(), Numerics::kIEEE) == 0);
    CHECK(static_cast<int8_t>(ub[0]) == 8);  // 7.5, ties to even
    CHECK(static_cast<int8_t>(ub[1]) == -128);
    call = call_of("vmulconv_f162u8", {DType::kU8, DType::kF16, DType::kF16},
                   {0, 256, 512, 1, 1, 1, 1, 4, 8, 8});
    compute(call, state, ub.data(), ub.size(), Numerics::kIEEE);
    CHECK(static_cast<uint8_t>(ub[1]) == 0);

    state.cmpmask = {0x0123456789ABCDEF, 0xF0};
    compute(call_of("get_cmpmask", {}, {32}), state, ub.data(), ub.size(), Numerics::kIEEE);
    CHECK(static_cast<uint8_t>(ub[32]) == 0xEF);
    CHECK(static_cast<uint8_t>(ub[40]) == 0xF0);
}

TEST_CASE("an offset beyond UB reads 0 and is counted", "[intrinsic]") {
    std::vector<std::byte> ub(1024, std::byte{0x11});
    IntrinsicState state;
    const uint32_t offsets[] = {2048, 4};
    std::memcpy(&ub[512], offsets, sizeof offsets);
    IntrinsicCall call = call_of("vgather", {DType::kU32, DType::kU32, DType::kU32},
                                 {0, 512, 512, 8, 1});
    call.registers.mask = {3, 0};
    CHECK(compute(call, state, ub.data(), ub.size(), Numerics::kIEEE) == 1);
    CHECK(static_cast<uint8_t>(ub[0]) == 0);
    CHECK(static_cast<uint8_t>(ub[4]) == 4);
    CHECK(static_cast<uint8_t>(ub[8]) == 0x11);
}

}  // namespace ptosim
