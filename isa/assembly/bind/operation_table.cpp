#include "isa/assembly/bind/operation_table.h"

#include <algorithm>
#include <vector>

namespace ptosim::assembly {

std::span<const OperationInfo> operation_table() {
    static const std::vector<OperationInfo> kTable = [] {
        std::vector<OperationInfo> table;
        std::string_view group;
#define GROUP(TITLE) group = TITLE;
#define OPERATION(NAME, PART, METHOD, EXAMPLE) table.push_back({NAME, group, EXAMPLE});
#include "isa/assembly/bind/operations.def"
        return table;
    }();
    return kTable;
}

const OperationInfo* find_operation(std::string_view name) {
    const auto table = operation_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const OperationInfo& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace ptosim::assembly
