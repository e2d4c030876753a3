#include "sim/session/scope.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <tuple>

#include "isa/assembly/program/interpreter.h"
#include "isa/assembly/verify/reached.h"
#include "isa/core/input_file.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/files/sha256.h"

namespace ptosim {
namespace {

constexpr int kVersion = 1;
constexpr size_t kMostPlaces = 10;  // limit of places named in the text
constexpr const char* kKinds[] = {"line", "branch", "loop", "flag"};
constexpr const char* kNames[] = {"lines", "arms of branches", "iteration counts of loops",
                                  "flag sites"};

std::string place_text(const Scope::Point& point) {
    std::string text = point.file + ":" + std::to_string(point.line);
    if (!point.what.empty()) text += " (" + point.what + ")";
    return text;
}

Json place_json(const Scope::Point& point) {
    Json json{{"kind", point.kind}, {"file", point.file}, {"line", point.line}};
    if (point.column != 0) json["column"] = point.column;
    if (!point.what.empty()) json["what"] = point.what;
    if (point.explored) json["explored"] = true;
    return json;
}

std::string hash_of_sources(const SourceMap& sources) {
    std::string all;
    for (size_t i = 0; i < sources.size(); ++i) all += sources.text(static_cast<uint16_t>(i));
    return sha256(std::as_bytes(std::span(all)));
}

Json to_json(const Scope& scope) {
    Json points = Json::array();
    for (const Scope::Point& p : scope.points)
        points.push_back({p.kind, p.file, p.line, p.column, p.what, p.count});
    return {{"kernel", scope.kernel},
            {"sha256", scope.sha256},
            {"complete", scope.complete},
            {"runs", scope.runs},
            {"points", std::move(points)}};
}

Scope from_json(const Json& json) {
    Scope scope;
    json.at("kernel").get_to(scope.kernel);
    json.at("sha256").get_to(scope.sha256);
    json.at("complete").get_to(scope.complete);
    json.at("runs").get_to(scope.runs);
    for (const Json& p : json.at("points"))
        scope.points.push_back({p.at(0), p.at(1), p.at(2), p.at(3), p.at(4), p.at(5)});
    return scope;
}

std::vector<Scope> read_scopes(const std::string& path) {
    std::vector<Scope> scopes;
    if (!std::filesystem::exists(path)) return scopes;
    const std::string text = read_file(path);
    if (text.empty()) return scopes;
    try {
        const Json json = parse_json(text);
        if (json.at("version") == kVersion) {
            for (const Json& scope : json.at("kernels")) scopes.push_back(from_json(scope));
            return scopes;
        }
    } catch (const Json::Error&) {
    }
    fail_input("I67", path + " is not a --scope file, or has another version",
               "name another file, or remove it");
}

// Held while one process reads and writes a file.
class FileLock {
 public:
    explicit FileLock(const std::string& path)
        : file_{open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)} {
        if (file_ < 0)
            fail_input("I02", path + ".lock: cannot be written: " + std::strerror(errno),
                       "it is created next to the --scope file: name a file in an existing folder");
        flock(file_, LOCK_EX);
    }
    ~FileLock() { close(file_); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

 private:
    int file_;
};

}  // namespace

void Scope::add(const Scope& other) {
    const auto key = [](const Point& p) {
        return std::tie(p.file, p.line, p.column, p.kind, p.what);
    };
    for (const Point& point : other.points) {
        const auto same = std::find_if(points.begin(), points.end(),
                                       [&](const Point& mine) { return key(mine) == key(point); });
        if (same == points.end()) {
            points.push_back(point);
            continue;
        }
        same->count += point.count;
        same->explored |= point.explored;
    }
    runs += other.runs;
}

namespace {

// The number of points of a kind, and how many of them were reached.
struct Reached {
    size_t reached = 0, all = 0;
};
Reached reached_of(const std::vector<Scope::Point>& points, std::string_view kind) {
    Reached count;
    for (const Scope::Point& p : points)
        if (p.kind == kind) {
            ++count.all;
            count.reached += p.count > 0 ? 1 : 0;
        }
    return count;
}

}  // namespace

Json Scope::summary() const {
    Json json{{"kernel", kernel}, {"runs", runs}, {"complete", complete}};
    for (size_t k = 0; k < std::size(kKinds); ++k) {
        const auto [reached, all] = reached_of(points, kKinds[k]);
        if (!complete && all == 0) continue;
        json[std::string(kKinds[k])] = {{"reached", reached}};
        if (complete) json[kKinds[k]]["all"] = all;
    }
    json["not_reached"] = Json::array();
    for (const Point& p : points)
        if (p.count == 0) json["not_reached"].push_back(place_json(p));
    return json;
}

std::string Scope::text() const {
    if (runs == 0) return {};
    std::string text = "reached by " + std::to_string(runs) + (runs == 1 ? " run: " : " runs: ");
    std::string places;
    size_t missing = 0;
    bool first = true;
    for (size_t k = 0; k < std::size(kKinds); ++k) {
        const auto [reached, all] = reached_of(points, kKinds[k]);
        if (all == 0) continue;
        text += (first ? "" : ", ") + std::to_string(reached) +
                (complete ? " of " + std::to_string(all) : std::string()) + " " + kNames[k];
        first = false;
    }
    if (first) return {};
    if (!complete)
        return text +
               "; other lines are unknown, because the code is compiled, and were not checked: run "
               "with arguments that "
               "reach them\n";
    for (const Point& p : points)
        if (p.count == 0 && !p.explored && p.kind != "flag" && missing++ < kMostPlaces)
            places += (places.empty() ? "" : ", ") + place_text(p);
    if (missing > kMostPlaces)
        places += " and " + std::to_string(missing - kMostPlaces) + " more (--json)";
    if (missing > 0) text += "; not reached, and not checked: " + places;
    return text + "\n";
}

// ---- collecting ---------------------------------------------------------------------------

void ScopeMeter::begin(const Kernel& kernel) {
    if (kernel_ != nullptr && kernel_ != &kernel) return;
    kernel_ = &kernel;
    ++runs_;
    const assembly::AssemblyKernel* const steps = assembly::steps_of(kernel);
    if (steps == nullptr) return;
    program_ = &steps->program();
    steps_.executed.resize(program_->steps.size());
    steps_.jumped.resize(program_->steps.size());
    steps->count_steps(&steps_);
}

void ScopeMeter::end() {
    if (program_ != nullptr) assembly::steps_of(*kernel_)->count_steps(nullptr);
}

bool ScopeMeter::taken(uint32_t step, bool jumps) const {
    const uint64_t jumped = steps_.jumped.at(step);
    return jumps ? jumped > 0 : steps_.executed.at(step) > jumped;
}

void ScopeMeter::on_complete(const InstructionEvent& event) {
    const SourceLocation where = event.instruction->location;
    if (program_ == nullptr && where.line != 0) ++lines_[{where.file, where.line}];
}

Scope ScopeMeter::scope() const {
    Scope scope;
    if (kernel_ == nullptr) return scope;
    const SourceMap& sources = kernel_->sources();
    scope.kernel = kernel_->name();
    scope.sha256 = hash_of_sources(sources);
    scope.runs = runs_;
    scope.complete = program_ != nullptr;
    if (program_ != nullptr)
        for (const assembly::ReachPoint& p : reach_points(*program_, steps_))
            scope.points.push_back({kKinds[static_cast<size_t>(p.kind)],
                                    std::string(sources.file(p.where)), p.where.line,
                                    p.where.column, std::string(p.what), p.count});
    // These have the same points in the same order.
    if (!explored_.executed.empty()) {
        const std::vector<assembly::ReachPoint> explored = reach_points(*program_, explored_);
        for (size_t i = 0; i < explored.size(); ++i)
            scope.points[i].explored = explored[i].count > 0;
    }
    for (const auto& [line, count] : lines_)
        scope.points.push_back({kKinds[0], std::string(sources.file({line.first, 0, line.second})),
                                line.second, 0, "", count});
    return scope;
}

// ---- files --------------------------------------------------------------------------------

void check_scope_file(const std::string& path) {
    check_writable(path);
    read_scopes(path);
}

Scope add_to_file(const std::string& path, const Scope& scope) {
    const FileLock lock(path);
    std::vector<Scope> scopes = read_scopes(path);
    auto same = std::find_if(scopes.begin(), scopes.end(), [&](const Scope& s) {
        return s.kernel == scope.kernel && s.sha256 == scope.sha256;
    });
    if (same == scopes.end())
        same = scopes.insert(scopes.end(), scope);
    else
        same->add(scope);
    const Scope all = *same;
    Json json{{"version", kVersion}, {"kernels", Json::array()}};
    for (const Scope& s : scopes) json["kernels"].push_back(to_json(s));
    write_file(path, dump_json(json, 1) + "\n");
    return all;
}

}  // namespace ptosim
