#include "sim/compile/scalar_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

namespace ptosim {
namespace {

constexpr std::string_view kCounter = "ptosim_scalar_instructions";

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    return begin == text.npos ? std::string_view{} : text.substr(begin);
}

// The first word of a text, up to a space, a tab or the end.
std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t"));
}

std::string_view after_first_word(std::string_view text) {
    const std::string_view word = first_word(text);
    return trimmed(text.substr(word.size()));
}

unsigned leading_number(std::string_view text) {
    unsigned number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

template <size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// ---- instructions of the host -------------------------------------------------------------------

enum class HostKind {
    kPlain,
    kCall,
    kWritesFlags,  // all of them, and reads none
    kBranch,       // ends a straight run of instructions
    kNone          // padding, which takes no time
};

// The place of a counter, by the registers and flags that it may change there.
enum class Place {
    kBeforeCall,      // scratch registers and flags
    kBeforeNewFlags,  // flags
    kAnywhere         // nothing
};

#ifdef __aarch64__

HostKind kind_of(std::string_view word) {
    if (word == "bl" || word == "blr") return HostKind::kCall;
    constexpr std::array<std::string_view, 8> kBranches{"b",    "br",  "ret",  "cbz",
                                                        "cbnz", "tbz", "tbnz", "brk"};
    if (word.starts_with("b.") || is_one_of(word, kBranches)) return HostKind::kBranch;
    return word == "nop" || word == "bti" || word == "hint" ? HostKind::kNone : HostKind::kPlain;
}

// As on x86-64, below.
bool is_of_host(std::string_view word, std::string_view content) {
    if (word == "mov" || word == "adrp") return content.find('#') == content.npos;
    constexpr std::array<std::string_view, 6> kMoves{"ldr", "str", "ldp", "stp", "ldur", "stur"};
    return is_one_of(word, kMoves) && (content.find("[sp") != content.npos || content.find("[x29") != content.npos);
}

unsigned operations_of(std::string_view, std::string_view) { return 1; }

// x16 and x17 belong to linkers at calls; nothing here changes flags.
std::string counter(Place place, unsigned instructions, std::string_view next) {
    const bool free = place == Place::kBeforeCall && next.find("x16") == next.npos &&
                      next.find("x17") == next.npos;
    std::string text;
    if (!free) text += "\tstp x16, x17, [sp, #-16]!\n";
    const std::string symbol(kCounter);
    text += "\tadrp x16, :got:" + symbol + "\n\tldr x16, [x16, :got_lo12:" + symbol +
            "]\n\tldr x17, [x16]\n";
    for (; instructions > 0; instructions -= std::min(instructions, 4095u))
        text += "\tadd x17, x17, #" + std::to_string(std::min(instructions, 4095u)) + "\n";
    text += "\tstr x17, [x16]\n";
    if (!free) text += "\tldp x16, x17, [sp], #16\n";
    return text;
}

#else

HostKind kind_of(std::string_view word) {
    if (word.starts_with("call")) return HostKind::kCall;
    if (word.starts_with('j') || word.starts_with("ret") || word == "ud2" || word == "hlt")
        return HostKind::kBranch;
    if (word.starts_with("nop") || word.starts_with("endbr") || word == "int3" || word == "data16")
        return HostKind::kNone;
    constexpr std::array<std::string_view, 8> kWrite{"add", "sub", "cmp", "test",
                                                     "and", "or",  "xor", "neg"};
    constexpr std::array<std::string_view, 4> kFloats{"comiss", "comisd", "ucomiss", "ucomisd"};
    const bool sized =
        word.ends_with('b') || word.ends_with('w') || word.ends_with('l') || word.ends_with('q');
    if (is_one_of(word, kWrite) || (sized && is_one_of(word.substr(0, word.size() - 1), kWrite)) ||
        is_one_of(word, kFloats))
        return HostKind::kWritesFlags;
    return HostKind::kPlain;
}

// Moves from and to the stack and between registers, and addresses that are made before they are used: their number
// depends on the registers of the host and on calls that instrumentation inserts.
bool is_of_host(std::string_view word, std::string_view content) {
    if (word.starts_with("push") || word.starts_with("pop") || word.starts_with("lea")) return true;
    if (!word.starts_with("mov")) return false;
    const bool plain = content.find('(') == content.npos && content.find('$') == content.npos;
    return plain || content.find("(%rsp") != content.npos || content.find("(%rbp") != content.npos;
}

// Operations of one instruction. A scalar unit of a core loads and stores by separate instructions, so an operand in
// memory is a load, or a load and a store if it is also the result. Operands on the stack belong to the host.
unsigned operations_of(std::string_view word, std::string_view content) {
    const size_t open = content.find('(');
    if (open == content.npos || word.starts_with("mov") || content.substr(open).starts_with("(%rsp") ||
        content.substr(open).starts_with("(%rbp"))
        return 1;
    const bool jumps = kind_of(word) == HostKind::kBranch || kind_of(word) == HostKind::kCall;
    const bool compares = word.starts_with("cmp") || word.starts_with("test") || word.starts_with("comis") ||
                          word.starts_with("ucomis") || word.starts_with("bt");
    return content.ends_with(')') && !jumps && !compares ? 3 : 2;
}

// r11 holds nothing at calls of the ABI.
std::string counter(Place place, unsigned instructions, std::string_view next) {
    const std::string address = std::string(kCounter) + "@GOTPCREL(%rip)",
                      count = std::to_string(instructions);
    if (place == Place::kBeforeCall && next.find("%r11") == next.npos)
        return "\tmovq\t" + address + ", %r11\n\taddq\t$" + count + ", (%r11)\n";
    if (place != Place::kAnywhere)
        return "\tpushq\t%rax\n\tmovq\t" + address + ", %rax\n\taddq\t$" + count +
               ", (%rax)\n\tpopq\t%rax\n";
    return "\tpushq\t%rax\n\tpushq\t%rcx\n\tmovq\t" + address +
           ", %rax\n\tmovq\t(%rax), %rcx\n\tleaq\t" + count +
           "(%rcx), %rcx\n\tmovq\t%rcx, (%rax)\n\tpopq\t%rcx\n\tpopq\t%rax\n";
}

#endif

// Labels for debuggers and tables of exceptions, to which no code jumps.
bool is_mark(std::string_view label) {
    for (const std::string_view begin :
         {".LVL", ".LBE", ".LBI", ".LBSI", ".LFB", ".LFE", ".LEHB", ".LEHE", ".LCFI", ".LM",
          ".Ltmp", ".Lfunc_begin", ".Lfunc_end"})
        if (label.starts_with(begin)) return true;
    // .LBB7 of g++ begins a scope; .LBB7_2 of clang++ is a block.
    return label.starts_with(".LBB") && label.find('_') == label.npos;
}

// ---- the text -----------------------------------------------------------------------------------

class CountedCode {
 public:
    explicit CountedCode(const std::function<bool(std::string_view)>& counts) : counts_{counts} {}

    std::string rewrite(std::string_view assembly) {
        text_.reserve(assembly.size() + assembly.size() / 4);
        while (!assembly.empty()) {
            const size_t end = std::min(assembly.find('\n'), assembly.size() - 1) + 1;
            take(assembly.substr(0, end));
            assembly.remove_prefix(end);
        }
        end_run();
        return std::move(text_);
    }

 private:
    void take(std::string_view line) {
        const std::string_view content = trimmed(line.substr(0, line.find_last_not_of("\r\n") + 1));
        if (content.empty() || content.front() == '#' || content.starts_with("//")) {
            text_ += line;
        } else if (content.front() == '.' && line.front() != '.') {
            directive(content);
            text_ += line;
        } else if (line.front() != ' ' && line.front() != '\t') {
            const std::string_view label = content.substr(0, content.find(':'));
            if (!is_mark(label)) end_run();
            text_ += line;
        } else {
            instruction(content, line);
        }
    }

    // .file NUMBER ["FOLDER"] "NAME" ..., and .loc NUMBER LINE ...
    void directive(std::string_view content) {
        const std::string_view word = first_word(content), rest = after_first_word(content);
        if (word == ".loc") {
            const auto file = files_.find(leading_number(rest));
            in_counted_file_ = file != files_.end() && file->second;
        } else if (word == ".file" && !rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
            files_[leading_number(rest)] = counts_(file_name(after_first_word(rest)));
        } else if (word == ".section" || word == ".text" || word == ".data" || word == ".bss") {
            end_run();
        }
    }

    static std::string file_name(std::string_view strings) {
        std::vector<std::string> found;
        while (strings.starts_with('"')) {
            const size_t end = std::min(strings.find('"', 1), strings.size());
            found.emplace_back(strings.substr(1, end - 1));
            strings = trimmed(strings.substr(std::min(end + 1, strings.size())));
        }
        if (found.empty()) return {};
        if (found.size() == 1 || found[1].starts_with('/')) return found.back();
        return found[0] + "/" + found[1];
    }

    void instruction(std::string_view content, std::string_view line) {
        const HostKind kind = kind_of(first_word(content));
        if (!begin_) begin_ = text_.size();
        // The linker rewrites the sequence of instructions before this call as a whole.
        const bool whole = content.find("__tls_get_addr") != content.npos;
        if (kind == HostKind::kCall && !whole) note(Place::kBeforeCall, content);
        if (kind == HostKind::kWritesFlags) note(Place::kBeforeNewFlags, content);
        if (kind == HostKind::kCall && is_sanitizer(content)) {
            count_ -= last_count_;
            last_count_ = 0;
        } else {
            const bool counts = in_counted_file_ && kind != HostKind::kNone &&
                                !is_of_host(first_word(content), content);
            last_count_ = counts ? operations_of(first_word(content), content) : 0;
            count_ += last_count_;
        }
        if (kind == HostKind::kBranch) end_run();
        text_ += line;
        if (kind == HostKind::kBranch) begin_run();
    }

    static bool is_sanitizer(std::string_view call) {
        return call.find("__sanitizer_") != call.npos || call.find("__tsan_") != call.npos;
    }

    // The first place before a call is the best, because it saves no register.
    void note(Place place, std::string_view next) {
        if (at_ && place_ <= place) return;
        at_ = text_.size();
        place_ = place;
        next_ = next;
    }

    // Inserts the counter of the instructions since the last label or branch.
    void end_run() {
        if (count_ > 0)
            text_.insert(at_.value_or(*begin_),
                         counter(at_ ? place_ : Place::kAnywhere, count_, next_));
        begin_run();
    }
    void begin_run() {
        count_ = 0;
        begin_.reset();
        at_.reset();
        next_.clear();
        last_count_ = 0;
    }

    const std::function<bool(std::string_view)>& counts_;
    std::map<unsigned, bool> files_;
    std::string text_;
    bool in_counted_file_ = false;
    // The current straight run of instructions.
    unsigned count_ = 0;
    unsigned last_count_ = 0;      // of the last instruction
    std::optional<size_t> begin_;  // of its first instruction in text_
    std::optional<size_t> at_;     // best place of its counter
    Place place_ = Place::kAnywhere;
    std::string next_;
};

}  // namespace

std::vector<std::string> counted_code_flags(bool gnu) {
    std::vector<std::string> flags{gnu ? "-g1" : "-gline-tables-only"};
#ifdef __x86_64__
    flags.emplace_back("-mno-red-zone");
#endif
    return flags;
}

std::string with_counted_code(std::string_view assembly,
                              const std::function<bool(std::string_view)>& counts) {
    return CountedCode(counts).rewrite(assembly);
}

}  // namespace ptosim
