#include "sim/faces/toolkit/layout.h"

#include <cctype>
#include <filesystem>
#include <map>
#include <string_view>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/build.h"
#include "sim/files/files.h"
#include "sim/machine/model/chip_model.h"
#include "sim/machine/model/installation.h"
#include "sim/machine/model/platform_figures.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "ptosim-toolkit";
constexpr const char* kScripts = "made by 'ptosim toolkit'";

// Programs by their locations, and their names for `ptosim as`. msopprof is called by the vendor's `msprof op`.
constexpr const char* kPrograms[][2] = {
    {"bin/bisheng", "bisheng"},
    {"bin/ccec", "bisheng"},
    {"tools/bisheng_compiler/bin/bisheng", "bisheng"},
    {"bin/ld.lld", "ld.lld"},
    {"tools/bisheng_compiler/bin/ld.lld", "ld.lld"},
    {"toolkit/toolchain/hcc/bin/aarch64-target-linux-gnu-g++", "aicpu g++"},
    {"toolkit/toolchain/hcc/bin/aarch64-target-linux-gnu-gcc", "aicpu gcc"},
    {"toolkit/toolchain/hcc/bin/aarch64-target-linux-gnu-objcopy", "aicpu objcopy"},
    {"bin/pypto-setup", "pypto-setup"},
    {"bin/ptoas", "ptoas"},
    {"bin/msprof", "msprof"},
    {"bin/msopprof", "msprof op"},
    {"tools/msopprof/bin/msopprof", "msprof op"},
    {"tools/msopt/bin/msopprof", "msprof op"},
    {"bin/npusim", "npusim"},
    {"bin/cannsim", "npusim"},
    {"bin/mpirun", "mpirun"},
    {"bin/mpiexec", "mpirun"},
    {"bin/ptosim-op", "op"},
};

// CMake modules that projects include by their location, not by find_package().
constexpr const char* kOlderCMake = "ascendc_kernel_cmake";

// Libraries that projects link; all of them are this simulator's.
constexpr const char* kLibraries[] = {"ptosim",
                                      "ascendcl",
                                      "acl_rt",
                                      "runtime",
                                      "runtime_camodel",
                                      "npu_drv_camodel",
                                      "nnopbase",
                                      "tiling_api",
                                      "platform",
                                      "c_sec",
                                      "register",
                                      "error_manager",
                                      "profapi",
                                      "ascendalog",
                                      "mmpa",
                                      "ascend_dump",
                                      "ge_common_base",
                                      "unified_dlog",
                                      "ascendc_runtime",
                                      "rt2_registry",
                                      "metadef",
                                      "opp_registry",
                                      "ge_compiler",
                                      "ge_common",
                                      "opapi_math",
                                      "optiling",
                                      "acl_op_compiler",
                                      "opapi",
                                      "graph",
                                      "lowering",
                                      "ascend_hal",
                                      "exe_graph",
                                      "graph_base",
                                      "acl_mdl",
                                      "acl_op_executor",
                                      "acl_rtc",
                                      "gert",
                                      "ge_runner",
                                      "hccl",
                                      "hcomm"};

// Folders that are links to another one of the toolkit.
constexpr const char* kSame[][2] = {
    {"lib", "lib64"},
    {"devlib", "lib64"},
    {"runtime/lib64", "lib64"},
    {"compiler/tikcpp", "tools/tikcpp"},
    {"x86_64-linux/include", "include"},
    {"x86_64-linux/lib64", "lib64"},
    {"x86_64-linux/tikcpp", "tools/tikcpp"},
    {"x86_64-linux/devlib", "lib64"},
    {"x86_64-linux/pkg_inc", "pkg_inc"},
    {"aarch64-linux/include", "include"},
    {"aarch64-linux/ascendc/include/basic_api", "include/ascendc"},
    {"aarch64-linux/lib64", "lib64"},
    {"aarch64-linux/pkg_inc", "pkg_inc"},
};

// Chips by their names in build scripts, or prefixes of these; the longest match applies. Scripts look for folders of
// some. Early tools call the 950PR 910_9599.
struct Chip {
    std::string_view name;
    const char* model;
    bool has_folders = false;
};
constexpr Chip kChips[] = {
    {"Ascend910B1", "ascend910b1", true},
    {"Ascend910B2", "ascend910b2", true},
    {"Ascend910B3", "ascend910b3", true},
    {"Ascend910B4", "ascend910b4", true},
    {"Ascend910_9599", "ascend950pr", true},
    {"Ascend950PR_9599", "ascend950pr", true},
    {"dav_2201", "ascend910b1", true},
    {"dav_3510", "ascend950pr", true},
    {"Ascend910B", "ascend910b1"},
    {"Ascend910_93", "ascend910c"},
    {"Ascend910C", "ascend910c"},
    {"Ascend910_95", "ascend950pr"},
    {"Ascend950", "ascend950pr"},
    {"Ascend950DT", "ascend950dt"},
};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

// The release that scripts read and compare with their requirements.
constexpr const char* kToolkitRelease = "8.5.0";
constexpr const char* kVersionFiles[] = {"share/info/runtime/version.info",
                                         "share/info/opbase/version.info",
                                         "share/info/metadef/version.info",
                                         "share/info/hcomm/version.info",
                                         "share/info/ge-compiler/version.info",
                                         "share/info/ge-executor/version.info",
                                         "share/info/asc-devkit/version.info",
                                         "share/info/bisheng-compiler/version.info",
                                         "version.info",
                                         "compiler/version.info",
                                         "opp/version.info",
                                         "runtime/version.info",
                                         "x86_64-linux/ascend_toolkit_install.info",
                                         "aarch64-linux/ascend_toolkit_install.info",
                                         "ascend_all_cann_install.info"};

// $0 and $BASH_SOURCE without an index have the same meaning in all shells that support them.
constexpr const char* kSetEnv = R"(# @MADE@. Source it: build scripts then find this toolkit.
if [ -n "${BASH_SOURCE:-}" ]; then
    _ptosim_file=$BASH_SOURCE
elif [ -n "${ZSH_VERSION:-}" ]; then
    eval '_ptosim_file=${(%):-%x}'
else
    _ptosim_file=@HOME@/set_env.sh
fi
ASCEND_HOME_PATH=$(CDPATH= cd -- "$(dirname -- "$_ptosim_file")@UP@" && pwd -P)
unset _ptosim_file
export ASCEND_HOME_PATH
export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
export ASCEND_INSTALL_PATH="$ASCEND_HOME_PATH"
export ASCEND_AICPU_PATH="$ASCEND_HOME_PATH"
export ASCEND_OPP_PATH="$ASCEND_HOME_PATH/opp"
export TOOLCHAIN_HOME="$ASCEND_HOME_PATH/toolkit"
export PATH="$ASCEND_HOME_PATH/bin:$PATH"
# The empty entry behind, if nothing was set: programs load libraries of the folder they run in, as
# the vendor's script lets them.
export LD_LIBRARY_PATH="$ASCEND_HOME_PATH/lib64:$ASCEND_OPP_PATH/vendors/customize/op_api/lib:${LD_LIBRARY_PATH:-}"
export PYTHONPATH="$ASCEND_HOME_PATH/python/site-packages${PYTHONPATH:+:$PYTHONPATH}"
# The mpirun and libmpi.so of this folder, unless another MPI is chosen.
export MPI_HOME="${MPI_HOME:-$ASCEND_HOME_PATH}"
# Results by the rules of the chip, which its users' expected values come from.
export PTOSIM_NUMERICS="${PTOSIM_NUMERICS:-chip}"
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

std::string shell_quoted(const std::string& text) {
    return "'" + replaced(text, "'", "'\\''") + "'";
}

class Layout {
 public:
    // `checkouts`: variables that name checkouts for operators; empty: none.
    Layout(const std::string& folder, const std::string& ascendc,
           std::map<std::string, std::string> checkouts)
        : root_{fs::absolute(folder).lexically_normal()}, checkouts_(std::move(checkouts)) {
        if (!ascendc.empty()) ascendc_ = fs::canonical(ascendc);
        if (!root_.has_filename()) root_ = root_.parent_path();
        std::error_code error;
        if (fs::exists(root_, error) && !fs::exists(root_ / kMark, error) &&
            !(fs::is_directory(root_, error) && fs::is_empty(root_, error)))
            fail_input("I02", folder + ": holds something else than a toolkit",
                       "name a folder that does not exist yet");
        require_library(folder);
        const fs::path prefix = installed_prefix();
        if (prefix.empty()) return;
        // Both without links, as /proc names the program.
        fs::create_directories(root_, error);
        const fs::path location = fs::canonical(root_, error).lexically_relative(prefix);
        moves_with_prefix_ = !error && !location.empty() && *location.begin() != "..";
    }

    void make() {
        write(kMark, std::string(kScripts) + "\n");
        for (const auto& [location, program] : kPrograms) script(location, program);
        headers();
        python();
        // find_package() searches share/cmake of the parent of each folder of PATH.
        const fs::path cmake = fs::path(toolkit_folder()) / "cmake";
        entries_lead_out("share/cmake", cmake, kOlderCMake);
        entries_lead_out(std::string("tools/tikcpp/") + kOlderCMake, cmake / kOlderCMake);
        for (const char* name : kLibraries)
            leads_out(std::string("lib64/lib") + name + ".so", library());
        for (const char* name :
             {"lib64/libmpi.so", "lib64/libptosim_mpi.so"})  // to link, and by its own name
            leads_out(name, fs::path(library_folder()) / "libptosim_mpi.so");
        wheel_libraries();
        for (const auto& [location, target] : kSame) same(location, target);
        make_folder((root_ / "runtime").string());
        for (const auto& [name, model, has_folders] : kChips)
            if (has_folders) chip(std::string(name), model);
        for (const char* file : kVersionFiles)
            write(file, std::string("Version=") + kToolkitRelease + "\nversion=" + kToolkitRelease +
                            "\n");
        // As in an installed toolkit, and not the whole checkout, which contains its own package ASC.
        if (!ascendc_.empty()) {
            for (const char* part : {"include", "impl"})
                link(std::string("asc/") + part, ascendc_ / part);
            same("x86_64-linux/asc", "asc");
        }
        environment("set_env.sh", "");
        environment("bin/setenv.bash", "/..");
        for (const char* empty :
             {"opp", "toolkit", "pkg_inc/profiling", "pkg_inc/base", "pkg_inc/toolchain"})
            make_folder((root_ / empty).string());
    }

 private:
    void write(const std::string& location, const std::string& text) {
        make_folder((root_ / location).parent_path().string());
        write_file((root_ / location).string(), text);
    }

    // The path of a file outside of the toolkit, relative to a folder in it.
    fs::path from(const fs::path& folder, const fs::path& target) const {
        if (!moves_with_prefix_) return target;
        return target.lexically_relative(fs::canonical(root_) / folder);
    }

    void link(const std::string& location, const fs::path& target) {
        const fs::path path = root_ / location;
        make_folder(path.parent_path().string());
        std::error_code error;
        if (fs::is_symlink(path, error) || !fs::is_directory(path, error)) fs::remove(path, error);
        fs::create_symlink(target, path, error);
        if (error)
            fail_input("I02", path.string() + ": cannot be written: " + error.message(),
                       "name a folder that may be written to, and has room");
    }
    void leads_out(const std::string& location, const fs::path& target) {
        link(location, from(fs::path(location).parent_path(), target));
    }
    void same(const std::string& location, const std::string& target) {
        link(location, fs::path(target).lexically_relative(fs::path(location).parent_path()));
    }

    void script(const std::string& location, const std::string& program) {
        const fs::path folder = fs::path(location).parent_path();
        std::string text = std::string("#!/bin/sh\n# ") + kScripts + "\n";
        if (moves_with_prefix_)
            text += "exec \"$(dirname -- \"$(readlink -f -- \"$0\")\")\"/" +
                    shell_quoted(from(folder, program_file()).string());
        else
            text += "exec " + shell_quoted(program_file());
        write(location, text + " as " + program + " \"$@\"\n");
        using enum fs::perms;
        fs::permissions(root_ / location, owner_exec | group_exec | others_exec,
                        fs::perm_options::add);
    }

    // A folder of links, because scripts move include/pto away and back.
    void headers() {
        const fs::path include = include_folder();
        for (const fs::directory_entry& entry : fs::directory_iterator(include)) {
            const std::string name = entry.path().filename().string();
            leads_out("include/" + name, entry.path());
            if (name == "runtime" || name == "acl") leads_out("pkg_inc/" + name, entry.path());
        }
    }

    // In a wheel, libptosim looks for the libraries that it needs relative to its own folder, next to the package.
    // Through a link to libptosim they are looked for relative to the link.
    void wheel_libraries() {
        const fs::path prefix = installed_prefix();
        if (prefix.empty()) return;
        const fs::path folder = prefix.parent_path().parent_path() / "ptosim.libs";
        std::error_code none;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
            leads_out("lib64/" + entry.path().filename().string(), entry.path());
    }

    // Links the entries of a folder, except one, and except files that Python leaves there.
    void entries_lead_out(const std::string& location, const fs::path& folder,
                          const std::string& but = "") {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            if (const std::string name = entry.path().filename().string();
                name != "__pycache__" && name != but)
                leads_out(location + "/" + name, entry.path());
    }

    // Packages that programs import: mlir, torch_npu, ... Extensions of PyTorch link a library in torch_npu's folder,
    // so that folder belongs to the toolkit; they find the runtime's headers next to those of torch_npu.
    void python() {
        const std::string to = "python/site-packages", torch = to + "/torch_npu";
        const fs::path from = fs::path(toolkit_folder()) / "python";
        entries_lead_out(to, from, "torch_npu");
        std::error_code error;
        for (const std::string& folder : {torch, torch + "/include"})
            if (fs::is_symlink(root_ / folder, error)) fs::remove(root_ / folder, error);
        entries_lead_out(torch, from / "torch_npu", "include");
        entries_lead_out(torch + "/include", from / "torch_npu" / "include");
        same(torch + "/include/acl", "include/acl");
        leads_out(torch + "/lib/libtorch_npu.so", library());
    }

    static fs::path library() { return fs::path(library_folder()) / "libptosim.so"; }

    // Files of a chip that scripts read: the location of its simulator's libraries, and its sizes.
    void chip(const std::string& name, const std::string& model) {
        for (const char* location : {"tools/simulator/", "simulator/", "x86_64-linux/simulator/"}) {
            // Scripts look for this folder with `find -type d`, which ignores links.
            const std::string folder = location + name + "/lib";
            std::error_code error;
            if (fs::is_symlink(root_ / folder, error)) fs::remove(root_ / folder, error);
            for (const std::string library : kLibraries)
                same(folder + "/lib" + library + ".so", "lib64/lib" + library + ".so");
            same(location + name + "/camodel", "lib64");
        }
        std::string text;
        PlatformFigures figures = platform_figures(load_chip(model, {}));
        figures["version"]["SoC_version"] = name;
        for (const auto& [group, values] : figures) {
            text += "[" + group + "]\n";
            for (const auto& [key, value] : values) text += key + "=" + value + "\n";
        }
        for (const char* machine : {"x86_64-linux", "aarch64-linux"})
            write(std::string(machine) + "/data/platform_config/" + name + ".ini", text);
    }

    void environment(const std::string& location, const std::string& up) {
        std::string text = replaced(kSetEnv, "@MADE@", kScripts);
        text = replaced(text, "@HOME@", shell_quoted((root_ / location).parent_path().string()));
        if (!ascendc_.empty())
            text += "# Ascend C is compiled with the headers of this checkout.\n"
                    "export PTOSIM_ASCENDC=\"${PTOSIM_ASCENDC:-$ASCEND_HOME_PATH/asc}\"\n";
        for (const auto& [variable, checkout] : checkouts_)
            if (!checkout.empty())
                text += "export " + variable + "=\"${" + variable + ":-" +
                        fs::canonical(checkout).string() + "}\"\n";
        write(location, replaced(text, "@UP@", up));
    }

    fs::path root_;
    fs::path ascendc_;  // empty: none
    std::map<std::string, std::string> checkouts_;
    bool moves_with_prefix_ = false;
};

}  // namespace

std::string chip_of(const std::string& name) {
    const Chip* best = nullptr;
    for (const Chip& row : kChips)
        if (lower(name).starts_with(lower(row.name)) &&
            (best == nullptr || row.name.size() > best->name.size()))
            best = &row;
    return best == nullptr ? std::string() : best->model;
}

void lay_out(const std::string& folder, const std::string& ascendc, const std::string& metadef,
             const std::string& opbase) {
    require_ascendc(ascendc);
    Layout(folder, ascendc, {{"PTOSIM_METADEF", metadef}, {"PTOSIM_OPBASE", opbase}}).make();
}

}  // namespace ptosim::toolkit
