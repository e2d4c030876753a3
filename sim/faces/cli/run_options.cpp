#include "sim/faces/cli/run_options.h"

#include <type_traits>

#include "sim/session/option_rows.h"

namespace ptosim::cli {
namespace {

void add_option(const Command& command, const OptionRow& row, CommandOptions& options) {
    const std::string name(row.flag);
    const std::string help =
        std::string(row.help) + (row.more_help != nullptr ? row.more_help() : "");
    const auto add = [&](auto member) {
        using Value = std::remove_reference_t<decltype(options.*member)>;
        if constexpr (std::is_same_v<Value, bool>)
            return command.add_flag(name, options.*member, help);
        else
            return command.add_option(name, options.*member, help);
    };
    Option option = std::visit(add, row.member);
    if (!row.value.empty()) option.type_name(std::string(row.value));
    const bool numbers =
        std::holds_alternative<std::vector<uint32_t> CommandOptions::*>(row.member);
    if (numbers) option.delimiter(',');
    if (numbers || std::holds_alternative<std::vector<std::string> CommandOptions::*>(row.member))
        option.allow_extra_args(false);
    if (row.words != nullptr) option.one_of(row.words());
    if (row.range.limits() && row.range.wide) option.range(row.range.least, row.range.most);
    if (row.range.limits() && !row.range.wide)
        option.range(static_cast<int>(row.range.least), static_cast<int>(row.range.most));
    if (row.shows_default) option.capture_default_str();
    if (row.also != nullptr)
        option.each([&options, also = row.also](const std::string&) { also(options); });
}

}  // namespace

void add_run_options(const Command& command, RunOptions& options) {
    command
        .add_option("KERNEL", options.kernel,
                    "A .pto file, a C++ kernel source, an output of ptosim build, or the folder of a kept task")
        .required();
    for (const OptionRow& row : option_rows())
        if (!row.flag.empty()) add_option(command, row, options);
}

}  // namespace ptosim::cli
