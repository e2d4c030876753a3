// Streams whose work a host captures into a model (aclmdlRICaptureBegin) and runs later, as often as the host asks
// (aclmdlRIExecute). A model keeps work in the order in which the host submitted it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <thread>
#include <vector>

namespace ptosim {

class StreamCaptures {
 public:
    // Submits a piece of work once more, to another stream. Called without the device's lock; returns a code of acl.
    using Work = std::function<int(void* stream)>;

    // aclmdlRICaptureMode: which threads may call functions that do more than submit work to a stream.
    enum class Mode : int32_t { kGlobal, kThreadLocal, kRelaxed };

    // The streams of a capture are its lanes, numbered as they joined it: that of aclmdlRICaptureBegin is lane 0.
    struct Lane {
        void* stream = nullptr;
        bool must_join = false;  // it joined by an event, so another lane must wait for its work
        unsigned submitted = 0;  // pieces of work
        bool joined = true;      // another lane waits for all of its work
    };
    enum class Kind : uint8_t { kWork, kRecord, kWait };
    struct Item {
        Kind kind = Kind::kWork;
        unsigned lane = 0;
        unsigned record = 0;  // the number of the record, and of the record that a wait waits for
        Work work;
    };
    struct Record {
        unsigned lane = 0, submitted = 0;  // pieces of work of the lane before it
    };
    struct Model {
        std::vector<Lane> lanes;
        std::vector<Item> items;
        std::vector<Record> records;
        std::map<void*, unsigned> events;  // the last record of each event
        Mode mode = Mode::kGlobal;
        std::thread::id thread;
        bool ended = false;
        // Made by its first execution: streams in place of the lanes after the first, an event for each record, and one
        // for the begin and the end of each of these lanes.
        std::vector<void*> own_streams, own_events;
    };

    // Calls throw HostError.
    void begin(void* stream, Mode mode);
    Model* end(void* stream);
    void add_stream(void* stream, const void* model);
    // A model whose capture has ended.
    Model& ended_model(const void* model);
    void destroy(const Model& model);

    // The model into which the stream's work is captured. Null: the stream runs its work.
    Model* model_of(const void* stream);
    // Returns true if the stream is captured, and adds the work to its model.
    bool take(void* stream, const Work& work);
    // The same for the record of an event, and for a wait, by which a stream joins the capture of the event.
    bool take_record(void* event, void* stream);
    bool take_wait(void* stream, void* event);

    // Throw HostError for a call that needs a stream, or an event, that is not captured.
    void require_running(const void* stream, const char* call);
    void require_uncaptured(void* event, const char* call) const;
    // Throws HostError if a capture forbids this call in this thread.
    void require_safe(const char* call);
    // Sets the mode of this thread and returns the one before.
    Mode exchange_mode(Mode mode);

 private:
    static Lane* lane_of(Model& model, const void* stream);
    static void join(Model& model, void* stream, bool must_join);

    std::list<Model> models_;
    std::map<std::thread::id, Mode> modes_;
};

}  // namespace ptosim
