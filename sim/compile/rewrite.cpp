#include "sim/compile/rewrite.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "isa/core/diagnostic.h"
#include "sim/compile/ascendc_words.h"
#include "sim/compile/kernel_cores.h"
#include "sim/compile/parameter_lists.h"
#include "sim/compile/token_text.h"

namespace ptosim {
namespace {

using Kind = Token::Kind;

constexpr std::string_view kTorchRegistration = "TorchLibraryInit";

class Rewriter : TokenText {
 public:
    Rewriter(std::string_view source, CompilePass pass, const std::string& file, KernelCode code)
        : TokenText(source, file), pass_{pass}, threads_{code == KernelCode::kThread} {}

    DefinedKernels defined() const {
        DefinedKernels kernels;
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != Kind::kWord || text(i) != kKernelMark) continue;
            const Head found = head(i);
            if (found.name == kNone || !is(found.end, '{')) continue;
            const size_t after = after_bracket(found.end);
            const KernelCores cores = cores_between(declaration_begin(i), found.end, after == kNone ? found.end : after);
            if (runs_here(cores)) ++kernels.here;
            if (cores.named) continue;
            ++kernels.unnamed;
            kernels.name = text(found.name);
            const SourceLine where = source_line(tokens_[found.name].begin);
            kernels.place = where.file + ":" + std::to_string(where.line) + ": ";
        }
        return kernels;
    }

    Rewritten run() {
        find_declared();
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (is_triple(i, '<'))
                launch(i);
            else if (tokens_[i].kind == Kind::kWord && text(i) == kKernelMark)
                kernel(i);
            else if (tokens_[i].kind == Kind::kWord && is_assembly(text(i)))
                assembly(i);
            else if (tokens_[i].kind == Kind::kWord && text(i) == kScalarMark)
                scalar_function(i);
            else if (tokens_[i].kind == Kind::kWord && text(i) == kThreadFunctionMark)
                thread_function(i);
            else if (tokens_[i].kind == Kind::kWord && text(i) == kVectorFunctionMark)
                vector_function(i);
            else if (const ObservedFunction observed = observed_function_at(*this, i); observed.body != kNone)
                observed_function(observed);
            else if (tokens_[i].kind == Kind::kWord && is_bound(text(i)) && is(i + 1, '('))
                remove_bound(i);
            else if (tokens_[i].kind == Kind::kWord && text(i) == kTorchRegistration)
                torch_registration(i);
            else if (is_workspace_mark(*this, i))
                replace(tokens_[i].begin, tokens_[i].end, "");
            else if (tokens_[i].kind == Kind::kWord && after_core_mark(*this, i) != i)
                replace(tokens_[i].begin, tokens_[after_core_mark(*this, i) - 1].end, "");
            else if (is(i, '[') && i + 2 < tokens_.size() && text(i + 1) == "aicore" &&
                     is(i + 2, ']'))
                replace(tokens_[i].begin, tokens_[i + 2].end, "");
        }
        result_.text = applied();
        return std::move(result_);
    }

 private:
    struct Edit {
        size_t begin, end;
        std::string text;
    };
    void replace(size_t begin, size_t end, std::string text) {
        edits_.push_back({begin, end, std::move(text)});
    }

    [[noreturn]] void fail(size_t token, std::string what) const {
        const SourceLine where = source_line(tokens_[token].begin);
        Diagnostic d;
        d.code = "H03";
        d.message = std::move(what);
        d.hint = threads_ ? "a launch is kernel<<<grid, block, dynamic_ub, stream>>>(arguments)"
                          : "a launch is kernel<<<blocks, nullptr, stream>>>(arguments)";
        d.file = where.file;
        d.location.line = where.line;
        throw DiagnosticError(std::move(d));
    }

    // ---- launches -------------------------------------------------------------------------

    // The first token of the name before a launch: f, f<T>, a::f<T>, (f<T>).
    size_t callee_begin(size_t launch) const {
        size_t i = launch;
        for (;;) {
            if (i == 0) return kNone;
            --i;
            if (is(i, ')')) {
                i = match_back(i, '(', ')');
                return i;
            }
            if (is(i, '>')) {
                i = match_back_angle(i);
                if (i == kNone || i == 0) return kNone;
                --i;
            }
            if (tokens_[i].kind != Kind::kWord) return kNone;
            while (i > 0 && text(i - 1) == "template") --i;
            if (i >= 2 && is(i - 1, ':') && is(i - 2, ':')) {
                i -= 2;
                const bool qualified = i > 0 &&
                                       (tokens_[i - 1].kind == Kind::kWord || is(i - 1, '>')) &&
                                       text(i - 1) != "return";
                if (!qualified) return i;
                continue;
            }
            return i;
        }
    }

    // Position of the >>> that closes the launch whose <<< ends before `i`, and of its commas.
    size_t launch_end(size_t i, std::vector<size_t>& commas) const {
        while (i < tokens_.size()) {
            if (is(i, '(') || is(i, '[') || is(i, '{')) {
                i = after_bracket(i);
                if (i == kNone) return kNone;
                continue;
            }
            if (is_triple(i, '>') && is(i + 3, '(')) return i;
            if (is(i, ';') || is(i, ')') || is(i, '}')) return kNone;
            if (is(i, ',')) commas.push_back(i);
            ++i;
        }
        return kNone;
    }

    void launch(size_t& i) {
        const size_t begin = callee_begin(i);
        if (begin == kNone) fail(i, "<<< must follow the name of a kernel");
        std::vector<size_t> commas;
        const size_t end = launch_end(i + 3, commas);
        if (end == kNone) fail(i, "<<< is not closed by >>> and an argument list");
        if (end == i + 3) fail(i, "<<<>>> needs the number of blocks and the stream");
        const size_t most = threads_ ? 3 : 2;
        if (commas.size() > most)
            fail(i, threads_ ? "<<<>>> takes a grid, a block, bytes of dynamic UB and a stream"
                             : "<<<>>> takes blocks, bytes of dynamic memory and a stream");
        if (threads_ && commas.empty()) fail(i, "<<<>>> of threads needs a grid and a block");
        const std::string name = kernel_name(begin, i), callee = without_directives(begin, i);
        const KernelCores cores = cores_of(name);
        const bool others = !runs_here(cores);
        const bool elsewhere = begin + 1 == i && elsewhere_.contains(name);
        // The types of the lambdas identify the launch, but for their numbers: passes may skip different code.
        const std::string launch = threads_ ? "::ptosim::launch_threads" : "::ptosim::launch";
        std::string call = elsewhere ? launch + "_elsewhere<decltype(" + callee + ")>("
                           : others  ? "::ptosim::launch_on_other_cores("
                                     : launch + "(";
        call += without_directives(i + 3, end);
        for (size_t missing = commas.size(); missing < most; ++missing) call += ", nullptr";
        if (!elsewhere) call += ", [](auto... ptosim_a) { " + callee + "(ptosim_a...); }";
        call += ", [] { return ::ptosim::LaunchSite{\"" + name +
                "\", __builtin_FILE(), __builtin_LINE(), " + std::to_string(cores.vectors) + ", " +
                std::to_string(number_of_launch(begin)) + "}; })";
        const size_t from = tokens_[begin].begin;
        const size_t to = tokens_[end + 2].end;
        // The text after it keeps its line.
        if (source_.substr(from, tokens_[end + 3].begin - from).find('\n') != source_.npos) {
            const SourceLine where = source_line(tokens_[end + 3].begin);
            call += "\n# " + std::to_string(where.line) + " \"" + where.file + "\"\n";
            replace(from, tokens_[end + 3].begin, std::move(call));
        } else {
            replace(from, to, std::move(call));
        }
        ++result_.launches;
        i = end + 2;
    }

    // A number that all passes give to a launch: its line in the user's source, and its place on that line.
    unsigned number_of_launch(size_t token) {
        const SourceLine where = source_line(tokens_[token].begin);
        return where.line << 8 | (launches_of_line_[{where.file, where.line}]++ & 0xffu);
    }

    // The last word of the name: "runAdd" for ns::runAdd<T>.
    std::string kernel_name(size_t first, size_t last) const {
        std::string name;
        int depth = 0;
        for (size_t i = first; i < last; ++i) {
            if (is(i, '<')) ++depth;
            if (is(i, '>')) --depth;
            if (depth == 0 && tokens_[i].kind == Kind::kWord && text(i) != "template")
                name = text(i);
        }
        return name;
    }

    // ---- the device's registers -----------------------------------------------------------

    static bool is_assembly(std::string_view word) {
        return word == "asm" || word == "__asm__" || word == "__asm";
    }

    // asm volatile("MOV %0, SYS_CNT\n" : "+l"(x)) reads a register of the device into x.
    void assembly(size_t begin) {
        size_t i = begin + 1;
        while (i < tokens_.size() && tokens_[i].kind == Kind::kWord) ++i;
        if (!is(i, '(')) return;
        const size_t after = after_bracket(i);
        if (after == kNone || tokens_[i + 1].kind != Kind::kText) return;
        const std::string_view code = text(i + 1);
        if (code.starts_with("\"NOP "))
            return replace(tokens_[begin].begin, tokens_[after - 1].end, "ptosim_thread_pause()");
        if (i + 5 >= after) return;
        const char* const value =
            code.find("%0, SYS_CNT") != code.npos          ? "ptosim_system_counter()"
            : code.find("%0, DATA_MAIN_BASE") != code.npos ? "ptosim_mpmd_main_base()"
            : code.find("%0, PC") != code.npos || code.find("%0, pc") != code.npos ? "0"
                                                                                   : nullptr;
        if (value == nullptr) return;
        if (!is(i + 2, ':') || tokens_[i + 3].kind != Kind::kText || !is(i + 4, '(')) return;
        const std::string target(range(i + 4, after_bracket(i + 4)));  // inputs may follow
        replace(tokens_[begin].begin, tokens_[after - 1].end,
                target + " = " + value);
    }

    // ---- kernels --------------------------------------------------------------------------

    bool is_template(size_t mark) const {
        for (size_t i = mark; i-- > 0;) {
            if (is(i, ';') || is(i, '}') || is(i, '{')) return false;
            if (text(i) == "template") return !is_explicit(i);
        }
        return false;
    }
    // template <> and explicit instantiations do not declare a template.
    bool is_explicit(size_t i) const { return !is(i + 1, '<') || is(i + 2, '>'); }
    bool is_instantiation(size_t mark) const {
        for (size_t i = mark; i-- > 0;) {
            if (is(i, ';') || is(i, '}') || is(i, '{')) return false;
            if (text(i) == "template") return !is(i + 1, '<');
        }
        return false;
    }

    // A declaration or definition: its name, parameter list, and the ';' or '{' after it.
    struct Head {
        size_t name = kNone, list = kNone, end = kNone;
    };
    bool is_parenthesized_name(size_t i) const {
        return i + 3 < tokens_.size() && tokens_[i + 1].kind == Kind::kWord && is(i + 2, ')') && is(i + 3, '(');
    }
    Head head(size_t mark) const {
        Head found;
        size_t i = mark + 1;
        for (; i < tokens_.size() && !is(i, ';') && !is(i, '{'); ++i) {
            // (NAME)(...), as macros write it.
            if (found.list == kNone && is(i, '(') && is_parenthesized_name(i)) {
                found.name = i + 1;
                found.list = i += 3;
            } else if (tokens_[i].kind == Kind::kWord && is(i + 1, '(') && !is_parenthesized_name(i + 1)) {
                if (is_attribute(text(i)) || after_core_mark(*this, i) != i) {
                    i = after_bracket(i + 1) - 1;
                    continue;
                }
                if (found.list == kNone) {
                    found.name = i;
                    found.list = i + 1;
                }
            }
            if (is(i, '(')) {
                const size_t after = after_bracket(i);
                if (after == kNone) return {};
                i = after - 1;
            }
        }
        found.end = i;
        return found;
    }

    size_t declaration_begin(size_t mark) const {
        while (mark > 0 && !is(mark - 1, ';') && !is(mark - 1, '}') && !is(mark - 1, '{')) --mark;
        return mark;
    }

    KernelCores cores_of(const std::string& name) const {
        const auto found = cores_.find(name);
        return found == cores_.end() ? default_cores() : found->second;
    }
    KernelCores default_cores() const { return threads_ ? KernelCores{true, false, true, 0} : KernelCores{}; }
    KernelCores cores_between(size_t first, size_t head, size_t last) const {
        const KernelCores cores = kernel_cores(*this, first, head, last);
        return cores.named ? cores : default_cores();
    }
    bool runs_here(const KernelCores& cores) const {
        return (pass_ != CompilePass::kAIC || cores.aic) && (pass_ != CompilePass::kAIV || cores.aiv);
    }

    // Finds the core types of kernels by name, and kernels that are declared here and defined in another source.
    // Templates are excluded.
    void find_declared() {
        std::set<std::string, std::less<>> here;
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != Kind::kWord || text(i) != kKernelMark) continue;
            const Head found = head(i);
            if (found.name == kNone) continue;
            const size_t after = is(found.end, '{') ? after_bracket(found.end) : kNone;
            const KernelCores cores = cores_between(declaration_begin(i), found.end, after == kNone ? found.end : after);
            if (cores.named) cores_[std::string(text(found.name))] = cores;
            const bool declared = is(found.end, ';') && !is_template(i) && !is_instantiation(i);
            (declared ? elsewhere_ : here).emplace(text(found.name));
        }
        for (const std::string& name : here) elsewhere_.erase(name);
    }

    void kernel(size_t mark) {
        replace(tokens_[mark].begin, tokens_[mark].end, "");
        const auto [name, list, i] = head(mark);
        if (i == kNone) return;
        if (is(i, ';')) instantiation(mark, i);
        if (name == kNone || !is(i, '{')) return;
        const size_t after = after_bracket(i);
        if (after == kNone) return;
        ++result_.kernels;
        const bool others = !runs_here(cores_of(std::string(text(name))));
        if (pass_ == CompilePass::kHost || pass_ == CompilePass::kIdle || others)
            take_out(i + 1, after - 1);
        if (pass_ == CompilePass::kHost || others) return;
        const bool clears = pass_ == CompilePass::kAIC && cores_of(std::string(text(name))).aiv;
        replace(tokens_[i].end, tokens_[i].end,
                threads_ ? bound_check(mark, i) : workspace_setup(*this, list, clears));
        if (!is_template(mark)) {
            enter(after - 1, name, list, std::string(text(name)), parameter_names(*this, list),
                  cores_of(std::string(text(name))).vectors);
        } else {
            template_parameters_[std::string(text(name))] = parameter_names(*this, list);
        }
    }

    // template __global__ void f<16, 128>(...); makes f<16, 128> a kernel with a name.
    void instantiation(size_t mark, size_t end) {
        if (pass_ == CompilePass::kHost || !is_instantiation(mark)) return;
        size_t list = end - 1;
        if (!is(list, ')')) return;
        list = match_back(list, '(', ')');
        if (list == kNone || list == 0 || !is(list - 1, '>')) return;
        const size_t angle = match_back_angle(list - 1);
        if (angle == kNone || angle <= mark) return;
        size_t name = angle - 1;
        while (name > mark + 2 && is(name - 1, ':') && is(name - 2, ':')) name -= 3;
        if (!runs_here(cores_of(std::string(text(angle - 1))))) return;
        const auto parameters = template_parameters_.find(std::string(text(angle - 1)));
        enter(end, name, list, without_directives(name, list),
              parameters == template_parameters_.end() ? "" : parameters->second,
              cores_of(std::string(text(angle - 1))).vectors);
    }

    // Registers a function as a kernel after token `end`. Its type is spelled out with the parameter list at `list`,
    // because other functions may have the same name.
    void enter(size_t end, size_t name, size_t list, const std::string& function,
               const std::string& parameters, uint32_t vectors) {
        std::string quoted;
        for (const char c : function) quoted += std::string(c == '"' || c == '\\' ? "\\" : "") + c;
        replace(tokens_[end].end, tokens_[end].end,
                std::string(threads_ ? " static const ::ptosim::ThreadEntry<void"
                                     : " static const ::ptosim::FunctionEntry<void") + parameter_types(*this, list) + ", " +
                    function + "> ptosim_entry_" + std::to_string(entries_++) + "{\"" + quoted +
                    "\", \"" + (threads_ ? "shape," : "") + parameters + "\", __builtin_FILE(), " +
                    std::to_string(source_line(tokens_[name].begin).line) + ", " +
                    std::to_string(vectors) + "};");
    }

    static bool is_attribute(std::string_view word) {
        return word == kMixMark || word == "__attribute__" || word == "alignas" || is_bound(word) ||
               word == "decltype" || word == "__declspec";
    }

    // __launch_bounds__(THREADS), __maxnreg__(REGISTERS)
    static bool is_bound(std::string_view word) { return word == "__launch_bounds__" || word == "__maxnreg__"; }
    void remove_bound(size_t& i) {
        const size_t after = after_bracket(i + 1);
        if (after == kNone) return;
        replace(tokens_[i].begin, tokens_[after - 1].end, "");
        i = after - 1;
    }
    // The check of a block's threads, for the begin of a function whose head is tokens [mark, body).
    std::string bound_check(size_t mark, size_t body) const {
        std::string most = "1024";
        for (size_t i = declaration_begin(mark); i < body; ++i) {
            if (text(i) != "__launch_bounds__" || !is(i + 1, '(')) continue;
            const size_t after = after_bracket(i + 1);
            if (after != kNone) most = without_directives(i + 2, after - 1);
        }
        const SourceLine where = source_line(tokens_[mark].begin);
        return " ::pto::ptosim_detail::thread_bound(" + most + ", __builtin_FILE(), " + std::to_string(where.line) + ");";
    }

    void thread_function(size_t mark) {
        replace(tokens_[mark].begin, tokens_[mark].end, "");
        if (pass_ != CompilePass::kAIV) return;
        size_t list = mark + 1;
        while (list < tokens_.size() && !is(list, ';') && !is(list, '{') &&
               !(is(list, '(') && !is_attribute(text(list - 1))))
            list = is(list, '(') ? after_bracket(list) : list + 1;
        const size_t body = is(list, '(') ? after_bracket(list) : kNone;
        if (body != kNone && is(body, '{')) replace(tokens_[body].end, tokens_[body].end, bound_check(mark, body));
    }

    void vector_function(size_t mark) {
        replace(tokens_[mark].begin, tokens_[mark].end, "");
        if (pass_ != CompilePass::kAIV) return;
        if (const size_t body = function_body(*this, mark); body != kNone)
            replace(tokens_[body].end, tokens_[body].end, std::string(kVectorFunctionBegin));
    }

    // static const torch::detail::TorchLibraryInit NAME(...) registers operators. It is kept only in the host's part.
    void torch_registration(size_t i) {
        if (pass_ == CompilePass::kHost || i + 2 >= tokens_.size() || !is(i + 2, '(')) return;
        const size_t after = after_bracket(i + 2);
        if (after == kNone || !is(after, ';') || tokens_[i + 1].kind != Kind::kWord) return;
        replace(tokens_[declaration_begin(i)].begin, tokens_[after].end, "");
    }

    void observed_function(const ObservedFunction& found) {
        if (pass_ == CompilePass::kAIC || pass_ == CompilePass::kAIV)
            replace(tokens_[found.body].end, tokens_[found.body].end, found.call);
    }

    void scalar_function(size_t mark) {
        replace(tokens_[mark].begin, tokens_[mark].end, "");
        if (pass_ != CompilePass::kAIV) return;
        const ScalarFunction found = scalar_function_of(*this, mark);
        if (found.body != kNone) replace(tokens_[found.body].end, tokens_[found.body].end, found.call);
    }

    // Removes the body of a kernel but keeps its lines.
    void take_out(size_t first, size_t last) {
        if (first >= last) return;
        const size_t begin = tokens_[first].begin;
        const size_t end = tokens_[last].begin;
        std::string lines(
            static_cast<size_t>(std::count(source_.begin() + static_cast<ptrdiff_t>(begin),
                                           source_.begin() + static_cast<ptrdiff_t>(end), '\n')),
            '\n');
        replace(begin, end, std::move(lines));
    }

    // ---- result ---------------------------------------------------------------------------

    std::string applied() {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
        std::string out;
        out.reserve(source_.size() + 1024);
        size_t at = 0;
        for (const Edit& edit : edits_) {
            if (edit.begin < at) continue;  // within removed text
            out += source_.substr(at, edit.begin - at);
            out += edit.text;
            at = edit.end;
        }
        out += source_.substr(at);
        return out;
    }

    CompilePass pass_;
    bool threads_;
    std::vector<Edit> edits_;
    std::map<std::string, std::string> template_parameters_;
    std::set<std::string, std::less<>> elsewhere_;
    std::map<std::string, KernelCores, std::less<>> cores_;
    unsigned entries_ = 0;
    Rewritten result_;
    std::map<std::pair<std::string, size_t>, unsigned> launches_of_line_;  // by file and line
};

}  // namespace

DefinedKernels defined_kernels(std::string_view source, CompilePass pass, const std::string& file, KernelCode code) {
    return Rewriter(source, pass, file, code).defined();
}

Rewritten rewrite(std::string_view source, CompilePass pass, const std::string& file, KernelCode code) {
    return Rewriter(source, pass, file, code).run();
}

}  // namespace ptosim
