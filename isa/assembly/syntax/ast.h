// The operation tree of a `.pto` file: the text with names and locations, without resolving anything.
//
// All nodes are plain data in the module's arena and refer to the module's text.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/assembly/syntax/types.h"
#include "isa/core/diagnostic.h"

namespace ptosim::assembly {

enum class AttributeKind : uint8_t {
    kUnit,        // {pto.entry}
    kBool,        // true
    kInteger,     // 5, 5 : i32, 0x7F800000 : f32
    kFloat,       // 1.0 : f32
    kString,      // "x"
    kSymbol,      // @f
    kEnum,        // #pto<cmp eq>, #pto.layout<nd>, <PIPE_V>
    kType,        // f32
    kArray,       // [1, 2], array<i32: 1, 2>
    kDictionary,  // {a = 1}
    kOpaque,      // anything else, as text
};

struct NamedAttribute;

struct Attribute {
    AttributeKind kind = AttributeKind::kUnit;
    SourceLocation location;
    // kEnum: the value ("eq"). kString: the contents, unescaped. kSymbol: the name. Numbers: as
    // spelled. Otherwise all of the text.
    std::string_view text;
    std::string_view family;                     // kEnum: "cmp", "layout"; empty for the bare <v>
    int64_t integer = 0;                         // kInteger, kBool
    double floating = 0;                         // kFloat
    const Type* type = nullptr;                  // kType; the type after ':' of a number
    std::span<const Attribute* const> elements;  // kArray
    std::span<const NamedAttribute> entries;     // kDictionary

    bool is_hex() const { return text.size() > 1 && text[0] == '0' && (text[1] | 32) == 'x'; }
};

struct NamedAttribute {
    std::string_view name;
    SourceLocation location;
    const Attribute* value = nullptr;
};

// One element between an operation's name and its types.
struct Item {
    enum class Kind : uint8_t { kValue, kAttribute, kWord, kBlock };
    Kind kind = Kind::kValue;
    uint16_t result = 0;  // kValue: k of %name#k
    SourceLocation location;
    std::string_view text;                 // value without '%', word, block without '^'
    const Attribute* attribute = nullptr;  // kAttribute
};

// A part of an operation: `ins(...)`, `shape = [...]`, `addr = %x`, the `[...]` of set_flag, or a
// plain list of operands. Parts inside of parts (`buf(...)` in `comm.tput(...)`, `fp %x` in
// `ins(...)`) follow the part that holds them.
struct Clause {
    std::string_view name;  // "ins", "shape"; "(" or "[" without a word; "" for plain operands
    SourceLocation location;
    int16_t parent = -1;  // index of the clause around this one
    std::span<const Item> items;
    std::span<const Type* const> types;
    std::span<const NamedAttribute> attributes;
};

struct ResultName {
    std::string_view name;  // without '%'
    uint16_t count = 1;     // N of %name:N
    SourceLocation location;
};

struct Operation;

struct BlockArgument {
    std::string_view name;  // without '%'
    SourceLocation location;
    const Type* type = nullptr;  // null if the text leaves it open (scf.for)
    std::span<const NamedAttribute> attributes;
};

struct Block {
    std::string_view label;  // without '^'; empty for the first block
    SourceLocation location;
    std::span<const BlockArgument> arguments;
    std::span<const Operation> operations;
};

struct Region {
    SourceLocation location;
    std::span<const Block> blocks;  // empty for {}
};

struct Operation {
    std::string_view name;        // "pto.tload", "func.func", "module", "return"
    SourceLocation location;      // of the name in the text
    SourceLocation source;        // what a trailing loc(...) says; otherwise the same as `location`
    uint32_t begin = 0, end = 0;  // bytes of the text, from its results to after its last token
    bool is_declaration = false;  // func.func without a body
    std::string_view symbol;      // @name of modules, functions and calls, without '@'
    std::span<const ResultName> results;
    std::span<const Clause> clauses;
    std::span<const NamedAttribute> attributes;
    std::span<const Type* const> types;         // after ':'
    std::span<const Type* const> result_types;  // after '->' or 'to'
    std::span<const Region> regions;

    const Clause* clause(std::string_view wanted) const;
    // Also looks into the dictionaries inside clauses, and at `name = value` clauses.
    const Attribute* attribute(std::string_view wanted) const;
};

// Memory of the nodes: nothing is freed before the module.
class Arena {
 public:
    template <class T>
    std::span<const T> copy(const std::vector<T>& items) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        if (items.empty()) return {};
        T* target = static_cast<T*>(memory_.allocate(items.size() * sizeof(T), alignof(T)));
        std::uninitialized_copy(items.begin(), items.end(), target);
        return {target, items.size()};
    }
    template <class T>
    T* make(const T& value) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (memory_.allocate(sizeof(T), alignof(T))) T(value);
    }
    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        char* target = static_cast<char*>(memory_.allocate(text.size(), 1));
        text.copy(target, text.size());
        return {target, text.size()};
    }

 private:
    std::pmr::monotonic_buffer_resource memory_{1 << 16};
};

// A file that has been read. Pinned: its nodes refer to it.
struct Module {
    Module(std::string name, std::string contents) : text{std::move(contents)} {
        files.push_back(std::move(name));
    }
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    const std::string text;
    // SourceLocation::file counts here: 0 is this file, others were named by loc("file.py":1:2).
    std::vector<std::string> files;
    Arena arena;
    std::span<const Operation> operations;  // modules and functions
};

// The attribute of that name, or null.
const Attribute* find(std::span<const NamedAttribute> attributes, std::string_view name);

}  // namespace ptosim::assembly
