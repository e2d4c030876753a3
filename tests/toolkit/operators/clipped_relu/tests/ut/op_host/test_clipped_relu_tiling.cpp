// The key has bit 0 for a positive limit, and from bit 1 the position of the row among 64, 128 and
// 256 (op_kernel/clipped_relu.cpp). A variable in the environment replaces the expected key.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tiling_choice.h"

TEST(ClippedRelu, key) {
    const char* const other = std::getenv("CLIPPED_RELU_KEY");
    const TilingChoice choice = tile("ClippedRelu", 1280, 50);
    ASSERT_TRUE(choice.accepted);
    EXPECT_EQ(choice.key, other != nullptr ? std::strtoull(other, nullptr, 10) : (1u | 2u << 1));
}

TEST(ClippedRelu, blocks) { EXPECT_EQ(tile("ClippedRelu", 64, 0).blocks, 4u); }

TEST(ClippedRelu, refused) { EXPECT_FALSE(tile("ClippedRelu", 100, 1).accepted); }
