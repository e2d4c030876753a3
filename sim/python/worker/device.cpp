#include "sim/python/worker/device.h"

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
#include "sim/files/files.h"
#include "sim/model/installation.h"
#include "sim/native/build.h"
#include "sim/native/compile_cache.h"
#include "sim/python/worker/channel.h"
#include "sim/python/worker/pages.h"
#include "sim/python/worker/restricted_files.h"
#include "sim/python/worker/sandbox.h"
#include "sim/python/worker/shared_memory.h"
#include "sim/python/worker/template.h"
#include "sim/python/worker/writers.h"
#include "sim/session/arguments.h"
#include "sim/session/kernel_file.h"
#include "sim/session/result_text.h"
#include "sim/session/scalar_words.h"
#include "sim/session/session.h"
#include "traces/analyse/bottleneck.h"

namespace ptosim::worker {
namespace {

Json finding_json(const Diagnostic& d) {
    Json json = check::as_json(d);
    json["text"] = to_text(d);
    if (!d.source_line.empty()) json["source"] = d.source_line;
    return json;
}

Json findings_json(const std::vector<Diagnostic>& diagnostics) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics) list.push_back(finding_json(d));
    return list;
}

[[noreturn]] void misused(std::string what, std::string hint = {}) {
    fail_input("I61", std::move(what), std::move(hint));
}

class Device {
 public:
    Device(Channel& channel, int side) : channel_{channel}, side_{side} {}

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

    Session& session() {
        if (!session_) misused("there is no device yet");
        return *session_;
    }
    Session& running() {
        Session& session = this->session();
        if (ended_) misused("the device has finished", "finish() comes last");
        return session;
    }
    uint64_t address_of(const Json& request) const;
    uint64_t word_of(const Parameter& parameter, size_t index, const Json& argument) const;
    std::byte* bytes_of(uint64_t address, uint64_t offset, uint64_t bytes);
    bool lay_over(uint64_t address, uint64_t bytes, uint64_t offset, bool through);
    void confine(const Json& request);
    void require_native(const char* what) const;

    Channel& channel_;
    int side_;
    std::optional<Session> session_;
    bool confined_ = false, sandbox_ = false;
    bool broken_ = false;  // a launch did not finish
    bool ended_ = false;
    Limits limits_;
    Writers writers_;
    SharedMemory shared_;
    std::vector<uint64_t> allocated_;     // addresses, in the order of the requests
    std::map<uint64_t, uint64_t> shown_;  // arrays whose bytes are the mapped file's: their offset
    std::vector<std::unique_ptr<LoadedKernel>> kernels_;
};

template <class T>
T get(const Json& request, const char* key, T otherwise) {
    const auto found = request.find(key);
    if (found == request.end() || found->is_null()) return otherwise;
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
        if (!found->is_number_unsigned() ||
            found->template get<uint64_t>() > std::numeric_limits<T>::max())
            misused(std::string(key) + " is " + found->dump() + ", not a whole number from 0 to " +
                    std::to_string(std::numeric_limits<T>::max()));
    return found->template get<T>();
}

Json Device::answer(const Json& request) {
    static const auto& operations = *new std::map<std::string, Json (Device::*)(const Json&)>{
        {"open", &Device::open},     {"compile", &Device::compile},   {"load", &Device::load},
        {"memory", &Device::memory}, {"allocate", &Device::allocate}, {"release", &Device::release},
        {"write", &Device::write},   {"read", &Device::read},         {"watch", &Device::watch},
        {"launch", &Device::launch}, {"finish", &Device::finish},
    };
    try {
        const auto found = operations.find(get<std::string>(request, "op", ""));
        if (found == operations.end()) misused("there is no such request");
        return (this->*found->second)(request);
    } catch (const DiagnosticError& error) {
        return {{"error", findings_json(error.diagnostics())}};
    } catch (const Json::exception& error) {
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

// Nobody but a watcher ends the processes that it starts.
void Device::require_native(const char* what) const {
    if (side_ < 0)
        misused(std::string(what) + " on a device for interpreted kernels",
                "ask the worker for it without 'interpreted'");
}

Json Device::open(const Json& request) {
    SessionOptions options;
    options.chip = get<std::string>(request, "chip", "ascend910b1");
    options.overrides = get<std::vector<std::string>>(request, "set", {});
    options.mode = get(request, "mode", options.mode);
    options.numerics = get(request, "numerics", options.numerics);
    options.sync = get(request, "sync", options.sync);
    options.check = get(request, "check", options.check);
    options.check_memory = get(request, "check_memory", options.check_memory);
    options.suppress = get(request, "suppress", options.suppress);
    options.threads = get(request, "threads", options.threads);
    options.trace = get(request, "trace", options.trace);
    options.trace_formats = get(request, "trace_formats", options.trace_formats);
    options.keep_data = get(request, "keep_data", options.keep_data);
    options.memory = get(request, "memory", options.memory);
    options.max_instructions = get(request, "max_instructions", options.max_instructions);
    options.max_cycles = get(request, "max_cycles", options.max_cycles);
    options.schedules = get(request, "schedules", options.schedules);
    if (options.schedules > 0) require_native("other schedules");
    options.seed = get(request, "seed", options.seed);
    options.advice = get(request, "advice", false) && options.mode != "functional";
    options.scope = get(request, "scope", false);
    limits_ = {get<uint64_t>(request, "memory_mib", 0), get<uint64_t>(request, "cpu_seconds", 0),
               get<uint64_t>(request, "file_mib", 0), get<uint64_t>(request, "open_files", 0)};
    sandbox_ = get(request, "sandbox", false);
    std::unique_ptr<Chip> chip = take_elaborated(options);
    session_.emplace(std::move(options), OptionSource::kProgram, std::move(chip));
    writers_.set_memory(session_->memory());
    session_->attach(&writers_);
    // Memory is watched from its allocation; without checkers the first launch decides.
    if (session_->settings().checks.any()) session_->observe();
    const ChipModel& model = session_->model();
    return {{"chip", model.name},
            {"clock_hz", static_cast<uint64_t>(model.clock)},
            {"clusters", static_cast<uint64_t>(model.clusters)},
            {"aivs_per_cluster", static_cast<uint64_t>(model.cluster.aivs)}};
}

// A C++ source, for one that is run in the sandbox, where there is no compiler. With `confine` the
// compiler sees its own files and the kernel's, not what else #include and .incbin could name.
Json Device::compile(const Json& request) {
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
    apply(limits_);
    const std::string output = request.at("output");
    bool confined = false;
    if (get(request, "confine", false)) {
        std::vector<std::string> read = get<std::vector<std::string>>(request, "includes", {});
        read.insert(read.end(), {path, include_folder(), library_folder(), program_file()});
        const std::string own = std::filesystem::path(output).parent_path();
        std::filesystem::create_directories(cache_folder());
        setenv("TMPDIR", own.c_str(), 1);
        confined = restrict_files(read, {own, cache_folder()});
    }
    write_file(output, build_kernels(parse_build(words)));
    return {{"confined", confined}};
}

// From here on there are limits, and a sandbox if it was asked for. A kernel in it may read what
// the caller names (its source: findings show the lines) and nothing else.
void Device::confine(const Json& request) {
    if (std::exchange(confined_, true)) return;
    const std::string kernel = request.contains("text") ? "" : request.at("path");
    std::string readable = program_file() + "\n" + include_folder() + "/\n" + kernel + "\n";
    for (const std::string& path : get<std::vector<std::string>>(request, "readable", {}))
        readable += path + "\n";
    Limits limits = limits_;
    // All that it writes are copies of its own file in memory, one per core at most: without this
    // it could keep memory in files, which count towards no other limit.
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

Json Device::load(const Json& request) {
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
    choice.insert_flags = running().options().sync == "insert";
    choice.report_accesses = running().settings().checks.follows_pointers();
    confine(request);
    auto loaded = std::make_unique<LoadedKernel>(load_kernel(choice, running().model()));
    Json parameters = Json::array();
    for (const Parameter& parameter : loaded->kernel->parameters())
        parameters.push_back({{"name", parameter.name},
                              {"pointer", parameter.kind == Parameter::Kind::kPointer},
                              {"dtype", name(parameter.dtype)},
                              {"elements", parameter.elements},
                              {"any_type", parameter.untyped}});
    Json answer{{"kernel", kernels_.size()},
                {"name", loaded->kernel->name()},
                {"parameters", std::move(parameters)},
                {"asks_for_block", loaded->asks_for_block},
                {"capacity", running().chip().capacity(*loaded->kernel)},
                {"flags", loaded->kernel->has_explicit_sync()},
                {"compiled", loaded->kernel->follows_pointers()}};
    kernels_.push_back(std::move(loaded));
    return answer;
}

// ---- memory -------------------------------------------------------------------------------

Json Device::memory(const Json& request) {
    shared_.take(channel_.take_file(), request.at("bytes"));
    return Json::object();
}

// An address, or the array of the n-th allocation: requests that are sent together name it so.
uint64_t Device::address_of(const Json& request) const {
    const auto array = request.find("array");
    if (array == request.end()) return request.at("address");
    const size_t index = array->get<size_t>();
    if (index >= allocated_.size()) misused("there is no such array on this device");
    return allocated_[index];
}

std::byte* Device::bytes_of(uint64_t address, uint64_t offset, uint64_t bytes) {
    const GlobalMemory::Allocation* const found = session().memory().find(address);
    if (found == nullptr || found->address != address)
        misused("this is no array of the device, or has been released");
    if (offset > found->size || bytes > found->size - offset)
        misused(std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                " of an array of " + std::to_string(found->size) + " bytes");
    return GlobalMemory::host(address) + offset;
}

// Whether the bytes of an array are now those of the mapped file. Processes that a device forks
// would share them, and large arrays do better with large pages, which such files do not have.
bool Device::lay_over(uint64_t address, uint64_t bytes, uint64_t offset, bool through) {
    constexpr uint64_t kLarge = 4 << 20;
    if (side_ >= 0 || bytes >= kLarge ||
        !shared_.lay_over(GlobalMemory::host(address), offset, bytes, through))
        return false;
    if (through) shown_[address] = offset;
    return true;
}

Json Device::allocate(const Json& request) {
    const uint64_t bytes = request.at("bytes");
    if (bytes == 0) misused("an array of 0 bytes");
    const std::string name = get<std::string>(request, "name", "array");
    const uint64_t address = running().memory().allocate(bytes, name);
    std::byte* const begin = GlobalMemory::host(address);
    const bool undefined = request.contains("fill"), copies = request.contains("from");
    const bool mapped = copies && lay_over(address, bytes, request["from"], undefined);
    // Poison: to checkers these bytes are as undefined as those of fresh memory.
    const auto fresh = static_cast<std::byte>(get(request, "fill", 0));
    if (!mapped && (fresh != std::byte{} || !undefined)) prepare_pages(begin, bytes);
    if (fresh != std::byte{} || (mapped && undefined))
        std::memset(begin, get(request, "fill", 0), bytes);
    auto* const checkers = running().checkers();
    if (checkers) checkers->host_allocates(address, bytes, name, fresh);
    if (undefined) {
        writers_.undefined(address, bytes, fresh);
    } else if (copies) {
        if (!mapped) std::memcpy(begin, shared_.at(request["from"], bytes), bytes);
        if (checkers) checkers->host_writes(begin, bytes);
    }
    allocated_.push_back(address);
    return {{"address", address}};
}

Json Device::release(const Json& request) {
    const uint64_t address = address_of(request);
    bytes_of(address, 0, 0);
    running().memory().release(address);
    if (auto* checkers = running().checkers()) checkers->host_releases(address);
    return Json::object();
}

Json Device::write(const Json& request) {
    const uint64_t bytes = request.at("bytes");
    std::byte* const to = bytes_of(address_of(request), get<uint64_t>(request, "offset", 0), bytes);
    running();
    std::memcpy(to, shared_.at(request.at("from"), bytes), bytes);
    if (auto* checkers = running().checkers()) checkers->host_writes(to, bytes);
    return Json::object();
}

Json Device::read(const Json& request) {
    const uint64_t bytes = request.at("bytes");
    const std::byte* const from =
        bytes_of(address_of(request), get<uint64_t>(request, "offset", 0), bytes);
    const uint64_t to = request.at("to"), offset = get<uint64_t>(request, "offset", 0);
    const auto shown = shown_.find(address_of(request));
    if (shown == shown_.end() || shown->second + offset != to)
        std::memcpy(shared_.at(to, bytes), from, bytes);
    if (!ended_)
        if (auto* checkers = session().checkers()) checkers->host_reads(from);
    return Json::object();
}

// Asks which instruction writes this byte last: finish() reports it.
Json Device::watch(const Json& request) {
    const uint64_t offset = request.at("offset");
    bytes_of(address_of(request), offset, 1);
    writers_.watch(address_of(request) + offset);
    return Json::object();
}

// ---- launches -----------------------------------------------------------------------------

// An array's address, null, or a number.
uint64_t Device::word_of(const Parameter& parameter, size_t index, const Json& argument) const {
    const bool pointer = parameter.kind == Parameter::Kind::kPointer;
    if (argument.is_object()) {
        if (!pointer) require_number(parameter, index);
        return address_of(argument);
    }
    if (argument.is_null() && pointer) return 0;
    if (pointer) require_array(parameter, index);
    if (argument.is_number_float())
        return scalar_word(parameter, index, Number::real(argument.get<double>()));
    if (argument.is_number_unsigned())
        return scalar_word(parameter, index, Number::unsigned_integer(argument.get<uint64_t>()));
    if (argument.is_number_integer())
        return scalar_word(parameter, index, Number::signed_integer(argument.get<int64_t>()));
    require_number(parameter, index);
}

Json Device::launch(const Json& request) {
    const size_t index = request.at("kernel");
    if (index >= kernels_.size()) misused("there is no such kernel on this device");
    const LoadedKernel& loaded = *kernels_[index];
    // What the cores were doing is not undone.
    if (broken_)
        misused("kernel " + std::string(loaded.kernel->name()) +
                " is not run: the device has failed before");
    const Json& arguments = request.at("arguments");
    const auto parameters = loaded.kernel->parameters();
    require_count(*loaded.kernel, arguments.size());
    std::vector<uint64_t> words;
    for (size_t i = 0; i < arguments.size(); ++i)
        words.push_back(word_of(parameters[i], i, arguments[i]));
    Json printed = Json::array();
    const Session::LaunchChoice choice{
        .blocks = get<uint32_t>(request, "blocks", 0),
        .asks_for_block = loaded.asks_for_block,
        .print = [&printed](CoreId core, std::string_view line) {
            constexpr size_t kMostLines = 1000;
            if (printed.size() < kMostLines)
                printed.push_back("[" + ptosim::name(core) + "] " + std::string(line));
        }};
    Session& session = running();
    writers_.launches(loaded.kernel->follows_pointers());
    const unsigned warm = get<unsigned>(request, "warm", 0);
    LaunchResult done;
    for (unsigned i = 0; i < warm; ++i) {
        done = session.rehearse(*loaded.kernel, words, choice);
        if (!done.finished) break;
    }
    if (warm == 0 || done.finished) done = session.launch(*loaded.kernel, words, choice);
    broken_ = !done.finished;
    return {{"cycles", done.cycles},
            {"time_us", microseconds(done.cycles, session.model().clock)},
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

Json Device::finish(const Json&) {
    Session& session = running();
    ended_ = true;
    session.observe();  // nothing was launched: there is a result all the same
    Result found = session.finish();
    session.write_files(found);
    session.require_memory(found);
    Json result = as_json(found);
    result["diagnostics"] = findings_json(found.findings);
    Json files = Json::array(), writers = Json::array(), uses = Json::array();
    for (const auto& [address, use] : writers_.finish())
        uses.push_back({{"address", address},
                        {"name", session.memory().find(address)->name},
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
    Device device(channel, side);
    while (true) {
        Json answer;
        try {
            const std::optional<Json> request = channel.receive();
            if (!request) break;
            answer = device.answer(*request);
        } catch (const Json::exception& error) {
            answer = {{"error", Json::array({{{"code", "I61"}, {"message", error.what()}}})}};
        } catch (const std::exception& error) {
            answer = {{"internal", error.what()}};
        }
        std::cout.flush();
        channel.send(answer);
    }
    _exit(0);  // nothing of the machine is torn down: the process ends
}

}  // namespace ptosim::worker
