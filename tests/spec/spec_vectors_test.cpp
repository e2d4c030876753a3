// The 124 numeric vectors of PTO-ISA/pto-spec 0.58.3, one by one. Expected values come from the
// JSON file; vectors that do not apply are listed, each with its reason, in
// tests/evidence/spec.json.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <vector>

#include "isa/legality/legality.h"
#include "isa/numeric/convert.h"
#include "isa/numeric/formats.h"
#include "isa/numeric/functions.h"
#include "isa/table/attributes.h"
#include "isa/table/instruction_table.h"

using namespace ptosim;
using Json = nlohmann::json;

namespace {

constexpr const char* kVectors = "pto-isa-0583-hardware-numeric-vectors.json";

// ---- The words of the vectors.

DType type_of(const std::string& word) {
    static const std::map<std::string, DType> kTypes = {
        {"FP32", DType::kF32},    {"TF32", DType::kTF32},   {"HF32", DType::kHF32},
        {"FP16", DType::kF16},    {"BF16", DType::kBF16},   {"HiF8", DType::kHIF8},
        {"E4M3", DType::kE4M3},   {"E5M2", DType::kE5M2},   {"E8M0", DType::kE8M0},
        {"E2M1X2", DType::kE2M1}, {"E1M2X2", DType::kE1M2}, {"S64", DType::kI64},
        {"S32", DType::kI32},     {"S8", DType::kI8},       {"S4X2", DType::kI4},
        {"U64", DType::kU64},     {"U8", DType::kU8}};
    return kTypes.at(word);
}

RoundMode mode_of(const std::string& word) {
    static const std::map<std::string, RoundMode> kModes = {
        {"RNE", RoundMode::kRint},  {"RTZ", RoundMode::kTrunc}, {"RDN", RoundMode::kFloor},
        {"RTM", RoundMode::kFloor}, {"RUP", RoundMode::kCeil},  {"RTP", RoundMode::kCeil},
        {"RNA", RoundMode::kRound}, {"RTO", RoundMode::kOdd},   {"RHB", RoundMode::kHybrid}};
    return kModes.at(word);
}

uint64_t raw(const Json& value) { return std::stoull(value.get<std::string>(), nullptr, 16); }

// "+0", "2^-22", "-1.9", "+infinity", "qNaN", "qNaN#1", "canonical-qNaN".
double number(const std::string& word) {
    if (word.find("NaN") != std::string::npos) return std::nan("");
    if (word == "+infinity") return INFINITY;
    if (word == "-infinity") return -INFINITY;
    if (word.starts_with("2^")) return std::ldexp(1.0, std::stoi(word.substr(2)));
    return std::stod(word);
}
double number(const Json& value) { return number(value.get<std::string>()); }

Saturation saturation(const Json& vector) {
    return vector.at("sat").get<bool>() ? Saturation::kOn : Saturation::kOff;
}

uint32_t f32_bits(double value) {
    return static_cast<uint32_t>(encode(DType::kF32, value, RoundMode::kRint, Saturation::kOff));
}

// Equal as a value of `type`, with the sign of zero; any NaN is a NaN.
bool same_value(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
}

// ---- Running one instruction on tiles.

struct Buffer {
    Tile tile;
    std::vector<std::byte> bytes;

    explicit Buffer(const Tile& t) : tile{t}, bytes(t.byte_size()) {}
    uint64_t get(int row, int col) const {
        uint64_t value = 0;
        std::memcpy(&value, bytes.data() + offset(row, col), bits(tile.dtype) / 8);
        return value;
    }
    void set(int row, int col, uint64_t value) {
        std::memcpy(bytes.data() + offset(row, col), &value, bits(tile.dtype) / 8);
    }

 private:
    size_t offset(int row, int col) const {
        return static_cast<size_t>(tile.index(row, col)) * bits(tile.dtype) / 8;
    }
};

Buffer row_of(DType type, int count, Space space = Space::kUB) {
    const int line = static_cast<int>(256 / bits(type));
    Tile tile = make_tile(space, type, 1, (count + line - 1) / line * line);
    tile.valid_rows = 1;
    tile.valid_cols = count;
    return Buffer(tile);
}

Buffer f32_row(const std::vector<double>& values, Space space = Space::kUB) {
    Buffer buffer = row_of(DType::kF32, static_cast<int>(values.size()), space);
    for (size_t i = 0; i < values.size(); ++i)
        buffer.set(0, static_cast<int>(i), f32_bits(values[i]));
    return buffer;
}

void run(Opcode opcode, const std::vector<Buffer*>& tiles, const Attributes& attributes = {},
         bool legal = true, const Operand& scalar = {}) {
    Instruction instruction(opcode);
    instruction.attributes = attributes;
    for (Buffer* buffer : tiles) instruction.add(buffer->tile);
    if (scalar.present()) instruction.add(Operand{}).add(scalar);
    Problem problem;
    if (legal && !check_legality(instruction, Arch::kA5, problem))
        FAIL(to_text(instruction) << ": " << problem.message << " [" << problem.code << "]");
    Execution execution{instruction, {}, Numerics::kIEEE};
    for (size_t i = 0; i < tiles.size(); ++i) execution.bytes[i] = tiles[i]->bytes.data();
    info(opcode).semantics(execution);
}

// One lane of a two-operand instruction on f32.
uint32_t binary(Opcode opcode, uint32_t a, uint32_t b) {
    Buffer dst = row_of(DType::kF32, 1), src0 = row_of(DType::kF32, 1), src1 = dst;
    src0.set(0, 0, a);
    src1.set(0, 0, b);
    run(opcode, {&dst, &src0, &src1});
    return static_cast<uint32_t>(dst.get(0, 0));
}

// ---- The groups. Each checks one vector, whose id Catch prints with a failure.

void canonical_nan(const Json& v) {
    const DType type = type_of(v.at("data_type"));
    CHECK(float_format(type).nan == raw(v.at("expected")));
    CHECK(encode(type, std::nan(""), RoundMode::kRint, Saturation::kOff) == raw(v.at("expected")));
    CHECK(convert_bits(type, DType::kF32, 0xFF800001u, RoundMode::kRint, Saturation::kOff) ==
          raw(v.at("expected")));
}

void comparison(const Json& v) {
    static const std::map<std::string, CompareMode> kModes = {{"EQ", CompareMode::kEq},
                                                              {"NE", CompareMode::kNe},
                                                              {"LT", CompareMode::kLt},
                                                              {"GE", CompareMode::kGe}};
    Buffer a = f32_row({number(v.at("inputs").at(0))});
    Buffer b = f32_row({number(v.at("inputs").at(1))});
    Buffer mask = row_of(DType::kU8, 1);
    Attributes attributes;
    attributes.compare = kModes.at(v.at("mode"));
    run(Opcode::kTCMP, {&mask, &a, &b}, attributes);
    CHECK(mask.get(0, 0) == v.at("expected").get<unsigned>());
}

void invalid_float_to_integer(const Json& v) {
    const Json& expected =
        v.contains("expected_raw") ? v.at("expected_raw") : v.at("expected_lane_raw");
    CHECK(convert_bits(type_of(v.at("destination")), DType::kF32, f32_bits(number(v.at("input"))),
                       RoundMode::kTrunc, saturation(v)) == raw(expected));
}

void low_precision_encoding(const Json& v) {
    const DType type = type_of(v.at("data_type"));
    const double expected = number(v.at("expected"));
    CHECK(same_value(decode(type, raw(v.at("raw"))), expected));
    CHECK(encode(type, expected, RoundMode::kRint, Saturation::kOff) == raw(v.at("raw")));
}

// The dot products of the vectors without matrices equal row (1, 2) of the one with matrices.
void matrix(const Json& v) {
    const std::string id = v.at("id");
    if (id.starts_with("mx-")) {
        const bool block = id == "mx-k-block-33";
        const int k = block ? 33 : 1;
        const int groups = (k + 31) / 32;
        auto tile = [](Space space, DType type, int rows, int cols) {
            Tile t = make_tile(space, type, rows, (cols + 31) / 32 * 32);
            t.valid_cols = cols;
            return Buffer(t);
        };
        Buffer a = tile(Space::kL0A, DType::kE4M3, 1, k);
        Buffer b = tile(Space::kL0B, block ? DType::kE5M2 : DType::kE4M3, k, 1);
        Buffer a_scale = tile(Space::kScaleA, DType::kE8M0, 1, groups);
        Buffer b_scale = tile(Space::kScaleB, DType::kE8M0, groups, 1);
        const double base = block ? 1.0 : number(v.at("base"));
        for (int i = 0; i < k; ++i) {
            a.set(0, i, encode(DType::kE4M3, base, RoundMode::kRint, Saturation::kOff));
            b.set(i, 0, encode(b.tile.dtype, 1.0, RoundMode::kRint, Saturation::kOff));
        }
        for (int i = 0; i < groups; ++i) {
            const auto at = static_cast<size_t>(i);
            a_scale.set(0, i, block ? raw(v.at("scale_a").at(at)) : raw(v.at("e8m0")));
            b_scale.set(i, 0, block ? raw(v.at("scale_b").at(at)) : 0x7F);
        }
        Buffer c = tile(Space::kL0C, DType::kF32, 1, 1);
        // 33 is not a depth that the instruction takes (S09); the meaning has no such bound.
        run(Opcode::kTMATMUL_MX, {&c, &a, &a_scale, &b, &b_scale}, {}, false);
        CHECK(c.get(0, 0) == f32_bits(number(v.at(block ? "expected_acc" : "expected"))));
        if (!block) return;
        Buffer bias = c;
        bias.set(0, 0, f32_bits(2));
        run(Opcode::kTMATMUL_MX_BIAS, {&c, &a, &a_scale, &b, &b_scale, &bias}, {}, false);
        CHECK(c.get(0, 0) == f32_bits(number(v.at("expected_acc_with_bias_2"))));
        Buffer prior = c;
        prior.set(0, 0, f32_bits(3));
        run(Opcode::kTMATMUL_MX_ACC, {&c, &prior, &a, &a_scale, &b, &b_scale}, {}, false);
        CHECK(c.get(0, 0) == f32_bits(number(v.at("expected_acc_with_prior_3"))));
        return;
    }
    const bool full = v.contains("left");
    const int m = full ? 2 : 1;
    auto boxed = [](Space space, int rows, int cols, OuterLayout outer, InnerLayout inner,
                    uint16_t fractal) {
        Tile t = make_tile(space, DType::kF32, 16, 16, outer, inner, fractal);
        t.valid_rows = rows;
        t.valid_cols = cols;
        return Buffer(t);
    };
    Buffer a = boxed(Space::kL0A, m, 2, OuterLayout::kColMajor, InnerLayout::kRowMajor, 512);
    Buffer b = boxed(Space::kL0B, 2, 2, OuterLayout::kRowMajor, InnerLayout::kColMajor, 512);
    Buffer c = boxed(Space::kL0C, m, 2, OuterLayout::kColMajor, InnerLayout::kRowMajor, 1024);
    const double left[2][2] = {{1, 2}, {3, 4}}, right[2][2] = {{5, 6}, {7, 8}};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const auto row = static_cast<size_t>(i), col = static_cast<size_t>(j);
            if (i < m)
                a.set(i, j, f32_bits(full ? number(v.at("left").at(row).at(col)) : left[i][j]));
            b.set(i, j, f32_bits(full ? number(v.at("right").at(row).at(col)) : right[i][j]));
        }
    auto check = [&](int row, const Json& expected) {
        for (int j = 0; j < 2; ++j)
            CHECK(c.get(row, j) == f32_bits(number(expected.at(static_cast<size_t>(j)))));
    };
    run(Opcode::kTMATMUL, {&c, &a, &b});
    if (full) {
        for (int i = 0; i < 2; ++i) check(i, v.at("expected").at(static_cast<size_t>(i)));
        return;
    }
    check(0, v.at("dot_products"));
    const char* start = v.contains("bias") ? "bias" : "prior_acc";
    const std::vector<double> values{number(v.at(start).at(0)), number(v.at(start).at(1))};
    if (v.contains("bias")) {
        Buffer bias = f32_row(values, Space::kBias);
        run(Opcode::kTMATMUL_BIAS, {&c, &a, &b, &bias});
    } else {
        Buffer prior = c;
        for (int j = 0; j < 2; ++j) prior.set(0, j, f32_bits(values[static_cast<size_t>(j)]));
        run(Opcode::kTMATMUL_ACC, {&c, &prior, &a, &b});
    }
    check(0, v.at("expected_acc"));
}

// The fixpipe on the way from L0C to L1, with a 64-bit parameter as scalar.
void matrix_postprocess(const Json& v) {
    const DType from = v.value("source_type", "FP32") == "S32" ? DType::kI32 : DType::kF32;
    const DType to = type_of(v.at("destination"));
    auto boxed = [](Space space, DType type, uint16_t fractal) {
        Tile t =
            make_tile(space, type, 16, 32, OuterLayout::kColMajor, InnerLayout::kRowMajor, fractal);
        t.valid_rows = 16;
        t.valid_cols = 32;
        return Buffer(t);
    };
    Buffer src = boxed(Space::kL0C, from, 1024);
    Buffer dst = boxed(Space::kL1, to, 512);
    uint64_t value = 0;
    if (v.contains("input_raw"))
        value = raw(v.at("input_raw"));
    else if (from == DType::kI32)
        value = static_cast<uint32_t>(std::stoi(v.at("input").get<std::string>()));
    else
        value = f32_bits(number(v.at("input")));
    src.set(0, 0, value);
    const uint64_t scale = f32_bits(std::stod(v.value("fp19_scale", "1.0")));
    const auto offset = static_cast<uint64_t>(std::stoi(v.value("signed_offset", "0"))) & 0x1FF;
    run(Opcode::kTMOV, {&dst, &src}, {}, true, Scalar{scale | offset << 37, DType::kU64});
    CHECK(dst.get(0, 0) == raw(v.at("expected_raw")));
}

void mixed_expdif(const Json& v) {
    const DType type = type_of(v.at("source_type"));
    auto widened = [&](const char* key) {
        return static_cast<uint32_t>(
            convert_bits(DType::kF32, type, raw(v.at(key)), RoundMode::kRint, Saturation::kOff));
    };
    const uint32_t a = widened("a"), b = widened("b");
    CHECK(binary(Opcode::kTSUB, a, b) == raw(v.at("widen_first_sub")));
    Buffer wide_dst = row_of(DType::kF32, 1), wide_a = wide_dst, wide_b = wide_dst;
    wide_a.set(0, 0, a);
    wide_b.set(0, 0, b);
    run(Opcode::kTCOLEXPANDEXPDIF, {&wide_dst, &wide_a, &wide_b});
    CHECK(wide_dst.get(0, 0) == raw(v.at("widen_first_exp")));
    // The other order of steps, which the profile rejects, gives the other published numbers.
    Buffer dst = row_of(type, 1), src0 = dst, src1 = dst;
    src0.set(0, 0, raw(v.at("a")));
    src1.set(0, 0, raw(v.at("b")));
    run(Opcode::kTSUB, {&dst, &src0, &src1});
    const auto difference = static_cast<uint32_t>(
        convert_bits(DType::kF32, type, dst.get(0, 0), RoundMode::kRint, Saturation::kOff));
    CHECK(difference == raw(v.at("source_precision_sub_then_widen")));
    CHECK(std::bit_cast<uint32_t>(exp_rn(std::bit_cast<float>(difference))) ==
          raw(v.at("source_precision_exp")));
}

void packed_lane_order(const Json& v) {
    const auto packed = static_cast<std::byte>(raw(v.at("raw_byte")));
    const DType type = type_of(v.at("data_type"));
    float lanes[2];
    convert_run(DType::kF32, lanes, type, &packed, 2, RoundMode::kRint, Saturation::kOff);
    for (size_t i = 0; i < 2; ++i)
        CHECK(same_value(lanes[i], number(v.at("expected_logical_lanes").at(i))));
    std::byte back{};
    convert_run(type, &back, DType::kF32, lanes, 2, RoundMode::kRint, Saturation::kOff);
    CHECK(back == packed);
}

void reduction(const Json& v) {
    static const std::map<std::string, Opcode> kOpcodes = {{"ARGMAX", Opcode::kTROWARGMAX},
                                                           {"MIN", Opcode::kTROWMIN},
                                                           {"SUM", Opcode::kTROWSUM},
                                                           {"MAX", Opcode::kTROWMAX}};
    std::vector<double> values;
    for (const Json& input : v.at("inputs")) values.push_back(number(input));
    Buffer src = f32_row(values);
    const std::string operation = v.at("operation");
    Buffer dst = row_of(operation == "ARGMAX" ? DType::kU32 : DType::kF32, 1);
    run(kOpcodes.at(operation), {&dst, &src});
    if (operation == "ARGMAX")
        CHECK(dst.get(0, 0) == v.at("expected_index").get<unsigned>());
    else
        CHECK(dst.get(0, 0) == f32_bits(number(v.at("expected"))));
}

// Also of the groups saturation and rounding_before_saturation.
void rounding(const Json& v) {
    const DType to = type_of(v.at("destination"));
    const RoundMode mode = mode_of(v.value("mode", "RNE"));
    const Saturation sat = v.contains("sat") ? saturation(v) : Saturation::kOff;
    const uint64_t got = convert_bits(to, DType::kF32, f32_bits(number(v.at("input"))), mode, sat);
    const std::string expected = v.at("expected");
    const uint64_t mask = ~uint64_t{0} >> (64 - bits(to));
    if (expected.starts_with("0x"))
        CHECK(got == raw(v.at("expected")));
    else
        CHECK(got == (static_cast<uint64_t>(std::stoll(expected)) & mask));
    if (v.contains("rounded_intermediate"))
        CHECK(convert_bits(DType::kI32, DType::kF32, f32_bits(number(v.at("input"))), mode, sat) ==
              static_cast<uint32_t>(std::stoi(v.at("rounded_intermediate").get<std::string>())));
}

// The public names: their numbers, and the results of the mode of that number for five inputs (2.5,
// -2.5, 3.5, 2.25, -2.25; by hand, with the meanings of the bundle modes in
// spec/hardware-conformance-profile.json: 0 default RNE, 1 RNE, 2 RTZ, 3 RDN, 4 RUP, 5 RNA, 6 RTO).
void rounding_selection(const Json& v) {
    static const std::vector<std::vector<int>> kRounded = {
        {2, -2, 4, 2, -2}, {2, -2, 4, 2, -2}, {2, -2, 3, 2, -2}, {2, -3, 3, 2, -3},
        {3, -2, 4, 3, -2}, {3, -3, 4, 2, -2}, {3, -3, 3, 3, -3}};
    const std::string word = v.at("public_name");
    const auto number = v.at("raw").get<unsigned>();
    const AttributeInfo* attribute = find_attribute(kAttrRound, "rmode");
    REQUIRE(attribute != nullptr);
    Attributes by_name, by_number;
    REQUIRE(attribute->set(by_name, word));
    REQUIRE(attribute->set(by_number, std::to_string(number)));
    CHECK(static_cast<unsigned>(by_name.round) == number);
    CHECK(by_number.round == by_name.round);
    const double inputs[] = {2.5, -2.5, 3.5, 2.25, -2.25};
    for (size_t i = 0; i < 5; ++i)
        CHECK(static_cast<int32_t>(convert_bits(DType::kI32, DType::kF32, f32_bits(inputs[i]),
                                                by_name.round, Saturation::kOff)) ==
              kRounded.at(v.at("bundle_rmode").get<size_t>())[i]);
}

void signed_zero(const Json& v) {
    static const std::map<std::string, Opcode> kOpcodes = {{"multiply", Opcode::kTMUL},
                                                           {"add", Opcode::kTADD},
                                                           {"minimum", Opcode::kTMIN},
                                                           {"maximum", Opcode::kTMAX}};
    CHECK(binary(kOpcodes.at(v.at("operation")), f32_bits(number(v.at("inputs").at(0))),
                 f32_bits(number(v.at("inputs").at(1)))) == raw(v.at("expected")));
}

// TSORT32 sorts downwards; upwards is the same with the signs turned, but for the signs of zeros,
// which are equal anyway.
void sort(const Json& v) {
    for (const bool descending : {true, false}) {
        std::vector<double> values;
        for (const Json& value : v.at("input_values"))
            values.push_back(descending ? number(value) : -number(value));
        Buffer src = f32_row(values);
        Buffer indices = row_of(DType::kU32, 32), dst = row_of(DType::kF32, 64);
        for (int i = 0; i < 32; ++i) indices.set(0, i, static_cast<uint64_t>(i));
        run(Opcode::kTSORT32, {&dst, &src, &indices});
        const Json& expected = v.at(descending ? "descending_expected_original_indices"
                                               : "ascending_expected_original_indices");
        for (int i = 0; i < 32; ++i)
            CHECK(dst.get(0, 2 * i + 1) == expected.at(static_cast<size_t>(i)).get<unsigned>());
    }
}

void subnormal_policy(const Json& v) {
    const std::string id = v.at("id");
    if (id == "default-configuration") {  // an instruction without any option keeps them
        CHECK(binary(Opcode::kTADD, 1, 0) == 1);
        CHECK(binary(Opcode::kTADD, 1, 1) == 2);
        return;
    }
    const auto bits = static_cast<uint32_t>(raw(v.at("raw")));
    const double value = decode(DType::kF32, bits);
    const bool subnormal = value > 0 && value < std::ldexp(1.0, -126);
    CHECK(value > 0);
    CHECK(subnormal == (v.at("expected_class") == "positive-subnormal"));
    CHECK(encode(DType::kF32, value, RoundMode::kRint, Saturation::kOff) == bits);
    CHECK(binary(Opcode::kTMUL, bits, f32_bits(1)) == bits);
    if (id == "fp32-maximum-subnormal")  // half of 2^-126 * (2 - 2^-22)
        CHECK(binary(Opcode::kTMUL, 0x00FFFFFE, f32_bits(0.5)) == bits);
    if (id == "fp32-minimum-normal")  // just below, and rounded up to it
        CHECK(encode(DType::kF32, std::ldexp(1.0, -126) - std::ldexp(1.0, -151), RoundMode::kRint,
                     Saturation::kOff) == bits);
}

void tcvt_e8m0(const Json& v) {
    CHECK(convert_bits(DType::kE8M0, type_of(v.at("source_type")), raw(v.at("input")),
                       mode_of(v.at("rmode")), saturation(v)) == raw(v.at("expected")));
}

const std::map<std::string, std::function<void(const Json&)>> kGroups = {
    {"canonical_nan", canonical_nan},
    {"comparison", comparison},
    {"invalid_float_to_integer", invalid_float_to_integer},
    {"low_precision_encoding", low_precision_encoding},
    {"matrix", matrix},
    {"matrix_postprocess", matrix_postprocess},
    {"mixed_expdif", mixed_expdif},
    {"packed_lane_order", packed_lane_order},
    {"reduction", reduction},
    {"rounding", rounding},
    {"rounding_before_saturation", rounding},
    {"rounding_selection", rounding_selection},
    {"saturation", rounding},
    {"signed_zero", signed_zero},
    {"sort", sort},
    {"subnormal_policy", subnormal_policy},
    {"tcvt_e8m0", tcvt_e8m0},
};

const Json& vectors_of(const Json& group) {
    if (group.is_array()) return group;
    return group.contains("vectors") ? group.at("vectors") : group.at("discriminator_vectors");
}

// The vectors that do not apply: the first cell of each row.
std::set<std::string> listed_vectors() {
    std::set<std::string> listed;
    std::ifstream file("../evidence/spec.json");
    const Json suite = Json::parse(file);
    for (const Json& row : suite.at("tables").at(0).at("rows")) listed.insert(row.at(0));
    return listed;
}

}  // namespace

TEST_CASE("the numeric vectors of pto-spec") {
    std::ifstream file(kVectors);
    const Json document = Json::parse(file);
    const std::set<std::string> listed = listed_vectors();
    size_t applied = 0, skipped = 0;
    for (const auto& [name, group] : document.at("vector_groups").items()) {
        const Json& vectors = vectors_of(group);
        for (size_t i = 0; i < vectors.size(); ++i) {
            const std::string id = name + "/" + std::to_string(i);
            INFO(id << ": " << vectors[i].dump());
            if (listed.contains(id)) {
                ++skipped;
                continue;
            }
            ++applied;
            REQUIRE_NOTHROW(kGroups.at(name)(vectors[i]));
        }
    }
    CHECK(skipped == listed.size());
    CHECK(applied + listed.size() == 124);
}
