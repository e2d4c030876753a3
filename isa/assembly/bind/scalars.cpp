#include "isa/assembly/bind/scalars.h"

#include "isa/numeric/convert.h"

namespace ptosim::assembly {

Slot ScalarBinder::emit_scalar(const Operation& op, ScalarOp scalar_op, const ScalarFormat& format,
                               Slot a, Slot b) {
    const bool unary = b == kNoSlot;
    if (is_constant(a) && (unary || is_constant(b))) {
        const ScalarResult result =
            evaluate(scalar_op, format, constant_value(a), unary ? 0 : constant_value(b));
        // An operation without a result is an error only if it is executed.
        if (result.code.empty()) return constant(result.value);
    }
    uint32_t index = 0;
    while (index < program_.formats.size() && !(program_.formats[index] == format)) ++index;
    if (index == program_.formats.size()) program_.formats.push_back(format);
    const Slot result = new_scalar();
    Step& step = emit(StepCode::kEvaluate, op);
    step.op = scalar_op;
    step.r = result;
    step.a = a;
    step.b = unary ? a : b;
    step.index = index;
    // Casts that keep the bits are free: registers have 64 bits.
    step.work = scalar_op >= ScalarOp::kTruncate && scalar_op <= ScalarOp::kBits ? 0 : 1;
    return result;
}

bool ScalarBinder::bind_arith(const Operation& op) {
    const std::string_view name = op.name.substr(6);
    if (name == "constant") return arith_constant(op), true;
    if (name == "cmpi" || name == "cmpf") return arith_compare(op, name == "cmpf"), true;
    if (name == "select") return arith_select(op), true;
    if (name.ends_with("_extended")) return arith_extended(op), true;
    if (const auto binary = binary_operation(name)) return arith_binary(op, *binary), true;
    if (const auto cast = conversion(name)) return arith_conversion(op, *cast), true;
    return false;
}

uint64_t ScalarBinder::literal_bits(const Operation& op, const Attribute& literal,
                                    const Type& type) {
    if (type.kind == TypeKind::kFloat) {
        if (!type.dtype)
            fail(op, "K07", "constants of type '" + std::string(type.text) + "' are not supported");
        if (literal.kind == AttributeKind::kFloat) {
            // Through double: MLIR writes enough digits, and half and bf16 values are exact there.
            const double value = literal.floating;
            if (*type.dtype == DType::kF32) return to_bits<DType::kF32>(round_to_float(value));
            if (*type.dtype == DType::kF16) return round_to_half(value).bits;
            if (*type.dtype == DType::kBF16) return round_to_bfloat16(value).bits;
            return convert_bits(*type.dtype, DType::kF32,
                                to_bits<DType::kF32>(round_to_float(value)), RoundMode::kRint,
                                Saturation::kOff);
        }
        // 0x7F800000 : f32 are the bits; a plain integer is a number.
        if (literal.kind == AttributeKind::kInteger && literal.is_hex())
            return unsigned_bits(static_cast<uint64_t>(literal.integer), type.width);
        if (literal.kind == AttributeKind::kInteger)
            return convert_bits(*type.dtype, DType::kI64, static_cast<uint64_t>(literal.integer),
                                RoundMode::kRint, Saturation::kOff);
    } else if (literal.kind == AttributeKind::kInteger || literal.kind == AttributeKind::kBool) {
        // Signed or unsigned: from 2^63 on it keeps the bits of a 64-bit integer, and cannot be an index.
        const int64_t one = 1;
        const bool large = literal.kind == AttributeKind::kInteger && literal.integer < 0 &&
                           !literal.text.starts_with('-');
        const bool narrow = type.width < 64 && (literal.integer < -(one << (type.width - 1)) ||
                                                literal.integer >= one << type.width);
        if (narrow || (large && (type.width < 64 || type.kind == TypeKind::kIndex)))
            fail(literal.location, "K09",
                 "'" + std::string(literal.text) + "' does not fit into " +
                     std::to_string(type.width) + (type.width == 1 ? " bit" : " bits"));
        return wrap(static_cast<uint64_t>(literal.integer), type.width);
    }
    fail(literal.location, "K09",
         "'" + std::string(literal.text) + "' is not a constant of type '" + std::string(type.text) +
             "'",
         literal.kind == AttributeKind::kOpaque ? "vectors and tensors are not supported" : "");
}

void ScalarBinder::arith_constant(const Operation& op) {
    const Clause* list = op.clause("");
    const Attribute* literal =
        list != nullptr && !list->items.empty() ? list->items[0].attribute : nullptr;
    if (literal == nullptr) literal = op.attribute("value");
    if (literal == nullptr) fail(op, "K09", "'arith.constant' needs a number");
    const Type* type = literal->type;
    if (!op.types.empty()) type = op.types[0];
    if (type == nullptr && !op.result_types.empty()) type = op.result_types[0];
    if (type == nullptr && literal->kind == AttributeKind::kBool) type = &builtin_type("i1");
    if (type == nullptr) fail(op, "K07", "'arith.constant' needs a type");
    if (make_kind(*type) == ValueKind::kHandle) {
        Value counts;
        counts.kind = ValueKind::kHandle;
        counts.type = type;
        return define(op, 0, counts);
    }
    if (!type->is_scalar())
        fail(op, "K03", "constants of type '" + std::string(type->text) + "' are not supported");
    define(op, 0,
           Value::of(ValueKind::kScalar, *type, constant(literal_bits(op, *literal, *type))));
}

// The type that an operation writes must be the one that its operand has.
void ScalarBinder::check_scalar_type(const Item& item, const Type* given) {
    if (item.kind != Item::Kind::kValue || given == nullptr) return;
    const Value& found = value_of_kind(item, ValueKind::kScalar);
    const bool same = found.type == nullptr ||
                      (found.type->width == given->width && found.type->kind == given->kind &&
                       found.type->text == given->text);
    if (!same)
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(found.type->text) +
                 ", but the operation has " + std::string(given->text));
}

void ScalarBinder::arith_binary(const Operation& op, ScalarOp scalar_op) {
    const Item& left = operand(op, 0);
    const Item& right = operand(op, 1);
    const Type& type = result_type(op);
    check_scalar_type(left, &type);
    check_scalar_type(right, &type);
    const bool wants_float = is_float_operation(scalar_op);
    if (!type.is_scalar() || wants_float != (type.kind == TypeKind::kFloat) ||
        (wants_float && !type.dtype))
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not work on '" + std::string(type.text) + "'");
    ScalarFormat format;
    format.width = type.width;
    if (wants_float) format.dtype = *type.dtype;
    define(op, 0,
           Value::of(ValueKind::kScalar, type,
                     emit_scalar(op, scalar_op, format, value(left).slot, value(right).slot)));
}

void ScalarBinder::arith_compare(const Operation& op, bool floating) {
    const Clause& list = clause(op, "");
    if (list.items.size() != 3)
        fail(op, "K06", "'" + std::string(op.name) + "' takes a predicate and two operands");
    if (op.types.empty()) fail(op, "K07", "'" + std::string(op.name) + "' needs a type");
    const Type& type = *op.types[0];
    check_scalar_type(list.items[1], &type);
    check_scalar_type(list.items[2], &type);
    if (!type.is_scalar() || floating != (type.kind == TypeKind::kFloat) ||
        (floating && !type.dtype))
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not compare '" + std::string(type.text) + "'");
    const std::string_view word = list.items[0].text;
    ScalarFormat format;
    format.width = type.width;
    ScalarOp scalar_op = ScalarOp::kCompareF;
    if (floating) {
        const auto predicate = float_compare_word(word);
        if (!predicate)
            fail(list.items[0].location, "K09", "unknown predicate '" + std::string(word) + "'",
                 "predicates are oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno");
        format.predicate = *predicate;
        format.dtype = *type.dtype;
    } else {
        const auto predicate = compare_word(word);
        if (!predicate)
            fail(list.items[0].location, "K09", "unknown predicate '" + std::string(word) + "'",
                 "predicates are eq ne slt sle sgt sge ult ule ugt uge");
        scalar_op = *predicate;
    }
    Value result;
    result.kind = ValueKind::kScalar;
    result.type = &builtin_type("i1");
    result.slot =
        emit_scalar(op, scalar_op, format, value(list.items[1]).slot, value(list.items[2]).slot);
    define(op, 0, result);
}

void ScalarBinder::arith_select(const Operation& op) {
    const Slot condition = integer(operand(op, 0));
    const Value first = value(operand(op, 1));
    const Value second = value(operand(op, 2));
    if (first.kind != second.kind)
        fail(op, "K07",
             "'arith.select' cannot choose between " + std::string(name(first.kind)) + " and " +
                 std::string(name(second.kind)));
    if (is_constant(condition)) {
        define(op, 0, constant_value(condition) != 0 ? first : second);
        return;
    }
    Value result = make_value(*first.type, op);
    StepCode code = StepCode::kSelect;
    if (result.kind == ValueKind::kTile || result.kind == ValueKind::kMultiTile)
        code = StepCode::kSelectTile;
    if (result.kind == ValueKind::kView) code = StepCode::kSelectView;
    Step& step = emit(code, op);
    step.r = result.slot;
    step.a = condition;
    step.b = first.slot;
    step.c = second.slot;
    step.work = 1;
    define(op, 0, result);
}

void ScalarBinder::arith_conversion(const Operation& op, ScalarOp scalar_op) {
    const Item& item = operand(op, 0);
    const Value& source = value_of_kind(item, ValueKind::kScalar);
    if (op.types.empty()) fail(op, "K07", "'" + std::string(op.name) + "' needs a type");
    const Type& from = *op.types[0];
    const Type& to = op.result_types.empty() ? from : *op.result_types[0];
    check_scalar_type(item, &from);
    if (!from.is_scalar() || !to.is_scalar())
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not convert '" + std::string(from.text) +
                 "' to '" + std::string(to.text) + "'");
    using enum ScalarOp;
    const bool from_float = scalar_op == kConvertFloat || scalar_op == kSFromFloat ||
                            scalar_op == kUFromFloat || scalar_op == kNegF;
    const bool to_float = scalar_op == kConvertFloat || scalar_op == kFloatFromS ||
                          scalar_op == kFloatFromU || scalar_op == kNegF;
    if (scalar_op != kBits) {
        const bool good = from_float == (from.kind == TypeKind::kFloat) &&
                          to_float == (to.kind == TypeKind::kFloat) &&
                          (!from_float || from.dtype) && (!to_float || to.dtype);
        if (!good)
            fail(op, "K07",
                 "'" + std::string(op.name) + "' does not convert '" + std::string(from.text) +
                     "' to '" + std::string(to.text) + "'");
    } else if (from.width != to.width) {
        fail(op, "K07", "'arith.bitcast' needs two types of one width");
    }
    ScalarFormat format;
    format.width = from.width;
    format.to_width = to.width;
    if (from.dtype) format.dtype = *from.dtype;
    if (to.dtype) format.to_dtype = *to.dtype;
    // Bits of a float become a signed integer, and the other way round.
    if (scalar_op == kBits) {
        if (from.kind == TypeKind::kFloat && to.kind != TypeKind::kFloat) scalar_op = kTruncate;
        if (from.kind != TypeKind::kFloat && to.kind == TypeKind::kFloat) {
            scalar_op = kZeroExtend;
            format.to_width = 64;
        }
    }
    define(op, 0,
           Value::of(ValueKind::kScalar, to,
                     emit_scalar(op, scalar_op, format, source.slot, kNoSlot)));
}

// addui_extended, mulsi_extended, mului_extended: the low half, and the carry or the high half.
void ScalarBinder::arith_extended(const Operation& op) {
    const std::string_view name = op.name.substr(6);
    const Type& type = result_type(op);
    if (type.kind != TypeKind::kInteger && type.kind != TypeKind::kIndex)
        fail(op, "K07", "'" + std::string(op.name) + "' works on integers");
    const Slot a = integer(operand(op, 0));
    const Slot b = integer(operand(op, 1));
    ScalarFormat format;
    format.width = type.width;
    const bool sum = name == "addui_extended";
    ScalarOp high = ScalarOp::kCarry;
    if (name == "mulsi_extended") high = ScalarOp::kMulHighS;
    if (name == "mului_extended") high = ScalarOp::kMulHighU;
    std::vector<Value> results(2);
    results[0].kind = results[1].kind = ValueKind::kScalar;
    results[0].type = &type;
    results[1].type = sum ? &builtin_type("i1") : &type;
    results[0].slot = emit_scalar(op, sum ? ScalarOp::kAdd : ScalarOp::kMul, format, a, b);
    results[1].slot = emit_scalar(op, high, format, a, b);
    define_results(op, results);
}

void ScalarBinder::block_number(const Operation& op) {
    IdentityField field = IdentityField::kBlock;
    if (op.name == "pto.get_block_num") field = IdentityField::kBlocks;
    if (op.name == "pto.get_subblock_idx") field = IdentityField::kSubblock;
    if (op.name == "pto.get_subblock_num") field = IdentityField::kSubblocks;
    Value result = Value::of(ValueKind::kScalar, builtin_type("i64"), new_scalar());
    Step& step = emit(StepCode::kIdentity, op);
    step.r = result.slot;
    step.index = static_cast<uint32_t>(field);
    step.work = 1;
    define(op, 0, result);
}

}  // namespace ptosim::assembly
