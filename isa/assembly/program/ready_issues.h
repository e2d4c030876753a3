// Instructions of a program that its core has issued before. A loop issues the same few with other
// values in their slots, and the core issues a known instruction without checking it again
// (KernelPort::issue_again).
#pragma once

#include <array>
#include <vector>

#include "isa/assembly/program/frame.h"
#include "isa/core/instruction_hash.h"

namespace ptosim::assembly {

class ReadyIssues {
 public:
    // The addresses of the views of an instruction, in the order of its operands.
    struct Addresses {
        std::array<uint64_t, Instruction::kMaxOperands> values;
        size_t count = 0;
        operator std::span<const uint64_t>() const { return {values.data(), count}; }  // NOLINT
    };

    explicit ReadyIssues(const Frame& frame)
        : frame_{frame}, issues_(frame.program.issues.size()) {}

    // True if the instructions that an issue makes are kept.
    bool open(uint32_t issue) const {
        const IssuePlan& plan = frame_.program.issues[issue];
        return !issues_[issue].closed && plan.columns == ColumnWalk::kNone &&
               plan.participants == kNoSlot;
    }
    // The instruction that an issue makes of the values in its slots; null: it is not known.
    const ReadyInstruction* find(uint32_t issue, Addresses& addresses) {
        Places& places = issues_[issue];
        const ReadyInstruction* const expected = places.list.empty() ? nullptr : places.expected();
        if (expected != nullptr && makes(issue, *expected, addresses)) {
            places.last = places.list[places.last].next;
            return expected;
        }
        return find_by_key(issue, addresses);
    }
    // Keeps the instruction that has just been made of the values in the slots.
    void keep(uint32_t issue, const ReadyInstruction& ready) {
        Places& places = issues_[issue];
        Addresses addresses;
        // With values that the slots do not have, it could not be found.
        if (!makes(issue, ready, addresses)) {
            places = {.closed = true};
            return;
        }
        places.keep({key(issue), &ready, 0});
    }

 private:
    static constexpr uint64_t kMix = 0x9E3779B97F4A7C15u;
    struct Place {
        uint64_t key = 0;
        const ReadyInstruction* ready = nullptr;
        uint32_t next = 0;  // the place of the instruction that followed it the last time
    };
    // Few instructions by their keys, in a table that grows until each is at most kFar places from
    // its own.
    struct Places {
        static constexpr size_t kMost = 64, kFar = 4;
        std::vector<Place> list{};  // a power of two; empty: nothing is kept yet
        uint32_t last = 0;          // the place of the last instruction
        bool closed = false;        // nothing is to be kept

        const ReadyInstruction* expected() const { return list[list[last].next].ready; }
        // The i-th place for a key.
        size_t at(uint64_t key, size_t i) const {
            return ((key * kMix >> 32) + i) & (list.size() - 1);
        }
        const Place* find(uint64_t key) const {
            if (list.empty()) return nullptr;
            for (size_t i = 0; i < kFar; ++i) {
                const Place& place = list[at(key, i)];
                if (place.ready == nullptr) return nullptr;
                if (place.key == key) return &place;
            }
            return nullptr;
        }
        bool put(const Place& place) {
            for (size_t i = 0; i < kFar; ++i) {
                Place& there = list[at(place.key, i)];
                if (there.ready != nullptr && there.key != place.key) continue;
                there = place;
                return true;
            }
            return false;
        }
        void keep(const Place& place) {
            if (list.empty()) list.resize(2);
            while (!put(place)) {
                if (list.size() == kMost) {
                    list[at(place.key, 0)] = place;
                    return;
                }
                std::vector<Place> before(2 * list.size());
                before.swap(list);
                last = 0;
                for (const Place& one : before)
                    if (one.ready != nullptr) put({one.key, one.ready, 0});
            }
        }
    };

    uint64_t key(uint32_t issue) const {
        const IssuePlan& plan = frame_.program.issues[issue];
        uint64_t key = plan.event == kNoSlot ? 0 : frame_.scalars[plan.event];
        for (unsigned i = 0; i < plan.prototype.operand_count; ++i)
            key = key * kMix + key_of(plan.operands[i]);
        return key;
    }
    const ReadyInstruction* find_by_key(uint32_t issue, Addresses& addresses) {
        Places& places = issues_[issue];
        const Place* const place = places.find(key(issue));
        if (place == nullptr || !makes(issue, *place->ready, addresses)) return nullptr;
        places.list[places.last].next = static_cast<uint32_t>(place - places.list.data());
        places.last = places.list[places.last].next;
        return place->ready;
    }
    // What differs most often between the instructions of an issue.
    uint64_t key_of(const OperandPlan& operand) const {
        const auto with_extents = [](uint64_t address, int32_t rows, int32_t cols) {
            return address ^ static_cast<uint64_t>(rows) << 32 ^ static_cast<uint64_t>(cols) << 48;
        };
        switch (operand.kind) {
            case Operand::Kind::kTile: {
                const Tile& tile = frame_.tiles[operand.slot];
                return with_extents(tile.address, tile.valid_rows, tile.valid_cols);
            }
            case Operand::Kind::kScalar:
                return frame_.scalars[operand.slot];
            case Operand::Kind::kGlobal: {
                const GlobalView& view = frame_.views[operand.slot];
                return with_extents(view.address % kViewAlignment, view.shape[3], view.shape[4]);
            }
            case Operand::Kind::kNone:
                break;
        }
        return 0;
    }
    // True if the values in the slots make this instruction, but for the addresses of views.
    bool makes(uint32_t issue, const ReadyInstruction& ready, Addresses& addresses) const {
        const IssuePlan& plan = frame_.program.issues[issue];
        const Instruction& given = ready.given;
        if (plan.event != kNoSlot && frame_.scalars[plan.event] != given.attributes.event_id)
            return false;
        addresses.count = 0;
        for (unsigned i = 0; i < plan.prototype.operand_count; ++i)
            if (!same(plan.operands[i], given.operands[i], addresses)) return false;
        return true;
    }

    bool same(const OperandPlan& plan, const Operand& given, Addresses& addresses) const {
        switch (plan.kind) {
            case Operand::Kind::kNone:
                return true;
            case Operand::Kind::kTile:
                return same_bytes(frame_.tiles[plan.slot], given.tile);
            case Operand::Kind::kScalar:
                return unsigned_bits(frame_.scalars[plan.slot], bits(plan.dtype)) ==
                       given.scalar.bits;
            case Operand::Kind::kGlobal: {
                const GlobalView& view = frame_.views[plan.slot];
                addresses.values[addresses.count++] = view.address;
                return same_view(view, given.global, plan.layout ? *plan.layout : view.layout);
            }
        }
        return false;
    }
    static bool same_view(const GlobalView& view, const GlobalView& given, GlobalLayout layout) {
        return view.address % kViewAlignment == given.address % kViewAlignment &&
               layout == given.layout && view.dtype == given.dtype &&
               view.past_l2 == given.past_l2 && same_bytes(view.shape, given.shape) &&
               same_bytes(view.stride, given.stride);
    }

    const Frame& frame_;
    std::vector<Places> issues_;
};

}  // namespace ptosim::assembly
