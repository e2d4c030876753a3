#include "sim/faces/lsp/server.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "isa/assembly/language/language.h"
#include "isa/core/diagnostic.h"
#include "isa/table/instruction_table.h"

namespace ptosim::lsp {
namespace {

// Codes of JSON-RPC and of the protocol.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kNotInitialized = -32002, kRequestFailed = -32803;

struct RequestError {
    int code;
    std::string why;
};

Json position(uint32_t line, uint32_t character) { return Json{{"line", line}, {"character", character}}; }

Json range(const Span& span) {
    return Json{{"start", position(span.line, span.begin)}, {"end", position(span.line, span.end)}};
}

// "file:///a%20b.pto" as a path.
std::string path_of(const std::string& uri) {
    static constexpr std::string_view kScheme = "file://";
    const std::string_view text = uri.starts_with(kScheme) ? std::string_view(uri).substr(kScheme.size()) : std::string_view(uri);
    std::string path;
    for (size_t at = 0; at < text.size(); ++at) {
        unsigned byte = 0;
        const bool coded = text[at] == '%' && at + 2 < text.size() &&
                           std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16).ptr == text.data() + at + 3;
        path += coded ? static_cast<char>(byte) : text[at];
        if (coded) at += 2;
    }
    return path;
}

// All words of a list that is separated by blanks.
template <class Visit>
void each_word(std::string_view words, Visit&& visit) {
    while (!words.empty()) {
        const size_t end = std::min(words.find(' '), words.size());
        if (end > 0) visit(std::string(words.substr(0, end)));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
}

// Calls visit(name, summary, example) for each operation of the language.
template <class Visit>
void each_operation(Visit&& visit) {
    for (const InstructionInfo& row : instruction_table()) {
        if (row.assembly.empty()) continue;
        const std::string name = "pto." + std::string(row.assembly);
        visit(name, row.summary, assembly::example_of(name));
    }
    for (const assembly::OperationHelp& operation : assembly::operation_help())
        each_word(operation.names, [&](const std::string& name) {
            visit(name, operation.summary, assembly::syntax_of(operation, name));
        });
}

const InstructionInfo* row_of(std::string_view operation) {
    if (!operation.starts_with("pto.")) return nullptr;
    for (const InstructionInfo& row : instruction_table())
        if (row.assembly == operation.substr(4)) return &row;
    return nullptr;
}

// The word of "did you mean 'x'?" in a hint; empty if there is none.
std::string suggested(const std::string& hint) {
    static constexpr std::string_view kAsk = "did you mean '";
    const size_t at = hint.find(kAsk);
    if (at == std::string::npos) return {};
    const size_t begin = at + kAsk.size(), end = hint.find('\'', begin);
    return end == std::string::npos ? std::string() : hint.substr(begin, end - begin);
}

Json whole_lines(uint32_t line) { return Json{{"start", position(line, 0)}, {"end", position(line, 0)}}; }

}  // namespace

const std::vector<Server::Method>& Server::methods() {
    static const auto& methods = *new std::vector<Method>{
        {"initialize", &Server::initialize},
        {"initialized", &Server::nothing},
        {"shutdown", &Server::shutdown},
        {"textDocument/didOpen", &Server::open},
        {"textDocument/didChange", &Server::change},
        {"textDocument/didSave", &Server::save},
        {"textDocument/didClose", &Server::close},
        {"textDocument/hover", &Server::hover},
        {"textDocument/completion", &Server::completion},
        {"textDocument/definition", &Server::definition},
        {"textDocument/references", &Server::references},
        {"textDocument/prepareRename", &Server::prepare_rename},
        {"textDocument/rename", &Server::rename},
        {"textDocument/documentSymbol", &Server::symbols},
        {"textDocument/codeAction", &Server::actions},
        {"textDocument/inlayHint", &Server::hints},
        {"textDocument/codeLens", &Server::lenses},
        {"$/cancelRequest", &Server::nothing},
        {"$/setTrace", &Server::nothing},
        {"workspace/didChangeConfiguration", &Server::nothing},
        {"workspace/didChangeWatchedFiles", &Server::nothing},
    };
    return methods;
}

int Server::serve() {
    while (!done_) {
        const std::optional<Json> message = stream_.receive();
        if (!message) break;
        handle(*message);
    }
    return shut_down_ ? 0 : 1;
}

void Server::refuse(const Json& id, int code, const std::string& why) {
    Json response{{"jsonrpc", "2.0"}, {"id", id}};
    response["error"] = Json{{"code", code}, {"message", why}};
    stream_.send(response);
}

void Server::handle(const Json& message) {
    if (!message.is_object()) return refuse({}, kParseError, "the message is not a JSON object");
    const bool request = message.contains("id");
    const Json id = request ? message["id"] : Json();
    if (!message.contains("method") || !message["method"].is_string()) {
        if (!message.contains("result") && !message.contains("error"))
            refuse(id, kInvalidRequest, "the message has no method");
        return;  // an answer
    }
    const std::string& name = message["method"].text();
    if (name == "exit") {
        done_ = true;
        return;
    }
    const auto found =
        std::find_if(methods().begin(), methods().end(), [&](const Method& method) { return method.name == name; });
    if (found == methods().end()) {
        if (request) refuse(id, kMethodNotFound, "unknown method '" + name + "'");
        return;
    }
    if (!initialized_ && name != "initialize") {
        if (request) refuse(id, kNotInitialized, "'initialize' comes first");
        return;
    }
    const Json none = Json::object();
    const bool has = message.contains("params") && message["params"].is_object();
    try {
        const Json result = (this->*found->answer)(has ? message["params"] : none);
        if (!request) return;
        Json response{{"jsonrpc", "2.0"}, {"id", id}};
        response["result"] = result;
        stream_.send(response);
    } catch (const RequestError& error) {
        if (request) refuse(id, error.code, error.why);
    } catch (const Json::Error& error) {
        if (request) refuse(id, kInvalidParams, error.what());
    } catch (const std::exception& error) {
        if (request) refuse(id, kRequestFailed, error.what());
    }
}

// ---- documents ----------------------------------------------------------------------------

Json Server::initialize(const Json&) {
    initialized_ = true;
    Json can = Json::object();
    can["textDocumentSync"] = Json{{"openClose", true}, {"change", 1}, {"save", true}};
    for (const char* provider : {"hoverProvider", "definitionProvider", "referencesProvider", "documentSymbolProvider",
                                 "codeActionProvider", "inlayHintProvider"})
        can[provider] = true;
    can["renameProvider"] = Json{{"prepareProvider", true}};
    can["codeLensProvider"] = Json::object();
    can["completionProvider"] = Json{{"triggerCharacters", Json::array({"%", "!", ".", "<", "{", "@"})}};
    return Json{{"capabilities", can}, {"serverInfo", Json{{"name", "ptosim"}}}};
}

Json Server::shutdown(const Json&) {
    shut_down_ = true;
    return {};
}

void Server::set_text(const std::string& uri, std::string text) {
    Open& open = open_[uri];
    open.document = std::make_unique<Document>(path_of(uri), std::move(text));
    open.document->analyse(facts_.chip_of);
    publish(uri);
}

Json Server::open(const Json& parameters) {
    const Json& document = parameters.at("textDocument");
    set_text(document.at("uri").text(), document.at("text").text());
    return {};
}

Json Server::change(const Json& parameters) {
    const std::string& uri = parameters.at("textDocument").at("uri").text();
    const auto& changes = parameters.at("contentChanges").elements();
    if (!changes.empty()) set_text(uri, changes.back().at("text").text());
    return {};
}

// The findings of a run, if the client has stated arguments for one.
Json Server::save(const Json& parameters) {
    Open& open = opened(parameters);
    open.findings.clear();
    if (facts_.check) {
        const Json result = facts_.check(open.document->path());
        if (result.is_object() && result.contains("diagnostics")) open.findings = result.at("diagnostics").elements();
    }
    publish(parameters.at("textDocument").at("uri").text());
    return {};
}

Json Server::close(const Json& parameters) {
    open_.erase(parameters.at("textDocument").at("uri").text());
    return {};
}

Server::Open& Server::opened(const Json& parameters) {
    const std::string& uri = parameters.at("textDocument").at("uri").text();
    const auto found = open_.find(uri);
    if (found == open_.end()) throw RequestError{kInvalidParams, "'" + uri + "' is not open"};
    return found->second;
}

Json Server::diagnostics_of(const Open& open) const {
    Json list = Json::array();
    for (const Problem& problem : open.document->problems()) {
        const Diagnostic& d = problem.diagnostic;
        Json one{{"range", range(problem.span)}, {"severity", problem.error ? 1 : 2}, {"code", d.code}, {"source", "ptosim"}};
        one["message"] = d.message + (d.hint.empty() ? "" : "\n" + d.hint);
        if (const std::string word = suggested(d.hint); !word.empty()) one["data"] = Json{{"instead", word}};
        list.push_back(one);
    }
    for (const Json& finding : open.findings) {
        const Json* const place = finding.contains("location") ? &finding["location"] : &finding;
        const auto line = std::max(1u, place->value("line", 1u)) - 1;
        const std::string_view text = open.document->line(line);
        const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
        const Span span{line, static_cast<uint32_t>(begin), static_cast<uint32_t>(text.size())};
        Json one{{"range", range(span)}, {"severity", 1}, {"code", finding.value("code", "")}, {"source", "ptosim check"}};
        one["message"] = finding.value("message", "");
        if (finding.contains("mend")) one["data"] = Json{{"mend", finding["mend"]}};
        list.push_back(one);
    }
    return list;
}

void Server::publish(const std::string& uri) {
    Json message{{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}};
    message["params"] = Json{{"uri", uri}, {"diagnostics", diagnostics_of(open_[uri])}};
    stream_.send(message);
}

// ---- questions ----------------------------------------------------------------------------

const Symbol* Server::symbol(const Json& parameters, const Document& document) const {
    const Json& at = parameters.at("position");
    return document.symbol_at(at.at("line").get<uint32_t>(), at.at("character").get<uint32_t>());
}

Json Server::hover(const Json& parameters) {
    const Document& document = *opened(parameters).document;
    const Json& at = parameters.at("position");
    const auto line = at.at("line").get<uint32_t>(), character = at.at("character").get<uint32_t>();
    std::string text;
    Span span;
    if (const Symbol* const found = document.symbol_at(line, character)) {
        text = found->name + (found->type.empty() ? "" : " : " + found->type);
        const std::string_view defined = document.line(found->definition.line);
        const size_t first = std::min(defined.find_first_not_of(" \t"), defined.size());
        text += "\nline " + std::to_string(found->definition.line + 1) + ": " + std::string(defined.substr(first));
        span = {line, character, character};
    } else {
        const std::string word = document.word_at(line, character, &span);
        text = word.empty() ? std::string() : facts_.page(word);
        const assembly::Operation* const op = document.operation_in(line);
        if (!text.empty() && op != nullptr && op->name == word && row_of(word) != nullptr && facts_.cost)
            text += "\n" + facts_.cost(*op, *document.module());
    }
    if (text.empty()) return {};
    return Json{{"contents", Json{{"kind", "markdown"}, {"value", "```\n" + text + "\n```"}}}, {"range", range(span)}};
}

Json Server::completion(const Json& parameters) {
    const Document& document = *opened(parameters).document;
    const Json& at = parameters.at("position");
    const auto line = at.at("line").get<uint32_t>();
    const std::string_view text = document.line(line);
    const std::string before(text.substr(0, std::min<size_t>(at.at("character").get<uint32_t>(), text.size())));
    Json list = Json::array();
    const auto add = [&](const std::string& label, int kind, std::string_view detail, const std::string& documentation = {}) {
        Json one{{"label", label}, {"kind", kind}, {"detail", detail}};
        if (!documentation.empty()) one["documentation"] = documentation;
        list.push_back(one);
    };
    constexpr int kFunction = 3, kVariable = 6, kClass = 7, kProperty = 10, kEnumMember = 20;
    const size_t last = before.find_last_of(" \t(,[<{=:");
    const std::string word = last == std::string::npos ? before : before.substr(last + 1);
    if (word.starts_with("%") || word.starts_with("!") || word.starts_with("@")) {
        std::set<std::string> listed;
        for (const Symbol& symbol : document.symbols())
            if (symbol.name[0] == word[0] && symbol.definition.line <= line + (word[0] == '@' ? 1u << 30 : 0u) &&
                listed.insert(symbol.name).second)
                add(symbol.name, symbol.kind == Symbol::Kind::kAlias ? kClass : kVariable, symbol.type);
        return list;
    }
    const size_t angle = before.rfind('<');
    if (angle != std::string::npos && before.find('>', angle) == std::string::npos &&
        (before.find("flag") != std::string::npos || before.find("barrier") != std::string::npos)) {
        for (unsigned p = 0; p <= static_cast<unsigned>(Pipe::kAll); ++p)
            add("PIPE_" + std::string(p == static_cast<unsigned>(Pipe::kAll) ? "ALL" : name(static_cast<Pipe>(p))), kEnumMember, "pipe");
        for (uint64_t id = 0; id < facts_.chip_of({}).flags.ids.value(); ++id)
            add("EVENT_ID" + std::to_string(id), kEnumMember, "event id");
        return list;
    }
    const size_t brace = before.rfind('{');
    if (brace != std::string::npos && before.find('}', brace) == std::string::npos) {
        const size_t begin = before.find("pto.");
        const size_t end = begin == std::string::npos ? begin : before.find_first_of(" (", begin);
        if (end != std::string::npos)
            if (const InstructionInfo* const row = row_of(before.substr(begin, end - begin)))
                for (const AttributeInfo* attribute : assembly::attributes_in_text(*row))
                    add(assembly::attribute_form(*attribute), kProperty, attribute->values);
        return list;
    }
    each_operation([&](const std::string& name, std::string_view summary, const std::string& example) {
        if (name.starts_with(word) || ("pto." + word) == name.substr(0, 4 + word.size())) add(name, kFunction, summary, example);
    });
    return list;
}

Json Server::definition(const Json& parameters) {
    const Open& open = opened(parameters);
    const Symbol* const found = symbol(parameters, *open.document);
    if (found == nullptr || found->definition.end == 0) return {};
    return Json{{"uri", parameters.at("textDocument").at("uri")}, {"range", range(found->definition)}};
}

Json Server::references(const Json& parameters) {
    const Open& open = opened(parameters);
    const Symbol* const found = symbol(parameters, *open.document);
    Json list = Json::array();
    if (found == nullptr) return list;
    const auto add = [&](const Span& span) {
        list.push_back(Json{{"uri", parameters.at("textDocument").at("uri")}, {"range", range(span)}});
    };
    const bool declared = !parameters.contains("context") || parameters.at("context").value("includeDeclaration", true);
    if (declared && found->definition.end > 0) add(found->definition);
    for (const Span& use : found->uses) add(use);
    return list;
}

Json Server::prepare_rename(const Json& parameters) {
    const Open& open = opened(parameters);
    const Symbol* const found = symbol(parameters, *open.document);
    if (found == nullptr) return {};
    const Json& at = parameters.at("position");
    const auto line = at.at("line").get<uint32_t>(), character = at.at("character").get<uint32_t>();
    Span span = found->definition;
    for (const Span& use : found->uses)
        if (use.holds(line, character)) span = use;
    return Json{{"range", range(span)}, {"placeholder", found->name}};
}

Json Server::rename(const Json& parameters) {
    const Open& open = opened(parameters);
    const Symbol* const found = symbol(parameters, *open.document);
    if (found == nullptr) throw RequestError{kInvalidParams, "no name is at this position"};
    std::string wanted = parameters.at("newName").text();
    if (wanted.empty() || wanted[0] != found->name[0]) wanted.insert(0, 1, found->name[0]);
    const auto fits = [](char c) {
        return c == '_' || c == '$' || c == '.' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (wanted.size() < 2 || !std::all_of(wanted.begin() + 1, wanted.end(), fits))
        throw RequestError{kInvalidParams, "'" + wanted + "' is not a name"};
    for (const Symbol& other : open.document->symbols())
        if (&other != found && other.name == wanted)
            throw RequestError{kInvalidParams, "'" + wanted + "' is in use"};
    Json edits = Json::array();
    const auto add = [&](const Span& span) { edits.push_back(Json{{"range", range(span)}, {"newText", wanted}}); };
    if (found->definition.end > 0) add(found->definition);
    for (const Span& use : found->uses) add(use);
    Json changes = Json::object();
    changes[parameters.at("textDocument").at("uri").text()] = edits;
    return Json{{"changes", changes}};
}

// The functions, with the tiles, views and loops in them.
Json Server::symbols(const Json& parameters) {
    const Document& document = *opened(parameters).document;
    Json list = Json::array();
    constexpr int kFunction = 12, kVariable = 13;
    for (const Symbol& function : document.symbols()) {
        if (function.kind != Symbol::Kind::kFunction || function.operation == nullptr) continue;
        uint32_t end = function.definition.line;
        for (uint32_t bytes = function.operation->begin; bytes < function.operation->end && bytes < document.text().size(); ++bytes)
            end += document.text()[bytes] == '\n';
        Json one{{"name", function.name}, {"kind", kFunction}, {"selectionRange", range(function.definition)}};
        one["range"] = Json{{"start", position(function.definition.line, 0)}, {"end", position(end + 1, 0)}};
        Json children = Json::array();
        for (const Symbol& value : document.symbols()) {
            if (value.kind != Symbol::Kind::kValue || value.operation == nullptr || value.definition.line < function.definition.line ||
                value.definition.line > end)
                continue;
            const bool shown = value.operation->name == "pto.alloc_tile" || value.operation->name == "pto.make_tensor_view";
            if (shown)
                children.push_back(Json{{"name", value.name}, {"detail", value.type}, {"kind", kVariable},
                                        {"range", range(value.definition)}, {"selectionRange", range(value.definition)}});
        }
        one["children"] = children;
        list.push_back(one);
    }
    return list;
}

void Server::add_replacement(const Json& diagnostic, const std::string& uri, Json& list) const {
    const Json& data = diagnostic.at("data");
    Json edits = Json::array();
    std::string title;
    if (data.contains("instead")) {
        title = "Replace by '" + data["instead"].text() + "'";
        edits.push_back(Json{{"range", diagnostic["range"]}, {"newText", data["instead"]}});
    } else if (data.contains("mend")) {
        title = data["mend"].value("text", "Repair");
        for (const Json& line : data["mend"].at("lines").elements()) {
            const auto number = line.at("line").get<uint32_t>();
            const std::string& place = line.at("place").text();
            const uint32_t at = place == "after" ? number : number - 1;
            Json where = whole_lines(at);
            if (place == "instead") where["end"] = position(number, 0);
            edits.push_back(Json{{"range", where}, {"newText", line.at("text").text() + "\n"}});
        }
    }
    if (edits.empty()) return;
    Json changes = Json::object();
    changes[uri] = edits;
    Json action{{"title", title}, {"kind", "quickfix"}, {"diagnostics", Json::array({diagnostic})}};
    action["edit"] = Json{{"changes", changes}};
    list.push_back(action);
}

// The server's own diagnostics at these lines, because clients may drop their data.
Json Server::actions(const Json& parameters) {
    const Open& open = opened(parameters);
    const auto first = parameters.at("range").at("start").at("line").get<uint32_t>();
    const auto last = parameters.at("range").at("end").at("line").get<uint32_t>();
    Json list = Json::array();
    const Json all = diagnostics_of(open);
    for (const Json& diagnostic : all.elements()) {
        const auto line = diagnostic.at("range").at("start").at("line").get<uint32_t>();
        if (line < first || line > last || !diagnostic.contains("data")) continue;
        add_replacement(diagnostic, parameters.at("textDocument").at("uri").text(), list);
    }
    return list;
}

Json Server::hints(const Json& parameters) {
    const Open& open = opened(parameters);
    Json list = Json::array();
    if (!facts_.recorded) return list;
    for (const auto& [line, text] : facts_.recorded(open.document->path())) {
        if (line == 0) continue;
        const auto end = static_cast<uint32_t>(open.document->line(line - 1).size());
        list.push_back(Json{{"position", position(line - 1, end)}, {"label", text}, {"paddingLeft", true}});
    }
    return list;
}

Json Server::lenses(const Json& parameters) {
    const Open& open = opened(parameters);
    Json list = Json::array();
    for (const Symbol& function : open.document->symbols()) {
        if (function.kind != Symbol::Kind::kFunction || function.operation == nullptr) continue;
        for (const auto& [title, command] : {std::pair{"Debug", "ptosim.debug"}, std::pair{"Check", "ptosim.check"},
                                             std::pair{"Open the report", "ptosim.report"}}) {
            Json one{{"range", range(function.definition)}};
            one["command"] = Json{{"title", title}, {"command", command}, {"arguments", Json::array({open.document->path(), function.name.substr(1)})}};
            list.push_back(one);
        }
    }
    return list;
}

}  // namespace ptosim::lsp
