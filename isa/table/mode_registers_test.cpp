// Registers of a core: a later user gets the value of the setter, register by register.
#include "isa/table/mode_registers.h"

#include <catch2/catch.hpp>

using namespace ptosim;

namespace {

Instruction with_image(Opcode opcode, uint8_t registers, uint16_t height, uint32_t pad_value) {
    Instruction instruction(opcode);
    instruction.attributes.use_convolution().image.registers = registers;
    instruction.attributes.use_convolution().image.height = height;
    instruction.attributes.use_convolution().image.pad_value = pad_value;
    return instruction;
}

}  // namespace

TEST_CASE("TIMG2COL takes map, repetition and padding from its register set") {
    ModeRegisters registers;
    Instruction map = with_image(Opcode::kSETFMATRIX, 1, 5, 0);
    map.attributes.use_convolution().image.pad_left = 2;
    registers.pass(map);
    Instruction other = with_image(Opcode::kSETFMATRIX, 2, 9, 0);
    registers.pass(other);
    Instruction padding = with_image(Opcode::kSET_IMG2COL_PADDING, 1, 77, 0x3C00);
    registers.pass(padding);
    Instruction repeat = with_image(Opcode::kSET_IMG2COL_RPT, 1, 78, 0);
    repeat.attributes.use_convolution().image.repeat_time = 3;
    registers.pass(repeat);

    Instruction use = with_image(Opcode::kTIMG2COL, 1, 0, 0);
    use.attributes.use_convolution().image.filter_height = 3;
    registers.pass(use);
    CHECK(use.attributes.convolution().image.height == 5);
    CHECK(use.attributes.convolution().image.pad_left == 2);
    CHECK(use.attributes.convolution().image.pad_value == 0x3C00);
    CHECK(use.attributes.convolution().image.repeat_time == 3);
    CHECK(use.attributes.convolution().image.filter_height == 3);  // its own

    Instruction second = with_image(Opcode::kTIMG2COL, 2, 0, 0);
    registers.pass(second);
    CHECK(second.attributes.convolution().image.height == 9);
    CHECK(second.attributes.convolution().image.pad_value == 0);

    Instruction whole = with_image(Opcode::kTIMG2COL, 0, 6, 1);
    registers.pass(whole);
    CHECK(whole.attributes.convolution().image.height == 6);
    CHECK(whole.attributes.convolution().image.pad_value == 1);
}

TEST_CASE("the last scale is kept") {
    ModeRegisters registers;
    CHECK_FALSE(registers.quantisation().present());
    Instruction scalar(Opcode::kSET_QUANT_SCALAR);
    scalar.add(Scalar{0x3F000000, DType::kF32});
    registers.pass(scalar);
    CHECK(registers.quantisation().scalar.bits == 0x3F000000);
    Instruction vector(Opcode::kSET_QUANT_VECTOR);
    vector.add(make_tile(Space::kFixpipe, DType::kU64, 1, 32));
    registers.pass(vector);
    CHECK(registers.quantisation().tile.cols == 32);
}
