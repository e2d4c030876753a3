#include "sim/session/fragment_cost.h"

#include <algorithm>
#include <charconv>

#include "isa/core/diagnostic.h"
#include "isa/numeric/dtype.h"
#include "isa/numeric/round_up.h"
#include "sim/session/kernel_file.h"
#include "sim/session/session.h"

namespace ptosim {
namespace {

constexpr const char* kFragmentName = "fragment";
constexpr uint32_t kFragmentRepeats = 1 << 16;
constexpr uint64_t kFragmentInstructions = 1'000'000, kFragmentCycles = 100'000'000;
constexpr uint64_t kArrayAlignment = 512;

struct ArrayShape {
    int64_t rows = 0, columns = 0;
    std::string dtype;
    uint64_t bytes = 0;
};

// Parses "64x1024xf32". Throws DiagnosticError (I61).
ArrayShape shape_of(const std::string& name, const std::string& text) {
    ArrayShape shape;
    const char *at = text.data(), *const end = at + text.size();
    for (int64_t* extent : {&shape.rows, &shape.columns}) {
        const auto [rest, error] = std::from_chars(at, end, *extent);
        if (error != std::errc() || rest == end || *rest != 'x' || *extent < 1 ||
            *extent > int64_t{1} << 24)
            fail_input("I61", "array '" + name + "' of the fragment is '" + text + "'",
                       "ROWSxCOLUMNSxTYPE, such as 64x1024xf32");
        at = rest + 1;
    }
    shape.dtype = std::string(at, end);
    const auto dtype = parse_dtype(shape.dtype);
    if (!dtype)
        fail_input("I61", "array '" + name + "' of the fragment has elements of type '" + shape.dtype + "'",
                   "as in !pto.ptr<TYPE>: f32, f16, bf16, i8, ...");
    shape.bytes = static_cast<uint64_t>(shape.rows * shape.columns) * bits(*dtype) / 8;
    return shape;
}

void require_name(const std::string& name) {
    const auto fits = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (name.empty() || !std::all_of(name.begin(), name.end(), fits))
        fail_input("I61", "'" + name + "' cannot name a value of the fragment",
                   "letters, digits and _, without the %");
}

std::string one_line(const std::string& name, const std::string& text) {
    if (text.find_first_of("\n\r") != std::string::npos)
        fail_input("I61", "'" + name + "' of the fragment is more than a line");
    return text;
}

// The kernel around a fragment, and the number of lines before its text.
struct Wrapped {
    std::string text;
    uint32_t lines_before = 0;
};

class Wrapper {
 public:
    explicit Wrapper(const Fragment& fragment) : fragment_{fragment} {}

    Wrapped wrap() {
        head();
        for (const auto& [name, value] : fragment_.values) constant(name, value);
        for (const auto& [name, type] : fragment_.tiles) {
            require_name(name);
            line("%" + name + " = pto.alloc_tile : !pto.tile_buf<" + one_line(name, type) + ">");
        }
        for (const auto& [name, type] : fragment_.arrays) array(name, shape_of(name, type));
        if (fragment_.repeat > 1) line("scf.for %cost_i = %cost_0 to %cost_n step %cost_1 {");
        const uint32_t before = lines_;
        text_ += fragment_.text;
        if (!fragment_.text.ends_with('\n')) text_ += '\n';
        if (fragment_.repeat > 1) line("}");
        line("return");
        text_ += "}\n}\n";
        return {std::move(text_), before};
    }

 private:
    void line(const std::string& text) {
        text_ += text + "\n";
        ++lines_;
    }
    void head() {
        std::string parameters;
        for (const auto& [name, type] : fragment_.arrays) {
            require_name(name);
            parameters += (parameters.empty() ? "%" : ", %") + name + "_at: !pto.ptr<" +
                          shape_of(name, type).dtype + ">";
        }
        line("module {");
        line("func.func @fragment(" + parameters + ") attributes {pto.kernel_kind = #pto.kernel_kind<" +
             fragment_.core + ">} {");
        line("%cost_0 = arith.constant 0 : index");
        line("%cost_1 = arith.constant 1 : index");
        line("%cost_n = arith.constant " + std::to_string(fragment_.repeat) + " : index");
    }
    // Defines "index=5" as a constant of that type.
    void constant(const std::string& name, const std::string& value) {
        require_name(name);
        const size_t equals = value.find('=');
        if (equals == std::string::npos)
            fail_input("I61", "value '" + name + "' of the fragment is '" + value + "'",
                       "TYPE=NUMBER, such as index=5 or f32=0.5");
        line("%" + name + " = arith.constant " + one_line(name, value.substr(equals + 1)) + " : " +
             value.substr(0, equals));
    }
    void array(const std::string& name, const ArrayShape& shape) {
        const std::string rows = "%cost_r" + std::to_string(lines_), columns = "%cost_c" + std::to_string(lines_);
        const std::string type = std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + "x" + shape.dtype;
        line(rows + " = arith.constant " + std::to_string(shape.rows) + " : index");
        line(columns + " = arith.constant " + std::to_string(shape.columns) + " : index");
        line("%" + name + "_view = pto.make_tensor_view %" + name + "_at, shape = [" + rows + ", " + columns +
             "], strides = [" + columns + ", %cost_1] : !pto.tensor_view<" + type + ">");
        line("%" + name + " = pto.partition_view %" + name + "_view, offsets = [%cost_0, %cost_0], sizes = [" + rows +
             ", " + columns + "] : !pto.tensor_view<" + type + "> -> !pto.partition_tensor_view<" + type + ">");
    }

    const Fragment& fragment_;
    std::string text_;
    uint32_t lines_ = 0;
};

// Changes lines of the kernel into lines of the fragment; removes lines outside of the fragment.
[[noreturn]] void throw_of_fragment(std::vector<Diagnostic> diagnostics, uint32_t before) {
    for (Diagnostic& d : diagnostics) {
        d.location.line = d.location.line > before ? d.location.line - before : 0;
        if (d.location.line == 0) d.location.column = 0;
    }
    throw DiagnosticError(std::move(diagnostics));
}

}  // namespace

FragmentMachine::FragmentMachine(const SessionOptions& options) : chip_{make_chip(options)} {
    // L2 always holds all of this region, and nothing of the other one.
    l2_.bytes = chip_->model().memory.l2.bytes / 2 / kArrayAlignment * kArrayAlignment;
    hbm_.bytes = uint64_t{1} << 30;
    l2_.address = chip_->global().allocate(l2_.bytes, "arrays in L2");
    hbm_.address = chip_->global().allocate(hbm_.bytes, "arrays in HBM");
    chip_->bypass_l2(hbm_.address, hbm_.bytes);
}

std::vector<uint64_t> FragmentMachine::place_arrays(const Fragment& fragment) const {
    const Region& region = fragment.from_l2 ? l2_ : hbm_;
    uint64_t used = 0;
    std::vector<uint64_t> addresses;
    for (const auto& [name, type] : fragment.arrays) {
        addresses.push_back(region.address + used);
        used += round_up(shape_of(name, type).bytes, kArrayAlignment);
    }
    if (used > region.bytes)
        fail_input("I61", "the arrays of the fragment take " + std::to_string(used) + " bytes, more than " +
                              std::to_string(region.bytes),
                   fragment.from_l2 ? "half of L2; larger ones have \"memory\": \"hbm\"" : "use smaller arrays");
    return addresses;
}

LaunchResult FragmentMachine::run(const std::string& text, const std::vector<uint64_t>& addresses, bool warm) {
    const LoadedKernel loaded = load_kernel(KernelChoice{.path = kFragmentName, .text = text}, model());
    LaunchOptions options;
    options.blocks = 1;
    options.mode = RunMode::kTiming;
    options.sync = loaded.kernel->has_explicit_sync() ? SyncMode::kExplicit : SyncMode::kAuto;
    options.limits = {kFragmentInstructions, kFragmentCycles, nullptr};
    broken_ = true;  // until the run has ended
    LaunchResult result;
    for (int launch = warm && !addresses.empty() ? 0 : 1; launch < 2; ++launch) {
        result = chip_->launch(*loaded.kernel, addresses, options);
        if (!result.finished || !result.diagnostics.empty()) throw DiagnosticError(result.diagnostics);
    }
    broken_ = false;
    return result;
}

Cycle FragmentMachine::cycles_of_nothing(const std::string& core) {
    const auto [entry, added] = nothing_.try_emplace(core);
    if (added) {
        Fragment nothing;
        nothing.core = core;
        entry->second = run(Wrapper(nothing).wrap().text, {}, false).cycles;
    }
    return entry->second;
}

FragmentCost FragmentMachine::cost(const Fragment& fragment) {
    if (fragment.core != "vector" && fragment.core != "cube")
        fail_input("I61", "a fragment runs on a core 'vector' or 'cube', not '" + fragment.core + "'");
    if (fragment.repeat < 1 || fragment.repeat > kFragmentRepeats)
        fail_input("I61", "a fragment is repeated 1 to " + std::to_string(kFragmentRepeats) + " times");
    const std::vector<uint64_t> addresses = place_arrays(fragment);
    const Wrapped wrapped = Wrapper(fragment).wrap();
    const Cycle nothing = cycles_of_nothing(fragment.core);
    try {
        const LaunchResult done = run(wrapped.text, addresses, fragment.from_l2);
        return {done.cycles - std::min(done.cycles, nothing), done.instructions};
    } catch (const DiagnosticError& error) {
        throw_of_fragment(error.diagnostics(), wrapped.lines_before);
    }
}

}  // namespace ptosim
