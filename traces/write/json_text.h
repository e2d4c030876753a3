// Streaming JSON output: for documents that are written and never read back.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/record/sources.h"
#include "traces/write/text.h"

namespace ptosim {

// True if a JSON string can hold a text unchanged: printable ASCII but for the quotation mark and
// the backslash.
bool is_plain(std::string_view text);
// A JSON string literal. Bytes that are not UTF-8 become U+FFFD, so that files load whatever the
// name of the kernel's file is.
std::string json_quoted(std::string_view text);
// The shortest digits that are this number: "0.5", "1.0".
std::string json_number(double number);

// Puts text, which needs no escapes in most cases, between quotation marks.
inline void put_quoted(Text& to, std::string_view text) {
    if (is_plain(text))
        to << '"' << text << '"';
    else
        to << json_quoted(text);
}

// The layout is that of dump_json(json, indent): a member or an element per line, `indent`
// blanks deeper for each level; all in one line if it is negative. Closing more than has been
// opened, or a member outside of an object, is a mistake of the caller.
class JsonText {
 public:
    explicit JsonText(int indent = -1) : indent_{indent} {}

    JsonText& object() { return open('{'); }
    JsonText& array() { return open('['); }
    JsonText& end() {
        const Level level = levels_.back();
        levels_.pop_back();
        if (!level.empty) line();
        text_ << (level.object ? '}' : ']');
        return *this;
    }
    JsonText& key(std::string_view name) {
        next();
        put_quoted(text_, name);
        text_ << (indent_ < 0 ? ":" : ": ");
        keyed_ = true;
        return *this;
    }
    JsonText& value(std::string_view text) {
        next();
        put_quoted(text_, text);
        return *this;
    }
    JsonText& value(const char* text) { return value(std::string_view(text)); }
    JsonText& value(bool yes) {
        next();
        text_ << (yes ? "true" : "false");
        return *this;
    }
    JsonText& value(std::unsigned_integral auto number) {
        next();
        text_ << uint64_t{number};
        return *this;
    }
    JsonText& value(double number) {
        next();
        text_ << json_number(number);
        return *this;
    }
    JsonText& member(std::string_view name, const auto& content) {
        key(name);
        return value(content);
    }
    std::string_view view() const { return text_.view(); }
    std::string take() { return text_.take(); }

 private:
    struct Level {
        bool object;
        bool empty;
    };
    JsonText& open(char bracket) {
        next();
        text_ << bracket;
        levels_.push_back({bracket == '{', true});
        return *this;
    }
    // Before a value: the separator from the previous one.
    void next() {
        if (keyed_) {
            keyed_ = false;
            return;
        }
        if (levels_.empty()) return;
        if (!levels_.back().empty) text_ << ',';
        levels_.back().empty = false;
        line();
    }
    void line() {
        if (indent_ < 0) return;
        text_ << '\n';
        for (size_t i = levels_.size() * static_cast<size_t>(indent_); i > 0; --i) text_ << ' ';
    }

    Text text_;
    std::vector<Level> levels_;
    int indent_;
    bool keyed_ = false;
};

// "file:line" texts, quoted for JSON, each made once.
class LocationTexts {
 public:
    // `brief`: files by the last part of their names, if these are different.
    explicit LocationTexts(const Sources& sources, bool brief = false);
    bool brief() const { return brief_; }
    static std::string_view last_part(std::string_view name);
    // "\"gemm.pto:87\""; "\"\"" if unknown.
    const std::string& quoted(SourceLocation location);

 private:
    const Sources& sources_;
    bool brief_;
    std::unordered_map<uint64_t, std::string> texts_;
};

}  // namespace ptosim
