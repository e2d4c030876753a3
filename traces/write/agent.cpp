#include "traces/write/agent.h"

#include <algorithm>

#include "traces/analyse/labels.h"
#include "traces/analyse/wait_groups.h"
#include "traces/write/advice_json.h"
#include "traces/write/data_text.h"
#include "traces/write/summary.h"

namespace ptosim {

namespace {

// Limits of the report's length, reduced until it fits.
struct Limits {
    size_t advice, waits, texts, text;  // texts: of findings, gaps and assumed figures
};
constexpr Limits kSteps[] = {{6, 8, 5, 240}, {5, 6, 4, 200}, {4, 5, 3, 160}, {3, 4, 2, 120},
                             {3, 3, 2, 90},  {2, 2, 1, 70},  {1, 1, 1, 50},  {1, 0, 0, 24}};

// Cores of one type together.
struct OfType {
    uint64_t used = 0, all = 0;
    std::array<Cycle, kPipeCount> busy{};
};

OfType of_type(const Recording& recording, const Accounting& accounting, CoreType type) {
    OfType result;
    result.all = type == CoreType::kAIC ? recording.facts.aics : recording.facts.aivs;
    for (const CoreAccount& core : accounting.cores) {
        if (core.core.type != type || core.blocks == 0) continue;
        ++result.used;
        for (unsigned i = 0; i < kPipeCount; ++i) result.busy[i] += core.pipes[i].busy;
    }
    return result;
}

void put_cores(JsonText& json, const Recording& recording, const Accounting& accounting) {
    json.key("cores").object();
    for (const CoreType type : {CoreType::kAIC, CoreType::kAIV}) {
        const OfType cores = of_type(recording, accounting, type);
        if (cores.used == 0) continue;
        json.key(name(type)).object().member("used", cores.used).member("of", cores.all);
        json.key("busy_percent").object();
        for (unsigned i = 0; i < kPipeCount; ++i)
            // S of an executor is busy with waiting for tasks.
            if (cores.busy[i] > 0 && !(recording.program && static_cast<Pipe>(i) == Pipe::kS))
                json.member(name(static_cast<Pipe>(i)),
                            share_in_percent(cores.busy[i], accounting.duration() * cores.used));
        json.end().end();
    }
    json.end();
}

void put_waits(JsonText& json, const Recording& recording, const Accounting& accounting,
               const Limits& limits) {
    const std::vector<WaitGroup> groups = wait_groups(accounting);
    json.key("waits").array();
    for (size_t i = 0; i < std::min(limits.waits, groups.size()); ++i) {
        const WaitGroup& group = groups[i];
        const uint64_t used = of_type(recording, accounting, group.type).used;
        json.object().member("pipe",
                             std::string(name(group.type)) + "/" + std::string(name(group.pipe)));
        json.member("for", shortened(short_text(group.site->cause), limits.text));
        if (!group.site->waiter.empty())
            json.member("at", shortened(group.site->waiter, limits.text));
        if (!group.site->waiter_call.empty())
            json.member("call", shortened(group.site->waiter_call, limits.text));
        if (!group.site->release.empty())
            json.member("set_at", shortened(group.site->release, limits.text));
        if (!group.site->release_call.empty())
            json.member("set_by", shortened(group.site->release_call, limits.text));
        json.member("cycles_per_core", group.cycles / std::max<uint64_t>(1, used));
        json.member("cores", group.cores).member("times", group.times);
        if (group.open) json.member("never_released", true);
        json.end();
    }
    json.end();
    if (groups.size() > limits.waits)
        json.member("waits_in_all", static_cast<uint64_t>(groups.size()));
}

void put_findings(JsonText& json, const Recording& recording, const Limits& limits) {
    const auto& list = recording.diagnostics;
    if (list.empty()) return;
    json.member("findings_in_all", static_cast<uint64_t>(list.size())).key("findings").array();
    for (size_t i = 0; i < std::min(limits.texts, list.size()); ++i) {
        json.object().member("code", list[i].code);
        if (!list[i].file.empty())
            json.member("file", shortened(list[i].file, limits.text))
                .member("line", list[i].location.line);
        json.member("message", shortened(list[i].message, limits.text)).end();
    }
    json.end();
}

void put_texts(JsonText& json, std::string_view key, const std::vector<std::string>& texts,
               const Limits& limits) {
    json.key(key).array();
    for (size_t i = 0; i < std::min(limits.texts, texts.size()); ++i)
        json.value(shortened(texts[i], limits.text));
    json.end();
}

void put_mismatches(JsonText& json, const Recording& recording, const Limits& limits) {
    if (recording.mismatches.empty()) return;
    json.key("mismatches").array();
    for (size_t i = 0; i < std::min(limits.texts, recording.mismatches.size()); ++i)
        json.value(shortened(mismatch_text(recording, recording.mismatches[i]), limits.text));
    json.end();
}

// The meaning, basis and limits of the times.
void put_scope(JsonText& json, const Recording& recording, const Analysis& a,
               const Limits& limits) {
    json.key("scope").object();
    json.member("times", "modelled cycles of the chip, without the host's launch cost");
    if (a.basis.all() != 0) put_basis(json.key("rests_on"), a.basis);
    json.member("assumed_figures", static_cast<uint64_t>(recording.assumed.size()));
    if (!recording.assumed.empty()) put_texts(json, "assumed", recording.assumed, limits);
    if (!recording.gaps.empty()) put_texts(json, "incomplete", recording.gaps, limits);
    json.end();
}

std::string text_of(const Recording& recording, const Analysis& a, const Limits& limits) {
    const Accounting& acc = a.accounting;
    JsonText json;
    json.object().member("format", "ptosim agent 1");
    const bool failed = recording.program && !recording.program->failure.empty();
    json.member("verdict", acc.ended_early                  ? "ended early"
                           : failed                         ? "has failed"
                           : !recording.diagnostics.empty() ? "has findings"
                           : !recording.mismatches.empty()  ? "differs from its golden"
                                                            : "ran");
    json.member("kernel", shortened(acc.kernel, limits.text)).member("chip", acc.chip);
    json.member("blocks", acc.blocks).member("launches", acc.launches);
    json.member("cycles", acc.duration());
    json.member("time_us", static_cast<double>(picoseconds(acc.duration(), acc.clock_hz)) / 1e6);
    if (a.basis.range != 0) json.member("range_percent", static_cast<double>(a.basis.range) / 10);
    json.member("instructions", acc.instructions());
    put_cores(json, recording, acc);
    json.key("advice");
    put_advice(json, a.advice, acc.duration(), {limits.advice, limits.text});
    if (a.advice.size() > limits.advice)
        json.member("advice_in_all", static_cast<uint64_t>(a.advice.size()));
    put_waits(json, recording, acc, limits);
    put_findings(json, recording, limits);
    put_mismatches(json, recording, limits);
    put_scope(json, recording, a, limits);
    json.end();
    return json.take() + "\n";
}

}  // namespace

std::string agent_json(const Recording& recording, const Analysis& analysis) {
    std::string text;
    for (const Limits& limits : kSteps) {
        text = text_of(recording, analysis, limits);
        if (text.size() <= kAgentBytes) break;
    }
    return text;
}

}  // namespace ptosim
