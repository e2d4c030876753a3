// Attributes and types.
#include <algorithm>
#include <charconv>

#include "isa/assembly/syntax/parser_state.h"

namespace ptosim::assembly {

namespace {

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if ((c | 32) >= 'a' && (c | 32) <= 'f') return (c | 32) - 'a' + 10;
    return -1;
}

}  // namespace

// Strings keep MLIR's escapes: \" \\ \n \t and two hexadecimal digits.
std::string_view Parser::unescape(std::string_view quoted) {
    const std::string_view raw = quoted.substr(1, quoted.size() - 2);
    if (raw.find('\\') == std::string_view::npos) return raw;
    std::string plain;
    for (size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\' || i + 1 == raw.size()) {
            plain += raw[i];
            continue;
        }
        const char c = raw[++i];
        const int high = hex_digit(c), low = i + 1 < raw.size() ? hex_digit(raw[i + 1]) : -1;
        if (c == 'n' || c == 't') {
            plain += c == 'n' ? '\n' : '\t';
        } else if (high >= 0 && low >= 0) {
            plain += static_cast<char>(high * 16 + low);
            ++i;
        } else {
            plain += c;
        }
    }
    return module_.arena.copy(std::string_view(plain));
}

// @name, @"name" or @module::@name; the last name counts.
std::string_view Parser::symbol() {
    std::string_view name = text(expect(TokenKind::kSymbol, "a symbol such as '@name'")).substr(1);
    while (take_if(TokenKind::kDoubleColon))
        name = text(expect(TokenKind::kSymbol, "a symbol after '::'")).substr(1);
    return name.starts_with('"') ? unescape(name) : name;
}

std::vector<NamedAttribute> Parser::dictionary() {
    const Nested nested(*this);
    std::vector<NamedAttribute> entries;
    const uint32_t open = now().begin;
    expect(TokenKind::kLeftBrace, "'{' of a dictionary");
    while (!is(TokenKind::kRightBrace)) {
        NamedAttribute entry;
        entry.location = here();
        if (is(TokenKind::kEnd)) fail_at(open, "this '{' is never closed");
        if (is(TokenKind::kString))
            entry.name = unescape(text(take()));
        else
            entry.name = text(expect(TokenKind::kWord, "an attribute's name"));
        if (take_if(TokenKind::kEqual)) {
            entry.value = attribute();
        } else {
            Attribute unit;
            unit.location = entry.location;
            entry.value = module_.arena.make(unit);
        }
        entries.push_back(entry);
        if (!take_if(TokenKind::kComma)) break;
    }
    if (!is(TokenKind::kRightBrace)) fail_expected("',' or '}' after an attribute");
    take();
    return entries;
}

Attribute Parser::number() {
    Attribute result;
    const Token& token = take();
    result.text = text(token);
    const char* begin = result.text.data();
    const char* end = begin + result.text.size();
    if (token.kind == TokenKind::kFloat) {
        result.kind = AttributeKind::kFloat;
        const auto [stop, error] = std::from_chars(begin, end, result.floating);
        // Out of range means overflow or underflow, which rounding decides later.
        if (error == std::errc::invalid_argument || stop != end)
            fail_at(token.begin, "malformed number '" + std::string(result.text) + "'");
    } else {
        result.kind = AttributeKind::kInteger;
        const bool negative = *begin == '-';
        if (negative) ++begin;
        const bool hex = end - begin > 2 && begin[0] == '0' && (begin[1] | 32) == 'x';
        if (hex) begin += 2;
        uint64_t magnitude = 0;
        const auto [stop, error] = std::from_chars(begin, end, magnitude, hex ? 16 : 10);
        // -2^63 is the smallest; unsigned 64-bit values keep their bits.
        if (error != std::errc() || stop != end || (negative && magnitude > uint64_t{1} << 63))
            fail_at(token.begin, "'" + std::string(result.text) + "' does not fit into 64 bits");
        result.integer = static_cast<int64_t>(negative ? -magnitude : magnitude);
    }
    return result;
}

// The inside of <...>: "eq", "round_mode ROUND", "layout = nz2nd, ...".
Attribute Parser::angle_attribute(const Token& token, std::string_view family,
                                  std::string_view content) {
    Attribute result;
    result.kind = AttributeKind::kEnum;
    result.location = lines_.locate(token.begin);
    result.family = family;
    result.text = trim(content);
    return result;
}

// #pto.layout<nd>, #pto<cmp eq>, #alias
Attribute Parser::dialect_attribute(const Token& token) {
    const std::string_view whole = text(token);
    const size_t open = whole.find('<');
    if (open == std::string_view::npos) {
        const auto alias = attribute_aliases_.find(whole);
        if (alias != attribute_aliases_.end()) return *alias->second;
        if (whole.find('.') == std::string_view::npos)
            fail_at(token.begin, "undefined attribute alias '" + std::string(whole) + "'");
        Attribute opaque;
        opaque.kind = AttributeKind::kOpaque;
        opaque.text = whole;
        return opaque;
    }
    const std::string_view name = whole.substr(1, open - 1);
    const std::string_view content = trim(whole.substr(open + 1, whole.size() - open - 2));
    if (const size_t dot = name.find('.'); dot != std::string_view::npos)
        return angle_attribute(token, name.substr(dot + 1), content);
    // #pto<cmp eq>: the first word is the enumeration's name. Nothing else has a word and a blank
    // at its start, so parameters of other attributes stay whole.
    const size_t blank = content.find_first_of(" \t\r\n<");
    if (blank == std::string_view::npos) return angle_attribute(token, {}, content);
    const std::string_view family = content.substr(0, blank);
    std::string_view value = trim(content.substr(blank));
    if (value.starts_with('<') && value.ends_with('>')) value = value.substr(1, value.size() - 2);
    return angle_attribute(token, family, value);
}

const Attribute* Parser::attribute() {
    const Nested nested(*this);
    Attribute result;
    const SourceLocation where = here();
    switch (now().kind) {
        case TokenKind::kInteger:
        case TokenKind::kFloat:
            result = number();
            if (is(TokenKind::kColon) && nesting_ > 0) {
                // `5 : i32`; in operand lists the ':' belongs to the operation.
                const size_t mark = at_;
                take();
                if (is(TokenKind::kWord) && begins_type())
                    result.type = type();
                else
                    at_ = mark;
            }
            break;
        case TokenKind::kString:
            result.kind = AttributeKind::kString;
            result.text = unescape(text(take()));
            break;
        case TokenKind::kSymbol:
            result.kind = AttributeKind::kSymbol;
            result.text = symbol();
            break;
        case TokenKind::kAttribute:
            result = dialect_attribute(take());
            break;
        case TokenKind::kAngle: {
            const Token& token = take();
            const std::string_view whole = text(token);
            result = angle_attribute(token, {}, whole.substr(1, whole.size() - 2));
            break;
        }
        case TokenKind::kLeftBracket: {
            result.kind = AttributeKind::kArray;
            std::vector<const Attribute*> elements;
            const uint32_t open = take().begin;
            while (!is(TokenKind::kRightBracket)) {
                if (is(TokenKind::kEnd)) fail_at(open, "this '[' is never closed");
                elements.push_back(attribute());
                if (!take_if(TokenKind::kComma)) break;
            }
            expect(TokenKind::kRightBracket, "',' or ']' in a list of attributes");
            result.elements = module_.arena.copy(elements);
            break;
        }
        case TokenKind::kLeftBrace:
            result.kind = AttributeKind::kDictionary;
            result.entries = module_.arena.copy(dictionary());
            break;
        case TokenKind::kType:
            result.kind = AttributeKind::kType;
            result.type = type();
            result.text = result.type->text;
            break;
        case TokenKind::kParametric: {  // dense<0> : tensor<4xf32>, array<i32: 1, 2>, memref<..>
            result.kind = AttributeKind::kOpaque;
            result.text = text(take());
            const bool tensor =
                result.text.starts_with("dense") || result.text.starts_with("sparse");
            if (tensor && take_if(TokenKind::kColon)) result.type = type();
            break;
        }
        case TokenKind::kWord: {
            const std::string_view word = text(now());
            if (word == "true" || word == "false") {
                result.kind = AttributeKind::kBool;
                result.integer = word == "true";
                result.text = text(take());
            } else if (word == "unit") {
                take();
            } else if (word == "loc" && ahead(1).kind == TokenKind::kLeftParen) {
                take();
                take();
                PythonLocation ignored;
                location_body(ignored, 0);
                expect(TokenKind::kRightParen, "')' after a location");
                result.kind = AttributeKind::kOpaque;
            } else {
                result.kind = AttributeKind::kOpaque;
                result.text = text(take());
                const std::optional<Type> scalar = [&] {
                    TypeProblem problem;
                    return parse_type(result.text, problem);
                }();
                if (scalar && scalar->is_scalar()) {
                    result.kind = AttributeKind::kType;
                    result.type = module_.arena.make(*scalar);
                }
            }
            break;
        }
        default:
            fail_expected("an attribute's value");
    }
    result.location = where;
    return module_.arena.make(result);
}

bool Parser::begins_type() const {
    switch (now().kind) {
        case TokenKind::kType:
        case TokenKind::kParametric:
        case TokenKind::kAngle:
        case TokenKind::kLeftParen:
            return true;
        case TokenKind::kWord: {
            const std::string_view word = text(now());
            return word.find('.') == std::string_view::npos && word != "loc" && word != "to" &&
                   word != "return" && word != "call";
        }
        default:
            return false;
    }
}

// The text of a type with the texts of the aliases in it; empty if it has none, or one that is
// unknown.
std::string Parser::without_aliases(std::string_view spelled) const {
    std::string text;
    size_t from = 0;
    for (size_t at = spelled.find('!', 1); at != std::string_view::npos;
         at = spelled.find('!', at + 1)) {
        const size_t end = spelled.find_first_of("<>, ", at);
        const std::string_view name = spelled.substr(at, end - at);
        const auto alias = type_aliases_.find(name);
        if (alias == type_aliases_.end()) continue;
        text += std::string(spelled.substr(from, at - from)) + std::string(alias->second->text);
        from = at + name.size();
    }
    return from == 0 ? std::string() : text + std::string(spelled.substr(from));
}

const Type* Parser::intern(std::string_view spelled, uint32_t offset) {
    if (const auto alias = types_.find(spelled); alias != types_.end()) return alias->second;
    TypeProblem problem;
    std::string_view whole = spelled;
    if (const std::string text = without_aliases(spelled); !text.empty()) {
        const std::span<const char> kept =
            module_.arena.copy(std::vector<char>(text.begin(), text.end()));
        whole = {kept.data(), kept.size()};
    }
    const std::optional<Type> parsed = parse_type(whole, problem);
    if (!parsed)
        fail_at(offset + static_cast<uint32_t>(problem.offset), problem.message, problem.hint);
    const Type* kept = module_.arena.make(*parsed);
    types_.emplace(spelled, kept);
    return kept;
}

const Type* Parser::type() {
    if (!begins_type()) fail_expected("a type such as 'index' or '!pto.ptr<f32>'");
    if (is(TokenKind::kLeftParen)) {  // a function type inside a list of types: it is skipped
        const Nested nested(*this);
        std::vector<const Type*> unused;
        function_type(unused, unused);
        Type opaque;
        opaque.text = "function";
        return module_.arena.make(opaque);
    }
    const Token& token = take();
    const std::string_view spelled = text(token);
    if (token.kind == TokenKind::kType && spelled.find('<') == std::string_view::npos) {
        const auto alias = type_aliases_.find(spelled);
        if (alias != type_aliases_.end()) return alias->second;
        if (spelled.find('.') == std::string_view::npos) {
            Type opaque;
            opaque.text = spelled;
            if (std::find(broken_aliases_.begin(), broken_aliases_.end(), spelled) !=
                broken_aliases_.end())
                return module_.arena.make(opaque);
            std::vector<std::string_view> accepted;
            for (const auto& [name, type] : type_aliases_) accepted.push_back(name);
            std::sort(accepted.begin(), accepted.end());
            const std::string near = closest(spelled, accepted);
            fail_at(token.begin, "undefined type alias '" + std::string(spelled) + "'",
                    near.empty() ? "" : "did you mean '" + near + "'?");
        }
    }
    const Type* const found = intern(spelled, token.begin);
    if (found->kind == TypeKind::kOpaque) check_type_name(spelled, token.begin);
    return found;
}

// An unknown type of the dialect whose name is close to a known one.
void Parser::check_type_name(std::string_view spelled, uint32_t begin) {
    static const std::vector<std::string_view> kKnown = {"ptr",
                                                         "tensor_view",
                                                         "partition_tensor_view",
                                                         "tile_view",
                                                         "tile_buf",
                                                         "multi_tile_buf",
                                                         "local_array",
                                                         "eventid_array",
                                                         "struct",
                                                         "pipe",
                                                         "async_session",
                                                         "async_event",
                                                         "prefetch_async_context",
                                                         "vreg",
                                                         "mask",
                                                         "align",
                                                         "tile",
                                                         "hif8",
                                                         "hif8x2",
                                                         "bf16x2",
                                                         "f4E1M2x2",
                                                         "f4E2M1x2",
                                                         "f8E8M0"};
    constexpr std::string_view kDialect = "!pto.";
    if (!spelled.starts_with(kDialect)) return;
    const std::string_view word =
        spelled.substr(kDialect.size(), spelled.find('<') - kDialect.size());
    if (word.find('.') != word.npos ||
        std::find(kKnown.begin(), kKnown.end(), word) != kKnown.end())
        return;
    if (const std::string near = closest(word, kKnown); !near.empty())
        fail_at(begin, "unknown type '!pto." + std::string(word) + "'",
                "did you mean '!pto." + near + "'?");
}

// Types separated by commas. A comma that no type follows stays for the caller.
void Parser::type_list(std::vector<const Type*>& types) {
    types.push_back(type());
    while (is(TokenKind::kComma)) {
        const size_t mark = at_;
        take();
        if (!begins_type() || (is(TokenKind::kWord) && ahead(1).kind == TokenKind::kEqual)) {
            at_ = mark;
            return;
        }
        types.push_back(type());
    }
}

// One type, or types in parentheses, or (as some custom syntaxes print) types with commas.
void Parser::result_type_list(std::vector<const Type*>& types) {
    if (!is(TokenKind::kLeftParen)) return type_list(types);
    take();
    while (!is(TokenKind::kRightParen)) {
        types.push_back(type());
        if (is(TokenKind::kLeftBrace)) dictionary();
        if (!take_if(TokenKind::kComma)) break;
    }
    expect(TokenKind::kRightParen, "',' or ')' after a result type");
}

// (types) -> types
void Parser::function_type(std::vector<const Type*>& inputs, std::vector<const Type*>& outputs) {
    const Nested nested(*this);
    take();
    while (!is(TokenKind::kRightParen)) {
        inputs.push_back(type());
        if (!take_if(TokenKind::kComma)) break;
    }
    expect(TokenKind::kRightParen, "',' or ')' after a type");
    if (take_if(TokenKind::kArrow)) result_type_list(outputs);
}

// `!name = type` and `#name = attribute`.
void Parser::alias_definition() {
    const Token& token = take();
    const std::string_view name = text(token);
    if (name.find('<') != std::string_view::npos) fail_at(token.begin, "an alias has no '<'");
    take();
    broken_aliases_.push_back(name);
    if (token.kind == TokenKind::kType)
        type_aliases_[name] = type();
    else
        attribute_aliases_[name] = attribute();
    broken_aliases_.pop_back();
}

}  // namespace ptosim::assembly
