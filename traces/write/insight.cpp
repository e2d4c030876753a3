#include "traces/write/insight.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <tuple>

#include "isa/table/instruction_table.h"
#include "sim/files/json.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/lane_slices.h"
#include "traces/analyse/series.h"
#include "traces/record/core_index.h"
#include "traces/write/json_text.h"

namespace ptosim {

namespace {

using Path = std::filesystem::path;

// A time for the names of tables: the same files from run to run.
constexpr std::string_view kTimestamp = "20000101000000000";
constexpr uint64_t kFirstAddress = 0x10000000;  // kernels have no machine code here
constexpr unsigned kInstructionBytes = 4;

struct LaneName {
    std::string_view lane;
    std::string_view color;
    unsigned order;
};
constexpr std::array<LaneName, kPipeCount> kLanes = [] {
    std::array<LaneName, kPipeCount> lanes{};
    lanes[static_cast<size_t>(Pipe::kS)] = {"SCALAR", "startup", 1};
    lanes[static_cast<size_t>(Pipe::kMTE1)] = {"MTE1", "thread_state_running", 3};
    lanes[static_cast<size_t>(Pipe::kM)] = {"CUBE", "background_memory_dump", 4};
    lanes[static_cast<size_t>(Pipe::kFIX)] = {"FIXP", "thread_state_unknown", 5};
    lanes[static_cast<size_t>(Pipe::kMTE2)] = {"MTE2", "thread_state_iowait", 6};
    lanes[static_cast<size_t>(Pipe::kV)] = {"VECTOR", "cq_build_failed", 7};
    lanes[static_cast<size_t>(Pipe::kMTE3)] = {"MTE3", "rail_response", 8};
    return lanes;
}();
const LaneName& lane_of(Pipe pipe) { return kLanes[static_cast<size_t>(lane_pipe(pipe))]; }

std::string core_text(CoreId core) {
    if (core.type == CoreType::kAIC) return "core" + std::to_string(core.index) + ".cubecore0";
    return "core" + std::to_string(core.index / 2) + ".veccore" + std::to_string(core.index % 2);
}

// Instructions that tools look for by name; all others are called as in the kernel.
std::string_view instruction_name(Opcode opcode) {
    if (opcode == Opcode::kPIPE_BARRIER) return "BAR";
    if (opcode == Opcode::kINTRA_SET) return "SET_INTRA_BLOCK";
    if (opcode == Opcode::kINTRA_WAIT) return "WAIT_INTRA_BLOCK";
    return info(opcode).timing == TimingClass::kCube ? "MMAD" : info(opcode).name;
}

// An instruction of the text, and its cost on each core.
struct Statement {
    Opcode opcode{};
    Pipe pipe = Pipe::kS;
    std::string code, detail;
    uint64_t address = 0;
    struct OnCore {
        uint64_t calls = 0;
        Cycle cycles = 0;
        uint64_t bytes = 0;
    };
    std::map<uint16_t, OnCore> cores;
};

using StatementKey = std::tuple<uint16_t, uint32_t, uint16_t, Opcode, Pipe>;
StatementKey key_of(SourceLocation at, Opcode opcode, Pipe pipe) {
    return {at.file, at.line, at.column, opcode, pipe};
}

// An event of a lane: an instruction with the time for which it waited first.
struct Happening {
    Cycle begin = 0;  // of its waiting
    Cycle start = 0;
    Cycle end = 0;
    Pipe pipe = Pipe::kS;
    Statement* statement = nullptr;  // null: the scalar unit by itself
    uint64_t bytes = 0;
    bool sync = false;
    bool completed = true;
};

std::string flag_detail(Pipe source, Pipe destination, unsigned id) {
    return "PIPE:" + std::string(lane_of(source).lane) +
           ",TRIGGERPIPE:" + std::string(lane_of(destination).lane) +
           ",FLAGID:" + std::to_string(id) + ",";
}

std::string detail_of(const Recording& recording, const InstructionRecord& record) {
    const OperandSet& set = recording.operands_of(record);
    if (record.opcode == Opcode::kSET_FLAG || record.opcode == Opcode::kWAIT_FLAG)
        return flag_detail(static_cast<Pipe>(set.items[0].memory),
                           static_cast<Pipe>(set.items[1].memory), set.items[0].dtype);
    if (record.opcode == Opcode::kINTRA_SET || record.opcode == Opcode::kINTRA_WAIT)
        return "PIPE:" + std::string(lane_of(record.pipe).lane) +
               ",sync_id:" + std::to_string(set.items[0].dtype);
    const std::string operands = located_operands_text(recording, record);
    return issued_name(recording, record) + (operands.empty() ? "" : " " + operands);
}

class Insight {
 public:
    Insight(const Recording& recording, Path folder)
        : r_{recording},
          folder_{std::move(folder)},
          order_{lane_order(recording.cores)},
          lanes_{lane_slices(recording)} {
        find_statements();
    }

    std::vector<Path> write() {
        make_output_folder(folder_);
        for (uint16_t core : order_) {
            happenings_ = happenings_of(core);
            count(core);
            write_core(core);
        }
        write_summary();
        write_bin();
        return std::move(written_);
    }

 private:
    uint64_t time(Cycle cycle) const { return picoseconds(cycle, r_.clock_hz()); }
    std::string micros(Cycle cycle) const { return micros_text(time(cycle)); }

    // Numbers the instructions of the kernel's text, in its order.
    void find_statements() {
        for (const InstructionRecord& i : r_.instructions) {
            const auto [entry, added] =
                statements_.try_emplace(key_of(i.location, i.opcode, i.pipe));
            Statement& s = entry->second;
            if (!added) continue;
            s.opcode = i.opcode;
            s.pipe = i.pipe;
            s.code = r_.sources.text(i.location);
            s.detail = detail_of(r_, i);
        }
        uint64_t address = kFirstAddress;
        for (auto& [key, statement] : statements_) {
            statement.address = address;
            address += kInstructionBytes;
        }
    }
    std::string address_text(const Statement& s) const {
        char text[24];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(s.address));
        return text;
    }

    Happening happening(const InstructionRecord& i, const Slice& s) {
        Statement& statement = statements_.at(key_of(i.location, i.opcode, i.pipe));
        return {s.begin,
                s.begin,
                s.end,
                i.pipe,
                &statement,
                moved_bytes(r_, i),
                i.has(InstructionRecord::kSync),
                i.has(InstructionRecord::kCompleted)};
    }

    std::vector<Happening> happenings_of(uint16_t core) {
        std::vector<Happening> result;
        for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
            const Slice* waited = nullptr;  // by the next instruction
            for (const Slice& s : lanes_[core][pipe]) {
                if (s.activity == Activity::kWait) {
                    const WaitRecord& wait = r_.waits[s.index];
                    if (wait.open) add_open_wait(wait, s, result);
                    waited = &s;
                    continue;
                }
                Happening h{s.begin, s.begin, s.end, static_cast<Pipe>(pipe),
                            nullptr, 0,       false, true};
                if (s.activity != Activity::kRun) {
                    const InstructionRecord& i = r_.instructions[s.index];
                    h = happening(i, s);
                    if (h.sync && waited != nullptr &&
                        r_.waits[waited->index].sequence == i.sequence)
                        h.begin = waited->begin;
                    waited = nullptr;
                }
                result.push_back(h);
            }
        }
        std::stable_sort(result.begin(), result.end(), [](const Happening& a, const Happening& b) {
            return std::tie(a.end, a.begin) < std::tie(b.end, b.begin);
        });
        return result;
    }
    void count(uint16_t core) {
        for (const Happening& h : happenings_) {
            if (h.statement == nullptr) continue;
            Statement::OnCore& on = h.statement->cores[core];
            on.calls += h.completed;
            on.cycles += h.end - h.begin;
            on.bytes += h.bytes;
        }
    }
    // A wait that nothing released: its instruction never started.
    void add_open_wait(const WaitRecord& wait, const Slice& s, std::vector<Happening>& to) {
        if (wait.cause.reason != BlockReason::kFlag) return;
        const auto found =
            statements_.find(key_of(wait.cause.waiter, wait.cause.opcode, wait.pipe));
        if (found != statements_.end())
            to.push_back({s.begin, s.end, s.end, wait.pipe, &found->second, 0, true, false});
    }

    std::string args(const Happening& h) const {
        if (h.statement == nullptr) return R"({"pc_addr":"","code":"","detail":""})";
        std::string text = "{\"pc_addr\":\"" + address_text(*h.statement) +
                           "\",\"code\":" + json_quoted(h.statement->code) +
                           ",\"detail\":" + json_quoted(h.statement->detail);
        if (h.bytes > 0) text += ",\"process_bytes\":\"" + std::to_string(h.bytes) + '"';
        return text + '}';
    }
    static std::string_view name_of(const Happening& h) {
        return h.statement == nullptr ? "SCALAR" : instruction_name(h.statement->opcode);
    }
    // Barriers and sets are drawn as the last cycle before they take effect.
    static Cycle drawn_from(const Happening& h) {
        const bool last = h.statement != nullptr && (h.statement->opcode == Opcode::kPIPE_BARRIER ||
                                                     h.statement->opcode == Opcode::kSET_FLAG);
        return last ? h.end - std::min<Cycle>(h.end, 1) : h.begin;
    }
    std::string event(std::string_view name, std::string_view color, const char* phase, Cycle at,
                      const std::string& where, const std::string& rest) const {
        return "{\"name\":\"" + std::string(name) + "\",\"cname\":\"" + std::string(color) +
               "\",\"ph\":\"" + phase + "\",\"ts\":" + micros(at) + "," + where + rest + "}";
    }
    std::string complete(const Happening& h, const std::string& where) const {
        const Cycle from = drawn_from(h);
        return event(name_of(h), lane_of(h.pipe).color, "X", from, where,
                     ",\"dur\":" + micros_text(time(h.end) - time(from)) + ",\"args\":" + args(h));
    }
    static bool is_flag(const Happening& h) {
        return h.statement != nullptr && (h.statement->opcode == Opcode::kSET_FLAG ||
                                          h.statement->opcode == Opcode::kWAIT_FLAG);
    }

    // The k-th set of a flag goes with its k-th wait.
    struct Pair {
        const Happening* set = nullptr;
        const Happening* wait = nullptr;
    };
    std::vector<Pair> pairs() const {
        std::map<std::string,
                 std::pair<std::vector<const Happening*>, std::vector<const Happening*>>>
            flags;
        for (const Happening& h : happenings_)
            if (is_flag(h)) {
                auto& [sets, waits] = flags[h.statement->detail];
                (h.statement->opcode == Opcode::kSET_FLAG ? sets : waits).push_back(&h);
            }
        std::vector<Pair> result;
        for (const auto& [detail, flag] : flags)
            for (size_t k = 0; k < std::max(flag.first.size(), flag.second.size()); ++k)
                result.push_back({k < flag.first.size() ? flag.first[k] : nullptr,
                                  k < flag.second.size() ? flag.second[k] : nullptr});
        return result;
    }
    static std::string category(const Pair& pair) {
        return std::string(lane_of(pair.set->pipe).lane) + "To" +
               std::string(lane_of(pair.wait->pipe).lane);
    }
    std::string flow(const char* phase, Cycle at, const std::string& id, const std::string& where,
                     const std::string& category) const {
        return "{\"name\":\"flow\",\"id\":\"" + id + "\",\"ph\":\"" + phase +
               "\",\"ts\":" + micros(at) + "," + where + ",\"cat\":\"" + category + "\"}";
    }

    // One file of events: separators, head and tail.
    class Events {
     public:
        Events(const Path& path, unsigned schema) : file_{path} {
            file_.write("{\"schemaVersion\":" + std::to_string(schema) +
                        ",\"displayTimeUnit\":\"ns\",\"profilingType\":\"op\",\"traceEvents\":[");
        }
        void add(const std::string& event) {
            file_.write(first_ ? "\n" : ",\n");
            first_ = false;
            file_.write(event);
        }
        void end() {
            file_.write("\n]}\n");
            file_.commit();
        }

     private:
        OutputFile file_;
        bool first_ = true;
    };

    void write_core(uint16_t core) {
        const std::string name = core_text(r_.cores[core]);
        make_output_folder(folder_ / name);
        core_trace(folder_ / name / "trace.json");
        instruction_table(
            core, folder_ / name / (name + "_instr_exe_" + std::string(kTimestamp) + ".csv"));
        code_table(core, folder_ / name / (name + "_code_exe_" + std::string(kTimestamp) + ".csv"));
    }

    // A file of one core: its pipes are processes.
    void core_trace(const Path& path) {
        written_.push_back(path);
        Events events(path, 1);
        for (const LaneName& lane : kLanes) {
            const std::string pid = std::to_string(lane.order);
            events.add("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" + pid +
                       ",\"tid\":0,\"args\":{\"name\":\"" + std::string(lane.lane) + "\"}}");
            events.add("{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":" + pid +
                       ",\"tid\":0,\"args\":{\"sort_index\":" + pid + "}}");
        }
        const auto where = [](Pipe pipe) {
            return "\"pid\":" + std::to_string(lane_of(pipe).order) + ",\"tid\":1";
        };
        for (const Happening& h : happenings_) events.add(complete(h, where(h.pipe)));
        size_t id = 0;
        for (const Pair& pair : pairs()) {
            if (pair.set == nullptr || pair.wait == nullptr) continue;
            const std::string number = std::to_string(id++);
            events.add(flow("s", pair.set->end, number, where(pair.set->pipe), category(pair)));
            events.add(flow("t", pair.wait->end, number, where(pair.wait->pipe), category(pair)));
        }
        events.end();
    }

    // Lanes are texts in the file of all cores, and flags are pairs of begin and end.
    void summary_events(const std::string& core, Events& events) const {
        const auto where = [&core](Pipe pipe) {
            return "\"pid\":\"" + core + "\",\"tid\":\"" + std::string(lane_of(pipe).lane) + '"';
        };
        for (const LaneName& lane : kLanes)
            events.add("{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":\"" + core +
                       "\",\"tid\":\"" + std::string(lane.lane) +
                       "\",\"args\":{\"sort_index\":" + std::to_string(lane.order) + "}}");
        for (const Happening& h : happenings_)
            if (!is_flag(h)) events.add(complete(h, where(h.pipe)));
        size_t number = 0;
        const auto flag = [&](const Happening& h, const std::string& id) {
            const std::string_view name = name_of(h);
            const std::string_view color = name == "SET_FLAG" ? "black" : "yellow";
            const std::string rest = ",\"id\":\"" + id + '"';
            events.add(event(name, color, "B", drawn_from(h), where(h.pipe),
                             ",\"dur\":0,\"args\":" + args(h) + rest));
            events.add(
                event(name, color, "E", h.end, where(h.pipe), ",\"dur\":0,\"args\":{}" + rest));
        };
        for (const Pair& pair : pairs()) {
            const std::string id = core + "_" + std::to_string(number++);
            if (pair.set != nullptr) flag(*pair.set, id);
            if (pair.wait != nullptr) flag(*pair.wait, id);
            if (pair.set == nullptr || pair.wait == nullptr) continue;
            events.add(flow("s", pair.set->end, id, where(pair.set->pipe), category(pair)));
            events.add(flow("t", pair.wait->end, id, where(pair.wait->pipe), category(pair)));
        }
    }

    static std::string csv_text(const std::string& text) {
        if (text.find_first_of(",\"\n") == std::string::npos) return text;
        return csv_quoted(text);
    }
    static std::string csv_quoted(const std::string& text) {
        std::string result = "\"";
        for (char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
        return result + '"';
    }
    template <class Row>
    void table(const Path& path, const char* head, std::vector<std::pair<Cycle, Row>> rows) {
        written_.push_back(path);
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        OutputFile file(path);
        file.write(std::string(head) + "\n");
        for (const auto& [cycles, row] : rows) file.write(row + "\n");
        file.commit();
    }
    void instruction_table(uint16_t core, const Path& path) {
        std::vector<std::pair<Cycle, std::string>> rows;
        for (const auto& [key, s] : statements_) {
            const auto on = s.cores.find(core);
            if (on == s.cores.end()) continue;
            rows.emplace_back(on->second.cycles,
                              std::string(instruction_name(s.opcode)) + "," + address_text(s) +
                                  "," + std::string(lane_of(s.pipe).lane) + "," +
                                  std::to_string(on->second.calls) + "," +
                                  std::to_string(on->second.cycles) + "," +
                                  micros(on->second.cycles) + "," + csv_quoted(s.detail));
        }
        table(path, "instr,addr,pipe,call_count,cycles,running_time(us),detail", std::move(rows));
    }
    // Instructions of each line, added up over one core.
    std::map<std::pair<uint16_t, uint32_t>, std::vector<const Statement*>> lines() const {
        std::map<std::pair<uint16_t, uint32_t>, std::vector<const Statement*>> result;
        for (const auto& [key, s] : statements_)
            if (std::get<1>(key) != 0) result[{std::get<0>(key), std::get<1>(key)}].push_back(&s);
        return result;
    }
    static Statement::OnCore sum(const std::vector<const Statement*>& list, uint16_t core) {
        Statement::OnCore total;
        for (const Statement* s : list)
            if (const auto on = s->cores.find(core); on != s->cores.end()) {
                total.calls += on->second.calls;
                total.cycles += on->second.cycles;
                total.bytes += on->second.bytes;
            }
        return total;
    }
    void code_table(uint16_t core, const Path& path) {
        std::vector<std::pair<Cycle, std::string>> rows;
        for (const auto& [line, list] : lines()) {
            const Statement::OnCore total = sum(list, core);
            if (total.calls == 0) continue;
            rows.emplace_back(total.cycles,
                              csv_text(list.front()->code) + "," + std::to_string(total.calls) +
                                  "," + std::to_string(total.cycles) + "," + micros(total.cycles));
        }
        table(path, "code,call_count,cycles,running_time(us)", std::move(rows));
    }

    void write_summary() {
        const Path path = folder_ / "trace.json";
        written_.push_back(path);
        Events events(path, 2);
        for (uint16_t core : order_) {
            const CoreId id = r_.cores[core];
            events.add("{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":\"" + core_text(id) +
                       "\",\"tid\":\"NA\",\"args\":{\"sort_index\":" +
                       std::to_string(lane_key(id) + 1) + "}}");
        }
        for (uint16_t core : order_) {
            happenings_ = happenings_of(core);
            summary_events(core_text(r_.cores[core]), events);
        }
        throughput(events);
        events.end();
    }
    // Megabytes per second between global memory and the cores.
    void throughput(Events& events) const {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPaths{
            {{"GM->UB", "GM_TO_UB"},
             {"GM->L1", "GM_TO_L1"},
             {"UB->GM", "UB_TO_GM"},
             {"L1->GM", "L1_TO_GM"}}};
        std::map<std::string, std::map<Cycle, int64_t>> changes;
        for (const Series& s : bandwidth_series(r_)) {
            std::vector<std::string> names;
            for (const auto& [path, name] : kPaths)
                if (s.name == path) names.emplace_back(name);
            if (s.name.starts_with("GM->")) names.emplace_back("GM_TO_TOTAL");
            if (s.name.ends_with("->GM")) names.emplace_back("TOTAL_TO_GM");
            int64_t before = 0;
            for (const auto& [at, value] : s.points) {
                for (const std::string& name : names)
                    changes[name][at] += static_cast<int64_t>(value) - before;
                before = static_cast<int64_t>(value);
            }
        }
        for (const auto& [name, list] : changes) {
            int64_t value = 0;
            for (const auto& [at, change] : list) {
                value += change;
                events.add("{\"pid\":\"MTE Throughput\",\"tid\":0,\"name\":\"" + name +
                           "\",\"ph\":\"C\",\"ts\":" + micros(at) +
                           ",\"args\":{\"throughput(MB/s)\":" + std::to_string(value) + "}}");
            }
        }
    }

    Json core_names() const {
        Json names = Json::array();
        for (uint16_t core : order_) names.push_back(core_text(r_.cores[core]));
        return names;
    }
    // One value per core, in their order; -1: not known.
    template <class Value>
    Json per_core(Value&& value) const {
        Json list = Json::array();
        for (uint16_t core : order_) list.push_back(value(core));
        return list;
    }
    Json not_known() const {
        return per_core([](uint16_t) { return -1; });
    }
    Json instructions_json() const {
        Json json;
        json["Cores"] = core_names();
        json["Instructions Dtype"]["Instructions"] = {{"Address", 3},
                                                      {"AscendC Inner Code", 3},
                                                      {"Cycles", 1},
                                                      {"Instructions Executed", 1},
                                                      {"Pipe", 3},
                                                      {"Source", 3},
                                                      {"GPR Count", 1},
                                                      {"Process Bytes", 1},
                                                      {"Vector Utilization Percentage", 4},
                                                      {"UB Read Conflict", 1},
                                                      {"UB Write Conflict", 1}};
        Json& list = json["Instructions"] = Json::array();
        for (const auto& [key, s] : statements_) {
            const auto on = [&s = s](uint16_t core) {
                const auto found = s.cores.find(core);
                return found == s.cores.end() ? Statement::OnCore{} : found->second;
            };
            list.push_back(
                {{"Address", address_text(s)},
                 {"AscendC Inner Code", s.code},
                 {"Cycles", per_core([&](uint16_t c) { return on(c).cycles; })},
                 {"Instructions Executed", per_core([&](uint16_t c) { return on(c).calls; })},
                 {"Pipe", lane_of(s.pipe).lane},
                 {"Source", std::string(instruction_name(s.opcode)) + " " + s.detail},
                 {"GPR Count", not_known()},
                 {"Process Bytes", per_core([&](uint16_t c) {
                      return on(c).bytes > 0 ? static_cast<int64_t>(on(c).bytes) : -1;
                  })},
                 {"Vector Utilization Percentage", not_known()},
                 {"UB Read Conflict", not_known()},
                 {"UB Write Conflict", not_known()}});
        }
        return json;
    }
    Json files_json() const {
        Json json;
        json["Cores"] = core_names();
        json["Files Dtype"]["Lines"] = {
            {"Line", 1},          {"Cycles", 1},    {"Instructions Executed", 1},
            {"Address Range", 3}, {"GPR Count", 1}, {"Process Bytes", 1}};
        std::map<uint16_t, Json> files;
        for (const auto& entry : lines()) {
            const auto& line = entry.first;
            const auto& list = entry.second;
            Json ranges = Json::array();
            for (const Statement* s : list)
                ranges.push_back(Json::array({address_text(*s), address_text(*s)}));
            files[line.first].push_back(
                {{"Line", line.second},
                 {"Cycles", per_core([&](uint16_t c) { return sum(list, c).cycles; })},
                 {"Instructions Executed",
                  per_core([&](uint16_t c) { return sum(list, c).calls; })},
                 {"Address Range", std::move(ranges)},
                 {"GPR Count", not_known()},
                 {"Process Bytes", per_core([&](uint16_t c) {
                      const uint64_t bytes = sum(list, c).bytes;
                      return bytes > 0 ? static_cast<int64_t>(bytes) : -1;
                  })}});
        }
        json["Files"] = Json::array();
        for (auto& [file, file_lines] : files)
            json["Files"].push_back(
                {{"Source", r_.sources.file(file).name}, {"Lines", std::move(file_lines)}});
        return json;
    }

    enum BlockType : uint8_t { kTrace = 2, kFiles = 3, kInstructions = 4 };
    // The size of the payload with its padding, the type, the padding, the version, a mark.
    static std::string block_head(uint64_t bytes, BlockType type) {
        const auto padding = static_cast<uint8_t>((4 - bytes % 4) % 4);
        std::string head;
        for (unsigned i = 0; i < 8; ++i)
            head += static_cast<char>((bytes + padding) >> (8 * i) & 0xFF);
        head += static_cast<char>(type);
        head += static_cast<char>(padding);
        head += type == kInstructions ? '\0' : '\x5A';
        return head + '\x5A';
    }
    static std::string padding(uint64_t bytes) { return std::string((4 - bytes % 4) % 4, '\0'); }
    static void text_block(OutputFile& file, BlockType type, const Json& json) {
        const std::string text = dump_json(json);
        file.write(block_head(text.size(), type));
        file.write(text);
        file.write(padding(text.size()));
    }
    void write_bin() {
        const Path path = folder_ / "visualize_data.bin";
        written_.push_back(path);
        OutputFile file(path);
        text_block(file, kFiles, files_json());
        text_block(file, kInstructions, instructions_json());
        const uint64_t bytes = std::filesystem::file_size(folder_ / "trace.json");
        file.write(block_head(bytes, kTrace));
        std::ifstream trace(folder_ / "trace.json", std::ios::binary);
        std::string part(size_t{1} << 16, '\0');
        while (trace.read(part.data(), static_cast<std::streamsize>(part.size())) ||
               trace.gcount() > 0)
            file.write(std::string_view(part.data(), static_cast<size_t>(trace.gcount())));
        file.write(padding(bytes));
        file.commit();
    }

    const Recording& r_;
    const Path folder_;
    const std::vector<uint16_t> order_;
    std::vector<CoreLanes> lanes_;
    std::map<StatementKey, Statement> statements_;
    std::vector<Happening> happenings_;  // of the core that is being written
    std::vector<Path> written_;
};

}  // namespace

std::vector<Path> write_insight(const Recording& recording, const Path& folder) {
    return Insight(recording, folder).write();
}

}  // namespace ptosim
