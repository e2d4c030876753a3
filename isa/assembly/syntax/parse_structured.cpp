// Operations with regions and special syntax: module, func.func and scf.
#include "isa/assembly/syntax/parser_state.h"

namespace ptosim::assembly {

bool Parser::structured(Operation& op) {
    using Handler = void (Parser::*)(Operation&);
    static constexpr std::pair<std::string_view, Handler> kHandlers[] = {
        {"module", &Parser::module_operation},
        {"builtin.module", &Parser::module_operation},
        {"func.func", &Parser::function},
        {"scf.for", &Parser::scf_for},
        {"scf.if", &Parser::scf_if},
        {"scf.while", &Parser::scf_while},
        {"scf.index_switch", &Parser::scf_index_switch},
        {"scf.execute_region", &Parser::scf_execute_region},
    };
    for (const auto& [name, handler] : kHandlers) {
        if (op.name != name) continue;
        (this->*handler)(op);
        return true;
    }
    return false;
}

// [@name] [attributes {...}] { ... }
void Parser::module_operation(Operation& op) {
    Parts parts;
    if (is(TokenKind::kSymbol)) op.symbol = symbol();
    if (take_word("attributes")) parts.attributes = dictionary();
    if (!is(TokenKind::kLeftBrace)) fail_expected("'{' of the module");
    // After an error inside, reading continues inside: a module's body is read like a block.
    parts.regions.push_back(region());
    finish(op, parts);
    location_suffix(op);
}

std::vector<BlockArgument> Parser::function_arguments(bool has_body) {
    std::vector<BlockArgument> arguments;
    expect(TokenKind::kLeftParen, "'(' and the function's arguments");
    while (!is(TokenKind::kRightParen)) {
        BlockArgument argument;
        argument.location = here();
        if (is(TokenKind::kValue)) {
            argument.name = text(take()).substr(1);
            expect(TokenKind::kColon, "':' and the argument's type");
        } else if (has_body || !begins_type()) {
            fail_expected("an argument such as '%x: index'");
        }
        argument.type = type();
        if (is(TokenKind::kLeftBrace)) argument.attributes = module_.arena.copy(dictionary());
        Operation unused;
        location_suffix(unused);
        arguments.push_back(argument);
        if (!take_if(TokenKind::kComma)) break;
        if (is(TokenKind::kRightParen)) fail_expected("an argument after ','");
    }
    expect(TokenKind::kRightParen, "',' or ')' after a function argument");
    return arguments;
}

// [private|public] @name(%a: type, ...) [-> types] [attributes {...}] [{ ... }]
//
// The arguments belong to the first block; a declaration has one block without operations.
void Parser::function(Operation& op) {
    Parts parts;
    bool is_private = false;
    for (const std::string_view word : {"private", "public", "nested"}) {
        if (is_word(word)) is_private = word == "private";
        take_word(word);
    }
    if (!is(TokenKind::kSymbol)) fail_expected("the function's name such as '@kernel'");
    op.symbol = symbol();
    const bool named = ahead(1).kind == TokenKind::kValue;
    const std::span<const BlockArgument> arguments = module_.arena.copy(function_arguments(named));
    if (take_if(TokenKind::kArrow)) result_type_list(parts.result_types);
    for (const Type* type : parts.result_types)
        if (type->text.starts_with("!pto.struct<"))
            fail("a stack-local struct must not be returned");
    if (take_word("attributes")) parts.attributes = dictionary();
    if (is_private) {
        Attribute visibility;
        visibility.kind = AttributeKind::kString;
        visibility.text = "private";
        visibility.location = op.location;
        parts.attributes.push_back({"sym_visibility", op.location, module_.arena.make(visibility)});
    }
    if (is(TokenKind::kLeftBrace)) {
        Region body = region(arguments);
        // An empty body is a block without operations, so that functions always have one.
        if (body.blocks.empty()) {
            Block empty;
            empty.location = body.location;
            body.blocks = module_.arena.copy(std::vector<Block>{empty});
        }
        parts.regions.push_back(body);
    } else {
        if (named && !is(TokenKind::kRightBrace) && !is(TokenKind::kEnd) && !begins_operation())
            fail_expected("'{' of the function's body");
        Block declaration;
        declaration.location = op.location;
        declaration.arguments = arguments;
        Region region;
        region.location = op.location;
        region.blocks = module_.arena.copy(std::vector<Block>{declaration});
        parts.regions.push_back(region);
        op.is_declaration = true;
    }
    finish(op, parts);
    location_suffix(op);
}

void Parser::single_value(Parts& parts, std::string_view name) {
    Clause clause;
    clause.name = name;
    clause.location = here();
    clause.items = module_.arena.copy(std::vector<Item>{value_item()});
    parts.clauses.push_back(clause);
}

// (%a = %x, %b = %y): names go to `arguments`, values to a clause.
void Parser::initial_values(Parts& parts, std::vector<BlockArgument>& arguments,
                            std::string_view name) {
    Clause clause;
    clause.name = name;
    clause.location = here();
    std::vector<Item> values;
    expect(TokenKind::kLeftParen, "'(' and initial values");
    while (!is(TokenKind::kRightParen)) {
        BlockArgument argument;
        argument.location = here();
        argument.name = text(expect(TokenKind::kValue, "a loop value such as '%x'")).substr(1);
        expect(TokenKind::kEqual, "'=' and the initial value");
        values.push_back(value_item());
        arguments.push_back(argument);
        if (!take_if(TokenKind::kComma)) break;
    }
    expect(TokenKind::kRightParen, "',' or ')' after an initial value");
    clause.items = module_.arena.copy(values);
    parts.clauses.push_back(clause);
}

void Parser::trailing(Operation& op, Parts& parts) {
    take_word("attributes");
    if (is(TokenKind::kLeftBrace) && is_dictionary())
        for (const NamedAttribute& entry : dictionary()) parts.attributes.push_back(entry);
    finish(op, parts);
    location_suffix(op);
}

// [unsigned] %i = %a to %b step %c [iter_args(...) -> types] [: type] { ... }
void Parser::scf_for(Operation& op) {
    Parts parts;
    take_word("unsigned");
    std::vector<BlockArgument> arguments(1);
    arguments[0].location = here();
    arguments[0].name =
        text(expect(TokenKind::kValue, "the loop's variable such as '%i'")).substr(1);
    expect(TokenKind::kEqual, "'=' after the loop's variable");
    single_value(parts, "from");
    expect_word("to", "and the upper bound");
    single_value(parts, "to");
    expect_word("step", "and the step");
    single_value(parts, "step");
    if (take_word("iter_args")) {
        initial_values(parts, arguments, "iter_args");
        if (take_if(TokenKind::kArrow)) result_type_list(parts.result_types);
    }
    if (take_if(TokenKind::kColon)) parts.types.push_back(arguments[0].type = type());
    for (size_t i = 0; i < parts.result_types.size() && i + 1 < arguments.size(); ++i)
        arguments[i + 1].type = parts.result_types[i];
    if (!is(TokenKind::kLeftBrace)) fail_expected("'{' of the loop's body");
    parts.regions.push_back(region(module_.arena.copy(arguments)));
    trailing(op, parts);
}

// %condition [-> types] { ... } [else { ... }]
void Parser::scf_if(Operation& op) {
    Parts parts;
    single_value(parts, "");
    if (take_if(TokenKind::kArrow)) result_type_list(parts.result_types);
    if (!is(TokenKind::kLeftBrace)) fail_expected("'{' of the branch");
    parts.regions.push_back(region());
    if (take_word("else")) {
        if (!is(TokenKind::kLeftBrace)) fail_expected("'{' after 'else'");
        parts.regions.push_back(region());
    }
    trailing(op, parts);
}

// (%a = %x, ...) : (types) -> types { ... } do { ^bb0(...): ... }
void Parser::scf_while(Operation& op) {
    Parts parts;
    std::vector<BlockArgument> arguments;
    if (is(TokenKind::kLeftParen)) initial_values(parts, arguments, "iter_args");
    expect(TokenKind::kColon, "':' and the loop's type");
    if (is(TokenKind::kLeftParen)) {
        function_type(parts.types, parts.result_types);
    } else {
        parts.types.push_back(type());
        expect(TokenKind::kArrow, "'->' and the loop's result types");
        result_type_list(parts.result_types);
    }
    for (size_t i = 0; i < parts.types.size() && i < arguments.size(); ++i)
        arguments[i].type = parts.types[i];
    if (!is(TokenKind::kLeftBrace)) fail_expected("'{' of the loop's condition");
    parts.regions.push_back(region(module_.arena.copy(arguments)));
    expect_word("do", "and the loop's body");
    if (!is(TokenKind::kLeftBrace)) fail_expected("'{' after 'do'");
    parts.regions.push_back(region());
    trailing(op, parts);
}

// %x [{...}] [-> types] case 0 { ... } ... default { ... }
// The regions are in the order of the text, the default's last; clause "case" has the numbers.
void Parser::scf_index_switch(Operation& op) {
    Parts parts;
    single_value(parts, "");
    if (is(TokenKind::kLeftBrace)) parts.attributes = dictionary();
    if (take_if(TokenKind::kArrow)) result_type_list(parts.result_types);
    Clause cases;
    cases.name = "case";
    cases.location = here();
    std::vector<Item> numbers;
    while (take_word("case")) {
        if (!is(TokenKind::kInteger)) fail_expected("the case's number");
        numbers.push_back(attribute_item());
        parts.regions.push_back(region());
    }
    expect_word("default", "of the switch");
    parts.regions.push_back(region());
    cases.items = module_.arena.copy(numbers);
    parts.clauses.push_back(cases);
    trailing(op, parts);
}

// [-> types] [no_inline] { ... }
void Parser::scf_execute_region(Operation& op) {
    Parts parts;
    if (take_if(TokenKind::kArrow)) result_type_list(parts.result_types);
    take_word("no_inline");
    if (!is(TokenKind::kLeftBrace)) fail_expected("'{' of the region");
    parts.regions.push_back(region());
    trailing(op, parts);
}

}  // namespace ptosim::assembly
