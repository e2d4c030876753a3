#include "sim/faces/sweep/reasons.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "sim/faces/sweep/sweep_analysis.h"
#include "sim/files/fixed.h"
#include "sim/machine/model/parameters.h"

namespace ptosim::sweep {
namespace {

constexpr double kSame = 0.003;       // smaller changes of a time are none
constexpr double kBound = 0.6;        // a resource that is busy longer bounds the time
constexpr double kAsExpected = 0.02;  // relative difference of a gain from the change
constexpr double kWorthNamingMet = 0.1;
constexpr double kLongWait = 0.3;
constexpr double kFollows = 0.9;      // transfers that are busy as long as a full L2, HBM or link are busy because of it
constexpr double kWorthNaming = 0.01;  // of the time

std::string share_text(double share) { return fixed(100 * share, 0) + " %"; }
std::string times_text(double factor) { return fixed(factor, 2) + " times"; }

bool is_shared(const std::string& resource) { return resource == "HBM" || resource.ends_with("of L2") || resource == "links"; }

std::string kib(uint64_t bytes) {
    const double value = static_cast<double>(bytes) / 1024;
    return bytes % 1024 == 0 ? std::to_string(bytes / 1024) : fixed(value, 1);
}

Json object_of(const Json& in, const char* name) { return in.contains(name) ? in[name] : Json::object(); }

double quotient(double a, double b) { return b == 0 ? 0 : a / b; }

bool has_counters(const Row& row) { return row.result.contains("pipes") && row.result.contains("work"); }

// Cycles of which the counters are: without the skipped ones.
double counted_cycles(const Row& row) {
    double cycles = 0;
    for (const auto& [type, pipes] : row.result["pipes"].items()) cycles = std::max(cycles, pipes.value("cycles", 0.0));
    return std::max(1.0, cycles);
}

double cores_of(const Row& row) {
    double cores = 0;
    for (const auto& [type, pipes] : row.result["pipes"].items()) cores += pipes.value("cores", 0.0);
    return std::max(1.0, cores);
}

double memory_counter(const Row& row, const char* name) {
    return row.result["work"].contains("memory") ? row.result["work"]["memory"].value(name, 0.0) : 0.0;
}

// Figures of a pipe; null if no core used it.
const Json* pipe_of(const Row& row, const std::string& name) {
    const Json* best = nullptr;
    for (const auto& [type, pipes] : row.result["pipes"].items())
        if (const auto found = pipes["pipes"].find(name); found != pipes["pipes"].end())
            if (best == nullptr || found->value("most", 0.0) > best->value("most", 0.0)) best = &*found;
    return best;
}

// The share of the time by which reads that meet others end later, mean over the cores of the type whose MTE2 is busiest.
double met_share(const Row& row) {
    double most = 0, cores = 1;
    for (const auto& [type, pipes] : row.result["pipes"].items())
        if (const auto found = pipes["pipes"].find("MTE2"); found != pipes["pipes"].end() && found->value("most", 0.0) > most) {
            most = found->value("most", 0.0);
            cores = pipes.value("cores", 1.0);
        }
    return std::min(most, memory_counter(row, "met_cycles") / cores) / counted_cycles(row);
}

std::string wait_words(const std::string& reason) {
    static const auto& words = *new std::map<std::string, std::string>{
        {"flag", "for flags of other pipes"}, {"barrier", "at barriers"},          {"queue full", "for a place in a queue"},
        {"data", "for data"},                 {"cross-core", "for signals of other cores"},
        {"in flight", "for instructions under way"}, {"drain", "for the end of its pipes"}};
    const auto found = words.find(reason);
    return found == words.end() ? "(" + reason + ")" : found->second;
}

// The longest wait of any pipe on average, as words and as a share of the time. Signals count first, because a core that
// waits for another one has nothing else to do.
std::pair<std::string, double> longest_wait(const Row& row) {
    std::string what;
    double most = 0;
    for (const bool signals : {true, false}) {
        for (const auto& [type, pipes] : row.result["pipes"].items())
            for (const auto& [name, figures] : pipes["pipes"].items())
                for (const auto& [reason, cycles] : figures["waits"].items()) {
                    if ((reason == "cross-core") != signals || cycles.get<double>() <= most || reason == "drain") continue;
                    most = cycles.get<double>();
                    what = signals ? type + "s wait for signals of other cores" : name + " of " + type + "s waits " + wait_words(reason);
                }
        if (most > kLongWait * counted_cycles(row)) break;
    }
    return {what, most / counted_cycles(row)};
}

// A counter in cycles of one core that shows why a gain differs from the change.
struct Counter {
    std::string text;  // "reads that meet another core's read of the same window of L2 lose"
    double before = 0, now = 0;
};

std::vector<Counter> counters_of(const Row& base, const Row& changed, const std::string& pipe) {
    std::vector<Counter> counters;
    const auto of_memory = [&](const char* name, const char* text) {
        counters.push_back({text, memory_counter(base, name) / cores_of(base), memory_counter(changed, name) / cores_of(changed)});
    };
    of_memory("met_cycles", "reads that meet another core's read of the same windows of L2 lose");
    of_memory("shared_cycles", "transfers lose to others that share L2 and HBM");
    const Json *before = pipe_of(base, pipe), *now = pipe_of(changed, pipe);
    if (before == nullptr || now == nullptr) return counters;
    std::vector<std::string> reasons;
    for (const Json* one : {before, now})
        for (const auto& [reason, cycles] : (*one)["waits"].items())
            if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    for (const std::string& reason : reasons)
        counters.push_back({pipe + " waits " + wait_words(reason), (*before)["waits"].value(reason, 0.0),
                            (*now)["waits"].value(reason, 0.0)});
    counters.push_back({pipe + " of the other cores idles while the busiest works", before->value("most", 0.0) - before->value("mean", 0.0),
                        now->value("most", 0.0) - now->value("mean", 0.0)});
    std::stable_sort(counters.begin(), counters.end(), [](const Counter& a, const Counter& b) {
        return std::abs(a.before - a.now) > std::abs(b.before - b.now);
    });
    return counters;
}

// The counter that changed most, if it is worth naming.
std::string counter_text(const Row& base, const Row& changed, const std::string& pipe) {
    const double whole = counted_cycles(base);
    for (const Counter& counter : counters_of(base, changed, pipe))
        if (std::abs(counter.before - counter.now) > kWorthNaming * whole)
            return counter.text + " " + fixed(counter.now, 0) + " cycles a core instead of " + fixed(counter.before, 0);
    return {};
}

// The resource that a parameter belongs to; empty for sizes and numbers of things.
std::string resource_of(const std::string& path) {
    const auto starts = [&](const char* word) { return path.starts_with(word); };
    if (starts("system.")) return path.ends_with(".rate") || path.ends_with(".lanes") ? "links" : "";
    if (starts("memory.hbm.")) return "HBM";
    if (starts("memory.l2.read") || starts("memory.l2.both") || starts("memory.l2.far_rows")) return "reads of L2";
    if (starts("memory.l2.write")) return "writes of L2";
    if (starts("aiv.vector.")) return "V";
    if (starts("aic.cube.")) return "M";
    if (starts("aic.l1_to_") || starts("aic.l1.contention")) return "MTE1";
    if (starts("aic.gm_to_") || starts("aiv.gm_to_")) return "MTE2";
    if (starts("aiv.ub_to_")) return "MTE3";
    if (starts("aic.l0c_to_")) return "FIX";
    if (starts("scalar.")) return "S";
    return {};
}

struct BufferName {
    const char* path;
    const char* space;
};
constexpr BufferName kBufferPaths[] = {{"aiv.ub.bytes", "UB"},   {"aic.l1.bytes", "L1"},   {"aic.l0a.bytes", "L0A"},
                                   {"aic.l0b.bytes", "L0B"}, {"aic.l0c.bytes", "L0C"}};

const char* buffer_of(const std::string& path) {
    for (const auto& [buffer, space] : kBufferPaths)
        if (path == buffer) return space;
    return nullptr;
}

std::string choice_text(const Row& row) {
    std::string text;
    if (!row.facts.contains("chosen")) return text;
    for (const auto& [name, value] : row.facts["chosen"].items())
        text += (text.empty() ? "" : ", ") + name + " = " + dump_json(value);
    return text;
}

// "its tiles take 96 of 192 KiB of UB".
std::string buffer_text(const Row& row, const std::string& space) {
    const Json buffers = object_of(row.result["work"], "buffers");
    if (!buffers.contains(space)) return "it uses no " + space;
    return "its tiles take " + kib(buffers[space].value("used", uint64_t{0})) + " of " +
           kib(buffers[space].value("bytes", uint64_t{0})) + " KiB of " + space;
}

// The buffer that is fullest, if it is nearly full.
std::string fullest_text(const Row& row, const std::string& except) {
    std::string best;
    double most = 0.85;
    const Json buffers = object_of(row.result["work"], "buffers");
    for (const auto& [space, use] : buffers.items()) {
        const double full = quotient(use.value("used", 0.0), use.value("bytes", 0.0));
        if (space == except || space == "BIAS" || full < most) continue;
        most = full;
        best = space + " is full (" + kib(use.value("used", uint64_t{0})) + " of " + kib(use.value("bytes", uint64_t{0})) + " KiB)";
    }
    return best;
}

// Larger choices that the chip or the kernel excludes, with the reason.
std::string excluded_text(const Row& row) {
    std::string text;
    if (!row.facts.contains("excluded")) return text;
    for (const auto& [choice, why] : row.facts["excluded"].items())
        text += (text.empty() ? "" : "; ") + choice + " is excluded by '" + why.get<std::string>() + "'";
    return text;
}

// The factor of a change of one figure in the direction of faster; 0 if unknown.
double factor_of(const std::string& path, const Json& change) {
    const double from = std::strtod(change.value("from", std::string()).c_str(), nullptr);
    const double to = std::strtod(change.value("to", std::string()).c_str(), nullptr);
    const std::string from_text = change.value("from", std::string()), to_text = change.value("to", std::string());
    const auto unit = [](const std::string& text) {
        const size_t at = text.find_first_not_of("0123456789.+-e ");
        return at == std::string::npos ? std::string() : text.substr(at);
    };
    if (from <= 0 || to <= 0 || (!unit(to_text).empty() && unit(from_text) != unit(to_text))) return 0;
    const ParameterRow* const row = parameter_row(path);
    const bool less = row != nullptr ? row->faster == Faster::kLess : path.ends_with(".latency");
    return less ? from / to : to / from;
}

std::string nothing_text(const Row& base, const Row& changed, const std::string& path) {
    if (const char* const space = buffer_of(path)) {
        const bool same = base.facts.value("program", std::string()) == changed.facts.value("program", std::string());
        const std::string full = fullest_text(changed, space);
        const std::string choice = choice_text(base);
        if (same && choice.empty())
            return buffer_text(base, space) + "; a larger " + space + " cannot change this kernel";
        if (same) {
            const std::string limits = excluded_text(changed);
            return "the search keeps " + choice + ": " + buffer_text(base, space) +
                   (!limits.empty() ? "; " + limits : full.empty() ? "" : ", and " + full);
        }
        return "tiles become " + choice_text(changed) + ", but " + bound_text(changed);
    }
    if (path == "memory.l2.bytes") {
        const double lacked = memory_counter(base, "hbm_bytes"), now = memory_counter(changed, "hbm_bytes");
        const double moved = base.result["work"].value("global_read_bytes", 0.0) + base.result["work"].value("global_write_bytes", 0.0);
        const std::string bytes = std::abs(now - lacked) < kSame * lacked || lacked == now
                                      ? "L2 already holds all data that are used again: HBM moves " + fixed(lacked / 1048576, 1) + " of " +
                                            fixed(moved / 1048576, 1) + " MiB with either size"
                                      : "HBM moves " + fixed(now / 1048576, 1) + " instead of " + fixed(lacked / 1048576, 1) + " MiB";
        return bytes + ", and " + bound_text(base);
    }
    const std::string resource = resource_of(path);
    if (!resource.empty())
        for (const Use& use : uses_of(base))
            if (use.name == resource) {
                const auto uses = uses_of(base);
                if (uses.front().name == resource)
                    return resource + " is busy " + share_text(use.share) + " of the time, and its results are not waited for: " + bound_text(base);
                return resource + " is busy " + share_text(use.share) + " of the time; " + bound_text(base);
            }
    if (!resource.empty()) return "it does not use " + resource + "; " + bound_text(base);
    if (path == "clusters" && base.facts.value("blocks", 0) == changed.facts.value("blocks", 0) && base.facts.contains("blocks"))
        return "it runs " + dump_json(base.facts["blocks"]) + " blocks on either chip; let 'blocks' follow chip.clusters";
    return bound_text(base);
}

// The name of the resource that limits the base most, if it is a pipe; otherwise the busiest pipe.
std::string main_pipe(const Row& row) {
    for (const Use& use : uses_of(row))
        if (pipe_of(row, use.name) != nullptr) return use.name;
    return {};
}

// "tiles become KT = 256 (KT = 128)"; empty if the choice is the same.
std::string tiles_text(const Row& base, const Row& changed) {
    const std::string before = choice_text(base), now = choice_text(changed);
    if (!now.empty() && before != now) return "the tiles become " + now + " (before: " + before + ")";
    if (now.empty() && base.facts.value("program", std::string()) != changed.facts.value("program", std::string()))
        return "the kernel's tiles follow the chip";
    return {};
}

std::string gain_text(const Row& base, const Row& changed, double gain, double factor, const std::string& path) {
    const std::string resource = resource_of(path);
    std::string text;
    const auto join = [&](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
    };
    if (factor > 1 && gain > 1) {
        if (gain > factor * (1 + kAsExpected)) join("more than the change of " + times_text(factor));
        else if (gain < factor * (1 - kAsExpected)) join("less than the change of " + times_text(factor));
    }
    join(tiles_text(base, changed));
    const double instructions = quotient(base.result.value("instructions", 0.0), changed.result.value("instructions", 0.0));
    if (!text.empty() && std::abs(instructions - 1) > kAsExpected && base.facts.value("program", "") != changed.facts.value("program", ""))
        join("the cores execute " + (instructions > 1 ? times_text(instructions) + " fewer" : times_text(1 / instructions) + " more") +
             " instructions");
    const std::string pipe = main_pipe(base);
    if (!resource.empty() && resource != pipe) {
        double before = 0, now = 0;
        for (const Use& use : uses_of(base)) before = use.name == resource ? use.share : before;
        for (const Use& use : uses_of(changed)) now = use.name == resource ? use.share : now;
        join(resource + " was busy " + share_text(before) + " of the time and now " + share_text(now));
    }
    const Json *before = pipe_of(base, pipe), *now = pipe_of(changed, pipe);
    if (before != nullptr && now != nullptr) {
        const double work = quotient(before->value("most", 0.0) / counted_cycles(base) * base.time_us,
                                     now->value("most", 0.0) / counted_cycles(changed) * changed.time_us);
        const double share0 = before->value("most", 0.0) / counted_cycles(base), share1 = now->value("most", 0.0) / counted_cycles(changed);
        const double fill0 = quotient(before->value("mean", 0.0), before->value("most", 0.0)),
                     fill1 = quotient(now->value("mean", 0.0), now->value("most", 0.0));
        std::string part = "the busiest " + pipe + " works " +
                           (std::abs(work - 1) < 0.005 ? "as long" : work > 1 ? times_text(work) + " shorter" : times_text(1 / work) + " longer") +
                           " and is busy " + share_text(share1) + " instead of " + share_text(share0);
        if (std::abs(fill0 - fill1) > 0.02)
            part += ", cores are filled to " + share_text(fill1) + " instead of " + share_text(fill0);
        join(part);
    }
    const std::string counter = counter_text(base, changed, pipe);
    if (!counter.empty()) join(counter);
    join("now " + bound_text(changed));
    return text;
}

}  // namespace

std::vector<Use> uses_of(const Row& row) {
    std::vector<Use> uses;
    if (!has_counters(row)) return uses;
    const double cycles = counted_cycles(row);
    for (const auto& [type, pipes] : row.result["pipes"].items())
        for (const auto& [name, figures] : pipes["pipes"].items()) {
            if (name == "S") continue;  // its busy time is the block's
            const double most = figures.value("most", 0.0);
            const Use use{name, most / cycles, most == 0 ? 1 : figures.value("mean", 0.0) / most};
            const auto known = std::find_if(uses.begin(), uses.end(), [&, n = name](const Use& other) { return other.name == n; });
            if (known == uses.end())
                uses.push_back(use);
            else if (use.share > known->share)
                *known = use;
        }
    for (const auto& [counter, name] : {std::pair{"hbm_cycles", "HBM"}, {"l2_read_cycles", "reads of L2"}, {"l2_write_cycles", "writes of L2"}})
        uses.push_back({name, memory_counter(row, counter) / cycles, 1});
    if (row.result["work"].contains("links"))
        uses.push_back({"links", row.result["work"]["links"].value("busiest_cycles", 0.0) / cycles, 1});
    std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.share > b.share; });
    const auto shared = std::find_if(uses.begin(), uses.end(), [](const Use& use) { return is_shared(use.name); });
    if (shared == uses.end() || shared->share < kBound) return uses;
    const double share = shared->share;
    for (Use& use : uses)
        use.follows = (use.name == "MTE2" || use.name == "MTE3" || use.name == "FIX") && share >= kFollows * use.share;
    std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
        return std::pair(a.follows, -a.share) < std::pair(b.follows, -b.share);
    });
    return uses;
}

std::string bound_text(const Row& row) {
    const std::vector<Use> uses = uses_of(row);
    if (uses.size() < 2) return "no counter shows what bounds the time";
    const Use &first = uses[0], &second = uses[1];
    if (first.share >= kBound) {
        const double met = first.name == "MTE2" ? met_share(row) : 0;
        const std::string text = first.name + " bounds the time (busy " + share_text(first.share) +
                                 (met < kWorthNamingMet ? "" : ", " + share_text(met) + " because reads of several cores meet at the same windows of L2") + ")";
        if (second.follows || second.share < 0.01) return text + ", and nothing else is busy";
        return text + ", until it becomes " + times_text(first.share / second.share) + " as fast and " + second.name + " (" +
               share_text(second.share) + ") does";
    }
    std::string text = "no resource is busy more than " + share_text(first.share) + " (" + first.name + ")";
    const auto [what, share] = longest_wait(row);
    return share < kWorthNaming ? text : text + ": latencies bound the time, because " + what + " " + share_text(share) + " of it";
}

std::string reason_of(const Row& base, const Row& changed) {
    if (changed.status != "done") return changed.message;
    if (!has_counters(base) || !has_counters(changed)) return {};
    const double gain = quotient(base.time_us, changed.time_us);
    const Json paths = object_of(changed.facts, "paths");
    if (paths.empty()) return bound_text(base);
    const std::string path = paths.begin().key();
    if (paths.size() == 1) {
        if (std::abs(gain - 1) < kSame) return nothing_text(base, changed, path);
        return gain_text(base, changed, gain, factor_of(path, *paths.begin()), path);
    }
    if (std::abs(gain - 1) < kSame) return "none of them is what bounds the time: " + bound_text(changed);
    return gain_text(base, changed, gain, 0, "");
}

}  // namespace ptosim::sweep
