#include "sim/faces/lsp/document.h"

#include <algorithm>
#include <functional>
#include <map>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/assembly/verify/spelling.h"

namespace ptosim::lsp {
namespace {

using assembly::Block;
using assembly::Clause;
using assembly::Item;
using assembly::Operation;

bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' ||
           c == '-';
}

// From the tree: values in their scopes, and functions.
class Indexer {
 public:
    Indexer(const std::vector<std::string_view>& lines, std::vector<Symbol>& symbols) : lines_{lines}, symbols_{symbols} {}

    void block(const Block& block) {
        const auto outer = values_;
        for (const assembly::BlockArgument& argument : block.arguments)
            define("%" + std::string(argument.name), argument.location, nullptr,
                   argument.type == nullptr ? std::string() : std::string(argument.type->text));
        operations(block.operations);
        values_ = outer;
    }

    void operations(std::span<const Operation> operations) {
        for (const Operation& op : operations) operation(op);
    }

 private:
    void operation(const Operation& op) {
        if (op.name == "func.func") function(op);
        if (op.name != "func.func" && !op.symbol.empty()) use_function(op);
        for (const Clause& clause : op.clauses)
            for (const Item& item : clause.items)
                if (item.kind == Item::Kind::kValue) use("%" + std::string(item.text), item.location);
        for (const assembly::Region& region : op.regions)
            for (const Block& block : region.blocks) this->block(block);
        size_t at = 0;
        for (const assembly::ResultName& result : op.results) {
            define("%" + std::string(result.name), result.location, &op,
                   at < op.result_types.size() ? std::string(op.result_types[at]->text)
                   : at < op.types.size()      ? std::string(op.types[at]->text)
                                               : std::string());
            at += result.count;
        }
    }

    void function(const Operation& op) {
        const Span span = find(op.location, "@" + std::string(op.symbol));
        Symbol& symbol = function_of("@" + std::string(op.symbol));
        symbol.operation = &op;
        symbol.definition = span;
    }
    void use_function(const Operation& op) {
        const std::string name = "@" + std::string(op.symbol);
        const Span span = find(op.location, name);
        if (span.end > 0) function_of(name).uses.push_back(span);
    }
    Symbol& function_of(const std::string& name) {
        const auto [at, added] = functions_.try_emplace(name, symbols_.size());
        if (added) {
            Symbol symbol;
            symbol.kind = Symbol::Kind::kFunction;
            symbol.name = name;
            symbols_.push_back(std::move(symbol));
        }
        return symbols_[at->second];
    }

    // A name in the line of its operation.
    Span find(SourceLocation where, const std::string& name) const {
        if (where.line == 0 || where.line > lines_.size()) return {};
        const size_t at = lines_[where.line - 1].find(name);
        if (at == std::string_view::npos) return {where.line - 1, 0, 0};
        return {where.line - 1, static_cast<uint32_t>(at), static_cast<uint32_t>(at + name.size())};
    }
    static Span span_of(SourceLocation where, const std::string& name) {
        const uint32_t column = where.column > 0 ? where.column - 1u : 0u;
        return {where.line > 0 ? where.line - 1 : 0, column, column + static_cast<uint32_t>(name.size())};
    }

    void define(const std::string& name, SourceLocation where, const Operation* op, std::string type) {
        values_[name] = symbols_.size();
        Symbol symbol;
        symbol.name = name;
        symbol.operation = op;
        symbol.type = std::move(type);
        symbol.definition = span_of(where, name);
        symbols_.push_back(std::move(symbol));
    }
    void use(const std::string& name, SourceLocation where) {
        const auto found = values_.find(name);
        if (found != values_.end()) symbols_[found->second].uses.push_back(span_of(where, name));
    }

    const std::vector<std::string_view>& lines_;
    std::vector<Symbol>& symbols_;
    std::map<std::string, size_t> values_, functions_;
};

}  // namespace

Document::Document(std::string path, std::string text) : path_{std::move(path)}, text_{std::move(text)} {
    std::string_view rest = text_;
    for (;;) {
        const size_t end = rest.find('\n');
        lines_.push_back(rest.substr(0, end));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
}

std::string_view Document::line(uint32_t number) const {
    return number < lines_.size() ? lines_[number] : std::string_view();
}

void Document::add(const Diagnostic& diagnostic, bool error) {
    for (const Problem& other : problems_)
        if (other.diagnostic.code == diagnostic.code && other.diagnostic.location == diagnostic.location &&
            other.diagnostic.message == diagnostic.message)
            return;
    Problem problem{diagnostic, error, {}};
    problem.span.line = diagnostic.location.line > 0 ? diagnostic.location.line - 1 : 0;
    const std::string_view text = line(problem.span.line);
    problem.span.begin = diagnostic.location.column > 0 ? diagnostic.location.column - 1u : 0u;
    problem.span.begin = std::min(problem.span.begin, static_cast<uint32_t>(text.size()));
    problem.span.end = problem.span.begin;
    while (problem.span.end < text.size() && (in_word(text[problem.span.end]) || problem.span.end == problem.span.begin))
        ++problem.span.end;
    problems_.push_back(std::move(problem));
}

void Document::analyse(const ChipOf& chip_of) {
    problems_.clear();
    symbols_.clear();
    module_.reset();
    try {
        module_ = assembly::parse(path_, text_);
        index();
        for (const Diagnostic& d : assembly::spelling_problems(*module_)) add(d, false);
        const ChipModel& chip = chip_of(assembly::declared_arch(*module_));
        assembly::BindOptions options;
        options.arch = chip.arch;
        options.launch = false;
        options.verify = true;
        options.keep_text = false;
        std::copy(chip.buffer_bytes.begin(), chip.buffer_bytes.end(), options.budgets.begin());
        const assembly::FunctionTable functions = assembly::functions_of(*module_);
        options.functions = &functions;
        for (const std::string& name : assembly::compile_units(*module_)) {
            options.entry = name;
            try {
                assembly::BindRecord record;
                assembly::bind(*module_, options, &record);
                for (const Diagnostic& d : record.warnings) add(d, false);
            } catch (const DiagnosticError& error) {
                for (const Diagnostic& d : error.diagnostics()) add(d, true);
            }
        }
    } catch (const DiagnosticError& error) {
        for (const Diagnostic& d : error.diagnostics()) add(d, true);
    }
}

void Document::index() {
    Indexer(lines_, symbols_).operations(module_->operations);
    // Aliases are not in the tree: "!tile = ..." at the begin of a line, and words that begin with '!' or '#'.
    std::map<std::string, size_t, std::less<>> aliases;
    for (uint32_t number = 0; number < lines_.size(); ++number) {
        const std::string_view text = lines_[number];
        for (size_t at = 0; at < text.size() && text.substr(at, 2) != "//"; ++at) {
            if (text[at] != '!' && text[at] != '#') continue;
            size_t end = at + 1;
            while (end < text.size() && in_word(text[end])) ++end;
            const std::string name(text.substr(at, end - at));
            const Span span{number, static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
            const size_t equal = text.find_first_not_of(' ', end);
            if (at == 0 && equal != std::string_view::npos && text[equal] == '=') {
                aliases[name] = symbols_.size();
                Symbol symbol;
                symbol.kind = Symbol::Kind::kAlias;
                symbol.name = name;
                symbol.type = text.substr(text.find_first_not_of(' ', equal + 1));
                symbol.definition = span;
                symbols_.push_back(std::move(symbol));
            } else if (const auto found = aliases.find(name); found != aliases.end()) {
                symbols_[found->second].uses.push_back(span);
            }
            at = end - 1;
        }
    }
}

const Symbol* Document::symbol_at(uint32_t at_line, uint32_t at) const {
    for (const Symbol& symbol : symbols_) {
        if (symbol.definition.end > 0 && symbol.definition.holds(at_line, at)) return &symbol;
        for (const Span& use : symbol.uses)
            if (use.holds(at_line, at)) return &symbol;
    }
    return nullptr;
}

std::string Document::word_at(uint32_t at_line, uint32_t at, Span* span) const {
    const std::string_view text = line(at_line);
    size_t begin = std::min<size_t>(at, text.size()), end = begin;
    while (begin > 0 && in_word(text[begin - 1])) --begin;
    while (end < text.size() && in_word(text[end])) ++end;
    if (span != nullptr) *span = {at_line, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    return std::string(text.substr(begin, end - begin));
}

const Operation* Document::operation_in(uint32_t at_line) const {
    if (module_ == nullptr) return nullptr;
    const Operation* found = nullptr;
    const std::function<void(std::span<const Operation>)> visit = [&](std::span<const Operation> operations) {
        for (const Operation& op : operations) {
            if (op.location.line == at_line + 1) found = &op;
            for (const assembly::Region& region : op.regions)
                for (const Block& block : region.blocks) visit(block.operations);
        }
    };
    visit(module_->operations);
    return found;
}

}  // namespace ptosim::lsp
