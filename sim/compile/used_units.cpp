#include "sim/compile/used_units.h"

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {
namespace {

bool is_name_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

UsedUnits used_units(std::string_view object) {
    UsedUnits used;
    for (size_t begin = 0; begin < object.size();) {
        size_t end = begin;
        while (end < object.size() && is_name_letter(object[end])) ++end;
        const bool is_string = end > begin && end < object.size() && object[end] == '\0';
        if (const IntrinsicInfo* row = is_string ? find_intrinsic(object.substr(begin, end - begin)) : nullptr) {
            used.cube = used.cube || row->form.unit == IntrinsicUnit::kCube || row->name.ends_with("_ca") ||
                        row->name.ends_with("_cb");
            used.vector = used.vector || row->form.unit == IntrinsicUnit::kVector ||
                          row->name.find("ubuf") != row->name.npos;
        }
        begin = end + 1;
    }
    return used;
}

}  // namespace ptosim
