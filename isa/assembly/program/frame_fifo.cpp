// FIFOs of a core's run.
#include "isa/assembly/program/frame.h"
#include "isa/table/physical_layout.h"

namespace ptosim::assembly {

Operand Frame::scale_of(const FifoPlan& plan) const {
    switch (plan.scale.kind) {
        case Operand::Kind::kTile:
            return tiles[plan.scale.slot];
        case Operand::Kind::kScalar:
            return Scalar{scalars[plan.scale.slot], plan.scale.dtype};
        default:
            return {};
    }
}

void Frame::fifo(const Step& step) {
    const FifoPlan& plan = program.fifos[step.index];
    const FifoEnd& end = program.fifo_ends[plan.end];
    std::optional<Fifo>& fifo = fifos[plan.end];
    if (plan.action == FifoAction::kOpen) {
        FifoShape shape = end.shape;
        if (end.ring != kNoSlot) shape.ring = scalars[end.ring] + end.ring_offset;
        if (end.consumer_address != kNoSlot)
            shape.consumer_address = local_address(step, scalars[end.consumer_address]);
        fifo.emplace(shape, sources);
        return;
    }
    if (!fifo)
        fail(step, "F02", Category::kIllegal, "this FIFO has not been initialised on this path");
    std::optional<uint32_t> subblock;
    if (plan.subblock != kNoSlot) subblock = static_cast<uint32_t>(scalars[plan.subblock]) & 1u;
    switch (plan.action) {
        case FifoAction::kOpen:
            break;
        case FifoAction::kPush: {
            Tile tile = tiles[plan.object];
            if (end.shape.on_chip) declare_rows(tile, plan.open_rows);
            fifo->push(port, tile, plan.split, subblock, step.where, scale_of(plan));
            break;
        }
        case FifoAction::kPop: {
            Tile tile = plan.keeps_shape ? tiles[plan.object] : plan.tile;
            set_valid(step, tile, plan.valid_rows, plan.valid_cols);
            fifo->pop(port, tile, plan.split, subblock, step.where);
            tiles[plan.object] = tile;
            break;
        }
        case FifoAction::kRelease:
            fifo->release(port, plan.split, step.where);
            break;
        case FifoAction::kAlloc:
        case FifoAction::kPopSlot: {
            GlobalView view = plan.view;
            if (plan.action == FifoAction::kAlloc)
                fifo->alloc_slot(port, view, plan.split, step.where);
            else
                fifo->pop_slot(port, view, plan.split, step.where);
            views[plan.object] = view;
            break;
        }
        case FifoAction::kPushSlot:
            fifo->push_slot(port, plan.split, step.where);
            break;
    }
}

void Frame::close_fifos() {
    for (size_t i = 0; i < fifos.size(); ++i)
        if (fifos[i]) fifos[i]->finish(port, program.fifo_ends[i].where);
}

}  // namespace ptosim::assembly
