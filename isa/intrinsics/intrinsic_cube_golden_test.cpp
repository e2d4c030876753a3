// Intrinsics of L1 and the cube core against an independent model in numpy (intrinsic_goldens_cube.py).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/intrinsics/intrinsic_instruction.h"

namespace ptosim {
namespace {

constexpr const char* kMemoryNames[] = {"gm", "ub", "l1", "l0a", "l0b", "l0c", "bias", "fixpipe", "scale_a", "scale_b"};
constexpr Space kMemorySpaces[] = {Space::kCount, Space::kUB,  Space::kL1,   Space::kL0A,
                                   Space::kL0B,   Space::kL0C, Space::kBias, Space::kFixpipe,
                                   Space::kScaleA, Space::kScaleB};

using Memories = std::map<Space, std::string>;

struct CubeGolden {
    std::string line, name;
    IntrinsicCall call;
    Memories before, after;
};

Space space_of(const std::string& name) {
    for (size_t i = 0; i < std::size(kMemoryNames); ++i)
        if (name == kMemoryNames[i]) return kMemorySpaces[i];
    FAIL("no memory " << name);
    return {};
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

// The value that a case gives the register of an argument "Rqp"; 0 without one.
uint64_t register_of(const std::map<std::string, std::string>& words, std::string_view argument) {
    const auto found = words.find(std::string(argument.substr(1)));
    return found == words.end() ? 0 : std::stoull(found->second);
}

CubeGolden read_cube_golden(const std::string& line, std::istream& file) {
    CubeGolden golden{line, {}, {}, {}, {}};
    std::istringstream stream(line);
    std::string word, types;
    uint64_t count = 0;
    stream >> word >> golden.name >> types >> golden.call.registers.ctrl >> count;
    INFO(line);
    REQUIRE(word == "case");
    const IntrinsicInfo* row = find_intrinsic(golden.name);
    REQUIRE(row != nullptr);
    golden.call.opcode = row->opcode;
    for (uint64_t i = 0; i < count; ++i) stream >> golden.call.arguments.at(i);
    std::map<std::string, std::string> words;
    while (stream >> word) words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    for (unsigned i = 0; i < row->form.argument_count(); ++i)
        if (row->form.argument(i).kind == IntrinsicArgumentKind::kRegisterValue)
            golden.call.arguments[i] = register_of(words, row->form.signature.substr(3 * i, 3));
    const std::vector<std::string> names = split(types, ',');
    for (size_t i = 0; i < golden.call.types.size(); ++i)
        golden.call.types[i] = parse_dtype(names[std::min(i, names.size() - 1)]).value();
    for (const std::string& memory : split(words.at("memories"), ',')) {
        const std::vector<std::string> parts = split(memory, ':');
        for (Memories* to : {&golden.before, &golden.after}) {
            std::string bytes(std::stoull(parts.at(1)), '\0');
            file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            (*to)[space_of(parts[0])] = bytes;
        }
    }
    REQUIRE(file.good());
    return golden;
}

Space memory_of(const Operand& operand) {
    return operand.is_tile() ? operand.tile.space : Space::kCount;
}
uint64_t begin_of(const Operand& operand) {
    return operand.is_tile() ? operand.tile.address : operand.global.address;
}

// Calls f(first byte, bytes) for each part of an operand.
template <typename F>
void for_bytes(const Operand& operand, F&& f) {
    if (operand.is_tile()) {
        const Tile& tile = operand.tile;
        for (int32_t i = 0; i < tile.valid_rows; ++i)
            for (int32_t j = 0; j < tile.valid_cols; ++j) {
                const auto bit = static_cast<uint64_t>(tile.index(i, j)) * bits(tile.dtype);
                f(tile.address + bit / 8, std::max<uint64_t>(1, bits(tile.dtype) / 8));
            }
        return;
    }
    const GlobalView& view = operand.global;
    for (int32_t k = 0; k < view.shape[0] * view.shape[1] * view.shape[2]; ++k)
        for (int32_t i = 0; i < view.shape[3]; ++i) {
            const int32_t inner = view.shape[1] * view.shape[2];
            const auto at = static_cast<uint64_t>(k / inner * view.stride[0] + k % inner / view.shape[2] * view.stride[1] +
                                                  k % view.shape[2] * view.stride[2] + i * view.stride[3]);
            f(view.address + bytes(view.dtype, at), bytes(view.dtype, static_cast<size_t>(view.shape[4])));
        }
}

// Executes an instruction on memories. Returns the access beyond one of them, or an empty string.
std::string execute_on(const Instruction& instruction, Memories& memories) {
    Execution execution{instruction};
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.present()) continue;
        const auto found = memories.find(memory_of(operand));
        uint64_t end = 0;
        for_bytes(operand, [&](uint64_t begin, uint64_t count) { end = std::max(end, begin + count); });
        if (end == 0) continue;
        if (found == memories.end() || end > found->second.size())
            return "operand " + std::to_string(i) + " ends at " + std::to_string(end);
        execution.bytes[i] = reinterpret_cast<std::byte*>(found->second.data()) + begin_of(operand);
    }
    intrinsics::execute(execution);
    return {};
}

// Bytes of memories that an instruction reads, or writes.
Memories touched_bytes(const Instruction& instruction, const Memories& memories, bool write) {
    Memories touched;
    for (const auto& [space, bytes] : memories) touched[space] = std::string(bytes.size(), '\0');
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        const bool written = i == 0, combined = instruction.attributes.atomic != AtomicMode::kNone;
        if (!operand.present() || (write ? !written : written && !combined)) continue;
        std::string& bytes = touched[memory_of(operand)];
        for_bytes(operand, [&](uint64_t begin, uint64_t count) { bytes.replace(begin, count, count, '\1'); });
    }
    return touched;
}

// The first byte in which memories differ from the expected ones of a case; empty if there is none.
std::string first_difference(const Memories& got, const Memories& expected) {
    for (size_t i = 0; i < std::size(kMemorySpaces); ++i) {
        const auto found = got.find(kMemorySpaces[i]);
        if (found == got.end()) continue;
        const std::string& wanted = expected.at(found->first);
        for (size_t at = 0; at < wanted.size(); ++at)
            if (found->second[at] != wanted[at])
                return std::string(kMemoryNames[i]) + " byte " + std::to_string(at) + " is " +
                       std::to_string(static_cast<uint8_t>(found->second[at])) + ", expected " +
                       std::to_string(static_cast<uint8_t>(wanted[at]));
    }
    return {};
}

// Problem of a case: its results, or that they depend on bytes that no operand names.
std::string wrong_of(const CubeGolden& golden) {
    Problem problem;
    if (!check_intrinsic(golden.call, UINT64_MAX, problem))
        return "refused: " + problem.message + " (" + problem.hint + ")";
    const Instruction instruction = intrinsic_instruction(golden.call, {});
    Memories memories = golden.before;
    std::string wrong = execute_on(instruction, memories);
    if (wrong.empty()) wrong = first_difference(memories, golden.after);
    if (!wrong.empty()) return wrong;
    const Memories reads = touched_bytes(instruction, memories, false);
    const Memories writes = touched_bytes(instruction, memories, true);
    Memories other = golden.before, expected = golden.after;
    for (auto& [space, bytes] : other)
        for (size_t i = 0; i < bytes.size(); ++i) {
            if (golden.before.at(space)[i] != golden.after.at(space)[i] && writes.at(space)[i] == '\0')
                return "writes byte " + std::to_string(i) + ", which no operand names";
            if (reads.at(space)[i] != '\0') continue;
            const bool changes = golden.before.at(space)[i] != golden.after.at(space)[i];
            bytes[i] = static_cast<char>(bytes[i] ^ 0x5A);
            if (!changes && writes.at(space)[i] == '\0') expected.at(space)[i] = bytes[i];
        }
    const Memories background = other;
    execute_on(instruction, other);
    for (const auto& [space, bytes] : other)
        for (size_t i = 0; i < bytes.size(); ++i)
            if (bytes[i] != expected.at(space)[i] && bytes[i] != background.at(space)[i])
                return "byte " + std::to_string(i) + " depends on bytes that no operand names";
    return {};
}

}  // namespace

TEST_CASE("intrinsics of the cube core give the bits of the model in numpy", "[intrinsic]") {
    std::ifstream file(PTOSIM_GOLDENS "/cube_intrinsics.bin", std::ios::binary);
    REQUIRE(file.good());
    std::map<std::string, unsigned> cases;
    std::vector<std::string> wrong;
    for (std::string line; std::getline(file, line);) {
        const CubeGolden golden = read_cube_golden(line, file);
        ++cases[golden.name];
        if (const std::string what = wrong_of(golden); !what.empty()) wrong.push_back(line + ": " + what);
    }
    for (const std::string& what : wrong) UNSCOPED_INFO(what);
    CHECK(wrong.empty());
    for (unsigned i = 0; i < kIntrinsicOpcodeCount; ++i) {
        const IntrinsicInfo& row = info(static_cast<IntrinsicOpcode>(i));
        const bool bursts = (row.name.find("ubuf") != row.name.npos && row.form.is_on(VectorOperands::kMemory)) ||
                            row.name == "copy_gm_to_cbuf" || row.name == "copy_cbuf_to_gm";
        if (row.form.unit == IntrinsicUnit::kVector || bursts) continue;
        INFO(row.name);
        CHECK(cases[std::string(row.name)] >= 8);
    }
}

}  // namespace ptosim
