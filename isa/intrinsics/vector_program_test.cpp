#include <catch2/catch.hpp>

#include "isa/intrinsics/vector_program.h"

namespace ptosim {
namespace {

using enum VectorOpcode;

// Builds programs as a front end does: each result has a separate number.
struct Builder {
    std::vector<VectorOperation> operations;
    uint32_t values = 0;

    VectorOperation& add(VectorOpcode opcode, DType type = DType::kF32) {
        VectorOperation& op = operations.emplace_back();
        op.opcode = opcode;
        op.type = op.to = type;
        for (unsigned i = 0; i < info(opcode).results(); ++i) op.results[i] = ++values;
        return op;
    }
    uint32_t load(uint32_t address, VectorMode mode = VectorMode::kNorm) {
        VectorOperation& op = add(kVLDS);
        op.address = address;
        op.mode = mode;
        return op.results[0];
    }
    uint32_t lanes(uint64_t count) {
        VectorOperation& op = add(kPLT);
        op.scalar = count;
        return op.results[0];
    }
    uint32_t sum(uint32_t a, uint32_t b, uint32_t mask = 0) {
        VectorOperation& op = add(kVADD);
        op.sources = {a, b};
        op.mask = mask;
        return op.results[0];
    }
    void store(uint32_t value, uint32_t address, uint32_t mask = 0) {
        VectorOperation& op = add(kVSTS);
        op.mode = VectorMode::kNormB32;
        op.sources[0] = value;
        op.mask = mask;
        op.address = address;
    }
};

std::string fault_of(std::vector<VectorOperation> operations) {
    try {
        VectorProgram(std::move(operations));
    } catch (const VectorProgram::Fault& fault) {
        return fault.code + " " + std::to_string(fault.operation) + " " + fault.message;
    }
    return "";
}

bool same(const ByteRuns& runs, uint32_t begin, uint32_t length, uint32_t pitch, uint32_t count) {
    return runs.begin == begin && runs.length == length && runs.count == count &&
           (count == 1 || runs.pitch == pitch);
}

}  // namespace

TEST_CASE("a program touches what it loads and makes use of, and what it stores", "[vector]") {
    Builder b;
    const uint32_t mask = b.lanes(10);
    b.store(b.sum(b.load(0), b.load(512), mask), 1024, mask);
    const VectorProgram program(b.operations);
    REQUIRE(program.reads().size() == 1);
    CHECK(same(program.reads()[0], 0, 40, 512, 2));
    REQUIRE(program.writes().size() == 1);
    CHECK(same(program.writes()[0], 1024, 40, 40, 1));
}

TEST_CASE("a lane that a result keeps where it is not active is needed as well", "[vector]") {
    Builder b;
    const uint32_t mask = b.lanes(10), old = b.load(512);
    const uint32_t a = b.load(0);
    VectorOperation& sum = b.add(kVADD);
    sum.sources = {a, a, 0, old};
    sum.mask = mask;
    sum.merges = true;
    b.store(sum.results[0], 1024);
    const VectorProgram program(b.operations);
    REQUIRE(program.reads().size() == 2);
    CHECK(same(program.reads()[0], 0, 40, 40, 1));
    CHECK(same(program.reads()[1], 512, 256, 256, 1));
}

TEST_CASE("stores some bytes apart are one run, and those beyond three are taken together",
          "[vector]") {
    Builder b;
    const uint32_t value = b.load(0), four = b.lanes(4), six = b.lanes(6);
    for (uint32_t i = 0; i < 5; ++i) b.store(value, 1024 + 64 * i, four);
    b.store(value, 8192, four);
    b.store(value, 16384, six);
    b.store(value, 16896);
    const VectorProgram program(b.operations);
    REQUIRE(program.writes().size() == 3);
    CHECK(same(program.writes()[0], 1024, 16, 64, 5));
    CHECK(same(program.writes()[1], 8192, 16, 16, 1));
    CHECK(same(program.writes()[2], 16384, 768, 768, 1));
}

TEST_CASE("what a program has stored itself it does not read from before", "[vector]") {
    Builder b;
    const uint32_t mask = b.lanes(10), value = b.load(0);
    b.store(value, 512, mask);
    b.store(b.load(512), 1024, mask);         // the ten lanes are its own
    b.store(b.load(512), 2048, b.lanes(12));  // two are not
    const VectorProgram program(b.operations);
    REQUIRE(program.reads().size() == 2);
    CHECK(same(program.reads()[0], 0, 40, 40, 1));
    CHECK(same(program.reads()[1], 552, 8, 8, 1));
}

TEST_CASE("registers are used again when nobody reads them any more", "[vector]") {
    Builder b;
    uint32_t total = b.load(0);
    for (uint32_t i = 1; i < 100; ++i) total = b.sum(total, b.load(256 * i));
    b.store(total, 0);
    const VectorProgram program(b.operations);
    CHECK(program.registers() <= 5);  // and the number that none is
    std::vector<std::byte> ub(256 * 100);
    for (size_t i = 0; i < ub.size() / 4; ++i) {
        const auto value = static_cast<float>(i % 64);
        std::memcpy(ub.data() + 4 * i, &value, 4);
    }
    VectorProgram::Core core{ub.data(), ub.size()};
    program.run(core);
    for (int lane = 0; lane < 64; ++lane) {
        float value;
        std::memcpy(&value, ub.data() + 4 * lane, 4);
        CHECK(value == 100.0F * static_cast<float>(lane));
    }
}

TEST_CASE("a value may be read twice by its last reader", "[vector]") {
    Builder b;
    const uint32_t a = b.load(0);
    b.store(b.sum(a, a), 256);
    std::vector<std::byte> ub(512);
    const float two = 2;
    std::memcpy(ub.data() + 252, &two, 4);
    VectorProgram::Core core{ub.data(), ub.size()};
    VectorProgram(b.operations).run(core);
    float value;
    std::memcpy(&value, ub.data() + 508, 4);
    CHECK(value == 4);
}

TEST_CASE("what breaks a rule says which operation and why", "[vector]") {
    Builder unset;
    unset.store(1, 0);
    CHECK(fault_of(unset.operations) ==
          "V01 0 VSTS uses a register that nothing has set in this function");
    Builder wrong_kind;
    wrong_kind.store(wrong_kind.load(0), 256, 1);
    CHECK(fault_of(wrong_kind.operations).starts_with("V01 1 VSTS uses a predicate"));
    Builder type;
    const uint32_t loaded = type.load(0);
    type.add(kVEXP, DType::kI32).sources[0] = loaded;
    CHECK(fault_of(type.operations) == "V02 1 VEXP does not take lanes of i32");
    Builder aligned;
    aligned.load(8);
    CHECK(fault_of(aligned.operations) ==
          "V03 0 VLDS is at byte 8 of UB, which is not a multiple of 32");
    Builder element;
    element.load(8, VectorMode::kBrcB32);
    CHECK(fault_of(element.operations).empty());
    Builder distribution;
    distribution.store(distribution.load(0), 256);
    distribution.operations[1].mode = VectorMode::kBrcB8;
    CHECK(fault_of(distribution.operations) == "V04 1 VSTS has no such distribution");
    Builder too_much;
    const uint32_t value = too_much.load(0);
    VectorOperation& store = too_much.add(kVSTUS);
    store.sources[0] = value;
    store.scalar = 257;
    CHECK(fault_of(too_much.operations) == "V04 1 VSTUS stores 257 bytes, and a register has 256");
    Builder number;
    number.load(0);
    number.operations[0].results[0] = 1u << 30;
    CHECK(fault_of(number.operations).starts_with("V01"));
}

TEST_CASE("results depend on unset bytes if lanes with them are stored", "[vector]") {
    constexpr uint32_t kMask = 2048;
    std::vector<std::byte> ub(4096);
    ub[kMask] = std::byte{0x0F};  // of bytes: lane 0 of 32 bits
    const auto depending = [&](const std::vector<VectorOperation>& operations, UnsetBytes unset) {
        std::string text;
        for (const UnsetBytes& bytes :
             VectorProgram(operations)
                 .depending({ub.data(), ub.size(), Numerics::kA5}, {&unset, 1})) {
            text += std::to_string(bytes.begin) + "-" + std::to_string(bytes.end) + " ";
            if (bytes.bits != 0xFF) text += "bits " + std::to_string(bytes.bits) + " ";
        }
        return text;
    };
    Builder whole;
    whole.store(whole.sum(whole.load(0), whole.load(512)), 1024);
    CHECK(depending(whole.operations, {40, 48}) == "1064-1072 ");
    CHECK(depending(whole.operations, {300, 308}).empty());
    Builder masked;  // by a predicate from UB
    VectorOperation& mask = masked.add(kPLDS, DType::kU8);
    mask.mode = VectorMode::kPredicate;
    mask.address = kMask;
    const uint32_t lanes = mask.results[0];
    masked.store(masked.sum(masked.load(0), masked.load(512)), 1024, lanes);
    CHECK(depending(masked.operations, {40, 48}).empty());
    CHECK(depending(masked.operations, {2, 3}) == "1026-1027 ");
    // A mask has four bits for a lane of 32 bits, of which a comparison sets the first: lanes 10
    // and 11 share byte 5.
    Builder compared;
    const uint32_t a = compared.load(0), b = compared.load(512);
    VectorOperation& compare = compared.add(kVCMP);
    compare.mode = VectorMode::kLt;
    compare.sources = {a, b};
    const uint32_t less = compare.results[0];
    VectorOperation& made = compared.add(kPSTS, DType::kU8);
    made.mode = VectorMode::kPredicate;
    made.sources[0] = less;
    made.address = 1024;
    CHECK(depending(compared.operations, {40, 44}) == "1029-1030 bits 1 ");
    CHECK(depending(compared.operations, {44, 48}) == "1029-1030 bits 16 ");
    std::fill(ub.begin() + 40, ub.begin() + 48, std::byte{1});
    CHECK(depending(masked.operations, {kMask + 5, kMask + 6, 0x0F}) == "1064-1068 ");
    CHECK(depending(masked.operations, {kMask + 5, kMask + 6, 0xF0}) == "1068-1072 ");
    Builder moved;
    moved.store(moved.load(0), 0);
    CHECK(depending(moved.operations, {8, 12}) == "8-12 ");
}

TEST_CASE("a negative count of a shift by a scalar shifts the other way", "[vector]") {
    std::vector<std::byte> ub(1024);
    const uint32_t value = 0x80F00123;
    std::memcpy(ub.data(), &value, sizeof value);
    const auto shifted = [&](VectorOpcode opcode, DType type, int count) {
        Builder b;
        const uint32_t loaded = b.load(0);
        VectorOperation& shift = b.add(opcode, type);
        shift.sources[0] = loaded;
        shift.scalar = static_cast<uint32_t>(count);
        const uint32_t made = shift.results[0];
        b.store(made, 512);
        VectorProgram::Core core{ub.data(), ub.size(), Numerics::kA5};
        VectorProgram(b.operations).run(core);
        uint32_t result = 0;
        std::memcpy(&result, ub.data() + 512, sizeof result);
        return result;
    };
    CHECK(shifted(kVSHLS, DType::kU32, 4) == 0x0F001230);
    CHECK(shifted(kVSHLS, DType::kU32, -21) == value >> 21);
    CHECK(shifted(kVSHLS, DType::kI32, -4) == 0xF80F0012);
    CHECK(shifted(kVSHRS, DType::kU32, -8) == 0xF0012300);
    CHECK(shifted(kVSHRS, DType::kU32, 33) == 0);
}

TEST_CASE("equal operations are one program", "[vector]") {
    const auto program = [](uint32_t address) {
        Builder b;
        b.store(b.load(0), address);
        return vector_program(std::move(b.operations));
    };
    CHECK(program(256) == program(256));
    CHECK(program(256) != program(512));
    const Instruction instruction = vector_function(program(256), {});
    CHECK(instruction.operands[0].tile.address == 256);
    CHECK(&vector_program(instruction) == &vector_program(program(256)));
}

}  // namespace ptosim
