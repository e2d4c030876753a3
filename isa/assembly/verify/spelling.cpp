#include "isa/assembly/verify/spelling.h"

#include <algorithm>

#include "isa/assembly/context/operation_reader.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/assembly/syntax/types.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::assembly {

namespace {

class SpellingReader {
 public:
    explicit SpellingReader(const Module& module) : module_{module} {}

    void read(std::span<const Operation> operations) {
        for (const Operation& op : operations) {
            read(op);
            for (const Region& region : op.regions)
                for (const Block& block : region.blocks) read(block.operations);
        }
    }
    std::vector<Diagnostic> take() { return std::move(problems_); }

 private:
    void read(const Operation& op) {
        read_name(op);
        read_attributes(op.attributes);
        for (const Clause& clause : op.clauses) {
            read_attributes(clause.attributes);
            read_types(clause);
        }
        if (op.name == "arith.constant") read_constant(op);
        if (op.name == "pto.alloc_tile" && !op.types.empty()) read_valid(op);
    }

    void read_name(const Operation& op) {
        if (!op.name.starts_with("pto.")) return;
        const InstructionInfo* const row = find_instruction(op.name.substr(4));
        if (row != nullptr && row->traits->not_in_assembler)
            add(op.location, "the assembler has no operation '" + std::string(op.name) + "'",
                "the C++ API has it: " + std::string(row->name));
    }

    void read_attributes(std::span<const NamedAttribute> entries) {
        for (const NamedAttribute& entry : entries) {
            const Attribute& value = *entry.value;
            if (value.kind == AttributeKind::kDictionary) read_attributes(value.entries);
            if (is_word(value))
                add(value.location,
                    "the value of '" + std::string(entry.name) + "' is the bare word '" +
                        std::string(value.text) + "'",
                    "values of enumerations are written #pto<NAME " + std::string(value.text) +
                        ">; 'ptosim isa' shows them");
        }
    }

    static bool is_word(const Attribute& value) {
        return value.kind == AttributeKind::kOpaque && !value.text.empty() &&
               std::all_of(value.text.begin(), value.text.end(), [](char c) {
                   return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
                          c == '_';
               });
    }

    void read_types(const Clause& clause) {
        if ((clause.name != "ins" && clause.name != "outs") || !clause.types.empty()) return;
        const bool values = std::any_of(clause.items.begin(), clause.items.end(),
                                        [](const Item& i) { return i.kind == Item::Kind::kValue; });
        if (values)
            add(clause.location,
                "the operands of " + std::string(clause.name) + "(...) have no types",
                "write them after a colon: ins(%a, %b : TYPE, TYPE)");
    }

    void read_constant(const Operation& op) {
        for (const Clause& clause : op.clauses)
            for (const Item& item : clause.items) {
                if (item.attribute == nullptr) continue;
                const Attribute& number = *item.attribute;
                const Type* const type = !op.types.empty() ? op.types[0] : number.type;
                if (number.kind == AttributeKind::kInteger && !number.is_hex() && type != nullptr &&
                    type->kind == TypeKind::kFloat)
                    add(number.location,
                        "'" + std::string(number.text) +
                            "' is a whole number, and the constant is " + std::string(type->text),
                        "write " + std::string(number.text) + ".0");
            }
    }

    void read_valid(const Operation& op) {
        const Type& type = *op.types[0];
        if (type.kind != TypeKind::kTile) return;
        const auto check = [&](std::string_view word, int64_t valid) {
            const Clause* const clause = op.clause(word);
            if (clause != nullptr && valid >= 0)
                add(clause->location,
                    "'" + std::string(word) + "' of a tile whose type declares that " +
                        std::to_string(valid) + " are valid",
                    "leave it out, or write ? in the type");
        };
        check("valid_row", type.tile.valid_rows);
        check("valid_col", type.tile.valid_cols);
    }

    void add(SourceLocation where, std::string message, std::string hint) {
        if (problems_.size() >= kMaxSyntaxErrors) return;
        Diagnostic& d = problems_.emplace_back();
        d.code = "K12";
        d.message = std::move(message);
        d.hint = std::move(hint);
        d.file = module_.files[0];
        d.location = where;
        d.source_line = text_line(module_.text, where.line);
    }

    const Module& module_;
    std::vector<Diagnostic> problems_;
};

}  // namespace

std::vector<Diagnostic> spelling_problems(const Module& module) {
    SpellingReader reader(module);
    reader.read(module.operations);
    return reader.take();
}

}  // namespace ptosim::assembly
