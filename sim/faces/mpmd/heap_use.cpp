#include "sim/faces/mpmd/heap_use.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/faces/mpmd/range_map.h"
#include "sim/faces/mpmd/task_order.h"

namespace ptosim::mpmd {
namespace {

class HeapUse {
 public:
    HeapUse(const Program& program, const Run& run, const SourceMap& sources)
        : run_{run}, sources_{sources}, tasks_{in_order(program, run)} {
        const std::map<uint64_t, uint32_t> numbers = numbers_of(tasks_);
        made_.resize(tasks_.size());
        used_.resize(tasks_.size());
        for (const TensorUse& use : run.uses) {
            const auto maker = numbers.find(use.maker), user = numbers.find(use.user);
            if (maker == numbers.end() || user == numbers.end()) continue;
            made_[maker->second].push_back({use.begin, use.end, kNoNumber});
            used_[user->second].push_back({use.begin, use.end, maker->second});
        }
    }

    std::vector<Diagnostic> find() {
        size_t stores = 0;  // of processors, seen so far
        for (uint32_t i = 0; i < tasks_.size(); ++i) {
            for (; stores < run_.stores.size() && run_.stores[stores].time <= tasks_[i].submit_end;
                 ++stores)
                cells_.each(run_.stores[stores].begin, run_.stores[stores].end,
                            [](uint64_t, uint64_t, Cell& cell) { cell.written = true; });
            for (const Tensor& tensor : made_[i]) allocate(i, tensor);
            for (const bool writes : {true, false})
                each_access(tasks_, i, writes, [&](const TaskAccess& access) { touch(access); });
        }
        std::vector<Diagnostic> found;
        for (auto& [site, diagnostic] : findings_) found.push_back(std::move(diagnostic));
        return found;
    }

 private:
    struct Tensor {
        uint64_t begin = 0, end = 0;
        uint32_t maker = kNoNumber;
    };
    struct Cell {
        uint32_t owner = kNoNumber;    // the task for which it was allocated
        bool written = false;          // since its allocation
        std::vector<TaskAccess> used;  // since its allocation
    };

    void allocate(uint32_t owner, const Tensor& tensor) {
        const SubmittedTask& task = tasks_[owner];
        cells_.each(tensor.begin, tensor.end, [&](uint64_t begin, uint64_t end, Cell& cell) {
            if (cell.owner == owner || task.submit_end == 0) return;
            for (const TaskAccess& access : cell.used)
                if (access.part->end > task.submit_end)
                    report("G08", access, begin, end,
                           ", and while it runs the runtime gives them to " + task_text(task));
        });
        cells_.assign(tensor.begin, tensor.end, {owner, false, {}});
    }

    void touch(const TaskAccess& access) {
        cells_.each(
            access.bytes->begin, access.bytes->end,
            [&](uint64_t begin, uint64_t end, Cell& cell) { use(access, begin, end, cell); });
    }

    void use(const TaskAccess& access, uint64_t begin, uint64_t end, Cell& cell) {
        const uint32_t maker = maker_of(access.task, begin);
        if (maker != kNoNumber && maker < cell.owner && cell.owner != access.task) {
            report("G08", access, begin, end,
                   " as those of " + task_text(tasks_[maker]) +
                       ", which the runtime has freed and "
                       "given to " +
                       task_text(tasks_[cell.owner]));
            return;
        }
        if (access.bytes->writes)
            cell.written = true;
        else if (!cell.written)
            report("G06", access, begin, end,
                   " that have not been written since they were allocated for " +
                       task_text(tasks_[cell.owner]));
        if (cell.used.empty() || cell.used.back().part != access.part) cell.used.push_back(access);
    }

    // The maker of the tensor that was passed to the task at this address.
    uint32_t maker_of(uint32_t task, uint64_t address) const {
        const auto& tensors = used_[task];
        const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
            return tensor.begin <= address && address < tensor.end;
        });
        return found == tensors.end() ? kNoNumber : found->maker;
    }

    void report(const char* code, const TaskAccess& access, uint64_t begin, uint64_t end,
                const std::string& what) {
        const SourceLocation at = access.bytes->location;
        const auto [found, first] =
            findings_.try_emplace({code, access.part->kernel, at.file, at.line});
        Diagnostic& d = found->second;
        if (!first) {
            ++d.count;
            return;
        }
        const bool unwritten = std::string(code) == "G06";
        d.code = code;
        d.category = unwritten ? Category::kUndefined : Category::kRace;
        d.message = part_name(tasks_[access.task], *access.part) +
                    (access.bytes->writes ? " writes " : " reads ") + bytes_text(begin, end) + what;
        sources_.locate(d, at);
        d.core = ptosim::name(access.part->core);
        d.hint = unwritten
                     ? "write the whole tensor before it is read, or submit it with the shape "
                       "that is written"
                     : "use a tensor inside the scope in which it was made, and submit it to "
                       "each task that touches it";
    }

    const Run& run_;
    const SourceMap& sources_;
    std::vector<SubmittedTask> tasks_;
    std::vector<std::vector<Tensor>> made_, used_;  // by task
    RangeMap<Cell> cells_;
    std::map<std::tuple<std::string, std::string, uint32_t, uint32_t>, Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> heap_misuse(const Program& program, const Run& run,
                                    const SourceMap& sources) {
    return HeapUse(program, run, sources).find();
}

}  // namespace ptosim::mpmd
