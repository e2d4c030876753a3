// TPRINT's text; numbers as C's printf writes them.
#include "isa/composite/print_text.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <limits>

using namespace ptosim;

namespace {

std::string c_text(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

TEST_CASE("TPRINT writes rows, marks the valid region, and formats as printf does") {
    std::vector<float> values(16);
    const float chosen[] = {1.0F,        -2.5F, 0.00005F, 123456.75F,
                            3.14159274F, -0.0F, 0.125F,   2.00015F};
    std::copy(std::begin(chosen), std::end(chosen), values.begin());
    values[8] = std::numeric_limits<float>::infinity();
    values[9] = std::numeric_limits<float>::quiet_NaN();
    Tile tile = make_tile(Space::kUB, DType::kF32, 2, 8);
    tile.valid_cols = 3;
    Instruction print(Opcode::kTPRINT);
    print.add(tile);
    const char* formats[] = {"%8.4f", "%8.2f", "%10.6f"};
    for (uint8_t which = 0; which < 3; ++which) {
        print.attributes.print_format = which;
        const std::string text = print_text({print, {reinterpret_cast<std::byte*>(values.data())}});
        std::string expected = "tile UB f32 2x8 ND @0x0 valid 2x3\n";
        for (int i = 0; i < 16; ++i) {
            expected += i % 8 == 3 ? "|" : i % 8 > 0 ? " " : "";
            expected += i == 9 ? std::string(which == 2 ? 7 : 5, ' ') + "nan"
                               : c_text(formats[which],
                                        static_cast<double>(values[static_cast<size_t>(i)]));
            if (i % 8 == 7) expected += "\n";
        }
        CHECK(text == expected);
    }
}

TEST_CASE("TPRINT of integers, of rows beyond the valid region, and of views") {
    std::vector<int8_t> bytes(64, -7);
    Tile tile = make_tile(Space::kUB, DType::kI8, 2, 32);
    tile.valid_rows = 1;
    Instruction print(Opcode::kTPRINT);
    print.add(tile);
    const std::string text = print_text({print, {reinterpret_cast<std::byte*>(bytes.data())}});
    CHECK(text.find("\n      -7       -7 ") != std::string::npos);
    CHECK(text.find("\n--------\n      -7") != std::string::npos);

    std::vector<uint32_t> words{1, 2, 3, 4294967295u};
    GlobalView view;
    view.dtype = DType::kU32;
    view.layout = GlobalLayout::kDN;
    view.shape = {1, 1, 1, 2, 2};
    view.stride = {4, 4, 4, 1, 2};
    Instruction global(Opcode::kTPRINT);
    global.add(view);
    CHECK(print_text({global, {reinterpret_cast<std::byte*>(words.data())}}) ==
          "view u32 [1,1,1,2,2] strides [4,4,4,1,2] DN\n       1        3\n       2 4294967295\n");
}
