// Views of global memory: Shape, Stride, GlobalTensor.
#pragma once

#include "pto/common/constants.hpp"
#include "pto/common/issue.hpp"

namespace pto {

constexpr int DYNAMIC = -1;

#define PTO_DETAIL_EXTENTS(Name_, Member_, Static_)                                           \
    template <int64_t N1_ = DYNAMIC, int64_t N2_ = DYNAMIC, int64_t N3_ = DYNAMIC,            \
              int64_t N4_ = DYNAMIC, int64_t N5_ = DYNAMIC>                                   \
    struct Name_ {                                                                            \
        static constexpr int64_t Static_[5] = {N1_, N2_, N3_, N4_, N5_};                      \
        int64_t Member_[5] = {N1_ == DYNAMIC ? 1 : N1_, N2_ == DYNAMIC ? 1 : N2_,             \
                              N3_ == DYNAMIC ? 1 : N3_, N4_ == DYNAMIC ? 1 : N4_,             \
                              N5_ == DYNAMIC ? 1 : N5_};                                      \
                                                                                              \
        constexpr Name_() {}                                                                  \
        constexpr Name_(int64_t a) { set({a}); } /* NOLINT */                                 \
        constexpr Name_(int64_t a, int64_t b) { set({a, b}); }                                \
        constexpr Name_(int64_t a, int64_t b, int64_t c) { set({a, b, c}); }                  \
        constexpr Name_(int64_t a, int64_t b, int64_t c, int64_t d) { set({a, b, c, d}); }    \
        constexpr Name_(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {              \
            set({a, b, c, d, e});                                                             \
        }                                                                                     \
                                                                                              \
     private:                                                                                 \
        template <int Count_>                                                                 \
        constexpr void set(const int64_t (&given)[Count_]) {                                  \
            constexpr int kDynamic = (N1_ == DYNAMIC) + (N2_ == DYNAMIC) + (N3_ == DYNAMIC) + \
                                     (N4_ == DYNAMIC) + (N5_ == DYNAMIC);                     \
            static_assert(Count_ == 5 || Count_ == kDynamic,                                  \
                          "PTO: give one number for each DYNAMIC dimension, or all five");    \
            for (int i = 0, next = 0; i < 5; ++i) {                                           \
                if (Static_[i] == DYNAMIC) Member_[i] = given[Count_ == 5 ? i : next++];      \
            }                                                                                 \
        }                                                                                     \
    }
PTO_DETAIL_EXTENTS(Shape, shape, staticShape);
PTO_DETAIL_EXTENTS(Stride, stride, staticStride);
#undef PTO_DETAIL_EXTENTS

template <typename T_>
using remove_gm_t = std::remove_cv_t<T_>;

// Elements of global memory at a device address: a shape and strides (in elements) of five
// dimensions, the last one innermost.
template <typename Element_, typename Shape_, typename Stride_, Layout Layout_ = Layout::ND>
struct GlobalTensor : ptosim_detail::GlobalBase {
    using Shape = Shape_;
    using Stride = Stride_;
    using RawDType = remove_gm_t<Element_>;
    using DType = RawDType;
    static constexpr Layout layout = Layout_;
    static constexpr int64_t staticShape[5] = {Shape::staticShape[0], Shape::staticShape[1],
                                               Shape::staticShape[2], Shape::staticShape[3],
                                               Shape::staticShape[4]};
    static constexpr int64_t staticStride[5] = {Stride::staticStride[0], Stride::staticStride[1],
                                                Stride::staticStride[2], Stride::staticStride[3],
                                                Stride::staticStride[4]};

    GlobalTensor() : GlobalTensor(nullptr) {}
    GlobalTensor(DType* data) { init(data, Shape{}.shape, Stride{}.stride); }  // NOLINT
    GlobalTensor(DType* data, const Shape& shape) { init(data, shape.shape, Stride{}.stride); }
    GlobalTensor(DType* data, const Shape& shape, const Stride& stride) {
        init(data, shape.shape, stride.stride);
    }

    DType* data() const { return reinterpret_cast<DType*>(view.address); }
    void SetAddr(DType* address) { view.address = reinterpret_cast<uintptr_t>(address); }

    int64_t GetShape(int dim) const { return view.shape[dim]; }
    int64_t GetStride(int dim) const { return view.stride[dim]; }
    template <int Dim_>
    static constexpr int64_t GetShape() {
        return staticShape[Dim_];
    }
    template <int Dim_>
    static constexpr int64_t GetStride() {
        return staticStride[Dim_];
    }
    template <int... Dims_, class... Sizes>
    void SetShape(Sizes... sizes) {
        static_assert(((staticShape[Dims_] == DYNAMIC) && ...),
                      "PTO: SetShape of a static dimension");
        ((view.shape[Dims_] = static_cast<int32_t>(sizes)), ...);
    }
    template <int... Dims_, class... Sizes>
    void SetStride(Sizes... sizes) {
        static_assert(((staticStride[Dims_] == DYNAMIC) && ...),
                      "PTO: SetStride of a static dimension");
        ((view.stride[Dims_] = static_cast<int64_t>(sizes)), ...);
    }

 private:
    void init(DType* data, const int64_t (&shape)[5], const int64_t (&stride)[5]) {
        view.address = reinterpret_cast<uintptr_t>(data);
        view.dtype = ptosim_detail::element_type<RawDType>;
        view.layout = static_cast<uint8_t>(Layout_);
        for (int i = 0; i < 5; ++i) {
            view.shape[i] = static_cast<int32_t>(shape[i]);
            view.stride[i] = stride[i];
        }
        if (view.shape[2] == 1 && view.shape[4] != 2) as_pairs();
    }
    // Scales by rows or columns lie in pairs, which a shape may leave out: it is that of the matrix then, [1, 1, 1,
    // rows, columns]. Only the tile's valid region decides the size of a copy.
    void as_pairs() {
        const int32_t rows = view.shape[3], columns = view.shape[4];
        const auto set = [this](int32_t outer, int32_t inner) {
            view.shape[2] = outer;
            view.shape[3] = inner;
            view.shape[4] = 2;
        };
        if constexpr (Layout_ == Layout::MX_A_ND) set(rows, columns / 2);
        if constexpr (Layout_ == Layout::MX_A_DN) set(columns / 2, rows);
        if constexpr (Layout_ == Layout::MX_B_ND) set(rows / 2, columns);
        if constexpr (Layout_ == Layout::MX_B_DN) set(columns, rows / 2);
        (void)rows, (void)columns, (void)set;
    }
};

template <typename T_>
struct is_global : std::false_type {};
template <typename E_, typename S_, typename D_, Layout L_>
struct is_global<GlobalTensor<E_, S_, D_, L_>> : std::true_type {};
template <typename T_>
constexpr bool is_global_data_v = is_global<T_>::value;

}  // namespace pto
