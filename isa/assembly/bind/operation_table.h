// The operations of the dialect that the binder knows beside the instructions of the table.
#pragma once

#include <span>
#include <string_view>

namespace ptosim::assembly {

struct OperationInfo {
    std::string_view name;     // "pto.alloc_tile"
    std::string_view group;    // a title: "Tiles"
    std::string_view example;  // as a file writes it, on one or several lines
};
// In groups, in the order of bind/operations.def.
std::span<const OperationInfo> operation_table();
// Null for names that are not in the table: those of arith and of instructions among them.
const OperationInfo* find_operation(std::string_view name);

}  // namespace ptosim::assembly
