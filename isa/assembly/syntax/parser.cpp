#include "isa/assembly/syntax/parser.h"

#include <algorithm>
#include <atomic>

#include "isa/assembly/syntax/parser_state.h"

namespace ptosim::assembly {

namespace {

std::atomic<unsigned> calls_of_parse{0};

constexpr size_t kMaxText = size_t{1} << 30;

// Kind of a binary file, if its first bytes show it.
std::string binary_hint(std::string_view text) {
    using namespace std::string_view_literals;
    if (text.starts_with("PTOBC\0"sv)) return "this is ptobc bytecode: `ptobc decode` makes text";
    if (text.starts_with("ML\xefR"sv)) return "this is MLIR bytecode: print it as text first";
    if (text.starts_with("\x7f"
                         "ELF"sv))
        return "this is a compiled object, not a .pto file";
    return {};
}

}  // namespace

unsigned parse_count() { return calls_of_parse; }

std::unique_ptr<Module> parse(std::string file_name, std::string text) {
    ++calls_of_parse;
    if (const std::string hint = binary_hint(text); !hint.empty())
        fail_input("K00", "'" + file_name + "' is not PTO assembly text", hint);
    if (text.size() > kMaxText)
        fail_input("K00", "'" + file_name + "' has more than 1 GiB of text");
    auto module = std::make_unique<Module>(std::move(file_name), std::move(text));
    Parser(*module).run();
    return module;
}

Parser::Nested::Nested(Parser& parser) : parser_{parser} {
    if (parser_.nesting_ == kMaxNesting)
        parser_.fail("nested more than " + std::to_string(kMaxNesting) + " levels deep");
    ++parser_.nesting_;
}

Parser::Parser(Module& module) : module_{module}, lines_{module.text} {
    TokenList list = tokenize(module.text);
    tokens_ = std::move(list.tokens);
    lexical_ = std::move(list.problems);
}

void Parser::run() {
    find_location_aliases();
    try {
        module_.operations = operations_until_end();
        // A broken token can be jumped over while recovering, but never goes unreported.
        if (problems_.empty() && !lexical_.empty()) {
            try {
                fail_at(lexical_[0].offset, lexical_[0].message, lexical_[0].hint);
            } catch (Failure& failure) {
                report(std::move(failure.diagnostic));
            }
        }
    } catch (TooMany) {
        problems_.back().notes.push_back("further problems of this file are not shown");
    }
    if (!problems_.empty()) throw DiagnosticError(std::move(problems_));
}

std::string Parser::found() const {
    const Token& token = now();
    if (token.kind == TokenKind::kEnd) return "the end of the file";
    std::string_view shown = text(token);
    if (const size_t end = shown.find('\n'); end != std::string_view::npos)
        shown = shown.substr(0, end);
    if (shown.size() > 40) return "'" + std::string(shown.substr(0, 37)) + "...'";
    return "'" + std::string(shown) + "'";
}

void Parser::fail(std::string message, std::string hint) {
    fail_at(now().begin, std::move(message), std::move(hint));
}

void Parser::fail_at(uint32_t offset, std::string message, std::string hint) {
    Failure failure;
    Diagnostic& diagnostic = failure.diagnostic;
    diagnostic.code = "K01";
    diagnostic.category = Category::kInput;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.file = module_.files[0];
    diagnostic.location = lines_.locate(offset);
    // Lines of binary or generated files can be megabytes long.
    diagnostic.source_line = lines_.line(diagnostic.location.line);
    throw failure;
}

void Parser::fail_expected(std::string_view what, std::string hint) {
    if (is(TokenKind::kInvalid)) {
        // An unclosed bracket is reported at its location inside its token.
        const auto problem =
            std::find_if(lexical_.begin(), lexical_.end(), [&](const LexicalProblem& candidate) {
                return candidate.offset >= now().begin &&
                       candidate.offset < now().begin + std::max(now().size, 1u);
            });
        if (problem != lexical_.end()) fail_at(problem->offset, problem->message, problem->hint);
    }
    fail("expected " + std::string(what) + ", found " + found(), std::move(hint));
}

const Token& Parser::expect(TokenKind kind, std::string_view what) {
    if (!is(kind)) fail_expected(what);
    return take();
}

void Parser::expect_word(std::string_view word, std::string_view where) {
    if (!take_word(word)) fail_expected("'" + std::string(word) + "' " + std::string(where));
}

void Parser::report(Diagnostic diagnostic) {
    problems_.push_back(std::move(diagnostic));
    if (problems_.size() == kMaxSyntaxErrors) throw TooMany{};
}

void Parser::recover(size_t begin) {
    size_t depth = 0;
    for (; !is(TokenKind::kEnd); take()) {
        if (is(TokenKind::kLeftBrace)) {
            ++depth;
        } else if (is(TokenKind::kRightBrace)) {
            if (depth == 0) return;
            --depth;
        } else if (depth == 0 && at_ > begin && now().starts_line && begins_operation()) {
            return;
        }
    }
}

bool Parser::begins_results(size_t at) const {
    const auto kind = [&](size_t i) { return ahead(i - at_).kind; };
    // At the beginning of a line, before an operation's name: the '=' is missing.
    if (kind(at) == TokenKind::kValue && ahead(at - at_).starts_line &&
        kind(at + 1) == TokenKind::kWord &&
        text(ahead(at + 1 - at_)).find('.') != std::string_view::npos)
        return true;
    while (kind(at) == TokenKind::kValue) {
        ++at;
        if (kind(at) == TokenKind::kColon && kind(at + 1) == TokenKind::kInteger) at += 2;
        if (kind(at) == TokenKind::kEqual) return true;
        if (kind(at) != TokenKind::kComma) return false;
        ++at;
    }
    return false;
}

bool Parser::begins_operation() const {
    if (is(TokenKind::kValue)) return begins_results(at_);
    if (is(TokenKind::kString))  // MLIR's generic form: "pto.tadd"(%a)
        return ahead(1).kind == TokenKind::kLeftParen &&
               text(now()).find('.') != std::string_view::npos;
    if (!is(TokenKind::kWord)) return false;
    const std::string_view word = text(now());
    if (word.find('.') != std::string_view::npos) return ahead(1).kind != TokenKind::kEqual;
    if (word == "call") return ahead(1).kind == TokenKind::kSymbol;
    return word == "return" || word == "module";
}

bool Parser::begins_label() const {
    if (!is(TokenKind::kBlock)) return false;
    return ahead(1).kind == TokenKind::kColon || ahead(1).kind == TokenKind::kLeftParen;
}

std::span<const Operation> Parser::operations_until_end() {
    std::vector<Operation> operations;
    while (!is(TokenKind::kEnd)) {
        const size_t begin = at_;
        try {
            const bool alias = is(TokenKind::kAttribute) || is(TokenKind::kType);
            if (alias && ahead(1).kind == TokenKind::kEqual)
                alias_definition();
            else if (is(TokenKind::kRightBrace))
                fail("'}' without a '{'", "an extra '}', or a missing '{' before it");
            else
                operations.push_back(operation());
        } catch (Failure& failure) {
            report(std::move(failure.diagnostic));
            if (at_ == begin) take();
            recover(begin);
            if (is(TokenKind::kRightBrace)) take();
        }
    }
    return module_.arena.copy(operations);
}

void Parser::block_body(std::vector<Operation>& operations) {
    while (!is(TokenKind::kRightBrace) && !is(TokenKind::kEnd) && !begins_label()) {
        const size_t begin = at_;
        try {
            operations.push_back(operation());
        } catch (Failure& failure) {
            report(std::move(failure.diagnostic));
            if (at_ == begin && !is(TokenKind::kLeftBrace)) take();
            recover(begin);
        }
    }
}

std::vector<BlockArgument> Parser::label_arguments() {
    std::vector<BlockArgument> arguments;
    if (!take_if(TokenKind::kLeftParen)) return arguments;
    while (!is(TokenKind::kRightParen)) {
        BlockArgument argument;
        argument.location = here();
        argument.name = text(expect(TokenKind::kValue, "a block argument such as '%x'")).substr(1);
        expect(TokenKind::kColon, "':' and the argument's type");
        argument.type = type();
        arguments.push_back(argument);
        if (!take_if(TokenKind::kComma)) break;
    }
    expect(TokenKind::kRightParen, "')' after the block's arguments");
    return arguments;
}

// `arguments` belong to the first block if the operation itself names them (func, scf.for).
Region Parser::region(std::span<const BlockArgument> arguments) {
    const Nested nested(*this);
    Region region;
    region.location = here();
    const uint32_t open = now().begin;
    expect(TokenKind::kLeftBrace, "'{'");
    std::vector<Block> blocks;
    while (!is(TokenKind::kRightBrace) && !is(TokenKind::kEnd)) {
        Block block;
        block.location = here();
        if (blocks.empty()) block.arguments = arguments;
        if (begins_label()) {
            block.label = text(take()).substr(1);
            if (const std::vector<BlockArgument> named = label_arguments(); !named.empty())
                block.arguments = module_.arena.copy(named);
            expect(TokenKind::kColon, "':' after a block's name");
        }
        std::vector<Operation> operations;
        block_body(operations);
        block.operations = module_.arena.copy(operations);
        blocks.push_back(block);
    }
    if (blocks.empty() && !arguments.empty())
        blocks.push_back({{}, region.location, arguments, {}});
    if (is(TokenKind::kEnd))
        fail_at(open, "this '{' is never closed", "a '}' is missing before the end of the file");
    take();
    region.blocks = module_.arena.copy(blocks);
    return region;
}

// An operation of a dialect with custom syntax. Functions and control flow are read in their custom form only, and
// their contents have no meaning without them.
void Parser::refuse_generic_structure(std::string_view name) {
    static constexpr std::string_view kOwnForm[] = {
        "func.func", "scf.for", "scf.if", "scf.while", "scf.index_switch", "scf.execute_region"};
    if (std::find(std::begin(kOwnForm), std::end(kOwnForm), name) == std::end(kOwnForm)) return;
    try {
        fail_at(
            tokens_[at_ - 1].begin,
            "'" + std::string(name) + "' in MLIR's generic form is not supported",
            "write the file in the dialect's custom form; MLIR prints the generic form on request, or if the module "
            "does not verify");
    } catch (Failure& failure) {
        report(std::move(failure.diagnostic));
    }
    throw TooMany{};
}

void Parser::check_structured_name(std::string_view name) {
    static const std::vector<std::string_view> kKnown = {
        "scf.for",    "scf.if",    "scf.while",     "scf.index_switch", "scf.execute_region",
        "scf.yield",  "scf.break", "scf.condition", "func.func",        "func.call",
        "func.return"};
    if (!name.starts_with("scf.") && !name.starts_with("func.")) return;
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) return;
    const std::string near = closest(name, kKnown);
    if (!near.empty())
        fail_at(tokens_[at_ - 1].begin, "unknown operation '" + std::string(name) + "'",
                "did you mean '" + near + "'?");
}

Operation Parser::operation() {
    Operation op;
    op.begin = now().begin;
    std::vector<ResultName> results;
    if (is(TokenKind::kValue)) {
        do {
            ResultName result;
            result.location = here();
            result.name = text(expect(TokenKind::kValue, "a result such as '%x'")).substr(1);
            if (take_if(TokenKind::kColon)) {
                const std::string_view count = text(expect(TokenKind::kInteger, "a result count"));
                if (count.size() > 4 || count[0] == '-' || std::stoi(std::string(count)) == 0)
                    fail_at(tokens_[at_ - 1].begin, "a result count lies in 1..9999");
                result.count = static_cast<uint16_t>(std::stoi(std::string(count)));
            }
            results.push_back(result);
        } while (take_if(TokenKind::kComma));
        expect(TokenKind::kEqual, "'=' after the results of an operation");
    }
    op.results = module_.arena.copy(results);
    op.location = op.source = here();
    const bool quoted = is(TokenKind::kString);
    if (quoted) {
        op.name = unescape(text(take()));
        if (!is(TokenKind::kLeftParen)) fail_expected("'(' after a quoted operation name");
        refuse_generic_structure(op.name);
    } else {
        const bool named = is(TokenKind::kWord) && (begins_operation() || !results.empty());
        if (!named) fail_expected("an operation such as 'pto.tadd' or '%x = arith.addi'");
        op.name = text(take());
    }
    if (!quoted) check_structured_name(op.name);
    if (quoted || !structured(op)) generic_tail(op, quoted);
    const Token& last = tokens_[at_ - 1];
    op.end = last.begin + last.size;
    return op;
}

}  // namespace ptosim::assembly
