// Locations at which the user's code calls a library whose headers issue instructions: the line of the call, and the
// called function of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "isa/core/diagnostic.h"
#include "sim/native/call_chain.h"
#include "sim/native/code_lines.h"

namespace ptosim {

struct CallSite {
    SourceLocation where;  // in the user's source; unknown if no frame is in it
    std::string function;  // of the library: "DataCopy"; empty if the user's code itself issues the instruction
    std::string header;    // the issuing line: "kernel_operator_data_copy_impl.h:63"
};

// Resolves the call chains of one library.
class CallSites {
 public:
    // Finds a file among the user's files; returns an unknown location for others.
    using FindFile = std::function<SourceLocation(const std::string& file, uint32_t line)>;
    CallSites(std::string library, FindFile find) : lines_{std::move(library)}, find_{std::move(find)} {}

    // `is_new` is set on the first call with this chain.
    const CallSite& at(const CallChain& chain, bool& is_new);

 private:
    CallSite resolve(const CallChain& chain);

    CodeLines lines_;
    FindFile find_;
    std::unordered_map<uint64_t, CallSite> known_;  // by the chain's hash
};

}  // namespace ptosim
