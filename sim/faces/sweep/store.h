// The results of a sweep in one SQLite file. Finished points are kept under all circumstances.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/faces/sweep/plan.h"
#include "sim/files/json.h"

struct sqlite3;

namespace ptosim::sweep {

// The result of one key.
struct Result {
    std::string status;  // "done" or "failed"
    uint64_t cycles = 0;
    double time_us = 0;
    std::string json;     // result of `ptosim run --json`; empty if it failed
    std::string message;  // the first line of the error
    double seconds = 0;   // host time
    std::string worker;
};

// A point of the plan with its result.
struct Row {
    size_t index = 0;
    Json coordinates;
    uint64_t chip_bytes = 0;
    std::string status;   // "done", "failed", "skipped", "missing"
    std::string message;  // the path of a kernel is relative to the working directory
    uint64_t cycles = 0;
    double time_us = 0;
    double seconds = 0;
    Json result;
    Json facts = Json::object();  // of Point
};

// A labelled run of the plan, with the results of its points at that time or since.
struct LabelledRun {
    std::string label, at;  // when it was last run, UTC
    struct Point {
        std::string coordinates;  // JSON, as in Row
        std::string status;       // "done", "failed", "missing"
        uint64_t cycles = 0;
    };
    std::vector<Point> points;
};

// All functions throw DiagnosticError (I52), which names the file, if it is not a database, has another version, is
// locked by another sweep, or the disk is full.
class Store {
 public:
    enum class Access { kWrite, kRead };
    Store(const std::string& file, Access access);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // Makes points of a plan the result of rows(). Results of other points are kept.
    void set_points(const Plan& plan, const std::vector<Point>& points);
    bool has(const std::string& key) const;
    size_t results() const;  // of all keys
    // The cycles of a finished key; 0 if it failed, empty without a result.
    std::optional<uint64_t> cycles_of(const std::string& key) const;
    // Removes failed results, so that they run again.
    void forget_failures();
    void put(const std::string& key, const Result& result);
    // Adds the results of another file.
    void merge(const std::string& file);
    std::string title() const;
    std::vector<Row> rows() const;
    // Stores the present results of the plan's points under a label, and replaces an earlier run with that label.
    void add_run(const std::string& label);
    // In the order in which their labels were added.
    std::vector<LabelledRun> runs() const;

 private:
    class Statement;
    void execute(const std::string& sql) const;
    [[noreturn]] void fail(const std::string& what) const;
    std::string meta(const std::string& key) const;
    void open(Access access);
    void check_version();

    std::string file_;
    sqlite3* db_ = nullptr;
    int lock_ = -1;
    bool has_facts_ = true;  // false: a file of format 1 that is only read
};

}  // namespace ptosim::sweep
