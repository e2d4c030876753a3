#include "sim/faces/host/streams.h"

#include <algorithm>
#include <utility>

#include "acl/acl.h"
#include "sim/faces/host/host_error.h"

namespace ptosim {

check::HostOrder* order_of(SimulatedDevice& device) {
    check::Checkers* const checkers = device.checkers();
    return checkers != nullptr ? checkers->find<check::HostOrder>() : nullptr;
}

Streams::Stream* Streams::make_stream() {
    Stream& made = streams_.emplace_back();
    made.number = ++last_stream_;
    return &made;
}

Streams::Stream& Streams::stream(void* handle) {
    if (handle == nullptr) return default_stream_;
    for (Stream& candidate : streams_)
        if (&candidate == handle) return candidate;
    throw host_error(ACL_ERROR_RT_STREAM_CONTEXT,
                     hexadecimal(handle) + " is not a stream, or has been destroyed");
}

int Streams::number_of(const void* handle) const {
    for (const Stream& candidate : streams_)
        if (&candidate == handle) return candidate.number;
    return 0;
}

void Streams::destroy_stream(void* handle) {
    const Stream* target = &stream(handle);
    if (order_of(device_) != nullptr) order_of(device_)->await_stream(handle);
    streams_.remove_if([&](const Stream& s) { return &s == target; });
}

void Streams::fail(void* handle, int error) {
    try {
        stream(handle).error = error;
    } catch (const HostError&) {
        default_stream_.error = error;
    }
}

int Streams::synchronize(void* handle) {
    Stream& target = stream(handle);
    if (order_of(device_) != nullptr) order_of(device_)->await_stream(handle);
    return std::exchange(target.error, broken_);
}

int Streams::synchronize_all() {
    if (order_of(device_) != nullptr) order_of(device_)->await_all();
    int first = std::exchange(default_stream_.error, broken_);
    for (Stream& each : streams_) {
        const int code = std::exchange(each.error, broken_);
        if (first == 0) first = code;
    }
    return first;
}

Streams::Event* Streams::make_event() { return &events_.emplace_back(); }

Streams::Event& Streams::event(void* handle) {
    for (Event& candidate : events_)
        if (&candidate == handle) return candidate;
    throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                     hexadecimal(handle) + " is not an event, or has been destroyed");
}

bool Streams::has_event(const void* handle) const {
    return std::ranges::any_of(events_, [&](const Event& each) { return &each == handle; });
}

void Streams::destroy_event(void* handle) {
    const Event* target = &event(handle);
    events_.remove_if([&](const Event& e) { return &e == target; });
}

void Streams::record(void* handle, void* stream_handle) {
    stream(stream_handle);
    event(handle) = {true, device_.session().chip().now()};
    if (order_of(device_) != nullptr) order_of(device_)->record(handle, stream_handle);
}

void Streams::await(void* stream_handle, void* handle) {
    stream(stream_handle);
    event(handle);
    if (order_of(device_) != nullptr) order_of(device_)->await(stream_handle, handle);
}

void Streams::synchronize_event(void* handle) {
    event(handle);
    if (order_of(device_) != nullptr) order_of(device_)->await_event(handle);
}

double Streams::milliseconds(void* start, void* end) {
    const Event& first = event(start);
    const Event& last = event(end);
    if (!first.recorded || !last.recorded)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         "aclrtEventElapsedTime of an event that has not been recorded");
    const double cycles = static_cast<double>(last.time) - static_cast<double>(first.time);
    return cycles * 1e3 / static_cast<double>(device_.model().clock);
}

}  // namespace ptosim
