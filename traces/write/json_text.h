// JSON that is written as it comes: for documents that are only written, never looked into.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analyse/labels.h"
#include "traces/write/text.h"

namespace ptosim {

// Puts text, which needs no escapes in most cases, between quotation marks.
inline void put_quoted(Text& to, std::string_view text) {
    if (is_plain(text))
        to << '"' << text << '"';
    else
        to << json_quoted(text);
}

// The layout is that of nlohmann::json::dump(indent): a member or an element per line, `indent`
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
    // Before a value: what parts it from the one before it.
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

}  // namespace ptosim
