#include "sim/native/line_traps.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "sim/files/command.h"
#include "sim/native/kernel_call.h"

namespace ptosim {

LineListener* line_listener = nullptr;

namespace {

// The last word of a text and the text before it.
std::pair<std::string_view, std::string_view> split_last(std::string_view text) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const size_t space = text.rfind(' ');
    if (space == text.npos) return {{}, text};
    return {text.substr(0, space), text.substr(space + 1)};
}

template <class Number>
bool read_number(std::string_view word, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, base);
    return error == std::errc() && end == word.data() + word.size();
}

// A row of objdump's table: the name of a file, a line, an address, possibly a view's number, "x" for the begin of a
// statement.
bool read_row(std::string_view row, std::string_view file, uint32_t& line, uint64_t& offset) {
    const auto [rest, mark] = split_last(row);
    if (mark != "x") return false;
    auto [before, word] = split_last(rest);
    if (!word.starts_with("0x")) std::tie(before, word) = split_last(before);
    if (!word.starts_with("0x") || !read_number(word.substr(2), offset, 16)) return false;
    const auto [name, number] = split_last(before);
    // Long names are cut at their begin. The first rows of a unit have no heading if they belong to another file.
    const size_t first = name.find_first_not_of(' '), last = name.find_last_not_of(' ');
    return first != name.npos && read_number(number, line) && file.ends_with(name.substr(first, last + 1 - first));
}

// A row of the table that begins a statement.
struct Row {
    uint64_t offset = 0;
    SourceLocation where;  // unknown: outside of the user's files
};

std::vector<Row> rows_of(const std::string& library, const CallSites::FindFile& find) {
    const CommandResult table = run_command({"objdump", "--wide", "--dwarf=decodedline", library});
    std::vector<Row> rows;
    if (table.status != 0) return rows;
    std::istringstream text(table.messages);
    std::string file;
    std::unordered_map<std::string, SourceLocation> files;
    for (std::string row; std::getline(text, row);) {
        const bool unit = row.starts_with("CU: ");
        if (unit || (row.ends_with(':') && row.find("  ") == row.npos)) {  // "CU: folder/name.cpp:", "folder/name.h:"
            file = row.substr(unit ? 4 : 0);
            file.pop_back();
            if (file.starts_with("./")) file.erase(0, 2);
            continue;
        }
        uint32_t line = 0;
        uint64_t offset = 0;
        if (!read_row(row, file, line, offset) || line == 0) continue;
        const auto [known, is_new] = files.try_emplace(file);
        if (is_new) known->second = find(file, 1);
        SourceLocation where = known->second;
        if (where.line != 0) where.line = line;
        rows.push_back({offset, where});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
    return rows;
}

// The lines of a function, whose rows these are. Rows of other files belong to functions that have been inlined at a
// line of the user.
void add_lines(std::span<const Row> rows, CodeLines& inlined, const CallSites::FindFile& find, std::vector<LineCode>& lines) {
    const auto of_user = [](const Row& row) { return row.where.line != 0; };
    if (std::none_of(rows.begin(), rows.end(), of_user)) return;
    SourceLocation last;
    for (const Row& row : rows) {
        SourceLocation where = row.where;
        if (where.line == 0)
            for (const CodeLocation& frame : inlined.at(row.offset))
                if (where.line == 0) where = find(frame.file, frame.line);
        const bool entry = &row == rows.data() && rows.back().offset > row.offset;  // before it has made its frame
        if (where.line != 0 && !entry && (of_user(row) || where != last)) lines.push_back({row.offset, where});
        last = where;
    }
}

}  // namespace

std::vector<LineCode> lines_of_code(const std::string& library, std::span<const uint64_t> functions,
                                    const CallSites::FindFile& find) {
    const std::vector<Row> rows = rows_of(library, find);
    CodeLines inlined(library);
    std::vector<LineCode> lines;
    auto row = rows.begin();
    for (size_t i = 0; i < functions.size(); ++i) {
        while (row != rows.end() && row->offset < functions[i]) ++row;
        const auto first = row;
        while (row != rows.end() && (i + 1 == functions.size() || row->offset < functions[i + 1])) ++row;
        add_lines({first, row}, inlined, find, lines);
    }
    const auto same = [](const LineCode& a, const LineCode& b) { return a.offset == b.offset && a.where == b.where; };
    lines.erase(std::unique(lines.begin(), lines.end(), same), lines.end());
    return lines;
}

void follow_lines(LineListener& listener) { line_listener = &listener; }

#ifdef __x86_64__

namespace {

constexpr unsigned char kBreakpoint = 0xcc;
constexpr greg_t kTrapFlag = 0x100;
constexpr std::array<int, CodePlace::kRegisters> kOrder = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                           REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                           REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

struct Trap {
    unsigned char original = 0;
    std::vector<SourceLocation> lines;
};
struct Traps {
    std::unordered_map<uint64_t, Trap> at;            // by address
    std::unordered_map<uint64_t, CodeRange> ranges;   // of followed libraries, by their begin
    unsigned char* replaced = nullptr;  // a trap that is absent for the present instruction
};
Traps& traps() {
    static auto& traps = *new Traps;
    return traps;
}

void put_back() {
    if (traps().replaced != nullptr) *traps().replaced = kBreakpoint;
    traps().replaced = nullptr;
}

void tell_lines(Running& core, const Trap& trap, const CodePlace& place) {
    core.guard.leave();
    running = nullptr;
    for (const SourceLocation where : trap.lines) line_listener->on_line(core.port, where, place);
    running = &core;
    core.guard.enter();
    set_local_base(core.local_memory);
    ptosim_watched = core.watch;
    ptosim_recent_tensors = &core.bounds.recent;
}

// Runs on the stack of the kernel, and only at begins of lines of its code, so it may call everything.
void on_trap(int, siginfo_t*, void* context) {
    auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    if ((machine[REG_EFL] & kTrapFlag) != 0) {
        machine[REG_EFL] &= ~kTrapFlag;
        return put_back();
    }
    put_back();
    const auto address = static_cast<uint64_t>(machine[REG_RIP]) - 1;
    const auto found = traps().at.find(address);
    if (found == traps().at.end()) {  // a breakpoint of the kernel's own
        signal(SIGTRAP, SIG_DFL);
        return;
    }
    machine[REG_RIP] = static_cast<greg_t>(address);
    if (running != nullptr) {
        CodePlace place;
        place.kernel = &running->kernel;
        place.base = running->followed.begin;
        for (unsigned i = 0; i < CodePlace::kRegisters; ++i) place.registers[i] = static_cast<uint64_t>(machine[kOrder[i]]);
        place.known = (1u << CodePlace::kRegisters) - 1;
        tell_lines(*running, found->second, place);
    }
    auto* const code = reinterpret_cast<unsigned char*>(address);
    *code = found->second.original;
    traps().replaced = code;
    machine[REG_EFL] |= kTrapFlag;
}

void set_traps(const NativeKernel& kernel, CoreType core, CodeRange range) {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    for (const LineCode& line : kernel.lines(core)) {
        const uint64_t address = range.begin + line.offset;
        if (address >= range.end) continue;
        auto* const code = reinterpret_cast<unsigned char*>(address);
        const auto [trap, is_new] = traps().at.try_emplace(address);
        trap->second.lines.push_back(line.where);
        if (!is_new) continue;
        if (mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
            traps().at.erase(trap);
            continue;
        }
        trap->second.original = *code;
        *code = kBreakpoint;
    }
}

struct Search {
    CodeRange range;
    CodePlace* place;
};

// The innermost frame in a range. Only registers that calls preserve can be restored.
_Unwind_Reason_Code find_frame(_Unwind_Context* context, void* data) {
    const Search& search = *static_cast<Search*>(data);
    const uint64_t code = _Unwind_GetIP(context);
    if (code < search.range.begin || code >= search.range.end) return _URC_NO_REASON;
    CodePlace& place = *search.place;
    const auto keep = [&](unsigned number, uint64_t value) {
        place.registers[number] = value;
        place.known |= 1u << number;
    };
    for (const unsigned number : {3u, 6u, 12u, 13u, 14u, 15u}) keep(number, _Unwind_GetGR(context, static_cast<int>(number)));
    keep(CodePlace::kStackPointer, _Unwind_GetCFA(context));
    keep(CodePlace::kProgramCounter, code - 1);  // of the call, not of what follows it
    return _URC_NORMAL_STOP;
}

}  // namespace

bool can_follow_lines() { return true; }

void follow_code(Running& core) {
    static const bool once = [] {
        struct sigaction action {};
        action.sa_sigaction = &on_trap;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
        return sigaction(SIGTRAP, &action, nullptr) == 0;
    }();
    static_cast<void>(once);
    core.followed = code_range(reinterpret_cast<const void*>(core.entry.run));
    if (traps().ranges.try_emplace(core.followed.begin, core.followed).second)
        set_traps(core.kernel, core.port.identity().core, core.followed);
}

void follow_call(Running& core) {
    CodePlace place;
    place.kernel = &core.kernel;
    place.base = core.followed.begin;
    Search search{core.followed, &place};
    _Unwind_Backtrace(&find_frame, &search);
    if (place.known != 0) line_listener->on_call(core.port, place);
}

#else

bool can_follow_lines() { return false; }
void follow_code(Running&) {}
void follow_call(Running&) {}

#endif

}  // namespace ptosim
