#include "sim/faces/mpmd/records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"
#include "sim/files/json.h"

namespace ptosim::mpmd {
namespace {

namespace fs = std::filesystem;

// Thrown for JSON that the runtime's collectors do not write.
class Malformed : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

Json read_json(const fs::path& path) {
    std::ifstream file(path);
    return file ? parse_json(file) : Json();
}

// The runtime's counter begins at 1: 0 marks a time that was not taken.
class Ticks {
 public:
    Ticks(uint64_t hz, uint64_t clock_hz) : hz_{hz}, clock_hz_{clock_hz} {}
    Cycle operator()(const Json& ticks) const {
        const auto value = ticks.get<uint64_t>();
        if (value == 0) return 0;
        const uint64_t time = value - 1;
        return time / hz_ * clock_hz_ + time % hz_ * clock_hz_ / hz_;
    }

 private:
    uint64_t hz_, clock_hz_;
};

// Columns of the swimlane's rows.
enum AicoreColumn { kCore, kToken, kDispatch, kStart, kEnd, kReceiveToStart };
enum AicpuColumn { kAicpuCore, kAicpuDispatch, kDispatched, kSeen };

// AICs come first.
unsigned core_number(CoreId core, unsigned aics) {
    return core.type == CoreType::kAIC ? core.index : aics + core.index;
}

// The tasks of a core, and their rows, have the same order.
void join_tasks(Program& program, Run& run, const Json& records, const Ticks& ticks) {
    std::map<unsigned, std::vector<Task*>> tasks;
    for (size_t i = run.first_task; i < run.tasks_end; ++i)
        tasks[core_number(program.tasks[i].core, run.aics)].push_back(&program.tasks[i]);
    std::map<unsigned, std::vector<const Json*>> rows;
    for (const Json& row : records.at("aicore_tasks"))
        rows[row.at(kCore).get<unsigned>()].push_back(&row);
    std::map<std::pair<unsigned, uint64_t>, const Json*> of_schedulers;
    const Json handed_over = records.value("aicpu_tasks", Json::array());
    for (const Json& row : handed_over)
        of_schedulers[{row.at(kAicpuCore).get<unsigned>(),
                       row.at(kAicpuDispatch).get<uint64_t>()}] = &row;
    for (auto& [core, list] : tasks) {
        std::vector<const Json*>& own = rows[core];
        if (own.size() != list.size()) {
            run.note = "the runtime's records have " + std::to_string(own.size()) +
                       " tasks of core " + std::to_string(core) + ", and " +
                       std::to_string(list.size()) + " have run";
            continue;
        }
        std::stable_sort(own.begin(), own.end(), [](const Json* a, const Json* b) {
            return a->at(kStart).get<uint64_t>() < b->at(kStart).get<uint64_t>();
        });
        for (size_t i = 0; i < list.size(); ++i) {
            const Json& row = *own[i];
            Task& task = *list[i];
            task.id = row.at(kToken).get<uint64_t>();
            if (row.size() > kReceiveToStart)
                task.received =
                    ticks(row.at(kStart).get<uint64_t>() - row.at(kReceiveToStart).get<uint64_t>());
            const auto found = of_schedulers.find({core, row.at(kDispatch).get<uint64_t>()});
            if (found == of_schedulers.end()) continue;
            task.dispatched = ticks(found->second->at(kDispatched));
            task.seen = ticks(found->second->at(kSeen));
        }
    }
}

void read_ready(const Json& phase, const char* name, unsigned (&ready)[3]) {
    const Json counts = phase.value(name, Json::array());
    for (size_t i = 0; i < std::min<size_t>(counts.size(), 3); ++i)
        ready[i] = counts[i].get<unsigned>();
}

void read_swimlane(Program& program, Run& run, uint64_t clock_hz, const Json& records) {
    const auto hz = records.at("metadata").at("clock_freq_hz").get<uint64_t>();
    if (hz == 0) throw Malformed("clock_freq_hz is 0");
    const Ticks ticks(hz, clock_hz);
    join_tasks(program, run, records, ticks);
    for (const Json& thread : records.value("aicpu_scheduler_phases", Json::array())) {
        std::vector<Phase>& phases = run.schedulers.emplace_back();
        for (const Json& row : thread) {
            Phase phase;
            phase.kind = row.at("kind").get<std::string>();
            phase.begin = ticks(row.at("start_cycles"));
            phase.end = ticks(row.at("end_cycles"));
            phase.tasks = row.value("tasks_processed", uint64_t{0});
            read_ready(row, "shared_at_start", phase.ready_begin);
            read_ready(row, "shared_at_end", phase.ready_end);
            phases.push_back(std::move(phase));
        }
    }
    for (const Json& thread : records.value("aicpu_orchestrator_phases", Json::array()))
        for (const Json& row : thread)
            run.submits.push_back({row.at("task_id").get<uint64_t>(), ticks(row.at("start_cycles")),
                                   ticks(row.at("end_cycles"))});
}

uint64_t number(const Json& value) {
    if (!value.is_string()) return value.get<uint64_t>();
    const auto text = value.get<std::string>();
    uint64_t result = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc() || end != text.data() + text.size())
        throw Malformed("'" + text + "' is not a whole number below 2^64");
    return result;
}

// A pair may have several edges: one for each of its tensors.
void read_dependencies(Run& run, const Json& graph) {
    std::set<std::pair<uint64_t, uint64_t>> pairs;
    for (const Json& edge : graph.value("edges", Json::array()))
        pairs.insert({number(edge.at("pred")), number(edge.at("succ"))});
    for (const auto& [before, after] : pairs) run.dependencies.push_back({before, after});
}

// Size of an element of a type: 4 for "FLOAT32".
uint64_t bytes_of_type(const std::string& type) {
    const size_t digits = type.find_first_of("0123456789");
    return digits == std::string::npos ? 1 : std::max(1, std::atoi(type.c_str() + digits) / 8);
}

// For tensors: address of the first byte, and of the one after the last.
using Addresses = std::map<std::string, std::pair<uint64_t, uint64_t>>;
Addresses addresses_of(const Json& graph) {
    Addresses addresses;
    for (const Json& tensor : graph.value("tensors", Json::array())) {
        const uint64_t begin = number(tensor.at("buffer_addr"));
        addresses[tensor.at("tensor_id").get<std::string>()] = {
            begin, begin + number(tensor.at("buffer_numel")) * bytes_of_type(tensor.value("dtype", ""))};
    }
    return addresses;
}

void read_tensors(Run& run, const Json& graph, const Addresses& addresses) {
    std::set<std::string> created;  // by tasks
    for (const Json& edge : graph.value("edges", Json::array()))
        if (edge.value("source", "") == "creator") created.insert(edge.value("tensor_id", ""));
    for (const auto& [tensor, bytes] : addresses)
        if (created.count(tensor) == 0) run.given.push_back(bytes);
}

// The first byte and the one after the last of a view of a tensor at `address`; equal if it is empty.
std::pair<uint64_t, uint64_t> bytes_of_view(const Json& of, const std::string& prefix, uint64_t address) {
    const uint64_t element = bytes_of_type(of.value(prefix + "dtype", ""));
    const Json shape = of.value(prefix + "shape", Json::array());
    const Json strides = of.value(prefix + "strides", Json::array());
    uint64_t last = 0, row = 1;  // number of the last element; elements of a row
    for (size_t i = shape.size(); i-- > 0;) {
        const uint64_t count = number(shape[i]);
        const uint64_t stride = i < strides.size() ? number(strides[i]) : row;
        if (count == 0) return {};
        last += (count - 1) * stride;
        row *= count;
    }
    const uint64_t begin = address + number(of.value(prefix + "start_offset", Json("0"))) * element;
    return {begin, begin + (last + 1) * element};
}

void read_uses(Run& run, const Json& graph, const Addresses& addresses) {
    for (const Json& edge : graph.value("edges", Json::array())) {
        if (edge.value("source", "") != "creator") continue;
        const auto address = addresses.find(edge.value("tensor_id", ""));
        if (address == addresses.end()) continue;
        const auto [begin, end] = bytes_of_view(edge, "consumer_", address->second.first);
        if (begin < end) run.uses.push_back({number(edge.at("pred")), number(edge.at("succ")), begin, end});
    }
}

// The shape of a view whose elements follow each other, else their hull's number of elements.
std::vector<int64_t> shape_of_view(const Json& of, uint64_t elements) {
    std::vector<int64_t> shape;
    uint64_t count = 1;
    for (const Json& extent : of.value("shape", Json::array())) {
        shape.push_back(static_cast<int64_t>(number(extent)));
        count *= number(extent);
    }
    if (count != elements) shape = {static_cast<int64_t>(elements)};
    return shape;
}

void read_arguments(Run& run, const Json& graph, const Addresses& addresses) {
    for (const Json& task : graph.value("tasks", Json::array()))
        for (const Json& argument : task.value("args", Json::array())) {
            const auto address = addresses.find(argument.value("tensor_id", ""));
            if (address == addresses.end()) continue;
            const std::string type = argument.value("type", "");
            const auto [begin, end] = bytes_of_view(argument, "", address->second.first);
            const std::string dtype = argument.value("dtype", "");
            run.arguments.push_back({number(task.at("task_id")), argument.at("idx").get<unsigned>(),
                                     type == "INPUT" || type == "INOUT", type != "INPUT", begin, end,
                                     address->second.first, address->second.second, dtype,
                                     shape_of_view(argument, (end - begin) / bytes_of_type(dtype))});
        }
}

void read_reasons(Run& run, const Json& graph) {
    for (const Json& edge : graph.value("edges", Json::array())) {
        const std::string source = edge.value("source", "");
        const auto kind = source == "tensormap" ? Reason::Kind::kTensor
                          : source == "creator" ? Reason::Kind::kMaker
                                                : Reason::Kind::kNamed;
        const auto argument = static_cast<unsigned>(std::max(0, edge.value("arg", 0)));
        run.reasons.push_back({number(edge.at("pred")), number(edge.at("succ")), kind, argument});
    }
}

void read_scopes(Run& run, const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return;
    const Json limits = parse_json(line);
    for (const Json& window : limits.at("task_window_max")) run.windows.push_back(window.get<uint64_t>());
    while (std::getline(file, line)) {
        const Json row = parse_json(line);
        if (row.at("phase") != "end") continue;
        const auto held = [&row](const std::string& what) {
            return row.at(what + "_end").get<uint64_t>() - row.at(what + "_start").get<uint64_t>();
        };
        const size_t ring = row.at("ring").get<size_t>();
        run.scopes.push_back({row.at("site").get<std::string>(), held("task_window"),
                              limits.at("task_window_max").at(ring).get<uint64_t>(), held("heap"),
                              limits.at("heap_max").at(ring).get<uint64_t>()});
    }
}

// Ids of functions by core types, as in the tasks of deps.json: AIC, AIV, AIV.
void write_names(const Program& program, const Run& run, const Json& graph) {
    std::map<uint64_t, std::array<int64_t, 2>> functions;
    for (const Json& task : graph.value("tasks", Json::array())) {
        const Json& ids = task.at("kernel_ids");
        const int64_t aiv = ids.at(1).get<int64_t>();
        functions[number(task.at("task_id"))] = {ids.at(0).get<int64_t>(),
                                                 aiv >= 0 ? aiv : ids.at(2).get<int64_t>()};
    }
    std::map<int64_t, std::string> names;
    for (size_t i = run.first_task; i < run.tasks_end; ++i) {
        const Task& task = program.tasks[i];
        const auto found = functions.find(task.id);
        if (found == functions.end()) continue;
        const int64_t id = found->second[task.core.type == CoreType::kAIC ? 0 : 1];
        if (id >= 0) names.emplace(id, task.kernel);
    }
    Json map = {
        {"level", 2}, {"orchestrator_name", "program"}, {"callable_id_to_name", Json::object()}};
    for (const auto& [id, name] : names) map["callable_id_to_name"][std::to_string(id)] = name;
    write_file(run.folder + "/name_map_program.json", dump_json(map, 1) + "\n");
}

void give_up(Run& run, const fs::path& file, const std::exception& error) {
    run.readable = false;
    run.note = "the runtime's records in " + file.string() + " cannot be read: " + error.what();
}

}  // namespace

void read_records(Program& program, Run& run, uint64_t clock_hz) {
    if (run.folder.empty()) return;
    fs::path file;
    try {
        file = fs::path(run.folder) / "chip_swimlane_records.json";
        const Json records = read_json(file);
        if (!records.is_null()) read_swimlane(program, run, clock_hz, records);
        file = fs::path(run.folder) / "deps.json";
        const Json graph = read_json(file);
        if (!graph.is_null()) {
            read_dependencies(run, graph);
            const Addresses addresses = addresses_of(graph);
            read_tensors(run, graph, addresses);
            read_uses(run, graph, addresses);
            read_arguments(run, graph, addresses);
            read_reasons(run, graph);
            write_names(program, run, graph);
        }
        file = fs::path(run.folder) / "scope_stats" / "scope_stats.jsonl";
        read_scopes(run, file);
    } catch (const Json::Error& error) {
        give_up(run, file, error);
    } catch (const Malformed& error) {
        give_up(run, file, error);
    }
}

}  // namespace ptosim::mpmd
