#include "sim/native/ascendc_words.h"

#include "sim/native/parameter_lists.h"

namespace ptosim {
namespace {

constexpr std::string_view kClearWorkspace = "clearWorkspace";

bool names_clear(const TokenText& text) { return text.source().find(kClearWorkspace) != std::string_view::npos; }

// The name of the marked parameter.
std::string workspace_of(const TokenText& text, size_t list) {
    const size_t end = text.after_bracket(list) - 1;
    bool marked = false;
    std::string last;
    for (size_t i = list + 1; i <= end; ++i) {
        if (i == end || text.is(i, ',')) {
            if (marked) return last;
            continue;
        }
        if (is_workspace_mark(text, i))
            marked = true;
        else if (text.token(i).kind == Token::Kind::kWord)
            last = text.text(i);
    }
    return {};
}

}  // namespace

bool is_workspace_mark(const TokenText& text, size_t i) {
    return text.token(i).kind == Token::Kind::kWord && text.text(i) == kWorkspaceMark;
}

std::string workspace_setup(const TokenText& text, size_t list, bool clears) {
    const std::string name = workspace_of(text, list);
    if (name.empty()) return {};
    std::string setup = " __set_kfc_workspace_addr(" + name + ");";
    if (clears && names_clear(text)) setup += " AscendC::" + std::string(kClearWorkspace) + "(" + name + ");";
    return setup + " " + name + " = AscendC::GetUserWorkspace(" + name + ");";
}

size_t function_body(const TokenText& text, size_t mark) {
    size_t i = mark + 1;
    while (i < text.size() && !text.is(i, '(') && !text.is(i, ';')) ++i;
    if (!text.is(i, '(')) return TokenText::kNone;
    size_t body = text.after_bracket(i);
    if (body == TokenText::kNone) return body;
    while (body < text.size() && text.token(body).kind == Token::Kind::kWord) ++body;  // const, noexcept
    return text.is(body, '{') ? body : TokenText::kNone;
}

ScalarFunction scalar_function_of(const TokenText& text, size_t mark) {
    size_t name = mark + 1;
    while (name < text.size() && !text.is(name, '(') && !text.is(name, ';')) ++name;
    if (!text.is(name--, '(')) return {};
    size_t list = name + 1;
    const std::string_view function = text.text(name);
    if (text.is(list + 1, ')') && text.is(list + 2, '(')) list += 2;  // operator()(index)
    if (function != "GetValue" && function != "SetValue" && function != "operator") return {};
    const size_t after = text.after_bracket(list);
    if (after == TokenText::kNone) return {};
    size_t body = after;
    while (body < text.size() && text.token(body).kind == Token::Kind::kWord) ++body;  // const
    if (!text.is(body, '{')) return {};
    const std::string names = parameter_names(text, list);
    return {body, "::pto::ptosim_detail::scalar_access(*this, " + names.substr(0, names.find(',')) +
                      (function == "SetValue" ? ", true);" : ", false);")};
}

}  // namespace ptosim
