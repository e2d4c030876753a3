#include "isa/assembly/sync/blocks.h"

#include <algorithm>

#include "isa/assembly/program/step_traits.h"
#include "isa/assembly/sync/footprints.h"
#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

namespace {

using Functions = std::unordered_map<std::string_view, SyncBlocks::Function>;

std::optional<CoreType> kind_of(const Operation& op, std::optional<CoreType> inherited) {
    const Attribute* kind = find(op.attributes, "pto.kernel_kind");
    if (kind == nullptr) return inherited;
    if (kind->text == "cube") return CoreType::kAIC;
    if (kind->text == "vector") return CoreType::kAIV;
    return inherited;
}

// Functions with a body, in the order of the text.
void collect_functions(std::span<const Operation> operations, std::optional<CoreType> kind,
                       std::vector<SyncBlocks::Function>& functions) {
    for (const Operation& op : operations) {
        if (op.name == "func.func" && !op.is_declaration && !op.regions.empty() &&
            !op.regions[0].blocks.empty())
            functions.push_back({&op, kind_of(op, kind)});
        if (op.name != "module" && op.name != "builtin.module") continue;
        for (const Region& region : op.regions)
            for (const Block& block : region.blocks)
                collect_functions(block.operations, kind_of(op, {}), functions);
    }
}

bool is_call(const Operation& op) { return op.name == "func.call" || op.name == "call"; }

}  // namespace

// Work of a program's steps for flag insertion, by the operations that they come from.
class StepWork {
 public:
    StepWork(const Program& program, const BindRecord& record, Arch arch)
        : program_{program}, record_{record}, footprints_{program}, arch_{arch} {
        for (uint32_t i = 0; i < record.origins.size(); ++i)
            if (record.origins[i] != nullptr) steps_[record.origins[i]].push_back(i);
        for (uint32_t i = 0; i < record.origins.size(); ++i)
            if (program.steps[i].code == StepCode::kLoop) find_iterations(*record.origins[i], i);
    }

    const std::vector<const Operation*>& indistinct() const { return indistinct_; }
    bool reached(const Operation& op) const { return steps_.count(&op) != 0; }

    // Describes the known facts about a loop's iterations.
    void describe_loop(const Operation& op, SyncNode& node) const {
        for (const auto& [loop, reach] : iterations_) {
            if (loop != &op) continue;
            node.period = reach.period;
            node.trips = reach.trips;
        }
    }

    // The work of an operation itself on a core, without that of its regions.
    void add_work(const Operation& op, CoreType core, std::optional<CoreType> section,
                  SyncBlock& block) const {
        const auto found = steps_.find(&op);
        if (found == steps_.end() || (section && *section != core)) return;
        const size_t first = block.size();
        for (const uint32_t index : found->second) {
            const Step& step = program_.steps[index];
            std::optional<SyncNode> node = node_of(step, core, section.has_value());
            if (!node) continue;
            node->operation = &op;
            if (step.code == StepCode::kIssue) add_scalar_reads(step, op, first, block);
            add_iterations(index, *node);
            if (step.code == StepCode::kTransfer) {
                node->pipe = Pipe::kMTE2;
                merge(block, first, *node);
                node->pipe = Pipe::kMTE3;
            }
            merge(block, first, std::move(*node));
        }
    }

 private:
    // For a loop that is bound once. A function called several times contains the loop several
    // times.
    void find_iterations(const Operation& loop, uint32_t step) {
        const auto& steps = steps_.at(&loop);
        const auto ends = std::count_if(steps.begin(), steps.end(), [&](uint32_t i) {
            return program_.steps[i].code == StepCode::kLoop;
        });
        if (ends != 1) return;
        if (auto reach = footprints_.iterations(step))
            iterations_.emplace_back(&loop, std::move(*reach));
        else if (const auto slot = footprints_.slot_step(step);
                 slot && record_.origins[*slot] != nullptr)
            indistinct_.push_back(record_.origins[*slot]);
    }

    void add_iterations(uint32_t step, SyncNode& node) const {
        if (node.reach.empty()) return;
        for (const auto& [loop, reach] : iterations_)
            if (const auto found = reach.steps.find(step); found != reach.steps.end()) {
                node.iterations.push_back({loop, found->second, std::nullopt});
                if (const auto box = reach.boxes.find(step); box != reach.boxes.end())
                    node.iterations.back().box = box->second;
            }
    }

    // The scalar unit reads some operands before the instruction is in its pipe.
    void add_scalar_reads(const Step& step, const Operation& op, size_t first,
                          SyncBlock& block) const {
        SyncNode node;
        node.operation = &op;
        node.pipe = Pipe::kS;
        node.reach = footprints_.of_scalar_unit(step, arch_);
        if (!node.reach.empty()) merge(block, first, std::move(node));
    }

    // Calls bind a function's operations several times: one node for all of them.
    static void merge(SyncBlock& block, size_t first, SyncNode node) {
        for (size_t i = first; i < block.size(); ++i) {
            SyncNode& earlier = block[i];
            if (earlier.kind != node.kind || earlier.pipe != node.pipe ||
                earlier.releases != node.releases || earlier.acquires != node.acquires)
                continue;
            add_missing(earlier.reach, node.reach);
            for (const SyncIterations& iterations : node.iterations)
                merge(earlier.iterations, iterations);
            return;
        }
        block.push_back(std::move(node));
    }

    static void add_missing(std::vector<Reach>& to, const std::vector<Reach>& from) {
        for (const Reach& reach : from)
            if (std::find(to.begin(), to.end(), reach) == to.end()) to.push_back(reach);
    }
    static void merge(std::vector<SyncIterations>& to, const SyncIterations& from) {
        const auto same = std::find_if(to.begin(), to.end(), [&](const SyncIterations& earlier) {
            return earlier.loop == from.loop;
        });
        if (same == to.end()) {
            to.push_back(from);
            return;
        }
        for (size_t i = 0; i < from.reach.size(); ++i) add_missing(same->reach[i], from.reach[i]);
        if (same->box != from.box) same->box.reset();
    }

    static std::optional<CoreType> owner(Space space) {
        return space == Space::kUB ? CoreType::kAIV : CoreType::kAIC;
    }

    std::optional<SyncNode> node_of(const Step& step, CoreType core, bool sectioned) const {
        SyncNode node;
        std::optional<CoreType> only;
        switch (effect_of(step)) {
            case StepEffect::kIssues: {
                const IssuePlan& plan = program_.issues[step.index];
                only = plan.only;
                if (!only && !sectioned) only = core_of(plan.prototype);
                if (!issued(plan.prototype, node)) return std::nullopt;
                break;
            }
            case StepEffect::kUsesFifo: {
                const FifoPlan& plan = program_.fifos[step.index];
                if (!fifo(plan, node, only)) return std::nullopt;
                break;
            }
            case StepEffect::kLoadsTile:
            case StepEffect::kStoresTile:
                only = owner(footprints_.space(step.a));
                break;
            case StepEffect::kTransfers:  // loads and stores in turn, with flags of its own
                only = CoreType::kAIV;
                for (uint8_t id = 0; id < 2; ++id) {
                    node.internal.push_back({Pipe::kMTE2, Pipe::kMTE3, id});
                    node.internal.push_back({Pipe::kMTE3, Pipe::kMTE2, id});
                }
                break;
            case StepEffect::kRunsVector:
                only = CoreType::kAIV;
                node.pipe = Pipe::kV;
                break;
            case StepEffect::kCopiesBytes:
                only = CoreType::kAIV;
                node.pipe = program_.copies[step.index].to_ub ? Pipe::kMTE2 : Pipe::kMTE3;
                break;
            case StepEffect::kCallsIntrinsic:
                only = CoreType::kAIC;
                node.pipe = program_.intrinsics[step.index].pipe;
                break;
            default:
                if (!is_access(effect_of(step))) return std::nullopt;
                break;
        }
        if (only && *only != core) return std::nullopt;
        if (node.kind == SyncNode::Kind::kWork && !node.releases && !node.acquires)
            node.reach = footprints_.of(step);
        return node;
    }

    // False: a node that neither orders nor is ordered.
    bool issued(const Instruction& instruction, SyncNode& node) const {
        const Opcode opcode = instruction.opcode;
        node.pipe = pipe_of(instruction, arch_);
        switch (opcode) {
            case Opcode::kPIPE_BARRIER:
                node.kind = SyncNode::Kind::kBarrier;
                return true;
            case Opcode::kSYNCALL:
                node.kind = SyncNode::Kind::kDrain;
                return true;
            case Opcode::kCROSS_SET:
            case Opcode::kINTRA_SET:
                if (node.pipe == Pipe::kAll) node.kind = SyncNode::Kind::kDrain;
                node.releases = node.in_order = true;
                return true;
            case Opcode::kCROSS_WAIT:
            case Opcode::kINTRA_WAIT:
                // True if only its pipe waits, false if the whole core does.
                node.acquires = node.in_order = true;
                return traits_of(arch_).cross_wait_holds == WaitHolds::kPipe &&
                       node.pipe != Pipe::kAll;
            default:
                break;
        }
        const auto used = internal_flags(opcode, arch_);
        node.internal.assign(used.begin(), used.end());
        return true;
    }

    bool fifo(const FifoPlan& plan, SyncNode& node, std::optional<CoreType>& only) const {
        const FifoShape& shape = program_.fifo_ends[plan.end].shape;
        const CoreType consumer =
            shape.producer == CoreType::kAIC ? CoreType::kAIV : CoreType::kAIC;
        const bool pushes =
            plan.action == FifoAction::kPush || plan.action == FifoAction::kPushSlot;
        only = pushes ? shape.producer : consumer;
        node.pipe = pushes ? producer_pipe(shape) : consumer_pipe(shape);
        // Signals, and the arrival of a slot on chip, are ordered with their pipe.
        node.in_order = plan.action == FifoAction::kPushSlot ||
                        plan.action == FifoAction::kRelease || shape.on_chip;
        return plan.action != FifoAction::kOpen && plan.action != FifoAction::kAlloc;
    }

    const Program& program_;
    const BindRecord& record_;
    const Footprints footprints_;
    const Arch arch_;
    std::unordered_map<const Operation*, std::vector<uint32_t>> steps_;
    std::vector<std::pair<const Operation*, IterationReach>> iterations_;
    std::vector<const Operation*> indistinct_;
};

namespace {

class Tree {
 public:
    Tree(const StepWork& work, const Functions& functions, CoreType core)
        : work_{work}, functions_{functions}, core_{core} {}

    SyncBlock of(const Operation& function, std::optional<CoreType> kind) {
        SyncBlock block;
        add_block(function.regions[0], kind, block);
        return block;
    }

 private:
    void add_block(const Region& region, std::optional<CoreType> section, SyncBlock& block) {
        if (region.blocks.empty()) return;
        for (const Operation& op : region.blocks[0].operations) add(op, section, block);
    }

    void add(const Operation& op, std::optional<CoreType> section, SyncBlock& block) {
        using Kind = SyncNode::Kind;
        if (op.name == "scf.for") return add_regions(op, Kind::kLoop, section, block);
        if (op.name == "scf.while") return add_regions(op, Kind::kWhile, section, block);
        if (op.name == "scf.if" || op.name == "scf.index_switch")
            return add_regions(op, Kind::kBranch, section, block);
        if (op.name == "pto.section.cube" || op.name == "pto.section.vector") {
            const CoreType inside = op.name == "pto.section.cube" ? CoreType::kAIC : CoreType::kAIV;
            if (inside == core_ && (!section || *section == core_))
                for (const Region& region : op.regions) add_block(region, core_, block);
            return;
        }
        if (is_call(op)) return add_call(op, section, block);
        // One instruction, whatever it contains.
        if (op.name == "pto.vecscope") return work_.add_work(op, core_, section, block);
        if (!op.regions.empty()) {
            for (const Region& region : op.regions) add_block(region, section, block);
            return;
        }
        work_.add_work(op, core_, section, block);
    }

    void add_regions(const Operation& op, SyncNode::Kind kind, std::optional<CoreType> section,
                     SyncBlock& block) {
        SyncNode node;
        node.kind = kind;
        node.operation = &op;
        work_.describe_loop(op, node);
        for (const Region& region : op.regions)
            add_block(region, section, node.blocks.emplace_back());
        if (op.name == "scf.if" && op.regions.size() == 1) node.blocks.emplace_back();
        const bool empty = std::all_of(node.blocks.begin(), node.blocks.end(),
                                       [](const SyncBlock& inner) { return inner.empty(); });
        if (!empty) block.push_back(std::move(node));
    }

    // A function's end waits for all pipes, and everything before it has to be complete. A function
    // that only loads and stores scalars is treated as if it were inlined. A function without a
    // body here is treated as if it read and wrote through its pointers.
    void add_call(const Operation& op, std::optional<CoreType> section, SyncBlock& block) {
        const auto callee = functions_.find(op.symbol);
        if (callee == functions_.end()) return work_.add_work(op, core_, section, block);
        const SyncBlocks::Function& function = callee->second;
        if (!section) section = function.kind;
        if (section && *section != core_) return;
        SyncBlock body;
        add_block(function.operation->regions[0], section, body);
        if (body.empty()) return;
        SyncNode node;
        node.operation = &op;
        if (has_pipe_work(body) || has_drain(body))
            node.kind = SyncNode::Kind::kDrain;
        else
            collect(body, node.reach);
        block.push_back(std::move(node));
    }

    static bool has_drain(const SyncBlock& body) {
        return std::any_of(body.begin(), body.end(), [](const SyncNode& node) {
            return node.kind == SyncNode::Kind::kDrain || node.kind == SyncNode::Kind::kBarrier ||
                   std::any_of(node.blocks.begin(), node.blocks.end(), has_drain);
        });
    }
    static void collect(const SyncBlock& body, std::vector<Reach>& reach) {
        for (const SyncNode& node : body) {
            reach.insert(reach.end(), node.reach.begin(), node.reach.end());
            for (const SyncBlock& block : node.blocks) collect(block, reach);
        }
    }

    const StepWork& work_;
    const Functions& functions_;
    const CoreType core_;
};

// True if any of the operations, or one inside of them, was bound.
bool bound(const StepWork& work, std::span<const Operation> operations) {
    return std::any_of(operations.begin(), operations.end(), [&](const Operation& op) {
        if (work.reached(op)) return true;
        return std::any_of(op.regions.begin(), op.regions.end(), [&](const Region& region) {
            return std::any_of(region.blocks.begin(), region.blocks.end(),
                               [&](const Block& block) { return bound(work, block.operations); });
        });
    });
}

}  // namespace

SyncBlocks::SyncBlocks(const Module& module, const Program& program, const BindRecord& record,
                       Arch arch)
    : work_{std::make_unique<StepWork>(program, record, arch)} {
    collect_functions(module.operations, {}, functions_);
    for (const Function& function : functions_)
        by_name_.emplace(function.operation->symbol, function);
}

SyncBlocks::~SyncBlocks() = default;

const std::vector<const Operation*>& SyncBlocks::indistinct() const { return work_->indistinct(); }

std::vector<SyncBlocks::Function> SyncBlocks::running() const {
    std::vector<Function> result;
    for (const Function& function : functions_)
        if (bound(*work_, function.operation->regions[0].blocks[0].operations))
            result.push_back(function);
    return result;
}

SyncBlock SyncBlocks::of(const Function& function, CoreType core) const {
    return Tree(*work_, by_name_, core).of(*function.operation, function.kind);
}

}  // namespace ptosim::assembly
