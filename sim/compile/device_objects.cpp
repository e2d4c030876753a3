#include "sim/compile/device_objects.h"

#include <dlfcn.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <span>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/compile/compiler.h"
#include "sim/compile/embed.h"
#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"
#include "sim/files/temporary_folder.h"
#include "sim/native/image.h"

namespace ptosim {
namespace {

// The objects of one core type.
struct CorePart {
    Words objects;
    std::vector<std::string> sources;
};

void link(const Words& words, const std::string& output) {
    const CommandResult result = run_command(words);
    std::cerr << result.messages;
    if (result.status != 0)
        fail_input("H02", output + " cannot be linked", "the messages above are the linker's: " + words[0]);
}

std::vector<NativeImage> marks_of(const std::string& object) {
    std::vector<NativeImage> marks = read_device_object_marks(read_file(object), object);
    if (marks.empty())
        fail_input("H02", object + ": not the code of a kernel", "compile it with bisheng --cce-aicore-only");
    return marks;
}

}  // namespace

void check_kernel_symbols(const std::string& origin, const std::string& library) {
    for (const std::string& symbol : undefined_symbols(read_file(library))) {
        if (symbol.starts_with("ptosim_") || dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr) continue;
        fail_input("H02", origin + ": its kernels use '" + symbol + "', which is not defined",
                   "what kernels call must be in their source file or its headers");
    }
}

void join_device_objects(const std::vector<std::string>& objects, const std::string& output) {
    for (const std::string& object : objects) marks_of(object);
    Words words = {Compiler(BuildOptions{}).program(), "-r", "-nostdlib", "-o", output};
    append(words, objects);
    link(words, output);
}

void link_device_binary(const std::vector<std::string>& objects, const std::string& output) {
    std::map<CoreType, CorePart> parts;
    std::set<std::string> modules;
    BuildOptions options;
    for (const std::string& object : objects) {
        const std::vector<NativeImage> marks = marks_of(object);
        options.arch = marks.front().arch;
        CorePart& part = parts[marks.front().core];
        part.objects.push_back(object);
        for (const NativeImage& mark : marks) {
            if (mark.core != marks.front().core || mark.arch != options.arch)
                fail_input("H02", object + ": has code of several core types or architectures",
                           "join the objects of AIC and of AIV apart");
            part.sources.insert(part.sources.end(), mark.sources.begin(), mark.sources.end());
            modules.insert(mark.module);
        }
    }
    const Compiler compiler(options);
    const TemporaryFolder work;
    std::string all;
    for (const std::string& module : modules) all += module + "\n";
    std::vector<ImageFile> images;
    for (const auto& [core, part] : parts) {
        const std::string library = (work.path() / (std::string(name(core)) + ".so")).string();
        link(compiler.link_kernels(part.objects, library), output);
        check_kernel_symbols(output, library);
        const std::set<std::string> sources(part.sources.begin(), part.sources.end());
        images.push_back({core, library, {sources.begin(), sources.end()}});
    }
    const std::string text = (work.path() / "images.s").string();
    const std::string module = sha256(std::as_bytes(std::span<const char>(all))).substr(0, 17);
    write_file(text, embedding_text(images, options.arch, module));
    link({compiler.program(), "-c", text, "-o", output}, output);
}

}  // namespace ptosim
