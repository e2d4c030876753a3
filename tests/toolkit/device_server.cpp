// A scheduler for device_executor.cpp on the AICPU of a 910B: gives every core a task by a register, and waits for its
// answer. Registers: cann/pypto, framework/src/machine.
#include <cstdint>

struct Order {
    uint64_t registers, clusters, task;
};

static volatile uint64_t* word(const Order& order, uint64_t core, uint64_t offset) {
    return reinterpret_cast<volatile uint64_t*>(order.registers + core / 3 * (8u << 20) + core % 3 * (1u << 20) + offset);
}

extern "C" int Schedule(void* arguments) {
    const Order& order = *static_cast<const Order*>(arguments);
    for (uint64_t core = 0; core < 3 * order.clusters; ++core) *word(order, core, 0xA0) = order.task;
    for (uint64_t core = 0; core < 3 * order.clusters; ++core)
        while (*word(order, core, 0x4C8) != order.task) {
        }
    return 0;
}
