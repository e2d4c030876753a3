// Atomic operations of threads (asc-devkit docs/zh/api/SIMT-API, atomic operations).
#pragma once

#include <cstdint>
#include <optional>

#include "isa/numeric/dtype.h"

namespace ptosim {

// Numbers of the kernel ABI (ptosim_atomic_operation).
enum class ThreadAtomic : uint8_t {
    kAdd,
    kSub,
    kExchange,
    kCompare,
    kMax,
    kMin,
    kInc,
    kDec,
    kAnd,
    kOr,
    kXor,
    kCount
};

// The value of the memory after the operation; `before` if it does not change. None if the type has no such operation.
std::optional<uint64_t> atomic_result(ThreadAtomic operation, DType type, uint64_t before, uint64_t value,
                                      uint64_t compare);

}  // namespace ptosim
