#include "traces/write/page_data.h"

#include <cmath>

#include "isa/numeric/formats.h"
#include "sim/files/json.h"
#include "traces/record/core_index.h"

namespace ptosim {

namespace {

// JSON has no word for values that are not numbers.
Json number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

Json decoded(DType type) {
    Json list = Json::array();
    const float* const table = decode_table(type);
    for (unsigned i = 0; i < 1u << bits(type); ++i)
        list.push_back(number(static_cast<double>(table[i])));
    return list;
}

}  // namespace

std::string page_data(const Recording& recording, Json& kept) {
    std::string bytes;
    kept = {{"cores", Json::array()},
            {"spaces", Json::array()},
            {"tiles", Json::array()},
            {"decoded", Json::object()},
            {"operands", Json::array()}};
    for (unsigned space = 0; space < kSpaceCount; ++space)
        kept["spaces"].push_back(name(static_cast<Space>(space)));
    for (const TileValues& tile : recording.tiles) {
        const bool fits = bytes.size() + tile.bytes.size() <= kMostPageValues;
        const std::string type(name(tile.dtype));
        kept["tiles"].push_back({type, tile.rows, tile.columns, fits});
        if (fits) bytes += tile.bytes;
        if (!is_integer(tile.dtype) && bits(tile.dtype) <= 8 && !kept["decoded"].contains(type))
            kept["decoded"][type] = decoded(tile.dtype);
    }
    std::vector<CoreId> cores;
    CoreIndex index;
    for (const ValuesRecord& v : recording.values) {
        const int64_t tile = v.tile == ValuesRecord::kNotKept ? -1 : int64_t{v.tile};
        kept["operands"].push_back({index.of(v.core, cores), v.sequence, v.operand,
                                    static_cast<unsigned>(v.role), static_cast<unsigned>(v.space),
                                    v.address, tile, v.facts.nans, v.facts.infinities,
                                    v.facts.least, v.facts.most});
    }
    for (const CoreId core : cores) kept["cores"].push_back(name(core));
    return bytes;
}

}  // namespace ptosim
