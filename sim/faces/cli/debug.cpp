// ptosim debug KERNEL: the debugger of a run, for editors or in a terminal.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>

#include "isa/assembly/program/interpreter.h"
#include "sim/check/findings_output.h"
#include "sim/debug/in_step_kernel.h"
#include "sim/debug/target.h"
#include "sim/faces/cli/commands.h"
#include "sim/faces/cli/run_options.h"
#include "sim/faces/debug/adapter.h"
#include "sim/faces/debug/console.h"
#include "sim/machine/model/installation.h"
#include "sim/session/kernel_file.h"
#include "sim/session/session.h"

namespace ptosim::cli {
namespace {

void check_debug_options(const RunOptions& options) {
    const auto refuse = [](bool given, const char* option) {
        if (given)
            fail_input("I69", std::string("debug cannot be combined with ") + option,
                       "use it with 'ptosim run' or 'ptosim check'");
    };
    refuse(!options.trace.empty(), "--trace");
    refuse(options.sample, "--sample");
    refuse(options.dry_run, "--dry-run");
    refuse(!options.json.empty(), "--json");
    refuse(options.mode == "timing", "--mode timing, which computes no data");
}

// All that the processes of the debugger share: it is made once, and each of them has a copy.
struct Prepared {
    RunOptions options;
    std::unique_ptr<Session> session;
    LoadedKernel loaded;
    std::vector<Argument> arguments;
    Goldens goldens;

    explicit Prepared(const RunOptions& given) {
        KernelChoice choice = kernel_choice(given);
        choice.for_debugger = true;
        KernelSource source(std::move(choice));
        auto [with, model] = with_chip(given, source);
        options = std::move(with);
        session = std::make_unique<Session>(options, OptionSource::kCommandLine, make_chip(options, std::move(model)));
        loaded = load_kernel(source, session->model());
        arguments = arguments_of(loaded, options, session->memory());
        goldens = load_goldens(options.goldens, arguments);
        pass_l2(options, arguments, session->chip());
        steps = assembly::steps_of(*loaded.kernel);
        has_lines = steps != nullptr;
        if (can_follow_lines()) read_lines();
    }

    const assembly::AssemblyKernel* steps = nullptr;
    bool has_lines = false;

 private:
    void read_lines() {
        std::vector<std::string> without{include_folder()};
        // The file that makes a kernel of a task's function.
        if (loaded.task) without.push_back(std::filesystem::absolute(loaded.folder).lexically_normal().string());
        for (const LoadedKernel::Compiled& part : loaded.compiled) has_lines = part.kernel->read_lines(without) || has_lines;
    }
};

std::string summary_of(Prepared& prepared, const LaunchResult& result) {
    std::string text = std::to_string(result.cycles) + " cycles, " + std::to_string(result.instructions) + " instructions\n";
    const size_t findings = prepared.session->findings_so_far().size();
    text += findings == 0 ? "no findings\n" : std::to_string(findings) + (findings == 1 ? " finding\n" : " findings\n");
    if (!result.finished) return text;
    for (const GoldenResult& golden : compare(prepared.goldens, prepared.arguments))
        text += to_text(golden.spec, golden.comparison) + "\n";
    return text;
}

// Called in a separate process.
[[noreturn]] void run_target(Prepared& prepared, debug::Channel channel) {
    debug::Target target({*prepared.session, *prepared.loaded.kernel,
                          prepared.steps == nullptr ? nullptr : &prepared.steps->program(), prepared.arguments,
                          prepared.goldens},
                         std::move(channel));
    prepared.session->attach(&target);
    if (prepared.steps != nullptr) prepared.steps->tell_steps(&target);
    if (!prepared.loaded.compiled.empty() && prepared.has_lines) follow_lines(target);
    target.begin();
    std::string summary;
    try {
        const debug::InStepKernel kernel(*prepared.loaded.kernel);
        const LaunchResult result = prepared.session->launch(
            kernel, argument_values(prepared.arguments),
            {.blocks = prepared.options.blocks,
             .asks_for_block = prepared.loaded.asks_for_block,
             .print = [&target](CoreId core, std::string_view line) { target.print(core, line); }});
        summary = summary_of(prepared, result);
    } catch (const DiagnosticError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) summary += to_text(diagnostic);
    } catch (const std::exception& error) {
        summary = std::string("the run ended with an error: ") + error.what() + "\n";
    }
    target.end(summary);
}

struct Face {
    bool console = false;
    uint32_t port = 0;
    bool has_port = false;
};

// Waits for one client on this host. Port 0: any that is free; standard error names it.
debug::Descriptor client_of(uint32_t port) {
    const auto fail = [port](const char* what) {
        fail_input("I69", "port " + std::to_string(port) + ": " + what + ": " + std::strerror(errno),
                   "choose another --port, or 0 for any");
    };
    const debug::Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    if (bind(listener.number(), plain, size) != 0) fail("cannot be used");
    if (listen(listener.number(), 1) != 0 || getsockname(listener.number(), plain, &size) != 0) fail("cannot be used");
    std::cerr << "listening on 127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "\n" << std::flush;
    debug::Descriptor client(accept(listener.number(), nullptr, nullptr));
    if (!client) fail("no client");
    return client;
}

// Lets the client read the last answers: a connection that is closed before everything was read is reset.
void leave(const debug::Descriptor& client) {
    shutdown(client.number(), SHUT_WR);
    const timeval patience{1, 0};
    setsockopt(client.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    for (char unread[1024]; recv(client.number(), unread, sizeof(unread), 0) > 0;) {
    }
}

// Lines of the kernel's files at which it can stop.
debug::Adapter::Lines lines_with_steps(const Prepared& prepared) {
    debug::Adapter::Lines lines;
    const SourceMap& sources = prepared.loaded.kernel->sources();
    const auto add = [&](SourceLocation where) {
        if (where.line != 0) lines[std::string(sources.file(where))].insert(where.line);
    };
    if (prepared.steps != nullptr)
        for (const assembly::Step& step : prepared.steps->program().steps) add(step.where);
    for (const LoadedKernel::Compiled& part : prepared.loaded.compiled)
        for (const CoreType core : {CoreType::kAIC, CoreType::kAIV})
            for (const LineCode& line : part.kernel->lines(core)) add(line.where);
    return lines;
}

debug::Adapter::Subject subject_of(const Prepared& prepared) {
    debug::Adapter::Subject subject;
    subject.kernel = prepared.loaded.kernel->name();
    subject.file = std::filesystem::absolute(prepared.options.kernel).string();
    subject.lines = lines_with_steps(prepared);
    const auto parameters = prepared.loaded.kernel->parameters();
    for (size_t i = 0; i < parameters.size(); ++i)
        if (!prepared.arguments[i].scalar && prepared.arguments[i].value != 0) subject.arrays.push_back(parameters[i].name);
    return subject;
}

// Null if the kernel is not compiled code.
std::unique_ptr<debug::CodeValues> values_of_code(const Prepared& prepared, debug::Timeline& timeline) {
    if (prepared.loaded.compiled.empty()) return nullptr;
    std::map<std::string, std::string> libraries;
    for (const LoadedKernel::Compiled& part : prepared.loaded.compiled)
        for (const CoreType core : {CoreType::kAIC, CoreType::kAIV})
            if (part.kernel->runs_on(core))
                libraries[part.core ? name(*part.core) : std::string(name(core))] = part.kernel->symbol_file(core);
    return std::make_unique<debug::CodeValues>(timeline, std::move(libraries));
}

int serve_editor(Prepared& prepared, const Face& face) {
    debug::Descriptor client;
    if (face.has_port) client = client_of(face.port);
    debug::ProtocolStream stream(client ? client.number() : STDIN_FILENO, client ? client.number() : STDOUT_FILENO);
    debug::Adapter adapter(stream, subject_of(prepared));
    debug::Timeline timeline([&prepared](debug::Channel channel) { run_target(prepared, std::move(channel)); },
                             {[&adapter](const std::string& line) { adapter.show_output(line); },
                              [&adapter] { return adapter.wants_pause(); }});
    const std::unique_ptr<debug::CodeValues> code = values_of_code(prepared, timeline);
    debug::Debugger debugger(timeline, prepared.has_lines, code.get());
    const bool right = adapter.serve(debugger);
    if (client) leave(client);
    return right ? kOk : kInputUnusable;
}

int run_in_terminal(Prepared& prepared) {
    debug::Timeline timeline([&prepared](debug::Channel channel) { run_target(prepared, std::move(channel)); },
                             {[](const std::string& line) { std::cout << line << "\n"; }, {}});
    const std::unique_ptr<debug::CodeValues> code = values_of_code(prepared, timeline);
    debug::Debugger debugger(timeline, prepared.has_lines, code.get());
    const std::string& checks = prepared.options.check;
    if (!checks.empty() && checks != "none") debugger.add(debug::Debugger::finding_rule(), "a finding");
    const bool terminal = isatty(STDIN_FILENO) != 0;
    debug::Console(debugger, std::cout).run(std::cin, terminal ? "(ptosim) " : "");
    return kOk;
}

int run_debug(const RunOptions& options, const Face& face) {
    check_debug_options(options);
    Prepared prepared(options);
    return face.console ? run_in_terminal(prepared) : serve_editor(prepared, face);
}

}  // namespace

void add_debug(const Command& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    options->check = "all";
    const Command command =
        app.add_subcommand("debug", "Step through a run, forwards and backwards, and look at pipes, flags and tiles");
    auto face = std::make_shared<Face>();
    command.add_options_later([command, options, face] {
        add_run_options(command, *options);
        command.add_flag("--console", face->console,
                         "Read commands from standard input ('help' lists them); without, speak the Debug Adapter "
                         "Protocol on the standard streams");
        command.add_option("--port", face->port, "Speak it with one client on this port of 127.0.0.1; 0: any port")
            .range(0, 65535)
            .each([face](const std::string&) { face->has_port = true; });
    });
    command.callback([options, face, &action] {
        action = [options, face] { return run_debug(*options, *face); };
    });
}

}  // namespace ptosim::cli
