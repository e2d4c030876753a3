// Calls of acl that capture streams into models, and run models.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "ptosim/kernel_abi.h"
#include "runtime/rt.h"
#include "sim/faces/host/acl_call.h"
#include "sim/faces/host/acl_device.h"
#include "sim/faces/host/stream_captures.h"

namespace {

using ptosim::AclDevice;
using ptosim::call;
using ptosim::quick_call;
using ptosim::StreamCaptures;
using Model = StreamCaptures::Model;

// Makes the model's streams and events, if it has none: an event of each record, then for each lane after the first one
// of its begin and one of its end.
int make_handles(Model& model) {
    const size_t others = model.lanes.size() - 1;
    int code = ACL_SUCCESS;
    const auto fill = [&](std::vector<void*>& handles, size_t count, auto&& create) {
        while (code == ACL_SUCCESS && handles.size() < count) {
            void* made = nullptr;
            code = create(&made);
            if (code == ACL_SUCCESS) handles.push_back(made);
        }
    };
    fill(model.own_streams, others, &aclrtCreateStream);
    fill(model.own_events, model.records.size() + 2 * others, &aclrtCreateEvent);
    return code;
}

// Submits the work of a model: lane 0 to `stream`, the others to streams of the model, which begin after the work that
// the stream has, and which its later work follows. Called without the device's lock.
int submit(Model& model, void* stream) {
    int code = make_handles(model);
    const auto then = [&](int next) { code = code == ACL_SUCCESS ? next : code; };
    void* const* const marks = model.own_events.data() + model.records.size();
    for (size_t i = 0; i < model.own_streams.size() && code == ACL_SUCCESS; ++i) {
        then(aclrtRecordEvent(marks[2 * i], stream));
        then(aclrtStreamWaitEvent(model.own_streams[i], marks[2 * i]));
    }
    for (size_t i = 0; i < model.items.size() && code == ACL_SUCCESS; ++i) {
        const StreamCaptures::Item& item = model.items[i];
        void* const to = item.lane == 0 ? stream : model.own_streams[item.lane - 1];
        if (item.kind == StreamCaptures::Kind::kWork) then(item.work(to));
        if (item.kind == StreamCaptures::Kind::kRecord) then(aclrtRecordEvent(model.own_events[item.record], to));
        if (item.kind == StreamCaptures::Kind::kWait) then(aclrtStreamWaitEvent(to, model.own_events[item.record]));
    }
    for (size_t i = 0; i < model.own_streams.size() && code == ACL_SUCCESS; ++i) {
        then(aclrtRecordEvent(marks[2 * i + 1], model.own_streams[i]));
        then(aclrtStreamWaitEvent(stream, marks[2 * i + 1]));
    }
    return code;
}

}  // namespace

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
    bool captured = false;
    const int code = call([&](AclDevice& device) {
        device.streams().stream(stream);
        if (fn == nullptr) throw ptosim::host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtLaunchHostFunc without a function");
        captured = device.captures().take(stream, [=](void* other) { return aclrtLaunchHostFunc(other, fn, args); });
    });
    if (code == ACL_SUCCESS && !captured) fn(args);
    return code;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
    return call([&](AclDevice& device) {
        device.streams().stream(stream);
        if (mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
            throw ptosim::host_error(ACL_ERROR_RT_PARAM_INVALID,
                                     "aclmdlRICaptureBegin: there is no mode " + std::to_string(mode));
        device.captures().begin(stream, static_cast<StreamCaptures::Mode>(mode));
    });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
    return quick_call([&](AclDevice& device) {
        if (modelRI == nullptr)
            throw ptosim::host_error(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureEnd: the pointer for its result is null");
        *modelRI = device.captures().end(stream);
    });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
    return quick_call([&](AclDevice& device) {
        device.streams().stream(stream);
        Model* const model = device.captures().model_of(stream);
        if (status != nullptr)
            *status = model != nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        if (modelRI != nullptr) *modelRI = model;
    });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
    return quick_call([&](AclDevice& device) {
        if (mode == nullptr || *mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || *mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
            throw ptosim::host_error(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureThreadExchangeMode without a mode");
        *mode = static_cast<aclmdlRICaptureMode>(
            device.captures().exchange_mode(static_cast<StreamCaptures::Mode>(*mode)));
    });
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
    return quick_call([&](AclDevice& device) {
        const Model& model = device.captures().ended_model(modelRI);
        std::printf("model %p: %zu streams\n", modelRI, model.lanes.size());
        for (size_t lane = 0; lane < model.lanes.size(); ++lane)
            std::printf("  stream %zu: %u pieces of work\n", lane, model.lanes[lane].submitted);
        std::fflush(stdout);
    });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
    Model* model = nullptr;
    const int code = quick_call([&](AclDevice& device) {
        device.streams().stream(stream);
        model = &device.captures().ended_model(modelRI);
        // A model within a model.
        if (device.captures().take(stream, [=](void* other) { return aclmdlRIExecuteAsync(modelRI, other); }))
            model = nullptr;
    });
    return code != ACL_SUCCESS || model == nullptr ? code : submit(*model, stream);
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t) {
    const aclError code = aclmdlRIExecuteAsync(modelRI, nullptr);
    return code != ACL_SUCCESS ? code : aclrtSynchronizeStream(nullptr);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
    std::vector<void*> streams, events;
    int code = call([&](AclDevice& device) {
        Model& model = device.captures().ended_model(modelRI);
        streams.swap(model.own_streams);
        events.swap(model.own_events);
        device.captures().destroy(model);
    });
    for (void* const stream : streams)
        if (code == ACL_SUCCESS) code = aclrtDestroyStream(stream);
    for (void* const event : events)
        if (code == ACL_SUCCESS) code = aclrtDestroyEvent(event);
    return code;
}

PTOSIM_ABI rtError_t rtStreamAddToModel(rtStream_t stream, void* model) {
    return quick_call([&](AclDevice& device) {
        device.streams().stream(stream);
        device.captures().add_stream(stream, model);
    });
}
