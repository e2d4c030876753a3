// Views of global memory: Shape, Stride, GlobalTensor.
#pragma once

#include "pto/common/constants.hpp"
#include "pto/common/issue.hpp"

namespace pto {

constexpr int DYNAMIC = -1;

#define PTO_DETAIL_EXTENTS(NAME, MEMBER, STATIC)                                           \
    template <int64_t N1 = DYNAMIC, int64_t N2 = DYNAMIC, int64_t N3 = DYNAMIC,            \
              int64_t N4 = DYNAMIC, int64_t N5 = DYNAMIC>                                  \
    struct NAME {                                                                          \
        static constexpr int64_t STATIC[5] = {N1, N2, N3, N4, N5};                         \
        int64_t MEMBER[5] = {N1 == DYNAMIC ? 1 : N1, N2 == DYNAMIC ? 1 : N2,               \
                             N3 == DYNAMIC ? 1 : N3, N4 == DYNAMIC ? 1 : N4,               \
                             N5 == DYNAMIC ? 1 : N5};                                      \
                                                                                           \
        constexpr NAME() {}                                                                \
        constexpr NAME(int64_t a) { set({a}); } /* NOLINT */                               \
        constexpr NAME(int64_t a, int64_t b) { set({a, b}); }                              \
        constexpr NAME(int64_t a, int64_t b, int64_t c) { set({a, b, c}); }                \
        constexpr NAME(int64_t a, int64_t b, int64_t c, int64_t d) { set({a, b, c, d}); }  \
        constexpr NAME(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {            \
            set({a, b, c, d, e});                                                          \
        }                                                                                  \
                                                                                           \
     private:                                                                              \
        template <int COUNT>                                                               \
        constexpr void set(const int64_t (&given)[COUNT]) {                                \
            constexpr int kDynamic = (N1 == DYNAMIC) + (N2 == DYNAMIC) + (N3 == DYNAMIC) + \
                                     (N4 == DYNAMIC) + (N5 == DYNAMIC);                    \
            static_assert(COUNT == 5 || COUNT == kDynamic,                                 \
                          "PTO: give one number for each DYNAMIC dimension, or all five"); \
            for (int i = 0, next = 0; i < 5; ++i) {                                        \
                if (STATIC[i] == DYNAMIC) MEMBER[i] = given[COUNT == 5 ? i : next++];      \
            }                                                                              \
        }                                                                                  \
    }
PTO_DETAIL_EXTENTS(Shape, shape, staticShape);
PTO_DETAIL_EXTENTS(Stride, stride, staticStride);
#undef PTO_DETAIL_EXTENTS

template <typename T>
using remove_gm_t = std::remove_cv_t<T>;

// Elements of global memory at a device address: a shape and strides (in elements) of five
// dimensions, the last one innermost.
template <typename Element_, typename Shape_, typename Stride_, Layout Layout_ = Layout::ND>
struct GlobalTensor : detail::GlobalBase {
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
    template <int DIM>
    static constexpr int64_t GetShape() {
        return staticShape[DIM];
    }
    template <int DIM>
    static constexpr int64_t GetStride() {
        return staticStride[DIM];
    }
    template <int... DIMS, class... Sizes>
    void SetShape(Sizes... sizes) {
        static_assert(((staticShape[DIMS] == DYNAMIC) && ...),
                      "PTO: SetShape of a static dimension");
        ((view.shape[DIMS] = static_cast<int32_t>(sizes)), ...);
    }
    template <int... DIMS, class... Sizes>
    void SetStride(Sizes... sizes) {
        static_assert(((staticStride[DIMS] == DYNAMIC) && ...),
                      "PTO: SetStride of a static dimension");
        ((view.stride[DIMS] = static_cast<int64_t>(sizes)), ...);
    }

 private:
    void init(DType* data, const int64_t (&shape)[5], const int64_t (&stride)[5]) {
        view.address = reinterpret_cast<uintptr_t>(data);
        view.dtype = detail::element_type<RawDType>;
        view.layout = static_cast<uint8_t>(Layout_);
        for (int i = 0; i < 5; ++i) {
            view.shape[i] = static_cast<int32_t>(shape[i]);
            view.stride[i] = stride[i];
        }
    }
};

template <typename T>
struct is_global : std::false_type {};
template <typename E, typename S, typename D, Layout L>
struct is_global<GlobalTensor<E, S, D, L>> : std::true_type {};
template <typename T>
constexpr bool is_global_data_v = is_global<T>::value;

}  // namespace pto
