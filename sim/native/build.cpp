#include "sim/native/build.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "isa/arch.h"
#include "isa/diagnostic.h"
#include "ptosim/kernel_abi.h"
#include "sim/model/installation.h"
#include "sim/native/command.h"
#include "sim/native/image.h"
#include "sim/native/rewrite.h"
#include "sim/native/tokens.h"
#include "sim/session/arguments.h"
#include "sim/session/files.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Cores = BuildOptions::Cores;

// Part of every command that is remembered: what this program makes of a source. To be raised
// whenever the rewriter writes something else.
constexpr const char* kRecipe = "recipe 3";

enum class Pass { kHost, kAIC, kAIV };
const char* word(Pass pass) {
    return pass == Pass::kHost ? "host" : pass == Pass::kAIC ? "aic" : "aiv";
}

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// ---- what a source is ---------------------------------------------------------------------

struct SourceKind {
    bool has_kernels = false;
    bool aic = false, aiv = false;
};

// By its words: kernels are marked, launched, or written with the device's headers.
SourceKind classify(const std::string& text, Cores cores) {
    static const std::set<std::string_view> kernel_words = {"__global__", "AICORE", "__aicore__",
                                                            "aicore"};
    static const std::set<std::string_view> guards = {
        "__DAV_CUBE__",     "__DAV_VEC__",       "__DAV_C220_CUBE__",
        "__DAV_C220_VEC__", "__DAV_C310_CUBE__", "__DAV_C310_VEC__",
        "DAV_CUBE",         "DAV_VEC",           "__CCE_AICORE__"};
    static const std::set<std::string_view> cube = {"TileAcc", "TileLeft", "TileRight",
                                                    "Acc",     "Left",     "Right"};
    static const std::set<std::string_view> vector = {"Vec", "get_subblockid"};
    SourceKind kind;
    bool guarded = false, cubes = false, vectors = false, l1 = false;
    const std::vector<Token> tokens = tokenize(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        const std::string_view word =
            std::string_view(text).substr(token.begin, token.end - token.begin);
        if (token.kind == Token::Kind::kSign && word == "<" && i + 2 < tokens.size() &&
            std::string_view(text).substr(token.begin, 3) == "<<<")
            kind.has_kernels = true;
        if (token.kind == Token::Kind::kDirective) {
            for (std::string_view guard : guards)
                guarded = guarded || word.find(guard) != word.npos;
            kind.has_kernels = kind.has_kernels || word.find("<pto/pto-inst.hpp>") != word.npos ||
                               word.find("\"pto/pto-inst.hpp\"") != word.npos;
        }
        if (token.kind != Token::Kind::kWord) continue;
        kind.has_kernels = kind.has_kernels || kernel_words.contains(word);
        guarded = guarded || guards.contains(word);
        cubes = cubes || cube.contains(word) || word.starts_with("TMATMUL") ||
                word.starts_with("TGEMV");
        vectors = vectors || vector.contains(word);
        l1 = l1 || word == "Mat";
    }
    const bool both = guarded || (cubes && vectors);
    kind.aic = cores == Cores::kAIC || cores == Cores::kBoth ||
               (cores == Cores::kGuess && (both || cubes || (l1 && !vectors)));
    kind.aiv = cores == Cores::kAIV || cores == Cores::kBoth ||
               (cores == Cores::kGuess && (both || !kind.aic));
    return kind;
}

Words pass_macros(Pass pass, Arch arch, const std::string& module) {
    const std::string core(traits_of(arch).compiler_core);  // "c220"
    const bool registers = traits_of(arch).vector_operands == VectorOperands::kRegisters;
    Words words = {"-D__NPU_ARCH__=" + std::string(traits_of(arch).npu_arch),
                   registers ? "-DREGISTER_BASE" : "-DMEMORY_BASE",
                   "-DPTOSIM_MODULE=\"" + module + "\"",
                   "-D__global__=" + std::string(kKernelMark)};
    const std::string generation = "C" + core.substr(1);
    switch (pass) {
        case Pass::kHost:
            words.push_back("-DPTOSIM_HOST_PASS");
            break;
        case Pass::kAIC:
            add(words, {"-D__DAV_CUBE__", "-D__DAV_" + generation + "_CUBE__"});
            break;
        case Pass::kAIV:
            add(words, {"-D__DAV_VEC__", "-D__DAV_" + generation + "_VEC__"});
            break;
    }
    if (pass != Pass::kHost)
        add(words, {"-DPTOSIM_DEVICE_PASS", "-D__CCE_AICORE__=" + core.substr(1)});
    return words;
}

// ---- the builder --------------------------------------------------------------------------

struct Unit {  // one source
    std::string source, name, module;
    SourceKind kind;
    std::vector<std::string> objects;  // for the output
};

class Builder {
 public:
    explicit Builder(const BuildOptions& options) : options_{options} {}

    unsigned run() {
        const fs::path output = fs::absolute(options_.output);
        work_ = options_.work.empty() ? output.parent_path() / ".ptosim" / output.filename()
                                      : fs::path(options_.work);
        make_folder(output.parent_path());
        make_folder(work_);
        gnu_ = is_gnu();
        for (const std::string& source : options_.sources) units_.push_back(make_unit(source));
        std::vector<std::function<void()>> jobs;
        for (Unit& unit : units_) plan(unit, jobs);
        work_off(jobs);
        for (Unit& unit : units_)
            if (unit.kind.has_kernels) embed(unit);
        link(output);
        return commands_;
    }

 private:
    static void make_folder(const fs::path& folder) {
        if (!folder.empty()) ptosim::make_folder(folder.string());
    }

    // clang does not know some options of g++.
    bool is_gnu() const {
        const CommandResult version = run_command({options_.compiler, "--version"});
        if (version.status != 0)
            fail_input("H02", "there is no C++ compiler '" + options_.compiler + "'",
                       "install g++ or clang++, or name one with --cxx or the variable CXX");
        return version.messages.find("clang") == version.messages.npos;
    }

    Unit make_unit(const std::string& source) {
        Unit unit;
        unit.source = source;
        const std::string text = read_file(source);
        unit.kind = classify(text, options_.cores);
        if (options_.device_only) unit.kind.has_kernels = true;
        const std::string path = fs::absolute(source).lexically_normal().string();
        unit.module = sha256(std::as_bytes(std::span(path))).substr(0, 16);
        unit.name = fs::path(source).stem().string() + "-" + unit.module.substr(0, 6);
        return unit;
    }

    std::string file(const Unit& unit, Pass pass, const char* ending) const {
        return (work_ / (unit.name + "." + word(pass) + ending)).string();
    }

    void plan(Unit& unit, std::vector<std::function<void()>>& jobs) {
        if (!unit.kind.has_kernels) {
            unit.objects.push_back(file(unit, Pass::kHost, ".o"));
            jobs.push_back([this, &unit] { compile_host_only(unit); });
            return;
        }
        if (!options_.device_only) {
            unit.objects.push_back(file(unit, Pass::kHost, ".o"));
            jobs.push_back([this, &unit] { compile(unit, Pass::kHost); });
        }
        if (unit.kind.aic) jobs.push_back([this, &unit] { compile_device(unit, Pass::kAIC); });
        if (unit.kind.aiv) jobs.push_back([this, &unit] { compile_device(unit, Pass::kAIV); });
    }

    void work_off(const std::vector<std::function<void()>>& jobs) {
        std::atomic<size_t> next = 0;
        std::exception_ptr failure;
        std::mutex failing;
        const auto worker = [&] {
            for (size_t i; (i = next++) < jobs.size();) {
                try {
                    jobs[i]();
                } catch (...) {
                    const std::lock_guard lock(failing);
                    if (!failure) failure = std::current_exception();
                    next = jobs.size();
                }
            }
        };
        const unsigned wanted =
            options_.jobs != 0 ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
        std::vector<std::thread> threads;
        for (size_t i = 1; i < std::min<size_t>(wanted, jobs.size()); ++i)
            threads.emplace_back(worker);
        worker();
        for (std::thread& thread : threads) thread.join();
        if (failure) std::rethrow_exception(failure);
    }

    // Prints what a compiler says, each line once: three passes read the same source.
    void print_messages(const std::string& messages) {
        const std::lock_guard lock(printing_);
        std::istringstream stream(messages);
        for (std::string line; std::getline(stream, line);)
            if (printed_.insert(line).second) std::cerr << line << "\n";
    }

    void command(const Words& words, const std::string& what) {
        ++commands_;
        if (options_.verbose) print_messages(to_text(words) + "\n");
        const CommandResult result = run_command(words);
        print_messages(result.messages);
        if (result.status != 0)
            fail_input("H02", what, "the messages above are the compiler's: " + words[0]);
    }

    Words compile_flags() const {
        // The headers of this simulator go before others of the same names.
        Words words = {"-std=c++17", "-fPIC", "-I" + include_folder()};
        add(words, options_.flags);
        return words;
    }

    void compile_host_only(const Unit& unit) {
        const std::string object = file(unit, Pass::kHost, ".o");
        const std::string dependencies = object + ".d";
        Words words = {options_.compiler,
                       "-D__NPU_ARCH__=" + std::string(traits_of(options_.arch).npu_arch)};
        add(words, compile_flags());
        add(words, {"-MD", "-MF", dependencies, "-c", unit.source, "-o", object});
        const Stamp stamp(object);
        const std::string text = std::string(kRecipe) + " " + to_text(words);
        if (stamp.fresh(text)) return;
        stamp.remove();
        command(words, unit.source + " does not compile");
        stamp.write(text, read_dependencies(dependencies));
    }

    // Preprocess, rewrite, compile.
    void compile(const Unit& unit, Pass pass) {
        const std::string object = file(unit, pass, ".o");
        const std::string plain = file(unit, pass, ".raw.ii"), written = file(unit, pass, ".ii");
        const std::string dependencies = object + ".d";
        Words preprocess = {options_.compiler, "-E", "-x", "c++"};
        add(preprocess, pass_macros(pass, options_.arch, unit.module));
        add(preprocess, compile_flags());
        add(preprocess,
            {"-include", "ptosim/launch.h", "-include", "pto/common/device_language.hpp", "-MD",
             "-MF", dependencies, unit.source, "-o", plain});
        Words compile = {options_.compiler};
        add(compile, compile_flags());
        if (pass != Pass::kHost) add(compile, device_flags());
        if (gnu_)
            add(compile, {"-fpreprocessed", "-Wno-attributes"});
        else
            add(compile, {"-Wno-unknown-attributes"});
        add(compile, {"-c", written, "-o", object});
        const Stamp stamp(object);
        const std::string text =
            std::string(kRecipe) + " " + to_text(preprocess) + " " + to_text(compile);
        if (stamp.fresh(text)) return;
        stamp.remove();
        const std::string what = unit.source + " does not compile" +
                                 (pass == Pass::kHost  ? " as the host's part"
                                  : pass == Pass::kAIC ? " as AIC"
                                                       : " as AIV");
        command(preprocess, what);
        const Rewritten result =
            rewrite(read_file(plain),
                    pass == Pass::kHost ? CompilePass::kHost : CompilePass::kDevice, unit.source);
        write_file(written, result.text);
        command(compile, what);
        fs::remove(plain);
        stamp.write(text, read_dependencies(dependencies));
    }

    // No symbols that two copies would share; nothing of the host's part stays.
    Words device_flags() const {
        Words words = {"-fvisibility=hidden", "-fvisibility-inlines-hidden", "-ffunction-sections",
                       "-fdata-sections",     "-fno-strict-aliasing",        "-ffp-contract=off"};
        if (gnu_) words.push_back("-fno-gnu-unique");
        return words;
    }

    void compile_device(const Unit& unit, Pass pass) {
        compile(unit, pass);
        const std::string object = file(unit, pass, ".o"), library = file(unit, pass, ".so");
        const Words words = {options_.compiler,   "-shared",    "-o", library, object,
                             "-Wl,--gc-sections", "-Wl,-z,lazy"};
        const Stamp stamp(library);
        if (stamp.fresh(to_text(words))) return;
        stamp.remove();
        command(words, unit.source + ": its kernels cannot be linked");
        check_symbols(unit, library);
        stamp.write(to_text(words), {object});
    }

    // What a kernel calls must be in the simulator or in the C++ library: it is loaded lazily.
    void check_symbols(const Unit& unit, const std::string& library) const {
        for (const std::string& symbol : undefined_symbols(read_file(library))) {
            if (symbol.starts_with("ptosim_") || dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr)
                continue;
            fail_input("H02", unit.source + ": its kernels use '" + symbol + "', which is nowhere",
                       "what kernels call must be in their source file or its headers");
        }
    }

    // ---- output ---------------------------------------------------------------------------

    static std::string quoted(const std::string& text) {
        std::string result = "\"";
        for (char c : text) {
            if (c == '"' || c == '\\') result += '\\';
            result += c;
        }
        return result + "\"";
    }

    std::string image(const Unit& unit, Pass pass, const std::string& label) const {
        std::ostringstream text;
        text << "\t.balign 16\n\t.ascii \"PTOSIMK1\"\n\t.long " << PTOSIM_ABI_VERSION
             << "\n\t.byte " << (pass == Pass::kAIC ? 0 : 1) << ", "
             << static_cast<unsigned>(options_.arch) << ", 0, 0\n\t.quad " << label << "_end - "
             << label << "\n\t.quad " << label << "_sources_end - " << label << "_end\n\t.ascii "
             << quoted(unit.module) << "\n\t.zero " << 32 - unit.module.size() << "\n"
             << label << ":\n\t.incbin " << quoted(file(unit, pass, ".so")) << "\n"
             << label << "_end:\n";
        for (const std::string& name : read_dependencies(file(unit, pass, ".o.d")))
            if (!name.starts_with("/usr/")) text << "\t.ascii " << quoted(name) << "\n\t.byte 10\n";
        text << label << "_sources_end:\n\t.balign 16\n";
        return text.str();
    }

    void embed(Unit& unit) {
        const std::string assembly = (work_ / (unit.name + ".images.s")).string();
        const std::string object = (work_ / (unit.name + ".images.o")).string();
        std::string text = "\t.section ptosim_kernels,\"a\",@progbits\n";
        Words inputs;
        for (Pass pass : {Pass::kAIC, Pass::kAIV}) {
            if (!(pass == Pass::kAIC ? unit.kind.aic : unit.kind.aiv)) continue;
            text += image(unit, pass, std::string(".L") + word(pass));
            inputs.push_back(file(unit, pass, ".so"));
        }
        text += "\t.section .note.GNU-stack,\"\",@progbits\n";
        unit.objects.push_back(object);
        const Stamp stamp(object);
        const std::string how = sha256(std::as_bytes(std::span(text))) + " " + options_.compiler;
        if (stamp.fresh(how)) return;
        stamp.remove();
        write_file(assembly, text);
        command({options_.compiler, "-c", assembly, "-o", object},
                unit.source + ": its images cannot be embedded");
        stamp.write(how, inputs);
    }

    // Tells the simulator about the images when the output is loaded.
    std::string registration() {
        const std::string source = (work_ / "registration.cpp").string();
        const std::string object = (work_ / "registration.o").string();
        const std::string text =
            "#include \"ptosim/launch.h\"\n"
            "extern \"C\" __attribute__((visibility(\"hidden\"))) const char\n"
            "    __start_ptosim_kernels[], __stop_ptosim_kernels[];\n"
            "__attribute__((constructor)) static void ptosim_register_output() {\n"
            "    ptosim_register_images(__start_ptosim_kernels, __stop_ptosim_kernels);\n"
            "}\n";
        const Words words = {options_.compiler,
                             "-std=c++17",
                             "-fPIC",
                             "-I" + include_folder(),
                             "-c",
                             source,
                             "-o",
                             object};
        const Stamp stamp(object);
        if (stamp.fresh(to_text(words))) return object;
        stamp.remove();
        write_file(source, text);
        command(words, "the registration of kernels cannot be compiled");
        stamp.write(to_text(words), {include_folder() + "/ptosim/launch.h"});
        return object;
    }

    void link(const fs::path& output) {
        const bool library = output.extension() == ".so";
        Words words = {options_.compiler};
        if (library) words.push_back("-shared");
        add(words, {"-o", output.string()});
        Words inputs;
        bool kernels = false;
        for (const Unit& unit : units_) {
            add(inputs, unit.objects);
            kernels = kernels || unit.kind.has_kernels;
        }
        if (kernels && !options_.device_only) inputs.push_back(registration());
        add(words, inputs);
        for (const std::string& flag : options_.flags)
            if (flag.starts_with("-f") || flag.starts_with("-m") || flag.starts_with("-O") ||
                flag.starts_with("-g") || flag == "-pthread")
                words.push_back(flag);
        add(words, options_.link_flags);
        if (!options_.device_only)
            add(words, {"-L" + library_folder(), "-lptosim", "-Wl,-rpath," + library_folder()});
        const Stamp stamp((work_ / "output").string());
        const std::string how = to_text(words);
        if (stamp.fresh(how) && fs::exists(output)) return;
        stamp.remove();
        command(words, options_.output + " cannot be linked");
        write_file((work_ / "output").string(), "linked\n");
        stamp.write(how, inputs);
    }

    BuildOptions options_;
    fs::path work_;
    bool gnu_ = true;
    std::vector<Unit> units_;
    std::atomic<unsigned> commands_ = 0;
    std::mutex printing_;
    std::set<std::string> printed_;
};

}  // namespace

unsigned build(const BuildOptions& options) { return Builder(options).run(); }

}  // namespace ptosim
