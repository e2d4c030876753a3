// Expected values are measured cycles: from fits of device profiles in hw-native-sys/pto-isa, and from
// cann/asc-devkit's bank_conflict_ub on a board, whose ticks of 20 ns are 37 cycles of 1.85 GHz.
#include "sim/machine/timing/intrinsic_cost.h"

#include <catch2/catch.hpp>

#include "isa/intrinsics/intrinsic_instruction.h"
#include "sim/machine/timing/intrinsic_waits.h"

namespace ptosim {
namespace {

constexpr uint64_t kAllLanes = ~uint64_t{0};

const ChipModel& chip_of_intrinsic_cost() {
    static const ChipModel model = load_chip("ascend910b1", {});
    return model;
}

IntrinsicCall call_of(const char* name, DType type, std::initializer_list<uint64_t> arguments) {
    IntrinsicCall call;
    call.opcode = find_intrinsic(name)->opcode;
    call.types = {type, type, type};
    call.registers.mask = {kAllLanes, kAllLanes};
    std::copy(arguments.begin(), arguments.end(), call.arguments.begin());
    return call;
}
IntrinsicCall add_of(uint64_t dst, uint64_t src0, uint64_t src1, uint64_t repeats,
                     uint64_t block_stride = 1, uint64_t repeat_stride = 8) {
    return call_of("vadd", DType::kF32,
                   {dst, src0, src1, repeats, 1, block_stride, 1, 8, repeat_stride, 8});
}

double alone(const IntrinsicCall& call) {
    const Cost cost = intrinsic_cost(chip_of_intrinsic_cost(), call);
    return static_cast<double>(cost.latency + cost.fill);
}
double after_barrier(const IntrinsicCall& call) {
    const Cost cost = intrinsic_cost(chip_of_intrinsic_cost(), call);
    CHECK(cost.runs_through_barriers);
    return static_cast<double>(cost.latency);
}
double busy(const IntrinsicCall& call) {
    return static_cast<double>(intrinsic_cost(chip_of_intrinsic_cost(), call).occupancy);
}

TEST_CASE("an intrinsic alone takes what a tile instruction of it takes", "[intrinsic]") {
    // 910B3: TADD 2.11 per repeat and 24 with sources in one bank group, TEXP 2 and 31, TMULS 1 and 26.
    CHECK(alone(add_of(0x10000, 0, 0x4000, 64)) == Approx(2.11 * 64 + 24).epsilon(0.06));
    CHECK(alone(call_of("vexp", DType::kF32, {0, 4096, 128, 1, 1, 8, 8})) == Approx(287).epsilon(0.02));
    CHECK(alone(call_of("vmuls", DType::kF32, {0, 4096, 0, 32, 1, 1, 8, 8})) == Approx(58).epsilon(0.02));
    // TROWSUM and TROWMAX of 64 rows of a repeat: 492 and 480.
    CHECK(alone(call_of("vcadd", DType::kF32, {0, 32768, 64, 1, 1, 8, 0})) == Approx(492).epsilon(0.02));
    CHECK(alone(call_of("vcmax", DType::kF32, {0, 32768, 64, 1, 1, 8, 0})) == Approx(480).epsilon(0.02));
    // TADDS of 48 rows of 80 columns by a counter: 0.0156 per element and 42.
    IntrinsicCall counted = call_of("vadds", DType::kF32, {0, 32768, 0, 0, 1, 1, 8, 8});
    counted.counter_mode = true;
    counted.registers.mask = {47 * 80, 0};
    CHECK(alone(counted) == Approx(0.0156 * 47 * 80 + 42).epsilon(0.03));
}

TEST_CASE("after a barrier an intrinsic takes what a row of a column reduction does", "[intrinsic]") {
    // 910B3: 19.5 cycles per row of TCOLSUM, 17.5 of TCOLMAX, in 64 columns.
    CHECK(after_barrier(add_of(0, 0, 4096 + 256, 1)) == Approx(19.5).epsilon(0.06));
    CHECK(after_barrier(call_of("vmax", DType::kF32, {0, 0, 4096 + 256, 1, 1, 1, 1, 8, 8, 8})) ==
          Approx(17.5).epsilon(0.06));
    // TDIVS broadcasts the scalar, and TDIV waits for it: 44 and 5.02 per repeat, 30.6 and 4.03.
    CHECK(after_barrier(call_of("vector_dup", DType::kF32, {0, 0, 8, 1, 1, 8, 0})) ==
          Approx(44 - 30.6 + 8).epsilon(0.06));
}

TEST_CASE("repeats wait for banks of UB", "[intrinsic]") {
    // 64 repeats compared with the same ones without conflicts, which take 2390 ticks a thousand times.
    const auto waits = [](const IntrinsicCall& call) {
        return busy(call) - busy(add_of(0x20000, 0, 0x10100, 64));
    };
    CHECK(waits(add_of(0x10000, 0, 0x4000, 64)) == Approx((4167 - 2390) * 0.037).margin(2));
    CHECK(waits(add_of(0x14100, 0, 0x10000, 64)) == Approx((4167 - 2390) * 0.037).margin(2));
    CHECK(waits(add_of(0x4000, 0, 0x10100, 64)) == 0);
    CHECK(waits(add_of(0x4020, 0, 0x10100, 64)) == Approx((3751 - 2390) * 0.037).margin(2));
    CHECK(waits(add_of(0x10100, 0, 0x10100, 64)) == 0);
    // One block of src0 per repeat: it conflicts with src1 if the next one is read, and not if the next repeat's is.
    // The board waits for 0.69 of a repeat.
    CHECK(bank_waits(add_of(0x10100, 0, 0x10100, 64, 0, 1)).groups == 32);
    CHECK(bank_waits(add_of(0x10100, 0, 0x10100, 64, 0, 8)).groups == 0);
    // cann/asc-devkit docs: eight blocks of one bank group take eight cycles per repeat, of two groups four.
    CHECK(bank_waits(add_of(0x20000, 0, 0x10100, 20, 16, 8)).groups == 20 * 7);
    CHECK(bank_waits(call_of("vmuls", DType::kF32, {0, 4096, 0, 3, 1, 8, 8, 64})).groups == 3 * 3);
    // asc-devkit bank_conflict_nd2nz: 8192^2 halves on 48 cores of 1.85 GHz take 47.79 us of pipe V if their blocks are
    // written 144 blocks apart, and 7.133 us if 145 apart. Bank groups do not explain all of it.
    const uint64_t repeats = 8192 * 8192 / 128 / 48;
    const auto nz = [&](uint64_t stride) {
        return busy(call_of("vcopy", DType::kU16, {0, 65536, repeats, stride, 1, 1, 8}));
    };
    CHECK(nz(144) / 1850 == Approx(47.79).epsilon(0.03));
    CHECK(nz(145) / 1850 == Approx(7.133).epsilon(0.2));
}

TEST_CASE("other intrinsics take their official rates", "[intrinsic]") {
    const auto each = [](const IntrinsicCall& many, const IntrinsicCall& one, unsigned more) {
        return (busy(many) - busy(one)) / more;
    };
    const auto blocks = [](DType type, uint64_t repeats) {
        return call_of("vcgadd", type, {0, 4096, repeats, 1, 1, 8});
    };
    CHECK(each(blocks(DType::kF16, 101), blocks(DType::kF16, 1), 100) == 7);
    CHECK(each(blocks(DType::kF32, 101), blocks(DType::kF32, 1), 100) == 1);
    // Five elements per cycle.
    const auto gathered = [](uint64_t repeats) {
        return call_of("vgather", DType::kU32, {0, 32768, 0, 8, repeats});
    };
    CHECK(each(gathered(101), gathered(1), 100) == Approx(64 / 5.0).epsilon(0.01));
    // pto-isa's TMOV: 1029 cycles for a copy of 1024 blocks, 1323 for 63 of 16.
    const auto copy = [](uint64_t blocks) {
        return call_of("copy_ubuf_to_ubuf", DType::kU8, {0, 65536, 0, 1, blocks, 0, 0});
    };
    CHECK(busy(copy(1024)) == 1029);
    CHECK(63 * busy(copy(16)) == 1323);
}

TEST_CASE("a load of fractals that follows another one takes its bytes alone", "[intrinsic]") {
    const Cost cost = CostModel(chip_of_intrinsic_cost()).cost(
        intrinsic_instruction(call_of("load_cbuf_to_cb", DType::kF16, {0, 0, 0, 4, 1, 0, 0, 0, 0}), {}));
    CHECK(cost.occupancy == 4 * 512 / 128);  // official: 128 bytes a cycle
    // asc-devkit matmul_high_performance: 23.5 cycles for each of the two tiles of a product.
    CHECK(static_cast<double>(cost.fill) == Approx(23.5).margin(1));
}

}  // namespace
}  // namespace ptosim
