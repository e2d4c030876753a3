#include "sim/faces/sweep/plan.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>

#include "isa/core/diagnostic.h"
#include "sim/faces/sweep/chip_cost.h"
#include "sim/faces/sweep/hardware.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/files/sha256.h"
#include "sim/machine/model/parameters.h"
#include "sim/session/kernel_source.h"
#include "sim/session/options.h"

namespace ptosim::sweep {
namespace {

namespace fs = std::filesystem;

// A position in the plan for errors: its file and the path of a node.
struct Node {
    const std::string& file;
    std::string path;
    const Json& value;

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_input("I51", "plan " + file + (path.empty() ? "" : ": " + path) + ": " + what, hint);
    }
    Node at(const std::string& key) const {
        return {file, path.empty() ? key : path + "." + key, value.at(key)};
    }
    Node at(size_t i) const { return {file, path + "[" + std::to_string(i) + "]", value.at(i)}; }
    bool has(const char* key) const { return value.contains(key); }

    void only(std::initializer_list<std::string_view> keys) const {
        if (!value.is_object()) fail("must be an object, found " + dump_json(value));
        const std::vector<std::string_view> accepted(keys);
        for (const auto& [key, child] : value.items()) {
            if (std::find(accepted.begin(), accepted.end(), key) != accepted.end()) continue;
            std::string list;
            for (std::string_view word : accepted)
                list += (list.empty() ? "" : ", ") + std::string(word);
            const std::string near = closest(key, accepted);
            at(key).fail("unknown key", (near.empty() ? "" : "did you mean '" + near + "'? ") +
                                            "keys are " + list);
        }
    }
    std::string text() const {
        if (!value.is_string()) fail("must be text, found " + dump_json(value));
        return value.get<std::string>();
    }
    // Text, or a number as written.
    std::string word() const {
        if (value.is_number() || value.is_boolean()) return dump_json(value);
        return text();
    }
    std::vector<std::string> words() const {
        if (!value.is_array()) return {word()};
        std::vector<std::string> result;
        for (size_t i = 0; i < value.size(); ++i) result.push_back(at(i).word());
        return result;
    }
};

// A value, a list of values, or {"from", "to", "step" or "times"}.
std::vector<std::string> axis_values(const Node& node) {
    if (!node.value.is_object()) {
        std::vector<std::string> values = node.words();
        if (values.empty()) node.fail("has no values: the product is empty");
        for (auto value = values.begin(); value != values.end(); ++value)
            if (std::find(values.begin(), value, *value) != value)
                node.fail("has " + *value + " twice", "list each value once");
        return values;
    }
    node.only({"from", "to", "step", "times"});
    const auto number = [&](const char* key) {
        if (!node.has(key) || !node.value[key].is_number_integer())
            node.fail(std::string("'") + key + "' must be a whole number",
                      "in the base unit, without a suffix: 131072 for 128KiB");
        return node.value[key].get<int64_t>();
    };
    const int64_t from = number("from"), to = number("to");
    if (node.has("step") == node.has("times"))
        node.fail("needs either 'step' or 'times'",
                  R"(for example {"from": 64, "to": 256, "times": 2})");
    const bool multiplies = node.has("times");
    const int64_t by = number(multiplies ? "times" : "step");
    if (by < (multiplies ? 2 : 1) || (multiplies && from < 1))
        node.fail("does not grow", "'step' is at least 1, 'times' at least 2 from at least 1");
    if (from > to) node.fail("has no values: the product is empty");
    std::vector<std::string> values;
    for (int64_t v = from; v <= to; v = multiplies ? v * by : v + by) {
        values.push_back(std::to_string(v));
        if (values.size() > 1000000 || v > std::numeric_limits<int64_t>::max() / (2 * by))
            node.fail("has more than a million values");
    }
    return values;
}

std::vector<Axis> axes(const Node& node) {
    if (!node.value.is_object()) node.fail("must be an object, found " + dump_json(node.value));
    std::vector<Axis> result;
    for (const auto& [key, child] : node.value.items())
        result.push_back({key, axis_values(node.at(key))});
    return result;
}

void check_parameters(const Node& node, const PlanKernel& kernel) {
    for (const Axis& axis : kernel.parameters)
        for (const std::string& value : axis.values) try {
                parse_parameters({axis.name + "=" + value});
            } catch (const DiagnosticError& error) {
                node.fail("'" + axis.name + "' has the value " + value + ", not a whole number");
            }
    if (kernel.compiled) return;
    std::vector<KernelParameter> declared = declared_parameters(kernel.text);
    std::vector<std::string_view> names;
    for (const KernelParameter& parameter : declared) names.push_back(parameter.name);
    for (const Axis& axis : kernel.parameters) {
        if (std::find(names.begin(), names.end(), axis.name) != names.end()) continue;
        if (names.empty())
            node.fail(kernel.file + " declares no parameters: its tiling cannot vary",
                      "a kernel declares them in lines like //! param " + axis.name + " = 128");
        std::string accepted;
        for (std::string_view word : names)
            accepted += (accepted.empty() ? "" : ", ") + std::string(word);
        const std::string near = closest(axis.name, names);
        node.fail(kernel.file + " has no parameter '" + axis.name + "'",
                  (near.empty() ? "" : "did you mean '" + near + "'? ") + "it has " + accepted);
    }
}

// A program: a command whose kernels run on the chip of each point.
void read_program(const Node& item, PlanKernel& kernel) {
    for (const char* key : {"file", "entry", "blocks", "arguments"})
        if (item.has(key)) item.at(key).fail("is for a kernel", "write the words of the program into 'program'");
    kernel.program = item.at("program").words();
    if (kernel.program.empty()) item.at("program").fail("has no words", R"(for example "program": ["./app", "4096"])");
    if (item.has("system")) kernel.system = item.at("system").text();
    kernel.compiled = true;
    for (const std::string& word : kernel.program) kernel.text += word + "\n";
}

// "search": true for the kernel's own lines, or its parameters with their values; "short": parameters of a shorter
// problem.
void read_search(const Node& item, const std::string& path, PlanKernel& kernel) {
    const auto refuse_given = [&](const Node& at, const std::string& name) {
        for (const Axis& axis : kernel.parameters)
            if (axis.name == name) at.fail("'params' has '" + name + "', too", "search it, or fix it");
    };
    SweepLines lines;
    if (!kernel.compiled) lines = sweep_lines(path, kernel.text);
    if (kernel.arguments.empty()) kernel.arguments = lines.arguments;
    if (kernel.blocks.empty()) kernel.blocks = lines.blocks;
    if (!item.has("search")) {
        if (item.has("short")) item.at("short").fail("is for a search", "add 'search'");
        return;
    }
    const Node node = item.at("search");
    if (node.value.is_boolean()) {
        if (!node.value.get<bool>()) return;
        for (const auto& [name, values] : lines.search) {
            Axis axis{name, {}};
            for (const int64_t value : values) axis.values.push_back(std::to_string(value));
            const bool given = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                           [&](const Axis& other) { return other.name == axis.name; });
            if (!given) kernel.search.push_back(std::move(axis));
        }
        if (lines.search.empty())
            node.fail(kernel.file + " has no line '//! search'",
                      R"(name the parameters here: "search": {"TILE_M": [64, 128]})");
        for (const auto& [name, value] : lines.brief) kernel.brief[name] = value;
    } else {
        kernel.search = axes(node);
        for (const Axis& axis : kernel.search) refuse_given(node, axis.name);
        if (kernel.search.empty()) node.fail("names no parameter");
        PlanKernel named = kernel;
        named.parameters = kernel.search;
        std::erase_if(named.parameters, [](const Axis& axis) { return axis.name == "blocks"; });
        check_parameters(node, named);
    }
    if (item.has("short")) {
        PlanKernel named = kernel;
        named.parameters = axes(item.at("short"));
        check_parameters(item.at("short"), named);
        kernel.brief.clear();
        for (const Axis& axis : named.parameters) kernel.brief[axis.name] = std::stoll(axis.values.front());
    }
}

std::string fingerprint(const ChipModel& chip) {
    std::string text = chip.name + " " + std::string(name(chip.arch)) + "\n";
    std::map<std::string_view, std::string_view> values;
    for (const ParameterRow& row : parameter_rows()) {
        if (row.path.starts_with("cost.")) continue;  // no time rests on them
        if (const ChipModel::Provenance* const stated = chip.stated(row.path)) values[row.path] = stated->value;
    }
    for (const auto& [path, value] : values) text += std::string(path) + "=" + std::string(value) + "\n";
    return text;
}

std::string hash(const std::string& text) {
    return sha256(std::as_bytes(std::span(text.data(), text.size())));
}

uint64_t buffer_bytes(const Values& chip) {
    const auto get = [&](const char* path) {
        const double* found = chip.find(path);
        return found == nullptr ? 0.0 : *found;
    };
    double cluster = get("chip.aiv.ub.bytes") * get("chip.cluster.aivs");
    for (const char* path :
         {"chip.aic.l1.bytes", "chip.aic.l0a.bytes", "chip.aic.l0b.bytes", "chip.aic.l0c.bytes"})
        cluster += get(path);
    return static_cast<uint64_t>(cluster * get("chip.clusters"));
}

// Iterates over a product, the last axis fastest.
class Odometer {
 public:
    explicit Odometer(std::vector<size_t> sizes) : sizes_(std::move(sizes)), at_(sizes_.size()) {}
    size_t operator[](size_t axis) const { return at_[axis]; }
    bool next() {
        for (size_t axis = sizes_.size(); axis-- > 0;) {
            if (++at_[axis] < sizes_[axis]) return true;
            at_[axis] = 0;
        }
        return false;
    }

 private:
    std::vector<size_t> sizes_, at_;
};

}  // namespace

Json Point::coordinates() const {
    Json result{{"kernel", kernel->name}, {"chip", chip}};
    if (!change.empty()) result["change"] = change;
    for (const auto& [path, value] : sets)
        if (!facts.contains("paths") || !facts["paths"].contains(path)) result[path] = value;
    for (const Axis& axis : kernel->parameters) result[axis.name] = parameters.at(axis.name);
    return result;
}

Plan Plan::load(const std::string& file) {
    Plan plan;
    plan.file_ = file;
    plan.folder_ = fs::absolute(fs::path(file)).parent_path().string();
    plan.text_ = read_text(file);
    Json root;
    try {
        root = parse_json(plan.text_, {.ignores_comments = true, .sorts = true});
    } catch (const Json::Error& error) {
        fail_input("I51", "plan " + file + " is not JSON: " + error.what(),
                   "docs/running.md shows a plan");
    }
    plan.read(root);
    plan.check_chips();
    plan.check_changes();
    return plan;
}

// The values of an option in the line `// run: OPTIONS` of a kernel.
static std::vector<std::string> words_of_run(const std::string& text, const std::string& option) {
    std::vector<std::string> values;
    const size_t begin = text.find("// run: ");
    if (begin == std::string::npos) return values;
    std::istringstream words(text.substr(begin, text.find('\n', begin) - begin));
    for (std::string word, before; words >> word; before = word)
        if (before == option) values.push_back(word);
    return values;
}

Plan Plan::of(const Question& question) {
    const auto split = [](const std::string& option, const std::string& word) {
        const size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
            fail_input("I51", option + " " + word + ": expected NAME=VALUE",
                       option == "--change" ? "for example --change memory.l2.bytes=x2"
                                            : "for example --param QUERIES=4096");
        return std::pair{word.substr(0, equals), word.substr(equals + 1)};
    };
    Json kernel{{"file", question.kernel}};
    for (const std::string& word : question.parameters) {
        const auto [name, value] = split("--param", word);
        Json& values = kernel["params"][name];
        for (size_t begin = 0; begin <= value.size();) {
            const size_t comma = std::min(value.find(',', begin), value.size());
            values.push_back(value.substr(begin, comma - begin));
            begin = comma + 1;
        }
    }
    if (!question.blocks.empty()) kernel["blocks"] = question.blocks;
    if (!question.arguments.empty()) kernel["arguments"] = question.arguments;
    if (is_assembly(question.kernel) && fs::exists(question.kernel)) {
        const std::string text = read_text(question.kernel);
        const SweepLines lines = sweep_lines(question.kernel, text);
        if (question.search && !lines.search.empty()) kernel["search"] = true;
        if (question.arguments.empty() && lines.arguments.empty()) {
            const auto arguments = words_of_run(text, "--arg"), blocks = words_of_run(text, "--blocks");
            if (!arguments.empty()) kernel["arguments"] = arguments;
            if (question.blocks.empty() && !blocks.empty()) kernel["blocks"] = blocks.front();
        }
    }
    Json root{{"title", fs::path(question.kernel).stem().string() + ": changes of the chip"},
              {"chips", question.chips},
              {"kernels", Json::array({kernel})}};
    for (const std::string& word : question.changes) {
        Json change = Json::object();
        for (size_t begin = 0; begin <= word.size();) {
            const size_t comma = std::min(word.find(',', begin), word.size());
            const auto [path, value] = split("--change", word.substr(begin, comma - begin));
            change[path] = value;
            begin = comma + 1;
        }
        root["changes"].push_back(std::move(change));
    }
    if (question.sample) root["run"] = {{"sample", true}};
    Plan plan;
    plan.file_ = "of " + question.kernel;
    plan.folder_ = fs::current_path().string();
    plan.text_ = dump_json(root, 2);
    plan.read(root);
    plan.check_chips();
    plan.check_changes();
    return plan;
}

void Plan::read(const Json& value) {
    const Node root{file_, "", value};
    root.only({"title", "chips", "set", "changes", "kernels", "where", "run"});
    title_ = root.has("title") ? root.at("title").text() : fs::path(file_).stem().string();
    if (!root.has("chips"))
        root.fail("'chips' is missing", R"(for example "chips": ["ascend910b1"])");
    chips_ = axis_values(root.at("chips"));
    if (root.has("set")) sets_ = axes(root.at("set"));
    if (root.has("changes")) read_changes(root.at("changes").value);
    if (root.has("where")) where_ = root.at("where").words();
    if (root.has("run")) read_run(root.at("run").value);
    if (!root.has("kernels")) root.fail("'kernels' is missing");
    read_kernels(root.at("kernels").value);
}

void Plan::read_changes(const Json& value) {
    const Node node{file_, "changes", value};
    if (!value.is_array() || value.empty())
        node.fail("must be a list of objects", R"(for example "changes": [{"memory.l2.bytes": "x2"}])");
    for (size_t i = 0; i < value.size(); ++i) {
        const Node item = node.at(i);
        if (!item.value.is_object()) item.fail("must be an object, found " + dump_json(item.value));
        Change change;
        for (const auto& [key, child] : item.value.items()) {
            if (key == "name") {
                change.name = item.at(key).text();
                if (change.name == kBase || change.name == kAllChanges)
                    item.at(key).fail("'" + change.name + "' is the name of another row of the table");
                continue;
            }
            for (const Axis& axis : sets_)
                if (axis.name == key)
                    item.at(key).fail("'set' has the same parameter", "vary it in one of the two");
            change.figures.emplace_back(key, item.at(key).word());
        }
        if (change.figures.empty()) item.fail("changes nothing", "name a parameter of the chip");
        changes_.push_back(std::move(change));
    }
}

void Plan::read_kernels(const Json& value) {
    const Node node{file_, "kernels", value};
    if (!value.is_array() || value.empty()) node.fail("must be a list with at least one kernel");
    for (size_t i = 0; i < value.size(); ++i) {
        const Node item = node.at(i);
        item.only({"name", "file", "entry", "blocks", "arguments", "params", "where", "search", "short", "program", "system"});
        PlanKernel kernel;
        if (item.has("program")) {
            read_program(item, kernel);
        } else {
            if (!item.has("file")) item.fail("'file' is missing", "a kernel has a 'file', a program of kernels a 'program'");
            if (item.has("system")) item.at("system").fail("is for programs", "a kernel runs on one chip");
            kernel.file = item.at("file").text();
        }
        kernel.name = item.has("name") ? item.at("name").text()
                                       : fs::path(kernel.program.empty() ? kernel.file : kernel.program.back()).stem().string();
        for (const PlanKernel& other : kernels_)
            if (other.name == kernel.name)
                item.fail("two kernels are named '" + kernel.name + "'",
                          "give one of them a 'name'");
        const std::string path = (fs::path(folder_) / kernel.file).string();
        if (kernel.program.empty()) {
            if (!fs::exists(path)) item.at("file").fail("there is no file " + path);
            kernel.text = read_text(path);
            kernel.compiled = !is_assembly(path);
        }
        if (item.has("entry")) kernel.entry = item.at("entry").text();
        if (item.has("blocks")) kernel.blocks = item.at("blocks").word();
        if (item.has("arguments")) kernel.arguments = item.at("arguments").words();
        if (item.has("params")) kernel.parameters = axes(item.at("params"));
        if (item.has("where")) kernel.where = item.at("where").words();
        check_parameters(item.has("params") ? item.at("params") : item, kernel);
        read_search(item, path, kernel);
        kernels_.push_back(std::move(kernel));
    }
}

void Plan::read_run(const Json& value) {
    const Node node{file_, "run", value};
    node.only({"mode", "sample", "sync", "numerics", "check", "seed", "timeout"});
    const auto choose = [&](const char* key, std::string& into,
                            std::initializer_list<std::string_view> words) {
        if (!node.has(key)) return;
        into = node.at(key).text();
        if (std::find(words.begin(), words.end(), into) != words.end()) return;
        std::string accepted;
        for (std::string_view word : words)
            accepted += (accepted.empty() ? "" : ", ") + std::string(word);
        node.at(key).fail("unknown value '" + into + "'", "it is one of " + accepted);
    };
    choose("mode", settings_.mode, {"full", "timing", "functional"});
    choose("sync", settings_.sync, {"explicit", "auto"});
    choose("numerics", settings_.numerics, {"ieee", "a2a3", "a5"});
    if (node.has("check")) settings_.check = node.at("check").text();
    if (node.has("sample")) {
        if (!node.value["sample"].is_boolean()) node.at("sample").fail("must be true or false");
        settings_.sample = node.value["sample"].get<bool>();
        if (settings_.sample && (settings_.mode != "timing" || settings_.check != "none"))
            node.at("sample").fail("skips periods of a run", "it needs mode timing, without check");
    }
    if (node.has("seed")) {
        if (!node.value["seed"].is_number_unsigned())
            node.at("seed").fail("must be a whole number");
        settings_.seed = node.value["seed"].get<uint64_t>();
    }
    if (node.has("timeout")) {
        if (!node.value["timeout"].is_number() || node.value["timeout"].get<double>() <= 0)
            node.at("timeout").fail("must be a number of seconds above 0");
        settings_.timeout = node.value["timeout"].get<double>();
    }
}

bool Plan::searches() const {
    return std::any_of(kernels_.begin(), kernels_.end(), [](const PlanKernel& kernel) { return !kernel.search.empty(); });
}

size_t Plan::size() const {
    size_t shared = chips_.size() * rows_of_changes(), kernels = 0;
    for (const Axis& axis : sets_) shared *= axis.values.size();
    for (const PlanKernel& kernel : kernels_) {
        size_t combinations = 1;
        for (const Axis& axis : kernel.parameters) combinations *= axis.values.size();
        kernels += combinations;
    }
    return shared * kernels;
}

const Plan::ChipFacts& Plan::chip_of(const Point& point) const {
    std::string chip_key = point.chip;
    for (const auto& [path, value] : point.sets) chip_key += "\n" + path + "=" + value;
    const Hardware hardware = hardware_of(point);
    if (!point.kernel->system.empty()) chip_key += "\nsystem " + point.kernel->system;
    const auto cached = chip_cache_.find(chip_key);
    if (cached != chip_cache_.end()) return cached->second;
    const ChipModel chip = sweep::chip_of(hardware);
    return chip_cache_.emplace(chip_key, ChipFacts{chip_values(chip), hash(fingerprint(chip) + system_fingerprint(hardware)), cost_of(chip)})
        .first->second;
}

// Evaluates everything that depends on the combination. Returns false if it is not to be run.
bool Plan::fill(Point& point, const std::string& program) const {
    const ChipFacts* facts = nullptr;
    try {
        facts = &chip_of(point);
    } catch (const DiagnosticError& error) {
        point.skipped = error.diagnostics().front().message;
        return false;
    }
    const PlanKernel& kernel = *point.kernel;
    if (kernel.compiled)  // its own choice is not known
        for (const Axis& axis : kernel.search)
            if (axis.name != "blocks") point.parameters.try_emplace(axis.name, std::stoll(axis.values.front()));
    const Values& chip = facts->values;
    point.facts["cost"] = facts->cost;
    Values values(&chip);
    point.chip_bytes = buffer_bytes(chip);
    try {
        std::string text = kernel.text;
        if (!kernel.compiled) {
            ExpandedKernel expanded = expand_parameters(kernel.file, text, point.parameters, chip);
            text = std::move(expanded.text);
            for (const auto& [name, value] : expanded.values.own()) values[name] = value;
        } else {
            for (const auto& [name, value] : point.parameters) {
                values[name] = static_cast<double>(value);
                text += "\n" + name + "=" + std::to_string(value);
            }
        }
        std::string blocks = kernel.blocks;
        for (size_t i = 0; i < point.chosen.size(); ++i) {
            const Axis& axis = kernel.search[i];
            if (axis.name == "blocks") blocks = axis.values[point.chosen[i]];
        }
        if (!blocks.empty()) point.blocks = evaluate_integer(blocks, values);
        for (const Axis& axis : kernel.search)
            if (axis.name == "blocks")
                point.facts["chosen"]["blocks"] = point.blocks.value_or(0);
            else if (const double* value = values.find(axis.name))
                point.facts["chosen"][axis.name] = static_cast<int64_t>(*value);
        if (point.blocks) point.facts["blocks"] = *point.blocks;
        point.facts["program"] = hash(text).substr(0, 16);
        if (point.blocks) values["blocks"] = static_cast<double>(*point.blocks);
        for (const auto* list : {&where_, &kernel.where})
            for (const std::string& condition : *list)
                if (!evaluate_condition(condition, values)) {
                    point.skipped = "where " + condition;
                    return false;
                }
        if (point.blocks &&
            (*point.blocks < 1 || static_cast<uint64_t>(*point.blocks) > kMostBlocks))
            throw ExpressionError("'blocks' is " + std::to_string(*point.blocks),
                                  "it is at least 1 and at most " + std::to_string(kMostBlocks) +
                                      "; a condition in 'where' leaves such points out");
        std::string key = program + "\n" + facts->fingerprint + hash(text) + "\n" + kernel.file +
                          "\n" + kernel.entry + "\n" +
                          (point.blocks ? std::to_string(*point.blocks) : "") + "\n";
        key += kernel.system + "\n";
        for (const std::string& argument : kernel.program.empty() ? kernel.arguments : kernel.program) {
            point.arguments.push_back(substitute(argument, values));
            key += point.arguments.back() + "\n";
            const size_t equals = point.arguments.back().find('=');
            const fs::path input = fs::path(folder_) / point.arguments.back().substr(equals + 1);
            if ((equals != std::string::npos || !kernel.program.empty()) && fs::is_regular_file(input))
                key += hash(read_file(input.string())) + "\n";
        }
        key += settings_.mode + " " + settings_.sync + " " + settings_.numerics + " " +
               settings_.check + " " + std::to_string(settings_.seed) + (settings_.sample ? " sample" : "");
        point.key = hash(key);
        return true;
    } catch (const RequirementError& error) {
        point.skipped = error.what();
        return false;
    } catch (const ExpressionError& error) {
        fail_input("I51", "plan " + file_ + ": kernel " + kernel.name + ": " + error.what(),
                   error.hint);
    }
}

void Plan::for_each(const std::string& program,
                    const std::function<void(const Point&)>& visit) const {
    size_t index = 0;
    for (const PlanKernel& kernel : kernels_) {
        std::vector<size_t> sizes{chips_.size(), rows_of_changes()};
        for (const Axis& axis : sets_) sizes.push_back(axis.values.size());
        for (const Axis& axis : kernel.parameters) sizes.push_back(axis.values.size());
        Odometer at(sizes);
        do {
            Point point;
            point.index = index++;
            point.kernel = &kernel;
            point.chip = chips_[at[0]];
            for (size_t i = 0; i < sets_.size(); ++i)
                point.sets.emplace_back(sets_[i].name, sets_[i].values[at[2 + i]]);
            apply_change(point, at[1]);
            for (size_t i = 0; i < kernel.parameters.size(); ++i) {
                const Axis& axis = kernel.parameters[i];
                point.parameters[axis.name] = std::stoll(axis.values[at[2 + sets_.size() + i]]);
            }
            fill(point, program);
            visit(point);
        } while (at.next());
    }
}

Point Plan::with_choice(const Point& point, const std::vector<size_t>& chosen, bool brief, const std::string& program) const {
    Point other;
    other.index = point.index;
    other.kernel = point.kernel;
    other.chip = point.chip;
    other.change = point.change;
    other.sets = point.sets;
    if (point.facts.contains("paths")) other.facts["paths"] = point.facts["paths"];
    for (const Axis& axis : point.kernel->parameters) other.parameters[axis.name] = point.parameters.at(axis.name);
    other.chosen = chosen;
    for (size_t i = 0; i < chosen.size(); ++i) {
        const Axis& axis = point.kernel->search[i];
        if (axis.name != "blocks") other.parameters[axis.name] = std::stoll(axis.values[chosen[i]]);
    }
    if (brief)
        for (const auto& [name, value] : point.kernel->brief) other.parameters[name] = value;
    fill(other, program);
    return other;
}

}  // namespace ptosim::sweep
