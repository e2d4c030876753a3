#include "sim/faces/toolkit/pypto_setup.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "isa/core/diagnostic.h"
#include "sim/compile/compile_cache.h"
#include "sim/compile/compiled_objects.h"
#include "sim/compile/compiler.h"
#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/installation.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDeviceFolder = "framework/src/machine/device";
// Sources outside that folder, by the checkout's CMakeLists.txt.
constexpr const char* kSharedSources[] = {
    "framework/src/machine/utils/dynamic/dev_encode_function.cpp",
    "framework/src/machine/utils/dynamic/dev_encode_function_dupped_data.cpp",
    "framework/src/machine/utils/dynamic/dev_encode_program.cpp"};
constexpr const char* kHeaders[] = {"framework/include",       "framework/src",
                                    "framework/src/include",   "framework/src/interface",
                                    "framework/src/cost_model", "framework/src/interface/machine/device"};
// Functions of the system that aicpu_server.cpp replaces.
constexpr const char* kWrapped[] = {"clock_gettime", "sched_getcpu",       "sched_yield", "usleep",
                                    "sleep",         "pthread_mutex_lock", "sigaction"};

// Entries that launches name (sim/faces/host/device_binaries.cpp).
constexpr const char* kEntries[] = {"DynTileFwkBackendKernelServer", "DynTileFwkBackendKernelServerInit"};
constexpr const char* kHint = "docs/toolkit.md names the release that was tried";

Words sources_of(const fs::path& checkout) {
    const fs::path device = checkout / kDeviceFolder;
    if (!fs::is_directory(device))
        fail_input("H32", device.string() + " is missing", "pypto-setup needs a checkout of cann/pypto");
    Words sources;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(device))
        if (entry.path().extension() == ".cpp" && entry.path().parent_path().filename() != "stub")
            sources.push_back(entry.path().string());
    for (const char* file : kSharedSources) {
        if (!fs::exists(checkout / file)) fail_input("H32", (checkout / file).string() + " is missing", kHint);
        sources.push_back((checkout / file).string());
    }
    std::sort(sources.begin(), sources.end());
    return sources;
}

void run(const Words& words, const std::string& what) {
    const CommandResult result = run_command(words);
    if (result.status == 0) return;
    std::cerr << result.messages;
    fail_input("H32", what, kHint);
}

Words compiler_of(const fs::path& checkout) {
    Words words = {"g++", "-std=gnu++17", "-O2", "-g1", "-fPIC", "-w", "-fno-gnu-unique", "-D__DEVICE__",
                   "-fsanitize-coverage=trace-pc"};
    for (const char* folder : kHeaders) words.push_back("-I" + (checkout / folder).string());
    append(words, {"-I" + include_folder(), "-I" + include_folder() + "/asc_devkit"});
    return words;
}

}  // namespace

int run_pypto_setup(const std::vector<std::string>& words) {
    if (words.size() != 1 || words[0].starts_with("-"))
        fail_input("I00", "pypto-setup takes one word: the folder of a checkout of cann/pypto", "");
    const fs::path checkout = fs::absolute(words[0]);
    const Words sources = sources_of(checkout);
    const TemporaryFolder work;
    Words link = {"g++", "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"};
    append(link, compile_objects(compiler_of(checkout), sources, work.path(), "H32", kHint));
    const std::string platform = (work.path() / "platform.o").string();
    run({"g++", "-std=c++17", "-O1", "-fPIC", "-I" + include_folder(), "-c",
         mpmd_folder() + "/platform/aicpu_server.cpp", "-o", platform},
        "the platform of servers does not compile");
    const fs::path library = aicpu_server_library(), made = library.string() + ".new";
    make_folder(library.parent_path().string());
    append(link, {platform, "-o", made.string()});
    for (const char* function : kWrapped) link.push_back(std::string("-Wl,--wrap=") + function);
    for (const char* entry : kEntries) link.push_back(std::string("-Wl,--require-defined=") + entry);
    append(link, {"-L" + library_folder(), "-lptosim", "-ldl", "-lpthread", "-Wl,-rpath," + library_folder()});
    run(link, checkout.string() + " cannot be linked: it lacks the symbols that the messages above name");
    fs::rename(made, library);
    std::cout << checkout.string() << ": " << library.string() << "\n";
    return 0;
}

}  // namespace ptosim::toolkit
