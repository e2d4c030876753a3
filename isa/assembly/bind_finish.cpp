// After all operations are bound: places for tiles, and which cores run what.
#include <algorithm>
#include <numeric>

#include "isa/assembly/binder_state.h"

namespace ptosim::assembly {

namespace {

// The tile slots that a step reads or writes; `aliases` if those name the same bytes afterwards.
template <typename Visit>
void each_tile_slot(const Program& program, const Step& step, Visit&& visit) {
    switch (step.code) {
        case StepCode::kTile:
            visit(step.r);
            break;
        case StepCode::kMoveTile:
        case StepCode::kSubview:
        case StepCode::kRetype:
        case StepCode::kTileAt:
        case StepCode::kTileSlot:
            visit(step.r);
            visit(step.a);
            break;
        case StepCode::kTileScales:
            visit(step.r);
            visit(step.b);
            break;
        case StepCode::kSelectTile:
            visit(step.r);
            visit(step.b);
            visit(step.c);
            break;
        case StepCode::kSetValid:
        case StepCode::kValidRows:
        case StepCode::kValidCols:
        case StepCode::kLoadLocal:
        case StepCode::kStoreLocal:
            visit(step.a);
            break;
        case StepCode::kFifo: {
            const FifoAction action = program.fifos[step.index].action;
            if (action == FifoAction::kPush || action == FifoAction::kPop)
                visit(program.fifos[step.index].object);
            if (program.fifos[step.index].scale.kind == Operand::Kind::kTile)
                visit(program.fifos[step.index].scale.slot);
            break;
        }
        case StepCode::kTransfer: {
            const TransferPlan& plan = program.transfers[step.index];
            visit(plan.ping);
            if (plan.pong != kNoSlot) visit(plan.pong);
            break;
        }
        case StepCode::kIssue:
            for (const OperandPlan& operand : program.issues[step.index].operands)
                if (operand.kind == Operand::Kind::kTile) visit(operand.slot);
            break;
        default:
            break;
    }
}

// Tables of the fix pipe and biases: the assembler plans them as if they were as large as UB.
constexpr uint64_t kTableBudget = 192 * 1024;
bool is_small_table(Space space) { return space == Space::kFixpipe || space == Space::kBias; }

// Whether the result of a step names the bytes of its tile operands.
bool makes_alias(StepCode code) {
    return code == StepCode::kMoveTile || code == StepCode::kSelectTile ||
           code == StepCode::kSubview || code == StepCode::kRetype || code == StepCode::kTileSlot;
}

class Unions {
 public:
    explicit Unions(size_t size) : parents_(size) {
        std::iota(parents_.begin(), parents_.end(), Slot{0});
    }
    Slot root(Slot slot) {
        while (parents_[slot] != slot) slot = parents_[slot] = parents_[parents_[slot]];
        return slot;
    }
    void join(Slot a, Slot b) { parents_[root(a)] = root(b); }

 private:
    std::vector<Slot> parents_;
};

}  // namespace

// One allocation per home, in the order of homes_.
std::vector<Allocation> Binder::tile_lifetimes() const {
    Unions unions(program_.tile_slots);
    for (const Step& step : program_.steps) {
        if (!makes_alias(step.code)) continue;
        each_tile_slot(program_, step, [&](Slot slot) { unions.join(slot, step.r); });
    }
    struct Life {
        uint32_t made = UINT32_MAX, first = UINT32_MAX, last = 0;
    };
    // Who shares wherever tiles never meet lets them live from their first use.
    const bool from_use = options_.plan == PlanPolicy::kLargestFirst;
    std::vector<Life> lives(program_.tile_slots);
    for (uint32_t i = 0; i < program_.steps.size(); ++i)
        each_tile_slot(program_, program_.steps[i], [&](Slot slot) {
            Life& life = lives[unions.root(slot)];
            life.made = std::min(life.made, i);
            if (from_use && program_.steps[i].code == StepCode::kTile) return;
            life.first = std::min(life.first, i);
            life.last = std::max(life.last, i);
        });
    for (Life& life : lives) {
        if (life.first == UINT32_MAX) life.first = life.last = life.made;
        // A round of a loop may find there what an earlier one has left.
        for (const LoopRange& loop : loops_) {
            const bool inside = loop.first < life.first && life.first <= loop.last;
            if (!inside || life.made > loop.first) continue;
            life.first = loop.first;
            life.last = std::max(life.last, loop.last);
        }
    }
    std::vector<Allocation> allocations;
    for (const TileHome& home : homes_) {
        const Step& step = program_.steps[home.step];
        const Tile& tile = program_.tiles[step.index];
        const Life& life = lives[unions.root(step.r)];
        Allocation allocation;
        allocation.space = tile.space;
        allocation.bytes = home.bytes;
        allocation.first = life.first;
        allocation.last = life.last;
        if (!home.planned) allocation.address = tile.address;
        allocations.push_back(allocation);
    }
    return allocations;
}

// On a5 instructions do not touch their scratch tiles (hw-native-sys/PTOAS lib/TileOps/a5): what
// serves as scratch only needs no room. Takes such tiles out of the instructions.
void Binder::drop_scratch() {
    Unions unions(program_.tile_slots);
    for (const Step& step : program_.steps) {
        if (!makes_alias(step.code)) continue;
        each_tile_slot(program_, step, [&](Slot slot) { unions.join(slot, step.r); });
    }
    std::vector<bool> used(program_.tile_slots, false);
    const auto use = [&](Slot slot) { used[unions.root(slot)] = true; };
    const auto is_scratch = [](const IssuePlan& plan, size_t i) {
        const auto operands = info(plan.prototype.opcode).operands;
        return i < operands.size() && operands[i].role == OperandRole::kTmp;
    };
    for (const Step& step : program_.steps) {
        if (step.code == StepCode::kTile || makes_alias(step.code)) continue;
        if (step.code != StepCode::kIssue) {
            each_tile_slot(program_, step, use);
            continue;
        }
        const IssuePlan& plan = program_.issues[step.index];
        for (size_t i = 0; i < plan.operands.size(); ++i)
            if (plan.operands[i].kind == Operand::Kind::kTile && !is_scratch(plan, i))
                use(plan.operands[i].slot);
    }
    for (IssuePlan& plan : program_.issues)
        for (size_t i = 0; i < plan.operands.size(); ++i) {
            OperandPlan& operand = plan.operands[i];
            if (operand.kind != Operand::Kind::kTile || used[unions.root(operand.slot)]) continue;
            operand = OperandPlan{};
            plan.prototype.operands[i] = Operand{};
        }
    for (TileHome& home : homes_)
        if (home.planned && !used[unions.root(program_.steps[home.step].r)]) home.bytes = 0;
}

// The tiles, one allocation for all that one operation makes when its function is called several
// times, and behind them the buffers that are reserved for FIFOs, which live all the time.
std::vector<Allocation> Binder::allocations() {
    std::vector<Allocation> lives = tile_lifetimes();
    extend_over_loops(lives, loops_);
    std::vector<Allocation> list;
    std::unordered_map<const Operation*, size_t> known;
    for (size_t i = 0; i < homes_.size(); ++i) {
        const auto [found, fresh] = known.emplace(homes_[i].operation, list.size());
        homes_[i].allocation = fresh || !homes_[i].planned ? list.size() : found->second;
        if (homes_[i].allocation == list.size()) {
            list.push_back(lives[i]);
            continue;
        }
        Allocation& shared = list[homes_[i].allocation];
        shared.first = std::min(shared.first, lives[i].first);
        shared.last = std::max(shared.last, lives[i].last);
    }
    first_buffer_ = list.size();
    for (const auto& [name, buffer] : reserved_) {
        Allocation allocation;
        allocation.space = buffer.space;
        allocation.bytes = buffer.bytes;
        allocation.last = UINT32_MAX - 1;
        if (!buffer.planned)
            allocation.address = static_cast<uint32_t>(program_.scalars[buffer.address]);
        list.push_back(allocation);
    }
    return list;
}

// Where the text asks for an allocation.
SourceLocation Binder::place_of(size_t allocation) const {
    for (const TileHome& home : homes_)
        if (home.allocation == allocation) return home.where;
    return std::next(reserved_.begin(), static_cast<ptrdiff_t>(allocation - first_buffer_))
        ->second.where;
}

void Binder::fill(BindRecord& record) const {
    record.warnings = warnings_;
    record.origins = origins_;
    record.origins.resize(program_.steps.size());
    std::vector<const Operation*> seen;
    for (const TileHome& home : homes_) {
        // What serves as scratch that nothing touches (a5) has no room, and asks for none again.
        if (home.bytes == 0) continue;
        if (!home.planned || std::find(seen.begin(), seen.end(), home.operation) != seen.end())
            continue;
        seen.push_back(home.operation);
        const Tile& tile = program_.tiles[program_.steps[home.step].index];
        BindRecord::Place place{home.operation, tile.address, {}, home.scratch_operand};
        if (home.is_scratch) place.scratch = scratch_type(tile);
        record.places.push_back(std::move(place));
    }
    for (const auto& [name, buffer] : reserved_)
        if (buffer.planned && buffer.operation != nullptr)
            record.places.push_back({buffer.operation, program_.scalars[buffer.address], {}, 0});
}

Diagnostic Binder::not_fitting(const PlanProblem& problem, std::span<const Allocation> list) {
    constexpr size_t kMostNotes = 8;
    Diagnostic diagnostic = diagnostic_at(
        place_of(problem.allocation), "K10",
        "the tiles of this kernel need " + std::to_string(problem.needed) + " bytes of " +
            std::string(name(problem.space)) + ", which has " + std::to_string(problem.available),
        "use smaller tiles, or give addresses (alloc_tile addr = ...) that share memory");
    for (size_t i = 0; i < problem.together.size() && i < kMostNotes; ++i)
        diagnostic.notes.push_back(std::to_string(list[problem.together[i]].bytes) +
                                   " bytes of it: line " +
                                   std::to_string(place_of(problem.together[i]).line));
    if (problem.together.size() > kMostNotes)
        diagnostic.notes.push_back("and " + std::to_string(problem.together.size() - kMostNotes) +
                                   " smaller ones");
    return diagnostic;
}

void Binder::plan_addresses() {
    plan_reserved();
    const bool tiles = std::any_of(homes_.begin(), homes_.end(),
                                   [](const TileHome& home) { return home.planned; });
    const bool buffers = std::any_of(reserved_.begin(), reserved_.end(),
                                     [](const auto& entry) { return entry.second.planned; });
    if (!problems_.empty() || (!tiles && !buffers)) return;
    std::vector<Allocation> list = allocations();
    auto problem = plan(list, options_.budgets, options_.plan);
    if (problem && options_.verify && is_small_table(problem->space)) {
        warnings_.push_back(not_fitting(*problem, list));
        SpaceBudgets budgets = options_.budgets;
        budgets[static_cast<size_t>(problem->space)] = kTableBudget;
        list = allocations();
        problem = plan(list, budgets, options_.plan);
    }
    if (problem && options_.arch != Arch::kA2A3) {
        drop_scratch();
        list = allocations();
        problem = plan(list, options_.budgets, options_.plan);
    }
    if (problem) {
        report(not_fitting(*problem, list));
        return;
    }
    for (size_t i = 0; i < homes_.size(); ++i)
        if (homes_[i].planned)
            program_.tiles[program_.steps[homes_[i].step].index].address =
                *list[homes_[i].allocation].address;
    size_t next = first_buffer_;
    for (const auto& [name, buffer] : reserved_) {
        if (buffer.planned) program_.scalars[buffer.address] = *list[next].address;
        ++next;
    }
}

// Quantisation to mx formats, and moves of exponents to boxes, read and write in an order of their
// own: none of their tiles may share bytes (hw-native-sys/PTOAS v0.60
// lib/PTO/Transforms/Utils.cpp).
void Binder::check_apart() {
    Unions unions(program_.tile_slots);
    for (const Step& step : program_.steps)
        if (makes_alias(step.code))
            each_tile_slot(program_, step, [&](Slot slot) { unions.join(slot, step.r); });
    std::unordered_map<Slot, std::vector<const Tile*>> places;  // by root
    for (const Step& step : program_.steps)
        if (step.code == StepCode::kTile && step.a == kNoSlot)
            places[unions.root(step.r)].push_back(&program_.tiles[step.index]);
    const auto meet = [&](Slot a, Slot b) {
        if (unions.root(a) == unions.root(b)) return true;
        const auto &one = places[unions.root(a)], &other = places[unions.root(b)];
        if (one.size() != 1 || other.size() != 1 || one[0]->space != other[0]->space) return false;
        return one[0]->address < other[0]->address + other[0]->byte_size() &&
               other[0]->address < one[0]->address + one[0]->byte_size();
    };
    for (size_t at = 0; at < program_.steps.size(); ++at) {
        const Step& step = program_.steps[at];
        if (step.code != StepCode::kIssue) continue;
        const IssuePlan& plan = program_.issues[step.index];
        const Opcode opcode = plan.prototype.opcode;
        std::vector<Slot> tiles;
        bool scratch = false;
        for (size_t i = 0; i < plan.operands.size(); ++i) {
            if (plan.operands[i].kind != Operand::Kind::kTile) continue;
            tiles.push_back(plan.operands[i].slot);
            scratch |= info(opcode).operands[i].role == OperandRole::kTmp;
        }
        if (opcode != Opcode::kTQUANT_MX && !(opcode == Opcode::kTMOV && scratch)) continue;
        for (size_t i = 0; i < tiles.size(); ++i)
            for (size_t j = i + 1; j < tiles.size(); ++j)
                if (meet(tiles[i], tiles[j])) {
                    Diagnostic found = diagnostic_at(
                        origins_[at]->location, "A07",
                        std::string(info(opcode).name) + " has operands that share bytes",
                        "give each of its tiles a place of its own");
                    found.instruction = info(opcode).name;
                    report(std::move(found));
                    i = j = tiles.size();
                }
    }
}

// The only core type that can run an instruction, if there is only one.
std::optional<CoreType> Binder::core_of_plan(const IssuePlan& plan) const {
    const Instruction& instruction = plan.prototype;
    if (instruction.opcode == Opcode::kSYNCALL) {
        if (instruction.attributes.sync_cores == SyncCores::kMix) return std::nullopt;
        return instruction.attributes.sync_cores == SyncCores::kAIC ? CoreType::kAIC
                                                                    : CoreType::kAIV;
    }
    if ((info(instruction.opcode).attributes & kAttrPipes) == 0) return core_of(instruction);
    const bool aic = has_pipe(CoreType::kAIC, instruction.attributes.source_pipe) &&
                     has_pipe(CoreType::kAIC, instruction.attributes.destination_pipe);
    const bool aiv = has_pipe(CoreType::kAIV, instruction.attributes.source_pipe) &&
                     has_pipe(CoreType::kAIV, instruction.attributes.destination_pipe);
    if (aic == aiv) return std::nullopt;
    return aic ? CoreType::kAIC : CoreType::kAIV;
}

// A kernel without a kind and without sections runs where its instructions can run; if that is
// both core types, each instruction runs on its own (hw-native-sys/PTOAS
// PTOMaterializeTileOpSections.cpp puts a section around each).
void Binder::place_cores() {
    bool needs_aic = false, needs_aiv = unsectioned_transfer_;
    for (const uint32_t index : unsectioned_issues_) {
        const auto core = core_of_plan(program_.issues[index]);
        if (core == CoreType::kAIC) needs_aic = true;
        if (core == CoreType::kAIV) needs_aiv = true;
        // A barrier of both core types is there for both.
        if (program_.issues[index].prototype.opcode == Opcode::kSYNCALL && !core)
            needs_aic = needs_aiv = true;
    }
    aic_section_ |= needs_aic;
    aiv_section_ |= needs_aiv;
    // Scalar code alone: one vector core does it.
    if (!aic_section_ && !aiv_section_) aiv_section_ = true;
    if (aic_section_ && aiv_section_)
        for (const uint32_t index : unsectioned_issues_)
            program_.issues[index].only = core_of_plan(program_.issues[index]);
}

}  // namespace ptosim::assembly
