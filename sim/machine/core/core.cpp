#include "sim/machine/core/core.h"

#include "isa/composite/sync_all.h"
#include "sim/machine/core/control.h"
#include "sim/machine/core/core_threads.h"

namespace ptosim {

Core::Core(sc_core::sc_module_name name, CoreId id, CoreEnvironment& environment)
    : sc_module(name),
      context_{id, environment},
      sync_{context_},
      data_{context_},
      pipes_{context_, sync_, data_},
      scalar_{context_, pipes_, [this] { work(); }},
      memory_{context_, scalar_, pipes_},
      scalar_instructions_{context_, scalar_, pipes_, memory_},
      validator_{context_, sync_.flags, scalar_},
      completion_{context_, state_},
      vector_function_{context_.model} {}

// ---- blocks -------------------------------------------------------------------------------

void Core::work() {
    CoreEnvironment& chip = context_.environment;
    for (;;) {
        identity_ = next_block();
        try {
            run_block();
        } catch (const LaunchAborted&) {
            return;
        } catch (...) {
            chip.crash(context_.id, std::current_exception());
            return;
        }
        chip.block_done(context_.id);
    }
}

BlockIdentity Core::next_block() {
    for (;;) {
        if (const auto block = context_.environment.next_block(context_.id)) return *block;
        scalar_.wait_for_block();
    }
}

void Core::run_block() {
    CoreEnvironment& chip = context_.environment;
    context_.mode = chip.run_mode();
    context_.auto_sync = chip.sync_mode() == SyncMode::kAuto;
    context_.schedule = chip.schedule();
    scalar_.begin_block(chip.kernel(id()).runs_ahead());
    completion_.begin_block();
    state_.begin_block();
    const ObserverList& observers = context_.observers;
    if (!observers.empty())
        observers.tell(&Observer::on_block_begin,
                       RunEvent{.core = context_.id, .identity = identity_, .time = context_.now()});
    Cycle delay = chip.block_delay(id());
    if (context_.schedule != nullptr) delay += context_.schedule->block_delay(id());
    scalar_.charge(context_.read(context_.model.launch.block_start) + 1000 * delay);
    scalar_.spend();
    cold_ = warm_.insert(std::hash<std::string_view>{}(chip.kernel(id()).name())).second;
    run_kernel();
    scalar_.spend();
    scalar_.end_control_flow();
    scalar_.wait_for_pipes(pipes_.pushed(), BlockReason::kDrain, nullptr, scalar_.next_sequence());
    sync_.buffers.end_block();
    end_state();
}

bool Core::finds_left_units(const Instruction& product) const {
    const UnitFlags::Product* const unread = sync_.units.unread(unit_range(product));
    return unread != nullptr && unread->earlier_launch;
}

void Core::end_state() {
    if (!context_.observers.empty()) {
        const std::vector<LeftState> left = state_.left(sync_.units);
        context_.observers.tell(&Observer::on_block_end,
                                RunEvent{context_.id, identity_, context_.now(), left, state_.written()});
    }
    state_.end_block(context_.environment.kernel(id()).sources());
}

// Code and arguments that the core fetches before the first instruction of a kernel that has not run on it.
void Core::fetch_kernel() {
    cold_ = false;
    scalar_.charge(static_cast<Milli>(context_.read(context_.model.launch.cold_lines)) *
                   context_.read(context_.model.scalar.load));
}

// Errors of the control flow itself are reported when it is reached.
void Core::run_kernel() {
    CoreEnvironment& chip = context_.environment;
    std::vector<Diagnostic> found;
    try {
        chip.kernel(id()).run(*this, chip.arguments(id()));
    } catch (const DiagnosticError& error) {
        found = error.diagnostics();
    }
    if (found.empty()) return;
    scalar_.catch_up();
    for (Diagnostic& d : found) d.core = ptosim::name(context_.id);
    chip.fail(std::move(found));
}

// ---- issuing ------------------------------------------------------------------------------

void Core::issue(const Instruction& instruction) { issue_new(instruction, false); }

const KnownInstruction* Core::issue_new(const Instruction& given, bool keeps) {
    if (cold_) fetch_kernel();
    std::optional<Instruction> own;
    const Instruction& instruction = completion_.complete(given, own);
    if (context_.environment.remote() != nullptr) {
        memory_.note_progress();
        check_remote(instruction);
    }
    Cycle delay = scalar_.begin_issue(instruction.location);
    if (context_.schedule != nullptr) delay += context_.schedule->issue_delay(id());
    const Pipe pipe = pipe_of(instruction, context_.arch);
    const ValidatedInstruction valid = validator_.validate(instruction, pipe, delay);
    const Route route = route_of(instruction, pipe, context_.arch, context_.auto_sync);
    switch (route.to) {
        case Route::To::kNowhere:
            scalar_.run_ahead(delay);
            return nullptr;
        case Route::To::kScalarUnit:
            scalar_.reach_issue(delay);
            if (instruction.opcode == Opcode::kSYNCALL) {
                check_barrier(instruction);
                sync_all(*this, instruction);
            } else {
                scalar_instructions_.execute(instruction);
            }
            return nullptr;
        case Route::To::kPipe:
            break;
    }
    PipeUnit::Entry& entry = pipes_.new_entry();
    entry.own.assign(instruction);
    entry.instruction = &entry.own;
    entry.cost = &entry.own_cost;
    entry.validation_id = valid.id;
    entry.form = form_of(instruction.opcode);
    if (entry.form == Form::kData) {
        entry.own_cost = cost_here(instruction, valid.cost);
        if (context_.schedule != nullptr)
            entry.own_cost = context_.schedule->cost(id(), pipe, entry.own_cost);
    }
    if (!route.awaited.empty()) {
        scalar_.issue_serialized(route.awaited, delay, *pipes_[pipe], entry);
        return nullptr;
    }
    const KnownInstruction* const known = keeps && repeats(given)
                                              ? context_.environment.validation_cache().keep(
                                                    given, instruction, context_.id.type, pipe)
                                              : nullptr;
    scalar_.run_ahead(delay, *pipes_[pipe], entry);
    return known;
}

// True if an instruction, once validated, depends on no state of the core: neither how it is
// completed nor its cost.
bool Core::repeats(const Instruction& instruction) const {
    return context_.environment.remote() == nullptr && context_.schedule == nullptr &&
           instruction.attributes.function == InFunction::kAlone &&
           completion_.repeats(instruction);
}

// Views are checked at each issue, as by Validator::validate().
void Core::issue_again(const ReadyInstruction& ready, std::span<const uint64_t> addresses) {
    const auto& known = static_cast<const KnownInstruction&>(ready);
    PipeUnit::Entry& entry = pipes_.new_entry();
    entry.instruction = &known.complete;
    if (!addresses.empty()) {
        entry.own.assign(known.complete);
        entry.instruction = &entry.own;
        if (!move_views(entry.own, addresses)) {
            entry.own.assign(known.given);
            move_views(entry.own, addresses);
            pipes_.recycle(entry);
            const Instruction moved = entry.own;
            return issue(moved);
        }
    }
    entry.cost = &known.validated.cost;
    entry.form = known.form;
    entry.validation_id = known.validated.id;
    const Cycle delay = scalar_.begin_issue(known.complete.location);
    scalar_.run_ahead(delay, *pipes_[known.pipe], entry);
}

// Gives the views of an instruction these addresses. Returns false if a view then lies in no
// allocation.
bool Core::move_views(Instruction& instruction, std::span<const uint64_t> addresses) const {
    const GlobalMemory& global = context_.environment.global();
    bool held = true;
    size_t next = 0;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        Operand& operand = instruction.operands[i];
        if (!operand.is_global()) continue;
        operand.global.address = addresses[next++];
        held = held && global.holds(operand.global);
    }
    return held;
}

Cost Core::cost_here(const Instruction& instruction, const Cost& alone) {
    if (instruction.attributes.function == InFunction::kAlone) return alone;
    const ReadScope scope(context_.read);
    return vector_function_.cost(instruction, alone);
}

// Only whole views can be sent between chips, each within one window.
void Core::check_remote(const Instruction& instruction) const {
    const RemoteMemory& remote = *context_.environment.remote();
    const bool sends_views = instruction.opcode == Opcode::kTLOAD || instruction.opcode == Opcode::kTSTORE;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_global()) continue;
        if (sends_views || !remote.holds(operand.global.address)) {
            check_window(instruction, i);
            continue;
        }
        Diagnostic d = context_.diagnostic(
            "U03", Category::kUnsupported,
            std::string(info(instruction.opcode).name) + " accesses the memory of another chip",
            instruction.location);
        d.hint = "transfers (TLOAD, TSTORE, TPUT, TGET), scalar accesses and signals can";
        context_.environment.fail({std::move(d)});
    }
}

// As within a chip, either the view or the touched part of it has to fit.
void Core::check_window(const Instruction& instruction, unsigned operand) const {
    if (!context_.environment.remote()->overrun(instruction.operands[operand].global)) return;
    const InstructionInfo& row = info(instruction.opcode);
    context_.check_window(std::string(row.name) + " '" + std::string(row.operands[operand].name) + "'",
                          touched_view(instruction, operand), instruction.location);
}

// A launch of cube cores only has no context for their signals on some architectures.
void Core::check_barrier(const Instruction& instruction) const {
    if (!traits_of(context_.arch).cube_barrier_hangs || instruction.attributes.sync_cores != SyncCores::kAIC ||
        id().type != CoreType::kAIC || context_.environment.kernel(id()).runs_on(CoreType::kAIV))
        return;
    Diagnostic d = context_.diagnostic(
        "C05", Category::kDeadlock, "SYNCALL of the cube cores never ends in a kernel without vector cores",
        instruction.location);
    d.hint = "compile the kernel as a mixed one (dav-c220) whose vector part is empty, or use the soft form with a "
             "workspace";
    context_.environment.fail({std::move(d)});
}

// ---- services for the control flow --------------------------------------------------------

// Each load checks its word. The view may reach beyond a window without a word there that the kernel reads before it
// stops.
void Core::read_signals(const GlobalView& view, SourceLocation where) {
    if (context_.environment.remote() == nullptr) return;
    scalar_.catch_up();
    context_.check_window("a read of signals", view, where);
}

uint64_t Core::load_global(uint64_t address, DType type, ScalarPath path, SourceLocation where) {
    const uint64_t bits = memory_.load_global(address, type, path, where);
    if (path == ScalarPath::kThroughCache)
        use_cache({CacheUse::Kind::kLoad, address, bytes(type, 1), where});
    return bits;
}

void Core::store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                        SourceLocation where) {
    memory_.store_global(address, type, bits, path, where);
    if (path == ScalarPath::kThroughCache)
        use_cache({CacheUse::Kind::kStore, address, bytes(type, 1), where});
}

void Core::store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) {
    if (context_.read(context_.model.sync.set_by_line) == 0)
        return memory_.store_global(address, type, bits, ScalarPath::kPastCache, where);
    memory_.store_line(address, type, bits, where);
    use_cache({CacheUse::Kind::kStore, address, bytes(type, 1), where});
    use_cache({CacheUse::Kind::kClean, address, 1, where});
}

std::pair<uint64_t, uint64_t> Core::global_range() const {
    const GlobalMemory& global = context_.environment.global();
    return {global.base(), global.capacity()};
}

uint64_t Core::image_data(std::span<const std::byte> data, const std::string& name) {
    const uint64_t address = context_.environment.global().place_of(data, name);
    if (std::memcmp(GlobalMemory::host(address), data.data(), data.size()) == 0) return address;
    Access access;
    access.global = true;
    access.writes = true;
    access.begin = address;
    access.end = address + data.size();
    context_.environment.data().wait_for(access);  // until nothing reads the earlier bytes
    std::memcpy(GlobalMemory::host(address), data.data(), data.size());
    return address;
}

void Core::use_cache(const CacheUse& use) {
    if (use.kind == CacheUse::Kind::kClean) memory_.clean_cache(use.address, use.size);
    if (!context_.observers.empty())
        context_.observers.tell(&Observer::on_cache, CacheEvent{context_.id, use, context_.now()});
}

void Core::follow_pointer(const CacheUse& use) {
    memory_.follow_pointer(use);
    use_cache(use);
}

WatchedMemory Core::watched() const {
    if (context_.observers.nobody_needs(Observer::kAccesses)) return {};
    const GlobalMemory& global = context_.environment.global();
    return {.local = true, .global_begin = global.base(), .global_size = global.capacity()};
}

void Core::use_left_register(unsigned number, std::string_view instruction, SourceLocation where) {
    state_.tell_use(context_, number, instruction, where);
}

void Core::note_masked_write(const MaskedWrite& write) {
    if (!context_.observers.empty())
        context_.observers.tell(&Observer::on_masked_write, MaskedWriteEvent{context_.id, write});
}

std::unique_ptr<ThreadRun> Core::begin_threads(const ThreadLaunch& launch) {
    scalar_.spend();
    constexpr std::array kVectorPipe{Pipe::kV};
    scalar_.wait_for_pipes(pipes_.pushed(kVectorPipe), BlockReason::kDrain, nullptr, scalar_.next_sequence());
    context_.environment.data().wait_for(context_.cluster);
    if (!context_.keeps_time() || context_.model.aiv.threads.schedulers == 0)
        return std::make_unique<UntimedThreads>(CoreThreads::reserve_of(context_.model));
    const ReadScope scope(context_.read);
    return std::make_unique<CoreThreads>(context_, scalar_, launch);
}

void Core::warn(Diagnostic diagnostic) {
    diagnostic.core = ptosim::name(context_.id);
    diagnostic.cycle = context_.now();
    diagnostic.has_cycle = true;
    context_.environment.warn(std::move(diagnostic));
}

void Core::print(std::string_view text) {
    scalar_.catch_up();
    context_.environment.print(context_.id, text);
}

uint64_t Core::cycle() {
    scalar_.spend();
    return context_.now();
}

uint64_t Core::system_counter() {
    __extension__ typedef unsigned __int128 Wide;
    const Wide clock = context_.model.clock.value();
    const Wide counter = context_.model.system_counter.value();
    const auto tick = static_cast<Cycle>((clock + counter - 1) / counter);
    if (const Cycle delay = counter_reads_.delay(cycle(), tick)) scalar_.charge(delay * 1000);
    return static_cast<uint64_t>(cycle() * counter / clock);
}

}  // namespace ptosim
