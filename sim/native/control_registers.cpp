#include "sim/native/control_registers.h"

#include <sys/mman.h>

namespace ptosim {
namespace {

constexpr unsigned kMostClusters = 36;

// cann/pypto, framework/src/machine: offsets of DATA_MAIN_BASE and COND, and how cores are numbered. Numbers of cube
// cores precede those of vector cores on each die. processors_of_die: 0 on a chip of one die; the other's first die has
// the processors 1 to that number.
struct Layout {
    Arch arch;
    uint64_t main_base, condition;
    unsigned clusters_of_die, processors_of_die;
};
constexpr Layout kLayouts[] = {{Arch::kA2A3, 0xA0, 0x4C8, 25, 0}, {Arch::kA5, 0xD0, 0x5108, 18, 3}};

const Layout& layout_of(Arch arch) {
    for (const Layout& layout : kLayouts)
        if (layout.arch == arch) return layout;
    return kLayouts[0];
}

}  // namespace

ControlRegisters& ControlRegisters::get() {
    static ControlRegisters& registers = *new ControlRegisters;
    return registers;
}

uint64_t ControlRegisters::map(Arch arch) {
    if (begin_ != 0) return begin_;
    void* const memory = mmap(nullptr, kMostClusters * kClusterStride, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    arch_ = arch;
    main_base_ = layout_of(arch).main_base;
    condition_ = layout_of(arch).condition;
    begin_ = reinterpret_cast<uint64_t>(memory);
    return begin_;
}

void ControlRegisters::clear() {
    if (begin_ == 0) return;
    const auto clear = [this](CoreType type, unsigned index) {
        *main_base(type, index) = 0;
        *condition(type, index) = 0;
    };
    for (unsigned i = 0; i < kMostClusters; ++i) {
        clear(CoreType::kAIC, i);
        for (const unsigned aiv : {2 * i, 2 * i + 1}) clear(CoreType::kAIV, aiv);
    }
}

unsigned ControlRegisters::number(CoreType type, unsigned index) const {
    if (begin_ == 0) return index;
    constexpr unsigned kAivs = 2;
    const unsigned clusters = layout_of(arch_).clusters_of_die;
    const unsigned cores = type == CoreType::kAIC ? clusters : kAivs * clusters;
    const unsigned first = index / cores * (1 + kAivs) * clusters;
    return first + (type == CoreType::kAIC ? 0 : clusters) + index % cores;
}

unsigned ControlRegisters::processor(unsigned index) const {
    constexpr unsigned kDies = 2;
    const unsigned of_die = layout_of(arch_).processors_of_die;
    if (of_die == 0) return index;
    return 1 + (index < kDies * of_die ? index / kDies + index % kDies * of_die : index);
}

volatile uint64_t* ControlRegisters::word(CoreType type, unsigned index, uint64_t offset) const {
    if (begin_ == 0) return nullptr;
    const uint64_t block = type == CoreType::kAIC ? cluster(index) : cluster(index / 2) + (1 + index % 2) * kCoreStride;
    return reinterpret_cast<volatile uint64_t*>(block + offset);
}

}  // namespace ptosim
