#include "sim/session/argument_words.h"

#include <bit>
#include <string>

#include "isa/core/diagnostic.h"
#include "isa/numeric/convert.h"
#include "isa/numeric/formats.h"

namespace ptosim {
namespace {

std::string argument_text(const Parameter& parameter, size_t index) {
    return "argument " + std::to_string(index) + " (%" + parameter.name + ", a " +
           (parameter.kind == Parameter::Kind::kPointer ? "pointer" : "scalar") + " of " +
           std::string(name(parameter.dtype)) + ")";
}

uint64_t integer_word(const Parameter& parameter, size_t index, const Number& number) {
    const unsigned width = bits(parameter.dtype);
    const uint64_t word = number.integer;
    const auto value = static_cast<int64_t>(word);
    const bool negative = number.kind == Number::Kind::kSigned && value < 0;
    bool fits = true;
    if (negative)
        fits = is_signed(parameter.dtype) && (width == 64 || value >= -(int64_t{1} << (width - 1)));
    else
        fits = std::bit_width(word) <= (is_signed(parameter.dtype) ? width - 1 : width);
    if (number.kind == Number::Kind::kReal || !fits)
        fail_input("I61",
                   argument_text(parameter, index) + ": " +
                       (number.kind == Number::Kind::kReal ? "a number with a fraction"
                        : negative                         ? std::to_string(value)
                                                           : std::to_string(word)) +
                       " does not fit it",
                   "give a whole number in the range of the parameter's type");
    return word;
}

[[noreturn]] void require_array(const Parameter& parameter, size_t index) {
    fail_input("I61", argument_text(parameter, index) + " received a number",
               "give it an array, or a null pointer");
}

[[noreturn]] void require_number(const Parameter& parameter, size_t index) {
    fail_input("I61", argument_text(parameter, index) + " received an array", "give it a number");
}

void require_count(const Kernel& kernel, size_t arguments) {
    const size_t parameters = kernel.parameters().size();
    if (parameters != arguments)
        fail_input("I61",
                   "kernel " + std::string(kernel.name()) + " takes " + std::to_string(parameters) +
                       " arguments, but received " + std::to_string(arguments),
                   "give one argument per parameter, in order");
}

uint64_t scalar_word(const Parameter& parameter, size_t index, const Number& number) {
    if (is_integer(parameter.dtype)) return integer_word(parameter, index, number);
    return encode(parameter.dtype, number.value, RoundMode::kRint, Saturation::kOff);
}

}  // namespace

std::vector<uint64_t> argument_words(const Kernel& kernel,
                                     std::span<const ArgumentValue> arguments) {
    require_count(kernel, arguments.size());
    const auto parameters = kernel.parameters();
    std::vector<uint64_t> words;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const bool pointer = parameters[i].kind == Parameter::Kind::kPointer;
        if (pointer && !arguments[i].is_address) require_array(parameters[i], i);
        if (!pointer && arguments[i].is_address) require_number(parameters[i], i);
        words.push_back(pointer ? arguments[i].address
                                : scalar_word(parameters[i], i, arguments[i].number));
    }
    return words;
}

}  // namespace ptosim
