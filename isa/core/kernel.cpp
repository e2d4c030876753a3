#include "isa/core/kernel.h"


#include <algorithm>

#include "isa/core/source_origin.h"
#include "isa/core/thread_run.h"

namespace ptosim {

uint16_t SourceMap::add(std::string name, std::string text, SourceLanguage language) {
    for (size_t i = 0; i < files_.size(); ++i)
        if (files_[i].name == name && files_[i].text == text) return static_cast<uint16_t>(i);
    if (files_.size() > UINT16_MAX) fail_input("I00", "more than 65536 source files in one kernel");
    File file{std::move(name), std::move(text), language, {}};
    if (!file.text.empty()) file.line_starts.push_back(0);
    for (size_t at = file.text.find('\n'); at != std::string::npos; at = file.text.find('\n', at + 1))
        file.line_starts.push_back(at + 1);
    files_.push_back(std::move(file));
    return static_cast<uint16_t>(files_.size() - 1);
}

std::string_view SourceMap::file(SourceLocation location) const {
    if (location.file >= files_.size()) return {};
    return files_[location.file].name;
}

SourceLanguage SourceMap::language(SourceLocation location) const {
    return location.file < files_.size() ? files_[location.file].language : SourceLanguage::kAssembly;
}

std::string_view SourceMap::line(SourceLocation location) const {
    if (location.file >= files_.size() || location.line == 0) return {};
    const File& file = files_[location.file];
    if (location.line > file.line_starts.size()) return {};
    const size_t begin = file.line_starts[location.line - 1];
    size_t end = std::min(file.text.find('\n', begin), file.text.size());
    if (end > begin && file.text[end - 1] == '\r') --end;
    return std::string_view(file.text).substr(begin, end - begin);
}

void SourceMap::note_call(SourceLocation location, std::string_view instruction, Call call) {
    calls_.insert_or_assign({location.file, location.line, std::string(instruction)}, std::move(call));
}

const SourceMap::Call* SourceMap::call(SourceLocation location, std::string_view instruction) const {
    if (calls_.empty()) return nullptr;
    const auto found = calls_.find({location.file, location.line, std::string(instruction)});
    return found == calls_.end() ? nullptr : &found->second;
}

void SourceMap::locate(Site& site, SourceLocation location) const {
    site.location = location;
    site.file = file(location);
    site.source_line = line(location);
    site.calls.clear();
    for (auto at = calls_.lower_bound({location.file, location.line, ""});
         at != calls_.end() && at->first.file == location.file && at->first.line == location.line; ++at)
        site.calls.push_back({at->first.instruction, at->second.function, at->second.header});
    if (location.file >= files_.size()) return;
    const auto origin = origin_of(files_[location.file].text, site.source_line);
    if (!origin) return;
    site.file = origin->file;
    site.location = {location.file, origin->column, origin->line};
    for (size_t i = 0; i < files_.size(); ++i)
        if (files_[i].name == origin->file) site.location.file = static_cast<uint16_t>(i);
    site.source_line =
        site.location.file == location.file ? std::string_view() : line(site.location);
}

RelatedSite SourceMap::related(std::string_view what, SourceLocation location) const {
    RelatedSite site;
    locate(site, location);
    site.text = std::string(what) + " at " + site.file + ":" + std::to_string(site.location.line);
    return site;
}

std::unique_ptr<ThreadRun> KernelPort::begin_threads(const ThreadLaunch&) { return nullptr; }

}  // namespace ptosim
