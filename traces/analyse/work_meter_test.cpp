// Tests of sums of work: instructions that a meter has met before add what they add alone.
#include "traces/analyse/work_meter.h"

#include <catch2/catch.hpp>
#include <random>

#include "traces/record/test_events.h"

using namespace ptosim;
using namespace ptosim::test;

TEST_CASE("work is the same whether instructions are known by an id or not") {
    // 3000 kinds of instructions, more than a meter keeps, on three cores: loads, stores and sums.
    std::vector<Instruction> kinds(3000);
    for (uint32_t i = 0; i < kinds.size(); ++i) {
        const Opcode opcode = i % 3 == 0 ? Opcode::kTLOAD : i % 3 == 1 ? Opcode::kTSTORE : Opcode::kTADD;
        Instruction instruction{opcode, {0, 1, 1}};
        const Tile tile = make_tile(Space::kUB, DType::kF32, 1 + i % 7, 8 * (1 + i % 11));
        GlobalView view;
        view.dtype = DType::kF32;
        view.shape = {1, 1, 1, tile.valid_rows, tile.valid_cols};
        kinds[i] = opcode == Opcode::kTLOAD    ? instruction.add(tile).add(view)
                   : opcode == Opcode::kTSTORE ? instruction.add(view).add(tile)
                                               : instruction.add(tile).add(tile).add(tile);
    }
    constexpr Pipe kPipes[] = {Pipe::kMTE2, Pipe::kMTE3, Pipe::kV};
    WorkMeter known, plain;
    std::mt19937 random(7);
    for (int n = 0; n < 40000; ++n) {
        // Phases of few kinds, as loops have them, and events of any kind.
        const uint32_t kind = n % 5 == 0 ? random() % 3000 : (n / 4000 * 290 + random() % 40) % 3000;
        InstructionEvent event;
        event.core = std::array{kAic0, kAiv0, kAiv1}[random() % 3];
        event.pipe = kPipes[kind % 3];
        event.instruction = &kinds[kind];
        event.l2_miss_bytes = random() % 100;
        plain.on_complete(event);
        event.validation_id = 1 + kind;
        known.on_complete(event);
    }
    const Work a = known.work(), b = plain.work();
    CHECK(b.read_bytes > 0);
    CHECK(b.written_bytes > 0);
    CHECK(b.vector_bytes > 0);
    CHECK(a.read_bytes == b.read_bytes);
    CHECK(a.written_bytes == b.written_bytes);
    CHECK(a.hbm_bytes == b.hbm_bytes);
    CHECK(a.vector_bytes == b.vector_bytes);
    CHECK(a.moved_bytes == b.moved_bytes);
    CHECK(a.used_bytes == b.used_bytes);
    CHECK(a.products == b.products);
}
