// Vector operations against an independent model in numpy (vector_goldens.py).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/intrinsics/vector_lanes.h"

namespace ptosim {
namespace {

class Reader {
 public:
    explicit Reader(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        text_.assign(std::istreambuf_iterator<char>(file), {});
    }
    template <typename T>
    T number() {
        T value;
        REQUIRE(at_ + sizeof(T) <= text_.size());
        std::memcpy(&value, text_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    std::string bytes(size_t count) {
        REQUIRE(at_ + count <= text_.size());
        at_ += count;
        return text_.substr(at_ - count, count);
    }
    std::string word() { return bytes(number<uint8_t>()); }
    bool at_end() const { return at_ == text_.size(); }

 private:
    std::string text_;
    size_t at_ = 0;
};

struct Case {
    std::string label, name;
    VectorOperation operation;
    std::vector<VectorRegister> registers;
    std::string before, after;  // UB
    std::vector<std::string> results;
};

// Sources are registers 1 to 4, the mask is 5, results are 6 and 7.
Case read_case(Reader& reader) {
    Case c;
    c.registers.resize(8);
    c.label = reader.word();
    c.name = reader.word();
    VectorOperation& op = c.operation;
    const VectorOperationInfo* row = find_vector_operation(c.name);
    INFO(c.label);
    REQUIRE(row != nullptr);
    op.opcode = row->opcode;
    op.type = static_cast<DType>(reader.number<uint8_t>());
    op.to = static_cast<DType>(reader.number<uint8_t>());
    op.mode = static_cast<VectorMode>(reader.number<uint8_t>());
    op.round = static_cast<RoundMode>(reader.number<uint8_t>());
    op.saturation = reader.number<uint8_t>() != 0 ? Saturation::kOn : Saturation::kOff;
    op.merges = reader.number<uint8_t>() != 0;
    op.block_stride = reader.number<uint16_t>();
    op.repeat_stride = reader.number<uint16_t>();
    op.scalar = reader.number<uint64_t>();
    op.address = reader.number<uint32_t>();
    const auto fill = [&](uint32_t number) {
        std::memcpy(c.registers[number].bytes.data(), reader.bytes(kVectorBytes).data(),
                    kVectorBytes);
        return number;
    };
    for (unsigned i = reader.number<uint8_t>(); i > 0; --i) {
        const auto source = reader.number<uint8_t>();
        op.sources.at(source) = fill(source + 1);
    }
    if (reader.number<uint8_t>() != 0) op.mask = fill(5);
    c.before = reader.bytes(reader.number<uint32_t>());
    op.results = {6, 7};
    for (unsigned i = reader.number<uint8_t>(); i > 0; --i)
        c.results.push_back(reader.bytes(kVectorBytes));
    c.after = reader.bytes(reader.number<uint32_t>());
    return c;
}

}  // namespace

TEST_CASE("every vector operation gives the bits of the model in numpy", "[vector]") {
    Reader reader(PTOSIM_GOLDENS "/vector.bin");
    REQUIRE(reader.bytes(8) == "VGOLDEN1");
    const auto count = reader.number<uint32_t>();
    std::set<std::string> seen;
    std::map<std::string, std::string> wrong;
    for (uint32_t i = 0; i < count; ++i) {
        Case c = read_case(reader);
        seen.insert(c.name);
        VectorLanes lanes(c.registers.data(), reinterpret_cast<std::byte*>(c.before.data()),
                          c.before.size(), Numerics::kA5);
        lanes.compute(c.operation);
        for (size_t r = 0; r < c.results.size(); ++r)
            for (size_t byte = 0; byte < kVectorBytes; ++byte)
                if (c.registers[6 + r].bytes[byte] != static_cast<std::byte>(c.results[r][byte])) {
                    wrong.emplace(
                        c.name + ", " + c.label,
                        "result " + std::to_string(r) + " from byte " + std::to_string(byte));
                    break;
                }
        if (c.before != c.after) wrong.emplace(c.name + ", " + c.label, "UB");
    }
    REQUIRE(reader.at_end());
    for (const auto& [label, what] : wrong) UNSCOPED_INFO(label << ": " << what);
    CHECK(wrong.empty());
    // All operations, except the ones with separate state, and MEM_BAR, which has no effect on data.
    for (unsigned i = 0; i < kVectorOpcodeCount; ++i) {
        const std::string name(info(static_cast<VectorOpcode>(i)).name);
        if (name == "VSTUR" || name == "SPRCLR" || name == "SPRSTS" || name == "MEM_BAR") continue;
        INFO(name);
        CHECK(seen.contains(name));
    }
}

}  // namespace ptosim
