// FIFOs between the cores of a cluster: their buffers and their ends.
#pragma once

#include <array>
#include <map>
#include <set>

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class EpilogueBinder;

// The request that initialises a pair of ends.
struct FifoRequest {
    int64_t directions = 0, slot_bytes = 0, slots = 0, local_slots = 0;
    Slot ring = kNoSlot, to_vector = kNoSlot, to_cube = kNoSlot;
};

// The ends of a kernel's pipes, by core and by the id that the core calls the pipe.
struct FifoEnds {
    using Key = std::pair<CoreType, int64_t>;

    std::map<Key, std::array<std::optional<uint32_t>, 2>> by_id;  // FifoEnds: see direction_of
    std::map<Key, int64_t> pipe_names;           // the two ends of a pipe have one name
    std::map<uint32_t, const Type*> ring_types;  // by FifoEnd; where the ring is a view
    std::map<uint32_t, bool> nosplit;            // by FifoEnd
    std::set<uint32_t> refused;                  // by the listener

    // Index, among the two ends of a pipe with an id, of the end with tiles from `producer`.
    static constexpr size_t direction_of(CoreType producer) {
        return producer == CoreType::kAIC ? 0 : 1;
    }
    // The id by which the other core calls the pipe that `core` calls `id`.
    std::optional<int64_t> peer_id(CoreType core, int64_t id) const;
};

class FifoBinder : public BinderPart {
 public:
    FifoBinder(BindContext& context, FifoEnds& ends, EpilogueBinder& epilogues)
        : BinderPart{context}, ends_{ends}, epilogues_{epilogues} {}

    void reserve_buffer(const Operation& op);
    void import_buffer(const Operation& op);
    void initialise_pipe(const Operation& op);
    void initialise_low_pipe(const Operation& op);

    void emit_fifo(const Operation& op, FifoPlan plan);
    CoreType current_core(const Operation& op) const;
    std::span<const BufferUse> buffer_uses() const { return buffer_uses_; }
    // Called when everything is bound.
    void check_reserved();
    // True if there are FIFOs, and none of them splits its slots between the two vector cores.
    bool never_splits() const { return used_ && !split_; }

 private:
    ReservedBuffer& reserved(std::string_view function, std::string_view name);
    bool is_reserved(Slot buffer) const;
    int64_t name_of_pipe(const Operation& op, CoreType core, int64_t id,
                         const FifoRequest& request);
    void note_buffer_use(const Operation& op, CoreType core, const FifoRequest& request,
                         std::optional<int64_t> name);
    int64_t flags_of_pipe(int64_t id, int64_t count);
    uint32_t open_fifo(const Operation& op, CoreType producer, const FifoRequest& request,
                       uint8_t flag);

    FifoEnds& ends_;
    EpilogueBinder& epilogues_;
    std::map<CoreType, uint8_t> next_flag_;
    std::vector<BufferUse> buffer_uses_;
    std::map<int64_t, int64_t> pipe_flags_;  // the first flag of a pipe, by its name
    bool used_ = false, split_ = false;
};

}  // namespace ptosim::assembly
