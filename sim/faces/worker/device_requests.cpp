#include "sim/faces/worker/device_requests.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>

#include "sim/check/findings_output.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/build.h"
#include "sim/compile/compile_cache.h"
#include "sim/faces/worker/channel.h"
#include "sim/faces/worker/pages.h"
#include "sim/faces/worker/restricted_files.h"
#include "sim/faces/worker/sandbox.h"
#include "sim/faces/worker/shared_memory.h"
#include "sim/faces/worker/template.h"
#include "sim/faces/worker/writers.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/machine/model/installation.h"
#include "sim/session/option_rows.h"
#include "sim/session/result_text.h"
#include "sim/session/simulated_device.h"
#include "traces/analyse/bottleneck.h"

namespace ptosim::worker {
namespace {

Json finding_json(const Diagnostic& d, std::span<const check::Explanation> explanations) {
    Json json = check::as_json(d, explanations);
    json["text"] = to_text(d);
    if (!d.source_line.empty()) json["source"] = d.source_line;
    return json;
}

Json findings_json(const std::vector<Diagnostic>& diagnostics,
                   std::span<const check::Explanation> explanations = {}) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics) list.push_back(finding_json(d, explanations));
    return list;
}

// An interface to the device whose calls are requests.
class DeviceRequests {
 public:
    DeviceRequests(Channel& channel, int side) : channel_{channel}, side_{side} {}

    Json answer(const Json& request);

 private:
    Json open(const Json& request);
    Json compile(const Json& request);
    Json load(const Json& request);
    Json memory(const Json& request);
    Json allocate(const Json& request);
    Json release(const Json& request);
    Json write(const Json& request);
    Json read(const Json& request);
    Json watch(const Json& request);
    Json launch(const Json& request);
    Json finish(const Json& request);

    SimulatedDevice& device() {
        if (!device_) misused("no device is open yet");
        return *device_;
    }
    SimulatedDevice& running() {
        device().require_running();
        return *device_;
    }
    uint64_t address_of(const Json& request) const;
    ArgumentValue argument_of(const Json& argument, size_t index) const;
    bool lay_over(uint64_t address, uint64_t bytes, uint64_t offset, bool through);
    void confine(const Json& request);
    void require_native(const char* what) const;

    Channel& channel_;
    int side_;
    std::optional<SimulatedDevice> device_;
    bool confined_ = false, sandbox_ = false;
    Limits limits_;
    Writers writers_;
    SharedMemory shared_;
    std::vector<uint64_t> allocated_;     // addresses, in the order of the requests
    std::map<uint64_t, uint64_t> shown_;  // arrays mapped from the file: their offsets in it
    std::vector<const LoadedKernel*> kernels_;
};

template <class T>
T get(const Json& request, const char* key, T otherwise) {
    const auto found = request.find(key);
    if (found == request.end() || found->is_null()) return otherwise;
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
        if (!found->is_number_unsigned() ||
            found->template get<uint64_t>() > std::numeric_limits<T>::max())
            misused(std::string(key) + " is " + dump_json(*found) +
                    ", not a whole number from 0 to " +
                    std::to_string(std::numeric_limits<T>::max()));
    return found->template get<T>();
}

Json DeviceRequests::answer(const Json& request) {
    static const auto& operations =
        *new std::map<std::string, Json (DeviceRequests::*)(const Json&)>{
            {"open", &DeviceRequests::open},         {"compile", &DeviceRequests::compile},
            {"load", &DeviceRequests::load},         {"memory", &DeviceRequests::memory},
            {"allocate", &DeviceRequests::allocate}, {"release", &DeviceRequests::release},
            {"write", &DeviceRequests::write},       {"read", &DeviceRequests::read},
            {"watch", &DeviceRequests::watch},       {"launch", &DeviceRequests::launch},
            {"finish", &DeviceRequests::finish},
        };
    try {
        const auto found = operations.find(get<std::string>(request, "op", ""));
        if (found == operations.end()) misused("unknown request");
        return (this->*found->second)(request);
    } catch (const DiagnosticError& error) {
        return {{"error", findings_json(error.diagnostics())}};
    } catch (const Json::Error& error) {
        Diagnostic wrong;
        wrong.code = "I61";
        wrong.message = std::string("a request that cannot be read: ") + error.what();
        return {{"error", findings_json({wrong})}};
    } catch (const std::bad_alloc&) {
        Diagnostic wrong;
        wrong.code = "I03";
        wrong.message = "out of memory";
        return {{"error", findings_json({wrong})}};
    }
}

// Only a watcher ends the processes that a device starts.
void DeviceRequests::require_native(const char* what) const {
    if (side_ < 0)
        misused(std::string(what) + " on a device for interpreted kernels",
                "ask the worker for it without 'interpreted'");
}

Json DeviceRequests::open(const Json& request) {
    CommandOptions options;
    options.chip = "ascend910b1";
    for (const OptionRow& row : option_rows())
        if (row.of_session && !row.python.empty())
            std::visit(
                [&](auto member) {
                    options.*member = get(request, row.python.data(), options.*member);
                },
                row.member);
    if (options.schedules > 0) require_native("other schedules");
    options.advice = options.advice && options.mode != "functional";
    options.causes = !get(request, "sandbox", false);
    limits_ = {get<uint64_t>(request, "memory_mib", 0), get<uint64_t>(request, "cpu_seconds", 0),
               get<uint64_t>(request, "file_mib", 0), get<uint64_t>(request, "open_files", 0)};
    sandbox_ = get(request, "sandbox", false);
    std::unique_ptr<Chip> chip = take_elaborated(options);
    device_.emplace(std::move(options), OptionSource::kProgram, std::move(chip), &writers_);
    writers_.set_memory(device_->memory());
    const ChipModel& model = device_->model();
    return {{"chip", model.name},
            {"clock_hz", static_cast<uint64_t>(model.clock)},
            {"clusters", static_cast<uint64_t>(model.clusters)},
            {"aivs_per_cluster", static_cast<uint64_t>(model.cluster.aivs)}};
}

// Compiles a C++ source for a device in the sandbox, which has no compiler. With `confine` the
// compiler can read only its own files and the kernel's, so that #include and .incbin cannot reach
// others.
Json DeviceRequests::compile(const Json& request) {
    require_native("compiling");
    const std::string path = request.at("path");
    std::vector<std::string> words{path, "-o", "kernels.so", "--arch",
                                   std::string(name(running().model().arch))};
    for (const std::string& define : get<std::vector<std::string>>(request, "defines", {}))
        words.push_back("-D" + define);
    for (const std::string& folder : get<std::vector<std::string>>(request, "includes", {}))
        words.push_back("-I" + folder);
    const std::string cores = get<std::string>(request, "cores", "");
    if (!cores.empty()) words.insert(words.end(), {"--core", cores});
    const BuildOptions options = parse_build(words);
    apply(limits_);
    const std::string output = request.at("output");
    bool confined = false;
    if (get(request, "confine", false)) {
        std::vector<std::string> read = get<std::vector<std::string>>(request, "includes", {});
        read.insert(read.end(), {path, include_folder(), library_folder(), program_file()});
        // Checkouts that variables of the server name. Headers that their scripts make are made
        // here.
        if (!options.library_headers.empty()) read.push_back(options.library_headers);
        if (!options.ascendc.empty()) {
            read.push_back(options.ascendc);
            ascendc_flags(options.ascendc);
        }
        const std::string own = std::filesystem::path(output).parent_path();
        std::filesystem::create_directories(cache_folder());
        setenv("TMPDIR", own.c_str(), 1);
        confined = restrict_files(read, {own, cache_folder()});
    }
    write_file(output, build_kernels(options));
    return {{"confined", confined}};
}

// Sets limits and, if requested, enters the sandbox. A kernel in it may read only the files that
// the caller names (its sources, whose lines findings show).
void DeviceRequests::confine(const Json& request) {
    if (std::exchange(confined_, true)) return;
    const std::string kernel = request.contains("text") ? "" : request.at("path");
    std::string readable = program_file() + "\n" + include_folder() + "/\n" + kernel + "\n";
    for (const std::string& path : get<std::vector<std::string>>(request, "readable", {}))
        readable += path + "\n";
    Limits limits = limits_;
    // It writes only copies of its own file in memory, at most one per core. Without this limit it
    // could store data in files, which count towards no other limit.
    if (sandbox_ && !kernel.empty()) limits.file_bytes = read_file(kernel).size() + 1;
    apply(limits);
    if (!sandbox_) return;
    std::string why;
    const int listener = enter_sandbox(why);
    if (listener < 0)
        fail_input("I64", "kernels cannot be confined on this system: " + why,
                   "run it without a sandbox if you trust the kernel");
    send_file(side_, listener, readable);
    close(listener);
    close(side_);
}

Json DeviceRequests::load(const Json& request) {
    KernelChoice choice;
    choice.path = request.at("path");
    if (request.contains("text"))
        choice.text = request["text"].get<std::string>();
    else
        require_native("a kernel from a file");
    choice.entry = get<std::string>(request, "entry", "");
    choice.parameters = get<std::vector<std::string>>(request, "parameters", {});
    choice.defines = get<std::vector<std::string>>(request, "defines", {});
    choice.includes = get<std::vector<std::string>>(request, "includes", {});
    choice.cores = get<std::string>(request, "cores", "");
    choice.plan = plan_policy(get<std::string>(request, "plan", "legacy"));
    choice.saturation = assembler_saturation(get<std::string>(request, "assembler", "v0.60"));
    SimulatedDevice& device = running();
    confine(request);
    const LoadedKernel& loaded = device.load(std::move(choice));
    const Kernel& kernel = *loaded.kernel;
    Json parameters = Json::array();
    for (const Parameter& parameter : kernel.parameters())
        parameters.push_back({{"name", parameter.name},
                              {"pointer", parameter.kind == Parameter::Kind::kPointer},
                              {"dtype", name(parameter.dtype)},
                              {"elements", parameter.elements},
                              {"any_type", parameter.untyped}});
    Json answer{{"kernel", kernels_.size()},
                {"name", kernel.name()},
                {"parameters", std::move(parameters)},
                {"asks_for_block", loaded.asks_for_block},
                {"capacity", device.session().chip().capacity(kernel)},
                {"flags", kernel.has_explicit_sync()},
                {"compiled", kernel.follows_pointers()}};
    kernels_.push_back(&loaded);
    return answer;
}

// ---- memory -------------------------------------------------------------------------------

Json DeviceRequests::memory(const Json& request) {
    shared_.take(channel_.take_file(), request.at("bytes"));
    return Json::object();
}

// An address, or the array of the n-th allocation, for requests that are sent together.
uint64_t DeviceRequests::address_of(const Json& request) const {
    const auto array = request.find("array");
    if (array == request.end()) return request.at("address");
    const size_t index = array->get<size_t>();
    if (index >= allocated_.size()) misused("unknown array on this device");
    return allocated_[index];
}

// Returns true if the bytes of an array are mapped from the file. Not used if the device forks
// processes, which would share them, or for large arrays, which are faster with large pages, which
// such files lack.
bool DeviceRequests::lay_over(uint64_t address, uint64_t bytes, uint64_t offset, bool through) {
    constexpr uint64_t kLarge = 4 << 20;
    if (side_ >= 0 || device().session().seeks_causes() || bytes >= kLarge ||
        !shared_.lay_over(GlobalMemory::host(address), offset, bytes, through))
        return false;
    if (through) shown_[address] = offset;
    return true;
}

Json DeviceRequests::allocate(const Json& request) {
    const uint64_t bytes = request.at("bytes");
    // Poison: for checkers these bytes are as undefined as fresh memory.
    const auto fresh = static_cast<std::byte>(get(request, "fill", 0));
    const uint64_t address =
        running().allocate(bytes, get<std::string>(request, "name", "array"), {.fresh = fresh});
    std::byte* const begin = GlobalMemory::host(address);
    const bool undefined = request.contains("fill"), copies = request.contains("from");
    const bool mapped = copies && lay_over(address, bytes, request["from"], undefined);
    if (!mapped && (fresh != std::byte{} || !undefined)) prepare_pages(begin, bytes);
    if (fresh != std::byte{} || (mapped && undefined))
        std::memset(begin, get(request, "fill", 0), bytes);
    if (undefined) {
        writers_.undefined(address, bytes, fresh);
    } else if (copies) {
        if (!mapped) std::memcpy(begin, shared_.at(request["from"], bytes), bytes);
        device().host_wrote(begin, bytes);
    }
    allocated_.push_back(address);
    return {{"address", address}};
}

Json DeviceRequests::release(const Json& request) {
    running().release(address_of(request));
    return Json::object();
}

Json DeviceRequests::write(const Json& request) {
    const uint64_t bytes = request.at("bytes");
    std::byte* const to =
        running().bytes_of(address_of(request), get<uint64_t>(request, "offset", 0), bytes);
    std::memcpy(to, shared_.at(request.at("from"), bytes), bytes);
    device().host_wrote(to, bytes);
    return Json::object();
}

Json DeviceRequests::read(const Json& request) {
    const uint64_t bytes = request.at("bytes"), offset = get<uint64_t>(request, "offset", 0);
    const std::byte* const from = device().bytes_of(address_of(request), offset, bytes);
    const uint64_t to = request.at("to");
    const auto shown = shown_.find(address_of(request));
    if (shown == shown_.end() || shown->second + offset != to)
        std::memcpy(shared_.at(to, bytes), from, bytes);
    device().host_read(from, bytes);
    return Json::object();
}

// Watches this byte: finish() reports the instruction that writes it last.
Json DeviceRequests::watch(const Json& request) {
    const uint64_t offset = request.at("offset");
    device().bytes_of(address_of(request), offset, 1);
    writers_.watch(address_of(request) + offset);
    return Json::object();
}

// ---- launches -----------------------------------------------------------------------------

// An array's address, null, or a number.
ArgumentValue DeviceRequests::argument_of(const Json& argument, size_t index) const {
    if (argument.is_object()) return ArgumentValue::pointer(address_of(argument));
    if (argument.is_null()) return ArgumentValue::pointer(0);
    if (argument.is_number_float())
        return ArgumentValue::scalar(Number::real(argument.get<double>()));
    if (argument.is_number_unsigned())
        return ArgumentValue::scalar(Number::unsigned_integer(argument.get<uint64_t>()));
    if (argument.is_number_integer())
        return ArgumentValue::scalar(Number::signed_integer(argument.get<int64_t>()));
    misused("argument " + std::to_string(index) + " is " + dump_json(argument),
            "give an array, null or a number");
}

Json DeviceRequests::launch(const Json& request) {
    const size_t index = request.at("kernel");
    if (index >= kernels_.size()) misused("unknown kernel on this device");
    const LoadedKernel& loaded = *kernels_[index];
    std::vector<ArgumentValue> arguments;
    for (const Json& argument : request.at("arguments"))
        arguments.push_back(argument_of(argument, arguments.size()));
    Json printed = Json::array();
    const Session::LaunchChoice choice{.blocks = get<uint32_t>(request, "blocks", 0),
                                       .print = [&printed](CoreId core, std::string_view line) {
                                           constexpr size_t kMostLines = 1000;
                                           if (printed.size() < kMostLines)
                                               printed.push_back(printed_line(core, line));
                                       }};
    SimulatedDevice& device = running();
    writers_.launches(loaded.kernel->follows_pointers());
    const LaunchResult done =
        device.launch(loaded, arguments, choice, get<unsigned>(request, "warm", 0));
    return {{"cycles", done.cycles},
            {"time_us", microseconds(done.cycles, device.model().clock)},
            {"instructions", done.instructions},
            {"blocks", done.blocks},
            {"finished", done.finished},
            {"findings", findings_json(done.diagnostics)},
            {"printed", std::move(printed)}};
}

Json writer_json(const Writers::Watched& watched) {
    const Writers::Writer& w = watched.writer;
    if (!w.found) return nullptr;
    return {{"core", w.core},    {"pipe", w.pipe},         {"instruction", w.instruction},
            {"file", w.file},    {"line", w.line},         {"block", w.block},
            {"cycle", w.cycle},  {"sequence", w.sequence}, {"tile", w.tile},
            {"source", w.source}};
}

Json DeviceRequests::finish(const Json&) {
    SimulatedDevice& device = running();
    Result found = device.finish();
    device.write_files(found);
    Json result = as_json(found);
    result["diagnostics"] = findings_json(found.findings, found.explanations);
    Json files = Json::array(), writers = Json::array(), uses = Json::array();
    for (const auto& [address, use] : writers_.finish())
        uses.push_back({{"address", address},
                        {"name", device.memory().find(address)->name},
                        {"reads", use.reads},
                        {"writes", use.writes},
                        {"stored_by_host", use.stored_by_host}});
    for (const auto& file : found.files) files.push_back(file.string());
    for (const Writers::Watched& watched : writers_.watched())
        writers.push_back(writer_json(watched));
    const std::span<const Advice> advice =
        found.advice ? std::span(*found.advice) : std::span<const Advice>();
    return {{"result", std::move(result)},
            {"summary", summary_text(found)},
            {"bottleneck",
             found.unusable() || !found.timed ? "" : bottleneck_text(found.accounting, advice)},
            {"notes", found.notes},
            {"exit_code", exit_code(found)},
            {"files", std::move(files)},
            {"writers", std::move(writers)},
            {"uses", std::move(uses)},
            {"lines", writers_.lines()}};
}

}  // namespace

void run_device(int socket, int side) {
    Channel channel(socket);
    DeviceRequests requests(channel, side);
    while (true) {
        Json answer;
        try {
            const std::optional<Json> request = channel.receive();
            if (!request) break;
            answer = requests.answer(*request);
        } catch (const Json::Error& error) {
            answer = {{"error", Json::array({{{"code", "I61"}, {"message", error.what()}}})}};
        } catch (const std::exception& error) {
            answer = {{"internal", error.what()}};
        }
        std::cout.flush();
        channel.send(answer);
    }
    _exit(0);  // the process ends without destroying the machine
}

}  // namespace ptosim::worker
