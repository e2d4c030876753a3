// Convolutions: the windows of a feature map as rows of a matrix.
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/lanes.h"
#include "isa/semantics/touched.h"

namespace ptosim::semantics {

namespace {

// The matrix of all windows; elements are where they are in the feature map, or the padding value.
class Windows {
 public:
    Windows(const Image& image, const Tile& map)
        : image_{image},
          map_{map},
          c0_{map.cols},
          blocks_{std::max<int64_t>(1, (image.channels + c0_ - 1) / c0_)},
          area_{int64_t{image.height} * image.width},
          images_{map.rows / (blocks_ * area_)},
          windows_{int64_t{image.out_height()} * image.out_width()},
          places_{int64_t{image.filter_height} * image.filter_width} {}

    template <typename T>
    T element(const std::byte* base, int64_t m, int64_t k) const {
        const int64_t n = m / windows_;
        const int64_t window = m % windows_;
        const int64_t block = k / (c0_ * places_);
        const int64_t filter_position = k / c0_ % places_;
        const int64_t y = window / image_.out_width() * image_.stride_height - image_.pad_top +
                          filter_position / image_.filter_width * image_.dilation_height;
        const int64_t x = window % image_.out_width() * image_.stride_width - image_.pad_left +
                          filter_position % image_.filter_width * image_.dilation_width;
        const bool inside = n < images_ && block < blocks_ && y >= 0 && y < image_.height &&
                            x >= 0 && x < image_.width;
        if (!inside) return static_cast<T>(image_.pad_value);
        const int64_t line = (n * blocks_ + block) * area_ + y * image_.width + x;
        return read_lane<T>(map_, base, static_cast<int>(line), static_cast<int>(k % c0_));
    }

 private:
    const Image& image_;
    const Tile& map_;
    int64_t c0_, blocks_, area_, images_, windows_, places_;
};

}  // namespace

// Operands (dst, src, posM, posK). Row posM + i of the matrix is a window: images one after the
// other, in each the windows by rows. Column posK + j is a place in the window: block of c0
// channels, then row and column of the filter, then channel. What lies beside the feature map, or
// beyond its channels and images, is the padding value. Repetitions start further down or to the
// right in the matrix and go below or beside one another.
// (hw-native-sys/pto-isa docs/isa/TIMG2COL.md, include/pto/cpu/TImg2col.hpp; of repetition,
// position and transposition: CANN's AscendC API, SetLoadDataRepeat and LoadData Load3Dv2.)
void TIMG2COL(const Execution& e) {
    const Image& image = e.instruction.attributes.image;
    const Tile& given = e.tile(0);
    const Tile to = image.target(given);
    const Windows windows(image, e.tile(1));
    const int64_t pos_m = integer_of(e.scalar(2));
    const int64_t pos_k = integer_of(e.scalar(3));
    const bool along_k = image.repeat_mode != 0;
    const int64_t step = int64_t{image.repeat_stride} * (along_k ? e.tile(1).cols : 16);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int time = 0; time < image.repeat_time; ++time) {
            const int64_t m = pos_m + (along_k ? 0 : time * step);
            const int64_t k = pos_k + (along_k ? time * step : 0);
            const int first_row = along_k ? 0 : time * given.valid_rows;
            const int first_col = along_k ? time * given.valid_cols : 0;
            for (int row = 0; row < given.valid_rows; ++row)
                for (int col = 0; col < given.valid_cols; ++col) {
                    const T value = windows.element<T>(e.bytes[1], m + row, k + col);
                    int at[2] = {image.dst_position * 16 + first_row + row, first_col + col};
                    if (image.transpose) std::swap(at[0], at[1]);
                    write_lane(to, e.bytes[0], at[0], at[1], value);
                }
        }
    });
}

// ---- what its rows name ----------------------------------------------------------------------

namespace {

// Repeated and turned windows may fill all of the destination.
bool fills_whole(const Instruction& instruction, unsigned operand) {
    const Image& image = instruction.attributes.image;
    return operand == 0 && (image.repeat_time > 1 || image.transpose || image.dst_position != 0 ||
                            image.dst_stride != 0);
}

TouchedTiles touched_windows(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    return {{fills_whole(instruction, operand) ? whole_of(tile) : tile}, 1};
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/convolution.def"
}  // namespace ptosim::rows
