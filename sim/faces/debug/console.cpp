#include "sim/faces/debug/console.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <ostream>
#include <sstream>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"

namespace ptosim::debug {
namespace {

using Words = std::vector<std::string>;

[[noreturn]] void fail_usage(const std::string& message, const std::string& help) { fail_input("I69", message, help); }

template <class Number>
Number number_in(const std::string& word, const char* what) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
        fail_usage("'" + word + "' is not " + what, "a whole number is expected");
    return value;
}

}  // namespace

const std::vector<Console::Row>& Console::rows() {
    static const auto& rows = *new std::vector<Row>{
        {"break b", "[FILE:]LINE [core C] [block N] [iteration N] [if EXPRESSION]: stop at a line", &Console::add_break},
        {"watch", "PLACE [nan|differs]: stop after a write of x[3,7], of a tile %t, of UB[0x100:0x140]; only if it leaves "
                  "a NaN, or a value that differs from the golden", &Console::watch},
        {"stop", "finding | nan | flag FLAG [set|take]: stop at any finding, at the first NaN that an instruction writes, "
                 "at a flag such as MTE2->V #0", &Console::stop_at},
        {"delete", "N: remove a breakpoint", &Console::remove},
        {"breaks", "list the breakpoints", &Console::list_breaks},
        {"continue c run", "go on to a breakpoint", &Console::go},
        {"step s", "go to the next line of the core", &Console::go},
        {"next n", "the same, but not in functions that the line calls", &Console::go},
        {"out", "go on until the function has returned", &Console::go},
        {"stepi si", "go to its next scalar step", &Console::go},
        {"pipe", "P: go on until the core's pipe P begins or completes an instruction", &Console::go},
        {"chip", "the same for any pipe of any core", &Console::go},
        {"cycle", "go to the next cycle in which something happens", &Console::go},
        {"to", "FLAG: go on until a flag such as MTE2->V #0 is set or taken", &Console::go},
        {"finish", "go to the end of the core's block", &Console::go},
        {"back", "[MOTION]: the same way back, to the last such moment; alone: the last line. back continue goes to the "
                 "last breakpoint", &Console::back},
        {"goto", "N: go to a moment of the run by its number", &Console::go_to},
        {"writer", "PLACE: go back to the last write of these bytes", &Console::writer},
        {"print p", "PLACE or EXPRESSION: elements as a matrix, or the value of an expression of scalars", &Console::print},
        {"names", "the values in scope", &Console::names},
        {"frames f", "functions of a compiled kernel that have not returned, from the innermost one", &Console::frames},
        {"frame", "N: choose the function whose variables print and names show", &Console::frame},
        {"queues q", "the pipes of the core: instructions in flight and queued", &Console::queues},
        {"flags", "the core's flags and signals that are set", &Console::flags},
        {"why", "[P]: the reason for which a pipe waits", &Console::why},
        {"where w", "the present moment", &Console::where},
        {"cores", "the cores, their blocks and lines", &Console::cores},
        {"core", "C: choose the core of the other commands", &Console::core},
        {"bandwidth", "transfers of the chip at this moment, and the parts of L2 and HBM that they use", &Console::bandwidth},
        {"picture", "PLACE FILE.png: draw elements; black: NaN, a green frame: not the golden's value", &Console::picture},
        {"save", "PLACE FILE.npy: write elements to a file", &Console::save},
        {"help h", "this list", &Console::help},
        {"quit", "end", nullptr},
    };
    return rows;
}

namespace {

Words words_of(const std::string& line) {
    std::istringstream text(line);
    Words words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

bool named(const char* names, const std::string& word) {
    const Words all = words_of(names);
    return std::find(all.begin(), all.end(), word) != all.end();
}

std::string from_hexadecimal(const std::string& text) {
    std::string bytes;
    for (size_t at = 0; at + 1 < text.size(); at += 2) {
        unsigned byte = 0;
        std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

}  // namespace

bool Console::obey(const std::string& line) {
    const Words words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) return true;
    for (const Row& row : rows()) {
        if (!named(row.names, words[0])) continue;
        if (row.act == nullptr) return false;
        const size_t first = line.find(words[0]) + words[0].size();
        const size_t rest = line.find_first_not_of(' ', first);
        (this->*row.act)(words, rest == std::string::npos ? std::string() : line.substr(rest));
        return true;
    }
    std::vector<std::string_view> known;
    for (const Row& row : rows()) known.push_back(std::string_view(row.names).substr(0, std::string_view(row.names).find(' ')));
    const std::string similar = closest(words[0], known);
    fail_usage("unknown command '" + words[0] + "'",
               similar.empty() ? "'help' lists the commands" : "did you mean '" + similar + "'?");
}

void Console::help(const Words&, const std::string&) {
    for (const Row& row : rows()) out_ << row.names << ": " << row.help << "\n";
}

// ---- breakpoints --------------------------------------------------------------------------

void Console::add_break(const Words& words, const std::string& rest) {
    if (words.size() < 2) fail_usage("'break' needs a line", "for example: break 42 if %i == 3");
    const size_t colon = words[1].rfind(':');
    const std::string line = colon == std::string::npos ? words[1] : words[1].substr(colon + 1);
    Rule rule = debugger_.line_rule(number_in<uint32_t>(line, "a line"),
                                    colon == std::string::npos ? std::string() : words[1].substr(0, colon));
    for (size_t i = 2; i < words.size(); i += 2) {
        if (words[i] == "if") {
            rule.condition = rest.substr(rest.find(" if ") + 4);
            break;
        }
        if (i + 1 == words.size()) fail_usage("'" + words[i] + "' needs a value", "for example: break 42 core AIV01");
        if (words[i] == "core") {
            rule.core = parse_core(words[i + 1]);
            if (!rule.core) fail_usage("'" + words[i + 1] + "' is not a core", "for example AIV01");
        } else if (words[i] == "block") {
            rule.block = number_in<uint32_t>(words[i + 1], "a block");
        } else if (words[i] == "iteration") {
            rule.iteration = number_in<uint64_t>(words[i + 1], "an iteration");
        } else {
            fail_usage("unknown condition '" + words[i] + "'", "conditions are core, block, iteration and if");
        }
    }
    const unsigned id = debugger_.add(rule, "line " + rest);
    out_ << "breakpoint " << id << ": line " << rest << "\n";
}

void Console::watch(const Words& words, const std::string&) {
    if (words.size() < 2) fail_usage("'watch' needs a place", "for example: watch x[3,7]");
    Rule::Value value = Rule::Value::kAny;
    std::string text = "a write of " + words[1];
    if (words.size() > 2 && words[2] == "nan") {
        value = Rule::Value::kNan;
        text = "a NaN in " + words[1];
    } else if (words.size() > 2 && words[2] == "differs") {
        value = Rule::Value::kDiffers;
        text = "a value in " + words[1] + " that differs from the golden";
    } else if (words.size() > 2) {
        fail_usage("unknown condition '" + words[2] + "'", "conditions are nan and differs");
    }
    const unsigned id = debugger_.add(debugger_.written_rule(words[1], value), text);
    out_ << "breakpoint " << id << ": " << text << "\n";
}

void Console::stop_at(const Words& words, const std::string& rest) {
    Rule rule;
    if (words.size() == 2 && words[1] == "finding") {
        rule = Debugger::finding_rule();
    } else if (words.size() == 2 && words[1] == "nan") {
        rule.any_nan = true;
    } else if (words.size() > 2 && words[1] == "flag") {
        rule.what = {Happening::kSet, Happening::kTake};
        rule.flag = rest.substr(rest.find_first_not_of(' ', rest.find("flag") + 4));
        for (const Happening what : {Happening::kSet, Happening::kTake}) {
            const std::string end = " " + std::string(name(what));
            if (!rule.flag.ends_with(end)) continue;
            rule.flag.erase(rule.flag.size() - end.size());
            rule.what = {what};
        }
    } else {
        fail_usage("'stop " + rest + "' is unknown", "finding, nan, or a flag: stop flag MTE2->V #0");
    }
    const unsigned id = debugger_.add(rule, rest);
    out_ << "breakpoint " << id << ": " << rest << "\n";
}

void Console::remove(const Words& words, const std::string&) {
    if (words.size() != 2) fail_usage("'delete' needs a number", "'breaks' lists them");
    if (!debugger_.remove(number_in<unsigned>(words[1], "a number of a breakpoint")))
        fail_usage("unknown breakpoint " + words[1], "'breaks' lists them");
}

void Console::list_breaks(const Words&, const std::string&) {
    for (const auto& [id, breakpoint] : debugger_.breakpoints()) out_ << id << ": " << breakpoint.text << "\n";
}

// ---- motions ------------------------------------------------------------------------------

void Console::back(const Words& words, const std::string& rest) {
    if (words.size() == 1) return motion({"step"}, {}, true);
    const size_t next = rest.find_first_not_of(' ', words[1].size());
    motion(Words(words.begin() + 1, words.end()), next == std::string::npos ? std::string() : rest.substr(next), true);
}

void Console::motion(const Words& words, const std::string& rest, bool back) {
    using Named = std::pair<const char*, Motion>;
    static constexpr std::array kMotions{
        Named{"continue c run", Motion::kContinue}, Named{"step s", Motion::kLine},
        Named{"next n", Motion::kOver},             Named{"out", Motion::kOut},
        Named{"stepi si", Motion::kInstruction},    Named{"pipe", Motion::kPipe},
        Named{"chip", Motion::kChip},               Named{"cycle", Motion::kCycle},
        Named{"to", Motion::kFlag},                 Named{"finish", Motion::kBlock}};
    const auto found =
        std::find_if(kMotions.begin(), kMotions.end(), [&](const auto& row) { return named(row.first, words[0]); });
    if (found == kMotions.end())
        fail_usage("'" + words[0] + "' is not a motion", "motions are continue, step, next, out, stepi, pipe P, chip, cycle, to FLAG");
    Debugger::Move move;
    move.motion = found->second;
    if (move.motion == Motion::kPipe) {
        const auto pipe = words.size() < 2 ? std::nullopt : parse_pipe(words[1]);
        if (!pipe) fail_usage("'pipe' needs the name of a pipe", "pipes are S MTE2 MTE1 M V FIX MTE3");
        move.pipe = *pipe;
    }
    if (move.motion == Motion::kFlag) {
        if (rest.empty()) fail_usage("'to' needs a flag", "for example: to MTE2->V #0");
        move.flag = rest;
    }
    show(debugger_.move(move, back));
}

void Console::go_to(const Words& words, const std::string&) {
    if (words.size() != 2) fail_usage("'goto' needs the number of a moment", "'where' shows the present one");
    show(debugger_.go_to(number_in<uint64_t>(words[1], "the number of a moment")));
}

void Console::writer(const Words&, const std::string& rest) {
    if (rest.empty()) fail_usage("'writer' needs a place", "for example: writer x[3,7]");
    const Json stop = debugger_.writer(rest);
    if (stop.at("reason").text() == "begin") out_ << "nothing has written " << rest << " before\n";
    show(stop);
}

// ---- views --------------------------------------------------------------------------------

std::string Console::site(const Json& json) {
    if (json.value("line", 0u) == 0) return {};
    return json.at("file").text() + ":" + std::to_string(json.at("line").get<uint32_t>());
}

void Console::show(const Json& stop) {
    const Json& moment = stop.at("moment");
    const std::string reason = debugger_.reason(stop);
    if (!reason.empty()) out_ << reason << "\n";
    if (const std::string note = stop.value("note", ""); !note.empty()) out_ << note << "\n";
    out_ << "cycle " << moment.at("cycle").get<uint64_t>() << ", moment " << moment.at("number").get<uint64_t>() << ": ";
    const std::string& what = moment.at("what").text();
    if (what == "over") {
        out_ << "the run is over\n" << moment.at("text").text();
        return;
    }
    out_ << moment.at("core").text();
    if (what != "step" && what != "begin" && what != "end" && what != "finding") out_ << "/" << moment.at("pipe").text();
    if (moment.contains("block")) out_ << " (block " << moment.at("block").get<uint32_t>() << ")";
    if (what != "step") out_ << " " << what;
    if (what == "finding") {
        out_ << "\n" << moment.at("text").text();
        return;
    }
    if (const std::string at = site(moment); !at.empty()) out_ << " at " << at;
    if (!moment.at("text").text().empty()) out_ << "  " << moment.at("text").text();
    out_ << "\n";
    const std::string& line = moment.at("source_line").text();
    const size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos) out_ << "    " << line.substr(first) << "\n";
}

// False if it is not an expression of the machine's and the kernel's scalars.
bool Console::print_number(const std::string& expression) {
    try {
        std::ostringstream text;
        text.precision(17);
        text << debugger_.ask({{"about", "number"}, {"of", expression}}).get<double>();
        out_ << text.str() << "\n";
        return true;
    } catch (const DiagnosticError&) {
        return false;
    }
}

void Console::print(const Words&, const std::string& rest) {
    if (rest.empty()) fail_usage("'print' needs a place or an expression", "for example: print x[0:4, 0:8]");
    Json value;
    try {
        value = debugger_.ask({{"about", "value"}, {"of", rest}});
    } catch (const DiagnosticError&) {
        if (print_number(rest)) return;
        if (debugger_.code() == nullptr) throw;
        out_ << debugger_.code()->value(debugger_.core(), debugger_.frame(), rest) << "\n";
        return;
    }
    out_ << value.at("type").text() << "\n";
    size_t width = 1;
    for (const Json& row : value.at("values").elements())
        for (const Json& text : row.elements()) width = std::max(width, text.text().size());
    uint32_t number = value.at("first_row").get<uint32_t>();
    for (const Json& row : value.at("values").elements()) {
        out_ << number++ << ":";
        for (const Json& text : row.elements())
            out_ << " " << std::string(width - text.text().size(), ' ') << text.text();
        out_ << "\n";
    }
    const auto rows = value.at("rows").get<uint32_t>(), columns = value.at("columns").get<uint32_t>();
    if (rows > 16 || columns > 16) out_ << "of " << rows << "x" << columns << " elements; choose with [a:b, c:d]\n";
    for (const Json& one : value.at("differs").elements())
        out_ << "[" << one.at("row").get<uint32_t>() << "," << one.at("column").get<uint32_t>() << "] differs: the golden is "
             << one.at("expected").text() << "\n";
}

void Console::names(const Words&, const std::string&) {
    const Json answer = debugger_.ask({{"about", "names"}});
    for (const Json& one : answer.elements())
        out_ << one.at("name").text() << " = " << one.at("text").text() << "\n";
    if (debugger_.code() == nullptr) return;
    const Json variables = debugger_.code()->variables(debugger_.core(), debugger_.frame());
    for (const Json& one : variables.elements()) {
        std::string value = one.at("value").text();
        if (value == "{...}") try {
                value = debugger_.ask({{"about", "value"}, {"of", one.at("name").text()}, {"rows", 0}}).at("type").text();
            } catch (const DiagnosticError&) {  // not a tile
            }
        out_ << one.at("name").text() << " = " << value << " (" << one.at("type").text() << ")\n";
    }
}

void Console::frames(const Words&, const std::string&) {
    if (debugger_.code() == nullptr) fail_usage("a .pto kernel has no frames", "'cores' lists the lines of all cores");
    size_t number = 0;
    const Json answer = debugger_.code()->frames(debugger_.core());
    for (const Json& one : answer.elements()) {
        out_ << (number == debugger_.frame() ? "* " : "  ") << number << " " << one.at("function").text() << " at " << site(one) << "\n";
        ++number;
    }
}

void Console::frame(const Words& words, const std::string&) {
    if (words.size() != 2) fail_usage("'frame' needs a number", "'frames' lists them");
    debugger_.choose_frame(number_in<size_t>(words[1], "the number of a frame"));
}

void Console::queues(const Words&, const std::string&) {
    const Json answer = debugger_.ask({{"about", "queues"}});
    for (const Json& pipe : answer.elements()) {
        out_ << pipe.at("pipe").text() << ": " << pipe.at("completed").get<uint64_t>() << " completed";
        if (pipe.contains("waits")) out_ << ", " << pipe.at("waits").text();
        out_ << "\n";
        for (const Json& entry : pipe.at("entries").elements())
            out_ << "  " << entry.at("state").text() << "  " << site(entry) << "  " << entry.at("text").text() << "\n";
    }
}

void Console::flags(const Words&, const std::string&) {
    const Json answer = debugger_.ask({{"about", "flags"}});
    if (answer.empty()) out_ << "no flag of " << debugger_.core() << " is set\n";
    for (const Json& one : answer.elements()) {
        out_ << one.at("flag").text() << " is set at " << site(one);
        if (one.contains("from")) out_ << " by " << one.at("from").text() << ", count " << one.at("count").get<unsigned>();
        out_ << "\n";
    }
}

void Console::why(const Words& words, const std::string&) {
    const Json answer = debugger_.ask({{"about", "why"}, {"pipe", words.size() > 1 ? words[1] : std::string()}});
    for (const Json& one : answer.elements()) {
        out_ << debugger_.core() << "/" << one.at("pipe").text() << " " << one.at("text").text();
        if (one.contains("since")) out_ << ", since cycle " << one.at("since").get<uint64_t>();
        if (one.contains("line") && !site(one).empty()) out_ << " (" << site(one) << ")";
        out_ << "\n";
    }
}

void Console::cores(const Words&, const std::string&) {
    const Json answer = debugger_.ask({{"about", "cores"}});
    for (const Json& one : answer.elements()) {
        out_ << (one.at("core").text() == debugger_.core() ? "* " : "  ") << one.at("core").text();
        if (one.at("runs").get<bool>()) out_ << " block " << one.at("block").get<uint32_t>() << " " << site(one);
        out_ << "\n";
    }
}

void Console::core(const Words& words, const std::string&) {
    if (words.size() != 2) fail_usage("'core' needs the name of a core", "'cores' lists them");
    debugger_.choose(words[1]);
}

void Console::bandwidth(const Words&, const std::string&) {
    const Json answer = debugger_.ask({{"about", "bandwidth"}});
    const auto tenths = [](uint64_t thousandths) { return std::to_string(thousandths / 1000) + "." + std::to_string(thousandths / 100 % 10); };
    out_ << answer.at("transfers").get<uint64_t>() << " transfers, " << tenths(answer.at("rate").get<uint64_t>()) << " bytes per cycle\n";
    for (const JsonMember& used : answer.at("used").members())
        out_ << used.name << ": " << tenths(used.content.get<uint64_t>() * 100) << " % used\n";
}

void Console::picture(const Words& words, const std::string& rest) {
    if (words.size() < 3) fail_usage("'picture' needs a place and a file", "for example: picture %t t.png");
    const std::string place = rest.substr(0, rest.rfind(words.back()));
    const Json answer = debugger_.ask({{"about", "picture"}, {"of", place.substr(0, place.find_last_not_of(' ') + 1)}});
    write_file(words.back(), from_hexadecimal(answer.at("file").text()));
    out_ << answer.at("type").text() << ", " << answer.at("rows").get<uint32_t>() << "x" << answer.at("columns").get<uint32_t>()
         << " elements in " << words.back() << "\n";
}

void Console::save(const Words& words, const std::string&) {
    if (words.size() != 3) fail_usage("'save' needs a place and a file", "for example: save %t t.npy");
    const Json answer = debugger_.ask({{"about", "save"}, {"of", words[1]}, {"file", words[2]}});
    out_ << answer.at("rows").get<uint32_t>() << "x" << answer.at("columns").get<uint32_t>() << " elements in " << words[2]
         << "\n";
}

void Console::run(std::istream& in, const std::string& prompt) {
    begin();
    out_ << prompt << std::flush;
    for (std::string line; std::getline(in, line); out_ << prompt << std::flush) {
        try {
            if (!obey(line)) return;
        } catch (const DiagnosticError& error) {
            for (const Diagnostic& diagnostic : error.diagnostics()) out_ << to_text(diagnostic);
        } catch (const Json::Error& error) {
            out_ << "error: " << error.what() << "\n";
        }
    }
}

}  // namespace ptosim::debug
