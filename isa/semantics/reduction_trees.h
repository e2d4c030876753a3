// The order in which hardware profiles combine the elements of a row or column, taken from the public code that lowers
// reductions to vector instructions (profile rules row-sum-tree and similar ones). Lanes are values of V, in which
// elements are kept between two steps; `f` rounds to the element type. The functions overwrite the lanes.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ptosim::semantics {

// Combines neighbours, then neighbours of the results: as vcadd does with the lanes of a vector and vcgadd with the
// lanes of a block of 32 bytes (CANN API asc_reduce_sum, asc_datablock_reduce_sum on hiascend.com). `count` is a power
// of two.
template <typename V, typename F>
V combine_neighbours(V* lanes, int count, F f) {
    for (; count > 1; count /= 2)
        for (int i = 0; i < count / 2; ++i) lanes[i] = f(lanes[2 * i], lanes[2 * i + 1]);
    return lanes[0];
}

// Combines each lane of the first half with its counterpart in the second.
template <typename V, typename F>
V combine_halves(V* lanes, int count, F f) {
    for (; count > 1; count /= 2)
        for (int i = 0; i < count / 2; ++i) lanes[i] = f(lanes[i], lanes[i + count / 2]);
    return lanes[0];
}

// The steps of kFoldedRows.
template <typename V, typename F>
V combine_by_steps(V* lanes, int count, std::string_view steps, F f) {
    constexpr int kBlock = 8;
    for (const char step : steps) {
        const int most = step == 'g' ? kBlock : 2 * kBlock, left = step == 'g' ? 1 : kBlock;
        for (int block = 0; block < count / most; ++block) {
            V* const from = lanes + block * most;
            if (step == 'g')
                combine_neighbours(from, kBlock, f);
            else
                for (int i = 0; i < kBlock; ++i) from[i] = f(from[i], from[i + kBlock]);
            std::copy_n(from, left, lanes + block * left);
        }
        count = count / most * left;
    }
    return lanes[0];
}

// Other sums of rows on a2a3: vectors of `width` lanes are added pair by pair; an odd vector is added to the first. The
// rest of the row is added to the first vector after the first pass. Then the lanes of the remaining vector are
// combined by neighbours. Missing lanes of a row are +0. `lanes` has room for whole vectors.
template <typename V, typename F>
V combine_vectors(V* lanes, int count, int width, F f) {
    const int rest = count % width;
    int vectors = count / width;
    V* const tail = lanes + vectors * width;
    if (vectors == 0) {
        std::fill(tail + rest, tail + width, V{});
        return combine_neighbours(lanes, width, f);
    }
    const auto add = [&](V* to, const V* a, const V* b, int n) {
        for (int i = 0; i < n; ++i) to[i] = f(a[i], b[i]);
    };
    bool first = true;
    do {
        V* const last = lanes + (vectors - 1) * width;
        const bool odd = vectors > 1 && vectors % 2 == 1;
        for (int i = 0; i < vectors / 2; ++i)
            add(lanes + i * width, lanes + 2 * i * width, lanes + (2 * i + 1) * width, width);
        vectors = std::max(vectors / 2, 1);
        // The first pass adds an odd vector to the first one, later ones to the last.
        V* const with = first ? lanes : lanes + (vectors - 1) * width;
        if (odd) add(with, with, last, width);
        if (first) add(lanes, lanes, tail, rest);
        first = false;
    } while (vectors > 1);
    return combine_neighbours(lanes, width, f);
}

// Reduces each vector by neighbours, and combines the results in order, beginning with `start`.
template <typename V, typename F>
V combine_in_vectors(V* lanes, int count, int width, V start, F f) {
    for (int begin = 0; begin < count; begin += width) {
        const int valid = std::min(width, count - begin);
        std::fill(lanes + begin + valid, lanes + begin + width, V{});
        start = f(start, combine_neighbours(lanes + begin, width, f));
    }
    return start;
}

// Combines the vectors lane by lane; lanes that no vector has are `start`. The result is in the first `width` lanes.
template <typename V, typename F>
void stack_vectors(V* lanes, int count, int width, V start, F f) {
    if (count < width) std::fill(lanes + count, lanes + width, start);
    for (int at = width; at < count; ++at) lanes[at % width] = f(lanes[at % width], lanes[at]);
}

}  // namespace ptosim::semantics
