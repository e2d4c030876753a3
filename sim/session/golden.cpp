#include "sim/session/golden.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>
#include <sstream>

#include "isa/numeric/formats.h"

namespace ptosim {
namespace {

uint64_t element(const std::byte* data, DType type, size_t index) {
    const unsigned width = bits(type);
    uint64_t value = 0;
    if (width < 8) return static_cast<uint64_t>(data[index / 2] >> (index % 2 * 4)) & 0xf;
    std::memcpy(&value, data + index * width / 8, width / 8);
    return value;
}

double value_of(DType type, uint64_t pattern) {
    if (!is_integer(type)) return decode(type, pattern);
    const unsigned shift = 64 - bits(type);
    if (is_signed(type))
        return static_cast<double>(static_cast<int64_t>(pattern << shift) >> shift);
    return static_cast<double>(pattern);
}

// Maps floats to integers: neighbouring values differ by one, -0 and +0 are equal.
int64_t on_a_line(DType type, uint64_t pattern) {
    const unsigned width = bits(type);
    const uint64_t sign = uint64_t{1} << (width - 1);
    const auto magnitude = static_cast<int64_t>(pattern & (sign - 1));
    return (pattern & sign) != 0 ? -magnitude : magnitude;
}

std::string element_text(DType type, uint64_t pattern) {
    std::ostringstream text;
    text.precision(9);
    text << value_of(type, pattern);
    if (!is_integer(type)) text << " (0x" << std::hex << pattern << ")";
    return text.str();
}

bool within(const GoldenSpec& spec, double found, double expected) {
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
    if (found == expected) return true;
    if (std::isinf(found) || std::isinf(expected)) return false;
    return std::fabs(found - expected) <= spec.atol + spec.rtol * std::fabs(expected);
}

}  // namespace

GoldenSpec parse_golden(const std::string& word) {
    const auto fail = [&](const std::string& what) {
        fail_input("I13", "--golden " + word + ": " + what,
                   "for example --golden 2=c.npy or --golden 2=c.npy:1e-3,1e-5");
    };
    GoldenSpec spec;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), spec.parameter);
    if (error != std::errc{} || end == word.data() + word.size() || *end != '=')
        fail("expected N=FILE.npy[:RTOL,ATOL]");
    spec.file = std::string(end + 1, word.data() + word.size());
    const size_t colon = spec.file.rfind(':');
    if (colon != std::string::npos) {
        const std::string tolerances = spec.file.substr(colon + 1);
        spec.file.resize(colon);
        const char* stop = tolerances.data() + tolerances.size();
        const auto first = std::from_chars(tolerances.data(), stop, spec.rtol);
        if (first.ec != std::errc{} || first.ptr == stop || *first.ptr != ',')
            fail("tolerances are RTOL,ATOL");
        const auto second = std::from_chars(first.ptr + 1, stop, spec.atol);
        if (second.ec != std::errc{} || second.ptr != stop || spec.rtol < 0 || spec.atol < 0)
            fail("tolerances are RTOL,ATOL, not negative");
        spec.exact = false;
    }
    if (spec.file.empty()) fail("names no file");
    return spec;
}

bool differs(const GoldenSpec& spec, const Array& golden, const Argument& argument, uint64_t index) {
    const uint64_t found = element(GlobalMemory::host(argument.value), argument.dtype, index);
    const uint64_t expected = element(golden.data.data(), argument.dtype, index);
    return found != expected &&
           (spec.exact || !within(spec, value_of(argument.dtype, found), value_of(argument.dtype, expected)));
}

Comparison compare(const GoldenSpec& spec, const Array& golden, const Argument& argument) {
    const DType type = argument.dtype;
    const std::string where = "--golden " + std::to_string(spec.parameter) + "=" + spec.file;
    if (!npy_holds(golden.dtype, type))
        fail_input("I13",
                   where + ": element type " + std::string(name(golden.dtype)) +
                       " does not fit parameter " + std::to_string(spec.parameter) + " (" +
                       std::string(name(type)) + ")",
                   "save the golden in the element type of the parameter");
    const uint64_t count = static_cast<uint64_t>(golden.elements());
    const Array found = array_of(argument);
    if (count != static_cast<uint64_t>(found.elements()))
        fail_input("I13",
                   where + ": shape " + shape_text(golden.shape) + " does not fit parameter " +
                       std::to_string(spec.parameter) + " (" + shape_text(argument.shape) + ")",
                   "golden and parameter must have the same number of elements");
    Comparison result;
    result.elements = count;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t f = element(found.data.data(), type, i);
        const uint64_t g = element(golden.data.data(), type, i);
        if (f == g) continue;
        const double fv = value_of(type, f), gv = value_of(type, g);
        if (!std::isnan(fv) && !std::isnan(gv)) {
            const double error = fv == gv ? 0 : std::fabs(fv - gv);
            result.largest_error = std::max(result.largest_error, error);
            if (!is_integer(type)) {
                const int64_t ulps = on_a_line(type, f) - on_a_line(type, g);
                result.largest_ulps =
                    std::max(result.largest_ulps, static_cast<uint64_t>(std::abs(ulps)));
            }
        }
        if (!spec.exact && within(spec, fv, gv)) continue;
        if (result.mismatches++ == 0) {
            result.first_element = i;
            uint64_t rest = i;
            result.first.assign(golden.shape.size(), 0);
            for (size_t d = golden.shape.size(); d-- > 0;) {
                result.first[d] =
                    static_cast<int64_t>(rest % static_cast<uint64_t>(golden.shape[d]));
                rest /= static_cast<uint64_t>(golden.shape[d]);
            }
            result.first_found = element_text(type, f);
            result.first_expected = element_text(type, g);
        }
    }
    result.equal = result.mismatches == 0;
    return result;
}

Goldens load_goldens(const std::vector<std::string>& words,
                     const std::vector<Argument>& arguments) {
    Goldens goldens;
    for (const std::string& word : words) {
        GoldenSpec spec = parse_golden(word);
        if (spec.parameter >= arguments.size() || arguments[spec.parameter].scalar)
            fail_input("I13",
                       "--golden " + word + ": parameter " + std::to_string(spec.parameter) +
                           " is not an array of this kernel",
                       "parameters are counted from 0: 'ptosim run --dry-run' lists them");
        Array golden = read_npy(spec.file);
        // Before the run, shapes and types are checked. A golden that already equals the array proves nothing.
        if (compare(spec, golden, arguments[spec.parameter]).equal)
            std::cerr << "warning: --golden " << word << ": parameter " << spec.parameter
                      << " has these values before the run, so equality does not show that the kernel wrote it\n";
        goldens.emplace_back(std::move(spec), std::move(golden));
    }
    return goldens;
}

std::vector<GoldenResult> compare(const Goldens& goldens, const std::vector<Argument>& arguments) {
    std::vector<GoldenResult> results;
    for (const auto& [spec, golden] : goldens) {
        const Argument& argument = arguments[spec.parameter];
        const Comparison comparison = compare(spec, golden, argument);
        const uint64_t at = comparison.first_element * bits(argument.dtype) / 8;
        results.push_back({spec, comparison, argument.value + at});
    }
    return results;
}

std::string index_text(const std::vector<int64_t>& index) {
    std::string text;
    for (const int64_t i : index) text += (text.empty() ? "" : ", ") + std::to_string(i);
    return "[" + text + "]";
}

std::string to_text(const GoldenSpec& spec, const Comparison& c) {
    std::ostringstream text;
    text << "parameter " << spec.parameter << ": ";
    if (c.equal) {
        text << "all " << c.elements << " elements "
             << (spec.exact ? "equal " : "within tolerance of ") << spec.file;
        if (spec.exact)
            text << " bit for bit";
        else
            text << " (largest error " << c.largest_error << ", " << c.largest_ulps << " ulp)";
        return text.str();
    }
    text << c.mismatches << " of " << c.elements << " elements differ from " << spec.file
         << "; first at " << index_text(c.first) << ": found " << c.first_found << ", expected "
         << c.first_expected << "; largest error " << c.largest_error << ", largest distance "
         << c.largest_ulps << " ulp";
    return text.str();
}

}  // namespace ptosim
