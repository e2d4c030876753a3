// report.json: the analysis of a run as JSON.
#include <algorithm>

#include "isa/table/instruction_table.h"
#include "traces/write/advice_json.h"
#include "traces/write/data_text.h"
#include "traces/write/json_text.h"
#include "traces/write/report.h"
#include "traces/write/summary.h"

namespace ptosim {

namespace {

constexpr ptrdiff_t kMostSteps = 2500;  // that report.json lists one by one

struct SiteOf {
    const CoreAccount* core;
    Pipe pipe;
    const WaitSite* site;
};
// Most cycles first.
std::vector<SiteOf> worst_sites(const Accounting& accounting) {
    std::vector<SiteOf> sites;
    for (const CoreAccount& core : accounting.cores)
        for (unsigned pipe = 0; pipe < kPipeCount; ++pipe)
            for (const WaitSite& site : core.pipes[pipe].sites)
                sites.push_back({&core, static_cast<Pipe>(pipe), &site});
    std::stable_sort(sites.begin(), sites.end(), [](const SiteOf& a, const SiteOf& b) {
        return a.site->cycles > b.site->cycles;
    });
    return sites;
}

void put_costs(JsonText& json, std::string_view key, const std::vector<Hotspot>& costs,
               std::string_view text) {
    json.key(key).array();
    for (const Hotspot& c : costs) {
        json.object().member("name", c.name).member(text, c.text);
        if (!c.origin.empty()) json.member("origin", c.origin);
        json.member("instructions", c.instructions).member("busy", c.busy).member("wait", c.wait);
        json.member("critical", c.critical).member("bytes", c.bytes).end();
    }
    json.end();
}

void put_waits(JsonText& json, const Accounting& accounting) {
    json.key("waits").array();
    for (const SiteOf& s : worst_sites(accounting)) {
        json.object().member("lane", name(s.core->core)).member("pipe", name(s.pipe));
        json.member("reason", name(s.site->cause.reason)).member("for", short_text(s.site->cause));
        json.member("set_at", s.site->release).member("at", s.site->waiter);
        if (!s.site->release_call.empty()) json.member("set_by", s.site->release_call);
        if (!s.site->waiter_call.empty()) json.member("call", s.site->waiter_call);
        json.member("cycles", s.site->cycles).member("count", s.site->count);
        json.member("released", !s.site->open).end();
    }
    json.end();
}

void put_step(JsonText& json, const Recording& recording, const Dependencies::Step& step) {
    json.object().member("begin", step.begin).member("end", step.end);
    json.member("spent", name(step.spent));
    if (step.instruction >= 0) {
        const InstructionRecord& record =
            recording.instructions[static_cast<size_t>(step.instruction)];
        json.member("lane", name(recording.cores[record.core]));
        json.member("pipe", name(step.on_scalar() ? Pipe::kS : record.pipe));
        json.member("instruction", info(record.opcode).name);
        if (const auto* call = recording.sources.call(record.location, record.opcode))
            json.member("call", call->function);
        json.member("line", recording.sources.text(record.location));
    }
    json.end();
}

// The longest steps, at most kMostSteps; the steps between them are added up.
void put_steps(JsonText& json, const Recording& recording,
               const std::vector<Dependencies::Step>& path) {
    Cycle longer_than = 0;
    if (path.size() > static_cast<size_t>(kMostSteps)) {
        std::vector<Cycle> lengths;
        for (const Dependencies::Step& step : path) lengths.push_back(step.end - step.begin);
        const auto at = lengths.end() - kMostSteps - 1;
        std::nth_element(lengths.begin(), at, lengths.end());
        longer_than = *at;
    }
    json.key("steps").array();
    for (auto step = path.begin(); step != path.end();) {
        const auto next = std::find_if(step, path.end(), [&](const Dependencies::Step& s) {
            return s.end - s.begin > longer_than;
        });
        if (next != step) {
            json.object().member("begin", step->begin).member("end", std::prev(next)->end);
            json.member("spent", "several").member("steps", static_cast<uint64_t>(next - step));
            json.end();
        }
        if (next == path.end()) break;
        put_step(json, recording, *next);
        step = std::next(next);
    }
    json.end();
}

void put_path(JsonText& json, const Recording& recording, const Analysis& a) {
    json.key("critical_path").object().member("cycles", a.accounting.duration());
    json.key("spent").object();
    for (unsigned i = 0; i < a.path_spent.size(); ++i)
        if (a.path_spent[i] > 0) json.member(name(static_cast<Spent>(i)), a.path_spent[i]);
    json.end().key("lanes").object();
    for (const auto& [lane, cycles] : a.path_lanes) json.member(lane, cycles);
    json.end();
    put_steps(json, recording, a.path);
    json.end();
}

void put_roofline(JsonText& json, const Roofline& r) {
    json.key("roofline").object().member("cube_operations", r.cube_operations);
    json.member("vector_elements", r.vector_operations).member("read_bytes", r.read_bytes);
    json.member("written_bytes", r.written_bytes).member("peak_per_second", r.peak_per_second);
    json.member("peak_of", r.peak_of).member("bandwidth_per_second", r.bandwidth_per_second);
    json.member("hbm_bytes", r.hbm_bytes).member("hbm_again_bytes", r.hbm_again_bytes);
    json.member("hbm_per_second", r.hbm_per_second);
    json.member("bound", r.bound).member("roof", r.roof);
    json.member("compute_cycles", r.least.compute);
    json.member("bandwidth_cycles", r.least.bandwidth).end();
}

void put_buffers(JsonText& json, const std::vector<BufferUse>& buffers) {
    json.key("buffers").array();
    for (const BufferUse& b : buffers) {
        json.object().member("memory", name(b.space)).member("capacity", b.capacity);
        json.member("high_water", b.top).member("live", b.live).member("lane", b.core).end();
    }
    json.end();
}

void put_findings(JsonText& json, const std::vector<Diagnostic>& diagnostics) {
    json.key("findings").array();
    for (const Diagnostic& d : diagnostics) {
        json.object().member("code", d.code).member("category", name(d.category));
        json.member("file", d.file).member("line", d.location.line).member("core", d.core);
        json.member("pipe", d.pipe).member("message", d.message).member("count", d.count).end();
    }
    json.end();
}

void put_mismatches(JsonText& json, const Recording& recording) {
    if (recording.mismatches.empty()) return;
    json.key("mismatches").array();
    for (const MismatchRecord& m : recording.mismatches) {
        json.object().member("parameter", m.parameter).member("file", m.file);
        json.member("elements", m.elements).member("differ", m.differ).member("first", m.index);
        json.member("found", m.found).member("expected", m.expected);
        json.member("text", mismatch_text(recording, m));
        if (m.writer == MismatchRecord::kInstruction) {
            json.member("lane", name(m.core)).member("sequence", m.sequence);
            if (m.row >= 0)
                json.member("row", static_cast<uint64_t>(m.row))
                    .member("column", static_cast<uint64_t>(m.column));
        }
        json.end();
    }
    json.end();
}

void put_thread_site(JsonText& json, std::string_view key, const Recording& recording,
                     const ThreadSite& site) {
    if (site.lost == 0) return;
    json.key(key).object().member("at", recording.sources.text(site.at)).member("lost", site.lost);
    json.member("accesses", site.times);
    if (site.stride != 0) json.member("stride", static_cast<double>(site.stride));
    json.end();
}

void put_threads(JsonText& json, const Recording& recording) {
    if (recording.threads.empty()) return;
    json.key("threads").array();
    for (const ThreadRecord& t : recording.threads) {
        const ThreadReport& r = t.report;
        json.object().member("at", recording.sources.text(t.at)).member("blocks", r.blocks);
        json.member("warps", r.warps).member("cycles", r.cycles);
        json.key("warp_cycles").object();
        for (unsigned i = 0; i < kThreadStates; ++i)
            json.member(name(static_cast<ThreadState>(i)), r.states[i]);
        json.end();
        json.member("global_accesses", r.global)
            .member("lines", r.lines)
            .member("least_lines", r.least_lines);
        json.member("missed_lines", r.missed)
            .member("ub_accesses", r.local)
            .member("bank_passes", r.passes);
        json.member("cycles_coalesced", r.coalesced)
            .member("cycles_without_conflicts", r.without_conflicts);
        json.member("cycles_hidden", r.hidden);
        put_thread_site(json, "uncoalesced", recording, r.uncoalesced);
        put_thread_site(json, "conflicting", recording, r.conflicting);
        json.end();
    }
    json.end();
}

// Waiters and their releasers, if the run ended in a deadlock.
void put_deadlock(JsonText& json, const std::vector<Diagnostic>& diagnostics) {
    if (std::all_of(diagnostics.begin(), diagnostics.end(),
                    [](const Diagnostic& d) { return d.waits.empty(); }))
        return;
    json.key("deadlock").array();
    for (const Diagnostic& d : diagnostics)
        for (const WaitEdge& e : d.waits) {
            json.object().member("waiter", e.waiter).member("holder", e.holder);
            json.member("what", e.what).member("file", e.file).member("line", e.line);
            json.member("in_cycle", e.in_cycle).end();
        }
    json.end();
}

void put_texts(JsonText& json, std::string_view key, const std::vector<std::string>& texts) {
    json.key(key).array();
    for (const std::string& text : texts) json.value(text);
    json.end();
}

}  // namespace

std::string report_json(const Recording& recording, const Analysis& a, int indent) {
    const Accounting& acc = a.accounting;
    JsonText json(indent);
    json.object().member("format", "ptosim report 1").member("bottleneck", a.bottleneck);
    json.member("chip", acc.chip).member("kernel", acc.kernel).member("clock_hz", acc.clock_hz);
    json.member("blocks", acc.blocks).member("launches", acc.launches).member("begin", acc.begin);
    json.member("ended_early", acc.ended_early);
    put_texts(json, "gaps", recording.gaps);
    put_result(json, acc);
    put_waits(json, acc);
    put_costs(json, "lines", a.lines, "source");
    put_costs(json, "by_instruction", a.opcodes, "pipe");
    if (!a.calls.empty()) put_costs(json, "by_call", a.calls, "pipe");
    json.key("traffic").object();
    for (const auto& [path, bytes] : a.traffic) json.member(path, bytes);
    json.end();
    put_roofline(json, a.roofline);
    put_buffers(json, a.buffers);
    put_path(json, recording, a);
    json.key("advice");
    put_advice(json, a.advice, acc.duration());
    json.key("savings").array();
    for (const Saving& s : a.savings)
        json.object().member("change", s.what).member("cycles", s.cycles).end();
    json.end();
    put_findings(json, recording.diagnostics);
    put_mismatches(json, recording);
    put_threads(json, recording);
    put_deadlock(json, recording.diagnostics);
    if (a.basis.all() != 0) put_basis(json.key("time_basis"), a.basis);
    put_texts(json, "assumed", recording.assumed);
    json.key("outputs").array();
    for (const OutputRecord& o : recording.outputs) {
        json.object().member("parameter", o.parameter).member("file", o.file);
        json.member("sha256", o.sha256).end();
    }
    json.end().end();
    return json.take();
}

}  // namespace ptosim
