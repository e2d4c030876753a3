#include "sim/mpmd/task_races.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace ptosim::mpmd {
namespace {

constexpr uint32_t kNobody = ~uint32_t{0};

// A task of the runtime, with all its parts.
struct Node {
    uint64_t id = kNoTask;
    std::vector<const Task*> parts;
    std::vector<uint32_t> before;  // tasks that it depends on
    Cycle submitted = 0, seen = 0;
};

struct Access {
    uint32_t node = kNobody;
    const Task* part = nullptr;
    const TouchedBytes* bytes = nullptr;
};

class Races {
 public:
    Races(const Program& program, const Run& run, const SourceMap& sources)
        : run_{run}, sources_{sources} {
        std::map<uint64_t, std::vector<const Task*>> parts;
        std::vector<uint64_t> order;
        for (const Submit& submit : run.submits) order.push_back(submit.task);
        for (size_t i = run.first_task; i < run.tasks_end; ++i) {
            const Task& task = program.tasks[i];
            if (task.id == kNoTask) continue;
            std::vector<const Task*>& own = parts[task.id];
            if (own.empty() && run.submits.empty()) order.push_back(task.id);
            own.push_back(&task);
        }
        for (const uint64_t id : order) {
            if (numbers_.count(id) != 0) continue;
            numbers_[id] = static_cast<uint32_t>(nodes_.size());
            Node& node = nodes_.emplace_back();
            node.id = id;
            node.parts = parts[id];
            for (const Task* part : node.parts)
                node.seen = std::max({node.seen, part->end, part->seen});
        }
        for (const Submit& submit : run.submits)
            nodes_[numbers_[submit.task]].submitted = submit.begin;
        for (const Dependency& d : run.dependencies) {
            const auto before = numbers_.find(d.before), after = numbers_.find(d.after);
            if (before != numbers_.end() && after != numbers_.end())
                nodes_[after->second].before.push_back(before->second);
        }
    }

    std::vector<Diagnostic> find() {
        for (uint32_t i = 0; i < nodes_.size(); ++i)
            for (const bool writes : {false, true})
                for (const Task* part : nodes_[i].parts)
                    for (const TouchedBytes& bytes : part->touched)
                        if (bytes.writes == writes) touch({i, part, &bytes});
        std::vector<Diagnostic> found;
        for (auto& [site, diagnostic] : findings_) found.push_back(std::move(diagnostic));
        return found;
    }

 private:
    struct Cell {
        uint64_t end = 0;
        Access written;
        std::vector<Access> read;  // since
    };

    // A cell begins at this address, if one lies over it.
    void split(uint64_t at) {
        auto next = cells_.lower_bound(at);
        if (next != cells_.end() && next->first == at) return;
        if (next == cells_.begin()) return;
        auto cell = std::prev(next);
        if (cell->second.end <= at) return;
        cells_.emplace_hint(next, at, cell->second);
        cell->second.end = at;
    }

    void touch(const Access& access) {
        const uint64_t begin = access.bytes->begin, end = access.bytes->end;
        split(begin);
        split(end);
        auto cell = cells_.lower_bound(begin);
        if (access.bytes->writes) {
            while (cell != cells_.end() && cell->first < end) {
                compare(cell->second.written, access, cell->first, cell->second.end);
                for (const Access& read : cell->second.read)
                    compare(read, access, cell->first, cell->second.end);
                cell = cells_.erase(cell);
            }
            cells_.emplace_hint(cell, begin, Cell{end, access, {}});
            return;
        }
        for (uint64_t at = begin; at < end; ++cell) {
            if (cell == cells_.end() || cell->first > at) {
                const uint64_t gap = cell == cells_.end() ? end : std::min(end, cell->first);
                cell = cells_.emplace_hint(cell, at, Cell{gap, {}, {}});
            }
            compare(cell->second.written, access, cell->first, cell->second.end);
            if (cell->second.read.empty() || cell->second.read.back().node != access.node)
                cell->second.read.push_back(access);
            at = cell->second.end;
        }
    }

    void compare(const Access& earlier, const Access& later, uint64_t begin, uint64_t end) {
        if (earlier.node == kNobody || earlier.node == later.node) return;
        if (ordered(earlier.node, later.node)) return;
        const Node &before = nodes_[earlier.node], &after = nodes_[later.node];
        if (!given(begin) && after.submitted >= before.seen) return;
        report(earlier, later, begin, end);
    }

    bool given(uint64_t address) const {
        return std::any_of(run_.given.begin(), run_.given.end(), [address](const auto& tensor) {
            return tensor.first <= address && address < tensor.second;
        });
    }

    // Whether a path of dependencies leads from one to the other, which was submitted later.
    bool ordered(uint32_t from, uint32_t to) {
        const auto [at, first] = paths_.try_emplace({from, to}, false);
        if (!first) return at->second;
        std::vector<uint32_t> todo{to};
        std::set<uint32_t> seen;
        while (!todo.empty()) {
            const uint32_t node = todo.back();
            todo.pop_back();
            for (const uint32_t before : nodes_[node].before) {
                if (before == from) return at->second = true;
                if (before > from && seen.insert(before).second) todo.push_back(before);
            }
        }
        return false;
    }

    void report(const Access& earlier, const Access& later, uint64_t begin, uint64_t end) {
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
        char bytes[64];
        std::snprintf(bytes, sizeof bytes, "%llu bytes at 0x%llx",
                      static_cast<unsigned long long>(end - begin),
                      static_cast<unsigned long long>(begin));
        d.code = "G05";
        d.category = Category::kRace;
        d.message = std::string(kind) + " race between tasks: " + later.part->kernel + " (" +
                    task_name(nodes_[later.node].id) + ", " + ptosim::name(later.part->core) +
                    ") " + (later.bytes->writes ? "writes" : "reads") + " " + bytes + " that " +
                    earlier.part->kernel + " (" + task_name(nodes_[earlier.node].id) + ", " +
                    ptosim::name(earlier.part->core) + ") " +
                    (earlier.bytes->writes ? "writes" : "reads") +
                    ", and no path of dependencies orders them";
        sources_.locate(d, later.bytes->location);
        d.core = ptosim::name(later.part->core);
        d.related.push_back(sources_.related(std::string("first: ") + earlier.part->kernel +
                                                 (earlier.bytes->writes ? " writes" : " reads"),
                                             earlier.bytes->location));
        d.hint =
            "submit the tensor as an output or input-output of both tasks, or name the "
            "dependency explicitly";
    }

    const Run& run_;
    const SourceMap& sources_;
    std::map<uint64_t, uint32_t> numbers_;
    std::vector<Node> nodes_;  // in the order of their submits
    std::map<uint64_t, Cell> cells_;
    std::map<std::pair<uint32_t, uint32_t>, bool> paths_;
    std::map<std::tuple<std::string, std::string, std::string>, Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> task_races(const Program& program, const Run& run,
                                   const SourceMap& sources) {
    return Races(program, run, sources).find();
}

}  // namespace ptosim::mpmd
