// Types of communication between NPUs. The NPUs of a simulation share one address space: the memory
// of another one is a pointer like any other.
#pragma once

#include "pto/common/pto_tile.hpp"

namespace pto::comm {

enum class NotifyOp : uint8_t { AtomicAdd = 0, Set = 1 };
enum class WaitCmp : uint8_t { EQ = 0, NE = 1, GT = 2, GE = 3, LT = 4, LE = 5 };
enum class ReduceOp : uint8_t { Sum = 0, Max = 1, Min = 2 };
enum class DmaEngine : uint8_t { SDMA = 0, URMA = 1, RDMA = 2 };
enum class CollEngine : uint8_t { AIV = 0, CCU = 1 };

// The tensors of all ranks, and whose turn it is.
template <typename GlobalData>
struct ParallelGroup {
    using value_type = GlobalData;
    GlobalData* tensors{nullptr};
    int nranks{0};
    int rootIdx{-1};

    constexpr ParallelGroup() = default;
    constexpr ParallelGroup(GlobalData* all, int size, int root)
        : tensors(all), nranks(size), rootIdx(root) {}
    static constexpr ParallelGroup Create(GlobalData* all, int size, int root) {
        return {all, size, root};
    }
    constexpr int GetRootIdx() const { return rootIdx; }
    constexpr int GetSize() const { return nranks; }
    constexpr bool empty() const { return nranks == 0; }
    constexpr GlobalData& operator[](int rank) { return tensors[rank]; }
    constexpr const GlobalData& operator[](int rank) const { return tensors[rank]; }
};

using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND>;
template <typename Element, typename Extents, typename Steps, Layout Layout_ = Layout::ND>
using GlobalSignal = GlobalTensor<Element, Extents, Steps, Layout_>;
template <int Rows_, int Cols_>
struct Signal2D
    : GlobalTensor<int32_t, Shape<1, 1, 1, Rows_, Cols_>, Stride<1, 1, 1, DYNAMIC, 1>, Layout::ND> {
    using Base = GlobalTensor<int32_t, Shape<1, 1, 1, Rows_, Cols_>, Stride<1, 1, 1, DYNAMIC, 1>,
                              Layout::ND>;
    Signal2D(int32_t* address, int stride = Cols_)  // NOLINT
        : Base(address, typename Base::Shape{}, typename Base::Stride{stride}) {}
};

}  // namespace pto::comm
