// Results that depend on the profile: codes, lanes and counts; no report without a choice.
#include "isa/core/behaviour.h"

#include <limits>

#include "isa/testing/reported.h"

using namespace ptosim;

namespace {

template <typename T>
std::string choices(const Instruction& instruction, std::vector<std::vector<T>> data) {
    if (!may_be_implementation_defined(instruction)) return {};
    const Collector found = reports(instruction, std::move(data), check_implementation_defined);
    CHECK(found.hints);
    return found.text;
}

}  // namespace

TEST_CASE("P03: layouts that no document fixes") {
    const Tile f = row(DType::kF32, 4), mask = row(DType::kU8, 32);
    CHECK(choices<float>(make(Opcode::kTCMP, {mask, f, f}), {{}, {1}, {2}}) ==
          "P03 operand 0 at 0,0 x1;");
    const Tile h = row(DType::kF16, 16);
    CHECK(choices<uint16_t>(make(Opcode::kTSORT32, {h, h, row(DType::kU32, 4)}), {{}, {}}) ==
          "P03 operand 0 at 0,0 x1;");
    CHECK(choices<float>(make(Opcode::kTSORT32, {f, f, row(DType::kU32, 4)}), {{}, {}}).empty());
}

TEST_CASE("N02: functions where they have no finite value") {
    const Tile f = row(DType::kF32, 4);
    const auto one = [&](Opcode opcode) {
        return choices<float>(make(opcode, {f, f}), {{}, {4, 0, -1, -0.0F, -7}});
    };
    CHECK(one(Opcode::kTLOG) == "N02 operand 1 at 0,1 x3;");
    CHECK(one(Opcode::kTRSQRT) == "N02 operand 1 at 0,1 x3;");
    CHECK(one(Opcode::kTSQRT) == "N02 operand 1 at 0,2 x1;");
    CHECK(one(Opcode::kTRECIP) == "N02 operand 1 at 0,1 x2;");
    CHECK(one(Opcode::kTEXP).empty());
    CHECK(choices<float>(make(Opcode::kTDIV, {f, f, f}), {{}, {1, 1, 1, 1}, {1, 2, 0, 0}}) ==
          "N02 operand 2 at 0,2 x2;");
    const Scalar zero{0, DType::kF32};
    CHECK(choices<float>(make(Opcode::kTDIVS, {f, f, zero}), {{}, {1, 1, 1, 1}}) ==
          "N02 operand 2 at 0,0 x1;");
    const Tile i = row(DType::kI32, 4);
    CHECK(choices<int32_t>(make(Opcode::kTDIV, {i, i, i}), {{}, {1}, {0}}).empty());  // N01
}

TEST_CASE("N06: subnormal sources of what computes") {
    const Tile f = row(DType::kF32, 4), h = row(DType::kF16, 4);
    const float small = std::numeric_limits<float>::denorm_min();
    const std::vector<std::vector<float>> data{{}, {0x1p-126F, small}, {0, -small, 1, small}};
    CHECK(choices<float>(make(Opcode::kTADD, {f, f, f}), data) ==
          "N06 operand 1 at 0,1 x1;N06 operand 2 at 0,1 x2;");
    CHECK(choices<float>(make(Opcode::kTAND, {f, f, f}), data).empty());
    CHECK(choices<float>(make(Opcode::kTMOV, {f, f}), data).empty());
    CHECK(choices<uint16_t>(make(Opcode::kTABS, {h, h}), {{}, {0x0400, 0x03FF, 0x8001, 0}}) ==
          "N06 operand 1 at 0,1 x2;");
}

TEST_CASE("N07: saturation that the kernel leaves open, where it matters") {
    Instruction convert = make(Opcode::kTCVT, {row(DType::kI8, 4), row(DType::kF16, 4)});
    // 1, 300, -300, 127 in f16.
    const std::vector<std::vector<uint16_t>> data{{}, {0x3C00, 0x5CB0, 0xDCB0, 0x57F0}};
    CHECK(choices<uint16_t>(convert, data) == "N07 operand 1 at 0,1 x2;");
    convert.attributes.saturation_from = SaturationFrom::kKernel;
    CHECK(choices<uint16_t>(convert, data).empty());
}

TEST_CASE("N09: rounding that documents call stochastic") {
    const Tile f = row(DType::kF32, 8);
    CHECK(choices<float>(make(Opcode::kTQUANT_MX, {row(DType::kE4M3, 8), f, row(DType::kU8, 1),
                                                   row(DType::kF32, 1), row(DType::kF32, 1)}),
                         {{}, {1, 2}}) == "N09 operand 0 at 0,0 x1;");
}
