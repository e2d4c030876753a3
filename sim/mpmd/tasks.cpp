#include "sim/mpmd/tasks.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace ptosim::mpmd {
namespace {

constexpr int kProcessors = 1, kCores = 2;  // pid of their lanes

// "12.345", of cycles.
std::string microseconds(Cycle cycles, uint64_t clock_hz) {
    const uint64_t time = nanoseconds(cycles, clock_hz);
    char text[32];
    std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(time / 1000),
                  static_cast<unsigned long long>(time % 1000));
    return text;
}

// AIC n before the AIVs of its cluster.
int lane_of(CoreId core) {
    return core.type == CoreType::kAIC ? core.index * 3 : core.index / 2 * 3 + 1 + core.index % 2;
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

class Writer {
 public:
    explicit Writer(uint64_t clock_hz) : clock_hz_{clock_hz} {}

    void name(const char* what, int process, int lane, const std::string& name) {
        add("{\"ph\": \"M\", \"name\": \"" + std::string(what) +
            "\", \"pid\": " + std::to_string(process) + ", \"tid\": " + std::to_string(lane) +
            ", \"args\": {\"name\": " + quoted(name) + "}}");
    }
    void slice(int process, int lane, const std::string& name, Cycle begin, Cycle end,
               const std::string& facts) {
        add("{\"ph\": \"X\", \"name\": " + quoted(name) + ", \"pid\": " + std::to_string(process) +
            ", \"tid\": " + std::to_string(lane) + ", \"ts\": " + microseconds(begin, clock_hz_) +
            ", \"dur\": " + microseconds(end - begin, clock_hz_) + ", \"args\": {" + facts + "}}");
    }
    std::string text() const {
        return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + events_ + "\n]}\n";
    }

 private:
    void add(const std::string& event) {
        if (!events_.empty()) events_ += ",\n";
        events_ += event;
    }

    uint64_t clock_hz_;
    std::string events_;
};

std::string fact(const char* name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
}

}  // namespace

// In two steps: a product of all cycles would overflow after ten seconds.
uint64_t nanoseconds(Cycle cycles, uint64_t clock_hz) {
    constexpr uint64_t kSecond = 1'000'000'000;
    return cycles / clock_hz * kSecond + cycles % clock_hz * kSecond / clock_hz;
}

std::string program_trace(const Program& program, uint64_t clock_hz) {
    Writer writer(clock_hz);
    writer.name("process_name", kProcessors, 0, "AICPU");
    writer.name("process_name", kCores, 0, "cores");
    std::map<int, std::string> lanes;
    for (const Task& task : program.tasks) lanes[lane_of(task.core)] = ptosim::name(task.core);
    for (const auto& [lane, name] : lanes) writer.name("thread_name", kCores, lane, name);
    std::map<unsigned, bool> processors;
    for (const Work& work : program.work) processors[work.processor] = true;
    for (const auto& [processor, works] : processors)
        writer.name("thread_name", kProcessors, static_cast<int>(processor),
                    "processor " + std::to_string(processor));
    for (const Work& work : program.work)
        writer.slice(kProcessors, static_cast<int>(work.processor), "run", work.begin, work.end,
                     fact("blocks", work.blocks) + ", " + fact("register_loads", work.loads) +
                         ", " + fact("register_stores", work.stores) + ", " +
                         fact("spins", work.spins));
    for (const Task& task : program.tasks)
        writer.slice(kCores, lane_of(task.core), task.kernel, task.begin, task.end,
                     fact("cycles", task.end - task.begin));
    return writer.text();
}

std::string program_text(const Program& program, uint64_t clock_hz) {
    struct Sum {
        uint64_t count = 0;
        Cycle total = 0, least = ~Cycle{0}, most = 0;
    };
    std::map<std::string, Sum> kernels;
    for (const Task& task : program.tasks) {
        Sum& sum = kernels[task.kernel];
        const Cycle cycles = task.end - task.begin;
        ++sum.count;
        sum.total += cycles;
        sum.least = std::min(sum.least, cycles);
        sum.most = std::max(sum.most, cycles);
    }
    if (kernels.empty()) return {};
    size_t width = 6;
    for (const auto& [name, sum] : kernels) width = std::max(width, name.size());
    const auto column = [](std::string text, size_t size) {
        return std::string(text.size() < size ? size - text.size() : 0, ' ') + text;
    };
    std::string text = "kernel" + std::string(width - 6, ' ') +
                       "    tasks      mean us  shortest us   longest us\n";
    for (const auto& [name, sum] : kernels)
        text += name + std::string(width - name.size(), ' ') +
                column(std::to_string(sum.count), 9) +
                column(microseconds(sum.total / sum.count, clock_hz), 13) +
                column(microseconds(sum.least, clock_hz), 13) +
                column(microseconds(sum.most, clock_hz), 13) + "\n";
    return text;
}

}  // namespace ptosim::mpmd
