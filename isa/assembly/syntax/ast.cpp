#include "isa/assembly/syntax/ast.h"

namespace ptosim::assembly {

const Attribute* find(std::span<const NamedAttribute> attributes, std::string_view name) {
    for (const NamedAttribute& attribute : attributes)
        if (attribute.name == name) return attribute.value;
    return nullptr;
}

const Clause* Operation::clause(std::string_view wanted) const {
    for (const Clause& clause : clauses)
        if (clause.name == wanted) return &clause;
    return nullptr;
}

const Attribute* Operation::attribute(std::string_view wanted) const {
    if (const Attribute* found = find(attributes, wanted)) return found;
    for (const Clause& clause : clauses) {
        if (const Attribute* found = find(clause.attributes, wanted)) return found;
        if (clause.name == wanted && clause.items.size() == 1 &&
            clause.items[0].kind == Item::Kind::kAttribute)
            return clause.items[0].attribute;
    }
    return nullptr;
}

}  // namespace ptosim::assembly
