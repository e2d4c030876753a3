// Moves between on-chip memories and layouts: TMOV, TEXTRACT, TINSERT and their like.
#pragma once

#include <string_view>

#include "pto/instructions/operation.hpp"

namespace pto {

namespace ptosim_detail {

// Optional modes of a move beyond its operands.
struct MoveModes {
    ReluPreMode relu = ReluPreMode::NoRelu;
    AccToVecMode to_vector = AccToVecMode::SingleModeVec0;
    STPhase phase = STPhase::Unspecified;
    int split = 0;
};

// Scales of columns: as many as the table has, whatever of it is valid.
inline ptosim_operand scales(const TileBase& tile) {
    ptosim_tile result = record(tile);
    result.valid_cols = result.cols;
    return operand(result);
}

// The target of a move: boxes out of a ConvTile are packed as in compact tiles
// (hw-native-sys/pto-isa include/pto/common/arch/memory/textract_common.hpp, TExtractToBConv; of
// aligned columns: TExtractToACompact).
template <class Dst, class Src>
ptosim_operand target(const Dst& dst) {
    ptosim_tile tile = record(dst);
    if constexpr (is_conv_tile_v<Src>) {
        tile.compact = PTOSIM_COMPACT_NORMAL;
    } else if constexpr (Dst::Loc == TileType::Left && Dst::Compact == CompactMode::Normal) {
        align_columns(tile, dst);
    }
    return operand(tile);
}

// The target of a TMOV: out of L0C, a5 moves the valid region of the source, or a half of it to each of two vector cores,
// whatever is valid in the target (hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp, TMovCcToUb and TMovCcToCb).
template <class Dst, class Src>
ptosim_operand target(const Dst& dst, const Src& src, AccToVecMode mode) {
    ptosim_operand made = target<Dst, Src>(dst);
    if constexpr (!is_conv_tile_v<Src>) {
        if constexpr (!kA2A3 && Src::Loc == TileType::Acc) {
            const auto halves = [](int32_t extent, int32_t boxes) {
                return (Dst::SFractal == SLayout::NoneBox ? extent : (extent + boxes - 1) / boxes * boxes) / 2;
            };
            const int32_t rows = src.GetValidRow(), cols = src.GetValidCol();
            const int32_t moved_rows = mode == AccToVecMode::DualModeSplitM ? halves(rows, 16) : rows;
            const int32_t moved_cols = mode == AccToVecMode::DualModeSplitN ? halves(cols, 32) : cols;
            if (moved_rows <= made.tile.rows && moved_cols <= made.tile.cols) {
                made.tile.valid_rows = moved_rows;
                made.tile.valid_cols = moved_cols;
            }
        }
    }
    return made;
}

// The target of TEXTRACT and TINSERT. TEXTRACT takes the valid region of the target, but that of the source where it goes
// to both vector cores (pto-isa include/pto/npu/a5/TExtract.hpp, TExtractAccToVec).
template <bool Extracts_, class Dst, class Src>
ptosim_operand window_target(const Dst& dst, const Src& src, AccToVecMode mode) {
    const bool halves = mode == AccToVecMode::DualModeSplitM || mode == AccToVecMode::DualModeSplitN;
    return halves && Extracts_ ? target<Dst, Src>(dst, src, mode) : target<Dst, Src>(dst);
}

// The source of a TMOV: out of L0C, a5 packs the pitch unless fewer rows are valid than the tile
// has, and known to be at compile time (hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp,
// GetTmovAccSrcStride).
template <class Src>
ptosim_operand source(const Src& src) {
    if constexpr (is_conv_tile_v<Src>) {
        return operand(src);
    } else {
        ptosim_tile tile = record(src);
        if constexpr (!kA2A3 && Src::Loc == TileType::Acc) {
            constexpr bool fewer = Src::ValidRow > 0 && Src::ValidRow < Src::Rows;
            tile.compact = fewer ? PTOSIM_COMPACT_NULL : PTOSIM_COMPACT_NORMAL;
        }
        return operand(tile);
    }
}

// Windows within UB count elements, but pairs of elements where they have 4 bits, without boxes or
// of one pair (hw-native-sys/pto-isa include/pto/npu/a5/TExtract.hpp, TExtractVecToVecNDDispatch).
template <class T_>
constexpr bool is_fp4 = element_type<T_> == PTOSIM_E2M1 || element_type<T_> == PTOSIM_E1M2;
template <class Dst, class Src>
constexpr bool counts_pairs() {
    if constexpr (is_conv_tile_v<Src>) {
        return false;
    } else {
        return is_fp4<typename Dst::DType> && Dst::Loc == TileType::Vec &&
               Src::Loc == TileType::Vec &&
               (!Dst::isBoxedLayout || (Dst::ValidRow == 1 && Dst::ValidCol == 1));
    }
}
template <class Data>
ptosim_operand pairs(const Data& tile) {
    ptosim_tile result = record(tile);
    result.dtype = PTOSIM_U8;
    return operand(result);
}

inline RecordEvent move(const ptosim_operand& dst, const ptosim_operand& src,
                        const ptosim_operand& scales, const ptosim_operand& scale, MoveModes modes,
                        ptosim_location where) {
    return record_issue(PTO_DETAIL_OPCODE(TMOV), where, {dst, src, scales, scale},
                        {attribute(PTOSIM_ATTR_RELU, modes.relu),
                         attribute(PTOSIM_ATTR_ACC_TO_VEC, modes.to_vector),
                         attribute(PTOSIM_ATTR_PHASE, modes.phase)});
}

// TEXTRACT and TINSERT: a window of the larger tile at (row, col).
inline RecordEvent window(Opcode opcode, const ptosim_operand& dst, const ptosim_operand& src,
                          uint32_t row, uint32_t col, const ptosim_operand& scales,
                          const ptosim_operand& scale, MoveModes modes, ptosim_location where) {
    ptosim_attribute attributes[4] = {
        attribute(PTOSIM_ATTR_RELU, modes.relu), attribute(PTOSIM_ATTR_ACC_TO_VEC, modes.to_vector),
        attribute(PTOSIM_ATTR_PHASE, modes.phase), attribute(PTOSIM_ATTR_SPLIT, modes.split)};
    const ptosim_operand operands[] = {dst, src, scalar(row), scalar(col), scales, scale};
    issue(opcode, where, operands, 6, attributes, modes.split != 0 ? 4 : 3);
    return {where};
}

// The valid region of a matrix in L1 from which TEXTRACT takes a window is not read (pto-isa a2a3/TExtract.hpp), and
// programs give the one of the transposed matrix.
template <typename Src>
ptosim_operand extracted(Src& src) {
    ptosim_operand made = operand(src);
    ptosim_tile& tile = made.tile;
    if (Src::Loc == TileType::Mat && (tile.valid_rows > tile.rows || tile.valid_cols > tile.cols)) {
        tile.valid_rows = tile.rows;
        tile.valid_cols = tile.cols;
    }
    return made;
}

}  // namespace ptosim_detail

// ---- TMOV ------------------------------------------------------------------------------------
#define PTO_DETAIL_MOVE(Scales_, Scale_, Relu_, ToVector_, Phase_)                                \
    PTO_DETAIL_WAIT;                                                                              \
    return ptosim_detail::move(ptosim_detail::target<Dst, Src>(dst, src, ToVector_),              \
                               ptosim_detail::source(src), Scales_, Scale_, {Relu_, ToVector_, Phase_}, where)
#define PTO_DETAIL_NO_RELU ReluPreMode::NoRelu
#define PTO_DETAIL_VEC0 AccToVecMode::SingleModeVec0
#define PTO_DETAIL_NO_PHASE STPhase::Unspecified

template <typename Dst, typename Src>
RecordEvent TMOV(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::none(), PTO_DETAIL_NO_RELU,
                    PTO_DETAIL_VEC0, PTO_DETAIL_NO_PHASE);
}
template <typename Dst, typename Src, ReluPreMode Relu_>
RecordEvent TMOV(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::none(), Relu_, PTO_DETAIL_VEC0,
                    PTO_DETAIL_NO_PHASE);
}
template <STPhase Phase_, typename Dst, typename Src>
RecordEvent TMOV(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::none(), PTO_DETAIL_NO_RELU,
                    PTO_DETAIL_VEC0, Phase_);
}
template <STPhase Phase_, typename Dst, typename Src, ReluPreMode Relu_>
RecordEvent TMOV(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::none(), Relu_, PTO_DETAIL_VEC0, Phase_);
}
template <typename Dst, typename Src, AccToVecMode Mode_, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::none(), Relu_, Mode_,
                    PTO_DETAIL_NO_PHASE);
}
template <STPhase Phase_, typename Dst, typename Src, AccToVecMode Mode_,
          ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::none(), Relu_, Mode_, Phase_);
}
// With the scales of the columns.
template <typename Dst, typename Src, typename Scales, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV_FP(Dst& dst, Src& src, Scales& fp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::scales(fp), ptosim_detail::none(), Relu_, PTO_DETAIL_VEC0,
                    PTO_DETAIL_NO_PHASE);
}
template <STPhase Phase_, typename Dst, typename Src, typename Scales,
          ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV_FP(Dst& dst, Src& src, Scales& fp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::scales(fp), ptosim_detail::none(), Relu_, PTO_DETAIL_VEC0,
                    Phase_);
}
template <typename Dst, typename Src, typename Scales, AccToVecMode Mode_,
          ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, Scales& fp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::scales(fp), ptosim_detail::none(), Relu_, Mode_,
                    PTO_DETAIL_NO_PHASE);
}
template <STPhase Phase_, typename Dst, typename Src, typename Scales, AccToVecMode Mode_,
          ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, Scales& fp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::scales(fp), ptosim_detail::none(), Relu_, Mode_, Phase_);
}
// With one scale for all.
template <typename Dst, typename Src, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar), Relu_,
                    PTO_DETAIL_VEC0, PTO_DETAIL_NO_PHASE);
}
template <STPhase Phase_, typename Dst, typename Src, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar), Relu_,
                    PTO_DETAIL_VEC0, Phase_);
}
template <typename Dst, typename Src, AccToVecMode Mode_, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar), Relu_, Mode_,
                    PTO_DETAIL_NO_PHASE);
}
template <STPhase Phase_, typename Dst, typename Src, AccToVecMode Mode_,
          ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>
RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_MOVE(ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar), Relu_, Mode_,
                    Phase_);
}
// Scales of matrix factors into the order of L0A and L0B, with scratch; Axis_ 1: they lie in
// columns.
template <int Axis_, typename Dst, typename Src, typename Tmp,
          std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
RecordEvent TMOV(Dst& dst, Src& src, Tmp& tmp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    ptosim_tile to = ptosim_detail::record(dst);
    if constexpr (Axis_ == 0) {  // a row for each column of src (a5/TMov.hpp, TMovDnTo2Zz)
        to.rows = to.valid_rows = static_cast<int32_t>(src.GetValidCol());
        to.cols = to.valid_cols = static_cast<int32_t>(src.GetValidRow());
    }
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TMOV), where,
        {ptosim_detail::operand(to), ptosim_detail::operand(src), ptosim_detail::none(),
         ptosim_detail::none(), ptosim_detail::operand(tmp)},
        {ptosim_detail::attribute(PTOSIM_ATTR_GROUP_AXIS, Axis_)});
}
template <typename Dst, typename Src, typename Tmp, std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
RecordEvent TMOV(Dst& dst, Src& src, Tmp& tmp, PTO_DETAIL_EVENTS) {
    return TMOV<1>(dst, src, tmp, e0, e1, e2, e3, where);
}
#undef PTO_DETAIL_MOVE

// ---- TEXTRACT, TINSERT -----------------------------------------------------------------------
#define PTO_DETAIL_WINDOW(Name_, Scales_, Scale_, Relu_, ToVector_)                                \
    PTO_DETAIL_WAIT;                                                                               \
    const ptosim_operand to =                                                                      \
        ptosim_detail::window_target<std::string_view(#Name_) == "TEXTRACT">(dst, src, ToVector_); \
    return ptosim_detail::window(PTO_DETAIL_OPCODE(Name_), to, ptosim_detail::operand(src),        \
                                 indexRow, indexCol, Scales_, Scale_,                              \
                                 {Relu_, ToVector_, PTO_DETAIL_NO_PHASE}, where)

#define PTO_DETAIL_WINDOWS(Name_)                                                                  \
    template <typename Dst, typename Src, ReluPreMode Relu_>                                       \
    RecordEvent Name_(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol,                    \
                      PTO_DETAIL_EVENTS) {                                                         \
        PTO_DETAIL_WINDOW(Name_, ptosim_detail::none(), ptosim_detail::none(), Relu_,              \
                          PTO_DETAIL_VEC0);                                                        \
    }                                                                                              \
    template <typename Dst, typename Src, AccToVecMode Mode_,                                      \
              ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>                                              \
    RecordEvent Name_(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol,                    \
                      PTO_DETAIL_EVENTS) {                                                         \
        PTO_DETAIL_WINDOW(Name_, ptosim_detail::none(), ptosim_detail::none(), Relu_, Mode_);      \
    }                                                                                              \
    template <typename Dst, typename Src, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>                  \
    RecordEvent Name_(Dst& dst, Src& src, uint64_t preQuantScalar, uint16_t indexRow,              \
                      uint16_t indexCol, PTO_DETAIL_EVENTS) {                                      \
        PTO_DETAIL_WINDOW(Name_, ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar),     \
                          Relu_, PTO_DETAIL_VEC0);                                                 \
    }                                                                                              \
    template <typename Dst, typename Src, AccToVecMode Mode_,                                      \
              ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>                                              \
    RecordEvent Name_(Dst& dst, Src& src, uint64_t preQuantScalar, uint16_t indexRow,              \
                      uint16_t indexCol, PTO_DETAIL_EVENTS) {                                      \
        PTO_DETAIL_WINDOW(Name_, ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar),     \
                          Relu_, Mode_);                                                           \
    }                                                                                              \
    template <typename Dst, typename Src, typename Scales, ReluPreMode Relu_ = PTO_DETAIL_NO_RELU> \
    RecordEvent Name_##_FP(Dst& dst, Src& src, Scales& fp, uint16_t indexRow, uint16_t indexCol,   \
                           PTO_DETAIL_EVENTS) {                                                    \
        PTO_DETAIL_WINDOW(Name_, ptosim_detail::scales(fp), ptosim_detail::none(), Relu_,          \
                          PTO_DETAIL_VEC0);                                                        \
    }                                                                                              \
    template <typename Dst, typename Src, typename Scales, AccToVecMode Mode_,                     \
              ReluPreMode Relu_ = PTO_DETAIL_NO_RELU>                                              \
    RecordEvent Name_(Dst& dst, Src& src, Scales& fp, uint16_t indexRow, uint16_t indexCol,        \
                      PTO_DETAIL_EVENTS) {                                                         \
        PTO_DETAIL_WINDOW(Name_, ptosim_detail::scales(fp), ptosim_detail::none(), Relu_, Mode_);  \
    }
PTO_DETAIL_WINDOWS(TEXTRACT)
PTO_DETAIL_WINDOWS(TINSERT)
#undef PTO_DETAIL_WINDOWS

template <typename Dst, typename Src>
RecordEvent TEXTRACT(Dst& dst, Src& src, uint16_t indexRow = 0, uint16_t indexCol = 0,
                     PTO_DETAIL_EVENTS) {
    if constexpr (ptosim_detail::counts_pairs<Dst, Src>()) {
        PTO_DETAIL_WAIT;
        return ptosim_detail::window(PTO_DETAIL_OPCODE(TEXTRACT), ptosim_detail::pairs(dst),
                                     ptosim_detail::pairs(src), indexRow, indexCol,
                                     ptosim_detail::none(), ptosim_detail::none(), {}, where);
    } else {
        PTO_DETAIL_WAIT;
        return ptosim_detail::window(PTO_DETAIL_OPCODE(TEXTRACT), ptosim_detail::target<Dst, Src>(dst),
                                     ptosim_detail::extracted(src), indexRow, indexCol, ptosim_detail::none(),
                                     ptosim_detail::none(), {}, where);
    }
}
template <typename Dst, typename Src>
RecordEvent TINSERT(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WINDOW(TINSERT, ptosim_detail::none(), ptosim_detail::none(), PTO_DETAIL_NO_RELU,
                      PTO_DETAIL_VEC0);
}
template <TInsertMode Mode_, typename Dst, typename Src>
RecordEvent TINSERT(Dst& dst, Src& src, uint16_t indexRow = 0, uint16_t indexCol = 0,
                    PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::window(
        PTO_DETAIL_OPCODE(TINSERT), ptosim_detail::operand(dst), ptosim_detail::operand(src),
        indexRow, indexCol, ptosim_detail::none(), ptosim_detail::none(),
        {PTO_DETAIL_NO_RELU, PTO_DETAIL_VEC0, PTO_DETAIL_NO_PHASE, static_cast<int>(Mode_)}, where);
}
// Two windows of one tile.
template <typename Dst0, typename Dst1, typename Src,
          std::enable_if_t<is_tile_data_v<Src>, int> = 0>
RecordEvent TEXTRACT(Dst0& dst0, Dst1& dst1, Src& src, uint16_t indexRow0 = 0,
                     uint16_t indexCol0 = 0, uint16_t indexRow1 = 0, uint16_t indexCol1 = 0,
                     PTO_DETAIL_EVENTS) {
    TEXTRACT(dst0, src, indexRow0, indexCol0, e0, e1, e2, e3, where);
    return TEXTRACT(dst1, src, indexRow1, indexCol1, {}, {}, {}, {}, where);
}
#undef PTO_DETAIL_WINDOW
#undef PTO_DETAIL_NO_RELU
#undef PTO_DETAIL_VEC0
#undef PTO_DETAIL_NO_PHASE

// ---- pads, transposition, concatenation ------------------------------------------------------
// In L1: around the valid region, the whole tile, or only its last row of boxes
// (hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TFillPad.hpp).
template <typename Data, PadValue Pad_ = PadValue::Zero,
          std::enable_if_t<Data::Loc == TileType::Mat, int> = 0>
RecordEvent TFILLPAD(Data& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    if constexpr (ptosim_detail::passes_over<Data>()) return {where};
    ptosim_operand padded = ptosim_detail::operand(dst);
    ptosim_detail::set_pad(padded.tile, Pad_);
    if (Data::Compact == CompactMode::RowAlignedPadding) {
        padded.tile.valid_rows = (padded.tile.valid_rows + 15) / 16 * 16;
    } else {
        padded.tile.valid_rows = padded.tile.rows;
        padded.tile.valid_cols = padded.tile.cols;
    }
    return ptosim_detail::record_issue(PTO_DETAIL_OPCODE(TFILLPAD), where,
                                       {padded, ptosim_detail::operand(src)});
}
#define PTO_DETAIL_FILL(Name_)                                           \
    template <typename Dst, typename Src>                                \
    RecordEvent Name_(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {           \
        PTO_DETAIL_WAIT;                                                 \
        return ptosim_detail::record_issue(                              \
            PTO_DETAIL_OPCODE(Name_), where,                             \
            {ptosim_detail::operand(dst), ptosim_detail::operand(src)}); \
    }
PTO_DETAIL_FILL(TFILLPAD_INPLACE)
PTO_DETAIL_FILL(TFILLPAD_EXPAND)
#undef PTO_DETAIL_FILL
template <TFillPadMode Mode_ = TFillPadMode::Normal, typename Dst, typename Src,
          std::enable_if_t<Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec, int> = 0>
RecordEvent TFILLPAD(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    if constexpr (Mode_ == TFillPadMode::InPlace) {
        return TFILLPAD_INPLACE(dst, src, e0, e1, e2, e3, where);
    } else if constexpr (Mode_ == TFillPadMode::Expand) {
        return TFILLPAD_EXPAND(dst, src, e0, e1, e2, e3, where);
    } else {
        PTO_DETAIL_WAIT;
        return ptosim_detail::record_issue(
            PTO_DETAIL_OPCODE(TFILLPAD), where,
            {ptosim_detail::operand(dst), ptosim_detail::operand(src)});
    }
}

template <typename Dst, typename Src, typename Tmp>
RecordEvent TTRANS(Dst& dst, Src& src, Tmp& tmp, PTO_DETAIL_EVENTS) {
    static_assert(is_conv_tile_v<Dst> == is_conv_tile_v<Src>,
                  "PTO: TTRANS is between two tiles or two ConvTiles");
    PTO_DETAIL_WAIT;
    if constexpr (is_conv_tile_v<Dst>) {
        ptosim_tile source = src.rows_of_blocks();
        if constexpr (Src::layout == Layout::GNC1HWC0 && Dst::layout == Layout::FRACTAL_Z &&
                      Dst::totalDimCount == 4) {
            // Each group has room for whole blocks of filters.
            source.rows =
                static_cast<int32_t>(source.rows / src.shape[1] * dst.shape[1] * dst.shape[2]);
            source.valid_rows = source.rows;
        }
        const ptosim_operand operands[] = {ptosim_detail::operand(dst.rows_of_blocks()),
                                           ptosim_detail::operand(source)};
        const ptosim_detail::ConvAttributes<Dst> to(dst, PTOSIM_ATTR_CONV_DST_LAYOUT);
        const ptosim_detail::ConvAttributes<Src> from(src, PTOSIM_ATTR_CONV_SRC_LAYOUT);
        ptosim_attribute attributes[14];
        for (int i = 0; i < 7; ++i) {
            attributes[i] = to.list[i];
            attributes[i + 7] = from.list[i];
        }
        ptosim_detail::issue(PTO_DETAIL_OPCODE(TTRANS), where, operands, 2, attributes, 14);
        return {where};
    } else {
        return ptosim_detail::record_issue(
            PTO_DETAIL_OPCODE(TTRANS), where,
            {ptosim_detail::operand(dst), ptosim_detail::operand(src),
             ptosim_detail::operand(tmp)});
    }
}

template <typename Dst, typename Src0, typename Src1>
RecordEvent TCONCAT(Dst& dst, Src0& src0, Src1& src1, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCONCAT), where, {}, dst, src0, src1);
}
template <typename Dst, typename Src0, typename Src1, typename Index0, typename Index1,
          std::enable_if_t<is_tile_data_v<Index0> && is_tile_data_v<Index1>, int> = 0>
RecordEvent TCONCAT(Dst& dst, Src0& src0, Src1& src1, Index0& src0Idx, Index1& src1Idx,
                    PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCONCATIDX), where, {}, dst, src0, src1,
                                       src0Idx, src1Idx);
}
template <typename Dst, typename Src0, typename Src1, typename DstIndex, typename Index0,
          typename Index1, std::enable_if_t<is_tile_data_v<Index1>, int> = 0>
RecordEvent TCONCAT(Dst& dst, Src0& src0, Src1& src1, DstIndex& dstIdx, Index0& src0Idx,
                    Index1& src1Idx, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCONCATIDX), where, {}, dst, src0, src1,
                                       src0Idx, src1Idx, dstIdx);
}

#define PTO_DETAIL_INTERLEAVE(Name_)                                                              \
    template <typename Dst, typename Src>                                                         \
    RecordEvent Name_(Dst& dst1, Dst& dst0, Src& src1, Src& src0, PTO_DETAIL_EVENTS) {            \
        PTO_DETAIL_WAIT;                                                                          \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dst1, dst0, src1, \
                                           src0);                                                 \
    }
PTO_DETAIL_INTERLEAVE(TINTERLEAVE)
PTO_DETAIL_INTERLEAVE(TDEINTERLEAVE)
#undef PTO_DETAIL_INTERLEAVE
template <typename Dst, typename Src>
RecordEvent TDEINTERLEAVE(Dst& dst1, Dst& dst0, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TDEINTERLEAVE), where, {}, dst1, dst0,
                                       src);
}

}  // namespace pto
