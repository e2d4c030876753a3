#include "sim/machine/chip/dispatcher.h"

#include <algorithm>

namespace ptosim {
namespace {

bool shares_core(const std::vector<CoreId>& some, const std::vector<CoreId>& others) {
    return std::any_of(some.begin(), some.end(), [&](CoreId core) {
        return std::find(others.begin(), others.end(), core) != others.end();
    });
}

}  // namespace

Dispatcher::Dispatcher(EventQueue& event_queue, std::span<const std::unique_ptr<Lane>> lanes,
                       const ChipModel& model, Notice begins, Notice ends)
    : event_queue_{event_queue},
      model_{model},
      begins_{std::move(begins)},
      ends_{std::move(ends)},
      part_due_{event_queue, starter_} {
    slot_numbers_[0].resize(model.clusters);
    slot_numbers_[1].resize(model.clusters * model.cluster.aivs);
    for (const std::unique_ptr<Lane>& lane : lanes) {
        events_[0].push_back(std::make_unique<CoreEvents>(*lane));
        for (unsigned j = 0; j < model.cluster.aivs; ++j)
            events_[1].push_back(std::make_unique<CoreEvents>(*lane));
    }
}

uint32_t Dispatcher::capacity(const Kernel& kernel) const {
    const bool cube = kernel.runs_on(CoreType::kAIC);
    return static_cast<uint32_t>(model_.clusters * (cube ? 1 : model_.cluster.aivs));
}

void Dispatcher::prepare(std::span<const LaunchPart> parts, Cycle begin, Cycle between, Schedule* schedule) {
    between_ = between;
    next_dispatch_ = std::max(next_dispatch_, begin * 1000);
    parts_.clear();
    slots_.clear();
    for (auto& numbers : slot_numbers_) std::fill(numbers.begin(), numbers.end(), -1);
    for (const LaunchPart& each : parts) {
        Part& part = parts_.emplace_back();
        part.kernel = each.kernel;
        part.arguments.assign(each.arguments.begin(), each.arguments.end());
        part.blocks = each.blocks != 0 ? each.blocks : capacity(*each.kernel);
        part.after = each.after;
        part.begin = begin;
        choose_cores(part);
        make_slots(part, schedule);
    }
}

void Dispatcher::begin() {
    for (Part& part : parts_)
        if (part.after.empty()) start(part);
    notify_launched(parts_.front().begin - event_queue_.now());
}

// A kernel of one core type runs a block on each core; a mixed one runs a block on a cluster.
std::vector<CoreId> Dispatcher::cores_of_slot(const Kernel& kernel, uint32_t slot) const {
    std::vector<CoreId> cores;
    const bool cube = kernel.runs_on(CoreType::kAIC);
    if (cube) cores.push_back({CoreType::kAIC, static_cast<uint16_t>(slot)});
    const uint32_t aivs = !kernel.runs_on(CoreType::kAIV) ? 0
                          : cube                          ? static_cast<uint32_t>(model_.cluster.aivs)
                                                          : 1;
    for (uint32_t j = 0; j < aivs; ++j)
        cores.push_back({CoreType::kAIV, static_cast<uint16_t>(slot * aivs + j)});
    return cores;
}

bool Dispatcher::comes_after(const Part& later, unsigned earlier) const {
    return std::any_of(later.after.begin(), later.after.end(), [&](unsigned one) {
        return one == earlier || comes_after(parts_[one], earlier);
    });
}

// Takes the first cores that belong to no part which may run at the same time. If there are too few, the part follows
// the parts that have the first cores.
void Dispatcher::choose_cores(Part& part) {
    const uint32_t count = std::min(part.blocks, capacity(*part.kernel));
    std::vector<unsigned> rivals;
    for (unsigned other = 0; other + 1 < parts_.size(); ++other)
        if (!comes_after(part, other)) rivals.push_back(other);
    const auto choose = [&](bool all) {
        part.cores.clear();
        uint32_t chosen = 0;
        for (uint32_t slot = 0; slot < capacity(*part.kernel) && chosen < count; ++slot) {
            const std::vector<CoreId> cores = cores_of_slot(*part.kernel, slot);
            const bool taken = !all && std::any_of(rivals.begin(), rivals.end(), [&](unsigned other) {
                return shares_core(cores, parts_[other].cores);
            });
            if (taken) continue;
            part.cores.insert(part.cores.end(), cores.begin(), cores.end());
            ++chosen;
        }
        return chosen == count;
    };
    if (choose(false)) return;
    choose(true);
    for (const unsigned other : rivals)
        if (shares_core(part.cores, parts_[other].cores)) part.after.push_back(other);
}

void Dispatcher::make_slots(Part& part, Schedule* schedule) {
    part.first_slot = slots_.size();
    const size_t per_slot = cores_of_slot(*part.kernel, 0).size();
    for (size_t first = 0; first < part.cores.size(); first += per_slot) {
        Slot slot;
        slot.part = static_cast<unsigned>(&part - parts_.data());
        const auto begin = part.cores.begin() + static_cast<ptrdiff_t>(first);
        slot.cores.assign(begin, begin + static_cast<ptrdiff_t>(per_slot));
        slot.taken.assign(per_slot, true);
        slots_.push_back(std::move(slot));
    }
    part.slots = slots_.size() - part.first_slot;
    part.network.begin(part.cores, static_cast<unsigned>(model_.cluster.aivs));
    if (schedule != nullptr && part.slots != 0)
        part.order = schedule->block_order(part.blocks, static_cast<uint32_t>(part.slots));
}

std::vector<CoreId> Dispatcher::cores() const {
    std::vector<CoreId> all;
    for (const Part& part : parts_)
        for (const CoreId core : part.cores)
            if (parts_.size() == 1 || std::find(all.begin(), all.end(), core) == all.end()) all.push_back(core);
    return all;
}

bool Dispatcher::finished() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.ended(); });
}

void Dispatcher::start(Part& part) {
    part.started = true;
    for (size_t i = part.first_slot; i < part.first_slot + part.slots; ++i)
        for (const CoreId core : slots_[i].cores)
            slot_numbers_[static_cast<size_t>(core.type)][core.index] = static_cast<int32_t>(i);
    begins_(static_cast<unsigned>(&part - parts_.data()));
    for (size_t i = part.first_slot; i < part.first_slot + part.slots; ++i) assign(slots_[i]);
}

// Starts the parts whose time to begin has come.
void Dispatcher::start_due() {
    const Cycle now = event_queue_.now();
    for (Part& part : parts_) {
        if (part.started) continue;
        Cycle due = 0;
        const bool ready = std::all_of(part.after.begin(), part.after.end(), [&](unsigned other) {
            due = std::max(due, parts_[other].end + between_);
            return parts_[other].ended();
        });
        if (!ready) continue;
        if (due > now) {
            part_due_.notify(due - now);
            continue;
        }
        part.begin = now;
        next_dispatch_ = std::max(next_dispatch_, now * 1000);
        start(part);
        notify_launched(0);
    }
}

void Dispatcher::assign(Slot& slot) {
    Part& part = parts_[slot.part];
    slot.has_block = part.next_block < part.blocks;
    if (!slot.has_block) return;
    slot.block = part.order.empty() ? part.next_block : part.order[part.next_block];
    ++part.next_block;
    next_dispatch_ = std::max(next_dispatch_, event_queue_.now() * 1000);
    slot.start = next_dispatch_ / 1000;
    next_dispatch_ += model_.launch.block_interval.value();
    slot.busy = static_cast<uint32_t>(slot.cores.size());
    slot.taken.assign(slot.cores.size(), false);
}

const Dispatcher::Slot* Dispatcher::slot_of(CoreId core) const {
    const int32_t number = slot_numbers_[static_cast<size_t>(core.type)][core.index];
    return number < 0 ? nullptr : &slots_[static_cast<size_t>(number)];
}

size_t Dispatcher::Slot::position(CoreId core) const {
    return static_cast<size_t>(std::find(cores.begin(), cores.end(), core) - cores.begin());
}

bool Dispatcher::has_block(CoreId id) const {
    const Slot* slot = slot_of(id);
    return slot != nullptr && slot->has_block && !slot->taken[slot->position(id)];
}

std::optional<BlockIdentity> Dispatcher::next_block(CoreId id) {
    if (!has_block(id)) return {};
    Slot* slot = slot_of(id);
    const size_t position = slot->position(id);
    slot->taken[position] = true;
    BlockIdentity identity;
    identity.core = id.type;
    identity.block = slot->block;
    identity.blocks = parts_[slot->part].blocks;
    if (id.type == CoreType::kAIV && slot->cores.size() > 1) {
        identity.subblocks = static_cast<uint32_t>(slot->cores.size() - 1);
        identity.subblock = static_cast<uint32_t>(position - 1);
    }
    return identity;
}

Event* Dispatcher::assigned(CoreId core) {
    return slot_of(core) == nullptr ? nullptr : &events_of(core).assigned;
}

void Dispatcher::notify_launched(Cycle after) {
    for (const auto& of_type : events_)
        for (const std::unique_ptr<CoreEvents>& events : of_type) events->launched.notify(after);
}

Cycle Dispatcher::block_delay(CoreId id, Cycle now) const {
    const Slot& slot = *slot_of(id);
    return slot.start > now ? slot.start - now : 0;
}

void Dispatcher::block_done(CoreId id) {
    Slot& slot = *slot_of(id);
    if (--slot.busy > 0) return;
    Part& part = parts_[slot.part];
    ++part.done;
    assign(slot);
    if (slot.has_block)
        for (const CoreId core : slot.cores) events_of(core).assigned.notify();
    if (!part.ended()) return;
    part.end = event_queue_.now();
    ends_(slot.part);
    if (parts_.size() > 1) part_due_.notify();
}

}  // namespace ptosim
