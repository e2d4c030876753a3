#include "isa/assembly/context/operation_reader.h"

#include <algorithm>

#include "isa/assembly/syntax/parser.h"
#include "isa/core/arch.h"

namespace ptosim::assembly {

std::string_view text_line(std::string_view text, uint32_t line) {
    size_t begin = 0;
    for (uint32_t i = 1; i < line; ++i) {
        begin = text.find('\n', begin);
        if (begin == std::string_view::npos) return {};
        ++begin;
    }
    if (line == 0) return {};
    std::string_view found = text.substr(begin, text.find('\n', begin) - begin);
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found.substr(0, 500);
}

// ---- errors

Diagnostic OperationReader::diagnostic_at(SourceLocation where, std::string code,
                                          std::string message, std::string hint) const {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.category = diagnostic.code == "K03" || diagnostic.code == "K04"
                              ? Category::kUnsupported
                              : Category::kInput;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.file = module_.files[0];
    diagnostic.location = where;
    diagnostic.source_line = text_line(module_.text, where.line);
    return diagnostic;
}

void OperationReader::fail(SourceLocation where, std::string code, std::string message,
                           std::string hint) const {
    throw Failure{diagnostic_at(where, std::move(code), std::move(message), std::move(hint))};
}

void OperationReader::fail(const Operation& op, std::string code, std::string message,
                           std::string hint) const {
    throw failure_of(op, std::move(code), std::move(message), std::move(hint));
}

Failure OperationReader::failure_of(const Operation& op, std::string code, std::string message,
                                    std::string hint) const {
    Failure failure{
        diagnostic_at(op.location, std::move(code), std::move(message), std::move(hint))};
    if (op.source.file != 0)
        failure.diagnostic.notes.push_back("written for " + module_.files[op.source.file] + ":" +
                                           std::to_string(op.source.line));
    return failure;
}

void OperationReader::report(Diagnostic diagnostic) {
    context_.problems.push_back(std::move(diagnostic));
    if (context_.problems.size() >= kMaxSyntaxErrors) throw TooManyProblems{};
}

// ---- operands

// The values among an operation's unnamed operands, without words and attributes.
std::vector<const Item*> OperationReader::operands(const Operation& op) const {
    std::vector<const Item*> found;
    for (const Clause& clause : op.clauses)
        if (clause.name.empty())
            for (const Item& item : clause.items)
                if (item.kind == Item::Kind::kValue) found.push_back(&item);
    return found;
}

const Item& OperationReader::operand(const Operation& op, size_t index) const {
    const std::vector<const Item*> all = operands(op);
    if (index >= all.size())
        fail(op, "K06",
             "'" + std::string(op.name) + "' needs at least " + std::to_string(index + 1) +
                 " operands, given are " + std::to_string(all.size()));
    return *all[index];
}

const Clause& OperationReader::clause(const Operation& op, std::string_view wanted) const {
    if (const Clause* found = op.clause(wanted)) return *found;
    const std::string shown = wanted == "["    ? "'[...]'"
                              : wanted.empty() ? "operands after its name"
                                               : "'" + std::string(wanted) + "'";
    fail(op, "K09", "'" + std::string(op.name) + "' needs " + shown);
}

const Item& OperationReader::only_item(const Operation& op, const Clause& clause) const {
    if (clause.items.size() == 1) return clause.items[0];
    fail(clause.location, "K09",
         "'" + std::string(clause.name) + "' of '" + std::string(op.name) + "' takes one value");
}

// The values of an operation, in parentheses or without.
std::vector<const Item*> OperationReader::given_to(const Operation& op) {
    std::vector<const Item*> items;
    for (const Clause& clause : op.clauses)
        if (clause.name.empty() || clause.name == "(")
            for (const Item& item : clause.items)
                if (item.kind == Item::Kind::kValue) items.push_back(&item);
    return items;
}

// ---- types

// The type after '->', or after ':' for operations that write only that.
const Type& OperationReader::result_type(const Operation& op, size_t index) const {
    const auto types = op.result_types.empty() ? op.types : op.result_types;
    if (index >= types.size())
        fail(op, "K07", "'" + std::string(op.name) + "' needs the type of its result");
    return *types[index];
}

// The tile that a type describes, as this architecture has it.
Tile OperationReader::tile_of(const Type& type, const Operation& op) const {
    if (!type.dtype)
        fail(op, "K07", "no tile can have the elements of '" + std::string(type.text) + "'");
    Tile tile = type.tile;
    // The order of boxes in L0A is the core's, not the text's
    // (hw-native-sys/PTOAS lib/PTO/IR/PTOTypeDefs.cpp, resolveTileBufBLayout).
    if (tile.space == Space::kL0A && tile.boxed())
        tile.outer = traits_of(options_.arch).left_boxes_by_column ? OuterLayout::kColMajor
                                                                   : OuterLayout::kRowMajor;
    // MX scales are written as "scaling" too; their fractal distinguishes them from quantisation
    // parameters, and their order which side they belong to.
    if (tile.space == Space::kFixpipe && tile.fractal == 32)
        tile.space = tile.outer == OuterLayout::kRowMajor ? Space::kScaleA : Space::kScaleB;
    set_dense_pitch(tile);
    return tile;
}

DType OperationReader::element_type(const Type& type, SourceLocation where) const {
    if (type.dtype) return *type.dtype;
    fail(where, "K07", "elements of '" + std::string(type.text) + "' are not supported");
}

// ---- attributes

int64_t OperationReader::integer_attribute(const Operation& op, std::string_view name,
                                           std::optional<int64_t> otherwise) const {
    const Attribute* attribute = op.attribute(name);
    if (attribute == nullptr) {
        if (!otherwise) {
            std::vector<std::string_view> given;
            for (const NamedAttribute& other : op.attributes) given.push_back(other.name);
            const std::string near = closest(name, given);
            fail(op, "K09", "'" + std::string(op.name) + "' needs '" + std::string(name) + "'",
                 near.empty() ? "" : "is '" + near + "' meant to be '" + std::string(name) + "'?");
        }
        return *otherwise;
    }
    if (attribute->kind != AttributeKind::kInteger)
        fail(attribute->location, "K09",
             "'" + std::string(name) + "' must be a number, not '" + std::string(attribute->text) +
                 "'");
    return attribute->integer;
}

std::optional<GlobalLayout> OperationReader::layout_attribute(const Operation& op) const {
    const Attribute* const layout = op.attribute("layout");
    if (layout == nullptr) return std::nullopt;
    const auto parsed = parse_layout(layout->text);
    if (!parsed)
        fail(layout->location, "K09",
             "the layout '" + std::string(layout->text) + "' is not supported",
             "layouts are nd, dn and nz, and mx_a_zz and mx_b_nn of scales");
    return parsed;
}

// The named parts of an operation, and attributes that look like a misspelling of one of them.
void OperationReader::check_words(const Operation& op, std::vector<std::string_view> clauses,
                                  std::vector<std::string_view> attributes) const {
    const auto lists = [](const std::vector<std::string_view>& words, std::string_view word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    for (const Clause& clause : op.clauses) {
        const bool named = !clause.name.empty() && clause.name != "(" && clause.name != "[";
        if (!named || lists(clauses, clause.name)) continue;
        std::string accepted;
        for (const std::string_view word : clauses)
            accepted += (accepted.empty() ? "" : ", ") + std::string(word);
        const std::string near = closest(clause.name, clauses);
        fail(clause.location, "K09",
             "'" + std::string(op.name) + "' has no '" + std::string(clause.name) + "' here",
             near.empty() ? "it has " + accepted : "did you mean '" + near + "'?");
    }
    for (const NamedAttribute& entry : op.attributes) {
        if (lists(attributes, entry.name)) continue;
        if (const std::string near = closest(entry.name, attributes); !near.empty())
            fail(entry.location, "K09",
                 "'" + std::string(op.name) + "' has no attribute '" + std::string(entry.name) +
                     "' here",
                 "did you mean '" + near + "'?");
    }
}

void OperationReader::refuse_launch(const Operation& op, const char* why) const {
    if (options_.launch)
        fail(op, "K03",
             "the operation '" + std::string(op.name) + "' is not supported in a run: " + why,
             "--dry-run accepts it");
}

}  // namespace ptosim::assembly
