#include "sim/compile/parameter_lists.h"

#include "sim/compile/ascendc_words.h"

namespace ptosim {

std::string parameter_names(const TokenText& text, size_t list) {
    std::string names, last;
    int depth = 0;
    bool value = false;
    const size_t end = text.after_bracket(list) - 1;
    for (size_t i = list + 1; i < end; ++i) {
        if (text.is_open(i)) ++depth;
        if (text.is_close(i)) --depth;
        if (text.is(i, ',') && depth == 0) {
            names += last + ",";
            last.clear();
            value = false;
        }
        if (text.is(i, '=') && depth == 0) value = true;
        if (text.token(i).kind == Token::Kind::kWord && depth == 0 && !value && !is_workspace_mark(text, i))
            last = text.text(i);
    }
    return names + last;
}

std::string parameter_types(const TokenText& text, size_t list) {
    std::string types;
    const size_t end = text.after_bracket(list);
    int depth = 0;  // of brackets within the list, including angles
    bool value = false;
    for (size_t i = list; i < end; ++i) {
        if (text.token(i).kind == Token::Kind::kDirective || is_workspace_mark(text, i)) continue;
        if (i > list && text.is_open(i)) ++depth;
        if (depth == 0 && text.is(i, '=')) value = true;
        if (depth == 0 && (text.is(i, ',') || i + 1 == end)) value = false;
        if (!value && i > list && text.token(i).begin != text.token(i - 1).end) types += ' ';
        if (!value) types += text.text(i);
        if (i + 1 < end && text.is_close(i)) --depth;
    }
    return types;
}

}  // namespace ptosim
