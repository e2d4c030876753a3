#include "sim/native/call_sites.h"

#include <filesystem>

namespace ptosim {
namespace {

// "DataCopy" for "AscendC::DataCopy<float>(...)".
std::string short_name(std::string function) {
    if (const size_t operator_at = function.find("operator"); operator_at != function.npos)
        return function.substr(operator_at, function.find_first_of("<(", operator_at + 10) - operator_at);
    function.erase(std::min(function.find_first_of("<("), function.size()));
    const size_t colon = function.rfind(':');
    return colon == function.npos ? function : function.substr(colon + 1);
}

bool is_own_header(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path().filename();
    return folder == "cce" || folder == "ptosim";
}

}  // namespace

const CallSite& CallSites::at(const CallChain& chain, bool& is_new) {
    const auto [entry, added] = known_.try_emplace(chain.hash);
    is_new = added;
    if (added) entry->second = resolve(chain);
    return entry->second;
}

CallSite CallSites::resolve(const CallChain& chain) {
    CallSite site;
    std::string called;  // by the next frame
    for (unsigned i = 0; i < chain.count; ++i)
        for (const CodeLocation& frame : lines_.at(chain.offsets[i])) {
            site.where = find_(frame.file, frame.line);
            if (site.where.line != 0) {
                if (!site.header.empty()) site.function = called;
                return site;
            }
            if (!frame.file.empty() && !is_own_header(frame.file)) {
                called = short_name(frame.function);
                if (site.header.empty())
                    site.header = std::filesystem::path(frame.file).filename().string() + ":" +
                                  std::to_string(frame.line);
            }
        }
    return {};
}

}  // namespace ptosim
