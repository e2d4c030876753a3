#include "sim/native/image_data.h"

#include "isa/core/global_view.h"

namespace ptosim {

uint64_t address_of_image_data(const Running& core, uint64_t address) {
    const uint64_t hint = address & GlobalView::kPastL2;  // only intrinsics still have it
    const auto data = core.kernel.data_at(core.port.identity().core, address & ~GlobalView::kPastL2);
    if (!data) return address;
    const uint64_t begin = core.port.image_data(data->bytes, *data->name);
    return begin == 0 ? address : (begin + data->offset) | hint;
}

}  // namespace ptosim
