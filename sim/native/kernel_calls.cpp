#include "sim/native/kernel_calls.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "isa/core/signal_listener.h"
#include "ptosim/mpmd.h"
#include "ptosim/tensor_queue.h"
#include "sim/native/abi_records.h"
#include "sim/native/code_location.h"
#include "sim/native/control_registers.h"
#include "sim/native/image_data.h"
#include "sim/native/intrinsics.h"
#include "sim/native/kernel_call.h"
#include "sim/native/kernel_registers.h"
#include "sim/native/thread_block.h"
#include "sim/native/type_names.h"

namespace ptosim {

constinit thread_local Running* running = nullptr;

namespace {

void flush_line(Running& core) {
    if (!core.line.empty()) core.port.print(core.line);
    core.line.clear();
}

// Describes an exception that a kernel's own code has thrown and not caught.
std::string thrown_text() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    const std::string name = type == nullptr ? "" : readable_type(type->name());
    try {
        throw;
    } catch (const std::exception& exception) {
        return name + ": " + exception.what();
    } catch (...) {
        return name;
    }
}

// Must be called in a handler of the exception.
Diagnostic thrown_finding(const Running& core) {
    Diagnostic d = finding(
        core, "H15", Category::kUndefined,
        "kernel " + std::string(core.kernel.name()) + " has thrown an exception: " + thrown_text(),
        core.at);
    d.hint = "the line is that of the last instruction or access before it";
    return d;
}

// Runs code of the kernel within a call from the kernel; it may call again.
template <class F>
auto as_kernel(Running& core, F&& function) {
    struct InKernel {
        Running& core;
        explicit InKernel(Running& c) : core{c} {
            running = &core;
            core.guard.enter();
            set_local_base(core.local_memory);
            ptosim_watched = core.watch;
            ptosim_recent_tensors = &core.bounds.recent;
        }
        ~InKernel() {
            core.guard.leave();
            running = nullptr;
        }
    };
    try {
        const InKernel in_kernel{core};
        return function();
    } catch (...) {
        if (core.stopped) throw;
        throw DiagnosticError(thrown_finding(core));
    }
}

void run_function(void* self) {
    Running& core = *static_cast<Running*>(self);
    try {
        core.entry.run(core.words);
    } catch (...) {
        core.guard.leave();
        if (core.stopped) return;
        core.stopped = std::make_exception_ptr(DiagnosticError(thrown_finding(core)));
    }
}

// Text such as "scale.hpp:120"; empty if the library has no lines.
std::string line_of(const Running& core, const void* code) {
    const CodeLocation found = location_of(static_cast<const char*>(code) + 1,
                                           core.kernel.symbol_file(core.port.identity().core));
    if (found.file.empty()) return {};
    return std::filesystem::path(found.file).filename().string() + ":" + std::to_string(found.line);
}

// Reports the crash at its own line if calls are followed, else at the line of the last instruction.
[[noreturn]] void tell_signal(Running& core, std::string message, const Crash& crash) {
    if (crash.calls.count == 0)
        fail(core, "H10", Category::kUndefined, std::move(message), core.at,
             "the line is that of the last instruction or access before it");
    core.called_from =
        core.kernel.locate_call(static_cast<CoreType>(core.identity.core), crash.calls, "crash");
    if (const std::string line = line_of(core, crash.code); !line.empty()) message += " at " + line;
    fail(core, "H10", Category::kUndefined, std::move(message), core.at);
}

void warn_of_zero_divisions(const Running& core) {
    for (const void* code : core.guard.zero_divisions()) {
        std::string message = "kernel " + std::string(core.kernel.name()) + " divides an integer by zero";
        if (const std::string line = line_of(core, code); !line.empty()) message += " at " + line;
        Diagnostic d = finding(core, "H16", Category::kUndefined, std::move(message), core.at);
        const SourceLocation line_there = core.kernel.locate_code(
            static_cast<CoreType>(core.identity.core), static_cast<const char*>(code) + 1);
        if (line_there.line != 0) core.kernel.sources().locate(d, line_there);
        d.hint = "the kernel continued with quotient 0 and the dividend as the remainder. The device's result is "
                 "undocumented, and its runtime lists division by zero as an error that ends a kernel";
        core.port.warn(std::move(d));
    }
}

void warn_of_left_tensors(const Running& core) {
    for (const SourceLocation where : core.queues.left()) {
        Diagnostic d = finding(core, "Q04", Category::kSync,
                               "the tensor that EnQue put into its queue here is still there when the kernel ends",
                               core.at);
        core.kernel.sources().locate(d, where);
        d.hint = "take each tensor from its queue with DeQue; otherwise the flag that EnQue sets stays set for the "
                 "next kernel";
        core.port.warn(std::move(d));
    }
}

// Reports an end of the kernel other than its function's return.
void tell_crash(Running& core, const Crash& crash) {
    const std::string kernel = "kernel " + std::string(core.kernel.name());
    switch (crash.kind) {
        case Crash::Kind::kNone:
            return;
        case Crash::Kind::kLeft:
            throw DiagnosticError(core.left);
        case Crash::Kind::kEndlessLoop:
            fail(core, "H11", Category::kDeadlock,
                 kernel + " computes without issuing an instruction: an endless loop", core.at,
                 "the line is the last that it reported; PTOSIM_WATCHDOG sets the limit in seconds");
        case Crash::Kind::kSignal:
            tell_signal(core, kernel + " has crashed: " + to_text(crash), crash);
    }
}

ptosim_identity identity_of(const KernelPort& port) {
    const BlockIdentity& me = port.identity();
    ptosim_identity identity{};
    identity.core = static_cast<uint8_t>(me.core);
    identity.arch = static_cast<uint8_t>(port.arch());
    identity.block = me.block;
    identity.blocks = me.blocks;
    identity.subblock = me.subblock;
    identity.subblocks = me.subblocks;
    identity.core_index = port.core_index();
    return identity;
}

}  // namespace

void run_on_core(KernelPort& port, const NativeKernel& kernel, const ptosim_entry& entry,
                 KernelArguments arguments) {
    const bool vector = port.identity().core == CoreType::kAIV;
    if (vector && entry.vectors != 0 && port.identity().subblock >= entry.vectors) return;
    Running core{port,        kernel,
                 entry,       arguments.data(),
                 entry.where, CrashGuard(kernel.name(), port.identity().core, port.core_index())};
    core.identity = identity_of(port);
    if (entry.call_frames != 0) core.code = code_range(reinterpret_cast<const void*>(entry.run));
    core.guard.follow_calls(core.code);
    if (entry.vectors != 0) core.identity.subblocks = entry.vectors;
    if (line_listener != nullptr) follow_code(core);
    take_registers(core);
    core.local_memory = port.local_bytes(Space::kUB);
    core.watch = watch_of(port);
    std::tie(core.global_begin, core.global_size) = port.global_range();
    ptosim_scalar_instructions = 0;  // of initialisations, while the library was loaded
    running = &core;
    set_local_base(core.local_memory);
    ptosim_watched = core.watch;
    ptosim_recent_tensors = &core.bounds.recent;
    const Crash crash = core.guard.run(&run_function, &core, core.at);
    running = nullptr;
    leave_thread_block();
    warn_of_zero_divisions(core);
    // An exception of a call ends the kernel, whatever else the kernel did after it.
    if (core.stopped) std::rethrow_exception(core.stopped);
    charge_code(port);
    return_registers(core);
    flush_line(core);
    tell_crash(core, crash);
    warn_of_left_tensors(core);
}

}  // namespace ptosim

// ---- the calls ----------------------------------------------------------------------------

using ptosim::call;
using ptosim::call_from;
using ptosim::locate;
using ptosim::Running;

namespace {

// A problem that a device does not notice.
void warn(Running& core, ptosim::Diagnostic wrong) {
    core.kernel.sources().locate(wrong, locate(core, core.at));
    core.port.warn(std::move(wrong));
}

// The compiler of dav-c310-vec refuses this barrier: "the range of 1st parameter must be [4, 6]"
// (hw-native-sys/simpler, issue 230).
void check_barrier(const Running& core, const ptosim::Instruction& instruction, ptosim_location where) {
    if (instruction.opcode != ptosim::Opcode::kPIPE_BARRIER || core.identity.core != PTOSIM_AIV ||
        instruction.attributes.destination_pipe != ptosim::Pipe::kV ||
        !ptosim::traits_of(core.port.arch()).vector_in_order)
        return;
    ptosim::fail(core, "E09", ptosim::Category::kIllegal,
                 "barrier on pipe V, which executes in order: the device's compiler refuses it for this vector core",
                 where,
                 "remove it; for both generations, use AscendC::PipeBarrier<PIPE_V>(), or compile it for a2a3 only");
}

// Issues an instruction after the synchronisation that the device's compiler inserts before it.
void issue(Running& core, const ptosim::Instruction& instruction) {
    if (auto wrong = core.bounds.check(instruction, core.kernel.sources())) warn(core, std::move(*wrong));
    if (core.entry.auto_sync != 0 && core.identity.core == PTOSIM_AIV)
        core.auto_sync.before(instruction, core.port.arch(),
                              [&](const ptosim::Instruction& i) { core.port.issue(i); });
    core.port.issue(instruction);
}

}  // namespace

void ptosim_issue(const ptosim_instruction* instruction) {
    call_from(__builtin_frame_address(0), instruction->name, [&](Running& core) {
        core.at = instruction->where;
        ptosim::note_progress();
        const ptosim::Instruction made = ptosim::instruction_of(core, *instruction);
        check_barrier(core, made, instruction->where);
        issue(core, made);
    });
}

void ptosim_vector_function(const ptosim_vector_operation* operations, uint64_t count,
                            ptosim_location where) {
    call_from(__builtin_frame_address(0), "VECTOR_FUNCTION", [&](Running& core) {
        core.at = where;
        ptosim::note_progress();
        issue(core, ptosim::vector_function_of(core, {operations, count}, where));
    });
}

void ptosim_issue_intrinsic(const ptosim_intrinsic* intrinsic) {
    call_from(__builtin_frame_address(0), intrinsic->name, [&](Running& core) {
        core.at = intrinsic->where;
        ptosim::note_progress();
        const ptosim::Instruction instruction = ptosim::intrinsic_of(core, *intrinsic);
        if (instruction.operand_count == 0)  // it transfers nothing
            return core.port.scalar_work(1);
        issue(core, instruction);
    });
}

ptosim_registers* ptosim_core_registers(void) {
    if (ptosim::running != nullptr) return &ptosim::running->registers;
    return call([](Running& core) { return &core.registers; });
}

uint64_t ptosim_result(uint32_t which, ptosim_location where) {
    return call_from(__builtin_frame_address(0), "register", [&](Running& core) {
        core.at = where;
        if (which > PTOSIM_AR)
            ptosim::fail(core, "H13", ptosim::Category::kUnsupported,
                         "register " + std::to_string(which) + " is not one of this simulator", where,
                         "build the kernel with the headers of this simulator");
        if (core.entry.auto_sync != 0)
            core.auto_sync.before_result(locate(core, where), [&](const ptosim::Instruction& i) {
                core.port.issue(i);
            });
        return core.port.result_register(which, locate(core, where));
    });
}

void ptosim_pause() {
    call([](Running& core) { core.port.pause(); });
}

void ptosim_scalar_work(uint32_t operations) {
    call([&](Running& core) { core.port.scalar_work(operations); });
}

void ptosim_clean_cache(uint64_t address, uint64_t bytes, ptosim_location where) {
    call_from(__builtin_frame_address(0), "dcci", [&](Running& core) {
        core.at = where;
        core.port.scalar_work(1);
        core.port.use_cache({ptosim::CacheUse::Kind::kClean, bytes == 0 ? 0 : address, bytes,
                             locate(core, where)});
    });
}

void ptosim_await_stores() {
    call([](Running& core) {
        core.port.scalar_work(1);
        core.port.use_cache({ptosim::CacheUse::Kind::kAwait, 0, 0, {}});
    });
}

// If the code does not report its loads, this one stands for the load that follows.
void ptosim_fetch_line(uint64_t address, ptosim_location where) {
    call_from(__builtin_frame_address(0), "dcci", [&](Running& core) {
        core.at = where;
        const bool reports = core.kernel.unrecorded_source().empty();
        core.port.load_global(address, ptosim::DType::kU8,
                              reports ? ptosim::ScalarPath::kUnseen : ptosim::ScalarPath::kPastCache,
                              locate(core, where));
    });
}

uint64_t ptosim_load_global(uint64_t address, uint8_t dtype, ptosim_location where) {
    return call_from(__builtin_frame_address(0), "load", [&](Running& core) {
        core.at = where;
        return core.port.load_global(ptosim::global_address(core, address),
                                     ptosim::dtype_of(core, dtype, where),
                                     ptosim::ScalarPath::kPastCache, locate(core, where));
    });
}

void ptosim_store_global(uint64_t address, uint8_t dtype, uint64_t bits, ptosim_location where) {
    call_from(__builtin_frame_address(0), "store", [&](Running& core) {
        core.at = where;
        core.port.store_global(address, ptosim::dtype_of(core, dtype, where), bits,
                               ptosim::ScalarPath::kPastCache, locate(core, where));
    });
}

void ptosim_store_line(uint64_t address, uint8_t dtype, uint64_t bits, ptosim_location where) {
    call_from(__builtin_frame_address(0), "store", [&](Running& core) {
        core.at = where;
        core.port.store_line(address, ptosim::dtype_of(core, dtype, where), bits,
                             locate(core, where));
    });
}

uint64_t ptosim_atomic_global(uint64_t address, uint8_t dtype, uint8_t operation, uint64_t bits,
                              ptosim_location where) {
    return call_from(__builtin_frame_address(0), "atomic", [&](Running& core) {
        core.at = where;
        const ptosim::DType type = ptosim::dtype_of(core, dtype, where);
        if (operation == PTOSIM_NO_OPERAND || operation > 3 ||
            !(ptosim::is_integer(type) || type == ptosim::DType::kF32) || ptosim::bits(type) < 32)
            ptosim::fail(core, "H13", ptosim::Category::kUnsupported,
                         "a scalar atomic operation " + std::to_string(operation) + " on " +
                             std::string(ptosim::name(type)),
                         where, "add, max and min of 32 and 64-bit integers and f32");
        return core.port.atomic_global(address, type, static_cast<ptosim::AtomicMode>(operation),
                                       bits, locate(core, where));
    });
}

void ptosim_read_signals(const ptosim_global* view, ptosim_location where) {
    call_from(__builtin_frame_address(0), "load", [&](Running& core) {
        core.at = where;
        core.port.read_signals(ptosim::view_of(core, *view, where), locate(core, where));
    });
}

void ptosim_await_signal(uint64_t address, int32_t present, uint8_t comparison, int32_t value,
                         ptosim_location where) {
    constexpr std::string_view kSymbols[] = {"==", "!=", ">", ">=", "<", "<="};
    call([&](Running& core) {
        core.at = where;
        auto* const listener = dynamic_cast<ptosim::SignalListener*>(&core.port);
        if (listener == nullptr || comparison >= std::size(kSymbols)) return;
        listener->awaits({address, present,
                          "is " + std::string(kSymbols[comparison]) + " " + std::to_string(value),
                          locate(core, where)});
    });
}

void ptosim_end_wait() {
    call([](Running& core) {
        if (auto* const listener = dynamic_cast<ptosim::SignalListener*>(&core.port))
            listener->no_longer_awaits();
    });
}

uint64_t ptosim_load_local(const ptosim_tile* tile, int64_t offset, ptosim_location where) {
    return call_from(__builtin_frame_address(0), "load", [&](Running& core) {
        core.at = where;
        return core.port.load_local(ptosim::tile_of(core, *tile, where), offset,
                                    locate(core, where));
    });
}

void ptosim_store_local(const ptosim_tile* tile, int64_t offset, uint64_t bits,
                        ptosim_location where) {
    call_from(__builtin_frame_address(0), "store", [&](Running& core) {
        core.at = where;
        core.port.store_local(ptosim::tile_of(core, *tile, where), offset, bits,
                              locate(core, where));
    });
}

void ptosim_declare_buffers(const ptosim_buffers* buffers) {
    call_from(__builtin_frame_address(0), "InitBuffer", [&](Running& core) {
        const auto room = core.port.local_size(static_cast<ptosim::Space>(buffers->first.space));
        auto wrong = core.bounds.declare(*buffers, locate(core, core.at), room);
        if (!wrong) return;
        if (wrong->category != ptosim::Category::kIllegal) return warn(core, std::move(*wrong));
        core.kernel.sources().locate(*wrong, locate(core, core.at));
        throw ptosim::DiagnosticError(std::move(*wrong));
    });
}

void ptosim_check_copy(uint32_t count, uint32_t bits) {
    std::optional<ptosim::Diagnostic> wrong = ptosim::rounded_copy(count, bits);
    if (!wrong) return;
    call_from(__builtin_frame_address(0), "DataCopy", [&](Running& core) { warn(core, std::move(*wrong)); });
}

void ptosim_check_work(const char* function, uint64_t size, uint64_t needed) {
    std::optional<ptosim::Diagnostic> wrong = ptosim::short_work_buffer(function, size, needed);
    if (!wrong) return;
    call_from(__builtin_frame_address(0), function, [&](Running& core) { warn(core, std::move(*wrong)); });
}

void ptosim_step_queue(const ptosim_queue_step* step) {
    call_from(__builtin_frame_address(0), ptosim::name_of_step(step->kind), [&](Running& core) {
        std::optional<ptosim::Diagnostic> wrong =
            core.queues.step(*step, locate(core, core.at), core.kernel.sources());
        if (!wrong) return;
        core.kernel.sources().locate(*wrong, locate(core, core.at));
        if (wrong->category == ptosim::Category::kDeadlock) throw ptosim::DiagnosticError(std::move(*wrong));
        core.port.warn(std::move(*wrong));
    });
}

void ptosim_run_assembly(const ptosim_assembly* kernel, const ptosim_part* part,
                         const uint64_t* words, uint64_t word_count) {
    ptosim_run_assembly_with_externals(kernel, part, words, word_count, nullptr);
}

void ptosim_run_assembly_with_externals(const ptosim_assembly* kernel, const ptosim_part* part,
                                        const uint64_t* words, uint64_t word_count,
                                        const ptosim_external_function* externals) {
    call([&](Running& core) {
        if ((kernel->cores & 1u << core.identity.core) == 0) return;
        ptosim::note_progress();
        ptosim::run_assembly(
            core.kernel.assembly(*kernel, core.port.arch()), *part, core.port, {words, word_count},
            externals, [&](const ptosim_external_function& function, const uint64_t* given) {
                return ptosim::as_kernel(core, [&] { return function.call(given); });
            });
    });
}

const ptosim_identity* ptosim_self(void) {
    return call([](Running& core) { return &core.identity; });
}

// ---- registers that processors of the AICPU address ------------------------------------------

namespace {

// 5 to 10 ns (simpler mmio-performance.md: set_cond), in cycles of 1.85 GHz.
constexpr unsigned kOperationsOfRegister = 14;

// Another core or processor runs up to the time of the access.
volatile uint64_t* control_register(ptosim::Running& core,
                                    volatile uint64_t* (ptosim::ControlRegisters::*which)(ptosim::CoreType, unsigned)
                                        const) {
    core.port.scalar_work(kOperationsOfRegister);
    core.port.cycle();
    return (ptosim::ControlRegisters::get().*which)(core.port.identity().core, core.port.core_index());
}

}  // namespace

uint32_t ptosim_mpmd_core_number(void) {
    return call([](Running& core) {
        return ptosim::ControlRegisters::get().number(core.port.identity().core, core.port.core_index());
    });
}

uint64_t ptosim_mpmd_main_base(void) {
    return call([](Running& core) -> uint64_t {
        const volatile uint64_t* const word = control_register(core, &ptosim::ControlRegisters::main_base);
        return word == nullptr ? 0 : *word;
    });
}

void ptosim_mpmd_set_condition(uint64_t value) {
    call([&](Running& core) {
        if (volatile uint64_t* const word = control_register(core, &ptosim::ControlRegisters::condition)) *word = value;
    });
}

uint64_t ptosim_system_counter(void) {
    return call([](Running& core) { return core.port.system_counter(); });
}

void ptosim_print(const char* text, uint64_t length) {
    call([&](Running& core) {
        for (uint64_t i = 0; i < length; ++i) {
            if (text[i] != '\n')
                core.line += text[i];
            else if (core.line.empty())
                core.port.print("");
            else
                ptosim::flush_line(core);
        }
    });
}

// Its callers may be functions that no exception can pass, such as abort().
void ptosim_trap(const char* message, ptosim_location where) {
    if (ptosim::running_block != nullptr)
        ptosim_thread_stop(message != nullptr ? message : "trap()", where.file, where.line);
    call_from(__builtin_frame_address(0), "trap", [&](Running& core) {
        ptosim::flush_line(core);
        core.left = finding(core, "H12", ptosim::Category::kUndefined,
                            "kernel " + std::string(core.kernel.name()) +
                                " has stopped itself: " + (message != nullptr ? message : "trap()"),
                            where.file != nullptr ? where : core.at);
    });
    ptosim::running->guard.end_call();
}

void ptosim_at(ptosim_location where) {
    if (ptosim::running != nullptr) ptosim::running->at = where;
}
