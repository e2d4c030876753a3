// Transfers through a tile of UB, and signals in global memory.
#include <algorithm>
#include <array>

#include "isa/assembly/program/frame.h"
#include "isa/assembly/program/scalar_ops.h"

namespace ptosim::assembly {

namespace {

// A core polls at most this often, about 100 ms of the chip's time, before it gives up.
constexpr unsigned kMostPolls = 1u << 18;

constexpr std::string_view kSymbols[] = {"==", "!=", "<", "<=", ">", ">="};

bool holds_between(CompareMode mode, int64_t a, int64_t b) {
    switch (mode) {
        case CompareMode::kEq:
            return a == b;
        case CompareMode::kNe:
            return a != b;
        case CompareMode::kLt:
            return a < b;
        case CompareMode::kLe:
            return a <= b;
        case CompareMode::kGt:
            return a > b;
        case CompareMode::kGe:
            return a >= b;
    }
    return false;
}

// A copy within global memory, in as many pieces as the tiles require, with one tile or two in turn and with separate
// flags (hw-native-sys/pto-isa include/pto/comm, TPUT and TGET).
class StagedCopy {
 public:
    StagedCopy(KernelPort& port, const TransferPlan& plan, const GlobalView& to,
               const GlobalView& from, SourceLocation where)
        : port_{port}, plan_{plan}, to_{to}, from_{from}, where_{where} {}

    void run(const Tile& ping, const Tile* pong) {
        tiles_ = {ping, pong == nullptr ? ping : *pong};
        depth_ = pong == nullptr ? 1 : 2;
        for (at_[0] = 0; at_[0] < from_.shape[0]; ++at_[0])
            for (at_[1] = 0; at_[1] < from_.shape[1]; ++at_[1])
                for (at_[2] = 0; at_[2] < from_.shape[2]; ++at_[2]) matrix();
        for (unsigned i = pieces_ < depth_ ? 0 : pieces_ - depth_; i < pieces_; ++i)
            flag(Opcode::kWAIT_FLAG, Pipe::kMTE3, Pipe::kMTE2, i);
    }

 private:
    void matrix() {
        const Tile& tile = tiles_[0];
        for (at_[3] = 0; at_[3] < from_.shape[3]; at_[3] += tile.rows)
            for (at_[4] = 0; at_[4] < from_.shape[4]; at_[4] += tile.cols) piece();
    }
    void piece() {
        Tile tile = tiles_[pieces_ % 2];
        if (pieces_ >= depth_) flag(Opcode::kWAIT_FLAG, Pipe::kMTE3, Pipe::kMTE2, pieces_ - depth_);
        tile.valid_rows =
            static_cast<int32_t>(std::min<int64_t>(tile.rows, from_.shape[3] - at_[3]));
        tile.valid_cols =
            static_cast<int32_t>(std::min<int64_t>(tile.cols, from_.shape[4] - at_[4]));
        Instruction load(Opcode::kTLOAD, where_);
        port_.issue(load.add(tile).add(part(from_, tile)));
        flag(Opcode::kSET_FLAG, Pipe::kMTE2, Pipe::kMTE3, pieces_);
        flag(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kMTE3, pieces_);
        Instruction store(Opcode::kTSTORE, where_);
        store.attributes.atomic = plan_.atomic;
        port_.issue(store.add(part(to_, tile)).add(tile));
        flag(Opcode::kSET_FLAG, Pipe::kMTE3, Pipe::kMTE2, pieces_);
        ++pieces_;
    }
    GlobalView part(const GlobalView& whole, const Tile& tile) const {
        GlobalView view = whole;
        int64_t offset = 0;
        for (unsigned i = 0; i < GlobalView::kRank; ++i) {
            offset += at_[i] * whole.stride[i];
            view.shape[i] = 1;
        }
        view.shape[3] = tile.valid_rows;
        view.shape[4] = tile.valid_cols;
        view.address += static_cast<uint64_t>(offset * bits(whole.dtype) / 8);
        return view;
    }
    void flag(Opcode opcode, Pipe from, Pipe to, unsigned piece) {
        Instruction instruction(opcode, where_);
        instruction.attributes.source_pipe = from;
        instruction.attributes.destination_pipe = to;
        instruction.attributes.event_id = piece % 2;
        port_.issue(instruction);
    }

    KernelPort& port_;
    const TransferPlan& plan_;
    const GlobalView& to_;
    const GlobalView& from_;
    SourceLocation where_;
    std::array<Tile, 2> tiles_;
    std::array<int64_t, GlobalView::kRank> at_{};
    unsigned pieces_ = 0;
    unsigned depth_ = 2;  // how many tiles there are
};

}  // namespace

void Frame::transfer(const Step& step) {
    const TransferPlan& plan = program.transfers[step.index];
    const GlobalView &to = views[plan.to], &from = views[plan.from];
    if (to.dtype != from.dtype || to.dtype != tiles[plan.ping].dtype)
        fail(step, "T05", Category::kIllegal,
             "this transfer would convert, which none does: it goes from " +
                 std::string(name(from.dtype)) + " to " + std::string(name(to.dtype)) +
                 " through a tile of " + std::string(name(tiles[plan.ping].dtype)),
             "give the source, the destination and the tile one element type");
    check_span(step, to);
    check_span(step, from);
    if (to.shape != from.shape)
        fail(step, "S04", Category::kIllegal,
             "source and destination of a transfer differ in shape", "give both the same sizes");
    StagedCopy(port, plan, to, from, step.where)
        .run(tiles[plan.ping], plan.pong == kNoSlot ? nullptr : &tiles[plan.pong]);
}

bool Frame::signals_hold(const Step& step, const SignalPlan& plan, AwaitedSignal* missing) {
    const GlobalView& view = views[plan.signal];
    const int64_t wanted = integer(plan.value);
    check_span(step, view);
    std::array<int64_t, GlobalView::kRank> at{};
    for (;;) {
        int64_t offset = 0;
        for (unsigned i = 0; i < GlobalView::kRank; ++i) offset += at[i] * view.stride[i];
        const uint64_t address = view.address + 4 * static_cast<uint64_t>(offset);
        const auto found = static_cast<int32_t>(
            port.load_global(address, DType::kI32, ScalarPath::kPastCache, step.where));
        if (!holds_between(plan.compare, found, wanted)) {
            if (missing != nullptr) *missing = {address, found, {}, step.where};
            return false;
        }
        int dim = GlobalView::kRank - 1;
        while (dim >= 0 && ++at[dim] >= view.shape[dim]) at[dim--] = 0;
        if (dim < 0) return true;
    }
}

void Frame::signal(const Step& step) {
    const SignalPlan& plan = program.signals[step.index];
    const uint64_t value = unsigned_bits(scalars[plan.value], 32);
    const uint64_t address = views[plan.signal].address;
    switch (plan.action) {
        case SignalAction::kSet:
            port.store_line(address, DType::kI32, value, step.where);
            break;
        case SignalAction::kAdd:
            port.atomic_global(address, DType::kI32, AtomicMode::kAdd, value, step.where);
            break;
        case SignalAction::kTest:
            port.read_signals(views[plan.signal], step.where);
            scalars[step.r] = signals_hold(step, plan);
            break;
        case SignalAction::kWait:
            port.read_signals(views[plan.signal], step.where);
            await_signal(step, plan);
            break;
    }
}

void Frame::await_signal(const Step& step, const SignalPlan& plan) {
    AwaitedSignal missing;
    auto* const listener = dynamic_cast<SignalListener*>(&port);
    const auto condition = [&] {
        return std::string(kSymbols[static_cast<size_t>(plan.compare)]) + " " +
               std::to_string(integer(plan.value));
    };
    for (unsigned polls = 1; !signals_hold(step, plan, &missing); ++polls) {
        if (polls == kMostPolls)
            fail(step, "E06", Category::kDeadlock,
                 "the awaited signal never comes: after " + std::to_string(polls) +
                     " reads its value is still not " + condition(),
                 "another block, or another rank, must set it with pto.comm.tnotify");
        if (listener != nullptr) {
            missing.condition = "is " + condition();
            listener->awaits(missing);
        }
        port.pause();
    }
    if (listener != nullptr) listener->no_longer_awaits();
}

}  // namespace ptosim::assembly
