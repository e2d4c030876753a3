// A port of a core may observe how its kernel waits for signals, which are words in global memory.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim {

struct AwaitedSignal {
    uint64_t address = 0;
    int32_t present = 0;
    std::string condition;  // "is >= 1"; empty: not known
    SourceLocation where;
};

class SignalListener {
 public:
    virtual ~SignalListener() = default;
    // The kernel has polled a signal without success, and will poll it again.
    virtual void awaits(const AwaitedSignal& signal) = 0;
    virtual void no_longer_awaits() = 0;
};

}  // namespace ptosim
