#include "sim/faces/mpmd/shared_clock.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "sim/faces/mpmd/problem.h"

namespace ptosim::mpmd {

SharedClock::SharedClock(Session& session, JobProcess& process, const TaskWatchdog& watchdog, bool notes_traffic)
    : session_{session}, job_{*process.job()}, chip_{process.chip()} {
    Links::Setup setup;
    setup.rank = chip_;
    setup.links = process.links();
    setup.job = job_;
    setup.quiet_since = [&watchdog] { return watchdog.progress_at(); };
    links_ = std::make_unique<Links>(session.chip(), process.take_pages(), std::move(setup));
    if (notes_traffic) links_->note_traffic();
    session.join(links_.get());
    links_->park();
    std::thread([this] { serve(); }).detach();
}

void SharedClock::serve() {
    std::unique_lock lock(mutex_);
    while (links_) {
        links_->serve_between_runs([this] { return wanted_ != 0; });
        free_.wait(lock, [this] { return wanted_ == 0; });
    }
}

std::optional<Diagnostic> SharedClock::begin_run() {
    if (links_->begin_run()) return {};
    return *links_->failure();
}

void SharedClock::skip_run() {
    const Turn turn(*this);
    if (links_->begin_run()) links_->end_run();
}

template <class Found>
auto SharedClock::await(const Found& found) const -> decltype(found()) {
    constexpr std::chrono::seconds kMost{120};
    const auto begin = std::chrono::steady_clock::now();
    auto there = found();
    while (!there && job_.host_runs() && std::chrono::steady_clock::now() - begin < kMost) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        there = found();
    }
    return there;
}

std::optional<Diagnostic> SharedClock::add_window(unsigned chip, uint64_t here, Job::Offered there, uint64_t bytes) {
    if (there.bytes != bytes)
        return problem("H30",
                       "chip " + std::to_string(chip) + " has made its window of " + std::to_string(there.bytes) +
                           " bytes, and chip " + std::to_string(chip_) + " of " + std::to_string(bytes),
                       "all chips of a domain must allocate windows of one size");
    const Turn turn(*this);
    links_->add_window({.rank = chip, .here = here, .there = there.address, .bytes = bytes});
    return {};
}

std::optional<Diagnostic> SharedClock::join_windows(const std::vector<std::pair<unsigned, uint64_t>>& windows,
                                                    uint64_t bytes, uint64_t file) {
    // Ranks of a communicator are chips of one node.
    const unsigned first = job_.first_chip(job_.node_of(chip_));
    for (const auto& [chip, address] : windows) {
        if (first + chip != chip_) continue;
        if (const std::optional<Diagnostic> full = offer(address, bytes, file)) return full;
    }
    for (const auto& [rank, here] : windows) {
        const unsigned chip = first + rank;
        const auto there = await([&] { return job_.window_of(chip, file); });
        if (!there)
            return problem("H30", "chip " + std::to_string(chip) + " has not made its window",
                           "all chips of a domain must allocate it");
        if (const std::optional<Diagnostic> wrong = add_window(chip, here, *there, bytes)) return wrong;
    }
    return {};
}

std::optional<Diagnostic> SharedClock::offer(uint64_t address, uint64_t bytes, uint64_t file) {
    if (!job_.offer_window(chip_, file, {address, bytes}))
        return problem("H30", "this chip has too many windows at once", "release domains that are not used");
    offered_.emplace_back(file, address);
    return {};
}

std::optional<Diagnostic> SharedClock::offer_window(uint64_t address, uint64_t bytes, uint64_t file) {
    if (const std::optional<Diagnostic> full = offer(address, bytes, file)) return full;
    return add_window(chip_, address, {address, bytes}, bytes);
}

std::optional<Diagnostic> SharedClock::import_window(uint64_t here, uint64_t bytes, uint64_t file) {
    const auto there = await([&] { return job_.find_window(file); });
    if (!there)
        return problem("H30", "no chip of this job has made a window that chip " + std::to_string(chip_) + " imports",
                       "all nodes of a domain belong to one program of level 4");
    return add_window(there->first, here, there->second, bytes);
}

void SharedClock::leave_windows(std::pair<uint64_t, uint64_t> range) {
    const Turn turn(*this);
    links_->remove_windows(range.first, range.second);
    std::erase_if(offered_, [&](const auto& offered) {
        if (offered.second < range.first || offered.second >= range.second) return false;
        job_.withdraw_window(chip_, offered.first);
        return true;
    });
}

void SharedClock::end() {
    const Turn turn(*this);
    traffic_ = links_->traffic();
    session_.join(nullptr);
    links_.reset();
}

}  // namespace ptosim::mpmd
