// An instruction: every front end produces instructions, and the machine runs nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "isa/core/attributes.h"
#include "isa/core/diagnostic.h"
#include "isa/core/global_view.h"
#include "isa/core/opcode.h"
#include "isa/core/tile.h"

namespace ptosim {

// A scalar operand: the element's bits, right-aligned.
struct Scalar {
    uint64_t bits = 0;
    DType dtype = DType::kI64;
    friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct Operand {
    enum class Kind : uint8_t { kNone, kTile, kGlobal, kScalar };

    Kind kind = Kind::kNone;
    union {
        Scalar scalar;
        Tile tile;
        GlobalView global;
    };

    Operand() : scalar{} {}
    Operand(const Tile& value) : kind{Kind::kTile}, tile{value} {}            // NOLINT
    Operand(const GlobalView& value) : kind{Kind::kGlobal}, global{value} {}  // NOLINT
    Operand(const Scalar& value) : kind{Kind::kScalar}, scalar{value} {}      // NOLINT

    bool is_tile() const { return kind == Kind::kTile; }
    bool is_global() const { return kind == Kind::kGlobal; }
    bool is_scalar() const { return kind == Kind::kScalar; }
    bool present() const { return kind != Kind::kNone; }
};

// An instruction with its operands in the order of its row in the instruction table.
struct Instruction {
    static constexpr unsigned kMaxOperands = 8;

    Opcode opcode{};
    uint8_t operand_count = 0;
    SourceLocation location;
    Attributes attributes;
    std::array<Operand, kMaxOperands> operands;

    Instruction() = default;
    explicit Instruction(Opcode op, SourceLocation where = {}) : opcode{op}, location{where} {}
    Instruction& add(const Operand& operand) {
        operands[operand_count++] = operand;
        return *this;
    }
    const Tile& tile(unsigned i) const { return operands[i].tile; }

    // Copies everything but operands; operands beyond the other's count become absent.
    void assign_all_but_operands(const Instruction& other) {
        opcode = other.opcode;
        location = other.location;
        attributes.assign(other.attributes);
        for (unsigned i = other.operand_count; i < operand_count; ++i)
            operands[i].kind = Operand::Kind::kNone;
        operand_count = other.operand_count;
    }
    // Acts like the copy assignment, but copies only the used operands.
    void assign(const Instruction& other) {
        assign_all_but_operands(other);
        for (unsigned i = 0; i < other.operand_count; ++i) operands[i] = other.operands[i];
    }
};
static_assert(std::is_trivially_copyable_v<Instruction>);

// "TADD UB f32 ..., ..." for messages and traces.
std::string to_text(const Instruction& instruction);

}  // namespace ptosim
