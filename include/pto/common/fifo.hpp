// FIFOs between the AIC and the AIVs of a cluster: what describes them. The pipes are in pto/fifo/.
#pragma once

#include "pto/common/type.hpp"

namespace pto {

// Division of the AIC's tile between its two AIVs.
enum TileSplitAxis : uint8_t {
    TILE_NO_SPLIT = 0,        // one AIV
    TILE_UP_DOWN = 1,         // rows: the upper half is AIV 0's
    TILE_LEFT_RIGHT = 2,      // columns: the left half is AIV 0's
    TILE_UP_DOWN_ODD = 3,     // rows, of which AIV 0 has one more
    TILE_LEFT_RIGHT_ODD = 4,  // columns, of which AIV 0 has one more
};

enum Direction : uint8_t {
    UNDEFINED = 0,
    DIR_C2V = 1,
    DIR_V2C = 2,
    DIR_BOTH = DIR_C2V | DIR_V2C,
    DIR_V2C_CTRL = 4,
#ifdef PTO_NPU_ARCH_A5
    // Through global memory; the others go through UB and L1.
    DIR_C2V_GM = 5,
    DIR_V2C_GM = 6,
    DIR_BOTH_GM = DIR_C2V_GM | DIR_V2C_GM,
#endif
};

// Slots in global memory, in the consuming AIV's UB and in the consuming AIC's L1.
template <int SlotSize, int SlotNum, int LocalSlotNum>
struct RingFIFO {
    void* GM_SLOT_BUFFER = nullptr;
    uint32_t C2V_CONSUMER_BUF = 0;
    uint32_t V2C_CONSUMER_BUF = 0;
    static constexpr uint32_t SLOT_SIZE = SlotSize;
    static constexpr uint32_t SLOT_NUM = SlotNum;
    static constexpr uint32_t SLOT_SYNCT = SlotNum;
    static constexpr uint32_t LOCAL_SLOT_NUM = LocalSlotNum;

    RingFIFO(void* slots, uint32_t ub, uint32_t l1)
        : GM_SLOT_BUFFER(slots), C2V_CONSUMER_BUF(ub), V2C_CONSUMER_BUF(l1) {}
};

enum class FIFOType : uint8_t { GM_FIFO = 0, VEC_FIFO = 1, MAT_FIFO = 2, CTRL_FIFO = 3 };
enum class VecCubeRatio : uint8_t { V1C1_VEC0 = 0, V1C1_VEC1 = 1, V2C1_VECS = 2 };
enum TSyncCVMode : uint8_t {
    CUBE_ALL_CORE_SYNC = 0,
    VEC_ALL_CORE_SYNC = 0,
    VEC_SUBCORES_SYNC = 1,
    CV_CORES_SYNC = 2,
};

// The storage of a TMPipe.
template <typename DataType, FIFOType Type_, int Depth_, int Period_, int LocalDepth_ = 0>
struct DataFIFO {
    using DType = DataType;
    static constexpr int fifoDepth = Depth_;
    static constexpr int fifoPeriod = Period_;
    static constexpr FIFOType fifoType = Type_;
    static constexpr int localFiFoDepth = LocalDepth_;
    static constexpr bool useLocalFiFo = Type_ == FIFOType::GM_FIFO && LocalDepth_ > 0;
    static_assert(Type_ != FIFOType::CTRL_FIFO, "PTO: FIFOs of control signals are not supported");

    using Base = std::conditional_t<Type_ == FIFOType::GM_FIFO, DataType*, uint32_t>;
    Base fifoBase{};
    uint32_t localFiFoBase = 0;

    DataFIFO(Base base, uint32_t local = 0) : fifoBase(base), localFiFoBase(local) {}  // NOLINT
    Base getBasePtr() const { return fifoBase; }
};

}  // namespace pto
