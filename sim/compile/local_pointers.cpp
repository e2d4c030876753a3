#include "sim/compile/local_pointers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/compile/token_text.h"

namespace ptosim {
namespace {

using Kind = Token::Kind;

constexpr std::string_view kLocal = "__ptosim_ubuf__";
constexpr std::string_view kRead = "::pto::ptosim_detail::read_pointer(";
constexpr std::string_view kWrite = "::pto::ptosim_detail::written_pointer(";

class LocalAccesses : TokenText {
 public:
    explicit LocalAccesses(std::string_view source) : TokenText(source, "") {}

    std::string run() {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (!is_word(i)) continue;
            if (text(i) == kLocal)
                qualifier(i);
            else if (text(i) == "template" && is(i + 1, '<'))
                template_types(i + 1);
            else if (within(aliases_, i) != nullptr)
                declared_by_alias(i);
            else if (is_word(i + 1) && is(i + 2, '[') && is(i + 3, ']') && within(template_types_, i) != nullptr)
                declare(i + 1);
        }
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (is_word(i) && text(i) == "auto")
                copied_pointer(i);
            else if (is_word(i) && (is(i + 1, '[') || is(i + 1, '.')))
                element(i);
            else if (is(i, '*') && is_unary(i))
                target(i);
        }
        return applied();
    }

 private:
    struct Edit {
        size_t begin, end;
        std::string text;
    };

    bool is_word(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Kind::kWord; }
    bool adjacent(size_t i) const { return i + 1 < tokens_.size() && tokens_[i].end == tokens_[i + 1].begin; }
    struct Scope {
        size_t begin, end;
        bool array = false;  // of pointers
    };
    using Names = std::multimap<std::string_view, Scope>;

    // The innermost declaration of the name at a token.
    const Scope* within(const Names& names, size_t i) const {
        const Scope* found = nullptr;
        const auto [first, last] = names.equal_range(text(i));
        for (auto one = first; one != last; ++one)
            if (one->second.begin < i && i < one->second.end && (found == nullptr || found->begin < one->second.begin))
                found = &one->second;
        return found;
    }
    const Scope* variable(size_t i) const {
        if (!is_word(i) || is(i - 1, '.') || is(i - 1, '>') || is(i - 1, ':')) return nullptr;
        return within(pointers_, i);
    }
    bool is_pointer(size_t i) const {
        const Scope* found = variable(i);
        return found != nullptr && !found->array;
    }
    // The token after ARRAY[index], which is a pointer; kNone for other names.
    size_t after_pointer_of_array(size_t i) const {
        const Scope* found = variable(i);
        return found != nullptr && found->array && is(i + 1, '[') ? after_bracket(i + 1) : kNone;
    }
    void declare(size_t name) { pointers_.insert({text(name), {name, end_of_scope(name), is(name + 1, '[')}}); }
    // The end of the block that declares a variable; for a parameter, of the body.
    size_t end_of_scope(size_t name) const {
        int braces = 0, brackets = 0;
        bool parameter = false;
        for (size_t i = name; i < tokens_.size(); ++i) {
            if (is(i, '(')) ++brackets;
            if (is(i, ')') && --brackets < 0) parameter = true;
            if (is(i, '{')) ++braces;
            if (is(i, '}') && (--braces < 0 || (parameter && braces == 0))) return i;
            if (is(i, ';') && parameter && braces == 0) return i;  // a declaration without body
        }
        return tokens_.size();
    }

    // The '*' of the type with this qualifier: __ubuf__ T*, T __ubuf__*. kNone: no pointer.
    size_t star_after(size_t i) const {
        for (++i; i < tokens_.size(); ++i) {
            if (is(i, '*')) return i;
            if (is(i, '<')) {
                i = after_angle(i) - 1;
                if (i == kNone - 1) return kNone;
            } else if (!is_word(i) && !is(i, ':')) {
                return kNone;
            }
        }
        return kNone;
    }
    size_t after_angle(size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            if (is(i, '<')) ++depth;
            if (is(i, '>') && --depth == 0) return i + 1;
            if (is(i, ';') || is(i, '{')) return kNone;
        }
        return kNone;
    }

    // Removes the word, and finds the name of the pointer whose type or initial value has it.
    void qualifier(size_t i) {
        edits_.push_back({tokens_[i].begin, tokens_[i].end, ""});
        const size_t star = star_after(i);
        if (star == kNone) return;
        size_t name = star + 1;
        while (is_word(name) && (text(name) == "const" || text(name).starts_with("__restrict"))) ++name;
        if (is_word(name)) {
            if (is_word(i - 1) && text(i - 1) == "typedef") return declare_alias(name);
            if (!is(name + 1, '(')) declare(name);
            return;
        }
        if (is(i - 1, '=') && is_word(i - 2) && is_word(i - 3) && text(i - 3) == "using") return declare_alias(i - 2);
        // A cast: auto NAME = (__ubuf__ T*)..., or reinterpret_cast<__ubuf__ T*>(...).
        size_t open = i;
        while (open > 0 && !is(open, '(') && !is(open, '<') && !is(open, ';')) --open;
        casts_.insert(is(open, '<') ? open - 1 : open);
        const size_t before = is(open, '<') ? open - 2 : open - 1;
        if (open > 3 && is(before, '=') && is_word(before - 1)) {
            const size_t type = is(before - 2, '*') ? before - 3 : before - 2;
            if (is_word(type) && text(type) == "auto") declare(before - 1);
        }
    }

    // The token after an operand that ends in .data(): tile.data(), tiles[i].data(). kNone for others, for the middle of
    // such an operand, and in the system's headers.
    size_t after_data(size_t i) const {
        if (!is_word(i) || (i > 0 && (is(i - 1, '.') || is(i - 1, '>') || is(i - 1, ':')))) return kNone;
        for (size_t at = i + 1; at != kNone && at + 1 < tokens_.size();) {
            if (is(at, '[')) {
                at = after_bracket(at);
            } else if (is(at, '.') && is_word(at + 1)) {
                if (text(at + 1) == "data" && is(at + 2, '(') && is(at + 3, ')'))
                    return source_line(tokens_[i].begin).file.starts_with("/usr/") ? kNone : at + 4;
                at += 2;
            } else {
                return kNone;
            }
        }
        return kNone;
    }

    void declare_alias(size_t name) { aliases_.insert({text(name), {name, end_of_scope(name)}}); }
    // NAME p, NAME<T> p, NAME p[], (NAME)address
    void declared_by_alias(size_t i) {
        size_t name = is(i + 1, '<') ? after_angle(i + 1) : i + 1;
        if (is(i - 1, '(') && is(name, ')')) casts_.insert(i - 1);
        while (is_word(name) && text(name) == "const") ++name;
        if (is_word(name) && !is(name + 1, '(')) declare(name);
    }
    // The types that may be pointers to UB in the declaration after template <...>.
    void template_types(size_t open) {
        const size_t body = after_angle(open);
        if (body == kNone) return;
        size_t end = body;
        while (end < tokens_.size() && !is(end, '{') && !is(end, ';'))
            end = is(end, '(') ? after_bracket(end) : end + 1;
        if (is(end, '{')) end = after_bracket(end);
        for (size_t i = open + 1; i + 1 < body; ++i)
            if (is_word(i) && (text(i) == "typename" || text(i) == "class") && is_word(i + 1))
                template_types_.insert({text(i + 1), {body - 1, end}});
    }
    // auto NAME = p + ..., auto NAME = ARRAY[index], auto NAME = tile.data()
    void copied_pointer(size_t i) {
        const size_t name = is(i + 1, '*') ? i + 2 : i + 1, value = name + 2;
        if (!is_word(name) || !is(name + 1, '=')) return;
        size_t end = is_pointer(value) ? value + 1 : after_pointer_of_array(value);
        if (end == kNone) end = after_data(value);
        if (is(end, ';') || is(end, '+') || is(end, '-')) declare(name);
    }

    // True if the '*' has no left operand.
    bool is_unary(size_t i) const {
        if (i == 0) return false;
        if (is_word(i - 1)) return text(i - 1) == "return";
        constexpr std::string_view kBefore = "=(,;{}+-/%&|!<?:[";
        return tokens_[i - 1].kind == Kind::kSign && kBefore.find(source_[tokens_[i - 1].begin]) != kBefore.npos;
    }

    // p[i], ARRAY[index][i], tile.data()[i]
    void element(size_t i) {
        const bool logical = i > 1 && is(i - 1, '&') && is(i - 2, '&') && adjacent(i - 2);
        if (i > 0 && is(i - 1, '&') && !logical && is_unary(i - 1)) return;
        size_t index = is_pointer(i) ? i + 1 : after_pointer_of_array(i);
        if (index == kNone) index = after_data(i);
        const size_t end = is(index, '[') ? after_bracket(index) : kNone;
        if (end != kNone) access(i, i, end, "&");
    }
    // *p, *p++, *(p + i), *ARRAY[index], *tile.data(), *((__ubuf__ T*)address + i), *reinterpret_cast<__ubuf__ T*>(address)
    void target(size_t star) {
        size_t first = star + 1;
        if (is_pointer(first)) {
            size_t end = first + 1;
            if (is(end, '[') || is(end, '(') || is(end, '.')) return;
            if (is_step(end)) end += 2;
            return access(star, first, end, "");
        }
        for (const size_t end : {after_pointer_of_array(first), after_data(first)})
            if (end != kNone) return access(star, first, end, "");
        const bool named = casts_.contains(first) && is_word(first);
        const size_t open = named ? after_angle(first + 1) : first;
        if (open == kNone || !is(open, '(')) return;
        size_t inner = open + 1;
        while (is(inner, '(') && !casts_.contains(inner)) ++inner;
        const bool pointer =
            is_pointer(inner) || after_pointer_of_array(inner) != kNone || after_data(inner) != kNone;
        if (!named && !pointer && !casts_.contains(inner) && !casts_.contains(open)) return;
        size_t end = after_bracket(open);
        if (end == kNone) return;
        if (!named && casts_.contains(open)) end = after_operand(end);  // *(__ubuf__ T*)address
        if (end != kNone) access(star, first, end, "");
    }
    size_t after_operand(size_t i) const {
        if (is(i, '(')) return after_bracket(i);
        if (!is_word(i)) return kNone;
        return is(i + 1, '(') || is(i + 1, '[') ? after_bracket(i + 1) : i + 1;
    }

    // Replaces tokens [begin, first) by the begin of a call whose argument is [first, end).
    void access(size_t begin, size_t first, size_t end, std::string_view address) {
        if (is(end, '.') || is(end, '[')) return;
        size_t before = begin, after = end;  // of (*p) = 1
        while (before > 1 && is(before - 1, '(') && is(after, ')') && !is_word(before - 2)) --before, ++after;
        const bool writes = is_assignment(after) || (before > 1 && is_step(before - 2)) || is_step(after);
        std::string call(writes ? kWrite : kRead);
        edits_.push_back({tokens_[begin].begin, tokens_[first].begin, call.append(address)});
        edits_.push_back({tokens_[end - 1].end, tokens_[end - 1].end, ")"});
    }
    bool is_step(size_t i) const {
        return adjacent(i) && ((is(i, '+') && is(i + 1, '+')) || (is(i, '-') && is(i + 1, '-')));
    }
    bool is_assignment(size_t i) const {
        if (is(i, '=')) return !(adjacent(i) && is(i + 1, '='));
        if (is_triple(i, '<') || !adjacent(i)) return false;
        constexpr std::string_view kSigns = "+-*/%&|^";
        if (tokens_[i].kind == Kind::kSign && kSigns.find(source_[tokens_[i].begin]) != kSigns.npos)
            return is(i + 1, '=');
        const bool shift = (is(i, '<') && is(i + 1, '<')) || (is(i, '>') && is(i + 1, '>'));
        return shift && adjacent(i + 1) && is(i + 2, '=');
    }

    std::string applied() {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
        std::string made;
        size_t done = 0;
        for (const Edit& edit : edits_) {
            if (edit.begin < done) continue;
            made.append(source_, done, edit.begin - done).append(edit.text);
            done = edit.end;
        }
        return made.append(source_, done);
    }

    Names pointers_;
    Names aliases_;         // of types of pointers to UB
    Names template_types_;  // which may be such types
    std::set<size_t> casts_;  // their first tokens
    std::vector<Edit> edits_;
};

}  // namespace

std::string with_local_accesses(std::string text) {
    if (text.find(kLocal) == text.npos && text.find(".data()") == text.npos) return text;
    return LocalAccesses(text).run();
}

}  // namespace ptosim
