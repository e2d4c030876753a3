#include "sim/faces/host/stream_captures.h"

#include <algorithm>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "sim/faces/host/host_error.h"

namespace ptosim {

StreamCaptures::Lane* StreamCaptures::lane_of(Model& model, const void* stream) {
    if (model.ended) return nullptr;
    const auto found = std::ranges::find(model.lanes, stream, &Lane::stream);
    return found == model.lanes.end() ? nullptr : &*found;
}

StreamCaptures::Model* StreamCaptures::model_of(const void* stream) {
    for (Model& model : models_)
        if (lane_of(model, stream) != nullptr) return &model;
    return nullptr;
}

void StreamCaptures::join(Model& model, void* stream, bool must_join) {
    model.lanes.push_back({.stream = stream, .must_join = must_join});
}

void StreamCaptures::begin(void* stream, Mode mode) {
    if (stream == nullptr)
        throw host_error(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "aclmdlRICaptureBegin of the default stream",
                         "capture a stream that aclrtCreateStream has made");
    if (model_of(stream) != nullptr)
        throw host_error(ACL_ERROR_RT_STREAM_CAPTURED, "aclmdlRICaptureBegin of a stream that is being captured",
                         "call aclmdlRICaptureEnd first");
    Model& made = models_.emplace_back();
    made.mode = mode;
    made.thread = std::this_thread::get_id();
    join(made, stream, false);
}

StreamCaptures::Model* StreamCaptures::end(void* stream) {
    Model* const model = model_of(stream);
    if (model == nullptr || model->lanes.front().stream != stream)
        throw host_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "aclmdlRICaptureEnd of a stream that is not being captured",
                         "give the stream of aclmdlRICaptureBegin");
    if (model->mode != Mode::kRelaxed && model->thread != std::this_thread::get_id())
        throw host_error(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                         "aclmdlRICaptureEnd in another thread than aclmdlRICaptureBegin",
                         "call both in one thread, or capture in ACL_MODEL_RI_CAPTURE_MODE_RELAXED");
    model->ended = true;
    const auto open = std::ranges::find(model->lanes, false, &Lane::joined);
    if (open != model->lanes.end()) {
        const auto lane = open - model->lanes.begin();
        destroy(*model);
        throw host_error(ACL_ERROR_RT_STREAM_UNJOINED,
                         "aclmdlRICaptureEnd: stream " + std::to_string(lane + 1) +
                             " that joined the capture has work that no other stream waits for",
                         "record an event after its last work, and wait for the event in the captured stream");
    }
    return model;
}

void StreamCaptures::add_stream(void* stream, const void* model) {
    const auto found = std::ranges::find_if(models_, [&](const Model& each) { return &each == model; });
    if (found == models_.end() || found->ended)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID, "rtStreamAddToModel: " + hexadecimal(model) +
                                                         " is not a model that is being captured");
    if (lane_of(*found, stream) == nullptr) join(*found, stream, false);
}

StreamCaptures::Model& StreamCaptures::ended_model(const void* model) {
    const auto found = std::ranges::find_if(models_, [&](const Model& each) { return &each == model; });
    if (found == models_.end())
        throw host_error(ACL_ERROR_RT_PARAM_INVALID, hexadecimal(model) + " is not a model, or has been destroyed");
    if (!found->ended)
        throw host_error(ACL_ERROR_RT_MODEL_CAPTURED, "a model that is being captured", "call aclmdlRICaptureEnd first");
    return *found;
}

void StreamCaptures::destroy(const Model& model) {
    models_.remove_if([&](const Model& each) { return &each == &model; });
}

bool StreamCaptures::take(void* stream, const Work& work) {
    Model* const model = model_of(stream);
    if (model == nullptr) return false;
    Lane& lane = *lane_of(*model, stream);
    const auto number = static_cast<unsigned>(&lane - model->lanes.data());
    ++lane.submitted;
    lane.joined = !lane.must_join;
    model->items.push_back({Kind::kWork, number, 0, work});
    return true;
}

bool StreamCaptures::take_record(void* event, void* stream) {
    Model* const model = model_of(stream);
    if (model == nullptr) return false;
    const Lane& lane = *lane_of(*model, stream);
    const auto number = static_cast<unsigned>(&lane - model->lanes.data());
    const auto record = static_cast<unsigned>(model->records.size());
    model->records.push_back({number, lane.submitted});
    model->events[event] = record;
    model->items.push_back({Kind::kRecord, number, record, nullptr});
    return true;
}

bool StreamCaptures::take_wait(void* stream, void* event) {
    Model* model = model_of(stream);
    const auto recorded_in = std::ranges::find_if(
        models_, [&](const Model& each) { return !each.ended && each.events.contains(event); });
    if (model == nullptr && recorded_in == models_.end()) return false;
    if (model != nullptr && recorded_in == models_.end())
        throw host_error(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                         "a captured stream waits for an event that was not recorded in the capture",
                         "record the event in a captured stream, or wait before aclmdlRICaptureBegin");
    if (model != nullptr && model != &*recorded_in)
        throw host_error(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "a captured stream waits for an event of another capture");
    model = &*recorded_in;
    if (lane_of(*model, stream) == nullptr) join(*model, stream, true);
    Lane& lane = *lane_of(*model, stream);
    const auto number = static_cast<unsigned>(&lane - model->lanes.data());
    const unsigned record = model->events[event];
    Lane& waited = model->lanes[model->records[record].lane];
    if (waited.submitted == model->records[record].submitted) waited.joined = true;
    lane.joined = !lane.must_join;
    model->items.push_back({Kind::kWait, number, record, nullptr});
    return true;
}

void StreamCaptures::require_running(const void* stream, const char* call) {
    if (model_of(stream) == nullptr) return;
    throw host_error(ACL_ERROR_RT_STREAM_CAPTURED, std::string(call) + " of a stream that is being captured",
                     "its work runs when its model does; call aclmdlRICaptureEnd first");
}

void StreamCaptures::require_uncaptured(void* event, const char* call) const {
    if (std::ranges::none_of(models_, [&](const Model& each) { return !each.ended && each.events.contains(event); }))
        return;
    throw host_error(ACL_ERROR_RT_EVENT_CAPTURED, std::string(call) + " of an event that was recorded in a capture",
                     "its work runs when its model does; call aclmdlRICaptureEnd first");
}

void StreamCaptures::require_safe(const char* call) {
    const std::thread::id thread = std::this_thread::get_id();
    const auto own = modes_.find(thread);
    for (const Model& model : models_) {
        if (model.ended || model.mode == Mode::kRelaxed) continue;
        const Mode mode = own == modes_.end() ? model.mode : own->second;
        if (mode == Mode::kRelaxed) continue;
        if (model.thread != thread && (model.mode == Mode::kThreadLocal || mode == Mode::kThreadLocal)) continue;
        throw host_error(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                         std::string(call) + " while a stream is being captured",
                         "call it before aclmdlRICaptureBegin, or set ACL_MODEL_RI_CAPTURE_MODE_RELAXED in this thread");
    }
}

StreamCaptures::Mode StreamCaptures::exchange_mode(Mode mode) {
    const auto [own, added] = modes_.try_emplace(std::this_thread::get_id(), mode);
    return added ? Mode::kGlobal : std::exchange(own->second, mode);
}

}  // namespace ptosim
