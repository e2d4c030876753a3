#include "sim/machine/aicpu/processor.h"

namespace ptosim {
namespace {

constexpr uint64_t kLine = 64;        // line size of a processor's cache in bytes
constexpr unsigned kStack = 8 << 20;  // stack of a thread that runs the same code elsewhere

}  // namespace

Processor::Processor(EventQueue& event_queue, const ChipModel& model, ParametersRead& read,
                     unsigned index)
    : event_queue_{event_queue},
      model_{model},
      read_{read},
      index_{index},
      wait_{event_queue},
      process_{kStack, [this] { work(); }} {}

void Processor::work() {
    for (;;) {
        block_ = read_(model_.aicpu.block);
        loop_block_ = read_(model_.aicpu.loop_block);
        last_block_ = 0;
        charged_ = 0;
        current_ = this;
        work_();
        spend();
        current_ = nullptr;
        work_ = {};
        process_.yield();
    }
}

void Processor::start(std::function<void()> work) {
    work_ = std::move(work);
    event_queue_.begin_with(beginner_);
}

void Processor::spend() {
    const Cycle whole = charged_ / 1000;
    if (whole == 0) return;
    charged_ %= 1000;
    current_ = nullptr;
    wait_.wait_for(whole);
    current_ = this;
}

uint32_t Processor::load_register(const volatile uint32_t* address) {
    ++counts_.loads;
    charged_ += read_(model_.aicpu.register_load);
    spend();
    return *address;
}

void Processor::store_register(volatile uint32_t* address, uint32_t value) {
    ++counts_.stores;
    charged_ += read_(model_.aicpu.register_store);
    spend();
    *address = value;
}

void Processor::use_cache(uint64_t bytes) {
    const uint64_t lines = (bytes + kLine - 1) / kLine;
    counts_.cache_lines += lines;
    charged_ += lines * read_(model_.aicpu.cache_line);
    spend();
}

uint64_t Processor::nanoseconds() const {
    constexpr uint64_t kSecond = 1'000'000'000;
    const uint64_t cycles = time() / 1000, clock = model_.clock.value();
    return cycles / clock * kSecond + cycles % clock * kSecond / clock;
}

void Processor::spin() {
    ++counts_.spins;
    charged_ += read_(model_.aicpu.spin);
    spend();
}

}  // namespace ptosim
