#include "isa/assembly/bind/instructions.h"

#include <algorithm>
#include <functional>

#include "isa/table/attributes.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::assembly {

namespace {

bool is_output(const OperandInfo& info) {
    return info.role == OperandRole::kOut || info.role == OperandRole::kInOut;
}

// "ins(src0, src1, tmp?) outs(dst)"
std::string signature(const InstructionInfo& row) {
    std::string inputs, outputs;
    for (const OperandInfo& operand : row.operands) {
        std::string& list = is_output(operand) ? outputs : inputs;
        if (!list.empty()) list += ", ";
        list += operand.name;
        if (operand.optional) list += '?';
    }
    return "ins(" + inputs + ") outs(" + outputs + ")";
}

std::string_view kinds_text(uint8_t kinds) {
    switch (kinds) {
        case kTileOperand:
            return "a tile";
        case kGlobalOperand:
            return "a view of global memory";
        case kScalarOperand:
            return "a scalar";
        case kTileOperand | kScalarOperand:
            return "a tile or a scalar";
        case kTileOperand | kGlobalOperand:
            return "a tile or a view of global memory";
        default:
            return "an operand";
    }
}

// Attributes without meaning for the machine: MLIR's own attributes, attributes of other dialects and passes, and the
// hints by which TileLang chooses among equivalent implementations.
bool is_inert(std::string_view key) {
    return key.find('.') != std::string_view::npos || key == "operandSegmentSizes" ||
           key == "resultSegmentSizes" || key == "src1Col" || key == "src0eqdst" ||
           key == "candidates" || key == "scatterConflict";
}

// Versions differ in case and underscores ("sat_mode", "satmode").
std::string plain(std::string_view key) {
    std::string text;
    for (const char c : key)
        if (c != '_') text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return text;
}

const AttributeInfo* find_any_spelling(AttributeSet set, std::string_view key) {
    if (const AttributeInfo* exact = find_attribute(set, key)) return exact;
    const std::string wanted = plain(key);
    for (const AttributeInfo& row : attribute_table())
        if (set.has(row.set_of) && plain(row.key) == wanted) return &row;
    return nullptr;
}

}  // namespace

bool InstructionBinder::fits(const Item& item, const OperandInfo& info) {
    if (item.kind == Item::Kind::kAttribute)
        return (info.kinds & kScalarOperand) != 0 &&
               item.attribute->kind == AttributeKind::kInteger;
    switch (value(item).kind) {
        case ValueKind::kTile:
            // Scales lie in their own memory; another third tile of a move is scratch.
            if (info.name == "fp" && info.optional && value(item).type->tile.space == Space::kUB)
                return false;
            return (info.kinds & kTileOperand) != 0;
        case ValueKind::kView:
            return (info.kinds & kGlobalOperand) != 0;
        case ValueKind::kScalar:
            return (info.kinds & kScalarOperand) != 0;
        default:
            return false;
    }
}

// Assigns values in order to `positions` (indices of the row's operands).
// Optional positions are filled from the left as far as there are values;
// a value whose kind does not fit goes to the next optional position.
bool InstructionBinder::match(const InstructionInfo& row, std::span<const Item* const> values,
                              std::span<const int> positions, Chosen& chosen) {
    if (positions.empty()) return values.empty();
    const OperandInfo& info = row.operands[positions[0]];
    if (!values.empty() && fits(*values[0], info)) {
        chosen[positions[0]] = values[0];
        if (match(row, values.subspan(1), positions.subspan(1), chosen)) return true;
        chosen[positions[0]] = nullptr;
    }
    return info.optional && match(row, values, positions.subspan(1), chosen);
}

// A gather with a threshold: it is a number, or the kind of comparison is written.
bool InstructionBinder::compares(const Operation& op, const Operands& inputs) {
    if (op.attribute("cmpMode") != nullptr || op.attribute("cmp_mode") != nullptr) return true;
    return inputs.values.size() > 1 && inputs.values[1]->kind == Item::Kind::kValue &&
           value(*inputs.values[1]).kind == ValueKind::kScalar;
}

// Gathers and scatters by a mask name the mask's axis among the types of their operands.
bool InstructionBinder::is_axis(const InstructionInfo& row, const Item& item) {
    return row.attributes.has(kAttrAxis) && item.kind == Item::Kind::kAttribute &&
           item.attribute->kind == AttributeKind::kString;
}

// Operands with a name in the text (`fp %x`) go to the position of that name; `chosen` has one entry for each operand
// of the row.
void InstructionBinder::collect(const Operation& op, const InstructionInfo& row, Operands& inputs,
                                Operands& outputs, Chosen& chosen) {
    for (const Clause& clause : op.clauses) {
        if (clause.name == "(" && op.clause("outs") != nullptr && op.clause("ins") == nullptr)
            fail(clause.location, "K06",
                 "the operands of '" + std::string(op.name) + "' must be in ins(...)",
                 "it takes " + signature(row));
        const bool in_list = clause.name == "ins" || clause.name == "(" || clause.name.empty();
        if (in_list || clause.name == "outs") {
            Operands& target = clause.name == "outs" ? outputs : inputs;
            for (const Item& item : clause.items) {
                // Counts of merged lists, which nothing reads.
                if (row.opcode == Opcode::kTMRGSORT && item.kind == Item::Kind::kValue &&
                    value(item).kind == ValueKind::kHandle)
                    continue;
                if (is_axis(row, item)) continue;
                if (item.kind == Item::Kind::kWord && item.text == "no_tmp") {
                    inputs.no_scratch = true;
                    continue;
                }
                if (item.kind == Item::Kind::kAttribute &&
                    item.attribute->kind == AttributeKind::kType)
                    fail(item.location, "K01",
                         "expected ':' before the types of the operands, found '" +
                             std::string(item.text) + "'",
                         "'" + std::string(op.name) + "' takes " + signature(row));
                if (item.kind == Item::Kind::kWord ||
                    (item.kind == Item::Kind::kAttribute &&
                     item.attribute->kind != AttributeKind::kInteger))
                    fail(item.location, "K09",
                         "'" + std::string(op.name) + "' takes no '" + std::string(item.text) +
                             "' here");
                target.values.push_back(&item);
            }
            target.types.insert(target.types.end(), clause.types.begin(), clause.types.end());
            continue;
        }
        const bool has_value =
            clause.items.size() == 1 && clause.items[0].kind == Item::Kind::kValue;
        const std::string_view name =
            clause.name == "pre_quant" ? std::string_view("preQuantScalar") : clause.name;
        const auto position =
            std::find_if(row.operands.begin(), row.operands.end(),
                         [&](const OperandInfo& info) { return info.name == name; });
        if (has_value && position != row.operands.end()) {
            chosen[static_cast<size_t>(position - row.operands.begin())] = &clause.items[0];
        } else if (clause.parent >= 0 && !clause.items.empty()) {
            // buf(%ping, %pong) inside of the operand list: operands in the order of the text.
            for (const Item& item : clause.items) inputs.values.push_back(&item);
        } else if (clause.items.size() == 1 && clause.items[0].kind == Item::Kind::kAttribute &&
                   find_attribute(row.attributes, clause.name) != nullptr) {
            continue;  // bind_attributes takes it
        } else {
            bind_padding(op, row, clause);
        }
    }
}

// The padding attributes of a load: the assembler verifies them and ignores them afterwards (hw-native-sys/PTOAS v0.27
// and v0.60: nothing after its verifier reads them). Attributes without padding are not reported.
void InstructionBinder::bind_padding(const Operation& op, const InstructionInfo& row,
                                     const Clause& clause) {
    static constexpr std::string_view kOfLoad[] = {"pad_mode",         "pad_value",
                                                   "left_padding_num", "right_padding_num",
                                                   "init_out_buffer",  "init_condition"};
    if (row.opcode != Opcode::kTLOAD ||
        std::find(std::begin(kOfLoad), std::end(kOfLoad), clause.name) == std::end(kOfLoad))
        fail(clause.location, "K09",
             "'" + std::string(op.name) + "' has no clause '" + std::string(clause.name) + "'",
             "it takes " + signature(row));
    const bool depends = clause.name == "pad_value" || clause.name == "init_condition";
    if (depends || clause.items.size() != 1) return;
    const Item& item = clause.items[0];
    if (item.text == "PadNull" || item.text == "false") return;
    if (item.kind == Item::Kind::kValue) {
        const Slot count = integer(item);
        if (is_constant(count) && constant_value(count) == 0) return;
    }
    const Diagnostic found = diagnostic_at(
        clause.location, "K03",
        "'" + std::string(clause.name) + "' of 'pto.tload' is not supported",
        "the assembler reads it, and ignores it: let pto.tfillpad fill the tile around its valid "
        "region");
    if (options_.launch) throw Failure{found};
    context_.warnings.push_back(found);
}

// The clause's type of an operand must equal the operand's type.
void InstructionBinder::check_given_type(const Item& item, const Type* given) {
    if (given == nullptr || item.kind != Item::Kind::kValue) return;
    const Value& found = value(item);
    if (found.type == nullptr || found.type->text == given->text) return;
    bool same = make_kind(*given) == found.kind && found.type->dtype == given->dtype &&
                found.type->width == given->width;
    if (same && found.kind == ValueKind::kTile) {
        Tile a = found.type->tile, b = given->tile;
        // Valid extents may be known in one of the two only.
        if (a.valid_rows < 0 || b.valid_rows < 0) a.valid_rows = b.valid_rows = 0;
        if (a.valid_cols < 0 || b.valid_cols < 0) a.valid_cols = b.valid_cols = 0;
        same = a == b;
    }
    if (same && found.kind == ValueKind::kView) {
        same = found.type->rank == given->rank;
        for (unsigned i = 0; same && i < given->rank; ++i)
            same = found.type->dims[i] == given->dims[i] || found.type->dims[i] == kDynamic ||
                   given->dims[i] == kDynamic;
    }
    if (!same && make_kind(*given) != ValueKind::kPoison)
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(found.type->text) +
                 ", but the operation has " + std::string(given->text));
}

// The scratch of a merge of lists follows them, or the result; one list with a block length has none.
void InstructionBinder::take_merge_scratch(const InstructionInfo& row, Operands& inputs,
                                           const Operands& outputs, Chosen& chosen,
                                           std::vector<int>& input_positions) {
    const auto position = std::find_if(input_positions.begin(), input_positions.end(), [&](int i) {
        return row.operands[static_cast<size_t>(i)].role == OperandRole::kTmp;
    });
    if (position == input_positions.end()) return;
    constexpr size_t kLists = 2;
    const bool last = outputs.values.size() == 1 && !inputs.no_scratch &&
                      inputs.values.size() > kLists &&
                      inputs.values.back()->kind == Item::Kind::kValue &&
                      value(*inputs.values.back()).kind == ValueKind::kTile;
    if (last) {
        chosen[static_cast<size_t>(*position)] = inputs.values.back();
        inputs.values.pop_back();
    }
    input_positions.erase(position);
}

// "pto.tmov"(%src, %dst, %scale) <{...}> : (T, T, i64) -> ()
bool InstructionBinder::is_generic(const Operation& op) const {
    const char* const name = op.name.data();
    const std::string& text = module_.text;
    const std::less<> before;
    return before(text.data(), name) && before(name, text.data() + text.size()) && name[-1] == '"';
}

// The generic form lists operands that are read, then operands that are written, then optional ones; scratch last.
void InstructionBinder::order_generic(const InstructionInfo& row, std::vector<int>& positions) {
    const auto rank = [&](int position) {
        const OperandInfo& operand = row.operands[static_cast<size_t>(position)];
        if (operand.role == OperandRole::kTmp) return 3;
        if (operand.optional) return 2;
        return is_output(operand) ? 1 : 0;
    };
    std::stable_sort(positions.begin(), positions.end(),
                     [&](int a, int b) { return rank(a) < rank(b); });
}

// If one operand has a type, each must have one, including named operands.
void InstructionBinder::check_type_count(const Operation& op, const Operands& list) {
    const size_t types = list.types.size();
    if (types == 0 || types >= list.values.size()) return;
    fail(op, "K06",
         "'" + std::string(op.name) + "' has " + std::to_string(list.values.size()) +
             " operands in a list, but only " + std::to_string(types) +
             (types == 1 ? " type" : " types"));
}

// {padValue = #pto.pad_value<zero>}: of tiles in L1, and the same as the tile's own pad
// (hw-native-sys/PTOAS v0.60, TFillPadOp::verify).
void InstructionBinder::check_pad_value(const Operation& op, const Tile& dst) {
    const Attribute* given = op.attribute("padValue");
    if (given == nullptr) return;
    static constexpr std::string_view kNames[] = {"null", "zero", "max", "min"};
    if (dst.space != Space::kL1)
        fail(given->location, "K09", "'padValue' of 'pto.tfillpad' is only for tiles in L1",
             "in UB the pad of the result's type decides");
    const auto pad = static_cast<size_t>(dst.pad);
    if (pad >= std::size(kNames) || given->text != kNames[pad])
        fail(given->location, "K09",
             "'" + std::string(given->text) + "' is not the pad of the result's type",
             pad < std::size(kNames) ? "that is " + std::string(kNames[pad]) : "");
}

void InstructionBinder::bind_instruction(const Operation& op, const InstructionInfo& row) {
    Operands inputs, outputs;
    std::vector<const Item*> chosen(row.operands.size(), nullptr);
    collect(op, row, inputs, outputs, chosen);
    for (size_t i = 0; i < inputs.values.size() && i < inputs.types.size(); ++i)
        check_given_type(*inputs.values[i], inputs.types[i]);
    for (size_t i = 0; i < outputs.values.size() && i < outputs.types.size(); ++i)
        check_given_type(*outputs.values[i], outputs.types[i]);
    for (const Item* item : inputs.values)
        if (item->kind == Item::Kind::kValue) value(*item);  // undefined values first
    check_type_count(op, inputs);
    check_type_count(op, outputs);

    // Operations without ins(...) list all operands in the order of the row.
    const bool listed = op.clause("ins") == nullptr && op.clause("outs") == nullptr;
    std::vector<int> input_positions, output_positions;
    for (int i = 0; i < static_cast<int>(row.operands.size()); ++i) {
        if (chosen[i] != nullptr) continue;
        // Only a comparison has a threshold; in other gathers a third tile is scratch.
        if (row.operands[i].name == "kValue" && !compares(op, inputs)) continue;
        const bool out = is_output(row.operands[i]) && !listed;
        (out ? output_positions : input_positions).push_back(i);
    }
    if (listed && is_generic(op)) order_generic(row, input_positions);
    if (row.opcode == Opcode::kTMRGSORT && !listed)
        take_merge_scratch(row, inputs, outputs, chosen, input_positions);
    bool good = match(row, inputs.values, input_positions, chosen);
    if (!good) good = match_by_kind(row, inputs.values, input_positions, chosen);
    if (good) {
        // Scratch tiles may be among the outputs (trsqrt, tmrgsort).
        for (const int i : input_positions)
            if (chosen[i] == nullptr && row.operands[i].role == OperandRole::kTmp)
                output_positions.push_back(i);
        good = match(row, outputs.values, output_positions, chosen);
    }
    if (!good) fail_operands(op, row, inputs, outputs);

    IssuePlan plan;
    plan.prototype = Instruction(row.opcode, op.location);
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == nullptr) continue;
        plan.operands[i] = operand_plan(*chosen[i]);
        plan.prototype.operand_count = static_cast<uint8_t>(i + 1);
        // The space of a tile is known here; on which pipe and core the instruction runs follows
        // from it.
        if (plan.operands[i].kind == Operand::Kind::kTile)
            plan.prototype.operands[i] = tile_of(*value(*chosen[i]).type, op);
        else if (plan.operands[i].kind == Operand::Kind::kGlobal)
            plan.prototype.operands[i] = GlobalView{};
        else
            plan.prototype.operands[i] = Scalar{0, plan.operands[i].dtype};
    }
    bind_attributes(op, row, plan.prototype.attributes);
    state_saturation(row, plan.prototype);
    plan.columns = column_walk(plan.prototype, options_.arch);
    if (row.opcode == Opcode::kTFILLPAD) check_pad_value(op, plan.prototype.tile(0));
    if (const auto layout = layout_attribute(op))
        for (OperandPlan& operand : plan.operands) operand.layout = layout;
    listener().on_instruction(op, row, plan, chosen);
    scratch_.add_scratch(op, row, plan);
    issue(op, plan);
    // Destination-style operations may name their destination again as a result.
    if (!op.results.empty()) {
        const Item* out = outputs.values.empty() ? nullptr : outputs.values[0];
        if (out == nullptr || op.results.size() > 1)
            fail(op, "K06",
                 "the only result that '" + std::string(op.name) +
                     "' can have is its destination, the first operand in outs(...)");
        define(op, 0, value(*out));
    }
}

// Some versions order operands of different kinds differently (textract_fp:
// src, fp, row, column): each value takes the first free position of its kind.
bool InstructionBinder::match_by_kind(const InstructionInfo& row,
                                      std::span<const Item* const> values,
                                      std::span<const int> positions, Chosen& chosen) {
    const std::vector<const Item*> before = chosen;
    for (const Item* item : values) {
        const auto free = std::find_if(positions.begin(), positions.end(), [&](int position) {
            return chosen[position] == nullptr && fits(*item, row.operands[position]);
        });
        if (free == positions.end()) return chosen = before, false;
        chosen[*free] = item;
    }
    const bool complete = std::all_of(positions.begin(), positions.end(), [&](int position) {
        return chosen[position] != nullptr || row.operands[position].optional;
    });
    if (!complete) chosen = before;
    return complete;
}

void InstructionBinder::fail_operands(const Operation& op, const InstructionInfo& row,
                                      const Operands& inputs, const Operands& outputs) {
    const auto count = [&](bool out) {
        size_t least = 0, most = 0;
        for (const OperandInfo& info : row.operands) {
            if (is_output(info) != out) continue;
            ++most;
            if (!info.optional) ++least;
        }
        return std::pair(least, most);
    };
    const auto [least, most] = count(false);
    const auto [least_out, most_out] = count(true);
    const std::string takes = "it takes " + signature(row);
    const auto operands_text = [](size_t number) {
        return std::to_string(number) + (number == 1 ? " operand" : " operands");
    };
    const bool listed = op.clause("ins") == nullptr && op.clause("outs") == nullptr;
    if (!listed && (inputs.values.size() < least || inputs.values.size() > most))
        fail(op, "K06",
             "'" + std::string(op.name) + "' has " + operands_text(inputs.values.size()) +
                 " in ins(...)",
             takes);
    if (!listed && outputs.values.size() < least_out)
        fail(op, "K06",
             "'" + std::string(op.name) + "' has " + operands_text(outputs.values.size()) +
                 " in outs(...)",
             takes);
    // The counts are right, so a kind is wrong: name the first operand that fits no possible position.
    const auto name_wrong = [&](const Operands& given, bool out) {
        for (size_t i = 0; i < given.values.size(); ++i) {
            size_t at = 0;
            for (const OperandInfo& info : row.operands) {
                if (is_output(info) != out && !listed) continue;
                if (at++ != i) continue;
                if (fits(*given.values[i], info)) break;
                fail(given.values[i]->location, "K07",
                     "operand '" + std::string(info.name) + "' of '" + std::string(op.name) +
                         "' is " + std::string(kinds_text(info.kinds)) + ", but '%" +
                         std::string(given.values[i]->text) + "' is " +
                         std::string(name(value(*given.values[i]).kind)),
                     takes);
            }
        }
    };
    name_wrong(inputs, false);
    name_wrong(outputs, true);
    fail(op, "K06", "the operands of '" + std::string(op.name) + "' do not fit", takes);
}

void InstructionBinder::bind_attribute(const Operation& op, const InstructionInfo& row,
                                       std::string_view key, const Attribute& value,
                                       SourceLocation where, Attributes& attributes) {
    if (is_inert(key)) return;
    // The layout of the view, where a compiler has written it at the access too; taken by
    // bind_instruction.
    const bool access = row.opcode == Opcode::kTLOAD || row.opcode == Opcode::kTSTORE;
    if (key == "layout" && access) return;
    if (key == "tinsertMode") key = "insertMode";
    if (key == "storeMode" && row.opcode == Opcode::kTQUANT_MX) {
        if (value.text != "nd" && value.text != "nz")
            fail(value.location, "K09",
                 "'" + std::string(value.text) + "' is not a value of 'storeMode'",
                 "values are nd nz");
        if (value.text == "nz") refuse_launch(op, "a storeMode of nz");
        return;
    }
    // Redundant: the result's type contains it, and bind_instruction reads it there.
    if (key == "padValue" && row.opcode == Opcode::kTFILLPAD) return;
    if (key == "highPrecision" && value.kind == AttributeKind::kBool &&
        (value.integer == 0 || row.attributes.has(kAttrPrecision))) {
        attributes.high_precision = value.integer != 0;
        return;
    }
    const AttributeInfo* info = find_any_spelling(row.attributes, key);
    if (info == nullptr) {
        std::string accepted;
        std::vector<std::string_view> keys;
        for (const AttributeInfo& candidate : attribute_table())
            if (row.attributes.has(candidate.set_of)) {
                accepted += (accepted.empty() ? "" : ", ") + std::string(candidate.key);
                keys.push_back(candidate.key);
            }
        const std::string near = closest(key, keys);
        fail(where, "K09",
             "'" + std::string(op.name) + "' has no attribute '" + std::string(key) + "' here",
             !near.empty()      ? "did you mean '" + near + "'?"
             : accepted.empty() ? "it has none"
                                : "it has " + accepted);
    }
    if (!info->set(attributes, value.text))
        fail(value.location, "K09",
             "'" + std::string(value.text) + "' is not a value of '" + std::string(key) + "'",
             "values are " + std::string(info->values));
}

void InstructionBinder::state_saturation(const InstructionInfo& row, Instruction& instruction) {
    Attributes& modes = instruction.attributes;
    const auto obeys = row.traits->obeys_saturation;
    if (modes.saturation_from != SaturationFrom::kLibrary || obeys == nullptr ||
        !obeys(instruction, options_.arch))
        return;
    modes.saturation_from = SaturationFrom::kAssembler;
    modes.saturation = options_.saturation;
}

void InstructionBinder::bind_attributes(const Operation& op, const InstructionInfo& row,
                                        Attributes& attributes) {
    for (const NamedAttribute& entry : op.attributes)
        bind_attribute(op, row, entry.name, *entry.value, entry.location, attributes);
    for (const Clause& clause : op.clauses) {
        for (const Item& item : clause.items)
            if (is_axis(row, item))
                bind_attribute(op, row, "axis", *item.attribute, item.location, attributes);
        for (const NamedAttribute& entry : clause.attributes)
            bind_attribute(op, row, entry.name, *entry.value, entry.location, attributes);
        if (clause.items.size() == 1 && clause.items[0].kind == Item::Kind::kAttribute &&
            !clause.name.empty() && find_attribute(row.attributes, clause.name) != nullptr)
            bind_attribute(op, row, clause.name, *clause.items[0].attribute, clause.location,
                           attributes);
    }
}

}  // namespace ptosim::assembly
