#include "traces/write/html.h"

#include <map>
#include <nlohmann/json.hpp>

#include "isa/instruction_table.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/lane_slices.h"
#include "traces/analyse/series.h"
#include "traces/record/core_index.h"
#include "traces/write/report.h"
#include "traces/write/viewer_assets.h"

namespace ptosim {

namespace {

using Json = nlohmann::ordered_json;

// As in traces/viewer/src/model.ts.
enum Kind : unsigned { kWork = 0, kWait = 1, kSync = 2, kScalar = 3 };

// Distinct texts of slices, numbered.
class Whats {
 public:
    explicit Whats(const Recording& recording) : recording_{recording} {}

    size_t of(const InstructionRecord& record) {
        const bool sync = record.has(InstructionRecord::kSync);
        Json what{{"name", info(record.opcode).name}, {"kind", sync ? kSync : kWork}};
        what["operands"] = located_operands_text(recording_, record);
        what["line"] = recording_.sources.text(record.location);
        return number(std::move(what));
    }
    size_t of(const WaitRecord& wait) {
        const std::string set = recording_.sources.text(wait.cause.release);
        Json what{{"name", "wait " + short_text(wait.cause)}, {"kind", kWait}};
        what["for"] = long_text(wait.cause, {}) + (wait.open ? ", which never came" : "");
        if (wait.cause.waiter.line != 0) what["line"] = recording_.sources.text(wait.cause.waiter);
        if (!set.empty()) what["set"] = set;
        if (wait.open) what["open"] = true;
        return number(std::move(what));
    }
    size_t scalar() { return number({{"name", "scalar"}, {"kind", kScalar}}); }
    const Json& list() const { return list_; }

 private:
    size_t number(Json what) {
        std::string text = what.dump(-1, ' ', false, Json::error_handler_t::replace);
        const auto [entry, added] = numbers_.try_emplace(std::move(text), list_.size());
        if (added) list_.push_back(std::move(what));
        return entry->second;
    }

    const Recording& recording_;
    std::map<std::string, size_t> numbers_;
    Json list_ = Json::array();
};

// The lanes column by column: see PackedLane in model.ts.
struct Columns {
    std::string begin, length, what, sequence, issue, complete;
    Cycle last = 0;

    static void add(std::string& to, uint64_t value) {
        if (!to.empty()) to += ',';
        to += std::to_string(value);
    }
    void slice(const Slice& s, size_t of, uint32_t number, Cycle issued, Cycle completed) {
        add(begin, s.begin - last);
        last = s.begin;
        add(length, s.end - s.begin);
        add(what, of);
        add(sequence, number);
        add(issue, issued);
        add(complete, completed);
    }
    std::string text(const std::string& core, std::string_view pipe) const {
        return "{\"core\":\"" + core + "\",\"pipe\":\"" + std::string(pipe) + "\",\"begin\":[" +
               begin + "],\"length\":[" + length + "],\"what\":[" + what + "],\"sequence\":[" +
               sequence + "],\"issue\":[" + issue + "],\"complete\":[" + complete + "]}";
    }
};

Columns pack(const Recording& recording, const Lane& lane, Whats& whats) {
    // Texts of instructions repeat with their operands and lines.
    std::map<std::tuple<Opcode, uint32_t, uint32_t, uint16_t>, size_t> entries;
    Columns columns;
    for (const Slice& s : lane) {
        if (s.activity == Activity::kRun) {
            columns.slice(s, whats.scalar(), 0, 0, 0);
        } else if (s.activity == Activity::kWait) {
            const WaitRecord& wait = recording.waits[s.index];
            columns.slice(s, whats.of(wait), wait.sequence, 0, 0);
        } else {
            const InstructionRecord& r = recording.instructions[s.index];
            const auto [entry, added] = entries.try_emplace(
                {r.opcode, r.operands, r.location.line, r.location.file}, size_t{0});
            if (added) entry->second = whats.of(r);
            columns.slice(s, entry->second, r.sequence, s.begin - std::min(r.issued, s.begin),
                          r.completed - std::min(s.begin, r.completed));
        }
    }
    return columns;
}

std::string lanes_text(const Recording& recording, Whats& whats) {
    const std::vector<CoreLanes> lanes = lane_slices(recording);
    std::string text;
    for (uint16_t core : lane_order(recording.cores))
        for (unsigned i = 0; i < kPipeCount; ++i) {
            if (lanes[core][i].empty()) continue;
            if (!text.empty()) text += ",\n";
            text += pack(recording, lanes[core][i], whats)
                        .text(name(recording.cores[core]), name(static_cast<Pipe>(i)));
        }
    return text;
}

Json series_json(const Recording& recording) {
    Json list = Json::array();
    for (const auto& some : {bandwidth_series(recording), l2_series(recording),
                             occupancy_series(recording), queue_series(recording)})
        for (const Series& s : some)
            list.push_back(
                {{"name", s.name},
                 {"unit", s.unit},
                 {"core", s.core < 0 ? "" : name(recording.cores[static_cast<size_t>(s.core)])},
                 {"limit", s.limit},
                 {"points", s.points}});
    return list;
}

// JSON inside a script element: nothing in it may look like markup.
std::string in_script(std::string text) {
    for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
        text.replace(at, 1, "\\u003c");
    return text;
}
std::string dumped(const Json& json) {
    return in_script(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string in_comment(std::string text) {
    for (size_t at = 0; (at = text.find("--", at)) != std::string::npos;)
        text.replace(at, 2, "- -");
    return text;
}

}  // namespace

void write_html(const Recording& recording, const Analysis& analysis,
                const std::filesystem::path& path) {
    OutputFile file{path};
    Whats whats(recording);
    Json sources = Json::array();
    for (size_t i = 0; i < recording.sources.size(); ++i) {
        Sources::File source = recording.sources.file(i);
        sources.push_back({{"name", source.name}, {"text", source.text}});
    }
    file.write(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>ptosim</title>\n"
        "<!--\n" +
        in_comment(std::string(viewer::licenses())) + "-->\n<style>\n");
    file.write(viewer::style());
    file.write("</style>\n</head>\n<body>\n");
    file.write(viewer::page());
    file.write("<script type=\"application/json\" id=\"data\">{\"lanes\":[\n");
    file.write(lanes_text(recording, whats));
    file.write("],\n\"what\":" + dumped(whats.list()));
    file.write(",\n\"sources\":" + dumped(sources));
    file.write(",\n\"series\":" + dumped(series_json(recording)));
    file.write(",\n\"report\":" + in_script(report_json(recording, analysis, -1)));
    file.write("}</script>\n<script>\n");
    file.write(viewer::script());
    file.write("</script>\n</body>\n</html>\n");
    file.commit();
}

}  // namespace ptosim
