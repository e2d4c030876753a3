#include "sim/compile/compiled_objects.h"

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "isa/core/diagnostic.h"
#include "sim/files/command.h"

namespace ptosim {

std::vector<std::string> compile_objects(const std::vector<std::string>& words,
                                         const std::vector<std::string>& sources,
                                         const std::filesystem::path& folder, const char* code, const char* hint) {
    std::vector<std::string> objects;
    for (size_t i = 0; i < sources.size(); ++i)
        objects.push_back(folder /
                          (std::to_string(i) + "-" + std::filesystem::path(sources[i]).stem().string() + ".o"));
    std::atomic<size_t> next = 0;
    std::mutex failing;
    std::string failed, messages;
    const auto worker = [&] {
        for (size_t i; (i = next++) < sources.size();) {
            std::vector<std::string> command = words;
            command.insert(command.end(), {"-c", sources[i], "-o", objects[i]});
            const CommandResult result = run_command(command);
            if (result.status == 0) continue;
            const std::lock_guard lock(failing);
            failed = sources[i];
            messages = result.messages;
            next = sources.size();
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(worker);
    worker();
    for (std::thread& thread : threads) thread.join();
    if (failed.empty()) return objects;
    std::cerr << messages;
    fail_input(code, failed + " does not compile", hint);
}

}  // namespace ptosim
