#include "sim/compile/thread_arrays.h"

#include <algorithm>
#include <vector>

#include "sim/compile/token_text.h"

namespace ptosim {
namespace {

using Kind = Token::Kind;

// Variables declared after the qualifier.
struct Variables {
    struct One {
        size_t name = 0, dimensions = 0, end = 0;  // tokens; `end`: the one after the dimensions
    };
    size_t type = 0;
    std::vector<One> all{};
    size_t end = 0;  // the ';'
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
            Variables variables;
            const bool declares = read(i + 1, variables) && begins_statement(first);
            const size_t begin = declares ? tokens_[first].begin : tokens_[i].begin;
            out += source_.substr(done, begin - done);
            if (declares) {
                for (const Variables::One& variable : variables.all)
                    out += (&variable == variables.all.data() ? "" : "; ") +
                           replaced(variables, variable, depth > 0);
                done = tokens_[variables.end].begin;
                const std::string_view removed = source_.substr(begin, done - begin);
                out.append(static_cast<size_t>(std::count(removed.begin(), removed.end(), '\n')), '\n');
                i = variables.end - 1;
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

    // TYPE NAME[...]..., ... ;
    bool read(size_t i, Variables& found) const {
        while (i < tokens_.size() && text(i) == "static") ++i;
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
        if (name == kNone || name == found.type || name + 1 > i) return false;
        for (;;) {
            Variables::One variable{name, name + 1, 0};
            for (i = variable.dimensions; is(i, '[');)
                if ((i = after_bracket(i)) == kNone) return false;
            variable.end = i;
            found.all.push_back(variable);
            if (!is(i, ',')) break;
            name = i + 1;
            if (name >= tokens_.size() || tokens_[name].kind != Kind::kWord) return false;
        }
        found.end = i;
        return is(i, ';');
    }

    std::string replaced(const Variables& variables, const Variables::One& variable,
                         bool in_function) {
        const std::string type = without_directives(variables.type, variables.all[0].name);
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
