#include "sim/session/fragment_request.h"

#include <algorithm>
#include <array>

#include "isa/core/diagnostic.h"
#include "sim/files/json.h"
#include "sim/session/result.h"

namespace ptosim {
namespace {

// Members stay in order because tiles get addresses in the order of their names.
constexpr size_t kMostLine = 1 << 20;
constexpr uint32_t kSteady = 8;  // repetitions before the counted ones, and number of counted ones

constexpr std::array kFields = {"version", "id",   "text",   "tiles",  "arrays",
                                "values",  "core", "repeat", "memory", "steady"};

template <class T>
T field(const Json& request, const char* name, T otherwise) {
    if (!request.contains(name)) return otherwise;
    try {
        return request[name].get<T>();
    } catch (const Json::Error&) {
        fail_input("I61", std::string("'") + name + "' of the request is of another type");
    }
}

std::vector<std::pair<std::string, std::string>> named(const Json& request, const char* name) {
    std::vector<std::pair<std::string, std::string>> found;
    if (!request.contains(name)) return found;
    if (!request[name].is_object())
        fail_input("I61", std::string("'") + name + "' of the request is not an object");
    for (const auto& [key, value] : request[name].items()) {
        if (!value.is_string())
            fail_input("I61", std::string("'") + name + "." + key + "' of the request is not text");
        found.emplace_back(key, value.get<std::string>());
    }
    return found;
}

Fragment fragment_of(const Json& request) {
    for (const auto& [key, value] : request.items())
        if (std::find(kFields.begin(), kFields.end(), key) == kFields.end())
            fail_input("I61", "the request has the unknown field '" + key + "'");
    if (field<int64_t>(request, "version", kCostVersion) != kCostVersion)
        fail_input("I61", "the request is of another version than " + std::to_string(kCostVersion));
    if (!request.contains("text")) fail_input("I61", "the request has no 'text'");
    Fragment fragment;
    fragment.text = field<std::string>(request, "text", "");
    fragment.tiles = named(request, "tiles");
    fragment.arrays = named(request, "arrays");
    fragment.values = named(request, "values");
    fragment.core = field<std::string>(request, "core", fragment.core);
    const auto repeat = field<int64_t>(request, "repeat", 1);
    if (repeat < 1 || repeat > UINT32_MAX) fail_input("I61", "'repeat' of the request is out of range");
    fragment.repeat = static_cast<uint32_t>(repeat);
    const auto memory = field<std::string>(request, "memory", "l2");
    if (memory != "l2" && memory != "hbm")
        fail_input("I61", "'memory' of the request is '" + memory + "', not l2 or hbm");
    fragment.from_l2 = memory == "l2";
    return fragment;
}

// Cycles of one repetition among many.
double steady_cycles(FragmentMachine& machine, Fragment fragment) {
    fragment.repeat = kSteady;
    const Cycle first = machine.cost(fragment).cycles;
    fragment.repeat = 2 * kSteady;
    return static_cast<double>(machine.cost(fragment).cycles - first) / kSteady;
}

Json answer(FragmentMachine& machine, const Json& request) {
    const Fragment fragment = fragment_of(request);
    const FragmentCost cost = machine.cost(fragment);
    Json found{{"cycles", cost.cycles},
               {"time_us", microseconds(cost.cycles, machine.model().clock)},
               {"instructions", cost.instructions}};
    if (field<bool>(request, "steady", false)) found["steady"] = steady_cycles(machine, fragment);
    return found;
}

Json error_of(const Diagnostic& d) {
    Json error{{"code", d.code}, {"message", d.message}};
    if (d.location.line != 0) error["line"] = d.location.line;
    if (d.location.column != 0) error["column"] = d.location.column;
    if (!d.hint.empty()) error["hint"] = d.hint;
    return error;
}

}  // namespace

std::string answer_cost_request(FragmentMachine& machine, std::string_view line) {
    Json result{{"version", kCostVersion}};
    try {
        if (line.size() > kMostLine)
            fail_input("I61", "the request has more than " + std::to_string(kMostLine) + " bytes");
        const Json request = parse_json(line, {.discards = true});
        if (!request.is_object()) fail_input("I61", "a request is an object in a line of JSON");
        if (request.contains("id")) result["id"] = request["id"];
        result.update(answer(machine, request));
    } catch (const DiagnosticError& error) {
        result["error"] = error_of(error.diagnostics().front());
    }
    return dump_json(result);
}

std::string cost_request(const Fragment& fragment) {
    Json request{{"text", fragment.text},
                 {"core", fragment.core},
                 {"repeat", fragment.repeat},
                 {"memory", fragment.from_l2 ? "l2" : "hbm"}};
    for (const auto& [name, list] : {std::pair{"tiles", &fragment.tiles}, {"arrays", &fragment.arrays},
                                     {"values", &fragment.values}}) {
        request[name] = Json::object();
        for (const auto& [key, value] : *list) request[name][key] = value;
    }
    return dump_json(request);
}

FragmentCost cost_in_answer(const std::string& answer) {
    const Json found = parse_json(answer);
    if (found.contains("error")) {
        const Json& error = found["error"];
        Diagnostic d;
        d.code = error.at("code").get<std::string>();
        d.message = error.at("message").get<std::string>();
        d.hint = error.value("hint", "");
        d.location.line = error.value("line", 0u);
        d.location.column = error.value("column", 0u);
        throw DiagnosticError({d});
    }
    return {found.at("cycles").get<Cycle>(), found.at("instructions").get<uint64_t>()};
}

}  // namespace ptosim
