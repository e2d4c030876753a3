#include "sim/faces/debug/adapter.h"

#include <algorithm>
#include <charconv>

#include "isa/core/diagnostic.h"

namespace ptosim::debug {
namespace {

[[noreturn]] void fail_request(const std::string& message) { fail_input("I69", message); }

std::string base64(const std::string& hex) {
    static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto digit = [&](size_t at) -> unsigned {
        if (at >= hex.size()) return 0;
        return hex[at] <= '9' ? static_cast<unsigned>(hex[at] - '0') : static_cast<unsigned>(hex[at] - 'a' + 10);
    };
    std::string text;
    const size_t bytes = hex.size() / 2;
    for (size_t at = 0; at < bytes; at += 3) {
        unsigned three = 0;
        for (size_t i = 0; i < 6; ++i) three = three << 4 | digit(2 * at + i);
        for (size_t i = 0; i < 4; ++i) text += at + i > bytes ? '=' : kLetters[three >> (18 - 6 * i) & 63];
    }
    return text;
}

// "AIV00:UB:0x40" or "global:0x1234", as tile and array variables have it.
std::string memory_reference(const Json& place) {
    char digits[20];
    const auto begin = place.at("begin").get<uint64_t>();
    const auto end = std::to_chars(digits, digits + sizeof(digits), begin, 16).ptr;
    const std::string address = "0x" + std::string(digits, end);
    if (place.at("global").get<bool>()) return "global:" + address;
    return place.at("core").text() + ":" + place.at("space").text() + ":" + address;
}

Json place_at(const std::string& reference, int64_t offset, int64_t count) {
    const size_t last = reference.rfind(":0x");
    uint64_t address = 0;
    if (last != std::string::npos)
        std::from_chars(reference.data() + last + 3, reference.data() + reference.size(), address, 16);
    if (last == std::string::npos || count < 0 || count > (1 << 24))
        fail_request("'" + reference + "' is not a memory reference, such as AIV00:UB:0x40 or global:0x1000");
    address += static_cast<uint64_t>(offset);
    Json place{{"text", reference}, {"begin", address}, {"end", address + static_cast<uint64_t>(count)}};
    place["dtype"] = static_cast<unsigned>(DType::kU8);
    const std::string memory = reference.substr(0, last);
    place["global"] = memory == "global";
    if (memory == "global") return place;
    const size_t colon = memory.find(':');
    if (colon == std::string::npos) fail_request("'" + reference + "' names no memory");
    place["core"] = memory.substr(0, colon);
    place["space"] = memory.substr(colon + 1);
    return place;
}

// Empty for .pto kernels, without gdb, and while no code runs on the core.
Json frames_of_code(const Debugger& debugger, const std::string& core) {
    if (debugger.code() == nullptr) return Json::array();
    try {
        return debugger.code()->frames(core);
    } catch (const DiagnosticError&) {
        return Json::array();
    }
}

}  // namespace

const std::vector<Adapter::Request>& Adapter::requests() {
    static const auto& requests = *new std::vector<Request>{
        {"initialize", &Adapter::initialize},
        {"launch", &Adapter::launch},
        {"attach", &Adapter::launch},
        {"setBreakpoints", &Adapter::set_breakpoints},
        {"setFunctionBreakpoints", &Adapter::nothing},
        {"setExceptionBreakpoints", &Adapter::set_exception_breakpoints},
        {"dataBreakpointInfo", &Adapter::data_breakpoint_info},
        {"setDataBreakpoints", &Adapter::set_data_breakpoints},
        {"configurationDone", &Adapter::configuration_done},
        {"threads", &Adapter::threads},
        {"stackTrace", &Adapter::stack_trace},
        {"scopes", &Adapter::scopes},
        {"variables", &Adapter::variables},
        {"evaluate", &Adapter::evaluate},
        {"exceptionInfo", &Adapter::exception_info},
        {"readMemory", &Adapter::read_memory},
        {"ptosim/picture", &Adapter::picture},
        {"continue", &Adapter::go_on},
        {"reverseContinue", &Adapter::reverse},
        {"next", &Adapter::next},
        {"stepIn", &Adapter::step_in},
        {"stepOut", &Adapter::step_out},
        {"stepBack", &Adapter::step_back},
        {"pause", &Adapter::pause},
        {"restart", &Adapter::restart},
        {"terminate", &Adapter::disconnect},
        {"disconnect", &Adapter::disconnect},
    };
    return requests;
}

// ---- messages -----------------------------------------------------------------------------

bool Adapter::serve(Debugger& debugger) {
    debugger_ = &debugger;
    while (!done_) {
        const std::optional<Json> message = stream_.receive();
        if (!message) break;
        handle(*message);
    }
    if (stream_.problem().empty()) return true;
    tell("output", Json{{"category", "stderr"}, {"output", "error: " + stream_.problem() + "\n"}});
    return false;
}

bool Adapter::handle(const Json& request) {
    const bool valid = request.is_object() && request.value("type", Json()) == Json("request") &&
                       request.contains("command") && request["command"].is_string();
    if (!valid) {
        refuse(request, "a message that is not a request");
        return false;
    }
    const std::string& command = request["command"].text();
    const auto found = std::find_if(requests().begin(), requests().end(),
                                    [&](const Request& row) { return row.command == command; });
    if (found == requests().end()) {
        refuse(request, "unknown request '" + command + "'");
        return false;
    }
    const Json none = Json::object();
    const bool has = request.contains("arguments") && request["arguments"].is_object();
    motion_.reset();
    try {
        const Json body = (this->*found->answer)(has ? request["arguments"] : none);
        respond(request, body);
    } catch (const DiagnosticError& error) {
        const Diagnostic& first = error.diagnostics().front();
        refuse(request, first.message + (first.hint.empty() ? "" : "; " + first.hint));
        return false;
    } catch (const std::exception& error) {
        refuse(request, error.what());
        return false;
    }
    if (command == "initialize") tell("initialized");
    if (command == "configurationDone" || command == "restart") begin();
    if (motion_) move(motion_->first, motion_->second);
    return true;
}

void Adapter::respond(const Json& request, const Json& body) {
    Json response{{"seq", sequence_++}, {"type", "response"}, {"request_seq", request["seq"]}};
    response["success"] = true;
    response["command"] = request["command"];
    response["body"] = body;
    stream_.send(response);
}

void Adapter::refuse(const Json& request, const std::string& message) {
    Json response{{"seq", sequence_++}, {"type", "response"}};
    const bool object = request.is_object();
    response["request_seq"] = object && request.contains("seq") && request["seq"].is_number() ? request["seq"] : Json(0);
    response["success"] = false;
    response["command"] = object && request.contains("command") && request["command"].is_string() ? request["command"] : Json("");
    response["message"] = message;
    response["body"] = Json{{"error", Json{{"id", 69}, {"format", message}}}};
    stream_.send(response);
}

void Adapter::tell(const char* event, Json body) {
    Json message{{"seq", sequence_++}, {"type", "event"}, {"event", event}};
    message["body"] = std::move(body);
    stream_.send(message);
}

void Adapter::show_output(const std::string& line) {
    tell("output", Json{{"category", "stdout"}, {"output", line + "\n"}});
}

void Adapter::tell_stop(const Json& stop) {
    scopes_.clear();
    frames_.clear();
    const std::string& reason = stop.at("reason").text();
    const Json& moment = stop.at("moment");
    const auto id = stop.value("rule", 0u);
    const bool finding = moment.at("what").text() == "finding";
    const auto of = [&](const std::vector<unsigned>& ids) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
    const bool breakpoint = reason == "rule" && id != 0;
    Json body = Json::object();
    body["reason"] = breakpoint && of(exception_ids_) ? "exception"
                     : breakpoint && of(data_ids_)    ? "data breakpoint"
                     : breakpoint                     ? "breakpoint"
                     : reason == "begin"              ? "entry"
                     : reason == "end"                ? "pause"
                     : reason == "pause"              ? "pause"
                                                      : "step";
    std::string text = debugger_->reason(stop);
    if (const std::string note = stop.value("note", ""); !note.empty()) text = note;
    if (!text.empty()) body["description"] = text;
    if (finding || !moment.at("text").text().empty()) body["text"] = moment.at("text");
    body["threadId"] = thread_of(moment.at("core").text());
    body["allThreadsStopped"] = true;
    if (breakpoint) body["hitBreakpointIds"] = Json::array({id});
    if (reason == "end") show_output(moment.at("text").text());
    over_ = reason == "end";
    tell("stopped", body);
}

void Adapter::begin() {
    started_ = true;
    const Json stop = debugger_->start();
    cores_.clear();
    const Json cores = debugger_->ask({{"about", "cores"}});
    for (const Json& core : cores.elements()) cores_.push_back(core.at("core").text());
    if (!stop_on_entry_) return move({}, false);
    Json entry = stop;
    entry["reason"] = "begin";
    tell_stop(entry);
}

// While the machine runs, any message pauses it. It is answered, and the machine goes on unless it was a pause.
void Adapter::move(const Debugger::Move& move, bool back) {
    if (over_ && !back && move.motion == Motion::kContinue) {
        tell("terminated");
        tell("exited", Json{{"exitCode", 0}});
        return;
    }
    const std::optional<Rule> end = debugger_->end_of(move, back);
    for (;;) {
        const Json stop = debugger_->go(end, back);
        const bool silent = stop.at("reason").text() == "pause";
        pause_asked_ = false;
        while (silent && !pause_asked_ && !done_ && stream_.arrived()) {
            const std::optional<Json> message = stream_.receive();
            if (!message) {
                done_ = true;
                break;
            }
            handle(*message);
        }
        if (done_) return;
        if (silent && !pause_asked_) continue;
        return tell_stop(stop);
    }
}

Json Adapter::run_on(const Json& arguments, Motion motion, bool back) {
    if (!started_) fail_request("the run has not begun: send configurationDone first");
    Debugger::Move move;
    move.motion = motion;
    if (motion != Motion::kContinue) {
        const std::string core = core_of_thread(arguments);
        if (core != debugger_->core()) debugger_->choose(core);
        if (arguments.value("granularity", "") == "instruction" && motion != Motion::kOut)
            move.motion = Motion::kInstruction;
    }
    motion_ = {move, back};
    return motion == Motion::kContinue ? Json{{"allThreadsContinued", true}} : Json::object();
}

// ---- set-up -------------------------------------------------------------------------------

Json Adapter::initialize(const Json&) {
    Json body = Json::object();
    for (const char* can : {"supportsConfigurationDoneRequest", "supportsStepBack", "supportsConditionalBreakpoints",
                            "supportsHitConditionalBreakpoints", "supportsDataBreakpoints", "supportsDataBreakpointBytes",
                            "supportsReadMemoryRequest", "supportsSteppingGranularity", "supportsEvaluateForHovers",
                            "supportsExceptionInfoRequest", "supportsTerminateRequest", "supportsRestartRequest"})
        body[can] = true;
    body["exceptionBreakpointFilters"] = Json::array(
        {Json{{"filter", "finding"}, {"label", "Findings: races, deadlocks, bounds, ..."}, {"default", true}},
         Json{{"filter", "nan"}, {"label", "An instruction writes a NaN"}, {"default", false}}});
    return body;
}

Json Adapter::launch(const Json& arguments) {
    stop_on_entry_ = arguments.value("stopOnEntry", false);
    return Json::object();
}

// By the last part of its path; empty: unknown.
const std::set<uint32_t>& Adapter::lines_of(const std::string& name) const {
    static const auto& unknown = *new std::set<uint32_t>;
    for (const auto& [file, lines] : subject_.lines)
        if (file.substr(file.rfind('/') + 1) == name) return lines;
    return unknown;
}

Json Adapter::set_breakpoints(const Json& arguments) {
    const Json& source = arguments.at("source");
    const std::string path = source.value("path", source.value("name", ""));
    for (const unsigned id : line_ids_[path]) debugger_->remove(id);
    line_ids_[path].clear();
    Json list = Json::array();
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::set<uint32_t>& lines = lines_of(name);
    if (arguments.contains("breakpoints"))
        for (const Json& given : arguments.at("breakpoints").elements()) {
            auto line = given.at("line").get<uint32_t>();
            const auto at = lines.lower_bound(line);
            Json one = Json::object();
            if (!lines.empty() && at == lines.end()) {
                one["verified"] = false;
                one["message"] = "no operation follows this line";
                list.push_back(one);
                continue;
            }
            if (at != lines.end()) line = *at;
            Rule rule = debugger_->line_rule(line, name);
            rule.condition = given.value("condition", "");
            const std::string hits = given.value("hitCondition", "");
            if (!hits.empty()) {
                const auto [end, error] = std::from_chars(hits.data(), hits.data() + hits.size(), rule.iteration);
                if (error != std::errc() || end != hits.data() + hits.size())
                    fail_request("hitCondition '" + hits + "' is not the number of an iteration");
            }
            const unsigned id = debugger_->add(rule, "line " + std::to_string(line));
            line_ids_[path].push_back(id);
            one["id"] = id;
            one["verified"] = true;
            one["line"] = line;
            one["source"] = source;
            list.push_back(one);
        }
    return Json{{"breakpoints", list}};
}

Json Adapter::set_exception_breakpoints(const Json& arguments) {
    for (const unsigned id : exception_ids_) debugger_->remove(id);
    exception_ids_.clear();
    for (const Json& filter : arguments.at("filters").elements()) {
        if (filter.text() == "finding") {
            exception_ids_.push_back(debugger_->add(Debugger::finding_rule(), "a finding"));
        } else if (filter.text() == "nan") {
            Rule rule;
            rule.any_nan = true;
            exception_ids_.push_back(debugger_->add(rule, "a NaN"));
        } else {
            fail_request("unknown filter '" + filter.text() + "'");
        }
    }
    return Json::object();
}

Json Adapter::data_breakpoint_info(const Json& arguments) {
    Json body{{"dataId", nullptr}, {"description", "no bytes"}};
    try {
        Json place;
        if (arguments.value("asAddress", false)) {
            place = place_at(arguments.at("name").text(), 0, arguments.value("bytes", int64_t{1}));
        } else {
            std::string of = arguments.at("name").text();
            std::string core = debugger_->core();
            size_t frame = debugger_->frame();
            const auto number = arguments.value("variablesReference", int64_t{0});
            if (number > 0 && number <= static_cast<int64_t>(scopes_.size())) {
                const Scope& scope = scopes_[static_cast<size_t>(number - 1)];
                core = scope.core;
                frame = scope.frame;
                const std::string row = std::to_string(scope.row);
                if (scope.kind == Scope::Kind::kRow) of = scope.of + "[" + row + "," + of.substr(1, of.size() - 2) + "]";
            }
            place = debugger_->ask({{"about", "place"}, {"of", of}, {"core", core}, {"frame", frame}});
        }
        body["dataId"] = dump_json(place);
        body["description"] = "writes of " + place.at("text").text();
        body["accessTypes"] = Json::array({"write"});
        body["canPersist"] = false;
    } catch (const DiagnosticError& error) {
        body["description"] = error.what();
    }
    return body;
}

Json Adapter::set_data_breakpoints(const Json& arguments) {
    for (const unsigned id : data_ids_) debugger_->remove(id);
    data_ids_.clear();
    Json list = Json::array();
    for (const Json& given : arguments.at("breakpoints").elements()) {
        const Json place = parse_json(given.at("dataId").text(), {.discards = true});
        if (!place.is_object()) fail_request("'" + given.at("dataId").text() + "' is not a dataId of this adapter");
        Rule rule;
        rule.written = place_of(place);
        const std::string condition = given.value("condition", "");
        if (condition == "nan")
            rule.value = Rule::Value::kNan;
        else if (condition == "differs")
            rule.value = Rule::Value::kDiffers;
        else
            rule.condition = condition;
        const unsigned id = debugger_->add(rule, "a write of " + rule.written->text);
        data_ids_.push_back(id);
        list.push_back(Json{{"id", id}, {"verified", true}});
    }
    return Json{{"breakpoints", list}};
}

Json Adapter::configuration_done(const Json&) {
    if (started_) fail_request("the run has begun already");
    return Json::object();
}

// ---- views --------------------------------------------------------------------------------

std::string Adapter::core_of_thread(const Json& arguments) const {
    const auto thread = arguments.value("threadId", int64_t{0});
    if (thread < 1 || thread > static_cast<int64_t>(cores_.size()))
        fail_request("unknown thread " + std::to_string(thread));
    return cores_[static_cast<size_t>(thread - 1)];
}

int64_t Adapter::thread_of(const std::string& core) const {
    const auto found = std::find(cores_.begin(), cores_.end(), core);
    return found == cores_.end() ? 1 : found - cores_.begin() + 1;
}

Json Adapter::threads(const Json&) {
    Json list = Json::array();
    for (size_t i = 0; i < cores_.size(); ++i) list.push_back(Json{{"id", i + 1}, {"name", cores_[i]}});
    return Json{{"threads", list}};
}

Json Adapter::frame_at(const std::string& name, const Json& site, Frame of, const char* hint) {
    frames_.push_back(std::move(of));
    Json frame{{"id", frames_.size()}, {"name", name}, {"line", site.value("line", 0)}, {"column", 1}};
    const std::string file = site.value("file", "");
    if (!file.empty()) {
        const bool own = file == subject_.file || subject_.file.ends_with("/" + file);
        frame["source"] = Json{{"name", file.substr(file.rfind('/') + 1)}, {"path", own ? subject_.file : file}};
    }
    if (hint != nullptr) frame["presentationHint"] = hint;
    return frame;
}

Json Adapter::stack_trace(const Json& arguments) {
    const std::string core = core_of_thread(arguments);
    Json list = Json::array();
    const auto add = [&](const std::string& name, const Json& site, const char* hint) {
        list.push_back(frame_at(name, site, {core}, hint));
    };
    const Json cores = debugger_->ask({{"about", "cores"}});
    for (const Json& one : cores.elements()) {
        if (one.at("core").text() != core) continue;
        const std::string block = one.contains("block") ? ", block " + std::to_string(one["block"].get<int>()) : "";
        const Json code = frames_of_code(*debugger_, core);
        for (size_t i = 0; i < code.size(); ++i)
            list.push_back(frame_at(core + "/S " + code[i].at("function").text() + block, code[i], {core, i}, nullptr));
        if (code.empty()) add(core + "/S " + subject_.kernel + block, one, nullptr);
    }
    const Json queues = debugger_->ask({{"about", "queues"}, {"core", core}});
    for (const Json& pipe : queues.elements()) {
        const std::string lane = core + "/" + pipe.at("pipe").text();
        if (pipe.contains("waits")) add(lane + " " + pipe["waits"].text(), Json::object(), "label");
        for (const Json& entry : pipe.at("entries").elements())
            add(lane + " " + entry.at("state").text() + ": " + entry.at("text").text(), entry, nullptr);
    }
    const int64_t total = static_cast<int64_t>(list.size());
    const int64_t first = std::clamp<int64_t>(arguments.value("startFrame", int64_t{0}), 0, total);
    const int64_t levels = arguments.value("levels", int64_t{0});
    Json part = Json::array();
    for (int64_t i = first; i < total && (levels <= 0 || i < first + levels); ++i) part.push_back(list[i]);
    return Json{{"stackFrames", part}, {"totalFrames", total}};
}

int64_t Adapter::reference(Scope scope) {
    scopes_.push_back(std::move(scope));
    return static_cast<int64_t>(scopes_.size());
}

Json Adapter::scopes(const Json& arguments) {
    const auto frame = arguments.at("frameId").get<int64_t>();
    if (frame < 1 || frame > static_cast<int64_t>(frames_.size())) fail_request("unknown frame " + std::to_string(frame));
    const auto& [core, code] = frames_[static_cast<size_t>(frame - 1)];
    Json list = Json::array();
    if (code)
        list.push_back(Json{{"name", "Variables"}, {"presentationHint", "locals"}, {"expensive", false},
                            {"variablesReference", reference({Scope::Kind::kCode, core, {}, 0, 0, 0, *code})}});
    using Kind = Scope::Kind;
    for (const auto& [name, kind] : {std::pair{"Values", Kind::kNames}, std::pair{"Arrays", Kind::kArrays},
                                     std::pair{"Flags", Kind::kFlags}, std::pair{"Pipes", Kind::kQueues}})
        list.push_back(Json{{"name", name}, {"variablesReference", reference({kind, core, {}, 0, 0, 0, 0})}, {"expensive", false}});
    return Json{{"scopes", list}};
}

Json Adapter::variable(const std::string& name, const std::string& value, const std::string& type) const {
    return Json{{"name", name}, {"value", value}, {"type", type}, {"variablesReference", 0}};
}

// A tile or array; its children are its rows.
Json Adapter::tile_variable(const Frame& in, const std::string& name, const std::string& of, const std::string& text) {
    const size_t frame = in.code.value_or(0);
    const Json value = debugger_->ask({{"about", "value"}, {"of", of}, {"core", in.core}, {"frame", frame}, {"rows", 0}});
    Scope scope{Scope::Kind::kMatrix, in.core, of, 0, value.at("rows").get<uint32_t>(), value.at("columns").get<uint32_t>(), frame};
    Json one = variable(name, text.empty() ? value.at("type").text() : text, value.at("type").text());
    one["indexedVariables"] = scope.rows;
    one["memoryReference"] = memory_reference(value.at("place"));
    one["evaluateName"] = of;
    one["__vscodeVariableMenuContext"] = "matrix";
    one["variablesReference"] = reference(scope);
    return one;
}

// Variables of a compiled kernel: tiles have rows, other structures and arrays members.
void Adapter::add_code(const Scope& scope, const Json& variables, Json& list) {
    for (const Json& one : variables.elements()) {
        const std::string& name = one.at("name").text();
        const std::string of = one.value("expression", name);
        const bool structure = one.at("value").text() == "{...}";
        if (structure) try {
                list.push_back(tile_variable({scope.core, scope.frame}, name, of, {}));
                continue;
            } catch (const DiagnosticError&) {  // another structure, or a tile that has no bytes yet
            }
        Json shown = variable(name, one.at("value").text(), one.at("type").text());
        shown["evaluateName"] = of;
        if (structure) shown["variablesReference"] = reference({Scope::Kind::kMembers, scope.core, of, 0, 0, 0, scope.frame});
        list.push_back(shown);
    }
}

void Adapter::add_matrix(const Scope& scope, const Json& arguments, Json& list) {
    const auto first = arguments.value("start", uint32_t{0});
    const auto count = arguments.value("count", uint32_t{0});
    const uint32_t most = count == 0 ? scope.rows : count;
    const Json value = debugger_->ask({{"about", "value"}, {"of", scope.of}, {"core", scope.core}, {"frame", scope.frame}, {"from_row", first}, {"rows", most}, {"columns", 8}});
    uint32_t row = first;
    for (const Json& texts : value.at("values").elements()) {
        std::string text;
        for (const Json& word : texts.elements()) text += (text.empty() ? "" : ", ") + word.text();
        if (scope.columns > 8) text += ", ...";
        Json one = variable("[" + std::to_string(row) + "]", text, "");
        one["indexedVariables"] = scope.columns;
        one["variablesReference"] = reference({Scope::Kind::kRow, scope.core, scope.of, row, 1, scope.columns, scope.frame});
        list.push_back(one);
        ++row;
    }
}

void Adapter::add_row(const Scope& scope, const Json& arguments, Json& list) {
    const auto first = arguments.value("start", uint32_t{0});
    const auto count = arguments.value("count", uint32_t{0});
    const uint32_t most = count == 0 ? scope.columns : count;
    const Json value = debugger_->ask({{"about", "value"}, {"of", scope.of}, {"core", scope.core}, {"frame", scope.frame}, {"from_row", scope.row}, {"rows", 1}, {"from_column", first}, {"columns", most}});
    uint32_t column = first;
    for (const Json& word : value.at("values")[0].elements()) {
        Json one = variable("[" + std::to_string(column) + "]", word.text(), "");
        one["evaluateName"] = scope.of + "[" + std::to_string(scope.row) + "," + std::to_string(column) + "]";
        list.push_back(one);
        ++column;
    }
}

Json Adapter::variables(const Json& arguments) {
    const auto number = arguments.at("variablesReference").get<int64_t>();
    if (number < 1 || number > static_cast<int64_t>(scopes_.size()))
        fail_request("unknown variablesReference " + std::to_string(number));
    const Scope scope = scopes_[static_cast<size_t>(number - 1)];
    Json list = Json::array();
    Json answer = Json::array();
    const auto ask = [&](const char* about) -> const std::vector<Json>& {
        answer = debugger_->ask({{"about", about}, {"core", scope.core}});
        return answer.elements();
    };
    switch (scope.kind) {
        case Scope::Kind::kNames:
            for (const Json& one : ask("names")) {
                const std::string& name = one.at("name").text();
                if (one.at("kind").text() == "tile") {
                    try {
                        list.push_back(tile_variable({scope.core}, name, name, one.at("text").text()));
                        continue;
                    } catch (const DiagnosticError&) {  // a tile that has no bytes yet
                    }
                }
                Json value = variable(name, one.at("text").text(), one.at("kind").text());
                value["evaluateName"] = name;
                list.push_back(value);
            }
            break;
        case Scope::Kind::kArrays:
            for (const std::string& name : subject_.arrays) list.push_back(tile_variable({scope.core}, name, name, {}));
            break;
        case Scope::Kind::kFlags:
            for (const Json& one : ask("flags"))
                list.push_back(variable(one.at("flag").text(), "set in line " + std::to_string(one.at("line").get<uint32_t>()), "flag"));
            break;
        case Scope::Kind::kQueues:
            for (const Json& one : ask("why"))
                list.push_back(variable(one.at("pipe").text(), one.at("text").text(), "pipe"));
            break;
        case Scope::Kind::kCode:
            add_code(scope, debugger_->code()->variables(scope.core, scope.frame), list);
            break;
        case Scope::Kind::kMembers:
            add_code(scope, debugger_->code()->members(scope.core, scope.frame, scope.of), list);
            break;
        case Scope::Kind::kMatrix:
            add_matrix(scope, arguments, list);
            break;
        case Scope::Kind::kRow:
            add_row(scope, arguments, list);
            break;
    }
    return Json{{"variables", list}};
}

// The frame of an expression: that of the last stop if none is given.
Adapter::Frame Adapter::frame_in(const Json& arguments) const {
    const auto frame = arguments.value("frameId", int64_t{0});
    if (frame > 0 && frame <= static_cast<int64_t>(frames_.size())) return frames_[static_cast<size_t>(frame - 1)];
    return {debugger_->core(), debugger_->frame()};
}

// In the debug console, the commands of the console; elsewhere names and expressions.
Json Adapter::evaluate(const Json& arguments) {
    const std::string& expression = arguments.at("expression").text();
    if (!started_) fail_request("the run has not begun");
    if (arguments.value("context", "") == "repl") {
        const uint64_t before = debugger_->timeline().moment();
        std::ostringstream text;
        Console(*debugger_, text).obey(expression);
        if (debugger_->timeline().moment() != before) tell_stop(debugger_->timeline().stop());
        return Json{{"result", text.str()}, {"variablesReference", 0}};
    }
    const Frame in = frame_in(arguments);
    const std::string& core = in.core;
    try {
        const Json value = debugger_->ask({{"about", "value"}, {"of", expression}, {"core", core}, {"frame", in.code.value_or(0)}, {"rows", 1}, {"columns", 1}});
        const bool single = value.at("rows") == 1 && value.at("columns") == 1;
        if (single) {
            Json body{{"result", value.at("values")[0][0]}, {"type", value.at("type")}, {"variablesReference", 0}};
            body["memoryReference"] = memory_reference(value.at("place"));
            return body;
        }
        Json tile = tile_variable(in, expression, expression, {});
        tile["result"] = tile.at("value");
        return tile;
    } catch (const DiagnosticError& error) {
        try {
            const double number = debugger_->ask({{"about", "number"}, {"of", expression}, {"core", core}}).get<double>();
            std::ostringstream text;
            text.precision(17);
            text << number;
            return Json{{"result", text.str()}, {"variablesReference", 0}};
        } catch (const DiagnosticError&) {
            if (debugger_->code() == nullptr) throw error;
            return Json{{"result", debugger_->code()->value(core, in.code.value_or(0), expression)}, {"variablesReference", 0}};
        }
    }
}

Json Adapter::exception_info(const Json&) {
    const Json& stop = debugger_->timeline().stop();
    Json body{{"exceptionId", "finding"}, {"breakMode", "always"}};
    const std::string note = stop.value("note", "");
    body["description"] = note.empty() ? stop.at("moment").at("text") : Json(note);
    return body;
}

Json Adapter::read_memory(const Json& arguments) {
    const std::string& reference = arguments.at("memoryReference").text();
    const auto offset = arguments.value("offset", int64_t{0});
    const auto count = arguments.at("count").get<int64_t>();
    const Json place = place_at(reference, offset, count);
    Json body{{"address", memory_reference(place)}};
    try {
        body["data"] = base64(debugger_->ask({{"about", "bytes"}, {"place", place}}).text());
    } catch (const DiagnosticError&) {
        body["unreadableBytes"] = count;
    }
    return body;
}

// Not of the protocol: elements as a picture. "expression", "frameId"; "data" in the answer is a PNG file.
Json Adapter::picture(const Json& arguments) {
    if (!started_) fail_request("the run has not begun");
    const Frame in = frame_in(arguments);
    const Json answer = debugger_->ask({{"about", "picture"}, {"of", arguments.at("expression").text()}, {"core", in.core}, {"frame", in.code.value_or(0)}});
    return Json{{"data", base64(answer.at("file").text())}, {"type", answer.at("type")}, {"rows", answer.at("rows")}, {"columns", answer.at("columns")}};
}

Json Adapter::pause(const Json&) {
    pause_asked_ = true;
    return Json::object();
}

Json Adapter::restart(const Json&) {
    over_ = false;
    return Json::object();
}

Json Adapter::disconnect(const Json&) {
    done_ = true;
    return Json::object();
}

}  // namespace ptosim::debug
