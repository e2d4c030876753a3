#include "sim/native/lane_order.h"

#include <algorithm>
#include <bit>

namespace ptosim {

void LaneOrder::add(const WarpInstruction& instruction) {
    if (instruction.kind > Kind::kStore) return;
    const auto first = static_cast<unsigned>(std::countr_zero(instruction.active));
    Range range{instruction.addresses[first], 0, static_cast<uint32_t>(accesses_.size())};
    uint64_t last = range.begin;
    for_lanes(instruction.active, [&](unsigned lane) {
        range.begin = std::min(range.begin, instruction.addresses[lane]);
        last = std::max(last, instruction.addresses[lane]);
    });
    // Bytes of UB come before all others.
    const uint64_t space = instruction.local ? 0 : uint64_t{1} << 63;
    range.end = (last + instruction.bytes) | space;
    range.begin |= space;
    accesses_.push_back(instruction);
    ranges_.push_back(range);
    stores_ = stores_ || instruction.kind == Kind::kStore;
}

// Looks at accesses whose ranges overlap.
const void* LaneOrder::end() {
    const void* found = nullptr;
    if (stores_ && accesses_.size() > 1) {
        std::ranges::sort(ranges_, {}, &Range::begin);
        uint64_t end = 0;
        size_t first = 0;
        for (size_t i = 0; i <= ranges_.size() && found == nullptr; ++i) {
            if (i < ranges_.size() && (i == first || ranges_[i].begin < end)) {
                end = std::max(end, ranges_[i].end);
                continue;
            }
            if (i - first > 1) found = conflict_within(first, i);
            first = i;
            if (i < ranges_.size()) end = ranges_[i].end;
        }
    }
    accesses_.clear();
    ranges_.clear();
    stores_ = false;
    return found;
}

// True if each lane has always the same bytes.
bool LaneOrder::is_own(size_t first, size_t last) const {
    const WarpInstruction& one = accesses_[ranges_[first].number];
    for (size_t i = first + 1; i < last; ++i) {
        const WarpInstruction& other = accesses_[ranges_[i].number];
        if (other.bytes != one.bytes || other.active != one.active ||
            other.addresses != one.addresses)
            return false;
    }
    return true;
}

LaneOrder::Bytes& LaneOrder::bytes_at(uint64_t address) {
    const size_t mask = table_.size() - 1;
    for (size_t i = (address * 0x9E3779B97F4A7C15u) >> 32 & mask;; i = (i + 1) & mask) {
        Bytes& bytes = table_[i];
        if (bytes.round == round_ && bytes.address == address) return bytes;
        if (bytes.round == round_) continue;
        bytes = {address, round_, -1, -1};
        return bytes;
    }
}

const void* LaneOrder::conflict_within(size_t first, size_t last) {
    if (is_own(first, last)) return nullptr;
    chosen_.clear();
    bool stores = false;
    unsigned grain = 16;
    size_t lanes = 0, most = 0;
    for (size_t i = first; i < last; ++i) {
        const WarpInstruction& access = accesses_[ranges_[i].number];
        chosen_.push_back(ranges_[i].number);
        stores = stores || access.kind == Kind::kStore;
        for_lanes(access.active, [&](unsigned lane) {
            grain =
                std::min(grain, 1u << std::countr_zero(access.addresses[lane] | access.bytes | 16));
        });
        lanes += static_cast<size_t>(std::popcount(access.active));
        most = std::max<size_t>(most, access.bytes);
    }
    if (!stores) return nullptr;
    std::ranges::sort(chosen_);
    const size_t room = std::bit_ceil(2 * lanes * (most / grain + 1));
    if (table_.size() < room) table_.assign(room, {});
    ++round_;
    for (const uint32_t number : chosen_) {
        const WarpInstruction& access = accesses_[number];
        const bool store = access.kind == Kind::kStore;
        const auto each = [&](auto&& visit) {
            for_lanes(access.active, [&](unsigned lane) {
                const uint64_t begin = access.addresses[lane] / grain,
                               end = (access.addresses[lane] + access.bytes - 1) / grain;
                for (uint64_t at = begin; at <= end; ++at)
                    visit(bytes_at(at), static_cast<int8_t>(lane));
            });
        };
        bool conflict = false;
        each([&](const Bytes& bytes, int8_t lane) {
            conflict = conflict || bytes.stored > lane || (store && bytes.loaded > lane);
        });
        if (conflict) return access.code;
        each([&](Bytes& bytes, int8_t lane) {
            int8_t& highest = store ? bytes.stored : bytes.loaded;
            highest = std::max(highest, lane);
        });
    }
    return nullptr;
}

}  // namespace ptosim
