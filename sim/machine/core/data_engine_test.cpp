#include "sim/machine/core/data_engine.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <stdexcept>

#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

constexpr unsigned kClusters = 4;
constexpr int kRows = 32, kCols = 64, kLines = 256;

// Memories of a few clusters around a shared one. Every element has a different value.
struct Memories {
    std::vector<std::vector<int32_t>> local{kClusters, std::vector<int32_t>(2 * kRows * kCols)};
    std::vector<int32_t> global = std::vector<int32_t>(kLines * kCols);

    Memories() {
        int32_t next = 1;
        for (int32_t& value : global) value = next++;
        for (auto& memory : local)
            for (int32_t& value : memory) value = next++;
    }
    friend bool operator==(const Memories&, const Memories&) = default;
};

std::byte* bytes_of(int32_t* at) { return reinterpret_cast<std::byte*>(at); }

Tile tile(bool second) {
    Tile result = make_tile(Space::kUB, DType::kI32, kRows, kCols);
    result.address = second ? kRows * kCols * sizeof(int32_t) : 0;
    return result;
}

GlobalView lines(int32_t* at) {
    GlobalView view;
    view.dtype = DType::kI32;
    view.address = reinterpret_cast<uint64_t>(at);
    view.shape = {1, 1, 1, kRows, kCols};
    view.stride = {kRows * kCols, kRows * kCols, kRows * kCols, kCols, 1};
    return view;
}

// Loads, sums (which wrap) and stores of random clusters at random lines of the shared memory.
Memories compute(unsigned threads) {
    Memories memories;
    DataEngine engine(kClusters);
    engine.set_threads(threads);
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        const unsigned cluster = random() % kClusters;
        int32_t* const first = memories.local[cluster].data();
        int32_t* const second = first + kRows * kCols;
        int32_t* const shared = memories.global.data() + random() % (kLines - kRows) * kCols;
        switch (random() % 3) {
            case 0: {
                Instruction load(Opcode::kTLOAD);
                load.add(tile(false)).add(lines(shared));
                engine.submit(cluster, {load, {bytes_of(first), bytes_of(shared)}});
                break;
            }
            case 1: {
                Instruction sum(Opcode::kTADD);
                sum.add(tile(true)).add(tile(false)).add(tile(true));
                engine.submit(cluster,
                              {sum, {bytes_of(second), bytes_of(first), bytes_of(second)}});
                break;
            }
            default: {
                Instruction store(Opcode::kTSTORE);
                store.add(lines(shared)).add(tile(true));
                engine.submit(cluster, {store, {bytes_of(shared), bytes_of(second)}});
                break;
            }
        }
    }
    engine.finish();
    return memories;
}

}  // namespace

TEST_CASE("data are the same for any number of threads, also where clusters share memory") {
    const Memories expected = compute(0);
    for (unsigned threads : {1u, 2u, 3u, 8u})
        for (int repetition = 0; repetition < 3; ++repetition)
            CHECK((compute(threads) == expected));
}

TEST_CASE("what a computation throws reaches the machine") {
    for (unsigned threads : {0u, 1u, 3u}) {
        DataEngine engine(1);
        engine.set_threads(threads);
        Instruction sum(Opcode::kTADD);
        Tile wrong = tile(false);
        wrong.dtype = DType::kE4M3;  // refused by legality
        sum.add(wrong).add(wrong).add(wrong);
        std::vector<int32_t> memory(kRows * kCols);
        std::byte* const bytes = bytes_of(memory.data());
        const auto run = [&] {
            engine.submit(0, {sum, {bytes, bytes, bytes}});
            engine.finish();
        };
        CHECK_THROWS(run());
    }
}

}  // namespace ptosim
