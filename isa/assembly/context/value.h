// The value of a name of the text while a kernel is bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/assembly/context/layout_inference.h"
#include "isa/assembly/program/program.h"
#include "isa/assembly/syntax/types.h"

namespace ptosim::assembly {

enum class ValueKind : uint8_t {
    kPoison,  // the result of an operation whose error has been reported already
    kScalar,  // integers and floats
    kPointer,
    kTile,
    kMultiTile,
    kView,
    kLocalArray,
    kEventArray,
    kStruct,  // its numbers in the order of the text, inner structures in place
    kHandle,  // what another operation makes and nobody reads: sessions, events, vectors of counts
    kRegister,    // of a vector function; slot: a scalar slot with the number of the value
    kPredicate,   // likewise
    kStoreState,  // bytes that unaligned stores have not stored yet: none, here
    kFifo,  // slot: the FifoEnd from cube to vector; count 2: the one from vector to cube follows
};
std::string_view name(ValueKind kind);
// The kind of values that a type has; kPoison for types that no value can have here.
ValueKind make_kind(const Type& type);
// The type of results that the text gives no type for: "i1", "index", "i64", "i32".
const Type& builtin_type(std::string_view name);

struct Value {
    ValueKind kind = ValueKind::kPoison;
    Slot slot = kNoSlot;         // of its kind; arrays: the first of `count` scalar slots
    const Type* type = nullptr;  // as written where it was defined
    uint32_t count = 1;
    int parameter = -1;                       // a kernel parameter's pointer, unmoved
    bool temporary = false;                   // a pointer made of a number, for scalar accesses
    bool ambiguous_layout = false;            // views: see InferredLayout
    GlobalLayout layout = GlobalLayout::kND;  // views
    bool of_parameter = false;                // a view that a function takes, or a part of one
    bool refused = false;                     // by the listener: the operation that makes it

    static Value of(ValueKind kind, const Type& type, Slot slot) {
        Value value;
        value.kind = kind;
        value.type = &type;
        value.slot = slot;
        return value;
    }
};

// The names in scope. Each is one value, or the results of an operation with several.
class ValueNames {
 public:
    // False, and nothing is changed, if the name is in scope already.
    bool define(std::string_view name, std::vector<Value> values);
    const std::vector<Value>* find(std::string_view name) const;
    std::vector<std::string_view> all() const;  // sorted
    void mark_refused(std::string_view name);

    // A scope begins with mark(); leave(mark) removes later definitions.
    size_t mark() const { return order_.size(); }
    void leave(size_t mark);

 private:
    std::unordered_map<std::string_view, std::vector<Value>> values_;
    std::vector<std::string_view> order_;  // of their definition
};

}  // namespace ptosim::assembly
