// report.html: one page that opens from disk with no network (docs/formats.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "traces/analyse/analysis.h"

namespace ptosim {

// The run that another one is compared with: its lanes are shown under the lanes of the other.
struct Before {
    const Recording& recording;
    std::string comparison;  // that of difference_json()
};

// Fails with DiagnosticError (I40).
void write_html(const Recording& recording, const Analysis& analysis,
                const std::filesystem::path& path, const Before* before = nullptr);

// Adds the tasks of a program to a page that has been written: JSON as traces/viewer/src/tasks.ts
// reads it. Fails with DiagnosticError (I40).
void add_page_tasks(const std::filesystem::path& path, std::string_view tasks);

inline constexpr const char* kPageFile = "report.html";

}  // namespace ptosim
