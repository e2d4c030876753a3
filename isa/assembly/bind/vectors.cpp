#include "isa/assembly/bind/vectors.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ptosim::assembly {
namespace {

// Names in the text that differ from the table's, or have several spellings.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOtherNames{
    {{"pldi", "PLDS"},
     {"psti", "PSTS"},
     {"vbr", "VDUPS"},
     {"vgather2_bc", "VGATHER2"},
     {"pge", "PSET"}}};

// Bytes of the elements that "pset_b16" is about; 0 if it names none.
unsigned width_of_name(std::string_view word) {
    if (word.ends_with("_b8")) return 1;
    if (word.ends_with("_b16")) return 2;
    return word.ends_with("_b32") ? 4 : 0;
}

DType unsigned_type(unsigned width) {
    return width == 1 ? DType::kU8 : width == 2 ? DType::kU16 : DType::kU32;
}

const VectorOperationInfo* row_of(std::string_view word) {
    if (width_of_name(word) != 0) word = word.substr(0, word.rfind('_'));
    for (const auto& [written, row] : kOtherNames)
        if (word == written) return find_vector_operation(row);
    std::string name(word);
    for (char& letter : name)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return name == word ? nullptr : find_vector_operation(name);
}

// Types of an operation's results: written after an arrow, or after the colon if it reads nothing.
std::span<const Type* const> made_types(const Operation& op) {
    return op.result_types.empty() && result_count(op) != 0 ? op.types : op.result_types;
}

}  // namespace

// Values that an operation's text gives, in the order of the text.
struct VectorBinder::Written {
    std::vector<const Value*> values;  // registers and predicates
    std::vector<const Item*> scalars;  // and literals
    const Value* pointer = nullptr;
    const Item* offset = nullptr;
    std::vector<std::string_view> words;
};

VectorBinder::Written VectorBinder::read(const Operation& op) const {
    Written written;
    for (const Clause& clause : op.clauses) {
        if (clause.name == "[") {
            if (!clause.items.empty()) written.offset = &clause.items.front();
            continue;
        }
        if (!clause.name.empty() && clause.name != "(") continue;
        for (const Item& item : clause.items) {
            if (item.kind == Item::Kind::kAttribute &&
                item.attribute->kind == AttributeKind::kString) {
                written.words.push_back(item.attribute->text);
                continue;
            }
            if (item.kind != Item::Kind::kValue) {
                written.scalars.push_back(&item);
                continue;
            }
            const Value& given = value(item);
            switch (given.kind) {
                case ValueKind::kRegister:
                case ValueKind::kPredicate:
                    written.values.push_back(&given);
                    break;
                case ValueKind::kPointer:
                    if (!given.type->space || *given.type->space != Space::kUB)
                        fail(item.location, "K07",
                             "'" + std::string(op.name) + "' works on UB, not on '" +
                                 std::string(given.type->text) + "'");
                    written.pointer = &given;
                    break;
                case ValueKind::kStoreState:
                    break;
                default:
                    written.scalars.push_back(&item);
            }
        }
    }
    for (const std::string_view name : {"dist", "part", "order", "position"})
        if (const Attribute* given = op.attribute(name)) written.words.push_back(given->text);
    return written;
}

VectorMode VectorBinder::mode_of(const Operation& op, const VectorOperationInfo& row,
                                 std::string_view word, DType type) const {
    const std::optional<VectorMode> found = find_vector_mode(word, row.opcode);
    if (!found)
        fail(op, "K09", "'" + std::string(op.name) + "' has no mode \"" + std::string(word) + "\"");
    if (row.opcode == VectorOpcode::kVSTS && *found == VectorMode::kNorm)
        return bits(type) == 8    ? VectorMode::kNormB8
               : bits(type) == 16 ? VectorMode::kNormB16
                                  : VectorMode::kNormB32;
    return *found;
}

void VectorBinder::need_scope(const Operation& op) const {
    if (!in_scope_)
        fail(op, "K11", "'" + std::string(op.name) + "' is only allowed in a vector function",
             "put it into pto.vecscope { ... }");
}

void VectorBinder::define_values(const Operation& op, VectorPlan& plan,
                                 const VectorOperationInfo& row) {
    std::vector<Value> results;
    size_t made = 0;
    for (const Type* type : made_types(op)) {
        Value result = make_value(*type, op);
        if (result.kind == ValueKind::kRegister || result.kind == ValueKind::kPredicate) {
            if (made < row.results()) plan.results[made] = result.slot;
            ++made;
        } else if (row.opcode == VectorOpcode::kPLT) {
            plan.left = result.slot;
        }
        results.push_back(result);
    }
    if (made != row.results())
        fail(op, "K06",
             "'" + std::string(op.name) + "' makes " + std::to_string(row.results()) +
                 " registers and predicates, the text has " + std::to_string(made));
    define_results(op, results);
}

void VectorBinder::add(const Operation& op, VectorPlan plan) {
    Step& step = emit(StepCode::kVectorOperation, op);
    step.index = added(program_.vectors, std::move(plan));
}

// The registers and predicates that the operation reads, without unused ones; the last may be its mask.
std::vector<const Value*> VectorBinder::bind_sources(const Operation& op, const Written& written,
                                                     const VectorOperationInfo& row,
                                                     VectorPlan& plan) const {
    std::vector<const Value*> values = written.values;
    // The register of VUSQZ is unused.
    if (row.opcode == VectorOpcode::kVUSQZ && values.size() == 2) values.erase(values.begin());
    // Nor does the mask of a store of two.
    if (row.opcode == VectorOpcode::kVSTSX2 && values.size() == 3) values.pop_back();
    const bool masked = row.masked() && values.size() > row.sources();
    if (values.size() != row.sources() + (masked ? 1 : 0))
        fail(op, "K06",
             "'" + std::string(op.name) + "' takes " + std::to_string(row.sources()) +
                 " registers and predicates" + (row.masked() ? " and a mask" : "") +
                 ", given are " + std::to_string(values.size()));
    for (unsigned i = 0; i < row.sources(); ++i) {
        const bool wants_register = row.source(i) == VectorValue::kRegister;
        if ((values[i]->kind == ValueKind::kRegister) != wants_register)
            fail(op, "K07",
                 "operand " + std::to_string(i + 1) + " of '" + std::string(op.name) +
                     "' must be a " + (wants_register ? "register" : "predicate"));
        plan.sources[i] = values[i]->slot;
    }
    if (masked) plan.mask = values.back()->slot;
    return values;
}

// The types of its lanes.
void VectorBinder::bind_types(const Operation& op, const VectorOperationInfo& row,
                              std::span<const Value* const> values,
                              VectorOperation& operation) const {
    // The first source register, or else the result, decides the lanes.
    const Type* type = nullptr;
    for (const Value* value : values)
        if (value->kind == ValueKind::kRegister && type == nullptr) type = value->type;
    const Type* made = made_types(op).empty() ? nullptr : made_types(op).front();
    const bool makes_register = made != nullptr && made->kind == TypeKind::kRegister;
    const bool indexed =
        row.opcode == VectorOpcode::kVGATHER2 || row.opcode == VectorOpcode::kVGATHERB;
    if (indexed && !makes_register)
        fail(op, "K06", "'" + std::string(op.name) + "' makes a register, and the text has none");
    if (indexed) {
        operation.to = element_type(*type, op.location);
        operation.type = element_type(*made, op.location);
    } else if (const unsigned width = width_of_name(op.name); width != 0) {
        operation.type = operation.to = unsigned_type(width);
    } else if (type == nullptr && !makes_register) {
        operation.type = operation.to = DType::kU8;  // predicates, bit by bit
    } else {
        operation.type = element_type(type != nullptr ? *type : *made, op.location);
        operation.to = makes_register ? element_type(*made, op.location) : operation.type;
        if (row.opcode == VectorOpcode::kVSCATTER)
            operation.to = element_type(*values[1]->type, op.location);
    }
}

void VectorBinder::bind_address(const Operation& op, const Written& written,
                                const VectorOperationInfo& row, VectorPlan& plan) {
    const VectorOperation& operation = plan.operation;
    if (written.pointer != nullptr) {
        plan.pointer = written.pointer->slot;
        plan.element_bytes =
            static_cast<uint32_t>(bytes(element_type(*written.pointer->type, op.location), 1));
        if (written.offset != nullptr) plan.offset = integer(*written.offset);
    } else if (footprint_of(operation).bytes != 0 || row.opcode == VectorOpcode::kVSTUS) {
        fail(op, "K06", "'" + std::string(op.name) + "' needs an address in UB");
    }
}

void VectorBinder::bind_scalars(const Operation& op, const Written& written,
                                const VectorOperationInfo& row, VectorPlan& plan) {
    VectorOperation& operation = plan.operation;
    size_t next = 0;
    const auto scalar = [&]() -> Slot {
        if (next >= written.scalars.size())
            fail(op, "K06", "'" + std::string(op.name) + "' needs one more number");
        const Item& item = *written.scalars[next++];
        if (item.kind == Item::Kind::kValue) return value_of_kind(item, ValueKind::kScalar).slot;
        return integer(item);
    };
    switch (row.opcode) {
        case VectorOpcode::kVSLDB:
        case VectorOpcode::kVSSTB:
            plan.block_stride = scalar();
            plan.repeat_stride = scalar();
            break;
        case VectorOpcode::kVSTUS:
            plan.scalar = scalar();
            plan.scalar_unit = static_cast<uint32_t>(bytes(operation.type, 1));
            break;
        case VectorOpcode::kVSUNPACK:
        case VectorOpcode::kVZUNPACK: {
            const Slot part = scalar();
            if (!is_constant(part) || constant_value(part) > 1)
                fail(op, "K07", "the half that '" + std::string(op.name) + "' reads is 0 or 1");
            operation.mode = constant_value(part) == 1 ? VectorMode::kHigher : VectorMode::kLower;
            break;
        }
        case VectorOpcode::kPLT:
        case VectorOpcode::kVDUPS:
        case VectorOpcode::kVCI:
        case VectorOpcode::kVADDS:
        case VectorOpcode::kVMULS:
        case VectorOpcode::kVMAXS:
        case VectorOpcode::kVMINS:
        case VectorOpcode::kVSHLS:
        case VectorOpcode::kVSHRS:
        case VectorOpcode::kVLRELU:
        case VectorOpcode::kVAXPY:
        case VectorOpcode::kVCMPS:
            plan.scalar = scalar();
            break;
        default:
            break;
    }
}

void VectorBinder::bind_modes(const Operation& op, const Written& written,
                              const VectorOperationInfo& row, VectorOperation& operation) const {
    static constexpr std::string_view kRounding = "RAFCZOH";  // RoundMode 1 to 7
    std::string_view rounding;
    for (std::string_view given : written.words) {
        if (row.opcode == VectorOpcode::kSPRCLR)
            continue;  // there is but one of its registers here
        if (row.opcode == VectorOpcode::kVTRC)
            rounding = given;
        else
            operation.mode = mode_of(op, row, given, operation.type);
    }
    if (const Attribute* given = op.attribute("rnd")) rounding = given->text;
    if (!rounding.empty()) {
        const size_t at = kRounding.find(rounding);
        if (rounding.size() != 1 || at == kRounding.npos)
            fail(op, "K09", "no rounding is called \"" + std::string(rounding) + "\"",
                 "R, A, F, C, Z, O or H");
        operation.round = static_cast<RoundMode>(at + 1);
    }
    const Attribute* saturation = op.attribute("sat");
    operation.saturation =
        saturation != nullptr && saturation->text == "NOSAT" ? Saturation::kOff : Saturation::kOn;
    if (operation.mode == VectorMode::kNone) {
        if (row.opcode == VectorOpcode::kVLDS || row.opcode == VectorOpcode::kVSTS)
            operation.mode = mode_of(op, row, "NORM", operation.type);
        if (row.opcode == VectorOpcode::kVLDUS) operation.mode = VectorMode::kNorm;
    }
    if (row.opcode == VectorOpcode::kVSTUR && written.words.empty())
        operation.mode = VectorMode::kNone;
}

bool VectorBinder::bind_vector(const Operation& op) {
    const VectorOperationInfo* row = row_of(op.name.substr(op.name.find('.') + 1));
    if (row == nullptr) return false;
    need_scope(op);
    const Written written = read(op);
    // A scalar instead of a register.
    if (row->opcode == VectorOpcode::kVDUP && written.values.size() < 2)
        row = &info(VectorOpcode::kVDUPS);
    VectorPlan plan;
    plan.operation.opcode = row->opcode;
    bind_types(op, *row, bind_sources(op, written, *row, plan), plan.operation);
    bind_address(op, written, *row, plan);
    bind_scalars(op, written, *row, plan);
    bind_modes(op, written, *row, plan.operation);
    define_values(op, plan, *row);
    add(op, std::move(plan));
    return true;
}

void VectorBinder::scope(const Operation& op) {
    if (op.regions.empty()) fail(op, "K11", "'" + std::string(op.name) + "' needs a body");
    if (in_scope_) fail(op, "K11", "a vector function cannot contain another one");
    in_scope_ = true;
    const size_t mark = context_.names.mark();
    try {
        for (const Block& block : op.regions[0].blocks) blocks_.bind_block(block);
    } catch (...) {
        in_scope_ = false;
        throw;
    }
    context_.leave_names(mark);
    in_scope_ = false;
    emit(StepCode::kVectorFunction, op);
}

void VectorBinder::copy(const Operation& op) {
    const bool to_ub = op.name == "pto.mte_gm_ub";
    const std::vector<const Item*> given = operands(op);
    if (given.size() != (to_ub ? 4u : 3u))
        fail(op, "K06",
             to_ub ? "'pto.mte_gm_ub' takes a source, a target, a cache control and a length"
                   : "'pto.mte_ub_gm' takes a source, a target and a length");
    if (op.clause("pad") != nullptr)
        fail(op, "K03", "the clause 'pad' of '" + std::string(op.name) + "' is not supported yet",
             "load whole blocks of 32 bytes");
    CopyPlan plan;
    plan.to_ub = to_ub;
    plan.from = value_of_kind(*given[0], ValueKind::kPointer).slot;
    plan.to = value_of_kind(*given[1], ValueKind::kPointer).slot;
    plan.length = integer(*given.back());
    const auto level = [&](const Clause& clause) {
        if (clause.items.size() != 3)
            fail(clause.location, "K06",
                 "'" + std::string(clause.name) +
                     "' takes a count and the strides of source and target");
        plan.levels.push_back(
            {integer(clause.items[0]), integer(clause.items[1]), integer(clause.items[2])});
    };
    level(clause(op, "nburst"));
    for (const Clause& clause : op.clauses)
        if (clause.name == "loop") level(clause);
    context_.unsectioned_transfer |= context_.section_depth == 0;
    Step& step = emit(StepCode::kCopy, op);
    step.index = added(program_.copies, std::move(plan));
}

// source, target, sid, rows, length, [left and right padding, whether to select,] cache control,
// distances of source and target
void VectorBinder::old_copy(const Operation& op) {
    const bool to_ub = op.name == "pto.copy_gm_to_ubuf";
    const std::vector<const Item*> given = operands(op);
    if (given.size() != (to_ub ? 11u : 8u))
        fail(op, "K06",
             "'" + std::string(op.name) + "' takes " + (to_ub ? "11" : "8") + " operands");
    CopyPlan plan;
    plan.to_ub = to_ub;
    plan.from = value_of_kind(*given[0], ValueKind::kPointer).slot;
    plan.to = value_of_kind(*given[1], ValueKind::kPointer).slot;
    plan.length = integer(*given[4]);
    // For a load the text has the strides of the target last, for a store first.
    const Slot first = integer(*given[given.size() - 2]), last = integer(*given[given.size() - 1]);
    plan.levels.push_back({integer(*given[3]), to_ub ? first : last, to_ub ? last : first});
    context_.unsectioned_transfer |= context_.section_depth == 0;
    Step& step = emit(StepCode::kCopy, op);
    step.index = added(program_.copies, std::move(plan));
}

// Accepts loops of one iteration around copies, because every copy does that.
void VectorBinder::copy_loops(const Operation& op) {
    if (op.name.find("loop_size") == op.name.npos) return;
    for (const Item* item : operands(op)) {
        const Slot count = integer(*item);
        if (!is_constant(count) || constant_value(count) != 1)
            fail(op, "K03",
                 "'" + std::string(op.name) + "' with more than one iteration is not supported yet",
                 "write the loop as loop(...) of pto.mte_gm_ub or pto.mte_ub_gm");
    }
}

void VectorBinder::barrier(const Operation& op) {
    need_scope(op);
    VectorPlan plan;
    plan.operation.opcode = VectorOpcode::kMEM_BAR;
    plan.operation.mode = VectorMode::kOtherBarrier;
    for (const std::string_view word : read(op).words)
        plan.operation.mode =
            find_vector_mode(word, plan.operation.opcode).value_or(plan.operation.mode);
    add(op, std::move(plan));
}

void VectorBinder::store_state(const Operation& op) {
    std::vector<Value> results;
    for (const Type* type : made_types(op)) results.push_back(make_value(*type, op));
    define_results(op, results);
}

void VectorBinder::bitcast(const Operation& op) {
    Value result = value(operand(op, 0));
    if (result.kind != ValueKind::kRegister && result.kind != ValueKind::kPredicate)
        fail(op, "K07", "'" + std::string(op.name) + "' takes a register or a predicate");
    result.type = &result_type(op);
    if (make_kind(*result.type) != result.kind)
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not make '" + std::string(result.type->text) +
                 "' of it");
    define(op, 0, result);
}

}  // namespace ptosim::assembly
