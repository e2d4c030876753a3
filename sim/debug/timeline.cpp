#include "sim/debug/timeline.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "isa/core/diagnostic.h"

namespace ptosim::debug {
namespace {

constexpr int kPatience = 20;  // milliseconds between two calls of Listener::wants_pause

Json order(const char* what) { return Json{{"do", what}}; }

// Processes that have ended.
void reap() {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
}

Json list_of(const std::vector<Rule>& rules) {
    Json list = Json::array();
    for (const Rule& rule : rules) list.push_back(json_of(rule));
    return list;
}

}  // namespace

Timeline::Timeline(Run run, Listener listener) : run_{std::move(run)}, listener_{std::move(listener)} {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // copies outlive the processes that have made them
}

void Timeline::fail_ended() {
    reap();
    fail_input("I66", "the process that runs the machine has ended unexpectedly",
               "start again; if it ends again, run the kernel with 'ptosim run'");
}

// A process at the begin of the run. Descriptors of others must not stay open in it, because they end with their last
// reader.
Channel Timeline::begin() {
    auto [mine, theirs] = Channel::make_ends();
    const pid_t child = fork();
    if (child < 0) fail_input("I03", "no memory for a process that runs the machine", "use smaller arrays");
    if (child == 0) {
        mine = {};
        runner_ = {};
        copies_.clear();
        dup2(STDERR_FILENO, STDOUT_FILENO);
        run_(Channel(std::move(theirs)));
        _exit(1);
    }
    return Channel(std::move(mine));
}

const Timeline::Copy* Timeline::copy_before(uint64_t moment) const {
    const Copy* best = nullptr;
    for (const Copy& copy : copies_)
        if (copy.moment < moment) best = &copy;
    return best;
}

// A process that runs on from a copy, or from the begin if there is none.
Channel Timeline::resume(const Copy* copy, const Json& orders) {
    if (copy != nullptr && copy->channel.send(orders)) {
        std::optional<Message> answer = copy->channel.receive();
        if (answer && answer->descriptor) return Channel(std::move(answer->descriptor));
    }
    Channel runner = begin();
    if (!runner.send(orders)) fail_ended();
    return runner;
}

void Timeline::add_copy(uint64_t moment, bool near, Descriptor descriptor) {
    Copy copy{moment, near, Channel(std::move(descriptor))};
    const auto later = [](uint64_t one, const Copy& other) { return one < other.moment; };
    copies_.insert(std::upper_bound(copies_.begin(), copies_.end(), moment, later), std::move(copy));
    const auto count = static_cast<size_t>(
        std::count_if(copies_.begin(), copies_.end(), [&](const Copy& other) { return other.near == near; }));
    if (near && count > kMostNear) {
        const auto oldest = std::find_if(copies_.begin(), copies_.end(),
                                         [&](const Copy& other) { return other.near && other.moment != moment; });
        copies_.erase(oldest);
    }
    if (near || count <= kMostCopies) return;
    bool keep = false;
    std::erase_if(copies_, [&](const Copy& other) { return !other.near && !(keep = !keep); });
    copies_every_ *= 2;
}

// Waits until the machine stops or has found something. Without `can_pause`, a pause abandons it: the result is null.
Json Timeline::wait(Channel& runner, bool can_pause) {
    bool paused = false;
    for (;;) {
        if (!runner.waits(kPatience)) {
            if (paused || !listener_.wants_pause || !listener_.wants_pause()) continue;
            if (!can_pause) return {};
            paused = true;
            runner.send(order("pause"));
            continue;
        }
        std::optional<Message> message = runner.receive();
        if (!message) fail_ended();
        const std::string is = message->content.value("is", "");
        if (is == "output" && listener_.output) listener_.output(message->content.at("text").text());
        if (is == "copy") {
            const auto moment = message->content.at("moment").get<uint64_t>();
            const bool near = std::find(wanted_near_.begin(), wanted_near_.end(), moment) != wanted_near_.end();
            add_copy(moment, near, std::move(message->descriptor));
        }
        if (is == "stopped" || is == "found") return std::move(message->content);
    }
}

Json Timeline::stopped(Json stop) {
    reap();
    stop_ = std::move(stop);
    moment_ = stop_.at("moment").at("number").get<uint64_t>();
    furthest_ = std::max(furthest_, moment_);
    return stop_;
}

Json Timeline::start() {
    runner_ = {};
    copies_.clear();
    Json orders = order("go");
    orders["rules"] = list_of({Rule()});
    runner_ = resume(nullptr, orders);
    Json stop = stopped(wait(runner_, true));
    first_ = moment_;
    return stop;
}

Json Timeline::go(const std::vector<Rule>& rules) {
    Json orders = order("go");
    orders["rules"] = list_of(rules);
    orders["copies_every"] = copies_every_;
    orders["copies_from"] = furthest_;
    orders["furthest"] = furthest_;
    wanted_near_.clear();
    if (!runner_.send(orders)) fail_ended();
    return stopped(wait(runner_, true));
}

Json Timeline::go_to(uint64_t moment) {
    moment = std::clamp(moment, first_, std::max(first_, furthest_));
    const Copy* const copy = copy_before(moment);
    const uint64_t from = copy == nullptr ? 0 : copy->moment;
    wanted_near_.clear();
    for (const uint64_t before : {uint64_t{8192}, uint64_t{512}})
        if (moment > from + 2 * before) wanted_near_.push_back(moment - before);
    Json orders = order("go");
    orders["until"] = moment;
    orders["copies"] = wanted_near_;
    orders["furthest"] = furthest_;
    Channel runner = resume(copy, orders);
    Json stop = wait(runner, true);
    runner_ = std::move(runner);
    return stopped(std::move(stop));
}

Json Timeline::back(const std::vector<Rule>& rules) {
    uint64_t limit = moment_, before = moment_;
    while (limit > first_) {
        const Copy* const copy = copy_before(before);
        const uint64_t from = copy == nullptr ? 0 : copy->moment;
        Json orders = order("go");
        orders["rules"] = list_of(rules);
        orders["limit"] = limit;
        wanted_near_.clear();
        Channel searcher = resume(copy, orders);
        const Json found = wait(searcher, false);
        if (found.is_null()) {  // a pause ends the search where it began
            stop_["reason"] = "pause";
            return stop_;
        }
        if (found.contains("moment")) {
            go_to(found.at("moment").get<uint64_t>());
            stop_["reason"] = "rule";
            stop_["rules"] = found.at("rules");
            stop_["note"] = found.value("note", "");
            return stop_;
        }
        if (from == 0) break;
        before = from;
        limit = from + 1;
    }
    go_to(first_);
    stop_["reason"] = "begin";
    return stop_;
}

Json Timeline::ask(const Json& question) {
    Json asked = question;
    asked["do"] = "ask";
    if (!runner_.send(asked)) fail_ended();
    std::optional<Message> message = runner_.receive();
    if (!message) fail_ended();
    const Json& answer = message->content;
    if (answer.contains("error")) fail_input("I69", answer.at("error").text(), answer.value("help", ""));
    return answer.at("answer");
}

}  // namespace ptosim::debug
