#include "traces/analyse/loops.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace ptosim {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Walks through a text, passing over comments and strings.
class LoopFinder {
 public:
    explicit LoopFinder(std::string_view text) : text_{text} {}

    std::vector<LoopRegion> find() {
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '\n')
                ++line_;
            else if (c == '/' && next() == '/')
                skip_line();
            else if (c == '/' && next() == '*')
                skip_comment();
            else if (c == '"')
                skip_string();
            else if (is_word(c))
                word();
            else if (c == '(')
                ++parentheses_;
            else if (c == ')')
                parentheses_ -= parentheses_ > 0;
            else if (c == '{')
                open();
            else if (c == '}')
                close();
            else if (c == ';')
                end_statement();
        }
        return std::move(loops_);
    }

 private:
    char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
    void skip_line() {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    }
    void skip_comment() {
        for (++at_; at_ < text_.size() && !(text_[at_] == '*' && next() == '/'); ++at_)
            line_ += text_[at_] == '\n';
        ++at_;
    }
    void skip_string() {
        for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
            if (text_[at_] == '\\') ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++line_;
    }
    void word() {
        const size_t begin = at_;
        while (is_word(next())) ++at_;
        const std::string_view found = text_.substr(begin, at_ + 1 - begin);
        // Names like @for or %while are none.
        const char before = begin > 0 ? text_[begin - 1] : ' ';
        if (before == '@' || before == '%' || before == '#') return;
        if (found == "for" || found == "while" || found == "do")
            head_ = {true, line_, parentheses_};
    }
    void open() {
        // A dictionary between parentheses is not a loop's body.
        if (head_.pending && parentheses_ == head_.parentheses) {
            const auto index = static_cast<int32_t>(loops_.size());
            loops_.push_back({head_.line, head_.line, around_});
            braces_.push_back({index, around_});
            around_ = index;
            head_.pending = false;
        } else {
            braces_.push_back({-1, around_});
        }
    }
    void close() {
        if (braces_.empty()) return;
        const Brace brace = braces_.back();
        braces_.pop_back();
        if (brace.loop >= 0) loops_[static_cast<size_t>(brace.loop)].last = line_;
        around_ = brace.around;
    }
    // A body without braces.
    void end_statement() {
        if (!head_.pending || parentheses_ != head_.parentheses) return;
        if (line_ > head_.line) loops_.push_back({head_.line, line_, around_});
        head_.pending = false;
    }

    struct Head {
        bool pending = false;
        uint32_t line = 0;
        unsigned parentheses = 0;
    };
    struct Brace {
        int32_t loop;
        int32_t around;
    };
    std::string_view text_;
    size_t at_ = 0;
    uint32_t line_ = 1;
    unsigned parentheses_ = 0;
    Head head_;
    int32_t around_ = -1;
    std::vector<Brace> braces_;
    std::vector<LoopRegion> loops_;
};

// The loops of one file, by line.
struct FileLoops {
    std::vector<LoopRegion> loops;
    std::vector<int32_t> innermost;  // by line
    std::vector<std::vector<int32_t>>
        chains;  // by loop: those around it and itself, outermost first

    const std::vector<int32_t>& chain_at(uint32_t line) const {
        static const auto& none = *new std::vector<int32_t>;
        const int32_t loop = line < innermost.size() ? innermost[line] : -1;
        return loop < 0 ? none : chains[static_cast<size_t>(loop)];
    }
};

FileLoops loops_of(std::string_view text) {
    FileLoops result;
    result.loops = find_loops(text);
    for (size_t i = 0; i < result.loops.size(); ++i) {
        const LoopRegion& loop = result.loops[i];
        if (result.innermost.size() <= loop.last)
            result.innermost.resize(loop.last + size_t{1}, -1);
        // Inner loops come after those around them.
        for (uint32_t line = loop.first; line <= loop.last; ++line)
            result.innermost[line] = static_cast<int32_t>(i);
        result.chains.emplace_back();
        if (loop.parent >= 0) result.chains[i] = result.chains[static_cast<size_t>(loop.parent)];
        result.chains[i].push_back(static_cast<int32_t>(i));
    }
    return result;
}

// Follows the instructions of one core.
class Walker {
 public:
    Walker(const std::vector<FileLoops>& files, uint16_t core, std::vector<Iteration>& to)
        : files_{files}, core_{core}, to_{to} {}

    void issue(const InstructionRecord& record) {
        const SourceLocation at = record.location;
        if (at.file >= files_.size()) return;
        const std::vector<int32_t>& chain = files_[at.file].chain_at(at.line);
        size_t common = 0;
        while (common < open_.size() && common < chain.size() && open_[common].file == at.file &&
               open_[common].loop == chain[common])
            ++common;
        close_to(common, record.issued);
        if (common > 0 && begins_again(record)) {
            const uint32_t number = open_[common - 1].number + 1;
            close_to(common - 1, record.issued);
            open(record, chain[common - 1], number);
        }
        for (size_t depth = open_.size(); depth < chain.size(); ++depth)
            open(record, chain[depth], 0);
        last_ = at;
    }
    void end(Cycle time) { close_to(0, time); }

 private:
    struct Open {
        uint16_t file = 0;
        int32_t loop = 0;
        uint32_t number = 0;
        SourceLocation first;  // instruction of this iteration
        Opcode opcode{};
        size_t index = 0;  // in to_
    };
    static auto line_and_column(SourceLocation at) { return std::tuple(at.line, at.column); }

    // One operation may issue several instructions: a place that repeats is a new iteration only
    // if it is the one with which this iteration began.
    bool begins_again(const InstructionRecord& record) const {
        const Open& innermost = open_.back();
        if (last_.file != record.location.file) return false;
        if (line_and_column(record.location) != line_and_column(last_))
            return line_and_column(record.location) < line_and_column(last_);
        return line_and_column(record.location) == line_and_column(innermost.first) &&
               record.opcode == innermost.opcode;
    }
    void open(const InstructionRecord& record, int32_t loop, uint32_t number) {
        const SourceLocation at = record.location;
        Iteration iteration;
        iteration.begin = iteration.end = record.issued;
        iteration.loop.file = at.file;
        iteration.loop.line = files_[at.file].loops[static_cast<size_t>(loop)].first;
        iteration.loop.column = 1;
        iteration.number = number;
        iteration.core = core_;
        iteration.depth = static_cast<uint16_t>(open_.size());
        open_.push_back({at.file, loop, number, at, record.opcode, to_.size()});
        to_.push_back(iteration);
    }
    void close_to(size_t depth, Cycle time) {
        for (; open_.size() > depth; open_.pop_back()) to_[open_.back().index].end = time;
    }

    const std::vector<FileLoops>& files_;
    uint16_t core_;
    std::vector<Iteration>& to_;
    std::vector<Open> open_;
    SourceLocation last_;
};

}  // namespace

std::vector<LoopRegion> find_loops(std::string_view text) { return LoopFinder(text).find(); }

std::vector<std::vector<Iteration>> loop_iterations(const Recording& recording) {
    std::vector<FileLoops> files;
    for (size_t i = 0; i < recording.sources.size(); ++i)
        files.push_back(loops_of(recording.sources.file(i).text));
    std::vector<std::vector<Iteration>> result(recording.cores.size());
    std::vector<std::vector<const InstructionRecord*>> program(recording.cores.size());
    std::vector<std::vector<const RunRecord*>> runs(recording.cores.size());
    for (const InstructionRecord& record : recording.instructions)
        program[record.core].push_back(&record);
    for (const RunRecord& run : recording.runs) runs[run.core].push_back(&run);
    for (uint16_t core = 0; core < recording.cores.size(); ++core) {
        const auto earlier = [](const auto* a, const auto* b) { return a->sequence < b->sequence; };
        if (!std::is_sorted(program[core].begin(), program[core].end(), earlier))
            std::sort(program[core].begin(), program[core].end(), earlier);
        Walker walker(files, core, result[core]);
        size_t next = 0;
        for (const RunRecord* run : runs[core]) {
            for (; next < program[core].size() && program[core][next]->issued <= run->end; ++next)
                walker.issue(*program[core][next]);
            walker.end(run->end);
        }
    }
    return result;
}

}  // namespace ptosim
