#include "sim/faces/cli/options.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace ptosim::cli {

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::allow_extra_args(bool allow) {
    option_->allow_extra_args(allow);
    return *this;
}

Option& Option::expected(int count) {
    option_->expected(count);
    return *this;
}

Option& Option::excludes(const std::string& other) {
    option_->excludes(other);
    return *this;
}

Option& Option::delimiter(char character) {
    option_->delimiter(character);
    return *this;
}

Option& Option::capture_default_str() {
    option_->capture_default_str();
    return *this;
}

Option& Option::each(const std::function<void(std::string)>& visit) {
    option_->each(visit);
    return *this;
}

Option& Option::range(int least, int most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::range(uint64_t least, uint64_t most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::range(double least, double most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
    option_->check(CLI::IsMember(words));
    return *this;
}

namespace {

// CLI11 reads "-1" and numbers beyond 64 bits as other numbers, and "" as 0.
CLI::Validator whole_number() {
    const auto check = [](const std::string& word) -> std::string {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error == std::errc{} && end == word.data() + word.size()) return {};
        return "'" + word + "' is not a whole number from 0 to 2^64 - 1";
    };
    return CLI::Validator(check, "");
}

}  // namespace

Command Command::add_subcommand(const std::string& name, const std::string& help) const {
    return Command(*app_->add_subcommand(name, help));
}

Option Command::add_option(const std::string& name, std::string& target,
                           const std::string& help) const {
    return Option(app_->add_option(name, target, help));
}

Option Command::add_option(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) const {
    return Option(app_->add_option(name, target, help));
}

Option Command::add_option(const std::string& name, uint32_t& target,
                           const std::string& help) const {
    return Option(app_->add_option(name, target, help)->check(whole_number()));
}

Option Command::add_option(const std::string& name, uint64_t& target,
                           const std::string& help) const {
    return Option(app_->add_option(name, target, help)->check(whole_number()));
}

Option Command::add_option(const std::string& name, double& target, const std::string& help) const {
    return Option(app_->add_option(name, target, help));
}

Option Command::add_option(const std::string& name, std::vector<uint32_t>& target,
                           const std::string& help) const {
    return Option(app_->add_option(name, target, help)->check(whole_number()));
}

Option Command::add_flag(const std::string& name, bool& target, const std::string& help) const {
    return Option(app_->add_flag(name, target, help));
}

void Command::add_options_later(std::function<void()> add) const {
    app_->preparse_callback([add = std::move(add)](size_t) { add(); });
}

void Command::callback(std::function<void()> call) const { app_->callback(std::move(call)); }

void Command::take_all_words() const {
    app_->prefix_command();
    app_->set_help_flag();
}

std::vector<std::string> Command::remaining() const {
    std::vector<std::string> words = app_->remaining();
    words.erase(words.begin());  // kWordsFollow
    return words;
}

void Command::require_subcommand(size_t least, size_t most) const {
    app_->require_subcommand(least, most);
}

bool Command::has_subcommand() const { return !app_->get_subcommands().empty(); }

void fail_required(const std::string& name) { throw CLI::RequiredError(name); }

}  // namespace ptosim::cli
