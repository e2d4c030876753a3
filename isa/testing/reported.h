// Reports of checks of data, as text: for tests.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "isa/core/behaviour.h"
#include "isa/testing/test_operands.h"

namespace ptosim {

struct Collector final : DataReporter {
    void report(const DataFinding& f) override {
        text += std::string(f.code) + " operand " + std::to_string(f.operand) + " at " +
                std::to_string(f.row) + "," + std::to_string(f.col) + " x" +
                std::to_string(f.count) + ";";
        CHECK_FALSE(f.message.empty());
        hints = hints && !f.hint.empty();
    }
    std::string text;
    bool hints = true;  // every finding has one
};

// One row of 32 bytes, of which `count` elements are valid.
inline Tile row(DType type, int count) {
    Tile tile = make_tile(Space::kUB, type, 1, static_cast<int>(256 / bits(type)));
    tile.valid_cols = count;
    return tile;
}

// The reports of `check` for an instruction on these elements, operand after operand; the rest of an operand is zeros.
template <typename T, typename Check>
Collector reports(const Instruction& instruction, std::vector<std::vector<T>> data, Check check) {
    Execution execution{instruction, {}, Numerics::kIEEE};
    for (size_t i = 0; i < data.size(); ++i) {
        data[i].resize(32);
        execution.bytes[i] = reinterpret_cast<std::byte*>(data[i].data());
    }
    Collector collector;
    check(execution, collector);
    return collector;
}

}  // namespace ptosim
