#include "sim/machine/chip/chip.h"

#include <algorithm>
#include <utility>

#include "isa/table/instruction_table.h"
#include "sim/machine/chip/deadlock.h"
#include "sim/machine/memory/shared_memory.h"
#include "sim/machine/timing/arithmetic.h"

namespace ptosim {
namespace {

size_t on_chip_bytes(const ChipModel& model) {
    size_t bytes = 0;
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        const bool on_aiv = static_cast<Space>(s) == Space::kUB;
        bytes += model.clusters * (on_aiv ? model.cluster.aivs : 1) *
                 model.reach(static_cast<Space>(s));
    }
    return bytes;
}

std::vector<std::unique_ptr<Lane>> make_lanes(EventQueue& event_queue, uint64_t clusters) {
    std::vector<std::unique_ptr<Lane>> lanes;
    while (lanes.size() < clusters) lanes.push_back(std::make_unique<Lane>(event_queue));
    return lanes;
}

}  // namespace

std::unique_ptr<MemorySystem> one_domain(EventQueue& event_queue, const ChipModel& model,
                                         ParametersRead& read) {
    return std::make_unique<SharedMemory>(event_queue, model.memory, model.clock, read);
}

Chip::Chip(sc_core::sc_module_name name, ChipModel model, const MakeMemory& memory, ChipPlace place)
    : sc_module(name),
      model_{std::move(model)},
      model_text_{model_.name_with_overrides()},
      cost_model_{model_},
      global_{GlobalMemory::kCapacity, place.number},
      own_event_queue_{place.event_queue == nullptr ? std::make_unique<EventQueue>("event_queue") : nullptr},
      event_queue_{place.event_queue == nullptr ? *own_event_queue_ : *place.event_queue},
      lanes_{make_lanes(event_queue_, model_.clusters)},
      memory_{memory(event_queue_, model_, read_)},
      on_chip_{on_chip_bytes(model_),
               model_.clusters * (1 + model_.cluster.aivs) * kSpaceCount},
      data_{static_cast<unsigned>(model_.clusters)} {
    for (const std::unique_ptr<Lane>& lane : lanes_) ports_.push_back(std::make_unique<Port>(*this, *lane));
    const auto make = [this](CoreType type, unsigned index) {
        const CoreId id{type, static_cast<uint16_t>(index)};
        CoreEnvironment& environment = *this;
        return std::unique_ptr<Core>(new Core(ptosim::name(id).c_str(), id, environment));
    };
    for (unsigned i = 0; i < model_.clusters; ++i) {
        aics_.push_back(make(CoreType::kAIC, i));
        for (unsigned j = 0; j < model_.cluster.aivs; ++j)
            aivs_.push_back(make(CoreType::kAIV, static_cast<unsigned>(aivs_.size())));
    }
}

Chip::~Chip() = default;

Core& Chip::core(CoreId id) const { return *(id.type == CoreType::kAIC ? aics_ : aivs_)[id.index]; }

Cycle Chip::quiet_since() const {
    Cycle last = 0;
    for (CoreId id : result_.cores) last = std::max(last, core(id).quiet_since());
    return last;
}

std::vector<std::string> Chip::looks() const {
    std::vector<std::string> texts;
    for (CoreId id : result_.cores) {
        const ScalarMemory::Look& look = core(id).last_look();
        if (!core(id).scalar_state().issuing || look.address == 0) continue;
        Diagnostic at;
        sources_->locate(at, look.where);
        texts.push_back(ptosim::name(id) + " looks at " + global_.describe(look.address) + ", which is " +
                        std::to_string(look.bits) + " since cycle " + std::to_string(look.since) +
                        (at.file.empty() ? "" : ", at " + at.file + ":" + std::to_string(at.location.line)));
    }
    return texts;
}

CostGrades& Chip::cost_grades() {
    if (!cost_grades_) cost_grades_ = std::make_unique<CostGrades>(model_);
    return *cost_grades_;
}

void Chip::start() {
    event_queue_.start();
    cost_grades();
}

// ---- launches -----------------------------------------------------------------------------

LaunchResult Chip::launch(const Kernel& kernel, KernelArguments arguments,
                          const LaunchOptions& options) {
    const LaunchPart part{&kernel, arguments, options.blocks};
    return launch(std::span(&part, 1), options);
}

LaunchResult Chip::launch(std::span<const LaunchPart> parts, const LaunchOptions& options) {
    prepare(parts, options);
    may_run_apart_ = own_event_queue_ != nullptr && may_run_apart(parts);
    run_apart_if_possible();
    dispatcher_.begin();
    event_queue_.run();
    may_run_apart_ = false;
    end_apart();
    return take_result(now());
}

// True if nothing but an observer needs all clusters at one time.
bool Chip::may_run_apart(std::span<const LaunchPart> parts) const {
    return options_.mode == RunMode::kTiming && parts.size() == 1 && options_.schedule == nullptr &&
           remote_ == nullptr && parts.front().kernel->keeps_clusters_apart();
}

// Called at the begin, and when observers were dropped.
void Chip::run_apart_if_possible() {
    if (!may_run_apart_ || apart_ || !observers_.take_clusters_apart()) return;
    apart_ = true;
    validation_cache_.share(true);
    for (const std::unique_ptr<Port>& port : ports_) port->watch.begin(options_.limits, begin_);
    for (const auto* cores : {&aics_, &aivs_})
        for (const std::unique_ptr<Core>& core : *cores) core->count_in(watch_of(cluster_of(core->id())));
    event_queue_.run_apart(*this, options_.threads);
}

void Chip::end_apart() {
    if (!std::exchange(apart_, false)) return;
    validation_cache_.share(false);
    for (const auto* cores : {&aics_, &aivs_})
        for (const std::unique_ptr<Core>& core : *cores) core->count_in(watch_);
}

void Chip::begin(std::span<const LaunchPart> parts, const LaunchOptions& options) {
    prepare(parts, options);
    under_way_ = true;
    dispatcher_.begin();
}

LaunchResult Chip::end() {
    under_way_ = false;
    Cycle end = ended() ? 0 : now();
    for (const Dispatcher::Part& part : dispatcher_.parts()) end = std::max(end, part.ended() ? part.end : now());
    return take_result(end);
}

void Chip::prepare(std::span<const LaunchPart> parts, const LaunchOptions& options) {
    sources_ = &parts.front().kernel->sources();
    if (remote_ != nullptr) remote_->forget_requests();
    if ((options.mode == RunMode::kFunctional) != (options_.mode == RunMode::kFunctional))
        validation_cache_.clear();  // because their costs differ
    options_ = options;
    result_ = {};
    sectors_.clear();
    if (options.mode != RunMode::kFunctional) note_launch();
    const bool several = parts.size() > 1;
    const Cycle between = launched_before_ || several ? whole(read_(model_.launch.between)) : 0;
    begin_ = now() + (launched_before_ ? between : 0);
    launched_before_ = true;
    issued_.assign(parts.size(), 0);
    for (const std::unique_ptr<Port>& port : ports_) port->unmatched = 0;
    dispatcher_.prepare(parts, begin_, between, options.schedule);
    result_.cores = dispatcher_.cores();
    for (const Dispatcher::Part& part : dispatcher_.parts()) result_.blocks += part.blocks;
    tell_launch(begin_);
    const bool at_once =
        options.schedule != nullptr || std::any_of(parts.begin(), parts.end(), [](const LaunchPart& part) {
            return !part.kernel->runs_ahead();
        });
    data_.set_threads(at_once ? 0 : std::max(1u, options.threads));
    watch_.begin(options.limits, now());
}

LaunchResult Chip::take_result(Cycle end) {
    data_.finish();
    if (crash_) std::rethrow_exception(crash_);

    result_.finished = !aborted_ && dispatcher_.finished();
    if (const Diagnostic* const failure = remote_ == nullptr ? nullptr : remote_->failure())
        report(*failure);
    else if (!aborted_ && !result_.finished)
        explain_stuck();
    take_results(end);
    observers_.launch_end(end);
    return result_;
}

// Records the parameters that affect the time of every launch, including the duration for profilers and in seconds.
void Chip::note_launch() {
    for (const ChipParameter* parameter :
         {&model_.clock, &model_.queue.depth, &model_.launch.block_interval,
          &model_.launch.overhead, &model_.launch.cold})
        read_.note(*parameter);
}

void Chip::wait_for_data(CoreId core) {
    const uint64_t per_cluster = core.type == CoreType::kAIC ? 1 : model_.cluster.aivs.value();
    data_.wait_for(static_cast<unsigned>(core.index / per_cluster));
}

void Chip::tell_launch(Cycle begin) {
    if (observers_.empty()) return;
    std::string names;
    for (const Dispatcher::Part& part : dispatcher_.parts())
        names += (names.empty() ? "" : " + ") + std::string(part.kernel->name());
    LaunchEvent event;
    event.kernel = names;
    event.chip = model_text_;
    event.clock_hz = model_.clock;
    event.blocks = result_.blocks;
    event.cores = result_.cores;
    event.sources = sources_;
    event.arch = model_.arch;
    event.scoreboard = options_.sync == SyncMode::kAuto;
    event.flag_sets = static_cast<unsigned>(model_.flags.sets);
    event.computes_data = options_.mode != RunMode::kTiming;
    event.time = begin;
    observers_.tell(&Observer::on_launch, event);
}

void Chip::begin_part(unsigned number) {
    const Dispatcher::Part& part = dispatcher_.parts()[number];
    for (CoreId id : part.cores) {
        result_.flags_held += core(id).begin_launch();
        issued_[number] -= core(id).issued();
    }
    if (dispatcher_.parts().size() > 1)
        observers_.tell(&Observer::on_part, PartEvent{number, part.cores, !part.after.empty(), now()});
}

void Chip::count_issued(unsigned number) {
    for (CoreId id : dispatcher_.parts()[number].cores) issued_[number] += core(id).issued();
}

void Chip::end_part(unsigned number) {
    count_issued(number);
    if (under_way_ && dispatcher_.finished()) event_queue_.stop();
}

// Reports a deadlock for each kernel whose cores are stuck.
void Chip::explain_stuck() {
    for (const Dispatcher::Part& part : dispatcher_.parts()) {
        if (!part.started || part.ended()) continue;
        std::vector<const Core*> stuck;
        for (CoreId id : part.cores) stuck.push_back(&core(id));
        Diagnostic deadlock = explain_deadlock(stuck, part.network, *sources_, now());
        if (options_.explain) options_.explain(deadlock);
        for (const Dispatcher::Part& other : dispatcher_.parts())
            if (!other.started)
                deadlock.notes.push_back("kernel " + std::string(other.kernel->name()) +
                                         " has not begun: it waits for cores, or for the end of a kernel");
        report(std::move(deadlock));
    }
}

void Chip::take_results(Cycle end) {
    result_.cycles = end - begin_;
    const auto& parts = dispatcher_.parts();
    for (size_t i = 0; i < parts.size(); ++i) {
        const Dispatcher::Part& part = parts[i];
        if (part.started && !part.ended()) count_issued(static_cast<unsigned>(i));
        result_.instructions += issued_[i];
        result_.parts.push_back(
            {part.blocks, part.begin, part.ended() ? part.end : end, issued_[i], part.ended()});
    }
}

// ---- services -----------------------------------------------------------------------------

Cost Chip::cost(const Instruction& instruction) const {
    if (options_.mode == RunMode::kFunctional) return {1, 1};
    const ReadScope scope(read_);
    return cost_model_.cost(instruction);
}

Milli Chip::hold_sector(CoreId core, uint64_t sector, Milli from, Milli time, Milli handover) {
    Sector& held = sectors_[sector];
    if (held.holder && *held.holder != core) time += handover;
    held.holder = core;
    held.free = std::max(held.free, from) + time;
    return held.free;
}

uint64_t Chip::pass(CoreId core, const Instruction& instruction) {
    uint64_t behind = 0;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_global())
            behind += memory_->pass(core, operand.global, info(instruction.opcode).operands[i].role != OperandRole::kIn);
    }
    return behind;
}

// The core's part of a transfer takes as long as within the chip.
Transfer Chip::start_remote(const Cost& cost, const Instruction& instruction, Event& done) {
    const uint64_t micro = 1000 * 1000;
    const Cycle least = cost.rate == 0 ? 0 : (cost.fixed + cost.bytes * micro / cost.rate) / 1000;
    const GlobalView view = touched_view(instruction, cost.global);
    if (cost.shared == Cost::Shared::kRead) {
        remote_->load(view, cost, least, done);
        return {};
    }
    Transfer transfer;
    transfer.store = remote_->begin_store(view, cost, least, done);
    return transfer;
}

Diagnostic Chip::cross_finding(const char* code, std::string message, const char* hint, CoreId from,
                               const Instruction& instruction) const {
    Diagnostic d;
    d.code = code;
    d.category = Category::kSync;
    d.message = std::move(message);
    d.hint = hint;
    d.core = ptosim::name(from);
    d.pipe = ptosim::name(instruction.attributes.source_pipe);
    d.instruction = info(instruction.opcode).name;
    d.cycle = lanes_[cluster_of(from)]->now();
    d.has_cycle = true;
    sources_->locate(d, instruction.location);
    return d;
}

void Chip::tell_cross_set(CoreId from, CoreId whose, uint8_t id, uint8_t mode,
                          const Instruction& instruction, uint64_t sequence) {
    if (observers_.nobody_needs(Observer::kFlagSet)) return;
    FlagEvent event;
    event.core = whose;
    event.from = from;
    event.source = instruction.attributes.source_pipe;
    event.destination = Pipe::kS;
    event.id = id;
    event.cross_core = true;
    event.cross_mode = mode;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = lanes_[cluster_of(from)]->now();
    observers_.set_flag(event);
}

void Chip::send(const CrossCoreNetwork::Match& match, CoreId from, uint8_t id, uint8_t mode,
                const Instruction& instruction, uint64_t sequence) {
    Cycle latency = signal_latency();
    if (!observers_.empty() && !match.group.empty())
        observers_.tell(&Observer::on_signal, SignalEvent{match.group, match.to, mode, id, now()});
    if (options_.schedule != nullptr) latency += options_.schedule->signal_delay();
    const Cycle due = now() + latency;
    const auto later = [](Cycle mine, const Signal& signal) { return mine < signal.due; };
    const CrossCoreSignal sent{from, instruction.attributes.source_pipe, sequence,
                               instruction.location, instruction.attributes.fifo};
    if (mode == 0) {
        ++ports_[cluster_of(from)]->unmatched;
        for (CoreId core : match.group) --ports_[cluster_of(core)]->unmatched;
    }
    for (CoreId to : match.to) {
        Port& port = *ports_[cluster_of(to)];
        port.signals.insert(std::upper_bound(port.signals.begin(), port.signals.end(), due, later), {due, to, id, sent});
        port.due.notify(port.signals.front().due - now());
    }
}

void Chip::tell(Diagnostic diagnostic, std::vector<Diagnostic>& list) {
    for (Diagnostic& earlier : list)
        if (earlier.code == diagnostic.code && earlier.file == diagnostic.file &&
            earlier.location == diagnostic.location && earlier.operand == diagnostic.operand) {
            ++earlier.count;
            return;
        }
    if (!observers_.empty()) observers_.tell(&Observer::on_diagnostic, diagnostic);
    list.push_back(std::move(diagnostic));
}

}  // namespace ptosim
