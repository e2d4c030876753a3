#include "isa/table/mode_registers.h"

#include "isa/table/instruction_traits.h"

namespace ptosim {

namespace {

void take_map(Image& to, const Image& from) {
    to.height = from.height;
    to.width = from.width;
    to.pad_left = from.pad_left;
    to.pad_right = from.pad_right;
    to.pad_top = from.pad_top;
    to.pad_bottom = from.pad_bottom;
}

void take_repetition(Image& to, const Image& from) {
    to.repeat_stride = from.repeat_stride;
    to.repeat_time = from.repeat_time;
    to.repeat_mode = from.repeat_mode;
    to.dst_stride = from.dst_stride;
    to.dst_position = from.dst_position;
}

}  // namespace

bool ModeRegisters::concerns(Opcode opcode) {
    return traits(opcode).registers != RegisterUse::kNone;
}

void ModeRegisters::pass(Instruction& instruction) {
    const RegisterUse use = traits(instruction.opcode).registers;
    if (use == RegisterUse::kSetsQuantisation) {
        quantisation_ = instruction.operands[0];
        return;
    }
    Image& image = instruction.attributes.use_convolution().image;
    if (image.registers != 1 && image.registers != 2) return;
    Image& set = images_[image.registers - 1u];
    switch (use) {
        case RegisterUse::kSetsMap:
            take_map(set, image);
            break;
        case RegisterUse::kSetsRepetition:
            take_repetition(set, image);
            break;
        case RegisterUse::kSetsPadding:
            set.pad_value = image.pad_value;
            break;
        default:
            take_map(image, set);
            take_repetition(image, set);
            image.pad_value = set.pad_value;
            break;
    }
}

}  // namespace ptosim
