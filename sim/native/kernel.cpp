#include "sim/native/kernel.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>

#include "sim/native/code_location.h"
#include "sim/native/kernel_calls.h"
#include "sim/native/type_names.h"
#include "sim/native/watchdog.h"

namespace ptosim {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

Parameter make_parameter(const std::string& type, std::string name) {
    Parameter parameter;
    parameter.name = std::move(name);
    const size_t star = type.find('*');
    parameter.kind = star != type.npos ? Parameter::Kind::kPointer : Parameter::Kind::kScalar;
    const std::optional<DType> dtype = element_type(type);
    parameter.dtype = dtype.value_or(DType::kU8);
    // Kernels cast void* and byte pointers to other types, so the element type of these is unknown.
    parameter.untyped =
        parameter.kind == Parameter::Kind::kPointer && (!dtype || *dtype == DType::kU8);
    return parameter;
}

// "f<16, 128>" becomes "f<16,128>".
std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

// "LaunchAdd<float, 64>" from the lambda type in LaunchAdd<float, 64>(float*)::{lambda...}.
std::string launch_name(const ptosim_entry& entry) {
    std::string text = readable_type(entry.site);
    const size_t lambda = text.find("::{lambda");
    if (lambda != text.npos) text.erase(lambda);
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] == '>') --depth;
        if (text[i] == '(' && depth == 0) {
            text.erase(i);
            break;
        }
    }
    const size_t space = text.find(' ');  // the result type of a template's instance precedes it
    if (space != text.npos && text.find('<') > space) text.erase(0, space + 1);
    return text;
}

bool is_function(const ptosim_entry& entry) { return *entry.site == 0; }

// The mangled name of a lambda without its number among those of the function: passes number them differently if they
// skip different code. "...EUlDpT_E0_" becomes "...EUlDpT_E_".
std::string without_number(std::string lambda) {
    if (!lambda.ends_with('_')) return lambda;
    size_t from = lambda.size() - 1;
    while (from > 0 && std::isdigit(static_cast<unsigned char>(lambda[from - 1])) != 0) --from;
    return lambda.erase(from, lambda.size() - 1 - from);
}

bool same_launch(const ptosim_entry& a, const ptosim_entry& b) {
    if (is_function(a) || is_function(b)) return is_function(a) == is_function(b);
    return a.launch == b.launch && without_number(a.site) == without_number(b.site);
}

// A binary's kernel has a function for each core type.
std::string_view without_core(std::string_view function) {
    for (const std::string_view core : {"_mix_aic", "_mix_aiv"})
        if (function.ends_with(core)) return function.substr(0, function.size() - core.size());
    return function;
}

}  // namespace

NativeKernel::NativeKernel(std::string name, const ptosim_entry& entry,
                           std::shared_ptr<SourceMap> sources)
    : name_{std::move(name)}, sources_{std::move(sources)}, assemblies_{sources_} {
    const std::vector<std::string> names = split(entry.parameters);
    for (size_t i = 0; entry.types[i] != nullptr; ++i)
        parameters_.push_back(make_parameter(readable_type(entry.types[i]),
                                             i < names.size() ? names[i] : std::to_string(i)));
}

void NativeKernel::add(NativeLibrary& library, size_t entry) {
    Part& mine = parts_[static_cast<size_t>(library.core())];
    mine = {&library, entry};
    if (library.entries()[entry].call_frames != 0)
        mine.calls = std::make_shared<CallSites>(
            library.symbol_file(),
            [this](const std::string& file, uint32_t line) { return find_file(file, line); });
    for (size_t i = 0; i < library.sources().size(); ++i) {
        const std::string& name = library.sources()[i];
        if (!files_.contains(name)) files_.emplace(name, sources_->add(name, library.texts()[i], SourceLanguage::kCpp));
    }
    for (const ptosim_assembly& kernel : library.assemblies()) assemblies_.add(kernel);
}

// Applies to the whole library, because it does not record which of its kernels reads the block index.
bool NativeKernel::asks_for_block() const {
    return std::any_of(std::begin(parts_), std::end(parts_), [](const Part& part) {
        return part.library != nullptr && part.library->asks_for_identity();
    });
}

std::string_view NativeKernel::unrecorded_source() const {
    for (const Part& part : parts_)
        if (part.library != nullptr && !part.library->reports_accesses() && !part.library->sources().empty())
            return part.library->sources().front();
    return {};
}

SourceLocation NativeKernel::locate(ptosim_location where) const {
    constexpr uint16_t kNone = UINT16_MAX;
    if (where.file == nullptr) return {};
    auto entry = known_.find(where.file);
    if (entry == known_.end()) {
        const auto file = files_.find(std::string_view(where.file));
        entry = known_.emplace(where.file, file == files_.end() ? kNone : file->second).first;
    }
    if (entry->second == kNone) return {};
    SourceLocation location;
    location.file = entry->second;
    location.line = where.line;
    return location;
}

SourceLocation NativeKernel::locate_code(CoreType core, const void* code) const {
    const auto [entry, is_new] = code_.try_emplace(code);
    if (!is_new) return entry->second;
    const auto [shared, is_first] = code_by_offset_.try_emplace({core, offset_in_library(code)});
    if (is_first) {
        const CodeLocation found = location_of(code, part(core).library->symbol_file());
        shared->second = find_file(found.file, found.line);
        for (size_t i = 0; i < found.callers.size() && shared->second.line == 0; ++i)
            shared->second = find_file(found.callers[i].file, found.callers[i].line);
    }
    return entry->second = shared->second;
}

SourceLocation NativeKernel::find_file(const std::string& file, uint32_t line) const {
    SourceLocation location;
    size_t longest = 0;
    for (const auto& [name, number] : files_)
        if (name.size() > longest && (file == name || file.ends_with("/" + name))) {
            longest = name.size();
            location = {number, 0, line};
        }
    return location;
}

SourceLocation NativeKernel::locate_call(CoreType core, const CallChain& chain,
                                         std::string_view instruction) const {
    const Part& mine = part(core);
    if (mine.calls == nullptr || chain.count == 0) return {};
    bool is_new = false;
    const CallSite& site = mine.calls->at(chain, is_new);
    if (is_new && !site.function.empty())
        sources_->note_call(site.where, instruction, {site.function, site.header});
    return site.where;
}

bool NativeKernel::read_lines(std::span<const std::string> without) {
    const auto left_out = [&](const std::string& file) {
        return std::ranges::any_of(without, [&](const std::string& folder) { return file.starts_with(folder + "/"); });
    };
    bool any = false;
    for (Part& part : parts_) {
        if (part.library == nullptr) continue;
        const std::vector<uint64_t> functions = part.library->function_offsets();
        part.lines = lines_of_code(part.library->symbol_file(), functions,
                                   [&](const std::string& file, uint32_t line) {
                                       return left_out(file) ? SourceLocation() : find_file(file, line);
                                   });
        any = any || !part.lines.empty();
    }
    return any;
}

void NativeKernel::run(KernelPort& port, KernelArguments arguments) const {
    const Part& mine = part(port.identity().core);
    const ptosim_entry& entry = mine.library->entry(mine.entry, port.core_index());
    run_on_core(port, *this, entry, arguments);
}

// ---- modules ------------------------------------------------------------------------------

NativeModules::NativeModules(std::vector<NativeImage> images, const std::string& origin) {
    read_watchdog();
    add(std::move(images), origin);
}

void NativeModules::add(std::vector<NativeImage> images, const std::string& origin) {
    ++last_output_;
    for (NativeImage& image : images) {
        if (!libraries_.empty() && image.arch != arch_)
            fail_input("H01", origin + ": has kernels for two architectures",
                       "build it with one --arch");
        arch_ = image.arch;
        libraries_.push_back(std::make_unique<NativeLibrary>(std::move(image), origin));
        outputs_[libraries_.back().get()] = last_output_;
    }
}

std::vector<std::string> NativeModules::names() const {
    std::map<std::string, std::set<std::string>> sites;
    for (const auto& library : libraries_)
        for (const ptosim_entry& entry : library->entries())
            sites[entry.name].insert(without_number(entry.site));
    std::set<std::string> names;
    for (const auto& library : libraries_)
        for (const ptosim_entry& entry : library->entries()) {
            const auto& of_name = sites[entry.name];
            names.insert(of_name.size() == 1 || of_name.contains("") ? entry.name
                                                                     : launch_name(entry));
        }
    return {names.begin(), names.end()};
}

template <class Matches>
std::unique_ptr<NativeKernel> NativeModules::collect(const std::string& name, Matches matches,
                                                     bool& several,
                                                     std::shared_ptr<SourceMap> sources) {
    std::unique_ptr<NativeKernel> kernel;
    const ptosim_entry* first = nullptr;
    for (const auto& library : libraries_) {
        const std::vector<ptosim_entry>& entries = library->entries();
        for (size_t i = 0; i < entries.size(); ++i) {
            if (!matches(entries[i], *library)) continue;
            if (first == nullptr) {
                first = &entries[i];
                kernel = std::make_unique<NativeKernel>(name, *first, sources);
            }
            if (!same_launch(*first, entries[i])) several = true;
            if (!kernel->runs_on(library->core())) kernel->add(*library, i);
        }
    }
    if (several) return nullptr;
    return kernel;
}

std::unique_ptr<NativeKernel> NativeModules::find(const std::string& name, bool& several) {
    several = false;
    if (auto kernel = collect(
            name,
            [&](const ptosim_entry& e, const NativeLibrary&) {
                return is_function(e) && without_spaces(e.name) == without_spaces(name);
            },
            several))
        return kernel;
    if (auto kernel = collect(
            name,
            [&](const ptosim_entry& e, const NativeLibrary&) { return launch_name(e) == name; },
            several))
        return kernel;
    several = false;
    return collect(
        name, [&](const ptosim_entry& e, const NativeLibrary&) { return e.name == name; }, several);
}

std::unique_ptr<NativeKernel> NativeModules::only(const std::string& name,
                                                  std::shared_ptr<SourceMap> sources) {
    if (names().size() != 1) return nullptr;
    bool several = false;
    return collect(
        name, [](const ptosim_entry&, const NativeLibrary&) { return true; }, several,
        std::move(sources));
}

std::string NativeModules::name_of_key(const std::string& module, uint64_t key) const {
    for (const auto& library : libraries_) {
        if (library->module() != module) continue;
        for (const ptosim_entry& entry : library->entries())
            if (const std::string name(without_core(entry.name)); name.ends_with("_" + std::to_string(key))) return name;
    }
    return {};
}

bool NativeModules::has_kernel(const std::string& module, std::string_view name) const {
    for (const auto& library : libraries_) {
        if (library->module() != module) continue;
        for (const ptosim_entry& entry : library->entries())
            if (is_function(entry) && (entry.name == name || without_core(entry.name) == name)) return true;
    }
    return false;
}

std::unique_ptr<NativeKernel> NativeModules::find_launch(const ptosim_launch_request& request,
                                                         std::shared_ptr<SourceMap> sources) {
    const std::string module = request.module, name = request.name, site = without_number(request.site);
    bool several = false;
    if (!site.empty()) {
        auto kernel = collect(
            name,
            [&](const ptosim_entry& e, const NativeLibrary&) {
                return e.module == module && e.name == name && e.launch == request.launch &&
                       without_number(e.site) == site;
            },
            several, sources);
        if (kernel != nullptr || several) return kernel;
    }
    // A kernel of another source, which this one may have declared without __global__.
    std::set<unsigned> outputs;
    for (const auto& library : libraries_)
        if (library->module() == module) outputs.insert(outputs_.at(library.get()));
    return collect(
        name,
        [&](const ptosim_entry& e, const NativeLibrary& library) {
            return is_function(e) && (e.name == name || without_core(e.name) == name) &&
                   outputs.contains(outputs_.at(&library));
        },
        several, std::move(sources));
}

}  // namespace ptosim
