#include "sim/faces/debug/debugger.h"

#include "isa/core/diagnostic.h"

namespace ptosim::debug {

unsigned Debugger::add(Rule rule, std::string text) {
    rule.id = next_++;
    breakpoints_[rule.id] = {rule, std::move(text)};
    return rule.id;
}

Rule Debugger::line_rule(uint32_t line, const std::string& file) const {
    Rule rule;
    rule.line = line;
    rule.file = file;
    rule.what = {steps_ ? Happening::kStep : Happening::kIssue};
    rule.new_line = steps_;
    return rule;
}

Rule Debugger::finding_rule() {
    Rule rule;
    rule.what = {Happening::kFinding};
    return rule;
}

Rule Debugger::written_rule(const std::string& name, Rule::Value value) {
    Rule rule;
    rule.written = place_of(ask({{"about", "place"}, {"of", name}}));
    rule.value = value;
    return rule;
}

Rule Debugger::end_of(const Move& move) const {
    Rule rule;
    rule.core = parse_core(core_);
    switch (move.motion) {
        case Motion::kLine:
            rule.what = {steps_ ? Happening::kStep : Happening::kIssue};
            rule.new_line = steps_;
            break;
        case Motion::kInstruction:
            rule.what = {steps_ ? Happening::kStep : Happening::kIssue};
            break;
        case Motion::kPipe:
            rule.pipe = move.pipe;
            rule.what = {Happening::kStart, Happening::kComplete};
            break;
        case Motion::kChip:
            rule.core.reset();
            rule.what = {Happening::kIssue, Happening::kStart, Happening::kComplete};
            break;
        case Motion::kCycle:
            rule.core.reset();
            rule.later = true;
            rule.after = timeline_.stop().at("moment").at("cycle").get<Cycle>();
            break;
        case Motion::kFlag:
            rule.what = {Happening::kSet, Happening::kTake};
            rule.flag = move.flag;
            break;
        case Motion::kBlock:
            rule.what = {Happening::kEnd};
            break;
        case Motion::kContinue:
            break;
    }
    return rule;
}

Json Debugger::start() { return arrived(timeline_.start()); }

Json Debugger::move(const Move& move, bool back) {
    std::vector<Rule> rules;
    for (const auto& [id, breakpoint] : breakpoints_) rules.push_back(breakpoint.rule);
    if (move.motion != Motion::kContinue) rules.push_back(end_of(move));
    if (!back) return arrived(timeline_.go(rules));
    if (move.motion == Motion::kCycle) {  // the last moment of an earlier cycle
        const uint64_t cycle = timeline_.stop().at("moment").at("cycle").get<uint64_t>();
        if (cycle == 0) return arrived(timeline_.back({}));
        rules.back() = {};
        rules.back().before = cycle;
    }
    return arrived(timeline_.back(rules));
}

Json Debugger::writer(const std::string& name) {
    return arrived(timeline_.back({written_rule(name, Rule::Value::kAny)}));
}

void Debugger::choose(const std::string& core) {
    timeline_.ask({{"about", "flags"}, {"core", core}});  // checks the name
    core_ = core;
}

Json Debugger::ask(Json question) const {
    if (!question.contains("core")) question["core"] = core_;
    return timeline_.ask(question);
}

Json Debugger::arrived(Json stop) {
    core_ = stop.at("moment").at("core").text();
    return stop;
}

std::string Debugger::reason(const Json& stop) const {
    const std::string& reason = stop.at("reason").text();
    const auto id = stop.value("rule", 0u);
    const auto found = breakpoints_.find(id);
    if (reason == "rule" && found != breakpoints_.end())
        return "breakpoint " + std::to_string(id) + ": " + found->second.text;
    if (reason == "begin") return "the begin of the run";
    if (reason == "end") return "the end of the run";
    if (reason == "pause") return "paused";
    return {};
}

}  // namespace ptosim::debug
