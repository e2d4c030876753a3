// TPipe: a FIFO of tiles between the AIC and the AIVs of a cluster, and its operations.
//
// On a2a3 tiles go through a ring of slots in global memory; on a5 they go from L0C straight into
// the AIV's UB and from UB into the AIC's L1, or, for the _GM directions, as on a2a3. Flags are
// sparse: the consumer says once per SyncPeriod slots that they are free again.
#pragma once

#include "pto/common/fixpipe.hpp"
#include "pto/common/intrinsics.hpp"
#include "pto/fifo/sides.hpp"
#include "pto/instructions/memory.hpp"
#include "pto/instructions/moves.hpp"

namespace pto {

namespace ptosim_detail {

// Registers of the fixpipe that SET_QUANT_SCALAR and SET_QUANT_VECTOR set for later TPUSH.
struct FixpipeRegisters {
    uint64_t scale = 0;
    ptosim_tile scales{};
};
inline FixpipeRegisters& fixpipe_registers() {
    static FixpipeRegisters registers;
    return registers;
}

// A matrix of T_ in a slot.
template <class T_, Layout Layout_ = Layout::ND>
using SlotView = GlobalTensor<T_, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>, Layout_>;

constexpr int64_t halved(int64_t size, bool split) { return split ? size / 2 : size; }

}  // namespace ptosim_detail

template <typename Out>
RecordEvent SET_QUANT_SCALAR(float preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    uint64_t bits = ptosim_detail::to_bits(preQuantScalar);
    // True if 8-bit integers are signed.
    if (std::is_same_v<Out, int8_t>) bits |= uint64_t{1} << 46;
    ptosim_detail::fixpipe_registers().scale = bits;
    ptosim_scalar_work(1);
    return {where};
}
template <typename Scales>
RecordEvent SET_QUANT_VECTOR(Scales& fp, PTO_DETAIL_EVENTS) {
    static_assert(Scales::Loc == TileType::Scaling, "PTO: SET_QUANT_VECTOR takes a Scaling tile");
    PTO_DETAIL_WAIT;
    ptosim_detail::fixpipe_registers().scales = ptosim_detail::record(fp);
    ptosim_scalar_work(1);
    return {where};
}

template <uint8_t FlagID, uint8_t DirType, uint32_t SlotSize, uint32_t SlotNum,
          uint32_t LocalSlotNum = 2, bool IsNoSplit = false, bool EnUnitFlag_ = false>
struct TPipe {
    static constexpr uint8_t DIR_MASK = 0x7;
    static constexpr uint8_t DIR_TYPE = DIR_MASK & DirType;
    static_assert(DIR_TYPE != Direction::DIR_V2C_CTRL,
                  "PTO: FIFOs of control signals (DIR_V2C_CTRL) are not supported");
    static constexpr bool through_memory =
        ptosim_detail::kA2A3 || DIR_TYPE > Direction::DIR_V2C_CTRL;
    static constexpr bool is_c2v = (DIR_TYPE & 3) == Direction::DIR_C2V;
    static constexpr bool is_v2c = (DIR_TYPE & 3) == Direction::DIR_V2C;
    static constexpr bool is_both = (DIR_TYPE & 3) == Direction::DIR_BOTH;
    static_assert(is_c2v || is_v2c || is_both, "PTO: the direction of a TPipe");
    static_assert(SlotNum >= 1, "PTO: a TPipe has at least one slot");
    static_assert(FlagID + (is_both ? 3 : 1) < 16,
                  "PTO: the flags of a TPipe, FlagID to FlagID + 1 (both directions: + 3), are "
                  "below 16");
    static constexpr uint32_t SyncPeriod = SlotNum <= 2 ? SlotNum : SlotNum / 2;
    static constexpr bool unit_flag = EnUnitFlag_;

    using RingFiFo = RingFIFO<SlotSize, SlotNum, LocalSlotNum>;

    // The flags of what this core produces and consumes.
    static constexpr bool produces = ptosim_detail::kOnCube ? !is_v2c : !is_c2v;
    static constexpr bool consumes = ptosim_detail::kOnCube ? !is_c2v : !is_v2c;
    static constexpr ptosim_detail::FifoFlags outgoing{
        is_both && !ptosim_detail::kOnCube ? FlagID + 2 : FlagID, through_memory};
    static constexpr ptosim_detail::FifoFlags incoming{
        is_both && ptosim_detail::kOnCube ? FlagID + 2 : FlagID, through_memory};

    static constexpr bool shouldWaitFree(uint32_t tile) {
        return tile >= SlotNum && tile % SyncPeriod == 0;
    }
    static constexpr bool shouldNotifyFree(uint32_t tile) { return (tile + 1) % SyncPeriod == 0; }
    // Number of signals of free slots that are still unwaited after `tiles` tiles.
    static constexpr uint32_t countPendingFreeCredits(uint32_t tiles) {
        uint32_t waited = 0;
        if (SlotNum == 1) {
            waited = tiles > 0 ? tiles - 1 : 0;
        } else if (tiles > SlotNum) {
            const uint32_t first = (SlotNum + SyncPeriod - 1) / SyncPeriod * SyncPeriod;
            const uint32_t last = (tiles - 1) / SyncPeriod * SyncPeriod;
            if (last >= first) waited = (last - first) / SyncPeriod + 1;
        }
        const uint32_t notified = tiles / SyncPeriod;
        return notified > waited ? notified - waited : 0;
    }

    using Producer = ptosim_detail::FifoProducer<TPipe>;
    using Consumer = ptosim_detail::FifoConsumer<TPipe>;
    static constexpr uint32_t slots = SlotNum;
    static constexpr uint64_t slot_bytes = SlotSize;

    RingFiFo fifo;
    Producer prod;
    Consumer cons;

    explicit TPipe(void* slots, uint32_t ub, uint32_t l1, PTO_DETAIL_WHERE)
        : fifo(slots, ub, l1), where_(where) {
#ifdef PTO_NPU_ARCH_A2A3
        // Two rings in global memory: the ring of the AIC's tiles comes first.
        if (is_both) {
            constexpr int kSecondRing = static_cast<int>(SlotNum * SlotSize);
            if (ptosim_detail::kOnCube) {
                cons.setEntryOffset(kSecondRing);
            } else {
                prod.setEntryOffset(kSecondRing);
            }
        }
#else
        for (uint32_t i = 0; i < SyncPeriod; ++i) cons.template free<kSplit>(where);
#endif
    }
    TPipe(const TPipe&) = delete;
    // Takes the signals that nothing waits for any more, so that the flags end as they began.
    ~TPipe() {
#ifdef PTO_NPU_ARCH_A2A3
        const uint32_t left = countPendingFreeCredits(prod.tileIndex);
#else
        const uint32_t left = SyncPeriod;
#endif
        for (uint32_t i = 0; i < left; ++i) prod.template allocate<kSplit>(where_);
    }

 private:
    static constexpr TileSplitAxis kSplit = IsNoSplit ? TILE_NO_SPLIT : TILE_UP_DOWN;
    ptosim_location where_;
};

namespace ptosim_detail {

// Offset of one AIV's part in a slot, in bytes, and the distance of its rows, in elements.
struct Part {
    uint64_t offset;
    int64_t stride;
};
inline Part part_of(TileSplitAxis split, int64_t aiv, int64_t rows, int64_t cols, size_t element) {
    int64_t before = 0;
    int64_t stride = cols;
    switch (split) {
        case TILE_NO_SPLIT:
            break;
        case TILE_UP_DOWN:
            before = aiv * rows * cols;
            break;
        case TILE_LEFT_RIGHT:
            before = aiv * cols;
            stride = 2 * cols;
            break;
        case TILE_UP_DOWN_ODD:
            before = aiv * (rows + aiv) * cols;
            break;
        case TILE_LEFT_RIGHT_ODD:
            before = aiv * (cols + aiv);
            stride = 2 * cols + 2 * aiv - 1;
            break;
    }
    return {static_cast<uint64_t>(before) * element, stride};
}

template <class T_, Layout Layout_ = Layout::ND>
SlotView<T_, Layout_> slot_view(const void* slots, uint64_t offset, int64_t rows, int64_t cols,
                                int64_t stride) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(slots) + offset;
    return {reinterpret_cast<T_*>(address), {rows, cols}, {stride}};
}

#ifdef PTO_NPU_ARCH_A5
// L0C into the UB of one AIV or of both.
template <TileSplitAxis Split_, class Pipe, class Data>
void push_to_vector(Pipe& pipe, Data& tile, ptosim_location where) {
    using T_ = typename Data::DType;
    constexpr bool kRows = Split_ == TILE_UP_DOWN;
    constexpr bool kCols = Split_ == TILE_LEFT_RIGHT;
    static_assert(Split_ == TILE_NO_SPLIT || kRows || kCols,
                  "PTO: L0C to UB splits rows or columns in half");
    Tile<TileType::Vec, T_, (kRows ? Data::Rows / 2 : Data::Rows),
         (kCols ? Data::Cols / 2 : Data::Cols), BLayout::RowMajor, -1, -1>
        part(static_cast<unsigned>(halved(tile.GetValidRow(), kRows)),
             static_cast<unsigned>(halved(tile.GetValidCol(), kCols)));
    part.assign_address(pipe.fifo.C2V_CONSUMER_BUF + pipe.prod.entry());
    move(operand(part), source(tile), none(), none(),
         {ReluPreMode::NoRelu, kRows   ? AccToVecMode::DualModeSplitM
                               : kCols ? AccToVecMode::DualModeSplitN
                                       : AccToVecMode::SingleModeVec0},
         where);
}
// UB into the AIC's L1.
template <TileSplitAxis Split_, class Pipe, class Data>
void push_to_cube(Pipe& pipe, Data& tile, int64_t aiv, ptosim_location where) {
    using T_ = typename Data::DType;
    constexpr int kRows = Split_ == TILE_UP_DOWN ? 2 : 1;
    constexpr int kCols = Split_ == TILE_LEFT_RIGHT ? 2 : 1;
    Tile<TileType::Mat, T_, Data::Rows * kRows, Data::Cols * kCols, BLayout::ColMajor, -1, -1,
         SLayout::RowMajor>
        whole(tile.GetValidRow() * kRows, tile.GetValidCol() * kCols);
    whole.assign_address(pipe.fifo.V2C_CONSUMER_BUF + pipe.prod.entry());
    const auto row = static_cast<uint32_t>(kRows == 2 ? tile.GetValidRow() * aiv : 0);
    const auto col = static_cast<uint32_t>(kCols == 2 ? tile.GetValidCol() * aiv : 0);
    window(PTO_DETAIL_OPCODE(TINSERT), operand(whole), operand(tile), row, col, none(), none(), {},
           where);
}
#endif

template <TileSplitAxis Split_, class Pipe, class Data>
void push_tile(Pipe& pipe, Data& tile, int64_t aiv, ptosim_location where) {
    static_assert(Data::Loc == TileType::Acc || Data::Loc == TileType::Vec,
                  "PTO: TPUSH takes a tile of L0C or of UB");
    if constexpr (!Pipe::produces) {
        return;
    } else if constexpr (Pipe::through_memory) {
        using T_ = typename Data::DType;
        const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
        const Part part = Data::Loc == TileType::Acc ? Part{0, cols}
                                                     : part_of(Split_, aiv, rows, cols, sizeof(T_));
        auto view = slot_view<T_>(pipe.fifo.GM_SLOT_BUFFER, pipe.prod.entry() + part.offset, rows,
                                  cols, part.stride);
        store(operand(view), operand(tile), none(), none(), AtomicType::AtomicNone,
              ReluPreMode::NoRelu,
              Pipe::unit_flag && Data::Loc == TileType::Acc ? STPhase::Final : STPhase::Unspecified,
              where);
    } else {
#ifdef PTO_NPU_ARCH_A5
        if constexpr (Data::Loc == TileType::Acc) {
            push_to_vector<Split_>(pipe, tile, where);
        } else {
            push_to_cube<Split_>(pipe, tile, aiv, where);
        }
#endif
    }
}

// Form with the fixpipe's processing.
template <class Config, class Pipe, class Data>
void push_converted(Pipe& pipe, Data& tile, ptosim_location where) {
    static_assert(Data::Loc == TileType::Acc, "PTO: TPUSH with FixpipeParams takes a tile of L0C");
    using T_ = FixpipeConsDType_t<Config::QuantPre, typename Data::DType>;
    const ptosim_operand scales =
        takes_scales(Config::QuantPre) ? operand(fixpipe_registers().scales) : none();
    const ptosim_operand scale =
        takes_scale(Config::QuantPre) ? scalar(fixpipe_registers().scale) : none();
    if constexpr (!Pipe::produces) {
        return;
    } else if constexpr (Pipe::through_memory) {
        constexpr Layout kLayout = Config::LayoutMode == LayoutMode_t::NZ2ND   ? Layout::ND
                                   : Config::LayoutMode == LayoutMode_t::NZ2DN ? Layout::DN
                                                                               : Layout::NZ;
        const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
        auto view =
            slot_view<T_, kLayout>(pipe.fifo.GM_SLOT_BUFFER, pipe.prod.entry(), rows, cols, cols);
        store(operand(view), operand(tile), scales, scale, Config::AtomicT, Config::ReluMode,
              Config::Phase, where);
    } else {
        constexpr bool kColumns = Config::LayoutMode != LayoutMode_t::NZ2ND;
        constexpr SLayout kInner =
            Config::LayoutMode == LayoutMode_t::NZ2NZ ? SLayout::RowMajor : SLayout::NoneBox;
        Tile<TileType::Vec, T_, Data::Rows, Data::Cols,
             kColumns ? BLayout::ColMajor : BLayout::RowMajor, Data::Rows, Data::Cols, kInner>
            part;
        part.assign_address(pipe.fifo.C2V_CONSUMER_BUF + pipe.prod.entry());
        move(operand(part), source(tile), scales, scale,
             {Config::ReluMode, static_cast<AccToVecMode>(Config::SubBlockId), Config::Phase},
             where);
    }
}

// Gives the tile its slot, and loads it if that is in global memory.
template <TileSplitAxis Split_, class Pipe, class Data>
void pop_tile(Pipe& pipe, Data& tile, int64_t aiv, ptosim_location where) {
    static_assert(Data::Loc == TileType::Vec || Data::Loc == TileType::Mat,
                  "PTO: TPOP gives a tile of UB or of L1");
    constexpr bool kVector = Data::Loc == TileType::Vec;
    const uint64_t base = kVector ? pipe.fifo.C2V_CONSUMER_BUF : pipe.fifo.V2C_CONSUMER_BUF;
    if constexpr (!Pipe::through_memory) {
        tile.assign_address(base + pipe.cons.entry());
    } else {
        using T_ = typename Data::DType;
        using Ring = typename Pipe::RingFiFo;
        const uint64_t local_size =
            kA2A3 ? Ring::SLOT_SIZE : uint64_t{Data::Rows} * Data::Cols * sizeof(T_);
        tile.assign_address(base + pipe.cons.tileIndex % Ring::LOCAL_SLOT_NUM * local_size);
        const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
        const Part part = kVector ? part_of(Split_, aiv, rows, cols, sizeof(T_)) : Part{0, cols};
        auto view = slot_view<T_>(pipe.fifo.GM_SLOT_BUFFER, pipe.cons.entry() + part.offset, rows,
                                  cols, part.stride);
        load(PTO_DETAIL_OPCODE(TLOAD), tile, view, where);
    }
}

// Offset of this AIV's view in a slot.
template <TileSplitAxis Split_, class Global>
uint64_t view_offset() {
    if (kOnCube) return 0;
    const int64_t rows = Global::staticShape[3], cols = Global::staticShape[4];
    const int64_t before = Split_ == TILE_NO_SPLIT  ? 0
                           : Split_ == TILE_UP_DOWN ? rows * cols
                                                    : cols;
    return static_cast<uint64_t>(get_subblockid() * before) * sizeof(typename Global::RawDType);
}
template <TileSplitAxis Split_, class Pipe, class Global, class Side>
void assign_slot(Pipe& pipe, Side& side, Global& view) {
    view.view.address = reinterpret_cast<uintptr_t>(pipe.fifo.GM_SLOT_BUFFER) + side.slot() +
                        view_offset<Split_, Global>();
}

template <TileSplitAxis Split_, class Pipe>
void before_push(Pipe& pipe, ptosim_location where) {
    if (pipe.prod.isAllocate && Pipe::shouldWaitFree(pipe.prod.tileIndex)) {
        pipe.prod.template allocate<Split_>(where);
    }
}
template <TileSplitAxis Split_, class Pipe>
void after_push(Pipe& pipe, ptosim_location where) {
    ++pipe.prod.tileIndex;
    if (pipe.prod.isRecord) pipe.prod.template record<Split_>(where);
}
template <TileSplitAxis Split_, class Pipe>
void free_slots(Pipe& pipe, uint32_t tile, ptosim_location where) {
    if (pipe.cons.isFree && Pipe::shouldNotifyFree(tile)) pipe.cons.template free<Split_>(where);
}

template <class T_>
inline constexpr bool is_fifo_pipe = false;
template <uint8_t F_, uint8_t D_, uint32_t S_, uint32_t N_, uint32_t L_, bool A_, bool B_>
inline constexpr bool is_fifo_pipe<TPipe<F_, D_, S_, N_, L_, A_, B_>> = true;

}  // namespace ptosim_detail

// ---- tiles -----------------------------------------------------------------------------------
template <typename Pipe, typename Data, TileSplitAxis Split_>
RecordEvent TPUSH(Pipe& pipe, Data& tile, int32_t subBlockId, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    ptosim_detail::before_push<Split_>(pipe, where);
    ptosim_detail::push_tile<Split_>(pipe, tile, subBlockId, where);
    ptosim_detail::after_push<Split_>(pipe, where);
    return {where};
}
template <typename Pipe, typename Data, TileSplitAxis Split_,
          std::enable_if_t<is_tile_data_v<Data>, int> = 0>
RecordEvent TPUSH(Pipe& pipe, Data& tile, PTO_DETAIL_EVENTS) {
    return TPUSH<Pipe, Data, Split_>(pipe, tile, static_cast<int32_t>(get_subblockid()), e0, e1, e2,
                                     e3, where);
}
template <typename Pipe, typename Data, typename Config,
          std::enable_if_t<is_tile_data_v<Data>, int> = 0>
RecordEvent TPUSH(Pipe& pipe, Data& tile, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    constexpr TileSplitAxis kSplit = TILE_NO_SPLIT;
    ptosim_detail::before_push<kSplit>(pipe, where);
    ptosim_detail::push_converted<Config>(pipe, tile, where);
    ptosim_detail::after_push<kSplit>(pipe, where);
    return {where};
}

template <typename Pipe, typename Data, TileSplitAxis Split_,
          std::enable_if_t<is_tile_data_v<Data>, int> = 0>
RecordEvent TPOP(Pipe& pipe, Data& tile, int32_t subBlockId, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    if (pipe.cons.isWait) pipe.cons.template wait<Split_>(where);
    ptosim_detail::pop_tile<Split_>(pipe, tile, subBlockId, where);
    // Loading has emptied its slot; TFREE frees a slot that still holds data.
    if (Pipe::through_memory) ptosim_detail::free_slots<Split_>(pipe, pipe.cons.tileIndex, where);
    ++pipe.cons.tileIndex;
    return {where};
}
template <typename Pipe, typename Data, TileSplitAxis Split_,
          std::enable_if_t<is_tile_data_v<Data>, int> = 0>
RecordEvent TPOP(Pipe& pipe, Data& tile, PTO_DETAIL_EVENTS) {
    return TPOP<Pipe, Data, Split_>(pipe, tile, static_cast<int32_t>(get_subblockid()), e0, e1, e2,
                                    e3, where);
}
template <typename Pipe, TileSplitAxis Split_>
RecordEvent TFREE(Pipe& pipe, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    if (!ptosim_detail::kA2A3)
        ptosim_detail::free_slots<Split_>(pipe, pipe.cons.tileIndex - 1, where);
    return {where};
}

// ---- views of slots in global memory ---------------------------------------------------------
template <typename Pipe, typename Global, TileSplitAxis Split_,
          std::enable_if_t<is_global_data_v<Global>, int> = 0>
RecordEvent TALLOC(Pipe& pipe, Global& gmTensor, PTO_DETAIL_EVENTS) {
    static_assert(Pipe::through_memory, "PTO: TALLOC needs a FIFO in global memory");
    PTO_DETAIL_WAIT;
    ptosim_detail::before_push<Split_>(pipe, where);
    ptosim_detail::assign_slot<Split_>(pipe, pipe.prod, gmTensor);
    ++pipe.prod.tileIndex;
    return {where};
}
template <typename Pipe, typename Global, TileSplitAxis Split_,
          std::enable_if_t<is_global_data_v<Global>, int> = 0>
RecordEvent TPUSH(Pipe& pipe, Global&, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    pipe.prod.template record<Split_>(where);
    return {where};
}
template <typename Pipe, typename Global, TileSplitAxis Split_,
          std::enable_if_t<is_global_data_v<Global>, int> = 0>
RecordEvent TPOP(Pipe& pipe, Global& gmTensor, PTO_DETAIL_EVENTS) {
    static_assert(Pipe::through_memory, "PTO: TPOP of a view needs a FIFO in global memory");
    PTO_DETAIL_WAIT;
    pipe.cons.template wait<Split_>(where);
    ptosim_detail::assign_slot<Split_>(pipe, pipe.cons, gmTensor);
    ++pipe.cons.tileIndex;
    return {where};
}
template <typename Pipe, typename Global, TileSplitAxis Split_,
          std::enable_if_t<is_global_data_v<Global>, int> = 0>
RecordEvent TFREE(Pipe& pipe, Global&, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    ptosim_detail::free_slots<Split_>(pipe, pipe.cons.tileIndex - 1, where);
    return {where};
}

}  // namespace pto

// Templates of these names are declared here too, so that C++17 takes TPUSH<...>(pipe, tile) without `using namespace
// pto`; the arguments select the called function.
template <class T_>
void TPUSH(typename T_::NoSuchType);
template <class T_>
void TPOP(typename T_::NoSuchType);
template <class T_>
void TFREE(typename T_::NoSuchType);
template <class T_>
void TALLOC(typename T_::NoSuchType);
