#include "isa/assembly/bind/fifos.h"

#include <algorithm>

#include "isa/assembly/bind/epilogues.h"
#include "isa/composite/fifo.h"
#include "isa/core/arch.h"

namespace ptosim::assembly {

namespace {

constexpr int64_t kMostFlags = 11;  // those from 11 up are reserved

constexpr int64_t kToVector = 1, kToCube = 2;  // dir_mask
// hw-native-sys/PTOAS lib/PTO/Transforms/PTOLowerFrontendPipeOpsPass.cpp.
constexpr int64_t kSlotsOfOne = 8, kSlotsOfTwo = 4;
constexpr int64_t kMostSlots = 1 << 16, kMostBytes = 1 << 30;
constexpr const char* kPossibleSizes =
    "slots must be in 1..65536, their bytes in 1..1073741824, local slots in 1..slots";

}  // namespace

// The id by which the other core calls the pipe that `core` calls `id`.
std::optional<int64_t> FifoEnds::peer_id(CoreType core, int64_t id) const {
    const auto own = pipe_names.find({core, id});
    if (own == pipe_names.end()) return std::nullopt;
    for (const auto& [key, name] : pipe_names)
        if (key.first != core && name == own->second) return key.second;
    return std::nullopt;
}

// ---- buffers of consumers ---------------------------------------------------------------------

ReservedBuffer& FifoBinder::reserved(std::string_view function, std::string_view name) {
    ReservedBuffer& buffer = context_.reserved[std::string(function) + "/" + std::string(name)];
    if (buffer.address == kNoSlot) buffer.address = new_scalar();
    return buffer;
}

// %a = reserve_buffer {name = "x", size = 8192, location = #pto.address_space<vec>, auto = true} ->
// i32
void FifoBinder::reserve_buffer(const Operation& op) {
    const Attribute* name = op.attribute("name");
    const Attribute* location = op.attribute("location");
    if (name == nullptr || location == nullptr)
        fail(op, "K09", "'pto.reserve_buffer' needs a name and a location");
    const auto space = parse_location(location->text);
    if (!space || (*space != Space::kUB && *space != Space::kL1))
        fail(
            location->location, "K09",
            "a buffer can be reserved in vec or mat, not in '" + std::string(location->text) + "'");
    const int64_t size = integer_attribute(op, "size");
    if (size < 1 || size > kMostBytes)
        fail(op, "K09", "a buffer of " + std::to_string(size) + " bytes cannot be reserved");
    const Attribute* automatic = op.attribute("auto");
    const bool planned = automatic != nullptr && automatic->integer != 0;
    if (planned && op.attribute("base") != nullptr)
        fail(op, "K09", "a 'base' is given, but the buffer is to get its address automatically",
             "write auto = false, or no base");
    const int64_t base = planned ? 0 : integer_attribute(op, "base");
    if (base < 0 || base > UINT32_MAX)
        fail(op, "K09", "'base' is not an address: it must lie in 0..4294967295");
    ReservedBuffer& buffer = reserved(context_.call_stack.back(), name->text);
    buffer.bytes = static_cast<uint64_t>(size);
    buffer.space = *space;
    buffer.planned = planned;
    buffer.defined = true;
    buffer.where = op.location;
    buffer.operation = &op;
    program_.scalars[buffer.address] = static_cast<uint64_t>(base);
    define(op, 0, Value::of(ValueKind::kScalar, builtin_type("i32"), buffer.address));
}

// %a = import_reserved_buffer {name = "x", peer_func = @f} -> i32: the address that f reserves.
void FifoBinder::import_buffer(const Operation& op) {
    const Attribute* name = op.attribute("name");
    const Attribute* peer = op.attribute("peer_func");
    if (name == nullptr || peer == nullptr)
        fail(op, "K09", "'pto.import_reserved_buffer' needs a name and a peer_func");
    const auto found = context_.functions.find(peer->text);
    if (found == context_.functions.end())
        fail(peer->location, "K08", "unknown function '" + std::string(peer->text) + "'");
    listener().on_import(*peer, found->second);
    ReservedBuffer& buffer = reserved(peer->text, name->text);
    if (!buffer.defined) buffer.where = op.location;
    define(op, 0, Value::of(ValueKind::kScalar, builtin_type("i32"), buffer.address));
}

// Buffers without an address live all the time.
void FifoBinder::check_reserved() {
    for (auto& [name, buffer] : context_.reserved)
        if (!buffer.defined && options_.launch)
            report(diagnostic_at(buffer.where, "K08",
                                 "the buffer '" + name.substr(name.find('/') + 1) +
                                     "' is reserved by a function that is not part of this kernel",
                                 "launch both functions: --entry CUBE+VECTOR"));
}

// ---- ends -------------------------------------------------------------------------------------

CoreType FifoBinder::current_core(const Operation& op) const {
    if (context_.section_core) return *context_.section_core;
    if (op.name == "pto.aic_initialize_pipe") return CoreType::kAIC;
    return CoreType::kAIV;
}

uint32_t FifoBinder::open_fifo(const Operation& op, CoreType producer, const FifoRequest& request,
                               uint8_t flag) {
    FifoEnd end;
    end.where = op.location;
    end.shape.producer = producer;
    end.shape.on_chip = request.ring == kNoSlot;
    end.shape.slot_bytes = static_cast<uint32_t>(request.slot_bytes);
    end.shape.slots = static_cast<uint32_t>(request.slots);
    end.shape.local_slots = static_cast<uint32_t>(request.local_slots);
    end.shape.flag = flag;
    end.ring = request.ring;
    // Two rings in one buffer: that of the cube core first.
    if (request.directions == (kToVector | kToCube) && producer == CoreType::kAIV)
        end.ring_offset = static_cast<uint64_t>(request.slots * request.slot_bytes);
    end.consumer_address = producer == CoreType::kAIC ? request.to_vector : request.to_cube;
    FifoPlan plan;
    plan.action = FifoAction::kOpen;
    plan.end = added(program_.fifo_ends, end);
    if (context_.refused) ends_.refused.insert(plan.end);
    emit_fifo(op, plan);
    return plan.end;
}

void FifoBinder::emit_fifo(const Operation& op, FifoPlan plan) {
    used_ = true;
    split_ |= plan.split != FifoSplit::kNone || plan.subblock != kNoSlot;
    emit(StepCode::kFifo, op).index = added(program_.fifos, plan);
}

// The two ends of a pipe are the two that name the same reserved buffer; their ids may differ. A pipe without such a
// buffer is named by its id.
int64_t FifoBinder::name_of_pipe(const Operation& op, CoreType core, int64_t id,
                                 const FifoRequest& request) {
    int64_t name = id;
    const auto meet = [&](int64_t direction, Slot buffer) {
        if ((request.directions & direction) == 0 || !is_reserved(buffer)) return;
        for (const BufferUse& use : buffer_uses_)
            if (use.buffer == buffer && use.core != core && use.name) name = *use.name;
    };
    meet(kToVector, request.to_vector);
    meet(kToCube, request.to_cube);
    note_buffer_use(op, core, request, name);
    ends_.pipe_names[{core, id}] = name;
    return name;
}

bool FifoBinder::is_reserved(Slot buffer) const {
    return buffer != kNoSlot &&
           std::any_of(context_.reserved.begin(), context_.reserved.end(),
                       [&](const auto& entry) { return entry.second.address == buffer; });
}

void FifoBinder::note_buffer_use(const Operation& op, CoreType core, const FifoRequest& request,
                                 std::optional<int64_t> name) {
    std::vector<Slot> buffers;
    if ((request.directions & kToVector) != 0) buffers.push_back(request.to_vector);
    if ((request.directions & kToCube) != 0 && request.to_cube != request.to_vector)
        buffers.push_back(request.to_cube);
    for (const Slot buffer : buffers)
        if (is_reserved(buffer))
            buffer_uses_.push_back({&op, core, buffer, request.directions, name});
}

// Both ends of a pipe get the same flags. Small ids have fixed flags, independent of the order; others get the
// remaining ones.
int64_t FifoBinder::flags_of_pipe(int64_t id, int64_t count) {
    const auto [at, added] = pipe_flags_.try_emplace(id, id * count);
    if (!added || at->second + count <= kMostFlags) return at->second;
    int64_t next = 0;
    for (const auto& [other, flag] : pipe_flags_)
        if (other != id) next = std::max(next, flag + count);
    return at->second = next;
}

// aic_initialize_pipe {id, dir_mask, slot_size, slot_num, ...}
//     (gm_slot_buffer = %p : T, c2v_consumer_buf = %a : i32, v2c_consumer_buf = %b : i32)
void FifoBinder::initialise_pipe(const Operation& op) {
    epilogues_.check_pipe_attributes(op);
    FifoRequest request;
    request.directions = integer_attribute(op, "dir_mask");
    request.slot_bytes = integer_attribute(op, "slot_size");
    if (request.directions < 1 || request.directions > 3)
        fail(op, "K09", "'dir_mask' must be 1 (cube to vector), 2 (vector to cube) or 3 (both)");
    const bool both = request.directions == (kToVector | kToCube);
    request.slots = integer_attribute(op, "slot_num", both ? kSlotsOfTwo : kSlotsOfOne);
    request.local_slots = integer_attribute(op, "local_slot_num", request.slots);
    if (request.slot_bytes < 1 || request.slot_bytes > kMostBytes || request.slots < 1 ||
        request.slots > kMostSlots || request.local_slots < 1 ||
        request.local_slots > request.slots)
        fail(op, "K09",
             "a pipe of " + std::to_string(request.slots) + " slots of " +
                 std::to_string(request.slot_bytes) + " bytes, " +
                 std::to_string(request.local_slots) + " of them local, is not possible",
             kPossibleSizes);
    const auto named = [&](std::string_view name) -> const Item* {
        const Clause* clause = op.clause(name);
        return clause == nullptr ? nullptr : &only_item(op, *clause);
    };
    if (const Item* item = named("c2v_consumer_buf")) request.to_vector = integer(*item);
    if (const Item* item = named("v2c_consumer_buf")) request.to_cube = integer(*item);
    const Item* buffer = named("gm_slot_buffer");
    const Item* tensor = named("gm_slot_tensor");
    // On architectures with on-chip FIFOs the ring is on chip as well, even if a file for both architectures passes a
    // buffer in global memory.
    if (tensor != nullptr) {
        request.ring = new_scalar();
        Step& step = emit(StepCode::kViewAddress, op);
        step.r = request.ring;
        step.a = value_of_kind(*tensor, ValueKind::kView).slot;
    } else if (!traits_of(options_.arch).fifos_on_chip) {
        if (buffer == nullptr)
            fail(op, "K06", "'" + std::string(op.name) + "' needs a gm_slot_buffer on a2a3",
                 "on a2a3, slots are in global memory");
        request.ring = value_of_kind(*buffer, ValueKind::kPointer).slot;
    }
    const CoreType core = op.name == "pto.aic_initialize_pipe" ? CoreType::kAIC : CoreType::kAIV;
    if (context_.section_core && *context_.section_core != core)
        fail(op, "K11", "'" + std::string(op.name) + "' is in code for the other core type");
    // The numbers of flags follow the ids: both cores must come to the same.
    const int64_t id = integer_attribute(op, "id", 0);
    constexpr int64_t kFlagsOfPipe = 2;
    listener().on_pipe(op);
    const int64_t pipe = name_of_pipe(op, core, id, request);
    const int64_t flag = flags_of_pipe(pipe, both ? 2 * kFlagsOfPipe : kFlagsOfPipe);
    if (id < 0 || flag + request.directions >= kMostFlags + 1)
        fail(op, "K09",
             "too few flags between cores for a pipe with id " + std::to_string(id));
    listener().on_pipe_with_flags(op);
    epilogues_.note_pipe_end(op, core, id, request);
    auto& ends = ends_.by_id[{core, id}];
    if ((request.directions & kToVector) != 0)
        ends[0] = open_fifo(op, CoreType::kAIC, request, static_cast<uint8_t>(flag));
    if ((request.directions & kToCube) != 0)
        ends[1] = open_fifo(op, CoreType::kAIV, request,
                            static_cast<uint8_t>(both ? flag + kFlagsOfPipe : flag));
    if (const Attribute* nosplit = op.attribute("nosplit"))
        for (const auto& end : ends)
            if (end) ends_.nosplit[*end] = nosplit->integer != 0;
}

// %pipe = initialize_l2g2l_pipe {dir_mask, slot_size, slot_num, ...}(%ring, %local, %peer : ...)
// %pipe = initialize_l2l_pipe {...}(%local, %peer : ...)
void FifoBinder::initialise_low_pipe(const Operation& op) {
    FifoRequest request;
    const bool global = op.name == "pto.initialize_l2g2l_pipe";
    request.directions = integer_attribute(op, "dir_mask");
    request.slot_bytes = integer_attribute(op, "slot_size");
    request.slots = integer_attribute(op, "slot_num");
    request.local_slots = integer_attribute(op, "local_slot_num", request.slots);
    if (request.directions < 1 || request.directions > 3)
        fail(op, "K09", "'dir_mask' must be 1 (cube to vector), 2 (vector to cube) or 3 (both)");
    if (request.slot_bytes < 1 || request.slot_bytes > kMostBytes || request.slots < 1 ||
        request.slots > kMostSlots || request.local_slots < 1 ||
        request.local_slots > request.slots)
        fail(op, "K09",
             "a pipe of " + std::to_string(request.slots) + " slots of " +
                 std::to_string(request.slot_bytes) + " bytes, " +
                 std::to_string(request.local_slots) + " of them local, is not possible",
             kPossibleSizes);
    const std::vector<const Item*> given = given_to(op);
    const size_t first = global ? 1 : 0;
    if (given.empty() || given.size() > first + 2)
        fail(op, "K06",
             "'" + std::string(op.name) + "' takes " +
                 (global ? "a ring in global memory and " : "") + "the address of its slots");
    if (global) {
        const Value& ring = value(*given[0]);
        if (ring.kind == ValueKind::kView) {
            request.ring = new_scalar();
            Step& step = emit(StepCode::kViewAddress, op);
            step.r = request.ring;
            step.a = ring.slot;
        } else {
            request.ring = value_of_kind(*given[0], ValueKind::kPointer).slot;
        }
    }
    const bool both = request.directions == (kToVector | kToCube);
    if (given.size() > first) {
        const Slot local = integer(*given[first]);
        request.to_vector = request.to_cube = local;
    }
    if (both && given.size() > first + 1) request.to_cube = integer(*given[first + 1]);
    const CoreType core = current_core(op);
    const bool has_flags = op.attribute("flag_base") != nullptr;
    if (context_.section_core && !has_flags) note_buffer_use(op, core, request, std::nullopt);
    uint8_t& next = next_flag_[core];
    const auto flag = static_cast<uint8_t>(integer_attribute(op, "flag_base", next));
    next = static_cast<uint8_t>(flag + (both ? 4 : 2));
    listener().on_low_pipe(op, request.to_vector, next);
    Value pipe;
    pipe.kind = ValueKind::kFifo;
    pipe.type = &result_type(op);
    pipe.count = both ? 2 : 1;
    const CoreType producer =
        (request.directions & kToVector) != 0 ? CoreType::kAIC : CoreType::kAIV;
    pipe.slot = open_fifo(op, producer, request, flag);
    if (global && value(*given[0]).kind == ValueKind::kView)
        ends_.ring_types[pipe.slot] = value(*given[0]).type;
    if (both) open_fifo(op, CoreType::kAIV, request, static_cast<uint8_t>(flag + 2));
    define(op, 0, pipe);
}

}  // namespace ptosim::assembly
