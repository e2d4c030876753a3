#include "sim/machine/observe/library_calls.h"

#include <algorithm>
#include <iterator>

namespace ptosim {
namespace {

struct LibraryFunction {
    std::string_view name;
    CallPurpose purpose;
};
// Ascend C.
constexpr LibraryFunction kFunctions[] = {
    {"AllocTensor", CallPurpose::kQueue}, {"FreeTensor", CallPurpose::kQueue},
    {"EnQue", CallPurpose::kQueue},       {"DeQue", CallPurpose::kQueue},
    {"SetFlag", CallPurpose::kOrder},     {"WaitFlag", CallPurpose::kOrder},
    {"PipeBarrier", CallPurpose::kOrder}, {"CrossCoreSetFlag", CallPurpose::kOrder},
    {"CrossCoreWaitFlag", CallPurpose::kOrder}, {"DataCopy", CallPurpose::kCopy},
    {"DataCopyPad", CallPurpose::kCopy},
};

}  // namespace

CallPurpose purpose_of(std::string_view function) {
    const auto* const found =
        std::find_if(std::begin(kFunctions), std::end(kFunctions),
                     [function](const LibraryFunction& f) { return f.name == function; });
    return found == std::end(kFunctions) ? CallPurpose::kOther : found->purpose;
}

}  // namespace ptosim
