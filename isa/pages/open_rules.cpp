// The numeric rules that no suite and no document settles, for the owner of a board.
#include <string>

#include "isa/pages/reference.h"
#include "isa/table/profile_rules.h"

namespace ptosim {

namespace {

constexpr Numerics kBoards[] = {Numerics::kA2A3, Numerics::kA5};

std::string instructions_of(const ProfileRule& rule) {
    std::string names;
    for (const InstructionInfo& row : instruction_table())
        if (shows_in(rule, row.opcode)) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

std::string captures_of(const ProfileRule& rule) {
    if (rule.capture.empty()) return "-";
    std::string text = "`";
    for (const char c : rule.capture) text += c == ' ' ? "`, `" : std::string(1, c);
    return text + "`";
}

std::string boards_of(const ProfileRule& rule) {
    std::string boards;
    for (const Numerics board : kBoards)
        if (is_open(rule, board)) boards += (boards.empty() ? "" : ", ") + std::string(name(board));
    if (is_open(rule, Numerics::kA5Templates) && rule.profile == Numerics::kA5Templates) boards = "a5";
    return boards;
}

void add_count(std::string& page, Grade grade) {
    unsigned count = 0;
    for (const ProfileRule& rule : profile_rules()) count += rule.grade == grade ? 1 : 0;
    page += std::to_string(count) + " " + std::string(name(grade));
}

}  // namespace

std::string open_rules_page() {
    std::string page =
        "# Numeric rules that a board settles\n\n"
        "Made by `ptosim isa --open-rules` from "
        "isa/table/profile_rules.def. An assumed rule follows from public "
        "code, or is a choice. For the boards listed, no test suite and no document confirms it, "
        "and no other rule replaces it there. The capture kit (docs/models.md) "
        "records the results in the last column, and `ptosim capture --import` prints the profile "
        "that they match; the kit does not measure rules without results.\n\n"
        "Of all rules, ";
    add_count(page, Grade::kCaptured);
    page += ", ";
    add_count(page, Grade::kDocumented);
    page += ", ";
    add_count(page, Grade::kAssumed);
    page += ".\n\n| rule | boards | assumption | instructions | results of the kit |\n"
            "|---|---|---|---|---|\n";
    unsigned open = 0, captured = 0;
    for (const ProfileRule& rule : profile_rules()) {
        const std::string boards = boards_of(rule);
        if (boards.empty()) continue;
        ++open;
        captured += rule.capture.empty() ? 0 : 1;
        page += "| `" + std::string(rule.name) + "` | " + boards + " | " + std::string(rule.text) +
                " | " + instructions_of(rule) + " | " + captures_of(rule) + " |\n";
    }
    return page + "\n" + std::to_string(open) + " rules are open; the kit has results for " +
           std::to_string(captured) + ".\n";
}

}  // namespace ptosim
