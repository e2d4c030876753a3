#include "sim/faces/sweep/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "isa/core/diagnostic.h"
#include "sim/files/json.h"

namespace ptosim::sweep {
namespace {

constexpr int kApplication = 0x50544F53;  // "PTOS"
constexpr int kVersion = 2;

constexpr const char* kSchema = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE point(idx INTEGER PRIMARY KEY, key TEXT, coordinates TEXT NOT NULL,
                   chip_bytes INTEGER NOT NULL, skipped TEXT NOT NULL,
                   facts TEXT NOT NULL DEFAULT '{}');
CREATE TABLE result(key TEXT PRIMARY KEY, status TEXT NOT NULL, cycles INTEGER NOT NULL,
                    time_us REAL NOT NULL, json TEXT NOT NULL, message TEXT NOT NULL,
                    seconds REAL NOT NULL, worker TEXT NOT NULL,
                    finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;
)";
// For labelled runs; older files lack it.
constexpr const char* kRunSchema = R"(
CREATE TABLE IF NOT EXISTS run(number INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE,
                               at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS run_point(run INTEGER NOT NULL, coordinates TEXT NOT NULL,
                                     key TEXT NOT NULL, PRIMARY KEY(run, coordinates)) WITHOUT ROWID;
)";

}  // namespace

// A prepared statement; values are bound and read in order.
class Store::Statement {
 public:
    Statement(const Store& store, const char* sql) : store_{store} {
        if (sqlite3_prepare_v2(store.db_, sql, -1, &statement_, nullptr) != SQLITE_OK)
            store.fail("cannot be read");
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(const std::string& text) {
        sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT);
        return *this;
    }
    Statement& bind(uint64_t value) {
        sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value));
        return *this;
    }
    Statement& bind(double value) {
        sqlite3_bind_double(statement_, ++bound_, value);
        return *this;
    }
    // Returns true if there is another row.
    bool step() {
        const int code = sqlite3_step(statement_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) store_.fail("cannot be written or read");
        return code == SQLITE_ROW;
    }
    void run() {
        step();
        sqlite3_reset(statement_);
        bound_ = 0;
    }
    std::string text(int column) const {
        const unsigned char* value = sqlite3_column_text(statement_, column);
        return value == nullptr ? "" : reinterpret_cast<const char*>(value);
    }
    uint64_t integer(int column) const {
        return static_cast<uint64_t>(sqlite3_column_int64(statement_, column));
    }
    double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
    const Store& store_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

void Store::fail(const std::string& what) const {
    const int code = sqlite3_errcode(db_);
    std::string hint;
    if (code == SQLITE_FULL)
        hint = "the disk is full; finished points are kept: free space and run it again";
    if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM)
        hint = "check that the folder exists and is writable";
    if (code == SQLITE_NOTADB) hint = "it was not written by ptosim sweep";
    fail_input("I52", "sweep file " + file_ + " " + what + ": " + sqlite3_errmsg(db_), hint);
}

Store::Store(const std::string& file, Access access) : file_{file} {
    try {
        open(access);
        check_version();
    } catch (...) {
        sqlite3_close(db_);
        if (lock_ >= 0) close(lock_);
        throw;
    }
}

void Store::open(Access access) {
    const bool exists = std::filesystem::exists(file_);
    if (access == Access::kRead && !exists)
        fail_input("I52", "sweep file " + file_ + " does not exist",
                   "ptosim sweep PLAN.json --out " + file_ + " makes it");
    if (access == Access::kWrite) {
        lock_ = ::open(file_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
        if (lock_ < 0)
            fail_input("I52", "sweep file " + file_ + " cannot be written",
                       "check that the folder exists and is writable");
        if (flock(lock_, LOCK_EX | LOCK_NB) != 0)
            fail_input("I52", "sweep file " + file_ + " is being written by another sweep",
                       "wait for it, or write to another file with --out");
    }
    const int flags =
        access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(file_.c_str(), &db_, flags, nullptr) != SQLITE_OK) fail("cannot be opened");
    sqlite3_busy_timeout(db_, 10000);
    if (access == Access::kRead) return;
    Statement tables(*this, "SELECT count(*) FROM sqlite_master");
    tables.step();
    if (tables.integer(0) > 0) return;
    execute("PRAGMA application_id=" + std::to_string(kApplication));
    execute("PRAGMA user_version=" + std::to_string(kVersion));
    execute(kSchema);
}

void Store::check_version() {
    const auto pragma = [&](const char* sql) {
        Statement statement(*this, sql);
        statement.step();
        return static_cast<int>(statement.integer(0));
    };
    if (pragma("PRAGMA application_id") != kApplication)
        fail_input("I52", "sweep file " + file_ + " is a database of another program",
                   "write to another file with --out");
    int version = pragma("PRAGMA user_version");
    if (version == 1 && sqlite3_db_readonly(db_, "main") == 0) {  // the points had no facts
        execute("BEGIN IMMEDIATE; ALTER TABLE point ADD COLUMN facts TEXT NOT NULL DEFAULT '{}'; PRAGMA user_version=" +
                std::to_string(kVersion) + "; COMMIT");
        version = kVersion;
    }
    has_facts_ = version == kVersion;
    if (version != kVersion && version != 1)
        fail_input("I52",
                   "sweep file " + file_ + " is of format " + std::to_string(version) +
                       ", and this version reads and writes format " + std::to_string(kVersion),
                   "read it with the version that wrote it, or write to another file with --out");
}

Store::~Store() {
    sqlite3_close(db_);
    if (lock_ >= 0) close(lock_);  // after SQLite, whose locks end when any descriptor of the file is closed
}

void Store::execute(const std::string& sql) const {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fail("cannot be written");
}

void Store::set_points(const Plan& plan, const std::vector<Point>& points) {
    execute("BEGIN IMMEDIATE");
    try {
        execute("DELETE FROM point");
        Statement meta(*this, "INSERT OR REPLACE INTO meta VALUES(?, ?)");
        meta.bind(std::string("title")).bind(plan.title()).run();
        meta.bind(std::string("plan")).bind(plan.text()).run();
        meta.bind(std::string("folder")).bind(plan.folder()).run();
        Statement insert(*this, "INSERT INTO point VALUES(?, ?, ?, ?, ?, ?)");
        for (const Point& point : points)
            insert.bind(uint64_t{point.index})
                .bind(point.key)
                .bind(dump_json(point.coordinates()))
                .bind(point.chip_bytes)
                .bind(point.skipped)
                .bind(dump_json(point.facts))
                .run();
        execute("COMMIT");
    } catch (...) {
        sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

bool Store::has(const std::string& key) const {
    Statement statement(*this, "SELECT 1 FROM result WHERE key = ?");
    return statement.bind(key).step();
}

size_t Store::results() const {
    Statement statement(*this, "SELECT count(*) FROM result");
    statement.step();
    return statement.integer(0);
}

std::optional<uint64_t> Store::cycles_of(const std::string& key) const {
    Statement statement(*this, "SELECT cycles, status FROM result WHERE key = ?");
    if (!statement.bind(key).step()) return std::nullopt;
    return statement.text(1) == "done" ? statement.integer(0) : 0;
}

void Store::forget_failures() { execute("DELETE FROM result WHERE status = 'failed'"); }

void Store::put(const std::string& key, const Result& result) {
    Statement statement(
        *this,
        "INSERT OR REPLACE INTO result(key, status, cycles, time_us, json, message, "
        "seconds, worker) VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    statement.bind(key)
        .bind(result.status)
        .bind(result.cycles)
        .bind(result.time_us)
        .bind(result.json)
        .bind(result.message)
        .bind(result.seconds)
        .bind(result.worker)
        .run();
}

void Store::merge(const std::string& file) {
    { const Store checked(file, Access::kRead); }  // checks program and version
    Statement attach(*this, "ATTACH ? AS other");
    attach.bind(file).run();
    execute("INSERT OR IGNORE INTO result SELECT * FROM other.result");
    execute("DETACH other");
}

std::string Store::meta(const std::string& key) const {
    Statement statement(*this, "SELECT value FROM meta WHERE key = ?");
    return statement.bind(key).step() ? statement.text(0) : "";
}

std::string Store::title() const { return meta("title"); }

namespace {

// Makes FILE in "FILE:LINE: ...", which is relative to the folder, relative to the working directory.
std::string seen_from_here(const std::string& message, const std::filesystem::path& folder) {
    const std::string file = message.substr(0, message.find(':'));
    std::error_code error;
    const std::filesystem::path path = folder / file;
    if (folder.empty() || file == message || !std::filesystem::is_regular_file(path, error))
        return message;
    const std::filesystem::path seen = std::filesystem::relative(path, error);
    return error ? message : seen.string() + message.substr(file.size());
}

}  // namespace

std::vector<Row> Store::rows() const {
    const std::string folder = meta("folder");
    const std::string query = std::string("SELECT idx, coordinates, chip_bytes, skipped, status, message, cycles, "
                                          "time_us, seconds, json, ") +
                              (has_facts_ ? "facts" : "'{}'") + " FROM point LEFT JOIN result USING(key) ORDER BY idx";
    Statement statement(*this, query.c_str());
    std::vector<Row> rows;
    while (statement.step()) {
        Row& row = rows.emplace_back();
        row.index = statement.integer(0);
        row.coordinates = parse_json(statement.text(1));
        row.chip_bytes = statement.integer(2);
        const std::string skipped = statement.text(3), status = statement.text(4);
        row.status = !skipped.empty() ? "skipped" : status.empty() ? "missing" : status;
        row.message = seen_from_here(skipped.empty() ? statement.text(5) : skipped, folder);
        row.cycles = statement.integer(6);
        row.time_us = statement.real(7);
        row.seconds = statement.real(8);
        const std::string json = statement.text(9);
        if (!json.empty()) row.result = parse_json(json, {.sorts = true});
        row.facts = parse_json(statement.text(10));
    }
    return rows;
}

void Store::add_run(const std::string& label) {
    execute(kRunSchema);
    execute("BEGIN IMMEDIATE");
    try {
        Statement(*this, "INSERT OR IGNORE INTO run(label, at) VALUES(?, '')").bind(label).run();
        Statement(*this, "UPDATE run SET at = CURRENT_TIMESTAMP WHERE label = ?").bind(label).run();
        Statement(*this,
                  "DELETE FROM run_point WHERE run = (SELECT number FROM run WHERE label = ?)")
            .bind(label)
            .run();
        Statement(*this,
                  "INSERT OR REPLACE INTO run_point SELECT (SELECT number FROM run WHERE label = "
                  "?), coordinates, key FROM point WHERE skipped = ''")
            .bind(label)
            .run();
        execute("COMMIT");
    } catch (...) {
        sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

std::vector<LabelledRun> Store::runs() const {
    Statement tables(*this, "SELECT count(*) FROM sqlite_master WHERE name = 'run_point'");
    tables.step();
    std::vector<LabelledRun> runs;
    if (tables.integer(0) == 0) return runs;
    Statement statement(*this,
                        "SELECT number, label, at, coordinates, status, cycles FROM run LEFT JOIN "
                        "run_point ON number = run LEFT JOIN result USING(key) ORDER BY number, "
                        "coordinates");
    uint64_t number = UINT64_MAX;
    while (statement.step()) {
        if (statement.integer(0) != number)
            runs.push_back({statement.text(1), statement.text(2), {}});
        number = statement.integer(0);
        const std::string status = statement.text(4);
        if (statement.text(3).empty()) continue;
        runs.back().points.push_back(
            {statement.text(3), status.empty() ? "missing" : status, statement.integer(5)});
    }
    return runs;
}

}  // namespace ptosim::sweep
