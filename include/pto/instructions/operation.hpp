// Shared by all operations: their trailing parameters, and the way they issue.
//
// An operation takes its operands in the API's order, then up to four events to wait for, and
// knows the place in the user's file that it was called from. It checks at compile time that its
// operands are of the right kind; the simulator checks the rest when it is issued.
#pragma once

#include "pto/common/conv_tile.hpp"
#include "pto/common/event.hpp"
#include "pto/common/tile.hpp"

#define PTO_DETAIL_EVENTS                                                           \
    ::pto::ptosim_detail::EventRef e0 = {}, ::pto::ptosim_detail::EventRef e1 = {}, \
                                   ::pto::ptosim_detail::EventRef e2 = {},          \
                                   ::pto::ptosim_detail::EventRef e3 = {}, PTO_DETAIL_WHERE
#define PTO_DETAIL_WAIT ::pto::ptosim_detail::wait_all(where, e0, e1, e2, e3)

namespace pto::ptosim_detail {

inline void wait_all(ptosim_location where, EventRef e0, EventRef e1, EventRef e2, EventRef e3) {
    e0.wait(where);
    e1.wait(where);
    e2.wait(where);
    e3.wait(where);
}

// Issues, and returns the record for an event.
inline RecordEvent record_issue(Opcode opcode, ptosim_location where,
                                std::initializer_list<ptosim_operand> operands,
                                std::initializer_list<ptosim_attribute> attributes = {}) {
    issue(opcode, where, operands, attributes);
    return {where};
}

template <class... T_>
constexpr void require_tiles() {
    static_assert((std::is_base_of_v<TileBase, T_> && ...), "PTO: the operands are tiles");
}
template <class... T_>
constexpr void require_vector_tiles() {
    require_tiles<T_...>();
    static_assert(((T_::Loc == TileType::Vec) && ...), "PTO: the operands are tiles of UB");
}
// Overload for an operation whose operands are tiles of UB.
template <class... T_>
RecordEvent issue_vector(Opcode opcode, ptosim_location where,
                         std::initializer_list<ptosim_attribute> attributes, const T_&... tiles) {
    require_vector_tiles<T_...>();
    return record_issue(opcode, where, {operand(tiles)...}, attributes);
}

template <class... T_>
constexpr void require_global() {
    static_assert((std::is_base_of_v<GlobalBase, T_> && ...), "PTO: the operand is a GlobalTensor");
}

// The half of a kernel that runs on vector cores passes over what only fills L1
// (hw-native-sys/pto-isa include/pto/npu/a5/{TLoad,MGather}.hpp).
template <class Data>
constexpr bool passes_over() {
    return kOnVector && Data::Loc == TileType::Mat;
}

// True if the columns of a left factor of f32 fill boxes of 16 (a2a3, Tile::SetKAligned).
template <class Left>
void align_columns(ptosim_tile& tile, const Left& left) {
    if (kA2A3 && sizeof(typename Left::DType) == 4 && left.GetKAligned())
        tile.compact = PTOSIM_COMPACT_ROW_ALIGNED;
}

// The scalar of an operation in the element type of its tile.
template <class T_>
ptosim_operand element(T_ value) {
    return scalar(value);
}

}  // namespace pto::ptosim_detail
