#include "traces/record/sources.h"

#include <algorithm>
#include <utility>

#include "isa/core/source_origin.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

void Sources::begin_launch(std::string_view kernel, const SourceMap* map) {
    launch_ = map;
    known_ = map != nullptr && map->size() > 0;
    if (!known_) return;
    // A host that launches one kernel a thousand times must not make a thousand copies.
    for (const Entry& entry : entries_)
        if (entry.original == map && entry.kernel == kernel && entry.map.size() == map->size()) {
            base_ = entry.base;
            return;
        }
    base_ = entries_.empty()
                ? 0
                : entries_.back().base + static_cast<uint32_t>(entries_.back().map.size());
    // SourceLocation::file has 16 bits; beyond them locations are unknown rather than wrong.
    known_ = base_ + map->size() <= UINT16_MAX + size_t{1};
    if (known_) entries_.push_back({std::string(kernel), map, *map, base_});
}

std::vector<CallRecord> Sources::end_launch() {
    std::vector<CallRecord> added;
    const SourceMap* const launch = std::exchange(launch_, nullptr);
    if (launch == nullptr || !known_) return added;
    for (const auto& [key, call] : launch->calls()) {
        const InstructionInfo* const row = find_instruction_or_intrinsic(key.instruction);
        if (row == nullptr) continue;  // a scalar access
        CallRecord record{run_location({key.file, 0, key.line}), row->opcode, call};
        if (note_call(record)) added.push_back(std::move(record));
    }
    return added;
}

namespace {
uint64_t call_key(SourceLocation at, Opcode opcode) {
    static_assert(static_cast<unsigned>(Opcode::kCount) <= UINT16_MAX);
    return uint64_t{at.line} << 32 | uint64_t{at.file} << 16 | static_cast<uint16_t>(opcode);
}
}  // namespace

bool Sources::note_call(const CallRecord& record) {
    const auto [entry, added] = calls_.try_emplace(call_key(record.at, record.opcode), record.call);
    if (!added && entry->second == record.call) return false;
    entry->second = record.call;
    return true;
}

bool Sources::calls_into(std::string_view header) const {
    return std::any_of(calls_.begin(), calls_.end(),
                       [header](const auto& call) { return call.second.header.starts_with(header); });
}

const SourceMap::Call* Sources::call(SourceLocation location, Opcode opcode) const {
    if (calls_.empty()) return nullptr;
    const auto found = calls_.find(call_key(location, opcode));
    return found == calls_.end() ? nullptr : &found->second;
}

size_t Sources::size() const {
    return entries_.empty() ? 0 : entries_.back().base + entries_.back().map.size();
}

Sources::File Sources::file(size_t index) const {
    const SourceLocation first{static_cast<uint16_t>(index), 0, 1};
    const Entry* entry = find(first);
    if (entry == nullptr) return {};
    const auto of_entry = static_cast<uint16_t>(index - entry->base);
    return {std::string(entry->map.file({of_entry, 0, 1})), std::string(entry->map.text(of_entry))};
}

void Sources::restore(File file) {
    SourceMap map;
    // A recording does not contain the language, and reports do not depend on it.
    map.add(std::move(file.name), std::move(file.text), SourceLanguage::kAssembly);
    entries_.push_back({{}, nullptr, std::move(map), static_cast<uint32_t>(size())});
    known_ = true;
    base_ = 0;
}

SourceLocation Sources::run_location(SourceLocation of_launch) const {
    if (!known_ || of_launch.line == 0) return {};
    of_launch.file = static_cast<uint16_t>(of_launch.file + base_);
    return of_launch;
}

const Sources::Entry* Sources::find(SourceLocation location) const {
    if (location.file >= size()) return nullptr;  // of a damaged recording
    const auto after =
        std::upper_bound(entries_.begin(), entries_.end(), location.file,
                         [](uint16_t file, const Entry& entry) { return file < entry.base; });
    return location.line == 0 || after == entries_.begin() ? nullptr : &*std::prev(after);
}

std::string Sources::text(SourceLocation location) const {
    const Entry* entry = find(location);
    if (entry == nullptr) return {};
    location.file = static_cast<uint16_t>(location.file - entry->base);
    const std::string_view file = entry->map.file(location);
    return file.empty() ? std::string() : std::string(file) + ":" + std::to_string(location.line);
}

std::string_view Sources::line(SourceLocation location) const {
    const Entry* entry = find(location);
    if (entry == nullptr) return {};
    location.file = static_cast<uint16_t>(location.file - entry->base);
    return entry->map.line(location);
}

std::string Sources::origin(SourceLocation location) const {
    const Entry* entry = find(location);
    if (entry == nullptr) return {};
    location.file = static_cast<uint16_t>(location.file - entry->base);
    const auto origin = origin_of(entry->map.text(location.file), entry->map.line(location));
    return origin ? origin->file + ":" + std::to_string(origin->line) : std::string();
}

void Sources::set_text(size_t index, std::string text) {
    const std::string name = file(index).name;
    for (Entry& entry : entries_)
        if (entry.base == index && entry.map.size() == 1) {
            const SourceLanguage language = entry.map.language({0, 0, 1});
            entry.map = SourceMap();
            entry.map.add(name, std::move(text), language);
        }
}

}  // namespace ptosim
