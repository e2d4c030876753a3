#include "sim/native/type_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <typeinfo>
#include <vector>

#include "pto/common/numbers.hpp"

namespace ptosim {
namespace {

std::string demangled(const char* name) {
    if (*name == '*') ++name;  // internal linkage
    int status = 0;
    char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string result = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return result;
}

struct NumberType {
    std::string spelling;  // demangled
    std::string name;      // in kernels
    DType dtype;
};

template <class T>
NumberType number_type(const char* name, DType dtype) {
    return {demangled(typeid(T).name()), name, dtype};
}

// float8_e8m0_t and other number types whose names are templates.
const std::vector<NumberType>& number_types() {
    static const auto& types = *new std::vector<NumberType>{
        number_type<half>("half", DType::kF16),
        number_type<bfloat16_t>("bfloat16_t", DType::kBF16),
        number_type<float8_e4m3_t>("float8_e4m3_t", DType::kE4M3),
        number_type<float8_e5m2_t>("float8_e5m2_t", DType::kE5M2),
        number_type<float8_e8m0_t>("float8_e8m0_t", DType::kE8M0),
        number_type<hifloat8_t>("hifloat8_t", DType::kHIF8),
        number_type<float4_e2m1x2_t>("float4_e2m1x2_t", DType::kE2M1),
        number_type<float4_e1m2x2_t>("float4_e1m2x2_t", DType::kE1M2),
        number_type<pto::int4b_t>("int4b_t", DType::kI4),
    };
    return types;
}

std::map<std::string, DType> element_types() {
    std::map<std::string, DType> types = {
        {"float", DType::kF32},         {"_Float16", DType::kF16},
        {"signed char", DType::kI8},    {"char", DType::kI8},
        {"bool", DType::kU8},           {"unsigned char", DType::kU8},
        {"short", DType::kI16},         {"unsigned short", DType::kU16},
        {"int", DType::kI32},           {"unsigned int", DType::kU32},
        {"long", DType::kI64},          {"long long", DType::kI64},
        {"unsigned long", DType::kU64}, {"unsigned long long", DType::kU64},
    };
    for (const NumberType& type : number_types()) types.emplace(type.name, type.dtype);
    return types;
}

}  // namespace

std::string readable_type(const char* mangled) {
    std::string text = demangled(mangled);
    for (const NumberType& type : number_types())
        for (size_t at; (at = text.find(type.spelling)) != text.npos;)
            text.replace(at, type.spelling.size(), type.name);
    return text;
}

std::optional<DType> element_type(const std::string& readable) {
    static const auto& names = *new std::map<std::string, DType>(element_types());
    std::string word = readable.substr(0, readable.find('*'));
    for (const char* qualifier : {" const", " volatile"})
        for (size_t at; (at = word.find(qualifier)) != word.npos;)
            word.erase(at, std::char_traits<char>::length(qualifier));
    const auto found = names.find(word);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ptosim
