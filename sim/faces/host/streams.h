// Streams and events of a host. A stream keeps the error of its work until it is synchronised.
#pragma once

#include <list>

#include "sim/check/checkers/host_order.h"
#include "sim/session/simulated_device.h"

namespace ptosim {

// The checker of host order; may be null.
check::HostOrder* order_of(SimulatedDevice& device);

// The calls throw HostError for invalid handles.
class Streams {
 public:
    explicit Streams(SimulatedDevice& device) : device_{device} {}

    struct Stream {
        int error = 0;   // of its work since the last synchronisation
        int number = 0;  // 0: the default stream
    };
    struct Event {
        bool recorded = false;
        Cycle time = 0;
    };
    Stream* make_stream();
    void destroy_stream(void* handle);
    // True if there is more than one stream in addition to the default stream.
    bool several() const { return streams_.size() > 1; }
    // Null means the default stream.
    Stream& stream(void* handle);
    // 0 for the default stream, and for one that has been destroyed.
    int number_of(const void* handle) const;
    // Returns the error of the stream, or the first one of all streams.
    int synchronize(void* handle);
    int synchronize_all();
    Event* make_event();
    void destroy_event(void* handle);
    Event& event(void* handle);
    bool has_event(const void* handle) const;
    void record(void* event, void* stream);
    void await(void* stream, void* event);
    void synchronize_event(void* event);
    double milliseconds(void* start, void* end);

    // Work of a stream has failed, or of the default stream if the handle is invalid.
    void fail(void* handle, int error);
    // The error after which all streams stop working; 0: none.
    int broken() const { return broken_; }
    void set_broken(int error) { broken_ = error; }

 private:
    SimulatedDevice& device_;
    std::list<Stream> streams_;
    int last_stream_ = 0;
    std::list<Event> events_;
    Stream default_stream_;
    int broken_ = 0;
};

}  // namespace ptosim
