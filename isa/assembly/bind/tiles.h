// Tiles: names for bytes on chip, and windows and other readings of them.
#pragma once

#include "isa/assembly/bind/memory.h"

namespace ptosim::assembly {

class TileBinder : public BinderPart {
 public:
    TileBinder(BindContext& context, MemoryBinder& memory)
        : BinderPart{context}, memory_{memory} {}

    void alloc_tile(const Operation& op);
    void declare_tile(const Operation& op);
    void tile_window(const Operation& op);
    void retype_tile(const Operation& op);
    void assign_tile(const Operation& op);
    void multi_tile_get(const Operation& op);
    void scale_address(const Operation& op);
    void set_valid(const Operation& op);
    void get_valid(const Operation& op);
    void tile_valid_extent(const Operation& op);
    void get_tile_value(const Operation& op);
    void set_tile_value(const Operation& op);

 private:
    const Type* window_type(const Type& source, const Tile& tile);

    MemoryBinder& memory_;
};

}  // namespace ptosim::assembly
