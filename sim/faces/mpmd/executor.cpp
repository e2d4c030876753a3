#include "sim/faces/mpmd/executor.h"

#include <algorithm>
#include <utility>

namespace ptosim::mpmd {
namespace {

// Cycles between two polls of a loop that watches memory: a read that hits the cache, and the loop.
constexpr Cycle kLook = 100;

const volatile uint32_t* word(const volatile void* registers, uint32_t offset) {
    return reinterpret_cast<const volatile uint32_t*>(
        static_cast<const volatile std::byte*>(registers) + offset);
}

}  // namespace

void Executor::prepare(void (*work)(void*), void* argument) {
    work_ = work;
    argument_ = argument;
    registers_ = nullptr;
    seen_ = stores_;
    watches_ = false;
    charged_ = 0;
    values_.clear();
    task_ = {};
}

void Executor::run(KernelPort& port) {
    port_ = &port;
    struct Leave {
        ~Leave() { current_ = nullptr; }
    } leave;
    current_ = this;
    work_(argument_);
}

void Executor::take(const ChipParameter& time) {
    charged_ += read_(time);
    const Cycle whole = charged_ / 1000;
    charged_ %= 1000;
    call([&] { pass(whole); });
}

// Passes as scalar operations, so that the core's own earlier time passes, too.
void Executor::pass(Cycle cycles) {
    const uint64_t operation = std::max<uint64_t>(1, model_.scalar.operation.value());
    port_->scalar_work(static_cast<unsigned>((cycles * 1000 + operation - 1) / operation));
    port_->cycle();
}

uint32_t Executor::load(const volatile void* registers, uint32_t offset) {
    registers_ = registers;
    take(model_.aicpu.core_register);
    seen_ = stores_;
    return *word(registers, offset);
}

void Executor::store(volatile void* registers, uint32_t offset, uint32_t value) {
    registers_ = registers;
    take(model_.aicpu.core_register);
    *const_cast<volatile uint32_t*>(word(registers, offset)) = value;
}

void Executor::use_cache(const volatile void* line) {
    take(model_.aicpu.core_cache);
    const auto address = reinterpret_cast<uint64_t>(line);
    port_->use_cache({CacheUse::Kind::kClean, address, line == nullptr ? 0u : 1u, {}});
}

void Executor::spin() {
    const bool watches = std::exchange(watches_, false);
    if (seen_ != stores_) return;  // it has not read the newest value
    call([&] {
        if (watches)
            wait_.wait_for(stored_, kLook);
        else
            wait_.wait_for(stored_);
        // The process was resumed outside of the core's scalar unit. Its next wait returns it to the scalar unit.
        pass(1);
    });
}

Cycle Executor::cycle() {
    Cycle now = 0;
    call([&] { now = port_->cycle(); });
    return now;
}

void* Executor::get(uint32_t key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : found->second;
}

void Executor::notice_store(Cycle delay) {
    ++stores_;
    stored_.notify(delay);
}

}  // namespace ptosim::mpmd
