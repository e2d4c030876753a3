// The parser's internals, shared by parser.cpp and the parse_*.cpp. Include parser.h instead.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/assembly/syntax/ast.h"
#include "isa/assembly/syntax/lexer.h"

namespace ptosim::assembly {

class Parser {
 public:
    explicit Parser(Module& module);
    // Fills module.operations; throws DiagnosticError.
    void run();

 private:
    // Thrown inside only: the operation cannot be read any further.
    struct Failure {
        Diagnostic diagnostic;
    };
    // Thrown inside only: enough problems.
    struct TooMany {};

    // Regions, brackets and dictionaries inside each other. Real kernels stay below 20.
    static constexpr int kMaxNesting = 128;
    class Nested {
     public:
        explicit Nested(Parser& parser);
        ~Nested() { --parser_.nesting_; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;

     private:
        Parser& parser_;
    };

    // --- parser.cpp: tokens and errors
    const Token& now() const { return tokens_[at_]; }
    const Token& ahead(size_t count) const {
        return tokens_[std::min(at_ + count, tokens_.size() - 1)];
    }
    bool is(TokenKind kind) const { return now().kind == kind; }
    bool is_word(std::string_view word) const {
        return now().kind == TokenKind::kWord && text(now()) == word;
    }
    std::string_view text(const Token& token) const {
        return std::string_view(module_.text).substr(token.begin, token.size);
    }
    SourceLocation here() { return lines_.locate(now().begin); }
    // Consumes the token (never the final kEnd).
    const Token& take() {
        const Token& token = tokens_[at_];
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    bool take_if(TokenKind kind) {
        if (now().kind != kind) return false;
        take();
        return true;
    }
    bool take_word(std::string_view word) {
        if (!is_word(word)) return false;
        take();
        return true;
    }
    const Token& expect(TokenKind kind, std::string_view what);
    void expect_word(std::string_view word, std::string_view where);
    // The text at `now()`, for messages.
    std::string found() const;
    [[noreturn]] void fail(std::string message, std::string hint = {});
    [[noreturn]] void fail_at(uint32_t offset, std::string message, std::string hint = {});
    // "expected <what>, found ..."; or the problem of the token itself.
    [[noreturn]] void fail_expected(std::string_view what, std::string hint = {});
    void report(Diagnostic diagnostic);
    // Continues after a failed operation that began at token `begin`.
    void recover(size_t begin);

    // --- parser.cpp: blocks
    bool begins_operation() const;
    bool begins_results(size_t at) const;
    bool begins_label() const;
    std::span<const Operation> operations_until_end();
    Region region(std::span<const BlockArgument> arguments = {});
    void block_body(std::vector<Operation>& operations);
    std::vector<BlockArgument> label_arguments();
    Operation operation();
    void refuse_generic_structure(std::string_view name);
    void check_structured_name(std::string_view name);

    // --- parse_operation.cpp
    struct Parts {
        std::vector<Clause> clauses;
        std::vector<NamedAttribute> attributes;
        std::vector<const Type*> types;
        std::vector<const Type*> result_types;
        std::vector<Region> regions;
        std::vector<Item> plain;  // of the plain clause being read
        SourceLocation plain_location;
        bool after_comma = false;
        bool after_name = true;
    };
    void generic_tail(Operation& op, bool quoted);
    bool ends_operation(const Parts& parts) const;
    void piece(Operation& op, Parts& parts, bool quoted);
    void word_piece(Parts& parts);
    void brace_piece(const Operation& op, Parts& parts);
    void colon_piece(Parts& parts);
    void plain_item(Parts& parts, Item item);
    void flush_plain(Parts& parts);
    void finish(Operation& op, Parts& parts);
    Item value_item();
    Item attribute_item();
    bool begins_attribute_item() const;
    void group(Parts& parts, std::string_view name, SourceLocation where, int parent);
    void group_word(Parts& parts, int self, std::vector<Item>& items,
                    std::vector<const Type*>& types);
    [[noreturn]] void fail_unclosed(uint32_t open);
    bool is_dictionary() const;
    bool takes_regions(std::string_view name) const;

    // --- parse_structured.cpp
    bool structured(Operation& op);
    void module_operation(Operation& op);
    void function(Operation& op);
    std::vector<BlockArgument> function_arguments(bool has_body);
    void scf_for(Operation& op);
    void scf_if(Operation& op);
    void scf_while(Operation& op);
    void scf_index_switch(Operation& op);
    void scf_execute_region(Operation& op);
    void trailing(Operation& op, Parts& parts);
    void single_value(Parts& parts, std::string_view name);
    void initial_values(Parts& parts, std::vector<BlockArgument>& arguments, std::string_view name);

    // --- parse_attribute.cpp
    std::vector<NamedAttribute> dictionary();
    const Attribute* attribute();
    Attribute number();
    Attribute dialect_attribute(const Token& token);
    Attribute angle_attribute(const Token& token, std::string_view family,
                              std::string_view content);
    std::string_view unescape(std::string_view quoted);
    std::string_view symbol();
    const Type* type();
    std::string without_aliases(std::string_view spelled) const;
    const Type* intern(std::string_view text, uint32_t offset);
    bool begins_type() const;
    void type_list(std::vector<const Type*>& types);
    void result_type_list(std::vector<const Type*>& types);
    void function_type(std::vector<const Type*>& inputs, std::vector<const Type*>& outputs);
    void alias_definition();
    void check_type_name(std::string_view spelled, uint32_t begin);

    // --- parse_location.cpp
    void location_suffix(Operation& op);
    void find_location_aliases();

    struct PythonLocation {
        std::string_view file;
        uint32_t line = 0;
        uint32_t column = 0;
    };
    // Reads the text between the parentheses of loc(...), up to the closing one; keeps the first
    // file, line and column in it.
    void location_body(PythonLocation& location, int depth);
    SourceLocation to_source(const PythonLocation& location);

    Module& module_;
    LineIndex lines_;
    std::vector<Token> tokens_;
    std::vector<LexicalProblem> lexical_;
    size_t at_ = 0;
    int nesting_ = 0;
    std::vector<Diagnostic> problems_;
    std::unordered_map<std::string_view, const Type*> types_;         // by text
    std::unordered_map<std::string_view, const Type*> type_aliases_;  // by "!name"
    std::vector<std::string_view> broken_aliases_;  // reported where they are defined
    std::unordered_map<std::string_view, const Attribute*> attribute_aliases_;
    // "#name" to the token after `loc(`. MLIR prints these definitions at the end of the file.
    std::unordered_map<std::string_view, size_t> location_aliases_;
    std::unordered_map<std::string_view, uint16_t> files_;
};

}  // namespace ptosim::assembly
