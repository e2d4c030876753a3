#include "sim/faces/host/aicpu_servers.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include "acl/acl.h"
#include "sim/compile/compile_cache.h"
#include "sim/faces/host/host_error.h"
#include "sim/native/control_registers.h"
#include "sim/native/library.h"

namespace ptosim {
namespace {

constexpr const char* kRemedy =
    "the toolkit's pypto-setup CHECKOUT compiles it for this machine; PTOSIM_AICPU_SERVER names another library";

// Empty: there is none.
std::string library_file() {
    const char* const chosen = std::getenv("PTOSIM_AICPU_SERVER");
    if (chosen != nullptr && *chosen != 0) return chosen;
    const std::filesystem::path made = aicpu_server_library();
    return std::filesystem::exists(made) ? made.string() : std::string();
}

Diagnostic problem(std::string what, std::string hint) {
    return host_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, std::move(what), std::move(hint)).diagnostic;
}

}  // namespace

AicpuServers::Work AicpuServers::find(const std::string& function) {
    if (library_ == nullptr) {
        const std::string file = library_file();
        if (file.empty())
            throw host_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                             "a launch of " + function + " on the AICPU, whose code is for another machine", kRemedy);
        make_symbols_known();
        library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr)
            throw host_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, std::string("the AICPU's code: ") + dlerror(), kRemedy);
    }
    const auto work = reinterpret_cast<Work>(dlsym(library_, function.c_str()));
    if (work == nullptr)
        throw host_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                         "the AICPU's code has no function " + function, kRemedy);
    return work;
}

void AicpuServers::add(Work work, std::vector<std::byte> arguments, unsigned processors) {
    pending_.push_back(std::make_unique<Run>(Run{work, std::move(arguments), processors}));
}

void AicpuServers::start(Session& session) {
    size_t next = 0;
    if (!pending_.empty()) ControlRegisters::get().clear();
    for (std::unique_ptr<Run>& run : pending_) {
        run->results.resize(run->processors);
        for (int& result : run->results) {
            if (next == processors_.size()) {
                const unsigned number = ControlRegisters::get().processor(static_cast<unsigned>(next));
                processors_.push_back(std::make_unique<Processor>(session.chip().event_queue(), session.model(),
                                                                  session.chip().parameters_read(), number));
            }
            start(*processors_[next++], *run, result);
        }
        running_.push_back(std::move(run));
    }
    pending_.clear();
}

void AicpuServers::start(Processor& processor, Run& run, int& result) {
    processor.start([&processor, &run, &result] {
        try {
            result = run.work(run.arguments.data());
        } catch (const std::exception&) {
            result = -1;
        }
        processor.spend();
    });
}

std::vector<Diagnostic> AicpuServers::end() {
    std::vector<Diagnostic> found;
    for (const std::unique_ptr<Processor>& processor : processors_)
        if (processor->working())
            found.push_back(problem("processor " + std::to_string(processor->index()) +
                                        " of the AICPU waits for something that does not come",
                                    "the kernel on the cores has ended, or waits for it"));
    for (const std::unique_ptr<Run>& run : running_)
        for (const int result : run->results)
            if (found.empty() && result != 0)
                found.push_back(problem("a server on the AICPU has ended with " + std::to_string(result), ""));
    if (found.empty()) running_.clear();
    return found;
}

}  // namespace ptosim
