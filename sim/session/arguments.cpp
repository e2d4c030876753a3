#include "sim/session/arguments.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>

#include "isa/numeric/convert.h"
#include "isa/numeric/formats.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"

namespace ptosim {
namespace {

constexpr std::string_view kForms =
    "in=FILE.npy, out=SHAPExTYPE[:FILE.npy], inout=FILE.npy[:FILE.npy], rand=SHAPExTYPE[:SEED], "
    "zeros=SHAPExTYPE, null, i32=N, i64=N, f32=X";

[[noreturn]] void fail(const std::string& spec, const std::string& what, std::string hint = {}) {
    fail_input("I11", "--arg " + spec + ": " + what, std::move(hint));
}

std::string parameter_text(const Parameter& parameter, size_t index) {
    std::string text = "parameter " + std::to_string(index);
    if (!parameter.name.empty()) text += " (%" + parameter.name + ")";
    return text;
}

// Parses "128x256xf32" into shape and type.
void parse_shape_type(const std::string& spec, std::string_view text, Argument& argument) {
    argument.shape.clear();
    while (!text.empty()) {
        const size_t end = std::min(text.find('x'), text.size());
        const std::string_view word = text.substr(0, end);
        int64_t extent = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
        if (error == std::errc{} && stop == word.data() + word.size()) {
            if (extent <= 0) fail(spec, "extents must be positive");
            argument.shape.push_back(extent);
        } else {
            const auto type = parse_dtype(text);
            if (!type)
                fail(spec, "'" + std::string(text) + "' is not an element type",
                     "for example out=128x256xf32");
            if (argument.shape.empty()) fail(spec, "has no shape", "for example out=128x256xf32");
            argument.dtype = *type;
            return;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    fail(spec, "has no element type", "for example out=128x256xf32");
}

uint64_t element_count(const std::string& spec, const std::vector<int64_t>& shape) {
    uint64_t count = 1;
    for (int64_t extent : shape) {
        if (count > (uint64_t{1} << 40) / static_cast<uint64_t>(std::max<int64_t>(1, extent)))
            fail(spec, "has too many elements");
        count *= static_cast<uint64_t>(extent);
    }
    return count;
}

// Bytes that this host can still allocate; empty if unknown.
std::optional<uint64_t> available_memory() {
    std::ifstream file("/proc/meminfo");
    std::optional<uint64_t> available;
    for (std::string key, unit; file >> key;) {
        uint64_t kib = 0;
        if (!(file >> kib)) break;
        std::getline(file, unit);
        if (key == "MemAvailable:" || key == "SwapFree:")
            available = available.value_or(0) + (kib << 10);
    }
    return available;
}

// Zeros use no memory of the host until they are written; random numbers do at once.
void require_memory(const std::string& spec, uint64_t bytes) {
    const std::optional<uint64_t> available = available_memory();
    if (!available || bytes <= *available) return;
    const auto gib = [](uint64_t count) { return std::to_string(count >> 30) + " GiB"; };
    fail_input("I03",
               "--arg " + spec + " needs " + gib(bytes) + " of this host's memory, which has " +
                   gib(*available) + " left",
               "give a smaller array, or zeros= of this shape: their time is the same "
               "(--mode timing)");
}

// Uniform numbers that are identical on every host: floats in [-1, 1), integers in [-8, 8) or [0, 16).
void fill_random(std::byte* data, DType type, uint64_t count, uint64_t seed) {
    std::mt19937_64 generator(seed);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t word = generator();
        uint64_t bits_of_element = 0;
        if (is_integer(type)) {
            const auto value = static_cast<int64_t>(word >> 60) - (is_signed(type) ? 8 : 0);
            bits_of_element = static_cast<uint64_t>(value);
        } else {
            const double value = static_cast<double>(static_cast<int64_t>(word) >> 11) * 0x1p-52;
            bits_of_element = encode(type, value, RoundMode::kRint, Saturation::kOn);
        }
        const size_t width = bits(type);
        if (width >= 8) {
            std::memcpy(data + i * width / 8, &bits_of_element, width / 8);
        } else {
            const auto nibble = static_cast<unsigned>(bits_of_element & 0xf) << (i % 2 * 4);
            data[i / 2] |= static_cast<std::byte>(nibble);
        }
    }
}

template <class T>
T parse_number(const std::string& spec, std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        fail(spec, "'" + std::string(text) + "' is not a number that fits");
    return value;
}

// Scalars: "i32=5", "f32=0.5", "i1=true".
void parse_scalar(const std::string& spec, std::string_view type, std::string_view text,
                  const Parameter& parameter, size_t index, Argument& argument) {
    argument.scalar = true;
    if (type == "i1") {
        argument.dtype = DType::kU8;
        if (text != "true" && text != "false" && text != "1" && text != "0")
            fail(spec, "'" + std::string(text) + "' is not true or false");
        argument.value = text == "true" || text == "1";
    } else {
        const auto dtype = parse_dtype(type == "index" ? "i64" : type);
        if (!dtype) fail(spec, "is not a known form", "known forms: " + std::string(kForms));
        argument.dtype = *dtype;
        if (!is_integer(*dtype)) {
            argument.value = encode(*dtype, parse_number<double>(spec, text), RoundMode::kRint,
                                    Saturation::kOff);
        } else {
            const int64_t value = parse_number<int64_t>(spec, text);
            const unsigned width = bits(*dtype);
            if (width < 64) {
                const int64_t low = is_signed(*dtype) ? -(int64_t{1} << (width - 1)) : 0;
                const int64_t high = (int64_t{1} << (is_signed(*dtype) ? width - 1 : width)) - 1;
                if (value < low || value > high)
                    fail(spec, std::to_string(value) + " does not fit " + std::string(type));
            }
            argument.value = static_cast<uint64_t>(value);
        }
    }
    if (parameter.kind != Parameter::Kind::kScalar)
        fail(spec,
             parameter_text(parameter, index) + " is a " + type_text(parameter) + ", not a scalar");
    const bool same_kind = is_integer(parameter.dtype) == is_integer(argument.dtype);
    const bool fits =
        same_kind && (is_integer(parameter.dtype) ? bits(argument.dtype) <= bits(parameter.dtype) ||
                                                        parameter.dtype == DType::kU8
                                                  : argument.dtype == parameter.dtype);
    if (!fits)
        fail(spec,
             parameter_text(parameter, index) + " is a scalar of type " + type_text(parameter));
}

void check_pointer(const std::string& spec, const Parameter& parameter, size_t index,
                   const Argument& argument, bool from_file) {
    if (parameter.kind != Parameter::Kind::kPointer)
        fail(spec,
             parameter_text(parameter, index) + " is a scalar of type " + type_text(parameter) +
                 ", not a pointer",
             "give " + std::string(name(parameter.dtype)) + "=VALUE");
    const bool same = parameter.untyped ? true
                      : from_file       ? npy_holds(argument.dtype, parameter.dtype)
                                        : argument.dtype == parameter.dtype;
    if (!same)
        fail(spec, "element type " + std::string(name(argument.dtype)) + " does not fit " +
                       parameter_text(parameter, index) + ", a " + type_text(parameter));
    const uint64_t count = element_count(spec, argument.shape);
    if (parameter.elements > 0 && count < static_cast<uint64_t>(parameter.elements))
        fail(spec, "shape " + shape_text(argument.shape) + " has " + std::to_string(count) +
                       " elements, the kernel's view of " + parameter_text(parameter, index) +
                       " has " + std::to_string(parameter.elements));
}

Argument make_argument(const Kernel& kernel, size_t index, const std::string& spec, uint64_t seed,
                       GlobalMemory& memory) {
    const Parameter& parameter = kernel.parameters()[index];
    if (spec == "null") {
        if (parameter.kind != Parameter::Kind::kPointer)
            fail(spec, parameter_text(parameter, index) + " is not a pointer");
        Argument argument;
        argument.spec = spec;
        argument.dtype = parameter.dtype;
        return argument;
    }
    const size_t equals = spec.find('=');
    if (equals == std::string::npos)
        fail(spec, "is not a known form", "known forms: " + std::string(kForms));
    const std::string form = spec.substr(0, equals);
    const std::string rest = spec.substr(equals + 1);
    // Names of files may contain colons; shapes do not.
    const size_t colon = form == "inout" ? rest.rfind(':') : rest.find(':');
    const std::string before = rest.substr(0, colon);
    const std::string after = colon == std::string::npos ? "" : rest.substr(colon + 1);

    Argument argument;
    argument.spec = spec;
    if (form == "in" || form == "inout") {
        argument.input_file = form == "in" ? rest : before;
        const Array array = read_npy(argument.input_file);
        argument.shape = array.shape;
        argument.dtype = array.dtype;
        check_pointer(spec, parameter, index, argument, true);
        if (!parameter.untyped) argument.dtype = parameter.dtype;
        argument.output = form == "inout";
        argument.output_file = form == "inout" ? after : "";
        argument.value = memory.allocate(array.data.size(), "argument " + std::to_string(index));
        if (!array.data.empty())
            std::memcpy(GlobalMemory::host(argument.value), array.data.data(), array.data.size());
    } else if (form == "out" || form == "zeros" || form == "rand") {
        parse_shape_type(spec, before, argument);
        check_pointer(spec, parameter, index, argument, false);
        if (form == "zeros" && colon != std::string::npos)
            fail(spec, "zeros are not written to a file", "out=" + rest + " is");
        argument.output = form == "out";
        argument.output_file = form == "out" ? after : "";
        const uint64_t count = element_count(spec, argument.shape);
        argument.value =
            memory.allocate(bytes(argument.dtype, count), "argument " + std::to_string(index));
        if (form == "rand") {
            require_memory(spec, bytes(argument.dtype, count));
            fill_random(GlobalMemory::host(argument.value), argument.dtype, count,
                        after.empty() ? seed + index : parse_number<uint64_t>(spec, after));
        }
    } else {
        parse_scalar(spec, form, rest, parameter, index, argument);
    }
    if (!argument.output_file.empty()) check_writable(argument.output_file);
    return argument;
}

}  // namespace

std::string type_text(const Parameter& parameter) {
    if (parameter.untyped) return "pointer to elements of any type";
    const std::string type(name(parameter.dtype));
    return parameter.kind == Parameter::Kind::kPointer ? "pointer to " + type : type;
}

std::vector<Argument> make_arguments(const Kernel& kernel, std::span<const std::string> words,
                                     uint64_t seed, GlobalMemory& memory) {
    const auto parameters = kernel.parameters();
    if (words.size() != parameters.size()) {
        std::string list;
        for (size_t i = 0; i < parameters.size(); ++i) {
            list += (i == 0 ? "" : ", ") + ("%" + parameters[i].name) + ": ";
            list += type_text(parameters[i]);
        }
        fail_input("I12",
                   "kernel '" + std::string(kernel.name()) + "' takes " +
                       std::to_string(parameters.size()) + " arguments, " +
                       std::to_string(words.size()) + " given",
                   "its parameters are (" + list + "); give one --arg for each, in order");
    }
    std::vector<Argument> arguments;
    for (size_t i = 0; i < words.size(); ++i)
        arguments.push_back(make_argument(kernel, i, words[i], seed, memory));
    return arguments;
}

std::vector<OutputSummary> save_outputs(const std::vector<Argument>& arguments) {
    std::vector<OutputSummary> outputs;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        if (!argument.output) continue;
        const Array array = array_of(argument);
        if (!argument.output_file.empty()) write_npy(argument.output_file, array);
        outputs.push_back({i, argument.output_file, sha256(array.data)});
    }
    return outputs;
}

std::vector<uint64_t> argument_values(const std::vector<Argument>& arguments) {
    std::vector<uint64_t> values;
    for (const Argument& argument : arguments) values.push_back(argument.value);
    return values;
}

Array array_of(const Argument& argument) {
    Array array;
    array.shape = argument.shape;
    array.dtype = argument.dtype;
    array.data.resize(bytes(argument.dtype, static_cast<size_t>(array.elements())));
    if (!array.data.empty())
        std::memcpy(array.data.data(), GlobalMemory::host(argument.value), array.data.size());
    return array;
}

}  // namespace ptosim
