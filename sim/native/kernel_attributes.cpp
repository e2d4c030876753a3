#include "sim/native/kernel_attributes.h"

#include <array>

#include "isa/core/arch.h"

namespace ptosim {
namespace {

using Set = bool (*)(Attributes& attributes, int32_t value, Arch arch);

// Stores the value in a field, converted to its type. Returns false if the type lacks the value.
template <class Field>
bool take(Field& field, int32_t value) {
    if constexpr (std::is_same_v<Field, bool>) {
        field = value != 0;
    } else if constexpr (std::is_same_v<Field, Pipe>) {
        if (value < 0 || value > PTOSIM_PIPE_ALL) return false;
        field = static_cast<Pipe>(value);
    } else if constexpr (std::is_same_v<Field, GlobalLayout>) {
        if (value < 0 || value >= static_cast<int32_t>(GlobalLayout::kCount)) return false;
        field = static_cast<GlobalLayout>(value);
    } else if constexpr (std::is_enum_v<Field>) {
        field = static_cast<Field>(static_cast<std::underlying_type_t<Field>>(value));
    } else {
        field = static_cast<Field>(value);
    }
    return true;
}

bool take_saturation(Attributes& attributes, int32_t value, Arch) {
    attributes.saturation = static_cast<Saturation>(value);
    attributes.saturation_from = SaturationFrom::kKernel;
    return true;
}
bool take_group_axis(Attributes& attributes, int32_t value, Arch) {
    attributes.group_rows = value == 0;
    return true;
}
bool take_event(Attributes& attributes, int32_t value, Arch) {
    attributes.event_id = static_cast<uint8_t>(value < 0 || value > 255 ? 255 : value);
    return true;
}
bool take_factor_rounding(Attributes& attributes, int32_t value, Arch arch) {
    using enum FactorRounding;
    if (value < 0 || value > 2) return false;
    constexpr std::array kTf32{kNone, kTf32Away, kTf32Even};
    constexpr std::array kHf32{kNone, kHf32Away, kHf32Even};
    attributes.factor_rounding = (traits_of(arch).rounded_factors == RoundedFactors::kTf32
                                      ? kTf32
                                      : kHf32)[static_cast<size_t>(value)];
    return true;
}

// Keys that change more than the field of their row, or convert the value.
Set special(uint32_t key) {
    switch (key) {
        case PTOSIM_ATTR_SATURATION:
            return take_saturation;
        case PTOSIM_ATTR_GROUP_AXIS:
            return take_group_axis;
        case PTOSIM_ATTR_EVENT:
            return take_event;
        case PTOSIM_ATTR_TF32:
            return take_factor_rounding;
        default:
            return nullptr;
    }
}

}  // namespace

bool set_attribute(Attributes& attributes, const ptosim_attribute& attribute, Arch arch) {
    if (const Set set = special(attribute.key)) return set(attributes, attribute.value, arch);
    switch (attribute.key) {
#define ATTRIBUTE(TYPE, MEMBER, DEFAULT, KEY, NUMBER, TEXT) \
    case PTOSIM_ATTR_##KEY:                                 \
        return take(attributes.MEMBER, attribute.value);
#define CONVOLUTION_ATTRIBUTE(MEMBER, KEY, NUMBER) \
    case PTOSIM_ATTR_##KEY:                        \
        return take(attributes.use_convolution().MEMBER, attribute.value);
#include "include/ptosim/attributes.def"
        default:
            return false;
    }
}

}  // namespace ptosim
