#include "sim/session/kept_task.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "isa/numeric/round_up.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/machine/observe/parse_core.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kTaskFormat = 1;
constexpr const char* kKeepAgain = "keep the task again: ptosim exec --keep-task TASK=DIR -- COMMAND";

std::string in_folder(const std::string& folder, const char* file) { return (fs::path(folder) / file).string(); }

Json json_of_part(const KeptTask::Part& part) {
    Json json{{"core", name(part.core)}, {"kernel", part.kernel}, {"file", part.file}};
    json["arguments"] = part.arguments;
    json["source"] = part.source;
    json["build"] = part.build;
    return json;
}

Json json_of_array(const KeptTask::Array& array) {
    Json json{{"name", array.name}, {"dtype", name(array.dtype)}};
    json["shape"] = array.shape;
    json["address"] = array.address;
    json["written"] = array.written;
    return json;
}

Json json_of_memory(const KeptTask::Memory& memory) {
    Json allocations = Json::array();
    for (const GlobalMemory::Allocation& one : memory.allocations) {
        Json row{{"address", one.address}, {"size", one.size}};
        row["name"] = one.name;
        allocations.push_back(std::move(row));
    }
    Json json{{"base", memory.base}};
    json["allocations"] = std::move(allocations);
    json["ranges"] = memory.ranges;
    return json;
}

KeptTask::Part part_of(const Json& json) {
    KeptTask::Part part;
    const auto core = parse_core(json.at("core").text());
    if (!core) throw Json::Error("'" + json.at("core").text() + "' is not a core");
    part.core = *core;
    part.kernel = json.at("kernel").text();
    part.file = json.at("file").text();
    part.arguments = json.at("arguments").get<uint64_t>();
    part.source = json.at("source").text();
    part.build = json.at("build").get<std::vector<std::string>>();
    return part;
}

KeptTask::Array array_of_json(const Json& json) {
    KeptTask::Array array;
    array.name = json.at("name").text();
    const auto dtype = parse_dtype(json.at("dtype").text());
    if (!dtype) throw Json::Error("'" + json.at("dtype").text() + "' is not an element type");
    array.dtype = *dtype;
    array.shape = json.at("shape").get<std::vector<int64_t>>();
    array.address = json.at("address").get<uint64_t>();
    array.written = json.at("written").get<bool>();
    return array;
}

KeptTask::Memory memory_of_json(const Json& json) {
    KeptTask::Memory memory;
    memory.base = json.at("base").get<uint64_t>();
    for (const Json& row : json.at("allocations").elements())
        memory.allocations.push_back({row.at("address").get<uint64_t>(), row.at("size").get<uint64_t>(), row.at("name").text(),
                                      0});
    memory.ranges = json.at("ranges").get<std::vector<std::pair<uint64_t, uint64_t>>>();
    return memory;
}

// The bytes of its elements; empty if they cannot be counted.
std::optional<uint64_t> bytes_of(const KeptTask::Array& array) {
    uint64_t count = 1;
    for (const int64_t extent : array.shape) {
        if (extent <= 0 || count > GlobalMemory::kCapacity / static_cast<uint64_t>(extent)) return {};
        count *= static_cast<uint64_t>(extent);
    }
    return (count * bits(array.dtype) + 7) / 8;
}

}  // namespace

namespace {

// Takes a number from the begin of a text.
std::optional<uint64_t> take_number(std::string_view& text) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

// "r0t5".
std::optional<uint64_t> task_id(std::string_view text) {
    if (!text.starts_with('r')) return {};
    text.remove_prefix(1);
    const auto ring = take_number(text);
    if (!ring || !text.starts_with('t')) return {};
    text.remove_prefix(1);
    const auto number = take_number(text);
    if (!number || !text.empty() || *ring > UINT32_MAX || *number > UINT32_MAX) return {};
    return *ring << 32 | *number;
}

}  // namespace

TaskWish parse_task_wish(const std::string& text) {
    const size_t equals = text.find('=');
    TaskWish wish;
    wish.task = text.substr(0, equals);
    if (equals != text.npos) wish.folder = text.substr(equals + 1);
    const size_t colon = wish.task.rfind(':');
    wish.kernel = wish.task.substr(0, colon);
    std::string_view digits = colon == text.npos ? "0" : std::string_view(wish.task).substr(colon + 1);
    const auto number = take_number(digits);
    if (wish.kernel.empty() || wish.folder.empty() || !number || !digits.empty())
        fail_input("I70", "--keep-task " + text + ": is not TASK=DIR",
                   "name a task as findings and program.md do (r0t5=DIR, a block of it r0t5:3=DIR), or by its kernel (add=DIR, the "
                   "fifth one add:4=DIR)");
    wish.number = *number;
    wish.id = task_id(wish.kernel);
    return wish;
}

void prepare_task_folder(const std::string& folder) {
    std::error_code error;
    if (fs::exists(folder, error) && !is_kept_task(folder) && !fs::is_empty(folder, error))
        fail_input("I70", "'" + folder + "' holds other files than a kept task", "choose another folder for --keep-task");
    make_folder(folder);
    fs::remove(in_folder(folder, kTaskFile), error);
}

bool is_kept_task(const std::string& folder) {
    std::error_code error;
    return fs::is_regular_file(in_folder(folder, kTaskFile), error);
}

void write_task(const std::string& folder, const KeptTask& task) {
    Json parts = Json::array(), arrays = Json::array();
    for (const KeptTask::Part& part : task.parts) parts.push_back(json_of_part(part));
    for (const KeptTask::Array& array : task.arrays) arrays.push_back(json_of_array(array));
    Json json{{"format", kTaskFormat}, {"task", task.name}, {"kernel", task.kernel}, {"chip", task.chip}};
    json["set"] = task.overrides;
    json["numerics"] = task.numerics;
    json["parts"] = std::move(parts);
    json["arrays"] = std::move(arrays);
    json["memory"] = json_of_memory(task.memory);
    write_file(in_folder(folder, kTaskFile), dump_json(json, 1) + "\n");
}

KeptTask read_task(const std::string& folder) {
    if (!is_kept_task(folder))
        fail_input("I70", "'" + folder + "' is a folder without a kept task",
                   "name a kernel, or keep a task of a program in a folder: ptosim exec --keep-task TASK=DIR -- COMMAND");
    const std::string file = in_folder(folder, kTaskFile);
    try {
        const Json json = parse_json(read_text(file));
        if (json.at("format").get<unsigned>() != kTaskFormat)
            fail_input("I70", file + ": was written by another version of ptosim", kKeepAgain);
        KeptTask task;
        task.name = json.at("task").text();
        task.kernel = json.at("kernel").text();
        task.chip = json.at("chip").text();
        task.overrides = json.at("set").get<std::vector<std::string>>();
        task.numerics = json.at("numerics").text();
        for (const Json& part : json.at("parts").elements()) task.parts.push_back(part_of(part));
        if (task.parts.empty()) throw Json::Error("it has no kernel");
        for (const Json& array : json.at("arrays").elements()) task.arrays.push_back(array_of_json(array));
        task.memory = memory_of_json(json.at("memory"));
        return task;
    } catch (const Json::Error& error) {
        fail_input("I70", file + ": cannot be read: " + error.what(), kKeepAgain);
    }
}

namespace {

// The memory hands out one address after the other. What lay between these allocations was released.
void repeat_allocations(const KeptTask& task, GlobalMemory& memory, const std::string& damaged) {
    constexpr uint64_t kRedZone = 64 * 1024;  // of GlobalMemory
    constexpr uint64_t kAlignment = 512;
    uint64_t next = memory.base() + kRedZone;
    for (const GlobalMemory::Allocation& one : task.memory.allocations) {
        const uint64_t between = one.address - next;
        bool fits = one.address >= next && (between == 0 || between >= kRedZone) && one.size < memory.capacity() &&
                    between < memory.capacity();
        if (fits && between != 0) fits = memory.release(memory.allocate(between - kRedZone, "released memory"));
        if (!fits || memory.allocate(one.size, one.name) != one.address)
            fail_input("I70", damaged + "the allocation at " + std::to_string(one.address) + " does not fit", kKeepAgain);
        next = one.address + round_up(one.size, kAlignment) + kRedZone;
    }
}

}  // namespace

void restore_memory(const std::string& folder, const KeptTask& task, GlobalMemory& memory) {
    const std::string damaged = in_folder(folder, kTaskFile) + ": its memory cannot be restored: ";
    if (memory.base() != task.memory.base)
        fail_input("I70", damaged + "its addresses are not free in this process",
                   "run it without a limit on virtual memory, and outside of sanitizers");
    repeat_allocations(task, memory, damaged);
    for (const KeptTask::Part& part : task.parts)
        if (!memory.contains(part.arguments, sizeof(uint64_t)))
            fail_input("I70", damaged + "it lacks the arguments of " + part.kernel, kKeepAgain);
    for (const KeptTask::Array& array : task.arrays)
        if (const auto bytes = bytes_of(array); !bytes || !memory.contains(array.address, *bytes))
            fail_input("I70", damaged + "it does not contain " + array.name, kKeepAgain);
    InputFile file(in_folder(folder, kMemoryFile), "I70");
    for (const auto& [address, size] : task.memory.ranges)
        if (!memory.contains(address, size) || file.read(GlobalMemory::host(address), size) != size)
            fail_input("I70", damaged + in_folder(folder, kMemoryFile) + " is damaged", kKeepAgain);
}

}  // namespace ptosim
