#include "sim/debug/target.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "isa/assembly/program/frame.h"
#include "isa/numeric/formats.h"
#include "sim/debug/places.h"
#include "sim/debug/views.h"

namespace ptosim::debug {
namespace {

constexpr uint64_t kBetweenLooks = 64;  // moments

using Key = std::pair<CoreType, unsigned>;
Key key_of(CoreId core) { return {core.type, core.index}; }

Json list_of(const std::vector<unsigned>& ids) {
    Json list = Json::array();
    for (const unsigned id : ids) list.push_back(id);
    return list;
}

CoreId core_of(const KernelPort& port) { return {port.identity().core, static_cast<uint16_t>(port.core_index())}; }

std::string flag_name(const FlagEvent& event) {
    if (event.cross_core) return cross_flag_text(event.id);
    return std::string(name(event.source)) + "->" + std::string(name(event.destination)) + " #" +
           std::to_string(event.id);
}

}  // namespace

Target::Target(const Subject& subject, Channel channel) : subject_{subject}, channel_{std::move(channel)} {}

const Target::CoreFlow* Target::flow(CoreId core) const {
    const auto found = flows_.find(key_of(core));
    return found == flows_.end() ? nullptr : &found->second;
}

// ---- events -------------------------------------------------------------------------------

void Target::on_step(const assembly::Step& step, const assembly::Frame& frame) {
    const CoreId core = core_of(frame.port);
    CoreFlow& flow = flows_[key_of(core)];
    const auto at = static_cast<size_t>(&step - frame.program.steps.data());
    if (flow.frame != &frame) {
        flow.frame = &frame;
        flow.scalars = &frame.scalars;
        flow.tiles = &frame.tiles;
        flow.views = &frame.views;
        flow.left.reset();
        flow.step = nullptr;
        flow.where = {};
        flow.executed.assign(frame.program.steps.size(), 0);
        cores_of_frames_[&frame] = core;
    }
    Moment moment;
    moment.what = Happening::kStep;
    moment.core = core;
    moment.sequence = subject_.session.chip().core_at(core).issued();
    moment.where = step.where;
    moment.new_line = step.where.line != 0 && (step.where.line != flow.where.line || step.where.file != flow.where.file ||
                                               (flow.step != nullptr && &step <= flow.step));
    moment.iteration = ++flow.executed[at];
    flow.step = &step;
    if (step.where.line != 0) flow.where = step.where;
    happens(std::move(moment));
}

void Target::on_frame_end(const assembly::Frame& frame) {
    const auto found = cores_of_frames_.find(&frame);
    if (found == cores_of_frames_.end()) return;
    CoreFlow& flow = flows_[key_of(found->second)];
    flow.frame = nullptr;
    flow.left = {frame.scalars, frame.tiles, frame.views};
    flow.scalars = &flow.left->scalars;
    flow.tiles = &flow.left->tiles;
    flow.views = &flow.left->views;
    cores_of_frames_.erase(found);
}

void Target::on_line(const KernelPort& port, SourceLocation where, const CodePlace& place) {
    const CoreId core = core_of(port);
    CoreFlow& flow = flows_[key_of(core)];
    while (!flow.calls.empty() && flow.calls.back().stack() < place.stack()) flow.calls.pop_back();
    const bool same_call = !flow.calls.empty() && flow.calls.back().stack() == place.stack();
    Moment moment;
    moment.what = Happening::kStep;
    moment.core = core;
    moment.sequence = subject_.session.chip().core_at(core).issued();
    moment.where = where;
    moment.new_line = !same_call || flow.calls.back().line != where || place.offset() <= flow.calls.back().place.offset();
    moment.iteration = ++flow.executed_code[{place.offset(), where.line}];
    moment.stack = place.stack();
    if (same_call) flow.calls.pop_back();
    flow.calls.push_back({place, where});
    flow.place = place;
    flow.where = where;
    happens(std::move(moment));
}

void Target::on_call(const KernelPort& port, const CodePlace& place) { flows_[key_of(core_of(port))].place = place; }

void Target::on_block_begin(const RunEvent& event) {
    CoreFlow& flow = flows_[key_of(event.core)];
    flow.place.reset();
    flow.calls.clear();
    flow.executed_code.clear();
    flow.identity = event.identity;
    flow.in_block = true;
    block_happens(Happening::kBegin, event);
}

void Target::on_block_end(const RunEvent& event) {
    CoreFlow& flow = flows_[key_of(event.core)];
    flow.in_block = false;
    flow.place.reset();
    block_happens(Happening::kEnd, event);
}

void Target::block_happens(Happening what, const RunEvent& event) {
    Moment moment;
    moment.what = what;
    moment.core = event.core;
    moment.text = "block " + std::to_string(event.identity.block);
    happens(std::move(moment));
}

void Target::instruction_happens(Happening what, const InstructionEvent& event) {
    Moment moment;
    moment.what = what;
    moment.core = event.core;
    moment.pipe = event.pipe;
    moment.sequence = event.sequence;
    if (event.instruction != nullptr) moment.where = event.instruction->location;
    instruction_ = event.instruction;
    happens(std::move(moment));
    instruction_ = nullptr;
}

void Target::flag_happens(Happening what, const FlagEvent& event) {
    Moment moment;
    moment.what = what;
    moment.core = event.core;
    moment.pipe = what == Happening::kSet ? event.source : event.destination;
    moment.sequence = event.sequence;
    moment.where = event.location;
    moment.text = flag_name(event);
    happens(std::move(moment));
}

void Target::wait_happens(Happening what, const BlockEvent& event) {
    Moment moment;
    moment.what = what;
    moment.core = event.core;
    moment.pipe = event.pipe;
    moment.sequence = event.sequence;
    if (event.instruction != nullptr) moment.where = event.instruction->location;
    moment.text = name(event.reason);
    happens(std::move(moment));
}

void Target::on_scalar_access(const ScalarAccessEvent& event) {
    Moment moment;
    moment.what = Happening::kAccess;
    moment.core = event.core;
    moment.sequence = event.sequence;
    moment.where = event.location;
    moment.text = event.access.writes ? "a store by the scalar unit" : "a load by the scalar unit";
    happens(std::move(moment));
    if (!event.access.writes) return;
    Place& place = stored_.emplace();
    place.global = event.access.global;
    place.core = event.core;
    place.space = event.access.space;
    place.begin = event.access.begin;
    place.end = event.access.end;
    stored_where_ = event.location;
    stored_core_ = event.core;
}

void Target::on_diagnostic(const Diagnostic& diagnostic) {
    Moment moment;
    moment.what = Happening::kFinding;
    if (const auto core = parse_core(diagnostic.core)) moment.core = *core;
    if (const auto pipe = parse_pipe(diagnostic.pipe)) moment.pipe = *pipe;
    moment.where = diagnostic.location;
    moment.text = to_text(diagnostic);
    happens(std::move(moment));
}

// ---- rules --------------------------------------------------------------------------------

void Target::happens(Moment moment) {
    moment.number = moment_.number + 1;
    moment.cycle = subject_.session.chip().now();
    moment_ = std::move(moment);
    if (orders_.limit != 0 && moment_.number >= orders_.limit) find();
    std::vector<unsigned> rules = matching();
    stored_.reset();
    if (!rules.empty() && orders_.limit != 0) {
        found_ = moment_;
        found_rules_ = std::move(rules);
        found_note_ = std::exchange(note_, {});
    } else if (!rules.empty()) {
        stop("rule", rules);
    } else if (moment_.number == orders_.until) {
        stop("moment");
    }
    const auto& copies = orders_.copies;
    if (std::find(copies.begin(), copies.end(), moment_.number) != copies.end()) leave_copy();  // changes the orders
    if (moment_.number % kBetweenLooks == 0) look_up();
}

std::vector<unsigned> Target::matching() {
    std::vector<unsigned> ids;
    for (const Rule& rule : orders_.rules)
        if (matches(rule)) ids.push_back(rule.id);
    return ids;
}

bool Target::matches(const Rule& rule) {
    if (rule.written || rule.any_nan) {
        if (!writes(rule)) return false;
    } else if (!rule.what.empty() && std::find(rule.what.begin(), rule.what.end(), moment_.what) == rule.what.end()) {
        return false;
    }
    if (rule.core && *rule.core != moment_.core) return false;
    if (rule.pipe && *rule.pipe != moment_.pipe) return false;
    if (rule.later && moment_.cycle <= rule.after) return false;
    if (rule.before != 0 && moment_.cycle >= rule.before) return false;
    if (rule.line != 0 && rule.line != moment_.where.line) return false;
    if (rule.new_line && !moment_.new_line) return false;
    if (rule.stack != 0 && moment_.stack < rule.stack) return false;
    if (rule.iteration != 0 && rule.iteration != moment_.iteration) return false;
    return matches_text(rule);
}

bool Target::matches_text(const Rule& rule) {
    if (!rule.flag.empty() && rule.flag != moment_.text) return false;
    if (rule.block) {
        const CoreFlow* const flow = this->flow(moment_.core);
        if (flow == nullptr || !flow->in_block || flow->identity.block != *rule.block) return false;
    }
    if (!rule.file.empty() && !subject_.kernel.sources().file(moment_.where).ends_with(rule.file)) return false;
    return rule.condition.empty() || holds(rule);
}

// A condition that cannot be evaluated stops the run, with the reason.
bool Target::holds(const Rule& rule) {
    try {
        return evaluate_condition(without_percent(rule.condition), values(moment_.core));
    } catch (const ExpressionError& error) {
        note_ = "the condition cannot be evaluated: " + std::string(error.what());
        return true;
    }
}

Values Target::values(CoreId core) const {
    Values values;
    values["core"] = core.index;
    values["cycle"] = static_cast<double>(moment_.cycle);
    values["iteration"] = static_cast<double>(moment_.iteration);
    const CoreFlow* const flow = this->flow(core);
    if (flow == nullptr) return values;
    values["block"] = flow->identity.block;
    if (flow->scalars == nullptr) return values;
    for (const assembly::NamedSlot& named : names_in_scope(*this, *flow)) {
        const uint64_t bits = named.kind == assembly::NamedSlot::Kind::kTile ||
                                      named.kind == assembly::NamedSlot::Kind::kView
                                  ? 0
                                  : (*flow->scalars)[named.slot];
        if (named.kind == assembly::NamedSlot::Kind::kInteger)
            values[plain_name(named.name)] = static_cast<double>(static_cast<int64_t>(bits));
        if (named.kind == assembly::NamedSlot::Kind::kFloat)
            values[plain_name(named.name)] = decode(named.dtype, bits);
    }
    return values;
}

// True if the moment follows a write that the rule watches.
bool Target::writes(const Rule& rule) {
    if (moment_.what == Happening::kComplete && instruction_ != nullptr) {
        if (rule.any_nan) {
            note_ = nan_written(*this, *instruction_);
            return !note_.empty();
        }
        return value_stops(rule, *rule.written, written_runs(*this, *instruction_, *rule.written));
    }
    if (!stored_ || rule.any_nan) return false;
    const std::optional<Place> part = common(*stored_, *rule.written);
    if (!part || !value_stops(rule, *rule.written, {{part->begin, part->end}})) return false;
    // The store has taken effect since the last moment.
    moment_.where = stored_where_;
    moment_.core = stored_core_;
    moment_.pipe = Pipe::kS;
    moment_.text = "a store by the scalar unit";
    return true;
}

bool Target::value_stops(const Rule& rule, const Place& place, const Runs& written) const {
    if (written.empty()) return false;
    switch (rule.value) {
        case Rule::Value::kAny:
            return true;
        case Rule::Value::kNan:
            return hold_nan(*this, place, written);
        case Rule::Value::kDiffers:
            return differ_from_golden(*this, place, written);
    }
    return false;
}

// ---- orders -------------------------------------------------------------------------------

void Target::begin() {
    std::signal(SIGCHLD, SIG_IGN);
    const std::optional<Message> first = channel_.receive();
    if (!first) _exit(0);
    obey(first->content);
}

// A message that arrives while the machine runs pauses it. If the debugger is gone, so is this process.
void Target::look_up() {
    if (channel_.waits(0)) {
        const std::optional<Message> message = channel_.receive();
        if (!message) _exit(0);
        if (message->content.value("do", "") == "pause" && orders_.limit == 0) stop("pause");
    }
    if (orders_.copies_every == 0 || moment_.number <= orders_.copies_from) return;
    if (Clock::now() - last_copy_ >= std::chrono::milliseconds(orders_.copies_every)) leave_copy();
}

void Target::stop(std::string_view reason, const std::vector<unsigned>& rules) {
    if (moment_.text.empty() && instruction_ != nullptr) moment_.text = to_text(*instruction_);
    Json told = Json::object();
    told["is"] = "stopped";
    told["reason"] = reason;
    told["rules"] = list_of(rules);
    told["note"] = std::exchange(note_, {});
    told["moment"] = json_of(*this, moment_);
    if (!channel_.send(told)) _exit(0);
    for (;;) {
        const std::optional<Message> message = channel_.receive();
        if (!message) _exit(0);
        const std::string what = message->content.value("do", "");
        if (what == "go") {
            obey(message->content);
            last_copy_ = Clock::now();
            return;
        }
        if (what != "ask") continue;
        Json answer = Json::object();
        answer["is"] = "answer";
        try {
            answer["answer"] = ptosim::debug::answer(*this, message->content);
        } catch (const DiagnosticError& error) {
            answer["error"] = error.what();
            answer["help"] = error.diagnostics().front().hint;
        } catch (const std::exception& error) {
            answer["error"] = error.what();
        }
        if (!channel_.send(answer)) _exit(0);
    }
}

// The end of a search.
void Target::find() {
    Json told = Json::object();
    told["is"] = "found";
    if (found_) {
        told["moment"] = found_->number;
        told["rules"] = list_of(found_rules_);
        told["note"] = found_note_;
    }
    channel_.send(told);
    _exit(0);
}

void Target::obey(const Json& message) {
    orders_ = {};
    if (message.contains("rules"))
        for (const Json& rule : message.at("rules").elements()) orders_.rules.push_back(rule_of(rule));
    orders_.until = message.value("until", uint64_t{0});
    orders_.limit = message.value("limit", uint64_t{0});
    if (message.contains("copies")) orders_.copies = message.at("copies").get<std::vector<uint64_t>>();
    orders_.copies_every = message.value("copies_every", 0u);
    orders_.copies_from = message.value("copies_from", uint64_t{0});
    furthest_ = message.value("furthest", furthest_);
    found_.reset();
}

void Target::print(CoreId core, std::string_view line) {
    if (moment_.number < furthest_ || orders_.limit != 0) return;  // shown before
    Json told = Json::object();
    told["is"] = "output";
    told["text"] = "[" + name(core) + "] " + std::string(line);
    channel_.send(told);
}

void Target::end(const std::string& summary) {
    Moment moment;
    moment.what = Happening::kOver;
    moment.core = moment_.core;
    moment.text = summary;
    happens(std::move(moment));
    if (orders_.limit != 0) {
        orders_.limit = moment_.number;
        find();
    }
    for (auto& [key, flow] : flows_) flow.place.reset();  // also of kernels that have crashed
    for (;;) stop("end");
}

// ---- copies -------------------------------------------------------------------------------

void Target::leave_copy() {
    last_copy_ = Clock::now();
    auto [mine, theirs] = Channel::make_ends();
    const pid_t child = fork();
    if (child == 0) {
        mine = {};
        channel_ = Channel(std::move(theirs));
        keep();
        return;
    }
    if (child < 0) return;  // no memory: there are fewer copies
    Json told = Json::object();
    told["is"] = "copy";
    told["moment"] = moment_.number;
    if (!channel_.send(told, mine.number())) _exit(0);
}

// A copy waits at its moment. For each request it makes a process, which returns from here and runs on.
void Target::keep() {
    for (;;) {
        const std::optional<Message> message = channel_.receive();
        if (!message) _exit(0);
        auto [mine, theirs] = Channel::make_ends();
        const pid_t child = fork();
        if (child == 0) {
            mine = {};
            channel_ = Channel(std::move(theirs));
            obey(message->content);
            last_copy_ = Clock::now();
            return;
        }
        Json told = Json::object();
        told["is"] = "resumed";
        if (!channel_.send(told, child < 0 ? -1 : mine.number())) _exit(0);
    }
}

}  // namespace ptosim::debug
