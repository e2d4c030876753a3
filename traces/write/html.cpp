#include "traces/write/html.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "sim/files/json.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/lane_slices.h"
#include "traces/analyse/series.h"
#include "traces/record/core_index.h"
#include "traces/write/file_end.h"
#include "traces/write/packed_columns.h"
#include "traces/write/page_data.h"
#include "traces/write/report.h"
#include "traces/write/viewer_assets.h"

namespace ptosim {

namespace {

// Same values as in traces/viewer/src/data.ts.
enum Kind : unsigned { kWork = 0, kWait = 1, kSync = 2, kScalar = 3 };

// Distinct texts of slices, numbered; of two runs, the texts of the earlier one start with `mark`.
class Whats {
 public:
    explicit Whats(Json& list) : list_{list} {}
    // The following texts belong to this run. "A " marks the lines of the earlier one.
    void begin(const Recording& recording, std::string mark) {
        recording_ = &recording;
        mark_ = std::move(mark);
        entries_.clear();
        causes_.clear();
        states_.clear();
        scalar_.reset();
    }

    size_t of(const InstructionRecord& r) {
        const auto [entry, added] = entries_.try_emplace(
            Key{r.opcode, r.operands, r.location.line, r.location.file}, size_t{0});
        if (added) entry->second = number(instruction(r));
        return entry->second;
    }
    size_t of(const WaitRecord& wait) {
        const auto [entry, added] = causes_[wait.open].try_emplace(wait.cause, size_t{0});
        if (added) entry->second = number(described(wait));
        return entry->second;
    }
    size_t of(ThreadState state) {
        const auto [entry, added] = states_.try_emplace(state, size_t{0});
        if (added)
            entry->second = number(
                {{"name", name(state)}, {"kind", state == ThreadState::kIssues ? kWork : kWait}});
        return entry->second;
    }
    size_t scalar() {
        if (!scalar_) scalar_ = number({{"name", "scalar"}, {"kind", kScalar}});
        return *scalar_;
    }

 private:
    Json instruction(const InstructionRecord& record) const {
        const bool sync = record.has(InstructionRecord::kSync);
        Json what{{"name", issued_name(*recording_, record)}, {"kind", sync ? kSync : kWork}};
        what["operands"] = located_operands_text(*recording_, record);
        what["line"] = text(record.location);
        Json tiles = Json::array();
        for (const OperandSet::Item& item : recording_->operands_of(record).items)
            if (!sync && item.memory != 0 && item.memory <= kSpaceCount && item.bytes > 0)
                tiles.push_back({name(static_cast<Space>(item.memory - 1u)), item.address,
                                 item.bytes, item.roles});
        if (!tiles.empty()) what["tiles"] = std::move(tiles);
        return what;
    }
    Json described(const WaitRecord& wait) const {
        const std::string set = text(wait.cause.release);
        Json what{{"name", "wait " + short_text(wait.cause)}, {"kind", kWait}};
        if (const auto* call = recording_->sources.call(wait.cause.waiter, wait.cause.opcode))
            what["name"] = call->function + " (" + what["name"].get<std::string>() + ")";
        what["for"] = long_text(wait.cause, {}) + (wait.open ? ", which never came" : "");
        if (wait.cause.waiter.line != 0) what["line"] = text(wait.cause.waiter);
        if (!set.empty()) what["set"] = set;
        if (wait.open) what["open"] = true;
        return what;
    }
    std::string text(SourceLocation at) const {
        const std::string location = recording_->sources.text(at);
        return location.empty() ? location : mark_ + location;
    }
    size_t number(Json what) {
        std::string text = dump_json(what);
        const auto [entry, added] = numbers_.try_emplace(std::move(text), list_.size());
        if (added) list_.push_back(std::move(what));
        return entry->second;
    }

    Json& list_;
    const Recording* recording_ = nullptr;
    std::string mark_;
    std::map<std::string, size_t> numbers_;
    struct Key {
        Opcode opcode;
        uint32_t operands, line;
        uint16_t file;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const {
            uint64_t hash = uint64_t{key.line} << 32 | key.operands;
            hash = (hash ^ hash >> 29) * 0x9E3779B97F4A7C15u;
            hash ^= uint64_t{key.file} << 16 | static_cast<uint64_t>(key.opcode);
            return hash * 0x9E3779B97F4A7C15u;
        }
    };
    std::unordered_map<Key, size_t, KeyHash> entries_;
    std::optional<size_t> scalar_;
    std::map<ThreadState, size_t> states_;
    std::unordered_map<bool, std::unordered_map<WaitCause, size_t, WaitCauseHash>> causes_;
};

// The lanes and flags of one run or two, column by column, as traces/viewer/src/unpack.ts reads
// them: the begin, length, what, sequence number, cycles from issue to begin and from begin to
// completion of each slice; the set, cycles to the wait and both sequence numbers of each flag.
class Columns {
 public:
    // The run's begin is shown at `begin`.
    void add(const Recording& recording, const std::string& mark, Cycle begin) {
        shift_ = begin - recording.begin;
        whats_.begin(recording, mark);
        const std::vector<CoreLanes> lanes = lane_slices(recording);
        std::vector<std::array<int, kPipeCount>> index(recording.cores.size());
        for (auto& pipes : index) pipes.fill(-1);
        for (uint16_t core : lane_order(recording.cores))
            for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
                if (lanes[core][pipe].empty()) continue;
                index[core][pipe] = static_cast<int>(lanes_.size());
                add_lane(recording, lanes[core][pipe]);
                lanes_.push_back({{"core", mark + name(recording.cores[core])},
                                  {"pipe", name(static_cast<Pipe>(pipe))},
                                  {"slices", lanes[core][pipe].size()}});
            }
        add_warps(recording, mark);
        add_flags(recording, index);
    }
    const Json& lanes() const { return lanes_; }
    const Json& flags() const { return flags_; }
    const Json& whats() const { return list_; }
    std::string text() const { return packed(slices_ + of_flags_); }

 private:
    void add_lane(const Recording& recording, const Lane& lane) {
        Column begin, length, what, sequence, issue, complete;
        for (const Slice& s : lane) {
            begin.step(s.begin + shift_);
            length.plain(s.end - s.begin);
            if (s.activity == Activity::kRun || s.activity == Activity::kWait) {
                const WaitRecord* const wait =
                    s.activity == Activity::kWait ? &recording.waits[s.index] : nullptr;
                what.plain(wait != nullptr ? whats_.of(*wait) : whats_.scalar());
                sequence.step(wait != nullptr ? wait->sequence : 0);
                issue.plain(0);
                complete.plain(0);
                continue;
            }
            const InstructionRecord& r = recording.instructions[s.index];
            what.plain(whats_.of(r));
            sequence.step(r.sequence);
            issue.plain(s.begin - std::min(r.issued, s.begin));
            complete.plain(r.completed - std::min(s.begin, r.completed));
        }
        for (const Column* column : {&begin, &length, &what, &sequence, &issue, &complete})
            slices_ += column->bytes();
    }

    // After the lanes of pipes, which flags refer to.
    void add_warps(const Recording& recording, const std::string& mark) {
        std::map<std::pair<uint16_t, uint16_t>, std::vector<const WarpRecord*>>
            warps;  // of a core, by number
        for (const WarpRecord& warp : recording.warps)
            warps[{warp.core, warp.warp}].push_back(&warp);
        for (auto& [of, records] : warps) {
            std::ranges::stable_sort(records, {}, &WarpRecord::begin);
            Column begin, length, what, zeros;
            for (const WarpRecord* const warp : records) {
                begin.step(warp->begin + shift_);
                length.plain(warp->end - warp->begin);
                what.plain(whats_.of(warp->state));
                zeros.plain(0);
            }
            for (const Column* column : {&begin, &length, &what, &zeros, &zeros, &zeros})
                slices_ += column->bytes();
            lanes_.push_back({{"core", mark + name(recording.cores[of.first])},
                              {"pipe", "warp " + std::to_string(of.second)},
                              {"slices", records.size()}});
        }
    }

    void add_flags(const Recording& recording,
                   const std::vector<std::array<int, kPipeCount>>& index) {
        struct Group {
            Column set, taken, set_sequence, wait_sequence;
            uint64_t count = 0;
        };
        std::map<std::tuple<int, int, uint8_t, bool>, Group> groups;  // by lanes and number
        const auto lane = [&](uint16_t core, Pipe pipe) {
            return index[core][static_cast<size_t>(lane_pipe(pipe))];
        };
        for (const FlagRecord& flag : recording.flags) {
            const int from = lane(flag.from, flag.source), to = lane(flag.core, flag.destination);
            if (flag.consumed == kNever || from < 0 || to < 0) continue;
            Group& group = groups[{from, to, flag.id, flag.cross_core}];
            ++group.count;
            group.set.step(flag.set + shift_);
            group.taken.plain(flag.consumed - std::min(flag.set, flag.consumed));
            group.set_sequence.step(flag.set_sequence);
            group.wait_sequence.step(flag.wait_sequence);
        }
        for (const auto& [key, group] : groups) {
            const auto& [from, to, id, cross] = key;
            flags_.push_back(
                {{"from", from}, {"to", to}, {"id", id}, {"cross", cross}, {"count", group.count}});
            for (const Column* column :
                 {&group.set, &group.taken, &group.set_sequence, &group.wait_sequence})
                of_flags_ += column->bytes();
        }
    }

    Cycle shift_ = 0;
    Json lanes_ = Json::array(), flags_ = Json::array(), list_ = Json::array();
    Whats whats_{list_};
    std::string slices_, of_flags_;
};

// JSON inside a script element: nothing in it may look like markup.
std::string in_script(std::string text) {
    for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
        text.replace(at, 1, "\\u003c");
    return text;
}
std::string dumped(const Json& json) { return in_script(dump_json(json)); }

// Thousands of points, as text at once.
std::string series_text(const Recording& recording) {
    std::string text = "[";
    for (const auto& some : {bandwidth_series(recording), l2_series(recording),
                             occupancy_series(recording), queue_series(recording),
                             tensor_series(recording)})
        for (const Series& s : some) {
            const Json head{
                {"name", s.name},
                {"unit", s.unit},
                {"core", s.core < 0 ? "" : name(recording.cores[static_cast<size_t>(s.core)])},
                {"limit", s.limit}};
            if (text.size() > 1) text += ',';
            text += dumped(head);
            text.pop_back();
            text += ",\"points\":[";
            for (const auto& [time, value] : s.points) {
                if (text.back() == ']') text += ',';
                text += '[' + std::to_string(time) + ',' + std::to_string(value) + ']';
            }
            text += "]}";
        }
    return text + ']';
}

constexpr const char* kBeforeMark = "A ";
constexpr std::string_view kEndOfPage = "</body>\n</html>\n";

void add_sources(Json& to, const Recording& recording, const std::string& mark) {
    for (size_t i = 0; i < recording.sources.size(); ++i) {
        const Sources::File source = recording.sources.file(i);
        to.push_back({{"name", mark + source.name}, {"text", source.text}});
    }
}

std::string in_comment(std::string text) {
    for (size_t at = 0; (at = text.find("--", at)) != std::string::npos;)
        text.replace(at, 2, "- -");
    return text;
}

}  // namespace

void write_html(const Recording& recording, const Analysis& analysis,
                const std::filesystem::path& path, const Before* before) {
    OutputFile file{path};
    Columns columns;
    columns.add(recording, "", recording.begin);
    Json sources = Json::array();
    add_sources(sources, recording, "");
    if (before != nullptr) {
        columns.add(before->recording, kBeforeMark, recording.begin);
        add_sources(sources, before->recording, kBeforeMark);
    }
    file.write(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>ptosim</title>\n"
        "<!--\n" +
        in_comment(std::string(viewer::licenses())) + "-->\n<style>\n");
    file.write(viewer::style());
    file.write("</style>\n</head>\n<body>\n");
    file.write(viewer::page());
    file.write("<script type=\"text/plain\" id=\"columns\">");
    file.write(columns.text());
    Json kept;
    if (!recording.values.empty())
        file.write("</script>\n<script type=\"text/plain\" id=\"values\">" +
                   packed(page_data(recording, kept)));
    file.write("</script>\n<script type=\"application/json\" id=\"data\">{\"lanes\":");
    file.write(dumped(columns.lanes()));
    file.write(",\n\"flags\":" + dumped(columns.flags()));
    file.write(",\n\"what\":" + dumped(columns.whats()));
    file.write(",\n\"sources\":" + dumped(sources));
    file.write(",\n\"series\":" + series_text(recording));
    file.write(",\n\"report\":" + in_script(report_json(recording, analysis, -1)));
    if (!kept.is_null()) file.write(",\n\"kept\":" + dumped(kept));
    if (before != nullptr) file.write(",\n\"comparison\":" + in_script(before->comparison));
    file.write("}</script>\n<script>\n");
    file.write(viewer::script());
    file.write("</script>\n");
    file.write(kEndOfPage);
    file.commit();
}

void add_page_tasks(const std::filesystem::path& path, std::string_view tasks) {
    add_before_end(path,
                   "<script type=\"application/json\" id=\"tasks\">" +
                       in_script(std::string(tasks)) + "</script>\n",
                   kEndOfPage);
}

}  // namespace ptosim
