#include "traces/traces.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "sim/files/output_file.h"
#include "traces/analyse/analysis.h"
#include "traces/write/agent.h"
#include "traces/write/chip_swimlane.h"
#include "traces/write/chrome_trace.h"
#include "traces/write/html.h"
#include "traces/write/insight.h"
#include "traces/write/lanes.h"
#include "traces/write/picture.h"
#include "traces/write/report.h"

namespace ptosim {

namespace {

using Written = std::vector<std::filesystem::path>;

// Data that the writers share, computed on first use. The writers may run at the same time.
class Material {
 public:
    Material(const Recording& recording, const Analysis* analysis, size_t most_slices)
        : recording{recording}, most_slices{most_slices}, known_{analysis} {}
    const Accounting& accounting() {
        if (known_ != nullptr) return known_->accounting;
        std::call_once(accounted_, [this] { accounting_ = account(recording); });
        return accounting_;
    }
    const Analysis& analysis() {
        if (known_ != nullptr) return *known_;
        std::call_once(analysed_, [this] { analysis_ = analyse(recording, accounting()); });
        return analysis_;
    }
    const Recording& recording;
    const size_t most_slices;
    std::string left_out;  // of trace.json

 private:
    const Analysis* known_;
    std::once_flag accounted_, analysed_;
    Accounting accounting_;
    Analysis analysis_;
};

void write_text(const std::filesystem::path& path, std::string_view text,
                std::string_view end = {}) {
    OutputFile file{path};
    file.write(text);
    file.write(end);
    file.commit();
}

Written write_chrome(Material& m, const std::filesystem::path& folder) {
    m.left_out = write_chrome_trace(m.recording, folder / "trace.json", m.most_slices);
    return {folder / "trace.json"};
}

Written write_lane_file(Material& m, const std::filesystem::path& folder) {
    write_lanes(m.recording, m.accounting(), folder / "lanes.json");
    return {folder / "lanes.json"};
}

Written write_summary(Material& m, const std::filesystem::path& folder) {
    write_text(folder / "summary.txt",
               summary_text(m.accounting(), m.analysis().advice, m.analysis().basis));
    return {folder / "summary.txt"};
}

Written write_report(Material& m, const std::filesystem::path& folder) {
    write_text(folder / "report.md", report_markdown(m.recording, m.analysis()));
    return {folder / "report.md"};
}

Written write_report_json(Material& m, const std::filesystem::path& folder) {
    write_text(folder / "report.json", report_json(m.recording, m.analysis()), "\n");
    return {folder / "report.json"};
}

Written write_agent(Material& m, const std::filesystem::path& folder) {
    write_text(folder / "agent.json", agent_json(m.recording, m.analysis()));
    return {folder / "agent.json"};
}

Written write_insight_folder(Material& m, const std::filesystem::path& folder) {
    return write_insight(m.recording, folder / "simulator");
}

Written write_swimlane_files(Material& m, const std::filesystem::path& folder) {
    return write_chip_swimlane(m.recording, folder);
}

Written write_page(Material& m, const std::filesystem::path& folder) {
    write_html(m.recording, m.analysis(), folder / kPageFile);
    return {folder / kPageFile};
}

Written write_svg_file(Material& m, const std::filesystem::path& folder) {
    write_svg(m.recording, m.analysis(), folder / "swimlane.svg");
    return {folder / "swimlane.svg"};
}

Written write_png_file(Material& m, const std::filesystem::path& folder) {
    write_png(m.recording, m.analysis(), folder / "swimlane.png");
    return {folder / "swimlane.png"};
}

struct Format : TraceFormat {
    Written (*write)(Material&, const std::filesystem::path&);
};
const Format kFormats[] = {
    {{"html", "report.html", "the swimlane and the report to look at, in any browser"}, write_page},
    {{"report", "report.md", "where the time went, and what to change"}, write_report},
    {{"agent", "agent.json", "the same answer for programs, in 4 KB"}, write_agent},
    {{"chrome", "trace.json", "for Perfetto and chrome://tracing"}, write_chrome},
    {{"json", "report.json", "all numbers of the report, for programs"}, write_report_json},
    {{"lanes", "lanes.json", "totals, instructions and waits per core, for programs"},
     write_lane_file},
    {{"summary", "summary.txt", "shares of each pipe, the bottleneck"}, write_summary},
    {{"insight", "simulator/", "for MindStudio Insight"}, write_insight_folder},
    {{"swimlane", "chip_swimlane_records.json, deps.json, name_map_*.json, pmu.csv",
      "for the PyPTO Toolkit and simpler's tools"},
     write_swimlane_files},
    {{"svg", "swimlane.svg", "a picture for documents"}, write_svg_file},
    {{"png", "swimlane.png", "a picture for documents"}, write_png_file},
};

}  // namespace

std::span<const TraceFormat> trace_formats() {
    static const auto& formats =
        *new std::vector<TraceFormat>(std::begin(kFormats), std::end(kFormats));
    return formats;
}

std::vector<std::string_view> parse_formats(std::string_view list) {
    std::vector<std::string_view> names;
    if (list == "none") return names;
    for (const Format& format : kFormats)
        if (list == "all") names.push_back(format.name);
    while (list != "all" && !list.empty()) {
        const std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), word.size() + 1));
        const bool is_format = std::any_of(std::begin(kFormats), std::end(kFormats),
                                           [word](const Format& f) { return f.name == word; });
        if (!is_format) {
            std::string choice;
            for (const Format& format : kFormats) choice += std::string(format.name) + ", ";
            fail_input("I42", "unknown trace format '" + std::string(word) + "'",
                       choice + "all or none");
        }
        names.push_back(word);
    }
    return names;
}

Written write_traces(const Recording& recording, const std::filesystem::path& folder,
                     std::string_view formats, size_t most_slices, const Analysis* analysis,
                     std::vector<std::string>* notes) {
    const std::vector<std::string_view> names = parse_formats(formats);
    make_output_folder(folder);
    Material material(recording, analysis, most_slices);
    std::vector<const Format*> chosen;
    for (const Format& format : kFormats)
        if (std::find(names.begin(), names.end(), format.name) != names.end())
            chosen.push_back(&format);
    // This thread and, where it is worth starting one, another write them.
    constexpr size_t kWorthThreads = 20'000;
    const bool two = recording.instructions.size() >= kWorthThreads && chosen.size() > 1 &&
                     std::thread::hardware_concurrency() > 1;
    std::vector<Written> files(chosen.size());
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < chosen.size(); i = next++)
            files[i] = chosen[i]->write(material, folder);
    };
    std::future<void> other;
    if (two) other = std::async(std::launch::async, work);
    work();
    if (two) other.get();
    Written written;
    for (Written& some : files)
        for (std::filesystem::path& path : some) written.push_back(std::move(path));
    if (notes != nullptr && !material.left_out.empty()) notes->push_back(material.left_out);
    return written;
}

}  // namespace ptosim
