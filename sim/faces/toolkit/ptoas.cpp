#include "sim/faces/toolkit/ptoas.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/assembly/verify/spelling.h"
#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "isa/table/assembler_rules.h"
#include "sim/compile/build.h"
#include "sim/faces/toolkit/assembly_source.h"
#include "sim/faces/toolkit/bisheng.h"
#include "sim/faces/toolkit/ptoas_options.h"
#include "sim/files/files.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;
using assembly::Module;
using assembly::Operation;

// The release whose options and language are implemented.
constexpr const char* kPtoasRelease = "0.60";

std::unique_ptr<Module> read_module(const std::string& input) {
    std::string text;
    if (input == "-")
        text.assign(std::istreambuf_iterator<char>(std::cin), {});
    else
        text = read_text(input);
    if (text.starts_with("PTOBC"))
        fail_input("I04", input + ": is PTO bytecode, not text", "decode it first: ptobc decode");
    if (text.find('\0') != text.npos)
        fail_input("K01", input + ": is not text: it contains a zero byte");
    // Findings name the file, wherever the program with the kernel runs.
    const std::string name =
        input == "-" ? "<stdin>" : fs::absolute(input).lexically_normal().string();
    return assembly::parse(name, std::move(text));
}

Arch arch_of(const Module& module, const PtoasOptions& options) {
    if (options.arch) return *options.arch;
    return assembly::declared_arch(module).value_or(Arch::kA2A3);
}

// Visits all operations of a name, nested ones included.
void each_named(std::span<const Operation> operations, std::string_view wanted, auto&& visit) {
    for (const Operation& op : operations) {
        if (op.name == wanted) visit(op);
        for (const assembly::Region& region : op.regions)
            for (const assembly::Block& block : region.blocks)
                each_named(block.operations, wanted, visit);
    }
}

// Level 3 requires addresses; the other levels choose them.
void check_level(const Module& module, PtoasLevel level, std::vector<Diagnostic>& problems) {
    each_named(module.operations, "pto.alloc_tile", [&](const Operation& op) {
        const bool given = op.clause("addr") != nullptr;
        if (given == (level == PtoasLevel::kAddressed)) return;
        Diagnostic d;
        d.code = "K09";
        d.message = given ? "the tile has an address, and addresses are planned at this level"
                          : "the tile has no address, and none is planned at --pto-level=level3";
        d.hint = given ? "--pto-level=level3 takes addresses" : "--pto-level=level2 plans them";
        d.file = module.files[0];
        d.location = op.location;
        problems.push_back(std::move(d));
    });
}

class Assembler {
 public:
    explicit Assembler(const PtoasOptions& options)
        : options_{options},
          module_{read_module(options.input)},
          arch_{arch_of(*module_, options)} {
        const ChipModel chip = load_chip(std::string(traits_of(arch_).default_chip), {});
        bind_.arch = arch_;
        bind_.plan = options.plan;
        // An object must contain all functions that it calls.
        bind_.external_functions = !writes_object();
        std::copy(chip.buffer_bytes.begin(), chip.buffer_bytes.end(), bind_.budgets.begin());
    }

    void run() {
        verify();
        if (options_.emit_text) return put(explicit_text());
        std::vector<AssembledFunction> functions;
        for (const std::string& name : assembly::entry_names(*module_))
            functions.push_back(assembled(name));
        if (functions.empty()) fail_input("K08", module_->files[0] + ": contains no function");
        const std::string source = assembly_source(*module_, functions);
        if (writes_object())
            write_file(options_.output, object_of(source, cores_of(functions)));
        else
            put(source);
    }

 private:
    bool writes_object() const { return options_.output.ends_with(".o"); }

    // Reports all errors, each once.
    void verify() {
        std::vector<Diagnostic> problems = assembly::spelling_problems(*module_), warnings;
        check_level(*module_, options_.level, problems);
        const assembly::FunctionTable table = assembly::functions_of(*module_);
        assembly::BindOptions options = bind_;
        options.functions = &table;
        options.keep_text = false;
        options.launch = false;
        options.verify = true;
        for (const std::string& unit : assembly::compile_units(*module_)) {
            options.entry = unit;
            try {
                assembly::BindRecord record;
                assembly::bind(*module_, options, &record);
                for (const Diagnostic& found : record.warnings)
                    if (found.code == "L02") add(warnings, found);
            } catch (const DiagnosticError& error) {
                for (const Diagnostic& found : error.diagnostics()) add(problems, found);
            }
        }
        for (const Diagnostic& found : warnings) std::cerr << to_text(found, "warning");
        warn_of_newer_rules(problems);
        if (!problems.empty()) throw DiagnosticError(std::move(problems));
    }

    // Kernels that v0.60 refuses and older releases accept may be correct for users of those.
    static void warn_of_newer_rules(std::vector<Diagnostic>& problems) {
        const auto is_newer = [](const Diagnostic& d) {
            return std::find(d.notes.begin(), d.notes.end(), kNewerRule) != d.notes.end();
        };
        for (const Diagnostic& found : problems)
            if (is_newer(found)) std::cerr << to_text(found, "warning");
        std::erase_if(problems, is_newer);
    }

    static void add(std::vector<Diagnostic>& problems, const Diagnostic& found) {
        const auto same = [&](const Diagnostic& other) {
            return other.code == found.code && other.location == found.location &&
                   other.message == found.message;
        };
        if (std::none_of(problems.begin(), problems.end(), same)) problems.push_back(found);
    }

    // Includes the other half of its kernel, if it has one and both have the same parameters, because one imports what
    // the other reserves.
    AssembledFunction assembled(const std::string& name) const {
        for (const std::string& unit : assembly::compile_units(*module_)) {
            const size_t plus = unit.find('+');
            if (plus == unit.npos ||
                (unit.substr(0, plus) != name && unit.substr(plus + 1) != name))
                continue;
            try {
                return assembled(name, unit);
            } catch (const DiagnosticError&) {
                break;  // they cannot be launched together
            }
        }
        return assembled(name, name);
    }

    AssembledFunction assembled(const std::string& name, const std::string& unit) const {
        AssembledFunction result;
        result.entry = unit;
        assembly::BindOptions options = bind_;
        options.entry = unit;
        result.form = assembly::make_explicit(*module_, options, options_.insert_flags);
        result.kernel = assembly::bind_explicit(*module_, options, result.form);
        assembly::each_function(module_->operations, nullptr,
                                [&](const Operation& function, const Operation* parent) {
                                    if (function.symbol != name || function.is_declaration) return;
                                    result.function = &function;
                                    result.core = assembly::kind_of(function, parent);
                                });
        return result;
    }

    // Unit by unit: each leaves the others unchanged.
    std::string explicit_text() const {
        std::string text = module_->text;
        for (const std::string& unit : assembly::compile_units(*module_)) {
            const auto module = assembly::parse(module_->files[0], text);
            assembly::BindOptions options = bind_;
            options.entry = unit;
            text = assembly::make_explicit(*module, options, options_.insert_flags).text;
        }
        return text;
    }

    // Kernels of one core type are launched on cores of that type, whatever their caller was compiled for.
    static BuildOptions::Cores cores_of(const std::vector<AssembledFunction>& functions) {
        const auto all = [&](CoreType core) {
            return std::all_of(
                functions.begin(), functions.end(),
                [core](const AssembledFunction& f) { return f.core && *f.core == core; });
        };
        return all(CoreType::kAIV)   ? BuildOptions::Cores::kAIV
               : all(CoreType::kAIC) ? BuildOptions::Cores::kAIC
                                     : BuildOptions::Cores::kBoth;
    }

    std::string object_of(const std::string& source, BuildOptions::Cores cores) const {
        const TemporaryFolder folder;
        BuildOptions options;
        options.sources = {
            (folder.path() / (fs::path(options_.output).stem().string() + ".cpp")).string()};
        write_file(options.sources[0], source);
        options.arch = arch_;
        options.cores = cores;
        options.idle_cores = true;
        options.infer_vector_kernels = infers_core_types(arch_);
        if (const char* compiler = std::getenv("PTOSIM_CXX"); compiler != nullptr && *compiler != 0)
            options.compiler = compiler;
        return build_object(options).content;
    }

    void put(const std::string& text) const {
        if (options_.output == "-")
            std::cout << text;
        else
            write_file(options_.output, text);
    }

    const PtoasOptions& options_;
    std::unique_ptr<Module> module_;
    Arch arch_;
    assembly::BindOptions bind_;
};

}  // namespace

int run_ptoas(const std::vector<std::string>& words) {
    try {
        const PtoasOptions options = parse_ptoas(words);
        if (options.help)
            std::cout
                << "Usage: ptoas [OPTIONS] [FILE]\n\n"
                   "Assembles kernels in PTO assembly for the simulated chip, by the command\n"
                   "lines of the device's own assembler.\n\n"
                << ptoas_options_markdown();
        else if (options.version)
            std::cout << "ptoas " << kPtoasRelease << "\n";
        else
            Assembler(options).run();
        return 0;
    } catch (const DiagnosticError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) std::cerr << to_text(diagnostic);
        return 1;
    }
}

}  // namespace ptosim::toolkit
