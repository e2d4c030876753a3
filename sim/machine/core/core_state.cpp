#include "sim/machine/core/core_state.h"

#include <cstdio>
#include <filesystem>

#include "isa/core/neutral_registers.h"
#include "isa/numeric/dtype.h"

namespace ptosim {
namespace {

struct StateName {
    unsigned number;
    std::string_view name;
};
constexpr StateName kNames[] = {
    {core_register::MASK_LOW, "the vector mask"},  {core_register::MASK_HIGH, "the vector mask"},
    {core_register::COUNTER, "the mask mode"},     {core_register::CTRL, "CTRL"},
    {core_register::ATOMIC, "the atomic mode"},    {core_register::DEQSCALE, "the scale of set_deqscale"},
    {core_register::FPC, "FPC"},                   {core_register::QUANT_PRE, "the scale of set_quant_pre"},
    {core_register::PADDING, "the padding value"},
};

std::string atomic_text(uint64_t value) {
    constexpr std::string_view kOperations[] = {"none", "add", "max", "min"};
    std::string text(kOperations[value & 3]);
    if (const uint64_t type = value >> 8 & 0xFF; type != 0)
        text += " of " + std::string(ptosim::name(static_cast<DType>(type - 1)));
    return text;
}

LeftState left_atomic(uint64_t value) {
    return {0, "the atomic mode is left at " + atomic_text(value),
            "plain stores of the next kernel to global memory change the data there instead of replacing them",
            "call SetAtomicNone() (set_atomic_none) after the last atomic store; or let each kernel begin with InitSocState()",
            {}};
}

LeftState left_counter() {
    return {0, "the mask mode is left at counter mode",
            "the next kernel's vector masks count as numbers of elements",
            "call SetMaskNorm() (set_mask_norm) after the last instruction in counter mode; or let each kernel begin with InitSocState()",
            {}};
}

LeftState left_ctrl(uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return {0, "CTRL is left at " + std::string(text),
            "saturation, rounding and the precision of products of the next kernel follow its bits",
            "restore the value that the kernel has found (SetHF32Mode(false), set_ctrl of the earlier value)",
            {}};
}

LeftState left_units(const UnitFlags::Product& product) {
    return {kCoreRegisters, "the unit flags of bytes [" + std::to_string(product.range.begin) + ", " +
                std::to_string(product.range.end) + ") of L0C are left set",
            "the next product with a phase waits there and never ends",
            "store the accumulator with phase final, too, or give neither of the two a phase",
            product.where};
}

}  // namespace

std::string_view state_name(unsigned number) {
    for (const StateName& entry : kNames)
        if (entry.number == number) return entry.name;
    return core_register_row(number).text;
}

void CoreState::begin_block() {
    at_begin_ = registers.value;
    registers.is_written.fill(false);
}

AtomicMode CoreState::atomic() const {
    return static_cast<AtomicMode>(registers.value[core_register::ATOMIC] & kAtomicOperation);
}

std::vector<LeftState> CoreState::left(const UnitFlags& units) const {
    std::vector<LeftState> found;
    const auto add = [&](unsigned number, LeftState state) {
        state.number = number;
        state.where = registers.written[number];
        found.push_back(std::move(state));
    };
    // A block that has only found the value is not its cause.
    const auto& value = registers.value;
    const auto leaves = [&](unsigned number) {
        return value[number] != at_begin_[number] &&
               !is_neutral(number, value[number], core_register_row(number).initial);
    };
    if (leaves(core_register::ATOMIC)) add(core_register::ATOMIC, left_atomic(value[core_register::ATOMIC]));
    if (leaves(core_register::COUNTER)) add(core_register::COUNTER, left_counter());
    if (leaves(core_register::CTRL)) add(core_register::CTRL, left_ctrl(value[core_register::CTRL]));
    for (const UnitFlags::Product& product : units.unread()) found.push_back(left_units(product));
    return found;
}

uint32_t CoreState::written() const {
    uint32_t bits = 0;
    for (unsigned i = 0; i < kCoreRegisters; ++i) bits |= registers.is_written[i] ? 1U << i : 0U;
    return bits;
}

void CoreState::end_block(const SourceMap& sources) {
    for (unsigned i = 0; i < kCoreRegisters; ++i) {
        if (!registers.is_written[i]) continue;
        const SourceLocation where = registers.written[i];
        registers.left_by[i] = where.line == 0 ? "an earlier kernel"
                                               : std::filesystem::path(sources.file(where)).filename().string() + ":" +
                                                     std::to_string(where.line);
    }
}

void CoreState::tell_use(const CoreContext& core, unsigned number, std::string_view instruction,
                         SourceLocation where) const {
    if (core.observers.empty() || registers.is_written[number] || registers.left_by[number].empty()) return;
    core.observers.tell(&Observer::on_carried_state,
                        CarriedStateEvent{core.id, number, state_name(number), registers.left_by[number],
                                          instruction, where, core.now()});
}

}  // namespace ptosim
