// The options of commands, on top of CLI11. Only options.cpp and the main program include CLI11's headers, because they
// take longer to compile than the commands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ptosim::cli {

// An option, or an argument without a name. The functions are CLI11's unless a comment describes them.
class Option {
 public:
    explicit Option(CLI::Option* option) : option_{option} {}

    Option& required();
    Option& type_name(const std::string& name);
    Option& allow_extra_args(bool allow);
    Option& expected(int count);
    Option& excludes(const std::string& other);
    Option& delimiter(char character);
    Option& capture_default_str();
    Option& each(const std::function<void(std::string)>& visit);
    // Both ends are included. For integers and for numbers.
    Option& range(int least, int most);
    Option& range(uint64_t least, uint64_t most);
    Option& range(double least, double most);
    Option& one_of(const std::vector<std::string>& words);

 private:
    CLI::Option* option_;
};

// Precedes the words of a command that takes all of them. If their first word were an option, CLI11 would take a
// following "--" for the program's.
inline constexpr const char* kWordsFollow = "words";

// A command with its options; cheap to copy.
class Command {
 public:
    explicit Command(CLI::App& app) : app_{&app} {}

    Command add_subcommand(const std::string& name, const std::string& help) const;
    // Calls `add`, which adds options, if the command line has this command: adding many takes as long as parsing a
    // small kernel.
    void add_options_later(std::function<void()> add) const;
    // `target` must live until the command line has been parsed.
    Option add_option(const std::string& name, std::string& target, const std::string& help) const;
    Option add_option(const std::string& name, std::vector<std::string>& target,
                      const std::string& help) const;
    Option add_option(const std::string& name, uint32_t& target, const std::string& help) const;
    Option add_option(const std::string& name, uint64_t& target, const std::string& help) const;
    Option add_option(const std::string& name, double& target, const std::string& help) const;
    Option add_option(const std::string& name, std::vector<uint32_t>& target,
                      const std::string& help) const;
    Option add_flag(const std::string& name, bool& target, const std::string& help) const;
    // Called when the command line has been parsed and has this command.
    void callback(std::function<void()> call) const;
    // All words after kWordsFollow belong to the command: no options are parsed.
    void take_all_words() const;
    std::vector<std::string> remaining() const;
    void require_subcommand(size_t least, size_t most) const;
    bool has_subcommand() const;  // true if one was given

 private:
    CLI::App* app_;
};

// For callbacks: exits with the message of a missing argument.
[[noreturn]] void fail_required(const std::string& name);

}  // namespace ptosim::cli
