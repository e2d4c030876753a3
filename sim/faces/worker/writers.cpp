#include "sim/faces/worker/writers.h"

#include <algorithm>
#include <sstream>

#include "isa/numeric/formats.h"
#include "isa/table/instruction_table.h"

namespace ptosim::worker {
namespace {

// True if a store writes this byte. The elements of a view do not overlap, so the index in each dimension follows from
// the rest of the offset, the largest stride first.
bool touches(const Access& access, uint64_t address) {
    if (address < access.begin || address >= access.end) return false;
    if (access.view == nullptr) return true;
    const GlobalView& view = *access.view;
    std::array<size_t, GlobalView::kRank> order{0, 1, 2, 3, 4};
    std::sort(order.begin(), order.end(),
              [&view](size_t a, size_t b) { return view.stride[a] > view.stride[b]; });
    const unsigned width = bits(view.dtype);
    auto left = static_cast<int64_t>((address - view.address) * 8 / width);
    for (const size_t d : order) {
        if (view.stride[d] <= 0 || view.shape[d] <= 1) continue;
        left -= std::min<int64_t>(left / view.stride[d], view.shape[d] - 1) * view.stride[d];
    }
    return left < view.block_channels();
}

bool touches_global(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_global()) return true;
    return false;
}

std::string tile_text(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.tile(i);
        std::ostringstream text;
        text << name(tile.space) << " 0x" << std::hex << tile.address << std::dec << " "
             << tile.valid_rows << "x" << tile.valid_cols << " " << name(tile.dtype);
        return text.str();
    }
    return {};
}

}  // namespace

uint32_t& Writers::block_of(CoreId core) {
    std::vector<uint32_t>& blocks = blocks_[core.type == CoreType::kAIV];
    if (blocks.size() <= core.index) blocks.resize(core.index + size_t{1});
    return blocks[core.index];
}

void Writers::on_block_begin(const RunEvent& event) { block_of(event.core) = event.identity.block; }

void Writers::note(Watched& watched, CoreId core, std::string pipe, SourceLocation location,
                   Cycle time) {
    Writer writer;
    writer.found = true;
    writer.core = name(core);
    writer.pipe = std::move(pipe);
    writer.line = location.line;
    writer.block = block_of(core);
    writer.cycle = time;
    if (sources_ != nullptr && location.line != 0) {
        writer.file = sources_->file(location);
        writer.source = sources_->line(location);
    }
    watched.writer = std::move(writer);
}

void Writers::count(const Access& access) {
    const GlobalMemory::Allocation* const array =
        memory_ == nullptr ? nullptr : memory_->find(access.begin);
    if (array == nullptr) return;
    Uses& uses = uses_[array->address];
    uses.reads += access.reads;
    uses.writes += access.writes;
}

// `instruction` is null for an access of the scalar unit.
void Writers::keep_stored(const Access& access, const Instruction* instruction) {
    if (!compiled_ || !access.writes) return;
    const auto next = undefined_.upper_bound(access.begin);
    if (next == undefined_.begin()) return;
    auto& [address, array] = *std::prev(next);
    if (access.begin - address >= array.size) return;
    std::vector<check::Region> regions;
    if (instruction == nullptr)
        regions.push_back(check::range_of(access));
    else
        check::regions_of(access, *instruction, regions);
    for (check::Region& region : regions) {
        if (region.begin < address || region.end() > address + array.size) continue;
        region.begin -= address;
        array.stored.set(region);
    }
}

const std::map<uint64_t, Writers::Uses>& Writers::finish() {
    for (auto& [address, array] : undefined_) {
        if (!compiled_ || memory_->find(address) == nullptr) continue;
        const std::byte* const bytes = GlobalMemory::host(address);
        uint64_t& count = uses_[address].stored_by_host;
        for (uint64_t i = 0; i < array.size; ++i) {
            i = array.stored.first_unwritten({i, array.size - i, 0, 1});
            if (i == UINT64_MAX) break;
            count += bytes[i] != array.fresh;
        }
    }
    return uses_;
}

std::map<std::string, std::vector<uint32_t>> Writers::lines() const {
    std::map<std::string, std::vector<uint32_t>> result;
    for (size_t file = 0; file < executed_.size() && sources_ != nullptr; ++file)
        for (size_t line = 1; line < executed_[file].size(); ++line)
            if (executed_[file][line])
                result[std::string(sources_->file(
                           {static_cast<uint16_t>(file), 1, static_cast<uint32_t>(line)}))]
                    .push_back(static_cast<uint32_t>(line));
    return result;
}

void Writers::on_complete(const InstructionEvent& event) {
    const SourceLocation location = event.instruction->location;
    if (executed_.size() <= location.file) executed_.resize(location.file + size_t{1});
    std::vector<bool>& lines = executed_[location.file];
    if (lines.size() <= location.line) lines.resize(location.line + size_t{64});
    lines[location.line] = true;
    if (!touches_global(*event.instruction)) return;
    for (const Access& access : accesses(*event.instruction)) {
        if (!access.global) continue;
        count(access);
        keep_stored(access, event.instruction);
        if (!access.writes) continue;
        for (Watched& watched : watched_) {
            if (!touches(access, watched.address)) continue;
            note(watched, event.core, std::string(name(event.pipe)), event.instruction->location,
                 event.time);
            watched.writer.instruction = info(event.instruction->opcode).name;
            watched.writer.sequence = event.sequence;
            watched.writer.tile = tile_text(*event.instruction);
        }
    }
}

void Writers::on_scalar_access(const ScalarAccessEvent& event) {
    if (event.access.global) {
        count(event.access);
        keep_stored(event.access, nullptr);
    }
    for (Watched& watched : watched_)
        if (event.access.global && event.access.writes && touches(event.access, watched.address)) {
            note(watched, event.core, "S", event.location, event.time);
            watched.writer.instruction = "scalar store";
            watched.writer.sequence = event.sequence;
        }
}

}  // namespace ptosim::worker
