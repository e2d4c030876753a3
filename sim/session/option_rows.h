// The rows of options.def as data, for interfaces that offer options by name.
#pragma once

#include <limits>
#include <span>
#include <variant>

#include "sim/files/json.h"
#include "sim/session/options.h"

namespace ptosim {

// The member that holds an option's value.
using OptionMember =
    std::variant<bool CommandOptions::*, uint32_t CommandOptions::*, uint64_t CommandOptions::*,
                 std::string CommandOptions::*, std::vector<std::string> CommandOptions::*,
                 std::vector<uint32_t> CommandOptions::*>;

// Both ends are included. Help texts distinguish ends of 64 bits.
struct OptionRange {
    constexpr OptionRange() = default;
    constexpr OptionRange(int from, int to)
        : least{static_cast<uint64_t>(from)}, most{static_cast<uint64_t>(to)} {}
    constexpr OptionRange(uint64_t from, uint64_t to) : least{from}, most{to}, wide{true} {}
    constexpr bool limits() const { return most != std::numeric_limits<uint64_t>::max(); }

    uint64_t least = 0, most = std::numeric_limits<uint64_t>::max();
    bool wide = false;
};

struct OptionRow {
    std::string_view name;  // of the member
    OptionMember member;
    bool of_session;         // a member of SessionOptions
    std::string_view group;  // chip, kernel, launch, run, recording, checks, output
    // `ptosim run` and `check`. Empty: they have no such option.
    std::string_view flag{};
    std::string_view value{};  // placeholder for the value in help texts
    std::string_view help{};
    std::string (*more_help)() = nullptr;           // the end of `help`
    std::vector<std::string> (*words)() = nullptr;  // permitted values of a text; null: any
    OptionRange range{};         // permitted values of a number, besides the default
    std::string_view unit{};     // of a number
    bool shows_default = false;  // in help texts
    void (*also)(CommandOptions& given) = nullptr;  // further effect of the flag
    // Effect on recordings; such an option without a recording is an error, which this text
    // explains. If it ends in a space, the name of the option `trace` follows.
    std::string_view of_recording{};
    bool needs_data = false;      // an error in mode timing
    std::string_view variable{};  // environment variable; empty: none
    // Keyword of Python's simulate() and Device(), and key of requests for devices; empty: none.
    // `form` is the kind of value if the member's type does not give it: chip, file, folders,
    // mapping.
    std::string_view python{}, form{};
    std::string_view allowed{};         // values as error messages describe them; empty: by type
    std::string_view otherwise{};       // meaning of an empty text, or of 0
    std::string_view python_default{};  // as JSON; empty: the member's
    bool embedded = false;              // a member of ptosim::Options
    std::string_view guide{};           // document that describes it; empty: no interface offers it
};

std::span<const OptionRow> option_rows();
const CommandOptions& default_options();
// The least number that a variable or a program may give: of the range, or the default if that is
// less.
uint64_t least_value(const OptionRow& row);
// The rows with a keyword of Python, as JSON, for clients that ask for devices: a list of objects.
Json option_table();

}  // namespace ptosim
