#include "sim/machine/model/chip_schema.h"

#include <nlohmann/json.hpp>

#include "sim/machine/model/parameters.h"
#include "sim/machine/observe/time_grades.h"

namespace ptosim {
namespace {

using Json = nlohmann::ordered_json;

// Properties of a group that the parameters below it inherit.
Json group_properties() {
    return {{"unit", {{"type", "string"}}},
            {"grade", {{"enum", kTimeGradeNames}}},
            {"source", {{"type", "string"}}},
            {"note", {{"type", "string"}}}};
}

Json group() {
    return {
        {"type", "object"}, {"properties", group_properties()}, {"additionalProperties", false}};
}

// A number with the units of a dimension.
Json number_in(Dimension dimension) {
    const Json number = {{"type", "number"}, {"minimum", 0}};
    Json properties = group_properties();
    properties["unit"] = {{"enum", units_of(dimension)}};
    properties["value"] = number;
    return {{"anyOf",
             {number,
              {{"type", "object"},
               {"properties", properties},
               {"required", {"value"}},
               {"additionalProperties", false}}}}};
}

constexpr std::pair<Dimension, const char*> kDimensions[] = {
    {Dimension::kCount, "count"},
    {Dimension::kBytes, "bytes"},
    {Dimension::kHertz, "frequency"},
    {Dimension::kCycles, "cycles"},
    {Dimension::kBytesPerCycle, "bytes_per_cycle"},
    {Dimension::kBytesPerSecond, "bytes_per_second"},
    {Dimension::kArea, "area"},
    {Dimension::kEnergy, "energy"},
    {Dimension::kPower, "power"},
};

Json leaf(const ParameterRow& row) {
    Json result = {{"description", row.description()}};
    for (const auto& [dimension, word] : kDimensions)
        if (dimension == row.dimension) result["$ref"] = std::string("#/$defs/") + word;
    // scripts/calibration/laws.py reads it.
    if (row.faster != Faster::kNeither)
        result["x-faster"] = row.faster == Faster::kMore ? "more" : "less";
    return result;
}

// The node of "aiv.ub.bytes" in a tree of groups; makes the groups above it.
Json& node_of(Json& root, const std::string& path) {
    Json* node = &root;
    size_t begin = 0;
    while (true) {
        const size_t dot = path.find('.', begin);
        Json& properties = (*node)["properties"];
        const std::string word = path.substr(begin, dot - begin);
        if (dot == std::string::npos) return properties[word];
        if (!properties.contains(word)) properties[word] = group();
        node = &properties[word];
        begin = dot + 1;
    }
}

}  // namespace

std::string chip_schema() {
    Json parameters = group();
    for (const ParameterRow& row : parameter_rows()) node_of(parameters, row.path) = leaf(row);
    Json schema = {
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
        {"title", "A chip of ptosim (docs/models.md)"},
        {"type", "object"},
        {"properties",
         {{"$schema", {{"type", "string"}}},
          {"name", {{"type", "string"}}},
          {"description", {{"type", "string"}}},
          {"arch", {{"enum", {"a2a3", "a5", "kirin"}}}},
          {"extends", {{"type", "string"}}},
          {"inherited",
           {{"type", "object"},
            {"properties",
             {{"grade", {{"enum", kTimeGradeNames}}},
              {"source", {{"type", "string"}}},
              {"measured", {{"type", "array"}, {"minItems", 1}, {"items", {{"type", "string"}}}}}}},
            {"required", {"grade", "source"}},
            {"additionalProperties", false}}},
          {"parameters", parameters}}},
        {"required", {"name", "description", "parameters"}},
        {"anyOf", {{{"required", {"arch"}}}, {{"required", {"extends"}}}}},
        {"additionalProperties", false}};
    for (const auto& [dimension, word] : kDimensions) schema["$defs"][word] = number_in(dimension);
    return schema.dump(1) + "\n";
}

}  // namespace ptosim
