#include "sim/faces/sweep/pictures.h"

#include <algorithm>
#include <cmath>

#include "sim/files/escape_xml.h"
#include "sim/files/fixed.h"

namespace ptosim::sweep {
namespace {

constexpr double kWidth = 900;
constexpr const char* kBlue = "#0072B2";
constexpr const char* kOrange = "#D55E00";
constexpr const char* kGrey = "#8a8a8a";

std::string coordinate_text(double value) { return fixed(value, 1); }

std::string open_svg(double height) {
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " + fixed(kWidth, 0) + " " + fixed(height, 0) +
           "' font-family='sans-serif' font-size='13'>\n";
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "start", const char* colour = "#333") {
    return "<text x='" + coordinate_text(x) + "' y='" + coordinate_text(y) + "' text-anchor='" + anchor + "' dominant-baseline='middle' fill='" + colour +
           "'>" + escape_xml(text) + "</text>\n";
}

std::string rectangle(double x, double y, double width, double height, const std::string& fill, const std::string& title = {}) {
    return "<rect x='" + coordinate_text(x) + "' y='" + coordinate_text(y) + "' width='" + coordinate_text(std::max(0.0, width)) + "' height='" + coordinate_text(height) + "' fill='" +
           fill + "'>" + (title.empty() ? "" : "<title>" + escape_xml(title) + "</title>") + "</rect>\n";
}

std::string stroke_of(double x1, double y1, double x2, double y2, const char* colour, double width = 1) {
    return "<path d='M" + coordinate_text(x1) + " " + coordinate_text(y1) + "L" + coordinate_text(x2) + " " + coordinate_text(y2) + "' stroke='" + colour + "' stroke-width='" + coordinate_text(width) +
           "' fill='none'/>\n";
}

// Steps of an axis: 1, 2 or 5 times a power of ten, about `count` of them.
double step_of(double range, int count) {
    const double raw = std::max(range, 1e-9) / count, power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw) return factor * power;
    return 10 * power;
}

std::string plain(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

Picture bars(const ChangeTable& table) {
    constexpr double kLeft = 330, kRow = 34, kTop = 20, kRight = 90;
    double most = 1.05;
    for (const ChangeRow& one : table.rows) most = std::max(most, std::max(one.speed_up, one.most));
    if (table.product > 0) most = std::max(most, table.product);
    double least = 1;
    for (const ChangeRow& one : table.rows)
        if (one.speed_up > 0) least = std::min(least, one.least);
    least = std::min(0.95, std::floor(least * 20) / 20);
    const double span = most - least;
    const auto x = [&](double value) { return kLeft + (kWidth - kLeft - kRight) * (value - least) / span; };
    Picture picture{"Speed-up of each change: " + table.kernel + (table.context.empty() ? "" : ", " + table.context), {}};
    const double height = kTop + kRow * static_cast<double>(table.rows.size()) + 40;
    std::string svg = open_svg(height);
    const double step = step_of(span, 6);
    for (double value = std::ceil(least / step) * step; value <= most + 1e-9; value += step)
        svg += stroke_of(x(value), kTop - 6, x(value), height - 34, "#ddd") + text_at(x(value), height - 22, plain(value), "middle", "#555");
    double y = kTop;
    for (const ChangeRow& one : table.rows) {
        if (one.change == kBase) continue;
        svg += text_at(kLeft - 8, y + kRow / 2, one.change == kAllChanges ? "all together" : one.change, "end");
        if (one.speed_up > 0) {
            const double from = std::min(x(1), x(one.speed_up)), to = std::max(x(1), x(one.speed_up));
            svg += rectangle(from, y + 7, std::max(1.5, to - from), kRow - 14, one.change == kAllChanges ? kOrange : kBlue, one.reason);
            svg += stroke_of(x(one.least), y + kRow / 2, x(one.most), y + kRow / 2, "#000", 1.5);
            for (const double end : {one.least, one.most}) svg += stroke_of(x(end), y + kRow / 2 - 4, x(end), y + kRow / 2 + 4, "#000", 1.5);
            if (one.change == kAllChanges && table.product > 0)
                svg += stroke_of(x(table.product), y + 4, x(table.product), y + kRow - 4, kGrey, 3);
            svg += text_at(std::max(to, x(one.most)) + 6, y + kRow / 2, fixed(one.speed_up, 3));
        } else {
            svg += text_at(kLeft + 8, y + kRow / 2, one.row->status, "start", kGrey);
        }
        y += kRow;
    }
    svg += stroke_of(x(1), kTop - 6, x(1), y, "#333", 1.5);
    svg += text_at(kLeft, height - 6, "times as fast as the base; grey mark: product of the single changes; black: range", "start", "#555");
    picture.svg = svg + "</svg>\n";
    return picture;
}

// From white to blue.
std::string shade(double share) {
    const auto mix = [&](double from, double to) { return std::to_string(static_cast<int>(std::lround(from + (to - from) * share))); };
    return "rgb(" + mix(255, 0) + "," + mix(255, 114) + "," + mix(255, 178) + ")";
}

Picture heat_map(const Analysis& analysis, const std::string& kernel, const std::string& down, const std::string& across) {
    const Analysis::Grid grid = analysis.best_by(kernel, down, across);
    constexpr double kLeft = 190, kTop = 40, kRow = 40;
    double least = 0, most = 0;
    for (const auto& row : grid.time_us)
        for (const double time : row)
            if (time > 0) {
                least = least == 0 ? time : std::min(least, time);
                most = std::max(most, time);
            }
    const double column = (kWidth - kLeft - 20) / static_cast<double>(grid.across.size());
    const double height = kTop + kRow * static_cast<double>(grid.down.size()) + 30;
    std::string svg = open_svg(height);
    svg += text_at(kLeft - 8, 14, down + " \\ " + across, "end");
    for (size_t j = 0; j < grid.across.size(); ++j)
        svg += text_at(kLeft + column * (static_cast<double>(j) + 0.5), kTop - 14, grid.across[j], "middle");
    for (size_t i = 0; i < grid.down.size(); ++i) {
        const double y = kTop + kRow * static_cast<double>(i);
        svg += text_at(kLeft - 8, y + kRow / 2, grid.down[i], "end");
        for (size_t j = 0; j < grid.across.size(); ++j) {
            const double time = grid.time_us[i][j], x = kLeft + column * static_cast<double>(j);
            const double share = time <= 0 || most <= least ? 0 : (time - least) / (most - least);
            svg += rectangle(x + 1, y + 1, column - 2, kRow - 2, time > 0 ? shade(share) : "#eee",
                             down + " " + grid.down[i] + ", " + across + " " + grid.across[j]);
            svg += text_at(x + column / 2, y + kRow / 2, time > 0 ? plain(time) : "-", "middle", share > 0.55 ? "#fff" : "#222");
        }
    }
    svg += text_at(kLeft, height - 12, "fastest time in us, all other factors free; white: fastest", "start", "#555");
    return {"Time of " + kernel + " by " + down + " and " + across, svg + "</svg>\n"};
}

Picture front(const Analysis& analysis, const std::string& kernel, bool by_energy) {
    constexpr double kLeft = 70, kTop = 16, kHeight = 420, kBottom = 56;
    struct Dot {
        double cost, least, most, time;
        bool best;
        std::string name;
    };
    std::vector<Dot> dots;
    const std::vector<size_t> best = cost_front(analysis.rows(), kernel);
    for (size_t i = 0; i < analysis.rows().size(); ++i) {
        const Row& row = analysis.rows()[i];
        const auto cost = by_energy ? energy_uj(row) : area_mm2(row);
        if (row.status != "done" || coordinate(row, "kernel") != kernel || !cost) continue;
        std::string name;
        for (const std::string& factor : analysis.factors()) name += (name.empty() ? "" : ", ") + factor + " " + coordinate(row, factor);
        dots.push_back({cost->value(), cost->least(), cost->most(), row.time_us, std::find(best.begin(), best.end(), i) != best.end(), name});
    }
    const std::string unit = by_energy ? "energy, uJ" : "area, mm2";
    Picture picture{"Time of " + kernel + " against " + unit, {}};
    if (dots.size() < 2) return picture;
    double low = dots[0].cost, high = low, slow = dots[0].time, fast = slow;
    for (const Dot& dot : dots) {
        low = std::min(low, dot.cost);
        high = std::max(high, dot.cost);
        slow = std::max(slow, dot.time);
        fast = std::min(fast, dot.time);
    }
    const double margin = std::max((high - low) * 0.08, high * 0.01), over = std::max((slow - fast) * 0.08, slow * 0.01);
    const auto x = [&](double cost) { return kLeft + (kWidth - kLeft - 20) * (cost - low + margin) / (high - low + 2 * margin); };
    const auto y = [&](double time) { return kTop + (kHeight - kTop - kBottom) * (slow + over - time) / (slow - fast + 2 * over); };
    std::string svg = open_svg(kHeight);
    const double x_step = step_of(high - low + 2 * margin, 7), y_step = step_of(slow - fast + 2 * over, 6);
    for (double at = std::ceil((low - margin) / x_step) * x_step; at <= high + margin; at += x_step)
        svg += text_at(x(at), kHeight - 38, plain(at), "middle", "#555");
    for (double at = std::ceil((fast - over) / y_step) * y_step; at <= slow + over; at += y_step)
        svg += stroke_of(kLeft, y(at), kWidth - 20, y(at), "#ddd") + text_at(kLeft - 6, y(at), plain(at), "end", "#555");
    double worst = 0;
    for (const Dot& dot : dots) worst = std::max(worst, std::max(dot.most / dot.cost, dot.cost / dot.least));
    for (const bool of_front : {false, true})
        for (const Dot& dot : dots)
            if (dot.best == of_front)
                svg += "<circle cx='" + coordinate_text(x(dot.cost)) + "' cy='" + coordinate_text(y(dot.time)) + "' r='" + (dot.best ? "5" : "3.5") + "' fill='" +
                       (dot.best ? kOrange : kGrey) + "'><title>" +
                       escape_xml(dot.name + ": " + plain(dot.time) + " us, " + plain(dot.cost) + " (" + plain(dot.least) + " to " +
                                  plain(dot.most) + ")") + "</title></circle>\n";
    svg += text_at(kLeft, kHeight - 12,
                   unit + ", all alike up to " + fixed(worst, 1) + " times larger or smaller; up: time, us; orange: no other point is better in time, area and energy",
                   "start", "#555");
    picture.svg = svg + "</svg>\n";
    return picture;
}

}  // namespace

std::vector<Picture> pictures_of(const Analysis& analysis, const std::vector<ChangeTable>& tables) {
    std::vector<Picture> pictures;
    for (const ChangeTable& table : tables) pictures.push_back(bars(table));
    for (const std::string& kernel : analysis.kernels())
        for (const auto& [down, across] : analysis.pairs(kernel)) pictures.push_back(heat_map(analysis, kernel, down, across));
    for (const std::string& kernel : analysis.kernels())
        for (const bool by_energy : {false, true}) {
            Picture picture = front(analysis, kernel, by_energy);
            if (!picture.svg.empty()) pictures.push_back(std::move(picture));
        }
    return pictures;
}

}  // namespace ptosim::sweep
