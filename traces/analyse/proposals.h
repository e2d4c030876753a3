// Candidates for advice, before they are replayed and ranked.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "sim/machine/observe/library_calls.h"
#include "traces/analyse/advice.h"
#include "traces/analyse/phrases.h"

namespace ptosim {

struct Proposal {
    Advice advice;  // its saving is that of the change, if there is one
    std::optional<Dependencies::Change> change;
    // Forms of the change that a run can be simulated with; the best one counts.
    std::vector<Trial> trials{};
    // The part of the replayed time after `begins` is multiplied by `shrinks`.
    Cycle begins = 0;
    double shrinks = 1;
    // It contains others: it is reported only if it saves clearly more than each.
    bool combines = false;
    // Bytes through L2 and HBM after the change: the run cannot be shorter than their transfer.
    enum class Bytes : uint8_t {
        kAll,    // as many bytes
        kOnce,   // as many through L2; nothing is read from HBM again
        kFewer,  // it is not known how many
    };
    Bytes bytes = Bytes::kAll;
};
using Proposals = std::vector<Proposal>;

// Input of a finder.
struct Findings {
    Findings(const Recording& recording, const Accounting& accounting,
             const std::vector<Dependencies::Step>& path);
    const Recording& recording;
    const Accounting& accounting;
    const std::vector<Dependencies::Step>& path;
    Cycle duration() const { return recording.end - recording.begin; }
    // End of the highest tile in a memory, on any core.
    uint64_t top(Space space) const { return tops_[static_cast<size_t>(space)]; }
    // Savings below this are not reported.
    Cycle worthy() const { return duration() / 100; }
    size_t cores(CoreType type) const { return cores_[static_cast<size_t>(type)]; }  // with a block
    // Least cycles of a transfer of global memory while `cores` cores of its type share L2 and HBM;
    // 0: not known. `missing`: the part that L2 does not hold, 0 to 1.
    double at_best(const InstructionRecord& record, size_t cores, double missing) const;
    // Part of a transfer's bytes that `bytes` are, 0 to 1.
    static double part(const InstructionRecord& record, uint32_t bytes);
    static double missing(const InstructionRecord& record) {
        return part(record, record.l2_miss_bytes);
    }
    // The function of a library that issues instructions of this opcode there; empty if the line
    // does.
    std::string call(SourceLocation at, Opcode opcode) const {
        const SourceMap::Call* const found = recording.sources.call(at, opcode);
        return found == nullptr ? "" : found->function;
    }
    // Like call(), but empty unless the function copies (DataCopy and its like).
    std::string copy(SourceLocation at, Opcode opcode) const {
        const std::string function = call(at, opcode);
        return purpose_of(function) == CallPurpose::kCopy ? function : "";
    }
    const Library library;       // that the kernel calls
    CoreType main_type() const;  // AIC if one had a block
    // The least time of a run with the same transfers: the time before the first one plus all bytes
    // at the rates of L2 and HBM; `after_reads`: the time after the last read. If `again` is false,
    // bytes that are read from HBM again do not count.
    struct Traffic {
        Cycle least = 0, after_reads = 0;
    };
    Traffic traffic(bool again = true) const;

 private:
    std::array<size_t, 2> cores_{};  // by type
    std::array<uint64_t, kSpaceCount> tops_{};
};

void propose_cores(const Findings& f, Proposals& to);      // blocks, uneven ones
void propose_waits(const Findings& f, Proposals& to);      // buffers, flags, barriers, hand-overs
void propose_transfers(const Findings& f, Proposals& to);  // bursts, L2, banks
void propose_threads(const Findings& f, Proposals& to);    // lines, banks, warps
void propose_work(const Findings& f, Proposals& to);       // pipes, issue, queues, launches

// A change in which these sites keep only a share of their time, of kWholeShare.
struct CodeSite;
inline constexpr unsigned kWholeShare = 256;  // of Change::keeps
Dependencies::Change lighter(const Recording& recording, std::map<CodeSite, unsigned> shares);

// An opcode at a location of the text, on a pipe of one type of core: what no change distinguishes.
struct CodeSite {
    SourceLocation at;
    Opcode opcode{};
    CoreType type{};
    Pipe pipe = Pipe::kS;
    auto key() const { return std::tuple(at.file, at.line, at.column, opcode, type, pipe); }
    friend bool operator<(const CodeSite& a, const CodeSite& b) { return a.key() < b.key(); }
};
inline CodeSite site_of(const Recording& recording, const InstructionRecord& record) {
    return {record.location, record.opcode, recording.cores[record.core].type, record.pipe};
}

// A value for each site: an ordered map with a short cut to sites met before, because nearly all
// instructions of a run are of a few sites.
template <class T>
class BySite {
 public:
    BySite() = default;
    BySite(const BySite&) = delete;
    BySite& operator=(const BySite&) = delete;
    T& operator[](const CodeSite& site) {
        Met& met = met_[(site.at.line ^ static_cast<size_t>(site.opcode) << 2) % met_.size()];
        if (met.of == nullptr || met.site.key() != site.key()) met = {site, &map_[site]};
        return *met.of;
    }
    const std::map<CodeSite, T>& map() const { return map_; }

 private:
    struct Met {
        CodeSite site;
        T* of = nullptr;
    };
    std::array<Met, 64> met_;
    std::map<CodeSite, T> map_;
};

}  // namespace ptosim
