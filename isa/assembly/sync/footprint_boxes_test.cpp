// Overlaps of parts of global memory, compared with counting all bytes.
#include "isa/assembly/sync/footprint_boxes.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

namespace ptosim::assembly {
namespace {

std::set<int64_t> bytes_of(const GlobalBox& box, int64_t iteration) {
    std::set<int64_t> starts{box.offset + box.factor * iteration};
    for (const GlobalBox::Extent& extent : box.extents) {
        std::set<int64_t> more;
        for (const int64_t start : starts)
            for (int64_t i = 0; i < extent.count; ++i) more.insert(start + i * extent.stride);
        starts = std::move(more);
    }
    std::set<int64_t> all;
    for (const int64_t start : starts)
        for (int64_t i = 0; i < box.width; ++i) all.insert(start + i);
    return all;
}

bool share(const GlobalBox& a, const GlobalBox& b, int64_t iterations) {
    const std::set<int64_t> one = bytes_of(a, 0);
    for (const int64_t byte : bytes_of(b, iterations))
        if (one.count(byte) != 0) return true;
    return false;
}

GlobalBox random_box(std::mt19937& random, int64_t factor) {
    const auto upto = [&](int64_t n) {
        return static_cast<int64_t>(random() % static_cast<unsigned>(n));
    };
    static constexpr int64_t kStrides[] = {2, 4, 6, 16, 40, 64};
    GlobalBox box;
    box.pointer = 1;
    box.factor = factor;
    box.offset = upto(96) - 48;
    box.width = 1 + upto(4);
    for (int64_t i = upto(4); i > 0; --i) box.extents.push_back({kStrides[upto(6)], 1 + upto(4)});
    return box;
}

}  // namespace

TEST_CASE("boxes are apart exactly where they have no byte in common") {
    std::mt19937 random(17);
    size_t apart_ones = 0;
    for (int i = 0; i < 5000; ++i) {
        const int64_t factor = static_cast<int64_t>(random() % 65) - 32;
        const GlobalBox a = random_box(random, factor), b = random_box(random, factor);
        const int64_t iterations = static_cast<int64_t>(random() % 7) - 3;
        INFO("case " << i);
        REQUIRE(apart(a, b, iterations) == !share(a, b, iterations));
        apart_ones += apart(a, b, iterations);
    }
    CHECK(apart_ones > 1000);
    CHECK(apart_ones < 4000);
}

TEST_CASE("boxes at places that differ by something unknown are never apart") {
    GlobalBox a;
    a.pointer = 1;
    a.width = 4;
    GlobalBox b = a;
    b.offset = 64;
    CHECK(apart(a, b, 0));
    b.atoms = {{7, 4}};
    CHECK_FALSE(apart(a, b, 0));
    a.atoms = b.atoms;
    CHECK(apart(a, b, 0));
    b.factor = 8;
    CHECK_FALSE(apart(a, b, 0));
    b = a;
    b.offset = 64;
    b.pointer = 2;
    CHECK_FALSE(apart(a, b, 0));
}

}  // namespace ptosim::assembly
