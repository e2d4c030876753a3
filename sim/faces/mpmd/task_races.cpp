#include "sim/faces/mpmd/task_races.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/faces/mpmd/range_map.h"
#include "sim/faces/mpmd/task_order.h"

namespace ptosim::mpmd {
namespace {

class Races {
 public:
    Races(const Program& program, const Run& run, const SourceMap& sources)
        : run_{run}, sources_{sources}, tasks_{in_order(program, run)} {
        const std::map<uint64_t, uint32_t> numbers = numbers_of(tasks_);
        before_.resize(tasks_.size());
        for (const Dependency& d : run.dependencies) {
            const auto before = numbers.find(d.before), after = numbers.find(d.after);
            if (before != numbers.end() && after != numbers.end())
                before_[after->second].push_back(before->second);
        }
    }

    std::vector<Diagnostic> find() {
        for (uint32_t i = 0; i < tasks_.size(); ++i)
            for (const bool writes : {false, true})
                each_access(tasks_, i, writes, [&](const TaskAccess& access) { touch(access); });
        std::vector<Diagnostic> found;
        for (auto& [site, diagnostic] : findings_) found.push_back(std::move(diagnostic));
        return found;
    }

 private:
    struct Cell {
        TaskAccess written;
        std::vector<TaskAccess> read;  // reads since
    };

    void touch(const TaskAccess& access) {
        const uint64_t begin = access.bytes->begin, end = access.bytes->end;
        if (!access.bytes->writes) cells_.fill(begin, end, {});
        cells_.each(begin, end, [&](uint64_t from, uint64_t to, Cell& cell) {
            compare(cell.written, access, from, to);
            if (access.bytes->writes)
                for (const TaskAccess& read : cell.read) compare(read, access, from, to);
            else if (cell.read.empty() || cell.read.back().task != access.task)
                cell.read.push_back(access);
        });
        if (access.bytes->writes) cells_.assign(begin, end, {access, {}});
    }

    void compare(const TaskAccess& earlier, const TaskAccess& later, uint64_t begin, uint64_t end) {
        if (earlier.task == kNoNumber || earlier.task == later.task) return;
        if (ordered(earlier.task, later.task)) return;
        const SubmittedTask &before = tasks_[earlier.task], &after = tasks_[later.task];
        if (!given(begin) && after.submit_begin >= before.seen) return;
        report(earlier, later, begin, end);
    }

    bool given(uint64_t address) const {
        return std::any_of(run_.given.begin(), run_.given.end(), [address](const auto& tensor) {
            return tensor.first <= address && address < tensor.second;
        });
    }

    // True if a path of dependencies leads from one to the other, which was submitted later.
    bool ordered(uint32_t from, uint32_t to) {
        const auto [at, first] = paths_.try_emplace({from, to}, false);
        if (!first) return at->second;
        std::vector<uint32_t> todo{to};
        std::set<uint32_t> seen;
        while (!todo.empty()) {
            const uint32_t node = todo.back();
            todo.pop_back();
            for (const uint32_t before : before_[node]) {
                if (before == from) return at->second = true;
                if (before > from && seen.insert(before).second) todo.push_back(before);
            }
        }
        return false;
    }

    void report(const TaskAccess& earlier, const TaskAccess& later, uint64_t begin, uint64_t end) {
        const char* const kind = !later.bytes->writes    ? "RAW"
                                 : earlier.bytes->writes ? "WAW"
                                                         : "WAR";
        const auto [at, first] =
            findings_.try_emplace({earlier.part->kernel, later.part->kernel, kind});
        Diagnostic& d = at->second;
        if (!first) {
            ++d.count;
            return;
        }
        d.code = "G05";
        d.category = Category::kRace;
        d.message = std::string(kind) +
                    " race between tasks: " + part_name(tasks_[later.task], *later.part) +
                    (later.bytes->writes ? " writes " : " reads ") + bytes_text(begin, end) +
                    " that " + part_name(tasks_[earlier.task], *earlier.part) +
                    (earlier.bytes->writes ? " writes" : " reads") +
                    ", but no path of dependencies orders them";
        sources_.locate(d, later.bytes->location);
        d.core = ptosim::name(later.part->core);
        d.related.push_back(sources_.related(std::string("first: ") + earlier.part->kernel +
                                                 (earlier.bytes->writes ? " writes" : " reads"),
                                             earlier.bytes->location));
        d.hint = std::string(kind) == "WAR"
                     ? "the runtime does not order a write after a read: name the reading task as a dependency of the "
                       "writing one (PyPTO: deps=[...] at the writer), and keep the tensor an input of the reader"
                     : "submit the tensor as an output or input-output of both tasks, or name the "
                       "dependency explicitly";
    }

    const Run& run_;
    const SourceMap& sources_;
    std::vector<SubmittedTask> tasks_;
    std::vector<std::vector<uint32_t>> before_;  // by task: its dependencies
    RangeMap<Cell> cells_;
    std::map<std::pair<uint32_t, uint32_t>, bool> paths_;
    std::map<std::tuple<std::string, std::string, std::string>, Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> task_races(const Program& program, const Run& run,
                                   const SourceMap& sources) {
    return Races(program, run, sources).find();
}

}  // namespace ptosim::mpmd
