#include "sim/check/mend_search.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "isa/table/instruction_table.h"

namespace ptosim::check {
namespace {

using Kind = MendStep::Kind;
using Place = MendStep::Place;

constexpr unsigned kFlagIds = 8;

enum Rank : unsigned { kRestored, kCompleted, kPair, kAround, kFence, kDropped };

bool is_flag(const Issued& one) { return one.sets() || one.waits(); }
bool is_work(const Issued& one) { return !is_flag(one) && one.opcode != Opcode::kPIPE_BARRIER; }

// A flag of one core, with its operations in program order.
struct FlagOf {
    Pipe source = Pipe::kS, destination = Pipe::kS;
    uint8_t id = 0;
    bool is(const Issued& one) const {
        return is_flag(one) && one.source == source && one.destination == destination &&
               one.id == id;
    }
};

class Search {
 public:
    Search(const IssueLog::Core& core, const SourceMap& sources, size_t finding, int wait,
           std::vector<Mend>& to)
        : log_{core.issued},
          core_{core.id.type},
          sources_{sources},
          finding_{finding},
          wait_{wait},
          to_{to} {}

    void deadlock(const FlagOf& flag, SourceLocation wait) {
        renumber(flag);
        const size_t at = unbalanced_wait(flag, wait);
        const auto before = last_work(flag.source, at, true);
        const auto after = last_work_until_next(flag, at);
        const std::string id = id_of_line(sources_.line(wait));
        // Values of the loop do not exist before it.
        const MendStep first = insert(Opcode::kSET_FLAG, flag, Place::kBeforeLoop, wait, {});
        const bool has_set = std::any_of(log_.begin(), log_.end(), [&](const Issued& one) {
            return flag.is(one) && one.sets();
        });
        // A set inside the loop is there: the first one, before the loop, may be missing.
        if (has_set) add(kRestored, {first});
        for (const std::string& word : ids_of(flag, id)) {
            for (const SourceLocation& line : before)
                add(kRestored, {insert(Opcode::kSET_FLAG, flag, Place::kAfter, line, word)});
            if (after) {
                const MendStep last = insert(Opcode::kSET_FLAG, flag, Place::kAfter, *after, word);
                add(kRestored, {last});
                add(kCompleted, {first, last});
            }
        }
        if (!has_set) add(kCompleted, {first});
        add(kFence, {insert(Opcode::kSET_FLAG, flag, Place::kBefore, wait, id)});
        add(kDropped, {remove(Opcode::kWAIT_FLAG, flag, wait)});
    }

    // A set that nothing awaits, or that comes before the wait for the one before it.
    void surplus_set(const FlagOf& flag, SourceLocation set) {
        renumber(flag);
        const std::string id = id_of_line(sources_.line(set));
        for (const std::string& word : ids_of(flag, id)) {
            for (const SourceLocation& line : next_work(flag, set))
                add(kRestored, {insert(Opcode::kWAIT_FLAG, flag, Place::kBefore, line, word)});
        }
        add(kRestored, {insert(Opcode::kWAIT_FLAG, flag, Place::kAfterLoop, set, {})});
        add(kFence, {insert(Opcode::kWAIT_FLAG, flag, Place::kAfter, set, id)});
        add(kDropped, {remove(Opcode::kSET_FLAG, flag, set)});
    }

    void race(Pipe from, SourceLocation first, Pipe to, SourceLocation second) {
        if (from == to) {
            MendStep step = insert(Opcode::kPIPE_BARRIER, {to, to, 0}, Place::kBefore, second, {});
            add(kRestored, {step});
            return;
        }
        const bool forward = comes_before(first, second);
        std::map<std::tuple<uint8_t>, std::pair<size_t, size_t>> counts;  // sets and waits by id
        std::set<std::tuple<uint32_t, uint8_t>> sets, waits;
        for (const Issued& one : log_) {
            if (!is_flag(one) || one.source != from || one.destination != to) continue;
            ++(one.sets() ? counts[{one.id}].first : counts[{one.id}].second);
            (one.sets() ? sets : waits).insert({one.at.line, one.id});
        }
        // A wait that is missing.
        for (const auto& [key, count] : counts) {
            const FlagOf flag{from, to, std::get<0>(key)};
            if (count.first <= count.second) continue;
            add(kRestored,
                {insert(Opcode::kWAIT_FLAG, flag, Place::kBefore, second, id_text_of(flag))});
        }
        // Misplaced operations.
        for (const auto& [line, id] : waits) {
            const FlagOf flag{from, to, id};
            const SourceLocation at{second.file, 0, line};
            if (moves(at, second)) move(Opcode::kWAIT_FLAG, flag, at, Place::kBefore, second);
        }
        for (const auto& [line, id] : sets) {
            const FlagOf flag{from, to, id};
            const SourceLocation at{first.file, 0, line};
            if (moves(at, first)) move(Opcode::kSET_FLAG, flag, at, Place::kAfter, first);
        }
        // A pair of flags. If the second access comes first in the body of a loop, a first set
        // before the loop and a last wait after it complete the pair.
        const FlagOf flag{from, to, free_id(from, to)};
        if (flag.id == kFlagIds) return;
        const MendStep set = insert(Opcode::kSET_FLAG, flag, Place::kAfter, first, {});
        const MendStep wait = insert(Opcode::kWAIT_FLAG, flag, Place::kBefore, second, {});
        if (forward)
            add(kPair, {set, wait});
        else
            add(kAround, {insert(Opcode::kSET_FLAG, flag, Place::kBeforeLoop, second, {}), wait,
                          set, insert(Opcode::kWAIT_FLAG, flag, Place::kAfterLoop, second, {})});
        add(kFence, {insert(Opcode::kSET_FLAG, flag, Place::kBefore, second, {}), wait});
    }

 private:
    void add(Rank rank, std::vector<MendStep> steps) {
        to_.push_back({finding_, rank, wait_, std::move(steps)});
    }
    MendStep insert(Opcode opcode, const FlagOf& flag, Place place, SourceLocation at,
                    std::string id) const {
        return {Kind::kInsert, place,         at,   opcode, flag.source, flag.destination,
                flag.id,       std::move(id), core_};
    }
    MendStep remove(Opcode opcode, const FlagOf& flag, SourceLocation at) const {
        return {Kind::kRemove,    Place::kBefore, at, opcode, flag.source,
                flag.destination, flag.id,        {}, core_};
    }
    void move(Opcode opcode, const FlagOf& flag, SourceLocation from, Place place,
              SourceLocation to) {
        add(kRestored, {remove(opcode, flag, from),
                        insert(opcode, flag, place, to, id_of_line(sources_.line(from)))});
    }
    static bool moves(SourceLocation at, SourceLocation to) {
        return at.line != to.line && std::max(at.line, to.line) - std::min(at.line, to.line) < 64;
    }

    // True if an instance of the first line comes before the first one of the second.
    bool comes_before(SourceLocation first, SourceLocation second) const {
        for (const Issued& one : log_) {
            if (one.at == first) return true;
            if (one.at == second) return false;
        }
        return first.line < second.line;
    }

    // Other ids for operations of flags whose sets and waits differ in number.
    void renumber(const FlagOf& flag) {
        struct Line {
            Opcode opcode;
            FlagOf flag;
            SourceLocation at;
        };
        std::map<uint8_t, int> balance;  // sets without waits, by id
        std::map<std::tuple<uint32_t, uint8_t, bool>, Line> lines;
        std::set<std::string> words;
        std::set<uint8_t> ids;
        for (const Issued& one : log_) {
            if (!is_flag(one) || one.source != flag.source || one.destination != flag.destination)
                continue;
            balance[one.id] += one.sets() ? 1 : -1;
            ids.insert(one.id);
            lines.try_emplace({one.at.line, one.id, one.sets()},
                              Line{one.opcode, {one.source, one.destination, one.id}, one.at});
            if (std::string word = id_of_line(sources_.line(one.at)); !word.empty())
                words.insert(std::move(word));
        }
        for (const auto& [key, line] : lines) {
            if (balance[line.flag.id] == 0 && line.flag.id != flag.id) continue;
            const std::string own = id_of_line(sources_.line(line.at));
            const auto change = [&](uint8_t id, const std::string& word) {
                MendStep step = insert(line.opcode, {flag.source, flag.destination, id},
                                       Place::kBefore, line.at, word);
                step.kind = Kind::kReplace;
                add(kRestored, {std::move(step)});
            };
            for (const uint8_t id : ids)
                if (id != line.flag.id && balance[id] != 0)
                    change(id, own.empty() || own.front() == '%' ? std::string() : word_of(id));
            for (const std::string& word : words)
                if (word != own && (word.front() == '%' || own.front() == '%'))
                    change(line.flag.id, word);
        }
    }
    static std::string word_of(uint8_t id) { return "<EVENT_ID" + std::to_string(id) + ">"; }

    // The texts by which the kernel names ids of these pipes, `own` first.
    std::vector<std::string> ids_of(const FlagOf& flag, const std::string& own) const {
        std::vector<std::string> words{own};
        if (own.empty() || own.front() != '%') return words;
        for (const Issued& one : log_) {
            if (!is_flag(one) || one.source != flag.source || one.destination != flag.destination)
                continue;
            std::string word = id_of_line(sources_.line(one.at));
            if (!word.empty() && word.front() == '%' &&
                std::find(words.begin(), words.end(), word) == words.end())
                words.push_back(std::move(word));
        }
        return words;
    }
    std::string id_text_of(const FlagOf& flag) const {
        std::string last;
        for (const Issued& one : log_)
            if (flag.is(one))
                if (std::string word = id_of_line(sources_.line(one.at)); !word.empty())
                    last = std::move(word);
        return last;
    }
    uint8_t free_id(Pipe from, Pipe to) const {
        std::set<uint8_t> used;
        for (const Issued& one : log_)
            if (is_flag(one) && one.source == from && one.destination == to) used.insert(one.id);
        uint8_t id = 0;
        while (id < kFlagIds && used.count(id) != 0) ++id;
        return id;
    }

    // The first wait at that line that has no set before it in program order; otherwise the last
    // one.
    size_t unbalanced_wait(const FlagOf& flag, SourceLocation wait) const {
        long sets = 0;
        size_t last = 0;
        for (size_t i = 0; i < log_.size(); ++i) {
            if (!flag.is(log_[i])) continue;
            sets += log_[i].sets() ? 1 : -1;
            if (!log_[i].waits() || log_[i].at.line != wait.line) continue;
            last = i;
            if (sets < 0) return i;
        }
        return last;
    }
    // The last lines of work of a pipe before position `at`, the nearest first.
    std::vector<SourceLocation> last_work(Pipe pipe, size_t at, bool several) const {
        std::vector<SourceLocation> lines;
        for (size_t i = std::min(at, log_.size()); i-- > 0;) {
            if (log_[i].pipe != pipe || !is_work(log_[i])) continue;
            const bool seen = std::any_of(lines.begin(), lines.end(), [&](SourceLocation l) {
                return l.line == log_[i].at.line;
            });
            if (!seen) lines.push_back(log_[i].at);
            if (lines.size() == (several ? 3 : 1)) break;
        }
        return lines;
    }
    // The last work of the flag's source after position `at` and before the next wait for the flag.
    std::optional<SourceLocation> last_work_until_next(const FlagOf& flag, size_t at) const {
        std::optional<SourceLocation> last;
        for (size_t i = at + 1; i < log_.size(); ++i) {
            if (flag.is(log_[i]) && log_[i].waits()) break;
            if (log_[i].pipe == flag.source && is_work(log_[i])) last = log_[i].at;
        }
        return last;
    }
    // The first lines of work of the flag's destination after a set at that line.
    std::vector<SourceLocation> next_work(const FlagOf& flag, SourceLocation set) const {
        std::vector<SourceLocation> lines;
        bool after = false;
        for (const Issued& one : log_) {
            if (flag.is(one) && one.sets() && one.at.line == set.line) {
                if (after) break;
                after = true;
            }
            if (!after || one.pipe != flag.destination || !is_work(one)) continue;
            const bool seen = std::any_of(lines.begin(), lines.end(),
                                          [&](SourceLocation l) { return l.line == one.at.line; });
            if (!seen) lines.push_back(one.at);
            if (lines.size() == 4) break;
        }
        return lines;
    }

    const std::vector<Issued>& log_;
    const CoreType core_;
    const SourceMap& sources_;
    const size_t finding_;
    const int wait_;
    std::vector<Mend>& to_;
};

// The flag that a message names first, in the form of flag_text().
std::optional<FlagOf> flag_in(std::string_view text) {
    constexpr std::string_view kWord = "flag ";
    for (size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
        const size_t from = at + kWord.size(), arrow = text.find("->", from);
        const size_t number = text.find(" #", from);
        if (arrow == text.npos || number == text.npos || arrow > number) continue;
        const auto source = parse_pipe(text.substr(from, arrow - from));
        const auto destination = parse_pipe(text.substr(arrow + 2, number - arrow - 2));
        if (source && destination)
            return FlagOf{
                *source, *destination,
                static_cast<uint8_t>(std::strtoul(text.data() + number + 2, nullptr, 10))};
    }
    return {};
}

// The wait that the finding names comes first. Waits of other cores at a line are the same wait.
void add_mends_of_waits(const Diagnostic& d, size_t index, const IssueLog& log,
                        const SourceMap& sources, std::vector<Mend>& to) {
    std::set<std::tuple<uint32_t, Pipe, Pipe, uint8_t>> seen;
    const auto add = [&](const std::string& core_name, const FlagOf& flag, uint32_t line,
                         int wait) {
        const IssueLog::Core* const core = log.find(core_name);
        if (core == nullptr || line == 0 ||
            !seen.insert({line, flag.source, flag.destination, flag.id}).second)
            return;
        Search(*core, sources, index, wait, to).deadlock(flag, {d.location.file, 0, line});
    };
    if (const auto flag = flag_in(d.message)) add(d.core, *flag, d.location.line, -1);
    for (size_t i = 0; i < d.waits.size(); ++i) {
        const WaitEdge& wait = d.waits[i];
        const auto flag = flag_in(wait.what);
        if (flag && wait.file == d.file)
            add(wait.waiter.substr(0, wait.waiter.find('/')), *flag, wait.line,
                static_cast<int>(i));
    }
}

void add_mends(const Diagnostic& d, size_t index, const IssueLog& log, const SourceMap& sources,
               std::vector<Mend>& to) {
    if (d.category == Category::kDeadlock) add_mends_of_waits(d, index, log, sources, to);
    const IssueLog::Core* const core = log.find(d.core);
    if (core == nullptr || d.location.line == 0) return;
    Search search(*core, sources, index, -1, to);
    const auto flag = flag_in(d.message);
    if (d.category == Category::kSync && flag) search.surplus_set(*flag, d.location);
    // Flags would hide that two tiles overlap.
    const bool overlaps =
        d.hint.starts_with("first give") || d.hint.starts_with("the two operands overlap");
    if (d.category != Category::kRace || d.related.empty() || d.code == "G04" || overlaps) return;
    const auto from = parse_pipe(d.related.front().pipe), to_pipe = parse_pipe(d.pipe);
    if (from && to_pipe) search.race(*from, d.related.front().location, *to_pipe, d.location);
}

auto key_of(const MendStep& step) {
    return std::tuple(step.kind, step.place, step.at.file, step.at.line, step.opcode, step.source,
                      step.destination, step.id, step.id_text);
}

}  // namespace

std::string id_of_line(std::string_view line) {
    const size_t open = line.find("_flag");
    if (open == std::string_view::npos) return {};
    const size_t end = line.find(']', open), comma = line.rfind(',', end);
    if (end == std::string_view::npos || comma == std::string_view::npos || comma < open) return {};
    const size_t begin = line.find_first_not_of(' ', comma + 1);
    const std::string word(line.substr(begin, end - begin));
    return word.empty() || (word.front() != '%' && word.front() != '<') ? std::string() : word;
}

std::vector<Mend> possible_mends(const std::vector<Diagnostic>& findings, const IssueLog& log,
                                 const SourceMap& sources) {
    std::vector<Mend> mends;
    for (size_t i = 0; i < findings.size(); ++i) add_mends(findings[i], i, log, sources, mends);
    std::stable_sort(mends.begin(), mends.end(),
                     [](const Mend& a, const Mend& b) { return a.rank < b.rank; });
    std::set<std::vector<decltype(key_of(MendStep{}))>> seen;
    std::erase_if(mends, [&](const Mend& mend) {
        std::vector<decltype(key_of(MendStep{}))> keys;
        for (const MendStep& step : mend.steps) keys.push_back(key_of(step));
        return !seen.insert(std::move(keys)).second;
    });
    return mends;
}

}  // namespace ptosim::check
