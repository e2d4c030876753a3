#include "sim/faces/mpmd/task_port.h"

#include <cstdio>

#include "isa/core/arch.h"

namespace ptosim::mpmd {
namespace {

// Number of polls of a signal (ten thousand per second of the host) after which other chips can read that this one
// waits.
constexpr unsigned kLooksBeforeOthersKnow = 10'000;

// Identity that a task's kernel reads from the core's registers.
BlockIdentity identity_of_task(const KernelPort& port) {
    BlockIdentity identity = port.identity();
    if (!traits_of(port.arch()).tasks_know_subblock) identity.subblock = 0;
    return identity;
}

std::string address_text(uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::string line_text(const SourceMap& sources, SourceLocation where) {
    Site site;
    sources.locate(site, where);
    return site.file.empty() ? "an unknown line" : site.file + ":" + std::to_string(site.location.line);
}

}  // namespace

// ---- waits --------------------------------------------------------------------------------

void SignalWaits::add(CoreId core, const std::string& kernel, const AwaitedSignal& signal,
                      const SourceMap& sources) {
    Wait& wait = waits_[{core.type, core.index}];
    const bool same = wait.looks != 0 && wait.signal.address == signal.address;
    std::string condition = same && signal.condition.empty() ? wait.signal.condition : signal.condition;
    wait = {core, kernel, signal, same ? wait.looks + 1 : 1};
    wait.signal.condition = std::move(condition);
    if (wait.looks != kLooksBeforeOthersKnow) return;
    board_.waits("waits for a signal in " + kernel + " at " + line_text(sources, signal.where));
    board_.write();
}

void SignalWaits::remove(CoreId core) {
    if (waits_.empty()) return;
    const auto wait = waits_.find({core.type, core.index});
    if (wait == waits_.end()) return;
    if (wait->second.looks >= kLooksBeforeOthersKnow) board_.waits("");
    waits_.erase(wait);
}

std::string SignalWaits::text(const Wait& wait) const {
    const AwaitedSignal& signal = wait.signal;
    std::string word = "the word at " + address_text(signal.address);
    if (windows_.hold(signal.address))
        word = "word " + std::to_string(windows_.word_at(signal.address).offset / 4) + " of a window (" +
               address_text(signal.address) + ")";
    std::string text = "task " + wait.kernel + " on " + name(wait.core) + SignalBoard::of_chip() +
                       " waits for a signal that never arrives: " + word + " is " + std::to_string(signal.present);
    if (!signal.condition.empty()) text += ", and the task continues when it " + signal.condition;
    return text;
}

void SignalWaits::explain(Diagnostic& deadlock, const SourceMap& sources) const {
    if (waits_.empty() || deadlock.code != "E05") return;
    const Wait& first = waits_.begin()->second;
    deadlock.message = "deadlock: " + text(first);
    deadlock.core = name(first.core);
    sources.locate(deadlock, first.signal.where);
    deadlock.hint =
        "set the word, or add to it, on the executed path: check the peer, the offsets and the condition of the "
        "matching notify";
    for (auto wait = std::next(waits_.begin()); wait != waits_.end(); ++wait)
        deadlock.notes.push_back(text(wait->second) + ", at " + line_text(sources, wait->second.signal.where));
    if (!windows_.hold(first.signal.address)) return;
    for (std::string& other : board_.others(windows_.word_at(first.signal.address)))
        deadlock.notes.push_back(std::move(other));
}

// ---- the port -----------------------------------------------------------------------------

TaskPort::TaskPort(KernelPort& port, const Windows& windows, Chip& chip, TaskWatchdog& watchdog,
                   SignalWaits& waits, ProgramRecorder& recorder, const std::string& kernel, const SourceMap& sources)
    : WindowPort(port, identity_of_task(port), windows, chip),
      chip_{chip},
      watchdog_{watchdog},
      waits_{waits},
      recorder_{recorder},
      core_{port.identity().core, static_cast<uint16_t>(port.core_index())},
      kernel_{kernel},
      sources_{sources} {}

uint64_t TaskPort::system_counter() {
    watchdog_.note_counter_read();
    return WindowPort::system_counter();
}

void TaskPort::awaits(const AwaitedSignal& signal) {
    if (!waits_since_) waits_since_ = chip_.now();
    waits_.add(core_, kernel_, signal, sources_);
}

void TaskPort::end_wait() {
    waits_.remove(core_);
    if (!waits_since_) return;
    if (chip_.now() > *waits_since_) recorder_.add_signal_wait(kernel_, chip_.now() - *waits_since_);
    waits_since_.reset();
}

void TaskPort::note_signal(SharedWord word, SourceLocation where) {
    waits_.board().set(word, kernel_ + " at " + line_text(sources_, where));
}

}  // namespace ptosim::mpmd
