// Reads an operation's text (operands, clauses, attributes and types), or reports an error that names the missing part.
// It does not look at values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/assembly/context/bind_context.h"

namespace ptosim::assembly {

// A line of a text, for messages; at most 500 characters of it.
std::string_view text_line(std::string_view text, uint32_t line);

class OperationReader {
 protected:
    explicit OperationReader(BindContext& context)
        : context_{context}, module_{context.module}, options_{context.options} {}

    [[noreturn]] void fail(SourceLocation where, std::string code, std::string message,
                           std::string hint = {}) const;
    [[noreturn]] void fail(const Operation& op, std::string code, std::string message,
                           std::string hint = {}) const;
    Failure failure_of(const Operation& op, std::string code, std::string message,
                       std::string hint = {}) const;
    void report(Diagnostic diagnostic);
    Diagnostic diagnostic_at(SourceLocation where, std::string code, std::string message,
                             std::string hint) const;

    std::vector<const Item*> operands(const Operation& op) const;
    const Item& operand(const Operation& op, size_t index) const;
    const Clause& clause(const Operation& op, std::string_view name) const;
    const Item& only_item(const Operation& op, const Clause& clause) const;
    // The values of an operation, in parentheses or without.
    static std::vector<const Item*> given_to(const Operation& op);

    const Type& result_type(const Operation& op, size_t index = 0) const;
    DType element_type(const Type& type, SourceLocation where) const;
    // The tile that a type describes, as this architecture has it.
    Tile tile_of(const Type& type, const Operation& op) const;

    int64_t integer_attribute(const Operation& op, std::string_view name,
                              std::optional<int64_t> otherwise = {}) const;
    // The attribute `layout`, if the operation has one.
    std::optional<GlobalLayout> layout_attribute(const Operation& op) const;
    // Refuses other clauses than these, and attributes that look like one of these misspelt.
    void check_words(const Operation& op, std::vector<std::string_view> clauses,
                     std::vector<std::string_view> attributes) const;
    // For operations that are verified and not run.
    void refuse_launch(const Operation& op, const char* why) const;

    BindContext& context_;
    const Module& module_;
    const BindOptions& options_;
};

}  // namespace ptosim::assembly
