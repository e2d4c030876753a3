#include "isa/numeric/dtype.h"

#include <catch2/catch.hpp>

#include "isa/numeric/format_oracle.h"

using namespace ptosim;

TEST_CASE("every type's short name is read back as the type", "[numeric]") {
    for (const DType type : oracle::all_types()) {
        CHECK(parse_dtype(name(type)) == type);
    }
}

TEST_CASE("types have the short names that the header gives", "[numeric]") {
    const std::vector<std::string_view> names = {
        "f32",  "f16", "bf16", "tf32", "hf32", "e4m3", "e5m2", "e8m0", "hif8", "e2m1",
        "e1m2", "i4",  "i8",   "u8",   "i16",  "u16",  "i32",  "u32",  "i64",  "u64"};
    using enum DType;
    const std::vector<DType> types = {kF32,  kF16,  kBF16, kTF32, kHF32, kE4M3, kE5M2,
                                      kE8M0, kHIF8, kE2M1, kE1M2, kI4,   kI8,   kU8,
                                      kI16,  kU16,  kI32,  kU32,  kI64,  kU64};
    REQUIRE(names.size() == types.size());
    for (size_t i = 0; i < types.size(); ++i) CHECK(name(types[i]) == names[i]);
}

TEST_CASE("the spellings of .pto files name their types", "[numeric]") {
    // Spellings in test/samples of hw-native-sys/PTOAS v0.27 and v0.60.
    CHECK(parse_dtype("f8E4M3FN") == DType::kE4M3);
    CHECK(parse_dtype("f8E5M2") == DType::kE5M2);
    CHECK(parse_dtype("!pto.f8E8M0") == DType::kE8M0);
    CHECK(parse_dtype("!pto.hif8") == DType::kHIF8);
    CHECK(parse_dtype("!pto.f4E2M1x2") == DType::kE2M1);
    CHECK(parse_dtype("!pto.f4E1M2x2") == DType::kE1M2);
    CHECK(parse_dtype("ui8") == DType::kU8);
    CHECK(parse_dtype("si16") == DType::kI16);
    CHECK(parse_dtype("ui64") == DType::kU64);
}

TEST_CASE("unknown words name no type", "[numeric]") {
    for (const char* word : {"", "f33", "!pto.", "i1", "F32", "float", "i32 "}) {
        CHECK_FALSE(parse_dtype(word).has_value());
    }
}

TEST_CASE("sizes round up to bytes", "[numeric]") {
    CHECK(bytes(DType::kE2M1, 3) == 2);
    CHECK(bytes(DType::kI4, 0) == 0);
    CHECK(bytes(DType::kHIF8, 3) == 3);
    CHECK(bytes(DType::kTF32, 3) == 12);
    CHECK(bytes(DType::kU64, 3) == 24);
}
