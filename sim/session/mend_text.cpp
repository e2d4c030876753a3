#include "sim/session/mend_text.h"

#include <algorithm>

#include "sim/check/findings.h"
#include "sim/files/json.h"
#include "traces/analyse/loops.h"

namespace ptosim {
namespace {

using check::MendLine;
using check::MendStep;
using Kind = MendStep::Kind;
using Place = MendStep::Place;
using LinePlace = MendLine::Place;

enum class Language : uint8_t { kAssembly, kTiles, kAscendC };

Language language_of(SourceLanguage language, std::string_view text) {
    if (language == SourceLanguage::kAssembly) return Language::kAssembly;
    return text.find("AscendC") != std::string_view::npos ? Language::kAscendC : Language::kTiles;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::string trimmed(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
}

std::string text_of(const MendStep& step, Language language) {
    const bool barrier = step.opcode == Opcode::kPIPE_BARRIER;
    const bool set = step.opcode == Opcode::kSET_FLAG;
    if (language == Language::kAscendC) {
        if (barrier) return "AscendC::PipeBarrier<" + check::pipe_word(step.source) + ">();";
        return std::string("AscendC::") + (set ? "Set" : "Wait") +
               "Flag<AscendC::HardEvent::" + std::string(name(step.source)) + "_" +
               std::string(name(step.destination)) + ">(" + std::to_string(step.id) + ");";
    }
    const check::SyncSpelling words{language == Language::kAssembly};
    const std::string end = words.assembly ? "" : ";";
    if (barrier) return words.barrier(step.source) + end;
    const char* const what = set ? "set" : "wait";
    if (words.assembly && step.id_text.starts_with('%')) {  // a computed id
        std::string text = words.flag(what, step.source, step.destination);
        text.insert(text.find('['), "_dyn").insert(text.size() - 1, ", " + step.id_text);
        return "pto." + text;
    }
    return (words.assembly ? "pto." : "") +
           words.flag(what, step.source, step.destination, step.id) + end;
}

// The text of the loops of a kernel's files, found once.
class SourceText {
 public:
    SourceText(const SourceMap& sources, uint16_t file)
        : text_{sources.text(file)}, lines_{split(text_)}, loops_{find_loops(text_)} {
        SourceLocation at;
        at.file = file;
        name_ = std::string(sources.file(at));
        language_ = language_of(sources.language(at), text_);
    }
    Language language() const { return language_; }
    const std::string& name() const { return name_; }
    std::string_view line(uint32_t number) const {
        return number == 0 || number > lines_.size() ? std::string_view() : lines_[number - 1];
    }
    // The outermost loop around a line; null without one.
    const LoopRegion* loop(uint32_t line) const {
        for (const LoopRegion& loop : loops_)
            if (loop.parent < 0 && loop.first <= line && line <= loop.last) return &loop;
        return nullptr;
    }
    // The last line of the operation or statement that begins at a line.
    uint32_t end_of(uint32_t line) const {
        int depth = 0;
        for (uint32_t at = line; at <= lines_.size(); ++at) {
            for (const char c : lines_[at - 1])
                depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            if (depth > 0) continue;
            if (language_ != Language::kAssembly) {
                if (trimmed(lines_[at - 1]).ends_with(';')) return at;
                continue;
            }
            const std::string next = at < lines_.size() ? trimmed(lines_[at]) : std::string();
            if (!next.starts_with("ins(") && !next.starts_with("outs(") &&
                !next.starts_with("->") && !next.starts_with(":") && !next.starts_with("{") &&
                !next.starts_with(","))
                return at;
        }
        return line;
    }
    // The line of the return that ends the function around a line; of C++ the line itself.
    uint32_t end_of_function(uint32_t line) const {
        if (language_ != Language::kAssembly) return 0;
        for (uint32_t at = line; at <= lines_.size(); ++at) {
            const std::string text = trimmed(lines_[at - 1]);
            if (text.starts_with("return") || text.starts_with("func.return")) return at;
        }
        return 0;
    }

 private:
    std::string_view text_;
    std::vector<std::string_view> lines_;
    std::vector<LoopRegion> loops_;
    std::string name_;
    Language language_ = Language::kAssembly;
};

// A flag operation of the text's own, not one that a library issues.
bool is_operation(std::string_view line) {
    for (const std::string_view word : {"_flag", "SetFlag", "WaitFlag", "barrier", "PipeBarrier"})
        if (line.find(word) != std::string_view::npos) return true;
    return false;
}

// The line with another id; empty if it has none.
std::string renumbered(std::string_view line, const MendStep& step, Language language) {
    std::string text = trimmed(line);
    if (language == Language::kAssembly) {
        const size_t open = text.find("_flag"), bracket = text.find('[', open);
        const size_t end = text.find(']', bracket);
        if (open == std::string::npos || end == std::string::npos) return {};
        return text_of(step, language);
    }
    const size_t at = text.find("EVENT_ID");
    if (at == std::string::npos || at + 8 >= text.size()) return {};
    return text.replace(at + 8, 1, std::to_string(step.id));
}

bool add_line(const MendStep& step, const SourceText& text, std::vector<MendLine>& to) {
    MendLine line{text.name(), step.at.line, LinePlace::kBefore, {}};
    if (step.kind != Kind::kInsert) {
        const std::string_view own = text.line(step.at.line);
        if (!is_operation(own)) return false;
        line.place = LinePlace::kInstead;
        if (step.kind == Kind::kReplace) line.text = renumbered(own, step, text.language());
        if (step.kind == Kind::kReplace && (line.text.empty() || line.text == trimmed(own)))
            return false;
        to.push_back(std::move(line));
        return true;
    }
    line.text = text_of(step, text.language());
    const LoopRegion* const loop = text.loop(step.at.line);
    switch (step.place) {
        case Place::kBefore:
            break;
        case Place::kAfter:
            line.place = LinePlace::kAfter;
            line.line = text.end_of(step.at.line);
            break;
        case Place::kBeforeLoop:
            if (loop != nullptr) line.line = loop->first;
            break;
        case Place::kAfterLoop:
            if (loop != nullptr) {
                line.place = LinePlace::kAfter;
                line.line = loop->last;
            } else if (const uint32_t end = text.end_of_function(step.at.line); end != 0) {
                line.line = end;
            } else {
                line.place = LinePlace::kAfter;
            }
            break;
    }
    to.push_back(std::move(line));
    return true;
}

}  // namespace

std::vector<check::MendLine> lines_of(const check::Mend& mend, const SourceMap& sources) {
    std::vector<check::MendLine> lines;
    for (const check::MendStep& step : mend.steps) {
        if (step.at.file >= sources.size() || sources.text(step.at.file).empty()) return {};
        if (!add_line(step, SourceText(sources, step.at.file), lines)) return {};
    }
    return lines;
}

MendedText with_mend(std::string_view text, const std::string& file,
                     const std::vector<check::MendLine>& mend) {
    const std::vector<std::string_view> lines = split(text);
    MendedText result;
    const auto put = [&](std::string_view line, uint32_t from) {
        result.text += std::string(line) + "\n";
        result.lines.push_back(from);
    };
    for (uint32_t number = 1; number <= lines.size(); ++number) {
        const std::string_view own = lines[number - 1];
        const std::string indent(own.substr(0, std::min(own.size(), own.find_first_not_of(" \t"))));
        const auto put_all = [&](LinePlace place) {
            for (const MendLine& line : mend)
                if (line.file == file && line.line == number && line.place == place)
                    put(indent + line.text, number);
        };
        const auto instead = std::find_if(mend.begin(), mend.end(), [&](const MendLine& line) {
            return line.file == file && line.line == number && line.place == LinePlace::kInstead;
        });
        put_all(LinePlace::kBefore);
        if (instead == mend.end())
            put(own, number);
        else if (!instead->text.empty())
            put(indent + instead->text, number);
        put_all(LinePlace::kAfter);
    }
    return result;
}

std::string sentence_of(const std::vector<check::MendLine>& mend) {
    std::string text;
    for (size_t i = 0; i < mend.size(); ++i) {
        const MendLine& line = mend[i];
        const std::string at = line.file + ":" + std::to_string(line.line);
        if (i > 0) text += i + 1 == mend.size() ? " and " : ", ";
        if (line.place == LinePlace::kInstead)
            text += line.text.empty() ? "remove " + at : "write '" + line.text + "' at " + at;
        else
            text += (i == 0 ? "insert '" : "'") + line.text +
                    (line.place == LinePlace::kAfter ? "' after " : "' before ") + at;
    }
    return text;
}

std::string pack(const check::Mend& mend) {
    Json steps = Json::array();
    for (const MendStep& s : mend.steps)
        steps.push_back({static_cast<int>(s.kind), static_cast<int>(s.place), s.at.file,
                         s.at.column, s.at.line, static_cast<int>(s.opcode),
                         static_cast<int>(s.source), static_cast<int>(s.destination), s.id,
                         s.id_text, static_cast<int>(s.core)});
    return dump_json(steps);
}

check::Mend unpack_mend(std::string_view text) {
    check::Mend mend;
    for (const Json& s : parse_json(text)) {
        MendStep& step = mend.steps.emplace_back();
        step.kind = static_cast<Kind>(s.at(0).get<int>());
        step.place = static_cast<Place>(s.at(1).get<int>());
        s.at(2).get_to(step.at.file);
        s.at(3).get_to(step.at.column);
        s.at(4).get_to(step.at.line);
        step.opcode = static_cast<Opcode>(s.at(5).get<int>());
        step.source = static_cast<Pipe>(s.at(6).get<int>());
        step.destination = static_cast<Pipe>(s.at(7).get<int>());
        s.at(8).get_to(step.id);
        s.at(9).get_to(step.id_text);
        step.core = static_cast<CoreType>(s.at(10).get<int>());
    }
    return mend;
}

std::string diff_of(const std::string& file, std::string_view before, std::string_view after) {
    // The texts differ in a few lines: a table of longest common parts of what lies between their
    // common ends.
    const std::vector<std::string_view> a = split(before), b = split(after);
    size_t head = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
    size_t tail = 0;
    while (tail < a.size() - head && tail < b.size() - head &&
           a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    const size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
    std::vector<std::vector<uint32_t>> common(rows + 1, std::vector<uint32_t>(columns + 1));
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;)
            common[i][j] = a[head + i] == b[head + j]
                               ? common[i + 1][j + 1] + 1
                               : std::max(common[i + 1][j], common[i][j + 1]);
    struct Line {
        char sign;
        std::string_view text;
        size_t old_line, new_line;
    };
    std::vector<Line> all;
    for (size_t i = 0; i < head; ++i) all.push_back({' ', a[i], i, i});
    size_t i = 0, j = 0;
    while (i < rows || j < columns) {
        if (i < rows && j < columns && a[head + i] == b[head + j]) {
            all.push_back({' ', a[head + i], head + i, head + j});
            ++i, ++j;
        } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
            all.push_back({'-', a[head + i], head + i, head + j});
            ++i;
        } else {
            all.push_back({'+', b[head + j], head + i, head + j});
            ++j;
        }
    }
    for (size_t k = 0; k < tail; ++k)
        all.push_back({' ', a[a.size() - tail + k], a.size() - tail + k, b.size() - tail + k});
    constexpr size_t kContext = 3;
    std::string text;
    for (size_t at = 0; at < all.size();) {
        if (all[at].sign == ' ') {
            ++at;
            continue;
        }
        const size_t begin = at < kContext ? 0 : at - kContext;
        size_t end = at, quiet = 0;
        while (end < all.size() && quiet <= 2 * kContext)
            quiet = all[end++].sign == ' ' ? quiet + 1 : 0;
        end -= quiet > kContext ? quiet - kContext : 0;
        size_t old_count = 0, new_count = 0;
        std::string hunk;
        for (size_t k = begin; k < end; ++k) {
            old_count += all[k].sign != '+';
            new_count += all[k].sign != '-';
            hunk += all[k].sign + std::string(all[k].text) + "\n";
        }
        text += "@@ -" + std::to_string(all[begin].old_line + 1) + "," + std::to_string(old_count) +
                " +" + std::to_string(all[begin].new_line + 1) + "," + std::to_string(new_count) +
                " @@\n" + hunk;
        at = end;
    }
    if (text.empty()) return {};
    const bool absolute = file.starts_with('/');
    return "--- " + std::string(absolute ? "" : "a/") + file + "\n+++ " +
           std::string(absolute ? "" : "b/") + file + "\n" + text;
}

}  // namespace ptosim
