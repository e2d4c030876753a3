// TMPipe: a FIFO from the AIC to the AIVs of its cluster, or back, whose two tile types define the contents of a slot.
// The kernel counts the tiles (setTileId, setEntryOffset) and decides which of TPUSH(tile, pipe), TPOP(tile, pipe) and
// TFREE(pipe) wait and signal (setAllocateStatus and its like): the kernel controls all flags. Slots are in global
// memory; on a5 also in the AIVs' UB (VEC_FIFO) or the AIC's L1 (MAT_FIFO), where a popped tile stays at the address
// that it has.
#pragma once

#include "pto/fifo/pipe.hpp"

namespace pto {

template <uint8_t FlagID, FIFOType Type_, uint8_t Depth_, uint8_t Period_, typename Produced_,
          typename Consumed_, bool UnitFlag_ = false, uint8_t LocalDepth_ = 2,
          VecCubeRatio Ratio_ = VecCubeRatio::V2C1_VECS>
struct TMPipe {
    static constexpr bool through_memory = Type_ == FIFOType::GM_FIFO;
    static constexpr bool is_c2v =
        Produced_::Loc == TileType::Acc && Consumed_::Loc == TileType::Vec;
    static constexpr bool is_v2c =
        Produced_::Loc == TileType::Vec && Consumed_::Loc == TileType::Mat;
    static_assert(is_c2v || is_v2c, "PTO: a TMPipe goes from L0C to UB, or from UB to L1");
    static_assert(through_memory || !ptosim_detail::kA2A3,
                  "PTO: on a2a3 the slots of a TMPipe are in global memory (GM_FIFO)");
    static_assert(through_memory || Type_ == (is_c2v ? FIFOType::VEC_FIFO : FIFOType::MAT_FIFO),
                  "PTO: slots are where the consumer is: VEC_FIFO in UB, MAT_FIFO in L1");
    static_assert(FlagID + 1 < 16,
                  "PTO: the flags of a TMPipe, FlagID and FlagID + 1, are below 16");
    static constexpr bool is_c2v_gm = is_c2v && through_memory;
    static constexpr bool is_c2v_ub = is_c2v && !through_memory;
    static constexpr bool is_v2c_gm = is_v2c && through_memory;
    static constexpr bool is_v2c_mat = is_v2c && !through_memory;

    using Produced = Produced_;
    using Consumed = Consumed_;
    using DataFiFo =
        DataFIFO<std::conditional_t<through_memory, typename Consumed_::DType, Consumed_>, Type_,
                 Depth_, Period_, through_memory ? LocalDepth_ : 0>;
    static constexpr bool produces = ptosim_detail::kOnCube == is_c2v;
    static constexpr bool consumes = !produces;
    static constexpr bool unit_flag = UnitFlag_;
    static constexpr int vectors = Ratio_ == VecCubeRatio::V2C1_VECS ? 2 : 1;
    static constexpr ptosim_detail::FifoFlags outgoing{FlagID, through_memory};
    static constexpr ptosim_detail::FifoFlags incoming = outgoing;

    using Producer = ptosim_detail::FifoProducer<TMPipe>;
    using Consumer = ptosim_detail::FifoConsumer<TMPipe>;
    static constexpr uint32_t slots = Depth_;

    DataFiFo fifo;
    Producer prod;
    Consumer cons;

    // One notice of free slots is there from the beginning, and is taken at the end.
    explicit TMPipe(typename DataFiFo::Base slots, uint32_t local, PTO_DETAIL_WHERE)
        : fifo(slots, local), where_(where) {
        static_assert(through_memory, "PTO: a TMPipe in UB or L1 has one address");
        cons.free(where);
    }
    explicit TMPipe(typename DataFiFo::Base slots, PTO_DETAIL_WHERE) : fifo(slots), where_(where) {
        static_assert(!through_memory || LocalDepth_ == 0,
                      "PTO: a TMPipe with places for popped tiles has an address for them");
        cons.free(where);
    }
    TMPipe(const TMPipe&) = delete;
    ~TMPipe() { prod.allocate(where_); }

 private:
    ptosim_location where_;
};

namespace ptosim_detail {

template <class T_>
inline constexpr bool is_multi_pipe = false;
template <uint8_t F_, FIFOType T_, uint8_t D_, uint8_t P_, class A_, class B_, bool U_, uint8_t L_,
          VecCubeRatio R_>
inline constexpr bool is_multi_pipe<TMPipe<F_, T_, D_, P_, A_, B_, U_, L_, R_>> = true;

constexpr size_t slot_of(int64_t rows, int64_t cols, size_t element) {
    return static_cast<size_t>(rows * cols) * element;
}

// One matrix of the producer; the consumer takes as many side by side as it is wide.
template <class Pipe, class Data>
void push_product(Pipe& pipe, Data& tile, ptosim_location where) {
    using T_ = typename Data::DType;
    constexpr int kBeside = Pipe::Consumed::Cols / Data::Cols;
    auto view = slot_view<T_>(
        pipe.fifo.fifoBase, pipe.prod.entry(slot_of(Data::Rows, kBeside * Data::Cols, sizeof(T_))),
        Data::Rows, Data::Cols, Data::Cols);
    store(operand(view), operand(tile), none(), none(), AtomicType::AtomicNone, ReluPreMode::NoRelu,
          Pipe::unit_flag ? STPhase::Final : STPhase::Unspecified, where);
}
// Matrices as wide as the consumer's, one after the other in the slot.
template <class Pipe, class Data>
void push_parts(Pipe& pipe, Data& tile, ptosim_location where) {
    using T_ = typename Data::DType;
    using To = typename Pipe::Consumed;
    constexpr int kParts = Data::Cols / To::Cols;
    for (int part = 0; part < kParts; ++part) {
        Tile<TileType::Vec, T_, Data::Rows, Data::Cols, BLayout::RowMajor, Data::Rows, To::Cols>
            columns;
        columns.assign_address(tile.address + part * To::Cols * sizeof(T_));
        const uint64_t entry = pipe.prod.entry(slot_of(To::Rows, kParts * To::Cols, sizeof(T_)));
        auto view = slot_view<T_>(pipe.fifo.fifoBase,
                                  entry + part * slot_of(To::Rows, To::Cols, sizeof(T_)),
                                  Data::Rows, To::Cols, To::Cols);
        store(operand(view), operand(columns), none(), none(), AtomicType::AtomicNone,
              ReluPreMode::NoRelu, STPhase::Unspecified, where);
    }
}

#ifdef PTO_NPU_ARCH_A5
// Halves of the rows or of the columns for two AIVs, or everything for the first.
template <class Pipe, class Data>
void push_on_chip(Pipe& pipe, Data& tile, ptosim_location where) {
    using T_ = typename Data::DType;
    using To = typename Pipe::Consumed;
    constexpr bool kRows = Pipe::vectors == 2 && Data::Rows != To::Rows && Data::Cols == To::Cols;
    constexpr bool kCols = Pipe::vectors == 2 && Data::Rows == To::Rows && Data::Cols != To::Cols;
    static_assert(
        kRows || kCols || (Pipe::vectors == 1 && Data::Rows == To::Rows && Data::Cols == To::Cols),
        "PTO: two AIVs have half of the rows or of the columns each, one has all");
    if constexpr (Pipe::is_c2v) {
        constexpr int kOwnRows = kRows ? Data::Rows / 2 : Data::Rows;
        constexpr int kOwnCols = kCols ? Data::Cols / 2 : Data::Cols;
        std::conditional_t<
            kRows || kCols,
            Tile<TileType::Vec, T_, kOwnRows, kOwnCols, BLayout::RowMajor, kOwnRows, kOwnCols>, To>
            part;
        part.assign_address(pipe.fifo.fifoBase +
                            pipe.prod.entry(slot_of(kOwnRows, kOwnCols, sizeof(T_))));
        move(operand(part), source(tile), none(), none(),
             {ReluPreMode::NoRelu, kRows   ? AccToVecMode::DualModeSplitM
                                   : kCols ? AccToVecMode::DualModeSplitN
                                           : AccToVecMode::SingleModeVec0},
             where);
    } else {
        To whole;
        whole.assign_address(pipe.fifo.fifoBase +
                             pipe.prod.slot(slot_of(To::Rows, To::Cols, sizeof(T_))));
        const auto aiv = static_cast<uint32_t>(get_subblockid());
        window(PTO_DETAIL_OPCODE(TINSERT), operand(whole), operand(tile),
               kRows ? aiv * (To::Rows / 2) : 0, kCols ? aiv * Data::Cols : 0, none(), none(), {},
               where);
    }
}
#endif

template <class Pipe, class Data>
void push_data(Pipe& pipe, Data& tile, ptosim_location where) {
    static_assert(std::is_same_v<Data, typename Pipe::Produced>,
                  "PTO: TPUSH(tile, pipe) takes the tile type that the TMPipe was made for");
    if constexpr (!Pipe::produces) {
        return;
    } else if constexpr (Pipe::is_c2v_gm) {
        push_product(pipe, tile, where);
    } else if constexpr (Pipe::is_v2c_gm) {
        push_parts(pipe, tile, where);
    } else {
#ifdef PTO_NPU_ARCH_A5
        push_on_chip(pipe, tile, where);
#endif
    }
}

// Loads what lies in memory; the tile takes its address if the FIFO has one.
template <class Pipe, class Data>
void pop_data(Pipe& pipe, Data& tile, ptosim_location where) {
    static_assert(std::is_same_v<Data, typename Pipe::Consumed>,
                  "PTO: TPOP(tile, pipe) takes the tile type that the TMPipe was made for");
    if constexpr (Pipe::consumes && Pipe::through_memory) {
        using T_ = typename Data::DType;
        using From = typename Pipe::Produced;
        using Fifo = typename Pipe::DataFiFo;
        if constexpr (Fifo::useLocalFiFo)
            tile.assign_address(pipe.fifo.localFiFoBase +
                                uint64_t{pipe.cons.tileIndex % Fifo::localFiFoDepth} *
                                    slot_of(Data::Rows, Data::Cols, sizeof(T_)));
        if constexpr (Data::Loc == TileType::Mat) {
            auto view = slot_view<T_>(pipe.fifo.fifoBase,
                                      pipe.cons.entry(slot_of(Data::Rows, From::Cols, sizeof(T_))),
                                      Data::Rows, Data::Cols, Data::Cols);
            load(PTO_DETAIL_OPCODE(TLOAD), tile, view, where);
        } else {
            constexpr int kParts = Data::Cols / From::Cols;
            const uint64_t entry =
                pipe.cons.entry(slot_of(From::Rows, kParts * From::Cols, sizeof(T_)));
            for (int part = 0; part < kParts; ++part) {
                Tile<TileType::Vec, T_, Data::Rows, Data::Cols, BLayout::RowMajor, Data::Rows,
                     From::Cols>
                    columns;
                columns.assign_address(tile.address + part * From::Cols * sizeof(T_));
                auto view = slot_view<T_>(
                    pipe.fifo.fifoBase, entry + part * slot_of(From::Rows, From::Cols, sizeof(T_)),
                    Data::Rows, From::Cols, From::Cols);
                load(PTO_DETAIL_OPCODE(TLOAD), columns, view, where);
            }
        }
    }
}

}  // namespace ptosim_detail

template <typename Data, typename Pipe,
          std::enable_if_t<is_tile_data_v<Data> && ptosim_detail::is_multi_pipe<Pipe>, int> = 0>
RecordEvent TPUSH(Data& tile, Pipe& pipe, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    if (pipe.prod.isAllocate) pipe.prod.allocate(where);
    ptosim_detail::push_data(pipe, tile, where);
    if (ptosim_detail::kA2A3) ++pipe.prod.tileIndex;
    if (pipe.prod.isRecord) pipe.prod.record(where);
    return {where};
}
template <typename Data, typename Pipe,
          std::enable_if_t<is_tile_data_v<Data> && ptosim_detail::is_multi_pipe<Pipe>, int> = 0>
RecordEvent TPOP(Data& tile, Pipe& pipe, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    if (pipe.cons.isWait) pipe.cons.wait(where);
    ptosim_detail::pop_data(pipe, tile, where);
    if (ptosim_detail::kA2A3) ++pipe.cons.tileIndex;
    // Loading has emptied its slot; TFREE frees a slot that still holds data.
    if (Pipe::through_memory && pipe.cons.isFree) pipe.cons.free(where);
    return {where};
}
template <typename Pipe, std::enable_if_t<ptosim_detail::is_multi_pipe<Pipe>, int> = 0>
RecordEvent TFREE(Pipe& pipe, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    if (!ptosim_detail::kA2A3 && pipe.cons.isFree) pipe.cons.free(where);
    return {where};
}

}  // namespace pto
