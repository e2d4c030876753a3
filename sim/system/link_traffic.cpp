#include "sim/system/link_traffic.h"

#include <cstdio>
#include <set>

namespace ptosim {
namespace {

constexpr unsigned kProcess = 500, kSent = 50000, kArrived = 50100;

std::string trace_time(Cycle cycles, uint64_t clock_hz) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6f", static_cast<double>(cycles) * 1e6 / static_cast<double>(clock_hz));
    return text;
}

std::string named(const char* what, unsigned thread, const std::string& name) {
    return std::string("{\"name\":\"") + what + "\",\"ph\":\"M\",\"pid\":" + std::to_string(kProcess) +
           ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":\"" + name + "\"}}";
}

}  // namespace

std::string traffic_events(std::span<const Links::Traffic> traffic, unsigned rank, uint64_t clock_hz) {
    if (traffic.empty()) return {};
    std::string text = named("process_name", 0, "links");
    std::set<unsigned> lanes;
    for (const Links::Traffic& one : traffic) {
        const unsigned lane = (one.sent ? kSent : kArrived) + one.peer;
        if (lanes.insert(lane).second)
            text += ",\n" + named("thread_name", lane, (one.sent ? "to chip " : "from chip ") + std::to_string(one.peer));
        const std::string where = ",\"ts\":" + trace_time(one.begin, clock_hz) +
                                  ",\"pid\":" + std::to_string(kProcess) + ",\"tid\":" + std::to_string(lane);
        text += std::string(",\n{\"name\":\"") + one.what + "\",\"cat\":\"message\",\"ph\":\"X\"" + where +
                ",\"dur\":" + trace_time(one.end - one.begin, clock_hz) +
                ",\"args\":{\"bytes\":" + std::to_string(one.bytes) + "}}";
        const std::string from = std::to_string(one.sent ? rank : one.peer), to = std::to_string(one.sent ? one.peer : rank);
        text += std::string(",\n{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"") + (one.sent ? "s" : "f\",\"bp\":\"e") +
                "\",\"id\":\"" + from + ">" + to + "#" + std::to_string(one.number) + "\"" + where + "}";
    }
    return text;
}

}  // namespace ptosim
