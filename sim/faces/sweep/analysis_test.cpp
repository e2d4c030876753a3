// Rows and expected values are made by hand.
#include "sim/faces/sweep/sweep_analysis.h"

#include <catch2/catch.hpp>

#include "sim/faces/sweep/change_table.h"
#include "sim/faces/sweep/plots.h"
#include "sim/faces/sweep/report.h"

using namespace ptosim::sweep;

namespace {

Row row(const char* kernel, const char* ub, int tile, uint64_t bytes, double time) {
    Row r;
    r.coordinates = {{"kernel", kernel}, {"chip", "c"}, {"aiv.ub.bytes", ub}, {"T", tile}};
    r.chip_bytes = bytes;
    r.status = time > 0 ? "done" : "skipped";
    r.message = time > 0 ? "" : "does not fit";
    r.time_us = time;
    r.cycles = static_cast<uint64_t>(time * 1000);
    r.result = ptosim::Json::object();
    return r;
}

// Times of T = 64 and 128 at three sizes of UB; one combination was skipped.
ptosim::sweep::Analysis example() {
    return ptosim::sweep::Analysis({row("k", "1", 64, 10, 8), row("k", "1", 128, 10, 0),
                                    row("k", "2", 64, 20, 8), row("k", "2", 128, 20, 4),
                                    row("k", "3", 64, 30, 6), row("k", "3", 128, 30, 4),
                                    row("other", "1", 64, 10, 3)});
}

}  // namespace

TEST_CASE("factors are the coordinates that vary") {
    CHECK(example().factors() == std::vector<std::string>{"kernel", "aiv.ub.bytes", "T"});
    CHECK(example().kernels() == std::vector<std::string>{"k", "other"});
}

TEST_CASE("the Pareto front has the fastest of each size that nothing smaller beats") {
    CHECK(example().pareto("k") == std::vector<size_t>{0, 3});  // 30 bytes are not faster than 20
    CHECK(example().pareto("other") == std::vector<size_t>{6});
}

TEST_CASE("two values of a factor are points, three are joined") {
    std::string by_ub, by_t;
    for (const Plot& plot : plots_of(example())) {
        if (plot.name == "time_by_aiv_ub_bytes") by_ub = plot.program;
        if (plot.name == "time_by_T") by_t = plot.program;
    }
    CHECK(by_ub.find("linespoints") != std::string::npos);
    CHECK(by_t.find("with points") != std::string::npos);
    CHECK(by_t.find("linespoints") == std::string::npos);
}

TEST_CASE("the front of time, area and energy") {
    // By hand: the second point is slower and larger than the first, the third faster and larger, the last equals the third.
    std::vector<Row> rows;
    for (const auto& [time, area] : {std::pair{8.0, 100.0}, {9.0, 110.0}, {4.0, 120.0}, {4.0, 120.0}}) {
        rows.push_back(row("k", "1", 64, 10, time));
        const ptosim::Json none{0, 0, 0};
        rows.back().facts["cost"] = {{"area_mm2", {area / 2, area, area * 2}},
                                     {"leakage_mw", {1, 1, 1}},
                                     {"energy", {{"l2", none}, {"hbm", none}, {"mac", none}, {"lane", none}, {"core", none}}}};
        rows.back().result = {{"work", {{"buffers", ptosim::Json::object()}, {"memory", ptosim::Json::object()}}}};
    }
    CHECK(cost_front(rows, "k") == std::vector<size_t>{2, 0});
    // Leakage alone: 100 mm2 times 1 mW for 8 us are 0.8 uJ.
    CHECK(energy_uj(rows[0])->value() == Approx(0.8));
    CHECK(energy_uj(rows[0])->most() == Approx(1.6));
    CHECK(cost_front({row("k", "1", 64, 10, 8)}, "k").empty());
}

TEST_CASE("sensitivities compare points that differ in one factor") {
    const auto found = example().sensitivities();
    REQUIRE(found.size() == 2);
    // T: 8/4 at UB 2, 6/4 at UB 3; UB: T = 64: 8/6, T = 128: 4/4.
    CHECK(found[0].factor == "T");
    CHECK(found[0].comparisons == 2);
    CHECK(found[0].median == Approx(1.75));
    CHECK(found[0].largest == Approx(2.0));
    CHECK(found[0].best == "128");
    CHECK(found[1].factor == "aiv.ub.bytes");
    CHECK(found[1].median == Approx((8.0 / 6 + 1) / 2));
}

TEST_CASE("the best time of each value of a factor") {
    const auto best = example().best_by("k", "aiv.ub.bytes");
    REQUIRE(best.size() == 3);
    CHECK(best[0].time_us == 8);
    CHECK(best[1].time_us == 4);
    CHECK(best[2].time_us == 4);
}

TEST_CASE("two parameters of the chip that are worth something only together") {
    // Twice the UB and twice the L0C together halve the time, each alone has no effect. T is free, and a third
    // parameter without effect is in no pair.
    std::vector<Row> rows;
    for (const char* ub : {"1", "2"})
        for (const char* l0c : {"1", "2"})
            for (int tile : {64, 128}) {
                const bool both = *ub == '2' && *l0c == '2';
                rows.push_back(row("k", ub, tile, 10, both && tile == 128 ? 4 : 8));
                rows.back().coordinates["aic.l0c.bytes"] = l0c;
                rows.back().coordinates["aic.l0a.bytes"] = tile == 64 ? "1" : "2";
            }
    rows.push_back(row("k", "3", 64, 10, 0));
    const ptosim::sweep::Analysis analysis(rows);
    const auto pairs = analysis.pairs("k");
    CHECK(std::find(pairs.begin(), pairs.end(),
                    std::pair<std::string, std::string>("aiv.ub.bytes", "aic.l0c.bytes")) !=
          pairs.end());
    const auto grid = analysis.best_by("k", "aiv.ub.bytes", "aic.l0c.bytes");
    CHECK(grid.down == std::vector<std::string>{"1", "2", "3"});
    CHECK(grid.across == std::vector<std::string>{"1", "2"});
    CHECK(grid.time_us == std::vector<std::vector<double>>{{8, 8}, {8, 4}, {0, 0}});
    CHECK(analysis.pairs("other").empty());
    const Trend none({});
    CHECK(report_text("t", analysis, none).find("Fastest time of k in us") != std::string::npos);
    CHECK(report_json("t", analysis, none).find("best_by_two") != std::string::npos);
}

TEST_CASE("bounds come from the result") {
    Row r = row("k", "1", 64, 10, 8);
    CHECK_FALSE(bounds_of(r));
    r.result = {
        {"work", {{"compute_cycles", 100}, {"bandwidth_cycles", 300}, {"occupancy_cycles", 50}}}};
    CHECK(bounds_of(r)->roofline() == 300);
}

TEST_CASE("each chip by itself") {
    // On chip c twice the UB saves a half, on d nothing; the combination hides that.
    std::vector<Row> rows;
    for (const char* chip : {"c", "d"})
        for (const char* ub : {"1", "2"}) {
            rows.push_back(row("k", ub, 64, 10, *chip == 'c' ? (*ub == '2' ? 4 : 8) : 9));
            rows.back().coordinates["chip"] = chip;
        }
    CHECK(ptosim::sweep::Analysis({rows[0], rows[1]}).by_chip().empty());
    const auto chips = ptosim::sweep::Analysis(rows).by_chip();
    REQUIRE(chips.size() == 2);
    CHECK(chips[0].first == "c");
    CHECK(chips[1].first == "d");
    CHECK(chips[0].second.best_by("k", "aiv.ub.bytes")[1].time_us == 4);
    CHECK(chips[1].second.best_by("k", "aiv.ub.bytes")[0].time_us == 9);
    CHECK(chips[1].second.best_by("k", "aiv.ub.bytes")[1].time_us == 9);
}

TEST_CASE("how far off a time may be comes from the result") {
    Row r = row("k", "1", 64, 10, 8);
    CHECK(range_percent_of(r) == 0);
    r.result = {{"time_basis", {{"range_percent", 8.5}}}};
    CHECK(range_percent_of(r) == 8.5);
    CHECK(report_csv(ptosim::sweep::Analysis({r})).find(",8.5,\n") != std::string::npos);
}

TEST_CASE("a table of every point as CSV") {
    const std::string csv = report_csv(example());
    CHECK(csv.starts_with("kernel,chip,aiv.ub.bytes,T,status,cycles,time_us,onchip_bytes,"));
    CHECK(csv.find("\nk,c,1,64,done,8000,8.000000,10,,,,,\n") != std::string::npos);
    CHECK(csv.find("\nk,c,1,128,skipped,,,10,,,,,does not fit\n") != std::string::npos);
}
