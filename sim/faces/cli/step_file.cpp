#include "sim/faces/cli/step_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/files/json.h"

namespace ptosim::cli {
namespace {

constexpr uint64_t kMostRepeat = 100'000, kMostKib = uint64_t{1} << 40;

// A JSON object of the file and its place for messages.
class Part {
 public:
    Part(const std::string& file, std::string place, const Json& value)
        : file_{file}, place_{std::move(place)}, value_{value} {}

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_input("I23", "step " + file_ + (place_.empty() ? "" : ": " + place_) + ": " + what, hint);
    }
    bool has(const char* key) const { return value_.contains(key); }
    void only(const std::vector<std::string_view>& keys) const {
        if (!value_.is_object()) fail("must be an object");
        for (const auto& [key, child] : value_.items()) {
            if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
            std::string list;
            for (const std::string_view word : keys) list += (list.empty() ? "" : ", ") + std::string(word);
            fail("unknown key '" + key + "'", "keys are " + list);
        }
    }
    std::string text(const char* key) const {
        if (!has(key) || !value_[key].is_string()) fail(std::string("'") + key + "' must be text");
        return value_[key].get<std::string>();
    }
    std::vector<std::string> texts(const char* key) const {
        std::vector<std::string> words;
        if (!value_[key].is_array()) fail(std::string("'") + key + "' must be a list of texts");
        for (const Json& word : value_[key]) {
            if (!word.is_string()) fail(std::string("'") + key + "' must be a list of texts");
            words.push_back(word.get<std::string>());
        }
        return words;
    }
    uint64_t count(const char* key, uint64_t most) const {
        if (!has(key) || !value_[key].is_number_unsigned() || value_[key].get<uint64_t>() == 0 ||
            value_[key].get<uint64_t>() > most)
            fail(std::string("'") + key + "' must be a whole number from 1 to " + std::to_string(most));
        return value_[key].get<uint64_t>();
    }
    double microseconds(const char* key) const {
        constexpr double kMost = 1e12;
        if (!has(key) || !value_[key].is_number()) fail(std::string("'") + key + "' must be a number of microseconds");
        const auto us = value_[key].get<double>();
        if (!(us >= 0 && us <= kMost)) fail(std::string("'") + key + "' is out of range");
        return us;
    }
    const Json& value() const { return value_; }
    const std::string& file() const { return file_; }

 private:
    const std::string& file_;
    std::string place_;
    const Json& value_;
};

Json read_json(const std::string& path) {
    Json root =
        parse_json(read_text(path), {.discards = true, .ignores_comments = true, .sorts = true});
    if (root.is_discarded() || !root.is_object()) fail_input("I23", "step " + path + ": is not a JSON object");
    return root;
}

// Time of a run record: the result JSON of a run, or of a program whose launches of `kernel` have this mean time.
double recorded_us(const Part& node) {
    const std::filesystem::path named = node.text("result");
    const std::string path = (std::filesystem::path(node.file()).parent_path() / named).string();
    const Json root = parse_json(read_text(path), {.discards = true, .sorts = true});
    const bool of_kernel = node.has("kernel");
    const auto number = [&](const Json& from) -> double {
        if (!from.is_object() || !from.contains("time_us") || !from["time_us"].is_number())
            node.fail(path + " has no time_us", "write it with --json, not with --mode functional");
        return from["time_us"].get<double>();
    };
    if (!of_kernel) return number(root);
    const std::string kernel = node.text("kernel");
    double sum = 0, launches = 0;
    if (root.is_object() && root.contains("launches") && root["launches"].is_array())
        for (const Json& launch : root["launches"]) {
            if (!launch.is_object() || launch.value("kernel", Json()) != kernel) continue;
            sum += number(launch);
            ++launches;
        }
    if (launches == 0) node.fail(path + " has no launch of " + kernel);
    return sum / launches;
}

// Reads "128,7168 DT_BF16 ND".
StepNode::Tensor tensor_of(const Part& node, const std::string& text) {
    StepNode::Tensor tensor;
    std::istringstream words(text);
    std::string shape, rest;
    const bool complete = static_cast<bool>(words >> shape >> tensor.type >> tensor.format);
    std::istringstream sizes(shape);
    for (std::string size; std::getline(sizes, size, ',');) {
        const bool digits = !size.empty() && size.size() < 16 && size.find_first_not_of("0123456789") == size.npos;
        if (!digits) node.fail("'" + text + "': unknown shape", "e.g. 128,7168 DT_BF16 ND");
        tensor.shape.push_back(std::stoull(size));
    }
    if (!complete || words >> rest)
        node.fail("'" + text + "': a tensor has a shape, a type and a format", "e.g. 128,7168 DT_BF16 ND");
    return tensor;
}

void read_work(const Part& part, StepNode& node) {
    part.only({"name", "after", "us", "source", "result", "kernel", "type", "operation", "inputs", "outputs"});
    if (part.has("us") == part.has("result"))
        part.fail("has a time in 'us' or in the run record 'result'", "or it is a 'collective'");
    if (part.has("us")) {
        node.us = part.microseconds("us");
        if (part.text("source").empty()) part.fail("'us' needs a 'source'", "where it was measured or computed");
    } else {
        node.us = recorded_us(part);
    }
    if (!part.has("type")) return;
    StepNode::Kernel& kernel = node.kernel.emplace();
    kernel.type = part.text("type");
    const bool fits = !kernel.type.empty() && std::all_of(kernel.type.begin(), kernel.type.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    });
    if (!fits) part.fail("'type' must be a name of letters and digits, because it names a file");
    if (part.has("operation")) kernel.operation = part.text("operation");
    for (const std::string& text : part.texts("inputs")) kernel.inputs.push_back(tensor_of(part, text));
    for (const std::string& text : part.texts("outputs")) kernel.outputs.push_back(tensor_of(part, text));
}

void read_collective(const Part& part, const SystemModel& system, StepNode& node) {
    part.only({"name", "after", "collective", "kib", "ranks", "apart"});
    node.collective = parse_collective(part.text("collective"));
    if (!node.collective) {
        std::string names;
        for (const std::string_view name : kCollectiveNames) names += (names.empty() ? "" : ", ") + std::string(name);
        part.fail("unknown collective '" + part.text("collective") + "'", names);
    }
    const uint64_t all = all_ranks(system);
    node.bytes = part.count("kib", kMostKib) << 10;
    node.ranks = part.has("ranks") ? part.count("ranks", all) : all;
    node.apart = part.has("apart") ? part.count("apart", all) : 1;
    if (all % (node.ranks * node.apart) != 0)
        part.fail("groups of " + std::to_string(node.ranks) + " ranks, " + std::to_string(node.apart) +
                  " apart, do not divide the " + std::to_string(all) + " of " + system.name);
}

}  // namespace

SystemStep read_step(const std::string& path, const SystemModel& system) {
    const Json root = read_json(path);
    const Part whole(path, "", root);
    whole.only({"name", "repeat", "nodes"});
    SystemStep step;
    step.name = whole.text("name");
    if (whole.has("repeat")) step.repeat = whole.count("repeat", kMostRepeat);
    if (!whole.has("nodes") || !root["nodes"].is_array() || root["nodes"].empty())
        whole.fail("'nodes' must be a list of work and collectives");
    for (size_t i = 0; i < root["nodes"].size(); ++i) {
        const Part part(path, "nodes[" + std::to_string(i) + "]", root["nodes"][i]);
        if (!part.value().is_object()) part.fail("must be an object");
        StepNode node;
        node.name = part.text("name");
        const auto index_of = [&](const std::string& name) {
            return static_cast<size_t>(std::find_if(step.nodes.begin(), step.nodes.end(), [&](const StepNode& other) {
                                           return other.name == name;
                                       }) - step.nodes.begin());
        };
        if (index_of(node.name) != i) part.fail("a second node named '" + node.name + "'");
        if (!part.has("after") && i > 0) node.after.push_back(i - 1);
        if (part.has("after"))
            for (const std::string& name : part.texts("after")) {
                const size_t index = index_of(name);
                if (index == i) part.fail("'after' names '" + name + "', which no earlier node has");
                if (std::find(node.after.begin(), node.after.end(), index) == node.after.end())
                    node.after.push_back(index);
            }
        if (part.has("collective"))
            read_collective(part, system, node);
        else
            read_work(part, node);
        step.nodes.push_back(std::move(node));
    }
    return step;
}

}  // namespace ptosim::cli
