// What the scalar unit of a core executes itself, and its accesses of memory.
#include "sim/core/core.h"

#include <cstring>

#include "isa/print_text.h"
#include "sim/core/scalar_atomic.h"

namespace ptosim {

// What the scalar unit executes itself: it is issued, starts and completes without a queue.
void Core::execute_scalar(const Instruction& instruction) {
    InstructionEvent event;
    event.core = id_;
    event.sequence = next_sequence_++;
    event.instruction = &instruction;
    event.time = event.issued = event.started = event.pipe_free = event_queue_.now();
    if (!observers_.nobody_follows()) observers_.tell_followers(&Observer::on_issue, event);
    switch (instruction.opcode) {
        case Opcode::kPIPE_BARRIER:
            scalar_barrier(instruction, event.sequence);
            break;
        case Opcode::kWAIT_FLAG:
            scalar_wait_flag(instruction, event.sequence);
            break;
        case Opcode::kSET_FLAG:
            set_flag(instruction, event.sequence);
            break;
        case Opcode::kCROSS_WAIT:
        case Opcode::kINTRA_WAIT:
            scalar_wait_cross(instruction, event.sequence);
            break;
        case Opcode::kGET_BUF:
        case Opcode::kRLS_BUF:
            scalar_buffer_token(instruction, event.sequence);
            break;
        case Opcode::kCROSS_SET:
        case Opcode::kINTRA_SET:
            if (auto_sync_) wait_until_drained(instruction, event.sequence);
            environment_.cross_set(id_, instruction, event.sequence);
            break;
        case Opcode::kTPREFETCH_ASYNC:
            environment_.prefetch(instruction.operands[0].global);
            break;
        case Opcode::kTPRINT:
            scalar_barrier(instruction, event.sequence);
            if (mode_ != RunMode::kTiming)
                environment_.data().run_now(cluster_, instruction,
                                            [&] { print(print_text(execution_of(instruction))); });
            break;
        default:
            compute_scalar(instruction, event.sequence);
            break;
    }
    if (observers_.empty()) return;
    event.time = event.started = event.pipe_free = event_queue_.now();
    observers_.tell_followers(&Observer::on_start, event);
    observers_.tell(&Observer::on_complete, event);
}

// Element by element, by the scalar unit: it can do nothing else meanwhile.
void Core::compute_scalar(const Instruction& instruction, uint64_t sequence) {
    if (auto_sync_)
        for (const Access& access : accesses(instruction))
            wait_for_conflicts(access, instruction.location);
    if (mode_ != RunMode::kFunctional) {
        charged_ += 1000 * environment_.cost(instruction).occupancy;
        spend();
    }
    complete(instruction, sequence);
}

void Core::scalar_barrier(const Instruction& instruction, uint64_t sequence) {
    if (instruction.attributes.destination_pipe != Pipe::kAll) return;  // S works in order anyway
    wait_until_drained(instruction, sequence);
}

void Core::wait_until_drained(const Instruction& instruction, uint64_t sequence) {
    static constexpr std::array kPipes{Pipe::kS, Pipe::kMTE2, Pipe::kMTE1, Pipe::kM,
                                       Pipe::kV, Pipe::kFIX,  Pipe::kMTE3};
    wait_until_drained(kPipes, instruction, sequence);
}

void Core::wait_until_drained(std::span<const Pipe> pipes, const Instruction& instruction,
                              uint64_t sequence) {
    bool blocked = false;
    for (const Pipe pipe : pipes) {
        const auto& unit = pipes_[static_cast<size_t>(pipe)];
        while (unit && !unit->drained()) {
            if (!blocked) scalar_block(BlockReason::kBarrier, &instruction, sequence);
            blocked = true;
            wait_for(unit->retired());
        }
    }
    if (blocked) scalar_unblock();
}

void Core::scalar_wait_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    FlagFile::Flag& flag = flags_.at(a.source_pipe, Pipe::kS, a.event_id);
    if (!flag.set) {
        scalar_block(BlockReason::kFlag, &instruction, sequence);
        while (!flag.set) wait_for(flags_.arrived(Pipe::kS));
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = a.source_pipe;
        released.released_core = id_;
        scalar_unblock(released);
    }
    consume_flag(instruction, sequence);
}

void Core::scalar_buffer_token(const Instruction& instruction, uint64_t sequence) {
    BufferTokens::After after{};
    pass_buffer_token(instruction, 0, after);
    BlockEvent released;
    bool blocked = false;
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const auto& unit = pipes_[p];
        if (!unit || unit->completed() >= after[p]) continue;
        released.released_by = unit->entry(after[p] - 1).sequence;
        released.released_pipe = unit->pipe();
        released.released_core = id_;
        if (!blocked) scalar_block(BlockReason::kData, &instruction, sequence);
        blocked = true;
        while (unit->completed() < after[p]) wait_for(unit->retired());
    }
    if (blocked) scalar_unblock(released);
}

void Core::scalar_wait_cross(const Instruction& instruction, uint64_t sequence) {
    const CrossFlag& flag = cross_flag(instruction);
    if (flag.count == 0) {
        scalar_block(BlockReason::kCrossCore, &instruction, sequence);
        while (flag.count == 0) wait_for(cross_arrived_);
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = flag.pipe;
        released.released_core = flag.from;
        scalar_unblock(released);
    }
    consume_cross(instruction, sequence);
}

// ---- accesses of memory --------------------------------------------------------------------

// --sync auto orders scalar accesses as well.
void Core::wait_for_conflicts(const Access& access, SourceLocation where) {
    if (!auto_sync_) {
        if (!observers_.empty())
            observers_.tell(
                &Observer::on_scalar_access,
                ScalarAccessEvent{id_, access, next_sequence_, where, event_queue_.now()});
        return;
    }
    bool blocked = false;
    for (const auto& unit : pipes_) {
        if (!unit) continue;
        const uint64_t until = unit->last_conflict({&access, 1});
        while (unit->completed() < until) {
            if (!blocked) scalar_block(BlockReason::kData, nullptr, next_sequence_);
            blocked = true;
            wait_for(unit->retired());
        }
    }
    if (blocked) scalar_unblock();
    if (!observers_.empty())
        observers_.tell(&Observer::on_scalar_access,
                        ScalarAccessEvent{id_, access, next_sequence_, where, event_queue_.now()});
}

Access Core::scalar_access(uint64_t address, DType type, const char* what, bool reads, bool writes,
                           SourceLocation where) const {
    const uint64_t size = bytes(type, 1);
    if (!global_.contains(address, size))
        environment_.fail({diagnostic(
            "G01", Category::kIllegal,
            "scalar " + std::string(what) + " of " + std::to_string(size) + " bytes at " +
                global_.describe(address) + " is outside every allocation",
            where)});
    Access access;
    access.global = true;
    access.reads = reads;
    access.writes = writes;
    access.begin = address;
    access.end = address + size;
    return access;
}

void Core::settle(const Access& access, SourceLocation where) {
    wait_for_conflicts(access, where);
    environment_.data().wait_for(access);
}

void Core::charge_load() {
    if (mode_ == RunMode::kFunctional) return;
    charged_ += read_(model_.scalar_load);
    spend();
}

uint64_t Core::load_global(uint64_t address, DType type, SourceLocation where) {
    catch_up();
    const Access access = scalar_access(address, type, "load", true, false, where);
    charge_load();
    settle(access, where);
    uint64_t bits = 0;
    std::memcpy(&bits, GlobalMemory::host(address), access.end - access.begin);
    return bits;
}

void Core::store_global(uint64_t address, DType type, uint64_t bits, SourceLocation where) {
    catch_up();
    const Access access = scalar_access(address, type, "store", false, true, where);
    scalar_work(1);
    spend();
    settle(access, where);
    std::memcpy(GlobalMemory::host(address), &bits, access.end - access.begin);
}

uint64_t Core::atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                             SourceLocation where) {
    catch_up();
    const Access access = scalar_access(address, type, "atomic operation", true, true, where);
    charge_load();
    settle(access, where);
    uint64_t before = 0;
    const size_t size = access.end - access.begin;
    std::memcpy(&before, GlobalMemory::host(address), size);
    const uint64_t after = combine(type, mode, before, bits);
    std::memcpy(GlobalMemory::host(address), &after, size);
    return before;
}

void Core::use_cache(const CacheUse& use) {
    if (!observers_.empty())
        observers_.tell(&Observer::on_cache, CacheEvent{id_, use, event_queue_.now()});
}

void Core::print(std::string_view text) {
    catch_up();
    environment_.print(id_, text);
}

uint64_t Core::cycle() {
    spend();
    return event_queue_.now();
}

std::byte* Core::checked_local(const Tile& tile, int64_t offset, bool write, SourceLocation where) {
    const uint64_t size = bytes(tile.dtype, 1);
    const auto& buffer = buffers_[static_cast<size_t>(tile.space)];
    const uint64_t begin = tile.address + static_cast<uint64_t>(offset) * size;
    if (offset < 0 || begin + size > buffer.size) {
        Diagnostic d =
            diagnostic("A03", Category::kIllegal,
                       "scalar access to element " + std::to_string(offset) + " of " +
                           to_text(tile) + " is outside " + std::string(ptosim::name(tile.space)) +
                           " (" + std::to_string(buffer.size) + " bytes)",
                       where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.space = tile.space;
    access.reads = !write;
    access.writes = write;
    access.begin = begin;
    access.end = begin + size;
    wait_for_conflicts(access, where);
    environment_.data().wait_for(cluster_);
    return local(tile.space, begin);
}

uint64_t Core::load_local(const Tile& tile, int64_t offset, SourceLocation where) {
    catch_up();
    if (mode_ == RunMode::kTiming) {
        Diagnostic d = diagnostic(
            "U02", Category::kUnsupported,
            "the kernel reads an element of a tile, and --mode timing has no data", where);
        d.hint = "run it with --mode full";
        environment_.fail({std::move(d)});
    }
    scalar_work(1);
    spend();
    uint64_t bits = 0;
    std::memcpy(&bits, checked_local(tile, offset, false, where), bytes(tile.dtype, 1));
    return bits;
}

void Core::store_local(const Tile& tile, int64_t offset, uint64_t bits, SourceLocation where) {
    scalar_work(1);
    spend();
    std::memcpy(checked_local(tile, offset, true, where), &bits, bytes(tile.dtype, 1));
}

}  // namespace ptosim
