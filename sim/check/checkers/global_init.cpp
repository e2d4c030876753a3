#include "sim/check/checkers/global_init.h"

#include <algorithm>

#include "isa/table/instruction_table.h"
#include "sim/machine/memory/global_memory.h"

namespace ptosim::check {
namespace {

// Compiled kernels can store through plain pointers, which no observer sees. Because all bytes of a new allocation have
// one value, bytes that differ from it have been written.
bool untouched(Range range, std::byte fresh) {
    const std::byte* first = GlobalMemory::host(range.begin);
    return std::all_of(first, first + (range.end - range.begin),
                       [fresh](std::byte b) { return b == fresh; });
}

}  // namespace

void GlobalInit::on_host_allocate(uint64_t address, uint64_t size, const std::string& name,
                                  std::byte fresh) {
    allocations_[address] = {size, name, fresh, {}};
}

void GlobalInit::on_host_release(uint64_t address) {
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return;
    budget_.left += kBytesPerRange * found->second.written.size();
    allocations_.erase(found);
}

std::pair<const uint64_t, GlobalInit::Allocation>* GlobalInit::find(uint64_t address) {
    auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin()) return nullptr;
    auto& found = *std::prev(next);
    return address - found.first < found.second.size ? &found : nullptr;
}

void GlobalInit::on_host_write(uint64_t address, uint64_t size) {
    if (size > 0) write(Region{address, size, 0, 1});
}

void GlobalInit::write(Allocation& allocation, uint64_t begin, uint64_t end) {
    auto& written = allocation.written;
    auto at = written.upper_bound(begin);
    if (at != written.begin() && std::prev(at)->second >= begin) --at;
    while (at != written.end() && at->first <= end) {
        begin = std::min(begin, at->first);
        end = std::max(end, at->second);
        at = written.erase(at);
        budget_.left += kBytesPerRange;
    }
    if (budget_.left < kBytesPerRange) {
        budget_.exceeded = true;
        return;
    }
    budget_.left -= kBytesPerRange;
    written.emplace_hint(at, begin, end);
}

void GlobalInit::write(const Region& region) {
    auto* found = find(region.begin);
    if (found == nullptr) return;
    Allocation& allocation = found->second;
    if (allocation.complete(found->first)) return;
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        write(allocation, begin, begin + region.width);
    }
}

Range GlobalInit::unwritten(const Region& region) {
    auto* found = find(region.begin);
    if (found == nullptr) return {};
    Allocation& allocation = found->second;
    if (allocation.complete(found->first)) return {};
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        const uint64_t end = begin + region.width;
        const auto next = allocation.written.upper_bound(begin);
        const bool none = next == allocation.written.begin();
        const uint64_t first = none ? begin : std::max(begin, std::prev(next)->second);
        if (first >= end) continue;
        return {first, next == allocation.written.end() ? end : std::min(end, next->first)};
    }
    return {};
}

void GlobalInit::report(uint64_t byte, const Region& region, CoreId core, Pipe pipe, Cycle time,
                        std::string_view instruction, std::string_view operand,
                        SourceLocation location) {
    const auto& [address, allocation] = *find(byte);
    const std::string site = "D01/global/" + std::to_string(location.file) + "/" +
                             std::to_string(location.line) + "/" + std::to_string(location.column) +
                             "/" + std::string(operand);
    findings_.add(site, [&, address = address, &memory = allocation] {
        Diagnostic d;
        d.code = "D01";
        d.category = Category::kUndefined;
        d.message = std::string(instruction) +
                    (operand.empty() ? "" : " '" + std::string(operand) + "'") + " reads byte " +
                    std::to_string(byte - address) + " of " + memory.name +
                    ", which neither the host nor a kernel has written";
        d.hint = "write it first: aclrtMemcpy, aclrtMemset, or a kernel that stores to it";
        shared_.sources->locate(d, location);
        d.core = name(core);
        d.pipe = name(pipe);
        d.instruction = instruction;
        d.operand = operand;
        d.cycle = time;
        d.has_cycle = true;
        d.byte_begin = region.begin - address;
        d.byte_end = region.end() - address;
        return d;
    });
}

void GlobalInit::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    if (allocations_.empty()) return;
    const InstructionInfo& row = info(event.instruction->opcode);
    for (const Piece& piece : footprint) {
        if (!piece.global || !piece.reads) continue;
        const Range range = unwritten(piece.region);
        if (range.begin < range.end && untouched(range, find(range.begin)->second.fresh))
            report(range.begin, piece.region, event.core, event.pipe, event.time, row.name,
                   row.operands[piece.operand].name, event.instruction->location);
    }
    for (const Piece& piece : footprint)
        if (piece.global && piece.writes) write(piece.region);
}

void GlobalInit::on_scalar_access(const ScalarAccessEvent& event) {
    if (allocations_.empty() || !event.access.global) return;
    const Region region = range_of(event.access);
    // Code that reads through pointers reads data that processors have written, whose stores are not reported.
    const bool reads = event.access.reads && !event.by_pointer;
    const Range range = reads ? unwritten(region) : Range{};
    if (range.begin < range.end && untouched(range, find(range.begin)->second.fresh))
        report(range.begin, region, event.core, Pipe::kS, event.time, "scalar load", {},
               event.location);
    if (event.access.writes) write(region);
}

PTOSIM_CHECKER(global_init) = row_of<GlobalInit>(
    {.name = "init",
     .chosen = Chosen::kInAll,
     .codes = "D01",
     .about = "reads of device memory that neither the host nor a kernel has written",
     .order = 90});

}  // namespace ptosim::check
