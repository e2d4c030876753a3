#include "sim/compile/build.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <mutex>
#include <set>
#include <span>
#include <sstream>
#include <thread>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/compile_cache.h"
#include "sim/compile/compiler.h"
#include "sim/compile/compiler_hints.h"
#include "sim/compile/device_objects.h"
#include "sim/compile/device_words.h"
#include "sim/compile/embed.h"
#include "sim/compile/local_arrays.h"
#include "sim/compile/local_pointers.h"
#include "sim/compile/rewrite.h"
#include "sim/compile/shared_headers.h"
#include "sim/compile/source_kind.h"
#include "sim/compile/thread_arrays.h"
#include "sim/compile/used_units.h"
#include "sim/files/command.h"
#include "sim/files/file_lock.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/installation.h"
#include "sim/native/image.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

std::string digest(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

// The variable with the module's name, which include/ptosim/launch.h declares.
constexpr const char* kModuleVariable = "ptosim_module_of_source";
constexpr size_t kModuleDigits = 16;

struct Unit {  // one source
    std::string source, name;
    std::string module;  // a digest of all its passes, see launch.h
    SourceKind kind;
    std::vector<Pass> passes;
    std::vector<std::string> objects;  // for the output
    DefinedKernels kernels;            // of Ascend C
};

// Builds in a separate folder. Outputs are always made from the preprocessed text of their sources,
// so no change of a source, a header or a macro can be missed.
class Builder {
 public:
    Builder(const BuildOptions& options, fs::path work)
        : options_{options}, compiler_{options_}, work_{std::move(work)} {
        for (const std::string& source : options_.sources) units_.push_back(make_unit(source));
        for_all_passes([this](Unit& unit, Pass pass) { preprocess(unit, pass); });
        find_thread_functions();
        find_kernels_of_headers();
        for (Unit& unit : units_) {
            if (options_.idle_cores && options_.ascendc.empty() && unit.kind.has_kernels)
                infer_cores(unit);
            if (!options_.ascendc.empty() && unit.kind.has_kernels) leave_out_passes(unit);
            name_module(unit);
        }
    }

    // True if a source with kernels is written in Ascend C.
    bool has_ascendc() const {
        return std::any_of(units_.begin(), units_.end(), [this](const Unit& unit) {
            return unit.kind.has_kernels &&
                   uses_ascendc(read_dependencies(dependencies(unit, unit.passes.back())),
                                options_.ascendc);
        });
    }

    // True if its kernels are tiles of this simulator's headers, although a checkout of Ascend C is given, for example by
    // PTOSIM_ASCENDC for other sources.
    bool has_only_tiles() const {
        if (options_.ascendc.empty() || options_.threads || !options_.library_headers.empty()) return false;
        bool any = false;
        for (const Unit& unit : units_) {
            if (!unit.kind.has_kernels) continue;
            if (!includes_tiles(read_dependencies(dependencies(unit, unit.passes.back())))) return false;
            any = true;
        }
        return any;
    }

    // A digest of everything that determines the output.
    std::string key() const {
        std::string all = origin("output") + to_text(options_.flags) + "\n";
        for (const Unit& unit : units_) all += unit.module + " " + unit.source + "\n";
        return digest(all);
    }

    // Makes files that are out of date. Returns the number of commands.
    unsigned make(const fs::path& output) {
        for_all_passes([this](Unit& unit, Pass pass) { compile(unit, pass); });
        infer_kernel_types();
        for (Unit& unit : units_)
            if (unit.kind.has_kernels) embed(unit);
        link(output);
        return commands_;
    }

    // Makes one object of the only source.
    void make_object(const fs::path& output) {
        for_all_passes([this](Unit& unit, Pass pass) { compile(unit, pass); });
        infer_kernel_types();
        embed(units_[0]);
        Words words = {compiler_.program(), "-r", "-nostdlib", "-o", output.string()};
        append(words, units_[0].objects);
        words.push_back(registration());
        command(words, units_[0].source + ": its parts cannot be joined");
    }

    // Makes the only source's object of one core type, with its mark.
    void make_device_object(const fs::path& output) {
        for_all_passes([this](Unit& unit, Pass pass) { compile(unit, pass); });
        const Unit& unit = units_[0];
        const Pass pass = unit.passes.front();
        const std::string text = (work_ / "mark.s").string();
        write_file(text, device_object_mark(image_of(unit, pass), options_.arch, unit.module));
        command({compiler_.program(), "-r", "-nostdlib", "-o", output.string(),
                 file(unit, pass, ".o"), text},
                unit.source + ": its code cannot be marked as a kernel's");
    }

    // The sources and their included files, each once.
    std::vector<std::string> dependencies() const {
        std::vector<std::string> files;
        std::set<std::string> listed;
        for (const Unit& unit : units_)
            for (const Pass pass : unit.passes)
                for (std::string& file : read_dependencies(dependencies(unit, pass)))
                    if (listed.insert(file).second) files.push_back(std::move(file));
        return files;
    }

 private:
    Unit make_unit(const std::string& source) const {
        Unit unit;
        unit.source = source;
        unit.kind = classify(read_text(source), options_.cores);
        if (options_.threads) {
            unit.kind.aic = false;
            unit.kind.aiv = true;
        }
        if (options_.device_only || options_.all_kernels) unit.kind.has_kernels = true;
        unit.passes = passes_of(unit);
        const std::string path = digest(fs::absolute(source).lexically_normal().string());
        unit.name = fs::path(source).stem().string() + "-" + path.substr(0, 6);
        return unit;
    }

    std::vector<Pass> passes_of(Unit& unit) const {
        if (!unit.kind.has_kernels) return {Pass::kHost};
        std::vector<Pass> passes;
        // Qualifiers of a kernel in Ascend C name its cores.
        if (!options_.ascendc.empty() && !options_.threads && options_.cores == BuildOptions::Cores::kGuess)
            unit.kind.aic = unit.kind.aiv = true;
        if (!options_.device_only) passes.push_back(Pass::kHost);
        if (unit.kind.aic) passes.push_back(Pass::kAIC);
        if (unit.kind.aiv) passes.push_back(Pass::kAIV);
        return passes;
    }

    // Kernels of Ascend C may be in headers of a library only, as in Catlass.
    void find_kernels_of_headers() {
        if (options_.ascendc.empty()) return;
        for (Unit& unit : units_) {
            if (unit.kind.has_kernels ||
                !uses_ascendc(read_dependencies(dependencies(unit, Pass::kHost)), options_.ascendc))
                continue;
            unit.kind.has_kernels = true;
            unit.passes = passes_of(unit);
            for (const Pass pass : unit.passes) preprocess(unit, pass);
        }
    }

    // Callers include the kernel's own source, which may be generated by an assembler. Other
    // headers of a project are meant for all cores, and decide only that there is nothing for the
    // cube core.
    void infer_cores(Unit& unit) const {
        std::string text = read_text(unit.source), headers;
        std::set<std::string> seen{unit.source};
        for (const Pass pass : unit.passes)
            for (const std::string& file : read_dependencies(dependencies(unit, pass))) {
                if (file.starts_with("/usr/") || file.starts_with(include_folder()) ||
                    !seen.insert(file).second)
                    continue;
                (file.ends_with(".cpp") ? text : headers) += "\n" + read_text(file);
            }
        const SourceKind kind = classify(text, options_.cores);
        unit.kind.idle_aic = kind.idle_aic;
        unit.kind.idle_aiv = kind.idle_aiv;
        if (options_.infer_vector_kernels && options_.cores == BuildOptions::Cores::kBoth &&
            kind.vector_only && classify(text + headers, options_.cores).vector_only)
            std::erase(unit.passes, Pass::kAIC);
    }

    // Declarations of Ascend C name the core types of kernels, so nothing is compiled for the other
    // type.
    void leave_out_passes(Unit& unit) const {
        const auto has_kernels = [this](Unit& of, Pass pass) {
            of.kernels = defined_kernels(read_file(preprocessed(of, pass)),
                                         pass == Pass::kAIC ? CompilePass::kAIC : CompilePass::kAIV, of.source,
                                         kernel_code());
            return of.kernels.here != 0;
        };
        std::vector<Pass> passes;
        for (const Pass pass : unit.passes)
            if (pass == Pass::kHost || has_kernels(unit, pass)) passes.push_back(pass);
        if (passes.size() > (options_.device_only ? 0 : 1)) unit.passes = passes;
    }

    // A kernel without a type has the type that its code needs, if it is the only one of its source (asc-devkit, limits
    // of operator compilation): without work for the cube core it is a vector kernel, whose blocks are AIVs.
    void infer_kernel_types() {
        const bool by_default = options_.cores == BuildOptions::Cores::kGuess ||
                                (options_.cores == BuildOptions::Cores::kBoth && options_.idle_cores);
        if (options_.ascendc.empty() || !by_default || !traits_of(options_.arch).infers_kernel_types) return;
        for (Unit& unit : units_) {
            const auto has = [&](Pass pass) {
                return std::find(unit.passes.begin(), unit.passes.end(), pass) != unit.passes.end();
            };
            if (unit.kernels.unnamed == 0 || !has(Pass::kAIC) || !has(Pass::kAIV)) continue;
            const UsedUnits cube = used_units(read_file(file(unit, Pass::kAIC, ".o")));
            const UsedUnits vector = used_units(read_file(file(unit, Pass::kAIV, ".o")));
            if (cube.cube && vector.vector) continue;
            if (unit.kernels.unnamed > 1 || unit.kernels.here > 1) {
                if (!cube.cube) warn_of_clusters(unit);
                continue;
            }
            if (!cube.cube && !vector.vector)
                print_messages(unit.kernels.place + "warning: kernel '" + unit.kernels.name +
                               "' has no kernel type, and scalar code alone gives it none; it runs on AIVs\n"
                               "  help: mark it __vector__, as the device's compiler infers no type for it");
            std::erase(unit.passes, cube.cube ? Pass::kAIV : Pass::kAIC);
        }
    }

    void warn_of_clusters(const Unit& unit) {
        print_messages(unit.kernels.place + "warning: kernel '" + unit.kernels.name +
                       "' has no kernel type and no work for the cube core; its blocks are clusters, and both AIVs of "
                       "one run it\n  help: mark it __vector__; a type is inferred only for the only kernel of a source");
    }

    // Launches find their kernels by a digest of everything from which these are made, because
    // outputs of one source with other macros, or of another state of it, may be loaded into one
    // process.
    void name_module(Unit& unit) const {
        std::string all = to_text(options_.flags) + "\n" + origin("module") + unit.source;
        for (const Pass pass : unit.passes)
            all += std::string("\n") + ptosim::name(pass) + (idle(unit, pass) ? " idle " : " ") +
                   file_digest(preprocessed(unit, pass));
        unit.module = digest(all).substr(0, kModuleDigits);
    }

    // At the end of a source, so that headers have the same text in all.
    static std::string definition(const std::string& module) {
        return "\nnamespace { __attribute__((unused)) const char " + std::string(kModuleVariable) + "[] = \"" + module + "\"; }\n";
    }

    KernelCode kernel_code() const { return options_.threads ? KernelCode::kThread : KernelCode::kCore; }

    bool idle(const Unit& unit, Pass pass) const {
        if (!options_.idle_cores || !options_.ascendc.empty()) return false;
        return pass == Pass::kAIC ? unit.kind.idle_aic : pass == Pass::kAIV && unit.kind.idle_aiv;
    }

    std::string file(const Unit& unit, Pass pass, const char* ending) const {
        return (work_ / (unit.name + "." + name(pass) + ending)).string();
    }
    std::string preprocessed(const Unit& unit, Pass pass) const {
        return file(unit, pass, ".raw.ii");
    }
    std::string dependencies(const Unit& unit, Pass pass) const { return file(unit, pass, ".d"); }

    // Describes the origin of a file: this program, this compiler, a command and its inputs.
    std::string origin(const std::string& command,
                       const std::vector<std::string>& inputs = {}) const {
        std::string text = own_build() + "\n" + compiler_.identity() + command + "\n";
        for (const std::string& input : inputs) text += file_digest(input) + " " + input + "\n";
        return text;
    }

    // ---- commands -------------------------------------------------------------------------

    void for_all_passes(const std::function<void(Unit&, Pass)>& job) {
        std::vector<std::function<void()>> jobs;
        for (Unit& unit : units_)
            for (const Pass pass : unit.passes)
                jobs.push_back([&job, &unit, pass] { job(unit, pass); });
        run_jobs(jobs);
    }

    void run_jobs(const std::vector<std::function<void()>>& jobs) const {
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

    // Prints a compiler's messages, each line once, because several passes read the same source.
    void print_messages(const std::string& messages) {
        const std::lock_guard lock(printing_);
        std::istringstream stream(messages);
        for (std::string line; std::getline(stream, line);)
            if (printed_.insert(line).second) std::cerr << line << "\n";
    }

    void command(const Words& words, const std::string& what) {
        if (options_.verbose) print_messages(to_text(words) + "\n");
        const CommandResult result = run_command(words);
        print_messages(result.messages);
        if (result.status == 0) return;
        const std::string known = compiler_hint(result.messages, !options_.ascendc.empty());
        std::string hint = (known.empty() ? "" : known + "; ") +
                           "the messages above are the compiler's: " + words[0];
        if (result.messages.find("ambiguous template specialization") != std::string::npos)
            hint +=
                "; clang++, as the device's compiler is one, may find one that g++ does not: "
                "--cxx clang++, or CXX=clang++ (PTOSIM_CXX for the toolkit's bisheng)";
        fail_input("H02", what, hint);
    }

    // Makes an output unless it exists and was made from `origin`.
    void make_file(const std::string& output, const std::string& origin,
                   const std::function<void()>& make) {
        const Stamp stamp(output);
        if (stamp.fresh(origin)) return;
        stamp.remove();
        make();
        ++commands_;
        stamp.write(origin);
    }

    // ---- passes ---------------------------------------------------------------------------

    static std::string failed(const Unit& unit, Pass pass) {
        return unit.source + " does not compile" +
               (!unit.kind.has_kernels ? ""
                : pass == Pass::kHost  ? " as the host's part"
                : pass == Pass::kAIC   ? " as AIC"
                                       : " as AIV");
    }

    void preprocess(const Unit& unit, Pass pass) {
        command(
            compiler_.preprocess(unit.source, pass, unit.kind.has_kernels ? kModuleVariable : "",
                                 preprocessed(unit, pass), dependencies(unit, pass)),
            failed(unit, pass));
    }

    // Tiles with functions of threads need further headers, and their accesses.
    void find_thread_functions() {
        if (options_.uses_intrinsics() || !traits_of(options_.arch).gather_threads) return;
        const bool found = std::any_of(units_.begin(), units_.end(), [&](const Unit& unit) {
            return unit.kind.has_kernels &&
                   std::any_of(unit.passes.begin(), unit.passes.end(), [&](Pass pass) {
                       return read_file(preprocessed(unit, pass)).find(kThreadFunctionMark) !=
                              std::string::npos;
                   });
        });
        if (!found) return;
        options_.thread_functions = options_.report_accesses = true;
        for_all_passes([this](Unit& unit, Pass pass) { preprocess(unit, pass); });
    }

    void compile(Unit& unit, Pass pass) {
        const std::string raw = preprocessed(unit, pass), object = file(unit, pass, ".o");
        const std::string text = unit.kind.has_kernels ? file(unit, pass, ".ii") : raw;
        const bool counts = compiler_.counts(pass);
        const std::string assembly = file(unit, pass, ".s");
        const Words words = compiler_.compile(pass, unit.kind.has_kernels, text, counts ? assembly : object);
        const std::string module = unit.kind.has_kernels ? unit.module : "";
        make_file(object, origin(to_text(words) + module, {raw}), [&] {
            if (unit.kind.has_kernels) {
                const CompilePass kind = pass == Pass::kHost  ? CompilePass::kHost
                                         : idle(unit, pass)   ? CompilePass::kIdle
                                         : pass == Pass::kAIC ? CompilePass::kAIC
                                                              : CompilePass::kAIV;
                const bool threads =
                    traits_of(options_.arch).gather_threads && options_.uses_intrinsics();
                std::string source = read_file(raw);
                if (threads) source = with_apart_overloads(source);
                source = without_device_words(std::move(source));
                if (threads && !options_.threads) source = with_thread_names(std::move(source));
                source = options_.threads             ? with_thread_arrays(source)
                         : options_.uses_intrinsics() ? with_local_arrays(std::move(source), threads)
                                                      : with_local_accesses(std::move(source));
                write_file(text, rewrite(source, kind, unit.source, kernel_code()).text + definition(module));
            }
            if (!unit.kind.has_kernels || !compile_after_headers(unit, pass, text, counts ? assembly : object))
                command(words, failed(unit, pass));
            if (!counts) return;
            write_file(assembly, compiler_.counted(read_file(assembly)));
            command(compiler_.assemble(assembly, object), unit.source + ": its assembly cannot be assembled");
            fs::remove(assembly);
        });
        fs::remove(raw);
        if (pass != Pass::kHost && !options_.relocatable) link_kernels(unit, pass);
    }

    // Compiles a source with the compiled headers at its beginning, which are made if no source has needed them before.
    // False if it has none, or if they cannot be made: then the whole source is compiled.
    bool compile_after_headers(const Unit& unit, Pass pass, const std::string& text, const std::string& output) {
        if (!compiler_.keeps_headers()) return false;
        const std::optional<SharedHeaders> parts =
            shared_headers(read_file(text), [this](const std::string& name) { return compiler_.is_library_header(name); });
        if (!parts) return false;
        const std::string key = digest(compiler_.identity() + to_text(compiler_.compile_headers(pass, {}, {})) + "\n" + parts->headers);
        const fs::path headers = CompileCache().file(key, [&](const fs::path& made) {
            const std::string source = file(unit, pass, ".headers.ii");
            write_file(source, parts->headers);
            const Words words = compiler_.compile_headers(pass, source, made.string());
            if (options_.verbose) print_messages(to_text(words) + "\n");
            const bool good = run_command(words).status == 0;
            fs::remove(source);
            return good;
        });
        if (headers.empty()) return false;
        const std::string rest = file(unit, pass, ".rest.ii");
        write_file(rest, parts->rest);
        const Words words = compiler_.compile_after(headers.string(), pass, rest, output);
        if (options_.verbose) print_messages(to_text(words) + "\n");
        const CommandResult result = run_command(words);
        if (result.status != 0) return false;  // with all messages, or because another process has removed the headers
        print_messages(result.messages);
        fs::remove(rest);
        return true;
    }

    void link_kernels(const Unit& unit, Pass pass) {
        const std::string object = file(unit, pass, ".o"), library = file(unit, pass, ".so");
        const Words words = compiler_.link_kernels({object}, library);
        make_file(library, origin(to_text(words), {object, exported_by_kernels()}), [&] {
            command(words, unit.source + ": its kernels cannot be linked");
            check_kernel_symbols(unit.source, library);
        });
    }

    // ---- output ---------------------------------------------------------------------------

    ImageFile image_of(const Unit& unit, Pass pass) const {
        ImageFile image;
        image.core = pass == Pass::kAIC ? CoreType::kAIC : CoreType::kAIV;
        image.library = file(unit, pass, ".so");
        for (const std::string& name : read_dependencies(dependencies(unit, pass)))
            if (!name.starts_with("/usr/") && !compiler_.is_library_header(name))
                image.sources.push_back(name);
        return image;
    }

    void embed(Unit& unit) {
        std::vector<ImageFile> images;
        std::vector<std::string> libraries;
        for (const Pass pass : unit.passes) {
            if (pass == Pass::kHost) {
                unit.objects.push_back(file(unit, pass, ".o"));
                continue;
            }
            images.push_back(image_of(unit, pass));
            libraries.push_back(images.back().library);
        }
        const std::string assembly = (work_ / (unit.name + ".images.s")).string();
        const std::string object = (work_ / (unit.name + ".images.o")).string();
        const std::string text = embedding_text(images, options_.arch, unit.module);
        unit.objects.push_back(object);
        make_file(object, origin(text, libraries), [&] {
            write_file(assembly, text);
            command({compiler_.program(), "-c", assembly, "-o", object},
                    unit.source + ": its images cannot be embedded");
        });
    }

    std::string registration() {
        const std::string source = (work_ / "registration.cpp").string();
        const std::string object = (work_ / "registration.o").string();
        const Words words = compiler_.compile_own(source, object);
        make_file(
            object,
            origin(to_text(words) + registration_text(), {include_folder() + "/ptosim/launch.h"}),
            [&] {
                write_file(source, registration_text());
                command(words, "the registration of kernels cannot be compiled");
            });
        return object;
    }

    // Objects and libraries among the flags of the linker, as far as they are recognisable.
    std::vector<std::string> linked_files() const {
        std::vector<std::string> files, folders;
        for (const std::string& flag : options_.link_flags) {
            if (flag.starts_with("-L")) folders.push_back(flag.substr(2));
            if (!flag.starts_with("-")) files.push_back(flag);
        }
        for (const std::string& flag : options_.link_flags)
            for (const std::string& folder : folders)
                for (const char* ending : {".so", ".a"})
                    if (flag.starts_with("-l"))
                        files.push_back(folder + "/lib" + flag.substr(2) + ending);
        return files;
    }

    // Links next to the output and renames, so that the output is either complete or unchanged.
    void link(const fs::path& output) {
        std::vector<std::string> inputs;
        bool kernels = false;
        for (const Unit& unit : units_) {
            if (!unit.kind.has_kernels) inputs.push_back(file(unit, Pass::kHost, ".o"));
            inputs.insert(inputs.end(), unit.objects.begin(), unit.objects.end());
            kernels = kernels || unit.kind.has_kernels;
        }
        if (kernels && !options_.device_only) inputs.push_back(registration());
        const fs::path linked = output.string() + "." + std::to_string(getpid()) + ".tmp";
        Words words = {compiler_.program()};
        if (output.extension() == ".so") words.push_back("-shared");
        append(words, inputs);
        for (const std::string& flag : options_.flags)
            if (flag.starts_with("-f") || flag.starts_with("-m") || flag.starts_with("-O") ||
                flag.starts_with("-g") || flag == "-pthread")
                words.push_back(flag);
        append(words, options_.link_flags);
        if (!options_.device_only) {
            require_library(options_.output);
            append(words, {"-L" + library_folder(), "-lptosim", "-Wl,-rpath," + library_folder()});
        }
        const std::vector<std::string> given = linked_files();
        inputs.insert(inputs.end(), given.begin(), given.end());
        // The stamp remains in the work folder.
        const fs::path link = work_ / "output";
        std::error_code error;
        fs::remove(link, error);
        fs::create_symlink(fs::absolute(output), link, error);
        make_file(link.string(), origin(to_text(words), inputs), [&] {
            append(words, {"-o", linked.string()});
            command(words, options_.output + " cannot be linked");
            fs::rename(linked, output, error);
            if (!error) return;
            fs::remove(linked);
            fail_input("I02", output.string() + ": cannot be written: " + error.message(),
                       "check that its folder may be written to, and has room");
        });
    }

    BuildOptions options_;
    Compiler compiler_;
    fs::path work_;
    std::vector<Unit> units_;
    std::atomic<unsigned> commands_ = 0;
    std::mutex printing_;
    std::set<std::string> printed_;
};

}  // namespace

void require_library(const std::string& output) {
    const std::string library = library_folder() + "/libptosim.so";
    if (fs::exists(library)) return;
    const std::string copied = stands_alone();
    fail_input("H02", output + " cannot be linked: no " + library,
               copied.empty() ? "scripts/build.sh makes it" : copied);
}

unsigned build(const BuildOptions& options) {
    check_writable(options.output);
    const fs::path output = fs::absolute(options.output);
    const fs::path work = options.work.empty()
                              ? output.parent_path() / ".ptosim" / output.filename()
                              : fs::path(options.work);
    make_folder(work.string());
    const FileLock lock((work / "lock").string());
    Builder builder(options, work);
    if (!builder.has_only_tiles()) return builder.make(output);
    BuildOptions of_tiles = options;
    of_tiles.ascendc.clear();
    return Builder(of_tiles, work).make(output);
}

KernelObject build_device_object(BuildOptions options) {
    options.device_only = options.relocatable = true;
    options.flags.push_back("-DPTOSIM_DEVICE_BINARY");
    const TemporaryFolder work;
    const fs::path output = work.path() / "device.o";
    options.output = output.string();
    Builder builder(options, work.path());
    KernelObject made;
    made.dependencies = builder.dependencies();
    made.content = CompileCache().get(digest("device object " + builder.key()), [&] {
        builder.make_device_object(output);
        return read_file(output.string());
    });
    return made;
}

KernelObject build_object(BuildOptions options) {
    options.all_kernels = true;
    const TemporaryFolder work;
    const fs::path output = work.path() / "kernels.o";
    options.output = output.string();
    const auto object = [&](Builder& builder) {
        KernelObject made;
        made.dependencies = builder.dependencies();
        made.content = CompileCache().get(digest("object " + builder.key()), [&] {
            builder.make_object(output);
            return read_file(output.string());
        });
        return made;
    };
    if (!options.ascendc.empty()) {
        const BuildOptions ascendc = options;
        Builder builder(ascendc, work.path());
        if (ascendc.threads || builder.has_ascendc()) return object(builder);
        options.ascendc.clear();  // a kernel of tiles
    }
    Builder builder(options, work.path());
    return object(builder);
}

std::string build_kernels(BuildOptions options) {
    options.device_only = true;
    const TemporaryFolder work;
    options.output = (work.path() / "kernels.so").string();
    Builder builder(options, work.path());
    if (builder.has_only_tiles()) {
        options.ascendc.clear();
        return build_kernels(std::move(options));
    }
    return CompileCache().get(builder.key(), [&] {
        builder.make(options.output);
        return read_file(options.output);
    });
}

}  // namespace ptosim
