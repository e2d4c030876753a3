#include "sim/native/division.h"

#include <cstring>

namespace ptosim {

#ifdef __x86_64__
namespace {

// Indexed by x86's register numbers.
constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

int64_t sign_extend(uint64_t value, unsigned bytes) {
    const unsigned unused = 64 - 8 * bytes;
    return static_cast<int64_t>(value << unused) >> unused;
}

// A DIV or IDIV instruction: opcode F6 (bytes) or F7, with a divisor in a register or in memory.
class Division {
 public:
    explicit Division(mcontext_t& machine) : registers_{machine.gregs} {}

    bool decode() {
        code_ = reinterpret_cast<const uint8_t*>(registers_[REG_RIP]);
        while (*code_ == 0x66 || *code_ == 0x2e || *code_ == 0x3e)
            if (*code_++ == 0x66) bytes_ = 2;
        if ((*code_ & 0xf0) == 0x40) rex_ = *code_++;
        if ((rex_ & 8) != 0) bytes_ = 8;
        if ((*code_ & 0xfe) != 0xf6) return false;
        if (*code_++ == 0xf6) bytes_ = 1;
        const uint8_t form = *code_++;
        is_signed_ = (form >> 3 & 7) == 7;
        if ((form >> 3 & 7) < 6) return false;
        if (form >> 6 == 3)
            read_register(form & 7);
        else
            read_memory(form >> 6, form & 7);
        return true;
    }

    DivisionTrap finish() {
        const uint64_t low = value(0);
        const bool overflows = is_signed_ && sign_extend(divisor_, bytes_) == -1;
        const uint64_t quotient = overflows ? low : 0, remainder = overflows ? 0 : low;
        if (bytes_ == 1) {
            set(0, 2, (quotient & 0xff) | (remainder & 0xff) << 8);
        } else {
            set(0, bytes_, quotient);
            set(2, bytes_, remainder);
        }
        registers_[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uint64_t>(code_));
        return overflows ? DivisionTrap::kOverflow : DivisionTrap::kByZero;
    }

 private:
    uint64_t value(unsigned number) const { return static_cast<uint64_t>(registers_[kRegisters[number]]); }
    unsigned extended(unsigned number, unsigned bit) const { return number + ((rex_ & bit) != 0 ? 8 : 0); }

    // Writing a register of 4 bytes clears the upper ones; smaller ones keep them.
    void set(unsigned number, unsigned bytes, uint64_t bits) {
        const uint64_t mask = bytes >= 4 ? 0 : ~uint64_t{0} << (8 * bytes);
        const uint64_t used = bytes == 4 ? UINT32_MAX : ~mask;
        registers_[kRegisters[number]] = static_cast<greg_t>((value(number) & mask) | (bits & used));
    }

    void read_register(unsigned number) {
        const bool is_high_byte = bytes_ == 1 && rex_ == 0 && number >= 4;  // AH, CH, DH, BH
        divisor_ = is_high_byte ? value(number - 4) >> 8 : value(extended(number, 1));
    }

    void read_memory(unsigned mode, unsigned base) {
        uint64_t address = 0;
        bool has_base = true;
        if (base == 4) {
            const uint8_t index = *code_++;
            base = index & 7;
            has_base = base != 5 || mode != 0;
            if (const unsigned number = extended(index >> 3 & 7, 2); number != 4) address = value(number) << (index >> 6);
        } else if (base == 5 && mode == 0) {
            has_base = false;
            address = reinterpret_cast<uint64_t>(code_ + 4);
        }
        if (has_base) address += value(extended(base, 1));
        if (mode == 1) {
            address += static_cast<uint64_t>(static_cast<int8_t>(*code_++));
        } else if (mode == 2 || !has_base) {
            int32_t displacement;
            std::memcpy(&displacement, code_, sizeof displacement);
            code_ += sizeof displacement;
            address += static_cast<uint64_t>(static_cast<int64_t>(displacement));
        }
        std::memcpy(&divisor_, reinterpret_cast<const void*>(address), bytes_);
    }

    gregset_t& registers_;
    const uint8_t* code_ = nullptr;  // after decode(): the next instruction
    uint8_t rex_ = 0;
    unsigned bytes_ = 4;
    bool is_signed_ = false;
    uint64_t divisor_ = 0;
};

}  // namespace

DivisionTrap finish_division(ucontext_t& machine) {
    Division division(machine.uc_mcontext);
    return division.decode() ? division.finish() : DivisionTrap::kNone;
}
#else
DivisionTrap finish_division(ucontext_t&) { return DivisionTrap::kNone; }
#endif

}  // namespace ptosim
