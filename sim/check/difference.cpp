#include "sim/check/difference.h"

#include <algorithm>
#include <map>

#include "isa/table/instruction_table.h"

namespace ptosim::check {
namespace {

constexpr size_t kNobody = SIZE_MAX;  // the memory's contents before the launch

// The accesses of one run, by their keys.
class Run {
 public:
    explicit Run(const AccessRecord& record) : record_{record} {
        for (size_t i = 0; i < record.accesses.size(); ++i) at_[record.accesses[i].key] = i;
    }
    const LoggedAccess& operator[](size_t i) const { return record_.accesses[i]; }
    size_t size() const { return record_.accesses.size(); }
    const Piece& piece(const LoggedAccess& access, size_t i) const {
        return record_.pieces[access.first + i];
    }
    // Position in the run's order; kNobody if the run has no such access.
    size_t find(const AccessKey& key) const {
        const auto found = at_.find(key);
        return found == at_.end() ? kNobody : found->second;
    }

 private:
    const AccessRecord& record_;
    std::map<AccessKey, size_t> at_;
};

bool same_memory(const Piece& a, const Piece& b) {
    return a.global ? b.global : !b.global && a.space == b.space && a.memory == b.memory;
}

// The last writer of each byte of a piece among the first `end` accesses of a run.
class Writers {
 public:
    Writers(const Run& run, size_t end, const Piece& piece) : piece_{piece} {
        const Region& region = piece.region;
        writer_.assign(region.lines * region.width, kNobody);
        left_ = writer_.size();
        for (size_t i = end; i-- > 0 && left_ > 0;)
            for (size_t p = 0; p < run[i].count; ++p) {
                const Piece& other = run.piece(run[i], p);
                if (other.writes && same_memory(piece, other) &&
                    other.region.begin < region.end() && region.begin < other.region.end())
                    note(other.region, i);
            }
    }
    size_t bytes() const { return writer_.size(); }
    size_t operator[](size_t byte) const { return writer_[byte]; }
    uint64_t address(size_t byte) const {
        return piece_.region.begin + byte / piece_.region.width * piece_.region.pitch +
               byte % piece_.region.width;
    }

 private:
    void note(const Region& written, size_t by) {
        const Region& mine = piece_.region;
        for (uint64_t line = 0; line < mine.lines; ++line) {
            const uint64_t begin = mine.begin + line * mine.pitch, end = begin + mine.width;
            for (uint64_t w = 0; w < written.lines; ++w) {
                const uint64_t from = std::max(begin, written.begin + w * written.pitch);
                const uint64_t to =
                    std::min(end, written.begin + w * written.pitch + written.width);
                for (uint64_t at = from; at < to; ++at) {
                    size_t& writer = writer_[line * mine.width + (at - begin)];
                    if (writer != kNobody) continue;
                    writer = by;
                    --left_;
                }
            }
        }
    }

    const Piece& piece_;
    std::vector<size_t> writer_;
    size_t left_ = 0;
};

// Two accesses to a byte, in the order of the run.
struct Pair {
    const LoggedAccess* first = nullptr;
    const LoggedAccess* second = nullptr;
    uint64_t byte = 0;
    bool global = false;
    Space space = Space::kUB;
};

std::string what(const LoggedAccess& access, const Piece* piece) {
    if (access.key.scalar)
        return piece != nullptr && piece->writes ? "scalar store" : "scalar load";
    const InstructionInfo& row = info(access.opcode);
    std::string text{row.name};
    if (piece != nullptr && piece->operand < row.operands.size())
        text += " '" + std::string(row.operands[piece->operand].name) + "'";
    return text;
}

class Comparison {
 public:
    Comparison(const AccessRecord& run, const AccessRecord& other)
        : cores_{run.cores}, run_{run}, other_{other} {}

    // The accesses whose order differs; empty if none are found, or only atomic operations.
    std::optional<Pair> find(uint64_t output) {
        for (size_t i = 0; i < other_.size(); ++i) {
            const size_t at = run_.find(other_[i].key);
            if (at == kNobody || run_[at].hash == other_[i].hash) continue;
            if (const auto pair = by_what_it_reads(at, i)) return pair;
        }
        return by_output(output);
    }
    bool atomic() const { return atomic_; }
    // The piece of an access that touches the byte, preferably a write.
    const Piece* piece_of(const Pair& pair, const LoggedAccess& access) const {
        const Piece* found = nullptr;
        for (size_t p = 0; p < access.count; ++p) {
            const Piece& piece = run_.piece(access, p);
            const Region& r = piece.region;
            if (piece.global != pair.global || (!piece.global && piece.space != pair.space) ||
                pair.byte < r.begin || pair.byte >= r.end())
                continue;
            if (found == nullptr || piece.writes) found = &piece;
        }
        return found;
    }
    CoreId core(const LoggedAccess& access) const { return cores_[access.memory]; }

 private:
    std::optional<Pair> by_what_it_reads(size_t at, size_t i) {
        const LoggedAccess& mine = run_[at];
        const LoggedAccess& theirs = other_[i];
        for (size_t p = 0; p < std::min(mine.count, theirs.count); ++p) {
            const Piece& here = run_.piece(mine, p);
            const Piece& there = other_.piece(theirs, p);
            if (!here.reads || here.region != there.region) continue;
            if (const auto pair = compare(here, there, at, i)) return pair;
        }
        return {};
    }

    std::optional<Pair> by_output(uint64_t address) {
        Piece byte;
        byte.region = {address, 1, 0, 1};
        byte.global = true;
        return compare(byte, byte, run_.size(), other_.size());
    }

    // Compares the same bytes, read by accesses `at` and `i`, or at the end of the runs.
    std::optional<Pair> compare(const Piece& here, const Piece& there, size_t at, size_t i) {
        const Writers mine(run_, at, here), theirs(other_, i, there);
        for (size_t byte = 0; byte < mine.bytes(); ++byte) {
            Pair pair;
            pair.byte = mine.address(byte);
            pair.global = here.global;
            pair.space = here.space;
            if (!exchanged(mine[byte], theirs[byte], at, i, pair)) continue;
            if (!both_atomic(pair)) return pair;
            atomic_ = true;
        }
        return {};
    }

    // True if the order differs: `w` was the last writer in the run, and `v` in the other one.
    bool exchanged(size_t w, size_t v, size_t at, size_t i, Pair& pair) const {
        const bool is_read = at < run_.size();
        const size_t w_there = w == kNobody ? kNobody : other_.find(run_[w].key);
        const size_t v_here = v == kNobody ? kNobody : run_.find(other_[v].key);
        if (w == v_here) return false;
        if (is_read && w != kNobody && (w_there == kNobody || w_there > i)) {
            pair.first = &run_[w];  // `w` was read too early there
            pair.second = &run_[at];
        } else if (is_read && v_here != kNobody && v_here > at) {
            pair.first = &run_[at];  // overwritten too early there
            pair.second = &run_[v_here];
        } else if (w != kNobody && v_here != kNobody) {
            pair.first = &run_[v_here];
            pair.second = &run_[w];
        }
        return pair.first != nullptr;
    }

    bool both_atomic(const Pair& pair) const {
        const Piece* const first = piece_of(pair, *pair.first);
        const Piece* const second = piece_of(pair, *pair.second);
        return first != nullptr && second != nullptr && first->atomic && second->atomic;
    }

    const std::vector<CoreId>& cores_;
    Run run_, other_;
    bool atomic_ = false;
};

}  // namespace

Difference first_difference(const AccessRecord& run, const AccessRecord& other, uint64_t output,
                            const SourceMap& sources, const GlobalMemory& memory) {
    Difference difference;
    Comparison comparison(run, other);
    std::optional<Pair> pair = comparison.find(output);
    difference.atomic = !pair && comparison.atomic();
    if (!pair) return difference;
    difference.found = true;
    const bool same_core = pair->first->key.block == pair->second->key.block &&
                           pair->first->key.core == pair->second->key.core;
    if (same_core && !pair->first->key.scalar && !pair->second->key.scalar &&
        pair->second->key.number < pair->first->key.number)
        std::swap(pair->first, pair->second);
    const Piece* const first = comparison.piece_of(*pair, *pair->first);
    const Piece* const second = comparison.piece_of(*pair, *pair->second);
    const bool first_writes = first != nullptr && first->writes;
    const bool second_writes =
        second != nullptr && second->writes && (!second->reads || !first_writes);

    const GlobalMemory::Allocation* const argument =
        pair->global ? memory.find(pair->byte) : nullptr;
    const uint64_t base = argument != nullptr ? argument->address : 0;
    const std::string where = argument != nullptr ? argument->name
                              : pair->global      ? "global memory"
                                                  : std::string(name(pair->space));
    const auto site = [&](const LoggedAccess& access, const Piece* piece) {
        Site at;
        sources.locate(at, access.location);
        at.core = name(comparison.core(access));
        at.pipe = name(access.pipe);
        at.instruction =
            access.key.scalar ? what(access, piece) : std::string(info(access.opcode).name);
        at.cycle = access.time;
        at.has_cycle = true;
        at.byte_begin = pair->byte - base;
        at.byte_end = at.byte_begin + 1;
        return at;
    };
    Diagnostic& d = difference.finding;
    static_cast<Site&>(d) = site(*pair->second, second);
    d.code = "E30";
    d.category = Category::kRace;
    const char* kind = !first_writes ? "WAR" : second_writes ? "WAW" : "RAW";
    d.message = std::string(kind) + " race in " + where + ": " + what(*pair->second, second) +
                (second_writes ? " writes" : " reads") + " what " + what(*pair->first, first) +
                " at " + location_text(sources, pair->first->location) +
                (first_writes ? " writes" : " reads") +
                ", and with another timing their order and the results are others";
    RelatedSite related{site(*pair->first, first), {}};
    related.text = "first: " + what(*pair->first, first) + " at " +
                   location_text(sources, pair->first->location) + ", " + related.core + "/" +
                   related.pipe + ", block " + std::to_string(pair->first->key.block) + ", cycle " +
                   std::to_string(pair->first->time) + ", byte " +
                   std::to_string(pair->byte - base) + " of " + where;
    d.related = {std::move(related)};
    const auto side = [](const LoggedAccess& access) {
        return Unordered{access.location, access.pipe, access.memory, access.key.block};
    };
    d.hint = ordering_hint(side(*pair->first), side(*pair->second), sources, RunAs::kLaunch);
    return difference;
}

}  // namespace ptosim::check
