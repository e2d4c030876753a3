#include "isa/assembly/program/scalar_ops.h"

#include <utility>

#include "isa/numeric/arithmetic.h"
#include "isa/numeric/convert.h"
#include "isa/numeric/functions.h"

namespace ptosim::assembly {

namespace {

constexpr ScalarResult kDivisionByZero{0, "N01", "integer division by zero"};
constexpr ScalarResult kDivisionOverflow{0, "N01",
                                         "the quotient of the smallest integer and -1 "
                                         "has no representation"};
constexpr ScalarResult kShiftTooFar{0, "N04", "shift by at least the width of the value"};

int64_t as_signed(uint64_t value, unsigned width) {
    // i1 is kept as 0 or 1; as a signed number true is -1.
    if (width == 1) return -static_cast<int64_t>(value & 1);
    return static_cast<int64_t>(value);
}

int64_t smallest(unsigned width) { return INT64_MIN >> (64 - width); }

ScalarResult divide_signed(ScalarOp op, unsigned width, int64_t a, int64_t b) {
    if (b == 0) return kDivisionByZero;
    if (b == -1 && a == smallest(width)) {
        if (op == ScalarOp::kRemS) return {0, {}, {}};
        return kDivisionOverflow;
    }
    const int64_t quotient = a / b;
    const int64_t remainder = a % b;
    int64_t result = quotient;
    if (op == ScalarOp::kRemS) result = remainder;
    if (op == ScalarOp::kCeilDivS && remainder != 0 && (remainder < 0) == (b < 0)) ++result;
    if (op == ScalarOp::kFloorDivS && remainder != 0 && (remainder < 0) != (b < 0)) --result;
    return {wrap(static_cast<uint64_t>(result), width), {}, {}};
}

ScalarResult divide_unsigned(ScalarOp op, unsigned width, uint64_t a, uint64_t b) {
    if (b == 0) return kDivisionByZero;
    uint64_t result = a / b;
    if (op == ScalarOp::kRemU) result = a % b;
    if (op == ScalarOp::kCeilDivU && a % b != 0) ++result;
    return {wrap(result, width), {}, {}};
}

ScalarResult shift(ScalarOp op, unsigned width, uint64_t a, uint64_t b) {
    const uint64_t count = unsigned_bits(b, width);
    if (count >= width) return kShiftTooFar;
    if (op == ScalarOp::kShl) return {wrap(a << count, width), {}, {}};
    if (op == ScalarOp::kShrU) return {wrap(unsigned_bits(a, width) >> count, width), {}, {}};
    return {wrap(static_cast<uint64_t>(as_signed(a, width) >> count), width), {}, {}};
}

__extension__ typedef __int128 WideSigned;
__extension__ typedef unsigned __int128 WideUnsigned;

ScalarResult multiply_high(ScalarOp op, unsigned width, uint64_t a, uint64_t b) {
    if (op == ScalarOp::kMulHighU) {
        const WideUnsigned product =
            static_cast<WideUnsigned>(unsigned_bits(a, width)) * unsigned_bits(b, width);
        return {wrap(static_cast<uint64_t>(product >> width), width), {}, {}};
    }
    const WideSigned product = static_cast<WideSigned>(as_signed(a, width)) * as_signed(b, width);
    return {wrap(static_cast<uint64_t>(product >> width), width), {}, {}};
}

uint64_t integer_operation(ScalarOp op, unsigned width, uint64_t a, uint64_t b) {
    const int64_t sa = as_signed(a, width), sb = as_signed(b, width);
    const uint64_t ua = unsigned_bits(a, width), ub = unsigned_bits(b, width);
    switch (op) {
        case ScalarOp::kAdd:
            return wrap(a + b, width);
        case ScalarOp::kSub:
            return wrap(a - b, width);
        case ScalarOp::kMul:
            return wrap(a * b, width);
        case ScalarOp::kAnd:
            return a & b;
        case ScalarOp::kOr:
            return a | b;
        case ScalarOp::kXor:
            return wrap(a ^ b, width);
        case ScalarOp::kMaxS:
            return sa > sb ? a : b;
        case ScalarOp::kMinS:
            return sa < sb ? a : b;
        case ScalarOp::kMaxU:
            return ua > ub ? a : b;
        case ScalarOp::kMinU:
            return ua < ub ? a : b;
        case ScalarOp::kCarry:
            return unsigned_bits(ua + ub, width) < ua;
        case ScalarOp::kEq:
            return a == b;
        case ScalarOp::kNe:
            return a != b;
        case ScalarOp::kSlt:
            return sa < sb;
        case ScalarOp::kSle:
            return sa <= sb;
        case ScalarOp::kSgt:
            return sa > sb;
        case ScalarOp::kSge:
            return sa >= sb;
        case ScalarOp::kUlt:
            return ua < ub;
        case ScalarOp::kUle:
            return ua <= ub;
        case ScalarOp::kUgt:
            return ua > ub;
        case ScalarOp::kUge:
            return ua >= ub;
        default:
            return 0;
    }
}

// IEEE 754-2019 maximum and minimum: a NaN wins.
template <typename T>
T extreme(bool greatest, T a, T b) {
    if (is_nan(a) || is_nan(b)) return round_to<T>(to_float(a) + to_float(b));
    return greatest ? max_num(a, b) : min_num(a, b);
}

template <DType Type>
uint64_t float_operation(ScalarOp op, uint8_t predicate, uint64_t a_bits, uint64_t b_bits) {
    using T = Storage<Type>;
    const T a = from_bits<Type>(a_bits), b = from_bits<Type>(b_bits);
    switch (op) {
        case ScalarOp::kAddF:
            return to_bits<Type>(add(a, b));
        case ScalarOp::kSubF:
            return to_bits<Type>(sub(a, b));
        case ScalarOp::kMulF:
            return to_bits<Type>(mul(a, b));
        case ScalarOp::kDivF:
            return to_bits<Type>(div_rn(a, b));
        case ScalarOp::kRemF:
            return to_bits<Type>(fmod_exact(a, b));
        case ScalarOp::kMaximumF:
            return to_bits<Type>(extreme(true, a, b));
        case ScalarOp::kMinimumF:
            return to_bits<Type>(extreme(false, a, b));
        case ScalarOp::kMaxNumF:
            return to_bits<Type>(max_num(a, b));
        case ScalarOp::kMinNumF:
            return to_bits<Type>(min_num(a, b));
        case ScalarOp::kNegF:
            return a_bits ^ (uint64_t{1} << (bits(Type) - 1));
        case ScalarOp::kCompareF: {
            const float x = to_float(a), y = to_float(b);
            const unsigned order = x == y ? 1 : x > y ? 2 : x < y ? 4 : 8;
            return (predicate & order) != 0;
        }
        default:
            return 0;
    }
}

ScalarResult convert_scalar(ScalarOp op, const ScalarFormat& f, uint64_t a) {
    const DType float_type = f.dtype;
    switch (op) {
        case ScalarOp::kTruncate:
            return {wrap(a, f.to_width), {}, {}};
        case ScalarOp::kSignExtend:
            return {wrap(static_cast<uint64_t>(as_signed(a, f.width)), f.to_width), {}, {}};
        case ScalarOp::kZeroExtend:
            return {wrap(unsigned_bits(a, f.width), f.to_width), {}, {}};
        case ScalarOp::kConvertFloat:
            return {convert_bits(f.to_dtype, float_type, a, RoundMode::kRint, Saturation::kOff),
                    {},
                    {}};
        case ScalarOp::kFloatFromS:
            return {
                convert_bits(f.to_dtype, DType::kI64, static_cast<uint64_t>(as_signed(a, f.width)),
                             RoundMode::kRint, Saturation::kOff),
                {},
                {}};
        case ScalarOp::kFloatFromU:
            return {convert_bits(f.to_dtype, DType::kU64, unsigned_bits(a, f.width),
                                 RoundMode::kRint, Saturation::kOff),
                    {},
                    {}};
        case ScalarOp::kSFromFloat:
        case ScalarOp::kUFromFloat: {
            // Out of range is undefined in MLIR; here the conversion's own rule decides, in the
            // width of the result.
            const bool is_signed = op == ScalarOp::kSFromFloat;
            DType target = is_signed ? DType::kI64 : DType::kU64;
            if (f.to_width == 32) target = is_signed ? DType::kI32 : DType::kU32;
            if (f.to_width == 16) target = is_signed ? DType::kI16 : DType::kU16;
            if (f.to_width == 8) target = is_signed ? DType::kI8 : DType::kU8;
            return {wrap(convert_bits(target, float_type, a, RoundMode::kTrunc, Saturation::kOff),
                         f.to_width),
                    {},
                    {}};
        }
        default:
            return {a, {}, {}};
    }
}

using OpName = std::pair<std::string_view, ScalarOp>;
template <size_t N>
std::optional<ScalarOp> lookup(const OpName (&names)[N], std::string_view name) {
    for (const auto& [candidate, op] : names)
        if (candidate == name) return op;
    return std::nullopt;
}

}  // namespace

ScalarResult evaluate(ScalarOp op, const ScalarFormat& f, uint64_t a, uint64_t b) {
    const unsigned width = f.width;
    switch (op) {
        case ScalarOp::kDivS:
        case ScalarOp::kCeilDivS:
        case ScalarOp::kFloorDivS:
        case ScalarOp::kRemS:
            return divide_signed(op, width, as_signed(a, width), as_signed(b, width));
        case ScalarOp::kDivU:
        case ScalarOp::kCeilDivU:
        case ScalarOp::kRemU:
            return divide_unsigned(op, width, unsigned_bits(a, width), unsigned_bits(b, width));
        case ScalarOp::kShl:
        case ScalarOp::kShrS:
        case ScalarOp::kShrU:
            return shift(op, width, a, b);
        case ScalarOp::kMulHighS:
        case ScalarOp::kMulHighU:
            return multiply_high(op, width, a, b);
        default:
            break;
    }
    if (is_float_operation(op)) {
        switch (f.dtype) {
            case DType::kF32:
                return {float_operation<DType::kF32>(op, f.predicate, a, b), {}, {}};
            case DType::kF16:
                return {float_operation<DType::kF16>(op, f.predicate, a, b), {}, {}};
            case DType::kBF16:
                return {float_operation<DType::kBF16>(op, f.predicate, a, b), {}, {}};
            default:
                return {0, "N10", "no scalar arithmetic is defined for this float type"};
        }
    }
    if (op >= ScalarOp::kTruncate) return convert_scalar(op, f, a);
    return {integer_operation(op, width, a, b), {}, {}};
}

std::optional<ScalarOp> binary_operation(std::string_view name) {
    using enum ScalarOp;
    static constexpr OpName kNames[] = {
        {"addi", kAdd},           {"subi", kSub},
        {"muli", kMul},           {"divsi", kDivS},
        {"divui", kDivU},         {"ceildivsi", kCeilDivS},
        {"ceildivui", kCeilDivU}, {"floordivsi", kFloorDivS},
        {"remsi", kRemS},         {"remui", kRemU},
        {"andi", kAnd},           {"ori", kOr},
        {"xori", kXor},           {"shli", kShl},
        {"shrsi", kShrS},         {"shrui", kShrU},
        {"maxsi", kMaxS},         {"maxui", kMaxU},
        {"minsi", kMinS},         {"minui", kMinU},
        {"addf", kAddF},          {"subf", kSubF},
        {"mulf", kMulF},          {"divf", kDivF},
        {"remf", kRemF},          {"maximumf", kMaximumF},
        {"minimumf", kMinimumF},  {"maxnumf", kMaxNumF},
        {"minnumf", kMinNumF},
    };
    return lookup(kNames, name);
}

std::optional<ScalarOp> conversion(std::string_view name) {
    using enum ScalarOp;
    static constexpr OpName kNames[] = {
        {"trunci", kTruncate},
        {"extsi", kSignExtend},
        {"extui", kZeroExtend},
        {"index_cast", kSignExtend},
        {"index_castui", kZeroExtend},
        {"bitcast", kBits},
        {"extf", kConvertFloat},
        {"truncf", kConvertFloat},
        {"sitofp", kFloatFromS},
        {"uitofp", kFloatFromU},
        {"fptosi", kSFromFloat},
        {"fptoui", kUFromFloat},
        {"negf", kNegF},
    };
    return lookup(kNames, name);
}

std::optional<ScalarOp> compare_word(std::string_view predicate) {
    using enum ScalarOp;
    static constexpr OpName kNames[] = {
        {"eq", kEq},   {"ne", kNe},   {"slt", kSlt}, {"sle", kSle}, {"sgt", kSgt},
        {"sge", kSge}, {"ult", kUlt}, {"ule", kUle}, {"ugt", kUgt}, {"uge", kUge},
    };
    return lookup(kNames, predicate);
}

std::optional<uint8_t> float_compare_word(std::string_view predicate) {
    static constexpr std::pair<std::string_view, uint8_t> kNames[] = {
        {"false", 0}, {"oeq", 1},  {"ogt", 2},  {"oge", 3},   {"olt", 4},  {"ole", 5},
        {"one", 6},   {"ord", 7},  {"uno", 8},  {"ueq", 9},   {"ugt", 10}, {"uge", 11},
        {"ult", 12},  {"ule", 13}, {"une", 14}, {"true", 15},
    };
    for (const auto& [candidate, bits] : kNames)
        if (candidate == predicate) return bits;
    return std::nullopt;
}

}  // namespace ptosim::assembly
