#include "isa/assembly/context/module_functions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "isa/core/arch.h"

namespace ptosim::assembly {

namespace {

bool is_entry(const Operation& function) {
    for (const std::string_view mark : {"pto.entry", "pto.kernel", "pto.aicore"})
        if (find(function.attributes, mark) != nullptr) return true;
    return false;
}

bool is_call(const Operation& op) { return op.name == "func.call" || op.name == "call"; }

// Everything inside of an operation.
void each_operation(const Operation& outer, auto&& visit) {
    for (const Region& region : outer.regions)
        for (const Block& block : region.blocks)
            for (const Operation& op : block.operations) {
                visit(op);
                each_operation(op, visit);
            }
}

}  // namespace

std::optional<CoreType> kind_of(const Operation& function, const Operation* module) {
    const Attribute* kind = find(function.attributes, "pto.kernel_kind");
    if (kind == nullptr && module != nullptr) kind = find(module->attributes, "pto.kernel_kind");
    if (kind == nullptr) return std::nullopt;
    if (kind->text == "cube") return CoreType::kAIC;
    if (kind->text == "vector") return CoreType::kAIV;
    return std::nullopt;
}

// hw-native-sys/pypto python/pypto/backend/pto_backend.py
std::optional<IdentityField> implicit_parameter(std::string_view name) {
    if (name == "__pypto_spmd_block_idx") return IdentityField::kBlock;
    if (name == "__pypto_spmd_block_num") return IdentityField::kBlocks;
    if (name == "__pypto_spmd_subblock_idx") return IdentityField::kSubblock;
    return std::nullopt;
}

FunctionTable functions_of(const Module& module) {
    FunctionTable table;
    each_function(
        module.operations, nullptr, [&](const Operation& function, const Operation* parent) {
            FunctionInfo& entry = table.by_name[function.symbol];
            if (entry.definitions != 0 && !function.is_declaration && entry.module == parent)
                table.repeated.emplace_back(&function, entry.function);
            entry.definitions += !function.is_declaration;
            // A definition counts before a declaration of the same name.
            if (entry.function == nullptr || entry.function->is_declaration)
                entry = {&function, parent, entry.definitions};
        });
    return table;
}

// Functions that can be launched, in the order of the text.
std::vector<const Operation*> entries_of(const Module& module) {
    std::vector<const Operation*> marked, open;
    std::vector<std::string_view> called;
    each_function(module.operations, nullptr, [&](const Operation& function, const Operation*) {
        each_operation(function, [&](const Operation& op) {
            if (is_call(op) && op.symbol != function.symbol) called.push_back(op.symbol);
        });
        if (function.is_declaration) return;
        if (is_entry(function)) marked.push_back(&function);
        if (find(function.attributes, "sym_visibility") == nullptr) open.push_back(&function);
    });
    if (!marked.empty()) return marked;
    std::erase_if(open, [&](const Operation* function) {
        return std::find(called.begin(), called.end(), function->symbol) != called.end();
    });
    return open;
}

std::vector<std::string> entry_names(const Module& module) {
    std::vector<std::string> names;
    for (const Operation* function : entries_of(module)) names.emplace_back(function->symbol);
    return names;
}

std::vector<std::string> compile_units(const Module& module) {
    std::vector<const Operation*> functions;
    std::map<std::string_view, std::vector<std::string_view>> calls, peers;
    std::map<std::string_view, const Operation*> parents;
    each_function(module.operations, nullptr,
                  [&](const Operation& function, const Operation* parent) {
                      if (function.is_declaration) return;
                      functions.push_back(&function);
                      parents[function.symbol] = parent;
                      each_operation(function, [&](const Operation& op) {
                          if (is_call(op)) calls[function.symbol].push_back(op.symbol);
                          if (op.name != "pto.import_reserved_buffer") return;
                          if (const Attribute* peer = op.attribute("peer_func"))
                              peers[function.symbol].push_back(peer->text);
                      });
                  });
    std::set<std::string_view> seen;
    const std::function<void(std::string_view)> reach = [&](std::string_view name) {
        if (!seen.insert(name).second) return;
        for (const std::string_view callee : calls[name]) reach(callee);
    };
    std::set<std::string_view> called;
    for (const auto& [caller, callees] : calls)
        for (const std::string_view callee : callees)
            if (callee != caller) called.insert(callee);
    std::vector<const Operation*> roots;
    for (const bool cyclic : {false, true})
        for (const Operation* function : functions) {
            if (seen.contains(function->symbol) || (!cyclic && called.contains(function->symbol)))
                continue;
            roots.push_back(function);
            reach(function->symbol);
        }
    const auto halves = [&](const Operation& a, const Operation& b) {
        const auto one = kind_of(a, parents[a.symbol]), other = kind_of(b, parents[b.symbol]);
        return one && other && *one != *other;
    };
    // For each root, the others that may be its other half, in the order of the text: roots that one of the two names,
    // or the only other one.
    std::multimap<std::string_view, size_t> numbers;
    for (size_t i = 0; i < roots.size(); ++i) numbers.emplace(roots[i]->symbol, i);
    std::vector<std::set<size_t>> candidates(roots.size());
    const auto join = [&](size_t one, size_t other) {
        candidates[one].insert(other);
        candidates[other].insert(one);
    };
    for (size_t i = 0; i < roots.size(); ++i) {
        const auto named = peers.find(roots[i]->symbol);
        if (named == peers.end()) continue;
        for (const std::string_view peer : named->second)
            for (auto [at, end] = numbers.equal_range(peer); at != end; ++at) join(i, at->second);
    }
    if (roots.size() == 2) join(0, 1);
    std::vector<std::string> units;
    std::set<const Operation*> taken;
    for (size_t i = 0; i < roots.size(); ++i) {
        const Operation* const root = roots[i];
        if (!taken.insert(root).second) continue;
        std::string unit(root->symbol);
        for (const size_t candidate : candidates[i])
            if (const Operation* const other = roots[candidate];
                !taken.contains(other) && halves(*root, *other)) {
                taken.insert(other);
                unit += "+" + std::string(other->symbol);
                break;
            }
        units.push_back(std::move(unit));
    }
    return units;
}

std::string declared_arch_word(const Module& module) {
    for (const Operation& op : module.operations)
        if (const Attribute* arch = find(op.attributes, "pto.target_arch"))
            return std::string(arch->text);
    return {};
}

std::optional<Arch> declared_arch(const Module& module) {
    const std::string word = declared_arch_word(module);
    return word.empty() ? std::nullopt : parse_arch(word);
}

}  // namespace ptosim::assembly
