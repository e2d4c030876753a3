#include "isa/semantics/lanes.h"

#include <stdexcept>
#include <string>

namespace ptosim::semantics {

void fail_type(DType type) {
    throw std::logic_error("an instruction of " + std::string(name(type)) +
                           " passed the legality check but has no semantics");
}

}  // namespace ptosim::semantics
