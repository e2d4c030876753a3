#include "sim/compile/thread_arrays.h"

#include <algorithm>
#include <vector>

#include "sim/compile/token_text.h"

namespace ptosim {
namespace {

using Kind = Token::Kind;

// A variable declared after the qualifier.
struct Variable {
    size_t type = 0, name = 0, dimensions = 0, end = 0;  // tokens; `end`: the ';'
};

class ThreadArrays : TokenText {
 public:
    explicit ThreadArrays(std::string_view source) : TokenText(source, "") {}

    std::string run() {
        std::string out;
        size_t done = 0;
        int depth = 0;  // of braces that are not those of a namespace
        std::vector<bool> counts;
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (is(i, '{')) {
                counts.push_back(!opens_namespace(i));
                depth += counts.back() ? 1 : 0;
            } else if (is(i, '}') && !counts.empty()) {
                depth -= counts.back() ? 1 : 0;
                counts.pop_back();
            }
            if (tokens_[i].kind != Kind::kWord || text(i) != kThreadUbMark) continue;
            const size_t first = first_of_declaration(i);
            Variable variable;
            const bool declares = read(i + 1, variable) && begins_statement(first);
            const size_t begin = declares ? tokens_[first].begin : tokens_[i].begin;
            out += source_.substr(done, begin - done);
            if (declares) {
                out += replaced(variable, depth > 0);
                done = tokens_[variable.end].begin;
                const std::string_view removed = source_.substr(begin, done - begin);
                out.append(static_cast<size_t>(std::count(removed.begin(), removed.end(), '\n')), '\n');
                i = variable.end - 1;
            } else {
                done = tokens_[i].end;
            }
        }
        return out + std::string(source_.substr(done));
    }

 private:
    bool opens_namespace(size_t brace) const {
        for (size_t i = brace; i-- > 0;) {
            if (text(i) == "namespace") return true;
            if (text(i) == "extern") return brace - i <= 2;
            if (tokens_[i].kind != Kind::kWord && !is(i, ':') && tokens_[i].kind != Kind::kText) return false;
        }
        return false;
    }
    // The token before which extern and static stand.
    size_t first_of_declaration(size_t mark) const {
        while (mark > 0 && (text(mark - 1) == "extern" || text(mark - 1) == "static" || text(mark - 1) == "volatile"))
            --mark;
        return mark;
    }
    bool begins_statement(size_t first) const {
        return first == 0 || is(first - 1, ';') || is(first - 1, '{') || is(first - 1, '}') ||
               tokens_[first - 1].kind == Kind::kDirective;
    }

    // TYPE NAME[...]... ;
    bool read(size_t i, Variable& found) const {
        found.type = i;
        size_t name = kNone;
        for (; i < tokens_.size(); ++i) {
            if (tokens_[i].kind == Kind::kWord) {
                name = i;
            } else if (is(i, '<')) {
                int depth = 0;
                for (; i < tokens_.size() && !is(i, ';'); ++i) {
                    depth += is(i, '<') ? 1 : is(i, '>') ? -1 : 0;
                    if (depth == 0) break;
                }
            } else if (!is(i, ':')) {
                break;
            }
        }
        if (name == kNone || name == found.type) return false;
        found.name = name;
        found.dimensions = name + 1;
        while (is(i, '[')) {
            i = after_bracket(i);
            if (i == kNone) return false;
        }
        found.end = i;
        return found.dimensions <= i && is(i, ';');
    }

    std::string replaced(const Variable& variable, bool in_function) {
        const std::string type = without_directives(variable.type, variable.name);
        const std::string name(text(variable.name));
        const std::string dimensions =
            variable.dimensions == variable.end ? "" : without_directives(variable.dimensions, variable.end);
        const bool sized = variable.dimensions == variable.end || !is(variable.dimensions + 1, ']');
        const std::string rest = sized ? "" : dimensions.substr(dimensions.find(']') + 1);
        if (in_function && sized)
            return type + " (&" + name + ")" + dimensions + " = ::pto::ptosim_detail::shared_array<" + type + " " +
                   dimensions + ">([] {})";
        if (in_function)
            return type + " (&" + name + ")" + dimensions + " = ::pto::ptosim_detail::dynamic_array<" + type + " " + rest +
                   ">()";
        if (sized)
            return "static const ::pto::ptosim_detail::OuterArray<" + type + " " + dimensions + "> " + name;
        return "static const ::pto::ptosim_detail::OuterDynamicArray<" + type + " " + rest + "> " + name;
    }
};

}  // namespace

std::string with_thread_arrays(std::string_view text) {
    if (text.find(kThreadUbMark) == text.npos) return std::string(text);
    return ThreadArrays(text).run();
}

}  // namespace ptosim
