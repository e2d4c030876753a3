// The debugger for editors: a server of the Debug Adapter Protocol, for one client.
//
// Threads are cores. A core's frames are its scalar unit, then what its pipes work on and have in their queues.
#pragma once

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/faces/debug/console.h"
#include "sim/faces/debug/protocol.h"

namespace ptosim::debug {

class Adapter {
 public:
    // Lines at which a breakpoint can stop, by file.
    using Lines = std::map<std::string, std::set<uint32_t>>;
    struct Subject {
        std::string kernel;  // its name
        std::string file;    // with its text
        Lines lines;
        std::vector<std::string> arrays;
    };
    Adapter(ProtocolStream& stream, Subject subject) : stream_{stream}, subject_{std::move(subject)} {}

    // Serves until the client disconnects or closes the stream; false after a stream that is broken.
    bool serve(Debugger& debugger);
    // For the timeline.
    void show_output(const std::string& line);
    bool wants_pause() { return stream_.arrived(); }

 private:
    // The variables of a variablesReference.
    struct Scope {
        enum class Kind : uint8_t { kNames, kArrays, kFlags, kQueues, kMatrix, kRow, kCode, kMembers };
        Kind kind = Kind::kNames;
        std::string core;
        std::string of;  // kMatrix, kRow, kMembers
        uint32_t row = 0, rows = 0, columns = 0;
        size_t frame = 0;  // of variables of a compiled kernel
    };
    struct Frame {
        std::string core;
        std::optional<size_t> code{};  // number of a frame of a compiled kernel
    };
    struct Request {
        const char* command;
        Json (Adapter::*answer)(const Json& arguments);
    };
    static const std::vector<Request>& requests();

    bool handle(const Json& request);
    void respond(const Json& request, const Json& body);
    void refuse(const Json& request, const std::string& message);
    void tell(const char* event, Json body = Json::object());
    void tell_stop(const Json& stop);
    void begin();
    void move(const Debugger::Move& move, bool back);
    Json frame_at(const std::string& name, const Json& site, Frame frame, const char* hint);
    Json run_on(const Json& arguments, Motion motion, bool back);

    Json initialize(const Json&);
    Json launch(const Json& arguments);
    Json nothing(const Json&) { return Json::object(); }
    Json set_breakpoints(const Json& arguments);
    Json set_exception_breakpoints(const Json& arguments);
    Json data_breakpoint_info(const Json& arguments);
    Json set_data_breakpoints(const Json& arguments);
    Json configuration_done(const Json&);
    Json threads(const Json&);
    Json stack_trace(const Json& arguments);
    Json scopes(const Json& arguments);
    Json variables(const Json& arguments);
    Json evaluate(const Json& arguments);
    Json exception_info(const Json&);
    Json read_memory(const Json& arguments);
    Json picture(const Json& arguments);
    Json pause(const Json&);
    Json restart(const Json&);
    Json disconnect(const Json&);
    Json next(const Json& a) { return run_on(a, Motion::kOver, false); }
    Json step_in(const Json& a) { return run_on(a, debugger_->code() == nullptr ? Motion::kInstruction : Motion::kLine, false); }
    Json step_out(const Json& a) { return run_on(a, Motion::kOut, false); }
    Json step_back(const Json& a) { return run_on(a, Motion::kOver, true); }
    Json go_on(const Json& a) { return run_on(a, Motion::kContinue, false); }
    Json reverse(const Json& a) { return run_on(a, Motion::kContinue, true); }

    const std::set<uint32_t>& lines_of(const std::string& name) const;
    Frame frame_in(const Json& arguments) const;
    std::string core_of_thread(const Json& arguments) const;
    int64_t thread_of(const std::string& core) const;
    int64_t reference(Scope scope);
    Json variable(const std::string& name, const std::string& value, const std::string& type) const;
    Json tile_variable(const Frame& in, const std::string& name, const std::string& of, const std::string& text);
    void add_code(const Scope& scope, const Json& variables, Json& list);
    void add_matrix(const Scope& scope, const Json& arguments, Json& list);
    void add_row(const Scope& scope, const Json& arguments, Json& list);

    ProtocolStream& stream_;
    const Subject subject_;
    Debugger* debugger_ = nullptr;
    int64_t sequence_ = 1;
    bool stop_on_entry_ = false, started_ = false, over_ = false, done_ = false, pause_asked_ = false;
    std::vector<std::string> cores_;  // thread N is cores_[N - 1]
    std::vector<Scope> scopes_;       // variablesReference N is scopes_[N - 1]
    std::vector<Frame> frames_;       // frame N is frames_[N - 1]
    std::map<std::string, std::vector<unsigned>> line_ids_;  // by source
    std::vector<unsigned> data_ids_, exception_ids_;
    std::optional<std::pair<Debugger::Move, bool>> motion_;  // to make after the response
};

}  // namespace ptosim::debug
