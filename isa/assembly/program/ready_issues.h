// Instructions of a program that its core has issued before. A loop issues the same few with other
// values in their slots, and the core issues a known instruction without checking it again
// (KernelPort::issue_again).
#pragma once

#include <array>
#include <optional>
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
        Known& known = issues_[issue];
        if (known.table.empty()) return nullptr;
        const uint32_t expected = known.table[known.last].next;
        const ReadyInstruction* const ready = known.table[expected].ready;
        if (ready == nullptr || !known.makes(*ready, addresses))
            return find_by_key(known, addresses);
        known.last = expected;
        return ready;
    }
    // Keeps the instruction that has just been made of the values in the slots.
    void keep(uint32_t issue, const ReadyInstruction& ready) {
        Known& known = issues_[issue];
        if (known.table.empty()) find_sources(frame_.program.issues[issue], known);
        Addresses addresses;
        // With values that the slots do not have, it could not be found.
        if (known.makes(ready, addresses))
            known.keep({known.key(), &ready, 0});
        else
            known = {.closed = true};
    }

 private:
    // A slot that an issue reads.
    struct Source {
        Operand::Kind kind = Operand::Kind::kNone;
        std::optional<GlobalLayout> layout{};  // OperandPlan::layout
        uint64_t mask = ~uint64_t{0};          // of a scalar
        const void* slot = nullptr;

        template <class T>
        const T& as() const {
            return *static_cast<const T*>(slot);
        }
        // The values that differ most often between the instructions of an issue.
        uint64_t key() const {
            const auto with_extents = [](uint64_t address, int32_t rows, int32_t cols) {
                return address ^ static_cast<uint64_t>(rows) << 32 ^
                       static_cast<uint64_t>(cols) << 48;
            };
            switch (kind) {
                case Operand::Kind::kTile:
                    return with_extents(as<Tile>().address, as<Tile>().valid_rows,
                                        as<Tile>().valid_cols);
                case Operand::Kind::kScalar:
                    return as<uint64_t>();
                case Operand::Kind::kGlobal: {
                    const auto& view = as<GlobalView>();
                    return with_extents(view.address % kViewAlignment, view.shape[3],
                                        view.shape[4]);
                }
                case Operand::Kind::kNone:
                    break;
            }
            return 0;
        }
        // True if its value makes this operand, but for the address of a view.
        bool makes(const Operand& operand, Addresses& addresses) const {
            switch (kind) {
                case Operand::Kind::kTile:
                    return same_bytes(as<Tile>(), operand.tile);
                case Operand::Kind::kScalar:
                    return (as<uint64_t>() & mask) == operand.scalar.bits;
                case Operand::Kind::kGlobal: {
                    const auto& view = as<GlobalView>();
                    addresses.values[addresses.count++] = view.address;
                    return same_view(view, operand.global, layout ? *layout : view.layout);
                }
                case Operand::Kind::kNone:
                    break;
            }
            return true;
        }
    };
    struct Place {
        uint64_t key = 0;
        const ReadyInstruction* ready = nullptr;
        uint32_t next = 0;  // the place of the instruction that followed it the last time
    };
    // The instructions of an issue, in a table by their keys that grows until each is at most kFar
    // places from its own.
    struct Known {
        static constexpr size_t kMost = 64, kFar = 4;
        std::vector<Place> table{};       // its size is a power of two, or 0
        std::vector<Source> sources{};    // of the operands
        const uint64_t* event = nullptr;  // the slot of the event id
        uint32_t last = 0;                // the place of the last instruction
        bool closed = false;              // nothing is to be kept

        bool makes(const ReadyInstruction& ready, Addresses& addresses) const {
            const Instruction& given = ready.given;
            if (event != nullptr && *event != given.attributes.event_id) return false;
            addresses.count = 0;
            const Operand* operand = given.operands.data();
            for (const Source& source : sources)
                if (!source.makes(*operand++, addresses)) return false;
            return true;
        }
        uint64_t key() const {
            uint64_t key = event == nullptr ? 0 : *event;
            for (const Source& source : sources) key = key * kMix + source.key();
            return key;
        }
        // The i-th place for a key.
        uint32_t at(uint64_t key, size_t i) const {
            return static_cast<uint32_t>(((key * kMix >> 32) + i) & (table.size() - 1));
        }
        bool put(const Place& place) {
            for (size_t i = 0; i < kFar; ++i) {
                Place& there = table[at(place.key, i)];
                if (there.ready != nullptr && there.key != place.key) continue;
                there = place;
                return true;
            }
            return false;
        }
        void keep(const Place& place) {
            if (table.empty()) table.resize(2);
            while (!put(place)) {
                if (table.size() == kMost) {
                    table[at(place.key, 0)] = place;
                    return;
                }
                std::vector<Place> before(2 * table.size());
                before.swap(table);
                last = 0;
                for (const Place& one : before)
                    if (one.ready != nullptr) put({one.key, one.ready, 0});
            }
        }
    };
    static constexpr uint64_t kMix = 0x9E3779B97F4A7C15u;

    static bool same_view(const GlobalView& view, const GlobalView& given, GlobalLayout layout) {
        return view.address % kViewAlignment == given.address % kViewAlignment &&
               layout == given.layout && view.dtype == given.dtype &&
               view.past_l2 == given.past_l2 && same_bytes(view.shape, given.shape) &&
               same_bytes(view.stride, given.stride);
    }

    // Slots keep their addresses while the program runs.
    void find_sources(const IssuePlan& plan, Known& known) const {
        known.sources.clear();
        if (plan.event != kNoSlot) known.event = &frame_.scalars[plan.event];
        for (unsigned i = 0; i < plan.prototype.operand_count; ++i) {
            const OperandPlan& operand = plan.operands[i];
            Source source{operand.kind, operand.layout};
            if (operand.kind == Operand::Kind::kTile) source.slot = &frame_.tiles[operand.slot];
            if (operand.kind == Operand::Kind::kGlobal) source.slot = &frame_.views[operand.slot];
            if (operand.kind == Operand::Kind::kScalar) {
                source.slot = &frame_.scalars[operand.slot];
                source.mask = unsigned_bits(source.mask, bits(operand.dtype));
            }
            known.sources.push_back(source);
        }
    }
    static const ReadyInstruction* find_by_key(Known& known, Addresses& addresses) {
        const uint64_t key = known.key();
        for (size_t i = 0; i < Known::kFar; ++i) {
            const uint32_t at = known.at(key, i);
            const ReadyInstruction* const ready = known.table[at].ready;
            if (ready == nullptr) return nullptr;
            if (known.table[at].key != key) continue;
            if (!known.makes(*ready, addresses)) return nullptr;
            known.table[known.last].next = at;
            known.last = at;
            return ready;
        }
        return nullptr;
    }

    const Frame& frame_;
    std::vector<Known> issues_;
};

}  // namespace ptosim::assembly
