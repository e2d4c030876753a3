// Where the user's code calls a library whose headers issue instructions: the line of the call, and the
// function of the library that it calls.
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
    SourceLocation where;  // in the user's source; unknown if no frame is there
    std::string function;  // of the library: "DataCopy"; empty if the user's code issues the instruction itself
    std::string header;    // the line that issues it: "kernel_operator_data_copy_impl.h:63"
};

// The chains of one library.
class CallSites {
 public:
    // Finds a file among those of the user; unknown if it is none of them.
    using FindFile = std::function<SourceLocation(const std::string& file, uint32_t line)>;
    CallSites(std::string library, FindFile find) : lines_{std::move(library)}, find_{std::move(find)} {}

    // `is_new` is set when the chain is asked for the first time.
    const CallSite& at(const CallChain& chain, bool& is_new);

 private:
    CallSite resolve(const CallChain& chain);

    CodeLines lines_;
    FindFile find_;
    std::unordered_map<uint64_t, CallSite> known_;  // by the chain's hash
};

}  // namespace ptosim
