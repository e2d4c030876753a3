// Operations in their general form: named clauses, operand lists, dictionaries and types, in any
// order that a custom syntax of the dialect puts them in.
#include "isa/assembly/syntax/parser_state.h"

namespace ptosim::assembly {

namespace {

// Operations whose '{' opens a region. For all others a '{' whose content looks like a
// dictionary is one.
constexpr std::string_view kRegionOperations[] = {
    "pto.section.cube", "pto.section.vector",  "pto.section.simt",
    "pto.vecscope",     "pto.strict_vecscope", "pto.fusion_region",
};

}  // namespace

bool Parser::takes_regions(std::string_view name) const {
    for (std::string_view candidate : kRegionOperations)
        if (name == candidate) return true;
    return false;
}

// At '{': a dictionary begins with a key, a region with an operation.
bool Parser::is_dictionary() const {
    const TokenKind first = ahead(1).kind;
    const TokenKind second = ahead(2).kind;
    if (first == TokenKind::kRightBrace) return true;
    if (first != TokenKind::kWord && first != TokenKind::kString) return false;
    return second == TokenKind::kEqual || second == TokenKind::kComma ||
           second == TokenKind::kRightBrace;
}

bool Parser::ends_operation(const Parts& parts) const {
    switch (now().kind) {
        case TokenKind::kEnd:
        case TokenKind::kRightBrace:
            return true;
        case TokenKind::kAttribute:
        case TokenKind::kType:
            return ahead(1).kind == TokenKind::kEqual;  // an alias follows
        case TokenKind::kBlock:
            return !parts.after_comma && now().starts_line && begins_label();
        default:
            return begins_operation();
    }
}

void Parser::generic_tail(Operation& op, bool quoted) {
    Parts parts;
    while (
        !(is(TokenKind::kWord) && text(now()) == "loc" && ahead(1).kind == TokenKind::kLeftParen)) {
        if (ends_operation(parts)) break;
        piece(op, parts, quoted);
    }
    if (parts.after_comma) fail_expected("an operand after ','");
    finish(op, parts);
    location_suffix(op);
}

void Parser::finish(Operation& op, Parts& parts) {
    flush_plain(parts);
    op.clauses = module_.arena.copy(parts.clauses);
    op.attributes = module_.arena.copy(parts.attributes);
    op.types = module_.arena.copy(parts.types);
    op.result_types = module_.arena.copy(parts.result_types);
    op.regions = module_.arena.copy(parts.regions);
}

void Parser::flush_plain(Parts& parts) {
    if (parts.plain.empty()) return;
    Clause clause;
    clause.location = parts.plain_location;
    clause.items = module_.arena.copy(parts.plain);
    parts.clauses.push_back(clause);
    parts.plain.clear();
}

void Parser::plain_item(Parts& parts, Item item) {
    if (parts.plain.empty()) parts.plain_location = item.location;
    parts.plain.push_back(item);
    parts.after_comma = parts.after_name = false;
}

Item Parser::value_item() {
    Item item;
    item.location = here();
    const std::string_view name = text(expect(TokenKind::kValue, "a value such as '%x'")).substr(1);
    const size_t mark = name.find('#');
    item.text = name.substr(0, mark);
    if (mark != std::string_view::npos) {
        const std::string_view number = name.substr(mark + 1);
        if (number.size() > 4)
            fail_at(tokens_[at_ - 1].begin, "a result number must lie in 0..9999");
        item.result = static_cast<uint16_t>(std::stoi(std::string(number)));
    }
    return item;
}

bool Parser::begins_attribute_item() const {
    switch (now().kind) {
        case TokenKind::kInteger:
        case TokenKind::kFloat:
        case TokenKind::kString:
        case TokenKind::kSymbol:
        case TokenKind::kAttribute:
        case TokenKind::kType:
        case TokenKind::kParametric:
        case TokenKind::kAngle:
            return true;
        case TokenKind::kWord:
            return is_word("true") || is_word("false");
        default:
            return false;
    }
}

Item Parser::attribute_item() {
    Item item;
    item.kind = Item::Kind::kAttribute;
    item.location = here();
    item.attribute = attribute();
    item.text = item.attribute->text;
    return item;
}

// One piece of an operation outside of all brackets.
void Parser::piece(Operation& op, Parts& parts, bool quoted) {
    const Token& token = now();
    switch (token.kind) {
        case TokenKind::kComma:
            if (parts.after_comma || parts.after_name) fail("unexpected ','");
            take();
            parts.after_comma = true;
            return;
        case TokenKind::kValue: {
            const bool adjoining = !parts.plain.empty() && !parts.after_comma;
            if (adjoining && parts.plain.back().kind == Item::Kind::kValue)
                fail("expected ',' before " + found());
            return plain_item(parts, value_item());
        }
        case TokenKind::kWord:
            if (is_word("true") || is_word("false")) return plain_item(parts, attribute_item());
            return word_piece(parts);
        case TokenKind::kSymbol:
            if (op.symbol.empty()) {
                op.symbol = symbol();
                parts.after_comma = parts.after_name = false;
                return;
            }
            return plain_item(parts, attribute_item());
        case TokenKind::kBlock: {
            Item item;
            item.kind = Item::Kind::kBlock;
            item.location = here();
            item.text = text(take()).substr(1);
            return plain_item(parts, item);
        }
        case TokenKind::kLeftParen:
            flush_plain(parts);
            parts.after_comma = parts.after_name = false;
            if (quoted && ahead(1).kind == TokenKind::kLeftBrace) {
                take();
                do parts.regions.push_back(region());
                while (take_if(TokenKind::kComma));
                expect(TokenKind::kRightParen, "')' after the regions");
                return;
            }
            return group(parts, "(", here(), -1);
        case TokenKind::kLeftBracket:
            flush_plain(parts);
            parts.after_comma = parts.after_name = false;
            return group(parts, "[", here(), -1);
        case TokenKind::kLeftBrace:
            return brace_piece(op, parts);
        case TokenKind::kLess: {  // <{...}>
            take();
            for (const NamedAttribute& entry : dictionary()) parts.attributes.push_back(entry);
            expect(TokenKind::kGreater, "'>' after the properties");
            return;
        }
        case TokenKind::kColon:
            return colon_piece(parts);
        case TokenKind::kArrow:
            flush_plain(parts);
            take();
            parts.after_comma = parts.after_name = false;
            return result_type_list(parts.result_types);
        default:
            if (begins_attribute_item()) return plain_item(parts, attribute_item());
            fail_expected("an operand, an attribute or the next operation");
    }
}

void Parser::brace_piece(const Operation& op, Parts& parts) {
    if (parts.after_comma) fail_expected("an operand after ','");
    flush_plain(parts);
    parts.after_name = false;
    const bool first = parts.regions.empty();
    if ((takes_regions(op.name) && first) || !is_dictionary()) {
        if (!takes_regions(op.name) && op.name.starts_with("pto.t"))
            fail_expected("a dictionary such as {key = value}");
        parts.regions.push_back(region());
        return;
    }
    for (const NamedAttribute& entry : dictionary()) parts.attributes.push_back(entry);
}

void Parser::colon_piece(Parts& parts) {
    if (parts.after_comma) fail_expected("an operand after ','");
    flush_plain(parts);
    take();
    parts.after_name = false;
    if (is(TokenKind::kLeftParen)) return function_type(parts.types, parts.result_types);
    type_list(parts.types);
    if (take_word("to")) parts.result_types.push_back(type());
}

// A word outside of all brackets names a clause, is a flag, or belongs to an operand list (`slt`).
void Parser::word_piece(Parts& parts) {
    const SourceLocation where = here();
    const Token& token = now();
    const std::string_view word = text(take());
    const bool in_list = parts.after_comma || parts.after_name;
    if (token.starts_line && !in_list && (now().starts_line || is(TokenKind::kEnd)))
        fail_at(token.begin, "'" + std::string(word) + "' is not an operation");
    if (is(TokenKind::kComma) && in_list) {
        Item item;
        item.kind = Item::Kind::kWord;
        item.location = where;
        item.text = word;
        return plain_item(parts, item);
    }
    flush_plain(parts);
    parts.after_comma = parts.after_name = false;
    if (word == "attributes" && is(TokenKind::kLeftBrace)) {
        for (const NamedAttribute& entry : dictionary()) parts.attributes.push_back(entry);
        return;
    }
    const bool equal = take_if(TokenKind::kEqual);
    // memref.reinterpret_cast writes `offset: [0]`.
    if (!equal && is(TokenKind::kColon) && ahead(1).kind == TokenKind::kLeftBracket) take();
    if (is(TokenKind::kLeftParen) || is(TokenKind::kLeftBracket))
        return group(parts, word, where, -1);
    Clause clause;
    clause.name = word;
    clause.location = where;
    if (is(TokenKind::kValue) && (equal || !begins_results(at_)))
        clause.items = module_.arena.copy(std::vector<Item>{value_item()});
    else if (begins_attribute_item() || (equal && is(TokenKind::kWord)))
        clause.items = module_.arena.copy(std::vector<Item>{attribute_item()});
    else if (equal)
        fail_expected("a value after '" + std::string(word) + " ='");
    parts.clauses.push_back(clause);
}

// A word inside of brackets: `buf(%a)`, `fp %x`, `mode = v`, or just a word.
void Parser::group_word(Parts& parts, int self, std::vector<Item>& items,
                        std::vector<const Type*>& types) {
    const SourceLocation where = here();
    const std::string_view word = text(take());
    const bool equal = take_if(TokenKind::kEqual);
    if (is(TokenKind::kLeftParen) || is(TokenKind::kLeftBracket))
        return group(parts, word, where, self);
    if (!equal && !is(TokenKind::kValue)) {
        Item item;
        item.kind = Item::Kind::kWord;
        item.location = where;
        item.text = word;
        items.push_back(item);
        return;
    }
    Clause clause;
    clause.name = word;
    clause.location = where;
    clause.parent = static_cast<int16_t>(self);
    clause.items = module_.arena.copy(
        std::vector<Item>{is(TokenKind::kValue) ? value_item() : attribute_item()});
    if (take_if(TokenKind::kColon)) {
        const Type* given = type();
        types.push_back(given);
        clause.types = module_.arena.copy(std::vector<const Type*>{given});
    }
    parts.clauses.push_back(clause);
}

void Parser::fail_unclosed(uint32_t open) {
    const bool round = module_.text[open] == '(';
    const uint32_t offset = now().begin;
    const std::string what = found();
    if (is(TokenKind::kInvalid)) fail_expected("an operand");
    // A '}' in the middle of a line was meant to be the missing bracket, not the block's end.
    if (is(TokenKind::kRightBrace) && !now().starts_line) take();
    fail_at(offset, std::string("expected '") + (round ? ')' : ']') + "' to close '" +
                        module_.text[open] + "' of line " +
                        std::to_string(lines_.locate(open).line) + ", found " + what);
}

// `( ... )` or `[ ... ]`: values, words, attributes and dictionaries, then ':' and types; after
// the types' comma values may go on (`%a : T, %b : T`).
void Parser::group(Parts& parts, std::string_view name, SourceLocation where, int parent) {
    const Nested nested(*this);
    const uint32_t open = now().begin;
    const TokenKind close =
        take().kind == TokenKind::kLeftParen ? TokenKind::kRightParen : TokenKind::kRightBracket;
    const int self = static_cast<int>(parts.clauses.size());
    if (self > 1000) fail("an operation has at most 1000 clauses");
    parts.clauses.emplace_back();
    std::vector<Item> items;
    std::vector<const Type*> types;
    std::vector<NamedAttribute> attributes;
    bool after_comma = false, first = true, after_value = false;
    while (!is(close)) {
        const bool was_value = std::exchange(after_value, false);
        switch (now().kind) {
            case TokenKind::kEnd:
                fail_at(open, std::string("this '") + module_.text[open] + "' is never closed");
            case TokenKind::kComma:
                if (after_comma || first) fail("unexpected ','");
                take();
                after_comma = true;
                continue;
            case TokenKind::kValue:
                if (was_value) fail("expected ',' before " + found());
                items.push_back(value_item());
                after_value = true;
                break;
            case TokenKind::kLeftBrace:
                for (const NamedAttribute& entry : dictionary()) attributes.push_back(entry);
                break;
            case TokenKind::kColon:
                if (after_comma) fail_expected("an operand after ','");
                take();
                type_list(types);
                break;
            case TokenKind::kArrow:
                take();
                type_list(types);
                break;
            case TokenKind::kLeftParen:
            case TokenKind::kLeftBracket:
                group(parts, text(now()), here(), self);
                break;
            default:
                if (begins_attribute_item()) {
                    if (close == TokenKind::kRightBracket && !after_comma && !items.empty())
                        fail("expected ',' before " + found());
                    items.push_back(attribute_item());
                } else if (is(TokenKind::kWord) && text(now()).find('.') == std::string_view::npos)
                    group_word(parts, self, items, types);
                else
                    fail_unclosed(open);
        }
        after_comma = first = false;
    }
    if (after_comma) fail_expected("an operand after ','");
    take();
    Clause& clause = parts.clauses[self];
    clause.name = name;
    clause.location = where;
    clause.parent = static_cast<int16_t>(parent);
    clause.items = module_.arena.copy(items);
    clause.types = module_.arena.copy(types);
    clause.attributes = module_.arena.copy(attributes);
}

}  // namespace ptosim::assembly
