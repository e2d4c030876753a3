#include "sim/native/tensor_bounds.h"

#include <algorithm>
#include <array>
#include <string>

#include "isa/core/opcode.h"
#include "isa/intrinsics/intrinsic_instruction.h"
#include "isa/table/access.h"
#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

constexpr uint64_t kCopyBlock = 32, kRepeat = 256;

uint64_t whole_blocks(uint64_t bytes) { return (bytes + kCopyBlock - 1) / kCopyBlock * kCopyBlock; }

// The bytes from the first to the last one that an operand touches.
struct Extent {
    Space space = Space::kUB;
    bool writes = false;
    unsigned operand = 0;
    uint64_t begin = 0, end = 0;
};
struct Extents {
    std::array<Extent, std::max(Instruction::kMaxOperands + 1, IntrinsicCall::kMaxArguments)> items;
    unsigned count = 0;
    void add(const Extent& extent) { items[count++] = extent; }
    const Extent* begin() const { return items.data(); }
    const Extent* end() const { return items.data() + count; }
};

// True if one access begins at the end of another: they may be two pieces of one operand (whole repeats and the rest), of
// which the second begins after the end of the tensor, or two operands.
bool has_pieces(const Extents& extents) {
    for (const Extent& one : extents)
        for (const Extent& other : extents)
            if (one.writes == other.writes && one.begin == other.end) return true;
    return false;
}

Extents extents_of(const Instruction& instruction) {
    Extents extents;
    for (const Access& access : accesses(instruction))
        if (!access.global && !access.padding && access.peers == 0)
            extents.add({access.space, access.writes, access.operand, access.begin, access.end});
    if (instruction.attributes.payload_kind != PayloadKind::kIntrinsic || !has_pieces(extents)) return extents;
    const IntrinsicCall call = intrinsic_call(instruction);
    if (info(call.opcode).form.unit != IntrinsicUnit::kVector) return extents;
    extents.count = 0;
    std::array<unsigned, 2> operand{intrinsics::kMostWrites, 0};
    for (const IntrinsicFootprint& footprint : footprints(call)) {
        if (footprint.by_data || footprint.rows.empty()) continue;
        Extent whole{Space::kUB, footprint.write, operand[footprint.write]++, UINT64_MAX, 0};
        for (const IntrinsicRows& rows : footprint.rows) {
            whole.begin = std::min(whole.begin, rows.begin);
            whole.end = std::max(whole.end, rows.begin + (rows.count - 1) * rows.pitch + rows.length);
        }
        extents.add(whole);
    }
    return extents;
}

}  // namespace

std::optional<Diagnostic> TensorBounds::declare(const ptosim_buffers& buffers, SourceLocation where, uint64_t room) {
    if (buffers.starts_anew != 0) {
        buffers_.clear();
        of_queues_.clear();
        recent = {};
        return std::nullopt;
    }
    const auto space = static_cast<Space>(buffers.first.space);
    const uint64_t begin = buffers.first.begin;
    const uint64_t size = buffers.first.size;
    const uint64_t end = begin + size * buffers.count;
    std::vector<Buffer>& known = buffers_[space];
    std::erase_if(known, [&](const Buffer& buffer) { return buffer.begin < end && begin < buffer.end; });
    for (uint64_t i = 0; i < buffers.count; ++i) known.push_back({begin + i * size, begin + (i + 1) * size, where});
    // Public figures of the fix pipe's and the bias table's size disagree (Catlass: 7 KiB), so they are not judged.
    const bool known_size = room != 0 && space != Space::kFixpipe && space != Space::kBias;
    if (known_size && end > room && buffers.names_bytes == 0)
        return make_diagnostic("Q06", Category::kIllegal,
                       "a buffer ends at byte " + std::to_string(end) + " of " + std::string(name(space)) +
                           ", which has " + std::to_string(room) + " bytes",
                       "give the buffers less room in total: " + std::to_string(end - room) + " bytes too many");
    if (buffers.queue == 0 || buffers.most == 0) return std::nullopt;
    unsigned& count = of_queues_[buffers.queue];
    count += buffers.count;
    if (count <= buffers.most) return std::nullopt;
    return make_diagnostic("Q05", Category::kSync,
                   "the queues of this position have " + std::to_string(count) + " buffers, and there are " +
                       std::to_string(buffers.most) + " event ids: EnQue or FreeTensor of the others never get one",
                   "let queues of one position have at most " + std::to_string(buffers.most) +
                       " buffers together: let several tensors share a queue's buffer, or use a TBuf");
}

const TensorBounds::Buffer* TensorBounds::buffer_at(Space space, uint64_t begin) const {
    const auto found = buffers_.find(space);
    if (found == buffers_.end()) return nullptr;
    const auto buffer = std::ranges::find_if(
        found->second, [begin](const Buffer& b) { return b.begin <= begin && begin < b.end; });
    return buffer == found->second.end() ? nullptr : &*buffer;
}

ptosim_tensor TensorBounds::extent_at(Space space, uint64_t begin) const {
    for (uint32_t i = 1; i <= PTOSIM_RECENT_TENSORS && i <= recent.next; ++i) {
        const ptosim_tensor& tensor = recent.recent[(recent.next - i) % PTOSIM_RECENT_TENSORS];
        if (tensor.space == static_cast<uint32_t>(space) && tensor.begin <= begin &&
            begin < tensor.begin + whole_blocks(tensor.size))
            return tensor;
    }
    if (const Buffer* const buffer = buffer_at(space, begin))
        return {static_cast<uint32_t>(buffer->begin), static_cast<uint32_t>(buffer->end - buffer->begin),
                static_cast<uint32_t>(space)};
    return {};
}

uint64_t TensorBounds::end_at(Space space, uint64_t begin) const {
    const ptosim_tensor extent = extent_at(space, begin);
    return extent.size == 0 ? 0 : extent.begin + whole_blocks(extent.size);
}

std::optional<Diagnostic> TensorBounds::check(const Instruction& instruction, const SourceMap& sources) const {
    if (recent.next == 0 && buffers_.empty()) return std::nullopt;
    // The accesses of a vector function are joined with their neighbours, and those of an image load are a range that
    // contains its windows.
    const InstructionInfo& row = info(instruction.opcode);
    if (instruction.opcode == Opcode::kVECTOR_FUNCTION || row.name.starts_with("img2col")) return std::nullopt;
    for (const Extent& access : extents_of(instruction)) {
        const ptosim_tensor extent = extent_at(access.space, access.begin);
        const uint64_t end = end_at(access.space, access.begin);
        if (end == 0 || access.end <= end) continue;
        // A comparison reads its last repeat whole: no mask shortens it.
        if (!access.writes && row.name.starts_with("vcmp") && access.end - end < kRepeat) continue;
        const uint64_t needed = access.end - extent.begin;
        Diagnostic d = make_diagnostic("A12", Category::kUndefined,
                               std::string(row.name) + (access.writes ? " writes" : " reads") + " bytes [" +
                                   std::to_string(access.begin) + ", " + std::to_string(access.end) + ") of " +
                                   std::string(name(access.space)) + ", " + std::to_string(access.end - end) +
                                   " bytes beyond the end of a tensor of " + std::to_string(extent.size) + " bytes",
                               "the tensor needs " + std::to_string(needed) + " bytes");
        if (const Buffer* const buffer = buffer_at(access.space, access.begin)) {
            d.related = {sources.related("the buffer", buffer->where)};
            if (const Buffer* const next = buffer_at(access.space, end); next != nullptr && next != buffer)
                d.related.push_back(sources.related("the buffer after it", next->where));
        }
        d.instruction = row.name;
        if (access.operand < row.operands.size()) d.operand = row.operands[access.operand].name;
        d.byte_begin = access.begin;
        d.byte_end = access.end;
        return d;
    }
    return std::nullopt;
}

std::optional<Diagnostic> rounded_copy(uint32_t count, uint32_t bits) {
    const uint64_t bytes = uint64_t{count} * bits / 8;
    const uint64_t rest = bytes % kCopyBlock;
    if (rest == 0) return std::nullopt;
    return make_diagnostic("D03", Category::kUndefined,
                   "DataCopy of " + std::to_string(bytes) + " bytes copies " + std::to_string(bytes / kCopyBlock) +
                       " whole blocks of 32 bytes: the last " + std::to_string(rest) + " bytes are not copied",
                   "use DataCopyPad, which copies any number of bytes; or round the count up to whole blocks");
}

std::optional<Diagnostic> short_work_buffer(std::string_view function, uint64_t size, uint64_t needed) {
    if (whole_blocks(size) >= needed) return std::nullopt;
    Diagnostic d = make_diagnostic("A12", Category::kUndefined,
                           std::string(function) + " has a work buffer of " + std::to_string(size) +
                               " bytes, and its documents require " + std::to_string(needed) + " for this count",
                           "the tensor needs " + std::to_string(needed) + " bytes");
    d.instruction = function;
    return d;
}

}  // namespace ptosim
