#include "isa/assembly/program/interpreter.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

#include "isa/assembly/program/frame.h"
#include "isa/assembly/program/ready_issues.h"
#include "isa/assembly/program/step_listener.h"
#include "isa/assembly/program/watchdog.h"
#include "isa/numeric/convert.h"
#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

namespace {

// Scalar work is reported to the core at least this often, so that a loop that issues nothing still
// takes time and can be stopped.
constexpr unsigned kWorkBatch = 4096;
constexpr unsigned kJumpsBetweenLooks = 1u << 16;  // of the watchdog

// The run of one core: executes the steps on its slots.
class Run : private Frame {
 public:
    using Frame::Frame;

    void set_arguments(KernelArguments arguments) {
        if (arguments.size() != program.arguments.size())
            fail_input("K08", "the kernel takes " + std::to_string(program.arguments.size()) +
                                  " arguments, given are " + std::to_string(arguments.size()));
        for (size_t i = 0; i < arguments.size(); ++i) {
            const auto& [slot, width] = program.arguments[i];
            scalars[slot] = width == 0 ? arguments[i] : wrap(arguments[i], width);
        }
        for (const auto& [slot, field] : program.implicit_arguments)
            scalars[slot] = identity(field);
    }

    void execute(StepCounts* counts, StepListener* listener) {
        if (listener != nullptr)
            run_steps_for(*listener);
        else
            run_steps(counts);
        close_fifos();
        flush_work();
    }

 private:
    void run_steps(StepCounts* counts) {
        const Step* const first = program.steps.data();
        for (const Step* step = first; step != nullptr;) {
            work_ += step->work;
            if (work_ >= kWorkBatch) flush_work(step->where);
            const Step* const next = run_step(*step);
            if (counts != nullptr) [[unlikely]] {
                const auto at = static_cast<size_t>(step - first);
                ++counts->executed[at];
                if (next != nullptr && next != step + 1) ++counts->jumped[at];
            }
            if (next != nullptr && next <= step && ++jumps_back_ % kJumpsBetweenLooks == 0)
                look_for_progress(*step);
            step = next;
        }
    }

    [[gnu::noinline]] void run_steps_for(StepListener& listener) {
        struct End {
            ~End() { listener.on_frame_end(frame); }
            StepListener& listener;
            const Frame& frame;
        } end{listener, *this};
        const Step* const first = program.steps.data();
        for (const Step* step = first; step != nullptr;) {
            work_ += step->work;
            if (work_ >= kWorkBatch) flush_work(step->where);
            listener.on_step(*step, *this);
            const Step* const next = run_step(*step);
            if (next != nullptr && next <= step && ++jumps_back_ % kJumpsBetweenLooks == 0)
                look_for_progress(*step);
            step = next;
        }
    }

    void flush_work(SourceLocation where = {}) {
        if (work_ != 0) port.scalar_work(std::exchange(work_, 0), where);
    }

    const Step* at(uint32_t target) const { return program.steps.data() + target; }

    uint64_t sign_extended(DType type, uint64_t value) const {
        return is_integer(type) ? wrap(value, bits(type)) : value;
    }

    void issue(const Step& step) {
        ReadyIssues::Addresses addresses;
        if (const ReadyInstruction* const ready = ready_.find(step.index, addresses)) {
            flush_work();
            port.issue_again(*ready, addresses);
            return note_progress();
        }
        if (!fill(step, scratch_)) return;
        flush_work();
        if (shares_launch_ && scratch_.opcode == Opcode::kSYNCALL) [[unlikely]] {
            const OperandPlan& workspace = program.issues[step.index].operands[0];
            if (workspace.kind != Operand::Kind::kNone) return meet(step, workspace);
        }
        if (!ready_.open(step.index))
            port.issue(scratch_);
        else if (const ReadyInstruction* const ready = port.issue_and_keep(scratch_))
            ready_.keep(step.index, *ready);
        note_progress();
    }

    // A soft barrier (scratch_): each core counts itself in the workspace, and waits until the
    // count is the next multiple of all.
    void meet(const Step& step, const OperandPlan& workspace) {
        const Attributes& barrier = scratch_.attributes;
        const BlockIdentity& self = port.identity();
        const bool aic = self.core == CoreType::kAIC, mix = barrier.sync_cores == SyncCores::kMix;
        const auto cores = static_cast<int32_t>(
            barrier.participants != 0 ? barrier.participants
                                      : self.blocks * (mix ? 1 + (aic ? 1 : self.subblocks) : 1));
        port.issue(Instruction(Opcode::kPIPE_BARRIER, step.where));
        note_progress();
        if (!mix && aic != (barrier.sync_cores == SyncCores::kAIC)) return;
        const uint64_t address = workspace.kind == Operand::Kind::kGlobal
                                     ? views[workspace.slot].address
                                     : scalars[workspace.slot];
        const auto before = static_cast<int32_t>(
            port.atomic_global(address, DType::kI32, AtomicMode::kAdd, 1, step.where));
        const int32_t all = (before / cores + 1) * cores;
        while (static_cast<int32_t>(port.load_global(address, DType::kI32, ScalarPath::kPastCache,
                                                     step.where)) < all)
            port.pause(step.where);
        port.issue(Instruction(Opcode::kPIPE_BARRIER, step.where));
        note_progress();
    }

    // `step` jumps back: it is the end of a loop, and names the line where that begins.
    void look_for_progress(const Step& step) {
        if (!watchdog_.expired()) return;
        fail(step, "H11", Category::kDeadlock,
             "this loop has issued no instruction and written nothing for " +
                 std::to_string(watchdog_seconds()) + " s of computing, nor has any other core",
             "is its end ever reached? PTOSIM_WATCHDOG sets the seconds; 0: no limit");
    }

    void call_external(const Step& step) {
        flush_work();
        const CallPlan& plan = program.calls[step.index];
        std::vector<uint64_t> words;
        for (const CallPlan::Argument& argument : plan.arguments)
            words.push_back(scalars[argument.slot]);
        const std::optional<uint64_t> result = port.call_external(plan.function, words);
        if (!result)
            fail(step, "K08", Category::kUnsupported,
                 "function '" + plan.function + "' has no body in this file");
        if (step.r != kNoSlot)
            scalars[step.r] = plan.width == 0 ? *result : wrap(*result, plan.width);
        note_progress();
    }

    void print(const Step& step);

    // ---- the steps: handlers of steps.def. One that jumps returns the step that follows.

    const Step* end(const Step&) { return nullptr; }
    void trap(const Step& step) {
        fail(step, "K11", Category::kUndefined, "the kernel executed pto.trap");
    }

    void move(const Step& step) { scalars[step.r] = scalars[step.a]; }
    void compute(const Step& step) {
        if (program.formats[step.index].width == 64 && compute_at_once(step))
            return;  // by far the most
        const ScalarResult result =
            evaluate(step.op, program.formats[step.index], scalars[step.a], scalars[step.b]);
        if (!result.code.empty())
            fail(step, result.code, Category::kUndefined, std::string(result.problem));
        scalars[step.r] = result.value;
    }
    // The operations that loops and offsets consist of, on 64 bits; false: another one.
    bool compute_at_once(const Step& step) {
        const uint64_t a = scalars[step.a], b = scalars[step.b];
        uint64_t& result = scalars[step.r];
        switch (step.op) {
            case ScalarOp::kAdd:
                result = a + b;
                return true;
            case ScalarOp::kSub:
                result = a - b;
                return true;
            case ScalarOp::kMul:
                result = a * b;
                return true;
            case ScalarOp::kDivU:
                if (b == 0) return false;
                result = a / b;
                return true;
            case ScalarOp::kRemU:
                if (b == 0) return false;
                result = a % b;
                return true;
            case ScalarOp::kEq:
                result = a == b;
                return true;
            case ScalarOp::kSlt:
                result = static_cast<int64_t>(a) < static_cast<int64_t>(b);
                return true;
            case ScalarOp::kSgt:
                result = static_cast<int64_t>(a) > static_cast<int64_t>(b);
                return true;
            default:
                return false;
        }
    }
    void select(const Step& step) {
        scalars[step.r] = scalars[scalars[step.a] != 0 ? step.b : step.c];
    }
    void own_number(const Step& step) {
        scalars[step.r] = identity(static_cast<IdentityField>(step.index));
    }
    void check_step(const Step& step) {
        if (integer(step.a) <= 0)
            fail(step, "K11", Category::kUndefined,
                 "the step of this loop is " + std::to_string(integer(step.a)),
                 "scf.for needs a positive step");
    }
    void get_element(const Step& step) { scalars[step.r] = scalars[array_slot(step)]; }
    void set_element(const Step& step) { scalars[array_slot(step)] = scalars[step.a]; }

    const Step* jump(const Step& step) { return at(step.target); }
    const Step* jump_if_zero(const Step& step) {
        return scalars[step.a] == 0 ? at(step.target) : &step + 1;
    }
    const Step* jump_unless_less(const Step& step) {
        return integer(step.a) < integer(step.b) ? &step + 1 : at(step.target);
    }
    const Step* loop(const Step& step) {
        // The distance to the bound, so that the variable cannot overflow.
        const uint64_t left = scalars[step.b] - scalars[step.a];
        if (left <= scalars[step.c]) return &step + 1;
        scalars[step.a] += scalars[step.c];
        return at(step.target);
    }
    const Step* jump_unless_core(const Step& step) {
        const bool same = port.identity().core == static_cast<CoreType>(step.index);
        return same ? &step + 1 : at(step.target);
    }

    void move_view(const Step& step) { views[step.r] = views[step.a]; }
    void select_view(const Step& step) {
        views[step.r] = views[scalars[step.a] != 0 ? step.b : step.c];
    }
    void get_extent(const Step& step) {
        scalars[step.r] = static_cast<uint64_t>(view_extent(step));
    }
    void get_address(const Step& step) { scalars[step.r] = views[step.a].address; }

    void move_tile(const Step& step) { tiles[step.r] = tiles[step.a]; }
    void select_tile(const Step& step) {
        tiles[step.r] = tiles[scalars[step.a] != 0 ? step.b : step.c];
    }
    void make_tile(const Step& step) {
        Tile tile = program.tiles[step.index];
        if (step.a != kNoSlot) tile.address = local_address(step, scalars[step.a]);
        set_valid(step, tile, step.b, step.c);
        tiles[step.r] = tile;
    }
    void tile_at(const Step& step) {
        tiles[step.r] = tiles[step.a];
        tiles[step.r].address = local_address(step, scalars[step.b]);
    }
    void tile_of_scales(const Step& step) {
        tiles[step.r] = tiles[step.a];
        tiles[step.r].address = tiles[step.b].address >> step.index;
    }
    void shape_tile(const Step& step) { set_valid(step, tiles[step.a], step.b, step.c); }
    void get_valid_rows(const Step& step) {
        scalars[step.r] = static_cast<uint64_t>(tiles[step.a].valid_rows);
    }
    void get_valid_cols(const Step& step) {
        scalars[step.r] = static_cast<uint64_t>(tiles[step.a].valid_cols);
    }

    void add_to_pointer(const Step& step) {
        scalars[step.r] = element_address(step, step.a, step.b);
    }
    void load_global(const Step& step) {
        flush_work();
        const uint64_t address = element_address(step, step.a, step.b);
        scalars[step.r] = sign_extended(
            step.type, port.load_global(address, step.type, ScalarPath::kThroughCache, step.where));
    }
    void store_global(const Step& step) {
        flush_work();
        const uint64_t address = element_address(step, step.a, step.b);
        port.store_global(address, step.type, unsigned_bits(scalars[step.c], bits(step.type)),
                          ScalarPath::kThroughCache, step.where);
        note_progress();
    }
    void clean_cache(const Step& step) {
        flush_work();
        if (step.a == kNoSlot)
            port.use_cache({CacheUse::Kind::kClean, 0, 0, step.where});
        else
            port.use_cache({CacheUse::Kind::kClean, scalars[step.a], 1, step.where});
    }
    void load_local(const Step& step) {
        if (!holds(tiles[step.a])) return;
        flush_work();
        scalars[step.r] = sign_extended(
            step.type, port.load_local(tiles[step.a], integer(step.b), step.where));
    }
    void store_local(const Step& step) {
        if (!holds(tiles[step.a])) return;
        flush_work();
        port.store_local(tiles[step.a], integer(step.b),
                         unsigned_bits(scalars[step.c], bits(step.type)), step.where);
        note_progress();
    }

    void use_fifo(const Step& step) {
        flush_work();
        fifo(step);
        note_progress();
    }
    void move_data(const Step& step) {
        if (!holds(tiles[program.transfers[step.index].ping])) return;
        flush_work();
        transfer(step);
        note_progress();
    }
    void use_signal(const Step& step) {
        flush_work();
        signal(step);
        if (program.signals[step.index].action != SignalAction::kTest) note_progress();
    }
    void end_vector(const Step& step) {
        flush_work();
        vector_function(step);
        note_progress();
    }
    void copy_bytes(const Step& step) {
        flush_work();
        copy(step);
        note_progress();
    }

    void call_intrinsic(const Step& step) {
        if (port.identity().core != CoreType::kAIC) return;
        flush_work();
        intrinsic(step);
        note_progress();
    }

    // The step that follows: the next, unless the handler returns another.
    template <typename Handler>
    static const Step* after(const Step& step, Handler&& handler) {
        if constexpr (std::is_void_v<decltype(handler())>) {
            handler();
            return &step + 1;
        } else {
            return handler();
        }
    }

    // In the loop of run_steps() a call would cost 2 % of a run.
    [[gnu::always_inline]] inline const Step* run_step(const Step& step) {
        switch (step.code) {
#define STEP(CODE, RESULT, EFFECT, READS, HANDLER) \
    case StepCode::CODE:                           \
        return after(step, [&] { return HANDLER(step); });
#include "isa/assembly/program/steps.def"
#undef STEP
        }
        return nullptr;  // no code
    }

    // In a kernel for both core types without sections, each core touches its own memories only.
    bool holds(const Tile& tile) const {
        return (tile.space == Space::kUB) == (port.identity().core == CoreType::kAIV);
    }

    const bool shares_launch_ = port.shares_launch();
    unsigned work_ = 0;
    unsigned jumps_back_ = 0;
    Watchdog watchdog_;
    Instruction scratch_;
    ReadyIssues ready_{*this};
};

// The value replaces the format's first conversion (%d, %f, ...), or is appended if there is none.
void Run::print(const Step& step) {
    const PrintPlan& plan = program.prints[step.index];
    flush_work();
    std::string value;
    if (plan.value != kNoSlot) {
        if (plan.is_float) {
            const uint64_t wide = convert_bits(DType::kF32, plan.dtype, scalars[plan.value],
                                               RoundMode::kRint, Saturation::kOff);
            char text[64];
            std::snprintf(text, sizeof text, "%f",
                          static_cast<double>(from_bits<DType::kF32>(wide)));
            value = text;
        } else {
            value = std::to_string(integer(plan.value));
        }
    }
    std::string text = plan.format;
    const size_t mark = text.find('%');
    if (mark == std::string::npos) {
        text += value;
    } else {
        const size_t end = text.find_first_of("diuxXfFeEgGcsp%", mark + 1);
        const size_t size = end == std::string::npos ? text.size() - mark : end + 1 - mark;
        text.replace(mark, size, value);
    }
    port.print(text);
}

}  // namespace

void AssemblyKernel::relocate(std::span<const uint32_t> lines,
                              std::shared_ptr<const SourceMap> sources, uint16_t first_file) {
    const auto move = [lines, first_file](SourceLocation& location) {
        if (location.file == 0 && location.line >= 1 && location.line <= lines.size())
            location.line = lines[location.line - 1];
        location.file = static_cast<uint16_t>(location.file + first_file);
    };
    for (Step& step : program_.steps) move(step.where);
    for (IssuePlan& plan : program_.issues) move(plan.prototype.location);
    for (FifoEnd& end : program_.fifo_ends) move(end.where);
    for (Parameter& parameter : parameters_) move(parameter.location);
    sources_ = std::move(sources);
}

bool AssemblyKernel::keeps_clusters_apart() const {
    if (listener_ != nullptr || counts_ != nullptr) return false;
    return std::ranges::none_of(program_.steps, [this](const Step& step) {
        switch (step.code) {
            case StepCode::kLoadGlobal:
            case StepCode::kStoreGlobal:
            case StepCode::kCleanCache:
            case StepCode::kPrint:
            case StepCode::kTransfer:
            case StepCode::kSignal:
            case StepCode::kCall:
            case StepCode::kIntrinsic:
                return true;
            case StepCode::kIssue:  // the scalar unit's own instructions may use global memory
                return info(program_.issues[step.index].prototype.opcode).pipe == PipeRule::kScalar;
            default:
                return false;
        }
    });
}

void AssemblyKernel::run(KernelPort& port, KernelArguments arguments) const {
    if (program_.one_vector_core && port.identity().core == CoreType::kAIV &&
        port.identity().subblock != 0)
        return;
    Run run(program_, *sources_, port);
    run.set_arguments(arguments);
    run.execute(counts_, listener_);
}

}  // namespace ptosim::assembly
