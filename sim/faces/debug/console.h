// The debugger in a terminal: a command on each line (`help` lists them).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/faces/debug/debugger.h"

namespace ptosim::debug {

class Console {
 public:
    Console(Debugger& debugger, std::ostream& out) : debugger_{debugger}, out_{out} {}

    // Goes to the first event of the run.
    void begin() { show(debugger_.start()); }
    // Carries out a command; false for `quit`. Throws DiagnosticError for one that cannot be carried out.
    bool obey(const std::string& line);
    // Reads commands until `quit` or the end, and writes their errors. `prompt` is written before each; may be empty.
    void run(std::istream& in, const std::string& prompt);

 private:
    using Words = std::vector<std::string>;
    struct Row {
        const char* names;  // the first is the full one
        const char* help;
        void (Console::*act)(const Words&, const std::string& rest);
    };
    static const std::vector<Row>& rows();

    void help(const Words&, const std::string&);
    void add_break(const Words& words, const std::string& rest);
    void watch(const Words& words, const std::string&);
    void stop_at(const Words& words, const std::string& rest);
    void remove(const Words& words, const std::string&);
    void list_breaks(const Words&, const std::string&);
    void go(const Words& words, const std::string& rest) { motion(words, rest, false); }
    void back(const Words& words, const std::string& rest);
    void motion(const Words& words, const std::string& rest, bool back);
    void go_to(const Words& words, const std::string&);
    void writer(const Words&, const std::string& rest);
    void print(const Words&, const std::string& rest);
    void names(const Words&, const std::string&);
    void queues(const Words&, const std::string&);
    void flags(const Words&, const std::string&);
    void why(const Words& words, const std::string&);
    void where(const Words&, const std::string&) { show(debugger_.timeline().stop()); }
    void cores(const Words&, const std::string&);
    void core(const Words& words, const std::string&);
    void frames(const Words&, const std::string&);
    void frame(const Words& words, const std::string&);
    bool print_number(const std::string& expression);
    void bandwidth(const Words&, const std::string&);
    void picture(const Words& words, const std::string&);
    void save(const Words& words, const std::string&);

    void show(const Json& stop);
    static std::string site(const Json& json);

    Debugger& debugger_;
    std::ostream& out_;
};

}  // namespace ptosim::debug
