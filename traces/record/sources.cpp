#include "traces/record/sources.h"

#include <algorithm>

#include "isa/core/source_origin.h"

namespace ptosim {

void Sources::begin_launch(std::string_view kernel, const SourceMap* map) {
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
    map.add(std::move(file.name), std::move(file.text));
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
            entry.map = SourceMap();
            entry.map.add(name, std::move(text));
        }
}

}  // namespace ptosim
