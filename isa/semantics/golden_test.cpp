// Runs the cases of goldens.txt, whose results numpy and exact fractions have computed
// (make_goldens.py). Compares every byte of every operand: what lies outside the valid regions
// must not change.
#include <catch2/catch.hpp>

#include <cstring>
#include <set>
#include <sstream>
#include <tuple>

#include "isa/legality/legality.h"
#include "isa/pages/reference.h"
#include "isa/semantics/goldens.h"
#include "isa/table/attributes.h"

using namespace ptosim;

namespace {

std::string hex(const std::vector<std::byte>& bytes, size_t at, size_t count) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (size_t i = at; i < std::min(bytes.size(), at + count); ++i) {
        text += kHex[std::to_integer<unsigned>(bytes[i]) >> 4];
        text += kHex[std::to_integer<unsigned>(bytes[i]) & 15];
    }
    return text;
}

// Problem of the case; nothing if all bytes are as expected.
std::string run(const GoldenCase& golden) {
    Problem problem;
    if (golden.checked && !check_legality(golden.instruction, golden.arch, problem))
        return std::string(problem.code) + ": " + problem.message;

    std::vector<std::vector<std::byte>> memory;
    Execution execution{golden.instruction, {}, golden.numerics};
    for (size_t i = 0; i < golden.operands.size(); ++i) {
        const GoldenOperand& operand = golden.operands[i];
        if (operand.operand.is_tile() && operand.operand.tile.byte_size() != operand.before.size())
            return "operand " + std::to_string(i) + " has " +
                   std::to_string(operand.before.size()) + " bytes, its tile has " +
                   std::to_string(operand.operand.tile.byte_size());
        memory.push_back(operand.before);
        execution.bytes[i] = operand.before.empty() ? nullptr : memory.back().data();
    }
    info(golden.instruction.opcode).semantics(execution);
    for (size_t i = 0; i < golden.operands.size(); ++i) {
        const std::vector<std::byte>& expected = golden.operands[i].after;
        if (memory[i] == expected) continue;
        size_t at = 0;
        while (memory[i][at] == expected[at]) ++at;
        at &= ~size_t{7};
        return "operand " + std::to_string(i) + " differs at byte " + std::to_string(at) +
               ": found " + hex(memory[i], at, 16) + ", expected " + hex(expected, at, 16);
    }
    return "";
}

}  // namespace

TEST_CASE("every golden case gives numpy's bytes and nothing else changes") {
    REQUIRE(goldens().cases().size() > 500);
    // No section each: Catch would begin anew for every case.
    for (const GoldenCase& golden : goldens().cases()) {
        const std::string wrong = run(golden);
        INFO(golden.name << ": " << to_text(golden.instruction));
        INFO(wrong);
        CHECK(wrong.empty());
    }
}

TEST_CASE("a comparison writes the mask of its columns, whatever part of the mask is valid") {
    Tile mask = make_tile(Space::kUB, DType::kU8, 1, 32), values = make_tile(Space::kUB, DType::kF32, 1, 8);
    mask.valid_cols = 0;
    values.valid_cols = 6;
    std::vector<std::byte> bits(mask.byte_size());
    std::array<float, 8> left{1, 2, 3, 4, 5, 6, 7, 8}, right{1, 0, 3, 0, 0, 6, 7, 8};
    Instruction compare(Opcode::kTCMP);
    compare.add(mask).add(values).add(values);
    info(Opcode::kTCMP).semantics(Execution{compare,
                                            {bits.data(), reinterpret_cast<std::byte*>(left.data()),
                                             reinterpret_cast<std::byte*>(right.data())},
                                            Numerics::kIEEE});
    CHECK(std::to_integer<unsigned>(bits[0]) == 0b100101);
}

namespace {

bool writes(OperandRole role) { return role == OperandRole::kOut || role == OperandRole::kInOut; }

// Runs a legal instruction on arbitrary bytes; whether it has written anything.
bool changes_something(const Instruction& instruction, const GoldenCase& golden) {
    Execution execution{instruction, {}, Numerics::kIEEE};
    std::array<std::vector<std::byte>, Instruction::kMaxOperands> before, after;
    unsigned seed = 1;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        size_t size = 0;
        if (operand.is_tile()) size = operand.tile.byte_size();
        if (operand.is_global()) size = operand.global.span_bytes();
        if (info(instruction.opcode).operands[i].role != OperandRole::kOut)
            before[i] = golden.operands[i].before;  // indices stay what they were
        while (before[i].size() < size) {
            seed = seed * 1103515245u + 12345u;
            before[i].push_back(static_cast<std::byte>(seed >> 17));
        }
        after[i] = before[i];
        execution.bytes[i] = size == 0 ? nullptr : after[i].data();
    }
    info(instruction.opcode).semantics(execution);
    const InstructionInfo& row = info(instruction.opcode);
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (writes(row.operands[i].role) && before[i] != after[i]) return true;
    return false;
}

void set_type(Operand& operand, DType type) {
    if (operand.is_tile()) operand.tile.dtype = type;
    if (operand.is_global()) operand.global.dtype = type;
    if (operand.is_scalar()) operand.scalar.dtype = type;
}

// The case itself, and the same with other types of one operand or of all.
std::vector<Instruction> variants(const Instruction& instruction) {
    std::vector<Instruction> all{instruction};
    for (unsigned t = 0; t < static_cast<unsigned>(DType::kCount); ++t) {
        Instruction every = instruction;
        for (unsigned i = 0; i < instruction.operand_count; ++i) {
            Instruction one = instruction;
            set_type(one.operands[i], static_cast<DType>(t));
            set_type(every.operands[i], static_cast<DType>(t));
            all.push_back(one);
        }
        all.push_back(every);
    }
    return all;
}

}  // namespace

TEST_CASE("whatever legality lets pass has a meaning: no type is skipped") {
    for (const GoldenCase& golden : goldens().cases()) {
        if (golden.name.find(".types.") != std::string::npos) continue;  // forms known already
        std::set<std::string> idle;
        for (Instruction instruction : variants(golden.instruction))
            for (ReluMode relu : {ReluMode::kNone, ReluMode::kNormal})
                for (Arch arch : {Arch::kA2A3, Arch::kA5}) {
                    if (info(instruction.opcode).attributes.has(kAttrRelu))
                        instruction.attributes.relu = relu;
                    else if (relu != ReluMode::kNone)
                        continue;
                    Problem problem;
                    if (!check_legality(instruction, arch, problem)) continue;
                    INFO(golden.name << ": " << to_text(instruction));
                    bool changed = false;
                    REQUIRE_NOTHROW(changed = changes_something(instruction, golden));
                    // Nothing is written where all is out of range or already there.
                    if (!changed) idle.insert(to_text(instruction));
                }
        INFO(golden.name << ": " << (idle.empty() ? "" : *idle.begin()));
        const Opcode opcode = golden.instruction.opcode;
        // Indices out of range; a scalar of another type that is too small to add anything; a hint.
        const bool may_idle = opcode == Opcode::kTSCATTER || opcode == Opcode::kTGATHERB ||
                              opcode == Opcode::kMSCATTER || opcode == Opcode::kMGATHER ||
                              opcode == Opcode::kTAXPY || opcode == Opcode::kTPREFETCH;
        CHECK((may_idle || idle.empty()));
    }
}

namespace {

// Operations of vector functions have separate goldens (isa/intrinsics).
bool computes(const InstructionInfo& row) {
    return row.semantics != nullptr && row.opcode != Opcode::kVECTOR_FUNCTION;
}

}  // namespace

TEST_CASE("every instruction that computes has a golden case") {
    for (const InstructionInfo& row : instruction_table()) {
        if (!computes(row)) continue;
        unsigned found = 0;
        for (const GoldenCase& golden : goldens().cases())
            found += golden.instruction.opcode == row.opcode ? 1 : 0;
        INFO(row.name);
        CHECK(found > 0);
        CHECK(golden_cases(row.opcode) == found);
    }
}

namespace {

template <typename Wanted>
bool any_case(Opcode opcode, Wanted&& wanted) {
    for (const GoldenCase& golden : goldens().cases())
        if (golden.instruction.opcode == opcode && wanted(golden.instruction)) return true;
    return false;
}

}  // namespace
TEST_CASE("every optional operand has a golden case that gives it") {
    for (const InstructionInfo& row : instruction_table()) {
        if (!computes(row)) continue;
        for (unsigned i = 0; i < row.operands.size(); ++i) {
            if (!row.operands[i].optional) continue;
            INFO(row.name << " '" << row.operands[i].name << "'");
            CHECK(any_case(row.opcode, [i](const Instruction& instruction) {
                return i < instruction.operand_count && instruction.operands[i].present();
            }));
        }
    }
}

namespace {

// The machine implements phases of unit flags and the AIVs of a cluster (tests/cli/unit_flags_test.py,
// isa/table/remote_operands_test.cpp).
constexpr AttributeSet kOfTheMachine = kAttrPhase | kAttrAccToVec;

bool has(const Attributes& attributes, const AttributeInfo& key, const std::string& word) {
    Attributes copy;
    std::memcpy(static_cast<void*>(&copy), &attributes, sizeof copy);
    return key.set(copy, word) && std::memcmp(&copy, &attributes, sizeof copy) == 0;
}

// True if legality refuses a case of the instruction that has the value, and would not otherwise.
bool is_refused(Opcode opcode, const AttributeInfo& key, const std::string& word) {
    const auto legal = [](const Instruction& instruction) {
        Problem problem;
        return check_legality(instruction, Arch::kA2A3, problem) ||
               check_legality(instruction, Arch::kA5, problem);
    };
    return any_case(opcode, [&](Instruction instruction) {
        return legal(instruction) && key.set(instruction.attributes, word) && !legal(instruction);
    });
}

}  // namespace

TEST_CASE("every value of an attribute has a golden case, or legality refuses it") {
    for (const InstructionInfo& row : instruction_table()) {
        if (row.semantics == nullptr || row.opcode == Opcode::kTPREFETCH) continue;
        for (const AttributeInfo& key : attribute_table()) {
            if (!(row.attributes - kOfTheMachine).has(key.set_of)) continue;
            std::istringstream words{std::string(key.values)};
            for (std::string word; words >> word;) {
                Attributes fresh;
                // Described values cannot be enumerated.
                if (!key.set(fresh, word)) break;
                INFO(row.name << " " << key.key << "=" << word);
                CHECK((any_case(row.opcode,
                                [&](const Instruction& instruction) {
                                    return has(instruction.attributes, key, word);
                                }) ||
                       is_refused(row.opcode, key, word)));
            }
        }
    }
}

namespace {

// The type that a row's sets speak about, as check_operands has it.
DType typed(const Instruction& instruction) {
    const InstructionInfo& row = info(instruction.opcode);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const OperandRole role = row.operands[i].role;
        if ((role != OperandRole::kIn && role != OperandRole::kInOut) || !row.operands[i].typed)
            continue;
        if (instruction.operands[i].is_tile()) return instruction.tile(i).dtype;
        if (instruction.operands[i].is_global()) return instruction.operands[i].global.dtype;
    }
    return instruction.operands[0].tile.dtype;
}

}  // namespace

TEST_CASE("every type that an architecture takes has a golden case") {
    std::set<std::tuple<Opcode, Arch, DType>> covered;
    for (const GoldenCase& golden : goldens().cases())
        for (Arch arch : {Arch::kA2A3, Arch::kA5}) {
            Problem problem;
            if (check_legality(golden.instruction, arch, problem))
                covered.insert({golden.instruction.opcode, arch, typed(golden.instruction)});
        }
    for (const InstructionInfo& row : instruction_table())
        for (Arch arch : {Arch::kA2A3, Arch::kA5})
            for (unsigned t = 0; t < static_cast<unsigned>(DType::kCount); ++t) {
                const auto type = static_cast<DType>(t);
                if (!computes(row) || row.opcode == Opcode::kTPREFETCH ||
                    !row.types[static_cast<size_t>(arch)].contains(type))
                    continue;
                INFO(row.name << " " << name(arch) << " " << name(type));
                CHECK(covered.contains({row.opcode, arch, type}));
            }
}

namespace {

constexpr std::pair<OuterLayout, InnerLayout> kTileLayouts[] = {
    {OuterLayout::kRowMajor, InnerLayout::kNone},
    {OuterLayout::kColMajor, InnerLayout::kNone},
    {OuterLayout::kColMajor, InnerLayout::kRowMajor},
    {OuterLayout::kRowMajor, InnerLayout::kColMajor},
    {OuterLayout::kRowMajor, InnerLayout::kRowMajor},
    {OuterLayout::kColMajor, InnerLayout::kColMajor}};

// Tiles of 32 x 32 elements in every memory and layout.
std::vector<Tile> every_tile(DType type) {
    std::vector<Tile> tiles;
    for (unsigned s = 0; s < kSpaceCount; ++s)
        for (const auto& [outer, inner] : kTileLayouts)
            for (uint16_t fractal : {uint16_t{512}, uint16_t{1024}, uint16_t{32}})
                if (inner != InnerLayout::kNone || fractal == 512)
                    tiles.push_back(
                        make_tile(static_cast<Space>(s), type, 32, 32, outer, inner, fractal));
    return tiles;
}

GlobalView view_of(GlobalLayout layout, DType type) {
    GlobalView view;
    view.dtype = type;
    view.layout = layout;
    switch (layout) {
        case GlobalLayout::kNZ:
            view.shape = {1, 2, 2, 16, 16};
            break;
        case GlobalLayout::kMxAND:
        case GlobalLayout::kMxBDN:
            view.shape = {1, 1, 32, 16, 2};
            break;
        case GlobalLayout::kMxADN:
        case GlobalLayout::kMxBND:
            view.shape = {1, 1, 16, 32, 2};
            break;
        case GlobalLayout::kMxAZZ:
        case GlobalLayout::kMxBNN:
            view.shape = {1, 2, 16, 16, 2};
            break;
        case GlobalLayout::kNC1HWC0:
            view.shape = {1, 2, 4, 8, 16};
            break;
        default:
            view.shape = {1, 1, 1, 32, 32};
            break;
    }
    for (size_t i = 4; i-- > 0;) view.stride[i] = view.stride[i + 1] * view.shape[i + 1];
    return view;
}

// A path as text: instruction, memories and layouts of its two ends.
std::string path_of(const Instruction& instruction) {
    std::string text{info(instruction.opcode).name};
    for (unsigned i = 0; i < 2; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile())
            text += " " + std::string(name(operand.tile.space)) + " " +
                    std::string(layout_name(operand.tile));
        if (operand.is_global()) text += " GM " + std::string(name(operand.global.layout));
    }
    return text;
}

}  // namespace

TEST_CASE("every path between memories and layouts has a golden case") {
    std::set<std::pair<std::string, Arch>> covered, needed;
    for (const GoldenCase& golden : goldens().cases()) {
        if (golden.instruction.operand_count < 2) continue;
        for (Arch arch : {Arch::kA2A3, Arch::kA5}) {
            Problem problem;
            if (check_legality(golden.instruction, arch, problem))
                covered.insert({path_of(golden.instruction), arch});
        }
    }
    const auto need = [&](const Instruction& instruction) {
        for (Arch arch : {Arch::kA2A3, Arch::kA5}) {
            Problem problem;
            if (check_legality(instruction, arch, problem))
                needed.insert({path_of(instruction), arch});
        }
    };
    const Scalar zero{0, DType::kI64};
    for (DType from : {DType::kF16, DType::kF32, DType::kE8M0, DType::kU64})
        for (DType to : {DType::kF16, DType::kF32, DType::kE8M0, DType::kU64})
            for (const Tile& source : every_tile(from)) {
                for (const Tile& target : every_tile(to)) {
                    need(Instruction(Opcode::kTMOV).add(target).add(source));
                    need(
                        Instruction(Opcode::kTEXTRACT).add(target).add(source).add(zero).add(zero));
                    need(Instruction(Opcode::kTINSERT).add(target).add(source).add(zero).add(zero));
                }
                for (unsigned layout = 0; layout < static_cast<unsigned>(GlobalLayout::kCount);
                     ++layout) {
                    const GlobalView view = view_of(static_cast<GlobalLayout>(layout), to);
                    need(Instruction(Opcode::kTSTORE).add(view).add(source));
                    need(Instruction(Opcode::kTLOAD).add(source).add(view));
                }
            }
    CHECK(needed.size() > 100);
    for (const auto& path : needed) {
        INFO(path.first << " " << name(path.second));
        CHECK(covered.contains(path));
    }
}
