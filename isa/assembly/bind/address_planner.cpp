#include "isa/assembly/bind/address_planner.h"

#include <algorithm>

#include "isa/assembly/program/tile_slots.h"
#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::assembly {

namespace {

// True if the planner may give the operand's bytes to the result.
bool may_replace(Opcode opcode, size_t operand) {
    return (traits(opcode).in_place >> operand & 1) != 0;
}

bool same_shape(const Tile& a, const Tile& b) {
    return a.space == b.space && a.dtype == b.dtype && a.rows == b.rows && a.cols == b.cols &&
           a.pitch == b.pitch && a.outer == b.outer && a.inner == b.inner;
}

// Tables of the fix pipe and biases: the assembler plans them as if they were as large as UB.
constexpr uint64_t kTableBudget = 192 * 1024;
bool is_small_table(Space space) { return space == Space::kFixpipe || space == Space::kBias; }

}  // namespace

// One allocation per home, in the order of context_.placements.
std::vector<Allocation> AddressPlanner::tile_lifetimes() const {
    Unions unions = aliases(program_);
    struct Life {
        uint32_t first = UINT32_MAX, last = 0;
    };
    std::vector<Life> lives(program_.tile_slots);
    for (uint32_t i = 0; i < program_.steps.size(); ++i)
        if (touches(program_.steps[i].code))
            each_tile_slot(program_, program_.steps[i], [&](Slot slot) {
                Life& life = lives[unions.root(slot)];
                life.first = std::min(life.first, i);
                life.last = std::max(life.last, i);
            });
    std::vector<Allocation> allocations;
    for (const TilePlacement& home : context_.placements) {
        const Step& step = program_.steps[home.step];
        const Tile& tile = program_.tiles[step.index];
        const Life& life = lives[unions.root(step.r)];
        const bool used = life.first <= life.last;
        Allocation allocation;
        allocation.space = tile.space;
        allocation.bytes = home.bytes;
        allocation.used = used;
        allocation.born = home.step;
        allocation.first = used ? life.first : home.step;
        allocation.last = used ? life.last : home.step;
        if (!home.planned) allocation.address = tile.address;
        allocations.push_back(allocation);
    }
    return allocations;
}

// On architectures whose vector instructions work in registers, scratch tiles are not touched (hw-native-sys/PTOAS
// lib/TileOps/a5), so tiles used only as scratch get no memory. Removes such tiles from the instructions.
void AddressPlanner::drop_scratch() {
    Unions unions = aliases(program_);
    std::vector<bool> used(program_.tile_slots, false);
    const auto use = [&](Slot slot) { used[unions.root(slot)] = true; };
    const auto is_scratch = [](const IssuePlan& plan, size_t i) {
        const auto operands = info(plan.prototype.opcode).operands;
        return i < operands.size() && operands[i].role == OperandRole::kTmp;
    };
    for (const Step& step : program_.steps) {
        if (effect_of(step) == StepEffect::kAllocates || makes_alias(step.code)) continue;
        if (effect_of(step) != StepEffect::kIssues) {
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
    for (TilePlacement& home : context_.placements)
        if (home.planned && !used[unions.root(program_.steps[home.step].r)]) home.bytes = 0;
}

// The tiles (one allocation for all tiles of one operation if its function is called several times), and after them the
// buffers reserved for FIFOs, which are always alive.
std::vector<Allocation> AddressPlanner::allocations() {
    std::vector<Allocation> lives = tile_lifetimes();
    extend_over_loops(lives, context_.loops);
    std::vector<Allocation> list;
    std::unordered_map<const Operation*, size_t> allocation_of;
    for (size_t i = 0; i < context_.placements.size(); ++i) {
        const auto [found, fresh] =
            allocation_of.emplace(context_.placements[i].operation, list.size());
        context_.placements[i].allocation =
            fresh || !context_.placements[i].planned ? list.size() : found->second;
        if (context_.placements[i].allocation == list.size()) {
            list.push_back(lives[i]);
            continue;
        }
        Allocation& shared = list[context_.placements[i].allocation];
        shared.first = std::min(shared.first, lives[i].first);
        shared.last = std::max(shared.last, lives[i].last);
        shared.used |= lives[i].used;
    }
    first_buffer_ = list.size();
    for (const auto& [name, buffer] : context_.reserved) {
        Allocation allocation;
        allocation.space = buffer.space;
        allocation.bytes = buffer.bytes;
        allocation.last = UINT32_MAX - 1;
        allocation.reserved = true;
        if (!buffer.planned)
            allocation.address = static_cast<uint32_t>(program_.scalars[buffer.address]);
        list.push_back(allocation);
    }
    return list;
}

// The location in the text that requests an allocation.
SourceLocation AddressPlanner::location_of(size_t allocation) const {
    for (const TilePlacement& home : context_.placements)
        if (home.allocation == allocation) return home.where;
    return std::next(context_.reserved.begin(), static_cast<ptrdiff_t>(allocation - first_buffer_))
        ->second.where;
}

// The tiles that each instruction touches, as indices into `allocations`, and the tiles that may share an address.
PlanFacts AddressPlanner::plan_facts(std::span<const Allocation> allocations) const {
    Unions unions = aliases(program_);
    std::vector<std::vector<size_t>> homes(program_.tile_slots);  // by root
    for (const TilePlacement& home : context_.placements)
        if (home.planned)
            homes[unions.root(program_.steps[home.step].r)].push_back(home.allocation);
    std::vector<bool> loaded(program_.tile_slots, false), halves(program_.tile_slots, false);
    PlanFacts facts;
    for (uint32_t i = 0; i < program_.steps.size(); ++i) {
        const Step& step = program_.steps[i];
        if (!touches(step.code)) continue;
        TileAccess access;
        access.in_loop =
            std::any_of(context_.loops.begin(), context_.loops.end(),
                        [&](const LoopRange& loop) { return loop.first <= i && i <= loop.last; });
        const auto add = [&](Slot slot, bool reads, bool writes) {
            const auto& list = homes[unions.root(slot)];
            if (reads) access.reads.insert(access.reads.end(), list.begin(), list.end());
            if (writes) access.writes.insert(access.writes.end(), list.begin(), list.end());
        };
        const StepEffect effect = effect_of(step);
        if (effect == StepEffect::kUsesFifo) {
            const FifoPlan& fifo = program_.fifos[step.index];
            if (fifo.action == FifoAction::kPop && fifo.split != FifoSplit::kNone)
                halves[unions.root(fifo.object)] = true;
        }
        if (effect != StepEffect::kIssues) {
            const bool writes = effect == StepEffect::kStoresTile;
            each_tile_slot(program_, step, [&](Slot slot) { add(slot, !writes, writes); });
            facts.accesses.push_back(std::move(access));
            continue;
        }
        const IssuePlan& plan = program_.issues[step.index];
        const auto operands = info(plan.prototype.opcode).operands;
        access.pipe = pipe_of(plan.prototype, options_.arch);
        for (size_t k = 0; k < plan.operands.size() && k < operands.size(); ++k) {
            if (plan.operands[k].kind != Operand::Kind::kTile) continue;
            const OperandRole role = operands[k].role;
            const Slot root = unions.root(plan.operands[k].slot);
            add(root, role == OperandRole::kIn || role == OperandRole::kInOut,
                role != OperandRole::kIn);
            if (role != OperandRole::kIn && plan.prototype.opcode == Opcode::kTLOAD)
                loaded[root] = true;
        }
        facts.accesses.push_back(std::move(access));
        const auto marked = [&](const std::vector<bool>& marks) {
            return std::any_of(
                plan.operands.begin(), plan.operands.end(), [&](const OperandPlan& operand) {
                    return operand.kind == Operand::Kind::kTile && marks[unions.root(operand.slot)];
                });
        };
        // As in the assembler for a3: a loaded tile stays alive until the end of the instruction that reads it together
        // with half of a tile from another core.
        const bool hazard =
            traits_of(options_.arch).assembler_backend == AssemblerBackend::kA3 && marked(halves);
        for (size_t k = 1; k < plan.operands.size() && k < operands.size(); ++k) {
            const OperandPlan &source = plan.operands[k], &result = plan.operands[0];
            if (source.kind != Operand::Kind::kTile || result.kind != Operand::Kind::kTile ||
                !may_replace(plan.prototype.opcode, k) ||
                !same_shape(plan.prototype.tile(0), plan.prototype.tile(static_cast<unsigned>(k))))
                continue;
            const auto &from = homes[unions.root(source.slot)],
                       &to = homes[unions.root(result.slot)];
            if (from.size() != 1 || to.size() != 1 || from == to) continue;
            if (hazard && loaded[unions.root(source.slot)]) continue;
            if (allocations[from[0]].last == i && allocations[to[0]].first == i)
                facts.in_place.emplace_back(from[0], to[0]);
        }
    }
    facts.exclusive = exclusive_tiles();
    return facts;
}

// Pairs of allocations that the two arms of an scf.if make and yield as one
// result: only one arm runs, so only one of them is alive. Not where a loop
// carries the result into its next iteration, in which the other arm may run.
std::vector<std::pair<size_t, size_t>> AddressPlanner::exclusive_tiles() const {
    Unions unions = aliases(program_);
    std::unordered_set<Slot> elsewhere;  // roots
    for (const Step& step : program_.steps)
        if (step.code == StepCode::kMoveTile && context_.chosen_tiles.count(step.r) == 0)
            elsewhere.insert(unions.root(step.r));
    const auto apart = [&](uint32_t a, uint32_t b) {
        return std::any_of(context_.arms.begin(), context_.arms.end(), [&](const BranchArms& arms) {
            return arms.first <= a && a < arms.middle && arms.middle <= b && b < arms.last;
        });
    };
    std::unordered_map<size_t, size_t> homes;  // by allocation
    for (const TilePlacement& home : context_.placements) ++homes[home.allocation];
    std::vector<std::pair<size_t, size_t>> pairs;
    for (const TilePlacement& a : context_.placements)
        for (const TilePlacement& b : context_.placements) {
            const Slot root = unions.root(program_.steps[a.step].r);
            if (a.planned && b.planned && apart(a.step, b.step) &&
                root == unions.root(program_.steps[b.step].r) && elsewhere.count(root) == 0 &&
                homes[a.allocation] == 1 && homes[b.allocation] == 1)
                pairs.emplace_back(std::min(a.allocation, b.allocation),
                                   std::max(a.allocation, b.allocation));
        }
    return pairs;
}

Diagnostic AddressPlanner::not_fitting(const PlanProblem& problem,
                                       std::span<const Allocation> list) {
    constexpr size_t kMostNotes = 8;
    Diagnostic diagnostic = diagnostic_at(
        location_of(problem.allocation), "K10",
        "the tiles of this kernel need " + std::to_string(problem.needed) + " bytes of " +
            std::string(name(problem.space)) + ", which has " + std::to_string(problem.available),
        "use smaller tiles, or give addresses (alloc_tile addr = ...) that share memory");
    for (size_t i = 0; i < problem.together.size() && i < kMostNotes; ++i)
        diagnostic.notes.push_back(std::to_string(list[problem.together[i]].bytes) +
                                   " bytes of it: line " +
                                   std::to_string(location_of(problem.together[i]).line));
    if (problem.together.size() > kMostNotes)
        diagnostic.notes.push_back("and " + std::to_string(problem.together.size() - kMostNotes) +
                                   " smaller ones");
    return diagnostic;
}

void AddressPlanner::plan_addresses() {
    const bool tiles = std::any_of(context_.placements.begin(), context_.placements.end(),
                                   [](const TilePlacement& home) { return home.planned; });
    const bool buffers = std::any_of(context_.reserved.begin(), context_.reserved.end(),
                                     [](const auto& entry) { return entry.second.planned; });
    if (!context_.problems.empty() || (!tiles && !buffers)) return;
    std::vector<Allocation> list = allocations();
    auto problem = plan(list, options_.budgets, options_.plan, plan_facts(list));
    if (problem && !options_.launch && is_small_table(problem->space)) {
        context_.warnings.push_back(not_fitting(*problem, list));
        SpaceBudgets budgets = options_.budgets;
        budgets[static_cast<size_t>(problem->space)] = kTableBudget;
        list = allocations();
        problem = plan(list, budgets, options_.plan, plan_facts(list));
    }
    if (problem && traits_of(options_.arch).vector_operands == VectorOperands::kRegisters) {
        drop_scratch();
        list = allocations();
        problem = plan(list, options_.budgets, options_.plan, plan_facts(list));
    }
    if (problem) {
        report(not_fitting(*problem, list));
        return;
    }
    for (size_t i = 0; i < context_.placements.size(); ++i)
        if (context_.placements[i].planned)
            program_.tiles[program_.steps[context_.placements[i].step].index].address =
                *list[context_.placements[i].allocation].address;
    size_t next = first_buffer_;
    for (const auto& [name, buffer] : context_.reserved) {
        if (buffer.planned) program_.scalars[buffer.address] = *list[next].address;
        ++next;
    }
}

}  // namespace ptosim::assembly
