// The two ends of a FIFO between cores, for TPipe and TMPipe: which tile is next, where in its slot
// it goes, and which of the waits and notices TPUSH, TPOP and TFREE make. A Pipe_ has `slots` and,
// if all are of one size, `slot_bytes`; `produces` and `consumes`; and the flags `outgoing` and
// `incoming` of this core.
#pragma once

#include "pto/common/fifo.hpp"
#include "pto/fifo/flags.hpp"

namespace pto {

namespace ptosim_detail {

template <class Pipe_>
struct FifoSide {
    uint32_t tileIndex = 0;
    uint32_t subTileIndex = 0;
    int entryOffset = 0;

    void setTileId(int tile, int sub) {
        tileIndex = static_cast<uint32_t>(tile);
        subTileIndex = static_cast<uint32_t>(sub);
    }
    int getTileId() const { return static_cast<int>(tileIndex); }
    int getSubTileId() const { return static_cast<int>(subTileIndex); }
    void setEntryOffset(int offset) { entryOffset = offset; }
    // Bytes from the first slot on; `bytes`: how large one is.
    uint64_t slot(uint64_t bytes = Pipe_::slot_bytes) const {
        return tileIndex % Pipe_::slots * bytes;
    }
    uint64_t entry(uint64_t bytes = Pipe_::slot_bytes) const {
        return slot(bytes) + static_cast<uint64_t>(int64_t{entryOffset});
    }
};

template <class Pipe_>
struct FifoProducer : FifoSide<Pipe_> {
    bool isAllocate = true;
    bool isRecord = true;
    void setAllocateStatus(bool allocate) { isAllocate = allocate; }
    bool getAllocateStatus() const { return isAllocate; }
    void setRecordStatus(bool record) { isRecord = record; }
    bool getRecordStatus() const { return isRecord; }
    template <TileSplitAxis Split_ = TILE_UP_DOWN>
    void allocate(PTO_DETAIL_WHERE) const {
        if (Pipe_::produces) Pipe_::outgoing.await_emptied(Split_ != TILE_NO_SPLIT, where);
    }
    template <TileSplitAxis Split_ = TILE_UP_DOWN>
    void record(PTO_DETAIL_WHERE) const {
        if (Pipe_::produces) Pipe_::outgoing.filled(Split_ != TILE_NO_SPLIT, where);
    }
};

template <class Pipe_>
struct FifoConsumer : FifoSide<Pipe_> {
    bool isWait = true;
    bool isFree = true;
    void setWaitStatus(bool wait) { isWait = wait; }
    bool getWaitStatus() const { return isWait; }
    void setFreeStatus(bool free) { isFree = free; }
    bool getFreeStatus() const { return isFree; }
    template <TileSplitAxis Split_ = TILE_UP_DOWN>
    void wait(PTO_DETAIL_WHERE) const {
        if (Pipe_::consumes) Pipe_::incoming.await_filled(Split_ != TILE_NO_SPLIT, where);
    }
    template <TileSplitAxis Split_ = TILE_UP_DOWN>
    void free(PTO_DETAIL_WHERE) const {
        if (Pipe_::consumes) Pipe_::incoming.emptied(Split_ != TILE_NO_SPLIT, where);
    }
};

}  // namespace ptosim_detail

}  // namespace pto
