#include "sim/check/init.h"

#include <algorithm>
#include <bit>

#include "isa/instruction_table.h"

namespace ptosim::check {
namespace {

constexpr size_t kMostPartial = 64;

// Calls act(word, mask) for the words of [begin, end); stops when it returns false.
template <class Act>
bool for_words(uint64_t begin, uint64_t end, Act&& act) {
    for (uint64_t word = begin / 64; word <= (end - 1) / 64; ++word) {
        uint64_t mask = ~uint64_t{0};
        if (word == begin / 64) mask &= ~uint64_t{0} << (begin % 64);
        if (word == (end - 1) / 64 && end % 64 != 0) mask &= ~(~uint64_t{0} << (end % 64));
        if (!act(word, mask)) return false;
    }
    return true;
}

bool is_partial(const Tile& tile) {
    return tile.valid_rows < tile.rows || tile.valid_cols < tile.cols;
}

}  // namespace

void WrittenBytes::set(const Region& region) {
    if (remembered(region) == region) return;
    remembered(region) = region;
    if (words_.size() * 64 < region.end()) words_.resize(region.end() / 64 + 1);
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [this](uint64_t word, uint64_t mask) {
            words_[word] |= mask;
            return true;
        });
    }
}

uint64_t WrittenBytes::first_unwritten(const Region& region) {
    if (remembered(region) == region) return UINT64_MAX;
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < region.lines && found == UINT64_MAX; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [&](uint64_t word, uint64_t mask) {
            const uint64_t written = word < words_.size() ? words_[word] : 0;
            const uint64_t missing = mask & ~written;
            if (missing == 0) return true;
            found = word * 64 + static_cast<uint64_t>(std::countr_zero(missing));
            return false;
        });
    }
    if (found == UINT64_MAX) remembered(region) = region;
    return found;
}

void InitChecker::launch(const LaunchEvent& event) {
    sources_ = event.sources;
    cores_.clear();
    cores_.resize(event.cores.size());
}

void InitChecker::block_begin(const RunEvent& event) {
    Core& core = state(event.core);
    for (WrittenBytes& written : core.written) written.clear();
    for (WrittenBytes& written : core.issued) written.clear();
    core.suspects.clear();
    core.partial.clear();
    core.next = 0;
}

template <class Act>
void InitChecker::for_reads(const Instruction& instruction, Act&& act) {
    const InstructionInfo& row = info(instruction.opcode);
    for (const Access& access : accesses(instruction)) {
        const OperandInfo& operand = row.operands[access.operand];
        if (access.global || !access.reads || operand.role == OperandRole::kTmp) continue;
        regions_of(access, instruction.operands[access.operand], regions_);
        for (const Region& region : regions_) act(access.space, operand.name, region);
    }
}

void InitChecker::mark(const InstructionEvent& event, Buffers Core::*buffers) {
    const Instruction& instruction = *event.instruction;
    for (const Access& access : accesses(instruction)) {
        if (access.global || !access.writes) continue;
        regions_of(access, instruction.operands[access.operand], regions_);
        for (const CoreId owner : timelines_.owners(event.core, access))
            for (const Region& region : regions_)
                (state(owner).*buffers)[static_cast<size_t>(access.space)].set(region);
    }
}

void InitChecker::issue(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    if (info(instruction.opcode).timing == TimingClass::kFlag) return;
    Core& core = state(event.core);
    bool suspect = false;
    for_reads(instruction, [&](Space space, std::string_view, const Region& region) {
        suspect = suspect ||
                  core.issued[static_cast<size_t>(space)].first_unwritten(region) != UINT64_MAX;
    });
    if (suspect) core.suspects.push_back(event.sequence);
    mark(event, &Core::issued);
}

void InitChecker::start(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    const InstructionInfo& row = info(instruction.opcode);
    if (row.timing == TimingClass::kFlag) return;
    Core& core = state(event.core);
    if (!core.suspects.empty() && std::erase(core.suspects, event.sequence) != 0)
        for_reads(instruction, [&](Space space, std::string_view operand, const Region& region) {
            check(core, {event.core, event.pipe, row.name, operand, instruction.location,
                         event.time, space, region});
        });
    mark(event, &Core::written);
    for (unsigned i = 0; i < instruction.operand_count && i < row.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() || row.operands[i].role == OperandRole::kIn) continue;
        const Tile& tile = operand.tile;
        if (!is_partial(tile)) continue;
        const Partial partial{tile.space, tile.address, tile.address + tile.byte_size(), row.name,
                              instruction.location};
        if (core.partial.size() < kMostPartial)
            core.partial.push_back(partial);
        else
            core.partial[core.next++ % kMostPartial] = partial;
    }
}

void InitChecker::scalar_access(const ScalarAccessEvent& event) {
    if (event.access.global) return;
    Core& core = state(event.core);
    const Region region = range_of(event.access);
    if (event.access.reads &&
        core.issued[static_cast<size_t>(event.access.space)].first_unwritten(region) != UINT64_MAX)
        check(core, {event.core,
                     Pipe::kS,
                     "scalar load",
                     {},
                     event.location,
                     event.time,
                     event.access.space,
                     region});
    if (!event.access.writes) return;
    core.written[static_cast<size_t>(event.access.space)].set(region);
    core.issued[static_cast<size_t>(event.access.space)].set(region);
}

void InitChecker::check(Core& core, const Read& read) {
    const uint64_t byte =
        core.written[static_cast<size_t>(read.space)].first_unwritten(read.region);
    if (byte == UINT64_MAX) return;
    const auto partial =
        std::find_if(core.partial.rbegin(), core.partial.rend(), [&](const Partial& candidate) {
            return candidate.space == read.space && candidate.begin <= byte && byte < candidate.end;
        });
    const bool outside = partial != core.partial.rend();
    const std::string site = (outside ? "D02/" : "D01/") + std::to_string(read.location.file) +
                             "/" + std::to_string(read.location.line) + "/" +
                             std::to_string(read.location.column) + "/" + std::string(read.operand);
    findings_.add(site, [&] {
        Diagnostic d;
        d.code = outside ? "D02" : "D01";
        d.category = Category::kUndefined;
        const std::string space{name(read.space)};
        d.message = std::string(read.instruction) +
                    (read.operand.empty() ? "" : " '" + std::string(read.operand) + "'") +
                    " reads byte " + std::to_string(byte) + " of " + space;
        d.message += outside ? ", which lies outside the valid region that " +
                                   std::string(partial->instruction) + " at " +
                                   place(*sources_, partial->location) + " has written"
                             : ", which nothing in this block has written";
        d.hint = outside ? "pad the tile (pto.tfillpad), or give the reader the same valid region"
                         : "load or compute the tile first, or read only its valid region";
        sources_->locate(d, read.location);
        d.core = name(read.core);
        d.pipe = name(read.pipe);
        d.instruction = read.instruction;
        d.operand = read.operand;
        d.cycle = read.time;
        d.has_cycle = true;
        d.byte_begin = read.region.begin;
        d.byte_end = read.region.end();
        return d;
    });
}

}  // namespace ptosim::check
