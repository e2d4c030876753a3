// A server of the Language Server Protocol for .pto files, for one client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "sim/faces/debug/protocol.h"
#include "sim/faces/lsp/document.h"

namespace ptosim::lsp {

// Facts from other parts of the program.
struct Facts {
    Document::ChipOf chip_of;
    // The page of an instruction, an operation or a code, as `ptosim isa` shows it; empty for other words.
    std::function<std::string(const std::string& word)> page;
    // The cycles of an operation alone on the chip, or the reason for which they are unknown.
    std::function<std::string(const assembly::Operation&, const assembly::Module&)> cost;
    // The cycles of each line in the latest recording of a file; empty without one.
    std::function<std::map<uint32_t, std::string>(const std::string& path)> recorded;
    // The findings of `ptosim check` with its mends, as its JSON; null if it is not configured for the file.
    std::function<Json(const std::string& path)> check;
};

class Server {
 public:
    Server(debug::ProtocolStream& stream, Facts facts) : stream_{stream}, facts_{std::move(facts)} {}
    // Serves until the client exits or closes the stream. The result is the exit code: 0 after a shutdown.
    int serve();

 private:
    struct Method {
        const char* name;
        Json (Server::*answer)(const Json& parameters);
    };
    static const std::vector<Method>& methods();
    struct Open {
        std::unique_ptr<Document> document;
        std::vector<Json> findings;  // of the last check
    };

    void handle(const Json& message);
    void refuse(const Json& id, int code, const std::string& why);
    void publish(const std::string& uri);

    Json initialize(const Json&);
    Json nothing(const Json&) { return {}; }
    Json shutdown(const Json&);
    Json open(const Json& parameters);
    Json change(const Json& parameters);
    Json save(const Json& parameters);
    Json close(const Json& parameters);
    Json hover(const Json& parameters);
    Json completion(const Json& parameters);
    Json definition(const Json& parameters);
    Json references(const Json& parameters);
    Json prepare_rename(const Json& parameters);
    Json rename(const Json& parameters);
    Json symbols(const Json& parameters);
    Json actions(const Json& parameters);
    Json hints(const Json& parameters);
    Json lenses(const Json& parameters);

    void set_text(const std::string& uri, std::string text);
    Open& opened(const Json& parameters);
    const Symbol* symbol(const Json& parameters, const Document& document) const;
    Json diagnostics_of(const Open& open) const;
    void add_replacement(const Json& diagnostic, const std::string& uri, Json& list) const;

    debug::ProtocolStream& stream_;
    const Facts facts_;
    std::map<std::string, Open> open_;  // by URI
    bool initialized_ = false, shut_down_ = false, done_ = false;
};

}  // namespace ptosim::lsp
