#include "sim/faces/sweep/plots.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"

extern char** environ;

namespace ptosim::sweep {
namespace {

// Colours that colour-blind people distinguish (Okabe and Ito).
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#000000"};

std::string in_quotes(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string file_name(const std::string& text) {
    std::string result;
    for (char c : text) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return result;
}

const char* colour(size_t i) { return kColours[i % std::size(kColours)]; }

constexpr const char* kStyle =
    "set encoding utf8\nset border 3\nset tics nomirror\nset grid ytics lc rgb '#dddddd'\n"
    "set key outside top center horizontal\n";

// The best time over all other factors, for each value of a factor; one line per kernel, relative to its fastest.
Plot factor_plot(const Analysis& analysis, const std::string& factor) {
    Plot plot{"time_by_" + file_name(factor), "Best time by " + factor, kStyle};
    std::string data, lines;
    size_t series = 0;
    for (const std::string& kernel : analysis.kernels()) {
        const auto best = analysis.best_by(kernel, factor);
        if (best.size() < 2) continue;
        double least = best.front().time_us;
        for (const auto& b : best) least = std::min(least, b.time_us);
        const std::string block = "$s" + std::to_string(series);
        data += block + " << EOD\n";
        for (const auto& b : best)
            data += in_quotes(b.value) + " " + number(b.time_us / least) + "\n";
        data += "EOD\n";
        lines += (lines.empty() ? "plot " : ", \\\n     ") + block +
                 " using 2:xtic(1) with " + (best.size() > 2 ? "linespoints lw 2" : "points") + " pt 7 ps 1.2 lc rgb '" + colour(series) +
                 "' title " + in_quotes(kernel);
        ++series;
    }
    plot.program += "set title " +
                    in_quotes(plot.title + " (others free), relative to the fastest") +
                    " noenhanced\nset xlabel " + in_quotes(factor) +
                    " noenhanced\nset ylabel 'time / fastest'\nset offsets 0.3, 0.3, 0, 0\n"
                    "set key noenhanced\nset xtics noenhanced\n" +
                    data + lines + "\n";
    if (series == 0) plot.program.clear();
    return plot;
}

Plot pareto_plot(const Analysis& analysis, const std::string& kernel) {
    Plot plot{"pareto_" + file_name(kernel), "Time against on-chip memory: " + kernel, kStyle};
    std::string all, front;
    for (const Row& row : analysis.rows())
        if (row.status == "done" && coordinate(row, "kernel") == kernel)
            all += number(static_cast<double>(row.chip_bytes) / 1048576.0) + " " +
                   number(row.time_us) + "\n";
    for (size_t i : analysis.pareto(kernel))
        front += number(static_cast<double>(analysis.rows()[i].chip_bytes) / 1048576.0) + " " +
                 number(analysis.rows()[i].time_us) + "\n";
    plot.program +=
        "set title " + in_quotes(plot.title) +
        " noenhanced\nset xlabel 'on-chip buffers of all clusters, MiB'\n"
        "set ylabel 'time, µs'\nset yrange [0:*]\nset offsets graph 0.05, graph 0.05, 0, 0\n"
        "$all << EOD\n" +
        all + "EOD\n$front << EOD\n" + front +
        "EOD\nplot $all with points pt 7 ps 0.8 lc rgb '#999999' title 'points', \\\n"
        "     $front with steps lw 2 lc rgb '#D55E00' notitle, \\\n"
        "     $front with points pt 7 ps 1.4 lc rgb '#D55E00' title 'Pareto front'\n";
    return all.empty() ? Plot{} : plot;
}

Plot sensitivity_plot(const Analysis& analysis) {
    Plot plot{"sensitivity", "What the time depends on", kStyle};
    std::string data;
    size_t count = 0;
    for (const Sensitivity& s : analysis.sensitivities()) {
        if (count++ == 16) break;
        data += in_quotes(s.kernel + ": " + s.factor) + " " + number(s.median) + " " +
                number(s.largest) + "\n";
    }
    plot.program += "set title " + in_quotes(plot.title) +
                    "\nset ylabel 'slowest / fastest value'\nset style data histograms\n"
                    "set style fill solid 0.9\nset boxwidth 0.9\nset yrange [1:*]\n"
                    "set xtics rotate by 30 right noenhanced\n$d << EOD\n" +
                    data +
                    "EOD\nplot $d using 2:xtic(1) lc rgb '#0072B2' title 'median', \\\n"
                    "     $d using 3 lc rgb '#E69F00' title 'largest'\n";
    return data.empty() ? Plot{} : plot;
}

Plot bounds_plot(const Analysis& analysis) {
    Plot plot{"bounds", "How far from possible: the fastest points", kStyle};
    std::string data;
    for (const std::string& kernel : analysis.kernels()) {
        const Row* best = nullptr;
        for (const Row& row : analysis.rows())
            if (row.status == "done" && coordinate(row, "kernel") == kernel && bounds_of(row) &&
                (best == nullptr || row.time_us < best->time_us))
                best = &row;
        if (best == nullptr) continue;
        const Bounds bounds = *bounds_of(*best);
        const double cycles = static_cast<double>(best->cycles);
        data += in_quotes(kernel) + " " + number(static_cast<double>(bounds.compute) / cycles) +
                " " + number(static_cast<double>(bounds.bandwidth) / cycles) + " " +
                number(static_cast<double>(bounds.occupancy) / cycles) + "\n";
    }
    plot.program += "set title " + in_quotes(plot.title) +
                    "\nset ylabel 'lower bound / simulated time'\nset yrange [0:1]\n"
                    "set style data histograms\nset style fill solid 0.9\nset xtics noenhanced\n"
                    "$d << EOD\n" +
                    data +
                    "EOD\nplot $d using 2:xtic(1) lc rgb '#0072B2' title 'compute', \\\n"
                    "     $d using 3 lc rgb '#009E73' title 'bandwidth', \\\n"
                    "     $d using 4 lc rgb '#E69F00' title 'busiest pipe'\n";
    return data.empty() ? Plot{} : plot;
}

}  // namespace

std::vector<Plot> plots_of(const Analysis& analysis) {
    std::vector<Plot> plots;
    const auto add = [&](Plot plot) {
        if (!plot.program.empty()) plots.push_back(std::move(plot));
    };
    add(sensitivity_plot(analysis));
    add(bounds_plot(analysis));
    for (const std::string& factor : analysis.factors())
        if (factor != "kernel" && factor != "change") add(factor_plot(analysis, factor));
    for (const std::string& kernel : analysis.kernels()) add(pareto_plot(analysis, kernel));
    return plots;
}

void draw(const Plot& plot, const std::string& terminal, const std::string& file) {
    const std::string program = file + ".gnuplot", errors = file + ".errors";
    write_file(program, "set terminal " + terminal + "\nset output " + in_quotes(file) + "\n" +
                            plot.program);
    std::string words[] = {"gnuplot", program};
    char* arguments[] = {words[0].data(), words[1].data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, "gnuplot", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (error == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    const std::string said = error == 0 ? read_file(errors) : "";
    std::remove(program.c_str());
    std::remove(errors.c_str());
    if (error != 0)
        fail_input("I55", "gnuplot, which draws the plots, is not installed",
                   "Debian: apt-get install gnuplot-nox; or ask for tables without plots");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_input("I55", "gnuplot could not draw " + file + ": " + said.substr(0, 300));
}

}  // namespace ptosim::sweep
