#include "sim/native/call_sites.h"

#include <link.h>

#include <filesystem>

namespace ptosim {
namespace {

// "DataCopy" of "AscendC::DataCopy<float>(...)".
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

CodeRange code_range(const void* code) {
    struct Search {
        uint64_t code;
        CodeRange found;
    } search{reinterpret_cast<uint64_t>(code), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            Search& s = *static_cast<Search*>(data);
            CodeRange range{info->dlpi_addr, info->dlpi_addr};
            for (unsigned i = 0; i < info->dlpi_phnum; ++i)
                if (const ElfW(Phdr)& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
                    range.end = std::max<uint64_t>(range.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
            if (s.code < range.begin || s.code >= range.end) return 0;
            s.found = range;
            return 1;
        },
        &search);
    return search.found;
}

// A frame begins with the caller's frame and the address that the function returns to.
CallChain call_chain(const void* frame, CodeRange range) {
    CallChain chain;
    auto at = static_cast<const uint64_t*>(frame);
    while (at != nullptr && chain.count < CallChain::kMost) {
        const uint64_t next = at[0], code = at[1];
        if (code < range.begin || code >= range.end) break;
        const uint64_t offset = code - range.begin - 1;
        chain.offsets[chain.count++] = offset;
        chain.hash = (chain.hash ^ offset) * 0x9E3779B97F4A7C15;
        chain.hash ^= chain.hash >> 29;
        if (next <= reinterpret_cast<uint64_t>(at)) break;
        at = reinterpret_cast<const uint64_t*>(next);
    }
    return chain;
}

const CallSite& CallSites::at(const CallChain& chain, bool& is_new) {
    const auto [entry, added] = known_.try_emplace(chain.hash);
    is_new = added;
    if (added) entry->second = resolve(chain);
    return entry->second;
}

CallSite CallSites::resolve(const CallChain& chain) {
    CallSite site;
    std::string called;  // by the frame that is next
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
