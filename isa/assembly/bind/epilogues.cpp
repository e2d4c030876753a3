// Processing by the fixpipe of accumulators that are pushed into a FIFO: acc_push_epilogue, and its scales from
// set_quant_scalar and set_quant_vector (hw-native-sys/PTOAS v0.60, include/PTO/IR/PTOAttrs.td and the verifiers of the
// pipe operations).
#include "isa/assembly/bind/epilogues.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

namespace {

enum class Scale : uint8_t { kNone, kScalar, kVector };
enum class From : uint8_t { kAny, kF32, kI32 };

// `results`: as the text writes them, with the signs of 8-bit integers.
struct Mode {
    std::string_view name;
    From from;
    Scale scale;
    std::string_view results;
};
constexpr Mode kModes[] = {
    {"no_convert", From::kAny, Scale::kNone, ""},
    {"f32_f16", From::kF32, Scale::kNone, "f16"},
    {"f32_bf16", From::kF32, Scale::kNone, "bf16"},
    {"req8_scalar", From::kI32, Scale::kScalar, "si8 ui8"},
    {"req8_vec", From::kI32, Scale::kVector, "si8"},
    {"deqf16_scalar", From::kI32, Scale::kScalar, "f16"},
    {"deqf16_vec", From::kI32, Scale::kVector, "f16"},
    {"qf322b8_pre_scalar", From::kF32, Scale::kScalar, "si8 ui8"},
    {"qf322b8_pre_vec", From::kF32, Scale::kVector, "si8"},
    {"qf322f16_pre_scalar", From::kF32, Scale::kScalar, "f16"},
    {"qf322bf16_pre_scalar", From::kF32, Scale::kScalar, "bf16"},
    {"qs322bf16_pre_scalar", From::kI32, Scale::kScalar, "bf16"},
    {"qs322bf16_pre_vec", From::kI32, Scale::kVector, "bf16"},
    {"qf322hif8_pre_scalar", From::kF32, Scale::kScalar, "!pto.hif8"},
    {"qf322fp8_pre_scalar", From::kF32, Scale::kScalar, "f8E4M3FN"},
};

const Mode* mode_of(std::string_view name) {
    for (const Mode& mode : kModes)
        if (mode.name == name) return &mode;
    return nullptr;
}

// "a = b, c = d": the word after `key =`, or nothing.
std::string_view field(std::string_view text, std::string_view key) {
    for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
        size_t value = text.find_first_not_of(" \t\r\n", at + key.size());
        if (value == text.npos || text[value] != '=') continue;
        value = text.find_first_not_of(" \t\r\n", value + 1);
        if (value == text.npos) return {};
        return text.substr(value, text.find_first_of(" ,\t\r\n", value) - value);
    }
    return {};
}

// The element type of a tile as written: that of "loc=vec, dtype=si8, ..." or "vec, 16x32xsi8".
std::string_view written_element(std::string_view text) {
    if (const std::string_view keyed = field(text, "dtype"); !keyed.empty()) return keyed;
    const size_t shape = text.find_first_of("0123456789");
    if (shape == text.npos) return {};
    size_t at = text.find('x', shape);
    if (at != text.npos) at = text.find('x', at + 1);
    if (at == text.npos) return {};
    return text.substr(at + 1, text.find_first_of(",> ", at + 1) - at - 1);
}

bool lists(std::string_view words, std::string_view word) {
    for (size_t at = 0; at < words.size();) {
        const size_t end = std::min(words.find(' ', at), words.size());
        if (words.substr(at, end - at) == word) return true;
        at = end + 1;
    }
    return false;
}

std::string_view layout_of(const Tile& tile) {
    if (tile.boxed()) return "nz2nz";
    return tile.outer == OuterLayout::kRowMajor ? "nz2nd" : "nz2dn";
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

// The attributes that an initialisation may carry.
void EpilogueBinder::check_pipe_attributes(const Operation& op) {
    static constexpr std::string_view kKeys[] = {
        "id",      "dir_mask",  "slot_size", "slot_num",         "local_slot_num",
        "nosplit", "flag_base", "split",     "acc_push_epilogue"};
    const std::vector<std::string_view> accepted(std::begin(kKeys), std::end(kKeys));
    const auto check = [&](std::span<const NamedAttribute> attributes) {
        for (const NamedAttribute& entry : attributes) {
            const bool inert = entry.name.find('.') != entry.name.npos ||
                               entry.name == "operandSegmentSizes" || entry.name.starts_with("__");
            if (inert || std::find(accepted.begin(), accepted.end(), entry.name) != accepted.end())
                continue;
            const std::string near = closest(entry.name, accepted);
            fail(entry.location, "K09",
                 quoted(op.name) + " has no attribute " + quoted(entry.name) + " here",
                 near.empty() ? "" : "did you mean '" + near + "'?");
        }
    };
    check(op.attributes);
    for (const Clause& clause : op.clauses) check(clause.attributes);
}

std::optional<EpilogueBinder::Epilogue> EpilogueBinder::epilogue_of(const Operation& op) {
    const Attribute* attribute = op.attribute("acc_push_epilogue");
    if (attribute == nullptr) return std::nullopt;
    Epilogue epilogue;
    epilogue.layout = field(attribute->text, "layout");
    epilogue.quant = field(attribute->text, "quant");
    epilogue.relu = field(attribute->text, "relu");
    if (mode_of(epilogue.quant) == nullptr) {
        std::string names;
        for (const Mode& mode : kModes)
            names += (names.empty() ? "" : " ") + std::string(mode.name);
        fail(attribute->location, "K09",
             quoted(epilogue.quant) + " is not a value of 'quant' in acc_push_epilogue",
             "values are " + names);
    }
    if (!lists("nz2nd nz2dn nz2nz", epilogue.layout))
        fail(attribute->location, "K09",
             quoted(epilogue.layout) + " is not a value of 'layout' in acc_push_epilogue",
             "values are nz2nd nz2dn nz2nz");
    if (!lists("no_relu normal_relu", epilogue.relu))
        fail(attribute->location, "K09",
             quoted(epilogue.relu) + " is not a value of 'relu' in acc_push_epilogue",
             "values are no_relu normal_relu");
    if (integer_attribute(op, "dir_mask") != 1)
        fail(attribute->location, "K09",
             "an acc_push_epilogue is only for a pipe from the cube core to the vector cores",
             "write dir_mask = 1");
    return epilogue;
}

// Notes an end of a pipe with its id, to be compared with the other when all is bound.
void EpilogueBinder::note_pipe_end(const Operation& op, CoreType core, int64_t id,
                                   const FifoRequest& request) {
    PipeEnd& end = pipe_ends_[{core, id}];
    end.op = &op;
    end.epilogue = epilogue_of(op);
    end.slot_bytes = request.slot_bytes;
    end.refused = context_.refused;
    if (!end.epilogue) return;
    const bool traced =
        std::any_of(context_.reserved.begin(), context_.reserved.end(),
                    [&](const auto& entry) { return entry.second.address == request.to_vector; });
    if (!traced)
        fail(
            op, "K08",
            "the c2v_consumer_buf of a pipe with an acc_push_epilogue must be reserved or imported "
            "by name",
            "take it from pto.reserve_buffer or pto.import_reserved_buffer");
}

// set_quant_scalar(%s : f32) {id = 0}, set_quant_vector(%t : T) {id = 0}; without an id the
// operation is the instruction that sets the register of moves.
void EpilogueBinder::set_quant(const Operation& op) {
    if (op.attribute("id") == nullptr)
        return instructions_.bind_instruction(op, *find_instruction(op.name.substr(4)));
    for (const NamedAttribute& entry : op.attributes)
        if (entry.name != "id")
            fail(entry.location, "K09",
                 quoted(op.name) + " has no attribute " + quoted(entry.name) + " here",
                 "it has id");
    const bool vector = op.name == "pto.set_quant_vector";
    const Clause& list = clause(op, "(");
    const Item& item = only_item(op, list);
    const Value& scale = value_of_kind(item, vector ? ValueKind::kTile : ValueKind::kScalar);
    if (vector && tile_of(*scale.type, op).space != Space::kFixpipe)
        fail(item.location, "K07", "the scales of 'pto.set_quant_vector' must lie in scaling");
    const int64_t id = integer_attribute(op, "id");
    listener().on_scale(op, item, scale, scaled_pipe(id, vector));
    QuantState& state = quant_states_[id];
    state.refused = context_.refused;
    state.vector = vector;
    state.block = context_.block_number;
    state.plan = operand_plan(item);
}

// The pipe that a scale is set for.
ScaledPipe EpilogueBinder::scaled_pipe(int64_t id, bool vector) const {
    ScaledPipe pipe;
    pipe.id = id;
    const auto found = pipe_ends_.find({CoreType::kAIC, id});
    if (found == pipe_ends_.end() || found->second.refused) return pipe;
    pipe.is_open = true;
    if (!found->second.epilogue) return pipe;
    pipe.quant = found->second.epilogue->quant;
    pipe.takes_scale = mode_of(*pipe.quant)->scale == (vector ? Scale::kVector : Scale::kScalar);
    return pipe;
}

// Checks the requirements of a push into a pipe with an epilogue; fills the plan's scale.
void EpilogueBinder::check_push(const Operation& op, const Value& entry, FifoPlan& plan) {
    const int64_t id = integer_attribute(op, "id", 0);
    const auto found = pipe_ends_.find({CoreType::kAIC, id});
    if (found == pipe_ends_.end() || !found->second.epilogue) return;
    const Mode& mode = *mode_of(found->second.epilogue->quant);
    check_split(op, plan);
    if (entry.kind != ValueKind::kTile) return;
    const Tile tile = tile_of(*entry.type, op);
    const bool fits =
        tile.space == Space::kL0C &&
        (mode.from == From::kAny   ? tile.dtype == DType::kF32 || tile.dtype == DType::kI32
         : mode.from == From::kF32 ? tile.dtype == DType::kF32
                                   : tile.dtype == DType::kI32);
    if (!fits)
        fail(op, "T04",
             "a push with quant = " + std::string(mode.name) + " takes accumulators of " +
                 (mode.from == From::kAny   ? "f32 or i32"
                  : mode.from == From::kF32 ? "f32"
                                            : "i32") +
                 ", not '" + std::string(entry.type->text) + "'");
    found->second.pushed.push_back({entry.type, &op});
    if (mode.scale == Scale::kNone) return;
    const bool vector = mode.scale == Scale::kVector;
    const auto state = quant_states_.find(id);
    const bool set = state != quant_states_.end() && state->second.vector == vector &&
                     state->second.block == context_.block_number;
    const auto missing = [&] {
        return failure_of(op, "K11",
                          "a push with quant = " + std::string(mode.name) +
                              " needs a scale, and no " +
                              (vector ? "pto.set_quant_vector" : "pto.set_quant_scalar") +
                              " with id = " + std::to_string(id) +
                              " must precede it in the same block");
    };
    if (!set) throw missing();
    if (state->second.refused) listener().on_missing(missing().diagnostic);
    plan.scale = state->second.plan;
}

void EpilogueBinder::check_pop(const Operation& op, const Value& result, const FifoPlan& plan) {
    const int64_t id = integer_attribute(op, "id", 0);
    const auto found = pipe_ends_.find({CoreType::kAIV, id});
    if (found == pipe_ends_.end() || !found->second.epilogue) return;
    check_split(op, plan);
    if (result.kind == ValueKind::kTile) found->second.popped.push_back({result.type, &op});
}

void EpilogueBinder::check_split(const Operation& op, const FifoPlan& plan) {
    if (plan.split == FifoSplit::kNone) return;
    fail(op, "K09", quoted(op.name) + " cannot split the slots of a pipe with an acc_push_epilogue",
         "write split = 0");
}

// Both ends of a pipe agree on what comes out of it.
void EpilogueBinder::check_ends() {
    for (auto& [key, end] : pipe_ends_) {
        if (end.op == nullptr) continue;
        const bool cube = key.first == CoreType::kAIC;
        const auto peer_name = ends_.peer_id(key.first, key.second);
        const auto peer =
            peer_name ? pipe_ends_.find({cube ? CoreType::kAIV : CoreType::kAIC, *peer_name})
                      : pipe_ends_.end();
        const bool has_peer = peer != pipe_ends_.end() && peer->second.op != nullptr;
        try {
            if (end.epilogue) {
                if (!has_peer)
                    fail(*end.op, "K08",
                         "no function of this kernel initialises the other end of the pipe with "
                         "id " +
                             std::to_string(key.second),
                         "initialise both ends of a pipe with an acc_push_epilogue");
                check_peer(end, peer->second);
                if (!cube) check_consumer(key.second, end, peer->second, *peer_name);
            }
        } catch (Failure& failure) {
            report(std::move(failure.diagnostic));
        }
    }
}

void EpilogueBinder::check_peer(const PipeEnd& end, const PipeEnd& peer) {
    if (!peer.epilogue)
        fail(*end.op, "K09", "the other end of this pipe has no acc_push_epilogue",
             "give both ends of the pipe the same");
    const auto same = [&](const char* what, std::string_view a, std::string_view b) {
        if (a != b)
            fail(*end.op, "K09",
                 "the other end of this pipe has " + std::string(what) + " = " + std::string(b) +
                     " in its acc_push_epilogue, not " + std::string(a));
    };
    same("layout", end.epilogue->layout, peer.epilogue->layout);
    same("quant", end.epilogue->quant, peer.epilogue->quant);
    same("relu", end.epilogue->relu, peer.epilogue->relu);
}

// A popped tile has the type, layout and size that the epilogue makes.
void EpilogueBinder::check_consumer(int64_t id, const PipeEnd& consumer, const PipeEnd& producer,
                                    int64_t producer_id) {
    if (consumer.popped.empty()) return listener().on_unpopped(*consumer.op, id);
    const Mode& mode = *mode_of(consumer.epilogue->quant);
    const auto [type, first] = consumer.popped[0];
    for (const auto& [other, op] : consumer.popped)
        if (other->text != type->text)
            fail(*op, "K07",
                 "all pops from the pipe with id " + std::to_string(id) + " must give one type: '" +
                     std::string(type->text) + "' before, '" + std::string(other->text) + "' here");
    const Tile tile = tile_of(*type, *first);
    const std::string_view element = written_element(type->text);
    if (mode.from != From::kAny && !lists(mode.results, element))
        fail(*first, "K07",
             "quant = " + std::string(mode.name) + " gives " + std::string(mode.results) +
                 ", not " + std::string(element));
    for (const auto& [pushed, op] : producer.pushed)
        if (mode.from == From::kAny && pushed->dtype != type->dtype)
            fail(*op, "K07",
                 "quant = no_convert keeps the type: pushed is '" + std::string(pushed->text) +
                     "', popped '" + std::string(type->text) + "'");
    if (layout_of(tile) != consumer.epilogue->layout)
        fail(*first, "L03",
             "layout = " + std::string(consumer.epilogue->layout) + " does not give '" +
                 std::string(type->text) + "'");
    const auto bytes = static_cast<int64_t>(tile.byte_size());
    for (const PipeEnd* end : {&consumer, &producer})
        if (end->slot_bytes < bytes)
            fail(*end->op, "F01",
                 "a tile of " + std::to_string(bytes) + " bytes does not fit into a FIFO slot of " +
                     std::to_string(end->slot_bytes) + " bytes",
                 "give the FIFO larger slots (slot_size)");
    // The producer must write the type that the consumer reads.
    const auto producing = ends_.by_id.find({CoreType::kAIC, producer_id});
    if (producing == ends_.by_id.end() || !producing->second[0]) return;
    FifoEpilogue& made = program_.fifo_ends[*producing->second[0]].shape.epilogue;
    made.present = true;
    made.dtype = tile.dtype;
    made.outer = tile.outer;
    made.inner = tile.inner;
    made.relu = consumer.epilogue->relu == "normal_relu" ? ReluMode::kNormal : ReluMode::kNone;
}

}  // namespace ptosim::assembly
