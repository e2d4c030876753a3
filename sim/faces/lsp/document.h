// A .pto text in an editor: its problems, and where its names are defined and used.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/syntax/ast.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim::lsp {

// A part of a line, as editors count: from 0, in UTF-16 units, which are bytes in ASCII text.
struct Span {
    uint32_t line = 0, begin = 0, end = 0;
    bool holds(uint32_t at_line, uint32_t at) const { return line == at_line && begin <= at && at <= end; }
};

// A value (%x), a function (@f), a type alias (!t) or an attribute alias (#a).
struct Symbol {
    enum class Kind : uint8_t { kValue, kFunction, kAlias };
    Kind kind = Kind::kValue;
    std::string name;  // with its first character
    std::string type;  // of a value, if its text has one
    const assembly::Operation* operation = nullptr;  // that defines it; null for arguments and aliases
    Span definition;
    std::vector<Span> uses;
};

struct Problem {
    Diagnostic diagnostic;
    bool error = true;
    Span span;
};

class Document {
 public:
    Document(std::string path, std::string text);

    // The chip for an architecture that a text declares; for none, the one of the server.
    using ChipOf = std::function<const ChipModel&(std::optional<Arch>)>;
    // Reads and binds the text.
    void analyse(const ChipOf& chip_of);
    const std::string& text() const { return text_; }
    const std::string& path() const { return path_; }
    const std::vector<Problem>& problems() const { return problems_; }
    // Empty while the text has syntax errors.
    const std::vector<Symbol>& symbols() const { return symbols_; }
    const assembly::Module* module() const { return module_.get(); }
    // The symbol at a position, or null.
    const Symbol* symbol_at(uint32_t line, uint32_t at) const;
    // Words of letters, digits, '_' and '.': "pto.tload".
    std::string word_at(uint32_t line, uint32_t at, Span* span = nullptr) const;
    std::string_view line(uint32_t number) const;
    // The operation whose name is in this line; null if there is none.
    const assembly::Operation* operation_in(uint32_t line) const;

 private:
    void add(const Diagnostic& diagnostic, bool error);
    void index();

    const std::string path_;
    const std::string text_;
    std::vector<std::string_view> lines_;
    std::unique_ptr<assembly::Module> module_;
    std::vector<Problem> problems_;
    std::vector<Symbol> symbols_;
};

}  // namespace ptosim::lsp
