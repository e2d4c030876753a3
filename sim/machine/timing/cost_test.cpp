// Expected cycles come from the measurements that each case names, not from the code; see docs/models.md for the
// sources. Fitted parameters change when scripts/calibration/calibrate.py is run again: costs that depend on them are
// compared within the bounds of derived integers. Differences, which depend on no fitted number, are compared exactly.
#include "sim/machine/timing/cost.h"

#include <catch2/catch.hpp>

#include "sim/machine/timing/arithmetic.h"

namespace ptosim {
namespace {

constexpr double kDerived = 0.05;  // as in scripts/calibration/validate.py

Instruction matmul(int m, int k, int n, DType type, DType acc) {
    Instruction instruction(Opcode::kTMATMUL);
    instruction.add(
        make_tile(Space::kL0C, acc, m, n, OuterLayout::kColMajor, InnerLayout::kRowMajor, 1024));
    instruction.add(
        make_tile(Space::kL0A, type, m, k, OuterLayout::kRowMajor, InnerLayout::kRowMajor));
    instruction.add(
        make_tile(Space::kL0B, type, k, n, OuterLayout::kRowMajor, InnerLayout::kColMajor));
    return instruction;
}

Instruction move(const Tile& dst, const Tile& src) {
    Instruction instruction(Opcode::kTMOV);
    instruction.add(dst).add(src);
    return instruction;
}

Tile at(Tile tile, uint32_t address) {
    tile.address = address;
    return tile;
}

const ChipModel& chip_of_cost() {
    static const ChipModel model = load_chip("ascend910b1", {});
    return model;
}

TEST_CASE("a stream of fp16 products takes 4096 multiply-adds a cycle and a few cycles each") {
    // pto-isa gemm_performance: 524.5 cycles for 128x256x64 (512 ideal).
    const CostModel model(chip_of_cost());
    const auto stream = [&](int m, int k, int n) {
        return static_cast<double>(model.cost(matmul(m, k, n, DType::kF16, DType::kF32)).occupancy);
    };
    CHECK(stream(128, 64, 256) == Approx(524.5).margin(1));
    CHECK(stream(128, 64, 256) - stream(64, 64, 64) == 512 - 64);
}

TEST_CASE("an isolated product takes about 62 cycles more than its multiply-adds") {
    // asc-devkit matmul_high_performance: 125.0 cycles for 64x64x64, 575.0 for 128x256x64.
    const CostModel model(chip_of_cost());
    const auto alone = [&](int m, int k, int n) {
        const Cost cost = model.cost(matmul(m, k, n, DType::kF16, DType::kF32));
        return cost.latency + cost.fill;
    };
    CHECK(alone(64, 64, 64) == Approx(125).margin(2));
    CHECK(alone(128, 64, 256) == Approx(575).margin(2));
}

TEST_CASE("products are rounded up to whole fractals, and slower or faster by type") {
    const CostModel model(chip_of_cost());
    const auto ideal = [&](int m, int k, int n, DType type, DType acc) {
        const Cost cost = model.cost(matmul(m, k, n, type, acc));
        return cost.latency + cost.fill - whole(chip_of_cost().aic.cube.latency);
    };
    CHECK(ideal(17, 17, 17, DType::kF16, DType::kF32) == 8);  // 2 x 2 x 2 fractals
    CHECK(ideal(64, 64, 64, DType::kBF16, DType::kF32) == 64);
    CHECK(ideal(64, 64, 64, DType::kF32, DType::kF32) == 256);  // 1024 a cycle
    CHECK(ideal(64, 64, 64, DType::kI8, DType::kI32) == 32);    // 8192 a cycle
}

TEST_CASE("L1 to L0A runs at 256 and to L0B at 128 bytes a cycle, and some cycles each") {
    // asc-devkit matmul_high_performance: pairs of 143.0 and 367.0 cycles.
    const CostModel model(chip_of_cost());
    const auto pair = [&](int m, int k, int n) {
        const Tile a = make_tile(Space::kL1, DType::kF16, m, k, OuterLayout::kColMajor,
                                 InnerLayout::kRowMajor);
        const Tile b = make_tile(Space::kL1, DType::kF16, k, n, OuterLayout::kColMajor,
                                 InnerLayout::kRowMajor);
        const Tile left = make_tile(Space::kL0A, DType::kF16, m, k, OuterLayout::kRowMajor,
                                    InnerLayout::kRowMajor);
        const Tile right = make_tile(Space::kL0B, DType::kF16, k, n, OuterLayout::kRowMajor,
                                     InnerLayout::kColMajor);
        return model.cost(move(left, a)).occupancy + model.cost(move(right, b)).occupancy;
    };
    CHECK(static_cast<double>(pair(64, 64, 64)) == Approx(143).margin(2));
    CHECK(static_cast<double>(pair(128, 64, 256)) == Approx(367).margin(2));
}

TEST_CASE("an insertion takes the time of the window that it fills") {
    // UB to L1 at 128 bytes per cycle (platform ini); pto-kernels cv_sync_demo_a5 transfers 16 KiB in 201 cycles, there
    // and back, into a tile twice as large.
    const ChipModel a5 = load_chip("ascend950pr", {});
    const CostModel model(a5);
    const auto fractals = [](Space space, int rows) {
        return make_tile(space, DType::kF16, rows, 128, OuterLayout::kColMajor,
                         InnerLayout::kRowMajor);
    };
    Instruction insert(Opcode::kTINSERT);
    insert.add(fractals(Space::kL1, 128))
        .add(fractals(Space::kUB, 64))
        .add(Scalar{64, DType::kI64});
    insert.add(Scalar{0, DType::kI64});
    CHECK(model.cost(insert).occupancy == 128);
}

TEST_CASE("a vector instruction takes a cycle per 256 bytes plus a start-up") {
    // asc-devkit add_high_performance, conflict-free: 149.6 cycles for 127 repeats.
    Instruction add(Opcode::kTADD);
    const Tile tile = make_tile(Space::kUB, DType::kF16, 1, 16256);
    add.add(at(tile, 0)).add(at(tile, 0x10000)).add(at(tile, 0x20100));
    CHECK(static_cast<double>(CostModel(chip_of_cost()).cost(add).latency) == Approx(149.6).epsilon(0.01));
}

TEST_CASE("slow functions take the rates that were measured on a 910B3") {
    // pto-isa CostModel fits: slope per repeat of TEXP 2.00, TLOG 2.00, TDIV 4.03 (f32).
    const CostModel model(chip_of_cost());
    const auto slope = [&](Opcode opcode, unsigned operands) {
        const auto cost = [&](int cols) {
            Instruction instruction(opcode);
            for (unsigned i = 0; i < operands; ++i)
                instruction.add(make_tile(Space::kUB, DType::kF32, 1, cols));
            return model.cost(instruction).occupancy;
        };
        return static_cast<double>(cost(64 * 101) - cost(64)) / 100;
    };
    CHECK(slope(Opcode::kTEXP, 2) == Approx(2.0).epsilon(0.01));
    CHECK(slope(Opcode::kTLOG, 2) == Approx(2.0).epsilon(0.01));
    CHECK(slope(Opcode::kTDIV, 3) == Approx(4.03).epsilon(0.01));
}

TEST_CASE("a gather takes the time that was measured on a 910B3 for each row") {
    // pto-isa CostModel: 46.6 cycles a row of 64 elements.
    const auto cost = [](int rows) {
        Instruction gather(Opcode::kTGATHER);
        for (unsigned i = 0; i < 3; ++i)
            gather.add(make_tile(Space::kUB, i == 2 ? DType::kI32 : DType::kF32, rows, 64));
        return static_cast<double>(CostModel(chip_of_cost()).cost(gather).occupancy);
    };
    CHECK((cost(101) - cost(1)) / 100 == Approx(46.6).epsilon(0.01));
}

TEST_CASE("a column sum in pairs waits once a level, not once a row") {
    const auto cost = [](bool pairs) {
        Instruction sum(Opcode::kTCOLSUM);
        sum.attributes.binary_tree = pairs;
        sum.add(make_tile(Space::kUB, DType::kF32, 1, 64));
        sum.add(make_tile(Space::kUB, DType::kF32, 64, 64));
        return CostModel(chip_of_cost()).cost(sum).occupancy;
    };
    // 63 sums of one instruction each (aiv.vector.row_expand), and six waits for a level.
    const double row = static_cast<double>(chip_of_cost().aiv.vector.row_expand) / 1000;
    const VectorRate& rate = chip_of_cost().aiv.vector.rate[static_cast<size_t>(Opcode::kTCOLSUM)];
    const double wait = static_cast<double>(rate.dependent) / 1000;
    CHECK(static_cast<double>(cost(true)) == Approx(63 * row + 6 * wait + 24).margin(2));
    CHECK(cost(false) > cost(true));
}

TEST_CASE("composite instructions cost what they expand to") {
    const auto cost = [](const char* name, Opcode opcode, int cols, int rows = 1) {
        const ChipModel model = load_chip(name, {});
        Instruction instruction(opcode);
        for (unsigned i = 0; i < 3; ++i)
            instruction.add(make_tile(Space::kUB, DType::kF32, rows, cols));
        return CostModel(model).cost(instruction);
    };
    // pto-isa TPow.hpp: abs, ln, mul, exp over 101 repeats: 1 + 2 + 1 + 2 cycles each.
    const Cycle one = cost("ascend910b1", Opcode::kTPOW, 64).occupancy;
    CHECK(cost("ascend910b1", Opcode::kTPOW, 64 * 101).occupancy - one == 600);
    // The three instructions after the first wait 22 cycles each.
    CHECK(one >= 6 + 3 * 22);
    // TFmod.hpp: div, truncate, mul, sub of a row: 4 + 3 cycles a repeat, and four times the latency a row.
    const Cycle row = cost("ascend910b1", Opcode::kTFMOD, 64).occupancy;
    CHECK(cost("ascend910b1", Opcode::kTFMOD, 64 * 101).occupancy - row == 100 * 7);
    CHECK(cost("ascend910b1", Opcode::kTFMOD, 64, 101).occupancy - row == 100 * (7 + 4 * 22));
    // Two ports: VfSim isa.csv, 11 cycles of a port per pass.
    CHECK(cost("ascend950pr", Opcode::kTPOW, 64 * 101).occupancy -
              cost("ascend950pr", Opcode::kTPOW, 64).occupancy ==
          Approx(550).margin(1));
}

TEST_CASE("a small copy to or from UB takes its bytes at the port's rate plus the latency") {
    // asc-devkit add_high_performance: 8 KB to UB in 350.5 cycles (two in flight), from UB in
    // 295.1.
    GlobalView view;
    view.dtype = DType::kF16;
    view.shape = {1, 1, 1, 1, 4096};
    const Tile tile = make_tile(Space::kUB, DType::kF16, 1, 4096);
    Instruction store(Opcode::kTSTORE);
    store.add(view).add(tile);
    const Cost cost = CostModel(chip_of_cost()).cost(store);
    CHECK(cost.shared == Cost::Shared::kWrite);
    CHECK(static_cast<double>(cost.bytes * 1000 / cost.rate + cost.latency) ==
          Approx(295.1).epsilon(0.02));
}

TEST_CASE("rows of a product that begin within a block of 32 bytes leave L0C slowly on a 950") {
    // Catlass 46_ascend950_matmul_fixpipe_opti, two products of 256 x 256 f32 a core: n = 2038 takes 7.12 us longer than
    // n = 2048. The products of [567, 488, 399], whose rows begin at blocks, have no such time (6.53 us, 6.34 by UB).
    const ChipModel chip = load_chip("ascend950pr", {});
    const auto cycles = [&](int64_t pitch, uint64_t address) {
        GlobalView view;
        view.address = address;
        view.dtype = DType::kF32;
        view.shape = {1, 1, 1, 256, 256};
        view.stride = {256 * pitch, 256 * pitch, 256 * pitch, pitch, 1};
        Instruction store(Opcode::kTSTORE);
        store.add(view).add(make_tile(Space::kL0C, DType::kF32, 256, 256, OuterLayout::kColMajor,
                                      InnerLayout::kRowMajor, 1024));
        const Cost cost = CostModel(chip).cost(store);
        return static_cast<double>(cost.fixed) / 1000 +
               static_cast<double>(cost.bytes) * 1000 / static_cast<double>(cost.rate);
    };
    CHECK(2 * (cycles(2038, 0) - cycles(2048, 0)) == Approx(7.12 * 1650).epsilon(0.01));
    CHECK(cycles(488, 0) == cycles(2048, 0));
    CHECK(cycles(2048, 16) == cycles(2038, 0));
}

TEST_CASE("a vector instruction whose operands meet in the banks of UB takes longer") {
    // asc-devkit bank_conflict_ub: f32, 64 repeats, a thousand in a row on one destination. Cycles each by the
    // addresses of src0, src1 and dst.
    const CostModel model(chip_of_cost());
    const auto cycles = [&](uint32_t src0, uint32_t src1, uint32_t dst) {
        const Tile tile = make_tile(Space::kUB, DType::kF32, 64, 64);
        Instruction add(Opcode::kTADD);
        add.add(at(tile, dst)).add(at(tile, src0)).add(at(tile, src1));
        return static_cast<double>(model.cost(add).occupancy);
    };
    CHECK(cycles(0, 0x10100, 0x20000) == Approx(88.4).epsilon(0.03));   // no conflict
    CHECK(cycles(0, 0x4000, 0x10000) == Approx(154.2).epsilon(0.03));   // sources, one bank
    CHECK(cycles(0, 0x10000, 0x14100) == Approx(154.2).epsilon(0.03));  // sources, one group
    CHECK(cycles(0, 0x10100, 0x4000) == Approx(88.4).epsilon(0.03));    // in step: no loss
    CHECK(cycles(0, 0x10100, 0x4020) == Approx(138.8).epsilon(0.03));   // out of step
    CHECK(cycles(0, 0x10100, 0x10100) == Approx(88.4).epsilon(0.03));   // in place
}

TEST_CASE("reductions and short rows cost what they are made of") {
    // pto-isa formula_params, per row + start: TROWMAX f32 64 columns 7 + 32;
    // TCOLSUM f32 64 columns 19.5 + 15, 128 columns 22.1 + 8; TMUL f32 32 columns 2 + 43.
    const CostModel model(chip_of_cost());
    const auto reduce = [&](Opcode opcode, int rows, int cols, bool by_row) {
        Instruction instruction(opcode);
        instruction.add(by_row ? make_tile(Space::kUB, DType::kF32, rows, 1)
                               : make_tile(Space::kUB, DType::kF32, 1, cols));
        instruction.add(make_tile(Space::kUB, DType::kF32, rows, cols));
        return static_cast<double>(model.cost(instruction).latency);
    };
    CHECK(reduce(Opcode::kTROWMAX, 64, 64, true) == Approx(7 * 64 + 32).epsilon(0.02));
    // Each further repeat of a row is folded into the first by one more instruction.
    const VectorParameters& vector = chip_of_cost().aiv.vector;
    const double fold = static_cast<double>(64 * vector.row_fold + vector.dependent);
    CHECK(reduce(Opcode::kTROWMAX, 64, 128, true) - reduce(Opcode::kTROWMAX, 64, 64, true) ==
          Approx(fold / 1000).margin(1));
    CHECK(reduce(Opcode::kTCOLSUM, 64, 64, false) == Approx(19.5 * 64 + 15).epsilon(0.12));
    CHECK(reduce(Opcode::kTCOLSUM, 64, 128, false) == Approx(22.1 * 64 + 8).epsilon(0.12));

    Instruction mul(Opcode::kTMUL);
    const Tile tile = make_tile(Space::kUB, DType::kF32, 64, 32);
    mul.add(at(tile, 0x10000)).add(at(tile, 0)).add(at(tile, 0x4000));
    CHECK(static_cast<double>(model.cost(mul).latency) == Approx(2 * 64 + 43).epsilon(0.03));
}

TEST_CASE("reductions and broadcasts of a5 are loops in loops") {
    // The loops of pto-isa's a5 headers. TRowReduce.hpp has a loop of passes in a loop of rows: a VADD of each pass 3
    // cycles after that of the previous pass (VfSim forwarding.csv), and 5.031 from row to row (fitted to nested
    // loops). TColReduceOps.hpp has a loop of rows for each 256 bytes, 4 cycles for two rows of products. TTrans.hpp
    // holds two ports for 6 cycles per pass.
    const ChipModel chip = load_chip("ascend950pr", {});
    const CostModel model(chip);
    const auto cycles = [&](Opcode opcode, const Tile& to, const Tile& from) {
        Instruction instruction(opcode);
        instruction.add(at(to, 0x20000)).add(from);
        return static_cast<double>(model.cost(instruction).latency);
    };
    const auto ub = [](int rows, int cols) {
        return make_tile(Space::kUB, DType::kF32, rows, cols);
    };
    CHECK(cycles(Opcode::kTROWSUM, ub(64, 1), ub(64, 64)) ==
          Approx(78 + 3 + 63 * (5.031 + 3)).margin(1));
    CHECK(cycles(Opcode::kTROWSUM, ub(64, 1), ub(64, 128)) ==
          Approx(78 + 6 + 63 * (5.031 + 6)).margin(1));
    CHECK(cycles(Opcode::kTROWMAX, ub(64, 1), ub(64, 64)) ==
          Approx(72 + 2 + 63 * (5.031 + 2)).margin(1));
    CHECK(cycles(Opcode::kTROWARGMAX, ub(64, 1), ub(64, 64)) ==
          Approx(92 + 6 + 63 * (5.031 + 6)).margin(1));
    CHECK(cycles(Opcode::kTROWPROD, ub(64, 1), ub(64, 64)) ==
          Approx(63 + 4 + 63 * (5.031 + 4) + 64 * 42).margin(1));
    CHECK(cycles(Opcode::kTCOLPROD, ub(1, 64), ub(64, 64)) == Approx(55 + 64 * 2).margin(1));
    CHECK(cycles(Opcode::kTCOLPROD, ub(1, 128), ub(64, 128)) ==
          Approx(55 + 64 * 2 + 5.031 + 64 * 2).margin(1));
    CHECK(cycles(Opcode::kTROWEXPAND, ub(64, 64), ub(64, 1)) ==
          Approx(55.257 + 1.034 + 63 * (5.031 + 1)).margin(1));
    CHECK(cycles(Opcode::kTTRANS, ub(64, 64), ub(64, 64)) ==
          Approx(55.257 + 64 * (3 + 5.031)).margin(1));
}

TEST_CASE("full f32 tiles of four shapes are folded block by block") {
    // pto-isa's TROWMAX and TROWSUM of these shapes: group reductions and maxima of 128, 8, ... repeats, each after the
    // previous one; asc-devkit bank_conflict_ub: 24.4 cycles and one per repeat for each instruction.
    const CostModel model(chip_of_cost());
    const auto reduce = [&](Opcode opcode, int rows, int cols, int valid, OuterLayout order) {
        Instruction instruction(opcode);
        instruction.add(make_tile(Space::kUB, DType::kF32, rows, 1, order));
        Tile source = make_tile(Space::kUB, DType::kF32, rows, cols);
        source.valid_rows = valid;
        instruction.add(source).add(make_tile(Space::kUB, DType::kF32, rows, cols));
        return static_cast<double>(model.cost(instruction).latency);
    };
    const auto column = OuterLayout::kColMajor;
    CHECK(reduce(Opcode::kTROWMAX, 64, 128, 64, column) == Approx(144 + 3 * 24.4).margin(1));
    CHECK(reduce(Opcode::kTROWSUM, 32, 256, 32, column) == Approx(144 + 4 * 24.4).margin(1));
    CHECK(reduce(Opcode::kTROWMIN, 16, 512, 16, column) == Approx(146 + 3 * 24.4).margin(1));
    CHECK(reduce(Opcode::kTROWMAX, 8, 1024, 8, column) == Approx(146 + 4 * 24.4).margin(1));
    // Others row by row, at seven cycles each.
    CHECK(reduce(Opcode::kTROWMAX, 64, 128, 63, column) > 7 * 63);
    CHECK(reduce(Opcode::kTROWMAX, 64, 128, 64, OuterLayout::kRowMajor) > 7 * 64);
}

TEST_CASE("loads with ND-to-NZ conversion pay for rows") {
    // asc-devkit matmul_high_performance, one core: a pair of loads of 64 rows of 128 bytes takes
    // 513.9 cycles, one of 128 and 256 rows 1380.5.
    const auto cycles = [&](int rows, int cols) {
        GlobalView view;
        view.dtype = DType::kF16;
        view.shape = {1, 1, 1, rows, cols};
        view.stride = {8192 * 8192, 8192 * 8192, 8192 * 8192, 8192, 1};
        Instruction load(Opcode::kTLOAD);
        load.add(make_tile(Space::kL1, DType::kF16, rows, cols, OuterLayout::kColMajor,
                           InnerLayout::kRowMajor));
        load.add(view);
        const Cost cost = CostModel(chip_of_cost()).cost(load);
        return static_cast<double>(cost.fixed) / 1000 +
               static_cast<double>(cost.bytes) * 1000 / static_cast<double>(cost.rate);
    };
    CHECK(2 * cycles(64, 64) == Approx(513.9).epsilon(0.02));
    CHECK(cycles(128, 64) + cycles(256, 64) == Approx(1380.5).epsilon(kDerived));
    // Rows of a window cost their bytes and their rows; long ones have the 110 B/cycle of a core's port.
    const double rate = static_cast<double>(chip_of_cost().aic.gm_to_l1_nd2nz.rate) / 1000;
    const double row = static_cast<double>(chip_of_cost().aic.gm_to_l1_nd2nz.row_cycles) / 1000;
    CHECK(cycles(64, 256) - cycles(32, 256) == Approx(32 * (512 / rate + row)));
    CHECK(cycles(64, 1024) - cycles(32, 1024) == Approx(32 * 2048 / 110.0).epsilon(1e-4));
}

}  // namespace
}  // namespace ptosim
