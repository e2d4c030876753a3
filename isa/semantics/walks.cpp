#include "isa/semantics/walks.h"

#include "isa/semantics/flush.h"

namespace ptosim::semantics {

namespace {

// Calls f with an unsigned value of `width` bytes.
template <typename F>
void visit_width(size_t width, F&& f) {
    if (width == 1) return f(uint8_t{});
    if (width == 2) return f(uint16_t{});
    if (width == 4) return f(uint32_t{});
    f(uint64_t{});
}

size_t width_of(const Execution& e) { return bits(e.tile(0).dtype) / 8; }

bool works_in_place(const Execution& e, std::initializer_list<unsigned> operands) {
    for (unsigned i : operands)
        if (!contiguous_rows(e.tile(i)) || !independent(e, *operands.begin(), i)) return false;
    return true;
}

void walk_in_place(const Execution& e, std::initializer_list<unsigned> operands, FunctionRef<void(const Run&)> run) {
    const Tile& to = e.tile(*operands.begin());
    const auto width = static_cast<int64_t>(width_of(e));
    bool flat = true;
    for (unsigned i : operands) flat = flat && e.tile(i).pitch == to.valid_cols;
    const int rows = flat ? std::min(to.valid_rows, 1) : to.valid_rows;
    Run lanes{nullptr, {}, flat ? int64_t{to.valid_rows} * to.valid_cols : to.valid_cols};
    for (int row = 0; row < rows; ++row) {
        const auto line = [&](unsigned i) { return e.bytes[i] + int64_t{row} * e.tile(i).pitch * width; };
        const unsigned* const operand = operands.begin();
        lanes.out = line(operand[0]);
        for (size_t i = 1; i < operands.size(); ++i) lanes.in[i - 1] = line(operand[i]);
        run(lanes);
    }
}

// Through arrays.
[[gnu::noinline]] void walk_by_copies(const Execution& e, std::initializer_list<unsigned> operands, FunctionRef<void(const Run&)> run) {
    const unsigned* const operand = operands.begin();
    const Tile& to = e.tile(operand[0]);
    const size_t width = width_of(e);
    alignas(64) std::byte lanes[4][kChunk * kMostBytes];
    bool flat = true;
    for (unsigned i : operands) flat = flat && contiguous_rows(e.tile(i)) && e.tile(i).pitch == e.tile(i).valid_cols;
    for_chunks(to.valid_rows, to.valid_cols, flat, [&](int row, int col, int count) {
        for (size_t i = 1; i < operands.size(); ++i)
            read_line(e.tile(operand[i]), e.bytes[operand[i]], row, col, count, width, lanes[i]);
        run({lanes[0], {lanes[1], lanes[2], lanes[3]}, count});
        write_line(to, e.bytes[operand[0]], row, col, count, width, lanes[0]);
    });
}

// The element as `count` lanes.
struct Elements {
    static constexpr int kMost = 1024;
    Elements(uint64_t element, size_t width, int64_t most) : count{static_cast<int>(std::min<int64_t>(kMost, most))} {
        visit_width(width, [&](auto type) {
            const auto value = static_cast<decltype(type)>(element);
            repeat_lane(reinterpret_cast<const std::byte*>(&value), sizeof value, count, lanes);
        });
    }
    alignas(64) std::byte lanes[kMost * kMostBytes];
    int count;
};

template <bool kFirst>
[[gnu::noinline]] void walk_with_lanes(const Execution& e, BinaryLoop loop, uint64_t element, unsigned src) {
    const auto width = static_cast<int64_t>(width_of(e));
    const Tile& to = e.tile(0);
    const Elements elements(element, width_of(e), int64_t{to.valid_rows} * to.valid_cols);
    walk(e, {0, src}, [&](const Run& run) {
        for (int64_t at = 0; at < run.count; at += elements.count) {
            const std::byte* const lanes = run.in[0] + at * width;
            loop(kFirst ? elements.lanes : lanes, kFirst ? lanes : elements.lanes, run.out + at * width,
                 std::min<int64_t>(elements.count, run.count - at));
        }
    });
}

}  // namespace

bool independent(const Execution& e, unsigned target, unsigned source) {
    const Tile& to = e.tile(target);
    const Tile& from = e.tile(source);
    const std::byte* const a = e.bytes[target];
    const std::byte* const b = e.bytes[source];
    if (a == b && (to.pitch == from.pitch || to.valid_rows <= 1)) return true;
    return a + to.touched_bytes() <= b || b + from.touched_bytes() <= a;
}

void read_line(const Tile& tile, const std::byte* base, int row, int col, int count, size_t width, std::byte* lanes) {
    if (contiguous_rows(tile)) {
        std::memcpy(lanes, base + tile.index(row, col) * static_cast<int64_t>(width), static_cast<size_t>(count) * width);
        return;
    }
    visit_width(width, [&](auto type) {
        using T = decltype(type);
        for (int i = 0; i < count; ++i)
            store(lanes + static_cast<size_t>(i) * sizeof(T), read_lane<T>(tile, base, row, col + i));
    });
}

void write_line(const Tile& tile, std::byte* base, int row, int col, int count, size_t width, const std::byte* lanes) {
    if (contiguous_rows(tile)) {
        std::memcpy(base + tile.index(row, col) * static_cast<int64_t>(width), lanes, static_cast<size_t>(count) * width);
        return;
    }
    visit_width(width, [&](auto type) {
        using T = decltype(type);
        for (int i = 0; i < count; ++i)
            write_lane(tile, base, row, col + i, load<T>(lanes + static_cast<size_t>(i) * sizeof(T)));
    });
}

void repeat_lane(const std::byte* lane, size_t width, int count, std::byte* lanes) {
    visit_width(width, [&](auto type) {
        using T = decltype(type);
        const T value = load<T>(lane);
        for (int i = 0; i < count; ++i) store(lanes + static_cast<size_t>(i) * sizeof(T), value);
    });
}

uint64_t scalar_bits(const Scalar& scalar, DType to) {
    if (scalar.dtype == to) return scalar.bits;
    const bool drops = is_integer(to) && !is_integer(scalar.dtype);
    return convert_bits(to, scalar.dtype, scalar.bits, drops ? RoundMode::kTrunc : RoundMode::kRint,
                        drops ? Saturation::kOn : Saturation::kOff);
}

void walk(const Execution& e, std::initializer_list<unsigned> operands, FunctionRef<void(const Run&)> run) {
    if (works_in_place(e, operands))
        walk_in_place(e, operands, run);
    else
        walk_by_copies(e, operands, run);
}

void unary(const Execution& e, UnaryLoop loop, unsigned src) {
    walk(e, {0, src}, [loop](const Run& run) { loop(run.in[0], run.out, run.count); });
}
void binary(const Execution& e, BinaryLoop loop, unsigned src0, unsigned src1) {
    walk(e, {0, src0, src1}, [loop](const Run& run) { loop(run.in[0], run.in[1], run.out, run.count); });
}
void ternary(const Execution& e, TernaryLoop loop, unsigned a, unsigned b, unsigned c) {
    walk(e, {0, a, b, c}, [loop](const Run& run) { loop(run.in[0], run.in[1], run.in[2], run.out, run.count); });
}
void with_element(const Execution& e, const BinaryLoops& loops, uint64_t element) {
    const DType type = e.tile(0).dtype;
    const ElementLoop loop = loops.with_element(type);
    if (loop == nullptr) return walk_with_lanes<false>(e, loops[type], element, 1);
    walk(e, {0, 1}, [=](const Run& run) { loop(run.in[0], element, run.out, run.count); });
}
void from_element(const Execution& e, const BinaryLoops& loops, uint64_t element, unsigned src) {
    walk_with_lanes<true>(e, loops[e.tile(0).dtype], element, src);
}

void unary(const Execution& e, const UnaryLoops& loops) { unary(e, loops[e.tile(0).dtype]); }
void binary(const Execution& e, const BinaryLoops& loops) { binary(e, loops[e.tile(0).dtype]); }
void binary_scalar(const Execution& e, const BinaryLoops& loops) {
    with_element(e, loops, scalar_bits(e.scalar(2), e.tile(0).dtype));
}

const BinaryLoops& flushing_quotients(const Execution& e) { return flushes(e) ? loops::kFlushedDiv : loops::kDiv; }
const BinaryLoops& quotients(const Execution& e) {
    const bool wide = is_a5(e.numerics) && bits(e.tile(0).dtype) == 64;
    return wide ? loops::kWideDiv : flushing_quotients(e);
}
// Counts of at least the width shift everything out (profile rule "shift-out").
const BinaryLoops& left_shifts(const Execution& e) {
    return e.numerics == Numerics::kIEEE ? loops::kShl : loops::kShlAll;
}
const BinaryLoops& right_shifts(const Execution& e) {
    return e.numerics == Numerics::kIEEE ? loops::kShr : loops::kShrAll;
}

}  // namespace ptosim::semantics
