#include "isa/semantics/row_folds.h"

#include <algorithm>
#include <cstring>

#include "isa/numeric/wide.h"
#include "isa/semantics/transpose_blocks.h"

namespace ptosim::semantics {

namespace {

constexpr int kEight = 8;
typedef float Lanes __attribute__((vector_size(4 * kEight)));

// Transposes eight rows of eight floats. All shuffles but the last stay within 16 bytes, for which hosts have fast
// instructions.
[[gnu::always_inline]] inline void turn_eight(const std::byte* const (&rows)[kEight], int64_t at,
                                              Lanes (&columns)[kEight]) {
    Lanes row[kEight], a[kEight], b[kEight];
    for (int i = 0; i < kEight; ++i) std::memcpy(&row[i], rows[i] + at, sizeof(Lanes));
    for (int i = 0; i < kEight; i += 2) {
        a[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < kEight; i += 4)
        for (int j = 0; j < 2; ++j) {
            b[i + 2 * j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[i + 2 * j + 1] = __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < kEight / 2; ++i) {
        columns[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        columns[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

template <HalfOperation kOperation, typename V>
[[gnu::always_inline]] inline void step(V& result, const V& value) {
    if constexpr (kOperation == HalfOperation::kAdd)
        result = result + value;
    else
        result = result * value;
}

// Each group of eight rows is an independent chain. A NaN stays a NaN.
template <HalfOperation kOperation>
void fold(const std::byte* rows, int64_t pitch, int row_count, int count, float* results) {
    constexpr int kGroups = kFoldedTogether / kEight;
    widest([=] {
        const std::byte* row[kGroups][kEight];
        for (int i = 0; i < kFoldedTogether; ++i)  // the last one again to fill up
            row[i / kEight][i % kEight] = rows + std::min(i, row_count - 1) * pitch;
        alignas(64) float now[kFoldedTogether];
        int at = 0;
        if (count >= kEight) {
            Lanes chain[kGroups];
            for (; at + kEight <= count; at += kEight)
                for (int g = 0; g < kGroups; ++g) {
                    Lanes columns[kEight];
                    turn_eight(row[g], at * 4, columns);
                    if (at == 0)
                        chain[g] = columns[0];
                    else
                        step<kOperation>(chain[g], columns[0]);
                    for (int i = 1; i < kEight; ++i) step<kOperation>(chain[g], columns[i]);
                }
            std::memcpy(now, chain, sizeof now);
        }
        for (; at < count; ++at)
            for (int i = 0; i < kFoldedTogether; ++i) {
                float value;
                std::memcpy(&value, row[i / kEight][i % kEight] + at * 4, sizeof value);
                if (at == 0)
                    now[i] = value;
                else
                    step<kOperation>(now[i], value);
            }
        for (int i = 0; i < kFoldedTogether; ++i) results[i] = canonical(now[i]);
    });
}

}  // namespace

void fold_rows(HalfOperation operation, const std::byte* rows, int64_t pitch, int row_count, int count,
               float (&results)[kFoldedTogether]) {
    if (operation == HalfOperation::kAdd)
        fold<HalfOperation::kAdd>(rows, pitch, row_count, count, results);
    else
        fold<HalfOperation::kMul>(rows, pitch, row_count, count, results);
}

void fold_half_rows(HalfOperation operation, const std::byte* rows, int64_t pitch, int row_count, int count,
                    float (&results)[kFoldedTogether]) {
    static_assert(kFoldedTogether == kTransposeSquare && kFoldedTogether == kHalfLine);
    constexpr int64_t kLine = 2 * kTransposeSquare;  // bytes
    alignas(64) std::byte square[kTransposeSquare * kLine]{}, columns[kTransposeSquare * kLine];
    for (int at = 0; at < count; at += kTransposeSquare) {
        const int width = std::min(kTransposeSquare, count - at);
        const std::byte* from = rows + 2 * at;
        if (width == kTransposeSquare && row_count == kFoldedTogether) {
            transpose_square(from, pitch, columns, kLine);
        } else {
            for (int i = 0; i < row_count; ++i)
                std::memcpy(square + i * kLine, from + i * pitch, static_cast<size_t>(2 * width));
            transpose_square(square, kLine, columns, kLine);
        }
        const auto* steps = reinterpret_cast<const Half*>(columns);
        if (at == 0) widen(steps, results, kHalfLine);
        const int begin = at == 0 ? 1 : 0;
        fold_lines(operation, steps + begin * kHalfLine, width - begin, results);
    }
    for (float& result : results) result = canonical(result);
}

}  // namespace ptosim::semantics
