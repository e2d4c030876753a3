#include "sim/faces/debug/debugger.h"

#include "isa/core/diagnostic.h"

namespace ptosim::debug {

unsigned Debugger::add(Rule rule, std::string text) {
    rule.id = next_++;
    Breakpoint breakpoint{rule, std::move(text)};
    if (code_ != nullptr && !rule.condition.empty()) {
        try {  // numbers of the machine: block, core, cycle, iteration
            ask({{"about", "number"}, {"of", rule.condition}});
        } catch (const DiagnosticError&) {
            breakpoint.condition = std::exchange(breakpoint.rule.condition, {});
        }
    }
    breakpoints_[rule.id] = std::move(breakpoint);
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

// Of the function at which the chosen core has stopped; 0 for .pto kernels.
uint64_t Debugger::stack() const { return ask({{"about", "stack"}}).get<uint64_t>(); }

Rule Debugger::next_line() const {
    Rule rule = line_rule(0, {});
    rule.core = parse_core(core_);
    return rule;
}

std::optional<Rule> Debugger::end_of(const Move& move, bool back) const {
    Rule rule;
    rule.core = parse_core(core_);
    switch (move.motion) {
        case Motion::kLine:
            return next_line();
        case Motion::kOver:
            rule = next_line();
            rule.stack = stack();
            break;
        case Motion::kOut:
            rule = next_line();
            rule.stack = stack();
            if (rule.stack != 0) {
                ++rule.stack;
            } else {
                rule.what = {Happening::kEnd};
                rule.new_line = false;
            }
            break;
        case Motion::kInstruction:
            rule.what = {steps_ && code_ == nullptr ? Happening::kStep : Happening::kIssue};
            break;
        case Motion::kPipe:
            rule.pipe = move.pipe;
            rule.what = {Happening::kStart, Happening::kComplete};
            break;
        case Motion::kChip:
            rule.core.reset();
            rule.what = {Happening::kIssue, Happening::kStart, Happening::kComplete};
            break;
        case Motion::kCycle: {
            const auto cycle = timeline_.stop().at("moment").at("cycle").get<Cycle>();
            rule = {};
            if (back && cycle == 0) return {};
            if (back) {  // the last moment of an earlier cycle
                rule.before = cycle;
                break;
            }
            rule.later = true;
            rule.after = cycle;
            break;
        }
        case Motion::kFlag:
            rule.what = {Happening::kSet, Happening::kTake};
            rule.flag = move.flag;
            break;
        case Motion::kBlock:
            rule.what = {Happening::kEnd};
            break;
        case Motion::kContinue:
            return {};
    }
    return rule;
}

Json Debugger::start() { return arrived(timeline_.start()); }

Json Debugger::go(const std::optional<Rule>& end, bool back) {
    std::vector<Rule> rules;
    for (const auto& [id, breakpoint] : breakpoints_) rules.push_back(breakpoint.rule);
    if (end) rules.push_back(*end);
    for (;;) {
        Json stop = arrived(back ? timeline_.back(rules) : timeline_.go(rules));
        if (passes(stop)) return stop;
    }
}

// Names the "rule" of a stop. False if the run goes on, because no condition on variables holds. One that cannot be
// evaluated stops the run.
bool Debugger::passes(Json& stop) {
    if (stop.at("reason").text() != "rule") return true;
    const Json rules = stop.at("rules");
    for (const Json& rule : rules.elements()) {
        const auto id = rule.get<unsigned>();
        const auto found = breakpoints_.find(id);
        if (found != breakpoints_.end() && !found->second.condition.empty() && !holds(found->second.condition, stop)) continue;
        stop["rule"] = id;
        timeline_.replace_stop(stop);
        return true;
    }
    return false;
}

bool Debugger::holds(const std::string& condition, Json& stop) {
    try {
        const std::string value = code_->value(core_, 0, "(" + condition + ") != 0");
        return value != "false" && value != "0";
    } catch (const DiagnosticError& error) {
        stop["note"] = "the condition cannot be evaluated: " + std::string(error.what());
        return true;
    }
}

Json Debugger::writer(const std::string& name) {
    return arrived(timeline_.back({written_rule(name, Rule::Value::kAny)}));
}

void Debugger::choose(const std::string& core) {
    timeline_.ask({{"about", "flags"}, {"core", core}});  // checks the name
    core_ = core;
    frame_ = 0;
}

void Debugger::choose_frame(size_t frame) {
    const size_t frames = code_ == nullptr ? 0 : code_->frames(core_).size();
    if (frame >= frames)
        fail_input("I69", "unknown frame " + std::to_string(frame), "'frames' lists them, from 0");
    frame_ = frame;
}

Json Debugger::ask(Json question) const {
    if (!question.contains("core")) question["core"] = core_;
    const std::string& about = question.at("about").text();
    if (code_ == nullptr || (about != "value" && about != "place" && about != "save" && about != "picture")) return timeline_.ask(question);
    try {
        return timeline_.ask(question);
    } catch (const DiagnosticError& unknown) {
        // The frame's tile, or that of a function that has called it, if the frame has no such name.
        Json variable;
        try {
            const std::string core = question.at("core").text();
            const size_t frames = code_->frames(core).size();
            const std::string& of = question.at("of").text();
            for (size_t frame = question.value("frame", frame_); frame < frames && variable.is_null(); ++frame) {
                variable = code_->tile(core, frame, of);
                if (code_->knows(core, frame, of.substr(0, of.find('[')))) break;
            }
        } catch (const DiagnosticError&) {  // no gdb, or no code runs
        }
        if (variable.is_null()) throw unknown;
        question["variable"] = variable;
        return timeline_.ask(question);
    }
}

Json Debugger::arrived(Json stop) {
    core_ = stop.at("moment").at("core").text();
    frame_ = 0;
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
