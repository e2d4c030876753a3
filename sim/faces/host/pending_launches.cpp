#include "sim/faces/host/pending_launches.h"

#include <utility>

namespace ptosim {

PendingLaunches::Launch::Launch(const ptosim_launch_request& request)
    : module{request.module},
      site{request.site},
      name{request.name},
      line{request.where.line},
      number{request.launch},
      blocks{request.blocks},
      stream{request.stream},
      words(request.words, request.words + request.word_count) {
    if (request.where.file != nullptr) file = request.where.file;
}

ptosim_launch_request PendingLaunches::Launch::request() const {
    ptosim_launch_request request{};
    request.module = module.c_str();
    request.site = site.c_str();
    request.name = name.c_str();
    request.blocks = blocks;
    request.stream = stream;
    request.words = words.data();
    request.word_count = static_cast<uint32_t>(words.size());
    request.where.file = file.empty() ? nullptr : file.c_str();
    request.where.line = line;
    request.launch = number;
    return request;
}

void PendingLaunches::add(const ptosim_launch_request& request) {
    Launch launch(request);
    launch.after = std::exchange(awaited_[request.stream], {});
    if (const auto last = last_.find(request.stream); last != last_.end()) launch.after.push_back(last->second);
    last_[request.stream] = static_cast<unsigned>(launches_.size());
    launches_.push_back(std::move(launch));
}

bool PendingLaunches::record(void* event, void* stream) {
    events_.erase(event);
    const auto last = last_.find(stream);
    if (last == last_.end()) return false;
    events_[event] = last->second;
    return true;
}

void PendingLaunches::await(void* stream, void* event) {
    if (const auto found = events_.find(event); found != events_.end()) awaited_[stream].push_back(found->second);
}

PendingLaunches::Taken PendingLaunches::take() {
    last_.clear();
    awaited_.clear();
    return {std::exchange(launches_, {}), std::exchange(events_, {})};
}

}  // namespace ptosim
