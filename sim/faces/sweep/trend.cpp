#include "sim/faces/sweep/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/files/escape_xml.h"
#include "sim/files/fixed.h"
#include "sim/files/json.h"

namespace ptosim::sweep {
namespace {

std::string plain(const Json& value) {
    return value.is_string() ? value.get<std::string>() : dump_json(value);
}

// Names for points: the coordinates in which they differ.
std::map<std::string, std::string> names_of(const std::set<std::string>& points) {
    std::map<std::string, std::set<std::string>> values;
    for (const std::string& point : points) {
        const Json coordinates = parse_json(point);
        for (const auto& [name, value] : coordinates.items()) values[name].insert(plain(value));
    }
    std::map<std::string, std::string> names;
    for (const std::string& point : points) {
        const Json coordinates = parse_json(point);
        std::string text;
        for (const auto& [name, value] : coordinates.items())
            if (name == "kernel" || values[name].size() > 1)
                text += (text.empty() ? "" : ", ") + (name == "kernel" ? "" : name + "=") +
                        plain(value);
        names[point] = text;
    }
    return names;
}

double ratio(uint64_t part, uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

// Axes of one picture: x is the number of a run, y a ratio.
struct Axes {
    double left, top, width, height, low, high;
    size_t runs;
    double x(size_t run) const {
        return left + (runs < 2 ? width / 2
                                : width * static_cast<double>(run) / static_cast<double>(runs - 1));
    }
    double y(double value) const {
        return top + height * (1 - (value - low) / std::max(high - low, 1e-9));
    }
};

// A line through the existing values; runs without a value are gaps.
std::string path(const Axes& axes, const std::vector<double>& values, const std::string& style) {
    std::string text;
    bool drawing = false;
    for (size_t run = 0; run < values.size(); ++run) {
        if (values[run] > 0)
            text +=
                (drawing ? "L" : "M") + fixed(axes.x(run), 1) + " " + fixed(axes.y(values[run]), 1);
        drawing = values[run] > 0;
    }
    return "<path d='" + text + "' fill='none' " + style + "/>";
}

std::vector<double> relative(const Trend::Line& line) {
    const auto first = std::find_if(line.cycles.begin(), line.cycles.end(),
                                    [](uint64_t cycles) { return cycles > 0; });
    std::vector<double> values;
    for (const uint64_t cycles : line.cycles)
        values.push_back(first == line.cycles.end() ? 0 : ratio(cycles, *first));
    return values;
}

}  // namespace

double Trend::Line::change() const { return before == 0 ? 0 : ratio(last, before) - 1; }

Trend::Trend(std::vector<LabelledRun> runs) : runs_{std::move(runs)} {
    std::set<std::string> points;
    for (const LabelledRun& run : runs_)
        for (const LabelledRun::Point& point : run.points) points.insert(point.coordinates);
    std::map<std::string, Line> lines;
    for (const auto& [point, name] : names_of(points)) {
        lines[point].name = name;
        lines[point].cycles.resize(runs_.size());
    }
    for (size_t i = 0; i < runs_.size(); ++i)
        for (const LabelledRun::Point& point : runs_[i].points) {
            if (point.status != "done" || point.cycles == 0) continue;
            Line& line = lines[point.coordinates];
            line.cycles[i] = point.cycles;
            line.best = line.best == 0 ? point.cycles : std::min(line.best, point.cycles);
            if (i + 1 == runs_.size())
                line.last = point.cycles;
            else
                line.before = point.cycles;
        }
    for (auto& [point, line] : lines) lines_.push_back(std::move(line));
    for (Line& line : lines_)
        if (line.last == 0) line.before = 0;
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.change() > b.change(); });
}

std::vector<double> Trend::means() const {
    std::vector<double> result;
    for (size_t run = 0; run < runs_.size(); ++run) {
        double sum = 0;
        size_t count = 0;
        for (const Line& line : lines_) {
            if (line.cycles[run] == 0 || line.cycles[0] == 0) continue;
            sum += std::log(ratio(line.cycles[run], line.cycles[0]));
            ++count;
        }
        result.push_back(count == 0 ? 0 : std::exp(sum / static_cast<double>(count)));
    }
    return result;
}

std::string trend_svg(const Trend& trend) {
    constexpr double kWidth = 900, kHeight = 340;
    std::vector<std::vector<double>> lines;
    double low = 1, high = 1;
    for (const Trend::Line& line : trend.lines()) {
        lines.push_back(relative(line));
        for (const double value : lines.back()) {
            if (value <= 0) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    const double margin = std::max(0.02, 0.05 * (high - low));
    const Axes axes{
        60, 16, kWidth - 80, kHeight - 66, low - margin, high + margin, trend.runs().size()};
    std::string svg =
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 900 340' "
        "font-family='sans-serif' font-size='12'>\n";
    constexpr int kTicks = 5;
    for (int i = 0; i <= kTicks; ++i) {
        const double value = axes.low + (axes.high - axes.low) * i / kTicks;
        const std::string y = fixed(axes.y(value), 1);
        svg += "<path d='M60 " + y + "H" + fixed(kWidth - 20, 0) +
               "' stroke='#ddd'/><text x='54' y='" + y +
               "' text-anchor='end' dominant-baseline='middle' fill='#555'>" + fixed(value, 2) +
               "</text>\n";
    }
    const size_t every = 1 + trend.runs().size() / 12;
    for (size_t run = 0; run < trend.runs().size(); run += every)
        svg += "<text x='" + fixed(axes.x(run), 1) + "' y='" + fixed(kHeight - 34, 0) +
               "' text-anchor='middle' fill='#555'>" +
               escape_xml(trend.runs()[run].label.substr(0, 12)) + "</text>\n";
    for (size_t i = 0; i < lines.size(); ++i)
        svg += "<g><title>" + escape_xml(trend.lines()[i].name) + "</title>" +
               path(axes, lines[i], "stroke='#8a9bad' stroke-width='1'") + "</g>\n";
    const std::vector<double> means = trend.means();
    svg += path(axes, means, "stroke='#0072B2' stroke-width='3'") + "\n";
    for (size_t run = 0; run < means.size(); ++run)
        if (means[run] > 0)
            svg += "<circle cx='" + fixed(axes.x(run), 1) + "' cy='" +
                   fixed(axes.y(means[run]), 1) + "' r='4' fill='#0072B2'><title>" +
                   escape_xml(trend.runs()[run].label) + ", " + trend.runs()[run].at + ": " +
                   fixed(means[run], 4) + "</title></circle>\n";
    return svg + "<text x='60' y='" + fixed(kHeight - 8, 0) +
           "' fill='#333'>cycles, relative to the first run that has the point; blue: geometric "
           "mean of the points that the first run has, too</text>\n</svg>\n";
}

std::string spark_svg(const Trend::Line& line, unsigned width) {
    const std::vector<double> values = relative(line);
    double low = 1, high = 1;
    for (const double value : values) {
        if (value <= 0) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    constexpr double kMargin = 0.005;
    const Axes axes{3, 3, width - 6.0, 14, low - kMargin, high + kMargin, values.size()};
    std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' width='" + std::to_string(width) +
                      "' height='20' viewBox='0 0 " + std::to_string(width) + " 20'>" +
                      path(axes, values, "stroke='#0072B2' stroke-width='1.5'");
    if (!values.empty() && values.back() > 0)
        svg += "<circle cx='" + fixed(axes.x(values.size() - 1), 1) + "' cy='" +
               fixed(axes.y(values.back()), 1) + "' r='2.5' fill='#0072B2'/>";
    return svg + "</svg>";
}

}  // namespace ptosim::sweep
